//! The locations of code.

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
