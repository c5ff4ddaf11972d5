//! Homes for values that outlive a block or a call: a linear scan over live ranges before any code is made.
//!
//! Poletto and Sarkar, "Linear Scan Register Allocation" (TOPLAS 1999), with spill choice by use density instead of the
//! range's end. A value gets one home for its whole life, a register or a stack slot, so blocks need no fixing up where
//! they meet. Values that live in one block and across no call are left to the streaming allocator.

mod priority;
mod room;
mod spill_placement;
mod split;
mod taken;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use self::spill_placement::SpillPlacement;
use self::taken::Taken;
use super::limits::{IncomingPart, Limits, PUSH_AND_POP};
use super::splits::Splits;
use super::units::{UnitFlags, Units};
use super::webs::Webs;
use crate::analysis::{Cfg, Fold, Hint, Live};
use crate::frame::{Frame, FramePlace};
use crate::ir::{Function, Value, ValueDef};
use crate::machine::{Machine, PReg, RegisterFile, each_register};

/// How homes get places in the frame.
#[derive(Clone, Copy)]
pub struct Places {
    /// Ranges that do not meet share a place.
    pub shared: bool,
    /// Those that are used most come first, and 4 bytes have a place of 4 bytes; else the smallest have 8.
    pub by_uses: bool,
}

/// A range keeps its register against a range whose uses weigh less than a quarter of its own, however long it is.
const MUCH_MORE: f32 = 4.0;

#[derive(Clone, Copy)]
struct Range {
    unit: u32,
    start: u32,
    end: u32,
    weight: f32,
    density: f32,
}

/// The tables of the linear scan.
#[derive(Default)]
pub struct Assign {
    webs: Webs,
    ranges: Vec<Range>,
    /// Free stack homes by size class (8 and 16 bytes), as numbers of places.
    free_slots: [Vec<u32>; 3],
    busy_slots: [BinaryHeap<Reverse<(u32, u32)>>; 3],
    /// For each place, the end of the last range that has it.
    place_end: Vec<u32>,
    /// How often each place that is new is read or written, in optimized code.
    place_uses: Vec<u32>,
    /// For each unit of a block parameter without a home, the register of the first value that is passed to it.
    wishes: Vec<Option<PReg>>,
    /// Registers in which the function's parameters come.
    pub arrivals: Vec<IncomingPart>,
    /// Preserved registers that are somebody's home, and the link register, if it is one.
    pub used_saved: u64,
    taken: Taken,
    placement: SpillPlacement,
    /// Homes that differ from block to block.
    pub splits: Splits,
}

struct Regs {
    end: [u32; 64],
    range: [u32; 64],
}

impl Assign {
    /// Gives every value that needs one a home: sets the home registers in [`Units`], and marks units that need a place
    /// in the frame.
    pub fn run<T: Machine>(
        &mut self,
        target: &T,
        f: &Function,
        cfg: &Cfg,
        live: &Live,
        units: &mut Units,
        limits: &Limits<'_>,
    ) {
        // Webs share homes, and where places must not be shared homes must not be either.
        self.webs.run(f, cfg, live, units, !limits.returns_twice);
        self.collect(f, cfg, live, units);
        let file = &target.facts().registers;
        self.used_saved = limits.saved;
        self.splits.clear();
        let mut regs = Regs { end: [0; 64], range: [u32::MAX; 64] };
        self.wishes.clear();
        self.wishes.resize(units.count(), None);
        self.keep_incoming(live, units, limits, &mut regs);
        for k in 0..self.ranges.len() {
            if !units.has(self.ranges[k].unit, UnitFlags::HOMED) {
                self.place(f, live, units, file, limits, &mut regs, k);
            }
        }
    }

    /// Gives parameters that live across no call the register that they come in as their home, if it may be a home.
    fn keep_incoming(&mut self, live: &Live, units: &mut Units, limits: &Limits<'_>, regs: &mut Regs) {
        for k in 0..self.ranges.len() {
            let r = self.ranges[k];
            if r.start > 0 {
                return;
            }
            let arrival = self.arrivals.iter().find(|a| a.unit == r.unit && limits.homes & a.reg.mask() != 0);
            if let Some(&IncomingPart { reg, .. }) = arrival
                && !live.crosses_call(r.start, r.end)
                && !live.meets_bare(r.start, r.end)
            {
                units.flag(r.unit, UnitFlags::HOMED);
                self.give_range_home(live, units, regs, k, reg);
            }
        }
    }

    /// Gives a range a home register.
    fn give_range_home(&mut self, live: &Live, units: &mut Units, regs: &mut Regs, k: usize, home: PReg) {
        let r = self.ranges[k];
        regs.end[home.0 as usize] = r.end;
        regs.range[home.0 as usize] = k as u32;
        self.set_range_home(live, units, r.unit, home);
    }

    /// Sets the home register of a range's unit, which the parameter that the value becomes would like to have, too.
    fn set_range_home(&mut self, live: &Live, units: &mut Units, unit: u32, home: PReg) {
        self.set_unit_home(units, unit, Some(home));
        let v = units.value(unit);
        if let Hint::Value(param) = live.hint(v) {
            self.wishes[units.sibling(param, v, unit) as usize].get_or_insert(home);
        }
    }

    fn collect(&mut self, f: &Function, cfg: &Cfg, live: &Live, units: &mut Units) {
        self.ranges.clear();
        for (index, &b) in cfg.order.iter().enumerate() {
            let start = cfg.start[index];
            for &v in f.params(b) {
                if live.count(v) != 0 {
                    self.add(live, units, v, start);
                }
            }
            if index == 0 {
                let arrivals = &self.arrivals;
                self.ranges.retain(|r| !arrivals.iter().any(|a| a.stays && a.unit == r.unit));
            }
            for i in f.block_insts(b) {
                if live.fold[i.index()] != Fold::No {
                    continue;
                }
                let start = live.position[i.index()];
                for v in f.results(i) {
                    let end = live.end(v);
                    if live.crosses_block(v) || live.crosses_call(start, end) || units.kind(v.0).is_memory() {
                        self.add(live, units, v, start);
                    } else if live.leaves_block(v) {
                        // A value that the next block only returns is in the return register from the beginning.
                        let next = if let Hint::Value(p) = live.hint(v) { live.is_returned(p) } else { false };
                        if !next || self.webs.web(v).is_some() {
                            self.add(live, units, v, start);
                        }
                    }
                }
            }
        }
    }

    fn add(&mut self, live: &Live, units: &Units, v: Value, start: u32) {
        let (mut end, mut weight) = (live.end(v).max(start), live.weight(v));
        if let Some(web) = self.webs.web(v) {
            if web.start != start {
                return;
            }
            (end, weight) = (web.end, web.weight);
        }
        let density = (weight + 1.0) / ((end - start + 8) as f32).sqrt();
        for unit in units.of(v) {
            self.ranges.push(Range { unit, start, end, weight, density });
        }
    }

    /// Sets a flag of a range's unit, and of all that shares its home.
    fn flag_range(&self, units: &mut Units, unit: u32, flag: u8) {
        units.flag(unit, flag);
        let v = units.value(unit);
        self.webs.others(v, |o| units.flag(units.sibling(o, v, unit), flag));
    }

    /// Sets or takes away the home register of a unit, and of all that shares its home.
    fn set_unit_home(&self, units: &mut Units, unit: u32, home: Option<PReg>) {
        units.set_home(unit, home);
        let v = units.value(unit);
        self.webs.others(v, |o| units.set_home(units.sibling(o, v, unit), home));
    }

    #[expect(clippy::too_many_arguments, reason = "the scan's state, taken apart for the borrow checker")]
    fn place(
        &mut self,
        f: &Function,
        live: &Live,
        units: &mut Units,
        file: &RegisterFile,
        limits: &Limits<'_>,
        regs: &mut Regs,
        k: usize,
    ) {
        let r = self.ranges[k];
        let v = units.value(r.unit);
        let kind = units.kind(r.unit);
        // A parameter that is only passed on to another one stays in memory if that one does. No value of its own web
        // has a home yet.
        let stays = if let Hint::Value(p) = live.hint(v)
            && live.count(v) == 1
            && matches!(f.value_def(v), ValueDef::Param(_))
        {
            let to = units.sibling(p, v, r.unit);
            units.has(to, UnitFlags::HOMED) && units.home(to).is_none()
        } else {
            false
        };
        self.flag_range(units, r.unit, UnitFlags::HOMED);
        if kind.is_memory() || stays {
            return;
        }
        let class = file.class(kind);
        if live.is_returned(v)
            && let Some(p) = live.returned_in(v, u8::from(r.unit != v.0))
            && limits.allowed & p.mask() != 0
            && regs.end[p.0 as usize] <= r.start
        {
            return self.give_range_home(live, units, regs, k, p);
        }
        let crosses = live.crosses_call(r.start, r.end);
        let mut allowed = limits.homes & class;
        if crosses {
            allowed &= if limits.returns_twice { 0 } else { file.preserved & !limits.lost.of(kind) };
        }
        if allowed == 0 || live.meets_bare(r.start, r.end) {
            return;
        }
        let free = |regs: &Regs, p: PReg| regs.end[p.0 as usize] <= r.start;
        let worth = |this: &Assign, p: PReg| limits.is_worth_saving(file, this.used_saved, p, (r.weight, PUSH_AND_POP));
        let mut chosen = None;
        if let Some(h) = self.hint(f, live, units, v, r.unit)
            && allowed & h.mask() != 0
            && free(regs, h)
            && worth(self, h)
        {
            chosen = Some(h);
        }
        if chosen.is_none() {
            let order = if crosses { file.saved_order } else { file.home_order };
            chosen = order.iter().copied().find(|&p| allowed & p.mask() != 0 && free(regs, p) && worth(self, p));
        }
        if chosen.is_none() {
            let mut least = (r.density, None);
            for p in each_register(allowed) {
                let holder = regs.range[p.0 as usize];
                if regs.end[p.0 as usize] > r.start && holder != u32::MAX {
                    let Range { density: d, weight, .. } = self.ranges[holder as usize];
                    // A value that is used all over the function does not lose its register to one with few uses.
                    if d < least.0 && weight <= MUCH_MORE * r.weight {
                        least = (d, Some(p));
                    }
                }
            }
            if let Some(p) = least.1 {
                let loser = self.ranges[regs.range[p.0 as usize] as usize].unit;
                self.set_unit_home(units, loser, None);
                chosen = Some(p);
            }
        }
        if let Some(p) = chosen {
            self.used_saved |= p.mask() & file.preserved;
            self.give_range_home(live, units, regs, k, p);
        }
    }

    fn hint(&self, f: &Function, live: &Live, units: &Units, v: Value, unit: u32) -> Option<PReg> {
        match live.hint(v) {
            Hint::Reg(p) => return Some(p),
            Hint::Value(param) => {
                let to = units.sibling(param, v, unit);
                if let Some(p) = units.home(to).or(self.wishes[to as usize]) {
                    return Some(p);
                }
            }
            Hint::None => {}
        }
        if let Some(p) = self.wishes[unit as usize] {
            return Some(p);
        }
        // A two-address instruction wants its result where its first operand was.
        if let ValueDef::Inst(i) = f.value_def(v) {
            let d = f.inst(i);
            if d.op.overwrites_first() && f.result(i) == v {
                let a = Value(d.a);
                if matches!(f.value_def(a), ValueDef::Inst(_) | ValueDef::Param(_)) {
                    return units.home(units.sibling(a, v, unit));
                }
            }
        }
        None
    }

    /// Gives every home that is not a register a place in the frame, shared by ranges that do not meet: by preference the
    /// place of the block parameter that the value becomes. In optimized code what is used most is next to the frame's base, since short
    /// displacements take fewer bytes. `None` if the frame grows too large.
    pub fn place_slots(&mut self, live: &Live, units: &mut Units, frame: &mut Frame, how: Places) -> Option<()> {
        self.place_end.clear();
        self.place_uses.clear();
        // Places that exist already belong to somebody else for good.
        let first = units.place_count();
        self.place_end.resize(first, u32::MAX);
        for c in 0..3 {
            self.free_slots[c].clear();
            self.busy_slots[c].clear();
        }
        let least_bytes = if how.by_uses { 4 } else { 8 };
        for k in 0..self.ranges.len() {
            let r = self.ranges[k];
            let has_register = units.home(r.unit).is_some() && !units.has(r.unit, UnitFlags::SPLIT);
            if has_register || units.place(r.unit).is_some() {
                continue;
            }
            let bytes = units.kind(r.unit).bytes().max(least_bytes);
            let c = (bytes / 8) as usize;
            while let Some(&Reverse((end, place))) = self.busy_slots[c].peek() {
                if end >= r.start {
                    break;
                }
                self.busy_slots[c].pop();
                self.free_slots[c].push(place);
            }
            let mut found = None;
            if how.shared {
                if let Hint::Value(p) = live.hint(units.value(r.unit)) {
                    let to = units.sibling(p, units.value(r.unit), r.unit);
                    found = units
                        .place_index(to)
                        .filter(|&p| self.place_end[p as usize] < r.start && units.place_at(p).size == bytes);
                }
                // A place in the list may have been taken by way of a hint after it became free.
                while found.is_none()
                    && let Some(p) = self.free_slots[c].pop()
                {
                    found = Some(p).filter(|&p| self.place_end[p as usize] < r.start);
                }
            }
            let place = match found {
                Some(p) => p,
                None if how.by_uses => units.new_place(FramePlace::of_size(bytes)),
                None => units.new_place(frame.add(bytes, bytes)?),
            };
            self.place_end.resize(self.place_end.len().max(place as usize + 1), 0);
            self.place_end[place as usize] = r.end;
            self.busy_slots[c].push(Reverse((r.end, place)));
            let v = units.value(r.unit);
            let mut uses = live.count(v) + 1;
            units.set_place(r.unit, place);
            self.webs.others(v, |o| {
                uses += live.count(o) + 1;
                units.set_place(units.sibling(o, v, r.unit), place);
            });
            if how.by_uses {
                self.place_uses.resize(self.place_uses.len().max(place as usize + 1), 0);
                self.place_uses[place as usize] += uses;
            }
        }
        let mut order: Vec<u32> = (first as u32..self.place_uses.len() as u32).collect();
        order.sort_by_key(|&p| Reverse(32 * self.place_uses[p as usize] / units.place_at(p).size));
        for place in order {
            let bytes = units.place_at(place).size;
            units.move_place(place, frame.add(bytes, bytes)?);
        }
        Some(())
    }
}
