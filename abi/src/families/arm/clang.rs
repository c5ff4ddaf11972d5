//! 32-bit ARM: the base standard, the VFP variant and Windows (clang/lib/CodeGen/Targets/ARM.cpp).

use crate::families::arm::aapcs32::is_base;
use crate::prelude::*;
use crate::to_llvm::call::{Call, Direct, Found, How};
use crate::to_llvm::facts::{homogeneous, is_aggregate, is_empty_record};

pub(crate) fn lower(call: &Call) -> Result<Found, AbiError> {
    if call.target.os == Os::Darwin {
        return Err(AbiError::target("Apple's conventions for 32-bit ARM are not supported"));
    }
    let variant = match call.convention {
        Convention::AapcsVfp => true,
        Convention::C => call.target.features.hard_float || call.target.is_windows(),
        _ => false,
    };
    // AAPCS32, "Variadic routines": always by the base standard.
    let rules = Rules { call, vfp: variant && !call.is_variadic() };
    let ret = call.result(|ty| rules.result(ty))?;
    let args = call.each_param(|_, ty| rules.argument(ty))?;
    Ok(Found { ret, args, block: None })
}

struct Rules<'a> {
    call: &'a Call<'a>,
    /// The VFP variant, in which homogeneous aggregates are kept whole.
    vfp: bool,
}

/// Whether a vector has lanes of half precision, which integers stand for.
fn is_half_vector(ty: &CType) -> bool {
    matches!(ty, CType::Vector { lane: Scalar::Float(FloatKind::F16), .. })
}

fn contains_half_vector(ty: &CType) -> bool {
    match ty {
        CType::Array(array) => !array.is_empty() && contains_half_vector(array.element()),
        CType::Record(record) => record.fields().iter().any(|field| contains_half_vector(&field.ty)),
        CType::Vector { lane: Scalar::Float(kind), .. } => matches!(kind, FloatKind::F16 | FloatKind::BF16),
        _ => false,
    }
}

impl Rules<'_> {
    fn homogeneous(&self, ty: &CType) -> Result<Option<How>, AbiError> {
        if !self.vfp {
            return Ok(None);
        }
        let types = self.call.types;
        let Some((base, members)) = homogeneous(types, is_base, true, ty)? else { return Ok(None) };
        let base_layout = types.layout.layout(&base)?;
        if matches!(base, CType::Vector { .. }) && contains_half_vector(ty) {
            let words = LlvmType::Vector { lane: LlvmScalar::Int(32), lanes: (base_layout.size / 4) as u32 };
            let ty = LlvmType::array(words, members.into());
            return Ok(Some(How::Direct(Direct { flatten: false, ..Direct::new(ty) })));
        }
        let align = types.layout.natural_align(ty)?;
        let stack_align = (align > base_layout.align && align >= 8).then_some(8);
        Ok(Some(How::Direct(Direct { flatten: false, stack_align, ..self.call.plain(ty, false)? })))
    }

    fn result(&self, ty: &CType) -> Result<How, AbiError> {
        let size = self.call.types.size(ty)?;
        if let CType::Vector { .. } = ty {
            if size > 16 {
                return self.call.natural(ty, false);
            }
            if is_half_vector(ty) {
                return self.call.illegal_vector(ty, size);
            }
        }
        if !is_aggregate(ty) {
            return match ty {
                CType::BitInt { bits: 65.., .. } => self.call.natural(ty, false),
                _ => Ok(How::Direct(self.call.plain(ty, true)?)),
            };
        }
        if is_empty_record(ty) {
            return Ok(How::Ignore);
        }
        if let Some(how) = self.homogeneous(ty)? {
            return Ok(how);
        }
        Ok(match size {
            ..=1 => How::int(1),
            2 => How::int(2),
            3..=4 => How::int(4),
            _ => self.call.natural(ty, false)?,
        })
    }

    fn argument(&self, ty: &CType) -> Result<How, AbiError> {
        let types = self.call.types;
        let size = types.size(ty)?;
        if let CType::Vector { lanes, .. } = ty
            && (is_half_vector(ty) || !lanes.is_power_of_two() || size <= 4)
        {
            return self.call.illegal_vector(ty, size);
        }
        if !is_aggregate(ty) {
            return match ty {
                CType::BitInt { bits: 65.., .. } => self.call.natural(ty, true),
                _ => Ok(How::Direct(self.call.plain(ty, true)?)),
            };
        }
        if ty.is_non_trivial() {
            return self.call.natural(ty, false);
        }
        if is_empty_record(ty) {
            return Ok(How::Ignore);
        }
        if let Some(how) = self.homogeneous(ty)? {
            return Ok(how);
        }
        // AAPCS32, rule B.5: alignment that only an attribute asks for does not count.
        let align = types.layout.natural_align(ty)?;
        if size > 64 {
            return Ok(How::indirect(align.clamp(4, 8), true));
        }
        let each = if align <= 4 { 4 } else { 8 };
        Ok(How::direct(LlvmType::array(LlvmType::int(8 * each as u32), size.div_ceil(each))))
    }
}
