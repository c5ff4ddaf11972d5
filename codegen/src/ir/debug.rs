//! Debug information in a function: the locations of its instructions, and records that say where variables get their values.
//!
//! Both are lists beside the instructions, sorted by instruction, so that a function without debug information costs nothing, and so
//! that debug information never changes the code. Nodes are named by numbers of the module's
//! [`DebugInfo`](crate::debug::DebugInfo).

use std::ops::Range;

use super::entities::{Block, Inst, Value};
use crate::debug::{DiExpression, DiLabelId, DiLocalVariableId, DiLocationId, DiSubprogramId};

/// What a record says of its variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DebugRecordKind {
    /// The variable has this value from here on, or, without operands, none that is known (LLVM's `dbg.value`).
    Value,
    /// The variable lies in memory at this address wherever its scope is entered (LLVM's `dbg.declare`).
    Declare,
    /// The variable lies in memory at this address from here on: a `Declare` of which a pass knows where it begins.
    Address,
    /// A label of the source program is here (LLVM's `dbg.label`).
    Label(DiLabelId),
}

/// A record between two instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebugRecord {
    /// The instruction that it stands before.
    pub before: Inst,
    /// What it says.
    pub kind: DebugRecordKind,
    /// The variable; of a label any number.
    pub variable: DiLocalVariableId,
    /// The call whose replacement by the callee's body made this copy of the variable or label.
    pub inlined_at: Option<DiLocationId>,
    /// The index of its expression in [`FunctionDebugInfo::expressions`].
    pub expression: u32,
    /// Its operands, in [`FunctionDebugInfo::operands`].
    pub operands: Range<u32>,
}

/// A variable of the source program, in the function itself or in a copy of a function that was inlined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceVariable {
    /// The variable.
    pub variable: DiLocalVariableId,
    /// The call whose replacement by the callee's body made this copy of it.
    pub inlined_at: Option<DiLocationId>,
}

/// A record where a block begins.
#[derive(Clone, Copy)]
pub(super) struct EarlyRecord {
    pub block: Block,
    pub kind: DebugRecordKind,
    pub of: SourceVariable,
    /// The index of its expression.
    pub expression: u32,
    pub value: Value,
}

/// The location of instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DebugLocation {
    /// The location.
    pub id: DiLocationId,
    /// Its line; 0 if the code belongs to none.
    pub line: u32,
    /// The call that was replaced by the callee's body; it is among [`FunctionDebugInfo::inlined_calls`].
    pub inlined_at: Option<DiLocationId>,
}

/// The debug information of a function.
#[derive(Clone, Debug, Default)]
pub struct FunctionDebugInfo {
    /// The function of the source program.
    pub subprogram: Option<DiSubprogramId>,
    /// The locations of instructions: each holds from its instruction up to that of the next entry. Sorted.
    pub locations: Vec<(Inst, Option<DebugLocation>)>,
    /// The calls that were replaced by the bodies of their callees, each with the call that it was inlined at itself.
    pub inlined_calls: Vec<(DiLocationId, Option<DiLocationId>)>,
    /// Records, sorted by the instruction that they stand before.
    pub records: Vec<DebugRecord>,
    /// Operands of records; `None` is a value that is not known. They do not count as uses.
    pub operands: Vec<Option<Value>>,
    /// Constants that are made now are operands of records only, see [`Function::set_debug_constants`](super::Function::set_debug_constants).
    pub(super) makes_constants: bool,
    /// Variables stay in memory until their scopes end, and every line has an instruction.
    pub keeps_variables: bool,
    /// Expressions of records.
    pub expressions: Vec<DiExpression>,
}

impl FunctionDebugInfo {
    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        self.subprogram = None;
        self.locations.clear();
        self.inlined_calls.clear();
        self.records.clear();
        self.operands.clear();
        self.expressions.clear();
        self.makes_constants = false;
        self.keeps_variables = false;
    }

    /// Is there nothing that instructions carry?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.locations.is_empty() && self.records.is_empty()
    }

    /// The location of an instruction.
    pub fn location(&self, inst: Inst) -> Option<DebugLocation> {
        let after = self.locations.partition_point(|&(first, _)| first <= inst);
        after.checked_sub(1).and_then(|at| self.locations[at].1)
    }

    /// Sets the location of the instructions from `first` on, which must not be before that of the last call.
    #[inline]
    pub fn set_location(&mut self, first: Inst, location: Option<DebugLocation>) {
        match self.locations.last_mut() {
            Some((last, known)) if *last == first => *known = location,
            Some((_, known)) if *known == location => {}
            None if location.is_none() => {}
            _ => self.locations.push((first, location)),
        }
    }

    /// Gives instructions that are appended from `first` on the location of another one.
    pub(crate) fn locate_like(&mut self, first: Inst, other: Inst) {
        if !self.locations.is_empty() {
            let location = self.location(other);
            self.set_location(first, location);
        }
    }

    /// The index of an expression, which is added if it is new.
    pub fn expression(&mut self, words: &[u64]) -> u32 {
        // Nearly all are the same few.
        let known = self.expressions.iter().take(16).position(|known| *known.0 == *words);
        known.unwrap_or_else(|| {
            self.expressions.push(DiExpression(words.into()));
            self.expressions.len() - 1
        }) as u32
    }

    /// The operands of a record.
    pub fn operands_of(&self, record: &DebugRecord) -> &[Option<Value>] {
        &self.operands[record.operands.start as usize..record.operands.end as usize]
    }

    /// Appends a record with its operands.
    pub fn push_record(&mut self, mut record: DebugRecord, operands: impl IntoIterator<Item = Option<Value>>) {
        let start = self.operands.len() as u32;
        self.operands.extend(operands);
        record.operands = start..self.operands.len() as u32;
        self.records.push(record);
    }

    /// Takes the locations of instructions away, which are sorted.
    pub(crate) fn forget_locations(&mut self, insts: &[Inst]) {
        let mut changed: Vec<(Inst, Option<DebugLocation>)> = Vec::new();
        for &i in insts {
            // What held for the next one goes on.
            let after = self.location(Inst(i.0 + 1));
            match changed.last_mut() {
                Some(last) if last.0 == i => last.1 = None,
                _ => changed.push((i, None)),
            }
            changed.push((Inst(i.0 + 1), after));
        }
        let is_changed = |i: Inst| changed.binary_search_by_key(&i, |entry| entry.0).is_ok();
        self.locations.retain(|entry| !is_changed(entry.0));
        self.locations.extend(changed);
        self.locations.sort_by_key(|entry| entry.0);
    }

    /// Makes the variables of records unknown from an instruction on, in place of the records before instructions of a stretch.
    pub(crate) fn forget_variables(&mut self, at: Inst, stretch: Range<u32>, of: Vec<DebugRecord>) {
        self.records.retain(|record| !stretch.contains(&record.before.0));
        for record in of {
            match record.kind {
                DebugRecordKind::Value | DebugRecordKind::Address => {
                    let unknown = DebugRecord { before: at, kind: DebugRecordKind::Value, ..record };
                    self.push_record(unknown, []);
                }
                // It holds wherever it stands.
                DebugRecordKind::Declare => self.records.push(DebugRecord { before: at, ..record }),
                DebugRecordKind::Label(_) => {}
            }
        }
        self.records.sort_by_key(|record| record.before);
    }

    /// Takes the locations and records out.
    pub(super) fn take_lists(&mut self) -> FunctionDebugInfo {
        FunctionDebugInfo {
            locations: std::mem::take(&mut self.locations),
            records: std::mem::take(&mut self.records),
            ..FunctionDebugInfo::default()
        }
    }

    /// Moves locations and records to instructions as they are numbered after some have been removed: `moved` gives the number of an
    /// instruction, or of the next one that is left. It keeps the order, and is asked in order: for all locations, then for all records.
    pub(crate) fn renumber(&mut self, mut moved: impl FnMut(Inst) -> Inst) {
        self.locations.iter_mut().for_each(|entry| entry.0 = moved(entry.0));
        // Of several entries at one instruction the last one holds.
        self.locations.reverse();
        self.locations.dedup_by_key(|entry| entry.0);
        self.locations.reverse();
        self.records.iter_mut().for_each(|record| record.before = moved(record.before));
    }
}

/// Locations and records of a function whose instructions are written anew.
pub(crate) struct Carry<'a> {
    locations: &'a [(Inst, Option<DebugLocation>)],
    records: &'a [DebugRecord],
    next_location: usize,
    next_record: usize,
}

impl<'a> Carry<'a> {
    /// Carries over from a function's old lists. `None` if there is nothing to carry.
    pub fn new(from: &'a FunctionDebugInfo) -> Option<Carry<'a>> {
        let FunctionDebugInfo { locations, records, .. } = from;
        (!from.is_empty()).then_some(Carry { locations, records, next_location: 0, next_record: 0 })
    }

    /// Begins a block that starts with the old instruction `first`, and whose new instructions begin at `to`.
    pub fn begin_block(&mut self, first: Inst, to: Inst, out: &mut FunctionDebugInfo) {
        self.next_location = self.locations.partition_point(|&(from, _)| from <= first);
        let location = self.next_location.checked_sub(1).and_then(|at| self.locations[at].1);
        out.set_location(to, location);
        self.next_record = self.records.partition_point(|record| record.before < first);
    }

    /// Carries over what belongs to the old instruction `from`, whose replacement begins at `to`.
    #[inline]
    pub fn step(&mut self, from: Inst, to: Inst, out: &mut FunctionDebugInfo) {
        while let Some(&(_, location)) = self.locations.get(self.next_location).filter(|entry| entry.0 <= from) {
            out.set_location(to, location);
            self.next_location += 1;
        }
        while let Some(record) = self.records.get(self.next_record).filter(|record| record.before <= from) {
            out.records.push(DebugRecord { before: to, ..record.clone() });
            self.next_record += 1;
        }
    }
}
