//! Loads, stores and copies of exactly as many bytes as a value has.

use super::{carrier, shift};
use crate::alloc::{Stream, Where};
use crate::error::CompileError;
use crate::ir::{Inst, Value, ValueDef};
use crate::machine::{BitsOp, FrameAddr, PReg};
use crate::select::Select;

/// Stores exactly `size` low bytes of a register, shifting it down as it goes where the size is no power of two.
pub(super) fn store_exactly<T: Select>(cx: &mut Stream<'_, T>, r: PReg, at: FrameAddr, size: u32) {
    let word = cx.target.word().bytes();
    let mut done = 0;
    while done < size {
        let left = size - done;
        let step = 1 << left.min(if r.is_float() { 16 } else { word }).ilog2();
        cx.target.emit_store(cx.buf, r, shift(at, done as i32), step);
        done += step;
        if done < size {
            cx.target.emit_bits(cx.buf, r, BitsOp::Right(step as u8 * 8));
        }
    }
}

/// Loads exactly `size` bytes into `r`; `t` is another register to use for odd sizes.
pub(super) fn load_exactly<T: Select>(cx: &mut Stream<'_, T>, r: PReg, t: PReg, base: PReg, disp: i32, size: u32) {
    if size.is_power_of_two() {
        return cx.target.emit_load(cx.buf, r, FrameAddr { base, disp }, size);
    }
    // What is above the largest such number of bytes comes first, and is shifted up.
    let low = 1 << size.min(cx.target.word().bytes()).ilog2();
    load_exactly(cx, r, t, base, disp + low as i32, size - low);
    cx.target.emit_bits(cx.buf, r, BitsOp::Left(low as u8 * 8));
    cx.target.emit_load(cx.buf, t, FrameAddr { base, disp }, low);
    cx.target.emit_bits(cx.buf, r, BitsOp::Or(t));
}

/// Copies exactly `size` bytes between places of the frame by way of the general-purpose register `t`.
pub(super) fn copy_words<T: Select>(cx: &mut Stream<'_, T>, t: PReg, from: FrameAddr, to: FrameAddr, size: u32) {
    let word = cx.target.word().bytes();
    let mut done = 0;
    while done < size {
        let step = 1 << (size - done).min(word).ilog2();
        cx.target.emit_load(cx.buf, t, shift(from, done as i32), step);
        cx.target.emit_store(cx.buf, t, shift(to, done as i32), step);
        done += step;
    }
}

/// Copies bytes from `src + 0` to the outgoing arguments.
pub(super) fn copy_out<T: Select>(
    cx: &mut Stream<'_, T>,
    src: (PReg, i32),
    to: FrameAddr,
    size: u64,
    i: Inst,
) -> Result<(), CompileError> {
    let Ok(size) = u32::try_from(size) else {
        return Err(CompileError::at(cx.f, i, "an argument is larger than 4 GiB"));
    };
    if size > 256 {
        return T::emit_block_copy(cx, src, to, size);
    }
    let bytes = cx.target.registers().byte;
    let odd = !size.is_multiple_of(cx.target.word().bytes());
    let t = if odd && cx.target.registers().allocatable & 0xffff_ffff & !bytes != 0 {
        cx.temp_of(bytes)?
    } else {
        cx.temp(false, None)?
    };
    let v = if size >= 16 { cx.temp(true, None).ok() } else { None };
    let mut done = 0;
    while done < size {
        let left = size - done;
        let (r, step) = match v {
            Some(v) if left >= 16 => (v, 16),
            _ => (t, 1 << left.min(cx.target.word().bytes()).ilog2()),
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
pub(super) fn address<T: Select>(cx: &mut Stream<'_, T>, v: Value) -> Result<(PReg, i32), CompileError> {
    if let ValueDef::Slot(s) = cx.f.value_def(v)
        && let Some(at) = cx.slot_addr(s, 0)
    {
        return Ok((at.base, at.disp));
    }
    Ok((cx.use_reg(v)?, 0))
}

/// Where a value that is never in a register is in memory; a constant is put there.
pub(super) fn in_memory<T: Select>(cx: &mut Stream<'_, T>, v: Value) -> Result<FrameAddr, CompileError> {
    let Where::Const(c) = cx.whereabouts(v, 0) else { return Ok(cx.memory_operand(v)) };
    let (t, at) = (carrier(cx)?, cx.scratch_place(16)?);
    cx.target.emit_memory_const(cx.buf, cx.ty(v), c, t, at)?;
    cx.unpin(t);
    Ok(at)
}
