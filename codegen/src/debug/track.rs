//! Follows the values of variables through registers and the frame while code is made.
//!
//! After each instruction the tracker asks where the values are that variables have there. It only believes what cannot be wrong: a
//! register that holds the value's copy, or the value's own home while it lives. A home that several values share belongs to the one that
//! was bound to it last in the block.

use super::dataflow::{RecordFlow, State, records_of};
use super::operand::{LabelPlace, Place, VariableOperand};
use super::tracker::{MOST_FOLLOWED, NO_UNIT, VariableTracker};
use crate::alloc::{Emitter, UnitFlags};
use crate::buffer::{CodeBuffer, Mark, VariableEvent};
use crate::frame::{Frame, FramePlace};
use crate::ir::{ConstData, DebugRecord, DebugRecordKind, Function, Inst, Slot, Value, ValueDef};
use crate::machine::{FrameAddr, Machine, PReg, each_register};

impl VariableTracker {
    /// A tracker for the function, or `None` if it has no variable that moves, and no label. `entry` has the parameters that come in one register each.
    pub fn new<T: Machine>(
        cx: &Emitter<'_, T>,
        entry: impl Iterator<Item = (Value, PReg)>,
    ) -> Option<Box<VariableTracker>> {
        let debug = &cx.f.debug;
        let followed = |record: &DebugRecord| moves(cx.f, record) || matches!(record.kind, DebugRecordKind::Label(_));
        if debug.subprogram.is_none() || !debug.records.iter().any(followed) {
            return None;
        }
        let flow = RecordFlow::new(cx.f, cx.cfg);
        let marked = vec![None; flow.keys.len()];
        let dwarf = cx.target.facts().dwarf_register;
        Some(Box::new(VariableTracker {
            flow,
            state: State::new(),
            marked,
            open: Vec::new(),
            next: 0,
            end: 0,
            owner: [NO_UNIT; 64],
            owners: vec![None; cx.cfg.order.len()],
            index: 0,
            looked: cx.buf.offset(),
            addresses: Vec::new(),
            entry_registers: entry.map(|(v, r)| (v, dwarf(r))).collect(),
        }))
    }

    /// Begins the block at an index of the order, whose parameters have been bound.
    pub fn begin_block<T: Machine>(&mut self, cx: &mut Emitter<'_, T>, index: usize) {
        self.state.clone_from(&self.flow.entries[index]);
        let records = records_of(cx.f, cx.cfg, index);
        (self.next, self.end) = (records.start, records.end);
        self.owners[self.index] = Some(Box::new(self.owner));
        self.index = index;
        self.owner = self.owner_before(index);
        for &v in cx.f.params(cx.cfg.order[index]) {
            for u in cx.units.of(v) {
                if let Some(home) = cx.units.home(u) {
                    self.owner[home.0 as usize] = u;
                }
            }
        }
        self.looked = cx.buf.offset();
        // Control may come from elsewhere.
        self.look(cx, !0);
    }

    /// The owners of homes where a block begins: those on which all blocks before it agree.
    fn owner_before(&self, index: usize) -> [u32; 64] {
        let mut from = self.flow.from[index].iter().map(|&from| self.owners[from as usize].as_deref());
        let Some(Some(first)) = from.next() else { return [NO_UNIT; 64] };
        let mut owner = *first;
        for other in from {
            // A block that comes later may change any of them.
            let Some(other) = other else { return [NO_UNIT; 64] };
            owner.iter_mut().zip(other).filter(|(own, other)| own != other).for_each(|(own, _)| *own = NO_UNIT);
        }
        owner
    }

    /// Takes the records before an instruction.
    pub fn begin_inst<T: Machine>(&mut self, cx: &mut Emitter<'_, T>, inst: Inst) {
        let first = self.next;
        while self.next < self.end && cx.f.debug.records[self.next as usize].before <= inst {
            let record = &cx.f.debug.records[self.next as usize];
            if let DebugRecordKind::Label(label) = record.kind {
                let value = LabelPlace { label, inlined_at: record.inlined_at };
                cx.buf.source_labels.push(Mark { offset: cx.buf.offset(), value });
            }
            self.flow.apply(&mut self.state, self.next);
            self.next += 1;
        }
        if self.next > first {
            self.look(cx, 0);
        }
    }

    /// Ends an instruction, which may have called a function.
    pub fn end_inst<T: Machine>(&mut self, cx: &mut Emitter<'_, T>) {
        let written = self.written(cx);
        self.look(cx, written);
    }

    /// Ends a terminator, whose code begins at `start`. It may have moved values to where the next block wants them, or have taken the
    /// frame away: what was in the registers that it writes is not known from its begin on.
    pub fn end_terminator<T: Machine>(&mut self, cx: &mut Emitter<'_, T>, start: u32) {
        let written = self.written(cx);
        let VariableTracker { open, marked, .. } = self;
        open.retain(|&key| {
            let place = &mut marked[key as usize];
            let kept = place.as_ref().is_some_and(|(_, operands)| operands.iter().all(|at| !is_in(cx, at, written)));
            if !kept {
                *place = None;
                mark(cx.buf, start, key, None);
            }
            kept
        });
    }

    /// The registers that the code since the last call has written, or that a function it called may have changed.
    fn written<T: Machine>(&mut self, cx: &Emitter<'_, T>) -> u64 {
        let from = std::mem::replace(&mut self.looked, cx.buf.offset());
        if self.open.is_empty() {
            return 0;
        }
        // Constants among the code cannot be told from instructions.
        if cx.buf.data().last().is_some_and(|data| data.end > from) {
            return !0;
        }
        let at = cx.position();
        let calls = cx.live.crosses_call(at.saturating_sub(1), at + 1);
        let changed = cx.live.changed.whole | cx.live.changed.high;
        let lost = if calls { !cx.target.facts().registers.preserved | changed } else { 0 };
        let code = &cx.buf.bytes()[from as usize..];
        if code.is_empty() { lost } else { cx.target.written_registers(code) | lost }
    }

    /// Marks what has changed at the current place of the code. Values that nothing reads any more are still in their registers, unless
    /// these are among those that were `written`.
    fn look<T: Machine>(&mut self, cx: &mut Emitter<'_, T>, written: u64) {
        let offset = cx.buf.offset();
        let mut open = std::mem::take(&mut self.open);
        open.retain(|&key| {
            let holds = self.state.binary_search_by_key(&key, |entry| entry.0).is_ok();
            if !holds {
                self.marked[key as usize] = None;
                mark(cx.buf, offset, key, None);
            }
            holds
        });
        for &(key, record) in self.state.iter().take(MOST_FOLLOWED) {
            let now = self.operands(cx, (key, record), written);
            let known = &mut self.marked[key as usize];
            match (&now, &*known) {
                (None, None) => continue,
                (Some(now), Some((of, then))) if *of == record && now == then => continue,
                _ => {}
            }
            if known.is_none() {
                open.push(key);
            }
            mark(cx.buf, offset, key, now.as_deref().map(|now| (record, now)));
            *known = now.map(|now| (record, now));
        }
        open.retain(|&key| self.marked[key as usize].is_some());
        self.open = open;
    }

    /// Where the operands of a record are, if all are somewhere.
    fn operands<T: Machine>(
        &self,
        cx: &Emitter<'_, T>,
        (key, number): (u32, u32),
        written: u64,
    ) -> Option<Vec<VariableOperand>> {
        let record = &cx.f.debug.records[number as usize];
        if !moves(cx.f, record) || record.operands.is_empty() {
            return None;
        }
        let before = self.marked[key as usize].as_ref().filter(|before| before.0 == number).map(|before| &before.1);
        let operand = |(at, v): (usize, &Option<Value>)| {
            let v = cx.f.resolve((*v)?);
            let still = || before.and_then(|before| before.get(at).copied()).filter(|was| stays(cx, was, written));
            self.operand(cx, v).or_else(still).or_else(|| self.entry_value(v))
        };
        cx.f.debug.operands_of(record).iter().enumerate().map(operand).collect()
    }

    /// The value of a parameter when the function was called.
    fn entry_value(&self, v: Value) -> Option<VariableOperand> {
        let known = self.entry_registers.iter().find(|known| known.0 == v);
        known.map(|known| VariableOperand::EntryValue(known.1))
    }

    fn operand<T: Machine>(&self, cx: &Emitter<'_, T>, v: Value) -> Option<VariableOperand> {
        let ty = cx.f.value_type(v);
        let dwarf = cx.target.facts().dwarf_register;
        match cx.f.value_def(v) {
            ValueDef::Slot(slot) => slot_address(cx.f, cx.frame, &cx.scratch.slots, dwarf, slot),
            ValueDef::Const => match cx.f.constant(v)? {
                ConstData::Int(bits) | ConstData::Float(bits) => {
                    Some(VariableOperand::Constant { bits, bytes: ty.store_bytes() as u16 })
                }
                ConstData::Symbol(symbol, addend) => Some(VariableOperand::Symbol(symbol, addend)),
                ConstData::Poison | ConstData::Vector { .. } => None,
            },
            ValueDef::Inst(_) | ValueDef::Param(_) => {
                if let Some(&(_, at, align)) = self.addresses.iter().find(|known| known.0 == v) {
                    let (register, offset) = (dwarf(at.base), at.disp);
                    return Some(VariableOperand::FrameAddress { register, offset, align: align.max(1) });
                }
                let parts = cx.units.parts(v);
                let place = |part| self.place(cx, v, cx.units.unit(v, part));
                let high = if parts > 1 { Some(place(1)?) } else { None };
                let bytes = ty.store_bytes() as u16 / u16::from(parts);
                Some(VariableOperand::Value { low: place(0)?, high, bytes })
            }
            ValueDef::Alias(_) | ValueDef::Pending => None,
        }
    }

    /// Where a part of a value is for certain.
    fn place<T: Machine>(&self, cx: &Emitter<'_, T>, v: Value, unit: u32) -> Option<Place> {
        let dwarf = cx.target.facts().dwarf_register;
        let home = cx.units.home(unit);
        let lives = cx.live.count(v) > 0 && cx.live.end(v) > cx.position();
        if let Some(r) = cx.units.reg(unit) {
            let holds = cx.regs.occupied & r.mask() != 0 && cx.regs.holder[r.0 as usize] == unit;
            let owns = home == Some(r) && (!cx.units.shares_home(v) || self.owner[r.0 as usize] == unit);
            if lives && (holds || owns) {
                return Some(Place::Register(dwarf(r)));
            }
        }
        let stored = lives && cx.units.has(unit, UnitFlags::IN_MEMORY) && !cx.units.shares_home(v);
        let at = cx.frame.addr(cx.units.place(unit).filter(|_| stored)?, 0);
        Some(in_memory(cx, at))
    }
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

/// Is a part of an operand in one of these registers?
fn is_in<T: Machine>(cx: &Emitter<'_, T>, operand: &VariableOperand, registers: u64) -> bool {
    let dwarf = cx.target.facts().dwarf_register;
    let among = |place: Place| match place {
        Place::Register(number) => each_register(registers).any(|r| dwarf(r) == number),
        Place::Memory { .. } => false,
    };
    matches!(*operand, VariableOperand::Value { low, high, .. } if among(low) || high.is_some_and(among))
}

/// Is a value that nothing reads any more still where it was?
fn stays<T: Machine>(cx: &Emitter<'_, T>, was: &VariableOperand, written: u64) -> bool {
    match *was {
        VariableOperand::Value { low: Place::Memory { .. }, .. } => false,
        VariableOperand::Value { high: Some(Place::Memory { .. }), .. } => false,
        VariableOperand::Value { .. } => !is_in(cx, was, written),
        VariableOperand::EntryValue(_) => true,
        _ => false,
    }
}

/// A place of the frame, whose displacement counts from where the prologue leaves the stack pointer.
fn in_memory<T: Machine>(cx: &Emitter<'_, T>, at: FrameAddr) -> Place {
    Place::Memory { register: (cx.target.facts().dwarf_register)(at.base), offset: at.disp }
}

fn mark(buf: &mut CodeBuffer, offset: u32, key: u32, now: Option<(u32, &[VariableOperand])>) {
    let start = buf.variable_operands.len() as u32;
    buf.variable_operands.extend(now.into_iter().flat_map(|now| now.1.iter().copied()));
    let operands = start..buf.variable_operands.len() as u32;
    let value = VariableEvent { key, record: now.map(|now| now.0), operands };
    buf.variables.push(Mark { offset, value });
}
