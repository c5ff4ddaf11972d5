//! `.debug_aranges` (DWARF 5, section 6.1.2): which code belongs to which unit.

use super::sections::{CodeAddress, DwarfWriter};
use super::units::Builder;
use crate::debug::sections::DebugSectionId;

impl Builder<'_> {
    /// Writes the table of all units with code, which are at these offsets of `.debug_info`.
    pub fn write_aranges(&self, w: &mut DwarfWriter, starts: impl Iterator<Item = usize>) {
        let size = self.facts.address_bytes;
        for (unit, at) in self.units.iter().zip(starts).filter(|(unit, _)| !unit.code.is_empty()) {
            let start = w.begin_length();
            w.u16(2);
            w.offset_in(DebugSectionId::Info, at);
            w.bytes.extend([size, 0]);
            // Pairs are aligned to their own size, from the start of the unit's part.
            while !(w.len() - start).is_multiple_of(2 * usize::from(size)) {
                w.u8(0);
            }
            for &(section, offset, end) in &unit.code {
                w.address(CodeAddress { section, offset }, size);
                w.number(end - offset, size);
            }
            w.number(0, size);
            w.number(0, size);
            w.end_length(start);
        }
    }
}
