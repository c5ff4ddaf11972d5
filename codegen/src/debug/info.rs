//! The nodes of debug information, except types.

use foldhash::HashMap;

use gimli::{DwTag, constants as dw};

use super::ids::{
    DiCompileUnitId, DiEntity, DiExpression, DiFileId, DiGlobalVariableId, DiImportedEntityId, DiLocationId, DiScope,
    DiString, DiSubprogramId, DiTypeId,
};
use super::types::{DiDerived, DiTemplateParameter, DiType, DiTypeKind};
use crate::ir::SymbolId;

/// How many qualifiers and typedefs are looked through: a damaged chain might be a cycle.
const MAX_LOOK: usize = 64;

/// Strings, each once.
#[derive(Clone, Debug, Default)]
pub struct StringTable {
    bytes: Vec<u8>,
    /// The end of each string in `bytes`.
    ends: Vec<u32>,
    numbers: HashMap<Box<[u8]>, DiString>,
}

impl StringTable {
    /// The number of a string, which is added if it is new.
    pub fn intern(&mut self, text: &[u8]) -> DiString {
        if text.is_empty() {
            return DiString(0);
        }
        if let Some(&known) = self.numbers.get(text) {
            return known;
        }
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len() as u32);
        let number = DiString::new(self.ends.len());
        self.numbers.insert(text.into(), number);
        number
    }

    /// How many strings there are, with the empty one.
    pub fn count(&self) -> usize {
        self.ends.len() + 1
    }

    /// A string.
    pub fn get(&self, string: DiString) -> &[u8] {
        let end = |n: usize| n.checked_sub(1).map_or(0, |n| self.ends[n] as usize);
        match string.index() {
            0 => &[],
            n => &self.bytes[end(n - 1)..end(n)],
        }
    }
}

/// The bytes of a string up to the first zero, where strings of debug information end.
pub(crate) fn to_zero(bytes: &[u8]) -> &[u8] {
    bytes.iter().position(|&b| b == 0).map_or(bytes, |end| &bytes[..end])
}

/// How a file's checksum is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChecksumKind {
    /// MD5: 16 bytes.
    Md5,
    /// SHA-1: 20 bytes.
    Sha1,
    /// SHA-256: 32 bytes.
    Sha256,
}

/// The checksum of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checksum {
    /// How it is computed.
    pub kind: ChecksumKind,
    /// Its bytes.
    pub bytes: Box<[u8]>,
}

/// A file of the source program.
#[derive(Clone, Debug, Default)]
pub struct DiFile {
    /// Its name, relative to the directory if it is not absolute.
    pub name: DiString,
    /// The directory.
    pub directory: DiString,
    /// Its checksum.
    pub checksum: Option<Checksum>,
    /// Its text, if the object is to contain it.
    pub source: Option<DiString>,
}

/// How much debug information a unit wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EmissionKind {
    /// None: its locations serve other tools.
    None,
    /// All.
    #[default]
    Full,
    /// Functions, inlined calls and lines.
    LineTablesOnly,
    /// Lines of assembly text only.
    DirectivesOnly,
}

/// Which table of names a unit wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NameTableKind {
    /// The usual one of the format's version: `.debug_names` of DWARF 5, none before.
    #[default]
    Default,
    /// GNU's `.debug_gnu_pubnames`.
    Gnu,
    /// None.
    None,
    /// Apple's.
    Apple,
}

/// A compile unit: what one run of a front end made of a file.
#[derive(Clone, Debug, Default)]
pub struct DiCompileUnit {
    /// DWARF's number of the language (`DW_LANG_…`).
    pub language: u16,
    /// Its main file.
    pub file: Option<DiFileId>,
    /// The front end that made it.
    pub producer: DiString,
    /// Has the front end optimized it?
    pub optimized: bool,
    /// The front end's command line.
    pub flags: DiString,
    /// Version of the language's runtime system (Objective-C).
    pub runtime_version: u32,
    /// The file for the parts that the linker does not need.
    pub split_name: DiString,
    /// The number by which that file is found.
    pub dwo_id: u64,
    /// How much it wants.
    pub emission: EmissionKind,
    /// Inlined calls are described in the object, too, if the rest is in another file.
    pub split_debug_inlining: bool,
    /// Sampling profilers get the lines at which functions begin.
    pub profiling: bool,
    /// Which table of names it wants.
    pub name_table: NameTableKind,
    /// Lists of ranges have base addresses.
    pub ranges_base_address: bool,
    /// The root of the system's headers.
    pub sysroot: DiString,
    /// The development kit.
    pub sdk: DiString,
    /// Enumerations that it describes although nothing refers to them.
    pub enums: Vec<DiTypeId>,
    /// Other types and functions that it describes although nothing refers to them.
    pub retained: Vec<DiEntity>,
    /// Its global variables.
    pub globals: Vec<DiGlobalVariableExpression>,
    /// Names that it takes from scopes.
    pub imported: Vec<DiImportedEntityId>,
    /// It has macros, which are not described.
    pub has_macros: bool,
}

/// What a scope of its own is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiLexicalScopeKind {
    /// A block of a function.
    Block {
        /// Its first column; 0 if unknown.
        column: u32,
    },
    /// The part of a block that is in another file, or has another discriminator.
    BlockFile {
        /// Tells code of the same line apart.
        discriminator: u32,
    },
    /// A namespace; its names may be visible in the one around it.
    Namespace {
        /// Is it inline?
        export_symbols: bool,
    },
    /// A module (Fortran, Clang).
    Module {
        /// Macros it was compiled with.
        configuration_macros: DiString,
        /// Where its headers are.
        include_path: DiString,
        /// Its notes for the interface.
        api_notes: DiString,
        /// Only declared.
        declaration: bool,
    },
    /// A common block (Fortran).
    CommonBlock {
        /// The variable that is the whole block.
        variable: Option<DiGlobalVariableId>,
    },
}

/// A scope that is neither a file, a unit, a type nor a function.
#[derive(Clone, Debug)]
pub struct DiLexicalScope {
    /// What it is.
    pub kind: DiLexicalScopeKind,
    /// The scope around it.
    pub scope: Option<DiScope>,
    /// Its name; blocks have none.
    pub name: DiString,
    /// Its file.
    pub file: Option<DiFileId>,
    /// Its first line; 0 if unknown.
    pub line: u32,
}

impl Default for DiLexicalScope {
    fn default() -> DiLexicalScope {
        let kind = DiLexicalScopeKind::Block { column: 0 };
        DiLexicalScope { kind, scope: None, name: DiString(0), file: None, line: 0 }
    }
}

/// A function.
#[derive(Clone, Debug, Default)]
pub struct DiSubprogram {
    /// The scope around it.
    pub scope: Option<DiScope>,
    /// Its name.
    pub name: DiString,
    /// The name of its symbol.
    pub linkage_name: DiString,
    /// Its file.
    pub file: Option<DiFileId>,
    /// The line of its name.
    pub line: u32,
    /// The line at which its body begins.
    pub scope_line: u32,
    /// Its type, of the kind `Subroutine`.
    pub ty: Option<DiTypeId>,
    /// The class whose table of virtual functions it is in.
    pub containing_type: Option<DiTypeId>,
    /// Its place in that table.
    pub virtual_index: u32,
    /// What is added to the object's address (Microsoft).
    pub this_adjustment: i32,
    /// [`di_flags`](super::di_flags).
    pub flags: u32,
    /// [`di_subprogram_flags`](super::di_subprogram_flags).
    pub subprogram_flags: u32,
    /// The unit that defines it.
    pub unit: Option<DiCompileUnitId>,
    /// Its template's arguments.
    pub template_parameters: Vec<DiTemplateParameter>,
    /// Its declaration in a class.
    pub declaration: Option<DiSubprogramId>,
    /// Variables, labels and imported entities that it describes although no code refers to them.
    pub retained: Vec<DiEntity>,
    /// The exceptions it may throw.
    pub thrown_types: Vec<DiTypeId>,
    /// The function that a trampoline leads to.
    pub target_name: DiString,
}

/// A local variable or parameter.
#[derive(Clone, Debug, Default)]
pub struct DiLocalVariable {
    /// Its name.
    pub name: DiString,
    /// The number of the parameter, from 1; 0 for other variables.
    pub argument: u16,
    /// The scope around it.
    pub scope: Option<DiScope>,
    /// Its file.
    pub file: Option<DiFileId>,
    /// Its line.
    pub line: u32,
    /// Its type.
    pub ty: Option<DiTypeId>,
    /// [`di_flags`](super::di_flags).
    pub flags: u32,
    /// Its alignment in bits, if it asks for more than its type; else 0.
    pub align_bits: u32,
}

/// A label of the source program.
#[derive(Clone, Debug, Default)]
pub struct DiLabel {
    /// Its name.
    pub name: DiString,
    /// The scope around it.
    pub scope: Option<DiScope>,
    /// Its file.
    pub file: Option<DiFileId>,
    /// Its line.
    pub line: u32,
    /// Its column.
    pub column: u32,
    /// The compiler made it.
    pub artificial: bool,
}

/// A global variable.
#[derive(Clone, Debug, Default)]
pub struct DiGlobalVariable {
    /// Its name.
    pub name: DiString,
    /// The name of its symbol.
    pub linkage_name: DiString,
    /// The scope around it.
    pub scope: Option<DiScope>,
    /// Its file.
    pub file: Option<DiFileId>,
    /// Its line.
    pub line: u32,
    /// Its type.
    pub ty: Option<DiTypeId>,
    /// Only its object sees it.
    pub local: bool,
    /// It is defined here.
    pub definition: bool,
    /// Its declaration in a class.
    pub declaration: Option<DiTypeId>,
    /// Its template's arguments.
    pub template_parameters: Vec<DiTemplateParameter>,
    /// Its alignment in bits, if it asks for more than its type; else 0.
    pub align_bits: u32,
}

/// A global variable with where it is, relative to the symbol that it is attached to; without a symbol the expression gives its value.
#[derive(Clone, Debug)]
pub struct DiGlobalVariableExpression {
    /// The variable.
    pub variable: DiGlobalVariableId,
    /// From the symbol's address to the variable.
    pub expression: DiExpression,
    /// The symbol that has its contents.
    pub symbol: Option<SymbolId>,
}

/// A name that one scope takes from another, as by `using` (C++) or `use` (Fortran).
#[derive(Clone, Debug, Default)]
pub struct DiImportedEntity {
    /// DWARF's number of its kind (`DW_TAG_imported_…`).
    pub tag: u16,
    /// The scope that takes it.
    pub scope: Option<DiScope>,
    /// What is taken.
    pub entity: Option<DiEntity>,
    /// Its name in the scope, if it is another.
    pub name: DiString,
    /// The file.
    pub file: Option<DiFileId>,
    /// The line.
    pub line: u32,
    /// The entities that have other names here (Fortran).
    pub elements: Vec<DiImportedEntityId>,
}

/// A location of the source program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DiLocation {
    /// The line; 0 if the code belongs to no line.
    pub line: u32,
    /// The column; 0 if unknown.
    pub column: u32,
    /// The innermost scope, a block or function.
    pub scope: Option<DiScope>,
    /// The call that was replaced by the function's body.
    pub inlined_at: Option<DiLocationId>,
}

/// The debug information of a module.
#[derive(Clone, Debug, Default)]
pub struct DebugInfo {
    /// All strings.
    pub strings: StringTable,
    /// Files.
    pub files: Vec<DiFile>,
    /// Compile units.
    pub units: Vec<DiCompileUnit>,
    /// Scopes of their own.
    pub scopes: Vec<DiLexicalScope>,
    /// Types.
    pub types: Vec<DiType>,
    /// Functions.
    pub subprograms: Vec<DiSubprogram>,
    /// Local variables and parameters.
    pub variables: Vec<DiLocalVariable>,
    /// Labels.
    pub labels: Vec<DiLabel>,
    /// Global variables.
    pub globals: Vec<DiGlobalVariable>,
    /// Names that scopes take from others.
    pub imported: Vec<DiImportedEntity>,
    /// Locations.
    pub locations: Vec<DiLocation>,
    /// The version of DWARF that is asked for (LLVM's module flag `Dwarf Version`); 0 for the default.
    pub dwarf_version: u16,
    /// CodeView is asked for (LLVM's module flag `CodeView`).
    pub codeview: bool,
}

impl DebugInfo {
    /// Renumbers symbols by what [`Module::reorder_symbols`](crate::ir::Module::reorder_symbols) gives.
    pub fn renumber_symbols(&mut self, new: &[SymbolId]) {
        let globals = self.units.iter_mut().flat_map(|unit| &mut unit.globals);
        globals.filter_map(|global| global.symbol.as_mut()).for_each(|symbol| *symbol = new[symbol.index()]);
    }

    /// The function that a location is in, which is the inlined one if its code was inlined.
    pub fn subprogram_of(&self, mut scope: DiScope) -> Option<DiSubprogramId> {
        // A damaged chain of scopes might be a cycle.
        for _ in 0..=self.scopes.len() {
            match scope {
                DiScope::Subprogram(function) => return Some(function),
                DiScope::Lexical(inner) => scope = self.scopes[inner.index()].scope?,
                _ => return None,
            }
        }
        None
    }

    /// The file of a scope.
    pub(crate) fn file_of(&self, scope: DiScope) -> Option<DiFileId> {
        match scope {
            DiScope::File(file) => Some(file),
            DiScope::Subprogram(function) => self.subprograms[function.index()].file,
            DiScope::Lexical(scope) => self.scopes[scope.index()].file,
            DiScope::CompileUnit(unit) => self.units[unit.index()].file,
            DiScope::Type(ty) => self.types[ty.index()].file,
        }
    }
}

impl DebugInfo {
    /// The type without typedefs and qualifiers.
    pub(crate) fn look_through(&self, mut ty: DiTypeId) -> DiTypeId {
        for _ in 0..MAX_LOOK {
            let node = &self.types[ty.index()];
            let DiTypeKind::Derived(DiDerived { base: Some(base), .. }) = &node.kind else { break };
            match DwTag(node.tag) {
                dw::DW_TAG_typedef
                | dw::DW_TAG_const_type
                | dw::DW_TAG_volatile_type
                | dw::DW_TAG_restrict_type
                | dw::DW_TAG_atomic_type
                | dw::DW_TAG_member
                | dw::DW_TAG_template_alias => ty = *base,
                _ => break,
            }
        }
        ty
    }

    /// Are the values of a type unsigned numbers?
    pub(crate) fn is_unsigned(&self, mut ty: DiTypeId) -> bool {
        for _ in 0..MAX_LOOK {
            ty = self.look_through(ty);
            let node = &self.types[ty.index()];
            let base = match &node.kind {
                DiTypeKind::Basic { encoding } => {
                    return matches!(
                        gimli::DwAte(*encoding),
                        dw::DW_ATE_unsigned
                            | dw::DW_ATE_unsigned_char
                            | dw::DW_ATE_UTF
                            | dw::DW_ATE_boolean
                            | dw::DW_ATE_unsigned_fixed
                    );
                }
                DiTypeKind::Composite(composite) if DwTag(node.tag) == dw::DW_TAG_enumeration_type => composite.base,
                DiTypeKind::Subrange(range) => range.base,
                DiTypeKind::Composite(_)
                | DiTypeKind::Derived(_)
                | DiTypeKind::Subroutine(_)
                | DiTypeKind::String(_) => return true,
            };
            match base {
                Some(base) => ty = base,
                None => return false,
            }
        }
        false
    }
}
