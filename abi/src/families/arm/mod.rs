//! 32-bit ARM: AAPCS32 and its VFP variant, on ELF systems and Windows.

pub(crate) mod aapcs32;
pub(crate) mod clang;
pub(crate) mod llvm;
