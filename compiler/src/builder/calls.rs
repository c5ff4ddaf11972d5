//! Calls of functions whose arguments have been evaluated.

use std::sync::Arc;

use gusset_abi::{self as abi, Signature};
use gusset_codegen::ir::{Callee, SigData, TailKind, Value};

use super::{Body, Func};

/// What is called, and the signature of the call.
pub(super) type Call = (Callee, Arc<SigData>);

impl Body<'_, '_> {
    /// A function of this object and its declaration.
    pub(super) fn callee(&mut self, func: Func) -> Option<Call> {
        let symbol = self.own(func)?;
        let sig = Arc::clone(self.known.signature(symbol)?);
        Some((Callee::Symbol(symbol), sig))
    }

    /// How messages call a function.
    pub(super) fn named(&mut self, func: Func) -> String {
        self.own(func).map_or_else(String::new, |symbol| self.callee_name(Callee::Symbol(symbol)))
    }

    fn callee_name(&self, callee: Callee) -> String {
        match callee {
            Callee::Symbol(symbol) => format!("`{}`", self.known.module.symbol(symbol).name),
            _ => "the function at an address".to_string(),
        }
    }

    /// Calls a function. The result is a value, the address of a fresh copy of an aggregate, or nothing. Only named
    /// arguments can be passed to a variadic function; for others see [`Body::call_variadic`]. After a mistake there
    /// always is a result, which means nothing.
    pub fn call(&mut self, func: Func, args: &[Value]) -> Option<Value> {
        let call = self.callee(func);
        self.call_as(call, args)
    }

    /// Calls a function that has a result: like [`call`](Self::call), where a call without one is a mistake.
    pub fn call_value(&mut self, func: Func, args: &[Value]) -> Value {
        match self.call(func, args) {
            Some(result) => result,
            None => {
                let name = self.named(func);
                self.mistake(format!("a call of {name} for its result: it has none"));
                self.no_value()
            }
        }
    }

    /// Calls a function that may run a collector: its stack map, with the number `id`, says where the
    /// [`reference`](gusset_codegen::ir::FunctionBuilder::reference)s are that live across the call (`docs/stack-maps.md`).
    pub fn call_safepoint(&mut self, func: Func, args: &[Value], id: u64) -> Option<Value> {
        self.safepoint = Some(id);
        let result = self.call(func, args);
        self.safepoint = None;
        result
    }

    /// Calls a function that may return twice, like `setjmp`. Code after it that runs when it has returned again may
    /// only use values from memory, or that were made after the call: values from before are as the function left them.
    pub fn call_returning_twice(&mut self, func: Func, args: &[Value]) -> Option<Value> {
        self.twice = true;
        let result = self.call(func, args);
        self.twice = false;
        result
    }

    /// Calls a function as the last thing that this one does, and returns its result. The call takes the place of this
    /// function on the stack where that is possible without cost (LLVM's `tail`).
    pub fn tail_call(&mut self, func: Func, args: &[Value]) {
        let call = self.callee(func);
        self.call_and_return(call, args, TailKind::Tail);
    }

    /// The same, where the call takes the place of this function in any case (LLVM's `musttail`): functions may call each
    /// other so without end. The two functions have the same convention, and the callee takes no more room on the stack
    /// for its arguments than the target can give it; otherwise the definition is an error. Local variables do not exist
    /// any more when the callee runs, so that no argument may point to one.
    pub fn must_tail_call(&mut self, func: Func, args: &[Value]) {
        let call = self.callee(func);
        self.call_and_return(call, args, TailKind::Must);
    }

    /// The same as [`must_tail_call`](Self::must_tail_call) for the function at an address.
    pub fn must_tail_call_address(&mut self, address: Value, signature: Signature, args: &[Value]) {
        let call = self.at_address(address, signature);
        self.call_and_return(call, args, TailKind::Must);
    }

    fn call_and_return(&mut self, call: Option<Call>, args: &[Value], tail: TailKind) {
        if self.unwind.is_some() {
            self.mistake("a call that replaces its function has no landing pad: set `unwind_to(None)`");
        }
        if call.as_ref().is_some_and(|(_, sig)| sig.source.ret.ty != self.sig.source.ret.ty) {
            self.mistake("a call that replaces its function has the function's type of result");
        }
        self.tail = tail;
        let place = self.result_address();
        let result = match call {
            Some((callee, sig)) if sig.abi.arg_block.is_none() && args.len() == sig.source.params.len() => {
                self.emit_call(callee, &sig, args.to_vec(), place)
            }
            call => self.call_as(call, args),
        };
        self.tail = TailKind::None;
        let results: Vec<Value> = result.into_iter().filter(|_| place.is_none()).collect();
        self.builder.ret(&results);
    }

    /// Calls the function at an address.
    pub fn call_address(&mut self, address: Value, signature: Signature, args: &[Value]) -> Option<Value> {
        let call = self.at_address(address, signature);
        self.call_as(call, args)
    }

    /// The function at an address, with its signature.
    pub(super) fn at_address(&mut self, address: Value, signature: Signature) -> Option<Call> {
        Some((Callee::Value(address), self.signature(signature)?))
    }

    pub(super) fn signature(&mut self, source: Signature) -> Option<Arc<SigData>> {
        let sig = self.known.signatures.get("a call", &source);
        self.good(sig)
    }

    /// Makes a call; there is none after a mistake.
    pub(super) fn call_as(&mut self, call: Option<Call>, args: &[Value]) -> Option<Value> {
        let Some((callee, sig)) = call else { return Some(self.no_value()) };
        let expected = sig.source.params.len();
        if args.len() != expected {
            let called = self.callee_name(callee);
            let hint = match sig.variadic && args.len() > expected {
                true => ", and `call_variadic` passes unnamed ones",
                false => "",
            };
            let (given, plural) = (args.len(), if args.len() == 1 { "" } else { "s" });
            self.mistake(format!("a call of {called} with {given} argument{plural}: it takes {expected}{hint}"));
            return Some(self.no_value());
        }
        if sig.abi.arg_block.is_some() {
            return self.call_in_block((callee, sig), args);
        }
        self.emit_call(callee, &sig, args.to_vec(), None)
    }

    /// Makes a call with the values that the IR needs; `place` is the address for an aggregate result.
    pub(super) fn emit_call(
        &mut self,
        callee: Callee,
        sig: &Arc<SigData>,
        mut args: Vec<Value>,
        place: Option<Value>,
    ) -> Option<Value> {
        let result = match &sig.source.ret.ty {
            abi::AbiType::C(ty) if sig.aggregate_result => {
                let ty = ty.clone();
                Some(place.unwrap_or_else(|| self.local(&ty)))
            }
            _ => None,
        };
        args.extend(result);
        let results = sig.results.len();
        let sig = self.builder.import_signature(Arc::clone(sig));
        let call = self.builder.call(callee, sig, &args, self.tail, self.twice);
        if let Some(id) = self.safepoint.take() {
            self.builder.safepoint(id, &[]);
        }
        self.place_call();
        let result = if results > 0 { Some(self.builder.func.result(call)) } else { result };
        self.end_call();
        result
    }
}
