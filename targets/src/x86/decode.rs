//! Machine code taken apart by the encoder's forms, for text and for the checker of register allocation.

use std::fmt::{self, Write};

use super::encode::forms::{CHOICES, Form, Forms, Operand, Prefixes};
use super::encode::ops::{INTEGER_FORMS, SSE_FORMS};
use super::encode::vex::VEX_FORMS;
use super::encode::x87::X87_FORMS;

/// All forms. Where several fit, the first is meant.
const FORMS: [&[Forms]; 4] = [INTEGER_FORMS, SSE_FORMS, X87_FORMS, VEX_FORMS];

/// What a memory operand names.
#[derive(Clone, Copy, Default)]
struct Address {
    base: Option<u8>,
    /// A register, and the number that it is multiplied with.
    index: Option<(u8, u8)>,
    displacement: i64,
    /// The displacement counts from the end of the instruction.
    is_relative: bool,
}

/// An instruction.
pub(super) struct Insn {
    form: Form,
    bits: u32,
    prefixes: Prefixes,
    has_lock: bool,
    /// The indirect branch may go to what has no marker.
    has_notrack: bool,
    segment: Option<&'static str>,
    /// VEX's third register.
    vvvv: u8,
    /// The opcode's last byte.
    opcode: u8,
    modrm: u8,
    address: Address,
    /// Where in the instruction the address's displacement is.
    pub displacement_at: Option<usize>,
    immediate: i64,
    pub is_branch: bool,
    pub len: usize,
}

/// Bytes that are read one after another, with zeros behind them.
struct Bytes<'c> {
    code: &'c [u8],
    at: usize,
}

impl Bytes<'_> {
    fn peek(&self, n: usize) -> u8 {
        self.code.get(self.at + n).copied().unwrap_or(0)
    }

    fn next(&mut self) -> u8 {
        self.at += 1;
        self.code.get(self.at - 1).copied().unwrap_or(0)
    }

    /// A number with a sign.
    fn number(&mut self, len: u32) -> i64 {
        let number = (0..len).fold(0, |n, k| n | u64::from(self.next()) << (8 * k));
        let above = (64 - 8 * len) % 64;
        (number << above) as i64 >> above
    }
}

impl Insn {
    /// The first instruction of some code in the mode of so many bits, if it has one of the encoder's forms.
    pub(super) fn decode(code: &[u8], bits: u32) -> Option<Insn> {
        let mut bytes = Bytes { code, at: 0 };
        let (mut prefixes, mut has_lock, mut segment) = (Prefixes::default(), false, None);
        loop {
            match bytes.peek(0) {
                0xf0 => has_lock = true,
                0x66 => prefixes.has_66 = true,
                byte @ (0xf2 | 0xf3) => prefixes.repeat = byte,
                0x36 => segment = Some("ss"),
                0x3e => segment = Some("ds"),
                0x64 => segment = Some("fs"),
                0x65 => segment = Some("gs"),
                _ => break,
            }
            bytes.next();
        }
        let mut vvvv = 0;
        let is_vex = bytes.peek(0) == 0xc4 && (bits == 64 || bytes.peek(1) >= 0xc0);
        if is_vex {
            let [_, first, second] = [(); 3].map(|()| bytes.next());
            vvvv = !second >> 3 & if bits == 64 { 15 } else { 7 };
            let rex = if bits == 64 { !first >> 5 } else { 0 } | second >> 4 & 8;
            let repeat = [0, 0, 0xf3, 0xf2][usize::from(second & 3)];
            prefixes = Prefixes { has_66: second & 3 == 1, repeat, rex: Some(rex), is_vex };
        } else if bits == 64 && bytes.peek(0) >> 4 == 4 {
            prefixes.rex = Some(bytes.next() & 15);
        }
        let mut word = (0..4).fold(0, |word, k| word | u32::from(bytes.peek(k)) << (8 * k));
        if is_vex {
            word = word << 16 | 0x380f;
        }
        let form = FORMS.into_iter().flatten().find_map(|forms| forms.find(prefixes, word))?;
        bytes.at += form.len - if is_vex { 2 } else { 0 };
        let opcode = (word >> (8 * form.len - 8)) as u8;
        let modrm = if form.has_modrm { bytes.next() } else { 0xc0 };
        let mut insn = Insn {
            form,
            bits,
            prefixes,
            has_lock,
            has_notrack: false,
            segment,
            vvvv,
            opcode,
            modrm,
            address: Address::default(),
            displacement_at: None,
            immediate: 0,
            is_branch: false,
            len: 0,
        };
        if modrm >> 6 != 3 {
            insn.read_address(&mut bytes);
        }
        for operand in insn.form.operands() {
            match operand.place() {
                b'I' | b'P' | b'J' => insn.immediate = bytes.number(insn.immediate_bytes(operand.size())),
                b'O' => {
                    insn.displacement_at = Some(bytes.at);
                    insn.address.displacement = bytes.number(bits / 8);
                }
                _ => {}
            }
            insn.is_branch |= operand.place() == b'J';
            if operand.is_indirect() && segment == Some("ds") {
                (insn.has_notrack, insn.segment) = (true, None);
            }
        }
        insn.len = bytes.at;
        (bytes.at <= code.len()).then_some(insn)
    }

    /// The first instruction behind prefixes that change nothing, and how many these are: they pad the code sequences of thread-local
    /// storage.
    pub(super) fn decode_padded(code: &[u8], bits: u32) -> Option<(usize, Insn)> {
        let padding = code.iter().take_while(|byte| matches!(byte, 0x66 | 0x48)).count();
        (0..=padding).find_map(|skipped| Some((skipped, Insn::decode(&code[skipped..], bits)?)))
    }

    /// What follows ModRM.
    fn read_address(&mut self, bytes: &mut Bytes<'_>) {
        let mode = self.modrm >> 6;
        let mut base = self.modrm & 7;
        if base == 4 {
            let sib = bytes.next();
            base = sib & 7;
            let index = sib >> 3 & 7 | self.rex(2);
            self.address.index = (index != 4).then_some((index, 1 << (sib >> 6)));
        } else if base == 5 && mode == 0 {
            self.address.is_relative = self.bits == 64;
        }
        let has_base = base != 5 || mode != 0;
        self.address.base = has_base.then_some(base | self.rex(1));
        let len = match mode {
            1 => 1,
            0 if has_base => 0,
            _ => 4,
        };
        self.displacement_at = (len > 0).then_some(bytes.at);
        self.address.displacement = bytes.number(len);
    }

    /// What a bit of the REX prefix, 4, 2 or 1, adds to a register's number.
    fn rex(&self, bit: u8) -> u8 {
        if self.prefixes.rex.unwrap_or(0) & bit != 0 { 8 } else { 0 }
    }

    /// The logarithm of the size that a letter stands for.
    fn size(&self, letter: u8) -> usize {
        let is_wide = self.prefixes.rex.unwrap_or(0) & 8 != 0;
        match letter {
            b'b' => 0,
            b's' if self.opcode & 1 == 0 => 0,
            b'w' => 1,
            b's' | b'v' | b'z' if !is_wide && self.form.is_word => 1,
            b'q' => 3,
            b's' | b'v' | b'y' if is_wide => 3,
            b'n' if self.bits == 64 => 3,
            _ => 2,
        }
    }

    /// The bytes of an immediate: none has eight that is not always so large.
    fn immediate_bytes(&self, letter: u8) -> u32 {
        let bytes = 1 << self.size(letter);
        if letter == b'q' { bytes } else { bytes.min(4) }
    }

    /// What a branch or an operand that counts from the end of the instruction refers to, from its start.
    pub(super) fn target(&self) -> Option<i64> {
        match self.address.is_relative {
            _ if self.is_branch => Some(self.len as i64 + self.immediate),
            true => Some(self.len as i64 + self.address.displacement),
            false => None,
        }
    }

    /// The general register of an operand, or with `true` the vector register; nothing if it is not one.
    pub(super) fn register(&self, operand: Operand) -> Option<(u8, bool)> {
        let is_direct = self.modrm >> 6 == 3;
        let rm = self.modrm & 7 | self.rex(1);
        let reg = self.modrm >> 3 & 7 | self.rex(4);
        Some(match operand.place() {
            b'E' | b'R' | b'D' if is_direct => (rm, false),
            b'W' | b'U' if is_direct => (rm, true),
            b'G' => (reg, false),
            b'V' => (reg, true),
            b'B' => (self.vvvv, false),
            b'H' => (self.vvvv, true),
            b'Z' => (self.opcode & 7 | self.rex(1), false),
            b'a' => (0, false),
            b'c' => (1, false),
            b'd' => (2, false),
            b'f' => (5, false),
            _ => return None,
        })
    }

    /// The number by which a field of the name chooses a word, and the words.
    fn choice(&self, field: &str) -> Option<(u8, &'static [&'static str])> {
        let (byte, field) = match field.strip_prefix('/') {
            Some(field) => (self.modrm, field),
            None => (self.opcode, field),
        };
        let (_, shift, words) = CHOICES.into_iter().find(|choice| choice.0 == field)?;
        Some((byte >> shift & (words.len() - 1) as u8, words))
    }

    /// The name, without a word for an operand that may be part of it.
    fn write_name(&self, out: &mut String) {
        let (constant, fields) = self.form.name();
        out.extend(constant);
        for (k, piece) in fields.split(['{', '}']).enumerate() {
            out.push_str(match self.choice(piece) {
                _ if k % 2 == 0 => piece,
                Some((number, words)) => words[usize::from(number)],
                None => ["b", "w", "l", "q"][self.size(piece.as_bytes()[0])],
            });
        }
    }

    /// Registers that it may change, as the allocator numbers them.
    fn written(&self) -> u64 {
        let mut name = String::new();
        self.write_name(&mut name);
        let is_compare = name.starts_with("cmp");
        self.form.operands().filter(|operand| operand.is_written(is_compare)).fold(0, |mask, operand| {
            mask | match self.register(operand) {
                // The accumulator has both halves of a product of bytes.
                _ if operand.place() == b'd' && self.size(operand.size()) == 0 => 0,
                _ if operand.text == "%xmm0" => 1 << 32,
                Some((number, is_vector)) => 1 << (number + if is_vector { 32 } else { 0 }),
                None => 0,
            }
        })
    }

    /// Appends the text, in which an expression may stand for a field or for the target of a branch or address.
    pub(super) fn write(&self, names: &Names, out: &mut String) {
        if self.has_lock {
            out.push_str("lock ");
        }
        if self.has_notrack {
            out.push_str("notrack ");
        }
        let start = out.len();
        self.write_name(out);
        let mut separator = " ";
        for operand in self.form.operands().filter(|operand| !operand.is_hidden()) {
            let is_left_out = match operand.place() {
                b'P' => include_in_name(out, start, self.immediate),
                // It is also the next one.
                b'D' => self.register(operand) == Some((self.modrm >> 3 & 7 | self.rex(4), false)),
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
        let _ = match (operand.place(), self.register(operand)) {
            (_, Some((number, true))) => write!(out, "%xmm{number}"),
            (_, Some((number, false))) => self.write_general(number, self.size(operand.size()), out),
            (b'%' | b'$', _) => out.write_str(operand.text),
            (b'S', _) => write!(out, "%st({})", self.opcode & 7),
            (b'I' | b'P', _) => match &names.immediate {
                Some(expression) => write!(out, "${expression}"),
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
            (Some(name), 0) if self.prefixes.rex.is_some() => write!(out, "%{name}l"),
            (Some(_), 0) => write!(out, "%{}h", &NAMES[usize::from(number) - 4][..1]),
            (Some(name), _) => write!(out, "%{}{name}", ["", "", "e", "r"][size]),
            (None, _) => write!(out, "%r{number}{}", ["b", "w", "d", ""][size]),
        }
    }

    fn write_address(&self, names: &Names, out: &mut String) -> fmt::Result {
        let Address { base, index, displacement, is_relative } = self.address;
        let word = if self.bits == 64 { 3 } else { 2 };
        if let Some(segment) = self.segment {
            write!(out, "%{segment}:")?;
        }
        let is_absolute = base.is_none() && index.is_none() && !is_relative;
        match &names.memory {
            Some(expression) => out.write_str(expression)?,
            None if is_absolute && self.bits == 32 => write!(out, "{}", Unsigned(displacement & 0xffff_ffff))?,
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

/// Expressions that stand in an instruction.
#[derive(Default)]
pub(super) struct Names {
    /// Where in the code the instruction is.
    pub offset: i64,
    pub memory: Option<String>,
    pub immediate: Option<String>,
    pub branch: Option<String>,
}

/// Puts the word for an immediate into the name that text ends with, if there is one.
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

/// A number as text has it: in hexadecimal if it has more than one digit.
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

/// The length of an instruction of which assemblers take another form, if this is one: the move by which functions of 32-bit Windows begin, which
/// changes nothing, and the jump by one of the later registers with REX.W.
pub(super) fn other_form(code: &[u8]) -> Option<usize> {
    match code {
        [0x8b, 0xff, ..] => Some(2),
        [0x49, 0xff, 0xe0..=0xe7, ..] => Some(3),
        _ => None,
    }
}

/// General-purpose and vector registers that a stretch of code may change, as the allocator numbers them. What calls change is not
/// known here; `bits`: of the machine's mode.
pub(super) fn written(code: &[u8], bits: u32) -> u64 {
    let (mut rest, mut mask) = (code, 0);
    while !rest.is_empty() {
        let len = match Insn::decode_padded(rest, bits) {
            Some((skipped, insn)) => {
                mask |= insn.written();
                skipped + insn.len
            }
            // Nobody emits what has no form: take it for something that changes everything.
            None => match other_form(rest) {
                Some(len) => len,
                None => return !0,
            },
        };
        rest = &rest[len..];
    }
    mask
}

#[cfg(test)]
mod tests {
    use super::{Insn, Names, written};

    #[test]
    fn prefixes_that_change_nothing() {
        // `call *__tls_get_addr@GOTPCREL(%rip)` and the direct call, as they are padded behind the address of a thread-local variable.
        assert_eq!(written(&[0x66, 0x48, 0xff, 0x15, 0, 0, 0, 0], 64), 0);
        assert_eq!(written(&[0x66, 0x66, 0x48, 0xe8, 0, 0, 0, 0], 64), 0);
        assert_eq!(written(&[0x66, 0x48, 0x8d, 0x3d, 0, 0, 0, 0], 64), 1 << 7);
        assert_eq!(written(&[0x8b, 0xff], 32), 0);
    }

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
