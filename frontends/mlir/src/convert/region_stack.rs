//! What regions have on the stack.

use gusset_program::Val;

/// What a region has on the stack.
#[derive(Clone, Copy, Default)]
pub(crate) struct OnStack {
    /// This is a region that ends in one place, and no function's.
    pub ends: bool,
    /// What `memref.alloca` allocates in the region is released where the region ends.
    pub scope: bool,
    /// Where the stack ended before the first of it.
    pub top: Option<Val>,
    /// Something is there that lives until the function returns, or others know of descriptors there.
    pub stays: bool,
    /// Descriptors are there, which nobody needs behind the region.
    pub described: bool,
    /// Something is there that a scope around the region releases.
    pub allocated: bool,
    /// Parts of values that the region defines are behind this.
    pub first: u32,
}
