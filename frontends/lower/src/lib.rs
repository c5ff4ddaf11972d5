//! The meaning of LLVM's programs: lowers LLVM's types, instructions and intrinsics to Gusset's IR, whatever text a
//! program comes from.
//!
//! A reader hands what it reads to a [`FunctionLowering`], which is a [`Sink`](gusset_program::Sink): instructions, address arithmetic,
//! calls. Values of the program are [`Val`](gusset_program::Val)s with a [`TypeId`](gusset_program::TypeId); aggregates
//! are split into scalars. What cannot be lowered is a [`Refusal`](gusset_program::Refusal), a reason without a
//! position, which the reader adds.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod address;
mod aggregates;
mod arithmetic;
mod assembly;
mod blocks;
mod by_name;
mod calls;
mod choices;
mod classes;
mod constants;
mod constrained;
mod contents;
mod control;
mod data;
pub mod debug_info;
mod decoration;
mod environment;
mod escapes;
mod exchange;
mod expand;
mod facts;
mod features;
mod floats;
mod funclets;
mod function;
mod instructions;
mod intrinsics;
mod lanes;
mod library;
mod machine;
mod masked;
mod memory;
mod mmx;
mod module;
mod module_flags;
mod names;
mod neon;
mod nonlocal;
mod operators;
mod predicated;
mod prepared;
mod profile;
mod reach;
mod rearranged;
mod shaped;
mod signatures;
mod sink;
mod stack_maps;
mod swift;
mod trampolines;
mod unwinding;
mod verify;
mod wide;
mod wide_atomics;

pub use by_name::IntrinsicLowering;
pub use choices::Choices;
pub use data::{MAX_TYPE_HASH, NO_SYMBOL, append, is_special, put_bits, put_bytes, put_vec, take_special};
pub use decoration::{ParameterBytes, decorated_name, shows_convention, with_convention};
pub use facts::{Callees, Facts, FunctionDefaults, Library, Passing, Trampolines};
pub use features::NotDone;
pub use floats::from_f64;
pub use function::{FunctionLowering, Lowering};
pub use module::{
    ModuleLowering, SymbolInfo, comdat_kind, contradiction, is_defined, linkage, symbol, tls_model, trim,
};
pub use module_flags::ModuleFlags;
pub use names::find_intrinsic;
pub use reach::Reach;
pub use signatures::llvm_type;
pub use verify::check_fence;
