//! Vectors of 16 bytes, which NEON has; numbers of 64 bits with a point in their lanes are computed with one at a time.

use gusset_codegen::ir::{FloatCc, IntCc, Opcode, Type};
use gusset_codegen::machine::PReg;

use super::constant::vector;
use super::operand::*;
use crate::arm::encode::neon::*;
use crate::arm::encode::ops::VMOV;
use crate::arm::machine::{Arm, gpr, vreg};
use crate::arm::reg::{Lane, Vreg};
use crate::arm::registers::QTEMP;
use crate::shared::conditions::of_numbers;
use crate::shared::lanes::{lane_number, uniform_constant};
use crate::shared::shuffle::{Mask, ZERO};

/// A vector register of an allocation.
pub(crate) fn q(r: PReg) -> Vreg {
    vreg(r, 16)
}

/// The lanes of a type, or of vectors of it.
pub(crate) fn lane(ty: Type) -> Lane {
    Lane::ALL[(ty.lane_bits().max(8) / 8).ilog2() as usize & 3]
}

/// The instruction for an operation, if one does it.
fn form(target: &Arm, op: Opcode, ty: Type) -> Option<Vop> {
    use Opcode::*;
    let lane = ty.lane_bits();
    let number = ty.lane() == Type::F32;
    let narrow = ty.lane().is_int() && lane < 64;
    let (fused, rounding) = (number && target.features.fused, number && target.features.rounding);
    Some(match op {
        And => V_AND,
        Or => V_ORR,
        Xor => V_EOR,
        Iadd => V_ADD,
        Isub => V_SUB,
        Imul if narrow => V_MUL,
        Smin | Umin if narrow => V_MIN.sign(op == Umin),
        Smax | Umax if narrow => V_MAX.sign(op == Umax),
        SaddSat | UaddSat => V_QADD.sign(op == UaddSat),
        SsubSat | UsubSat => V_QSUB.sign(op == UsubSat),
        Iabs if narrow => V_ABS,
        Ctlz if narrow => V_CLZ,
        Ctpop if lane == 8 => V_CNT,
        Bswap if lane == 16 => V_REV16,
        Bswap if lane == 32 => V_REV32,
        Bswap if lane == 64 => V_REV64,
        Fadd if number => V_FADD,
        Fsub if number => V_FSUB,
        Fmul if number => V_FMUL,
        Fneg if number => V_FNEG,
        Fabs if number => V_FABS,
        Fma if fused => V_FMA,
        Fminnum if rounding => V_FMINNM,
        Fmaxnum if rounding => V_FMAXNM,
        Ffloor if rounding => V_RINTM,
        Fceil if rounding => V_RINTP,
        Ftrunc if rounding => V_RINTZ,
        Frint if rounding => V_RINTX,
        Fround if rounding => V_RINTA,
        Froundeven if rounding => V_RINTN,
        Sitofp if number => V_CVT_F32_S32,
        Uitofp if number => V_CVT_F32_U32,
        Fptosi if lane == 32 => V_CVT_S32_F32,
        Fptoui if lane == 32 => V_CVT_U32_F32,
        _ => return None,
    })
}

/// See [`has_vector_op`](gusset_codegen::machine::Machine::has_vector_op).
pub(crate) fn has(target: &Arm, op: Opcode, ty: Type) -> bool {
    use Opcode::*;
    let number = ty.lane() == Type::F32;
    target.features.neon
        && (form(target, op, ty).is_some()
            || matches!(op, Icmp | Select | Shl | Lshr | Ashr)
            || matches!(op, Fcmp | Fcopysign) && number)
}

/// Emits an instruction on vectors.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Done {
    use Opcode::*;
    let l = lane(d.ty);
    match d.op {
        Icmp => return compare(cx, d),
        Fcmp => return float_compare(cx, d),
        Shl | Lshr | Ashr => return shift(cx, d),
        Select => return pick(cx, d),
        InsertLane => return insert(cx, d),
        Splat => return splat(cx, d),
        Shuffle => return shuffle(cx, d),
        Fma => {
            let (x, y) = (float(cx, d.a)?, float(cx, d.b)?);
            return change(cx, (d.r, d.c), |cx, dst| asm(cx).vector(V_FMA, l, q(dst), x, y));
        }
        Fcopysign => {
            let y = float(cx, d.b)?;
            return change(cx, (d.r, d.a), |cx, dst| {
                let mut e = asm(cx);
                e.vmov_number(q(QTEMP), 6, false, 0x80);
                e.vector(V_BIT, l, q(dst), y, q(QTEMP));
            });
        }
        _ => {}
    }
    let Some(op) = form(cx.target, d.op, d.ty) else { return not_yet(cx, d) };
    let x = float(cx, d.a)?;
    let y = if op.form.has_two() { float(cx, d.b)? } else { x };
    // Bytes are reversed in what is as wide as the lanes.
    let l = if d.op == Bswap { Lane::B } else { l };
    define(cx, d.r, |cx, dst| {
        let (n, m) = if op.form.has_two() { (x, y) } else { (y, x) };
        asm(cx).vector(op, l, q(dst), n, m);
    })
}

fn compare(cx: &mut Cx<'_>, d: &Node) -> Done {
    use IntCc::*;
    let cc = IntCc::from_u8(d.flags).unwrap_or(Eq);
    let (x, y) = (float(cx, d.a)?, float(cx, d.b)?);
    let l = lane(d.ty);
    let (x, y) = if matches!(cc, Ult | Ule | Slt | Sle) { (y, x) } else { (x, y) };
    if l == Lane::D {
        let dst = cx.def(d.r, 0)?;
        compare_wide(cx, cc, q(dst), x, y);
        return cx.set(d.r, 0, dst);
    }
    define(cx, d.r, |cx, dst| {
        let mut e = asm(cx);
        let op = match cc {
            Eq | Ne => V_CEQ,
            Ugt | Ult | Sgt | Slt => V_CGT.sign(matches!(cc, Ugt | Ult)),
            _ => V_CGE.sign(matches!(cc, Uge | Ule)),
        };
        e.vector(op, l, q(dst), x, y);
        if cc == Ne {
            e.vector(V_MVN, l, q(dst), x, q(dst));
        }
    })
}

/// Lanes of 64 bits, by a difference that stops at the limits: whether `x` is equal, above, or not below.
fn compare_wide(cx: &mut Cx<'_>, cc: IntCc, g: Vreg, x: Vreg, y: Vreg) {
    use IntCc::*;
    let (l, t) = (Lane::D, q(QTEMP));
    let mut e = asm(cx);
    let invert = match cc {
        Sgt | Slt | Sge | Sle => {
            // That of the other order is below zero, or is not.
            let (x, y) = if matches!(cc, Sgt | Slt) { (y, x) } else { (x, y) };
            e.vector(V_QSUB, l, g, x, y);
            e.vshift(V_SHR, l, g, g, 63);
            matches!(cc, Sge | Sle)
        }
        Eq | Ne => {
            e.vector(V_CEQ, Lane::S, g, x, y);
            cc == Ne
        }
        _ => {
            // It is zero if `x` is not above.
            let above = matches!(cc, Ugt | Ult);
            let (x, y) = if above { (x, y) } else { (y, x) };
            e.vector(V_QSUB.sign(true), l, g, x, y);
            e.vmov_number(t, 14, false, 0);
            e.vector(V_CEQ, Lane::S, g, g, t);
            above
        }
    };
    if !matches!(cc, Sgt | Slt | Sge | Sle) {
        e.vector(V_REV64, Lane::S, t, g, g);
        e.vector(V_AND, l, g, g, t);
    }
    if invert {
        e.vector(V_MVN, l, g, g, g);
    }
}

fn float_compare(cx: &mut Cx<'_>, d: &Node) -> Done {
    use FloatCc::*;
    let Some((cc, invert)) = FloatCc::from_u8(d.flags).map(of_numbers) else { return not_yet(cx, d) };
    let (x, y) = (float(cx, d.a)?, float(cx, d.b)?);
    let dst = cx.def(d.r, 0)?;
    let (l, g, t) = (Lane::S, q(dst), q(QTEMP));
    let mut e = asm(cx);
    match cc {
        Oeq => e.vector(V_FCEQ, l, g, x, y),
        Ogt => e.vector(V_FCGT, l, g, x, y),
        Oge => e.vector(V_FCGE, l, g, x, y),
        Olt => e.vector(V_FCGT, l, g, y, x),
        Ole => e.vector(V_FCGE, l, g, y, x),
        One | Ord => {
            e.vector(V_FCGT, l, t, y, x);
            e.vector(if cc == One { V_FCGT } else { V_FCGE }, l, g, x, y);
            e.vector(V_ORR, l, g, g, t);
        }
        _ => e.vmov_number(g, 14, false, if cc == True { 0xff } else { 0 }),
    }
    if invert {
        e.vector(V_MVN, l, g, g, g);
    }
    cx.set(d.r, 0, dst)
}

/// Shifts: by numbers, or lane by lane, to the right as shifts by negative amounts.
fn shift(cx: &mut Cx<'_>, d: &Node) -> Done {
    use Opcode::*;
    let l = lane(d.ty);
    let x = float(cx, d.a)?;
    let unsigned = d.op != Ashr;
    if let Some(n) = uniform_constant(cx.f, d.b) {
        let n = n as u32 % l.bits();
        return define(cx, d.r, |cx, dst| match (d.op, n) {
            (_, 0) => asm(cx).vmov(q(dst), x),
            (Shl, n) => asm(cx).vshift(V_SHL_N, l, q(dst), x, n),
            (_, n) => asm(cx).vshift(V_SHR.sign(unsigned), l, q(dst), x, n),
        });
    }
    let mut y = float(cx, d.b)?;
    if d.op != Shl {
        let (mut e, t) = (asm(cx), q(QTEMP));
        if l == Lane::D {
            e.vmov_number(t, 14, false, 0);
            e.vector(V_SUB, l, t, t, y);
        } else {
            e.vector(V_NEG, l, t, y, y);
        }
        y = t;
    }
    define(cx, d.r, |cx, dst| asm(cx).vector(V_SHL.sign(unsigned), l, q(dst), x, y))
}

/// Lanes of one or the other by a mask.
fn pick(cx: &mut Cx<'_>, d: &Node) -> Done {
    let (x, y) = (float(cx, d.b)?, float(cx, d.c)?);
    change(cx, (d.r, d.a), |cx, dst| asm(cx).vector(V_BSL, Lane::B, q(dst), x, y))
}

/// The half of a vector that a lane is in, and its number there.
fn place(v: Vreg, l: Lane, k: u32) -> (Vreg, u32) {
    let per = 64 / l.bits();
    (v.halves()[(k / per) as usize & 1], k % per)
}

/// A lane as a value.
pub(crate) fn extract(cx: &mut Cx<'_>, d: &Node) -> Done {
    let l = lane(d.ty);
    let Some(k) = lane_number(cx.f, d.b, 128 / l.bits()) else { return not_yet(cx, d) };
    let (x, k) = place(float(cx, d.a)?, l, k.into());
    match (d.ty.is_float(), l) {
        (false, Lane::D) => {
            let dst = define_pair(cx, d.r)?;
            asm(cx).to_pair((gpr(dst.0), gpr(dst.1)), x);
            set_pair(cx, d.r, dst.0, dst.1)
        }
        (false, _) => define(cx, d.r, |cx, dst| asm(cx).get_lane(l, l == Lane::S, gpr(dst), x, k)),
        (true, Lane::D) => define(cx, d.r, |cx, dst| asm(cx).frr(VMOV, vreg(dst, 8), x)),
        // Nothing is in the upper half of the register.
        (true, _) => define(cx, d.r, |cx, dst| asm(cx).dup_lane(l, vreg(dst, 8), x, k)),
    }
}

/// A floating-point operand as all of its register.
fn whole(cx: &mut Cx<'_>, v: gusset_codegen::ir::Value) -> Result<Vreg, gusset_codegen::error::CompileError> {
    Ok(vreg(cx.use_reg(v)?, 8))
}

/// A vector with another lane.
fn insert(cx: &mut Cx<'_>, d: &Node) -> Done {
    let l = lane(d.ty);
    let Some(k) = lane_number(cx.f, d.c, d.ty.lanes()).map(u32::from) else { return not_yet(cx, d) };
    if d.ty.lane().is_float() {
        let x = whole(cx, d.b)?;
        return change(cx, (d.r, d.a), |cx, dst| {
            let ((g, k), mut e) = (place(q(dst), l, k), asm(cx));
            match (l, k) {
                (Lane::D, _) => e.frr(VMOV, g, x),
                // It gets to the half that it is for by shifts that leave the other alone.
                (_, 0) => {
                    let [t, _] = q(QTEMP).halves();
                    e.dup_lane(l, t, x, 0);
                    e.vshift(V_SRI, Lane::D, g, t, 32);
                }
                _ => e.vshift(V_SLI, Lane::D, g, x, 32),
            }
        });
    }
    if l == Lane::D {
        let x = pair(cx, d.b)?;
        return change(cx, (d.r, d.a), |cx, dst| asm(cx).from_pair(place(q(dst), l, k).0, x));
    }
    let x = reg(cx, d.b)?;
    change(cx, (d.r, d.a), |cx, dst| {
        let (g, k) = place(q(dst), l, k);
        asm(cx).set_lane(l, g, k, x);
    })
}

/// All lanes the same.
fn splat(cx: &mut Cx<'_>, d: &Node) -> Done {
    let l = lane(d.ty);
    match (d.ty.lane().is_float(), l) {
        (true, Lane::S) => {
            let x = whole(cx, d.a)?;
            define(cx, d.r, |cx, dst| asm(cx).dup_lane(l, q(dst), x, 0))
        }
        (true, _) => {
            let x = whole(cx, d.a)?;
            define(cx, d.r, |cx, dst| q(dst).halves().into_iter().for_each(|g| asm(cx).frr(VMOV, g, x)))
        }
        (false, Lane::D) => {
            let x = pair(cx, d.a)?;
            define(cx, d.r, |cx, dst| q(dst).halves().into_iter().for_each(|g| asm(cx).from_pair(g, x)))
        }
        _ => {
            let x = reg(cx, d.a)?;
            define(cx, d.r, |cx, dst| asm(cx).dup(l, q(dst), x))
        }
    }
}

/// Lanes of two vectors by a mask: one instruction for the common ones, else tables of bytes.
fn shuffle(cx: &mut Cx<'_>, d: &Node) -> Done {
    let (a, b, m) = Mask::of(cx.f, d);
    let (x, y) = (float(cx, a)?, float(cx, b)?);
    let dst = cx.def(d.r, 0)?;
    let (g, t, n) = (q(dst), q(QTEMP), m.n);
    let l = Lane::ALL[(16 / n).ilog2() as usize & 3];
    let bytes = l.bits() / 8;
    let first = m.lanes().iter().copied().find(|&k| k >= 0).unwrap_or(0) as usize;
    let of = |k: usize| if k < n { (x, k as u32) } else { (y, (k - n) as u32) };
    let pairs = |k: usize| k / 2 + k % 2 * n;
    let mut e = asm(cx);
    // What exchanges lanes of two registers gives two results.
    let both = [
        (V_ZIP, 0, m.is(pairs)),
        (V_ZIP, 1, m.is(|k| n / 2 + pairs(k))),
        (V_UZP, 0, m.is(|k| 2 * k)),
        (V_UZP, 1, m.is(|k| 2 * k + 1)),
        (V_TRN, 0, m.is(|k| k / 2 * 2 + k % 2 * n)),
        (V_TRN, 1, m.is(|k| k / 2 * 2 + 1 + k % 2 * n)),
    ];
    let reversed = [(V_REV64, 8), (V_REV32, 4), (V_REV16, 2)].into_iter().find(|&(_, within)| {
        let per = within as usize / bytes as usize;
        per > 1 && m.is(|k| k / per * per + (per - 1 - k % per))
    });
    if m.is(|k| k) {
        e.vmov(g, x);
    } else if m.n == 2 && !m.any(|k| k == ZERO) {
        for (k, g) in g.halves().into_iter().enumerate() {
            let (from, k) = of(m.lanes()[k].max(0) as usize);
            e.frr(VMOV, g, place(from, l, k).0);
        }
    } else if m.is(|_| first) {
        let (from, k) = of(first);
        let (from, k) = place(from, l, k);
        e.dup_lane(l, g, from, k);
    } else if let Some((op, _)) = reversed {
        e.vector(op, l, g, x, x);
    } else if let Some(&(op, second, _)) = both.iter().find(|row| row.2 && n > 2) {
        e.vmov(g, x);
        e.vmov(t, y);
        e.vector(op, l, g, t, t);
        if second == 1 {
            e.vmov(g, t);
        }
    } else if let Some(from) = (1..n).find(|&from| m.is(|k| k + from)) {
        e.vext(g, x, y, from as u32 * bytes);
    } else {
        // Indices beyond a table give zero, or leave what is there.
        let lanes = m.bytes();
        let table = |second: bool| {
            let index = lanes.lanes().iter().map(|&k| if k >= 0 && (k >= 16) == second { k as u8 % 16 } else { 0xff });
            index.rev().fold(0, |all, byte| all << 8 | u128::from(byte))
        };
        for (op, from, second) in [(V_TBL, x, false), (V_TBX, y, true)] {
            if second && !lanes.any(|k| k >= 16) {
                continue;
            }
            vector(&mut e, t, table(second));
            for (g, index) in g.halves().into_iter().zip(t.halves()) {
                e.vtable(op, g, from.halves()[0], 2, index);
            }
        }
    }
    cx.set(d.r, 0, dst)
}
