//! Argument blocks at calls, and what else moves the stack pointer.
//!
//! While a block is open it lies right after the outgoing arguments of other calls. Its own call drops these: the stack
//! pointer is then the block's address.

use crate::alloc::Emitter;
use crate::error::Result;
use crate::ir::{Inst, Opcode};
use crate::machine::FrameOp;
use crate::plan::CallPlan;
use crate::select::Select;

/// How many instructions are searched for one that sets the stack pointer anyway.
const AHEAD: usize = 16;

/// Emits `stack_level`.
pub fn stack_level<T: Select>(cx: &mut Emitter<'_, T>, inst: Inst) -> Result {
    let depth = cx.f.inst(inst).a as i32;
    let bytes = depth - cx.stack_depth();
    if bytes > 0 {
        let (bytes, step) = (bytes as u32, cx.frame.probe.step);
        if bytes < step {
            cx.target.emit_frame_op(cx.buf, FrameOp::MoveStack(bytes as i32));
        } else {
            let by = cx.temp(false, None)?;
            cx.target.emit_frame_op(cx.buf, FrameOp::Touch { bytes, step, by });
            cx.unpin(by);
        }
        cx.set_stack_depth(depth);
    } else {
        cx.move_stack(depth);
    }
    Ok(())
}

/// Before a call's arguments are put into their places: moves the stack pointer to the argument block. Returns the
/// depth to come back to.
pub(super) fn lower_stack_to_block<T: Select>(cx: &mut Emitter<'_, T>, plan: &CallPlan) -> Option<i32> {
    let level = cx.stack_depth();
    plan.block.then(|| {
        cx.move_stack(level - cx.frame.outgoing as i32);
        level
    })
}

/// After the call: moves the stack pointer back to `level`, unless the following code moves it before anybody uses it.
pub(super) fn restore_stack<T: Select>(cx: &mut Emitter<'_, T>, inst: Inst, plan: &CallPlan, level: i32) {
    cx.set_stack_depth(cx.stack_depth() - plan.popped as i32);
    if !moves_soon(cx, inst) {
        cx.move_stack(level);
    }
}

/// Takes back the room for arguments that a callee has popped, so that the stack pointer is where the frame has it.
pub(super) fn take_back_popped<T: Select>(cx: &mut Emitter<'_, T>, bytes: u32) {
    cx.buf.stack_moved(-(bytes as i32));
    cx.target.emit_frame_op(cx.buf, FrameOp::MoveStack(bytes as i32));
    cx.buf.stack_moved(bytes as i32);
}

/// Does an instruction after the call set the stack pointer before it is used?
fn moves_soon<T: Select>(cx: &Emitter<'_, T>, call: Inst) -> bool {
    let f = cx.f;
    for d in f.insts[call.index() + 1..].iter().take(AHEAD) {
        match d.op {
            Opcode::StackLevel | Opcode::Return | Opcode::Unreachable => return true,
            op if op.is_terminator() || op.concerns_stack() => return false,
            _ => {}
        }
    }
    false
}
