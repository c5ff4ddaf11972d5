//! Immediate dominators of a function's blocks.
//!
//! Front ends write most blocks after their predecessors, except for loop heads, and loops are entered at their heads.
//! For such functions one walk over the blocks in their order is enough: the immediate dominator of a block is the
//! nearest common ancestor of its earlier predecessors, since back edges to a dominator change nothing. A block that
//! stands before all its predecessors is visited when the first of them has been visited; all others must then be back
//! edges.
//!
//! For all other functions: semidominators by path compression, then nearest common ancestors (Georgiadis, "Linear-Time
//! Algorithms for Dominators and Related Problems", Princeton 2005, where this is SNCA). Ancestors are found by jump
//! pointers (Myers, "An applicative random-access stack", IPL 1983), so that no shape of graph costs more than a
//! logarithm for each edge. Queries use them, too.

use super::entities::Block;
use super::function::Function;

const NONE: u32 = u32::MAX;
/// State of a block in the walk in order: no earlier block leads to it.
const EARLY: u32 = u32::MAX - 1;

/// A block in the tree of immediate dominators.
#[derive(Clone, Copy)]
struct Node {
    /// The immediate dominator; the entry's is itself.
    idom: u32,
    /// A distant ancestor.
    jump: u32,
    depth: u32,
}

/// The dominator tree of the blocks that the entry reaches. Blocks are numbered in the order in which a walk visits
/// them. The tables can be used for one function after another.
///
/// An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Default)]
pub struct Dominators {
    /// Blocks by number.
    met: Vec<Block>,
    /// Number of each block, `NONE` if it is not reachable.
    number: Vec<u32>,
    /// By number.
    tree: Vec<Node>,
    /// Blocks to be visited, each with the number of the block that led to it.
    waiting: Vec<(Block, u32)>,
    /// Edges: the number of the block that they leave, and the next edge to the same block.
    edges: Vec<(u32, u32)>,
    /// For each block the first edge to it. In the walk in order: its dominator by the edges so far.
    first: Vec<u32>,
    /// For each number: its parent in the walk, shortened by compression; the block with the least semidominator on the
    /// part that was cut out, itself included; its semidominator.
    link: Vec<u32>,
    label: Vec<u32>,
    semi: Vec<u32>,
    path: Vec<u32>,
}

impl Dominators {
    /// The dominators of `func`, in new tables.
    pub fn new(func: &Function) -> Dominators {
        let mut all = Dominators::default();
        all.compute(func);
        all
    }

    /// Computes the dominators of `func`, in place of what was known.
    pub fn compute(&mut self, func: &Function) {
        if !self.walk_in_order(func) {
            self.walk(func);
            self.semidominators();
            self.immediates();
        }
    }

    /// Does a path from the entry lead to `b`?
    pub fn is_reachable(&self, b: Block) -> bool {
        self.number.get(b.index()).is_some_and(|&r| r != NONE)
    }

    /// Is `a` on every path from the entry to `b`? False if either is unreachable.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let number = |b: Block| self.number.get(b.index()).copied().filter(|&n| n != NONE);
        let (Some(a), Some(b)) = (number(a), number(b)) else { return false };
        let depth = self.tree[a as usize].depth;
        // Most are near.
        let mut near = b;
        for _ in 0..4 {
            let node = self.tree[near as usize];
            if node.depth <= depth {
                return near == a;
            }
            near = node.idom;
        }
        ancestor(&self.tree, near, depth) == a
    }

    /// The immediate dominator of a reachable block; `None` for the entry and for unreachable blocks.
    pub fn immediate(&self, b: Block) -> Option<Block> {
        let r = *self.number.get(b.index())?;
        let up = self.tree.get(r as usize)?.idom;
        if up == r { None } else { Some(self.met[up as usize]) }
    }

    /// Finds numbers and immediate dominators in one walk over the blocks in their order. False if that fails: some
    /// block has a predecessor that should have been visited before.
    fn walk_in_order(&mut self, func: &Function) -> bool {
        let Dominators { met, number, tree, waiting, first, .. } = self;
        met.clear();
        tree.clear();
        waiting.clear();
        number.clear();
        number.resize(func.blocks.len(), NONE);
        first.clear();
        first.resize(func.blocks.len(), NONE);
        if let Some(entry) = func.layout.first() {
            first[entry.index()] = 0;
        }
        for &b in &func.layout {
            if first[b.index()] == NONE {
                first[b.index()] = EARLY;
                continue;
            }
            let mut next = Some(b);
            while let Some(b) = next.take().or_else(|| waiting.pop().map(|late| late.0)) {
                let (n, up) = (met.len() as u32, first[b.index()]);
                number[b.index()] = n;
                met.push(b);
                tree.push(if n == 0 { Node::ENTRY } else { Node::below(tree, up) });
                let mut in_order = true;
                func.for_each_edge(func.inst(func.terminator(b)), |e| {
                    let to = func.edge_to(e);
                    let above = &mut first[to.index()];
                    match (number[to.index()], *above) {
                        (NONE, NONE) => *above = n,
                        (NONE, EARLY) => {
                            *above = n;
                            waiting.push((to, n));
                        }
                        (NONE, known) => *above = nearest_common(tree, known, n),
                        // It has to be a back edge.
                        (head, _) => in_order &= ancestor(tree, n, tree[head as usize].depth) == head,
                    }
                });
                if !in_order {
                    return false;
                }
            }
        }
        true
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
        self.tree.clear();
        self.tree.extend(self.link.iter().map(|&up| Node { idom: up, ..Node::ENTRY }));
        self.label.clear();
        self.label.extend(0..n);
        self.semi.clear();
        self.semi.extend(0..n);
        for b in (1..n).rev() {
            let mut least = self.link[b as usize];
            let mut edge = self.first[self.met[b as usize].index()];
            while let Some(&(p, next)) = self.edges.get(edge as usize) {
                edge = next;
                // Blocks after `b` are linked to their parents in the walk; those before it stand for themselves.
                let semi = if p <= b { p } else { self.least(p, b) };
                least = least.min(semi);
            }
            self.semi[b as usize] = least;
        }
    }

    /// The least semidominator on the path from `v` up to the last block above `bound`.
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

    /// Computes immediate dominators: the nearest ancestor of the parent, in the tree so far, that is not below the
    /// semidominator.
    fn immediates(&mut self) {
        for b in 1..self.met.len() {
            let semi = self.semi[b];
            let mut up = self.tree[b].idom;
            while up > semi {
                let Node { idom, jump, .. } = self.tree[up as usize];
                up = if jump >= semi { jump } else { idom };
            }
            self.tree[b] = Node::below(&self.tree, up);
        }
    }
}

impl Node {
    const ENTRY: Node = Node { idom: 0, jump: 0, depth: 0 };

    /// The node of a block whose immediate dominator is `up`.
    #[inline]
    fn below(tree: &[Node], up: u32) -> Node {
        let Node { jump, depth, .. } = tree[up as usize];
        let near = tree[jump as usize];
        let even = depth - near.depth == near.depth - tree[near.jump as usize].depth;
        Node { idom: up, jump: if even { near.jump } else { up }, depth: depth + 1 }
    }
}

/// The ancestor of `v` at this depth; `v` itself if it is not deeper.
#[inline]
fn ancestor(tree: &[Node], mut v: u32, depth: u32) -> u32 {
    let mut at = tree[v as usize];
    while at.depth > depth {
        let far = tree[at.jump as usize];
        (v, at) = if far.depth >= depth { (at.jump, far) } else { (at.idom, tree[at.idom as usize]) };
    }
    v
}

/// The nearest common ancestor; a block counts as its own ancestor.
#[inline]
fn nearest_common(tree: &[Node], a: u32, b: u32) -> u32 {
    let (mut a, mut b) = (ancestor(tree, a, tree[b as usize].depth), ancestor(tree, b, tree[a as usize].depth));
    while a != b {
        let (x, y) = (tree[a as usize], tree[b as usize]);
        // At the same depth, jump pointers go equally far up.
        (a, b) = if x.jump != y.jump { (x.jump, y.jump) } else { (x.idom, y.idom) };
    }
    a
}

/// The reachable blocks in reverse postorder, and for each block its place there (`u32::MAX` for unreachable ones).
pub fn reverse_postorder(func: &Function) -> (Vec<Block>, Vec<u32>) {
    let mut rank = vec![u32::MAX; func.blocks.len()];
    let mut order = Vec::with_capacity(func.layout.len());
    let Some(&entry) = func.layout.first() else { return (order, rank) };
    // For each block on the path its successors, and how many of them are done.
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
            // The last successor goes first, so that the first one follows its block in the result.
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
