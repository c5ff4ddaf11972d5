//! Functions with C signatures, built by a front end and compiled as they are defined.

use std::collections::{HashMap, HashSet};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use gusset_abi::{self as abi, AbiCache, CType, DataLayout, FloatKind, Layout, PassMode, Scalar, Signature};
use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::ir::{
    Block, Callee, ConstData, DataObject, DataReloc, Function, FunctionAttrs, FunctionBuilder, Linkage, MemFlags,
    Module, Opcode, RelocBase, SigData, Symbol, SymbolId, SymbolKind, TailKind, TlsModel, Type, Value, Visibility,
    verify,
};

mod exceptions;
mod funclets;
mod items;
mod open_call;

pub use exceptions::{Catch, Caught};
pub use funclets::{Funclet, Handler, Takes};
pub use items::{Data, Func, Global, Item};
pub use open_call::OpenCall;

use funclets::FuncletData;
use items::ObjectId;

use crate::output::Output;
use crate::{Emit, Error, Options, Relocation, Target};
use gusset_targets::FunctionCompiler;

/// Builds an object file from functions and data.
pub struct ObjectBuilder<'t> {
    facts: Facts<'t>,
    compiler: Box<dyn FunctionCompiler + 't>,
    function: Function,
    compiled: Vec<CompiledFunction>,
    defined: HashSet<SymbolId>,
    pic: bool,
    debug_frame: bool,
    emit: Emit,
    only: Option<String>,
    /// The text of functions at the stage that is asked for.
    text: String,
    /// It adds to a module that was read from text.
    adds: bool,
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

/// What the bodies of functions need to know.
struct Facts<'t> {
    object: ObjectId,
    target: &'t Target,
    layout: DataLayout,
    module: Module,
    abis: AbiCache,
    by_name: HashMap<String, SymbolId>,
    /// By symbol.
    signatures: Vec<Option<Arc<SigData>>>,
    texts: HashMap<Vec<u8>, SymbolId>,
}

impl<'t> ObjectBuilder<'t> {
    /// An empty object for a target. Of the options, `relocation`, `verify`, `emit` and `only` are used. A form other
    /// than an object or a stage becomes an error when something is declared.
    pub fn new(target: &'t Target, options: &Options) -> ObjectBuilder<'t> {
        let pic = options.relocation != Relocation::Static;
        ObjectBuilder {
            facts: Facts {
                object: ObjectId::unique(),
                target,
                layout: DataLayout::new(target.abi()),
                module: Module::default(),
                abis: AbiCache::new(*target.abi()),
                by_name: HashMap::new(),
                signatures: Vec::new(),
                texts: HashMap::new(),
            },
            compiler: target.compiler_with(pic, false, options),
            function: Function::new(),
            compiled: Vec::new(),
            defined: HashSet::new(),
            pic,
            debug_frame: options.debug_frame,
            emit: options.emit,
            only: options.only.clone(),
            text: String::new(),
            adds: false,
        }
    }

    /// A builder that adds to a module read from text; others compile the module's own functions. The module's symbols
    /// are known by name. One of its functions can be declared once with a C signature, which is trusted, and defined
    /// if the module has no body for it. Code is made as with [`new`](Self::new); any form of result but the IR is
    /// supported.
    #[cfg(feature = "mlir")]
    pub(crate) fn on(module: Module, target: &'t Target, options: &Options) -> ObjectBuilder<'t> {
        let mut builder = ObjectBuilder { adds: true, ..ObjectBuilder::new(target, options) };
        let ids = || (0..module.symbols.len()).map(|n| SymbolId(n as u32));
        builder.facts.by_name = ids().map(|id| (module.symbol(id).name.clone(), id)).collect();
        builder.defined = ids().filter(|&id| module.symbol(id).is_defined()).collect();
        builder.facts.signatures = vec![None; module.symbols.len()];
        builder.facts.module = module;
        builder
    }

    /// The module, and the functions that were added.
    #[cfg(feature = "mlir")]
    pub(crate) fn into_parts(self) -> Added {
        Added { module: self.facts.module, functions: self.compiled, text: self.text }
    }

    /// An error for forms other than objects.
    fn check_form(&self) -> Result<(), Error> {
        match self.emit {
            Emit::Object | Emit::Stage(_) => Ok(()),
            Emit::Assembly if self.adds => Ok(()),
            Emit::Assembly | Emit::Ir => {
                let message = "an `ObjectBuilder` makes objects, or shows functions at a stage: ask for `Emit::Object`";
                Err(Error::Target(message.into()))
            }
        }
    }

    /// The name of the source, for debuggers.
    pub fn source_name(&mut self, name: &str) {
        self.facts.module.source_name = name.to_string();
    }

    /// Size and alignment of a type, in bytes.
    ///
    /// # Errors
    /// The type has no layout on the target.
    pub fn layout(&self, ty: &CType) -> Result<Layout, Error> {
        Ok(self.facts.layout.layout(ty)?)
    }

    /// Byte offsets of a struct's or union's members, as loads and stores take them.
    ///
    /// # Errors
    /// The type is no record or has no layout on the target; a member is a bit-field within a byte.
    pub fn offsets(&self, ty: &CType) -> Result<Vec<i32>, Error> {
        let CType::Record(record) = ty else {
            return Err(Error::ir("", "a type that is no record has no members"));
        };
        let byte = |&bits: &u64| i32::try_from(bits / 8).ok().filter(|_| bits % 8 == 0);
        let offsets: Option<Vec<i32>> = self.facts.layout.record(record)?.bit_offsets.iter().map(byte).collect();
        offsets.ok_or_else(|| Error::ir("", "a member of the record does not begin at a byte"))
    }

    /// Declares a function by its C name. Declaring it again with an equal signature returns the same function. The
    /// name gets the target's decoration of C names, unless it is a name of Microsoft's C++ (`?m@S@@QAEXXZ`) or begins
    /// with the byte 1, which is removed: such a name is used as it is, as in LLVM IR.
    ///
    /// # Errors
    /// The name is used by something else, or is defined with another linkage; the target's conventions cannot express
    /// the signature.
    pub fn declare(&mut self, name: &str, signature: Signature, linkage: Linkage) -> Result<Func, Error> {
        self.check_form()?;
        let sig = self.facts.signature(signature)?;
        let name = sig.abi.decoration.apply(name);
        check_name(&name)?;
        if let Some(&known) = self.facts.by_name.get(&name) {
            let function = self.facts.module.symbol(known).kind == SymbolKind::Function;
            let same = match &mut self.facts.signatures[known.index()] {
                Some(declared) => declared.source == sig.source,
                // Text says nothing of C.
                unsaid => function && self.adds && unsaid.replace(sig).is_none(),
            };
            if !same {
                return Err(Error::ir(&name, "the name is declared already, as something else"));
            }
            let symbol = &mut self.facts.module.symbols[known.index()];
            let again = Symbol::new(name, SymbolKind::Function, linkage);
            if !symbol.is_defined() {
                *symbol = again;
            } else if again.is_defined() && symbol.linkage != linkage {
                return Err(Error::ir(&again.name, "the name is declared already, with another linkage"));
            }
            return Ok(Func(self.facts.item(known)));
        }
        let id = self.facts.symbol(name.clone(), SymbolKind::Function, linkage);
        self.facts.by_name.insert(name, id);
        self.facts.signatures[id.index()] = Some(sig);
        Ok(Func(self.facts.item(id)))
    }

    /// Declares or defines a data object by its C name, decorated as by [`declare`](Self::declare). It is defined here
    /// unless `linkage` is an import.
    ///
    /// # Errors
    /// The name is used already; the contents are inconsistent.
    pub fn data(&mut self, name: &str, linkage: Linkage, data: Data) -> Result<Global, Error> {
        self.check_form()?;
        // Decorated like functions of C's own convention.
        let name = self.facts.signature(Signature::c(CType::Void))?.abi.decoration.apply(name);
        check_name(&name)?;
        if self.facts.by_name.contains_key(&name) {
            return Err(Error::ir(&name, "the name is declared already"));
        }
        let imported = matches!(linkage, Linkage::Import | Linkage::ImportWeak);
        if imported && !(data.bytes.is_empty() && data.addresses.is_empty()) {
            return Err(Error::ir(&name, "it is declared as an import and has contents"));
        }
        self.facts.check_data(&name, &data)?;
        let kind = if data.thread_local { SymbolKind::Tls(TlsModel::GeneralDynamic) } else { SymbolKind::Data };
        let id = self.facts.symbol(name.clone(), kind, linkage);
        self.facts.by_name.insert(name, id);
        if !imported {
            self.facts.define_data(id, data);
        }
        Ok(Global(self.facts.item(id)))
    }

    /// The target of the object.
    pub fn target(&self) -> &'t Target {
        self.facts.target
    }

    /// How a function is declared.
    ///
    /// # Errors
    /// The function belongs to another object.
    pub fn signature_of(&self, func: Func) -> Result<Signature, Error> {
        let id = self.facts.own(func).map_err(|message| Error::ir("", message))?;
        let sig = self.facts.signatures[id.index()].as_ref();
        sig.map(|sig| sig.source.clone()).ok_or_else(|| Error::ir("", "it is not a function"))
    }

    /// Sets who sees a function or data object outside of the library or program that it is linked into.
    ///
    /// # Errors
    /// The item belongs to another object.
    pub fn set_visibility(&mut self, of: impl Into<Item>, visibility: Visibility) -> Result<(), Error> {
        let id = self.facts.own(of).map_err(|message| Error::ir("", message))?;
        self.facts.module.symbols[id.index()].visibility = visibility;
        Ok(())
    }

    /// Defines a function: `build` fills its body, and it is compiled at once.
    ///
    /// # Errors
    /// It is an import or defined already; the body is not well formed; the target cannot compile it.
    pub fn define(&mut self, func: Func, build: impl FnOnce(&mut Body<'_, 't>)) -> Result<(), Error> {
        let id = self.facts.own(func).map_err(|message| Error::ir("", message))?;
        let symbol = self.facts.module.symbol(id);
        let name = symbol.name.clone();
        if !symbol.is_defined() {
            return Err(Error::ir(&name, "it is declared as an import"));
        }
        let Some(sig) = self.facts.signatures[id.index()].clone() else {
            return Err(Error::ir(&name, "it is not a function"));
        };
        if self.defined.contains(&id) {
            return Err(Error::ir(&name, "it is defined already"));
        }
        self.function.clear();
        let ptr = self.facts.pointer();
        let mut builder = FunctionBuilder::new(&mut self.function, ptr);
        let entry = builder.begin(id, sig.clone());
        let facts = &mut self.facts;
        let mut body =
            Body { builder, facts, entry, sig, unwind: None, funclets: Vec::new(), within: None, twice: false };
        build(&mut body);
        body.builder.finish().map_err(|message| Error::ir(&name, message))?;
        self.function.attrs = FunctionAttrs { unwind_tables: true, ..self.function.attrs };
        verify(&self.facts.module, &self.function).map_err(|error| Error::ir(&name, error.message()))?;
        self.function.resolve_operands();
        let mut compiled = CompiledFunction::default();
        self.compiler
            .compile(&self.facts.module, &mut self.function, &mut compiled)
            .map_err(|error| Error::Compile { file: None, function: name, message: error.to_string() })?;
        let name = &self.facts.module.symbol(id).name;
        if self.only.as_ref().is_none_or(|only| only == name) {
            self.text.push_str(self.compiler.dumped().unwrap_or_default());
        }
        self.defined.insert(id);
        self.compiled.push(compiled);
        Ok(())
    }

    /// The object file; or the text of the functions at the stage that is asked for.
    ///
    /// # Errors
    /// A function that is not an import was not defined; the object format cannot express something; there is not
    /// enough memory for the file.
    pub fn finish(self) -> Result<Vec<u8>, Error> {
        self.check_form()?;
        if let Emit::Stage(_) = self.emit {
            return Ok(self.text.into_bytes());
        }
        let module = &self.facts.module;
        let (target, debug_frame) = (self.facts.target, self.debug_frame);
        let expected_code = self.compiled.iter().map(|f| f.code.len()).sum();
        let output = Output { target, module, pic: self.pic, debug_frame, expected_code, file: None };
        output.whole(output.object(|sink| self.compiled.iter().try_for_each(sink))?.0)
    }
}

impl Facts<'_> {
    /// The integer type of a pointer.
    fn pointer(&self) -> Type {
        match self.target.abi().pointer_bytes() {
            4 => Type::I32,
            _ => Type::I64,
        }
    }

    fn symbol(&mut self, name: String, kind: SymbolKind, linkage: Linkage) -> SymbolId {
        let id = self.module.add_symbol(Symbol::new(name.as_str(), kind, linkage));
        self.signatures.push(None);
        id
    }

    /// The symbol's item, for use in other parts of the object.
    fn item(&self, symbol: SymbolId) -> Item {
        Item { symbol, object: self.object }
    }

    /// The symbol of a function or data object, if it belongs to this object.
    fn own(&self, item: impl Into<Item>) -> Result<SymbolId, String> {
        let Item { symbol, object } = item.into();
        match object == self.object {
            true => Ok(symbol),
            false => Err("a function or data object of another object is used: declare it in this one".into()),
        }
    }

    fn check_data(&self, name: &str, data: &Data) -> Result<(), Error> {
        if data.size < data.bytes.len() as u64 {
            return Err(Error::ir(name, "its bytes are more than its size"));
        }
        if !data.align.max(1).is_power_of_two() {
            return Err(Error::ir(name, "its alignment is not a power of two"));
        }
        data.addresses.iter().try_for_each(|a| self.own(a.1).map(drop)).map_err(|message| Error::ir(name, message))
    }

    /// Defines data that has been checked.
    fn define_data(&mut self, id: SymbolId, data: Data) {
        let size = self.target.abi().pointer_bytes() as u8;
        let relocs = data.addresses.into_iter().map(|(offset, item, addend)| DataReloc {
            offset,
            size,
            symbol: item.symbol,
            addend,
            base: RelocBase::Zero,
        });
        let object = DataObject::new(id, data.bytes, data.size, data.align.max(1));
        self.module.add_data(DataObject { constant: data.constant, relocs: relocs.collect(), ..object });
    }

    /// The IR's view of a C signature.
    fn signature(&mut self, source: Signature) -> Result<Arc<SigData>, Error> {
        let abi = self.abis.classify(&source)?;
        let mut params = Vec::with_capacity(source.params.len() + 1);
        for (param, arg) in source.params.iter().zip(&abi.args) {
            // What is in an argument block is known by its address.
            let in_block = matches!(arg.mode, PassMode::InBlock { .. });
            let ty = self.value_type(&param.ty)?.filter(|_| !in_block);
            params.push(ty.unwrap_or(self.pointer()));
        }
        let (aggregate_result, results) = match &source.ret.ty {
            abi::Type::C(CType::Void) => (false, Vec::new()),
            ty => match self.value_type(ty)? {
                Some(ty) => (false, vec![ty]),
                None => (true, Vec::new()),
            },
        };
        if aggregate_result {
            params.push(self.pointer());
        }
        let variadic = source.variadic.is_some();
        let abi = abi::FnAbi::clone(&abi);
        Ok(Arc::new(SigData { variadic, aggregate_result, ..SigData::new(params, results, abi, source) }))
    }

    /// The IR type of a value; `None` for types that are passed around by address.
    fn value_type(&self, ty: &abi::Type) -> Result<Option<Type>, Error> {
        let abi::Type::C(ty) = ty else {
            return Err(Error::ir("", "signatures of the builder are made of C types"));
        };
        if ty.is_by_address() {
            return Ok(None);
        }
        let found = match ty {
            CType::Scalar(scalar) => self.scalar_type(*scalar),
            CType::BitInt { bits, .. } => Type::int(*bits),
            CType::Vector { lane, lanes } => self.scalar_type(*lane).and_then(|lane| Type::vector(lane, *lanes)),
            _ => None,
        };
        found.map(Some).ok_or_else(|| Error::ir("", "a parameter of this type is not supported"))
    }

    fn scalar_type(&self, scalar: Scalar) -> Option<Type> {
        Some(match scalar {
            Scalar::Bool => Type::I8,
            Scalar::Int { bits, .. } => return Type::int(bits.into()),
            Scalar::Pointer => self.pointer(),
            Scalar::Float(FloatKind::F16) => Type::F16,
            Scalar::Float(FloatKind::BF16) => Type::BF16,
            Scalar::Float(FloatKind::F32) => Type::F32,
            Scalar::Float(FloatKind::F64) => Type::F64,
            Scalar::Float(FloatKind::F128) => Type::F128,
            Scalar::Float(FloatKind::Long) => match self.layout.scalar(scalar).ok()?.size {
                8 => Type::F64,
                // Windows and 64-bit ARM have other formats than x87's, which differ in size.
                12 => Type::F80,
                16 if self.target.abi().arch == abi::Arch::X86_64 => Type::F80,
                _ => Type::F128,
            },
        })
    }
}

/// An error for a name with a zero byte, which symbol tables cannot hold.
fn check_name(name: &str) -> Result<(), Error> {
    match name {
        "" => Err(Error::ir(name, "a name is needed")),
        _ if name.contains('\0') => Err(Error::ir(name, "a name cannot have a zero byte in it")),
        _ => Ok(()),
    }
}

/// The body of a function under construction: a [`FunctionBuilder`] that also has C types, calls and data.
///
/// The first mistake is remembered, and [`ObjectBuilder::define`] returns it as an error; the methods here never fail.
///
/// Integers have no sign; `_Bool` is an 8-bit integer that is 0 or 1; pointers are integers; structs, unions and
/// complex numbers are passed and returned by address.
pub struct Body<'b, 't> {
    builder: FunctionBuilder<'b>,
    facts: &'b mut Facts<'t>,
    entry: Block,
    sig: Arc<SigData>,
    /// The block where exceptions continue that leave calls.
    unwind: Option<Block>,
    funclets: Vec<FuncletData>,
    /// The funclet that calls are in.
    within: Option<Funclet>,
    /// The call that is being made may return twice.
    twice: bool,
}

impl<'b> Deref for Body<'b, '_> {
    type Target = FunctionBuilder<'b>;
    fn deref(&self) -> &FunctionBuilder<'b> {
        &self.builder
    }
}

impl DerefMut for Body<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.builder
    }
}

/// What is called, and the signature of the call.
type Call = (Callee, Arc<SigData>);

/// The builder's accesses promise no alignment, which costs nothing on the supported targets.
const UNALIGNED: MemFlags = MemFlags(0);

impl Body<'_, '_> {
    /// A value after a mistake.
    fn no_value(&mut self) -> Value {
        let ptr = self.facts.pointer();
        self.builder.poison(ptr)
    }

    /// The value of a result; an error is remembered as a mistake.
    fn good<T>(&mut self, result: Result<T, impl ToString>) -> Option<T> {
        result.map_err(|error| self.mistake(error.to_string())).ok()
    }

    /// Parameter `i`: a value, or the address of an aggregate, which belongs to this function.
    pub fn param(&mut self, i: usize) -> Value {
        let count = self.sig.source.params.len();
        if i >= count {
            self.mistake(format!("there is no parameter {i}: the function has {count}"));
            return self.no_value();
        }
        let v = self.builder.func.params(self.entry)[i];
        match self.sig.abi.args[i].mode {
            PassMode::InBlock { indirect, .. } => self.block_param(i, v, indirect),
            _ => v,
        }
    }

    /// Loads a value.
    pub fn load(&mut self, ty: Type, address: Value, offset: i32) -> Value {
        self.builder.load(ty, address, offset, UNALIGNED)
    }

    /// Stores a value.
    pub fn store(&mut self, v: Value, address: Value, offset: i32) {
        self.builder.store(v, address, offset, UNALIGNED);
    }

    /// An address plus some bytes.
    pub fn offset(&mut self, address: Value, bytes: i32) -> Value {
        let bytes = self.builder.ptr_const(bytes.into());
        self.builder.binary(Opcode::Iadd, address, bytes)
    }

    /// The address of a new local variable of a C type, uninitialized.
    pub fn local(&mut self, ty: &CType) -> Value {
        let layout = self.facts.layout.layout(ty);
        let (size, align) = self.good(layout).map_or((0, 1), |layout| (layout.size, layout.align));
        let Ok(size) = u32::try_from(size) else {
            self.mistake(format!("a local variable of {size} bytes"));
            return self.no_value();
        };
        let slot = self.builder.func.make_slot(size, align);
        self.builder.slot_addr(slot)
    }

    /// Copies an object of a C type. The two places must be the same or must not overlap.
    pub fn copy(&mut self, to: Value, from: Value, ty: &CType) {
        let layout = self.facts.layout.layout(ty);
        if let Some(layout) = self.good(layout) {
            let size = self.builder.ptr_const(layout.size as i64);
            self.builder.mem_op(Opcode::Memcpy, to, from, size, UNALIGNED);
        }
    }

    /// The address of a function or of data.
    pub fn address(&mut self, of: impl Into<Item>) -> Value {
        match self.own(of) {
            Some(symbol) if self.facts.module.symbol(symbol).is_tls() => {
                let ptr = self.facts.pointer();
                self.builder.push1(Opcode::TlsAddr, 0, ptr, [symbol.0, 0, 0], ptr)
            }
            Some(symbol) => self.builder.symbol_addr(symbol, 0),
            None => self.no_value(),
        }
    }

    /// The symbol of an item of this object.
    fn own(&mut self, item: impl Into<Item>) -> Option<SymbolId> {
        let symbol = self.facts.own(item);
        self.good(symbol)
    }

    /// A function of this object and its declaration.
    fn callee(&mut self, func: Func) -> Option<Call> {
        let symbol = self.own(func)?;
        let sig = self.facts.signatures[symbol.index()].clone()?;
        Some((Callee::Symbol(symbol), sig))
    }

    /// The address of constant bytes; equal bytes are one object. A C string needs a zero byte at its end.
    pub fn text(&mut self, bytes: &[u8]) -> Value {
        let symbol = match self.facts.texts.get(bytes) {
            Some(&symbol) => symbol,
            None => {
                let name = format!("text.{}", self.facts.texts.len());
                let symbol = self.facts.symbol(name, SymbolKind::Data, Linkage::Private);
                self.facts.define_data(symbol, Data::constant(bytes));
                if let Some(data) = self.facts.module.data.last_mut() {
                    data.mergeable = true;
                }
                self.facts.texts.insert(bytes.to_vec(), symbol);
                symbol
            }
        };
        self.builder.symbol_addr(symbol, 0)
    }

    /// Calls a function. The result is a value, the address of a fresh copy of an aggregate, or nothing. Only named
    /// arguments can be passed to a variadic function; for others see [`Body::call_variadic`]. After a mistake there
    /// always is a result, which means nothing.
    pub fn call(&mut self, func: Func, args: &[Value]) -> Option<Value> {
        let call = self.callee(func);
        self.call_as(call, args)
    }

    /// Calls a function that may return twice, like `setjmp`. Code after it that runs when it has returned again may
    /// only use values from memory, or that were made after the call: values from before are as the function left them.
    pub fn call_returning_twice(&mut self, func: Func, args: &[Value]) -> Option<Value> {
        self.twice = true;
        let result = self.call(func, args);
        self.twice = false;
        result
    }

    /// Calls a variadic function with unnamed arguments of the given C types, which must be promoted already (no
    /// `float`, no integer narrower than `int`).
    pub fn call_variadic(&mut self, func: Func, args: &[Value], unnamed: &[(CType, Value)]) -> Option<Value> {
        let call = self.variadic(func, unnamed.iter().map(|(ty, _)| ty.clone()));
        let args: Vec<Value> = args.iter().copied().chain(unnamed.iter().map(|&(_, v)| v)).collect();
        self.call_as(call, &args)
    }

    /// A variadic function, with the signature of a call with unnamed arguments of these types.
    fn variadic(&mut self, func: Func, unnamed: impl Iterator<Item = CType>) -> Option<Call> {
        let (callee, declared) = self.callee(func)?;
        let mut source = declared.source.clone();
        if source.variadic.is_none() {
            self.mistake("the function called is not variadic");
            return None;
        }
        source.params.extend(unnamed.map(abi::Param::new));
        Some((callee, self.signature(source)?))
    }

    /// Calls the function at an address.
    pub fn call_address(&mut self, address: Value, signature: Signature, args: &[Value]) -> Option<Value> {
        let call = self.at_address(address, signature);
        self.call_as(call, args)
    }

    /// The function at an address, with its signature.
    fn at_address(&mut self, address: Value, signature: Signature) -> Option<Call> {
        Some((Callee::Value(address), self.signature(signature)?))
    }

    fn signature(&mut self, source: Signature) -> Option<Arc<SigData>> {
        let sig = self.facts.signature(source);
        self.good(sig)
    }

    /// Makes a call; there is none after a mistake.
    fn call_as(&mut self, call: Option<Call>, args: &[Value]) -> Option<Value> {
        let Some((callee, sig)) = call else { return Some(self.no_value()) };
        let expected = sig.source.params.len();
        if args.len() != expected {
            self.mistake(format!("a call with {} arguments of a function that takes {expected}", args.len()));
            return Some(self.no_value());
        }
        if sig.abi.arg_block.is_some() {
            return self.call_in_block((callee, sig), args);
        }
        self.emit_call(callee, &sig, args.to_vec(), None)
    }

    /// Makes a call with the values that the IR needs; `place` is the address for an aggregate result.
    fn emit_call(
        &mut self,
        callee: Callee,
        sig: &Arc<SigData>,
        mut args: Vec<Value>,
        place: Option<Value>,
    ) -> Option<Value> {
        let result = match &sig.source.ret.ty {
            abi::Type::C(ty) if sig.aggregate_result => {
                let ty = ty.clone();
                Some(place.unwrap_or_else(|| self.local(&ty)))
            }
            _ => None,
        };
        args.extend(result);
        let results = sig.results.len();
        let sig = self.builder.import_signature(Arc::clone(sig));
        let call = self.builder.call(callee, sig, &args, TailKind::None, self.twice);
        self.place_call();
        let result = if results > 0 { Some(self.builder.func.result(call)) } else { result };
        self.end_call();
        result
    }

    /// A new `va_list` at the first unnamed argument of this function. Returns its address, as C passes it (`vprintf`).
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

    /// The next argument of the `va_list` at an address: a value, or the address of a fresh copy of an aggregate. Its type
    /// must be promoted as in [`Body::call_variadic`].
    pub fn va_arg(&mut self, list: Value, ty: &CType) -> Value {
        let next = self.next_argument(list, ty);
        self.good(next).unwrap_or_else(|| self.no_value())
    }

    fn next_argument(&mut self, list: Value, ty: &CType) -> Result<Value, Error> {
        let any = abi::Type::C(ty.clone());
        let steps = abi::va_arg(self.facts.target.abi(), self.sig.source.convention, &any)?;
        if let Some(value) = self.facts.value_type(&any)? {
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

    /// A local variable for a `va_list`.
    fn va_list(&mut self) -> Value {
        let variadic = Signature { convention: self.sig.source.convention, ..Signature::c(CType::Void) }.ellipsis();
        let area = self.signature(variadic).and_then(|sig| sig.abi.variadic.clone());
        let (size, align) = area.map_or((0, 1), |area| (area.va_list_size, area.va_list_align));
        let slot = self.builder.func.make_slot(size, align);
        self.builder.slot_addr(slot)
    }

    /// Returns: a value, an aggregate by its address, or nothing.
    pub fn ret(&mut self, value: Option<Value>) {
        let void = matches!(self.sig.source.ret.ty, abi::Type::C(CType::Void));
        if value.is_some() == void {
            self.mistake("the function returns a result exactly if its signature has one");
        }
        match (value, self.sig.aggregate_result) {
            (Some(from), true) => {
                let to = self.builder.func.params(self.entry)[self.sig.params.len() - 1];
                if let abi::Type::C(ty) = self.sig.source.ret.ty.clone() {
                    self.copy(to, from, &ty);
                }
                self.builder.ret(&[]);
            }
            (Some(value), false) => self.builder.ret(&[value]),
            (None, _) => self.builder.ret(&[]),
        }
    }

    /// The result of a function that does not set one: zero, or nothing. `None` also for an aggregate, which is not
    /// changed.
    pub fn zero_result(&mut self) -> Option<Value> {
        let &ty = self.sig.results.first()?;
        Some(match ty.is_float() {
            true => self.builder.func.make_const(ty, ConstData::Float(0)),
            false => self.builder.iconst(ty, 0),
        })
    }

    /// The value of an integer constant, if `v` is one.
    pub fn constant(&self, v: Value) -> Option<u128> {
        match self.builder.func.constant(v) {
            Some(ConstData::Int(n)) => Some(n),
            _ => None,
        }
    }
}
