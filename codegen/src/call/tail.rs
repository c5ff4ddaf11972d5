//! Calls that replace the function's own frame (`musttail`).

use super::arguments::{Site, arguments, count_vectors};
use super::describe::describe;
use super::forward::{passes_on, passes_on_unknown, preserved_registers, restore};
use super::plan;
use super::protected::{check_type, emit_call};
use crate::alloc::{Emitter, Moves};
use crate::error::{CompileError, Result};
use crate::ir::{ConstData, sleds};
use crate::libcall::LibCall;
use crate::machine::{CallTarget, ConstEmit, Machine, PReg, each_register};
use crate::plan::{At, CallPlan, Passed};
use crate::select::Select;

/// Emits a `musttail` call: the epilogue, then a jump.
pub(super) fn tail<T: Select>(cx: &mut Emitter<'_, T>, moves: &mut Moves, site: &mut Site<'_>) -> Result {
    let f = cx.f;
    let own = plan(cx.target, f.signature());
    check(cx, own, site)?;
    crate::stack_protector::check(cx)?;
    let mut callee = arguments(cx, moves, site)?;
    let forwards = passes_on(f, &site.call);
    if passes_on_unknown(cx.target, f, &site.call) {
        let what = "a function of this convention that passes on its unnamed arguments is not supported";
        return Err(CompileError::new(f, what));
    }
    let mut taken = site.plan.arguments;
    if forwards {
        taken |= preserved_registers(cx.target, f);
    }
    if let CallTarget::Symbol(symbol) = callee
        && cx.target.jumps_by_register(cx.module, symbol)
    {
        let r = free_scratch(cx.target, taken).ok_or_else(|| CompileError::out_of_registers(f))?;
        let mut emit = ConstEmit { module: cx.module, f, buf: cx.buf, keep_flags: false };
        cx.target.emit_const(&mut emit, cx.target.facts().pointer, ConstData::Symbol(symbol, 0), 0, r)?;
        callee = CallTarget::Reg(r);
    }
    if let CallTarget::Reg(r) = callee {
        taken |= r.mask();
    }
    let raise = own.popped as i32 - site.plan.popped as i32;
    lift(cx, site.plan, raise, taken)?;
    if forwards {
        restore(cx);
    } else {
        count_vectors(cx, site.plan);
    }
    crate::zero_call_used_regs::before_jump(cx, taken | site.plan.vector_count.map_or(0, |(r, _)| r.mask()));
    let (module, untracked) = (cx.module, site.call.untracked);
    let mut jump = (0, 0);
    if let Some(id) = site.call.type_id {
        check_type(cx, (site.inst, id), callee)?;
    }
    let has_sled = cx.f.attrs.sleds & sleds::EXIT != 0;
    cx.frame.to_handler = callee == CallTarget::Library(LibCall::EhReturn);
    cx.emit_exit(raise, |target, buf| {
        if has_sled {
            crate::sled::tail(target, buf);
        }
        let from = buf.offset();
        emit_call(target, buf, module, (callee, untracked, true));
        jump = (from, buf.offset());
    });
    cx.frame.to_handler = false;
    if let Some(mut variables) = cx.function.variables.take() {
        variables.before_jump(cx, jump.0);
        cx.function.variables = Some(variables);
    }
    describe(cx, site, callee, jump, true);
    Ok(())
}

/// An error unless the arguments can be where the callee expects them once the frame is gone.
fn check<T: Select>(cx: &Emitter<'_, T>, own: &CallPlan, site: &Site<'_>) -> Result {
    let new = site.plan;
    let on_stack = |passed: &Passed| match passed {
        Passed::Part(_) | Passed::Copy { .. } => true,
        &Passed::Pieces { first, count, .. } => {
            new.pieces[first as usize..][..count as usize].iter().any(|p| matches!(p.at, At::Stack(_)))
        }
        _ => false,
    };
    let any = |is: &dyn Fn(&Passed) -> bool| new.memory.iter().any(|(_, passed)| is(passed));
    let what = if any(&|passed| matches!(passed, Passed::Reference(_))) {
        "a musttail call passes the address of a copy that would be lost"
    } else if let Some(what) = no_room(cx, own, new) {
        what
    } else if new.block && any(&on_stack) {
        // The caller's argument block is left as it is.
        "a musttail call has other arguments on the stack beside its argument block"
    } else {
        return Ok(());
    };
    Err(CompileError::at(cx.f, site.inst, what))
}

/// The reason why there is no room for the stack arguments of the call, if there is none. If callees pop their
/// arguments, the call may have any number: its arguments end where the function's own end, and begin wherever.
fn no_room<T: Select>(cx: &Emitter<'_, T>, own: &CallPlan, new: &CallPlan) -> Option<&'static str> {
    if new.popped == own.popped {
        let fits = new.stack_bytes <= own.stack_bytes.max(own.popped);
        return (!fits).then_some("a musttail call needs more argument space than its caller has");
    }
    let left = |plan: &CallPlan| plan.popped < plan.stack_bytes;
    let aligned = own.popped.abs_diff(new.popped).is_multiple_of(cx.frame.natural);
    (left(new) || left(own) || !aligned).then_some(
        "a musttail call and its function have stack arguments that differ in size and are not taken away as a whole by callees",
    )
}

/// Moves the stack arguments from the outgoing area, where they were put together, to where the callee expects them;
/// the function's own then end `raise` bytes above. An argument block is there already. A return address on the stack
/// is moved, too.
fn lift<T: Select>(cx: &mut Emitter<'_, T>, plan: &CallPlan, raise: i32, taken: u64) -> Result {
    let mut done = plan.home_space;
    let link = cx.frame.moved_return(raise);
    if link.is_none() && (plan.block || done >= plan.stack_bytes) {
        return Ok(());
    }
    // Registers that the epilogue restores are free as well.
    let saved = || each_register(cx.frame.restored() & !taken).next();
    let t = match free_scratch(cx.target, taken).or_else(saved) {
        Some(t) => t,
        None => cx.take_extra_scratch()?,
    };
    let word = cx.target.facts().word();
    if let Some((from, to)) = link {
        cx.target.emit_load(cx.buf, t, from, word.bytes());
        cx.target.emit_store(cx.buf, t, to, word.bytes());
        cx.frame.return_moved(cx.buf, raise);
    }
    while done < plan.stack_bytes && !plan.block {
        let from = cx.outgoing_addr(done);
        cx.target.emit_load(cx.buf, t, from, word.bytes());
        let to = cx.frame.incoming(raise + done as i32);
        cx.target.emit_store(cx.buf, t, to, word.bytes());
        done += word.bytes();
    }
    Ok(())
}

/// A general-purpose scratch register that is not among `taken`.
fn free_scratch<T: Machine>(target: &T, taken: u64) -> Option<PReg> {
    let file = &target.facts().registers;
    let free = (file.scratch | file.entry_scratch.mask()) & !taken & 0xffff_ffff;
    if free & file.entry_scratch.mask() != 0 {
        return Some(file.entry_scratch);
    }
    (free != 0).then(|| PReg(free.trailing_zeros() as u8))
}
