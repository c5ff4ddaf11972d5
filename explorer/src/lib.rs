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
mod svg;
mod table;
mod targets;
mod view;

pub use call::call;
pub use difference::difference;
pub use error::Error;
pub use json::json;
pub use layout::{LayoutView, layout, layouts, layouts_json, layouts_table};
pub use svg::svg;
pub use table::table;
pub use targets::{NamedTarget, SHORT_NAMES, features, similar, triple_of};
pub use view::View;

/// The language of declarations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Language {
    /// C.
    #[default]
    C,
    /// C++.
    Cxx,
    /// LLVM IR.
    Llvm,
    /// MLIR.
    #[cfg(feature = "mlir")]
    Mlir,
    /// Type records of IREE's.
    #[cfg(feature = "iree")]
    Iree,
}

impl Language {
    /// The language of a file by its ending.
    pub fn of_file(file: &str) -> Language {
        match file.rsplit_once('.').map_or("", |(_, ending)| ending) {
            "ll" => Language::Llvm,
            #[cfg(feature = "mlir")]
            "mlir" => Language::Mlir,
            "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "ii" => Language::Cxx,
            _ => Language::C,
        }
    }
}

/// What is asked for: declarations, and the function among them that is shown.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Query<'q> {
    /// The language of the text.
    pub language: Language,
    /// The declarations.
    pub text: &'q str,
    /// The name of the text in messages.
    pub file: &'q str,
    /// The function that is shown, instead of the last one; of IREE's records, the name of their function.
    pub function: Option<&'q str>,
    /// For MLIR: the bits of `index`.
    pub index_width: Option<u32>,
    /// For MLIR: memrefs are passed as pointers alone.
    pub bare_pointers: bool,
}

impl<'q> Query<'q> {
    /// The last function of these declarations.
    pub fn new(language: Language, text: &'q str) -> Query<'q> {
        let file = "<declarations>";
        Query { language, text, file, function: None, index_width: None, bare_pointers: false }
    }
}

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
