//! One target's panel.

use gusset_abi::{Extension, Reg, RegClass};

use super::canvas::{Anchor, Canvas, fitting, width_of};
use super::segments::{self, Segment};
use super::style::value_class;
use crate::facts::{self, bytes};
use crate::names;
use crate::table::{shortened, wrap, wrap_declaration};
use crate::view::{Part, Passing, Spot, Value, View};

/// Width of a panel in pixels.
pub(crate) const WIDTH: f64 = 600.0;
const MARGIN: f64 = 24.0;
/// Height of a row of bytes, and the distance of rows.
const CELL: f64 = 24.0;
const PITCH: f64 = 32.0;
/// Where the bytes of values begin.
const VALUES_X: f64 = 220.0;
/// Width of a general-purpose register; of 16 bytes in a vector register, a row of memory or of the stack.
const NARROW: f64 = 128.0;
const WIDE: f64 = 256.0;
/// The most rows of 16 bytes for a value.
const VALUE_ROWS: u64 = 3;
/// The number of stack rows above which long values are shortened.
const STACK_ROWS: u64 = 14;

/// Draws a panel. Returns its height, too.
pub(crate) fn draw(view: &View) -> (Canvas, f64) {
    let mut panel = Panel { view, canvas: Canvas::default(), y: 0.0 };
    panel.title();
    panel.values();
    panel.registers();
    panel.stack();
    panel.results();
    panel.facts();
    (panel.canvas, panel.y + 8.0)
}

struct Panel<'a> {
    view: &'a View,
    canvas: Canvas,
    /// Vertical position of the next element.
    y: f64,
}

/// A register and its contents.
struct Held {
    reg: Reg,
    bytes: u64,
    /// The number of a value, segments by byte of the register, and how it is extended.
    fills: Vec<(usize, Vec<Segment>)>,
    ext: Extension,
    note: String,
}

impl Held {
    /// A register whose `bytes` bytes are one thing that belongs to a value.
    fn one(reg: Reg, bytes: u64, value: usize, label: &str, tip: &str) -> Held {
        let segment = Segment { start: 0.0, end: bytes as f64, labels: vec![label.into()], tip: tip.into() };
        Held { reg, bytes, fills: vec![(value, vec![segment])], ext: Extension::None, note: String::new() }
    }
}

impl Panel<'_> {
    fn title(&mut self) {
        self.canvas.label("sans target", (MARGIN, 34.0), Anchor::Start, &self.view.triple);
        self.canvas.label("sans dim", (WIDTH - MARGIN, 34.0), Anchor::End, &self.view.convention);
        self.y = 58.0;
        for line in wrap_declaration(&self.view.text, fitting(WIDTH - 2.0 * MARGIN, 12.0)) {
            self.canvas.label("", (MARGIN, self.y), Anchor::Start, &line);
            self.y += 17.0;
        }
        self.y += 2.0;
    }

    fn heading(&mut self, text: &str, remark: &str) {
        self.y += 8.0;
        self.canvas.line("rule", (MARGIN, self.y), (WIDTH - MARGIN, self.y));
        self.y += 22.0;
        self.canvas.label("sans head dim", (MARGIN, self.y), Anchor::Start, text);
        if !remark.is_empty() {
            self.canvas.label("sans small dim", (WIDTH - MARGIN, self.y), Anchor::End, remark);
        }
        self.y += 12.0;
    }

    fn values(&mut self) {
        if self.view.values.len() == 1 && self.view.values[0].layout.is_none() {
            return;
        }
        self.heading("VALUES", "byte 0 is on the left, everywhere");
        for index in (1..self.view.values.len()).chain([0]) {
            let value = &self.view.values[index];
            if value.layout.is_some() {
                self.value(value);
            }
        }
    }

    fn value(&mut self, value: &Value) {
        let size = value.layout.map_or(0, |layout| layout.size);
        let top = self.y;
        let class = value_class(value.index);
        self.canvas.rect(&class, (MARGIN, top + 4.0), (12.0, 16.0), "");
        let dots = if value.unnamed { "… " } else { "" };
        let room = fitting(VALUES_X - MARGIN - 28.0, 12.0);
        let name = shortened(&format!("{dots}{}", value.name), room);
        self.canvas.label("name", (MARGIN + 20.0, top + 16.0), Anchor::Start, &name);
        let taken = name.chars().count() + 2;
        let spelled_x = MARGIN + 20.0 + width_of(&name, 12.0) + 10.0;
        let below = taken + value.spelling.chars().count() > room;
        if !below {
            self.canvas.label("dim", (spelled_x, top + 16.0), Anchor::Start, &value.spelling);
        }
        let mut lines = Vec::new();
        if below {
            lines.push(shortened(&value.spelling, room));
        }
        match value.passing {
            Passing::Address { .. } if value.index == 0 => lines.push("in memory of the caller".into()),
            Passing::Address { .. } if value.is_object => lines.push("by address, no copy".into()),
            Passing::Address { .. } => lines.push("by address of a copy".into()),
            Passing::Nothing => lines.push("does not travel".into()),
            Passing::Direct => {}
        }
        for (i, line) in lines.iter().enumerate() {
            let y = top + 16.0 + 15.0 * (i + 1) as f64;
            self.canvas.label("small dim", (MARGIN + 20.0, y), Anchor::Start, line);
        }
        let segments = segments::of_memory(value);
        let rows = size.div_ceil(16).max(1);
        let shown = rows.min(VALUE_ROWS);
        for row in 0..shown {
            let start = 16 * row;
            let end = size.min(start + 16);
            if end > start {
                let at = (VALUES_X, top + row as f64 * (CELL + 4.0));
                let byte = WIDE / 16.0;
                let placed = placed(&segments, start as f64, end as f64, 0.0);
                self.bytes(at, byte, end - start, &[(value.index, placed)]);
            }
        }
        let mut height = shown as f64 * (CELL + 4.0);
        if rows > shown {
            let text = format!("… {} more", bytes(size - 16 * shown));
            self.canvas.label("small dim", (VALUES_X, top + height + 11.0), Anchor::Start, &text);
            height += 18.0;
        }
        self.canvas.label("sans small dim", (WIDTH - MARGIN, top + 16.0), Anchor::End, &bytes(size));
        self.y = top + height.max(CELL + 4.0 + 15.0 * lines.len() as f64) + 6.0;
    }

    /// A row of `count` bytes with their contents; the segments' bytes are those of the row.
    fn bytes(&mut self, at: (f64, f64), byte: f64, count: u64, fills: &[(usize, Vec<Segment>)]) {
        let size = (byte * count as f64, CELL);
        self.canvas.rect("free", at, size, "");
        self.canvas.rect("hatch", at, size, "no meaning");
        for (index, segments) in fills {
            let class = value_class(*index);
            for segment in segments {
                let x = at.0 + segment.start * byte;
                let width = (segment.end - segment.start) * byte;
                self.canvas.rect(&class, (x, at.1), (width, CELL), &segment.tip);
                if segment.start > 0.0 {
                    self.canvas.line("line", (x, at.1), (x, at.1 + CELL));
                }
                if segment.is_padding() {
                    self.canvas.rect("hatch", (x, at.1), (width, CELL), &segment.tip);
                    continue;
                }
                let room = |width: f64| segment.labels.iter().find(|label| width_of(label, 11.0) + 4.0 <= width);
                let after = at.0 + size.0 - x - width;
                if let Some(label) = room(width) {
                    let middle = (x + width / 2.0, at.1 + 16.0);
                    self.canvas.label("cell", middle, Anchor::Middle, label);
                } else if let (Some(label), 1, 1) = (room(after), segments.len(), fills.len()) {
                    // Alone in its row: the name comes after it.
                    let name = width_of(label, 11.0) + 6.0;
                    self.canvas.rect("free", (x + width, at.1), (name, CELL), "");
                    self.canvas.label("cell", (x + width + 3.0, at.1 + 16.0), Anchor::Start, label);
                }
            }
        }
        if byte >= 8.0 {
            for i in 1..count {
                let x = at.0 + i as f64 * byte;
                self.canvas.line("tick", (x, at.1 + CELL - 4.0), (x, at.1 + CELL));
            }
        }
        self.canvas.rect("edge", at, size, "");
    }

    fn registers(&mut self) {
        let view = self.view;
        let mut held = Vec::new();
        // The address of the result is passed like an argument.
        if matches!(view.values[0].passing, Passing::Address { .. }) {
            self.hold(&view.values[0], &mut held);
        }
        for value in &view.values[1..] {
            self.hold(value, &mut held);
        }
        if let Some((reg, most)) = view.abi.vector_count {
            let tip = format!("an upper bound of the vector registers used: {most}");
            held.push(Held::one(reg, 1, 0, &most.to_string(), &tip));
        }
        if held.is_empty() {
            return;
        }
        self.heading("REGISTERS AT THE CALL", "");
        self.register_columns(held);
    }

    /// Adds the registers that hold parts of a value.
    fn hold(&self, value: &Value, held: &mut Vec<Held>) {
        let all = segments::of_passed(value, self.view.slot() as f64);
        for part in &value.parts {
            let Spot::Reg(reg) = part.spot else { continue };
            for (i, reg) in [Some(reg), part.also].into_iter().flatten().enumerate() {
                let mut segments = placed(&all, part.offset as f64, (part.offset + part.size) as f64, 0.0);
                if let (RegClass::X87, [only]) = (reg.class, segments.as_mut_slice()) {
                    // Whatever its type is, a number has 80 bits there.
                    only.end = 10.0;
                }
                let note = if i > 0 { "the same".to_string() } else { String::new() };
                // Two values may share a register.
                if let Some(found) = held.iter_mut().find(|h| h.reg == reg) {
                    found.fills.push((value.index, segments));
                    continue;
                }
                let fills = vec![(value.index, segments)];
                held.push(Held { reg, bytes: part.size, fills, ext: part.ext, note });
            }
        }
    }

    fn register_columns(&mut self, mut held: Vec<Held>) {
        held.sort_by_key(|h| (h.reg.class != RegClass::Int, h.reg.class));
        let top = self.y;
        let (mut left, mut right) = (top, top);
        let any_integer = held.iter().any(|h| h.reg.class == RegClass::Int);
        for h in &held {
            let integer = h.reg.class == RegClass::Int;
            let (x, y) = match (integer, any_integer) {
                (true, _) => (MARGIN + 48.0, &mut left),
                (false, true) => (MARGIN + 48.0 + NARROW + 96.0, &mut right),
                (false, false) => (MARGIN + 48.0, &mut right),
            };
            let at = (x, *y);
            *y += PITCH;
            self.register(h, at);
        }
        self.y = left.max(right);
    }

    fn register(&mut self, held: &Held, at: (f64, f64)) {
        let arch = self.view.arch();
        let total = names::register_bytes(arch, held.reg, held.bytes);
        let byte = match held.reg.class {
            RegClass::Int => NARROW / total as f64,
            _ => WIDE / total.max(16) as f64,
        };
        let name = names::register(arch, held.reg, if held.reg.class == RegClass::X87 { 10 } else { total });
        self.canvas.label("name", (at.0 - 8.0, at.1 + 16.0), Anchor::End, &name);
        self.bytes(at, byte, total, &held.fills);
        if let Some((index, _)) = held.fills.first() {
            self.extension(at, byte, (held.bytes, total), *index, held.ext);
            self.canvas.rect("edge", at, (byte * total as f64, CELL), "");
        }
        if !held.note.is_empty() {
            let x = at.0 + byte * total as f64 + 8.0;
            self.canvas.label("sans small dim", (x, at.1 + 16.0), Anchor::Start, &held.note);
        }
    }

    /// The bytes of a row from `range.0` to `range.1` that extension fills.
    fn extension(&mut self, at: (f64, f64), byte: f64, range: (u64, u64), index: usize, ext: Extension) {
        let (to, word) = match ext {
            Extension::Zero { to, .. } => (to, "zero"),
            Extension::Sign { to, .. } => (to, "sign"),
            _ => return,
        };
        let (start, end) = (range.0, (range.0.next_multiple_of(u64::from(to) / 8)).min(range.1));
        if end <= start {
            return;
        }
        let (x, width) = (at.0 + start as f64 * byte, (end - start) as f64 * byte);
        let tip = format!("{word}-extended to {to} bits");
        self.canvas.rect("free", (x, at.1), (width, CELL), "");
        self.canvas.rect(&format!("{} ext", value_class(index)), (x, at.1), (width, CELL), &tip);
        if width_of(word, 11.0) <= width {
            self.canvas.label("cell dim", (x + width / 2.0, at.1 + 16.0), Anchor::Middle, word);
        }
    }

    fn stack(&mut self) {
        let abi = &self.view.abi;
        let remark = match (abi.callee_pop_bytes, abi.stack_arg_bytes) {
            (0, 0) => "higher addresses are above",
            (0, _) => "higher addresses are above; the caller pops",
            _ => "higher addresses are above; the callee pops",
        };
        let sp = names::stack_pointer(abi.arch);
        let block = abi.arg_block.map(|block| format!("one argument block of {}", bytes(block.size)));
        self.heading("STACK AT THE CALL", block.as_deref().unwrap_or(remark));
        let slot = self.view.slot();
        let used = u64::from(abi.stack_arg_bytes).max(abi.home_space.into());
        let rows = used.div_ceil(slot);
        let x = MARGIN + 120.0;
        for row in stack_rows(self.view, rows) {
            match row {
                Row::Slot(offset) => self.slot(x, offset, slot),
                Row::Gap(count) => {
                    let text = format!("⋮  {}", bytes(count));
                    self.canvas.label("small dim", (x + WIDE / 2.0, self.y + 13.0), Anchor::Middle, &text);
                    self.y += 20.0;
                }
            }
        }
        self.pointer(x, &format!("{sp} at the call"), &format!("aligned to {}", abi.stack_align));
        if abi.entry_bias > 0 {
            self.ghost(x, "return address, pushed by the call");
            self.pointer(x, &format!("{sp} at entry"), "");
        }
        if abi.red_zone == 0 {
            self.y += 10.0;
        } else {
            self.ghost(x, &format!("red zone of the callee, {}", bytes(abi.red_zone.into())));
        }
        self.y += 4.0;
    }

    fn slot(&mut self, x: f64, offset: u64, slot: u64) {
        let view = self.view;
        let byte = WIDE / slot as f64;
        let (start, end) = (offset as f64, (offset + slot) as f64);
        let mut fills = Vec::new();
        let mut extended = Vec::new();
        for value in &view.values {
            if value.index == 0 && !matches!(value.passing, Passing::Address { .. }) {
                continue;
            }
            let all = segments::of_passed(value, slot as f64);
            for part in &value.parts {
                let Spot::Stack(at) = part.spot else { continue };
                if at >= offset + slot || at + part.size <= offset {
                    continue;
                }
                // Converts bytes of the value to bytes of the row.
                let shift = at as f64 - part.offset as f64;
                let (from, to) = (start - shift, end - shift);
                let (first, last) = (part.offset as f64, (part.offset + part.size) as f64);
                let segments = placed(&all, from.max(first), to.min(last), (at as f64 - start).max(0.0));
                fills.push((value.index, segments));
                extended.push((at + part.size - offset.min(at + part.size), value.index, part.ext));
            }
        }
        let at = (x, self.y);
        if fills.is_empty() && offset < view.abi.home_space.into() {
            self.canvas.rect("ghost", at, (WIDE, CELL), "");
            self.canvas.label(
                "sans small dim",
                (x + WIDE / 2.0, self.y + 16.0),
                Anchor::Middle,
                "home space of the callee",
            );
        } else {
            self.bytes(at, byte, slot, &fills);
            for (end, index, ext) in extended {
                self.extension(at, byte, (end, slot), index, ext);
            }
            self.canvas.rect("edge", at, (WIDE, CELL), "");
        }
        self.canvas.label("small", (x - 8.0, self.y + 16.0), Anchor::End, &view.address(offset, 0));
        if view.abi.entry_bias > 0 {
            let text = format!("{} at entry", view.address(offset, view.abi.entry_bias.into()));
            self.canvas.label("small dim", (x + WIDE + 8.0, self.y + 16.0), Anchor::Start, &text);
        }
        self.y += CELL;
    }

    fn pointer(&mut self, x: f64, text: &str, remark: &str) {
        self.canvas.line("sp", (x - 12.0, self.y), (x + WIDE + 12.0, self.y));
        self.canvas.label("small spt", (x - 16.0, self.y + 4.0), Anchor::End, text);
        if !remark.is_empty() {
            self.canvas.label("small dim", (x + WIDE + 18.0, self.y + 4.0), Anchor::Start, remark);
        }
    }

    fn ghost(&mut self, x: f64, text: &str) {
        self.canvas.rect("ghost", (x, self.y), (WIDE, CELL), "");
        self.canvas.label("sans small dim", (x + WIDE / 2.0, self.y + 16.0), Anchor::Middle, text);
        self.y += CELL;
    }

    fn results(&mut self) {
        let view = self.view;
        let mut held = Vec::new();
        let result = &view.values[0];
        match (result.passing, view.abi.sret_return_reg) {
            (Passing::Direct, _) => self.hold(result, &mut held),
            (_, Some(reg)) => {
                let index = view.abi.sret_param.map_or(0, |param| param as usize + 1);
                held.push(Held::one(reg, view.slot(), index, "&result", "the address of the result's memory"));
            }
            _ => {}
        }
        if let Some(reg) = view.abi.returns_this {
            held.push(Held::one(reg, view.slot(), 1, "this", "the address of the object"));
        }
        if !held.is_empty() {
            self.heading("COMES BACK", "");
            self.register_columns(held);
        }
    }

    fn facts(&mut self) {
        self.heading("WHAT ELSE HOLDS", "");
        self.y += 8.0;
        let columns = fitting(WIDTH - 2.0 * MARGIN - 80.0, 11.0);
        for fact in facts::facts(self.view) {
            self.canvas.label("sans small dim", (MARGIN, self.y), Anchor::Start, fact.topic);
            for line in wrap(&fact.text, columns) {
                self.canvas.label("small", (MARGIN + 80.0, self.y), Anchor::Start, &line);
                self.y += 15.0;
            }
            self.y += 3.0;
        }
    }
}

/// The segments between two bytes of a value, shifted so that the first of these bytes is at `to`.
fn placed(segments: &[Segment], from: f64, end: f64, to: f64) -> Vec<Segment> {
    let mut found: Vec<Segment> = segments.iter().filter_map(|segment| segment.between(from, end)).collect();
    for segment in &mut found {
        segment.start += to - from;
        segment.end += to - from;
    }
    found
}

/// A row of the stack's picture.
enum Row {
    /// A slot at an offset in bytes.
    Slot(u64),
    /// This many bytes that are not shown.
    Gap(u64),
}

/// The rows from the highest address down. If there are too many, the middle of long values is left out.
fn stack_rows(view: &View, rows: u64) -> Vec<Row> {
    let slot = view.slot();
    let inside = |offset: u64| {
        view.values.iter().flat_map(|value| &value.parts).any(|part: &Part| match part.spot {
            Spot::Stack(at) => part.size >= 8 * slot && at + 2 * slot <= offset && offset + 2 * slot <= at + part.size,
            Spot::Reg(_) => false,
        })
    };
    let mut list = Vec::new();
    let mut row = rows;
    while row > 0 {
        row -= 1;
        let offset = row * slot;
        if rows > STACK_ROWS && inside(offset) {
            match list.last_mut() {
                Some(Row::Gap(bytes)) => *bytes += slot,
                _ => list.push(Row::Gap(slot)),
            }
        } else {
            list.push(Row::Slot(offset));
        }
    }
    list
}
