//! Opcodes with their prefixes.

use crate::x86::reg::{Gpr, Rm, Size};

/// An opcode with its prefixes and escape bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Op {
    /// Escape bytes and opcode, with the first byte lowest.
    pub(super) code: u32,
    /// Mandatory prefix or operand size prefix, then `lock`, with the first byte lowest.
    pub(super) prefix: u16,
    /// Bytes of `code`.
    pub(super) len: u8,
    pub(super) flags: u8,
}

impl Op {
    /// REX.W, in its position in the REX prefix.
    pub(super) const W: u8 = 0x08;
    /// A REX prefix even if empty: byte registers 4 to 7 are `spl bpl sil dil` only with one.
    pub(super) const REX: u8 = 0x40;
    /// The linker may relax a GOT load in this instruction.
    pub(super) const RELAX: u8 = 0x01;
    /// One byte of `prefix` is used; twice this: two bytes.
    pub(super) const PREFIX: u8 = 0x10;

    /// A one-byte opcode.
    pub(crate) const fn one(opcode: u8) -> Self {
        Self { code: opcode as u32, prefix: 0, len: 1, flags: 0 }
    }

    /// An opcode of two bytes.
    pub(crate) const fn pair(first: u8, second: u8) -> Self {
        Self { code: first as u32 | (second as u32) << 8, prefix: 0, len: 2, flags: 0 }
    }

    /// An opcode of the map 0F.
    pub(crate) const fn two(prefix: u8, opcode: u8) -> Self {
        Self::pair(0x0f, opcode).prefixed(prefix)
    }

    /// An opcode of the map 0F 38 or 0F 3A.
    pub(crate) const fn three(prefix: u8, map: u8, opcode: u8) -> Self {
        let code = 0x0f | (map as u32) << 8 | (opcode as u32) << 16;
        Self { code, prefix: 0, len: 3, flags: 0 }.prefixed(prefix)
    }

    /// With one more prefix; zero: none.
    #[inline]
    pub(crate) const fn prefixed(self, prefix: u8) -> Self {
        if prefix == 0 {
            return self;
        }
        let shift = ((self.flags / Self::PREFIX) & 3) * 8;
        Self { prefix: self.prefix | (prefix as u16) << shift, flags: self.flags + Self::PREFIX, ..self }
    }

    /// With REX.W.
    pub(crate) const fn wide(self) -> Self {
        Self { flags: self.flags | Self::W, ..self }
    }

    /// With the prefix or REX.W for the operand size; no difference between one and four bytes.
    #[inline]
    pub(crate) fn sized(self, size: Size) -> Self {
        match size {
            Size::B1 | Size::B4 => self,
            Size::B2 => self.prefixed(0x66),
            Size::B8 => self.wide(),
        }
    }

    /// The same for an opcode with its own mandatory prefix, which comes last.
    #[inline]
    pub(crate) fn sized_first(self, size: Size) -> Self {
        match size {
            Size::B1 | Size::B4 => self,
            Size::B2 => Self { prefix: self.prefix << 8 | 0x66, flags: self.flags + Self::PREFIX, ..self },
            Size::B8 => self.wide(),
        }
    }

    /// For opcodes in pairs: an even one for bytes, which this is, and an odd one for all other sizes.
    #[inline]
    pub(crate) fn paired(self, size: Size) -> Self {
        self.plus((size != Size::B1) as u8).sized(size)
    }

    /// With a number in the lowest bits of its last byte, which are clear.
    #[inline]
    pub(crate) const fn plus(self, n: u8) -> Self {
        Self { code: self.code | (n as u32) << (8 * self.len - 8), ..self }
    }

    /// With an empty REX prefix if a byte register needs one.
    #[inline]
    pub(crate) fn byte_reg(self, size: Size, reg: Gpr) -> Self {
        if size == Size::B1 && reg.0 >= 4 { Self { flags: self.flags | Self::REX, ..self } } else { self }
    }

    /// The same for an operand that may be memory.
    #[inline]
    pub(crate) fn byte_rm(self, size: Size, rm: Rm<Gpr>) -> Self {
        if let Rm::Reg(r) = rm { self.byte_reg(size, r) } else { self }
    }

    /// With a `lock` prefix.
    #[inline]
    pub(crate) fn locked(self) -> Self {
        self.prefixed(0xf0)
    }

    /// Marked as an instruction in which the linker may relax a GOT load, if the operand size is four or eight bytes
    /// (psABI x86-64, section "Optimize GOTPCRELX relocations").
    #[inline]
    pub(crate) fn relaxable(self, size: Size) -> Self {
        if size >= Size::B4 { Self { flags: self.flags | Self::RELAX, ..self } } else { self }
    }

    /// Whether REX.W is set.
    pub(crate) const fn is_wide(self) -> bool {
        self.flags & Self::W != 0
    }

    /// The mandatory prefix as VEX writes it, and the last byte of an opcode in the map 0F 38.
    pub(crate) fn vex_fields(self) -> (u8, u8) {
        let prefix = match self.prefix {
            0x66 => 1,
            0xf3 => 2,
            0xf2 => 3,
            _ => 0,
        };
        (prefix, (self.code >> 16) as u8)
    }
}
