//! The locations of code, and where variables are in it.

use std::ops::Range;

use crate::debug::DiLocationId;

/// The location of the code from an offset on. The code before the first entry is the prologue, which belongs to the line where the
/// function's body begins. What debuggers know besides (where statements begin, where the prologue ends) follows from the locations
/// and is up to the writer of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineEntry {
    /// The location; `None` if the code belongs to no line.
    pub location: Option<DiLocationId>,
    /// The frame begins to be taken away.
    pub epilogue_begin: bool,
}

/// From an offset of the code on, a variable or a part of it is somewhere else.
#[derive(Clone, Debug)]
pub(crate) struct VariableEvent {
    /// The number of the variable or part.
    pub key: u32,
    /// The index of the record that it has its value from; `None` if it is nowhere.
    pub record: Option<u32>,
    /// Its operands, in `CodeBuffer::variable_operands`.
    pub operands: Range<u32>,
    /// The registers among them.
    pub registers: u64,
}
