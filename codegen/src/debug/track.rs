//! Follows the values of variables through registers and the frame while code is made.
//!
//! The tracker knows where the values are that variables have, and looks again when that may have changed: when a record is met, when the
//! register of a value gets another one, when a register gets the value, when nothing reads it any more. Where a block begins, it looks at
//! the variables of which another record holds than where the block emitted before has ended, and at those that may be elsewhere. It only
//! believes what cannot be wrong: a register that holds the value's copy, or the value's own home while it lives. A home that several
//! values share belongs to the one that was bound to it last in the block.

use std::cmp::Reverse;
use std::ops::Range;

use super::dataflow::RecordEffect;
use super::operand::{LabelPlace, Place, VariableOperand};
use super::record_states::NONE;
use super::tracker::{KeyState, NO_UNIT, OperandSource, VariableTracker};
use super::unread::EmittedCode;
use crate::alloc::{Emitter, UnitFlags};
use crate::analysis::{Cfg, Fold};
use crate::buffer::{CodeBuffer, Mark, VariableEvent};
use crate::frame::{Frame, FramePlace};
use crate::ir::{ConstData, DebugRecord, DebugRecordKind, Function, Inst, Slot, Value, ValueDef};
use crate::machine::{FrameAddr, Machine, PReg, each_register};

/// How often all keys together are asked whether they are elsewhere because of a value's copy, or because it is in its home again. After
/// that no key is asked.
const MOST_ASKED: usize = 1 << 20;

/// Where an operand is.
struct Found {
    operand: VariableOperand,
    /// The registers that it is in.
    registers: u64,
    /// The position from which on nothing reads it, if it has one that is to come.
    death: Option<u32>,
    source: OperandSource,
}

/// What is to be done about a key.
enum Look {
    /// It is where it was marked to be, in these registers.
    Stays(u64),
    /// It is nowhere.
    Nowhere,
    /// Its operands are to be searched for.
    Search,
}

impl VariableTracker {
    /// Does a function have a variable that moves, or a label?
    pub fn is_needed(f: &Function) -> bool {
        let followed = |record: &DebugRecord| moves(f, record) || matches!(record.kind, DebugRecordKind::Label(_));
        f.debug.subprogram.is_some() && f.debug.records.iter().any(followed)
    }

    /// Begins a function. `entry` has the parameters that come in one register each.
    pub fn begin<T: Machine>(&mut self, cx: &Emitter<'_, T>, entry: impl Iterator<Item = (Value, PReg)>) {
        let follows = cx.intervals.is_some();
        self.flow.compute(cx.f, cx.cfg, follows, |record| known_until(cx, record));
        let shares_homes = !follows && cx.units.share_homes();
        self.clear(cx.f.value_count(), cx.cfg.order.len(), shares_homes, cx.buf.offset());
        self.code = follows.then(|| self.code.take().unwrap_or_default());
        self.code.iter_mut().for_each(EmittedCode::clear);
        let dwarf = cx.target.facts().dwarf_register;
        self.entry_registers.extend(entry.map(|(v, r)| (v, dwarf(r))));
    }

    /// Begins the block at an index of the order, whose parameters have been bound. Only those keys are looked at that may be elsewhere than
    /// where the block before it in the code has ended.
    pub fn begin_block<T: Machine>(&mut self, cx: &mut Emitter<'_, T>, index: usize) {
        let (start, between) = (cx.buf.offset(), self.written_between(cx));
        let records = self.flow.records_of(index);
        (self.next, self.end) = (records.start, records.end);
        if self.owners.is_some() {
            self.begin_owners(cx, index);
        }
        let before = self.block.replace(index);
        let VariableTracker { flow, keys, waiting, .. } = self;
        for (key, record) in self.passing.drain(..) {
            let state = &mut keys[key as usize];
            if state.record == record {
                state.record = NONE;
                state.wait(key, waiting);
            }
        }
        flow.changes(before, index, |key, record| {
            keys[key as usize].record = record;
            keys[key as usize].wait(key, waiting);
        });
        self.find_sought(cx);
        self.find_awaited(cx, index);
        self.find_last_copies(cx);
        // Control may come from elsewhere: nobody knows what is in registers that nothing reads.
        let touched = self.changed_registers(cx) | self.unread;
        self.take_deaths(cx);
        self.take_residents(touched);
        self.written = Some(!0);
        self.refresh_waiting(cx);
        if let Some(code) = &mut self.code {
            code.begin_block(index, start, between, cx.buf.variables.len());
        }
    }

    /// The registers that the code between the last block and the one that begins writes.
    fn written_between<T: Machine>(&mut self, cx: &Emitter<'_, T>) -> u64 {
        match self.code.as_ref().and_then(EmittedCode::end).filter(|&end| end < cx.buf.offset()) {
            Some(end) => {
                self.look_from(end);
                self.written_by_code(cx, cx.buf.offset())
            }
            None => 0,
        }
    }

    /// Finds the owners of homes where a block begins.
    fn begin_owners<T: Machine>(&mut self, cx: &Emitter<'_, T>, index: usize) {
        let Some(owners) = &mut self.owners else { return };
        let from = self.flow.predecessors.of(index);
        if let Some(before) = self.block {
            owners.end_block(before, self.owned, &self.owner);
            if *from == [before as u32] {
                return;
            }
        }
        // Loops that are tested at their end are entered by blocks that come later.
        let (mut owned, mut owner) = owners.common(from).unwrap_or_else(|| read_owners(cx, index));
        for &v in cx.f.params(cx.cfg.order[index]) {
            for u in cx.units.of(v) {
                if let Some(home) = cx.units.home(u) {
                    owner[home.0 as usize] = u;
                    owned |= home.mask();
                }
            }
        }
        for r in each_register(self.resident) {
            if owner[r.0 as usize] != self.owner[r.0 as usize] {
                self.rebound |= r.mask();
            }
        }
        (self.owned, self.owner) = (owned, owner);
    }

    /// Are there records before an instruction that have not been taken?
    #[inline]
    pub fn has_records(&self, f: &Function, inst: Inst) -> bool {
        self.next < self.end && f.debug.records[self.next as usize].before <= inst
    }

    /// Takes the records before an instruction.
    pub fn begin_inst<T: Machine>(&mut self, cx: &mut Emitter<'_, T>, inst: Inst) {
        while self.has_records(cx.f, inst) {
            let record = &cx.f.debug.records[self.next as usize];
            if let DebugRecordKind::Label(label) = record.kind {
                let value = LabelPlace { label, inlined_at: record.inlined_at };
                cx.buf.source_labels.push(Mark { offset: cx.buf.offset(), value });
            }
            let RecordEffect { key, holds, lasts, .. } = self.flow.effect(self.next);
            if key != NONE {
                let VariableTracker { flow, keys, waiting, .. } = self;
                for other in flow.overlapping(key) {
                    let state = &mut keys[other as usize];
                    if state.record != NONE {
                        state.record = NONE;
                        state.wait(other, waiting);
                    }
                }
                keys[key as usize].record = holds;
                keys[key as usize].wait(key, waiting);
                if !lasts && holds != NONE {
                    self.passing.push((key, holds));
                }
            }
            self.next += 1;
        }
        self.refresh_waiting(cx);
    }

    /// Ends an instruction, which may have called a function.
    pub fn end_inst<T: Machine>(&mut self, cx: &mut Emitter<'_, T>) {
        let filled = cx.regs.changed & cx.regs.occupied;
        if self.missing > 0 && filled != 0 {
            self.find_missing(cx, filled);
        }
        let mut touched = self.changed_registers(cx);
        self.take_deaths(cx);
        self.written = None;
        let from = self.looked;
        if self.unread != 0 {
            touched |= self.unread & self.written(cx);
        }
        self.take_residents(touched);
        let written = if self.code.is_some() { self.written(cx) } else { 0 };
        self.refresh_waiting(cx);
        self.note_written(cx, from, written);
    }

    /// The registers with residents that hold something else than when these were marked.
    fn changed_registers<T: Machine>(&mut self, cx: &mut Emitter<'_, T>) -> u64 {
        let mut changed = std::mem::take(&mut self.rebound) & self.resident;
        for r in each_register(std::mem::take(&mut cx.regs.changed) & self.resident) {
            if held_unit(cx, r) != self.holders[r.0 as usize] {
                changed |= r.mask();
            }
        }
        changed
    }

    /// Lets the keys wait of which nothing reads a value any more.
    fn take_deaths<T: Machine>(&mut self, cx: &Emitter<'_, T>) {
        while let Some(&Reverse((_, key))) = self.deaths.peek().filter(|death| death.0.0 <= cx.position()) {
            self.deaths.pop();
            self.keys[key as usize].wait(key, &mut self.waiting);
        }
    }

    /// Lets the residents of registers wait.
    #[inline]
    fn take_residents(&mut self, registers: u64) {
        if registers & (self.resident | self.unread) != 0 {
            self.take_residents_of(registers);
        }
    }

    fn take_residents_of(&mut self, registers: u64) {
        let VariableTracker { residents, keys, waiting, .. } = self;
        for r in each_register(registers & self.resident) {
            for key in residents[r.0 as usize].drain(..) {
                let state = &mut keys[key as usize];
                state.listed &= !r.mask();
                state.wait(key, waiting);
            }
        }
        self.resident &= !registers;
        self.unread &= !registers;
    }

    /// Looks again where the keys are that were in registers which a call has changed, or the code that passes its arguments. The call's
    /// instruction begins at `from`, and what is known after it holds from there on: a debugger that shows the caller of a function asks
    /// for the address before that to which the call returns.
    pub fn after_call<T: Machine>(&mut self, cx: &mut Emitter<'_, T>, from: u32, clobbered: u64) {
        let passing = self.written_by_code(cx, from);
        let waiting = self.waiting.len();
        // Before the first instruction it is all there.
        self.give_up(cx, passing, (self.looked + 1).min(from));
        self.give_up(cx, clobbered, from);
        if self.waiting.len() > waiting {
            let marks = cx.buf.variables.len();
            self.written = Some(!0);
            self.refresh_waiting(cx);
            cx.buf.variables[marks..].iter_mut().for_each(|mark| mark.offset = from);
        }
    }

    /// Lets the keys wait whose missing value is in one of some registers now.
    fn find_missing<T: Machine>(&mut self, cx: &Emitter<'_, T>, registers: u64) {
        for r in each_register(registers) {
            let v = cx.units.value(cx.regs.holder[r.0 as usize]);
            if self.is_missing[v.index()] {
                self.set_missing(v, false);
                self.asked += self.seekers.len();
                let VariableTracker { seekers, keys, waiting, .. } = self;
                for &key in &*seekers {
                    let state = &mut keys[key as usize];
                    if state.sought == v.0 && state.marked == NONE {
                        state.wait(key, waiting);
                    }
                }
            }
        }
    }

    /// Lets the keys wait whose value can be found where a block begins, and forgets those that need it no more.
    fn find_sought<T: Machine>(&mut self, cx: &Emitter<'_, T>) {
        if self.seekers.is_empty() || self.seekers_anywhere == 0 && !self.holds_sought(cx) {
            return;
        }
        let mut seekers = std::mem::take(&mut self.seekers);
        self.asked += seekers.len();
        if self.asked > MOST_ASKED {
            return;
        }
        self.seekers_anywhere = 0;
        seekers.retain(|&key| {
            let state = &mut self.keys[key as usize];
            let v = Value(state.sought);
            if state.sought == NONE || state.record == NONE || !is_read(cx, v) {
                state.seeks = false;
                if state.sought != NONE && !is_read(cx, v) {
                    if state.record != NONE {
                        let number = state.record;
                        self.await_value(cx, key, number, v);
                    }
                    self.set_missing(v, false);
                }
                return false;
            }
            if cx.units.of(v).all(|unit| place(cx, &self.owner, v, unit).is_some()) {
                state.wait(key, &mut self.waiting);
            }
            self.note_sought(cx, v);
            true
        });
        self.seekers = seekers;
    }

    /// Does a register hold a value that a key seeks? None does of those that were sought once and are no longer.
    fn holds_sought<T: Machine>(&mut self, cx: &Emitter<'_, T>) -> bool {
        let copies = each_register(cx.regs.occupied).map(|r| cx.regs.holder[r.0 as usize]);
        let homes = each_register(self.owned).map(|r| self.owner[r.0 as usize]);
        let is_sought = &mut self.is_sought;
        copies.chain(homes).fold(false, |any, unit| any | std::mem::take(&mut is_sought[cx.units.value(unit).index()]))
    }

    /// Notes that a key seeks a value. One that shares its home is in a register or nowhere.
    fn note_sought<T: Machine>(&mut self, cx: &Emitter<'_, T>, v: Value) {
        match shares_home(cx, v) {
            true => self.is_sought[v.index()] = true,
            false => self.seekers_anywhere += 1,
        }
    }

    /// Lets the keys wait that await a value which lives again where the block at an index begins.
    fn find_awaited<T: Machine>(&mut self, cx: &Emitter<'_, T>, index: usize) {
        let Some(intervals) = cx.intervals.filter(|_| !self.awaiting.is_empty()) else { return };
        for (v, _) in intervals.live_in(index) {
            let mut next = std::mem::replace(&mut self.last_awaiting[v.index()], NONE);
            while let Some(&(key, before)) = self.awaiting.get(next as usize) {
                let state = &mut self.keys[key as usize];
                if state.awaited == v.0 {
                    state.awaited = NONE;
                    state.wait(key, &mut self.waiting);
                }
                next = before;
            }
        }
    }

    /// Lets a key, of which a record holds, await a value that is not read in this block.
    fn await_value<T: Machine>(&mut self, cx: &Emitter<'_, T>, key: u32, number: u32, v: Value) {
        let lives_again = cx.intervals.is_some() && self.flow.effect(number).until > cx.position();
        if lives_again && std::mem::replace(&mut self.keys[key as usize].awaited, v.0) != v.0 {
            let last = std::mem::replace(&mut self.last_awaiting[v.index()], self.awaiting.len() as u32);
            self.awaiting.push((key, last));
        }
    }

    /// Notes whether some key is nowhere that a value in a register would give a place.
    fn set_missing(&mut self, v: Value, is_missing: bool) {
        let was = std::mem::replace(&mut self.is_missing[v.index()], is_missing);
        self.missing = self.missing + u32::from(is_missing) - u32::from(was);
    }

    /// Lets the keys wait whose value is in memory, has a copy in a register and is read for the last time in the block that begins: the copy
    /// may last longer.
    fn find_last_copies<T: Machine>(&mut self, cx: &Emitter<'_, T>) {
        if self.in_memory.is_empty() || self.asked > MOST_ASKED {
            return;
        }
        for r in each_register(cx.regs.occupied) {
            let v = cx.units.value(cx.regs.holder[r.0 as usize]);
            if cx.live.end(v) <= cx.block_end() && std::mem::take(&mut self.is_in_memory[v.index()]) {
                self.asked += self.in_memory.len();
                let VariableTracker { in_memory, keys, waiting, .. } = self;
                let found = in_memory.extract_if(.., |&mut (of, _)| of == v);
                found.for_each(|(_, key)| keys[key as usize].wait(key, waiting));
            }
        }
    }

    /// Ends a terminator, whose code begins at `start`. It may have moved values to where the next block wants them, or have taken the
    /// frame away: what was in the registers that it writes is not known from its begin on.
    pub fn end_terminator<T: Machine>(&mut self, cx: &mut Emitter<'_, T>, start: u32) {
        if self.resident == 0 && self.code.is_none() {
            return;
        }
        self.written = None;
        let written = if cx.buf.offset() == start { 0 } else { self.written(cx) };
        self.give_up(cx, written, start);
        self.note_written(cx, start, written);
    }

    /// Notes which registers an instruction has written whose code begins at `from`.
    #[inline]
    fn note_written<T: Machine>(&mut self, cx: &Emitter<'_, T>, from: u32, written: u64) {
        if let Some(code) = &mut self.code {
            code.end_inst(from..cx.buf.offset(), written, cx.buf.variables.len());
        }
    }

    /// Forgets what is in registers when a jump replaces the function's frame. A debugger that shows such a function does not know them.
    pub fn before_jump<T: Machine>(&mut self, cx: &mut Emitter<'_, T>, jump: u32) {
        self.give_up(cx, !0, jump);
    }

    /// Adds the places of values that nothing reads any more, when the function's code is complete.
    pub fn follow_unread(&mut self, f: &Function, cfg: &Cfg, buffer: &mut CodeBuffer) {
        if let Some(code) = &mut self.code {
            code.follow(&self.flow, f, cfg, buffer);
        }
    }

    /// Marks that what is in some registers is nowhere from an offset on, and looks again later.
    fn give_up<T: Machine>(&mut self, cx: &mut Emitter<'_, T>, lost: u64, offset: u32) {
        for r in each_register(lost & self.resident) {
            let mut residents = std::mem::take(&mut self.residents[r.0 as usize]);
            for key in residents.drain(..) {
                let state = &mut self.keys[key as usize];
                state.listed &= !r.mask();
                if state.registers & r.mask() != 0 {
                    state.wait(key, &mut self.waiting);
                    self.mark(cx, offset, key, None);
                }
            }
            self.residents[r.0 as usize] = residents;
        }
        self.resident &= !lost;
        self.unread &= !lost;
    }

    /// The registers that the code since the last look has written, or that a function it called may have changed.
    #[inline]
    fn written<T: Machine>(&mut self, cx: &Emitter<'_, T>) -> u64 {
        match self.written {
            Some(known) => known,
            None => self.find_written(cx),
        }
    }

    fn find_written<T: Machine>(&mut self, cx: &Emitter<'_, T>) -> u64 {
        let at = cx.position();
        let calls = cx.live.crosses_call(at.saturating_sub(1), at + 1);
        let changed = cx.live.changed.whole | cx.live.changed.high;
        let lost = if calls { !cx.target.facts().registers.preserved | changed } else { 0 };
        let written = lost | self.written_by_code(cx, cx.buf.offset());
        self.written = Some(written);
        written
    }

    /// The registers that the code from the last look to an offset has written.
    fn written_by_code<T: Machine>(&mut self, cx: &Emitter<'_, T>, to: u32) -> u64 {
        // Constants among the code cannot be told from instructions.
        if cx.buf.data().last().is_some_and(|data| data.end > self.looked) {
            return !0;
        }
        let (from, known) = self.decoded;
        if from < to {
            let new = cx.target.written_registers(&cx.buf.bytes()[from as usize..to as usize]);
            self.decoded = (to, known | new);
        }
        self.decoded.1
    }

    /// Looks where the keys are that wait for it.
    #[inline]
    fn refresh_waiting<T: Machine>(&mut self, cx: &mut Emitter<'_, T>) {
        if !self.waiting.is_empty() {
            self.refresh_all(cx);
        }
        self.look_from(cx.buf.offset());
    }

    fn refresh_all<T: Machine>(&mut self, cx: &mut Emitter<'_, T>) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.drain(..).for_each(|key| self.refresh(cx, key));
        self.waiting = waiting;
    }

    /// Marks where a key is now, if that has changed. Values that nothing reads any more are still in their registers, unless these have been
    /// written.
    fn refresh<T: Machine>(&mut self, cx: &mut Emitter<'_, T>, key: u32) {
        let state = &mut self.keys[key as usize];
        state.waits = false;
        let number = state.record;
        let offset = cx.buf.offset();
        match self.look_at_mark(cx, key, number) {
            Look::Stays(registers) => return self.list(cx, key, registers),
            Look::Nowhere if self.keys[key as usize].marked == NONE => return,
            Look::Nowhere => return self.mark(cx, offset, key, None),
            Look::Search => {}
        }
        let start = cx.buf.variable_operands.len();
        let found = self.operands(cx, key, number);
        let state = &mut self.keys[key as usize];
        let (known, now) = cx.buf.variable_operands.split_at(start);
        let same = match found {
            None => state.marked == NONE,
            Some(_) => {
                state.marked == number && known[state.operands.start as usize..state.operands.end as usize] == *now
            }
        };
        let (registers, source) = found.unwrap_or((0, OperandSource::Other));
        // With intervals, ends are those in the block at hand.
        let is_known_to_end =
            same && (cx.intervals.is_none() || source.end().is_some() && source.end() == state.source.end());
        state.source = source;
        if !is_known_to_end {
            self.ends.iter().for_each(|&end| self.deaths.push(Reverse((end, key))));
        }
        if same {
            cx.buf.variable_operands.truncate(start);
        } else {
            if let (OperandSource::Unit { unit, .. }, 0) = (source, registers) {
                let v = cx.units.value(unit);
                self.is_in_memory[v.index()] = true;
                self.in_memory.push((v, key));
            }
            let operands = start as u32..cx.buf.variable_operands.len() as u32;
            self.mark(cx, offset, key, found.map(|_| (number, operands, registers)));
        }
        self.ends.clear();
        self.list(cx, key, registers);
    }

    /// What can be said at once of a key of which a record holds.
    #[inline]
    fn look_at_mark<T: Machine>(&mut self, cx: &Emitter<'_, T>, key: u32, number: u32) -> Look {
        if number == NONE {
            return Look::Nowhere;
        }
        let KeyState { source, registers, marked, .. } = self.keys[key as usize];
        let is_past = self.flow.effect(number).until <= cx.position();
        match source {
            OperandSource::Fixed if marked == number => Look::Stays(0),
            OperandSource::Unit { unit, end, shares_home } if marked == number && end > cx.position() => {
                match register_of(cx, &self.owner, unit, shares_home) {
                    Some(r) if r.mask() == registers => Look::Stays(registers),
                    None if registers == 0 && cx.units.reg(unit).is_none() => Look::Stays(0),
                    _ => Look::Search,
                }
            }
            OperandSource::Unit { .. } if marked == number && registers != 0 && registers & self.written(cx) == 0 => {
                self.unread |= registers;
                Look::Stays(registers)
            }
            OperandSource::Other if marked == number => Look::Search,
            _ if is_past => Look::Nowhere,
            _ => Look::Search,
        }
    }

    /// Lists a key in the registers that it is in.
    fn list<T: Machine>(&mut self, cx: &Emitter<'_, T>, key: u32, registers: u64) {
        self.resident |= registers;
        let state = &mut self.keys[key as usize];
        let unlisted = registers & !state.listed;
        state.listed |= registers;
        each_register(unlisted).for_each(|r| self.residents[r.0 as usize].push(key));
        for r in each_register(registers) {
            self.holders[r.0 as usize] = held_unit(cx, r);
        }
    }

    /// Appends the operands of a record to those of the buffer, if all are somewhere. Returns the registers that they are in.
    fn operands<T: Machine>(&mut self, cx: &mut Emitter<'_, T>, key: u32, number: u32) -> Option<(u64, OperandSource)> {
        let record = &cx.f.debug.records[number as usize];
        let start = cx.buf.variable_operands.len();
        let (mut registers, mut source) = (0, OperandSource::Other);
        self.keys[key as usize].sought = NONE;
        for (at, v) in cx.f.debug.operands_of(record).iter().enumerate() {
            let v = cx.f.resolve((*v)?);
            let now = self.operand(cx, v);
            let is_read_elsewhere = now.is_none() && is_read(cx, v);
            if is_read_elsewhere {
                self.seek(cx, key, v);
            }
            let found = now.or_else(|| self.still(cx, key, at)).or_else(|| self.entry_value(v));
            let Some(found) = found else {
                cx.buf.variable_operands.truncate(start);
                if is_read_elsewhere {
                    self.set_missing(v, true);
                } else {
                    self.await_value(cx, key, number, v);
                }
                return None;
            };
            match found.death {
                Some(end) => self.ends.push(end),
                None => self.unread |= found.registers,
            }
            registers |= found.registers;
            source = if record.operands.len() == 1 { found.source } else { OperandSource::Other };
            cx.buf.variable_operands.push(found.operand);
        }
        Some((registers, source))
    }

    /// Notes that a key would be elsewhere if a value were found.
    fn seek<T: Machine>(&mut self, cx: &Emitter<'_, T>, key: u32, v: Value) {
        self.note_sought(cx, v);
        let state = &mut self.keys[key as usize];
        state.sought = v.0;
        if !std::mem::replace(&mut state.seeks, true) {
            self.seekers.push(key);
        }
    }

    /// The operand of a key at an index, if its record is still marked and what nothing reads any more has not been overwritten.
    fn still<T: Machine>(&mut self, cx: &Emitter<'_, T>, key: u32, at: usize) -> Option<Found> {
        let state = &self.keys[key as usize];
        let operands = state.operands.start as usize..state.operands.end as usize;
        let was = cx.buf.variable_operands[operands].get(at).filter(|_| state.marked == state.record)?;
        let registers = registers_of(cx, was, state.registers);
        let stays = match *was {
            VariableOperand::Value { low: Place::Memory { .. }, .. }
            | VariableOperand::Value { high: Some(Place::Memory { .. }), .. } => false,
            VariableOperand::Value { .. } => registers == 0 || registers & self.written(cx) == 0,
            VariableOperand::EntryValue(_) => true,
            _ => false,
        };
        stays.then_some(Found { operand: *was, registers, death: None, source: OperandSource::Other })
    }

    /// The value of a parameter when the function was called.
    fn entry_value(&self, v: Value) -> Option<Found> {
        let known = self.entry_registers.iter().find(|known| known.0 == v);
        known.map(|known| Found { source: OperandSource::Other, ..Found::fixed(VariableOperand::EntryValue(known.1)) })
    }

    fn operand<T: Machine>(&self, cx: &Emitter<'_, T>, v: Value) -> Option<Found> {
        let ty = cx.f.value_type(v);
        let dwarf = cx.target.facts().dwarf_register;
        match cx.f.value_def(v) {
            ValueDef::Slot(slot) => slot_address(cx.f, cx.frame, &cx.scratch.slots, dwarf, slot).map(Found::fixed),
            ValueDef::Const => constant_operand(cx.f, v).map(Found::fixed),
            ValueDef::Inst(_) | ValueDef::Param(_) => {
                if let Some(&(_, at, align)) = self.addresses.iter().find(|known| known.0 == v) {
                    let (register, offset) = (dwarf(at.base), at.disp);
                    let align = align.max(1);
                    return Some(Found::fixed(VariableOperand::FrameAddress { register, offset, align }));
                }
                if !is_read(cx, v) {
                    return None;
                }
                let parts = cx.units.parts(v);
                let (low, in_low) = place(cx, &self.owner, v, cx.units.unit(v, 0))?;
                let (mut high, mut registers) = (None, in_low);
                if parts > 1 {
                    let (place, in_high) = place(cx, &self.owner, v, cx.units.unit(v, 1))?;
                    (high, registers) = (Some(place), in_low | in_high);
                }
                let bytes = ty.store_bytes() as u16 / u16::from(parts);
                let operand = VariableOperand::Value { low, high, bytes };
                let end = cx.live.end(v);
                let source = match high {
                    None => OperandSource::Unit { unit: cx.units.unit(v, 0), end, shares_home: shares_home(cx, v) },
                    Some(_) => OperandSource::Other,
                };
                Some(Found { operand, registers, death: Some(end), source })
            }
            ValueDef::Alias(_) | ValueDef::Pending => None,
        }
    }

    /// Marks that a key is in a place from an offset on, or nowhere.
    fn mark<T: Machine>(
        &mut self,
        cx: &mut Emitter<'_, T>,
        offset: u32,
        key: u32,
        now: Option<(u32, Range<u32>, u64)>,
    ) {
        let state = &mut self.keys[key as usize];
        let (marked, operands, registers) = now.unwrap_or((NONE, 0..0, 0));
        (state.marked, state.operands, state.registers) = (marked, operands.clone(), registers);
        let record = Some(marked).filter(|&record| record != NONE);
        cx.buf.variables.push(Mark { offset, value: VariableEvent { key, record, operands, registers } });
    }
}

impl Found {
    /// What is the same throughout the function.
    fn fixed(operand: VariableOperand) -> Found {
        Found { operand, registers: 0, death: None, source: OperandSource::Fixed }
    }
}

/// Where a part of a value that lives is for certain, and in which register. `owner` is who has each home that is shared.
fn place<T: Machine>(cx: &Emitter<'_, T>, owner: &[u32; 64], v: Value, unit: u32) -> Option<(Place, u64)> {
    if let Some(r) = register_of(cx, owner, unit, shares_home(cx, v)) {
        return Some((Place::Register((cx.target.facts().dwarf_register)(r)), r.mask()));
    }
    let stored = cx.units.has(unit, UnitFlags::IN_MEMORY) && !shares_home(cx, v);
    // Of a number that is narrower than its home, the low bytes have meaning.
    let (home, own) = (cx.units.kind(unit).bytes(), cx.f.value_type(v).store_bytes());
    let low = if own < home { cx.target.facts().endian().place(0, own, home) } else { 0 };
    let at = cx.frame.addr(cx.units.place(unit).filter(|_| stored)?, low as i32);
    Some((in_memory(cx, at), 0))
}

/// May others be in the home of a value that lives? Not if ranges are intervals, which do not meet.
fn shares_home<T: Machine>(cx: &Emitter<'_, T>, v: Value) -> bool {
    cx.intervals.is_none() && cx.units.shares_home(v)
}

/// The unit whose copy a register holds, or [`NO_UNIT`].
#[inline]
fn held_unit<T: Machine>(cx: &Emitter<'_, T>, r: PReg) -> u32 {
    if cx.regs.occupied & r.mask() != 0 { cx.regs.holder[r.0 as usize] } else { NO_UNIT }
}

/// The register that holds a unit that lives, for certain.
#[inline]
fn register_of<T: Machine>(cx: &Emitter<'_, T>, owner: &[u32; 64], unit: u32, shares_home: bool) -> Option<PReg> {
    let r = cx.units.reg(unit)?;
    let holds = held_unit(cx, r) == unit;
    let owns = cx.units.home(unit) == Some(r) && (!shares_home || owner[r.0 as usize] == unit);
    (holds || owns).then_some(r)
}

/// A value that is a constant.
pub(crate) fn constant_operand(f: &Function, v: Value) -> Option<VariableOperand> {
    match f.constant(v)? {
        ConstData::Int(bits) | ConstData::Float(bits) => {
            Some(VariableOperand::Constant { bits, bytes: f.value_type(v).store_bytes() as u16 })
        }
        ConstData::Symbol(symbol, addend) => Some(VariableOperand::Symbol(symbol, addend)),
        ConstData::Poison | ConstData::Vector { .. } => None,
    }
}

/// Where an operand of one part of the instruction at hand stays while a call changes the registers `clobbered`.
pub(crate) fn lasting_operand<T: Machine>(cx: &Emitter<'_, T>, v: Value, clobbered: u64) -> Option<VariableOperand> {
    match cx.f.value_def(v) {
        ValueDef::Slot(slot) => slot_address(cx.f, cx.frame, &cx.scratch.slots, cx.target.facts().dwarf_register, slot),
        ValueDef::Inst(_) | ValueDef::Param(_) => {
            let owner = cx.function.variables.as_ref().map_or(&[NO_UNIT; 64], |variables| &variables.owner);
            let (low, registers) = place(cx, owner, v, cx.units.unit(v, 0))?;
            let bytes = cx.f.value_type(v).store_bytes() as u16;
            (registers & clobbered == 0).then_some(VariableOperand::Value { low, high: None, bytes })
        }
        _ => constant_operand(cx.f, v),
    }
}

/// The owners of homes that are certain where a block begins, and the registers with owners: a value from elsewhere that the block reads is
/// in its home.
fn read_owners<T: Machine>(cx: &Emitter<'_, T>, index: usize) -> (u64, [u32; 64]) {
    let (f, block) = (cx.f, cx.cfg.order[index]);
    let insts = f.block_insts(block);
    let own = &f.blocks[block.index()];
    let (mut owned, mut owner) = (0, [NO_UNIT; 64]);
    let mut read = |v: Value| {
        let v = f.resolve(v);
        let is_own = match f.value_def(v) {
            ValueDef::Inst(inst) => (own.first..own.end).contains(&inst.0),
            ValueDef::Param(of) => of == block,
            _ => true,
        };
        if !is_own && shares_home(cx, v) {
            for unit in cx.units.of(v) {
                if let Some(home) = cx.units.home(unit) {
                    owner[home.0 as usize] = unit;
                    owned |= home.mask();
                }
            }
        }
    };
    for inst in insts.filter(|inst| cx.live.fold[inst.index()] != Fold::Dead) {
        let data = &f.insts[inst.index()];
        f.for_each_operand(data, &mut read);
        f.for_each_edge(data, |edge| f.edge_args(edge).iter().for_each(|&v| read(v)));
    }
    (owned, owner)
}

/// The address of a slot, of which `slots` has the places.
pub(super) fn slot_address(
    f: &Function,
    frame: &Frame,
    slots: &[FramePlace],
    dwarf_register: fn(PReg) -> u16,
    slot: Slot,
) -> Option<VariableOperand> {
    let at = frame.addr(*slots.get(slot.index())?, 0);
    let align = frame.move_up(f.slots[slot.index()].align).max(1);
    Some(VariableOperand::FrameAddress { register: dwarf_register(at.base), offset: at.disp, align })
}

/// Is a record about a variable that is not in one slot of the frame throughout?
pub(super) fn moves(f: &Function, record: &DebugRecord) -> bool {
    match record.kind {
        DebugRecordKind::Value | DebugRecordKind::Address => true,
        DebugRecordKind::Label(_) => false,
        DebugRecordKind::Declare => match *f.debug.operands_of(record) {
            [Some(address)] => !matches!(f.value_def(f.resolve(address)), ValueDef::Slot(_)),
            _ => false,
        },
    }
}

/// The position from which on the operands of a record are not known, unless control goes back. `None`: they are known nowhere.
fn known_until<T: Machine>(cx: &Emitter<'_, T>, record: &DebugRecord) -> Option<u32> {
    let until = |v: &Option<Value>| {
        let v = cx.f.resolve((*v)?);
        match cx.f.value_def(v) {
            // It may be in memory, or what it was when the function was called.
            ValueDef::Param(block) if block == cx.f.layout[0] => Some(u32::MAX),
            ValueDef::Inst(_) | ValueDef::Param(_) => {
                let end = || cx.intervals.map_or_else(|| cx.live.end(v), |intervals| intervals.last_end(v));
                (cx.live.count(v) > 0).then(end)
            }
            ValueDef::Const => constant_operand(cx.f, v).map(|_| u32::MAX),
            ValueDef::Slot(_) => Some(u32::MAX),
            ValueDef::Alias(_) | ValueDef::Pending => None,
        }
    };
    let operands = cx.f.debug.operands_of(record);
    if !moves(cx.f, record) || operands.is_empty() {
        return None;
    }
    operands.iter().try_fold(u32::MAX, |known, v| Some(known.min(until(v)?)))
}

/// Does something read the value after the instruction at hand?
fn is_read<T: Machine>(cx: &Emitter<'_, T>, v: Value) -> bool {
    let has_place = matches!(cx.f.value_def(v), ValueDef::Inst(_) | ValueDef::Param(_));
    has_place && cx.live.count(v) > 0 && cx.live.end(v) > cx.position()
}

/// Which of the registers an operand is in.
fn registers_of<T: Machine>(cx: &Emitter<'_, T>, operand: &VariableOperand, registers: u64) -> u64 {
    let dwarf = cx.target.facts().dwarf_register;
    let is_in = |place: Place, r: PReg| matches!(place, Place::Register(number) if number == dwarf(r));
    let VariableOperand::Value { low, high, .. } = *operand else { return 0 };
    let holds = |&r: &PReg| is_in(low, r) || high.is_some_and(|high| is_in(high, r));
    each_register(registers).filter(holds).fold(0, |mask, r| mask | r.mask())
}

/// A place of the frame, whose displacement counts from where the prologue leaves the stack pointer.
fn in_memory<T: Machine>(cx: &Emitter<'_, T>, at: FrameAddr) -> Place {
    Place::Memory { register: (cx.target.facts().dwarf_register)(at.base), offset: at.disp }
}
