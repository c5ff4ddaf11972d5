//! Constant distances move from address arithmetic into the accesses.
//!
//! `load (iadd p, 8)` becomes `load p, 8` whoever else uses the sum: the base lives on, and sums that only served accesses
//! are dead afterwards. Sums of sums become one sum.

use crate::ir::{Function, Opcode, Type, Value, ValueDef};

/// Moves constant distances into loads and stores and joins chains of additions, in one walk. `ptr` is the type of a
/// pointer. Operands must be free of aliases.
pub fn fold_offsets(f: &mut Function, ptr: Type) {
    for i in 0..f.insts.len() {
        let mut d = f.insts[i];
        match d.op {
            Opcode::Load | Opcode::Store => {
                let at = if d.op == Opcode::Load { d.b } else { d.c } as i32;
                let Some((base, n)) = sum(f, Value(d.a), ptr) else { continue };
                let Some(total) = (at as i64).checked_add(n).and_then(|t| i32::try_from(t).ok()) else { continue };
                d.a = base.0;
                if d.op == Opcode::Load {
                    d.b = total as u32;
                } else {
                    d.c = total as u32;
                }
                f.insts[i] = d;
            }
            Opcode::Iadd if d.ty == ptr => {
                let (Some((base, inner)), Some(outer)) = (sum(f, Value(d.a), ptr), f.int_constant_signed(Value(d.b)))
                else {
                    continue;
                };
                let total = f.make_int(ptr, inner as i128 + outer as i128);
                d.a = base.0;
                d.b = total.0;
                f.insts[i] = d;
            }
            _ => {}
        }
    }
}

/// The base and the distance of `v`, if it is the sum of a value and a constant.
fn sum(f: &Function, v: Value, ptr: Type) -> Option<(Value, i64)> {
    let ValueDef::Inst(i) = f.value_def(v) else { return None };
    let d = f.inst(i);
    if d.op != Opcode::Iadd || d.ty != ptr || f.constant(Value(d.a)).is_some() {
        return None;
    }
    Some((Value(d.a), f.int_constant_signed(Value(d.b))?))
}
