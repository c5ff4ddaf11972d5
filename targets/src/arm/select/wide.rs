//! Words of integers of 64 bits: sums with carries, comparisons, products; and shifts of pairs of registers.

use gusset_codegen::ir::{Opcode, Value};

use super::operand::*;
use crate::arm::encode::Asm;
use crate::arm::encode::ops::*;
use crate::arm::reg::{Cond, Flags, Gpr, IP, Operand, Shift};
use crate::shared::results::carry_is_left;

const KEEP: Flags = Flags::Keep;

/// See [`Family::select_wide`].
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Result {
    use Opcode::*;
    match d.op {
        UaddOv => sum(cx, d, ADD, Flags::Set),
        UsubOv => sum(cx, d, SUB, Flags::Set),
        IaddCarry | IsubBorrow => {
            if !carry_is_left(cx, d.c) {
                let x = reg(cx, d.c)?;
                match d.op {
                    IaddCarry => asm(cx).compare(CMP, x, 1),
                    _ => asm(cx).set_borrow(x),
                }
            }
            cx.current.flags_live = true;
            sum(cx, d, if d.op == IaddCarry { ADC } else { SBC }, KEEP)
        }
        UmulWide => product(cx, d, UMULL),
        SmulWide => product(cx, d, SMULL),
        Shl | Lshr | Ashr => shift(cx, d),
        _ => not_yet(cx, d),
    }
}

/// A sum or difference whose carry stays in the flags, or that takes one.
fn sum(cx: &mut Cx<'_>, d: &Node, op: Data, flags: Flags) -> Result {
    let swaps = d.op.is_commutative() || d.op == Opcode::IaddCarry;
    let (a, b) = if swaps && cx.f.constant(d.a).is_some() { (d.b, d.a) } else { (d.a, d.b) };
    let x = reg(cx, a)?;
    // A number's negative gives the same carry: it is taken for none that is zero.
    let y = word_rhs(cx, op, b)?;
    define(cx, d.r, |cx, dst| arith(cx, op, flags, gpr(dst), x, y))
}

/// A product in two registers.
fn product(cx: &mut Cx<'_>, d: &Node, op: LongProduct) -> Result {
    let (x, y) = (reg(cx, d.a)?, reg(cx, d.b)?);
    let high = Value(d.r.0 + 1);
    let (lo, hi) = (cx.def(d.r, 0)?, cx.def(high, 0)?);
    asm(cx).registers(op, [gpr(lo), gpr(hi), x, y]);
    cx.set(d.r, 0, lo)?;
    cx.set(high, 0, hi)
}

/// See [`Family::compare_after`].
pub(crate) fn compare_after(cx: &mut Cx<'_>, a: Value, b: Value, order: bool) -> Result {
    let x = reg(cx, a)?;
    if order {
        let y = word_rhs(cx, SBC, b)?;
        arith(cx, SBC, Flags::Set, IP, x, y);
        return Ok(());
    }
    let y = word_rhs(cx, SUB, b)?;
    asm(cx).conditional(Cond::Eq, |e| match y {
        Rhs::Op(y) => e.compare(CMP, x, y),
        Rhs::Negative(y) | Rhs::Inverted(y) => e.compare(CMN, x, y),
    });
    Ok(())
}

/// A shift by a variable number.
fn shift(cx: &mut Cx<'_>, d: &Node) -> Result {
    let left = d.op == Opcode::Shl;
    let n = gpr(cx.use_part(d.b, 0)?);
    let x = pair(cx, d.a)?;
    let dst = define_pair(cx, d.r)?;
    // The half that bits are shifted out of, and the half that they are shifted into.
    let (from, to) = if left { (x.0, x.1) } else { (x.1, x.0) };
    let (near, far) = if left { (gpr(dst.0), gpr(dst.1)) } else { (gpr(dst.1), gpr(dst.0)) };
    let arithmetic = d.op == Opcode::Ashr;
    let (away, back) = match (left, arithmetic) {
        (true, _) => (Shift::Lsl, Shift::Lsr),
        (false, true) => (Shift::Asr, Shift::Lsl),
        _ => (Shift::Lsr, Shift::Lsl),
    };
    let toward = if left { Shift::Lsl } else { Shift::Lsr };
    let mut e = asm(cx);
    // Amounts of 32 and more shift all bits out, and so do negative amounts, of which eight bits count.
    e.shift_rr(toward, KEEP, far, to, n);
    e.data(RSB, KEEP, IP, n, 32);
    or_shifted(&mut e, far, from, back, near);
    e.data(SUB, if arithmetic { Flags::Set } else { KEEP }, IP, n, 32);
    if arithmetic {
        // The sign would not be shifted out.
        e.conditional(Cond::Pl, |e| e.shift_rr(away, KEEP, far, from, IP));
    } else {
        or_shifted(&mut e, far, from, away, near);
    }
    e.shift_rr(away, KEEP, near, from, n);
    set_pair(cx, d.r, dst.0, dst.1)
}

/// Combines a register by "or" with another one shifted by the temporary; in T32 through another register.
fn or_shifted(e: &mut Asm<'_>, d: Gpr, x: Gpr, shift: Shift, via: Gpr) {
    if e.is_t32() {
        e.shift_rr(shift, KEEP, via, x, IP);
        e.data(ORR, KEEP, d, d, via);
    } else {
        e.data(ORR, KEEP, d, d, Operand::By(x, shift, IP));
    }
}
