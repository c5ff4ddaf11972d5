//! What debug information and stack maps say of a function's blocks and slots.

use std::ops::Range;

use super::entities::{Block, Slot};
use super::function::{BlockData, Function, ValueDef};
use super::stack_map::StackMap;

impl Function {
    /// The indices of the debug records in a block.
    pub fn records_of(&self, block: Block) -> Range<u32> {
        let BlockData { first, end, .. } = self.blocks[block.index()];
        let at = |inst: u32| self.debug.records.partition_point(|record| record.before.0 < inst) as u32;
        at(first)..at(end)
    }

    /// All slots that must stay in memory as they are, since others find them by the frame.
    pub fn escaped_slots(&self) -> impl Iterator<Item = Slot> + '_ {
        let escapes = self.escapes.iter().flat_map(|escapes| escapes.all());
        escapes.chain(self.stack_maps.iter().flat_map(StackMap::slots)).chain(self.kept_variables())
    }

    /// The slots of variables that stay in memory for debuggers.
    fn kept_variables(&self) -> impl Iterator<Item = Slot> + '_ {
        let records = if self.debug.keeps_variables { &self.debug.records[..] } else { &[] };
        let operands = records.iter().flat_map(|record| self.debug.operands_of(record).iter().flatten());
        operands.filter_map(|&v| match self.value_def(self.resolve(v)) {
            ValueDef::Slot(slot) => Some(slot),
            _ => None,
        })
    }
}
