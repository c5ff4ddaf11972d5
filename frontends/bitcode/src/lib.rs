//! Reader of LLVM bitcode for Gusset.
//!
//! [`read_module`] walks over the blocks of a file and takes everything but the functions' bodies: types, symbols, data, attributes.
//! Each body is then read by a [`BodyReader`] straight into a [`gusset_codegen::ir::Function`]; several threads may do so at once, each
//! with a reader of its own. A module's object is the same as from the text that `llvm-dis` makes of the file.
//!
//! No input makes the reader panic: whatever is wrong or not supported is a [`ReadError`] with its offset in bits and its block.
//!
//! LLVM, "LLVM Bitcode File Format"; `LLVMBitCodes.h` has the numbers, `BitcodeWriter.cpp` the fields.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod attributes;
mod bits;
mod body;
mod codes;
mod constants;
mod container;
mod debug_nodes;
mod debug_tables;
mod errors;
mod expressions;
mod fields;
mod metadata;
mod module;
mod names;
mod objects;
mod old;
mod old_debug;
mod old_types;
mod tables;
mod types;

pub use body::BodyReader;
pub use container::{is_bitcode, modules};
pub use errors::all_translation_errors;
pub use gusset_lower::{Choices, Trampolines};
pub use gusset_text::ReadError;
pub use module::compile::read_module;
pub use module::import::{BodyImporter, ImportedModule, import_module};
pub use module::target_triple;
pub use tables::{Body, ParsedModule};
