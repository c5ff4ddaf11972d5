//! How LLVM's back ends take values of LLVM types apart: `split` and `result` on x86, `legalize` on AArch64 and ARM. What becomes
//! of the parts is in the families' files `llvm.rs`.

pub(crate) mod legalize;
pub(crate) mod result;
pub(crate) mod split;
