//! Without SSE: what vector registers do otherwise for values in memory, that is, accesses, bits as integers, blocks
//! and atomic arithmetic.

use gusset_codegen::error::Result;
use gusset_codegen::ir::{Opcode, RmwOp, Type, Value};

use super::{format, keep_greater, place};
use crate::shared::block::pieces;
use crate::x86::encode::Asm;
use crate::x86::encode::x87::{X87Mem, X87Op};
use crate::x86::machine::{X86, frame_mem, gpr, size_of};
use crate::x86::reg::{Cond, Mem, Size};
use crate::x86::registers::RAX;
use crate::x86::select::cmpxchg::{load_old, memory_loop, set_bits};
use crate::x86::select::domain::not_yet;
use crate::x86::select::operand::*;
use crate::x86::select::pair::store_pair;

/// Copies a value of a type's size; up to four bytes go through a general-purpose register.
fn copy(cx: &mut Cx<'_>, ty: Type, from: Mem, to: Mem) -> Result {
    let bytes = ty.store_bytes();
    if bytes > 4 {
        let mut e = asm(cx);
        e.push_bits(bytes, from);
        e.pop_bits(bytes, to);
        return Ok(());
    }
    let t = cx.temp(false, None)?;
    let mut e = asm(cx);
    e.movzx(size_of(bytes), gpr(t), from);
    e.mov_m(size_of(bytes), to, gpr(t));
    cx.unpin(t);
    Ok(())
}

/// Loads `r`, which is always in memory.
pub(crate) fn load_from(cx: &mut Cx<'_>, r: Value, ty: Type, m: Mem) -> Result {
    let at = frame_mem(cx.def_memory(r)?);
    copy(cx, ty, m, at)
}

/// Stores `v`, which is always in memory.
pub(crate) fn store_to(cx: &mut Cx<'_>, v: Value, ty: Type, m: Mem) -> Result {
    let from = place(cx, v)?;
    copy(cx, ty, from, m)
}

/// The same bits as a number or as an integer.
pub(crate) fn bitcast(cx: &mut Cx<'_>, d: &Node) -> Result {
    let Node { r, a, .. } = *d;
    let ((to, n), (from, m)) = (cx.target_parts(d.ty), cx.target_parts(cx.ty(a)));
    match (to.is_memory(), from.is_memory()) {
        _ if cx.ty(a).is_vector() => not_yet(cx, d),
        (true, true) => {
            let from = place(cx, a)?;
            load_from(cx, r, d.ty, from)
        }
        (true, false) if m == 2 && d.ty == Type::F64 => {
            let at = frame_mem(cx.def_memory(r)?);
            store_pair(cx, a, at)
        }
        (true, false) if m == 1 => {
            let x = cx.use_reg(a)?;
            let at = frame_mem(cx.def_memory(r)?);
            asm(cx).mov_m(Size::B4, at, gpr(x));
            Ok(())
        }
        (false, true) if n <= 2 && d.ty.bits() == cx.ty(a).bits() => {
            let from = place(cx, a)?;
            for part in 0..n {
                let dst = cx.def(r, part)?;
                let m = byte_of(from, 4 * u32::from(part));
                asm(cx).movzx(if d.ty.bits() < 32 { Size::B2 } else { Size::B4 }, gpr(dst), m);
                cx.set(r, part, dst)?;
            }
            Ok(())
        }
        (false, false) => crate::x86::select::int::copy(cx, d),
        _ => not_yet(cx, d),
    }
}

/// Does one general register hold a block of `n` bytes?
pub(crate) fn is_one_step(target: &X86, n: u128) -> bool {
    n.is_power_of_two() && n <= u128::from(target.word_bits() / 8)
}

/// Copies, moves or fills a small block of `n` bytes.
pub(crate) fn block(cx: &mut Cx<'_>, d: &Node, n: u32) -> Result {
    let to = address(cx, d.a, 0)?;
    if d.op == Opcode::Memset {
        let byte = cx.f.int_constant(d.b).unwrap_or(0) as u8;
        pieces(n, 4, false, |k, step| asm(cx).mov_m(size_of(step), byte_of(to, k), i32::from_le_bytes([byte; 4])));
        return Ok(());
    }
    let from = address(cx, d.b, 0)?;
    if d.op == Opcode::Memcpy || is_one_step(cx.target, n.into()) {
        let t = if n % 2 == 1 { byte_temp(cx)? } else { cx.temp(false, None)? };
        pieces(n, cx.target.word_bits() / 8, false, |k, step| {
            let mut e = asm(cx);
            e.movzx(size_of(step), gpr(t), byte_of(from, k));
            e.mov_m(size_of(step), byte_of(to, k), gpr(t));
        });
        return Ok(());
    }
    // Everything is read before anything is written: onto the x87 stack, which has room for 64 bytes.
    let t = if n == 1 || n == 3 { Some(byte_temp(cx)?) } else { None };
    let mut held = [(0, 0); 8];
    let mut count = 0;
    pieces(n, 8, false, |k, step| {
        let mut e = asm(cx);
        match t {
            Some(t) if step == 1 => e.movzx(Size::B1, gpr(t), byte_of(from, k)),
            _ => e.push_bits(step, byte_of(from, k)),
        }
        held[count & 7] = (k, step);
        count += 1;
    });
    for &(k, step) in held[..count].iter().rev() {
        let mut e = asm(cx);
        match t {
            Some(t) if step == 1 => e.mov_m(Size::B1, byte_of(to, k), gpr(t)),
            _ => e.pop_bits(step, byte_of(to, k)),
        }
    }
    Ok(())
}

/// The new value from the old one and the operand, all in memory.
fn combine(e: &mut Asm<'_>, op: RmwOp, kind: X87Mem, old: Mem, b: Mem, new: Mem) {
    match op {
        RmwOp::Fadd | RmwOp::Fsub => {
            e.x87_load(kind, old);
            e.x87_arith_m(if op == RmwOp::Fadd { X87Op::Add } else { X87Op::Sub }, kind == X87Mem::F64, b);
        }
        _ => {
            e.x87_load(kind, b);
            e.x87_load(kind, old);
            keep_greater(e, op == RmwOp::Fmax);
        }
    }
    e.x87_store_pop(kind, new);
}

/// A copy of an operand in the frame, which needs none of the registers that the loops change.
fn operand(cx: &mut Cx<'_>, v: Value, ty: Type) -> Result<Mem> {
    let at = frame_mem(cx.scratch_place(8)?);
    store_to(cx, v, ty, at)?;
    Ok(at)
}

/// Read-modify-write of an `f32`: the new value is computed from the old one until no other thread has changed that in
/// between.
pub(crate) fn float_loop(cx: &mut Cx<'_>, d: &Node, r: Value, op: RmwOp) -> Result {
    let b = operand(cx, d.b, d.ty)?;
    let (old, new) = (frame_mem(cx.scratch_place(8)?), frame_mem(cx.scratch_place(8)?));
    cx.take(RAX)?;
    let m = address(cx, d.a, 0)?;
    let t = cx.temp(false, None)?;
    load_old(cx, Size::B4, m);
    let mut e = asm(cx);
    let top = e.buf.new_label();
    e.buf.bind(top);
    e.mov_m(Size::B4, old, gpr(RAX));
    combine(&mut e, op, X87Mem::F32, old, b, new);
    e.mov(Size::B4, gpr(t), new);
    e.lock_cmpxchg_mr(Size::B4, m, gpr(t));
    e.jcc(Cond::NE, top);
    set_bits(cx, r, RAX)
}

/// The same for an `f64`, including exchanges; the places are for the old value, the new one, and the contents of
/// `ebx`.
pub(crate) fn float_exchange(
    cx: &mut Cx<'_>,
    d: &Node,
    r: Value,
    op: RmwOp,
    (old, new, save): (Mem, Mem, Mem),
) -> Result {
    let b = operand(cx, d.b, d.ty)?;
    memory_loop(cx, d.a, old, save, |e| {
        if op == RmwOp::Xchg {
            return b;
        }
        combine(e, op, format(d.ty), old, b, new);
        new
    })?;
    if cx.live.count(r) == 0 {
        return Ok(());
    }
    load_from(cx, r, d.ty, old)
}
