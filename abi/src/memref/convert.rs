//! The conversion of types and of functions' signatures.

use super::descriptor::{Descriptor, Part};
use super::types::{BuiltinType, FunctionType, Lane, Memref};
use crate::error::{AbiError, Subject};
use crate::layout::DataLayout;
use crate::signature::{Param, Signature};
use crate::target::AbiTarget;
use crate::types::{LlvmScalar, LlvmType};
use alloc::vec::Vec;
use core::fmt;

/// Which of MLIR's conventions for memrefs a function uses. An example is at [`memref`](crate::memref).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Pointers {
    /// The default one: a memref argument is expanded into the fields of its descriptor; a memref result is the
    /// descriptor.
    #[default]
    Expanded,
    /// `llvm.bareptr`: an argument is the aligned pointer, a result the allocated one; everything else is known from
    /// the type.
    Bare,
}

/// How an argument or result is passed. An example is at [`memref`](crate::memref).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// As one value of this type.
    Value(LlvmType),
    /// A memref: an argument is the fields of this descriptor, one parameter each; a result is its struct.
    Descriptor(Descriptor),
    /// A memref, passed as a pointer alone. Inside the function it has this descriptor.
    Bare(Descriptor),
}

/// A parameter of the converted function. An example is at [`memref`](crate::memref).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ConvertedParam {
    /// The argument that it belongs to.
    pub arg: u32,
    /// What it contains.
    pub part: Part,
    /// Its type.
    pub ty: LlvmType,
}

/// A function's signature after conversion. Its `Display` form is LLVM's function type: `void (ptr, i64)`.
///
/// An example is at [`memref`](crate::memref).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Converted {
    /// How each argument is passed, in order.
    pub args: Vec<Form>,
    /// The parameters: those of an argument are adjacent, in the order of its descriptor's fields.
    pub params: Vec<ConvertedParam>,
    /// How each result is returned.
    pub results: Vec<Form>,
    /// The return type: `void` without results, one result as it is, several in a literal struct in their order.
    pub ret: LlvmType,
    /// Whether more arguments may follow.
    pub variadic: bool,
}

impl Converted {
    /// The signature for [`classify`](crate::classify), in LLVM's C convention.
    pub fn signature(&self) -> Signature {
        let params = self.params.iter().map(|param| Param::new(param.ty.clone()));
        let signature = params.fold(Signature::c(self.ret.clone()), Signature::param);
        if self.variadic { signature.ellipsis() } else { signature }
    }

    /// Are the results packed into a struct? Then result *i* is its field *i*.
    pub fn is_packed(&self) -> bool {
        self.results.len() > 1
    }

    /// The parameters of an argument, as indices.
    pub fn params_of(&self, arg: u32) -> core::ops::Range<usize> {
        let start = self.params.partition_point(|param| param.arg < arg);
        start..self.params.partition_point(|param| param.arg <= arg)
    }
}

impl fmt::Display for Converted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (", self.ret)?;
        for (i, param) in self.params.iter().enumerate() {
            write!(f, "{}{}", if i == 0 { "" } else { ", " }, param.ty)?;
        }
        match (self.variadic, self.params.is_empty()) {
            (true, true) => f.write_str("...)"),
            (true, false) => f.write_str(", ...)"),
            (false, _) => f.write_str(")"),
        }
    }
}

/// Converts types and signatures for one target and one width of `index`. An example is at [`memref`](crate::memref).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TypeConverter {
    target: AbiTarget,
    index_bits: u32,
}

impl TypeConverter {
    /// A converter for `target`; `index` is as wide as its pointers.
    pub fn new(target: &AbiTarget) -> TypeConverter {
        TypeConverter { target: *target, index_bits: 8 * target.pointer_bytes() }
    }

    /// A converter for `target` with an `index` of this many bits.
    ///
    /// # Errors
    /// Widths other than 8, 16, 32 and 64.
    pub fn with_index_bits(target: &AbiTarget, bits: u32) -> Result<TypeConverter, AbiError> {
        match bits {
            8 | 16 | 32 | 64 => Ok(TypeConverter { target: *target, index_bits: bits }),
            _ => Err(AbiError::target(alloc::format!("an index of {bits} bits; it has 8, 16, 32 or 64"))),
        }
    }

    /// The target.
    pub fn target(&self) -> &AbiTarget {
        &self.target
    }

    /// The target's rules for sizes and alignments.
    pub fn layout(&self) -> DataLayout {
        DataLayout::new(&self.target)
    }

    /// Width of `index` in bits.
    pub fn index_bits(&self) -> u32 {
        self.index_bits
    }

    /// The LLVM type of `index`.
    pub fn index(&self) -> LlvmType {
        LlvmType::int(self.index_bits)
    }

    /// The descriptor of memrefs of this rank.
    ///
    /// # Errors
    /// A descriptor of more than 2^31 bytes.
    pub fn ranked(&self, rank: u32) -> Result<Descriptor, AbiError> {
        let of = |rank| Descriptor::new(&self.layout(), self.index_bits, Some(rank));
        // Numbers of fields have 32 bits.
        if of(0).copy_size().of(rank) > 1 << 31 {
            return Err(AbiError::ty(alloc::format!("a memref of {rank} dimensions")));
        }
        Ok(of(rank))
    }

    /// The descriptor of unranked memrefs.
    pub fn unranked(&self) -> Descriptor {
        Descriptor::new(&self.layout(), self.index_bits, None)
    }

    /// The LLVM type of a scalar.
    pub fn lane(&self, lane: Lane) -> LlvmScalar {
        match lane {
            Lane::Llvm(scalar) => scalar,
            Lane::Signed(bits) | Lane::Unsigned(bits) => LlvmScalar::Int(bits),
            Lane::Float8(_) => LlvmScalar::Int(8),
            Lane::Index => LlvmScalar::Int(self.index_bits),
        }
    }

    /// The LLVM type of a value: of complex numbers `{ T, T }`, of vectors of several dimensions arrays of vectors, of memrefs
    /// the descriptor's struct, of functions a pointer.
    ///
    /// # Errors
    /// More than 2^31 bytes, impossible widths, vectors with an extent of 0.
    pub fn convert(&self, ty: &BuiltinType) -> Result<LlvmType, AbiError> {
        let layout = self.layout();
        let converted = match ty {
            BuiltinType::Lane(lane) => LlvmType::Scalar(self.lane(*lane)),
            BuiltinType::Vector { lane, shape } => {
                let lanes = shape.last().copied().unwrap_or(1);
                let row = LlvmType::Vector { lane: self.lane(*lane), lanes };
                let outer = shape.split_last().map_or(&[][..], |(_, outer)| outer);
                outer.iter().rev().fold(row, |row, len| LlvmType::array(row, (*len).into()))
            }
            BuiltinType::Complex(part) => {
                let part = LlvmType::Scalar(self.lane(*part));
                LlvmType::structure(layout.llvm_struct([part.clone(), part], false)?)
            }
            BuiltinType::Function => LlvmType::PTR,
            BuiltinType::Llvm(ty) => ty.clone(),
            BuiltinType::Memref(memref) => self.ranked(memref.rank())?.ty(&layout)?,
            BuiltinType::Unranked(_) => self.unranked().ty(&layout)?,
        };
        layout.llvm(&converted)?;
        match ty {
            BuiltinType::Vector { shape, .. } if shape.contains(&0) => {
                Err(AbiError::ty("a vector with a dimension of 0 lanes"))
            }
            _ => Ok(converted),
        }
    }

    /// How a value of the type is passed.
    fn form(&self, ty: &BuiltinType, pointers: Pointers) -> Result<Form, AbiError> {
        Ok(match (ty, pointers) {
            (BuiltinType::Memref(memref), Pointers::Expanded) => Form::Descriptor(self.ranked(memref.rank())?),
            (BuiltinType::Memref(memref), Pointers::Bare) => Form::Bare(self.bare(memref)?),
            (BuiltinType::Unranked(_), Pointers::Expanded) => Form::Descriptor(self.unranked()),
            (BuiltinType::Unranked(_), Pointers::Bare) => {
                return Err(AbiError::ty(
                    "an unranked memref cannot be a bare pointer: its rank and shape are known at run time only",
                ));
            }
            (other, _) => Form::Value(self.convert(other)?),
        })
    }

    /// The descriptor that a bare pointer stands for.
    fn bare(&self, memref: &Memref) -> Result<Descriptor, AbiError> {
        match memref.dynamic() {
            None => self.ranked(memref.rank()),
            Some(what) => Err(AbiError::ty(alloc::format!(
                "a memref of dynamic {what} cannot be a bare pointer: nothing else says it"
            ))),
        }
    }

    fn form_type(&self, form: &Form) -> Result<LlvmType, AbiError> {
        match form {
            Form::Value(ty) => Ok(ty.clone()),
            Form::Descriptor(descriptor) => descriptor.ty(&self.layout()),
            Form::Bare(_) => Ok(LlvmType::PTR),
        }
    }

    /// The signature of a function in one of the conventions.
    ///
    /// # Errors
    /// A type without an LLVM type; with bare pointers, unranked memrefs and those with a dynamic size, stride or
    /// offset. The error says which argument or result.
    pub fn function(&self, function: &FunctionType, pointers: Pointers) -> Result<Converted, AbiError> {
        let mut converted = Converted {
            args: Vec::with_capacity(function.args.len()),
            params: Vec::with_capacity(function.args.len()),
            results: Vec::with_capacity(function.results.len()),
            ret: LlvmType::Void,
            variadic: function.variadic,
        };
        for (index, ty) in function.args.iter().enumerate() {
            let form = self.form(ty, pointers).map_err(|e| e.at(Subject::Param(index)))?;
            let arg = index as u32;
            match &form {
                Form::Value(ty) => {
                    converted.params.push(ConvertedParam { arg, part: Part::Value, ty: ty.clone() });
                }
                Form::Bare(_) => {
                    converted.params.push(ConvertedParam { arg, part: Part::Aligned, ty: LlvmType::PTR });
                }
                Form::Descriptor(descriptor) => {
                    converted.params.extend(descriptor.fields().map(|field| ConvertedParam {
                        arg,
                        part: field.part,
                        ty: field.ty.into(),
                    }))
                }
            }
            converted.args.push(form);
        }
        let several = function.results.len() > 1;
        for (index, ty) in function.results.iter().enumerate() {
            let form = self.form(ty, pointers).map_err(|e| at_result(e, several.then_some(index)))?;
            converted.results.push(form);
        }
        let mut types = converted.results.iter().map(|form| self.form_type(form)).collect::<Result<Vec<_>, _>>()?;
        converted.ret = match types.len() {
            0 => LlvmType::Void,
            1 => types.remove(0),
            _ => {
                let packed = self.layout().llvm_struct(types, false).map_err(|e| e.at(Subject::Result))?;
                LlvmType::structure(packed)
            }
        };
        Ok(converted)
    }
}

/// Makes the error one about a result; with its index if there are several.
pub(super) fn at_result(error: AbiError, index: Option<usize>) -> AbiError {
    match index {
        Some(index) => AbiError::new(Subject::Result, alloc::format!("number {index}: {}", error.reason())),
        None => error.at(Subject::Result),
    }
}
