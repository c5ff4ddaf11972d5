//! Functions of MLIR: the converted function, and its wrapper for C.

use gusset_abi::memref::{
    Allocation, BuiltinType, Converted, Form, FunctionType, Header, HeaderFunction, Part, Pointers, Source,
    TypeConverter,
};
use gusset_abi::{
    AbiError, AbiTarget, AbiType, DataLayout, IrAttrs, IrParam, IrRole, LlvmSignature, LlvmType, LoweredResult,
    Signature, to_llvm,
};
use gusset_c::Leaf;
use gusset_mlir::Declaration;

use super::error::Error;
use super::llvm_types::{Described, Head, MAX_LEAVES, add_leaves, leaves, view};
use super::targets::NamedTarget;
use super::view::View;
use crate::query::Query;

/// The views of a function on a target: the function itself, and its wrapper, unless it takes pointers alone.
pub(crate) fn views(query: &Query<'_>, target: &NamedTarget) -> Result<Vec<View>, Error> {
    let (converter, functions) =
        gusset_mlir::declarations(query.text.as_bytes(), query.file, &target.abi, query.index_width)?;
    let chosen = match query.function {
        Some(wanted) => functions.iter().find(|function| function.name == wanted),
        None => functions.last(),
    };
    let missing = || match query.function {
        Some(wanted) => Error::text(query.file, format!("there is no function `@{wanted}`")),
        None => Error::text(query.file, "there is no `func.func`"),
    };
    let function = Shown { converter, function: chosen.ok_or_else(missing)?, target };
    let pointers =
        if query.bare_pointers || function.function.bare_pointers { Pointers::Bare } else { Pointers::Expanded };
    let place = |error: AbiError| Error::text(query.file, format!("`@{}`: {error}", function.function.name));
    let mut views = vec![function.itself(pointers).map_err(place)?];
    if pointers == Pointers::Expanded {
        views.push(function.wrapper().map_err(place)?);
    }
    Ok(views)
}

/// A function that is shown.
pub(super) struct Shown<'a> {
    pub converter: TypeConverter,
    pub function: &'a Declaration,
    pub target: &'a NamedTarget,
}

impl Shown<'_> {
    fn ty(&self) -> &FunctionType {
        &self.function.ty
    }

    /// The name of an argument.
    fn arg_name(&self, arg: u32) -> String {
        match self.function.args.get(arg as usize) {
            Some(arg) if !arg.name.is_empty() => arg.name.clone(),
            _ => format!("arg{arg}"),
        }
    }

    /// The function in one of MLIR's conventions.
    fn itself(&self, pointers: Pointers) -> Result<View, AbiError> {
        let converted = self.converter.function(self.ty(), pointers)?;
        let describe = |arg: u32, part: Part, ty: &LlvmType| {
            let name = match part {
                Part::Value => self.arg_name(arg),
                part => format!("{}.{}", self.arg_name(arg), part_name(part)),
            };
            Described { name, spelling: ty.to_string(), leaves: leaves(self.layout(), ty) }
        };
        let described = converted.params.iter().map(|param| describe(param.arg, param.part, &param.ty)).collect();
        let result = Described {
            name: "result".into(),
            spelling: converted.ret.to_string(),
            leaves: self.result_leaves(&converted),
        };
        let mut notes = vec![format!("LLVM's type of the function is {converted}")];
        notes.push(match self.converter.function_in_c(self.ty(), pointers) {
            Ok(()) => "C can call it as it is".into(),
            Err(error) => format!("C cannot call it as it is: {error}"),
        });
        let what = match pointers {
            Pointers::Expanded => "memrefs expanded",
            Pointers::Bare => "bare pointers",
        };
        let text = format!("func.func @{}{}", self.function.name, self.ty());
        let head = Head { name: self.function.name.clone(), text, what, notes };
        let signature = converted.signature();
        let declared = declaration(&self.target.abi, &signature)?;
        view(self.target, head, (&signature, declared), result, described)
    }

    /// Its wrapper, as MLIR defines it.
    fn wrapper(&self) -> Result<View, AbiError> {
        let signature = self.converter.wrapper(self.ty())?.signature(true);
        self.wrapper_as(&signature, "wrapper for C")
    }

    /// The C function for it: values are C's own.
    #[cfg(feature = "iree")]
    pub fn c_function(&self, what: &'static str) -> Result<View, AbiError> {
        self.wrapper_as(&self.converter.c_interface(self.ty())?, what)
    }

    /// Its wrapper with this signature.
    fn wrapper_as(&self, signature: &Signature, what: &'static str) -> Result<View, AbiError> {
        let wrapper = self.converter.wrapper(self.ty())?;
        let names = self.function.arg_names();
        let function = HeaderFunction {
            name: &self.function.name,
            ty: self.ty(),
            arg_names: &names,
            defined: self.function.defined,
        };
        let header =
            Header { converter: self.converter, allocation: Allocation::default(), c_values: false, functions: &[] };
        let mut notes = Vec::new();
        let callable = self.converter.wrapper_in_c(self.ty());
        let prototype = header.prototype_of(&function);
        let mut described = Vec::new();
        for (index, param) in wrapper.params.iter().enumerate() {
            let (spelling, name) = match &prototype {
                Ok(prototype) => prototype.params[index].clone(),
                Err(_) => match param.source {
                    Source::Result => (param.ty.to_string(), "result".into()),
                    Source::Argument(arg) | Source::Descriptor(arg) => (param.ty.to_string(), self.arg_name(arg)),
                    Source::VaList => ("va_list".into(), "more".into()),
                },
            };
            described.push(Described { name, spelling, leaves: leaves(self.layout(), &param.ty) });
        }
        let spelling = prototype.as_ref().map_or_else(|_| wrapper.ret.to_string(), |p| p.result.clone());
        let result = Described { name: "result".into(), spelling, leaves: leaves(self.layout(), &wrapper.ret) };
        if let Err(error) = &callable {
            notes.push(format!("C cannot call it: {error}"));
        }
        if wrapper.stored.is_some() {
            notes.push("the result is stored after the first parameter".into());
        }
        if self.ty().results.iter().any(|ty| matches!(ty, BuiltinType::Unranked(_))) {
            notes.push("the descriptor behind an unranked result is from malloc: the caller in C frees it".into());
        }
        let name = gusset_abi::memref::wrapper_name(&self.function.name);
        let text = prototype.map_or_else(|_| name.clone(), |prototype| prototype.to_string());
        let head = Head { name, text, what, notes };
        let declared = declaration(&self.target.abi, signature)?;
        view(self.target, head, (signature, declared), result, described)
    }

    fn layout(&self) -> DataLayout {
        self.converter.layout()
    }

    /// The scalars of the result, where descriptors have names.
    fn result_leaves(&self, converted: &Converted) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        for (i, form) in converted.results.iter().enumerate() {
            let (start, path) = match &converted.ret {
                LlvmType::Struct(body) if converted.is_packed() => (body.fields[i].0, format!("result{i}")),
                _ => (0, String::new()),
            };
            match form {
                Form::Value(ty) => add_leaves(self.layout(), ty, path, start, &mut leaves),
                Form::Bare(_) => add_leaves(self.layout(), &LlvmType::PTR, path, start, &mut leaves),
                Form::Descriptor(descriptor) => {
                    for field in descriptor.fields().take(MAX_LEAVES) {
                        let part = part_name(field.part);
                        let path = if path.is_empty() { part } else { format!("{path}.{part}") };
                        add_leaves(self.layout(), &field.ty.into(), path, start + field.offset, &mut leaves);
                    }
                }
            }
        }
        leaves
    }
}

/// A part of a descriptor, with the name of the field in C.
fn part_name(part: Part) -> String {
    match part {
        Part::Value => "value".into(),
        Part::Allocated => "allocated".into(),
        Part::Aligned => "aligned".into(),
        Part::Offset => "offset".into(),
        Part::Size(k) => format!("sizes[{k}]"),
        Part::Stride(k) => format!("strides[{k}]"),
        Part::Rank => "rank".into(),
        Part::Descriptor => "descriptor".into(),
    }
}

/// A signature in LLVM's types, to be displayed.
fn declaration(target: &AbiTarget, signature: &Signature) -> Result<LlvmSignature, AbiError> {
    let params = signature.params.iter().chain([&signature.ret]);
    if params.clone().any(|param| matches!(param.ty, AbiType::C(_))) {
        return to_llvm(target, signature);
    }
    let param = |param: &gusset_abi::Param| {
        let ty = match &param.ty {
            AbiType::Llvm(ty) => ty.clone(),
            AbiType::C(_) => LlvmType::Void,
        };
        IrParam { ty, attrs: IrAttrs { widen: param.attrs.widen, role: IrRole::Value, ..IrAttrs::default() } }
    };
    Ok(LlvmSignature {
        convention: signature.convention,
        keyword: None,
        ret: param(&signature.ret),
        params: signature.params.iter().map(param).collect(),
        variadic: signature.variadic,
        result: LoweredResult::Ignore,
        args: Vec::new(),
    })
}
