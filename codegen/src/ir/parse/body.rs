//! Parses function bodies.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Parsed, Parser};
use crate::ir::attributes::{Inlining, SlotKind};
use crate::ir::entities::{Block, Edge, Inst, SigId, Slot, Value};
use crate::ir::escapes::Escapes;
use crate::ir::exceptions::{Pad, PadKind};
use crate::ir::function::{CallData, Callee, ConstData, Function, SwitchData, TailKind};
use crate::ir::inst::{AtomicInfo, CmpxchgInfo, FloatCc, InstData, IntCc, MemFlags, Opcode, Ordering, ReduceOp, RmwOp};
use crate::ir::module::SymbolId;
use crate::ir::stack_map::{Reference, StackMap, StackMapEntry, StackMapId};
use crate::ir::types::Type;
use crate::ir::words::{Item, items};

/// A word of the function that waits for a value defined further down.
enum Hole {
    Word(Inst, u8),
    Pool(usize),
    EdgeArg(Edge, u32),
    Callee(usize),
    Reference(usize),
    Base(usize),
}

/// An operand: a value, or the number of a value that is not defined yet and the position of the mention.
#[derive(Clone, Copy)]
enum Operand {
    Known(Value),
    Later(u32, usize),
}

/// What a body refers to by number.
#[derive(Default)]
struct Names {
    values: HashMap<u32, Value>,
    waiting: Vec<(Hole, u32, usize)>,
}

impl Names {
    /// The word for an operand in `hole`.
    fn word(&mut self, operand: Operand, hole: Hole) -> u32 {
        match operand {
            Operand::Known(v) => v.0,
            Operand::Later(n, at) => {
                self.waiting.push((hole, n, at));
                u32::MAX
            }
        }
    }
}

/// The largest block number, so that a short text cannot ask for much memory.
const MAX_BLOCKS: u32 = 1 << 24;

impl Parser<'_, '_> {
    pub(super) fn function(&mut self, f: &mut Function) -> Parsed<()> {
        f.symbol = self.symbol()?;
        f.sig = SigId(self.lex.entity("sig")?);
        while !self.lex.take_punct("{") {
            let at = self.lex.here();
            let word = self.lex.word()?;
            if f.attrs.symbol(word).is_some() {
                let named = self.symbol()?;
                if let Some(symbol) = f.attrs.symbol(word) {
                    *symbol = Some(named);
                }
                continue;
            }
            if let Some(number) = f.attrs.number(word) {
                *number = self.lex.number()?;
            } else if !f.attrs.take(word) {
                return Err((at, format!("`{word}` is no attribute of a function")));
            }
        }
        let mut names = Names::default();
        let mut current = None;
        while !self.lex.take_punct("}") {
            let word = self.lex.peek_word();
            let at = self.lex.here();
            let is = |prefix: &str| {
                word.strip_prefix(prefix).is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
            };
            if is("b") {
                current = Some(self.block_head(f, &mut names)?);
            } else if let Some(block) = current {
                let terminator = self.instruction(f, &mut names)?;
                f.blocks[Block::index(block)].end = f.insts.len() as u32;
                if terminator {
                    current = None;
                }
            } else if is("sig") {
                self.numbered_line(f.sigs.len(), "sig")?;
                let sig = self.signature()?;
                f.sigs.push(Arc::new(sig));
            } else if is("ss") {
                self.numbered_line(f.slots.len(), "ss")?;
                let size = self.lex.number()?;
                self.lex.keyword("align")?;
                let align = self.lex.number()?;
                let slot = f.make_slot(size, align);
                let word = self.lex.peek_word();
                if let Some(kind) = SlotKind::from_name(word).filter(|_| !word.is_empty()) {
                    self.lex.word()?;
                    f.slots[slot.index()].kind = kind;
                }
            } else if is("sm") {
                self.numbered_line(f.stack_maps.len(), "sm")?;
                let map = self.stack_map()?;
                f.stack_maps.push(map);
            } else if is("pad") {
                self.numbered_line(f.exceptions.pad_count(), "pad")?;
                self.funclet_pad(f)?;
            } else if word == "personality" {
                self.lex.word()?;
                f.exceptions.personality = Some(self.symbol()?);
                f.exceptions.asynchronous = self.lex.take_word("asynchronous");
                if self.lex.take_word("types") {
                    loop {
                        let ty = self.caught()?;
                        f.exceptions.type_number(ty);
                        if !self.lex.take_punct(",") {
                            break;
                        }
                    }
                }
            } else if word == "reference" {
                self.lex.word()?;
                let n = f.references.len();
                let value = self.operand(f, &names)?;
                let base = if self.lex.take_word("in") { self.operand(f, &names)? } else { value };
                let (value, base) = (names.word(value, Hole::Reference(n)), names.word(base, Hole::Base(n)));
                f.references.push(Reference { value: Value(value), base: Value(base) });
            } else if word == "escapes" {
                self.lex.word()?;
                let table = self.symbol()?;
                let anchor = Slot(self.lex.entity("ss")?);
                let mut slots = Vec::new();
                while self.lex.take_punct(",") {
                    let none = self.lex.take_word("none");
                    slots.push(if none { None } else { Some(Slot(self.lex.entity("ss")?)) });
                }
                f.escapes = Some(Box::new(Escapes { table, anchor, slots }));
            } else if word == "address" {
                self.lex.word()?;
                let b = self.block(f)?;
                self.lex.punct("=")?;
                let s = self.symbol()?;
                f.block_symbols.push((b, s));
            } else {
                return Err((at, "expected a block, a signature, a slot or `}`".into()));
            }
        }
        self.fill_holes(f, names)
    }

    /// `7 bytes 16 at_start [0, ss0, contents ss1 8, operand]`.
    fn stack_map(&mut self) -> Parsed<StackMap> {
        let mut map = StackMap { id: self.lex.number()?, ..StackMap::default() };
        if self.lex.take_word("bytes") {
            map.bytes = self.lex.number()?;
        }
        map.omits_call = self.lex.take_word("omits_call");
        map.at_start = self.lex.take_word("at_start");
        map.references = self.lex.take_word("references");
        self.lex.punct("[")?;
        map.entries = self.list(Some("]"), |p| {
            Ok(match p.lex.peek_word() {
                "operand" => p.lex.word().map(|_| StackMapEntry::Operand)?,
                "contents" => {
                    p.lex.word()?;
                    StackMapEntry::Contents { slot: Slot(p.lex.entity("ss")?), size: p.lex.number()? }
                }
                word if word.starts_with("ss") => StackMapEntry::Address(Slot(p.lex.entity("ss")?)),
                _ => StackMapEntry::Constant(p.lex.number()?),
            })
        })?;
        Ok(map)
    }

    /// The symbol of a type, or `any`.
    fn caught(&mut self) -> Parsed<Option<SymbolId>> {
        if self.lex.take_word("any") { Ok(None) } else { self.symbol().map(Some) }
    }

    /// `switch`, `catch pad0, @a, 8`, `cleanup pad1`.
    fn funclet_pad(&mut self, f: &mut Function) -> Parsed<()> {
        let at = self.lex.here();
        let kind = match self.lex.word()? {
            "switch" => PadKind::Switch { parent: self.parent()? },
            "cleanup" => PadKind::Cleanup { parent: self.parent()? },
            "catch" => {
                let switch = Pad(self.lex.entity("pad")?);
                self.lex.punct(",")?;
                let what = self.caught()?;
                self.lex.punct(",")?;
                PadKind::Catch { switch, what, adjectives: self.lex.number()? }
            }
            word => return Err((at, format!("`{word}` is no kind of pad"))),
        };
        f.exceptions.make_funclet_pad(kind);
        Ok(())
    }

    fn parent(&mut self) -> Parsed<Option<Pad>> {
        if self.lex.at_line_end() { Ok(None) } else { self.lex.entity("pad").map(|n| Some(Pad(n))) }
    }

    /// `pad0, [b1, b2], b3`.
    fn pad_edges(&mut self, f: &mut Function, names: &mut Names, d: &mut InstData) -> Parsed<()> {
        d.a = self.lex.entity("pad")?;
        let mut edges = Vec::new();
        if d.op == Opcode::CatchSwitch {
            self.lex.punct(",")?;
            self.lex.punct("[")?;
            edges = self.list(Some("]"), |p| p.edge(f, names))?;
        }
        if d.op == Opcode::CatchRet || !self.lex.at_line_end() {
            self.lex.punct(",")?;
            edges.push(self.edge(f, names)?);
            d.flags = u8::from(d.op != Opcode::CatchRet);
        }
        (d.b, d.c) = (f.push_words(edges.iter().map(|e| e.0)), edges.len() as u32);
        Ok(())
    }

    /// `cleanup, catch @a, filter [@b, any]`.
    fn clauses(&mut self, f: &mut Function) -> Parsed<Pad> {
        let cleanup = self.lex.take_word("cleanup");
        let pad = f.exceptions.make_pad(cleanup);
        let mut first = !cleanup;
        while !self.lex.at_line_end() {
            if !std::mem::take(&mut first) {
                self.lex.punct(",")?;
            }
            let at = self.lex.here();
            match self.lex.word()? {
                "catch" => {
                    let ty = self.caught()?;
                    f.exceptions.append_catch(ty);
                }
                "filter" => {
                    self.lex.punct("[")?;
                    let types = self.list(Some("]"), Self::caught)?;
                    f.exceptions.append_filter(&types);
                }
                word => return Err((at, format!("`{word}` is no clause of a landing pad"))),
            }
        }
        Ok(pad)
    }

    fn numbered_line(&mut self, next: usize, prefix: &str) -> Parsed<()> {
        let at = self.lex.here();
        if self.lex.entity(prefix)? as usize != next {
            return Err((at, format!("expected `{prefix}{next}`: they are numbered in order")));
        }
        self.lex.punct("=")
    }

    /// Fills in values that were mentioned before their definition.
    fn fill_holes(&mut self, f: &mut Function, names: Names) -> Parsed<()> {
        for (place, n, at) in names.waiting {
            let Some(&v) = names.values.get(&n) else { return Err((at, format!("v{n} is not defined"))) };
            match place {
                Hole::Word(i, k) => *word(&mut f.insts[i.index()], k) = v.0,
                Hole::Pool(p) => f.pool[p] = v.0,
                Hole::EdgeArg(e, k) => f.set_edge_arg(e, k as usize, v),
                Hole::Callee(c) => f.calls[c].callee = Callee::Value(v),
                Hole::Reference(n) => f.references[n].value = v,
                Hole::Base(n) => f.references[n].base = v,
            }
        }
        Ok(())
    }

    fn block(&mut self, f: &mut Function) -> Parsed<Block> {
        let at = self.lex.here();
        let n = self.lex.entity("b")?;
        if n > MAX_BLOCKS {
            return Err((at, format!("block numbers end at {MAX_BLOCKS}")));
        }
        while f.blocks.len() <= n as usize {
            f.make_block();
        }
        Ok(Block(n))
    }

    fn block_head(&mut self, f: &mut Function, names: &mut Names) -> Parsed<Block> {
        let at = self.lex.here();
        let b = self.block(f)?;
        if f.blocks[b.index()].first != u32::MAX {
            return Err((at, format!("{b} occurs twice")));
        }
        if self.lex.take_punct("(") {
            self.list(Some(")"), |p| {
                let (n, at, ty) = p.definition()?;
                let v = f.append_param(b, ty);
                p.define(names, n, at, v)
            })?;
        }
        self.lex.punct(":")?;
        let start = f.insts.len() as u32;
        (f.blocks[b.index()].first, f.blocks[b.index()].end) = (start, start);
        f.layout.push(b);
        Ok(b)
    }

    /// `v7: i32`.
    fn definition(&mut self) -> Parsed<(u32, usize, Type)> {
        let at = self.lex.here();
        let n = self.lex.entity("v")?;
        Ok((n, at, self.colon_type()?))
    }

    fn define(&mut self, names: &mut Names, n: u32, at: usize, v: Value) -> Parsed<()> {
        match names.values.insert(n, v) {
            None => Ok(()),
            Some(_) => Err((at, format!("v{n} is defined twice"))),
        }
    }

    fn operand(&mut self, f: &mut Function, names: &Names) -> Parsed<Operand> {
        let at = self.lex.here();
        let word = self.lex.peek_word();
        if word.starts_with('v') {
            let n = self.lex.entity("v")?;
            return Ok(names.values.get(&n).map_or(Operand::Later(n, at), |&v| Operand::Known(v)));
        }
        if word.starts_with("ss") {
            let n = self.lex.entity("ss")?;
            if n as usize >= f.slots.len() {
                return Err((at, format!("there is no slot ss{n}")));
            }
            let ptr = self.pointer(f);
            return Ok(Operand::Known(f.slot_addr(Slot(n), ptr)));
        }
        self.constant(f, true).map(Operand::Known)
    }

    fn pointer(&self, f: &Function) -> Type {
        f.sigs.first().map_or(Type::I64, |s| s.pointer())
    }

    fn constant(&mut self, f: &mut Function, vectors: bool) -> Parsed<Value> {
        let at = self.lex.here();
        if vectors && self.lex.take_punct("<") {
            let lanes = self.list(Some(">"), |p| p.constant(f, false))?;
            let ty = self.colon_type()?;
            if ty.lanes() as usize != lanes.len() || !ty.is_vector() {
                return Err((at, format!("{} lanes are no {ty}", lanes.len())));
            }
            return Ok(f.make_vector(ty, &lanes));
        }
        let data = if self.lex.peek() == Some(b'@') || self.lex.peek_word().starts_with('s') {
            let s = self.symbol()?;
            let offset = match self.lex.peek() {
                Some(b'+' | b'-') => self.lex.number()?,
                _ => 0,
            };
            ConstData::Symbol(s, offset)
        } else if self.lex.take_word("poison") {
            ConstData::Poison
        } else if self.lex.peek_word().starts_with("0x") {
            let words = self.lex.hex_words()?;
            let ty = self.colon_type()?;
            if words.len() > ty.bits().max(128).div_ceil(64) as usize {
                return Err((at, format!("the number does not fit {ty}")));
            }
            if ty.is_int() {
                return Ok(f.make_wide(ty, &words, false));
            }
            let word = |k: usize| u128::from(words.get(k).copied().unwrap_or(0));
            return Ok(f.make_const(ty, ConstData::Float(word(1) << 64 | word(0))));
        } else {
            let negative = self.lex.peek() == Some(b'-');
            let n = match self.lex.peek() {
                Some(b'-') => self.lex.number::<i128>()? as u128,
                Some(b'0'..=b'9') => self.lex.number::<u128>()?,
                _ => return self.lex.expected("a value"),
            };
            let ty = self.colon_type()?;
            return if ty.is_int() {
                Ok(f.make_wide(ty, &[n as u64, (n >> 64) as u64], negative))
            } else {
                Err((at, format!("an integer is no {ty}")))
            };
        };
        let ty = self.colon_type()?;
        Ok(f.make_const(ty, data))
    }

    fn colon_type(&mut self) -> Parsed<Type> {
        self.lex.punct(":")?;
        self.lex.ty()
    }

    /// Operands up to a closing bracket or the line's end.
    fn operands(&mut self, f: &mut Function, names: &Names, close: Option<&str>) -> Parsed<Vec<Operand>> {
        self.list(close, |p| p.operand(f, names))
    }

    /// Puts operands into the pool; returns their offset.
    fn pool(&mut self, f: &mut Function, names: &mut Names, list: &[Operand]) -> u32 {
        let start = f.pool.len();
        for (k, &operand) in list.iter().enumerate() {
            let word = names.word(operand, Hole::Pool(start + k));
            f.pool.push(word);
        }
        start as u32
    }

    fn edge(&mut self, f: &mut Function, names: &mut Names) -> Parsed<Edge> {
        let to = self.block(f)?;
        let e = f.make_edge(to);
        if self.lex.take_punct("(") {
            for (k, operand) in self.operands(f, names, Some(")"))?.into_iter().enumerate() {
                let word = names.word(operand, Hole::EdgeArg(e, k as u32));
                f.append_edge_arg(e, Value(word));
            }
        }
        if self.lex.take_word("weight") {
            f.set_edge_weight(e, self.lex.number()?);
        }
        Ok(e)
    }

    fn instruction(&mut self, f: &mut Function, names: &mut Names) -> Parsed<bool> {
        let mut results = Vec::new();
        if self.lex.peek_word().strip_prefix('v').is_some_and(|d| d.bytes().all(|b| b.is_ascii_digit())) {
            loop {
                results.push(self.definition()?);
                if !self.lex.take_punct(",") {
                    break;
                }
            }
            self.lex.punct("=")?;
        }
        let at = self.lex.here();
        let word = self.lex.word()?;
        let Some(op) = Opcode::from_name(word) else { return Err((at, format!("there is no instruction `{word}`"))) };
        let ty = results.first().map_or(Type::VOID, |r| r.2);
        let mut d = InstData { op, flags: 0, ty, a: 0, b: 0, c: 0 };
        self.words(f, names, &mut d)?;
        let want = match op {
            Opcode::Call => f.calls[d.a as usize].results as usize,
            _ => op.result_count().unwrap_or(0) as usize,
        };
        if results.len() != want {
            return Err((at, format!("`{word}` has {want} results here, not {}", results.len())));
        }
        let types: Vec<Type> = results.iter().map(|r| r.2).collect();
        if op == Opcode::Call {
            d.ty = Type::VOID;
        }
        let i = f.push_inst(d, &types);
        for (v, (n, at, _)) in f.results(i).zip(results) {
            self.define(names, n, at, v)?;
        }
        if !self.lex.at_line_end() {
            return self.lex.expected("the end of the line");
        }
        Ok(op.is_terminator())
    }

    fn align(&mut self) -> Parsed<u32> {
        self.lex.keyword("align")?;
        let at = self.lex.here();
        let align: u32 = self.lex.number()?;
        if align.is_power_of_two() { Ok(align) } else { Err((at, "an alignment is a power of two".into())) }
    }

    /// `, volatile` and `, space 1` after an atomic access, or nothing.
    fn volatile_and_space(&mut self) -> Parsed<(bool, u8)> {
        let (mut volatile, mut space) = (false, 0);
        while space == 0 && !self.lex.at_line_end() {
            self.lex.punct(",")?;
            if !volatile && self.lex.take_word("volatile") {
                volatile = true;
            } else {
                self.lex.keyword("space")?;
                space = self.space()?;
            }
        }
        Ok((volatile, space))
    }

    /// The number of a memory space.
    fn space(&mut self) -> Parsed<u8> {
        let at = self.lex.here();
        let space = self.lex.number::<u8>()?;
        let known = (1..4).contains(&space);
        if known { Ok(space) } else { Err((at, "a memory space has a number from 1 to 3".into())) }
    }

    fn mem_flags(&mut self) -> Parsed<u8> {
        let align = self.align()?;
        if self.lex.at_line_end() {
            return Ok(MemFlags::new(align, false).0);
        }
        self.lex.punct(",")?;
        if self.lex.take_word("space") {
            let space = self.space()?;
            return Ok(MemFlags::new(align, false).in_space(space).0);
        }
        self.lex.keyword("volatile")?;
        Ok(MemFlags::new(align, true).0)
    }

    fn words(&mut self, f: &mut Function, names: &mut Names, d: &mut InstData) -> Parsed<()> {
        let mut first = true;
        for &item in items(d.op) {
            if !item.is_first() && !std::mem::take(&mut first) {
                self.lex.punct(",")?;
            }
            self.item(f, names, d, item)?;
        }
        let ordered = [ReduceOp::Fadd as u8, ReduceOp::Fmul as u8].contains(&d.flags);
        if d.op == Opcode::Reduce && !ordered && same_constant(f, Value(d.a), Value(d.b)) {
            // Each mention of a constant makes a new value.
            d.b = d.a;
        }
        Ok(())
    }

    /// Reads an item of the next instruction.
    fn item(&mut self, f: &mut Function, names: &mut Names, d: &mut InstData, item: Item) -> Parsed<()> {
        match item {
            Item::Type => d.ty = self.lex.ty()?,
            Item::IntCc => d.flags = self.lex.named("a condition", IntCc::from_name)? as u8,
            Item::FloatCc => d.flags = self.lex.named("a condition", FloatCc::from_name)? as u8,
            Item::ReduceOp => d.flags = self.lex.named("an operation", ReduceOp::from_name)? as u8,
            Item::RmwOp => d.flags = self.lex.named("an operation", RmwOp::from_name)? as u8,
            Item::Nonzero => d.flags = self.lex.take_word("nonzero").into(),
            Item::MachineOp => {
                let at = self.lex.here();
                let name = self.lex.text()?;
                let number = self.module.machine_op(&name);
                d.flags = number.ok_or_else(|| (at, "a module has at most 256 machine operations".into()))?;
            }
            Item::Value(k) => {
                let operand = self.operand(f, names)?;
                *word(d, k) = names.word(operand, Hole::Word(Inst::new(f.insts.len()), k));
            }
            Item::Number(k) => *word(d, k) = self.lex.number::<i32>()? as u32,
            Item::Symbol => d.a = self.symbol()?.0,
            Item::Edge(k) => *word(d, k) = self.edge(f, names)?.0,
            Item::Memory => d.flags = self.mem_flags()?,
            Item::Atomic(k) => {
                let ordering = self.lex.named("an ordering", Ordering::from_name)?;
                self.lex.punct(",")?;
                let align = self.align()?;
                let (volatile, space) = self.volatile_and_space()?;
                *word(d, k) = AtomicInfo::new(ordering, align, volatile).in_space(space).0;
            }
            Item::Orderings => d.flags = self.orderings()?,
            Item::Mask => {
                self.lex.punct("[")?;
                let at = self.lex.here();
                let lane = |p: &mut Self| if p.lex.take_word("_") { Ok(u32::MAX) } else { p.lex.number() };
                let lanes = self.list(Some("]"), lane)?;
                if lanes.len() as u32 != d.ty.lanes() {
                    return Err((at, format!("the mask has {} lanes, {} has {}", lanes.len(), d.ty, d.ty.lanes())));
                }
                d.c = f.push_words(lanes);
            }
            Item::Call => self.call(f, names, d)?,
            Item::Cases => self.cases(f, names, d)?,
            Item::Targets => {
                self.lex.punct("[")?;
                let edges = self.list(Some("]"), |p| p.edge(f, names))?;
                (d.b, d.c) = (f.push_words(edges.iter().map(|e| e.0)), edges.len() as u32);
            }
            Item::Values => {
                let list = self.operands(f, names, None)?;
                (d.a, d.b) = (self.pool(f, names, &list), list.len() as u32);
            }
            Item::StackMap => d.c = self.lex.entity("sm")?,
            Item::Clauses => d.a = self.clauses(f)?.0,
            Item::Pad(k) => *word(d, k) = self.lex.entity("pad")?,
            Item::PadEdges => self.pad_edges(f, names, d)?,
        }
        Ok(())
    }

    fn orderings(&mut self) -> Parsed<u8> {
        let success = self.lex.named("an ordering", Ordering::from_name)?;
        self.lex.punct(",")?;
        let failure = self.lex.named("an ordering", Ordering::from_name)?;
        // `volatile` may follow `unaligned`, and a memory space may follow both.
        let (mut aligned, mut volatile, mut space) = (true, false, 0);
        while space == 0 && self.lex.take_punct(",") {
            if aligned && !volatile && self.lex.take_word("unaligned") {
                aligned = false;
            } else if !volatile && self.lex.take_word("volatile") {
                volatile = true;
            } else {
                self.lex.keyword("space")?;
                space = self.space()?;
            }
        }
        Ok(CmpxchgInfo::new(success, failure, volatile, aligned).in_space(space).0)
    }

    fn call(&mut self, f: &mut Function, names: &mut Names, d: &mut InstData) -> Parsed<()> {
        let index = f.calls.len();
        // `@f sig0` is a symbol; `@f+8:i64 sig0` and everything else is a value.
        let mark = self.lex.mark();
        let direct = match self.lex.peek() {
            Some(b'@') => Some(self.symbol()?),
            Some(b's') if !self.lex.peek_word().starts_with("ss") => Some(self.symbol()?),
            _ => None,
        };
        let callee = match direct {
            Some(s) if !matches!(self.lex.peek(), Some(b':' | b'+' | b'-')) => Callee::Symbol(s),
            _ => {
                self.lex.reset(mark);
                let operand = self.operand(f, names)?;
                Callee::Value(Value(names.word(operand, Hole::Callee(index))))
            }
        };
        let at = self.lex.here();
        let sig = SigId(self.lex.entity("sig")?);
        let Some(results) = f.sigs.get(sig.index()).map(|s| s.results.len() as u32) else {
            return Err((at, format!("there is no signature {sig}")));
        };
        self.lex.punct("(")?;
        let list = self.operands(f, names, Some(")"))?;
        let (args_start, args_len) = (self.pool(f, names, &list), list.len() as u32);
        let (mut tail, mut within, mut stack_map, mut type_id) = (TailKind::None, None, None, None);
        let [mut returns_twice, mut nounwind, mut untracked, mut no_merge, mut cold] = [false; 5];
        let mut inlining = Inlining::Free;
        while !self.lex.at_line_end() {
            let at = self.lex.here();
            match self.lex.word()? {
                "tail" => tail = TailKind::Tail,
                "musttail" => tail = TailKind::Must,
                "returns_twice" => returns_twice = true,
                "nounwind" => nounwind = true,
                "untracked" => untracked = true,
                "no_merge" => no_merge = true,
                "cold" => cold = true,
                "type_id" => type_id = Some(self.lex.number()?),
                "within" => within = Some(Pad(self.lex.entity("pad")?)),
                "stack_map" => stack_map = Some(StackMapId(self.lex.entity("sm")?)),
                word => match Inlining::from_name(word) {
                    Some(asked) => inlining = asked,
                    None => return Err((at, format!("`{word}` is no property of a call"))),
                },
            }
        }
        f.calls.push(CallData {
            callee,
            sig,
            args_start,
            args_len,
            results,
            tail,
            returns_twice,
            nounwind,
            untracked,
            no_merge,
            cold,
            inlining,
            type_id,
            within,
            stack_map,
        });
        d.a = index as u32;
        Ok(())
    }

    fn cases(&mut self, f: &mut Function, names: &mut Names, d: &mut InstData) -> Parsed<()> {
        self.lex.punct("[")?;
        let cases = self.list(Some("]"), |p| {
            let value = p.constant(f, false)?;
            p.lex.punct("=>")?;
            Ok([value.0, p.edge(f, names)?.0])
        })?;
        self.lex.punct(",")?;
        let default = self.edge(f, names)?;
        let len = cases.len() as u32;
        let start = f.push_words(cases.into_iter().flatten());
        d.b = f.switches.len() as u32;
        f.switches.push(SwitchData { start, len, default });
        Ok(())
    }
}

/// One of an instruction's words.
fn word(d: &mut InstData, k: u8) -> &mut u32 {
    [&mut d.a, &mut d.b, &mut d.c][k as usize]
}

/// Are two values the same constant?
fn same_constant(f: &Function, a: Value, b: Value) -> bool {
    // A value that is defined further down has no entry yet.
    if [a, b].iter().any(|v| v.index() >= f.value_count()) || f.value_type(a) != f.value_type(b) {
        return false;
    }
    match (f.constant(a), f.constant(b)) {
        (Some(ConstData::Vector { start: s, len: n }), Some(ConstData::Vector { start: t, len: m })) => {
            n == m && f.vector_lanes(s, n).zip(f.vector_lanes(t, m)).all(|(a, b)| f.constant(a) == f.constant(b))
        }
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}
