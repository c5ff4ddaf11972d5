//! Calling conventions as data: where every piece of every argument and result lives.
//!
//! A front end describes a function or a call by a [`Signature`], with C types or with LLVM types and attributes.
//! [`classify`] gives back an [`FnAbi`]: for each argument and the result a [`PassMode`] with its pieces in registers
//! or stack slots, and everything else that caller and callee must agree on.
//!
//! ```
//! use gusset_abi::{CType, Signature, Target, classify};
//!
//! // struct P { double x; long n; };  struct P f(int, struct P);
//! let p = CType::structure([CType::F64, CType::I64]);
//! let abi = classify(&Target::X86_64_LINUX, &Signature::c(p.clone()).param(CType::I32).param(p))?;
//! assert_eq!(
//!     abi.to_string(),
//!     "r: [0..8)@xmm0, [8..16)@rax; a1: [0..4)@rdi; a2: [0..8)@xmm0, [8..16)@rsi; pop 0"
//! );
//! # Ok::<(), gusset_abi::AbiError>(())
//! ```
//!
//! - Types: [`CType`] with [`DataLayout`] for sizes and offsets, [`LlvmType`] for front ends that have lowered C already.
//! - Variadic functions: [`FnAbi::variadic`] says what `va_start` stores, [`va_arg`] gives the steps that fetch one argument.
//! - [`to_llvm`] gives the LLVM IR signature that clang would write, for front ends that emit LLVM IR.
//! - [`AbiCache`] makes a repeated signature a look-up.
//!
//! Inside, a convention is one file: it splits values into pieces and asks the engine, which keeps count of registers and
//! stack bytes for all conventions, for places. System V x86-64 is there; every other combination is an [`AbiError`].
//!
//! The crate is pure: no I/O, no global state, `no_std` with `alloc`.
#![deny(missing_docs)]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod a64;
mod aapcs32;
mod aapcs64;
mod apple64;
mod argblock;
mod cache;
mod chain;
mod classify;
mod engine;
mod error;
mod fnabi;
mod homogeneous;
mod i386;
mod inline;
mod layout;
mod llvm32;
mod llvm64;
mod llvm_a64;
mod llvm_legalize;
mod llvm_result;
mod llvm_split;
mod llvm_win64;
mod mixer;
mod reg;
mod signature;
mod sysv32;
mod sysv64;
mod target;
mod text;
mod to_llvm;
mod trampoline;
mod types;
mod vararg;
mod walk;
mod win32;
mod win64;
mod winarm64;

pub use aapcs32::runtime_helper_clobbers;
pub use argblock::{BlockField, BlockItem};
pub use cache::AbiCache;
pub use chain::static_chain;
pub use classify::{classify, va_arg};
pub use error::{AbiError, Subject};
pub use fnabi::{
    ArgAbi, ArgBlock, Decoration, Extension, FnAbi, PassMode, Piece, Pieces, Place, RetAbi, SaveArea, SaveAreaPlace,
    SaveSlot, VaField, VaInit, VarArea,
};
pub use inline::InlineVec;
pub use layout::{DataLayout, Layout, RecordLayout};
pub use reg::{Reg, RegClass, RegSet, aarch64, arm, x86};
pub use signature::{Attrs, Convention, Member, Modifiers, Param, Role, Signature, Type, Widen};
pub use target::{Arch, Env, Features, Os, Target};
pub use to_llvm::{
    Declaration, InAllocaField, IrAttrs, IrParam, IrPart, IrRole, IrStruct, IrType, LlvmSignature, Lowered,
    LoweredResult, to_llvm,
};
pub use trampoline::{Code, Hole, Isa, PoolStub, SlotRef, Trampoline, TrampolineOptions};
pub use types::{
    Aggregate, ArrayType, CType, Class, Field, FloatKind, Form, Language, Leaf, LlvmScalar, LlvmType, Record,
    RecordKind, Scalar,
};
pub use vararg::{VaArg, VaCounter, VaPiece, VaRegs};
