//! What is known about the lanes of vectors.

use gusset_codegen::ir::{ConstData, Function, Opcode, Value, ValueDef};

/// The constant lane number `v`, if it is one. A lane that does not exist gives poison, so any lane will do.
pub(crate) fn lane_number(f: &Function, v: Value, lanes: u32) -> Option<u8> {
    match f.constant(v)? {
        ConstData::Poison => Some(0),
        _ => f.int_constant(v).map(|n| if n < lanes as u128 { n as u8 } else { 0 }),
    }
}

/// Which lanes of a vector may be read: those that its chain of insertions into poison has set.
pub(crate) fn set_lanes(f: &Function, mut v: Value) -> u32 {
    let mut set = 0;
    // A chain as long as a vector has lanes suffices.
    for _ in 0..=16 {
        match f.value_def(v) {
            ValueDef::Const if f.constant(v) == Some(ConstData::Poison) => return set,
            ValueDef::Inst(i) if f.inst(i).op == Opcode::InsertLane => {
                let d = f.inst(i);
                match f.int_constant(Value(d.c)) {
                    Some(n) if n < 16 => set |= 1 << n,
                    _ => return u32::MAX,
                }
                v = Value(d.a);
            }
            _ => return u32::MAX,
        }
    }
    u32::MAX
}

/// Are all lanes equal because of the instruction that made them?
pub(crate) fn is_splat(f: &Function, v: Value) -> bool {
    let ValueDef::Inst(i) = f.value_def(v) else { return false };
    let d = f.inst(i);
    match d.op {
        Opcode::Splat => true,
        Opcode::Shuffle => {
            let mask = &f.pool[d.c as usize..d.c as usize + d.ty.lanes() as usize];
            mask.iter().all(|&l| l == mask[0])
        }
        _ => false,
    }
}

/// The number that all lanes of a constant have.
pub(crate) fn uniform_constant(f: &Function, v: Value) -> Option<u128> {
    match f.constant(v)? {
        ConstData::Poison => Some(0),
        ConstData::Vector { start, len } => {
            let mut all = None;
            for lane in f.vector_lanes(start, len) {
                match f.constant(lane)? {
                    ConstData::Poison => {}
                    ConstData::Int(n) if all.is_none_or(|m| m == n) => all = Some(n),
                    _ => return None,
                }
            }
            Some(all.unwrap_or(0))
        }
        _ => None,
    }
}
