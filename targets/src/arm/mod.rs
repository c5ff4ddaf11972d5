//! ARM with 32 bits: A32 and T32 code.

pub mod encode;
pub mod reg;
pub mod reloc;
