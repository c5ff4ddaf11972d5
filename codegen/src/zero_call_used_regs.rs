//! Registers that are zero when a function returns, so that no data is left there and its callers' gadgets cannot use
//! them.

use crate::alloc::Emitter;
use crate::call::plan;
use crate::ir::Function;
use crate::machine::{FLOATS, Machine, PReg};
use crate::plan::CallPlan;

/// The registers that the function zeroes if its code changes those in `changed`; registers of results are among them.
pub(crate) fn registers<T: Machine>(target: &T, f: &Function, changed: u64) -> u64 {
    use crate::ir::ZeroRegisters::*;
    let kind = f.attrs.zero_registers;
    let (rules, own) = (target.facts().frame, plan(target, f.signature()));
    let mut mask =
        target.facts().registers.zeroable & !own.preserved & !rules.stack_pointer.mask() & !rules.frame_pointer.mask();
    if matches!(kind, UsedGprArg | UsedGpr | AllGprArg | AllGpr) {
        mask &= !FLOATS;
    }
    if matches!(kind, UsedGprArg | UsedArg | AllGprArg | AllArg) {
        mask &=
            if kind.used_only() { own.arguments } else { target.argument_registers(f.signature().source.convention) };
    } else if kind.used_only() {
        mask &= changed
            | own.arguments
            | f.calls.iter().fold(0, |mask, c| mask | results(plan(target, &f.sigs[c.sig.index()])));
    }
    mask
}

/// Registers in which results are.
fn results(plan: &CallPlan) -> u64 {
    plan.result_registers | plan.returned.map_or(0, PReg::mask)
}

/// Zeroes the registers before a return.
pub(crate) fn before_return<T: Machine>(cx: &mut Emitter<'_, T>) {
    if cx.function.zeroed_on_return != 0 || cx.f.attrs.zero_registers == crate::ir::ZeroRegisters::All {
        let plan = plan(cx.target, cx.f.signature());
        zero(cx, results(plan), plan.stacked);
    }
}

/// Zeroes the registers before a jump that leaves the function, except for those in `keep`, which the target needs.
pub(crate) fn before_jump<T: Machine>(cx: &mut Emitter<'_, T>, keep: u64) {
    if cx.function.zeroed_on_return != 0 {
        zero(cx, keep, 0);
    }
}

fn zero<T: Machine>(cx: &mut Emitter<'_, T>, keep: u64, stacked: u32) {
    let all = cx.f.attrs.zero_registers == crate::ir::ZeroRegisters::All;
    cx.target.emit_zero_registers(cx.buf, cx.function.zeroed_on_return & !keep, all.then_some(stacked));
}
