//! Blocks that are placed together.

/// Which blocks of a function share sections. Blocks have the numbers that the map of blocks gives them (`block_map`).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BlockClusters {
    /// The blocks of each section in their order; those that are in none go to a section for code that seldom runs. Without any cluster every
    /// block has a section of its own.
    pub clusters: Vec<Vec<u32>>,
}
