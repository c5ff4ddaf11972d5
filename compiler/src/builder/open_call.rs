//! Calls whose arguments are constructed where the callee finds them.
//!
//! Microsoft's 32-bit C++ passes classes that cannot be copied bitwise in an argument block: stack that the caller
//! allocates before it evaluates the arguments. [`Body::open_call`] does so where the convention needs it, and
//! otherwise uses memory of the function, so that a front end need not know the difference.

use std::sync::Arc;

use gusset_abi::{self as abi, CType, PassMode, Signature};
use gusset_codegen::ir::{Callee, Opcode, SigData, Type, Value};

use super::calls::Call;
use super::{Body, Func};

/// A call that has been opened and not been made yet, see [`Body::open_call`].
///
/// Calls may be opened within each other to any depth; an inner one must be finished or given up before the outer one.
/// That must hold on every path of control, and is checked when the function is complete. An exception that leaves the
/// call, or one raised while an argument is constructed, finds the block still open; a copy of this value serves to
/// give it up in the landing pad.
///
/// ```
/// # use gusset_abi::{CType, Signature};
/// # use gusset_compiler::{BuilderOptions, Features, Linkage, ObjectBuilder, Target};
/// # let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
/// # let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
/// let pair = CType::structure([CType::I64, CType::I64]);
/// let take = object.declare("take", Signature::c(CType::Void).param(pair), Linkage::Import)?;
/// let f = object.declare("f", Signature::c(CType::Void).param(CType::I64), Linkage::Export)?;
/// object.define(f, |b| {
///     let n = b.param(0);
///     let mut call = b.open_call(take);
///     // The argument is constructed where the callee finds it.
///     let place = b.argument(&mut call, 0);
///     b.store(n, place, 0);
///     b.store(n, place, 8);
///     b.finish_call(call);
///     b.ret(None);
/// })?;
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
#[derive(Clone)]
pub struct OpenCall {
    callee: Callee,
    sig: Arc<SigData>,
    /// The previous stack pointer and the block's address, if there is a block.
    block: Option<(Value, Value)>,
    args: Vec<Option<Value>>,
    result: Option<Value>,
}

impl Body<'_, '_> {
    /// Opens a call of a function. Its arguments are then constructed at [`Body::argument`] or set by [`Body::fill`],
    /// in any order, and [`Body::finish_call`] makes the call.
    pub fn open_call(&mut self, func: Func) -> OpenCall {
        let call = self.callee(func);
        self.open(call)
    }

    /// The same for a variadic function, with unnamed arguments of these C types after the named ones.
    pub fn open_call_variadic(&mut self, func: Func, unnamed: &[CType]) -> OpenCall {
        let call = self.variadic(func, unnamed.iter().cloned());
        self.open(call)
    }

    /// The same for the function at an address.
    pub fn open_call_address(&mut self, address: Value, signature: Signature) -> OpenCall {
        let call = self.at_address(address, signature);
        self.open(call)
    }

    /// Opens a call; after a mistake, it is one without arguments.
    fn open(&mut self, call: Option<Call>) -> OpenCall {
        let Some((callee, sig)) = call else {
            let callee = Callee::Value(self.no_value());
            return OpenCall { callee, sig: Arc::clone(&self.sig), block: None, args: Vec::new(), result: None };
        };
        let ptr = self.builder.ptr_type();
        let block = sig.abi.arg_block.map(|block| {
            let saved = self.builder.push1(Opcode::StackSave, 0, ptr, [0; 3], ptr);
            let words = [sig.abi.stack_arg_bytes, block.align, 0];
            (saved, self.builder.push1(Opcode::BlockOpen, 0, ptr, words, ptr))
        });
        let args = vec![None; sig.source.params.len()];
        OpenCall { callee, sig, block, args, result: None }
    }

    /// The address at which argument `i`, an aggregate, has to be constructed. The callee owns and destroys it.
    pub fn argument(&mut self, call: &mut OpenCall, i: usize) -> Value {
        let Some(arg) = call.args.get(i) else {
            self.mistake(format!("there is no argument {i}: the call has {}", call.args.len()));
            return self.no_value();
        };
        if let &Some(known) = arg {
            return match self.block_field(call, i) {
                Some((field, true)) => self.load(self.builder.ptr_type(), field, 0),
                _ => known,
            };
        }
        let abi::AbiType::C(ty) = &call.sig.source.params[i].ty else {
            return self.no_value();
        };
        if !ty.is_by_address() {
            self.mistake(format!("argument {i} is no aggregate: it is set by `fill`"));
        }
        let ty = ty.clone();
        let field = self.block_field(call, i);
        let place = match field {
            Some((field, false)) => field,
            _ => self.local(&ty),
        };
        if let Some((field, true)) = field {
            self.store(place, field, 0);
        }
        call.args[i] = Some(field.map_or(place, |(field, _)| field));
        place
    }

    /// Sets argument `i` to a value, or to a bitwise copy of the aggregate at an address.
    pub fn fill(&mut self, call: &mut OpenCall, i: usize, v: Value) {
        let Some(abi::AbiType::C(ty)) = call.sig.source.params.get(i).map(|p| p.ty.clone()) else {
            return self.mistake(format!("there is no argument {i}: the call has {}", call.args.len()));
        };
        match call.args.get(i) {
            Some(None) => {}
            Some(Some(_)) => return self.mistake(format!("argument {i} is set twice")),
            None => return self.mistake("the call has not been opened"),
        }
        if ty.is_by_address() {
            let to = self.argument(call, i);
            return self.copy(to, v, &ty);
        }
        call.args[i] = Some(match self.block_field(call, i) {
            Some((field, indirect)) => {
                let to = if indirect { self.local(&ty) } else { field };
                self.store(v, to, 0);
                if indirect {
                    self.store(to, field, 0);
                }
                field
            }
            None => v,
        });
    }

    /// Makes the call construct its result, an aggregate, at an address, for example that of an argument of an outer
    /// call. Without this it gets memory of its own.
    pub fn result_at(&mut self, call: &mut OpenCall, address: Value) {
        if !call.sig.aggregate_result {
            return self.mistake("the call's result is no aggregate");
        }
        call.result = Some(address);
    }

    /// The field of the block in which argument `i` is passed, if it is, and whether the field holds the argument's
    /// address.
    fn block_field(&mut self, call: &OpenCall, i: usize) -> Option<(Value, bool)> {
        let (_, block) = call.block?;
        match call.sig.abi.args[i].mode {
            PassMode::InBlock { offset: 0, indirect, .. } => Some((block, indirect)),
            PassMode::InBlock { offset, indirect, .. } => Some((self.offset(block, offset as i32), indirect)),
            _ => None,
        }
    }

    /// Makes a call whose arguments are all set. The result is as for [`Body::call`].
    pub fn finish_call(&mut self, call: OpenCall) -> Option<Value> {
        let mut args = Vec::with_capacity(call.args.len() + 1);
        for (i, arg) in call.args.iter().enumerate() {
            match *arg {
                Some(v) => args.push(v),
                None => {
                    self.mistake(format!("argument {i} of a call is not set"));
                    return Some(self.no_value());
                }
            }
        }
        if args.len() != call.sig.source.params.len() {
            self.mistake("the call has not been opened");
            return Some(self.no_value());
        }
        let result = self.emit_call(call.callee, &call.sig, args, call.result);
        self.give_up(&call);
        result
    }

    /// Gives a call up, on a path that does not make it. What was constructed for it must be destroyed before.
    pub fn give_up(&mut self, call: &OpenCall) {
        if let Some((saved, _)) = call.block {
            self.builder.restore_stack(saved);
        }
    }

    /// The address at which this function's result, an aggregate, may be constructed, to return by
    /// [`Body::ret_constructed`]. `None` if it has no such result.
    pub fn result_address(&mut self) -> Option<Value> {
        let last = self.sig.params.len().checked_sub(1)?;
        self.sig.aggregate_result.then(|| self.builder.func.params(self.entry)[last])
    }

    /// Returns with a result that has been constructed at [`Body::result_address`].
    pub fn ret_constructed(&mut self) {
        if !self.sig.aggregate_result {
            self.mistake("the function's result is no aggregate");
        }
        self.builder.ret(&[]);
    }

    /// Calls a function with an argument block; the arguments have been evaluated already.
    pub(super) fn call_in_block(&mut self, call: Call, args: &[Value]) -> Option<Value> {
        let mut call = self.open(Some(call));
        for (i, &v) in args.iter().enumerate() {
            self.fill(&mut call, i, v);
        }
        self.finish_call(call)
    }

    /// The value of parameter `i`, which was passed in a block at `field`.
    pub(super) fn block_param(&mut self, i: usize, field: Value, indirect: bool) -> Value {
        let at = if indirect { self.load(self.builder.ptr_type(), field, 0) } else { field };
        let ty = self.known.signatures.value_type(&self.sig.source.params[i].ty);
        match self.good(ty) {
            Some(Some(ty)) => self.load(ty, at, 0),
            Some(None) => at,
            None => self.builder.poison(Type::I32),
        }
    }
}
