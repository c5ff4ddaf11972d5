//! C's types and signatures in terms of the IR.

use std::collections::HashMap;
use std::sync::Arc;

use gusset_abi::{self as abi, AbiCache, CType, DataLayout, FloatKind, FnAbi, PassMode, Scalar, Signature};
use gusset_codegen::ir::{MemFlags, SigData, Type};

use crate::error::{BuildError, BuildErrorKind};
use crate::{Error, Target};

/// Translates signatures, and remembers the results. Every thread has its own.
pub(super) struct Signatures<'t> {
    target: &'t Target,
    layout: DataLayout,
    abis: AbiCache,
    /// By the address of the classification, which `abis` keeps.
    known: HashMap<usize, Arc<SigData>>,
}

impl<'t> Signatures<'t> {
    pub fn new(target: &'t Target, layout: DataLayout) -> Signatures<'t> {
        Signatures { target, layout, abis: AbiCache::new(*target.abi()), known: HashMap::new() }
    }

    /// The integer type of a pointer.
    pub fn pointer(&self) -> Type {
        match self.target.abi().pointer_bytes() {
            4 => Type::I32,
            _ => Type::I64,
        }
    }

    /// The IR's view of a C signature. Equal signatures give the same object. Errors are about `item`.
    pub fn get(&mut self, item: &str, source: &Signature) -> Result<Arc<SigData>, Error> {
        let abi = self.abis.classify(source).map_err(|error| BuildError::signature(item, error))?;
        let key = Arc::as_ptr(&abi).addr();
        if let Some(known) = self.known.get(&key) {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(self.translate(source, &abi)?);
        self.known.insert(key, Arc::clone(&made));
        Ok(made)
    }

    fn translate(&self, source: &Signature, abi: &FnAbi) -> Result<SigData, Error> {
        let mut params = Vec::with_capacity(source.params.len() + 1);
        for (param, arg) in source.params.iter().zip(&abi.args) {
            // What is in an argument block is known by its address.
            let in_block = matches!(arg.mode, PassMode::InBlock { .. });
            let ty = self.value_type(&param.ty)?.filter(|_| !in_block);
            params.push(ty.unwrap_or(self.pointer()));
        }
        let (aggregate_result, results) = match &source.ret.ty {
            abi::AbiType::C(CType::Void) => (false, Vec::new()),
            ty => match self.value_type(ty)? {
                Some(ty) => (false, vec![ty]),
                None => (true, Vec::new()),
            },
        };
        if aggregate_result {
            params.push(self.pointer());
        }
        let variadic = source.variadic.is_some();
        Ok(SigData { variadic, aggregate_result, ..SigData::new(params, results, abi.clone(), source.clone()) })
    }

    /// The alignment of a type of the IR in memory, as C's type of that kind has it; 1 for types that C does not have.
    pub fn natural_alignment(&self, ty: Type) -> MemFlags {
        let scalar = |scalar| self.layout.scalar(scalar).map(|layout| layout.align).ok();
        let align = match ty {
            Type::F16 => scalar(Scalar::Float(FloatKind::F16)),
            Type::BF16 => scalar(Scalar::Float(FloatKind::BF16)),
            Type::F32 => scalar(Scalar::Float(FloatKind::F32)),
            Type::F64 => scalar(Scalar::Float(FloatKind::F64)),
            Type::F80 => scalar(Scalar::Float(FloatKind::Long)),
            Type::F128 => Some(16),
            _ if ty.is_vector() => Some(ty.store_bytes().next_power_of_two()),
            Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::I128 => {
                scalar(Scalar::Int { bits: ty.bits() as u16, signed: false })
            }
            _ if ty.is_int() => {
                let layout = self.layout.layout(&CType::BitInt { bits: ty.bits(), signed: false });
                layout.map(|layout| layout.align).ok()
            }
            _ => None,
        };
        MemFlags::new(align.unwrap_or(1), false)
    }

    /// The IR type of a value; `None` for types that are passed around by address.
    pub fn value_type(&self, ty: &abi::AbiType) -> Result<Option<Type>, Error> {
        let abi::AbiType::C(ty) = ty else {
            return Err(Error::build(BuildErrorKind::Type, "", "signatures of the builder are made of C types"));
        };
        if ty.is_by_address() {
            return Ok(None);
        }
        let found = match ty {
            CType::Scalar(scalar) => self.scalar_type(*scalar),
            CType::BitInt { bits, .. } => Type::int(*bits),
            CType::Vector { lane, lanes } => self.scalar_type(*lane).and_then(|lane| Type::vector(lane, *lanes)),
            _ => None,
        };
        found.map(Some).ok_or_else(|| Error::build(BuildErrorKind::Type, "", "there are no values of this type"))
    }

    fn scalar_type(&self, scalar: Scalar) -> Option<Type> {
        Some(match scalar {
            Scalar::Bool => Type::I8,
            Scalar::Int { bits, .. } => return Type::int(bits.into()),
            Scalar::Pointer => self.pointer(),
            Scalar::Float(FloatKind::F16) => Type::F16,
            Scalar::Float(FloatKind::BF16) => Type::BF16,
            Scalar::Float(FloatKind::F32) => Type::F32,
            Scalar::Float(FloatKind::F64) => Type::F64,
            Scalar::Float(FloatKind::F128) => Type::F128,
            Scalar::Float(FloatKind::Long) => match self.layout.scalar(scalar).ok()?.size {
                8 => Type::F64,
                // Windows and 64-bit ARM have other formats than x87's, which differ in size.
                12 => Type::F80,
                16 if self.target.abi().arch == abi::Arch::X86_64 => Type::F80,
                _ => Type::F128,
            },
        })
    }
}
