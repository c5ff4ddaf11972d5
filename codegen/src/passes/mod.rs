//! Passes over the IR.

mod offsets;
mod promote;
mod thread;

pub use offsets::fold_offsets;
pub use promote::Promote;
pub use thread::thread_jumps;
