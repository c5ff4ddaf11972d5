//! What the functions of a module share: statuses, references, calls of the host's functions.

use std::collections::HashMap;

use crate::host::{Host, code};
use crate::{Block, Convention, Letter};
use gusset_abi::memref::TypeConverter;
use gusset_abi::{CType, DataLayout, Signature};
use gusset_codegen::ir::{AtomicInfo, IntCc, MemFlags, Opcode, Ordering, RmwOp, Type, Value};

use super::emit::{Calls, Steps, signature};
use super::hal::Hal;
use gusset_compiler::{Body, Data, Error, Func, Global, Linkage, ObjectBuilder};

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
        CType::int(8 * self.word_bytes() as u16, false)
    }

    /// A function that is local to the module.
    pub fn local(&mut self, name: &str, ret: CType, params: &[CType]) -> Result<Func, Error> {
        self.object.declare(&format!("iree.module.{name}"), signature(ret, params), Linkage::Local)
    }

    /// Defines a function that is local to the module, and uses no other that is not declared yet.
    pub fn function(
        &mut self,
        name: &str,
        ret: CType,
        params: &[CType],
        build: impl FnOnce(&mut Body<'_, 't>),
    ) -> Result<Func, Error> {
        let func = self.local(name, ret, params)?;
        self.object.define(func, build)?;
        Ok(func)
    }

    /// A function that several users share, which the first use makes.
    pub fn shared(
        &mut self,
        name: &'static str,
        ret: CType,
        params: &[CType],
        define: impl FnOnce(&mut Self, Func) -> Result<(), Error>,
    ) -> Result<Func, Error> {
        if let Some(&known) = self.functions.get(name) {
            return Ok(known);
        }
        let func = self.local(name, ret, params)?;
        self.functions.insert(name, func);
        define(self, func)?;
        Ok(func)
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
        let mut convention = Convention::parse(convention).map_err(|e| Error::ir(name, e.to_string()))?;
        // The counts are arguments among the others.
        convention.args = convention.args_of_call(&[]);
        let (args, results) = (Block::new(&convention.args, &target)?, Block::new(&convention.results, &target)?);
        Ok(HostFunction { ordinal, args, results, letters: convention.args })
    }

    /// `status fail(u32 code, const char *format, const char *where, i64 a, i64 b, i64 c)`: makes a status with a
    /// message.
    pub fn fail(&mut self) -> Result<Func, Error> {
        let params = [CType::U32, CType::PTR, CType::PTR, CType::I64, CType::I64, CType::I64];
        self.shared("fail", self.word(), &params, |parts, func| {
            let windows = parts.converter.target().is_windows();
            let word = parts.word();
            // The host frees the memory by the function that belongs to this one.
            let name = if windows { "_aligned_malloc" } else { "aligned_alloc" };
            let allocate = parts.library(name, signature(CType::PTR, &[word.clone(), word.clone()]))?;
            let print = signature(CType::I32, &[CType::PTR, word, CType::PTR]).ellipsis();
            let print = parts.library("snprintf", print)?;
            let status = parts.host.status;
            let view = parts.host.view;
            parts.object.define(func, |b| {
                let (format, place) = (b.param(1), b.param(2));
                let numbers: Vec<_> = (3..6).map(|i| (CType::I64, b.param(i))).collect();
                let unnamed: Vec<_> = std::iter::once((CType::PTR, place)).chain(numbers).collect();
                let (nowhere, nothing) = (b.word(0), b.word(0));
                let Some(len) = b.call_variadic(print, &[nowhere, nothing, format], &unnamed) else { return };
                // A negative length is an error of the formatting.
                let zero = b.iconst(Type::I32, 0);
                let fine = b.icmp(IntCc::Sge, len, zero);
                let len = b.select(fine, len, zero);
                let len = b.to_word(len);
                // With a zero after the text, rounded up to a multiple of the alignment.
                let room = b.offset(len, 1);
                let size = b.offset(room, (TEXT_AT + STATUS_ALIGN - 1) as i32);
                let mask = b.word(-STATUS_ALIGN);
                let size = b.binary(Opcode::And, size, mask);
                let align = b.word(STATUS_ALIGN);
                let args = if windows { [size, align] } else { [align, size] };
                let code = b.param(0);
                let code = b.to_word(code);
                let block = b.result(allocate, &args);
                let none = b.is(block, 0);
                b.return_if(none, |_| code);
                b.zero(block, status.size.into());
                let text = b.offset(block, TEXT_AT as i32);
                b.call_variadic(print, &[text, room, format], &unnamed);
                b.store(text, block, status.message + view.data);
                b.store(len, block, status.message + view.len);
                let status = b.binary(Opcode::Or, block, code);
                b.ret(Some(status));
            })
        })
    }

    /// `void release(reference *)`: releases a reference, and makes it null.
    pub fn release(&mut self) -> Result<Func, Error> {
        self.shared("release", CType::Void, &[CType::PTR], |parts, func| {
            let host = parts.host;
            let destroy = signature(CType::Void, &[CType::PTR]);
            parts.object.define(func, |b| {
                let reference = b.param(0);
                let object = b.load_word(reference, host.reference.object);
                let there = b.is_not(object, 0);
                b.when(there, |b| {
                    let ty = b.load_word(reference, host.reference.ty);
                    b.zero(reference, host.reference.size.into());
                    let count = count_of(b, object, ty);
                    let one = b.iconst(Type::I32, 1);
                    let info = AtomicInfo::new(Ordering::AcqRel, 4, false);
                    let before = b.atomic_rmw(RmwOp::Sub, count, one, info);
                    let last = b.is(before, 1);
                    b.when(last, |b| {
                        let mask = b.word(!7);
                        let descriptor = b.binary(Opcode::And, ty, mask);
                        let function = b.load_word(descriptor, host.descriptor.destroy);
                        b.call_address(function, destroy, &[object]);
                    });
                });
                b.ret(None);
            })
        })
    }

    /// `void retain(const reference *from, reference *to)`: adds a reference to an object.
    pub fn retain(&mut self) -> Result<Func, Error> {
        self.shared("retain", CType::Void, &[CType::PTR, CType::PTR], |parts, func| {
            let reference = parts.host.reference;
            parts.object.define(func, |b| {
                let (from, to) = (b.param(0), b.param(1));
                let (object, ty) = (b.load_word(from, reference.object), b.load_word(from, reference.ty));
                b.store(object, to, reference.object);
                b.store(ty, to, reference.ty);
                let there = b.is_not(object, 0);
                b.when(there, |b| {
                    let count = count_of(b, object, ty);
                    let one = b.iconst(Type::I32, 1);
                    b.atomic_rmw(RmwOp::Add, count, one, AtomicInfo::new(Ordering::AcqRel, 4, false));
                });
                b.ret(None);
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
            parts.object.define(func, |b| {
                let ctx = b.param(0);
                let (table, ordinal) = (b.load_word(ctx, context.table), b.param(1));
                let function = b.index(table, ordinal, host.function.size as i32);
                let module = b.load_word(function, host.function.module);
                let none = b.is(module, 0);
                b.return_if(none, |b| {
                    let text = "%s: a function that the module imports is not resolved";
                    failure(b, fail, code::FAILED_PRECONDITION, text, "call", &[])
                });
                let call = b.local(&call_type);
                b.copy(call, function, &function_type);
                for (at, i) in [(host.call.args, 2), (host.call.results, 4)] {
                    let (data, len) = (b.param(i), b.param(i + 1));
                    b.store(data, call, at + host.view.data);
                    b.store(len, call, at + host.view.len);
                }
                let (results, len, zero) = (b.param(4), b.param(5), b.iconst(Type::I8, 0));
                b.mem_op(Opcode::Memset, results, zero, len, MemFlags(0));
                let begin_call = b.load_word(module, host.interface.begin_call);
                let (this, stack) = (b.load_word(module, host.interface.this), b.load_word(ctx, context.stack));
                let status = b.result_of(begin_call, begin, &[this, stack, call]);
                let mask = b.word(CODE_MASK);
                let code = b.binary(Opcode::And, status, mask);
                let waits = b.is(code, code::DEFERRED.into());
                b.return_if(waits, |b| {
                    let text = "%s: an imported function waits for something, which calls from C cannot";
                    failure(b, fail, code::UNIMPLEMENTED, text, "call", &[])
                });
                b.ret(Some(status));
            })
        })
    }

    /// `status told(status)`: explains the status of a host's function whose block of arguments has another layout in
    /// runtimes that pack values. Such a runtime reports an invalid argument, which nothing else causes here.
    pub fn told(&mut self) -> Result<Func, Error> {
        let word = self.word();
        self.shared("told", word.clone(), &[word], |parts, func| {
            let fail = parts.fail()?;
            // The function that frees what makes statuses.
            let free = if parts.converter.target().is_windows() { "_aligned_free" } else { "free" };
            let free = parts.library(free, signature(CType::Void, &[CType::PTR]))?;
            parts.object.define(func, |b| {
                let status = b.param(0);
                let (mask, message) = (b.word(CODE_MASK), b.word(!CODE_MASK));
                let code = b.binary(Opcode::And, status, mask);
                let other = b.is_not(code, code::INVALID_ARGUMENT.into());
                b.return_if(other, |_| status);
                let message = b.binary(Opcode::And, status, message);
                b.call(free, &[message]);
                let text = "%s: the runtime has other blocks of arguments: versions before 3.10 are not supported";
                let status = failure(b, fail, code::INCOMPATIBLE, text, "call", &[]);
                b.ret(Some(status));
            })
        })
    }

    /// Adds constant data of the module.
    pub fn constant(&mut self, name: &str, data: Data) -> Result<Global, Error> {
        self.object.data(&format!("iree.module.{name}"), Linkage::Local, data)
    }
}

/// The address of an object's reference count.
fn count_of(b: &mut Body<'_, '_>, object: Value, ty: Value) -> Value {
    let mask = b.word(7);
    let words = b.binary(Opcode::And, ty, mask);
    b.index(object, words, 4)
}

/// Makes a status with a message: `format` contains `%s` for `place` and `%lld` for each of up to three numbers.
pub(super) fn failure(
    b: &mut Body<'_, '_>,
    fail: Func,
    code: u32,
    format: &str,
    place: &str,
    numbers: &[Value],
) -> Value {
    let place = text(b, place);
    failure_at(b, fail, code, format, place, numbers)
}

/// Like [`failure`], with the address of `place`.
pub(super) fn failure_at(
    b: &mut Body<'_, '_>,
    fail: Func,
    code: u32,
    format: &str,
    place: Value,
    numbers: &[Value],
) -> Value {
    let (code, format) = (b.iconst(Type::I32, code.into()), text(b, format));
    let zero = b.iconst(Type::I64, 0);
    let mut args = vec![code, format, place];
    for i in 0..3 {
        let number = numbers.get(i).map_or(zero, |&n| b.resized(n, Type::I64));
        args.push(number);
    }
    b.result(fail, &args)
}

/// Returns an error about an argument if a condition holds: that of [`failure_at`] for the text and the numbers.
pub(super) fn wrong_if(
    b: &mut Body<'_, '_>,
    condition: Value,
    (fail, place): (Func, Value),
    format: &str,
    numbers: &[Value],
) {
    b.return_if(condition, |b| failure_at(b, fail, code::INVALID_ARGUMENT, format, place, numbers));
}

/// Text for C.
pub(super) fn text(b: &mut Body<'_, '_>, text: &str) -> Value {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    b.text(&bytes)
}

/// Calls a function of the host's; references are given by their addresses. Returns the status and the address of the
/// block of results.
pub(super) fn call_host(
    b: &mut Body<'_, '_>,
    call: Func,
    ctx: Value,
    function: &HostFunction,
    args: &[Value],
) -> (Value, Value) {
    let block = b.local(&block_type(&function.args));
    fill_block(b, block, function, args);
    let results = b.local(&block_type(&function.results));
    let (ordinal, args_len) = (b.word(function.ordinal as i64), b.word(function.args.size.into()));
    let results_len = b.word(function.results.size.into());
    (b.result(call, &[ctx, ordinal, block, args_len, results, results_len]), results)
}

/// Like [`call_host`], but returns from the function unless the status is 0.
pub(super) fn host_checked(
    b: &mut Body<'_, '_>,
    call: Func,
    ctx: Value,
    function: &HostFunction,
    args: &[Value],
) -> Value {
    let (status, results) = call_host(b, call, ctx, function, args);
    b.check(status);
    results
}

/// Stores arguments into a block.
pub(super) fn fill_block(b: &mut Body<'_, '_>, block: Value, function: &HostFunction, args: &[Value]) {
    for ((&offset, letter), &arg) in function.args.offsets.iter().zip(&function.letters).zip(args) {
        match letter {
            Letter::Ref => copy_reference(b, arg, block, offset as i32),
            _ => b.store(arg, block, offset as i32),
        }
    }
}

/// Copies a reference to an offset, without counting it.
pub(super) fn copy_reference(b: &mut Body<'_, '_>, from: Value, to: Value, offset: i32) {
    for at in [0, b.word_bytes()] {
        let part = b.load_word(from, at);
        b.store(part, to, offset + at);
    }
}

/// Memory for a block, at least one byte.
pub(super) fn block_type(block: &Block) -> CType {
    CType::array(CType::int(64, false), u64::from(block.size).div_ceil(8).max(1))
}
