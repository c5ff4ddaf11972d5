//! Operands of instructions: registers, numbers, shifted registers, addresses.

use gusset_codegen::alloc::Emitter;
use gusset_codegen::ir::{Opcode, Value};

use crate::arm::encode::Asm;
use crate::arm::encode::ops::*;
use crate::arm::machine::{Arm, vreg};
use crate::arm::reg::{Flags, Gpr, IP, Immediate, Operand, Shift, Vreg};

pub(crate) use crate::shared::Node;
pub(crate) use crate::shared::arm::family::{Encoder, Family};
pub(crate) use crate::shared::arm::gpr;
pub(crate) use crate::shared::arm::operand::*;
pub(crate) use crate::shared::results::{change, define, done, guard, set_pair};
pub(crate) use gusset_codegen::error::Result;

pub(crate) type Cx<'a> = Emitter<'a, Arm>;

/// A result, or the reason why there is no code for an operation.
pub(crate) type Refused<T> = Result<T, &'static str>;

/// An encoder at the end of the code so far.
#[inline]
pub(crate) fn asm<'b>(cx: &'b mut Cx<'_>) -> Asm<'b> {
    cx.target.asm(cx.buf)
}

/// A floating-point operand.
#[inline]
pub(crate) fn float(cx: &mut Cx<'_>, v: Value) -> Result<Vreg> {
    let bytes = cx.ty(v).store_bytes();
    Ok(vreg(cx.use_reg(v)?, bytes))
}

/// The instruction of a bitwise operation.
pub(crate) fn bits_op(op: Opcode) -> Data {
    match op {
        Opcode::And => AND,
        Opcode::Or => ORR,
        _ => EOR,
    }
}

/// The last operand of data processing.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rhs {
    Op(Operand),
    /// The negated number, which the opposite operation can encode.
    Negative(Immediate),
    /// The number's complement, likewise.
    Inverted(Immediate),
}

/// The operand of an operation.
pub(crate) fn rhs(cx: &mut Cx<'_>, op: Data, v: Value) -> Result<Rhs> {
    if let Some(n) = cx.f.int_constant_signed(v)
        && let Some(rhs) = number(cx, op, n as u32)
    {
        return Ok(rhs);
    }
    Ok(Rhs::Op(shifted(cx, v)?))
}

/// A number as the operand of an operation, if the operation can encode it.
pub(crate) fn number(cx: &Cx<'_>, op: Data, n: u32) -> Option<Rhs> {
    let isa = cx.target.isa;
    isa.immediate(n).map(|n| Rhs::Op(n.into())).or_else(|| match op {
        ADD | SUB => isa.immediate(n.wrapping_neg()).map(Rhs::Negative),
        ADC | SBC | AND | BIC => isa.immediate(!n).map(Rhs::Inverted),
        _ => None,
    })
}

/// The same where flags have to stay.
pub(crate) fn word_rhs(cx: &mut Cx<'_>, op: Data, v: Value) -> Result<Rhs> {
    let number = cx.f.int_constant(v).and_then(|n| number(cx, op, n as u32));
    number.map_or_else(|| Ok(Rhs::Op(reg(cx, v)?.into())), Ok)
}

/// An operand that may be a deferred shift.
pub(crate) fn shifted(cx: &mut Cx<'_>, v: Value) -> Result<Operand> {
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
    asm(cx).arith(op, flags, d, n, m);
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

/// What the address of an access can contain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// An index register shifted by this amount.
    Index(u32),
    /// A displacement alone.
    Near,
}

impl Reach {
    /// Can it contain an index of this scale?
    pub(crate) fn has_index(self, scale: u32) -> bool {
        matches!(self, Reach::Index(most) if scale.is_power_of_two() && scale.trailing_zeros() <= most)
    }
}

/// Extends the lowest bits of a register.
pub(crate) fn extend_bits(target: &Arm, e: &mut Asm<'_>, signed: bool, d: Gpr, x: Gpr, bits: u32) {
    let features = target.features;
    match (bits, signed) {
        (32.., _) => e.mov(d, x),
        (..=8, false) => e.data(AND, Flags::Keep, d, x, ((1 << bits) - 1) as u8),
        (8, true) if features.version >= 6 => e.extend(SXTB, d, x),
        (16, true) if features.version >= 6 => e.extend(SXTH, d, x),
        (16, false) if features.version >= 6 => e.extend(UXTH, d, x),
        _ if features.has_t2() => e.extract(if signed { SBFX } else { UBFX }, d, x, (0, bits)),
        _ => {
            let up = (32 - bits) as u8;
            e.unary(MOV, Flags::Keep, d, Operand::Shifted(x, Shift::Lsl, up));
            e.unary(MOV, Flags::Keep, d, Operand::Shifted(d, if signed { Shift::Asr } else { Shift::Lsr }, up));
        }
    }
}

/// Reverses the bytes of a register.
pub(crate) fn swap_bytes(target: &Arm, e: &mut Asm<'_>, d: Gpr, x: Gpr) {
    if target.features.version >= 6 {
        return e.rr(REV, d, x);
    }
    // Hacker's Delight, section 7-1, with rotations.
    if let Some(mask) = target.isa.immediate(0xff << 16) {
        e.data(EOR, Flags::Keep, IP, x, Operand::Shifted(x, Shift::Ror, 16));
        e.data(BIC, Flags::Keep, IP, IP, mask);
        e.unary(MOV, Flags::Keep, d, Operand::Shifted(x, Shift::Ror, 8));
        e.data(EOR, Flags::Keep, d, d, Operand::Shifted(IP, Shift::Lsr, 8));
    }
}

/// Reverses the bits of a register.
pub(crate) fn swap_bits(target: &Arm, e: &mut Asm<'_>, d: Gpr, x: Gpr) {
    if target.features.has_t2() {
        return e.rr(RBIT, d, x);
    }
    swap_bytes(target, e, d, x);
    let t = e.temp();
    for (mask, by) in [(0x0f0f_0f0f, 4), (0x3333_3333, 2), (0x5555_5555, 1)] {
        e.mov_number(Flags::Keep, t, mask);
        e.data(AND, Flags::Keep, IP, t, Operand::Shifted(d, Shift::Lsr, by));
        e.data(AND, Flags::Keep, d, d, t);
        e.data(ORR, Flags::Keep, d, IP, Operand::Shifted(d, Shift::Lsl, by));
    }
}

/// Compares with a number.
pub(crate) fn compare_number(e: &mut Asm<'_>, x: Gpr, n: u32) {
    match e.isa.immediate(n.wrapping_neg()).filter(|_| e.isa.immediate(n).is_none()) {
        Some(negative) => e.compare(CMN, x, negative),
        None => {
            let n = e.operand(n);
            e.compare(CMP, x, n);
        }
    }
}

impl Asm<'_> {
    /// An operation.
    pub(crate) fn arith(&mut self, op: Data, flags: Flags, d: Gpr, n: Gpr, m: Rhs) {
        match m {
            Rhs::Op(m) => self.data(op, flags, d, n, m),
            Rhs::Negative(m) | Rhs::Inverted(m) => self.data(opposite(op), flags, d, n, m),
        }
    }

    /// A number as the last operand; through a temporary if it must be.
    pub(crate) fn operand(&mut self, n: u32) -> Operand {
        match self.isa.immediate(n) {
            Some(n) => n.into(),
            None => {
                self.mov_number(Flags::Keep, IP, n);
                IP.into()
            }
        }
    }
}
