//! Operands that are made, and results that are taken, the same way by many instructions.

use gusset_codegen::alloc::Stream;
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::Value;
use gusset_codegen::machine::PReg;
use gusset_codegen::select::Select;

/// Makes a result in any register, which may be one that an operand had.
#[inline]
pub(crate) fn define<'a, T: Select>(
    cx: &mut Stream<'a, T>,
    r: Value,
    emit: impl FnOnce(&mut Stream<'a, T>, PReg),
) -> Result<(), CompileError> {
    cx.release();
    let dst = cx.def(r, 0)?;
    emit(cx, dst);
    cx.set(r, 0, dst)
}

/// Makes a result of a copy of `a`, in its register if that ends here.
#[inline]
pub(crate) fn change<'a, T: Select>(
    cx: &mut Stream<'a, T>,
    (r, a): (Value, Value),
    emit: impl FnOnce(&mut Stream<'a, T>, PReg),
) -> Result<(), CompileError> {
    let dst = cx.def_reusing(r, a, 0)?;
    emit(cx, dst);
    cx.set(r, 0, dst)
}

/// Takes both parts of a result.
#[inline]
pub(crate) fn set_pair<T: Select>(cx: &mut Stream<'_, T>, r: Value, low: PReg, high: PReg) -> Result<(), CompileError> {
    cx.set(r, 0, low)?;
    cx.set(r, 1, high)
}

/// Emits the operands that were left to the current instruction.
pub(crate) fn emit_operands<T: Select>(cx: &mut Stream<'_, T>, operands: &[Value]) -> Result<(), CompileError> {
    for &v in operands {
        if let Some(i) = cx.deferred(v) {
            cx.emit_deferred(i)?;
        }
    }
    Ok(())
}
