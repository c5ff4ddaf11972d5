//! Immediate dominators of a reducible graph, with the blocks in between.

use super::ends::NONE;
use crate::analysis::Cfg;
use crate::ir::Edge;

/// Immediate dominators of a reducible graph, by block index.
///
/// In reverse postorder, a block's forward predecessors come before it, so its dominator is their lowest common
/// ancestor in the tree so far. Jump pointers (Myers, "An applicative random-access stack", IPL 1983) make each query
/// logarithmic.
#[derive(Default)]
pub(super) struct Dominators {
    parent: Vec<u32>,
    jump: Vec<u32>,
    depth: Vec<u32>,
    /// For each loop's first block, the last block that branches back to it; otherwise 0.
    back: Vec<u32>,
    reducible: bool,
}

impl Dominators {
    pub fn compute(&mut self, cfg: &Cfg, edge_start: &[u32], edges: &[(Edge, u32)]) {
        let n = cfg.order.len();
        for list in [&mut self.parent, &mut self.jump, &mut self.depth, &mut self.back] {
            list.clear();
            list.resize(n, 0);
        }
        for b in 1..n as u32 {
            let mut dominator = NONE;
            for &(_, from) in &edges[edge_start[b as usize] as usize..edge_start[b as usize + 1] as usize] {
                if from >= b {
                    self.back[b as usize] = self.back[b as usize].max(from);
                } else if dominator == NONE {
                    dominator = from;
                } else {
                    dominator = self.common(dominator, from);
                }
            }
            let p = if dominator == NONE { 0 } else { dominator };
            self.parent[b as usize] = p;
            self.depth[b as usize] = self.depth[p as usize] + 1;
            let j = self.jump[p as usize];
            let same = self.depth[p as usize] - self.depth[j as usize]
                == self.depth[j as usize] - self.depth[self.jump[j as usize] as usize];
            self.jump[b as usize] = if same { self.jump[j as usize] } else { p };
        }
        // A branch back to a block that does not dominate it: the tree ignores it and must not be used.
        self.reducible = (1..n as u32).filter(|&b| self.back[b as usize] != 0).all(|b| {
            let list = &edges[edge_start[b as usize] as usize..edge_start[b as usize + 1] as usize];
            list.iter().filter(|e| e.1 >= b).all(|e| self.common(b, e.1) == b)
        });
    }

    /// The nearest block that dominates both.
    pub fn common(&self, mut a: u32, mut b: u32) -> u32 {
        let depth = |x: u32| self.depth[x as usize];
        if depth(a) < depth(b) {
            (a, b) = (b, a);
        }
        while depth(a) > depth(b) {
            a = if depth(self.jump[a as usize]) >= depth(b) { self.jump[a as usize] } else { self.parent[a as usize] };
        }
        while a != b {
            let (ja, jb) = (self.jump[a as usize], self.jump[b as usize]);
            (a, b) = if ja != jb { (ja, jb) } else { (self.parent[a as usize], self.parent[b as usize]) };
        }
        a
    }

    /// The immediate dominator of a block, and a dominator that may be far above; `None` if they are not known.
    pub fn above(&self, b: u32) -> Option<(u32, u32)> {
        if !self.reducible || b == 0 { None } else { Some((self.parent[b as usize], self.jump[b as usize])) }
    }
}

/// The highest index of a block on the paths from a dominator to a block.
pub(super) fn last_between(cfg: &Cfg, dominator: u32, b: u32) -> u32 {
    let around = cfg.loops_entered(cfg.loop_of[b as usize], |l| l.first > dominator);
    around.map_or(b - 1, |l| l.last.max(b - 1))
}
