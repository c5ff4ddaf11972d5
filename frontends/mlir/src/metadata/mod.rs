//! Metadata of a module: attributes of the dialect `llvm` as nodes of LLVM's metadata, for translation, and those of debug
//! information for code, too. The tables of nodes and properties are for both directions: the writer prints them.

pub(crate) mod debug;
pub(crate) mod debug_forms;
pub(crate) mod debug_values;
pub(crate) mod loops;
pub(crate) mod nodes;
