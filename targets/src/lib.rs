//! Gusset's machine back ends, one cargo feature per architecture family.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod shared;
#[cfg(feature = "x86")]
pub mod x86;
