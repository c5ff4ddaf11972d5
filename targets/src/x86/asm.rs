//! x86 instructions as text in AT&T syntax, which GNU's and LLVM's assemblers share.

use std::fmt::Write;

use gusset_codegen::asm::{Decoded, Disassembler, Operands};
use gusset_codegen::buffer::{Origin, Referent, RelocKind};

use super::decode::instruction::Insn;
use super::decode::other_form;
use super::decode::text::Names;
use super::reloc;

/// Prints instructions as assemblers read them.
pub struct AttPrinter {
    /// The mode, 32 or 64 bits.
    bits: u32,
}

impl Default for AttPrinter {
    fn default() -> AttPrinter {
        AttPrinter::new()
    }
}

impl AttPrinter {
    /// A printer of 64-bit code.
    pub fn new() -> AttPrinter {
        AttPrinter::with_bits(64)
    }

    /// A printer for code in the mode with this many bits, 32 or 64.
    pub fn with_bits(bits: u32) -> AttPrinter {
        AttPrinter { bits }
    }
}

/// Bytes as data.
fn data(bytes: &[u8], out: &mut String) {
    out.push_str(".byte");
    for (i, byte) in bytes.iter().enumerate() {
        let separator = if i == 0 { '\t' } else { ',' };
        let _ = write!(out, "{separator}{byte:#04x}");
    }
}

impl Disassembler for AttPrinter {
    fn decode(&mut self, code: &[u8], out: &mut Vec<Decoded>) {
        let mut rest = code;
        while !rest.is_empty() {
            let at = (code.len() - rest.len()) as i64;
            let (len, target) = match Insn::decode_padded(rest, self.bits) {
                Some((skipped, insn)) => (skipped + insn.len, insn.target().map(|t| at + skipped as i64 + t)),
                None => (other_form(rest).unwrap_or(1), None),
            };
            out.push(Decoded { len: len as u32, target });
            rest = &rest[len..];
        }
    }

    fn print(&mut self, code: &[u8], offset: u32, len: u32, operands: Operands<'_>, out: &mut String) {
        let whole = &code[offset as usize..(offset + len) as usize];
        let Some((skipped, insn)) = Insn::decode_padded(whole, self.bits) else { return data(whole, out) };
        if skipped > 0 {
            data(&whole[..skipped], out);
            out.push_str("\n\t");
        }
        let branch = insn.is_branch;
        let mut names = Names { offset: i64::from(offset) + skipped as i64, ..Names::default() };
        if let Some(label) = operands.label {
            *if branch { &mut names.branch } else { &mut names.memory } = Some(label.to_string());
        }
        for (at, expression) in operands.fields {
            let name = if branch {
                &mut names.branch
            } else if insn.displacement_at.is_some_and(|displacement| displacement + skipped == *at as usize) {
                &mut names.memory
            } else {
                &mut names.immediate
            };
            *name = Some(expression.clone());
        }
        if branch && insn.len > 2 && whole[skipped] != 0xe8 {
            // A long branch stays long, even if a short one would reach.
            out.push_str("{disp32} ");
        }
        insn.write(&names, out);
    }

    fn expression(&self, kind: RelocKind, symbol: &str, mut addend: i64, before: u32, after: u32) -> String {
        match (kind.of, kind.from) {
            // Assemblers take it for the distance from the start of the instruction.
            (Referent::Got, _) => addend -= i64::from(before),
            (_, Origin::Field) => addend += i64::from(after),
            _ => {}
        }
        let operator = reloc::operator(kind);
        match addend {
            0 => format!("{symbol}{operator}"),
            _ => format!("{symbol}{operator}{addend:+}"),
        }
    }
}
