//! Conversion of operations: a function's body becomes code, or LLVM's program if the module is translated.

pub(crate) mod advice;
mod attrs;
pub(crate) mod block_tags;
pub(crate) mod body;
pub(crate) mod build;
pub(crate) mod casts;
mod debug;
mod debug_scratch;
mod dense;
pub(crate) mod dialects;
mod foreign;
pub(crate) mod interface;
mod operations;
pub(crate) mod reader;
mod region_stack;
mod wrappers;

pub use body::BodyReader;
