//! Comparisons of vectors, which give lane masks, and selections by masks.

use gusset_codegen::ir::{FloatCc, IntCc, Opcode, Type};

use super::operand::*;
use super::vector_ops::*;
use crate::x86::encode::ops::*;
use crate::x86::machine::{X15, xmm};

/// How an integer comparison is made from available ones.
struct Plan {
    /// Exchange the operands first.
    swap: bool,
    /// Complement the mask afterwards.
    invert: bool,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Equal,
    /// Signed greater.
    Greater,
    /// Unsigned greater, as signed greater with the top bits flipped.
    Above,
    /// Unsigned less or equal, as a saturating subtraction that gives zero.
    NotAbove,
}

fn plan(cc: IntCc, ty: Type) -> Plan {
    use IntCc::*;
    let narrow = lane_log(ty) < 2;
    let p = |swap, invert, kind| Plan { swap, invert, kind };
    match cc {
        Eq => p(false, false, Kind::Equal),
        Ne => p(false, true, Kind::Equal),
        Sgt => p(false, false, Kind::Greater),
        Slt => p(true, false, Kind::Greater),
        Sle => p(false, true, Kind::Greater),
        Sge => p(true, true, Kind::Greater),
        Ule if narrow => p(false, false, Kind::NotAbove),
        Uge if narrow => p(true, false, Kind::NotAbove),
        Ugt if narrow => p(false, true, Kind::NotAbove),
        Ult if narrow => p(true, true, Kind::NotAbove),
        Ugt => p(false, false, Kind::Above),
        Ult => p(true, false, Kind::Above),
        Ule => p(false, true, Kind::Above),
        Uge => p(true, true, Kind::Above),
    }
}

/// An integer comparison.
pub(crate) fn icmp(cx: &mut Cx<'_>, d: &Node) -> Result {
    let plan = plan(IntCc::from_u8(d.flags).unwrap_or(IntCc::Eq), d.ty);
    let (mut a, mut b) = (d.a, d.b);
    if plan.swap {
        (a, b) = (b, a);
    }
    let s = vector_src(cx, b)?;
    let dst = own(cx, d.r, a, b)?;
    let x = xmm(dst);
    let lane = lane_log(d.ty);
    let wide = lane == 3;
    let f = cx.target.features;
    match plan.kind {
        Kind::Equal if wide && f.sse41 => asm(cx).sse(PCMPEQQ, xmm(dst), s),
        Kind::Equal if wide => {
            asm(cx).sse(PCMPEQD, xmm(dst), s);
            asm(cx).sse_imm(PSHUFD, X15, x, 0xb1);
            asm(cx).sse(PAND, x, X15);
        }
        Kind::Equal => asm(cx).sse(by_lane(d.ty, [PCMPEQB, PCMPEQW, PCMPEQD, PCMPEQD]), xmm(dst), s),
        Kind::NotAbove => {
            asm(cx).sse(by_lane(d.ty, [PSUBUSB, PSUBUSW, PSUBUSW, PSUBUSW]), xmm(dst), s);
            asm(cx).sse(PXOR, X15, X15);
            asm(cx).sse(by_lane(d.ty, [PCMPEQB, PCMPEQW, PCMPEQD, PCMPEQD]), x, X15);
        }
        Kind::Greater if !wide || f.sse42 => {
            asm(cx).sse(by_lane(d.ty, [PCMPGTB, PCMPGTW, PCMPGTD, PCMPGTQ]), xmm(dst), s)
        }
        Kind::Above if !wide || f.sse42 => {
            let bits = d.ty.lane_bits();
            let bias = lanes_constant(cx, bits, 1 << (bits - 1));
            asm(cx).sse(MOVAPS, X15, s);
            asm(cx).sse(PXOR, X15, bias);
            asm(cx).sse(PXOR, x, bias);
            asm(cx).sse(if wide { PCMPGTQ } else { PCMPGTD }, x, X15);
        }
        kind => {
            // By halves: the upper ones decide unless they are equal; then the lower ones do, as unsigned numbers.
            let bias = if kind == Kind::Above { 0x8000_0000_8000_0000 } else { 0x8000_0000 };
            let bias = lanes_constant(cx, 64, bias);
            asm(cx).sse(MOVAPS, X15, s);
            done(cx, b, 0);
            let t = xmm(cx.temp(true, None)?);
            let mut e = asm(cx);
            e.sse(PXOR, X15, bias);
            e.sse(PXOR, x, bias);
            e.sse(MOVAPS, t, x);
            e.sse(PCMPGTD, t, X15);
            e.sse(PCMPEQD, x, X15);
            e.sse_imm(PSHUFD, X15, t, 0xa0);
            e.sse_imm(PSHUFD, x, x, 0xf5);
            e.sse(PAND, x, X15);
            e.sse_imm(PSHUFD, t, t, 0xf5);
            e.sse(POR, x, t);
        }
    }
    if plan.invert {
        asm(cx).sse(PCMPEQD, X15, X15);
        asm(cx).sse(PXOR, x, X15);
    }
    cx.set(d.r, 0, dst)
}

/// Does a comparison by [`predicate`] have swapped operands?
pub(crate) fn is_swapped(cc: FloatCc) -> bool {
    use FloatCc::*;
    matches!(cc, Ogt | Oge | Ult | Ule)
}

/// The predicate of `cmpps` (Intel SDM volume 2): 0 equal, 1 less, 2 less or equal, 3 unordered, and 4 to 7 their
/// complements. `None` if it takes two predicates, or none.
pub(crate) fn predicate(cc: FloatCc) -> Option<u8> {
    use FloatCc::*;
    Some(match cc {
        Oeq => 0,
        Olt | Ogt => 1,
        Ole | Oge => 2,
        Uno => 3,
        Une => 4,
        Uge | Ule => 5,
        Ugt | Ult => 6,
        Ord => 7,
        One | Ueq | False | True => return None,
    })
}

/// A floating-point comparison.
pub(crate) fn fcmp(cx: &mut Cx<'_>, d: &Node) -> Result {
    use FloatCc::*;
    let cc = FloatCc::from_u8(d.flags).unwrap_or(False);
    if matches!(cc, False | True) {
        let dst = cx.def(d.r, 0)?;
        asm(cx).sse(if cc == True { PCMPEQD } else { PXOR }, xmm(dst), xmm(dst));
        return cx.set(d.r, 0, dst);
    }
    let (a, b) = if is_swapped(cc) { (d.b, d.a) } else { (d.a, d.b) };
    let (predicate, second) = match cc {
        One => (7, Some((4, ANDPS))),
        Ueq => (3, Some((0, ORPS))),
        _ => (predicate(cc).unwrap_or(0), None),
    };
    let op = if d.ty.lane() == Type::F32 { CMPPS } else { CMPPD };
    let s = vector_src(cx, b)?;
    let dst = own(cx, d.r, a, b)?;
    let x = xmm(dst);
    if let Some((other, _)) = second {
        asm(cx).sse(MOVAPS, X15, x);
        asm(cx).sse_imm(op, X15, s, other)
    }
    asm(cx).sse_imm(op, x, s, predicate);
    if let Some((_, join)) = second {
        asm(cx).sse(join, x, X15);
    }
    cx.set(d.r, 0, dst)
}

/// Lanes of `b` where the mask is set, of `c` elsewhere.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Result {
    let (mask, b, c) = (d.a, d.b, d.c);
    // One after the other: there may be no registers for both besides the mask.
    guard(cx, &[b, c])?;
    let on = vector_src(cx, b)?;
    let dst = if mask == b || mask == c { own(cx, d.r, mask, mask)? } else { cx.def_reusing(d.r, mask, 0)? };
    let x = xmm(dst);
    asm(cx).sse(MOVAPS, X15, x);
    asm(cx).sse(PAND, xmm(dst), on);
    done(cx, b, 0);
    let off = vector_src(cx, c)?;
    asm(cx).sse(PANDN, X15, off);
    asm(cx).sse(POR, x, X15);
    cx.set(d.r, 0, dst)
}

/// Minimum and maximum of integers without an instruction of their own, by a comparison: at most 32 bits, or 64 with
/// SSE4.2.
pub(crate) fn min_max(cx: &mut Cx<'_>, d: &Node) -> Result {
    let Node { r, a, b, .. } = *d;
    if d.ty.lane() == Type::I64 && !cx.target.features.sse42 {
        return super::domain::not_yet(cx, d);
    }
    let greater = by_lane(d.ty, [PCMPGTB, PCMPGTW, PCMPGTD, PCMPGTQ]);
    let max = matches!(d.op, Opcode::Smax | Opcode::Umax);
    let s = vector_src(cx, b)?;
    let dst = own(cx, r, a, b)?;
    let x = xmm(dst);
    // X15 gets the mask of the lanes to take from `a`.
    if matches!(d.op, Opcode::Umin | Opcode::Umax) {
        let bits = d.ty.lane_bits();
        let bias = lanes_constant(cx, bits, 1 << (bits - 1));
        let t = xmm(cx.temp(true, None)?);
        asm(cx).sse(MOVAPS, X15, bias);
        asm(cx).sse(MOVAPS, t, X15);
        asm(cx).sse(PXOR, if max { X15 } else { t }, x);
        asm(cx).sse(PXOR, if max { t } else { X15 }, s);
        asm(cx).sse(greater, X15, t);
    } else if max {
        asm(cx).sse(MOVAPS, X15, x);
        asm(cx).sse(greater, X15, s);
    } else {
        asm(cx).sse(MOVAPS, X15, s);
        asm(cx).sse(greater, X15, x);
    }
    asm(cx).sse(PAND, x, X15);
    asm(cx).sse(PANDN, X15, s);
    asm(cx).sse(POR, x, X15);
    cx.set(r, 0, dst)
}
