//! What users ask for.

/// The language of declarations. An example is at [the crate's page](crate).
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

/// What is asked for: declarations, and the function among them that is shown. An example is at [the crate's page](crate).
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
