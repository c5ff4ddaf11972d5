//! Functions whose basic blocks are in several sections (LLVM, "`-fbasic-block-sections`").

use crate::analysis::Cfg;
use crate::ir::{BlockClusters, Function, Module};

/// A section of a function's code. They follow each other in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BlockSection {
    /// That of the function itself, with its first block.
    Own,
    /// One of a cluster, or of one block, with its number.
    Part(u32),
    /// That of landing pads, if they would be in several sections: the tables of calls count from one place.
    Pads,
    /// That of blocks that no cluster has.
    Cold,
}

/// The section of a block, and its place among the section's blocks.
pub(crate) type BlockSpot = (BlockSection, u32);

/// Where the blocks of a function go.
#[derive(Default)]
pub(crate) struct BlockLayout {
    /// By the index of a block in the order of emission; empty: all follow each other.
    spots: Vec<BlockSpot>,
    /// By the same, the index of the block that follows in the section.
    next: Vec<u32>,
}

/// The index of no block.
pub(crate) const NO_BLOCK: u32 = u32::MAX;

impl BlockLayout {
    /// Finds the layout of a function; `false` if its blocks follow each other.
    pub fn find(&mut self, module: &Module, f: &Function, cfg: &Cfg) -> bool {
        self.spots.clear();
        let apart = BlockClusters::default();
        let clusters = match module.block_clusters(f.symbol) {
            Some(clusters) => clusters,
            None if module.block_sections => &apart,
            None => return false,
        };
        let count = cfg.order.len() as u32;
        if clusters.clusters.is_empty() {
            self.spots.extend((0..count).map(|index| (BlockSection::Part(index), 0)));
            self.spots[0].0 = BlockSection::Own;
        } else {
            self.gather(clusters, f, cfg);
        }
        let mut sorted: Vec<u32> = (0..count).collect();
        sorted.sort_by_key(|&index| self.spots[index as usize]);
        self.next.clear();
        self.next.resize(count as usize, NO_BLOCK);
        for pair in sorted.windows(2) {
            if self.spots[pair[0] as usize].0 == self.spots[pair[1] as usize].0 {
                self.next[pair[0] as usize] = pair[1];
            }
        }
        true
    }

    /// Gives blocks the sections of their clusters.
    fn gather(&mut self, clusters: &BlockClusters, f: &Function, cfg: &Cfg) {
        let count = cfg.order.len() as u32;
        self.spots.extend((0..count).map(|index| (BlockSection::Cold, index)));
        for (number, blocks) in clusters.clusters.iter().enumerate() {
            for (place, &index) in blocks.iter().enumerate().filter(|(_, index)| **index < count) {
                self.spots[index as usize] = (BlockSection::Part(number as u32), place as u32 + 1);
            }
        }
        let is_pad = |index: u32| f.is_pad(cfg.order[index as usize]);
        let mut pads = (0..count).filter(|&index| is_pad(index));
        if let Some(first) = pads.next().map(|index| self.spots[index as usize].0)
            && pads.any(|index| self.spots[index as usize].0 != first)
        {
            for index in (0..count).filter(|&index| is_pad(index)) {
                self.spots[index as usize] = (BlockSection::Pads, index);
            }
        }
        // Where the function begins, its section is.
        let entry = self.spots[0].0;
        for spot in self.spots.iter_mut().filter(|spot| spot.0 == entry) {
            spot.0 = BlockSection::Own;
        }
        self.spots[0].1 = 0;
    }

    /// Where the block at an index goes, if it does not follow the one before it.
    pub fn apart(&self, index: usize) -> Option<BlockSpot> {
        (index > 0 && self.next[index - 1] != index as u32).then(|| self.spots[index])
    }

    /// The index of the block that the code of the one at `index` falls through to.
    pub fn falls_to(&self, index: u32) -> u32 {
        if self.next[index as usize] == index + 1 { index + 1 } else { NO_BLOCK }
    }

    /// The index of the block that follows in the section.
    pub fn follows(&self, index: u32) -> u32 {
        self.next[index as usize]
    }
}
