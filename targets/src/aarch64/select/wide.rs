//! Integers of 128 bits, in two registers.

use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{IntCc, Opcode, Value};

use super::operand::*;
use crate::aarch64::encode::TEMP;
use crate::aarch64::encode::ops::*;
use crate::aarch64::machine::vreg;
use crate::aarch64::reg::{Cond, Fp, Lanes, Shift, Width, ZR};
use crate::aarch64::registers::{CALLEE, VTEMP};

const X: Width = Width::X;
/// Emits an instruction whose type or operand is a 128-bit integer.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Done {
    use Opcode::*;
    let (a, b) = (d.a, d.b);
    match d.op {
        Iadd => carried(cx, d.r, (a, b), ADDS, ADC),
        Isub => carried(cx, d.r, (a, b), SUBS, SBC),
        And => bitwise(cx, d.r, (a, b), AND),
        Or => bitwise(cx, d.r, (a, b), ORR),
        Xor => bitwise(cx, d.r, (a, b), EOR),
        Imul => multiply(cx, d.r, (a, b)),
        Shl | Lshr | Ashr => shift(cx, d),
        Umin => min_max(cx, d, IntCc::Ult),
        Umax => min_max(cx, d, IntCc::Ugt),
        Smin => min_max(cx, d, IntCc::Slt),
        Smax => min_max(cx, d, IntCc::Sgt),
        Iabs => abs(cx, d.r, a),
        UaddOv => overflow(cx, d.r, (a, b), (ADDS, ADCS), Cond::Hs),
        SaddOv => overflow(cx, d.r, (a, b), (ADDS, ADCS), Cond::Vs),
        UsubOv => overflow(cx, d.r, (a, b), (SUBS, SBCS), Cond::Lo),
        SsubOv => overflow(cx, d.r, (a, b), (SUBS, SBCS), Cond::Vs),
        UaddSat | UsubSat | SaddSat | SsubSat => saturating(cx, d),
        Ctlz | Cttz => count_zeros(cx, d),
        Ctpop => population(cx, d.r, a),
        Bswap => reverse(cx, d.r, a, REV),
        Bitreverse => reverse(cx, d.r, a, RBIT),
        Zext | Sext => widen(cx, d.r, a, d.op == Sext),
        _ => not_yet(cx, d),
    }
}

fn carried(cx: &mut Cx<'_>, r: Value, (a, b): (Value, Value), low: AddSub, high: Rrr) -> Done {
    let (x, y) = (pair(cx, a)?, pair(cx, b)?);
    let dst = define_pair(cx, r)?;
    let mut e = asm(cx);
    e.add_rr(low, X, gpr(dst.0), x.0, y.0);
    e.rrr(high, X, gpr(dst.1), x.1, y.1);
    set_pair(cx, r, dst.0, dst.1)
}

fn bitwise(cx: &mut Cx<'_>, r: Value, (a, b): (Value, Value), op: Logic) -> Done {
    let (x, y) = (pair(cx, a)?, pair(cx, b)?);
    let dst = define_pair(cx, r)?;
    let mut e = asm(cx);
    e.logic_rr(op, X, gpr(dst.0), x.0, y.0);
    e.logic_rr(op, X, gpr(dst.1), x.1, y.1);
    set_pair(cx, r, dst.0, dst.1)
}

fn multiply(cx: &mut Cx<'_>, r: Value, (a, b): (Value, Value)) -> Done {
    let (x, y) = (pair(cx, a)?, pair(cx, b)?);
    let dst = define_pair(cx, r)?;
    let mut e = asm(cx);
    e.high_product(UMULH, TEMP, x.0, y.0);
    e.rrrr(MADD, X, TEMP, (x.0, y.1), TEMP);
    e.rrrr(MADD, X, gpr(dst.1), (x.1, y.0), TEMP);
    e.rrrr(MADD, X, gpr(dst.0), (x.0, y.0), ZR);
    set_pair(cx, r, dst.0, dst.1)
}

fn shift(cx: &mut Cx<'_>, d: &Node) -> Done {
    let x = pair(cx, d.a)?;
    let left = d.op == Opcode::Shl;
    let kind = if d.op == Opcode::Ashr { Shift::Asr } else { Shift::Lsr };
    if let Some(n) = cx.f.int_constant(d.b) {
        let n = n as u32 & 127;
        let dst = define_pair(cx, d.r)?;
        let (low, high) = (gpr(dst.0), gpr(dst.1));
        let mut e = asm(cx);
        match (n, left) {
            (0, _) => {
                e.mov(X, low, x.0);
                e.mov(X, high, x.1);
            }
            (64.., true) => {
                e.shift_ri(Shift::Lsl, X, high, x.0, n - 64);
                e.mov(X, low, ZR);
            }
            (_, true) => {
                e.extr(X, high, x.1, x.0, 64 - n);
                e.shift_ri(Shift::Lsl, X, low, x.0, n);
            }
            (64.., false) => {
                e.shift_ri(kind, X, low, x.1, n - 64);
                if kind == Shift::Asr { e.shift_ri(kind, X, high, x.1, 63) } else { e.mov(X, high, ZR) }
            }
            (_, false) => {
                e.extr(X, low, x.1, x.0, n);
                e.shift_ri(kind, X, high, x.1, n);
            }
        }
        return set_pair(cx, d.r, dst.0, dst.1);
    }
    let n = gpr(cx.use_part(d.b, 0)?);
    let dst = define_pair(cx, d.r)?;
    // The half that bits leave, and the one that they come to.
    let (from, to) = if left { (x.0, x.1) } else { (x.1, x.0) };
    let (near, far) = if left { (gpr(dst.0), gpr(dst.1)) } else { (gpr(dst.1), gpr(dst.0)) };
    let (away, back, one) = match (left, kind) {
        (true, _) => (LSLV, LSRV, Shift::Lsr),
        (false, Shift::Asr) => (ASRV, LSLV, Shift::Lsl),
        _ => (LSRV, LSLV, Shift::Lsl),
    };
    let toward = if left { LSLV } else { LSRV };
    let (t, u) = (TEMP, gpr(CALLEE));
    let mut e = asm(cx);
    // What crosses goes one step, then the rest of the way.
    e.logic_rr(ORN, X, u, ZR, n);
    e.shift_ri(one, X, t, from, 1);
    e.rrr(back, X, t, t, u);
    e.rrr(toward, X, u, to, n);
    e.logic_rr(ORR, X, t, t, u);
    e.rrr(away, X, u, from, n);
    if let Some(field) = crate::aarch64::encode::logical_immediate(X, 64) {
        e.logic_ri(ANDS, X, ZR, n, field);
    }
    e.choice(CSEL, X, far, (u, t), Cond::Ne);
    if kind == Shift::Asr && !left {
        e.shift_ri(Shift::Asr, X, t, from, 63);
        e.choice(CSEL, X, near, (t, u), Cond::Ne);
    } else {
        e.choice(CSEL, X, near, (ZR, u), Cond::Ne);
    }
    set_pair(cx, d.r, dst.0, dst.1)
}

/// Compares, and gives the condition.
pub(crate) fn compare(cx: &mut Cx<'_>, (a, b): (Value, Value), cc: IntCc) -> Result<Cond, CompileError> {
    let x = pair(cx, a)?;
    let y = match cx.f.int_constant(b) {
        Some(n) => {
            let y = (TEMP, gpr(CALLEE));
            let mut e = asm(cx);
            e.mov_number(X, y.0, n as u64);
            e.mov_number(X, y.1, (n >> 64) as u64);
            y
        }
        None => pair(cx, b)?,
    };
    Ok(compare_pairs(cx, x, y, cc))
}

fn compare_pairs(cx: &mut Cx<'_>, x: Pair, y: Pair, cc: IntCc) -> Cond {
    let mut e = asm(cx);
    if matches!(cc, IntCc::Eq | IntCc::Ne) {
        e.add_rr(SUBS, X, ZR, x.0, y.0);
        e.cond_compare_rr(CCMP, X, x.1, y.1, (0, Cond::Eq));
        return Cond::of(cc);
    }
    // The flags of a difference tell of less, and of greater or equal.
    let swap = matches!(cc, IntCc::Ugt | IntCc::Ule | IntCc::Sgt | IntCc::Sle);
    let (x, y, cc) = if swap { (y, x, cc.swapped()) } else { (x, y, cc) };
    e.add_rr(SUBS, X, ZR, x.0, y.0);
    e.rrr(SBCS, X, ZR, x.1, y.1);
    Cond::of(cc)
}

fn min_max(cx: &mut Cx<'_>, d: &Node, cc: IntCc) -> Done {
    let (x, y) = (pair(cx, d.a)?, pair(cx, d.b)?);
    let c = compare_pairs(cx, x, y, cc);
    let dst = define_pair(cx, d.r)?;
    let mut e = asm(cx);
    e.choose(X, gpr(dst.0), (x.0, y.0), c);
    e.choose(X, gpr(dst.1), (x.1, y.1), c);
    set_pair(cx, d.r, dst.0, dst.1)
}

fn abs(cx: &mut Cx<'_>, r: Value, a: Value) -> Done {
    let x = pair(cx, a)?;
    let dst = define_pair(cx, r)?;
    let (low, high) = (gpr(dst.0), gpr(dst.1));
    let mut e = asm(cx);
    e.shift_ri(Shift::Asr, X, TEMP, x.1, 63);
    e.logic_rr(EOR, X, low, x.0, TEMP);
    e.logic_rr(EOR, X, high, x.1, TEMP);
    e.add_rr(SUBS, X, low, low, TEMP);
    e.rrr(SBC, X, high, high, TEMP);
    set_pair(cx, r, dst.0, dst.1)
}

fn overflow(cx: &mut Cx<'_>, r: Value, (a, b): (Value, Value), ops: (AddSub, Rrr), c: Cond) -> Done {
    let (x, y) = (pair(cx, a)?, pair(cx, b)?);
    let flag = Value(r.0 + 1);
    let dst = define_pair(cx, r)?;
    let f = cx.def(flag, 0)?;
    let mut e = asm(cx);
    e.add_rr(ops.0, X, gpr(dst.0), x.0, y.0);
    e.rrr(ops.1, X, gpr(dst.1), x.1, y.1);
    e.cset(gpr(f), c);
    set_pair(cx, r, dst.0, dst.1)?;
    cx.set(flag, 0, f)
}

fn saturating(cx: &mut Cx<'_>, d: &Node) -> Done {
    use Opcode::*;
    let (x, y) = (pair(cx, d.a)?, pair(cx, d.b)?);
    let dst = define_pair(cx, d.r)?;
    let (low, high) = (gpr(dst.0), gpr(dst.1));
    let adds = matches!(d.op, UaddSat | SaddSat);
    let mut e = asm(cx);
    e.add_rr(if adds { ADDS } else { SUBS }, X, low, x.0, y.0);
    e.rrr(if adds { ADCS } else { SBCS }, X, high, x.1, y.1);
    match d.op {
        UaddSat => {
            e.choice(CSINV, X, low, (low, ZR), Cond::Lo);
            e.choice(CSINV, X, high, (high, ZR), Cond::Lo);
        }
        UsubSat => {
            e.choice(CSEL, X, low, (low, ZR), Cond::Hs);
            e.choice(CSEL, X, high, (high, ZR), Cond::Hs);
        }
        _ => {
            // After overflow the sign is the wrong one.
            e.shift_ri(Shift::Asr, X, TEMP, high, 63);
            e.choice(CSEL, X, low, (TEMP, low), Cond::Vs);
            if let Some(field) = crate::aarch64::encode::logical_immediate(X, 1 << 63) {
                e.logic_ri(EOR, X, TEMP, TEMP, field);
            }
            e.choice(CSEL, X, high, (TEMP, high), Cond::Vs);
        }
    }
    set_pair(cx, d.r, dst.0, dst.1)
}

fn count_zeros(cx: &mut Cx<'_>, d: &Node) -> Done {
    let x = pair(cx, d.a)?;
    let dst = define_pair(cx, d.r)?;
    let (first, last) = if d.op == Opcode::Ctlz { (x.1, x.0) } else { (x.0, x.1) };
    let (t, u) = (TEMP, gpr(CALLEE));
    let mut e = asm(cx);
    e.add_ri(SUBS, X, ZR, first, 0);
    if d.op == Opcode::Ctlz {
        e.rr(CLZ, X, t, first);
        e.rr(CLZ, X, u, last);
    } else {
        e.rr(RBIT, X, t, first);
        e.rr(CLZ, X, t, t);
        e.rr(RBIT, X, u, last);
        e.rr(CLZ, X, u, u);
    }
    e.add_number(X, u, u, 64);
    e.choice(CSEL, X, gpr(dst.0), (u, t), Cond::Eq);
    e.mov(X, gpr(dst.1), ZR);
    set_pair(cx, d.r, dst.0, dst.1)
}

fn population(cx: &mut Cx<'_>, r: Value, a: Value) -> Done {
    let x = pair(cx, a)?;
    let dst = define_pair(cx, r)?;
    let v = vreg(VTEMP);
    let mut e = asm(cx);
    e.from_int(FMOV_FROM_INT, X, Fp::D, v, x.0);
    e.high_from_int(v, x.1);
    e.vrr(V_CNT, Lanes::B16, v, v);
    e.across(V_ADDV, Lanes::B16, v, v);
    e.to_int(FMOV_TO_INT, Width::W, Fp::S, gpr(dst.0), v);
    // 128 is a byte of its own, and the rest of the register is zero.
    e.mov(X, gpr(dst.1), ZR);
    set_pair(cx, r, dst.0, dst.1)
}

fn reverse(cx: &mut Cx<'_>, r: Value, a: Value, op: Rr) -> Done {
    let x = pair(cx, a)?;
    let dst = define_pair(cx, r)?;
    let mut e = asm(cx);
    e.rr(op, X, gpr(dst.0), x.1);
    e.rr(op, X, gpr(dst.1), x.0);
    set_pair(cx, r, dst.0, dst.1)
}

fn widen(cx: &mut Cx<'_>, r: Value, a: Value, signed: bool) -> Done {
    let bits = cx.ty(a).bits();
    let x = if bits == 1 { reg(cx, a)? } else { extended(cx, a, signed)? };
    let dst = define_pair(cx, r)?;
    let low = gpr(dst.0);
    let mut e = asm(cx);
    match (bits, signed) {
        (64, _) => e.mov(X, low, x),
        (1, true) => e.bitfield(SBFM, X, low, x, (0, 0)),
        (_, true) => e.extend(true, X, low, x, bits.max(8)),
        (1, false) => e.extend(false, X, low, x, 8),
        _ => e.mov(Width::W, low, x),
    }
    if signed {
        e.shift_ri(Shift::Asr, X, gpr(dst.1), low, 63)
    } else {
        e.mov(X, gpr(dst.1), ZR)
    }
    set_pair(cx, r, dst.0, dst.1)
}

/// The low half of a value, or less.
pub(crate) fn narrowed(cx: &mut Cx<'_>, d: &Node) -> Done {
    let x = gpr(cx.use_part(d.a, 0)?);
    define(cx, d.r, |cx, dst| {
        let mut e = asm(cx);
        if d.ty.bits() == 1 { e.logic_ri(AND, Width::W, gpr(dst), x, 0) } else { e.mov(X, gpr(dst), x) }
    })
}
