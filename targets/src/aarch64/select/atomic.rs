//! Atomic accesses by one instruction, if the machine has it; and those of sixteen bytes, otherwise by a loop. A load
//! of two registers is only atomic if a store to the same place then succeeds (Arm Architecture Reference Manual,
//! section B2.2.1), or with LSE2.

use gusset_codegen::ir::{AtomicInfo, CmpxchgInfo, Opcode, Ordering, RmwOp, Type, Value};
use gusset_codegen::machine::PReg;

use super::memory::memory_order;
use super::operand::*;
use crate::aarch64::encode::ops::*;
use crate::aarch64::encode::{Asm, TEMP};
use crate::aarch64::machine::{Aarch64, gpr, width};
use crate::aarch64::reg::{Cond, Gpr, Mem, Width, ZR};
use crate::shared::arm::atomic::{order, order_of_exchange, update_pair};

const X: Width = Width::X;
/// Adjacent registers, as `casp` needs them: the old value, the new value, the expected value. They are in the order of memory.
const OLD: Pair = (Gpr(0), Gpr(1));
const NEW: Pair = (Gpr(8), Gpr(9));
const SEEN: Pair = (Gpr(10), Gpr(11));

fn take(cx: &mut Cx<'_>, pairs: &[Pair]) -> Result {
    pairs.iter().flat_map(|p| [p.0, p.1]).try_for_each(|r| cx.take(PReg::int(r.0)))
}

fn copy(cx: &mut Cx<'_>, to: Pair, v: Value) -> Result {
    let to = memory_order(cx, to);
    cx.copy_into(PReg::int(to.0.0), v, 0)?;
    cx.copy_into(PReg::int(to.1.0), v, 1)
}

/// Binds a result to the old value.
fn set_old(cx: &mut Cx<'_>, r: Value) -> Result {
    let old = memory_order(cx, OLD);
    set_pair(cx, r, PReg::int(old.0.0), PReg::int(old.1.0))
}

/// Sets the flag for equality.
fn compare(e: &mut Asm<'_>, x: Pair, y: Pair) {
    e.add_rr(SUBS, X, ZR, x.0, y.0);
    e.cond_compare_rr(CCMP, X, x.1, y.1, (0, Cond::Eq));
}

/// Stores the result of `change` on the number in [`OLD`], which it gets with the low half first.
fn replace(cx: &mut Cx<'_>, how: (bool, bool), n: Gpr, change: impl FnOnce(&mut Asm<'_>, Pair) -> Pair) {
    let lse = cx.target.features.lse;
    let (big, old) = (cx.target.facts.endian().is_big(), memory_order(cx, OLD));
    let in_memory = |(low, high): Pair| if big { (high, low) } else { (low, high) };
    let mut e = asm(cx);
    if lse {
        // A torn read does no harm: the comparison fails.
        e.access_pair(LDP_X, OLD.0, OLD.1, Mem::Base(n, 0));
    }
    let top = e.buf.new_label();
    e.buf.bind(top);
    if !lse {
        e.load_exclusive(16, how.0, OLD, n);
        let new = in_memory(change(&mut e, old));
        return e.store_exclusive(16, how.1, new, n, top);
    }
    mov(&mut e, SEEN, OLD);
    let new = in_memory(change(&mut e, old));
    mov(&mut e, NEW, new);
    e.compare_and_swap_pair(how, OLD.0, NEW.0, n);
    compare(&mut e, OLD, SEEN);
    e.b_if(Cond::Ne, top);
}

fn mov(e: &mut Asm<'_>, to: Pair, from: Pair) {
    if to != from {
        e.mov(X, to.0, from.0);
        e.mov(X, to.1, from.1);
    }
}

/// See [`Family::atomic_pair`].
pub(super) fn pair_access(cx: &mut Cx<'_>, d: &Node) -> Result {
    if d.ty != Type::I128 {
        return not_yet(cx, d);
    }
    match (d.op, RmwOp::from_u8(d.flags)) {
        (Opcode::AtomicLoad, _) => load(cx, d),
        (Opcode::AtomicStore, _) => store(cx, d),
        (Opcode::AtomicRmw, Some(op)) => read_modify_write(cx, d, op, order(AtomicInfo(d.c.0).ordering())),
        _ => compare_exchange(cx, d, order_of_exchange(CmpxchgInfo(d.flags))),
    }
}

fn load(cx: &mut Cx<'_>, d: &Node) -> Result {
    let (features, ordering) = (cx.target.features, AtomicInfo(d.b.0).ordering());
    take(cx, &[OLD])?;
    let n = reg(cx, d.a)?;
    let mut e = asm(cx);
    if features.lse2 {
        if ordering == Ordering::SeqCst {
            e.plain(DMB_ISH);
        }
        e.access_pair(LDP_X, OLD.0, OLD.1, Mem::Base(n, 0));
        if order(ordering).0 {
            e.plain(DMB_ISHLD);
        }
    } else if features.lse {
        mov(&mut e, OLD, (ZR, ZR));
        e.compare_and_swap_pair(order(ordering), OLD.0, OLD.0, n);
    } else {
        replace(cx, order(ordering), n, |_, old| old);
    }
    set_old(cx, d.r)
}

fn store(cx: &mut Cx<'_>, d: &Node) -> Result {
    let ordering = AtomicInfo(d.c.0).ordering();
    if !cx.target.features.lse2 {
        return read_modify_write(cx, d, RmwOp::Xchg, order(ordering));
    }
    let n = reg(cx, d.a)?;
    let y = pair(cx, d.b)?;
    let y = memory_order(cx, y);
    let mut e = asm(cx);
    if order(ordering).1 {
        e.plain(DMB_ISH);
    }
    e.access_pair(STP_X, y.0, y.1, Mem::Base(n, 0));
    if ordering == Ordering::SeqCst {
        e.plain(DMB_ISH);
    }
    Ok(())
}

fn compare_exchange(cx: &mut Cx<'_>, d: &Node, how: (bool, bool)) -> Result {
    let flag = Value(d.r.0 + 1);
    take(cx, &[OLD, NEW])?;
    let (n, x) = (reg(cx, d.a)?, pair(cx, d.b)?);
    let (old, new) = (memory_order(cx, OLD), memory_order(cx, NEW));
    if cx.target.features.lse {
        copy(cx, OLD, d.b)?;
        copy(cx, NEW, d.c)?;
        let mut e = asm(cx);
        e.compare_and_swap_pair(how, OLD.0, NEW.0, n);
        compare(&mut e, old, x);
    } else {
        let y = pair(cx, d.c)?;
        replace(cx, how, n, |e, old| {
            compare(e, old, x);
            // A different value is stored again, since only a successful store proves that it was read atomically.
            e.choice(CSEL, X, new.0, (y.0, old.0), Cond::Eq);
            e.choice(CSEL, X, new.1, (y.1, old.1), Cond::Eq);
            new
        });
    }
    if cx.live.count(flag) != 0 {
        let f = cx.temp(false, None)?;
        asm(cx).cset(gpr(f), Cond::Eq);
        cx.set(flag, 0, f)?;
    }
    set_old(cx, d.r)
}

/// Is the operation done on both halves by this code?
pub(super) fn has(op: u8) -> bool {
    use RmwOp::*;
    matches!(RmwOp::from_u8(op), Some(Xchg | Add | Sub | And | Nand | Or | Xor))
}

/// An exchange (also for a store), or an operation whose halves are linked by a carry at most.
fn read_modify_write(cx: &mut Cx<'_>, d: &Node, op: RmwOp, how: (bool, bool)) -> Result {
    take(cx, &[OLD, NEW, SEEN])?;
    let (n, y) = (reg(cx, d.a)?, pair(cx, d.b)?);
    let new = memory_order(cx, NEW);
    replace(cx, how, n, |e, old| {
        update_pair::<Aarch64>(e, op, new, old, y);
        if op == RmwOp::Xchg { y } else { new }
    });
    if d.op == Opcode::AtomicStore { Ok(()) } else { set_old(cx, d.r) }
}

/// A fence.
pub(crate) fn fence(cx: &mut Cx<'_>, d: &Node) -> Result {
    let n = d.a.0;
    cx.buf.separate_accesses();
    if n & 8 == 0 {
        let acquire = Ordering::from_u8(n as u8 & 7) == Some(Ordering::Acquire);
        asm(cx).plain(if acquire { DMB_ISHLD } else { DMB_ISH });
    }
    Ok(())
}

/// By one instruction of LSE, if there is one.
pub(super) fn at_once(e: &mut Asm<'_>, op: RmwOp, ty: Type, how: (bool, bool), (y, old, n): (Gpr, Gpr, Gpr)) -> bool {
    let w = width(ty);
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
    e.update(op, ty.store_bytes().trailing_zeros(), how, y, old, n);
    true
}

/// Exclusive accesses by the names of LLVM's intrinsics; `None` if it is another.
pub(super) fn named(cx: &mut Cx<'_>, d: &Node, text: &str) -> Option<Result> {
    let bytes = |cx: &Cx<'_>| cx.f.int_constant(d.a).map_or(0, |n| (n as u32).trailing_zeros());
    Some(match text {
        "ldxr" | "ldaxr" if d.ty == Type::I64 => reg(cx, d.b).and_then(|n| {
            let (op, size) = (if text == "ldxr" { LDXR } else { LDAXR }, bytes(cx));
            define(cx, d.r, |cx, dst| asm(cx).ordered(op, size, gpr(dst), n))
        }),
        "ldxp" | "ldaxp" if d.ty == Type::I128 => reg(cx, d.a).and_then(|n| {
            let (low, high) = (cx.def(d.r, 0)?, cx.def(d.r, 1)?);
            let op = if text == "ldxp" { LDXP } else { LDAXP };
            asm(cx).ordered_pair(op, X, (gpr(low), gpr(high)), n);
            set_pair(cx, d.r, low, high)
        }),
        "stxr" | "stlxr" if d.ty == Type::I32 => reg(cx, d.b).and_then(|t| {
            let (n, dst) = (reg(cx, d.c)?, cx.def(d.r, 0)?);
            let (op, size) = (if text == "stxr" { STXR } else { STLXR }, bytes(cx));
            asm(cx).conditional(op, size, gpr(dst), t, n);
            cx.set(d.r, 0, dst)
        }),
        "stxp" | "stlxp" if d.ty == Type::I32 => pair(cx, d.a).and_then(|new| {
            let (n, dst) = (reg(cx, d.b)?, cx.def(d.r, 0)?);
            asm(cx).conditional_pair(if text == "stxp" { STXP } else { STLXP }, X, gpr(dst), new, n);
            cx.set(d.r, 0, dst)
        }),
        _ => return None,
    })
}
