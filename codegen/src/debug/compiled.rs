//! The debug information of a compiled function: lines by offset of the code, and where variables are.

use std::ops::Range;

use super::ids::{DiExpression, DiLocalVariableId, DiLocationId, DiSubprogramId};
use super::operand::{LabelPlace, VariableOperand};
use crate::buffer::{LineEntry, Mark};

/// The register from which the frame is addressed in the body of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FrameRegister {
    /// DWARF's number of the register.
    pub register: u16,
    /// Bytes from what it holds to the canonical frame address. `None` if they are not the same everywhere.
    pub to_cfa: Option<i32>,
}

/// A stretch of code through which a variable, or a part of it, is in one place.
#[derive(Clone, Debug)]
pub struct VariableRange {
    /// The variable.
    pub variable: DiLocalVariableId,
    /// The call whose replacement by the callee's body made this copy of the variable.
    pub inlined_at: Option<DiLocationId>,
    /// The stretch.
    pub code: Range<u32>,
    /// The operands, in [`CompiledDebugInfo::operands`].
    pub operands: Range<u32>,
    /// The index of the expression in [`CompiledDebugInfo::expressions`]. It turns the operands into the variable's value or
    /// address, as LLVM's do: `DW_OP_LLVM_arg`, or the only operand comes first.
    pub expression: u32,
    /// The operand is the variable's address, and the variable lies in memory there.
    pub is_address: bool,
}

/// The debug information of a compiled function. Offsets are bytes from the start of its code.
#[derive(Clone, Debug, Default)]
pub struct CompiledDebugInfo {
    /// The function of the source program.
    pub subprogram: Option<DiSubprogramId>,
    /// Lines, in the order of the code.
    pub lines: Vec<Mark<LineEntry>>,
    /// How the frame is addressed.
    pub frame: FrameRegister,
    /// Where variables are: by variable and copy, then by code.
    pub variables: Vec<VariableRange>,
    /// Operands of the variables' locations.
    pub operands: Vec<VariableOperand>,
    /// Expressions of the variables' locations.
    pub expressions: Vec<DiExpression>,
    /// Labels, in the order of the code.
    pub labels: Vec<Mark<LabelPlace>>,
    /// Variables whose place cannot be expressed, or that have none anywhere.
    pub lost: Vec<(DiLocalVariableId, Option<DiLocationId>)>,
}

impl CompiledDebugInfo {
    /// Adds a stretch of code in which a variable has these operands.
    pub(crate) fn add(&mut self, range: VariableRange, operands: impl IntoIterator<Item = VariableOperand>) {
        let start = self.operands.len() as u32;
        self.operands.extend(operands);
        let operands = start..self.operands.len() as u32;
        self.variables.push(VariableRange { operands, ..range });
    }

    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        self.subprogram = None;
        self.lines.clear();
        self.frame = FrameRegister::default();
        self.variables.clear();
        self.operands.clear();
        self.expressions.clear();
        self.labels.clear();
        self.lost.clear();
    }
}
