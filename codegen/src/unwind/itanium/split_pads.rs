//! Gives every call that may throw a landing pad of its own.
//!
//! An exception passes no arguments: the machine enters a pad with two registers, and no code of the function runs on
//! the way. So each call whose pad has parameters or is shared gets a small pad of its own, which jumps to the old one.
//! Arguments are then passed on ordinary edges, and later passes may add more.

use crate::ir::{Block, Edge, Function, InstData, Opcode, Type, Value};
use crate::passes::place_before;

/// Splits the pads of `f`. `ptr` is the type of a pointer.
pub fn split_pads(f: &mut Function, ptr: Type) {
    if f.exceptions.pad_count() == 0 || f.exceptions.has_funclets() {
        return;
    }
    // Grouped by the block that they lead to.
    let mut edges: Vec<(Block, Edge)> = Vec::new();
    for &b in &f.layout {
        let d = f.inst(f.terminator(b));
        if d.op == Opcode::Invoke {
            edges.push((f.edge_to(Edge(d.b)), Edge(d.b)));
        }
    }
    edges.sort_unstable();
    let mut before: Vec<(Block, Block)> = Vec::new();
    for group in edges.chunk_by(|a, b| a.0 == b.0) {
        let pad = group[0].0;
        if group.len() == 1 && f.params(pad).is_empty() {
            continue;
        }
        let landing = crate::ir::Inst(f.blocks[pad.index()].first);
        let data = *f.inst(landing);
        let results: Vec<Value> = f.results(landing).collect();
        f.insts[landing.index()] = InstData::NOP;
        for (v, ty) in results.into_iter().zip([ptr, Type::I32]) {
            let param = f.append_param(pad, ty);
            f.alias(v, param);
        }
        for &(_, edge) in group {
            let own = f.make_block();
            let first = f.insts.len() as u32;
            f.debug.locate_like(crate::ir::Inst(first), landing);
            let i = f.push_inst(data, &[ptr, Type::I32]);
            // The old pad's arguments now belong to the jump's edge.
            let jump = f.make_edge(pad);
            for k in 0..f.edge_args(edge).len() {
                let v = f.edge_args(edge)[k];
                f.append_edge_arg(jump, v);
            }
            for v in f.results(i) {
                f.append_edge_arg(jump, v);
            }
            f.push_inst(InstData { op: Opcode::Jump, a: jump.0, ..InstData::NOP }, &[]);
            (f.blocks[own.index()].first, f.blocks[own.index()].end) = (first, f.insts.len() as u32);
            f.redirect(edge, own);
            before.push((pad, own));
        }
    }
    if before.is_empty() {
        return;
    }
    place_before(f, before);
    f.resolve_operands();
}
