//! Short spellings of signatures and the check of their one-line form.
#![allow(dead_code)]

use gusset_abi::*;

pub const VOID: CType = CType::Void;
pub const I8: CType = CType::I8;
pub const I32: CType = CType::I32;
pub const I64: CType = CType::I64;
pub const I128: CType = CType::I128;
pub const F32: CType = CType::F32;
pub const F64: CType = CType::F64;
pub const PTR: CType = CType::PTR;

/// A C signature.
pub fn f<const N: usize>(ret: CType, params: [CType; N]) -> Signature {
    params.into_iter().fold(Signature::c(ret), Signature::param)
}

/// A plain struct.
pub fn s<const N: usize>(members: [CType; N]) -> CType {
    CType::structure(members)
}

/// A vector type.
pub fn vector(lane: CType, lanes: u32) -> CType {
    match lane {
        CType::Scalar(lane) => CType::Vector { lane, lanes },
        _ => panic!("a lane is a scalar"),
    }
}

/// Compares the line, or the error.
#[track_caller]
pub fn on(target: AbiTarget, signature: Signature, expected: &str) {
    match classify(&target, &signature) {
        Ok(abi) => assert_eq!(abi.to_string(), expected),
        Err(error) => assert_eq!(error.to_string(), expected),
    }
}
