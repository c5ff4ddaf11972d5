//! How often blocks are executed, as far as the shape of the graph tells (the heuristics of Ball and Larus, "Branch Prediction for
//! Free", PLDI 1993, that loops and blocks without a way back allow).

use super::cfg::{Cfg, NO_LOOP};
use super::live::loop_weight;
use crate::ir::{Function, Opcode};

/// Rounds of a loop.
const ROUNDS: f32 = 8.0;
/// How often a block runs that leads to nothing but the end of the program or an exception, in comparison with its neighbours.
const COLD: f32 = 1.0 / 64.0;
/// Loops in one another beyond which no block is taken to run more often.
const MOST_NESTED: u32 = 6;

impl Cfg {
    /// Estimates how often each block is executed when the function is called once.
    pub fn find_frequencies(&mut self, f: &Function) {
        let n = self.order.len();
        let cold = self.find_cold(f);
        let mut all = std::mem::take(&mut self.frequency);
        all.clear();
        all.resize(n, 0.0);
        if let Some(entry) = all.first_mut() {
            *entry = 1.0;
        }
        let mut shares: Vec<(usize, f32)> = Vec::new();
        for index in 0..n {
            let innermost = self.loop_of[index];
            if innermost != NO_LOOP {
                let l = &self.loops[innermost as usize];
                if l.first as usize == index && l.depth <= MOST_NESTED {
                    all[index] *= ROUNDS;
                }
            }
            let leaves = |to: usize| {
                innermost != NO_LOOP && {
                    let l = &self.loops[innermost as usize];
                    to < l.first as usize || to > l.last as usize
                }
            };
            shares.clear();
            f.for_each_edge(f.inst(f.terminator(self.order[index])), |e| {
                let to = self.index[f.edge_to(e).index()] as usize;
                let share = if leaves(to) { 1.0 / (ROUNDS - 1.0) } else { 1.0 };
                shares.push((to, if cold[to] && !cold[index] { COLD * share } else { share }));
            });
            let sum: f32 = shares.iter().map(|share| share.1).sum();
            for &(to, share) in shares.iter().filter(|&&(to, _)| to > index) {
                all[to] += all[index] * share / sum;
            }
        }
        self.frequency = all;
    }

    /// Blocks from which every way leads to the end of the program or to an exception that leaves the function.
    fn find_cold(&self, f: &Function) -> Vec<bool> {
        let mut cold = vec![false; self.order.len()];
        for index in (0..self.order.len()).rev() {
            let last = f.inst(f.terminator(self.order[index]));
            let (mut edges, mut all) = (0, true);
            f.for_each_edge(last, |e| {
                edges += 1;
                all &= cold[self.index[f.edge_to(e).index()] as usize];
            });
            cold[index] = f.is_pad(self.order[index])
                || if edges > 0 { all } else { matches!(last.op, Opcode::Unreachable | Opcode::Resume) };
        }
        cold
    }

    /// Were frequencies estimated, because the function is optimized?
    #[inline]
    pub fn has_frequencies(&self) -> bool {
        !self.frequency.is_empty()
    }

    /// How much a use in the block at an index weighs: how often the block is executed, or by the depth of loops if that is not known.
    #[inline]
    pub fn weight(&self, index: usize) -> f32 {
        match self.frequency.get(index) {
            Some(&frequency) => frequency,
            None => loop_weight(self.depth(index)),
        }
    }
}
