//! Loads, stores and copies of exactly as many bytes as a value or a part has.

use gusset_abi::{Endian, Extension};

use super::{carrier, extend, shift, wants};
use crate::alloc::{Emitter, Event, Where};
use crate::error::{CompileError, Result};
use crate::ir::{ConstData, Inst, Value, ValueDef};
use crate::machine::{BitsOp, FrameAddr, Machine, PReg, PartKind};
use crate::plan::StackPart;
use crate::select::Select;

/// Stores exactly `size` bytes of a register, as far as memory would have them from its address on: the low bytes, but in a
/// general-purpose register of a big-endian machine the high ones. If the size is not a power of two, the register is shifted down on the
/// way.
pub(super) fn store_exactly<T: Select>(cx: &mut Emitter<'_, T>, r: PReg, at: FrameAddr, size: u32) {
    let (word, endian) = (cx.target.facts().word().bytes(), cx.target.facts().endian());
    if endian.is_big() && !r.is_float() && size < word {
        cx.target.emit_bits(cx.buf, r, BitsOp::Right((word - size) as u8 * 8));
    }
    let mut done = 0;
    while done < size {
        let left = size - done;
        let step = 1 << left.min(if r.is_float() { 16 } else { word }).ilog2();
        let to = shift(at, endian.place(done, step, size) as i32);
        cx.target.emit_store(cx.buf, r, to, step);
        done += step;
        if done < size {
            cx.target.emit_bits(cx.buf, r, BitsOp::Right(step as u8 * 8));
        }
    }
}

/// Loads exactly `size` bytes into `r`, as [`store_exactly`] expects them; `t` is another register for sizes that are not powers
/// of two.
pub(super) fn load_exactly<T: Select>(cx: &mut Emitter<'_, T>, r: PReg, t: PReg, base: PReg, disp: i32, size: u32) {
    load_number(cx, r, t, base, disp, size);
    let word = cx.target.facts().word().bytes();
    if cx.target.facts().endian().is_big() && !r.is_float() && size < word {
        cx.target.emit_bits(cx.buf, r, BitsOp::Left((word - size) as u8 * 8));
    }
}

/// Loads a number of `size` bytes.
fn load_number<T: Select>(cx: &mut Emitter<'_, T>, r: PReg, t: PReg, base: PReg, disp: i32, size: u32) {
    if size.is_power_of_two() {
        return cx.target.emit_load(cx.buf, r, FrameAddr { base, disp }, size);
    }
    // The bytes above the largest power of two are loaded first, and are shifted up.
    let low = 1 << size.min(cx.target.facts().word().bytes()).ilog2();
    let (above, below) = match cx.target.facts().endian() {
        Endian::Little => (low, 0),
        Endian::Big => (0, size - low),
    };
    load_number(cx, r, t, base, disp + above as i32, size - low);
    cx.target.emit_bits(cx.buf, r, BitsOp::Left(low as u8 * 8));
    cx.target.emit_load(cx.buf, t, FrameAddr { base, disp: disp + below as i32 }, low);
    cx.target.emit_bits(cx.buf, r, BitsOp::Or(t));
}

/// The widest access, in bytes, by a general-purpose register to memory of an alignment.
fn widest<T: Select>(cx: &Emitter<'_, T>, align: u32) -> u32 {
    let word = cx.target.facts().word().bytes();
    let wanted = cx.target.facts().wanted_alignment(cx.f.attrs.strict_alignment);
    if align < wanted.general { align.clamp(1, word) } else { word }
}

/// Like [`widest`], if that is less than a register's width.
pub(super) fn narrower<T: Select>(cx: &Emitter<'_, T>, r: PReg, align: u32) -> Option<u32> {
    let most = widest(cx, align);
    let narrow = most < cx.target.facts().word().bytes();
    (narrow || r.is_float() && align < cx.target.facts().wanted_alignment(cx.f.attrs.strict_alignment).float)
        .then_some(most)
}

/// Copies exactly `size` bytes through the register `t`, at most `most` at a time.
pub(super) fn copy_words<T: Select>(
    cx: &mut Emitter<'_, T>,
    t: PReg,
    from: FrameAddr,
    to: FrameAddr,
    size: u32,
    most: u32,
) {
    let mut done = 0;
    while done < size {
        let step = 1 << (size - done).min(most).ilog2();
        cx.target.emit_load(cx.buf, t, shift(from, done as i32), step);
        cx.target.emit_store(cx.buf, t, shift(to, done as i32), step);
        done += step;
    }
}

/// Copies bytes from memory of an alignment to the outgoing arguments.
pub(super) fn copy_out<T: Select>(
    cx: &mut Emitter<'_, T>,
    (src, align): ((PReg, i32), u32),
    to: FrameAddr,
    size: u64,
    i: Inst,
) -> Result {
    let Ok(size) = u32::try_from(size) else {
        return Err(CompileError::at(cx.f, i, "an argument is larger than 4 GiB"));
    };
    let most = widest(cx, align);
    if size > 256 {
        return T::emit_block_copy(cx, src, to, size, most);
    }
    let bytes = cx.target.facts().registers.byte;
    let odd = !size.is_multiple_of(cx.target.facts().word().bytes());
    let t = if odd && cx.target.facts().registers.allocatable & 0xffff_ffff & !bytes != 0 {
        cx.temp_of(bytes)?
    } else {
        cx.temp(false, None)?
    };
    let whole = cx.target.facts().registers.halves == 0;
    let v = if size >= 16 && whole { cx.temp(true, None).ok() } else { None };
    let mut done = 0;
    while done < size {
        let left = size - done;
        let (r, step) = match v {
            Some(v) if left >= 16 => (v, 16),
            _ => (t, 1 << left.min(most).ilog2()),
        };
        cx.target.emit_load(cx.buf, r, FrameAddr { base: src.0, disp: src.1 + done as i32 }, step);
        cx.target.emit_store(cx.buf, r, shift(to, done as i32), step);
        done += step;
    }
    cx.unpin(t);
    if let Some(v) = v {
        cx.unpin(v);
    }
    Ok(())
}

/// A base register and displacement for the memory that `v` is the address of.
pub(super) fn address<T: Select>(cx: &mut Emitter<'_, T>, v: Value) -> Result<(PReg, i32)> {
    if let ValueDef::Slot(s) = cx.f.value_def(v)
        && let Some(at) = cx.slot_addr(s, 0)
    {
        return Ok((at.base, at.disp));
    }
    Ok((cx.use_reg(v)?, 0))
}

/// The address of a value that is never in a register; a constant is stored first.
pub(super) fn in_memory<T: Select>(cx: &mut Emitter<'_, T>, v: Value) -> Result<FrameAddr> {
    let Where::Const(c) = cx.whereabouts(v, 0) else { return Ok(cx.memory_operand(v)) };
    let (t, at) = (carrier(cx)?, cx.scratch_place(16)?);
    cx.target.emit_store_const(cx.buf, cx.units_kind(v), c.bits(), Some(t), at);
    cx.unpin(t);
    Ok(at)
}

/// How far into the place of a register of this kind its piece of `size` bytes is: a number in a floating-point register is its low
/// end, and what a general-purpose register holds of an aggregate begins where memory begins.
pub(super) fn piece_in_place<T: Select>(cx: &Emitter<'_, T>, r: PReg, kind: PartKind, size: u32) -> i32 {
    if r.is_float() { cx.target.facts().endian().place(0, size, kind.bytes()) as i32 } else { 0 }
}

/// Stores a part of a value to `to`.
pub(super) fn pass_part<T: Select>(cx: &mut Emitter<'_, T>, v: Value, p: &StackPart, to: FrameAddr) -> Result {
    let (part, kind) = (p.part, p.kind);
    if p.narrow > 0 && kind.is_memory() {
        // A slot in x87's format may be narrower than the place of a value.
        let from = in_memory(cx, v)?;
        let t = cx.temp(false, None)?;
        copy_words(cx, t, from, to, p.narrow, cx.target.facts().word().bytes());
        cx.unpin(t);
        return Ok(());
    }
    let at = cx.whereabouts(v, part);
    if kind.is_memory() {
        let t = carrier(cx)?;
        if let Where::Const(c) = at {
            cx.target.emit_store_const(cx.buf, kind, c.bits(), Some(t), to);
        } else {
            let from = cx.memory_operand(v);
            cx.target.emit_load(cx.buf, t, from, kind.bytes());
            cx.target.emit_store(cx.buf, t, to, kind.bytes());
        }
        cx.unpin(t);
        return Ok(());
    }
    if let (Where::Const(ConstData::Int(n)), Extension::None, false) = (at, p.ext, kind.is_float()) {
        let bits = n >> (u32::from(part) * 8 * kind.bytes());
        if cx.target.emit_store_const(cx.buf, kind, bits, None, to) {
            return Ok(());
        }
    }
    let r = if wants(cx, v, p.ext) || matches!(at, Where::Const(_) | Where::Slot(_)) {
        let t = cx.temp_for(kind, None)?;
        cx.copy_into(t, v, part)?;
        extend(cx, t, p.ext);
        t
    } else {
        cx.use_part(v, part)?
    };
    cx.target.emit_store(cx.buf, r, to, if p.narrow > 0 { p.narrow } else { kind.bytes() });
    // Many arguments may be passed this way, so none keeps its register pinned.
    cx.unpin(r);
    Ok(())
}

/// A place of the frame that belongs to the program.
pub(super) fn new_place<T: Machine>(cx: &mut Emitter<'_, T>, size: u32, align: u32) -> Result<FrameAddr> {
    let place = cx.frame.add(size, align).ok_or_else(|| CompileError::frame_too_large(cx.f))?;
    let at = cx.frame.addr(place, 0);
    cx.note(Event::Memory(at.into(), size));
    Ok(at)
}
