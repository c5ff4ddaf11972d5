//! Division and remainder.

use gusset_codegen::error::Result;
use gusset_codegen::ir::{Opcode, Value};
use gusset_codegen::machine::PReg;

use super::int::extend_into;
use super::operand::*;
use crate::shared::divide::{self, Divisor, divisor};
use crate::x86::encode::ops::*;
use crate::x86::machine::gpr;
use crate::x86::reg::{Gpr, Size};
use crate::x86::registers::{RAX, RDX};

/// Division and remainder.
pub(crate) fn divide(cx: &mut Cx<'_>, d: &Node) -> Result {
    let signed = matches!(d.op, Opcode::Sdiv | Opcode::Srem);
    let remainder = matches!(d.op, Opcode::Urem | Opcode::Srem);
    let Node { r, a, b, .. } = *d;
    let size = op_size(d.ty);
    if let Some(n) = cx.f.int_constant(b)
        && d.ty.bits() >= 8
        && let Some((by, negative)) = divisor(n, d.ty.bits(), signed)
    {
        return match by {
            Divisor::Power(k) if !signed => by_unsigned_power(cx, d, k),
            Divisor::Power(k) => by_signed_power(cx, d, k, negative),
            Divisor::Product(n) => by_product(cx, d, n, signed.then_some(negative)),
        };
    }
    let narrow = d.ty.bits() < 32;
    // The dividend goes first: what is in rax and rdx moves away before the divisor is loaded.
    emit_operands(cx, &[a, b])?;
    cx.take(RDX)?;
    cx.take_copy(RAX, a, 0)?;
    let divisor = if a == b {
        Rm::Reg(gpr(RAX))
    } else if narrow || cx.f.constant(b).is_some() {
        let t = cx.temp(false, None)?;
        extend_into(cx, t, b, signed)?;
        Rm::Reg(gpr(t))
    } else {
        reg_or_mem(cx, b, true)?
    };
    if narrow {
        cx.extend(RAX, d.ty.bits() as u16, signed);
    }
    let op = if signed { IDIV } else { DIV };
    let mut e = asm(cx);
    if signed {
        e.sign_to_dx(size);
    } else {
        e.alu(AluOp::Xor, Size::B4, gpr(RDX), gpr(RDX));
    }
    e.unary(op, size, divisor);
    cx.set(r, 0, if remainder { RDX } else { RAX })
}

fn is_remainder(d: &Node) -> bool {
    matches!(d.op, Opcode::Urem | Opcode::Srem)
}

/// By `2^k`: a shift or a mask.
fn by_unsigned_power(cx: &mut Cx<'_>, d: &Node, k: u32) -> Result {
    let size = op_size(d.ty);
    let mask = (1u64 << k) - 1;
    let wide_mask = is_remainder(d) && i32::try_from(mask).is_err() && k != 32;
    let t = if wide_mask { Some(cx.temp(false, None)?) } else { None };
    let dst = cx.def_reusing(d.r, d.a, 0)?;
    if d.ty.bits() < 32 {
        cx.extend(dst, d.ty.bits() as u16, false);
    }
    let (g, mut e) = (gpr(dst), asm(cx));
    match t {
        Some(t) => {
            e.mov_ri(size, gpr(t), mask as i64);
            e.alu(AluOp::And, size, g, gpr(t));
        }
        // The upper half is cleared by the move.
        None if is_remainder(d) && k == 32 => e.mov(Size::B4, g, g),
        None if is_remainder(d) => e.alu(AluOp::And, size, g, mask as i32),
        None if k > 0 => e.shift_ri(ShiftOp::Shr, size, g, k as u8),
        None => {}
    }
    cx.set(d.r, 0, dst)
}

/// By `2^k` or minus that: a shift, before which negative numbers are increased so that it rounds toward zero.
fn by_signed_power(cx: &mut Cx<'_>, d: &Node, k: u32, negative: bool) -> Result {
    let size = op_size(d.ty);
    let x = if d.ty.bits() < 32 {
        let x = cx.temp(false, None)?;
        extend_into(cx, x, d.a, true)?;
        x
    } else {
        cx.use_reg(d.a)?
    };
    let t = cx.temp(false, None)?;
    let (x, g) = (gpr(x), gpr(t));
    let mut e = asm(cx);
    let top = size.bits() as u8 - 1;
    if k == 0 {
        if is_remainder(d) {
            e.mov_ri(size, g, 0);
        } else {
            e.mov(size, g, x);
        }
    } else {
        e.mov(size, g, x);
        if k > 1 {
            e.shift_ri(ShiftOp::Sar, size, g, top);
        }
        e.shift_ri(ShiftOp::Shr, size, g, top + 1 - k as u8);
        e.alu(AluOp::Add, size, g, x);
        if is_remainder(d) {
            // The number minus the multiple.
            e.shift_ri(ShiftOp::Sar, size, g, k as u8);
            e.shift_ri(ShiftOp::Shl, size, g, k as u8);
            return rest(cx, d, t);
        }
        e.shift_ri(ShiftOp::Sar, size, g, k as u8);
    }
    if negative && !is_remainder(d) {
        e.unary(NEG, size, g);
    }
    cx.set(d.r, 0, t)
}

/// The remainder: the dividend minus a multiple, which is in a temporary.
fn rest(cx: &mut Cx<'_>, d: &Node, multiple: PReg) -> Result {
    let size = op_size(d.ty);
    let dst = cx.def_reusing(d.r, d.a, 0)?;
    asm(cx).alu(AluOp::Sub, size, gpr(dst), gpr(multiple));
    cx.set(d.r, 0, dst)
}

/// By a number that is no power of two; `signed` says for a signed division whether the number is negative.
fn by_product(cx: &mut Cx<'_>, d: &Node, n: u64, signed: Option<bool>) -> Result {
    // Deferred operands are computed once.
    emit_operands(cx, &[d.a])?;
    let quotient = match signed {
        _ if d.ty.bits() > 32 || cx.target.is_32() => in_two_registers(cx, d, n, signed)?,
        Some(negative) => signed_in_one(cx, d, n, negative)?,
        None => {
            let m = divide::unsigned(n, d.ty.bits(), 32);
            if m.adds || m.before > 0 { in_two_registers(cx, d, n, signed)? } else { unsigned_in_one(cx, d, m)? }
        }
    };
    if !is_remainder(d) {
        return cx.set(d.r, 0, quotient);
    }
    let (size, q) = (op_size(d.ty), gpr(quotient));
    let multiple = if signed == Some(true) { (n as i64).wrapping_neg() } else { n as i64 };
    multiply(cx, size, q, if size == Size::B4 { multiple as i32 as i64 } else { multiple })?;
    rest(cx, d, quotient)
}

/// An operand of up to 32 bits in a register of its own, extended.
fn widened(cx: &mut Cx<'_>, v: Value, signed: bool, to: Size) -> Result<Gpr> {
    let x = gpr(cx.use_reg(v)?);
    let t = gpr(cx.temp(false, None)?);
    match (cx.ty(v).bits(), signed) {
        (8, signed) => asm(cx).extend_byte(to, t, x, signed),
        (16, false) => asm(cx).movzx(Size::B2, t, x),
        (16, true) => asm(cx).movsx(to, Size::B2, t, x),
        (_, true) if to == Size::B8 => asm(cx).movsx(to, Size::B4, t, x),
        _ => asm(cx).mov(Size::B4, t, x),
    }
    Ok(t)
}

/// Multiplies a register by a number below `2^32`.
fn multiply(cx: &mut Cx<'_>, size: Size, t: Gpr, by: i64) -> Result {
    match i32::try_from(by) {
        Ok(n) => asm(cx).imul_imm(size, t, t, n),
        Err(_) => {
            let u = cx.temp(false, None)?;
            asm(cx).mov_ri(size, gpr(u), by);
            asm(cx).imul(size, t, gpr(u));
            cx.unpin(u);
        }
    }
    Ok(())
}

/// The quotient of 32 bits with a product of 64.
fn unsigned_in_one(cx: &mut Cx<'_>, d: &Node, m: divide::Unsigned) -> Result<PReg> {
    let t = widened(cx, d.a, false, Size::B4)?;
    multiply(cx, Size::B8, t, m.multiplier as i64)?;
    asm(cx).shift_ri(ShiftOp::Shr, Size::B8, t, 32 + m.shift as u8);
    Ok(PReg::int(t.0))
}

/// The instruction that makes 1 from a negative dividend, which is added, or -1, from which the quotient is subtracted.
fn sign_op(negative: bool) -> ShiftOp {
    if negative { ShiftOp::Sar } else { ShiftOp::Shr }
}

/// The same for signed numbers.
fn signed_in_one(cx: &mut Cx<'_>, d: &Node, n: u64, negative: bool) -> Result<PReg> {
    let m = divide::signed(n, 32);
    let t = widened(cx, d.a, true, Size::B8)?;
    let u = gpr(cx.temp(false, None)?);
    asm(cx).mov(Size::B8, u, t);
    asm(cx).shift_ri(sign_op(negative), Size::B8, u, 63);
    multiply(cx, Size::B8, t, m.multiplier as i64)?;
    let mut e = asm(cx);
    e.shift_ri(ShiftOp::Sar, Size::B8, t, 32 + m.shift as u8);
    let (t, u) = if negative { (u, t) } else { (t, u) };
    e.alu(if negative { AluOp::Sub } else { AluOp::Add }, Size::B4, t, u);
    cx.unpin(PReg::int(u.0));
    Ok(PReg::int(t.0))
}

/// The quotient with a product of two words, whose upper half is in `rdx`.
fn in_two_registers(cx: &mut Cx<'_>, d: &Node, n: u64, signed: Option<bool>) -> Result<PReg> {
    let (bits, w) = (d.ty.bits(), cx.target.word_size());
    cx.take(RDX)?;
    cx.take(RAX)?;
    let (high, low) = (gpr(RDX), gpr(RAX));
    let x = if bits == w.bits() { gpr(cx.use_reg(d.a)?) } else { widened(cx, d.a, signed.is_some(), w)? };
    let Some(negative) = signed else {
        let m = divide::unsigned(n, bits, w.bits());
        let mut e = asm(cx);
        if m.before > 0 {
            e.mov(w, low, x);
            e.shift_ri(ShiftOp::Shr, w, low, m.before as u8);
            e.mov_ri(w, high, m.multiplier as i64);
            e.unary(MUL, w, high);
        } else {
            e.mov_ri(w, low, m.multiplier as i64);
            e.unary(MUL, w, x);
        }
        if m.adds {
            e.mov(w, low, x);
            e.alu(AluOp::Sub, w, low, high);
            e.shift_ri(ShiftOp::Shr, w, low, 1);
            e.alu(AluOp::Add, w, high, low);
        }
        if m.shift > 0 {
            e.shift_ri(ShiftOp::Shr, w, high, m.shift as u8);
        }
        return Ok(RDX);
    };
    let m = divide::signed(n, w.bits());
    let top = w.bits() as u8 - 1;
    let mut e = asm(cx);
    e.mov_ri(w, low, m.multiplier as i64);
    e.unary(IMUL, w, x);
    if m.multiplier >> top != 0 {
        e.alu(AluOp::Add, w, high, x);
    }
    e.mov(w, low, x);
    e.shift_ri(sign_op(negative), w, low, top);
    if m.shift > 0 {
        e.shift_ri(ShiftOp::Sar, w, high, m.shift as u8);
    }
    if negative {
        e.alu(AluOp::Sub, w, low, high);
        return Ok(RAX);
    }
    e.alu(AluOp::Add, w, high, low);
    Ok(RDX)
}
