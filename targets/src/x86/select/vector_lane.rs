//! Lanes of vectors: extracting one, inserting one, filling all.

use gusset_codegen::alloc::Where;
use gusset_codegen::error::Result;
use gusset_codegen::ir::{Type, Value};
use gusset_codegen::machine::PReg;

use super::constant::pool;
use super::float::from_parts;
use super::int::extend_into;
use super::operand::*;
use crate::shared::lanes::{lane_number, set_lanes};
use crate::x86::encode::ops::*;
use crate::x86::machine::X15;
use crate::x86::machine::{frame_mem, gpr, size_of, xmm};
use crate::x86::reg::{Gpr, Mem, Size};

/// A vector in the frame: in its place, or stored to a scratch place.
pub(crate) fn in_frame(cx: &mut Cx<'_>, v: Value) -> Result<Mem> {
    if let Where::Frame(at) = cx.whereabouts(v, 0) {
        return Ok(frame_mem(at));
    }
    let x = cx.use_reg(v)?;
    // The place is aligned like the stack, which may be less than a vector.
    let at = frame_mem(cx.scratch_place(16)?);
    asm(cx).sse_mr(MOVUPS_STORE, at, xmm(x));
    Ok(at)
}

/// The place in the frame of a variable lane: `base` is the vector's, `index` the lane's number.
fn indexed_place(base: Mem, index: PReg, bytes: u32) -> Mem {
    Mem::indexed(base.base().unwrap_or(Gpr(4)), gpr(index), bytes as u8, base.disp())
}

/// A copy of the lane number, within bounds.
fn bounded_index(cx: &mut Cx<'_>, v: Value, lanes: u32) -> Result<PReg> {
    let t = cx.temp(false, None)?;
    cx.copy_into(t, v, 0)?;
    asm(cx).alu(AluOp::And, Size::B4, gpr(t), lanes as i32 - 1);
    Ok(t)
}

/// Loads a lane.
fn load_lane(cx: &mut Cx<'_>, ty: Type, d: PReg, m: Mem) {
    let mut e = asm(cx);
    match ty {
        Type::F32 => e.sse(MOVSS, xmm(d), m),
        Type::F64 => e.sse(MOVSD, xmm(d), m),
        _ => e.movzx(exact_size(ty), gpr(d), m),
    }
}

/// A lane of two words.
fn extract_pair(cx: &mut Cx<'_>, r: Value, a: Value, n: Value) -> Result {
    let at = match lane_number(cx.f, n, 2) {
        None => {
            let at = in_frame(cx, a)?;
            let index = bounded_index(cx, n, 2)?;
            Some(indexed_place(at, index, 8))
        }
        Some(k) => cx.place(a, 0).map(|at| byte_of(frame_mem(at), 8 * u32::from(k))),
    };
    if let Some(m) = at {
        return super::memory::load_from(cx, r, Type::I64, m, 4);
    }
    let k = lane_number(cx.f, n, 2).unwrap_or(0);
    let x = xmm(cx.use_reg(a)?);
    for part in 0..2 {
        let dst = cx.def(r, part)?;
        let mut e = asm(cx);
        match 2 * k + part {
            0 => e.mov_rx(Size::B4, gpr(dst), x),
            lane => {
                e.sse_imm(PSHUFD, X15, x, lane);
                e.mov_rx(Size::B4, gpr(dst), X15);
            }
        }
        cx.set(r, part, dst)?;
    }
    Ok(())
}

/// The lane of a vector.
pub(crate) fn extract(cx: &mut Cx<'_>, d: &Node) -> Result {
    let Node { r, a, .. } = *d;
    let lanes = cx.ty(a).lanes();
    let bytes = 16 / lanes;
    if cx.target_parts(d.ty).1 == 2 {
        return extract_pair(cx, r, a, d.b);
    }
    let Some(k) = lane_number(cx.f, d.b, lanes) else {
        let at = in_frame(cx, a)?;
        let index = bounded_index(cx, d.b, lanes)?;
        let dst = cx.def(r, 0)?;
        load_lane(cx, d.ty, dst, indexed_place(at, index, bytes));
        return cx.set(r, 0, dst);
    };
    if let Some(at) = cx.place(a, 0) {
        let m = byte_of(frame_mem(at), k as u32 * bytes);
        return define(cx, r, |cx, dst| load_lane(cx, d.ty, dst, m));
    }
    if d.ty.is_float() {
        if k == 0 {
            let dst = cx.def_reusing(r, a, 0)?;
            return cx.set(r, 0, dst);
        }
        let x = cx.use_reg(a)?;
        return define(cx, r, |cx, dst| asm(cx).sse_imm(PSHUFD, xmm(dst), xmm(x), if bytes == 8 { 0xee } else { k }));
    }
    let x = xmm(cx.use_reg(a)?);
    let dst = cx.def(r, 0)?;
    let g = gpr(dst);
    let sse41 = cx.target.features.sse41;
    let mut e = asm(cx);
    match bytes {
        1 if sse41 => e.extract(PEXTRB, g, x, k),
        1 => {
            e.pextrw(g, x, k / 2);
            if k % 2 == 1 {
                e.shift_ri(ShiftOp::Shr, Size::B4, g, 8);
            }
        }
        2 => e.pextrw(g, x, k),
        n if k == 0 => e.mov_rx(size_of(n), g, x),
        4 if sse41 => e.extract(PEXTRD, g, x, k),
        8 if sse41 => e.extract(PEXTRQ, g, x, k),
        n => {
            e.sse_imm(PSHUFD, X15, x, if n == 8 { 0xee } else { k });
            e.mov_rx(size_of(n), g, X15);
        }
    }
    cx.set(r, 0, dst)
}

/// A vector with one lane replaced.
pub(crate) fn insert(cx: &mut Cx<'_>, d: &Node) -> Result {
    let Node { r, a, b, .. } = *d;
    let lanes = d.ty.lanes();
    let bytes = 16 / lanes;
    let Some(k) = lane_number(cx.f, d.c, lanes) else {
        return insert_variable(cx, d);
    };
    let set = set_lanes(cx.f, a);
    // Lanes from here on are undefined.
    let above = u32::BITS - set.leading_zeros();
    let lane = d.ty.lane();
    let sse41 = cx.target.features.sse41;
    if lane.is_float() && k == 0 && set == 0 {
        let dst = cx.def_reusing(r, b, 0)?;
        return cx.set(r, 0, dst);
    }
    if lane.is_float() {
        let y = xmm(cx.use_reg(b)?);
        let dst = cx.def_reusing(r, a, 0)?;
        let x = xmm(dst);
        let mut e = asm(cx);
        match (bytes, k) {
            (4, 0) => e.sse(MOVSS, x, y),
            (8, 0) => e.sse(MOVSD, x, y),
            (8, _) => e.sse(UNPCKLPD, x, y),
            (_, 1) if above <= 1 => e.sse(UNPCKLPS, x, y),
            (_, 2) if above <= 2 => e.sse(MOVLHPS, x, y),
            _ if sse41 => e.sse_imm(INSERTPS, x, y, k << 4),
            _ => {
                // Swap with lane 0 and back.
                let order = [0xe4, 0xe1, 0xc6, 0x27][k as usize & 3];
                e.sse_imm(PSHUFD, x, x, order);
                e.sse(MOVSS, x, y);
                e.sse_imm(PSHUFD, x, x, order);
            }
        }
        return cx.set(r, 0, dst);
    }
    if bytes == 1 && !sse41 {
        let t = cx.temp(false, None)?;
        extend_into(cx, t, b, false)?;
        let dst = cx.def_reusing(r, a, 0)?;
        let x = xmm(dst);
        // A chain of insertions into poison begins with zeros.
        if set >> k & 1 == 1 {
            let keep = pool(cx.buf, !(0xff << (8 * k as u32)), 16);
            asm(cx).sse(PAND, x, keep);
        }
        let mut e = asm(cx);
        e.mov_xr(Size::B4, X15, gpr(t));
        if k > 0 {
            e.sse_shift_ri(PSLLDQ_IMM, X15, k);
        }
        e.sse(POR, x, X15);
        return cx.set(r, 0, dst);
    }
    if cx.target_parts(lane).1 == 2 {
        let y = xmm(from_parts(cx, b)?);
        return change(cx, (r, a), |cx, dst| asm(cx).sse(if k == 0 { MOVSD } else { PUNPCKLQDQ }, xmm(dst), y));
    }
    let y = gpr(cx.use_reg(b)?);
    let dst = cx.def_reusing(r, a, 0)?;
    let x = xmm(dst);
    let mut e = asm(cx);
    match (bytes, k) {
        (1, _) => e.insert(PINSRB, x, y, k),
        (2, _) => e.insert(PINSRW, x, y, k),
        (n, 0) if set == 0 => e.mov_xr(size_of(n), x, y),
        (4, _) if sse41 => e.insert(PINSRD, x, y, k),
        (8, _) if sse41 => e.insert(PINSRQ, x, y, k),
        (n, _) => {
            e.mov_xr(size_of(n), X15, y);
            match (n, k) {
                (8, 0) => e.sse(MOVSD, x, X15),
                (8, _) => e.sse(PUNPCKLQDQ, x, X15),
                (_, 0) => e.sse(MOVSS, x, X15),
                (_, 1) if above <= 1 => e.sse(PUNPCKLDQ, x, X15),
                (_, 2) if above <= 2 => e.sse(PUNPCKLQDQ, x, X15),
                _ => {
                    let order = [0xe4, 0xe1, 0xc6, 0x27][k as usize & 3];
                    e.sse_imm(PSHUFD, x, x, order);
                    e.sse(MOVSS, x, X15);
                    e.sse_imm(PSHUFD, x, x, order);
                }
            }
        }
    }
    cx.set(r, 0, dst)
}

fn insert_variable(cx: &mut Cx<'_>, d: &Node) -> Result {
    let lanes = d.ty.lanes();
    let bytes = 16 / lanes;
    let at = frame_mem(cx.scratch_place(16)?);
    let x = cx.use_reg(d.a)?;
    asm(cx).sse_mr(MOVUPS_STORE, at, xmm(x));
    let pair = cx.target_parts(d.ty.lane()).1 == 2;
    let y = if pair { from_parts(cx, d.b)? } else { cx.use_reg(d.b)? };
    let index = bounded_index(cx, d.c, lanes)?;
    let m = indexed_place(at, index, bytes);
    match d.ty.lane() {
        _ if pair => asm(cx).sse_mr(MOVSD_STORE, m, xmm(y)),
        Type::F32 => asm(cx).sse_mr(MOVSS_STORE, m, xmm(y)),
        Type::F64 => asm(cx).sse_mr(MOVSD_STORE, m, xmm(y)),
        _ => {
            let y = sized_reg(cx, size_of(bytes), gpr(y))?;
            asm(cx).mov_m(size_of(bytes), m, y);
        }
    }
    define(cx, d.r, |cx, dst| asm(cx).sse(MOVUPS, xmm(dst), at))
}

/// A vector of equal lanes.
pub(crate) fn splat(cx: &mut Cx<'_>, d: &Node) -> Result {
    let Node { r, a, .. } = *d;
    match d.ty.lane() {
        Type::F32 | Type::F64 => {
            let dst = cx.def_reusing(r, a, 0)?;
            let x = xmm(dst);
            if d.ty.lane() == Type::F32 {
                asm(cx).sse_imm(SHUFPS, x, x, 0);
            } else {
                asm(cx).sse(UNPCKLPD, x, x);
            }
            cx.set(r, 0, dst)
        }
        Type::I64 if cx.target.is_32() => {
            let x = from_parts(cx, a)?;
            asm(cx).sse(PUNPCKLQDQ, xmm(x), xmm(x));
            cx.set(r, 0, x)
        }
        lane => {
            let y = gpr(cx.use_reg(a)?);
            let dst = cx.def(r, 0)?;
            let x = xmm(dst);
            let ssse3 = cx.target.features.ssse3;
            let mut e = asm(cx);
            e.mov_xr(if lane == Type::I64 { Size::B8 } else { Size::B4 }, x, y);
            match lane {
                Type::I8 if ssse3 => {
                    e.sse(PXOR, X15, X15);
                    e.sse(PSHUFB, x, X15);
                }
                Type::I8 | Type::I16 => {
                    if lane == Type::I8 {
                        e.sse(PUNPCKLBW, x, x);
                    }
                    e.sse_imm(PSHUFLW, x, x, 0);
                    e.sse_imm(PSHUFD, x, x, 0);
                }
                Type::I32 => e.sse_imm(PSHUFD, x, x, 0),
                _ => e.sse(PUNPCKLQDQ, x, x),
            }
            cx.set(r, 0, dst)
        }
    }
}
