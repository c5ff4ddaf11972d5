//! What an architecture tells the target-neutral part of the code generator.

use gusset_abi::{Reg, RegClass};

use crate::alloc::Stream;
use crate::buffer::{BranchForm, CodeBuffer, Label};
use crate::compile::CompileError;
use crate::frame::Frame;
use crate::ir::{Callee, ConstData, Function, Inst, InstData, Module, Type};

/// A physical register: general-purpose ones are 0 to 31, floating-point and vector ones 32 to 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PReg(pub u8);

impl PReg {
    /// General-purpose register `n`.
    pub const fn int(n: u8) -> PReg {
        PReg(n)
    }
    /// Floating-point register `n`.
    pub const fn float(n: u8) -> PReg {
        PReg(32 + n)
    }
    /// The hardware number.
    #[inline]
    pub const fn num(self) -> u8 {
        self.0 & 31
    }
    /// Floating-point or vector?
    #[inline]
    pub const fn is_float(self) -> bool {
        self.0 >= 32
    }
    /// As a set.
    #[inline]
    pub const fn mask(self) -> u64 {
        1 << self.0
    }
    /// The register an ABI names; `None` for x87's stack.
    #[inline]
    pub fn from_abi(r: Reg) -> Option<PReg> {
        match r.class {
            RegClass::Int => Some(PReg::int(r.num)),
            RegClass::Float => Some(PReg::float(r.num)),
            RegClass::X87 => None,
        }
    }
}

/// What one part of a value is to the allocator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum PartKind {
    /// A general-purpose register, of which 32 bits count.
    I32,
    /// A general-purpose register, of which 64 bits count.
    I64,
    /// A floating-point register, of which 32 bits count.
    F32,
    /// A floating-point register, of which 64 bits count.
    F64,
    /// A whole vector register of 16 bytes.
    V128,
    /// Never in a register: 16 bytes of memory.
    Memory,
}

impl PartKind {
    /// Bytes of a spill slot.
    #[inline]
    pub const fn bytes(self) -> u32 {
        match self {
            PartKind::I32 | PartKind::F32 => 4,
            PartKind::I64 | PartKind::F64 => 8,
            PartKind::V128 | PartKind::Memory => 16,
        }
    }
    /// In floating-point registers?
    #[inline]
    pub const fn is_float(self) -> bool {
        matches!(self, PartKind::F32 | PartKind::F64 | PartKind::V128)
    }
}

/// The parts of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parts {
    /// Kind of every part.
    pub kind: PartKind,
    /// One, or two with the low part first.
    pub count: u8,
}

/// Registers as the allocator sees them; sets are masks over [`PReg`] numbers.
#[derive(Clone, Copy, Debug)]
pub struct RegisterFile {
    /// May hold values at all.
    pub allocatable: u64,
    /// Never a home: fixed operands of instructions and scratch.
    pub scratch: u64,
    /// Kept by callees.
    pub preserved: u64,
    /// Homes for values that no call interrupts, best first.
    pub home_order: &'static [PReg],
    /// Homes for values that live across calls, best first.
    pub saved_order: &'static [PReg],
    /// Registers for values of one block, best first.
    pub local_order: &'static [PReg],
    /// The frame pointer.
    pub frame_pointer: PReg,
}

/// A memory operand relative to the frame: base register and displacement are known, or the displacement is relative to
/// the incoming arguments of a frame whose size is still open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameAddr {
    /// Frame pointer or stack pointer.
    pub base: PReg,
    /// Bytes from it.
    pub disp: i32,
    /// The frame's final size must be added to the displacement (see [`Stream::note_incoming`]).
    pub open: bool,
}

/// An architecture. Its methods append machine code to the buffer; none of them allocates registers save `select`.
pub trait Target: Sized + Sync {
    /// State that a selector keeps through a function.
    type State: Default;

    /// Registers.
    fn registers(&self) -> &RegisterFile;
    /// Branch forms for the code buffer.
    fn branch_forms(&self) -> &'static [BranchForm];
    /// The integer type of a pointer.
    fn pointer(&self) -> Type;
    /// Bytes a call instruction pushes.
    fn return_address_bytes(&self) -> u32;
    /// DWARF number of a register.
    fn dwarf_register(&self, r: PReg) -> u16;
    /// How a value of `ty` is held. Types that legalization removes do not occur.
    fn parts(&self, ty: Type) -> Parts;

    /// May `def` be left to `user`, which reads it as its operand number `arg` and is the only one to do so?
    fn can_fold(&self, f: &Function, user: &InstData, arg: usize, def: &InstData) -> bool;
    /// Does the instruction clobber every register that calls may change, although it is not a call?
    fn clobbers_like_call(&self, module: &Module, f: &Function, inst: &InstData) -> bool;
    /// Bytes of outgoing stack arguments the expansion of an instruction other than a call needs.
    fn helper_stack_bytes(&self, f: &Function, inst: &InstData) -> u32;

    /// Emits the code of an instruction that is neither a call, a return nor a terminator with edges.
    fn select(cx: &mut Stream<'_, Self>, inst: Inst) -> Result<(), CompileError>;
    /// Emits the compare of a two-way branch and the conditional jump(s): to `then` if it holds, to `other` if not; one of
    /// them may be `None`, which falls through.
    fn select_branch(
        cx: &mut Stream<'_, Self>,
        inst: Inst,
        then: Option<Label>,
        other: Option<Label>,
    ) -> Result<(), CompileError>;
    /// Emits a switch to the labels of its edges: one for each case, in order, then the default.
    fn select_switch(cx: &mut Stream<'_, Self>, inst: Inst, labels: &[Label]) -> Result<(), CompileError>;
    /// Emits a jump to the address in the instruction's operand.
    fn select_indirect_branch(cx: &mut Stream<'_, Self>, inst: Inst) -> Result<(), CompileError>;
    /// Emits the call or jump itself, arguments being in place. `address` holds an indirect callee.
    fn emit_call(&self, cx: &mut CallEmit<'_>, callee: Callee, address: Option<CallAddress>, jump: bool);

    /// Copies a part between registers, of either class.
    fn emit_move(&self, buf: &mut CodeBuffer, kind: PartKind, dst: PReg, src: PReg);
    /// Exchanges two registers of one class.
    fn emit_swap(&self, buf: &mut CodeBuffer, kind: PartKind, a: PReg, b: PReg);
    /// Loads a part from the frame.
    fn emit_frame_load(&self, buf: &mut CodeBuffer, kind: PartKind, dst: PReg, at: FrameAddr) -> Option<u32>;
    /// Stores a part to the frame; gives the offset of the 4-byte displacement if `at.open`.
    fn emit_frame_store(&self, buf: &mut CodeBuffer, kind: PartKind, src: PReg, at: FrameAddr) -> Option<u32>;
    /// Loads part `part` of a constant of type `ty`, keeping the flags as they are.
    fn emit_const(
        &self,
        module: &Module,
        f: &Function,
        buf: &mut CodeBuffer,
        ty: Type,
        data: ConstData,
        part: u8,
        dst: PReg,
    ) -> Result<(), CompileError>;
    /// Loads the address of a place in the frame, aligned up to `align` if that is not 0.
    fn emit_frame_address(&self, buf: &mut CodeBuffer, dst: PReg, at: FrameAddr, align: u32) -> Option<u32>;
    /// Extends a small integer in a register in place.
    fn emit_extend(&self, buf: &mut CodeBuffer, reg: PReg, from: u16, to: u16, signed: bool);
    /// Loads `size` bytes (1, 2, 4, 8 or 16) at `base + disp` into a register, upper bits of any kind.
    fn emit_load(&self, buf: &mut CodeBuffer, dst: PReg, base: PReg, disp: i32, size: u32);
    /// Stores the low `size` bytes (1, 2, 4, 8 or 16) of a register at `base + disp`.
    fn emit_store(&self, buf: &mut CodeBuffer, src: PReg, base: PReg, disp: i32, size: u32);
    /// Sets a register to a small number, flags lost.
    fn emit_small(&self, buf: &mut CodeBuffer, dst: PReg, n: i32);
    /// Shifts a general-purpose register right by `bits` / left by `bits`, at pointer width, for reassembling pieces.
    fn emit_shift(&self, buf: &mut CodeBuffer, reg: PReg, bits: u8, left: bool);
    /// `dst |= src` at pointer width.
    fn emit_or(&self, buf: &mut CodeBuffer, dst: PReg, src: PReg);

    /// Jumps to a label.
    fn emit_jump(&self, buf: &mut CodeBuffer, to: Label);
    /// Writes the prologue of a finished frame, with unwind marks.
    fn emit_prologue(&self, buf: &mut CodeBuffer, frame: &Frame, fattrs: &crate::ir::FunctionAttrs);
    /// Upper bound of the prologue's length in bytes for a frame whose size is not known yet.
    fn prologue_room(&self) -> u32;
    /// Writes an epilogue without the return itself.
    fn emit_epilogue(&self, buf: &mut CodeBuffer, frame: &Frame);
    /// Returns, popping `pop` bytes of arguments.
    fn emit_return(&self, buf: &mut CodeBuffer, pop: u32);
}

/// Where an indirect callee's address is when the call is emitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallAddress {
    /// In a register.
    Reg(PReg),
    /// In the frame.
    Frame(FrameAddr),
}

/// What emitting a call needs.
pub struct CallEmit<'a> {
    /// The code.
    pub buf: &'a mut CodeBuffer,
    /// The module, for the callee's symbol.
    pub module: &'a Module,
}
