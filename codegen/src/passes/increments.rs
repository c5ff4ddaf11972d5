//! Lets a loop's variable and its next value share a register (what LLVM's `LoopStrengthReduce` does with "post-inc" users): where the
//! variable is still used after its increment, either the increment moves behind these uses, or accesses go by the next value.

use super::UseCounts;
use crate::analysis::{Cfg, NO_LOOP};
use crate::ir::{Block, Edge, Function, Inst, InstData, Opcode, Value, ValueDef};

/// Moves increments and changes addresses, in blocks that end a loop. Returns whether any moved. Blocks and edges stay.
pub fn place_increments(f: &mut Function, cfg: &Cfg, counts: &UseCounts) -> bool {
    let mut moved: Vec<Inst> = Vec::new();
    for index in 0..cfg.order.len() {
        let l = cfg.loop_of[index];
        if l == NO_LOOP || cfg.loops[l as usize].last as usize != index {
            continue;
        }
        let header = cfg.order[cfg.loops[l as usize].first as usize];
        let last = f.terminator(cfg.order[index]);
        for (next, variable) in increments(f, last, header) {
            let ValueDef::Inst(i) = f.value_def(next) else { continue };
            let in_block = f.blocks[cfg.order[index].index()].first <= i.0 && i.0 < last.0;
            if !in_block || passes(f, last, variable) || used_outside(f, cfg, l, variable, counts) {
                continue;
            }
            let reads = |f: &Function, j: Inst, v: Value| {
                let mut reads = false;
                f.for_each_operand(f.inst(j), |used| reads |= used == v);
                reads
            };
            let between = || (i.0 + 1..last.0).map(Inst);
            if !between().any(|j| reads(f, j, variable)) {
                continue;
            }
            if !between().any(|j| reads(f, j, next)) {
                moved.push(i);
            } else if between().all(|j| !reads(f, j, variable) || is_address_only(f, j, variable)) {
                let by = f.inst(i).b;
                let by = f.int_constant_signed(Value(by)).unwrap_or(0) as u32;
                let accesses: Vec<Inst> = between().filter(|&j| reads(f, j, variable)).collect();
                for j in accesses {
                    let d = &mut f.insts[j.index()];
                    d.a = next.0;
                    let offset = if d.op == Opcode::Load { &mut d.b } else { &mut d.c };
                    *offset = offset.wrapping_sub(by);
                }
            }
        }
    }
    if !moved.is_empty() {
        moved.sort_unstable();
        rewrite(f, &moved);
    }
    !moved.is_empty()
}

/// The values that a branch passes to a loop's first block and that are parameters of this block plus a constant, with these parameters.
fn increments(f: &Function, last: Inst, header: Block) -> Vec<(Value, Value)> {
    let mut found = Vec::new();
    f.for_each_edge(f.inst(last), |e: Edge| {
        if f.edge_to(e) != header {
            return;
        }
        for (&param, &arg) in f.params(header).iter().zip(f.edge_args(e)) {
            let ValueDef::Inst(i) = f.value_def(arg) else { continue };
            let d = f.inst(i);
            let adds = d.op == Opcode::Iadd && Value(d.a) == param && f.int_constant(Value(d.b)).is_some();
            if adds && f.value_type(param).is_int() && !found.contains(&(arg, param)) {
                found.push((arg, param));
            }
        }
    });
    found
}

/// Does a branch read a value, or pass it on?
fn passes(f: &Function, last: Inst, v: Value) -> bool {
    let mut found = false;
    f.for_each_operand(f.inst(last), |used| found |= used == v);
    f.for_each_edge(f.inst(last), |e| found |= f.edge_args(e).contains(&v));
    found
}

/// Is a loop's variable used by blocks outside of the loop?
fn used_outside(f: &Function, cfg: &Cfg, l: u32, variable: Value, counts: &UseCounts) -> bool {
    let data = &cfg.loops[l as usize];
    let mut inside = 0;
    for index in data.first..=data.last {
        for i in f.block_insts(cfg.order[index as usize]).filter(|&i| !counts.is_dead(i)) {
            let d = f.inst(i);
            f.for_each_operand(d, |v| inside += u32::from(v == variable));
            f.for_each_edge(d, |e| inside += f.edge_args(e).iter().filter(|&&v| v == variable).count() as u32);
        }
    }
    inside < counts.of(variable)
}

/// Does an instruction access memory at a value, and read the value in no other way?
fn is_address_only(f: &Function, i: Inst, v: Value) -> bool {
    let d = f.inst(i);
    match d.op {
        Opcode::Load => Value(d.a) == v,
        Opcode::Store => Value(d.a) == v && Value(d.b) != v,
        _ => false,
    }
}

/// Moves instructions to before the ends of their blocks.
fn rewrite(f: &mut Function, moved: &[Inst]) {
    let mut waiting: Vec<(InstData, Value)> = Vec::new();
    f.rewrite(|f, i: Inst, d, first| {
        if moved.binary_search(&i).is_ok() {
            waiting.push((d, first));
            return;
        }
        if d.op.is_terminator() {
            for (d, first) in waiting.drain(..) {
                f.push_kept(d, first);
            }
        }
        f.push_kept(d, first);
    });
}
