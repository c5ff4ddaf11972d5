//! Atomic accesses to more than two words: the library's functions for objects of any size and alignment, which take all operands by
//! address (LLVM, "Atomic Instructions and Concurrency Guide", section "Libcalls: `__atomic_*`").

use gusset_codegen::ir::{Callee, IntCc, MemFlags, Opcode, Ordering, RmwOp, Type, Value};
use gusset_codegen::libcall::LibCall;
use gusset_program::{Atomic, I1, I32, I64, PTR, Result, TypeId, VOID};

use crate::function::FunctionLowering;

/// Alignment of the operands' places.
const ALIGN: u32 = 16;

/// The number of an ordering among C's `memory_order_…` constants.
fn order_number(ordering: Ordering) -> i128 {
    match ordering {
        Ordering::NotAtomic | Ordering::Unordered | Ordering::Monotonic => 0,
        Ordering::Acquire => 2,
        Ordering::Release => 3,
        Ordering::AcqRel => 4,
        Ordering::SeqCst => 5,
    }
}

impl FunctionLowering<'_> {
    /// Is an integer too wide for the machine's atomic accesses?
    pub(crate) fn is_wide_atomic(&self, int: Type) -> bool {
        int.bits() > 2 * self.ptr.bits()
    }

    fn temporary(&mut self, int: Type) -> Value {
        let slot = self.b.func.make_slot(int.store_bytes(), ALIGN);
        self.b.slot_addr(slot)
    }

    /// The address of a place that holds a value.
    fn put(&mut self, v: Value) -> Value {
        let at = self.temporary(self.b.func.value_type(v));
        self.b.store(v, at, 0, MemFlags::new(ALIGN, false));
        at
    }

    /// Calls a function with the object's size, addresses and orderings; its instruction's result, if it has one.
    fn call_for_object(
        &mut self,
        function: LibCall,
        ret: TypeId,
        (int, places): (Type, &[Value]),
        orderings: &[Ordering],
    ) -> Result<Option<Value>> {
        let word = if self.ptr == Type::I64 { I64 } else { I32 };
        let mut args = vec![(word, self.b.iconst(self.ptr, int.store_bytes().into()))];
        args.extend(places.iter().map(|&at| (PTR, at)));
        args.extend(orderings.iter().map(|&o| (I32, self.b.iconst(Type::I32, order_number(o)))));
        let (inst, _) = self.runtime_call(Callee::Library(function), ret, &args)?;
        Ok((ret != VOID).then(|| self.b.func.result(inst)))
    }

    fn take(&mut self, int: Type, at: Value) -> Value {
        self.b.load(int, at, 0, MemFlags::new(ALIGN, false))
    }

    pub(crate) fn wide_atomic_load(&mut self, int: Type, addr: Value, ordering: Ordering) -> Result<Value> {
        let at = self.temporary(int);
        self.call_for_object(LibCall::AtomicLoad, VOID, (int, &[addr, at]), &[ordering])?;
        Ok(self.take(int, at))
    }

    pub(crate) fn wide_atomic_store(&mut self, int: Type, addr: Value, v: Value, ordering: Ordering) -> Result<()> {
        let at = self.put(v);
        self.call_for_object(LibCall::AtomicStore, VOID, (int, &[addr, at]), &[ordering])?;
        Ok(())
    }

    /// The value that was there, and whether it was the expected one.
    pub(crate) fn wide_exchange(
        &mut self,
        int: Type,
        addr: Value,
        [expected, new]: [Value; 2],
        orderings: [Ordering; 2],
    ) -> Result<(Value, Value)> {
        let (expected, new) = (self.put(expected), self.put(new));
        let places = [addr, expected, new];
        let done = self.call_for_object(LibCall::AtomicCompareExchange, I1, (int, &places), &orderings)?;
        let done = done.unwrap_or_else(|| self.b.iconst(Type::I1, 0));
        // The function replaces the expected value by the one in memory.
        Ok((self.take(int, expected), done))
    }

    /// An `atomicrmw`: the value that was there.
    pub(crate) fn wide_atomicrmw(
        &mut self,
        op: RmwOp,
        int: Type,
        [addr, v]: [Value; 2],
        access: Atomic,
    ) -> Result<Value> {
        if op == RmwOp::Xchg {
            let (new, old) = (self.put(v), self.temporary(int));
            self.call_for_object(LibCall::AtomicExchange, VOID, (int, &[addr, new, old]), &[access.ordering])?;
            return Ok(self.take(int, old));
        }
        self.exchange_loop((int, addr), access, |l, old| l.combined(op, int, old, v))
    }

    /// The new value that an operation on integers makes of the old one and its operand.
    fn combined(&mut self, op: RmwOp, int: Type, old: Value, v: Value) -> Value {
        match op {
            RmwOp::UincWrap => {
                let (one, none) = (self.b.iconst(int, 1), self.b.iconst(int, 0));
                let (wraps, more) = (self.b.icmp(IntCc::Uge, old, v), self.b.binary(Opcode::Iadd, old, one));
                return self.b.select(wraps, none, more);
            }
            RmwOp::UdecWrap => {
                let (one, none) = (self.b.iconst(int, 1), self.b.iconst(int, 0));
                let (is_zero, above) = (self.b.icmp(IntCc::Eq, old, none), self.b.icmp(IntCc::Ugt, old, v));
                let wraps = self.b.binary(Opcode::Or, is_zero, above);
                let less = self.b.binary(Opcode::Isub, old, one);
                return self.b.select(wraps, v, less);
            }
            // Operations on numbers with a point have a loop of their own.
            RmwOp::Fadd | RmwOp::Fsub | RmwOp::Fmax | RmwOp::Fmin => return v,
            _ => {}
        }
        let Some(opcode) = op.opcode() else { return v };
        let new = self.b.binary(opcode, old, v);
        if op != RmwOp::Nand {
            return new;
        }
        let ones = self.b.iconst(int, -1);
        self.b.binary(Opcode::Xor, new, ones)
    }
}
