//! Programs of LLVM as data, independent of any text form: types with their layouts, instructions, constants, modules.
//!
//! Readers, the lowering and writers share these. An instruction is an [`Op`]. A reader hands it to a [`Sink`], with
//! operand lists that are borrowed ([`OpRef`]). A stored [`Function`] has the same type with operand lists that it owns;
//! [`ProgramBuilder`] is the sink that stores it. Begin reading at [`Op`], [`TypeTable`] and [`Sink`].
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod arguments;
mod attribute_upgrade;
mod attributes;
mod builder;
mod call;
mod constant;
mod conventions;
mod debug_records;
mod debug_sink;
mod flags;
mod foreign;
mod function;
mod intrinsic;
mod keywords;
mod layout;
mod layout_upgrade;
mod local_uses;
mod module;
mod op;
mod opaque;
mod operators;
mod phis;
mod refusal;
pub mod refusals;
mod sink;
mod types;
mod value;
mod word_map;

pub use arguments::{Arguments, CallMetadata, FloatState, FunctionStart, Request};
pub use attribute_upgrade::upgrade_function_attributes;
pub use attributes::{FnAttrs, Interrupt, MOST_ALIGNED, MemoryAttr, ParamAttrs, Profiler, Values, conflict, role_name};
pub use builder::ProgramBuilder;
pub use call::{CallSite, CallTarget, Called, EntryId};
pub use constant::Const;
pub use conventions::{convention, convention_of_number, convention_word, is_convention};
pub use debug_records::DebugRecords;
pub use debug_sink::{DebugSink, InstLocation, VariableRecord};
pub use flags::Flags;
pub use foreign::Foreign;
pub use function::{
    Argument, Attachments, BlockData, BlockParam, Call, CallEnd, Constant, Def, EdgeData, Function, Inst, NameSpan,
    Target, ValueData,
};
pub use gusset_codegen::ir::{DllStorage, Visibility};
pub use intrinsic::{Intrinsic, LaneOrder, Neon, StackMapIntrinsic};
pub use keywords::{binary_word, cast_word};
pub use layout::{Alignment, DataLayout};
pub use layout_upgrade::upgraded_layout;
pub use local_uses::LocalUses;
pub use module::{
    Attribute, AttributeValue, Field, Header, Late, Linkage, LocalName, Metadata, Module, Node, Preemption, Properties,
    Selection, Special, Symbol, SymbolKind, ThreadLocal, UnnamedAddress,
};
pub use op::{Borrowed, Clause, Index, Lists, Never, Op, OpRef, Owned, Scope};
pub use opaque::{OpaqueOp, OpaquePart};
pub use operators::{Atomic, Cast, Compare};
pub use phis::{Incoming, Phi, PhiEntry, PhiReader, Phis};
pub use refusal::{Refusal, Result, intrinsic_mismatch, mismatch_if, refuse_if, wrong_operands};
pub use sink::{BranchEdges, MetadataSink, NO_RESULT, Sink};
pub use types::{
    BF16, F16, F32, F64, F80, F128, I1, I8, I32, I64, Kind, LABEL, Leaf, MAX_DEPTH, MAX_SCALARS, METADATA, Member, PTR,
    PTR_64, PTR_FS, PTR_GS, PTR_S32, PTR_SS, PTR_U32, TOKEN, TypeData, TypeId, TypeTable, VOID,
};
pub use value::{ENTRY, Known, Val};
pub use word_map::WordMap;
