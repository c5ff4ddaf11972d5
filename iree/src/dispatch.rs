//! Functions that IREE's devices dispatch: which arguments are passed as constants and which as bindings, and the calls
//! of the C functions.

use crate::device::{MAX_BINDINGS, MAX_CONSTANTS};
use crate::{Class, Dim, Entry, Record, Shape, Storage};
use gusset_abi::memref::{Allocation, Allocator, FunctionType, GLOBAL_ALLOCATED, Part, TypeConverter};
use gusset_abi::{CType, Signature};
use gusset_codegen::ir::{IntCc, Opcode, Type, Value};

use super::module::emit::Code;
use super::module::{Number, element_bytes};
use gusset_compiler::{Error, Func, Linkage, ObjectBuilder};

/// A constant of a dispatch.
#[derive(Clone, Copy)]
pub(super) struct Word {
    /// The constant has 64 bits, otherwise 32.
    pub wide: bool,
    pub what: Meaning,
}

/// The content of a constant.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    /// The bits of a number that is an argument, with zeros above them.
    Number(usize),
    /// A dimension's size of an argument.
    Size { arg: usize, dim: usize },
}

/// A size of an array.
#[derive(Clone, Copy)]
pub(super) enum Size {
    Known(u64),
    /// As this constant says.
    Word(usize),
}

/// An array in a binding.
pub(super) struct Array<'e> {
    /// The array in the public function.
    pub record: &'e Record,
    pub class: Option<Class>,
    /// The sizes of that.
    pub sizes: Vec<Size>,
    /// The sizes of the array that the C function sees.
    seen: Vec<Size>,
    pub binding: usize,
}

/// An argument of the public function.
pub(super) enum Arg<'e> {
    Number(&'e Record),
    Array(Array<'e>),
}

/// A result of the public function.
pub(super) enum Outcome<'e> {
    /// The only element of a binding.
    Number { record: &'e Record, unsigned: bool, binding: usize },
    /// The function gets its memory.
    Passed(Array<'e>),
    /// An array that the function returns, and that is copied to the binding.
    Returned(Array<'e>),
    /// The memory of an argument; if `returned`, the function returns it, too.
    Argument { arg: usize, returned: bool },
}

/// A function that is dispatched.
pub(super) struct Dispatch<'e> {
    pub entry: &'e Entry,
    pub args: Vec<Arg<'e>>,
    pub results: Vec<Outcome<'e>>,
    pub words: Vec<Word>,
    /// For each binding, whether the function writes to it.
    pub bindings: Vec<bool>,
    /// The attributes that callers can query, as keys and values.
    pub attributes: Vec<(String, String)>,
    function: FunctionType,
    signature: Signature,
}

impl<'e> Dispatch<'e> {
    /// How a function is dispatched. `freestanding`: there is no library with C's memory functions.
    pub fn new(entry: &'e Entry, converter: &TypeConverter, freestanding: bool) -> Result<Dispatch<'e>, Error> {
        let fail = |message: String| Error::unsupported(&entry.name, message);
        let function = entry.function_type().map_err(|e| fail(e.to_string()))?;
        let signature = converter.c_interface(&function)?;
        let mut dispatch = Dispatch {
            entry,
            args: Vec::new(),
            results: Vec::new(),
            words: Vec::new(),
            bindings: Vec::new(),
            attributes: entry.attribute_pairs().map_err(|e| fail(e.to_string()))?,
            function,
            signature,
        };
        for (i, record) in entry.reflection.args.iter().enumerate() {
            dispatch.add_arg(i, record).map_err(|message| fail(format!("argument {i}: {message}")))?;
        }
        for (i, record) in entry.reflection.flat_results().into_iter().enumerate() {
            dispatch.add_result(i, record, freestanding).map_err(|message| fail(format!("result {i}: {message}")))?;
        }
        let constants = dispatch.constants();
        if dispatch.results.is_empty() {
            return Err(fail("it has no results, and IREE leaves dispatches out that nothing is taken from".into()));
        }
        if constants > MAX_CONSTANTS {
            let message =
                format!("numbers and sizes are {constants} constants of 32 bits, and IREE takes {MAX_CONSTANTS}");
            return Err(fail(message));
        }
        if dispatch.bindings.len() > MAX_BINDINGS {
            let message = format!("{} arrays and results, and IREE takes {MAX_BINDINGS}", dispatch.bindings.len());
            return Err(fail(message));
        }
        Ok(dispatch)
    }

    /// Number of constants of 32 bits.
    pub fn constants(&self) -> usize {
        self.words.iter().map(|word| if word.wide { 2 } else { 1 }).sum()
    }

    fn binding(&mut self, written: bool) -> usize {
        self.bindings.push(written);
        self.bindings.len() - 1
    }

    fn add_arg(&mut self, i: usize, record: &'e Record) -> Result<(), String> {
        let record = record.unnamed();
        if bits_of(record).is_some() {
            if self.entry.arg(i).seen(record) != record {
                return Err("a number has no other encoding".into());
            }
            let wide = bits_of(record) == Some(64);
            self.words.push(Word { wide, what: Meaning::Number(i) });
            self.args.push(Arg::Number(record));
            return Ok(());
        }
        let mut sizes = Vec::new();
        for (dim, size) in shape(record)?.iter().enumerate() {
            sizes.push(match size {
                Some(size) => Size::Known(*size),
                None => {
                    self.words.push(Word { wide: true, what: Meaning::Size { arg: i, dim } });
                    Size::Word(self.words.len() - 1)
                }
            });
        }
        let seen = seen_sizes(record, &sizes, self.entry.arg(i).seen(record))?;
        let binding = self.binding(false);
        self.args.push(Arg::Array(Array { record, class: self.entry.arg(i).class, sizes, seen, binding }));
        Ok(())
    }

    fn add_result(&mut self, i: usize, record: &'e Record, freestanding: bool) -> Result<(), String> {
        let record = record.unnamed();
        let (storage, class) = (self.entry.storage(i), self.entry.result(i).class);
        let outcome = match storage {
            Storage::Returned if bits_of(record).is_some() => {
                if self.entry.result(i).seen(record) != record {
                    return Err("a number has no other encoding".into());
                }
                Outcome::Number { record, unsigned: class == Some(Class::Unsigned), binding: self.binding(true) }
            }
            Storage::Returned => {
                let sizes = shape(record)?.iter().map(|size| size.map(Size::Known)).collect::<Option<Vec<_>>>();
                let sizes = sizes.ok_or(
                    "an array that the function allocates has a size that is not known before the call; have it passed \
                     as a destination (`gusset.result`)",
                )?;
                if freestanding {
                    return Err(
                        "the function allocates the array, and an embedded executable has no C library: have it \
                                passed as a destination (`gusset.result`), or use the system's loader"
                            .into(),
                    );
                }
                let seen = seen_sizes(record, &sizes, self.entry.result(i).seen(record))?;
                Outcome::Returned(Array { record, class, sizes, seen, binding: self.binding(true) })
            }
            Storage::Passed(dims) => {
                let dims = self.entry.passed_sizes(record, dims)?;
                shape(record)?;
                let sizes = dims.into_iter().map(|dim| self.passed_size(dim)).collect::<Result<Vec<_>, _>>()?;
                let seen = seen_sizes(record, &sizes, self.entry.result(i).seen(record))?;
                Outcome::Passed(Array { record, class, sizes, seen, binding: self.binding(true) })
            }
            Storage::Argument(arg) | Storage::Tied(arg) => {
                let known = match self.args.get(*arg) {
                    Some(Arg::Array(array)) if array.record == record && array.class == class => array.binding,
                    _ => return Err(format!("it has the memory of argument {arg}, which is no array of this type")),
                };
                if std::mem::replace(&mut self.bindings[known], true) {
                    return Err(format!("argument {arg} is the memory of another result already"));
                }
                Outcome::Argument { arg: *arg, returned: matches!(storage, Storage::Tied(_)) }
            }
        };
        self.results.push(outcome);
        Ok(())
    }

    /// A size of an array that the function gets as destination.
    fn passed_size(&self, dim: Dim) -> Result<Size, String> {
        match dim {
            Dim::Known(size) => Ok(Size::Known(size)),
            Dim::Of { arg, dim } => match self.args.get(arg) {
                Some(Arg::Array(array)) => array.sizes.get(dim).copied(),
                _ => None,
            }
            .ok_or_else(|| format!("a size is that of dimension {dim} of argument {arg}, which there is not")),
        }
    }
}

/// Bits of a number that a function can take or return; none if the record is not such a number.
pub(super) fn bits_of(record: &Record) -> Option<u32> {
    match record {
        Record::Integer(bits @ (1 | 8 | 16 | 32 | 64)) | Record::Float(bits @ (16 | 32 | 64)) => Some(*bits),
        Record::Bfloat => Some(16),
        _ => None,
    }
}

/// The sizes of an array.
fn shape(record: &Record) -> Result<&[Option<u64>], String> {
    match record {
        Record::Ndarray { shape: Shape::Ranked(sizes), element } if element.is_number() => Ok(sizes),
        Record::Ndarray { shape: Shape::Unranked, .. } => Err("an array of any rank cannot be dispatched".into()),
        _ => Err(format!("`{record}` cannot be dispatched: numbers and arrays of numbers can")),
    }
}

/// The sizes of the array that the C function sees; those that its record leaves open are the array's, in order.
fn seen_sizes(record: &Record, sizes: &[Size], seen: &Record) -> Result<Vec<Size>, String> {
    let mut dynamic = shape(record)?.iter().zip(sizes).filter(|(size, _)| size.is_none()).map(|(_, size)| *size);
    let of = |size: &Option<u64>| match size {
        Some(size) => Some(Size::Known(*size)),
        None => dynamic.next(),
    };
    let found: Option<Vec<Size>> = shape(seen)?.iter().map(of).collect();
    found
        .filter(|_| dynamic.next().is_none())
        .ok_or_else(|| format!("`{record}` is seen as `{seen}`, which has another number of sizes that are not known"))
}

/// The call of a C function that a dispatch makes, with the layouts that it needs.
pub(super) struct Call<'c, 'e> {
    dispatch: &'c Dispatch<'e>,
    converter: &'c TypeConverter,
    function: Func,
    free: Option<Func>,
    /// The type of the memory for results, if they are returned in memory.
    stored: Option<CType>,
    /// For each result, its offset in that memory.
    places: Vec<i32>,
}

impl<'c, 'e> Call<'c, 'e> {
    /// Declares what is called; functions that another object or the module defines are imports.
    pub fn new(
        allocation: Allocation,
        object: &mut ObjectBuilder<'_>,
        converter: &'c TypeConverter,
        dispatch: &'c Dispatch<'e>,
    ) -> Result<Call<'c, 'e>, Error> {
        let function = object.declare(&dispatch.entry.symbol, dispatch.signature.clone(), Linkage::Import)?;
        let frees = dispatch.results.iter().any(|result| matches!(result, Outcome::Returned(_)));
        let name = allocation.name(Allocator::Free);
        let free = || object.declare(name, Allocator::Free.c_signature(converter), Linkage::Import);
        let free = frees.then(free).transpose()?;
        let results = &dispatch.function.results;
        let in_memory = !results.is_empty() && dispatch.signature.ret.ty == gusset_abi::AbiType::C(CType::Void);
        let stored = if in_memory { Some(converter.c_result(&dispatch.function)?) } else { None };
        let places = match &stored {
            Some(ty) if results.len() > 1 => object.offsets(ty)?,
            _ => vec![0; usize::from(in_memory)],
        };
        Ok(Call { dispatch, converter, function, free, stored, places })
    }

    /// Makes the call. `words` are the constants, of 32 and 64 bits; `bindings` are the addresses of the bindings.
    pub fn make(&self, b: &Code<'_, '_, '_>, words: &[Value], bindings: &[Value]) {
        let results = self.stored.as_ref().map(|stored| b.local(stored));
        let mut args: Vec<Value> = results.into_iter().collect();
        let mut numbers = self.dispatch.words.iter().zip(words).filter_map(|(word, value)| match word.what {
            Meaning::Number(_) => Some(*value),
            Meaning::Size { .. } => None,
        });
        let mut memories = Vec::new();
        for arg in &self.dispatch.args {
            args.push(match arg {
                Arg::Number(record) => number(b, record, numbers.next().unwrap_or_else(|| b.poison(Type::I64))),
                Arg::Array(array) => {
                    let memory = self.describe(b, array, words, bindings[array.binding]);
                    memories.push(bindings[array.binding]);
                    memory
                }
            });
        }
        for result in &self.dispatch.results {
            if let Outcome::Passed(array) = result {
                args.push(self.describe(b, array, words, bindings[array.binding]));
                memories.push(bindings[array.binding]);
            }
        }
        let returned = b.call(self.function, &args);
        let mut place = 0;
        let mut returned_arrays = Vec::new();
        for result in &self.dispatch.results {
            match result {
                Outcome::Passed(_) | Outcome::Argument { returned: false, .. } => continue,
                Outcome::Number { record, binding, .. } => {
                    let ty = value_type(record);
                    let value = match (results, returned) {
                        (Some(memory), _) => b.load_packed(ty, memory, self.places[place]),
                        (None, Some(value)) => value,
                        (None, None) => b.poison(ty),
                    };
                    b.store(value, bindings[*binding], 0);
                }
                Outcome::Returned(array) => {
                    if let Some(memory) = results {
                        let from = b.offset(memory, self.places[place]);
                        self.take(b, array, from, bindings[array.binding], words);
                        returned_arrays.push(from);
                    }
                }
                Outcome::Argument { arg, .. } => {
                    if let (Some(memory), Arg::Array(array)) = (results, &self.dispatch.args[*arg]) {
                        let from = b.offset(memory, self.places[place]);
                        self.take(b, array, from, bindings[array.binding], words);
                    }
                }
            }
            place += 1;
        }
        // The arrays may overlap: none is freed before all are copied, and none twice.
        for from in returned_arrays {
            let allocated = self.give_back(b, from, &memories);
            memories.push(allocated);
        }
    }

    /// The offset of a field that descriptors of all ranks have.
    fn field(&self, part: Part) -> i32 {
        let field = self.converter.ranked(1).ok().and_then(|d| d.fields().find(|f| f.part == part));
        field.map_or(0, |field| field.offset as i32)
    }

    fn index(&self) -> Type {
        Type::int(self.converter.index_bits()).unwrap_or(Type::I64)
    }

    fn size(&self, b: &Code<'_, '_, '_>, size: Size, words: &[Value]) -> Value {
        match size {
            Size::Known(n) => b.iconst(self.index(), n.into()),
            Size::Word(word) => b.resized(words[word], self.index()),
        }
    }

    /// Makes a descriptor of the array at an address.
    fn describe(&self, b: &Code<'_, '_, '_>, array: &Array<'_>, words: &[Value], address: Value) -> Value {
        let rank = array.seen.len() as u32;
        let index = self.index();
        let Ok(descriptor) = self.converter.ranked(rank) else {
            b.with(|b| b.mistake(format!("an array of rank {rank}")));
            return address;
        };
        let layout = descriptor.layout();
        let memory = b.local(&CType::array(index_type(index), layout.size / u64::from(index.bits() / 8)));
        let sizes: Vec<Value> = array.seen.iter().map(|&size| self.size(b, size, words)).collect();
        let mut strides = vec![b.iconst(index, 1)];
        for &size in sizes.iter().skip(1).rev() {
            strides.push(b.mul(strides[strides.len() - 1], size));
        }
        strides.reverse();
        for field in descriptor.fields() {
            let value = match field.part {
                Part::Size(k) => sizes[k as usize],
                Part::Stride(k) => strides[k as usize],
                Part::Offset => b.iconst(index, 0),
                _ => address,
            };
            b.store(value, memory, field.offset as i32);
        }
        memory
    }

    /// Copies an array that the function has returned to its binding, unless it is there already.
    fn take(&self, b: &Code<'_, '_, '_>, array: &Array<'_>, descriptor: Value, to: Value, words: &[Value]) {
        let aligned = b.load_word(descriptor, self.field(Part::Aligned));
        let offset = b.to_word(b.load(self.index(), descriptor, self.field(Part::Offset)));
        let scale = b.word(element_bytes(array.record).unwrap_or(1).into());
        let from = b.add(aligned, b.mul(offset, scale));
        let mut bytes = scale;
        for &size in &array.sizes {
            bytes = b.mul(bytes, b.to_word(self.size(b, size, words)));
        }
        // Byte by byte, because there may be no library to do it.
        b.when(b.icmp(IntCc::Ne, from, to), || {
            b.count(bytes, |at| {
                let byte = b.load(Type::I8, b.add(from, at), 0);
                b.store(byte, b.add(to, at), 0);
            });
        });
    }

    /// Frees the memory of an array that the function has returned, from the address of its allocation, unless it is
    /// one of `known` or a constant's.
    fn give_back(&self, b: &Code<'_, '_, '_>, descriptor: Value, known: &[Value]) -> Value {
        let allocated = b.load_word(descriptor, self.field(Part::Allocated));
        let (constant, done) = (b.word(GLOBAL_ALLOCATED as i64), b.block());
        for &other in known.iter().chain([&constant]) {
            let (same, next) = (b.icmp(IntCc::Eq, allocated, other), b.block());
            b.br(same, done, next);
            b.switch_to(next);
        }
        if let Some(free) = self.free {
            b.call(free, &[allocated]);
        }
        b.jump(done, &[]);
        b.switch_to(done);
        allocated
    }
}

/// The address `bytes` bytes after another; `bytes` has 64 bits.
pub(super) fn address(b: &Code<'_, '_, '_>, base: Value, bytes: Value) -> Value {
    b.add(base, b.to_word(bytes))
}

/// The C type of an index.
fn index_type(index: Type) -> CType {
    CType::int(index.bits() as u16, true)
}

/// The type of a number's value.
fn value_type(record: &Record) -> Type {
    Number::of(record).map_or(Type::I64, Number::c_type)
}

/// The number whose bits a constant has.
fn number(b: &Code<'_, '_, '_>, record: &Record, bits: Value) -> Value {
    let ty = value_type(record);
    let width = if ty == Type::I8 { 8 } else { bits_of(record).unwrap_or(64) };
    let bits = b.resized(bits, Type::int(width).unwrap_or(Type::I64));
    if ty.is_float() { b.convert(Opcode::Bitcast, bits, ty) } else { bits }
}
