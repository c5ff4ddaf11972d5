//! Floating-point arithmetic and conversions.

use gusset_codegen::error::Result;
use gusset_codegen::ir::{Opcode, Type, Value};
use gusset_codegen::machine::PartKind;

use super::operand::*;
use crate::arm::encode::ops::*;
use crate::arm::machine::vreg;
use crate::arm::reg::{Flags, IP, Vreg};
use crate::arm::registers::VTEMP;

/// The temporary as a register of 32 bits.
const TEMP32: Vreg = Vreg::S(VTEMP.num());

/// Emits an instruction on `f32` or `f64`.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Result {
    use Opcode::*;
    if matches!(d.op, Fneg | Fabs | Fcopysign) && !cx.target.has_floats(d.ty) {
        return sign(cx, d);
    }
    match d.op {
        Fadd | Fsub => sum(cx, d),
        Fmul => product(cx, d),
        Fdiv => binary(cx, d, VDIV),
        Fneg => unary(cx, d, VNEG),
        Fabs => unary(cx, d, VABS),
        Fsqrt => unary(cx, d, VSQRT),
        Fminnum => binary(cx, d, VMINNM),
        Fmaxnum => binary(cx, d, VMAXNM),
        Ffloor => unary(cx, d, VRINTM),
        Fceil => unary(cx, d, VRINTP),
        Ftrunc => unary(cx, d, VRINTZ),
        Frint => unary(cx, d, VRINTX),
        Fnearbyint => unary(cx, d, VRINTR),
        Fround => unary(cx, d, VRINTA),
        Froundeven => unary(cx, d, VRINTN),
        Fma => {
            let (x, y) = (float(cx, d.a)?, float(cx, d.b)?);
            let bytes = d.ty.store_bytes();
            change(cx, (d.r, d.c), |cx, dst| asm(cx).frrr(VFMA, vreg(dst, bytes), x, y))
        }
        Fcopysign => sign(cx, d),
        Fpext | Fptrunc => resize(cx, d),
        _ => not_yet(cx, d),
    }
}

fn binary(cx: &mut Cx<'_>, d: &Node, op: Frrr) -> Result {
    let (x, y) = (float(cx, d.a)?, float(cx, d.b)?);
    define(cx, d.r, |cx, dst| asm(cx).frrr(op, vreg(dst, d.ty.store_bytes()), x, y))
}

/// A sum or difference, perhaps with a deferred product; both are rounded.
fn sum(cx: &mut Cx<'_>, d: &Node) -> Result {
    let adds = d.op == Opcode::Fadd;
    let product = |cx: &Cx<'_>, v: Value| cx.deferred(v).filter(|&i| cx.f.inst(i).op == Opcode::Fmul);
    // The instructions for the product and for its negative.
    let (i, other, ops) = match (product(cx, d.b), product(cx, d.a)) {
        (Some(i), _) => (i, d.a, if adds { [VMLA, VMLS] } else { [VMLS, VMLA] }),
        (None, Some(i)) => (i, d.b, if adds { [VMLA, VMLS] } else { [VNMLS, VNMLA] }),
        _ => return binary(cx, d, if adds { VADD } else { VSUB }),
    };
    // Other deferred operands are computed first.
    if let Some(i) = cx.deferred(other) {
        cx.emit_deferred(i)?;
    }
    let (m, bytes) = (Node::of(cx.f, i), d.ty.store_bytes());
    let (x, y, negated) = cx.nested(|cx| factors(cx, &m))?;
    change(cx, (d.r, other), |cx, dst| asm(cx).frrr(ops[usize::from(negated)], vreg(dst, bytes), x, y))
}

/// The factors of a deferred product without their changes of sign, and whether these change the product's sign.
fn factors(cx: &mut Cx<'_>, d: &Node) -> Result<(Vreg, Vreg, bool)> {
    let mut negated = false;
    let mut factor = |cx: &mut Cx<'_>, v: Value| match cx.deferred(v).filter(|&i| cx.f.inst(i).op == Opcode::Fneg) {
        Some(i) => {
            negated = !negated;
            let inner = Value(cx.f.inst(i).a);
            cx.nested(|cx| float(cx, inner))
        }
        None => float(cx, v),
    };
    let (x, y) = (factor(cx, d.a)?, factor(cx, d.b)?);
    Ok((x, y, negated))
}

fn product(cx: &mut Cx<'_>, d: &Node) -> Result {
    let (x, y, negated) = factors(cx, d)?;
    let op = if negated { VNMUL } else { VMUL };
    define(cx, d.r, |cx, dst| asm(cx).frrr(op, vreg(dst, d.ty.store_bytes()), x, y))
}

fn unary(cx: &mut Cx<'_>, d: &Node, op: Frr) -> Result {
    let x = float(cx, d.a)?;
    define(cx, d.r, |cx, dst| asm(cx).frr(op, vreg(dst, d.ty.store_bytes()), x))
}

/// Operations on the sign, which is the highest bit of the last word.
fn sign(cx: &mut Cx<'_>, d: &Node) -> Result {
    let (kind, parts) = cx.target_parts(d.ty);
    let bit = cx.target.isa.power(31);
    let k = Flags::Keep;
    // In registers of floating-point numbers, the last half.
    let last = |r: gusset_codegen::machine::PReg| Vreg::S(r.num() + (kind.bytes() / 8) as u8);
    if d.op == Opcode::Fcopysign {
        let y = cx.use_part(d.b, parts - 1)?;
        let mut e = asm(cx);
        if kind.is_float() {
            e.to_gpr(IP, last(y))
        } else {
            e.mov(IP, gpr(y))
        }
        e.data(AND, k, IP, IP, bit);
    }
    if parts > 1 {
        guard(cx, &[d.a])?;
    }
    let mut to = [gusset_codegen::machine::PReg::default(); 2];
    for part in 0..parts {
        to[part as usize] = cx.def_reusing(d.r, d.a, part)?;
    }
    let dst = to[parts as usize - 1];
    let mut e = asm(cx);
    let t = if kind.is_float() { e.temp() } else { gpr(dst) };
    if kind.is_float() {
        e.to_gpr(t, last(dst));
    }
    match d.op {
        Opcode::Fneg => e.data(EOR, k, t, t, bit),
        _ => e.data(BIC, k, t, t, bit),
    }
    if d.op == Opcode::Fcopysign {
        e.data(ORR, k, t, t, IP);
    }
    if kind.is_float() {
        e.from_gpr(last(dst), t);
    }
    (0..parts).try_for_each(|part| cx.set(d.r, part, to[part as usize]))
}

fn resize(cx: &mut Cx<'_>, d: &Node) -> Result {
    let from = cx.ty(d.a);
    let to = d.ty;
    let x = float(cx, d.a)?;
    let op = match (from, to) {
        (Type::F32, Type::F64) => VCVT_F64_F32,
        (Type::F64, Type::F32) => VCVT_F32_F64,
        (Type::F16, Type::F32 | Type::F64) => VCVT_F32_F16,
        (Type::F32, Type::F16) => VCVT_F16_F32,
        (Type::F64, Type::F16) => VCVT_F16_F64,
        _ => return not_yet(cx, d),
    };
    define(cx, d.r, |cx, dst| {
        let (single, mut e) = (vreg(dst, 4), asm(cx));
        e.fconvert(op, if op == VCVT_F64_F32 { vreg(dst, 8) } else { single }, x);
        if (from, to) == (Type::F16, Type::F64) {
            e.fconvert(VCVT_F64_F32, vreg(dst, 8), single);
        }
    })
}

/// Integer to floating point.
pub(crate) fn from_int(cx: &mut Cx<'_>, d: &Node, signed: bool) -> Result {
    let x = extended(cx, d.a, signed)?;
    define(cx, d.r, |cx, dst| {
        let mut e = asm(cx);
        e.from_gpr(TEMP32, x);
        e.from_int(if signed { VCVT_FROM_S32 } else { VCVT_FROM_U32 }, vreg(dst, d.ty.store_bytes()), TEMP32);
    })
}

/// Floating point to integer.
pub(crate) fn to_int(cx: &mut Cx<'_>, d: &Node, signed: bool) -> Result {
    let x = float(cx, d.a)?;
    define(cx, d.r, |cx, dst| {
        // A value out of a narrow type's range is poison.
        let mut e = asm(cx);
        e.to_int(if signed { VCVT_S32 } else { VCVT_U32 }, TEMP32, x);
        e.to_gpr(gpr(dst), TEMP32);
    })
}

/// The same bits as another type.
pub(crate) fn bitcast(cx: &mut Cx<'_>, d: &Node) -> Result {
    let a = d.a;
    let ((to, parts), (from, from_parts)) = (cx.target_parts(d.ty), cx.target_parts(cx.ty(a)));
    match (to.is_float(), from.is_float()) {
        _ if to.is_memory() || from.is_memory() => return not_yet(cx, d),
        (false, false) | (true, true) => return crate::shared::results::copy(cx, d.r, d.a),
        (true, false) if from_parts == 2 => {
            let (low, high) = pair(cx, a)?;
            let dst = cx.def(d.r, 0)?;
            asm(cx).from_pair(vreg(dst, 8), (low, high));
            return cx.set(d.r, 0, dst);
        }
        (false, true) if parts == 2 => {
            let x = float(cx, a)?;
            let dst = define_pair(cx, d.r)?;
            asm(cx).to_pair((gpr(dst.0), gpr(dst.1)), x);
            return set_pair(cx, d.r, dst.0, dst.1);
        }
        _ => {}
    }
    let x = cx.use_reg(a)?;
    define(cx, d.r, |cx, dst| cx.target_move(if to.is_float() { to } else { PartKind::I32 }, dst, x))
}
