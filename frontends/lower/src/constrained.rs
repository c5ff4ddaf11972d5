//! Floating-point operations that depend on the floating-point environment: `llvm.experimental.constrained.…`.
//!
//! No pass evaluates floating-point operations or moves them across calls, so that they use the current rounding mode,
//! and raise their exceptions, without further measures. Where exceptions are observed, an operation must not be
//! removed when its result is unused. A comparison that signals for every NaN (`fcmps`) is lowered like one that
//! signals for signaling NaNs only.

use gusset_abi::Arch;
use gusset_codegen::ir::{Opcode, Value};
use gusset_program::{Cast, FloatState, METADATA, Refusal, Result, TypeId, Val, intrinsic_mismatch};

use crate::function::{FunctionLowering, Scratch};

impl FunctionLowering<'_> {
    /// Keeps a value, which some analysis might otherwise find unused.
    pub(crate) fn opaque(&mut self, ty: TypeId, val: Val) -> Val {
        self.each_part(ty, val, |l, v| l.b.unary(Opcode::Opaque, v))
    }

    /// Is the current call a constrained operation on a vector that only instructions on scalars do as the environment
    /// says? Those of ARM on vectors round to nearest and flush subnormal numbers, whatever FPSCR says (Arm
    /// Architecture Reference Manual, ARMv7-A, "Flush-to-zero"; "standard FPSCR value").
    pub(crate) fn is_scalar_operation(&self, ret: TypeId) -> bool {
        self.m.target.arch == Arch::Arm
            && self.vector_shape(ret).is_some()
            && self.s.call.request.params.last().is_some_and(|p| p.0 == METADATA)
    }

    /// A comparison by the condition that an operand names.
    pub(crate) fn compare_floats(&mut self) -> Result<Value> {
        let (_, v) = self.alike(Opcode::Fadd, 2)?;
        let condition = self.s.call.state.condition;
        let condition = condition.ok_or_else(|| Refusal::new("the intrinsic names no condition"))?;
        Ok(self.b.fcmp(condition, v[0], v[1]))
    }

    /// The only operand, converted to the type of the result.
    pub(crate) fn cast_operand(&mut self, cast: Cast, ret: TypeId) -> Result<Val> {
        match (self.s.call.request.params[..].first(), &self.s.call.vals[..]) {
            (Some(&(from, _)), &[val]) => self.cast(cast, from, val, ret),
            _ => Err(intrinsic_mismatch()),
        }
    }
}

impl Scratch {
    /// Removes the metadata operands from an intrinsic's operands.
    pub(crate) fn take_float_state(&mut self) -> FloatState {
        let call = &mut self.call;
        while call.request.params.last().is_some_and(|p| p.0 == METADATA) {
            call.request.params.pop();
            call.vals.pop();
        }
        call.state
    }
}
