//! Floating-point arithmetic and conversions.

use gusset_codegen::ir::{Inst, InstData, Opcode, Type, Value};
use gusset_codegen::machine::PartKind;

use super::int::extended_constant;
use super::operand::*;
use crate::aarch64::encode::TEMP;
use crate::aarch64::encode::ops::*;
use crate::aarch64::machine::{gpr, vreg, width};
use crate::aarch64::reg::{Fp, Lanes, Shift, Width};
use crate::aarch64::registers::VTEMP;

/// The format of a scalar type.
pub(crate) fn format(ty: Type) -> Fp {
    match ty {
        Type::F64 => Fp::D,
        Type::F16 | Type::BF16 => Fp::H,
        _ => Fp::S,
    }
}

/// Emits an instruction on `f32` or `f64`.
pub(crate) fn select(cx: &mut Cx<'_>, i: Inst) -> Done {
    use Opcode::*;
    let d = *cx.f.inst(i);
    match d.op {
        Fadd => binary(cx, i, &d, FADD),
        Fsub => binary(cx, i, &d, FSUB),
        Fmul => binary(cx, i, &d, FMUL),
        Fdiv => binary(cx, i, &d, FDIV),
        Fminnum => binary(cx, i, &d, FMINNM),
        Fmaxnum => binary(cx, i, &d, FMAXNM),
        Fneg => unary(cx, i, &d, FNEG),
        Fabs => unary(cx, i, &d, FABS),
        Fsqrt => unary(cx, i, &d, FSQRT),
        Ffloor => unary(cx, i, &d, FRINTM),
        Fceil => unary(cx, i, &d, FRINTP),
        Ftrunc => unary(cx, i, &d, FRINTZ),
        Frint => unary(cx, i, &d, FRINTX),
        Fnearbyint => unary(cx, i, &d, FRINTI),
        Fround => unary(cx, i, &d, FRINTA),
        Froundeven => unary(cx, i, &d, FRINTN),
        Fma => {
            let (x, y) = (float(cx, Value(d.a))?, float(cx, Value(d.b))?);
            let z = float(cx, Value(d.c))?;
            let r = result(cx, i);
            let dst = define(cx, r)?;
            asm(cx).frrrr(FMADD, format(d.ty), vreg(dst), (x, y), z);
            cx.set(r, 0, dst)
        }
        Fcopysign => copy_sign(cx, i, &d),
        Fpext | Fptrunc => resize(cx, i, &d),
        _ => not_yet(cx, i),
    }
}

fn binary(cx: &mut Cx<'_>, i: Inst, d: &InstData, op: Frrr) -> Done {
    let (x, y) = (float(cx, Value(d.a))?, float(cx, Value(d.b))?);
    let r = result(cx, i);
    let dst = define(cx, r)?;
    asm(cx).frrr(op, format(d.ty), vreg(dst), x, y);
    cx.set(r, 0, dst)
}

fn unary(cx: &mut Cx<'_>, i: Inst, d: &InstData, op: Frr) -> Done {
    let x = float(cx, Value(d.a))?;
    let r = result(cx, i);
    let dst = define(cx, r)?;
    asm(cx).frr(op, format(d.ty), vreg(dst), x);
    cx.set(r, 0, dst)
}

/// Magnitude of one, sign of the other.
fn copy_sign(cx: &mut Cx<'_>, i: Inst, d: &InstData) -> Done {
    let r = result(cx, i);
    let y = float(cx, Value(d.b))?;
    let dst = cx.def_reusing(r, Value(d.a), 0)?;
    let sign = vreg(VTEMP);
    let mut e = asm(cx);
    // Minus zero is the sign alone.
    e.movi(true, 0b01110, 0, sign);
    e.vfrr(V_FNEG, if d.ty == Type::F64 { Lanes::D2 } else { Lanes::S4 }, sign, sign);
    e.vlogic(V_BIT, true, vreg(dst), y, sign);
    cx.set(r, 0, dst)
}

fn resize(cx: &mut Cx<'_>, i: Inst, d: &InstData) -> Done {
    let from = cx.ty(Value(d.a));
    let r = result(cx, i);
    let x = float(cx, Value(d.a))?;
    if from == Type::BF16 {
        // It is the upper half of an `f32`.
        let dst = define(cx, r)?;
        let g = vreg(dst);
        let mut e = asm(cx);
        e.vshift_long(V_USHLL, Lanes::H4, g, x, 0);
        e.vshift(V_SHL, Lanes::S4, g, g, 16);
        if d.ty == Type::F64 {
            e.fconvert(Fp::D, Fp::S, g, g);
        }
        return cx.set(r, 0, dst);
    }
    if d.ty == Type::BF16 {
        return round_to_bfloat(cx, i, from);
    }
    let dst = define(cx, r)?;
    asm(cx).fconvert(format(d.ty), format(from), vreg(dst), x);
    cx.set(r, 0, dst)
}

/// To the nearest bfloat16, of two the even one.
fn round_to_bfloat(cx: &mut Cx<'_>, i: Inst, from: Type) -> Done {
    if from != Type::F32 {
        return not_yet(cx, i);
    }
    let r = result(cx, i);
    let x = float(cx, Value(cx.f.inst(i).a))?;
    let (t, u) = (temp(cx)?, temp(cx)?);
    let dst = cx.def(r, 0)?;
    let (w, mut e) = (Width::W, asm(cx));
    let (nan, done) = (e.buf.new_label(), e.buf.new_label());
    e.to_int(FMOV_TO_INT, w, Fp::S, t, x);
    e.fcompare(FCMP, Fp::S, x, x);
    e.b_if(crate::aarch64::reg::Cond::Vs, nan);
    e.bitfield(UBFM, w, u, t, (16, 16));
    e.mov_number(w, TEMP, 0x7fff);
    e.add_rr(ADD, w, t, t, u);
    e.add_rr(ADD, w, t, t, TEMP);
    e.shift_ri(Shift::Lsr, w, t, t, 16);
    e.b(done);
    e.buf.bind(nan);
    e.shift_ri(Shift::Lsr, w, t, t, 16);
    if let Some(field) = crate::aarch64::encode::logical_immediate(w, 0x40) {
        e.logic_ri(ORR, w, t, t, field);
    }
    e.buf.bind(done);
    e.from_int(FMOV_FROM_INT, w, Fp::S, vreg(dst), t);
    cx.set(r, 0, dst)
}

/// Integer to floating point.
pub(crate) fn from_int(cx: &mut Cx<'_>, i: Inst, signed: bool) -> Done {
    let d = *cx.f.inst(i);
    let r = result(cx, i);
    let from = cx.ty(Value(d.a));
    let x = extended_constant(cx, Value(d.a), signed)?;
    let dst = define(cx, r)?;
    asm(cx).from_int(if signed { SCVTF } else { UCVTF }, width(from), format(d.ty), vreg(dst), x);
    cx.set(r, 0, dst)
}

/// Floating point to integer.
pub(crate) fn to_int(cx: &mut Cx<'_>, i: Inst, signed: bool) -> Done {
    let d = *cx.f.inst(i);
    let r = result(cx, i);
    let ty = format(cx.ty(Value(d.a)));
    let x = float(cx, Value(d.a))?;
    let dst = define(cx, r)?;
    // What is out of a narrow type's range is poison.
    asm(cx).to_int(if signed { FCVTZS } else { FCVTZU }, width(d.ty), ty, gpr(dst), x);
    cx.set(r, 0, dst)
}

/// What is done to the bits of binary128, which has no arithmetic here: its sign is the highest bit.
pub(crate) fn soft(cx: &mut Cx<'_>, i: Inst) -> Done {
    let d = *cx.f.inst(i);
    let r = result(cx, i);
    let w = Width::X;
    let dst = match d.op {
        Opcode::Fneg | Opcode::Fabs => {
            let dst = cx.def_reusing(r, Value(d.a), 0)?;
            asm(cx).umov(Lanes::D2, TEMP, vreg(dst), 1);
            dst
        }
        Opcode::Fcopysign => {
            let y = float(cx, Value(d.b))?;
            let t = temp(cx)?;
            let dst = cx.def_reusing(r, Value(d.a), 0)?;
            let mut e = asm(cx);
            e.umov(Lanes::D2, TEMP, y, 1);
            e.umov(Lanes::D2, t, vreg(dst), 1);
            e.bitfield(BFM, w, TEMP, t, (0, 62));
            e.insert(Lanes::D2, vreg(dst), 1, TEMP);
            return cx.set(r, 0, dst);
        }
        _ => return not_yet(cx, i),
    };
    let (op, mask) = if d.op == Opcode::Fneg { (EOR, 1 << 63) } else { (AND, !(1 << 63)) };
    let mut e = asm(cx);
    if let Some(field) = crate::aarch64::encode::logical_immediate(w, mask) {
        e.logic_ri(op, w, TEMP, TEMP, field);
    }
    e.insert(Lanes::D2, vreg(dst), 1, TEMP);
    cx.set(r, 0, dst)
}

/// The same bits as another type.
pub(crate) fn bitcast(cx: &mut Cx<'_>, i: Inst) -> Done {
    let d = *cx.f.inst(i);
    let r = result(cx, i);
    let a = Value(d.a);
    let ((to, parts), (from, from_parts)) = (cx.target_parts(d.ty), cx.target_parts(cx.ty(a)));
    match (to.is_float(), from.is_float()) {
        (false, false) | (true, true) => return copy(cx, i),
        (true, false) if from_parts == 2 => {
            let (low, high) = super::wide::pair(cx, a)?;
            let dst = cx.def(r, 0)?;
            let mut e = asm(cx);
            e.from_int(FMOV_FROM_INT, Width::X, Fp::D, vreg(dst), low);
            e.high_from_int(vreg(dst), high);
            return cx.set(r, 0, dst);
        }
        (false, true) if parts == 2 => {
            let x = float(cx, a)?;
            let dst = super::wide::define_pair(cx, r)?;
            let mut e = asm(cx);
            e.to_int(FMOV_TO_INT, Width::X, Fp::D, gpr(dst.0), x);
            e.high_to_int(gpr(dst.1), x);
            return super::wide::set_pair(cx, r, dst);
        }
        _ => {}
    }
    // A vector of eight bytes and less is not here.
    let kind = if to == PartKind::V128 || from == PartKind::V128 { return not_yet(cx, i) } else { to };
    let x = cx.use_reg(a)?;
    let dst = define(cx, r)?;
    cx.target_move(kind, dst, x);
    cx.set(r, 0, dst)
}

/// A value under another name: freeze and the like.
pub(crate) fn copy(cx: &mut Cx<'_>, i: Inst) -> Done {
    let r = result(cx, i);
    let a = Value(cx.f.inst(i).a);
    for part in 0..cx.units.parts(r) {
        let dst = cx.def_reusing(r, a, part)?;
        cx.set(r, part, dst)?;
    }
    Ok(())
}
