//! A64 instructions as text, in the syntax that GNU's and LLVM's assemblers share.
//!
//! Instructions are looked up in the encoder's tables and written by their templates. A word that is in none of the
//! tables is written as data.

use std::fmt::Write;

use gusset_codegen::asm::{Decoded, Disassembler, Operands};
use gusset_codegen::buffer::RelocKind;

use super::encode::ops::*;
use super::reloc;
use crate::shared::arm::template::{CONDITIONS, Field, SHIFTS, fields, float_number, spread, text};

/// Prints instructions as assemblers read them.
pub struct Printer;

impl Disassembler for Printer {
    fn decode(&mut self, code: &[u8], out: &mut Vec<Decoded>) {
        let words = code.chunks(4).enumerate();
        out.extend(words.map(|(k, bytes)| {
            let target = bytes.first_chunk().and_then(|b| distance(u32::from_le_bytes(*b)));
            Decoded { len: bytes.len() as u32, target: target.map(|d| 4 * k as i64 + d) }
        }));
    }

    fn print(&mut self, code: &[u8], offset: u32, _len: u32, operands: Operands<'_>, out: &mut String) {
        let at = offset as usize;
        let Some(bytes) = code[at..].first_chunk() else {
            let bytes: Vec<String> = code[at..].iter().map(|b| format!("{b:#04x}")).collect();
            out.push_str(".byte\t");
            return out.push_str(&bytes.join(", "));
        };
        let word = u32::from_le_bytes(*bytes);
        let expression = operands.fields.first().map(|(_, e)| e.as_str()).or(operands.label);
        // A directive before the call of a descriptor's function marks it.
        if let (Some(e), true) = (expression, word & !0x3e0 == BLR.0) {
            let _ = write!(out, ".tlsdesccall {e}\n\t");
        }
        let text = Word { word, expression }.text();
        match text {
            Some(text) => out.push_str(&text),
            None => {
                let _ = write!(out, ".inst\t{word:#010x}");
            }
        }
    }

    fn expression(&self, kind: RelocKind, symbol: &str, addend: i64, _before: u32, _after: u32) -> String {
        let operator = reloc::operator(kind);
        if addend == 0 { format!("{operator}{symbol}") } else { format!("{operator}{symbol}{addend:+}") }
    }
}

/// Distance in bytes of the code or data that the instruction refers to, if it refers to any.
fn distance(word: u32) -> Option<i64> {
    let literal = LITERAL.name(word).map(|_| "{@5:19*4}");
    let mut templates = candidates(word).map(|(_, template)| template).chain(literal);
    templates.find_map(|t| fields(t, 0).find(|f| f.kind == b'@')).map(|f| f.distance(word).into())
}

const EXTENSIONS: [&str; 8] = ["uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx"];
const ARRANGEMENTS: [&str; 8] = ["8b", "16b", "4h", "8h", "2s", "4s", "1d", "2d"];
const LETTERS: [&str; 5] = ["b", "h", "s", "d", "q"];

/// An instruction, and the expression for a relocated field or a place in the code.
struct Word<'a> {
    word: u32,
    expression: Option<&'a str>,
}

impl Word<'_> {
    fn bits(&self, from: u32, count: u32) -> u32 {
        self.word >> from & ((1 << count) - 1)
    }

    /// The field of a general-purpose register; number 31 is zero.
    fn r(&self, from: u32) -> String {
        register(self.bits(31, 1) != 0, self.bits(from, 5), false)
    }

    fn x(&self, from: u32) -> String {
        register(true, self.bits(from, 5), false)
    }

    fn w(&self, from: u32) -> String {
        register(false, self.bits(from, 5), false)
    }

    fn base(&self) -> String {
        register(true, self.bits(5, 5), true)
    }

    /// A scalar in the format of bits 22 and 23.
    fn f(&self, from: u32) -> String {
        format!("{}{}", ["s", "d", "", "h"][self.bits(22, 2) as usize], self.bits(from, 5))
    }

    /// A vector of lanes of a size.
    fn v(&self, from: u32, size: u32) -> String {
        self.lanes(from, size, self.bits(30, 1))
    }

    fn lanes(&self, from: u32, size: u32, whole: u32) -> String {
        format!("v{}.{}", self.bits(from, 5), ARRANGEMENTS[(2 * size + whole) as usize & 7])
    }

    fn number(&self, n: impl std::fmt::Display) -> String {
        self.expression.map_or_else(|| format!("#{n}"), str::to_string)
    }

    /// Uses the first template that fits the instruction and its operands.
    fn text(&self) -> Option<String> {
        // The relocation's name says which part of the address is meant.
        if let (Some(name), Some(e)) = (WIDE.name(self.word), self.expression) {
            let name = if name == "movn" { "movz" } else { name };
            return Some(format!("{name}\t{}, #{e}", self.r(0)));
        }
        let mut known = candidates(self.word).filter(|(_, template)| !template.starts_with("{-"));
        known.find_map(|(name, t)| text(name, t, |piece| self.field(name, piece))).or_else(|| self.memory())
    }

    /// The text of a field, by its letter.
    fn field(&self, name: &str, piece: &str) -> Option<String> {
        let field = Field::parse(piece.as_bytes(), 0, 0);
        let (n, size) = (field.value(self.word), self.bits(22, 2));
        let from = match field.place {
            b'd' => 0,
            b'n' => 5,
            b'a' => 10,
            _ => 16,
        };
        // The lowest one bit of its number says the size of a lane; in a shift it is the highest one bit.
        let (lane, amount) = (self.bits(16, 5).trailing_zeros() & 3, self.bits(16, 7));
        let shifted = || amount.checked_ilog2()?.checked_sub(3);
        let sp = |holds: bool| register(self.bits(31, 1) != 0, self.bits(from, 5), holds);
        Some(match field.kind {
            _ if field.sign == b'-' => String::new(),
            b'.' => name.into(),
            // General-purpose registers, with the bit that says their width.
            b'r' => self.r(from),
            b'w' => self.w(from),
            b'x' => self.x(from),
            b's' => register(self.bits(30, 2) == 3, self.bits(from, 5), false),
            b'q' => register(self.bits(30, 1) != 0, self.bits(from, 5), false),
            b'b' => self.base(),
            // Registers that may be the stack pointer: always, or if flags are not set.
            b'R' => sp(true),
            b'D' => sp(self.bits(29, 1) == 0),
            b'E' => sp(self.bits(29, 2) != 3),
            b'X' => {
                if self.bits(13, 2) == 3 {
                    self.r(from)
                } else {
                    self.w(from)
                }
            }
            b'P' => format!("x{}", self.bits(from, 5) + 1),
            b'O' => register(lane == 3, self.bits(from, 5), false),
            // A number or a register.
            b'K' if self.bits(11, 1) != 0 => format!("#{}", self.bits(from, 5)),
            b'K' => self.r(from),
            b'f' => self.f(from),
            b'Z' if self.bits(3, 1) != 0 => "#0.0".into(),
            b'Z' => self.f(from),
            // A lane; vectors, with the bits that say their lanes.
            b'e' => format!("{}{}", LETTERS[size as usize], self.bits(from, 5)),
            b'v' => self.v(from, size),
            b'g' => self.v(from, 2 + self.bits(22, 1)),
            b'y' => self.v(from, 0),
            b'p' => self.v(from, size + 1),
            b'V' => self.lanes(from, size + 1, 1),
            b'S' => self.v(from, shifted()?),
            b'L' => self.lanes(from, shifted()? + 1, 1),
            b'T' => self.v(from, lane),
            b'W' => {
                let first = self.bits(5, 5);
                let list: Vec<String> = (0..=n).map(|k| format!("v{}.16b", (first + k) & 31)).collect();
                format!("{{{}}}", list.join(", "))
            }
            // Shifts of lanes; numbers of lanes.
            b'<' if matches!(name, "shl" | "sli" | "sshll" | "ushll") => (amount - (8 << shifted()?)).to_string(),
            b'<' => ((16 << shifted()?) - amount).to_string(),
            b'l' => format!("{}[{}]", LETTERS[lane as usize], n >> (lane + 1)),
            b'M' => format!("{}[{}]", LETTERS[lane as usize], n >> lane),
            b'i' => (n * field.unit).to_string(),
            b'#' => self.number(n),
            b'U' => if n != 0 && self.expression.is_none() { ", lsl #12" } else { "" }.into(),
            b'H' => self.shift(),
            b'B' => format!("{:#x}", self.logical_number()),
            b'N' => float_number(n),
            // Conditions, and their opposites.
            b'C' => CONDITIONS[n as usize].into(),
            b'I' => CONDITIONS[n as usize ^ 1].into(),
            b'?' => field.choice(piece, self.word)?.into(),
            b'J' => self.immediate(n)?,
            _ => self.expression.unwrap_or(".").into(),
        })
    }

    fn shift(&self) -> String {
        match (self.bits(10, 6), self.bits(22, 2)) {
            (0, 0) => String::new(),
            (by, shift) => format!(", {} #{by}", SHIFTS[shift as usize]),
        }
    }

    /// The number of a bitwise instruction: a rotated run of ones, repeated.
    fn logical_number(&self) -> u64 {
        let (whole, rotation, lengths) = (self.bits(22, 1), self.bits(16, 6), self.bits(10, 6));
        let size = if whole != 0 { 64 } else { 1 << (31 - (!lengths & 0x3f).leading_zeros()) };
        let run = !0u64 >> (63 - (lengths & (size - 1)));
        let rotation = rotation & (size - 1);
        let mask = !0u64 >> (64 - size);
        let element = if rotation == 0 { run } else { (run >> rotation | run << (size - rotation)) & mask };
        let width = if self.word >> 31 != 0 { 64 } else { 32 };
        (0..width / size).fold(0, |n, k| n | element << (k * size))
    }

    /// Loads and stores.
    fn memory(&self) -> Option<String> {
        let vector = self.bits(26, 1) != 0;
        let (b, imm9) = (self.base(), self.bits(12, 9) as i32 - if self.bits(20, 1) != 0 { 512 } else { 0 });
        match self.bits(27, 3) {
            7 if self.bits(24, 2) < 2 => {
                let scaled = self.bits(24, 1) != 0;
                let op = Access(self.word & 0xffc0_0000 | 1 << 24);
                let (_, name) = ACCESS.names.iter().find(|(w, _)| *w == op.0)?;
                let size = op.size();
                let t = match (vector, *name) {
                    (true, _) => format!("{}{}", LETTERS[size as usize], self.bits(0, 5)),
                    (_, "prfm") => format!("#{}", self.bits(0, 5)),
                    _ => register(op == STR_X || op == LDR_X || self.bits(22, 2) == 2, self.bits(0, 5), false),
                };
                if scaled {
                    let at = self.bits(10, 12) << size;
                    return Some(format!("{name}\t{t}, [{b}, {}]", self.number(at)));
                }
                let address = match (self.bits(21, 1), self.bits(10, 2)) {
                    (0, 1) => format!("[{b}], #{imm9}"),
                    (0, 3) => format!("[{b}, #{imm9}]!"),
                    (0, 0) => {
                        let name = name.replacen("ld", "ldu", 1).replacen("st", "stu", 1).replace("prfm", "prfum");
                        return Some(format!("{name}\t{t}, [{b}, #{imm9}]"));
                    }
                    (1, 2) => {
                        let extend = self.bits(13, 3) as usize;
                        let m = if extend & 1 != 0 { self.x(16) } else { self.w(16) };
                        let how = if extend == 3 { "lsl" } else { EXTENSIONS[extend] };
                        match (self.bits(12, 1), extend) {
                            (0, 3) => format!("[{b}, {m}]"),
                            (0, _) => format!("[{b}, {m}, {how}]"),
                            _ => format!("[{b}, {m}, {how} #{size}]"),
                        }
                    }
                    _ => return None,
                };
                Some(format!("{name}\t{t}, {address}"))
            }
            5 => {
                let op = self.word & 0xfe40_0000 | 1 << 24;
                let (_, name) = PAIR_ACCESS.names.iter().find(|(w, _)| *w == op)?;
                let size = if vector { 2 + self.bits(30, 2) } else { 2 + self.bits(31, 1) };
                let t = |from| match vector {
                    true => format!("{}{}", LETTERS[size as usize], self.bits(from, 5)),
                    false => register(self.bits(30, 2) != 0, self.bits(from, 5), false),
                };
                let disp = (self.bits(15, 7) as i32 - if self.bits(21, 1) != 0 { 128 } else { 0 }) << size;
                let address = match self.bits(23, 2) {
                    1 => format!("[{b}], #{disp}"),
                    2 => format!("[{b}, #{disp}]"),
                    3 => format!("[{b}, #{disp}]!"),
                    _ => return None,
                };
                Some(format!("{name}\t{}, {}, {address}", t(0), t(10)))
            }
            3 => {
                LITERAL.name(self.word)?;
                let size = self.bits(30, 2);
                let t = match vector {
                    true => format!("{}{}", LETTERS[2 + size as usize], self.bits(0, 5)),
                    false => register(size == 1, self.bits(0, 5), false),
                };
                Some(format!("ldr\t{t}, {}", self.expression?))
            }
            _ => None,
        }
    }

    /// A number in all lanes.
    fn immediate(&self, n: u32) -> Option<String> {
        let (mode, not) = (self.bits(12, 4), self.bits(29, 1) != 0);
        let name = if not { "mvni" } else { "movi" };
        Some(match (mode, not) {
            (14, false) => format!("movi\t{}, #{n}", self.v(0, 0)),
            (14, true) => {
                let d = if self.bits(30, 1) != 0 { self.v(0, 3) } else { format!("d{}", self.bits(0, 5)) };
                format!("movi\t{d}, #{:#x}", spread(n))
            }
            (8 | 10, _) => format!("{name}\t{}, #{n}, lsl #{}", self.v(0, 1), (mode & 2) * 4),
            (0 | 2 | 4 | 6, _) => format!("{name}\t{}, #{n}, lsl #{}", self.v(0, 2), mode * 4),
            _ => return None,
        })
    }
}

/// A general-purpose register's name; number 31 is the stack pointer or zero.
fn register(wide: bool, n: u32, stack: bool) -> String {
    match (n, wide, stack) {
        (31, true, true) => "sp".into(),
        (31, false, true) => "wsp".into(),
        (31, true, false) => "xzr".into(),
        (31, false, false) => "wzr".into(),
        (n, true, _) => format!("x{n}"),
        (n, false, _) => format!("w{n}"),
    }
}
