//! Compares narrow values instead of widened ones, and removes comparisons with zero of truth values that were widened
//! to numbers.
//!
//! C compares integers as `int` at least, and a condition is an `int`, too. Only definitions in the comparison's own
//! block are followed, so that no value becomes live in another block.

use crate::ir::{Function, InstData, IntCc, Opcode, Type, Value, ValueDef};

/// The longest chain of extensions that is followed.
const CHAIN: usize = 4;

/// Simplifies the comparison of integers `i`, whose block begins at the instruction `first`. Operands must not be
/// aliases.
pub(super) fn simplify_compare(f: &mut Function, i: usize, first: u32) {
    let mut d = f.insts[i];
    // Most comparisons compare something else.
    match f.value_def(Value(d.a)) {
        ValueDef::Inst(k) if k.0 >= first && matches!(f.inst(k).op, Opcode::Zext | Opcode::Sext | Opcode::Icmp) => {}
        _ => return,
    }
    for _ in 0..CHAIN {
        match narrower(f, &d, first) {
            Some(new) => d = new,
            None => break,
        }
    }
    if d.ty == Type::I1
        && let Some(n) = f.int_constant(Value(d.b))
        && let Some(holds) = match IntCc::from_u8(d.flags) {
            Some(IntCc::Ne) => Some(n == 0),
            Some(IntCc::Eq) => Some(n != 0),
            _ => None,
        }
        && let Some(inner) = local(f, Value(d.a), first)
        && let Some(again) = repeated(&inner, holds)
    {
        d = again;
    }
    f.insts[i] = d;
}

/// Simplifies the exclusive or `i`, if it negates a comparison.
pub(super) fn simplify_not(f: &mut Function, i: usize, first: u32) {
    let d = f.insts[i];
    if d.ty == Type::I1
        && f.int_constant(Value(d.b)) == Some(1)
        && let Some(inner) = local(f, Value(d.a), first)
        && let Some(again) = repeated(&inner, false)
    {
        f.insts[i] = again;
    }
}

/// The instruction of this block that defines the value.
fn local(f: &Function, v: Value, first: u32) -> Option<InstData> {
    match f.value_def(v) {
        ValueDef::Inst(k) if k.0 >= first => Some(*f.inst(k)),
        _ => None,
    }
}

/// Repeats a comparison of integers, or its opposite.
fn repeated(d: &InstData, holds: bool) -> Option<InstData> {
    if d.op != Opcode::Icmp {
        return None;
    }
    let cc = IntCc::from_u8(d.flags)?;
    Some(InstData { flags: if holds { cc } else { cc.inverse() } as u8, ..*d })
}

/// The same comparison on the values before their extension.
fn narrower(f: &mut Function, d: &InstData, first: u32) -> Option<InstData> {
    if !d.ty.is_int() || d.ty.bits() > 64 {
        return None;
    }
    let e = local(f, Value(d.a), first).filter(|e| matches!(e.op, Opcode::Zext | Opcode::Sext))?;
    let from = f.value_type(Value(e.a));
    let cc = IntCc::from_u8(d.flags)?;
    if !from.is_int() || from == Type::I1 && !matches!(cc, IntCc::Eq | IntCc::Ne) {
        return None;
    }
    let b = match f.int_constant_signed(Value(d.b)) {
        Some(n) => {
            let shift = 64 - from.bits();
            let wide = 64 - d.ty.bits();
            let kept = if e.op == Opcode::Sext {
                n << shift >> shift == n
            } else {
                let n = (n as u64) << wide >> wide;
                n << shift >> shift == n
            };
            // An immediate of 16 bits stalls the decoders of some machines.
            if !kept || from == Type::I16 && i8::try_from(n).is_err() {
                return None;
            }
            f.make_int(from, n as i128)
        }
        None => {
            let other = local(f, Value(d.b), first)?;
            if other.op != e.op || f.value_type(Value(other.a)) != from {
                return None;
            }
            Value(other.a)
        }
    };
    // Zero-extended numbers are not negative; sign extension keeps either order.
    let cc = if e.op == Opcode::Zext { cc.unsigned() } else { cc };
    Some(InstData { flags: cc as u8, ty: from, a: e.a, b: b.0, ..*d })
}
