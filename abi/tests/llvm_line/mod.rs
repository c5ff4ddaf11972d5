//! Short spellings of LLVM-level signatures.
#![allow(dead_code)]

use gusset_abi::*;

pub const VOID: LlvmType = LlvmType::Void;
pub const I8: LlvmType = LlvmType::int(8);
pub const I32: LlvmType = LlvmType::int(32);
pub const I64: LlvmType = LlvmType::int(64);
pub const I128: LlvmType = LlvmType::int(128);
pub const HALF: LlvmType = LlvmType::Scalar(LlvmScalar::Half);
pub const BFLOAT: LlvmType = LlvmType::Scalar(LlvmScalar::BFloat);
pub const FLOAT: LlvmType = LlvmType::Scalar(LlvmScalar::Float);
pub const DOUBLE: LlvmType = LlvmType::Scalar(LlvmScalar::Double);
pub const FP80: LlvmType = LlvmType::Scalar(LlvmScalar::X86Fp80);
pub const FP128: LlvmType = LlvmType::Scalar(LlvmScalar::Fp128);

/// An LLVM-level signature.
pub fn f<const N: usize>(ret: LlvmType, params: [LlvmType; N]) -> Signature {
    params.into_iter().fold(Signature::c(ret), Signature::param)
}

/// A vector type.
pub fn v(lanes: u32, lane: LlvmScalar) -> LlvmType {
    LlvmType::Vector { lane, lanes }
}

/// An integer of `bits` bits.
pub const fn int(bits: u32) -> LlvmScalar {
    LlvmScalar::Int(bits)
}

/// A parameter that is widened.
pub fn with(ty: LlvmType, widen: Widen) -> Param {
    Param::llvm(ty, Attrs { widen, ..Attrs::default() })
}

/// A pointer with a part of its own.
pub fn role(role: Role) -> Param {
    Param::llvm(LlvmType::PTR, Attrs { role, ..Attrs::default() })
}

/// Compares the line, or the error.
#[track_caller]
pub fn on(target: AbiTarget, signature: Signature, expected: impl AsRef<str>) {
    match classify(&target, &signature) {
        Ok(abi) => assert_eq!(abi.to_string(), expected.as_ref()),
        Err(error) => assert_eq!(error.to_string(), expected.as_ref()),
    }
}
