//! Integers of up to 64 bits.

use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{Opcode, Type, Value};

use super::operand::*;
use crate::aarch64::encode::ops::*;
use crate::aarch64::encode::{TEMP, logical_immediate};
use crate::aarch64::machine::{vreg, width};
use crate::aarch64::reg::{Cond, Extend, Fp, Gpr, Lanes, Shift, Width, ZR};
use crate::aarch64::registers::{CALLEE, VTEMP};

/// Emits an instruction on integers of up to 64 bits.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Done {
    use Opcode::*;
    match d.op {
        Iadd => add_or_subtract(cx, d, ADD),
        Isub => add_or_subtract(cx, d, SUB),
        And => bitwise(cx, d, AND),
        Or => bitwise(cx, d, ORR),
        Xor => bitwise(cx, d, EOR),
        Imul => multiply(cx, d),
        Udiv | Urem => divide(cx, d, false),
        Sdiv | Srem => divide(cx, d, true),
        Shl => shift(cx, d, Shift::Lsl),
        Lshr => shift(cx, d, Shift::Lsr),
        Ashr => shift(cx, d, Shift::Asr),
        Umin => min_max(cx, d, Cond::Lo),
        Umax => min_max(cx, d, Cond::Hi),
        Smin => min_max(cx, d, Cond::Lt),
        Smax => min_max(cx, d, Cond::Gt),
        Iabs => abs(cx, d),
        UaddSat | UsubSat | SaddSat | SsubSat => saturating(cx, d),
        UaddOv | SaddOv | UsubOv | SsubOv => overflow(cx, d),
        UmulOv => multiply_overflow(cx, d, false),
        SmulOv => multiply_overflow(cx, d, true),
        Ctlz | Cttz => count_zeros(cx, d),
        Ctpop => population(cx, d),
        Bswap | Bitreverse => reverse(cx, d),
        Fshl => funnel(cx, d, true),
        Fshr => funnel(cx, d, false),
        Zext => extend(cx, d, false),
        Sext => extend(cx, d, true),
        Trunc => truncate(cx, d),
        _ => not_yet(cx, d),
    }
}

fn add_or_subtract(cx: &mut Cx<'_>, d: &Node, op: AddSub) -> Done {
    let (a, b) = if op == ADD { ordered(cx, d) } else { (d.a, d.b) };
    // Modulo 2, sums and differences are the same, and stay 0 or 1.
    if d.ty == Type::I1 {
        return bitwise(cx, d, EOR);
    }
    let w = width(d.ty);
    if let Some(i) = cx.deferred(b)
        && cx.f.inst(i).op == Opcode::Imul
    {
        let product = Node::of(cx.f, i);
        let x = reg(cx, a)?;
        let factors = cx.nested(|cx| Ok::<_, CompileError>((reg(cx, product.a)?, reg(cx, product.b)?)))?;
        return define(cx, d.r, |cx, dst| {
            asm(cx).rrrr(if op == ADD { MADD } else { MSUB }, w, gpr(dst), factors, x);
        });
    }
    if let (gusset_codegen::alloc::Where::Slot(slot), Some(n)) = (cx.whereabouts(a, 0), cx.f.int_constant_signed(b))
        && let Ok(n) = i32::try_from(if op == ADD { n } else { n.wrapping_neg() })
        && let Some(at) = cx.slot_addr(slot, n)
    {
        return define(cx, d.r, |cx, dst| asm(cx).address(gpr(dst), gpr(at.base), at.disp));
    }
    let x = if op == SUB { reg_or_zero(cx, a)? } else { reg(cx, a)? };
    if let Some(n) = cx.f.int_constant_signed(b) {
        let n = if op == ADD { n } else { n.wrapping_neg() };
        if x != ZR && n.unsigned_abs() < 1 << 24 {
            return define(cx, d.r, |cx, dst| asm(cx).add_number(w, gpr(dst), x, n));
        }
    }
    let y = match add_rhs(cx, b)? {
        // Where immediates and extensions go, register 31 is the stack pointer.
        Rhs::Extended(y, extend) if x == ZR => {
            let t = temp(cx)?;
            asm(cx).mov(w, t, ZR);
            return define(cx, d.r, |cx, dst| asm(cx).add_extended(op, w, gpr(dst), t, (y, extend, 0)));
        }
        Rhs::Imm(_) | Rhs::Negative(_) if x == ZR => Rhs::Reg(reg(cx, b)?),
        y => y,
    };
    define(cx, d.r, |cx, dst| {
        add(cx, op, w, gpr(dst), x, y);
    })
}

fn bitwise(cx: &mut Cx<'_>, d: &Node, op: Logic) -> Done {
    let (a, b) = ordered(cx, d);
    let w = width(d.ty);
    let x = reg(cx, a)?;
    if op == EOR && cx.f.int_constant_signed(b) == Some(-1) && d.ty != Type::I1 {
        return define(cx, d.r, |cx, dst| asm(cx).logic_rr(ORN, w, gpr(dst), ZR, x));
    }
    let y = match cx.f.int_constant(b) {
        // A truth value is 0 or 1 in its register.
        Some(n) if d.ty == Type::I1 && n & 1 != 0 => Rhs::Imm(0),
        _ => logic_rhs(cx, b)?,
    };
    define(cx, d.r, |cx, dst| {
        logic(cx, op, w, gpr(dst), x, y);
    })
}

fn multiply(cx: &mut Cx<'_>, d: &Node) -> Done {
    let (a, b) = ordered(cx, d);
    let w = width(d.ty);
    let x = reg(cx, a)?;
    let n = cx.f.int_constant_signed(b).unwrap_or(0);
    if n > 0 && (n as u64).is_power_of_two() {
        return define(cx, d.r, |cx, dst| asm(cx).shift_ri(Shift::Lsl, w, gpr(dst), x, n.trailing_zeros()));
    }
    if n > 2 && (n as u64 - 1).is_power_of_two() {
        return define(cx, d.r, |cx, dst| {
            asm(cx).add_shifted(ADD, w, gpr(dst), x, (x, Shift::Lsl, (n - 1).trailing_zeros()))
        });
    }
    let y = reg(cx, b)?;
    define(cx, d.r, |cx, dst| asm(cx).rrrr(MADD, w, gpr(dst), (x, y), ZR))
}

fn divide(cx: &mut Cx<'_>, d: &Node, signed: bool) -> Done {
    let (a, b) = (d.a, d.b);
    let w = width(d.ty);
    let remainder = matches!(d.op, Opcode::Urem | Opcode::Srem);
    let x = extended(cx, a, signed)?;
    if let Some(n) = cx.f.int_constant(b).filter(|n| n.is_power_of_two() && !signed) {
        return define(cx, d.r, |cx, dst| {
            let mut e = asm(cx);
            match (remainder, logical_immediate(w, n as u64 - 1)) {
                (false, _) => e.shift_ri(Shift::Lsr, w, gpr(dst), x, n.trailing_zeros()),
                (true, Some(field)) => e.logic_ri(AND, w, gpr(dst), x, field),
                (true, None) => e.mov(w, gpr(dst), ZR),
            }
        });
    }
    let y = extended(cx, b, signed)?;
    let op = if signed { SDIV } else { UDIV };
    if remainder {
        return define(cx, d.r, |cx, dst| {
            asm(cx).rrr(op, w, TEMP, x, y);
            asm(cx).rrrr(MSUB, w, gpr(dst), (TEMP, y), x);
        });
    }
    define(cx, d.r, |cx, dst| asm(cx).rrr(op, w, gpr(dst), x, y))
}

fn shift(cx: &mut Cx<'_>, d: &Node, shift: Shift) -> Done {
    let (a, b) = (d.a, d.b);
    let (w, bits) = (width(d.ty), d.ty.bits());
    if cx.f.constant(b).is_some() {
        // Any number will do for poison.
        let n = cx.f.int_constant(b).unwrap_or(0) as u32 % bits.max(1).next_power_of_two();
        let x = reg(cx, a)?;
        return define(cx, d.r, |cx, dst| {
            let mut e = asm(cx);
            match shift {
                Shift::Lsr if bits < 32 => e.bitfield(UBFM, w, gpr(dst), x, (n, bits - 1)),
                Shift::Asr if bits < 32 => e.bitfield(SBFM, w, gpr(dst), x, (n, bits - 1)),
                _ => e.shift_ri(shift, w, gpr(dst), x, n),
            }
        });
    }
    let x = if shift == Shift::Lsl { reg(cx, a)? } else { extended(cx, a, shift == Shift::Asr)? };
    let n = reg(cx, b)?;
    define(cx, d.r, |cx, dst| {
        let op = match shift {
            Shift::Lsl => LSLV,
            Shift::Lsr => LSRV,
            _ => ASRV,
        };
        asm(cx).rrr(op, w, gpr(dst), x, n);
    })
}

fn min_max(cx: &mut Cx<'_>, d: &Node, keep: Cond) -> Done {
    let w = width(d.ty);
    let signed = matches!(keep, Cond::Lt | Cond::Gt);
    let (x, y) = (extended(cx, d.a, signed)?, extended(cx, d.b, signed)?);
    asm(cx).add_rr(SUBS, w, ZR, x, y);
    define(cx, d.r, |cx, dst| asm(cx).choice(CSEL, w, gpr(dst), (x, y), keep))
}

fn abs(cx: &mut Cx<'_>, d: &Node) -> Done {
    let w = width(d.ty);
    let x = extended(cx, d.a, true)?;
    asm(cx).add_ri(SUBS, w, ZR, x, 0);
    define(cx, d.r, |cx, dst| asm(cx).choice(CSNEG, w, gpr(dst), (x, x), Cond::Ge))
}

/// Saturating addition and subtraction. Narrow values are computed with at the upper end of a register.
fn saturating(cx: &mut Cx<'_>, d: &Node) -> Done {
    use Opcode::*;
    let (w, bits) = (width(d.ty), d.ty.bits());
    let (mut x, mut y) = (reg(cx, d.a)?, reg(cx, d.b)?);
    let up = w.bits() - bits;
    if up > 0 {
        let (t, u) = (temp(cx)?, temp(cx)?);
        let mut e = asm(cx);
        e.shift_ri(Shift::Lsl, w, t, x, up);
        e.shift_ri(Shift::Lsl, w, u, y, up);
        (x, y) = (t, u);
    }
    define(cx, d.r, |cx, dst| {
        let g = gpr(dst);
        let adds = matches!(d.op, UaddSat | SaddSat);
        let mut e = asm(cx);
        e.add_rr(if adds { ADDS } else { SUBS }, w, g, x, y);
        match d.op {
            UaddSat => e.choice(CSINV, w, g, (g, ZR), Cond::Lo),
            UsubSat => e.choice(CSEL, w, g, (g, ZR), Cond::Hs),
            _ => {
                // After overflow the sign is the wrong one.
                e.shift_ri(Shift::Asr, w, TEMP, g, w.bits() - 1);
                if let Some(field) = logical_immediate(w, 1 << (w.bits() - 1)) {
                    e.logic_ri(EOR, w, TEMP, TEMP, field);
                }
                e.choice(CSEL, w, g, (TEMP, g), Cond::Vs);
            }
        }
        if up > 0 {
            e.shift_ri(if matches!(d.op, UaddSat | UsubSat) { Shift::Lsr } else { Shift::Asr }, w, g, g, up);
        }
    })
}

/// Addition and subtraction with overflow flag.
fn overflow(cx: &mut Cx<'_>, d: &Node) -> Done {
    use Opcode::*;
    let (w, bits) = (width(d.ty), d.ty.bits());
    let signed = matches!(d.op, SaddOv | SsubOv);
    let adds = matches!(d.op, UaddOv | SaddOv);
    let (a, b) = (d.a, d.b);
    if bits < 32 {
        let (x, y) = (extended(cx, a, signed)?, extended(cx, b, signed)?);
        let t = temp(cx)?;
        asm(cx).add_rr(if adds { ADD } else { SUB }, w, t, x, y);
        return narrow_overflow(cx, d.r, t, d.ty, signed);
    }
    let x = reg(cx, a)?;
    let y = add_rhs(cx, b)?;
    let t = temp(cx)?;
    // An immediate's opposite has other carries, and the same overflow.
    let y = match y {
        Rhs::Negative(_) if !signed => Rhs::Reg(reg(cx, b)?),
        y => y,
    };
    add(cx, if adds { ADDS } else { SUBS }, w, t, x, y);
    let cond = match (signed, adds) {
        (true, _) => Cond::Vs,
        (false, true) => Cond::Hs,
        (false, false) => Cond::Lo,
    };
    set_with_flag(cx, d.r, t, cond)
}

/// A result in 32 bits, which overflows if it is not the extension of its lower bits.
fn narrow_overflow(cx: &mut Cx<'_>, r: Value, t: Gpr, ty: Type, signed: bool) -> Done {
    asm(cx).add_extended(SUBS, Width::W, ZR, t, (t, extension(ty, signed), 0));
    set_with_flag(cx, r, t, Cond::Ne)
}

/// Binds a result and the truth value behind it.
fn set_with_flag(cx: &mut Cx<'_>, r: Value, t: Gpr, cond: Cond) -> Done {
    let flag = Value(r.0 + 1);
    let t = gusset_codegen::machine::PReg::int(t.0);
    if cx.live.count(flag) == 0 {
        return cx.set(r, 0, t);
    }
    let f = cx.temp(false, None)?;
    asm(cx).cset(gpr(f), cond);
    cx.set(r, 0, t)?;
    cx.set(flag, 0, f)
}

fn multiply_overflow(cx: &mut Cx<'_>, d: &Node, signed: bool) -> Done {
    let bits = d.ty.bits();
    let (x, y) = (extended(cx, d.a, signed)?, extended(cx, d.b, signed)?);
    let t = temp(cx)?;
    let mut e = asm(cx);
    match bits {
        64 => {
            e.high_product(if signed { SMULH } else { UMULH }, TEMP, x, y);
            e.rrrr(MADD, Width::X, t, (x, y), ZR);
            if signed {
                e.add_shifted(SUBS, Width::X, ZR, TEMP, (t, Shift::Asr, 63));
            } else {
                e.add_rr(SUBS, Width::X, ZR, ZR, TEMP);
            }
        }
        32 => {
            e.long_product(if signed { SMADDL } else { UMADDL }, t, (x, y), ZR);
            if signed {
                e.add_extended(SUBS, Width::X, ZR, t, (t, Extend::Sxtw, 0));
            } else {
                e.add_shifted(SUBS, Width::X, ZR, ZR, (t, Shift::Lsr, 32));
            }
        }
        _ => {
            e.rrrr(MADD, Width::W, t, (x, y), ZR);
            return narrow_overflow(cx, d.r, t, d.ty, signed);
        }
    }
    set_with_flag(cx, d.r, t, Cond::Ne)
}

fn count_zeros(cx: &mut Cx<'_>, d: &Node) -> Done {
    let (w, bits) = (width(d.ty), d.ty.bits());
    if d.op == Opcode::Ctlz {
        let x = extended(cx, d.a, false)?;
        return define(cx, d.r, |cx, dst| {
            let mut e = asm(cx);
            e.rr(CLZ, w, gpr(dst), x);
            if bits < 32 {
                e.add_number(w, gpr(dst), gpr(dst), i64::from(bits) - 32);
            }
        });
    }
    let x = reg(cx, d.a)?;
    define(cx, d.r, |cx, dst| {
        let g = gpr(dst);
        let mut e = asm(cx);
        e.rr(RBIT, w, g, x);
        if bits < 32
            && let Some(field) = logical_immediate(w, 1 << (31 - bits))
        {
            // A bit above the value stops the search.
            e.logic_ri(ORR, w, g, g, field);
        }
        e.rr(CLZ, w, g, g);
    })
}

/// Bits are counted in the bytes of a vector.
fn population(cx: &mut Cx<'_>, d: &Node) -> Done {
    let x = extended(cx, d.a, false)?;
    define(cx, d.r, |cx, dst| {
        let v = vreg(VTEMP);
        let mut e = asm(cx);
        let (w, ty) = if d.ty.bits() <= 32 { (Width::W, Fp::S) } else { (Width::X, Fp::D) };
        e.from_int(FMOV_FROM_INT, w, ty, v, x);
        e.vrr(V_CNT, Lanes::B8, v, v);
        e.across(V_ADDV, Lanes::B8, v, v);
        e.to_int(FMOV_TO_INT, Width::W, Fp::S, gpr(dst), v);
    })
}

/// Bytes or bits reversed.
fn reverse(cx: &mut Cx<'_>, d: &Node) -> Done {
    let (w, bits) = (width(d.ty), d.ty.bits());
    let x = reg(cx, d.a)?;
    define(cx, d.r, |cx, dst| {
        let g = gpr(dst);
        let mut e = asm(cx);
        e.rr(if d.op == Opcode::Bswap { REV } else { RBIT }, w, g, x);
        if bits < 32 {
            e.shift_ri(Shift::Lsr, w, g, g, 32 - bits);
        }
    })
}

fn funnel(cx: &mut Cx<'_>, d: &Node, left: bool) -> Done {
    let (a, b, n) = (d.a, d.b, d.c);
    let (w, bits) = (width(d.ty), d.ty.bits());
    if bits < 32 {
        return narrow_funnel(cx, d, left);
    }
    if let Some(n) = cx.f.int_constant(n) {
        let n = (n % u128::from(bits)) as u32;
        // Of both together, the bits from here on.
        let from = if left { (bits - n) % bits } else { n };
        let (x, y) = (reg(cx, a)?, reg(cx, b)?);
        return define(cx, d.r, |cx, dst| match (n, left) {
            (0, true) => asm(cx).mov(w, gpr(dst), x),
            (0, false) => asm(cx).mov(w, gpr(dst), y),
            _ => asm(cx).extr(w, gpr(dst), x, y, from),
        });
    }
    let n = reg(cx, n)?;
    if a == b {
        let x = reg(cx, a)?;
        return define(cx, d.r, |cx, dst| {
            if left {
                asm(cx).add_rr(SUB, w, TEMP, ZR, n);
            }
            asm(cx).rrr(RORV, w, gpr(dst), x, if left { TEMP } else { n });
        });
    }
    let (x, y) = (reg(cx, a)?, reg(cx, b)?);
    let (t, u) = (TEMP, gpr(CALLEE));
    let mut e = asm(cx);
    // The other operand goes one step, then the rest of the way: an amount of the whole width is none.
    e.logic_rr(ORN, w, u, ZR, n);
    if left {
        e.shift_ri(Shift::Lsr, w, t, y, 1);
        e.rrr(LSRV, w, t, t, u);
        e.rrr(LSLV, w, u, x, n);
    } else {
        e.shift_ri(Shift::Lsl, w, t, x, 1);
        e.rrr(LSLV, w, t, t, u);
        e.rrr(LSRV, w, u, y, n);
    }
    define(cx, d.r, |cx, dst| asm(cx).logic_rr(ORR, w, gpr(dst), t, u))
}

/// Both values side by side in 32 bits.
fn narrow_funnel(cx: &mut Cx<'_>, d: &Node, left: bool) -> Done {
    let (w, bits) = (Width::W, d.ty.bits());
    let (x, y) = (reg(cx, d.a)?, reg(cx, d.b)?);
    let n = reg(cx, d.c)?;
    let (t, u) = (TEMP, gpr(CALLEE));
    let mut e = asm(cx);
    e.extend(false, w, t, y, bits);
    e.bitfield(BFM, w, t, x, (32 - bits, bits - 1));
    if let Some(field) = logical_immediate(w, u64::from(bits) - 1) {
        e.logic_ri(AND, w, u, n, field);
    }
    e.rrr(if left { LSLV } else { LSRV }, w, t, t, u);
    define(cx, d.r, |cx, dst| {
        let mut e = asm(cx);
        if left {
            e.shift_ri(Shift::Lsr, w, gpr(dst), t, bits);
        } else {
            e.mov(w, gpr(dst), t);
        }
    })
}

fn extend(cx: &mut Cx<'_>, d: &Node, signed: bool) -> Done {
    let a = d.a;
    let from = cx.ty(a);
    if let Some(i) = cx.deferred(a)
        && cx.f.inst(i).op == Opcode::Load
    {
        let load = Node::of(cx.f, i);
        return super::memory::load_extended(cx, d.r, &load, signed, d.ty);
    }
    let x = reg(cx, a)?;
    define(cx, d.r, |cx, dst| {
        let w = width(d.ty);
        let mut e = asm(cx);
        match (from.bits(), signed) {
            // Truth values are 0 or 1 in eight bits.
            (1, true) => e.bitfield(SBFM, w, gpr(dst), x, (0, 0)),
            (bits, _) => e.extend(signed, w, gpr(dst), x, bits),
        }
    })
}

fn truncate(cx: &mut Cx<'_>, d: &Node) -> Done {
    if d.ty == Type::I1 {
        let x = reg(cx, d.a)?;
        return define(cx, d.r, |cx, dst| {
            // The number 1.
            asm(cx).logic_ri(AND, Width::W, gpr(dst), x, 0);
        });
    }
    change(cx, (d.r, d.a), |_, _| {})
}

/// Address arithmetic: base plus scaled index.
pub(crate) fn index_address(cx: &mut Cx<'_>, d: &Node) -> Done {
    let (a, b) = (d.a, d.b);
    if let Some(n) = d.constant_index(cx.f) {
        let x = reg(cx, a)?;
        return define(cx, d.r, |cx, dst| asm(cx).add_number(Width::X, gpr(dst), x, n.into()));
    }
    let base = reg(cx, a)?;
    if d.c.0.is_power_of_two() {
        let index = index(cx, b)?;
        return define(cx, d.r, |cx, dst| {
            add_scaled(cx, gpr(dst), base, index, d.c.0);
        });
    }
    let y = reg(cx, b)?;
    define(cx, d.r, |cx, dst| {
        asm(cx).mov_number(Width::X, TEMP, i64::from(d.c.0 as i32) as u64);
        asm(cx).rrrr(MADD, Width::X, gpr(dst), (y, TEMP), base);
    })
}
