//! Stores of states, where the personality routine finds a function by its registration record (`registration`). States
//! say how far the function has come, by the numbers of `states`. Stores stand before calls, and only where another
//! state may be stored.

use super::states::{OUTSIDE, States};
use super::stored_state::StoredState;
use crate::alloc::Emitter;
use crate::ir::{Callee, Inst, Personality};
use crate::machine::{FrameOp, RecordOp};
use crate::select::Select;
use crate::unwind::microsoft::faults::cannot_fault;

/// The symbol of `_setjmp3` of Microsoft's library, which sets a target for jumps and gets information in further
/// arguments.
const SET_JUMP: &str = "__setjmp3";
/// Bytes of its arguments then.
pub(crate) const SET_JUMP_BYTES: u32 = 20;

/// Begins a function.
pub(crate) fn start<'a, T: Select>(cx: &mut Emitter<'a, T>, states: &'a States) {
    if cx.frame.record.is_some() {
        let arrivals = vec![(None, 0); cx.cfg.order.len()];
        cx.function.stored = Some(Box::new(StoredState { states, known: None, within: None, fault: None, arrivals }));
    }
}

/// Begins the block at `index` of the order.
pub(crate) fn begin_block<T: Select>(cx: &mut Emitter<'_, T>, index: usize) {
    let Some(stored) = &mut cx.function.stored else { return };
    let (state, count) = stored.arrivals[index];
    stored.known = match cx.cfg.funclet_at(index) {
        Some(pad) => {
            stored.within = Some(pad);
            // The personality routine has stored it.
            Some(stored.states.base(Some(pad)))
        }
        None if index == 0 && cx.cfg.preds[0] == 0 => Some(OUTSIDE),
        None if cx.f.is_pad(cx.cfg.order[index]) => None,
        None => state.filter(|_| count == cx.cfg.preds[index]),
    };
    let faults = !cannot_fault(cx.f, cx.cfg.order[index]);
    stored.fault = cx.cfg.faults.get(index).copied().filter(|_| faults);
    if let Some(state) = stored.fault {
        store(cx, state);
    }
}

/// Ends it.
pub(crate) fn end_block<T: Select>(cx: &mut Emitter<'_, T>, index: usize) {
    let Some(stored) = &mut cx.function.stored else { return };
    let (f, known) = (cx.f, stored.known);
    f.for_each_edge(f.inst(f.terminator(cx.cfg.order[index])), |e| {
        let to = cx.cfg.index[f.edge_to(e).index()] as usize;
        let (state, count) = &mut stored.arrivals[to];
        *state = if *count == 0 { known } else { state.filter(|&s| known == Some(s)) };
        *count += 1;
    });
}

/// To be called after an instruction that moves the stack pointer by an unknown distance: control comes back with that
/// stack pointer after handlers.
pub(crate) fn keep_stack<T: Select>(cx: &mut Emitter<'_, T>) {
    let (Some(stored), Some(at)) = (&cx.function.stored, cx.frame.saved_stack_pointer()) else { return };
    if !stored.in_cleanup(&cx.f.exceptions) {
        cx.target.emit_frame_op(cx.buf, FrameOp::Record(RecordOp::KeepStack(at)));
    }
}

/// Before a call: stores its state, if anything may leave it.
pub(crate) fn before_call<T: Select>(cx: &mut Emitter<'_, T>, inst: Inst) {
    let Some(stored) = &cx.function.stored else { return };
    let f = cx.f;
    let landing = f.unwind_edge(inst).and_then(|e| f.pad(f.edge_to(e)));
    // C++ only catches exceptions; with other routines, a function that throws none may still fault.
    let nounwind = f.calls[f.inst(inst).a as usize].nounwind && f.exceptions.routine == Personality::Cxx;
    if !nounwind || landing.is_some() {
        let state = stored.states.of_call(stored.within, landing);
        store(cx, state);
    }
    emit_set_jump_state(cx, inst);
}

/// Where a target for jumps is set: passes how the jumps leave what begins later (LLVM, `X86WinEHState.cpp`,
/// `rewriteSetJmpCall`).
fn emit_set_jump_state<T: Select>(cx: &mut Emitter<'_, T>, inst: Inst) {
    let (Some(stored), Some((at, outside))) = (&cx.function.stored, cx.frame.state()) else { return };
    let call = &cx.f.calls[cx.f.inst(inst).a as usize];
    let Callee::Symbol(callee) = call.callee else { return };
    if !call.returns_twice || call.args_len != 2 || cx.module.symbol(callee).name != SET_JUMP {
        return;
    }
    let levels = if let Personality::TryLevels(version) = cx.f.exceptions.routine { Some(version) } else { None };
    let state = stored.known.map(|state| if state == OUTSIDE { outside } else { state });
    let op = RecordOp::SetJump { levels, arguments: cx.outgoing_addr(4), state, at };
    cx.target.emit_frame_op(cx.buf, FrameOp::Record(op));
}

/// After a call: stores the code's own state again, if it matters.
pub(crate) fn after_call<T: Select>(cx: &mut Emitter<'_, T>) {
    if let Some(state) = cx.function.stored.as_ref().and_then(|stored| stored.fault) {
        store(cx, state);
    }
}

fn store<T: Select>(cx: &mut Emitter<'_, T>, state: i32) {
    let (Some(stored), Some((at, outside))) = (&mut cx.function.stored, cx.frame.state()) else { return };
    if stored.in_cleanup(&cx.f.exceptions) || stored.known == Some(state) {
        return;
    }
    stored.known = Some(state);
    let state = if state == OUTSIDE { outside } else { state };
    cx.target.emit_frame_op(cx.buf, FrameOp::StoreState { at, state });
}
