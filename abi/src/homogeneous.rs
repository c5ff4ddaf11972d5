//! Homogeneous aggregates: records whose members are all of one floating-point or vector type (AAPCS64, section 5.9.5;
//! AAPCS32, section 5.3.5; MS, "`__vectorcall`"). Conventions differ in what they take as such a type.
//!
//! Where the documents leave something open, clang is followed: what counts as empty, and members of the same size in
//! different formats, which count as equal.

use crate::engine::wanted;
use crate::prelude::*;
use crate::types::Flexible;

/// A homogeneous aggregate, or a single value of a type that could be its member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Homogeneous {
    /// Size of a member in bytes.
    pub(crate) size: u32,
    /// The members are vectors.
    pub(crate) vector: bool,
    /// Number of members, at least 1.
    pub(crate) count: u32,
}

/// The number of these rules in what a record caches; each target has only one set of them.
const RULES: u8 = 2;

impl Homogeneous {
    /// The result of `find` for `ty`. A record caches it, so only one set of rules for each target may use this.
    pub(crate) fn cached(
        layout: &DataLayout,
        ty: &CType,
        find: impl FnOnce() -> Result<Option<Homogeneous>, AbiError>,
    ) -> Result<Option<Homogeneous>, AbiError> {
        let CType::Record(record) = ty else { return find() };
        if let Some(bits) = record.memo().classes(layout.key(), RULES) {
            return Ok(Homogeneous::from_bits(bits));
        }
        let found = find()?;
        let bits = found.map_or(0, Homogeneous::to_bits);
        if Homogeneous::from_bits(bits) == found {
            record.memo().set_classes(layout.key(), RULES, bits);
        }
        Ok(found)
    }

    /// Number of members, whether they are vectors, and the logarithm of their size.
    fn to_bits(self) -> u16 {
        (self.count as u16 & 7) | u16::from(self.vector) << 3 | (self.size.trailing_zeros() as u16) << 4
    }

    fn from_bits(bits: u16) -> Option<Homogeneous> {
        (bits != 0).then(|| Homogeneous {
            size: 1 << (bits >> 4 & 31),
            vector: bits >> 3 & 1 == 1,
            count: (bits & 7).into(),
        })
    }

    /// A piece for each member, each wanting a vector register.
    pub(crate) fn pieces(self) -> Pieces {
        let first = Piece::whole(self.size, wanted(RegClass::Float));
        let mut pieces = Pieces::one(first);
        (1..self.count).for_each(|i| pieces.push(Piece { offset: i * self.size, ..first }));
        pieces
    }

    /// The members in as many of the first vector registers as there are members.
    pub(crate) fn in_first_registers(self) -> PassMode {
        let mut pieces = self.pieces();
        for (piece, num) in pieces.iter_mut().zip(0..) {
            piece.place = Place::Reg(Reg::float(num));
        }
        PassMode::Direct(pieces)
    }

    /// A single value that could be a member.
    pub(crate) fn one(size: u64, vector: bool) -> Homogeneous {
        Homogeneous { size: size as u32, count: 1, vector }
    }
}

/// The most members of a homogeneous aggregate.
const MOST: u32 = 4;

/// What a convention takes as a homogeneous aggregate.
pub(crate) struct Homogeneity<'a> {
    pub(crate) layout: &'a DataLayout,
    /// Whether a scalar or vector type may be the member type.
    pub(crate) is_base: fn(&CType, Layout) -> bool,
    /// Bit-fields of width zero do not count, even in C; in C++ they never do (clang's
    /// isZeroLengthBitfieldPermittedInHomogeneousAggregate).
    pub(crate) zero_bit_fields: bool,
}

impl Homogeneity<'_> {
    /// The members of `ty`, if it is homogeneous.
    pub(crate) fn of(&self, ty: &CType) -> Result<Option<Homogeneous>, AbiError> {
        let mut base = None;
        let count = self.count(ty, &mut base)?;
        Ok(base.filter(|_| count > 0).map(|base: Homogeneous| Homogeneous { count, ..base }))
    }

    /// The number of members; 0 if they have different types or there are too many. `base` is the type found first.
    fn count(&self, ty: &CType, base: &mut Option<Homogeneous>) -> Result<u32, AbiError> {
        let count = match ty {
            CType::Array(array) => {
                if array.is_empty() {
                    return Ok(0);
                }
                let each = self.count(array.element(), base)?;
                u64::from(each).saturating_mul(array.len()).min(u32::MAX.into()) as u32
            }
            CType::Record(record) => self.count_members(ty, record, base)?,
            CType::Complex(part) => 2 * self.count_scalar(&CType::Scalar(*part), base)?,
            _ => self.count_scalar(ty, base)?,
        };
        Ok(if count <= MOST { count } else { 0 })
    }

    fn count_scalar(&self, ty: &CType, base: &mut Option<Homogeneous>) -> Result<u32, AbiError> {
        let layout = self.layout.layout(ty)?;
        if !(self.is_base)(ty, layout) {
            return Ok(0);
        }
        let this = Homogeneous { size: layout.size as u32, vector: matches!(ty, CType::Vector { .. }), count: 1 };
        Ok((*base.get_or_insert(this) == this).into())
    }

    fn count_members(&self, ty: &CType, record: &Record, base: &mut Option<Homogeneous>) -> Result<u32, AbiError> {
        let mut count = 0u32;
        for field in record.fields() {
            let mut innermost = &field.ty;
            while let CType::Array(array) = innermost {
                if array.is_empty() {
                    return Ok(0);
                }
                innermost = array.element();
            }
            if matches!(innermost, CType::Record(inner) if Flexible::Empty.is_empty(inner))
                && !innermost.holds_flexible_array()
            {
                continue;
            }
            match field.bits {
                Some(0) if self.zero_bit_fields || record.language() == Language::Cxx => continue,
                Some(_) => return Ok(0),
                None => {}
            }
            let more = self.count(&field.ty, base)?;
            if more == 0 {
                return Ok(0);
            }
            count = match record.kind() {
                RecordKind::Union => count.max(more),
                RecordKind::Struct => count.saturating_add(more),
            };
        }
        let size = self.layout.layout(ty).map_or(0, |layout| layout.size);
        let filled = base.is_some_and(|b| u64::from(b.size) * u64::from(count) == size);
        Ok(if filled { count } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_record_keeps() {
        assert_eq!(Homogeneous::from_bits(0), None);
        for (size, count) in [(2, 1), (4, 4), (8, 3), (16, 2), (64, 4)] {
            for vector in [false, true] {
                let found = Homogeneous { size, vector, count };
                assert_eq!(Homogeneous::from_bits(found.to_bits()), Some(found));
            }
        }
    }
}
