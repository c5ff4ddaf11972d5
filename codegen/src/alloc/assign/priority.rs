//! Homes by priority, for optimized code: the ranges whose uses weigh most for their length choose first, and ranges have holes.
//!
//! This is coloring by priorities without splitting (Chow and Hennessy, "The Priority-Based Coloring Approach to Register Allocation",
//! TOPLAS 1990), over intervals in place of a graph.

use std::collections::BTreeMap;

use super::room::Room;
use super::{Assign, IncomingPart, Limits, worth_saving};
use crate::alloc::units::{UnitFlags, Units};
use crate::analysis::{Cfg, Fold, Interval, Intervals, Live};
use crate::ir::{Function, Opcode, Value};
use crate::machine::{FLOATS, Machine, PReg, RegisterFile, each_register};

/// What the registers are taken for.
#[derive(Default)]
pub(super) struct Taken {
    /// For each register the intervals in which it is a home: their ends by their starts.
    registers: Vec<BTreeMap<u32, u32>>,
    /// The intervals of the range at hand.
    own: Vec<Interval>,
    /// Ranges, those that choose first before others.
    order: Vec<u32>,
    /// How many general-purpose and floating-point registers may still become homes.
    room: [Room; 2],
    /// For each position, by how much the number of registers that hold values of one block changes there.
    changes: Vec<[i16; 2]>,
    /// Registers in which parameters stay, with the positions from which on they are free.
    staying: Vec<(PReg, u32)>,
    /// Scratch registers that may be homes where no instruction takes them by name.
    scratch: u64,
}

/// Registers of each class that instructions find as temporaries, at least.
const TEMPORARIES: i16 = 2;

impl Taken {
    fn is_free(&self, r: PReg) -> bool {
        let taken = &self.registers[r.0 as usize];
        let first = self.own.first().map_or(u32::MAX, |own| own.start);
        self.staying.iter().all(|&(other, end)| other != r || end <= first)
            && self.own.iter().all(|own| taken.range(..own.end).next_back().is_none_or(|(_, &end)| end <= own.start))
    }

    fn take(&mut self, r: PReg) {
        self.registers[r.0 as usize].extend(self.own.iter().map(|own| (own.start, own.end)));
        let room = &mut self.room[usize::from(r.is_float())];
        self.own.iter().for_each(|own| room.take(own.start, own.end));
    }

    /// Is there room for one more home wherever the range at hand is live?
    fn has_room(&self, float: bool) -> bool {
        self.own.iter().all(|own| self.room[usize::from(float)].least(own.start, own.end) > 0)
    }

    /// Takes registers from a position to before another one.
    fn fix(&mut self, registers: u64, from: u32, to: u32) {
        for r in each_register(registers) {
            self.registers[r.0 as usize].insert(from, to);
        }
    }

    /// Marks where scratch registers are taken by name, and counts what homes leave room for.
    fn begin<T: Machine>(
        &mut self,
        target: &T,
        f: &Function,
        (cfg, live): (&Cfg, &Live),
        units: &Units,
        (limits, arrivals): (&Limits<'_>, &[IncomingPart]),
    ) {
        let file = &target.facts().registers;
        self.registers.resize_with(64, BTreeMap::new);
        self.registers.iter_mut().for_each(BTreeMap::clear);
        // Moves on edges need one.
        let edge = file.edge_scratch & !FLOATS;
        let edge = edge & edge.wrapping_neg() | file.entry_scratch.mask();
        self.scratch = if limits.scratch_homes { file.scratch & limits.allowed & !edge } else { 0 };
        self.staying.clear();
        let staying = arrivals.iter().filter(|arrival| arrival.stays);
        self.staying.extend(staying.map(|arrival| (arrival.reg, live.end(arrival.value) + 1)));
        self.changes.clear();
        self.changes.resize(cfg.positions as usize + 2, [0; 2]);
        for i in cfg.order.iter().flat_map(|&b| f.block_insts(b)).filter(|i| live.fold[i.index()] != Fold::Dead) {
            let (d, at) = (f.inst(i), live.position[i.index()]);
            let calls = live.calls_at(at) || d.op == Opcode::Call;
            let by_name = if calls { file.scratch } else { target.fixed_registers(f, d) };
            // An operand that ends here cannot be in it either.
            self.fix(by_name, at - 1, at + 1);
            if live.fold[i.index()] == Fold::Deferred {
                continue;
            }
            for v in f.results(i).filter(|&v| live.count(v) > 0) {
                for kind in units.of(v).filter(|&u| !units.has(u, UnitFlags::WANTS_HOME)).map(|u| units.kind(u)) {
                    let class = usize::from(kind.is_float());
                    self.changes[at as usize][class] += 1;
                    self.changes[live.end(v) as usize][class] -= 1;
                }
            }
        }
        for &at in limits.tight {
            (0..2).for_each(|class| self.changes[at as usize][class] += TEMPORARIES);
            (0..2).for_each(|class| self.changes[at as usize + 1][class] -= TEMPORARIES);
        }
        let count = |class: u64| (limits.allowed & class).count_ones() as i16 - TEMPORARIES;
        let all = [count(!FLOATS), count(file.floats())];
        for class in 0..2 {
            let mut now = all[class];
            self.room[class].begin(self.changes.iter().map(|change| {
                now -= change[class];
                now
            }));
        }
    }
}

impl Assign {
    /// As [`run`](Self::run), by priority.
    pub fn run_by_priority<T: Machine>(
        &mut self,
        target: &T,
        f: &Function,
        (cfg, live, intervals): (&Cfg, &Live, &Intervals),
        units: &mut Units,
        limits: &Limits<'_>,
    ) {
        self.webs.run_with_holes(f, cfg, live, intervals, units);
        self.collect(f, cfg, live, units);
        self.used_saved = limits.saved;
        self.wishes.clear();
        self.wishes.resize(units.count(), None);
        let mut taken = std::mem::take(&mut self.taken);
        for k in 0..self.ranges.len() {
            let v = units.value(self.ranges[k].unit);
            for u in self.webs.members(v).flat_map(|v| units.of(v)).collect::<Vec<_>>() {
                units.flag(u, UnitFlags::WANTS_HOME);
            }
        }
        taken.begin(target, f, (cfg, live), units, (limits, &self.arrivals));
        for range in &mut self.ranges {
            let length: u32 = self.webs.members(units.value(range.unit)).map(|v| length(intervals, v)).sum();
            range.density = range.weight / ((length + 8) as f32).sqrt().sqrt();
        }
        taken.order.clear();
        taken.order.extend(0..self.ranges.len() as u32);
        taken.order.sort_by(|&a, &b| self.ranges[b as usize].density.total_cmp(&self.ranges[a as usize].density));
        for n in 0..taken.order.len() {
            let k = taken.order[n] as usize;
            let v = units.value(self.ranges[k].unit);
            taken.own.clear();
            taken.own.extend(self.webs.members(v).flat_map(|v| intervals.of(v)).filter(|i| i.end > i.start));
            taken.own.sort_unstable();
            self.choose(f, live, units, (&target.facts().registers, limits), &mut taken, k);
        }
        self.taken = taken;
    }

    /// Gives a range a home register, if there is one for it.
    fn choose(
        &mut self,
        f: &Function,
        live: &Live,
        units: &mut Units,
        (file, limits): (&RegisterFile, &Limits<'_>),
        taken: &mut Taken,
        k: usize,
    ) {
        let r = self.ranges[k];
        let (v, kind) = (units.value(r.unit), units.kind(r.unit));
        units.flag(r.unit, UnitFlags::HOMED);
        self.webs.others(v, |o| units.flag(units.sibling(o, v, r.unit), UnitFlags::HOMED));
        if kind.is_memory() {
            return;
        }
        let class = file.class(kind);
        let crosses = taken.own.iter().any(|own| live.crosses_call(own.start, own.end));
        let mut allowed = limits.homes & class;
        if crosses {
            allowed &= file.preserved & !limits.lost.of(kind);
        }
        let returned = live.returned_in(v, u8::from(r.unit != v.0)).filter(|p| limits.allowed & p.mask() != 0);
        let arrival = self.arrivals.iter().find(|a| a.unit == r.unit).map(|a| a.reg);
        let hints = [arrival, self.hint(f, live, units, v, r.unit)].into_iter().flatten();
        let order = if crosses { file.saved_order } else { file.home_order };
        let worth = |p: PReg| worth_saving(file, self.used_saved, p, r.weight);
        let scratch = if crosses { 0 } else { taken.scratch & class };
        let allowed = if taken.has_room(kind.is_float()) { allowed | scratch } else { 0 };
        let mut all = hints.chain(order.iter().copied()).chain(each_register(scratch));
        let chosen = all.find(|&p| allowed & p.mask() != 0 && worth(p) && taken.is_free(p));
        let chosen = returned.filter(|&p| taken.is_free(p)).or(chosen);
        if let Some(p) = chosen {
            taken.take(p);
            self.used_saved |= p.mask() & file.preserved;
            self.set_range_home(live, units, r.unit, p);
        }
    }
}

/// In how many positions a value is needed.
fn length(intervals: &Intervals, v: Value) -> u32 {
    intervals.of(v).iter().map(|i| i.end - i.start).sum()
}
