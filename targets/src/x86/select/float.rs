//! `f32` and `f64` arithmetic and conversions.

use gusset_codegen::error::{CompileError, Result};
use gusset_codegen::ir::{FloatCc, Opcode, Type, Value};
use gusset_codegen::machine::PReg;

use super::constant::pool;
use super::domain::{Domain, domain};
use super::int::extend_into;
use super::operand::*;
use super::vector_compare::{is_swapped, predicate};
use crate::x86::encode::ops::*;
use crate::x86::encode::vex::FmaOp;
use crate::x86::machine::{gpr, xmm};
use crate::x86::reg::{Cond, Mem, Size, Xmm};

/// Picks the operation for the width.
fn by_width(ty: Type, single: SseOp, double: SseOp) -> SseOp {
    if ty == Type::F32 { single } else { double }
}

/// Two-operand arithmetic.
pub(crate) fn arithmetic(cx: &mut Cx<'_>, d: &Node) -> Result {
    let (mut a, mut b) = (d.a, d.b);
    let op = match d.op {
        Opcode::Fadd => by_width(d.ty, ADDSS, ADDSD),
        Opcode::Fsub => by_width(d.ty, SUBSS, SUBSD),
        Opcode::Fmul => by_width(d.ty, MULSS, MULSD),
        _ => by_width(d.ty, DIVSS, DIVSD),
    };
    if d.op.is_commutative() {
        (a, b) = super::int::order(cx, d.r, a, b);
    }
    let s = float_src(cx, b)?;
    change(cx, (d.r, a), |cx, dst| asm(cx).sse(op, xmm(dst), s))
}

/// A product and a sum, rounded once; `ops` are those of `f32` and `f64`.
pub(crate) fn fused(cx: &mut Cx<'_>, d: &Node, ops: [FmaOp; 2]) -> Result {
    let (x, y) = (cx.use_reg(d.a)?, cx.use_reg(d.b)?);
    let op = ops[usize::from(d.ty.lane() != Type::F32)];
    change(cx, (d.r, d.c), |cx, dst| asm(cx).fma(op, xmm(dst), xmm(x), xmm(y)))
}

/// Square root.
pub(crate) fn sqrt(cx: &mut Cx<'_>, d: &Node) -> Result {
    let s = float_src(cx, d.a)?;
    define(cx, d.r, |cx, dst| asm(cx).sse(by_width(d.ty, SQRTSS, SQRTSD), xmm(dst), s))
}

/// Rounding to an integer with SSE4.1: `ops` are those of `f32` and `f64`.
pub(crate) fn round(cx: &mut Cx<'_>, d: &Node, s: Rm<Xmm>, ops: [SseImmOp; 2]) -> Result {
    // Intel SDM volume 2, ROUNDPS: bit 3 suppresses the inexact exception, bit 2 takes the mode from MXCSR.
    let mode = match d.op {
        Opcode::Ffloor => 9,
        Opcode::Fceil => 10,
        Opcode::Ftrunc => 11,
        Opcode::Frint => 4,
        Opcode::Froundeven => 8,
        _ => 12,
    };
    let op = ops[usize::from(d.ty.lane() != Type::F32)];
    define(cx, d.r, |cx, dst| asm(cx).sse_imm(op, xmm(dst), s, mode))
}

/// The sign bits of a type's lanes, or all other bits. Formats that the machine cannot compute with are alone in their
/// registers.
pub(crate) fn sign_mask(cx: &mut Cx<'_>, ty: Type, others: bool) -> Mem {
    let lane = ty.lane().bits();
    let width = if matches!(lane, 32 | 64) { lane } else { 128 };
    let bits = (0..128 / width).fold(0u128, |bits, k| bits | 1 << (lane - 1 + k * width));
    pool(cx.buf, if others { !bits } else { bits }, 16)
}

/// Negation, or clearing of the sign.
pub(crate) fn sign(cx: &mut Cx<'_>, d: &Node) -> Result {
    let clear = d.op == Opcode::Fabs;
    change(cx, (d.r, d.a), |cx, dst| {
        let m = sign_mask(cx, d.ty, clear);
        asm(cx).sse(if clear { ANDPS } else { XORPS }, xmm(dst), m);
    })
}

/// The magnitude of one value with the sign of the other.
pub(crate) fn copysign(cx: &mut Cx<'_>, d: &Node) -> Result {
    let t = cx.temp(true, None)?;
    cx.copy_into(t, d.b, 0)?;
    let dst = cx.def_reusing(d.r, d.a, 0)?;
    let m = sign_mask(cx, d.ty, false);
    asm(cx).sse(ANDPS, xmm(t), m);
    let m = sign_mask(cx, d.ty, true);
    asm(cx).sse(ANDPS, xmm(dst), m);
    asm(cx).sse(ORPS, xmm(dst), xmm(t));
    cx.set(d.r, 0, dst)
}

/// Minimum and maximum of a number and a NaN is the number (C's `fmin` and `fmax`).
pub(crate) fn min_max(cx: &mut Cx<'_>, d: &Node) -> Result {
    let op = if d.op == Opcode::Fmaxnum { by_width(d.ty, MAXSS, MAXSD) } else { by_width(d.ty, MINSS, MINSD) };
    // `min b, a` returns a if either is a NaN; if a is the NaN, the result is b instead.
    let a = xmm(cx.use_reg(d.a)?);
    let t = cx.temp(true, None)?;
    cx.copy_into(t, d.b, 0)?;
    let keep = cx.temp(true, None)?;
    let (t_, k) = (xmm(t), xmm(keep));
    let mut e = asm(cx);
    e.sse(MOVAPS, k, t_);
    e.sse(op, t_, a);
    e.sse(by_width(d.ty, UCOMISS, UCOMISD), a, a);
    let done = e.buf.new_label();
    e.jcc(Cond::NP, done);
    e.sse(MOVAPS, t_, k);
    e.buf.bind(done);
    cx.set(d.r, 0, t)
}

/// A selection by a comparison of floating-point numbers: as a minimum or maximum, or by the comparison's mask. False,
/// and no code, if it is neither, or if there are no registers for it.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Result<bool> {
    let Some(i) = cx.deferred(d.a) else { return Ok(false) };
    let c = Node::of(cx.f, i);
    let is_float = |ty| domain(cx.target, ty) == Domain::Float;
    if c.op != Opcode::Fcmp || !is_float(d.ty) || !is_float(c.ty) || c.ty.bits() < d.ty.bits() {
        return Ok(false);
    }
    let cc = FloatCc::from_u8(c.flags).unwrap_or(FloatCc::False);
    if let Some((op, a, b)) = extreme(d, &c, cc) {
        let s = float_src(cx, b)?;
        change(cx, (d.r, a), |cx, dst| asm(cx).sse(op, xmm(dst), s))?;
        return Ok(true);
    }
    let Some(predicate) = predicate(cc) else { return Ok(false) };
    if !cx.has_room(0, 4) {
        return Ok(false);
    }
    let (first, second) = if is_swapped(cc) { (c.b, c.a) } else { (c.a, c.b) };
    // b ^ ((a ^ b) & mask)
    let x = cx.temp(true, None)?;
    cx.copy_into(x, d.b, 0)?;
    let y = xmm(cx.use_reg(d.c)?);
    asm(cx).sse(XORPS, xmm(x), y);
    cx.nested(|cx| {
        let t = cx.temp(true, None)?;
        cx.copy_into(t, first, 0)?;
        let s = float_src(cx, second)?;
        let mut e = asm(cx);
        e.sse_imm(if c.ty == Type::F32 { CMPSS } else { CMPSD }, xmm(t), s, predicate);
        e.sse(ANDPS, xmm(x), xmm(t));
        Ok::<_, CompileError>(())
    })?;
    asm(cx).sse(XORPS, xmm(x), y);
    cx.set(d.r, 0, x)?;
    Ok(true)
}

/// The selection `a < b ? a : b` and the like: the instruction returns its second operand if the numbers are equal or
/// one is a NaN.
fn extreme(d: &Node, c: &Node, cc: FloatCc) -> Option<(SseOp, Value, Value)> {
    let (cc, a, b) = match cc {
        FloatCc::Olt | FloatCc::Ogt => (cc, d.b, d.c),
        FloatCc::Uge => (FloatCc::Olt, d.c, d.b),
        FloatCc::Ule => (FloatCc::Ogt, d.c, d.b),
        _ => return None,
    };
    let less = cc == FloatCc::Olt;
    let is_min = match (a, b) {
        _ if c.ty != d.ty => return None,
        _ if (a, b) == (c.a, c.b) => less,
        _ if (b, a) == (c.a, c.b) => !less,
        _ => return None,
    };
    let op = if is_min { by_width(d.ty, MINSS, MINSD) } else { by_width(d.ty, MAXSS, MAXSD) };
    Some((op, a, b))
}

/// Between `f32` and `f64`.
pub(crate) fn resize(cx: &mut Cx<'_>, d: &Node) -> Result {
    let op = if d.ty == Type::F64 { CVTSS2SD } else { CVTSD2SS };
    let s = float_src(cx, d.a)?;
    define(cx, d.r, |cx, dst| asm(cx).sse(op, xmm(dst), s))
}

/// Integer to floating point.
pub(crate) fn from_int(cx: &mut Cx<'_>, d: &Node) -> Result {
    let signed = d.op == Opcode::Sitofp;
    let Node { r, a, .. } = *d;
    let bits = cx.ty(a).bits();
    let op = if d.ty == Type::F32 { CVTSI2SS } else { CVTSI2SD };
    if bits == 64 && !signed && d.ty == Type::F64 {
        return from_u64_by_halves(cx, r, a);
    }
    if bits == 64 && !signed {
        return from_u64(cx, r, a, d.ty, op);
    }
    if bits == 32 && !signed && cx.target.is_32() {
        return from_u32(cx, r, a, d.ty);
    }
    let (x, size) = if bits < 32 || bits == 32 && !signed {
        let t = cx.temp(false, None)?;
        extend_into(cx, t, a, signed)?;
        if bits == 32 {
            asm(cx).mov(Size::B4, gpr(t), gpr(t));
        }
        (t, if bits == 32 { Size::B8 } else { Size::B4 })
    } else {
        (cx.use_reg(a)?, if bits == 64 { Size::B8 } else { Size::B4 })
    };
    let dst = cx.def(r, 0)?;
    // The conversion keeps the register's upper part: clearing it breaks a false dependency.
    asm(cx).sse(XORPS, xmm(dst), xmm(dst));
    asm(cx).gpr_to_sse(op, size, xmm(dst), gpr(x));
    cx.set(r, 0, dst)
}

/// Unsigned 32 bits without 64-bit registers: as the lower half of the mantissa of a `double` with a unit of 1.
fn from_u32(cx: &mut Cx<'_>, r: Value, a: Value, ty: Type) -> Result {
    const TWO_52: u128 = 0x4330_0000_0000_0000;
    let x = cx.use_reg(a)?;
    let dst = cx.def(r, 0)?;
    let k = pool(cx.buf, TWO_52 << 64 | TWO_52, 16);
    let d = xmm(dst);
    let mut e = asm(cx);
    e.mov_xr(Size::B4, d, gpr(x));
    e.sse(ORPS, d, k);
    e.sse(SUBSD, d, k);
    if ty == Type::F32 {
        e.sse(CVTSD2SS, d, d);
    }
    cx.set(r, 0, dst)
}

/// Unsigned 64 bits as `double`: each half as the lower half of the mantissa of a number with the half's unit; then the
/// sum of both, which is rounded once.
fn from_u64_by_halves(cx: &mut Cx<'_>, r: Value, a: Value) -> Result {
    const TWO_52: u128 = 0x4330_0000_0000_0000;
    const TWO_84: u128 = 0x4530_0000_0000_0000;
    let x = cx.use_reg(a)?;
    let t = cx.temp(true, None)?;
    let exponents = pool(cx.buf, TWO_84 | TWO_52 >> 32, 16);
    let units = pool(cx.buf, TWO_84 << 64 | TWO_52, 16);
    let t_ = xmm(t);
    let mut e = asm(cx);
    e.mov_xr(Size::B8, t_, gpr(x));
    e.sse(PUNPCKLDQ, t_, exponents);
    e.sse(SUBPD, t_, units);
    let dst = cx.def(r, 0)?;
    let (d, mut e) = (xmm(dst), asm(cx));
    e.sse_imm(PSHUFD, d, t_, 0xee);
    e.sse(ADDSD, d, t_);
    cx.set(r, 0, dst)
}

/// Unsigned 64 bits: numbers with the top bit set are halved, with the lost bit kept for rounding, and doubled
/// afterwards.
fn from_u64(cx: &mut Cx<'_>, r: Value, a: Value, ty: Type, op: GprToSseOp) -> Result {
    let (x, t) = (cx.temp(false, None)?, cx.temp(false, None)?);
    cx.copy_into(x, a, 0)?;
    let dst = cx.def(r, 0)?;
    let add = by_width(ty, ADDSS, ADDSD);
    let (gx, gt, d) = (gpr(x), gpr(t), xmm(dst));
    let mut e = asm(cx);
    let (large, done) = (e.buf.new_label(), e.buf.new_label());
    e.sse(XORPS, d, d);
    e.test_rr(Size::B8, gx, gx);
    e.jcc(Cond::S, large);
    e.gpr_to_sse(op, Size::B8, d, gx);
    e.jmp(done);
    e.buf.bind(large);
    e.mov(Size::B4, gt, gx);
    e.shift_ri(ShiftOp::Shr, Size::B8, gx, 1);
    e.alu(AluOp::And, Size::B4, gt, 1);
    e.alu(AluOp::Or, Size::B8, gx, gt);
    e.gpr_to_sse(op, Size::B8, d, gx);
    e.sse(add, d, d);
    e.buf.bind(done);
    cx.set(r, 0, dst)
}

/// Floating point to integer, toward zero.
pub(crate) fn to_int(cx: &mut Cx<'_>, d: &Node) -> Result {
    let signed = d.op == Opcode::Fptosi;
    let Node { r, a, .. } = *d;
    let from = cx.ty(a);
    let op = if from == Type::F32 { CVTTSS2SI } else { CVTTSD2SI };
    let bits = d.ty.bits();
    if bits == cx.target.word_bits() && !signed {
        return to_word(cx, r, a, from, op);
    }
    let size = if bits > 32 || bits == 32 && !signed { Size::B8 } else { Size::B4 };
    let s = float_src(cx, a)?;
    cx.release();
    let dst = cx.def(r, 0)?;
    asm(cx).sse_to_gpr(op, size, gpr(dst), s);
    if d.ty == Type::I1 {
        asm(cx).alu(AluOp::And, Size::B4, gpr(dst), 1);
    }
    cx.set(r, 0, dst)
}

/// To an unsigned word without a branch: the direct conversion is right for the lower half of the range and gives only
/// the top bit above it. There, the conversion of the rest with its top bit set is taken.
fn to_word(cx: &mut Cx<'_>, r: Value, a: Value, from: Type, op: SseToGprOp) -> Result {
    let x = cx.use_reg(a)?;
    let t = cx.temp(true, None)?;
    let (p, q) = (cx.temp(false, None)?, cx.temp(false, None)?);
    let w = cx.target.word_size();
    let (bits, bytes) = match (from, w) {
        (Type::F32, Size::B8) => (0x5f00_0000u128, 4),
        (Type::F32, _) => (0x4f00_0000, 4),
        (_, Size::B8) => (0x43e0_0000_0000_0000, 8),
        _ => (0x41e0_0000_0000_0000, 8),
    };
    let m = pool(cx.buf, bits, bytes);
    let sub = by_width(from, SUBSS, SUBSD);
    let mut e = asm(cx);
    e.sse_to_gpr(op, w, gpr(p), xmm(x));
    e.sse(MOVAPS, xmm(t), xmm(x));
    e.sse(sub, xmm(t), m);
    e.sse_to_gpr(op, w, gpr(q), xmm(t));
    let u = cx.temp(false, None)?;
    let mut e = asm(cx);
    e.mov(w, gpr(u), gpr(p));
    e.shift_ri(ShiftOp::Sar, w, gpr(u), w.bits() as u8 - 1);
    e.alu(AluOp::And, w, gpr(q), gpr(u));
    e.alu(AluOp::Or, w, gpr(p), gpr(q));
    cx.set(r, 0, p)
}

/// An integer of two words side by side in a vector register of the instruction's own.
pub(crate) fn from_parts(cx: &mut Cx<'_>, v: Value) -> Result<PReg> {
    let (low, high) = (cx.use_part(v, 0)?, cx.use_part(v, 1)?);
    let (dst, t) = (cx.temp(true, None)?, cx.temp(true, None)?);
    let w = cx.target.word_size();
    let mut e = asm(cx);
    e.mov_xr(w, xmm(dst), gpr(low));
    e.mov_xr(w, xmm(t), gpr(high));
    e.sse(if w == Size::B8 { PUNPCKLQDQ } else { PUNPCKLDQ }, xmm(dst), xmm(t));
    cx.unpin(t);
    Ok(dst)
}

/// The same bits in the other kind of register.
pub(crate) fn bitcast(cx: &mut Cx<'_>, d: &Node) -> Result {
    let Node { r, a, .. } = *d;
    let (to, n) = cx.target_parts(d.ty);
    let (from, m) = cx.target_parts(cx.ty(a));
    if n == 1 && m == 1 && to.is_float() == from.is_float() {
        return super::int::copy(cx, d);
    }
    if n == 2 && m == 1 {
        let x = cx.use_reg(a)?;
        let (low, high) = (cx.def(r, 0)?, cx.def(r, 1)?);
        let t = cx.temp(true, None)?;
        let (w, lane) = if cx.target.is_32() { (Size::B4, 0x55) } else { (Size::B8, 0xee) };
        let mut e = asm(cx);
        e.mov_rx(w, gpr(low), xmm(x));
        e.sse_imm(PSHUFD, xmm(t), xmm(x), lane);
        e.mov_rx(w, gpr(high), xmm(t));
        return set_pair(cx, r, low, high);
    }
    if n == 1 && m == 2 {
        let dst = from_parts(cx, a)?;
        return cx.set(r, 0, dst);
    }
    let x = cx.use_reg(a)?;
    let dst = cx.def(r, 0)?;
    let size = if d.ty.bits() > 32 { Size::B8 } else { Size::B4 };
    if to.is_float() {
        asm(cx).mov_xr(size, xmm(dst), gpr(x));
    } else {
        asm(cx).mov_rx(size, gpr(dst), xmm(x));
    }
    cx.set(r, 0, dst)
}
