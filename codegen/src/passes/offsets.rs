//! Moves constant distances from address arithmetic into loads and stores.
//!
//! `load (iadd p, 8)` becomes `load p, 8`, whatever else uses the sum: the base lives on, and sums that were only used
//! by accesses are dead afterwards. Sums of sums become one sum.

use super::bytes::Bytes;
use super::compares::{simplify_compare, simplify_not};
use crate::ir::{Function, Inst, InstData, Opcode, Type, Value, ValueDef};
use crate::machine::AccessAlignment;

/// Moves constant distances into loads and stores, joins chains of additions and simplifies comparisons in one walk,
/// and finds numbers that are accessed byte by byte. `ptr` is the type of a pointer, `wanted` the alignment that
/// accesses want. Operands must not be aliases. Returns whether anything moves the stack pointer.
pub fn fold_offsets(f: &mut Function, ptr: Type, wanted: AccessAlignment, bytes: &mut Bytes) -> bool {
    let mut moves_stack = false;
    bytes.clear();
    let mut indexed = Vec::new();
    for k in 0..f.layout.len() {
        let data = f.blocks[f.layout[k].index()];
        for i in data.first as usize..data.end as usize {
            match f.insts[i].op {
                Opcode::Load => fold_access(f, i, data.first, ptr),
                Opcode::Store => {
                    fold_access(f, i, data.first, ptr);
                    bytes.look_at_store(f, i, data.first, wanted);
                }
                Opcode::Or => bytes.look_at_or(f, i, data.first, wanted),
                Opcode::Iadd => join_sums(f, i, ptr),
                Opcode::Index if is_far_sum(f, i, data.first, ptr) => indexed.push(i as u32),
                Opcode::Icmp => simplify_compare(f, i, data.first),
                Opcode::Xor => simplify_not(f, i, data.first),
                Opcode::StackAlloc | Opcode::StackRestore | Opcode::BlockOpen => moves_stack = true,
                _ => {}
            }
        }
    }
    if !indexed.is_empty() {
        fold_indexed(f, ptr, indexed);
    }
    moves_stack
}

/// Is the base of this `index` a sum in another block? A sum in the same block is deferred to its user, which adds the
/// distance for free.
fn is_far_sum(f: &Function, i: usize, first: u32, ptr: Type) -> bool {
    let base = Value(f.insts[i].a);
    matches!(f.value_def(base), ValueDef::Inst(d) if d.0 < first) && sum(f, base, ptr).is_some()
}

/// `load (index (iadd p, 8), i)` becomes `load (index p, i), 8` if only accesses use the address: optimizers move such
/// sums out of loops, where they would take registers.
fn fold_indexed(f: &mut Function, ptr: Type, mut indexed: Vec<u32>) {
    /// Not an address that can be folded, or no longer one.
    const NONE: u32 = u32::MAX;
    let mut of = vec![NONE; f.value_count()];
    let (mut least, mut greatest) = (u32::MAX, 0);
    for (k, &i) in indexed.iter().enumerate() {
        let v = f.result(Inst(i));
        of[v.index()] = k as u32;
        (least, greatest) = (least.min(v.0), greatest.max(v.0));
    }
    // Most operands are not addresses.
    let span = greatest - least;
    let near = |word: u32| word.wrapping_sub(least) <= span;
    let may_be = |v: Value| near(v.0);
    let distance = |f: &Function, i: u32| sum(f, Value(f.insts[i as usize].a), ptr).map_or(0, |s| s.1);
    let mut accesses = Vec::new();
    for k in 0..f.layout.len() {
        let data = f.blocks[f.layout[k].index()];
        for i in data.first..data.end {
            let d = f.insts[i as usize];
            if d.op != Opcode::Call && !d.op.is_terminator() && ![d.a, d.b, d.c].into_iter().any(near) {
                continue;
            }
            let at = match d.op {
                Opcode::Load => Some(d.b),
                Opcode::Store => Some(d.c),
                _ => None,
            };
            let mut used = |v: Value, address: bool| {
                let k = of[v.index()];
                if k == NONE {
                    return;
                }
                let reach = at.is_some_and(|at| {
                    i32::try_from(i64::from(at as i32).saturating_add(distance(f, indexed[k as usize]))).is_ok()
                });
                if address && reach { accesses.push((i, v)) } else { of[v.index()] = NONE }
            };
            let mut operand = 0;
            f.for_each_operand(&d, |v| {
                if may_be(v) {
                    used(v, operand == 0);
                }
                operand += 1;
            });
            if d.op.is_terminator() {
                f.for_each_edge(&d, |e| f.edge_args(e).iter().filter(|&&v| may_be(v)).for_each(|&v| used(v, false)));
            }
        }
    }
    for (i, v) in accesses {
        let k = of[v.index()];
        if k != NONE {
            let n = distance(f, indexed[k as usize]) as u32;
            let d = &mut f.insts[i as usize];
            let at = if d.op == Opcode::Load { &mut d.b } else { &mut d.c };
            *at = at.wrapping_add(n);
        }
    }
    indexed.retain(|&i| of[f.result(Inst(i)).index()] != NONE);
    for i in indexed {
        if let Some((base, _)) = sum(f, Value(f.insts[i as usize].a), ptr) {
            f.insts[i as usize].a = base.0;
        }
    }
}

fn fold_access(f: &mut Function, i: usize, first: u32, ptr: Type) {
    let address = Value(f.insts[i].a);
    let ValueDef::Inst(at) = f.value_def(address) else { return };
    // Most addresses are something else.
    let found = match f.inst(at).op {
        Opcode::Iadd => sum_at(f, at, ptr),
        Opcode::Index if at.0 >= first => neighbour(f, at, first, ptr),
        _ => return,
    };
    let Some((base, n)) = found else { return };
    let mut d = f.insts[i];
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
        && let Some((base, inner)) = sum(f, Value(d.a), ptr)
        && let Some(outer) = f.int_constant_signed(Value(d.b))
    {
        let total = f.make_int(ptr, inner as i128 + outer as i128);
        f.insts[i] = InstData { a: base.0, b: total.0, ..d };
    }
}

/// How many instructions earlier another address of the same elements may be.
const NEAR: u32 = 16;

/// The address of another element that was computed shortly before, and the distance from there to the address at `at`,
/// whose index is the other one's plus a constant: `a[2 * i + 1]` after `a[2 * i]`.
fn neighbour(f: &Function, at: Inst, first: u32, ptr: Type) -> Option<(Value, i64)> {
    let d = f.inst(at);
    let ValueDef::Inst(i) = f.value_def(Value(d.b)) else { return None };
    let number = f.inst(i);
    let n = match number.op {
        // The sum may exist for another reason; the address of a symbol does not.
        Opcode::Iadd if f.constant(Value(d.a)).is_some() => f.int_constant_signed(Value(number.b))?,
        Opcode::Or if number.ty == ptr && has_no_bit_of(f, Value(number.a), Value(number.b)) => {
            f.int_constant_signed(Value(number.b))?
        }
        _ => return None,
    };
    let near = first.max(at.0.saturating_sub(NEAR))..at.0;
    let other = near.rev().find(|&k| {
        let e = &f.insts[k as usize];
        e.op == Opcode::Index && (e.a, e.b, e.c) == (d.a, number.a, d.c)
    })?;
    Some((f.result(Inst(other)), n.checked_mul(i64::from(d.c as i32))?))
}

/// Does a number have none of the bits of a constant, as a shift or a mask shows?
fn has_no_bit_of(f: &Function, v: Value, constant: Value) -> bool {
    let (ValueDef::Inst(i), Some(bits)) = (f.value_def(v), f.int_constant(constant)) else { return false };
    let d = f.inst(i);
    // In other instructions, the second word may not be a value.
    match d.op {
        Opcode::Shl => f.int_constant(Value(d.b)).is_some_and(|n| n < 64 && bits >> n == 0),
        Opcode::And => f.int_constant(Value(d.b)).is_some_and(|mask| mask & bits == 0),
        _ => false,
    }
}

/// The base and distance of `v`, if it is a sum of a value and a constant.
fn sum(f: &Function, v: Value, ptr: Type) -> Option<(Value, i64)> {
    match f.value_def(v) {
        ValueDef::Inst(i) if f.inst(i).op == Opcode::Iadd => sum_at(f, i, ptr),
        _ => None,
    }
}

/// The base and distance of the addition `i`.
fn sum_at(f: &Function, i: Inst, ptr: Type) -> Option<(Value, i64)> {
    let d = f.inst(i);
    if d.ty != ptr {
        return None;
    }
    let base = Value(d.a);
    match f.value_def(base) {
        ValueDef::Const => None,
        _ => Some((base, f.int_constant_signed(Value(d.b))?)),
    }
}
