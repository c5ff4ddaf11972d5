//! Division and remainder.

use gusset_codegen::ir::{Function, InstData, Opcode, Value};

use super::operand::*;
use crate::arm::encode::Asm;
use crate::arm::encode::ops::*;
use crate::arm::reg::{Flags, Gpr, IP, Shift};
use crate::shared::divide::{self, Divisor, divisor};

/// Is it a division by a constant, which needs no division instruction?
pub(crate) fn is_by_constant(f: &Function, d: &InstData) -> bool {
    (8..=32).contains(&d.ty.bits())
        && f.int_constant(Value(d.b)).is_some_and(|n| divisor(n, d.ty.bits(), false).is_some())
}

/// See [`Family::select_int`](crate::shared::arm::family::Family::select_int).
pub(crate) fn divide(cx: &mut Cx<'_>, d: &Node, signed: bool) -> Result {
    let remainder = matches!(d.op, Opcode::Urem | Opcode::Srem);
    let bits = d.ty.bits();
    let constant = cx.f.int_constant(d.b).filter(|_| bits >= 8).and_then(|n| divisor(n, bits, signed));
    let x = extended(cx, d.a, signed)?;
    match constant {
        Some((Divisor::Power(k), _)) if !signed => define(cx, d.r, |cx, dst| {
            let g = gpr(dst);
            match (remainder, k) {
                (false, k) => asm(cx).unary(MOV, Flags::Free, g, by(x, Shift::Lsr, k)),
                (true, 0) => asm(cx).mov_number(Flags::Free, g, 0),
                (true, k) => extend_bits(cx.target, &mut asm(cx), false, g, x, k),
            }
        }),
        Some((Divisor::Power(k), negative)) => define(cx, d.r, |cx, dst| {
            by_signed_power(&mut asm(cx), gpr(dst), x, (k, negative && !remainder), remainder)
        }),
        Some((Divisor::Product(n), negative)) => by_product(cx, d, x, n as u32, signed.then_some(negative)),
        None => {
            let y = extended(cx, d.b, signed)?;
            let op = if signed { SDIV } else { UDIV };
            if !remainder {
                return define(cx, d.r, |cx, dst| asm(cx).registers(op, [gpr(dst), x, y]));
            }
            asm(cx).registers(op, [IP, x, y]);
            define(cx, d.r, |cx, dst| asm(cx).registers(MLS, [gpr(dst), IP, y, x]))
        }
    }
}

/// By `2^k` or minus that: negative numbers are increased so that the shift rounds toward zero.
fn by_signed_power(e: &mut Asm<'_>, g: Gpr, x: Gpr, (k, negative): (u32, bool), remainder: bool) {
    let f = Flags::Keep;
    if k == 0 {
        match (remainder, negative) {
            (true, _) => e.mov_number(f, g, 0),
            (false, true) => e.data(RSB, f, g, x, 0),
            (false, false) => e.mov(g, x),
        }
        return;
    }
    let sign = if k == 1 {
        x
    } else {
        e.unary(MOV, f, IP, by(x, Shift::Asr, 31));
        IP
    };
    e.data(ADD, f, IP, x, by(sign, Shift::Lsr, 32 - k));
    if remainder {
        e.unary(MOV, f, IP, by(IP, Shift::Asr, k));
        return e.data(SUB, f, g, x, by(IP, Shift::Lsl, k));
    }
    e.unary(MOV, f, g, by(IP, Shift::Asr, k));
    if negative {
        e.data(RSB, f, g, g, 0);
    }
}

/// By a number that is no power of two; for a signed division, `signed` says whether the number is negative. `x` is the
/// dividend, extended.
fn by_product(cx: &mut Cx<'_>, d: &Node, x: Gpr, n: u32, signed: Option<bool>) -> Result {
    let (t, q, f) = (temp(cx)?, temp(cx)?, Flags::Keep);
    let mut e = asm(cx);
    if let Some(negative) = signed {
        let m = divide::signed(n.into(), 32);
        e.mov_number(f, t, m.multiplier as u32);
        e.registers(SMULL, [IP, q, x, t]);
        if m.multiplier >> 31 != 0 {
            e.data(ADD, f, q, q, x);
        }
        e.unary(MOV, f, q, by(q, Shift::Asr, m.shift));
        e.data(ADD, f, q, q, by(x, Shift::Lsr, 31));
        if negative && !matches!(d.op, Opcode::Srem) {
            e.data(RSB, f, q, q, 0);
        }
    } else {
        let m = divide::unsigned(n.into(), d.ty.bits(), 32);
        e.mov_number(f, t, m.multiplier as u32);
        if m.before > 0 {
            e.unary(MOV, f, IP, by(x, Shift::Lsr, m.before));
            // The lower half of the product is not used.
            e.registers(UMULL, [t, q, IP, t]);
        } else {
            e.registers(UMULL, [IP, q, x, t]);
        }
        if m.adds {
            e.data(SUB, f, IP, x, q);
            e.data(ADD, f, q, q, by(IP, Shift::Lsr, 1));
        }
        e.unary(MOV, f, q, by(q, Shift::Lsr, m.shift));
    }
    if matches!(d.op, Opcode::Udiv | Opcode::Sdiv) {
        return define(cx, d.r, |cx, dst| asm(cx).mov(gpr(dst), q));
    }
    e.mov_number(f, t, n);
    let has_mls = cx.target.features.has_t2();
    define(cx, d.r, |cx, dst| {
        let mut e = asm(cx);
        if has_mls {
            e.registers(MLS, [gpr(dst), q, t, x]);
        } else {
            e.mul(f, IP, q, t);
            e.data(SUB, f, gpr(dst), x, IP);
        }
    })
}
