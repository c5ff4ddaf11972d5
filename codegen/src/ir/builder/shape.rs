//! Which of the builder's methods makes instructions of an opcode.

use crate::ir::inst::{Format, Opcode};

/// The operands and results of an instruction that needs no other information.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// One operand of the result's type.
    Unary,
    /// Two.
    Binary,
    /// Three.
    Ternary,
    /// One operand of any type.
    Convert,
    /// Two operands of the first result's type; the second result is a flag.
    Overflow,
    /// Places and a length.
    Memory,
}

impl Shape {
    #[inline]
    pub(super) fn of(op: Opcode) -> Option<Shape> {
        use Opcode::*;
        Some(match op {
            Icmp | Fcmp | ExtractLane | InsertLane | Reduce | Select | Machine => return None,
            Trunc | Zext | Sext | Fptrunc | Fpext | Fptosi | Fptoui | FptosiSat | FptouiSat | Sitofp | Uitofp
            | Bitcast | Splat => Shape::Convert,
            Memcpy | Memmove | Memset => Shape::Memory,
            _ => match (op.format(), op.result_count()) {
                (Format::Unary, Some(1)) => Shape::Unary,
                (Format::Binary, Some(1)) => Shape::Binary,
                (Format::Ternary, Some(1)) => Shape::Ternary,
                (Format::Binary, Some(2)) => Shape::Overflow,
                _ => return None,
            },
        })
    }
}
