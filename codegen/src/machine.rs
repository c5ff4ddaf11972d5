//! What an architecture tells the target-neutral part of the code generator: registers, moves, frames.

use gusset_abi::{Convention, Reg, RegSet, SaveArea};

use crate::buffer::{CodeBuffer, CodeFacts, Label};
use crate::call::CallTarget;
use crate::compiled::LibCall;
use crate::error::CompileError;
use crate::ir::{ConstData, Function, Module, SymbolId, Type};

/// A physical register: general-purpose ones are 0 to 31, floating-point and vector ones 32 to 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
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
    /// Never in a register: 4 bytes of memory.
    Memory4,
    /// Never in a register: 8 bytes of memory.
    Memory8,
    /// Never in a register: 16 bytes of memory.
    Memory16,
}

impl PartKind {
    /// Bytes of a spill slot.
    #[inline]
    pub const fn bytes(self) -> u32 {
        match self {
            PartKind::I32 | PartKind::F32 | PartKind::Memory4 => 4,
            PartKind::I64 | PartKind::F64 | PartKind::Memory8 => 8,
            PartKind::V128 | PartKind::Memory16 => 16,
        }
    }
    /// In floating-point registers?
    #[inline]
    pub const fn is_float(self) -> bool {
        matches!(self, PartKind::F32 | PartKind::F64 | PartKind::V128)
    }
    /// Never in a register?
    #[inline]
    pub const fn is_memory(self) -> bool {
        matches!(self, PartKind::Memory4 | PartKind::Memory8 | PartKind::Memory16)
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
    /// May be changed between blocks: a part of `scratch`, and at least one floating-point register that is not
    /// allocatable.
    pub edge_scratch: u64,
    /// A general-purpose scratch register that carries no argument.
    pub entry_scratch: PReg,
    /// Holds an indirect callee's address; carries no argument and no static chain.
    pub call_register: PReg,
    /// Where a landing pad finds the exception and the selector: general-purpose registers that are never homes.
    pub landing: [PReg; 2],
    /// Changed by calls of library functions.
    pub library_clobbers: u64,
    /// General-purpose registers whose lowest byte can be stored.
    pub byte: u64,
    /// Can be zeroed before a return.
    pub zeroable: u64,
    /// Those of which the encoder notes whether they change ([`CodeBuffer::changed`]).
    pub noted: u64,
}

/// Preserved registers that are no homes in one function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reserved {
    /// They hold something from the prologue on.
    pub fixed: u64,
    /// They are temporaries.
    pub spare: u64,
}

/// A place in the frame as a memory operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameAddr {
    /// Frame pointer or stack pointer.
    pub base: PReg,
    /// Bytes from it.
    pub disp: i32,
}

/// The registers of a set, by number.
pub(crate) fn each_register(mut set: u64) -> impl Iterator<Item = PReg> {
    std::iter::from_fn(move || {
        let r = (set != 0).then(|| PReg(set.trailing_zeros() as u8))?;
        set &= set - 1;
        Some(r)
    })
}

/// How a machine makes frames.
#[derive(Clone, Copy, Debug)]
pub struct FrameRules {
    /// The stack pointer.
    pub stack_pointer: PReg,
    /// The frame pointer.
    pub frame_pointer: PReg,
    /// Bytes that a call pushes.
    pub link: u32,
    /// The register in which a call leaves the return address, where it pushes nothing.
    pub link_register: Option<PReg>,
    /// Registers that are saved by pushes; others are stored in the frame once it is there.
    pub pushed: u64,
    /// Of registers to be saved those that one instruction pushes next, lower numbers at lower addresses; the flag says that the
    /// frame pointer is one of them and will be used as such.
    pub next_push: fn(u64, bool) -> u64,
    /// A push moves the stack pointer by a multiple of so many bytes.
    pub push_unit: u32,
    /// Bytes of a general-purpose register.
    pub word: u32,
    /// Bytes of a vector register that callees keep.
    pub vector: u32,
    /// The frame pointer points near the lower end of the fixed frame, at most so many bytes above it, rather than to where its
    /// caller's value is saved: what short displacements reach is around it.
    pub low_frame_pointer: Option<u32>,
    /// One instruction takes a frame away in which nothing but the frame pointer is saved: [`FrameOp::Leave`].
    pub has_leave: bool,
    /// Stacks are guarded by pages of so many bytes, each of which is touched as the stack grows.
    pub page: u32,
    /// How unwind tables describe it.
    pub unwinding: Unwinding,
}

impl FrameRules {
    /// Bytes of what is saved of the registers of a set.
    pub fn bytes_of(&self, set: u64) -> u32 {
        let (ints, vectors) = (set as u32, (set >> 32) as u32);
        // Most pushes are of one register, and counting is a dozen instructions where the machine has none for it.
        if vectors == 0 && ints & ints.wrapping_sub(1) == 0 {
            return if ints == 0 { 0 } else { self.word };
        }
        ints.count_ones() * self.word + vectors.count_ones() * self.vector
    }

    /// Bytes that the stack pointer moves by if they are pushed together.
    pub fn push_bytes(&self, set: u64) -> u32 {
        self.bytes_of(set).next_multiple_of(self.push_unit)
    }
}

/// What unwind tables say of frames.
#[derive(Clone, Copy, Debug)]
pub enum Unwinding {
    /// DWARF's rules hold at every instruction. Gives the number of a register, if they say where it is.
    Dwarf(fn(PReg) -> Option<u16>),
    /// Windows' codes describe prologues alone: where the stack pointer moves in the body, the frame has a frame pointer.
    Windows,
}

/// A step of a prologue or an epilogue. Sets are masks over [`PReg`] numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameOp {
    /// Lowers the stack pointer by the bytes of the registers and stores them there.
    Push(u64),
    /// Loads them and raises the stack pointer.
    Pop(u64),
    /// Lowers the stack pointer, and touches the stack if the probe says so.
    Allocate {
        /// By so many bytes.
        bytes: u32,
        /// How it is touched.
        probe: Probe,
    },
    /// Lowers the stack pointer by so many bytes, or raises it if they are negative.
    MoveStack(i32),
    /// Lowers the stack pointer in the body and touches the stack on the way. Flags are lost.
    Touch {
        /// By so many bytes.
        bytes: u32,
        /// In steps of so many.
        step: u32,
        /// By way of a register.
        by: PReg,
    },
    /// Makes the frame pointer point above the stack pointer.
    SetFramePointer {
        /// By so many bytes.
        up: u32,
    },
    /// Makes the stack pointer point above the frame pointer, or below if negative.
    RestoreStack {
        /// By so many bytes.
        disp: i32,
    },
    /// Makes the stack pointer what the frame pointer is, and pops this.
    Leave,
    /// Stores the whole of a vector register.
    Store {
        /// The register.
        register: PReg,
        /// Where.
        at: FrameAddr,
    },
    /// Loads it.
    Load {
        /// The register.
        register: PReg,
        /// From where.
        at: FrameAddr,
    },
    /// All that unwinding takes back is done.
    EndPrologue,
    /// What follows unwinding takes for an epilogue.
    BeginEpilogue,
    /// Aligns the stack pointer down.
    Align(u32),
    /// Fills a register with what the target keeps in it.
    LoadFixed(PReg),
    /// Returns behind an epilogue.
    Return {
        /// With so many bytes of arguments popped.
        pop: u32,
    },
}

/// How the stack is touched as it grows, so that a guard page is not stepped over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Probe {
    /// Bytes by which it may grow before it is touched; `None`: any number.
    pub bytes: Option<u32>,
    /// The steps in which it is touched then: no more than a page.
    pub step: u32,
    /// The function that touches it, where that is not the target's usual way.
    pub function: Option<SymbolId>,
    /// Registers that bring something to the function.
    pub live: u64,
}

impl Probe {
    /// One that touches the stack as it grows by so many bytes, on a machine with pages of so many.
    pub fn new(bytes: Option<u32>, page: u32) -> Probe {
        let step = bytes.map_or(i32::MAX as u32, |bytes| bytes.clamp(64, page).next_multiple_of(16));
        Probe { bytes, step, ..Probe::default() }
    }
}

/// What is done to the bits of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitsOp {
    /// It is set to a small number.
    Set(i32),
    /// It is shifted left at its full width.
    Left(u8),
    /// It is shifted right at its full width, with zeros.
    Right(u8),
    /// It gets those of another, at pointer width, beside its own.
    Or(PReg),
}

/// Between memory and a machine's stack of registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stacked {
    /// From memory onto the stack.
    Push,
    /// Off the stack to memory.
    Pop,
}

/// Where a jump goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JumpTarget {
    /// To a label.
    Label(Label),
    /// To the address in a register.
    Register(PReg),
}

/// Code that means something to others than the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodeMark {
    /// What indirect branches find where they may go to, under protection of control flow.
    BranchTarget,
    /// Begins an indirect call that may go elsewhere, too.
    Untracked,
    /// So many bytes of instructions without effect.
    Room(u32),
    /// An instruction without effect that has room for a short jump.
    Redirectable,
    /// A call of the profiler; the stack is still as the caller left it.
    EntryCall,
}

/// A step of the stack guard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GuardStep {
    /// It is set behind the prologue; no argument is in the register, if there is one.
    Set(Option<PReg>),
    /// It is compared with what it was set to, with a temporary register; if they differ, control goes to the label.
    Check(PReg, Label),
    /// That it has changed is reported; the code comes to its end here.
    Fail,
}

/// The ground of an architecture: facts, moves and what frames are made of. Its methods append machine code to the buffer; none of
/// them allocates registers.
pub trait Machine: Sized + Sync {
    /// Registers.
    fn registers(&self) -> &RegisterFile;
    /// How frames are made.
    fn frame_rules(&self) -> FrameRules;
    /// What code buffers have to know of its code.
    fn code_facts(&self) -> &'static CodeFacts;
    /// The register that an ABI calls `reg` where so many bytes of it are used; `None` for one of a stack of registers. ABIs may
    /// count the parts of registers, as AAPCS32 does: `s1` is a half of `d0`.
    fn abi_register(&self, reg: Reg, bytes: u32) -> Option<PReg>;
    /// The registers that are in a set of an ABI, be it in part.
    fn abi_registers(&self, set: RegSet) -> u64 {
        set.iter().filter_map(|r| self.abi_register(r, 0)).fold(0, |mask, r| mask | r.mask())
    }
    /// The integer type of a pointer.
    fn pointer(&self) -> Type;
    /// The part that fills a general-purpose register: as wide as a pointer.
    fn word(&self) -> PartKind {
        if self.pointer() == Type::I32 { PartKind::I32 } else { PartKind::I64 }
    }
    /// How a value of `ty` is held. Types that legalization removes do not occur.
    fn parts(&self, ty: Type) -> Parts;
    /// The function that stands for `lib` here, and its convention.
    fn library_function(&self, lib: LibCall) -> (LibCall, Convention) {
        (lib, Convention::C)
    }
    /// What the signatures of the library's functions are classified for.
    fn library_abi(&self) -> &gusset_abi::Target;
    /// Emits the call or jump itself, arguments being in place.
    fn emit_call(&self, buf: &mut CodeBuffer, module: &Module, callee: CallTarget, jump: bool);
    /// Must a jump that leaves the function for good take the symbol's address from a register, since what the way to it
    /// wants is restored by then?
    fn jumps_by_register(&self, _module: &Module, _callee: SymbolId) -> bool {
        false
    }
    /// Loads the address of such a symbol.
    fn emit_far_address(&self, _buf: &mut CodeBuffer, _symbol: SymbolId, _dst: PReg) {}
    /// Emits a step of a prologue or an epilogue, or of what else moves the stack pointer. If that takes more than one instruction,
    /// it tells the buffer where the stack pointer is in between: [`CodeBuffer::stack_moved`], [`CodeBuffer::find_cfa_from`].
    fn emit_frame_op(&self, buf: &mut CodeBuffer, op: FrameOp);
    /// Registers that a stretch of code without calls may change, as far as the target can tell; for the checker of
    /// register allocation only. Branches in it have no displacements yet.
    fn written_registers(&self, code: &[u8]) -> u64;
    /// A register's name in messages.
    fn register_name(&self, r: PReg) -> String;
    /// Copies a part between registers, of either class.
    fn emit_move(&self, buf: &mut CodeBuffer, kind: PartKind, dst: PReg, src: PReg);
    /// Exchanges two registers of one class.
    fn emit_swap(&self, buf: &mut CodeBuffer, kind: PartKind, a: PReg, b: PReg);
    /// Stores such a constant.
    fn emit_store_const(&self, buf: &mut CodeBuffer, kind: PartKind, n: i64, at: FrameAddr);
    /// Can that be, without a register?
    fn can_store_const(&self, kind: PartKind, n: i64) -> bool;
    /// Computes in a register, flags lost.
    fn emit_bits(&self, buf: &mut CodeBuffer, dst: PReg, op: BitsOp);
    /// Moves a number between memory and the machine's stack of registers (x87's); `size` is 4, 8 or 16 (for 10).
    fn emit_stacked(&self, buf: &mut CodeBuffer, way: Stacked, at: FrameAddr, size: u32);
    /// Jumps.
    fn emit_jump(&self, buf: &mut CodeBuffer, to: JumpTarget);
    /// Emits something that is no part of the function's computation.
    fn emit_mark(&self, buf: &mut CodeBuffer, mark: CodeMark);
    /// Emits a step of the stack guard, which is at `at`.
    fn emit_guard(&self, buf: &mut CodeBuffer, module: &Module, at: FrameAddr, step: GuardStep);
    /// Loads the address of a place in the frame, aligned up to `align` if that is not 0. Flags are lost only where
    /// `keep_flags` allows it.
    fn emit_frame_address(&self, buf: &mut CodeBuffer, dst: PReg, at: FrameAddr, align: u32, keep_flags: bool);
    /// Loads part `part` of a constant of type `ty`.
    fn emit_const(
        &self,
        cx: &mut ConstEmit<'_>,
        ty: Type,
        data: ConstData,
        part: u8,
        dst: PReg,
    ) -> Result<(), CompileError>;
    /// Stores a constant of a memory-only type, where it takes one by way of the vector register `via`.
    fn emit_memory_const(
        &self,
        buf: &mut CodeBuffer,
        ty: Type,
        data: ConstData,
        via: PReg,
        at: FrameAddr,
    ) -> Result<(), CompileError>;
    /// Extends a small integer in a register in place.
    fn emit_extend(&self, buf: &mut CodeBuffer, reg: PReg, from: u16, to: u16, signed: bool);
    /// Loads `size` bytes (1, 2, 4, 8 or 16) at `base + disp` into a register; the rest of a general-purpose one is zero, of
    /// another of any kind.
    fn emit_load(&self, buf: &mut CodeBuffer, dst: PReg, at: FrameAddr, size: u32);
    /// Stores the low `size` bytes (1, 2, 4, 8 or 16) of a register at `base + disp`.
    fn emit_store(&self, buf: &mut CodeBuffer, src: PReg, at: FrameAddr, size: u32);
    /// Stores argument registers into a variadic function's save area.
    fn emit_save_area(&self, buf: &mut CodeBuffer, area: &SaveArea, at: FrameAddr);
    /// Registers in which functions of a convention may get arguments.
    fn argument_registers(&self, convention: Convention) -> u64;
    /// Zeroes registers; with a number also all of a stack of them but so many that hold results.
    fn emit_zeros(&self, buf: &mut CodeBuffer, registers: u64, stack: Option<u32>);
    /// Bytes of outgoing stack arguments that this needs.
    fn guard_stack_bytes(&self) -> u32 {
        0
    }
    /// Is the guard looked at before exceptions leave the function, too?
    fn guards_unwinding(&self, _module: &Module) -> bool {
        false
    }
}

/// What emitting a constant needs.
pub struct ConstEmit<'a> {
    /// The module, for symbols.
    pub module: &'a Module,
    /// The function, for vector lanes.
    pub f: &'a Function,
    /// The code.
    pub buf: &'a mut CodeBuffer,
    /// Condition flags must stay as they are.
    pub keep_flags: bool,
}
