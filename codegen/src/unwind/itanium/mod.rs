//! Landing pads of the Itanium C++ ABI, and DWARF's description of frames.
//!
//! In the order of a function's life: `split_pads` gives every call that may throw a pad of its own; `landing_pad`
//! marks such calls in the code and emits the start of pads; `lsda` makes the language-specific data area from the
//! marks; `object` writes it as bytes and `asm` as directives; `eh_frame` writes the descriptions of frames.

mod asm;
pub(crate) mod eh_frame;
pub(crate) mod landing_pad;
pub(crate) mod lsda;
mod object;
pub(crate) mod parts;
pub(crate) mod split_pads;
