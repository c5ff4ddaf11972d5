//! Writes the text form: modules, functions and signatures as lines that can be read back.
//!
//! Values are numbered in the order in which they are printed, so that the text of a function does not depend on how it
//! was built. [`Printer::raw`] keeps the numbers of the tables instead, for debugging.

mod sig;

use std::collections::HashMap;
use std::fmt::{self, Write};

use super::attributes::{Inlining, SlotKind};
use super::entities::{Block, Edge, Inst, SwitchId, Value};
use super::exceptions::{Clause, Pad, PadKind};
use super::function::{CallData, Callee, ConstData, Function, TailKind, ValueDef};
use super::inst::{AtomicInfo, CmpxchgInfo, FloatCc, InstData, IntCc, MemFlags, Opcode, ReduceOp, RmwOp};
use super::module::{Module, RelocBase, SigData, Symbol, SymbolId, SymbolKind};
use super::stack_map::{StackMap, StackMapEntry, StackMapId};
use super::types::Type;
use super::words::{Item, items, joined};
use crate::sparse::{Piece, SparseBytes};

/// A line of a function's text. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spot {
    /// A block's head.
    Block(Block),
    /// An instruction.
    Inst(Inst),
}

/// Prints a module and its functions. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
pub struct Printer<'a> {
    module: &'a Module,
    /// Which symbols are known by their names; others are written by number.
    named: Vec<bool>,
    raw: bool,
}

impl<'a> Printer<'a> {
    /// A printer for functions of `module`.
    pub fn new(module: &'a Module) -> Printer<'a> {
        let mut count: HashMap<&str, u32> = HashMap::new();
        for s in &module.symbols {
            *count.entry(&s.name).or_default() += 1;
        }
        let named = module.symbols.iter().map(|s| !s.name.is_empty() && count[s.name.as_str()] == 1).collect();
        Printer { module, named, raw: false }
    }

    /// The same printer with values numbered as in the function's tables.
    pub fn raw(mut self) -> Printer<'a> {
        self.raw = true;
        self
    }

    /// The module without function bodies.
    pub fn module(&self) -> String {
        let mut out = String::new();
        // Writing to a `String` cannot fail.
        let _ = self.write_module(&mut out);
        out
    }

    /// A function.
    pub fn function(&self, func: &Function) -> String {
        self.remarked(func, &func.layout, &mut |_, _| {})
    }

    /// The blocks of a function in the order of `blocks`, with remarks: `remark` is called after the line of every
    /// block and instruction and may append to it.
    pub fn remarked(&self, func: &Function, blocks: &[Block], remark: &mut dyn FnMut(&mut String, Spot)) -> String {
        self.text(func, |text, out| {
            text.head(out)?;
            text.blocks(out, blocks, remark)
        })
    }

    /// A value as an operand: constants by their contents.
    pub fn value(&self, func: &Function, v: Value) -> String {
        self.text(func, |text, out| text.value(out, v))
    }

    /// One instruction of a function, without indentation or line end.
    pub fn inst(&self, func: &Function, inst: Inst) -> String {
        self.text(func, |text, out| text.inst(out, inst))
    }

    fn text(&self, func: &Function, write: impl FnOnce(&FunctionText<'_>, &mut String) -> fmt::Result) -> String {
        let mut out = String::new();
        // Writing to a `String` cannot fail.
        let _ = write(&FunctionText { printer: self, func, numbers: self.numbers(func) }, &mut out);
        out
    }

    fn numbers(&self, func: &Function) -> Option<Vec<u32>> {
        if self.raw {
            return None;
        }
        let mut numbers = vec![u32::MAX; func.value_count()];
        let mut next = 0;
        let mut take = |v: Value| {
            if let Some(n) = numbers.get_mut(v.index()) {
                *n = next;
                next += 1;
            }
        };
        for &b in &func.layout {
            func.params(b).iter().copied().for_each(&mut take);
            for i in func.block_insts(b) {
                func.results(i).for_each(&mut take);
            }
        }
        Some(numbers)
    }

    fn symbol(&self, out: &mut String, s: SymbolId) -> fmt::Result {
        match self.module.symbols.get(s.index()) {
            Some(symbol) if self.named[s.index()] => symbol_name(out, &symbol.name),
            _ => write!(out, "{s}"),
        }
    }

    fn write_module(&self, out: &mut String) -> fmt::Result {
        let m = self.module;
        out.push_str("module ");
        quoted(out, m.source_name.as_bytes());
        out.push('\n');
        for ident in &m.idents {
            out.push_str("ident ");
            quoted(out, ident.as_bytes());
            out.push('\n');
        }
        if !m.module_asm.is_empty() {
            out.push_str("asm ");
            quoted(out, m.module_asm.as_bytes());
            out.push('\n');
        }
        for (i, c) in m.comdats.iter().enumerate() {
            write!(out, "comdat{i} = {} ", c.kind.name())?;
            quoted(out, c.name.as_bytes());
            out.push('\n');
        }
        for (i, s) in m.symbols.iter().enumerate() {
            write!(out, "s{i} = ")?;
            self.write_symbol(out, s)?;
        }
        let lists =
            [("data ", &m.data), ("prefix ", &m.prefixes), ("prologue ", &m.prologues), ("type_hash ", &m.type_hashes)];
        for (word, d) in lists.into_iter().flat_map(|(word, list)| list.iter().map(move |d| (word, d))) {
            out.push_str(word);
            self.symbol(out, d.symbol)?;
            write!(out, " size {} align {}", d.size, d.align)?;
            out.push_str(if d.constant { " constant" } else { "" });
            out.push_str(if d.mergeable { " mergeable" } else { "" });
            out.push_str(" = ");
            contents(out, &d.bytes)?;
            for r in &d.relocs {
                write!(out, " reloc({}, {}, ", r.offset, r.size)?;
                self.symbol(out, r.symbol)?;
                write!(out, ", {}", r.addend)?;
                match r.base {
                    RelocBase::Zero => {}
                    RelocBase::Field => out.push_str(", pc"),
                    RelocBase::Symbol(base) => {
                        out.push_str(", from ");
                        self.symbol(out, base)?;
                    }
                }
                out.push(')');
            }
            out.push('\n');
        }
        for id in &m.type_ids {
            out.push_str("type_id ");
            self.symbol(out, id.function)?;
            write!(out, " {}", id.id)?;
            if let Some(place) = id.place {
                out.push_str(" at ");
                self.symbol(out, place)?;
            }
            out.push('\n');
        }
        for a in &m.aliases {
            out.push_str("alias ");
            self.symbol(out, a.symbol)?;
            out.push_str(" = ");
            self.symbol(out, a.target)?;
            writeln!(out, ", {}", a.offset)?;
        }
        for (what, list) in [("ctor", &m.ctors), ("dtor", &m.dtors)] {
            for s in list {
                write!(out, "{what} {} ", s.priority)?;
                self.symbol(out, s.function)?;
                if let Some(with) = s.with {
                    out.push_str(" with ");
                    self.symbol(out, with)?;
                }
                out.push('\n');
            }
        }
        for (what, list) in [("used", &m.used), ("compiler_used", &m.compiler_used)] {
            for &s in list {
                write!(out, "{what} ")?;
                self.symbol(out, s)?;
                out.push('\n');
            }
        }
        Ok(())
    }

    fn write_symbol(&self, out: &mut String, s: &Symbol) -> fmt::Result {
        out.push_str(s.linkage.name());
        match s.kind {
            SymbolKind::Function => out.push_str(" function"),
            SymbolKind::Data => out.push_str(" data"),
            SymbolKind::Ifunc => out.push_str(" ifunc"),
            SymbolKind::Tls(model) => write!(out, " tls {}", model.name())?,
            SymbolKind::EmulatedTls => out.push_str(" emutls"),
            SymbolKind::Block(f) => write!(out, " block {f}")?,
        }
        out.push(' ');
        symbol_name(out, &s.name)?;
        let said = |out: &mut String, word: &str| out.extend([" ", word].into_iter().filter(|_| !word.is_empty()));
        said(out, s.visibility.name());
        out.push_str(if s.dso_local { " dso_local" } else { "" });
        out.push_str(if s.no_plt { " no_plt" } else { "" });
        if let Some(with) = s.associated {
            write!(out, " associated s{}", with.0)?;
        }
        out.push_str(if s.excluded { " excluded" } else { "" });
        out.push_str(if s.own_section { " own_section" } else { "" });
        out.push_str(if s.far { " far" } else { "" });
        said(out, s.dll.name());
        said(out, s.temperature.name());
        if let Some(section) = &s.section {
            out.push_str(" section ");
            quoted(out, section.as_bytes());
        }
        if let Some(prefix) = &s.section_prefix {
            out.push_str(" section_prefix ");
            quoted(out, prefix.as_bytes());
        }
        // The alignment of data is written with the data.
        if s.align != 0 && (s.kind == SymbolKind::Function || !s.is_defined()) {
            write!(out, " align {}", s.align)?;
        }
        if let Some(c) = s.comdat {
            write!(out, " {c}")?;
        }
        out.push('\n');
        Ok(())
    }
}

/// The whole text of a module: its properties, then its functions.
pub fn print<'f>(module: &Module, functions: impl IntoIterator<Item = &'f Function>) -> String {
    let printer = Printer::new(module);
    let mut out = printer.module();
    for f in functions {
        out.push('\n');
        out.push_str(&printer.function(f));
    }
    out
}

fn symbol_name(out: &mut String, name: &str) -> fmt::Result {
    out.push('@');
    let plain = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'$');
    if !name.is_empty() && name.bytes().all(plain) {
        out.push_str(name);
    } else {
        quoted(out, name.as_bytes());
    }
    Ok(())
}

/// Printable ASCII as it is, anything else as `\xx`. Contents are strings; repeated ones have a number.
fn contents(out: &mut String, bytes: &SparseBytes) -> fmt::Result {
    if bytes.is_empty() {
        quoted(out, &[]);
    }
    for (i, piece) in bytes.pieces().enumerate() {
        out.push_str(if i > 0 { " " } else { "" });
        match piece {
            Piece::Bytes(bytes) => quoted(out, bytes),
            Piece::Fill { pattern, first, len } => {
                quoted(out, &[&pattern[first..], &pattern[..first]].concat());
                write!(out, " x {len}")?;
            }
        }
    }
    Ok(())
}

pub(super) fn quoted(out: &mut String, bytes: &[u8]) {
    out.push('"');
    for &b in bytes {
        if (b' '..=b'~').contains(&b) && b != b'"' && b != b'\\' {
            out.push(b as char);
        } else {
            let _ = write!(out, "\\{b:02x}");
        }
    }
    out.push('"');
}

struct FunctionText<'a> {
    printer: &'a Printer<'a>,
    func: &'a Function,
    numbers: Option<Vec<u32>>,
}

impl FunctionText<'_> {
    /// Writes what stands before the first block.
    fn head(&self, out: &mut String) -> fmt::Result {
        let f = self.func;
        out.push_str("function ");
        self.printer.symbol(out, f.symbol)?;
        write!(out, " {}", f.sig)?;
        f.attrs.write(out);
        out.push_str(" {\n");
        self.exceptions(out)?;
        for (i, s) in f.sigs.iter().enumerate() {
            write!(out, "  sig{i} = ")?;
            write_sig(out, s)?;
        }
        for (i, s) in f.slots.iter().enumerate() {
            write!(out, "  ss{i} = {} align {}", s.size, s.align)?;
            out.push_str(if s.kind == SlotKind::Variable { "" } else { " " });
            writeln!(out, "{}", s.kind.name())?;
        }
        if let Some(escapes) = &f.escapes {
            out.push_str("  escapes ");
            self.printer.symbol(out, escapes.table)?;
            write!(out, " {}", escapes.anchor)?;
            for slot in &escapes.slots {
                match slot {
                    Some(slot) => write!(out, ", {slot}")?,
                    None => out.push_str(", none"),
                }
            }
            out.push('\n');
        }
        for (i, map) in f.stack_maps.iter().enumerate() {
            write!(out, "  sm{i} = ")?;
            stack_map(out, map)?;
        }
        for reference in f.references.iter().filter(|reference| self.is_numbered(reference.value)) {
            out.push_str("  reference ");
            self.value(out, reference.value)?;
            if self.is_numbered(reference.base) && reference.base != reference.value {
                out.push_str(" in ");
                self.value(out, reference.base)?;
            }
            out.push('\n');
        }
        for &(b, s) in &f.block_symbols {
            write!(out, "  address {b} = ")?;
            self.printer.symbol(out, s)?;
            out.push('\n');
        }
        Ok(())
    }

    fn blocks(&self, out: &mut String, blocks: &[Block], remark: &mut dyn FnMut(&mut String, Spot)) -> fmt::Result {
        for &b in blocks {
            self.block_head(out, b)?;
            remark(out, Spot::Block(b));
            out.push('\n');
            for i in self.func.block_insts(b) {
                out.push_str("  ");
                self.inst(out, i)?;
                remark(out, Spot::Inst(i));
                out.push('\n');
            }
        }
        out.push_str("}\n");
        Ok(())
    }

    /// `personality @f asynchronous types @a, any`, a line.
    fn exceptions(&self, out: &mut String) -> fmt::Result {
        let Some(personality) = self.func.exceptions.personality else { return Ok(()) };
        out.push_str("  personality ");
        self.printer.symbol(out, personality)?;
        out.push_str(if self.func.exceptions.asynchronous { " asynchronous" } else { "" });
        for (k, &ty) in self.func.exceptions.types().iter().enumerate() {
            out.push_str(if k > 0 { ", " } else { " types " });
            self.caught(out, ty)?;
        }
        out.push('\n');
        self.pads(out)
    }

    /// `pad0 = switch`, `pad1 = catch pad0, @a, 8`, `pad2 = cleanup pad1`, a line each.
    fn pads(&self, out: &mut String) -> fmt::Result {
        let all = &self.func.exceptions;
        let pads = if all.has_funclets() { all.pad_count() } else { 0 };
        for pad in (0..pads).map(Pad::new) {
            write!(out, "  {pad} = ")?;
            let (word, parent) = match all.kind(pad) {
                PadKind::Landing => ("landing", None),
                PadKind::Switch { parent } => ("switch", parent),
                PadKind::Catch { switch, .. } => ("catch", Some(switch)),
                PadKind::Cleanup { parent } => ("cleanup", parent),
            };
            out.push_str(word);
            if let Some(parent) = parent {
                write!(out, " {parent}")?;
            }
            if let PadKind::Catch { what, adjectives, .. } = all.kind(pad) {
                out.push_str(", ");
                self.caught(out, what)?;
                write!(out, ", {adjectives}")?;
            }
            out.push('\n');
        }
        Ok(())
    }

    /// `pad0, [b1, b2], b3`: the list has the handlers; what follows may be missing.
    fn pad_edges(&self, out: &mut String, d: &InstData) -> fmt::Result {
        write!(out, "{}", Pad(d.a))?;
        let handlers = if d.op == Opcode::CatchSwitch { d.c.saturating_sub(u32::from(d.flags & 1)) } else { 0 };
        if d.op == Opcode::CatchSwitch {
            out.push_str(", [");
            joined(out, self.func.pool_edges(d.b, handlers), |out, e| self.edge(out, e))?;
            out.push(']');
        }
        for e in self.func.pool_edges(d.b + handlers, d.c - handlers) {
            out.push_str(", ");
            self.edge(out, e)?;
        }
        Ok(())
    }

    fn caught(&self, out: &mut String, ty: Option<SymbolId>) -> fmt::Result {
        match ty {
            Some(symbol) => self.printer.symbol(out, symbol),
            None => out.write_str("any"),
        }
    }

    /// `cleanup, catch @a, filter [@b, any]`.
    fn clauses(&self, out: &mut String, pad: Pad) -> fmt::Result {
        let all = &self.func.exceptions;
        if pad.index() >= all.pad_count() {
            return write!(out, " invalid{}", pad.0);
        }
        let mut separator = " ";
        if all.is_cleanup(pad) {
            out.push_str(" cleanup");
            separator = ", ";
        }
        let ty = |n: u32| (n as usize).checked_sub(1).and_then(|n| all.types().get(n)).copied().flatten();
        for &clause in all.clauses(pad) {
            out.push_str(separator);
            separator = ", ";
            match clause {
                Clause::Catch(n) => {
                    out.push_str("catch ");
                    self.caught(out, ty(n))?;
                }
                Clause::Filter { start, len } => {
                    out.push_str("filter [");
                    joined(out, all.filter(start, len), |out, &n| self.caught(out, ty(n)))?;
                    out.push(']');
                }
            }
        }
        Ok(())
    }

    fn block_head(&self, out: &mut String, b: Block) -> fmt::Result {
        write!(out, "{b}")?;
        let params = self.func.params(b);
        if !params.is_empty() {
            out.push('(');
            joined(out, params, |out, &p| {
                self.value(out, p)?;
                write!(out, ": {}", self.func.value_type(p))
            })?;
            out.push(')');
        }
        out.push(':');
        Ok(())
    }

    /// Is it a value of a block in the layout?
    fn is_numbered(&self, v: Value) -> bool {
        let v = self.func.resolve(v);
        let computed = matches!(self.func.value_def(v), ValueDef::Inst(_) | ValueDef::Param(_));
        computed && self.numbers.as_ref().is_none_or(|n| n[v.index()] != u32::MAX)
    }

    fn value(&self, out: &mut String, v: Value) -> fmt::Result {
        if v.index() >= self.func.value_count() {
            return write!(out, "invalid{}", v.0);
        }
        let v = self.func.resolve(v);
        match self.func.value_def(v) {
            ValueDef::Const => self.constant(out, v),
            ValueDef::Slot(s) => write!(out, "{s}"),
            _ => match &self.numbers {
                Some(n) if n[v.index()] != u32::MAX => write!(out, "v{}", n[v.index()]),
                Some(_) => write!(out, "dead{}", v.0),
                None => write!(out, "{v}"),
            },
        }
    }

    fn constant(&self, out: &mut String, v: Value) -> fmt::Result {
        let ty = self.func.value_type(v);
        match self.func.constant(v) {
            Some(ConstData::Int(n)) => {
                let bits = ty.bits().clamp(1, 128);
                if bits > 1 && ty.bits() <= 128 && n >> (bits - 1) & 1 != 0 {
                    write!(out, "{}", ((n << (128 - bits)) as i128) >> (128 - bits))?;
                } else {
                    write!(out, "{n}")?;
                }
            }
            Some(ConstData::Float(n)) => write!(out, "{n:#x}")?,
            Some(ConstData::Symbol(s, offset)) => {
                self.printer.symbol(out, s)?;
                if offset != 0 {
                    write!(out, "{offset:+}")?;
                }
            }
            Some(ConstData::Poison) | None => out.push_str("poison"),
            Some(ConstData::Vector { .. }) if ty.is_int() => {
                out.push_str("0x");
                for k in (0..ty.bits().div_ceil(64)).rev() {
                    write!(out, "{:016x}", self.func.constant_word(v, k).unwrap_or(0))?;
                }
            }
            Some(ConstData::Vector { start, len }) => {
                out.push('<');
                // Lanes are scalars, so this goes one level deep.
                joined(out, self.func.vector_lanes(start, len), |out, lane| match self.func.constant(lane) {
                    Some(ConstData::Vector { .. }) | None => out.write_str("invalid"),
                    Some(_) => self.constant(out, lane),
                })?;
                out.push('>');
            }
        }
        write!(out, ":{ty}")
    }

    fn values(&self, out: &mut String, values: &[Value]) -> fmt::Result {
        joined(out, values, |out, &v| self.value(out, v))
    }

    fn edge(&self, out: &mut String, e: Edge) -> fmt::Result {
        write!(out, "{}", self.func.edge_to(e))?;
        let args = self.func.edge_args(e);
        if !args.is_empty() {
            out.push('(');
            self.values(out, args)?;
            out.push(')');
        }
        match self.func.edge_weight(e) {
            0 => Ok(()),
            weight => write!(out, " weight {weight}"),
        }
    }

    fn inst(&self, out: &mut String, i: Inst) -> fmt::Result {
        let f = self.func;
        let d = f.inst(i);
        joined(out, f.results(i), |out, r| {
            self.value(out, r)?;
            write!(out, ": {}", f.value_type(r))
        })?;
        if f.result_count(i) > 0 {
            out.push_str(" = ");
        }
        out.push_str(d.op.name());
        let mut separator = " ";
        for &item in items(d.op) {
            match item {
                // An empty list has no space either.
                Item::Values if d.b == 0 => continue,
                Item::Nonzero if d.flags == 0 => continue,
                Item::Clauses => {}
                _ if item.is_first() => out.push(' '),
                _ => out.push_str(std::mem::replace(&mut separator, ", ")),
            }
            self.item(out, d, item)?;
        }
        Ok(())
    }

    fn item(&self, out: &mut String, d: &InstData, item: Item) -> fmt::Result {
        let f = self.func;
        let word = |k: u8| [d.a, d.b, d.c][k as usize];
        match item {
            Item::Type => write!(out, "{}", d.ty),
            Item::IntCc => out.write_str(IntCc::from_u8(d.flags).map_or("?", IntCc::name)),
            Item::FloatCc => out.write_str(FloatCc::from_u8(d.flags).map_or("?", FloatCc::name)),
            Item::ReduceOp => out.write_str(ReduceOp::from_u8(d.flags).map_or("?", ReduceOp::name)),
            Item::RmwOp => out.write_str(RmwOp::from_u8(d.flags).map_or("?", RmwOp::name)),
            Item::Nonzero => out.write_str("nonzero"),
            Item::MachineOp => {
                let name = self.printer.module.machine_ops.get(d.flags as usize).map_or("?", String::as_str);
                quoted(out, name.as_bytes());
                Ok(())
            }
            Item::Value(k) => self.value(out, Value(word(k))),
            Item::Number(k) => write!(out, "{}", word(k) as i32),
            Item::Symbol => self.printer.symbol(out, SymbolId(d.a)),
            Item::Edge(k) => self.edge(out, Edge(word(k))),
            Item::Memory => {
                let flags = MemFlags(d.flags);
                match flags.space() {
                    0 => write!(out, "align {}{}", flags.align(), if flags.is_volatile() { ", volatile" } else { "" }),
                    space => write!(out, "align {}, space {space}", flags.align()),
                }
            }
            Item::Atomic(k) => {
                let info = AtomicInfo(word(k));
                let volatile = if info.is_volatile() { ", volatile" } else { "" };
                write!(out, "{}, align {}{volatile}", info.ordering().name(), info.align())?;
                if info.space() == 0 { Ok(()) } else { write!(out, ", space {}", info.space()) }
            }
            Item::Orderings => {
                let info = CmpxchgInfo(d.flags);
                write!(out, "{}, {}", info.success().name(), info.failure().name())?;
                out.push_str(if info.is_aligned() { "" } else { ", unaligned" });
                out.push_str(if info.is_volatile() { ", volatile" } else { "" });
                if info.space() == 0 { Ok(()) } else { write!(out, ", space {}", info.space()) }
            }
            Item::Mask => {
                let end = (d.c as usize).saturating_add(d.ty.lanes() as usize);
                out.push('[');
                joined(out, f.pool.get(d.c as usize..end).unwrap_or(&[]), |out, &m| {
                    if m == u32::MAX { out.write_char('_') } else { write!(out, "{m}") }
                })?;
                out.write_char(']')
            }
            Item::Call => self.call(out, &f.calls[d.a as usize]),
            Item::Cases => {
                out.push('[');
                joined(out, f.switch_cases(SwitchId(d.b)), |out, (value, e)| {
                    self.value(out, value)?;
                    out.push_str(" => ");
                    self.edge(out, e)
                })?;
                out.push_str("], ");
                self.edge(out, f.switches[d.b as usize].default)
            }
            Item::Targets => {
                out.push('[');
                joined(out, f.pool_edges(d.b, d.c), |out, e| self.edge(out, e))?;
                out.write_char(']')
            }
            Item::StackMap => write!(out, "{}", StackMapId(d.c)),
            Item::Values => self.values(out, f.pool_values(d.a, d.b)),
            Item::Clauses => self.clauses(out, Pad(d.a)),
            Item::Pad(k) => write!(out, "{}", Pad(word(k))),
            Item::PadEdges => self.pad_edges(out, d),
        }
    }

    fn call(&self, out: &mut String, call: &CallData) -> fmt::Result {
        match call.callee {
            Callee::Symbol(s) => self.printer.symbol(out, s)?,
            Callee::Value(v) => self.value(out, v)?,
            Callee::Library(lib) => write!(out, "library {}", lib.symbol())?,
        }
        write!(out, " {} (", call.sig)?;
        self.values(out, self.func.pool_values(call.args_start, call.args_len))?;
        out.push(')');
        out.push_str(match call.tail {
            TailKind::None => "",
            TailKind::Tail => " tail",
            TailKind::Must => " musttail",
        });
        out.push_str(if call.returns_twice { " returns_twice" } else { "" });
        out.push_str(if call.untracked { " untracked" } else { "" });
        out.push_str(if call.no_merge { " no_merge" } else { "" });
        out.push_str(if call.cold { " cold" } else { "" });
        if call.inlining != Inlining::Free {
            write!(out, " {}", call.inlining.name())?;
        }
        if let Some(id) = call.type_id {
            write!(out, " type_id {id}")?;
        }
        if let Some(pad) = call.within {
            write!(out, " within {pad}")?;
        }
        if let Some(map) = call.stack_map {
            write!(out, " stack_map {map}")?;
        }
        out.write_str(if call.nounwind { " nounwind" } else { "" })
    }
}

/// `7 bytes 16 at_start [0, ss0, contents ss1 8, operand]`, a line.
fn stack_map(out: &mut String, map: &StackMap) -> fmt::Result {
    write!(out, "{}", map.id)?;
    if map.bytes != 0 {
        write!(out, " bytes {}", map.bytes)?;
    }
    out.push_str(if map.omits_call { " omits_call" } else { "" });
    out.push_str(if map.at_start { " at_start" } else { "" });
    out.push_str(if map.references { " references" } else { "" });
    out.push_str(" [");
    joined(out, &map.entries, |out, entry| match *entry {
        StackMapEntry::Constant(n) => write!(out, "{n}"),
        StackMapEntry::Address(slot) => write!(out, "{slot}"),
        StackMapEntry::Contents { slot, size } => write!(out, "contents {slot} {size}"),
        StackMapEntry::Operand => out.write_str("operand"),
    })?;
    out.push_str("]\n");
    Ok(())
}

/// `(types) -> (types) flags = convention (params) -> result`, a line.
fn write_sig(out: &mut String, s: &SigData) -> fmt::Result {
    let types = |out: &mut String, types: &[Type]| {
        out.push('(');
        let _ = joined(out, types, |out, t| write!(out, "{t}"));
        out.push(')');
    };
    types(out, &s.params);
    out.push_str(" -> ");
    types(out, &s.results);
    out.push_str(if s.variadic { " variadic" } else { "" });
    out.push_str(if s.aggregate_result { " aggregate" } else { "" });
    if s.split != 0 {
        write!(out, " split {}", s.split)?;
    }
    out.push_str(" = ");
    sig::write_signature(out, &s.source);
    out.push('\n');
    Ok(())
}
