//! Frames of funclets: they keep the registers that C functions keep, of those that their host changes, and have room for the arguments of calls;
//! everything else is in the host's frame, which they find by what the personality routine passes.

use super::registration::{STATE, TABLE, WORD};
use crate::buffer::CodeBuffer;
use crate::frame::ops::Steps;
use crate::frame::{Frame, FramePlace};
use crate::machine::{FrameAddr, FrameBase, FrameOp, FuncletPlaces, Machine, PReg, RecordOp};

impl Frame {
    /// The frame of a funclet of the function that this one is of.
    pub(crate) fn of_funclet(&self) -> Option<Frame> {
        let mut frame = Frame::new(self.rules);
        let links = self.rules.frame_pointer.mask() | self.rules.link_register.map_or(0, PReg::mask);
        let mut registers = self.saved.iter().fold(0, |set, s| set | s.registers & links) | self.kept_by_funclets;
        if self.record.is_some() {
            // It is the host's already.
            registers &= !self.rules.frame_pointer.mask();
        }
        frame.begin(self.rules, FrameBase::Sp, registers, false, 0, None);
        // What aligns the stack pointer further needs to be able to go back.
        let natural = self.rules.funclets.map_or(self.natural, |f| f.stack_align);
        let align = if self.funclet_stack(0).is_some() { self.align.max(natural) } else { natural };
        (frame.natural, frame.align, frame.outgoing) = (natural, align, self.outgoing);
        (frame.probe, frame.fixed, frame.signed) = (self.probe, self.fixed, self.signed);
        frame.place_saved()?;
        frame.fix_size(0, true);
        Some(frame)
    }

    /// Where tables say that a place of a host is, see [`FuncletPlaces`].
    pub(crate) fn place_for_tables(&self, place: FramePlace) -> i32 {
        let at = self.addr(place, 0).disp - self.at(0).disp;
        match self.rules.funclets.map(|f| f.places) {
            Some(FuncletPlaces::StackPointer) => at + self.bytes_below_cfa(),
            Some(FuncletPlaces::Record) => self.addr(place, 0).disp,
            Some(FuncletPlaces::Cfa) | None => at,
        }
    }

    /// Where a place of a host is from what the personality routine passes to filters and to blocks of `__finally`.
    pub(crate) fn place_for_filters(&self, place: FramePlace) -> i32 {
        self.addr(place, 0).disp - self.at(self.passed()).disp
    }

    /// What the personality routine passes to filters and to blocks of `__finally`, from the CFA.
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

    /// Where a funclet with this frame keeps the address of its host's, from its own stack pointer.
    pub(crate) fn host_kept_at(&self) -> i32 {
        match self.rules.funclets.map(|f| f.places) {
            Some(FuncletPlaces::StackPointer) => self.bytes_below_cfa() + self.rules.link as i32,
            Some(FuncletPlaces::Cfa | FuncletPlaces::Record) | None => 0,
        }
    }
}

/// A funclet that is to be emitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FuncletKind {
    /// Its number in the order of the code.
    pub number: usize,
    /// Control comes back to it, or to its host, after handlers.
    pub is_handler: bool,
    /// The personality routine is that of Microsoft's C++.
    pub cxx: bool,
}

/// Emits the prologue of a funclet; `frame` is its frame.
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
        // What this does is of no meaning to unwinding.
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
    if let Some(at) = host.kept_stack().filter(|_| kind.is_handler) {
        machine.emit_frame_op(buf, FrameOp::Record(RecordOp::KeepStack(at)));
    }
}

/// A funclet that is being emitted.
pub(crate) struct FuncletFrame {
    /// Its number, in the order of the code.
    pub number: usize,
    pub frame: Frame,
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

    /// The step that makes the record, after that of the frame pointer.
    pub(crate) fn link(&self) -> Option<FrameOp> {
        let record = self.record?;
        Some(FrameOp::Record(RecordOp::Link { routine: record.routine, state: record.outside }))
    }

    /// What else makes the record, when all of the frame is there.
    pub(crate) fn fill_record(&self) -> impl Iterator<Item = FrameOp> {
        let guard = self.record.and_then(|record| record.guard).map(|place| self.addr(place, 0));
        let mask = guard.map(|guard| RecordOp::Mask { table: self.in_record(TABLE), guard, live: self.probe.live });
        let stack = self.kept_stack().map(RecordOp::KeepStack);
        mask.into_iter().chain(stack).map(FrameOp::Record)
    }

    /// The step that takes it out of the list.
    pub(crate) fn unlink(&self) -> Option<FrameOp> {
        let next = if self.record?.routine.is_some() { -4 * WORD } else { -3 * WORD };
        Some(FrameOp::Record(RecordOp::Unlink(self.in_record(next))))
    }

    /// Is the frame pointer among these registers, and pushed above a record?
    pub(crate) fn is_above_record(&self, registers: u64) -> bool {
        self.record.is_some() && registers & self.rules.frame_pointer.mask() != 0
    }
}
