//! What the shared selection asks of each of Arm's families: code of a few instructions, and what they do differently.

use std::fmt::Debug;

use gusset_codegen::alloc::Emitter;
use gusset_codegen::buffer::{CodeBuffer, Label, RelocTarget};
use gusset_codegen::error::Result;
use gusset_codegen::ir::{Function, InstData, IntCc, Module, Opcode, Ordering, RmwOp, SymbolId, Type, Value};
use gusset_codegen::machine::{Candidate, FrameAddr, PReg, PartKind};
use gusset_codegen::select::Select;

use super::{Cond, Gpr, Shift};
use crate::shared::Node;

/// Instructions that both families have, under a common name. Those that take more than one use the encoder's
/// temporaries.
pub(crate) trait Encoder<F: Family> {
    fn buf(&mut self) -> &mut CodeBuffer;
    fn jump(&mut self, to: Label);
    fn jump_if(&mut self, c: Cond, to: Label);
    /// Jumps if it is zero, or if it is not zero.
    fn jump_tested(&mut self, tested: F::Tested, zero: bool, to: Label);
    /// Sets the flags, which mean "equal" if it is zero.
    fn test(&mut self, tested: F::Tested);
    /// A test of whether the bits of a number are zero in a register, if one instruction does it.
    fn test_number(&mut self, w: F::Width, x: Gpr, n: u64, zero: bool) -> Option<Test<F::Tested>>;
    /// Sets the flags by the bits that are set in both.
    fn test_both(&mut self, w: F::Width, x: Gpr, y: Gpr);
    /// The same for the lowest bits of one register.
    fn test_low(&mut self, x: Gpr, bits: u32);
    fn number(&mut self, w: F::Width, d: Gpr, n: i64);
    /// 1 if the condition holds, else 0.
    fn set_if(&mut self, d: Gpr, c: Cond);
    /// 0 or 1 if the condition holds, else the old value.
    fn bit_if(&mut self, d: Gpr, c: Cond, one: bool);
    /// `x` if the condition holds, else `y`.
    fn choose(&mut self, w: F::Width, d: Gpr, two: (Gpr, Gpr), c: Cond);
    /// The same for two registers; neither is an operand of the other's selection.
    fn choose_both(&mut self, w: F::Width, both: [(Gpr, (Gpr, Gpr)); 2], c: Cond) {
        both.into_iter().for_each(|(d, two)| self.choose(w, d, two, c));
    }
    /// Compares registers, or a register with a number.
    fn compare_registers(&mut self, w: F::Width, x: Gpr, y: Gpr);
    fn compare_number(&mut self, w: F::Width, x: Gpr, n: i64);
    /// Sets the carry as a difference with a borrow does, if it is 1 and not 0.
    fn set_borrow(&mut self, x: Gpr);
    /// Compares what follows a comparison of this condition: both hold, or either.
    fn compare_second(&mut self, first: Cond, second: Compared<F::Width>, both: bool) -> Test<F::Tested>;
    fn increase(&mut self, w: F::Width, d: Gpr, x: Gpr, n: i32);
    /// A sum or difference, with the carry of another one if asked for. Sets the flags.
    fn sum(&mut self, w: F::Width, what: Sum, d: Gpr, x: Gpr, y: Gpr);
    /// `and`, `or` or `xor`, which leaves the flags alone.
    fn bitwise(&mut self, op: Opcode, w: F::Width, d: Gpr, x: Gpr, y: Gpr);
    fn invert(&mut self, w: F::Width, d: Gpr, x: Gpr);
    /// A shift by a register, which holds less than the width.
    fn shift_by(&mut self, shift: Shift, w: F::Width, d: Gpr, x: Gpr, n: Gpr);
    fn shift(&mut self, shift: Shift, w: F::Width, d: Gpr, x: Gpr, n: u32);
    fn set_bit(&mut self, w: F::Width, d: Gpr, x: Gpr, bit: u32);
    /// Counts the zeros above the highest set bit, or below the lowest.
    fn count_zeros(&mut self, w: F::Width, d: Gpr, x: Gpr, leading: bool);
    /// The result of a saturating operation that overflowed: its limit; or, if `d` has its lower bits rather than the
    /// highest, which `high` has, the limit's lower bits.
    fn limit(&mut self, w: F::Width, op: Opcode, d: Gpr, high: Gpr);

    fn load_word(&mut self, d: Gpr, base: Gpr, disp: i32);
    fn store_word(&mut self, x: Gpr, base: Gpr, disp: i32);
    /// Moves between registers, one of which may be the stack pointer.
    fn move_pointer(&mut self, d: Gpr, x: Gpr);
    /// The address this many bytes below the stack pointer.
    fn below_stack(&mut self, d: Gpr, bytes: Gpr);
    fn align_down(&mut self, d: Gpr, x: Gpr, align: u32);
    /// The bytes from an address up to the stack pointer. Sets the flags.
    fn stack_minus(&mut self, d: Gpr, x: Gpr);
    /// Compares the stack pointer with an address.
    fn compare_stack(&mut self, x: Gpr);
    /// Replaces the address of a frame by the return address of its function.
    fn return_address(&mut self, frame: Gpr);
    fn call_function(&mut self, function: RelocTarget);
    /// The instruction that `op` stops at: one that is none, or one for the debugger or the system.
    fn stop(&mut self, op: Opcode);

    /// An exclusive load of this many bytes into one register, or of twice as many into both, optionally with acquire
    /// ordering.
    fn load_exclusive(&mut self, bytes: u32, acquire: bool, old: (Gpr, Gpr), n: Gpr);
    /// The exclusive store, optionally with release ordering, and a jump if it failed.
    fn store_exclusive(&mut self, bytes: u32, release: bool, new: (Gpr, Gpr), n: Gpr, again: Label);

    /// An operation with one or two operands on lanes of this many bytes.
    fn vector(&mut self, op: F::Vop, lane: u32, d: F::Vreg, x: F::Vreg, y: F::Vreg);
    fn move_vector(&mut self, d: F::Vreg, x: F::Vreg) {
        self.vector(F::OR, 1, d, x, x);
    }
    /// The same in all bytes.
    fn bytes(&mut self, d: F::Vreg, byte: u8);
    /// The highest bit of each lane.
    fn sign_bits(&mut self, lane: u32, d: F::Vreg);
    fn negate_lanes(&mut self, lane: u32, d: F::Vreg, x: F::Vreg);
    fn shift_lanes(&mut self, op: Opcode, lane: u32, d: F::Vreg, x: F::Vreg, n: u32);
    /// Two halves of vectors, if that is the best way.
    fn move_halves(&mut self, d: F::Vreg, two: [(F::Vreg, u32); 2]) -> bool;
    fn repeat_lane(&mut self, lane: u32, d: F::Vreg, from: (F::Vreg, u32));
    /// The first or the second of the two results of exchanging lanes of two vectors.
    fn exchange_lanes(&mut self, how: Exchange, second: bool, lane: u32, d: F::Vreg, two: (F::Vreg, F::Vreg));
    /// The bytes from `from` on of two vectors side by side.
    fn bytes_of_two(&mut self, d: F::Vreg, x: F::Vreg, y: F::Vreg, from: u32);
    /// Bytes selected by indices, which may be changed. Invalid indices give zero, or the old byte if it `adds`.
    fn table(&mut self, d: F::Vreg, x: F::Vreg, index: F::Vreg, adds: bool);
}

/// How the lanes of two vectors are exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exchange {
    Zip,
    Unzip,
    Transpose,
}

/// The operands of a comparison, two of which can form one condition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compared<W> {
    pub(crate) w: W,
    pub(crate) x: Gpr,
    /// A register, or a number between -31 and 31.
    pub(crate) y: Result<Gpr, i64>,
    pub(crate) c: Cond,
}

/// The kind of a sum or difference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sum {
    pub(crate) adds: bool,
    pub(crate) carries: bool,
}

/// A test of whether something holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Test<R> {
    /// A condition of the flags.
    Flags(Cond),
    /// Either of two.
    Either(Cond, Cond),
    /// Neither of two.
    Neither(Cond, Cond),
    /// A register, or a part of it, is zero, or is not zero.
    Zero(R, bool),
    /// Known.
    Known(bool),
}

impl<R> Test<R> {
    /// The test that holds where this one does not.
    pub(super) fn negate(self) -> Self {
        match self {
            Test::Flags(c) => Test::Flags(c.negate()),
            Test::Either(p, q) => Test::Neither(p, q),
            Test::Neither(p, q) => Test::Either(p, q),
            Test::Zero(x, zero) => Test::Zero(x, !zero),
            Test::Known(k) => Test::Known(!k),
        }
    }

    /// A test for zero, or for not zero, in the flags of a comparison.
    pub(crate) fn equal(zero: bool) -> Self {
        Test::Flags(if zero { Cond::Eq } else { Cond::Ne })
    }

    /// Moves a test of a register to the flags.
    pub(crate) fn in_flags<F: Family<Tested = R>>(self, e: &mut impl Encoder<F>) -> Self {
        let Test::Zero(x, zero) = self else { return self };
        e.test(x);
        Test::equal(zero)
    }
}

/// A family of instruction sets.
pub(crate) trait Family: Select {
    /// Its name in messages.
    const NAME: &'static str;
    /// The integer type of a register.
    const WORD: Type;
    /// A temporary that the encoder uses for none of its methods here.
    const TEMP: Gpr;
    /// The stack pointer.
    const STACK: Gpr;
    /// How much of a register is used.
    type Width: Copy + Debug;
    /// A part of a register that can be tested for zero.
    type Tested: Copy + Debug;
    /// A vector register, and an operation on vector registers.
    type Vreg: Copy;
    type Vop: Copy;
    type Asm<'b>: Encoder<Self>;
    /// Selects bits of one operand or the other by those of the destination.
    const PICK: Self::Vop;
    /// Inserts bits of the first operand where those of the last are set.
    const INSERT: Self::Vop;
    /// Adds the product to the destination.
    const FUSED: Self::Vop;
    const NOT: Self::Vop;
    /// Sums of neighbours, twice as wide.
    const PAIRS: Self::Vop;
    const OR: Self::Vop;
    /// Equal, above, not below.
    const COMPARES_NUMBERS: [Self::Vop; 3];
    /// The comparison for equality, or for above or not below.
    fn compares(cc: IntCc) -> Self::Vop;
    /// A shift by lanes, to the right for negative amounts.
    fn shifts(unsigned: bool) -> Self::Vop;
    /// Reverses the lanes in every group of two, four or eight bytes.
    const REVERSES: [Self::Vop; 3];
    /// A temporary for moves of vectors.
    const VECTOR_TEMP: PReg;
    /// A memory operand.
    type Mem: From<(Gpr, i32)>;
    type Reach: Copy;

    fn encoder<'b>(&self, buf: &'b mut CodeBuffer) -> Self::Asm<'b>;
    /// The register width in which integers of a type are computed.
    fn width(ty: Type) -> Self::Width;
    /// A whole register, and a truth value in one, which is 0 or 1.
    fn whole(w: Self::Width, x: Gpr) -> Self::Tested;
    fn truth(x: Gpr) -> Self::Tested;
    /// Extends the lowest bits of a register.
    fn extend(&self, e: &mut Self::Asm<'_>, w: Self::Width, signed: bool, d: Gpr, x: Gpr, bits: u32);
    /// The vector register with an allocator's number.
    fn vector_register(r: PReg) -> Self::Vreg;
    /// The instruction for an operation on vectors, if one instruction does it, and whether it has two operands.
    fn vector_op(&self, op: Opcode, ty: Type) -> Option<(Self::Vop, bool)>;
    /// Emits a trap.
    fn emit_trap(&self, e: &mut Self::Asm<'_>) {
        e.stop(Opcode::Trap);
    }
    /// Puts bits into a vector register.
    fn put_vector(&self, e: &mut Self::Asm<'_>, d: Self::Vreg, bits: u128);
    /// Compares a register with the extension of its low bits, which have a type.
    fn compare_extension(&self, e: &mut Self::Asm<'_>, x: Gpr, ty: Type, signed: bool);
    /// Reverses bytes or bits.
    fn reverse(&self, e: &mut Self::Asm<'_>, w: Self::Width, bytes: bool, d: Gpr, x: Gpr);
    /// A barrier, if accesses have no ordering themselves and some is needed.
    fn barrier(&self, e: &mut Self::Asm<'_>, wanted: bool);
    /// An atomic load or store of one register.
    fn load_ordered(&self, e: &mut Self::Asm<'_>, bytes: u32, o: Ordering, t: Gpr, n: Gpr);
    fn store_ordered(&self, e: &mut Self::Asm<'_>, bytes: u32, o: Ordering, t: Gpr, n: Gpr);
    /// Emits a read-modify-write by `y`, or a compare-exchange, if one instruction does it; `old` gets the old value.
    /// The first of `how` asks for acquire ordering, the second for release ordering.
    fn update_at_once(
        &self,
        e: &mut Self::Asm<'_>,
        op: RmwOp,
        ty: Type,
        how: (bool, bool),
        operands: (Gpr, Gpr, Gpr),
    ) -> bool;
    fn exchange_at_once(
        &self,
        e: &mut Self::Asm<'_>,
        ty: Type,
        how: (bool, bool),
        operands: (Gpr, Gpr),
        old: (Gpr, Gpr),
    ) -> bool;
    /// An atomic access of two registers.
    fn atomic_pair(cx: &mut Emitter<'_, Self>, d: &Node) -> Result;
    /// Loads the value of stack guards.
    fn load_guard(&self, e: &mut Self::Asm<'_>, module: &Module, d: Gpr);
    /// Is the run-time library Microsoft's?
    fn has_microsoft_library(&self) -> bool;
    /// Does the machine compute with floating-point numbers of this type?
    fn has_floats(&self, ty: Type) -> bool;
    /// Does a selecting instruction take the second operand from the result's register?
    const CHOOSES_IN_PLACE: bool;
    /// Is there a multiply-add, or a multiply-subtract?
    fn has_product_sum(&self, user: &InstData) -> bool;
    /// Is the instruction deferred to its user for a reason that only this family has?
    fn can_fold_more(f: &Function, candidate: Candidate<'_>) -> bool;

    /// Emits a selection as an operation under its condition, if one was deferred to it.
    fn change_if(_: &mut Emitter<'_, Self>, _: &Node) -> Option<Result> {
        None
    }

    /// Are there instructions on values of a type?
    fn has_type(ty: Type) -> bool;
    /// Emits an instruction that the shared selection does not handle.
    fn select_own(cx: &mut Emitter<'_, Self>, d: &Node) -> Result;
    /// Compares vectors, if that takes more than one instruction.
    fn compare_lanes(cx: &mut Emitter<'_, Self>, d: &Node) -> Option<Result>;
    /// See [`emit_block_copy`](Select::emit_block_copy).
    fn copy_block(cx: &mut Emitter<'_, Self>, src: (PReg, i32), to: FrameAddr, size: u32, most: u32) -> Result;
    /// Emits an integer instruction that the shared selection does not handle.
    fn select_int(cx: &mut Emitter<'_, Self>, d: &Node) -> Result;
    /// The same of words of wider integers: sums with carries, products, and shifts of pairs.
    fn select_wide(cx: &mut Emitter<'_, Self>, d: &Node) -> Result;
    /// Does one instruction take the field of a register that `user` takes from the shift `def`, which is its operand
    /// `arg`?
    fn has_field(&self, f: &Function, user: &InstData, arg: usize, def: &InstData) -> bool;
    /// Loads the lowest byte of what a load reads.
    fn load_byte(cx: &mut Emitter<'_, Self>, load: &Node, to: Gpr) -> Result;
    /// A load that was deferred to its extension.
    fn load_extended(cx: &mut Emitter<'_, Self>, d: &Node, load: &Node, signed: bool) -> Result;
    /// A sum or difference with a value. Sets the flags; only those for overflow, if it is signed.
    fn sum_with(cx: &mut Emitter<'_, Self>, operands: (Value, Value), adds: bool, signed: bool) -> Result<Gpr>;

    /// The memory operand for a symbol plus an offset, if it is near the code.
    fn symbol_address(
        cx: &mut Emitter<'_, Self>,
        s: SymbolId,
        offset: i32,
        reach: Self::Reach,
    ) -> Result<Option<Self::Mem>>;
    /// The memory operand for `a + b * c + offset`, where `c` is a power of two and `b` is no constant.
    fn indexed(cx: &mut Emitter<'_, Self>, d: &Node, offset: i32, reach: Self::Reach) -> Result<Self::Mem>;

    /// A bit of a register, if it can be tested alone.
    const BIT: Option<fn(Gpr, u32) -> Self::Tested>;
    /// Compares integers of at most a register's size; a constant comes last.
    fn compare_ints(cx: &mut Emitter<'_, Self>, operands: (Value, Value), signed: bool, n: Option<i64>) -> Result;
    /// Compares upper words after lower ones: for equality, or for order.
    fn compare_after(cx: &mut Emitter<'_, Self>, a: Value, b: Value, order: bool) -> Result;
    /// Sets the flags, which say equal if both operands of an `or` are zero. Where no instruction does, none is left to a test.
    fn test_either(cx: &mut Emitter<'_, Self>, d: &Node) -> Result;
    /// Compares floating-point numbers.
    fn compare_floats(cx: &mut Emitter<'_, Self>, d: &Node) -> Result;
    /// Makes a value of whether something is zero, if that uses no flags.
    fn define_tested(cx: &mut Emitter<'_, Self>, r: Value, tested: Self::Tested, zero: bool) -> Result<bool>;
    /// A part of an operand of a selection.
    fn chosen_part(cx: &mut Emitter<'_, Self>, v: Value, part: u8) -> Result<Gpr>;
    /// As [`Encoder::choose`] of floating-point registers.
    fn choose_float(cx: &mut Emitter<'_, Self>, kind: PartKind, d: PReg, two: (PReg, PReg), c: Cond);
    /// Jumps to one of the labels, of which the first belongs to `low`; to `default` for all other values. A temporary
    /// is available.
    fn jump_by_table(
        cx: &mut Emitter<'_, Self>,
        value: (Self::Width, Gpr, Gpr),
        low: i64,
        labels: &[Label],
        default: Label,
    );
}
