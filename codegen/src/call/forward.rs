//! Variadic functions (thunks) that jump to another function and pass on all their arguments, whatever these are.
//!
//! Arguments on the stack stay where they are. Those in registers are stored on entry and loaded before the jump.

use gusset_abi::{Convention, Signature};

use super::memory::new_place;
use super::plan;
use crate::alloc::Emitter;
use crate::error::Result;
use crate::ir::{CallData, Function, TailKind};
use crate::machine::{FrameAddr, Machine, PReg, PartKind};

/// Does the function of `caller` pass on its unnamed arguments by this call? A `musttail` call from one variadic
/// function to another does (LLVM LangRef, "call").
pub(super) fn passes_on(f: &Function, call: &CallData) -> bool {
    call.tail == TailKind::Must && f.sigs[call.sig.index()].abi.variadic.is_some() && is_variadic(f)
}

fn is_variadic(f: &Function) -> bool {
    f.signature().abi.variadic.is_some()
}

/// Does it pass them on by a convention of which callers alone know the registers that hold them?
pub(super) fn passes_on_unknown<T: Machine>(target: &T, f: &Function, call: &CallData) -> bool {
    let by_registers =
        matches!(f.signature().source.convention, Convention::Fastcall | Convention::Thiscall | Convention::Vectorcall);
    let variadic = |source: &Signature| source.variadic.is_some();
    by_registers
        && preserved_registers(target, f) == 0
        && call.tail == TailKind::Must
        && variadic(&f.signature().source)
        && variadic(&f.sigs[call.sig.index()].source)
}

/// The registers that a call which [`passes_on`] arguments leaves unchanged.
pub(super) fn preserved_registers<T: Machine>(target: &T, f: &Function) -> u64 {
    plan(target, f.signature()).unnamed
}

/// Bytes of the frame for the registers, if some call of the function passes them on.
pub(crate) fn room<T: Machine>(target: &T, f: &Function) -> u32 {
    let passes = is_variadic(f) && f.calls.iter().any(|call| passes_on(f, call));
    if passes { 16 * preserved_registers(target, f).count_ones() } else { 0 }
}

/// The registers with their kinds, and their places from `at` on.
fn places<T: Machine>(
    cx: &Emitter<'_, T>,
    at: FrameAddr,
) -> impl Iterator<Item = (PartKind, PReg, FrameAddr)> + use<T> {
    let (mask, word) = (preserved_registers(cx.target, cx.f), cx.target.facts().word());
    let all = (0..64).map(PReg).filter(move |r| mask & r.mask() != 0);
    all.enumerate().map(move |(k, r)| {
        let kind = if r.is_float() { PartKind::V128 } else { word };
        (kind, r, FrameAddr { disp: at.disp + 16 * k as i32, ..at })
    })
}

/// Stores on entry what is passed on.
pub(super) fn save<T: Machine>(cx: &mut Emitter<'_, T>) -> Result {
    let bytes = room(cx.target, cx.f);
    if bytes == 0 {
        return Ok(());
    }
    let at = new_place(cx, bytes, 16)?;
    cx.function.passed_on = Some(at);
    for (kind, r, to) in places(cx, at) {
        cx.target.emit_store(cx.buf, r, to, kind.bytes());
    }
    Ok(())
}

/// Loads it before the jump.
pub(super) fn restore<T: Machine>(cx: &mut Emitter<'_, T>) {
    let Some(at) = cx.function.passed_on else { return };
    for (kind, r, from) in places(cx, at) {
        cx.target.emit_load(cx.buf, r, from, kind.bytes());
    }
}
