//! Which blocks use what other blocks define, as readers of bodies collect it for the check of dominance.

use gusset_codegen::ir::{Block, Edge};

use crate::sink::Sink;
use crate::value::ENTRY;

/// Uses of locals across blocks. `L` is how the reader names locals.
pub struct LocalUses<L> {
    /// Pairs of a block that defines something and a block that uses it.
    pub far: Vec<(Block, Block)>,
    /// Uses of locals that are defined later, with the blocks of the uses.
    pub early: Vec<(L, Block)>,
    /// Locals that are defined only by themselves, with their blocks and the reader's places: a phi of one value, which is the phi.
    pub own_values: Vec<(L, Block, usize)>,
}

impl<L> Default for LocalUses<L> {
    fn default() -> LocalUses<L> {
        LocalUses { far: Vec::new(), early: Vec::new(), own_values: Vec::new() }
    }
}

impl<L: Copy> LocalUses<L> {
    /// Removes all uses.
    pub fn clear(&mut self) {
        self.far.clear();
        self.early.clear();
        self.own_values.clear();
    }

    /// Records that block `user` uses something that block `home` defines.
    #[inline]
    pub fn far_pair(&mut self, home: Block, user: Block) {
        if self.far.last() != Some(&(home, user)) {
            self.far.push((home, user));
        }
    }

    /// At the end of the body: records the users of locals that were used first. Returns whether one of them is in the block of the
    /// definition.
    pub fn meet_early(&mut self, mut home: impl FnMut(L) -> Block) -> bool {
        let mut within = false;
        for (r, user) in std::mem::take(&mut self.early) {
            let home = home(r);
            within |= home == user;
            if home != user && home != ENTRY {
                self.far_pair(home, user);
            }
        }
        within
    }

    /// A value in reachable code that is defined only by itself.
    pub fn reachable_own_value(&self, l: &impl Sink) -> Option<(L, usize)> {
        if self.own_values.is_empty() {
            return None;
        }
        let mut next: Vec<Vec<Block>> = vec![Vec::new(); l.block_count()];
        for (e, to) in l.edge_targets().enumerate() {
            next[l.edge_from(Edge::new(e)).index()].push(to);
        }
        let mut reached = vec![false; next.len()];
        let mut open = vec![ENTRY];
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut reached[block.index()], true) {
                open.extend(&next[block.index()]);
            }
        }
        self.own_values.iter().find(|own| reached[own.1.index()]).map(|own| (own.0, own.2))
    }
}
