//! Floating point. Instructions are looked at as A32 has them.

use super::super::encode::ops::*;
use super::insn::{Insn, as_a32_has_it, register};

/// What follows the names of a table's instructions, and their operands, as [`Insn::form`] has them.
const FORMS: [(&Names, &str, &str); 4] = [
    (&FRRR, "{f}", "{fd}, {fn}, {fm}"),
    (&FRR, "{f}", "{fd}, {fm}"),
    (&FZERO, "{f}", "{fd}, #0"),
    (&TO_INT, "{f}", "{sd}, {fm}"),
];

/// Other instructions: the bits that tell one, their value, its name and operands.
const OTHERS: [(u32, u32, &str, &str); 5] = [
    (0x0fff_ffff, 0x0ef1_fa10, "vmrs", "apsr_nzcv, fpscr"),
    (0x0ff0_0f7f, 0x0e00_0a10, "vmov", "{sn}, {r12}"),
    (0x0ff0_0f7f, 0x0e10_0a10, "vmov", "{r12}, {sn}"),
    (0x0ff0_0fd0, 0x0c40_0b10, "vmov", "{dm}, {r12}, {r16}"),
    (0x0ff0_0fd0, 0x0c50_0b10, "vmov", "{r12}, {r16}, {dm}"),
];

impl Insn {
    pub(super) fn float(&self) -> Option<String> {
        let word = if self.t32 { as_a32_has_it(self.word) } else { self.word };
        let insn = Insn { word, t32: false, expression: self.expression.clone(), ..*self };
        insn.plain().or_else(|| insn.moves()).or_else(|| insn.scalar_memory())
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

    /// Moves of two scalars.
    fn moves(&self) -> Option<String> {
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
