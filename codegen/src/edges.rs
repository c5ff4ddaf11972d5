//! How control leaves a block: terminators, and the moves on edges that bring the parameters of the next block.
//!
//! An edge has code if parameters have to be moved or the stack pointer has another height behind it. Code of the edge that a
//! branch falls through to stands behind the branch, that of others in stubs. The edges of an indirect branch leave at one
//! jump, so that their moves come before it: each parameter of its targets has a *mailbox* for the way, a place of its own.

use crate::alloc::{Event, MoveDst, MoveSrc, Moves, Name, Stream, source};
use crate::buffer::Label;
use crate::call;
use crate::error::CompileError;
use crate::ir::{ConstData, Edge, Function, Inst, Opcode, Personality, SwitchId, Value};
use crate::machine::{JumpTarget, PReg, PartKind};
use crate::select::Select;

/// Tables for the edges of one block after the other.
#[derive(Default)]
pub(crate) struct Edges {
    /// Moves that take effect together.
    pub moves: Moves,
    labels: Vec<Label>,
    stubs: Vec<(Label, Edge)>,
}

/// The number of no block.
const NOWHERE: u32 = u32::MAX;

impl Edges {
    /// Emits the terminator of the block at `index` of the order, with the code of its edges.
    pub fn leave_block<T: Select>(
        &mut self,
        cx: &mut Stream<'_, T>,
        inst: Inst,
        index: usize,
    ) -> Result<(), CompileError> {
        let d = *cx.f.inst(inst);
        let next = index as u32 + 1;
        match d.op {
            // An exception has no code on its way.
            Opcode::Jump | Opcode::Invoke | Opcode::ScopeBegin | Opcode::ScopeEnd => {
                cx.note(Event::Fork);
                self.follow(cx, Edge(d.a), next)
            }
            Opcode::Br => self.branch(cx, inst, (Edge(d.b), Edge(d.c)), next),
            Opcode::Switch => self.switch(cx, inst, SwitchId(d.b)),
            Opcode::IndirectBr => self.indirect_branch(cx, inst),
            Opcode::Return if cx.funclet.is_some() => {
                Err(CompileError::at(cx.f, inst, "a funclet returns from its function"))
            }
            Opcode::Return => call::leave(cx, &mut self.moves, inst),
            // The personality routine decides where to go on.
            Opcode::CatchSwitch => {
                cx.note(Event::Fork);
                Ok(())
            }
            // A handler of `__except` is the function's own.
            Opcode::CatchRet if cx.f.exceptions.routine != Personality::Cxx => {
                cx.note(Event::Fork);
                match cx.f.pool_edges(d.b, d.c).next() {
                    Some(e) => self.follow(cx, e, next),
                    None => Ok(()),
                }
            }
            Opcode::CatchRet | Opcode::CleanupRet => call::funclet::leave(cx, self, inst),
            _ => T::select(cx, inst),
        }
    }

    fn branch<T: Select>(
        &mut self,
        cx: &mut Stream<'_, T>,
        inst: Inst,
        (then, other): (Edge, Edge),
        next: u32,
    ) -> Result<(), CompileError> {
        let code = (has_code(cx, then)?, has_code(cx, other)?);
        for (e, code) in [(then, code.0), (other, code.1)] {
            if !code {
                cx.guard_arrived(e);
            }
        }
        let is_next = |cx: &Stream<'_, T>, e| cx.cfg.index[cx.f.edge_to(e).index()] == next;
        let stub = (code.0 && code.1).then(|| cx.buf.new_label());
        // Whether the branch falls through to the code of the first edge; `None`: to the next block, if at all.
        let falls_to_then = match code {
            (false, false) => None,
            (true, true) => Some(is_next(cx, other)),
            (then, _) => Some(then),
        };
        let label = |cx: &Stream<'_, T>, e, falls: Option<bool>| {
            let falls = falls.unwrap_or_else(|| is_next(cx, e));
            (!falls).then(|| stub.unwrap_or_else(|| cx.block_label(cx.f.edge_to(e))))
        };
        let to = label(cx, then, falls_to_then);
        let or_to = label(cx, other, falls_to_then.map(|then| !then));
        T::select_branch(cx, inst, to, or_to)?;
        cx.note(Event::Fork);
        let Some(first) = falls_to_then else { return Ok(()) };
        let (near, far) = if first { (then, other) } else { (other, then) };
        let height = cx.height();
        self.follow(cx, near, if stub.is_some() { NOWHERE } else { next })?;
        if let Some(stub) = stub {
            cx.make_island(code_of(cx.f, far));
            cx.buf.bind(stub);
            cx.set_height(height);
            self.follow(cx, far, next)?;
        }
        Ok(())
    }

    fn switch<T: Select>(&mut self, cx: &mut Stream<'_, T>, inst: Inst, s: SwitchId) -> Result<(), CompileError> {
        let f = cx.f;
        self.labels.clear();
        self.stubs.clear();
        let default = f.switches[s.index()].default;
        for e in f.switch_cases(s).map(|(_, e)| e).chain([default]) {
            let label = if has_code(cx, e)? {
                let stub = cx.buf.new_label();
                self.stubs.push((stub, e));
                stub
            } else {
                cx.guard_arrived(e);
                cx.block_label(f.edge_to(e))
            };
            self.labels.push(label);
        }
        T::select_switch(cx, inst, &self.labels)?;
        cx.note(Event::Fork);
        let height = cx.height();
        for k in 0..self.stubs.len() {
            let (stub, e) = self.stubs[k];
            cx.make_island(code_of(f, e));
            cx.buf.bind(stub);
            cx.set_height(height);
            self.follow(cx, e, NOWHERE)?;
        }
        Ok(())
    }

    fn indirect_branch<T: Select>(&mut self, cx: &mut Stream<'_, T>, inst: Inst) -> Result<(), CompileError> {
        let f = cx.f;
        let d = f.inst(inst);
        let address = Value(d.a);
        let to = cx.use_reg(address)?;
        self.moves.clear();
        let mut seen = Vec::new();
        for e in f.pool_edges(d.b, d.c) {
            if !seen.contains(&f.edge_to(e)) {
                seen.push(f.edge_to(e));
                self.collect(cx, e)?;
            }
        }
        self.emit_moves(cx, to.mask())?;
        cx.note(Event::Read(Name { value: address, part: 0 }, to.into()));
        cx.note(Event::Fork);
        cx.target.emit_jump(cx.buf, JumpTarget::Register(to));
        Ok(())
    }

    /// Emits the code of an edge, and a jump to its block, unless that comes next.
    fn follow<T: Select>(&mut self, cx: &mut Stream<'_, T>, e: Edge, next: u32) -> Result<(), CompileError> {
        self.bring(cx, e)?;
        cx.move_stack(cx.height_behind(e));
        let to = cx.f.edge_to(e);
        if cx.cfg.index[to.index()] != next {
            let label = cx.block_label(to);
            cx.target.emit_jump(cx.buf, JumpTarget::Label(label));
        }
        Ok(())
    }

    /// Emits the moves that an edge needs.
    pub fn bring<T: Select>(&mut self, cx: &mut Stream<'_, T>, e: Edge) -> Result<(), CompileError> {
        cx.note(Event::Edge(e));
        self.moves.clear();
        self.collect(cx, e)?;
        self.emit_moves(cx, 0)
    }

    /// Adds the moves that an edge needs.
    fn collect<T: Select>(&mut self, cx: &mut Stream<'_, T>, e: Edge) -> Result<(), CompileError> {
        let add = |dst, src, kind| {
            self.moves.add(dst, src, kind);
            false
        };
        any_move(cx, e, add).map(drop)
    }

    /// Emits collected moves at the end of a block, keeping the registers in `keep`.
    fn emit_moves<T: Select>(&mut self, cx: &mut Stream<'_, T>, keep: u64) -> Result<(), CompileError> {
        let moves = &mut self.moves;
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
        // Every scratch register may hold a copy of something in memory that is to be moved: then one of them is read from
        // memory after all.
        if scratch as u32 == 0 {
            let mut m = cx.target.facts().registers.edge_scratch & !keep & 0xffff_ffff;
            while scratch as u32 == 0 && m != 0 {
                let r = PReg(m.trailing_zeros() as u8);
                m &= m - 1;
                if let Some((place, at)) = cx.copy_of(r) {
                    moves.replace_source(r, MoveSrc::Place(place, at));
                    scratch |= r.mask();
                }
            }
        }
        cx.edge_changed(scratch);
        moves.emit(cx, scratch)
    }

    /// Moves what arrived in mailboxes to the homes of the parameters of the block at `index` of the order.
    pub fn open_mailboxes<T: Select>(&mut self, cx: &mut Stream<'_, T>, index: usize) -> Result<(), CompileError> {
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
        self.emit_moves(cx, 0)
    }
}

/// Bytes of code that an edge becomes at most.
pub(crate) fn code_of(f: &Function, e: Edge) -> u32 {
    32 + 24 * f.edge_args(e).len() as u32
}

/// Does an edge need code?
fn has_code<T: Select>(cx: &mut Stream<'_, T>, e: Edge) -> Result<bool, CompileError> {
    Ok(any_move(cx, e, |dst, src, _| !src.is_at(dst))? || cx.height_behind(e) != cx.height())
}

/// Is `found` true of some move that an edge needs? It is asked about them until it is.
#[inline]
fn any_move<T: Select>(
    cx: &mut Stream<'_, T>,
    e: Edge,
    mut found: impl FnMut(MoveDst, MoveSrc, PartKind) -> bool,
) -> Result<bool, CompileError> {
    let f = cx.f;
    for (&p, &v) in f.params(f.edge_to(e)).iter().zip(f.edge_args(e)) {
        if cx.live.count(p) == 0 || v == p || f.constant(v) == Some(ConstData::Poison) {
            continue;
        }
        for part in 0..cx.units.parts(p) {
            let unit = cx.units.unit(p, part);
            let dst = match cx.mailbox(unit) {
                Some(place) => MoveDst::Place(place, cx.frame.addr(cx.units.place_at(place), 0)),
                None => cx.home(p, part)?,
            };
            // What shares the place is there already, whatever register has a copy of it.
            let shared = matches!(dst, MoveDst::Place(place, _) if cx.units.is_at(cx.units.unit(v, part), place));
            if !shared && found(dst, source(cx, v, part), cx.units.kind(unit)) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
