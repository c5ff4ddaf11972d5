//! The record by which a function of 32-bit Windows registers its handlers while it runs: below the word that the frame pointer points to.
//!
//! ```text
//!               C++                  __try
//!   end - 4     state                state
//!   end - 8     handler              scope table
//!   end - 12    next record          handler
//!   end - 16    stack pointer        next record
//!   end - 20                         exception pointers
//!   end - 24                         stack pointer
//! ```
//!
//! Funclets are called with the end as frame pointer, and control comes back to the function with it and with the stack pointer of the
//! record, which is where the prologue leaves it. (`_except_handler3` and `__CxxFrameHandler3`; LLVM, `WinEHPrepare` and `X86WinEHState.cpp`.)

use super::{Frame, FramePlace};
use crate::ir::{Personality, SymbolId};
use crate::machine::{FrameAddr, FrameOp, RecordOp};

const WORD: i32 = 4;
/// Where the state is, from the end.
const STATE: i32 = -WORD;
/// Where the scope table is.
const TABLE: i32 = -2 * WORD;

/// A function's registration record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    /// The personality routine of `__try`; none: C++'s.
    routine: Option<SymbolId>,
    /// The state outside of all.
    outside: i32,
    /// `_except_handler4`: the address of the frame is stored, masked.
    is_masked: bool,
    /// Where.
    pub guard: Option<FramePlace>,
    /// Words where funclets keep their stack pointers, by number, if these move by distances that are not known.
    pub stacks: Option<FramePlace>,
}

impl Record {
    /// That of a function with this personality routine.
    pub fn new(symbol: SymbolId, routine: Personality) -> Record {
        Record {
            routine: matches!(routine, Personality::Levels(_)).then_some(symbol),
            outside: routine.outside(),
            is_masked: routine == Personality::Levels(4),
            guard: None,
            stacks: None,
        }
    }

    /// Bytes.
    pub fn bytes(self) -> u32 {
        if self.routine.is_some() { 24 } else { 16 }
    }
}

impl Frame {
    /// Gives what else belongs to the record its places: of so many funclets words for their stack pointers. `None` past 2^30 bytes.
    pub(crate) fn place_record(&mut self, funclets: u32) -> Option<()> {
        let Some(mut record) = self.record else { return Some(()) };
        if record.is_masked {
            record.guard = Some(self.add(WORD as u32, WORD as u32)?);
        }
        if funclets > 0 {
            record.stacks = Some(self.add(funclets.checked_mul(WORD as u32)?, WORD as u32)?);
        }
        self.record = Some(record);
        Some(())
    }

    /// Address of a word of the record, by its distance from the end.
    fn in_record(&self, from_end: i32) -> FrameAddr {
        self.at(self.fp_at + from_end)
    }

    /// Where the state is, and where it says that a function is outside of all.
    pub(crate) fn state(&self) -> Option<(FrameAddr, i32)> {
        self.record.map(|record| (self.in_record(STATE), record.outside))
    }

    /// Where the stack pointer is kept that control comes back with.
    pub(crate) fn kept_stack(&self) -> Option<FrameAddr> {
        self.record.map(|record| self.in_record(-(record.bytes() as i32)))
    }

    /// Where the funclet of that number keeps its own stack pointer, if it does.
    pub(crate) fn funclet_stack(&self, number: usize) -> Option<FrameAddr> {
        let place = self.record?.stacks?;
        Some(self.addr(place, number as i32 * WORD))
    }

    /// Where tables say that the masked address of the frame is.
    pub(crate) fn record_guard(&self) -> i32 {
        let guard = self.record.and_then(|record| record.guard);
        guard.map_or(0, |place| self.addr(place, 0).disp)
    }

    /// The step that makes the record, behind that of the frame pointer.
    pub(super) fn link(&self) -> Option<FrameOp> {
        let record = self.record?;
        Some(FrameOp::Record(RecordOp::Link { routine: record.routine, state: record.outside }))
    }

    /// What else makes the record, when all of the frame is there.
    pub(super) fn fill_record(&self) -> impl Iterator<Item = FrameOp> {
        let guard = self.record.and_then(|record| record.guard).map(|place| self.addr(place, 0));
        let mask = guard.map(|guard| RecordOp::Mask { table: self.in_record(TABLE), guard, live: self.probe.live });
        let stack = self.kept_stack().map(RecordOp::KeepStack);
        mask.into_iter().chain(stack).map(FrameOp::Record)
    }

    /// The step that takes it out of the list.
    pub(super) fn unlink(&self) -> Option<FrameOp> {
        let next = if self.record?.routine.is_some() { -4 * WORD } else { -3 * WORD };
        Some(FrameOp::Record(RecordOp::Unlink(self.in_record(next))))
    }

    /// Is the frame pointer among these registers, and pushed above a record?
    pub(super) fn is_above_record(&self, registers: u64) -> bool {
        self.record.is_some() && registers & self.rules.frame_pointer.mask() != 0
    }
}
