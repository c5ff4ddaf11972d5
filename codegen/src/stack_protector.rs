//! The stack guard: a word between a function's variables and the data of its caller, set on entry and checked before
//! the function is left.

use crate::alloc::{Emitter, StackGuard};
use crate::error::Result;
use crate::frame::{Frame, FramePlace};
use crate::ir::{Function, SlotKind};
use crate::machine::{Machine, PReg, StackGuardStep};

/// Gives places to the guard and, below it, to the slots that could overflow, the most dangerous first. The places of
/// other slots are not changed. `None` beyond 2^31 bytes.
pub(crate) fn place(f: &Function, frame: &mut Frame, word: u32, slots: &mut [FramePlace]) -> Option<FramePlace> {
    let guard = frame.add_top(word, word)?;
    let own = slots.iter_mut().zip(&f.slots).filter(|(_, s)| s.kind == SlotKind::Guard);
    own.for_each(|(place, _)| *place = guard);
    for kind in [SlotKind::LargeArray, SlotKind::SmallArray, SlotKind::Taken] {
        for (place, s) in slots.iter_mut().zip(&f.slots).filter(|(_, s)| s.kind == kind) {
            *place = frame.add_top(s.size.saturating_add(frame.move_up(s.align)), s.align)?;
        }
    }
    Some(guard)
}

/// Stores the guard at a place of the frame, after the prologue.
pub(crate) fn set<T: Machine>(cx: &mut Emitter<'_, T>, place: FramePlace) {
    let at = cx.frame.addr(place, 0);
    cx.function.stack_guard = Some(StackGuard { at, failure: cx.buf.new_label(), checked: false });
    let file = &cx.target.facts().registers;
    // A register that holds nothing at the function's start, if there is one.
    let free = file.allocatable & !file.preserved & !cx.frame.fixed & !cx.frame.probe.live & 0xffff_ffff;
    let free = (free != 0).then(|| PReg(31 - (free as u32).leading_zeros() as u8));
    cx.target.emit_stack_guard(cx.buf, cx.module, at, StackGuardStep::Set(free));
}

/// Checks the guard, if there is one, before the function is left.
pub(crate) fn check<T: Machine>(cx: &mut Emitter<'_, T>) -> Result {
    let Some(guard) = &mut cx.function.stack_guard else { return Ok(()) };
    guard.checked = true;
    let guard = *guard;
    let temp = cx.temp(false, None)?;
    cx.target.emit_stack_guard(cx.buf, cx.module, guard.at, StackGuardStep::Check(temp, guard.failure));
    cx.unpin(temp);
    Ok(())
}

/// Emits the code for a changed guard, after the function's other code.
pub(crate) fn fail<T: Machine>(cx: &mut Emitter<'_, T>) {
    if let Some(guard) = cx.function.stack_guard.filter(|guard| guard.checked) {
        cx.set_stack_depth(0);
        cx.buf.bind(guard.failure);
        cx.target.emit_stack_guard(cx.buf, cx.module, guard.at, StackGuardStep::Fail);
    }
}
