//! Gusset: a cross-target code generator that gets every call right.
//!
//! ```
//! use gusset::abi::{CType, Signature};
//! use gusset::{BuilderOptions, Features, Linkage, ObjectBuilder, Target};
//!
//! let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
//! let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
//! // C's `double sum(struct point)`.
//! let point = CType::structure([CType::F64, CType::F64]);
//! let sum = object.declare("sum", Signature::c(CType::F64).param(point), Linkage::Export)?;
//! object.define(sum, |b| {
//!     let p = b.param(0); // A struct is its address.
//!     let (x, y) = (b.load_f64(p, 0), b.load_f64(p, 8));
//!     let sum = b.fadd(x, y);
//!     b.ret(Some(sum));
//! })?;
//! let bytes = object.finish()?; // The object file.
//! # assert_eq!(&bytes[..4], b"\x7fELF");
//! # Ok::<(), gusset::Error>(())
//! ```
//!
//! | to do this | begin with | cargo feature |
//! |---|---|---|
//! | learn it all, step by step; translate your words from Cranelift, inkwell or QBE | the [guide][guide] and its [page of words][words] | |
//! | make an object file | [`ObjectBuilder`], [`BuilderOptions`], [`Target`] ([chapter 1][c1]) | |
//! | fill a function | [`Body`] and [`ir::FunctionBuilder`], which it derefs to; [`ir::Type`], [`ir::Value`] ([2][c2]) | |
//! | say how something is called | [`abi::Signature`], [`abi::CType`] ([4][c4]); or C's text, `ObjectBuilder::declare_c` ([5][c5]) | `c` for text |
//! | define data; say what objects have | [`Data`], [`Global`]; [`Linkage`], [`Visibility`], [`ComdatKind`], [`DllStorage`], [`TlsModel`] ([3][c3]) | |
//! | catch exceptions | [`Catch`] and [`Caught`], Microsoft's [`Handler`] and [`Funclet`] ([9][c9]) | |
//! | give closures to C | [`Body::closure`], [`Closure`] ([8][c8]) | |
//! | construct arguments in place | [`OpenCall`] | |
//! | run what was made | `Memory`, [`ObjectBuilder::finish_image`] ([13][c13]) | `memory` |
//! | compile LLVM IR or MLIR as text | `compile_llvm`, `compile_mlir`, [`Options`]; `translate` | `llvm`, `mlir` |
//! | see how functions are called | `explorer` | `explorer` |
//! | make modules for IREE | `iree` | `iree` |
//! | have programs debugged | [`ObjectBuilder::debug_info`], [`Body::set_location`], [`DebugTypes`] ([11][c11]) | |
//! | know what went wrong | [`Error`], [`BuildError`], [`BuildErrorKind`] ([11][c11]) | |
//!
//! The cargo features `x86`, `aarch64`, `arm` (targets) and `asm` (assembly text) are there by default. Enumerations that will get values are
//! `#[non_exhaustive]`, but not [`abi::Arch`], [`abi::Os`], [`abi::Env`] and [`ir::Opcode`]: there a `match` that lacks a new machine or
//! operation is an error of the compiler.
//!
//! [guide]: https://github.com/gusset-project/gusset/blob/main/docs/guide/src/introduction.md
//! [words]: https://github.com/gusset-project/gusset/blob/main/docs/guide/src/coming_from.md
//! [c1]: https://github.com/gusset-project/gusset/blob/main/docs/guide/src/01_expressions.md
//! [c2]: https://github.com/gusset-project/gusset/blob/main/docs/guide/src/02_loops.md
//! [c3]: https://github.com/gusset-project/gusset/blob/main/docs/guide/src/03_strings.md
//! [c4]: https://github.com/gusset-project/gusset/blob/main/docs/guide/src/04_structs.md
//! [c5]: https://github.com/gusset-project/gusset/blob/main/docs/guide/src/05_calls_to_c.md
//! [c8]: https://github.com/gusset-project/gusset/blob/main/docs/guide/src/08_closures.md
//! [c9]: https://github.com/gusset-project/gusset/blob/main/docs/guide/src/09_exceptions.md
//! [c11]: https://github.com/gusset-project/gusset/blob/main/docs/guide/src/11_debugging.md
//! [c13]: https://github.com/gusset-project/gusset/blob/main/docs/guide/src/13_memory.md
#![deny(missing_docs)]
#![forbid(unsafe_code)]

// All that the signatures of this crate name can be had from it. Of the layers below, what follows is shown on purpose.
#[doc(inline)]
pub use gusset_abi as abi;
/// The nodes of debug information, for what [`DebugTypes`] does not have.
pub use gusset_codegen::debug;
pub use gusset_codegen::ir;
pub use gusset_codegen::object::ObjectError;
pub use gusset_codegen::sparse::{OutOfMemory, SparseBytes};
#[cfg(feature = "explorer")]
#[doc(inline)]
pub use gusset_explorer as explorer;
#[cfg(feature = "iree")]
#[doc(inline)]
pub use gusset_iree as iree;
#[cfg(feature = "memory")]
#[doc(inline)]
pub use gusset_memory as memory;
#[cfg(feature = "memory")]
pub use gusset_memory::Memory;

#[cfg(any(feature = "llvm", feature = "c"))]
pub use gusset_compiler::ReadError;
pub use gusset_compiler::{
    ArchiveMember, BlockList, Body, BodyResult, BuildError, BuildErrorKind, BuildErrorPlace, BuilderOptions, Catch,
    Caught, Closure, CodeModel, ComdatGroup, ComdatKind, Data, DebugFile, DebugFunction, DebugOptions, DebugType,
    DebugTypeRef, DebugTypes, DebugVariable, DllStorage, Emit, Error, Features, FramePointer, Func, Funclet, Global,
    Handler, Item, Linkage, ObjectBuilder, OpenCall, OptimizationLevel, Options, Pass, PassSet, Relocation, SourceFile,
    SourceLanguage, SourceLocation, Stage, Takes, Target, TargetInfo, TlsModel, Visibility, compile_ir, host_triple,
    image_ir, is_ir, targets, write_archive,
};
#[cfg(feature = "mlir")]
pub use gusset_compiler::{
    CWrappers, MlirOptions, Note, compile_mlir, dialect, is_mlir, mlir_c_notes, mlir_header, mlir_target_triple,
    translate_mlir,
};
#[cfg(feature = "llvm")]
pub use gusset_compiler::{
    Compilation, DebugInfoLoss, Form, FunctionSignature, Progress, RuntimeFile, Source, Statistics, TextForm,
    Trampolines, TranslateOptions, Translation, bitcode_modules, compile_llvm, compile_text, function_signature,
    is_bitcode, runtime_library, target_triple, translate,
};
