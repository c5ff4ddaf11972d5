//! Passes over the IR.

mod legalize;
mod odd;
mod offsets;
mod promote;
mod scalarize;
mod thread;

pub use legalize::{LegalizeError, Legalizer};
pub use odd::widen_odd_integers;
pub use offsets::fold_offsets;
pub use promote::Promote;
pub use scalarize::scalarize;
pub use thread::thread_jumps;
