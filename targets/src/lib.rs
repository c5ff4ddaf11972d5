//! Gusset's machine back ends, one cargo feature per architecture family.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

#[cfg(feature = "aarch64")]
pub mod aarch64;
#[cfg(feature = "arm")]
pub mod arm;
mod shared;
#[cfg(feature = "x86")]
pub mod x86;
