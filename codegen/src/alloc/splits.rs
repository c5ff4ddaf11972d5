//! Homes that differ from block to block: a value has a register in some blocks, and is in another one or in its place in the others.

use crate::machine::PReg;

/// The home of a unit in one block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockHome {
    /// The unit.
    pub unit: u32,
    /// The register; `None` for the unit's place.
    pub home: Option<PReg>,
    /// The unit is live at the block's start, and no parameter of the block.
    pub enters: bool,
}

/// The homes of units whose live ranges are split, for each block in which they are needed.
#[derive(Default)]
pub struct Splits {
    /// For each index of the order, where its part of the list begins; empty if nothing is split.
    starts: Vec<u32>,
    /// Sorted by units within a block.
    list: Vec<BlockHome>,
    /// What was added, with the indices of blocks.
    added: Vec<(u32, BlockHome)>,
}

impl Splits {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.list.clear();
        self.added.clear();
    }

    /// Is nothing split?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Adds the home of a unit in the block at an index.
    pub fn add(&mut self, index: u32, home: BlockHome) {
        self.added.push((index, home));
    }

    /// Sorts what was added, for a function of so many blocks.
    pub fn finish(&mut self, blocks: usize) {
        if self.added.is_empty() {
            return;
        }
        self.added.sort_unstable_by_key(|(index, home)| (*index, home.unit));
        self.list.extend(self.added.iter().map(|added| added.1));
        let mut next = 0;
        for index in 0..=blocks as u32 {
            next += self.added[next..].iter().take_while(|added| added.0 < index).count();
            self.starts.push(next as u32);
        }
    }

    /// What is split and needed in the block at an index.
    #[inline]
    pub fn at(&self, index: usize) -> &[BlockHome] {
        if self.starts.is_empty() {
            return &[];
        }
        &self.list[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// The home that a unit whose range is split has in the block at an index.
    pub fn home(&self, index: usize, unit: u32) -> Option<PReg> {
        let all = self.at(index);
        all.binary_search_by_key(&unit, |home| home.unit).ok().and_then(|k| all[k].home)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_are_found_by_block_and_unit() {
        let mut splits = Splits::default();
        assert!(splits.at(3).is_empty());
        let home = |unit, register: Option<u8>| BlockHome { unit, home: register.map(PReg), enters: true };
        splits.add(2, home(7, Some(3)));
        splits.add(0, home(9, None));
        splits.add(2, home(1, Some(5)));
        splits.finish(4);
        assert!(!splits.is_empty());
        assert_eq!(splits.at(2), [home(1, Some(5)), home(7, Some(3))]);
        assert_eq!((splits.at(1).len(), splits.at(3).len()), (0, 0));
        assert_eq!(splits.home(2, 7), Some(PReg(3)));
        assert_eq!((splits.home(2, 8), splits.home(0, 9)), (None, None));
    }
}
