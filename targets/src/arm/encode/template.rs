//! Templates on ARM: words, and the letters of fields. A32 is the first instruction set, T32 the second.

use crate::shared::arm::template::{self, Field, Letters};

/// An instruction in A32, where a condition is added if the highest four bits are zero, and in T32.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Words {
    pub a32: u32,
    pub t32: u32,
}

/// Stands for an instruction that a set does not have.
pub(crate) const NONE: u32 = !0;

impl Words {
    /// Instructions of coprocessors, including VFP's, only differ in their highest bits.
    pub(crate) const fn coprocessor(a32: u32) -> Words {
        let t32 = if a32 >> 28 == 15 { a32 } else { a32 | 0xe000_0000 };
        Words { a32, t32 }
    }

    /// Is it the word, apart from these bits?
    fn fits(self, word: u32, operands: u32, t32: bool) -> bool {
        let own = if t32 { self.t32 } else { self.a32 };
        let condition = if !t32 && own >> 28 == 0 && word >> 28 != 15 { 15 << 28 } else { 0 };
        own != NONE && (own ^ word) & !(operands | condition) == 0
    }
}

/// The words of a shape, with their names.
pub(crate) type Names = template::Names<Words>;

impl Names {
    /// The names of a word, and the template.
    pub fn find(&self, word: u32, t32: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
        let operands = self.operands[usize::from(t32)];
        let names = self.names.iter().filter(move |(words, _)| words.fits(word, operands, t32));
        names.map(|(_, name)| (*name, self.template))
    }
}

/// The letters of fields with bits of their own; others are explained where they are written.
pub(crate) const LETTERS: Letters = Letters {
    kinds: &[
        // Registers of 32 or 64 bits, of 64 or 128 bits, and lists of the former.
        (b'f', [1 << 8; 2]),
        (b'G', [1 << 8; 2]),
        (b'v', [1 << 6; 2]),
        (b'u', [1 << 21; 2]),
        // A base that may change.
        (b'b', [1 << 21; 2]),
        // The last operand of data processing.
        (b'o', [0x0200_0fff, 0x1e00_70ff]),
        // Addresses: for words and bytes, for other sizes, for floating-point registers.
        (b'A', [0x03af_0fff, 0x008f_0fff]),
        (b'H', [0x01ef_0f0f, 0x008f_0fff]),
        (b'F', [0x008f_00ff; 2]),
        // Amounts of shifts, and patterns of bits, in vectors.
        (b'<', [0x003f_0080; 2]),
        (b'>', [0x003f_0080; 2]),
        (b'P', [0x0107_0f2f; 2]),
    ],
    places: &[(b'd', 0x0040_f000), (b'n', 0x000f_0080), (b'm', 0x2f)],
};

impl Field {
    /// Does the instruction change it?
    pub(crate) fn is_written(&self, word: u32) -> bool {
        let load = match word >> 24 {
            0xf4 => 21,
            0 if self.set == 1 => 11,
            _ => 20,
        };
        self.sign == b'=' || self.sign == b'~' && word >> load & 1 != 0
    }

    /// The vector registers of the field: the letter of their size, the number of the first one, and how many there
    /// are.
    pub(crate) fn vectors(&self, word: u32) -> (char, u32, u32) {
        let bit = |n: u32| word >> n & 1;
        let (number, high) = match self.place {
            b'd' => (word >> 12 & 15, bit(22)),
            b'n' => (word >> 16 & 15, bit(7)),
            _ => (word & 15, bit(5)),
        };
        let size = match self.kind {
            b'f' | b'G' => ['s', 'd'][bit(8) as usize],
            b'v' => ['d', 'q'][bit(6) as usize],
            b'u' => ['d', 'q'][bit(21) as usize],
            b'e' => 's',
            b'R' => 'd',
            letter => letter.into(),
        };
        let first = match size {
            's' => number << 1 | high,
            'd' => high << 4 | number,
            _ => (high << 4 | number) >> 1,
        };
        let count = match self.kind {
            b'G' => self.value(word) >> bit(8),
            b'R' => self.value(word) + 1,
            b'e' => 2,
            _ => 1,
        };
        (size, first, count)
    }
}
