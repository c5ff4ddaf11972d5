//! Floating-point arithmetic and conversions.

use gusset_codegen::ir::{Opcode, Type};
use gusset_codegen::machine::PartKind;

use super::operand::*;
use crate::aarch64::encode::ops::*;
use crate::aarch64::encode::{Asm, TEMP};
use crate::aarch64::machine::{gpr, vreg, width};
use crate::aarch64::reg::{Cond, Fp, Gpr, Lanes, Shift, Vreg, Width, ZR};
use crate::aarch64::registers::VTEMP;

/// Emits an instruction on `f32` or `f64`.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Result {
    use Opcode::*;
    match d.op {
        Fadd => binary(cx, d, FADD),
        Fsub => binary(cx, d, FSUB),
        Fmul => binary(cx, d, FMUL),
        Fdiv => binary(cx, d, FDIV),
        Fminnum => binary(cx, d, FMINNM),
        Fmaxnum => binary(cx, d, FMAXNM),
        Fneg => unary(cx, d, FNEG),
        Fabs => unary(cx, d, FABS),
        Fsqrt => unary(cx, d, FSQRT),
        Ffloor => unary(cx, d, FRINTM),
        Fceil => unary(cx, d, FRINTP),
        Ftrunc => unary(cx, d, FRINTZ),
        Frint => unary(cx, d, FRINTX),
        Fnearbyint => unary(cx, d, FRINTI),
        Fround => unary(cx, d, FRINTA),
        Froundeven => unary(cx, d, FRINTN),
        Fma => {
            let (x, y) = (float(cx, d.a)?, float(cx, d.b)?);
            let z = float(cx, d.c)?;

            define(cx, d.r, |cx, dst| asm(cx).frrrr(FMADD, format(d.ty), vreg(dst), (x, y), z))
        }
        Fcopysign => copy_sign(cx, d),
        Fpext | Fptrunc => resize(cx, d),
        _ => not_yet(cx, d),
    }
}

fn binary(cx: &mut Cx<'_>, d: &Node, op: Frrr) -> Result {
    let (x, y) = (float(cx, d.a)?, float(cx, d.b)?);
    define(cx, d.r, |cx, dst| asm(cx).frrr(op, format(d.ty), vreg(dst), x, y))
}

fn unary(cx: &mut Cx<'_>, d: &Node, op: Frr) -> Result {
    let x = float(cx, d.a)?;
    define(cx, d.r, |cx, dst| asm(cx).frr(op, format(d.ty), vreg(dst), x))
}

/// The magnitude of one value with the sign of the other.
fn copy_sign(cx: &mut Cx<'_>, d: &Node) -> Result {
    let y = float(cx, d.b)?;
    if cx.target.features.no_neon {
        let (x, t) = (float(cx, d.a)?, temp(cx)?);
        let (w, last) = if d.ty == Type::F64 { (Width::X, 63) } else { (Width::W, 31) };
        return define(cx, d.r, |cx, dst| {
            let mut e = asm(cx);
            e.to_int(FMOV_TO_INT, w, format(d.ty), TEMP, y);
            e.to_int(FMOV_TO_INT, w, format(d.ty), t, x);
            e.bitfield(BFM, w, TEMP, t, (0, last - 1));
            e.from_int(FMOV_FROM_INT, w, format(d.ty), vreg(dst), TEMP);
        });
    }
    change(cx, (d.r, d.a), |cx, dst| {
        let sign = vreg(VTEMP);
        let mut e = asm(cx);
        // Minus zero only has the sign bit.
        e.movi(true, 0b01110, 0, sign);
        e.vfrr(V_FNEG, if d.ty == Type::F64 { Lanes::D2 } else { Lanes::S4 }, sign, sign);
        e.vlogic(V_BIT, true, vreg(dst), y, sign);
    })
}

fn resize(cx: &mut Cx<'_>, d: &Node) -> Result {
    let from = cx.ty(d.a);
    let x = float(cx, d.a)?;
    if from == Type::BF16 {
        // It is the upper half of an `f32`.
        let neon = !cx.target.features.no_neon;
        return define(cx, d.r, |cx, dst| {
            let g = vreg(dst);
            let mut e = asm(cx);
            if neon {
                e.vshift_long(V_USHLL, Lanes::H4, g, x, 0);
                e.vshift(V_SHL, Lanes::S4, g, g, 16);
            } else {
                e.to_int(FMOV_TO_INT, Width::W, Fp::S, TEMP, x);
                e.shift_ri(Shift::Lsl, Width::W, TEMP, TEMP, 16);
                e.from_int(FMOV_FROM_INT, Width::W, Fp::S, g, TEMP);
            }
            if d.ty == Type::F64 {
                e.fconvert(Fp::D, Fp::S, g, g);
            }
        });
    }
    if d.ty == Type::BF16 {
        return round_to_bfloat(cx, d, from);
    }
    define(cx, d.r, |cx, dst| asm(cx).fconvert(format(d.ty), format(from), vreg(dst), x))
}

/// An `f64` as the bits of an `f32`: of the two next to it the odd one, so that rounding that again is like rounding
/// once. `u` is changed.
fn bits_rounded_to_odd(e: &mut Asm<'_>, t: Gpr, u: Gpr, x: Vreg) {
    let (w, near) = (Width::W, vreg(VTEMP));
    e.fconvert(Fp::S, Fp::D, near, x);
    e.to_int(FMOV_TO_INT, w, Fp::S, t, near);
    e.fconvert(Fp::D, Fp::S, near, near);
    e.to_int(FMOV_TO_INT, Width::X, Fp::D, u, x);
    e.to_int(FMOV_TO_INT, Width::X, Fp::D, TEMP, near);
    // The bits of numbers with the same sign are ordered by magnitude.
    e.add_rr(SUBS, Width::X, ZR, TEMP, u);
    e.add_ri(SUB, w, TEMP, t, 1);
    e.choice(CSEL, w, t, (TEMP, t), Cond::Hi);
    e.logic_number(ORR, w, TEMP, t, 1);
    e.choice(CSEL, w, t, (TEMP, t), Cond::Ne);
}

/// Rounds to the nearest bfloat16, ties to even.
fn round_to_bfloat(cx: &mut Cx<'_>, d: &Node, from: Type) -> Result {
    let x = float(cx, d.a)?;
    let (t, u) = (temp(cx)?, temp(cx)?);
    let dst = cx.def(d.r, 0)?;
    let (w, mut e) = (Width::W, asm(cx));
    let (nan, done) = (e.buf.new_label(), e.buf.new_label());
    if from == Type::F64 {
        bits_rounded_to_odd(&mut e, t, u, x);
    } else {
        e.to_int(FMOV_TO_INT, w, Fp::S, t, x);
    }
    e.fcompare(FCMP, format(from), x, x);
    e.b_if(Cond::Vs, nan);
    e.bitfield(UBFM, w, u, t, (16, 16));
    e.mov_number(w, TEMP, 0x7fff);
    e.add_rr(ADD, w, t, t, u);
    e.add_rr(ADD, w, t, t, TEMP);
    e.shift_ri(Shift::Lsr, w, t, t, 16);
    e.b(done);
    e.buf.bind(nan);
    e.shift_ri(Shift::Lsr, w, t, t, 16);
    e.logic_number(ORR, w, t, t, 0x40);
    e.buf.bind(done);
    e.from_int(FMOV_FROM_INT, w, Fp::S, vreg(dst), t);
    cx.set(d.r, 0, dst)
}

/// Integer to floating point.
pub(crate) fn from_int(cx: &mut Cx<'_>, d: &Node, signed: bool) -> Result {
    let from = cx.ty(d.a);
    let x = extended(cx, d.a, signed)?;
    define(cx, d.r, |cx, dst| {
        asm(cx).from_int(if signed { SCVTF } else { UCVTF }, width(from), format(d.ty), vreg(dst), x);
    })
}

/// Floating point to integer.
pub(crate) fn to_int(cx: &mut Cx<'_>, d: &Node, signed: bool) -> Result {
    let ty = format(cx.ty(d.a));
    let x = float(cx, d.a)?;
    define(cx, d.r, |cx, dst| {
        // A value out of a narrow type's range is poison.
        asm(cx).to_int(if signed { FCVTZS } else { FCVTZU }, width(d.ty), ty, gpr(dst), x);
    })
}

/// Operations on the bits of binary128, for which there is no arithmetic: its sign is the highest bit.
pub(crate) fn soft(cx: &mut Cx<'_>, d: &Node) -> Result {
    let w = Width::X;
    let dst = match d.op {
        Opcode::Fneg | Opcode::Fabs => {
            let dst = cx.def_reusing(d.r, d.a, 0)?;
            asm(cx).high_to_int(TEMP, vreg(dst));
            dst
        }
        Opcode::Fcopysign => {
            let y = float(cx, d.b)?;
            let t = temp(cx)?;
            return change(cx, (d.r, d.a), |cx, dst| {
                let mut e = asm(cx);
                e.high_to_int(TEMP, y);
                e.high_to_int(t, vreg(dst));
                e.bitfield(BFM, w, TEMP, t, (0, 62));
                e.high_from_int(vreg(dst), TEMP);
            });
        }
        _ => return not_yet(cx, d),
    };
    let (op, mask) = if d.op == Opcode::Fneg { (EOR, 1 << 63) } else { (AND, !(1 << 63)) };
    let mut e = asm(cx);
    e.logic_number(op, w, TEMP, TEMP, mask);
    e.high_from_int(vreg(dst), TEMP);
    cx.set(d.r, 0, dst)
}

/// The same bits as another type.
pub(crate) fn bitcast(cx: &mut Cx<'_>, d: &Node) -> Result {
    let a = d.a;
    let ((to, parts), (from, from_parts)) = (cx.target_parts(d.ty), cx.target_parts(cx.ty(a)));
    match (to.is_float(), from.is_float()) {
        (false, false) | (true, true) => return crate::shared::results::copy(cx, d.r, d.a),
        (true, false) if from_parts == 2 => {
            let (low, high) = pair(cx, a)?;
            let dst = cx.def(d.r, 0)?;
            let mut e = asm(cx);
            e.from_int(FMOV_FROM_INT, Width::X, Fp::D, vreg(dst), low);
            e.high_from_int(vreg(dst), high);
            return cx.set(d.r, 0, dst);
        }
        (false, true) if parts == 2 => {
            let x = float(cx, a)?;
            let dst = define_pair(cx, d.r)?;
            let mut e = asm(cx);
            e.to_int(FMOV_TO_INT, Width::X, Fp::D, gpr(dst.0), x);
            e.high_to_int(gpr(dst.1), x);
            return set_pair(cx, d.r, dst.0, dst.1);
        }
        _ => {}
    }
    // Vectors of eight bytes and less do not occur here.
    let kind = if to == PartKind::V128 || from == PartKind::V128 { return not_yet(cx, d) } else { to };
    let x = cx.use_reg(a)?;
    define(cx, d.r, |cx, dst| {
        cx.target_move(kind, dst, x);
    })
}
