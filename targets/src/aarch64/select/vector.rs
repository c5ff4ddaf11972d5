//! Vectors of 16 bytes.

use gusset_codegen::ir::{Opcode, Type};

use super::operand::*;
use crate::aarch64::encode::ops::*;
use crate::aarch64::machine::{gpr, vreg};
use crate::aarch64::reg::Lanes;
use crate::shared::lanes::lane_number;

/// How an operation on vectors is done.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// Of two vectors of integers.
    Ints(Vrrr),
    /// Of two of bits.
    Bits(Vlogic),
    /// Two vectors of floating-point numbers.
    Floats(Vfrrr),
    /// One vector of bytes.
    Bytes(Vbytes),
    /// One vector of integers.
    Int(Vrr),
    /// Neighbours in a vector of integers.
    Pairs(VaddPairs),
    /// One vector of floating-point numbers, or a conversion.
    Float(Vfrr),
}

/// The instruction for an operation, if one instruction does it.
pub(super) fn form(op: Opcode, ty: Type) -> Option<Form> {
    use Opcode::*;
    let (lane, float) = (ty.lane_bits(), ty.lane().is_float());
    let narrow = lane < 64;
    Some(match op {
        And => Form::Bits(V_AND),
        Or => Form::Bits(V_ORR),
        Xor => Form::Bits(V_EOR),
        Iadd => Form::Ints(V_ADD),
        Isub => Form::Ints(V_SUB),
        Imul if narrow => Form::Ints(V_MUL),
        Smin if narrow => Form::Ints(V_SMIN),
        Smax if narrow => Form::Ints(V_SMAX),
        Umin if narrow => Form::Ints(V_UMIN),
        Umax if narrow => Form::Ints(V_UMAX),
        UaddSat => Form::Ints(V_UQADD),
        UsubSat => Form::Ints(V_UQSUB),
        SaddSat => Form::Ints(V_SQADD),
        SsubSat => Form::Ints(V_SQSUB),
        Iabs => Form::Int(V_ABS),
        Ctlz if narrow => Form::Int(V_CLZ),
        Ctpop => Form::Int(V_CNT),
        Bswap if lane == 16 => Form::Int(V_REV16),
        Bswap if lane == 32 => Form::Int(V_REV32),
        Bswap if lane == 64 => Form::Int(V_REV64),
        Fadd => Form::Floats(V_FADD),
        Fsub => Form::Floats(V_FSUB),
        Fmul => Form::Floats(V_FMUL),
        Fdiv => Form::Floats(V_FDIV),
        Fminnum => Form::Floats(V_FMINNM),
        Fmaxnum => Form::Floats(V_FMAXNM),
        Fneg => Form::Float(V_FNEG),
        Fabs => Form::Float(V_FABS),
        Fsqrt => Form::Float(V_FSQRT),
        Ffloor => Form::Float(V_FRINTM),
        Fceil => Form::Float(V_FRINTP),
        Ftrunc => Form::Float(V_FRINTZ),
        Frint => Form::Float(V_FRINTX),
        Fnearbyint => Form::Float(V_FRINTI),
        Fround => Form::Float(V_FRINTA),
        Froundeven => Form::Float(V_FRINTN),
        Sitofp if float => Form::Float(V_SCVTF),
        Uitofp if float => Form::Float(V_UCVTF),
        Fptosi if lane >= 32 => Form::Float(V_FCVTZS),
        Fptoui if lane >= 32 => Form::Float(V_FCVTZU),
        _ => return None,
    })
}

/// See [`has_vector_op`](gusset_codegen::machine::Machine::has_vector_op).
pub(crate) fn has(op: Opcode, ty: Type) -> bool {
    use Opcode::*;
    form(op, ty).is_some()
        || matches!(op, Icmp | Fcmp | Select | Fma)
        || matches!(op, Shl | Lshr | Ashr)
        || matches!(op, Fcopysign)
}

/// The lanes of a type, or of vectors of that type.
fn lanes(ty: Type) -> Lanes {
    Lanes::of(ty.lane_bits().max(8) / 8)
}

/// A lane as a value.
pub(crate) fn extract(cx: &mut Cx<'_>, d: &Node) -> Result {
    let l = lanes(d.ty);
    let Some(lane) = lane_number(cx.f, d.b, 16 >> l.size()).map(u32::from) else { return not_yet(cx, d) };
    let x = float(cx, d.a)?;
    define(cx, d.r, |cx, dst| {
        let mut e = asm(cx);
        match d.ty.is_float() {
            true if lane == 0 => e.vmov(vreg(dst), x),
            true => e.dup_lane(l, vreg(dst), x, lane),
            false => e.umov(l, gpr(dst), x, lane),
        }
    })
}

/// A vector with another lane.
pub(crate) fn insert(cx: &mut Cx<'_>, d: &Node) -> Result {
    let l = lanes(d.ty);
    let Some(lane) = lane_number(cx.f, d.c, d.ty.lanes()).map(u32::from) else { return not_yet(cx, d) };
    if d.ty.lane().is_float() {
        let x = float(cx, d.b)?;
        return change(cx, (d.r, d.a), |cx, dst| {
            asm(cx).insert_lane(l, vreg(dst), lane, x, 0);
        });
    }
    let x = reg_or_zero(cx, d.b)?;
    change(cx, (d.r, d.a), |cx, dst| {
        asm(cx).insert(l, vreg(dst), lane, x);
    })
}

/// All lanes the same.
pub(crate) fn splat(cx: &mut Cx<'_>, d: &Node) -> Result {
    let l = lanes(d.ty);
    if d.ty.lane().is_float() {
        let x = float(cx, d.a)?;
        return define(cx, d.r, |cx, dst| asm(cx).dup_lane(l, vreg(dst), x, 0));
    }
    let x = reg_or_zero(cx, d.a)?;
    define(cx, d.r, |cx, dst| asm(cx).dup(l, vreg(dst), x))
}
