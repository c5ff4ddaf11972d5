//! AArch64: A64 code for the Arm 64-bit architecture.

#[cfg(feature = "asm")]
pub mod asm;
mod backend;
mod effects;
pub mod encode;
mod frame;
mod machine;
pub mod object;
mod pairs;
mod processors;
pub mod reg;
mod registers;
pub mod reloc;
mod select;
mod target;

pub use backend::BACKEND;
pub use machine::{Aarch64, Features};
