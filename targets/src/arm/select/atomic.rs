//! Atomic accesses: which ones the machine does, and those of two registers.

use gusset_codegen::ir::{AtomicInfo, CmpxchgInfo, Function, InstData, Opcode, RmwOp, Type, Value};
use gusset_codegen::machine::{PReg, Reserved};

use super::operand::*;
use crate::arm::encode::ops::*;
use crate::arm::machine::{Arm, vreg};
use crate::arm::reg::{Cond, Gpr};
use crate::arm::registers::PLATFORM;
use crate::shared::arm::atomic::{exchange_result, exclusive, order, order_of_exchange, update_pair};

/// Two adjacent registers, of which exclusive accesses need the first to be even: for the old and the new value. They are in the order
/// of memory.
const OLD: (PReg, PReg) = (PReg::int(0), PReg::int(1));
const NEW: (PReg, PReg) = (PReg::int(2), PReg::int(3));
/// A temporary of such accesses, which is no home in functions that have them.
const SPARE: [PReg; 4] = [PReg::int(4), PReg::int(5), PReg::int(6), PReg::int(8)];

/// See [`reserved`](gusset_codegen::machine::Machine::reserved): accesses of two registers need more registers than are
/// otherwise free.
pub(crate) fn reserved(target: &Arm, f: &Function) -> Reserved {
    let wide = |d: &InstData| {
        matches!(d.op, Opcode::AtomicLoad | Opcode::AtomicStore | Opcode::AtomicRmw | Opcode::Cmpxchg)
            && d.ty.bits() == 64
    };
    let spare = if f.insts.iter().any(wide) { SPARE.iter().fold(PReg::int(3).mask(), |m, r| m | r.mask()) } else { 0 };
    let platform = target.features.reserve_r9 || f.attrs.platform_register_reserved;
    Reserved { fixed: 0, extra_scratch: spare, foreign: if platform { PLATFORM.mask() } else { 0 } }
}

/// Does the machine do the access itself? Rare operations become loops around compare-exchange.
pub(crate) fn is_here(target: &Arm, d: &InstData) -> bool {
    use RmwOp::*;
    let (features, bytes) = (target.features, d.ty.store_bytes());
    let exclusive = match bytes {
        1 | 2 => features.exclusive,
        4 => features.version >= 6,
        8 => features.exclusive && !features.microcontroller,
        _ => false,
    };
    // Before version 6, plain accesses need no ordering.
    let plain = |info: u32| {
        let ordered = order(AtomicInfo(info).ordering()) != (false, false);
        if bytes <= 4 { features.version >= 6 || !ordered } else { exclusive }
    };
    match d.op {
        Opcode::Fence => features.version >= 6 || d.a & SINGLE_THREAD != 0,
        Opcode::AtomicLoad => plain(d.b),
        Opcode::AtomicStore => plain(d.c),
        Opcode::Cmpxchg => exclusive,
        _ => {
            let rare = match RmwOp::from_u8(d.flags) {
                Some(Fadd | Fsub | Fmax | Fmin) => matches!(d.ty, Type::F32 | Type::F64),
                Some(UincWrap | UdecWrap) => true,
                Some(Max | Min | Umax | Umin) => bytes == 8,
                _ => false,
            };
            exclusive && !rare
        }
    }
}

/// The bit of fences for the current thread only.
const SINGLE_THREAD: u32 = 8;

/// A fence.
pub(crate) fn fence(cx: &mut Cx<'_>, d: &Node) -> Result {
    let (target, n) = (cx.target, d.a.0);
    target.barrier(&mut asm(cx), n & SINGLE_THREAD == 0);
    Ok(())
}

/// The registers of an allocation.
fn registers((low, high): (PReg, PReg)) -> Pair {
    (gpr(low), gpr(high))
}

/// Registers in the order of memory with the one that has the number's low half first.
fn low_first(cx: &Cx<'_>, (first, second): (PReg, PReg)) -> (PReg, PReg) {
    if cx.target.facts.endian().is_big() { (second, first) } else { (first, second) }
}

/// Copies an operand's 64 bits to the two registers of the new value.
fn copy_new(cx: &mut Cx<'_>, v: Value) -> Result {
    let new = low_first(cx, NEW);
    if cx.target_parts(cx.ty(v)).0.is_float() {
        let x = float(cx, v)?;
        asm(cx).to_pair(registers(new), x);
        return Ok(());
    }
    cx.copy_into(new.0, v, 0)?;
    cx.copy_into(new.1, v, 1)
}

/// Binds a result to the old value.
fn set_old(cx: &mut Cx<'_>, r: Value) -> Result {
    let old = low_first(cx, OLD);
    if !cx.target_parts(cx.ty(r)).0.is_float() {
        return set_pair(cx, r, old.0, old.1);
    }
    let dst = cx.def(r, 0)?;
    asm(cx).from_pair(vreg(dst, 8), registers(old));
    cx.set(r, 0, dst)
}

/// See [`Family::atomic_pair`]. The operand is in registers that calls preserve, the new value in an even pair.
pub(super) fn pair_access(cx: &mut Cx<'_>, d: &Node) -> Result {
    let (target, old, new) = (cx.target, registers(OLD), registers(NEW));
    let taken = if d.op == Opcode::AtomicLoad { &[OLD][..] } else { &[OLD, NEW] };
    taken.iter().flat_map(|pair| [pair.0, pair.1]).try_for_each(|r| cx.take(r))?;
    let n = reg(cx, d.a)?;
    let (op, info) = match d.op {
        Opcode::AtomicLoad => {
            let mut e = asm(cx);
            e.ordered_pair(LDREXD, old, n);
            target.barrier(&mut e, order(AtomicInfo(d.b.0).ordering()).0);
            return set_old(cx, d.r);
        }
        Opcode::Cmpxchg => return exchange(cx, d, n),
        Opcode::AtomicStore => (RmwOp::Xchg, d.c.0),
        _ => (RmwOp::from_u8(d.flags).unwrap_or(RmwOp::Xchg), d.c.0),
    };
    let how = order(AtomicInfo(info).ordering());
    let [low_old, low_new] = [OLD, NEW].map(|pair| registers(low_first(cx, pair)));
    let y = if op == RmwOp::Xchg {
        copy_new(cx, d.b)?;
        low_new
    } else {
        pair(cx, d.b)?
    };
    exclusive(cx, (8, n), how, (old, new), |e, _| update_pair::<Arm>(e, op, low_new, low_old, y));
    target.barrier(&mut asm(cx), how.0);
    if d.op == Opcode::AtomicStore { Ok(()) } else { set_old(cx, d.r) }
}

fn exchange(cx: &mut Cx<'_>, d: &Node, n: Gpr) -> Result {
    let (flag, how, old) = (Value(d.r.0 + 1), order_of_exchange(CmpxchgInfo(d.flags)), registers(OLD));
    let expected = pair(cx, d.b)?;
    copy_new(cx, d.c)?;
    let low_old = low_first(cx, OLD);
    let seen = registers(low_old);
    exclusive(cx, (8, n), how, (old, registers(NEW)), |e, done| {
        e.compare(CMP, seen.0, expected.0);
        e.conditional(Cond::Eq, |e| e.compare(CMP, seen.1, expected.1));
        e.b_if(Cond::Ne, done);
    });
    let told = (cx.live.count(flag) != 0).then_some(NEW.0);
    exchange_result(cx, told, how.0);
    set_pair(cx, d.r, low_old.0, low_old.1)?;
    told.map_or(Ok(()), |f| cx.set(flag, 0, f))
}

/// Exclusive accesses by the names of LLVM's intrinsics; `None` if it is another.
pub(super) fn named(cx: &mut Cx<'_>, d: &Node, text: &str) -> Option<Refused<Result>> {
    if !matches!(text.trim_end_matches('d'), "ldrex" | "ldaex" | "strex" | "stlex") {
        return None;
    }
    let (wide, ordered) = (text.ends_with('d'), text.starts_with("lda") || text.starts_with("stl"));
    let bytes = if wide { 8 } else { cx.f.int_constant(d.a).unwrap_or(0) };
    let features = cx.target.features;
    let known = match bytes {
        4 => features.version >= 6,
        8 => wide && features.exclusive && !features.microcontroller,
        _ => features.exclusive,
    };
    if !known || ordered && features.version < 8 {
        return Some(Err("the processor has no such instruction"));
    }
    let choose = |[byte, half, word]: [Ordered; 3]| match bytes {
        1 => byte,
        2 => half,
        _ => word,
    };
    Some(Ok(match (text.starts_with("ld"), wide) {
        (true, false) => reg(cx, d.b).and_then(|n| {
            let op = choose(if ordered { [LDAEXB, LDAEXH, LDAEX] } else { [LDREXB, LDREXH, LDREX] });
            define(cx, d.r, |cx, dst| asm(cx).registers(op, [gpr(dst), n]))
        }),
        (true, true) => [OLD.0, OLD.1].into_iter().try_for_each(|r| cx.take(r)).and_then(|()| {
            let n = reg(cx, d.a)?;
            asm(cx).ordered_pair(if ordered { LDAEXD } else { LDREXD }, registers(OLD), n);
            set_pair(cx, d.r, OLD.0, OLD.1)
        }),
        (false, false) => reg(cx, d.b).and_then(|t| {
            let (n, dst) = (reg(cx, d.c)?, cx.def(d.r, 0)?);
            let (all, mut e) = ([gpr(dst), t, n], asm(cx));
            match (bytes, ordered) {
                (1, false) => e.registers(STREXB, all),
                (2, false) => e.registers(STREXH, all),
                (1, true) => e.registers(STLEXB, all),
                (2, true) => e.registers(STLEXH, all),
                (_, false) => e.registers(STREX, all),
                (_, true) => e.registers(STLEX, all),
            }
            cx.set(d.r, 0, dst)
        }),
        (false, true) => [OLD.0, OLD.1].into_iter().try_for_each(|r| cx.take(r)).and_then(|()| {
            cx.copy_into(OLD.0, d.a, 0)?;
            cx.copy_into(OLD.1, d.a, 1)?;
            let (n, dst) = (reg(cx, d.b)?, cx.def(d.r, 0)?);
            asm(cx).conditional_pair(if ordered { STLEXD } else { STREXD }, gpr(dst), registers(OLD), n);
            cx.set(d.r, 0, dst)
        }),
    }))
}
