//! A64 instructions as text.

use std::fmt::Write;

use gusset_codegen::asm::{Decoded, Disassembler, Operands};
use gusset_codegen::buffer::RelocKind;

use super::reloc;

/// Prints instructions as assemblers read them.
pub struct Printer;

impl Disassembler for Printer {
    fn decode(&mut self, code: &[u8], out: &mut Vec<Decoded>) {
        out.extend((0..code.len() / 4).map(|_| Decoded { len: 4, target: None }));
    }

    fn print(&mut self, code: &[u8], offset: u32, _len: u32, _operands: Operands<'_>, out: &mut String) {
        let word = code[offset as usize..].first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
        let _ = write!(out, ".inst\t{word:#010x}");
    }

    fn expression(&self, kind: RelocKind, symbol: &str, addend: i64, _before: u32, _after: u32) -> String {
        let operator = reloc::operator(kind);
        if addend == 0 { format!("{operator}{symbol}") } else { format!("{operator}{symbol}{addend:+}") }
    }
}
