//! Finds the funclets that each block of a function belongs to (LLVM's "colors").

use crate::ir::{Block, Function, InstData, Opcode, Pad};

/// The number of no colour.
const NONE: u32 = u32::MAX;

/// For each block its colours: 0 is the function itself, others are the numbers of pads plus one.
pub(super) struct Colours {
    /// The first colour that was found; `NONE` for unreachable blocks.
    first: Vec<u32>,
    /// Further ones, sorted.
    others: Vec<(Block, u32)>,
}

impl Colours {
    /// Follows control from the entry on.
    pub fn of(f: &Function) -> Colours {
        let mut found = Colours { first: vec![NONE; f.blocks.len()], others: Vec::new() };
        let Some(&entry) = f.layout.first() else { return found };
        let mut more = std::collections::HashSet::new();
        let mut list = vec![(entry, 0)];
        found.first[entry.index()] = 0;
        while let Some((b, colour)) = list.pop() {
            let d = *f.inst(f.terminator(b));
            f.for_each_edge(&d, |e| {
                let to = f.edge_to(e);
                let next = found.colour_after(f, &d, to, colour);
                let first = &mut found.first[to.index()];
                let new = if *first == NONE {
                    *first = next;
                    true
                } else {
                    *first != next && more.insert((to, next))
                };
                if new {
                    list.push((to, next));
                }
            });
        }
        found.others = more.into_iter().collect();
        found.others.sort_unstable();
        found
    }

    /// The colour of a funclet; `None`: the function itself.
    pub fn number(&self, funclet: Option<Pad>) -> u32 {
        funclet.map_or(0, |p| p.0 + 1)
    }

    /// The colour of the next block, when control leaves a block of colour `colour` that ends in this terminator.
    pub fn colour_after(&self, f: &Function, last: &InstData, to: Block, colour: u32) -> u32 {
        let all = &f.exceptions;
        match (f.pad(to), last.op) {
            (Some(pad), _) => self.number(all.funclet_of(pad)),
            (None, Opcode::CatchRet) => self.number(all.funclet_around(Pad(last.a))),
            _ => colour,
        }
    }

    /// Does control come to the block?
    pub fn is_reached(&self, b: Block) -> bool {
        self.first[b.index()] != NONE
    }

    /// The first colour that was found.
    pub fn first(&self, b: Block) -> u32 {
        self.first[b.index()]
    }

    /// Has the block several colours?
    pub fn is_shared(&self, b: Block) -> bool {
        let k = self.others.partition_point(|o| o.0 < b);
        self.others.get(k).is_some_and(|o| o.0 == b)
    }

    /// Pairs of a block and a further colour of it, sorted.
    pub fn others(&self) -> &[(Block, u32)] {
        &self.others
    }

    /// All colours of a block.
    pub fn all(&self, b: Block) -> impl Iterator<Item = u32> + '_ {
        let k = self.others.partition_point(|o| o.0 < b);
        let others = self.others[k..].iter().take_while(move |o| o.0 == b);
        std::iter::once(self.first(b)).chain(others.map(|o| o.1))
    }

    /// For each block its colour; `u32::MAX` if it has several or none.
    pub fn of_blocks(&self) -> Vec<u32> {
        let mut all = self.first.clone();
        self.others.iter().for_each(|&(b, _)| all[b.index()] = NONE);
        all
    }

    /// The funclets that open argument blocks or areas on their own stacks, sorted.
    pub fn with_areas(&self, f: &Function) -> Vec<u32> {
        let opens =
            |b: &Block| f.block_insts(*b).any(|i| matches!(f.inst(i).op, Opcode::BlockOpen | Opcode::StackAlloc));
        let blocks = f.layout.iter().copied().filter(opens);
        let mut found: Vec<u32> = blocks.flat_map(|b| self.all(b)).filter(|&colour| colour != 0).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Is what `outer` computes in the frame before code of colour `inner` runs, because `outer` is the same funclet or
    /// one around it?
    pub fn is_within(&self, f: &Function, mut inner: u32, outer: u32) -> bool {
        while inner != outer {
            let Some(pad) = inner.checked_sub(1) else { return false };
            inner = self.number(f.exceptions.funclet_around(Pad(pad)));
        }
        true
    }
}
