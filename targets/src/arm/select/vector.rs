//! Vectors of 16 bytes, which NEON has. Lanes that are floating-point numbers of 64 bits are computed one at a time.

use gusset_codegen::ir::{IntCc, Opcode, Type};
use gusset_codegen::machine::PReg;

use super::operand::*;
use crate::arm::encode::neon::*;
use crate::arm::encode::ops::VMOV;
use crate::arm::machine::{Arm, gpr, vreg};
use crate::arm::reg::{Lane, Vreg};
use crate::arm::registers::QTEMP;
use crate::shared::lanes::lane_number;

/// The vector register with an allocator's number.
pub(crate) fn q(r: PReg) -> Vreg {
    vreg(r, 16)
}

/// The lanes of a type, or of vectors of it.
pub(crate) fn lane(ty: Type) -> Lane {
    Lane::of(ty.lane_bits().max(8) / 8)
}

/// The instruction for an operation, if one instruction does it.
pub(super) fn form(target: &Arm, op: Opcode, ty: Type) -> Option<Vop> {
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
        Ctpop => V_CNT,
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

/// Compares lanes of 64 bits, with a saturating difference: whether `x` is equal, above, or not below.
pub(super) fn compare_wide(cx: &mut Cx<'_>, d: &Node) -> Result {
    use IntCc::*;
    let cc = IntCc::from_u8(d.flags).unwrap_or(Eq);
    let (x, y) = (float(cx, d.a)?, float(cx, d.b)?);
    let (x, y) = if matches!(cc, Ult | Ule | Slt | Sle) { (y, x) } else { (x, y) };
    let dst = cx.def(d.r, 0)?;
    let (l, g, t) = (Lane::D, q(dst), q(QTEMP));
    let mut e = asm(cx);
    let invert = match cc {
        Sgt | Slt | Sge | Sle => {
            // The difference in the other order is below zero, or is not.
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
    cx.set(d.r, 0, dst)
}

/// The half of a vector that a lane is in, and its index there.
pub(super) fn place(v: Vreg, l: Lane, k: u32) -> (Vreg, u32) {
    let per = 64 / l.bits();
    (v.halves()[(k / per) as usize & 1], k % per)
}

/// A lane as a value.
pub(crate) fn extract(cx: &mut Cx<'_>, d: &Node) -> Result {
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

/// A floating-point operand as a whole register.
fn whole(cx: &mut Cx<'_>, v: gusset_codegen::ir::Value) -> Result<Vreg> {
    Ok(vreg(cx.use_reg(v)?, 8))
}

/// A vector with another lane.
pub(crate) fn insert(cx: &mut Cx<'_>, d: &Node) -> Result {
    let l = lane(d.ty);
    let Some(k) = lane_number(cx.f, d.c, d.ty.lanes()).map(u32::from) else { return not_yet(cx, d) };
    if d.ty.lane().is_float() {
        let x = whole(cx, d.b)?;
        return change(cx, (d.r, d.a), |cx, dst| {
            let ((g, k), mut e) = (place(q(dst), l, k), asm(cx));
            match (l, k) {
                (Lane::D, _) => e.frr(VMOV, g, x),
                // Shifts that leave the other half alone bring it to its half.
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

/// Copies a value to all lanes.
pub(crate) fn splat(cx: &mut Cx<'_>, d: &Node) -> Result {
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
