//! What conventions ask about aggregates, as clang answers (clang/lib/CodeGen/ABIInfo.cpp and ABIInfoImpl.cpp).

use super::records::Types;
use crate::error::AbiError;
use crate::homogeneous::Homogeneity;
use crate::measure::Layout;
use crate::members::Flexible;
use crate::types::{CType, Language, Record};
use alloc::sync::Arc;

/// The record, if the type is one.
pub(crate) fn as_record(ty: &CType) -> Option<&Arc<Record>> {
    match ty {
        CType::Record(record) => Some(record),
        _ => None,
    }
}

/// Whether values are in memory rather than single IR values.
pub(crate) fn is_aggregate(ty: &CType) -> bool {
    matches!(ty, CType::Record(_) | CType::Array(_) | CType::Complex(_))
}

/// Whether the type is a C++ class that cannot be copied bitwise.
pub(crate) fn is_non_trivial(ty: &CType) -> bool {
    as_record(ty).is_some_and(|record| record.is_non_trivial())
}

/// Whether the type is a record without any member that holds a value, nor a flexible array.
pub(crate) fn is_empty_record(ty: &CType) -> bool {
    as_record(ty).is_some_and(|record| Flexible::Counts.is_empty(record))
}

/// The members' type and number of a homogeneous aggregate, or of a single value that could be a member.
pub(crate) fn homogeneous(
    types: &Types,
    is_base: fn(&CType, Layout) -> bool,
    zero_bit_fields: bool,
    ty: &CType,
) -> Result<Option<(CType, u32)>, AbiError> {
    if ty.holds_flexible_array() {
        return Ok(None);
    }
    // In C++, clang ignores bit-fields of width 0 everywhere.
    let cxx = matches!(ty, CType::Record(record) if record.language() == Language::Cxx);
    let zero_bit_fields = zero_bit_fields || cxx;
    let found = Homogeneity { layout: &types.layout, is_base, zero_bit_fields, most: 4 }.of(ty)?;
    let Some(found) = found else { return Ok(None) };
    let base = match first_base(types, is_base, ty)? {
        // A vector whose number of lanes is no power of two, with as many as its size has room for.
        Some(CType::Vector { lane, .. }) => {
            let lanes = u64::from(found.size) / types.layout.scalar(lane)?.size;
            CType::Vector { lane, lanes: lanes as u32 }
        }
        Some(base) => base,
        None => return Ok(None),
    };
    Ok(Some((base, found.count)))
}

/// The first scalar or vector in a type that may be the members' type.
fn first_base(types: &Types, is_base: fn(&CType, Layout) -> bool, ty: &CType) -> Result<Option<CType>, AbiError> {
    match ty {
        CType::Array(array) => first_base(types, is_base, array.element()),
        CType::Record(record) => {
            for field in record.fields().iter().filter(|field| field.bits.is_none()) {
                let mut innermost = &field.ty;
                while let CType::Array(array) = innermost {
                    innermost = array.element();
                }
                if !is_empty_record(innermost)
                    && let Some(base) = first_base(types, is_base, &field.ty)?
                {
                    return Ok(Some(base));
                }
            }
            Ok(None)
        }
        CType::Complex(part) => first_base(types, is_base, &CType::Scalar(*part)),
        _ => Ok(is_base(ty, types.layout.layout(ty)?).then(|| ty.clone())),
    }
}

/// The records among the members of a record, arrays of them included.
fn member_records(record: &Record) -> impl Iterator<Item = &Arc<Record>> {
    record.fields().iter().filter_map(|field| {
        let mut ty = &field.ty;
        while let CType::Array(array) = ty {
            ty = array.element();
        }
        as_record(ty)
    })
}

/// Whether Microsoft's rules for 64-bit ARM let the type be a homogeneous aggregate (MicrosoftCXXABI.cpp,
/// `isPermittedToBeHomogeneousAggregate`; [`Record::never_homogeneous`]).
pub(crate) fn microsoft_permits(ty: &CType) -> bool {
    fn permits(record: &Record) -> bool {
        !record.is_non_trivial() && !record.is_never_homogeneous() && member_records(record).all(|inner| permits(inner))
    }
    as_record(ty).is_none_or(|record| record.language() == Language::C || permits(record))
}
