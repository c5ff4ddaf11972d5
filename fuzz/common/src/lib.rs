//! What Gusset's fuzz targets and its smoke tests of them share.
//!
//! - [`generate`]: random modules of IR, made from bytes, which are valid and always do the same.
//! - [`case`]: what is checked about a module: its text form, register allocation, and that machine code does what the
//!   interpreter of the IR does.
//! - [`source`]: choices from bytes, bytes from seeds.
//! - [`supervise`]: checks in child processes. [`minimize`]: smaller modules that fail alike.
//! - [`builder`]: the library's builder called in random order.
//! - [`text`]: damaged LLVM IR and damaged texts of the IR, for their readers.
//! - [`image`], [`enter`]: machine code in memory, and the way into it.

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
compile_error!("the generated code is x86-64 and follows the System V ABI");

pub mod builder;
pub mod case;
pub mod enter;
pub mod generate;
pub mod image;
pub mod minimize;
pub mod source;
pub mod supervise;
pub mod text;
