//! The JSON form. `docs/abi-command.md` describes it; a change of a key's meaning changes `schema`.

use std::fmt::{Display, Write};

use gusset_abi::{Decoration, Extension, RegSet, SaveAreaPlace, VaInit, VarArea};

use super::names;
use super::view::{Block, Part, Passing, Spot, Value, View};

/// Version of the schema.
const SCHEMA: u32 = 1;

/// Calls as JSON. `docs/abi-command.md` describes its keys.
pub fn json(views: &[View]) -> String {
    Json::document(|json| json.array("targets", views, write_view))
}

fn write_view(json: &mut Json, view: &View) {
    let abi = &view.abi;
    json.text("target", &view.triple);
    json.text("convention", &view.convention);
    json.text("declaration", &view.text);
    json.text("name", &view.name);
    if let Some(symbol) = &view.symbol {
        json.text("symbol", symbol);
    }
    if let Decoration::Stdcall(n) | Decoration::Fastcall(n) | Decoration::Vectorcall(n) = abi.decoration {
        json.value("decoration_bytes", n);
    }
    if let Some(machine) = &view.machine {
        json.object("iree", |json| {
            json.value("records", &machine.records);
            json.text("declaration", &machine.declaration);
            json.text("convention", &machine.convention);
            for (key, block) in [("arguments", &machine.arguments), ("results", &machine.results)] {
                json.object(key, |json| write_block(json, block));
            }
        });
    }
    json.object("result", |json| write_value(json, view, &view.values[0]));
    json.array("arguments", &view.values[1..], |json, value| write_value(json, view, value));
    json.object("stack", |json| {
        json.value("argument_bytes", abi.stack_arg_bytes);
        json.value("callee_pops", abi.callee_pop_bytes);
        json.value("align", abi.stack_align);
        json.value("entry_bias", abi.entry_bias);
        json.value("home_space", abi.home_space);
        json.value("red_zone", abi.red_zone);
    });
    if let Some(block) = abi.arg_block {
        json.object("argument_block", |json| {
            json.value("size", block.size);
            json.value("align", block.align);
        });
    }
    if let Some(reg) = abi.sret_return_reg {
        json.text("result_address_returned_in", &names::register(abi.arch, reg, view.slot()));
    }
    if let Some(reg) = abi.returns_this {
        json.text("this_returned_in", &names::register(abi.arch, reg, view.slot()));
    }
    if let Some(reg) = abi.static_chain {
        json.text("static_chain", &names::whole(abi.arch, reg));
    }
    if let Some((reg, most)) = abi.vector_count {
        json.object("vector_count", |json| {
            json.text("register", &names::whole(abi.arch, reg));
            json.value("bound", most);
        });
    }
    if let Some(area) = &abi.variadic {
        json.object("variadic", |json| write_variadic(json, view, area));
    }
    for (key, set) in [("changed", abi.clobbers), ("kept", abi.preserved), ("kept_low_64_bits", abi.preserved_low64)] {
        json.texts(key, &registers(view, set));
    }
    json.texts("notes", &view.notes);
}

/// A block of IREE's virtual machine.
fn write_block(json: &mut Json, block: &Block) {
    json.value("size", block.size);
    json.value("align", block.align);
    json.value("size_before_3_10", block.packed_size);
    json.array("values", &block.slots, |json, slot| {
        json.text("letter", &slot.letter.to_string());
        json.value("offset", slot.offset);
        json.value("record", &slot.record);
    });
}

fn registers(view: &View, set: RegSet) -> Vec<String> {
    set.iter().map(|reg| names::whole(view.abi.arch, reg)).collect()
}

fn write_value(json: &mut Json, view: &View, value: &Value) {
    json.text("type", &value.spelling);
    if value.index > 0 {
        if !value.name.starts_with('#') {
            json.text("name", &value.name);
        }
        json.value("named", !value.unnamed);
    }
    if let Some(layout) = value.layout {
        json.value("size", layout.size);
        json.value("align", layout.align);
    }
    let (kind, memory) = match value.passing {
        Passing::Nothing => ("nothing", None),
        Passing::Direct => ("direct", None),
        Passing::Address { size, align } => ("address", Some((size, align))),
    };
    json.text("passing", kind);
    if let Some((size, align)) = memory {
        json.object("memory", |json| {
            json.value("size", size);
            json.value("align", align);
            if value.index > 0 {
                json.value("copy", !value.is_object);
            }
        });
    }
    json.array("parts", &value.parts, |json, part| write_part(json, view, part));
    if !value.is_scalar() && !value.leaves.is_empty() {
        json.array("members", &value.leaves, |json, leaf| {
            json.text("path", &leaf.path);
            json.text("type", &leaf.spelling);
            json.value("bit_offset", leaf.bit_offset);
            json.value("bits", leaf.bits);
        });
    }
}

fn write_part(json: &mut Json, view: &View, part: &Part) {
    json.value("offset", part.offset);
    json.value("size", part.size);
    match part.spot {
        Spot::Reg(reg) => {
            json.text("register", &names::whole(view.abi.arch, reg));
            json.text("register_part", &view.register(reg, part));
            if let Some(also) = part.also {
                json.text("duplicate", &names::whole(view.abi.arch, also));
            }
        }
        Spot::Stack(offset) => {
            json.value("stack", offset);
            json.value("stack_at_entry", offset + u64::from(view.abi.entry_bias));
        }
    }
    let (kind, from, to) = match part.ext {
        Extension::None => return,
        Extension::Zero { from, to } => ("zero", from, to),
        Extension::Sign { from, to } => ("sign", from, to),
        Extension::Lanes { from, to } => ("lanes", from, to),
    };
    json.object("extension", |json| {
        json.text("kind", kind);
        json.value("from", from);
        json.value("to", to);
    });
}

fn write_variadic(json: &mut Json, view: &View, area: &VarArea) {
    json.value("va_list_size", area.va_list_size);
    json.value("va_list_align", area.va_list_align);
    let fields: Vec<_> = area.fields.iter().copied().collect();
    json.array("va_start", &fields, |json, field| {
        json.value("offset", field.offset);
        json.value("size", field.size);
        match field.init {
            VaInit::Const(n) => json.value("number", n),
            VaInit::StackArgs { offset } => json.value("stack", offset),
            VaInit::SaveArea { offset } => json.value("save_area", offset),
        }
    });
    if let Some(save) = &area.save_area {
        json.object("save_area", |json| {
            let place = match save.place {
                SaveAreaPlace::Frame => "frame",
                SaveAreaPlace::BelowStackArgs => "below stack arguments",
                SaveAreaPlace::HomeSpace => "home space",
            };
            json.text("place", place);
            json.value("size", save.size);
            json.value("align", save.align);
            if let Some(reg) = save.float_guard {
                json.text("vectors_only_if", &names::whole(view.abi.arch, reg));
            }
            json.array("slots", &save.slots, |json, slot| {
                json.text("register", &names::whole(view.abi.arch, slot.reg));
                json.value("offset", slot.offset);
                json.value("size", slot.size);
            });
        });
    }
}

/// A writer that takes care of commas and indentation.
pub(crate) struct Json {
    out: String,
    depth: usize,
    /// Nothing has been written at this level.
    first: bool,
}

impl Json {
    /// The text of a document, an object whose first key is the version of the schema.
    pub fn document(body: impl FnOnce(&mut Json)) -> String {
        let mut json = Json { out: String::new(), depth: 0, first: true };
        json.level('{', '}', |json| {
            json.value("schema", SCHEMA);
            body(json);
        });
        json.out.push('\n');
        json.out
    }

    /// Begins the next item of the object or array.
    fn next(&mut self) {
        if !std::mem::replace(&mut self.first, false) {
            self.out.push(',');
        }
        self.line();
    }

    fn line(&mut self) {
        self.out.push('\n');
        self.out.push_str(&"  ".repeat(self.depth));
    }

    fn level(&mut self, open: char, close: char, body: impl FnOnce(&mut Json)) {
        self.out.push(open);
        self.depth += 1;
        self.first = true;
        body(self);
        self.depth -= 1;
        if !self.first {
            self.line();
        }
        self.first = false;
        self.out.push(close);
    }

    fn object(&mut self, key: &str, body: impl FnOnce(&mut Json)) {
        self.value(key, "");
        self.level('{', '}', body);
    }

    /// An array of objects.
    pub fn array<T>(&mut self, key: &str, items: &[T], mut each: impl FnMut(&mut Json, &T)) {
        self.value(key, "");
        self.level('[', ']', |json| {
            for item in items {
                json.next();
                json.level('{', '}', |json| each(json, item));
            }
        });
    }

    /// A number, a truth or anything else that is displayed as JSON.
    pub fn value(&mut self, key: &str, value: impl Display) {
        self.next();
        // Writing to a string does not fail.
        let _ = write!(self.out, "{}: {value}", quoted(key));
    }

    pub fn text(&mut self, key: &str, text: &str) {
        self.value(key, quoted(text));
    }

    fn texts(&mut self, key: &str, texts: &[String]) {
        let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
        self.value(key, format_args!("[{}]", texts.join(", ")));
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out += &format!("\\u{:04x}", c as u32),
            c => out.push(c),
        }
    }
    out + "\""
}
