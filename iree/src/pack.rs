//! Arguments: converts callers' values to the virtual machine's items.

use std::collections::HashMap;

use gusset_codegen::ir::Type;

use crate::error::Error;
use crate::machine::{Item, MAX_RANK, Machine, Value};
use crate::record::{Record, Shape};
use crate::strided::Strided;

/// A value with its record, if it has one; or the reason that there is no value.
type Given<'r, M> = (Result<Value<M>, String>, Option<&'r Record>);

/// The list of these values. They may be nested to any depth, so nothing here is recursive.
pub(crate) fn pack<M: Machine>(machine: &mut M, values: Vec<(Value<M>, Option<&Record>)>) -> Result<M::List, Error> {
    let mut pack = Pack { machine };
    let root = pack.open(None, given(values)).map_err(|why| Error::at("/a", why))?;
    let mut open = vec![root];
    loop {
        let Some(list) = open.last_mut() else { return Err(Error::at("", "there is no list")) };
        let filled = match list.values.next() {
            Some((value, record)) => {
                list.number += 1;
                let made = value.and_then(|value| match record {
                    Some(record) => pack.item(value, record),
                    None => pack.dynamic(value),
                });
                match made.map_err(|why| Error::at(&place(&open), why))? {
                    Made::Item(item) => item,
                    Made::Open(inner) => {
                        open.push(inner);
                        continue;
                    }
                }
            }
            None => {
                let Some(done) = open.pop() else { continue };
                if open.is_empty() {
                    return Ok(done.list);
                }
                pack.close(done).map_err(|why| Error::at(&place(&open), why))?
            }
        };
        if let Some(list) = open.last_mut() {
            let pushed = pack.machine.push(&mut list.list, filled);
            pushed.map_err(|e| Error::at(&place(&open), e.to_string()))?;
        }
    }
}

/// Values that exist.
fn given<M: Machine>(values: Vec<(Value<M>, Option<&Record>)>) -> Vec<Given<'_, M>> {
    values.into_iter().map(|(value, record)| (Ok(value), record)).collect()
}

/// Where the value is that is being packed.
fn place<M: Machine>(open: &[Open<'_, M>]) -> String {
    let number = |(depth, list): (usize, &Open<'_, M>)| match &list.grid {
        // Arguments count from 0; the kind of a compound type is item 0 of its record, the element of an array item 1.
        Some(_) => "/1".to_string(),
        None => format!("/{}", list.number - usize::from(depth == 0)),
    };
    std::iter::once("/a".to_string()).chain(open.iter().enumerate().map(number)).collect()
}

/// A list to which items are being pushed.
struct Open<'r, M: Machine> {
    list: M::List,
    /// The values to push.
    values: std::vec::IntoIter<Given<'r, M>>,
    /// Number of values taken from `values`.
    number: usize,
    /// The dimensions, if the list is the elements of an array of references.
    grid: Option<Vec<usize>>,
}

/// The result of converting a value.
enum Made<'r, M: Machine> {
    Item(Item<M>),
    /// A list, when its values are pushed.
    Open(Open<'r, M>),
}

struct Pack<'m, M> {
    machine: &'m mut M,
}

impl<M: Machine> Pack<'_, M> {
    fn new_list(&mut self, element: Option<&Record>, capacity: usize) -> Result<M::List, String> {
        self.machine.new_list(element, capacity).map_err(|e| e.to_string())
    }

    /// A list of these items.
    fn filled(
        &mut self,
        element: Option<&Record>,
        items: impl ExactSizeIterator<Item = Item<M>>,
    ) -> Result<Item<M>, String> {
        let mut list = self.new_list(element, items.len())?;
        for item in items {
            self.machine.push(&mut list, item).map_err(|e| e.to_string())?;
        }
        Ok(Item::List(list))
    }

    fn open<'r>(&mut self, element: Option<&Record>, values: Vec<Given<'r, M>>) -> Result<Open<'r, M>, String> {
        let list = self.new_list(element, values.len())?;
        Ok(Open { list, values: values.into_iter(), number: 0, grid: None })
    }

    /// A list of values, each with its record.
    fn list<'r>(&mut self, element: Option<&Record>, values: Vec<Given<'r, M>>) -> Result<Made<'r, M>, String> {
        self.open(element, values).map(Made::Open)
    }

    /// The item of a list whose values have been pushed.
    fn close(&mut self, done: Open<'_, M>) -> Result<Item<M>, String> {
        let Some(dims) = done.grid else { return Ok(Item::List(done.list)) };
        let sizes = self.numbers(dims.iter().map(|&dim| dim as i64))?;
        self.filled(None, [Item::List(done.list), sizes].into_iter())
    }

    /// Converts a value without a record.
    fn dynamic<'r>(&mut self, value: Value<M>) -> Result<Made<'r, M>, String> {
        let each = |all: Vec<Value<M>>| all.into_iter().map(|value| (Ok(value), None)).collect();
        Ok(Made::Item(match value {
            Value::Null => Item::Null,
            Value::Bool(b) => Item::I64(b.into()),
            Value::Integer(n) => Item::I64(n),
            Value::Float(x) => Item::F64(x),
            Value::Bytes(bytes) => self.bytes(&bytes)?,
            Value::List(all) | Value::Tuple(all) => return self.list(None, each(all)),
            Value::Dict(mut all) => {
                all.sort_by(|a, b| a.0.cmp(&b.0));
                return self.list(None, each(all.into_iter().map(|(_, value)| value).collect()));
            }
            Value::Array(array) => Item::Reference(self.machine.pass(array, None).map_err(|e| e.to_string())?),
            Value::Strided(strided) => self.strided(strided)?,
            Value::Reference(reference) => Item::Reference(reference),
        }))
    }

    /// Converts a string to a list of bytes.
    fn bytes(&mut self, bytes: &[u8]) -> Result<Item<M>, String> {
        self.filled(Some(&Record::Integer(8)), bytes.iter().map(|&b| Item::I8(b as i8)))
    }

    /// Converts a strided array to a list of four items.
    fn strided(&mut self, strided: Strided<M::Reference>) -> Result<Item<M>, String> {
        if strided.count().is_none_or(|count| i64::try_from(count).is_err()) {
            return Err("an array with strides has as many sizes as strides, and fewer than 2^63 elements".into());
        }
        let sizes = self.numbers(strided.sizes.iter().map(|&size| size as i64))?;
        let strides = self.numbers(strided.strides.iter().copied())?;
        let all = [Item::Reference(strided.buffer), Item::I64(strided.offset), sizes, strides];
        self.filled(None, all.into_iter())
    }

    /// A list of 64-bit integers.
    fn numbers(&mut self, all: impl ExactSizeIterator<Item = i64>) -> Result<Item<M>, String> {
        self.filled(Some(&Record::Integer(64)), all.map(Item::I64))
    }

    fn item<'r>(&mut self, value: Value<M>, record: &'r Record) -> Result<Made<'r, M>, String> {
        let other = |value: &Value<M>, wanted: &str| Err(format!("expected {wanted}, got {}", value.kind()));
        let wanted = |count: usize, got: &str| Err(format!("expected a sequence with {count} values. got: {got}"));
        Ok(Made::Item(match record.unnamed() {
            Record::Integer(bits) => integer(&value, *bits)?,
            Record::Float(16) => half(&value, Type::F16)?,
            Record::Bfloat => half(&value, Type::BF16)?,
            Record::Float(32) => Item::F32(float(&value)? as f32),
            Record::Float(64) => Item::F64(float(&value)?),
            Record::Float(_) | Record::Complex(_) => {
                return Err(format!("IREE's virtual machine has no values of type `{record}`"));
            }
            Record::Null => match value {
                Value::Null => Item::Null,
                value => return other(&value, "null"),
            },
            // A named record contains no other named one.
            Record::Unknown | Record::Named { .. } => return self.dynamic(value),
            Record::Ndarray { element, shape } if element.is_number() => self.array(value, element, shape, record)?,
            Record::Ndarray { element, shape } => return self.grid(value, element, shape),
            Record::List(slots) | Record::Tuple(slots) => match value {
                Value::Strided(strided) if *record == Strided::<M::Reference>::record() => self.strided(strided)?,
                Value::List(all) | Value::Tuple(all) if all.len() == slots.len() => {
                    return self.list(None, all.into_iter().map(Ok).zip(slots.iter().map(Some)).collect());
                }
                Value::List(all) | Value::Tuple(all) => return wanted(slots.len(), &format!("{} values", all.len())),
                value => return wanted(slots.len(), value.kind()),
            },
            Record::Dict(slots) => return self.dict(value, slots),
            Record::Homogeneous(element) => match value {
                Value::List(all) | Value::Tuple(all) => {
                    let values = all.into_iter().map(|value| (Ok(value), Some(&**element)));
                    return self.list(Some(element), values.collect());
                }
                Value::Bytes(bytes) if **element == Record::Integer(8) => self.bytes(&bytes)?,
                value => return other(&value, "a sequence"),
            },
        }))
    }

    /// An array of numbers.
    fn array(&mut self, value: Value<M>, element: &Record, shape: &Shape, record: &Record) -> Result<Item<M>, String> {
        let passed = match value {
            Value::Array(array) => self.machine.pass(array, Some((element, shape))),
            Value::Strided(array) => {
                let fits = array.sizes.len() == array.strides.len() && shape.takes(&array.sizes);
                if !fits {
                    return Err(format!("an array of sizes {:?} is no `{record}`", array.sizes));
                }
                self.machine.dense(array, element, shape)
            }
            Value::Reference(reference) => Ok(reference),
            Value::Null => return Ok(Item::Null),
            value => return Err(format!("expected an array, got {}", value.kind())),
        };
        passed.map(Item::Reference).map_err(|e| e.to_string())
    }

    fn dict<'r>(&mut self, value: Value<M>, slots: &'r [(String, Record)]) -> Result<Made<'r, M>, String> {
        let wanted = |got: &str| Err(format!("expected a dict with {} values. got: {got}", slots.len()));
        let all = match value {
            Value::Dict(all) if all.len() == slots.len() => all,
            Value::Dict(all) => return wanted(&format!("{} values", all.len())),
            value => return wanted(value.kind()),
        };
        let keys: Vec<String> = all.iter().map(|pair| pair.0.clone()).collect();
        let mut all: HashMap<String, Value<M>> = all.into_iter().collect();
        let slot = |(key, record): &'r (String, Record)| {
            let missing = || format!("could not get item '{key}' from: {}", keys.join(", "));
            (all.remove(key).ok_or_else(missing), Some(record))
        };
        let values = slots.iter().map(slot).collect();
        self.list(None, values)
    }

    /// Converts an array of references, given as nested lists, to the list of its elements in row-major order and the
    /// list of its dimensions.
    fn grid<'r>(&mut self, value: Value<M>, element: &'r Record, shape: &Shape) -> Result<Made<'r, M>, String> {
        let Shape::Ranked(wanted) = shape else {
            return Err("the rank of an array of references has to be known".into());
        };
        if wanted.len() > MAX_RANK {
            return Err(format!("an array of references has {MAX_RANK} dimensions at most"));
        }
        let (mut dims, mut rows) = (Vec::new(), vec![value]);
        for (i, dim) in wanted.iter().enumerate() {
            let (mut below, mut size) = (Vec::new(), dim.map(|n| n as usize));
            for row in rows {
                let (Value::List(all) | Value::Tuple(all)) = row else {
                    return Err(format!("dimension {i} is no sequence, but {}", row.kind()));
                };
                if *size.get_or_insert(all.len()) != all.len() {
                    let size = size.unwrap_or(0);
                    return Err(format!("dimension {i} has {} values, and {size} elsewhere", all.len()));
                }
                below.extend(all);
            }
            dims.push(size.unwrap_or(0));
            rows = below;
        }
        let values = rows.into_iter().map(|value| (Ok(value), Some(element))).collect();
        let open = self.open(Some(element), values)?;
        Ok(Made::Open(Open { grid: Some(dims), ..open }))
    }
}

fn integer<M: Machine>(value: &Value<M>, bits: u32) -> Result<Item<M>, String> {
    let n = match value {
        Value::Bool(b) => i64::from(*b),
        Value::Integer(n) => *n,
        value => return Err(format!("expected an integer, got {}", value.kind())),
    };
    let item = match bits {
        1 => (0..=1).contains(&n).then_some(Item::I32(n as i32)),
        8 => i8::try_from(n).ok().map(Item::I8),
        16 => i16::try_from(n).ok().map(Item::I16),
        32 => i32::try_from(n).ok().map(Item::I32),
        64 => Some(Item::I64(n)),
        _ => return Err(format!("IREE's virtual machine has no values of type `i{bits}`")),
    };
    item.ok_or_else(|| format!("{n} does not fit `i{bits}`"))
}

fn float<M: Machine>(value: &Value<M>) -> Result<f64, String> {
    match value {
        Value::Float(x) => Ok(*x),
        Value::Integer(n) => Ok(*n as f64),
        Value::Bool(b) => Ok(f64::from(u8::from(*b))),
        value => Err(format!("expected a number, got {}", value.kind())),
    }
}

/// A number of sixteen bits is passed as its bits.
fn half<M: Machine>(value: &Value<M>, ty: Type) -> Result<Item<M>, String> {
    Ok(Item::I32(gusset_lower::from_f64(float(value)?.to_bits(), ty) as i32))
}
