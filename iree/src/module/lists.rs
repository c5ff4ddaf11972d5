//! The virtual machine's lists as C structs: arguments that are lists, tuples, dictionaries, lists of any length,
//! arrays of references.
//!
//! The runtime has no functions by which a module could look into a list, so lists are read in memory. Their layout is
//! private; the name of an object's type tells that it is a list.

use crate::host::{Variant, code};
use crate::{Record, native_type};
use gusset_abi::CType;
use gusset_abi::memref::BuiltinType;
use gusset_codegen::ir::{IntCc, Opcode, Type, Value};

use super::arrays::Array;
use super::arrays::{Fields, MAX_RANK, unranked_at};
use super::emit::{Code, build_function, signature};
use super::number::Number;
use super::parts::{Parts, wrong_if};
use gusset_compiler::{Error, Func};

/// How lists store their items.
const VALUES: i64 = 0;
const REFERENCES: i64 = 1;
/// The number types of a list, 1 to 6: bytes, and whether they are floating-point numbers.
const KINDS: [(u32, bool); 6] = [(1, false), (2, false), (4, false), (8, false), (4, true), (8, true)];

/// How an item of a list is passed to C.
pub(super) enum Slot {
    /// A number, with its name for messages.
    Number(Number, String),
    Array(Array),
    /// A struct of `size` bytes, with the slots at its offsets.
    Struct {
        size: u64,
        slots: Vec<(i32, Slot)>,
        place: String,
    },
    /// A count, and a pointer to elements of `bytes` bytes each.
    Many {
        element: Box<Slot>,
        bytes: u32,
        place: String,
    },
    /// The address of the reference, with its name for messages.
    Reference(String),
}

impl Slot {
    /// Its name for messages.
    fn place(&self) -> &str {
        match self {
            Slot::Number(_, place) | Slot::Reference(place) => place,
            Slot::Array(array) => &array.place,
            Slot::Struct { place, .. } | Slot::Many { place, .. } => place,
        }
    }
}

impl Slot {
    /// Whether it contains arrays.
    pub fn has_arrays(&self) -> bool {
        match self {
            Slot::Array(_) => true,
            Slot::Struct { slots, .. } => slots.iter().any(|slot| slot.1.has_arrays()),
            Slot::Many { element, .. } => element.has_arrays(),
            Slot::Number(..) | Slot::Reference(_) => false,
        }
    }

    /// Number of arrays in it; those of lists of any length count once.
    pub fn arrays(&self) -> u64 {
        match self {
            Slot::Array(_) => 1,
            Slot::Struct { slots, .. } => slots.iter().map(|slot| slot.1.arrays()).sum(),
            Slot::Many { element, .. } => element.arrays(),
            Slot::Number(..) | Slot::Reference(_) => 0,
        }
    }
}

/// Functions that the reading of lists calls.
#[derive(Clone, Copy)]
pub(super) struct ListTools {
    open: Func,
    item: Func,
    number: Func,
    reference: Func,
    scratch: Func,
    room: Func,
    array_in: Option<Func>,
    fields: Fields,
    variant: Variant,
}

impl Parts<'_, '_> {
    /// How a value within a list, or the list itself, is passed. `name` is a prefix for the names of its data.
    pub fn slot(&mut self, name: &str, place: &str, record: &Record) -> Result<Slot, Error> {
        if let Some(number) = Number::of(record) {
            return Ok(Slot::Number(number, place.to_string()));
        }
        match record.unnamed() {
            Record::Ndarray { element, .. } if element.is_number() => {
                let record = record.unnamed();
                Ok(Slot::Array(self.array((name, place.to_string()), (record, None), record, false)?))
            }
            // The elements, and the sizes.
            Record::Ndarray { element, .. } => {
                let sizes = Record::Homogeneous(Box::new(Record::Integer(64)));
                let both = Record::Tuple(vec![Record::Homogeneous(element.clone()), sizes]);
                self.slot(name, place, &both)
            }
            Record::Homogeneous(element) => {
                let slot = self.slot(&format!("{name}.e"), &format!("an element of {place}"), element)?;
                let bytes = self.layout.layout(&self.slot_type(element, place)?)?.size as u32;
                Ok(Slot::Many { element: Box::new(slot), bytes, place: place.to_string() })
            }
            record => match record.slots() {
                Some(records) => {
                    let types =
                        records.iter().map(|slot| self.slot_type(slot, place)).collect::<Result<Vec<_>, _>>()?;
                    let members =
                        gusset_abi::Record::structure(types.into_iter().map(gusset_abi::Field::new).collect());
                    let layout = self.layout.record(&members)?;
                    let mut slots = Vec::new();
                    for (i, (slot, bits)) in records.into_iter().zip(&layout.bit_offsets).enumerate() {
                        let slot = self.slot(&format!("{name}.{i}"), &format!("{place}, slot {i}"), slot)?;
                        slots.push(((bits / 8) as i32, slot));
                    }
                    Ok(Slot::Struct { size: layout.size, slots, place: place.to_string() })
                }
                None => Ok(Slot::Reference(place.to_string())),
            },
        }
    }

    /// The C type of a value within a struct: memrefs are in place, anything else is as an argument would be.
    fn slot_type(&self, record: &Record, place: &str) -> Result<CType, Error> {
        let ty = native_type(record, "").map_err(|e| Error::unsupported(place, e.to_string()))?;
        Ok(match ty {
            BuiltinType::Memref(_) | BuiltinType::Unranked(_) | BuiltinType::Lane(_) => self.converter.c_type(&ty)?,
            _ => CType::PTR,
        })
    }

    /// The functions that the reading of lists calls.
    pub fn list_tools(&mut self, arrays: bool) -> Result<ListTools, Error> {
        Ok(ListTools {
            open: self.list_open()?,
            item: self.list_item()?,
            number: self.item_number()?,
            reference: self.item_reference()?,
            scratch: self.scratch()?,
            room: self.lent_room()?,
            array_in: if arrays { Some(self.array_in()?) } else { None },
            fields: self.fields()?,
            variant: self.host.variant,
        })
    }

    /// `status scratch(context *, word bytes, void **out)`: allocates memory until the end of the call.
    fn scratch(&mut self) -> Result<Func, Error> {
        let word = self.word();
        self.shared("scratch", word.clone(), &[CType::PTR, word.clone(), CType::PTR], |parts, func| {
            let malloc = parts.library("malloc", signature(CType::PTR, &[word]))?;
            build_function(parts.object, func, |b, [ctx, bytes, out]| {
                // The address of the previous block is at the beginning.
                let block = b.result(malloc, &[b.offset(bytes, SCRATCH_HEAD)]);
                b.when(b.is(block, 0), || b.ret_code(code::RESOURCE_EXHAUSTED));
                b.store(b.load_word(ctx, parts.context.scratch), block, 0);
                b.store(block, ctx, parts.context.scratch);
                b.store(b.offset(block, SCRATCH_HEAD), out, 0);
            })
        })
    }

    /// `void scratch_free(context *)`.
    pub fn scratch_free(&mut self) -> Result<Func, Error> {
        self.shared("scratch_free", CType::Void, &[CType::PTR], |parts, func| {
            let free = parts.library("free", signature(CType::Void, &[CType::PTR]))?;
            build_function(parts.object, func, |b, [ctx]| {
                let (again, some, none) = (b.block(), b.block(), b.block());
                b.jump(again, &[]);
                b.switch_to(again);
                let block = b.load_word(ctx, parts.context.scratch);
                b.br(b.is_not(block, 0), some, none);
                b.switch_to(some);
                b.store(b.load_word(block, 0), ctx, parts.context.scratch);
                b.call(free, &[block]);
                b.jump(again, &[]);
                b.switch_to(none);
            })
        })
    }

    /// `status lent_room(context *, word more)`: makes room in the list of memory that is lent to the function.
    fn lent_room(&mut self) -> Result<Func, Error> {
        let word = self.word();
        self.shared("lent_room", word.clone(), &[CType::PTR, word], |parts, func| {
            let (scratch, context, bytes) = (parts.scratch()?, parts.context, parts.word_bytes());
            build_function(parts.object, func, |b, [ctx, more]| {
                let room = b.add(b.load_word(ctx, context.lent_room), more);
                let each = b.word(bytes.into());
                let (size, list) = (b.mul(room, each), b.local(&CType::PTR));
                b.checked(scratch, &[ctx, size, list]);
                let (new, old, count) =
                    (b.load_word(list, 0), b.load_word(ctx, context.lent), b.load_word(ctx, context.lent_count));
                b.copy_bytes(new, old, b.mul(count, each));
                b.store(new, ctx, context.lent);
                b.store(room, ctx, context.lent_room);
            })
        })
    }

    /// `status list_open(const reference *, i64 wanted, const char *where, word *count)`: an error unless it is a list,
    /// with `wanted` items if that is not -1.
    fn list_open(&mut self) -> Result<Func, Error> {
        let params = [CType::PTR, CType::I64, CType::PTR, CType::PTR];
        self.shared("list_open", self.word(), &params, |parts, func| {
            let fail = parts.fail()?;
            let compare = parts.library("memcmp", signature(CType::I32, &[CType::PTR, CType::PTR, parts.word()]))?;
            const NAME: &str = "vm.list";
            build_function(parts.object, func, |b, [reference, wanted, place, out]| {
                let at = (fail, place);
                let object = b.load_word(reference, parts.host.reference.object);
                wrong_if(b, b.is(object, 0), at, "%s is null", &[]);
                let descriptor = b.and(b.load_word(reference, parts.host.reference.ty), b.word(!7));
                let len = b.load_word(descriptor, parts.host.descriptor.name + parts.host.view.len);
                wrong_if(b, b.is_not(len, NAME.len() as i64), at, "%s is no list", &[]);
                let name = b.load_word(descriptor, parts.host.descriptor.name + parts.host.view.data);
                let order = b.result(compare, &[name, b.text(NAME), len]);
                wrong_if(b, b.is_not(order, 0), at, "%s is no list", &[]);
                let count = b.load_word(object, parts.host.list.len);
                b.store(count, out, 0);
                let count = b.resized(count, Type::I64);
                let fits = b.binary(Opcode::Or, b.is(wanted, -1), b.icmp(IntCc::Eq, count, wanted));
                b.when(fits, || b.ret_code(0));
                let text = "%s has %lld items, not %lld";
                b.ret(fail.status(b, code::INVALID_ARGUMENT, text, place, &[count, wanted]));
            })
        })
    }

    /// `void list_item(const reference *, word number, variant *out)`: an item, in the form that lists of any types
    /// use.
    fn list_item(&mut self) -> Result<Func, Error> {
        let params = [CType::PTR, self.word(), CType::PTR];
        self.shared("list_item", CType::Void, &params, |parts, func| {
            let host = parts.host;
            build_function(parts.object, func, |b, [reference, number, out]| {
                let object = b.load_word(reference, host.reference.object);
                let (items, each) = (b.load_word(object, host.list.items), b.load_word(object, host.list.item));
                let at = b.add(items, b.mul(number, each));
                let mode = b.load(Type::I32, object, host.list.mode);
                let (ty, payload) = (b.load_word(object, host.list.ty), b.offset(out, host.variant.payload));
                for (kind, its_type) in [(VALUES, None), (REFERENCES, Some(host.reference.ty))] {
                    b.when(b.is(mode, kind), || {
                        let ty = its_type.map_or(ty, |offset| b.and(b.load_word(at, offset), b.word(!7)));
                        b.store(ty, out, host.variant.ty);
                        b.copy_bytes(payload, at, each);
                        b.ret_option(None);
                    });
                }
                b.copy_bytes(out, at, each);
            })
        })
    }

    /// `status item_reference(const variant *, const char *where)`: an error if the item is a number.
    fn item_reference(&mut self) -> Result<Func, Error> {
        self.shared("item_reference", self.word(), &[CType::PTR; 2], |parts, func| {
            let (fail, variant) = (parts.fail()?, parts.host.variant);
            build_function(parts.object, func, |b, [item, place]| {
                // Null has type 0, and is not a number.
                let kind = b.offset(b.load_word(item, variant.ty), -1);
                let number = b.icmp(IntCc::Ult, kind, b.word(KINDS.len() as i64));
                wrong_if(b, number, (fail, place), "%s is a number", &[]);
            })
        })
    }

    /// `status item_number(const variant *, u32 float, const char *where, void *out)`: an item as a 64-bit integer or
    /// floating-point number.
    fn item_number(&mut self) -> Result<Func, Error> {
        let params = [CType::PTR, CType::U32, CType::PTR, CType::PTR];
        self.shared("item_number", self.word(), &params, |parts, func| {
            let (fail, variant) = (parts.fail()?, parts.host.variant);
            build_function(parts.object, func, |b, [item, wanted, place, out]| {
                let kind = b.load_word(item, variant.ty);
                for (number, (bytes, float)) in KINDS.into_iter().enumerate() {
                    b.when(b.and(b.is(kind, number as i64 + 1), b.is(wanted, float.into())), || {
                        let ty = match (float, bytes) {
                            (true, 4) => Type::F32,
                            (true, _) => Type::F64,
                            (false, _) => Type::int(8 * bytes).unwrap_or(Type::I64),
                        };
                        let v = b.load(ty, item, variant.payload);
                        let v = match ty {
                            Type::F32 => b.convert(Opcode::Fpext, v, Type::F64),
                            Type::F64 | Type::I64 => v,
                            _ => b.convert(Opcode::Sext, v, Type::I64),
                        };
                        b.store(v, out, 0);
                        b.ret_code(0);
                    });
                }
                let text = "%s is no number of its type";
                b.ret(fail.status(b, code::INVALID_ARGUMENT, text, place, &[]));
            })
        })
    }
}

/// Bytes before each block of scratch memory: the address of the previous block, padded for alignment.
const SCRATCH_HEAD: i32 = 16;

/// Reads an item of a list, or the list itself, whose reference is at an address.
pub(super) struct Reader<'r> {
    pub tools: ListTools,
    pub ctx: Value,
    /// Continues if the status is 0, otherwise ends the call with it.
    pub go_on: &'r dyn Fn(&Code<'_, '_, '_>, Value),
}

impl Reader<'_> {
    /// The value that C gets for a list at a reference: the address of a struct.
    pub fn list(&self, b: &Code<'_, '_, '_>, slot: &Slot, reference: Value) -> Value {
        match slot {
            Slot::Struct { size, slots, place } => {
                self.open(b, reference, slots.len() as i64, place);
                let memory = self.memory(b, b.word((*size).max(1) as i64));
                for (i, (offset, slot)) in slots.iter().enumerate() {
                    let (number, to) = (b.word(i as i64), b.offset(memory, *offset));
                    self.item(b, reference, number, slot, to);
                }
                memory
            }
            Slot::Many { element, bytes, place } => self.many(b, reference, element, *bytes, place),
            _ => reference,
        }
    }

    fn checked(&self, b: &Code<'_, '_, '_>, func: Func, args: &[Value]) {
        (self.go_on)(b, b.result(func, args));
    }

    fn memory(&self, b: &Code<'_, '_, '_>, bytes: Value) -> Value {
        let out = b.local(&CType::PTR);
        self.checked(b, self.tools.scratch, &[self.ctx, bytes, out]);
        b.load_word(out, 0)
    }

    fn open(&self, b: &Code<'_, '_, '_>, reference: Value, wanted: i64, place: &str) -> Value {
        let (wanted, place, count) = (b.iconst(Type::I64, wanted.into()), b.text(place), b.local(&CType::PTR));
        self.checked(b, self.tools.open, &[reference, wanted, place, count]);
        b.load_word(count, 0)
    }

    fn many(&self, b: &Code<'_, '_, '_>, reference: Value, element: &Slot, bytes: u32, place: &str) -> Value {
        let count = self.open(b, reference, -1, place);
        if element.has_arrays() {
            let more = b.mul(count, b.word(element.arrays() as i64));
            self.checked(b, self.tools.room, &[self.ctx, more]);
        }
        let each = b.word(bytes.into());
        let elements = self.memory(b, b.mul(count, each));
        b.count(count, |i| self.item(b, reference, i, element, b.add(elements, b.mul(i, each))));
        // The count has 64 bits on all targets; the elements' address follows it.
        let head = self.memory(b, b.word(16));
        b.store(b.resized(count, Type::I64), head, 0);
        b.store(elements, head, 8);
        head
    }

    /// Reads item `number` of a list into memory.
    fn item(&self, b: &Code<'_, '_, '_>, list: Value, number: Value, slot: &Slot, to: Value) {
        // References are passed by address, so the item has to live as long as the call.
        let item = match slot {
            Slot::Reference(_) => self.memory(b, b.word(self.tools.variant.size.into())),
            _ => b.local(&CType::array(CType::U64, u64::from(self.tools.variant.size).div_ceil(8))),
        };
        b.call(self.tools.item, &[list, number, item]);
        if !matches!(slot, Slot::Number(..)) {
            self.checked(b, self.tools.reference, &[item, b.text(slot.place())]);
        }
        let payload = b.offset(item, self.tools.variant.payload);
        match slot {
            Slot::Number(number, place) => self.number(b, item, *number, place, to),
            Slot::Array(array) => self.array(b, payload, array, to),
            Slot::Reference(_) => b.store(payload, to, 0),
            Slot::Struct { .. } | Slot::Many { .. } => b.store(self.list(b, slot, payload), to, 0),
        }
    }

    fn number(&self, b: &Code<'_, '_, '_>, item: Value, number: Number, place: &str, to: Value) {
        let ty = number.c_type();
        let float = b.iconst(Type::I32, ty.is_float().into());
        let (place, out) = (b.text(place), b.local(&CType::I64));
        self.checked(b, self.tools.number, &[item, float, place, out]);
        let v = b.load(if ty.is_float() { Type::F64 } else { Type::I64 }, out, 0);
        let v = match (ty, number.is_truth()) {
            (_, true) => b.convert(Opcode::Zext, b.is_not(v, 0), Type::I8),
            (Type::F64, _) => v,
            _ if ty.is_float() => b.convert(Opcode::Fptrunc, v, ty),
            _ => b.resized(v, ty),
        };
        b.store(v, to, 0);
    }

    fn array(&self, b: &Code<'_, '_, '_>, view: Value, array: &Array, to: Value) {
        let Some(array_in) = self.tools.array_in else { return };
        let (spec, place, rank) = (b.address(array.spec), b.text(&array.place), b.local(&CType::I64));
        let descriptor = match array.rank {
            Some(_) => to,
            None => {
                let sizes = 2 * MAX_RANK as i64 * i64::from(self.tools.fields.index_bytes());
                self.memory(b, b.word(3 * i64::from(b.word_bytes()) + sizes))
            }
        };
        self.checked(b, array_in, &[self.ctx, view, spec, place, descriptor, rank]);
        if array.rank.is_none() {
            unranked_at(b, self.tools.fields, rank, descriptor, to);
        }
    }
}
