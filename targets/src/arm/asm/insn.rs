//! The text of an instruction, made from its template.

use std::fmt::Display;

use gusset_abi::features::SystemRegister;

use super::super::encode::custom::{CUSTOM, is_custom};
use super::super::encode::neon::{ROWS, amount, as_a32};
use super::super::encode::ops::{KINDS, candidates};
use crate::shared::arm::template::{CONDITIONS, Field, SHIFTS, fields, float_number, spread, text};

/// How far from the program counter a branch goes.
pub(super) fn distance(word: u32, t32: bool) -> Option<i32> {
    candidates(word, t32).find_map(|(_, template)| {
        let condition = fields(template, t32.into()).find(|f| f.kind == b'C').map_or(0, |f| f.value(word));
        let to = fields(template, t32.into()).find(|f| matches!(f.kind, b'@' | b'&') && condition < 14)?;
        // In far branches, two bits are combined with the sign.
        let far = if to.kind == b'&' && word >> 26 & 1 == 0 { 1 << 13 | 1 << 11 } else { 0 };
        Some(to.distance(word ^ far))
    })
}

/// An instruction, its condition, and the expression for a relocated field or a place in the code.
pub(super) struct Insn {
    word: u32,
    t32: bool,
    /// It is an instruction of the processor's maker.
    custom: bool,
    condition: u32,
    pub(super) expression: Option<String>,
}

impl Insn {
    pub(super) fn new(word: u32, (t32, custom): (bool, u8), condition: u32, expression: Option<String>) -> Insn {
        let custom = t32 && is_custom(word, custom);
        let (word, t32) = if custom { (word, t32) } else { as_a32(word, t32) };
        Insn { word, t32, custom, condition, expression }
    }

    fn bits(&self, from: u32, count: u32) -> u32 {
        self.word >> from & ((1 << count) - 1)
    }

    fn bit(&self, from: u32) -> bool {
        self.bits(from, 1) != 0
    }

    /// Uses the first template that fits the instruction and its operands.
    pub(super) fn text(&self) -> Option<String> {
        if self.custom {
            let mut all = CUSTOM.iter().flat_map(|names| names.find(self.word, true));
            return all.find_map(|(name, template)| self.line(name, template));
        }
        candidates(self.word, self.t32).find_map(|(name, template)| self.line(name, template)).or_else(|| self.vector())
    }

    /// The text of an instruction in the table of vectors.
    fn vector(&self) -> Option<String> {
        let (row, (unsigned, lane)) = ROWS.iter().find_map(|row| Some((row, row.matches(self.word)?)))?;
        let (form, bits) = (row.op.form, 8 << lane);
        let mut name = row.name.replace('*', if unsigned { "u" } else { "s" });
        if let Some(twice) = form.width() {
            name += &(bits << u32::from(twice)).to_string();
        }
        self.line(&name, form.template())
    }

    /// A name and a template, with the condition, which comes before types. `None` if a field has an invalid value.
    fn line(&self, name: &str, template: &str) -> Option<String> {
        let line = text(name, template, |piece| self.field(name, piece))?;
        let (stem, rest) = line.split_at(line.find(['.', '\t'])?);
        Some(format!("{stem}{}{rest}", condition(self.condition).unwrap_or("")))
    }

    /// The text of a field, by its letter.
    fn field(&self, name: &str, piece: &str) -> Option<String> {
        let field = Field::parse(piece.as_bytes(), 0, self.t32.into());
        let n = field.value(self.word);
        let wide = |holds: bool| if self.t32 && holds { ".w".into() } else { String::new() };
        let by = amount(self.word);
        Some(match field.kind {
            _ if field.sign == b'-' => String::new(),
            // General-purpose registers: one; the second of a pair, which in A32 is the next one; a base; a list.
            b'r' => register(n).into(),
            b'p' => register(n + u32::from(!self.t32)).into(),
            b'q' if field.place == b' ' => register(n + 1).into(),
            b'.' => name.into(),
            b'Y' => KINDS.get((n + u32::from(self.t32)) as usize)?.to_string(),
            b'b' => format!("{}{}", register(n), if self.bit(21) { "!" } else { "" }),
            b'L' => {
                let names: Vec<&str> = (0..16).filter(|k| n >> k & 1 != 0).map(register).collect();
                format!("{{{}}}", names.join(", "))
            }
            // The base changes if it is not loaded.
            // Numbers: as they are; plus one; perhaps relocated; shift amounts, where 0 is 32 or none.
            b'i' => (n * field.unit).to_string(),
            b'j' => (n + 1).to_string(),
            b'#' => self.number(n),
            b'a' => if n == 0 { 32 } else { n }.to_string(),
            b'l' if n == 0 => String::new(),
            b'l' => format!(", lsl #{n}"),
            // A part of the name, places in the code, a condition that may fail.
            b'?' => field.choice(piece, self.word)?.into(),
            b'@' | b'&' => self.expression.as_deref().unwrap_or(".").into(),
            b'C' => condition(n)?.into(),
            // A letter for each one bit above the lowest.
            b'T' => {
                let letter = |k: u32| if (n >> (3 - k) ^ self.bits(4, 1)) & 1 == 0 { 't' } else { 'e' };
                (0..3u32.checked_sub(n.trailing_zeros())?).map(letter).collect()
            }
            // Short instructions set the flags, except under a condition.
            b'S' => if self.condition == 14 { "s" } else { "" }.into(),
            // Coprocessors; other numbers belong to floating point.
            b'X' => (!(10..12).contains(&n)).then(|| n.to_string())?,
            // Fields of the status register, those of the flags by names that microcontrollers have, too; registers of
            // microcontrollers.
            b'z' => match n {
                4 => "apsr_g".into(),
                8 => "apsr_nzcvq".into(),
                12 => "apsr_nzcvqg".into(),
                _ => format!("cpsr_{}", letters(n)),
            },
            b'Z' => letters(n),
            b'K' => SystemRegister::special_name(n, if name == "msr" { self.bits(10, 2) } else { 2 })?,
            // Numbers that could also be encoded in another form.
            b'w' => wide(self.word >> 27 == 0x1e && matches!(name, "add" | "sub" | "mov")),
            // For a literal, the short form would be possible, too.
            b'W' => wide(self.bits(16, 4) == 15),
            b'o' => self.operand()?,
            b'A' | b'H' | b'F' => self.address(field.kind)?,
            b'n' => float_number(n),
            b'P' => self.pattern()?.0.into(),
            b'Q' => self.pattern()?.1,
            // Shifts of lanes, to the left and to the right.
            b'<' => format!("#{}", by - (1 << by.ilog2())),
            b'>' => format!("#{}", (2 << by.ilog2()) - by),
            b'f' if field.place == b' ' => (32 << self.bits(8, 1)).to_string(),
            // Vector registers; in braces if their number says how many they are.
            kind => {
                let (size, first, count) = field.vectors(self.word);
                let names: Vec<String> = (first..first + count).map(|n| format!("{size}{n}")).collect();
                if kind.is_ascii_uppercase() { format!("{{{}}}", names.join(", ")) } else { names.join(", ") }
            }
        })
    }

    fn number(&self, n: impl Display) -> String {
        self.expression.clone().unwrap_or_else(|| format!("#{n}"))
    }

    /// The number in data processing.
    fn modified(&self) -> u32 {
        let byte = self.bits(0, 8);
        if !self.t32 {
            return byte.rotate_right(2 * self.bits(8, 4));
        }
        let how = self.bits(26, 1) << 4 | self.bits(12, 3) << 1 | byte >> 7;
        match how >> 1 {
            0 => byte,
            1 => byte | byte << 16,
            2 => byte << 8 | byte << 24,
            3 => byte * 0x0101_0101,
            _ => (byte | 0x80).rotate_right(how),
        }
    }

    /// The last operand of data processing.
    fn operand(&self) -> Option<String> {
        let m = register(self.bits(0, 4));
        let (number, right) = match self.t32 {
            true => (self.word >> 27 == 0x1e, if self.bit(28) { !self.bit(25) } else { self.word >> 25 == 0x75 }),
            false => (self.bit(25), self.bit(25) || !(self.bit(4) && self.bit(7))),
        };
        let (kind, by) = match self.t32 {
            true => (self.bits(4, 2), self.bits(12, 3) << 2 | self.bits(6, 2)),
            false => (self.bits(5, 2), self.bits(7, 5)),
        };
        let shift = SHIFTS[kind as usize];
        right.then(|| match (by, kind) {
            _ if number => self.number(self.modified()),
            _ if !self.t32 && self.bit(4) => format!("{m}, {shift} {}", register(self.bits(8, 4))),
            (0, 0) => m.to_string(),
            (0, 3) => format!("{m}, rrx"),
            (by, _) => format!("{m}, {shift} #{}", if by == 0 { 32 } else { by }),
        })
    }

    /// An address; an expression replaces it as a whole.
    fn address(&self, kind: u8) -> Option<String> {
        let n = register(self.bits(16, 4));
        let minus = |up: bool| if up { "" } else { "-" };
        let index = |up: bool, by: u32| {
            let shift = if by == 0 { String::new() } else { format!(", lsl #{by}") };
            Some(format!("[{n}, {}{}{shift}]", minus(up), register(self.bits(0, 4))))
        };
        let bit = |n: u32| self.bit(n);
        // Does the displacement count before the access, does the base change, is the displacement added?
        let ((before, back, up), disp) = match (kind, self.t32) {
            (b'F', _) => ((true, false, bit(23)), 4 * self.bits(0, 8)),
            (b'H', false) if !bit(22) => return index(bit(23), 0),
            (b'H', false) => ((bit(24), bit(21), bit(23)), self.bits(8, 4) << 4 | self.bits(0, 4)),
            (_, false) if bit(25) => return index(bit(23), self.bits(7, 5)),
            (_, false) => ((bit(24), bit(21), bit(23)), self.bits(0, 12)),
            _ if bit(23) || n == "pc" => ((true, false, bit(23)), self.bits(0, 12)),
            _ if self.bits(6, 6) == 0 => return index(true, self.bits(4, 2)),
            _ if bit(11) => ((bit(10), bit(8), bit(9)), self.bits(0, 8)),
            _ => return None,
        };
        let minus = minus(up);
        Some(match (&self.expression, before, back) {
            (Some(e), ..) => e.clone(),
            (_, true, false) => format!("[{n}, #{minus}{disp}]"),
            (_, true, true) => format!("[{n}, #{minus}{disp}]!"),
            (_, false, _) => format!("[{n}], #{minus}{disp}"),
        })
    }

    /// A number in all lanes, with the name.
    fn pattern(&self) -> Option<(&'static str, String)> {
        let n = self.bits(24, 1) << 7 | self.bits(16, 3) << 4 | self.bits(0, 4);
        let (mode, not) = (self.bits(8, 4), self.bit(5));
        let (names, number) = match (mode, not) {
            (14, false) => (["vmov.i8"; 2], n.into()),
            (14, true) => (["vmov.i64"; 2], spread(n)),
            (15, false) => return Some(("vmov.f32", float_number(n))),
            (8 | 10, _) => (["vmov.i16", "vmvn.i16"], u64::from(n) << (4 * (mode - 8))),
            (0 | 2 | 4 | 6, _) => (["vmov.i32", "vmvn.i32"], u64::from(n) << (4 * mode)),
            (12 | 13, _) => (["vmov.i32", "vmvn.i32"], ((u64::from(n) + 1) << (8 * (mode - 11))) - 1),
            _ => return None,
        };
        Some((names[usize::from(not)], format!("#{number:#x}")))
    }
}

fn register(n: u32) -> &'static str {
    const NAMES: [&str; 16] =
        ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc"];
    NAMES[n as usize & 15]
}

/// The name of a condition that may fail.
fn condition(n: u32) -> Option<&'static str> {
    CONDITIONS.get(n as usize).copied().filter(|_| n < 14)
}

/// The letters of the fields of a status register.
fn letters(fields: u32) -> String {
    "cxsf".chars().enumerate().filter(|(k, _)| fields >> k & 1 != 0).map(|(_, c)| c).collect()
}
