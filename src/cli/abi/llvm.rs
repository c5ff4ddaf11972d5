//! The declaration in LLVM IR that clang would write.

use gusset::abi::{AbiError, CType, Decoration, Record, to_llvm};

use super::view::View;

/// The declaration with the types that it names.
pub(crate) fn render(view: &View) -> Result<String, AbiError> {
    let lowered = to_llvm(&view.target, &view.prototype.signature)?;
    let names = |record: &Record| {
        let named = |exact: bool| {
            view.prototype.records.iter().find(|(_, ty)| match ty {
                CType::Record(known) => std::ptr::eq(known.as_ref(), record) || !exact && known.as_ref() == record,
                _ => false,
            })
        };
        // Types of the same form are one to the ABI; their names differ.
        named(true).or_else(|| named(false)).map(|(name, _)| name.clone())
    };
    let name = match (view.symbol(), view.abi.decoration) {
        // A first byte of 1 keeps LLVM from decorating the name once more.
        (Some(symbol), Decoration::Stdcall(_) | Decoration::Fastcall(_) | Decoration::Vectorcall(_)) => {
            format!("\u{1}{symbol}")
        }
        (Some(symbol), _) if view.prototype.symbol.is_some() => format!("\u{1}{symbol}"),
        _ => view.prototype.name.clone(),
    };
    Ok(format!("{}\n", lowered.declare(&name).naming(&names)))
}
