//! Floating-point operations that heed the state of floating point: `llvm.experimental.constrained.…`.
//!
//! No pass evaluates floating-point operations or moves them past calls, so that they meet whatever rounding is set, and raise
//! their exceptions, as they stand. Where exceptions are watched, an operation must not vanish for want of a user. A comparison
//! that signals for every NaN (`fcmps`) is made like one that does for signaling ones alone.

use gusset_codegen::ir::{FloatCc, Opcode, Value};

use crate::body::{Reader, Val};
use crate::error::{ReadError, Result};
use crate::instructions::float_condition;
use crate::lexer::Cursor;
use crate::types::{METADATA, TypeId, VOID};

/// What an intrinsic's operands of metadata say.
#[derive(Clone, Copy, Default)]
pub(crate) struct FloatState {
    /// The place of a condition.
    pub condition: Option<usize>,
    /// Exceptions are watched.
    pub strict: bool,
}

impl<'r> Reader<'r> {
    /// Takes the operands of metadata away from an intrinsic's others.
    pub fn take_float_state(&mut self) -> FloatState {
        let mut state = FloatState::default();
        while self.s.request.params.last().is_some_and(|p| p.0 == METADATA) {
            self.s.request.params.pop();
            let at = self.s.vals.pop().unwrap_or(0) as usize;
            let text = self.c.src[at..].strip_prefix(b"!\"").unwrap_or(b"");
            if text.starts_with(b"fpexcept.strict\"") {
                state.strict = true;
            } else if !text.is_empty() && !text.starts_with(b"round.") && !text.starts_with(b"fpexcept.") {
                state.condition = Some(at + 2);
            }
        }
        state
    }

    /// The value, which some analysis might otherwise find useless.
    pub fn opaque(&mut self, ty: TypeId, val: Val) -> Val {
        if ty == VOID {
            return val;
        }
        let opaque = |r: &mut Self, v| r.b.unary(Opcode::Opaque, v);
        if self.types.ir(ty) != gusset_codegen::ir::Type::VOID {
            return opaque(self, Value(val)).0;
        }
        let start = self.s.aggregates.len();
        for i in 0..self.scalars(ty) {
            let v = self.s.aggregates[val as usize + i];
            let v = opaque(self, v);
            self.s.aggregates.push(v);
        }
        start as Val
    }

    /// A comparison by the condition in the text.
    pub fn compare_floats(&mut self, condition: Option<usize>, pos: usize) -> Result<Value> {
        let (_, v) = self.alike(Opcode::Fadd, 2, pos)?;
        let cc: Option<FloatCc> = condition.and_then(|at| float_condition(Cursor::new(self.c.src, at).peek_key().0));
        match cc {
            Some(cc) => Ok(self.b.fcmp(cc, v[0], v[1])),
            None => Err(ReadError::new(self.c.src, pos, "the intrinsic names no condition")),
        }
    }

    /// The only operand converted to the type of the result.
    pub fn cast_operand(&mut self, key: u128, ret: TypeId, pos: usize) -> Result<Val> {
        match (self.s.request.params[..].first(), &self.s.vals[..]) {
            (Some(&(from, _)), &[val]) => self.converted(key, val, from, ret, pos),
            _ => Err(self.intrinsic_mismatch(pos)),
        }
    }
}
