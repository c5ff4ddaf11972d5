//! Passes over the IR.

mod promote;

pub use promote::Promote;
