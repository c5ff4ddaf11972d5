//! Calls by address with protections: thunks, checks by Windows' loader.

use gusset_abi::features::Hardening;

use crate::alloc::Emitter;
use crate::buffer::CodeBuffer;
use crate::error::{CompileError, Result};
use crate::ir::{Inst, Module};
use crate::machine::{CallTarget, Machine};
use crate::plan::CallPlan;
use crate::select::Select;

/// An error if a protection changes a register with an argument.
#[inline]
pub fn check<T: Select>(cx: &Emitter<'_, T>, inst: Inst, plan: &CallPlan) -> Result {
    let hardening = cx.f.attrs.hardening;
    if !hardening.has(Hardening::CALL_THUNKS.and(Hardening::GUARDED_CALLS)) {
        return Ok(());
    }
    let used = plan.arguments | !plan.clobbers.whole | plan.vector_count.map_or(0, |(r, _)| r.mask());
    if used & cx.target.changed_by_call(hardening) == 0 {
        return Ok(());
    }
    let what = "a protected call with an argument in a register that the protection needs is not supported";
    Err(CompileError::at(cx.f, inst, what))
}

/// Emits a call, or a jump that leaves the function. One that is `untracked` may go anywhere.
pub fn emit_call<T: Machine>(
    target: &T,
    buf: &mut CodeBuffer,
    module: &Module,
    (callee, untracked, jump): (CallTarget, bool, bool),
) {
    let hardening = buf.hardening;
    if untracked {
        buf.hardening = hardening.without(Hardening::GUARDED_CALLS);
    }
    target.emit_call(buf, module, callee, jump);
    buf.hardening = hardening;
}
