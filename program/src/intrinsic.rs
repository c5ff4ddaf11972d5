//! Intrinsics: the meaning of a call by its name.

use gusset_codegen::ir::{Opcode, ReduceOp, Type};

use crate::operators::Cast;

/// The meaning of an intrinsic. The lowering finds it by name; readers need it where it decides how arguments are read.
#[derive(Clone, Copy, Debug)]
pub enum Intrinsic {
    /// Nothing at all.
    Nothing,
    /// The opcode on as many arguments as it has operands, all of one type.
    Operation(Opcode),
    /// The opcode on two arguments; the result is a pair with a flag.
    Overflow(Opcode),
    /// A conversion of the first argument.
    Cast(Cast),
    /// Of a vector's lanes.
    Reduce(ReduceOp),
    /// A call of a function of the C library, which has this name for `double`.
    Libm(&'static str),
    /// A call of `frexp`, with a pointer for the exponent.
    Frexp,
    /// A call of `modf`, with a pointer for the integral part.
    Modf,
    /// A call of `sincos`, with pointers for both results.
    Sincos,
    /// A call of `pow`'s variant with an integer exponent.
    Powi,
    /// Makes a trampoline.
    InitTrampoline,
    /// The address of a trampoline.
    AdjustTrampoline,
    /// Opens an argument block.
    PreallocatedSetup,
    /// The address of an argument in a preallocated block.
    PreallocatedArg,
    /// Closes a preallocated block that no call took.
    PreallocatedTeardown,
    /// The code of the exception that a handler of `__except` caught.
    ExceptionCode,
    /// The begin or the end of a scope in which exceptions that no call raises are caught.
    Scope {
        /// Its begin.
        begins: bool,
        /// The scope is a `try` block, not the lifetime of an object.
        of_try: bool,
    },
    /// Ends the program, or stops it for a debugger.
    Trap(Opcode),
    /// A row of the lowering's table of expansions.
    Expansion(u8),
    /// An operation of the machine.
    Machine {
        /// Its number in the module.
        number: u8,
        /// It is done even if its result is unused.
        kept: bool,
    },
    /// An intrinsic on 64-bit vectors of MMX.
    Mmx {
        /// Its row in the lowering's table of these.
        row: u8,
        /// The type of its lanes.
        lane: Type,
        /// The number of the machine's operation, if it needs one.
        number: u8,
    },
    /// An intrinsic on NEON's vectors.
    Neon(Neon),
    /// A predicated operation, by its row in the lowering's table of these.
    Predicated(u8),
    /// Reads or writes the floating-point environment.
    FloatEnvironment {
        /// Its row in the lowering's table of these.
        row: u8,
        /// The numbers of the machine's operations that read and write the state; none if the C library does it.
        operations: Option<[u8; 2]>,
    },
    /// Reads or writes a register that its first operand names, a node with a string.
    NamedRegister {
        /// Writes it.
        writes: bool,
        /// The number of the machine's operation for registers that have instructions of their own.
        number: Option<u8>,
    },
    /// An intrinsic for stack maps.
    StackMap(StackMapIntrinsic),
    /// None that is supported.
    Unsupported,
}

/// An intrinsic for stack maps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StackMapIntrinsic {
    /// A call that is a safepoint.
    Statepoint,
    /// The result of such a call.
    Result,
    /// A pointer after such a call, which may have moved its object.
    Relocate,
    /// Where values are.
    StackMap,
    /// Where values are at a call that may be replaced.
    Patchpoint,
}

/// An intrinsic on vectors of 8 and 16 bytes.
#[derive(Clone, Copy, Debug)]
pub enum Neon {
    /// An operation of the machine, by its number in the module.
    Operation(u8),
    /// Such an operation whose flags are read by another, so that it is kept even if its result is unused.
    Kept(u8),
    /// An operation whose operands are combined: constants to one number, pairs of registers to one value.
    Shaped {
        /// The number of the operation.
        number: u8,
        /// Its row in the lowering's table of these.
        row: u8,
    },
    /// An operation whose second operand is one lane of a vector.
    ByLane(u8),
    /// A lookup of bytes in several tables, each by the operation, which keeps or zeroes the lanes whose index is
    /// beyond the table.
    Table {
        /// Number of the operation for one table.
        number: u8,
        /// Tables.
        count: u8,
        /// Lanes with an index beyond all tables keep their value.
        keep: bool,
    },
    /// Vectors from memory; whether the address is the first operand, as for ARM, or the last, as for AArch64.
    Load(LaneOrder, bool),
    /// Vectors to memory; the same.
    Store(LaneOrder, bool),
}

/// Where the lanes of several vectors are in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaneOrder {
    /// The vectors are contiguous.
    Consecutive,
    /// The first lane of each, then the second of each, and so on.
    Interleaved,
    /// One lane of each, which is repeated in all lanes.
    Repeated,
    /// One lane of each, for the lane whose number is an operand.
    Lane,
}
