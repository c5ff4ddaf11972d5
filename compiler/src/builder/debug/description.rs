//! What a front end says of its source program: files, functions, types by reference.

use gusset_abi::CType;
use gusset_codegen::debug::{Checksum, ChecksumKind, DiFileId, DiTypeId};

use crate::builder::items::ObjectId;

/// A language, by DWARF's number (`DW_LANG_…`; DWARF 5, section 7.12). Debuggers read and print expressions in it: a language that they do
/// not know is best called that which it resembles.
///
/// ```
/// use gusset_compiler::{DebugOptions, SourceLanguage};
///
/// let options = DebugOptions::new("shapes.pebble").language(SourceLanguage::C99);
/// assert_eq!(options.language, SourceLanguage(0x0c));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SourceLanguage(pub u16);

impl SourceLanguage {
    /// C of 1989.
    pub const C89: SourceLanguage = SourceLanguage(0x01);
    /// C of 1999.
    pub const C99: SourceLanguage = SourceLanguage(0x0c);
    /// C of 2011.
    pub const C11: SourceLanguage = SourceLanguage(0x1d);
    /// C++ of 2014.
    pub const CXX14: SourceLanguage = SourceLanguage(0x21);
    /// Ada of 1995.
    pub const ADA95: SourceLanguage = SourceLanguage(0x0d);
    /// Fortran of 2008.
    pub const FORTRAN08: SourceLanguage = SourceLanguage(0x23);
    /// Pascal.
    pub const PASCAL83: SourceLanguage = SourceLanguage(0x09);
    /// D.
    pub const D: SourceLanguage = SourceLanguage(0x13);
    /// Go.
    pub const GO: SourceLanguage = SourceLanguage(0x16);
    /// Rust.
    pub const RUST: SourceLanguage = SourceLanguage(0x1c);
    /// Assembly.
    pub const ASSEMBLY: SourceLanguage = SourceLanguage(0x8001);
}

impl Default for SourceLanguage {
    fn default() -> SourceLanguage {
        SourceLanguage::C11
    }
}

/// A file of the source program, as debuggers look for it.
///
/// ```
/// use gusset_compiler::DebugFile;
///
/// let file = DebugFile::new("shapes.pebble").directory("/home/me/shapes");
/// assert_eq!(file.name, "shapes.pebble");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct DebugFile {
    /// The name, relative to the directory if it is not absolute.
    pub name: String,
    /// The directory.
    pub directory: String,
    /// The checksum, by which debuggers know that the file has not changed.
    pub checksum: Option<Checksum>,
    /// The text, if the object is to contain it (DWARF 5).
    pub text: Option<String>,
}

impl DebugFile {
    /// A file by its name.
    pub fn new(name: impl Into<String>) -> DebugFile {
        DebugFile { name: name.into(), ..DebugFile::default() }
    }

    /// The same in a directory.
    #[must_use]
    pub fn directory(self, directory: impl Into<String>) -> DebugFile {
        DebugFile { directory: directory.into(), ..self }
    }

    /// The same with the MD5 sum of its text, the only one that DWARF has.
    #[must_use]
    pub fn md5(self, sum: [u8; 16]) -> DebugFile {
        DebugFile { checksum: Some(Checksum { kind: ChecksumKind::Md5, bytes: Box::new(sum) }), ..self }
    }

    /// The same with its text.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> DebugFile {
        DebugFile { text: Some(text.into()), ..self }
    }
}

impl From<&str> for DebugFile {
    fn from(name: &str) -> DebugFile {
        DebugFile::new(name)
    }
}

/// Choices for the debug information of an object, see [`ObjectBuilder::debug_info`](crate::ObjectBuilder::debug_info).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DebugOptions {
    /// The main file.
    pub file: DebugFile,
    /// The language.
    pub language: SourceLanguage,
    /// The front end and its version, such as `tern 0.1`.
    pub producer: String,
    /// The front end's command line.
    pub flags: String,
    /// The version of DWARF: 4 or 5. Objects for Microsoft's tools have CodeView instead.
    pub dwarf_version: u16,
    /// The front end has optimized the code, and debuggers say so.
    pub optimized: bool,
    /// Variables that are declared to lie in memory ([`Body::debug_declare`](crate::Body::debug_declare)) stay there until their scopes end.
    /// This costs registers; it is the only choice about debug information that changes code.
    pub keep_variables: bool,
}

impl Default for DebugOptions {
    fn default() -> DebugOptions {
        DebugOptions {
            file: DebugFile::default(),
            language: SourceLanguage::default(),
            producer: String::new(),
            flags: String::new(),
            dwarf_version: 5,
            optimized: false,
            keep_variables: false,
        }
    }
}

impl DebugOptions {
    /// The default choices for a main file: a name, or more of a [`DebugFile`].
    pub fn new(file: impl Into<DebugFile>) -> DebugOptions {
        DebugOptions { file: file.into(), ..DebugOptions::default() }
    }

    /// The same with another language.
    #[must_use]
    pub fn language(self, language: SourceLanguage) -> DebugOptions {
        DebugOptions { language, ..self }
    }

    /// The same with the name and version of the front end.
    #[must_use]
    pub fn producer(self, producer: impl Into<String>) -> DebugOptions {
        DebugOptions { producer: producer.into(), ..self }
    }

    /// The same with the front end's command line.
    #[must_use]
    pub fn flags(self, flags: impl Into<String>) -> DebugOptions {
        DebugOptions { flags: flags.into(), ..self }
    }

    /// The same with another version of DWARF, 4 or 5.
    #[must_use]
    pub fn dwarf_version(self, dwarf_version: u16) -> DebugOptions {
        DebugOptions { dwarf_version, ..self }
    }

    /// The same for code that the front end has optimized, or not.
    #[must_use]
    pub fn optimized(self, optimized: bool) -> DebugOptions {
        DebugOptions { optimized, ..self }
    }

    /// The same, keeping variables in memory or not.
    #[must_use]
    pub fn keep_variables(self, keep_variables: bool) -> DebugOptions {
        DebugOptions { keep_variables, ..self }
    }
}

/// A file of an object's source program, see [`ObjectBuilder::source_file`](crate::ObjectBuilder::source_file).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SourceFile {
    pub(super) file: DiFileId,
    pub(super) object: ObjectId,
}

/// A type of an object's source program, see [`ObjectBuilder::debug_types`](crate::ObjectBuilder::debug_types).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DebugType {
    /// `None` is `void`.
    pub(super) ty: Option<DiTypeId>,
    pub(super) object: ObjectId,
}

impl DebugType {
    /// Its node in [`DebugTypes::nodes`](crate::DebugTypes::nodes); `None` is `void`.
    pub fn node(self) -> Option<DiTypeId> {
        self.ty
    }
}

/// The type of a variable: a type of the source program, or one of C's, whose names then are C's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DebugTypeRef {
    /// A type of C's. A record has the names that it was given ([`DebugTypes::record`](crate::DebugTypes::record)).
    C(CType),
    /// A type of the source program.
    Named(DebugType),
}

impl From<CType> for DebugTypeRef {
    fn from(ty: CType) -> DebugTypeRef {
        DebugTypeRef::C(ty)
    }
}

impl From<&CType> for DebugTypeRef {
    fn from(ty: &CType) -> DebugTypeRef {
        DebugTypeRef::C(ty.clone())
    }
}

impl From<DebugType> for DebugTypeRef {
    fn from(ty: DebugType) -> DebugTypeRef {
        DebugTypeRef::Named(ty)
    }
}

/// What is said of a function besides its signature, see [`ObjectBuilder::describe`](crate::ObjectBuilder::describe).
#[derive(Clone, Debug, Default)]
pub struct DebugFunction {
    pub(super) name: Option<String>,
    pub(super) place: Option<(SourceFile, u32)>,
    pub(super) result: Option<DebugTypeRef>,
    pub(super) params: Vec<(String, Option<DebugTypeRef>)>,
    pub(super) artificial: bool,
}

impl DebugFunction {
    /// A function of which nothing is said yet.
    pub fn new() -> DebugFunction {
        DebugFunction::default()
    }

    /// The same with the name that the source has for it, if it is not that of its declaration.
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> DebugFunction {
        DebugFunction { name: Some(name.into()), ..self }
    }

    /// The same with its place. Without one it begins at the first location in its body.
    #[must_use]
    pub fn at(self, file: SourceFile, line: u32) -> DebugFunction {
        DebugFunction { place: Some((file, line)), ..self }
    }

    /// The same with the type of its result, if it is not C's.
    #[must_use]
    pub fn result(self, ty: impl Into<DebugTypeRef>) -> DebugFunction {
        DebugFunction { result: Some(ty.into()), ..self }
    }

    /// The same with the name of its next parameter, whose type is C's.
    #[must_use]
    pub fn param(mut self, name: impl Into<String>) -> DebugFunction {
        self.params.push((name.into(), None));
        self
    }

    /// The same with the name and type of its next parameter.
    #[must_use]
    pub fn typed_param(mut self, name: impl Into<String>, ty: impl Into<DebugTypeRef>) -> DebugFunction {
        self.params.push((name.into(), Some(ty.into())));
        self
    }

    /// The same, made by the front end or not: debuggers do not stop in it by default.
    #[must_use]
    pub fn artificial(self, on: bool) -> DebugFunction {
        DebugFunction { artificial: on, ..self }
    }

    /// The types that it names.
    pub(super) fn types(&self) -> impl Iterator<Item = &DebugTypeRef> {
        self.result.iter().chain(self.params.iter().filter_map(|param| param.1.as_ref()))
    }
}
