//! Where the variables of a compiled function are.

use super::compiled::{CompiledDebugInfo, FrameRegister, VariableRange};
use super::dataflow::{copy_number, copy_of_number};
use super::operand::VariableOperand;
use super::track::{moves, slot_address};
use super::tracker::VariableTracker;
use crate::buffer::{CodeBuffer, Mark, VariableEvent};
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
    /// What has followed the variables, if the function has some that move.
    pub tracker: Option<&'a VariableTracker>,
}

impl VariablePlaces<'_> {
    /// Fills in what is known of the function's variables, for all of its code.
    pub fn hand_over(&self, out: &mut CompiledDebugInfo) {
        let debug = &self.f.debug;
        out.subprogram = debug.subprogram;
        out.lines.extend_from_slice(&self.buffer.lines);
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
        let order = by_key(events);
        out.variables.reserve_exact(order.len());
        let before = out.operands.len() as u32;
        out.operands.extend_from_slice(&self.buffer.variable_operands);
        for (k, &at) in order.iter().enumerate() {
            let start = &events[at as usize];
            let next = order.get(k + 1).map(|&next| &events[next as usize]);
            let end = next.filter(|next| next.value.key == start.value.key).map_or(self.code, |next| next.offset);
            let Some(record) = start.value.record.filter(|_| start.offset < end) else { continue };
            let record = &self.f.debug.records[record as usize];
            out.variables.push(VariableRange {
                code: start.offset..end,
                operands: before + start.value.operands.start..before + start.value.operands.end,
                is_address: record.kind != DebugRecordKind::Value,
                ..self.whole(record)
            });
        }
        // The parts of a variable are keys of their own.
        let copy = |range: &VariableRange| (range.variable, range.inlined_at);
        for ranges in out.variables[first..].chunk_by_mut(|a, b| copy(a) == copy(b)) {
            if !ranges.is_sorted_by_key(|range| range.code.start) {
                ranges.sort_by_key(|range| range.code.start);
            }
        }
        self.nowhere(first, out);
    }

    /// Lists the variables that move and have no stretch. Those from `first` on are sorted by [`copy_number`].
    fn nowhere(&self, first: usize, out: &mut CompiledDebugInfo) {
        let Some(tracker) = self.tracker else { return };
        let copies = tracker.copies().filter(|of_copy| of_copy.iter().any(|&(_, record)| self.moves(record)));
        let number = |range: &VariableRange| copy_number(range.variable, range.inlined_at);
        let (declared, moving) = out.variables.split_at(first);
        let mut declared: Vec<_> = declared.iter().map(number).collect();
        declared.sort_unstable();
        let mut moving = moving.iter().map(number).peekable();
        for copy in copies.map(|of_copy| of_copy[0].0) {
            while moving.next_if(|&known| known < copy).is_some() {}
            if moving.peek() != Some(&copy) && declared.binary_search(&copy).is_err() {
                out.nowhere.push(copy_of_number(copy));
            }
        }
    }

    fn moves(&self, record: u32) -> bool {
        moves(self.f, &self.f.debug.records[record as usize])
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

/// The indices of events by key, those of a key in order.
fn by_key(events: &[Mark<VariableEvent>]) -> Vec<u32> {
    let keys = events.iter().map(|event| event.value.key + 1).max().unwrap_or(0);
    let mut next = vec![0; keys as usize + 1];
    events.iter().for_each(|event| next[event.value.key as usize + 1] += 1);
    (1..next.len()).for_each(|key| next[key] += next[key - 1]);
    let mut order = vec![0; events.len()];
    for (event, at) in events.iter().zip(0..) {
        let next = &mut next[event.value.key as usize];
        order[*next as usize] = at;
        *next += 1;
    }
    order
}
