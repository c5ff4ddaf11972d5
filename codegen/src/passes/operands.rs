//! Computes addresses, comparisons and the lowest bits of numbers again where they are used, if the user makes them a part of itself: an access
//! its address, a branch or a selection its condition (LLVM's `CodeGenPrepare`, `optimizeMemoryInst` and `sinkCmpExpression`). The selector then folds them.

use super::{UseCounts, indices_of_blocks};
use crate::analysis::{Cfg, NO_LOOP};
use crate::ir::{Block, Function, Inst, InstData, Opcode, Value, ValueDef};
use crate::machine::{Candidate, Machine};

/// How often a value is used, and how often by instructions that fold it.
#[derive(Clone, Copy, Default)]
struct Uses {
    all: u32,
    folded: u32,
    /// Uses that an access folds if the sum of its offset and the base is computed before a loop.
    displaced: u32,
    /// The offset that accesses add to it, and whether they are different ones.
    offset: i32,
    mixed: bool,
    /// The block of the last use that was seen, and whether there are several.
    block: u32,
    several: bool,
}

/// Gives users their own copies of the addresses, comparisons and truncations that they fold. The originals are dead then.
pub fn copy_folded_operands<T: Machine>(target: &T, f: &mut Function, cfg: &Cfg, counts: &UseCounts) {
    let homes = if target.facts().indexes_with_offsets { Vec::new() } else { indices_of_blocks(f, cfg) };
    let mut uses = vec![Uses::default(); f.value_count()];
    let mut note = |v: Value, block: u32, fold: Folded| {
        let known = &mut uses[v.index()];
        known.several |= known.all > 0 && known.block != block;
        known.block = block;
        if let Folded::Now(offset) | Folded::BesideSum(offset) = fold {
            known.mixed |= known.folded + known.displaced > 0 && known.offset != offset;
            known.offset = offset;
        }
        known.all += 1;
        known.folded += u32::from(matches!(fold, Folded::Now(_)));
        known.displaced += u32::from(matches!(fold, Folded::BesideSum(_)));
    };
    for &b in &f.layout {
        for d in f.block_insts(b).filter(|&i| !counts.is_dead(i)).map(|i| f.inst(i)) {
            let mut arg = 0;
            f.for_each_operand(d, |v| {
                note(v, b.0, folds(target, f, (cfg, &homes), v, (d, b, arg)));
                arg += 1;
            });
            f.for_each_edge(d, |e| f.edge_args(e).iter().for_each(|&v| note(v, b.0, Folded::No)));
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
            let folded = known.folded + if known.mixed { 0 } else { known.displaced };
            if known.all > 0 && known.all == folded && (known.all > 1 || elsewhere) && few {
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
        f.rewrite(|f, i: Inst, mut d, first| {
            // What is dead folds nothing.
            let words = if counts.is_dead(i) { 0 } else { d.op.value_words() };
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
    let Some(mut operand) = of(v) else { return v };
    if let Some(inner) = of(operand.a) {
        operand.a = f.push_with_result(inner, f.value_type(Value(operand.a))).0;
    }
    f.push_with_result(operand, f.value_type(Value(v))).0
}

/// Are there instructions that fold this one, with effect on nothing but one operand?
fn is_folded_by_some(d: &InstData) -> bool {
    matches!(d.op, Opcode::Index | Opcode::Iadd | Opcode::Icmp | Opcode::Trunc)
}

/// How an instruction takes an operand.
#[derive(Clone, Copy)]
enum Folded {
    No,
    /// As a part of itself; an access adds this offset to its address.
    Now(i32),
    /// The same, if another instruction adds the offset to the base.
    BesideSum(i32),
}

/// How does an instruction of a block take the value that is operand number `arg`: an address, a condition, or the lowest bits of a number? A
/// call gets these in the register where it wants them.
fn folds<T: Machine>(
    target: &T,
    f: &Function,
    (cfg, homes): (&Cfg, &[u32]),
    v: Value,
    (user, block, arg): (&InstData, Block, usize),
) -> Folded {
    let ValueDef::Inst(i) = f.value_def(v) else { return Folded::No };
    let def = f.inst(i);
    let is_lowest = def.op == Opcode::Trunc;
    if is_lowest && user.op == Opcode::Call {
        let of_register = def.ty.bits() >= 8 && f.value_type(Value(def.a)).bits() <= target.facts().pointer.bits();
        return if of_register { Folded::Now(0) } else { Folded::No };
    }
    if !is_folded_by_some(def)
        || arg > 0 && !is_lowest
        || !target.can_fold(f, Candidate { def, user, arg, last: None, is_optimized: true })
    {
        return Folded::No;
    }
    let offset = user.access_offset();
    if def.op != Opcode::Index || f.constant(Value(def.b)).is_some() {
        return Folded::Now(offset);
    }
    match offset {
        _ if !target.adds_index(user.ty, def.c) => Folded::No,
        0 => Folded::Now(0),
        _ if target.facts().indexes_with_offsets => Folded::Now(offset),
        _ if is_fixed(f, cfg, homes, Value(def.a), block) => Folded::BesideSum(offset),
        _ => Folded::No,
    }
}

/// Is a value computed outside of the loop around a block?
fn is_fixed(f: &Function, cfg: &Cfg, homes: &[u32], v: Value, block: Block) -> bool {
    let home = match f.value_def(v) {
        ValueDef::Inst(i) => homes[i.index()],
        ValueDef::Param(b) => cfg.index[b.index()],
        _ => return false,
    };
    let at = cfg.index[block.index()];
    if home == u32::MAX || at == u32::MAX {
        return false;
    }
    let l = cfg.loop_of[at as usize];
    l != NO_LOOP && !(cfg.loops[l as usize].first..=cfg.loops[l as usize].last).contains(&home)
}
