//! Closures: C function pointers of functions that take a static chain.

use gusset_abi::{Arch, CType, Role, Signature, static_chain, x86};
use gusset_codegen::ir::{Linkage, Value};

use super::{Body, Func, ObjectBuilder, lock};

/// A closure that a body has made, see [`Body::closure`].
///
/// ```
/// # use gusset_abi::{CType, Param, Signature};
/// # use gusset_compiler::{BuilderOptions, Features, Linkage, ObjectBuilder, Target};
/// # let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
/// # let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
/// let number = Signature::c(CType::I32).param(CType::I32);
/// let code = object.declare("code", number.clone().param(Param::chain()), Linkage::Import)?;
/// // int apply(int (*function)(int), int n)
/// let apply = Signature::c(CType::I32).param(CType::PTR).param(CType::I32);
/// let apply = object.declare("apply", apply, Linkage::Import)?;
/// let f = object.declare("f", number, Linkage::Export)?;
/// object.define(f, |b| {
///     let (n, variable) = (b.param(0), b.local(&CType::I32));
///     b.store(n, variable, 0);
///     let closure = b.closure(code, variable);
///     let result = b.call(apply, &[closure.pointer, n]);
///     b.release(closure);
///     b.ret(result);
/// })?;
/// assert!(object.needs_runtime());
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Closure {
    /// The C function pointer, which takes the function's parameters without the static chain.
    pub pointer: Value,
    /// What [`Body::release`] frees it by. A front end stores it with the pointer if another function releases it.
    pub handle: Value,
}

const MAKE: &str = "gusset_trampoline_init";
/// For functions whose static chain is in eax.
const MAKE_EAX: &str = "gusset_trampoline_init_eax";
const ADJUST: &str = "gusset_trampoline_adjust";
const FREE: &str = "gusset_trampoline_free";

impl Body<'_, '_> {
    /// Makes a C function pointer of a function that takes a static chain ([`Param::chain`](gusset_abi::Param::chain)): who
    /// calls the pointer calls the function with `environment` as its chain. The pointer is one of the pool of the run-time
    /// library, which the program has to be linked with ([`ObjectBuilder::needs_runtime`]); it lives until
    /// [`release`](Self::release). If there is no memory for it, the program ends with a message.
    pub fn closure(&mut self, function: Func, environment: Value) -> Closure {
        let none = Closure { pointer: environment, handle: environment };
        let Some((_, signature)) = self.callee(function) else { return none };
        let source = &signature.source;
        if !source.params.iter().any(|param| param.attrs.role == Role::Nest) {
            self.mistake("a closure is made of a function with a static chain (`Param::chain`)");
            return none;
        }
        let target = self.target();
        let in_eax = target.arch == Arch::X86 && static_chain(target, source.convention) == x86::RAX;
        let make = if in_eax { MAKE_EAX } else { MAKE };
        let code = self.address(function);
        let null = self.builder.ptr_const(0);
        let Some(handle) = self.call_runtime(make, CType::PTR, &[null, code, environment]) else { return none };
        match self.call_runtime(ADJUST, CType::PTR, &[handle]) {
            Some(pointer) => Closure { pointer, handle },
            None => none,
        }
    }

    /// Frees a closure. Its pointer must not be called any more.
    pub fn release(&mut self, closure: Closure) {
        self.call_runtime(FREE, CType::Void, &[closure.handle]);
    }

    /// Calls a function of the run-time library, whose arguments are pointers.
    fn call_runtime(&mut self, name: &str, result: CType, args: &[Value]) -> Option<Value> {
        let signature = args.iter().fold(Signature::c(result), |signature, _| signature.param(CType::PTR));
        let function = self.declare(name, signature, Linkage::Import);
        let function = self.good(function)?;
        self.call(function, args)
    }
}

impl ObjectBuilder<'_> {
    /// Does the object use the run-time library? A program of it is then linked with `libgusset_runtime`, which the command
    /// `gusset runtime` writes.
    pub fn needs_runtime(&self) -> bool {
        let declarations = lock(&self.declarations);
        [MAKE, MAKE_EAX].iter().any(|name| declarations.is_declared(name))
    }
}
