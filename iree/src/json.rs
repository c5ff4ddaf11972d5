//! Records as JSON.

use std::collections::HashSet;
use std::fmt;

use json_event_parser::{JsonEvent, JsonSyntaxError, LowLevelJsonParser, WriterJsonSerializer};

use crate::declaration::ABI;
use crate::error::{Error, Place};
use crate::record::{Record, Reflection, Shape};

/// Widest integer of a record, in bits.
const MAX_BITS: u32 = 1 << 16;

impl Reflection {
    /// Reads the attribute `iree.abi` (in the document also `d`): an object of the arrays `a` and `r`.
    ///
    /// # Errors
    /// The text is not JSON, or not such an object, or contains something that is not a record; the error says where.
    pub fn parse(text: &str) -> Result<Reflection, Error> {
        let mut reader = Reader::new(text);
        if reader.next()? != JsonEvent::StartObject {
            reader.skip_rest()?;
            return Err(Error::at(
                "",
                "malformed function reflection metadata: it is not an object of the lists `a` and `r`",
            ));
        }
        let (mut args, mut results) = (None, None);
        while let JsonEvent::ObjectKey(key) = reader.next()? {
            let place = member("", &key);
            let list = match &*key {
                "a" => &mut args,
                "r" => &mut results,
                _ => return Err(Error::at(&place, "the reflection has `a` and `r` alone")),
            };
            if list.is_some() {
                return Err(Error::at(&place, format!("`{key}` is said twice")));
            }
            if reader.next()? != JsonEvent::StartArray {
                let message = "malformed function reflection metadata structure: the records stand in a list";
                return Err(Error::at(&place, message));
            }
            let mut all = Vec::new();
            loop {
                match reader.next()? {
                    JsonEvent::EndArray => break,
                    first => all.push(reader.record(first, format!("{place}/{}", all.len()), key == "a")?),
                }
            }
            *list = Some(all);
        }
        reader.end()?;
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
        let mut reader = Reader::new(text);
        let first = reader.next()?;
        let record = reader.record(first, String::new(), true)?;
        reader.end()?;
        Ok(record)
    }
}

/// The text that [`Reflection::parse`] reads.
impl fmt::Display for Reflection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut writer = Writer::new();
        writer.event(JsonEvent::StartObject)?;
        for (key, records) in [("a", &self.args), ("r", &self.results)] {
            writer.event(JsonEvent::ObjectKey(key.into()))?;
            writer.event(JsonEvent::StartArray)?;
            records.iter().try_for_each(|record| writer.record(record))?;
            writer.event(JsonEvent::EndArray)?;
        }
        writer.event(JsonEvent::EndObject)?;
        writer.finish(f)
    }
}

/// The text that [`Record::parse`] reads.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut writer = Writer::new();
        writer.record(self)?;
        writer.finish(f)
    }
}

/// Writes JSON to memory.
struct Writer(WriterJsonSerializer<Vec<u8>>);

/// What is left to write.
enum Step<'r> {
    Record(&'r Record),
    Event(JsonEvent<'r>),
}

impl Writer {
    fn new() -> Writer {
        Writer(WriterJsonSerializer::new(Vec::new()))
    }

    fn event(&mut self, event: JsonEvent<'_>) -> fmt::Result {
        // Memory takes everything.
        self.0.serialize_event(event).map_err(|_| fmt::Error)
    }

    fn record(&mut self, record: &Record) -> fmt::Result {
        let mut steps = vec![Step::Record(record)];
        while let Some(step) = steps.pop() {
            let record = match step {
                Step::Event(event) => {
                    self.event(event)?;
                    continue;
                }
                Step::Record(record) => record,
            };
            let text = |text: &str| JsonEvent::String(text.to_string().into());
            let first = steps.len();
            let (kind, inner) = match record {
                Record::Integer(bits) => (text(&format!("i{bits}")), None),
                Record::Float(bits) => (text(&format!("f{bits}")), None),
                Record::Bfloat => (text("bf16"), None),
                Record::Complex(bits) => (text(&format!("complex<f{bits}>")), None),
                Record::Null => (JsonEvent::Null, None),
                Record::Unknown => (text("unknown"), None),
                Record::Named { name, of } => {
                    steps.push(Step::Event(JsonEvent::String(name.into())));
                    (text("named"), Some(vec![&**of]))
                }
                Record::Ndarray { element, .. } => (text("ndarray"), Some(vec![&**element])),
                Record::List(slots) => (text("slist"), Some(slots.iter().collect())),
                Record::Tuple(slots) => (text("stuple"), Some(slots.iter().collect())),
                Record::Dict(_) => (text("sdict"), Some(Vec::new())),
                Record::Homogeneous(element) => (text("py_homogeneous_list"), Some(vec![&**element])),
            };
            let Some(inner) = inner else {
                self.event(kind)?;
                continue;
            };
            self.event(JsonEvent::StartArray)?;
            self.event(kind)?;
            steps.extend(inner.into_iter().map(Step::Record));
            match record {
                Record::Ndarray { shape, .. } => steps.extend(numbers(shape).map(Step::Event)),
                Record::Dict(slots) => {
                    for (key, slot) in slots {
                        steps.push(Step::Event(JsonEvent::StartArray));
                        steps.push(Step::Event(JsonEvent::String(key.into())));
                        steps.push(Step::Record(slot));
                        steps.push(Step::Event(JsonEvent::EndArray));
                    }
                }
                _ => {}
            }
            steps.push(Step::Event(JsonEvent::EndArray));
            // The last step is the next one.
            steps[first..].reverse();
        }
        Ok(())
    }

    fn finish(self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0.finish().map_err(|_| fmt::Error)?;
        f.write_str(std::str::from_utf8(&bytes).map_err(|_| fmt::Error)?)
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

/// The RFC 6901 pointer to a member of an object.
fn member(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// A reader of JSON, event by event.
struct Reader<'t> {
    text: &'t str,
    parser: LowLevelJsonParser,
    at: usize,
}

/// A list of the JSON text that is being read.
struct Frame {
    what: What,
    /// Number of its items that have been read.
    count: usize,
    /// Records among them.
    records: Vec<Record>,
    /// The name of an argument, or the keys of slots.
    names: Vec<String>,
    /// The rank and the dimensions.
    numbers: Vec<Option<u64>>,
}

/// The kind of a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    /// A compound type, whose kind is the first item. It may be a named one.
    Compound {
        named: bool,
    },
    Named,
    Ndarray,
    List,
    Tuple,
    Dict,
    Homogeneous,
    /// A slot of a dictionary.
    Slot,
}

/// What the next item of a list may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Kind,
    Name,
    Record,
    Number,
    Slot,
    Nothing,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Reader<'t> {
        Reader { text, parser: LowLevelJsonParser::new().with_max_stack_size(usize::MAX), at: 0 }
    }

    fn next(&mut self) -> Result<JsonEvent<'t>, Error> {
        loop {
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            let result = self.parser.parse_next(rest, true);
            self.at += result.consumed_bytes;
            if let Some(event) = result.event {
                return event.map_err(|e| self.syntax(&e));
            }
        }
    }

    /// An error of the text's.
    fn syntax(&self, error: &JsonSyntaxError) -> Error {
        let offset = usize::try_from(error.location().start.offset).unwrap_or(usize::MAX).min(self.text.len());
        let before = &self.text.as_bytes()[..offset];
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        Error {
            place: Place::Text { line, column: offset - start + 1 },
            message: format!("reflection metadata is not valid JSON: {}", error.message()),
        }
    }

    /// Checks that the rest of the text is JSON.
    fn skip_rest(&mut self) -> Result<(), Error> {
        while self.next()? != JsonEvent::Eof {}
        Ok(())
    }

    /// Checks that the text ends.
    fn end(&mut self) -> Result<(), Error> {
        self.next().map(drop)
    }

    /// The record that begins with an event, at `place`; `named`: it may have a name, as that of an argument.
    fn record(&mut self, first: JsonEvent<'t>, place: String, named: bool) -> Result<Record, Error> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut event = first;
        loop {
            let done = match (&event, frames.last_mut()) {
                (JsonEvent::EndArray, Some(_)) => Some(finish(&mut frames, &place)?),
                (_, None) => match event {
                    JsonEvent::StartArray => {
                        frames.push(Frame::new(What::Compound { named }));
                        None
                    }
                    event => Some(Some(single(&event).map_err(|message| Error::at(&place, message))?)),
                },
                (_, Some(_)) => {
                    item(&mut frames, event, &place)?;
                    None
                }
            };
            if let Some(Some(record)) = done {
                match frames.last_mut() {
                    None => return Ok(record),
                    Some(around) => around.records.push(record),
                }
            }
            event = self.next()?;
        }
    }
}

impl Frame {
    fn new(what: What) -> Frame {
        Frame { what, count: 0, records: Vec::new(), names: Vec::new(), numbers: Vec::new() }
    }

    /// What the next item may be.
    fn wanted(&self) -> Wanted {
        match (self.what, self.count) {
            (What::Compound { .. }, _) => Wanted::Kind,
            (What::Named, 1) | (What::Slot, 0) => Wanted::Name,
            (What::Named, 2) | (What::Ndarray | What::Homogeneous, 1) | (What::Slot, 1) => Wanted::Record,
            (What::List | What::Tuple, _) => Wanted::Record,
            (What::Ndarray, _) => Wanted::Number,
            (What::Dict, _) => Wanted::Slot,
            (What::Named | What::Homogeneous | What::Slot, _) => Wanted::Nothing,
        }
    }

    /// A name for its items, in messages.
    fn parts(&self) -> &'static str {
        match self.what {
            What::Named => "`named` has a name and a type",
            What::Ndarray => "`ndarray` has an element type and a rank",
            What::Homogeneous => "`py_homogeneous_list` has one type",
            What::Slot => "a slot of `sdict` is a key and a type",
            What::Compound { .. } | What::List | What::Tuple | What::Dict => "a compound type begins with its kind",
        }
    }
}

/// An error at the item that is being read in the innermost of these lists.
fn wrong<T>(frames: &[Frame], place: &str, message: impl Into<String>) -> Result<T, Error> {
    let pointer: String = frames.iter().map(|frame| format!("/{}", frame.count)).collect();
    Err(Error::at(&format!("{place}{pointer}"), message))
}

/// Takes an item of the innermost list.
fn item(frames: &mut Vec<Frame>, event: JsonEvent<'_>, place: &str) -> Result<(), Error> {
    let Some(frame) = frames.last_mut() else { return Ok(()) };
    let wanted = frame.wanted();
    match (wanted, event) {
        (Wanted::Kind, JsonEvent::String(kind)) => {
            let named = frame.what == What::Compound { named: true };
            frame.what = match &*kind {
                "named" if named => What::Named,
                "named" => {
                    frames.pop();
                    return wrong(frames, place, "arguments alone have names");
                }
                "ndarray" => What::Ndarray,
                "slist" => What::List,
                "stuple" => What::Tuple,
                "sdict" => What::Dict,
                "py_homogeneous_list" => What::Homogeneous,
                _ => return wrong(frames, place, format!("`{kind}` is no kind of type")),
            };
        }
        (Wanted::Kind, _) => return wrong(frames, place, "a compound type begins with its kind, a string"),
        (Wanted::Name, JsonEvent::String(name)) => frame.names.push(name.into_owned()),
        (Wanted::Name, _) if frame.what == What::Named => return wrong(frames, place, "a name is a string"),
        (Wanted::Name, _) => return wrong(frames, place, "a key is a string"),
        (Wanted::Number, event) => {
            let number = match &event {
                JsonEvent::Null => Some(None),
                JsonEvent::Number(n) => n.parse().ok().map(Some),
                _ => None,
            };
            // The rank comes first.
            let what = if frame.count == 2 { "a rank" } else { "a dimension" };
            let Some(number) = number else {
                return wrong(frames, place, format!("{what} is a number or null"));
            };
            if frame.numbers.first() == Some(&None) {
                return wrong(frames, place, "an array of unknown rank has no dimensions");
            }
            frame.numbers.push(number);
        }
        (Wanted::Slot, JsonEvent::StartArray) => {
            frames.push(Frame::new(What::Slot));
            return Ok(());
        }
        (Wanted::Slot, _) => return wrong(frames, place, "a slot of `sdict` is a key and a type"),
        (Wanted::Record, JsonEvent::StartArray) => {
            frames.push(Frame::new(What::Compound { named: false }));
            return Ok(());
        }
        (Wanted::Record, event) => match single(&event) {
            Ok(record) => frame.records.push(record),
            Err(message) => return wrong(frames, place, message),
        },
        (Wanted::Nothing, _) => {
            let message = format!("{}, and no more", frame.parts());
            return wrong(frames, place, message);
        }
    }
    frame_read(frames);
    Ok(())
}

/// Counts an item that has been read.
fn frame_read(frames: &mut [Frame]) {
    if let Some(frame) = frames.last_mut() {
        frame.count += 1;
    }
}

/// Ends the innermost list; returns its record, unless it is a slot of a dictionary.
fn finish(frames: &mut Vec<Frame>, place: &str) -> Result<Option<Record>, Error> {
    let Some(mut frame) = frames.pop() else { return Ok(None) };
    let short = match (frame.what, frame.wanted()) {
        (What::Ndarray, Wanted::Number) => frame.numbers.is_empty(),
        (What::List | What::Tuple | What::Dict, _) => false,
        (_, wanted) => wanted != Wanted::Nothing,
    };
    if short {
        let found = frame.count.saturating_sub(usize::from(frame.what != What::Slot));
        let found = if frame.count == 0 { String::new() } else { format!(", {found} found") };
        return wrong(frames, place, format!("{}{found}", frame.parts()));
    }
    let mut records = std::mem::take(&mut frame.records).into_iter();
    let mut one = || Box::new(records.next().unwrap_or(Record::Null));
    let record = match frame.what {
        What::Named => Record::Named { name: frame.names.pop().unwrap_or_default(), of: one() },
        What::Ndarray => {
            let element = one();
            let shape = match frame.numbers.split_first() {
                Some((Some(rank), dims)) if *rank != dims.len() as u64 => {
                    let message = format!("the rank is {rank}, and {} dimensions follow", dims.len());
                    frame.count = 2;
                    frames.push(frame);
                    return wrong(frames, place, message);
                }
                Some((Some(_), dims)) => Shape::Ranked(dims.to_vec()),
                _ => Shape::Unranked,
            };
            Record::Ndarray { element, shape }
        }
        What::Homogeneous => Record::Homogeneous(one()),
        What::List => Record::List(records.collect()),
        What::Tuple | What::Compound { .. } => Record::Tuple(records.collect()),
        What::Dict => {
            let mut seen = HashSet::new();
            if let Some(again) = frame.names.iter().position(|key| !seen.insert(key)) {
                let message = format!("another slot is called `{}`, too", frame.names[again]);
                frame.count = again + 1;
                frames.extend([frame, Frame::new(What::Slot)]);
                return wrong(frames, place, message);
            }
            Record::Dict(frame.names.into_iter().zip(records).collect())
        }
        What::Slot => {
            if let Some(around) = frames.last_mut() {
                around.names.append(&mut frame.names);
                around.records.extend(records);
            }
            frame_read(frames);
            return Ok(None);
        }
    };
    frame_read(frames);
    Ok(Some(record))
}

/// The record of a value that is not a list.
fn single(event: &JsonEvent<'_>) -> Result<Record, String> {
    match event {
        JsonEvent::Null => Ok(Record::Null),
        JsonEvent::String(word) => primitive(word).ok_or_else(|| format!("`{word}` is no type")),
        _ => Err("a type is a string, null or a list".into()),
    }
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
