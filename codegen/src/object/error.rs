//! Why an object cannot be written.

use std::fmt;

/// Why an object cannot be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ObjectError {
    /// A symbol is defined twice.
    Redefined {
        /// Its name.
        symbol: String,
    },
    /// An alias whose target is not defined in the module.
    UndefinedAlias {
        /// The alias.
        alias: String,
        /// What it should stand for.
        target: String,
    },
    /// Aliases that stand for each other.
    AliasCycle {
        /// One of them.
        alias: String,
    },
    /// A defined symbol without a definition: the function was never given to the writer.
    Missing {
        /// Its name.
        symbol: String,
    },
    /// Data with contents in a section that has none in the file.
    InitializedBss {
        /// The object.
        symbol: String,
        /// The section it asked for.
        section: String,
    },
    /// A field outside its object.
    FieldOutside {
        /// The object.
        symbol: String,
        /// Offset of the field.
        offset: u64,
    },
    /// Two address fields that share bytes.
    FieldsOverlap {
        /// The object.
        symbol: String,
        /// Offset of the later field.
        offset: u64,
    },
    /// An address field of a width that the machine has no relocation for.
    FieldWidth {
        /// The object.
        symbol: String,
        /// Bytes of the field.
        size: u8,
    },
    /// Tentative data that is initialized, or lies in a section of its own.
    BadCommon {
        /// The object.
        symbol: String,
    },
    /// The code of a function stores the address of one of its labels other than relative to the field.
    LabelAddress {
        /// The function.
        function: String,
    },
    /// The machine has no such relocation.
    Relocation {
        /// Where the field is.
        section: String,
        /// The kind.
        kind: crate::buffer::RelocKind,
    },
    /// The distance of two symbols of which no relocation can tell: neither are they in one section, nor is the base in that
    /// of the field.
    Distance {
        /// The symbol.
        symbol: String,
        /// What it is counted from.
        base: String,
    },
    /// A field of four bytes cannot reach its target in the same section.
    OutOfReach {
        /// Where the field is.
        section: String,
        /// Offset of the field.
        offset: u64,
    },
    /// ELF has no such selection among COMDAT groups.
    ComdatKind {
        /// The group.
        comdat: String,
    },
    /// A COMDAT group in COFF without the symbol of its name, by which linkers pick it.
    ComdatLeader {
        /// The group.
        comdat: String,
    },
    /// A prologue that Windows' unwind tables cannot describe: it is longer than 255 bytes.
    Prologue {
        /// The function.
        function: String,
    },
    /// Landing pads in an object for Microsoft's tools, whose unwinder calls funclets instead.
    LandingPads {
        /// The function.
        function: String,
    },
    /// COFF has no such alignment of sections: they end at 8192 bytes.
    Alignment {
        /// The section.
        section: String,
        /// The alignment in bytes.
        align: u64,
    },
    /// A name that the format cannot hold: it contains a zero byte.
    Name {
        /// The name.
        name: String,
    },
    /// Module-level assembly.
    ModuleAssembly,
    /// A section has 2 GiB or more.
    TooLarge,
    /// The file could not be put together.
    Format(String),
}

impl fmt::Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Redefined { symbol } => write!(f, "symbol `{symbol}` is defined twice"),
            Self::UndefinedAlias { alias, target } => {
                write!(f, "alias `{alias}`: its target `{target}` is not defined in this module")
            }
            Self::AliasCycle { alias } => write!(f, "alias `{alias}` stands for itself"),
            Self::Missing { symbol } => write!(f, "function `{symbol}` is declared as defined here but has no body"),
            Self::InitializedBss { symbol, section } => {
                write!(f, "`{symbol}` is not zero but asks for section `{section}`, which holds zeros only")
            }
            Self::FieldOutside { symbol, offset } => {
                write!(f, "`{symbol}`: the address at offset {offset} lies outside the object")
            }
            Self::FieldsOverlap { symbol, offset } => {
                write!(f, "`{symbol}`: the address at offset {offset} overlaps the one before")
            }
            Self::FieldWidth { symbol, size } => {
                write!(f, "`{symbol}`: no relocation stores an address in {size} bytes")
            }
            Self::BadCommon { symbol } => {
                write!(f, "common symbol `{symbol}` must be zero and without a section, COMDAT or thread-local storage")
            }
            Self::LabelAddress { function } => {
                write!(f, "function `{function}` stores the address of a label that has no symbol")
            }
            Self::Relocation { section, kind } => {
                write!(f, "section `{section}`: the target has no relocation of kind {kind:?}")
            }
            Self::Distance { symbol, base } => {
                write!(
                    f,
                    "no relocation stores the distance from `{base}` to `{symbol}`: they are in different sections"
                )
            }
            Self::OutOfReach { section, offset } => {
                write!(f, "section `{section}`: the field at offset {offset:#x} is too narrow for its value")
            }
            Self::ComdatKind { comdat } => {
                write!(f, "COMDAT `{comdat}`: ELF groups are kept by name only (`any` or `nodeduplicate`)")
            }
            Self::ComdatLeader { comdat } => {
                write!(f, "COMDAT `{comdat}`: no symbol of this name is defined, and COFF selects by symbols")
            }
            Self::Prologue { function } => {
                write!(f, "function `{function}`: its prologue is too long for Windows' unwind tables")
            }
            Self::LandingPads { function } => {
                write!(f, "function `{function}` has landing pads, which Microsoft's unwinder does not know")
            }
            Self::Alignment { section, align } => {
                write!(f, "section `{section}` is aligned to {align} bytes; COFF sections to 8192 at most")
            }
            Self::Name { name } => write!(f, "the name `{}` contains a zero byte", name.escape_default()),
            Self::ModuleAssembly => write!(f, "module-level assembly is not supported yet"),
            Self::TooLarge => write!(f, "a section would have 2 GiB or more"),
            Self::Format(message) => write!(f, "{message}"),
        }
    }
}

impl std::error::Error for ObjectError {}
