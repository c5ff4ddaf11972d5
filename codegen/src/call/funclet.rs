//! Funclets: how the personality routine enters them, and how they give control back to it.

use crate::alloc::{Event, Stream};
use crate::edges::Edges;
use crate::error::CompileError;
use crate::frame::funclet::emit_funclet_prologue;
use crate::frame::ops::emit_epilogue;
use crate::ir::{Edge, Inst, Opcode, Personality};
use crate::machine::FrameOp;
use crate::select::Select;

/// Begins a funclet: its prologue.
pub fn begin<T: Select>(cx: &mut Stream<'_, T>) -> Result<(), CompileError> {
    let frame = cx.frame.of_funclet().ok_or_else(|| CompileError::frame_too_large(cx.f))?;
    cx.set_height(0);
    let cxx = cx.f.exceptions.routine == Personality::Cxx;
    emit_funclet_prologue(cx.target, cx.buf, cx.frame, &frame, cxx);
    cx.funclet = Some(frame);
    Ok(())
}

/// Emits `catch_pad` or `cleanup_pad`. In handlers of `__except` the exception's code is where landing pads find their first value.
pub fn pad<T: Select>(cx: &mut Stream<'_, T>, inst: Inst) -> Result<(), CompileError> {
    if cx.f.inst(inst).op == Opcode::CatchPad {
        let (r, code) = (cx.target.facts().registers.landing[0], cx.f.result(inst));
        cx.pin(r);
        cx.set(code, 0, r)?;
    }
    Ok(())
}

/// Emits the end of a handler or a cleanup.
pub fn leave<T: Select>(cx: &mut Stream<'_, T>, edges: &mut Edges, inst: Inst) -> Result<(), CompileError> {
    let f = cx.f;
    let d = f.inst(inst);
    cx.note(Event::Fork);
    let Some(frame) = cx.funclet.take() else {
        return Err(CompileError::at(f, inst, "it ends a funclet and stands in none"));
    };
    if d.op == Opcode::CatchRet {
        let edge = f.pool_edges(d.b, d.c).next().unwrap_or(Edge(0));
        edges.bring(cx, edge)?;
        let label = cx.block_label(f.edge_to(edge));
        let first = cx.target.facts().registers.landing[0];
        cx.target.emit_label_address(cx.buf, first, label);
    }
    emit_epilogue(cx.target, cx.buf, &frame, |buf| cx.target.emit_frame_op(buf, FrameOp::Return { pop: 0 }));
    cx.funclet = Some(frame);
    Ok(())
}
