//! Division and remainder.

use gusset_codegen::ir::Opcode;

use super::operand::*;
use crate::aarch64::encode::ops::*;
use crate::aarch64::encode::{Asm, TEMP, logical_immediate};
use crate::aarch64::machine::width;
use crate::aarch64::reg::{Gpr, Shift, Width, ZR};
use crate::aarch64::registers::CALLEE;
use crate::shared::divide::{self, Divisor, divisor};

/// See [`Family::select_int`](crate::shared::arm::family::Family::select_int).
pub(crate) fn divide(cx: &mut Cx<'_>, d: &Node, signed: bool) -> Result {
    let (w, bits) = (width(d.ty), d.ty.bits());
    let remainder = matches!(d.op, Opcode::Urem | Opcode::Srem);
    let by = cx.f.int_constant(d.b).filter(|_| bits >= 8).and_then(|n| divisor(n, bits, signed));
    let x = extended(cx, d.a, signed)?;
    match by {
        Some((Divisor::Power(k), false)) if !signed => define(cx, d.r, |cx, dst| {
            let mut e = asm(cx);
            match (remainder, logical_immediate(w, (1u64 << k) - 1)) {
                (false, _) => e.shift_ri(Shift::Lsr, w, gpr(dst), x, k),
                (true, Some(field)) => e.logic_ri(AND, w, gpr(dst), x, field),
                (true, None) => e.mov(w, gpr(dst), ZR),
            }
        }),
        Some((Divisor::Power(k), negative)) => define(cx, d.r, |cx, dst| {
            by_signed_power(&mut asm(cx), w, gpr(dst), x, (k, negative && !remainder), remainder)
        }),
        Some((Divisor::Product(n), negative)) => define(cx, d.r, |cx, dst| {
            let (g, mut e) = (gpr(dst), asm(cx));
            let q = if remainder { TEMP } else { g };
            if signed {
                signed_quotient(&mut e, w, q, x, n);
            } else {
                unsigned_quotient(&mut e, w, bits, q, x, n);
            }
            if remainder {
                e.mov_number(w, gpr(CALLEE), n);
                e.rrrr(MSUB, w, g, (TEMP, gpr(CALLEE)), x);
            } else if negative {
                e.add_rr(SUB, w, g, ZR, g);
            }
        }),
        None => {
            let y = extended(cx, d.b, signed)?;
            let op = if signed { SDIV } else { UDIV };
            define(cx, d.r, |cx, dst| {
                let (g, mut e) = (gpr(dst), asm(cx));
                if remainder {
                    e.rrr(op, w, TEMP, x, y);
                    e.rrrr(MSUB, w, g, (TEMP, y), x);
                } else {
                    e.rrr(op, w, g, x, y);
                }
            })
        }
    }
}

/// By `2^k` or minus that: negative numbers are increased so that the shift rounds toward zero.
fn by_signed_power(e: &mut Asm<'_>, w: Width, g: Gpr, x: Gpr, (k, negative): (u32, bool), remainder: bool) {
    if k == 0 {
        match (remainder, negative) {
            (true, _) => e.mov(w, g, ZR),
            (false, true) => e.add_rr(SUB, w, g, ZR, x),
            (false, false) => e.mov(w, g, x),
        }
        return;
    }
    let sign = if k == 1 {
        x
    } else {
        e.shift_ri(Shift::Asr, w, TEMP, x, w.bits() - 1);
        TEMP
    };
    e.add_shifted(ADD, w, TEMP, x, (sign, Shift::Lsr, w.bits() - k));
    if remainder {
        e.shift_ri(Shift::Asr, w, TEMP, TEMP, k);
        e.add_shifted(SUB, w, g, x, (TEMP, Shift::Lsl, k));
    } else if negative {
        e.add_shifted(SUB, w, g, ZR, (TEMP, Shift::Asr, k));
    } else {
        e.shift_ri(Shift::Asr, w, g, TEMP, k);
    }
}

/// The quotient by a number that is no power of two. `x`, which is extended, may be in the result's register.
fn unsigned_quotient(e: &mut Asm<'_>, w: Width, bits: u32, q: Gpr, x: Gpr, n: u64) {
    let (t, u) = (TEMP, gpr(CALLEE));
    if w == Width::W {
        let m = divide::unsigned(n, bits, 32);
        if !m.adds && m.before == 0 {
            e.mov_number(w, t, m.multiplier);
            e.long_product(UMADDL, t, (x, t), ZR);
            return e.shift_ri(Shift::Lsr, Width::X, q, t, 32 + m.shift);
        }
    }
    let m = divide::unsigned(n, bits, 64);
    e.mov_number(Width::X, t, m.multiplier);
    let mut from = x;
    if w == Width::W {
        // The bits above 32 are undefined.
        e.mov(Width::W, u, x);
        from = u;
    } else if m.before > 0 {
        e.shift_ri(Shift::Lsr, w, u, x, m.before);
        from = u;
    }
    e.high_product(UMULH, t, from, t);
    if m.adds {
        e.add_rr(SUB, w, u, x, t);
        e.add_shifted(ADD, w, t, t, (u, Shift::Lsr, 1));
    }
    e.shift_ri(Shift::Lsr, Width::X, q, t, m.shift);
}

/// The signed quotient, by the divisor's magnitude.
fn signed_quotient(e: &mut Asm<'_>, w: Width, q: Gpr, x: Gpr, n: u64) {
    let (t, u) = (TEMP, gpr(CALLEE));
    let m = divide::signed(n, w.bits());
    if w == Width::W {
        e.mov_number(Width::X, t, m.multiplier);
        if m.multiplier >> 31 == 0 {
            e.long_product(SMADDL, t, (x, t), ZR);
        } else {
            e.extend(true, Width::X, u, x, 32);
            e.rrrr(MADD, Width::X, t, (u, t), ZR);
        }
        e.shift_ri(Shift::Asr, Width::X, t, t, 32 + m.shift);
    } else {
        e.mov_number(w, t, m.multiplier);
        e.high_product(SMULH, t, x, t);
        if m.multiplier >> 63 != 0 {
            e.add_rr(ADD, w, t, t, x);
        }
        e.shift_ri(Shift::Asr, w, t, t, m.shift);
    }
    e.add_shifted(ADD, w, q, t, (x, Shift::Lsr, w.bits() - 1));
}
