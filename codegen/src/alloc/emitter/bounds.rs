//! Begins and ends blocks, and emits what surrounds calls: which values registers and places hold there.

use super::{Emitter, Where};
use crate::alloc::{Event, Name, UnitFlags};
use crate::analysis::Intervals;
use crate::buffer::CodeBuffer;
use crate::error::Result;
use crate::ir::{Edge, Value};
use crate::machine::{FrameAddr, Machine, PReg, each_register};
use crate::plan::Clobbers;

impl<T: Machine> Emitter<'_, T> {
    /// Starts the block at `index`. `keep` says that control only comes from the block just emitted, so that copies of
    /// values in registers are still good.
    pub fn begin_block(&mut self, index: usize, keep: bool) {
        self.note(Event::Block(index as u32));
        self.current.flags_of = None;
        self.current.position = self.cfg.start[index];
        self.current.block_end = self.cfg.start[index + 1] - 1;
        self.current.limit = self.current.position;
        self.enter_splits(index);
        if let Some(intervals) = self.intervals {
            self.enter_intervals(intervals, index);
        }
        self.scratch.crowd = [0; 2];
        let dirty = std::mem::take(&mut self.regs.dirty);
        self.forget_all(dirty);
        for r in each_register(self.regs.occupied) {
            let u = self.regs.holder[r.0 as usize];
            if !keep
                || !self.units.has(u, UnitFlags::HOMED)
                || self.live.end(self.units.value(u)) <= self.current.position
            {
                self.empty(r, u);
            }
        }
        for c in 0..2 {
            let (places, used) = (&mut self.scratch.local_places[c], &mut self.scratch.local_used[c]);
            if !used.is_empty() {
                places.append(used);
            }
        }
        let f = self.f;
        for &v in f.params(self.cfg.order[index]) {
            if self.live.count(v) == 0 {
                continue;
            }
            for (part, u) in self.units.of(v).enumerate() {
                // What arrives in mailboxes is not in its home yet, and neither are the addresses of aggregates.
                if index > 0 && self.log.is_some() && self.mailbox(u).is_none() {
                    let at = self.units.home(u).map_or_else(|| self.unit_addr(u).into(), Into::into);
                    self.note(Event::Read(Name { value: v, part: part as u8 }, at));
                }
                match self.units.home(u) {
                    Some(h) => {
                        // If this register still holds a copy of another value, that value is dead or in memory.
                        self.forget(h);
                        self.bind_home(u, h, v);
                    }
                    None if self.units.has(u, UnitFlags::HOMED) => self.units.flag(u, UnitFlags::IN_MEMORY),
                    // It stays in the register that it came in.
                    None => {}
                }
            }
        }
    }

    /// Registers that are homes of what is live after an edge; that of a parameter may hold its argument already.
    #[inline]
    pub fn homes_after(&self, e: Edge) -> u64 {
        self.homes_at(self.cfg.index[self.f.edge_to(e).index()] as usize)
    }

    /// The same of what is live at the start of the block at an index.
    #[inline]
    pub fn homes_at(&self, index: usize) -> u64 {
        let Some(intervals) = self.intervals else { return 0 };
        let params = self.f.params(self.cfg.order[index]).iter().filter(|&&p| self.live.count(p) > 0);
        let units = intervals.live_in(index).iter().map(|(v, _)| v).chain(params).flat_map(|&v| self.units.of(v));
        units.filter_map(|u| self.home_in(index, u)).fold(0, |set, r| set | r.mask())
    }

    /// The home register that a unit has in the block at an index, where it is needed.
    #[inline]
    pub fn home_in(&self, index: usize, unit: u32) -> Option<PReg> {
        if self.units.has(unit, UnitFlags::SPLIT) { self.splits.home(index, unit) } else { self.units.home(unit) }
    }

    /// Gives units whose ranges are split the homes that they have in the block at an index.
    #[inline]
    pub fn enter_splits(&mut self, index: usize) {
        for split in self.splits.at(index) {
            let (u, before) = (split.unit, self.units.reg(split.unit));
            if let Some(h) = split.home {
                if let Some(r) = before
                    && self.regs.occupied & r.mask() != 0
                    && self.regs.holder[r.0 as usize] == u
                {
                    self.empty(r, u);
                }
                // If this register still holds a copy of another value, that value is dead or in memory.
                self.forget(h);
                self.units.unflag(u, UnitFlags::IN_MEMORY);
            } else {
                if before.is_some() && before == self.units.home(u) {
                    self.units.set_reg(u, None);
                }
                if split.enters {
                    self.units.flag(u, UnitFlags::IN_MEMORY);
                }
            }
            self.units.set_home(u, split.home);
        }
    }

    /// Notes which homes are occupied at the start of the block at an index, and where the values end in it.
    fn enter_intervals(&mut self, intervals: &Intervals, index: usize) {
        (self.regs.homes, self.regs.home_next) = (0, u32::MAX);
        for &(v, end) in intervals.live_in(index) {
            self.live.set_end(v, end);
            for u in self.units.of(v) {
                if let Some(h) = self.units.home(u) {
                    self.bind_home(u, h, v);
                }
            }
        }
    }

    /// Forgets homes that nothing occupies after a position.
    pub fn expire(&mut self, position: u32) {
        self.current.limit = position;
        self.busy_homes();
    }

    /// Notes that a part of a parameter without a home stays in the register that it came in.
    pub fn hold_parameter(&mut self, unit: u32, r: PReg) {
        self.hold(unit, r);
        self.regs.pinned &= !r.mask();
        self.scratch.touched.clear();
    }

    /// Notes that the register that a parameter came in still holds it, if its home is in memory and the register is no other's.
    pub fn hold_copy(&mut self, unit: u32, r: PReg) {
        let in_memory = self.units.home(unit).is_none() && self.units.has(unit, UnitFlags::IN_MEMORY);
        if in_memory && self.units.reg(unit).is_none() && self.free_registers(r.mask()) != 0 {
            self.hold_parameter(unit, r);
        }
    }

    /// Reserves the homes of an edge's parameters that hold their arguments already, until the instruction ends: the
    /// edge has no code that would put them back.
    #[inline]
    pub fn reserve_arrived_homes(&mut self, e: Edge) {
        if !self.f.edge_args(e).is_empty() {
            self.reserve_passed_homes(e);
        }
        if !self.splits.is_empty() {
            self.reserve_entered_homes(e);
        }
    }

    /// The same for values whose ranges are split and that are already where the edge's block has them.
    #[inline(never)]
    fn reserve_entered_homes(&mut self, e: Edge) {
        let splits = self.splits;
        for split in splits.at(self.cfg.index[self.f.edge_to(e).index()] as usize).iter().filter(|split| split.enters) {
            if let Some(home) = split.home.filter(|_| self.units.reg(split.unit) == split.home) {
                self.regs.reserved |= home.mask();
            }
        }
    }

    #[inline(never)]
    fn reserve_passed_homes(&mut self, e: Edge) {
        let f = self.f;
        let index = self.cfg.index[f.edge_to(e).index()] as usize;
        for (&p, &a) in f.params(f.edge_to(e)).iter().zip(f.edge_args(e)) {
            for (part, u) in self.units.of(p).enumerate() {
                if let Some(h) = self.home_in(index, u)
                    && self.whereabouts(a, part as u8) == Where::Reg(h)
                {
                    self.regs.reserved |= h.mask();
                }
            }
        }
    }

    /// Notes that moves have put a part of a result into its home, register or place.
    pub fn bind_moved(&mut self, v: Value, part: u8) {
        let u = self.units.unit(v, part);
        match self.units.home(u) {
            Some(h) => {
                self.forget(h);
                self.bind_home(u, h, v);
            }
            None => self.units.flag(u, UnitFlags::IN_MEMORY),
        }
    }

    /// The place that also holds what is in a register, with its number.
    pub fn copy_of(&self, r: PReg) -> Option<(u32, FrameAddr)> {
        if self.regs.occupied & r.mask() == 0 {
            return None;
        }
        let u = self.regs.holder[r.0 as usize];
        let place = self.units.place_index(u).filter(|_| self.units.has(u, UnitFlags::IN_MEMORY))?;
        Some((place, self.unit_addr(u)))
    }

    /// Notes which registers the moves of an edge have changed.
    pub fn edge_changed(&mut self, mask: u64) {
        self.regs.dirty |= mask;
    }

    /// The registers whose values a call destroys.
    #[inline]
    fn lost(&self, clobbers: Clobbers) -> u64 {
        let mut lost = clobbers.whole;
        for r in each_register(self.regs.occupied & clobbers.high & !lost) {
            lost |= clobbers.of(self.units.kind(self.regs.holder[r.0 as usize])) & r.mask();
        }
        lost
    }

    /// To be called before something that clobbers like a call: stores values of this block that are still needed and
    /// only in a clobbered register.
    pub fn save_across(&mut self, clobbers: Clobbers) -> Result {
        for r in each_register(self.regs.occupied & self.lost(clobbers)) {
            let u = self.regs.holder[r.0 as usize];
            if self.live.end(self.units.value(u)) > self.current.position {
                self.spill(r)?;
            }
        }
        Ok(())
    }

    /// To be called after it: forgets copies in clobbered registers, and releases the operands.
    pub fn after_call(&mut self, clobbers: Clobbers) {
        self.note(Event::Clobber(clobbers));
        self.forget_all(self.lost(clobbers));
        self.release();
    }

    /// Emits the epilogue and then what leaves the function, with the stack pointer `raise` bytes above where the
    /// function found it.
    pub fn emit_exit(&mut self, raise: i32, leave: impl FnOnce(&T, &mut CodeBuffer)) {
        let target = self.target;
        crate::frame::ops::emit_epilogue(target, self.buf, self.frame, raise, |buf| leave(target, buf));
        self.buf.restore_cfa();
    }
}
