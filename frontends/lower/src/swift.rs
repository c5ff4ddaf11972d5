//! Swift's errors (LangRef, "Parameter Attributes", `swifterror`), and calls that are jumps by their convention.
//!
//! A `swifterror` parameter looks like a pointer to a variable, but the variable's value is passed in and out, in a
//! register of its own. The function has a slot for it; a call loads the slot that it names before, and stores it
//! afterwards.

use gusset_abi::{AbiTarget, Arch, Convention, PassMode, Role};
use gusset_codegen::ir::{FunctionBuilder, Inst, MemFlags, Opcode, TailKind, Value};
use gusset_program::{PTR, Request};

use crate::function::FunctionLowering;

impl FunctionLowering<'_> {
    /// Stores the error that the function is called with into a slot; returns the slot's address, which the program
    /// uses as the parameter.
    pub(crate) fn receive_error(&mut self, value: Value) -> Value {
        let bytes = self.types.get(PTR).size as u32;
        let slot = self.b.func.make_temporary(bytes, bytes);
        let address = self.b.slot_addr(slot);
        self.b.store(value, address, 0, MemFlags::new(bytes, false));
        self.error = Some(address);
        address
    }

    /// Replaces the address that is argument `at` of the current call by the error at that address; returns the
    /// address.
    pub(crate) fn pass_error(&mut self, at: usize) -> Value {
        let address = self.s.call.vals[at].value();
        self.s.call.vals[at] = self.load_error(address).into();
        address
    }

    fn load_error(&mut self, address: Value) -> Value {
        let align = self.types.get(PTR).align;
        self.b.load(self.ptr, address, 0, MemFlags::new(align, false))
    }

    /// Stores the error that a call returns after its other results.
    pub(crate) fn take_error(&mut self, call: Inst, address: Value, tail: TailKind) {
        let Some(value) = self.b.func.results(call).last() else { return };
        if tail == TailKind::Must {
            // Nothing may come between the call and the return.
            self.error_passed = Some(value);
            return;
        }
        let align = self.types.get(PTR).align;
        self.b.store(value, address, 0, MemFlags::new(align, false));
    }

    /// The error that the function returns at a `ret`, if it returns one.
    pub(crate) fn returned_error(&mut self) -> Option<Value> {
        let address = self.error?;
        match self.error_passed.take() {
            Some(value) => Some(value),
            None => Some(self.load_error(address)),
        }
    }

    /// Turns the call before a `ret` of `values` into a jump in such a function, if the call is marked `tail`, its
    /// results are returned, and its arguments fit where the function's own are, or may be of any size.
    pub(crate) fn form_tail_call(&mut self, values: &[Value]) {
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
        let fits =
            sig.abi.stack_arg_bytes <= own.abi.stack_arg_bytes && sig.abi.callee_pop_bytes == own.abi.callee_pop_bytes;
        let free = !own.variadic && call.within.is_none() && !call.returns_twice && !f.attrs.no_tail_calls;
        let replaces = free && own.source.convention.replaces_arguments() && sig.abi.ret == own.abi.ret;
        let room = fits || replaces;
        let direct = sig.abi.args.iter().all(|a| matches!(a.mode, PassMode::Direct(_) | PassMode::Ignore));
        let settled = call.tail == TailKind::Tail && same && room && direct;
        if settled && values.iter().copied().eq(f.results(last)) {
            let d = *d;
            self.b.func.calls[d.a as usize].tail = TailKind::Must;
        }
    }
}

/// Whether a `swifterror` parameter is the address that it looks like: 32-bit x86 has no register for errors (LLVM,
/// `X86TargetLowering::supportSwiftError`).
pub(crate) fn errors_are_addresses(target: &AbiTarget) -> bool {
    target.arch == Arch::X86
}

/// Makes parameters that are errors ordinary ones.
pub(crate) fn pass_addresses(request: &mut Request) {
    for (_, param) in &mut request.params {
        if param.role == Role::SwiftError {
            param.role = Role::Value;
        }
    }
}

/// Whether the function's convention promises that calls before a `ret` are jumps (LangRef, "Tail Call
/// Optimization").
pub(crate) fn promises_jumps(b: &FunctionBuilder<'_>) -> bool {
    let convention = b.func.signature().source.convention;
    matches!(convention, Convention::Tail | Convention::SwiftTail | Convention::Ghc)
}
