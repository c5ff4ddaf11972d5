//! IREE's function ABI: modules that its stock runtime loads, made of functions with C signatures.

mod compile;
mod module;
mod source;

pub use compile::{IreeOptions, compile_iree};
pub use gusset_iree::*;
pub use module::{CREATE, Hal, ModuleBuilder};
