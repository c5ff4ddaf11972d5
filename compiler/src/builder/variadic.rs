//! Unnamed arguments: calls with them, and lists of them.

use gusset_abi::{self as abi, CType, CTypes, FloatKind, Scalar, Signature, VarArea};
use gusset_codegen::ir::Value;

use super::calls::Call;
use super::{Body, Func};
use crate::Error;

impl Body<'_, '_> {
    /// Calls a variadic function with unnamed arguments of the given C types, which must be promoted already: `float`,
    /// `_Bool` and integers narrower than `int` are mistakes (C23, 6.5.2.2, "default argument promotions").
    pub fn call_variadic(&mut self, func: Func, args: &[Value], unnamed: &[(CType, Value)]) -> Option<Value> {
        let call = self.variadic(func, unnamed.iter().map(|(ty, _)| ty.clone()));
        let args: Vec<Value> = args.iter().copied().chain(unnamed.iter().map(|&(_, v)| v)).collect();
        self.call_as(call, &args)
    }

    /// A variadic function, with the signature of a call with unnamed arguments of these types.
    pub(super) fn variadic(&mut self, func: Func, unnamed: impl Iterator<Item = CType>) -> Option<Call> {
        let unnamed: Vec<CType> = unnamed.collect();
        unnamed.iter().for_each(|ty| self.check_promoted(ty));
        let (callee, declared) = self.callee(func)?;
        let mut source = declared.source.clone();
        if source.variadic.is_none() {
            let name = self.named(func);
            self.mistake(format!("a call of {name} with unnamed arguments: it is not variadic"));
            return None;
        }
        source.params.extend(unnamed.into_iter().map(abi::Param::new));
        Some((callee, self.signature(source)?))
    }

    /// An unnamed argument of this type would be promoted: then there is none.
    fn check_promoted(&mut self, ty: &CType) {
        let (name, promoted) = match ty {
            CType::Scalar(Scalar::Float(FloatKind::F32)) => ("float", "double"),
            CType::Scalar(Scalar::Bool) => ("_Bool", "int"),
            CType::Scalar(Scalar::Int { bits: ..16, .. }) => ("char", "int"),
            CType::Scalar(Scalar::Int { bits: ..32, .. }) => ("short", "int"),
            _ => return,
        };
        self.mistake(format!("an unnamed argument of type `{name}` is promoted by C: convert it to `{promoted}`"));
    }

    /// A new `va_list` at the first unnamed argument of this function. Returns its address, which
    /// [`va_list_argument`](Self::va_list_argument) makes an argument of.
    pub fn va_start(&mut self) -> Value {
        if !self.sig.variadic {
            self.mistake("va_start in a function without unnamed arguments");
        }
        let list = self.va_list();
        self.builder.va_start(list);
        list
    }

    /// A new `va_list` at the same argument as the one at an address. Returns its address.
    pub fn va_copy(&mut self, from: Value) -> Value {
        let list = self.va_list();
        self.builder.va_copy(list, from);
        list
    }

    /// The `va_list` at an address as the value of an argument of type `va_list`, such as that of `vprintf`. In a
    /// signature, that type is [`CTypes::va_list`](abi::CTypes::va_list). The callee may change the list:
    /// [`va_copy`](Self::va_copy) keeps it.
    pub fn va_list_argument(&mut self, list: Value) -> Value {
        let ptr = self.builder.ptr_type();
        if self.va_list_by_address() { list } else { self.load(ptr, list, 0) }
    }

    /// The address of the `va_list` that a parameter of type `va_list` has received, see
    /// [`va_list_argument`](Self::va_list_argument).
    pub fn va_list_parameter(&mut self, received: Value) -> Value {
        if self.va_list_by_address() {
            return received;
        }
        let list = self.va_list();
        self.store(received, list, 0);
        list
    }

    /// The next argument of the `va_list` at an address: a value, or the address of a fresh copy of an aggregate. Its type
    /// must be promoted as in [`Body::call_variadic`].
    pub fn va_arg(&mut self, list: Value, ty: &CType) -> Value {
        let next = self.next_argument(list, ty);
        self.good(next).unwrap_or_else(|| self.no_value())
    }

    fn next_argument(&mut self, list: Value, ty: &CType) -> Result<Value, Error> {
        self.check_promoted(ty);
        let any = abi::AbiType::C(ty.clone());
        let steps = abi::va_arg(self.target(), self.sig.source.convention, &any)?;
        if let Some(value) = self.known.signatures.value_type(&any)? {
            return Ok(self.builder.va_arg(list, &steps, value));
        }
        if let [step] = &steps[..]
            && step.indirect
        {
            return Ok(self.builder.va_arg_address(list, step));
        }
        let to = self.local(ty);
        self.builder.va_arg_copy(list, &steps, to);
        Ok(to)
    }

    /// Where unnamed arguments are in functions of this one's convention.
    fn unnamed_area(&mut self) -> Option<Box<VarArea>> {
        let variadic = Signature { convention: self.sig.source.convention, ..Signature::c(CType::Void) }.ellipsis();
        self.signature(variadic)?.abi.variadic.clone()
    }

    /// Is a `va_list` an array or a struct, and its value its address? Otherwise it is a pointer to arguments.
    fn va_list_by_address(&mut self) -> bool {
        let is_pointer = CTypes::of(self.target()).va_list == CType::PTR;
        let pointer = self.target().pointer_bytes();
        !is_pointer || self.unnamed_area().is_some_and(|area| area.va_list_size > pointer)
    }

    /// A local variable for a `va_list`.
    fn va_list(&mut self) -> Value {
        let (size, align) = self.unnamed_area().map_or((0, 1), |area| (area.va_list_size, area.va_list_align));
        let slot = self.builder.func.make_slot(size, align);
        self.builder.slot_addr(slot)
    }
}
