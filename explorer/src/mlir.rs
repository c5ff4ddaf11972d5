//! Functions of MLIR: the converted function, and its wrapper for C.

use gusset_abi::memref::{
    Allocation, BuiltinType, Converted, Form, FunctionType, Header, HeaderFunction, Part, Pointers, Source,
    TypeConverter,
};
use gusset_abi::{
    AbiError, CType, DataLayout, FnAbi, IrAttrs, IrParam, IrRole, Layout, LlvmSignature, LlvmType, LoweredResult,
    PassMode, Signature, Subject, Target, Type, classify, to_llvm,
};
use gusset_c::Leaf;
use gusset_mlir::Declaration;

use super::error::Error;
use super::names;
use super::targets::NamedTarget;
use super::view::{Declared, Value, View, passing};
use crate::Query;

/// The most leaves of one value that are listed.
const MAX_LEAVES: usize = 256;

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

/// What is shown of a function besides its values.
struct Head {
    name: String,
    /// The declaration.
    text: String,
    /// The text next to the convention.
    what: &'static str,
    notes: Vec<String>,
}

/// A value's name and contents.
struct Described {
    name: String,
    spelling: String,
    leaves: Vec<Leaf>,
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
            Described { name, spelling: ty.to_string(), leaves: self.leaves(ty) }
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
        self.view(head, &converted.signature(), result, described)
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
            described.push(Described { name, spelling, leaves: self.leaves(&param.ty) });
        }
        let spelling = prototype.as_ref().map_or_else(|_| wrapper.ret.to_string(), |p| p.result.clone());
        let result = Described { name: "result".into(), spelling, leaves: self.leaves(&wrapper.ret) };
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
        self.view(head, signature, result, described)
    }

    fn view(
        &self,
        head: Head,
        signature: &Signature,
        result: Described,
        params: Vec<Described>,
    ) -> Result<View, AbiError> {
        let Head { name, text, what, notes } = head;
        let abi: FnAbi = classify(&self.target.abi, signature)
            .map_err(|error| AbiError { subject: Subject::Signature, reason: error.to_string() })?;
        let value = |index: usize, described: Described, mode: &PassMode, layout: Option<Layout>| {
            let (passing, parts) = passing(mode, self.target.abi.pointer_bytes());
            let Described { name, spelling, leaves } = described;
            Value { index, name, spelling, layout, unnamed: false, leaves, is_object: false, passing, parts }
        };
        let has_result = !matches!(signature.ret.ty, Type::Llvm(LlvmType::Void) | Type::C(CType::Void));
        let mut values = vec![value(0, result, &abi.ret.mode, has_result.then_some(abi.ret.layout))];
        for (i, (described, arg)) in params.into_iter().zip(&abi.args).enumerate() {
            values.push(value(i + 1, described, &arg.mode, Some(arg.layout)));
        }
        let convention = format!("{}; {what}", names::convention(&self.target.abi, signature));
        Ok(View {
            triple: self.target.triple.clone(),
            target: self.target.abi,
            convention,
            text,
            symbol: Some(abi.decoration.apply(&name)),
            name,
            machine: None,
            notes,
            declared: Declared::Llvm(Box::new(declaration(&self.target.abi, signature)?)),
            abi,
            values,
        })
    }

    fn layout(&self) -> DataLayout {
        self.converter.layout()
    }

    /// The scalars of a value of LLVM type.
    fn leaves(&self, ty: &LlvmType) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        self.add_leaves(ty, String::new(), 0, &mut leaves);
        leaves
    }

    /// Adds the scalars and vectors of a type at an offset in bytes; their names begin with `path`.
    fn add_leaves(&self, ty: &LlvmType, path: String, offset: u64, leaves: &mut Vec<Leaf>) {
        if leaves.len() >= MAX_LEAVES {
            return;
        }
        let within = |part: String| if path.is_empty() { part } else { format!("{path}.{part}") };
        match ty {
            LlvmType::Void => {}
            LlvmType::Array { element, len } => {
                let step = self.layout().llvm(element).map_or(0, |layout| layout.size);
                for i in 0..(*len).min(MAX_LEAVES as u64) {
                    self.add_leaves(element, format!("{path}[{i}]"), offset + i * step, leaves);
                }
            }
            LlvmType::Struct(body) => {
                for (i, (at, member)) in body.fields.iter().enumerate() {
                    self.add_leaves(member, within(i.to_string()), offset + at, leaves);
                }
            }
            scalar => {
                let bits = 8 * self.layout().llvm(scalar).map_or(0, |layout| layout.size);
                leaves.push(Leaf { path, spelling: scalar.to_string(), bit_offset: 8 * offset, bits });
            }
        }
    }

    /// The same for the result, where descriptors have names.
    fn result_leaves(&self, converted: &Converted) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        for (i, form) in converted.results.iter().enumerate() {
            let (start, path) = match &converted.ret {
                LlvmType::Struct(body) if converted.is_packed() => (body.fields[i].0, format!("result{i}")),
                _ => (0, String::new()),
            };
            match form {
                Form::Value(ty) => self.add_leaves(ty, path, start, &mut leaves),
                Form::Bare(_) => self.add_leaves(&LlvmType::PTR, path, start, &mut leaves),
                Form::Descriptor(descriptor) => {
                    for field in descriptor.fields().take(MAX_LEAVES) {
                        let part = part_name(field.part);
                        let path = if path.is_empty() { part } else { format!("{path}.{part}") };
                        self.add_leaves(&field.ty.into(), path, start + field.offset, &mut leaves);
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
fn declaration(target: &Target, signature: &Signature) -> Result<LlvmSignature, AbiError> {
    let params = signature.params.iter().chain([&signature.ret]);
    if params.clone().any(|param| matches!(param.ty, Type::C(_))) {
        return to_llvm(target, signature);
    }
    let param = |param: &gusset_abi::Param| {
        let ty = match &param.ty {
            Type::Llvm(ty) => ty.clone(),
            Type::C(_) => LlvmType::Void,
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
