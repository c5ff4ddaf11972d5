//! Places in the frame for values, instructions and stack slots; and the depth of the stack, on which addresses depend.

use super::{Emitter, Where};
use crate::alloc::{Event, MoveDst, Name, UnitFlags};
use crate::error::{CompileError, Result};
use crate::ir::{Edge, Opcode, Slot, Value};
use crate::machine::{FrameAddr, FrameOp, Machine, PReg, PartKind};

impl<T: Machine> Emitter<'_, T> {
    /// The address of a byte of a stack slot. `None` if the slot is aligned beyond the frame, so that its address is
    /// computed when the program runs.
    pub fn slot_addr(&self, s: Slot, byte: i32) -> Option<FrameAddr> {
        if self.frame.move_up(self.f.slots[s.index()].align) > 0 {
            return None;
        }
        Some(self.frame.addr(self.scratch.slots[s.index()], byte))
    }

    /// The unit's place. A value of one block gets one now, for as long as the block lasts.
    pub(super) fn own_place(&mut self, u: u32) -> Result<FrameAddr> {
        if self.units.place(u).is_none() {
            let place = self.block_place(self.units.kind(u).bytes() == 16)?;
            self.units.set_place(u, place);
        }
        Ok(self.unit_addr(u))
    }

    /// Counts that a value of this block loses its register to another.
    pub(super) fn note_crowd(&mut self, r: PReg) {
        let k = usize::from(r.is_float());
        self.scratch.crowd[k] += 1;
        let now = self.scratch.crowd[k];
        self.scratch.crowded[k] = self.scratch.crowded[k].max(now);
        let index = self.cfg.block_at(self.current.position);
        if self.cfg.depth(index) > 0 {
            self.scratch.crowded_loop[k] = self.scratch.crowded_loop[k].max(now);
        }
    }

    /// A place of 8 or 16 bytes for as long as the block lasts.
    fn block_place(&mut self, wide: bool) -> Result<u32> {
        let (c, bytes) = (usize::from(wide), if wide { 16 } else { 8 });
        let place = match self.scratch.local_places[c].pop() {
            Some(p) => p,
            None => {
                let p = self.frame.add(bytes, bytes).ok_or_else(|| CompileError::frame_too_large(self.f))?;
                self.units.new_place(p)
            }
        };
        self.scratch.local_used[c].push(place);
        Ok(place)
    }

    /// The address of the part in memory, if that is better than a register: the part is in no register, and either
    /// dies here or no register is free. Optimized code reads it there in any case.
    pub fn place(&mut self, v: Value, part: u8) -> Option<FrameAddr> {
        match self.whereabouts(v, part) {
            Where::Frame(at) => {
                let kind = self.units.kind(self.units.unit(v, part));
                let class = self.target.facts().registers.class(kind);
                // An instruction may want whole vectors in memory to be aligned.
                if kind == PartKind::V128 && self.frame.natural < 16 {
                    return None;
                }
                if self.is_optimized() || self.is_last_use(v) || self.free_registers(class) == 0 {
                    self.scratch.touched.push(self.units.unit(v, part));
                    self.note(Event::Use(Name { value: v, part }, at.into()));
                    Some(at)
                } else {
                    None
                }
            }
            Where::Deferred(_) => self.halves(v).and_then(|halves| self.place(halves[part as usize], 0)),
            _ => None,
        }
    }

    /// The home of a part as the destination of a move: a register or a place. A value of one block that has none gets
    /// a place.
    pub fn home(&mut self, v: Value, part: u8) -> Result<MoveDst> {
        let u = self.units.unit(v, part);
        self.destination(u, self.units.home(u))
    }

    /// The home of a part as the destination of a move to the block at an index.
    #[inline]
    pub(crate) fn arrival(&mut self, index: usize, unit: u32) -> Result<MoveDst> {
        self.destination(unit, self.home_in(index, unit))
    }

    /// A home register, or the unit's place.
    #[inline]
    fn destination(&mut self, unit: u32, home: Option<PReg>) -> Result<MoveDst> {
        if let Some(h) = home {
            return Ok(MoveDst::Reg(h));
        }
        let at = self.own_place(unit)?;
        Ok(MoveDst::Place(self.units.place_index(unit).unwrap_or(0), at))
    }

    /// The place of a result that is kept in memory only; it counts as bound.
    pub fn def_memory(&mut self, v: Value) -> Result<FrameAddr> {
        let at = self.own_place(v.0)?;
        self.units.flag(v.0, UnitFlags::IN_MEMORY);
        self.note(Event::Bind(Name { value: v, part: 0 }, at.into()));
        Ok(at)
    }

    /// Does a result share its place with an operand that is in no register and dies here? An instruction that works in
    /// memory may then change the operand in place.
    pub fn is_in_place(&self, v: Value, a: Value) -> bool {
        matches!(self.whereabouts(a, 0), Where::Frame(_))
            && self.current.nesting == 0
            && self.units.place_index(v.0).is_some_and(|p| self.units.is_at(a.0, p))
    }

    /// That place. The result counts as bound. Other operands must have been asked for before.
    pub fn def_in_place(&mut self, v: Value, a: Value) -> FrameAddr {
        let at = self.unit_addr(a.0);
        self.note(Event::Read(Name { value: a, part: 0 }, at.into()));
        self.release();
        self.units.flag(v.0, UnitFlags::IN_MEMORY);
        self.note(Event::Bind(Name { value: v, part: 0 }, at.into()));
        at
    }

    /// The place of an operand that is kept in memory only.
    pub fn memory_operand(&mut self, v: Value) -> FrameAddr {
        let at = self.unit_addr(v.0);
        self.note(Event::Read(Name { value: v, part: 0 }, at.into()));
        at
    }

    /// A place of the frame for the instruction's own use, which lasts until the block ends.
    pub fn scratch_place(&mut self, bytes: u32) -> Result<FrameAddr> {
        let wide = bytes > 8;
        let place = self.block_place(wide)?;
        let at = self.frame.addr(self.units.place_at(place), 0);
        self.note(Event::Clear(at.into(), if wide { 16 } else { 8 }));
        Ok(at)
    }

    /// Address of byte `offset` of the outgoing arguments, which are where the stack pointer is now.
    pub fn outgoing_addr(&self, offset: u32) -> FrameAddr {
        self.frame.outgoing_addr(offset as i32, self.stack_depth())
    }

    // Mailboxes of indirect branches, see `edges`.

    /// The mailbox of a parameter's part, if its block is the target of an indirect branch.
    pub(crate) fn mailbox(&self, unit: u32) -> Option<u32> {
        if self.function.mailboxes.is_empty() {
            return None;
        }
        self.function.mailboxes.binary_search_by_key(&unit, |m| m.0).ok().map(|k| self.function.mailboxes[k].1)
    }

    /// Gives every parameter of an indirect branch's target a mailbox: a place that only its own edges write and only its
    /// block's start reads.
    pub(crate) fn make_mailboxes(&mut self) -> Result {
        let f = self.f;
        for &b in &self.cfg.order {
            let d = f.inst(f.terminator(b));
            if d.op != Opcode::IndirectBr {
                continue;
            }
            for e in f.pool_edges(d.b, d.c) {
                for &p in f.params(f.edge_to(e)) {
                    for u in self.units.of(p) {
                        let bytes = if self.units.kind(u).bytes() == 16 { 16 } else { 8 };
                        self.function.mailboxes.push((u, bytes));
                    }
                }
            }
        }
        self.function.mailboxes.sort_unstable();
        self.function.mailboxes.dedup();
        for k in 0..self.function.mailboxes.len() {
            let bytes = self.function.mailboxes[k].1;
            let p = self.frame.add(bytes, bytes).ok_or_else(|| CompileError::frame_too_large(f))?;
            self.function.mailboxes[k].1 = self.units.new_place(p);
        }
        Ok(())
    }

    // The depth of the stack.

    /// The depth of the stack at the start of the block at `index` of the order.
    #[inline]
    pub fn stack_depth_at(&self, index: usize) -> i32 {
        self.scratch.stack_depths.get(index).copied().unwrap_or(0)
    }

    /// The depth of the stack where an edge leads.
    pub fn stack_depth_after(&self, e: Edge) -> i32 {
        self.stack_depth_at(self.cfg.index[self.f.edge_to(e).index()] as usize)
    }

    /// Bytes that the stack pointer is below the place where the prologue leaves it.
    #[inline]
    pub fn stack_depth(&self) -> i32 {
        self.buf.stack_depth
    }

    /// Says that the stack pointer is now `depth` bytes below the place where the prologue leaves it.
    pub fn set_stack_depth(&mut self, depth: i32) {
        self.frame.set_stack_depth(self.buf, depth);
    }

    /// Moves the stack pointer to a depth, without touching the pages on the way.
    pub fn move_stack(&mut self, depth: i32) {
        let bytes = depth - self.stack_depth();
        if bytes != 0 {
            self.target.emit_frame_op(self.buf, FrameOp::MoveStack(bytes));
            self.set_stack_depth(depth);
        }
    }
}
