//! Passes over the IR.

mod compares;
mod legalize;
mod levels;
mod offsets;
mod pads;
mod promote;
mod protect;
mod records;
mod thread;

pub use legalize::{LegalizeError, Legalizer};
pub use levels::Levels;
pub use offsets::fold_offsets;
pub use pads::split_pads;
pub use promote::Promote;
pub(crate) use protect::is_exit;
pub use protect::protect;
pub use records::Records;
pub use thread::thread_jumps;

#[cfg(test)]
mod tests;
