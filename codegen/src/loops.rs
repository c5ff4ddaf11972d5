//! Loops that take one jump in each iteration: where their blocks and moves stand in the code (loop rotation).
//!
//! The code of blocks follows the block order, with two exceptions that save a jump in every iteration:
//!
//! - A loop whose first block decides whether it continues, and whose last block jumps back, would take two jumps. The
//!   first block's code stands *after* that of the last: control enters the loop by a jump, and comes back by the
//!   decision itself.
//! - A loop whose last block decides would have the moves of the edge back between the decision and a jump. They stand
//!   before the first block's code instead, which they run into. Everything that they move is in its home before the
//!   loop's code is emitted.
//!
//! Code that is emitted in another order than that of positions must not depend on what the emitter knows about the
//! code before. So the first block leaves nothing in registers that are not homes, and the homes of values live in it
//! are occupied up to the loop's end.

use crate::alloc::{Emitter, Event, MoveDst, MoveSrc, Moves, UnitFlags};
use crate::analysis::Fold;
use crate::buffer::Label;
use crate::error::Result;
use crate::ir::{ConstData, Edge, Inst, Opcode, Value, ValueDef};
use crate::machine::Machine;

const NONE: u32 = u32::MAX;

/// A loop with one jump, by the indices of its first and last block.
struct Head {
    first: u32,
    last: u32,
    /// The edge back and the label of its moves, if these stand before the first block.
    back: Option<(Edge, Label)>,
    /// The log of the moves, for the checker.
    events: Vec<Event>,
}

/// The loops of a function with one jump.
#[derive(Default)]
pub(crate) struct LoopLayout {
    list: Vec<Head>,
    /// For each index of a block: the number of the loop that begins there, and of the one that ends there, or `NONE`.
    at: Vec<(u32, u32)>,
}

impl LoopLayout {
    /// Finds them.
    pub fn find<T: Machine>(&mut self, cx: &mut Emitter<'_, T>) {
        self.list.clear();
        self.at.clear();
        let (f, cfg) = (cx.f, cx.cfg);
        if f.exceptions.has_funclets()
            || !f.block_symbols.is_empty()
            || !cx.function.mailboxes.is_empty()
            || !cx.scratch.stack_depths.is_empty()
        {
            return;
        }
        // Inner loops come first.
        for l in cfg.loops.iter().rev() {
            if l.first == 0 || f.is_pad(cfg.order[l.first as usize]) {
                continue;
            }
            let last = f.inst(f.terminator(cfg.order[l.last as usize]));
            let back = match last.op {
                Opcode::Jump if tests(cx, l.first, l.last) => None,
                Opcode::Br => match way_back(cx, (l.first, l.last), [Edge(last.b), Edge(last.c)]) {
                    Some(e) => Some((e, cx.buf.new_label())),
                    None => continue,
                },
                _ => continue,
            };
            if self.at.is_empty() {
                self.at.resize(cfg.order.len(), (NONE, NONE));
            }
            let number = self.list.len() as u32;
            // Only one of two loops that end with the same block can have one jump.
            if self.at[l.last as usize].1 == NONE {
                self.at[l.first as usize].0 = number;
                self.at[l.last as usize].1 = number;
                self.list.push(Head { first: l.first, last: l.last, back, events: Vec::new() });
            }
        }
    }

    /// Are all blocks emitted in order?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Does no code fall through to the block?
    pub fn stands_alone(&self, index: u32) -> bool {
        self.beginning(index).is_some()
    }

    fn beginning(&self, index: u32) -> Option<&Head> {
        self.at.get(index as usize).and_then(|&(k, _)| self.list.get(k as usize))
    }

    fn ending(&self, index: u32) -> Option<&Head> {
        self.at.get(index as usize).and_then(|&(_, k)| self.list.get(k as usize))
    }

    /// The index of the last block of the block's loop, if the block's code stands after that.
    pub fn placed_after(&self, index: u32) -> Option<u32> {
        self.beginning(index).filter(|h| h.back.is_none()).map(|h| h.last)
    }

    /// The index of the block whose code follows this one's, if that is a loop's first block moved there.
    pub fn followed_by(&self, index: u32) -> Option<u32> {
        self.ending(index).filter(|h| h.back.is_none()).map(|h| h.first)
    }

    /// The label of an edge's moves, for an edge that leaves the block at `index`, if they stand before a loop.
    pub fn moved(&self, index: u32, e: Edge) -> Option<Label> {
        self.ending(index)?.back.filter(|back| back.0 == e).map(|back| back.1)
    }

    /// Emits the moves that stand before the block at `index`, if there are any.
    pub fn emit_moves<T: Machine>(
        &mut self,
        cx: &mut Emitter<'_, T>,
        index: u32,
        emit: impl FnOnce(&mut Emitter<'_, T>, Edge, u32) -> Result,
    ) -> Result {
        let Some(&(number, _)) = self.at.get(index as usize) else { return Ok(()) };
        let Some((last, (e, label))) = self.list.get(number as usize).and_then(|h| Some((h.last, h.back?))) else {
            return Ok(());
        };
        let log = cx.begin_aside();
        cx.buf.bind(label);
        let done = emit(cx, e, last);
        self.list[number as usize].events = cx.end_aside(log);
        done
    }

    /// Logs those moves for an edge that leaves the block at `index`.
    pub fn note_moves<T: Machine>(&self, cx: &mut Emitter<'_, T>, index: u32) {
        if let Some((head, (e, _))) = self.ending(index).and_then(|h| Some((h, h.back?))) {
            cx.note(Event::Edge(e));
            head.events.iter().for_each(|&event| cx.note(event));
        }
    }
}

/// Does the first block of a loop decide whether it continues, while no value of that block is used in others? The last
/// block must jump.
fn tests<T: Machine>(cx: &Emitter<'_, T>, first: u32, last: u32) -> bool {
    let (f, cfg) = (cx.f, cx.cfg);
    let (from, to) = (cfg.order[last as usize], cfg.order[first as usize]);
    let d = f.inst(f.terminator(to));
    if d.op != Opcode::Br || f.edge_to(Edge(f.inst(f.terminator(from)).a)) != to {
        return false;
    }
    let goes_on = |e: Edge| (first + 1..=last).contains(&cfg.index[f.edge_to(e).index()]);
    let leaves_value = |i: Inst| cx.live.fold[i.index()] == Fold::No && f.results(i).any(|v| cx.live.crosses_block(v));
    goes_on(Edge(d.b)) != goes_on(Edge(d.c)) && !f.block_insts(to).any(leaves_value)
}

/// Of the edges that leave the last block of a loop, the one that leads back to its first, if it has moves, and these
/// only have constants and home registers.
fn way_back<T: Machine>(cx: &Emitter<'_, T>, (first, last): (u32, u32), edges: [Edge; 2]) -> Option<Edge> {
    let (f, units) = (cx.f, &*cx.units);
    let leads_back = |e: &Edge| cx.cfg.index[f.edge_to(*e).index()] == first;
    let mut back = edges.into_iter().filter(leads_back);
    let (e, None) = (back.next()?, back.next()) else { return None };
    let mut moves = false;
    for (&p, &v) in f.params(f.edge_to(e)).iter().zip(f.edge_args(e)) {
        if cx.live.count(p) == 0 || stays(cx, p, v) || f.constant(v) == Some(ConstData::Poison) {
            continue;
        }
        let constant = matches!(f.value_def(v), ValueDef::Const | ValueDef::Slot(_));
        for part in 0..units.parts(p) {
            let to = cx.home_in(first as usize, units.unit(p, part))?;
            moves |= constant || cx.home_in(last as usize, units.unit(v, part))? != to;
        }
    }
    for split in cx.splits.at(first as usize).iter().filter(|split| split.enters) {
        let from = cx.splits.home(last as usize, split.unit);
        if from != split.home {
            from.and(split.home)?;
            moves = true;
        }
    }
    moves.then_some(e)
}

/// Is a value that is passed on to a parameter there already, because it is that parameter and has one home?
#[inline(always)]
pub(crate) fn stays<T: Machine>(cx: &Emitter<'_, T>, p: Value, v: Value) -> bool {
    v == p && cx.units.of(p).all(|u| !cx.units.has(u, UnitFlags::SPLIT))
}

/// Adds the moves of such an edge, which leads from the block at the index `last` to the one at `first`.
pub(crate) fn collect<T: Machine>(cx: &Emitter<'_, T>, moves: &mut Moves, e: Edge, (first, last): (u32, u32)) {
    let (f, units) = (cx.f, &*cx.units);
    for split in cx.splits.at(first as usize).iter().filter(|split| split.enters) {
        let from = cx.splits.home(last as usize, split.unit);
        if let (Some(from), Some(to)) = (from, split.home)
            && from != to
        {
            moves.add(MoveDst::Reg(to), MoveSrc::Reg(from), units.kind(split.unit));
        }
    }
    for (&p, &v) in f.params(f.edge_to(e)).iter().zip(f.edge_args(e)) {
        if cx.live.count(p) == 0 || stays(cx, p, v) || f.constant(v) == Some(ConstData::Poison) {
            continue;
        }
        let constant = matches!(f.value_def(v), ValueDef::Const | ValueDef::Slot(_));
        for part in 0..units.parts(p) {
            let unit = units.unit(p, part);
            let from = if constant { None } else { cx.home_in(last as usize, units.unit(v, part)) };
            if let Some(to) = cx.home_in(first as usize, unit) {
                moves.add(MoveDst::Reg(to), from.map_or(MoveSrc::Value(v, part), MoveSrc::Reg), units.kind(unit));
            }
        }
    }
}
