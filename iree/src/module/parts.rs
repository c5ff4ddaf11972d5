//! What the functions of a module share: statuses, references, calls of the host's functions.

use std::collections::HashMap;

use crate::host::{Host, code};
use crate::{Block, Convention, Letter};
use gusset_abi::memref::TypeConverter;
use gusset_abi::{CType, DataLayout, Signature};
use gusset_codegen::ir::{AtomicInfo, IntCc, Opcode, Ordering, RmwOp, Type, Value};

use super::emit::{Code, build_function, signature};
use super::hal::Hal;
use gusset_compiler::{Data, Error, Func, Global, Linkage, ObjectBuilder};

/// The low bits of a status, which are its code.
const CODE_MASK: i64 = 31;
/// Offset of the text in a status, in bytes, and the alignment of a status.
const TEXT_AT: i64 = 64;
const STATUS_ALIGN: i64 = 32;

/// Offsets of the fields of a call's context, which lives while the call runs, in bytes.
#[derive(Clone, Copy)]
pub(super) struct Context {
    /// The invocation's stack.
    pub stack: i32,
    /// The table of imported functions.
    pub table: i32,
    /// The context of the enclosing call of a module's function in the same thread.
    pub previous: i32,
    /// Why the function failed.
    pub status: i32,
    /// Address of the list of memory that was lent to the function.
    pub lent: i32,
    /// Their number.
    pub lent_count: i32,
    /// Capacity of that list.
    pub lent_room: i32,
    /// The last block of scratch memory, which is freed when the call ends.
    pub scratch: i32,
    /// The buffer in which `setjmp` saves registers.
    pub jump: i32,
}

impl Context {
    /// Bytes that suffice for any system's `jmp_buf`.
    pub const JUMP_BYTES: u64 = 512;

    fn new(word: i32) -> Context {
        let at = |n| n * word;
        Context {
            stack: at(0),
            table: at(1),
            previous: at(2),
            status: at(3),
            lent: at(4),
            lent_count: at(5),
            lent_room: at(6),
            scratch: at(7),
            jump: 64,
        }
    }

    /// Its C type, with the `setjmp` buffer if a function may be left without returning.
    pub fn c_type(jump: bool) -> CType {
        CType::array(CType::int(64, false), 8 + if jump { Context::JUMP_BYTES / 8 } else { 0 })
    }
}

/// A function of the host's that the module imports.
#[derive(Clone, Debug)]
pub(super) struct HostFunction {
    /// Its number among the imports.
    pub ordinal: usize,
    pub args: Block,
    pub results: Block,
    /// Letters of the arguments; a span is represented by its count.
    pub letters: Vec<Letter>,
}

/// An import: its name and its convention.
#[derive(Clone, Debug)]
pub(super) struct Import {
    pub name: String,
    pub convention: String,
}

/// The parts of a module that are made in an object.
pub(super) struct Parts<'g, 't> {
    pub object: &'g mut ObjectBuilder<'t>,
    pub host: Host,
    pub layout: DataLayout,
    pub converter: TypeConverter,
    pub context: Context,
    pub hal: Hal,
    /// The imports in the order of their ordinals.
    pub imports: Vec<Import>,
    pub current_context: Option<Global>,
    functions: HashMap<&'static str, Func>,
}

impl<'g, 't> Parts<'g, 't> {
    pub fn new(object: &'g mut ObjectBuilder<'t>, converter: TypeConverter, hal: Hal) -> Result<Self, Error> {
        let target = *converter.target();
        let word = i32::from(target.pointer_bytes() as u8);
        Ok(Parts {
            object,
            host: Host::new(&target)?,
            layout: DataLayout::new(&target),
            converter,
            context: Context::new(word),
            hal,
            imports: Vec::new(),
            current_context: None,
            functions: HashMap::new(),
        })
    }

    /// Bytes of a word.
    pub fn word_bytes(&self) -> i32 {
        self.converter.target().pointer_bytes() as i32
    }

    /// The type of a word.
    pub fn word(&self) -> CType {
        crate::structure::word(self.converter.target())
    }

    /// A function that is local to the module.
    pub fn local(&mut self, name: &str, ret: CType, params: &[CType]) -> Result<Func, Error> {
        self.object.declare(&format!("iree.module.{name}"), signature(ret, params), Linkage::Local)
    }

    /// A function that is local to the module, which the first use makes: then `make` defines it.
    pub fn shared(
        &mut self,
        name: &'static str,
        ret: CType,
        params: &[CType],
        make: impl FnOnce(&mut Self, Func) -> Result<Func, Error>,
    ) -> Result<Func, Error> {
        if let Some(&known) = self.functions.get(name) {
            return Ok(known);
        }
        let func = self.local(name, ret, params)?;
        self.functions.insert(name, func);
        make(self, func)
    }

    /// A function of C's library.
    pub fn library(&mut self, name: &str, signature: Signature) -> Result<Func, Error> {
        self.object.declare(name, signature, Linkage::Import)
    }

    /// A function of the host's module for arrays, `name` without its module, which becomes an import.
    pub fn hal_function(&mut self, name: &str, convention: &str) -> Result<HostFunction, Error> {
        let module = self.hal.module();
        self.host_function(&format!("{module}.{name}"), convention)
    }

    /// A function of any of the host's modules, whose name includes the module. The caller deals with spans.
    pub fn host_function(&mut self, name: &str, convention: &str) -> Result<HostFunction, Error> {
        let ordinal = match self.imports.iter().position(|import| import.name == name) {
            Some(known) => known,
            None => {
                self.imports.push(Import { name: name.to_string(), convention: convention.to_string() });
                self.imports.len() - 1
            }
        };
        let target = *self.converter.target();
        let mut convention = Convention::parse(convention).map_err(|e| Error::unsupported(name, e.to_string()))?;
        // The counts are arguments among the others.
        convention.args = convention.args_of_call(&[]);
        let (args, results) = (Block::new(&convention.args, &target)?, Block::new(&convention.results, &target)?);
        Ok(HostFunction { ordinal, args, results, letters: convention.args })
    }

    /// `status fail(u32 code, const char *format, const char *where, i64 a, i64 b, i64 c)`: makes a status with a
    /// message.
    pub fn fail(&mut self) -> Result<Fail, Error> {
        let params = [CType::U32, CType::PTR, CType::PTR, CType::I64, CType::I64, CType::I64];
        let fail = self.shared("fail", self.word(), &params, |parts, func| {
            let windows = parts.converter.target().is_windows();
            let word = parts.word();
            // The host frees the memory by the function that belongs to this one.
            let name = if windows { "_aligned_malloc" } else { "aligned_alloc" };
            let allocate = parts.library(name, signature(CType::PTR, &[word.clone(), word.clone()]))?;
            let print = signature(CType::I32, &[CType::PTR, word, CType::PTR]).ellipsis();
            let print = parts.library("snprintf", print)?;
            build_function(parts.object, func, |b, [code, format, place, n1, n2, n3]| {
                let numbers = [n1, n2, n3].map(|number| (CType::I64, number));
                let unnamed: Vec<_> = std::iter::once((CType::PTR, place)).chain(numbers).collect();
                let print = |args: [Value; 3]| b.with(|b| b.call_variadic(print, &args, &unnamed));
                let Some(len) = print([b.word(0), b.word(0), format]) else { return };
                // A negative length is an error of the formatting.
                let zero = b.iconst(Type::I32, 0);
                let len = b.to_word(b.select(b.icmp(IntCc::Sge, len, zero), len, zero));
                // With a zero after the text, rounded up to a multiple of the alignment.
                let room = b.offset(len, 1);
                let size = b.offset(room, (TEXT_AT + STATUS_ALIGN - 1) as i32);
                let size = b.and(size, b.word(-STATUS_ALIGN));
                let align = b.word(STATUS_ALIGN);
                let code = b.to_word(code);
                let block = b.result(allocate, &if windows { [size, align] } else { [align, size] });
                b.return_if(b.is(block, 0), || code);
                b.zero(block, b.word(parts.host.status.size.into()));
                let text = b.offset(block, TEXT_AT as i32);
                print([text, room, format]);
                b.store(text, block, parts.host.status.message + parts.host.view.data);
                b.store(len, block, parts.host.status.message + parts.host.view.len);
                b.ret(b.binary(Opcode::Or, block, code));
            })
        })?;
        Ok(Fail(fail))
    }

    /// `void release(reference *)`: releases a reference, and makes it null.
    pub fn release(&mut self) -> Result<Func, Error> {
        self.shared("release", CType::Void, &[CType::PTR], |parts, func| {
            let destroy = signature(CType::Void, &[CType::PTR]);
            build_function(parts.object, func, |b, [reference]| {
                let object = b.load_word(reference, parts.host.reference.object);
                b.when(b.is_not(object, 0), || {
                    let ty = b.load_word(reference, parts.host.reference.ty);
                    b.zero(reference, b.word(parts.host.reference.size.into()));
                    let before = change_count(b, RmwOp::Sub, object, ty);
                    b.when(b.is(before, 1), || {
                        let descriptor = b.and(ty, b.word(!7));
                        let function = b.load_word(descriptor, parts.host.descriptor.destroy);
                        b.with(|b| b.call_address(function, destroy, &[object]));
                    });
                });
            })
        })
    }

    /// `void retain(const reference *from, reference *to)`: adds a reference to an object.
    pub fn retain(&mut self) -> Result<Func, Error> {
        self.shared("retain", CType::Void, &[CType::PTR, CType::PTR], |parts, func| {
            let reference = parts.host.reference;
            build_function(parts.object, func, |b, [from, to]| {
                let (object, ty) = (b.load_word(from, reference.object), b.load_word(from, reference.ty));
                b.store(object, to, reference.object);
                b.store(ty, to, reference.ty);
                b.when(b.is_not(object, 0), || {
                    change_count(b, RmwOp::Add, object, ty);
                });
            })
        })
    }

    /// `status call(context *, word ordinal, const void *args, word args_len, void *results, word results_len)`: calls
    /// an imported function. The results are zeros unless it succeeds.
    pub fn call(&mut self) -> Result<Func, Error> {
        let word = self.word();
        let params = [CType::PTR, word.clone(), CType::PTR, word.clone(), CType::PTR, word.clone()];
        self.shared("call", word.clone(), &params, |parts, func| {
            let fail = parts.fail()?;
            let (host, context) = (parts.host, parts.context);
            let call_type = crate::host::Call::c_type(parts.converter.target());
            let function_type = crate::host::FunctionRef::c_type(parts.converter.target());
            let begin = signature(word, &[CType::PTR, CType::PTR, call_type.clone()]);
            build_function(parts.object, func, |b, [ctx, ordinal, args, args_len, results, results_len]| {
                let table = b.load_word(ctx, context.table);
                let function = b.index(table, ordinal, host.function.size as i32);
                let module = b.load_word(function, host.function.module);
                b.return_if(b.is(module, 0), || {
                    let text = "%s: a function that the module imports is not resolved";
                    fail.status(b, code::FAILED_PRECONDITION, text, b.text("call"), &[])
                });
                let call = b.local(&call_type);
                b.copy(call, function, &function_type);
                for (at, data, len) in [(host.call.args, args, args_len), (host.call.results, results, results_len)] {
                    b.store(data, call, at + host.view.data);
                    b.store(len, call, at + host.view.len);
                }
                b.zero(results, results_len);
                let begin_call = b.load_word(module, host.interface.begin_call);
                let (this, stack) = (b.load_word(module, host.interface.this), b.load_word(ctx, context.stack));
                let status = b.result_of(begin_call, begin, &[this, stack, call]);
                let code = b.and(status, b.word(CODE_MASK));
                b.return_if(b.is(code, code::DEFERRED.into()), || {
                    let text = "%s: an imported function waits for something, which calls from C cannot";
                    fail.status(b, code::UNIMPLEMENTED, text, b.text("call"), &[])
                });
                b.ret(status);
            })
        })
    }

    /// `status explained(status)`: explains the status of a host's function whose block of arguments has another layout in
    /// runtimes that pack values. Such a runtime reports an invalid argument, which nothing else causes here.
    pub fn explained(&mut self) -> Result<Func, Error> {
        let word = self.word();
        self.shared("told", word.clone(), &[word], |parts, func| {
            let fail = parts.fail()?;
            // The function that frees what makes statuses.
            let free = if parts.converter.target().is_windows() { "_aligned_free" } else { "free" };
            let free = parts.library(free, signature(CType::Void, &[CType::PTR]))?;
            build_function(parts.object, func, |b, [status]| {
                let code = b.and(status, b.word(CODE_MASK));
                b.return_if(b.is_not(code, code::INVALID_ARGUMENT.into()), || status);
                b.call(free, &[b.and(status, b.word(!CODE_MASK))]);
                let text = "%s: the runtime has other blocks of arguments: versions before 3.10 are not supported";
                b.ret(fail.status(b, code::INCOMPATIBLE, text, b.text("call"), &[]));
            })
        })
    }

    /// Adds constant data of the module.
    pub fn constant(&mut self, name: &str, data: Data) -> Result<Global, Error> {
        self.object.data(&format!("iree.module.{name}"), Linkage::Local, data)
    }
}

/// Adds one to an object's reference count, or subtracts it; the count before.
fn change_count(b: &Code<'_, '_, '_>, op: RmwOp, object: Value, ty: Value) -> Value {
    let count = b.index(object, b.and(ty, b.word(7)), 4);
    let one = b.iconst(Type::I32, 1);
    b.with(|b| b.atomic_rmw(op, count, one, AtomicInfo::new(Ordering::AcqRel, 4, false)))
}

/// The function that makes statuses with messages.
#[derive(Clone, Copy)]
pub(super) struct Fail(Func);

impl Fail {
    /// Makes a status with a message: `format` contains `%s` for the text at `place`, and `%lld` for each of up to
    /// three numbers.
    pub fn status(self, b: &Code<'_, '_, '_>, code: u32, format: &str, place: Value, numbers: &[Value]) -> Value {
        let (code, format) = (b.iconst(Type::I32, code.into()), b.text(format));
        let zero = b.iconst(Type::I64, 0);
        let [n1, n2, n3] = std::array::from_fn(|i| numbers.get(i).map_or(zero, |&n| b.resized(n, Type::I64)));
        b.result(self.0, &[code, format, place, n1, n2, n3])
    }
}

/// Returns an error about an argument, with this text and these numbers, if a condition holds.
pub(super) fn wrong_if(
    b: &Code<'_, '_, '_>,
    condition: Value,
    (fail, place): (Fail, Value),
    format: &str,
    numbers: &[Value],
) {
    b.return_if(condition, || fail.status(b, code::INVALID_ARGUMENT, format, place, numbers));
}

impl HostFunction {
    /// Calls the function by the module's own `call`, in a context; references are given by their addresses. Returns the
    /// status, and the address of the block of results.
    pub fn call(&self, b: &Code<'_, '_, '_>, (call, ctx): (Func, Value), args: &[Value]) -> (Value, Value) {
        let block = b.local(&block_type(&self.args));
        self.fill(b, block, args);
        self.call_with(b, (call, ctx), (block, b.word(self.args.size.into())))
    }

    /// Calls the function with a block of arguments of this size.
    pub fn call_with(
        &self,
        b: &Code<'_, '_, '_>,
        (call, ctx): (Func, Value),
        (block, size): (Value, Value),
    ) -> (Value, Value) {
        let (results, results_size) = (b.local(&block_type(&self.results)), b.word(self.results.size.into()));
        (b.result(call, &[ctx, b.word(self.ordinal as i64), block, size, results, results_size]), results)
    }

    /// Calls the function, and returns from the one that is made unless the status is 0. The block of results.
    pub fn checked(&self, b: &Code<'_, '_, '_>, call: (Func, Value), args: &[Value]) -> Value {
        let (status, results) = self.call(b, call, args);
        b.check(status);
        results
    }

    /// Stores arguments into a block.
    pub fn fill(&self, b: &Code<'_, '_, '_>, block: Value, args: &[Value]) {
        for ((&offset, letter), &arg) in self.args.offsets.iter().zip(&self.letters).zip(args) {
            match letter {
                Letter::Ref => copy_reference(b, arg, block, offset as i32),
                _ => b.store_packed(arg, block, offset as i32),
            }
        }
    }
}

/// Copies a reference to an offset, without counting it.
pub(super) fn copy_reference(b: &Code<'_, '_, '_>, from: Value, to: Value, offset: i32) {
    for at in [0, b.word_bytes()] {
        b.store_packed(b.load_packed(b.word_type(), from, at), to, offset + at);
    }
}

/// Memory for a block, at least one byte.
pub(super) fn block_type(block: &Block) -> CType {
    CType::array(CType::int(64, false), u64::from(block.size).div_ceil(8).max(1))
}
