//! Immediate dominators of a function's blocks.
//!
//! Semidominators by path compression, then nearest common ancestors (Georgiadis, "Linear-Time Algorithms for Dominators
//! and Related Problems", Princeton 2005, there called SNCA). The ancestors are found by jump pointers (Myers, "An
//! applicative random-access stack", IPL 1983), so that no shape of graph costs more than a logarithm for each edge.
//! Intervals of a walk over the tree then answer a query by two comparisons.

use super::function::{Block, Function};

const NONE: u32 = u32::MAX;

/// The dominator tree over the blocks that the entry reaches. Blocks are numbered in the order in which a depth-first walk
/// meets them. The tables can be used again.
#[derive(Default)]
pub struct Dominators {
    /// Blocks by number.
    met: Vec<Block>,
    /// Per block its number, `NONE` if it is not reachable.
    number: Vec<u32>,
    /// Per number that of the immediate dominator; the entry's is itself.
    idom: Vec<u32>,
    /// Per number the interval of its subtree in a walk over the tree.
    interval: Vec<(u32, u32)>,
    /// Blocks that the walk is to meet, with the number of the block from which it saw them.
    waiting: Vec<(Block, u32)>,
    /// Edges: the number of the block that they leave, and the next one to the same block.
    edges: Vec<(u32, u32)>,
    /// Per block the first edge to it.
    first: Vec<u32>,
    /// Per number: its parent in the walk, shortened by compression; the block with the least semidominator on the way
    /// that was cut out, itself included; the semidominator.
    link: Vec<u32>,
    label: Vec<u32>,
    semi: Vec<u32>,
    /// In the dominator tree: a distant ancestor, and the depth.
    jump: Vec<u32>,
    depth: Vec<u32>,
    /// Size of each subtree, or what of it is left to number.
    size: Vec<u32>,
    path: Vec<u32>,
}

impl Dominators {
    /// Those of `func`, in tables of their own.
    pub fn new(func: &Function) -> Dominators {
        let mut all = Dominators::default();
        all.compute(func);
        all
    }

    /// Computes them for `func`, in place of what was known.
    pub fn compute(&mut self, func: &Function) {
        self.walk(func);
        self.semidominators();
        self.immediates();
        self.intervals();
    }

    /// Does a path from the entry lead to `b`?
    pub fn is_reachable(&self, b: Block) -> bool {
        self.number.get(b.index()).is_some_and(|&r| r != NONE)
    }

    /// Is `a` on every path from the entry to `b`? False if either is not reachable.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        if !self.is_reachable(a) || !self.is_reachable(b) {
            return false;
        }
        let (a, b) = (self.interval[self.number[a.index()] as usize], self.interval[self.number[b.index()] as usize]);
        a.0 <= b.0 && b.1 <= a.1
    }

    /// The immediate dominator of a reachable block; `None` for the entry and for blocks that are not reachable.
    pub fn immediate(&self, b: Block) -> Option<Block> {
        let r = *self.number.get(b.index())?;
        let up = *self.idom.get(r as usize)?;
        if up == r { None } else { Some(self.met[up as usize]) }
    }

    fn walk(&mut self, func: &Function) {
        let Dominators { met, number, link, waiting, edges, first, .. } = self;
        met.clear();
        link.clear();
        edges.clear();
        waiting.clear();
        number.clear();
        number.resize(func.blocks.len(), NONE);
        first.clear();
        first.resize(func.blocks.len(), NONE);
        waiting.extend(func.layout.first().map(|&entry| (entry, 0)));
        while let Some((b, from)) = waiting.pop() {
            if number[b.index()] != NONE {
                continue;
            }
            let n = met.len() as u32;
            number[b.index()] = n;
            met.push(b);
            link.push(from);
            func.for_each_edge(func.inst(func.terminator(b)), |e| {
                let to = func.edge_to(e);
                let next = std::mem::replace(&mut first[to.index()], edges.len() as u32);
                edges.push((n, next));
                if number[to.index()] == NONE {
                    waiting.push((to, n));
                }
            });
        }
    }

    fn semidominators(&mut self) {
        let n = self.met.len() as u32;
        self.idom.clear();
        self.idom.extend_from_slice(&self.link);
        self.label.clear();
        self.label.extend(0..n);
        self.semi.clear();
        self.semi.extend(0..n);
        for b in (1..n).rev() {
            let mut least = self.link[b as usize];
            let mut edge = self.first[self.met[b as usize].index()];
            while let Some(&(p, next)) = self.edges.get(edge as usize) {
                edge = next;
                // Blocks after `b` are linked to their parents in the walk, those before it stand for themselves.
                let semi = if p <= b { p } else { self.least(p, b) };
                least = least.min(semi);
            }
            self.semi[b as usize] = least;
        }
    }

    /// The least semidominator on the way from `v` up to the last block above `bound`.
    fn least(&mut self, mut v: u32, bound: u32) -> u32 {
        self.path.clear();
        while self.link[v as usize] > bound {
            self.path.push(v);
            v = self.link[v as usize];
        }
        let mut best = self.label[v as usize];
        let up = self.link[v as usize];
        while let Some(w) = self.path.pop() {
            self.link[w as usize] = up;
            let own = self.label[w as usize];
            if self.semi[best as usize] < self.semi[own as usize] {
                self.label[w as usize] = best;
            } else {
                best = own;
            }
        }
        self.semi[best as usize]
    }

    /// The immediate dominator is the nearest ancestor, in the tree so far, of the parent that is not below the
    /// semidominator.
    fn immediates(&mut self) {
        let n = self.met.len();
        self.jump.clear();
        self.jump.resize(n, 0);
        self.depth.clear();
        self.depth.resize(n, 0);
        for b in 1..n {
            let semi = self.semi[b];
            let mut up = self.idom[b];
            while up > semi {
                let far = self.jump[up as usize];
                up = if far >= semi { far } else { self.idom[up as usize] };
            }
            self.idom[b] = up;
            self.depth[b] = self.depth[up as usize] + 1;
            let j = self.jump[up as usize];
            let even = self.depth[up as usize] - self.depth[j as usize]
                == self.depth[j as usize] - self.depth[self.jump[j as usize] as usize];
            self.jump[b] = if even { self.jump[j as usize] } else { up };
        }
    }

    fn intervals(&mut self) {
        let Dominators { idom, interval, size, .. } = self;
        // Subtree sizes from the leaves up, then positions from the root down: a dominator's number is always lower.
        size.clear();
        size.resize(idom.len(), 1);
        for b in (1..idom.len()).rev() {
            size[idom[b] as usize] += size[b];
        }
        interval.clear();
        interval.resize(idom.len(), (0, 0));
        for b in 0..idom.len() {
            // From here on the size of a block above is what it has left: its subtrees are numbered from the end.
            let end = if b == 0 {
                size[0]
            } else {
                let up = idom[b] as usize;
                let end = interval[up].0 + size[up];
                size[up] -= size[b];
                end
            };
            interval[b] = (end - size[b], end);
        }
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
