//! Functions that may be left without returning: when they fail, or a function that they import does.
//!
//! C has no other way out than `longjmp`. While a call runs, its thread knows its context.

use crate::host::code;
use crate::{Entry, Model, Record};
use gusset_abi::CType;
use gusset_abi::memref::FunctionType;
use gusset_codegen::ir::{Type, Value};

use super::arrays::{Array, known_sizes};
use super::arrays::{Fields, MAX_RANK};
use super::emit::{Code, build_function, signature};
use super::number::Number;
use super::parts::{Context, HostFunction, Parts, block_type, copy_reference};
use gusset_compiler::{Data, Error, Func, Global, Linkage, Visibility};

/// The symbol of `_Noreturn void f(const char *message)`, by which a function of a module fails.
pub(crate) const FAIL: &str = "iree.fail";

/// A trampoline that calls a function so that it can be left.
pub(super) struct Guard {
    current: Global,
    run: Func,
}

impl Guard {
    /// Calls the function; the result is that of the function if it returns. The context's status says whether it
    /// failed.
    pub fn call(&self, b: &Code<'_, '_, '_>, context: Context, ctx: Value, args: &[Value]) -> Option<Value> {
        let current = b.address(self.current);
        b.store(b.load_word(current, 0), ctx, context.previous);
        b.store(ctx, current, 0);
        let returned = b.call(self.run, &[&[ctx], args].concat());
        let current = b.address(self.current);
        b.store(b.load_word(ctx, context.previous), current, 0);
        returned
    }
}

impl Parts<'_, '_> {
    /// The thread-local address of the running call's context, or null.
    fn current(&mut self) -> Result<Global, Error> {
        if let Some(known) = self.current_context {
            return Ok(known);
        }
        let size = self.word_bytes() as u64;
        let data = Data::zeroed(size, size).thread_local(true);
        let global = self.object.data("iree.module.current", Linkage::Local, data)?;
        self.current_context = Some(global);
        Ok(global)
    }

    /// The function that calls `native` so that it can be left: its parameters are the context, then those of `native`.
    pub fn guard(&mut self, number: usize, native: Func) -> Result<Guard, Error> {
        let current = self.current()?;
        let source = self.object.signature_of(native)?;
        let mut guarded = source.clone();
        guarded.params.insert(0, gusset_abi::Param::new(CType::PTR));
        let run = self.object.declare(&format!("iree.module.run.{number}"), guarded, Linkage::Local)?;
        if self.converter.target().is_windows() {
            return Err(Error::unsupported("", "functions that may fail need an ELF system's `setjmp`"));
        }
        let set = self.library("_setjmp", signature(CType::I32, &[CType::PTR]))?;
        build_function(self.object, run, |b, [ctx]| {
            let args: Vec<Value> = (1..=source.params.len()).map(|i| b.param(i)).collect();
            let jump = b.offset(ctx, self.context.jump);
            let Some(left) = b.with(|b| b.call_returning_twice(set, &[jump])) else { return };
            b.when(b.is_not(left, 0), || b.ret_option(b.with(|b| b.zero_result())));
            b.ret_option(b.call(native, &args));
        })?;
        Ok(Guard { current, run })
    }

    /// `_Noreturn void leave(context *, status)`.
    fn leave(&mut self) -> Result<Func, Error> {
        let word = self.word();
        self.shared("leave", CType::Void, &[CType::PTR, word], |parts, func| {
            let jump = parts.library("longjmp", signature(CType::Void, &[CType::PTR, CType::I32]))?;
            build_function(parts.object, func, |b, [ctx, status]| {
                b.store(status, ctx, parts.context.status);
                b.call(jump, &[b.offset(ctx, parts.context.jump), b.iconst(Type::I32, 1)]);
                b.with(|b| b.unreachable());
            })
        })
    }

    /// Defines [`FAIL`]. A thread that the module's function started has no call that could fail: the program ends.
    pub fn define_fail(&mut self) -> Result<(), Error> {
        let (fail, leave, current) = (self.fail()?, self.leave()?, self.current()?);
        let func = self.object.declare(FAIL, signature(CType::Void, &[CType::PTR]), Linkage::Export)?;
        self.object.set_visibility(func, Visibility::Hidden)?;
        let abort = self.library("abort", signature(CType::Void, &[]))?;
        build_function(self.object, func, |b, [message]| {
            let ctx = current_call(b, current, abort);
            b.call(leave, &[ctx, fail.status(b, code::FAILED_PRECONDITION, "%s", message, &[])]);
            b.with(|b| b.unreachable());
        })?;
        Ok(())
    }

    /// Defines the C function of an imported one: it passes its arguments on, and leaves its caller if the call fails.
    /// Returned arrays have memory from `malloc`, which the caller owns.
    pub fn import(&mut self, number: usize, entry: &Entry) -> Result<(), Error> {
        let wrong = |e: crate::Error| Error::unsupported(&entry.name, e.to_string());
        let ty = entry.function_type().map_err(wrong)?;
        let convention = entry.convention().map_err(wrong)?.to_string();
        let function = self.host_function(&entry.name, &convention)?;
        let glue = ImportGlue::new(self, number, entry, &ty, function)?;
        let signature = self.converter.c_interface(&ty)?;
        let func = self.object.declare(&entry.symbol, signature, Linkage::Export)?;
        self.object.set_visibility(func, Visibility::Hidden)?;
        build_function(self.object, func, |b, []| glue.body(b))?;
        Ok(())
    }
}

/// A value of an import.
enum Slot {
    Number(Number),
    Array(Array),
}

/// What the C function of an import consists of.
struct ImportGlue {
    function: HostFunction,
    args: Vec<Slot>,
    results: Vec<Slot>,
    stored: Option<(CType, Vec<i32>)>,
    current: Global,
    call: Func,
    leave: Func,
    release: Func,
    abort: Func,
    arrays: Option<ArrayTools>,
    /// The function that makes the fence to be signalled, and the one that waits for it.
    fences: Option<(Func, Func)>,
    context: Context,
    fields: Fields,
    reference: CType,
    reference_bytes: i32,
    /// A descriptor of any rank.
    descriptor: CType,
}

struct ArrayTools {
    array_in: Func,
    array_out: Func,
    malloc: Func,
}

impl ImportGlue {
    fn new(
        parts: &mut Parts<'_, '_>,
        number: usize,
        entry: &Entry,
        ty: &FunctionType,
        function: HostFunction,
    ) -> Result<ImportGlue, Error> {
        let slot = |parts: &mut Parts<'_, '_>, i: usize, what: &str, record: &Record| -> Result<Slot, Error> {
            let detail = if what == "argument" { entry.arg(i) } else { entry.result(i) };
            if let Some(number) = Number::of_class(record, detail.class) {
                return Ok(Slot::Number(number));
            }
            let place = format!("{}: {what} {i}", entry.name);
            match record.unnamed() {
                record @ Record::Ndarray { element, shape: crate::Shape::Ranked(_) } if element.is_number() => {
                    let name = format!("import.{number}.{what}.{i}");
                    Ok(Slot::Array(parts.array((&name, place), (record, detail.class), detail.seen(record), false)?))
                }
                record => {
                    Err(Error::unsupported(&place, format!("a module cannot pass `{record}` to what it imports")))
                }
            }
        };
        let args = entry.reflection.args.iter().enumerate().map(|(i, record)| slot(parts, i, "argument", record));
        let args = args.collect::<Result<Vec<_>, _>>()?;
        let results = entry.reflection.flat_results().into_iter().enumerate();
        let results = results.map(|(i, record)| slot(parts, i, "result", record)).collect::<Result<Vec<_>, _>>()?;
        let arrays = args.iter().chain(&results).any(|slot| matches!(slot, Slot::Array(_)));
        let word = parts.word();
        Ok(ImportGlue {
            function,
            args,
            results,
            stored: parts.stored(ty)?,
            current: parts.current()?,
            call: parts.call()?,
            leave: parts.leave()?,
            release: parts.release()?,
            abort: parts.library("abort", signature(CType::Void, &[]))?,
            arrays: match arrays {
                true => Some(ArrayTools {
                    array_in: parts.array_in()?,
                    array_out: parts.array_out()?,
                    malloc: parts.library("malloc", signature(CType::PTR, &[word]))?,
                }),
                false => None,
            },
            fences: match entry.model {
                Model::Sync => None,
                Model::CoarseFences => Some((parts.fence_new()?, parts.fence_await()?)),
            },
            context: parts.context,
            fields: parts.fields()?,
            reference: crate::host::Reference::c_type(parts.converter.target()),
            reference_bytes: parts.host.reference.size as i32,
            descriptor: CType::array(CType::U64, parts.converter.ranked(MAX_RANK as u32)?.layout().size.div_ceil(8)),
        })
    }

    fn body(&self, b: &Code<'_, '_, '_>) {
        let ctx = current_call(b, self.current, self.abort);
        let first = usize::from(self.stored.is_some());
        let block = b.local(&block_type(&self.function.args));
        let mut held = Vec::new();
        let mut args = Vec::new();
        for (i, slot) in self.args.iter().enumerate() {
            let v = b.param(first + i);
            args.push(match slot {
                Slot::Number(number) => {
                    number.store(b, v, block, self.function.args.offsets[i]);
                    None
                }
                Slot::Array(array) => {
                    let view = self.view_of(b, ctx, array, v, &held);
                    held.push(view);
                    Some(view)
                }
            });
        }
        if self.fences.is_some() {
            // The fence to wait for is null.
            args.extend([Some(self.null(b)), self.fence(b, ctx, &held)]);
        }
        for (i, view) in args.iter().enumerate() {
            let Some(view) = *view else { continue };
            copy_reference(b, view, block, self.function.args.offsets[i] as i32);
        }
        let size = b.word(self.function.args.size.into());
        let (status, results) = self.function.call_with(b, (self.call, ctx), (block, size));
        for view in &held {
            b.call(self.release, &[*view]);
        }
        let fence = args.last().copied().flatten().zip(self.fences);
        let fence_held: Vec<Value> = fence.iter().map(|(fence, _)| *fence).collect();
        self.check(b, ctx, status, &fence_held);
        if let Some((fence, (_, wait))) = fence {
            let status = b.result(wait, &[ctx, fence]);
            b.call(self.release, &[fence]);
            let given = self.references(b, results);
            self.check(b, ctx, status, &given);
        }
        self.give(b, ctx, results);
    }

    /// A null reference.
    fn null(&self, b: &Code<'_, '_, '_>) -> Value {
        let reference = b.local(&self.reference);
        b.zero(reference, b.word(self.reference_bytes.into()));
        reference
    }

    /// A fence for the function to signal.
    fn fence(&self, b: &Code<'_, '_, '_>, ctx: Value, held: &[Value]) -> Option<Value> {
        let (new, _) = self.fences?;
        let fence = self.null(b);
        self.check(b, ctx, b.result(new, &[ctx, fence]), held);
        Some(fence)
    }

    /// The references in a block of results.
    fn references(&self, b: &Code<'_, '_, '_>, results: Value) -> Vec<Value> {
        let slots = self.results.iter().zip(&self.function.results.offsets);
        let arrays = slots.filter(|(slot, _)| matches!(slot, Slot::Array(_)));
        arrays.map(|(_, &offset)| b.offset(results, offset as i32)).collect()
    }

    /// Leaves unless a status is 0, after releasing references.
    fn check(&self, b: &Code<'_, '_, '_>, ctx: Value, status: Value, held: &[Value]) {
        self.leave_if(b, b.is_not(status, 0), ctx, held, || status);
    }

    /// Leaves with a status if a condition holds, after releasing references.
    fn leave_if(
        &self,
        b: &Code<'_, '_, '_>,
        condition: Value,
        ctx: Value,
        held: &[Value],
        status: impl FnOnce() -> Value,
    ) {
        b.when(condition, || {
            for reference in held {
                b.call(self.release, &[*reference]);
            }
            b.call(self.leave, &[ctx, status()]);
            b.with(|b| b.unreachable());
        });
    }

    /// A view of a copy of a memref.
    fn view_of(&self, b: &Code<'_, '_, '_>, ctx: Value, array: &Array, descriptor: Value, held: &[Value]) -> Value {
        let view = self.null(b);
        let Some(tools) = &self.arrays else { return view };
        let (spec, place) = (b.address(array.spec), b.text(&array.place));
        let rank = b.iconst(Type::I64, array.rank.unwrap_or(0).into());
        let seen = array.seen_spec(b);
        let status = b.result(tools.array_out, &[ctx, spec, seen, place, descriptor, rank, view]);
        self.check(b, ctx, status, held);
        view
    }

    /// Returns the results in a block.
    fn give(&self, b: &Code<'_, '_, '_>, ctx: Value, results: Value) {
        let references = self.references(b, results);
        let stored = self.stored.as_ref().map(|(_, offsets)| (b.param(0), &offsets[..]));
        let mut returned = None;
        for (i, (slot, &offset)) in self.results.iter().zip(&self.function.results.offsets).enumerate() {
            let place = stored.map(|(at, offsets)| b.offset(at, offsets.get(i).copied().unwrap_or_default()));
            match (slot, place) {
                (Slot::Number(number), None) => returned = Some(number.load(b, results, offset)),
                (Slot::Number(number), Some(place)) => b.store(number.load(b, results, offset), place, 0),
                (Slot::Array(array), Some(place)) => {
                    let view = b.offset(results, offset as i32);
                    self.own_copy(b, (ctx, view), array, place, &references);
                }
                (Slot::Array(_), None) => {}
            }
        }
        for reference in references {
            b.call(self.release, &[reference]);
        }
        b.ret_option(returned);
    }

    /// Fills a descriptor with a copy of a view's array, in memory that the caller owns.
    fn own_copy(&self, b: &Code<'_, '_, '_>, (ctx, view): (Value, Value), array: &Array, out: Value, held: &[Value]) {
        let Some(tools) = &self.arrays else { return };
        let (spec, place, rank) = (b.address(array.spec), b.text(&array.place), b.local(&CType::I64));
        // The view may have another rank than what the caller sees.
        let found = if array.seen.is_some() { b.local(&self.descriptor) } else { out };
        let lent = b.load_word(ctx, self.context.lent_count);
        let status = b.result(tools.array_in, &[ctx, view, spec, place, found, rank]);
        b.store(lent, ctx, self.context.lent_count);
        self.check(b, ctx, status, held);
        if let Some((_, sizes)) = &array.seen {
            known_sizes(b, self.fields, out, sizes);
            b.store(b.iconst(self.fields.index, 0), out, self.fields.offset);
        }
        let of = array.seen.as_ref().map_or(spec, |(seen, _)| b.address(*seen));
        let mut bytes = b.to_word(b.load(Type::I64, of, super::arrays::Spec::BYTES));
        for k in 0..array.rank.unwrap_or(0) {
            let size = b.load(self.fields.index, out, self.fields.sizes + k as i32 * self.fields.index_bytes());
            bytes = b.mul(bytes, b.to_word(size));
        }
        let memory = b.result(tools.malloc, &[bytes]);
        let failed = b.and(b.is(memory, 0), b.is_not(bytes, 0));
        self.leave_if(b, failed, ctx, held, || b.word(code::RESOURCE_EXHAUSTED.into()));
        b.copy_bytes(memory, b.load_word(found, self.fields.aligned), bytes);
        b.store(memory, out, self.fields.allocated);
        b.store(memory, out, self.fields.aligned);
    }
}

/// The context of the call that the thread is in. Without one, the program ends.
fn current_call(b: &Code<'_, '_, '_>, current: Global, abort: Func) -> Value {
    let ctx = b.load_word(b.address(current), 0);
    b.when(b.is(ctx, 0), || {
        b.call(abort, &[]);
        b.with(|b| b.unreachable());
    });
    ctx
}
