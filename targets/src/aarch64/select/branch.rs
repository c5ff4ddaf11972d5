//! Comparisons and what uses them: conditions of two parts, jumps through tables.

use gusset_codegen::ir::Value;

use super::operand::*;
use crate::aarch64::encode::ops::*;
use crate::aarch64::encode::{Asm, TEMP, add_immediate};
use crate::aarch64::machine::width;
use crate::aarch64::reg::{Gpr, Width, ZR};
use crate::shared::arm::family::Test as AnyTest;

/// A value that is tested for zero.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tested {
    Whole(Width, Gpr),
    /// A bit of a register.
    Bit(Gpr, u32),
}

pub(crate) type Test = AnyTest<Tested>;

/// See [`Family::compare_ints`].
pub(crate) fn compare_ints(cx: &mut Cx<'_>, (a, b): (Value, Value), signed: bool, n: Option<i64>) -> Result {
    let ty = cx.ty(a);
    if ty.bits() >= 32 {
        let x = reg(cx, a)?;
        let y = add_rhs(cx, b)?;
        add(cx, SUBS, width(ty), ZR, x, y);
        return Ok(());
    }
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
