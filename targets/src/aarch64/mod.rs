//! AArch64: A64 code for the Arm 64-bit architecture.

pub mod encode;
pub mod reg;
pub mod reloc;
