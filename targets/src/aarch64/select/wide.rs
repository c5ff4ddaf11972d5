//! Integers of 128 bits, in two registers.

use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{IntCc, Opcode, Value};

use super::operand::*;
use crate::aarch64::encode::TEMP;
use crate::aarch64::encode::ops::*;
use crate::aarch64::machine::vreg;
use crate::aarch64::reg::{Cond, Fp, Lanes, Shift, Width, ZR};
use crate::aarch64::registers::{CALLEE, VTEMP};
use crate::shared::arm::wide::compare_pairs;

const X: Width = Width::X;
/// See [`Family::select_wide`].
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Done {
    use Opcode::*;
    let (a, b) = (d.a, d.b);
    match d.op {
        Iadd => carried(cx, d.r, (a, b), ADDS, ADC),
        Isub => carried(cx, d.r, (a, b), SUBS, SBC),
        And | Or | Xor => bitwise(cx, d.r, (a, b), bits_op(d.op)),
        Imul => multiply(cx, d.r, (a, b)),
        Shl | Lshr | Ashr => shift(cx, d),
        Ctpop => population(cx, d.r, a),
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

/// A shift by a variable number.
fn shift(cx: &mut Cx<'_>, d: &Node) -> Done {
    let x = pair(cx, d.a)?;
    let left = d.op == Opcode::Shl;
    let kind = if d.op == Opcode::Ashr { Shift::Asr } else { Shift::Lsr };
    let n = gpr(cx.use_part(d.b, 0)?);
    let dst = define_pair(cx, d.r)?;
    // The half that bits are shifted out of, and the half that they are shifted into.
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
    // The bits that cross over are shifted by one, then by the rest.
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
    // The result, at most 128, fits a byte; the rest of the register is zero.
    e.mov(X, gpr(dst.1), ZR);
    set_pair(cx, r, dst.0, dst.1)
}
