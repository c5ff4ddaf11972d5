//! Calling conventions as data: where every piece of every argument and result lives.
//!
//! A front end describes a function or a call by a [`Signature`], with C types or with LLVM types and attributes.
//! [`classify`] gives back an [`FnAbi`]: for each argument and the result a [`PassMode`] with its pieces in registers
//! or stack slots, and everything else that caller and callee must agree on.
//!
//! The crate is pure: no I/O, no global state, `no_std` with `alloc`.
#![deny(missing_docs)]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod cache;
mod classify;
mod engine;
mod error;
mod fnabi;
mod inline;
mod layout;
mod llvm64;
mod mixer;
mod reg;
mod signature;
mod sysv64;
mod target;
mod text;
mod types;
mod vararg;

pub use cache::AbiCache;
pub use classify::{classify, va_arg};
pub use error::{AbiError, Subject};
pub use fnabi::{
    ArgAbi, ArgBlock, Decoration, Extension, FnAbi, PassMode, Piece, Pieces, Place, RetAbi, SaveArea, SaveSlot,
    VaField, VaInit, VarArea,
};
pub use inline::InlineVec;
pub use layout::{DataLayout, Layout, RecordLayout};
pub use reg::{Reg, RegClass, RegSet, x86};
pub use signature::{Attrs, Convention, Param, Role, Signature, Type, Widen};
pub use target::{Arch, Env, Features, Os, Target};
pub use types::{
    Aggregate, ArrayType, CType, Field, FloatKind, Language, Leaf, LlvmScalar, LlvmType, Record, RecordKind, Scalar,
};
pub use vararg::{VaArg, VaCounter, VaPiece, VaRegs};
