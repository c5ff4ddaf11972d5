//! Tells debuggers of a call: where it is, what it calls, and what its arguments are in terms that outlast the call.

use super::arguments::Site;
use super::plan;
use crate::alloc::Emitter;
use crate::buffer::Mark;
use crate::debug::{CallArgument, DebugCall, DebugCallee, VariableOperand, constant_operand, lasting_operand};
use crate::ir::{Callee, Value};
use crate::machine::CallTarget;
use crate::select::Select;

/// Describes a call whose instruction begins at `start` and ends at `end`, before the registers that it changes are given up.
pub(super) fn describe<T: Select>(
    cx: &mut Emitter<'_, T>,
    site: &Site<'_>,
    callee: CallTarget,
    (start, end): (u32, u32),
    tail: bool,
) {
    if cx.f.debug.subprogram.is_none() || cx.f.debug.keeps_variables {
        return;
    }
    let dwarf = cx.target.facts().dwarf_register;
    let callee = match (callee, site.call.callee) {
        (CallTarget::Symbol(symbol), _) => DebugCallee::Symbol(symbol, None),
        (CallTarget::Reg(r), Callee::Value(v)) => match outlasting(cx, site, v, tail) {
            Some(value) => DebugCallee::Value(value),
            None => DebugCallee::Clobbered(dwarf(r)),
        },
        (CallTarget::Reg(_), Callee::Symbol(symbol)) => DebugCallee::Symbol(symbol, None),
        // Nobody has described these.
        (CallTarget::Library(_), _) | (CallTarget::Reg(_), Callee::Library(_)) => return,
    };
    let first = cx.buf.call_arguments.len() as u32;
    for p in &site.plan.registers {
        let v = cx.f.resolve(site.args[p.param as usize]);
        if p.reg.is_float() || p.kind.is_float() || !p.alone || cx.units.parts(v) != 1 {
            continue;
        }
        if let Some(value) = outlasting(cx, site, v, tail) {
            cx.buf.call_arguments.push(CallArgument { register: dwarf(p.reg), value });
        }
    }
    let arguments = first..cx.buf.call_arguments.len() as u32;
    cx.buf.debug_calls.push(Mark { offset: end, value: DebugCall { callee, bytes: end - start, tail, arguments } });
}

/// Where the caller still has a value while the callee runs. After a tail call the caller has neither registers nor a frame.
fn outlasting<T: Select>(cx: &Emitter<'_, T>, site: &Site<'_>, v: Value, tail: bool) -> Option<VariableOperand> {
    let v = cx.f.resolve(v);
    let kept = |cx: &Emitter<'_, T>| lasting_operand(cx, v, site.plan.clobbers.whole | site.plan.clobbers.high);
    let known = if tail { constant_operand(cx.f, v) } else { kept(cx) };
    known.or_else(|| {
        let params = cx.f.params(cx.f.layout[0]);
        let own = plan(cx.target, cx.f.signature()).registers.iter();
        let p = own.filter(|p| p.alone).find(|p| params.get(p.param as usize) == Some(&v))?;
        Some(VariableOperand::EntryValue((cx.target.facts().dwarf_register)(p.reg)))
    })
}
