//! Functions with C signatures, built by a front end and compiled as they are defined.
//!
//! An [`ObjectBuilder`] holds what all threads share: the declarations, and the functions that have been compiled. What a
//! thread needs for itself is a `Definer`, which `define` takes from a pool. While a body is open, its thread reads
//! copies of the symbols and takes the lock of the declarations only for what is new.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gusset_abi::{CType, CTypes, DataLayout, Layout, Signature};
use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::debug::DebugInfo;
use gusset_codegen::ir::{FramePointer, FunctionAttrs, Linkage, Module, SymbolId, Type, print, verify};
use gusset_codegen::object::{ObjectImage, emulate_tls};

mod body;
#[cfg(feature = "c")]
mod c;
mod calls;
mod closure;
mod debug;
mod declarations;
mod definer;
mod exceptions;
mod funclets;
#[cfg(feature = "llvm")]
mod intrinsics;
mod items;
mod open_call;
mod signatures;
mod symbols;
mod variadic;

pub use body::{Body, BodyResult};
pub use closure::Closure;
pub use debug::{
    DebugFile, DebugFunction, DebugOptions, DebugType, DebugTypeRef, DebugTypes, DebugVariable, SourceFile,
    SourceLanguage,
};
pub use exceptions::{Catch, Caught};
pub use funclets::{Funclet, Handler, Takes};
pub use items::{Data, Func, Global, Item};
pub use open_call::OpenCall;
pub use symbols::ComdatGroup;

use body::Finished;
use debug::ObjectDebug;
use debug::body::BodyDebug;
use declarations::Declarations;
use definer::{Defined, Definer, order};
use items::ObjectId;
use signatures::Signatures;

use crate::options::split_sections;
use crate::output::{DebugChoices, Output, Sink};
use crate::{BuildError, BuildErrorKind, BuilderOptions, Error, Target};

/// Builds an object file from functions and data.
///
/// Functions and data are declared with `&mut self`, and functions are defined with `&self`: several threads may define
/// functions of one object at once. The object does not depend on which of them is first. It has functions and data in
/// the order of their declarations.
///
/// ```
/// use gusset_abi::{CType, Signature};
/// use gusset_compiler::{BuilderOptions, Features, Linkage, ObjectBuilder, Target};
///
/// let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
/// let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
/// let twice = object.declare("twice", Signature::c(CType::I32).param(CType::I32), Linkage::Export)?;
/// object.define(twice, |b| {
///     let x = b.param(0);
///     let sum = b.iadd(x, x);
///     b.ret(Some(sum));
/// })?;
/// assert_eq!(&object.finish()?[..4], b"\x7fELF");
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
pub struct ObjectBuilder<'t> {
    id: ObjectId,
    target: &'t Target,
    layout: DataLayout,
    options: BuilderOptions,
    /// The variable with the stack limit that functions check, and the handler that they call.
    stack_limit: Option<[SymbolId; 2]>,
    declarations: Mutex<Declarations<'t>>,
    /// Those that no thread uses.
    definers: Mutex<Vec<Definer<'t>>>,
    defined: Mutex<Vec<Defined>>,
    /// If it is wanted.
    debug: Option<Box<ObjectDebug>>,
}

/// A module, and what a builder added to it.
#[cfg(feature = "llvm")]
pub(crate) struct Added {
    pub(crate) module: Module,
    /// The functions that were added.
    pub functions: Vec<CompiledFunction>,
    /// The text of the functions at the stage that is asked for.
    pub text: String,
}

/// All that was made of an object, in its order.
struct Completed {
    module: Module,
    functions: Vec<Defined>,
    /// The debug information, if there is any; an error if a type of it cannot be described.
    debug: Result<Option<DebugInfo>, Error>,
}

/// Locks. A thread that panicked while it held the lock has left its contents consistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The contents of a lock that no other thread can have.
fn own<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(PoisonError::into_inner)
}

impl<'t> ObjectBuilder<'t> {
    /// An empty object for a target.
    pub fn new(target: &'t Target, options: &BuilderOptions) -> ObjectBuilder<'t> {
        ObjectBuilder::with_module(Module::default(), target, options, false)
    }

    /// A builder that adds to a module read from text; others compile the module's own functions. The module's symbols
    /// are known by name. One of its functions can be declared once with a C signature, which is trusted, and defined
    /// if the module has no body for it.
    #[cfg(feature = "mlir")]
    pub(crate) fn on(module: Module, target: &'t Target, options: &BuilderOptions) -> ObjectBuilder<'t> {
        ObjectBuilder::with_module(module, target, options, true)
    }

    fn with_module(module: Module, target: &'t Target, options: &BuilderOptions, adds: bool) -> ObjectBuilder<'t> {
        let (id, layout) = (ObjectId::unique(), DataLayout::new(target.abi()));
        ObjectBuilder {
            id,
            target,
            layout,
            options: BuilderOptions { emulated_tls: options.emulated_tls || target.emulated_tls, ..options.clone() },
            stack_limit: None,
            declarations: Mutex::new(Declarations::new(id, Signatures::new(target, layout), module, adds)),
            definers: Mutex::default(),
            defined: Mutex::default(),
            debug: None,
        }
    }

    /// The module, and the functions that were added.
    #[cfg(feature = "mlir")]
    pub(crate) fn into_parts(self) -> Added {
        let Completed { module, functions, .. } = self.complete();
        let text = functions.iter().map(|function| function.shown(None)).collect();
        Added { module, functions: functions.into_iter().map(|function| *function.compiled).collect(), text }
    }

    /// The name of the source, for debuggers.
    pub fn source_name(&mut self, name: &str) {
        own(&mut self.declarations).module.source_name = name.to_string();
    }

    /// The target of the object.
    pub fn target(&self) -> &'t Target {
        self.target
    }

    /// C's types whose sizes or signs the target chooses: `long`, `size_t`, `wchar_t`, `va_list` and others.
    pub fn c_types(&self) -> CTypes {
        CTypes::of(self.target.abi())
    }

    /// Size and alignment of a type, in bytes.
    ///
    /// # Errors
    /// The type has no layout on the target.
    pub fn layout(&self, ty: &CType) -> Result<Layout, Error> {
        Ok(self.layout.layout(ty)?)
    }

    /// The IR's type of values of a C type; `None` for types whose values are addresses of objects.
    ///
    /// # Errors
    /// The type is not supported as a value.
    pub fn value_type(&self, ty: &CType) -> Result<Option<Type>, Error> {
        lock(&self.declarations).signatures.value_type(&gusset_abi::AbiType::C(ty.clone()))
    }

    /// Byte offsets of a struct's or union's members, as loads and stores take them.
    ///
    /// # Errors
    /// The type is no record or has no layout on the target; a member is a bit-field within a byte.
    pub fn offsets(&self, ty: &CType) -> Result<Vec<i32>, Error> {
        let CType::Record(record) = ty else {
            return Err(Error::build(BuildErrorKind::Type, "", "a type that is no record has no members"));
        };
        let byte = |&bits: &u64| i32::try_from(bits / 8).ok().filter(|_| bits % 8 == 0);
        let offsets: Option<Vec<i32>> = self.layout.record(record)?.bit_offsets.iter().map(byte).collect();
        offsets.ok_or_else(|| Error::build(BuildErrorKind::Type, "", "a member of the record does not begin at a byte"))
    }

    /// Declares a function by its C name. The name gets the target's decoration of C names, unless it is a name of
    /// Microsoft's C++ (`?m@S@@QAEXXZ`) or begins with the byte 1, which is removed: such a name is used as it is, as in
    /// LLVM IR.
    ///
    /// Declaring a function again with an equal signature returns the same function. An import gets the new linkage then,
    /// and keeps all else that was said of it. A function that is defined here stays so if it is declared as an import.
    ///
    /// # Errors
    /// The name is used by something else, or is defined with another linkage; the new linkage contradicts what was said
    /// of the import; the target's conventions cannot express the signature.
    pub fn declare(&mut self, name: &str, signature: Signature, linkage: Linkage) -> Result<Func, Error> {
        let declarations = own(&mut self.declarations);
        let symbol = declarations.declare(name, signature, linkage, false)?;
        Ok(Func(declarations.item(symbol)))
    }

    /// Declares or defines a data object by its C name, decorated as by [`declare`](Self::declare). It is defined here
    /// unless `linkage` is an import.
    ///
    /// # Errors
    /// The name is used already; the contents are inconsistent.
    pub fn data(&mut self, name: &str, linkage: Linkage, data: Data) -> Result<Global, Error> {
        let declarations = own(&mut self.declarations);
        let symbol = declarations.data(name, linkage, data, false)?;
        Ok(Global(declarations.item(symbol)))
    }

    /// Constant bytes without a name; equal bytes are one object. A C string needs a zero byte at its end.
    pub fn text(&mut self, bytes: &[u8]) -> Global {
        let declarations = own(&mut self.declarations);
        let symbol = declarations.text(bytes, false);
        Global(declarations.item(symbol))
    }

    /// Defines data that was declared as an import: so data can refer to itself and to data that follows.
    ///
    /// # Errors
    /// The data belongs to another object or is defined already; the linkage is an import; the contents are
    /// inconsistent.
    pub fn define_data(&mut self, of: Global, linkage: Linkage, data: Data) -> Result<(), Error> {
        let symbol = self.id.own(of)?;
        own(&mut self.declarations).define_declared(symbol, linkage, data)
    }

    /// How a function is declared.
    ///
    /// # Errors
    /// The function belongs to another object.
    pub fn signature_of(&self, func: Func) -> Result<Signature, Error> {
        let symbol = self.id.own(func)?;
        let declarations = lock(&self.declarations);
        let signature = declarations.signature(symbol).map(|signature| signature.source.clone());
        signature.ok_or_else(|| Error::build(BuildErrorKind::NotDefinable, "", "it is not a function"))
    }

    /// Makes the functions that are defined from now on check a stack limit, except for the handler: the variable has
    /// the lowest address that the stack pointer may have, and the handler is called before it would be lower.
    /// `docs/stack-limits.md` says what is checked and what a handler may do. `None` ends this.
    /// [`Body::stack_limit`] does it for one function.
    ///
    /// ```
    /// # use gusset_abi::{CType, Signature};
    /// # use gusset_compiler::{BuilderOptions, Data, Features, Linkage, ObjectBuilder, Target};
    /// # let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
    /// # let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    /// let limit = object.data("stack_limit", Linkage::Import, Data::default())?;
    /// let overflow = object.declare("stack_overflow", Signature::c(CType::Void), Linkage::Import)?;
    /// object.set_stack_limit(Some((limit, overflow)))?;
    /// let forever = object.declare("forever", Signature::c(CType::Void), Linkage::Export)?;
    /// object.define(forever, |b| {
    ///     b.call(forever, &[]);
    ///     b.ret(None);
    /// })?;
    /// # Ok::<(), gusset_compiler::Error>(())
    /// ```
    ///
    /// # Errors
    /// The variable or the handler belongs to another object.
    pub fn set_stack_limit(&mut self, limit: Option<(Global, Func)>) -> Result<(), Error> {
        let own = |(limit, handler): (Global, Func)| Ok::<_, Error>([self.id.own(limit)?, self.id.own(handler)?]);
        self.stack_limit = limit.map(own).transpose()?;
        Ok(())
    }

    /// Defines a function: `build` fills its body, and it is compiled at once. Several threads may do so at the same
    /// time, and `build` may define other functions.
    ///
    /// `build` returns nothing, or a `Result` whose error becomes that of this method.
    ///
    /// # Errors
    /// It is an import or defined already; the body is not well formed; the target cannot compile it; `build` fails.
    pub fn define<R: BodyResult>(
        &self,
        func: Func,
        build: impl FnOnce(&mut Body<'_, 't>) -> R,
    ) -> Result<(), R::Error> {
        let symbol = self.id.own(func)?;
        let (signature, name) = lock(&self.declarations).open(symbol)?;
        let mut definer = lock(&self.definers).pop().unwrap_or_else(|| self.definer());
        definer.known.update(&lock(&self.declarations));
        let mut body = Body::new(self, &mut definer, symbol, signature);
        let outcome = build(&mut body).into_result();
        let Finished { made, mistaken, debug } = body.finish();
        let done = outcome.and_then(|()| {
            let mistake = |message| {
                let location = mistaken.and_then(|at| self.source_location(&definer.function, debug.as_deref(), at));
                Error::build(BuildErrorKind::Body, &name, message).located(location)
            };
            let made = made.map_err(mistake)?;
            Ok(self.compile(&mut definer, &name, made, debug)?)
        });
        lock(&self.declarations).close(symbol, done.is_ok());
        lock(&self.definers).push(definer);
        lock(&self.defined).push(done?);
        Ok(())
    }

    fn definer(&self) -> Definer<'t> {
        let declarations = lock(&self.declarations);
        let compiler = self.target.compiler_with(self.options.pic(), false, self.options.compiler());
        let signatures = Signatures::new(self.target, self.layout);
        Definer::new(compiler, &declarations.module, signatures, self.options.emulated_tls)
    }

    /// Compiles the function that a definer holds.
    fn compile(
        &self,
        definer: &mut Definer<'t>,
        name: &str,
        made: Vec<SymbolId>,
        debug: Option<Box<BodyDebug>>,
    ) -> Result<Defined, Error> {
        let Definer { known, function, compiler } = definer;
        function.attrs = FunctionAttrs { unwind_tables: true, ..function.attrs };
        if self.options.frame_pointers {
            function.attrs.frame_pointer = FramePointer::Keep;
        }
        verify(&known.module, function).map_err(|error| {
            let location = error.at.and_then(|at| self.source_location(function, debug.as_deref(), at));
            BuildError::verify(error, location)
        })?;
        let ir = self.options.keep_ir.then(|| Box::new(function.clone()));
        function.resolve_operands();
        let mut compiled = Box::<CompiledFunction>::default();
        compiler.compile(&known.module, function, &mut compiled).map_err(|error| Error::Compile {
            file: debug.as_deref().and_then(|debug| self.source_of(debug)),
            function: name.to_string(),
            message: error.to_string(),
        })?;
        let text = compiler.dumped().map(Box::new);
        Ok(Defined { compiled, made, text, ir, debug })
    }

    /// All that was made, in an order that does not depend on threads.
    fn complete(self) -> Completed {
        let mut declarations = self.declarations.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut defined = self.defined.into_inner().unwrap_or_else(PoisonError::into_inner);
        let order = order(&declarations, &defined);
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, symbol)| place[symbol.index()] = at);
        defined.sort_unstable_by_key(|function| place[function.compiled.symbol.index()]);
        let debug = self.debug.map(|debug| debug::complete::complete(debug, &declarations, self.target, &mut defined));
        let mut debug = debug.transpose();
        if !order.is_sorted() {
            let new = declarations.module.reorder_symbols(&order);
            for function in &mut defined {
                function.compiled.renumber_symbols(&new);
                if let Some(ir) = &mut function.ir {
                    ir.renumber_symbols(&new);
                }
            }
            if let Ok(Some(info)) = &mut debug {
                info.renumber_symbols(&new);
            }
        }
        split_sections(&mut declarations.module, self.options.function_sections, self.options.data_sections);
        Completed { module: declarations.module, functions: defined, debug }
    }

    /// The same with control variables in place of thread-local data, if that is emulated.
    fn emulated(self) -> Result<Completed, Error> {
        let (format, emulated_tls) = (self.target.machine.object_format(), self.options.emulated_tls);
        let mut all = self.complete();
        if emulated_tls {
            emulate_tls(format, &mut all.module).map_err(|error| Error::Object { file: None, error })?;
        }
        Ok(all)
    }

    /// Writes the object in a form.
    fn write<T>(
        self,
        form: impl FnOnce(Output<'_>, &[Defined], Option<DebugInfo>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (target, pic, debug) = (self.target, self.options.pic(), self.options.debug_choices());
        let Completed { module, functions, debug: info } = self.emulated()?;
        let expected_code = functions.iter().map(|function| function.compiled.code.len()).sum();
        let output = Output { target, module: &module, pic, debug, expected_code, file: None };
        form(output, &functions, info?)
    }

    /// The object file.
    ///
    /// # Errors
    /// A function that is not an import was not defined; the object format cannot express something; there is not
    /// enough memory for the file.
    pub fn finish(self) -> Result<Vec<u8>, Error> {
        self.write(|output, all, debug| output.whole(output.object(|sink| each(all, sink), |_| debug)?.result))
    }

    /// The same for memory instead of a file.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn finish_image(self) -> Result<ObjectImage, Error> {
        self.write(|output, all, debug| {
            // In memory, debuggers read the tables of functions with debug information only.
            let output = Output { debug: DebugChoices::default(), ..output };
            let debug = debug.filter(|_| output.target.describes_images());
            Ok(output.image(|sink| each(all, sink), |_| debug)?.result)
        })
    }

    /// Like [`finish_image`](Self::finish_image), and keeps the compiler's tables for what is declared next: the builder is empty
    /// afterwards, as if it were new. For front ends that compile functions one by one.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn take_image(&mut self) -> Result<ObjectImage, Error> {
        let next = ObjectId::unique();
        let declarations = own(&mut self.declarations);
        let signatures = std::mem::replace(&mut declarations.signatures, Signatures::new(self.target, self.layout));
        let empty = Declarations::new(next, signatures, Module::default(), false);
        let done = ObjectBuilder {
            id: std::mem::replace(&mut self.id, next),
            target: self.target,
            layout: self.layout,
            options: self.options.clone(),
            stack_limit: self.stack_limit.take(),
            debug: self.debug.take(),
            declarations: Mutex::new(std::mem::replace(declarations, empty)),
            definers: Mutex::default(),
            defined: Mutex::new(std::mem::take(own(&mut self.defined))),
        };
        done.finish_image()
    }

    /// The same as assembly text, which assembles to the same object.
    ///
    /// # Errors
    /// As [`finish`](Self::finish); this build has no assembly text.
    pub fn finish_assembly(self) -> Result<Vec<u8>, Error> {
        self.write(|output, all, debug| output.whole(output.assembly(|sink| each(all, sink), |_| debug)?.result))
    }

    /// The object as text of Gusset's IR, which [`compile_ir`](crate::compile_ir) reads.
    ///
    /// # Errors
    /// The functions were not kept as IR ([`BuilderOptions::keep_ir`]).
    pub fn finish_ir(self) -> Result<String, Error> {
        if !self.options.keep_ir {
            return Err(Error::unsupported("", "functions are not kept as IR: ask for it by `keep_ir`"));
        }
        let Completed { module, functions, .. } = self.emulated()?;
        Ok(print(&module, functions.iter().filter_map(|function| function.ir.as_deref())))
    }

    /// The functions as text at the stage that [`BuilderOptions::stage`] asks for.
    ///
    /// # Errors
    /// No stage is asked for; a type of the debug information cannot be described.
    pub fn finish_stage(self) -> Result<String, Error> {
        if self.options.stage.is_none() {
            return Err(Error::unsupported("", "no stage is kept: ask for one by `stage`"));
        }
        let Completed { functions, debug, .. } = self.complete();
        let info = debug?;
        Ok(functions.iter().map(|function| function.shown(info.as_ref())).collect())
    }
}

/// Passes functions on in order.
fn each(functions: &[Defined], sink: Sink<'_>) -> Result<(), Error> {
    functions.iter().try_for_each(|function| sink(&function.compiled))
}
