//! Arguments that travel by the address of a copy: the caller makes it above its stack arguments, and it is the callee's.

use gusset_abi::{ArgAbi, CType, InlineVec, PassMode, Piece, Place, Role, Type};

use super::memory::{address, copy_out};
use super::site::pass_scalar;
use super::{arrives, by_address, shift};
use crate::alloc::{MoveSrc, Moves, Stream};
use crate::error::CompileError;
use crate::ir::{Inst, SigData, Value};
use crate::target::{FrameAddr, PReg, PartKind, Target};

/// An argument by reference, at its caller.
#[derive(Clone, Copy, Default)]
pub(super) struct Copied {
    /// Where its address goes.
    pub pointer: Piece,
    /// Where in the outgoing arguments the copy is.
    pub offset: u32,
    /// Alignment that the place is still to be moved up to, or 0.
    pub up: u32,
    size: u64,
}

/// Is parameter `i` the value itself in the IR, although it travels by address?
pub(super) fn is_value(sig: &SigData, i: usize) -> bool {
    let indirect = matches!(sig.abi.args.get(i), Some(ArgAbi { mode: PassMode::Indirect { .. }, .. }));
    indirect && !by_address(sig, i) && !is_by_value(sig, i)
}

/// Is it the address of what `byval` has copied?
fn is_by_value(sig: &SigData, i: usize) -> bool {
    sig.source.params.get(i).is_some_and(|p| matches!(p.attrs.role, Role::ByVal { .. }))
}

/// The arguments that are to be copied, with their places in order; what the call needs of outgoing bytes with them.
fn copies(sig: &SigData, mut each: impl FnMut(usize, Copied)) -> u32 {
    let mut end = sig.abi.stack_arg_bytes;
    for (i, arg) in sig.abi.args.iter().enumerate() {
        let PassMode::Indirect { pointer, size, align } = arg.mode else { continue };
        // The object of a class with a copy constructor is passed itself.
        let object =
            matches!(sig.source.params.get(i).map(|p| &p.ty), Some(Type::C(CType::Record(r))) if r.is_non_trivial());
        if object {
            continue;
        }
        let offset = end.next_multiple_of(16);
        let up = if align > sig.abi.stack_align.min(16) { align } else { 0 };
        each(i, Copied { pointer, offset, up, size });
        let bytes = u32::try_from(size.max(1).next_multiple_of(16)).unwrap_or(u32::MAX / 4);
        end = offset.saturating_add(bytes).saturating_add(up);
    }
    end
}

/// Bytes of outgoing arguments that calls of a signature need, copies included.
pub(crate) fn outgoing_bytes(sig: &SigData) -> u32 {
    copies(sig, |_, _| {})
}

/// The copies that a call makes, by argument.
pub(super) fn collect(sig: &SigData) -> InlineVec<(usize, Copied), 4> {
    let mut out = InlineVec::new();
    copies(sig, |i, copy| out.push((i, copy)));
    out
}

/// Makes the copy, and stores its address if that travels on the stack.
pub(super) fn make<T: Target>(
    cx: &mut Stream<'_, T>,
    inst: Inst,
    sig: &SigData,
    i: usize,
    v: Value,
    copy: &Copied,
) -> Result<(), CompileError> {
    let mut to = cx.frame.outgoing_addr(copy.offset as i32);
    if copy.up > 0 {
        let base = cx.temp(false, None)?;
        cx.target.emit_frame_address(cx.buf, base, to, copy.up, false);
        to = FrameAddr { base, disp: 0 };
    }
    if is_value(sig, i) {
        let kind = cx.units_kind(v);
        for part in 0..cx.target.parts(cx.f.value_type(v)).count {
            let piece = Piece { size: kind.bytes(), ..Piece::default() };
            pass_scalar(cx, v, part, &piece, shift(to, i32::from(part) * kind.bytes() as i32))?;
        }
    } else {
        let src = address(cx, v)?;
        copy_out(cx, src, to, copy.size, inst)?;
    }
    if let Place::Stack { offset } = copy.pointer.place {
        let t = cx.temp(false, None)?;
        let at = cx.frame.outgoing_addr(copy.offset as i32);
        cx.target.emit_frame_address(cx.buf, t, at, copy.up, false);
        let slot = cx.frame.outgoing_addr(offset as i32);
        let word = cx.target.word();
        cx.target.emit_frame_store(cx.buf, word, t, slot);
        cx.unpin(t);
    }
    Ok(())
}

/// Takes a value that arrived by address out of the caller's memory; gives the register of the address, if it came in one.
pub(super) fn receive<T: Target>(
    cx: &mut Stream<'_, T>,
    moves: &mut Moves,
    v: Value,
    pointer: &Piece,
    size: u64,
) -> Result<Option<PReg>, CompileError> {
    let file = cx.target.registers();
    let (mut base, mut register) = (file.entry_scratch, None);
    match pointer.place {
        Place::Stack { offset } => {
            let at = cx.frame.incoming(offset as i32);
            cx.target.emit_frame_load(cx.buf, cx.target.word(), base, at);
        }
        Place::Reg(r) | Place::RegPlus { reg: r, .. } => {
            if let Some(r) = PReg::from_abi(r) {
                (base, register) = (r, Some(r));
            }
        }
    }
    // The vector register that is nobody's home carries the bytes.
    let spare = file.edge_scratch & !file.allocatable & !0xffff_ffff;
    let via = PReg(spare.trailing_zeros() as u8);
    let place = cx.frame.add(16, 16).ok_or_else(|| CompileError::frame_too_large(cx.f))?;
    let at = cx.frame.addr(place, 0);
    cx.target.emit_load(cx.buf, via, base, 0, (size.min(16) as u32).next_power_of_two());
    cx.target.emit_frame_store(cx.buf, PartKind::V128, via, at);
    let kind = cx.units.kind(v.0);
    for part in 0..cx.units.parts(v) {
        let at = shift(at, i32::from(part) * kind.bytes() as i32);
        let dst = cx.home(v, part)?;
        arrives(cx, v, part, at);
        moves.add(dst, MoveSrc::Memory(at), kind);
    }
    Ok(register)
}
