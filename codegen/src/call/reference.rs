//! Arguments that are passed by the address of a copy. The caller makes the copy above its stack arguments; it belongs to the callee.

use gusset_abi::Extension;

use super::memory::{address, copy_out, pass_part};
use super::{note_bound, shift};
use crate::alloc::{Emitter, MoveSrc, Moves};
use crate::error::{CompileError, Result};
use crate::ir::{Inst, Value};
use crate::machine::{FrameAddr, PReg};
use crate::plan::{At, Reference, StackPart};
use crate::select::Select;

/// Makes the copy, and stores its address if that is passed on the stack.
pub(super) fn make<T: Select>(cx: &mut Emitter<'_, T>, inst: Inst, v: Value, copy: &Reference) -> Result {
    let at = cx.outgoing_addr(copy.offset);
    let mut to = at;
    if copy.up > 0 {
        let base = cx.temp(false, None)?;
        cx.target.emit_frame_address(cx.buf, base, at, copy.up, false);
        to = FrameAddr { base, disp: 0 };
    }
    if copy.value {
        let (kind, count) = cx.target_parts(cx.ty(v));
        for part in 0..count {
            let offset = u32::from(part) * kind.bytes();
            let piece = StackPart { part, kind, offset, narrow: 0, ext: Extension::None };
            pass_part(cx, v, &piece, shift(to, offset as i32))?;
        }
    } else {
        let src = address(cx, v)?;
        copy_out(cx, (src, copy.align), to, copy.size, inst)?;
    }
    if let At::Stack(offset) = copy.pointer {
        let t = cx.temp(false, None)?;
        cx.target.emit_frame_address(cx.buf, t, at, copy.up, false);
        let slot = cx.outgoing_addr(offset);
        cx.target.emit_store(cx.buf, t, slot, cx.target.facts().word().bytes());
        cx.unpin(t);
    }
    Ok(())
}

/// Copies a value that came by address out of the caller's memory. Returns the register of the address, if it came in
/// one.
pub(super) fn receive<T: Select>(cx: &mut Emitter<'_, T>, moves: &mut Moves, v: Value, copy: &Reference) -> Result {
    let file = &cx.target.facts().registers;
    let base = match copy.pointer {
        At::Register(r) => r,
        At::Stack(offset) => {
            let at = cx.frame.incoming(offset as i32);
            cx.target.emit_load(cx.buf, file.entry_scratch, at, cx.target.facts().word().bytes());
            file.entry_scratch
        }
    };
    // The vector register that is nobody's home carries the bytes.
    let spare = file.edge_scratch & !file.allocatable & !0xffff_ffff;
    let via = PReg(spare.trailing_zeros() as u8);
    let place = cx.frame.add(16, 16).ok_or_else(|| CompileError::frame_too_large(cx.f))?;
    let at = cx.frame.addr(place, 0);
    cx.target.emit_load(cx.buf, via, FrameAddr { base, disp: 0 }, (copy.size.min(16) as u32).next_power_of_two());
    cx.target.emit_store(cx.buf, via, at, 16);
    let kind = cx.units_kind(v);
    for part in 0..cx.units.parts(v) {
        let at = shift(at, i32::from(part) * kind.bytes() as i32);
        let dst = cx.home(v, part)?;
        note_bound(cx, v, part, at);
        moves.add(dst, MoveSrc::Memory(at), kind);
    }
    Ok(())
}
