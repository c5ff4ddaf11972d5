//! What an architecture tells the target-neutral part of the code generator: registers, moves, frames, abilities.

mod frame;
mod registers;

pub use frame::{FrameBase, FrameOp, FrameRules, FuncletPlaces, FuncletRules, Probe, RecordOp, Signing, Unwinding};
pub use registers::{FLOATS, FrameAddr, PReg, PartKind, Parts, RegisterFile, Reserved, each_register};

use gusset_abi::features::Hardening;
use gusset_abi::{Convention, Endian, Extension, Reg, RegClass, SaveArea};

use crate::buffer::{CodeBuffer, CodeFacts, Label, SledKind};
use crate::error::Result;
use crate::ir::{ConstData, Function, InstData, Module, Opcode, SymbolId, Type, Value};
use crate::libcall::LibCall;

/// What is the same for all code of a machine.
#[derive(Clone, Debug)]
pub struct MachineFacts {
    /// Its registers.
    pub registers: RegisterFile,
    /// How frames are made.
    pub frame: FrameRules,
    /// What code buffers have to know about its code.
    pub code: &'static CodeFacts,
    /// The integer type of a pointer.
    pub pointer: Type,
    /// DWARF's number of a register, for tables other than those of frames.
    pub dwarf_register: fn(PReg) -> u16,
    /// LLVM's unoptimized code has instructions for jumps to the code that follows and for values that nothing uses.
    pub unoptimized_has_all: bool,
    /// The target for which signatures of library functions are classified.
    pub library: gusset_abi::AbiTarget,
    /// How many registers hold arguments of library functions, where that is a choice: on 32-bit x86.
    pub library_registers: u8,
    /// How many bytes of memory a load or store of a vector register reads or writes as one number. It matters where the
    /// bytes of numbers are in big-endian order ([`MachineFacts::endian`]): there the lanes of a vector are in the order of memory
    /// after these have been reversed in each such group.
    pub vector_unit: u32,
    /// Loads and stores may be of two registers at once.
    pub has_pair_access: bool,
    /// No function uses floating-point registers ([`FunctionAttrs::soft_float`](crate::ir::FunctionAttrs::soft_float)).
    pub soft_float: bool,
    /// Code may not hold data.
    pub execute_only: bool,
    /// Numbers of type `f128` are the integers of their bits, in every function. So it is where registers have 32 bits.
    pub soft_quads: bool,
    /// There is arithmetic on `f16`.
    pub has_half: bool,
    /// LLVM's name of the feature that brings registers for vectors of so many bytes, if there is one.
    pub vector_feature: fn(u32) -> Option<&'static str>,
    /// Why values that are passed in vector registers are refused where there are none.
    pub without_vectors: &'static str,
    /// Bytes of stack arguments that belong to the callee when code of frames calls a C function (home space).
    pub guard_stack_bytes: u32,
    /// An access can add an index to the address of a symbol.
    pub indexes_symbols: bool,
    /// An access can add an index to a base and an offset.
    pub indexes_with_offsets: bool,
    /// Bytes of the shortest instruction without effect.
    pub nop_bytes: u32,
    /// The alignment that loads and stores want.
    pub alignment: AccessAlignment,
    /// The same in functions that want no unaligned accesses.
    pub strict_alignment: AccessAlignment,
}

/// The alignment in bytes that loads and stores of words need; narrower accesses need their size, if that is less.
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
    /// The kind of a part that fills a general-purpose register, which is as wide as a pointer.
    #[inline]
    pub fn word(&self) -> PartKind {
        if self.pointer == Type::I32 { PartKind::I32 } else { PartKind::I64 }
    }

    /// The order of a number's bytes in memory.
    #[inline]
    pub fn endian(&self) -> Endian {
        self.code.endian
    }

    /// The alignment that a function's loads and stores need.
    #[inline]
    pub fn wanted_alignment(&self, strict: bool) -> AccessAlignment {
        if strict { self.strict_alignment } else { self.alignment }
    }
}

/// What a call goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallTarget {
    /// A symbol of the module.
    Symbol(SymbolId),
    /// A function of the run-time library.
    Library(LibCall),
    /// A register.
    Reg(PReg),
}

/// An operation on the bits of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitsOp {
    /// Set it to a small number.
    Set(i32),
    /// Shift it left at its full width.
    Left(u8),
    /// Shift it right at its full width, with zeros.
    Right(u8),
    /// Combine it with another register by "or", at pointer width.
    Or(PReg),
    /// Extend a small integer in it.
    Extend {
        /// From this many bits.
        from: u16,
        /// To this many bits.
        to: u16,
        /// With its sign?
        signed: bool,
    },
}

/// A transfer between memory and a machine's stack of registers (x87).
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

/// How sleds look on a machine. Numbers are of bytes.
#[derive(Debug)]
pub struct SledForm {
    /// What they are aligned to.
    pub align: u32,
    /// The byte that fills the code before, if it can be needed.
    pub fill: u8,
    /// What a jump passes at an entry, and before a return or jump.
    pub room: u32,
    /// Room after a return, if that is where it is.
    pub after_return: Option<u32>,
    /// The kind of sleds before jumps to other functions, if there are any.
    pub tail: Option<SledKind>,
    /// Room before and after the call of an event, and of a typed one. Machines without them have none.
    pub events: Option<[(u32, u32); 2]>,
}

/// What a function with split stacks asks for when it begins, if there is too little.
#[derive(Clone, Copy, Debug)]
pub struct SplitCheck {
    /// Bytes of its frame.
    pub bytes: u32,
    /// Bytes of its arguments on the stack, which are copied.
    pub arguments: u32,
    /// Registers that hold arguments.
    pub used: u64,
    /// A register that holds nothing, if there is one.
    pub temp: Option<PReg>,
}

/// Code that means something to others than the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodeMark {
    /// The marker that indirect calls find at the start of functions, with protection of control flow.
    CallTarget,
    /// The marker that indirect branches find elsewhere.
    BranchTarget,
    /// The prefix of an indirect call that may go to unmarked code.
    Untracked,
    /// This many bytes of instructions without effect.
    Room(u32),
    /// The shortest instruction without effect: an address between the code before it and after it.
    Between,
    /// An instruction without effect that has room for a short jump.
    Redirectable,
    /// The flags become those that functions find, after an interrupt.
    UsualFlags,
    /// A call of the profiler; the stack is as the caller left it.
    EntryCall,
}

/// A run-time library function that does an atomic access and returns the old value. Its arguments are the values, then
/// the address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AtomicFunction {
    /// The function.
    pub lib: LibCall,
    /// It takes the result of this operation, with this number as the other operand, in place of the operand.
    pub operand: Option<(Opcode, i128)>,
}

/// A step of the stack guard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StackGuardStep {
    /// Set it, after the prologue. No argument is in the register, if one is given.
    Set(Option<PReg>),
    /// Compare it with its first value, with a temporary register; if they differ, jump to the label.
    Check(PReg, Label),
    /// Report that it has changed; this code does not continue.
    Fail,
}

/// An instruction with one user, to which it may be deferred.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The instruction.
    pub def: &'a InstData,
    /// Its user, which reads it as operand number `arg`.
    pub user: &'a InstData,
    /// The number of the operand.
    pub arg: usize,
    /// The instruction that the user itself is deferred to, if it is.
    pub last: Option<&'a InstData>,
    /// The code is optimized.
    pub is_optimized: bool,
}

/// The base of an architecture: facts, moves, and the steps of frames. Methods that append machine code to the buffer
/// allocate no registers.
pub trait Machine: Sized + Sync {
    /// What is the same for all code.
    fn facts(&self) -> &MachineFacts;
    /// The register that an ABI calls `reg`, if `_bytes` bytes of it are used; `None` for a register of a stack. ABIs
    /// may count parts of registers, as AAPCS32 does: `s1` is half of `d0`.
    fn abi_register(&self, reg: Reg, _bytes: u32) -> Option<PReg> {
        match reg.class {
            RegClass::Int => Some(PReg::int(reg.num)),
            RegClass::Float => Some(PReg::float(reg.num)),
            RegClass::X87 => None,
        }
    }
    /// How a value of `ty` is held. Types that legalization removes do not occur.
    fn parts(&self, ty: Type) -> Parts;

    // Abilities.

    /// Can it do `op` on 16-byte vectors of type `ty`, whose lanes have 8 to 64 bits or are `f32` or `f64`? For
    /// conversions, `ty` is the result's type, and the operand's lanes are as wide. Comparisons give lanes of all ones
    /// or all zeros, and a vector `select` takes such lanes. Lanes can be extracted and inserted at any position, and a
    /// `shuffle` of two vectors of its own type can have any mask.
    fn has_vector_op(&self, op: Opcode, ty: Type) -> bool;
    /// Can it shift all lanes of such a vector by the same constant? [`Machine::has_vector_op`] says whether it can
    /// shift lanes by different amounts.
    fn has_uniform_shift(&self, op: Opcode, ty: Type) -> bool {
        matches!(op, Opcode::Shl | Opcode::Lshr | Opcode::Ashr) && ty.lane().is_int()
    }
    /// Is the operation, on legal types, done by a run-time library function?
    fn calls_library(&self, f: &Function, inst: &InstData) -> bool;
    /// The function to call for `lib`, and its convention.
    fn library_function(&self, lib: LibCall) -> (LibCall, Convention) {
        (lib, Convention::C)
    }
    /// Does the system's library have this function? Without it, the operation is done in another way, or refused by
    /// the function's name.
    fn library_has(&self, _lib: LibCall) -> bool {
        true
    }
    /// The function for an aligned atomic access, if the machine has one.
    fn atomic_function(&self, _f: &Function, _inst: &InstData) -> Option<AtomicFunction> {
        None
    }
    /// Do the library's division functions take the divisor first, and are there none for remainders?
    fn divides_backwards(&self) -> bool {
        false
    }
    /// Is the address of a thread-local symbol found by a call?
    fn tls_address_calls(&self, module: &Module, symbol: SymbolId) -> bool;
    /// Does the operation of this name call a function?
    fn machine_op_calls(&self, _name: &str) -> bool {
        false
    }
    /// Registers that an instruction may take by name, calls excepted. Others are found as temporaries.
    fn fixed_registers(&self, f: &Function, d: &InstData) -> u64 {
        use Opcode::*;
        let word = self.facts().pointer.bits();
        let shifts = |amount: u32| f.int_constant(Value(amount)).is_none();
        let takes = match d.op {
            Shl | Lshr | Ashr | UshlSat | SshlSat => shifts(d.b),
            Fshl | Fshr => shifts(d.c),
            Udiv | Sdiv | Urem | Srem | UmulOv | SmulOv | UmulWide | SmulWide | Iconcat | Isplit => true,
            AtomicLoad | AtomicStore | AtomicRmw | Cmpxchg | Memcpy | Memmove | Memset | TlsAddr => true,
            StackAlloc | StackSave | StackRestore | BlockOpen | StackLevel | VaStart | VaCopy => true,
            StackMap | ReadCycles | Machine | MachineEffect | LandingPad | CatchPad | CleanupPad | Resume => true,
            _ => false,
        };
        if takes || !d.ty.is_vector() && d.ty.bits() > word.max(64) { self.facts().registers.scratch } else { 0 }
    }
    /// May an instruction be deferred to its user?
    fn can_fold(&self, f: &Function, candidate: Candidate<'_>) -> bool;
    /// Can an access of a type add an index of this scale to the base of its address without an instruction?
    fn adds_index(&self, _ty: Type, _scale: u32) -> bool {
        true
    }
    /// Is an integer constant, which an instruction reads as operand number `arg`, worth a register in a loop? It is no part of the
    /// instruction then, and takes two instructions or more.
    fn is_long_constant(&self, _f: &Function, _user: &InstData, _arg: usize) -> bool {
        false
    }
    /// Is it of use to know that registers of parameters of a type have zeros above its width?
    fn may_be_extended(&self, _ty: Type) -> bool {
        false
    }
    /// Does the register of `v` have zeros above the width of `v`, in optimized code?
    fn has_zeros_above(&self, _f: &Function, _v: Value) -> bool {
        false
    }
    /// Does the register of `v` hold it extended as `ext` says, without further code?
    fn is_extended(&self, f: &Function, v: Value, ext: Extension) -> bool;

    // Registers of a function.

    /// Registers that the function's code needs for itself, besides the scratch registers.
    fn reserved(&self, _module: &Module, _f: &Function) -> Reserved {
        Reserved::default()
    }
    /// Registers whose fixed contents the emitted code turned out to need.
    fn wants_fixed(&self, _code: &CodeBuffer) -> u64 {
        0
    }
    /// Registers in which functions of a convention can get arguments, as far as they are zeroed for security.
    fn argument_registers(&self, convention: Convention) -> u64;
    /// Zeroes registers. With a number, also zeroes the stack of registers except for that many results.
    fn emit_zero_registers(&self, buf: &mut CodeBuffer, registers: u64, stack: Option<u32>);
    /// Registers that code without calls may change, as far as the target can tell, for the checker of register
    /// allocation. Branches in it have no displacements yet.
    fn written_registers(&self, code: &[u8]) -> u64;
    /// Combines loads and stores of a complete function that were noted ([`CodeBuffer::note_access`]), or what computes their addresses.
    fn combine_accesses(&self, _code: &mut CodeBuffer) {}
    /// A register's name in messages.
    fn register_name(&self, r: PReg) -> String;

    // Control and frames.

    /// Emits the call or jump itself; the arguments are in place.
    fn emit_call(&self, buf: &mut CodeBuffer, module: &Module, callee: CallTarget, jump: bool);
    /// Must a jump that leaves the function for good take the symbol's address from a register? If so, what computing
    /// the address needs has been restored by then.
    fn jumps_by_register(&self, _module: &Module, _callee: SymbolId) -> bool {
        false
    }
    /// Jumps.
    fn emit_jump(&self, buf: &mut CodeBuffer, to: JumpTarget);
    /// Checks that before the address in a register, and before this many bytes of room for patches, there is the number of a type, and
    /// traps if not. Returns where it traps if tables list that. Without such checks, returns an error's reason.
    fn emit_type_check(
        &self,
        _buf: &mut CodeBuffer,
        _callee: PReg,
        _id: u32,
        _before: u32,
    ) -> std::result::Result<Option<Label>, &'static str> {
        Err("the operand bundle `kcfi` is not supported on this machine")
    }
    /// Registers that the check changes.
    fn changed_by_type_check(&self) -> u64 {
        0
    }
    /// Emits the check of split stacks at the start of a function; none if the function needs no stack.
    ///
    /// # Errors
    /// The machine or system has none; a register that it needs holds an argument.
    fn emit_split_check(
        &self,
        _buf: &mut CodeBuffer,
        _check: Option<&SplitCheck>,
    ) -> std::result::Result<(), &'static str> {
        Err("the attribute `split-stack` is not supported on this machine")
    }
    /// What places look like where tools write calls, if they can.
    fn sleds(&self) -> Option<&'static SledForm> {
        None
    }
    /// The register that points to the shadow call stack, if the function may use one.
    fn shadow_call_stack(&self, _f: &Function) -> Option<PReg> {
        None
    }
    /// The function by which code with these protections calls by address, if it is defined beside that code.
    fn call_thunk(&self, _hardening: Hardening) -> Option<LibCall> {
        None
    }
    /// Registers that calls by address with these protections change before the callee gets control.
    fn changed_by_call(&self, _hardening: Hardening) -> u64 {
        0
    }
    /// Emits the code of that function.
    fn emit_call_thunk(&self, _buf: &mut CodeBuffer) {}
    /// Loads the address of a label of the code into a register. Only needed where there are funclets.
    fn emit_label_address(&self, _buf: &mut CodeBuffer, _dst: PReg, _label: Label) {}
    /// Emits a step of a prologue or an epilogue, or another change of the stack pointer. If it takes more than one
    /// instruction, the buffer is told where the stack pointer is in between: [`CodeBuffer::stack_moved`],
    /// [`CodeBuffer::find_cfa_from`].
    fn emit_frame_op(&self, buf: &mut CodeBuffer, op: FrameOp);
    /// Stores argument registers into a variadic function's save area.
    fn emit_save_area(&self, buf: &mut CodeBuffer, area: &SaveArea, at: FrameAddr) {
        for s in &area.slots {
            if let Some(r) = self.abi_register(s.reg, s.size) {
                self.emit_store(buf, r, FrameAddr { disp: at.disp + s.offset as i32, ..at }, s.size);
            }
        }
    }
    /// Emits a mark, which is no part of the function's computation.
    fn emit_mark(&self, buf: &mut CodeBuffer, mark: CodeMark);
    /// Emits a step of the stack guard at address `at`.
    fn emit_stack_guard(&self, buf: &mut CodeBuffer, module: &Module, at: FrameAddr, step: StackGuardStep);
    /// Jumps to the label if the stack pointer is at least this many bytes above the address in a register. Changes the
    /// register and flags, and no other register that holds something when a function begins.
    fn emit_stack_compare(&self, buf: &mut CodeBuffer, limit: PReg, bytes: u32, enough: Label);
    /// Loads the address of a thread-local variable into a register, if that takes no call and no other register; else
    /// `false`, and no code.
    fn emit_thread_address(&self, _buf: &mut CodeBuffer, _module: &Module, _dst: PReg, _symbol: SymbolId) -> bool {
        false
    }
    /// Is the guard also checked before exceptions leave the function?
    fn checks_guard_before_unwinding(&self, _module: &Module) -> bool {
        false
    }

    // Moves.

    /// Copies a part between registers of any class.
    fn emit_move(&self, buf: &mut CodeBuffer, kind: PartKind, dst: PReg, src: PReg);
    /// Exchanges two registers of one class.
    fn emit_swap(&self, buf: &mut CodeBuffer, kind: PartKind, a: PReg, b: PReg);
    /// Loads `size` bytes (1, 2, 4, 8 or 16) at `base + disp` into a register. The rest of a general-purpose register
    /// is zero, that of others undefined.
    fn emit_load(&self, buf: &mut CodeBuffer, dst: PReg, at: FrameAddr, size: u32);
    /// Stores the low `size` bytes (1, 2, 4, 8 or 16) of a register at `base + disp`.
    fn emit_store(&self, buf: &mut CodeBuffer, src: PReg, at: FrameAddr, size: u32);
    /// Moves a number between memory and the machine's stack of registers (x87's); `size` is 4, 8 or 16 (for 10). Only
    /// called if [`abi_register`](Machine::abi_register) knows such a stack.
    fn emit_stacked(&self, _buf: &mut CodeBuffer, _way: Stacked, _at: FrameAddr, _size: u32) {}
    /// Loads part `part` of a constant of type `ty`.
    fn emit_const(&self, cx: &mut ConstEmit<'_>, ty: Type, data: ConstData, part: u8, dst: PReg) -> Result;
    /// Stores the bits of a constant's part, through the vector register `via` if it is given. `false`, and no code, if
    /// it needs a general-purpose register; parts that are in memory only never do.
    fn emit_store_const(
        &self,
        buf: &mut CodeBuffer,
        kind: PartKind,
        bits: u128,
        via: Option<PReg>,
        at: FrameAddr,
    ) -> bool;
    /// Does an operation on a register; changes flags.
    fn emit_bits(&self, buf: &mut CodeBuffer, dst: PReg, op: BitsOp);
    /// Loads the address of a place in the frame, rounded up to `align` if that is not 0. Flags change only if
    /// `keep_flags` is false.
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
