//! Random records, and values for them, of which some do not fit.

use fastrand::Rng;
use gusset_iree::{Item, Record, Shape, Value};

use super::machine::{Array, ELEMENTS, I, Items, V};

/// A record, mostly one that Python's invoker takes.
pub fn record(rng: &mut Rng, depth: u32) -> Record {
    const NUMBERS: [Record; 6] = [
        Record::Integer(8),
        Record::Integer(16),
        Record::Integer(32),
        Record::Integer(64),
        Record::Float(32),
        Record::Float(64),
    ];
    const OTHERS: [Record; 7] = [
        Record::Integer(1),
        Record::Float(16),
        Record::Bfloat,
        Record::Null,
        Record::Unknown,
        Record::Integer(4),
        Record::Complex(64),
    ];
    let slots = |rng: &mut Rng| -> Vec<Record> { (0..rng.u8(0..4)).map(|_| record(rng, depth - 1)).collect() };
    match rng.u8(0..if depth == 0 { 10 } else { 20 }) {
        0..6 => NUMBERS[rng.usize(..NUMBERS.len())].clone(),
        6..9 => ndarray(rng, depth),
        9 if rng.u8(..3) == 0 => OTHERS[rng.usize(..OTHERS.len())].clone(),
        9 => Record::Float(32),
        10..13 => Record::List(slots(rng)),
        13..16 => Record::Tuple(slots(rng)),
        16..19 => {
            // Keys in no order.
            let mut keys = ["b", "a", "", "\u{e4}\"/~", "c"].map(String::from);
            rng.shuffle(&mut keys);
            Record::Dict(keys.into_iter().zip(slots(rng)).collect())
        }
        _ if rng.u8(..3) == 0 => Record::Homogeneous(Box::new(record(rng, depth - 1))),
        _ => Record::List(slots(rng)),
    }
}

fn ndarray(rng: &mut Rng, depth: u32) -> Record {
    let element = match rng.u8(..40) {
        0 if depth > 0 => record(rng, depth - 1),
        1 => ELEMENTS[rng.usize(7..ELEMENTS.len())].0.clone(),
        _ => ELEMENTS[rng.usize(..7)].0.clone(),
    };
    let shape = match rng.u8(..6) {
        0 => Shape::Unranked,
        _ => Shape::Ranked((0..rng.u8(..4)).map(|_| rng.bool().then(|| rng.u64(..3))).collect()),
    };
    Record::Ndarray { element: Box::new(element), shape }
}

/// Sizes that fit a shape.
fn dims(rng: &mut Rng, shape: &Shape) -> Vec<u64> {
    match shape {
        Shape::Unranked => (0..rng.u8(..3)).map(|_| rng.u64(..3)).collect(),
        Shape::Ranked(dims) => dims.iter().map(|dim| dim.unwrap_or_else(|| rng.u64(..3))).collect(),
    }
}

/// Any value.
fn anything(rng: &mut Rng) -> V {
    let few = |rng: &mut Rng| (0..rng.u8(..3)).map(|n| Value::Integer(n.into())).collect::<Vec<V>>();
    match rng.u8(..11) {
        0 => Value::Null,
        1 => Value::Bool(rng.bool()),
        2 => Value::Integer(i64::from(rng.i32(..)) << rng.u8(..31)),
        3 => Value::Integer(rng.i64(-129..130)),
        4 => Value::Float(f64::from(rng.i32(..)) / 8.0),
        5 => Value::Bytes(["", "x", "xy"][rng.usize(..3)].into()),
        6 => Value::List(few(rng)),
        7 => Value::Tuple(few(rng)),
        8 => Value::Dict(
            [("a", 1), ("b", 2)].map(|(key, n)| (key.to_string(), Value::Integer(n)))[rng.usize(..3)..].to_vec(),
        ),
        _ => Value::Array(Array::of(ELEMENTS[rng.usize(..7)].1, vec![rng.u64(..3); rng.usize(..3)])),
    }
}

/// A value for a record; one in `odd` that are chosen on the way is any value.
pub fn value(rng: &mut Rng, record: &Record, odd: u32) -> V {
    if rng.u32(..odd) == 0 {
        return anything(rng);
    }
    let slots = |rng: &mut Rng, slots: &[Record]| -> Vec<V> {
        let mut all: Vec<V> = slots.iter().map(|slot| value(rng, slot, odd)).collect();
        match rng.u32(..2 * odd) {
            0 => drop(all.pop()),
            1 => all.push(Value::Integer(0)),
            _ => {}
        }
        all
    };
    match record {
        Record::Integer(1) => Value::Bool(rng.bool()),
        Record::Integer(64) => Value::Integer(rng.i64(..)),
        Record::Integer(bits) => Value::Integer(rng.i64(..) >> (64 - (*bits).clamp(2, 32))),
        Record::Float(_) | Record::Bfloat | Record::Complex(_) if rng.u8(..4) == 0 => Value::Integer(rng.i64(-99..99)),
        Record::Float(_) | Record::Bfloat | Record::Complex(_) => Value::Float(f64::from(rng.i16(..)) / 8.0),
        Record::Null => Value::Null,
        Record::Unknown => anything(rng),
        Record::Named { of, .. } => value(rng, of, odd),
        Record::Ndarray { element, shape } => {
            // Elements of another type are converted.
            let same = ELEMENTS.iter().find(|known| known.0 == **element && rng.u8(..3) > 0);
            let element = same.unwrap_or(&ELEMENTS[rng.usize(..7)]).1;
            Value::Array(Array::of(element, dims(rng, shape)))
        }
        Record::List(records) if rng.bool() => Value::Tuple(slots(rng, records)),
        Record::List(records) | Record::Tuple(records) => Value::List(slots(rng, records)),
        Record::Dict(records) => {
            let mut all: Vec<(String, V)> =
                records.iter().map(|(key, of)| (key.clone(), value(rng, of, odd))).collect();
            rng.shuffle(&mut all);
            match rng.u32(..2 * odd) {
                0 => drop(all.pop()),
                1 => all.push(("z".into(), Value::Integer(0))),
                2 => {
                    all.pop();
                    all.push(("z".into(), Value::Integer(0)));
                }
                _ => {}
            }
            Value::Dict(all)
        }
        Record::Homogeneous(of) => Value::List((0..rng.u8(..4)).map(|_| value(rng, of, odd)).collect()),
    }
}

fn list(all: impl IntoIterator<Item = I>) -> I {
    Item::List(Items(all.into_iter().collect()))
}

/// Any item that Python can make.
fn any_item(rng: &mut Rng) -> I {
    match rng.u8(..5) {
        0 => Item::I64(rng.i64(-300..300)),
        1 => Item::F64(f64::from(rng.i16(..)) / 8.0),
        2 => list((0..rng.u8(..3)).map(|n| Item::I64(n.into()))),
        3 => list(vec![Item::F64(0.5), list(vec![Item::I64(1)])]),
        _ => Item::Reference(Array::of(ELEMENTS[rng.usize(..7)].1, vec![rng.u64(..3); rng.usize(..3)])),
    }
}

/// An item for a result's record.
pub fn item(rng: &mut Rng, record: &Record, odd: u32) -> I {
    if rng.u32(..odd) == 0 {
        return any_item(rng);
    }
    match record {
        Record::Integer(64) => Item::I64(rng.i64(..)),
        Record::Integer(bits) => Item::I64(rng.i64(..) >> (64 - (*bits).clamp(1, 32))),
        Record::Float(_) | Record::Bfloat | Record::Complex(_) => Item::F64(f64::from(rng.i16(..)) / 8.0),
        Record::Null | Record::Unknown => any_item(rng),
        Record::Named { of, .. } => item(rng, of, odd),
        Record::Ndarray { element, shape } => match ELEMENTS.iter().find(|known| known.0 == **element) {
            Some(known) => Item::Reference(Array::of(known.1, dims(rng, shape))),
            None if element.is_number() => Item::Reference(Array::of("si16", dims(rng, shape))),
            // References to elements and their sizes.
            None => {
                let dims = dims(rng, shape);
                let elements: Vec<I> = (0..dims.iter().product()).map(|_: u64| item(rng, element, odd)).collect();
                list(vec![list(elements), list(dims.iter().map(|&n| Item::I64(n as i64)))])
            }
        },
        Record::List(slots) | Record::Tuple(slots) => list(items(rng, slots.iter(), odd)),
        Record::Dict(slots) => list(items(rng, slots.iter().map(|slot| &slot.1), odd)),
        Record::Homogeneous(of) => list((0..rng.u8(..4)).map(|_| item(rng, of, odd))),
    }
}

/// Items for the records of slots, of which one is rarely missing or one too many.
pub fn items<'r>(rng: &mut Rng, records: impl Iterator<Item = &'r Record>, odd: u32) -> Vec<I> {
    let mut all: Vec<I> = records.map(|record| item(rng, record, odd)).collect();
    match rng.u32(..2 * odd) {
        0 => drop(all.pop()),
        1 => all.push(Item::I64(0)),
        _ => {}
    }
    all
}
