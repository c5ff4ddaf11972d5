//! Atomic accesses. Between an exclusive load and its store nothing touches memory: all operands are in registers before.

use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{AtomicInfo, CmpxchgInfo, Function, Opcode, Ordering, RmwOp, Type, Value};
use gusset_codegen::machine::{PReg, PartKind, Reserved};

use super::int::{choose, extend_bits, set_if};
use super::memory::{load_op, store_op};
use super::operand::*;
use crate::arm::encode::Asm;
use crate::arm::encode::ops::*;
use crate::arm::machine::{Arm, gpr, vreg};
use crate::arm::reg::{Cond, Flags, Gpr, IP, Mem, Vreg};

const KEEP: Flags = Flags::Keep;
/// Two registers that follow each other, of which exclusive accesses want the first even: of what is there, and of what becomes of it.
const OLD: (PReg, PReg) = (PReg::int(0), PReg::int(1));
const NEW: (PReg, PReg) = (PReg::int(2), PReg::int(3));
/// A temporary of such accesses that is no home where a function has them.
const SPARE: [PReg; 4] = [PReg::int(4), PReg::int(5), PReg::int(6), PReg::int(8)];

/// See [`reserved`](gusset_codegen::machine::Machine::reserved): accesses of two registers want more than there are otherwise.
pub(crate) fn reserved(f: &Function) -> Reserved {
    let wide = |d: &gusset_codegen::ir::InstData| {
        matches!(d.op, Opcode::AtomicLoad | Opcode::AtomicStore | Opcode::AtomicRmw | Opcode::Cmpxchg)
            && d.ty.bits() == 64
    };
    let spare = if f.insts.iter().any(wide) { SPARE.iter().fold(PReg::int(3).mask(), |m, r| m | r.mask()) } else { 0 };
    Reserved { fixed: 0, spare }
}

/// Orders an access what comes after it, and what came before?
fn order(o: Ordering) -> (bool, bool) {
    match o {
        Ordering::Acquire => (true, false),
        Ordering::Release => (false, true),
        Ordering::AcqRel | Ordering::SeqCst => (true, true),
        _ => (false, false),
    }
}

/// Can a type be accessed at once here? An error for those that cannot.
fn check(cx: &Cx<'_>, d: &Node, ty: Type) -> Result<u32, CompileError> {
    let bytes = ty.store_bytes();
    let features = cx.target.features;
    if ty.is_vector() || bytes > 8 || features.version < 6 || bytes != 4 && !features.exclusive {
        return not_yet(cx, d);
    }
    if bytes == 8 && features.microcontroller {
        return not_yet(cx, d);
    }
    Ok(bytes)
}

/// A barrier, if there is something to order.
fn barrier(target: &Arm, e: &mut Asm<'_>, wanted: bool) {
    if !wanted {
    } else if target.features.has_t2() {
        e.barrier(DMB, 11);
    } else {
        // What was there before it: an operation of the system coprocessor.
        let t = e.temp();
        e.mov_number(KEEP, t, 0);
        e.coprocessor(MCR, (15, 0), t, (7, 10), 5);
    }
}

/// A fence.
pub(crate) fn fence(cx: &mut Cx<'_>, d: &Node) -> Done {
    let (target, n) = (cx.target, d.a.0);
    barrier(target, &mut asm(cx), n & 8 == 0);
    Ok(())
}

/// A load.
pub(crate) fn load(cx: &mut Cx<'_>, d: &Node) -> Done {
    let bytes = d.ty.store_bytes();
    let acquire = order(AtomicInfo(d.b.0).ordering()).0;
    let target = cx.target;
    if bytes == 8 {
        check(cx, d, d.ty)?;
        cx.take(OLD.0)?;
        cx.take(OLD.1)?;
        let n = reg(cx, d.a)?;
        let mut e = asm(cx);
        e.ordered_pair(LDREXD, (gpr(OLD.0), gpr(OLD.1)), n);
        barrier(target, &mut e, acquire);
        return set_wide(cx, d.r);
    }
    let n = reg(cx, d.a)?;
    let t = cx.temp(false, None)?;
    let mut e = asm(cx);
    e.access(load_op(bytes, false), gpr(t), Mem::Base(n, 0));
    barrier(target, &mut e, acquire);
    set_bits(cx, d.r, t)
}

/// Binds a result to the bits in a register.
fn set_bits(cx: &mut Cx<'_>, r: Value, t: PReg) -> Done {
    let ty = cx.ty(r);
    if !cx.target_parts(ty).0.is_float() {
        return cx.set(r, 0, t);
    }
    let dst = cx.def(r, 0)?;
    cx.target_move(PartKind::F32, dst, t);
    cx.set(r, 0, dst)
}

/// Binds a result to the bits in the two registers of what was there.
fn set_wide(cx: &mut Cx<'_>, r: Value) -> Done {
    let ty = cx.ty(r);
    if !cx.target_parts(ty).0.is_float() {
        return set_pair(cx, r, OLD.0, OLD.1);
    }
    let dst = cx.def(r, 0)?;
    asm(cx).from_pair(vreg(dst, 8), (gpr(OLD.0), gpr(OLD.1)));
    cx.set(r, 0, dst)
}

/// An operand's bits in a general-purpose register.
fn bits_of(cx: &mut Cx<'_>, v: Value) -> Result<Gpr, CompileError> {
    let x = cx.use_reg(v)?;
    if !x.is_float() {
        return Ok(gpr(x));
    }
    let t = temp(cx)?;
    asm(cx).to_gpr(t, Vreg::S(x.num()));
    Ok(t)
}

/// An operand's 64 bits in the two registers of what is stored.
fn wide_bits_of(cx: &mut Cx<'_>, v: Value) -> Done {
    if cx.target_parts(cx.ty(v)).0.is_float() {
        let x = float(cx, v)?;
        asm(cx).to_pair((gpr(NEW.0), gpr(NEW.1)), x);
        return Ok(());
    }
    cx.copy_into(NEW.0, v, 0)?;
    cx.copy_into(NEW.1, v, 1)
}

/// A store.
pub(crate) fn store(cx: &mut Cx<'_>, d: &Node) -> Done {
    let bytes = d.ty.store_bytes();
    let o = AtomicInfo(d.c.0).ordering();
    let target = cx.target;
    if bytes == 8 {
        check(cx, d, d.ty)?;
        return wide_loop(cx, d, RmwOp::Xchg, order(o), None);
    }
    let t = bits_of(cx, d.b)?;
    let n = reg(cx, d.a)?;
    let mut e = asm(cx);
    barrier(target, &mut e, order(o).1);
    e.access(store_op(bytes), t, Mem::Base(n, 0));
    barrier(target, &mut e, o == Ordering::SeqCst);
    Ok(())
}

/// The exclusive load of so many bytes.
fn load_exclusive(e: &mut Asm<'_>, bytes: u32, t: Gpr, n: Gpr) {
    let op = match bytes {
        1 => LDREXB,
        2 => LDREXH,
        _ => LDREX,
    };
    e.registers(op, [t, n]);
}

/// The exclusive store, and the jump back if it failed.
fn store_exclusive(e: &mut Asm<'_>, bytes: u32, (status, t, n): (Gpr, Gpr, Gpr), again: gusset_codegen::buffer::Label) {
    match bytes {
        1 => e.registers(STREXB, [status, t, n]),
        2 => e.registers(STREXH, [status, t, n]),
        _ => e.registers(STREX, [status, t, n]),
    }
    super::wide::compare_zero(e, status);
    e.b_if(Cond::Ne, again);
}

/// Compare and exchange.
pub(crate) fn compare_exchange(cx: &mut Cx<'_>, d: &Node) -> Done {
    let flag = Value(d.r.0 + 1);
    let (bytes, info) = (check(cx, d, d.ty)?, CmpxchgInfo(d.flags));
    let (success, failure) = (order(info.success()), order(info.failure()));
    let how = (success.0 || failure.0, success.1);
    if d.ty.is_float() {
        return not_yet(cx, d);
    }
    let target = cx.target;
    if bytes == 8 {
        return wide_exchange(cx, d, how, flag);
    }
    // What is compared has zeros above its width, as what is loaded.
    let expected = extended(cx, d.b, false)?;
    let (n, new) = (reg(cx, d.a)?, reg(cx, d.c)?);
    let old = cx.temp(false, None)?;
    let o = gpr(old);
    let f = if cx.live.count(flag) != 0 { Some(cx.temp(false, None)?) } else { None };
    let mut e = asm(cx);
    barrier(target, &mut e, how.1);
    let (top, done) = (e.buf.new_label(), e.buf.new_label());
    e.buf.bind(top);
    load_exclusive(&mut e, bytes, o, n);
    e.compare(CMP, o, expected);
    e.b_if(Cond::Ne, done);
    store_exclusive(&mut e, bytes, (IP, new, n), top);
    // The flags say that the status is zero.
    e.buf.bind(done);
    if let Some(f) = f {
        set_if(&mut e, gpr(f), Cond::Eq);
    }
    barrier(target, &mut e, how.0);
    cx.set(d.r, 0, old)?;
    match f {
        Some(f) => cx.set(flag, 0, f),
        None => Ok(()),
    }
}

fn wide_exchange(cx: &mut Cx<'_>, d: &Node, how: (bool, bool), flag: Value) -> Done {
    for r in [OLD.0, OLD.1, NEW.0, NEW.1] {
        cx.take(r)?;
    }
    let n = reg(cx, d.a)?;
    let expected = super::wide::pair(cx, d.b)?;
    cx.copy_into(NEW.0, d.c, 0)?;
    cx.copy_into(NEW.1, d.c, 1)?;
    let target = cx.target;
    let (old, new) = ((gpr(OLD.0), gpr(OLD.1)), (gpr(NEW.0), gpr(NEW.1)));
    let mut e = asm(cx);
    barrier(target, &mut e, how.1);
    let (top, done) = (e.buf.new_label(), e.buf.new_label());
    e.buf.bind(top);
    e.ordered_pair(LDREXD, old, n);
    e.compare(CMP, old.0, expected.0);
    e.conditional(Cond::Eq, |e| e.compare(CMP, old.1, expected.1));
    e.b_if(Cond::Ne, done);
    e.conditional_pair(STREXD, IP, new, n);
    super::wide::compare_zero(&mut e, IP);
    e.b_if(Cond::Ne, top);
    e.buf.bind(done);
    let f = new.0;
    set_if(&mut e, f, Cond::Eq);
    barrier(target, &mut e, how.0);
    set_pair(cx, d.r, OLD.0, OLD.1)?;
    if cx.live.count(flag) != 0 { cx.set(flag, 0, NEW.0) } else { Ok(()) }
}

/// Read, modify, write.
pub(crate) fn read_modify_write(cx: &mut Cx<'_>, d: &Node) -> Done {
    let bytes = check(cx, d, d.ty)?;
    let Some(op) = RmwOp::from_u8(d.flags) else { return not_yet(cx, d) };
    let how = order(AtomicInfo(d.c.0).ordering());
    let number = matches!(op, RmwOp::Fadd | RmwOp::Fsub | RmwOp::Fmax | RmwOp::Fmin);
    if d.ty == Type::I1 || number {
        return not_yet(cx, d);
    }
    let target = cx.target;
    if bytes == 8 {
        return wide_loop(cx, d, op, how, Some(d.r));
    }
    let n = reg(cx, d.a)?;
    let signed = matches!(op, RmwOp::Max | RmwOp::Min);
    // What is compared has the extension of what was loaded.
    let y = if is_compared(op) { extended(cx, d.b, signed)? } else { bits_of(cx, d.b)? };
    let (old, t) = (cx.temp(false, None)?, temp(cx)?);
    let o = gpr(old);
    let mut e = asm(cx);
    barrier(target, &mut e, how.1);
    let top = e.buf.new_label();
    e.buf.bind(top);
    load_exclusive(&mut e, bytes, o, n);
    let stored = if op == RmwOp::Xchg { y } else { t };
    let compared = if signed && bytes < 4 {
        extend_bits(target, &mut e, true, IP, o, 8 * bytes);
        IP
    } else {
        o
    };
    one_step(&mut e, op, (compared, t), y);
    store_exclusive(&mut e, bytes, (IP, stored, n), top);
    barrier(target, &mut e, how.0);
    set_bits(cx, d.r, old)
}

fn is_compared(op: RmwOp) -> bool {
    use RmwOp::*;
    matches!(op, Max | Min | Umax | Umin | UincWrap | UdecWrap)
}

/// The new value of the old one and the operand.
fn one_step(e: &mut Asm<'_>, op: RmwOp, (old, new): (Gpr, Gpr), y: Gpr) {
    use RmwOp::*;
    let pick = |e: &mut Asm<'_>, keep: Cond| {
        e.compare(CMP, old, y);
        choose(e, new, (old, y), keep);
    };
    match op {
        Xchg => {}
        Add => e.data(ADD, KEEP, new, old, y),
        Sub => e.data(SUB, KEEP, new, old, y),
        And => e.data(AND, KEEP, new, old, y),
        Or => e.data(ORR, KEEP, new, old, y),
        Xor => e.data(EOR, KEEP, new, old, y),
        Nand => {
            e.data(AND, KEEP, new, old, y);
            e.unary(MVN, KEEP, new, new);
        }
        Max => pick(e, Cond::Gt),
        Min => pick(e, Cond::Le),
        Umax => pick(e, Cond::Hi),
        Umin => pick(e, Cond::Ls),
        UincWrap => {
            e.add_number(KEEP, new, old, 1);
            e.compare(CMP, old, y);
            e.conditional(Cond::Hs, |e| e.mov_number(KEEP, new, 0));
        }
        _ => {
            // The operand if the old value is zero or more than it, else one less.
            e.add_number(KEEP, new, old, -1);
            e.compare(CMP, old, y);
            e.conditional(Cond::Hi, |e| e.mov(new, y));
            super::wide::compare_zero(e, old);
            e.conditional(Cond::Eq, |e| e.mov(new, y));
        }
    }
}

/// Of 64 bits. The operand is in registers that calls keep, the new value in those of a pair.
fn wide_loop(cx: &mut Cx<'_>, d: &Node, op: RmwOp, how: (bool, bool), r: Option<Value>) -> Done {
    for p in [OLD.0, OLD.1, NEW.0, NEW.1] {
        cx.take(p)?;
    }
    let n = reg(cx, d.a)?;
    let target = cx.target;
    let (old, new) = ((gpr(OLD.0), gpr(OLD.1)), (gpr(NEW.0), gpr(NEW.1)));
    let y = if op == RmwOp::Xchg {
        wide_bits_of(cx, d.b)?;
        new
    } else {
        super::wide::pair(cx, d.b)?
    };
    let mut e = asm(cx);
    barrier(target, &mut e, how.1);
    let top = e.buf.new_label();
    e.buf.bind(top);
    e.ordered_pair(LDREXD, old, n);
    let simple = match op {
        RmwOp::Xchg => None,
        RmwOp::Add => Some((ADD, ADC)),
        RmwOp::Sub => Some((SUB, SBC)),
        RmwOp::And | RmwOp::Nand => Some((AND, AND)),
        RmwOp::Or => Some((ORR, ORR)),
        RmwOp::Xor => Some((EOR, EOR)),
        _ => {
            wide_step(&mut e, op, old, new, y);
            None
        }
    };
    if let Some((low, high)) = simple {
        let flags = if low == high { KEEP } else { Flags::Set };
        e.data(low, flags, new.0, old.0, y.0);
        e.data(high, KEEP, new.1, old.1, y.1);
        if op == RmwOp::Nand {
            e.unary(MVN, KEEP, new.0, new.0);
            e.unary(MVN, KEEP, new.1, new.1);
        }
    }
    e.conditional_pair(STREXD, IP, new, n);
    super::wide::compare_zero(&mut e, IP);
    e.b_if(Cond::Ne, top);
    barrier(target, &mut e, how.0);
    match r {
        Some(r) => set_wide(cx, r),
        None => Ok(()),
    }
}

/// The new value where two are compared.
fn wide_step(e: &mut Asm<'_>, op: RmwOp, old: (Gpr, Gpr), new: (Gpr, Gpr), y: (Gpr, Gpr)) {
    use RmwOp::*;
    let less = |e: &mut Asm<'_>, x: (Gpr, Gpr), y: (Gpr, Gpr)| {
        e.compare(CMP, x.0, y.0);
        e.data(SBC, Flags::Set, IP, x.1, y.1);
    };
    let both = |e: &mut Asm<'_>, x: (Gpr, Gpr), c: Cond| {
        e.conditionals(c, &[true, true], |e| {
            e.mov(new.0, x.0);
            e.mov(new.1, x.1);
        });
    };
    let start = |e: &mut Asm<'_>, x: (Gpr, Gpr)| {
        e.mov(new.0, x.0);
        e.mov(new.1, x.1);
    };
    match op {
        Max | Min | Umax | Umin => {
            start(e, y);
            // What is kept is the old value where it is greater, or not.
            let greatest = matches!(op, Max | Umax);
            less(e, if greatest { y } else { old }, if greatest { old } else { y });
            both(e, old, if matches!(op, Max | Min) { Cond::Lt } else { Cond::Lo });
        }
        _ => {
            let up = op == UincWrap;
            let (Some(one), Some(zero)) = (e.isa.immediate(1), e.isa.immediate(0)) else { return };
            e.data(if up { ADD } else { SUB }, Flags::Set, new.0, old.0, one);
            e.data(if up { ADC } else { SBC }, KEEP, new.1, old.1, zero);
            if up {
                less(e, old, y);
                e.conditionals(Cond::Hs, &[true, true], |e| {
                    e.mov_number(KEEP, new.0, 0);
                    e.mov_number(KEEP, new.1, 0);
                });
            } else {
                less(e, y, old);
                both(e, y, Cond::Lo);
                e.data(ORR, Flags::Set, IP, old.0, old.1);
                both(e, y, Cond::Eq);
            }
        }
    }
}
