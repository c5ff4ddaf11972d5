//! A function as text at one of the stages of its compilation (`docs/travel.md`).
//!
//! Values keep the numbers that they have in the function's tables, so that they can be followed from stage to stage.
//! Remarks come after a semicolon.

mod notes;

use std::collections::HashMap;
use std::fmt::Write;

pub use notes::Dumped;

use crate::alloc::{Event, Loc, Location, Log, Name, Splits, Transfer, Units};
use crate::analysis::{Cfg, Fold, Hint, Live};
use crate::asm::{Disassembler, Operands};
use crate::buffer::{LineEntry, Mark, RelocTarget};
use crate::compiled::CompiledFunction;
use crate::frame::Frame;
use crate::ir::{Block, Function, Module, Printer, Spot, SymbolId, Value};
use crate::machine::PReg;
use crate::passes::Pass;
use crate::select::Select;

/// A point on a function's way to machine code.
///
/// ```
/// use gusset_codegen::dump::Stage;
///
/// let names = Stage::ALL.map(Stage::name);
/// assert_eq!((names[0], names[6]), ("read", "code"));
/// assert!(Stage::Read < Stage::Legalize);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Stage {
    /// As the front end made it.
    Read,
    /// Jumps are threaded, stack slots are values.
    Promote,
    /// Only operations that the target has, and calls of the run-time library.
    Legalize,
    /// As a pass of optimized functions leaves it, of those that it runs on.
    After(Pass),
    /// As instructions are selected from it.
    Final,
    /// The same in the order of emission, with uses, live ranges and which instructions are deferred.
    Live,
    /// The same with the home of every value that has one.
    Homes,
    /// Machine code, with the operation that each instruction belongs to and where values are.
    Code,
    /// A line for each call that was inlined or not, and for each value that has no register.
    Remarks,
}

impl Stage {
    /// All but those after passes and remarks, in order.
    pub const ALL: [Stage; 7] =
        [Stage::Read, Stage::Promote, Stage::Legalize, Stage::Final, Stage::Live, Stage::Homes, Stage::Code];

    /// Its name: that of the variant in lower case, or that of the pass.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Read => "read",
            Stage::Promote => "promote",
            Stage::Legalize => "legalize",
            Stage::After(pass) => pass.name(),
            Stage::Final => "final",
            Stage::Live => "live",
            Stage::Homes => "homes",
            Stage::Code => "code",
            Stage::Remarks => "remarks",
        }
    }

    /// The stage of that name.
    pub fn from_name(name: &str) -> Option<Stage> {
        let stage = Stage::ALL.into_iter().chain([Stage::Remarks]).find(|s| s.name() == name);
        stage.or_else(|| Pass::from_name(name).map(Stage::After))
    }
}

/// A request to see functions at a stage.
pub(crate) struct Dump {
    pub stage: Stage,
    /// Spells instructions; without it they are shown as bytes.
    pub disassembler: Option<Box<dyn Disassembler>>,
    /// The function that was compiled last.
    pub text: Dumped,
}

/// The function's IR.
pub(crate) fn plain(module: &Module, f: &Function) -> Dumped {
    remarked(module, f, &f.layout, |_, _| {})
}

/// The IR with remarks: what `remark` appends to the lines of blocks and instructions, and then those on the source.
fn remarked(module: &Module, f: &Function, order: &[Block], mut remark: impl FnMut(&mut String, Spot)) -> Dumped {
    let mut dumped = Dumped::default();
    let text = Printer::new(module).raw().remarked(f, order, &mut |out, spot| {
        remark(out, spot);
        dumped.spot(module, f, out.len(), spot);
    });
    dumped.finish(text)
}

/// The IR in the order of emission, with live ranges.
pub(crate) fn lives<T: Select>(target: &T, module: &Module, f: &Function, cfg: &Cfg, live: &Live) -> Dumped {
    let life = |out: &mut String, v: Value| {
        let _ = write!(out, "; {v}: used {}, to {}", live.count(v), live.end(v));
        if live.leaves_block(v) {
            let _ = write!(out, ", leaves the block, weight {}", live.weight(v));
        }
        match live.hint(v) {
            Hint::None => {}
            Hint::Reg(r) => drop(write!(out, ", wants {}", target.register_name(r))),
            Hint::Value(p) => drop(write!(out, ", becomes {p}")),
        }
    };
    remarked(module, f, &cfg.order, |out, spot| match spot {
        Spot::Block(b) => {
            let index = cfg.index[b.index()] as usize;
            let (from, data) = (cfg.start[index], &f.blocks[b.index()]);
            let _ = write!(out, "  ; {from} to {}, loops {}", from + (data.end - data.first), cfg.depth(index));
            for &p in f.params(b) {
                out.push_str("\n    ");
                life(out, p);
            }
        }
        Spot::Inst(i) => {
            match live.fold[i.index()] {
                Fold::No => drop(write!(out, "  ; {}", live.position[i.index()])),
                Fold::Dead => out.push_str("  ; dead"),
                Fold::Deferred => drop(write!(out, "  ; left to {}", live.position[i.index()])),
            }
            if live.fold[i.index()] == Fold::No {
                for v in f.results(i) {
                    out.push(' ');
                    life(out, v);
                }
            }
        }
    })
}

/// The IR in the order of emission, with the homes of values.
pub(crate) fn homes<T: Select>(
    target: &T,
    module: &Module,
    f: &Function,
    cfg: &Cfg,
    (units, splits): (&Units, &Splits),
    frame: &Frame,
) -> Dumped {
    let is_in = |out: &mut String, v: Value, unit: u32, register: Option<PReg>| {
        let place = match (register, units.place(unit)) {
            (Some(r), _) => target.register_name(r),
            (None, Some(place)) => Loc::from(frame.addr(place, 0)).text(target),
            (None, None) => return,
        };
        let _ = write!(out, "  ; {} in {place}", name(v.to_string(), u8::from(unit != v.0), units.parts(v)));
    };
    // Where values are that are split, where they are defined.
    let all = (0..cfg.order.len()).flat_map(|index| splits.at(index)).filter(|split| !split.enters);
    let first: HashMap<u32, Option<PReg>> = all.map(|split| (split.unit, split.home)).collect();
    let home = |out: &mut String, v: Value| {
        let of = |unit| first.get(&unit).copied().unwrap_or_else(|| units.home(unit));
        units.of(v).for_each(|unit| is_in(out, v, unit, of(unit)));
    };
    remarked(module, f, &cfg.order, |out, spot| match spot {
        Spot::Block(b) => {
            f.params(b).iter().for_each(|&p| home(out, p));
            let entering = splits.at(cfg.index[b.index()] as usize).iter().filter(|split| split.enters);
            entering.for_each(|split| is_in(out, units.value(split.unit), split.unit, split.home));
        }
        Spot::Inst(i) => f.results(i).for_each(|v| home(out, v)),
    })
}

/// Lines about a function: what has become of calls, and which values are in the frame.
pub(crate) fn remarks(
    module: &Module,
    f: &Function,
    (order, live): (&[Block], &Live),
    units: &Units,
    calls: &[String],
) -> Dumped {
    let mut text = String::new();
    let mut line = |what: &str| {
        let _ = writeln!(text, "{}: remark: {what}", module.symbol(f.symbol).name);
    };
    calls.iter().for_each(|call| line(call));
    let mut spilled = |v: Value| {
        let is_in_frame = |unit: u32| units.home(unit).is_none() && units.place(unit).is_some();
        if units.of(v).any(is_in_frame) {
            line(&format!("{v}: {} is in the frame, used {} times", f.value_type(v), live.count(v)));
        }
    };
    for &b in order {
        f.params(b).iter().for_each(|&p| spilled(p));
        f.block_insts(b).flat_map(|i| f.results(i)).for_each(&mut spilled);
    }
    Dumped::default().finish(text)
}

/// The name of a part of a value that has `count` parts.
fn name(value: String, part: u8, parts: u8) -> String {
    if parts > 1 { format!("{value}.{part}") } else { value }
}

/// The machine code, instruction by instruction, with the operation that each belongs to.
pub(crate) struct CodeText<'a, T> {
    pub target: &'a T,
    pub module: &'a Module,
    pub f: &'a Function,
    pub cfg: &'a Cfg,
    pub compiled: &'a CompiledFunction,
    pub log: &'a Log,
    pub locations: &'a [Location],
}

impl<T: Select> CodeText<'_, T> {
    /// The text: operations of the IR with the events of each and the code below; at the end, where each value is, and each variable of the
    /// source.
    pub fn write(&self, disassembler: Option<&mut (dyn Disassembler + 'static)>) -> Dumped {
        let printer = Printer::new(self.module).raw();
        let code = Instructions::new(self.module, self.compiled, disassembler);
        let mut out = format!("{}: {} bytes\n", self.module.symbol(self.f.symbol).name, self.compiled.code.len());
        let (mut done, mut dumped) = (0, Dumped::default());
        for (event, &offset) in self.log.events.iter().zip(&self.log.offsets) {
            done = code.write(&mut out, &mut dumped, done, offset);
            match *event {
                Event::Block(index) => drop(writeln!(out, "{}:", self.cfg.order[index as usize])),
                Event::Inst(i) => drop(writeln!(out, "  {}", printer.inst(self.f, i))),
                Event::Enter(i) => drop(writeln!(out, "  . {}", printer.inst(self.f, i))),
                Event::Edge(e) => drop(writeln!(out, "  to {}", self.f.edge_to(e))),
                event => self.event(&mut out, event),
            }
        }
        code.write(&mut out, &mut dumped, done, self.compiled.code.len() as u32);
        for l in self.locations {
            let (from, to) = (l.from, l.to);
            let _ = writeln!(out, "{from:6x} to {to:x}: {} in {}", self.name(l.name), l.at.text(self.target));
        }
        if let Some(debug) = &self.compiled.debug {
            dumped.places(self.target, self.module, out.len(), debug);
        }
        dumped.finish(out)
    }

    fn name(&self, n: Name) -> String {
        let value = Printer::new(self.module).raw().value(self.f, n.value);
        name(value, n.part, self.target.parts(self.f.value_type(n.value)).count)
    }

    /// One line about what the allocator did with a value.
    fn event(&self, out: &mut String, event: Event) {
        let show = |at: Loc| at.text(self.target);
        let line = match event {
            Event::Use(n, at) | Event::Read(n, at) => format!("{} from {}", self.name(n), show(at)),
            Event::Bind(n, at) => format!("{} to {}", self.name(n), show(at)),
            Event::Transfer(Transfer::Copy { to, from, .. }, _) => format!("{} := {}", show(to), show(from)),
            Event::Transfer(Transfer::Swap { a, b, .. }, _) => format!("{} <-> {}", show(a), show(b)),
            Event::Transfer(Transfer::Make { to, name }, _) => format!("{} := {}", show(to), self.name(name)),
            _ => return,
        };
        let _ = writeln!(out, "    ; {line}");
    }
}

/// The instructions of a function as lines.
struct Instructions<'a> {
    lines: Vec<(u32, String)>,
    /// Their locations.
    locations: &'a [Mark<LineEntry>],
}

impl<'a> Instructions<'a> {
    fn new(
        module: &Module,
        f: &'a CompiledFunction,
        mut disassembler: Option<&mut (dyn Disassembler + 'static)>,
    ) -> Instructions<'a> {
        let mut lines = Vec::new();
        let mut decoded = Vec::new();
        if let Some(disassembler) = &mut disassembler {
            disassembler.decode(&f.code, &mut decoded);
        }
        let mut offset = 0;
        let mut relocs = f.relocs.iter().peekable();
        for d in decoded {
            let mut fields = Vec::new();
            while let Some(r) = relocs.next_if(|r| r.offset < offset + d.len) {
                fields.push((r.offset - offset, format!("{}{:+}", target_name(module, r.target), r.addend)));
            }
            let label = d.target.filter(|_| fields.is_empty()).map(|at| format!("{at:#x}"));
            let mut text = String::new();
            if let Some(disassembler) = &mut disassembler {
                let operands = Operands { fields: &fields, label: label.as_deref() };
                disassembler.print(&f.code, offset, d.len, operands, &mut text);
            }
            lines.push((offset, text));
            offset += d.len;
        }
        for (at, byte) in f.code.iter().enumerate().skip(offset as usize) {
            lines.push((at as u32, format!(".byte {byte:#04x}")));
        }
        Instructions { lines, locations: f.debug.as_ref().map_or(&[], |debug| &debug.lines) }
    }

    /// Appends the instructions from one offset up to another, and returns the latter.
    fn write(&self, out: &mut String, dumped: &mut Dumped, from: u32, to: u32) -> u32 {
        let first = self.lines.partition_point(|l| l.0 < from);
        for (at, text) in self.lines[first..].iter().take_while(|l| l.0 < to) {
            let _ = write!(out, "{at:6x}  {}", text.replace('\t', " "));
            let locations = self.locations.iter().filter(|mark| mark.offset == *at);
            locations.for_each(|mark| dumped.location(out.len(), mark.value.location));
            out.push('\n');
        }
        from.max(to)
    }
}

/// What a relocated field refers to.
fn target_name(module: &Module, target: RelocTarget) -> String {
    match target {
        RelocTarget::Symbol(s) => module.symbol(SymbolId(s)).name.clone(),
        RelocTarget::Constant(c) => format!("constant{}", c.0),
        RelocTarget::JumpTable(t) => format!("table{}", t.0),
        RelocTarget::Label(l) => format!("label{}", l.0),
        RelocTarget::LibCall(lib) => lib.symbol().to_string(),
        RelocTarget::Place(at) => format!("code+{at:#x}"),
        RelocTarget::Code => "code".into(),
        RelocTarget::SafeSehHandler => "handler".into(),
        RelocTarget::HandlerTables => "handlers".into(),
    }
}
