//! Shuffles: every mask for 16 bytes of lanes, common ones in few instructions.

use gusset_codegen::error::Result;
use gusset_codegen::ir::Value;
use gusset_codegen::machine::PReg;

use super::constant::pool;
use super::operand::*;
use super::vector_lane::in_frame;
use super::vector_ops::*;
use crate::shared::shuffle::{ANY, Mask, ZERO};
use crate::x86::encode::ops::*;
use crate::x86::machine::{X15, frame_mem, gpr, xmm};
use crate::x86::reg::{Mem, Size, Xmm};

/// The immediate of `pshufd` and the like, from four lane numbers modulo four.
fn order(m: &Mask, from: usize) -> u8 {
    (0..4).fold(0, |imm, k| {
        let l = m.lane[from + k];
        imm | (if l < 0 { k as u8 } else { l as u8 & 3 }) << (2 * k)
    })
}

/// Lanes of two vectors in a new order.
pub(crate) fn shuffle(cx: &mut Cx<'_>, d: &Node) -> Result {
    let r = d.r;
    if d.ty.lanes() > 16 || cx.ty(d.a) != d.ty {
        return super::domain::not_yet(cx, d);
    }
    let (a, b, m) = Mask::of(cx.f, d);
    let two = m.any(|l| l >= m.n as i8);
    let dst = if !m.any(|l| l >= 0) {
        let dst = cx.def(r, 0)?;
        asm(cx).sse(PXOR, xmm(dst), xmm(dst));
        dst
    } else if m.any(|l| l == ZERO) {
        with_zeros(cx, r, a, b, &m, two)?
    } else if two {
        match both(cx, r, a, b, &m)? {
            Some(dst) => dst,
            None => match both(cx, r, b, a, &m.swapped())? {
                Some(dst) => dst,
                None => anything(cx, r, a, b, &m)?,
            },
        }
    } else {
        match one(cx, r, a, &m)? {
            Some(dst) => dst,
            None => anything(cx, r, a, b, &m)?,
        }
    };
    cx.set(r, 0, dst)
}

type Tried = Result<Option<PReg>>;

fn unpack(n: usize, high: bool) -> SseOp {
    match (n, high) {
        (16, false) => PUNPCKLBW,
        (8, false) => PUNPCKLWD,
        (4, false) => PUNPCKLDQ,
        (_, false) => PUNPCKLQDQ,
        (16, true) => PUNPCKHBW,
        (8, true) => PUNPCKHWD,
        (4, true) => PUNPCKHDQ,
        (_, true) => PUNPCKHQDQ,
    }
}

/// Lanes of `a` and zeros, or of both.
fn with_zeros(cx: &mut Cx<'_>, r: Value, a: Value, b: Value, m: &Mask, two: bool) -> Result<PReg> {
    let n = m.n;
    let bytes = m.bytes();
    if !two {
        for high in [false, true] {
            // Zero extension of either half.
            let from = if high { n / 2 } else { 0 };
            if m.all(|k, l| if k % 2 == 1 { l == ZERO } else { l == (from + k / 2) as i8 }) {
                let dst = cx.def_reusing(r, a, 0)?;
                asm(cx).sse(PXOR, X15, X15);
                asm(cx).sse(unpack(n, high), xmm(dst), X15);
                return Ok(dst);
            }
        }
        for by in 1..16 {
            let up = bytes.all(|k, l| if k < by { l == ZERO } else { l == (k - by) as i8 });
            let down = bytes.all(|k, l| if k + by >= 16 { l == ZERO } else { l == (k + by) as i8 });
            if up || down {
                let dst = cx.def_reusing(r, a, 0)?;
                asm(cx).sse_shift_ri(if up { PSLLDQ_IMM } else { PSRLDQ_IMM }, xmm(dst), by as u8);
                return Ok(dst);
            }
        }
        if cx.target.features.ssse3 && !m.all(|k, l| l == ZERO || l == k as i8) {
            let dst = cx.def_reusing(r, a, 0)?;
            pshufb(cx, xmm(dst), &bytes, 0);
            return Ok(dst);
        }
    }
    // First the lanes, then the zeros.
    let lanes = m.map(|l| if l == ZERO { ANY } else { l });
    let tried = if two {
        match both(cx, r, a, b, &lanes)? {
            None => both(cx, r, b, a, &lanes.swapped())?,
            dst => dst,
        }
    } else {
        one(cx, r, a, &lanes)?
    };
    let dst = match tried {
        Some(dst) => dst,
        None => anything(cx, r, a, b, &lanes)?,
    };
    let keep = (0..16).fold(0u128, |bits, k| if bytes.lane[k] == ZERO { bits } else { bits | 0xff << (8 * k) });
    let keep = pool(cx.buf, keep, 16);
    asm(cx).sse(PAND, xmm(dst), keep);
    Ok(dst)
}

/// `pshufb` by those lanes of a byte mask that are in the operand whose lanes begin at `first`; the others become zero.
fn pshufb(cx: &mut Cx<'_>, x: Xmm, bytes: &Mask, first: i8) {
    let order = (0..16).fold(0u128, |bits, k| {
        let l = bytes.lane[k];
        let byte = if l >= first && l < first + 16 { (l - first) as u128 } else { 0x80 };
        bits | byte << (8 * k)
    });
    let order = pool(cx.buf, order, 16);
    asm(cx).sse(PSHUFB, x, order);
}

/// Lanes of one vector.
fn one(cx: &mut Cx<'_>, r: Value, a: Value, m: &Mask) -> Tried {
    let n = m.n;
    if m.is(|k| k) {
        return cx.def_reusing(r, a, 0).map(Some);
    }
    if n <= 4 {
        let quads = if n == 2 { m.halved() } else { *m };
        let s = vector_src(cx, a)?;
        let dst = cx.def(r, 0)?;
        asm(cx).sse_imm(PSHUFD, xmm(dst), s, order(&quads, 0));
        return Ok(Some(dst));
    }
    for high in [false, true] {
        let from = if high { n / 2 } else { 0 };
        if m.is(|k| from + k / 2) {
            let dst = cx.def_reusing(r, a, 0)?;
            asm(cx).sse(unpack(n, high), xmm(dst), xmm(dst));
            return Ok(Some(dst));
        }
    }
    if n == 8
        && let Some(plan) = WordPlan::new(m)
    {
        let s = vector_src(cx, a)?;
        let dst = cx.def(r, 0)?;
        plan.emit(cx, xmm(dst), s);
        return Ok(Some(dst));
    }
    if let Some(dst) = thinned(cx, r, a, a, m)? {
        return Ok(Some(dst));
    }
    if cx.target.features.ssse3 {
        let dst = cx.def_reusing(r, a, 0)?;
        pshufb(cx, xmm(dst), &m.bytes(), 0);
        return Ok(Some(dst));
    }
    rotated(cx, r, a, a, m)
}

/// Words of one vector, where each half of the result needs at most two doublewords: these are moved to the half, and
/// the words are ordered there.
struct WordPlan {
    quads: u8,
    low: u8,
    high: u8,
}

/// The immediate that leaves all in place.
const IN_PLACE: u8 = 0xe4;

impl WordPlan {
    fn new(m: &Mask) -> Option<WordPlan> {
        let mut quads = [0u8, 1, 2, 3];
        let mut orders = [0u8; 2];
        for half in 0..2 {
            let lanes = &m.lane[4 * half..4 * half + 4];
            let mut need = [None; 2];
            for &l in lanes.iter().filter(|&&l| l >= 0) {
                let q = l as u8 / 2;
                if need.contains(&Some(q)) {
                    continue;
                }
                // In its own place, if that is free.
                let home = (q as usize / 2 == half).then_some(q as usize % 2).filter(|&p| need[p].is_none());
                let place = home.or_else(|| need.iter().position(Option::is_none))?;
                need[place] = Some(q);
            }
            for (p, q) in need.iter().enumerate() {
                quads[2 * half + p] = q.unwrap_or((2 * half + p) as u8);
            }
            for (k, &l) in lanes.iter().enumerate() {
                let word =
                    if l < 0 { k } else { 2 * need.iter().position(|&q| q == Some(l as u8 / 2))? + l as usize % 2 };
                orders[half] |= (word as u8) << (2 * k);
            }
        }
        let quads = quads.iter().enumerate().fold(0, |imm, (k, q)| imm | q << (2 * k));
        Some(WordPlan { quads, low: orders[0], high: orders[1] })
    }

    fn emit(&self, cx: &mut Cx<'_>, x: Xmm, s: Rm<Xmm>) {
        let mut s = s;
        let mut done = false;
        for (op, order) in [(PSHUFD, self.quads), (PSHUFLW, self.low), (PSHUFHW, self.high)] {
            if order == IN_PLACE {
                continue;
            }
            asm(cx).sse_imm(op, x, s, order);
            s = Rm::Reg(x);
            done = true;
        }
        if !done {
            asm(cx).sse(MOVAPS, x, s);
        }
    }
}

/// Lanes of two vectors, in ways that begin with `a`; if there is none, nothing is emitted.
fn both(cx: &mut Cx<'_>, r: Value, a: Value, b: Value, m: &Mask) -> Tried {
    let n = m.n;
    for high in [false, true] {
        let from = if high { n / 2 } else { 0 };
        if m.is(|k| from + k / 2 + k % 2 * n) {
            let s = vector_src(cx, b)?;
            let dst = own(cx, r, a, b)?;
            asm(cx).sse(unpack(n, high), xmm(dst), s);
            return Ok(Some(dst));
        }
    }
    if n <= 4 {
        let quads = if n == 2 { m.halved() } else { *m };
        return four(cx, r, a, b, &quads);
    }
    if let Some(dst) = thinned(cx, r, a, b, m)? {
        return Ok(Some(dst));
    }
    if m.all(|k, l| l as usize % n == k) {
        let bytes = m.bytes();
        let from_a = (0..16).fold(0u128, |bits, k| if bytes.lane[k] < 16 { bits | 0xff << (8 * k) } else { bits });
        let s = vector_src(cx, b)?;
        let dst = own(cx, r, a, b)?;
        let from_a = pool(cx.buf, from_a, 16);
        asm(cx).sse(MOVAPS, X15, from_a);
        asm(cx).sse(PAND, xmm(dst), X15);
        asm(cx).sse(PANDN, X15, s);
        asm(cx).sse(POR, xmm(dst), X15);
        return Ok(Some(dst));
    }
    if let Some(dst) = rotated(cx, r, a, b, m)? {
        return Ok(Some(dst));
    }
    if cx.target.features.ssse3 {
        let s = vector_src(cx, b)?;
        let dst = own(cx, r, a, b)?;
        asm(cx).sse(MOVAPS, X15, s);
        let bytes = m.bytes();
        pshufb(cx, xmm(dst), &bytes, 0);
        pshufb(cx, X15, &bytes, 16);
        asm(cx).sse(POR, xmm(dst), X15);
        return Ok(Some(dst));
    }
    Ok(None)
}

/// Emits `shufps d, s, order`: two lanes of `d`, then two of `s`.
fn shufps(cx: &mut Cx<'_>, d: Xmm, s: Rm<Xmm>, order: [i8; 4]) {
    let imm = order.iter().enumerate().fold(0, |imm, (k, &l)| imm | (l.max(0) as u8 & 3) << (2 * k));
    asm(cx).sse_imm(SHUFPS, d, s, imm)
}

/// Four doublewords of two vectors.
fn four(cx: &mut Cx<'_>, r: Value, a: Value, b: Value, m: &Mask) -> Tried {
    let of_a = |l: i8| (0..4).contains(&l);
    let of_b = |l: i8| l >= 4;
    let l = [m.lane[0], m.lane[1], m.lane[2], m.lane[3]];
    if !l[..2].iter().any(|&l| of_b(l)) && !l[2..].iter().any(|&l| of_a(l)) {
        let s = vector_src(cx, b)?;
        let dst = own(cx, r, a, b)?;
        shufps(cx, xmm(dst), s, l);
        return Ok(Some(dst));
    }
    let mut places = l.iter().enumerate().filter(|&(_, &l)| of_b(l)).map(|(k, _)| k);
    let (Some(p), None) = (places.next(), places.next()) else {
        return two_and_two(cx, r, a, b, l);
    };
    // One lane of b, at p: first combined with the other lane of its half.
    let first = [l[p], l[p], l[p ^ 1], l[p ^ 1]];
    let s = vector_src(cx, a)?;
    let pair = if p % 2 == 0 { [0, 2] } else { [2, 0] };
    if p < 2 {
        let dst = own(cx, r, b, a)?;
        shufps(cx, xmm(dst), s, first);
        shufps(cx, xmm(dst), s, [pair[0], pair[1], l[2], l[3]]);
        return Ok(Some(dst));
    }
    let sb = vector_src(cx, b)?;
    asm(cx).sse(MOVAPS, X15, sb);
    shufps(cx, X15, s, first);
    let dst = cx.def_reusing(r, a, 0)?;
    shufps(cx, xmm(dst), X15.into(), [l[0], l[1], pair[0], pair[1]]);
    Ok(Some(dst))
}

/// At most two lanes of each, in any order: those of `a` and those of `b` are combined, then all are ordered.
fn two_and_two(cx: &mut Cx<'_>, r: Value, a: Value, b: Value, l: [i8; 4]) -> Tried {
    let mut have = [ANY; 4];
    let mut order = 0;
    for (k, &lane) in l.iter().enumerate() {
        if lane < 0 {
            continue;
        }
        let places = if lane < 4 { 0..2 } else { 2..4 };
        let Some(place) = places.clone().find(|&p| have[p] == lane || have[p] == ANY) else { return Ok(None) };
        have[place] = lane;
        order |= (place as u8) << (2 * k);
    }
    let s = vector_src(cx, b)?;
    let dst = own(cx, r, a, b)?;
    shufps(cx, xmm(dst), s, have);
    asm(cx).sse_imm(PSHUFD, xmm(dst), xmm(dst), order);
    Ok(Some(dst))
}

/// Every second lane, even or odd, or every fourth byte: truncation of wider lanes.
fn thinned(cx: &mut Cx<'_>, r: Value, a: Value, b: Value, m: &Mask) -> Tried {
    let odd = m.is(|k| 2 * k + 1);
    let fourth = m.n == 16 && m.is(|k| 4 * k);
    if m.n < 8 || !odd && !fourth && !m.is(|k| 2 * k) {
        return Ok(None);
    }
    let low = lanes_constant(cx, if fourth { 32 } else { 16 }, 0xff);
    let s = if a == b { None } else { Some(vector_src(cx, b)?) };
    let dst = cx.def_reusing(r, a, 0)?;
    let x = xmm(dst);
    let other = s.map_or(x, |_| X15);
    if let Some(s) = s {
        asm(cx).sse(MOVAPS, X15, s);
    }
    for x in [Some(x), s.map(|_| X15)].into_iter().flatten() {
        let mut e = asm(cx);
        match (m.n, odd) {
            (8, true) => e.sse_shift_ri(PSRAD_IMM, x, 16),
            (8, false) => {
                e.sse_shift_ri(PSLLD_IMM, x, 16);
                e.sse_shift_ri(PSRAD_IMM, x, 16);
            }
            (_, true) => e.sse_shift_ri(PSRLW_IMM, x, 8),
            _ => e.sse(PAND, x, low),
        }
    }
    if m.n == 8 || fourth {
        asm(cx).sse(PACKSSDW, x, other);
    }
    if m.n == 16 {
        asm(cx).sse(PACKUSWB, x, if fourth { x } else { other });
    }
    Ok(Some(dst))
}

/// Adjacent bytes, from one vector into the next, or around one vector if both are the same.
fn rotated(cx: &mut Cx<'_>, r: Value, a: Value, b: Value, m: &Mask) -> Tried {
    let bytes = m.bytes();
    let span = if a == b { 16 } else { 32 };
    let Some(by) = (1..16).find(|by| bytes.is(|k| (k + by) % span)) else { return Ok(None) };
    let s = vector_src(cx, a)?;
    let dst = own(cx, r, b, a)?;
    if cx.target.features.ssse3 {
        asm(cx).sse_imm(PALIGNR, xmm(dst), s, by as u8);
        return Ok(Some(dst));
    }
    asm(cx).sse(MOVAPS, X15, s);
    asm(cx).sse_shift_ri(PSRLDQ_IMM, X15, by as u8);
    asm(cx).sse_shift_ri(PSLLDQ_IMM, xmm(dst), 16 - by as u8);
    asm(cx).sse(POR, xmm(dst), X15);
    Ok(Some(dst))
}

/// Any mask, through memory.
fn anything(cx: &mut Cx<'_>, r: Value, a: Value, b: Value, m: &Mask) -> Result<PReg> {
    let mut m = *m;
    while m.n < 8 {
        m = m.halved();
    }
    let uses_b = m.any(|l| l >= m.n as i8);
    let from_a = in_frame(cx, a)?;
    let from_b = if uses_b { in_frame(cx, b)? } else { from_a };
    let bytes = 16 / m.n as u32;
    let place = |l: i8| -> Mem {
        let n = m.n as i8;
        byte_of(if l < n { from_a } else { from_b }, (l % n) as u32 * bytes)
    };
    let dst = cx.def(r, 0)?;
    if m.n == 8 {
        asm(cx).sse(PXOR, xmm(dst), xmm(dst));
        for (k, &l) in m.lanes().iter().enumerate().filter(|(_, l)| **l >= 0) {
            asm(cx).insert(PINSRW, xmm(dst), place(l), k as u8);
        }
        return Ok(dst);
    }
    let out = frame_mem(cx.scratch_place(16)?);
    let t = gpr(byte_temp(cx)?);
    for (k, &l) in m.lanes().iter().enumerate().filter(|(_, l)| **l >= 0) {
        asm(cx).movzx(Size::B1, t, place(l));
        asm(cx).mov_m(Size::B1, byte_of(out, k as u32), t);
    }
    asm(cx).sse(MOVUPS, xmm(dst), out);
    Ok(dst)
}
