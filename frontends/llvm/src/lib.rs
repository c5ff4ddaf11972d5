//! Reader of textual LLVM IR for Gusset: LLVM 3.7 to 22, with typed pointers or without.
//!
//! [`read_module`] walks over a file once and takes everything but the function bodies: types, symbols, data, attributes.
//! Each body is then read by a [`BodyReader`] straight into a [`gusset_codegen::ir::Function`]; several threads may do so
//! at once, each with a reader of its own. There is no syntax tree and no token list in between.
//!
//! No input makes the reader panic: whatever is wrong or not supported is a [`ReadError`] with its position.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod attribute_list;
mod attributes;
mod body;
mod debug_nodes;
mod errors;
mod floats;
mod lexer;
mod module;
mod printed_nodes;
mod tables;
mod types;
mod words;
mod writer;

pub use attributes::is_function_attribute;
pub use body::BodyReader;
pub use errors::all_translation_errors;
pub use gusset_lower::{Choices, Trampolines};
pub use gusset_program::convention;
pub use gusset_text::ReadError;
pub use module::{BodyImporter, ImportedModule, import_module, read_module, read_module_with, target_triple};
pub use tables::{Body, ParsedModule};
pub use writer::Writer;
