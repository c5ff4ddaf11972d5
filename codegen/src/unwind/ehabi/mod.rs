//! Unwind tables of the exception handling ABI for 32-bit ARM: `.ARM.exidx` and `.ARM.extab`, as bytes (`object`) and directives (`asm`).
//!
//! Landing pads and the table of them are those of `itanium`.

mod asm;
mod object;
