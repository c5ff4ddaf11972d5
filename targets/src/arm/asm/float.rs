//! Floating point and vectors. Instructions are looked at as A32 has them.

use super::super::encode::ops::*;
use super::insn::{Insn, as_a32_has_it, register};

/// The place of a register's field: its four bits, and the other.
const D: (u32, u32) = (12, 22);
const N: (u32, u32) = (16, 7);
const M: (u32, u32) = (0, 5);

impl Insn {
    /// A register of a size: `s`, `d` or `q`.
    fn v(&self, letter: char, (four, one): (u32, u32)) -> String {
        let (number, bit) = (self.bits(four, 4), self.bits(one, 1));
        let number = match letter {
            's' => number << 1 | bit,
            'd' => bit << 4 | number,
            _ => (bit << 4 | number) >> 1,
        };
        format!("{letter}{number}")
    }

    /// The first registers of places, of a size.
    fn vs(&self, letter: char, places: &[(u32, u32)]) -> String {
        let names: Vec<String> = places.iter().map(|&place| self.v(letter, place)).collect();
        names.join(", ")
    }

    pub(super) fn float(&self) -> Option<String> {
        let word = if self.t32 { as_a32_has_it(self.word) } else { self.word };
        let insn = Insn { word, t32: false, expression: self.expression.clone(), ..*self };
        match word >> 24 {
            0xf2 | 0xf3 => insn.pieces().or_else(|| insn.vector()).or_else(|| insn.shifted()),
            0xf4 => insn.vector_memory(),
            _ => insn.scalar().or_else(|| insn.moves()).or_else(|| insn.scalar_memory()),
        }
    }

    fn scalar(&self) -> Option<String> {
        let (letter, bits) = if self.bit(8) { ('d', 64) } else { ('s', 32) };
        if let Some(name) = self.name(&FRRR) {
            return Some(self.line(&format!("{name}{bits}"), self.vs(letter, &[D, N, M])));
        }
        if let Some(name) = self.name(&FRR) {
            return Some(self.line(&format!("{name}{bits}"), self.vs(letter, &[D, M])));
        }
        if let Some(name) = self.name(&FZERO) {
            return Some(self.line(&format!("{name}{bits}"), format_args!("{}, #0", self.v(letter, D))));
        }
        if let Some(name) = self.name(&FCONVERT) {
            let mut formats = name.split('.').skip(1).map(|f| if f == "f64" { 'd' } else { 's' });
            let (d, m) = (formats.next()?, formats.next()?);
            return Some(self.line(name, format_args!("{}, {}", self.v(d, D), self.v(m, M))));
        }
        if let Some(name) = self.name(&TO_INT) {
            return Some(
                self.line(&format!("{name}{bits}"), format_args!("{}, {}", self.v('s', D), self.v(letter, M))),
            );
        }
        if let Some(name) = self.name(&FROM_INT) {
            let operands = format!("{}, {}", self.v(letter, D), self.v('s', M));
            return Some(self.line(&format!("vcvt.f{bits}.{name}"), operands));
        }
        if self.word & 0x0fb0_0ef0 == 0x0eb0_0a00 {
            let number = float_number(self.bits(16, 4) << 4 | self.bits(0, 4));
            return Some(self.line(&format!("vmov.f{bits}"), format_args!("{}, {number}", self.v(letter, D))));
        }
        None
    }

    /// Moves from and to general-purpose registers.
    fn moves(&self) -> Option<String> {
        let (t, u) = (register(self.bits(12, 4)), register(self.bits(16, 4)));
        let out = self.bit(20);
        let order = |general: &str, other: &str| match out {
            true => format!("{general}, {other}"),
            false => format!("{other}, {general}"),
        };
        Some(match self.word & 0x0fff_ffff {
            0x0ef1_fa10 => self.line("vmrs", "apsr_nzcv, fpscr"),
            w if w & 0xfff_0fff == 0xef1_0a10 => self.line("vmrs", format_args!("{t}, fpscr")),
            w if w & 0xfff_0fff == 0xee1_0a10 => self.line("vmsr", format_args!("fpscr, {t}")),
            w if w & 0xfe0_0f7f == 0xe00_0a10 => self.line("vmov", order(t, &self.v('s', N))),
            w if w & 0xfe0_0fd0 == 0xc40_0a10 => {
                let n = self.bits(0, 4) << 1 | self.bits(5, 1);
                self.line("vmov", order(&format!("{t}, {u}"), &format!("s{n}, s{}", n + 1)))
            }
            w if w & 0xfe0_0fd0 == 0xc40_0b10 => self.line("vmov", order(&format!("{t}, {u}"), &self.v('d', M))),
            w if w & 0xf90_0f5f == 0xe80_0b10 => {
                let bits = [32, 16, 8, 0][(self.bits(22, 1) << 1 | self.bits(5, 1)) as usize];
                let letter = if self.bit(21) { 'q' } else { 'd' };
                self.line(&format!("vdup.{bits}"), format_args!("{}, {t}", self.v(letter, N)))
            }
            w if w & 0xf00_0f1f == 0xe00_0b10 => {
                let (high, low) = (self.bits(21, 1), self.bits(5, 2));
                let (bits, lane) = match (self.bit(22), low & 1) {
                    (true, _) => (8, high << 2 | low),
                    (_, 1) => (16, high << 1 | low >> 1),
                    _ => (32, high),
                };
                let sign = if !out || bits == 32 { "" } else { ["s", "u"][self.bits(23, 1) as usize] };
                self.line(&format!("vmov.{sign}{bits}"), order(t, &format!("{}[{lane}]", self.v('d', N))))
            }
            _ => return None,
        })
    }

    fn scalar_memory(&self) -> Option<String> {
        let letter = if self.bit(8) { 'd' } else { 's' };
        let n = register(self.bits(16, 4));
        if let Some(name) = self.name(&FACCESS) {
            let address = self.address((true, false, self.bit(23)), 4 * self.bits(0, 8));
            return Some(self.line(name, format_args!("{}, {address}", self.v(letter, D))));
        }
        let name = self.name(&FMULTIPLE)?;
        let first: u32 = self.v(letter, D)[1..].parse().ok()?;
        let count = self.bits(0, 8) >> self.bits(8, 1);
        let back = if self.bit(21) { "!" } else { "" };
        Some(self.line(name, format_args!("{n}{back}, {}", rows(letter, first, count, ""))))
    }

    /// Vectors of a size, and their lanes' widths.
    fn vector(&self) -> Option<String> {
        let q = if self.bit(6) { 'q' } else { 'd' };
        let (bits, narrow) = (8 << self.bits(20, 2), 8 << self.bits(18, 2));
        let (three, two) = (self.vs(q, &[D, N, M]), self.vs(q, &[D, M]));
        let sized = |name: &str, bits: u32, operands: &str| Some(self.line(&format!("{name}{bits}"), operands));
        if self.word & 0xffb0_0010 == 0xf2b0_0000 {
            return Some(self.line("vext.8", format_args!("{three}, #{}", self.bits(8, 4))));
        }
        if let Some(name) = self.name(&VRRR) {
            return sized(name, bits, &three);
        }
        if let Some(name) = self.name(&VSHIFT_BY) {
            return sized(name, bits, &self.vs(q, &[D, M, N]));
        }
        if let Some(name) = self.name(&VLOGIC).or(self.name(&VFRRR)) {
            return Some(self.line(name, three));
        }
        if let Some(name) = self.name(&VFRR) {
            return Some(self.line(name, two));
        }
        if let Some(name) = self.name(&CIPHER) {
            return Some(self.line(name, self.vs('q', &[D, M])));
        }
        if let Some(name) = self.name(&VRR) {
            return sized(name, narrow, &two);
        }
        if let Some(name) = self.name(&VZERO) {
            return sized(name, narrow, &format!("{two}, #0"));
        }
        if let Some(name) = self.name(&VNARROW) {
            return sized(name, 2 * narrow, &format!("{}, {}", self.v('d', D), self.v('q', M)));
        }
        let name = self.name(&VLONG)?;
        let n = if name.contains('w') { 'q' } else { 'd' };
        sized(name, bits, &format!("{}, {}, {}", self.v('q', D), self.v(n, N), self.v('d', M)))
    }

    /// Shifts by numbers, which tell the lanes' width, and numbers in all lanes.
    fn shifted(&self) -> Option<String> {
        let q = if self.bit(6) { 'q' } else { 'd' };
        let amount = self.bits(7, 1) << 6 | self.bits(16, 6);
        if amount < 8 {
            return if self.word & 0xfeb8_0090 == 0xf280_0010 { self.pattern(q) } else { None };
        }
        let bits = 1 << (31 - amount.leading_zeros());
        let (left, right) = (amount - bits, 2 * bits - amount);
        if let Some(name) = self.name(&VSHIFT) {
            let stem = name.split('.').next()?;
            let by = if matches!(stem, "vshl" | "vsli" | "vqshl" | "vqshlu") { left } else { right };
            return Some(self.line(&format!("{name}{bits}"), format_args!("{}, #{by}", self.vs(q, &[D, M]))));
        }
        if let Some(name) = self.name(&VSHIFT_NARROW) {
            let operands = format!("{}, {}, #{right}", self.v('d', D), self.v('q', M));
            return Some(self.line(&format!("{name}{}", 2 * bits), operands));
        }
        let name = self.name(&VSHIFT_LONG)?;
        let operands = format!("{}, {}", self.v('q', D), self.v('d', M));
        Some(match left {
            0 => self.line(&format!("{}{bits}", name.replace("shl", "mov")), operands),
            _ => self.line(&format!("{name}{bits}"), format_args!("{operands}, #{left}")),
        })
    }

    /// A number in all lanes.
    fn pattern(&self, q: char) -> Option<String> {
        let n = self.bits(24, 1) << 7 | self.bits(16, 3) << 4 | self.bits(0, 4);
        let (mode, not, d) = (self.bits(8, 4), self.bit(5), self.v(q, D));
        let name = if not { "vmvn" } else { "vmov" };
        let (ty, number) = match (mode, not) {
            (14, false) => ("i8", n.into()),
            (14, true) => ("i64", (0..8).fold(0, |x, k| x | (u64::from(n >> k & 1) * 0xff) << (8 * k))),
            (15, false) => return Some(format!("vmov.f32\t{d}, {}", float_number(n))),
            (8 | 10, _) => ("i16", u64::from(n) << (4 * (mode - 8))),
            (0 | 2 | 4 | 6, _) => ("i32", u64::from(n) << (4 * mode)),
            (12 | 13, _) => ("i32", ((u64::from(n) + 1) << (8 * (mode - 11))) - 1),
            _ => return None,
        };
        let name = if mode == 14 { "vmov" } else { name };
        Some(format!("{name}.{ty}\t{d}, #{number:#x}"))
    }

    /// Tables and single lanes.
    fn pieces(&self) -> Option<String> {
        if let Some(name) = self.name(&VTABLE) {
            let first = self.bits(7, 1) << 4 | self.bits(16, 4);
            let table = rows('d', first, self.bits(8, 2) + 1, "");
            return Some(self.line(name, format_args!("{}, {table}, {}", self.v('d', D), self.v('d', M))));
        }
        if self.word & 0xffbf_0fd0 == 0xf3b6_0700 {
            return Some(self.line("vcvt.f32.f16", format_args!("{}, {}", self.v('q', D), self.v('d', M))));
        }
        if self.word & 0xffb0_0f90 == 0xf3b0_0c00 {
            let field = self.bits(16, 4);
            let size = field.trailing_zeros();
            let (q, lane) = (if self.bit(6) { 'q' } else { 'd' }, field >> (size + 1));
            let name = format!("vdup.{}", 8u32.checked_shl(size)?);
            return Some(self.line(&name, format_args!("{}, {}[{lane}]", self.v(q, D), self.v('d', M))));
        }
        None
    }

    fn vector_memory(&self) -> Option<String> {
        let (n, first) = (register(self.bits(16, 4)), self.bits(22, 1) << 4 | self.bits(12, 4));
        if self.bits(0, 4) != 15 {
            return None;
        }
        if self.bits(8, 4) == 12 && self.bit(23) && self.bit(21) {
            let list = rows('d', first, 1 + self.bits(5, 1), "[]");
            return Some(format!("vld1.{}\t{list}, [{n}]", 8 << self.bits(6, 2)));
        }
        if let Some(name) = self.name(&VMULTIPLE) {
            let count = match self.bits(8, 4) {
                7 => 1,
                10 => 2,
                6 => 3,
                2 => 4,
                _ => return None,
            };
            let list = rows('d', first, count, "");
            return Some(format!("{name}.{}\t{list}, [{n}]", 8 << self.bits(6, 2)));
        }
        let (name, size) = (self.name(&VSINGLE)?, self.bits(10, 2));
        let lane = self.bits(4, 4) >> (size + 1);
        Some(format!("{name}.{}\t{{d{first}[{lane}]}}, [{n}]", 8 << size))
    }
}

/// Registers in a row, each with what follows it.
fn rows(letter: char, first: u32, count: u32, tail: &str) -> String {
    let names: Vec<String> = (0..count).map(|k| format!("{letter}{}{tail}", first + k)).collect();
    format!("{{{}}}", names.join(", "))
}

/// The number that eight bits tell: a sign, three bits of exponent, four of fraction.
fn float_number(n: u32) -> String {
    let exponent = ((n >> 4 & 7) ^ 4) as i32 - 3;
    let value = (1.0 + f64::from(n & 15) / 16.0) * 2f64.powi(exponent);
    format!("#{}{value:?}", if n >> 7 != 0 { "-" } else { "" })
}
