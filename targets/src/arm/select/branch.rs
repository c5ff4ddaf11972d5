//! Comparisons and what uses them: selections, jumps through tables.

use gusset_codegen::ir::Value;

use super::operand::{compare as compare_with, *};
use crate::arm::encode::ops::*;
use crate::arm::reg::{Flags, Gpr, IP, Shift};
use crate::shared::arm::family::Test as AnyTest;

pub(crate) type Test = AnyTest<Gpr>;

/// See [`Family::compare_ints`].
pub(crate) fn compare_ints(cx: &mut Cx<'_>, (a, b): (Value, Value), signed: bool, n: Option<i64>) -> Result {
    let bits = cx.ty(a).bits();
    if bits == 32 {
        let x = reg(cx, a)?;
        let y = rhs(cx, SUB, b)?;
        compare_with(cx, x, y);
        return Ok(());
    }
    if let Some(n) = n {
        let x = extended(cx, a, signed)?;
        let n = if signed { n as u32 } else { n as u32 & ((1 << bits) - 1) };
        compare_number(&mut asm(cx), x, n);
        return Ok(());
    }
    let (zx, zy) = [a, b].map(|v| has_zeros_above(cx.f, v, cx.is_optimized())).into();
    if bits == 1 || !signed && zx && zy {
        let (x, y) = (extended(cx, a, false)?, extended(cx, b, false)?);
        asm(cx).compare(CMP, x, y);
        return Ok(());
    }
    // At the upper end of a register, where no bits are above them.
    let (x, y) = (reg(cx, a)?, reg(cx, b)?);
    let up = 32 - bits;
    let mut e = asm(cx);
    e.unary(MOV, Flags::Keep, IP, by(x, Shift::Lsl, up));
    e.compare(CMP, IP, by(y, Shift::Lsl, up));
    Ok(())
}
