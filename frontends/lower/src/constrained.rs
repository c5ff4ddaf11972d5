//! Floating-point operations that heed the state of floating point: `llvm.experimental.constrained.…`.
//!
//! No pass evaluates floating-point operations or moves them past calls, so that they meet whatever rounding is set, and raise
//! their exceptions, as they stand. Where exceptions are watched, an operation must not vanish for want of a user. A comparison
//! that signals for every NaN (`fcmps`) is made like one that does for signaling ones alone.

use gusset_codegen::ir::{Opcode, Value};
use gusset_program::{Cast, METADATA, Refusal, Result, TypeId, Val, intrinsic_mismatch};

use crate::function::{FloatState, FunctionLowering};

impl FunctionLowering<'_> {
    /// Takes the operands of metadata away from an intrinsic's others.
    pub(crate) fn take_float_state(&mut self) -> FloatState {
        let call = &mut self.s.call;
        while call.request.params.last().is_some_and(|p| p.0 == METADATA) {
            call.request.params.pop();
            call.vals.pop();
        }
        call.state
    }

    /// The value, which some analysis might otherwise find useless.
    pub(crate) fn opaque(&mut self, ty: TypeId, val: Val) -> Val {
        self.each_part(ty, val, |l, v| l.b.unary(Opcode::Opaque, v))
    }

    /// A comparison by the condition that an operand names.
    pub(crate) fn compare_floats(&mut self) -> Result<Value> {
        let (_, v) = self.alike(Opcode::Fadd, 2)?;
        let condition = self.s.call.state.condition;
        let condition = condition.ok_or_else(|| Refusal::new("the intrinsic names no condition"))?;
        Ok(self.b.fcmp(condition, v[0], v[1]))
    }

    /// The only operand converted to the type of the result.
    pub(crate) fn cast_operand(&mut self, cast: Cast, ret: TypeId) -> Result<Val> {
        match (self.s.call.request.params[..].first(), &self.s.call.vals[..]) {
            (Some(&(from, _)), &[val]) => self.cast(cast, from, val, ret),
            _ => Err(intrinsic_mismatch()),
        }
    }
}
