//! Operands of the locations of variables, and the places of labels.

use std::ops::Range;

use super::ids::{DiLabelId, DiLocationId, DiSubprogramId};
use crate::ir::SymbolId;

/// Where a part of a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In a register, by DWARF's number.
    Register(u16),
    /// In memory at `register + offset`. An offset from the stack pointer counts from where the prologue leaves it.
    Memory {
        /// DWARF's number of the register.
        register: u16,
        /// Bytes added to it.
        offset: i32,
    },
}

/// An operand of a variable's location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariableOperand {
    /// A value in a register or in memory.
    Value {
        /// The place of its low part.
        low: Place,
        /// The place of its high part, if it is in two.
        high: Option<Place>,
        /// Bytes of each part.
        bytes: u16,
    },
    /// The value is the address `register + offset`, rounded up to a multiple of `align`: a variable in the frame.
    FrameAddress {
        /// DWARF's number of the register.
        register: u16,
        /// Bytes added to it.
        offset: i32,
        /// A power of two; 1 if nothing is rounded.
        align: u32,
    },
    /// A constant.
    Constant {
        /// The bits, zero-extended.
        bits: u128,
        /// How many bytes there are.
        bytes: u16,
    },
    /// The address of a symbol plus a byte offset.
    Symbol(SymbolId, i64),
    /// What a register held when the function was called.
    EntryValue(u16),
}

/// Where a label of the source program is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LabelPlace {
    /// The label.
    pub label: DiLabelId,
    /// The call whose replacement made this copy of it.
    pub inlined_at: Option<DiLocationId>,
}

/// What a call calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DebugCallee {
    /// A symbol, and the function that it is in the source program, if that is known.
    Symbol(SymbolId, Option<DiSubprogramId>),
    /// The address that the caller still has in this place.
    Value(VariableOperand),
    /// The address in a register that the callee may change, by DWARF's number.
    Clobbered(u16),
}

/// A call. The mark's offset is where it returns to; of one that replaces the caller's frame, the end of the jump.
#[derive(Clone, Debug)]
pub struct DebugCall {
    /// What it calls.
    pub callee: DebugCallee,
    /// Bytes of the instruction.
    pub bytes: u32,
    /// It replaces the caller's frame.
    pub tail: bool,
    /// Those arguments of which something is known, in [`CompiledDebugInfo::call_arguments`](super::CompiledDebugInfo::call_arguments).
    pub arguments: Range<u32>,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub struct CallArgument {
    /// DWARF's number of the register that passes it.
    pub register: u16,
    /// Where the caller has the value while the callee runs.
    pub value: VariableOperand,
}
