//! Prologue and epilogue as steps, which the machine emits and unwind tables describe.

use super::{Frame, FrameBase, Saved};
use crate::buffer::{Cfa, CfiOp, CodeBuffer, SehOp};
use crate::machine::{FrameOp, FrameRules, Machine, PReg, Unwinding, each_register};

impl Frame {
    /// The steps that make the frame.
    pub(super) fn prologue(&self) -> Vec<FrameOp> {
        let rules = &self.rules;
        let framed = self.base.is_framed();
        let mut ops = Vec::with_capacity(self.saved.len() + 8);
        ops.extend(self.signed.map(|second_key| FrameOp::SignReturn { second_key }));
        if self.home > 0 {
            ops.push(FrameOp::MoveStack(self.home as i32));
        }
        for s in self.saved.iter().filter(|s| s.pushed) {
            ops.push(FrameOp::Push(s.registers));
            if framed && rules.low_frame_pointer.is_none() && s.registers & rules.frame_pointer.mask() != 0 {
                ops.push(FrameOp::SetFramePointer { up: (self.fp_at - s.place.offset) as u32 });
            }
        }
        if self.size > 0 {
            ops.push(FrameOp::Allocate { bytes: self.size, probe: self.probe });
        }
        if framed && rules.low_frame_pointer.is_some() {
            ops.push(FrameOp::SetFramePointer { up: (self.fp_at + self.depth()) as u32 });
        }
        ops.extend(self.stored().map(|(register, s)| FrameOp::Store { register, at: self.addr(s.place, 0) }));
        ops.push(FrameOp::EndPrologue);
        if self.align > self.natural {
            ops.push(FrameOp::Align(self.align));
        }
        ops.extend(each_register(self.fixed).map(FrameOp::LoadFixed));
        ops
    }

    /// The steps that take it away again, from where the body leaves the stack pointer.
    pub(super) fn epilogue(&self, height: i32) -> Vec<FrameOp> {
        let mut ops = Vec::with_capacity(self.saved.len() + 5);
        ops.extend(self.stored().map(|(register, s)| FrameOp::Load { register, at: self.addr(s.place, 0) }));
        ops.push(FrameOp::BeginEpilogue);
        let mut pushed = self.saved.iter().filter(|s| s.pushed).rev().peekable();
        // With the frame pointer, as the prologue's steps backwards, unwind tables of Windows need no steps of their own.
        if self.base == FrameBase::Fp || self.base.is_framed() && self.rules.unwinding.is_windows() {
            let disp = -(self.above as i32) - self.fp_at;
            let fp = self.rules.frame_pointer.mask();
            if self.rules.has_leave && disp == 0 && pushed.next_if(|s| s.registers == fp).is_some() {
                ops.push(FrameOp::Leave);
            } else {
                ops.push(FrameOp::RestoreStack { disp });
            }
        } else if self.size as i32 + height != 0 {
            // A call's argument block may still be there, or gone with more than it.
            ops.push(FrameOp::MoveStack(-(self.size as i32 + height)));
        }
        ops.extend(pushed.map(|s| FrameOp::Pop(s.registers)));
        if self.home > 0 {
            ops.push(FrameOp::MoveStack(-(self.home as i32)));
        }
        ops.extend(self.signed.map(|second_key| FrameOp::CheckReturn { second_key }));
        ops
    }

    fn stored(&self) -> impl Iterator<Item = (PReg, &Saved)> {
        self.saved.iter().filter(|s| !s.pushed).map(|s| (PReg(s.registers.trailing_zeros() as u8), s))
    }

    /// Is the CFA found in the body as it is at the function's first instruction?
    fn leaves_cfa(&self, height: i32) -> bool {
        !self.base.is_framed() && self.depth() + height == self.rules.link as i32
    }

    /// Says in the unwind tables that the stack pointer is `height` bytes below the place where the prologue leaves it.
    pub(crate) fn set_height(&self, buf: &mut CodeBuffer, height: i32) {
        buf.stack_height = height;
        buf.set_stack_cfa(self.depth() + height);
    }
}

/// Emits the prologue of a finished frame.
pub(crate) fn emit_prologue<M: Machine>(machine: &M, buf: &mut CodeBuffer, frame: &Frame) {
    let mut steps = Steps::begin(frame, buf);
    for op in frame.prologue() {
        machine.emit_frame_op(buf, op);
        steps.record(buf, op);
    }
}

/// Emits the epilogue, behind which the function is left.
pub(crate) fn emit_epilogue<M: Machine>(machine: &M, buf: &mut CodeBuffer, frame: &Frame) {
    let depth = frame.depth() + buf.stack_height;
    let mut steps = Steps { frame, depth, end: buf.offset(), prologue: false };
    for op in frame.epilogue(buf.stack_height) {
        machine.emit_frame_op(buf, op);
        steps.record(buf, op);
    }
    if let Unwinding::WindowsInstructions { .. } = frame.rules.unwinding {
        buf.mark_cfi(CfiOp::Seh(SehOp::EndEpilogue));
    }
}

/// What unwind tables say of steps that are emitted one after another.
pub(super) struct Steps<'a> {
    frame: &'a Frame,
    /// Bytes from the CFA down to the stack pointer.
    depth: i32,
    /// Where the code of the steps so far ends.
    end: u32,
    /// They make the frame.
    prologue: bool,
}

impl<'a> Steps<'a> {
    /// Those of the prologue.
    pub(super) fn begin(frame: &'a Frame, buf: &mut CodeBuffer) -> Steps<'a> {
        let (rules, depth) = (&frame.rules, frame.rules.link as i32);
        buf.begin_cfa(rules.dwarf(rules.stack_pointer).map(|register| Cfa { register, offset: depth }));
        Steps { frame, depth, end: 0, prologue: true }
    }

    /// Marks what holds behind a step.
    pub(super) fn record(&mut self, buf: &mut CodeBuffer, op: FrameOp) {
        let rules = &self.frame.rules;
        match op {
            FrameOp::Push(set) => self.depth += rules.push_bytes(set) as i32,
            FrameOp::Pop(set) => self.depth -= rules.push_bytes(set) as i32,
            FrameOp::Allocate { bytes, .. } => self.depth += bytes as i32,
            FrameOp::MoveStack(bytes) => self.depth += bytes,
            FrameOp::RestoreStack { .. } => self.depth = self.frame.above as i32,
            FrameOp::Leave => self.depth = rules.link as i32,
            _ => {}
        }
        match rules.unwinding {
            Unwinding::None => {}
            Unwinding::Dwarf(_) => self.mark(buf, op),
            Unwinding::Index(_) => {
                self.mark(buf, op);
                self.mark_index(buf, op);
            }
            Unwinding::WindowsSteps => self.mark_step(buf, op),
            Unwinding::WindowsInstructions { described, .. } => self.mark_instructions(buf, op, described),
        }
    }

    /// Marks for tables that are good at every instruction.
    fn mark(&self, buf: &mut CodeBuffer, op: FrameOp) {
        let (rules, depth) = (&self.frame.rules, self.depth);
        let fp = rules.frame_pointer;
        match op {
            FrameOp::BeginEpilogue if !self.frame.leaves_cfa(buf.stack_height) || self.frame.signed.is_some() => {
                buf.remember_cfa();
            }
            FrameOp::SignReturn { second_key } | FrameOp::CheckReturn { second_key } => {
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

    /// Marks for Windows' tables, which take the prologue back step by step.
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
        buf.mark_cfi(CfiOp::Seh(step));
    }

    /// Marks for opcodes of an index, which take the prologue back step by step.
    fn mark_index(&self, buf: &mut CodeBuffer, op: FrameOp) {
        let rules = &self.frame.rules;
        let step = match op {
            FrameOp::Push(set) => {
                let bit = |r: u16| 1 << if r < 16 { r } else { r - 256 + 16 };
                SehOp::PushSet(each_register(set).filter_map(|r| rules.dwarf(r)).fold(0, |set, r| set | bit(r)))
            }
            FrameOp::Allocate { bytes, .. } => SehOp::Allocate(bytes),
            FrameOp::MoveStack(bytes) if self.prologue => SehOp::Allocate(bytes as u32),
            FrameOp::SetFramePointer { up } => SehOp::SetFrame { register: rules.frame_pointer.num(), offset: up },
            _ => return,
        };
        buf.mark_cfi(CfiOp::Seh(step));
    }

    /// Marks for Windows' tables that describe every instruction. Those of a step that do not store registers compute what the last of them
    /// does; those before are of no meaning to unwinding.
    fn mark_instructions(&mut self, buf: &mut CodeBuffer, op: FrameOp, described: u64) {
        let (rules, end) = (&self.frame.rules, buf.offset());
        let instructions = (end - std::mem::replace(&mut self.end, end)) / 4;
        let mut mark = |op| buf.mark_cfi(CfiOp::Seh(op));
        let step = match op {
            FrameOp::Push(set) | FrameOp::Pop(set) => {
                let stores: Vec<_> = rules.stores(set).collect();
                (stores.len() as u32..instructions).for_each(|_| mark(SehOp::Nop));
                let save = |&(group, offset): &(u64, u32)| {
                    let (first, last) = (group.trailing_zeros() as u8, 63 - group.leading_zeros() as u8);
                    match offset {
                        0 if group & !described != 0 => SehOp::Allocate(rules.push_bytes(set)),
                        _ if group & !described != 0 => SehOp::Nop,
                        0 => SehOp::SaveLowering { first, last, bytes: rules.push_bytes(set) },
                        _ => SehOp::Save { first, last, offset },
                    }
                };
                return match op {
                    FrameOp::Push(_) => stores.iter().for_each(|s| mark(save(s))),
                    _ => stores.iter().rev().for_each(|s| mark(save(s))),
                };
            }
            FrameOp::Allocate { bytes, .. } => SehOp::Allocate(bytes),
            FrameOp::MoveStack(bytes) => SehOp::Allocate(bytes.unsigned_abs()),
            FrameOp::SetFramePointer { up } => SehOp::SetFrame { register: rules.frame_pointer.num(), offset: up },
            FrameOp::RestoreStack { disp } => {
                SehOp::SetFrame { register: rules.frame_pointer.num(), offset: disp.unsigned_abs() }
            }
            FrameOp::SignReturn { .. } | FrameOp::CheckReturn { .. } => SehOp::SignReturn,
            FrameOp::EndPrologue => SehOp::EndPrologue,
            FrameOp::BeginEpilogue => SehOp::BeginEpilogue,
            _ => return,
        };
        let marks = matches!(step, SehOp::EndPrologue | SehOp::BeginEpilogue);
        (u32::from(!marks)..instructions).for_each(|_| mark(SehOp::Nop));
        mark(step);
    }
}

impl Frame {
    /// Where the register that the frame is addressed from points, from the CFA.
    fn base_at(&self) -> i32 {
        -self.at(0).disp
    }
}

impl FrameRules {
    /// DWARF's number of a register, if its tables are in use and say where the register is.
    fn dwarf(&self, r: PReg) -> Option<u16> {
        match self.unwinding {
            Unwinding::Dwarf(number) | Unwinding::Index(number) => number(r),
            Unwinding::None | Unwinding::WindowsSteps | Unwinding::WindowsInstructions { .. } => None,
        }
    }
}
