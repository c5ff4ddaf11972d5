//! Stack memory of regions.

use gusset_program::Val;

/// The stack memory of a region.
#[derive(Clone, Copy, Default)]
pub(crate) struct OnStack {
    /// The region has a single end, and is not a function's.
    pub ends: bool,
    /// What `memref.alloca` allocates in the region is released at its end.
    pub scope: bool,
    /// The stack pointer before the first allocation.
    pub top: Option<Val>,
    /// The region contains something that lives until the function returns, or pointers to its descriptors have
    /// escaped.
    pub stays: bool,
    /// The region contains descriptors, which are not needed after it.
    pub described: bool,
    /// The region contains something that a surrounding scope releases.
    pub allocated: bool,
    /// The parts of values that the region defines have numbers from this one on.
    pub first: u32,
}
