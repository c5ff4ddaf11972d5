//! What readers of bodies keep of debug records and locations until their values and calls are known.

use foldhash::HashSet;

use gusset_codegen::debug::llvm_operation;
use gusset_codegen::ir::DebugRecordKind;

use crate::debug_sink::{DebugSink, InstLocation, VariableRecord};
use crate::types::TypeId;
use crate::value::Val;

/// The record that is being read, and what earlier ones wait for. `L` is how the reader names locals.
pub struct DebugRecords<L> {
    /// Operands of records whose values were not defined yet.
    later: Vec<(usize, L, TypeId)>,
    /// Nodes that tell assignments apart, of the stores that have been read.
    pub assigned: HashSet<u32>,
    /// The last record is an intrinsic's, whose location comes after it.
    pub waits_for_location: bool,
    /// The last location that was read.
    last_location: Option<InstLocation>,
    /// The last call at which a location's code was inlined.
    last_call: Option<u32>,
    /// The calls that the sink knows.
    calls: HashSet<u32>,
    /// The operands of the record; `None` if the value is not known, or not yet.
    pub operands: Vec<Option<(TypeId, Val)>>,
    /// The operands that are defined later, and `None` for the others.
    pub locals: Vec<Option<(L, TypeId)>>,
    /// The words of its expression.
    pub expression: Vec<u64>,
    /// Those of the expression of an assignment's address.
    pub address_expression: Vec<u64>,
}

impl<L> Default for DebugRecords<L> {
    fn default() -> DebugRecords<L> {
        DebugRecords {
            later: Vec::new(),
            assigned: HashSet::default(),
            waits_for_location: false,
            last_location: None,
            last_call: None,
            calls: HashSet::default(),
            operands: Vec::new(),
            locals: Vec::new(),
            expression: Vec::new(),
            address_expression: Vec::new(),
        }
    }
}

impl<L: Copy> DebugRecords<L> {
    /// Forgets what was about the last function.
    pub fn clear(&mut self) {
        self.later.clear();
        self.assigned.clear();
        self.waits_for_location = false;
        (self.last_location, self.last_call) = (None, None);
        self.calls.clear();
    }

    /// Hands over a record with the operands that were read last. The expression of an address goes from the address to the part of
    /// the variable that the value's expression names.
    pub fn hand_over(&mut self, sink: &mut impl DebugSink, kind: DebugRecordKind, variable: u32, by_address: bool) {
        if by_address {
            let words = &self.expression;
            let fragment = words.len().checked_sub(3).filter(|&at| words[at] == llvm_operation::FRAGMENT);
            if let Some(at) = fragment {
                self.address_expression.extend_from_slice(&words[at..]);
            }
        }
        let expression = if by_address { &self.address_expression } else { &self.expression };
        let first = sink.variable_record(&VariableRecord { kind, variable, expression, operands: &self.operands });
        for (k, local) in self.locals.iter().enumerate() {
            self.later.extend(local.map(|(local, ty)| (first + k, local, ty)));
        }
    }

    /// A location by its node, whose calls the sink gets to know. `fields` are the line of a location and the node of its call.
    #[inline(always)]
    pub fn location(
        &mut self,
        sink: &mut impl DebugSink,
        node: u32,
        mut fields: impl FnMut(u32) -> (u32, Option<u32>),
    ) -> InstLocation {
        if let Some(known) = self.last_location.filter(|known| known.node == node) {
            return known;
        }
        let (line, inlined_at) = fields(node);
        let location = InstLocation { node, line, inlined_at };
        self.last_location = Some(location);
        if inlined_at.is_some() && self.last_call != inlined_at {
            self.new_call(sink, inlined_at, fields);
        }
        location
    }

    /// Lets the sink know a call, and those that it was inlined at.
    #[inline(never)]
    fn new_call(
        &mut self,
        sink: &mut impl DebugSink,
        mut call: Option<u32>,
        mut fields: impl FnMut(u32) -> (u32, Option<u32>),
    ) {
        self.last_call = call;
        while let Some(node) = call.filter(|&node| self.calls.insert(node)) {
            call = fields(node).1;
            sink.inlined_call(node, call);
        }
    }

    /// Hands over the location of the instructions that were made last, if they have one.
    #[inline(always)]
    pub fn located(&mut self, sink: &mut impl DebugSink, location: Option<InstLocation>) {
        let waits = std::mem::take(&mut self.waits_for_location);
        if let (true, Some(call)) = (waits, location.and_then(|location| location.inlined_at)) {
            sink.set_inlined_at(call);
        }
        sink.debug_location(location);
    }

    /// At the end of the body: looks up values that were not defined yet.
    pub fn finish(&mut self, sink: &mut impl DebugSink, known: impl Fn(L) -> Option<(TypeId, Val)>) {
        for (index, local, ty) in std::mem::take(&mut self.later) {
            if let Some((_, val)) = known(local).filter(|known| known.0 == ty) {
                sink.set_record_operand(index, ty, val);
            }
        }
    }
}
