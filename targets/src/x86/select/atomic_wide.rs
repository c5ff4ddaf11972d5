//! Atomic accesses of two words: `cmpxchg16b`, or the library's functions where that is not available, and `cmpxchg8b`
//! on i386.
//!
//! `cmpxchg16b` compares `rdx:rax` and stores `rcx:rbx`. `rbx` may be somebody's home or belong to the caller, so it is
//! saved meanwhile. The address is in `rsi`, which functions for Windows reserve for that.

use gusset_codegen::ir::{AtomicInfo, Ordering, RmwOp, Type, Value};
use gusset_codegen::machine::PReg;

use super::cmpxchg::{begin, full_fence, high, memory_loop, pair_loop, plain_op};
use super::float::from_parts;
use super::operand::*;
use crate::x86::encode::Asm;
use crate::x86::encode::ops::*;
use crate::x86::machine::{frame_mem, gpr, xmm};
use crate::x86::reg::{Cond, Mem, Size};
use crate::x86::registers::{RAX, RBX, RCX, RDX, RSI};

/// An atomic load.
pub(crate) fn load(cx: &mut Cx<'_>, d: &Node) -> Result {
    let w = cx.target.word_size();
    let r = d.r;
    if cx.target.is_32() && !cx.f.attrs.no_implicit_float {
        let m = address(cx, d.a, 0)?;
        if !cx.target.has_sse() {
            // The x87 accesses all of it at once (Intel SDM volume 3, section 9.1.1).
            let at = frame_mem(cx.scratch_place(8)?);
            asm(cx).push_bits(8, m);
            asm(cx).pop_bits(8, at);
            return take_old(cx, r, at);
        }
        // A vector register accesses all of it at once.
        let t = cx.temp(true, None)?;
        asm(cx).sse(MOVSD, xmm(t), m);
        let (low, high) = (cx.def(r, 0)?, cx.def(r, 1)?);
        let mut e = asm(cx);
        e.mov_rx(w, gpr(low), xmm(t));
        e.sse_imm(PSHUFD, xmm(t), xmm(t), 0x55);
        e.mov_rx(w, gpr(high), xmm(t));
        return set_pair(cx, r, low, high);
    }
    // If memory holds zero, zero is exchanged for zero.
    begin(cx, d.a)?;
    let save = frame_mem(cx.scratch_place(8)?);
    cx.lend(RBX);
    let mut e = asm(cx);
    e.mov_m(w, save, gpr(RBX));
    for g in [RAX, RDX, RCX, RBX] {
        e.alu(AluOp::Xor, Size::B4, gpr(g), gpr(g));
    }
    e.lock_cmpxchg_pair(Mem::at(gpr(RSI), 0));
    e.mov(w, gpr(RBX), save);
    cx.restore(RBX);
    set_pair(cx, r, RAX, RDX)
}

/// An atomic store.
pub(crate) fn store(cx: &mut Cx<'_>, d: &Node) -> Result {
    let info = AtomicInfo(d.c.0);
    if cx.target.is_32() && !cx.f.attrs.no_implicit_float {
        if cx.target.has_sse() {
            let t = from_parts(cx, d.b)?;
            let m = address(cx, d.a, 0)?;
            asm(cx).sse_mr(MOVSD_STORE, m, xmm(t));
        } else {
            let at = frame_mem(cx.scratch_place(8)?);
            super::memory::store_to(cx, d.b, Type::I64, at, 4)?;
            let m = address(cx, d.a, 0)?;
            asm(cx).push_bits(8, at);
            asm(cx).pop_bits(8, m);
        }
        if info.ordering() == Ordering::SeqCst {
            full_fence(cx);
        }
        return Ok(());
    }
    exchange(cx, d, RmwOp::Xchg)
}

/// Read-modify-write of an `f64` on i386, with the same loop: the old value and the new one go through memory between
/// the two kinds of registers.
pub(crate) fn float_exchange(cx: &mut Cx<'_>, d: &Node, r: Value, op: RmwOp) -> Result {
    let (old, new) = (frame_mem(cx.scratch_place(8)?), frame_mem(cx.scratch_place(8)?));
    let save = frame_mem(cx.scratch_place(8)?);
    if !cx.target.has_sse() {
        return crate::x86::x87::memory::float_exchange(cx, d, r, op, (old, new, save));
    }
    let s = xmm(cx.use_reg(d.b)?);
    let (t, y) = (cx.temp(true, None)?, xmm(cx.temp(true, None)?));
    let x = xmm(t);
    memory_loop(cx, d.a, old, save, |e| {
        match op {
            RmwOp::Fadd | RmwOp::Fsub => {
                e.sse(MOVSD, y, old);
                e.sse(if op == RmwOp::Fadd { ADDSD } else { SUBSD }, y, s);
            }
            RmwOp::Fmax | RmwOp::Fmin => {
                // The instruction returns the second operand if either is a NaN; that is the old value. If that is the
                // NaN, the result is the other one.
                e.sse(MOVSD, x, old);
                e.sse(MOVAPS, y, s);
                e.sse(if op == RmwOp::Fmax { MAXSD } else { MINSD }, y, x);
                e.sse(UCOMISD, x, x);
                let number = e.buf.new_label();
                e.jcc(Cond::NP, number);
                e.sse(MOVAPS, y, s);
                e.buf.bind(number);
            }
            _ => e.sse(MOVAPS, y, s),
        }
        e.sse_mr(MOVSD_STORE, new, y);
        new
    })?;
    if cx.live.count(r) == 0 {
        return Ok(());
    }
    asm(cx).sse(MOVSD, x, old);
    cx.set(r, 0, t)
}

/// Read, modify, write.
pub(crate) fn read_modify_write(cx: &mut Cx<'_>, d: &Node) -> Result {
    use RmwOp::*;
    let Some(op) = RmwOp::from_u8(d.flags) else { return super::domain::not_yet(cx, d) };
    if matches!(op, Fadd | Fsub | Fmax | Fmin) {
        return super::domain::not_yet(cx, d);
    }
    exchange(cx, d, op)?;
    set_pair(cx, d.r, RAX, RDX)
}

/// The loop around `cmpxchg16b`; leaves the old value in `rdx:rax`.
fn exchange(cx: &mut Cx<'_>, d: &Node, op: RmwOp) -> Result {
    let w = cx.target.word_size();
    let b = d.b;
    let place = frame_mem(cx.scratch_place(16)?);
    let save = frame_mem(cx.scratch_place(8)?);
    begin(cx, d.a)?;
    cx.copy_into(RAX, b, 0)?;
    cx.copy_into(RDX, b, 1)?;
    let mut e = asm(cx);
    e.mov_m(w, place, gpr(RAX));
    e.mov_m(w, high(w, place), gpr(RDX));
    pair_loop(cx, save, |e| combine(e, op, (RAX, RDX), (RBX, RCX), place))
}

/// The new value from the old one and the operand in memory.
pub(crate) fn combine(e: &mut Asm<'_>, op: RmwOp, old: (PReg, PReg), new: (PReg, PReg), b: Mem) {
    let w = e.word_size();
    use RmwOp::*;
    let (x, y, u, v) = (gpr(old.0), gpr(old.1), gpr(new.0), gpr(new.1));
    if let Some(plain) = plain_op(if op == Nand { And } else { op }) {
        e.mov(w, u, x);
        e.mov(w, v, y);
        e.alu(plain, w, u, b);
        e.alu(plain.carrying(), w, v, high(w, b));
    }
    let order = |e: &mut Asm<'_>| {
        // "Below" or "less" if the old value is smaller than the operand.
        e.alu(AluOp::Cmp, w, x, b);
        e.mov(w, v, y);
        e.alu(AluOp::Sbb, w, v, high(w, b));
    };
    let load = |e: &mut Asm<'_>| {
        e.mov(w, u, b);
        e.mov(w, v, high(w, b));
    };
    match op {
        Nand => {
            e.unary(NOT, w, u);
            e.unary(NOT, w, v);
        }
        Max | Min | Umax | Umin => {
            let keep = match op {
                Max => Cond::GE,
                Min => Cond::L,
                Umax => Cond::AE,
                _ => Cond::B,
            };
            order(e);
            load(e);
            e.cmov(keep, w, u, x);
            e.cmov(keep, w, v, y);
        }
        UincWrap => {
            order(e);
            let (wrap, done) = (e.buf.new_label(), e.buf.new_label());
            e.jcc(Cond::AE, wrap);
            e.mov(w, u, x);
            e.mov(w, v, y);
            e.alu(AluOp::Add, w, u, 1);
            e.alu(AluOp::Adc, w, v, 0);
            e.jmp(done);
            e.buf.bind(wrap);
            e.mov_ri(Size::B4, u, 0);
            e.mov_ri(Size::B4, v, 0);
            e.buf.bind(done);
        }
        UdecWrap => {
            // One less, unless the old value is zero or above the operand, that is, not below the operand plus one.
            let (wrap, done) = (e.buf.new_label(), e.buf.new_label());
            e.mov(w, u, x);
            e.mov(w, v, y);
            e.alu(AluOp::Sub, w, u, 1);
            e.alu(AluOp::Sbb, w, v, 0);
            e.jcc(Cond::B, wrap);
            // The old value is above the operand exactly if one less is not below it.
            e.alu(AluOp::Cmp, w, u, b);
            e.mov(w, u, v);
            e.alu(AluOp::Sbb, w, u, high(w, b));
            e.jcc(Cond::AE, wrap);
            e.mov(w, u, x);
            e.alu(AluOp::Sub, w, u, 1);
            e.jmp(done);
            e.buf.bind(wrap);
            load(e);
            e.buf.bind(done);
        }
        Xchg => load(e),
        _ => {}
    }
}

/// Compare and exchange.
pub(crate) fn compare_exchange(cx: &mut Cx<'_>, d: &Node) -> Result {
    let w = cx.target.word_size();
    let flag = Value(d.r.0 + 1);
    let (a, b, c) = (d.a, d.b, d.c);
    let save = frame_mem(cx.scratch_place(8)?);
    begin(cx, a)?;
    cx.copy_into(RAX, b, 0)?;
    cx.copy_into(RDX, b, 1)?;
    cx.copy_into(RCX, c, 1)?;
    asm(cx).mov_m(w, save, gpr(RBX));
    cx.lend(RBX);
    cx.copy_into(RBX, c, 0)?;
    let mut e = asm(cx);
    e.lock_cmpxchg_pair(Mem::at(gpr(RSI), 0));
    e.mov(w, gpr(RBX), save);
    e.setcc(Cond::E, gpr(RCX));
    cx.restore(RBX);
    cx.set(flag, 0, RCX)?;
    set_pair(cx, d.r, RAX, RDX)
}

fn take_old(cx: &mut Cx<'_>, r: Value, place: Mem) -> Result {
    let w = cx.target.word_size();
    let (lo, hi) = (cx.def(r, 0)?, cx.def(r, 1)?);
    asm(cx).mov(w, gpr(lo), place);
    asm(cx).mov(w, gpr(hi), high(w, place));
    set_pair(cx, r, lo, hi)
}
