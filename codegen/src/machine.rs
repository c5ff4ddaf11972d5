//! What an architecture tells the target-neutral part of the code generator: registers, moves, frames, and what it has.

mod frame;
mod registers;

pub use frame::{FrameBase, FrameOp, FrameRules, FuncletPlaces, FuncletRules, Probe, RecordOp, Unwinding};
pub use registers::{FLOATS, FrameAddr, PReg, PartKind, Parts, RegisterFile, Reserved, each_register};

use gusset_abi::{Convention, Extension, Reg, SaveArea};

use crate::buffer::{CodeBuffer, CodeFacts, Label};
use crate::error::CompileError;
use crate::ir::{ConstData, Function, InstData, Module, Opcode, SymbolId, Type, Value};
use crate::libcall::LibCall;

/// What is the same for all code of a machine.
#[derive(Clone, Debug)]
pub struct MachineFacts {
    /// Its registers.
    pub registers: RegisterFile,
    /// How frames are made.
    pub frame: FrameRules,
    /// What code buffers have to know of its code.
    pub code: &'static CodeFacts,
    /// The integer type of a pointer.
    pub pointer: Type,
    /// What the signatures of the library's functions are classified for.
    pub library: gusset_abi::Target,
    /// There is arithmetic on `f16`.
    pub has_half: bool,
    /// Bytes of outgoing stack arguments that looking at a stack guard takes.
    pub guard_stack_bytes: u32,
    /// The alignment that loads and stores want.
    pub alignment: AccessAlignment,
    /// The same in functions that want no unaligned accesses.
    pub strict_alignment: AccessAlignment,
}

/// The alignment in bytes that loads and stores of words want; of narrower ones it is their size, if that is less.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessAlignment {
    /// By general-purpose registers.
    pub general: u32,
    /// By floating-point registers.
    pub float: u32,
    /// By vector registers.
    pub vector: u32,
}

impl AccessAlignment {
    /// None at all.
    pub const ANY: AccessAlignment = AccessAlignment { general: 1, float: 1, vector: 1 };
}

impl MachineFacts {
    /// The part that fills a general-purpose register: as wide as a pointer.
    #[inline]
    pub fn word(&self) -> PartKind {
        if self.pointer == Type::I32 { PartKind::I32 } else { PartKind::I64 }
    }

    /// The alignment that a function's loads and stores want.
    #[inline]
    pub fn wanted_alignment(&self, strict: bool) -> AccessAlignment {
        if strict { self.strict_alignment } else { self.alignment }
    }
}

/// What a call goes to, as the target's emitter wants it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallTarget {
    /// A symbol of the module plus nothing.
    Symbol(SymbolId),
    /// A function of the run-time library.
    Library(LibCall),
    /// A register.
    Reg(PReg),
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
    /// A small integer in it is extended.
    Extend {
        /// From so many bits.
        from: u16,
        /// To so many.
        to: u16,
        /// With its sign?
        signed: bool,
    },
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
    /// What indirect calls find where functions begin, under protection of control flow.
    CallTarget,
    /// What indirect branches find elsewhere.
    BranchTarget,
    /// Begins an indirect call that may go elsewhere, too.
    Untracked,
    /// So many bytes of instructions without effect.
    Room(u32),
    /// An instruction without effect, the shortest: an address between what is in front of it and after.
    Between,
    /// An instruction without effect that has room for a short jump.
    Redirectable,
    /// A call of the profiler; the stack is still as the caller left it.
    EntryCall,
}

/// A function of the run-time library that does an atomic access and gives the old value. It takes the values, then the address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AtomicFunction {
    /// The function.
    pub lib: LibCall,
    /// What it wants instead of an operand: the operation of this number and it.
    pub operand: Option<(Opcode, i128)>,
}

/// A step of the stack guard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StackGuardStep {
    /// It is set after the prologue; no argument is in the register, if there is one.
    Set(Option<PReg>),
    /// It is compared with what it was set to, with a temporary register; if they differ, control goes to the label.
    Check(PReg, Label),
    /// That it has changed is reported; the code comes to its end here.
    Fail,
}

/// The ground of an architecture: facts, moves and what frames are made of. What appends machine code to the buffer allocates no
/// registers.
pub trait Machine: Sized + Sync {
    /// What is the same for all code.
    fn facts(&self) -> &MachineFacts;
    /// The register that an ABI calls `reg` where so many bytes of it are used; `None` for one of a stack of registers. ABIs may
    /// count the parts of registers, as AAPCS32 does: `s1` is a half of `d0`.
    fn abi_register(&self, reg: Reg, bytes: u32) -> Option<PReg>;
    /// How a value of `ty` is held. Types that legalization removes do not occur.
    fn parts(&self, ty: Type) -> Parts;

    // What it has.

    /// Can it do `op` on 16-byte vectors of type `ty`, whose lanes are of 8 to 64 bits, `f32` or `f64`? For conversions `ty`
    /// is the result's type, and the operand's lanes are as wide. Comparisons give lanes of all ones or all zeros, and
    /// a vector `select` takes such lanes. Lanes are taken out and replaced at any position, and a `shuffle` of two
    /// vectors of its own type has any mask.
    fn has_vector_op(&self, op: Opcode, ty: Type) -> bool;
    /// Can it shift all lanes of such a vector by one constant? Shifts are no operations of [`Machine::has_vector_op`] unless
    /// the lanes' amounts may differ.
    fn has_uniform_shift(&self, op: Opcode, ty: Type) -> bool {
        matches!(op, Opcode::Shl | Opcode::Lshr | Opcode::Ashr) && ty.lane().is_int()
    }
    /// Is the operation, on legal types, done by a function of the run-time library?
    fn calls_library(&self, f: &Function, inst: &InstData) -> bool;
    /// The function that stands for `lib` here, and its convention.
    fn library_function(&self, lib: LibCall) -> (LibCall, Convention) {
        (lib, Convention::C)
    }
    /// Has the system's library this function? What it lacks is done without it, or refused by its name.
    fn library_has(&self, _lib: LibCall) -> bool {
        true
    }
    /// The function for an aligned atomic access, if the machine has one of its own for it.
    fn atomic_function(&self, _f: &Function, _inst: &InstData) -> Option<AtomicFunction> {
        None
    }
    /// Do the library's functions for quotients take the divisor first, and are there none for remainders?
    fn divides_backwards(&self) -> bool {
        false
    }
    /// Is the address of a thread-local symbol found by a call?
    fn tls_address_calls(&self, module: &Module, symbol: SymbolId) -> bool;
    /// May `def` be left to `user`, which reads it as its operand number `arg` and is the only one to do so? `last` is the
    /// instruction that `user` was left to itself, if it was to one.
    fn can_fold(&self, f: &Function, user: &InstData, arg: usize, def: &InstData, last: Option<&InstData>) -> bool;
    /// Is the register of `v` extended as `ext` says without further ado?
    fn is_extended(&self, f: &Function, v: Value, ext: Extension) -> bool;

    // Registers of a function.

    /// Registers that the function's code wants for itself beside the scratch ones.
    fn reserved(&self, _module: &Module, _f: &Function) -> Reserved {
        Reserved::default()
    }
    /// Registers whose fixed contents the code turned out to want after all.
    fn wants_fixed(&self, _code: &CodeBuffer) -> u64 {
        0
    }
    /// Registers in which functions of a convention may get arguments, as far as they are zeroed for security.
    fn argument_registers(&self, convention: Convention) -> u64;
    /// Zeroes registers; with a number also all of a stack of them but so many that hold results.
    fn emit_zero_registers(&self, buf: &mut CodeBuffer, registers: u64, stack: Option<u32>);
    /// Registers that a stretch of code without calls may change, as far as the target can tell; for the checker of
    /// register allocation only. Branches in it have no displacements yet.
    fn written_registers(&self, code: &[u8]) -> u64;
    /// A register's name in messages.
    fn register_name(&self, r: PReg) -> String;

    // Control and frames.

    /// Emits the call or jump itself, arguments being in place.
    fn emit_call(&self, buf: &mut CodeBuffer, module: &Module, callee: CallTarget, jump: bool);
    /// Must a jump that leaves the function for good take the symbol's address from a register, since what the way to it
    /// wants is restored by then?
    fn jumps_by_register(&self, _module: &Module, _callee: SymbolId) -> bool {
        false
    }
    /// Jumps.
    fn emit_jump(&self, buf: &mut CodeBuffer, to: JumpTarget);
    /// Loads the address of a label of the code into a register. Nobody asks for it where there are no funclets.
    fn emit_label_address(&self, _buf: &mut CodeBuffer, _dst: PReg, _label: Label) {}
    /// Emits a step of a prologue or an epilogue, or of what else moves the stack pointer. If that takes more than one instruction,
    /// it tells the buffer where the stack pointer is in between: [`CodeBuffer::stack_moved`], [`CodeBuffer::find_cfa_from`].
    fn emit_frame_op(&self, buf: &mut CodeBuffer, op: FrameOp);
    /// Stores argument registers into a variadic function's save area.
    fn emit_save_area(&self, buf: &mut CodeBuffer, area: &SaveArea, at: FrameAddr) {
        for s in &area.slots {
            if let Some(r) = self.abi_register(s.reg, s.size) {
                self.emit_store(buf, r, FrameAddr { disp: at.disp + s.offset as i32, ..at }, s.size);
            }
        }
    }
    /// Emits something that is no part of the function's computation.
    fn emit_mark(&self, buf: &mut CodeBuffer, mark: CodeMark);
    /// Emits a step of the stack guard, which is at `at`.
    fn emit_stack_guard(&self, buf: &mut CodeBuffer, module: &Module, at: FrameAddr, step: StackGuardStep);
    /// Is the guard looked at before exceptions leave the function, too?
    fn checks_guard_before_unwinding(&self, _module: &Module) -> bool {
        false
    }

    // Moves.

    /// Copies a part between registers, of either class.
    fn emit_move(&self, buf: &mut CodeBuffer, kind: PartKind, dst: PReg, src: PReg);
    /// Exchanges two registers of one class.
    fn emit_swap(&self, buf: &mut CodeBuffer, kind: PartKind, a: PReg, b: PReg);
    /// Loads `size` bytes (1, 2, 4, 8 or 16) at `base + disp` into a register; the rest of a general-purpose one is zero, of
    /// another of any kind.
    fn emit_load(&self, buf: &mut CodeBuffer, dst: PReg, at: FrameAddr, size: u32);
    /// Stores the low `size` bytes (1, 2, 4, 8 or 16) of a register at `base + disp`.
    fn emit_store(&self, buf: &mut CodeBuffer, src: PReg, at: FrameAddr, size: u32);
    /// Moves a number between memory and the machine's stack of registers (x87's); `size` is 4, 8 or 16 (for 10). Nobody asks for
    /// it where [`abi_register`](Machine::abi_register) knows of no such stack.
    fn emit_stacked(&self, _buf: &mut CodeBuffer, _way: Stacked, _at: FrameAddr, _size: u32) {}
    /// Loads part `part` of a constant of type `ty`.
    fn emit_const(
        &self,
        cx: &mut ConstEmit<'_>,
        ty: Type,
        data: ConstData,
        part: u8,
        dst: PReg,
    ) -> Result<(), CompileError>;
    /// Stores the bits of a constant's part, by way of the vector register `via` where there is one. `false`, and no code, if it
    /// takes a general-purpose register; parts that are in memory only never do.
    fn emit_store_const(
        &self,
        buf: &mut CodeBuffer,
        kind: PartKind,
        bits: u128,
        via: Option<PReg>,
        at: FrameAddr,
    ) -> bool;
    /// Computes in a register, flags lost.
    fn emit_bits(&self, buf: &mut CodeBuffer, dst: PReg, op: BitsOp);
    /// Loads the address of a place in the frame, aligned up to `align` if that is not 0. Flags are lost only where
    /// `keep_flags` allows it.
    fn emit_frame_address(&self, buf: &mut CodeBuffer, dst: PReg, at: FrameAddr, align: u32, keep_flags: bool);
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
