//! How LLVM's back ends split values of LLVM types (`legalize`, with x86's registers in `x86`), and where results are on
//! x86 (`result`). The families' files `llvm.rs` give places to the parts.

pub(crate) mod legalize;
pub(crate) mod result;
pub(crate) mod x86;
