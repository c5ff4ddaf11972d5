//! What a judge does otherwise than the layer on ARM, as [`differs`](super::differs).

use super::signature::Call;
use gusset_abi::{CType, DataLayout, PassMode, Place};

/// Windows ARM64, clang 19: variadic functions find vectors in vector registers, where `va_arg` does not look, and values of
/// which only half finds a register on the stack; `va_arg` expects something of an empty record, and nothing aligned to 16;
/// with a `_Float16` there it does not compile.
pub fn win_arm64_clang(layout: &DataLayout, call: &Call) -> bool {
    call.signature.variadic.is_some()
        && call.types.iter().zip(&call.abi.args).any(|(named, arg)| {
            let aligned = layout.layout(&named.ty).is_ok_and(|l| l.align > 8);
            let on_stack = arg.mode.pieces().iter().filter(|p| matches!(p.place, Place::Stack { .. })).count();
            matches!(named.ty, CType::Vector { .. })
                || named.ty == CType::F16
                || on_stack == 1 && arg.mode.pieces().len() == 2
                || arg.mode == PassMode::Ignore
                || aligned && !matches!(arg.mode, PassMode::Indirect { .. })
        })
}

/// Apple arm64, clang 19: a caller does not align homogeneous aggregates among the unnamed arguments, `va_arg` does, and
/// beyond 16 bytes.
pub fn apple_clang(layout: &DataLayout, call: &Call) -> bool {
    call.types.iter().zip(&call.abi.args).skip(call.signature.named()).any(|(named, arg)| {
        let aligned = layout.layout(&named.ty).is_ok_and(|l| l.align > 8);
        aligned && matches!(arg.mode, PassMode::StackCopy { .. })
    })
}

/// AArch64, GCC 12: copies of values aligned to more than 16 bytes are aligned to 16.
pub fn aarch64_gcc(_: &DataLayout, call: &Call) -> bool {
    call.abi.args.iter().any(|arg| matches!(arg.mode, PassMode::Indirect { align: 17.., .. }))
}

/// AArch64, clang 19 without optimization: a packed record of one vector or `long double` is aligned to 16 on the stack.
pub fn aarch64_clang(_: &DataLayout, call: &Call) -> bool {
    call.types.iter().zip(&call.abi.args).any(|(named, arg)| {
        matches!(arg.mode, PassMode::StackCopy { size: 16, align: 8, .. }) && holds_vector(&named.ty)
    })
}

/// 32-bit ARM, GCC 12: a bit-field of an 8-byte type, and at times a record, aligns its record to 8 as an argument, though it
/// be packed, and so does a record without members that is aligned to 8 with what follows it. A record of one vector that
/// is aligned to 16 is read from the callee's frame as if that were aligned to 16.
pub fn arm_gcc(layout: &DataLayout, call: &Call) -> bool {
    call.types.iter().zip(&call.abi.args).any(|(named, arg)| {
        let CType::Record(record) = &named.ty else { return false };
        let wide = record.fields().iter().any(|field| {
            let aligned = field.bits.is_some() || matches!(field.ty, CType::Record(_));
            let packed = record.is_packed() || record.max_field_align().is_some() || field.packed;
            aligned && packed && layout.layout(&field.ty).is_ok_and(|l| l.align == 8)
        });
        let vector = arg.layout.align >= 16 && arg.mode.pieces().iter().any(|piece| piece.size == 16);
        wide || vector || arg.mode == PassMode::Ignore && arg.layout.align >= 8
    })
}

/// 32-bit ARM, clang 19: a packed homogeneous aggregate is aligned on the stack as its members would be.
pub fn arm_clang(layout: &DataLayout, call: &Call) -> bool {
    call.types.iter().zip(&call.abi.args).any(|(named, arg)| {
        let packed = layout.layout(&named.ty).is_ok_and(|l| l.align < 8);
        packed && matches!(arg.mode, PassMode::StackCopy { align: 4, .. }) && holds_eight_bytes(&named.ty)
    })
}

fn holds_eight_bytes(ty: &CType) -> bool {
    match ty {
        CType::Vector { .. } | CType::Complex(_) => true,
        CType::Array(array) => holds_eight_bytes(array.element()),
        CType::Record(record) => record.fields().iter().any(|f| holds_eight_bytes(&f.ty)),
        _ => matches!(*ty, CType::F64 | CType::LONG_DOUBLE),
    }
}

fn holds_vector(ty: &CType) -> bool {
    match ty {
        CType::Vector { .. } => true,
        CType::Array(array) => holds_vector(array.element()),
        CType::Record(record) => record.fields().iter().any(|f| holds_vector(&f.ty)),
        _ => *ty == CType::LONG_DOUBLE,
    }
}
