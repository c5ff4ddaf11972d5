//! Finds the blocks in which a range had best have a register (LLVM's `SpillPlacement`), by a network that settles: a block is for the
//! register if the uses in it and the neighbours that are for it, too, weigh more than the moves from and to other neighbours.

use super::taken::Taken;
use crate::analysis::{Cfg, Interval, Live};
use crate::ir::{Edge, Function, Opcode};
use crate::machine::{FLOATS, PReg};

/// Rounds in which a network settles, at most.
const ROUNDS: usize = 8;
/// Steps for each position of the function, and for any function.
const STEPS_PER_POSITION: usize = 16;
const STEPS: usize = 1 << 14;

/// The part of a range in one block.
pub(super) struct Part {
    /// The block's index.
    pub block: u32,
    /// Its stretches in the list of stretches.
    pub first: u32,
    pub end: u32,
    /// Is the range live at the block's start and at its end?
    enters: bool,
    pub leaves: bool,
    /// The number of its group: parts that must have the same home.
    pub group: u32,
    pub home: Option<PReg>,
}

/// Parts that are in the same register, or all in memory.
#[derive(Clone, Copy, Default)]
pub(super) struct Group {
    /// How often the uses in it are executed.
    gain: f32,
    /// Has it a home register already?
    pub done: bool,
    /// Registers that are free in it.
    free: u64,
    /// Is it for the register at hand?
    pub chosen: bool,
    /// Where its neighbours begin.
    neighbours: u32,
}

/// The tables of the search, for the range at hand.
#[derive(Default)]
pub(super) struct SpillPlacement {
    pub parts: Vec<Part>,
    pub stretches: Vec<Interval>,
    /// For each block, the number of its part and one more; 0 for none.
    pub part_of: Vec<u32>,
    pub groups: Vec<Group>,
    /// Edges between groups, with how often they are executed.
    arcs: Vec<(u32, u32, f32)>,
    /// Each group's neighbours.
    neighbours: Vec<(u32, f32)>,
    /// Steps that are left.
    pub steps: usize,
}

impl SpillPlacement {
    /// Begins a function.
    pub fn begin(&mut self, cfg: &Cfg) {
        self.parts.clear();
        self.part_of.clear();
        self.part_of.resize(cfg.order.len(), 0);
        self.steps = STEPS + STEPS_PER_POSITION * cfg.positions as usize;
    }

    /// Takes a range apart by blocks.
    pub fn find_parts(&mut self, cfg: &Cfg, own: &[Interval]) {
        for part in &self.parts {
            self.part_of[part.block as usize] = 0;
        }
        self.parts.clear();
        self.stretches.clear();
        for own in own {
            let mut block = cfg.block_at(own.start) as u32;
            while let (start, Some(&next)) = (cfg.start[block as usize], cfg.start.get(block as usize + 1))
                && start < own.end
            {
                let stretch = Interval { start: own.start.max(start), end: own.end.min(next) };
                let at = self.stretches.len() as u32;
                self.stretches.push(stretch);
                let (enters, leaves) = (stretch.start == start, stretch.end + 1 >= next);
                match self.parts.last_mut() {
                    Some(part) if part.block == block => {
                        part.end = at + 1;
                        part.leaves |= leaves;
                    }
                    _ => {
                        let group = self.parts.len() as u32;
                        self.parts.push(Part { block, first: at, end: at + 1, enters, leaves, group, home: None });
                        self.part_of[block as usize] = group + 1;
                    }
                }
                block += 1;
            }
        }
    }

    /// Finds the edges on which the range lives, and which parts must have the same home.
    pub fn find_arcs(&mut self, f: &Function, cfg: &Cfg) {
        self.arcs.clear();
        let mut ties: Vec<(u32, u32)> = Vec::new();
        for k in 0..self.parts.len() {
            let Part { block, leaves: true, .. } = self.parts[k] else { continue };
            let data = f.inst(f.terminator(cfg.order[block as usize]));
            let mut edges = 0;
            f.for_each_edge(data, |_| edges += 1);
            self.steps = self.steps.saturating_sub(edges);
            let own = cfg.weight(block as usize);
            f.for_each_edge(data, |e| {
                let to = cfg.index[f.edge_to(e).index()] as usize;
                let Some(other) = self.part_of[to].checked_sub(1).filter(|&other| self.parts[other as usize].enters)
                else {
                    return;
                };
                if has_no_code(f, data.op, e) {
                    ties.push((k as u32, other));
                }
                let weight = if edges == 1 {
                    own
                } else if cfg.preds[to] == 1 {
                    cfg.weight(to)
                } else {
                    own.min(cfg.weight(to)) / 2.0
                };
                self.arcs.push((k as u32, other, weight));
            });
        }
        for (a, b) in ties {
            let (a, b) = (self.leader(a), self.leader(b));
            // The leader is the first, so that one walk finds all.
            self.parts[a.max(b) as usize].group = a.min(b);
        }
        for k in 0..self.parts.len() {
            self.parts[k].group = self.parts[self.parts[k].group as usize].group;
        }
    }

    /// The part that stands for the group of a part, while groups are found.
    fn leader(&mut self, mut part: u32) -> u32 {
        while self.parts[part as usize].group != part {
            let above = self.parts[part as usize].group;
            self.parts[part as usize].group = self.parts[above as usize].group;
            part = above;
        }
        part
    }

    /// Makes the network of groups.
    pub fn make_groups(&mut self, gains: &[(u32, f32)]) {
        self.groups.clear();
        self.groups.resize(self.parts.len(), Group::default());
        for arc in &mut self.arcs {
            (arc.0, arc.1) = (self.parts[arc.0 as usize].group, self.parts[arc.1 as usize].group);
        }
        self.arcs.retain(|arc| arc.0 != arc.1);
        for &(a, b, _) in &self.arcs {
            self.groups[a as usize].neighbours += 1;
            self.groups[b as usize].neighbours += 1;
        }
        let mut next = 0;
        for group in &mut self.groups {
            next += std::mem::replace(&mut group.neighbours, next);
        }
        self.neighbours.clear();
        self.neighbours.resize(next as usize, (0, 0.0));
        for &(a, b, weight) in &self.arcs {
            for (one, other) in [(a, b), (b, a)] {
                let at = &mut self.groups[one as usize].neighbours;
                self.neighbours[*at as usize] = (other, weight);
                *at += 1;
            }
        }
        // Each start has become the next one's.
        for k in (1..self.groups.len()).rev() {
            self.groups[k].neighbours = self.groups[k - 1].neighbours;
        }
        if let Some(first) = self.groups.first_mut() {
            first.neighbours = 0;
        }
        for &(block, gain) in gains {
            if let Some(part) = self.part_of[block as usize].checked_sub(1) {
                self.groups[self.parts[part as usize].group as usize].gain += gain;
            }
        }
    }

    fn neighbours(&self, group: usize) -> &[(u32, f32)] {
        let from = self.groups[group].neighbours as usize;
        let to = self.groups.get(group + 1).map_or(self.neighbours.len(), |next| next.neighbours as usize);
        &self.neighbours[from..to]
    }

    /// Finds which of some registers are free where; those in `kept` keep their value across calls.
    pub fn find_free(&mut self, live: &Live, taken: &Taken, allowed: u64, kept: u64) {
        for group in &mut self.groups {
            group.free = allowed;
        }
        for part in &self.parts {
            let group = &mut self.groups[part.group as usize];
            for stretch in &self.stretches[part.first as usize..part.end as usize] {
                if group.free == 0 {
                    break;
                }
                if live.crosses_call(stretch.start, stretch.end) {
                    group.free &= kept;
                }
                if !taken.has_room_in(allowed & FLOATS != 0, *stretch) {
                    group.free &= taken.link;
                }
                group.free = taken.free_in_block(group.free, part.block, *stretch);
            }
        }
    }

    /// How often the uses are executed where a register is free.
    pub fn most_gain(&self, p: PReg) -> f32 {
        self.groups.iter().filter(|group| !group.done && group.free & p.mask() != 0).map(|group| group.gain).sum()
    }

    /// Lets the network settle for a register. Returns what it saves.
    pub fn settle(&mut self, p: PReg) -> f32 {
        for group in &mut self.groups {
            group.chosen = !group.done && group.free & p.mask() != 0;
        }
        for _ in 0..ROUNDS {
            let mut changed = false;
            for k in 0..self.groups.len() {
                if !self.groups[k].done && self.groups[k].free & p.mask() != 0 {
                    let chosen = self.groups[k].gain + self.pull(k) > 0.0;
                    changed |= std::mem::replace(&mut self.groups[k].chosen, chosen) != chosen;
                }
            }
            if !changed {
                break;
            }
        }
        let mut gain: f32 = self.groups.iter().filter(|group| group.chosen).map(|group| group.gain).sum();
        for &(a, b, weight) in &self.arcs {
            let (a, b) = (self.groups[a as usize], self.groups[b as usize]);
            if a.chosen != b.chosen && !a.done && !b.done {
                gain -= weight;
            }
        }
        gain
    }

    /// How much a group's neighbours are for the register at hand.
    fn pull(&self, group: usize) -> f32 {
        let pull = |&(other, weight): &(u32, f32)| {
            let other = &self.groups[other as usize];
            match (other.done, other.chosen) {
                // Another register: a move either way.
                (true, _) => 0.0,
                (_, true) => weight,
                _ => -weight,
            }
        };
        self.neighbours(group).iter().map(pull).sum()
    }
}

/// Is there no place on an edge where code could stand? Exceptions come along it, or one jump leads to many blocks.
fn has_no_code(f: &Function, terminator: Opcode, e: Edge) -> bool {
    !matches!(
        terminator,
        Opcode::Jump | Opcode::Br | Opcode::Switch | Opcode::Invoke | Opcode::ScopeBegin | Opcode::ScopeEnd
    ) || f.is_pad(f.edge_to(e))
}
