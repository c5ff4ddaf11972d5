//! The text of instructions in AT&T syntax.

use std::fmt::{self, Write};

use super::instruction::{Address, Insn};
use crate::x86::encode::forms::{CHOICES, Operand};

impl Insn {
    /// Writes the name, without the word for an operand that may be part of it.
    fn write_name(&self, out: &mut String) {
        let (constant, fields) = self.head.form.name();
        out.extend(constant);
        for (k, piece) in fields.split(['{', '}']).enumerate() {
            out.push_str(match self.choice(piece) {
                _ if k % 2 == 0 => piece,
                Some((number, words)) => words[usize::from(number)],
                None => ["b", "w", "l", "q"][self.head.size(piece.as_bytes()[0])],
            });
        }
    }

    /// The number by which a field of the name selects a word, and the words.
    fn choice(&self, field: &str) -> Option<(u8, &'static [&'static str])> {
        let (byte, field) = match field.strip_prefix('/') {
            Some(field) => (self.head.modrm, field),
            None => (self.head.opcode, field),
        };
        let (_, shift, words) = CHOICES.into_iter().find(|choice| choice.0 == field)?;
        Some((byte >> shift & (words.len() - 1) as u8, words))
    }

    /// The distance from the instruction's start of the target of a branch, or of an operand that counts from the
    /// instruction's end.
    pub(in crate::x86) fn target(&self) -> Option<i64> {
        match self.address.is_relative {
            _ if self.is_branch => Some(self.len as i64 + self.immediate),
            true => Some(self.len as i64 + self.address.displacement),
            false => None,
        }
    }

    /// Appends the text, in which an expression may replace a field or the target of a branch or address.
    pub(in crate::x86) fn write(&self, names: &Names, out: &mut String) {
        if self.head.has_lock {
            out.push_str("lock ");
        }
        if self.has_notrack {
            out.push_str("notrack ");
        }
        let start = out.len();
        self.write_name(out);
        let mut separator = " ";
        for operand in self.head.form.operands.iter().copied().filter(|operand| !operand.is_hidden()) {
            let is_left_out = match operand.place() {
                b'P' => include_in_name(out, start, self.immediate),
                // It is also the next one.
                b'D' => self.head.register(operand) == Some((self.head.modrm >> 3 & 7 | self.head.rex(4), false)),
                _ => false,
            };
            if !is_left_out {
                out.push_str(separator);
                self.write_operand(operand, names, out);
                separator = ", ";
            }
        }
    }

    fn write_operand(&self, operand: Operand, names: &Names, out: &mut String) {
        if operand.is_indirect() {
            out.push('*');
        }
        let _ = match (operand.place(), self.head.register(operand)) {
            (_, Some((number, true))) => write!(out, "%xmm{number}"),
            (_, Some((number, false))) => self.write_general(number, self.head.size(operand.size()), out),
            (b'%' | b'$', _) => out.write_str(operand.text),
            (b'S', _) => write!(out, "%st({})", self.head.opcode & 7),
            (b'I' | b'P', _) => match &names.immediate {
                Some(expression) => write!(out, "${expression}"),
                None if operand.size() == b'p' => {
                    let [first, second, ..] = self.immediate.to_le_bytes();
                    write!(out, "${second}, ${first}")
                }
                None => write!(out, "${}", Signed(self.immediate)),
            },
            (b'J', _) => match &names.branch {
                Some(expression) => out.write_str(expression),
                None => write!(out, "{}", Unsigned(names.offset + self.len as i64 + self.immediate)),
            },
            _ => self.write_address(names, out),
        };
    }

    fn write_general(&self, number: u8, size: usize, out: &mut String) -> fmt::Result {
        const NAMES: [&str; 8] = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"];
        match (NAMES.get(usize::from(number)), size) {
            (Some(name), 0) if number < 4 => write!(out, "%{}l", &name[..1]),
            (Some(name), 0) if self.head.prefixes.rex.is_some() => write!(out, "%{name}l"),
            (Some(_), 0) => write!(out, "%{}h", &NAMES[usize::from(number) - 4][..1]),
            (Some(name), _) => write!(out, "%{}{name}", ["", "", "e", "r"][size]),
            (None, _) => write!(out, "%r{number}{}", ["b", "w", "d", ""][size]),
        }
    }

    fn write_address(&self, names: &Names, out: &mut String) -> fmt::Result {
        let Address { base, index, displacement, is_relative } = self.address;
        let word = if self.head.bits == 64 { 3 } else { 2 };
        if let Some(segment) = self.segment {
            write!(out, "%{segment}:")?;
        }
        let is_absolute = base.is_none() && index.is_none() && !is_relative;
        match &names.memory {
            Some(expression) => out.write_str(expression)?,
            None if is_absolute && self.head.bits == 32 => write!(out, "{}", Unsigned(displacement & 0xffff_ffff))?,
            None if is_absolute => write!(out, "{}", Unsigned(displacement))?,
            None if displacement == 0 => {}
            None => write!(out, "{}", Signed(displacement))?,
        }
        if is_absolute {
            return Ok(());
        }
        out.write_char('(')?;
        match base {
            _ if is_relative => out.write_str("%rip")?,
            Some(base) => self.write_general(base, word, out)?,
            None => {}
        }
        if let Some((index, scale)) = index {
            out.write_char(',')?;
            self.write_general(index, word, out)?;
            if scale > 1 {
                write!(out, ",{scale}")?;
            }
        }
        out.write_char(')')
    }
}

/// Expressions for the operands of an instruction.
#[derive(Default)]
pub(in crate::x86) struct Names {
    /// Code offset of the instruction.
    pub offset: i64,
    pub memory: Option<String>,
    pub immediate: Option<String>,
    pub branch: Option<String>,
}

/// Includes the word for an immediate in the name at the end of the text, if there is one.
fn include_in_name(text: &mut String, name: usize, immediate: i64) -> bool {
    const PREDICATES: [&str; 8] = ["eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord"];
    let (at, word) = match (immediate, text[name..].starts_with("pclmul")) {
        (0, true) => (6, "lql"),
        (1, true) => (6, "hql"),
        (0x10, true) => (6, "lqh"),
        (0x11, true) => (6, "hqh"),
        (0..8, false) => (3, PREDICATES[immediate as usize]),
        _ => return false,
    };
    text.insert_str(name + at, word);
    true
}

/// A number in text: in hexadecimal if it has more than one digit.
struct Unsigned(i64);

impl fmt::Display for Unsigned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if (0..10).contains(&self.0) { write!(f, "{}", self.0) } else { write!(f, "{:#x}", self.0) }
    }
}

/// The same with a sign.
struct Signed(i64);

impl fmt::Display for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0 < 0 { "-" } else { "" })?;
        Unsigned(self.0.wrapping_abs()).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::{Insn, Names};

    #[test]
    fn branches_without_a_marker() {
        let text = |code: &[u8], bits| {
            let mut out = String::new();
            Insn::decode(code, bits).expect("a form").write(&Names::default(), &mut out);
            out
        };
        assert_eq!(text(&[0x3e, 0xff, 0xd3], 64), "notrack callq *%rbx");
        assert_eq!(text(&[0x3e, 0xff, 0x20], 64), "notrack jmpq *(%rax)");
        assert_eq!(text(&[0x3e, 0x8b, 0x00], 32), "movl %ds:(%eax), %eax");
    }
}
