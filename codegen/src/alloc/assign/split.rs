//! Splits live ranges that found no register for their whole life: in some blocks the value has a register, in others it is in its place,
//! and edges between them move it.

use super::Assign;
use super::taken::Taken;
use crate::alloc::limits::{LEAST_SAVED, Limits};
use crate::alloc::splits::BlockHome;
use crate::alloc::units::{UnitFlags, Units};
use crate::analysis::{Cfg, Intervals, Live};
use crate::ir::{Function, Value, ValueDef};
use crate::machine::{PReg, RegisterFile, each_register};

/// Ranges whose uses weigh less are left in memory.
const LEAST_WEIGHT: f32 = 1.0;
/// What a register has to save, in executed instructions for each call of the function.
const LEAST_GAIN: f32 = 0.5;
/// What a use in memory costs: less than an instruction, since many have operands in memory.
const USE: f32 = 0.6;
/// The registers that one range has one after another, at most.
const MOST_PIECES: usize = 3;
/// How many registers are tried in earnest for a piece.
const TRIED: usize = 2;

impl Assign {
    /// Gives a range that found no register one in some blocks. `taken.own` has the range's intervals. Returns whether it got any.
    pub(super) fn split(
        &mut self,
        f: &Function,
        (cfg, live, intervals): (&Cfg, &Live, &Intervals),
        units: &mut Units,
        (file, limits, allowed): (&RegisterFile, &Limits<'_>, u64),
        taken: &mut Taken,
        k: usize,
    ) -> bool {
        let r = self.ranges[k];
        let v = units.value(r.unit);
        let is_returned = || self.webs.members(v).any(|member| live.is_returned(member));
        // Parameters that come in memory have places of their own.
        let comes_in_memory = r.start == 0 && !self.arrivals.iter().any(|arrival| arrival.unit == r.unit);
        if r.weight < LEAST_WEIGHT || taken.own.len() > self.placement.steps || is_returned() || comes_in_memory {
            return false;
        }
        self.placement.steps -= taken.own.len();
        self.placement.find_parts(cfg, &taken.own);
        if self.placement.parts.len() < 2 {
            return false;
        }
        self.placement.find_arcs(f, cfg);
        let gains = self.find_gains(f, (cfg, live, intervals), v);
        self.placement.make_groups(&gains);
        let kept = file.preserved & !limits.lost.whole & !limits.lost.high;
        self.placement.find_free(live, taken, allowed, kept);
        let mut pieces = 0;
        while pieces < MOST_PIECES && self.split_off(cfg, (file, limits, allowed), taken) {
            pieces += 1;
        }
        if pieces > 0 {
            self.set_block_homes((cfg, live, intervals), units, r.unit);
        }
        pieces > 0
    }

    /// How much a register would save in each block that uses the range of a value, without moves on edges.
    fn find_gains(
        &mut self,
        f: &Function,
        (cfg, live, intervals): (&Cfg, &Live, &Intervals),
        v: Value,
    ) -> Vec<(u32, f32)> {
        let mut gains = Vec::new();
        for member in self.webs.members(v) {
            let uses = intervals.uses(member);
            gains.extend(uses.iter().map(|&(block, _)| (block, USE * cfg.weight(block as usize))));
            if let Some(own) = intervals.of(member).first() {
                let block = cfg.block_at(own.start);
                let is_stored = u32::from(matches!(f.value_def(member), ValueDef::Inst(_)));
                let own = live.count(member).saturating_sub(uses.len() as u32) + is_stored;
                gains.push((block as u32, USE * own as f32 * cfg.weight(block)));
            }
        }
        // What an edge passes on is moved from wherever it is.
        let mut args = 0;
        for part in self.placement.parts.iter().filter(|part| part.leaves) {
            let mut passed = 0.0;
            f.for_each_edge(f.inst(f.terminator(cfg.order[part.block as usize])), |e| {
                args += f.edge_args(e).len();
                passed += f.edge_args(e).iter().filter(|&&arg| self.webs.are_united(arg, v)).count() as f32;
            });
            gains.push((part.block, -USE * passed * cfg.weight(part.block as usize)));
        }
        self.placement.steps = self.placement.steps.saturating_sub(args);
        gains
    }

    /// Gives one more register to blocks of the range at hand. Returns false if none is worth it.
    fn split_off(
        &mut self,
        cfg: &Cfg,
        (file, limits, allowed): (&RegisterFile, &Limits<'_>, u64),
        taken: &mut Taken,
    ) -> bool {
        let placement = &mut self.placement;
        let steps = placement.stretches.len() * (4 + TRIED + allowed.count_ones() as usize);
        if steps > placement.steps {
            return false;
        }
        placement.steps -= steps;
        let mut best: [(f32, Option<PReg>); TRIED] = [(0.0, None); TRIED];
        for p in each_register(allowed) {
            let gain = placement.most_gain(p);
            if let Some(at) = best.iter().position(|other| gain > other.0) {
                best[at..].rotate_right(1);
                best[at] = (gain, Some(p));
            }
        }
        let mut found = (LEAST_GAIN, None);
        for p in best.iter().filter_map(|best| best.1) {
            let gain = placement.settle(p);
            if gain > found.0 && limits.is_worth_saving(file, self.used_saved, p, (gain, LEAST_SAVED)) {
                found = (gain, Some(p));
            }
        }
        let Some(p) = found.1 else { return false };
        placement.settle(p);
        taken.own.clear();
        for part in &mut placement.parts {
            if placement.groups[part.group as usize].chosen {
                part.home = Some(p);
                taken.own.extend_from_slice(&placement.stretches[part.first as usize..part.end as usize]);
            }
        }
        for group in &mut placement.groups {
            group.done |= group.chosen;
            group.chosen = false;
        }
        taken.take(cfg, p);
        self.note_saved(file, limits, p);
        true
    }

    /// Notes the homes of a split range by blocks.
    fn set_block_homes(&mut self, (cfg, live, intervals): (&Cfg, &Live, &Intervals), units: &mut Units, unit: u32) {
        let v = units.value(unit);
        for member in self.webs.members(v) {
            let unit = units.sibling(member, v, unit);
            units.flag(unit, UnitFlags::SPLIT);
            units.set_home_end(member, live.end(member).max(1));
            let mut first = true;
            let mut last = u32::MAX;
            for own in intervals.of(member) {
                let mut block = cfg.block_at(own.start) as u32;
                while let Some(&start) = cfg.start.get(block as usize)
                    && (start < own.end || start == own.start)
                {
                    let part = self.placement.part_of[block as usize].checked_sub(1);
                    let home = part.and_then(|part| self.placement.parts[part as usize].home);
                    if first {
                        units.set_home(unit, home);
                    }
                    if last != block {
                        self.splits.add(block, BlockHome { unit, home, enters: !first });
                    }
                    (first, last) = (false, block);
                    block += 1;
                }
            }
        }
    }
}
