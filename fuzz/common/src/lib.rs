//! What Gusset's fuzz targets and its smoke tests of them share.
//!
//! - [`generate`]: random modules of IR, made from bytes, which are valid and always do the same.
//! - [`interp`]: an interpreter of the IR, which says what functions mean.
//! - [`case`]: what is checked about a module: its text form, register allocation, and that machine code does what the
//!   interpreter of the IR does.
//! - [`source`]: choices from bytes, bytes from seeds.
//! - [`supervise`]: checks in child processes. [`minimize`]: smaller modules that fail alike.
//! - [`builder`]: the library's builder called in random order.
//! - [`text`]: damaged LLVM IR and damaged texts of the IR, for their readers.
//! - [`platform`]: the platforms that modules are made for. [`place`]: objects in memory. [`runner`]: the processes that run them.

pub mod builder;
pub mod case;
pub mod generate;
pub mod interp;
pub mod minimize;
pub mod place;
pub mod platform;
pub mod runner;
pub mod source;
pub mod supervise;
pub mod text;
