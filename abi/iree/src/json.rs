//! Records as JSON.

use std::fmt;

use serde_json::Value;

use crate::declaration::ABI;
use crate::error::{Error, Place};
use crate::record::{Record, Reflection, Shape};

/// Widest integer that a record may have, in bits.
const MAX_BITS: u32 = 1 << 16;

impl Reflection {
    /// Reads the attribute `iree.abi` (in the document also `d`): an object of the arrays `a` and `r`. Lists may be nested in each
    /// other up to 120 times.
    ///
    /// # Errors
    /// The text is no JSON, or not such an object, or has something in it that is no record; the error says where.
    pub fn parse(text: &str) -> Result<Reflection, Error> {
        let value: Value = serde_json::from_str(text).map_err(|e| Error {
            place: Place::Text { line: e.line(), column: e.column() },
            // The place stands in front.
            message: format!("reflection metadata is not valid JSON: {}", reason(&e)),
        })?;
        let Value::Object(object) = &value else {
            return Err(Error::at(
                "",
                "malformed function reflection metadata: it is not an object of the lists `a` and `r`",
            ));
        };
        if let Some(key) = object.keys().find(|key| !matches!(key.as_str(), "a" | "r")) {
            return Err(Error::at(&member("", key), "the reflection has `a` and `r` alone"));
        }
        let list = |key: &str, named: bool| -> Result<Vec<Record>, Error> {
            let pointer = format!("/{key}");
            match object.get(key) {
                Some(Value::Array(all)) => {
                    all.iter().enumerate().map(|(i, v)| record(v, &format!("{pointer}/{i}"), named)).collect()
                }
                Some(_) => Err(Error::at(
                    &pointer,
                    "malformed function reflection metadata structure: the records stand in a list",
                )),
                None => Err(Error::at("", format!("malformed function reflection metadata: it has no list `{key}`"))),
            }
        };
        let reflection = Reflection { args: list("a", true)?, results: list("r", false)? };
        reflection.check_names()?;
        Ok(reflection)
    }

    /// The records that a function has among its attributes: those of `iree.abi`, else those of `d`, as the document calls them too.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn of_attributes<'a>(
        attributes: impl Clone + IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Option<Reflection>, Error> {
        let find = |key: &str| attributes.clone().into_iter().find(|pair| pair.0 == key);
        find(ABI).or_else(|| find("d")).map(|(_, text)| Reflection::parse(text)).transpose()
    }

    /// An error unless each name is that of one argument.
    fn check_names(&self) -> Result<(), Error> {
        let name = |record: &Record| match record {
            Record::Named { name, .. } => Some(name.clone()),
            _ => None,
        };
        let mut seen = std::collections::HashSet::new();
        for (i, name) in self.args.iter().enumerate().filter_map(|(i, record)| Some((i, name(record)?))) {
            if !seen.insert(name.clone()) {
                return Err(Error::at(&format!("/a/{i}/1"), format!("another argument is called `{name}`, too")));
            }
        }
        Ok(())
    }

    /// The same as JSON.
    pub fn to_json(&self) -> Value {
        let list = |records: &[Record]| Value::Array(records.iter().map(Record::to_json).collect());
        serde_json::json!({ "a": list(&self.args), "r": list(&self.results) })
    }
}

/// The text that [`Reflection::parse`] reads.
impl fmt::Display for Reflection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_json())
    }
}

impl Record {
    /// Reads a record by itself, which may be a named one.
    ///
    /// # Errors
    /// As [`Reflection::parse`].
    pub fn from_json(value: &Value) -> Result<Record, Error> {
        record(value, "", true)
    }

    /// The record as JSON.
    pub fn to_json(&self) -> Value {
        let compound = |kind: &str, rest: Vec<Value>| {
            let mut all = vec![Value::from(kind)];
            all.extend(rest);
            Value::Array(all)
        };
        let slots = |slots: &[Record]| slots.iter().map(Record::to_json).collect();
        match self {
            Record::Integer(bits) => format!("i{bits}").into(),
            Record::Float(bits) => format!("f{bits}").into(),
            Record::Bfloat => "bf16".into(),
            Record::Complex(bits) => format!("complex<f{bits}>").into(),
            Record::Null => Value::Null,
            Record::Unknown => "unknown".into(),
            Record::Named { name, of } => compound("named", vec![name.as_str().into(), of.to_json()]),
            Record::Ndarray { element, shape } => {
                let mut rest = vec![element.to_json()];
                match shape {
                    Shape::Unranked => rest.push(Value::Null),
                    Shape::Ranked(dims) => {
                        rest.push(dims.len().into());
                        rest.extend(dims.iter().map(|&dim| dim.map_or(Value::Null, Value::from)));
                    }
                }
                compound("ndarray", rest)
            }
            Record::List(all) => compound("slist", slots(all)),
            Record::Tuple(all) => compound("stuple", slots(all)),
            Record::Dict(all) => {
                let pair = |(key, slot): &(String, Record)| Value::Array(vec![key.as_str().into(), slot.to_json()]);
                compound("sdict", all.iter().map(pair).collect())
            }
            Record::Homogeneous(element) => compound("py_homogeneous_list", vec![element.to_json()]),
        }
    }
}

/// The text of a record by itself.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_json())
    }
}

/// What an error says besides its place, with which it ends.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(reason, _)| reason.to_string())
}

/// The place of a member of an object (RFC 6901).
fn member(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// Reads the record at a place; `named`: it may have a name, as arguments have.
fn record(value: &Value, pointer: &str, named: bool) -> Result<Record, Error> {
    match value {
        Value::Null => Ok(Record::Null),
        Value::String(word) => primitive(word).ok_or_else(|| Error::at(pointer, format!("`{word}` is no type"))),
        Value::Array(all) => {
            let Some((kind, fields)) = all.split_first() else {
                return Err(Error::at(pointer, "a compound type begins with its kind"));
            };
            let Value::String(kind) = kind else {
                return Err(Error::at(&format!("{pointer}/0"), "a compound type begins with its kind, a string"));
            };
            compound(kind, fields, pointer, named)
        }
        _ => Err(Error::at(pointer, "a type is a string, null or a list")),
    }
}

/// The type that a word is.
fn primitive(word: &str) -> Option<Record> {
    let bits = |digits: &str| {
        let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
        digits.parse().ok().filter(|bits| plain && *bits <= MAX_BITS)
    };
    match word {
        "unknown" => Some(Record::Unknown),
        "bf16" => Some(Record::Bfloat),
        "complex<f32>" => Some(Record::Complex(32)),
        "complex<f64>" => Some(Record::Complex(64)),
        _ => match word.split_at_checked(1)? {
            ("i", digits) => bits(digits).map(Record::Integer),
            ("f", digits) => bits(digits).map(Record::Float),
            _ => None,
        },
    }
}

fn compound(kind: &str, fields: &[Value], pointer: &str, named: bool) -> Result<Record, Error> {
    // The kind is number 0.
    let field = |i: usize| format!("{pointer}/{}", i + 1);
    let one = |i: usize| record(&fields[i], &field(i), false);
    let count = |n: usize, what: &str| match fields.len() == n {
        true => Ok(()),
        false => Err(Error::at(pointer, format!("`{kind}` has {what}, {} found", fields.len()))),
    };
    let slots = || fields.iter().enumerate().map(|(i, _)| one(i)).collect::<Result<Vec<_>, _>>();
    match kind {
        "named" => {
            count(2, "a name and a type")?;
            let Value::String(name) = &fields[0] else { return Err(Error::at(&field(0), "a name is a string")) };
            if !named {
                return Err(Error::at(pointer, "arguments alone have names"));
            }
            Ok(Record::Named { name: name.clone(), of: Box::new(one(1)?) })
        }
        "ndarray" => ndarray(fields, pointer),
        "slist" => Ok(Record::List(slots()?)),
        "stuple" => Ok(Record::Tuple(slots()?)),
        "sdict" => dict(fields, pointer),
        "py_homogeneous_list" => {
            count(1, "one type")?;
            Ok(Record::Homogeneous(Box::new(one(0)?)))
        }
        _ => Err(Error::at(&format!("{pointer}/0"), format!("`{kind}` is no kind of type"))),
    }
}

fn ndarray(fields: &[Value], pointer: &str) -> Result<Record, Error> {
    let [element, rank, dims @ ..] = fields else {
        return Err(Error::at(pointer, "`ndarray` has an element type and a rank"));
    };
    let element = Box::new(record(element, &format!("{pointer}/1"), false)?);
    let rank_place = format!("{pointer}/2");
    let shape = match rank {
        Value::Null if dims.is_empty() => Shape::Unranked,
        Value::Null => return Err(Error::at(&format!("{pointer}/3"), "an array of unknown rank has no dimensions")),
        rank => {
            let rank = rank.as_u64().ok_or_else(|| Error::at(&rank_place, "a rank is a number or null"))?;
            if rank != dims.len() as u64 {
                return Err(Error::at(
                    &rank_place,
                    format!("the rank is {rank}, and {} dimensions follow", dims.len()),
                ));
            }
            let dim = |(i, dim): (usize, &Value)| match dim {
                Value::Null => Ok(None),
                dim => match dim.as_u64() {
                    Some(n) => Ok(Some(n)),
                    None => Err(Error::at(&format!("{pointer}/{}", i + 3), "a dimension is a number or null")),
                },
            };
            Shape::Ranked(dims.iter().enumerate().map(dim).collect::<Result<_, _>>()?)
        }
    };
    Ok(Record::Ndarray { element, shape })
}

fn dict(fields: &[Value], pointer: &str) -> Result<Record, Error> {
    let mut slots: Vec<(String, Record)> = Vec::with_capacity(fields.len());
    let mut seen = std::collections::HashSet::new();
    for (i, field) in fields.iter().enumerate() {
        let place = format!("{pointer}/{}", i + 1);
        let Some([Value::String(key), slot]) = field.as_array().map(Vec::as_slice) else {
            return Err(Error::at(&place, "a slot of `sdict` is a key and a type"));
        };
        if !seen.insert(key.as_str()) {
            return Err(Error::at(&format!("{place}/0"), format!("another slot is called `{key}`, too")));
        }
        slots.push((key.clone(), record(slot, &format!("{place}/1"), false)?));
    }
    Ok(Record::Dict(slots))
}
