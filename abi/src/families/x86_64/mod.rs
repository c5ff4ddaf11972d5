//! x86-64: System V, Windows x64 and `__vectorcall`.

pub(crate) mod clang;
pub(crate) mod clang_windows;
pub(crate) mod classes;
pub(crate) mod common;
pub(crate) mod llvm;
pub(crate) mod llvm_windows;
pub(crate) mod positions;
pub(crate) mod sysv;
pub(crate) mod windows;
