//! Reader of MLIR text for Gusset, as tools of MLIR 15 to 22 print it: the dialect `llvm`, and the upper dialects, which are converted
//! while they are read.
//!
//! [`read_module`] walks over a file once and takes everything but the function bodies: types, symbols, data, attributes.
//! Each body is then read by a [`BodyReader`] straight into a [`gusset_codegen::ir::Function`]; several threads may do so
//! at once, each with a reader of its own. `syntax` reads one operation at a time, in either form; what it becomes is then told to
//! [`gusset_lower`]. There is no tree of a whole body in between.
//!
//! Nothing in the input makes the reader panic: what is wrong or not converted is a [`ReadError`] that names the place.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod advice;
mod affine;
mod aliases;
mod attribute;
mod attrs;
mod block_tags;
mod body;
mod carried;
mod conversion;
mod debug;
mod debug_forms;
mod declarations;
mod dense;
mod describe;
mod descriptor;
pub mod dialect;
mod dialects;
mod extent;
mod float8;
mod foreign_type;
mod globals;
mod header;
mod header_checks;
mod interface;
mod kept;
mod layout;
mod mentions;
mod module;
mod module_lists;
mod notes;
mod op_kind;
mod operations;
mod partial;
mod quoted;
mod reader;
mod said;
mod survey;
mod syntax;
mod tables;
mod texts;
mod types;
mod walk;
mod wrappers;
mod writer;

pub use attribute::{Attribute, AttributeValue};
pub use body::BodyReader;
pub use declarations::{Declaration, DeclaredValue, c_signature_notes, declarations};
pub use describe::{BodyCarrier, Described, describe};
pub use gusset_text::{Note, ReadError};
pub use module::{
    CWrappers, Choices, ParsedModule, is_bytecode, is_mlir, read_module, read_printed_module, target_triple,
};
pub use partial::write_in_part;
pub use survey::{all_errors, all_translation_errors};
pub use tables::Body;
pub use writer::Writer;
