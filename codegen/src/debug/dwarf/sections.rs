//! The sections of DWARF as bytes and fields that linkers fill in: what an object file and an assembly text both print.

use gimli::write::{EndianVec, RelocateWriter, Relocation, RelocationTarget};
use gimli::{LittleEndian, SectionId, constants as dw, write};

use crate::ir::SymbolId;

/// A section of debug information.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DwarfSectionId {
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
}

impl DwarfSectionId {
    /// The name of the section.
    pub fn name(self) -> &'static str {
        match self {
            DwarfSectionId::Abbrev => ".debug_abbrev",
            DwarfSectionId::Info => ".debug_info",
            DwarfSectionId::Line => ".debug_line",
            DwarfSectionId::LineStr => ".debug_line_str",
            DwarfSectionId::Loc => ".debug_loc",
            DwarfSectionId::LocLists => ".debug_loclists",
            DwarfSectionId::Ranges => ".debug_ranges",
            DwarfSectionId::RngLists => ".debug_rnglists",
            DwarfSectionId::Str => ".debug_str",
            DwarfSectionId::Aranges => ".debug_aranges",
            DwarfSectionId::Names => ".debug_names",
        }
    }

    /// Does it hold strings, which linkers may merge with those of other objects?
    pub fn holds_strings(self) -> bool {
        matches!(self, DwarfSectionId::Str | DwarfSectionId::LineStr)
    }

    fn of(id: SectionId) -> Option<DwarfSectionId> {
        Some(match id {
            SectionId::DebugAbbrev => DwarfSectionId::Abbrev,
            SectionId::DebugInfo => DwarfSectionId::Info,
            SectionId::DebugLine => DwarfSectionId::Line,
            SectionId::DebugLineStr => DwarfSectionId::LineStr,
            SectionId::DebugLoc => DwarfSectionId::Loc,
            SectionId::DebugLocLists => DwarfSectionId::LocLists,
            SectionId::DebugRanges => DwarfSectionId::Ranges,
            SectionId::DebugRngLists => DwarfSectionId::RngLists,
            SectionId::DebugStr => DwarfSectionId::Str,
            _ => return None,
        })
    }
}

/// What a field of debug information refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DwarfTarget {
    /// The start of another section of debug information: the field is an offset there.
    Debug(DwarfSectionId),
    /// The start of a section of the object, by its number there: the field is an address.
    Section(u32),
    /// A symbol: the field is an address.
    Symbol(SymbolId),
    /// A thread-local variable: the field is its place in its module's block of thread-local data.
    ThreadLocal(SymbolId),
}

/// A field that linkers fill in; its bytes are zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DwarfFixup {
    pub offset: u32,
    pub size: u8,
    pub target: DwarfTarget,
    pub addend: i64,
}

/// A section of debug information.
#[derive(Clone, Debug)]
pub(crate) struct DwarfSection {
    pub id: DwarfSectionId,
    pub bytes: Vec<u8>,
    pub fixups: Vec<DwarfFixup>,
}

/// Writes a section, and lists its fields.
#[derive(Clone)]
pub(super) struct SectionWriter {
    bytes: EndianVec<LittleEndian>,
    fixups: Vec<DwarfFixup>,
}

impl SectionWriter {
    pub fn new() -> SectionWriter {
        SectionWriter { bytes: EndianVec::new(LittleEndian), fixups: Vec::new() }
    }

    /// The finished section; `None` if nothing was written.
    pub fn finish(&mut self, id: DwarfSectionId) -> Option<DwarfSection> {
        let bytes = self.bytes.take();
        (!bytes.is_empty()).then(|| DwarfSection { id, bytes, fixups: std::mem::take(&mut self.fixups) })
    }

    /// Makes all units refer to the only table of lines, at the start of its section.
    pub fn refer_to_one_line_table(&mut self) {
        let to_lines = |fixup: &&mut DwarfFixup| fixup.target == DwarfTarget::Debug(DwarfSectionId::Line);
        self.fixups.iter_mut().filter(to_lines).for_each(|fixup| fixup.addend = 0);
    }

    /// Writes an offset into another section in four bytes.
    pub fn offset_in(&mut self, section: DwarfSectionId, offset: usize) -> write::Result<()> {
        let target = DwarfTarget::Debug(section);
        let at = write::Writer::len(&self.bytes) as u32;
        self.fixups.push(DwarfFixup { offset: at, size: 4, target, addend: offset as i64 });
        write::Writer::write_u32(&mut self.bytes, 0)
    }
}

impl RelocateWriter for SectionWriter {
    type Writer = EndianVec<LittleEndian>;

    fn writer(&self) -> &Self::Writer {
        &self.bytes
    }

    fn writer_mut(&mut self) -> &mut Self::Writer {
        &mut self.bytes
    }

    fn relocate(&mut self, relocation: Relocation) {
        let target = match relocation.target {
            RelocationTarget::Section(id) => DwarfSectionId::of(id).map(DwarfTarget::Debug),
            RelocationTarget::Symbol(number) => Some(target_of(number)),
        };
        let Some(target) = target else { return };
        if let DwarfTarget::ThreadLocal(_) = target {
            // The operand is a number rather than an address.
            let constant = if relocation.size == 8 { dw::DW_OP_const8u } else { dw::DW_OP_const4u };
            let opcode = relocation.offset.wrapping_sub(1);
            debug_assert_eq!(self.bytes.slice().get(opcode), Some(&dw::DW_OP_addr.0));
            // There is an opcode before the operand.
            let _ = write::Writer::write_u8_at(&mut self.bytes, opcode, constant.0);
        }
        let (offset, size, addend) = (relocation.offset as u32, relocation.size, relocation.addend);
        self.fixups.push(DwarfFixup { offset, size, target, addend });
    }
}

/// An address in a section of the object.
pub(super) fn code_address(section: u32, offset: u64) -> write::Address {
    write::Address::Symbol { symbol: (section as usize) << 2, addend: offset as i64 }
}

/// The address of a symbol. As the operand of `DW_OP_addr`, that of a thread-local variable becomes its place in its module's data.
pub(super) fn symbol_address(symbol: SymbolId, thread_local: bool, addend: i64) -> write::Address {
    write::Address::Symbol { symbol: symbol.index() << 2 | if thread_local { 2 } else { 1 }, addend }
}

/// What a number stands for that the two functions above made.
fn target_of(number: usize) -> DwarfTarget {
    match number & 3 {
        0 => DwarfTarget::Section((number >> 2) as u32),
        1 => DwarfTarget::Symbol(SymbolId::new(number >> 2)),
        _ => DwarfTarget::ThreadLocal(SymbolId::new(number >> 2)),
    }
}
