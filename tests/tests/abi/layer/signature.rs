//! Random C signatures with values.

use super::rows::Row;
use super::script::{MAX_STACK, MAX_VALUES, Value};
use super::types::{Named, Types};
use gusset_abi::{
    AbiError, AbiTarget, CType, Class, FloatKind, FnAbi, Member, PassMode, Record, Scalar, Signature, classify,
};

/// One signature of the program with its values.
pub struct Call {
    pub signature: Signature,
    pub abi: FnAbi,
    pub types: Vec<Named>,
    pub ret: Named,
    pub values: Vec<Value>,
    pub result: Value,
}

impl Call {
    /// Types of the parameters and the result, with how they travel.
    pub fn all(&self) -> impl Iterator<Item = (&Named, &PassMode)> {
        let modes = self.abi.args.iter().map(|arg| &arg.mode).chain([&self.abi.ret.mode]);
        self.types.iter().chain([&self.ret]).zip(modes)
    }
}

/// What may stand for `...`: types that the default promotions leave alone, and no classes.
fn may_be_unnamed(ty: &CType) -> bool {
    match ty {
        CType::Scalar(Scalar::Bool | Scalar::Int { bits: 8 | 16, .. }) => false,
        CType::Scalar(Scalar::Float(FloatKind::F16 | FloatKind::F32)) => false,
        _ => !some_record(ty, &mut |_, r| r.class() != Class::PLAIN),
    }
}

/// A random signature of the row's convention.
pub fn random_call(types: &mut Types, target: &AbiTarget, row: &Row) -> Result<Call, AbiError> {
    let mut ret = if types.rng().u32(0..8) == 0 { Named::void() } else { types.value() };
    let mut count = types.rng().usize(0..10);
    if types.rng().bool() {
        count += types.rng().usize(0..10);
    }
    if types.rng().u32(0..16) == 0 {
        count = types.rng().usize(20..=30);
    }
    let mut params: Vec<Named> = (0..count).map(|_| types.value()).collect();
    let is_method = row.palette.cxx && types.rng().u32(0..3) == 0;
    if is_method {
        params.insert(0, Named { ty: CType::PTR, name: "char *".into() });
    }
    let mut ellipsis = usize::MAX;
    if row.variadic.is_some() && types.rng().u32(0..4) == 0 && count > 0 {
        ellipsis = types.rng().usize(1..=count);
    }
    if row.no_result_in_memory && some_record(&ret.ty, &mut |_, _| true) {
        ret = Named::void();
    }
    let mut signature = Signature::c(ret.ty.clone()).with_convention(row.convention);
    signature.modifiers = row.modifiers;
    if is_method {
        signature = signature.member(Member::Method);
    }
    let mut kept = Vec::new();
    for (i, named) in params.into_iter().enumerate() {
        if i == ellipsis {
            signature = signature.ellipsis();
        }
        if i < ellipsis || may_be_unnamed(&named.ty) {
            signature = signature.param(named.ty.clone());
            kept.push(named);
        }
    }
    if ellipsis == count {
        signature = signature.ellipsis();
    }
    let abi = classify(target, &signature)?;
    let values: Vec<Value> = kept.iter().map(|n| types.random(&n.ty)).collect();
    let result = types.random(&ret.ty);
    let images: usize = values.iter().chain([&result]).map(|v| v.image.len()).sum();
    if abi.stack_arg_bytes > MAX_STACK || images > MAX_VALUES {
        return random_call(types, target, row);
    }
    Ok(Call { signature, abi, types: kept, ret, values, result })
}

/// Whether `test` holds for a record within `ty`, or for `ty` itself.
pub fn some_record(ty: &CType, test: &mut impl FnMut(&CType, &Record) -> bool) -> bool {
    match ty {
        CType::Array(array) => some_record(array.element(), test),
        CType::Record(record) => test(ty, record) || record.fields().iter().any(|f| some_record(&f.ty, test)),
        _ => false,
    }
}
