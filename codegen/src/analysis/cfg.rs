//! Block order, predecessors and loops.

use crate::ir::{Block, Edge, Function, Opcode, Pad};

/// No loop.
pub const NO_LOOP: u32 = u32::MAX;
/// Loops nested deeper than this count as part of their ancestor at this depth, which keeps every walk up the nest short.
const MAX_DEPTH: u32 = 32;
/// State of a block in the search: entered, not finished.
const OPEN: u32 = u32::MAX - 1;
/// State of a block in the search: finished.
const DONE: u32 = u32::MAX - 2;

/// A loop: a range of the block order that control may re-enter at its start.
#[derive(Clone, Copy, Debug)]
pub struct LoopData {
    /// First position.
    pub start: u32,
    /// Last position.
    pub end: u32,
    /// The enclosing loop, or [`NO_LOOP`].
    pub parent: u32,
    /// Nesting depth, 1 for an outermost loop.
    pub depth: u32,
    /// Index of the first block.
    pub first: u32,
    /// Index of the last block.
    pub last: u32,
    /// It also stands for deeper loops, which are not listed.
    pub capped: bool,
}

/// The control flow graph in the order of emission.
#[derive(Default)]
pub struct Cfg {
    /// Reachable blocks in emission order: a reverse postorder that keeps to the source order where it can.
    pub order: Vec<Block>,
    /// For each block its index in `order`; `u32::MAX` if it cannot be reached.
    pub index: Vec<u32>,
    /// For each index, the position of the block's parameters.
    pub start: Vec<u32>,
    /// For each index, the innermost loop, or [`NO_LOOP`].
    pub loop_of: Vec<u32>,
    /// Loops; outer ones come before inner ones.
    pub loops: Vec<LoopData>,
    /// For each index, the number of edges that lead to the block.
    pub preds: Vec<u32>,
    /// For each index, the index of one predecessor (the only one, if `preds` is 1).
    pub pred: Vec<u32>,
    /// Number of positions.
    pub positions: u32,
    /// The funclets in order, each as its pad and the index of its first block. Its blocks follow, up to the next
    /// funclet's first. The blocks of the function itself come before all funclets.
    pub funclets: Vec<(Pad, u32)>,
    /// For each index, the state of the block's code, if exceptions are caught that no call raises; else empty.
    pub faults: Vec<i32>,
    /// For each index, how often the block is executed, if that was estimated.
    pub(super) frequency: Vec<f32>,
    stack: Vec<(Block, u32)>,
    succs: Vec<Block>,
    source: Vec<u32>,
    ends: Vec<u32>,
    /// For each block, the number of its funclet, in the order in which funclets were found; 0 is the function itself.
    regions: Vec<u32>,
    open: Vec<u32>,
}

impl Cfg {
    /// Computes everything for `f`.
    pub fn compute(&mut self, f: &Function) {
        self.frequency.clear();
        self.number(f);
        self.place(f);
        self.find_loops();
    }

    /// Depth-first search. A block is finished after its successors, of which the later in source order go first: so in
    /// the reversed order the source's earlier blocks (loop bodies) come before the later ones (loop exits). A block
    /// that only jumps back is finished last of all; it would otherwise come after everything else, and the loop would
    /// end there.
    fn number(&mut self, f: &Function) {
        let n = f.blocks.len();
        self.order.clear();
        self.index.clear();
        self.index.resize(n, u32::MAX);
        self.source.clear();
        self.source.resize(n, u32::MAX);
        for (i, b) in f.layout.iter().enumerate() {
            self.source[b.index()] = i as u32;
        }
        self.stack.clear();
        self.succs.clear();
        let Some(&entry) = f.layout.first() else { return };
        self.index[entry.index()] = OPEN;
        self.enter(f, entry);
        while let Some(&(block, base)) = self.stack.last() {
            if self.succs.len() as u32 > base {
                let Some(s) = self.succs.pop() else { continue };
                if self.index[s.index()] == u32::MAX {
                    self.index[s.index()] = OPEN;
                    self.enter(f, s);
                }
            } else {
                self.index[block.index()] = DONE;
                self.order.push(block);
                self.stack.pop();
            }
        }
        self.order.reverse();
        self.funclets.clear();
        if f.exceptions.has_funclets() {
            self.part(f);
        }
        for (i, b) in self.order.iter().enumerate() {
            self.index[b.index()] = i as u32;
        }
    }

    /// Puts the blocks of each funclet together, outer funclets before inner ones. A funclet's blocks are those that
    /// control reaches from its pad.
    fn part(&mut self, f: &Function) {
        let all = &f.exceptions;
        self.regions.clear();
        self.regions.resize(f.blocks.len(), u32::MAX);
        let mut numbers = vec![u32::MAX; all.pad_count()];
        let Some(&entry) = self.order.first() else { return };
        self.regions[entry.index()] = 0;
        for &b in &self.order {
            if let Some(pad) = f.pad(b).and_then(|pad| all.funclet_of(pad))
                && numbers[pad.index()] == u32::MAX
            {
                self.funclets.push((pad, u32::MAX));
                numbers[pad.index()] = self.funclets.len() as u32;
            }
            let number = |pad: Option<Pad>| pad.map_or(0, |p| numbers[p.index()]);
            if let Some(pad) = f.pad(b) {
                self.regions[b.index()] = number(all.funclet_of(pad));
            }
            let own = self.regions[b.index()];
            let last = f.inst(f.terminator(b));
            let next = if last.op == Opcode::CatchRet { number(all.funclet_around(Pad(last.a))) } else { own };
            f.for_each_edge(last, |e| {
                let to = &mut self.regions[f.edge_to(e).index()];
                if *to == u32::MAX {
                    *to = next;
                }
            });
        }
        let regions = &self.regions;
        self.order.sort_by_key(|b| regions[b.index()]);
        for (i, b) in self.order.iter().enumerate() {
            if let Some(k) = regions[b.index()].checked_sub(1) {
                let first = &mut self.funclets[k as usize].1;
                *first = (*first).min(i as u32);
            }
        }
    }

    /// The funclet that begins with the block at `index`.
    #[inline]
    pub fn funclet_at(&self, index: usize) -> Option<Pad> {
        self.funclet_number_at(index).map(|number| self.funclets[number].0)
    }

    /// The number in [`Cfg::funclets`] of the funclet that begins with the block at `index`.
    #[inline]
    pub fn funclet_number_at(&self, index: usize) -> Option<usize> {
        self.funclets.binary_search_by_key(&index, |&(_, first)| first as usize).ok()
    }

    /// The funclet that the block at `index` belongs to; `None` for the function itself.
    pub fn funclet_of(&self, index: usize) -> Option<Pad> {
        let before = self.funclets.partition_point(|&(_, first)| first as usize <= index);
        before.checked_sub(1).map(|k| self.funclets[k].0)
    }

    fn enter(&mut self, f: &Function, block: Block) {
        let base = self.succs.len();
        self.stack.push((block, base as u32));
        let succs = &mut self.succs;
        f.for_each_edge(f.inst(f.terminator(block)), |e| succs.push(f.edge_to(e)));
        let index = &self.index;
        let goes_back = |b: Block| {
            let last = f.inst(f.terminator(b));
            last.op == Opcode::Jump && index[f.edge_to(Edge(last.a)).index()] == OPEN
        };
        let tail = &mut self.succs[base..];
        match tail {
            [] | [_] => {}
            [a, b] => {
                if self.source[a.index()] > self.source[b.index()] {
                    tail.swap(0, 1);
                }
                if goes_back(tail[1]) && !goes_back(tail[0]) {
                    tail.swap(0, 1);
                }
            }
            _ => {
                tail.sort_unstable_by_key(|b| self.source[b.index()]);
            }
        }
    }

    fn place(&mut self, f: &Function) {
        let n = self.order.len();
        self.start.clear();
        self.preds.clear();
        self.preds.resize(n, 0);
        self.pred.clear();
        self.pred.resize(n, u32::MAX);
        // For each header, one past the index of the last block that branches back to it.
        self.ends.clear();
        self.ends.resize(n, 0);
        let mut position = 0;
        for (i, &b) in self.order.iter().enumerate() {
            self.start.push(position);
            let data = &f.blocks[b.index()];
            position += 1 + (data.end - data.first);
            let (index, preds, pred, ends) = (&self.index, &mut self.preds, &mut self.pred, &mut self.ends);
            f.for_each_edge(f.inst(f.terminator(b)), |e| {
                let to = index[f.edge_to(e).index()] as usize;
                preds[to] += 1;
                pred[to] = i as u32;
                if to <= i {
                    ends[to] = i as u32 + 1;
                }
            });
        }
        self.positions = position;
        self.start.push(position);
    }

    /// Updates the graph after edges to these blocks were removed; a block is listed as often as it lost an edge. The
    /// order stays valid with fewer edges, unless a block is no longer reached.
    pub fn lose_edges(&mut self, f: &Function, to: &[Block]) {
        let mut least = u32::MAX;
        for b in to {
            let preds = &mut self.preds[self.index[b.index()] as usize];
            *preds -= 1;
            least = least.min(*preds);
        }
        match least {
            0 => self.compute(f),
            // Which block is the only predecessor has to be found out.
            1 => {
                self.place(f);
                self.place_loops();
            }
            _ => {}
        }
    }

    /// Computes the positions again after instructions were removed from their blocks.
    pub fn place_again(&mut self, f: &Function) {
        let mut position = 0;
        for (start, b) in self.start.iter_mut().zip(&self.order) {
            let data = &f.blocks[b.index()];
            *start = position;
            position += 1 + (data.end - data.first);
        }
        self.positions = position;
        if let Some(last) = self.start.last_mut() {
            *last = position;
        }
        self.place_loops();
    }

    fn place_loops(&mut self) {
        for l in &mut self.loops {
            l.start = self.start[l.first as usize];
            l.end = self.start[l.last as usize + 1] - 1;
        }
    }

    fn find_loops(&mut self) {
        self.loops.clear();
        self.loop_of.clear();
        self.open.clear();
        let n = self.order.len();
        for i in 0..n {
            let at = self.start[i];
            while let Some(&l) = self.open.last() {
                if self.loops[l as usize].end >= at {
                    break;
                }
                self.open.pop();
            }
            if self.ends[i] != 0 {
                let last = self.ends[i] - 1;
                let end = self.start[self.ends[i] as usize] - 1;
                // Regions that cross (irreducible control flow) are widened until they nest.
                for &l in self.open.iter().rev() {
                    let outer = &mut self.loops[l as usize];
                    if outer.end >= end {
                        break;
                    }
                    outer.end = end;
                    outer.last = last;
                }
                let parent = self.open.last().copied().unwrap_or(NO_LOOP);
                let depth = if parent == NO_LOOP { 1 } else { self.loops[parent as usize].depth + 1 };
                if depth <= MAX_DEPTH {
                    self.open.push(self.loops.len() as u32);
                    let first = i as u32;
                    self.loops.push(LoopData { start: at, end, parent, depth, first, last, capped: false });
                } else {
                    self.loops[parent as usize].capped = true;
                }
            }
            self.loop_of.push(self.open.last().copied().unwrap_or(NO_LOOP));
        }
    }

    /// The outermost loop around a block that a value enters from outside. `enters` says of a loop whether the value's
    /// definition comes before it; `innermost` is the block's own loop.
    #[inline]
    pub fn loops_entered(&self, innermost: u32, mut enters: impl FnMut(&LoopData) -> bool) -> Option<&LoopData> {
        let mut l = innermost;
        let mut outermost = None;
        while l != NO_LOOP {
            let data = &self.loops[l as usize];
            if !enters(data) && !data.capped {
                break;
            }
            outermost = Some(data);
            l = data.parent;
        }
        outermost
    }

    /// The index of the block that a position belongs to.
    pub fn block_at(&self, position: u32) -> usize {
        self.start.partition_point(|&start| start <= position) - 1
    }

    /// Loop depth of the block at `index`.
    #[inline]
    pub fn depth(&self, index: usize) -> u32 {
        match self.loop_of[index] {
            NO_LOOP => 0,
            l => self.loops[l as usize].depth,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::tests::read;

    #[test]
    fn blocks_that_only_jump_back_do_not_stretch_their_loop() {
        let text = "module \"t\"\ns0 = export function @f\nfunction @f sig0 {\n  sig0 = (i64) -> (i64) = c (i64) -> i64\nb0(v0: i64):\n  \
            jump b1\nb1:\n  v1: i1 = icmp ult i64 v0, 9:i64\n  br v1, b2, b3\nb2:\n  v2: i1 = icmp ult i64 v0, 7:i64\n  br v2, b3, b5\nb3:\n  \
            v3: i64 = iadd v0, 1:i64\n  jump b4\nb4:\n  return v3\nb5:\n  jump b1\n}\n";
        let (_, functions) = read(text).unwrap_or_else(|e| panic!("{e}"));
        let mut cfg = Cfg::default();
        cfg.compute(&functions[0]);
        let order: Vec<usize> = cfg.order.iter().map(|b| b.index()).collect();
        assert_eq!(order, [0, 1, 2, 5, 3, 4]);
        assert_eq!((cfg.loops[0].first, cfg.loops[0].last), (1, 3));
    }
}
