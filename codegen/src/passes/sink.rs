//! Sinks computations to the block that uses them (LLVM's `MachineSink`): they run less often there, their operands are in registers less
//! long, and a comparison with zero finds the flags that they set.

use super::indices_of_blocks;
use crate::analysis::{Cfg, NO_LOOP};
use crate::ir::{ConstData, Function, Inst, InstData, Opcode, Value, ValueDef};

/// Where a value is used: nowhere, in one block, by its index of the order, or in several.
const NOWHERE: u32 = u32::MAX;
const SEVERAL: u32 = u32::MAX - 1;
/// In place of a block: the value is not computed at all.
const UNUSED: u32 = u32::MAX - 2;

/// The tables of the pass.
#[derive(Default)]
pub struct Sink {
    /// For each value, where it is used.
    uses: Vec<u32>,
    /// For each value, how many uses it has.
    counts: Vec<u32>,
    /// For each value that is computed elsewhere than it was, the index of the block.
    moved: Vec<u32>,
}

impl Sink {
    /// Moves computations whose results only another block uses to before the first use there, if that block does not run more often.
    /// Returns whether there were any. Blocks and edges stay.
    pub fn run(&mut self, f: &mut Function, cfg: &Cfg) -> bool {
        self.uses.clear();
        self.uses.resize(f.value_count(), NOWHERE);
        self.counts.clear();
        self.counts.resize(f.value_count(), 0);
        self.moved.clear();
        self.moved.resize(f.value_count(), NOWHERE);
        let mut any = false;
        // Calls may change the floating-point environment.
        let floats_move = f.calls.is_empty() && f.insts.iter().all(|d| d.op != Opcode::MachineEffect);
        // A definition comes before its uses in the order.
        for index in (0..cfg.order.len()).rev() {
            let b = cfg.order[index];
            for i in f.block_insts(b).rev() {
                let d = f.inst(i);
                if d.op.is_terminator() {
                    f.for_each_edge(d, |e| f.edge_args(e).iter().for_each(|&v| self.note(v, index as u32)));
                }
                let mut at = index as u32;
                if may_move(d) && (floats_move || !is_of_floats(f, d)) {
                    let v = f.result(i);
                    let to = self.uses[v.index()];
                    if to < SEVERAL && to != at && self.holds_little(f, d) && allows(f, cfg, index, to as usize) {
                        (self.moved[v.index()], at, any) = (to, to, true);
                    }
                }
                if d.op.has_side_effect() || f.results(i).any(|v| self.uses[v.index()] != NOWHERE) {
                    f.for_each_operand(d, |v| self.note(v, at));
                } else {
                    f.results(i).for_each(|v| self.moved[v.index()] = UNUSED);
                }
            }
        }
        if any {
            self.rewrite(f, cfg);
        }
        any
    }

    fn note(&mut self, v: Value, at: u32) {
        let known = &mut self.uses[v.index()];
        *known = if *known == NOWHERE || *known == at { at } else { SEVERAL };
        self.counts[v.index()] += 1;
    }

    /// Does at most one operand live longer if the instruction moves? The result then lives as much shorter.
    fn holds_little(&self, f: &Function, d: &InstData) -> bool {
        let mut longer = 0;
        f.for_each_operand(d, |v| {
            let computed = matches!(f.value_def(v), ValueDef::Inst(_) | ValueDef::Param(_));
            longer += u32::from(computed && self.counts[v.index()] == 0);
        });
        longer <= 1
    }

    fn rewrite(&self, f: &mut Function, cfg: &Cfg) {
        let index_of = indices_of_blocks(f, cfg);
        let mut waiting: Vec<Option<(InstData, Value)>> = vec![None; f.value_count()];
        for (v, _) in self.moved.iter().enumerate().filter(|&(_, &to)| to < UNUSED) {
            if let ValueDef::Inst(i) = f.value_def(Value::new(v)) {
                waiting[v] = Some((*f.inst(i), Value::new(v)));
            }
        }
        let (mut operands, mut stack) = (Vec::new(), Vec::new());
        f.rewrite(|f, i: Inst, d, first| {
            let index = index_of[i.index()];
            let to = self.moved.get(first.index()).copied().filter(|_| index != NOWHERE && has_result(&d));
            if let Some(UNUSED) = to {
                for v in (0..d.op.result_count().unwrap_or(0)).map(|k| Value(first.0 + k)) {
                    let nothing = f.make_const(f.value_type(v), ConstData::Poison);
                    f.alias(v, nothing);
                }
                return;
            }
            if to.is_some_and(|to| to < UNUSED) {
                return;
            }
            operands.clear();
            f.for_each_operand(&d, |v| operands.push(v));
            if d.op.is_terminator() {
                f.for_each_edge(&d, |e| operands.extend_from_slice(f.edge_args(e)));
            }
            for &v in operands.iter().filter(|v| index != NOWHERE && self.moved[v.index()] == index) {
                place(f, v, &mut waiting, &mut stack);
            }
            f.push_kept(d, first);
        });
    }
}

/// Does an instruction give something and do nothing else?
fn has_result(d: &InstData) -> bool {
    !d.op.has_side_effect() && d.op.result_count().is_some_and(|n| n > 0)
}

/// Appends the instruction that computes a value, if it waits for its first use, after those of its operands.
fn place(f: &mut Function, v: Value, waiting: &mut [Option<(InstData, Value)>], stack: &mut Vec<Value>) {
    stack.push(v);
    while let Some(&v) = stack.last() {
        let Some((d, first)) = waiting[v.index()] else {
            stack.pop();
            continue;
        };
        let operands = [d.a, d.b, d.c].into_iter().take(d.op.arity()).map(Value);
        let before = stack.len();
        stack.extend(operands.filter(|v| waiting[v.index()].is_some()));
        if stack.len() == before {
            f.push_kept(d, first);
            waiting[v.index()] = None;
            stack.pop();
        }
    }
}

/// Is an instruction one that gives the same wherever it stands?
fn may_move(d: &InstData) -> bool {
    let fixed = matches!(d.op, Opcode::Load | Opcode::Nop | Opcode::Machine | Opcode::Isplit | Opcode::Iconcat);
    !fixed && !d.op.has_side_effect() && !d.op.concerns_stack() && d.op.result_count() == Some(1)
}

/// Does an instruction compute with floating-point numbers?
fn is_of_floats(f: &Function, d: &InstData) -> bool {
    d.ty.lane().is_float() || d.op.arity() > 0 && f.value_type(Value(d.a)).lane().is_float()
}

/// May what the block at an index computes be computed in another one, which runs no more often?
fn allows(f: &Function, cfg: &Cfg, from: usize, to: usize) -> bool {
    let mut l = cfg.loop_of[from];
    while l != cfg.loop_of[to] {
        if l == NO_LOOP {
            return false;
        }
        l = cfg.loops[l as usize].parent;
    }
    to > from && !f.is_pad(cfg.order[to]) && cfg.weight(to) <= cfg.weight(from)
}
