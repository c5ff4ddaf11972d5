//! Parameters of a block that every edge gives the same distance from each other become one, and the others sums of that and a constant (LLVM's
//! `replaceCongruentIVs`): an interpreter's program counter and the next one, say. Edges then have one value to move.

use super::{UseCounts, remove_params};
use crate::analysis::Cfg;
use crate::ir::{Block, Edge, Function, Inst, InstData, Opcode, Value, ValueDef};

/// Blocks with more parameters are left as they are.
const MOST_PARAMS: usize = 16;

/// A parameter that becomes the sum of another one and a constant.
#[derive(Clone, Copy)]
struct Sum {
    block: Block,
    /// Its number in the block.
    number: usize,
    of: Value,
    constant: i64,
}

/// Rounds: parameters of one block that became sums are passed to the next.
const ROUNDS: usize = 4;

/// Replaces parameters by sums of others. Returns whether there were any. Blocks and edges stay.
pub fn unite_parameters(f: &mut Function, cfg: &Cfg, counts: &UseCounts) -> bool {
    // Values that collectors move have no distance.
    if f.attrs.calls_returns_twice || !f.stack_maps.is_empty() {
        return false;
    }
    (0..ROUNDS).take_while(|_| unite(f, cfg, counts)).count() > 0
}

/// Does so in one round.
fn unite(f: &mut Function, cfg: &Cfg, counts: &UseCounts) -> bool {
    let edges = edges_by_block(f, cfg);
    let mut sums: Vec<Sum> = Vec::new();
    for group in edges.chunk_by(|a, b| a.0 == b.0) {
        let b = group[0].0;
        if (2..=MOST_PARAMS).contains(&f.params(b).len()) && !f.is_pad(b) {
            find(f, b, group, counts, &mut sums);
        }
    }
    if sums.is_empty() {
        return false;
    }
    rewrite(f, &sums);
    remove_params(f, cfg);
    f.resolve_operands();
    true
}

/// The edges that lead to each block, by blocks.
fn edges_by_block(f: &Function, cfg: &Cfg) -> Vec<(Block, Edge)> {
    let mut edges: Vec<(Block, Edge)> = Vec::new();
    for &b in &cfg.order {
        f.for_each_edge(f.inst(f.terminator(b)), |e| {
            if f.edge_args(e).len() > 1 {
                edges.push((f.edge_to(e), e));
            }
        });
    }
    edges.sort_unstable();
    edges
}

/// Finds the parameters of a block that are sums of earlier or later ones.
fn find(f: &Function, b: Block, edges: &[(Block, Edge)], counts: &UseCounts, sums: &mut Vec<Sum>) {
    let params = f.params(b);
    let (mut gone, mut stays) = (0u32, 0u32);
    for (k, &p) in params.iter().enumerate() {
        let ty = f.value_type(p);
        if !ty.is_int() || ty.is_vector() || ty.bits() > 64 {
            continue;
        }
        for (j, &q) in params.iter().enumerate().skip(k + 1) {
            if gone >> k & 1 != 0 || gone >> j & 1 != 0 || f.value_type(q) != ty {
                continue;
            }
            let Some(constant) = distance(f, edges, k, j) else { continue };
            // Sums of sums go by the one that stays, so that the other one need not live long.
            let (number, of, constant) =
                if counts.of(p) >= counts.of(q) { (j, k, constant) } else { (k, j, constant.wrapping_neg()) };
            if stays >> number & 1 == 0 {
                gone |= 1 << number;
                stays |= 1 << of;
                sums.push(Sum { block: b, number, of: params[of], constant });
            }
        }
    }
}

/// What edges pass as parameter `j` less what they pass as `k`, if that is always the same constant, and not for constants alone.
fn distance(f: &Function, edges: &[(Block, Edge)], k: usize, j: usize) -> Option<i64> {
    let mut found: Option<i64> = None;
    for &(_, e) in edges {
        let args = f.edge_args(e);
        let ((base, from), (other, to)) = (parts(f, args[k]), parts(f, args[j]));
        let here = to.wrapping_sub(from);
        if base != other || found.is_some_and(|n| n != here) {
            return None;
        }
        found = Some(here);
    }
    found.filter(|_| edges.len() > 1)
}

/// A value as another one, or none, plus a constant.
fn parts(f: &Function, v: Value) -> (Option<Value>, i64) {
    if let Some(n) = f.int_constant_signed(v) {
        return (None, n);
    }
    if let ValueDef::Inst(i) = f.value_def(v) {
        let d = f.inst(i);
        if d.op == Opcode::Iadd
            && let Some(n) = f.int_constant_signed(Value(d.b))
        {
            return (Some(Value(d.a)), n);
        }
    }
    (Some(v), 0)
}

/// Computes the sums before their first uses in the blocks of the parameters, or at the end of these.
fn rewrite(f: &mut Function, sums: &[Sum]) {
    let mut before: Vec<(Inst, Sum)> = sums.iter().map(|&s| (place(f, &s), s)).collect();
    before.sort_unstable_by_key(|&(i, _)| i);
    let mut done = 0;
    f.rewrite(|f, i: Inst, d, first| {
        while let Some(&(_, s)) = before.get(done).filter(|&&(at, _)| at == i) {
            let p = f.params(s.block)[s.number];
            let ty = f.value_type(p);
            let constant = f.make_int(ty, s.constant as i128);
            let sum = f.push_one(InstData { op: Opcode::Iadd, flags: 0, ty, a: s.of.0, b: constant.0, c: 0 });
            f.alias(p, sum);
            done += 1;
        }
        f.push_kept(d, first);
    });
}

/// The instruction before which a sum is computed.
fn place(f: &Function, s: &Sum) -> Inst {
    let p = f.params(s.block)[s.number];
    let last = f.terminator(s.block);
    let mut insts = f.block_insts(s.block);
    let used = insts.find(|&i| {
        let d = f.inst(i);
        let mut reads = false;
        f.for_each_operand(d, |v| reads |= v == p);
        reads || f.invoked(s.block) == Some(i)
    });
    used.unwrap_or(last)
}
