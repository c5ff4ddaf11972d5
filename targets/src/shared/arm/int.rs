//! Integers of at most a register's size.

use gusset_codegen::alloc::Emitter;
use gusset_codegen::error::Result;
use gusset_codegen::ir::{Opcode, Type, Value};

use super::family::{Encoder, Family, Sum};
use super::operand::{extended, has_zeros_above, overflow_condition, reg, temp};
use super::{Cond, Gpr, Shift, gpr};
use crate::shared::Node;
use crate::shared::results::{change, define, leaves_carry};

/// Emits an instruction on integers.
pub(crate) fn select<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    use Opcode::*;
    match d.op {
        Umin => min_max(cx, d, Cond::Lo),
        Umax => min_max(cx, d, Cond::Hi),
        Smin => min_max(cx, d, Cond::Lt),
        Smax => min_max(cx, d, Cond::Gt),
        UaddSat | UsubSat | SaddSat | SsubSat => saturating(cx, d),
        UaddOv | UsubOv if leaves_carry(cx, d.inst) => T::select_wide(cx, d),
        UaddOv | UsubOv => overflow(cx, d, false),
        SaddOv | SsubOv => overflow(cx, d, true),
        Ctlz | Cttz => count_zeros(cx, d),
        Bswap | Bitreverse => reverse(cx, d),
        Zext => extend(cx, d, false),
        Sext => extend(cx, d, true),
        Trunc => truncate(cx, d),
        _ => T::select_int(cx, d),
    }
}

fn min_max<T: Family>(cx: &mut Emitter<'_, T>, d: &Node, keep: Cond) -> Result {
    let w = T::width(d.ty);
    let signed = matches!(keep, Cond::Lt | Cond::Gt);
    let (x, y) = (extended(cx, d.a, signed)?, extended(cx, d.b, signed)?);
    cx.target.encoder(cx.buf).compare_registers(w, x, y);
    define(cx, d.r, |cx, dst| cx.target.encoder(cx.buf).choose(w, gpr(dst), (x, y), keep))
}

/// Saturating addition and subtraction. Narrow values are computed at the upper end of a register.
fn saturating<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    use Opcode::*;
    let w = T::width(d.ty);
    let (mut x, mut y) = (reg(cx, d.a)?, reg(cx, d.b)?);
    let up = d.ty.bits().max(32) - d.ty.bits();
    if up > 0 {
        let (t, u) = (temp(cx)?, temp(cx)?);
        let mut e = cx.target.encoder(cx.buf);
        e.shift(Shift::Lsl, w, t, x, up);
        e.shift(Shift::Lsl, w, u, y, up);
        (x, y) = (t, u);
    }
    define(cx, d.r, |cx, dst| {
        let g = gpr(dst);
        let mut e = cx.target.encoder(cx.buf);
        e.sum(w, Sum { adds: matches!(d.op, UaddSat | SaddSat), carries: false }, g, x, y);
        e.limit(w, d.op, g, g);
        if up > 0 {
            e.shift(if matches!(d.op, UaddSat | UsubSat) { Shift::Lsr } else { Shift::Asr }, w, g, g, up);
        }
    })
}

/// Addition and subtraction with overflow flag.
fn overflow<T: Family>(cx: &mut Emitter<'_, T>, d: &Node, signed: bool) -> Result {
    let adds = matches!(d.op, Opcode::UaddOv | Opcode::SaddOv);
    if d.ty.bits() >= 32 {
        let t = T::sum_with(cx, (d.a, d.b), adds, signed)?;
        return set_with_flag(cx, d.r, t, overflow_condition(d.op));
    }
    let (x, y) = (extended(cx, d.a, signed)?, extended(cx, d.b, signed)?);
    let t = temp(cx)?;
    cx.target.encoder(cx.buf).sum(T::width(d.ty), Sum { adds, carries: false }, t, x, y);
    narrow_overflow(cx, d.r, t, d.ty, signed)
}

/// A result in 32 bits, which overflows if it is not the extension of its lower bits.
pub(crate) fn narrow_overflow<T: Family>(cx: &mut Emitter<'_, T>, r: Value, t: Gpr, ty: Type, signed: bool) -> Result {
    let target = cx.target;
    target.compare_extension(&mut target.encoder(cx.buf), t, ty, signed);
    set_with_flag(cx, r, t, Cond::Ne)
}

/// Binds a result and the truth value after it.
pub(crate) fn set_with_flag<T: Family>(cx: &mut Emitter<'_, T>, r: Value, t: Gpr, cond: Cond) -> Result {
    let (flag, t) = (Value(r.0 + 1), gusset_codegen::machine::PReg::int(t.0));
    if cx.live.count(flag) == 0 {
        return cx.set(r, 0, t);
    }
    let f = cx.temp(false, None)?;
    cx.target.encoder(cx.buf).set_if(gpr(f), cond);
    cx.set(r, 0, t)?;
    cx.set(flag, 0, f)
}

fn count_zeros<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    let (w, bits, leading) = (T::width(d.ty), d.ty.bits(), d.op == Opcode::Ctlz);
    let mut x = if leading { extended(cx, d.a, false)? } else { reg(cx, d.a)? };
    if bits < 32 && !leading && d.flags == 0 {
        // A bit above the value stops the search.
        let t = temp(cx)?;
        cx.target.encoder(cx.buf).set_bit(w, t, x, bits);
        x = t;
    }
    define(cx, d.r, |cx, dst| {
        let (g, mut e) = (gpr(dst), cx.target.encoder(cx.buf));
        e.count_zeros(w, g, x, leading);
        if bits < 32 && leading {
            e.increase(w, g, g, bits as i32 - 32);
        }
    })
}

/// Bytes or bits reversed.
fn reverse<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    let (w, bits) = (T::width(d.ty), d.ty.bits());
    let x = reg(cx, d.a)?;
    define(cx, d.r, |cx, dst| {
        let (target, g) = (cx.target, gpr(dst));
        let mut e = target.encoder(cx.buf);
        target.reverse(&mut e, w, d.op == Opcode::Bswap, g, x);
        if bits < 32 {
            e.shift(Shift::Lsr, w, g, g, 32 - bits);
        }
    })
}

fn extend<T: Family>(cx: &mut Emitter<'_, T>, d: &Node, signed: bool) -> Result {
    if let Some(i) = cx.deferred(d.a)
        && cx.f.inst(i).op == Opcode::Load
    {
        let load = Node::of(cx.f, i);
        return T::load_extended(cx, d, &load, signed);
    }
    if !signed && has_zeros_above(cx.f, d.a, cx.is_optimized()) && cx.deferred(d.a).is_none() {
        return change(cx, (d.r, d.a), |_, _| {});
    }
    let (x, bits) = (reg(cx, d.a)?, cx.ty(d.a).bits());
    define(cx, d.r, |cx, dst| {
        let target = cx.target;
        target.extend(&mut target.encoder(cx.buf), T::width(d.ty), signed, gpr(dst), x, bits);
    })
}

/// Narrowed.
pub(crate) fn truncate<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    if d.ty == Type::I8
        && let Some(load) = cx.deferred(d.a).map(|i| Node::of(cx.f, i))
        && load.op == Opcode::Load
    {
        let dst = cx.def(d.r, 0)?;
        cx.nested(|cx| T::load_byte(cx, &load, gpr(dst)))?;
        return cx.set(d.r, 0, dst);
    }
    if d.ty != Type::I1 {
        return change(cx, (d.r, d.a), |_, _| {});
    }
    let x = gpr(cx.use_part(d.a, 0)?);
    define(cx, d.r, |cx, dst| {
        let target = cx.target;
        target.extend(&mut target.encoder(cx.buf), T::width(d.ty), false, gpr(dst), x, 1);
    })
}
