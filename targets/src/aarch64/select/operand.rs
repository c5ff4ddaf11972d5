//! Operands of instructions: registers, immediates, shifted and extended registers, addresses.

use gusset_codegen::alloc::Emitter;
use gusset_codegen::ir::{ConstData, Opcode, Type, Value};

use crate::aarch64::encode::ops::*;
use crate::aarch64::encode::{Asm, add_immediate, logical_immediate};
use crate::aarch64::machine::{Aarch64, vreg, width};
use crate::aarch64::reg::{Extend, Fp, Gpr, Shift, Vreg, Width, ZR};

pub(crate) use crate::shared::Node;
pub(crate) use crate::shared::arm::family::{Encoder, Family};
pub(crate) use crate::shared::arm::gpr;
pub(crate) use crate::shared::arm::operand::*;
pub(crate) use crate::shared::results::{change, define, set_pair};
pub(crate) use gusset_codegen::error::Result;

pub(crate) type Cx<'a> = Emitter<'a, Aarch64>;

/// An encoder at the end of the code so far.
#[inline]
pub(crate) fn asm<'b>(cx: &'b mut Cx<'_>) -> Asm<'b> {
    Asm::new(cx.buf)
}

/// A floating-point or vector operand.
#[inline]
pub(crate) fn float(cx: &mut Cx<'_>, v: Value) -> Result<Vreg> {
    Ok(vreg(cx.use_reg(v)?))
}

/// The same; zero needs no register of its own.
pub(crate) fn reg_or_zero(cx: &mut Cx<'_>, v: Value) -> Result<Gpr> {
    if is_zero(cx, v) { Ok(ZR) } else { reg(cx, v) }
}

/// Is it a constant whose bits are all zero?
pub(crate) fn is_zero(cx: &Cx<'_>, v: Value) -> bool {
    matches!(cx.f.constant(v), Some(ConstData::Int(0) | ConstData::Float(0)))
}

/// The instruction of a bitwise operation.
pub(crate) fn bits_op(op: Opcode) -> Logic {
    match op {
        Opcode::And => AND,
        Opcode::Or => ORR,
        _ => EOR,
    }
}

/// The instruction of a shift by a register.
pub(crate) fn shift_op(shift: Shift) -> Rrr {
    match shift {
        Shift::Lsl => LSLV,
        Shift::Lsr => LSRV,
        Shift::Asr => ASRV,
        Shift::Ror => RORV,
    }
}

/// The last operand of an addition, subtraction or bitwise operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rhs {
    Reg(Gpr),
    /// The field of an immediate.
    Imm(u32),
    /// The negated number.
    Negative(u32),
    Shifted(Gpr, Shift, u32),
    Extended(Gpr, Extend),
}

/// The operand of an addition, subtraction or comparison.
pub(crate) fn add_rhs(cx: &mut Cx<'_>, v: Value) -> Result<Rhs> {
    if let Some(n) = cx.f.int_constant_signed(v) {
        let size = n.unsigned_abs();
        if let Some(field) = add_immediate(size) {
            return Ok(if n < 0 { Rhs::Negative(field) } else { Rhs::Imm(field) });
        }
    }
    if let Some(i) = cx.deferred(v) {
        let d = Node::of(cx.f, i);
        match d.op {
            Opcode::Sext | Opcode::Zext if !is_deferred_load(cx, d.a) => {
                let x = cx.nested(|cx| reg(cx, d.a))?;
                return Ok(Rhs::Extended(x, extension(cx.ty(d.a), d.op == Opcode::Sext)));
            }
            _ => {}
        }
    }
    shifted(cx, v)
}

/// Was the load of a value deferred to its extension?
fn is_deferred_load(cx: &Cx<'_>, v: Value) -> bool {
    cx.deferred(v).is_some_and(|i| cx.f.inst(i).op == Opcode::Load)
}

/// The extension of an operand.
pub(crate) fn extension(from: Type, signed: bool) -> Extend {
    match (from.bits(), signed) {
        (0..=8, false) => Extend::Uxtb,
        (9..=16, false) => Extend::Uxth,
        (_, false) => Extend::Uxtw,
        (0..=8, true) => Extend::Sxtb,
        (9..=16, true) => Extend::Sxth,
        (_, true) => Extend::Sxtw,
    }
}

/// An operand that may be a deferred shift.
fn shifted(cx: &mut Cx<'_>, v: Value) -> Result<Rhs> {
    if let Some(i) = cx.deferred(v) {
        let d = Node::of(cx.f, i);
        let shift = match d.op {
            Opcode::Shl => Some(Shift::Lsl),
            Opcode::Lshr => Some(Shift::Lsr),
            Opcode::Ashr => Some(Shift::Asr),
            _ => None,
        };
        if let (Some(shift), Some(n)) = (shift, cx.f.int_constant(d.b)) {
            let x = cx.nested(|cx| reg(cx, d.a))?;
            return Ok(Rhs::Shifted(x, shift, n as u32 & (d.ty.bits() - 1)));
        }
    }
    Ok(Rhs::Reg(reg(cx, v)?))
}

/// The operand of a bitwise operation.
pub(crate) fn logic_rhs(cx: &mut Cx<'_>, v: Value) -> Result<Rhs> {
    if let Some(n) = cx.f.int_constant_signed(v)
        && let Some(field) = logical_immediate(width(cx.ty(v)), n as u64)
    {
        return Ok(Rhs::Imm(field));
    }
    shifted(cx, v)
}

/// Emits an addition, subtraction or comparison.
pub(crate) fn add(cx: &mut Cx<'_>, op: AddSub, w: Width, d: Gpr, n: Gpr, m: Rhs) {
    let mut a = asm(cx);
    match m {
        Rhs::Reg(m) => a.add_rr(op, w, d, n, m),
        Rhs::Imm(field) => a.add_ri(op, w, d, n, field),
        Rhs::Negative(field) => a.add_ri(opposite(op), w, d, n, field),
        Rhs::Shifted(m, shift, by) => a.add_shifted(op, w, d, n, (m, shift, by)),
        Rhs::Extended(m, extend) => a.add_extended(op, w, d, n, (m, extend, 0)),
    }
}

fn opposite(op: AddSub) -> AddSub {
    match op {
        ADD => SUB,
        SUB => ADD,
        ADDS => SUBS,
        _ => ADDS,
    }
}

/// Emits a bitwise operation.
pub(crate) fn logic(cx: &mut Cx<'_>, op: Logic, w: Width, d: Gpr, n: Gpr, m: Rhs) {
    let mut a = asm(cx);
    match m {
        Rhs::Imm(field) | Rhs::Negative(field) => a.logic_ri(op, w, d, n, field),
        Rhs::Shifted(m, shift, by) => a.logic_shifted(op, w, d, n, (m, shift, by)),
        Rhs::Reg(m) | Rhs::Extended(m, _) => a.logic_rr(op, w, d, n, m),
    }
}

/// Is an address this far from a symbol of this alignment a multiple of the access size?
pub(crate) fn is_multiple(align: u32, offset: i32, bytes: u32) -> bool {
    bytes == 1 || bytes > 0 && align >= bytes && offset & (bytes as i32 - 1) == 0
}

/// An index, which may be a deferred extension.
pub(crate) fn index(cx: &mut Cx<'_>, v: Value) -> Result<(Gpr, Extend)> {
    if let Some(i) = cx.deferred(v) {
        let d = Node::of(cx.f, i);
        if matches!(d.op, Opcode::Sext | Opcode::Zext) && cx.ty(d.a) == Type::I32 {
            let x = cx.nested(|cx| reg(cx, d.a))?;
            return Ok((x, extension(Type::I32, d.op == Opcode::Sext)));
        }
    }
    Ok((reg(cx, v)?, Extend::Uxtx))
}

/// Adds an index times a power of two.
pub(crate) fn add_scaled(cx: &mut Cx<'_>, d: Gpr, base: Gpr, (index, extend): (Gpr, Extend), scale: u32) {
    let by = scale.trailing_zeros();
    let mut a = asm(cx);
    match extend {
        Extend::Uxtx => a.add_shifted(ADD, Width::X, d, base, (index, Shift::Lsl, by)),
        _ if by <= 4 => a.add_extended(ADD, Width::X, d, base, (index, extend, by)),
        _ => {
            let op = if extend == Extend::Sxtw { SBFM } else { UBFM };
            // Extended and shifted in one instruction.
            a.bitfield(op, Width::X, crate::aarch64::encode::TEMP, index, (by.wrapping_neg() & 63, 31));
            a.add_rr(ADD, Width::X, d, base, crate::aarch64::encode::TEMP);
        }
    }
}

/// The format of a scalar type.
pub(crate) fn format(ty: Type) -> Fp {
    match ty {
        Type::F64 => Fp::D,
        Type::F16 | Type::BF16 => Fp::H,
        _ => Fp::S,
    }
}
