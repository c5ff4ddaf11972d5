//! Floating point and vectors. Instructions are looked at as A32 has them.

use super::super::encode::neon::{Form, ROWS, amount, as_a32};
use super::super::encode::ops::*;
use super::insn::{Insn, register};

/// What follows the names of a table's instructions, and their operands, as [`Insn::form`] has them.
const FORMS: [(&Names, &str, &str); 4] = [
    (&FRRR, "{f}", "{fd}, {fn}, {fm}"),
    (&FRR, "{f}", "{fd}, {fm}"),
    (&FZERO, "{f}", "{fd}, #0"),
    (&TO_INT, "{f}", "{sd}, {fm}"),
];

/// Other instructions: the bits that tell one, their value, its name and operands.
const OTHERS: [(u32, u32, &str, &str); 12] = [
    (0x0fff_ffff, 0x0ef1_fa10, "vmrs", "apsr_nzcv, fpscr"),
    (0x0ff0_0f7f, 0x0e00_0a10, "vmov", "{sn}, {r12}"),
    (0x0ff0_0f7f, 0x0e10_0a10, "vmov", "{r12}, {sn}"),
    (0x0ff0_0fd0, 0x0c40_0b10, "vmov", "{dm}, {r12}, {r16}"),
    (0x0ff0_0fd0, 0x0c50_0b10, "vmov", "{r12}, {r16}, {dm}"),
    (0x0ff0_0f7f, 0x0e80_0b10, "vdup.32", "{dn}, {r12}"),
    (0x0ff0_0f7f, 0x0ea0_0b10, "vdup.32", "{qn}, {r12}"),
    (0x0ff0_0f7f, 0x0e80_0b30, "vdup.16", "{dn}, {r12}"),
    (0x0ff0_0f7f, 0x0ea0_0b30, "vdup.16", "{qn}, {r12}"),
    (0x0ff0_0f7f, 0x0ec0_0b10, "vdup.8", "{dn}, {r12}"),
    (0x0ff0_0f7f, 0x0ee0_0b10, "vdup.8", "{qn}, {r12}"),
    (0xffb0_0010, 0xf2b0_0000, "vext.8", "{vd}, {vn}, {vm}, #{i8}"),
];

impl Insn {
    pub(super) fn float(&self) -> Option<String> {
        let word = if self.t32 { as_a32(self.word) } else { self.word };
        let insn = Insn { word, t32: false, expression: self.expression.clone(), ..*self };
        match word >> 24 {
            0xf4 => insn.vector_memory(),
            _ => insn.vector().or_else(|| insn.plain()).or_else(|| insn.moves()).or_else(|| insn.scalar_memory()),
        }
    }

    fn plain(&self) -> Option<String> {
        let other = OTHERS.iter().find(|(mask, value, ..)| self.word & mask == *value);
        if let Some((_, _, name, operands)) = other {
            return Some(self.line(name, self.form(operands)));
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

    /// Instructions of the table of vectors, and what else there is of numbers and lanes.
    fn vector(&self) -> Option<String> {
        if self.word & 0xfeb8_0090 == 0xf280_0010 {
            return self.pattern();
        }
        if self.word & 0xffb0_0f90 == 0xf3b0_0c00 {
            let size = self.bits(16, 4).trailing_zeros();
            let lane = self.bits(16, 4) >> (size + 1);
            let name = format!("vdup.{}", 8u32.checked_shl(size)?);
            return Some(self.line(&name, format_args!("{}[{lane}]", self.form("{vd}, {dm}"))));
        }
        let (row, (unsigned, lane)) = ROWS.iter().find_map(|row| Some((row, row.matches(self.word)?)))?;
        let (form, bits) = (row.op.form, 8 << lane);
        let (mut name, by) = (row.name.replace('*', if unsigned { "u" } else { "s" }), amount(self.word));
        if let Some(twice) = form.width() {
            name += &(bits << u32::from(twice)).to_string();
        }
        let [d, m] = if form.is_sized() && self.bit(6) { ['q', 'q'] } else { form.sizes() };
        let (d, n, m) = (self.v(d, 'd'), self.v(m, 'n'), self.v(m, 'm'));
        Some(match form {
            Form::By => self.line(&name, format_args!("{d}, {m}, {n}")),
            Form::Table => {
                let first = self.bits(7, 1) << 4 | self.bits(16, 4);
                self.line(&name, format_args!("{d}, {}, {m}", rows('d', first, self.bits(8, 2) + 1)))
            }
            Form::Left => self.line(&name, format_args!("{d}, {m}, #{}", by - bits)),
            // Without a shift it has a name of its own.
            Form::LongLeft if by == bits => self.line(&name.replace("shl", "mov"), format_args!("{d}, {m}")),
            Form::LongLeft => self.line(&name, format_args!("{d}, {m}, #{}", by - bits)),
            Form::Right | Form::NarrowRight => self.line(&name, format_args!("{d}, {m}, #{}", 2 * bits - by)),
            _ if form.has_two() => self.line(&name, format_args!("{d}, {n}, {m}")),
            _ => self.line(&name, format_args!("{d}, {m}")),
        })
    }

    /// A number in all lanes.
    fn pattern(&self) -> Option<String> {
        let n = self.bits(24, 1) << 7 | self.bits(16, 3) << 4 | self.bits(0, 4);
        let (mode, not, d) = (self.bits(8, 4), self.bit(5), self.form("{vd}"));
        let (ty, number) = match (mode, not) {
            (14, false) => ("i8", n.into()),
            (14, true) => ("i64", (0..8).fold(0, |x, k| x | (u64::from(n >> k & 1) * 0xff) << (8 * k))),
            (15, false) => return Some(format!("vmov.f32\t{d}, {}", float_number(n))),
            (8 | 10, _) => ("i16", u64::from(n) << (4 * (mode - 8))),
            (0 | 2 | 4 | 6, _) => ("i32", u64::from(n) << (4 * mode)),
            (12 | 13, _) => ("i32", ((u64::from(n) + 1) << (8 * (mode - 11))) - 1),
            _ => return None,
        };
        let name = if not && mode != 14 { "vmvn" } else { "vmov" };
        Some(format!("{name}.{ty}\t{d}, #{number:#x}"))
    }

    fn vector_memory(&self) -> Option<String> {
        let (n, first) = (register(self.bits(16, 4)), self.bits(22, 1) << 4 | self.bits(12, 4));
        let name = if self.bit(21) { "vld1.8" } else { "vst1.8" };
        let count = if self.bits(8, 4) == 10 { 2 } else { 1 };
        (self.word & 0x0090_00ff == 15).then(|| format!("{name}\t{}, [{n}]", rows('d', first, count)))
    }

    /// Moves of two scalars, and from and to lanes.
    fn moves(&self) -> Option<String> {
        if self.word & 0x0f00_0f1f == 0x0e00_0b10 {
            let (high, low) = (self.bits(21, 1), self.bits(5, 2));
            let (bits, lane) = match (self.bit(22), low & 1) {
                (true, _) => (8, high << 2 | low),
                (_, 1) => (16, high << 1 | low >> 1),
                _ => (32, high),
            };
            let sign = if !self.bit(20) || bits == 32 { "" } else { ["s", "u"][self.bits(23, 1) as usize] };
            let (t, lane) = (self.form("{r12}"), format!("{}[{lane}]", self.form("{dn}")));
            let (to, from) = if self.bit(20) { (t, lane) } else { (lane, t) };
            return Some(self.line(&format!("vmov.{sign}{bits}"), format_args!("{to}, {from}")));
        }
        let m = self.bits(0, 4) << 1 | self.bits(5, 1);
        let (general, scalars) = (self.form("{r12}, {r16}"), format!("s{m}, s{}", m + 1));
        match self.word & 0x0ff0_0fd0 {
            0x0c40_0a10 => Some(self.line("vmov", format_args!("{scalars}, {general}"))),
            0x0c50_0a10 => Some(self.line("vmov", format_args!("{general}, {scalars}"))),
            _ => None,
        }
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
        Some(self.line(name, format_args!("{n}{back}, {}", rows(letter, first, count))))
    }
}

/// Registers in a row.
fn rows(letter: char, first: u32, count: u32) -> String {
    let names: Vec<String> = (0..count).map(|k| format!("{letter}{}", first + k)).collect();
    format!("{{{}}}", names.join(", "))
}

/// The number that eight bits tell: a sign, three bits of exponent, four of fraction.
fn float_number(n: u32) -> String {
    let exponent = ((n >> 4 & 7) ^ 4) as i32 - 3;
    let value = (1.0 + f64::from(n & 15) / 16.0) * 2f64.powi(exponent);
    format!("#{}{value:?}", if n >> 7 != 0 { "-" } else { "" })
}
