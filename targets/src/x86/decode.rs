//! Decodes machine code by the encoder's forms, for text (`instruction`, `text`) and for the checker of register allocation.

#[cfg(feature = "asm")]
pub(super) mod instruction;
#[cfg(feature = "asm")]
pub(super) mod text;

use std::sync::OnceLock;

use super::encode::forms::{Form, Forms, Operand, Prefixes};
use super::encode::ops::{INTEGER_FORMS, SSE_FORMS};
use super::encode::vex::VEX_FORMS;
use super::encode::x87::X87_FORMS;

/// All forms. If several fit, the first is meant.
const FORMS: [&[Forms]; 4] = [INTEGER_FORMS, SSE_FORMS, X87_FORMS, VEX_FORMS];

/// For each opcode, numbered by [`opcode_key`], the forms that may have it; made when first asked for.
static BY_OPCODE: [OnceLock<Vec<Form>>; 4 << 8] = [const { OnceLock::new() }; 4 << 8];

/// The forms that may have the opcode in the lowest bytes of a word.
fn forms_of(word: u32) -> &'static [Form] {
    let key = opcode_key(word);
    let len = [1, 2, 3, 3][key >> 8];
    BY_OPCODE[key].get_or_init(|| FORMS.into_iter().flatten().flat_map(|forms| forms.of_opcode(word, len)).collect())
}

/// The number of the opcode in the lowest bytes of a word: its last byte, with the number of its opcode map above.
fn opcode_key(word: u32) -> usize {
    let byte = |k: u32| (word >> (8 * k)) as usize & 0xff;
    match (byte(0), byte(1)) {
        (0x0f, 0x38) => 2 << 8 | byte(2),
        (0x0f, 0x3a) => 3 << 8 | byte(2),
        (0x0f, last) => 1 << 8 | last,
        (last, _) => last,
    }
}

/// What an instruction begins with: prefixes, opcode and ModRM.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "asm"), expect(dead_code, reason = "some is of text alone"))]
struct Head {
    form: &'static Form,
    bits: u32,
    prefixes: Prefixes,
    has_lock: bool,
    segment: Option<&'static str>,
    /// VEX's third register.
    vvvv: u8,
    /// The opcode's last byte.
    opcode: u8,
    /// As of a register operand if there is none.
    modrm: u8,
}

/// Bytes that are read one after another; zeros follow them.
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

    /// The bytes that an opcode with ModRM may have.
    fn opcode(&self) -> u32 {
        let rest = self.code.get(self.at..).unwrap_or_default();
        match rest.first_chunk() {
            Some(bytes) => u32::from_le_bytes(*bytes),
            None => rest.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte)),
        }
    }
}

impl Head {
    /// Reads the head of the first instruction of some code in the mode with this many bits, if it has one of the encoder's forms. Inlined,
    /// because some callers want little of it.
    #[inline(always)]
    fn read(bytes: &mut Bytes<'_>, bits: u32) -> Option<Head> {
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
            bytes.at += 1;
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
        let mut word = bytes.opcode();
        if is_vex {
            word = word << 16 | 0x380f;
        }
        let number = prefixes.number();
        let form = forms_of(word).iter().find(|form| form.fits(number, word))?;
        bytes.at += form.len() - if is_vex { 2 } else { 0 };
        let opcode = (word >> (8 * form.len() - 8)) as u8;
        let modrm = if form.has_modrm() { bytes.next() } else { 0xc0 };
        Some(Head { form, bits, prefixes, has_lock, segment, vvvv, opcode, modrm })
    }

    /// The base register of the address after ModRM, without the bit of REX, and the number of bytes of its displacement. `sib` is the byte
    /// after ModRM.
    fn base(&self, sib: u8) -> (Option<u8>, u32) {
        let base = if self.has_sib() { sib & 7 } else { self.modrm & 7 };
        match self.modrm >> 6 {
            0 if base == 5 => (None, 4),
            0 => (Some(base), 0),
            1 => (Some(base), 1),
            _ => (Some(base), 4),
        }
    }

    /// Does a byte with an index register follow ModRM?
    fn has_sib(&self) -> bool {
        self.modrm & 7 == 4 && self.modrm >> 6 != 3
    }

    /// The bytes of what an operand has behind ModRM and address.
    fn field_bytes(&self, operand: Operand) -> u32 {
        match operand.place() {
            b'I' | b'P' | b'J' => self.immediate_bytes(operand.size()),
            b'O' => self.bits / 8,
            _ => 0,
        }
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
            b's' | b'v' | b'z' if !is_wide && self.form.is_word(self.prefixes) => 1,
            b'q' => 3,
            b's' | b'v' | b'y' if is_wide => 3,
            b'n' if self.bits == 64 => 3,
            _ => 2,
        }
    }

    /// The number of bytes of an immediate: eight only if the form always has eight.
    fn immediate_bytes(&self, letter: u8) -> u32 {
        let bytes = if letter == b'p' { 2 } else { 1 << self.size(letter) };
        if letter == b'q' { bytes } else { bytes.min(4) }
    }

    /// The general register of an operand, or with `true` the vector register; `None` if it is not one.
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

    /// Registers that it may change, by the allocator's numbers.
    fn written(&self) -> u64 {
        let is_compare = || self.form.is_compare(self.opcode, self.modrm);
        let mut mask = 0;
        for &operand in self.form.changed.iter().filter(|operand| operand.is_written(is_compare)) {
            mask |= match operand.place() {
                // A product of bytes has both its halves in the accumulator.
                b'd' if self.size(operand.size()) == 0 => 0,
                b'%' if operand.text == "%xmm0" => 1 << 32,
                _ => match self.register(operand) {
                    Some((number, is_vector)) => 1 << (number + if is_vector { 32 } else { 0 }),
                    None => 0,
                },
            };
        }
        mask
    }
}

/// What `decode` finds after prefixes without effect, and their number.
fn padded<T>(code: &[u8], decode: impl Fn(&[u8]) -> Option<T>) -> Option<(usize, T)> {
    let padding = code.iter().take_while(|byte| matches!(byte, 0x66 | 0x48)).count();
    (0..=padding).find_map(|skipped| Some((skipped, decode(&code[skipped..])?)))
}

/// The length of an instruction that assemblers encode differently: the move without effect at the start of functions
/// of 32-bit Windows, and the jump by a register from 8 on with REX.W. `None` for any other.
pub(super) fn other_form(code: &[u8]) -> Option<usize> {
    match code {
        [0x8b, 0xff, ..] => Some(2),
        [0x49, 0xff, 0xe0..=0xe7, ..] => Some(3),
        _ => None,
    }
}

/// General-purpose and vector registers that a range of code may change, by the allocator's numbers. Changes by calls
/// are not included. `bits`: the machine's mode.
pub(super) fn written(code: &[u8], bits: u32) -> u64 {
    let (mut rest, mut mask) = (code, 0);
    while !rest.is_empty() {
        if let Some(len) = jump(rest) {
            rest = rest.get(len..).unwrap_or_default();
            continue;
        }
        // The encoder emits nothing without a form: assume that it changes everything.
        let Some((len, changed)) = first(rest, bits, Head::written) else { return !0 };
        mask |= changed;
        rest = &rest[len..];
    }
    mask
}

/// The length of the first instruction of some code; 0 if it is none that the encoder emits.
pub(super) fn length(code: &[u8], bits: u32) -> usize {
    first(code, bits, |_| ()).map_or(0, |(len, ())| len)
}

/// The length of the first instruction of some code with its prefixes, and what is asked about it.
#[inline]
fn first<R: Default>(code: &[u8], bits: u32, ask: fn(&Head) -> R) -> Option<(usize, R)> {
    let known = first_form(code, bits, ask).or_else(|| {
        padded(code, |rest| first_form(rest, bits, ask)).map(|(skipped, (len, answer))| (skipped + len, answer))
    });
    known.or_else(|| Some((other_form(code)?, R::default())))
}

/// The length of a jump to a label, which changes no register. Known without its form, since most blocks end with some.
#[inline]
fn jump(code: &[u8]) -> Option<usize> {
    match code {
        [0x70..=0x7f | 0xeb, ..] => Some(2),
        [0xe9, ..] => Some(5),
        [0x0f, 0x80..=0x8f, ..] => Some(6),
        _ => None,
    }
}

/// The same for one that has one of the encoder's forms.
#[inline]
fn first_form<R>(code: &[u8], bits: u32, ask: fn(&Head) -> R) -> Option<(usize, R)> {
    let mut bytes = Bytes { code, at: 0 };
    let head = Head::read(&mut bytes, bits)?;
    if head.modrm >> 6 != 3 {
        bytes.at += usize::from(head.has_sib()) + head.base(bytes.peek(0)).1 as usize;
    }
    for &operand in &head.form.fields {
        bytes.at += head.field_bytes(operand) as usize;
    }
    (bytes.at <= code.len()).then(|| (bytes.at, ask(&head)))
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn prefixes_that_change_nothing() {
        // `call *__tls_get_addr@GOTPCREL(%rip)` and the direct call, as they are padded after the address of a thread-local variable.
        assert_eq!(written(&[0x66, 0x48, 0xff, 0x15, 0, 0, 0, 0], 64), 0);
        assert_eq!(written(&[0x66, 0x66, 0x48, 0xe8, 0, 0, 0, 0], 64), 0);
        assert_eq!(written(&[0x66, 0x48, 0x8d, 0x3d, 0, 0, 0, 0], 64), 1 << 7);
        assert_eq!(written(&[0x8b, 0xff], 32), 0);
    }
}
