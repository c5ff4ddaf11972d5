//! What a judge does otherwise than the layer, by design of the layer or because the judge is wrong: signatures of which
//! one of these holds are not made. Each is in the table at the head of the convention's source.

use crate::signature::{Call, some_record};
use gusset_abi::{CType, DataLayout, FloatKind, PassMode, Record, RecordKind, RegClass, Scalar};

/// Whether a judge treats a signature otherwise.
pub type Differs = fn(&DataLayout, &Call) -> bool;

/// System V x86-64, clang 19: it loses the register that an `__int128` leaves free (later versions do not), keeps named
/// arguments of variadic functions out of registers wider than 16 bytes, forgets members of some unions, has `va_arg` find
/// nothing behind a first eightbyte of padding, and loses a `_Float16` behind padding or beside an unnamed bit-field.
pub fn sysv64_clang(layout: &DataLayout, call: &Call) -> bool {
    let arguments = call.types.iter().zip(&call.abi.args).enumerate().any(|(i, (named, arg))| {
        arg.mode.pieces().first().is_some_and(|piece| {
            matches!(named.ty, CType::Scalar(Scalar::Int { bits: 128, .. })) && piece.reg().is_none()
                || call.signature.variadic.is_some() && piece.reg().is_some() && piece.size > 16
                || i >= call.signature.named() && piece.offset > 0
        })
    });
    arguments
        || call.all().any(|(named, mode)| {
            some_record(&named.ty, &mut |ty, record| {
                let has = |scalar| record.fields().iter().any(|f| f.ty == scalar);
                let union = record.kind() == RecordKind::Union;
                let size = layout.layout(ty).map_or(0, |l| l.size);
                union && (size > 16 || has(CType::F128))
                    || size > 16 && has_empty(layout, record)
                    || has_half(ty) && (has_gap(call, named, mode) || has_unnamed_bits(record))
            })
        })
}

/// System V x86-64, GCC 12, with packed records and with arrays of records that a bit-field of width zero lengthens. Its
/// `va_arg` does not survive a union of a vector, and loads an aligned record from the save area as if that were aligned too.
pub fn sysv64_gcc(layout: &DataLayout, call: &Call) -> bool {
    let ends = call.types.iter().zip(&call.abi.args).skip(call.signature.named()).any(|(named, arg)| {
        let int = arg.mode.pieces().iter().any(|p| p.reg().is_some_and(|r| r.class == RegClass::Int));
        let aligned = layout.layout(&named.ty).is_ok_and(|l| l.align > 8);
        some_record(&named.ty, &mut |_, record| record.kind() == RecordKind::Union || int && aligned)
    });
    ends || call.all().any(|(named, _)| {
        some_record(&named.ty, &mut |ty, record| {
            let size = layout.layout(ty).map_or(0, |l| l.size);
            let is_packed =
                |r: &Record| r.is_packed() || r.fields().iter().any(|f| f.packed) || r.max_field_align().is_some();
            is_packed(record) && size <= 16 && record.fields().iter().any(|f| !matches!(f.ty, CType::Scalar(_)))
                || record.fields().iter().any(|f| match &f.ty {
                    CType::Array(array) => some_record(array.element(), &mut |_, r| {
                        is_packed(r) || r.fields().iter().any(|f| f.bits == Some(0))
                    }),
                    _ => false,
                })
        })
    })
}

fn has_empty(layout: &DataLayout, record: &Record) -> bool {
    record.fields().iter().any(|f| layout.layout(&f.ty).is_ok_and(|l| l.size == 0))
}

fn has_unnamed_bits(record: &Record) -> bool {
    record.fields().iter().any(|f| !f.named && f.bits.is_some_and(|bits| bits > 0))
}

fn has_half(ty: &CType) -> bool {
    match ty {
        CType::Array(array) => has_half(array.element()),
        CType::Record(record) => record.fields().iter().any(|f| has_half(&f.ty)),
        _ => *ty == CType::float(FloatKind::F16),
    }
}

/// Whether a vector register carries bytes without meaning before some that have it.
fn has_gap(call: &Call, named: &crate::types::Named, mode: &PassMode) -> bool {
    let all = call.types.iter().zip(&call.values).chain([(&call.ret, &call.result)]);
    let mut masks = all.filter(|(n, _)| std::ptr::eq(*n, named)).map(|(_, v)| &v.mask);
    let Some(mask) = masks.next() else { return false };
    mode.pieces().iter().filter(|p| p.reg().is_some_and(|r| r.class == RegClass::Float)).any(|p| {
        let bytes = &mask[p.offset as usize..(p.offset + p.size) as usize];
        bytes.iter().skip_while(|b| **b != 0).any(|b| *b != 0)
    })
}
