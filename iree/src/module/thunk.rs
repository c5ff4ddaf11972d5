//! Thunks: from the virtual machine's blocks of arguments and results to calls of C functions.

use crate::host::{Reference, code};
use crate::{Block, Class, Dim, Entry, Model, Record, Shape, Storage, native_type};
use gusset_abi::CType;
use gusset_abi::memref::{BuiltinType, FunctionType};
use gusset_codegen::ir::{IntCc, Type, Value};

use super::arrays::{
    Array, Fields, MAX_RANK, alike, element_bytes, first_element, known_bytes, known_sizes, unranked_at,
};
use super::emit::{Code, build_function};
use super::lists::{ListTools, Reader, Slot};
use super::number::Number;
use super::parts::{Context, Fail, Parts};
use gusset_compiler::{Error, Func, Linkage};

/// Deepest nesting of lists in a module's functions, because each list makes code of its own.
const MAX_DEPTH: usize = 100;

/// What the tables say about an exported function.
pub(super) struct Export {
    pub thunk: Func,
    pub convention: String,
    pub args: Block,
    pub results: Block,
    /// It calls functions that the module imports.
    pub needs_imports: bool,
}

/// How an argument is passed.
enum Passing {
    Number(Number),
    Array(Array),
    /// A list, as a struct.
    List(Slot),
    /// As the address of the reference in the block.
    Reference,
}

/// How a result comes back.
#[derive(Clone)]
enum Giving {
    /// As a value that the function returns.
    Number(Number),
    /// The function returns a memref.
    Returned(Array),
    /// As the memory of argument `arg`, with a new view unless the argument's own can be used. `tied`: bytes of an
    /// element of the memref that the function returns for it, and its name for messages.
    Argument { arg: usize, view: Option<Array>, tied: Option<(u32, String)> },
    /// As memory that is allocated before, of these sizes.
    Passed(Array, Vec<Dim>),
}

/// What a thunk consists of.
struct Plan {
    passing: Vec<Passing>,
    giving: Vec<Giving>,
    args: Block,
    results: Block,
    native: Func,
    /// For results that are returned through a pointer, the first parameter: their C type and the offsets of its
    /// members.
    stored: Option<(CType, Vec<i32>)>,
    fences: bool,
    /// Largest number of memory addresses that are lent to the function at a time.
    lent: u64,
}

impl Parts<'_, '_> {
    /// Makes the thunk of an exported function, `status thunk(stack, table, args, results)`. `number` is its ordinal;
    /// `guarded`: the function may be left when it fails.
    pub fn export(&mut self, number: usize, entry: &Entry, guarded: bool) -> Result<Export, Error> {
        let wrong = |e: crate::Error| Error::unsupported(&entry.name, e.to_string());
        let ty = entry.function_type().map_err(wrong)?;
        let convention = entry.convention().map_err(wrong)?;
        let target = *self.converter.target();
        let (args, results) = (Block::new(&convention.args, &target)?, Block::new(&convention.results, &target)?);
        let signature = self.converter.c_interface(&ty)?;
        let native = self.object.declare(&entry.symbol, signature, Linkage::Import)?;
        let stored = self.stored(&ty)?;
        let (passing, giving) = (self.passing(number, entry)?, self.giving(number, entry)?);
        let in_lists: u64 = passing.iter().map(|p| if let Passing::List(slot) = p { slot.arrays() } else { 1 }).sum();
        let lent = in_lists + 2 * giving.len() as u64 + 1;
        let fences = entry.model == Model::CoarseFences;
        let plan = Plan { passing, giving, args: args.clone(), results: results.clone(), native, stored, fences, lent };
        let with_arrays = |p: &Passing| match p {
            Passing::Array(_) => true,
            Passing::List(slot) => slot.has_arrays(),
            Passing::Number(_) | Passing::Reference => false,
        };
        let uses_arrays =
            plan.passing.iter().any(with_arrays) || plan.giving.iter().any(|g| !matches!(g, Giving::Number(_)));
        let thunk = self.define_thunk(number, plan, guarded)?;
        let needs_imports = uses_arrays || fences || guarded;
        Ok(Export { thunk, convention: convention.to_string(), args, results, needs_imports })
    }

    /// The type of results that are returned through a pointer, and the offsets of its members.
    pub fn stored(&self, ty: &FunctionType) -> Result<Option<(CType, Vec<i32>)>, Error> {
        if self.converter.wrapper(ty)?.stored.is_none() {
            return Ok(None);
        }
        let record = self.converter.c_result(ty)?;
        let offsets = match &record {
            CType::Record(members) if ty.results.len() > 1 => {
                self.layout.record(members)?.bit_offsets.iter().map(|&bits| (bits / 8) as i32).collect()
            }
            _ => vec![0],
        };
        Ok(Some((record, offsets)))
    }

    /// An array of an entry, with its class. `seen` is the array that the C function sees.
    pub fn array(
        &mut self,
        (name, place): (&str, String),
        (view, class): (&Record, Option<Class>),
        seen: &Record,
        written: bool,
    ) -> Result<Array, Error> {
        let spec = self.spec(name, view, class, written)?;
        let rank = match native_type(seen, "").map_err(|e| Error::unsupported(&place, e.to_string()))? {
            BuiltinType::Memref(memref) => Some(memref.rank()),
            BuiltinType::Unranked(_) => None,
            _ => return Err(Error::unsupported(&place, format!("`{seen}` is no array"))),
        };
        let seen = match (alike(view, seen), seen) {
            (true, _) => None,
            (false, Record::Ndarray { shape: Shape::Ranked(sizes), .. })
                if known_bytes(view).is_some() && known_bytes(view) == known_bytes(seen) =>
            {
                Some((
                    self.spec(&format!("{name}.seen"), seen, None, written)?,
                    sizes.iter().flatten().copied().collect(),
                ))
            }
            _ => {
                return Err(Error::unsupported(
                    &place,
                    format!("`{seen}` and `{view}` are not known to have as many bytes"),
                ));
            }
        };
        Ok(Array { spec, rank, seen, place })
    }

    fn passing(&mut self, number: usize, entry: &Entry) -> Result<Vec<Passing>, Error> {
        let count = entry.reflection.flat_results().len();
        let written = |i: usize| {
            (0..count).any(|r| matches!(entry.storage(r), Storage::Argument(arg) | Storage::Tied(arg) if *arg == i))
        };
        let mut all = Vec::new();
        for (i, record) in entry.reflection.args.iter().enumerate() {
            let record = record.unnamed();
            let place = format!("{}: argument {i}", entry.name);
            all.push(match record {
                _ if Number::of(record).is_some() => Number::of(record).map_or(Passing::Reference, Passing::Number),
                Record::Ndarray { element, .. } if element.is_number() => {
                    let (seen, class) = (entry.arg(i).seen(record), entry.arg(i).class);
                    let name = format!("arg.{number}.{i}");
                    Passing::Array(self.array((&name, place), (record, class), seen, written(i))?)
                }
                Record::Null | Record::Unknown => Passing::Reference,
                _ if record.depth() > MAX_DEPTH => {
                    let message = format!("lists are in each other, and C's function gets {MAX_DEPTH} of them at most");
                    return Err(Error::unsupported(&place, message));
                }
                _ => Passing::List(self.slot(&format!("list.{number}.{i}"), &place, record)?),
            });
        }
        Ok(all)
    }

    fn giving(&mut self, number: usize, entry: &Entry) -> Result<Vec<Giving>, Error> {
        let mut all = Vec::new();
        for (i, record) in entry.reflection.flat_results().into_iter().enumerate() {
            let (place, class) = (format!("{}: result {i}", entry.name), entry.result(i).class);
            if let Some(number) = Number::of_class(record, class) {
                all.push(Giving::Number(number));
                continue;
            }
            if !matches!(record, Record::Ndarray { element, .. } if element.is_number()) {
                return Err(Error::unsupported(&place, format!("a module cannot give `{record}`")));
            }
            let seen = entry.result(i).seen(record);
            let name = format!("result.{number}.{i}");
            let array = self.array((&name, place.clone()), (record, class), seen, true)?;
            all.push(match entry.storage(i) {
                Storage::Returned => Giving::Returned(array),
                Storage::Passed(_) if array.seen.is_some() => {
                    return Err(Error::unsupported(&place, "memory that is passed has no encoding of its own"));
                }
                Storage::Passed(dims) => {
                    let dims =
                        entry.passed_sizes(record, dims).map_err(|message| Error::unsupported(&place, message))?;
                    if dims.len() as u64 > MAX_RANK {
                        return Err(Error::unsupported(
                            &place,
                            format!("an array has more than {MAX_RANK} dimensions"),
                        ));
                    }
                    Giving::Passed(array, dims)
                }
                Storage::Argument(arg) | Storage::Tied(arg) => {
                    let given = entry.reflection.args.get(*arg).map(Record::unnamed);
                    let Some(given @ Record::Ndarray { .. }) = given else {
                        return Err(Error::unsupported(
                            &place,
                            format!("argument {arg}, whose memory it has, is no array"),
                        ));
                    };
                    let alike = given == record;
                    let same = alike && entry.arg(*arg).class == class;
                    if !alike && (known_bytes(given).is_none() || known_bytes(given) != known_bytes(record)) {
                        let message =
                            format!("`{record}` and argument {arg}, `{given}`, are not known to have as many bytes");
                        return Err(Error::unsupported(&place, message));
                    }
                    let tied = match entry.storage(i) {
                        Storage::Tied(_) => Some((element_bytes(seen).unwrap_or(1), place)),
                        _ => None,
                    };
                    Giving::Argument { arg: *arg, view: (!same).then_some(array), tied }
                }
            });
        }
        Ok(all)
    }

    fn define_thunk(&mut self, number: usize, plan: Plan, guarded: bool) -> Result<Func, Error> {
        let guard = if guarded { Some(self.guard(number, plan.native)?) } else { None };
        let (word, context, fields) = (self.word(), self.context, self.fields()?);
        let thunk = self.local(&format!("thunk.{number}"), word, &[CType::PTR; 4])?;
        let tools = self.tools(&plan)?;
        let descriptor = |rank: Option<u32>| -> Result<CType, Error> {
            let ty = self.converter.ranked(rank.unwrap_or(MAX_RANK as u32))?.layout();
            Ok(CType::array(CType::U64, ty.size.div_ceil(8)))
        };
        let descriptors = plan.descriptors().map(descriptor).collect::<Result<_, _>>()?;
        let (context_type, reference) = (Context::c_type(guarded), Reference::c_type(self.converter.target()));
        let maker = Maker { plan: &plan, tools, context, context_type, reference, descriptors, fields, guard };
        build_function(self.object, thunk, |b, params| maker.thunk(b, params))
    }

    /// The shared functions that a thunk calls.
    fn tools(&mut self, plan: &Plan) -> Result<Tools, Error> {
        let arrays_in = plan.passing.iter().any(|p| matches!(p, Passing::Array(_)));
        let any = |wanted: fn(&Giving) -> bool| plan.giving.iter().any(wanted);
        let (returned, passed) = (any(|g| matches!(g, Giving::Returned(_))), any(|g| matches!(g, Giving::Passed(..))));
        let other = any(|g| matches!(g, Giving::Argument { view: Some(_), .. }));
        let same = any(|g| matches!(g, Giving::Argument { view: None, .. }));
        let lists = plan.passing.iter().any(|p| matches!(p, Passing::List(_)));
        let list_arrays = plan.passing.iter().any(|p| matches!(p, Passing::List(slot) if slot.has_arrays()));
        let tied = any(|g| matches!(g, Giving::Argument { tied: Some(_), .. }));
        Ok(Tools {
            fail: if tied { Some(self.fail()?) } else { None },
            array_in: if arrays_in { Some(self.array_in()?) } else { None },
            array_out: if returned { Some(self.array_out()?) } else { None },
            free: if returned { Some(self.give_back()?) } else { None },
            array_new: if passed { Some(self.array_new()?) } else { None },
            view_new: if passed { Some(self.view_new()?) } else { None },
            view_again: if other { Some(self.view_again()?) } else { None },
            retain: if same { Some(self.retain()?) } else { None },
            release: if returned || passed || other || same { Some(self.release()?) } else { None },
            lists: if lists { Some((self.list_tools(list_arrays)?, self.scratch_free()?)) } else { None },
            fences: if plan.fences { Some((self.fence_await()?, self.fence_signal()?)) } else { None },
        })
    }
}

impl Plan {
    /// The ranks of a thunk's descriptors: those of arguments, then those of memory that is passed.
    fn descriptors(&self) -> impl Iterator<Item = Option<u32>> + '_ {
        let args = self.passing.iter().filter_map(|p| match p {
            Passing::Array(array) => Some(array.rank),
            _ => None,
        });
        args.chain(self.giving.iter().filter_map(|g| match g {
            Giving::Passed(array, _) => Some(array.rank),
            _ => None,
        }))
    }
}

/// Functions of the module's own.
struct Tools {
    fail: Option<Fail>,
    array_in: Option<Func>,
    array_out: Option<Func>,
    free: Option<Func>,
    array_new: Option<Func>,
    view_new: Option<Func>,
    view_again: Option<Func>,
    retain: Option<Func>,
    release: Option<Func>,
    fences: Option<(Func, Func)>,
    /// The functions that read lists, and the one that frees the memory that they allocate.
    lists: Option<(ListTools, Func)>,
}

/// Makes the body of a thunk.
struct Maker<'p> {
    plan: &'p Plan,
    tools: Tools,
    context: Context,
    fields: Fields,
    context_type: CType,
    reference: CType,
    /// The types of the descriptors in the thunk's frame.
    descriptors: Vec<CType>,
    /// The function that calls the C function so that it can be left.
    guard: Option<super::guard::Guard>,
}

/// The state of a thunk while its body is made.
struct Frame {
    ctx: Value,
    args: Value,
    results: Value,
    /// The block that ends the thunk, and the status, its parameter.
    done: gusset_codegen::ir::Block,
    status: Value,
    /// For each result that is a reference, the reference that this call owns: the view, or the buffer before there is
    /// one.
    held: Vec<Option<Value>>,
    /// Ranks of the arguments that are arrays, by argument.
    ranks: Vec<Option<Value>>,
    /// The descriptors, in order.
    descriptors: Vec<Value>,
}

impl Maker<'_> {
    fn thunk(&self, b: &Code<'_, '_, '_>, params: [Value; 4]) {
        let mut frame = self.begin(b, params);
        if let Some((wait, _)) = self.tools.fences {
            let fence = b.offset(frame.args, self.fence(0));
            self.go_on(b, &frame, b.result(wait, &[frame.ctx, fence]));
        }
        let mut native = Vec::new();
        let stored = self.plan.stored.as_ref().map(|(ty, offsets)| (b.local(ty), &offsets[..]));
        native.extend(stored.map(|s| s.0));
        self.arguments(b, &mut frame, &mut native);
        self.destinations(b, &mut frame, &mut native);
        let returned = match &self.guard {
            Some(guard) => {
                let returned = guard.call(b, self.context, frame.ctx, &native);
                self.go_on(b, &frame, b.load_word(frame.ctx, self.context.status));
                returned
            }
            None => b.call(self.plan.native, &native),
        };
        self.arrays_out(b, &frame, stored);
        if let Some((_, signal)) = self.tools.fences {
            let fence = b.offset(frame.args, self.fence(1));
            self.go_on(b, &frame, b.result(signal, &[frame.ctx, fence]));
        }
        self.results(b, &frame, stored, returned);
        b.jump(frame.done, &[b.word(0)]);
        b.switch_to(frame.done);
        self.end(b, &frame);
    }

    /// The offset of a fence in the arguments.
    fn fence(&self, number: usize) -> i32 {
        self.plan.args.offsets.get(self.plan.passing.len() + number).map_or(0, |&offset| offset as i32)
    }

    fn begin(&self, b: &Code<'_, '_, '_>, [stack, table, args, results]: [Value; 4]) -> Frame {
        let ctx = b.local(&self.context_type);
        b.store(stack, ctx, self.context.stack);
        b.store(table, ctx, self.context.table);
        let none = b.word(0);
        b.store(none, ctx, self.context.status);
        b.store(none, ctx, self.context.lent_count);
        b.store(none, ctx, self.context.scratch);
        b.store(b.word(self.plan.lent as i64), ctx, self.context.lent_room);
        b.store(b.local(&CType::array(CType::PTR, self.plan.lent)), ctx, self.context.lent);
        let done = b.block();
        let status = b.block_param(done, b.word_type());
        let held: Vec<Option<Value>> = self.plan.giving.iter().map(|giving| self.held(b, giving)).collect();
        let ranks = vec![None; self.plan.passing.len()];
        let descriptors = self.descriptors.iter().map(|ty| b.local(ty)).collect();
        Frame { ctx, args, results, done, status, held, ranks, descriptors }
    }

    fn held(&self, b: &Code<'_, '_, '_>, giving: &Giving) -> Option<Value> {
        if matches!(giving, Giving::Number(_)) {
            return None;
        }
        let (reference, none) = (b.local(&self.reference), b.word(0));
        b.store(none, reference, 0);
        b.store(none, reference, b.word_bytes());
        Some(reference)
    }

    /// Continues if the status is 0, otherwise ends with it.
    fn go_on(&self, b: &Code<'_, '_, '_>, frame: &Frame, status: Value) {
        let next = b.block();
        let failed = b.is_not(status, 0);
        b.with(|b| b.br(failed, frame.done, &[status], next, &[]));
        b.switch_to(next);
    }

    fn arguments(&self, b: &Code<'_, '_, '_>, frame: &mut Frame, native: &mut Vec<Value>) {
        let mut descriptors = frame.descriptors.clone().into_iter();
        for (i, (passing, &offset)) in self.plan.passing.iter().zip(&self.plan.args.offsets).enumerate() {
            match passing {
                Passing::Number(number) => native.push(number.load(b, frame.args, offset)),
                Passing::Reference => native.push(b.offset(frame.args, offset as i32)),
                Passing::List(slot) => {
                    let Some((tools, _)) = self.tools.lists else { continue };
                    let go_on = |b: &Code<'_, '_, '_>, status| self.go_on(b, frame, status);
                    let reader = Reader { tools, ctx: frame.ctx, go_on: &go_on };
                    native.push(reader.list(b, slot, b.offset(frame.args, offset as i32)));
                }
                Passing::Array(array) => {
                    let (Some(descriptor), Some(array_in)) = (descriptors.next(), self.tools.array_in) else {
                        continue;
                    };
                    let (view, rank) = (b.offset(frame.args, offset as i32), b.local(&CType::I64));
                    let (spec, place) = (b.address(array.spec), b.text(&array.place));
                    self.go_on(b, frame, b.result(array_in, &[frame.ctx, view, spec, place, descriptor, rank]));
                    frame.ranks[i] = Some(rank);
                    if let Some((_, sizes)) = &array.seen {
                        known_sizes(b, self.fields, descriptor, sizes);
                    }
                    native.push(match array.rank {
                        Some(_) => descriptor,
                        None => unranked(b, self.fields, rank, descriptor),
                    });
                }
            }
        }
    }

    /// Allocates the memory of results that are passed.
    fn destinations(&self, b: &Code<'_, '_, '_>, frame: &mut Frame, native: &mut Vec<Value>) {
        let before = self.plan.passing.iter().filter(|p| matches!(p, Passing::Array(_))).count();
        let mut descriptors = frame.descriptors.clone().into_iter().skip(before);
        for (i, giving) in self.plan.giving.iter().enumerate() {
            let Giving::Passed(array, dims) = giving else { continue };
            let (Some(descriptor), Some(array_new)) = (descriptors.next(), self.tools.array_new) else { continue };
            let (Some(view_new), Some(release)) = (self.tools.view_new, self.tools.release) else { continue };
            let sizes = b.local(&CType::array(CType::I64, dims.len().max(1) as u64));
            for (k, dim) in dims.iter().enumerate() {
                let size = match *dim {
                    Dim::Known(n) => b.iconst(Type::I64, n.into()),
                    Dim::Of { arg, dim } => self.size_of(b, frame, arg, dim),
                };
                b.store(size, sizes, 8 * k as i32);
            }
            let (spec, rank) = (b.address(array.spec), b.iconst(Type::I64, dims.len() as i128));
            let (buffer, data) = (b.local(&self.reference), b.offset(descriptor, self.fields.aligned));
            b.zero(buffer, b.word(2 * i64::from(b.word_bytes())));
            let status = b.result(array_new, &[frame.ctx, spec, sizes, rank, buffer, data]);
            // The view keeps the buffer; without a view the buffer is freed.
            let Some(held) = frame.held[i] else { continue };
            let (made, after) = (b.block(), b.block());
            let outcome = b.block_param(after, b.word_type());
            let failed = b.is_not(status, 0);
            b.with(|b| b.br(failed, after, &[status], made, &[]));
            b.switch_to(made);
            b.jump(after, &[b.result(view_new, &[frame.ctx, spec, sizes, rank, buffer, held])]);
            b.switch_to(after);
            b.call(release, &[buffer]);
            self.go_on(b, frame, outcome);
            dense(b, self.fields, descriptor, sizes, dims.len());
            native.push(match array.rank {
                Some(_) => descriptor,
                None => {
                    let at = b.local(&CType::I64);
                    b.store(rank, at, 0);
                    unranked(b, self.fields, at, descriptor)
                }
            });
        }
    }

    /// The size of an argument in a dimension.
    fn size_of(&self, b: &Code<'_, '_, '_>, frame: &Frame, arg: usize, dim: usize) -> Value {
        let at = self.fields.sizes + dim as i32 * self.fields.index_bytes();
        b.resized(b.load(self.fields.index, frame.descriptors[self.descriptor_of(arg)], at), Type::I64)
    }

    /// Makes views of results that are arrays, and releases what the function returned.
    fn arrays_out(&self, b: &Code<'_, '_, '_>, frame: &Frame, stored: Option<(Value, &[i32])>) {
        let mut outcome: Option<Value> = None;
        let mut given = Vec::new();
        // The index among the results that the function returns.
        let mut returned = 0;
        for (giving, held) in self.plan.giving.iter().zip(&frame.held) {
            match giving {
                Giving::Number(_) => returned += 1,
                Giving::Passed(..) => {}
                Giving::Argument { arg, view, tied } => {
                    let Some(held) = *held else { continue };
                    if let (Some(tied), Some((at, offsets))) = (tied, stored) {
                        let place = b.offset(at, offsets.get(returned).copied().unwrap_or_default());
                        let status = self.same_memory(b, frame, *arg, place, tied);
                        outcome = status.map(|status| first_failure(b, outcome, status)).or(outcome);
                        returned += 1;
                    }
                    let argument = b.offset(frame.args, self.plan.args.offsets[*arg] as i32);
                    match (view, self.tools.view_again, self.tools.retain) {
                        (Some(array), Some(again), _) => {
                            let status = b.result(again, &[frame.ctx, argument, b.address(array.spec), held]);
                            outcome = Some(first_failure(b, outcome, status));
                        }
                        (_, _, Some(retain)) => {
                            b.call(retain, &[argument, held]);
                        }
                        _ => {}
                    }
                }
                Giving::Returned(array) => {
                    let (Some(held), Some(array_out)) = (*held, self.tools.array_out) else { continue };
                    let Some((at, offsets)) = stored else { continue };
                    let place = b.offset(at, offsets.get(returned).copied().unwrap_or_default());
                    returned += 1;
                    let (descriptor, rank) = match array.rank {
                        Some(rank) => (place, b.iconst(Type::I64, rank.into())),
                        None => unranked_parts(b, self.fields, place),
                    };
                    let (spec, name) = (b.address(array.spec), b.text(&array.place));
                    let seen = array.seen_spec(b);
                    let status = b.result(array_out, &[frame.ctx, spec, seen, name, descriptor, rank, held]);
                    outcome = Some(first_failure(b, outcome, status));
                    given.push((descriptor, array.rank.is_none()));
                }
            }
        }
        if let Some(free) = self.tools.free {
            for (descriptor, unranked) in given {
                b.call(free, &[frame.ctx, b.load_word(descriptor, self.fields.allocated)]);
                if unranked {
                    // The descriptor has memory of its own (MLIR, "Unranked MemRef Types").
                    b.call(free, &[frame.ctx, descriptor]);
                }
            }
        }
        if let Some(outcome) = outcome {
            self.go_on(b, frame, outcome);
        }
    }

    /// Fails unless a memref that the function returned begins where the argument does.
    fn same_memory(
        &self,
        b: &Code<'_, '_, '_>,
        frame: &Frame,
        arg: usize,
        returned: Value,
        (bytes, place): &(u32, String),
    ) -> Option<Value> {
        let fail = self.tools.fail?;
        let bytes = b.word((*bytes).into());
        let its = b.load_word(frame.descriptors[self.descriptor_of(arg)], self.fields.aligned);
        let same = b.icmp(IntCc::Eq, its, first_element(b, self.fields, returned, bytes));
        let outcome = b.local(&CType::PTR);
        b.store(b.word(0), outcome, 0);
        let (fails, after) = (b.block(), b.block());
        b.br(same, after, fails);
        b.switch_to(fails);
        let number = b.word(arg as i64);
        let text = "%s is tied to argument %lld, and is other memory";
        b.store(fail.status(b, code::FAILED_PRECONDITION, text, b.text(place), &[number]), outcome, 0);
        b.jump(after, &[]);
        b.switch_to(after);
        Some(b.load_word(outcome, 0))
    }

    /// The index of an argument's descriptor.
    fn descriptor_of(&self, arg: usize) -> usize {
        self.plan.passing[..arg].iter().filter(|p| matches!(p, Passing::Array(_))).count()
    }

    /// Stores all results into their block; nothing fails after this.
    fn results(&self, b: &Code<'_, '_, '_>, frame: &Frame, stored: Option<(Value, &[i32])>, returned: Option<Value>) {
        let mut number = 0;
        for ((giving, held), &offset) in self.plan.giving.iter().zip(&frame.held).zip(&self.plan.results.offsets) {
            if let Giving::Number(of) = giving {
                let from = |(at, offsets): (Value, &[i32])| {
                    b.load(of.c_type(), at, offsets.get(number).copied().unwrap_or_default())
                };
                if let Some(v) = stored.map(from).or(returned) {
                    of.store(b, v, frame.results, offset);
                }
            }
            if let Some(held) = *held {
                for at in [0, b.word_bytes()] {
                    b.store_packed(b.load_word(held, at), frame.results, offset as i32 + at);
                    b.store(b.word(0), held, at);
                }
            }
            let tied = matches!(giving, Giving::Argument { tied: Some(_), .. });
            number += usize::from(tied || matches!(giving, Giving::Number(_) | Giving::Returned(_)));
        }
    }

    /// Releases what the call holds, and returns the status.
    fn end(&self, b: &Code<'_, '_, '_>, frame: &Frame) {
        if let Some(release) = self.tools.release {
            for held in frame.held.iter().flatten() {
                b.call(release, &[*held]);
            }
        }
        if let Some((_, free)) = self.tools.lists {
            b.call(free, &[frame.ctx]);
        }
        b.ret(frame.status);
    }
}

/// The first of two statuses that is not 0.
fn first_failure(b: &Code<'_, '_, '_>, first: Option<Value>, then: Value) -> Value {
    first.map_or(then, |first| b.select(b.is_not(first, 0), first, then))
}

/// Completes a descriptor whose `aligned` is set: a dense array, with 64-bit sizes.
fn dense(b: &Code<'_, '_, '_>, fields: Fields, descriptor: Value, sizes: Value, rank: usize) {
    b.store(b.load_word(descriptor, fields.aligned), descriptor, fields.allocated);
    b.store(b.iconst(fields.index, 0), descriptor, fields.offset);
    let each = fields.index_bytes();
    let mut stride = b.iconst(fields.index, 1);
    for k in (0..rank).rev() {
        let size = b.resized(b.load(Type::I64, sizes, 8 * k as i32), fields.index);
        b.store(size, descriptor, fields.sizes + k as i32 * each);
        b.store(stride, descriptor, fields.sizes + (rank + k) as i32 * each);
        stride = b.mul(stride, size);
    }
}

/// An unranked descriptor of a ranked one, whose rank is at an address.
fn unranked(b: &Code<'_, '_, '_>, fields: Fields, rank: Value, descriptor: Value) -> Value {
    let at = b.local(&CType::array(CType::U64, 2));
    unranked_at(b, fields, rank, descriptor, at);
    at
}

/// The address of the ranked descriptor of an unranked one, and its rank.
fn unranked_parts(b: &Code<'_, '_, '_>, fields: Fields, at: Value) -> (Value, Value) {
    let rank = b.load(fields.index, at, 0);
    (b.load_word(at, fields.index_bytes().max(b.word_bytes())), b.resized(rank, Type::I64))
}
