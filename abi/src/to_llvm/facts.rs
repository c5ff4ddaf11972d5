//! Questions of conventions about aggregates, with clang's answers (clang/lib/CodeGen/ABIInfo.cpp and ABIInfoImpl.cpp).

use super::records::Types;
use crate::homogeneous::Homogeneity;
use crate::prelude::*;
use crate::types::Flexible;

/// Are values in memory rather than single IR values?
pub(crate) fn is_aggregate(ty: &CType) -> bool {
    matches!(ty, CType::Record(_) | CType::Array(_) | CType::Complex(_))
}

/// Is the type a record without any member that holds a value, and without a flexible array?
pub(crate) fn is_empty_record(ty: &CType) -> bool {
    matches!(ty, CType::Record(record) if Flexible::Counts.is_empty(record))
}

/// The type and number of the members of a homogeneous aggregate, or of a single value that could be a member.
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
    let found = Homogeneity { layout: &types.layout, is_base, zero_bit_fields }.of(ty)?;
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
