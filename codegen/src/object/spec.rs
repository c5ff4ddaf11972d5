//! A section's identity: its name, its contents, and what it is kept with.

use std::borrow::Cow;

use object::elf;

use crate::ir::{ComdatId, SymbolId};

/// What a section holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum SectionType {
    /// Bytes.
    Bytes,
    /// Zeros that take no space in the file.
    Zeros,
    /// Notes.
    Note,
    /// Addresses of functions to run at start.
    Init,
    /// Addresses of functions to run at the end.
    Fini,
    /// Addresses of functions to run before all others.
    Preinit,
    /// Unwind tables.
    Unwind,
    /// An index of functions for unwinding.
    Index,
    /// Attributes of the object for linkers.
    Attributes,
    /// Options for the linker (LLVM Extensions, "`.linker-options` Section").
    LinkerOptions,
    /// Where basic blocks are (LLVM Extensions, "`SHT_LLVM_BB_ADDR_MAP` Section").
    BlockMap,
    /// Names of libraries (LLVM Extensions, "`SHT_LLVM_DEPENDENT_LIBRARIES` Section").
    Libraries,
}

/// The group that a section is kept or dropped with, in ELF.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Group {
    /// A COMDAT group of the module.
    Comdat(ComdatId),
    /// The group of the cell with a personality routine's address, of which a program keeps one.
    Cell(SymbolId),
}

/// A section's identity: definitions with equal specs share a section.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SectionSpec {
    pub name: Cow<'static, str>,
    pub ty: SectionType,
    /// `SHF_*`.
    pub flags: u32,
    /// Size of an element of a mergeable section.
    pub entsize: u32,
    pub group: Option<Group>,
    /// COMDAT selection in COFF, where sections are selected one by one.
    pub selection: Option<Selection>,
    /// The symbol with whose section it is kept, in ELF (`SHF_LINK_ORDER`).
    pub linked: Option<SymbolId>,
    /// The symbol whose own section it is, in ELF, if its name does not say it.
    pub alone: Option<SymbolId>,
    /// The number of the part of a function that it holds, among all of the object; 0: it is none's.
    pub part: u32,
}

pub(crate) const A: u32 = elf::SHF_ALLOC;
pub(crate) const AX: u32 = elf::SHF_ALLOC | elf::SHF_EXECINSTR;
pub(crate) const AW: u32 = elf::SHF_ALLOC | elf::SHF_WRITE;
pub(crate) const AWT: u32 = AW | elf::SHF_TLS;
pub(crate) const AM: u32 = A | elf::SHF_MERGE;
pub(crate) const AMS: u32 = AM | elf::SHF_STRINGS;

impl SectionSpec {
    pub const fn new(name: &'static str, ty: SectionType, flags: u32, entsize: u32) -> SectionSpec {
        SectionSpec {
            name: Cow::Borrowed(name),
            ty,
            flags,
            entsize,
            group: None,
            selection: None,
            linked: None,
            alone: None,
            part: 0,
        }
    }

    /// Tells linkers whether the stack must be executable.
    pub const fn gnu_stack(executable: bool) -> SectionSpec {
        let flags = if executable { elf::SHF_EXECINSTR } else { 0 };
        SectionSpec::new(".note.GNU-stack", SectionType::Bytes, flags, 0)
    }

    /// Properties of the object, which linkers combine to those of the program.
    pub const PROPERTY: SectionSpec = SectionSpec::new(".note.gnu.property", SectionType::Note, A, 0);

    /// Unwind tables for debuggers.
    pub const DEBUG_FRAME: SectionSpec = SectionSpec::new(".debug_frame", SectionType::Bytes, 0, 0);

    /// Read-only data.
    pub const RODATA: SectionSpec = SectionSpec::new(".rodata", SectionType::Bytes, A, 0);

    /// May the linker move what is in this section?
    pub fn is_merged(&self) -> bool {
        self.flags & elf::SHF_MERGE != 0
    }
}

/// How linkers pick among COMDAT sections.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Selection {
    /// `IMAGE_COMDAT_SELECT_*`.
    pub kind: u8,
    /// The symbol by whose name it is picked; for an associative section, the symbol whose section it goes with.
    pub key: Key,
}

/// The symbol of a COMDAT section.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Key {
    /// A symbol of the module.
    Symbol(SymbolId),
    /// The cell that holds the address of a symbol.
    Cell(SymbolId),
}
