//! Gusset from the outside in: [targets](Target) by triple, [objects](ObjectBuilder) built by front ends from C signatures, and modules of
//! LLVM IR and MLIR, read and compiled on many threads.
//!
//! Front ends use the crate `gusset`, which shows what is here; what adds to modules that others read, as `gusset-iree` does, uses
//! this one.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

#[cfg(not(any(feature = "x86", feature = "aarch64", feature = "arm")))]
compile_error!("Gusset needs a target: enable the cargo feature `x86`, `aarch64` or `arm`");

mod archive;
mod backend;
mod block_list;
mod builder;
mod builder_options;
mod error;
#[cfg(feature = "mlir")]
mod header;
mod ir_text;
#[cfg(feature = "llvm")]
mod modules;
mod options;
mod output;
#[cfg(feature = "llvm")]
mod pipeline;
#[cfg(feature = "llvm")]
mod runtime;
mod target;
#[cfg(test)]
mod tests;
#[cfg(feature = "llvm")]
mod text;
#[cfg(feature = "llvm")]
mod translate;

pub use archive::{ArchiveMember, write_archive};
pub use block_list::BlockList;
pub use builder::{
    Body, BodyResult, Catch, Caught, Closure, ComdatGroup, Data, DebugFile, DebugFunction, DebugOptions, DebugType,
    DebugTypeRef, DebugTypes, DebugVariable, Func, Funclet, Global, Handler, Item, ObjectBuilder, OpenCall, SourceFile,
    SourceLanguage, Takes,
};
pub use builder_options::BuilderOptions;
pub use error::{BuildError, BuildErrorKind, BuildErrorPlace, Error, SourceLocation};
#[cfg(feature = "llvm")]
pub use gusset_bitcode::is_bitcode;
pub use gusset_codegen::dump::Stage;
pub use gusset_codegen::ir::{CodeModel, ComdatKind, DllStorage, FramePointer, Linkage, TlsModel, Visibility};
pub use gusset_codegen::level::OptimizationLevel;
pub use gusset_codegen::passes::{Pass, PassSet};
#[cfg(feature = "llvm")]
pub use gusset_llvm::Trampolines;
#[cfg(feature = "mlir")]
pub use gusset_mlir::target_triple as mlir_target_triple;
#[cfg(feature = "mlir")]
pub use gusset_mlir::{CWrappers, Note, dialect, is_mlir};
pub use gusset_targets::Features;
#[cfg(any(feature = "llvm", feature = "c"))]
pub use gusset_text::ReadError;
#[cfg(feature = "mlir")]
pub use header::mlir_header;
pub use ir_text::{compile_ir, image_ir, is_ir};
#[cfg(feature = "llvm")]
pub use modules::{
    Compilation, DebugInfoLoss, Progress, Source, Statistics, bitcode_modules, compile_llvm, target_triple,
};
#[cfg(feature = "mlir")]
pub use modules::{EmbeddedMlir, compile_mlir, mlir_c_notes};
#[cfg(feature = "mlir")]
pub use options::MlirOptions;
pub use options::{Emit, Options, Relocation};
#[cfg(feature = "llvm")]
pub use runtime::{RuntimeFile, runtime_library};
pub use target::{Target, TargetInfo, host_triple, targets};
#[cfg(feature = "llvm")]
pub use text::{FunctionSignature, TextForm, compile_text, function_signature};
#[cfg(feature = "mlir")]
pub use translate::translate_mlir;
#[cfg(feature = "llvm")]
pub use translate::{Form, TranslateOptions, Translation, translate};
