//! `.debug_aranges` (DWARF 5, section 6.1.2): which code belongs to which unit.

use gimli::write::{self, DebugInfoOffsets, Writer};

use super::sections::{SectionWriter, code_address};
use super::units::Builder;
use crate::debug::sections::DebugSectionId;

impl Builder<'_> {
    /// Writes the table of all units with code.
    pub fn write_aranges(&self, w: &mut SectionWriter, info: &DebugInfoOffsets) -> write::Result<()> {
        let size = self.facts.address_bytes;
        for unit in self.units.iter().filter(|unit| !unit.code.is_empty()) {
            let start = w.len();
            w.write_u32(0)?;
            w.write_u16(2)?;
            w.offset_in(DebugSectionId::Info, info.unit(unit.id).0)?;
            w.write(&[size, 0])?;
            // Pairs are aligned to their own size, from the start of the unit's part.
            while !(w.len() - start).is_multiple_of(2 * usize::from(size)) {
                w.write_u8(0)?;
            }
            for &(section, from, to) in &unit.code {
                w.write_address(code_address(section, from), size)?;
                w.write_udata(to - from, size)?;
            }
            w.write_udata(0, size)?;
            w.write_udata(0, size)?;
            let length = w.len() - start - 4;
            w.write_u32_at(start, length as u32)?;
        }
        Ok(())
    }
}
