//! x86: i386 and x86-64, two modes of one back end.

#[cfg(feature = "asm")]
pub mod asm;
mod constant;
#[cfg(feature = "asm")]
mod effects;
pub mod encode;
mod encode_int;
pub mod encode_ops;
mod encode_sse;
pub mod encode_vex;
pub mod encode_x87;
mod fold;
mod frame;
mod guard;
mod library;
mod machine_ops;
pub mod object;
mod operand;
pub mod reg;
mod registers;
mod reserve;
mod select;
mod select_atomic;
mod select_atomic_wide;
mod select_branch;
mod select_float;
mod select_int;
mod select_machine;
mod select_memory;
mod select_soft;
mod select_tls;
mod select_vector;
mod select_vector_compare;
mod select_vector_lane;
mod select_vector_shuffle;
mod select_wide;
mod select_wide_bits;
mod select_x87;
mod select_x87_memory;
mod target;
mod windows;
mod zero;

pub use target::{Features, Mode, X86};

#[cfg(test)]
mod encode_tests;
