//! Types in the terms of the ABI layer's conventions.

use gusset_abi::LlvmType;
use gusset_abi::memref::{BuiltinType, Lane, Memref};
use gusset_lower::llvm_type;
use gusset_program::TypeTable;

use crate::syntax::types::{DYNAMIC, Kind, Ty, Types};

/// A type in the terms of the conventions.
pub(crate) fn builtin(types: &Types, llvm: &TypeTable, ty: Ty) -> std::result::Result<BuiltinType, String> {
    if let Some(id) = ty.llvm() {
        return Ok(match llvm_type(llvm, id) {
            LlvmType::Void => return Err("there are no values of this type".into()),
            LlvmType::Scalar(scalar) => BuiltinType::scalar(scalar),
            LlvmType::Vector { lane, lanes } => BuiltinType::Vector { lane: Lane::Llvm(lane), shape: vec![lanes] },
            aggregate => BuiltinType::Llvm(aggregate),
        });
    }
    let number = |n: i64| (n != DYNAMIC).then_some(n);
    match types.own(ty) {
        Some(Kind::Index) => Ok(BuiltinType::INDEX),
        Some(Kind::Integer { bits, signed: true }) => Ok(BuiltinType::Lane(Lane::Signed(*bits))),
        Some(Kind::Integer { bits, signed: false }) => Ok(BuiltinType::Lane(Lane::Unsigned(*bits))),
        Some(Kind::Float8(format)) => Ok(BuiltinType::Lane(Lane::Float8(*format))),
        Some(Kind::Custom { .. }) => builtin(types, llvm, Ty::of(types.whole(ty))),
        Some(Kind::Complex(part)) => Ok(BuiltinType::Complex(lane(types, llvm, *part)?)),
        Some(Kind::Vector { dims, lane: of }) => {
            Ok(BuiltinType::Vector { lane: lane(types, llvm, *of)?, shape: dims.clone() })
        }
        Some(Kind::Memref(memref)) => {
            let element = builtin(types, llvm, memref.element)?;
            let sizes = memref.sizes.iter().map(|&n| number(n).and_then(|n| u64::try_from(n).ok())).collect();
            let strides = memref.strides.iter().map(|&n| number(n)).collect();
            let memref = Memref::strided(element, sizes, strides, number(memref.offset));
            memref.map(BuiltinType::memref).map_err(|e| e.reason().to_string())
        }
        Some(Kind::Unranked { element, .. }) => Ok(BuiltinType::unranked(builtin(types, llvm, *element)?)),
        Some(Kind::Function { .. }) => Ok(BuiltinType::Function),
        Some(Kind::Foreign { why, .. }) => Err((*why).into()),
        Some(Kind::None) | None => Err("there are no values of type `none` in functions".into()),
    }
}

/// The type of a lane, or of a part of a complex number.
fn lane(types: &Types, llvm: &TypeTable, ty: Ty) -> std::result::Result<Lane, String> {
    match builtin(types, llvm, ty)? {
        BuiltinType::Lane(lane) => Ok(lane),
        _ => Err("its lanes or parts are neither numbers nor pointers".into()),
    }
}
