//! Windows x64, with MSVC and MinGW, and `__vectorcall` (clang/lib/CodeGen/Targets/X86.cpp, `WinX86_64ABIInfo`).

use crate::families::vectorcall::is_member;
use crate::prelude::*;
use crate::to_llvm::call::{Call, Direct, Found, How};
use crate::to_llvm::facts::homogeneous;
use crate::to_llvm::records::Types;

pub(crate) fn lower(call: &Call) -> Result<Found, AbiError> {
    let vector = call.convention == Convention::Vectorcall;
    let rules = Rules { call, vector };
    // Four vector registers for the result, six for the first six arguments.
    let mut free = if vector { 4 } else { 0 };
    let ret = call.result(|ty| rules.value(ty, &mut free, true))?;
    let mut free = if vector { 6 } else { 0 };
    let mut args = call.each_param(|i, ty| {
        let mut none = 0;
        rules.value(ty, if vector && i >= 6 { &mut none } else { &mut free }, false)
    })?;
    if vector {
        // Homogeneous aggregates take what the first pass has left free.
        for (how, ty) in args.iter_mut().zip(&call.params) {
            if is_single(ty) {
                continue;
            }
            if let Some(members) = vector_members(call.types, ty)?
                && members <= free
            {
                free -= members;
                *how = in_vector_registers(call, ty)?;
            }
        }
    }
    Ok(Found { ret, args, block: None })
}

/// A homogeneous aggregate as one IR value, for LLVM to spread over vector registers.
pub(crate) fn in_vector_registers(call: &Call, ty: &CType) -> Result<How, AbiError> {
    Ok(How::Direct(Direct { in_reg: true, flatten: false, ..call.plain(ty, false)? }))
}

/// Whether the type is a scalar or vector rather than an aggregate.
pub(crate) fn is_single(ty: &CType) -> bool {
    matches!(ty, CType::Scalar(_) | CType::Vector { .. } | CType::BitInt { .. })
}

/// The homogeneous aggregates of `__vectorcall`, also on 32-bit x86, and single values that could be their members.
pub(crate) fn vector_members(types: &Types, ty: &CType) -> Result<Option<u32>, AbiError> {
    Ok(homogeneous(types, is_member, false, ty)?.map(|(_, members)| members))
}

struct Rules<'a> {
    call: &'a Call<'a>,
    vector: bool,
}

impl Rules<'_> {
    fn value(&self, ty: &CType, free: &mut u32, result: bool) -> Result<How, AbiError> {
        let call = self.call;
        if (!result && ty.is_non_trivial()) || ty.has_flexible_array() {
            return call.natural(ty, false);
        }
        if self.vector
            && let Some(members) = vector_members(call.types, ty)?
        {
            if members <= *free && (result || is_single(ty)) {
                *free -= members;
                return Ok(How::Direct(Direct { flatten: true, ..call.plain(ty, false)? }));
            }
            if !is_single(ty) {
                return call.natural(ty, false);
            }
        }
        let size = call.types.size(ty)?;
        Ok(match ty {
            CType::Record(_) | CType::Array(_) | CType::Complex(_) => match size {
                1 | 2 | 4 | 8 => How::int(size),
                _ => call.natural(ty, false)?,
            },
            // A Windows x64 callee may rely on the whole byte of a bool; nothing else is widened.
            CType::Scalar(Scalar::Bool) => How::Direct(Direct { widen: Widen::Zero, ..call.plain(ty, false)? }),
            CType::Scalar(Scalar::Float(FloatKind::Long))
                if call.target.is_mingw() && call.types.float(FloatKind::Long)? == LlvmScalar::X86Fp80 =>
            {
                call.natural(ty, false)?
            }
            CType::Scalar(Scalar::Int { bits: 128, .. }) if result => {
                How::direct(LlvmType::Vector { lane: LlvmScalar::Int(64), lanes: 2 })
            }
            CType::Scalar(Scalar::Int { bits: 128, .. }) => call.natural(ty, false)?,
            CType::BitInt { .. } if size > 8 => call.natural(ty, false)?,
            _ => How::Direct(call.plain(ty, false)?),
        })
    }
}
