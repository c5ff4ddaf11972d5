//! Atomic accesses. Between an exclusive load and its store nothing touches memory: all operands are in registers before.

use gusset_codegen::buffer::Label;
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{AtomicInfo, CmpxchgInfo, Function, InstData, Opcode, Ordering, RmwOp, Type, Value};
use gusset_codegen::machine::{PReg, PartKind, Reserved};

use super::memory::{load_op, store_op};
use super::operand::*;
use crate::arm::encode::Asm;
use crate::arm::encode::ops::*;
use crate::arm::machine::{Arm, gpr, vreg};
use crate::arm::reg::{Cond, Flags, Gpr, IP, Mem, Vreg};
use crate::arm::registers::PLATFORM;

const KEEP: Flags = Flags::Keep;
/// Two registers that follow each other, of which exclusive accesses want the first even: of what is there, and of what becomes of it.
const OLD: (PReg, PReg) = (PReg::int(0), PReg::int(1));
const NEW: (PReg, PReg) = (PReg::int(2), PReg::int(3));
/// A temporary of such accesses that is no home where a function has them.
const SPARE: [PReg; 4] = [PReg::int(4), PReg::int(5), PReg::int(6), PReg::int(8)];

/// See [`reserved`](gusset_codegen::machine::Machine::reserved): accesses of two registers want more than there are otherwise.
pub(crate) fn reserved(target: &Arm, f: &Function) -> Reserved {
    let wide = |d: &InstData| {
        matches!(d.op, Opcode::AtomicLoad | Opcode::AtomicStore | Opcode::AtomicRmw | Opcode::Cmpxchg)
            && d.ty.bits() == 64
    };
    let spare = if f.insts.iter().any(wide) { SPARE.iter().fold(PReg::int(3).mask(), |m, r| m | r.mask()) } else { 0 };
    let platform = target.features.reserve_r9 || f.attrs.platform_register_reserved;
    Reserved { fixed: 0, spare, foreign: if platform { PLATFORM.mask() } else { 0 } }
}

/// Does the machine do the access by itself? Rare operations become loops around comparisons.
pub(crate) fn is_here(target: &Arm, d: &InstData) -> bool {
    use RmwOp::*;
    let (features, bytes) = (target.features, d.ty.store_bytes());
    let exclusive = match bytes {
        1 | 2 => features.exclusive,
        4 => features.version >= 6,
        8 => features.exclusive && !features.microcontroller,
        _ => false,
    };
    // What plain accesses do is not ordered before version 6.
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

/// The bit of fences for this thread alone.
const SINGLE_THREAD: u32 = 8;

/// A fence.
pub(crate) fn fence(cx: &mut Cx<'_>, d: &Node) -> Done {
    let (target, n) = (cx.target, d.a.0);
    barrier(target, &mut asm(cx), n & SINGLE_THREAD == 0);
    Ok(())
}

/// A load.
pub(crate) fn load(cx: &mut Cx<'_>, d: &Node) -> Done {
    let bytes = d.ty.store_bytes();
    let acquire = order(AtomicInfo(d.b.0).ordering()).0;
    let target = cx.target;
    if bytes > 8 {
        return not_yet(cx, d);
    }
    let (old, n) = if bytes == 8 {
        cx.take(OLD.0)?;
        cx.take(OLD.1)?;
        (OLD.0, reg(cx, d.a)?)
    } else {
        let n = reg(cx, d.a)?;
        (cx.temp(false, None)?, n)
    };
    let mut e = asm(cx);
    match bytes {
        8 => e.ordered_pair(LDREXD, (gpr(OLD.0), gpr(OLD.1)), n),
        _ => e.access(load_op(bytes, false), gpr(old), Mem::Base(n, 0)),
    }
    barrier(target, &mut e, acquire);
    set_bits(cx, d.r, old)
}

/// Binds a result to the bits in a register, or if they are 64 in those of what was there.
fn set_bits(cx: &mut Cx<'_>, r: Value, t: PReg) -> Done {
    let ty = cx.ty(r);
    let wide = ty.bits() == 64;
    if !cx.target_parts(ty).0.is_float() {
        return if wide { set_pair(cx, r, OLD.0, OLD.1) } else { cx.set(r, 0, t) };
    }
    let dst = cx.def(r, 0)?;
    if wide {
        asm(cx).from_pair(vreg(dst, 8), (gpr(OLD.0), gpr(OLD.1)));
    } else {
        cx.target_move(PartKind::F32, dst, t);
    }
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
    match bytes {
        8 => return wide_update(cx, d, RmwOp::Xchg, order(o)),
        1 | 2 | 4 => {}
        _ => return not_yet(cx, d),
    }
    let t = bits_of(cx, d.b)?;
    let n = reg(cx, d.a)?;
    let mut e = asm(cx);
    barrier(target, &mut e, order(o).1);
    e.access(store_op(bytes), t, Mem::Base(n, 0));
    barrier(target, &mut e, o == Ordering::SeqCst);
    Ok(())
}

/// A loop around an exclusive load of one register or two and the store that may fail, with barriers around it. Between the two the
/// `new` value is computed, which jumps to the label given where nothing is to be stored.
fn exclusive(
    cx: &mut Cx<'_>,
    (bytes, n): (u32, Gpr),
    how: (bool, bool),
    (old, new): ((Gpr, Gpr), (Gpr, Gpr)),
    compute: impl FnOnce(&mut Asm<'_>, Label),
) {
    let target = cx.target;
    let mut e = asm(cx);
    barrier(target, &mut e, how.1);
    let (top, done) = (e.buf.new_label(), e.buf.new_label());
    e.buf.bind(top);
    match bytes {
        1 => e.registers(LDREXB, [old.0, n]),
        2 => e.registers(LDREXH, [old.0, n]),
        4 => e.registers(LDREX, [old.0, n]),
        _ => e.ordered_pair(LDREXD, old, n),
    }
    compute(&mut e, done);
    match bytes {
        1 => e.registers(STREXB, [IP, new.0, n]),
        2 => e.registers(STREXH, [IP, new.0, n]),
        4 => e.registers(STREX, [IP, new.0, n]),
        _ => e.conditional_pair(STREXD, IP, new, n),
    }
    // The flags say afterwards that the status is zero.
    e.compare(CMP, IP, 0);
    e.b_if(Cond::Ne, top);
    e.buf.bind(done);
}

/// Registers for an access of 64 bits, and its address.
fn wide_registers(cx: &mut Cx<'_>, address: Value) -> Result<Gpr, CompileError> {
    for r in [OLD.0, OLD.1, NEW.0, NEW.1] {
        cx.take(r)?;
    }
    reg(cx, address)
}

/// The registers of an allocation.
fn pair_of((low, high): (PReg, PReg)) -> (Gpr, Gpr) {
    (gpr(low), gpr(high))
}

/// Compare and exchange.
pub(crate) fn compare_exchange(cx: &mut Cx<'_>, d: &Node) -> Done {
    let (flag, bytes, info) = (Value(d.r.0 + 1), d.ty.store_bytes(), CmpxchgInfo(d.flags));
    let how = order_of_exchange(info);
    if !d.ty.is_int() || bytes > 8 {
        return not_yet(cx, d);
    }
    let (n, expected, old, new, told);
    if bytes == 8 {
        n = wide_registers(cx, d.a)?;
        expected = pair(cx, d.b)?;
        cx.copy_into(NEW.0, d.c, 0)?;
        cx.copy_into(NEW.1, d.c, 1)?;
        (old, new, told) = (OLD, pair_of(NEW), NEW.0);
    } else {
        // What is compared has zeros above its width, as what is loaded.
        let x = extended(cx, d.b, false)?;
        n = reg(cx, d.a)?;
        let y = reg(cx, d.c)?;
        let t = cx.temp(false, None)?;
        (expected, new, old) = ((x, x), (y, y), (t, t));
        told = if cx.live.count(flag) != 0 { cx.temp(false, None)? } else { t };
    }
    let found = pair_of(old);
    exclusive(cx, (bytes, n), how, (found, new), |e, done| {
        e.compare(CMP, found.0, expected.0);
        if bytes == 8 {
            e.conditional(Cond::Eq, |e| e.compare(CMP, found.1, expected.1));
        }
        e.b_if(Cond::Ne, done);
    });
    let (target, told_of) = (cx.target, cx.live.count(flag) != 0);
    let mut e = asm(cx);
    if told_of {
        e.set_if(gpr(told), Cond::Eq);
    }
    barrier(target, &mut e, how.0);
    if bytes == 8 {
        set_pair(cx, d.r, OLD.0, OLD.1)?
    } else {
        cx.set(d.r, 0, old.0)?
    }
    if told_of { cx.set(flag, 0, told) } else { Ok(()) }
}

/// Read, modify, write.
pub(crate) fn read_modify_write(cx: &mut Cx<'_>, d: &Node) -> Done {
    let bytes = d.ty.store_bytes();
    let Some(op) = RmwOp::from_u8(d.flags) else { return not_yet(cx, d) };
    let how = order(AtomicInfo(d.c.0).ordering());
    match bytes {
        8 => return wide_update(cx, d, op, how),
        1 | 2 | 4 if d.ty != Type::I1 && (d.ty.is_int() || op == RmwOp::Xchg) => {}
        _ => return not_yet(cx, d),
    }
    let n = reg(cx, d.a)?;
    let signed = matches!(op, RmwOp::Max | RmwOp::Min);
    // What is compared has the extension of what was loaded.
    let compared = signed || matches!(op, RmwOp::Umax | RmwOp::Umin);
    let y = if compared { extended(cx, d.b, signed)? } else { bits_of(cx, d.b)? };
    let (old, t) = (cx.temp(false, None)?, temp(cx)?);
    let (o, new, target) = (gpr(old), if op == RmwOp::Xchg { y } else { t }, cx.target);
    exclusive(cx, (bytes, n), how, ((o, o), (new, new)), |e, _| {
        if signed && bytes < 4 {
            extend_bits(target, e, true, IP, o, 8 * bytes);
        }
        step(e, op, (if signed && bytes < 4 { IP } else { o }, t), y);
    });
    barrier(target, &mut asm(cx), how.0);
    set_bits(cx, d.r, old)
}

/// The new value of the old one and the operand.
fn step(e: &mut Asm<'_>, op: RmwOp, (old, new): (Gpr, Gpr), y: Gpr) {
    use RmwOp::*;
    let pick = |e: &mut Asm<'_>, keep: Cond| {
        e.compare(CMP, old, y);
        e.choose((), new, (old, y), keep);
    };
    match op {
        Max => pick(e, Cond::Gt),
        Min => pick(e, Cond::Le),
        Umax => pick(e, Cond::Hi),
        Umin => pick(e, Cond::Ls),
        _ => simple(e, op, KEEP, (old, new), y, false),
    }
}

/// That of a word, or of the low or the high half of two.
fn simple(e: &mut Asm<'_>, op: RmwOp, flags: Flags, (old, new): (Gpr, Gpr), y: Gpr, high: bool) {
    let op = match op {
        RmwOp::Add => {
            if high {
                ADC
            } else {
                ADD
            }
        }
        RmwOp::Sub => {
            if high {
                SBC
            } else {
                SUB
            }
        }
        RmwOp::And => AND,
        RmwOp::Nand => {
            e.data(AND, KEEP, new, old, y);
            return e.unary(MVN, KEEP, new, new);
        }
        RmwOp::Or => ORR,
        RmwOp::Xor => EOR,
        _ => return,
    };
    e.data(op, flags, new, old, y);
}

/// Of 64 bits. The operand is in registers that calls keep, the new value in those of a pair.
fn wide_update(cx: &mut Cx<'_>, d: &Node, op: RmwOp, how: (bool, bool)) -> Done {
    let n = wide_registers(cx, d.a)?;
    let (old, new) = (pair_of(OLD), pair_of(NEW));
    let y = if op == RmwOp::Xchg {
        wide_bits_of(cx, d.b)?;
        new
    } else {
        pair(cx, d.b)?
    };
    exclusive(cx, (8, n), how, (old, new), |e, _| {
        simple(e, op, Flags::Set, (old.0, new.0), y.0, false);
        simple(e, op, KEEP, (old.1, new.1), y.1, true);
    });
    let target = cx.target;
    barrier(target, &mut asm(cx), how.0);
    if d.op == Opcode::AtomicStore { Ok(()) } else { set_bits(cx, d.r, OLD.0) }
}
