//! What the merging of ends has to know of code.

use super::super::label::Label;

/// What is noted of the code whose ends are merged.
#[derive(Default)]
pub(crate) struct Tails {
    /// Ends are merged.
    pub are_merged: bool,
    /// Only the size counts.
    pub for_size: bool,
    /// Offsets after which control does not go on, sorted.
    pub(super) leaves: Vec<u32>,
    /// Where blocks begin, and how often they run for one run of the function.
    pub(super) blocks: Vec<(u32, f32)>,
    /// Labels whose places have addresses that the program knows.
    pub(super) pinned: Vec<Label>,
}

impl Tails {
    pub(crate) fn clear(&mut self) {
        (self.are_merged, self.for_size) = (false, false);
        self.leaves.clear();
        self.blocks.clear();
        self.pinned.clear();
    }

    /// How often the code before an offset runs.
    pub(super) fn frequency(&self, end: u32) -> f32 {
        let after = self.blocks.partition_point(|block| block.0 < end);
        after.checked_sub(1).map_or(1.0, |at| self.blocks[at].1)
    }
}
