//! LLVM's debug information: from the metadata of a module to the nodes of [`DebugInfo`](gusset_codegen::debug::DebugInfo).
//!
//! A front end has metadata in some form, and gives the nodes by their numbers ([`DebugNodes`], in `nodes`). The
//! [`DebugInfoReader`] (`reader`) converts those that are asked for, with all that they refer to. `fields` reads the fields of a
//! node as numbers, strings and references, `forms` lists the fields of each kind of node, `names` knows DWARF's names of numbers.
//! `scopes`, `types`, `variables` and `expressions` make the nodes of the model. `uses` is where a module refers to the nodes.
//!
//! LLVM LangRef, "Specialized Metadata Nodes"; what is required and which numbers are possible is as in LLVM's `LLParser.cpp`.

mod compiled;
mod cycles;
mod expressions;
mod fields;
mod forms;
mod names;
mod nodes;
mod reader;
mod scopes;
mod spelling;
mod types;
mod uses;
mod variables;

pub use expressions::expression_of;
pub use nodes::{
    DebugField, DebugInfoError, DebugNodes, FieldValue, IN_PLACE, LexicalBlockFields, LocalVariableFields,
    LocationFields,
};
pub use reader::{DebugInfoNote, DebugInfoNotes, DebugInfoReader, DebugInfoWithLoss};
pub use spelling::{spelled, spelled_encoding, spelled_operation};
pub use uses::DebugInfoUses;
