//! Copies and fills of memory as loops, where there is no function for them or where the current function is that
//! function.

use crate::ir::{Block, Function, Inst, InstData, IntCc, MemFlags, Opcode, Type, Value};
use crate::libcall::LibCall;
use crate::machine::Machine;

/// The function that copies or fills memory.
pub(super) fn function(op: Opcode) -> Option<LibCall> {
    match op {
        Opcode::Memcpy => Some(LibCall::Memcpy),
        Opcode::Memmove => Some(LibCall::Memmove),
        Opcode::Memset => Some(LibCall::Memset),
        _ => None,
    }
}

/// Makes loops of the instructions that have no function to call.
pub(super) fn make_loops<T: Machine>(target: &T, f: &mut Function, is_called: impl Fn(LibCall) -> bool) {
    let old = std::mem::take(&mut f.layout);
    let mut layout = Vec::with_capacity(old.len() + 3);
    for mut block in old {
        layout.push(block);
        loop {
            let wanted = |&i: &Inst| {
                let d = f.inst(i);
                function(d.op).is_some_and(|lib| !is_called(lib)) && target.calls_library(f, d)
            };
            let Some(i) = f.block_insts(block).find(wanted) else { break };
            let [head, body, rest] = make_loop(f, target.facts().pointer, block, i);
            layout.extend([head, body, rest]);
            block = rest;
        }
    }
    f.layout = layout;
}

/// Splits the block at the instruction. New blocks test for the end, copy or fill a byte, and continue.
fn make_loop(f: &mut Function, pointer: Type, block: Block, i: Inst) -> [Block; 3] {
    let d = *f.inst(i);
    let none = Value(0);
    let [to, from, bytes] = [d.a, d.b, d.c].map(Value);
    let [head, body, rest] = [f.make_block(), f.make_block(), f.make_block()];
    let done = f.append_param(head, pointer);
    let end = f.blocks[block.index()].end;
    let plain = InstData { op: Opcode::Jump, flags: 0, ty: Type::VOID, a: 0, b: 0, c: 0 };
    let zero = f.make_int(pointer, 0);
    let one = f.make_int(pointer, 1);
    let go = |f: &mut Function, done: Value| {
        let edge = f.make_edge(head);
        f.append_edge_arg(edge, done);
        InstData { a: edge.0, ..plain }
    };
    f.insts[i.index()] = go(f, zero);
    f.blocks[block.index()].end = i.0 + 1;
    (f.blocks[rest.index()].first, f.blocks[rest.index()].end) = (i.0 + 1, end);
    let start = f.insts.len() as u32;
    let more = f.push_op(Opcode::Icmp, IntCc::Ne as u8, pointer, [done, bytes, none], Type::I1);
    let (again, out) = (f.make_edge(body), f.make_edge(rest));
    f.push_inst(InstData { op: Opcode::Br, a: more.0, b: again.0, c: out.0, ..plain }, &[]);
    let middle = f.insts.len() as u32;
    (f.blocks[head.index()].first, f.blocks[head.index()].end) = (start, middle);
    let two = |f: &mut Function, op, a, b| f.push_op(op, 0, pointer, [a, b, none], pointer);
    let mut at = done;
    if d.op == Opcode::Memmove {
        // Copies from the end on, where the source would be overwritten otherwise.
        let apart = two(f, Opcode::Isub, to, from);
        let overlaps = f.push_op(Opcode::Icmp, IntCc::Ult as u8, pointer, [apart, bytes, none], Type::I1);
        let left = two(f, Opcode::Isub, bytes, done);
        let last = two(f, Opcode::Isub, left, one);
        at = f.push_op(Opcode::Select, 0, pointer, [overlaps, last, done], pointer);
    }
    let flags = MemFlags::new(1, MemFlags(d.flags).is_volatile()).0;
    let byte = if d.op == Opcode::Memset {
        from
    } else {
        let from = two(f, Opcode::Iadd, from, at);
        f.push_load(flags, Type::I8, from, 0)
    };
    let to = two(f, Opcode::Iadd, to, at);
    f.push_store(flags, byte, to, 0);
    let next = two(f, Opcode::Iadd, done, one);
    let jump = go(f, next);
    f.push_inst(jump, &[]);
    (f.blocks[body.index()].first, f.blocks[body.index()].end) = (middle, f.insts.len() as u32);
    [head, body, rest]
}
