//! How flags give the answer of a comparison, as a jump or as a value.

use gusset_codegen::buffer::Label;
use gusset_codegen::ir::{FloatCc, IntCc, Value};

use super::operand::*;
use crate::x86::encode::ops::*;
use crate::x86::machine::gpr;
use crate::x86::reg::{Cond, Gpr, Size};

/// How flags answer a comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    /// Yes if this condition holds.
    One(Cond),
    /// Yes if both hold.
    Both(Cond, Cond),
    /// Yes if either holds.
    Either(Cond, Cond),
    /// Known.
    Known(bool),
}

impl Answer {
    /// The answer that is yes where this one is no.
    pub(crate) fn negate(self) -> Answer {
        match self {
            Answer::One(c) => Answer::One(c.negate()),
            Answer::Both(a, b) => Answer::Either(a.negate(), b.negate()),
            Answer::Either(a, b) => Answer::Both(a.negate(), b.negate()),
            Answer::Known(k) => Answer::Known(!k),
        }
    }
}

pub(crate) fn int_cond(cc: IntCc) -> Cond {
    match cc {
        IntCc::Eq => Cond::E,
        IntCc::Ne => Cond::NE,
        IntCc::Ult => Cond::B,
        IntCc::Ule => Cond::BE,
        IntCc::Ugt => Cond::A,
        IntCc::Uge => Cond::AE,
        IntCc::Slt => Cond::L,
        IntCc::Sle => Cond::LE,
        IntCc::Sgt => Cond::G,
        IntCc::Sge => Cond::GE,
    }
}

/// Tests whether any of these bits is set; a register without a byte form is tested as a whole.
pub(crate) fn test_bits(cx: &mut Cx<'_>, size: Size, x: Gpr, n: i32) {
    if size == Size::B1 && cx.target.is_32() && x.0 >= 4 {
        asm(cx).test_ri(Size::B4, x, n & 0xff);
    } else {
        asm(cx).test_ri(size, x, n);
    }
}

/// How the flags after `ucomis` or `fucomi` give the answer of a comparison, and whether its operands must be swapped
/// first.
pub(crate) fn compare_answer(cc: FloatCc) -> (bool, Answer) {
    use FloatCc::*;
    // Carry is set for less, zero for equal, both and parity for unordered: "greater" conditions exclude NaN.
    let answer = match cc {
        False => Answer::Known(false),
        True => Answer::Known(true),
        Oeq => Answer::Both(Cond::E, Cond::NP),
        Une => Answer::Either(Cond::NE, Cond::P),
        Ogt | Olt => Answer::One(Cond::A),
        Oge | Ole => Answer::One(Cond::AE),
        Ult | Ugt => Answer::One(Cond::B),
        Ule | Uge => Answer::One(Cond::BE),
        One => Answer::One(Cond::NE),
        Ueq => Answer::One(Cond::E),
        Ord => Answer::One(Cond::NP),
        Uno => Answer::One(Cond::P),
    };
    (matches!(cc, Olt | Ole | Ugt | Uge), answer)
}

/// The flags' answer as the truth value `r`.
pub(crate) fn answer_value(cx: &mut Cx<'_>, r: Value, answer: Answer) -> Result {
    cx.current.flags_live = true;
    cx.release_all();
    let dst = cx.def(r, 0)?;
    match answer {
        Answer::One(c) => set_if(cx, c, dst)?,
        Answer::Known(k) => asm(cx).mov_ri(Size::B4, gpr(dst), k as i64),
        Answer::Both(p, q) | Answer::Either(p, q) => {
            let t = byte_temp(cx)?;
            set_if(cx, p, dst)?;
            asm(cx).setcc(q, gpr(t));
            let op = if matches!(answer, Answer::Both(..)) { AluOp::And } else { AluOp::Or };
            // Only a byte counts.
            let size = if cx.target.is_32() { Size::B4 } else { Size::B1 };
            asm(cx).alu(op, size, gpr(dst), gpr(t));
        }
    }
    cx.set(r, 0, dst)
}

/// Jumps by the answer of the flags; a missing label is the next instruction.
#[inline(always)]
pub(crate) fn jump(cx: &mut Cx<'_>, answer: Answer, then: Option<Label>, other: Option<Label>) {
    let mut a = asm(cx);
    match (then, other) {
        (Some(t), None) => jump_if(&mut a, answer, t),
        (None, Some(o)) => jump_if(&mut a, answer.negate(), o),
        (Some(t), Some(o)) => {
            jump_if(&mut a, answer, t);
            a.jmp(o);
        }
        (None, None) => {}
    }
}

/// Jumps if the flags give this answer.
pub(crate) fn jump_if(a: &mut crate::x86::encode::Asm<'_>, answer: Answer, to: Label) {
    match answer {
        Answer::One(c) => a.jcc(c, to),
        Answer::Either(p, q) => {
            a.jcc(p, to);
            a.jcc(q, to);
        }
        Answer::Both(p, q) => {
            let no = a.buf.new_label();
            a.jcc(p.negate(), no);
            a.jcc(q, to);
            a.buf.bind(no);
        }
        Answer::Known(true) => a.jmp(to),
        Answer::Known(false) => {}
    }
}
