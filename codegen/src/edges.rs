//! Emits terminators, and on edges the moves that give the next block its parameters.
//!
//! An edge has code if parameters have to be moved or if the depth of the stack is different after it. The code of the
//! edge that a branch falls through to stands after the branch, that of other edges in stubs. The edges of an indirect
//! branch leave by one jump, so their moves come before it: each parameter of its targets has a *mailbox*, a place of
//! its own through which it is copied.

use crate::alloc::{BlockHome, Emitter, Event, MoveDst, MoveSrc, Moves, Name, source};
use crate::block_sections::NO_BLOCK;
use crate::buffer::Label;
use crate::call;
use crate::error::{CompileError, Result};
use crate::ir::{Block, ConstData, Edge, Function, Inst, InstData, Opcode, Personality, SwitchId, Value, ValueDef};
use crate::loops::{LoopLayout, collect, stays};
use crate::machine::{JumpTarget, PartKind, each_register};
use crate::select::Select;
use crate::unwind::microsoft::funclet_code;

/// Tables for the edges of one block after the other.
#[derive(Default)]
pub(crate) struct Edges {
    /// Moves that take effect together.
    pub moves: Moves,
    labels: Vec<Label>,
    stubs: Vec<(Label, Edge)>,
    /// For each index of the order, how many edges were led past the block because it only jumps on; empty if none
    /// were.
    skipped: Vec<u32>,
    /// Loops whose blocks are not emitted in order.
    pub loop_layout: LoopLayout,
}

/// The most blocks that one edge is led past.
const CHAIN: usize = 4;

/// The number of no block.
const NOWHERE: u32 = NO_BLOCK;

impl Edges {
    /// Starts a function.
    pub fn begin<T: Select>(&mut self, cx: &mut Emitter<'_, T>) {
        self.skipped.clear();
        if cx.function.layout.is_none() {
            self.loop_layout.find(cx);
        }
    }

    /// Begins the block at `index` of the order with the moves that stand before its code.
    #[inline]
    pub fn begin_block<T: Select>(&mut self, cx: &mut Emitter<'_, T>, index: u32) -> Result {
        // Most functions have none.
        if self.loop_layout.is_empty() { Ok(()) } else { self.begin_loop(cx, index) }
    }

    fn begin_loop<T: Select>(&mut self, cx: &mut Emitter<'_, T>, index: u32) -> Result {
        let moves = &mut self.moves;
        self.loop_layout.emit_moves(cx, index, |cx, e, last| {
            moves.clear();
            collect(cx, moves, e, (index, last));
            let keep = cx.homes_after(e);
            emit_moves(cx, moves, keep)
        })
    }

    /// Emits the terminator of the block at `index` of the order, with the code of its edges.
    pub fn emit_terminator<T: Select>(&mut self, cx: &mut Emitter<'_, T>, inst: Inst, index: usize) -> Result {
        let d = *cx.f.inst(inst);
        match d.op {
            // Nothing comes here.
            Opcode::Jump | Opcode::Return if self.is_skipped(cx, index) => {
                cx.note(Event::Fork);
                if d.op == Opcode::Jump { self.emit_edge_moves(cx, Edge(d.a)) } else { Ok(()) }
            }
            // No code runs on the way of an exception.
            Opcode::Jump | Opcode::Invoke | Opcode::ScopeBegin | Opcode::ScopeEnd => {
                cx.note(Event::Fork);
                let next = self.next_in_code(cx, index as u32);
                self.emit_edge(cx, Edge(d.a), next)
            }
            Opcode::Br => self.branch(cx, inst, [Edge(d.b), Edge(d.c)], index as u32),
            Opcode::Switch => self.switch(cx, inst, SwitchId(d.b)),
            Opcode::IndirectBr => self.indirect_branch(cx, inst),
            Opcode::Return if cx.function.funclet.is_some() => {
                Err(CompileError::at(cx.f, inst, "a funclet returns from its function"))
            }
            Opcode::Return | Opcode::Unreachable => {
                match d.op {
                    Opcode::Return => call::emit_return(cx, &mut self.moves, inst)?,
                    _ => T::select(cx, inst)?,
                }
                cx.buf.note_leave();
                Ok(())
            }
            // The personality routine decides where control continues.
            Opcode::CatchSwitch => {
                cx.note(Event::Fork);
                Ok(())
            }
            // The handler of an `__except` belongs to the function itself.
            Opcode::CatchRet if cx.f.exceptions.routine != Personality::Cxx => {
                cx.note(Event::Fork);
                let next = self.next_in_code(cx, index as u32);
                match cx.f.pool_edges(d.b, d.c).next() {
                    Some(e) => self.emit_edge(cx, e, next),
                    None => Ok(()),
                }
            }
            Opcode::CatchRet | Opcode::CleanupRet => {
                cx.note(Event::Fork);
                let edge = cx.f.pool_edges(d.b, d.c).next().filter(|_| d.op == Opcode::CatchRet);
                if let Some(edge) = edge {
                    self.emit_edge_moves(cx, edge)?;
                }
                funclet_code::emit_funclet_end(cx, inst, edge)
            }
            _ => T::select(cx, inst),
        }
    }

    fn branch<T: Select>(&mut self, cx: &mut Emitter<'_, T>, inst: Inst, mut ends: [Edge; 2], index: u32) -> Result {
        let condition = Some(Value(cx.f.inst(inst).a));
        let (mut code, mut moved) = ([false; 2], [None; 2]);
        for (k, e) in ends.iter_mut().enumerate() {
            moved[k] = self.loop_layout.moved(index, *e);
            code[k] = moved[k].is_none() && has_code(cx, *e, condition)?;
            if !code[k] {
                cx.reserve_arrived_homes(*e);
            }
            if !code[k] && moved[k].is_none() {
                *e = self.skip_empty_blocks(cx, *e);
            }
        }
        let next = self.next_in_code(cx, index);
        let leads_on = |cx: &Emitter<'_, T>, e: Edge| cx.cfg.index[cx.f.edge_to(e).index()] == next;
        if cx.is_optimized() && code[0] != code[1] && moved == [None; 2] {
            let k = usize::from(code[1]);
            if leads_on(cx, ends[1 - k])
                && !leads_on(cx, ends[k])
                && self.emit_early_moves(cx, ends[k], ends[1 - k], index)?
            {
                code[k] = false;
                ends[k] = self.skip_empty_blocks(cx, ends[k]);
            }
        }
        let is_next = |cx: &Emitter<'_, T>, k: usize| moved[k].is_none() && leads_on(cx, ends[k]);
        let stub = (code[0] && code[1]).then(|| cx.buf.new_label());
        // The edge whose code the branch falls through to. `None`: the branch falls through to the next block, if at
        // all.
        let falls_to = match code {
            [false, false] => None,
            [true, true] => Some(usize::from(!is_next(cx, 1))),
            [then, _] => Some(usize::from(!then)),
        };
        let label = |cx: &Emitter<'_, T>, k: usize| {
            let falls = falls_to.map_or_else(|| is_next(cx, k), |near| near == k);
            (!falls).then(|| moved[k].or(stub).unwrap_or_else(|| cx.block_label(cx.f.edge_to(ends[k]))))
        };
        let (to, or_to) = (label(cx, 0), label(cx, 1));
        // A jump to what comes next in the section goes when the code is in order.
        let follows = cx.function.layout.map_or(NOWHERE, |layout| layout.follows(index));
        let joins = falls_to.is_none() && next == NOWHERE && cx.cfg.index[cx.f.edge_to(ends[0]).index()] == follows;
        match to.filter(|_| joins) {
            Some(joined) => {
                T::select_branch(cx, inst, None, or_to)?;
                cx.target.emit_jump(cx.buf, JumpTarget::Label(joined));
            }
            None => T::select_branch(cx, inst, to, or_to)?,
        }
        cx.note(Event::Fork);
        if cx.log.is_some() {
            self.loop_layout.note_moves(cx, index);
        }
        let Some(near) = falls_to else { return Ok(()) };
        let depth = cx.stack_depth();
        self.emit_edge(cx, ends[near], if stub.is_some() { NOWHERE } else { next })?;
        if let Some(stub) = stub {
            let far = ends[1 - near];
            cx.make_island(|cx| code_of(cx.f, far));
            cx.buf.bind(stub);
            cx.set_stack_depth(depth);
            self.emit_edge(cx, far, next)?;
        }
        Ok(())
    }

    fn switch<T: Select>(&mut self, cx: &mut Emitter<'_, T>, inst: Inst, s: SwitchId) -> Result {
        let f = cx.f;
        self.labels.clear();
        self.stubs.clear();
        let default = f.switches[s.index()].default;
        for e in f.switch_cases(s).map(|(_, e)| e).chain([default]) {
            let label = if has_code(cx, e, None)? {
                let stub = cx.buf.new_label();
                self.stubs.push((stub, e));
                stub
            } else {
                cx.reserve_arrived_homes(e);
                let e = self.skip_empty_blocks(cx, e);
                cx.block_label(f.edge_to(e))
            };
            self.labels.push(label);
        }
        T::select_switch(cx, inst, &self.labels)?;
        cx.note(Event::Fork);
        let depth = cx.stack_depth();
        for k in 0..self.stubs.len() {
            let (stub, e) = self.stubs[k];
            cx.make_island(|_| code_of(f, e));
            cx.buf.bind(stub);
            cx.set_stack_depth(depth);
            self.emit_edge(cx, e, NOWHERE)?;
        }
        Ok(())
    }

    fn indirect_branch<T: Select>(&mut self, cx: &mut Emitter<'_, T>, inst: Inst) -> Result {
        let f = cx.f;
        let d = f.inst(inst);
        let address = Value(d.a);
        let (mut edges, mut moves): (Vec<Edge>, _) = (Vec::new(), false);
        for e in f.pool_edges(d.b, d.c) {
            if edges.iter().all(|&other| f.edge_to(other) != f.edge_to(e)) {
                edges.push(e);
                moves = moves || has_moves(cx, e, Some(address))?;
            }
        }
        if !moves {
            edges.iter().for_each(|&e| cx.reserve_arrived_homes(e));
            T::select_indirect_branch(cx, address)?;
            cx.note(Event::Fork);
            return Ok(());
        }
        let to = cx.use_reg(address)?;
        self.moves.clear();
        for &e in &edges {
            self.collect(cx, e)?;
        }
        let keep = f.pool_edges(d.b, d.c).fold(to.mask(), |keep, e| keep | cx.homes_after(e));
        emit_moves(cx, &mut self.moves, keep)?;
        cx.note(Event::Read(Name { value: address, part: 0 }, to.into()));
        cx.note(Event::Fork);
        cx.target.emit_jump(cx.buf, JumpTarget::Register(to));
        Ok(())
    }

    /// Emits the code of an edge, and a jump to its block unless that comes next.
    fn emit_edge<T: Select>(&mut self, cx: &mut Emitter<'_, T>, e: Edge, next: u32) -> Result {
        self.emit_edge_moves(cx, e)?;
        cx.move_stack(cx.stack_depth_after(e));
        let to = cx.f.edge_to(e);
        let to = if cx.cfg.index[to.index()] == next { to } else { cx.f.edge_to(self.skip_empty_blocks(cx, e)) };
        if cx.cfg.index[to.index()] == next {
            return Ok(());
        }
        if call::only_returns(cx, to) {
            self.count_skip(cx, to);
            call::emit_only_return(cx);
            cx.buf.note_leave();
            return Ok(());
        }
        let label = cx.block_label(to);
        cx.target.emit_jump(cx.buf, JumpTarget::Label(label));
        Ok(())
    }

    /// Emits the moves of an edge before the branch at the end of the block at `index`, if that saves more than it costs: the branch then
    /// leads to the edge's block, without a jump after the moves. They must not change what the other edge or the condition needs.
    fn emit_early_moves<T: Select>(
        &mut self,
        cx: &mut Emitter<'_, T>,
        e: Edge,
        other: Edge,
        index: u32,
    ) -> Result<bool> {
        if cx.stack_depth_after(e) != cx.stack_depth() {
            return Ok(false);
        }
        self.moves.clear();
        self.collect(cx, e)?;
        let (mut count, mut fits, mut written) = (0.0, true, 0);
        self.moves.each(|dst, src| match dst {
            MoveDst::Reg(r) if !r.is_float() || !matches!(src, MoveSrc::Value(..)) => {
                written |= r.mask();
                count += 1.0;
            }
            _ => fits = false,
        });
        let taken = cx.held_registers() | cx.regs.pinned | cx.regs.reserved;
        let share = cx.cfg.share(cx.f, index as usize, [e, other]);
        if !fits || written & taken != 0 || count * (1.0 - share) > share {
            return Ok(false);
        }
        cx.reserve_arrived_homes(e);
        cx.regs.reserved |= written;
        let flags = cx.current.flags_of.filter(|flags| flags.1 == cx.buf.offset());
        cx.current.flags_live = flags.is_some();
        self.moves.emit(cx, 0)?;
        cx.current.flags_live = false;
        if let Some((v, _)) = flags {
            cx.set_flags_of(v);
        }
        Ok(true)
    }

    /// The index of the block that the code of the block at `index` falls through to.
    #[inline]
    fn next_in_code<T: Select>(&self, cx: &Emitter<'_, T>, index: u32) -> u32 {
        if let Some(layout) = cx.function.layout {
            layout.falls_to(index)
        } else if self.skipped.is_empty() && self.loop_layout.is_empty() {
            index + 1
        } else {
            self.next_out_of_order(cx, index)
        }
    }

    /// The same, if not all blocks are emitted in order.
    fn next_out_of_order<T: Select>(&self, cx: &Emitter<'_, T>, index: u32) -> u32 {
        let mut last = self.loop_layout.placed_after(index);
        if last.is_none()
            && let Some(first) = self.loop_layout.followed_by(index)
        {
            return first;
        }
        let mut next = last.get_or_insert(index).saturating_add(1);
        while self.is_skipped(cx, next as usize) {
            if let Some(first) = self.loop_layout.followed_by(next) {
                return first;
            }
            next += 1;
        }
        if self.loop_layout.stands_alone(next) { NOWHERE } else { next }
    }

    /// Are all edges to the block at `index` led past it?
    fn is_skipped<T: Select>(&self, cx: &Emitter<'_, T>, index: usize) -> bool {
        self.skipped.get(index).is_some_and(|&n| n != 0 && n == cx.cfg.preds[index])
    }

    /// Follows an edge past blocks that only jump on and have no code; returns the last edge.
    #[inline(always)]
    fn skip_empty_blocks<T: Select>(&mut self, cx: &Emitter<'_, T>, e: Edge) -> Edge {
        // Most blocks begin with another instruction.
        if first_of(cx.f, cx.f.edge_to(e)).op == Opcode::Jump { self.skip_chain(cx, e) } else { e }
    }

    #[inline(never)]
    fn skip_chain<T: Select>(&mut self, cx: &Emitter<'_, T>, mut e: Edge) -> Edge {
        for _ in 0..CHAIN {
            let Some(next) = sole_jump(cx, cx.f.edge_to(e)) else { break };
            self.count_skip(cx, cx.f.edge_to(e));
            e = next;
        }
        e
    }

    /// Counts an edge that is led past a block.
    fn count_skip<T: Select>(&mut self, cx: &Emitter<'_, T>, b: Block) {
        if self.skipped.is_empty() {
            self.skipped.resize(cx.cfg.order.len(), 0);
        }
        self.skipped[cx.cfg.index[b.index()] as usize] += 1;
    }

    /// Emits the moves of an edge.
    pub fn emit_edge_moves<T: Select>(&mut self, cx: &mut Emitter<'_, T>, e: Edge) -> Result {
        cx.note(Event::Edge(e));
        if cx.f.edge_args(e).is_empty() && !meets_split(cx, e) {
            return Ok(());
        }
        self.moves.clear();
        self.collect(cx, e)?;
        let keep = cx.homes_after(e);
        emit_moves(cx, &mut self.moves, keep)
    }

    /// Adds the moves of an edge.
    fn collect<T: Select>(&mut self, cx: &mut Emitter<'_, T>, e: Edge) -> Result {
        let add = |dst, src, kind| {
            self.moves.add(dst, src, kind);
            false
        };
        any_move(cx, e, add).map(drop)
    }

    /// Moves what came in mailboxes to the homes of the parameters of the block at `index` of the order.
    pub fn open_mailboxes<T: Select>(&mut self, cx: &mut Emitter<'_, T>, index: usize) -> Result {
        let f = cx.f;
        self.moves.clear();
        for &p in f.params(cx.cfg.order[index]) {
            if cx.live.count(p) == 0 {
                continue;
            }
            for part in 0..cx.units.parts(p) {
                let unit = cx.units.unit(p, part);
                if let Some(place) = cx.mailbox(unit) {
                    let at = cx.frame.addr(cx.units.place_at(place), 0);
                    let dst = cx.home(p, part)?;
                    self.moves.add(dst, MoveSrc::Place(place, at), cx.units.kind(unit));
                }
            }
        }
        let keep = cx.homes_at(index);
        emit_moves(cx, &mut self.moves, keep)
    }
}

/// Emits collected moves at the end of a block; registers in `keep` are not changed.
fn emit_moves<T: Select>(cx: &mut Emitter<'_, T>, moves: &mut Moves, keep: u64) -> Result {
    if moves.is_empty() {
        return Ok(());
    }
    let mut scratch = cx.target.facts().registers.edge_scratch & !keep;
    moves.each(|dst, src| {
        if let MoveDst::Reg(r) = dst {
            scratch &= !r.mask();
        }
        if let MoveSrc::Reg(r) = src {
            scratch &= !r.mask();
        }
    });
    // Every scratch register may hold a copy of a value in memory that is to be moved: then one of these is read from
    // memory instead.
    if scratch as u32 == 0 {
        let mut all = each_register(cx.target.facts().registers.edge_scratch & !keep & 0xffff_ffff);
        if let Some((r, (place, at))) = all.find_map(|r| Some((r, cx.copy_of(r)?))) {
            moves.replace_source(r, MoveSrc::Place(place, at));
            scratch |= r.mask();
        }
    }
    cx.edge_changed(scratch);
    moves.emit(cx, scratch)
}

/// The most bytes of code that an edge becomes.
pub(crate) fn code_of(f: &Function, e: Edge) -> u32 {
    32 + 24 * f.edge_args(e).len() as u32
}

/// Does an edge need code? If it moves scratch registers, it may need some even without moves, unless the condition of
/// the branch is simple.
#[inline(always)]
fn has_code<T: Select>(cx: &mut Emitter<'_, T>, e: Edge, condition: Option<Value>) -> Result<bool> {
    let passes = !cx.f.edge_args(e).is_empty() || meets_split(cx, e);
    Ok(passes && has_moves(cx, e, condition)? || cx.stack_depth_after(e) != cx.stack_depth())
}

/// Does an edge lead to a block in which values have homes of their own?
#[inline(always)]
fn meets_split<T: Select>(cx: &Emitter<'_, T>, e: Edge) -> bool {
    !cx.splits.is_empty() && !cx.splits.at(cx.cfg.index[cx.f.edge_to(e).index()] as usize).is_empty()
}

/// Does an edge need moves?
#[inline(never)]
fn has_moves<T: Select>(cx: &mut Emitter<'_, T>, e: Edge, condition: Option<Value>) -> Result<bool> {
    // What is at home stays there.
    let homes = if cx.is_optimized() { cx.regs.homes } else { 0 };
    let (scratch, mut loose) = (cx.target.facts().registers.scratch & !homes, false);
    let moves = any_move(cx, e, |dst, src, _| {
        loose |= matches!(dst, MoveDst::Reg(r) if scratch & r.mask() != 0);
        !src.is_at(dst)
    })?;
    Ok(moves || loose && condition.is_none_or(|v| !is_plain(cx, v)))
}

/// The first instruction of a block.
#[inline]
fn first_of(f: &Function, b: Block) -> &InstData {
    f.inst(Inst(f.blocks[b.index()].first))
}

/// Can the branch's condition be computed without particular registers?
fn is_plain<T: Select>(cx: &Emitter<'_, T>, condition: Value) -> bool {
    let Some(i) = cx.deferred(condition) else { return true };
    let d = cx.f.inst(i);
    let word = cx.target.facts().pointer.bits();
    let small = |v: Value| cx.deferred(v).is_none() && cx.f.value_type(v).bits() <= word;
    matches!(d.op, Opcode::Icmp | Opcode::Fcmp) && small(Value(d.a)) && small(Value(d.b))
}

/// The edge by which a block is left, if the block holds nothing else and the edge has no code: each argument has its
/// home in common with the parameter.
fn sole_jump<T: Select>(cx: &Emitter<'_, T>, b: Block) -> Option<Edge> {
    let f = cx.f;
    let d = first_of(f, b);
    if d.op != Opcode::Jump || f.exceptions.has_funclets() || !cx.function.mailboxes.is_empty() {
        return None;
    }
    let (e, index) = (Edge(d.a), cx.cfg.index[b.index()] as usize);
    let next = cx.cfg.index[f.edge_to(e).index()] as usize;
    let moved = |split: &BlockHome| split.enters && cx.splits.home(index, split.unit) != split.home;
    if cx.splits.at(next).iter().any(moved) {
        return None;
    }
    let same = |p: u32, v: u32| match (cx.home_in(next, p), cx.home_in(index, v)) {
        (None, None) => cx.units.place_index(p).is_some() && cx.units.place_index(p) == cx.units.place_index(v),
        (p, v) => p == v,
    };
    let share = |p: Value, v: Value| {
        let (mut p, mut v) = (cx.units.of(p), cx.units.of(v));
        p.all(|p| v.next().is_some_and(|v| same(p, v)))
    };
    let stays = |(&p, &v): (&Value, &Value)| {
        cx.live.count(p) == 0
            || f.constant(v) == Some(ConstData::Poison)
            || matches!(f.value_def(v), ValueDef::Inst(_) | ValueDef::Param(_)) && share(p, v)
    };
    let stay = f.params(f.edge_to(e)).iter().zip(f.edge_args(e)).all(stays);
    let is_named = f.block_symbols.iter().any(|s| s.0 == b);
    (stay && !is_named && cx.stack_depth_after(e) == cx.stack_depth_at(index)).then_some(e)
}

/// Calls `found` with the moves that an edge needs until it returns true. Returns whether it did.
#[inline]
fn any_move<T: Select>(
    cx: &mut Emitter<'_, T>,
    e: Edge,
    mut found: impl FnMut(MoveDst, MoveSrc, PartKind) -> bool,
) -> Result<bool> {
    let f = cx.f;
    let index = cx.cfg.index[f.edge_to(e).index()] as usize;
    for (&p, &v) in f.params(f.edge_to(e)).iter().zip(f.edge_args(e)) {
        if cx.live.count(p) == 0 || stays(cx, p, v) || f.constant(v) == Some(ConstData::Poison) {
            continue;
        }
        for part in 0..cx.units.parts(p) {
            let unit = cx.units.unit(p, part);
            let dst = match cx.mailbox(unit) {
                Some(place) => MoveDst::Place(place, cx.frame.addr(cx.units.place_at(place), 0)),
                None => cx.arrival(index, unit)?,
            };
            // A value in a shared place is there already, whatever register has a copy of it.
            let shared = matches!(dst, MoveDst::Place(place, _) if cx.units.is_at(cx.units.unit(v, part), place));
            if !shared && found(dst, source(cx, v, part), cx.units.kind(unit)) {
                return Ok(true);
            }
        }
    }
    if cx.splits.is_empty() {
        return Ok(false);
    }
    let splits = cx.splits;
    for split in splits.at(index).iter().filter(|split| split.enters) {
        let (v, unit) = (cx.units.value(split.unit), split.unit);
        let dst = cx.arrival(index, unit)?;
        let stays = matches!(dst, MoveDst::Place(place, _) if cx.units.is_at(unit, place));
        if !stays && found(dst, source(cx, v, u8::from(unit != v.0)), cx.units.kind(unit)) {
            return Ok(true);
        }
    }
    Ok(false)
}
