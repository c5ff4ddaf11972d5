//! The body of a function under construction: parameters, memory, addresses, results.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use gusset_abi::{self as abi, CType, Layout, PassMode, Scalar, Signature};
use gusset_codegen::ir::{
    Block, ConstData, FunctionBuilder, Inst, InstData, Linkage, MemFlags, Opcode, SigData, SymbolId, TailKind, Type,
    Value,
};

use super::debug::body::BodyDebug;
use super::declarations::Declarations;
use super::definer::{Definer, Known};
use super::funclets::FuncletData;
use super::{Data, Func, Funclet, Global, Item, ObjectBuilder, lock};
use crate::Error;

/// What the closure returns that fills a body: nothing, or a `Result` with an error of the front end's.
///
/// ```
/// # use gusset_abi::{CType, Signature};
/// # use gusset_compiler::{BuilderOptions, Error, Features, Linkage, ObjectBuilder, Target};
/// # let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
/// # let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
/// let f = object.declare("f", Signature::c(CType::I32), Linkage::Export)?;
/// let outcome = object.define(f, |_| Err(Error::Target("the front end's own error".into())));
/// assert_eq!(outcome.unwrap_err().reason(), "the front end's own error");
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
pub trait BodyResult {
    /// The error, which [`ObjectBuilder::define`] returns.
    type Error: From<Error>;
    /// As a result.
    ///
    /// # Errors
    /// The closure's error.
    fn into_result(self) -> Result<(), Self::Error>;
}

impl BodyResult for () {
    type Error = Error;
    fn into_result(self) -> Result<(), Error> {
        Ok(())
    }
}

impl<E: From<Error>> BodyResult for Result<(), E> {
    type Error = E;
    fn into_result(self) -> Result<(), E> {
        self
    }
}

/// Methods for loads of one type.
macro_rules! accesses {
    (loads: $($name:ident $ty:ident)*) => {
        $(#[doc = concat!("[`load`](Body::load)s a value of type [`Type::", stringify!($ty), "`].")]
        pub fn $name(&mut self, address: Value, offset: i32) -> Value {
            self.load(Type::$ty, address, offset)
        })*
    };
    (extending: $($name:ident $ty:ident $extend:ident)*) => {
        $(#[doc = concat!("[`load`](Body::load)s a value of type [`Type::", stringify!($ty), "`], and widens it to the type `to` by [`Opcode::", stringify!($extend), "`].")]
        pub fn $name(&mut self, to: Type, address: Value, offset: i32) -> Value {
            let v = self.load(Type::$ty, address, offset);
            self.builder.convert(Opcode::$extend, v, to)
        })*
    };
}

/// The body of a function under construction: a [`FunctionBuilder`] that also has C types, calls and data.
///
/// The first mistake is remembered, and [`ObjectBuilder::define`] returns it as an error; the methods that give values
/// never fail.
///
/// Integers have no sign; `_Bool` is an 8-bit integer that is 0 or 1; pointers are integers; structs, unions and
/// complex numbers are passed and returned by address.
///
/// ```
/// # use gusset_abi::{CType, Signature};
/// # use gusset_compiler::{BuilderOptions, Features, Linkage, ObjectBuilder, Target};
/// # let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
/// # let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
/// # use gusset_codegen::ir::{IntCc, Type};
/// // int64_t sum(const int32_t *numbers, int64_t count)
/// let signature = Signature::c(CType::I64).param(CType::PTR).param(CType::I64);
/// let sum = object.declare("sum", signature, Linkage::Export)?;
/// object.define(sum, |b| {
///     let (numbers, count, zero) = (b.param(0), b.param(1), b.i64_const(0));
///     let (i, total) = (b.declare_var(Type::I64), b.declare_var(Type::I64));
///     b.def_var(i, zero);
///     b.def_var(total, zero);
///     let (head, inside, end) = (b.create_block(), b.create_block(), b.create_block());
///     b.jump(head, &[]);
///     b.switch_to(head);
///     let at = b.use_var(i);
///     let more = b.icmp(IntCc::Slt, at, count);
///     b.br(more, inside, &[], end, &[]);
///     b.seal(inside);
///     b.seal(end);
///
///     b.switch_to(inside);
///     let (so_far, place, one) = (b.use_var(total), b.index(numbers, at, 4), b.i64_const(1));
///     let number = b.load_s32(Type::I64, place, 0);
///     let (so_far, next) = (b.iadd(so_far, number), b.iadd(at, one));
///     b.def_var(total, so_far);
///     b.def_var(i, next);
///     b.jump(head, &[]);
///     b.seal(head);
///
///     b.switch_to(end);
///     let result = b.use_var(total);
///     b.ret(Some(result));
/// })?;
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
pub struct Body<'b, 't> {
    pub(super) builder: FunctionBuilder<'b>,
    pub(super) known: &'b mut Known<'t>,
    pub(super) object: &'b ObjectBuilder<'t>,
    pub(super) entry: Block,
    pub(super) sig: Arc<SigData>,
    /// The block where exceptions continue that leave calls.
    pub(super) unwind: Option<Block>,
    pub(super) funclets: Vec<FuncletData>,
    /// The funclet that calls are in.
    pub(super) within: Option<Funclet>,
    /// The call that is being made may return twice.
    pub(super) twice: bool,
    /// The number of the stack map of the call that is being made.
    pub(super) safepoint: Option<u64>,
    /// The call that is being made may or must replace this function.
    pub(super) tail: TailKind,
    /// The symbols that were declared here.
    made: Vec<SymbolId>,
    /// What is said of the source program, if the object has debug information.
    pub(super) debug: Option<Box<BodyDebug>>,
}

/// A body that is complete.
pub(super) struct Finished {
    /// The symbols that were declared in it, or the first mistake.
    pub made: Result<Vec<SymbolId>, String>,
    /// The instruction before which the mistake was made.
    pub mistaken: Option<Inst>,
    /// What is said of the source program.
    pub debug: Option<Box<BodyDebug>>,
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

impl<'b, 't> Body<'b, 't> {
    pub(super) fn new(
        object: &'b ObjectBuilder<'t>,
        definer: &'b mut Definer<'t>,
        function: SymbolId,
        sig: Arc<SigData>,
    ) -> Body<'b, 't> {
        let Definer { known, function: func, .. } = definer;
        func.clear();
        let mut builder = FunctionBuilder::new(func, known.signatures.pointer());
        builder.fold_constants(true);
        let entry = builder.begin(function, Arc::clone(&sig));
        if let Some([limit, handler]) = object.stack_limit.filter(|&[_, handler]| handler != function) {
            builder.func.attrs.stack_limit = Some(limit);
            builder.func.attrs.stack_limit_handler = Some(handler);
        }
        let mut body = Body {
            builder,
            known,
            object,
            entry,
            sig,
            unwind: None,
            funclets: Vec::new(),
            within: None,
            twice: false,
            safepoint: None,
            tail: TailKind::None,
            made: Vec::new(),
            debug: None,
        };
        body.begin_debug(function);
        body
    }

    /// The target as calling conventions see it.
    pub(super) fn target(&self) -> &'t abi::AbiTarget {
        self.object.target.abi()
    }

    /// Ends the body.
    pub(super) fn finish(mut self) -> Finished {
        self.end_debug();
        let mistaken = self.builder.place_of_mistake();
        let made = self.builder.finish().map(|()| self.made);
        Finished { made, mistaken, debug: self.debug }
    }

    /// A value after a mistake.
    pub(super) fn no_value(&mut self) -> Value {
        let ptr = self.builder.ptr_type();
        self.builder.poison(ptr)
    }

    /// The value of a result; an error is remembered as a mistake.
    pub(super) fn good<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        result.map_err(|error| self.mistake(error.reason())).ok()
    }

    /// Adds to the object's declarations.
    pub(super) fn declarations<T>(&mut self, add: impl FnOnce(&mut Declarations<'t>) -> T) -> T {
        let mut declarations = lock(&self.object.declarations);
        let result = add(&mut declarations);
        self.known.update(&declarations);
        result
    }

    /// The item of a symbol that was declared here.
    fn made(&mut self, symbol: SymbolId) -> Item {
        self.made.push(symbol);
        Item { symbol, object: self.object.id }
    }

    /// Declares a function, as [`ObjectBuilder::declare`] does. It can be called here, and defined here, too, or later.
    ///
    /// # Errors
    /// As for [`ObjectBuilder::declare`]; the name is declared with another linkage.
    pub fn declare(&mut self, name: &str, signature: Signature, linkage: Linkage) -> Result<Func, Error> {
        let symbol = self.declarations(|all| all.declare(name, signature, linkage, true))?;
        Ok(Func(self.made(symbol)))
    }

    /// Declares or defines data, as [`ObjectBuilder::data`] does.
    ///
    /// # Errors
    /// As for [`ObjectBuilder::data`].
    pub fn data(&mut self, name: &str, linkage: Linkage, data: Data) -> Result<Global, Error> {
        let symbol = self.declarations(|all| all.data(name, linkage, data, true))?;
        Ok(Global(self.made(symbol)))
    }

    /// Size and alignment of a type, in bytes.
    ///
    /// # Errors
    /// The type has no layout on the target.
    pub fn layout(&self, ty: &CType) -> Result<Layout, Error> {
        self.object.layout(ty)
    }

    /// Byte offsets of a record's members, see [`ObjectBuilder::offsets`].
    ///
    /// # Errors
    /// As for [`ObjectBuilder::offsets`].
    pub fn offsets(&self, ty: &CType) -> Result<Vec<i32>, Error> {
        self.object.offsets(ty)
    }

    /// Makes this function check a stack limit when it begins, as [`ObjectBuilder::set_stack_limit`] does for all
    /// functions.
    pub fn stack_limit(&mut self, limit: Global, handler: Func) {
        if let (Some(limit), Some(handler)) = (self.own(limit), self.own(handler)) {
            self.builder.func.attrs.stack_limit = Some(limit);
            self.builder.func.attrs.stack_limit_handler = Some(handler);
        }
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

    /// Loads a value. The address has the alignment of C's type of that kind, see [`load_aligned`](Self::load_aligned).
    pub fn load(&mut self, ty: Type, address: Value, offset: i32) -> Value {
        let flags = self.known.signatures.natural_alignment(ty);
        self.builder.load(ty, address, offset, flags)
    }

    /// Loads a value from an address of which only this alignment is known, in bytes: for example 1 in a packed struct.
    pub fn load_aligned(&mut self, ty: Type, address: Value, offset: i32, align: u32) -> Value {
        self.builder.load(ty, address, offset, MemFlags::new(align, false))
    }

    accesses! { loads:
        load_i8 I8 load_i16 I16 load_i32 I32 load_i64 I64 load_f32 F32 load_f64 F64
    }
    accesses! { extending:
        load_u8 I8 Zext load_s8 I8 Sext load_u16 I16 Zext load_s16 I16 Sext load_u32 I32 Zext load_s32 I32 Sext
    }

    /// Loads a pointer.
    pub fn load_pointer(&mut self, address: Value, offset: i32) -> Value {
        self.load(self.builder.ptr_type(), address, offset)
    }

    /// Stores a value. The address has the alignment of C's type of that kind, see
    /// [`store_aligned`](Self::store_aligned).
    pub fn store(&mut self, v: Value, address: Value, offset: i32) {
        let ty = self.builder.func.known_type(v).unwrap_or(Type::VOID);
        let flags = self.known.signatures.natural_alignment(ty);
        self.builder.store(v, address, offset, flags);
    }

    /// Stores a value at an address of which only this alignment is known, in bytes.
    pub fn store_aligned(&mut self, v: Value, address: Value, offset: i32, align: u32) {
        self.builder.store(v, address, offset, MemFlags::new(align, false));
    }

    /// Loads an object of a C type: a value, or for an aggregate its address in place.
    pub fn load_c(&mut self, ty: &CType, address: Value, offset: i32) -> Value {
        let value = self.known.signatures.value_type(&abi::AbiType::C(ty.clone()));
        match self.good(value) {
            Some(Some(value)) => self.load(value, address, offset),
            Some(None) => self.offset(address, offset),
            None => self.no_value(),
        }
    }

    /// Stores an object of a C type: a value, or for an aggregate a copy of what is at the address `v`.
    pub fn store_c(&mut self, ty: &CType, v: Value, address: Value, offset: i32) {
        if ty.is_by_address() {
            let to = self.offset(address, offset);
            return self.copy(to, v, ty);
        }
        self.store(v, address, offset);
    }

    /// A number of a C integer type, widened by the type's sign or cut to the IR's type `to`.
    pub fn convert_c(&mut self, v: Value, from: &CType, to: Type) -> Value {
        let signed = match from {
            CType::Scalar(Scalar::Int { signed, .. }) | CType::BitInt { signed, .. } => *signed,
            CType::Scalar(Scalar::Bool | Scalar::Pointer) => false,
            _ => {
                self.mistake(format!("{from:?} is no integer type of C"));
                return self.builder.poison(to);
            }
        };
        if signed { self.builder.sext_or_trunc(v, to) } else { self.builder.zext_or_trunc(v, to) }
    }

    /// `base + index * scale`, where the index is a signed number of any width.
    pub fn index(&mut self, base: Value, index: Value, scale: i32) -> Value {
        let ptr = self.builder.ptr_type();
        let index = self.builder.sext_or_trunc(index, ptr);
        self.builder.index(base, index, scale)
    }

    /// An address plus some bytes.
    pub fn offset(&mut self, address: Value, bytes: i32) -> Value {
        let bytes = self.builder.ptr_const(bytes.into());
        self.builder.binary(Opcode::Iadd, address, bytes)
    }

    /// The address of a new local variable of a C type, uninitialized.
    pub fn local(&mut self, ty: &CType) -> Value {
        let layout = self.object.layout(ty);
        let (size, align) = self.good(layout).map_or((0, 1), |layout| (layout.size, layout.align));
        let Ok(size) = u32::try_from(size) else {
            self.mistake(format!("a local variable of {size} bytes"));
            return self.no_value();
        };
        let slot = self.builder.func.make_slot(size, align);
        self.builder.slot_addr(slot)
    }

    /// Copies an object of a C type. The two places must be the same or must not overlap. They need not be aligned.
    pub fn copy(&mut self, to: Value, from: Value, ty: &CType) {
        let layout = self.object.layout(ty);
        if let Some(layout) = self.good(layout) {
            let size = self.builder.ptr_const(layout.size as i64);
            self.builder.mem_op(Opcode::Memcpy, to, from, size, MemFlags::new(1, false));
        }
    }

    /// The address of a function or of data.
    pub fn address(&mut self, of: impl Into<Item>) -> Value {
        match self.own(of) {
            Some(symbol) if self.known.is_thread_local(symbol) => {
                let ptr = self.builder.ptr_type();
                self.builder.push1(Opcode::TlsAddr, 0, ptr, [symbol.0, 0, 0], ptr)
            }
            Some(symbol) => self.builder.symbol_addr(symbol, 0),
            None => self.no_value(),
        }
    }

    /// The symbol of an item of this object.
    pub(super) fn own(&mut self, item: impl Into<Item>) -> Option<SymbolId> {
        let symbol = self.object.id.own(item);
        let symbol = self.good(symbol)?;
        if !self.known.has(symbol) {
            // Another body has declared it in the meantime.
            self.known.update(&lock(&self.object.declarations));
        }
        Some(symbol)
    }

    /// An operation of the machine by the name of LLVM's intrinsic without `llvm.`, such as `x86.sse2.pavg.b` or
    /// `aarch64.neon.sqdmulh.v8i16`. It has up to three operands, and a result of the type `result` or none; the types are
    /// the intrinsic's. An operation that the target does not have is an error of the definition.
    pub fn machine_op(&mut self, name: &str, args: &[Value], result: Option<Type>) -> Option<Value> {
        let number = self.declarations(|all| all.module.machine_op(name));
        let (Some(number), true) = (number, args.len() <= 3) else {
            self.mistake("an operation of the machine has up to three operands, and an object up to 256 of them");
            return result.map(|ty| self.builder.poison(ty));
        };
        let filler = args.first().copied().unwrap_or_else(|| self.builder.iconst(Type::I32, 0));
        let word = |n: usize| args.get(n).unwrap_or(&filler).0;
        let words = [word(0), word(1), word(2)];
        match result {
            Some(ty) => Some(self.builder.push1(Opcode::Machine, number, ty, words, ty)),
            None => {
                let data = InstData {
                    op: Opcode::MachineEffect,
                    flags: number,
                    ty: Type::VOID,
                    a: words[0],
                    b: words[1],
                    c: words[2],
                };
                self.builder.push(data, &[]);
                None
            }
        }
    }

    /// The address of constant bytes; equal bytes are one object. A C string needs a zero byte at its end.
    pub fn text(&mut self, bytes: &[u8]) -> Value {
        let symbol = self.declarations(|all| all.text(bytes, true));
        self.made.push(symbol);
        self.builder.symbol_addr(symbol, 0)
    }

    /// Returns: a value, an aggregate by its address, or nothing.
    pub fn ret(&mut self, value: Option<Value>) {
        let void = matches!(self.sig.source.ret.ty, abi::AbiType::C(CType::Void));
        match value {
            Some(_) if void => self.mistake("a return with a value: the function returns none"),
            None if !void => {
                let what = match self.sig.results.first() {
                    Some(ty) => format!("a value of type {ty}"),
                    None => "an aggregate, by its address".to_string(),
                };
                self.mistake(format!("a return without a value: the function returns {what}"));
            }
            _ => {}
        }
        match (value, self.sig.aggregate_result) {
            (Some(from), true) => {
                let to = self.builder.func.params(self.entry)[self.sig.params.len() - 1];
                if let abi::AbiType::C(ty) = self.sig.source.ret.ty.clone() {
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
        self.builder.func.known_type(v)?;
        self.builder.func.int_constant(v)
    }
}
