//! Questions of several conventions about the members of a record. clang answers differently where an array is a
//! flexible one: it counts as a member with a value.

use crate::error::AbiError;
use crate::layout::DataLayout;
use crate::types::{CType, Flexible};

impl Flexible {
    /// The only scalar of a record, if there is no padding after it.
    pub(crate) fn single_element<'t>(self, layout: &DataLayout, ty: &'t CType) -> Result<Option<&'t CType>, AbiError> {
        let CType::Record(record) = ty else { return Ok(None) };
        if self == Flexible::Counts && ty.has_flexible_array() {
            return Ok(None);
        }
        let mut members = record.fields().iter().filter(|field| !self.is_empty_field(field));
        let (Some(member), None) = (members.next(), members.next()) else { return Ok(None) };
        let mut inner = &member.ty;
        while let CType::Array(array) = inner
            && array.len() == 1
        {
            inner = array.element();
        }
        let found = match inner {
            CType::Record(_) | CType::Complex(_) | CType::Array(_) => self.single_element(layout, inner)?,
            inner => Some(inner),
        };
        let Some(element) = found else { return Ok(None) };
        Ok((layout.layout(element)?.size == layout.layout(ty)?.size).then_some(element))
    }

    /// Has a record, and every record in it, the size of one or two registers of 32-bit x86, as clang asks for?
    pub(crate) fn fits_registers(self, layout: &DataLayout, ty: &CType) -> Result<bool, AbiError> {
        let size = layout.layout(ty)?.size;
        if !matches!(size, 1 | 2 | 4 | 8) {
            return Ok(false);
        }
        match ty {
            CType::Scalar(_) | CType::Complex(_) => Ok(true),
            CType::Vector { .. } => Ok(size < 8),
            CType::Array(array) => self.fits_registers(layout, array.element()),
            CType::Record(record) => {
                // clang does not look at bases.
                for field in record.fields().iter().filter(|field| !field.is_base()) {
                    if !self.is_empty_field(field) && !self.fits_registers(layout, &field.ty)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            CType::Void | CType::BitInt { .. } => Ok(false),
        }
    }
}

/// Are all members, those of bases too, 32 or 64 bits wide, without padding between them?
pub(crate) fn fills_words(layout: &DataLayout, ty: &CType, size: u64) -> Result<bool, AbiError> {
    Ok(words(layout, ty)? == Some(size))
}

/// The sum of the members' sizes, if all are 32 or 64 bits wide.
fn words(layout: &DataLayout, ty: &CType) -> Result<Option<u64>, AbiError> {
    let CType::Record(record) = ty else { return Ok(None) };
    let mut sum = 0;
    for field in record.fields() {
        let part = match &field.ty {
            base if field.is_base() => match words(layout, base)? {
                Some(size) => {
                    sum += size;
                    continue;
                }
                None => return Ok(None),
            },
            CType::Complex(part) => *part,
            CType::Scalar(scalar) => *scalar,
            _ => return Ok(None),
        };
        if !matches!(layout.scalar(part)?.size, 4 | 8) || field.bits.is_some() {
            return Ok(None);
        }
        sum += layout.layout(&field.ty)?.size;
    }
    Ok(Some(sum))
}
