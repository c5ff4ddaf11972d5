//! Gusset: a cross-target code generator that gets every call right.
//!
//! There are two ways in. A front end of one's own declares and defines functions with **C signatures** through an
//! [`ObjectBuilder`] and gets an object file whose calls agree with those of C compilers to the bit. A program that has
//! LLVM IR as text hands it to `compile_llvm` (cargo feature `llvm`).
//!
//! ```
//! use gusset::abi::{CType, Signature};
//! use gusset::ir::Opcode;
//! use gusset::{BuilderOptions, Features, Linkage, ObjectBuilder, Target};
//!
//! # fn main() -> Result<(), gusset::Error> {
//! let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
//! let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
//! // C's `double dot(struct Point a, struct Point b)`.
//! let point = CType::structure([CType::F64, CType::F64]);
//! let signature = Signature::c(CType::F64).param(point.clone()).param(point);
//! let dot = object.declare("dot", signature, Linkage::Export)?;
//! object.define(dot, |b| {
//!     let (p, q) = (b.param(0), b.param(1)); // An aggregate parameter is its address.
//!     let mut product = |offset| {
//!         let (x, y) = (b.load(gusset::ir::Type::F64, p, offset), b.load(gusset::ir::Type::F64, q, offset));
//!         b.binary(Opcode::Fmul, x, y)
//!     };
//!     let (x, y) = (product(0), product(8));
//!     let sum = b.binary(Opcode::Fadd, x, y);
//!     b.ret(Some(sum));
//! })?;
//! let bytes = object.finish()?;
//! # assert_eq!(&bytes[..4], b"\x7fELF");
//! # Ok(())
//! # }
//! ```
//!
//! # What is shown of the layers below
//!
//! All that the signatures of this crate name can be had from it. Of the layers below, these are shown on purpose:
//!
//! | item | layer | why |
//! |---|---|---|
//! | [`abi`] | `gusset-abi`, whole | C types, signatures, conventions and layouts are data that front ends make and ask for |
//! | [`ir`] | the IR of `gusset-codegen` | a [`Body`] takes and gives its `Type`, `Value`, `Block`, `Opcode` and conditions |
//! | [`CodeModel`], [`ComdatKind`], [`DllStorage`], [`Linkage`], [`TlsModel`], [`Visibility`], [`Stage`] | `gusset-codegen` | what options and declarations choose from |
//! | [`ObjectError`], [`SparseBytes`], [`OutOfMemory`] | `gusset-codegen` | why an object cannot be written; what a large file is held in |
//! | [`Features`] | `gusset-targets` | processors and features of a [`Target`] |
//! | `ReadError`, `Note`, `Trampolines` | the readers (feature `llvm`) | errors with their place in the text |
//! | `CWrappers`, `dialect` | the reader of MLIR (feature `mlir`) | options, and conversions for dialects of others |
//! | `explorer` | `gusset-explorer`, whole (feature `explorer`) | how functions are called, as a table, a picture and JSON |
//! | `Memory`, `memory` | `gusset-memory`, whole (feature `memory`) | code in memory |
//! | `iree` | `gusset-iree`, whole (feature `iree`) | modules for IREE's runtime |
//!
//! Enumerations that will get values are `#[non_exhaustive]`. `abi::Arch`, `abi::Os`, `abi::Env` and `ir::Opcode` are not: a `match` that lacks
//! a new machine or operation is an error of the compiler, in the layers here as in code that uses them.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub use gusset_abi as abi;
pub use gusset_codegen::ir;
pub use gusset_codegen::object::ObjectError;
pub use gusset_codegen::sparse::{OutOfMemory, SparseBytes};
#[cfg(feature = "explorer")]
pub use gusset_explorer as explorer;
#[cfg(feature = "iree")]
pub use gusset_iree as iree;
#[cfg(feature = "memory")]
pub use gusset_memory as memory;
#[cfg(feature = "memory")]
pub use gusset_memory::Memory;

#[cfg(any(feature = "llvm", feature = "c"))]
pub use gusset_compiler::ReadError;
pub use gusset_compiler::{
    Body, BodyResult, BuildError, BuildErrorKind, BuilderOptions, Catch, Caught, Closure, CodeModel, ComdatGroup,
    ComdatKind, Data, DllStorage, Emit, Error, Features, Func, Funclet, Global, Handler, Item, Linkage, ObjectBuilder,
    OpenCall, Options, Place, Relocation, Stage, Takes, Target, TargetInfo, TlsModel, Visibility, compile_ir,
    host_triple, image_ir, is_ir, targets,
};
#[cfg(feature = "mlir")]
pub use gusset_compiler::{
    CWrappers, MlirOptions, Note, compile_mlir, dialect, is_mlir, mlir_c_notes, mlir_header, mlir_target_triple,
    translate_mlir,
};
#[cfg(feature = "llvm")]
pub use gusset_compiler::{
    Compilation, Form, Progress, RuntimeFile, Source, Statistics, Trampolines, TranslateOptions, Translation,
    compile_llvm, runtime_library, target_triple, translate,
};
