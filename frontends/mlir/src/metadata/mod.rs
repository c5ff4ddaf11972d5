//! Metadata of a module that is translated: attributes of the dialect `llvm`, including debug information, as nodes of
//! LLVM's metadata.

mod debug;
pub(crate) mod debug_forms;
pub(crate) mod nodes;
