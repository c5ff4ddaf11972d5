#![doc = include_str!("../README.md")]
#![deny(missing_docs)]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod c_types;
mod cache;
mod chain;
mod class;
mod class_record;
mod classify;
mod decoration;
mod engine;
mod error;
mod families;
mod family;
pub mod features;
mod fnabi;
mod homogeneous;
mod inline;
mod layout;
mod llvm;
mod measure;
mod members;
pub mod memref;
mod mixer;
mod prelude;
mod reg;
mod signature;
mod target;
mod text;
mod to_llvm;
mod trampoline;
mod triple;
mod types;
mod vararg;
mod walk;

#[doc = include_str!("../DIFFERENCES.md")]
pub mod differences {}

pub use c_types::CTypes;
pub use cache::AbiCache;
pub use chain::static_chain;
pub use class::{Class, FieldRole, Virtuals};
pub use classify::{classify, va_arg};
pub use error::{AbiError, Subject};
pub use families::arm::aapcs32::runtime_helper_clobbers;
pub use families::i386::argblock::{BlockField, BlockItem};
pub use fnabi::{
    ArgAbi, ArgBlock, Decoration, Extension, FnAbi, PassMode, Piece, Pieces, Place, RetAbi, SaveArea, SaveAreaPlace,
    SaveSlot, VaField, VaInit, VarArea,
};
pub use inline::InlineVec;
pub use layout::{ClassLayout, DataLayout, RecordLayout, VirtualBase};
pub use measure::Layout;
pub use reg::{Reg, RegClass, RegSet, aarch64, arm, x86};
pub use signature::{AbiType, Attrs, Convention, Member, Modifiers, Param, Preserves, Role, Signature, Widen};
pub use target::{AbiFeatures, AbiTarget, Arch, Endian, Env, Os};
pub use to_llvm::{
    Declaration, InAllocaField, IrAttrs, IrParam, IrPart, IrRole, LlvmSignature, Lowered, LoweredResult, to_llvm,
};
pub use trampoline::{Code, Hole, Isa, PoolStub, SlotRef, Trampoline, TrampolineOptions};
pub use triple::has_emulated_tls;
pub use types::{
    ArrayType, CType, Field, FloatKind, Language, LlvmScalar, LlvmStruct, LlvmType, Record, RecordKind, Scalar,
};
pub use vararg::{VaArg, VaCounter, VaPiece, VaRegs};
