//! Prologues and epilogues as lists of steps. The machine emits each step, and unwind tables describe it.

use super::{Frame, Saved};
use crate::buffer::{Cfa, CfiOp, CodeBuffer, SehOp};
use crate::machine::{FrameOp, FrameRules, Machine, PReg, RecordOp, Signing, Unwinding, each_register};

impl Frame {
    /// The steps that make the frame.
    pub(crate) fn prologue(&self) -> Vec<FrameOp> {
        let rules = &self.rules;
        let framed = self.base.is_framed();
        let mut ops = Vec::with_capacity(self.saved.len() + 8);
        ops.extend(self.shadowed.map(|shadow| FrameOp::PushReturn { shadow }));
        ops.extend(self.signed.map(|second_key| FrameOp::SignReturn { second_key }));
        if self.home > 0 {
            ops.push(FrameOp::Allocate { bytes: self.home, probe: self.home_probe() });
        }
        for s in self.saved.iter().filter(|s| s.pushed) {
            ops.push(FrameOp::Push(s.registers));
            if framed && rules.low_frame_pointer.is_none() && s.registers & rules.frame_pointer.mask() != 0 {
                ops.push(FrameOp::SetFramePointer { up: (self.fp_at - s.place.offset) as u32 });
                ops.extend(self.link());
            }
        }
        if self.size > 0 {
            ops.push(FrameOp::Allocate { bytes: self.size, probe: self.probe });
        }
        if framed && rules.low_frame_pointer.is_some() {
            ops.push(FrameOp::SetFramePointer { up: (self.fp_at + self.bytes_below_cfa()) as u32 });
        }
        ops.extend(self.stored().map(|(register, s)| FrameOp::Store { register, at: self.addr(s.place, 0) }));
        ops.push(FrameOp::EndPrologue);
        if self.align > self.natural {
            ops.push(FrameOp::Align(self.align));
        }
        ops.extend(self.fill_record());
        ops.extend(each_register(self.fixed).map(FrameOp::LoadFixed));
        ops
    }

    /// The steps that take the frame away, from where the body leaves the stack pointer. Afterwards it is `raise` bytes
    /// above where the function found it, or below if `raise` is negative.
    pub(crate) fn epilogue(&self, depth: i32, raise: i32) -> Vec<FrameOp> {
        let mut ops = Vec::with_capacity(self.saved.len() + 5);
        ops.extend(self.stored().map(|(register, s)| FrameOp::Load { register, at: self.addr(s.place, 0) }));
        ops.extend(self.unlink());
        ops.push(FrameOp::BeginEpilogue);
        let mut pushed = self.saved.iter().filter(|s| s.pushed).rev().peekable();
        // If the frame pointer is used and the steps are the prologue's backwards, unwind tables of Windows need no
        // steps of their own.
        if self.rules.unwinding.has_frame_pointer(self.base) {
            let disp = -(self.above as i32) - self.fp_at;
            let fp = self.rules.frame_pointer.mask();
            let leaves = self.rules.has_leave && (disp == 0 || self.record.is_some());
            if leaves && pushed.next_if(|s| s.registers == fp).is_some() {
                ops.push(FrameOp::Leave);
            } else {
                ops.push(FrameOp::RestoreStack { disp });
            }
        } else if self.size as i32 + depth != 0 {
            // A call's argument block may still be there, or may be gone together with more.
            ops.push(FrameOp::MoveStack(-(self.size as i32 + depth)));
        }
        ops.extend(pushed.map(|s| match s.registers {
            registers if self.is_above_record(registers) => FrameOp::Leave,
            // Of an exception; otherwise a result may be there.
            registers if registers & self.for_handlers != 0 && !self.to_handler => {
                FrameOp::MoveStack(-(self.rules.push_bytes(registers) as i32))
            }
            registers => FrameOp::Pop(registers),
        }));
        // Nobody owns what is below the stack pointer, so arguments that end there must never lie below it.
        let (first, below) = match self.signed {
            None => (self.home as i32 + raise, 0),
            Some(_) if raise < 0 => (0, self.home),
            Some(_) => (self.home as i32, 0),
        };
        let rest = self.home as i32 + raise - first;
        if first != 0 {
            ops.push(FrameOp::MoveStack(-first));
        }
        ops.extend(self.signed.map(|second_key| FrameOp::CheckReturn { second_key, below }));
        if rest != 0 {
            ops.push(FrameOp::MoveStack(-rest));
        }
        ops.extend(self.shadowed.map(|shadow| FrameOp::PopReturn { shadow }));
        ops
    }

    /// The steps that set the stack pointer from the frame pointer to where the prologue leaves it.
    pub(crate) fn refind_stack(&self) -> impl Iterator<Item = FrameOp> {
        let align = (self.align > self.natural).then_some(FrameOp::Align(self.align));
        [FrameOp::RestoreStack { disp: -self.bytes_below_cfa() - self.fp_at }].into_iter().chain(align)
    }

    /// Does the frame need no code at all?
    pub(crate) fn is_nothing(&self) -> bool {
        self.saved.is_empty()
            && self.size == 0
            && self.home == 0
            && self.signed.is_none()
            && self.shadowed.is_none()
            && !self.base.is_framed()
            && self.record.is_none()
    }

    fn stored(&self) -> impl Iterator<Item = (PReg, &Saved)> {
        self.saved.iter().filter(|s| !s.pushed).map(|s| (PReg(s.registers.trailing_zeros() as u8), s))
    }

    /// Is the CFA found in the body as at the function's first instruction?
    fn leaves_cfa(&self, depth: i32) -> bool {
        !self.base.is_framed() && self.bytes_below_cfa() + depth == self.rules.link as i32
    }

    /// Marks in the unwind tables, up to the next exit, that the return address has been moved up by this many bytes.
    pub(crate) fn return_moved(&self, buf: &mut CodeBuffer, raise: i32) {
        if let Unwinding::Dwarf(_) = self.rules.unwinding {
            buf.remember_cfa();
            buf.mark_cfi(CfiOp::ReturnAt(raise - self.rules.link as i32));
        }
    }

    /// Marks in the unwind tables that the stack pointer is `depth` bytes below where the prologue leaves it.
    pub(crate) fn set_stack_depth(&self, buf: &mut CodeBuffer, depth: i32) {
        buf.stack_depth = depth;
        buf.set_stack_cfa(self.bytes_below_cfa() + depth);
    }
}

/// Emits the prologue of a finished frame. It describes the code from `start` on.
pub(crate) fn emit_prologue<M: Machine>(machine: &M, buf: &mut CodeBuffer, frame: &Frame, start: u32) {
    let mut steps = Steps::begin(frame, buf, start);
    for op in frame.prologue() {
        machine.emit_frame_op(buf, op);
        steps.record(buf, op);
    }
}

/// Emits the epilogue and what leaves the function after it, with the stack pointer `raise` bytes above where the
/// function found it.
pub(crate) fn emit_epilogue<M: Machine>(
    machine: &M,
    buf: &mut CodeBuffer,
    frame: &Frame,
    raise: i32,
    leave: impl FnOnce(&mut CodeBuffer),
) {
    let depth = frame.bytes_below_cfa() + buf.stack_depth;
    let mut steps = Steps { frame, depth, end: buf.offset() };
    buf.mark_epilogue();
    for op in frame.epilogue(buf.stack_depth, raise) {
        machine.emit_frame_op(buf, op);
        steps.record(buf, op);
    }
    let end = CfiOp::Seh { op: SehOp::EndEpilogue, bytes: 0 };
    match frame.rules.unwinding {
        Unwinding::WindowsInstructions { length, leaves: true, .. } => {
            leave(buf);
            steps.mark_each(buf, length, &[]);
            buf.mark_cfi(end);
        }
        Unwinding::WindowsInstructions { .. } => {
            buf.mark_cfi(end);
            leave(buf);
        }
        _ => leave(buf),
    }
}

/// Marks for unwind tables, for steps that are emitted one after another.
pub(crate) struct Steps<'a> {
    frame: &'a Frame,
    /// Bytes from the CFA down to the stack pointer.
    depth: i32,
    /// Offset where the code of the steps so far ends.
    end: u32,
}

impl<'a> Steps<'a> {
    /// Begins with the prologue of code that begins at `start`.
    pub(crate) fn begin(frame: &'a Frame, buf: &mut CodeBuffer, start: u32) -> Steps<'a> {
        let (rules, depth) = (&frame.rules, frame.rules.link as i32);
        buf.begin_cfa(rules.dwarf(rules.stack_pointer).map(|register| Cfa { register, offset: depth }));
        Steps { frame, depth, end: start }
    }

    /// Skips code that unwinding need not know.
    pub(crate) fn skip(&mut self, buf: &mut CodeBuffer) {
        if let Unwinding::WindowsInstructions { length, .. } = self.frame.rules.unwinding {
            self.mark_each(buf, length, &[]);
        }
    }

    /// Marks what holds after a step.
    pub(crate) fn record(&mut self, buf: &mut CodeBuffer, op: FrameOp) {
        let rules = &self.frame.rules;
        match op {
            FrameOp::Push(set) => self.depth += rules.push_bytes(set) as i32,
            FrameOp::Pop(set) => self.depth -= rules.push_bytes(set) as i32,
            FrameOp::Allocate { bytes, .. } => self.depth += bytes as i32,
            FrameOp::MoveStack(bytes) => self.depth += bytes,
            FrameOp::RestoreStack { .. } => self.depth = self.frame.above as i32,
            FrameOp::Leave => self.depth = (rules.link + self.frame.home) as i32,
            FrameOp::Record(RecordOp::Link { .. }) => {
                self.depth += self.frame.record.map_or(0, |record| record.bytes() as i32);
            }
            _ => {}
        }
        match rules.unwinding {
            Unwinding::Dwarf(_) => self.mark(buf, op),
            Unwinding::Index(_) => {
                self.mark(buf, op);
                self.mark_index(buf, op);
            }
            Unwinding::WindowsSteps => self.mark_step(buf, op),
            Unwinding::WindowsInstructions { length, described, .. } => {
                self.mark_instructions(buf, op, length, described)
            }
        }
    }

    /// Marks for tables that are right at every instruction.
    fn mark(&self, buf: &mut CodeBuffer, op: FrameOp) {
        let (rules, depth) = (&self.frame.rules, self.depth);
        let fp = rules.frame_pointer;
        match op {
            FrameOp::BeginEpilogue
                if !self.frame.leaves_cfa(buf.stack_depth)
                    || self.frame.signed.is_some()
                    || self.frame.shadowed.is_some() =>
            {
                buf.remember_cfa();
            }
            FrameOp::PushReturn { shadow } => {
                if let Some(register) = rules.dwarf(shadow) {
                    buf.mark_cfi(CfiOp::Moved { register, by: -(rules.bytes_of(shadow.mask()) as i32) });
                }
            }
            FrameOp::PopReturn { shadow } => {
                if let Some(register) = rules.dwarf(shadow) {
                    buf.mark_cfi(CfiOp::Restored(register));
                }
            }
            FrameOp::SignReturn { second_key } | FrameOp::CheckReturn { second_key, .. }
                if rules.signing == Signing::InPlace =>
            {
                buf.mark_cfi(CfiOp::NegateReturn { second_key });
            }
            FrameOp::SetFramePointer { .. } => {
                if let Some(register) = rules.dwarf(fp) {
                    buf.set_cfa(Cfa { register, offset: -self.frame.fp_at }, true);
                }
            }
            FrameOp::Leave => self.back_to_stack(buf),
            FrameOp::Pop(set) if self.frame.base.is_framed() && set & fp.mask() != 0 => self.back_to_stack(buf),
            _ => buf.set_stack_cfa(depth),
        }
        let (mut at, set) = match op {
            FrameOp::Push(set) => (-depth, set),
            FrameOp::Store { register, at } => (at.disp + self.frame.base_at(), register.mask()),
            _ => return,
        };
        for r in each_register(set) {
            if let Some(register) = rules.dwarf(r) {
                buf.mark_cfi(CfiOp::Offset { register, offset: at });
            }
            at += rules.bytes_of(r.mask()) as i32;
        }
    }

    fn back_to_stack(&self, buf: &mut CodeBuffer) {
        let rules = &self.frame.rules;
        if let Some(register) = rules.dwarf(rules.stack_pointer) {
            buf.set_cfa(Cfa { register, offset: self.depth }, false);
        }
    }

    /// Marks for Windows' tables that undo the prologue step by step.
    fn mark_step(&self, buf: &mut CodeBuffer, op: FrameOp) {
        let step = match op {
            FrameOp::Push(set) => SehOp::Push(set.trailing_zeros() as u8),
            FrameOp::Allocate { bytes, .. } => SehOp::Allocate(bytes),
            FrameOp::SetFramePointer { up } => {
                SehOp::SetFrame { register: self.frame.rules.frame_pointer.num(), offset: up }
            }
            FrameOp::Store { register, at } => {
                let offset = (at.disp + self.frame.base_at() + self.depth) as u32;
                SehOp::SaveVector { register: register.num(), offset }
            }
            FrameOp::EndPrologue => SehOp::EndPrologue,
            _ => return,
        };
        buf.mark_cfi(CfiOp::Seh { op: step, bytes: 0 });
    }

    /// Marks for the opcodes of an index (ARM's exception handling ABI), which undo the prologue step by step.
    fn mark_index(&self, buf: &mut CodeBuffer, op: FrameOp) {
        let rules = &self.frame.rules;
        let step = match op {
            FrameOp::Push(set) => {
                // A signature has the bit of the register in which it is, which is not pushed otherwise.
                let signature = rules.signing.register().map_or(0, |r| u16::from(r.num()));
                let bit = |r: u16| {
                    1 << match r {
                        0..16 => r,
                        16..256 => signature,
                        _ => r - 256 + 16,
                    }
                };
                SehOp::PushSet(each_register(set).filter_map(|r| rules.dwarf(r)).fold(0, |set, r| set | bit(r)))
            }
            FrameOp::Allocate { bytes, .. } => SehOp::Allocate(bytes),
            FrameOp::SetFramePointer { up } => SehOp::SetFrame { register: rules.frame_pointer.num(), offset: up },
            _ => return,
        };
        buf.mark_cfi(CfiOp::Seh { op: step, bytes: 0 });
    }

    /// Marks for Windows' tables that describe every instruction. If a step stores no registers, its last instruction
    /// has the effect and those before mean nothing to unwinding.
    fn mark_instructions(&mut self, buf: &mut CodeBuffer, op: FrameOp, length: fn(&[u8]) -> u32, described: u64) {
        let rules = &self.frame.rules;
        let step = match op {
            FrameOp::Push(set) | FrameOp::Pop(set) => {
                let save = |(group, offset): (u64, u32)| {
                    let (first, last) = (group.trailing_zeros() as u8, 63 - group.leading_zeros() as u8);
                    match offset {
                        0 if group & !described != 0 => SehOp::Allocate(rules.push_bytes(set)),
                        _ if group & !described != 0 => SehOp::Nop,
                        0 => {
                            let vectors = group >> 32 != 0;
                            let registers = if vectors { group >> 32 } else { group } as u32;
                            SehOp::SaveLowering { registers, vectors, bytes: rules.push_bytes(set) }
                        }
                        _ => SehOp::Save { first, last, offset },
                    }
                };
                let mut saves: Vec<_> = rules.stores(set).map(save).collect();
                if matches!(op, FrameOp::Pop(_)) {
                    saves.reverse();
                }
                return self.mark_each(buf, length, &saves);
            }
            FrameOp::Allocate { bytes, .. } => SehOp::Allocate(bytes),
            FrameOp::MoveStack(bytes) => SehOp::Allocate(bytes.unsigned_abs()),
            FrameOp::SetFramePointer { .. } if !rules.unwinding.has_frame_pointer(self.frame.base) => SehOp::Nop,
            FrameOp::SetFramePointer { up } => SehOp::SetFrame { register: rules.frame_pointer.num(), offset: up },
            FrameOp::RestoreStack { disp } => {
                SehOp::SetFrame { register: rules.frame_pointer.num(), offset: disp.unsigned_abs() }
            }
            FrameOp::SignReturn { .. } | FrameOp::CheckReturn { .. } => SehOp::SignReturn,
            FrameOp::EndPrologue | FrameOp::BeginEpilogue => {
                self.mark_each(buf, length, &[]);
                let op = if op == FrameOp::EndPrologue { SehOp::EndPrologue } else { SehOp::BeginEpilogue };
                return buf.mark_cfi(CfiOp::Seh { op, bytes: 0 });
            }
            _ => {
                self.end = buf.offset();
                return;
            }
        };
        self.mark_each(buf, length, &[step]);
    }

    /// Marks every instruction since the last mark: the last one with these steps, those before as having no effect.
    fn mark_each(&mut self, buf: &mut CodeBuffer, length: fn(&[u8]) -> u32, steps: &[SehOp]) {
        let mut lengths = Vec::new();
        let mut rest = buf.bytes().get(self.end as usize..).unwrap_or_default();
        while !rest.is_empty() {
            lengths.push(length(rest).max(1));
            rest = rest.get(length(rest) as usize..).unwrap_or_default();
        }
        let before = lengths.len().saturating_sub(steps.len());
        for (k, bytes) in lengths.into_iter().enumerate() {
            self.end += bytes;
            let op = k.checked_sub(before).map_or(SehOp::Nop, |k| steps[k]);
            buf.mark_cfi_at(self.end, CfiOp::Seh { op, bytes: bytes as u8 });
        }
    }
}

impl Frame {
    /// Offset from the CFA of the register that the frame is addressed from.
    fn base_at(&self) -> i32 {
        -self.at(0).disp
    }
}

impl FrameRules {
    /// DWARF's number of a register, if DWARF tables are used and describe the register.
    fn dwarf(&self, r: PReg) -> Option<u16> {
        match self.unwinding {
            Unwinding::Dwarf(number) | Unwinding::Index(number) => number(r),
            Unwinding::WindowsSteps | Unwinding::WindowsInstructions { .. } => None,
        }
    }
}
