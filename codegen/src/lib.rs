//! Gusset's IR, register allocation, frames and object writing.
#![deny(missing_docs)]

pub mod asm;
pub mod buffer;
mod cfi;
pub mod compiled;
pub mod entity;
pub mod ir;
pub mod object;
pub mod alloc;
pub mod analysis;
pub mod call;
pub mod compile;
pub mod frame;
pub mod target;

pub use call::CallTarget;
