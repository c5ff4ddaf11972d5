//! What a function's text says of its source: places and variables, as remarks.

use std::fmt::Write;
use std::ops::Range;

use crate::buffer::{LineEntry, Mark};
use crate::debug::{
    CompiledDebugInfo, DebugInfo, DiExpression, DiLocalVariableId, DiLocationId, LabelPlace, Place, VariableOperand,
    VariableRange, operation_name,
};
use crate::ir::{DebugRecord, DebugRecordKind, Function, Inst, Module, Printer, Spot};
use crate::machine::{Machine, PReg};

/// The most calls inlined into each other that are shown. Damaged ones might be a cycle.
const MOST_CALLS: usize = 64;

/// A function as text. Front ends know the names of the source's variables, and its lines and columns, when all functions are compiled:
/// until then they are notes.
#[derive(Clone, Debug, Default)]
pub struct Dumped {
    text: String,
    notes: Vec<Note>,
    /// By the offsets of their code, the nodes of the notes with these numbers.
    nodes: CompiledDebugInfo,
}

/// Something to be put into the text.
#[derive(Clone, Debug)]
struct Note {
    /// Before this byte.
    at: usize,
    /// Around what the node is called.
    around: [String; 2],
}

impl Dumped {
    /// The nodes that the text refers to, which get their final numbers as those of compiled functions do.
    pub fn nodes(&mut self) -> &mut CompiledDebugInfo {
        &mut self.nodes
    }

    /// The text, with what these nodes say; without nodes it says nothing of the source.
    pub fn text(&self, info: Option<&DebugInfo>) -> String {
        let Some(info) = info else { return self.text.clone() };
        let mut names = vec![None; self.notes.len()];
        for line in &self.nodes.lines {
            let place = line.value.location.map_or_else(|| "0:0".to_string(), |location| place(info, location));
            names[line.offset as usize] = Some(place);
        }
        let of_string = |string, inlined_at: Option<DiLocationId>| {
            let at = inlined_at.map_or_else(String::new, |call| format!(" @[ {} ]", place(info, call)));
            format!("{}{at}", String::from_utf8_lossy(info.strings.get(string)))
        };
        for range in &self.nodes.variables {
            let variable = &info.variables[range.variable.index()];
            names[range.code.start as usize] = Some(of_string(variable.name, range.inlined_at));
        }
        for label in &self.nodes.labels {
            let node = &info.labels[label.value.label.index()];
            names[label.offset as usize] = Some(of_string(node.name, label.value.inlined_at));
        }
        let (mut out, mut done) = (String::with_capacity(self.text.len() * 2), 0);
        for (note, known) in self.notes.iter().zip(names) {
            out.push_str(&self.text[done..note.at]);
            done = note.at;
            let [before, after] = &note.around;
            // What the front end cannot read has no name.
            out.extend([before, known.as_deref().unwrap_or("?"), after]);
        }
        out.push_str(&self.text[done..]);
        out
    }

    pub(super) fn finish(self, text: String) -> Dumped {
        Dumped { text, ..self }
    }

    fn note(&mut self, at: usize, before: String, after: String) -> u32 {
        self.notes.push(Note { at, around: [before, after] });
        self.notes.len() as u32 - 1
    }

    /// Notes a place in the source at the end of a line of the text.
    pub(super) fn location(&mut self, at: usize, location: Option<DiLocationId>) {
        let offset = self.note(at, "  ; !dbg ".into(), String::new());
        self.nodes.lines.push(Mark { offset, value: LineEntry { location, epilogue_begin: false } });
    }

    /// Notes the location of an instruction and the records that follow it, or the records at the start of a block.
    pub(super) fn spot(&mut self, module: &Module, f: &Function, at: usize, spot: Spot) {
        let records = match spot {
            Spot::Block(b) => f.block_insts(b).next(),
            Spot::Inst(i) => {
                if let Some(location) = f.debug.location(i) {
                    self.location(at, Some(location.id));
                }
                Some(Inst(i.0 + 1)).filter(|_| !f.inst(i).op.is_terminator())
            }
        };
        let records = f.debug.records.iter().filter(|record| Some(record.before) == records);
        records.for_each(|record| self.record(module, f, at, record));
    }

    fn record(&mut self, module: &Module, f: &Function, at: usize, record: &DebugRecord) {
        let printer = Printer::new(module).raw();
        let operands = f.debug.operands_of(record).iter();
        let operands: Vec<String> =
            operands.map(|operand| operand.map_or_else(|| "none".into(), |v| printer.value(f, v))).collect();
        let kind = match record.kind {
            DebugRecordKind::Value => "value",
            DebugRecordKind::Declare => "declare",
            DebugRecordKind::Address => "address",
            DebugRecordKind::Label(_) => "label",
        };
        let values = if operands.is_empty() { String::new() } else { format!(" = {}", operands.join(", ")) };
        let expression = f.debug.expressions.get(record.expression as usize).map(words).unwrap_or_default();
        let offset = self.note(at, format!("\n    ; #dbg_{kind} "), values + &expression);
        match record.kind {
            DebugRecordKind::Label(label) => {
                let value = LabelPlace { label, inlined_at: record.inlined_at };
                self.nodes.labels.push(Mark { offset, value });
            }
            _ => self.variable(offset, record.variable, record.inlined_at),
        }
    }

    fn variable(&mut self, note: u32, variable: DiLocalVariableId, inlined_at: Option<DiLocationId>) {
        let (code, operands) = (note..note + 1, 0..0);
        let range = VariableRange { variable, inlined_at, code, operands, expression: 0, is_address: false };
        self.nodes.variables.push(range);
    }

    /// Notes where the compiled function's variables are, a line for each stretch of code, and which are nowhere.
    pub(super) fn places<M: Machine>(&mut self, target: &M, module: &Module, at: usize, debug: &CompiledDebugInfo) {
        for range in &debug.variables {
            let operands = debug.operands[as_usize(&range.operands)].iter();
            let operands: Vec<String> = operands.map(|operand| operand_text(target, module, operand)).collect();
            let expression = words(&debug.expressions[range.expression as usize]);
            let kind = if range.is_address { "at" } else { "in" };
            let before = format!("{:6x} to {:x}: ", range.code.start, range.code.end);
            let after = format!(" {kind} {}{expression}\n", operands.join(", "));
            let note = self.note(at, before, after);
            self.variable(note, range.variable, range.inlined_at);
        }
        for &(variable, inlined_at) in debug.nowhere.iter().chain(&debug.lost) {
            let note = self.note(at, "         nowhere: ".into(), "\n".into());
            self.variable(note, variable, inlined_at);
        }
    }
}

fn as_usize(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Line and column, with the calls by whose replacement the place got there, as LLVM shows them.
fn place(info: &DebugInfo, location: DiLocationId) -> String {
    let node = |location: DiLocationId| &info.locations[location.index()];
    let (mut text, mut calls) = (format!("{}:{}", node(location).line, node(location).column), 0);
    let mut next = node(location).inlined_at;
    while let Some(call) = next.filter(|_| calls < MOST_CALLS) {
        let _ = write!(text, " @[ {}:{}", node(call).line, node(call).column);
        (next, calls) = (node(call).inlined_at, calls + 1);
    }
    let more = if next.is_some() { " ..." } else { "" };
    text + more + &" ]".repeat(calls)
}

/// The operations of an expression, if it has any.
fn words(expression: &DiExpression) -> String {
    let mut text = String::new();
    for (operation, words) in expression.operations() {
        let _ = write!(text, ", {}", operation_name(operation));
        words.iter().for_each(|word| _ = write!(text, " {word}"));
    }
    text
}

fn register<M: Machine>(target: &M, dwarf: u16) -> String {
    let number = target.facts().dwarf_register;
    let all = (0..64).map(PReg).find(|&r| number(r) == dwarf);
    all.map_or_else(|| format!("register {dwarf}"), |r| target.register_name(r))
}

fn place_text<M: Machine>(target: &M, place: Place) -> String {
    match place {
        Place::Register(r) => register(target, r),
        Place::Memory { register: r, offset } => format!("{offset}({})", register(target, r)),
    }
}

fn operand_text<M: Machine>(target: &M, module: &Module, operand: &VariableOperand) -> String {
    match *operand {
        VariableOperand::Value { low, high: None, .. } => place_text(target, low),
        VariableOperand::Value { low, high: Some(high), .. } => {
            format!("{}:{}", place_text(target, high), place_text(target, low))
        }
        VariableOperand::FrameAddress { register: r, offset, align } if align <= 1 => {
            format!("{}{offset:+}", register(target, r))
        }
        VariableOperand::FrameAddress { register: r, offset, align } => {
            format!("{}{offset:+} align {align}", register(target, r))
        }
        VariableOperand::Constant { bits, .. } => bits.to_string(),
        VariableOperand::Symbol(symbol, offset) => format!("{}{offset:+}", module.symbol(symbol).name),
        VariableOperand::EntryValue(r) => format!("entry value of {}", register(target, r)),
    }
}
