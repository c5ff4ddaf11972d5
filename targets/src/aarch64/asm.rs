//! A64 instructions as text, in the syntax that GNU's and LLVM's assemblers share.
//!
//! Instructions are looked up in the encoder's tables; what is in none of them is written as data.

use std::fmt::Write;

use gusset_codegen::asm::{Decoded, Disassembler, Operands};
use gusset_codegen::buffer::RelocKind;

use super::encode::ops::*;
use super::reloc;

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
        // The call of a descriptor's function is marked by a directive in front of it.
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

/// How far from the instruction its operand is, if it says so.
fn distance(word: u32) -> Option<i64> {
    let field = |bits: u32, shift: u32| i64::from((word >> shift << (32 - bits)) as i32 >> (32 - bits)) * 4;
    match word >> 24 {
        _ if word & 0x7c00_0000 == 0x1400_0000 => Some(field(26, 0)),
        0x54 => Some(field(19, 5)),
        0x34 | 0x35 | 0xb4 | 0xb5 => Some(field(19, 5)),
        0x36 | 0x37 | 0xb6 | 0xb7 => Some(field(14, 5)),
        0x18 | 0x58 | 0x1c | 0x5c | 0x9c => Some(field(19, 5)),
        _ if word & 0x9f00_0000 == 0x1000_0000 => Some(field(19, 5) | i64::from(word >> 29 & 3)),
        _ => None,
    }
}

const CONDITIONS: [&str; 16] =
    ["eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"];
const EXTENSIONS: [&str; 8] = ["uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx"];
const SHIFTS: [&str; 4] = ["lsl", "lsr", "asr", "ror"];
const ARRANGEMENTS: [&str; 8] = ["8b", "16b", "4h", "8h", "2s", "4s", "1d", "2d"];
const LETTERS: [&str; 5] = ["b", "h", "s", "d", "q"];

/// An instruction, and the expression that stands for a relocated field or a place in the code.
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

    /// The same where it is the stack pointer.
    fn rsp(&self, from: u32) -> String {
        register(self.bits(31, 1) != 0, self.bits(from, 5), true)
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

    /// A scalar of the format in bits 22 and 23.
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

    /// A vector of bytes.
    fn vb(&self, from: u32) -> String {
        self.v(from, 0)
    }

    fn number(&self, n: impl std::fmt::Display) -> String {
        self.expression.map_or_else(|| format!("#{n}"), str::to_string)
    }

    /// The name in a table, if the instruction is in it.
    fn name(&self, table: &Names) -> Option<&'static str> {
        let word = self.word & !table.operands;
        table.names.iter().find(|(w, _)| *w == word).map(|(_, name)| *name)
    }

    fn text(&self) -> Option<String> {
        self.special()
            .or_else(|| SHAPES.iter().find_map(|shape| self.formatted(shape)))
            .or_else(|| self.control())
            .or_else(|| self.arithmetic())
            .or_else(|| self.memory())
            .or_else(|| self.scalar())
            .or_else(|| self.shifted_lanes())
            .or_else(|| self.lane())
    }

    /// What has a name of its own for some operands.
    fn special(&self) -> Option<String> {
        let none = |from| self.bits(from, 5) == 31;
        if let (Some(name), Some(e)) = (self.name(&WIDE), self.expression) {
            let name = if name == "movn" { "movz" } else { name };
            return Some(format!("{name}\t{}, #{e}", self.r(0)));
        }
        match (self.name(&CHOICE), self.name(&RRRR), self.name(&RR)) {
            (Some("csinc"), ..) if none(5) && none(16) => {
                Some(format!("cset\t{}, {}", self.r(0), CONDITIONS[self.bits(12, 4) as usize ^ 1]))
            }
            (_, Some("madd"), _) if none(10) => Some(format!("mul\t{}, {}, {}", self.r(0), self.r(5), self.r(16))),
            (.., Some("rev32")) if self.word >> 31 == 0 => Some(format!("rev\t{}, {}", self.r(0), self.r(5))),
            _ => (self.word == RET.0 | 30 << 5).then(|| "ret".into()),
        }
    }

    /// By the format of its shape. Behind a percent sign are a kind of operand and its register: `d`, `n`, `m`, `a`.
    fn formatted(&self, shape: &Names) -> Option<String> {
        let name = self.name(shape).filter(|_| !shape.format.is_empty())?;
        let mut out = name.to_string();
        let size = self.bits(22, 2);
        let mut rest = shape.format.chars();
        while let Some(c) = rest.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            let kind = rest.next().unwrap_or(' ');
            let register_of = |rest: &mut std::str::Chars<'_>| match rest.next() {
                Some('d') => 0,
                Some('n') => 5,
                Some('a') => 10,
                _ => 16,
            };
            out += &match kind {
                'c' => CONDITIONS[self.bits(12, 4) as usize].into(),
                'o' => ["", "l", "a", "al"][self.bits(22, 2) as usize].into(),
                'u' => if self.bits(30, 1) != 0 { "2" } else { "" }.into(),
                'z' => ["b", "h", "", ""][self.bits(30, 2) as usize].into(),
                'h' => self.bits(5, 16).to_string(),
                'l' => (self.bits(21, 2) * 16).to_string(),
                ' ' => String::new(),
                _ => {
                    let from = register_of(&mut rest);
                    match kind {
                        'r' => self.r(from),
                        'w' => self.w(from),
                        'x' => self.x(from),
                        's' => register(self.bits(30, 2) == 3, self.bits(from, 5), false),
                        'b' => self.base(),
                        'f' => self.f(from),
                        'e' => format!("{}{}", LETTERS[size as usize], self.bits(from, 5)),
                        'v' => self.v(from, size),
                        'g' => self.v(from, 2 + self.bits(22, 1)),
                        'y' => self.v(from, 0),
                        'p' => self.v(from, size + 1),
                        'V' => self.lanes(from, size + 1, 1),
                        _ => self.bits(from, 6).to_string(),
                    }
                }
            };
        }
        Some(out)
    }

    fn control(&self) -> Option<String> {
        let to = self.expression.unwrap_or(".");
        let bit = self.bits(31, 1) << 5 | self.bits(19, 5);
        Some(match self.word >> 24 {
            0x14..=0x17 => format!("b\t{to}"),
            0x94..=0x97 => format!("bl\t{to}"),
            0x54 => format!("b.{}\t{to}", CONDITIONS[self.bits(0, 4) as usize]),
            0x34 | 0xb4 => format!("cbz\t{}, {to}", self.r(0)),
            0x35 | 0xb5 => format!("cbnz\t{}, {to}", self.r(0)),
            0x36 | 0xb6 => format!("tbz\t{}, #{bit}, {to}", self.r(0)),
            0x37 | 0xb7 => format!("tbnz\t{}, #{bit}, {to}", self.r(0)),
            _ if self.word & 0x9f00_0000 == 0x1000_0000 => format!("adr\t{}, {to}", self.x(0)),
            _ if self.word & 0x9f00_0000 == 0x9000_0000 => format!("adrp\t{}, {to}", self.x(0)),
            _ if self.word >> 16 == 0 => format!("udf\t#{}", self.word),
            _ => match (self.name(&READ_SYSTEM), self.name(&WRITE_SYSTEM)) {
                (Some(name), _) => format!("mrs\t{}, {name}", self.x(0)),
                (_, Some(name)) => format!("msr\t{name}, {}", self.x(0)),
                _ => return None,
            },
        })
    }

    fn arithmetic(&self) -> Option<String> {
        let (d, n, m) = (self.r(0), self.r(5), self.r(16));
        let one = |table| self.name(table);
        if let Some(name) = one(&CRC) {
            let m = if name.ends_with('x') { self.x(16) } else { self.w(16) };
            return Some(format!("{name}\t{}, {}, {m}", self.w(0), self.w(5)));
        }
        if let Some(name) = one(&COND_COMPARE) {
            let m = if self.bits(11, 1) != 0 { format!("#{}", self.bits(16, 5)) } else { m };
            let c = CONDITIONS[self.bits(12, 4) as usize];
            return Some(format!("{name}\t{n}, {m}, #{}, {c}", self.bits(0, 4)));
        }
        if self.word & 0x7fa0_0000 == 0x1380_0000 {
            return Some(format!("extr\t{d}, {n}, {m}, #{}", self.bits(10, 6)));
        }
        self.sum().or_else(|| self.logic())
    }

    /// Additions and subtractions.
    fn sum(&self) -> Option<String> {
        let (n, flags) = (self.rsp(5), self.bits(29, 1) != 0);
        let d = if flags { self.r(0) } else { self.rsp(0) };
        let form = self.bits(24, 5);
        let table = |word: u32| Word { word, ..*self }.name(&ADD_SUB);
        match form {
            0x11 => {
                let name = table(self.word & 0xe000_0000 | 0x0b00_0000)?;
                let up = if self.bits(22, 1) != 0 && self.expression.is_none() { ", lsl #12" } else { "" };
                Some(format!("{name}\t{d}, {n}, {}{up}", self.number(self.bits(10, 12))))
            }
            0x0b if self.bits(21, 1) != 0 => {
                let name = table(self.word & 0xe000_0000 | 0x0b00_0000)?;
                let extend = self.bits(13, 3) as usize;
                let m = if extend & 3 == 3 { self.r(16) } else { self.w(16) };
                Some(format!("{name}\t{d}, {n}, {m}, {} #{}", EXTENSIONS[extend], self.bits(10, 3)))
            }
            0x0b => {
                let name = self.name(&ADD_SUB)?;
                Some(format!("{name}\t{}, {}, {}{}", self.r(0), self.r(5), self.r(16), self.shift()))
            }
            _ => None,
        }
    }

    fn shift(&self) -> String {
        match (self.bits(10, 6), self.bits(22, 2)) {
            (0, 0) => String::new(),
            (by, shift) => format!(", {} #{by}", SHIFTS[shift as usize]),
        }
    }

    fn logic(&self) -> Option<String> {
        match self.bits(23, 6) {
            0x24 => {
                let flags = self.bits(29, 2) == 3;
                let name = ["and", "orr", "eor", "ands"][self.bits(29, 2) as usize];
                let d = if flags { self.r(0) } else { self.rsp(0) };
                Some(format!("{name}\t{d}, {}, #{:#x}", self.r(5), self.logical_number()))
            }
            0x14 | 0x15 => {
                let name = self.name(&LOGIC)?;
                if name == "orr" && self.bits(5, 5) == 31 && self.bits(10, 14) & 0x303f == 0 && self.bits(21, 1) == 0 {
                    return Some(format!("mov\t{}, {}", self.r(0), self.r(16)));
                }
                Some(format!("{name}\t{}, {}, {}{}", self.r(0), self.r(5), self.r(16), self.shift()))
            }
            _ => None,
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
                self.name(&LITERAL)?;
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

    fn scalar(&self) -> Option<String> {
        let (d, n, m) = (self.f(0), self.f(5), self.f(16));
        let c = CONDITIONS[self.bits(12, 4) as usize];
        if self.word & 0x3f20_7c00 == 0x0820_7c00 && (self.bits(23, 1) != 0 || self.bits(31, 1) == 0) {
            let (size, order) = (self.bits(30, 2), 2 * self.bits(22, 1) + self.bits(15, 1));
            let order = ["", "l", "a", "al"][order as usize];
            let t = |from| register(size == 3, self.bits(from, 5), false);
            if self.bits(23, 1) == 0 {
                let two = |from| format!("{}, x{}", self.x(from), self.bits(from, 5) + 1);
                return Some(format!("casp{order}\t{}, {}, [{}]", two(16), two(0), self.base()));
            }
            let suffix = ["b", "h", "", ""][size as usize];
            return Some(format!("cas{order}{suffix}\t{}, {}, [{}]", t(16), t(0), self.base()));
        }
        if let Some(name) = (Word { word: self.word & !8, ..*self }).name(&FCOMPARE) {
            let m = if self.bits(3, 1) != 0 { "#0.0".into() } else { m };
            return Some(format!("{name}\t{n}, {m}"));
        }
        match self.word & 0xff20_0c00 {
            0x1e20_0c00 => return Some(format!("fcsel\t{d}, {n}, {m}, {c}")),
            0x1e20_0400 => return Some(format!("fccmp\t{n}, {m}, #{}, {c}", self.bits(0, 4))),
            _ => {}
        }
        if self.word & 0xff3e_7c00 == 0x1e22_4000 {
            let to = ["s", "d", "", "h"][self.bits(15, 2) as usize];
            return Some(format!("fcvt\t{to}{}, {n}", self.bits(0, 5)));
        }
        if self.word & 0xff20_1fe0 == 0x1e20_1000 {
            let n = self.bits(13, 8);
            let exponent = ((n >> 4 & 7) ^ 4) as i32 - 3;
            let value = (1.0 + f64::from(n & 15) / 16.0) * 2f64.powi(exponent);
            let sign = if n >> 7 != 0 { "-" } else { "" };
            return Some(format!("fmov\t{d}, #{sign}{value:?}"));
        }
        None
    }

    fn shifted_lanes(&self) -> Option<String> {
        let two = |size| format!("{}, {}", self.v(0, size), self.v(5, size));
        let upper = if self.bits(30, 1) != 0 { "2" } else { "" };
        let one = |table| self.name(table);
        let amount = self.bits(16, 7);
        if amount >> 3 == 0 {
            return None;
        }
        let lane = amount.ilog2() - 3;
        if let Some(name) = one(&VSHIFT) {
            let by = if matches!(name, "shl" | "sli") { amount - (8 << lane) } else { (16 << lane) - amount };
            return Some(format!("{name}\t{}, #{by}", two(lane)));
        }
        if let Some(name) = one(&VSHIFT_LONG) {
            let by = amount - (8 << lane);
            return Some(format!("{name}{upper}\t{}, {}, #{by}", self.lanes(0, lane + 1, 1), self.v(5, lane)));
        }
        None
    }

    /// Instructions on single lanes, and tables and immediates of vectors.
    fn lane(&self) -> Option<String> {
        let field = self.bits(16, 5);
        let size = field.trailing_zeros() & 3;
        let (lane, letter) = (field >> (size + 1), LETTERS[size as usize]);
        let (d, n) = (self.bits(0, 5), self.bits(5, 5));
        let g = |from| register(size == 3, self.bits(from, 5), false);
        Some(match self.word & 0xbfe0_fc00 {
            0x0e00_0400 => format!("dup\t{}, v{n}.{letter}[{lane}]", self.v(0, size)),
            0x0e00_0c00 => format!("dup\t{}, {}", self.v(0, size), g(5)),
            0x0e00_1c00 => format!("ins\tv{d}.{letter}[{lane}], {}", g(5)),
            0x0e00_3c00 => format!("umov\t{}, v{n}.{letter}[{lane}]", g(0)),
            0x0e00_2c00 => {
                format!("smov\t{}, v{n}.{letter}[{lane}]", register(self.bits(30, 1) != 0, d, false))
            }
            _ => match self.word {
                w if w & 0xffe0_8400 == 0x6e00_0400 => {
                    format!("ins\tv{d}.{letter}[{lane}], v{n}.{letter}[{}]", self.bits(11, 4) >> size)
                }
                w if w & 0xbfe0_8400 == 0x2e00_0000 => {
                    format!("ext\t{}, {}, {}, #{}", self.vb(0), self.vb(5), self.vb(16), self.bits(11, 4))
                }
                w if w & 0xbfe0_9c00 == 0x0e00_0000 => {
                    let list: Vec<String> = (0..=self.bits(13, 2)).map(|k| format!("v{}.16b", (n + k) & 31)).collect();
                    format!("tbl\t{}, {{{}}}, {}", self.vb(0), list.join(", "), self.vb(16))
                }
                w if w & 0xffff_fc00 == 0x9eae_0000 => format!("fmov\t{}, v{n}.d[1]", self.x(0)),
                w if w & 0xffff_fc00 == 0x9eaf_0000 => format!("fmov\tv{d}.d[1], {}", self.x(5)),
                w if w & 0x9ff8_0c00 == 0x0f00_0400 => self.immediate()?,
                _ => return None,
            },
        })
    }

    fn immediate(&self) -> Option<String> {
        let n = self.bits(16, 3) << 5 | self.bits(5, 5);
        let (mode, not) = (self.bits(12, 4), self.bits(29, 1) != 0);
        let name = if not { "mvni" } else { "movi" };
        Some(match (mode, not) {
            (14, false) => format!("movi\t{}, #{n}", self.vb(0)),
            (14, true) => {
                let spread = (0..8).fold(0u64, |x, k| x | (u64::from(n >> k & 1) * 0xff) << (8 * k));
                let d = if self.bits(30, 1) != 0 { self.v(0, 3) } else { format!("d{}", self.bits(0, 5)) };
                format!("movi\t{d}, #{spread:#x}")
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
