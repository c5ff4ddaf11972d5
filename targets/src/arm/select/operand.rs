//! Operands of instructions: registers, numbers, shifted registers, addresses.

use gusset_codegen::alloc::Stream;
use gusset_codegen::buffer::RelocTarget;
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{ConstData, Opcode, Value, ValueDef};
use gusset_codegen::machine::PReg;

use super::constant;
use crate::arm::encode::Asm;
use crate::arm::encode::ops::*;
use crate::arm::machine::{Arm, gpr, mem, vreg};
use crate::arm::reg::{Flags, Gpr, Immediate, Mem, Operand, Shift, Vreg};
use crate::shared::constants::symbol_reach;

pub(crate) use crate::shared::Node;
pub(crate) use crate::shared::results::{change, define, set_pair};

pub(crate) type Cx<'a> = Stream<'a, Arm>;
pub(crate) type Done = Result<(), CompileError>;

/// An encoder at the end of the code so far.
#[inline]
pub(crate) fn asm<'b>(cx: &'b mut Cx<'_>) -> Asm<'b> {
    cx.target.asm(cx.buf)
}

/// An error that names the operation.
pub(crate) fn not_yet<T>(cx: &Cx<'_>, d: &Node) -> Result<T, CompileError> {
    Err(CompileError::at(cx.f, d.inst, format!("`{}` on {} is not supported on ARM", d.op.name(), d.ty)))
}

/// A general-purpose operand.
#[inline]
pub(crate) fn reg(cx: &mut Cx<'_>, v: Value) -> Result<Gpr, CompileError> {
    Ok(gpr(cx.use_reg(v)?))
}

/// A floating-point operand.
#[inline]
pub(crate) fn float(cx: &mut Cx<'_>, v: Value) -> Result<Vreg, CompileError> {
    let bytes = cx.ty(v).store_bytes();
    Ok(vreg(cx.use_reg(v)?, bytes))
}

/// A temporary.
pub(crate) fn temp(cx: &mut Cx<'_>) -> Result<Gpr, CompileError> {
    Ok(gpr(cx.temp(false, None)?))
}

/// A small integer extended to 32 bits. What is known to be extended with zeros stays where it is.
pub(crate) fn extended(cx: &mut Cx<'_>, v: Value, signed: bool) -> Result<Gpr, CompileError> {
    let bits = cx.ty(v).bits();
    if let Some(n) = cx.f.int_constant_signed(v).filter(|_| signed && bits < 32) {
        let t = temp(cx)?;
        asm(cx).mov_number(Flags::Keep, t, n as u32);
        return Ok(t);
    }
    let x = reg(cx, v)?;
    if bits >= 32 || !signed && has_zeros_above(cx, v) {
        return Ok(x);
    }
    let t = temp(cx)?;
    super::int::extend_bits(cx.target, &mut asm(cx), signed, t, x, bits.max(8));
    Ok(t)
}

/// Are the bits above a narrow value's width zero?
pub(crate) fn has_zeros_above(cx: &Cx<'_>, v: Value) -> bool {
    match cx.f.value_def(v) {
        ValueDef::Inst(i) => {
            let d = Node::of(cx.f, i);
            match d.op {
                Opcode::Load | Opcode::Icmp | Opcode::Fcmp => true,
                Opcode::Zext => d.ty.bits() >= cx.ty(d.a).bits(),
                _ => false,
            }
        }
        // Such constants are made with zeros there.
        ValueDef::Const => true,
        _ => false,
    }
}

/// The last operand of data processing.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rhs {
    Op(Operand),
    /// The number's negative, which the opposite operation has.
    Negative(Immediate),
    /// The number's complement, likewise.
    Inverted(Immediate),
}

/// The operand of an operation.
pub(crate) fn rhs(cx: &mut Cx<'_>, op: Data, v: Value) -> Result<Rhs, CompileError> {
    if let Some(n) = cx.f.int_constant_signed(v)
        && let Some(rhs) = number(cx, op, n as u32)
    {
        return Ok(rhs);
    }
    Ok(Rhs::Op(shifted(cx, v)?))
}

/// A number as the operand of an operation, if it can have it.
pub(crate) fn number(cx: &Cx<'_>, op: Data, n: u32) -> Option<Rhs> {
    let isa = cx.target.isa;
    isa.immediate(n).map(|n| Rhs::Op(n.into())).or_else(|| match op {
        ADD | SUB => isa.immediate(n.wrapping_neg()).map(Rhs::Negative),
        ADC | SBC | AND | BIC => isa.immediate(!n).map(Rhs::Inverted),
        _ => None,
    })
}

/// A part of an operand.
pub(crate) fn part_rhs(cx: &mut Cx<'_>, op: Data, v: Value, part: u8) -> Result<Rhs, CompileError> {
    if let Some(n) = cx.f.int_constant(v)
        && let Some(rhs) = number(cx, op, (n >> (32 * part)) as u32)
    {
        return Ok(rhs);
    }
    Ok(Rhs::Op(gpr(cx.use_part(v, part)?).into()))
}

/// An operand that may be a shift left to the instruction.
pub(crate) fn shifted(cx: &mut Cx<'_>, v: Value) -> Result<Operand, CompileError> {
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
            return Ok(by(x, shift, n as u32 & 31));
        }
    }
    Ok(Operand::Reg(reg(cx, v)?))
}

/// A register shifted by 0 to 31 bits.
pub(crate) fn by(x: Gpr, shift: Shift, n: u32) -> Operand {
    if n == 0 { Operand::Reg(x) } else { Operand::Shifted(x, shift, n as u8) }
}

/// Emits an operation.
pub(crate) fn arith(cx: &mut Cx<'_>, op: Data, flags: Flags, d: Gpr, n: Gpr, m: Rhs) {
    let mut e = asm(cx);
    match m {
        Rhs::Op(m) => e.data(op, flags, d, n, m),
        Rhs::Negative(m) | Rhs::Inverted(m) => e.data(opposite(op), flags, d, n, m),
    }
}

fn opposite(op: Data) -> Data {
    match op {
        ADD => SUB,
        SUB => ADD,
        ADC => SBC,
        SBC => ADC,
        AND => BIC,
        _ => AND,
    }
}

/// Compares with the operand of a subtraction.
pub(crate) fn compare(cx: &mut Cx<'_>, n: Gpr, m: Rhs) {
    let mut e = asm(cx);
    match m {
        Rhs::Op(m) => e.compare(CMP, n, m),
        Rhs::Negative(m) | Rhs::Inverted(m) => e.compare(CMN, n, m),
    }
}

/// What an access can have as its address.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// A register shifted by so much as an index.
    Index(u32),
    /// A displacement alone.
    Near,
}

/// The memory operand for the address `v + offset`.
pub(crate) fn address(cx: &mut Cx<'_>, v: Value, offset: i32, reach: Reach) -> Result<Mem, CompileError> {
    match cx.f.value_def(v) {
        ValueDef::Slot(s) => {
            if let Some(at) = cx.slot_addr(s, offset) {
                return Ok(mem(at));
            }
        }
        ValueDef::Const => {
            if let Some(ConstData::Symbol(s, o)) = cx.f.constant(v)
                && let Some(o) = o.checked_add(offset.into()).and_then(symbol_reach)
                && cx.target.is_near(cx.module, s)
                && !cx.module.symbol(s).is_tls()
            {
                let t = temp(cx)?;
                let near = cx.target;
                constant::address(near, &mut asm(cx), t, RelocTarget::Symbol(s.0), o, true);
                return Ok(Mem::Base(t, 0));
            }
        }
        _ => {
            if let Some(i) = cx.deferred(v) {
                let d = Node::of(cx.f, i);
                match d.op {
                    Opcode::Iadd => {
                        let more = cx.f.int_constant_signed(d.b).and_then(|n| i32::try_from(n).ok());
                        if let Some(sum) = more.and_then(|n| n.checked_add(offset)) {
                            return cx.nested(|cx| address(cx, d.a, sum, reach));
                        }
                    }
                    Opcode::Index => return cx.nested(|cx| indexed(cx, &d, offset, reach)),
                    _ => {}
                }
            }
        }
    }
    Ok(Mem::Base(reg(cx, v)?, offset))
}

/// The memory operand for `a + b * c + offset`, where `c` is a power of two.
fn indexed(cx: &mut Cx<'_>, d: &Node, offset: i32, reach: Reach) -> Result<Mem, CompileError> {
    if let Some(sum) = d.constant_index(cx.f).and_then(|n| n.checked_add(offset)) {
        return address(cx, d.a, sum, reach);
    }
    let (base, index) = (reg(cx, d.a)?, reg(cx, d.b)?);
    let shift = d.c.0.trailing_zeros();
    if offset == 0 && matches!(reach, Reach::Index(most) if shift <= most) {
        return Ok(Mem::Index(base, index, shift as u8));
    }
    let t = temp(cx)?;
    asm(cx).data(ADD, Flags::Keep, t, base, by(index, Shift::Lsl, shift & 31));
    Ok(Mem::Base(t, offset))
}

/// The allocator's name of a register.
pub(crate) fn preg(r: Gpr) -> PReg {
    PReg::int(r.0)
}
