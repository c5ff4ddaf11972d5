//! Computes parts of addresses before loops (LLVM's `MachineLICM` and `LoopStrengthReduce`): the addresses of symbols that are indexed, where
//! an address beside an index takes an instruction of its own, and the sums of a base and an offset, where an access cannot add an offset to
//! a base and an index. Long constants are made before loops, too (LLVM's `ConstantHoisting`).

use std::collections::BTreeMap;

use super::{UseCounts, indices_of_blocks};
use crate::analysis::{Cfg, NO_LOOP};
use crate::ir::{ConstData, Function, Inst, InstData, MemFlags, Opcode, Value, ValueDef};
use crate::machine::Machine;

/// The most addresses that are computed before one loop.
const MOST: usize = 8;

/// A part of an address: a value and what is added to it.
type Part = (Value, i32);

/// The parts that are computed at the ends of blocks, by the indices of these, and what stands for them until they are.
type Hoisted = BTreeMap<u32, Vec<(Part, Value)>>;

/// Hoists them out of loops that one block enters. Returns whether there were any. Blocks and edges stay. For sums, `counts` and the
/// frequencies of `cfg` must be known.
pub fn hoist_addresses<T: Machine>(target: &T, f: &mut Function, cfg: &Cfg, counts: &UseCounts) -> bool {
    if cfg.loops.is_empty() {
        return false;
    }
    let facts = target.facts();
    let homes = if facts.indexes_with_offsets { Vec::new() } else { indices_of_blocks(f, cfg) };
    let mut pass = Hoist { cfg, counts, entries: entries(f, cfg), homes, hoisted: Hoisted::new() };
    for index in (0..cfg.order.len()).filter(|&index| cfg.loop_of[index] != NO_LOOP) {
        for i in f.block_insts(cfg.order[index]) {
            match f.inst(i).op {
                Opcode::Index if !facts.indexes_symbols => pass.symbol(f, index, i),
                Opcode::Load | Opcode::Store if !facts.indexes_with_offsets => pass.sum(target, f, index, i),
                _ => {}
            }
            pass.constants(target, f, index, i);
        }
    }
    let mut hoisted = pass.hoisted;
    hoisted.retain(|_, parts| !parts.is_empty());
    if hoisted.is_empty() {
        return false;
    }
    compute(f, cfg, &hoisted);
    true
}

/// The tables of the pass.
struct Hoist<'a> {
    cfg: &'a Cfg,
    counts: &'a UseCounts,
    /// For each loop, the index of the only block outside that leads into it.
    entries: Vec<Option<u32>>,
    /// For each instruction, the index of its block; empty if no sums are hoisted.
    homes: Vec<u32>,
    hoisted: Hoisted,
}

impl Hoist<'_> {
    /// Hoists the symbol that an instruction indexes.
    fn symbol(&mut self, f: &mut Function, index: usize, i: Inst) {
        let address = Value(f.inst(i).a);
        if !matches!(f.constant(address), Some(ConstData::Symbol(..))) {
            return;
        }
        let Some(before) = self.outermost_entry(index) else { return };
        if let Some(stand_in) = part(f, self.hoisted.entry(before).or_default(), (address, 0)) {
            f.insts[i.index()].a = stand_in.0;
        }
    }

    /// Hoists the long constants that an instruction reads.
    fn constants<T: Machine>(&mut self, target: &T, f: &mut Function, index: usize, i: Inst) {
        use Opcode::*;
        let d = *f.inst(i);
        let last = match d.op {
            Iadd | Isub | Imul | And | Or | Xor | Icmp => 1,
            Store | Select => 2,
            _ => return,
        };
        for (arg, word) in [d.a, d.b, d.c].into_iter().enumerate().take(last + 1) {
            let v = Value(word);
            let operand = if d.op == Store { arg == 1 } else { d.op != Select || arg > 0 };
            if !operand || f.int_constant(v).is_none() || !target.is_long_constant(f, &d, arg) || self.counts.is_dead(i)
            {
                continue;
            }
            let Some(before) = self.outermost_entry(index) else { return };
            if let Some(stand_in) = part(f, self.hoisted.entry(before).or_default(), (v, 0)) {
                let d = &mut f.insts[i.index()];
                *[&mut d.a, &mut d.b, &mut d.c][arg] = stand_in.0;
            }
        }
    }

    /// The index of the only block that leads into the outermost loop around a block for which there is one.
    fn outermost_entry(&self, index: usize) -> Option<u32> {
        loops_around(self.cfg, index).filter_map(|l| self.entries[l]).last()
    }

    /// Hoists the sum of the base and the offset of an access, whose address nothing else uses.
    fn sum<T: Machine>(&mut self, target: &T, f: &mut Function, index: usize, i: Inst) {
        let d = *f.inst(i);
        let offset = d.access_offset();
        let ValueDef::Inst(x) = f.value_def(Value(d.a)) else { return };
        let address = *f.inst(x);
        let fits = address.op == Opcode::Index && target.adds_index(d.ty, address.c);
        let here = self.homes[x.index()] as usize == index;
        if offset == 0
            || !fits
            || !here
            || self.counts.is_dead(i)
            || self.counts.of(Value(d.a)) != 1
            || MemFlags(d.flags).is_volatile()
        {
            return;
        }
        let base = Value(address.a);
        let home = match f.value_def(base) {
            ValueDef::Inst(i) => self.homes[i.index()],
            ValueDef::Param(b) => self.cfg.index[b.index()],
            _ => return,
        };
        let outside = loops_around(self.cfg, index).take_while(|&l| {
            let data = &self.cfg.loops[l];
            !(data.first..=data.last).contains(&home)
        });
        let Some(before) = outside.filter_map(|l| self.entries[l]).last() else { return };
        if self.cfg.weight(before as usize) >= self.cfg.weight(index) {
            return;
        }
        if let Some(stand_in) = part(f, self.hoisted.entry(before).or_default(), (base, offset)) {
            f.insts[x.index()].a = stand_in.0;
            let d = &mut f.insts[i.index()];
            *(if d.op == Opcode::Load { &mut d.b } else { &mut d.c }) = 0;
        }
    }
}

/// What stands for a part that is computed before a loop, if there are not too many.
fn part(f: &mut Function, known: &mut Vec<(Part, Value)>, part: Part) -> Option<Value> {
    if let Some(&(_, stand_in)) = known.iter().find(|known| known.0 == part) {
        return Some(stand_in);
    }
    if known.len() == MOST {
        return None;
    }
    let stand_in = f.make_pending(f.value_type(part.0));
    known.push((part, stand_in));
    Some(stand_in)
}

/// Computes the parts at the ends of blocks.
fn compute(f: &mut Function, cfg: &Cfg, hoisted: &Hoisted) {
    let ends: BTreeMap<Inst, u32> = hoisted.keys().map(|&at| (f.terminator(cfg.order[at as usize]), at)).collect();
    f.rewrite(|f, i: Inst, d, first| {
        if let Some(at) = ends.get(&i) {
            for &((base, offset), stand_in) in &hoisted[at] {
                let ty = f.value_type(base);
                let d = match offset {
                    0 => InstData { op: Opcode::Freeze, flags: 0, ty, a: base.0, b: 0, c: 0 },
                    n => InstData { op: Opcode::Iadd, flags: 0, ty, a: base.0, b: f.make_int(ty, n.into()).0, c: 0 },
                };
                let v = f.push_one(d);
                f.alias(stand_in, v);
            }
        }
        f.push_kept(d, first);
    });
    f.resolve_operands();
}

/// The loops around the block at an index, from the innermost one outwards.
fn loops_around(cfg: &Cfg, index: usize) -> impl Iterator<Item = usize> {
    let first = Some(cfg.loop_of[index]).filter(|&l| l != NO_LOOP);
    let outer = |&l: &u32| Some(cfg.loops[l as usize].parent).filter(|&l| l != NO_LOOP);
    std::iter::successors(first, outer).map(|l| l as usize)
}

/// For each loop, the index of the only block outside that leads into it, if that leads to its first.
fn entries(f: &Function, cfg: &Cfg) -> Vec<Option<u32>> {
    let mut found = vec![(0u32, 0u32); cfg.loops.len()];
    for (from, &b) in cfg.order.iter().enumerate() {
        let last = f.inst(f.terminator(b));
        let has_end = matches!(last.op, Opcode::Jump | Opcode::Br | Opcode::Switch);
        f.for_each_edge(last, |e| {
            let to = cfg.index[f.edge_to(e).index()] as usize;
            for l in loops_around(cfg, to) {
                let data = &cfg.loops[l];
                if !(data.first as usize..=data.last as usize).contains(&from) {
                    // Between a call and the end of its block nothing can stand.
                    let fits = has_end && data.first as usize == to;
                    found[l] = (found[l].0 + if fits { 1 } else { 2 }, from as u32);
                }
            }
        });
    }
    found.into_iter().map(|(count, from)| (count == 1).then_some(from)).collect()
}
