//! What a judge does otherwise than the layer, by design of the layer or because the judge is wrong: signatures of which
//! one of these holds are not made. Each is in the table at the head of the convention's source.

use super::signature::{Call, some_record};
use gusset_abi::{CType, Convention, DataLayout, FloatKind, PassMode, Record, RecordKind, RegClass, Scalar};

/// Whether a judge treats a signature otherwise.
pub type Differs = fn(&DataLayout, &Call) -> bool;

/// System V x86-64, clang 19: it loses the register that an `__int128` leaves free (later versions do not), keeps named
/// arguments of variadic functions out of registers wider than 16 bytes, forgets members of some unions, has `va_arg` find
/// nothing after a first eightbyte of padding, and loses a `_Float16` beside padding or an unnamed bit-field, or in a union
/// with a `float`, after which it takes the eightbyte for padding.
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
                    || union && has_half(ty) && has_float(ty, FloatKind::F32)
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

/// 32-bit x86, clang 19: its `va_arg` does not find what its callers pass by address, it takes a union for a struct whose
/// members' sizes add up to its own, does not extend a `_BitInt` in a register, at -O0 no integer in one of `fastcall`, and where the callee removes arguments its
/// callers and callees disagree about stacks with vectors. `vectorcall` takes short records apart.
pub fn i386_clang(layout: &DataLayout, call: &Call) -> bool {
    let pops = call.signature.convention != Convention::C;
    // With an argument block, callees forget a scalar result in memory; callers have nothing for records outside, trap on
    // aligned ones inside, and do not extend after it.
    let is_scalar = matches!(call.ret.ty, CType::BitInt { bits: 65.., .. });
    let odd_beside_block = call.types.iter().zip(&call.abi.args).enumerate().any(|(i, (named, arg))| match named.ty {
        CType::Record(_) => {
            !matches!(arg.mode, PassMode::InBlock { indirect: false, .. } | PassMode::Ignore) || arg.layout.align > 8
        }
        CType::BitInt { .. } => i >= call.signature.named(),
        _ => false,
    });
    if call.abi.arg_block.is_some() && (is_scalar || odd_beside_block) {
        return true;
    }
    let odd_union = |ty: &CType| {
        let CType::Record(record) = ty else { return false };
        let size = |ty: &CType| layout.layout(ty).map_or(0, |l| l.size);
        let sum: u64 = record.fields().iter().map(|f| size(&f.ty)).sum();
        record.kind() == RecordKind::Union && record.fields().len() > 1 && sum == size(ty)
    };
    call.types.iter().zip(&call.abi.args).enumerate().any(|(i, (named, arg))| {
        let in_register = arg.mode.pieces().iter().any(|p| p.reg().is_some());
        odd_union(&named.ty)
            || i >= call.signature.named() && matches!(arg.mode, PassMode::Indirect { .. })
            || matches!(named.ty, CType::BitInt { bits: ..32, .. }) && in_register
            || layout.layout(&named.ty).is_ok_and(|l| l.size < 4) && pops && in_register
            || matches!(named.ty, CType::Vector { .. }) && pops && !in_register
            || call.signature.convention == Convention::Vectorcall
                && matches!(arg.mode, PassMode::StackCopy { size: ..=16, .. })
    })
}

/// The same where clang's `va_arg` does not align vectors, as its callers do, or (MSVC) its variadic functions want aligned
/// what their callers do not align.
pub fn i386_clang_unaligned(layout: &DataLayout, call: &Call) -> bool {
    let variadic = call.signature.variadic.is_some();
    variadic && call.types.iter().any(|named| matches!(named.ty, CType::Vector { .. })) || i386_clang(layout, call)
}

/// 32-bit x86, GCC 12: it aligns records on the stack that hold something aligned to 16. With `regparm`, long floating-point
/// numbers leave registers free, and complex ones never are in any, but floating-point numbers in unions are. `fastcall` and `thiscall` have the result's address in a
/// register, 64-bit integers and short records close the registers.
pub fn i386_gcc(layout: &DataLayout, call: &Call) -> bool {
    let aligned = |ty: &CType| {
        some_record(ty, &mut |_, record| {
            record.fields().iter().any(|f| {
                let mut ty = &f.ty;
                while let CType::Array(array) = ty {
                    ty = array.element();
                }
                !matches!(ty, CType::Record(_)) && layout.layout(ty).is_ok_and(|l| l.align >= 16)
            })
        })
    };
    let registers = matches!(call.signature.convention, Convention::Fastcall | Convention::Thiscall);
    // Results without size are in memory, on MinGW too; there a record of a `long double` is in st0.
    let regparm = call.signature.modifiers.regparm > 0;
    let odd_result = matches!(call.ret.ty, CType::Record(_)) && matches!(call.abi.ret.layout.size, 0 | 12);
    let is_union = |_: &CType, r: &Record| r.kind() == RecordKind::Union;
    let union_result = call.abi.ret.mode.pieces().iter().any(|p| p.reg().is_some_and(|r| r.class != RegClass::Int))
        && some_record(&call.ret.ty, &mut { is_union });
    // On MinGW, so is a record of a vector in xmm0.
    odd_result
        || aligned(&call.ret.ty)
        || union_result
        || registers && matches!(call.abi.ret.mode, PassMode::Indirect { .. })
        || call.types.iter().any(|named| {
            let size = layout.layout(&named.ty).map_or(0, |l| l.size);
            let short = match named.ty {
                CType::Scalar(Scalar::Int { bits: 64, .. }) => true,
                CType::Record(_) => (1..=8).contains(&size),
                CType::Complex(_) => true,
                _ => false,
            };
            let is_wide = |mut ty: &CType| {
                while let CType::Array(array) = ty {
                    ty = array.element();
                }
                matches!(ty, CType::Complex(_) | CType::Scalar(Scalar::Float(FloatKind::Long)))
            };
            let alone = size <= 24 && some_record(&named.ty, &mut |_, r| r.fields().iter().any(|f| is_wide(&f.ty)));
            let wide = is_wide(&named.ty) || alone;
            aligned(&named.ty)
                || registers && (short || wide)
                || regparm && (wide || some_record(&named.ty, &mut { is_union }))
        })
}

fn has_empty(layout: &DataLayout, record: &Record) -> bool {
    record.fields().iter().any(|f| layout.layout(&f.ty).is_ok_and(|l| l.size == 0))
}

fn has_unnamed_bits(record: &Record) -> bool {
    record.fields().iter().any(|f| !f.named && f.bits.is_some_and(|bits| bits > 0))
}

fn has_half(ty: &CType) -> bool {
    has_float(ty, FloatKind::F16)
}

fn has_float(ty: &CType, kind: FloatKind) -> bool {
    match ty {
        CType::Array(array) => has_float(array.element(), kind),
        CType::Record(record) => record.fields().iter().any(|f| has_float(&f.ty, kind)),
        CType::Complex(part) => *part == Scalar::Float(kind),
        _ => *ty == CType::float(kind),
    }
}

/// Whether a vector register carries bytes without meaning.
fn has_gap(call: &Call, named: &super::types::Named, mode: &PassMode) -> bool {
    let all = call.types.iter().zip(&call.values).chain([(&call.ret, &call.result)]);
    let mut masks = all.filter(|(n, _)| std::ptr::eq(*n, named)).map(|(_, v)| &v.mask);
    let Some(mask) = masks.next() else { return false };
    mode.pieces().iter().filter(|p| p.reg().is_some_and(|r| r.class == RegClass::Float)).any(|p| {
        let bytes = &mask[p.offset as usize..(p.offset + p.size) as usize];
        bytes.contains(&0)
    })
}
