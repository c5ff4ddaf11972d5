//! Rules about exceptions (LLVM LangRef, `invoke`, `landingpad`, `resume`), for the verifier and for readers.

use super::dominators::Dominators;
use super::function::{Block, Edge, Function, Inst, TailKind, ValueDef};
use super::inst::{InstData, Opcode};

/// Checks that exceptions go from calls to landing pads and nothing else does. The function is well formed otherwise.
///
/// # Errors
/// The block and the instruction at fault, and why.
pub fn check_unwinding(f: &Function) -> Result<(), (Block, Inst, String)> {
    let entry = f.layout.first().copied();
    for &b in &f.layout {
        let last = f.terminator(b);
        let fail = |i: Inst, why: &str| Err((b, i, why.to_string()));
        for i in f.block_insts(b) {
            let op = f.inst(i).op;
            if !matches!(op, Opcode::LandingPad | Opcode::Invoke | Opcode::Resume) {
                continue;
            }
            if f.exceptions.personality.is_none() {
                return fail(i, "the function has no personality routine");
            }
            if op == Opcode::LandingPad && i.0 != f.blocks[b.index()].first {
                return fail(i, "it is not the first of its block");
            }
            if op == Opcode::LandingPad && entry == Some(b) {
                return fail(i, "the entry block is no landing pad");
            }
        }
        let d = f.inst(last);
        if d.op == Opcode::Invoke {
            invoke(f, b, d).map_err(|why| (b, last, why))?;
        }
        let mut wrong = None;
        f.for_each_edge(d, |e| {
            let unwinds = d.op == Opcode::Invoke && e == Edge(d.b);
            let to = f.edge_to(e);
            if !unwinds && f.blocks[to.index()].first != u32::MAX && f.is_pad(to) {
                wrong = Some(to);
            }
        });
        if let Some(to) = wrong {
            return Err((b, last, format!("it branches to {to}, where only exceptions come")));
        }
    }
    for &(b, _) in &f.block_symbols {
        let first = f.blocks[b.index()].first;
        if first != u32::MAX && f.is_pad(b) {
            return Err((b, Inst(first), "the address of a landing pad is taken".into()));
        }
    }
    Ok(())
}

fn invoke(f: &Function, b: Block, d: &InstData) -> Result<(), String> {
    let Some(call) = f.invoked(b) else { return Err("no call stands before it".into()) };
    let last = f.terminator(b);
    let behind = (call.0 + 1..last.0).map(|k| f.insts[k as usize].op);
    if let Some(op) = behind.into_iter().find(|op| op.has_side_effect()) {
        return Err(format!("`{}` stands between it and its call", op.name()));
    }
    if f.calls[f.inst(call).a as usize].tail == TailKind::Must {
        return Err("its call is a musttail call".into());
    }
    let to = f.edge_to(Edge(d.b));
    if f.blocks[to.index()].first == u32::MAX || !f.is_pad(to) {
        return Err(format!("the unwind edge leads to {to}, which does not begin with `landing_pad`"));
    }
    for &v in f.edge_args(Edge(d.b)) {
        if matches!(f.value_def(f.resolve(v)), ValueDef::Inst(def) if def >= call && def < last) {
            return Err("the unwind edge has an argument that its call gives or that comes behind it".into());
        }
    }
    Ok(())
}

/// Where values are known that blocks compute from their invoked calls on: behind the edges of their returns alone.
pub(super) struct Returned {
    /// Edges of reachable blocks: where each leads, and from where.
    edges: Vec<(Block, Block)>,
}

impl Returned {
    /// For a function with landing pads; others need none.
    pub(super) fn new(f: &Function, tree: &Dominators) -> Option<Returned> {
        f.exceptions.personality?;
        let mut edges = Vec::new();
        for &b in f.layout.iter().filter(|&&b| tree.is_reachable(b)) {
            f.for_each_edge(f.inst(f.terminator(b)), |e| edges.push((f.edge_to(e), b)));
        }
        edges.sort_unstable();
        Some(Returned { edges })
    }

    /// Is a value that block `from`, which dominates `to`, defines by `def`, known in block `to`?
    pub(super) fn reaches(&self, f: &Function, tree: &Dominators, def: Inst, from: Block, to: Block) -> bool {
        if f.invoked(from).is_none_or(|call| def < call) {
            return true;
        }
        let normal = f.edge_to(Edge(f.inst(f.terminator(from)).a));
        let first = self.edges.partition_point(|&(b, _)| b < normal);
        let mut others = self.edges[first..].iter().take_while(|&&(b, _)| b == normal).filter(|&&(_, p)| p != from);
        tree.dominates(normal, to) && others.all(|&(_, p)| tree.dominates(normal, p))
    }
}
