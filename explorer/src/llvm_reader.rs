//! Functions of LLVM IR.

use gusset_abi::{
    AbiError, Convention, DataLayout, IrAttrs, IrParam, IrRole, LlvmSignature, LlvmType, LoweredResult, Subject, Widen,
};
use gusset_program::{Attribute, AttributeValue, Header, Kind, SymbolKind, TypeId, TypeTable};

use super::error::Error;
use super::llvm_types::{Described, Head, leaves, view as view_of};
use super::targets::NamedTarget;
use super::view::View;
use crate::query::Query;

/// The view of a function that a module declares or defines.
pub(crate) fn view(query: &Query<'_>, target: &NamedTarget) -> Result<View, Error> {
    let imported = gusset_llvm::import_module(query.text.as_bytes(), query.file)?;
    let functions = imported.module.symbols.iter().filter_map(|symbol| match &symbol.kind {
        SymbolKind::Function(header) => {
            let name =
                symbol.name.as_deref().map_or_else(String::new, |name| String::from_utf8_lossy(name).into_owned());
            Some((name, header))
        }
        _ => None,
    });
    let mut functions = functions.filter(|(name, _)| query.function.is_none_or(|wanted| name == wanted));
    let Some((name, header)) = functions.next_back() else {
        let missing = query.function.map_or("there is no function, such as `declare i32 @f(ptr)`".into(), |wanted| {
            format!("there is no function `@{wanted}`")
        });
        return Err(Error::text(query.file, missing));
    };
    let importer = gusset_llvm::BodyImporter::new(&imported);
    let types = Types { types: &importer.types, layout: DataLayout::new(&target.abi) };
    let place = |error: AbiError| Error::text(query.file, format!("`@{name}`: {error}"));
    let declared = types.signature(header).map_err(place)?;
    let signature = declared.to_signature(&target.abi).map_err(place)?;
    let described = |name: String, ty: &LlvmType| {
        let spelling = ty.to_string();
        Described { name, spelling, leaves: leaves(types.layout, ty) }
    };
    let result = described("result".into(), &declared.ret.ty);
    let params = declared.params.iter().zip(0..).map(|(param, number): (_, usize)| {
        let name = format!("#{number}");
        let ty = &param.ty;
        Described { spelling: param.to_string(), ..described(name, ty) }
    });
    let params = params.collect();
    let head = Head { text: declared.declare(&name).to_string(), name: name.clone(), what: "", notes: Vec::new() };
    view_of(target, head, (&signature, declared), result, params).map_err(place)
}

/// The error that a signature is refused.
fn refused(reason: String) -> AbiError {
    AbiError::new(Subject::Signature, reason)
}

/// The types of a module, on a target.
struct Types<'t> {
    types: &'t TypeTable,
    layout: DataLayout,
}

impl Types<'_> {
    fn signature(&self, header: &Header) -> Result<LlvmSignature, AbiError> {
        let (convention, keyword) = match &*header.convention {
            "" | "ccc" => (Convention::C, None),
            name => {
                let unknown = || refused(format!("the convention `{name}` is not supported"));
                let convention = gusset_llvm::convention(name).ok_or_else(unknown)?;
                (convention, Some(convention.llvm_keyword()))
            }
        };
        let params = header.params.iter().map(|(ty, attributes)| self.param(*ty, attributes));
        Ok(LlvmSignature {
            convention,
            keyword,
            ret: self.param(header.ret, &header.ret_attrs)?,
            params: params.collect::<Result<Vec<_>, _>>()?,
            variadic: header.variadic.then_some(header.params.len()),
            result: LoweredResult::Ignore,
            args: Vec::new(),
        })
    }

    fn param(&self, ty: TypeId, attributes: &[Attribute]) -> Result<IrParam, AbiError> {
        let mut attrs = IrAttrs::default();
        for Attribute { name, value } in attributes {
            let number = || match value {
                AttributeValue::Number(n) => u32::try_from(*n).ok(),
                _ => None,
            };
            let memory = || match value {
                AttributeValue::Type(ty) => self.ty(*ty),
                _ => Ok(LlvmType::Void),
            };
            match &name[..] {
                b"signext" => attrs.widen = Widen::Sign,
                b"zeroext" => attrs.widen = Widen::Zero,
                b"inreg" => attrs.in_reg = true,
                b"returned" => attrs.returned = true,
                b"align" => attrs.align = number(),
                b"alignstack" => attrs.stack_align = number(),
                b"sret" => attrs.role = IrRole::StructReturn(memory()?),
                b"byval" => attrs.role = IrRole::ByVal(memory()?),
                b"inalloca" => attrs.role = IrRole::InAlloca(memory()?),
                b"nest" | b"swiftself" | b"swifterror" | b"swiftasync" | b"preallocated" => {
                    let name = String::from_utf8_lossy(name);
                    return Err(refused(format!("parameters with `{name}` are not shown")));
                }
                _ => {}
            }
        }
        Ok(IrParam { ty: self.ty(ty)?, attrs })
    }

    /// The type, with the target's layout. The reader bounds how deep types are nested.
    fn ty(&self, ty: TypeId) -> Result<LlvmType, AbiError> {
        Ok(match self.types.get(ty).kind {
            Kind::Array { element, len } => LlvmType::array(self.ty(element)?, len),
            Kind::Struct { start, len, packed } => {
                let members = self.types.members(start, len).iter().map(|member| self.ty(member.ty));
                let members = members.collect::<Result<Vec<_>, _>>()?;
                LlvmType::structure(self.layout.llvm_struct(members, packed)?)
            }
            _ => gusset_lower::llvm_type(self.types, ty),
        })
    }
}
