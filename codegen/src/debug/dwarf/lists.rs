//! Location lists and range lists (DWARF 5, sections 2.6.2, 2.17.3, 7.7.3 and 7.25; DWARF 4, sections 2.6.2 and 2.17.3).
//!
//! In DWARF 5 entries name location lists by numbers, and a table has the offset of each: linkers have nothing to fill in. Range lists have
//! no numbers, since GNU's addr2line (2.40) finds no inlined calls by these.

use foldhash::fast::FixedState;
use foldhash::{HashMap, HashMapExt};
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Range;

use gimli::constants as dw;

use super::entries::Value;
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
    /// Where each list begins.
    starts: Vec<u32>,
    /// Lists by the hash of their bytes and fields: their numbers and lengths.
    known: HashMap<u64, (u32, usize)>,
}

impl Lists {
    pub fn new(kind: ListKind, facts: DwarfFacts) -> Lists {
        let DwarfFacts { version, address_bytes, endian, .. } = facts;
        let (out, starts, known) = (DwarfWriter::new(endian), Vec::new(), HashMap::new());
        Lists { kind, version, address_bytes, out, starts, known }
    }

    /// Begins a list. Returns where it is.
    pub fn begin(&self) -> usize {
        self.out.len()
    }

    /// Ends the list that was begun at `start`. Returns the value of attributes that refer to it, or to the same one before it.
    pub fn end(&mut self, start: usize) -> Value {
        let number = self.number(start);
        match self.kind {
            ListKind::Locations if self.has_table() => Value::LocationsNumber(number),
            ListKind::Locations => Value::Locations(self.starts[number as usize]),
            ListKind::Ranges => Value::Ranges(self.starts[number as usize]),
        }
    }

    /// Do entries name lists by numbers, for which a table has the offsets?
    fn has_table(&self) -> bool {
        self.kind == ListKind::Locations && self.version >= 5
    }

    /// The number of the list that was begun at `start`, or of the same one before it.
    fn number(&mut self, start: usize) -> u32 {
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
        let new = self.starts.len() as u32;
        let (number, known) = *self.known.entry(hasher.finish()).or_insert((new, len));
        if number != new && known == len && self.out.same(self.starts[number as usize] as usize, start, len) {
            self.out.truncate(start);
            return number;
        }
        self.starts.push(start as u32);
        new
    }

    /// The attribute that says where the unit's table of lists is, and its value, if entries need it.
    pub fn base_attribute(&self) -> Option<(dw::DwAt, Value)> {
        let is_named = self.has_table() && !self.starts.is_empty();
        is_named.then_some((dw::DW_AT_loclists_base, Value::Locations(0)))
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

    /// Appends the lists to their section. Returns where they begin there, with their table if they have one.
    pub fn finish(&self, section: &mut DwarfWriter) -> usize {
        if self.out.len() == 0 {
            return section.len();
        }
        let length = (self.version >= 5).then(|| section.begin_length());
        if length.is_some() {
            section.u16(self.version);
            // No selector of a segment.
            section.bytes.extend([self.address_bytes, 0]);
            section.u32(if self.has_table() { self.starts.len() as u32 } else { 0 });
        }
        let start = section.len();
        if self.has_table() {
            let table = 4 * self.starts.len() as u32;
            self.starts.iter().for_each(|start| section.u32(table + start));
        }
        section.append(&self.out);
        if let Some(length) = length {
            section.end_length(length);
        }
        start
    }
}

#[cfg(test)]
mod tests {
    use gusset_abi::Endian;

    use super::*;

    #[test]
    fn equal_lists_are_there_once() {
        let facts = DwarfFacts {
            version: 5,
            address_bytes: 8,
            endian: Endian::Little,
            frame_by_cfa: true,
            thread_local: None,
            aranges: false,
            lines_by_assembler: false,
        };
        let mut lists = Lists::new(ListKind::Locations, facts);
        let mut list = |section: u32, end: u64| {
            let start = lists.begin();
            lists.base(CodeAddress { section, offset: 0 });
            lists.offsets(3, end);
            lists.end(start)
        };
        let all = [list(1, 5), list(2, 5), list(1, 6), list(1, 5), list(2, 5)];
        assert_eq!(all, [0, 1, 2, 0, 1].map(Value::LocationsNumber));
        let mut section = DwarfWriter::default();
        assert_eq!(lists.finish(&mut section), 12);
        assert_eq!((section.len(), section.bytes[0], section.fixups.len()), (12 + 12 + 39, 8 + 12 + 39, 3));
        assert_eq!(section.bytes[8..24], [3, 0, 0, 0, 12, 0, 0, 0, 25, 0, 0, 0, 38, 0, 0, 0]);
    }
}
