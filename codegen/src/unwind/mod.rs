//! Exceptions and the unwinding of frames, for all three families of unwinders.
//!
//! `ir::exceptions` has the IR of exceptions, `ir::unwinding` its rules. Here is everything that is made of it: the
//! passes that prepare a function, the code of its pads and funclets, and the tables that unwinders and personality
//! routines read, as bytes of an object and as directives of assembly text.
//!
//! - `itanium`: landing pads (Itanium C++ ABI), the language-specific data area that says which calls lead to them, and frames as DWARF
//!   describes them (`.eh_frame`, `.debug_frame`). On Linux, and on Windows with MinGW, where only the frames are described otherwise.
//! - `ehabi`: frames as the exception handling ABI of 32-bit ARM describes them (`.ARM.exidx`); landing pads and their tables are those
//!   of `itanium`.
//! - `microsoft`: funclets, the states by which Microsoft's personality routines know how far a function has come,
//!   their tables, and frames as Windows describes them (`.pdata` and `.xdata`), also for MinGW.
//!
//! Prologues and epilogues become unwind tables in one way: `frame::ops` marks each step in the code (`CfiOp`), and
//! `eh_frame`, `seh` and `ehabi` translate the marks. In each family, start reading at the head of its `mod.rs`. For a
//! target's choice among them see `object::format` (`FunctionTables`, `IndexFacts`, `CoffFacts::has_dwarf_tables`).

pub(crate) mod ehabi;
pub(crate) mod itanium;
pub mod microsoft;
