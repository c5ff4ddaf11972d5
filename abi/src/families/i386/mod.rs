//! 32-bit x86: System V, the BSDs, Apple's systems, MinGW, Windows.

pub(crate) mod argblock;
pub(crate) mod call;
pub(crate) mod clang;
pub(crate) mod llvm;
pub(crate) mod rules;
pub(crate) mod sysv;
pub(crate) mod vectorcall;
pub(crate) mod windows;
