//! Atomic accesses of up to eight bytes, fences.
//!
//! Loads and stores of these sizes are atomic as they are, and x86-64 reorders only a store with a later load (Intel SDM volume
//! 3, section 9.2): all orderings but sequentially consistent stores and fences come for free, and every locked
//! instruction is a full barrier.

use gusset_codegen::error::{CompileError, Result};
use gusset_codegen::ir::{AtomicInfo, CmpxchgInfo, Opcode, Ordering, RmwOp, Type, Value};
use gusset_codegen::machine::PReg;

use super::cmpxchg::{full_fence, is_pair, load_old, plain_op, set_bits};
use super::fold::small_constant;
use super::memory::{load_from, store_to};
use super::operand::*;
use super::pair::read_rm;
use crate::x86::encode::Asm;
use crate::x86::encode::ops::*;
use crate::x86::machine::{gpr, xmm};
use crate::x86::reg::{Cond, Gpr, Mem, Size};
use crate::x86::registers::RAX;

/// Refuses sizes that the machine does not access at once.
fn check(cx: &Cx<'_>, d: &Node) -> Result {
    let is_simple = d.ty.is_int() && matches!(d.ty.bits(), 1 | 8 | 16 | 32 | 64)
        || matches!(d.ty, Type::F32 | Type::F64 | Type::F16 | Type::BF16);
    if is_simple { Ok(()) } else { super::domain::not_yet(cx, d) }
}

/// What an access is relative to.
pub(super) fn space(d: &Node) -> u8 {
    match d.op {
        Opcode::Cmpxchg => CmpxchgInfo(d.flags).space(),
        Opcode::AtomicLoad => AtomicInfo(d.b.0).space(),
        _ => AtomicInfo(d.c.0).space(),
    }
}

/// The memory that is accessed.
fn place(cx: &mut Cx<'_>, d: &Node) -> Result<Mem> {
    let m = address(cx, d.a, 0)?;
    Ok(super::memory::relative(cx, m, space(d)))
}

/// Refuses accesses of two words, and those by the x87, relative to a segment register.
fn check_space(cx: &Cx<'_>, d: &Node) -> Result {
    let word = d.ty.is_int() || cx.target.has_sse() && !(d.ty == Type::F64 && cx.target.is_32());
    if space(d) == 0 || word && !is_pair(cx, d.ty) {
        return Ok(());
    }
    let why =
        format!("an atomic access to {} relative to a segment register is not supported on {}", d.ty, cx.target.name());
    Err(CompileError::at(cx.f, d.inst, why))
}

/// An atomic load.
pub(crate) fn load(cx: &mut Cx<'_>, d: &Node) -> Result {
    check_space(cx, d)?;
    if is_pair(cx, d.ty) {
        return super::atomic_wide::load(cx, d);
    }
    check(cx, d)?;
    let m = place(cx, d)?;
    load_from(cx, d.r, d.ty, m, AtomicInfo(d.b.0).align())
}

/// An atomic store.
pub(crate) fn store(cx: &mut Cx<'_>, d: &Node) -> Result {
    check_space(cx, d)?;
    let info = AtomicInfo(d.c.0);
    if is_pair(cx, d.ty) {
        return super::atomic_wide::store(cx, d);
    }
    check(cx, d)?;
    let m = place(cx, d)?;
    if d.ty == Type::F64 && cx.target.is_32() {
        // A single access; constants stored in halves would be two.
        if cx.target.has_sse() {
            let x = cx.use_reg(d.b)?;
            asm(cx).sse_mr(MOVSD_STORE, m, xmm(x));
        } else {
            crate::x86::x87::memory::store_to(cx, d.b, d.ty, m)?;
        }
        if info.ordering() == Ordering::SeqCst {
            full_fence(cx);
        }
        return Ok(());
    }
    if info.ordering() != Ordering::SeqCst {
        return store_to(cx, d.b, d.ty, m, info.align());
    }
    let t = bits_of(cx, d.b)?;
    asm(cx).xchg_mr(exact_size(d.ty), m, gpr(t));
    Ok(())
}

/// A copy of an operand's bits in a general-purpose register.
fn bits_of(cx: &mut Cx<'_>, v: Value) -> Result<PReg> {
    let ty = cx.ty(v);
    let t = sized_temp(cx, exact_size(ty))?;
    if ty.is_float() && !cx.target.has_sse() {
        let m = crate::x86::x87::place(cx, v)?;
        asm(cx).mov(Size::B4, gpr(t), m);
    } else if ty.is_float() {
        let x = cx.use_reg(v)?;
        asm(cx).mov_rx(op_size(ty), gpr(t), xmm(x));
    } else {
        cx.copy_into(t, v, 0)?;
    }
    Ok(t)
}

/// A fence.
pub(crate) fn fence(cx: &mut Cx<'_>, d: &Node) -> Result {
    let n = d.a.0;
    if n & 8 == 0 && Ordering::from_u8(n as u8 & 7) == Some(Ordering::SeqCst) {
        full_fence(cx);
    }
    Ok(())
}

/// Compare and exchange.
pub(crate) fn compare_exchange(cx: &mut Cx<'_>, d: &Node) -> Result {
    check_space(cx, d)?;
    if is_pair(cx, d.ty) {
        return super::atomic_wide::compare_exchange(cx, d);
    }
    check(cx, d)?;
    let flag = Value(d.r.0 + 1);
    let (b, c) = (d.b, d.c);
    if d.ty.is_float() {
        return super::domain::not_yet(cx, d);
    }
    cx.take(RAX)?;
    cx.copy_into(RAX, b, 0)?;
    let m = place(cx, d)?;
    let new = cx.use_reg(c)?;
    let new = sized_reg(cx, exact_size(d.ty), gpr(new))?;
    asm(cx).lock_cmpxchg_mr(exact_size(d.ty), m, new);
    cx.unpin(PReg::int(new.0));
    if cx.live.count(flag) != 0 {
        cx.current.flags_live = true;
        let f = byte_temp(cx)?;
        asm(cx).setcc(Cond::E, gpr(f));
        // The flag first: it may be in the other result's home.
        cx.set(flag, 0, f)?;
    }
    cx.set(d.r, 0, RAX)
}

/// An operand as a constant, register or memory.
fn operand(cx: &mut Cx<'_>, v: Value) -> Result<Src> {
    if let Some(n) = small_constant(cx.f, v) {
        return Ok(Src::Imm(n));
    }
    read_rm(cx, v, 0).map(Src::from)
}

/// Read, modify, write.
pub(crate) fn read_modify_write(cx: &mut Cx<'_>, d: &Node) -> Result {
    check_space(cx, d)?;
    use RmwOp::*;
    if is_pair(cx, d.ty) {
        return super::atomic_wide::read_modify_write(cx, d);
    }
    check(cx, d)?;
    let r = d.r;
    let Some(op) = RmwOp::from_u8(d.flags) else { return super::domain::not_yet(cx, d) };
    let b = d.b;
    let size = exact_size(d.ty);
    if d.ty == Type::I1 {
        return super::domain::not_yet(cx, d);
    }
    let unused = cx.live.count(r) == 0;
    match (op, plain_op(op)) {
        (Xchg | Fadd | Fsub | Fmax | Fmin, _) if d.ty == Type::F64 && cx.target.is_32() => {
            super::atomic_wide::float_exchange(cx, d, r, op)
        }
        (Xchg, _) => {
            let m = place(cx, d)?;
            let t = bits_of(cx, b)?;
            asm(cx).xchg_mr(size, m, gpr(t));
            set_bits(cx, r, t)
        }
        (_, Some(op)) if unused => {
            let m = place(cx, d)?;
            let s = reg_or_imm(cx, b, size)?;
            asm(cx).lock_alu_m(op, size, m, s);
            Ok(())
        }
        (Add | Sub, _) => {
            let m = place(cx, d)?;
            let t = bits_of(cx, b)?;
            if op == Sub {
                asm(cx).unary(NEG, op_size(d.ty), gpr(t));
            }
            asm(cx).lock_xadd_mr(size, m, gpr(t));
            cx.set(r, 0, t)
        }
        (Fadd | Fsub | Fmax | Fmin, _) if d.ty == Type::F32 && !cx.target.has_sse() => {
            crate::x86::x87::memory::float_loop(cx, d, r, op)
        }
        (Fadd | Fsub | Fmax | Fmin, _) if matches!(d.ty, Type::F32 | Type::F64) => float_loop(cx, d, r, op),
        (Fadd | Fsub | Fmax | Fmin, _) => super::domain::not_yet(cx, d),
        _ => int_loop(cx, d, r, op),
    }
}

/// Integers: the new value is computed from the old one until no other thread has changed that in between.
fn int_loop(cx: &mut Cx<'_>, d: &Node, r: Value, op: RmwOp) -> Result {
    let (size, wide) = (exact_size(d.ty), op_size(d.ty));
    cx.take(RAX)?;
    // First what may need registers with a byte form.
    let t = sized_temp(cx, size)?;
    let s = operand(cx, d.b)?;
    let s = sized_src(cx, size, s)?;
    let m = place(cx, d)?;
    let (old, new) = (gpr(RAX), gpr(t));
    load_old(cx, size, m);
    let top = cx.buf.new_label();
    cx.buf.bind(top);
    let mut e = asm(cx);
    step(&mut e, op, (size, wide), (old, new), s);
    e.lock_cmpxchg_mr(size, m, new);
    e.jcc(Cond::NE, top);
    cx.set(r, 0, RAX)
}

/// The new value from the old one and the operand, which may have bits beyond `size` changed; `wide` is the size to
/// compute in.
pub(crate) fn step(e: &mut Asm<'_>, op: RmwOp, (size, wide): (Size, Size), (old, new): (Gpr, Gpr), s: Src) {
    use RmwOp::*;
    let take_operand = |e: &mut Asm<'_>| match s {
        Src::Reg(r) => e.mov(wide, new, r),
        Src::Mem(m) => e.mov(wide, new, m),
        Src::Imm(n) => e.mov_ri(wide, new, n as i64),
    };
    match op {
        Add | Sub | And | Nand | Or | Xor => {
            e.mov(wide, new, old);
            e.alu(plain_op(op).unwrap_or(AluOp::And), wide, new, s);
            if op == Nand {
                e.unary(NOT, wide, new);
            }
        }
        Max | Min | Umax | Umin => {
            take_operand(e);
            e.alu(AluOp::Cmp, size, old, s);
            let keep = match op {
                Max => Cond::G,
                Min => Cond::LE,
                Umax => Cond::A,
                _ => Cond::BE,
            };
            e.cmov(keep, wide, new, old);
        }
        UincWrap => {
            e.lea(wide, new, Mem::at(old, 1));
            e.alu(AluOp::Cmp, size, old, s);
            let less = e.buf.new_label();
            e.jcc(Cond::B, less);
            e.mov_ri(Size::B4, new, 0);
            e.buf.bind(less);
        }
        _ => {
            let (keep, wrap) = (e.buf.new_label(), e.buf.new_label());
            e.lea(wide, new, Mem::at(old, -1));
            e.test_rr(size, old, old);
            e.jcc(Cond::E, wrap);
            e.alu(AluOp::Cmp, size, old, s);
            e.jcc(Cond::BE, keep);
            e.buf.bind(wrap);
            take_operand(e);
            e.buf.bind(keep);
        }
    }
}

/// Floating point, with the same loop.
fn float_loop(cx: &mut Cx<'_>, d: &Node, r: Value, op: RmwOp) -> Result {
    let size = exact_size(d.ty);
    let single = d.ty == Type::F32;
    cx.take(RAX)?;
    let m = place(cx, d)?;
    let s = float_src(cx, d.b)?;
    let t = cx.temp(false, None)?;
    let now = cx.temp(true, None)?;
    let x = xmm(now);
    let (old, new) = (gpr(RAX), gpr(t));
    let pick = |f, d| if single { f } else { d };
    let copy = if let Rm::Reg(_) = s { MOVAPS } else { pick(MOVSS, MOVSD) };
    load_old(cx, size, m);
    let sums = matches!(op, RmwOp::Fadd | RmwOp::Fsub);
    let op = match op {
        RmwOp::Fadd => pick(ADDSS, ADDSD),
        RmwOp::Fsub => pick(SUBSS, SUBSD),
        RmwOp::Fmax => pick(MAXSS, MAXSD),
        _ => pick(MINSS, MINSD),
    };
    let y = if sums { x } else { xmm(cx.temp(true, None)?) };
    let top = cx.buf.new_label();
    cx.buf.bind(top);
    let mut e = asm(cx);
    e.mov_xr(size, x, old);
    if sums {
        e.sse(op, x, s);
    } else {
        // The instruction returns the second operand if either is a NaN; that is the old value. If that is the NaN, the
        // result is the other one.
        e.sse(copy, y, s);
        e.sse(op, y, x);
        e.sse(pick(UCOMISS, UCOMISD), x, x);
        let number = e.buf.new_label();
        e.jcc(Cond::NP, number);
        e.sse(copy, y, s);
        e.buf.bind(number);
    }
    e.mov_rx(size, new, y);
    e.lock_cmpxchg_mr(size, m, new);
    e.jcc(Cond::NE, top);
    cx.unpin(now);
    set_bits(cx, r, RAX)
}
