//! Swift's errors (LangRef, "Parameter Attributes", `swifterror`) and calls that are jumps by their convention.
//!
//! A `swifterror` parameter looks like a pointer to a variable, but what travels is the variable's value, in a register of its
//! own, in and out again. The function has a slot for it; calls load the slot they name before and store it behind them.

use gusset_abi::{Convention, PassMode};
use gusset_codegen::ir::{Inst, MemFlags, Opcode, TailKind, Value};
use gusset_program::PTR;

use crate::function::FunctionLowering;

impl FunctionLowering<'_> {
    /// Puts the error that the function is called with into a slot; the slot's address, which is what the text names.
    pub(crate) fn receive_error(&mut self, value: Value) -> Value {
        let bytes = self.types.get(PTR).size as u32;
        let slot = self.b.func.make_temporary(bytes, bytes);
        let address = self.b.slot_addr(slot);
        self.b.store(value, address, 0, MemFlags::new(bytes, false));
        self.error = Some(address);
        address
    }

    /// Makes the value of the error out of the address that the call at hand names as argument `at`; the address.
    pub(crate) fn pass_error(&mut self, at: usize) -> Value {
        let address = self.s.call.vals[at].value();
        self.s.call.vals[at] = self.load_error(address).into();
        address
    }

    fn load_error(&mut self, address: Value) -> Value {
        let align = self.types.get(PTR).align;
        self.b.load(self.ptr, address, 0, MemFlags::new(align, false))
    }

    /// Takes the error that a call gives back behind its other results.
    pub(crate) fn take_error(&mut self, call: Inst, address: Value, tail: TailKind) {
        let Some(value) = self.b.func.results(call).last() else { return };
        if tail == TailKind::Must {
            // Nothing may stand between the call and the return.
            self.error_passed = Some(value);
            return;
        }
        let align = self.types.get(PTR).align;
        self.b.store(value, address, 0, MemFlags::new(align, false));
    }

    /// The error that the function gives back at a `ret`, if it is one that does.
    pub(crate) fn returned_error(&mut self) -> Option<Value> {
        let address = self.error?;
        match self.error_passed.take() {
            Some(value) => Some(value),
            None => Some(self.load_error(address)),
        }
    }

    /// Does the function's convention promise that calls in front of a `ret` are jumps (LangRef, "Tail Call Optimization")?
    pub(crate) fn promises_jumps(&self) -> bool {
        let convention = self.b.func.signature().source.convention;
        matches!(convention, Convention::Tail | Convention::SwiftTail | Convention::Ghc)
    }

    /// Makes a jump of the call in front of a `ret` of `values`, in such a function: the call is marked `tail`, its results are returned, and its arguments have room where ours were.
    pub(crate) fn settle_tail_call(&mut self, values: &[Value]) {
        let f = &*self.b.func;
        let own = f.signature();
        let Some(last) = f.insts.len().checked_sub(1).map(|i| Inst(i as u32)) else { return };
        let d = f.inst(last);
        if d.op != Opcode::Call {
            return;
        }
        let call = &f.calls[d.a as usize];
        let sig = &f.sigs[call.sig.index()];
        let same = sig.source.convention == own.source.convention && !sig.variadic;
        let room =
            sig.abi.stack_arg_bytes <= own.abi.stack_arg_bytes && sig.abi.callee_pop_bytes == own.abi.callee_pop_bytes;
        let direct = sig.abi.args.iter().all(|a| matches!(a.mode, PassMode::Direct(_) | PassMode::Ignore));
        let settled = call.tail == TailKind::Tail && same && room && direct;
        if settled && values.iter().copied().eq(f.results(last)) {
            let d = *d;
            self.b.func.calls[d.a as usize].tail = TailKind::Must;
        }
    }
}
