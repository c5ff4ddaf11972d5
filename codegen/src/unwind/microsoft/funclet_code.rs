//! Funclets: how the personality routine enters them, and how they give control back to it.

use crate::alloc::Emitter;
use crate::buffer::Label;
use crate::error::{CompileError, Result};
use crate::frame::ops::emit_epilogue;
use crate::ir::{Edge, Inst, Opcode, PadKind, Personality};
use crate::machine::{FrameOp, JumpTarget, RecordOp};
use crate::select::Select;
use crate::unwind::microsoft::funclet_frame::{FuncletFrame, FuncletKind, emit_funclet_prologue};

/// Begins the funclet whose first block is at `index` of the order: emits its prologue.
pub fn begin<T: Select>(cx: &mut Emitter<'_, T>, index: usize) -> Result {
    let frame = cx.frame.of_funclet().ok_or_else(|| CompileError::frame_too_large(cx.f))?;
    cx.set_stack_depth(0);
    let Some(number) = cx.cfg.funclet_number_at(index) else { return Ok(()) };
    let all = &cx.f.exceptions;
    let is_handler = matches!(all.kind(cx.cfg.funclets[number].0), PadKind::Catch { .. });
    let kind = FuncletKind { number, is_handler, cxx: all.routine == Personality::Cxx };
    emit_funclet_prologue(cx.target, cx.buf, cx.frame, &frame, kind);
    cx.function.funclet = Some(FuncletFrame { number, frame });
    Ok(())
}

/// Emits `catch_pad` or `cleanup_pad` at the start of the block at `index` of the order. In handlers of `__except`, the
/// exception's code is in the register of a landing pad's first value.
pub fn pad<T: Select>(cx: &mut Emitter<'_, T>, inst: Inst, index: usize) -> Result {
    let f = cx.f;
    if f.inst(inst).op != Opcode::CatchPad {
        return Ok(());
    }
    let code = f.result(inst);
    match cx.frame.saved_stack_pointer() {
        Some(_) if cx.live.count(code) > 0 => {
            let message = "the code of an exception is known to filters only on this target";
            return Err(CompileError::at(f, inst, message));
        }
        Some(at) if f.exceptions.routine != Personality::Cxx => {
            // The stack pointer is that of the personality routine.
            cx.target.emit_frame_op(cx.buf, FrameOp::Record(RecordOp::FindStack(at)));
            cx.set_stack_depth(0);
            cx.move_stack(cx.stack_depth_at(index));
        }
        Some(_) => {}
        None => {
            let r = cx.target.facts().registers.landing[0];
            cx.pin(r);
            cx.set(code, 0, r)?;
        }
    }
    Ok(())
}

/// Emits the end of a handler or a cleanup. A handler continues at `edge`, whose moves have been emitted.
pub fn emit_funclet_end<T: Select>(cx: &mut Emitter<'_, T>, inst: Inst, edge: Option<Edge>) -> Result {
    let f = cx.f;
    let Some(funclet) = cx.function.funclet.take() else {
        return Err(CompileError::at(f, inst, "it ends a funclet and stands in none"));
    };
    let mut stub = None;
    if let Some(edge) = edge {
        let (mut label, depth) = (cx.block_label(f.edge_to(edge)), cx.stack_depth_after(edge));
        if cx.frame.has_records() && depth != 0 {
            let own = cx.buf.new_label();
            stub = Some((own, label, depth));
            label = own;
        }
        let first = cx.target.facts().registers.landing[0];
        cx.target.emit_label_address(cx.buf, first, label);
        cx.buf.continuations.push(label);
    }
    if let Some(at) = cx.frame.funclet_stack(funclet.number) {
        cx.target.emit_frame_op(cx.buf, FrameOp::Record(RecordOp::FindStack(at)));
        cx.set_stack_depth(0);
    }
    emit_epilogue(cx.target, cx.buf, &funclet.frame, 0, |buf| {
        cx.target.emit_frame_op(buf, FrameOp::Return { pop: 0 });
    });
    cx.function.funclet = Some(funclet);
    if let Some((own, to, depth)) = stub {
        lower(cx, own, to, depth);
    }
    Ok(())
}

/// The code that control reaches after a handler, if the stack pointer must be at another depth than the personality
/// routine leaves it at.
fn lower<T: Select>(cx: &mut Emitter<'_, T>, own: Label, to: Label, depth: i32) {
    cx.buf.bind(own);
    cx.set_stack_depth(0);
    cx.move_stack(depth);
    cx.target.emit_jump(cx.buf, JumpTarget::Label(to));
}
