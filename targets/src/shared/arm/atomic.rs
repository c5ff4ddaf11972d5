//! Atomic accesses. Between an exclusive load and its store nothing accesses memory: all operands are in registers
//! before.

use gusset_codegen::alloc::Emitter;
use gusset_codegen::buffer::Label;
use gusset_codegen::error::Result;
use gusset_codegen::ir::{AtomicInfo, CmpxchgInfo, Opcode, Ordering, RmwOp, Value};
use gusset_codegen::machine::PReg;

use super::family::{Encoder, Family, Sum};
use super::operand::{Pair, extended, not_yet, reg, temp};
use super::{Cond, Gpr, gpr};
use crate::shared::Node;

/// Does an access order the accesses after it, and those before it?
pub(crate) fn order(o: Ordering) -> (bool, bool) {
    match o {
        Ordering::Acquire => (true, false),
        Ordering::Release => (false, true),
        Ordering::AcqRel | Ordering::SeqCst => (true, true),
        _ => (false, false),
    }
}

/// The same for a compare-exchange, whether or not it fails.
pub(crate) fn order_of_exchange(info: CmpxchgInfo) -> (bool, bool) {
    let (success, failure) = (order(info.success()), order(info.failure()));
    (success.0 || failure.0, success.1)
}

/// Emits an atomic load, store or change.
pub(crate) fn select<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    let bits = d.ty.bits();
    match d.op {
        _ if bits == 2 * T::WORD.bits() => T::atomic_pair(cx, d),
        _ if bits > T::WORD.bits() || d.ty.is_vector() => not_yet(cx, d),
        Opcode::AtomicLoad => load(cx, d),
        Opcode::AtomicStore => store(cx, d),
        Opcode::AtomicRmw => read_modify_write(cx, d),
        _ => compare_exchange(cx, d),
    }
}

fn load<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    let n = reg(cx, d.a)?;
    let float = cx.target_parts(d.ty).0.is_float();
    cx.release();
    let (t, target) = (if float { temp(cx)? } else { gpr(cx.def(d.r, 0)?) }, cx.target);
    target.load_ordered(&mut target.encoder(cx.buf), d.ty.store_bytes(), AtomicInfo(d.b.0).ordering(), t, n);
    set_bits(cx, d.r, t)
}

fn store<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    let t = bits_of(cx, d.b)?;
    let (n, target) = (reg(cx, d.a)?, cx.target);
    target.store_ordered(&mut target.encoder(cx.buf), d.ty.store_bytes(), AtomicInfo(d.c.0).ordering(), t, n);
    Ok(())
}

/// Binds a result to the bits in a register.
fn set_bits<T: Family>(cx: &mut Emitter<'_, T>, r: Value, t: Gpr) -> Result {
    let (kind, t) = (cx.target_parts(cx.ty(r)).0, PReg::int(t.0));
    if !kind.is_float() {
        return cx.set(r, 0, t);
    }
    let dst = cx.def(r, 0)?;
    cx.target_move(kind, dst, t);
    cx.set(r, 0, dst)
}

/// An operand's bits in a general-purpose register.
fn bits_of<T: Family>(cx: &mut Emitter<'_, T>, v: Value) -> Result<Gpr> {
    let kind = cx.target_parts(cx.ty(v)).0;
    if !kind.is_float() {
        return T::chosen_part(cx, v, 0);
    }
    let (x, t) = (cx.use_reg(v)?, cx.temp(false, None)?);
    cx.target_move(kind, t, x);
    Ok(gpr(t))
}

/// A loop around an exclusive load of one or two registers and a store that may fail, with barriers around it. In
/// between `new` computes the new value; it jumps to the given label if nothing is to be stored, which the flags then
/// say.
pub(crate) fn exclusive<T: Family>(
    cx: &mut Emitter<'_, T>,
    (bytes, n): (u32, Gpr),
    how: (bool, bool),
    (old, new): (Pair, Pair),
    compute: impl FnOnce(&mut T::Asm<'_>, Label),
) {
    let target = cx.target;
    let mut e = target.encoder(cx.buf);
    target.barrier(&mut e, how.1);
    let (top, done) = (e.buf().new_label(), e.buf().new_label());
    e.buf().bind(top);
    e.load_exclusive(bytes, how.0, old, n);
    compute(&mut e, done);
    e.store_exclusive(bytes, how.1, new, n, top);
    e.buf().bind(done);
}

/// Compare and exchange.
fn compare_exchange<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    let (flag, ty, how) = (Value(d.r.0 + 1), d.ty, order_of_exchange(CmpxchgInfo(d.flags)));
    if !ty.is_int() {
        return not_yet(cx, d);
    }
    let (w, target) = (T::width(ty), cx.target);
    // The expected value has zeros above its width, like the loaded value.
    let expected = extended(cx, d.b, false)?;
    let (n, new) = (reg(cx, d.a)?, T::chosen_part(cx, d.c, 0)?);
    let old = temp(cx)?;
    let told = if cx.live.count(flag) != 0 { Some(cx.temp(false, None)?) } else { None };
    if target.exchange_at_once(&mut target.encoder(cx.buf), ty, how, (expected, new), (old, n)) {
        target.encoder(cx.buf).compare_registers(w, old, expected);
    } else {
        exclusive(cx, (ty.store_bytes(), n), how, ((old, old), (new, new)), |e, done| {
            e.compare_registers(w, old, expected);
            e.jump_if(Cond::Ne, done);
        });
    }
    exchange_result(cx, told, how.0);
    cx.set(d.r, 0, PReg::int(old.0))?;
    told.map_or(Ok(()), |f| cx.set(flag, 0, f))
}

/// The code after an exchange: whether it was done, and the ordering of later accesses.
pub(crate) fn exchange_result<T: Family>(cx: &mut Emitter<'_, T>, told: Option<PReg>, acquire: bool) {
    let target = cx.target;
    let mut e = target.encoder(cx.buf);
    if let Some(f) = told {
        e.set_if(gpr(f), Cond::Eq);
    }
    target.barrier(&mut e, acquire);
}

/// Read, modify, write.
fn read_modify_write<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    use RmwOp::*;
    let (ty, bits, how) = (d.ty, d.ty.bits(), order(AtomicInfo(d.c.0).ordering()));
    let op = match RmwOp::from_u8(d.flags) {
        Some(Xchg) if bits > 1 => Xchg,
        Some(op @ (Add | Sub | And | Nand | Or | Xor | Max | Min | Umax | Umin)) if bits > 1 && ty.is_int() => op,
        _ => return not_yet(cx, d),
    };
    let (signed, narrow) = (matches!(op, Max | Min), bits < 32);
    let n = reg(cx, d.a)?;
    // The compared value is extended like the loaded value.
    let compared = signed || matches!(op, Umax | Umin);
    let y = if compared { extended(cx, d.b, signed)? } else { bits_of(cx, d.b)? };
    let (old, w, target) = (temp(cx)?, T::width(ty), cx.target);
    if target.update_at_once(&mut target.encoder(cx.buf), op, ty, how, (y, old, n)) {
        return set_bits(cx, d.r, old);
    }
    let new = if op == Xchg { y } else { temp(cx)? };
    exclusive(cx, (ty.store_bytes(), n), how, ((old, old), (new, new)), |e, _| {
        let mut choose = |keep| {
            let compared = if signed && narrow { new } else { old };
            if signed && narrow {
                target.extend(e, w, true, new, old, bits);
            }
            e.compare_registers(w, compared, y);
            e.choose(w, new, (old, y), keep);
        };
        match op {
            Max => choose(Cond::Gt),
            Min => choose(Cond::Le),
            Umax => choose(Cond::Hi),
            Umin => choose(Cond::Ls),
            _ => update::<T>(e, w, op, false, (new, old, y)),
        }
    });
    target.barrier(&mut target.encoder(cx.buf), how.0);
    set_bits(cx, d.r, old)
}

/// Computes the new value from the old one and the operand, or its upper half, which depends on the lower half by a
/// carry at most.
fn update<T: Family>(e: &mut T::Asm<'_>, w: T::Width, op: RmwOp, upper: bool, (new, old, y): (Gpr, Gpr, Gpr)) {
    match op {
        RmwOp::Xchg => {}
        RmwOp::Add | RmwOp::Sub => e.sum(w, Sum { adds: op == RmwOp::Add, carries: upper }, new, old, y),
        RmwOp::Or => e.bitwise(Opcode::Or, w, new, old, y),
        RmwOp::Xor => e.bitwise(Opcode::Xor, w, new, old, y),
        _ => e.bitwise(Opcode::And, w, new, old, y),
    }
    if op == RmwOp::Nand {
        e.invert(w, new, new);
    }
}

/// The same for both halves.
pub(crate) fn update_pair<T: Family>(e: &mut T::Asm<'_>, op: RmwOp, new: Pair, old: Pair, y: Pair) {
    update::<T>(e, T::width(T::WORD), op, false, (new.0, old.0, y.0));
    update::<T>(e, T::width(T::WORD), op, true, (new.1, old.1, y.1));
}
