//! IREE's type records: damaged texts of them, calls by random ones, and functions of these in modules and programs.

use gusset::iree::{Hal, Loader, ModuleBuilder, Route, Wrapper};
use gusset::{BuilderOptions, ObjectBuilder, Relocation};
use gusset_abi::memref::{Float8, TypeConverter};
use gusset_abi::{AbiFeatures, AbiTarget};
use gusset_iree::{
    Block, Class, Convention, Detail, Dim, Entry, Invoker, Item, Machine, Model, Record, Reflection, Shape, Storage,
    Strided, Value,
};

use crate::source::Source;

/// Records to start from.
const SEEDS: [&str; 4] = [
    r#"{"a":["f32",["ndarray","f32",1,null],["named","y",["ndarray","f32",2,4,null]]],"r":[["ndarray","f32",null]]}"#,
    r#"{"a":[["slist","i8",null,["stuple","f64","unknown"]],"bf16","i1"],"r":[["sdict",["a","i32"],["b~/",["slist"]]]]}"#,
    r#"{"a":[["py_homogeneous_list",["sdict",["k","i64"]]],["ndarray",["slist","i8"],2,null,2]],"r":["f16","i16"]}"#,
    r#"{"a":[["named","x","i32"],["named","y","i32"]],"r":[["ndarray","complex<f64>",3,1,0,18446744073709551615]]}"#,
];
/// What comes into them.
const WORDS: [&str; 16] = [
    "null",
    "\"i8\"",
    "\"i4\"",
    "\"f80\"",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\"slist\"",
    "\"ndarray\"",
    "-1",
    "1e9",
    "\"\\u00",
    "\"",
];
const TRIPLES: [&str; 3] = ["x86_64-unknown-linux-gnu", "i686-unknown-linux-gnu", "armv7-unknown-linux-gnueabihf"];

/// A text of records from bytes: the bytes themselves, or records that are damaged as the bytes say.
pub fn text(bytes: &[u8]) -> Vec<u8> {
    let mut src = Source::new(bytes);
    if src.below(8) == 0 {
        return bytes.get(1..).unwrap_or_default().to_vec();
    }
    let mut text = src.pick(&SEEDS).as_bytes().to_vec();
    for _ in 0..src.below(4) {
        let (at, end) = (src.below(text.len() as u32 + 1) as usize, src.below(text.len() as u32 + 1) as usize);
        let (at, end) = (at.min(end), at.max(end).min(at.min(end) + 12));
        let new = match src.below(3) {
            0 => Vec::new(),
            1 => src.pick(&WORDS).as_bytes().to_vec(),
            _ => text[end..(end + src.below(20) as usize).min(text.len())].to_vec(),
        };
        text.splice(at..end, new);
    }
    text
}

/// Reads a text of records, and what is read is looked at. True if it is accepted.
///
/// # Errors
/// What has to hold does not.
pub fn read(text: &[u8]) -> Result<bool, String> {
    let Ok(text) = std::str::from_utf8(text) else { return Ok(false) };
    match Reflection::parse(text) {
        Ok(reflection) => look(&reflection).map(|()| true),
        Err(error) if error.byte(text) > text.len() + 1 => Err(format!("{error} is after the text")),
        Err(_) => Ok(false),
    }
}

/// What has to hold of all records: they print as a text that is read as the same; conventions are read as printed; everything
/// else is had, or an error.
fn look(reflection: &Reflection) -> Result<(), String> {
    let text = reflection.to_string();
    match Reflection::parse(&text) {
        Ok(again) if again == *reflection => {}
        other => return Err(format!("{text} is read as {other:?}")),
    }
    let mut entry = Entry::new("f", "f", reflection.clone());
    for model in [Model::Sync, Model::CoarseFences] {
        entry.model = model;
        let _ = entry.attribute_pairs().map_err(|e| e.to_string())?;
    }
    reflection.python_takes();
    if let Ok(convention) = entry.convention() {
        if Convention::parse(&convention.to_string()) != Ok(convention.clone()) {
            return Err(format!("{convention} is read otherwise"));
        }
        for triple in TRIPLES {
            let target = AbiTarget::from_triple(triple, AbiFeatures::default()).map_err(|e| e.to_string())?;
            let block = Block::new(&convention.args, &target).map_err(|e| e.to_string())?;
            if block.offsets.len() != convention.args.len() || block.packed_size > block.size {
                return Err(format!("{convention} has the block {block:?}"));
            }
            if let Ok(ty) = entry.function_type() {
                let _ = TypeConverter::new(&target).c_interface(&ty);
            }
        }
    }
    Ok(())
}

/// A machine whose lists are vectors, and whose arrays are numbers.
#[derive(Clone, PartialEq, Debug)]
struct Vectors;

#[derive(Clone, PartialEq, Debug)]
struct Items(Vec<Item<Vectors>>);

type V = Value<Vectors>;

impl Machine for Vectors {
    type List = Items;
    type Reference = u32;
    type Array = u32;
    type Error = String;

    fn new_list(&mut self, _: Option<&Record>, _: usize) -> Result<Items, String> {
        Ok(Items(Vec::new()))
    }
    fn push(&mut self, list: &mut Items, item: Item<Vectors>) -> Result<(), String> {
        list.0.push(item);
        Ok(())
    }
    fn len(&self, list: &Items) -> usize {
        list.0.len()
    }
    fn get(&mut self, list: &Items, number: usize) -> Result<Item<Vectors>, String> {
        list.0.get(number).cloned().ok_or("there is no such item".into())
    }
    fn pass(&mut self, array: u32, _: Option<(&Record, &Shape)>) -> Result<u32, String> {
        Ok(array)
    }
    fn dense(&mut self, array: Strided<u32>, _: &Record, _: &Shape) -> Result<u32, String> {
        array.gather(&[7; 64], 1, 1 << 12).map(|bytes| bytes.len() as u32).map_err(|e| e.to_string())
    }
    fn take(&mut self, reference: u32, _: Option<(&Record, &Shape)>) -> Result<V, String> {
        Ok(Value::Array(reference))
    }
}

/// A record that values come back by.
fn record(src: &mut Source<'_>, depth: u32) -> Record {
    let slots = |src: &mut Source<'_>| (0..src.below(4)).map(|_| record(src, depth - 1)).collect::<Vec<_>>();
    match src.below(if depth == 0 { 8 } else { 13 }) {
        0 => Record::Integer(src.pick(&[1, 8, 16, 32, 64])),
        1 => Record::Float(src.pick(&[16, 32, 64])),
        2 => Record::Bfloat,
        3 => Record::Null,
        4 => Record::Unknown,
        5 => Record::Integer(64),
        6 | 7 => {
            let shape = if src.chance(4) { Shape::Unranked } else { shape(src) };
            Record::Ndarray { element: Box::new(Record::Float(src.pick(&[32, 64]))), shape }
        }
        8 => Record::List(slots(src)),
        9 => Record::Tuple(slots(src)),
        10 => Record::Dict(slots(src).into_iter().enumerate().map(|(i, slot)| (format!("k{}", 9 - i), slot)).collect()),
        11 => Record::Homogeneous(Box::new(record(src, depth - 1))),
        _ => {
            // Of references, with elements that are lists.
            Record::Ndarray { element: Box::new(Record::List(slots(src))), shape: shape(src) }
        }
    }
}

fn shape(src: &mut Source<'_>) -> Shape {
    Shape::Ranked((0..src.below(4)).map(|_| src.chance(8).then(|| src.below(3).into())).collect())
}

/// A value that a record takes and gives back as it is.
fn value(src: &mut Source<'_>, record: &Record) -> V {
    let each = |src: &mut Source<'_>, slots: &[Record]| slots.iter().map(|slot| value(src, slot)).collect::<Vec<V>>();
    let number = |src: &mut Source<'_>| i64::from(src.byte() as i8);
    match record {
        Record::Integer(1) => Value::Bool(src.chance(8)),
        Record::Integer(_) => Value::Integer(number(src)),
        Record::Float(_) | Record::Bfloat | Record::Complex(_) => Value::Float(number(src) as f64),
        Record::Null => Value::Null,
        Record::Unknown if src.chance(8) => Value::Null,
        Record::Unknown => Value::Integer(number(src)),
        Record::Named { of, .. } => value(src, of),
        Record::Ndarray { element, .. } if element.is_number() => Value::Array(src.byte().into()),
        Record::Ndarray { element, shape } => match shape {
            Shape::Ranked(dims) => {
                let sizes: Vec<u64> = dims.iter().map(|dim| dim.unwrap_or_else(|| src.below(3).into())).collect();
                grid(src, element, &sizes)
            }
            Shape::Unranked => Value::Null,
        },
        Record::List(slots) => Value::List(each(src, slots)),
        Record::Tuple(slots) => Value::Tuple(each(src, slots)),
        Record::Dict(slots) => Value::Dict(slots.iter().map(|(key, slot)| (key.clone(), value(src, slot))).collect()),
        Record::Homogeneous(of) => Value::List((0..src.below(4)).map(|_| value(src, of)).collect()),
    }
}

/// An array of references: lists in each other.
fn grid(src: &mut Source<'_>, element: &Record, sizes: &[u64]) -> V {
    match sizes.split_first() {
        None => value(src, element),
        Some((&size, rest)) => Value::List((0..size).map(|_| grid(src, element, rest)).collect()),
    }
}

/// Any value.
fn anything(src: &mut Source<'_>, depth: u32) -> V {
    let some = |src: &mut Source<'_>| (0..src.below(3)).map(|_| anything(src, depth - 1)).collect::<Vec<V>>();
    match src.below(if depth == 0 { 7 } else { 10 }) {
        0 => Value::Null,
        1 => Value::Bool(src.chance(8)),
        2 => Value::Integer(src.word(8) as i64),
        3 => Value::Float(f64::from_bits(src.word(8) as u64)),
        4 => Value::Bytes(vec![src.byte(); src.below(3) as usize]),
        5 => Value::Reference(src.byte().into()),
        6 => Value::Strided(Strided {
            buffer: src.byte().into(),
            offset: (src.byte() as i8).into(),
            sizes: (0..src.below(3)).map(|_| src.below(9).into()).collect(),
            strides: (0..src.below(3)).map(|_| (src.byte() as i8).into()).collect(),
        }),
        7 => Value::List(some(src)),
        8 => Value::Tuple(some(src)),
        _ => Value::Dict(some(src).into_iter().map(|value| (format!("k{}", src.below(4)), value)).collect()),
    }
}

/// Calls by random records: what fits comes back as it is given, alone and by name; what may not fit is packed or refused, and so
/// are its items as results of other records.
///
/// # Errors
/// What has to hold does not.
pub fn call(bytes: &[u8]) -> Result<(), String> {
    let mut src = Source::new(bytes);
    let records: Vec<Record> = (0..src.between(1, 3)).map(|_| record(&mut src, 3)).collect();
    let values: Vec<V> = records.iter().map(|record| value(&mut src, record)).collect();
    // With another result, so that no list's slots are results of their own.
    let results: Vec<Record> = records.iter().cloned().chain([Record::Integer(8)]).collect();
    let named = Record::Named { name: "n".into(), of: Box::new(Record::Integer(8)) };
    let args: Vec<Record> = records.iter().cloned().chain([named]).collect();
    let reflection = Reflection { args, results };
    look(&reflection)?;
    let invoker = Invoker::new(reflection.clone());
    let fail = |what: String| format!("{reflection}: {what}");
    let packed = invoker.pack(&mut Vectors, values.clone(), vec![("n".into(), Value::Integer(5))]);
    let packed = packed.map_err(|e| fail(format!("{values:?} is refused: {e}")))?;
    let back = invoker.unpack(&mut Vectors, &packed).map_err(|e| fail(format!("{packed:?} is refused: {e}")))?;
    let wanted: Vec<V> = values.into_iter().chain([Value::Integer(5)]).collect();
    if back != wanted {
        return Err(fail(format!("{wanted:?} comes back as {back:?}")));
    }
    // Whatever fits or not.
    let values: Vec<V> = (0..src.below(4)).map(|_| anything(&mut src, 3)).collect();
    let other = Invoker::new(Reflection { args: records.clone(), results: records });
    for invoker in [Invoker::dynamic(), other] {
        if let Ok(packed) = invoker.pack(&mut Vectors, values.clone(), Vec::new()) {
            let _ = invoker.unpack(&mut Vectors, &packed);
            let _ = Invoker::new(reflection.clone()).unpack(&mut Vectors, &packed);
        }
    }
    Ok(())
}

/// What the fuzz target makes of bytes: damaged records, a call, or a module, as the last byte says. `said` gets the text of the first.
///
/// # Errors
/// What has to hold does not.
pub fn try_any(bytes: &[u8], said: impl FnOnce(&[u8])) -> Result<(), String> {
    match bytes.last().copied().unwrap_or(0) % 3 {
        0 => {
            let text = text(bytes);
            said(&text);
            read(&text).map(drop)
        }
        1 => call(bytes),
        _ => module(bytes).map(drop),
    }
}

/// A random function. What it says of its values mostly fits them, and need not.
fn entry(src: &mut Source<'_>, name: &str) -> Entry {
    let args: Vec<Record> = (0..src.below(4)).map(|_| record(src, 3)).collect();
    let mut results = Vec::new();
    let mut entry = Entry::new(name, format!("c_{name}"), Reflection::default());
    entry.model = if src.chance(4) { Model::CoarseFences } else { Model::Sync };
    let detail = |record: &Record, src: &mut Source<'_>| Detail {
        class: class(src, record),
        seen_as: seen(src),
        ..Detail::default()
    };
    entry.args = args.iter().map(|record| detail(record, src)).collect();
    for _ in 0..src.below(4) {
        let arg = src.below(4) as usize;
        let given = args.get(arg).filter(|_| src.chance(14));
        // Lists are no results of a module's.
        let depth = if src.chance(1) { 2 } else { 0 };
        let (record, storage) = match (src.below(4), given) {
            (0, Some(given @ Record::Ndarray { .. })) => (given.clone(), Storage::Argument(arg)),
            (1, Some(given @ Record::Ndarray { .. })) => (given.clone(), Storage::Tied(arg)),
            (2, _) => {
                let sizes: Vec<Dim> = (0..src.below(4)).map(|_| dim(src)).collect();
                let shape = Shape::Ranked(sizes.iter().map(|_| None).collect());
                let element = Box::new(Record::Integer(src.pick(&[1, 8, 16, 32, 64])));
                let other = src.chance(1);
                let record = if other { record(src, 0) } else { Record::Ndarray { element, shape } };
                (record, Storage::Passed(sizes))
            }
            _ => match record(src, depth) {
                Record::Null | Record::Unknown if depth == 0 => (Record::Float(32), Storage::Returned),
                record => (record, Storage::Returned),
            },
        };
        entry.results.push(detail(&record, src));
        entry.storages.push(storage);
        results.push(record);
    }
    entry.reflection = Reflection { args, results };
    entry
}

/// A class, mostly one that a value may have.
fn class(src: &mut Source<'_>, record: &Record) -> Option<Class> {
    let element = match record {
        Record::Ndarray { element, .. } => element,
        record => record,
    };
    if !matches!(element, Record::Integer(_)) && !src.chance(1) {
        return None;
    }
    match src.below(8) {
        0 => Some(Class::Signed),
        1 => Some(Class::Unsigned),
        2 if *element == Record::Integer(8) || src.chance(1) => Some(Class::Float8(src.pick(&Float8::ALL))),
        _ => None,
    }
}

fn dim(src: &mut Source<'_>) -> Dim {
    match src.chance(4) {
        true => Dim::Of { arg: src.below(4) as usize, dim: src.below(3) as usize },
        false => Dim::Known(src.pick(&[0, 1, 2, u64::MAX, 1 << 62])),
    }
}

/// An array of another type, seldom.
fn seen(src: &mut Source<'_>) -> Option<Record> {
    src.chance(1).then(|| {
        let element = Box::new(Record::Integer(src.pick(&[8, 16, 32, 64])));
        Record::Ndarray { element, shape: shape(src) }
    })
}

/// Makes a module of random functions, or what dispatches them: an object or an error. True if it is one.
///
/// # Errors
/// The object is said to be one and is not.
pub fn module(bytes: &[u8]) -> Result<bool, String> {
    let mut src = Source::new(bytes);
    let target = gusset::Target::from_triple(src.pick(&TRIPLES), &gusset::Features::default());
    let target = target.map_err(|e| e.to_string())?;
    let hal = if src.chance(4) { Hal::Inline } else { Hal::Device };
    let (fails, dispatched) = (src.chance(8), src.chance(5));
    let route = src.pick(&[Route::Executable, Route::Library, Route::Plugin]);
    let loader = src.pick(&[Loader::Embedded, Loader::System]);
    let entries: Vec<Entry> = (0..src.between(1, 3)).map(|i| entry(&mut src, &format!("f{i}"))).collect();
    let options = BuilderOptions::new().relocation(Relocation::Pic);
    let mut object = ObjectBuilder::new(&target, &options);
    let mut define = || -> Result<(), gusset::Error> {
        if dispatched {
            let wrapper = Wrapper { loader, ..Wrapper::new("m", &entries, route) };
            wrapper.text(&target, &["m.o"])?;
            return wrapper.define(&mut object);
        }
        let mut builder = ModuleBuilder::new("m", hal)?;
        if fails {
            builder.can_fail();
        }
        for entry in &entries {
            builder.export(entry.clone())?;
        }
        // The first one is another module's, too.
        if let (true, Some(entry)) = (src.chance(4), entries.first()) {
            builder.import(Entry { name: "n.f".into(), symbol: "imported".into(), ..entry.clone() })?;
        }
        builder.define(&mut object)
    };
    if define().is_err() {
        return Ok(false);
    }
    let bytes = object.finish().map_err(|e| format!("{entries:?}: {e}"))?;
    if bytes.starts_with(b"\x7FELF") { Ok(true) } else { Err("it is no ELF file".into()) }
}
