//! Immediate dominators of a function's blocks.
//!
//! After Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001): iteration over the reverse postorder,
//! then intervals of a walk over the tree, so that a query costs two comparisons.

use super::function::{Block, Function};

/// The dominator tree over the blocks that the entry reaches.
pub struct Dominators {
    /// Reachable blocks in reverse postorder; the entry is the first.
    pub order: Vec<Block>,
    /// Per block its place in `order`, `u32::MAX` if it is not reachable.
    rank: Vec<u32>,
    /// Per rank the rank of its immediate dominator; the entry's is itself.
    idom: Vec<u32>,
    /// Per rank the interval of its subtree in a walk over the tree.
    interval: Vec<(u32, u32)>,
}

impl Dominators {
    /// Computes them.
    pub fn new(func: &Function) -> Dominators {
        let (order, rank) = reverse_postorder(func);
        let idom = immediate(func, &order, &rank);
        let interval = intervals(&idom);
        Dominators { order, rank, idom, interval }
    }

    /// Does a path from the entry lead to `b`?
    pub fn is_reachable(&self, b: Block) -> bool {
        self.rank.get(b.index()).is_some_and(|&r| r != u32::MAX)
    }

    /// Is `a` on every path from the entry to `b`? False if either is not reachable.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        if !self.is_reachable(a) || !self.is_reachable(b) {
            return false;
        }
        let (a, b) = (self.interval[self.rank[a.index()] as usize], self.interval[self.rank[b.index()] as usize]);
        a.0 <= b.0 && b.1 <= a.1
    }

    /// The immediate dominator of a reachable block; `None` for the entry and for blocks that are not reachable.
    pub fn immediate(&self, b: Block) -> Option<Block> {
        let r = *self.rank.get(b.index())?;
        let up = *self.idom.get(r as usize)?;
        if up == r { None } else { Some(self.order[up as usize]) }
    }
}

/// Blocks that the entry reaches in reverse postorder, and per block its place there (`u32::MAX` for the others).
pub fn reverse_postorder(func: &Function) -> (Vec<Block>, Vec<u32>) {
    let mut rank = vec![u32::MAX; func.blocks.len()];
    let mut order = Vec::with_capacity(func.layout.len());
    let Some(&entry) = func.layout.first() else { return (order, rank) };
    // Per block on the path its successors and how many of them are done.
    let mut succs: Vec<Block> = Vec::new();
    let mut path: Vec<(Block, u32)> = Vec::new();
    let push = |b: Block, succs: &mut Vec<Block>, path: &mut Vec<(Block, u32)>| {
        path.push((b, succs.len() as u32));
        func.for_each_edge(func.inst(func.terminator(b)), |e| succs.push(func.edge_to(e)));
    };
    rank[entry.index()] = 0;
    push(entry, &mut succs, &mut path);
    while let Some(&(b, base)) = path.last() {
        if succs.len() as u32 > base {
            // The last successor first: the first one then follows its block in the result.
            if let Some(next) = succs.pop().filter(|b| rank[b.index()] == u32::MAX) {
                rank[next.index()] = 0;
                push(next, &mut succs, &mut path);
            }
        } else {
            order.push(b);
            path.pop();
        }
    }
    order.reverse();
    for (r, b) in order.iter().enumerate() {
        rank[b.index()] = r as u32;
    }
    (order, rank)
}

fn immediate(func: &Function, order: &[Block], rank: &[u32]) -> Vec<u32> {
    // Predecessors by rank, in one array.
    let mut starts = vec![0u32; order.len() + 1];
    let each_edge = |f: &mut dyn FnMut(u32, u32)| {
        for (r, &b) in order.iter().enumerate() {
            func.for_each_edge(func.inst(func.terminator(b)), |e| f(r as u32, rank[func.edge_to(e).index()]));
        }
    };
    each_edge(&mut |_, to| starts[to as usize + 1] += 1);
    for k in 1..starts.len() {
        starts[k] += starts[k - 1];
    }
    let mut next = starts.clone();
    let mut preds = vec![0u32; starts.last().map_or(0, |&n| n as usize)];
    each_edge(&mut |from, to| {
        preds[next[to as usize] as usize] = from;
        next[to as usize] += 1;
    });

    let mut idom = vec![u32::MAX; order.len()];
    if let Some(first) = idom.first_mut() {
        *first = 0;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for b in 1..order.len() {
            let mut new = u32::MAX;
            for &p in &preds[starts[b] as usize..starts[b + 1] as usize] {
                if idom[p as usize] == u32::MAX {
                    continue;
                }
                if new == u32::MAX {
                    new = p;
                    continue;
                }
                let (mut x, mut y) = (p, new);
                while x != y {
                    if x > y { x = idom[x as usize] } else { y = idom[y as usize] }
                }
                new = x;
            }
            changed |= idom[b] != new;
            idom[b] = new;
        }
    }
    idom
}

fn intervals(idom: &[u32]) -> Vec<(u32, u32)> {
    // Subtree sizes from the leaves up, then positions from the root down: a dominator's rank is always lower.
    let mut size = vec![1u32; idom.len()];
    for b in (1..idom.len()).rev() {
        size[idom[b] as usize] += size[b];
    }
    let mut interval = vec![(0u32, 0u32); idom.len()];
    let mut free = vec![1u32; idom.len()];
    for b in 0..idom.len() {
        let start: u32 = if b == 0 {
            0
        } else {
            let up = idom[b] as usize;
            let at = free[up];
            free[up] += size[b];
            interval[up].0 + at
        };
        interval[b] = (start, start + size[b]);
    }
    interval
}
