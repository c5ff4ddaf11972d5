//! Reader of textual LLVM IR for Gusset.
#![deny(missing_docs)]
#![forbid(unsafe_code)]
