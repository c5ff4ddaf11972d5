//! AArch64: AAPCS64, Apple and Windows (clang/lib/CodeGen/Targets/AArch64.cpp).

use crate::families::aarch64::common::{has_refused_class, is_base};
use crate::prelude::*;
use crate::to_llvm::call::{Call, Direct, Found, How};
use crate::to_llvm::facts::{homogeneous, is_aggregate, is_empty_record};

pub(crate) fn lower(call: &Call) -> Result<Found, AbiError> {
    let kind = match call.target.os {
        Os::Darwin => Kind::Darwin,
        Os::Windows => Kind::Windows,
        _ => Kind::Aapcs,
    };
    let rules = Rules { call, kind };
    let ret = match call.cxx_result()? {
        // Homogeneous vectors come back in registers whatever constructors the class has.
        Some(indirect) if call.is_method() || !rules.is_vector_aggregate(call.ret)? => How::Indirect(indirect),
        _ => rules.result(call.ret).map_err(|e| e.at(Subject::Result))?,
    };
    let args = call.each_param(|_, ty| rules.argument(ty))?;
    Ok(Found { ret, args, block: None })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Aapcs,
    Darwin,
    Windows,
}

struct Rules<'a> {
    call: &'a Call<'a>,
    kind: Kind,
}

impl Rules<'_> {
    fn homogeneous(&self, ty: &CType) -> Result<Option<(CType, u32)>, AbiError> {
        if self.call.target.env == Env::Msvc && has_refused_class(ty) {
            return Ok(None);
        }
        homogeneous(self.call.types, is_base, true, ty)
    }

    fn is_vector_aggregate(&self, ty: &CType) -> Result<bool, AbiError> {
        let vectors = self.kind == Kind::Windows && !ty.is_non_trivial();
        Ok(vectors && matches!(self.homogeneous(ty)?, Some((CType::Vector { .. }, _))))
    }

    fn single(&self, ty: &CType) -> Result<How, AbiError> {
        if let CType::BitInt { bits: 129.., .. } = ty {
            return self.call.natural(ty, false);
        }
        // Only Apple has the caller widen small integers.
        Ok(How::Direct(self.call.plain(ty, self.kind == Kind::Darwin)?))
    }

    fn result(&self, ty: &CType) -> Result<How, AbiError> {
        if *ty == CType::Void {
            return Ok(How::Ignore);
        }
        let layout = self.call.types.layout.layout(ty)?;
        if !is_aggregate(ty) {
            return match ty {
                CType::Vector { .. } if layout.size > 16 => self.call.natural(ty, false),
                _ => self.single(ty),
            };
        }
        if is_empty_record(ty) || layout.size == 0 {
            return Ok(How::Ignore);
        }
        if self.homogeneous(ty)?.is_some() {
            return Ok(How::Direct(self.call.plain(ty, false)?));
        }
        Ok(match layout.size {
            ..=8 => How::int(layout.size),
            9..=16 if layout.align < 16 => How::direct(LlvmType::array(LlvmType::int(64), 2)),
            9..=16 => How::int(16),
            _ => self.call.natural(ty, false)?,
        })
    }

    fn argument(&self, ty: &CType) -> Result<How, AbiError> {
        let types = self.call.types;
        let layout = types.layout.layout(ty)?;
        if let CType::Vector { lanes, .. } = ty {
            let legal = lanes.is_power_of_two() && (layout.size == 8 || (layout.size == 16 && *lanes != 1));
            if !legal {
                return self.call.illegal_vector(ty, layout.size);
            }
        }
        if !is_aggregate(ty) {
            return self.single(ty);
        }
        if ty.is_non_trivial() {
            return self.call.natural(ty, false);
        }
        let empty = is_empty_record(ty);
        if empty || layout.size == 0 {
            let cxx = matches!(ty, CType::Record(record) if record.language() == Language::Cxx);
            let nothing = !cxx || self.kind == Kind::Darwin || (empty && layout.size == 0);
            return Ok(if nothing { How::Ignore } else { How::int(1) });
        }
        // In variadic functions of Windows, homogeneous aggregates are not treated specially.
        let windows = self.kind == Kind::Windows || self.call.convention == Convention::Win64;
        if !(windows && self.call.is_variadic())
            && let Some((base, members)) = self.homogeneous(ty)?
        {
            let mut direct = Direct::new(LlvmType::array(types.value(&base)?, members.into()));
            if self.kind == Kind::Aapcs {
                direct.stack_align = Some(if types.layout.natural_align(ty)? >= 16 { 16 } else { 8 });
            }
            return Ok(How::Direct(direct));
        }
        if layout.size > 16 {
            return self.call.natural(ty, false);
        }
        // AAPCS64, rule B.6: alignment by an attribute of the type itself does not count; on other systems it does.
        let align: u64 = match self.kind {
            Kind::Aapcs if types.layout.natural_align(ty)? < 16 => 8,
            Kind::Aapcs => 16,
            _ => layout.align.max(8).into(),
        };
        let size = layout.size.next_multiple_of(align);
        let part = LlvmType::int(8 * align as u32);
        Ok(How::direct(if size == align { part } else { LlvmType::array(part, size / align) }))
    }
}
