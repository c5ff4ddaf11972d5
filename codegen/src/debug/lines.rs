//! Marks the locations of instructions in the code while it is made.

use crate::buffer::{CodeBuffer, LineEntry, Mark};
use crate::ir::{DebugLocation, FunctionDebugInfo, Inst};

/// Where emission is in the list of locations.
#[derive(Default)]
pub(crate) struct LineCursor {
    /// The index of the next entry of the function's locations.
    next: usize,
    /// The location at hand.
    location: Option<DebugLocation>,
}

impl LineCursor {
    /// Begins a block with its first instruction. Code without a location does not belong to the line of the block before it in the
    /// code, which may have nothing to do with it.
    pub fn begin_block(&mut self, debug: &FunctionDebugInfo, first: Inst, buf: &mut CodeBuffer) {
        self.next = debug.locations.partition_point(|&(from, _)| from <= first);
        self.location = self.next.checked_sub(1).and_then(|at| debug.locations[at].1);
        // Before the first location comes the prologue.
        if self.location.is_some() || !buf.lines.is_empty() {
            self.mark(buf);
        }
    }

    /// Begins an instruction of the block. One without a location belongs to the line of the one before it.
    #[inline]
    pub fn begin_inst(&mut self, debug: &FunctionDebugInfo, inst: Inst, buf: &mut CodeBuffer) {
        let mut location = None;
        while let Some(entry) = debug.locations.get(self.next).filter(|entry| entry.0 <= inst) {
            (location, self.next) = (entry.1, self.next + 1);
        }
        if location.is_some() && location != self.location {
            self.location = location;
        }
        if self.location.is_some() {
            self.mark(buf);
        }
    }

    fn mark(&self, buf: &mut CodeBuffer) {
        let location = self.location.map(|location| location.id);
        buf.mark_line(LineEntry { location, epilogue_begin: false });
    }
}

impl CodeBuffer {
    /// Records that the code from the current offset on belongs to another location.
    pub(crate) fn mark_line(&mut self, value: LineEntry) {
        let offset = self.offset();
        // What has no code has no line.
        while self.lines.last().is_some_and(|last| last.offset == offset && !last.value.epilogue_begin) {
            self.lines.pop();
        }
        let known = self.lines.last().map(|last| LineEntry { epilogue_begin: false, ..last.value });
        if known != Some(value) {
            self.lines.push(Mark { offset, value });
        }
    }

    /// Records that the frame begins to be taken away here, if there are lines at all.
    pub(crate) fn mark_epilogue(&mut self) {
        if let Some(last) = self.lines.last() {
            self.mark_line(LineEntry { epilogue_begin: true, ..last.value });
        }
    }
}
