//! How instructions are described: a word with zeros where operands go, and a template of the text behind its name. In braces the
//! template has fields; the bits that these take, the places of registers, the text and what an instruction changes all follow.
//!
//! A field begins with `=` if the instruction changes the register, with `~` if it does so when it loads, with `-` if text has it not.
//! A letter says what it is: the list is in [`Field::own`] and in the printer. Behind it is a vector register's place, `d`, `n` or
//! `m`, or where its bits are: `16:4+0:12` for four bits from bit 16 on above twelve from bit 0 on, four if it says no number, `_6` for
//! six zeros, `*4` if units are of four. What is elsewhere in T32 follows behind a slash.

/// An instruction in A32, where a condition is to be added if the highest four bits are zero, and in T32.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Words {
    pub a32: u32,
    pub t32: u32,
}

/// What stands for an instruction that a set does not have.
pub(crate) const NONE: u32 = !0;

impl Words {
    /// Instructions of coprocessors, VFP's among them, differ in their highest bits only.
    pub(crate) const fn coprocessor(a32: u32) -> Words {
        let t32 = if a32 >> 28 == 15 { a32 } else { a32 | 0xe000_0000 };
        Words { a32, t32 }
    }

    /// Is it the word but for these bits?
    fn fits(self, word: u32, operands: u32, t32: bool) -> bool {
        let own = if t32 { self.t32 } else { self.a32 };
        let condition = if !t32 && own >> 28 == 0 && word >> 28 != 15 { 15 << 28 } else { 0 };
        own != NONE && (own ^ word) & !(operands | condition) == 0
    }
}

/// The words of a shape, with their names.
pub(crate) struct Names {
    /// The text behind the name.
    pub template: &'static str,
    /// Bits of operands, in A32 and in T32.
    pub operands: [u32; 2],
    /// Words with zeros there.
    pub names: &'static [(Words, &'static str)],
}

impl Names {
    pub(crate) const fn new(template: &'static str, names: &'static [(Words, &'static str)]) -> Names {
        Names { template, operands: [operands(template, false), operands(template, true)], names }
    }

    /// The names of a word, and the template.
    pub fn find(&self, word: u32, t32: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
        let operands = self.operands[usize::from(t32)];
        let names = self.names.iter().filter(move |(words, _)| words.fits(word, operands, t32));
        names.map(|(_, name)| (*name, self.template))
    }
}

/// The bits of a template's fields.
pub(crate) const fn operands(template: &str, t32: bool) -> u32 {
    let (text, mut at, mut mask) = (template.as_bytes(), 0, 0);
    while at < text.len() {
        if text[at] == b'{' {
            mask |= Field::parse(text, at + 1, t32).operands(t32);
        }
        at += 1;
    }
    mask
}

/// Where the general-purpose registers of a template begin.
pub(crate) const fn places<const N: usize>(template: &str, t32: bool) -> [u8; N] {
    let (text, mut at, mut places, mut k) = (template.as_bytes(), 0, [0; N], 0);
    while at < text.len() {
        if text[at] == b'{' {
            places[k] = Field::parse(text, at + 1, t32).ranges[0].0 as u8;
            k += 1;
        }
        at += 1;
    }
    places
}

/// The fields of a template.
pub(crate) fn fields(template: &str, t32: bool) -> impl Iterator<Item = Field> {
    template.split(['{', '}']).skip(1).step_by(2).map(move |piece| Field::parse(piece.as_bytes(), 0, t32))
}

/// A range that stands for zeros.
const ZEROS: u32 = 32;

pub(crate) struct Field {
    /// How it is changed.
    sign: u8,
    pub kind: u8,
    /// The place of a vector register.
    pub place: u8,
    /// The lowest bit and the number of bits, from the highest range on.
    ranges: [(u32, u32); 5],
    pub unit: u32,
}

impl Field {
    pub(crate) const fn parse(text: &[u8], mut at: usize, t32: bool) -> Field {
        let sign = text[at];
        let signed = matches!(sign, b'=' | b'~' | b'-');
        at += signed as usize;
        let mut field =
            Field { sign: if signed { sign } else { b' ' }, kind: text[at], place: b' ', ranges: [(0, 0); 5], unit: 1 };
        at += 1;
        let mut k = 0;
        while at < text.len() && !matches!(text[at], b'}' | b' ') {
            let c = text[at];
            if c.is_ascii_digit() {
                let (from, end) = number(text, at);
                field.ranges[k] = (from, 4);
                at = end;
                continue;
            }
            at += 1;
            let (n, end) = number(text, at);
            if !c.is_ascii_lowercase() {
                at = end;
            }
            match c {
                b':' => field.ranges[k].1 = n,
                b'_' => field.ranges[k] = (ZEROS, n),
                b'*' => field.unit = n,
                b'/' if !t32 => break,
                b'/' => {
                    field.ranges = [(n, 4), (0, 0), (0, 0), (0, 0), (0, 0)];
                    k = 0;
                }
                b'+' => {
                    k += 1;
                    field.ranges[k] = (n, 4);
                }
                place => field.place = place,
            }
        }
        field
    }

    /// Its bits.
    const fn operands(&self, t32: bool) -> u32 {
        let (mut mask, mut k) = (self.own(t32), 0);
        while k < self.ranges.len() {
            let (from, len) = self.ranges[k];
            if from != ZEROS {
                mask |= ((1 << len) - 1) << from;
            }
            k += 1;
        }
        mask | match self.place {
            b'd' => 0x0040_f000,
            b'n' => 0x000f_0080,
            b'm' => 0x2f,
            _ => 0,
        }
    }

    /// The bits that it has by its kind.
    const fn own(&self, t32: bool) -> u32 {
        match (self.kind, t32) {
            // Registers of 32 or 64 bits, of 64 or 128 bits, and lists of the former.
            (b'f' | b'G', _) => 1 << 8,
            (b'v', _) => 1 << 6,
            (b'u', _) => 1 << 21,
            // A base that may change.
            (b'b', _) => 1 << 21,
            // The last operand of data processing.
            (b'o', false) => 0x0200_0fff,
            (b'o', true) => 0x1e00_70ff,
            // Addresses: of words and bytes, of others, of floating-point registers.
            (b'A' | b'H', true) => 0x008f_0fff,
            (b'A', _) => 0x03af_0fff,
            (b'H', _) => 0x01ef_0f0f,
            (b'F', _) => 0x008f_00ff,
            // Amounts of shifts, and patterns of bits, in vectors.
            (b'<' | b'>', _) => 0x003f_0080,
            (b'P', _) => 0x0107_0f2f,
            _ => 0,
        }
    }

    /// The number in it.
    pub fn value(&self, word: u32) -> u32 {
        let bits =
            |n: u32, &(from, len): &(u32, u32)| n << len | word.checked_shr(from).unwrap_or(0) & ((1 << len) - 1);
        self.ranges.iter().fold(0, bits)
    }

    /// How many bits it has.
    pub fn len(&self) -> u32 {
        self.ranges.iter().map(|(_, len)| len).sum()
    }

    /// Is the register left out of text, for it is named already?
    pub fn is_hidden(&self) -> bool {
        self.sign == b'-'
    }

    /// Does the instruction change it?
    pub fn is_written(&self, word: u32, t32: bool) -> bool {
        let load = match word >> 24 {
            0xf4 => 21,
            0 if t32 => 11,
            _ => 20,
        };
        self.sign == b'=' || self.sign == b'~' && word >> load & 1 != 0
    }

    /// The vector registers that it is: the letter of their size, the first one's number, and how many they are.
    pub fn vectors(&self, word: u32) -> (char, u32, u32) {
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

/// The number at a place, and its end.
const fn number(text: &[u8], mut at: usize) -> (u32, usize) {
    let mut n = 0;
    while at < text.len() && text[at].is_ascii_digit() {
        n = 10 * n + (text[at] - b'0') as u32;
        at += 1;
    }
    (n, at)
}
