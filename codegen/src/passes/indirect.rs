//! Gives the targets of indirect branches blocks of their own.
//!
//! All edges of an indirect branch leave by one jump, so code for one target runs for all of them. A target that is
//! also reached in other ways therefore gets a block before it, which has its address and jumps to it with the
//! arguments; later passes may add more arguments. A target of several indirect branches stays as it is, since such a
//! block could not tell apart what each of them passes: arguments are passed through mailboxes.

use super::place_before;
use crate::ir::{Block, Edge, Function, Inst, InstData, Opcode, Type};

const NONE: u32 = u32::MAX;
const SEVERAL: u32 = u32::MAX - 1;

/// Gives the targets of indirect branches blocks of their own where that is useful.
pub fn split_indirect(f: &mut Function) {
    let is_indirect = |b: Block| f.inst(f.terminator(b)).op == Opcode::IndirectBr;
    if !f.layout.iter().any(|&b| is_indirect(b)) {
        return;
    }
    // For each block: the only block that reaches it by an indirect branch, the edges from there, and the number of
    // other edges.
    let mut from = vec![NONE; f.blocks.len()];
    let mut joins = vec![0u32; f.blocks.len()];
    let mut edges: Vec<Edge> = Vec::new();
    for &b in &f.layout {
        let indirect = is_indirect(b);
        f.for_each_edge(f.inst(f.terminator(b)), |e| {
            let to = f.edge_to(e).index();
            if !indirect {
                joins[to] += 1;
            } else if from[to] != b.0 {
                from[to] = if from[to] == NONE { b.0 } else { SEVERAL };
            }
            if indirect {
                edges.push(e);
            }
        });
    }
    edges.retain(|&e| {
        let to = f.edge_to(e);
        from[to.index()] != SEVERAL && (joins[to.index()] > 0 || !f.params(to).is_empty())
    });
    edges.sort_by_key(|&e| f.edge_to(e));
    let mut before: Vec<(Block, Block)> = Vec::new();
    for e in edges {
        let target = f.edge_to(e);
        if let Some(&(_, own)) = before.last().filter(|p| p.0 == target) {
            // Another edge of the same branch; it passes the same arguments.
            f.redirect(e, own);
            continue;
        }
        let own = f.make_block();
        let jump = f.make_edge(target);
        for k in 0..f.edge_args(e).len() {
            let v = f.edge_args(e)[k];
            f.append_edge_arg(jump, v);
        }
        let d = InstData { op: Opcode::Jump, flags: 0, ty: Type::VOID, a: jump.0, b: 0, c: 0 };
        f.debug.set_location(Inst::new(f.insts.len()), None);
        let first = f.push_inst(d, &[]).0;
        (f.blocks[own.index()].first, f.blocks[own.index()].end) = (first, first + 1);
        f.redirect(e, own);
        f.block_symbols.iter_mut().filter(|s| s.0 == target).for_each(|s| s.0 = own);
        before.push((target, own));
    }
    place_before(f, before);
}
