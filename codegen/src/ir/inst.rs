//! Instructions: opcodes, operand formats and the 16-byte record.

use super::types::Type;
use crate::words;

/// How to read the words `a`, `b` and `c` of an instruction. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// No operand.
    Nullary,
    /// `a`: value.
    Unary,
    /// `a`, `b`: values.
    Binary,
    /// `a`, `b`, `c`: values.
    Ternary,
    /// `a`: address; `b`: byte offset (`i32`); `flags`: [`MemFlags`].
    Load,
    /// `a`: address; `b`: value; `c`: byte offset (`i32`); `flags`: [`MemFlags`].
    Store,
    /// `a`, `b`: values; `c`: an immediate (`i32`).
    BinaryImm,
    /// `a`, `b`: values; `c`: list of `u32` in the pool (shuffle mask; `u32::MAX` is an undefined lane).
    Shuffle,
    /// `a`: address; `b`: value; `c`: [`AtomicInfo`].
    Rmw,
    /// `a`: address; `b`: [`AtomicInfo`].
    AtomicLoad,
    /// `a`: address; `b`: expected; `c`: new; `flags`: success ordering, low 3 bits, failure ordering, next 3, volatile, bit 6.
    Cmpxchg,
    /// `a`: symbol.
    Symbol,
    /// `a`: value; `b`: an immediate.
    UnaryImm,
    /// `a`: an immediate.
    Imm,
    /// `a`, `b`: immediates.
    Imm2,
    /// `a`: call.
    Call,
    /// `a`: edge.
    Jump,
    /// `a`: condition; `b`: edge taken when true; `c`: edge taken when false.
    Br,
    /// `a`: value; `b`: switch.
    Switch,
    /// `a`: address; `b`: pool offset of edges; `c`: their number.
    IndirectBr,
    /// `a`: pool offset of values; `b`: their number.
    Return,
    /// `a`: pool offset of values; `b`: their number; `c`: stack map.
    StackMap,
    /// `a`: edge taken when the call returns; `b`: edge taken when an exception leaves it.
    Invoke,
    /// `a`: pad.
    Pad,
    /// `a`: pad of a funclet.
    Funclet,
    /// `a`: address; `b`: pad of a funclet.
    Catch,
    /// `a`: pad; `b`: pool offset of edges; `c`: their number; `flags`: 1 if the last one leads to the next pad that unwinding comes to.
    PadEdges,
}

/// Properties of an opcode besides its format.
#[expect(non_upper_case_globals, reason = "words of the table below")]
mod property {
    /// It must stay even if its results are unused.
    pub const effect: u8 = 1;
    /// It may be a call, or has to do with the stack pointer or the frame.
    pub const stack: u8 = 2;
    /// `a op b` and `b op a` are the same.
    pub const commutes: u8 = 4;
    /// It has an effect or ends a block.
    pub const stays: u8 = 8;
    /// It may write memory, or order memory accesses.
    pub const writes: u8 = 16;
}

macro_rules! opcodes {
    ($($(#[$doc:meta])* $name:ident $text:literal $format:ident $results:literal $($property:ident)*;)*) => {
        /// What an instruction does. Integer semantics are LLVM's; poison-generating flags are not represented.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Opcode { $($(#[$doc])* $name,)* }

        /// Every opcode in order of its number.
        pub const OPCODES: &[Opcode] = &[$(Opcode::$name,)*];
        const NAMES: &[&str] = &[$($text,)*];
        const FORMATS: &[Format] = &[$(Format::$format,)*];
        const RESULTS: &[u8] = &[$($results,)*];
        const GIVEN_PROPERTIES: &[u8] = &[$(0 $(| property::$property)*,)*];
    };
}

opcodes! {
    /// Removed instruction.
    Nop "nop" Nullary 0;
    /// Addition, wrapping.
    Iadd "iadd" Binary 1 commutes;
    /// Subtraction, wrapping.
    Isub "isub" Binary 1;
    /// Multiplication, wrapping.
    Imul "imul" Binary 1 commutes;
    /// Unsigned division; by zero is undefined.
    Udiv "udiv" Binary 1;
    /// Signed division; by zero, or with a quotient that does not fit, is undefined.
    Sdiv "sdiv" Binary 1;
    /// Unsigned remainder; by zero is undefined.
    Urem "urem" Binary 1;
    /// Signed remainder, with the dividend's sign; by zero, or where the quotient does not fit, is undefined.
    Srem "srem" Binary 1;
    /// Bitwise and.
    And "and" Binary 1 commutes;
    /// Bitwise or.
    Or "or" Binary 1 commutes;
    /// Bitwise exclusive or.
    Xor "xor" Binary 1 commutes;
    /// Shift left; an amount of the width or more is poison.
    Shl "shl" Binary 1;
    /// Logical shift right.
    Lshr "lshr" Binary 1;
    /// Arithmetic shift right.
    Ashr "ashr" Binary 1;
    /// Unsigned minimum.
    Umin "umin" Binary 1 commutes;
    /// Unsigned maximum.
    Umax "umax" Binary 1 commutes;
    /// Signed minimum.
    Smin "smin" Binary 1 commutes;
    /// Signed maximum.
    Smax "smax" Binary 1 commutes;
    /// Unsigned saturating addition.
    UaddSat "uadd_sat" Binary 1 commutes;
    /// Unsigned saturating subtraction.
    UsubSat "usub_sat" Binary 1;
    /// Signed saturating addition.
    SaddSat "sadd_sat" Binary 1 commutes;
    /// Signed saturating subtraction.
    SsubSat "ssub_sat" Binary 1;
    /// Unsigned saturating shift left.
    UshlSat "ushl_sat" Binary 1;
    /// Signed saturating shift left.
    SshlSat "sshl_sat" Binary 1;
    /// Funnel shift left of `a:b` by `c` modulo the width: the high half.
    Fshl "fshl" Ternary 1;
    /// Funnel shift right of `a:b` by `c` modulo the width: the low half.
    Fshr "fshr" Ternary 1;
    /// Unsigned addition: sum and whether it wrapped (`i1`).
    UaddOv "uadd_ov" Binary 2 commutes;
    /// Signed addition with overflow flag.
    SaddOv "sadd_ov" Binary 2 commutes;
    /// Unsigned subtraction with borrow flag.
    UsubOv "usub_ov" Binary 2;
    /// Signed subtraction with overflow flag.
    SsubOv "ssub_ov" Binary 2;
    /// Unsigned multiplication with overflow flag.
    UmulOv "umul_ov" Binary 2 commutes;
    /// Signed multiplication with overflow flag.
    SmulOv "smul_ov" Binary 2 commutes;
    /// Leading zero bits; the width for zero, unless `flags` is 1: then zero gives poison.
    Ctlz "ctlz" Unary 1;
    /// Trailing zero bits, likewise.
    Cttz "cttz" Unary 1;
    /// Set bits.
    Ctpop "ctpop" Unary 1;
    /// Bytes reversed.
    Bswap "bswap" Unary 1;
    /// Bits reversed.
    Bitreverse "bitreverse" Unary 1;
    /// Absolute value, wrapping.
    Iabs "iabs" Unary 1;
    /// Integer comparison by the condition in `flags` ([`IntCc`]); `ty` is the operands' type, the result `i1` (lanes of `i1`).
    Icmp "icmp" Binary 1;
    /// Floating-point addition.
    Fadd "fadd" Binary 1 commutes;
    /// Floating-point subtraction.
    Fsub "fsub" Binary 1;
    /// Floating-point multiplication.
    Fmul "fmul" Binary 1 commutes;
    /// Floating-point division.
    Fdiv "fdiv" Binary 1;
    /// Floating-point remainder, as C's `fmod`.
    Frem "frem" Binary 1;
    /// Magnitude of `a` with the sign of `b`.
    Fcopysign "fcopysign" Binary 1;
    /// Minimum; of a number and a NaN the number (LLVM's `minnum`).
    Fminnum "fminnum" Binary 1;
    /// Maximum; of a number and a NaN the number.
    Fmaxnum "fmaxnum" Binary 1;
    /// Minimum that propagates NaN and orders -0 before +0.
    Fminimum "fminimum" Binary 1;
    /// Maximum that propagates NaN and orders -0 before +0.
    Fmaximum "fmaximum" Binary 1;
    /// `a * b + c`, rounded once.
    Fma "fma" Ternary 1;
    /// Negation: the sign bit flipped.
    Fneg "fneg" Unary 1;
    /// Absolute value: the sign bit cleared.
    Fabs "fabs" Unary 1;
    /// Square root.
    Fsqrt "fsqrt" Unary 1;
    /// Round toward minus infinity.
    Ffloor "ffloor" Unary 1;
    /// Round toward plus infinity.
    Fceil "fceil" Unary 1;
    /// Round toward zero.
    Ftrunc "ftrunc" Unary 1;
    /// Round by the current mode, may raise inexact.
    Frint "frint" Unary 1;
    /// Round by the current mode.
    Fnearbyint "fnearbyint" Unary 1;
    /// Round half away from zero.
    Fround "fround" Unary 1;
    /// Round half to even.
    Froundeven "froundeven" Unary 1;
    /// Floating-point comparison by the condition in `flags` ([`FloatCc`]); `ty` is the operands' type.
    Fcmp "fcmp" Binary 1;
    /// Integer narrowed to `ty`.
    Trunc "trunc" Unary 1;
    /// Integer widened to `ty` with zeros.
    Zext "zext" Unary 1;
    /// Integer widened to `ty` with its sign.
    Sext "sext" Unary 1;
    /// Float narrowed to `ty`.
    Fptrunc "fptrunc" Unary 1;
    /// Float widened to `ty`.
    Fpext "fpext" Unary 1;
    /// Float to signed integer `ty`, toward zero; out of range is poison.
    Fptosi "fptosi" Unary 1;
    /// Float to unsigned integer.
    Fptoui "fptoui" Unary 1;
    /// Float to signed integer, saturating, NaN to 0.
    FptosiSat "fptosi_sat" Unary 1;
    /// Float to unsigned integer, saturating, NaN to 0.
    FptouiSat "fptoui_sat" Unary 1;
    /// Signed integer to float `ty`.
    Sitofp "sitofp" Unary 1;
    /// Unsigned integer to float `ty`.
    Uitofp "uitofp" Unary 1;
    /// The same bits as `ty`, of the same width.
    Bitcast "bitcast" Unary 1;
    /// `b` if `a` (`i1`, or lanes of it) is true, else `c`.
    Select "select" Ternary 1;
    /// The value, or an arbitrary but fixed one if it is poison.
    Freeze "freeze" Unary 1;
    /// `a + b + c`, where `c` is the carry (`i1`) of a sum of lower words.
    IaddCarry "iadd_carry" Ternary 1;
    /// `a - b - c`, where `c` is the borrow (`i1`) of a difference of lower words.
    IsubBorrow "isub_borrow" Ternary 1;
    /// Comparison of integers of several words by the highest, `a` and `b`; `c` (`i1`) is what the lower ones say: equality, or
    /// less, or greater or equal, as the condition in `flags`.
    IcmpUpper "icmp_upper" Ternary 1;
    /// Product of unsigned integers in two words, the low one first.
    UmulWide "umul_wide" Binary 2;
    /// Product of signed integers in two words.
    SmulWide "smul_wide" Binary 2;
    /// The integer of two words, of which `a` is the low one.
    Iconcat "iconcat" Binary 1;
    /// The low and the high word of an integer of two.
    Isplit "isplit" Unary 2;
    /// `a + b * c`: address arithmetic, `c` an immediate; at pointer width.
    Index "index" BinaryImm 1;
    /// Load of `ty`.
    Load "load" Load 1;
    /// Store of `b`, whose type is `ty`.
    Store "store" Store 0 effect;
    /// Atomic load of `ty`.
    AtomicLoad "atomic_load" AtomicLoad 1 effect;
    /// Atomic store of `b`, whose type is `ty`.
    AtomicStore "atomic_store" Rmw 0 effect;
    /// Atomic read-modify-write by the [`RmwOp`] in `flags`; gives the old value.
    AtomicRmw "atomic_rmw" Rmw 1 effect;
    /// Atomic compare and exchange: the old value, and whether it was the expected one (`i1`).
    Cmpxchg "cmpxchg" Cmpxchg 2 effect;
    /// Fence; `a`: [`Ordering`] in the low 3 bits, bit 3 set for a single-thread (compiler-only) fence.
    Fence "fence" Imm 0 effect;
    /// Hint that `a` will be used; `b`: bit 0 write, bits 1-2 locality (3 most).
    Prefetch "prefetch" UnaryImm 0 effect;
    /// Copy `c` bytes from `b` to `a`, which do not overlap (or are equal); `flags`: [`MemFlags`].
    Memcpy "memcpy" Ternary 0 effect;
    /// Copy `c` bytes from `b` to `a`, which may overlap.
    Memmove "memmove" Ternary 0 effect;
    /// Set `c` bytes at `a` to the `i8` `b`.
    Memset "memset" Ternary 0 effect;
    /// Address of the thread-local symbol `a`.
    TlsAddr "tls_addr" Symbol 1 stack;
    /// `a` bytes (pointer width) of dynamic stack, aligned to `b`; gives the address.
    StackAlloc "stack_alloc" UnaryImm 1 effect stack;
    /// The stack pointer, for a later restore.
    StackSave "stack_save" Nullary 1 effect stack;
    /// Stack pointer back to a saved one.
    StackRestore "stack_restore" Unary 0 effect stack;
    /// Opens an argument block of `a` bytes, aligned to `b`, at the top of the stack; gives its address. One call may
    /// take it, if nothing has been put below it since. Restoring a stack pointer that was saved before closes it.
    BlockOpen "block_open" Imm2 1 effect stack;
    /// Sets the stack pointer to `a` bytes (`i32`) below where the prologue leaves it. The code generator makes this
    /// from the other stack operations where it knows every depth of the stack.
    StackLevel "stack_level" Imm 0 effect stack;
    /// The stack pointer before the call of the function: the address after its frame.
    EntrySp "entry_sp" Nullary 1 stack;
    /// Frame address, `a` levels up.
    FrameAddr "frame_addr" Imm 1 stack;
    /// Return address, `a` levels up.
    ReturnAddr "return_addr" Imm 1 stack;
    /// Lane `b` (constant or not) of vector `a`; `ty` is the lane type.
    ExtractLane "extract_lane" Binary 1;
    /// Vector `a` with lane `c` replaced by `b`; `ty` is the vector type.
    InsertLane "insert_lane" Ternary 1;
    /// Lanes of `a` and `b` picked by the mask; `ty` is the result type.
    Shuffle "shuffle" Shuffle 1;
    /// All lanes equal to the scalar `a`.
    Splat "splat" Unary 1;
    /// Lanes of vector `a` combined by the [`ReduceOp`] in `flags`; `ty` is the lane type. `b` is the start value for
    /// ordered floating-point sums and products, and equals `a` for the others.
    Reduce "reduce" Binary 1;
    /// Initialise the `va_list` at `a`.
    VaStart "va_start" Unary 0 effect stack;
    /// Copy the `va_list` at `b` to `a`.
    VaCopy "va_copy" Binary 0 effect;
    /// A barrier that memory accesses do not move across. At run time it is `a` bytes of instructions without effect.
    Barrier "barrier" Imm 0 effect;
    /// Records where its operands are, as a stack map says. At run time it is as many bytes of instructions without
    /// effect as that asks for.
    StackMap "stack_map" StackMap 0 effect;
    /// The value, opaque to every analysis.
    Opaque "opaque" Unary 1 effect;
    /// A cycle counter of the machine.
    ReadCycles "read_cycles" Nullary 1 effect;
    /// An operation of the machine: the one with number `flags` in [`Module::machine_ops`](super::Module::machine_ops).
    /// It has up to three operands and depends on nothing else; missing operands equal the first.
    Machine "machine" Ternary 1;
    /// Like `machine`, for an operation that touches memory or the machine's state.
    MachineEffect "machine_effect" Ternary 0 effect;
    /// Call; its results are those of its signature.
    Call "call" Call 255 effect stack;
    /// First instruction of a block that exceptions come to. Gives the pointer to the exception and the selector
    /// (`i32`), which says which clause of the pad caught it; 0 if it came for a cleanup only.
    LandingPad "landing_pad" Pad 2 effect;
    /// First instruction of a block that a `catch_switch` leads to: a handler. The exception's object is put at the
    /// address `a`, unless that is null. Gives the exception's code (`i32`), in handlers of `__except`.
    CatchPad "catch_pad" Catch 1 effect;
    /// First instruction of a block that exceptions come to: a cleanup, which `cleanup_ret` ends.
    CleanupPad "cleanup_pad" Funclet 0 effect;
    /// End the program abnormally; falls through for the verifier's purposes.
    Trap "trap" Nullary 0 effect;
    /// End the program as `__fastfail` does on Windows, for the reason `a` (`i32`): by an exception that no handler
    /// sees. Falls through for the verifier's purposes, too.
    FailFast "fail_fast" Unary 0 effect;
    /// Stop in a debugger.
    DebugTrap "debug_trap" Nullary 0 effect;
    /// Branch.
    Jump "jump" Jump 0;
    /// Two-way branch.
    Br "br" Br 0;
    /// Multi-way branch.
    Switch "switch" Switch 0;
    /// Branch to a block address.
    IndirectBr "indirect_br" IndirectBr 0;
    /// Branch after the last call of the block: to the first edge when the call returns; to the second, which leads to
    /// a `landing_pad`, when an exception leaves it. What the block computes from the call on is not known there.
    Invoke "invoke" Invoke 0;
    /// Jump to the first edge. From there on, exceptions that no call raises, such as a fault's, go to where the second
    /// edge leads (`llvm.seh.try.begin`, `llvm.seh.scope.begin`). It emits no code.
    ScopeBegin "scope_begin" Invoke 0;
    /// Jump to the first edge. From there on, exceptions that no call raises no longer go to where the second edge
    /// leads, but to where that pad unwinds to.
    ScopeEnd "scope_end" Invoke 0;
    /// Continue unwinding with the exception at `a`, which came to a landing pad.
    Resume "resume" Unary 0;
    /// The whole of a block that exceptions come to. Control continues at the first handler that takes the exception;
    /// else unwinding continues at the last edge or outside the function. It emits no code: the personality routine
    /// decides.
    CatchSwitch "catch_switch" PadEdges 0;
    /// End of the handler of pad `a`: control continues at the only edge, in the function or funclet around its
    /// `catch_switch`.
    CatchRet "catch_ret" PadEdges 0;
    /// End of the cleanup of pad `a`: unwinding continues at the edge, or outside the function.
    CleanupRet "cleanup_ret" PadEdges 0;
    /// Return the values.
    Return "return" Return 0;
    /// Never reached.
    Unreachable "unreachable" Nullary 0;
}

/// The properties that the table of opcodes gives, and those that follow from them.
const PROPERTIES: [u8; OPCODES.len()] = {
    let mut all = [0; OPCODES.len()];
    let mut k = 0;
    while k < OPCODES.len() {
        let (given, terminator) = (GIVEN_PROPERTIES[k], k >= Opcode::Jump as usize);
        let effect = given & property::effect != 0;
        let only_stays = matches!(OPCODES[k], Opcode::Prefetch | Opcode::StackSave);
        all[k] = given
            | if effect || terminator { property::stays } else { 0 }
            | if effect && !terminator && !only_stays { property::writes } else { 0 };
        k += 1;
    }
    all
};

impl Opcode {
    /// Do machines that overwrite operands make the first result of the first operand? Another result is a flag.
    pub(crate) fn overwrites_first(self) -> bool {
        use Opcode::*;
        matches!(self.format(), Format::Binary | Format::Unary) && self.result_count() == Some(1)
            || matches!(self, UaddOv | UsubOv | IaddCarry | IsubBorrow)
    }
    /// Name in the text form.
    pub fn name(self) -> &'static str {
        NAMES[self as usize]
    }
    /// Operand format.
    #[inline]
    pub const fn format(self) -> Format {
        FORMATS[self as usize]
    }
    /// Number of results, if the opcode alone decides; `None` for calls.
    #[inline]
    pub fn result_count(self) -> Option<u32> {
        match RESULTS[self as usize] {
            255 => None,
            n => Some(n as u32),
        }
    }
    /// The opcode of that name.
    pub fn from_name(name: &str) -> Option<Opcode> {
        NAMES.iter().position(|&n| n == name).map(|i| OPCODES[i])
    }
    /// Does it end a block?
    #[inline]
    pub fn is_terminator(self) -> bool {
        self as u8 >= Opcode::Jump as u8
    }
    #[inline]
    fn has(self, property: u8) -> bool {
        PROPERTIES[self as usize] & property != 0
    }
    /// Must it stay even when its results are unused?
    #[inline]
    pub fn has_side_effect(self) -> bool {
        self.has(property::stays)
    }
    /// May it be a call, or does it have to do with the stack pointer or the frame?
    #[inline]
    pub fn concerns_stack(self) -> bool {
        self.has(property::stack)
    }
    /// May it write memory, or order memory accesses, so that a load must not move across it?
    #[inline]
    pub fn writes_memory(self) -> bool {
        self.has(property::writes)
    }
    /// Are `a op b` and `b op a` the same?
    #[inline]
    pub fn is_commutative(self) -> bool {
        self.has(property::commutes)
    }
}

/// An instruction: 16 bytes. [`Format`] says how to read the words. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct InstData {
    /// What it does.
    pub op: Opcode,
    /// Condition, [`MemFlags`], [`RmwOp`] or [`ReduceOp`], or 1 for an operand that is not zero, as the opcode says.
    pub flags: u8,
    /// The controlling type: the result's, or the operands' where the opcode says so.
    pub ty: Type,
    /// First word.
    pub a: u32,
    /// Second word.
    pub b: u32,
    /// Third word.
    pub c: u32,
}

const _: () = assert!(core::mem::size_of::<InstData>() == 16);

impl InstData {
    /// Nothing: what passes leave where an instruction was.
    pub const NOP: InstData = InstData { op: Opcode::Nop, flags: 0, ty: Type::VOID, a: 0, b: 0, c: 0 };

    /// The words that are values.
    pub fn operand_words(&mut self) -> impl Iterator<Item = &mut u32> {
        [&mut self.a, &mut self.b, &mut self.c].into_iter().take(self.op.arity())
    }

    /// What a load or store adds to its address.
    pub fn access_offset(&self) -> i32 {
        (if self.op == Opcode::Load { self.b } else { self.c }) as i32
    }

    /// The most levels that `frame_addr` and `return_addr` may go up; each level is an instruction. clang's
    /// `__builtin_frame_address` takes no more.
    pub const MOST_CALLERS: u32 = 0xffff;

    /// The memory space of an atomic access ([`MemFlags::in_space`]).
    pub fn atomic_space(&self) -> u8 {
        match self.op {
            Opcode::AtomicLoad => AtomicInfo(self.b).space(),
            Opcode::AtomicStore | Opcode::AtomicRmw => AtomicInfo(self.c).space(),
            Opcode::Cmpxchg => CmpxchgInfo(self.flags).space(),
            _ => 0,
        }
    }

    /// Is it an atomic access that is not aligned to its size?
    pub fn is_unaligned_atomic(&self) -> bool {
        let align = match self.op {
            Opcode::AtomicLoad => AtomicInfo(self.b).align(),
            Opcode::AtomicStore | Opcode::AtomicRmw => AtomicInfo(self.c).align(),
            Opcode::Cmpxchg if !CmpxchgInfo(self.flags).is_aligned() => 0,
            _ => return false,
        };
        align < self.ty.store_bytes()
    }
}

/// Access properties of loads, stores and block operations: alignment and volatility, in a byte.
///
/// An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemFlags(pub u8);

impl MemFlags {
    /// `align` in bytes, a power of two up to 2^31; volatile or not.
    pub fn new(align: u32, volatile: bool) -> MemFlags {
        MemFlags(align.max(1).trailing_zeros() as u8 | (volatile as u8) << 7)
    }
    /// The same in one of the target's other address spaces, 1 to 3, such as relative to a segment register; 0 is
    /// ordinary memory. Accesses to other spaces are volatile too, since nothing is known of them.
    pub fn in_space(self, space: u8) -> MemFlags {
        if space == 0 { self } else { MemFlags(self.0 & 31 | (space & 3) << 5 | 0x80) }
    }
    /// The memory space.
    pub fn space(self) -> u8 {
        self.0 >> 5 & 3
    }
    /// Known alignment of the address, bytes.
    pub fn align(self) -> u32 {
        1 << (self.0 & 31)
    }
    /// Must the access stay as it is?
    pub fn is_volatile(self) -> bool {
        self.0 & 0x80 != 0
    }
}

words! {
    /// Integer conditions.
    IntCc {
        /// Equal.
        Eq "eq",
        /// Not equal.
        Ne "ne",
        /// Unsigned less.
        Ult "ult",
        /// Unsigned less or equal.
        Ule "ule",
        /// Unsigned greater.
        Ugt "ugt",
        /// Unsigned greater or equal.
        Uge "uge",
        /// Signed less.
        Slt "slt",
        /// Signed less or equal.
        Sle "sle",
        /// Signed greater.
        Sgt "sgt",
        /// Signed greater or equal.
        Sge "sge",
    }
}

impl IntCc {
    /// The condition that holds exactly when this one does not.
    pub fn inverse(self) -> IntCc {
        use IntCc::*;
        match self {
            Eq => Ne,
            Ne => Eq,
            Ult => Uge,
            Ule => Ugt,
            Ugt => Ule,
            Uge => Ult,
            Slt => Sge,
            Sle => Sgt,
            Sgt => Sle,
            Sge => Slt,
        }
    }
    /// The condition for unsigned numbers.
    pub fn unsigned(self) -> IntCc {
        use IntCc::*;
        match self {
            Slt => Ult,
            Sle => Ule,
            Sgt => Ugt,
            Sge => Uge,
            other => other,
        }
    }
    /// The condition on swapped operands.
    pub fn swapped(self) -> IntCc {
        use IntCc::*;
        match self {
            Eq => Eq,
            Ne => Ne,
            Ult => Ugt,
            Ule => Uge,
            Ugt => Ult,
            Uge => Ule,
            Slt => Sgt,
            Sle => Sge,
            Sgt => Slt,
            Sge => Sle,
        }
    }
    /// Does it compare the operands as signed numbers?
    pub fn is_signed(self) -> bool {
        self as u8 >= IntCc::Slt as u8
    }
}

words! {
    /// Floating-point conditions: `O` false on NaN, `U` true on NaN.
    FloatCc {
        /// Never.
        False "false",
        /// Ordered and equal.
        Oeq "oeq",
        /// Ordered and greater.
        Ogt "ogt",
        /// Ordered and greater or equal.
        Oge "oge",
        /// Ordered and less.
        Olt "olt",
        /// Ordered and less or equal.
        Ole "ole",
        /// Ordered and not equal.
        One "one",
        /// Ordered: no NaN.
        Ord "ord",
        /// Unordered: a NaN.
        Uno "uno",
        /// Unordered or equal.
        Ueq "ueq",
        /// Unordered or greater.
        Ugt "ugt",
        /// Unordered or greater or equal.
        Uge "uge",
        /// Unordered or less.
        Ult "ult",
        /// Unordered or less or equal.
        Ule "ule",
        /// Unordered or not equal.
        Une "une",
        /// Always.
        True "true",
    }
}

words! {
    /// Memory orderings.
    Ordering {
        /// Not atomic.
        NotAtomic "na",
        /// Unordered.
        Unordered "unordered",
        /// Monotonic (relaxed).
        Monotonic "monotonic",
        /// Acquire.
        Acquire "acquire",
        /// Release.
        Release "release",
        /// Acquire and release.
        AcqRel "acq_rel",
        /// Sequentially consistent.
        SeqCst "seq_cst",
    }
}

impl Ordering {
    /// The ordering of a failing comparison, which stores nothing, when this is the ordering of a successful one.
    pub fn of_failure(self) -> Ordering {
        match self {
            Ordering::Release => Ordering::Monotonic,
            Ordering::AcqRel => Ordering::Acquire,
            o => o,
        }
    }
}

words! {
    /// Operations of `atomic_rmw`.
    RmwOp {
        /// Exchange.
        Xchg "xchg",
        /// Add.
        Add "add",
        /// Subtract.
        Sub "sub",
        /// And.
        And "and",
        /// Not-and: `~(old & b)`.
        Nand "nand",
        /// Or.
        Or "or",
        /// Exclusive or.
        Xor "xor",
        /// Signed maximum.
        Max "max",
        /// Signed minimum.
        Min "min",
        /// Unsigned maximum.
        Umax "umax",
        /// Unsigned minimum.
        Umin "umin",
        /// Floating-point add.
        Fadd "fadd",
        /// Floating-point subtract.
        Fsub "fsub",
        /// Floating-point maximum.
        Fmax "fmax",
        /// Floating-point minimum.
        Fmin "fmin",
        /// Increment, wrapping to 0 at `b`.
        UincWrap "uinc_wrap",
        /// Decrement, wrapping to `b` at 0.
        UdecWrap "udec_wrap",
    }
}

words! {
    /// Operations of `reduce`.
    ReduceOp {
        /// Sum.
        Add "add",
        /// Product.
        Mul "mul",
        /// And.
        And "and",
        /// Or.
        Or "or",
        /// Exclusive or.
        Xor "xor",
        /// Signed maximum.
        Smax "smax",
        /// Signed minimum.
        Smin "smin",
        /// Unsigned maximum.
        Umax "umax",
        /// Unsigned minimum.
        Umin "umin",
        /// Ordered floating-point sum from a start value.
        Fadd "fadd",
        /// Ordered floating-point product from a start value.
        Fmul "fmul",
        /// `fmaxnum` of all.
        Fmax "fmax",
        /// `fminnum` of all.
        Fmin "fmin",
        /// `fmaximum` of all.
        Fmaximum "fmaximum",
        /// `fminimum` of all.
        Fminimum "fminimum",
    }
}

impl RmwOp {
    /// The operation that makes the new value of the old one and the operand; `nand` is the complement of its result. `None` for an
    /// exchange, and for increments and decrements that wrap.
    pub fn opcode(self) -> Option<Opcode> {
        Some(match self {
            RmwOp::Add => Opcode::Iadd,
            RmwOp::Sub => Opcode::Isub,
            RmwOp::And | RmwOp::Nand => Opcode::And,
            RmwOp::Or => Opcode::Or,
            RmwOp::Xor => Opcode::Xor,
            RmwOp::Max => Opcode::Smax,
            RmwOp::Min => Opcode::Smin,
            RmwOp::Umax => Opcode::Umax,
            RmwOp::Umin => Opcode::Umin,
            RmwOp::Fadd => Opcode::Fadd,
            RmwOp::Fsub => Opcode::Fsub,
            RmwOp::Fmax => Opcode::Fmaxnum,
            RmwOp::Fmin => Opcode::Fminnum,
            RmwOp::Xchg | RmwOp::UincWrap | RmwOp::UdecWrap => return None,
        })
    }
}

impl ReduceOp {
    /// The operation that combines two lanes.
    pub fn opcode(self) -> Opcode {
        match self {
            ReduceOp::Add => Opcode::Iadd,
            ReduceOp::Mul => Opcode::Imul,
            ReduceOp::And => Opcode::And,
            ReduceOp::Or => Opcode::Or,
            ReduceOp::Xor => Opcode::Xor,
            ReduceOp::Smax => Opcode::Smax,
            ReduceOp::Smin => Opcode::Smin,
            ReduceOp::Umax => Opcode::Umax,
            ReduceOp::Umin => Opcode::Umin,
            ReduceOp::Fadd => Opcode::Fadd,
            ReduceOp::Fmul => Opcode::Fmul,
            ReduceOp::Fmax => Opcode::Fmaxnum,
            ReduceOp::Fmin => Opcode::Fminnum,
            ReduceOp::Fmaximum => Opcode::Fmaximum,
            ReduceOp::Fminimum => Opcode::Fminimum,
        }
    }
}

/// The flags of a compare-and-exchange: orderings, volatility, and whether it is aligned to its size.
///
/// An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CmpxchgInfo(pub u8);

impl CmpxchgInfo {
    /// What an ordering is packed as. If values are not exchanged, only the first three are possible.
    const ORDERINGS: [Ordering; 5] =
        [Ordering::Monotonic, Ordering::Acquire, Ordering::SeqCst, Ordering::Release, Ordering::AcqRel];

    /// Packs them.
    pub fn new(success: Ordering, failure: Ordering, volatile: bool, aligned: bool) -> CmpxchgInfo {
        let number = |o: Ordering| Self::ORDERINGS.iter().position(|&known| known == o).unwrap_or(2) as u8;
        let orderings = 3 * number(success) + number(failure).min(2);
        CmpxchgInfo(orderings | (volatile as u8) << 4 | (!aligned as u8) << 5)
    }
    /// The same relative to a segment register, as [`MemFlags::in_space`].
    pub fn in_space(self, space: u8) -> CmpxchgInfo {
        CmpxchgInfo(self.0 & 63 | space << 6)
    }
    /// Do the bits stand for two orderings?
    pub fn has_orderings(self) -> bool {
        self.0 & 15 < 15
    }
    /// Ordering if the values are exchanged.
    pub fn success(self) -> Ordering {
        Self::ORDERINGS[(self.0 & 15) as usize / 3 % 5]
    }
    /// Ordering if they are not exchanged.
    pub fn failure(self) -> Ordering {
        Self::ORDERINGS[(self.0 & 15) as usize % 3]
    }
    /// Volatile?
    pub fn is_volatile(self) -> bool {
        self.0 & 16 != 0
    }
    /// Is the object known to be aligned to its size?
    pub fn is_aligned(self) -> bool {
        self.0 & 32 == 0
    }
    /// The memory space.
    pub fn space(self) -> u8 {
        self.0 >> 6
    }
}

/// Ordering, alignment and volatility of an atomic access, in a word. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AtomicInfo(pub u32);

impl AtomicInfo {
    /// Packs the three.
    pub fn new(ordering: Ordering, align: u32, volatile: bool) -> AtomicInfo {
        AtomicInfo(ordering as u32 | align.max(1).trailing_zeros() << 8 | (volatile as u32) << 16)
    }
    /// Memory ordering.
    pub fn ordering(self) -> Ordering {
        Ordering::from_u8(self.0 as u8 & 7).unwrap_or(Ordering::SeqCst)
    }
    /// Known alignment, bytes.
    pub fn align(self) -> u32 {
        1 << (self.0 >> 8 & 31)
    }
    /// Volatile?
    pub fn is_volatile(self) -> bool {
        self.0 >> 16 & 1 != 0
    }
    /// The same relative to a segment register, as [`MemFlags::in_space`].
    pub fn in_space(self, space: u8) -> AtomicInfo {
        AtomicInfo(self.0 | u32::from(space & 3) << 17)
    }
    /// The memory space.
    pub fn space(self) -> u8 {
        (self.0 >> 17 & 3) as u8
    }
}
