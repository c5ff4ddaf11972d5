//! Locations of instructions, and records of the source program's variables. Whoever calls these numbers the nodes.

use super::{FunctionBuilder, Variable};
use crate::debug::DiLocationId;
use crate::ir::debug::{DebugLocation, DebugRecord, DebugRecordKind, EarlyRecord, SourceVariable};
use crate::ir::entities::{Block, Inst, Value};

impl FunctionBuilder<'_> {
    /// The number of the next instruction.
    pub fn next_inst(&self) -> Inst {
        Inst::new(self.func.insts.len())
    }

    /// Gives the instructions from here on a location, until the next call.
    pub fn set_source_location(&mut self, location: Option<DebugLocation>) {
        let next = self.next_inst();
        self.func.debug.set_location(next, location);
    }

    /// Says where a call was that the front end has replaced by the callee's body, before a location or a record names it, and at which
    /// call it was inlined itself.
    pub fn inlined_call(&mut self, call: DiLocationId, inlined_at: Option<DiLocationId>) {
        self.func.debug.inlined_calls.push((call, inlined_at));
    }

    /// Says of a variable of the source program where it is from here on; a [`Declare`](DebugRecordKind::Declare) holds everywhere. The
    /// expression turns the operands into the value or address ([`DiExpression`](crate::debug::DiExpression)); an empty one leaves it.
    pub fn source_record(
        &mut self,
        kind: DebugRecordKind,
        of: SourceVariable,
        expression: &[u64],
        operands: &[Option<Value>],
    ) {
        if self.block.is_none() {
            return self.no_block("a record of a variable");
        }
        operands.iter().flatten().for_each(|&v| _ = self.type_of(v));
        let SourceVariable { variable, inlined_at } = of;
        let expression = self.func.debug.expression(expression);
        let before = self.next_inst();
        let record = DebugRecord { before, kind, variable, inlined_at, expression, operands: 0..0 };
        self.func.debug.push_record(record, operands.iter().copied());
    }

    /// Says that a variable of the builder's is one of the source program: each assignment gives it a value.
    pub fn name_var(&mut self, var: Variable, of: SourceVariable) {
        if self.var_type(var).is_none() {
            return;
        }
        self.note(var).named = Some(of);
        if let Some(&known) = self.block.and_then(|block| self.defs.get(&(block, var))) {
            self.source_record(DebugRecordKind::Value, of, &[], &[Some(known)]);
        }
    }

    /// The same where a block begins, before all other records there, with one operand.
    pub fn source_record_at_start(
        &mut self,
        block: Block,
        kind: DebugRecordKind,
        of: SourceVariable,
        expression: &[u64],
        value: Value,
    ) {
        let expression = self.func.debug.expression(expression);
        self.early_records.push(EarlyRecord { block, kind, of, expression, value });
    }

    /// Notes that a named variable gets a value: by assignment.
    #[cold]
    pub(super) fn record_assignment(&mut self, of: SourceVariable, value: Value) {
        self.source_record(DebugRecordKind::Value, of, &[], &[Some(value)]);
    }

    /// Notes that a named variable is a block's parameter.
    #[cold]
    pub(super) fn record_param(&mut self, block: Block, of: SourceVariable, value: Value) {
        self.source_record_at_start(block, DebugRecordKind::Value, of, &[], value);
    }

    /// Puts the records where blocks begin among the others.
    pub(super) fn place_early_records(&mut self) {
        if self.early_records.is_empty() {
            return;
        }
        let later = std::mem::take(&mut self.func.debug.records);
        for EarlyRecord { block, kind, of, expression, value } in std::mem::take(&mut self.early_records) {
            let first = self.func.blocks[block.index()].first;
            if first != u32::MAX {
                let SourceVariable { variable, inlined_at } = of;
                let before = Inst(first);
                let record = DebugRecord { before, kind, variable, inlined_at, expression, operands: 0..0 };
                self.func.debug.push_record(record, [Some(value)]);
            }
        }
        self.func.debug.records.extend(later);
        self.func.debug.records.sort_by_key(|record| record.before);
    }
}
