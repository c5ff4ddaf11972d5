//! Marks the calls that exceptions may leave, and emits the start of a landing pad.

use crate::alloc::Emitter;
use crate::buffer::CallMark;
use crate::error::Result;
use crate::ir::{Inst, Value};
use crate::select::Select;

/// Records, after the call instruction at `start`, that an exception may leave it; `call` is its IR instruction.
pub(crate) fn mark<T: Select>(cx: &mut Emitter<'_, T>, start: u32, call: Inst) {
    let f = cx.f;
    let mut landing = None;
    if let Some(e) = f.unwind_edge(call) {
        let to = f.edge_to(e);
        landing = f.pad(to).map(|pad| (cx.block_label(to), pad));
        let index = cx.cfg.index[to.index()] as usize;
        let blocks = cx.cfg.order.len();
        let depth = cx.stack_depth();
        let landings = &mut cx.scratch.landings;
        landings.resize(blocks, 0);
        landings[index] = depth;
    }
    let bytes = cx.buf.offset() - start;
    cx.buf.calls.push(CallMark { offset: start, bytes, landing });
}

/// Emits `landing_pad` at the start of the block at `index` of the order.
///
/// The unwinder has restored the preserved registers, and the stack pointer is where the call had it: the callee has
/// not popped an argument block, and while such a block is passed, the room for other calls' arguments is missing.
pub fn landing_pad<T: Select>(cx: &mut Emitter<'_, T>, inst: Inst, index: usize) -> Result {
    let level = cx.stack_depth();
    if cx.live.replaced_callee && !cx.live.dynamic_stack {
        // Where the stack pointer is depends on which call's arguments were the last on the stack.
        for op in cx.frame.refind_stack() {
            cx.target.emit_frame_op(cx.buf, op);
        }
        cx.set_stack_depth(0);
        cx.move_stack(level);
    } else if let Some(&depth) = cx.scratch.landings.get(index)
        && depth != level
    {
        cx.set_stack_depth(depth);
        cx.move_stack(level);
    }
    let first = cx.f.result(inst);
    let registers = cx.target.facts().registers.landing;
    registers.iter().for_each(|&r| cx.pin(r));
    for (k, r) in registers.into_iter().enumerate() {
        cx.set(Value(first.0 + k as u32), 0, r)?;
    }
    Ok(())
}
