//! Where the variables of a compiled function are.

use foldhash::HashSet;

use super::compiled::{CompiledDebugInfo, FrameRegister, VariableRange};
use super::operand::VariableOperand;
use super::track::{moves, slot_address};
use crate::buffer::CodeBuffer;
use crate::frame::{Frame, FramePlace};
use crate::ir::{DebugRecord, DebugRecordKind, Function, ValueDef};
use crate::machine::PReg;

/// What the places of variables depend on.
pub(crate) struct VariablePlaces<'a> {
    pub f: &'a Function,
    pub frame: &'a Frame,
    /// The places of slots.
    pub slots: &'a [FramePlace],
    /// DWARF's numbers of registers.
    pub dwarf_register: fn(PReg) -> u16,
    /// The function's code, and its length in bytes.
    pub buffer: &'a CodeBuffer,
    pub code: u32,
}

impl VariablePlaces<'_> {
    /// Fills in what is known of the function's variables, for all of its code.
    pub fn hand_over(&self, out: &mut CompiledDebugInfo) {
        let debug = &self.f.debug;
        out.subprogram = debug.subprogram;
        let cfa = self.frame.at(0);
        out.frame = FrameRegister { register: (self.dwarf_register)(cfa.base), to_cfa: Some(cfa.disp) };
        out.calls.extend_from_slice(&self.buffer.debug_calls);
        out.call_arguments.extend_from_slice(&self.buffer.call_arguments);
        if debug.records.is_empty() {
            return;
        }
        out.expressions.clone_from(&debug.expressions);
        out.labels.extend_from_slice(&self.buffer.source_labels);
        // Debuggers list variables in this order.
        for record in debug.records.iter().filter(|record| record.kind == DebugRecordKind::Declare) {
            match self.declared(record) {
                Some(operand) => out.add(self.whole(record), [operand]),
                None if moves(self.f, record) => {}
                None => out.lost.push((record.variable, record.inlined_at)),
            }
        }
        self.moving(out);
    }

    /// Makes stretches of the events that were marked in the code.
    fn moving(&self, out: &mut CompiledDebugInfo) {
        let (events, first) = (&self.buffer.variables, out.variables.len());
        let keys = events.iter().map(|event| event.value.key + 1).max().unwrap_or(0);
        // By key, the event that the key has its place from.
        let mut open: Vec<Option<usize>> = vec![None; keys as usize];
        let mut close = |at: usize, end: u32| {
            let start = &events[at];
            let Some(record) = start.value.record.filter(|_| start.offset < end) else { return };
            let record = &self.f.debug.records[record as usize];
            let operands = start.value.operands.start as usize..start.value.operands.end as usize;
            let range = VariableRange {
                code: start.offset..end,
                is_address: record.kind != DebugRecordKind::Value,
                ..self.whole(record)
            };
            out.add(range, self.buffer.variable_operands[operands].iter().copied());
        };
        for (at, event) in events.iter().enumerate() {
            if let Some(before) = open[event.value.key as usize].replace(at) {
                close(before, event.offset);
            }
        }
        open.into_iter().flatten().for_each(|at| close(at, self.code));
        let known: HashSet<_> = out.variables.iter().map(|range| (range.variable, range.inlined_at)).collect();
        let records = self.f.debug.records.iter().filter(|record| moves(self.f, record));
        out.nowhere.extend(records.map(|r| (r.variable, r.inlined_at)).filter(|variable| !known.contains(variable)));
        out.nowhere.sort_unstable();
        out.nowhere.dedup();
        out.variables[first..].sort_by_key(|range| (range.variable, range.inlined_at, range.code.start));
    }

    /// All of the function's code, in which a declared variable is in one place.
    fn whole(&self, record: &DebugRecord) -> VariableRange {
        VariableRange {
            variable: record.variable,
            inlined_at: record.inlined_at,
            code: 0..self.code,
            operands: 0..0,
            expression: record.expression,
            is_address: true,
        }
    }

    /// The address of a declared variable.
    fn declared(&self, record: &DebugRecord) -> Option<VariableOperand> {
        let &[Some(address)] = self.f.debug.operands_of(record) else { return None };
        match self.f.value_def(self.f.resolve(address)) {
            ValueDef::Slot(slot) => slot_address(self.f, self.frame, self.slots, self.dwarf_register, slot),
            _ => None,
        }
    }
}
