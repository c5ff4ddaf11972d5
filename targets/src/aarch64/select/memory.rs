//! Loads, stores, block operations and dynamic stack.

use gusset_codegen::error::Result;
use gusset_codegen::ir::{Function, InstData, MemFlags, Opcode, Type, Value};
use gusset_codegen::machine::{AccessAlignment, PReg};

use super::constant::vector;
use super::operand::*;
use crate::aarch64::encode::TEMP;
use crate::aarch64::encode::ops::*;
use crate::aarch64::machine::{Aarch64, vreg};
use crate::aarch64::reg::{Gpr, Lanes, Mem, Shift, Width, ZR};
use crate::shared::block::pieces;

/// The load of this many bytes, with zeros above them.
pub(crate) fn load_op(float: bool, bytes: u32) -> Access {
    match (float, bytes) {
        (true, 1) => LDR_B,
        (true, 2) => LDR_H,
        (true, 4) => LDR_S,
        (true, 8) => LDR_D,
        (true, _) => LDR_Q,
        (false, 1) => LDRB,
        (false, 2) => LDRH,
        (false, 4) => LDR_W,
        (false, _) => LDR_X,
    }
}

/// The store of this many bytes.
pub(crate) fn store_op(float: bool, bytes: u32) -> Access {
    // Loads and stores differ in one bit.
    Access(load_op(float, bytes).0 & !(1 << 22))
}

/// Two registers, the one with the low half of their number first, in the order in which memory has them; or the reverse.
pub(super) fn memory_order(cx: &Cx<'_>, (low, high): (Gpr, Gpr)) -> (Gpr, Gpr) {
    if cx.target.facts.endian().is_big() { (high, low) } else { (low, high) }
}

/// A load.
pub(crate) fn load(cx: &mut Cx<'_>, d: &Node) -> Result {
    check_space(cx, d)?;
    let (kind, parts) = cx.target_parts(d.ty);
    if parts == 2 {
        let m = address(cx, d.a, d.b.0 as i32, 0)?;
        let dst = define_pair(cx, d.r)?;
        let (first, second) = memory_order(cx, (gpr(dst.0), gpr(dst.1)));
        asm(cx).access_pair(LDP_X, first, second, m);
        return set_pair(cx, d.r, dst.0, dst.1);
    }
    let bytes = d.ty.store_bytes();
    let m = address(cx, d.a, d.b.0 as i32, bytes)?;
    define(cx, d.r, |cx, dst| {
        note(cx, d.flags, m);
        asm(cx).access(load_op(kind.is_float(), bytes), gpr(dst), m);
    })
}

/// Notes an access that may be combined with others.
fn note(cx: &mut Cx<'_>, flags: u8, m: Mem) {
    if matches!(m, Mem::Base(..)) && !MemFlags(flags).is_volatile() {
        cx.buf.note_access();
    }
}

/// Loads the lowest byte of what a load reads.
pub(crate) fn load_byte(cx: &mut Cx<'_>, load: &Node, to: Gpr) -> Result {
    let at = cx.target.facts.endian().place(0, 1, load.ty.store_bytes());
    let m = address(cx, load.a, load.b.0 as i32 + at as i32, 1)?;
    asm(cx).access(LDRB, to, m);
    Ok(())
}

/// A load that was deferred to its extension.
pub(crate) fn load_extended(cx: &mut Cx<'_>, r: Value, load: &Node, signed: bool, ty: Type) -> Result {
    let bytes = load.ty.store_bytes();
    let m = cx.nested(|cx| address(cx, load.a, load.b.0 as i32, bytes))?;
    define(cx, r, |cx, dst| {
        let wide = ty.bits() > 32;
        let op = match (signed, bytes, wide) {
            (true, 1, false) => LDRSB_W,
            (true, 1, true) => LDRSB_X,
            (true, 2, false) => LDRSH_W,
            (true, 2, true) => LDRSH_X,
            (true, _, _) => LDRSW,
            _ => load_op(false, bytes),
        };
        note(cx, load.flags, m);
        asm(cx).access(op, gpr(dst), m);
    })
}

/// A store.
pub(crate) fn store(cx: &mut Cx<'_>, d: &Node) -> Result {
    check_space(cx, d)?;
    let (kind, parts) = cx.target_parts(d.ty);
    let v = d.b;
    if parts == 2 {
        let (x, y) = pair(cx, v)?;
        let m = address(cx, d.a, d.c.0 as i32, 0)?;
        let (first, second) = memory_order(cx, (x, y));
        asm(cx).access_pair(STP_X, first, second, m);
        return Ok(());
    }
    let bytes = d.ty.store_bytes();
    let zero = bytes <= 8 && is_zero(cx, v);
    let float = kind.is_float() && !zero;
    let x = match (zero, float) {
        (true, _) => ZR,
        (_, true) => gpr(cx.use_reg(v)?),
        _ => stored(cx, v)?,
    };
    let m = address(cx, d.a, d.c.0 as i32, bytes)?;
    note(cx, d.flags, m);
    asm(cx).access(store_op(float, bytes), x, m);
    Ok(())
}

/// Block operations up to this many bytes are done in place.
const INLINE: u128 = 128;

/// Is the block operation done without a library call?
pub(crate) fn is_inline(target: &Aarch64, f: &Function, d: &InstData) -> bool {
    let Some(n) = f.int_constant(Value(d.c)) else { return false };
    match d.op {
        // Nothing is known about the alignment of the addresses.
        _ if n > 0 && target.facts.wanted_alignment(f.attrs.strict_alignment) != AccessAlignment::ANY => false,
        Opcode::Memmove if is_general(target, f) => n <= 16,
        Opcode::Memmove => n <= 64,
        _ => n <= INLINE,
    }
}

/// Are blocks copied by general-purpose registers?
fn is_general(target: &Aarch64, f: &Function) -> bool {
    target.features.no_neon || f.attrs.no_implicit_float
}

/// A byte of a block.
fn at(m: (Gpr, i32), k: u32) -> Mem {
    Mem::Base(m.0, m.1 + k as i32)
}

/// The base and displacement of a block.
fn block_address(cx: &mut Cx<'_>, v: Value) -> Result<(Gpr, i32)> {
    match address(cx, v, 0, 0)? {
        Mem::Base(base, disp) => Ok((base, disp)),
        _ => Ok((reg(cx, v)?, 0)),
    }
}

/// Copies, moves and fills.
pub(crate) fn block(cx: &mut Cx<'_>, d: &Node) -> Result {
    let n = cx.f.int_constant(d.c).unwrap_or(0) as u32;
    if n == 0 {
        return Ok(());
    }
    let to = block_address(cx, d.a)?;
    if is_general(cx.target, cx.f) {
        return block_of_words(cx, d, to, n);
    }
    if d.op == Opcode::Memset {
        if cx.f.constant(d.b).is_none() {
            let (x, t) = (reg(cx, d.b)?, vreg(cx.temp(true, None)?));
            let mut e = asm(cx);
            e.dup(Lanes::B16, t, x);
            pieces(n, 16, true, |k, step| e.access(store_op(true, step), t, at(to, k)));
            return Ok(());
        }
        let byte = cx.f.int_constant(d.b).unwrap_or(0) as u8;
        return fill(cx, to, byte, n);
    }
    let from = block_address(cx, d.b)?;
    // If the blocks may overlap, everything is read before anything is written.
    let mut held = [(0, 0, PReg::default()); 5];
    let most = if d.op == Opcode::Memmove { 5 } else { 2 };
    let mut count = 0;
    let mut cut = Vec::new();
    pieces(n, 16, true, |k, step| cut.push((k, step)));
    for (index, &(k, step)) in cut.iter().enumerate() {
        let t = if index < most { cx.temp(true, None)? } else { held[count].2 };
        held[count] = (k, step, t);
        asm(cx).access(load_op(true, step), vreg(t), at(from, k));
        count += 1;
        if count == most {
            flush(cx, to, &held[..count]);
            count = 0;
        }
    }
    flush(cx, to, &held[..count]);
    Ok(())
}

/// The same by general-purpose registers.
fn block_of_words(cx: &mut Cx<'_>, d: &Node, to: (Gpr, i32), n: u32) -> Result {
    let mut cut = Vec::new();
    pieces(n, 8, true, |k, step| cut.push((k, step)));
    if d.op == Opcode::Memset {
        let byte = cx.f.int_constant(d.b);
        let x = if byte.is_none() { Some(reg(cx, d.b)?) } else { None };
        let t = temp(cx)?;
        let mut e = asm(cx);
        match (x, byte) {
            (Some(x), _) => {
                e.extend(false, Width::W, t, x, 8);
                for by in [8, 16, 32] {
                    e.shift_ri(Shift::Lsl, Width::X, TEMP, t, by);
                    e.logic_rr(ORR, Width::X, t, t, TEMP);
                }
            }
            (None, byte) => e.mov_number(Width::X, t, u64::from_le_bytes([byte.unwrap_or(0) as u8; 8])),
        }
        cut.iter().for_each(|&(k, step)| e.access(store_op(false, step), t, at(to, k)));
        return Ok(());
    }
    let from = block_address(cx, d.b)?;
    // Where the blocks may overlap there are two pieces at most.
    let both = [temp(cx)?, temp(cx)?];
    let mut e = asm(cx);
    for pair in cut.chunks(2) {
        pair.iter().zip(both).for_each(|(&(k, step), t)| e.access(load_op(false, step), t, at(from, k)));
        pair.iter().zip(both).for_each(|(&(k, step), t)| e.access(store_op(false, step), t, at(to, k)));
    }
    Ok(())
}

fn flush(cx: &mut Cx<'_>, to: (Gpr, i32), held: &[(u32, u32, PReg)]) {
    match held {
        [(k, 16, x), (l, 16, y)] if l - k == 16 && (to.1 + *k as i32) % 16 == 0 && to.1.unsigned_abs() < 800 => {
            asm(cx).access_pair(STP_Q, vreg(*x), vreg(*y), at(to, *k));
        }
        _ => held.iter().for_each(|&(k, step, t)| asm(cx).access(store_op(true, step), vreg(t), at(to, k))),
    }
}

/// Sets `n` bytes.
fn fill(cx: &mut Cx<'_>, to: (Gpr, i32), byte: u8, n: u32) -> Result {
    if byte == 0 && n <= 8 {
        pieces(n, 16, true, |k, step| asm(cx).access(store_op(false, step), ZR, at(to, k)));
        return Ok(());
    }
    let t = vreg(cx.temp(true, None)?);
    let reach = cx.target.reach;
    let mut e = asm(cx);
    vector(&mut e, (reach, true), t, u128::from_le_bytes([byte; 16]), 16);
    pieces(n, 16, true, |k, step| e.access(store_op(true, step), t, at(to, k)));
    Ok(())
}

/// A hint that memory will be accessed.
pub(crate) fn prefetch(cx: &mut Cx<'_>, d: &Node) -> Result {
    let m = address(cx, d.a, 0, 0)?;
    // Of three levels of cache, the nearest for data that is used most often; no caching for data that is used once.
    let hint = match d.b.0 >> 1 & 3 {
        0 => 1,
        locality => (3 - locality) << 1,
    };
    asm(cx).access(PRFM, Gpr((hint | (d.b.0 & 1) << 4) as u8), m);
    Ok(())
}

/// Copies a `va_list`: 32 bytes (AAPCS64, section "The va_list type"), on Windows a pointer.
pub(crate) fn va_copy(cx: &mut Cx<'_>, d: &Node) -> Result {
    let (to, from) = (block_address(cx, d.a)?, block_address(cx, d.b)?);
    let pointer = cx.target.windows.is_some();
    if is_general(cx.target, cx.f) {
        let t = temp(cx)?;
        let mut e = asm(cx);
        for k in (0..if pointer { 8 } else { 32 }).step_by(8) {
            e.access(LDR_X, t, at(from, k));
            e.access(STR_X, t, at(to, k));
        }
        return Ok(());
    }
    let (x, y) = (vreg(cx.temp(true, None)?), vreg(cx.temp(true, None)?));
    let mut e = asm(cx);
    if pointer {
        e.access(LDR_D, x, at(from, 0));
        e.access(STR_D, x, at(to, 0));
        return Ok(());
    }
    e.access(LDR_Q, x, at(from, 0));
    e.access(LDR_Q, y, at(from, 16));
    e.access(STR_Q, x, at(to, 0));
    e.access(STR_Q, y, at(to, 16));
    Ok(())
}
