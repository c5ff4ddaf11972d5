//! What judges do otherwise with classes of C++: see the tables at the heads of the conventions' sources.

use super::signature::{Call, some_record};
use gusset_abi::{AbiType, CType, Convention, DataLayout, Member, Piece, RegClass, Scalar};

/// Whether a class has nothing but empty classes in it.
fn is_empty(ty: &CType) -> bool {
    match ty {
        CType::Record(record) => {
            record.fields().iter().all(|f| if f.bits.is_some() { !f.named } else { is_empty(&f.ty) })
        }
        CType::Array(array) => array.is_empty() || is_empty(array.element()),
        _ => false,
    }
}

/// GCC 12 on x86-64: an empty class aligned to more than 16 bytes does not travel. On AArch64 memory for one is not aligned
/// so when it is a result.
pub fn gcc_large_empty(layout: &DataLayout, call: &Call) -> bool {
    call.all().any(|(named, _)| is_empty(&named.ty) && layout.layout(&named.ty).is_ok_and(|l| l.size > 16))
}

/// GCC 12 for Windows: no empty class travels, though Microsoft's does. For 32-bit ARM: all do, though clang's do not.
pub fn gcc_empty(_: &DataLayout, call: &Call) -> bool {
    call.all().any(|(named, _)| is_empty(&named.ty))
}

/// clang 19 on 32-bit x86: a class of size zero that has classes as members takes a word.
pub fn clang_zero_size(layout: &DataLayout, call: &Call) -> bool {
    let holds_class = |ty: &CType| some_record(ty, &mut |_, r| r.fields().iter().any(|f| is_class(&f.ty)));
    call.types.iter().any(|n| layout.layout(&n.ty).is_ok_and(|l| l.size == 0) && holds_class(&n.ty))
}

fn is_class(ty: &CType) -> bool {
    match ty {
        CType::Array(array) => !array.is_empty() && is_class(array.element()),
        CType::Record(_) => true,
        _ => false,
    }
}

/// Whether a type has floating-point numbers and vectors in it and nothing else.
fn is_floating(ty: &CType) -> bool {
    match ty {
        CType::Record(record) => {
            record.fields().iter().all(|f| if f.bits.is_some() { f.bits == Some(0) } else { is_floating(&f.ty) })
        }
        CType::Array(array) => is_floating(array.element()),
        CType::Scalar(Scalar::Float(_)) | CType::Complex(Scalar::Float(_)) | CType::Vector { .. } => true,
        _ => false,
    }
}

/// clang 19, `__vectorcall`: it copies homogeneous classes into registers though they have copy constructors.
pub fn clang_vectorcall(_: &DataLayout, call: &Call) -> bool {
    call.types.iter().any(|n| matches!(&n.ty, CType::Record(r) if r.is_non_trivial()) && is_floating(&n.ty))
}

/// clang 19 for Microsoft's targets: a vector that a method returns is in xmm0, which MSVC has in memory; a homogeneous class that a
/// `__vectorcall` method returns, or that has constructors or private members, is in memory, which MSVC has in vector registers.
pub fn clang_microsoft_results(_: &DataLayout, call: &Call) -> bool {
    let AbiType::C(ret) = &call.signature.ret.ty else { return false };
    let vectorcall = call.signature.convention == Convention::Vectorcall;
    match ret {
        CType::Vector { .. } => call.signature.modifiers.member == Member::Method,
        CType::Record(record) => {
            let plain = record.class().aggregate && call.signature.modifiers.member == Member::None;
            vectorcall && !plain && is_floating(ret)
        }
        _ => false,
    }
}

/// GCC 12 on ARM: members that are empty classes keep a class from being homogeneous.
pub fn gcc_empty_member(_: &DataLayout, call: &Call) -> bool {
    let holds_empty =
        |ty: &CType| some_record(ty, &mut |_, r| r.fields().iter().any(|f| f.bits.is_none() && is_empty(&f.ty)));
    call.all().any(|(n, mode)| {
        holds_empty(&n.ty) && mode.pieces().iter().filter_map(Piece::reg).any(|r| r.class == RegClass::Float)
    })
}

/// AArch64, clang 19: an empty class takes one register or slot, however large it is.
pub fn clang_large_empty(layout: &DataLayout, call: &Call) -> bool {
    call.types.iter().any(|n| is_empty(&n.ty) && layout.layout(&n.ty).is_ok_and(|l| l.size > 8))
}
