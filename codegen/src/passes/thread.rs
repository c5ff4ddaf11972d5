//! Jump threading: an edge to a block that only jumps is redirected to where that block jumps.

use crate::ir::{Block, Edge, Function, Opcode};

/// Longest chain of blocks that is followed.
const CHAIN: usize = 8;

/// Redirects edges past blocks that contain only a jump without arguments.
pub fn thread_jumps(f: &mut Function) {
    // A debugger stops at the jumps of the source program.
    if f.debug.keeps_variables {
        return;
    }
    // A block whose address is taken keeps its edges: the address must lead to code.
    let mut taken = Vec::new();
    if !f.block_symbols.is_empty() {
        taken.resize(f.blocks.len(), false);
        f.block_symbols.iter().for_each(|b| taken[b.0.index()] = true);
    }
    for k in 0..f.edges.len() {
        let mut to = f.edges[k].to;
        for _ in 0..CHAIN {
            match onward(f, to) {
                Some(next) if !taken.get(to.index()).is_some_and(|&t| t) => to = next,
                _ => break,
            }
        }
        f.edges[k].to = to;
    }
}

fn onward(f: &Function, b: Block) -> Option<Block> {
    let data = &f.blocks[b.index()];
    if data.end.wrapping_sub(data.first) != 1 || !f.params(b).is_empty() {
        return None;
    }
    let d = &f.insts[data.first as usize];
    let e = Edge(d.a);
    (d.op == Opcode::Jump && f.edge_args(e).is_empty()).then(|| f.edge_to(e))
}
