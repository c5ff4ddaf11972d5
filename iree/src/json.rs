//! Records as JSON.

use std::collections::HashSet;
use std::fmt;

use json_event_parser::{JsonEvent, WriterJsonSerializer};

use crate::declaration::ABI;
use crate::error::{Error, Place};
use crate::record::{Record, Reflection, Shape};
use crate::values::JsonValues;

/// Widest integer of a record, in bits.
const MAX_BITS: u32 = 1 << 16;

impl Reflection {
    /// Reads the attribute `iree.abi` (in the document also `d`): an object of the arrays `a` and `r`.
    ///
    /// # Errors
    /// The text is not JSON, or not such an object, or contains something that is not a record; the error says where.
    pub fn parse(text: &str) -> Result<Reflection, Error> {
        let json = parsed(text)?;
        let error = |value, message| Err(Error::at(&json.pointer(value), message));
        if json.0[0].event != JsonEvent::StartObject {
            return error(
                0,
                "malformed function reflection metadata: it is not an object of the lists `a` and `r`".into(),
            );
        }
        let (mut args, mut results) = (None, None);
        for key in json.items(0) {
            let name = &json.0[key].name;
            let list = match &**name {
                "a" => &mut args,
                "r" => &mut results,
                _ => return error(key, "the reflection has `a` and `r` alone".to_string()),
            };
            if list.is_some() {
                return error(key, format!("`{name}` is said twice"));
            }
            if json.0[key].event != JsonEvent::StartArray {
                let message = "malformed function reflection metadata structure: the records stand in a list";
                return error(key, message.into());
            }
            let records = json.items(key).map(|item| read(&json, item, name == "a"));
            *list = Some(records.collect::<Result<Vec<_>, _>>()?);
        }
        let there = |list: Option<Vec<Record>>, key: &str| {
            list.ok_or_else(|| Error::at("", format!("malformed function reflection metadata: it has no list `{key}`")))
        };
        let reflection = Reflection { args: there(args, "a")?, results: there(results, "r")? };
        reflection.check_names()?;
        Ok(reflection)
    }

    /// The records in a function's attributes: those of `iree.abi`, or else of `d`, as the document also calls them.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn of_attributes<'a>(
        attributes: impl Clone + IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Option<Reflection>, Error> {
        let find = |key: &str| attributes.clone().into_iter().find(|pair| pair.0 == key);
        find(ABI).or_else(|| find("d")).map(|(_, text)| Reflection::parse(text)).transpose()
    }

    /// Checks that no two arguments have the same name.
    fn check_names(&self) -> Result<(), Error> {
        let mut seen = HashSet::new();
        for (i, record) in self.args.iter().enumerate() {
            let Record::Named { name, .. } = record else { continue };
            if !seen.insert(name) {
                return Err(Error::at(&format!("/a/{i}/1"), format!("another argument is called `{name}`, too")));
            }
        }
        Ok(())
    }
}

impl Record {
    /// Reads a single record, which may be a named one.
    ///
    /// # Errors
    /// As [`Reflection::parse`].
    pub fn parse(text: &str) -> Result<Record, Error> {
        read(&parsed(text)?, 0, true)
    }
}

/// The text that [`Reflection::parse`] reads.
impl fmt::Display for Reflection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut steps = vec![Step::Event(JsonEvent::StartObject)];
        for (key, records) in [("a", &self.args), ("r", &self.results)] {
            steps.extend([JsonEvent::ObjectKey(key.into()), JsonEvent::StartArray].map(Step::Event));
            steps.extend(records.iter().map(Step::Record));
            steps.push(Step::Event(JsonEvent::EndArray));
        }
        steps.push(Step::Event(JsonEvent::EndObject));
        write(f, steps)
    }
}

/// The text that [`Record::parse`] reads.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, vec![Step::Record(self)])
    }
}

/// What is left to write.
enum Step<'r> {
    Record(&'r Record),
    Event(JsonEvent<'r>),
}

/// Writes JSON in these steps. Records may be nested to any depth.
fn write(f: &mut fmt::Formatter<'_>, mut steps: Vec<Step<'_>>) -> fmt::Result {
    // Memory takes everything.
    let mut writer = WriterJsonSerializer::new(Vec::new());
    // The last step is the next one.
    steps.reverse();
    while let Some(step) = steps.pop() {
        match step {
            Step::Event(event) => writer.serialize_event(event).map_err(|_| fmt::Error)?,
            Step::Record(record) => steps.extend(parts(record).into_iter().rev()),
        }
    }
    let bytes = writer.finish().map_err(|_| fmt::Error)?;
    f.write_str(std::str::from_utf8(&bytes).map_err(|_| fmt::Error)?)
}

/// The steps in which a record is written.
fn parts(record: &Record) -> Vec<Step<'_>> {
    let word = |text: String| vec![Step::Event(JsonEvent::String(text.into()))];
    fn text(text: &str) -> Step<'_> {
        Step::Event(JsonEvent::String(text.into()))
    }
    fn list<'r>(kind: &'static str, items: impl IntoIterator<Item = Step<'r>>) -> Vec<Step<'r>> {
        let start = [Step::Event(JsonEvent::StartArray), text(kind)];
        start.into_iter().chain(items).chain([Step::Event(JsonEvent::EndArray)]).collect()
    }
    match record {
        Record::Integer(bits) => word(format!("i{bits}")),
        Record::Float(bits) => word(format!("f{bits}")),
        Record::Bfloat => vec![text("bf16")],
        Record::Complex(bits) => word(format!("complex<f{bits}>")),
        Record::Null => vec![Step::Event(JsonEvent::Null)],
        Record::Unknown => vec![text("unknown")],
        Record::Named { name, of } => list("named", [text(name), Step::Record(of)]),
        Record::Ndarray { element, shape } => {
            list("ndarray", std::iter::once(Step::Record(element)).chain(numbers(shape).map(Step::Event)))
        }
        Record::List(slots) => list("slist", slots.iter().map(Step::Record)),
        Record::Tuple(slots) => list("stuple", slots.iter().map(Step::Record)),
        Record::Dict(slots) => list(
            "sdict",
            slots.iter().flat_map(|(key, slot)| {
                let (start, end) = (Step::Event(JsonEvent::StartArray), Step::Event(JsonEvent::EndArray));
                [start, text(key), Step::Record(slot), end]
            }),
        ),
        Record::Homogeneous(element) => list("py_homogeneous_list", [Step::Record(element)]),
    }
}

/// The rank and the dimensions, null where unknown.
fn numbers(shape: &Shape) -> impl Iterator<Item = JsonEvent<'_>> {
    let number = |n: Option<u64>| n.map_or(JsonEvent::Null, |n| JsonEvent::Number(n.to_string().into()));
    let (rank, dims) = match shape {
        Shape::Unranked => (None, &[][..]),
        Shape::Ranked(dims) => (Some(dims.len() as u64), &dims[..]),
    };
    std::iter::once(rank).chain(dims.iter().copied()).map(number)
}

/// The values of a text, which are at least one.
fn parsed(text: &str) -> Result<JsonValues<'_>, Error> {
    let (json, result) = JsonValues::parse(text);
    let Err(error) = result else { return Ok(json) };
    let offset = usize::try_from(error.location().start.offset).unwrap_or(usize::MAX).min(text.len());
    let before = &text.as_bytes()[..offset];
    let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
    let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
    Err(Error {
        place: Place::Text { line, column: offset - start + 1 },
        message: format!("reflection metadata is not valid JSON: {}", error.message()),
    })
}

/// A record, or the value at fault and why it is none.
type Made = Result<Record, (usize, String)>;

/// The record that a value is; `named`: it may have a name, as that of an argument.
fn read(json: &JsonValues<'_>, value: usize, named: bool) -> Result<Record, Error> {
    let within = json.within(value);
    let mut reader = Reader { json, first: value, named, made: within.clone().map(|_| Ok(Record::Null)).collect() };
    // What a value contains comes after it.
    for inner in within.rev() {
        reader.made[inner - value] = reader.record(inner);
    }
    reader.take(value).map_err(|(at, message)| Error::at(&json.pointer(at), message))
}

struct Reader<'j, 't> {
    json: &'j JsonValues<'t>,
    /// The value that is read.
    first: usize,
    /// It may have a name.
    named: bool,
    /// The records of the values in it, for those that are none the reason; beginning with `first`.
    made: Vec<Made>,
}

impl Reader<'_, '_> {
    /// The record that was made of a value.
    fn take(&mut self, value: usize) -> Made {
        std::mem::replace(&mut self.made[value - self.first], Ok(Record::Null))
    }

    fn boxed(&mut self, value: usize) -> Result<Box<Record>, (usize, String)> {
        self.take(value).map(Box::new)
    }

    fn text(&self, value: usize, what: &str) -> Result<String, (usize, String)> {
        match &self.json.0[value].event {
            JsonEvent::String(text) => Ok(text.to_string()),
            _ => Err((value, format!("{what} is a string"))),
        }
    }

    /// Makes the record of a value from those of the values in it.
    fn record(&mut self, value: usize) -> Made {
        let json = self.json;
        match &json.0[value].event {
            JsonEvent::Null => Ok(Record::Null),
            JsonEvent::String(word) => primitive(word).ok_or_else(|| (value, format!("`{word}` is no type"))),
            JsonEvent::StartArray => {
                let mut items = json.items(value);
                let first = items.next().ok_or_else(|| (value, "a compound type begins with its kind".to_string()))?;
                let JsonEvent::String(kind) = &json.0[first].event else {
                    return Err((first, "a compound type begins with its kind, a string".into()));
                };
                self.compound(value, (first, kind), &items.collect::<Vec<_>>())
            }
            _ => Err((value, "a type is a string, null or a list".into())),
        }
    }

    /// Makes the record of a list of a kind and these further items.
    fn compound(&mut self, value: usize, (first, kind): (usize, &str), items: &[usize]) -> Made {
        Ok(match kind {
            "named" if !self.named || value != self.first => return Err((value, "arguments alone have names".into())),
            "named" => {
                let [name, of] = exactly(value, items, "`named` has a name and a type")?;
                Record::Named { name: self.text(name, "a name")?, of: self.boxed(of)? }
            }
            "ndarray" => {
                let wanted = &items[..items.len().min(2)];
                let [element, rank] = exactly(value, wanted, "`ndarray` has an element type and a rank")?;
                Record::Ndarray { element: self.boxed(element)?, shape: self.shape(rank, &items[2..])? }
            }
            "slist" => Record::List(items.iter().map(|&item| self.take(item)).collect::<Result<_, _>>()?),
            "stuple" => Record::Tuple(items.iter().map(|&item| self.take(item)).collect::<Result<_, _>>()?),
            "sdict" => {
                let (mut slots, mut seen) = (Vec::new(), HashSet::new());
                for &slot in items {
                    let parts: Vec<usize> = match self.json.0[slot].event {
                        JsonEvent::StartArray => self.json.items(slot).collect(),
                        _ => Vec::new(),
                    };
                    let [name, of] = exactly(slot, &parts, "a slot of `sdict` is a key and a type")?;
                    let key = self.text(name, "a key")?;
                    if !seen.insert(key.clone()) {
                        return Err((name, format!("another slot is called `{key}`, too")));
                    }
                    slots.push((key, self.take(of)?));
                }
                Record::Dict(slots)
            }
            "py_homogeneous_list" => {
                let [element] = exactly(value, items, "`py_homogeneous_list` has one type")?;
                Record::Homogeneous(self.boxed(element)?)
            }
            _ => return Err((first, format!("`{kind}` is no kind of type"))),
        })
    }

    fn shape(&self, rank: usize, dims: &[usize]) -> Result<Shape, (usize, String)> {
        let number = |value: usize, what: &str| match &self.json.0[value].event {
            JsonEvent::Null => Ok(None),
            JsonEvent::Number(n) if n.parse::<u64>().is_ok() => Ok(n.parse().ok()),
            _ => Err((value, format!("{what} is a number or null"))),
        };
        let known = number(rank, "a rank")?;
        let sizes = dims.iter().map(|&dim| number(dim, "a dimension")).collect::<Result<Vec<_>, _>>()?;
        match (known, dims) {
            (None, []) => Ok(Shape::Unranked),
            (None, &[dim, ..]) => Err((dim, "an array of unknown rank has no dimensions".into())),
            (Some(n), _) if n == sizes.len() as u64 => Ok(Shape::Ranked(sizes)),
            (Some(n), _) => Err((rank, format!("the rank is {n}, and {} dimensions follow", sizes.len()))),
        }
    }
}

/// The items of a list that must have exactly `N` of them; `parts` describes them for the error.
fn exactly<const N: usize>(list: usize, items: &[usize], parts: &str) -> Result<[usize; N], (usize, String)> {
    items.try_into().map_err(|_| match items.get(N) {
        Some(&more) => (more, format!("{parts}, and no more")),
        None => (list, format!("{parts}, {} found", items.len())),
    })
}

/// The type that a word means.
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
