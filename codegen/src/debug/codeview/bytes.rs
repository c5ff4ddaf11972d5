//! Bytes of records: numbers, names, fields that linkers fill in.

use crate::debug::sections::{DebugFixup, DebugFixupKind, DebugTarget};
use crate::debug::to_zero;

/// The longest record, with its length (`cvinfo.h` allows 64 KiB; LLVM's `MaxRecordLength`).
pub(super) const MAX_RECORD: usize = 0xff00;

/// Kinds of numbers that have more than 15 bits (`cvinfo.h`, "Numeric leaves").
mod numeric {
    pub const FIRST: u64 = 0x8000;
    pub const CHAR: u16 = 0x8000;
    pub const SHORT: u16 = 0x8001;
    pub const USHORT: u16 = 0x8002;
    pub const LONG: u16 = 0x8003;
    pub const ULONG: u16 = 0x8004;
    pub const QUADWORD: u16 = 0x8009;
    pub const UQUADWORD: u16 = 0x800a;
    pub const OCTWORD: u16 = 0x8017;
    pub const UOCTWORD: u16 = 0x8018;
}

/// A number of a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Number {
    Signed(i128),
    Unsigned(u128),
}

/// Bytes under construction.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub(super) struct Bytes(pub Vec<u8>);

impl Bytes {
    pub fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub fn u16(&mut self, value: u16) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// A number in as many bytes as it needs.
    pub fn number(&mut self, value: Number) {
        match value {
            Number::Unsigned(v) => match v as u64 {
                _ if v > u64::MAX.into() => self.wide(numeric::UOCTWORD, &v.to_le_bytes()),
                v @ 0..numeric::FIRST => self.u16(v as u16),
                v @ 0..=0xffff => self.wide(numeric::USHORT, &v.to_le_bytes()[..2]),
                v @ 0..=0xffff_ffff => self.wide(numeric::ULONG, &v.to_le_bytes()[..4]),
                v => self.wide(numeric::UQUADWORD, &v.to_le_bytes()),
            },
            Number::Signed(v) => match i64::try_from(v) {
                Err(_) => self.wide(numeric::OCTWORD, &v.to_le_bytes()),
                Ok(v) if (0..numeric::FIRST as i64).contains(&v) => self.u16(v as u16),
                Ok(v) if i8::try_from(v).is_ok() => self.wide(numeric::CHAR, &v.to_le_bytes()[..1]),
                Ok(v) if i16::try_from(v).is_ok() => self.wide(numeric::SHORT, &v.to_le_bytes()[..2]),
                Ok(v) if i32::try_from(v).is_ok() => self.wide(numeric::LONG, &v.to_le_bytes()[..4]),
                Ok(v) => self.wide(numeric::QUADWORD, &v.to_le_bytes()),
            },
        }
    }

    fn wide(&mut self, kind: u16, bytes: &[u8]) {
        self.u16(kind);
        self.0.extend_from_slice(bytes);
    }

    /// A size or an offset.
    pub fn size(&mut self, value: u64) {
        self.number(Number::Unsigned(value.into()));
    }

    /// A name, of which at most `most` bytes are kept, and the zero after it.
    pub fn name(&mut self, name: &[u8], most: usize) {
        self.0.extend_from_slice(&name[..name.len().min(most)]);
        self.0.push(0);
    }
}

/// A section under construction, or a part of one.
#[derive(Clone, Default, Debug)]
pub(super) struct Output {
    pub bytes: Bytes,
    pub fixups: Vec<DebugFixup>,
}

/// The most bytes of a name in a symbol: what is before it always takes less than the rest (LLVM,
/// `emitNullTerminatedSymbolName`).
const MAX_SYMBOL_NAME: usize = MAX_RECORD - 0xf00 - 1;

impl Output {
    pub fn len(&self) -> usize {
        self.bytes.0.len()
    }

    /// Appends another part.
    pub fn append(&mut self, part: Output) {
        let at = self.len() as u32;
        self.bytes.0.extend(part.bytes.0);
        self.fixups.extend(part.fixups.into_iter().map(|fixup| DebugFixup { offset: fixup.offset + at, ..fixup }));
    }

    /// A field of four or two bytes.
    fn fixup(&mut self, target: DebugTarget, kind: DebugFixupKind, addend: i64) {
        let size = if kind == DebugFixupKind::SectionNumber { 2 } else { 4 };
        self.fixups.push(DebugFixup { offset: self.len() as u32, size, target, kind, addend });
        self.bytes.0.extend_from_slice(&[0; 4][..size.into()]);
    }

    /// A place: its offset in its section, and the number of that.
    pub fn place(&mut self, target: DebugTarget, offset: i64) {
        self.fixup(target, DebugFixupKind::InSection, offset);
        self.fixup(target, DebugFixupKind::SectionNumber, 0);
    }

    /// An address, counted from the start of the image.
    pub fn in_image(&mut self, target: DebugTarget) {
        self.fixup(target, DebugFixupKind::InImage, 0);
    }

    pub fn align(&mut self) {
        let len = self.len().next_multiple_of(4);
        self.bytes.0.resize(len, 0);
    }

    /// Writes a part of the section that has a kind and a length.
    pub fn subsection(&mut self, kind: u32, contents: Output) {
        self.bytes.u32(kind);
        self.bytes.u32(contents.len() as u32);
        self.append(contents);
        self.align();
    }

    /// Writes a symbol. LLVM pads symbols, too, so that linkers can copy them as they are.
    pub fn symbol(&mut self, kind: u16, contents: impl FnOnce(&mut Output)) {
        let start = self.len();
        self.bytes.u16(0);
        self.bytes.u16(kind);
        contents(self);
        self.align();
        let len = (self.len() - start - 2) as u16;
        self.bytes.0[start..start + 2].copy_from_slice(&len.to_le_bytes());
    }

    /// The name of a symbol, which comes last.
    pub fn name(&mut self, name: &[u8]) {
        self.bytes.name(to_zero(name), MAX_SYMBOL_NAME);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_as_few_bytes_as_they_need() {
        let of = |value| {
            let mut bytes = Bytes::default();
            bytes.number(value);
            bytes.0
        };
        assert_eq!(of(Number::Unsigned(0x7fff)), [0xff, 0x7f]);
        assert_eq!(of(Number::Unsigned(0x8000)), [2, 0x80, 0, 0x80]);
        assert_eq!(of(Number::Unsigned(0x1_0000)), [4, 0x80, 0, 0, 1, 0]);
        assert_eq!(of(Number::Signed(5)), [5, 0]);
        assert_eq!(of(Number::Signed(-1)), [0, 0x80, 0xff]);
        assert_eq!(of(Number::Signed(-129)), [1, 0x80, 0x7f, 0xff]);
        assert_eq!(of(Number::Signed(0x8000)), [3, 0x80, 0, 0x80, 0, 0]);
        assert_eq!(of(Number::Unsigned(1 << 64)).len(), 18);
    }
}
