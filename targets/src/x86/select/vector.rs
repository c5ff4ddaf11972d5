//! Arithmetic on vectors of 16 bytes: with SSE2, and shorter code with later extensions.
//!
//! No expansion needs more than three vector registers besides operands in their homes: one for an operand, one for the
//! result, one temporary. `xmm15`, which is never allocated, is a fourth within an expansion.

use gusset_codegen::error::{CompileError, Result};
use gusset_codegen::ir::{InLlvm, Opcode, Type};

use super::float::sign_mask;
use super::operand::*;
use super::vector_compare as compare;
use super::vector_ops::*;
use crate::shared::lanes::{is_splat, uniform_constant};
use crate::x86::encode::ops::*;
use crate::x86::encode::vex::{VFMADD231PD, VFMADD231PS};
use crate::x86::machine::{Features, X15, X86, xmm};

/// The instruction that does an operation on two vectors directly.
fn direct(features: &Features, op: Opcode, ty: Type) -> Option<SseOp> {
    use Opcode::*;
    let lane = lane_log(ty);
    let float = ty.lane().is_float();
    let of = |family: [SseOp; 4]| Some(family[lane]);
    let sse41 = features.sse41;
    match op {
        And => Some(PAND),
        Or => Some(POR),
        Xor => Some(PXOR),
        Fadd if float => Some(by_float(ty, ADDPS, ADDPD)),
        Fsub if float => Some(by_float(ty, SUBPS, SUBPD)),
        Fmul if float => Some(by_float(ty, MULPS, MULPD)),
        Fdiv if float => Some(by_float(ty, DIVPS, DIVPD)),
        _ if float => None,
        Iadd => of([PADDB, PADDW, PADDD, PADDQ]),
        Isub => of([PSUBB, PSUBW, PSUBD, PSUBQ]),
        Imul if lane == 1 => Some(PMULLW),
        Imul if lane == 2 && sse41 => Some(PMULLD),
        UaddSat if lane < 2 => Some([PADDUSB, PADDUSW][lane]),
        UsubSat if lane < 2 => Some([PSUBUSB, PSUBUSW][lane]),
        SaddSat if lane < 2 => Some([PADDSB, PADDSW][lane]),
        SsubSat if lane < 2 => Some([PSUBSB, PSUBSW][lane]),
        Umin if lane == 0 => Some(PMINUB),
        Umax if lane == 0 => Some(PMAXUB),
        Smin if lane == 1 => Some(PMINSW),
        Smax if lane == 1 => Some(PMAXSW),
        Umin if lane < 3 && sse41 => of([PMINUB, PMINUW, PMINUD, PMINUD]),
        Umax if lane < 3 && sse41 => of([PMAXUB, PMAXUW, PMAXUD, PMAXUD]),
        Smin if lane < 3 && sse41 => of([PMINSB, PMINSW, PMINSD, PMINSD]),
        Smax if lane < 3 && sse41 => of([PMAXSB, PMAXSW, PMAXSD, PMAXSD]),
        _ => None,
    }
}

impl X86 {
    /// See [`Machine::has_vector_op`](gusset_codegen::machine::Machine::has_vector_op).
    pub(crate) fn vector_op(&self, op: Opcode, ty: Type) -> bool {
        use Opcode::*;
        let float = ty.lane().is_float();
        let f = &self.features;
        match op {
            Load | Store | Bitcast | Freeze | Opaque | Shuffle | Splat | ExtractLane | InsertLane | Select => true,
            Imul | Iabs => !float,
            Umin | Umax | Smin | Smax => !float && (ty.lane() != Type::I64 || f.sse42),
            Bswap => !float && ty.lane() != Type::I8,
            Fneg | Fabs | Fcopysign | Fminnum | Fmaxnum | Fsqrt => float,
            Ffloor | Fceil | Ftrunc | Frint | Fnearbyint | Froundeven => float && f.sse41,
            Fma => float && f.fma,
            Sitofp | Uitofp => ty.lane() == Type::F32,
            Fptosi | Fptoui => ty.lane() == Type::I32,
            Icmp => !float,
            Fcmp => float,
            _ => direct(f, op, ty).is_some(),
        }
    }
}

/// Emits an operation whose controlling type is a vector. Lanes, shuffles and splats are in `vector_lane` and
/// `vector_shuffle`.
pub(crate) fn vector(cx: &mut Cx<'_>, d: &Node) -> Result {
    use Opcode::*;
    if let Some(op) = direct(&cx.target.features, d.op, d.ty) {
        return binary(cx, d, op);
    }
    let float = d.ty.lane().is_float();
    match d.op {
        Imul if !float => multiply(cx, d),
        Umin | Umax if d.ty.lane() == Type::I16 => unsigned_words(cx, d),
        Umin | Umax | Smin | Smax if !float => compare::min_max(cx, d),
        Iabs if !float => abs(cx, d),
        Shl | Lshr | Ashr if !float => shift(cx, d),
        Bswap if !float => bswap(cx, d),
        Icmp => compare::icmp(cx, d),
        Fcmp => compare::fcmp(cx, d),
        Fneg | Fabs if float => super::float::sign(cx, d),
        Fcopysign if float => copysign(cx, d),
        Fminnum | Fmaxnum if float => float_min_max(cx, d),
        Fma if float => super::float::fused(cx, d, [VFMADD231PS, VFMADD231PD]),
        Fsqrt if float => unary(cx, d, by_float(d.ty, SQRTPS, SQRTPD)),
        Ffloor | Fceil | Ftrunc | Frint | Fnearbyint | Froundeven if float && cx.target.features.sse41 => {
            let s = vector_src(cx, d.a)?;
            super::float::round(cx, d, s, [ROUNDPS, ROUNDPD])
        }
        Sitofp | Uitofp | Fptosi | Fptoui => convert(cx, d),
        _ => super::domain::not_yet(cx, d),
    }
}

fn binary(cx: &mut Cx<'_>, d: &Node, op: SseOp) -> Result {
    let (mut a, mut b) = (d.a, d.b);
    if d.op.is_commutative() {
        (a, b) = super::int::order(cx, d.r, a, b);
    }
    let s = vector_src(cx, b)?;
    change(cx, (d.r, a), |cx, dst| asm(cx).sse(op, xmm(dst), s))
}

/// An operation that writes its result without reading it.
fn unary(cx: &mut Cx<'_>, d: &Node, op: SseOp) -> Result {
    let s = vector_src(cx, d.a)?;
    define(cx, d.r, |cx, dst| asm(cx).sse(op, xmm(dst), s))
}

/// Products without an instruction of their own.
fn multiply(cx: &mut Cx<'_>, d: &Node) -> Result {
    let Node { r, a, b, .. } = *d;
    let s = vector_src(cx, b)?;
    let dst = own(cx, r, a, b)?;
    let t = cx.temp(true, None)?;
    let (x, t) = (xmm(dst), xmm(t));
    match d.ty.lane() {
        Type::I8 => {
            // Words: the low byte of a product of words is that of the low bytes; the high byte comes from a high byte
            // shifted down times a high byte in place.
            let high = lanes_constant(cx, 16, 0xff00);
            asm(cx).sse(MOVAPS, t, high);
            asm(cx).sse(PAND, t, s);
            asm(cx).sse(MOVAPS, X15, x);
            asm(cx).sse_shift_ri(PSRLW_IMM, X15, 8);
            asm(cx).sse(PMULLW, X15, t);
            asm(cx).sse(PMULLW, x, s);
            let low = lanes_constant(cx, 16, 0x00ff);
            asm(cx).sse(PAND, x, low);
            asm(cx).sse(POR, x, X15);
        }
        Type::I32 => {
            // Even and odd lanes apart.
            asm(cx).sse_imm(PSHUFD, X15, x, 0xf5);
            asm(cx).sse_imm(PSHUFD, t, s, 0xf5);
            asm(cx).sse(PMULUDQ, X15, t);
            asm(cx).sse(PMULUDQ, x, s);
            asm(cx).sse_imm(PSHUFD, x, x, 0x08);
            asm(cx).sse_imm(PSHUFD, X15, X15, 0x08);
            asm(cx).sse(PUNPCKLDQ, x, X15);
        }
        _ => {
            // low * low + ((low * high + high * low) << 32)
            asm(cx).sse(MOVAPS, X15, x);
            asm(cx).sse_shift_ri(PSRLQ_IMM, X15, 32);
            asm(cx).sse(PMULUDQ, X15, s);
            asm(cx).sse(MOVAPS, t, s);
            asm(cx).sse_shift_ri(PSRLQ_IMM, t, 32);
            asm(cx).sse(PMULUDQ, t, x);
            asm(cx).sse(PADDQ, X15, t);
            asm(cx).sse_shift_ri(PSLLQ_IMM, X15, 32);
            asm(cx).sse(PMULUDQ, x, s);
            asm(cx).sse(PADDQ, x, X15);
        }
    }
    cx.set(r, 0, dst)
}

/// Unsigned minimum and maximum of words by saturating subtraction, which gives the excess of `a` over `b`.
fn unsigned_words(cx: &mut Cx<'_>, d: &Node) -> Result {
    let Node { r, a, b, .. } = *d;
    let s = vector_src(cx, b)?;
    let dst = own(cx, r, a, b)?;
    if d.op == Opcode::Umax {
        asm(cx).sse(PSUBUSW, xmm(dst), s);
        asm(cx).sse(PADDW, xmm(dst), s);
    } else {
        asm(cx).sse(MOVAPS, X15, xmm(dst));
        asm(cx).sse(PSUBUSW, X15, s);
        asm(cx).sse(PSUBW, xmm(dst), X15);
    }
    cx.set(r, 0, dst)
}

fn abs(cx: &mut Cx<'_>, d: &Node) -> Result {
    let lane = lane_log(d.ty);
    if cx.target.features.ssse3 && lane < 3 {
        return unary(cx, d, [PABSB, PABSW, PABSD][lane]);
    }
    let dst = cx.def_reusing(d.r, d.a, 0)?;
    let x = xmm(dst);
    // The sign of each lane in all its bits; then (x ^ sign) - sign.
    let mut e = asm(cx);
    match lane {
        0 => {
            e.sse(PXOR, X15, X15);
            e.sse(PCMPGTB, X15, x);
        }
        1 => {
            e.sse(MOVAPS, X15, x);
            e.sse_shift_ri(PSRAW_IMM, X15, 15);
        }
        2 => {
            e.sse(MOVAPS, X15, x);
            e.sse_shift_ri(PSRAD_IMM, X15, 31);
        }
        _ => {
            e.sse_imm(PSHUFD, X15, x, 0xf5);
            e.sse_shift_ri(PSRAD_IMM, X15, 31);
        }
    }
    e.sse(PXOR, x, X15);
    e.sse([PSUBB, PSUBW, PSUBD, PSUBQ][lane], x, X15);
    cx.set(d.r, 0, dst)
}

/// Shifts of all lanes by the same amount.
fn shift(cx: &mut Cx<'_>, d: &Node) -> Result {
    let Some(n) = uniform_constant(cx.f, d.b) else {
        return shift_by_splat(cx, d);
    };
    let bits = d.ty.lane_bits();
    // An amount of the width or more is poison, so any result will do.
    let n = n.min(bits as u128 - 1) as u32;
    let dst = cx.def_reusing(d.r, d.a, 0)?;
    let x = xmm(dst);
    let lane = lane_log(d.ty);
    let left = [PSLLW_IMM, PSLLW_IMM, PSLLD_IMM, PSLLQ_IMM][lane];
    let right = [PSRLW_IMM, PSRLW_IMM, PSRLD_IMM, PSRLQ_IMM][lane];
    match (d.op, lane) {
        _ if n == 0 => {}
        (Opcode::Shl, _) => asm(cx).sse_shift_ri(left, x, n as u8),
        (Opcode::Ashr, 1 | 2) => {
            asm(cx).sse_shift_ri(if lane == 1 { PSRAW_IMM } else { PSRAD_IMM }, x, n as u8);
        }
        _ => asm(cx).sse_shift_ri(right, x, n as u8),
    }
    if n > 0 && lane == 0 {
        // Removes bits that came from the neighbour in the word.
        let keep = if d.op == Opcode::Shl { 0xff << n } else { 0xff >> n };
        let keep = lanes_constant(cx, 8, keep);
        asm(cx).sse(PAND, x, keep);
    }
    if n > 0 && d.op == Opcode::Ashr && matches!(lane, 0 | 3) {
        // Extends the sign from its current position: flip it, and subtract its place value.
        let sign = lanes_constant(cx, bits, 1 << (bits - 1 - n));
        asm(cx).sse(PXOR, x, sign);
        asm(cx).sse(if lane == 0 { PSUBB } else { PSUBQ }, x, sign);
    }
    cx.set(d.r, 0, dst)
}

/// Shifts of lanes of at least 16 bits by an amount that is equal in all lanes because of how it was made.
fn shift_by_splat(cx: &mut Cx<'_>, d: &Node) -> Result {
    let lane = lane_log(d.ty);
    let (a, b) = (d.a, d.b);
    if lane == 0 || !is_splat(cx.f, b) {
        let what = format!("{} by amounts that differ is not supported", InLlvm(d.op, d.ty));
        return Err(CompileError::at(cx.f, d.inst, what));
    }
    let s = vector_src(cx, b)?;
    let dst = own(cx, d.r, a, b)?;
    let x = xmm(dst);
    // The count is the low half of the register; only its lowest lane counts here.
    asm(cx).sse(MOVAPS, X15, s);
    if lane < 3 {
        let others = 64 - d.ty.lane_bits() as u8;
        asm(cx).sse_shift_ri(PSLLQ_IMM, X15, others);
        asm(cx).sse_shift_ri(PSRLQ_IMM, X15, others);
    }
    let family = match d.op {
        Opcode::Shl => [PSLLW, PSLLW, PSLLD, PSLLQ],
        Opcode::Ashr => [PSRAW, PSRAW, PSRAD, PSRLQ],
        _ => [PSRLW, PSRLW, PSRLD, PSRLQ],
    };
    asm(cx).sse(family[lane], x, X15);
    if d.op == Opcode::Ashr && lane == 3 {
        let t = xmm(cx.temp(true, None)?);
        let sign = lanes_constant(cx, 64, 1 << 63);
        asm(cx).sse(MOVAPS, t, sign);
        asm(cx).sse(PSRLQ, t, X15);
        asm(cx).sse(PXOR, x, t);
        asm(cx).sse(PSUBQ, x, t);
    }
    cx.set(d.r, 0, dst)
}

fn bswap(cx: &mut Cx<'_>, d: &Node) -> Result {
    let dst = cx.def_reusing(d.r, d.a, 0)?;
    let x = xmm(dst);
    let mut e = asm(cx);
    e.sse(MOVAPS, X15, x);
    e.sse_shift_ri(PSRLW_IMM, X15, 8);
    e.sse_shift_ri(PSLLW_IMM, x, 8);
    e.sse(POR, x, X15);
    let order = match d.ty.lane() {
        Type::I32 => Some(0xb1),
        Type::I64 => Some(0x1b),
        _ => None,
    };
    if let Some(order) = order {
        e.sse_imm(PSHUFLW, x, x, order);
        e.sse_imm(PSHUFHW, x, x, order);
    }
    cx.set(d.r, 0, dst)
}

fn copysign(cx: &mut Cx<'_>, d: &Node) -> Result {
    let Node { r, a, b, .. } = *d;
    let s = vector_src(cx, b)?;
    let dst = own(cx, r, a, b)?;
    asm(cx).sse(MOVAPS, X15, s);
    let sign = sign_mask(cx, d.ty, false);
    asm(cx).sse(ANDPS, X15, sign);
    let rest = sign_mask(cx, d.ty, true);
    asm(cx).sse(ANDPS, xmm(dst), rest);
    asm(cx).sse(ORPS, xmm(dst), X15);
    cx.set(r, 0, dst)
}

/// Minimum and maximum where a number beats a NaN.
fn float_min_max(cx: &mut Cx<'_>, d: &Node) -> Result {
    let Node { r, a, b, .. } = *d;
    let single = d.ty.lane() == Type::F32;
    let op = match (d.op, single) {
        (Opcode::Fminnum, true) => MINPS,
        (Opcode::Fminnum, false) => MINPD,
        (_, true) => MAXPS,
        _ => MAXPD,
    };
    // `min b, a` returns `a` if either is a NaN; if `a` is the NaN, the result is `b` instead.
    let s = vector_src(cx, b)?;
    let dst = own(cx, r, a, b)?;
    let t = cx.temp(true, None)?;
    let (x, t) = (xmm(dst), xmm(t));
    asm(cx).sse(MOVAPS, X15, s);
    asm(cx).sse(op, X15, x);
    asm(cx).sse(MOVAPS, t, x);
    asm(cx).sse_imm(if single { CMPPS } else { CMPPD }, x, t, 3);
    asm(cx).sse(MOVAPS, t, x);
    asm(cx).sse(ANDNPS, x, X15);
    asm(cx).sse(ANDPS, t, s);
    asm(cx).sse(ORPS, x, t);
    cx.set(r, 0, dst)
}

/// Between `i32` and `f32` lanes.
fn convert(cx: &mut Cx<'_>, d: &Node) -> Result {
    let a = d.a;
    let from = cx.ty(a).lane();
    match (d.op, from, d.ty.lane()) {
        (Opcode::Sitofp, Type::I32, Type::F32) => return unary(cx, d, CVTDQ2PS),
        (Opcode::Fptosi, Type::F32, Type::I32) => return unary(cx, d, CVTTPS2DQ),
        (Opcode::Uitofp, Type::I32, Type::F32) | (Opcode::Fptoui, Type::F32, Type::I32) => {}
        _ => return super::domain::not_yet(cx, d),
    }
    let dst = cx.def_reusing(d.r, a, 0)?;
    let x = xmm(dst);
    if d.op == Opcode::Uitofp {
        // Halves are exact; their sum is rounded once.
        asm(cx).sse(MOVAPS, X15, x);
        let low = lanes_constant(cx, 32, 0xffff);
        let scale = lanes_constant(cx, 32, 65536f32.to_bits() as u64);
        let mut e = asm(cx);
        e.sse_shift_ri(PSRLD_IMM, X15, 16);
        e.sse(PAND, x, low);
        e.sse(CVTDQ2PS, X15, X15);
        e.sse(CVTDQ2PS, x, x);
        e.sse(MULPS, X15, scale);
        e.sse(ADDPS, x, X15);
        return cx.set(d.r, 0, dst);
    }
    // Correct below 2^31; from there on it gives only the top bit, to which the conversion of `x - 2^31` is added.
    let t = cx.temp(true, None)?;
    let t = xmm(t);
    asm(cx).sse(MOVAPS, X15, x);
    let limit = lanes_constant(cx, 32, 2147483648f32.to_bits() as u64);
    let mut e = asm(cx);
    e.sse(SUBPS, X15, limit);
    e.sse(CVTTPS2DQ, X15, X15);
    e.sse(CVTTPS2DQ, x, x);
    e.sse(MOVAPS, t, x);
    e.sse_shift_ri(PSRAD_IMM, t, 31);
    e.sse(PAND, X15, t);
    e.sse(POR, x, X15);
    cx.set(d.r, 0, dst)
}
