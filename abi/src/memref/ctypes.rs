//! The C types of MLIR's values.

use super::convert::{TypeConverter, at_result};
use super::descriptor::Descriptor;
use super::types::{BuiltinType, FunctionType, Lane};
use crate::error::{AbiError, Subject};
use crate::to_llvm::records::Types;
use crate::types::{CType, Field, FloatKind, LlvmScalar, LlvmType, Record, Scalar};
use alloc::vec::Vec;

impl TypeConverter {
    /// The C type of a value: for a memref its descriptor, for `index` a signed integer, for complex numbers
    /// `_Complex`, for a vector of several dimensions or an array of LLVM's a record with an array in it.
    ///
    /// # Errors
    /// A value without a C type: floating-point formats that the target's C lacks, vectors whose lanes have no C type
    /// or whose number is no power of two.
    pub fn c_type(&self, ty: &BuiltinType) -> Result<CType, AbiError> {
        match ty {
            BuiltinType::Lane(lane) => self.c_lane(*lane),
            BuiltinType::Complex(part) => match self.c_lane(*part)? {
                CType::Scalar(part @ (Scalar::Float(_) | Scalar::Int { .. })) => Ok(CType::Complex(part)),
                _ => Err(AbiError::ty("C has no complex numbers of such parts")),
            },
            BuiltinType::Function => Ok(CType::PTR),
            BuiltinType::Vector { lane, shape } => {
                let row = self.c_vector(*lane, shape.last().copied().unwrap_or(1))?;
                let Some((_, outer @ [_, ..])) = shape.split_last() else { return Ok(row) };
                let rows = outer.iter().rev().fold(row, |row, len| CType::array(row, (*len).into()));
                Ok(CType::structure([rows]))
            }
            BuiltinType::Llvm(ty) => Ok(match self.c_member(ty)? {
                array @ CType::Array(_) => CType::structure([array]),
                other => other,
            }),
            BuiltinType::Memref(memref) => self.c_descriptor(&self.ranked(memref.rank())?),
            BuiltinType::Unranked(_) => self.c_descriptor(&self.unranked()),
        }
    }

    /// The C type of the return value: `void`, one result, or a record of several.
    ///
    /// # Errors
    /// As [`TypeConverter::c_type`]; the error says which result.
    pub fn c_result(&self, function: &FunctionType) -> Result<CType, AbiError> {
        let several = function.results.len() > 1;
        let of = |(index, ty)| self.c_type(ty).map_err(|e| at_result(e, several.then_some(index)));
        let mut types = function.results.iter().enumerate().map(of).collect::<Result<Vec<_>, _>>()?;
        Ok(match types.len() {
            0 => CType::Void,
            1 => types.remove(0),
            _ => CType::structure(types),
        })
    }

    /// The C types of the arguments, each as one value.
    ///
    /// # Errors
    /// As [`TypeConverter::c_type`]; the error says which argument.
    pub(super) fn c_arg(&self, function: &FunctionType, index: usize) -> Result<CType, AbiError> {
        self.c_type(&function.args[index]).map_err(|e| e.at(Subject::Param(index)))
    }

    fn c_descriptor(&self, descriptor: &Descriptor) -> Result<CType, AbiError> {
        self.c_member(&descriptor.ty(&self.layout())?)
    }

    fn c_lane(&self, lane: Lane) -> Result<CType, AbiError> {
        match lane {
            Lane::Llvm(scalar) => self.c_scalar(scalar),
            Lane::Index => self.c_scalar(LlvmScalar::Int(self.index_bits())),
            Lane::Signed(bits) => self.c_int(bits, true),
            Lane::Unsigned(bits) => self.c_int(bits, false),
            Lane::Float8(_) => self.c_int(8, false),
        }
    }

    fn c_int(&self, bits: u32, signed: bool) -> Result<CType, AbiError> {
        let ty = match bits {
            1 => CType::BOOL,
            8 | 16 | 32 | 64 => CType::int(bits as u16, signed),
            128 if self.target().pointer_bytes() == 8 => CType::int(128, signed),
            _ => CType::BitInt { bits, signed },
        };
        self.layout().layout(&ty)?;
        Ok(ty)
    }

    pub(super) fn c_scalar(&self, scalar: LlvmScalar) -> Result<CType, AbiError> {
        let kind = match scalar {
            LlvmScalar::Int(bits) => return self.c_int(bits, true),
            LlvmScalar::Ptr => return Ok(CType::PTR),
            LlvmScalar::Half => FloatKind::F16,
            LlvmScalar::BFloat => FloatKind::BF16,
            LlvmScalar::Float => FloatKind::F32,
            LlvmScalar::Double => FloatKind::F64,
            LlvmScalar::X86Fp80 | LlvmScalar::Fp128 => {
                let types = Types::new(self.target());
                // `long double` first: if it is this format, not every compiler knows the other name.
                let mut kinds = [FloatKind::Long, FloatKind::F128].into_iter();
                let is_it = |kind: &FloatKind| types.float(*kind) == Ok(scalar);
                return match kinds.find(|kind| is_it(kind) && self.layout().scalar(Scalar::Float(*kind)).is_ok()) {
                    Some(kind) => Ok(CType::float(kind)),
                    None => {
                        Err(AbiError::ty(alloc::format!("the target's C has no type for {}", LlvmType::from(scalar))))
                    }
                };
            }
        };
        Ok(CType::float(kind))
    }

    fn c_vector(&self, lane: Lane, lanes: u32) -> Result<CType, AbiError> {
        let what = || LlvmType::Vector { lane: self.lane(lane), lanes };
        match self.c_lane(lane)? {
            CType::Scalar(lane @ (Scalar::Int { .. } | Scalar::Float(_))) if lanes.is_power_of_two() => {
                let ty = CType::Vector { lane, lanes };
                self.layout().layout(&ty)?;
                Ok(ty)
            }
            _ => Err(AbiError::ty(alloc::format!("C has no type for {}", what()))),
        }
    }

    /// The C type of a member with an LLVM type.
    pub(super) fn c_member(&self, ty: &LlvmType) -> Result<CType, AbiError> {
        Ok(match ty {
            LlvmType::Void => CType::Void,
            LlvmType::Scalar(scalar) => self.c_scalar(*scalar)?,
            LlvmType::Vector { lane, lanes } => self.c_vector(Lane::Llvm(*lane), *lanes)?,
            LlvmType::Array { element, len } => CType::array(self.c_member(element)?, *len),
            LlvmType::Struct(body) => match &body.record {
                Some(record) => CType::Record(record.clone()),
                None => {
                    let fields = body.fields.iter().map(|(_, ty)| Ok(Field::new(self.c_member(ty)?)));
                    let record = Record::structure(fields.collect::<Result<_, AbiError>>()?);
                    CType::record(if body.packed { record.packed() } else { record })
                }
            },
        })
    }
}
