//! Bytes of DWARF while they are written: sections, and the lists and expressions that go into them.

use gimli::leb128::write as leb128;
use gusset_abi::Endian;

use crate::debug::sections::{DebugFixup, DebugFixupKind, DebugSection, DebugSectionId, DebugTarget};

/// Bytes, and the fields of them that linkers fill in.
#[derive(Clone, Default)]
pub(super) struct DwarfWriter {
    pub bytes: Vec<u8>,
    /// In the order of their offsets.
    pub fixups: Vec<DebugFixup>,
    /// The order of the bytes of numbers, for writers of numbers that have one.
    endian: Endian,
}

/// An address in a section of the object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CodeAddress {
    pub section: u32,
    pub offset: u64,
}

impl DwarfWriter {
    /// A writer of numbers with their bytes in this order.
    pub fn new(endian: Endian) -> DwarfWriter {
        DwarfWriter { endian, ..DwarfWriter::default() }
    }

    /// How many bytes there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    #[inline]
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub fn u16(&mut self, value: u16) {
        self.bytes.extend_from_slice(&self.endian.u16(value));
    }

    #[inline]
    pub fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&self.endian.u32(value));
    }

    /// Writes a number in `size` bytes, at most 8.
    pub fn number(&mut self, value: u64, size: u8) {
        let from = self.bytes.len();
        self.bytes.extend_from_slice(&value.to_le_bytes()[..usize::from(size)]);
        self.endian.order(&mut self.bytes[from..]);
    }

    #[inline]
    pub fn uleb128(&mut self, value: u64) {
        if value < 0x80 {
            self.bytes.push(value as u8);
        } else {
            self.long_uleb128(value);
        }
    }

    /// Writes a number of several bytes: all at once, which is quicker than byte by byte.
    fn long_uleb128(&mut self, value: u64) {
        let (mut bytes, mut len, mut rest) = ([0; 10], 0, value);
        while rest >= 0x80 {
            bytes[len] = rest as u8 | 0x80;
            (len, rest) = (len + 1, rest >> 7);
        }
        bytes[len] = rest as u8;
        self.bytes.extend_from_slice(&bytes[..=len]);
    }

    #[inline]
    pub fn sleb128(&mut self, value: i64) {
        if (-0x40..0x40).contains(&value) {
            self.bytes.push(value as u8 & 0x7f);
        } else {
            // Writing to memory does not fail.
            let _ = leb128::signed(&mut self.bytes, value);
        }
    }

    /// Writes a field of `size` bytes that linkers fill in.
    #[inline]
    pub fn fixup(&mut self, size: u8, target: DebugTarget, kind: DebugFixupKind, addend: i64) {
        self.fixups.push(DebugFixup { offset: self.bytes.len() as u32, size, target, kind, addend });
        self.number(0, size);
    }

    /// Writes an address in `size` bytes.
    pub fn address(&mut self, address: CodeAddress, size: u8) {
        self.fixup(size, DebugTarget::Section(address.section), DebugFixupKind::Address, address.offset as i64);
    }

    /// Writes an offset into another section in four bytes.
    #[inline]
    pub fn offset_in(&mut self, section: DebugSectionId, offset: usize) {
        self.fixup(4, DebugTarget::Debug(section), DebugFixupKind::InSection, offset as i64);
    }

    /// Makes a field of four bytes that was written before hold an offset into a section.
    pub fn refer(&mut self, at: usize, section: DebugSectionId, offset: usize) {
        let (target, kind) = (DebugTarget::Debug(section), DebugFixupKind::InSection);
        self.fixups.push(DebugFixup { offset: at as u32, size: 4, target, kind, addend: offset as i64 });
    }

    /// Makes a field of four bytes that was written before hold another number.
    pub fn set_u32(&mut self, at: usize, value: u32) {
        self.bytes[at..at + 4].copy_from_slice(&self.endian.u32(value));
    }

    /// Begins something with its length before it, in four bytes. Returns where that is.
    pub fn begin_length(&mut self) -> usize {
        self.u32(0);
        self.len() - 4
    }

    /// Ends what was begun at `at`.
    pub fn end_length(&mut self, at: usize) {
        self.set_u32(at, (self.len() - at - 4) as u32);
    }

    /// Appends what another writer has.
    pub fn append(&mut self, other: &DwarfWriter) {
        self.append_part(other, 0, other.len());
    }

    /// Appends the bytes from `start` to `end` of another writer.
    pub fn append_part(&mut self, other: &DwarfWriter, start: usize, end: usize) {
        let base = self.len();
        self.bytes.extend_from_slice(&other.bytes[start..end]);
        if other.fixups.is_empty() {
            return;
        }
        let first = other.fixups.partition_point(|fixup| (fixup.offset as usize) < start);
        let here = other.fixups[first..].iter().take_while(|fixup| (fixup.offset as usize) < end);
        self.fixups
            .extend(here.map(|fixup| DebugFixup { offset: (fixup.offset as usize - start + base) as u32, ..*fixup }));
    }

    /// Forgets all from an offset on.
    pub fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len);
        let kept = self.fixups.partition_point(|fixup| (fixup.offset as usize) < len);
        self.fixups.truncate(kept);
    }

    /// Are the bytes and fields of two parts of the same length the same?
    pub fn same(&self, a: usize, b: usize, len: usize) -> bool {
        let fields = |start: usize| {
            let first = self.fixups.partition_point(|fixup| (fixup.offset as usize) < start);
            let here = self.fixups[first..].iter().take_while(move |fixup| (fixup.offset as usize) < start + len);
            here.map(move |fixup| DebugFixup { offset: fixup.offset - start as u32, ..*fixup })
        };
        self.bytes[a..a + len] == self.bytes[b..b + len] && fields(a).eq(fields(b))
    }

    /// The finished section; `None` if nothing was written.
    pub fn finish(self, id: DebugSectionId) -> Option<DebugSection> {
        (!self.bytes.is_empty()).then_some(DebugSection { id, bytes: self.bytes, fixups: self.fixups })
    }
}
