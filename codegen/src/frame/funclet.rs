//! Frames of funclets: they keep the same registers as their host and have room for the arguments of calls; everything else is in the
//! host's frame, which they find by what the personality routine passes.

use super::{Frame, FramePlace};
use crate::buffer::CodeBuffer;
use crate::frame::ops::Steps;
use crate::machine::{FrameBase, FrameOp, FuncletPlaces, Machine};

impl Frame {
    /// The frame of a funclet of the function that this one is of.
    pub(crate) fn of_funclet(&self) -> Option<Frame> {
        let mut frame = Frame::new(self.rules);
        let registers = self.saved.iter().fold(0, |set, s| set | s.registers);
        frame.begin(self.rules, FrameBase::Sp, registers, false, 0);
        (frame.natural, frame.align, frame.outgoing) = (self.natural, self.natural, self.outgoing);
        (frame.probe, frame.fixed, frame.signed) = (self.probe, self.fixed, self.signed);
        frame.place_saved()?;
        frame.fix_size(0, true);
        Some(frame)
    }

    /// Where tables say that a place of a host is, see [`FuncletPlaces`].
    pub(crate) fn place_for_tables(&self, place: FramePlace) -> i32 {
        let at = self.addr(place, 0).disp - self.at(0).disp;
        match self.rules.funclets.map(|f| f.places) {
            Some(FuncletPlaces::StackPointer) => at + self.depth(),
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
            Some(FuncletPlaces::Cfa) => self.fp_at,
            Some(FuncletPlaces::StackPointer) | None => -self.depth(),
        }
    }

    /// Where a funclet with this frame keeps the address of its host's, from its own stack pointer.
    pub(crate) fn host_kept_at(&self) -> i32 {
        match self.rules.funclets.map(|f| f.places) {
            Some(FuncletPlaces::StackPointer) => self.depth() + self.rules.link as i32,
            Some(FuncletPlaces::Cfa) | None => 0,
        }
    }
}

/// Emits the prologue of a funclet; `frame` is its frame, and `cxx` says that the personality routine is that of Microsoft's C++.
pub(crate) fn emit_funclet_prologue<M: Machine>(
    machine: &M,
    buf: &mut CodeBuffer,
    host: &Frame,
    frame: &Frame,
    cxx: bool,
) {
    let mut steps = Steps::begin(frame, buf, buf.offset());
    machine.emit_frame_op(buf, FrameOp::KeepHost);
    steps.skip(buf);
    for op in frame.prologue() {
        if op == FrameOp::EndPrologue {
            // What it does is of no meaning to unwinding.
            machine.emit_frame_op(buf, FrameOp::FindHost { up: (host.fp_at - host.passed()) as u32, cxx });
        }
        machine.emit_frame_op(buf, op);
        steps.record(buf, op);
    }
}
