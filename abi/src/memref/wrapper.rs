//! Functions for C: `_mlir_ciface_` and the function's name ("C-compatible wrapper emission").

use super::convert::{Pointers, TypeConverter};
use super::types::{BuiltinType, FunctionType};
use crate::error::{AbiError, Subject};
use crate::fnabi::FnAbi;
use crate::signature::{Attrs, Param, Signature, Widen};
use crate::to_llvm::to_llvm;
use crate::types::{CType, LlvmScalar, LlvmType};
use alloc::string::String;
use alloc::vec::Vec;

/// The prefix of the wrapper's symbol.
pub const WRAPPER_PREFIX: &str = "_mlir_ciface_";

/// The symbol of the wrapper of the function with this name, as C spells it.
pub fn wrapper_name(name: &str) -> String {
    alloc::format!("{WRAPPER_PREFIX}{name}")
}

/// What a wrapper's parameter stands for. An example is at [`memref`](crate::memref).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// The address of memory for the result.
    Result,
    /// The argument of this index as it is.
    Argument(u32),
    /// The address of the descriptor of the argument of this index, ranked or unranked.
    Descriptor(u32),
    /// The variable arguments: a `va_list` ([`Wrapper::va_list_by_address`] says which part of it).
    VaList,
}

/// A parameter of a wrapper. An example is at [`memref`](crate::memref).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WrapperParam {
    /// What it stands for.
    pub source: Source,
    /// Its type: that of the converted argument, or a pointer.
    pub ty: LlvmType,
    /// How C widens it, where that matters to the other side, as clang does it. Upstream does not widen.
    pub widen: Widen,
}

/// The signature of a wrapper as upstream defines it: in LLVM's types; complex numbers and vectors are as in the
/// converted function.
///
/// The wrapper of a defined function loads each descriptor through its pointer, calls the function with all fields, and
/// stores or returns the result. The wrapper of an external function is only declared; the function itself stores the
/// descriptors and calls it.
///
/// An example is at [`memref`](crate::memref).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Wrapper {
    /// Parameters in order.
    pub params: Vec<WrapperParam>,
    /// Its return type: the converted function's, or `void` if that is a struct.
    pub ret: LlvmType,
    /// How C widens the result, as of a parameter.
    pub ret_widen: Widen,
    /// The struct that the first parameter points to, if the converted result is one.
    pub stored: Option<LlvmType>,
}

impl Wrapper {
    /// The signature for [`classify`](crate::classify), in LLVM's C convention; `widened` as C wants it, else without
    /// attributes, as upstream has it.
    pub fn signature(&self, widened: bool) -> Signature {
        let param = |ty: &LlvmType, widen: Widen| {
            let widen = if widened { widen } else { Widen::None };
            Param::llvm(ty.clone(), Attrs { widen, ..Attrs::default() })
        };
        let params = self.params.iter().map(|p| param(&p.ty, p.widen));
        params.fold(Signature::c(param(&self.ret, self.ret_widen)), Signature::param)
    }

    /// Is a `va_list` argument the address of the list of the variadic function with `abi`? Otherwise it is the pointer
    /// that is the whole list.
    pub fn va_list_by_address(abi: &FnAbi) -> bool {
        abi.variadic.as_ref().is_some_and(|area| area.va_list_size > abi.arch.pointer_bytes())
    }
}

impl TypeConverter {
    /// The wrapper of a function in the default convention. Functions with bare pointers have none: C can call them
    /// directly.
    ///
    /// # Errors
    /// As [`TypeConverter::function`].
    pub fn wrapper(&self, function: &FunctionType) -> Result<Wrapper, AbiError> {
        let converted = self.function(function, Pointers::Expanded)?;
        let by_address = matches!(converted.ret, LlvmType::Struct(_));
        let mut params = Vec::with_capacity(function.args.len() + 2);
        let pointer = |params: &mut Vec<WrapperParam>, source| {
            params.push(WrapperParam { source, ty: LlvmType::PTR, widen: Widen::None });
        };
        if by_address {
            pointer(&mut params, Source::Result);
        }
        for (index, ty) in function.args.iter().enumerate() {
            let arg = index as u32;
            if is_memref(ty) {
                pointer(&mut params, Source::Descriptor(arg));
                continue;
            }
            let widen = self.widening(ty).map_err(|e| e.at(Subject::Param(index)))?[0];
            params.push(WrapperParam { source: Source::Argument(arg), ty: self.convert(ty)?, widen });
        }
        if function.variadic {
            pointer(&mut params, Source::VaList);
        }
        let ret_widen = match &function.results[..] {
            [ty] if !by_address => self.widening(ty).map_err(|e| e.at(Subject::Result))?[1],
            _ => Widen::None,
        };
        let (ret, stored) = if by_address { (LlvmType::Void, Some(converted.ret)) } else { (converted.ret, None) };
        Ok(Wrapper { params, ret, ret_widen, stored })
    }

    /// The C signature of a function's wrapper: pointers to descriptors, complex numbers and vectors as C's own, and a
    /// first parameter that points to the result if upstream stores it. [`to_llvm`] of it is the wrapper's signature if
    /// complex numbers and vectors are passed as in C.
    ///
    /// # Errors
    /// A type that C does not have ([`TypeConverter::c_type`]).
    pub fn c_interface(&self, function: &FunctionType) -> Result<Signature, AbiError> {
        let wrapper = self.wrapper(function)?;
        let ret = if wrapper.stored.is_some() { CType::Void } else { self.c_result(function)? };
        wrapper.params.iter().try_fold(Signature::c(ret), |signature, param| {
            let ty = match param.source {
                Source::Argument(arg) => self.c_arg(function, arg as usize)?,
                // A `va_list` that is a record is passed as its address or as its only pointer.
                Source::Result | Source::Descriptor(_) | Source::VaList => CType::PTR,
            };
            Ok(signature.param(ty))
        })
    }

    /// How C widens an integer of a type that it has, as an argument and as a result.
    fn widening(&self, ty: &BuiltinType) -> Result<[Widen; 2], AbiError> {
        let small = matches!(self.convert(ty)?, LlvmType::Scalar(LlvmScalar::Int(1..=63)));
        let Ok(ty) = self.c_type(ty) else { return Ok([Widen::None; 2]) };
        if !small {
            return Ok([Widen::None; 2]);
        }
        let lowered = to_llvm(self.target(), &Signature::c(ty.clone()).param(ty))?;
        let param = lowered.params.first().map_or(Widen::None, |param| param.attrs.widen);
        Ok([param, lowered.ret.attrs.widen])
    }
}

/// Whether the type is a memref's, ranked or unranked.
pub(super) fn is_memref(ty: &BuiltinType) -> bool {
    matches!(ty, BuiltinType::Memref(_) | BuiltinType::Unranked(_))
}
