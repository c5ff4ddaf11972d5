//! Descriptions of instructions: a word with zeros in place of operands, and a template of the text. Fields of the
//! template, in braces, say which bits belong to operands, where registers are and, on ARM, what an instruction
//! changes.
//!
//! A field begins with `=` if the instruction changes the register, with `~` if it does so when it loads, with `-` if
//! the field is not written. A letter says what it is, as the list of each family explains; `.` is the name, which
//! otherwise comes first. After it comes a register's position by its letter, or where its bits are: `16:4+0:12` for
//! four bits from bit 16 on above twelve from bit 0 on; four bits if no number is given; `_6` for six zeros; `*4` for
//! units of four. After a slash comes the position in a second instruction set, if it differs.

/// The words of a shape, with their names.
pub(crate) struct Names<W: 'static> {
    pub template: &'static str,
    /// Bits of operands, in each instruction set.
    pub operands: [u32; 2],
    /// Words with zeros in place of operands.
    pub names: &'static [(W, &'static str)],
}

impl<W> Names<W> {
    pub(crate) const fn new(letters: &Letters, template: &'static str, names: &'static [(W, &'static str)]) -> Self {
        Names { template, operands: [letters.operands(template, 0), letters.operands(template, 1)], names }
    }
}

/// The bits of fields by their letters: by the kind in each instruction set, and by the position.
pub(crate) struct Letters {
    pub kinds: &'static [(u8, [u32; 2])],
    pub places: &'static [(u8, u32)],
}

impl Letters {
    /// The bits of a template's fields in an instruction set.
    pub(crate) const fn operands(&self, template: &str, set: usize) -> u32 {
        let (text, mut at, mut mask) = (template.as_bytes(), 0, 0);
        while at < text.len() {
            if text[at] == b'{' {
                mask |= self.of(Field::parse(text, at + 1, set));
            }
            at += 1;
        }
        mask
    }

    const fn of(&self, field: Field) -> u32 {
        let (mut mask, mut k) = (0, 0);
        while k < self.kinds.len() {
            if self.kinds[k].0 == field.kind {
                mask |= self.kinds[k].1[field.set];
            }
            k += 1;
        }
        k = 0;
        while k < self.places.len() {
            if self.places[k].0 == field.place {
                mask |= self.places[k].1;
            }
            k += 1;
        }
        k = 0;
        while k < field.ranges.len() {
            let (from, len) = field.ranges[k];
            if from != ZEROS {
                mask |= ((1 << len) - 1) << from;
            }
            k += 1;
        }
        mask
    }
}

/// Where the registers of a template begin, if all its fields are registers.
pub(crate) const fn places<const N: usize>(template: &str, set: usize) -> [u8; N] {
    let (text, mut at, mut places, mut k) = (template.as_bytes(), 0, [0; N], 0);
    while at < text.len() {
        if text[at] == b'{' {
            places[k] = Field::parse(text, at + 1, set).ranges[0].0 as u8;
            k += 1;
        }
        at += 1;
    }
    places
}

/// The fields of a template.
pub(crate) fn fields(template: &str, set: usize) -> impl Iterator<Item = Field> {
    template.split(['{', '}']).skip(1).step_by(2).map(move |piece| Field::parse(piece.as_bytes(), 0, set))
}

/// The text of a name and a template, with fields written by a function; `None` if it cannot.
pub(crate) fn text(name: &str, template: &str, mut field: impl FnMut(&str) -> Option<String>) -> Option<String> {
    let mut text = String::new();
    let name = if template.contains("{.}") { "" } else { name };
    for (k, piece) in name.split(['{', '}']).enumerate().chain(template.split(['{', '}']).enumerate()) {
        match k % 2 {
            0 => text.push_str(piece),
            _ => text.push_str(&field(piece)?),
        }
    }
    Some(text)
}

/// A range that stands for zeros.
const ZEROS: u32 = 32;

pub(crate) struct Field {
    /// How it is changed.
    pub sign: u8,
    pub kind: u8,
    pub place: u8,
    /// The lowest bit and the number of bits, from the highest range on.
    ranges: [(u32, u32); 5],
    pub unit: u32,
    /// The instruction set.
    pub set: usize,
}

impl Field {
    pub(crate) const fn parse(text: &[u8], mut at: usize, set: usize) -> Field {
        let signed = matches!(text[at], b'=' | b'~' | b'-');
        let sign = if signed { text[at] } else { b' ' };
        at += signed as usize + 1;
        let mut field = Field { sign, kind: text[at - 1], place: b' ', ranges: [(0, 0); 5], unit: 1, set };
        let mut k = 0;
        while at < text.len() && !matches!(text[at], b'}' | b' ') {
            let c = text[at];
            if c.is_ascii_lowercase() {
                field.place = c;
                at += 1;
                continue;
            }
            let (n, end) = number(text, if c.is_ascii_digit() { at } else { at + 1 });
            at = end;
            match c {
                b':' => field.ranges[k].1 = n,
                b'_' => field.ranges[k] = (ZEROS, n),
                b'*' => field.unit = n,
                b'/' if set == 0 => break,
                b'/' => {
                    field.ranges = [(n, 4), (0, 0), (0, 0), (0, 0), (0, 0)];
                    k = 0;
                }
                b'+' => {
                    k += 1;
                    field.ranges[k] = (n, 4);
                }
                _ => field.ranges[k] = (n, 4),
            }
        }
        field
    }

    /// The number in it.
    pub fn value(&self, word: u32) -> u32 {
        let bits =
            |n: u32, &(from, len): &(u32, u32)| n << len | word.checked_shr(from).unwrap_or(0) & ((1 << len) - 1);
        self.ranges.iter().fold(0, bits)
    }

    /// The same with a sign, in units.
    pub fn distance(&self, word: u32) -> i32 {
        let unused = 32 - self.ranges.iter().map(|(_, len)| len).sum::<u32>();
        ((self.value(word) << unused) as i32 >> unused) * self.unit as i32
    }

    /// The choice among the words after it; a dash is empty.
    pub fn choice<'a>(&self, piece: &'a str, word: u32) -> Option<&'a str> {
        Some(piece.split(' ').nth(self.value(word) as usize + 1)?.trim_start_matches('-'))
    }
}

/// The number at a position, and its end.
const fn number(text: &[u8], mut at: usize) -> (u32, usize) {
    let mut n = 0;
    while at < text.len() && text[at].is_ascii_digit() {
        n = 10 * n + (text[at] - b'0') as u32;
        at += 1;
    }
    (n, at)
}

pub(crate) const CONDITIONS: [&str; 16] =
    ["eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"];
pub(crate) const SHIFTS: [&str; 4] = ["lsl", "lsr", "asr", "ror"];

/// The floating-point number that eight bits encode: a sign, three bits of exponent, four of fraction.
pub(crate) fn float_number(n: u32) -> String {
    let exponent = ((n >> 4 & 7) ^ 4) as i32 - 3;
    let value = (1.0 + f64::from(n & 15) / 16.0) * 2f64.powi(exponent);
    format!("#{}{value:?}", if n >> 7 != 0 { "-" } else { "" })
}

/// Expands each of eight bits to a byte.
pub(crate) fn spread(n: u32) -> u64 {
    (0..8).fold(0, |x, k| x | (u64::from(n >> k & 1) * 0xff) << (8 * k))
}
