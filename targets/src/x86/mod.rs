//! x86: i386 and x86-64, two modes of one back end.

#[cfg(feature = "asm")]
pub mod asm;
mod backend;
pub mod code;
mod decode;
pub mod encode;
mod frame;
mod guard;
mod harden;
mod library;
mod machine;
mod nonlocal;
pub mod object;
mod processors;
pub mod reg;
mod registers;
pub mod reloc;
mod reserve;
mod select;
mod split;
mod target;
mod windows;
mod x87;
mod zero;

pub use backend::BACKEND;
pub use machine::{Features, Mode, X86};
