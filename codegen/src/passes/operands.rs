//! Computes addresses, comparisons and the lowest bits of numbers again where they are used, if the user makes them a part of itself: an access
//! its address, a branch or a selection its condition (LLVM's `CodeGenPrepare`, `optimizeMemoryInst` and `sinkCmpExpression`). The selector then folds them.

use super::UseCounts;
use crate::ir::{Function, Inst, InstData, Opcode, Value, ValueDef};
use crate::machine::{Candidate, Machine};

/// How often a value is used, and how often by instructions that fold it.
#[derive(Clone, Copy, Default)]
struct Uses {
    all: u32,
    folded: u32,
    /// The block of the last use that was seen, and whether there are several.
    block: u32,
    several: bool,
}

/// Gives users their own copies of the addresses, comparisons and truncations that they fold. The originals are dead then.
pub fn copy_folded_operands<T: Machine>(target: &T, f: &mut Function, counts: &UseCounts) {
    let mut uses = vec![Uses::default(); f.value_count()];
    let mut note = |v: Value, block: u32, folded: bool| {
        let known = &mut uses[v.index()];
        known.several |= known.all > 0 && known.block != block;
        known.all += 1;
        known.folded += u32::from(folded);
        known.block = block;
    };
    for &b in &f.layout {
        for d in f.block_insts(b).filter(|&i| !counts.is_dead(i)).map(|i| f.inst(i)) {
            let mut arg = 0;
            f.for_each_operand(d, |v| {
                note(v, b.0, folds(target, f, v, d, arg));
                arg += 1;
            });
            f.for_each_edge(d, |e| f.edge_args(e).iter().for_each(|&v| note(v, b.0, false)));
        }
    }
    let mut copied: Vec<Option<InstData>> = vec![None; f.value_count()];
    let mut any = false;
    let pointer = target.facts().pointer;
    let mut sums = Vec::new();
    for &b in &f.layout {
        for i in f.block_insts(b).filter(|&i| is_folded_by_some(f.inst(i))) {
            let (d, v) = (f.inst(i), f.result(i));
            let known = uses[v.index()];
            let elsewhere = known.several || known.block != b.0;
            // Otherwise a register more is taken from here to there.
            let lives = |v: u32| {
                let used = uses[v as usize];
                !matches!(f.value_def(Value(v)), ValueDef::Inst(_) | ValueDef::Param(_)) || used.all > 1 && used.several
            };
            // A sum that is no address of an access may be computed in memory.
            if d.op == Opcode::Index && d.c == 1 && known.folded == 0 {
                sums.push(i);
            }
            let few = match d.op {
                Opcode::Iadd => true,
                Opcode::Icmp if known.all == 1 || d.ty.bits() > pointer.bits() => lives(d.a) && lives(d.b),
                Opcode::Trunc => lives(d.a),
                _ => lives(d.a) || lives(d.b),
            };
            if known.all > 0 && known.all == known.folded && (known.all > 1 || elsewhere) && few {
                copied[v.index()] = Some(*d);
                any = true;
            }
        }
    }
    for i in sums {
        let d = *f.inst(i);
        let ty = f.value_type(f.result(i));
        f.insts[i.index()] = InstData { op: Opcode::Iadd, ty, c: 0, ..d };
    }
    if any {
        f.rewrite(|f, _: Inst, mut d, first| {
            let words = d.op.value_words();
            for (k, word) in [&mut d.a, &mut d.b, &mut d.c].into_iter().enumerate() {
                if words >> k & 1 != 0 {
                    *word = copy(f, *word, &copied);
                }
            }
            if d.op == Opcode::Call {
                let (start, len) = (f.calls[d.a as usize].args_start, f.calls[d.a as usize].args_len);
                for k in start..start + len {
                    f.pool[k as usize] = copy(f, f.pool[k as usize], &copied);
                }
            }
            f.push_kept(d, first);
        });
    }
}

/// Appends a copy of such an operand, and one of what it is computed from, where these are to be copied. Returns the copy.
fn copy(f: &mut Function, v: u32, copied: &[Option<InstData>]) -> u32 {
    let of = |v: u32| copied.get(v as usize).copied().flatten();
    let Some(mut address) = of(v) else { return v };
    if let Some(inner) = of(address.a) {
        address.a = f.push_one(inner).0;
    }
    f.push_one(address).0
}

/// Are there instructions that fold this one, with effect on nothing but one operand?
fn is_folded_by_some(d: &InstData) -> bool {
    matches!(d.op, Opcode::Index | Opcode::Iadd | Opcode::Icmp | Opcode::Trunc)
}

/// Does an instruction fold the value that is operand number `arg`: an address, a condition, or the lowest bits of a number? A call gets these
/// in the register where it wants them.
fn folds<T: Machine>(target: &T, f: &Function, v: Value, user: &InstData, arg: usize) -> bool {
    let ValueDef::Inst(i) = f.value_def(v) else { return false };
    let def = f.inst(i);
    if def.op == Opcode::Trunc && user.op == Opcode::Call {
        let of_registers = f.value_type(Value(def.a)).bits() <= target.facts().pointer.bits();
        return of_registers && def.ty.bits() >= 8;
    }
    (arg == 0 || def.op == Opcode::Trunc)
        && is_folded_by_some(def)
        && target.can_fold(f, Candidate { def, user, arg, last: None, is_optimized: true })
}
