//! Atomic accesses by library functions (LLVM, "Atomic Instructions and Concurrency Guide", section "Libcalls:
//! `__atomic_*`").
//!
//! An access that is not aligned to its size uses the functions for objects of any size and alignment, even if locked
//! instructions would do, since the library guards such objects with its own locks. These functions take all operands
//! by address. For aligned accesses there is a function for each size, which takes and returns values. On systems with
//! older functions for exchange and comparison (`__sync_…` in the GCC manual) the target names those instead, and
//! machines may have functions of their own.

use super::call::Cx;
use crate::error::{CompileError, Result};
use crate::ir::{
    AtomicInfo, Block, CmpxchgInfo, Function, Inst, InstData, IntCc, MemFlags, Opcode, Ordering, RmwOp, Type, Value,
};
use crate::libcall::LibCall as L;
use crate::machine::{AtomicFunction, Machine};

/// The function for an aligned read-modify-write of 16 bytes.
fn sixteen(op: RmwOp) -> Option<L> {
    Some(match op {
        RmwOp::Xchg => L::AtomicExchange16,
        RmwOp::Add => L::AtomicFetchAdd16,
        RmwOp::Sub => L::AtomicFetchSub16,
        RmwOp::And => L::AtomicFetchAnd16,
        RmwOp::Or => L::AtomicFetchOr16,
        RmwOp::Xor => L::AtomicFetchXor16,
        RmwOp::Nand => L::AtomicFetchNand16,
        _ => return None,
    })
}

/// The functions for compare-exchange of 1, 2, 4, 8 and 16 bytes.
const COMPARE_EXCHANGE: [L; 5] = [
    L::AtomicCompareExchange1,
    L::AtomicCompareExchange2,
    L::AtomicCompareExchange4,
    L::AtomicCompareExchange8,
    L::AtomicCompareExchange16,
];
const LOAD: [L; 5] = [L::AtomicLoad1, L::AtomicLoad2, L::AtomicLoad4, L::AtomicLoad8, L::AtomicLoad16];
const STORE: [L; 5] = [L::AtomicStore1, L::AtomicStore2, L::AtomicStore4, L::AtomicStore8, L::AtomicStore16];
/// The older functions for compare-exchange.
const COMPARE_AND_SWAP: [L; 4] =
    [L::SyncCompareAndSwap1, L::SyncCompareAndSwap2, L::SyncCompareAndSwap4, L::SyncCompareAndSwap8];
/// The older functions for exchange.
const TEST_AND_SET: [L; 4] = [L::SyncTestAndSet1, L::SyncTestAndSet2, L::SyncTestAndSet4, L::SyncTestAndSet8];

/// Has the library no function for the access, so that it needs a loop around a compare-exchange?
pub(super) fn wants_loop<T: Machine>(target: &T, f: &Function, d: &InstData) -> bool {
    let Some(op) = RmwOp::from_u8(d.flags).filter(|_| d.op == Opcode::AtomicRmw) else { return false };
    match d.is_unaligned_atomic() {
        true => op != RmwOp::Xchg,
        false => (d.ty.bits() < 128 || sixteen(op).is_none()) && target.atomic_function(f, d).is_none(),
    }
}

/// Makes a loop around `cmpxchg` of such an access: new blocks read the old value and try to replace it. See
/// [`make_loops`](super::blocks::make_loops).
pub(super) fn make_loop(f: &mut Function, i: Inst, [first, round, rest]: [Block; 3]) -> u32 {
    let d = *f.inst(i);
    let (ty, info) = (d.ty, AtomicInfo(d.c));
    let op = RmwOp::from_u8(d.flags).unwrap_or(RmwOp::Xchg);
    // Floating-point numbers are compared by their bits; operands of unaligned accesses are passed by address.
    let aligned = !d.is_unaligned_atomic();
    let bits = Type::int(ty.bits()).filter(|_| aligned && ty.is_float()).unwrap_or(ty);
    let found = f.append_param(round, bits);
    let result = f.result(i);
    let plain = InstData { op: Opcode::Jump, flags: 0, ty: Type::VOID, a: 0, b: 0, c: 0 };
    f.insts[i.index()] = InstData { a: f.make_edge(first).0, ..plain };
    // A torn read does no harm: the comparison fails.
    let flags = MemFlags::new(if aligned { bits.store_bytes() } else { 1 }, info.is_volatile());
    let flags = flags.in_space(info.space()).0;
    let load = f.push_load(flags, bits, Value(d.a), 0);
    let enter = f.make_edge(round);
    f.append_edge_arg(enter, load);
    f.push_inst(InstData { a: enter.0, ..plain }, &[]);
    let middle = f.insts.len() as u32;
    let cast = |f: &mut Function, v: Value, to: Type| {
        if to == f.value_type(v) {
            return v;
        }
        f.push_op(Opcode::Bitcast, 0, to, [v, Value(0), Value(0)], to)
    };
    let old = cast(f, found, ty);
    f.alias(result, old);
    let new = combine(f, op, ty, old, Value(d.b));
    let new = cast(f, new, bits);
    let order = info.ordering();
    let flags = CmpxchgInfo::new(order, order.of_failure(), info.is_volatile(), aligned).in_space(info.space()).0;
    let exchange = InstData { op: Opcode::Cmpxchg, flags, ty: bits, a: d.a, b: found.0, c: new.0 };
    let exchange = f.push_inst(exchange, &[bits, Type::I1]);
    let found = f.result(exchange);
    let (out, again) = (f.make_edge(rest), f.make_edge(round));
    f.append_edge_arg(again, found);
    f.push_inst(InstData { op: Opcode::Br, a: found.0 + 1, b: out.0, c: again.0, ..plain }, &[]);
    middle
}

/// Appends what computes the new value from the old one and the operand.
fn combine(f: &mut Function, op: RmwOp, ty: Type, old: Value, by: Value) -> Value {
    let zero = Value(0);
    let two = |f: &mut Function, op, a, b| f.push_op(op, 0, ty, [a, b, zero], ty);
    let test = |f: &mut Function, cc: IntCc, a, b| f.push_op(Opcode::Icmp, cc as u8, ty, [a, b, zero], Type::I1);
    match op {
        RmwOp::UincWrap => {
            let (one, none) = (f.make_int(ty, 1), f.make_int(ty, 0));
            let (wraps, more) = (test(f, IntCc::Uge, old, by), two(f, Opcode::Iadd, old, one));
            return f.push_op(Opcode::Select, 0, ty, [wraps, none, more], ty);
        }
        RmwOp::UdecWrap => {
            let (one, none) = (f.make_int(ty, 1), f.make_int(ty, 0));
            let (is_zero, above) = (test(f, IntCc::Eq, old, none), test(f, IntCc::Ugt, old, by));
            let wraps = f.push_op(Opcode::Or, 0, Type::I1, [is_zero, above, zero], Type::I1);
            let less = two(f, Opcode::Isub, old, one);
            return f.push_op(Opcode::Select, 0, ty, [wraps, by, less], ty);
        }
        _ => {}
    }
    let Some(opcode) = op.opcode() else { return by };
    let v = two(f, opcode, old, by);
    if op != RmwOp::Nand {
        return v;
    }
    let ones = f.make_int(ty, -1);
    two(f, Opcode::Xor, v, ones)
}

/// The integer type with at least 32 bits by which functions take and return a value of a type.
fn word(ty: Type) -> Type {
    if ty.bits() < 32 { Type::I32 } else { Type::int(ty.bits()).unwrap_or(ty) }
}

/// The number of an ordering among C's `memory_order_…` constants.
fn order_number(o: Ordering) -> i128 {
    match o {
        Ordering::NotAtomic | Ordering::Unordered | Ordering::Monotonic => 0,
        Ordering::Acquire => 2,
        Ordering::Release => 3,
        Ordering::AcqRel => 4,
        Ordering::SeqCst => 5,
    }
}

impl<T: Machine> Cx<'_, T> {
    /// Appends the calls for an atomic access.
    pub(super) fn atomic(&mut self, d: &InstData, r: Value) -> Result<bool> {
        let ty = d.ty;
        if d.atomic_space() != 0 {
            let why = format!(
                "an atomic access to {ty} relative to a segment register, which the library would make, is not supported"
            );
            return Err(CompileError::new(self.f, why));
        }
        let (object, b, c) = (Value(d.a), Value(d.b), Value(d.c));
        let order = |cx: &mut Self, o| cx.f.make_int(Type::I32, order_number(o));
        let size = self.f.make_int(self.target.facts().pointer, i128::from(ty.store_bytes()));
        let loose = d.is_unaligned_atomic();
        if let Some(own) = self.target.atomic_function(self.f, d).filter(|_| !loose) {
            return self.atomic_by(own, d, r);
        }
        let k = ty.store_bytes().trailing_zeros() as usize;
        if !loose && COMPARE_AND_SWAP.contains(&self.target.library_function(COMPARE_EXCHANGE[k]).0) {
            return self.sync(d, r, k);
        }
        let old = match d.op {
            Opcode::AtomicLoad => {
                let order = order(self, AtomicInfo(d.b).ordering());
                if loose {
                    let at = self.temporary(ty);
                    self.call(L::AtomicLoad, &[size, object, at, order])?;
                    self.load(ty, at)
                } else {
                    let old = self.compute(LOAD[k], &[object, order], word(ty))?;
                    self.resized(old, ty)
                }
            }
            Opcode::AtomicStore => {
                let order = order(self, AtomicInfo(d.c).ordering());
                if loose {
                    let at = self.put(b);
                    self.call(L::AtomicStore, &[size, object, at, order])?;
                } else {
                    let b = self.resized(b, word(ty));
                    self.call(STORE[k], &[object, b, order])?;
                }
                return Ok(true);
            }
            Opcode::AtomicRmw => {
                let order = order(self, AtomicInfo(d.c).ordering());
                let Some(op) = RmwOp::from_u8(d.flags) else { return Ok(false) };
                if loose && op == RmwOp::Xchg {
                    let (at, old) = (self.put(b), self.temporary(ty));
                    self.call(L::AtomicExchange, &[size, object, at, old, order])?;
                    self.load(ty, old)
                } else if let Some(lib) = sixteen(op).filter(|_| !loose) {
                    self.compute(lib, &[object, b, order], ty)?
                } else {
                    return Ok(false);
                }
            }
            _ => {
                let info = CmpxchgInfo(d.flags);
                let (success, failure) = (order(self, info.success()), order(self, info.failure()));
                let expected = self.put(b);
                let done = if loose {
                    let new = self.put(c);
                    let args = [size, object, expected, new, success, failure];
                    self.compute(L::AtomicCompareExchange, &args, Type::I1)?
                } else {
                    let args = [object, expected, self.resized(c, word(ty)), success, failure];
                    self.compute(COMPARE_EXCHANGE[k], &args, Type::I1)?
                };
                // The function replaces the expected value by the one in memory.
                self.f.alias(Value(r.0 + 1), done);
                self.load(ty, expected)
            }
        };
        self.f.alias(r, old);
        Ok(true)
    }

    /// Appends the call of the machine's own function.
    fn atomic_by(&mut self, own: AtomicFunction, d: &InstData, r: Value) -> Result<bool> {
        let (ty, object, b, c) = (d.ty, Value(d.a), Value(d.b), Value(d.c));
        let old = if d.op == Opcode::Cmpxchg {
            let old = self.compute(own.lib, &[b, c, object], ty)?;
            let same = self.f.push_op(Opcode::Icmp, IntCc::Eq as u8, ty, [old, b, Value(0)], Type::I1);
            self.f.alias(Value(r.0 + 1), same);
            old
        } else {
            let operand = match own.operand {
                Some((op, n)) => {
                    let number = self.f.make_int(ty, n);
                    self.f.push_op(op, 0, ty, [number, b, Value(0)], ty)
                }
                None => b,
            };
            self.compute(own.lib, &[operand, object], ty)?
        };
        self.f.alias(r, old);
        Ok(true)
    }

    /// Uses the older functions, which are full barriers.
    fn sync(&mut self, d: &InstData, r: Value, k: usize) -> Result<bool> {
        let (ty, wide) = (d.ty, word(d.ty));
        let (expected, new) = match d.op {
            Opcode::AtomicStore => {
                let v = self.resized(Value(d.b), wide);
                self.compute(TEST_AND_SET[k], &[Value(d.a), v], wide)?;
                return Ok(true);
            }
            Opcode::Cmpxchg => (self.resized(Value(d.b), wide), self.resized(Value(d.c), wide)),
            // Zero becomes zero.
            Opcode::AtomicLoad => (self.f.make_int(wide, 0), self.f.make_int(wide, 0)),
            _ => return Ok(false),
        };
        let found = self.compute(COMPARE_AND_SWAP[k], &[Value(d.a), expected, new], wide)?;
        if d.op == Opcode::Cmpxchg {
            let operands = [found, expected, Value(0)];
            let equal = self.f.push_op(Opcode::Icmp, IntCc::Eq as u8, wide, operands, Type::I1);
            self.f.alias(Value(r.0 + 1), equal);
        }
        let old = self.resized(found, ty);
        self.f.alias(r, old);
        Ok(true)
    }

    /// A value as an integer with as many bits as another type, or back; further bits are zero.
    fn resized(&mut self, v: Value, to: Type) -> Value {
        let whole = |ty: Type| Type::int(ty.bits()).unwrap_or(ty);
        let (from, middle) = (whole(self.f.value_type(v)), whole(to));
        let change = if from.bits() < middle.bits() { Opcode::Zext } else { Opcode::Trunc };
        [(Opcode::Bitcast, from), (change, middle), (Opcode::Bitcast, to)].into_iter().fold(v, |v, (op, ty)| {
            if self.f.value_type(v) == ty {
                return v;
            }
            self.f.push_op(op, 0, ty, [v, Value(0), Value(0)], ty)
        })
    }

    /// The address of a place that holds the value.
    fn put(&mut self, v: Value) -> Value {
        let at = self.temporary(self.f.value_type(v));
        self.store(v, at);
        at
    }
}
