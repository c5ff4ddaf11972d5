//! Passes over the IR.

mod offsets;
mod promote;

pub use offsets::fold_offsets;
pub use promote::Promote;
