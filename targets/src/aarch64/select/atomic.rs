//! Atomic accesses. Between an exclusive load and its store nothing touches memory: all operands are in registers before.

use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{AtomicInfo, CmpxchgInfo, Ordering, RmwOp, Type, Value};
use gusset_codegen::machine::PReg;

use super::atomic_pair;
use super::memory::{load_op, store_op};
use super::operand::*;
use crate::aarch64::encode::ops::*;
use crate::aarch64::encode::{Asm, TEMP};
use crate::aarch64::machine::{gpr, vreg, width};
use crate::aarch64::reg::{Cond, Fp, Gpr, Mem, Width, ZR};
use crate::aarch64::registers::CALLEE;

/// The logarithm of an access's size; an error for types that no access has.
fn size(cx: &Cx<'_>, d: &Node, ty: Type) -> Result<u32, CompileError> {
    if ty.bits() > 64 || ty.is_vector() {
        return not_yet(cx, d);
    }
    Ok(ty.store_bytes().trailing_zeros())
}

/// A load.
pub(crate) fn load(cx: &mut Cx<'_>, d: &Node) -> Done {
    if d.ty == Type::I128 {
        return atomic_pair::load(cx, d);
    }
    let size = size(cx, d, d.ty)?;
    let acquire = order(AtomicInfo(d.b.0).ordering()).0;
    let n = reg(cx, d.a)?;
    let float = cx.target_parts(d.ty).0.is_float();
    cx.release();
    let t = if float { temp(cx)? } else { gpr(cx.def(d.r, 0)?) };
    let weaker = cx.target.features.rcpc && AtomicInfo(d.b.0).ordering() == Ordering::Acquire;
    let mut e = asm(cx);
    match (acquire, weaker) {
        (true, true) => e.ordered(LDAPR, size, t, n),
        (true, false) => e.ordered(LDAR, size, t, n),
        (false, _) => e.access(load_op(false, 1 << size), t, Mem::Base(n, 0)),
    }
    set_bits(cx, d.r, t)
}

/// Binds a result to the bits in a register.
fn set_bits(cx: &mut Cx<'_>, r: Value, t: Gpr) -> Done {
    let ty = cx.ty(r);
    if !cx.target_parts(ty).0.is_float() {
        return cx.set(r, 0, PReg::int(t.0));
    }
    let dst = cx.def(r, 0)?;
    let (w, fp) = if ty == Type::F64 { (Width::X, Fp::D) } else { (Width::W, Fp::S) };
    asm(cx).from_int(FMOV_FROM_INT, w, fp, vreg(dst), t);
    cx.set(r, 0, dst)
}

/// An operand's bits in a general-purpose register.
fn bits_of(cx: &mut Cx<'_>, v: Value) -> Result<Gpr, CompileError> {
    let ty = cx.ty(v);
    if !cx.target_parts(ty).0.is_float() {
        return reg_or_zero(cx, v);
    }
    let x = float(cx, v)?;
    let t = temp(cx)?;
    let (w, fp) = if ty == Type::F64 { (Width::X, Fp::D) } else { (Width::W, Fp::S) };
    asm(cx).to_int(FMOV_TO_INT, w, fp, t, x);
    Ok(t)
}

/// A store.
pub(crate) fn store(cx: &mut Cx<'_>, d: &Node) -> Done {
    if d.ty == Type::I128 {
        return atomic_pair::store(cx, d);
    }
    let size = size(cx, d, d.ty)?;
    let release = order(AtomicInfo(d.c.0).ordering()).1;
    let t = bits_of(cx, d.b)?;
    let n = reg(cx, d.a)?;
    let mut e = asm(cx);
    if release {
        e.ordered(STLR, size, t, n);
    } else {
        e.access(store_op(false, 1 << size), t, Mem::Base(n, 0));
    }
    Ok(())
}

/// A fence.
pub(crate) fn fence(cx: &mut Cx<'_>, d: &Node) -> Done {
    let n = d.a.0;
    if n & 8 == 0 {
        let acquire = Ordering::from_u8(n as u8 & 7) == Some(Ordering::Acquire);
        asm(cx).plain(if acquire { DMB_ISHLD } else { DMB_ISH });
    }
    Ok(())
}

/// The exclusive load and store of an order.
fn exclusive((acquire, release): (bool, bool)) -> (Ordered, Conditional) {
    (if acquire { LDAXR } else { LDXR }, if release { STLXR } else { STXR })
}

/// Compare and exchange.
pub(crate) fn compare_exchange(cx: &mut Cx<'_>, d: &Node) -> Done {
    let how = order_of_exchange(CmpxchgInfo(d.flags));
    if d.ty == Type::I128 {
        return atomic_pair::compare_exchange(cx, d, how);
    }
    let (flag, size) = (Value(d.r.0 + 1), size(cx, d, d.ty)?);
    if d.ty.is_float() {
        return not_yet(cx, d);
    }
    let n = reg(cx, d.a)?;
    let (expected, new) = (reg(cx, d.b)?, reg_or_zero(cx, d.c)?);
    let old = cx.temp(false, None)?;
    let (o, status) = (gpr(old), gpr(CALLEE));
    let lse = cx.target.features.lse;
    let mut e = asm(cx);
    if lse {
        e.mov(width(d.ty), o, expected);
        e.compare_and_swap(size, how, o, new, n);
        compare_old(&mut e, d.ty, o, expected);
    } else {
        let (load, store) = exclusive(how);
        let (top, done) = (e.buf.new_label(), e.buf.new_label());
        e.buf.bind(top);
        e.ordered(load, size, o, n);
        compare_old(&mut e, d.ty, o, expected);
        e.b_if(Cond::Ne, done);
        e.conditional(store, size, status, new, n);
        e.cbz(Width::W, false, status, top);
        e.buf.bind(done);
    }
    if cx.live.count(flag) != 0 {
        let f = cx.temp(false, None)?;
        asm(cx).cset(gpr(f), Cond::Eq);
        cx.set(d.r, 0, old)?;
        return cx.set(flag, 0, f);
    }
    cx.set(d.r, 0, old)
}

/// Compares an old value, which has zeros above its width, with one that may have anything there.
fn compare_old(e: &mut Asm<'_>, ty: Type, old: Gpr, with: Gpr) {
    if ty.bits() < 32 {
        e.add_extended(SUBS, Width::W, ZR, old, (with, extension(ty, false), 0));
    } else {
        e.add_rr(SUBS, width(ty), ZR, old, with);
    }
}

/// Read, modify, write.
pub(crate) fn read_modify_write(cx: &mut Cx<'_>, d: &Node) -> Done {
    let Some(op) = RmwOp::from_u8(d.flags) else { return not_yet(cx, d) };
    let how = order(AtomicInfo(d.c.0).ordering());
    if d.ty == Type::I128 {
        return atomic_pair::read_modify_write(cx, d, op, how);
    }
    let size = size(cx, d, d.ty)?;
    let n = reg(cx, d.a)?;
    let number = matches!(op, RmwOp::Fadd | RmwOp::Fsub | RmwOp::Fmax | RmwOp::Fmin);
    if d.ty == Type::I1 || number {
        return not_yet(cx, d);
    }
    let y = bits_of(cx, d.b)?;
    let old = cx.temp(false, None)?;
    if cx.target.features.lse && at_once(cx, op, size, how, (y, gpr(old), n), d.ty) {
        return set_bits(cx, d.r, gpr(old));
    }
    let (o, new, status) = (gpr(old), TEMP, gpr(CALLEE));
    // What is compared has the extension of what was loaded.
    let signed = matches!(op, RmwOp::Max | RmwOp::Min);
    let y = if d.ty.bits() < 32 && y != ZR && is_compared(op) {
        let t = temp(cx)?;
        asm(cx).extend(signed, Width::W, t, y, d.ty.bits());
        t
    } else {
        y
    };
    let (load, store) = exclusive(how);
    let mut e = asm(cx);
    let top = e.buf.new_label();
    e.buf.bind(top);
    e.ordered(load, size, o, n);
    step(&mut e, op, d.ty, (o, new), y);
    let stored = if op == RmwOp::Xchg { y } else { new };
    e.conditional(store, size, status, stored, n);
    e.cbz(Width::W, false, status, top);
    set_bits(cx, d.r, o)
}

fn is_compared(op: RmwOp) -> bool {
    use RmwOp::*;
    matches!(op, Max | Min | Umax | Umin | UincWrap | UdecWrap)
}

/// The new value of the old one and the operand.
fn step(e: &mut Asm<'_>, op: RmwOp, ty: Type, (old, new): (Gpr, Gpr), y: Gpr) {
    use RmwOp::*;
    let w = width(ty);
    let choose = |e: &mut Asm<'_>, keep: Cond| {
        let signed = matches!(op, Max | Min);
        if signed && ty.bits() < 32 {
            e.extend(true, w, new, old, ty.bits());
            e.add_rr(SUBS, w, ZR, new, y);
        } else {
            e.add_rr(SUBS, w, ZR, old, y);
        }
        e.choice(CSEL, w, new, (old, y), keep);
    };
    match op {
        Xchg => {}
        Add => e.add_rr(ADD, w, new, old, y),
        Sub => e.add_rr(SUB, w, new, old, y),
        And => e.logic_rr(AND, w, new, old, y),
        Or => e.logic_rr(ORR, w, new, old, y),
        Xor => e.logic_rr(EOR, w, new, old, y),
        Nand => {
            e.logic_rr(AND, w, new, old, y);
            e.logic_rr(ORN, w, new, ZR, new);
        }
        Max => choose(e, Cond::Gt),
        Min => choose(e, Cond::Le),
        Umax => choose(e, Cond::Hi),
        Umin => choose(e, Cond::Ls),
        UincWrap => {
            e.add_rr(SUBS, w, ZR, old, y);
            e.choice(CSINC, w, new, (ZR, old), Cond::Hs);
        }
        _ => {
            // The operand if the old value is zero or more than it, else one less.
            e.add_rr(SUBS, w, ZR, old, y);
            e.cond_compare_ri(CCMP, w, old, 0, (4, Cond::Ls));
            e.add_ri(SUB, w, new, old, 1);
            e.choice(CSEL, w, new, (y, new), Cond::Eq);
        }
    }
}

/// By one instruction of LSE, if there is one.
fn at_once(cx: &mut Cx<'_>, op: RmwOp, size: u32, how: (bool, bool), (y, old, n): (Gpr, Gpr, Gpr), ty: Type) -> bool {
    let w = width(ty);
    let mut e = asm(cx);
    let (op, y) = match op {
        RmwOp::Xchg => (SWP, y),
        RmwOp::Add => (LDADD, y),
        RmwOp::Or => (LDSET, y),
        RmwOp::Xor => (LDEOR, y),
        RmwOp::Max => (LDSMAX, y),
        RmwOp::Min => (LDSMIN, y),
        RmwOp::Umax => (LDUMAX, y),
        RmwOp::Umin => (LDUMIN, y),
        RmwOp::Sub => {
            e.add_rr(SUB, w, TEMP, ZR, y);
            (LDADD, TEMP)
        }
        RmwOp::And => {
            e.logic_rr(ORN, w, TEMP, ZR, y);
            (LDCLR, TEMP)
        }
        _ => return false,
    };
    e.update(op, size, how, y, old, n);
    true
}
