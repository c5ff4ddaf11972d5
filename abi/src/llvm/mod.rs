//! How LLVM's back ends split values of LLVM types: `split` and `result` on x86, `legalize` on AArch64 and ARM. The
//! families' files `llvm.rs` give places to the parts.

pub(crate) mod legalize;
pub(crate) mod result;
pub(crate) mod split;
