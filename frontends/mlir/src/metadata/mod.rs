//! Metadata of a module that is translated: attributes of the dialect `llvm`, including debug information, as nodes of
//! LLVM's metadata. The tables of nodes and properties are for both directions: the writer prints them.

mod debug;
pub(crate) mod debug_forms;
pub(crate) mod loops;
pub(crate) mod nodes;
