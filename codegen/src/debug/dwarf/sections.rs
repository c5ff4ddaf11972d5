//! Sections of DWARF while they are written.

use gimli::write::{EndianVec, RelocateWriter, Relocation, RelocationTarget};
use gimli::{LittleEndian, SectionId, constants as dw, write};

use crate::debug::sections::{DebugFixup, DebugFixupKind, DebugSection, DebugSectionId, DebugTarget};
use crate::ir::SymbolId;

/// Writes a section, and lists its fields.
#[derive(Clone)]
pub(super) struct SectionWriter {
    bytes: EndianVec<LittleEndian>,
    fixups: Vec<DebugFixup>,
}

impl SectionWriter {
    pub fn new() -> SectionWriter {
        SectionWriter { bytes: EndianVec::new(LittleEndian), fixups: Vec::new() }
    }

    /// The finished section; `None` if nothing was written.
    pub fn finish(&mut self, id: DebugSectionId) -> Option<DebugSection> {
        let bytes = self.bytes.take();
        (!bytes.is_empty()).then(|| DebugSection { id, bytes, fixups: std::mem::take(&mut self.fixups) })
    }

    /// Makes all units refer to the only table of lines, at the start of its section.
    pub fn refer_to_one_line_table(&mut self) {
        let to_lines = |fixup: &&mut DebugFixup| fixup.target == DebugTarget::Debug(DebugSectionId::Line);
        self.fixups.iter_mut().filter(to_lines).for_each(|fixup| fixup.addend = 0);
    }

    /// Writes an offset into another section in four bytes.
    pub fn offset_in(&mut self, section: DebugSectionId, offset: usize) -> write::Result<()> {
        let (target, kind) = (DebugTarget::Debug(section), DebugFixupKind::InSection);
        let at = write::Writer::len(&self.bytes) as u32;
        self.fixups.push(DebugFixup { offset: at, size: 4, target, kind, addend: offset as i64 });
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
            RelocationTarget::Section(id) => {
                section_of(id).map(|id| (DebugTarget::Debug(id), DebugFixupKind::InSection))
            }
            RelocationTarget::Symbol(number) => Some(target_of(number)),
        };
        let Some((target, kind)) = target else { return };
        if kind == DebugFixupKind::ThreadLocal {
            // The operand is a number rather than an address.
            let constant = if relocation.size == 8 { dw::DW_OP_const8u } else { dw::DW_OP_const4u };
            let opcode = relocation.offset.wrapping_sub(1);
            debug_assert_eq!(self.bytes.slice().get(opcode), Some(&dw::DW_OP_addr.0));
            // There is an opcode before the operand.
            let _ = write::Writer::write_u8_at(&mut self.bytes, opcode, constant.0);
        }
        let (offset, size, addend) = (relocation.offset as u32, relocation.size, relocation.addend);
        self.fixups.push(DebugFixup { offset, size, target, kind, addend });
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
fn target_of(number: usize) -> (DebugTarget, DebugFixupKind) {
    let node = number >> 2;
    match number & 3 {
        0 => (DebugTarget::Section(node as u32), DebugFixupKind::Address),
        1 => (DebugTarget::Symbol(SymbolId::new(node)), DebugFixupKind::Address),
        _ => (DebugTarget::Symbol(SymbolId::new(node)), DebugFixupKind::ThreadLocal),
    }
}

fn section_of(id: SectionId) -> Option<DebugSectionId> {
    Some(match id {
        SectionId::DebugAbbrev => DebugSectionId::Abbrev,
        SectionId::DebugInfo => DebugSectionId::Info,
        SectionId::DebugLine => DebugSectionId::Line,
        SectionId::DebugLineStr => DebugSectionId::LineStr,
        SectionId::DebugLoc => DebugSectionId::Loc,
        SectionId::DebugLocLists => DebugSectionId::LocLists,
        SectionId::DebugRanges => DebugSectionId::Ranges,
        SectionId::DebugRngLists => DebugSectionId::RngLists,
        SectionId::DebugStr => DebugSectionId::Str,
        _ => return None,
    })
}
