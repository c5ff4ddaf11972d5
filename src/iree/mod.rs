//! IREE's function ABI: modules that its stock runtime loads, made of functions with C signatures, and the same functions for
//! programs that its compiler compiles.

mod compile;
mod dispatch;
mod library;
mod module;
mod plugin;
mod source;
mod table;
mod wrapper;

pub use compile::{IreeOptions, compile_iree, iree_wrapper};
pub use gusset_iree::*;
pub use library::embed;
pub use module::{CREATE, Hal, ModuleBuilder};
pub use wrapper::{Loader, Route, Wrapper};
