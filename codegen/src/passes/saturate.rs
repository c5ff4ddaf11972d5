//! Computes saturating differences of extended numbers in the type that they came in, and are truncated to (LLVM's `detectUSatSub`): machines
//! subtract so in lanes of 8 and 16 bits.

use std::collections::BTreeMap;

use super::UseCounts;
use crate::ir::{ConstData, Function, Inst, InstData, Opcode, Type, Value, ValueDef};

/// A difference in a narrow type: what is subtracted from, and what is subtracted.
type Difference = (Value, Value);

/// Rewrites truncations of such differences of vectors, where all lanes subtract the same number. Blocks and edges stay. Returns whether
/// there were any.
pub fn narrow_saturating(f: &mut Function, counts: &UseCounts) -> bool {
    // By the vector of the number, and the narrow type.
    let mut splats: BTreeMap<(Value, Type), Value> = BTreeMap::new();
    let mut found: BTreeMap<Inst, Difference> = BTreeMap::new();
    for k in 0..f.layout.len() {
        for i in f.block_insts(f.layout[k]) {
            if let Some((from, by)) = difference(f, counts, i) {
                let ty = f.value_type(from);
                let narrow = *splats.entry((by, ty)).or_insert_with(|| f.make_pending(ty));
                found.insert(i, (from, narrow));
            }
        }
    }
    if found.is_empty() {
        return false;
    }
    f.rewrite(|f, i, mut d, first| {
        if let Some(&(from, by)) = found.get(&i) {
            d = InstData { op: Opcode::UsubSat, flags: 0, a: from.0, b: by.0, c: 0, ..d };
        }
        f.push_kept(d, first);
        if d.op == Opcode::Shuffle {
            let all = splats.range((first, Type::I1)..).take_while(|((by, _), _)| *by == first);
            for (&(_, ty), &narrow) in all {
                let Some(number) = number_in_all_lanes(f, &d) else { continue };
                let splat = narrow_splat(f, number, ty);
                f.alias(narrow, splat);
            }
        }
    });
    f.resolve_operands();
    true
}

/// The operands of the difference that an instruction truncates, if it may be computed in the narrow type.
fn difference(f: &Function, counts: &UseCounts, i: Inst) -> Option<Difference> {
    let d = f.inst(i);
    if d.op != Opcode::Trunc || !d.ty.is_vector() || !matches!(d.ty.lane(), Type::I8 | Type::I16) || counts.is_dead(i) {
        return None;
    }
    let of = |v: u32, op: Opcode| match f.value_def(Value(v)) {
        ValueDef::Inst(i) => Some(f.inst(i)).filter(|d| d.op == op),
        _ => None,
    };
    let wide = of(d.a, Opcode::UsubSat).filter(|_| counts.of(Value(d.a)) == 1)?;
    let from = Value(of(wide.a, Opcode::Zext)?.a);
    let by = of(wide.b, Opcode::Shuffle)?;
    (f.value_type(from) == d.ty && number_in_all_lanes(f, by).is_some()).then_some((from, Value(wide.b)))
}

/// The number that a shuffle puts into all lanes, if it was inserted into the first one for that.
fn number_in_all_lanes(f: &Function, d: &InstData) -> Option<Value> {
    let ValueDef::Inst(i) = f.value_def(Value(d.a)) else { return None };
    let inserted = f.inst(i);
    let first = inserted.op == Opcode::InsertLane && f.int_constant(Value(inserted.c)) == Some(0);
    let lanes = &f.pool[d.c as usize..][..d.ty.lanes() as usize];
    let number = Value(inserted.b);
    let fits = f.value_type(number).is_int() && f.constant(number) != Some(ConstData::Poison);
    (first && fits && lanes.iter().all(|&lane| lane == 0)).then_some(number)
}

/// A vector of a narrow type with a number in all lanes, or the largest one of the type if that is less.
fn narrow_splat(f: &mut Function, number: Value, ty: Type) -> Value {
    let wide = f.value_type(number);
    let most = f.make_int(wide, (1 << ty.lane().bits()) - 1);
    let least = InstData { op: Opcode::Umin, flags: 0, ty: wide, a: number.0, b: most.0, c: 0 };
    let least = f.push_one(least);
    let narrow = InstData { op: Opcode::Trunc, flags: 0, ty: ty.lane(), a: least.0, b: 0, c: 0 };
    let narrow = f.push_one(narrow);
    f.push_one(InstData { op: Opcode::Splat, flags: 0, ty, a: narrow.0, b: 0, c: 0 })
}
