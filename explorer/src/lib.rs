#![doc = include_str!("../README.md")]
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod call;
mod difference;
mod error;
mod facts;
#[cfg(feature = "iree")]
mod iree;
mod json;
mod layout;
mod llvm;
mod llvm_reader;
mod llvm_types;
#[cfg(feature = "mlir")]
mod mlir;
mod names;
mod query;
mod svg;
mod table;
mod targets;
mod view;

pub use call::call;
pub use difference::difference;
pub use error::Error;
pub use json::json;
pub use layout::{LayoutView, layout, layouts, layouts_json, layouts_table};
pub use query::{Language, Query};
pub use svg::svg;
pub use table::table;
pub use targets::{NamedTarget, SHORT_NAMES, features, similar, triple_of};
pub use view::View;

/// How a function is called on a target. There are two views of a function of MLIR's: the function itself, and its
/// wrapper for C.
///
/// # Errors
/// The declarations cannot be read, or the target cannot pass such values.
pub fn views(query: &Query<'_>, target: &NamedTarget) -> Result<Vec<View>, Error> {
    let language = match query.language {
        Language::C => gusset_abi::Language::C,
        Language::Cxx => gusset_abi::Language::Cxx,
        Language::Llvm => return Ok(vec![llvm_reader::view(query, target)?]),
        #[cfg(feature = "mlir")]
        Language::Mlir => return mlir::views(query, target),
        #[cfg(feature = "iree")]
        Language::Iree => return Ok(vec![iree::view(query, target)?]),
    };
    let read = gusset_c::prototype_in(language, query.text, &target.abi, query.function).and_then(|prototype| {
        let classified = gusset_abi::classify(&target.abi, &prototype.signature);
        Ok((classified.map_err(|error| prototype.locate(query.text, &error))?, prototype))
    });
    let (abi, prototype) = read.map_err(|error| error.in_file(query.file))?;
    Ok(vec![View::new(target, prototype, abi)?])
}

/// The declarations of views in LLVM IR, those that clang would write, or that MLIR's conversion makes.
///
/// # Errors
/// clang does not lower such a signature.
pub fn llvm(query: &Query<'_>, views: &[View]) -> Result<String, Error> {
    let declaration = |view: &View| {
        let triple = if views.len() > 1 { format!("; {}\n", view.triple) } else { String::new() };
        match llvm::render(view) {
            Ok(text) => Ok(triple + &text),
            Err((error, prototype)) => Err(Error::Read(prototype.locate(query.text, &error).in_file(query.file))),
        }
    };
    Ok(views.iter().map(declaration).collect::<Result<Vec<_>, Error>>()?.join("\n"))
}
