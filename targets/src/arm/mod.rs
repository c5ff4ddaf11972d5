//! ARM with 32 bits: A32 and T32 code.

#[cfg(feature = "asm")]
pub mod asm;
mod attributes;
mod backend;
mod effects;
pub mod encode;
mod frame;
mod machine;
mod nonlocal;
pub mod object;
mod processors;
pub mod reg;
mod registers;
pub mod reloc;
mod select;
mod split;
mod sums;
mod target;

pub use backend::BACKEND;
pub use machine::{Arm, Features};
