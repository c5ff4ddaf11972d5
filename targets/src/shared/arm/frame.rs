//! The stack: changes of the stack pointer between prologue and epilogue, probes of its pages, and guards.

use gusset_codegen::alloc::Emitter;
use gusset_codegen::buffer::{CodeBuffer, Label, RelocTarget};
use gusset_codegen::error::Result;
use gusset_codegen::ir::{Module, Opcode};
use gusset_codegen::libcall::LibCall;
use gusset_codegen::machine::{FrameAddr, StackGuardStep};

use super::family::{Encoder, Family};
use super::operand::reg;
use super::{Cond, Gpr, gpr};
use crate::shared::Node;
use crate::shared::results::define;

/// Takes this many bytes of stack and touches it in steps, so that the guard page is not skipped.
pub(crate) fn touch<T: Family>(e: &mut T::Asm<'_>, bytes: u32, step: u32, end: Gpr) {
    let (w, sp, rest) = (T::width(T::WORD), T::STACK, bytes % step);
    if bytes > rest {
        let whole = (bytes - rest) as i32;
        e.increase(w, end, sp, -whole);
        e.buf().find_cfa_from(end.0.into(), whole);
        let again = e.buf().new_label();
        e.buf().bind(again);
        e.increase(w, sp, sp, -(step as i32));
        let top = -e.buf().stack_depth;
        e.store_word(end, sp, top);
        e.compare_stack(end);
        e.jump_if(Cond::Ne, again);
        e.buf().find_cfa_from(sp.0.into(), 0);
    }
    if rest > 0 {
        e.increase(w, sp, sp, -(rest as i32));
        e.buf().stack_moved(rest as i32);
    }
}

/// Dynamic stack.
pub(crate) fn stack_alloc<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    let (w, sp, lowest) = (T::width(T::WORD), T::STACK, T::TEMP);
    let align = d.b.0.max(cx.frame.align).max(8);
    let outgoing = cx.frame.outgoing;
    let probed = cx.frame.probe.bytes.map(|_| cx.frame.probe.step);
    let n = reg(cx, d.a)?;
    let t = cx.temp(false, None)?;
    let (g, mut e) = (gpr(t), cx.target.encoder(cx.buf));
    // The new stack pointer: below the old one by the size, aligned down.
    e.below_stack(lowest, n);
    e.align_down(g, lowest, align);
    if let Some(step) = probed {
        let (top, done) = (e.buf().new_label(), e.buf().new_label());
        e.move_pointer(lowest, sp);
        e.buf().bind(top);
        e.increase(w, lowest, lowest, -(step as i32));
        e.compare_registers(w, lowest, g);
        e.jump_if(Cond::Ls, done);
        e.store_word(lowest, lowest, 0);
        e.jump(top);
        e.buf().bind(done);
    }
    e.move_pointer(sp, g);
    if outgoing > 0 {
        // The area starts above the outgoing arguments, which stay at the stack pointer. The space between the old
        // stack pointer and the area's end is the area's; lowering the stack pointer by the outgoing space once more
        // keeps both apart.
        e.increase(w, sp, sp, -(outgoing.next_multiple_of(align) as i32));
    }
    drop(e);
    cx.set(d.r, 0, t)
}

/// The stack pointer as a value.
pub(crate) fn stack_save<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    define(cx, d.r, |cx, dst| cx.target.encoder(cx.buf).move_pointer(gpr(dst), T::STACK))
}

/// See [`stack_save`].
pub(crate) fn stack_restore<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    let x = reg(cx, d.a)?;
    cx.target.encoder(cx.buf).move_pointer(T::STACK, x);
    Ok(())
}

/// The stack pointer before the call.
pub(crate) fn entry_sp<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    let at = cx.frame.incoming(0);
    define(cx, d.r, |cx, dst| cx.target.emit_frame_address(cx.buf, dst, at, 0, true))
}

/// The address of a frame, or its return address, some levels up.
pub(crate) fn frame_address<T: Family>(cx: &mut Emitter<'_, T>, d: &Node, ret: bool) -> Result {
    let fp = gpr(cx.target.facts().frame.frame_pointer);
    define(cx, d.r, |cx, dst| {
        let (g, mut e) = (gpr(dst), cx.target.encoder(cx.buf));
        e.move_pointer(g, fp);
        (0..d.a.0).for_each(|_| e.load_word(g, g, 0));
        if ret {
            e.return_address(g);
        }
    })
}

/// See [`emit_stack_compare`](gusset_codegen::machine::Machine::emit_stack_compare).
pub(crate) fn compare_limit<T: Family>(target: &T, buf: &mut CodeBuffer, limit: Gpr, bytes: u32, enough: Label) {
    let mut e = target.encoder(buf);
    if bytes == 0 {
        e.compare_stack(limit);
        return e.jump_if(Cond::Hs, enough);
    }
    let short = e.buf().new_label();
    e.stack_minus(limit, limit);
    e.jump_if(Cond::Lo, short);
    e.compare_number(T::width(T::WORD), limit, bytes.into());
    e.jump_if(Cond::Hs, enough);
    e.buf().bind(short);
}

/// See [`emit_stack_guard`](gusset_codegen::machine::Machine::emit_stack_guard). `temps` are the registers that it may
/// use to set and to check the guard.
pub(crate) fn guard<T: Family>(
    target: &T,
    buf: &mut CodeBuffer,
    module: &Module,
    FrameAddr { base, disp }: FrameAddr,
    step: StackGuardStep,
    temps: [Gpr; 2],
) {
    let mut e = target.encoder(buf);
    match step {
        StackGuardStep::Set(free) => {
            let r = free.map_or(temps[0], gpr);
            target.load_guard(&mut e, module, r);
            e.store_word(r, gpr(base), disp);
        }
        StackGuardStep::Check(temp, failure) => {
            target.load_guard(&mut e, module, gpr(temp));
            e.load_word(temps[1], gpr(base), disp);
            e.compare_registers(T::width(T::WORD), gpr(temp), temps[1]);
            e.jump_if(Cond::Ne, failure);
        }
        StackGuardStep::Fail => {
            let lib = if target.has_microsoft_library() {
                e.load_word(Gpr(0), gpr(base), disp);
                LibCall::SecurityCheckCookie
            } else {
                LibCall::StackChkFail
            };
            e.call_function(RelocTarget::LibCall(lib));
            // The return address must be in the function, though nothing returns there.
            e.stop(Opcode::Trap);
        }
    }
}
