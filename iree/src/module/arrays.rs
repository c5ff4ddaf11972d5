//! Arrays: conversion between the host's buffer views and descriptors of memrefs.

use crate::host::code;
use crate::{Class, Record, Shape};
use gusset_abi::memref::{Float8, GLOBAL_ALLOCATED, Part};
use gusset_abi::{CType, Scalar};
use gusset_codegen::ir::{IntCc, Opcode, Type, Value};

use super::emit::{Code, build_function, signature};
use super::hal::Hal;
use super::parts::{Context, Fail, Parts, wrong_if};
use gusset_compiler::{Data, Error, Func, Global};

/// Arrays have no more dimensions.
pub(super) const MAX_RANK: u64 = 32;

/// The usage of buffers: transfers, dispatches, mapping; and their memory: visible to host and device, cached.
const USAGE: i64 = 0x0900_0C03;
const MEMORY_TYPE: i64 = 0x56;
/// The mode of a mapping: it lasts as long as the buffer.
const MAP_PERSISTENT: i64 = 2;
/// The accesses of a mapping: to read, to write, to write without reading the previous content.
const READ: i64 = 1;
const WRITE: i64 = 2;
const DISCARD: i64 = 4;
/// The elements of a view are dense and in row-major order.
const DENSE: i64 = 1;
/// Alignment of memory that is allocated without a device, in bytes.
const INLINE_ALIGN: i64 = 64;

/// Expectations of an array, as constant data of 64-bit numbers: the rank or -1; the element type's mask, value and
/// bytes, and the element type of a result; the accesses of the mapping; the sizes, -1 for any.
#[derive(Clone, Copy)]
pub(super) struct Spec;

impl Spec {
    pub const RANK: i32 = 0;
    const MASK: i32 = 8;
    const VALUE: i32 = 16;
    pub const BYTES: i32 = 24;
    const RESULT: i32 = 32;
    const ACCESS: i32 = 40;
    const SIZES: i32 = 48;
}

/// An element type of the host.
struct Element {
    mask: u32,
    value: u32,
    bytes: u32,
}

impl Element {
    /// The signs of integers do not matter in arguments; booleans are a type of their own.
    fn of(record: &Record, class: Option<Class>) -> Option<Element> {
        const ALL: u32 = u32::MAX;
        const SIGNS: u32 = 0x0300_0000;
        let (mask, value, bytes) = match (record, class) {
            (Record::Integer(1), None) => (ALL, 0x1300_0008, 1),
            (Record::Integer(8), Some(Class::Float8(format))) => (ALL, float8(format)?, 1),
            (Record::Integer(bits @ (8 | 16 | 32 | 64)), class) => {
                let sign = match class {
                    Some(Class::Signed) => 0x0100_0000,
                    Some(Class::Unsigned) => 0x0200_0000,
                    _ => 0,
                };
                (!SIGNS, 0x1000_0000 | sign | bits, bits / 8)
            }
            (Record::Float(bits @ (16 | 32 | 64)), None) => (ALL, 0x2100_0000 | bits, bits / 8),
            (Record::Bfloat, None) => (ALL, 0x2200_0010, 2),
            (Record::Complex(bits @ (32 | 64)), None) => (ALL, 0x2300_0000 | (2 * bits), bits / 4),
            _ => return None,
        };
        Some(Element { mask, value, bytes })
    }
}

/// The 8-bit formats that the runtime has.
fn float8(format: Float8) -> Option<u32> {
    Some(match format {
        Float8::E5M2 => 0x2400_0008,
        Float8::E4M3Fn => 0x2500_0008,
        Float8::E5M2FnUz => 0x2600_0008,
        Float8::E4M3FnUz => 0x2700_0008,
        Float8::E8M0FnU => 0x2800_0008,
        Float8::E4M3 | Float8::E4M3B11FnUz | Float8::E3M4 => return None,
    })
}

/// Whether the runtime has arrays of such elements.
pub(crate) fn has_arrays_of(element: &Record, class: Option<Class>) -> bool {
    Element::of(element, class).is_some()
}

/// Bytes of an element of an array.
pub(crate) fn element_bytes(record: &Record) -> Option<u32> {
    let Record::Ndarray { element, .. } = record else { return None };
    Some(Element::of(element, None)?.bytes)
}

/// Bytes of an array, if its sizes are known.
pub(crate) fn known_bytes(record: &Record) -> Option<u64> {
    let Record::Ndarray { element, shape: Shape::Ranked(sizes) } = record else { return None };
    let bytes = Element::of(element, None)?.bytes.into();
    sizes.iter().try_fold(bytes, |product: u64, size| product.checked_mul((*size)?))
}

/// Whether the memref of the array `view` can be passed to a function that sees `seen`: the ranks, the bytes of an
/// element and the sizes that `seen` knows are equal.
pub(crate) fn alike(view: &Record, seen: &Record) -> bool {
    let sizes = |record: &Record| match record {
        Record::Ndarray { shape: Shape::Ranked(sizes), .. } => Some(sizes.clone()),
        _ => None,
    };
    let fits = |view: Vec<Option<u64>>, seen: Vec<Option<u64>>| {
        view.len() == seen.len() && view.iter().zip(&seen).all(|(view, seen)| seen.is_none() || view == seen)
    };
    let same_sizes = || sizes(view).zip(sizes(seen)).is_some_and(|(view, seen)| fits(view, seen));
    view == seen || element_bytes(view).is_some() && element_bytes(view) == element_bytes(seen) && same_sizes()
}

/// The offsets of a descriptor's fields, which are the same for all ranks, and the type of sizes and strides.
#[derive(Clone, Copy)]
pub(super) struct Fields {
    pub allocated: i32,
    pub aligned: i32,
    pub offset: i32,
    pub sizes: i32,
    pub index: Type,
}

impl Fields {
    pub fn index_bytes(self) -> i32 {
        (self.index.bits() / 8) as i32
    }
}

/// An array that a thunk passes on.
#[derive(Clone)]
pub(super) struct Array {
    pub spec: Global,
    /// None if it is unranked.
    pub rank: Option<u32>,
    /// The array that the function sees and its sizes, if it differs from the view's.
    pub seen: Option<(Global, Vec<u64>)>,
    /// What the array is, for messages.
    pub place: String,
}

impl Array {
    /// The address of the data of the array that the function sees, or null if that is the view's.
    pub fn seen_spec(&self, b: &Code<'_, '_, '_>) -> Value {
        match &self.seen {
            Some((seen, _)) => b.address(*seen),
            None => b.word(0),
        }
    }
}

impl Parts<'_, '_> {
    pub fn fields(&self) -> Result<Fields, Error> {
        let descriptor = self.converter.ranked(1)?;
        let at = |part| descriptor.fields().find(|f| f.part == part).map_or(0, |f| f.offset as i32);
        Ok(Fields {
            allocated: at(Part::Allocated),
            aligned: at(Part::Aligned),
            offset: at(Part::Offset),
            sizes: at(Part::Size(0)),
            index: Type::int(self.converter.index_bits()).unwrap_or(Type::I64),
        })
    }

    /// The data of an array's [`Spec`]. `written`: the function writes to the array.
    pub fn spec(&mut self, name: &str, record: &Record, class: Option<Class>, written: bool) -> Result<Global, Error> {
        let Record::Ndarray { element, shape } = record else {
            return Err(Error::unsupported(name, format!("`{record}` is no array")));
        };
        let Some(of) = Element::of(element, class) else {
            let class = class.map_or("", |class| match class {
                Class::Signed => " with a sign",
                Class::Unsigned => " without a sign",
                Class::Float8(_) => " that are floating-point numbers",
            });
            return Err(Error::unsupported(name, format!("the runtime has no arrays of `{element}`{class}")));
        };
        let access = READ | if written { WRITE } else { 0 };
        let (rank, sizes): (i64, &[Option<u64>]) = match shape {
            Shape::Unranked => (-1, &[]),
            Shape::Ranked(sizes) if sizes.len() as u64 <= MAX_RANK => (sizes.len() as i64, sizes),
            Shape::Ranked(_) => {
                return Err(Error::unsupported(name, format!("an array has more than {MAX_RANK} dimensions")));
            }
        };
        let mut numbers =
            vec![rank, of.mask.into(), (of.value & of.mask).into(), of.bytes.into(), of.value.into(), access];
        numbers.extend(sizes.iter().map(|size| size.map_or(-1, |n| i64::try_from(n).unwrap_or(i64::MAX))));
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        self.constant(name, Data::constant(bytes).aligned(8))
    }

    /// `status map(context *, reference *buffer, u64 access, u64 bytes, void **data)`: stores the address of a buffer's
    /// bytes.
    fn map(&mut self) -> Result<Func, Error> {
        let params = [CType::PTR, CType::PTR, CType::U64, CType::U64, CType::PTR];
        let word = self.word();
        self.shared("map", word.clone(), &params, |parts, func| match parts.hal {
            Hal::Device => parts.define_device_map(func),
            Hal::Inline => parts.define_inline_map(func),
        })
    }

    /// Calls the buffer's own function, because the host offers none. The buffer's layout is private, and is checked
    /// before use.
    fn define_device_map(&mut self, func: Func) -> Result<Func, Error> {
        let (call, fail) = (self.call()?, self.fail()?);
        let length = self.hal_function("buffer.length", "0r_I")?;
        let (host, word) = (self.host, self.word());
        let params = [CType::PTR, CType::U32, CType::U16, CType::U64, CType::U64, CType::PTR];
        let map_range = signature(word, &params);
        let empty = self.empty()?;
        build_function(self.object, func, |b, [ctx, buffer, access, wanted, out]| {
            let said = b.load(Type::I64, length.checked(b, (call, ctx), &[buffer]), 0);
            let object = b.load_word(buffer, host.reference.object);
            let len = b.load(Type::I64, object, host.buffer.len);
            let unknown = || {
                let text = "%s: this runtime lays its buffers out otherwise than versions 3.10 to 3.13";
                fail.status(b, code::FAILED_PRECONDITION, text, b.text("map"), &[])
            };
            b.return_if(b.icmp(IntCc::Ne, said, len), unknown);
            let root = b.load_word(object, host.buffer.root);
            b.return_if(b.icmp(IntCc::Ne, root, b.load_word(root, host.buffer.root)), unknown);
            too_short(b, fail, len, wanted);
            nothing(b, empty, wanted, out);
            let table = b.load_word(root, host.buffer.table);
            let function = b.load_word(table, host.buffer_table.map_range);
            let mapping = b.local(&CType::array(CType::U64, 8));
            b.zero(mapping, b.word(64));
            let offset = b.load(Type::I64, object, host.buffer.offset);
            let mode = b.iconst(Type::I32, MAP_PERSISTENT.into());
            let access = b.resized(access, Type::I16);
            b.check(b.result_of(function, map_range, &[root, mode, access, offset, len, mapping]));
            b.store(b.load_word(mapping, 0), out, 0);
        })
    }

    /// Uses the virtual machine's memory, whose layout is public.
    fn define_inline_map(&mut self, func: Func) -> Result<Func, Error> {
        let (call, fail, release) = (self.call()?, self.fail()?, self.release()?);
        let storage = self.hal_function("buffer.storage", "0r_r")?;
        let empty = self.empty()?;
        build_function(self.object, func, |b, [ctx, buffer, _, wanted, out]| {
            let memory = storage.checked(b, (call, ctx), &[buffer]);
            let object = b.load_word(memory, self.host.reference.object);
            let data = b.load_word(object, self.host.memory.data + self.host.view.data);
            let len = b.resized(b.load_word(object, self.host.memory.data + self.host.view.len), Type::I64);
            // The buffer keeps the memory.
            b.call(release, &[memory]);
            too_short(b, fail, len, wanted);
            nothing(b, empty, wanted, out);
            b.store(data, out, 0);
        })
    }

    /// The address that empty arrays have.
    fn empty(&mut self) -> Result<Global, Error> {
        self.constant("empty", Data::zeroed(64, 64).read_only(true))
    }

    /// `status array_in(context *, const reference *view, const spec *, const char *where, descriptor *out, i64
    /// *rank)`: fills in the descriptor of an array that is an argument.
    pub fn array_in(&mut self) -> Result<Func, Error> {
        let params = [CType::PTR; 6];
        self.shared("array_in", self.word(), &params, |parts, func| {
            let (call, fail, release, map) = (parts.call()?, parts.fail()?, parts.release()?, parts.map()?);
            let told = parts.explained()?;
            let of_rank = parts.hal_function("buffer_view.rank", "0r_i")?;
            let of_dim = parts.hal_function("buffer_view.dim", "0ri_I")?;
            let of_element = parts.hal_function("buffer_view.element_type", "0r_i")?;
            let of_buffer = parts.hal_function("buffer_view.buffer", "0r_r")?;
            let (host, context, fields) = (parts.host, parts.context, parts.fields()?);
            build_function(parts.object, func, |b, [ctx, view, spec, place, out, rank_out]| {
                let (at, call) = ((fail, place), (call, ctx));
                let object = b.load_word(view, host.reference.object);
                wrong_if(b, b.is(object, 0), at, "%s is null", &[]);
                let rank = b.load(Type::I32, of_rank.checked(b, call, &[view]), 0);
                let rank = b.resized(rank, Type::I64);
                check_rank(b, at, spec, rank);
                b.store(rank, rank_out, 0);
                let element = b.load(Type::I32, of_element.checked(b, call, &[view]), 0);
                check_element(b, at, spec, element);
                let count = b.to_word(rank);
                b.count(count, |i| {
                    let (status, results) = of_dim.call(b, call, &[view, b.resized(i, Type::I32)]);
                    b.checked(told, &[status]);
                    let size = b.load(Type::I64, results, 0);
                    check_size(b, at, spec, i, size);
                    let size = index_of(b, at, fields, size);
                    b.store(size, b.index(out, i, fields.index_bytes()), fields.sizes);
                });
                let product = dense_strides(b, fields, out, count);
                product.by(b, b.load(Type::I64, spec, Spec::BYTES));
                let bytes = product.total(b, at);
                let buffer = of_buffer.checked(b, call, &[view]);
                let data = b.offset(out, fields.aligned);
                let status = b.result(map, &[ctx, buffer, b.load(Type::I64, spec, Spec::ACCESS), bytes, data]);
                // The view keeps the buffer.
                b.call(release, &[buffer]);
                b.check(status);
                let data = b.load_word(out, fields.aligned);
                b.store(data, out, fields.allocated);
                b.store(b.iconst(fields.index, 0), out, fields.offset);
                lend(b, context, ctx, data);
            })
        })
    }

    /// `status array_new(context *, const spec *, const i64 *sizes, i64 rank, reference *buffer, void **data)`:
    /// allocates an array that becomes a result.
    pub fn array_new(&mut self) -> Result<Func, Error> {
        let params = [CType::PTR, CType::PTR, CType::PTR, CType::I64, CType::PTR, CType::PTR];
        self.shared("array_new", self.word(), &params, |parts, func| {
            let (map, allocate, fail) = (parts.map()?, parts.allocate()?, parts.fail()?);
            build_function(parts.object, func, |b, [ctx, spec, sizes, rank, buffer, data]| {
                let product = Product::new(b, b.load(Type::I64, spec, Spec::BYTES));
                b.count(b.to_word(rank), |i| product.by(b, b.load(Type::I64, b.index(sizes, i, 8), 0)));
                let bytes = product.total(b, (fail, b.text("a result")));
                b.checked(allocate, &[ctx, bytes, buffer]);
                let access = b.iconst(Type::I64, (READ | WRITE | DISCARD).into());
                b.checked(map, &[ctx, buffer, access, bytes, data]);
                lend(b, parts.context, ctx, b.load_word(data, 0));
            })
        })
    }

    /// `status allocate(context *, i64 bytes, reference *buffer)`.
    fn allocate(&mut self) -> Result<Func, Error> {
        let params = [CType::PTR, CType::I64, CType::PTR];
        let word = self.word();
        self.shared("allocate", word, &params, |parts, func| {
            let (call, release, retain) = (parts.call()?, parts.release()?, parts.retain()?);
            let reference = parts.host.reference.size as i32;
            if parts.hal == Hal::Inline {
                let (allocate, told) = (parts.hal_function("buffer.allocate", "0iI_rr")?, parts.explained()?);
                return build_function(parts.object, func, |b, [ctx, bytes, out]| {
                    let align = b.iconst(Type::I32, INLINE_ALIGN.into());
                    let (status, results) = allocate.call(b, (call, ctx), &[align, bytes]);
                    b.checked(told, &[status]);
                    b.call(retain, &[results, out]);
                    b.call(release, &[results]);
                    b.call(release, &[b.offset(results, reference)]);
                });
            }
            let device = parts.hal_function("devices.get", "0i_r")?;
            let allocator = parts.hal_function("device.allocator", "0r_r")?;
            let allocate = parts.hal_function("allocator.allocate", "0rIiiI_r")?;
            build_function(parts.object, func, |b, [ctx, bytes, out]| {
                let device_ref = device.checked(b, (call, ctx), &[b.iconst(Type::I32, 0)]);
                let (status, allocator_ref) = allocator.call(b, (call, ctx), &[device_ref]);
                b.call(release, &[device_ref]);
                b.check(status);
                let (anywhere, kind) = (b.iconst(Type::I64, -1), b.iconst(Type::I32, MEMORY_TYPE.into()));
                let args = [allocator_ref, anywhere, kind, b.iconst(Type::I32, USAGE.into()), bytes];
                let (status, buffer) = allocate.call(b, (call, ctx), &args);
                b.call(release, &[allocator_ref]);
                b.check(status);
                b.call(retain, &[buffer, out]);
                b.call(release, &[buffer]);
            })
        })
    }

    /// `status view_new(context *, const spec *, const i64 *sizes, i64 rank, const reference *buffer, reference
    /// *view)`: makes a view of a buffer from its first byte.
    pub fn view_new(&mut self) -> Result<Func, Error> {
        let params = [CType::PTR, CType::PTR, CType::PTR, CType::I64, CType::PTR, CType::PTR];
        self.shared("view_new", self.word(), &params, |parts, func| {
            let (call, release, retain) = (parts.call()?, parts.release()?, parts.retain()?);
            let told = parts.explained()?;
            let length = parts.hal_function("buffer.length", "0r_I")?;
            let create = parts.hal_function("buffer_view.create", "0rIIiiCID_r")?;
            let eight = parts.layout.scalar(Scalar::Int { bits: 64, signed: false })?.align;
            // The sizes follow their count.
            let count_at = create.args.offsets.last().copied().unwrap_or_default();
            let sizes_at = (count_at + 4).next_multiple_of(eight);
            build_function(parts.object, func, |b, [ctx, spec, sizes, rank, buffer, out]| {
                let len = b.load(Type::I64, length.checked(b, (call, ctx), &[buffer]), 0);
                let block = b.local(&CType::array(CType::U64, u64::from(sizes_at).div_ceil(8) + MAX_RANK));
                let (start, encoding) = (b.iconst(Type::I64, 0), b.iconst(Type::I32, DENSE.into()));
                let (element, count) = (b.load(Type::I32, spec, Spec::RESULT), b.resized(rank, Type::I32));
                create.fill(b, block, &[buffer, start, len, element, encoding, count]);
                let after = b.offset(block, sizes_at as i32);
                let bytes = b.mul(b.to_word(rank), b.word(8));
                b.copy_bytes(after, sizes, bytes);
                let (status, results) = create.call_with(b, (call, ctx), (block, b.offset(bytes, sizes_at as i32)));
                b.checked(told, &[status]);
                b.call(retain, &[results, out]);
                b.call(release, &[results]);
            })
        })
    }

    /// `char *pack(char *to, const char *from, const index *sizes, const index *strides, word rank, word bytes)`:
    /// copies the elements of a memref with any strides to a dense array. Strides are in elements; returns the end of
    /// the copy.
    pub fn pack(&mut self) -> Result<Func, Error> {
        let word = self.word();
        let params = [CType::PTR, CType::PTR, CType::PTR, CType::PTR, word.clone(), word];
        self.shared("pack", CType::PTR, &params, |parts, func| {
            let fields = parts.fields()?;
            build_function(parts.object, func, |b, [to, from, sizes, strides, rank, bytes]| {
                let copied = |bytes| {
                    b.copy_bytes(to, from, bytes);
                    b.add(to, bytes)
                };
                b.return_if(b.is(rank, 0), || copied(bytes));
                let size = b.to_word(b.load(fields.index, sizes, 0));
                let stride = b.load(fields.index, strides, 0);
                let narrow = fields.index.bits() < 64;
                let stride = if narrow { sign_extended(b, stride, b.word_type()) } else { b.to_word(stride) };
                let dense = b.and(b.is(rank, 1), b.is(stride, 1));
                b.return_if(dense, || copied(b.mul(size, bytes)));
                let place = b.local(&CType::PTR);
                b.store(to, place, 0);
                let step = b.mul(stride, bytes);
                let each = fields.index_bytes();
                let (inner_sizes, inner_strides) = (b.offset(sizes, each), b.offset(strides, each));
                let inner = b.offset(rank, -1);
                b.count(size, |i| {
                    let at = b.load_word(place, 0);
                    let from = b.add(from, b.mul(i, step));
                    b.store(b.result(func, &[at, from, inner_sizes, inner_strides, inner, bytes]), place, 0);
                });
                b.ret(b.load_word(place, 0));
            })
        })
    }

    /// `status array_out(context *, const spec *, const spec *seen, const char *where, const descriptor *, i64 rank,
    /// reference *view)`: makes a view of a copy of a memref. `seen` describes the memref if the view is another array,
    /// of known sizes.
    pub fn array_out(&mut self) -> Result<Func, Error> {
        let params = [CType::PTR, CType::PTR, CType::PTR, CType::PTR, CType::PTR, CType::I64, CType::PTR];
        self.shared("array_out", self.word(), &params, |parts, func| {
            let (fail, release) = (parts.fail()?, parts.release()?);
            let (array_new, view_new, pack) = (parts.array_new()?, parts.view_new()?, parts.pack()?);
            let (fields, context) = (parts.fields()?, parts.context);
            let reference = crate::host::Reference::c_type(parts.converter.target());
            build_function(parts.object, func, |b, [ctx, spec, other, place, descriptor, rank, out]| {
                let alike = b.is(other, 0);
                let seen = b.select(alike, spec, other);
                check_rank(b, (fail, place), seen, rank);
                let sizes = b.local(&CType::array(CType::I64, MAX_RANK));
                let count = b.to_word(rank);
                b.count(count, |i| {
                    let size = b.load(fields.index, b.index(descriptor, i, fields.index_bytes()), fields.sizes);
                    let size = sign_extended(b, size, Type::I64);
                    check_size(b, (fail, place), seen, i, size);
                    b.store(size, b.index(sizes, i, 8), 0);
                });
                let view_sizes = b.select(alike, sizes, b.offset(spec, Spec::SIZES));
                let view_rank = b.select(alike, rank, b.load(Type::I64, spec, Spec::RANK));
                let (buffer, data) = (b.local(&reference), b.local(&CType::PTR));
                b.zero(buffer, b.word(2 * i64::from(b.word_bytes())));
                // The host owns what is allocated here, so it is not added to the list.
                let lent = b.load_word(ctx, context.lent_count);
                let status = b.result(array_new, &[ctx, spec, view_sizes, view_rank, buffer, data]);
                b.store(lent, ctx, context.lent_count);
                b.return_if(b.is_not(status, 0), || {
                    b.call(release, &[buffer]);
                    status
                });
                let to = b.load_word(data, 0);
                let each = b.to_word(b.load(Type::I64, seen, Spec::BYTES));
                let from = first_element(b, fields, descriptor, each);
                let own_sizes = b.offset(descriptor, fields.sizes);
                let strides = b.index(own_sizes, count, fields.index_bytes());
                b.call(pack, &[to, from, own_sizes, strides, count, each]);
                let status = b.result(view_new, &[ctx, spec, view_sizes, view_rank, buffer, out]);
                b.call(release, &[buffer]);
                b.ret(status);
            })
        })
    }

    /// `void give_back(context *, void *)`: frees memory that a function returned, unless it was lent to the function
    /// or is a constant's. It is not freed twice.
    pub fn give_back(&mut self) -> Result<Func, Error> {
        self.shared("give_back", CType::Void, &[CType::PTR; 2], |parts, func| {
            let free = parts.library("free", signature(CType::Void, &[CType::PTR]))?;
            let word = parts.word_bytes();
            build_function(parts.object, func, |b, [ctx, memory]| {
                b.when(b.is(memory, GLOBAL_ALLOCATED as i64), || b.ret_option(None));
                let (list, count) = (b.load_word(ctx, parts.context.lent), b.load_word(ctx, parts.context.lent_count));
                b.count(count, |i| {
                    let lent = b.load_word(b.index(list, i, word), 0);
                    b.when(b.icmp(IntCc::Eq, lent, memory), || b.ret_option(None));
                });
                b.call(free, &[memory]);
                lend(b, parts.context, ctx, memory);
            })
        })
    }

    /// `status view_again(context *, const reference *view, const spec *, reference *out)`: makes another view of the
    /// same buffer, with the sizes of the spec.
    pub fn view_again(&mut self) -> Result<Func, Error> {
        self.shared("view_again", self.word(), &[CType::PTR; 4], |parts, func| {
            let (call, release, view_new) = (parts.call()?, parts.release()?, parts.view_new()?);
            let of_buffer = parts.hal_function("buffer_view.buffer", "0r_r")?;
            build_function(parts.object, func, |b, [ctx, view, spec, out]| {
                let buffer = of_buffer.checked(b, (call, ctx), &[view]);
                let (sizes, rank) = (b.offset(spec, Spec::SIZES), b.load(Type::I64, spec, Spec::RANK));
                let status = b.result(view_new, &[ctx, spec, sizes, rank, buffer, out]);
                b.call(release, &[buffer]);
                b.ret(status);
            })
        })
    }
}

/// Adds memory that is lent to the function, so that it does not own it, to the context's list.
fn lend(b: &Code<'_, '_, '_>, context: Context, ctx: Value, data: Value) {
    let (list, count) = (b.load_word(ctx, context.lent), b.load_word(ctx, context.lent_count));
    b.store(data, b.index(list, count, b.word_bytes()), 0);
    b.store(b.offset(count, 1), ctx, context.lent_count);
}

/// The address of a memref's first element.
pub(super) fn first_element(b: &Code<'_, '_, '_>, fields: Fields, descriptor: Value, bytes: Value) -> Value {
    let (start, offset) = (b.load_word(descriptor, fields.aligned), b.load(fields.index, descriptor, fields.offset));
    b.add(start, b.mul(b.to_word(offset), bytes))
}

/// A product of unsigned numbers, in memory: its low 64 bits, whether it overflows them, and whether a factor is 0.
struct Product {
    at: Value,
}

impl Product {
    fn new(b: &Code<'_, '_, '_>, first: Value) -> Product {
        let at = b.local(&CType::array(CType::U64, 3));
        b.zero(at, b.word(24));
        b.store(first, at, 0);
        Product { at }
    }

    /// The low 64 bits so far.
    fn low(&self, b: &Code<'_, '_, '_>) -> Value {
        b.load(Type::I64, self.at, 0)
    }

    /// Multiplies by a 64-bit number.
    fn by(&self, b: &Code<'_, '_, '_>, n: Value) {
        let low = self.low(b);
        let (product, more) = b.with(|b| b.overflow(Opcode::UmulOv, low, n));
        b.store(product, self.at, 0);
        for (flag, at) in [(more, 8), (b.is(n, 0), 16)] {
            let flag = b.convert(Opcode::Zext, flag, Type::I64);
            b.store(b.binary(Opcode::Or, flag, b.load(Type::I64, self.at, at)), self.at, at);
        }
    }

    /// The product; the function returns an error if it overflows 64 bits.
    fn total(&self, b: &Code<'_, '_, '_>, at: (Fail, Value)) -> Value {
        let (more, none) = (b.load(Type::I64, self.at, 8), b.load(Type::I64, self.at, 16));
        let too_many = b.and(b.is_not(more, 0), b.is(none, 0));
        wrong_if(b, too_many, at, "%s has more bytes than 64 bits count", &[]);
        self.low(b)
    }
}

/// A size as descriptors hold it; the function returns an error if it does not fit.
fn index_of(b: &Code<'_, '_, '_>, at: (Fail, Value), fields: Fields, size: Value) -> Value {
    let index = b.resized(size, fields.index);
    if fields.index.bits() < 64 {
        let other = b.icmp(IntCc::Ne, size, b.convert(Opcode::Sext, index, Type::I64));
        b.return_if(other, || {
            let bits = b.iconst(Type::I64, fields.index.bits().into());
            let text = "%s has size %lld, which %lld bits do not count";
            at.0.status(b, code::INVALID_ARGUMENT, text, at.1, &[size, bits])
        });
    }
    index
}

/// Writes the strides of a dense array after its sizes, and returns the number of its elements.
fn dense_strides(b: &Code<'_, '_, '_>, fields: Fields, out: Value, rank: Value) -> Product {
    let product = Product::new(b, b.iconst(Type::I64, 1));
    b.count(rank, |i| {
        let from_end = b.binary(Opcode::Isub, b.offset(rank, -1), i);
        let each = fields.index_bytes();
        let (at, after) = (b.index(out, from_end, each), b.add(rank, from_end));
        let stride_at = b.index(out, after, each);
        b.store(b.resized(product.low(b), fields.index), stride_at, fields.sizes);
        product.by(b, b.resized(b.load(fields.index, at, fields.sizes), Type::I64));
    });
    product
}

/// Makes an unranked descriptor, at an address, of a ranked one, whose rank is at another address.
pub(super) fn unranked_at(b: &Code<'_, '_, '_>, fields: Fields, rank: Value, descriptor: Value, to: Value) {
    b.store(b.resized(b.load(Type::I64, rank, 0), fields.index), to, 0);
    b.store(descriptor, to, fields.index_bytes().max(b.word_bytes()));
}

fn check_rank(b: &Code<'_, '_, '_>, at: (Fail, Value), spec: Value, rank: Value) {
    let wanted = b.load(Type::I64, spec, Spec::RANK);
    let known = b.icmp(IntCc::Sge, wanted, b.iconst(Type::I64, 0));
    let other = b.and(known, b.icmp(IntCc::Ne, rank, wanted));
    wrong_if(b, other, at, "%s has rank %lld, not %lld", &[rank, wanted]);
    let most = b.iconst(Type::I64, MAX_RANK.into());
    wrong_if(b, b.icmp(IntCc::Ugt, rank, most), at, "%s has rank %lld, more than %lld", &[rank, most]);
}

fn check_element(b: &Code<'_, '_, '_>, at: (Fail, Value), spec: Value, element: Value) {
    let (mask, wanted) = (b.load(Type::I32, spec, Spec::MASK), b.load(Type::I32, spec, Spec::VALUE));
    let other = b.icmp(IntCc::Ne, b.and(element, mask), wanted);
    wrong_if(b, other, at, "%s has elements of type 0x%llx, not 0x%llx", &[element, wanted]);
}

/// Checks size `i` against the spec.
fn check_size(b: &Code<'_, '_, '_>, at: (Fail, Value), spec: Value, i: Value, size: Value) {
    let negative = b.icmp(IntCc::Slt, size, b.iconst(Type::I64, 0));
    wrong_if(b, negative, at, "%s has size %lld in dimension %lld", &[size, i]);
    let rank = b.load(Type::I64, spec, Spec::RANK);
    b.when(b.is_not(rank, -1), || {
        let wanted = b.load(Type::I64, b.index(spec, i, 8), Spec::SIZES);
        let other = b.and(b.is_not(wanted, -1), b.icmp(IntCc::Ne, size, wanted));
        wrong_if(b, other, at, "%s has size %lld in dimension %lld, not %lld", &[size, i, wanted]);
    });
}

/// Returns an error if a buffer has fewer bytes than needed.
fn too_short(b: &Code<'_, '_, '_>, fail: Fail, len: Value, wanted: Value) {
    b.return_if(b.icmp(IntCc::Ult, len, wanted), || {
        let text = "%s: a buffer of %lld bytes, not %lld";
        fail.status(b, code::INVALID_ARGUMENT, text, b.text("map"), &[len, wanted])
    });
}

/// Empty arrays have an address, too.
fn nothing(b: &Code<'_, '_, '_>, empty: Global, wanted: Value, out: Value) {
    b.when(b.is(wanted, 0), || {
        b.store(b.address(empty), out, 0);
        b.ret_code(0);
    });
}

fn sign_extended(b: &Code<'_, '_, '_>, v: Value, ty: Type) -> Value {
    if b.type_of(v).bits() < ty.bits() { b.convert(Opcode::Sext, v, ty) } else { v }
}

/// Writes sizes and strides of an array that the function sees differently.
pub(super) fn known_sizes(b: &Code<'_, '_, '_>, fields: Fields, descriptor: Value, sizes: &[u64]) {
    let each = fields.index_bytes();
    let mut stride = 1u64;
    for (k, &size) in sizes.iter().enumerate().rev() {
        for (number, n) in [(k, size), (sizes.len() + k, stride)] {
            b.store(b.iconst(fields.index, n.into()), descriptor, fields.sizes + number as i32 * each);
        }
        stride = stride.wrapping_mul(size);
    }
}
