//! Homes by priority, for optimized code: the ranges whose uses weigh most for their length choose first, and ranges have holes.
//!
//! This is coloring by priorities without splitting (Chow and Hennessy, "The Priority-Based Coloring Approach to Register Allocation",
//! TOPLAS 1990), over intervals in place of a graph.

use std::collections::BTreeMap;

use super::Assign;
use super::taken::Taken;
use crate::alloc::limits::{LEAST_SAVED, LEAST_SHARED, Limits};
use crate::alloc::units::{UnitFlags, Units};
use crate::analysis::{Cfg, Interval, Intervals, Live};
use crate::ir::{Function, Value};
use crate::machine::{Machine, PReg, RegisterFile, each_register};

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
        self.splits.clear();
        self.placement.begin(cfg);
        self.wishes.clear();
        self.wishes.resize(units.count(), None);
        let mut taken = std::mem::take(&mut self.taken);
        for k in 0..self.ranges.len() {
            self.flag_range(units, self.ranges[k].unit, UnitFlags::WANTS_HOME);
        }
        taken.begin(target, f, (cfg, live), units, (limits, &self.arrivals));
        for range in &mut self.ranges {
            let length: u32 = self.webs.members(units.value(range.unit)).map(|v| length(intervals, v)).sum();
            range.density = range.weight / ((length + 8) as f32).sqrt().sqrt();
        }
        let mut without = Vec::new();
        taken.order.clear();
        taken.order.extend(0..self.ranges.len() as u32);
        taken.order.sort_by(|&a, &b| self.ranges[b as usize].density.total_cmp(&self.ranges[a as usize].density));
        let mut awaited = self.find_awaited(live, intervals, units);
        for n in 0..taken.order.len() {
            let k = taken.order[n] as usize;
            self.find_own(intervals, units, &mut taken, k);
            awaited.retain(|&(unit, _)| unit != self.ranges[k].unit);
            taken.awaited = awaited.iter().fold(0, |set, (_, r)| set | r.mask());
            let file = &target.facts().registers;
            if let Some(allowed) = self.choose(f, (cfg, live), units, (file, limits), &mut taken, k) {
                without.push((k, allowed));
            }
        }
        self.share_saved(target, (cfg, live, intervals), units, (limits, &mut taken), LEAST_SAVED, &mut without);
        // What is split takes what others leave.
        if limits.splits {
            without.retain(|&(k, allowed)| {
                self.find_own(intervals, units, &mut taken, k);
                let file = &target.facts().registers;
                !self.split(f, (cfg, live, intervals), units, (file, limits, allowed), &mut taken, k)
            });
            self.share_saved(target, (cfg, live, intervals), units, (limits, &mut taken), LEAST_SHARED, &mut without);
        }
        self.splits.finish(cfg.order.len());
        self.taken = taken;
    }

    /// Gives ranges that found no register preserved ones that nobody has used yet, where several of them together are worth the push and
    /// the pop.
    fn share_saved<T: Machine>(
        &mut self,
        target: &T,
        (cfg, live, intervals): (&Cfg, &Live, &Intervals),
        units: &mut Units,
        (limits, taken): (&Limits<'_>, &mut Taken),
        least: f32,
        without: &mut Vec<(usize, u64)>,
    ) {
        let file = &target.facts().registers;
        for &p in file.saved_order {
            if limits.homes & file.preserved & !self.used_saved & p.mask() == 0 || without.is_empty() {
                continue;
            }
            let (mut own, mut chosen, mut weight) = (BTreeMap::new(), Vec::new(), 0.0);
            for &(k, _) in without.iter() {
                let r = self.ranges[k];
                let kind = units.kind(r.unit);
                let fits = file.class(kind) & !limits.lost.of(kind) & p.mask() != 0;
                self.find_own(intervals, units, taken, k);
                let is_free = |own: &BTreeMap<u32, u32>| {
                    let before = |i: &Interval| own.range(..i.end).next_back().is_none_or(|(_, &end)| end <= i.start);
                    taken.own.iter().all(before)
                };
                if fits && taken.is_free(p) && taken.has_room(kind.is_float()) && is_free(&own) {
                    own.extend(taken.own.iter().map(|i| (i.start, i.end)));
                    chosen.push(k);
                    weight += r.weight;
                }
            }
            if !limits.is_worth_saving(file, self.used_saved, p, (weight, least)) {
                continue;
            }
            for &k in &chosen {
                self.find_own(intervals, units, taken, k);
                taken.take(cfg, p);
                self.set_range_home(live, units, self.ranges[k].unit, p);
            }
            self.note_saved(file, limits, p);
            without.retain(|(k, _)| !chosen.contains(k));
        }
    }

    /// Notes that a register is a home, so that the function saves it if its callers need it.
    pub(super) fn note_saved(&mut self, file: &RegisterFile, limits: &Limits<'_>, p: PReg) {
        self.used_saved |= p.mask() & (file.preserved | limits.link);
    }

    /// The registers in which parameters come that live across no call, with the parameters' units: these are to choose them.
    fn find_awaited(&self, live: &Live, intervals: &Intervals, units: &Units) -> Vec<(u32, PReg)> {
        let crosses = |v: Value| intervals.of(v).iter().any(|own| live.crosses_call(own.start, own.end));
        let arrivals = self.arrivals.iter().filter(|a| !a.stays && !crosses(units.value(a.unit)));
        arrivals.map(|a| (a.unit, a.reg)).collect()
    }

    /// Finds the intervals of a range.
    fn find_own(&self, intervals: &Intervals, units: &Units, taken: &mut Taken, k: usize) {
        let v = units.value(self.ranges[k].unit);
        taken.own.clear();
        taken.own.extend(self.webs.members(v).flat_map(|v| intervals.of(v)).filter(|i| i.end > i.start));
        if self.webs.web(v).is_some() {
            taken.own.sort_unstable();
        }
    }

    /// Gives a range a home register, if there is one for it. Returns the registers that it might have in some blocks if there is none.
    fn choose(
        &mut self,
        f: &Function,
        (cfg, live): (&Cfg, &Live),
        units: &mut Units,
        (file, limits): (&RegisterFile, &Limits<'_>),
        taken: &mut Taken,
        k: usize,
    ) -> Option<u64> {
        let r = self.ranges[k];
        let (v, kind) = (units.value(r.unit), units.kind(r.unit));
        self.flag_range(units, r.unit, UnitFlags::HOMED);
        if kind.is_memory() {
            return None;
        }
        let class = file.class(kind);
        let crosses = taken.own.iter().any(|own| live.crosses_call(own.start, own.end));
        let mut allowed = limits.homes & class;
        let somewhere = allowed | taken.scratch & class;
        if crosses {
            allowed &= file.preserved & !limits.lost.of(kind);
        }
        let returned = live.returned_in(v, u8::from(r.unit != v.0)).filter(|p| limits.allowed & p.mask() != 0);
        let arrival = self.arrivals.iter().find(|a| a.unit == r.unit).map(|a| a.reg);
        let hints = [arrival, self.hint(f, live, units, v, r.unit)].into_iter().flatten();
        let order = if crosses { file.saved_order } else { file.home_order };
        let worth = |p: PReg| limits.is_worth_saving(file, self.used_saved, p, (r.weight, LEAST_SAVED));
        let scratch = if crosses { 0 } else { taken.scratch & class };
        let allowed = if taken.has_room(kind.is_float()) { allowed | scratch } else { taken.link & scratch };
        // Those that unoptimized code leaves to instructions come last.
        let mut all = hints.clone().chain(order.iter().copied()).chain(each_register(allowed));
        let hinted: u64 = hints.clone().fold(0, |set, p| set | p.mask());
        let mut later = None;
        let chosen = all.find(|&p| {
            let fits = allowed & p.mask() != 0 && worth(p) && taken.is_free(p);
            // A register that a parameter comes in is left to it if there is another.
            let left = fits && taken.awaited & !hinted & p.mask() != 0;
            if left {
                later.get_or_insert(p);
            }
            fits && !left
        });
        let chosen = chosen.or(later);
        let chosen = returned.filter(|&p| taken.is_free(p)).or(chosen);
        if let Some(p) = chosen {
            taken.take(cfg, p);
            self.note_saved(file, limits, p);
            self.set_range_home(live, units, r.unit, p);
            return None;
        }
        Some(somewhere)
    }
}

/// In how many positions a value is needed.
fn length(intervals: &Intervals, v: Value) -> u32 {
    intervals.of(v).iter().map(|i| i.end - i.start).sum()
}
