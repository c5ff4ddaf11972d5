//! Copies and fills of memory as loops, where there is no function for them or where the current function is that
//! function.

use crate::ir::{Block, Function, Inst, InstData, IntCc, MemFlags, Opcode, Type, Value};
use crate::libcall::LibCall;

/// The function that copies or fills memory.
pub(super) fn function(op: Opcode) -> Option<LibCall> {
    match op {
        Opcode::Memcpy => Some(LibCall::Memcpy),
        Opcode::Memmove => Some(LibCall::Memmove),
        Opcode::Memset => Some(LibCall::Memset),
        _ => None,
    }
}

/// Makes loops of the instructions that `wanted` picks. Splits the block at each; `make` fills two new blocks before the
/// rest, which is the third, and returns the number of the second's first instruction.
pub(super) fn make_loops(
    f: &mut Function,
    wanted: impl Fn(&Function, &InstData) -> bool,
    make: impl Fn(&mut Function, Inst, [Block; 3]) -> u32,
) {
    let old = std::mem::take(&mut f.layout);
    let mut layout = Vec::with_capacity(old.len() + 3);
    for mut block in old {
        layout.push(block);
        while let Some(i) = f.block_insts(block).find(|&i| wanted(f, f.inst(i))) {
            let new = [f.make_block(), f.make_block(), f.make_block()];
            let end = std::mem::replace(&mut f.blocks[block.index()].end, i.0 + 1);
            let start = f.insts.len() as u32;
            f.debug.locate_like(Inst(start), i);
            let middle = make(f, i, new);
            let ranges = [(start, middle), (middle, f.insts.len() as u32), (i.0 + 1, end)];
            for (b, range) in new.into_iter().zip(ranges) {
                (f.blocks[b.index()].first, f.blocks[b.index()].end) = range;
            }
            layout.extend(new);
            block = new[2];
        }
    }
    f.layout = layout;
}

/// Makes a loop that copies or fills: new blocks test for the end, and copy or fill a byte.
pub(super) fn make_loop(f: &mut Function, pointer: Type, i: Inst, [head, body, rest]: [Block; 3]) -> u32 {
    let d = *f.inst(i);
    let none = Value(0);
    let [to, from, bytes] = [d.a, d.b, d.c].map(Value);
    let done = f.append_param(head, pointer);
    let plain = InstData { op: Opcode::Jump, flags: 0, ty: Type::VOID, a: 0, b: 0, c: 0 };
    let zero = f.make_int(pointer, 0);
    let one = f.make_int(pointer, 1);
    let go = |f: &mut Function, done: Value| {
        let edge = f.make_edge(head);
        f.append_edge_arg(edge, done);
        InstData { a: edge.0, ..plain }
    };
    f.insts[i.index()] = go(f, zero);
    let more = f.push_op(Opcode::Icmp, IntCc::Ne as u8, pointer, [done, bytes, none], Type::I1);
    let (again, out) = (f.make_edge(body), f.make_edge(rest));
    f.push_inst(InstData { op: Opcode::Br, a: more.0, b: again.0, c: out.0, ..plain }, &[]);
    let middle = f.insts.len() as u32;
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
    middle
}
