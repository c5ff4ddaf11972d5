//! x86-64.

#[cfg(feature = "asm")]
pub mod asm;
pub mod encode;
mod encode_int;
pub mod encode_ops;
mod encode_sse;
pub mod encode_vex;
pub mod encode_x87;
pub mod object;
pub mod reg;

#[cfg(test)]
mod encode_tests;
