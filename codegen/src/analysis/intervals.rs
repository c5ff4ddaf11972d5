//! Live intervals with holes: for each value the stretches of positions in which it is needed, and for each block what is live at its
//! start. They are found value by value, backwards from each use to the definition (Boissinot et al., "Computing Liveness Sets for
//! SSA-Form Programs", INRIA 2011, algorithm 6), so the work is the size of the result, which is bounded.

use super::cfg::Cfg;
use super::live::{Fold, Live};
use crate::ir::{Function, Value};

/// Entries of the result that every position may have on average, and those that any function may have.
const ENTRIES_PER_POSITION: usize = 32;
const ENTRIES: usize = 1 << 18;

/// A stretch of positions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Interval {
    /// The first one: that of the definition, or a block's first.
    pub start: u32,
    /// The last use; or one past the block's last position, if the value lives on.
    pub end: u32,
}

/// The live intervals of a function's values.
#[derive(Default)]
pub struct Intervals {
    list: Vec<Interval>,
    /// For each value, where its intervals begin in the list, and where they end.
    of: Vec<(u32, u32)>,
    /// What is live at blocks' starts, with the end of its interval in that block; and where each block's part begins.
    live_in: Vec<(Value, u32)>,
    starts: Vec<u32>,
    /// For each value, the end of its interval in the block that defines it, and its last position anywhere.
    ends: Vec<(u32, u32)>,
    /// Predecessors of blocks, as indices of the order; and where each block's part begins.
    preds: Vec<u32>,
    pred_starts: Vec<u32>,
    /// Uses outside of the blocks of the definitions, as index of the block and position, grouped by values; and where each value's part begins.
    uses: Vec<(u32, u32)>,
    use_starts: Vec<u32>,
    /// For each block: the value that was last found to be live at its start, and the last use there; the value that was last found to
    /// be live at its end.
    enters: Vec<(Value, u32)>,
    leaves: Vec<Value>,
    /// The blocks where the current value is live at the start.
    blocks: Vec<u32>,
    found: Vec<(u32, Value, u32)>,
}

const NO_VALUE: Value = Value(u32::MAX);

impl Intervals {
    /// Finds the intervals of all values. Returns false if they are too many.
    pub fn compute(&mut self, f: &Function, cfg: &Cfg, live: &Live) -> bool {
        self.list.clear();
        self.of.clear();
        self.of.resize(f.value_count(), (0, 0));
        self.ends.clear();
        self.ends.extend((0..f.value_count()).map(|v| live.end(Value::new(v))).map(|end| (end, end)));
        self.found.clear();
        self.find_predecessors(f, cfg);
        self.group_uses(f, cfg, live);
        self.enters.clear();
        self.enters.resize(cfg.order.len(), (NO_VALUE, 0));
        self.leaves.clear();
        self.leaves.resize(cfg.order.len(), NO_VALUE);
        let limit = ENTRIES + ENTRIES_PER_POSITION * cfg.positions as usize;
        for (index, &b) in cfg.order.iter().enumerate() {
            for &v in f.params(b) {
                if !self.value(cfg, live, v, (index as u32, cfg.start[index]), limit) {
                    return false;
                }
            }
            for i in f.block_insts(b).filter(|i| live.fold[i.index()] == Fold::No) {
                for v in f.results(i) {
                    if !self.value(cfg, live, v, (index as u32, live.position[i.index()]), limit) {
                        return false;
                    }
                }
            }
        }
        self.sort_live_in(cfg);
        true
    }

    fn find_predecessors(&mut self, f: &Function, cfg: &Cfg) {
        self.pred_starts.clear();
        self.pred_starts.resize(cfg.order.len() + 1, 0);
        let index_of = |e| cfg.index[f.edge_to(e).index()] as usize;
        for &b in &cfg.order {
            f.for_each_edge(f.inst(f.terminator(b)), |e| self.pred_starts[index_of(e) + 1] += 1);
        }
        for k in 1..self.pred_starts.len() {
            self.pred_starts[k] += self.pred_starts[k - 1];
        }
        self.preds.clear();
        self.preds.resize(self.pred_starts[cfg.order.len()] as usize, 0);
        for (from, &b) in cfg.order.iter().enumerate() {
            f.for_each_edge(f.inst(f.terminator(b)), |e| {
                // Starts move to the ends, which are the next ones' starts.
                let at = &mut self.pred_starts[index_of(e)];
                self.preds[*at as usize] = from as u32;
                *at += 1;
            });
        }
        self.pred_starts.rotate_right(1);
        self.pred_starts[0] = 0;
    }

    /// Groups far uses by values.
    fn group_uses(&mut self, f: &Function, cfg: &Cfg, live: &Live) {
        self.use_starts.clear();
        self.use_starts.resize(f.value_count() + 1, 0);
        for (v, _) in &live.far_uses {
            self.use_starts[v.index() + 1] += 1;
        }
        for k in 1..self.use_starts.len() {
            self.use_starts[k] += self.use_starts[k - 1];
        }
        self.uses.clear();
        self.uses.resize(live.far_uses.len(), (0, 0));
        // They were found from the last block to the first.
        let mut block = cfg.order.len().saturating_sub(1);
        for &(v, position) in &live.far_uses {
            while cfg.start[block] > position {
                block -= 1;
            }
            let at = &mut self.use_starts[v.index()];
            self.uses[*at as usize] = (block as u32, position);
            *at += 1;
        }
        // Each start has become the next one's.
        self.use_starts.rotate_right(1);
        self.use_starts[0] = 0;
    }

    /// Finds the intervals of a value that is defined in a block at a position.
    fn value(&mut self, cfg: &Cfg, live: &Live, v: Value, (own, position): (u32, u32), limit: usize) -> bool {
        if live.count(v) == 0 {
            return true;
        }
        let first = self.list.len() as u32;
        if !live.crosses_block(v) {
            self.list.push(Interval { start: position, end: live.end(v) });
            self.of[v.index()] = (first, first + 1);
            return true;
        }
        self.blocks.clear();
        for k in self.use_starts[v.index()]..self.use_starts[v.index() + 1] {
            let (block, at) = self.uses[k as usize];
            self.enter(v, block);
            let last = &mut self.enters[block as usize].1;
            *last = at.max(*last);
        }
        let mut next = 0;
        while let Some(&block) = self.blocks.get(next) {
            next += 1;
            let (from, to) = (self.pred_starts[block as usize], self.pred_starts[block as usize + 1]);
            for k in from..to {
                let pred = self.preds[k as usize];
                if self.leaves[pred as usize] != v {
                    self.leaves[pred as usize] = v;
                    if pred != own {
                        self.enter(v, pred);
                    }
                }
            }
            if self.found.len() + self.blocks.len() > limit {
                return false;
            }
        }
        let after = |block: u32| cfg.start[block as usize + 1];
        self.ends[v.index()].0 = after(own);
        self.list.push(Interval { start: position, end: after(own) });
        self.blocks.sort_unstable();
        for &block in &self.blocks {
            let (_, last) = self.enters[block as usize];
            let end = if self.leaves[block as usize] == v { after(block) } else { last };
            self.found.push((block, v, end));
            let start = cfg.start[block as usize];
            match self.list[first as usize..].last_mut() {
                Some(before) if before.end == start => before.end = end,
                _ => self.list.push(Interval { start, end }),
            }
        }
        self.of[v.index()] = (first, self.list.len() as u32);
        true
    }

    /// Notes that a value is live at the start of a block.
    fn enter(&mut self, v: Value, block: u32) {
        let known = &mut self.enters[block as usize];
        if known.0 != v {
            *known = (v, 0);
            self.blocks.push(block);
        }
    }

    fn sort_live_in(&mut self, cfg: &Cfg) {
        self.starts.clear();
        self.starts.resize(cfg.order.len() + 1, 0);
        for &(block, ..) in &self.found {
            self.starts[block as usize + 1] += 1;
        }
        for k in 1..self.starts.len() {
            self.starts[k] += self.starts[k - 1];
        }
        self.live_in.clear();
        self.live_in.resize(self.found.len(), (NO_VALUE, 0));
        for &(block, v, end) in &self.found {
            let at = &mut self.starts[block as usize];
            self.live_in[*at as usize] = (v, end);
            *at += 1;
        }
        self.starts.rotate_right(1);
        self.starts[0] = 0;
    }

    /// The intervals of a value, in order.
    pub fn of(&self, v: Value) -> &[Interval] {
        let (from, to) = self.of[v.index()];
        &self.list[from as usize..to as usize]
    }

    /// The uses of a value outside of the block that defines it: the index of the block, the position.
    pub fn uses(&self, v: Value) -> &[(u32, u32)] {
        &self.uses[self.use_starts[v.index()] as usize..self.use_starts[v.index() + 1] as usize]
    }

    /// What is live at the start of the block at an index, parameters excepted, with the ends of its intervals in that block.
    pub fn live_in(&self, index: usize) -> &[(Value, u32)] {
        &self.live_in[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// A value's last position.
    pub fn last_end(&self, v: Value) -> u32 {
        self.ends[v.index()].1
    }

    /// Makes every value's end that of its interval in the block that defines it.
    pub fn set_own_ends(&self, live: &mut Live) {
        self.ends.iter().enumerate().for_each(|(v, ends)| live.set_end(Value::new(v), ends.0));
    }

    /// Makes every value's end its last position.
    pub fn set_last_ends(&self, live: &mut Live) {
        self.ends.iter().enumerate().for_each(|(v, ends)| live.set_end(Value::new(v), ends.1));
    }
}
