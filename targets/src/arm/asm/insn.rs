//! An instruction on its way to text: fields, registers and names.

use std::fmt::Display;

use super::super::encode::neon::as_a32;
use super::super::encode::ops::{Names, Words};

pub(super) const CONDITIONS: [&str; 15] =
    ["eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", ""];
pub(super) const SHIFTS: [&str; 4] = ["lsl", "lsr", "asr", "ror"];

/// An instruction, its condition, and the expression that stands for a relocated field or a place in the code.
pub(super) struct Insn {
    pub(super) word: u32,
    pub(super) len: u32,
    pub(super) t32: bool,
    pub(super) condition: u32,
    pub(super) expression: Option<String>,
}

impl Insn {
    pub(super) fn bits(&self, from: u32, count: u32) -> u32 {
        self.word >> from & ((1 << count) - 1)
    }

    pub(super) fn bit(&self, from: u32) -> bool {
        self.bits(from, 1) != 0
    }

    /// The register in a field, which begins at one bit in A32 and at another in T32.
    pub(super) fn r(&self, a32: u32, t32: u32) -> &'static str {
        register(self.bits(if self.t32 { t32 } else { a32 }, 4))
    }

    /// A register of a size, `s`, `d` or `q`, at one of the places `d`, `n` and `m`.
    pub(super) fn v(&self, size: char, place: char) -> String {
        let (four, one) = match place {
            'd' => (12, 22),
            'n' => (16, 7),
            _ => (0, 5),
        };
        let (number, bit) = (self.bits(four, 4), self.bits(one, 1));
        let number = match size {
            's' => number << 1 | bit,
            'd' => bit << 4 | number,
            _ => (bit << 4 | number) >> 1,
        };
        format!("{size}{number}")
    }

    /// A form with its fields, which stand in braces: a general-purpose register as `r` and the place of its lowest bit; one of
    /// floating point by its size and place, the size as `f` if bit 8 and as `v` if bit 6 tells it; `f` alone for the width of that; a
    /// number of four bits as `i`.
    pub(super) fn form(&self, form: &str) -> String {
        let mut text = String::new();
        for (k, piece) in form.split(['{', '}']).enumerate() {
            if k % 2 == 0 {
                text.push_str(piece);
                continue;
            }
            let (kind, rest) = piece.split_at(1);
            let at: u32 = rest.parse().unwrap_or(0);
            let place = rest.chars().next().unwrap_or(' ');
            text += &match kind {
                "r" => register(self.bits(at, 4)).to_string(),
                "f" if rest.is_empty() => (32 << self.bits(8, 1)).to_string(),
                "f" => self.v(if self.bit(8) { 'd' } else { 's' }, place),
                "v" => self.v(if self.bit(6) { 'q' } else { 'd' }, place),
                "i" => self.bits(at, 4).to_string(),
                size => self.v(size.chars().next().unwrap_or('d'), place),
            };
        }
        text
    }

    /// A name with its condition, which is in front of types, and operands.
    pub(super) fn line(&self, name: &str, operands: impl Display) -> String {
        let (stem, rest) = name.split_at(name.find('.').unwrap_or(name.len()));
        format!("{stem}{}{rest}\t{operands}", CONDITIONS[self.condition as usize])
    }

    pub(super) fn number(&self, n: impl Display) -> String {
        self.expression.clone().unwrap_or_else(|| format!("#{n}"))
    }

    /// The entry of a table with the instruction, if it is there.
    pub(super) fn name(&self, table: &Names) -> Option<&'static str> {
        let places = table.places[usize::from(self.t32)];
        let fields = places.iter().fold(0, |fields, place| fields | 15 << place);
        let operands = table.operands.get(usize::from(self.t32)).or(table.operands.first());
        // One number for both: the instruction is as A32 has it.
        let same = !self.t32 || table.operands.len() == 1;
        let word = if self.t32 && same { as_a32(self.word) } else { self.word };
        let word = word & !(fields | operands.unwrap_or(&0));
        let is = |words: &Words| match words.a32 >> 28 {
            _ if !same => words.t32 == word,
            0 => word >> 28 != 15 && words.a32 == word & 0x0fff_ffff,
            _ => words.a32 == word,
        };
        table.names.iter().find(|(words, _)| is(words)).map(|(_, name)| *name)
    }

    /// An address with a displacement, as the bits before and back say.
    pub(super) fn address(&self, (before, back, up): (bool, bool, bool), size: u32) -> String {
        let (n, minus) = (self.r(16, 16), if up { "" } else { "-" });
        match (before, back) {
            _ if self.expression.is_some() => self.number(0),
            (true, false) => format!("[{n}, #{minus}{size}]"),
            (true, true) => format!("[{n}, #{minus}{size}]!"),
            (false, _) => format!("[{n}], #{minus}{size}"),
        }
    }
}

pub(super) fn register(n: u32) -> &'static str {
    const NAMES: [&str; 16] =
        ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc"];
    NAMES[n as usize & 15]
}

/// The list of a set of registers.
pub(super) fn list(set: u32) -> String {
    let names: Vec<&str> = (0..16).filter(|n| set >> n & 1 != 0).map(register).collect();
    format!("{{{}}}", names.join(", "))
}
