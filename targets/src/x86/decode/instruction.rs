//! Instructions with all their parts, for text.

use super::{Bytes, Head, padded};

/// The parts of a memory operand.
#[derive(Clone, Copy, Default)]
pub(super) struct Address {
    pub base: Option<u8>,
    /// The index register, and its scale.
    pub index: Option<(u8, u8)>,
    pub displacement: i64,
    /// The displacement counts from the end of the instruction.
    pub is_relative: bool,
}

/// An instruction.
pub(in crate::x86) struct Insn {
    pub(super) head: Head,
    /// The indirect branch may go to code without a marker.
    pub has_notrack: bool,
    pub segment: Option<&'static str>,
    pub(super) address: Address,
    /// The position of the address's displacement in the instruction.
    pub displacement_at: Option<usize>,
    pub immediate: i64,
    pub is_branch: bool,
    pub len: usize,
}

impl Bytes<'_> {
    /// The next eight bytes.
    fn word(&self) -> u64 {
        let rest = self.code.get(self.at..).unwrap_or_default();
        match rest.first_chunk() {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
        }
    }

    /// A number with a sign.
    fn number(&mut self, len: u32) -> i64 {
        if len == 0 {
            return 0;
        }
        let above = 64 - 8 * len;
        let number = (self.word() << above) as i64 >> above;
        self.at += len as usize;
        number
    }
}

impl Insn {
    /// The first instruction of some code in the mode with this many bits, if it has one of the encoder's forms.
    pub fn decode(code: &[u8], bits: u32) -> Option<Insn> {
        let mut bytes = Bytes { code, at: 0 };
        let head = Head::read(&mut bytes, bits)?;
        let mut insn = Insn {
            head,
            has_notrack: false,
            segment: head.segment,
            address: Address::default(),
            displacement_at: None,
            immediate: 0,
            is_branch: false,
            len: 0,
        };
        if head.modrm >> 6 != 3 {
            insn.read_address(&mut bytes);
        }
        for &operand in &head.form.fields {
            match operand.place() {
                b'I' | b'P' | b'J' => insn.immediate = bytes.number(head.field_bytes(operand)),
                b'O' => {
                    insn.displacement_at = Some(bytes.at);
                    insn.address.displacement = bytes.number(head.field_bytes(operand));
                }
                _ => {}
            }
            insn.is_branch |= operand.place() == b'J';
            if operand.is_indirect() && head.segment == Some("ds") {
                (insn.has_notrack, insn.segment) = (true, None);
            }
        }
        insn.len = bytes.at;
        (bytes.at <= code.len()).then_some(insn)
    }

    /// The first instruction after prefixes without effect, and their number: they pad the code sequences of
    /// thread-local storage.
    pub fn decode_padded(code: &[u8], bits: u32) -> Option<(usize, Insn)> {
        padded(code, |code| Insn::decode(code, bits))
    }

    /// Reads what follows ModRM.
    fn read_address(&mut self, bytes: &mut Bytes<'_>) {
        let (base, len) = self.head.base(bytes.peek(0));
        if self.head.has_sib() {
            let sib = bytes.next();
            let index = sib >> 3 & 7 | self.head.rex(2);
            self.address.index = (index != 4).then_some((index, 1 << (sib >> 6)));
        } else if base.is_none() {
            self.address.is_relative = self.head.bits == 64;
        }
        self.address.base = base.map(|base| base | self.head.rex(1));
        self.displacement_at = (len > 0).then_some(bytes.at);
        self.address.displacement = bytes.number(len);
    }
}
