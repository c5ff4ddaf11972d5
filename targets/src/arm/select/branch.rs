//! Comparisons, and what follows them: choices, jumps through tables.

use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{IntCc, Opcode, Value};

use super::operand::{compare as compare_with, *};
use crate::arm::encode::ops::*;
use crate::arm::reg::{Cond, Flags, Gpr, IP, Shift};
use crate::shared::arm::family::Test as AnyTest;

pub(crate) type Test = AnyTest<Gpr>;

/// See [`Family::compare_ints`].
pub(crate) fn compare_ints(
    cx: &mut Cx<'_>,
    (a, b): (Value, Value),
    cc: IntCc,
    n: Option<i64>,
) -> Result<Test, CompileError> {
    if n == Some(0) && matches!(cc, IntCc::Eq | IntCc::Ne) {
        return is_zero_value(cx, a, cc == IntCc::Eq);
    }
    if cx.ty(a).bits() == 32 {
        let x = reg(cx, a)?;
        let y = rhs(cx, SUB, b)?;
        compare_with(cx, x, y);
    } else {
        narrow(cx, (a, b), cc.is_signed(), n)?;
    }
    Ok(Test::Flags(Cond::of(cc)))
}

/// Compares values of less than 32 bits.
fn narrow(cx: &mut Cx<'_>, (a, b): (Value, Value), signed: bool, n: Option<i64>) -> Done {
    let bits = cx.ty(a).bits();
    if let Some(n) = n {
        let x = extended(cx, a, signed)?;
        let n = if signed { n as u32 } else { n as u32 & ((1 << bits) - 1) };
        compare_number(&mut asm(cx), x, n);
        return Ok(());
    }
    let (zx, zy) = (has_zeros_above(cx, a), has_zeros_above(cx, b));
    if bits == 1 || !signed && zx && zy {
        let (x, y) = (extended(cx, a, false)?, extended(cx, b, false)?);
        asm(cx).compare(CMP, x, y);
        return Ok(());
    }
    // At the upper end of a register, where nothing is above them.
    let (x, y) = (reg(cx, a)?, reg(cx, b)?);
    let up = 32 - bits;
    let mut e = asm(cx);
    e.unary(MOV, Flags::Keep, IP, by(x, Shift::Lsl, up));
    e.compare(CMP, IP, by(y, Shift::Lsl, up));
    Ok(())
}

/// Is a value zero, or is it not?
fn is_zero_value(cx: &mut Cx<'_>, v: Value, zero: bool) -> Result<Test, CompileError> {
    let bits = cx.ty(v).bits();
    if let Some(i) = cx.deferred(v)
        && cx.f.inst(i).op == Opcode::And
    {
        let d = Node::of(cx.f, i);
        return cx.nested(|cx| {
            let (a, b) = if cx.f.constant(d.a).is_some() { (d.b, d.a) } else { (d.a, d.b) };
            let x = reg(cx, a)?;
            let mask = if bits < 32 { (1u32 << bits) - 1 } else { !0 };
            if let Some(n) = cx.f.int_constant(b).map(|n| n as u32 & mask) {
                let mut e = asm(cx);
                let n = e.operand(n);
                e.compare(TST, x, n);
                return Ok(Test::equal(zero));
            }
            let y = reg(cx, b)?;
            if bits < 32 {
                let mut e = asm(cx);
                e.data(AND, Flags::Keep, IP, x, y);
                e.unary(MOV, Flags::Set, IP, by(IP, Shift::Lsl, 32 - bits));
            } else {
                asm(cx).compare(TST, x, y);
            }
            Ok(Test::equal(zero))
        });
    }
    let x = reg(cx, v)?;
    if matches!(bits, 2..32) && !has_zeros_above(cx, v) {
        asm(cx).unary(MOV, Flags::Set, IP, by(x, Shift::Lsl, 32 - bits));
        return Ok(Test::equal(zero));
    }
    Ok(Test::Zero(x, zero))
}
