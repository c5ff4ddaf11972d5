//! Places of the frame: those of values, of instructions, of stack slots.

use super::{Stream, Where};
use crate::alloc::{Event, MoveDst, Name, UnitFlags};
use crate::error::CompileError;
use crate::frame::FramePlace;
use crate::ir::{Slot, Value};
use crate::machine::{FrameAddr, PartKind};
use crate::select::Select;

impl<T: Select> Stream<'_, T> {
    /// Address of a stack slot's byte. Slots aligned beyond what the frame has have no fixed one: `None`.
    pub fn slot_addr(&self, s: Slot, byte: i32) -> Option<FrameAddr> {
        if self.frame.move_up(self.f.slots[s.index()].align) > 0 {
            return None;
        }
        Some(self.frame.addr(self.scratch.slots[s.index()], byte))
    }

    /// The place of a stack slot.
    pub fn slot_place(&self, s: Slot) -> FramePlace {
        self.scratch.slots[s.index()]
    }

    /// The unit's place; a value of one block gets one now, for as long as the block lasts.
    pub(super) fn own_place(&mut self, u: u32) -> Result<FrameAddr, CompileError> {
        if self.units.place(u).is_none() {
            let bytes = if self.units.kind(u).bytes() == 16 { 16 } else { 8 };
            let c = usize::from(bytes == 16);
            let place = match self.scratch.local_places[c].pop() {
                Some(p) => p,
                None => {
                    let p = self.frame.add(bytes, bytes).ok_or_else(|| CompileError::frame_too_large(self.f))?;
                    self.units.new_place(p)
                }
            };
            self.scratch.local_used[c].push(place);
            self.units.set_place(u, place);
        }
        Ok(self.unit_addr(u))
    }

    /// Where the value is in memory, if that is better than a register: it is not in a register, and dies here or finds no
    /// free register.
    pub fn place(&mut self, v: Value, part: u8) -> Option<FrameAddr> {
        match self.whereabouts(v, part) {
            Where::Frame(at) => {
                let kind = self.units.kind(self.units.unit(v, part));
                let float = kind.is_float();
                // Whole vectors in memory may have to be aligned.
                if kind == PartKind::V128 && self.frame.natural < 16 {
                    return None;
                }
                if self.is_last_use(v) || self.free_registers(float) == 0 {
                    self.scratch.touched.push(self.units.unit(v, part));
                    self.note(Event::Use(Name { value: v, part }, at.into()));
                    Some(at)
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    /// The home of a value's part as the destination of a move: a register or a place. A value of one block that has none
    /// gets a place.
    pub fn home(&mut self, v: Value, part: u8) -> Result<MoveDst, CompileError> {
        let u = self.units.unit(v, part);
        if let Some(h) = self.units.home(u) {
            return Ok(MoveDst::Reg(h));
        }
        let at = self.own_place(u)?;
        Ok(MoveDst::Place(self.units.place_index(u).unwrap_or(0), at))
    }

    /// The place of a result that is kept in memory only; it counts as bound.
    pub fn def_memory(&mut self, v: Value) -> Result<FrameAddr, CompileError> {
        let at = self.own_place(v.0)?;
        self.units.flag(v.0, UnitFlags::IN_MEMORY);
        self.note(Event::Bind(Name { value: v, part: 0 }, at.into()));
        Ok(at)
    }

    /// Does a result share its place with an operand that dies here and is in no register? An instruction that works in memory
    /// may then change it there.
    pub fn is_in_place(&self, v: Value, a: Value) -> bool {
        matches!(self.whereabouts(a, 0), Where::Frame(_))
            && self.depth == 0
            && self.units.place_index(v.0).is_some_and(|p| self.units.is_at(a.0, p))
            && self.dies(a)
    }

    /// That place. The result counts as bound; other operands must have been asked for before.
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
    pub fn scratch_place(&mut self, bytes: u32) -> Result<FrameAddr, CompileError> {
        let bytes = if bytes > 8 { 16 } else { 8 };
        let c = usize::from(bytes == 16);
        let place = match self.scratch.local_places[c].pop() {
            Some(p) => p,
            None => {
                let p = self.frame.add(bytes, bytes).ok_or_else(|| CompileError::frame_too_large(self.f))?;
                self.units.new_place(p)
            }
        };
        self.scratch.local_used[c].push(place);
        let at = self.frame.addr(self.units.place_at(place), 0);
        self.note(Event::Clear(at.into(), bytes));
        Ok(at)
    }
}
