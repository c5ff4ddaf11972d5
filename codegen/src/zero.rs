//! Registers that are zero when a function returns, so that nothing of it can be read there or used by its callers' gadgets.

use crate::alloc::Stream;
use crate::call;
use crate::ir::{Function, SigData};
use crate::target::{PReg, Target};

const FLOATS: u64 = 0xffff_ffff_0000_0000;

/// The registers that the function zeroes, if its code changes those in `changed`; what it returns is among them.
pub(crate) fn registers<T: Target>(target: &T, f: &Function, changed: u64) -> u64 {
    let kind = f.attrs.zero_registers;
    let rules = target.frame_rules();
    let mut mask = target.zeroable() & !call::preserved(f) & !rules.stack_pointer.mask() & !rules.frame_pointer.mask();
    let own = call::argument_registers(&f.signature().abi);
    if kind.gpr_only() {
        mask &= !FLOATS;
    }
    if kind.arguments_only() {
        mask &= if kind.used_only() { own } else { target.argument_registers(f.signature().source.convention) };
    } else if kind.used_only() {
        mask &= changed | own | f.calls.iter().fold(0, |mask, c| mask | results(&f.sigs[c.sig.index()]));
    }
    mask
}

/// Registers in which results are.
fn results(sig: &SigData) -> u64 {
    let pieces = sig.abi.ret.mode.pieces().iter().filter_map(|p| p.reg()).filter_map(PReg::from_abi);
    let param = call::returned_param(&sig.abi).map(|(_, r)| r);
    let errors = sig.abi.sret_return_reg.and_then(PReg::from_abi);
    pieces.chain(param).chain(errors).fold(0, |mask, r| mask | r.mask())
}

/// Zeroes the registers before a return.
pub(crate) fn before_return<T: Target>(cx: &mut Stream<'_, T>) {
    if cx.zeros != 0 || cx.f.attrs.zero_registers == crate::ir::ZeroRegisters::All {
        let sig = cx.f.signature();
        let stacked = sig.abi.ret.mode.pieces().iter().filter_map(|p| p.reg()).filter(|&r| PReg::from_abi(r).is_none());
        let stacked = stacked.count() as u32;
        zero(cx, results(sig), stacked);
    }
}

/// Zeroes the registers before a jump that leaves the function, to which those in `keep` matter.
pub(crate) fn before_jump<T: Target>(cx: &mut Stream<'_, T>, keep: u64) {
    if cx.zeros != 0 {
        zero(cx, keep, 0);
    }
}

fn zero<T: Target>(cx: &mut Stream<'_, T>, keep: u64, stacked: u32) {
    let all = cx.f.attrs.zero_registers == crate::ir::ZeroRegisters::All;
    cx.target.emit_zeros(cx.buf, cx.zeros & !keep, all.then_some(stacked));
}
