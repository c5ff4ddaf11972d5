//! Intrinsics: what the call of one becomes.

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
    /// On two, with a flag beside the result.
    Overflow(Opcode),
    /// Arithmetic on numbers with a fixed point.
    FixedPoint {
        /// A quotient instead of a product.
        divide: bool,
        /// Of signed numbers.
        signed: bool,
        /// Stays at the ends of the range.
        saturate: bool,
    },
    /// A conversion of the first argument.
    Cast(Conversion),
    /// Of a vector's lanes.
    Reduce(ReduceOp),
    /// A call of a function of the C library, with this name for `double`.
    Libm(&'static str),
    /// Such a call with the exponent's pointer.
    Frexp,
    /// Such a call with an integer as exponent.
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
    /// The address of one.
    AdjustTrampoline,
    /// Opens an argument block.
    PreallocatedSetup,
    /// The address of an argument in one.
    PreallocatedArg,
    /// Closes one that no call took.
    PreallocatedTeardown,
    /// The code of the exception that a handler of `__except` got.
    ExceptionCode,
    /// The begin or the end of a scope in which exceptions that no call raises are caught.
    Scope {
        /// Its begin.
        begins: bool,
        /// It is a `try` block, not the life of an object.
        of_try: bool,
    },
    /// Ends the program, or stops it for a debugger.
    Trap(Opcode),
    /// Addition or subtraction with a carry in and out.
    AddCarry {
        /// A subtraction.
        subtract: bool,
    },
    /// One on vectors of 64 bits.
    Mmx(Mmx),
    /// One on NEON's vectors.
    Neon(Neon),
    /// An operation of the machine, by its number in the module.
    Machine(u8),
    /// What this function makes, which has no value.
    Effect(fn(&mut FunctionLowering) -> Result<()>),
    /// What this function makes of whole vectors, whatever their lanes are; it gets the type of the result.
    Lanes(fn(&mut FunctionLowering, TypeId) -> Result<Val>),
    /// What this function makes, which gives a scalar or vector; it gets the type of the result.
    Value(fn(&mut FunctionLowering, TypeId, Type) -> Result<Value>),
    /// None that is supported.
    Unsupported,
}
