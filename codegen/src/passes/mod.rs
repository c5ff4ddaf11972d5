//! Passes over the IR.

mod compares;
mod legalize;
mod levels;
mod offsets;
mod pads;
mod promote;
mod thread;

pub use legalize::{LegalizeError, Legalizer};
pub use levels::Levels;
pub use offsets::fold_offsets;
pub use pads::split_pads;
pub use promote::Promote;
pub use thread::thread_jumps;

#[cfg(test)]
mod tests;
