//! Calls of functions by their records: what callers have becomes what the virtual machine passes, and back (IREE, "Function
//! ABI"; what its own invoker for Python does with it).

use std::collections::HashMap;

use crate::error::Error;
use crate::half::{BFLOAT, Format, HALF};
use crate::record::{Record, Reflection, Shape};
use crate::strided::Strided;

/// A virtual machine, as far as calls need it: its lists, and what stands for arrays.
pub trait Machine {
    /// A list of [items](Item).
    type List;
    /// A reference to anything else.
    type Reference;
    /// What callers have as arrays.
    type Array;
    /// Why something cannot be done.
    type Error: std::fmt::Display;

    /// A new list that so many items will be pushed to, all of type `element` if it is said, else of any.
    ///
    /// # Errors
    /// There can be no such list.
    fn new_list(&mut self, element: Option<&Record>, capacity: usize) -> Result<Self::List, Self::Error>;
    /// Appends an item.
    ///
    /// # Errors
    /// The list takes no such item.
    fn push(&mut self, list: &mut Self::List, item: Item<Self>) -> Result<(), Self::Error>;
    /// How many items a list has.
    fn len(&self, list: &Self::List) -> usize;
    /// The item of this number, from 0.
    ///
    /// # Errors
    /// It cannot be had.
    fn get(&mut self, list: &Self::List, number: usize) -> Result<Item<Self>, Self::Error>;
    /// What stands for an array. `wanted`: the elements and the shape that the function's record asks for.
    ///
    /// # Errors
    /// The array is another one, or cannot be passed.
    fn pass(&mut self, array: Self::Array, wanted: Option<(&Record, &Shape)>) -> Result<Self::Reference, Self::Error>;
    /// What stands for a dense copy of a strided array, of which the rank and the sizes fit the shape. [`Strided::gather`] copies
    /// bytes.
    ///
    /// # Errors
    /// It cannot be copied, or its elements are others.
    fn dense(
        &mut self,
        array: Strided<Self::Reference>,
        element: &Record,
        shape: &Shape,
    ) -> Result<Self::Reference, Self::Error>;
    /// The array that a reference stands for. Without `wanted` nothing is known of it: what is no array comes back as it is.
    ///
    /// # Errors
    /// It is another array than is wanted.
    fn take(
        &mut self,
        reference: Self::Reference,
        wanted: Option<(&Record, &Shape)>,
    ) -> Result<Value<Self>, Self::Error>;
}

/// An item of a virtual machine's list.
#[derive(Clone, PartialEq, Debug)]
pub enum Item<M: Machine + ?Sized> {
    /// A null reference.
    Null,
    /// An integer of 8 bits.
    I8(i8),
    /// One of 16.
    I16(i16),
    /// One of 32.
    I32(i32),
    /// One of 64.
    I64(i64),
    /// A number of 32 bits.
    F32(f32),
    /// One of 64.
    F64(f64),
    /// A list.
    List(M::List),
    /// Any other reference.
    Reference(M::Reference),
}

/// A value as callers have it.
#[derive(Clone, PartialEq, Debug)]
pub enum Value<M: Machine + ?Sized> {
    /// Nothing.
    Null,
    /// A truth.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// A number.
    Float(f64),
    /// A string's bytes.
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<Value<M>>),
    /// The same, where callers have tuples, too.
    Tuple(Vec<Value<M>>),
    /// Values by their keys.
    Dict(Vec<(String, Value<M>)>),
    /// An array.
    Array(M::Array),
    /// An array with strides.
    Strided(Strided<M::Reference>),
    /// A reference of the machine's.
    Reference(M::Reference),
}

impl<M: Machine + ?Sized> Value<M> {
    /// What it is, for messages.
    fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "a truth",
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a floating-point number",
            Value::Bytes(_) => "a string",
            Value::List(_) => "a list",
            Value::Tuple(_) => "a tuple",
            Value::Dict(_) => "a dictionary",
            Value::Array(_) => "an array",
            Value::Strided(_) => "an array with strides",
            Value::Reference(_) => "a reference",
        }
    }
}

/// Calls a function by its records, or without them by what the values are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Invoker {
    reflection: Option<Reflection>,
}

/// Arrays of references are as deep as their rank, at most.
const MAX_RANK: usize = 64;
/// Empty ones have so many rows, at most.
const MAX_ROWS: u64 = 1 << 20;

impl Invoker {
    /// One that goes by the values alone: integers have 64 bits then, and so have floating-point numbers; dictionaries are passed
    /// in the order of their keys.
    pub fn dynamic() -> Invoker {
        Invoker { reflection: None }
    }

    /// One for a function of these records.
    pub fn new(reflection: Reflection) -> Invoker {
        Invoker { reflection: Some(reflection) }
    }

    /// The list of arguments. Arguments are given in the order of the records, or by name behind those that are not.
    ///
    /// # Errors
    /// There are too few or too many, a name is unknown or given twice, or a value is not what its record says. The error points
    /// at the record.
    pub fn pack<M: Machine>(
        &self,
        machine: &mut M,
        args: Vec<Value<M>>,
        named: Vec<(String, Value<M>)>,
    ) -> Result<M::List, Error> {
        let mut pack = Pack { machine };
        let Some(reflection) = &self.reflection else {
            if let Some((name, _)) = named.first() {
                return Err(Error::at("", format!("`{name}` is given by name, and the function says no names")));
            }
            return pack.list(None, args.len(), args.into_iter().map(|value| (value, None)), "/a");
        };
        let (records, given) = (&reflection.args, args.len());
        if given > records.len() {
            return Err(Error::at("", format!("mismatched call arity: expected {} got {given}", records.len())));
        }
        let mut values: Vec<Option<Value<M>>> = args.into_iter().map(Some).collect();
        values.resize_with(records.len(), || None);
        for (name, value) in named {
            let is_it = |r: &Record| matches!(r, Record::Named { name: own, .. } if *own == name);
            let Some(i) = records.iter().position(is_it) else {
                return Err(Error::at("", format!("specified kwarg '{name}' is unknown")));
            };
            if values[i].replace(value).is_some() {
                return Err(Error::at(
                    &format!("/a/{i}"),
                    format!("mismatched call arity: duplicate keyword argument '{name}'"),
                ));
            }
        }
        if let Some(i) = values.iter().position(Option::is_none) {
            let message = format!("mismatched call arity: expected a value for argument {i}");
            return Err(Error::at(&format!("/a/{i}"), message));
        }
        let slots = values.into_iter().flatten().zip(records.iter().map(|record| Some(record.unnamed())));
        pack.list(None, records.len(), slots, "/a")
    }

    /// The results that a list of them stands for. Those of a function whose only result is a list, tuple or dictionary are its
    /// slots.
    ///
    /// # Errors
    /// They are not what the records say. The error points at the record.
    pub fn unpack<M: Machine>(&self, machine: &mut M, results: &M::List) -> Result<Vec<Value<M>>, Error> {
        let mut unpack = Unpack { machine };
        match self.reflection.as_ref().map(|r| &r.results[..]) {
            None => unpack.dynamic_list(results, "/r"),
            Some([only]) if only.slots().is_some() => Ok(vec![unpack.compound(results, only, "/r/0")?]),
            Some(all) => unpack.slots(results, all.iter(), "/r", 0),
        }
    }
}

/// An error of the machine's at a record.
fn failed<T>(result: Result<T, impl std::fmt::Display>, place: &str) -> Result<T, Error> {
    result.map_err(|e| Error::at(place, e.to_string()))
}

struct Pack<'m, M> {
    machine: &'m mut M,
}

impl<M: Machine> Pack<'_, M> {
    /// A list of values with their records; the kind of a compound type is number 0, so that slots follow at 1.
    fn list<'r>(
        &mut self,
        element: Option<&Record>,
        capacity: usize,
        values: impl Iterator<Item = (Value<M>, Option<&'r Record>)>,
        place: &str,
    ) -> Result<M::List, Error> {
        let mut list = failed(self.machine.new_list(element, capacity), place)?;
        for (i, (value, record)) in values.enumerate() {
            // Arguments and compound types count from 0 and 1.
            let place = format!("{place}/{}", i + usize::from(place != "/a"));
            let item = match record {
                Some(record) => self.item(value, record, &place)?,
                None => self.dynamic(value, &place)?,
            };
            failed(self.machine.push(&mut list, item), &place)?;
        }
        Ok(list)
    }

    /// A value of which nothing is known.
    fn dynamic(&mut self, value: Value<M>, place: &str) -> Result<Item<M>, Error> {
        Ok(match value {
            Value::Null => Item::Null,
            Value::Bool(b) => Item::I64(b.into()),
            Value::Integer(n) => Item::I64(n),
            Value::Float(x) => Item::F64(x),
            Value::Bytes(bytes) => self.bytes(&bytes, place)?,
            Value::List(all) | Value::Tuple(all) => {
                Item::List(self.list(None, all.len(), all.into_iter().map(|v| (v, None)), place)?)
            }
            Value::Dict(mut all) => {
                all.sort_by(|a, b| a.0.cmp(&b.0));
                Item::List(self.list(None, all.len(), all.into_iter().map(|(_, v)| (v, None)), place)?)
            }
            Value::Array(array) => Item::Reference(failed(self.machine.pass(array, None), place)?),
            Value::Strided(strided) => self.strided(strided, place)?,
            Value::Reference(reference) => Item::Reference(reference),
        })
    }

    /// A string is a list of bytes.
    fn bytes(&mut self, bytes: &[u8], place: &str) -> Result<Item<M>, Error> {
        let mut list = failed(self.machine.new_list(Some(&Record::Integer(8)), bytes.len()), place)?;
        for &b in bytes {
            failed(self.machine.push(&mut list, Item::I8(b as i8)), place)?;
        }
        Ok(Item::List(list))
    }

    /// An array with strides is a list of four items.
    fn strided(&mut self, strided: Strided<M::Reference>, place: &str) -> Result<Item<M>, Error> {
        if strided.count().is_none_or(|count| i64::try_from(count).is_err()) {
            return Err(Error::at(
                place,
                "an array with strides has as many sizes as strides, and fewer than 2^63 elements",
            ));
        }
        let sizes = self.numbers(strided.sizes.iter().map(|&size| size as i64), place)?;
        let strides = self.numbers(strided.strides.iter().copied(), place)?;
        let mut all = failed(self.machine.new_list(None, 4), place)?;
        for item in [Item::Reference(strided.buffer), Item::I64(strided.offset), sizes, strides] {
            failed(self.machine.push(&mut all, item), place)?;
        }
        Ok(Item::List(all))
    }

    /// A list of integers of 64 bits.
    fn numbers(&mut self, all: impl ExactSizeIterator<Item = i64>, place: &str) -> Result<Item<M>, Error> {
        let mut list = failed(self.machine.new_list(Some(&Record::Integer(64)), all.len()), place)?;
        for n in all {
            failed(self.machine.push(&mut list, Item::I64(n)), place)?;
        }
        Ok(Item::List(list))
    }

    fn item(&mut self, value: Value<M>, record: &Record, place: &str) -> Result<Item<M>, Error> {
        let other =
            |value: &Value<M>, wanted: &str| Err(Error::at(place, format!("expected {wanted}, got {}", value.kind())));
        let wanted =
            |count: usize, got: &str| Error::at(place, format!("expected a sequence with {count} values. got: {got}"));
        match record {
            Record::Integer(bits) => integer(&value, *bits, place),
            Record::Float(16) => half(&value, HALF, place),
            Record::Bfloat => half(&value, BFLOAT, place),
            Record::Float(bits @ (32 | 64)) => {
                let x = float(&value, place)?;
                Ok(if *bits == 32 { Item::F32(x as f32) } else { Item::F64(x) })
            }
            Record::Float(_) | Record::Complex(_) => {
                Err(Error::at(place, format!("IREE's virtual machine has no values of type `{record}`")))
            }
            Record::Null => match value {
                Value::Null => Ok(Item::Null),
                value => other(&value, "null"),
            },
            Record::Unknown => self.dynamic(value, place),
            Record::Named { of, .. } => self.item(value, of, place),
            Record::Ndarray { element, shape } if element.is_number() => match value {
                Value::Array(array) => {
                    Ok(Item::Reference(failed(self.machine.pass(array, Some((element, shape))), place)?))
                }
                Value::Strided(array) => {
                    let fits = array.sizes.len() == array.strides.len() && shape.takes(&array.sizes);
                    if !fits {
                        let message = format!("an array of sizes {:?} is no `{record}`", array.sizes);
                        return Err(Error::at(place, message));
                    }
                    Ok(Item::Reference(failed(self.machine.dense(array, element, shape), place)?))
                }
                Value::Reference(reference) => Ok(Item::Reference(reference)),
                Value::Null => Ok(Item::Null),
                value => other(&value, "an array"),
            },
            Record::Ndarray { element, shape } => self.grid(value, element, shape, place),
            Record::List(slots) | Record::Tuple(slots) => match value {
                Value::Strided(strided) if *record == Strided::<M::Reference>::record() => self.strided(strided, place),
                Value::List(all) | Value::Tuple(all) if all.len() == slots.len() => {
                    Ok(Item::List(self.list(None, slots.len(), all.into_iter().zip(slots.iter().map(Some)), place)?))
                }
                Value::List(all) | Value::Tuple(all) => Err(wanted(slots.len(), &format!("{} values", all.len()))),
                value => Err(wanted(slots.len(), value.kind())),
            },
            Record::Dict(slots) => self.dict(value, slots, place),
            Record::Homogeneous(element) => match value {
                Value::List(all) | Value::Tuple(all) => {
                    let values = all.into_iter().map(|v| (v, Some(&**element)));
                    Ok(Item::List(self.list(Some(element), values.len(), values, place)?))
                }
                Value::Bytes(bytes) if **element == Record::Integer(8) => self.bytes(&bytes, place),
                value => other(&value, "a sequence"),
            },
        }
    }

    fn dict(&mut self, value: Value<M>, slots: &[(String, Record)], place: &str) -> Result<Item<M>, Error> {
        let wanted =
            |got: &str| Err(Error::at(place, format!("expected a dict with {} values. got: {got}", slots.len())));
        let all = match value {
            Value::Dict(all) if all.len() == slots.len() => all,
            Value::Dict(all) => return wanted(&format!("{} values", all.len())),
            value => return wanted(value.kind()),
        };
        let keys: Vec<String> = all.iter().map(|pair| pair.0.clone()).collect();
        let mut all: HashMap<String, Value<M>> = all.into_iter().collect();
        let mut list = failed(self.machine.new_list(None, slots.len()), place)?;
        for (i, (key, record)) in slots.iter().enumerate() {
            let place = format!("{place}/{}", i + 1);
            let Some(value) = all.remove(key) else {
                let message = format!("could not get item '{key}' from: {}", keys.join(", "));
                return Err(Error::at(&place, message));
            };
            let item = self.item(value, record, &place)?;
            failed(self.machine.push(&mut list, item), &place)?;
        }
        Ok(Item::List(list))
    }

    /// An array of references: the list of its elements in row-major order, and that of its dimensions. It is given as lists in
    /// each other.
    fn grid(&mut self, value: Value<M>, element: &Record, shape: &Shape, place: &str) -> Result<Item<M>, Error> {
        let Shape::Ranked(wanted) = shape else {
            return Err(Error::at(place, "the rank of an array of references has to be known"));
        };
        if wanted.len() > MAX_RANK {
            return Err(Error::at(place, format!("an array of references has {MAX_RANK} dimensions at most")));
        }
        let (mut dims, mut rows) = (Vec::new(), vec![value]);
        for (i, dim) in wanted.iter().enumerate() {
            let (mut below, mut size) = (Vec::new(), dim.map(|n| n as usize));
            for row in rows {
                let (Value::List(all) | Value::Tuple(all)) = row else {
                    return Err(Error::at(place, format!("dimension {i} is no sequence, but {}", row.kind())));
                };
                if *size.get_or_insert(all.len()) != all.len() {
                    let message =
                        format!("dimension {i} has {} values, and {} elsewhere", all.len(), size.unwrap_or(0));
                    return Err(Error::at(place, message));
                }
                below.extend(all);
            }
            dims.push(size.unwrap_or(0));
            rows = below;
        }
        let element_place = format!("{place}/1");
        let mut elements = failed(self.machine.new_list(Some(element), rows.len()), place)?;
        for value in rows {
            let item = self.item(value, element, &element_place)?;
            failed(self.machine.push(&mut elements, item), &element_place)?;
        }
        let sizes = self.numbers(dims.iter().map(|&dim| dim as i64), place)?;
        let mut both = failed(self.machine.new_list(None, 2), place)?;
        failed(self.machine.push(&mut both, Item::List(elements)), place)?;
        failed(self.machine.push(&mut both, sizes), place)?;
        Ok(Item::List(both))
    }
}

fn integer<M: Machine>(value: &Value<M>, bits: u32, place: &str) -> Result<Item<M>, Error> {
    let n = match value {
        Value::Bool(b) => i64::from(*b),
        Value::Integer(n) => *n,
        value => return Err(Error::at(place, format!("expected an integer, got {}", value.kind()))),
    };
    let item = match bits {
        1 => (0..=1).contains(&n).then_some(Item::I32(n as i32)),
        8 => i8::try_from(n).ok().map(Item::I8),
        16 => i16::try_from(n).ok().map(Item::I16),
        32 => i32::try_from(n).ok().map(Item::I32),
        64 => Some(Item::I64(n)),
        _ => return Err(Error::at(place, format!("IREE's virtual machine has no values of type `i{bits}`"))),
    };
    item.ok_or_else(|| Error::at(place, format!("{n} does not fit `i{bits}`")))
}

fn float<M: Machine>(value: &Value<M>, place: &str) -> Result<f64, Error> {
    match value {
        Value::Float(x) => Ok(*x),
        Value::Integer(n) => Ok(*n as f64),
        Value::Bool(b) => Ok(f64::from(u8::from(*b))),
        value => Err(Error::at(place, format!("expected a number, got {}", value.kind()))),
    }
}

/// A number of sixteen bits travels as its bits.
fn half<M: Machine>(value: &Value<M>, format: Format, place: &str) -> Result<Item<M>, Error> {
    Ok(Item::I32(format.bits(float(value, place)?).into()))
}

struct Unpack<'m, M> {
    machine: &'m mut M,
}

impl<M: Machine> Unpack<'_, M> {
    /// The items of a list, each by its record; the first slot's place is `first`.
    fn slots<'r>(
        &mut self,
        list: &M::List,
        records: impl ExactSizeIterator<Item = &'r Record>,
        place: &str,
        first: usize,
    ) -> Result<Vec<Value<M>>, Error> {
        let there = self.machine.len(list);
        if there != records.len() {
            return Err(Error::at(place, format!("mismatched return arity: {there} vs {}", records.len())));
        }
        let mut values = Vec::with_capacity(there);
        for (i, record) in records.enumerate() {
            let place = format!("{place}/{}", i + first);
            let item = failed(self.machine.get(list, i), &place)?;
            values.push(self.value(item, record, &place)?);
        }
        Ok(values)
    }

    fn dynamic_list(&mut self, list: &M::List, place: &str) -> Result<Vec<Value<M>>, Error> {
        (0..self.machine.len(list))
            .map(|i| {
                let place = format!("{place}/{i}");
                let item = failed(self.machine.get(list, i), &place)?;
                self.dynamic(item, &place)
            })
            .collect()
    }

    fn dynamic(&mut self, item: Item<M>, place: &str) -> Result<Value<M>, Error> {
        Ok(match item {
            Item::Null => Value::Null,
            Item::I8(n) => Value::Integer(n.into()),
            Item::I16(n) => Value::Integer(n.into()),
            Item::I32(n) => Value::Integer(n.into()),
            Item::I64(n) => Value::Integer(n),
            Item::F32(x) => Value::Float(x.into()),
            Item::F64(x) => Value::Float(x),
            Item::List(list) => Value::List(self.dynamic_list(&list, place)?),
            Item::Reference(reference) => failed(self.machine.take(reference, None), place)?,
        })
    }

    fn compound(&mut self, list: &M::List, record: &Record, place: &str) -> Result<Value<M>, Error> {
        Ok(match record {
            Record::Tuple(slots) => Value::Tuple(self.slots(list, slots.iter(), place, 1)?),
            Record::Dict(slots) => {
                let values = self.slots(list, slots.iter().map(|slot| &slot.1), place, 1)?;
                Value::Dict(slots.iter().map(|slot| slot.0.clone()).zip(values).collect())
            }
            Record::List(slots) => Value::List(self.slots(list, slots.iter(), place, 1)?),
            Record::Homogeneous(element) => {
                let all = vec![&**element; self.machine.len(list)];
                let values = self.slots(list, all.into_iter(), place, 1)?;
                Value::List(values)
            }
            _ => Value::List(self.dynamic_list(list, place)?),
        })
    }

    fn value(&mut self, item: Item<M>, record: &Record, place: &str) -> Result<Value<M>, Error> {
        let number = matches!(record, Record::Integer(_) | Record::Float(_) | Record::Bfloat | Record::Complex(_));
        match (record, item) {
            (Record::Null | Record::Unknown, item) => self.dynamic(item, place),
            (Record::Named { of, .. }, item) => self.value(item, of, place),
            (_, Item::Null) if !number => Ok(Value::Null),
            (Record::Ndarray { element, shape }, Item::Reference(reference)) if element.is_number() => {
                failed(self.machine.take(reference, Some((element, shape))), place)
            }
            (Record::Ndarray { element, shape }, Item::List(list)) if !element.is_number() => {
                self.grid(&list, element, shape, place)
            }
            (Record::List(_) | Record::Tuple(_) | Record::Dict(_) | Record::Homogeneous(_), Item::List(list)) => {
                self.compound(&list, record, place)
            }
            (record, item) => scalar(record, &item).ok_or_else(|| {
                Error::at(place, format!("the result is {}, which is no value of type `{record}`", kind(&item)))
            }),
        }
    }

    /// An array of references, as lists in each other.
    fn grid(&mut self, both: &M::List, element: &Record, shape: &Shape, place: &str) -> Result<Value<M>, Error> {
        let wrong = |what: &str| Err(Error::at(place, format!("an array of references is two lists, and {what}")));
        if self.machine.len(both) != 2 {
            return wrong("there are not two");
        }
        let (first, second) = (failed(self.machine.get(both, 0), place)?, failed(self.machine.get(both, 1), place)?);
        let (Item::List(elements), Item::List(sizes)) = (first, second) else { return wrong("one is none") };
        let mut dims = Vec::new();
        for i in 0..self.machine.len(&sizes) {
            match failed(self.machine.get(&sizes, i), place)? {
                Item::I64(n) if n >= 0 => dims.push(n as u64),
                Item::I32(n) if n >= 0 => dims.push(n as u64),
                _ => return wrong("a dimension is no size"),
            }
        }
        let count = dims.iter().try_fold(1u64, |n, &dim| n.checked_mul(dim));
        if !shape.takes(&dims) || dims.len() > MAX_RANK || count != Some(self.machine.len(&elements) as u64) {
            return wrong("its dimensions are others");
        }
        // Empty arrays may have any number of empty rows.
        let rows = dims.iter().rev().skip(1).try_fold(1u64, |n, &dim| n.checked_mul(dim));
        if rows.is_none_or(|rows| rows > MAX_ROWS.max(self.machine.len(&elements) as u64)) {
            return wrong("it has too many rows");
        }
        let all = vec![element; self.machine.len(&elements)];
        let mut values = self.slots(&elements, all.into_iter(), place, 1)?;
        // From the last dimension on, so many values become one list each.
        for (i, &dim) in dims.iter().enumerate().rev() {
            let rows = dims[..i].iter().product::<u64>() as usize;
            let mut rest = values.into_iter();
            values = (0..rows).map(|_| Value::List(rest.by_ref().take(dim as usize).collect())).collect();
        }
        values.pop().ok_or_else(|| Error::at(place, "an array of references is empty"))
    }
}

/// A number of the type that its record says.
fn scalar<M: Machine>(record: &Record, item: &Item<M>) -> Option<Value<M>> {
    let integer = match item {
        Item::I8(n) => Some(i64::from(*n)),
        Item::I16(n) => Some(i64::from(*n)),
        Item::I32(n) => Some(i64::from(*n)),
        Item::I64(n) => Some(*n),
        _ => None,
    };
    let float = match item {
        Item::F32(x) => Some(f64::from(*x)),
        Item::F64(x) => Some(*x),
        _ => None,
    };
    let bits = |format: Format| float.or(integer.map(|n| format.value(n as u16))).map(Value::Float);
    match record {
        Record::Integer(1) => integer.map(|n| Value::Bool(n & 1 == 1)),
        Record::Integer(8) => integer.map(|n| Value::Integer((n as i8).into())),
        Record::Integer(16) => integer.map(|n| Value::Integer((n as i16).into())),
        Record::Integer(32) => integer.map(|n| Value::Integer((n as i32).into())),
        Record::Integer(64) => integer.map(Value::Integer),
        Record::Float(16) => bits(HALF),
        Record::Bfloat => bits(BFLOAT),
        Record::Float(32 | 64) => float.map(Value::Float),
        _ => None,
    }
}

fn kind<M: Machine + ?Sized>(item: &Item<M>) -> &'static str {
    match item {
        Item::Null => "null",
        Item::I8(_) | Item::I16(_) | Item::I32(_) | Item::I64(_) => "an integer",
        Item::F32(_) | Item::F64(_) => "a floating-point number",
        Item::List(_) => "a list",
        Item::Reference(_) => "a reference",
    }
}
