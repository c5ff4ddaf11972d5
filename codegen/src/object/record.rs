//! The parts of an object until it is written: sections with their fields, and where symbols are.

use super::spec::{SectionSpec, SectionType};
use crate::buffer::RelocKind;
use crate::ir::SymbolId;
use crate::libcall::LibCall;
use crate::sparse::SparseBytes;

/// The largest section: displacements would not reach farther.
pub(crate) const MAX_SECTION: u64 = i32::MAX as u64;

/// A section under construction.
pub(crate) struct Section {
    pub spec: SectionSpec,
    pub align: u64,
    pub bytes: SparseBytes,
    /// Length of a section without bytes in the file.
    pub zeros: u64,
    pub fixups: Vec<Fixup>,
    /// For a section of code: whether its end is data.
    pub goes_on: Option<bool>,
}

impl Section {
    pub fn size(&self) -> u64 {
        if self.spec.ty == SectionType::Zeros { self.zeros } else { self.bytes.len() }
    }
}

/// What a relocated field refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FixupTarget {
    Symbol(SymbolId),
    LibCall(LibCall),
    /// A constant of the code, by its number in the object.
    Constant(u32),
    Section(u32),
    /// The entry of a symbol in the import table (COFF).
    Imported(SymbolId),
    /// The cell that holds the address of a symbol (COFF) or of a personality routine (ELF).
    Cell(SymbolId),
}

/// A field to be relocated, by the linker or here. Contents of sections are smaller than 2 GiB.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixup {
    pub offset: u32,
    pub addend: i64,
    pub target: FixupTarget,
    pub kind: RelocKind,
    /// It is in data rather than in an instruction.
    pub in_data: bool,
}

/// A field that holds the distance of its target from another symbol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distance {
    pub section: u32,
    pub fixup: Fixup,
    pub base: SymbolId,
}

/// Where a symbol is defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SymbolPlace {
    Nowhere,
    At {
        section: u32,
        offset: u64,
    },
    /// Tentative: the linker places it.
    Common {
        align: u64,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Definition {
    pub place: SymbolPlace,
    pub size: u64,
    /// The symbol that an alias finally stands for; the symbol itself if it is no alias.
    pub base: SymbolId,
}

/// Where code or data begins in a section of code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub section: u32,
    pub offset: u64,
    pub data: bool,
}

/// The place of a constant of the code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedConstant {
    pub section: u32,
    pub offset: u64,
}

/// A handler that 32-bit Windows may call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SafeHandler {
    /// The symbol of a funclet, or of similar code, by its number.
    Own(usize),
    Symbol(SymbolId),
}
