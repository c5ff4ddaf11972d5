//! Follows values that nothing reads any more from block to block, when a function's code is complete.
//!
//! While code is made, a value that has been read for the last time is known where it is to the end of its block. What holds in the blocks
//! behind depends on all code that leads to them, with the way back of loops. So each block leaves a list of the registers that its code
//! writes; then, for each variable that is nowhere where a block begins, the places are found on which all predecessors agree. A place is
//! known up to the first instruction that writes one of its registers.

use std::ops::Range;

use super::dataflow::{RecordFlow, same_record};
use super::operand::{Place, VariableOperand};
use super::record_states::NONE;
use crate::analysis::Cfg;
use crate::buffer::{CodeBuffer, Mark, VariableEvent};
use crate::ir::Function;

/// How many blocks of all keys together are looked at in a function. After that no key is followed.
const MOST_BLOCKS: usize = 1 << 21;
/// How often all blocks of a key are looked at.
const MOST_ROUNDS: usize = 12;
/// A place that has not been looked for.
const UNKNOWN: u32 = u32::MAX - 1;

/// Code of a block.
#[derive(Clone)]
struct EmittedBlock {
    /// The block's index in the order.
    index: u32,
    code: Range<u32>,
    /// Registers that are written between the code before and this code, on the way from some block.
    before: u64,
    /// Registers that the code writes, together and one instruction after the other.
    all: u64,
    writes: Range<u32>,
    /// The events that were marked in the block, but for those that say what holds at its start.
    events: Range<u32>,
}

/// The blocks of a function in the order of the code, and what they write.
#[derive(Default)]
pub(super) struct EmittedCode {
    blocks: Vec<EmittedBlock>,
    /// For each instruction its offset and the registers.
    writes: Vec<(u32, u64)>,
    /// By index of the order, where the block is in the list, or [`NONE`].
    position: Vec<u32>,
}

impl EmittedCode {
    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.writes.clear();
    }

    /// Notes where each block of an order of this length is.
    fn number(&mut self, blocks: usize) {
        self.position.clear();
        self.position.resize(blocks, NONE);
        for (block, position) in self.blocks.iter().zip(0..) {
            self.position[block.index as usize] = position;
        }
    }

    /// Where the code ends that has been noted.
    pub fn end(&self) -> Option<u32> {
        self.blocks.last().map(|block| block.code.end)
    }

    /// Begins the block at an index of the order. The code since the last block writes the registers `before`.
    pub fn begin_block(&mut self, index: usize, offset: u32, before: u64, events: usize) {
        let (writes, events) = (self.writes.len() as u32, events as u32);
        self.blocks.push(EmittedBlock {
            index: index as u32,
            code: offset..offset,
            before,
            all: 0,
            writes: writes..writes,
            events: events..events,
        });
    }

    /// Notes the registers that an instruction of the block has written.
    #[inline]
    pub fn end_inst(&mut self, code: Range<u32>, written: u64, events: usize) {
        let Some(block) = self.blocks.last_mut() else { return };
        (block.code.end, block.events.end) = (code.end, events as u32);
        if written != 0 {
            block.all |= written;
            self.writes.push((code.start, written));
            block.writes.end = self.writes.len() as u32;
        }
    }

    /// The offset up to which a block leaves registers as they are.
    fn untouched(&self, block: &EmittedBlock, registers: u64) -> u32 {
        let writes = &self.writes[block.writes.start as usize..block.writes.end as usize];
        let first = writes.iter().find(|(_, written)| written & registers != 0).filter(|_| block.all & registers != 0);
        first.map_or(block.code.end, |&(offset, _)| offset)
    }
}

/// A block at whose start a record holds, but the key is nowhere.
struct Candidate {
    /// Where the block is in the code's list.
    position: u32,
    record: u32,
    /// The event that marks where the key is, [`UNKNOWN`], or [`NONE`] if it is nowhere.
    known: u32,
    /// The key's last event at the block's start, and at its end.
    events: Range<u32>,
}

/// What is asked about one key after the other.
struct Search<'a> {
    f: &'a Function,
    cfg: &'a Cfg,
    flow: &'a RecordFlow,
    code: &'a EmittedCode,
    buffer: &'a CodeBuffer,
    /// The key's events, in order.
    events: &'a [u32],
    candidates: Vec<Candidate>,
    /// By index of the order, the candidate, or [`NONE`].
    candidate: Vec<u32>,
    work: usize,
}

impl EmittedCode {
    /// Adds the places of values that nothing reads any more to those of a function whose code is complete.
    pub fn follow(&mut self, flow: &RecordFlow, f: &Function, cfg: &Cfg, buffer: &mut CodeBuffer) {
        // Others restore registers where handlers begin, and where calls return twice.
        if f.exceptions.has_funclets() || f.attrs.calls_returns_twice || self.blocks.len() < 2 {
            return;
        }
        self.number(cfg.order.len());
        let mut order: Vec<u32> = (0..buffer.variables.len() as u32).collect();
        order.sort_by_key(|&event| buffer.variables[event as usize].value.key);
        let mut search = Search {
            f,
            cfg,
            flow,
            code: self,
            buffer,
            events: &[],
            candidates: Vec::new(),
            candidate: vec![NONE; cfg.order.len()],
            work: 0,
        };
        let mut found = Vec::new();
        let key = |event: u32| buffer.variables[event as usize].value.key;
        for events in order.chunk_by(|&a, &b| key(a) == key(b)) {
            search.events = events;
            search.run(&mut found);
            if search.work > MOST_BLOCKS {
                break;
            }
        }
        if !found.is_empty() {
            buffer.variables.extend(found);
            buffer.variables.sort_by_key(|mark| mark.offset);
        }
    }
}

impl Search<'_> {
    fn event(&self, event: u32) -> &VariableEvent {
        &self.buffer.variables[event as usize].value
    }

    fn key(&self, event: u32) -> u32 {
        self.event(event).key
    }

    /// Finds the places of the key whose events are given.
    fn run(&mut self, found: &mut Vec<Mark<VariableEvent>>) {
        self.find_candidates();
        for _ in 0..MOST_ROUNDS {
            if !self.look_around() {
                self.mark(found);
                break;
            }
        }
        for candidate in self.candidates.drain(..) {
            self.candidate[self.code.blocks[candidate.position as usize].index as usize] = NONE;
        }
    }

    /// How many of the key's events were marked before that with a number.
    fn before(&self, number: u32) -> u32 {
        self.events.partition_point(|&event| event < number) as u32
    }

    /// Does one of the key's first so many events leave it somewhere?
    fn is_somewhere(&self, events: u32) -> bool {
        self.event_before(events) != NONE
    }

    /// The last of the key's first so many events, if it says where the key is, or [`NONE`].
    fn event_before(&self, events: u32) -> u32 {
        let last = events.checked_sub(1).map(|at| self.events[at as usize]);
        last.filter(|&event| self.event(event).record.is_some()).unwrap_or(NONE)
    }

    /// Finds the blocks where a record of the key holds at the start, but the key is nowhere.
    fn find_candidates(&mut self) {
        let key = self.key(self.events[0]);
        let (first, last) = self.flow.extent(key);
        let blocks = self.cfg.order.len();
        let (first, last) = (first as usize, (last as usize).min(blocks - 1));
        self.work += last.saturating_sub(first) + 1;
        for index in first..=last {
            let position = self.code.position[index];
            if index == 0 || position == NONE || self.f.is_pad(self.cfg.order[index]) {
                continue;
            }
            let record = self.flow.record_at(index, key);
            if record == NONE {
                continue;
            }
            let block = &self.code.blocks[position as usize];
            let events = self.before(block.events.start)..self.before(block.events.end);
            if !self.is_somewhere(events.start) {
                self.candidate[index] = self.candidates.len() as u32;
                self.candidates.push(Candidate { position, record, known: UNKNOWN, events });
            }
        }
    }

    /// Looks at all candidates. Returns whether more is known of one.
    fn look_around(&mut self) -> bool {
        let mut is_changed = false;
        self.work += self.candidates.len();
        for at in 0..self.candidates.len() {
            let Candidate { position, record, known, .. } = self.candidates[at];
            if known == NONE {
                continue;
            }
            let block = &self.code.blocks[position as usize];
            let (mut place, predecessors) = (known, self.flow.predecessors.of(block.index as usize));
            for &from in predecessors {
                place = self.common(place, self.exit(from), record);
            }
            if place < UNKNOWN && block.before & self.event(place).registers != 0 {
                place = NONE;
            }
            is_changed |= place != known;
            self.candidates[at].known = place;
        }
        is_changed
    }

    /// The place that two events agree on, if it is about a record.
    fn common(&self, known: u32, other: u32, record: u32) -> u32 {
        if known == NONE || other == UNKNOWN || known == other {
            return known;
        }
        let event = match other {
            NONE => return NONE,
            _ => self.event(other),
        };
        let is_same = known == UNKNOWN || self.operands(self.event(known)) == self.operands(event);
        let is_about = event.record.is_some_and(|own| own == record || same_record(self.f, own, record));
        match is_same && is_about {
            true if known == UNKNOWN => other,
            true => known,
            false => NONE,
        }
    }

    fn operands(&self, event: &VariableEvent) -> &[VariableOperand] {
        &self.buffer.variable_operands[event.operands.start as usize..event.operands.end as usize]
    }

    /// Where the key is when the block at an index of the order ends.
    fn exit(&self, index: u32) -> u32 {
        let position = self.code.position[index as usize];
        if position == NONE {
            return NONE;
        }
        let block = &self.code.blocks[position as usize];
        let event = match self.candidates.get(self.candidate[index as usize] as usize) {
            Some(candidate) if candidate.events.is_empty() => {
                let known = candidate.known;
                let is_lost = known < UNKNOWN && block.all & self.event(known).registers != 0;
                return if is_lost { NONE } else { known };
            }
            Some(candidate) => self.event_before(candidate.events.end),
            None => self.event_before(self.before(block.events.end)),
        };
        // Memory that nothing reads may be written for another value.
        let in_register = |place: Place| matches!(place, Place::Register(_));
        let lasts = |operand: &VariableOperand| match *operand {
            VariableOperand::Value { low, high, .. } => in_register(low) && high.is_none_or(in_register),
            _ => true,
        };
        if event != NONE && self.operands(self.event(event)).iter().all(lasts) { event } else { NONE }
    }

    /// Marks the places that have been found.
    fn mark(&mut self, found: &mut Vec<Mark<VariableEvent>>) {
        self.candidates.sort_by_key(|candidate| candidate.position);
        let key = self.key(self.events[0]);
        let first = found.len();
        for candidate in self.candidates.iter().filter(|candidate| candidate.known < UNKNOWN) {
            let block = &self.code.blocks[candidate.position as usize];
            let event = self.event(candidate.known);
            // The key's next event ends the stretch.
            let next = self.events.get(candidate.events.start as usize);
            let next = next.map_or(u32::MAX, |&next| self.buffer.variables[next as usize].offset);
            let (start, end) = (block.code.start, self.code.untouched(block, event.registers).min(next));
            if start >= end {
                continue;
            }
            match found[first..].last() {
                // It goes on.
                Some(last) if last.offset == start && found.len() > first + 1 => {
                    let before = &found[found.len() - 2].value;
                    if before.operands == event.operands && before.record == event.record {
                        found.pop();
                    } else {
                        found.push(Mark { offset: start, value: event.clone() });
                    }
                }
                _ => found.push(Mark { offset: start, value: event.clone() }),
            }
            if end < next {
                let nowhere = VariableEvent { key, record: None, operands: 0..0, registers: 0 };
                found.push(Mark { offset: end, value: nowhere });
            }
        }
    }
}
