//! The sections of debug information as bytes and fields that linkers fill in: what an object file and an assembly text both print.

use crate::ir::SymbolId;

/// A section of debug information.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum DebugSectionId {
    Abbrev,
    Info,
    Line,
    LineStr,
    Loc,
    LocLists,
    Ranges,
    RngLists,
    Str,
    Aranges,
    Names,
    /// Symbols and lines of CodeView, which are kept or dropped with a symbol's section, if one is given.
    CodeViewSymbols(Option<SymbolId>),
    /// Types of CodeView.
    CodeViewTypes,
}

impl DebugSectionId {
    /// The name of the section.
    pub fn name(self) -> &'static str {
        match self {
            DebugSectionId::Abbrev => ".debug_abbrev",
            DebugSectionId::Info => ".debug_info",
            DebugSectionId::Line => ".debug_line",
            DebugSectionId::LineStr => ".debug_line_str",
            DebugSectionId::Loc => ".debug_loc",
            DebugSectionId::LocLists => ".debug_loclists",
            DebugSectionId::Ranges => ".debug_ranges",
            DebugSectionId::RngLists => ".debug_rnglists",
            DebugSectionId::Str => ".debug_str",
            DebugSectionId::Aranges => ".debug_aranges",
            DebugSectionId::Names => ".debug_names",
            DebugSectionId::CodeViewSymbols(_) => ".debug$S",
            DebugSectionId::CodeViewTypes => ".debug$T",
        }
    }

    /// Does it hold strings, which linkers may merge with those of other objects?
    pub fn holds_strings(self) -> bool {
        matches!(self, DebugSectionId::Str | DebugSectionId::LineStr)
    }

    /// Its alignment in bytes.
    pub fn align(self) -> u64 {
        if matches!(self, DebugSectionId::CodeViewSymbols(_) | DebugSectionId::CodeViewTypes) { 4 } else { 1 }
    }
}

/// What a field of debug information refers to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum DebugTarget {
    /// The start of another section of debug information.
    Debug(DebugSectionId),
    /// The start of a section of the object, by its number there.
    Section(u32),
    /// A symbol.
    Symbol(SymbolId),
}

/// What a field of debug information says of what it refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DebugFixupKind {
    /// Its address.
    Address,
    /// Its offset in its section.
    InSection,
    /// The number of its section, in two bytes.
    SectionNumber,
    /// Its distance from the start of the image.
    InImage,
    /// Its place in its module's block of thread-local data.
    ThreadLocal,
}

/// A field that linkers fill in; its bytes are zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DebugFixup {
    pub offset: u32,
    pub size: u8,
    pub target: DebugTarget,
    pub kind: DebugFixupKind,
    pub addend: i64,
}

/// A section of debug information.
#[derive(Clone, Debug)]
pub(crate) struct DebugSection {
    pub id: DebugSectionId,
    pub bytes: Vec<u8>,
    pub fixups: Vec<DebugFixup>,
}
