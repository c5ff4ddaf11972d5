//! The declaration in LLVM IR: the one that clang would write, or that MLIR's conversion makes.

use gusset_abi::{AbiError, CType, Decoration, Record, to_llvm};
use gusset_c::Prototype;

use super::view::{Declared, View};

/// The declaration, with definitions of the types that it names.
///
/// # Errors
/// clang does not lower such a signature: a message, and the prototype that it is about.
pub(crate) fn render(view: &View) -> Result<String, (AbiError, &Prototype)> {
    let prototype = match &view.declared {
        Declared::Llvm(signature) => return Ok(format!("{}\n", signature.declare(&view.name))),
        Declared::C(prototype) => prototype,
    };
    let lowered = to_llvm(&view.target, &prototype.signature).map_err(|error| (error, &**prototype))?;
    let names = |record: &Record| {
        let named = |exact: bool| {
            prototype.records.iter().find(|(_, ty)| match ty {
                CType::Record(known) => std::ptr::eq(known.as_ref(), record) || !exact && known.as_ref() == record,
                _ => false,
            })
        };
        // Types of the same form are one type to the ABI, under different names.
        named(true).or_else(|| named(false)).map(|(name, _)| name.clone())
    };
    Ok(format!("{}\n", lowered.declare(&name(view, prototype)).naming(&names)))
}

/// The function's name in LLVM IR.
pub(crate) fn name(view: &View, prototype: &Prototype) -> String {
    match (&view.symbol, view.abi.decoration) {
        // A first byte of 1 keeps LLVM from decorating the name again.
        (Some(symbol), Decoration::Stdcall(_) | Decoration::Fastcall(_) | Decoration::Vectorcall(_)) => {
            format!("\u{1}{symbol}")
        }
        (Some(symbol), _) if prototype.symbol.is_some() => format!("\u{1}{symbol}"),
        _ => view.name.clone(),
    }
}
