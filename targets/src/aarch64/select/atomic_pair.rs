//! Atomic accesses of sixteen bytes: by one instruction where the machine has it, else by a loop. A load of two registers is atomic
//! only if a store to the same place then succeeds (Arm Architecture Reference Manual, section B2.2.1), or with LSE2.

use gusset_codegen::ir::{AtomicInfo, Opcode, Ordering, RmwOp, Value};
use gusset_codegen::machine::PReg;

use super::operand::*;
use crate::aarch64::encode::Asm;
use crate::aarch64::encode::ops::*;
use crate::aarch64::machine::gpr;
use crate::aarch64::reg::{Cond, Gpr, Mem, Width, ZR};
use crate::aarch64::registers::CALLEE;

const X: Width = Width::X;
/// Neighbours, as `casp` wants them: what is in memory, what is to be there, what was there before.
const OLD: Pair = (Gpr(0), Gpr(1));
const NEW: Pair = (Gpr(8), Gpr(9));
const SEEN: Pair = (Gpr(10), Gpr(11));

fn take(cx: &mut Cx<'_>, pairs: &[Pair]) -> Done {
    pairs.iter().flat_map(|p| [p.0, p.1]).try_for_each(|r| cx.take(PReg::int(r.0)))
}

fn copy(cx: &mut Cx<'_>, to: Pair, v: Value) -> Done {
    cx.copy_into(PReg::int(to.0.0), v, 0)?;
    cx.copy_into(PReg::int(to.1.0), v, 1)
}

/// Binds a result to what was in memory.
fn set_old(cx: &mut Cx<'_>, r: Value) -> Done {
    set_pair(cx, r, PReg::int(OLD.0.0), PReg::int(OLD.1.0))
}

/// Sets the flag for equality.
fn compare(e: &mut Asm<'_>, x: Pair, y: Pair) {
    e.add_rr(SUBS, X, ZR, x.0, y.0);
    e.cond_compare_rr(CCMP, X, x.1, y.1, (0, Cond::Eq));
}

/// Puts what `change` makes of the bytes in [`OLD`] there.
fn replace(cx: &mut Cx<'_>, how: (bool, bool), n: Gpr, change: impl FnOnce(&mut Asm<'_>) -> Pair) {
    let (load, store) = (if how.0 { LDAXP } else { LDXP }, if how.1 { STLXP } else { STXP });
    let (lse, status) = (cx.target.features.lse, gpr(CALLEE));
    let mut e = asm(cx);
    if lse {
        // Torn reads do no harm: they are found out by the comparison.
        e.access_pair(LDP_X, OLD.0, OLD.1, Mem::Base(n, 0));
    }
    let top = e.buf.new_label();
    e.buf.bind(top);
    if !lse {
        e.ordered_pair(load, X, OLD, n);
        let new = change(&mut e);
        e.conditional_pair(store, X, status, new, n);
        return e.cbz(Width::W, false, status, top);
    }
    mov(&mut e, SEEN, OLD);
    let new = change(&mut e);
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

pub(super) fn load(cx: &mut Cx<'_>, d: &Node) -> Done {
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
        replace(cx, order(ordering), n, |_| OLD);
    }
    set_old(cx, d.r)
}

pub(super) fn store(cx: &mut Cx<'_>, d: &Node) -> Done {
    let ordering = AtomicInfo(d.c.0).ordering();
    if !cx.target.features.lse2 {
        return read_modify_write(cx, d, RmwOp::Xchg, order(ordering));
    }
    let (n, y) = (reg(cx, d.a)?, pair(cx, d.b)?);
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

pub(super) fn compare_exchange(cx: &mut Cx<'_>, d: &Node, how: (bool, bool)) -> Done {
    let flag = Value(d.r.0 + 1);
    take(cx, &[OLD, NEW])?;
    let (n, x) = (reg(cx, d.a)?, pair(cx, d.b)?);
    if cx.target.features.lse {
        copy(cx, OLD, d.b)?;
        copy(cx, NEW, d.c)?;
        let mut e = asm(cx);
        e.compare_and_swap_pair(how, OLD.0, NEW.0, n);
        compare(&mut e, OLD, x);
    } else {
        let y = pair(cx, d.c)?;
        replace(cx, how, n, |e| {
            compare(e, OLD, x);
            // What differs is stored again, since only that proves that it was read at once.
            e.choice(CSEL, X, NEW.0, (y.0, OLD.0), Cond::Eq);
            e.choice(CSEL, X, NEW.1, (y.1, OLD.1), Cond::Eq);
            NEW
        });
    }
    if cx.live.count(flag) != 0 {
        let f = cx.temp(false, None)?;
        asm(cx).cset(gpr(f), Cond::Eq);
        cx.set(flag, 0, f)?;
    }
    set_old(cx, d.r)
}

/// Is an operation done to both halves here?
pub(super) fn has(op: u8) -> bool {
    use RmwOp::*;
    matches!(RmwOp::from_u8(op), Some(Xchg | Add | Sub | And | Nand | Or | Xor))
}

/// An exchange, also for a store, or an operation whose halves know of no more than a carry.
pub(super) fn read_modify_write(cx: &mut Cx<'_>, d: &Node, op: RmwOp, how: (bool, bool)) -> Done {
    take(cx, &[OLD, NEW, SEEN])?;
    let (n, y) = (reg(cx, d.a)?, pair(cx, d.b)?);
    let bitwise = |e: &mut Asm<'_>, op| {
        e.logic_rr(op, X, NEW.0, OLD.0, y.0);
        e.logic_rr(op, X, NEW.1, OLD.1, y.1);
    };
    let carried = |e: &mut Asm<'_>, low, high| {
        e.add_rr(low, X, NEW.0, OLD.0, y.0);
        e.rrr(high, X, NEW.1, OLD.1, y.1);
    };
    replace(cx, how, n, |e| {
        match op {
            RmwOp::Xchg => return y,
            RmwOp::Add => carried(e, ADDS, ADC),
            RmwOp::Sub => carried(e, SUBS, SBC),
            RmwOp::Or => bitwise(e, ORR),
            RmwOp::Xor => bitwise(e, EOR),
            _ => bitwise(e, AND),
        }
        if op == RmwOp::Nand {
            e.logic_rr(ORN, X, NEW.0, ZR, NEW.0);
            e.logic_rr(ORN, X, NEW.1, ZR, NEW.1);
        }
        NEW
    });
    if d.op == Opcode::AtomicStore { Ok(()) } else { set_old(cx, d.r) }
}
