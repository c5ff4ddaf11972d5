//! AArch64: AAPCS64, Apple's systems, Windows.

pub(crate) mod aapcs64;
pub(crate) mod clang;
pub(crate) mod common;
pub(crate) mod llvm;
