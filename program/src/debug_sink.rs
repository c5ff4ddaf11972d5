//! What code keeps of a function's debug information.

use gusset_codegen::ir::DebugRecordKind;

use crate::types::TypeId;
use crate::value::Val;

/// A debug record for code: nodes of metadata have the reader's numbers.
#[derive(Clone, Copy, Debug)]
pub struct VariableRecord<'a> {
    /// What it says.
    pub kind: DebugRecordKind,
    /// The variable's node.
    pub variable: u32,
    /// The expression, as [`DiExpression`](gusset_codegen::debug::DiExpression) has it.
    pub expression: &'a [u64],
    /// The operands; `None` is a value that is not known.
    pub operands: &'a [Option<(TypeId, Val)>],
}

/// The location of an instruction: nodes of metadata have the reader's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InstLocation {
    /// The location's node.
    pub node: u32,
    /// The line; 0 if the code belongs to none.
    pub line: u32,
    /// The node of the call that was replaced by the callee's body.
    pub inlined_at: Option<u32>,
}

/// Takes locations and debug records: a sink that makes no code leaves these methods as they are. Nodes of metadata have the numbers
/// that the reader gives them.
pub trait DebugSink {
    /// Sets the subprogram of the function.
    fn debug_subprogram(&mut self, _node: u32) {}
    /// Sets the location of the instructions that were made since the last call; `None` if they belong to no line.
    fn debug_location(&mut self, _location: Option<InstLocation>) {}
    /// Says where a call was, that was replaced by the callee's body, before a location or a record names it: the node of its location,
    /// and the call that this one was inlined at.
    fn inlined_call(&mut self, _node: u32, _inlined_at: Option<u32>) {}
    /// Says that records from now on stand before the instructions that are made next, even if these have been made when a record
    /// comes: for readers to which records come after the instruction that they stand before.
    fn begin_instruction(&mut self) {}
    /// Takes a record, which stands before the next instruction. Returns the index of its first operand.
    fn variable_record(&mut self, _record: &VariableRecord<'_>) -> usize {
        0
    }
    /// Sets an operand of a record by its index, when its value is known.
    fn set_record_operand(&mut self, _index: usize, _ty: TypeId, _val: Val) {}
    /// Sets whether constants that are made now are operands of records only.
    fn set_debug_constants(&mut self, _on: bool) {}
    /// Says which call was replaced by the callee's body where the last record came from: the node of its location.
    fn set_inlined_at(&mut self, _node: u32) {}
}
