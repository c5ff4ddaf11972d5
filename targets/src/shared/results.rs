//! Operands and results that many instructions handle in the same way.

use gusset_codegen::alloc::{Emitter, Where};
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::Value;
use gusset_codegen::machine::PReg;
use gusset_codegen::select::Select;

/// Makes a result in any register, which may be one of an operand.
#[inline]
pub(crate) fn define<'a, T: Select>(
    cx: &mut Emitter<'a, T>,
    r: Value,
    emit: impl FnOnce(&mut Emitter<'a, T>, PReg),
) -> Result<(), CompileError> {
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
) -> Result<(), CompileError> {
    let dst = cx.def_reusing(r, a, 0)?;
    emit(cx, dst);
    cx.set(r, 0, dst)
}

/// Binds both parts of a result.
#[inline]
pub(crate) fn set_pair<T: Select>(
    cx: &mut Emitter<'_, T>,
    r: Value,
    low: PReg,
    high: PReg,
) -> Result<(), CompileError> {
    cx.set(r, 0, low)?;
    cx.set(r, 1, high)
}

/// Makes a result the copy of a value with as many parts. Parts of the value in their homes are pinned first: these may
/// be the homes of other parts of the result, which are moved home when all have been read.
pub(crate) fn copy<T: Select>(cx: &mut Emitter<'_, T>, r: Value, a: Value) -> Result<(), CompileError> {
    let parts = cx.units.parts(r);
    let mut copies = [PReg::default(); 2];
    if parts > 1 {
        emit_operands(cx, &[a])?;
        for part in 0..parts {
            if let Where::Reg(x) = cx.whereabouts(a, part)
                && cx.home_register(a, part) == Some(x)
            {
                cx.use_part(a, part)?;
            }
        }
    }
    for part in 0..parts {
        copies[part as usize] = cx.def_reusing(r, a, part)?;
    }
    (0..parts).try_for_each(|part| cx.set(r, part, copies[part as usize]))
}

/// Emits the operands that were deferred to the current instruction.
pub(crate) fn emit_operands<T: Select>(cx: &mut Emitter<'_, T>, operands: &[Value]) -> Result<(), CompileError> {
    for &v in operands {
        if let Some(i) = cx.deferred(v) {
            cx.emit_deferred(i)?;
        }
    }
    Ok(())
}
