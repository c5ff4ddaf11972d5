//! Intrinsics: what a call of each becomes.

use gusset_codegen::ir::{Opcode, ReduceOp, Type, Value};
use gusset_program::{Result, TypeId, Val};

use crate::function::FunctionLowering;
use crate::mmx::Mmx;
use crate::neon::Neon;
use gusset_program::Cast as Conversion;

/// What a call of an intrinsic becomes.
#[derive(Clone, Copy, Debug)]
pub enum Intrinsic {
    /// Nothing at all.
    Nothing,
    /// Its first argument.
    First,
    /// The opcode on as many arguments as it has operands, all of one type.
    Operation(Opcode),
    /// The opcode on two arguments; the result is a pair with a flag.
    Overflow(Opcode),
    /// Fixed-point arithmetic.
    FixedPoint {
        /// A quotient instead of a product.
        divide: bool,
        /// Of signed numbers.
        signed: bool,
        /// The result saturates.
        saturate: bool,
    },
    /// A conversion of the first argument.
    Cast(Conversion),
    /// Of a vector's lanes.
    Reduce(ReduceOp),
    /// A call of a function of the C library, which has this name for `double`.
    Libm(&'static str),
    /// A call of `frexp`, with a pointer for the exponent.
    Frexp,
    /// A call of `pow`'s variant with an integer exponent.
    Powi,
    /// Whether the argument is a constant.
    IsConstant,
    /// -1, 0 or 1.
    ThreeWay {
        /// Of signed numbers.
        signed: bool,
    },
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
    /// Addition or subtraction with a carry in and out.
    AddCarry {
        /// A subtraction.
        subtract: bool,
    },
    /// An intrinsic on 64-bit vectors of MMX.
    Mmx(Mmx),
    /// An intrinsic on NEON's vectors.
    Neon(Neon),
    /// An operation of the machine, by its number in the module.
    Machine(u8),
    /// The instructions that this function makes; there is no result.
    Effect(fn(&mut FunctionLowering) -> Result<()>),
    /// The instructions that this function makes on whole vectors of any lanes; the function gets the type of the
    /// result.
    Lanes(fn(&mut FunctionLowering, TypeId) -> Result<Val>),
    /// The instructions that this function makes; the result is a scalar or vector, whose type the function gets.
    Value(fn(&mut FunctionLowering, TypeId, Type) -> Result<Value>),
    /// None that is supported.
    Unsupported,
}
