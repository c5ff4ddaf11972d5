//! Comparisons, and what follows them: conditions of two, jumps through tables.

use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{IntCc, Opcode, Value};

use super::operand::*;
use crate::aarch64::encode::ops::*;
use crate::aarch64::encode::{Asm, TEMP, add_immediate, logical_immediate};
use crate::aarch64::machine::width;
use crate::aarch64::reg::{Cond, Gpr, Width, ZR};
use crate::shared::arm::family::Test as AnyTest;

/// What may be zero.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tested {
    Whole(Width, Gpr),
    /// A bit of a register.
    Bit(Gpr, u32),
}

pub(crate) type Test = AnyTest<Tested>;

/// See [`Family::compare_ints`].
pub(crate) fn compare_ints(
    cx: &mut Cx<'_>,
    (a, b): (Value, Value),
    cc: IntCc,
    n: Option<i64>,
) -> Result<Test, CompileError> {
    let ty = cx.ty(a);
    let (w, bits) = (width(ty), ty.bits());
    if n == Some(0) && matches!(cc, IntCc::Eq | IntCc::Ne) {
        return is_zero_value(cx, a, w, cc == IntCc::Eq);
    }
    // Is it negative?
    let negative = match (cc, n) {
        (IntCc::Slt, Some(0)) | (IntCc::Sle, Some(-1)) => Some(true),
        (IntCc::Sge, Some(0)) | (IntCc::Sgt, Some(-1)) => Some(false),
        _ => None,
    };
    if let Some(negative) = negative {
        return Ok(Test::Zero(Tested::Bit(reg(cx, a)?, bits - 1), !negative));
    }
    if bits < 32 {
        narrow(cx, (a, b), cc.is_signed(), n)?;
    } else {
        let x = reg(cx, a)?;
        let y = add_rhs(cx, b)?;
        add(cx, SUBS, w, ZR, x, y);
    }
    Ok(Test::Flags(Cond::of(cc)))
}

/// Compares values of less than 32 bits.
fn narrow(cx: &mut Cx<'_>, (a, b): (Value, Value), signed: bool, n: Option<i64>) -> Done {
    let ty = cx.ty(a);
    let x = extended(cx, a, signed)?;
    let Some(n) = n else {
        let y = reg(cx, b)?;
        asm(cx).add_extended(SUBS, Width::W, ZR, x, (y, extension(ty, signed), 0));
        return Ok(());
    };
    let n = if signed { n } else { n & ((1 << ty.bits()) - 1) };
    compare_number(&mut asm(cx), Width::W, x, n);
    Ok(())
}

/// Is a value zero, or is it not?
fn is_zero_value(cx: &mut Cx<'_>, v: Value, w: Width, zero: bool) -> Result<Test, CompileError> {
    let bits = cx.ty(v).bits();
    let flags = Test::equal(zero);
    if let Some(i) = cx.deferred(v)
        && cx.f.inst(i).op == Opcode::And
    {
        let d = Node::of(cx.f, i);
        return cx.nested(|cx| {
            let (a, b) = if cx.f.constant(d.a).is_some() { (d.b, d.a) } else { (d.a, d.b) };
            let x = reg(cx, a)?;
            let mask = if bits < 64 { (1u64 << bits) - 1 } else { !0 };
            let n = cx.f.int_constant(b).map(|n| n as u64 & mask);
            if let Some(n) = n.filter(|n| n.is_power_of_two()) {
                return Ok(Test::Zero(Tested::Bit(x, n.trailing_zeros()), zero));
            }
            if let Some(field) = n.and_then(|n| logical_immediate(w, n)) {
                asm(cx).logic_ri(ANDS, w, ZR, x, field);
                return Ok(flags);
            }
            let y = reg(cx, b)?;
            if bits < 32 {
                asm(cx).logic_rr(AND, w, TEMP, x, y);
                test_low(cx, TEMP, bits);
            } else {
                asm(cx).logic_rr(ANDS, w, ZR, x, y);
            }
            Ok(flags)
        });
    }
    let x = reg(cx, v)?;
    match bits {
        1 => Ok(Test::Zero(Tested::Bit(x, 0), zero)),
        2..32 if !has_zeros_above(cx, v) => {
            test_low(cx, x, bits);
            Ok(flags)
        }
        _ => Ok(Test::Zero(Tested::Whole(w, x), zero)),
    }
}

fn test_low(cx: &mut Cx<'_>, x: Gpr, bits: u32) {
    if let Some(field) = logical_immediate(Width::W, (1 << bits) - 1) {
        asm(cx).logic_ri(ANDS, Width::W, ZR, x, field);
    }
}

/// Compares with a number.
pub(crate) fn compare_number(e: &mut Asm<'_>, w: Width, x: Gpr, n: i64) {
    match add_immediate(n.unsigned_abs()) {
        Some(field) => e.add_ri(if n < 0 { ADDS } else { SUBS }, w, ZR, x, field),
        None => {
            e.mov_number(w, TEMP, n as u64);
            e.add_rr(SUBS, w, ZR, x, TEMP);
        }
    }
}
