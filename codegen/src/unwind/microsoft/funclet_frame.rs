//! Frames of funclets. A funclet saves those registers that C functions preserve and that its host changes, and has
//! room for the arguments of calls. Everything else is in the host's frame, which it finds by the address that the
//! personality routine passes.

use super::registration::{STATE, TABLE, WORD};
use crate::buffer::CodeBuffer;
use crate::frame::ops::Steps;
use crate::frame::{Frame, FramePlace};
use crate::machine::{FrameAddr, FrameBase, FrameOp, FuncletPlaces, Machine, PReg, RecordOp};

impl Frame {
    /// The frame of a funclet, if this is its host's frame.
    pub(crate) fn of_funclet(&self) -> Option<Frame> {
        let mut frame = Frame::new(self.rules);
        let links = self.rules.frame_pointer.mask() | self.rules.link_register.map_or(0, PReg::mask);
        let mut registers = self.saved.iter().fold(0, |set, s| set | s.registers & links) | self.kept_by_funclets;
        if self.record.is_some() {
            // It is the host's already.
            registers &= !self.rules.frame_pointer.mask();
        }
        frame.begin(self.rules, FrameBase::Sp, registers, false, 0, None);
        // Code that aligns the stack pointer further needs to be able to go back.
        let natural = self.rules.funclets.map_or(self.natural, |f| f.stack_align);
        let align = if self.funclet_stack(0).is_some() { self.align.max(natural) } else { natural };
        (frame.natural, frame.align, frame.outgoing) = (natural, align, self.outgoing);
        (frame.probe, frame.fixed, frame.signed) = (self.probe, self.fixed, self.signed);
        frame.place_saved()?;
        frame.fix_size(0, true);
        Some(frame)
    }

    /// The place of a host in the form that tables have, see [`FuncletPlaces`].
    pub(crate) fn place_for_tables(&self, place: FramePlace) -> i32 {
        let at = self.addr(place, 0).disp - self.at(0).disp;
        match self.rules.funclets.map(|f| f.places) {
            Some(FuncletPlaces::StackPointer) => at + self.bytes_below_cfa(),
            Some(FuncletPlaces::Record) => self.addr(place, 0).disp,
            Some(FuncletPlaces::Cfa) | None => at,
        }
    }

    /// The place of a host relative to what the personality routine passes to filters and blocks of `__finally`.
    pub(crate) fn place_for_filters(&self, place: FramePlace) -> i32 {
        self.addr(place, 0).disp - self.at(self.passed()).disp
    }

    /// What the personality routine passes to filters and blocks of `__finally`, relative to the CFA.
    fn passed(&self) -> i32 {
        match self.rules.funclets.map(|f| f.places) {
            Some(FuncletPlaces::Cfa | FuncletPlaces::Record) => self.fp_at,
            Some(FuncletPlaces::StackPointer) | None => -self.bytes_below_cfa(),
        }
    }

    /// Does the personality routine find the frame by its registration record?
    pub(crate) fn has_records(&self) -> bool {
        self.rules.funclets.is_some_and(|f| f.places == FuncletPlaces::Record)
    }

    /// Where a funclet with this frame keeps the address of its host's frame, relative to its own stack pointer.
    pub(crate) fn host_kept_at(&self) -> i32 {
        match self.rules.funclets.map(|f| f.places) {
            Some(FuncletPlaces::StackPointer) => self.bytes_below_cfa() + self.rules.link as i32,
            Some(FuncletPlaces::Cfa | FuncletPlaces::Record) | None => 0,
        }
    }
}

/// The kind of a funclet that is to be emitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FuncletKind {
    /// Its number in the order of the code.
    pub number: usize,
    /// Control comes back to it, or to its host, after handlers.
    pub is_handler: bool,
    /// The personality routine is that of Microsoft's C++.
    pub cxx: bool,
}

/// Emits the prologue of a funclet with the frame `frame`.
pub(crate) fn emit_funclet_prologue<M: Machine>(
    machine: &M,
    buf: &mut CodeBuffer,
    host: &Frame,
    frame: &Frame,
    kind: FuncletKind,
) {
    let mut steps = Steps::begin(frame, buf, buf.offset());
    let by_record = host.has_records();
    if !by_record {
        machine.emit_frame_op(buf, FrameOp::KeepHost);
        steps.skip(buf);
    }
    for op in frame.prologue() {
        // Unwinding need not know these instructions.
        match (op, host.funclet_stack(kind.number)) {
            (FrameOp::EndPrologue, Some(at)) => machine.emit_frame_op(buf, FrameOp::Record(RecordOp::KeepStack(at))),
            (FrameOp::EndPrologue, None) if !by_record => {
                let up = (host.fp_at - host.passed()) as u32;
                machine.emit_frame_op(buf, FrameOp::FindHost { up, cxx: kind.cxx });
            }
            _ => {}
        }
        machine.emit_frame_op(buf, op);
        steps.record(buf, op);
    }
    if let Some(at) = host.saved_stack_pointer().filter(|_| kind.is_handler) {
        machine.emit_frame_op(buf, FrameOp::Record(RecordOp::KeepStack(at)));
    }
}

/// The funclet that is being emitted.
pub(crate) struct FuncletFrame {
    /// Its number in the order of the code.
    pub number: usize,
    pub frame: Frame,
}

impl Frame {
    /// Gives places to the rest of the record: for each of this many funclets a word for its stack pointer. `None`
    /// beyond 2^30 bytes.
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

    /// Address of a word of the record, by its distance from the record's end.
    fn in_record(&self, from_end: i32) -> FrameAddr {
        self.at(self.fp_at + from_end)
    }

    /// The address of the state, and the state outside of all others.
    pub(crate) fn state(&self) -> Option<(FrameAddr, i32)> {
        self.record.map(|record| (self.in_record(STATE), record.outside))
    }

    /// Address of the saved stack pointer with which control comes back.
    pub(crate) fn saved_stack_pointer(&self) -> Option<FrameAddr> {
        self.record.map(|record| self.in_record(-(record.bytes() as i32)))
    }

    /// Where the funclet with this number saves its own stack pointer, if it does.
    pub(crate) fn funclet_stack(&self, number: usize) -> Option<FrameAddr> {
        let place = self.record?.stacks?;
        Some(self.addr(place, number as i32 * WORD))
    }

    /// The place of the frame's masked address, in the form that tables have.
    pub(crate) fn record_guard(&self) -> i32 {
        let guard = self.record.and_then(|record| record.guard);
        guard.map_or(0, |place| self.addr(place, 0).disp)
    }

    /// The step that makes the record, after the step of the frame pointer.
    pub(crate) fn link(&self) -> Option<FrameOp> {
        let record = self.record?;
        Some(FrameOp::Record(RecordOp::Link { routine: record.routine, state: record.outside }))
    }

    /// The steps that fill the record, once the whole frame exists.
    pub(crate) fn fill_record(&self) -> impl Iterator<Item = FrameOp> {
        let guard = self.record.and_then(|record| record.guard).map(|place| self.addr(place, 0));
        let mask = guard.map(|guard| RecordOp::Mask { table: self.in_record(TABLE), guard, live: self.probe.live });
        let stack = self.saved_stack_pointer().map(RecordOp::KeepStack);
        mask.into_iter().chain(stack).map(FrameOp::Record)
    }

    /// The step that takes the record out of the list.
    pub(crate) fn unlink(&self) -> Option<FrameOp> {
        let next = if self.record?.routine.is_some() { -4 * WORD } else { -3 * WORD };
        Some(FrameOp::Record(RecordOp::Unlink(self.in_record(next))))
    }

    /// Is the frame pointer among these registers, and pushed above a record?
    pub(crate) fn is_above_record(&self, registers: u64) -> bool {
        self.record.is_some() && registers & self.rules.frame_pointer.mask() != 0
    }
}
