//! ARM with 32 bits: A32 and T32 code.

#[cfg(feature = "asm")]
pub mod asm;
pub mod encode;
pub mod reg;
pub mod reloc;
