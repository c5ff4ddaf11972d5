//! Conditions made of two.

use gusset_codegen::ir::FloatCc;
use gusset_codegen::ir::{Function, InstData, Opcode, Type, Value};

/// The two truth values that this one combines, and whether both must hold, or one of them.
pub(crate) fn two_conditions(f: &Function, d: &InstData) -> Option<(Value, Value, bool)> {
    let (a, b, c) = (Value(d.a), Value(d.b), Value(d.c));
    let is = |v: Value, n: i64| f.int_constant_signed(v).is_some_and(|c| c & 1 == n);
    match d.op {
        _ if d.ty != Type::I1 => None,
        Opcode::And => Some((a, b, true)),
        Opcode::Or => Some((a, b, false)),
        Opcode::Select if is(c, 0) => Some((a, b, true)),
        Opcode::Select if is(b, 1) => Some((a, c, false)),
        _ => None,
    }
}

/// A floating-point condition that is false for NaN, and whether its opposite is meant.
pub(crate) fn of_numbers(cc: FloatCc) -> (FloatCc, bool) {
    use FloatCc::*;
    match cc {
        Uno => (Ord, true),
        Ueq => (One, true),
        Ugt => (Ole, true),
        Uge => (Olt, true),
        Ult => (Oge, true),
        Ule => (Ogt, true),
        Une => (Oeq, true),
        cc => (cc, false),
    }
}
