//! `__vectorcall` on 32-bit x86: vectors and homogeneous aggregates; everything else is passed as in `__fastcall`.

use crate::families::i386::call::{Call, Vectorcall, in_register};
use crate::families::vectorcall::{self, is_short_member};
use crate::homogeneous::Homogeneous;
use crate::prelude::*;
use crate::walk::Argument;

/// MS, "`__vectorcall`", "x86": the first pass over the parameters.
pub(crate) fn look_ahead(call: &mut Call<'_>, signature: &Signature) -> Result<Vectorcall, AbiError> {
    let mut found = Vectorcall::default();
    for (index, param) in signature.params.iter().enumerate() {
        let is_vector = match &param.ty {
            AbiType::C(ty) => {
                let members =
                    check(ty).and_then(|()| homogeneous(call, ty)).map_err(|e| e.at(Subject::Param(index)))?;
                members.is_some() && matches!(ty, CType::Scalar(_) | CType::Vector { .. })
            }
            AbiType::Llvm(_) => false,
        };
        found.vectors.push(is_vector && call.vector_budget > 0);
        call.vector_budget -= u32::from(is_vector && call.vector_budget > 0);
    }
    Ok(found)
}

/// LLVM has no consistent places for these.
fn check(ty: &CType) -> Result<(), AbiError> {
    let bytes = |lane: &Scalar, lanes: &u32| match lane {
        Scalar::Int { bits, .. } => u32::from(*bits) / 8 * lanes,
        Scalar::Float(FloatKind::F16 | FloatKind::BF16) => 2 * lanes,
        Scalar::Float(FloatKind::F32) => 4 * lanes,
        _ => 8 * lanes,
    };
    match ty {
        CType::Scalar(Scalar::Float(FloatKind::F128)) => Err(AbiError::ty("__float128 in __vectorcall")),
        CType::Vector { lane, lanes } if bytes(lane, lanes) < 16 => {
            Err(AbiError::ty("a vector of less than 16 bytes in __vectorcall"))
        }
        _ => Ok(()),
    }
}

/// The place of an argument of `__vectorcall` that is a vector or made of equal vectors; `None` if it is passed as in
/// `__fastcall`.
pub(crate) fn argument(call: &mut Call<'_>, ty: &CType, argument: &Argument) -> Result<Option<PassMode>, AbiError> {
    let Some(mut vectorcall) = call.vectorcall.take() else { return Ok(None) };
    let found = in_vectorcall(call, &mut vectorcall, ty, argument);
    call.vectorcall = Some(vectorcall);
    found
}

fn in_vectorcall(
    call: &mut Call<'_>,
    vectorcall: &mut Vectorcall,
    ty: &CType,
    argument: &Argument,
) -> Result<Option<PassMode>, AbiError> {
    let Layout { size, .. } = argument.layout;
    if vectorcall.vectors.get(argument.index) == Some(&true) {
        let Some(reg) = call.engine.take(RegClass::Float, usize::MAX) else { return Ok(None) };
        vectorcall.filled |= 1 << reg.num;
        return Ok(Some(PassMode::piece(in_register(reg, 0, size))));
    }
    if let CType::Scalar(Scalar::Float(FloatKind::Long)) = ty
        && size > 8
    {
        return Err(AbiError::ty("an 80-bit long double in __vectorcall"));
    }
    let Some(found) = homogeneous(call, ty)? else { return Ok(None) };
    if call.vector_budget >= found.count {
        call.vector_budget -= found.count;
        vectorcall.waiting.push(argument.index, found.pieces());
        return Ok(Some(PassMode::Ignore));
    }
    match ty {
        // On the stack, like other floating-point numbers.
        CType::Scalar(_) => Ok(None),
        _ => call.by_address(argument.layout).map(Some),
    }
}

/// A homogeneous aggregate as the result of a `__vectorcall` function.
pub(crate) fn result(call: &Call<'_>, ty: &CType) -> Result<Option<PassMode>, AbiError> {
    let aggregate = matches!(ty, CType::Record(_) | CType::Complex(_));
    // MSVC does not ask for more here, as it does for other classes (clang, bug 63417).
    if !aggregate || ty.is_non_trivial() {
        return Ok(None);
    }
    Ok(homogeneous(call, ty)?.map(Homogeneous::in_first_registers))
}

fn homogeneous(call: &Call<'_>, ty: &CType) -> Result<Option<Homogeneous>, AbiError> {
    vectorcall::homogeneous(&call.layout, is_short_member, ty)
}
