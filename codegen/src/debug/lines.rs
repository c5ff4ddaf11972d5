//! Marks the locations of instructions in the code while it is made.

use super::inlined::partition_near;
use crate::buffer::{CodeBuffer, LineEntry, Mark};
use crate::ir::{Block, DebugLocation, Edge, Function, FunctionDebugInfo, Inst, Opcode};
use crate::machine::{CodeMark, Machine};

/// Where emission is in the list of locations.
#[derive(Default)]
pub(crate) struct LineCursor {
    /// The index of the next entry of the function's locations.
    next: usize,
    /// The location at hand.
    location: Option<DebugLocation>,
    /// The line of the location that was marked last, and that of the code before this mark in the block; 0 if there is none.
    marked: u32,
    before: u32,
    /// All instructions since the last mark have results that nothing uses, and no code.
    is_unused: bool,
    /// The offsets at which the block and the last instruction began.
    block_begun: u32,
    begun: u32,
    /// By block, the one that follows in the source program; made when first asked for.
    following: Vec<Option<Block>>,
}

impl LineCursor {
    /// Begins a block with its first instruction. Code without a location does not belong to the line of the block before it in the
    /// code, which may have nothing to do with it.
    pub fn begin_block<T: Machine>(
        &mut self,
        target: &T,
        debug: &FunctionDebugInfo,
        first: Inst,
        buf: &mut CodeBuffer,
    ) {
        self.next = partition_near(&debug.locations, self.next, |&(from, _)| from <= first);
        self.location = self.next.checked_sub(1).and_then(|at| debug.locations[at].1);
        (self.marked, self.before, self.block_begun) = (0, 0, buf.offset());
        // Before the first location comes the prologue.
        if self.location.is_some() || !buf.lines.is_empty() {
            self.mark(target, debug, buf);
        }
    }

    /// Begins an instruction of the block; is it one whose results nothing uses, so that it has no code? One without a location belongs to
    /// the line of the one before it.
    #[inline]
    pub fn begin_inst<T: Machine>(
        &mut self,
        target: &T,
        debug: &FunctionDebugInfo,
        (inst, is_unused): (Inst, bool),
        buf: &mut CodeBuffer,
    ) {
        self.begun = buf.offset();
        let (mut location, marked) = (None, self.marked);
        while let Some(entry) = debug.locations.get(self.next).filter(|entry| entry.0 <= inst) {
            (location, self.next) = (entry.1, self.next + 1);
        }
        if location.is_some() && location != self.location {
            self.location = location;
        }
        if self.location.is_some() {
            self.mark(target, debug, buf);
        }
        self.is_unused = is_unused && (self.is_unused || marked != self.marked);
    }

    /// Ends a block, before whatever comes next in the code. A jump to that has no code: its line gets an instruction. A jump to where the
    /// source goes on has no line, unless LLVM writes one: on some machines everywhere, on the others if the jump is all that the block has
    /// (`FastISel::fastEmitBranch`). If it has code here, that belongs to the line before it in the block.
    pub fn end_block<T: Machine>(&mut self, target: &T, f: &Function, block: Block, buf: &mut CodeBuffer) {
        if !f.debug.keeps_variables {
            return;
        }
        let is_marked = buf.lines.last().is_some_and(|last| last.offset == self.begun);
        let can_lack = buf.offset() == self.begun || self.block_begun < self.begun;
        if is_marked && can_lack && !target.facts().unoptimized_has_all && self.goes_on(f, block) {
            buf.lines.pop();
            return;
        }
        self.end_line(target, &f.debug, 0, buf);
    }

    /// Whether a block ends with a jump to where the source goes on, and has more than that.
    fn goes_on(&mut self, f: &Function, block: Block) -> bool {
        let d = f.inst(f.terminator(block));
        d.op == Opcode::Jump && f.block_insts(block).len() > 1 && self.following(f, block) == Some(f.edge_to(Edge(d.a)))
    }

    /// The block that follows in the source program.
    fn following(&mut self, f: &Function, block: Block) -> Option<Block> {
        if self.following.is_empty() {
            self.following.resize(f.blocks.len(), None);
            f.layout.windows(2).for_each(|pair| self.following[pair[0].index()] = Some(pair[1]));
        }
        self.following[block.index()]
    }

    fn mark<T: Machine>(&mut self, target: &T, debug: &FunctionDebugInfo, buf: &mut CodeBuffer) {
        self.end_line(target, debug, self.location.map_or(0, |location| location.line), buf);
        let value = LineEntry { location: self.location.map(|location| location.id), epilogue_begin: false };
        if buf.lines.last().is_none_or(|last| last.value != value) {
            buf.mark_line(value);
        }
    }

    /// Lets another line follow. Where every line has code, one without any gets an instruction without effect, unless LLVM has none there,
    /// either: on some machines values that nothing uses have no code. A function's first line has code everywhere.
    #[inline]
    fn end_line<T: Machine>(&mut self, target: &T, debug: &FunctionDebugInfo, next: u32, buf: &mut CodeBuffer) {
        if !debug.keeps_variables {
            return;
        }
        let has_code = buf.lines.last().is_none_or(|last| last.offset < buf.offset());
        let lacks_code = !has_code && self.marked != 0 && self.marked != next && self.marked != self.before;
        let may_lack = self.is_unused && buf.lines.len() > 1 && !target.facts().unoptimized_has_all;
        if lacks_code && !may_lack {
            target.emit_mark(buf, CodeMark::Between);
        }
        if has_code || (self.marked != next && !(lacks_code && may_lack)) {
            self.before = self.marked;
        }
        self.marked = next;
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
