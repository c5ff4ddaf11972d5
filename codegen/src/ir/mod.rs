//! The intermediate representation: typed entities, struct-of-arrays functions, block parameters.

mod attributes;
mod blocks;
mod builder;
mod clusters;
mod debug;
mod dominance;
mod dominators;
mod entities;
mod escapes;
mod exceptions;
mod fold;
mod function;
mod function_debug;
mod inst;
mod llvm_words;
mod module;
mod parse;
mod print;
mod stack_map;
mod trampoline;
mod types;
mod unwinding;
mod vararg;
mod verify;
mod views;
mod words;

#[cfg(test)]
pub(crate) mod tests;

pub use attributes::{
    FramePointer, FunctionAttrs, Inlining, ReturnSigning, SlotKind, StackProtector, ZeroRegisters, sleds,
};
pub use blocks::BlockPlace;
pub(crate) use blocks::check as check_blocks;
pub use builder::{FunctionBuilder, Variable};
pub use clusters::BlockClusters;
pub(crate) use debug::Carry;
pub use debug::{DebugLocation, DebugRecord, DebugRecordKind, FunctionDebugInfo, SourceVariable};
pub use dominance::{DominanceCheck, Unreached};
pub use dominators::{Dominators, reverse_postorder};
pub use entities::{Block, CallId, Edge, Inst, SigId, Slot, SwitchId, Value};
pub use escapes::Escapes;
pub use exceptions::{Clause, Exceptions, Pad, PadKind, Personality};
pub use fold::{fold_binary, fold_compare, fold_conversion, fold_float, fold_unary, is_foldable};
pub use function::{
    BlockData, CallData, Callee, ConstData, EdgeData, Function, SlotData, SwitchData, TailKind, ValueDef,
};
pub use inst::{
    AtomicInfo, CmpxchgInfo, FloatCc, Format, InstData, IntCc, MemFlags, OPCODES, Opcode, Ordering, ReduceOp, RmwOp,
};
pub use llvm_words::{InLlvm, TypeInLlvm};
pub use module::{
    AliasData, CodeModel, Comdat, ComdatId, ComdatKind, DataObject, DataReloc, DllStorage, GUARD_CALLS,
    GUARD_EH_CONTINUATIONS, Linkage, Module, RelocBase, Seen, SigData, StackGuard, Structor, Symbol, SymbolId,
    SymbolKind, Temperature, TlsModel, TypeId, Visibility,
};
pub use parse::{Classify, ParseError, parse};
pub use print::{Printer, Spot, print};
pub use stack_map::{Reference, StackMap, StackMapEntry, StackMapId};
pub use types::Type;
pub use unwinding::check_unwinding;
pub use verify::{VerifyError, verify};
