//! A machine for calls by records.

use gusset_iree::{Item, Machine, Record, Shape, Strided, Value};

/// A machine whose lists are vectors, and whose arrays are texts.
#[derive(Clone, PartialEq, Debug)]
pub struct Fake;

impl Machine for Fake {
    type List = Items;
    type Reference = String;
    type Array = String;
    type Error = String;

    fn new_list(&mut self, element: Option<&Record>, _: usize) -> Result<Self::List, String> {
        Ok(Items(Vec::new(), element.map(Record::to_string)))
    }

    fn push(&mut self, list: &mut Self::List, item: Item<Self>) -> Result<(), String> {
        list.0.push(item);
        Ok(())
    }

    fn len(&self, list: &Self::List) -> usize {
        list.0.len()
    }

    fn get(&mut self, list: &Self::List, number: usize) -> Result<Item<Self>, String> {
        list.0.get(number).cloned().ok_or("there is no such item".into())
    }

    fn pass(&mut self, array: String, wanted: Option<(&Record, &Shape)>) -> Result<String, String> {
        match wanted {
            Some((Record::Float(32), Shape::Ranked(dims))) if dims.len() == 2 && array != "2x2" => {
                Err("not 2x2".into())
            }
            Some((element, _)) => Ok(format!("view of {array}, {element}")),
            None => Ok(format!("view of {array}")),
        }
    }

    fn dense(&mut self, array: Strided<String>, element: &Record, _: &Shape) -> Result<String, String> {
        // Of this many bytes in turn.
        let bytes: Vec<u8> = (0..array.buffer.parse().map_err(|_| "no buffer")?).collect();
        let copy = array.gather(&bytes, 1, 1 << 10).map_err(|e| e.to_string())?;
        Ok(format!("view of {copy:?}, {element}"))
    }

    fn take(&mut self, reference: String, wanted: Option<(&Record, &Shape)>) -> Result<Value<Self>, String> {
        match (reference.strip_prefix("view of "), wanted) {
            (Some(array), Some((Record::Integer(1), _))) => Ok(Value::Array(format!("{array} as \"i1\""))),
            (Some(array), _) => Ok(Value::Array(array.into())),
            (None, None) => Ok(Value::Reference(reference)),
            (None, Some(_)) => Err("no view".into()),
        }
    }
}

/// Items, and the type that they all are of.
#[derive(Clone, PartialEq, Debug)]
pub struct Items(pub Vec<I>, pub Option<String>);

pub type V = Value<Fake>;
pub type I = Item<Fake>;

pub fn items(all: Vec<I>) -> I {
    Item::List(Items(all, None))
}

pub fn int(n: i64) -> V {
    Value::Integer(n)
}

pub fn list(all: &[V]) -> V {
    Value::List(all.to_vec())
}

pub fn dict(all: &[(&str, V)]) -> V {
    Value::Dict(all.iter().map(|(k, v)| (k.to_string(), v.clone())).collect())
}
