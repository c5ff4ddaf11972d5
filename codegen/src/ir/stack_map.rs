//! Stack maps: what a program says of the values that a collector, a debugger or a deoptimizer finds at a place of the
//! code (LLVM, "Stack maps and patch points in LLVM", "Garbage Collection Safepoints in LLVM").

use super::entities::{Slot, Value};
use crate::entity;

entity!(
    /// A record of a function's stack maps.
    StackMapId, "sm"
);

/// One record: the code that it belongs to, and the locations that it lists.
///
/// A call has at most one ([`CallData::stack_map`](super::CallData::stack_map)), and is then a *safepoint*; so has each
/// instruction `stack_map`. Values that a collector may change lie in slots of the frame: they are stored before the call
/// and loaded after it.
///
/// An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StackMap {
    /// The number by which the record is found.
    pub id: u64,
    /// The code takes at least this many bytes; instructions without effect fill them.
    pub bytes: u32,
    /// The call is left out, and only its arguments are in their places.
    pub omits_call: bool,
    /// The record is about the first byte of the call's code. Otherwise it is about the address that the call returns to.
    pub at_start: bool,
    /// The function's [`references`](super::Function::references) that live across the call are added to the locations, as
    /// pairs of a base and the reference itself.
    pub references: bool,
    /// The locations.
    pub entries: Vec<StackMapEntry>,
}

/// A location of a record. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StackMapEntry {
    /// A number.
    Constant(i64),
    /// The address of a slot.
    Address(Slot),
    /// Bytes of a slot.
    Contents {
        /// The slot.
        slot: Slot,
        /// How many bytes.
        size: u16,
    },
    /// The next operand of the instruction, wherever it is. Only for `stack_map`.
    Operand,
}

impl StackMap {
    /// The slots that it names. They stay in memory as they are.
    pub fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        self.entries.iter().filter_map(|entry| match *entry {
            StackMapEntry::Address(slot) | StackMapEntry::Contents { slot, .. } => Some(slot),
            StackMapEntry::Constant(_) | StackMapEntry::Operand => None,
        })
    }
}

/// A value that a collector has to know: the address of an object, or an address within one.
///
/// An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reference {
    /// The value, as wide as a pointer.
    pub value: Value,
    /// The address of the object that it points into; `value` itself if it is that address.
    pub base: Value,
}
