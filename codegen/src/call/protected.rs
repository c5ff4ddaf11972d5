//! Calls by address with protections: thunks, checks by Windows' loader.

use gusset_abi::features::Hardening;

use crate::alloc::Emitter;
use crate::buffer::CodeBuffer;
use crate::error::{CompileError, Result};
use crate::ir::{Callee, Inst, Module};
use crate::machine::{CallTarget, Machine};
use crate::plan::CallPlan;
use crate::select::Select;
use crate::sled;

/// An error if a protection changes a register with an argument.
#[inline]
pub fn check<T: Select>(cx: &Emitter<'_, T>, inst: Inst, plan: &CallPlan) -> Result {
    let (hardening, call) = (cx.f.attrs.hardening, &cx.f.calls[cx.f.inst(inst).a as usize]);
    let by_address = matches!(call.callee, Callee::Value(_));
    if !(call.type_id.is_some() && by_address || hardening.has(Hardening::CALL_THUNKS.and(Hardening::GUARDED_CALLS))) {
        return Ok(());
    }
    let checks = if call.type_id.is_some() { cx.target.changed_by_type_check() } else { 0 };
    // Machines whose protection takes a register that functions save reserve it.
    let kept = !(plan.clobbers.whole | cx.target.facts().registers.preserved);
    let used = plan.arguments | kept | plan.vector_count.map_or(0, |(r, _)| r.mask());
    if used & (checks | cx.target.changed_by_call(hardening)) == 0 {
        return Ok(());
    }
    let what = "a protected call with an argument in a register that the protection needs is not supported";
    Err(CompileError::at(cx.f, inst, what))
}

/// Emits the check of the type, whose number is given, of the function at an address.
#[cold]
pub fn check_type<T: Select>(cx: &mut Emitter<'_, T>, (inst, id): (Inst, u32), callee: CallTarget) -> Result {
    let call = &cx.f.calls[cx.f.inst(inst).a as usize];
    let (Callee::Value(_), CallTarget::Reg(r)) = (call.callee, callee) else { return Ok(()) };
    let before = cx.f.attrs.patchable_prefix.saturating_mul(cx.target.facts().nop_bytes);
    let trap = cx.target.emit_type_check(cx.buf, r, id, before).map_err(|why| CompileError::at(cx.f, inst, why))?;
    cx.buf.type_traps.extend(trap);
    Ok(())
}

/// Emits a call, or a jump that leaves the function. One that is `untracked` may go anywhere.
pub fn emit_call<T: Machine>(
    target: &T,
    buf: &mut CodeBuffer,
    module: &Module,
    (callee, untracked, jump): (CallTarget, bool, bool),
) {
    if let CallTarget::Library(lib) = callee
        && lib.is_event()
    {
        return sled::event(target, buf, lib, |buf| target.emit_call(buf, module, callee, jump));
    }
    let hardening = buf.hardening;
    if untracked {
        buf.hardening = hardening.without(Hardening::GUARDED_CALLS);
    }
    target.emit_call(buf, module, callee, jump);
    buf.hardening = hardening;
}
