//! Location lists and range lists (DWARF 5, sections 2.6.2, 2.17.3, 7.7.3 and 7.25; DWARF 4, sections 2.6.2 and 2.17.3).

use foldhash::fast::FixedState;
use foldhash::{HashMap, HashMapExt};
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Range;

use gimli::constants as dw;

use super::input::DwarfFacts;
use super::sections::{CodeAddress, DwarfWriter};
use crate::debug::sections::DebugSectionId;

/// What the lists are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ListKind {
    Locations,
    Ranges,
}

impl ListKind {
    /// The section that has the lists.
    pub fn section(self, version: u16) -> DebugSectionId {
        match (self, version >= 5) {
            (ListKind::Locations, true) => DebugSectionId::LocLists,
            (ListKind::Locations, false) => DebugSectionId::Loc,
            (ListKind::Ranges, true) => DebugSectionId::RngLists,
            (ListKind::Ranges, false) => DebugSectionId::Ranges,
        }
    }
}

/// The places of a variable by stretches of code, which do not overlap.
#[derive(Default)]
pub(super) struct Stretches {
    pub list: Vec<Stretch>,
    /// The expressions.
    pub places: DwarfWriter,
}

/// The place of a variable through a stretch of code: the part of [`Stretches::places`] between two offsets.
pub(super) struct Stretch {
    pub code: Range<u32>,
    pub start: usize,
    pub end: usize,
}

impl Stretches {
    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        self.list.clear();
        self.places.truncate(0);
    }

    /// Adds a stretch of code through which the place is what was written from `start` on. It continues the one before if that is the
    /// same.
    pub fn add(&mut self, code: Range<u32>, start: usize) {
        let end = self.places.len();
        match self.list.last_mut() {
            Some(last)
                if last.code.end == code.start
                    && last.end - last.start == end - start
                    && self.places.same(last.start, start, end - start) =>
            {
                last.code.end = code.end;
                self.places.truncate(start);
            }
            _ => self.list.push(Stretch { code, start, end }),
        }
    }
}

/// The lists of a unit, each once, as they are in their section.
pub(super) struct Lists {
    kind: ListKind,
    version: u16,
    address_bytes: u8,
    out: DwarfWriter,
    /// Lists by the hash of their bytes and fields: where they are, and their length.
    known: HashMap<u64, (usize, usize)>,
}

impl Lists {
    pub fn new(kind: ListKind, facts: DwarfFacts) -> Lists {
        let DwarfFacts { version, address_bytes, .. } = facts;
        Lists { kind, version, address_bytes, out: DwarfWriter::default(), known: HashMap::new() }
    }

    /// Begins a list. Returns where it is.
    pub fn begin(&self) -> usize {
        self.out.len()
    }

    /// Ends the list that was begun at `start`. Returns where it is, or the same one before it.
    pub fn end(&mut self, start: usize) -> u32 {
        match self.version >= 5 {
            // `DW_LLE_end_of_list` has the same number.
            true => self.out.u8(dw::DW_RLE_end_of_list.0),
            false => (0..2).for_each(|_| self.out.number(0, self.address_bytes)),
        }
        let len = self.out.len() - start;
        let mut hasher = FixedState::default().build_hasher();
        hasher.write(&self.out.bytes[start..]);
        let fixups = self.out.fixups.iter().rev().take_while(|fixup| fixup.offset as usize >= start);
        fixups.for_each(|fixup| (fixup.target, fixup.addend).hash(&mut hasher));
        let known = *self.known.entry(hasher.finish()).or_insert((start, len));
        if known.0 != start && known.1 == len && self.out.same(known.0, start, len) {
            self.out.truncate(start);
            return known.0 as u32;
        }
        start as u32
    }

    fn code(&mut self, locations: dw::DwLle, ranges: dw::DwRle) {
        self.out.u8(if self.kind == ListKind::Locations { locations.0 } else { ranges.0 });
    }

    /// Says what the offsets that follow count from.
    pub fn base(&mut self, base: CodeAddress) {
        match self.version >= 5 {
            true => self.code(dw::DW_LLE_base_address, dw::DW_RLE_base_address),
            false => self.out.number(u64::MAX, self.address_bytes),
        }
        self.out.address(base, self.address_bytes);
    }

    /// Adds the code between two offsets.
    #[inline]
    pub fn offsets(&mut self, begin: u64, end: u64) {
        if self.version >= 5 {
            self.code(dw::DW_LLE_offset_pair, dw::DW_RLE_offset_pair);
            self.out.uleb128(begin);
            self.out.uleb128(end);
        } else {
            self.out.number(begin, self.address_bytes);
            self.out.number(end, self.address_bytes);
        }
    }

    /// Adds the code of a length at an address.
    pub fn stretch(&mut self, begin: CodeAddress, length: u64) {
        if self.version >= 5 {
            self.code(dw::DW_LLE_start_length, dw::DW_RLE_start_length);
            self.out.address(begin, self.address_bytes);
            self.out.uleb128(length);
        } else {
            self.out.address(begin, self.address_bytes);
            self.out.address(CodeAddress { offset: begin.offset + length, ..begin }, self.address_bytes);
        }
    }

    /// Says where a variable is in the code that was added last: by the bytes from `start` to `end` of what is in `places`.
    #[inline]
    pub fn expression(&mut self, places: &DwarfWriter, start: usize, end: usize) {
        match self.version >= 5 {
            true => self.out.uleb128((end - start) as u64),
            false => self.out.u16((end - start) as u16),
        }
        self.out.append_part(places, start, end);
    }

    /// Appends the lists to their section. Returns where they begin there.
    pub fn finish(&self, section: &mut DwarfWriter) -> usize {
        if self.out.len() == 0 {
            return section.len();
        }
        let length = (self.version >= 5).then(|| section.begin_length());
        if length.is_some() {
            section.u16(self.version);
            // No selector of a segment, and no table of offsets.
            section.bytes.extend([self.address_bytes, 0, 0, 0, 0, 0]);
        }
        let start = section.len();
        section.append(&self.out);
        if let Some(length) = length {
            section.end_length(length);
        }
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lists_are_there_once() {
        let facts = DwarfFacts {
            version: 5,
            address_bytes: 8,
            frame_by_cfa: true,
            thread_local: None,
            aranges: false,
            lines_by_assembler: false,
        };
        let mut lists = Lists::new(ListKind::Ranges, facts);
        let mut list = |section: u32, end: u64| {
            let start = lists.begin();
            lists.base(CodeAddress { section, offset: 0 });
            lists.offsets(3, end);
            lists.end(start)
        };
        assert_eq!([list(1, 5), list(2, 5), list(1, 6), list(1, 5), list(2, 5)], [0, 13, 26, 0, 13]);
        let mut section = DwarfWriter::default();
        assert_eq!(lists.finish(&mut section), 12);
        assert_eq!((section.len(), section.bytes[0], section.fixups.len()), (12 + 39, 8 + 39, 3));
    }
}
