//! Emits a call: moves the arguments to their places, and then the call itself.

use super::arguments::{Site, arguments, count_vectors};
use super::describe::describe;
use super::result::results;
use super::tail::tail;
use super::{block, plan, protected};
use crate::alloc::{Emitter, Event, Moves};
use crate::error::{CompileError, Result};
use crate::ir::{Function, GUARD_CALLS, Inst, Personality, TailKind};
use crate::machine::{CallTarget, CodeMark};
use crate::select::Select;
use crate::stack_map::record;
use crate::unwind::itanium::landing_pad::mark;
use crate::unwind::microsoft::state_stores;

/// Emits a call.
pub fn call<T: Select>(cx: &mut Emitter<'_, T>, moves: &mut Moves, inst: Inst) -> Result {
    let f = cx.f;
    let call = f.calls[f.inst(inst).a as usize];
    let sig = &*f.sigs[call.sig.index()];
    let plan = plan(cx.target, sig);
    let args = f.pool_values(call.args_start, call.args_len);
    if args.len() != sig.params.len() {
        return Err(CompileError::at(f, inst, "the call's arguments do not match its signature"));
    }
    if let Some(what) = plan.unsupported {
        return Err(CompileError::at(f, inst, what));
    }
    protected::check(cx, inst, plan)?;
    let mut site = Site { inst, call, plan, args, receive: None };
    if call.tail == TailKind::Must {
        return tail(cx, moves, &mut site);
    }
    let level = block::lower_stack_to_block(cx, plan);
    let callee = arguments(cx, moves, &mut site)?;
    count_vectors(cx, plan);
    state_stores::before_call(cx, inst);
    let start = cx.buf.offset();
    let mut from = start;
    let map = call.stack_map.map(|id| (id, &f.stack_maps[id.index()]));
    if let Some((id, _)) = map.filter(|(_, map)| map.at_start) {
        record::record(cx, id, start, &[])?;
    }
    if map.is_none_or(|(_, map)| !map.omits_call) {
        if let Some(id) = call.type_id {
            protected::check_type(cx, (inst, id), callee)?;
        }
        if call.untracked && cx.module.branch_protection && matches!(callee, CallTarget::Reg(_)) {
            cx.target.emit_mark(cx.buf, CodeMark::Untracked);
        }
        from = cx.buf.offset();
        protected::emit_call(cx.target, cx.buf, cx.module, (callee, call.untracked, false));
        let end = cx.buf.offset();
        describe(cx, &site, callee, (from, end), false);
    }
    if let Some((id, map)) = map {
        record::fill_call(cx, inst, id, start)?;
        if !map.at_start {
            let end = cx.buf.offset();
            record::record(cx, id, end, &[])?;
        }
    }
    if f.exceptions.personality.is_some() && (!call.nounwind || faults_count(f, inst)) {
        mark(cx, start, inst);
    }
    if call.returns_twice {
        if cx.module.coff_features & GUARD_CALLS != 0 {
            let label = cx.buf.new_label();
            cx.buf.bind(label);
            cx.buf.returns_twice.push(label);
        }
        if cx.marks_branch_targets() {
            // The callee comes back by a jump to the address after the call.
            cx.target.emit_mark(cx.buf, CodeMark::BranchTarget);
        }
    }
    if let Some(level) = level {
        block::restore_stack(cx, inst, plan, level);
    } else if plan.popped > 0 {
        block::take_back_popped(cx, plan.popped);
    }
    state_stores::after_call(cx);
    cx.after_call(plan.clobbers);
    if let Some(mut variables) = cx.function.variables.take() {
        variables.after_call(cx, from, plan.clobbers.whole | plan.clobbers.high);
        cx.function.variables = Some(variables);
    }
    if map.is_some_and(|(_, map)| map.at_start) {
        record::live_outs(cx, plan);
    }
    cx.note(Event::Unwind);
    results(cx, moves, &site)
}

/// Does the address of a call matter although it throws nothing? It may fault: the scopes around it count, and with
/// `__try` it is outside of all scopes if it is not listed.
fn faults_count(f: &Function, inst: Inst) -> bool {
    f.exceptions.has_funclets() && (f.unwind_edge(inst).is_some() || f.exceptions.routine != Personality::Cxx)
}
