//! Words of integers of 128 bits: sums with carries, comparisons, products; and shifts of pairs of registers.

use gusset_codegen::error::Result;
use gusset_codegen::ir::{Opcode, Value};

use super::operand::*;
use crate::aarch64::encode::TEMP;
use crate::aarch64::encode::ops::*;
use crate::aarch64::reg::{Cond, Shift, Width, ZR};
use crate::aarch64::registers::CALLEE;
use crate::shared::results::carry_is_left;

const X: Width = Width::X;

/// See [`Family::select_wide`].
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Result {
    use Opcode::*;
    match d.op {
        UaddOv | UsubOv => {
            let x = reg(cx, d.a)?;
            let y = add_rhs(cx, d.b)?;
            define(cx, d.r, |cx, dst| add(cx, if d.op == UaddOv { ADDS } else { SUBS }, X, gpr(dst), x, y))
        }
        IaddCarry | IsubBorrow => {
            if !carry_is_left(cx, d.c) {
                let x = reg(cx, d.c)?;
                match d.op {
                    IaddCarry => asm(cx).compare_number(Width::W, x, 1),
                    _ => asm(cx).set_borrow(x),
                }
            }
            cx.current.flags_live = true;
            let (x, y) = (reg_or_zero(cx, d.a)?, reg_or_zero(cx, d.b)?);
            define(cx, d.r, |cx, dst| asm(cx).rrr(if d.op == IaddCarry { ADC } else { SBC }, X, gpr(dst), x, y))
        }
        UmulWide => product(cx, d, UMULH),
        SmulWide => product(cx, d, SMULH),
        Shl | Lshr | Ashr => shift(cx, d),
        _ => not_yet(cx, d),
    }
}

/// A product in two registers.
fn product(cx: &mut Cx<'_>, d: &Node, op: HighProduct) -> Result {
    let (x, y) = (reg(cx, d.a)?, reg(cx, d.b)?);
    let high = Value(d.r.0 + 1);
    let (lo, hi) = (cx.def(d.r, 0)?, cx.def(high, 0)?);
    let mut e = asm(cx);
    e.rrrr(MADD, X, gpr(lo), (x, y), ZR);
    e.high_product(op, gpr(hi), x, y);
    cx.set(d.r, 0, lo)?;
    cx.set(high, 0, hi)
}

/// See [`Family::compare_after`].
pub(crate) fn compare_after(cx: &mut Cx<'_>, a: Value, b: Value, order: bool) -> Result {
    let (x, y) = (reg_or_zero(cx, a)?, reg_or_zero(cx, b)?);
    match order {
        true => asm(cx).rrr(SBCS, X, ZR, x, y),
        false => asm(cx).cond_compare_rr(CCMP, X, x, y, (0, Cond::Eq)),
    }
    Ok(())
}

/// A shift by a variable number.
fn shift(cx: &mut Cx<'_>, d: &Node) -> Result {
    let x = pair(cx, d.a)?;
    let left = d.op == Opcode::Shl;
    let kind = if d.op == Opcode::Ashr { Shift::Asr } else { Shift::Lsr };
    let n = gpr(cx.use_part(d.b, 0)?);
    let dst = define_pair(cx, d.r)?;
    // The half that bits are shifted out of, and the half that they are shifted into.
    let (from, to) = if left { (x.0, x.1) } else { (x.1, x.0) };
    let (near, far) = if left { (gpr(dst.0), gpr(dst.1)) } else { (gpr(dst.1), gpr(dst.0)) };
    let (away, back, one) = match (left, kind) {
        (true, _) => (LSLV, LSRV, Shift::Lsr),
        (false, Shift::Asr) => (ASRV, LSLV, Shift::Lsl),
        _ => (LSRV, LSLV, Shift::Lsl),
    };
    let toward = if left { LSLV } else { LSRV };
    let (t, u) = (TEMP, gpr(CALLEE));
    let mut e = asm(cx);
    // The bits that cross over are shifted by one, then by the rest.
    e.logic_rr(ORN, X, u, ZR, n);
    e.shift_ri(one, X, t, from, 1);
    e.rrr(back, X, t, t, u);
    e.rrr(toward, X, u, to, n);
    e.logic_rr(ORR, X, t, t, u);
    e.rrr(away, X, u, from, n);
    e.logic_number(ANDS, X, ZR, n, 64);
    e.choice(CSEL, X, far, (u, t), Cond::Ne);
    if kind == Shift::Asr && !left {
        e.shift_ri(Shift::Asr, X, t, from, 63);
        e.choice(CSEL, X, near, (t, u), Cond::Ne);
    } else {
        e.choice(CSEL, X, near, (ZR, u), Cond::Ne);
    }
    set_pair(cx, d.r, dst.0, dst.1)
}
