//! Reader of MLIR text for Gusset, as tools of MLIR 15 to 22 print it: the dialect `llvm`, and the upper dialects, which are converted
//! while they are read.
//!
//! [`read_module`] walks over a file once and reads everything except the function bodies: types, symbols, data,
//! attributes. Each body is then read by a [`BodyReader`] straight into a [`gusset_codegen::ir::Function`]; several
//! threads may do so at once, each with a reader of its own. `syntax` reads one operation at a time, in either form;
//! its conversion is then handed to [`gusset_lower`]. No tree of a whole body is built.
//!
//! No input makes the reader panic: whatever is wrong or not converted is a [`ReadError`] with its position.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod context;
mod convert;
pub mod dialect;
mod import;
mod metadata;
mod module;
mod opaque;
mod recovery;
mod syntax;
mod writer;

pub use context::{Body, ParsedModule};
pub use convert::BodyReader;
pub use gusset_text::{Note, ReadError};
pub use import::{BodyImporter, ImportedModule, import_module};
pub use module::choices::{CWrappers, Choices};
pub use module::declarations::{Declaration, DeclaredValue, c_signature_notes, declarations};
pub use module::declared_attribute::{Attribute, AttributeValue};
pub use module::{is_bytecode, is_mlir, read_module, read_printed_module, target_triple};
pub use opaque::partial::write_in_part;
pub use recovery::{all_errors, all_translation_errors};
pub use writer::Writer;
