//! Gusset's IR, register allocation, frames and object writing.
#![deny(missing_docs)]

pub mod buffer;
pub mod compiled;
pub mod entity;
pub mod ir;
