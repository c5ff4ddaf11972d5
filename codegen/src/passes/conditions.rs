//! Two branches in place of one on two conditions (LLVM's `CodeGenPrepare`, `splitBranchCondition`): the second condition is computed
//! only where it decides.

use super::{UseCounts, place_before};
use crate::analysis::Cfg;
use crate::ir::{Block, Edge, Function, InstData, Opcode, Type, Value, ValueDef};

/// The comparisons that a branch depends on.
struct Both {
    first: Value,
    second: Value,
    /// The first condition decides if it is true (`or`), or if it is false (`and`).
    if_true: bool,
}

/// Splits branches on two comparisons that nothing else uses. The graph changes. `counts` are the uses in the blocks of `cfg`.
pub fn split_conditions(f: &mut Function, cfg: &Cfg, counts: &UseCounts) {
    let mut before: Vec<(Block, Block)> = Vec::new();
    for k in 0..f.layout.len() {
        // What blocks use that are not reached is not counted.
        if cfg.index[f.layout[k].index()] == u32::MAX {
            continue;
        }
        let Some(added) = split(f, f.layout[k], counts) else { continue };
        match f.layout.get(k + 1) {
            Some(&next) => before.push((next, added)),
            None => f.layout.push(added),
        }
    }
    if !before.is_empty() {
        place_before(f, before);
    }
}

/// Splits the branch at the end of a block; the second one is in the block that is returned.
fn split(f: &mut Function, b: Block, counts: &UseCounts) -> Option<Block> {
    let i = f.terminator(b);
    let d = *f.inst(i);
    if d.op != Opcode::Br {
        return None;
    }
    let Both { first, second, if_true } = both(f, Value(d.a), counts)?;
    let [then, other] = [Edge(d.b), Edge(d.c)];
    let (deciding, rest) = if if_true { (then, other) } else { (other, then) };
    let added = f.make_block();
    let to_added = f.make_edge(added);
    let again = f.make_edge(f.edge_to(deciding));
    if f.edge_weight(deciding) != 0 {
        f.set_edge_weight(to_added, f.edge_weight(rest));
        f.set_edge_weight(again, f.edge_weight(deciding));
    }
    for k in 0..f.edge_args(deciding).len() {
        let v = f.edge_args(deciding)[k];
        f.append_edge_arg(again, v);
    }
    let branch = |a: Value, deciding: Edge, rest: Edge| {
        let (b, c) = if if_true { (deciding, rest) } else { (rest, deciding) };
        InstData { a: a.0, b: b.0, c: c.0, ..d }
    };
    f.insts[i.index()] = branch(first, deciding, to_added);
    let last = f.push_inst(branch(second, again, rest), &[]);
    (f.blocks[added.index()].first, f.blocks[added.index()].end) = (last.0, last.0 + 1);
    Some(added)
}

/// The comparisons that a condition consists of.
fn both(f: &Function, condition: Value, counts: &UseCounts) -> Option<Both> {
    let of = |v: Value| match f.value_def(v) {
        ValueDef::Inst(i) if counts.of(v) == 1 => Some(f.inst(i)),
        _ => None,
    };
    let d = of(condition).filter(|d| d.ty == Type::I1)?;
    let (first, second, if_true) = match d.op {
        Opcode::And => (d.a, d.b, false),
        Opcode::Or => (d.a, d.b, true),
        Opcode::Select if f.int_constant(Value(d.b)) == Some(1) => (d.a, d.c, true),
        Opcode::Select if f.int_constant(Value(d.c)) == Some(0) => (d.a, d.b, false),
        _ => return None,
    };
    let is_comparison = |v: u32| of(Value(v)).is_some_and(|d| matches!(d.op, Opcode::Icmp | Opcode::Fcmp));
    // The comparison comes first: what it compares is needed no more then.
    let (first, second) = if is_comparison(first) { (first, second) } else { (second, first) };
    is_comparison(first).then_some(Both { first: Value(first), second: Value(second), if_true })
}
