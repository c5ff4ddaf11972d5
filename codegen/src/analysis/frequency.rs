//! How often blocks are executed: what the front end says of branches, else what the shape of the graph tells (the heuristics of Ball and
//! Larus, "Branch Prediction for Free", PLDI 1993, that loops and blocks without a way back allow).

use super::cfg::{Cfg, NO_LOOP};
use super::live::loop_weight;
use crate::ir::{Edge, Function, InstData, Opcode};

/// Rounds of a loop.
const ROUNDS: f32 = 8.0;
/// How often a block runs that calls something cold, or leads to nothing but such blocks, the end of the program or an exception, in comparison
/// with its neighbours.
const COLD: f32 = 1.0 / 64.0;
/// Loops in one another beyond which no block is taken to run more often.
const MOST_NESTED: u32 = 6;

/// How often an edge is taken that leaves a loop or does not, in comparison with others that leave the same block.
fn usual_share(leaves: bool) -> f32 {
    if leaves { 1.0 / (ROUNDS - 1.0) } else { 1.0 }
}

/// An edge that leaves a loop, with how often it is taken.
struct Exit {
    l: u32,
    to: usize,
    frequency: f32,
}

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
        let mut shares: Vec<(Edge, usize, f32)> = Vec::new();
        let (mut exits, mut entered): (Vec<Exit>, _) = (Vec::new(), vec![0.0; self.loops.len()]);
        for index in 0..n {
            let innermost = self.loop_of[index];
            if innermost != NO_LOOP {
                let l = &self.loops[innermost as usize];
                if l.first as usize == index {
                    entered[innermost as usize] = all[index];
                    if l.depth <= MOST_NESTED {
                        all[index] *= ROUNDS;
                    }
                }
            }
            shares.clear();
            let mut weights = true;
            f.for_each_edge(f.inst(f.terminator(self.order[index])), |e| {
                let to = self.index[f.edge_to(e).index()] as usize;
                weights &= f.edge_weight(e) != 0;
                let share = usual_share(self.leaves(innermost, to));
                shares.push((e, to, if cold[to] && !cold[index] { COLD * share } else { share }));
            });
            if weights {
                shares.iter_mut().for_each(|(e, _, share)| *share = f.edge_weight(*e) as f32);
            }
            let sum: f32 = shares.iter().map(|share| share.2).sum();
            for &(_, to, share) in shares.iter().filter(|share| share.1 > index) {
                let frequency = all[index] * share / sum;
                if self.leaves(innermost, to) {
                    exits.push(Exit { l: innermost, to, frequency });
                } else {
                    all[to] += frequency;
                }
            }
            let mut l = innermost;
            while l != NO_LOOP && self.loops[l as usize].last as usize == index {
                self.leave(l, entered[l as usize], &cold, &mut exits, &mut all);
                l = self.loops[l as usize].parent;
            }
        }
        self.frequency = all;
    }

    /// How often the first of two edges is taken that leave the block at an index, in comparison with both.
    pub fn share(&self, f: &Function, index: usize, edges: [Edge; 2]) -> f32 {
        let [first, second] = edges.map(|e| {
            let leaves = self.leaves(self.loop_of[index], self.index[f.edge_to(e).index()] as usize);
            (f.edge_weight(e) as f32, usual_share(leaves))
        });
        let (a, b) = if first.0 > 0.0 && second.0 > 0.0 { (first.0, second.0) } else { (first.1, second.1) };
        a / (a + b)
    }

    /// Does an edge to the block at an index leave a loop?
    fn leaves(&self, l: u32, to: usize) -> bool {
        l != NO_LOOP && {
            let l = &self.loops[l as usize];
            to < l.first as usize || to > l.last as usize
        }
    }

    /// Leaves a loop by its exits as often as it is entered.
    fn leave(&self, l: u32, entered: f32, cold: &[bool], exits: &mut Vec<Exit>, all: &mut [f32]) {
        let parent = self.loops[l as usize].parent;
        let own = exits.iter().filter(|exit| exit.l == l);
        let (sum, warm) = own.fold((0.0, false), |(sum, warm), e| (sum + e.frequency, warm || !cold[e.to]));
        let scale = if sum > 0.0 && sum < entered && warm { entered / sum } else { 1.0 };
        exits.retain_mut(|exit| {
            if exit.l != l {
                return true;
            }
            (exit.l, exit.frequency) = (parent, exit.frequency * scale);
            let stays = self.leaves(parent, exit.to);
            if !stays {
                all[exit.to] += exit.frequency;
            }
            stays
        });
    }

    /// Blocks from which every way leads to a cold call, to the end of the program or to an exception that leaves the function.
    fn find_cold(&self, f: &Function) -> Vec<bool> {
        let calls_cold = f.calls.iter().any(|call| call.cold);
        let is_cold = |d: &InstData| d.op == Opcode::Call && f.calls[d.a as usize].cold;
        let mut cold = vec![false; self.order.len()];
        for index in (0..self.order.len()).rev() {
            let last = f.inst(f.terminator(self.order[index]));
            let (mut edges, mut all) = (0, true);
            f.for_each_edge(last, |e| {
                edges += 1;
                all &= cold[self.index[f.edge_to(e).index()] as usize];
            });
            cold[index] = f.is_pad(self.order[index])
                || calls_cold && f.insts_of(self.order[index]).iter().any(is_cold)
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
