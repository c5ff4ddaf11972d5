//! Lists and arrays as IREE's runtime for Python has them, and the texts of both sides that are compared.

use gusset_iree::{Item, Machine, Record, Shape, Strided, Value};
use serde_json::{Value as Json, json};

/// What does as NumPy and the runtime do.
#[derive(Clone, PartialEq, Debug)]
pub struct Numpy;

/// A list of items.
#[derive(Clone, PartialEq, Debug)]
pub struct Items(pub Vec<I>);

/// An array or a view of one: its elements' type, its sizes, its bytes.
#[derive(Clone, PartialEq, Debug)]
pub struct Array {
    pub element: &'static str,
    pub dims: Vec<u64>,
    pub bytes: Vec<u8>,
}

pub type V = Value<Numpy>;
pub type I = Item<Numpy>;

/// Elements by their records, with their sizes, and whether the invoker makes such arrays.
pub static ELEMENTS: [(Record, &str, usize, bool); 10] = [
    (Record::Integer(1), "i1", 1, true),
    (Record::Integer(8), "si8", 1, true),
    (Record::Integer(16), "si16", 2, true),
    (Record::Integer(32), "si32", 4, true),
    (Record::Integer(64), "si64", 8, true),
    (Record::Float(32), "f32", 4, true),
    (Record::Float(64), "f64", 8, true),
    (Record::Float(16), "f16", 2, false),
    (Record::Complex(32), "cf64", 8, false),
    (Record::Complex(64), "cf128", 16, false),
];

impl Machine for Numpy {
    type List = Items;
    type Reference = Array;
    type Array = Array;
    type Error = String;

    fn new_list(&mut self, _: Option<&Record>, capacity: usize) -> Result<Items, String> {
        Ok(Items(Vec::with_capacity(capacity)))
    }

    fn push(&mut self, list: &mut Items, item: I) -> Result<(), String> {
        list.0.push(item);
        Ok(())
    }

    fn len(&self, list: &Items) -> usize {
        list.0.len()
    }

    fn get(&mut self, list: &Items, number: usize) -> Result<I, String> {
        list.0.get(number).cloned().ok_or("there is no such item".into())
    }

    /// NumPy converts elements to the type that is wanted; shapes are not looked at.
    fn pass(&mut self, array: Array, wanted: Option<(&Record, &Shape)>) -> Result<Array, String> {
        let Some((record, _)) = wanted else { return Ok(array) };
        let known = ELEMENTS.iter().find(|known| known.0 == *record && known.3);
        Ok(array.converted(known.ok_or("there are no such arrays")?.1))
    }

    fn dense(&mut self, _: Strided<Array>, _: &Record, _: &Shape) -> Result<Array, String> {
        Err("Python has no strided arrays".into())
    }

    fn take(&mut self, reference: Array, wanted: Option<(&Record, &Shape)>) -> Result<V, String> {
        let Some((record, _)) = wanted else { return Ok(Value::Array(reference)) };
        let known = ELEMENTS.iter().find(|known| known.0 == *record).ok_or("there are no such arrays")?;
        Ok(Value::Array(reference.converted(known.1)))
    }
}

impl Array {
    /// One of small numbers, which all types have.
    pub fn of(element: &'static str, dims: Vec<u64>) -> Array {
        let count = dims.iter().product::<u64>();
        let bytes = (0..count).flat_map(|n| bytes_of(element, (n % 2) as f64)).collect();
        Array { element, dims, bytes }
    }

    fn converted(self, element: &'static str) -> Array {
        let size = ELEMENTS.iter().find(|known| known.1 == self.element).map_or(1, |known| known.2);
        // They are zeros and ones.
        let numbers = self.bytes.chunks(size).map(|bytes| f64::from(u8::from(bytes.iter().any(|&b| b != 0))));
        Array { element, dims: self.dims, bytes: numbers.flat_map(|x| bytes_of(element, x)).collect() }
    }
}

fn bytes_of(element: &str, x: f64) -> Vec<u8> {
    match element {
        "i1" | "si8" => vec![x as u8],
        "si16" => (x as i16).to_le_bytes().to_vec(),
        "si32" => (x as i32).to_le_bytes().to_vec(),
        "si64" => (x as i64).to_le_bytes().to_vec(),
        "f16" => vec![0, if x == 0.0 { 0 } else { 0x3c }],
        "f32" => (x as f32).to_le_bytes().to_vec(),
        "f64" => x.to_le_bytes().to_vec(),
        "cf64" => [(x as f32).to_le_bytes(), [0; 4]].concat(),
        _ => [x.to_le_bytes(), [0; 8]].concat(),
    }
}

fn array_text(kind: &str, array: &Array) -> Json {
    let bytes: String = array.bytes.iter().map(|b| format!("{b:02x}")).collect();
    json!([kind, array.element, array.dims, bytes])
}

/// An item as the script has it.
pub fn item_text(item: &I) -> Json {
    match item {
        Item::Null => json!(["null"]),
        Item::I8(n) => json!(["i8", n]),
        Item::I16(n) => json!(["i16", n]),
        Item::I32(n) => json!(["i32", n]),
        Item::I64(n) => json!(["i64", n]),
        Item::F32(x) => json!(["f32", f64::from(*x)]),
        Item::F64(x) => json!(["f64", x]),
        Item::List(all) => json!(["list", items_text(&all.0)]),
        Item::Reference(view) => array_text("view", view),
    }
}

pub fn items_text(all: &[I]) -> Json {
    all.iter().map(item_text).collect()
}

/// A value as the script has it.
pub fn value_text(value: &V) -> Json {
    let all = |all: &[V]| all.iter().map(value_text).collect::<Json>();
    match value {
        Value::Null => json!(["null"]),
        Value::Bool(b) => json!(["bool", b]),
        Value::Integer(n) => json!(["int", n]),
        Value::Float(x) => json!(["float", x]),
        Value::Bytes(bytes) => json!(["str", String::from_utf8_lossy(bytes)]),
        Value::List(list) => json!(["list", all(list)]),
        Value::Tuple(list) => json!(["tuple", all(list)]),
        Value::Dict(list) => {
            json!(["dict", list.iter().map(|(key, value)| json!([key, value_text(value)])).collect::<Json>()])
        }
        Value::Array(array) => array_text("array", array),
        Value::Reference(view) => array_text("view", view),
        Value::Strided(_) => json!(["strided"]),
    }
}
