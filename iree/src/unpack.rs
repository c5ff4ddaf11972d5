//! Results: converts the virtual machine's items to callers' values.

use crate::error::Error;
use crate::machine::{Item, MAX_RANK, Machine, Value};
use crate::record::{Record, Shape};

/// Most rows of an array of references without elements.
const MAX_ROWS: u64 = 1 << 20;

/// The records of the results.
#[derive(Clone, Copy)]
pub(crate) enum Root<'r> {
    /// Nothing is known of them.
    Dynamic,
    /// The slots of this.
    Only(&'r Record),
    /// Each result has one of these.
    Each(&'r [Record]),
}

/// The values in a list of results. Lists may be nested to any depth, so nothing here is recursive.
pub(crate) fn unpack<M: Machine>(machine: &mut M, results: &M::List, root: Root<'_>) -> Result<Vec<Value<M>>, Error> {
    let mut unpack = Unpack { machine, results };
    let first = match root {
        Root::Dynamic => unpack.open(None, Items::Unknown, Kind::List),
        Root::Only(record) => unpack.compound(None, record),
        Root::Each(all) => unpack.open(None, Items::Slots(all.iter().collect()), Kind::List),
    };
    let only = matches!(root, Root::Only(_));
    let mut open = vec![first.map_err(|message| Error::at(&place::<M>(&[], only), message))?];
    loop {
        let Some(list) = open.last_mut() else { return Err(Error::at("", "there is no list")) };
        let value = if list.values.len() == list.count {
            let Some(done) = open.pop() else { continue };
            if open.is_empty() && !only {
                return Ok(done.values);
            }
            let value = done.close().map_err(|message| Error::at(&place(&open, only), message))?;
            if open.is_empty() {
                return Ok(vec![value]);
            }
            value
        } else {
            match unpack.next(list).map_err(|message| Error::at(&place(&open, only), message))? {
                Taken::Value(value) => value,
                Taken::Open(inner) => {
                    open.push(inner);
                    continue;
                }
            }
        };
        if let Some(list) = open.last_mut() {
            list.values.push(value);
        }
    }
}

/// Where the value is that is being unpacked; `only`: it is in the only result.
fn place<M: Machine>(open: &[Open<'_, M>], only: bool) -> String {
    // Results count from 0; the kind of a compound type is item 0 of its record.
    let number = |(depth, list): (usize, &Open<'_, M>)| {
        let compound = !matches!(list.items, Items::Unknown) && (depth > 0 || only);
        format!("/{}", list.values.len() + usize::from(compound))
    };
    std::iter::once(if only { "/r/0" } else { "/r" }.to_string()).chain(open.iter().enumerate().map(number)).collect()
}

/// The records of a list's items.
enum Items<'r> {
    Unknown,
    Slots(Vec<&'r Record>),
    Each(&'r Record),
}

/// What a list stands for.
enum Kind<'r> {
    List,
    Tuple,
    Dict(&'r [(String, Record)]),
    /// An array of references with these dimensions.
    Grid(Vec<u64>),
}

/// A list whose items are being taken.
struct Open<'r, M: Machine> {
    /// None: that of all results.
    list: Option<M::List>,
    count: usize,
    items: Items<'r>,
    kind: Kind<'r>,
    values: Vec<Value<M>>,
}

/// The result of taking an item.
enum Taken<'r, M: Machine> {
    Value(Value<M>),
    /// A list, when its items are taken.
    Open(Open<'r, M>),
}

impl<M: Machine> Open<'_, M> {
    /// The value of a list whose items have been taken.
    fn close(self) -> Result<Value<M>, String> {
        let mut values = self.values;
        let dims = match self.kind {
            Kind::List => return Ok(Value::List(values)),
            Kind::Tuple => return Ok(Value::Tuple(values)),
            Kind::Dict(slots) => {
                return Ok(Value::Dict(slots.iter().map(|slot| slot.0.clone()).zip(values).collect()));
            }
            Kind::Grid(dims) => dims,
        };
        // Beginning with the last dimension, each run of `dim` values becomes one list.
        for (i, &dim) in dims.iter().enumerate().rev() {
            let rows = dims[..i].iter().product::<u64>() as usize;
            let mut rest = values.into_iter();
            values = (0..rows).map(|_| Value::List(rest.by_ref().take(dim as usize).collect())).collect();
        }
        values.pop().ok_or_else(|| "an array of references is empty".into())
    }
}

struct Unpack<'m, M: Machine> {
    machine: &'m mut M,
    results: &'m M::List,
}

impl<M: Machine> Unpack<'_, M> {
    fn open<'r>(&mut self, list: Option<M::List>, items: Items<'r>, kind: Kind<'r>) -> Result<Open<'r, M>, String> {
        let count = self.machine.len(list.as_ref().unwrap_or(self.results));
        match &items {
            Items::Slots(slots) if slots.len() != count => {
                Err(format!("mismatched return arity: {count} vs {}", slots.len()))
            }
            _ => Ok(Open { list, count, items, kind, values: Vec::with_capacity(count) }),
        }
    }

    /// The next item of a list.
    fn next<'r>(&mut self, of: &Open<'r, M>) -> Result<Taken<'r, M>, String> {
        let number = of.values.len();
        let item = self.get(of.list.as_ref().unwrap_or(self.results), number)?;
        match &of.items {
            Items::Unknown => self.dynamic(item),
            Items::Slots(slots) => match slots.get(number) {
                Some(record) => self.value(item, record),
                None => self.dynamic(item),
            },
            Items::Each(record) => self.value(item, record),
        }
    }

    fn get(&mut self, list: &M::List, number: usize) -> Result<Item<M>, String> {
        self.machine.get(list, number).map_err(|e| e.to_string())
    }

    fn dynamic<'r>(&mut self, item: Item<M>) -> Result<Taken<'r, M>, String> {
        Ok(Taken::Value(match item {
            Item::List(list) => return self.open(Some(list), Items::Unknown, Kind::List).map(Taken::Open),
            Item::Reference(reference) => self.machine.take(reference, None).map_err(|e| e.to_string())?,
            item => number(&item).unwrap_or(Value::Null),
        }))
    }

    fn compound<'r>(&mut self, list: Option<M::List>, record: &'r Record) -> Result<Open<'r, M>, String> {
        let slots = || Items::Slots(record.slots().unwrap_or_default());
        match record {
            Record::Tuple(_) => self.open(list, slots(), Kind::Tuple),
            Record::Dict(keys) => self.open(list, slots(), Kind::Dict(keys)),
            Record::List(_) => self.open(list, slots(), Kind::List),
            Record::Homogeneous(element) => self.open(list, Items::Each(element), Kind::List),
            _ => self.open(list, Items::Unknown, Kind::List),
        }
    }

    fn value<'r>(&mut self, item: Item<M>, record: &'r Record) -> Result<Taken<'r, M>, String> {
        let record = record.unnamed();
        match (record, item) {
            (Record::Null | Record::Unknown, item) => self.dynamic(item),
            (record, Item::Null) if !record.is_number() => Ok(Taken::Value(Value::Null)),
            (Record::Ndarray { element, shape }, Item::Reference(reference)) if element.is_number() => {
                let taken = self.machine.take(reference, Some((element, shape)));
                taken.map(Taken::Value).map_err(|e| e.to_string())
            }
            (Record::Ndarray { element, shape }, Item::List(list)) if !element.is_number() => {
                self.grid(&list, element, shape).map(Taken::Open)
            }
            (Record::List(_) | Record::Tuple(_) | Record::Dict(_) | Record::Homogeneous(_), Item::List(list)) => {
                self.compound(Some(list), record).map(Taken::Open)
            }
            (record, item) => scalar(record, &item)
                .map(Taken::Value)
                .ok_or_else(|| format!("the result is {}, which is no value of type `{record}`", kind(&item))),
        }
    }

    /// Converts an array of references to nested lists.
    fn grid<'r>(&mut self, both: &M::List, element: &'r Record, shape: &Shape) -> Result<Open<'r, M>, String> {
        let wrong = |what: &str| Err(format!("an array of references is two lists, and {what}"));
        if self.machine.len(both) != 2 {
            return wrong("there are not two");
        }
        let (first, second) = (self.get(both, 0)?, self.get(both, 1)?);
        let (Item::List(elements), Item::List(sizes)) = (first, second) else { return wrong("one is none") };
        let mut dims = Vec::new();
        for i in 0..self.machine.len(&sizes) {
            match self.get(&sizes, i)? {
                Item::I64(n) if n >= 0 => dims.push(n as u64),
                Item::I32(n) if n >= 0 => dims.push(n as u64),
                _ => return wrong("a dimension is no size"),
            }
        }
        let there = self.machine.len(&elements) as u64;
        let count = dims.iter().try_fold(1u64, |n, &dim| n.checked_mul(dim));
        if !shape.takes(&dims) || dims.len() > MAX_RANK || count != Some(there) {
            return wrong("its dimensions are others");
        }
        // An array without elements may have any number of empty rows.
        let rows = dims.iter().rev().skip(1).try_fold(1u64, |n, &dim| n.checked_mul(dim));
        if rows.is_none_or(|rows| rows > MAX_ROWS.max(there)) {
            return wrong("it has too many rows");
        }
        self.open(Some(elements), Items::Each(element), Kind::Grid(dims))
    }
}

/// The number that an item is.
fn number<M: Machine>(item: &Item<M>) -> Option<Value<M>> {
    Some(match *item {
        Item::I8(n) => Value::Integer(n.into()),
        Item::I16(n) => Value::Integer(n.into()),
        Item::I32(n) => Value::Integer(n.into()),
        Item::I64(n) => Value::Integer(n),
        Item::F32(x) => Value::Float(x.into()),
        Item::F64(x) => Value::Float(x),
        Item::Null | Item::List(_) | Item::Reference(_) => return None,
    })
}

/// A number of the type that its record says.
fn scalar<M: Machine>(record: &Record, item: &Item<M>) -> Option<Value<M>> {
    Some(match (record, number(item)?) {
        (Record::Integer(1), Value::Integer(n)) => Value::Bool(n & 1 == 1),
        (Record::Integer(8), Value::Integer(n)) => Value::Integer((n as i8).into()),
        (Record::Integer(16), Value::Integer(n)) => Value::Integer((n as i16).into()),
        (Record::Integer(32), Value::Integer(n)) => Value::Integer((n as i32).into()),
        (Record::Integer(64), value @ Value::Integer(_)) => value,
        (Record::Float(16), Value::Integer(n)) => Value::Float(half(n as u16)),
        (Record::Bfloat, Value::Integer(n)) => Value::Float(bfloat(n as u16)),
        (Record::Float(16 | 32 | 64) | Record::Bfloat, value @ Value::Float(_)) => value,
        _ => return None,
    })
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

/// The BFloat16 with these bits.
fn bfloat(bits: u16) -> f64 {
    f32::from_bits(u32::from(bits) << 16).into()
}

/// The half with these bits. (The crate `half` is three crates for this and `bfloat`.)
fn half(bits: u16) -> f64 {
    // As a double's fields they are the number divided by the ratio of the formats' smallest exponents.
    let number = f64::from_bits(u64::from(bits & 0x7fff) << 42) * 2f64.powi(1023 - 15);
    let magnitude = match bits & 0x7fff {
        0x7c00 => f64::INFINITY,
        0x7c01.. => f64::NAN,
        _ => number,
    };
    magnitude.copysign(if bits >> 15 == 1 { -1.0 } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gusset_codegen::ir::Type;

    /// Every number comes back from what arguments become; what lies between two becomes the nearer one, or the even
    /// one.
    #[test]
    fn sixteen_bits() {
        for (ty, value) in [(Type::F16, half as fn(u16) -> f64), (Type::BF16, bfloat)] {
            let to_bits = |x: f64| gusset_lower::from_f64(x.to_bits(), ty) as u16;
            for bits in 0..=u16::MAX {
                let x = value(bits);
                if x.is_nan() {
                    assert!(value(to_bits(x)).is_nan());
                    continue;
                }
                assert_eq!(to_bits(x), bits, "{x}");
                let next = value(bits + 1);
                if bits >> 15 == 0 && next.is_finite() {
                    let middle = (x + next) / 2.0;
                    assert_eq!(to_bits(middle), bits + (bits & 1), "{x}");
                    assert_eq!(to_bits(f64::from_bits(middle.to_bits() + 1)), bits + 1, "{x}");
                    assert_eq!(to_bits(f64::from_bits(middle.to_bits() - 1)), bits, "{x}");
                }
            }
            let infinity = to_bits(f64::INFINITY);
            assert_eq!(to_bits(f64::MAX), infinity);
            let (largest, step) = (value(infinity - 1), value(infinity - 1) - value(infinity - 2));
            assert_eq!(to_bits(largest + step / 2.0), infinity);
            assert_eq!(to_bits(largest + step * 0.49), infinity - 1);
            assert_eq!(to_bits(f64::MIN_POSITIVE), 0);
            assert_eq!(to_bits(-0.0), 0x8000);
        }
    }
}
