//! What selection needs on every architecture; it knows none of them.

// A build with one family leaves out some of the users.
#![cfg_attr(not(all(feature = "aarch64", feature = "x86")), allow(dead_code, unused_imports, unused_macros))]

pub(crate) mod arm;
pub(crate) mod block;
pub(crate) mod conditions;
pub(crate) mod constants;
pub(crate) use gusset_codegen::divide;
pub(crate) mod lanes;
pub(crate) mod library;
mod node;
pub(crate) mod registers;
pub(crate) mod results;
pub(crate) mod shuffle;
pub(crate) mod switch;
pub(crate) mod tls;
pub(crate) mod windows;

pub(crate) use node::Node;
