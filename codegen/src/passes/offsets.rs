//! Constant distances move from address arithmetic into the accesses.
//!
//! `load (iadd p, 8)` becomes `load p, 8` whoever else uses the sum: the base lives on, and sums that only served accesses
//! are dead afterwards. Sums of sums become one sum.

use super::compares::{simplify_compare, simplify_not};
use crate::ir::{Function, InstData, Opcode, Type, Value, ValueDef};

/// Moves constant distances into loads and stores, joins chains of additions and simplifies comparisons, in one walk. `ptr` is the type of a
/// pointer. Operands must be free of aliases. Whether anything moves the stack pointer is seen on the way, and given.
pub fn fold_offsets(f: &mut Function, ptr: Type) -> bool {
    let mut moves_stack = false;
    for k in 0..f.layout.len() {
        let data = f.blocks[f.layout[k].index()];
        for i in data.first as usize..data.end as usize {
            match f.insts[i].op {
                Opcode::Load | Opcode::Store => fold_access(f, i, ptr),
                Opcode::Iadd => join_sums(f, i, ptr),
                Opcode::Icmp => simplify_compare(f, i, data.first),
                Opcode::Xor => simplify_not(f, i, data.first),
                Opcode::StackAlloc | Opcode::StackRestore | Opcode::BlockOpen => moves_stack = true,
                _ => {}
            }
        }
    }
    moves_stack
}

fn fold_access(f: &mut Function, i: usize, ptr: Type) {
    let mut d = f.insts[i];
    let Some((base, n)) = sum(f, Value(d.a), ptr) else { return };
    let at = if d.op == Opcode::Load { &mut d.b } else { &mut d.c };
    if let Some(total) = (*at as i32 as i64).checked_add(n).and_then(|t| i32::try_from(t).ok()) {
        *at = total as u32;
        d.a = base.0;
        f.insts[i] = d;
    }
}

fn join_sums(f: &mut Function, i: usize, ptr: Type) {
    let d = f.insts[i];
    if d.ty == ptr
        && let Some(outer) = f.int_constant_signed(Value(d.b))
        && let Some((base, inner)) = sum(f, Value(d.a), ptr)
    {
        let total = f.make_int(ptr, inner as i128 + outer as i128);
        f.insts[i] = InstData { a: base.0, b: total.0, ..d };
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
