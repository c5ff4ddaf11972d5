//! Operands of the locations of variables, and the places of labels.

use super::ids::{DiLabelId, DiLocationId};
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
