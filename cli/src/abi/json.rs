//! The JSON form. `docs/abi-command.md` describes it; a change of a key's meaning changes `schema`.

use std::fmt::Write;

use gusset::abi::{Decoration, Extension, RegSet, SaveAreaPlace, VaInit, VarArea};

use super::names;
use super::view::{Block, Part, Passing, Spot, Value, View};

/// Version of the schema.
const SCHEMA: u32 = 1;

pub(crate) fn render(views: &[View]) -> String {
    let mut json = Json { out: String::new(), depth: 0, first: true };
    json.object(|json| {
        json.number("schema", SCHEMA.into());
        json.array("targets", views, |json, view| json.object(|json| write_view(json, view)));
    });
    json.out.push('\n');
    json.out
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
        json.number("decoration_bytes", n.into());
    }
    if let Some(machine) = &view.machine {
        json.key("iree");
        json.object(|json| {
            json.key("records");
            json.out.push_str(&machine.records);
            json.text("declaration", &machine.declaration);
            json.text("convention", &machine.convention);
            for (key, block) in [("arguments", &machine.arguments), ("results", &machine.results)] {
                json.key(key);
                json.object(|json| write_block(json, block));
            }
        });
    }
    json.key("result");
    json.object(|json| write_value(json, view, &view.values[0]));
    json.array("arguments", &view.values[1..], |json, value| json.object(|json| write_value(json, view, value)));
    json.key("stack");
    json.object(|json| {
        json.number("argument_bytes", abi.stack_arg_bytes.into());
        json.number("callee_pops", abi.callee_pop_bytes.into());
        json.number("align", abi.stack_align.into());
        json.number("entry_bias", abi.entry_bias.into());
        json.number("home_space", abi.home_space.into());
        json.number("red_zone", abi.red_zone.into());
    });
    if let Some(block) = abi.arg_block {
        json.key("argument_block");
        json.object(|json| {
            json.number("size", block.size);
            json.number("align", block.align.into());
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
        json.key("vector_count");
        json.object(|json| {
            json.text("register", &names::whole(abi.arch, reg));
            json.number("bound", most.into());
        });
    }
    if let Some(area) = &abi.variadic {
        json.key("variadic");
        json.object(|json| write_variadic(json, view, area));
    }
    for (key, set) in [("changed", abi.clobbers), ("kept", abi.preserved), ("kept_low_64_bits", abi.preserved_low64)] {
        json.texts(key, &registers(view, set));
    }
    json.texts("notes", &view.notes);
}

/// A block of IREE's virtual machine.
fn write_block(json: &mut Json, block: &Block) {
    json.number("size", block.size.into());
    json.number("align", block.align.into());
    json.number("size_before_3_10", block.packed_size.into());
    json.array("values", &block.slots, |json, slot| {
        json.object(|json| {
            json.text("letter", &slot.letter.to_string());
            json.number("offset", slot.offset.into());
            json.key("record");
            json.out.push_str(&slot.record);
        });
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
        json.flag("named", !value.unnamed);
    }
    if let Some(layout) = value.layout {
        json.number("size", layout.size);
        json.number("align", layout.align.into());
    }
    let (kind, memory) = match value.passing {
        Passing::Nothing => ("nothing", None),
        Passing::Direct => ("direct", None),
        Passing::Address { size, align } => ("address", Some((size, align))),
    };
    json.text("passing", kind);
    if let Some((size, align)) = memory {
        json.key("memory");
        json.object(|json| {
            json.number("size", size);
            json.number("align", align.into());
            if value.index > 0 {
                json.flag("copy", !value.is_object);
            }
        });
    }
    json.array("parts", &value.parts, |json, part| json.object(|json| write_part(json, view, part)));
    if !value.is_scalar() && !value.leaves.is_empty() {
        json.array("members", &value.leaves, |json, leaf| {
            json.object(|json| {
                json.text("path", &leaf.path);
                json.text("type", &leaf.spelling);
                json.number("bit_offset", leaf.bit_offset);
                json.number("bits", leaf.bits);
            });
        });
    }
}

fn write_part(json: &mut Json, view: &View, part: &Part) {
    json.number("offset", part.offset);
    json.number("size", part.size);
    match part.spot {
        Spot::Reg(reg) => {
            json.text("register", &names::whole(view.abi.arch, reg));
            json.text("register_part", &view.register(reg, part));
            if let Some(also) = part.also {
                json.text("duplicate", &names::whole(view.abi.arch, also));
            }
        }
        Spot::Stack(offset) => {
            json.number("stack", offset);
            json.number("stack_at_entry", offset + u64::from(view.abi.entry_bias));
        }
    }
    let (kind, from, to) = match part.ext {
        Extension::None => return,
        Extension::Zero { from, to } => ("zero", from, to),
        Extension::Sign { from, to } => ("sign", from, to),
        Extension::Lanes { from, to } => ("lanes", from, to),
    };
    json.key("extension");
    json.object(|json| {
        json.text("kind", kind);
        json.number("from", from.into());
        json.number("to", to.into());
    });
}

fn write_variadic(json: &mut Json, view: &View, area: &VarArea) {
    json.number("va_list_size", area.va_list_size.into());
    json.number("va_list_align", area.va_list_align.into());
    let fields: Vec<_> = area.fields.iter().copied().collect();
    json.array("va_start", &fields, |json, field| {
        json.object(|json| {
            json.number("offset", field.offset.into());
            json.number("size", field.size.into());
            match field.init {
                VaInit::Const(n) => json.signed("number", n.into()),
                VaInit::StackArgs { offset } => json.number("stack", offset.into()),
                VaInit::SaveArea { offset } => json.number("save_area", offset.into()),
            }
        });
    });
    if let Some(save) = &area.save_area {
        json.key("save_area");
        json.object(|json| {
            let place = match save.place {
                SaveAreaPlace::Frame => "frame",
                SaveAreaPlace::BelowStackArgs => "below stack arguments",
                SaveAreaPlace::HomeSpace => "home space",
            };
            json.text("place", place);
            json.number("size", save.size.into());
            json.number("align", save.align.into());
            if let Some(reg) = save.float_guard {
                json.text("vectors_only_if", &names::whole(view.abi.arch, reg));
            }
            json.array("slots", &save.slots, |json, slot| {
                json.object(|json| {
                    json.text("register", &names::whole(view.abi.arch, slot.reg));
                    json.number("offset", slot.offset.into());
                    json.number("size", slot.size.into());
                });
            });
        });
    }
}

/// A writer that takes care of commas and indentation.
struct Json {
    out: String,
    depth: usize,
    /// Nothing has been written at this level.
    first: bool,
}

impl Json {
    fn next(&mut self) {
        if !std::mem::replace(&mut self.first, false) {
            self.out.push(',');
        }
        if self.depth > 0 {
            self.out.push('\n');
            self.out.push_str(&"  ".repeat(self.depth));
        }
    }

    fn level(&mut self, open: char, close: char, body: impl FnOnce(&mut Json)) {
        self.out.push(open);
        self.depth += 1;
        self.first = true;
        body(self);
        self.depth -= 1;
        if !self.first {
            self.out.push('\n');
            self.out.push_str(&"  ".repeat(self.depth));
        }
        self.first = false;
        self.out.push(close);
    }

    fn object(&mut self, body: impl FnOnce(&mut Json)) {
        self.level('{', '}', body);
    }

    fn array<T>(&mut self, key: &str, items: &[T], mut each: impl FnMut(&mut Json, &T)) {
        self.key(key);
        self.level('[', ']', |json| {
            for item in items {
                json.next();
                each(json, item);
            }
        });
    }

    fn key(&mut self, key: &str) {
        self.next();
        self.string(key);
        self.out.push_str(": ");
    }

    fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        self.string(text);
    }

    fn texts(&mut self, key: &str, texts: &[String]) {
        self.key(key);
        self.out.push('[');
        for (i, text) in texts.iter().enumerate() {
            self.out.push_str(if i > 0 { ", " } else { "" });
            self.string(text);
        }
        self.out.push(']');
    }

    fn number(&mut self, key: &str, n: u64) {
        self.key(key);
        let _ = write!(self.out, "{n}");
    }

    fn signed(&mut self, key: &str, n: i64) {
        self.key(key);
        let _ = write!(self.out, "{n}");
    }

    fn flag(&mut self, key: &str, flag: bool) {
        self.key(key);
        let _ = write!(self.out, "{flag}");
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                c if c.is_control() => {
                    let _ = write!(self.out, "\\u{:04x}", c as u32);
                }
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }
}
