//! IREE's function ABI: modules that its stock runtime loads, made of functions with C signatures.

mod module;
// What makes the modules is not here yet.
#[allow(dead_code)]
mod compile;
#[allow(dead_code)]
mod source;

pub use gusset_iree::*;
pub use module::{CREATE, Hal, ModuleBuilder};
