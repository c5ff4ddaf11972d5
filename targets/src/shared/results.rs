//! Operands and results that many instructions handle in the same way.

use gusset_codegen::alloc::{Emitter, Where};
use gusset_codegen::analysis::Fold;
use gusset_codegen::error::Result;
use gusset_codegen::ir::{Inst, Opcode, Value, ValueDef};
use gusset_codegen::machine::PReg;
use gusset_codegen::select::Select;

/// Makes a result in any register, which may be one of an operand.
#[inline]
pub(crate) fn define<'a, T: Select>(
    cx: &mut Emitter<'a, T>,
    r: Value,
    emit: impl FnOnce(&mut Emitter<'a, T>, PReg),
) -> Result {
    cx.release();
    let dst = cx.def(r, 0)?;
    emit(cx, dst);
    cx.set(r, 0, dst)
}

/// Makes a result by changing a copy of `a`, in the register of `a` if that ends here.
#[inline]
pub(crate) fn change<'a, T: Select>(
    cx: &mut Emitter<'a, T>,
    (r, a): (Value, Value),
    emit: impl FnOnce(&mut Emitter<'a, T>, PReg),
) -> Result {
    let dst = cx.def_reusing(r, a, 0)?;
    emit(cx, dst);
    cx.set(r, 0, dst)
}

/// Does the carry of a sum stay in the flags for the next instruction?
pub(crate) fn leaves_carry<T: Select>(cx: &Emitter<'_, T>, sum: Inst) -> bool {
    let op = cx.f.inst(sum).op;
    if !matches!(op, Opcode::UaddOv | Opcode::UsubOv) {
        return false;
    }
    let Some(user) = cx.live.only_user(Value(cx.f.result(sum).0 + 1)) else { return false };
    let takes =
        matches!((op, cx.f.inst(user).op), (Opcode::UaddOv, Opcode::IaddCarry) | (Opcode::UsubOv, Opcode::IsubBorrow));
    takes && sum.0 < user.0 && (sum.0 + 1..user.0).all(|i| cx.live.fold[i as usize] != Fold::No)
}

/// Is a carry in the flags?
pub(crate) fn carry_is_left<T: Select>(cx: &Emitter<'_, T>, carry: Value) -> bool {
    matches!(cx.f.value_def(carry), ValueDef::Inst(i) if leaves_carry(cx, i))
}

/// Do selectors read a pair of the operation by its words? It may be left to it.
pub(crate) fn reads_pair(op: Opcode) -> bool {
    use Opcode::*;
    matches!(op, Select | Shl | Lshr | Ashr | Call | Store | Bitcast | Sitofp | Uitofp)
}

/// Pins the words of a pair that are in their homes, which may be those of results.
fn pin_homes<T: Select>(cx: &mut Emitter<'_, T>, v: Value) -> Result {
    emit_operands(cx, &[v])?;
    for part in 0..cx.units.parts(v) {
        if let Where::Reg(x) = cx.whereabouts(v, part)
            && cx.home_register(v, part) == Some(x)
        {
            cx.use_part(v, part)?;
        }
    }
    Ok(())
}

/// A pair of two words.
pub(crate) fn concat<T: Select>(cx: &mut Emitter<'_, T>, r: Value, a: Value, b: Value) -> Result {
    pin_homes(cx, a)?;
    pin_homes(cx, b)?;
    let low = if a == b {
        let low = cx.def(r, 0)?;
        cx.copy_into(low, a, 0)?;
        low
    } else {
        cx.def_from(r, 0, a, 0)?
    };
    let high = cx.def_from(r, 1, b, 0)?;
    set_pair(cx, r, low, high)
}

/// The words of a pair as values.
pub(crate) fn split<T: Select>(cx: &mut Emitter<'_, T>, r: Value, a: Value) -> Result {
    pin_homes(cx, a)?;
    let mut words = [PReg::default(); 2];
    for part in 0..2u8 {
        let v = Value(r.0 + u32::from(part));
        if cx.live.count(v) > 0 {
            words[part as usize] = cx.def_from(v, 0, a, part)?;
        }
    }
    cx.set(r, 0, words[0])?;
    cx.set(Value(r.0 + 1), 0, words[1])
}

/// Takes both parts of a result.
#[inline]
pub(crate) fn set_pair<T: Select>(cx: &mut Emitter<'_, T>, r: Value, low: PReg, high: PReg) -> Result {
    cx.set(r, 0, low)?;
    cx.set(r, 1, high)
}

/// Makes a result the copy of a value with as many parts. Parts of the value in their homes are pinned first: these may
/// be the homes of other parts of the result, which are moved home when all have been read.
pub(crate) fn copy<T: Select>(cx: &mut Emitter<'_, T>, r: Value, a: Value) -> Result {
    let parts = cx.units.parts(r);
    let mut copies = [PReg::default(); 2];
    if parts > 1 {
        pin_homes(cx, a)?;
    }
    for part in 0..parts {
        copies[part as usize] = cx.def_reusing(r, a, part)?;
    }
    (0..parts).try_for_each(|part| cx.set(r, part, copies[part as usize]))
}

/// Emits the operands that were deferred to the current instruction.
pub(crate) fn emit_operands<T: Select>(cx: &mut Emitter<'_, T>, operands: &[Value]) -> Result {
    for &v in operands {
        if let Some(i) = cx.deferred(v) {
            cx.emit_deferred(i)?;
        }
    }
    Ok(())
}

/// Pins the parts of operands that are in their homes.
pub(crate) fn guard<T: Select>(cx: &mut Emitter<'_, T>, values: &[Value]) -> Result {
    for &v in values {
        match cx.halves(v) {
            Some(halves) => guard(cx, &halves)?,
            None => pin_homes(cx, v)?,
        }
    }
    Ok(())
}

/// Says that a part has been read for the last time, before others are asked for: its register may be taken, unless it
/// is its home.
pub(crate) fn done<T: Select>(cx: &mut Emitter<'_, T>, v: Value, part: u8) {
    if let Where::Reg(r) = cx.whereabouts(v, part)
        && cx.home_register(v, part) != Some(r)
    {
        cx.unpin(r);
    }
}
