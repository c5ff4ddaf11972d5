//! Floating point and vectors. Instructions are looked at as A32 has them.

use super::super::encode::ops::*;
use super::insn::{Insn, as_a32_has_it, register};

/// What follows the names of a table's instructions, and their operands, as [`Insn::form`] has them. What the first tables have is
/// not in the later ones.
const FORMS: [(&Names, &str, &str); 14] = [
    (&FRRR, "{f}", "{fd}, {fn}, {fm}"),
    (&FRR, "{f}", "{fd}, {fm}"),
    (&FZERO, "{f}", "{fd}, #0"),
    (&TO_INT, "{f}", "{sd}, {fm}"),
    (&VRRR, "{b20}", "{vd}, {vn}, {vm}"),
    (&VSHIFT_BY, "{b20}", "{vd}, {vm}, {vn}"),
    (&VLOGIC, "", "{vd}, {vn}, {vm}"),
    (&VFRRR, "", "{vd}, {vn}, {vm}"),
    (&VFRR, "", "{vd}, {vm}"),
    (&CIPHER, "", "{qd}, {qm}"),
    (&VRR, "{b18}", "{vd}, {vm}"),
    (&VZERO, "{b18}", "{vd}, {vm}, #0"),
    (&VNARROW, "{h18}", "{dd}, {qm}"),
    (&VLONG, "{b20}", "{qd}, {wn}, {dm}"),
];

/// Other instructions: the bits that tell one, their value, its name and operands.
const OTHERS: [(u32, u32, &str, &str); 11] = [
    (0x0fff_ffff, 0x0ef1_fa10, "vmrs", "apsr_nzcv, fpscr"),
    (0x0fff_0fff, 0x0ef1_0a10, "vmrs", "{r12}, fpscr"),
    (0x0fff_0fff, 0x0ee1_0a10, "vmsr", "fpscr, {r12}"),
    (0x0ff0_0f7f, 0x0e00_0a10, "vmov", "{sn}, {r12}"),
    (0x0ff0_0f7f, 0x0e10_0a10, "vmov", "{r12}, {sn}"),
    (0x0ff0_0fd0, 0x0c40_0b10, "vmov", "{dm}, {r12}, {r16}"),
    (0x0ff0_0fd0, 0x0c50_0b10, "vmov", "{r12}, {r16}, {dm}"),
    (0x0fb0_0f5f, 0x0e80_0b10, "vdup", "{dn}, {r12}"),
    (0x0fb0_0f5f, 0x0ea0_0b10, "vdup", "{qn}, {r12}"),
    (0xffb0_0010, 0xf2b0_0000, "vext.8", "{vd}, {vn}, {vm}, #{i8}"),
    (0xffbf_0fd0, 0xf3b6_0700, "vcvt.f32.f16", "{qd}, {dm}"),
];

impl Insn {
    pub(super) fn float(&self) -> Option<String> {
        let word = if self.t32 { as_a32_has_it(self.word) } else { self.word };
        let insn = Insn { word, t32: false, expression: self.expression.clone(), ..*self };
        match word >> 24 {
            0xf4 => insn.vector_memory(),
            _ => insn
                .pieces()
                .or_else(|| insn.plain())
                .or_else(|| insn.moves())
                .or_else(|| insn.shifted())
                .or_else(|| insn.scalar_memory()),
        }
    }

    fn plain(&self) -> Option<String> {
        let other = OTHERS.iter().find(|(mask, value, ..)| self.word & mask == *value);
        if let Some((_, _, name, operands)) = other {
            let bits = [32, 16, 8, 0][(self.bits(22, 1) << 1 | self.bits(5, 1)) as usize];
            let name = if *name == "vdup" { format!("vdup.{bits}") } else { name.to_string() };
            return Some(self.line(&name, self.form(operands)));
        }
        for (table, width, operands) in FORMS {
            if let Some(name) = self.name(table) {
                return Some(self.line(&format!("{name}{}", self.form(width)), self.form(operands)));
            }
        }
        let letter = if self.bit(8) { 'd' } else { 's' };
        if let Some(name) = self.name(&FCONVERT) {
            let mut formats = name.split('.').skip(1).map(|f| if f == "f64" { 'd' } else { 's' });
            let (d, m) = (formats.next()?, formats.next()?);
            return Some(self.line(name, format_args!("{}, {}", self.v(d, 'd'), self.v(m, 'm'))));
        }
        if let Some(name) = self.name(&FROM_INT) {
            return Some(self.line(&self.form(&format!("vcvt.f{{f}}.{name}")), self.form("{fd}, {sm}")));
        }
        if self.word & 0x0fb0_0ef0 == 0x0eb0_0a00 {
            let number = float_number(self.bits(16, 4) << 4 | self.bits(0, 4));
            return Some(self.line(&self.form("vmov.f{f}"), format_args!("{}, {number}", self.v(letter, 'd'))));
        }
        None
    }

    /// Moves of two scalars, and from and to lanes.
    fn moves(&self) -> Option<String> {
        let t = self.form("{r12}");
        let order = |general: &str, other: &str| match self.bit(20) {
            true => format!("{general}, {other}"),
            false => format!("{other}, {general}"),
        };
        if self.word & 0x0fe0_0fd0 == 0x0c40_0a10 {
            let m = self.bits(0, 4) << 1 | self.bits(5, 1);
            return Some(self.line("vmov", order(&self.form("{r12}, {r16}"), &format!("s{m}, s{}", m + 1))));
        }
        if self.word & 0x0f00_0f1f != 0x0e00_0b10 {
            return None;
        }
        let (high, low) = (self.bits(21, 1), self.bits(5, 2));
        let (bits, lane) = match (self.bit(22), low & 1) {
            (true, _) => (8, high << 2 | low),
            (_, 1) => (16, high << 1 | low >> 1),
            _ => (32, high),
        };
        let sign = if !self.bit(20) || bits == 32 { "" } else { ["s", "u"][self.bits(23, 1) as usize] };
        Some(self.line(&format!("vmov.{sign}{bits}"), order(&t, &format!("{}[{lane}]", self.v('d', 'n')))))
    }

    fn scalar_memory(&self) -> Option<String> {
        let letter = if self.bit(8) { 'd' } else { 's' };
        let n = register(self.bits(16, 4));
        if let Some(name) = self.name(&FACCESS) {
            let address = self.address((true, false, self.bit(23)), 4 * self.bits(0, 8));
            return Some(self.line(name, format_args!("{}, {address}", self.v(letter, 'd'))));
        }
        let name = self.name(&FMULTIPLE)?;
        let first: u32 = self.v(letter, 'd')[1..].parse().ok()?;
        let count = self.bits(0, 8) >> self.bits(8, 1);
        let back = if self.bit(21) { "!" } else { "" };
        Some(self.line(name, format_args!("{n}{back}, {}", rows(letter, first, count, ""))))
    }

    /// Shifts by numbers, which tell the lanes' width, and numbers in all lanes.
    fn shifted(&self) -> Option<String> {
        let q = if self.bit(6) { 'q' } else { 'd' };
        let amount = self.bits(7, 1) << 6 | self.bits(16, 6);
        if amount < 8 {
            return if self.word & 0xfeb8_0090 == 0xf280_0010 { self.pattern(q) } else { None };
        }
        let bits = 1 << amount.ilog2();
        let (left, right) = (amount - bits, 2 * bits - amount);
        if let Some(name) = self.name(&VSHIFT) {
            let stem = name.split('.').next()?;
            let by = if matches!(stem, "vshl" | "vsli" | "vqshl" | "vqshlu") { left } else { right };
            return Some(self.line(&format!("{name}{bits}"), format_args!("{}, #{by}", self.form("{vd}, {vm}"))));
        }
        if let Some(name) = self.name(&VSHIFT_NARROW) {
            let operands = self.form("{dd}, {qm}");
            return Some(self.line(&format!("{name}{}", 2 * bits), format_args!("{operands}, #{right}")));
        }
        let name = self.name(&VSHIFT_LONG)?;
        let operands = self.form("{qd}, {dm}");
        Some(match left {
            0 => self.line(&format!("{}{bits}", name.replace("shl", "mov")), operands),
            _ => self.line(&format!("{name}{bits}"), format_args!("{operands}, #{left}")),
        })
    }

    /// A number in all lanes.
    fn pattern(&self, q: char) -> Option<String> {
        let n = self.bits(24, 1) << 7 | self.bits(16, 3) << 4 | self.bits(0, 4);
        let (mode, not, d) = (self.bits(8, 4), self.bit(5), self.v(q, 'd'));
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
            return Some(self.line(name, format_args!("{}, {table}, {}", self.v('d', 'd'), self.v('d', 'm'))));
        }
        if self.word & 0xffb0_0f90 == 0xf3b0_0c00 {
            let field = self.bits(16, 4);
            let size = field.trailing_zeros();
            let (q, lane) = (if self.bit(6) { 'q' } else { 'd' }, field >> (size + 1));
            let name = format!("vdup.{}", 8u32.checked_shl(size)?);
            return Some(self.line(&name, format_args!("{}, {}[{lane}]", self.v(q, 'd'), self.v('d', 'm'))));
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
