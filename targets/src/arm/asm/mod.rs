//! Instructions of A32 and T32 as text, in the unified syntax that GNU's and LLVM's assemblers share.
//!
//! Instructions are looked up in the encoder's tables and written by their templates. A word that is in none of the
//! tables is written as data.

mod insn;

use std::fmt::Write;

use gusset_codegen::asm::{Decoded, Directives, Disassembler, Operands};
use gusset_codegen::buffer::RelocKind;

use super::encode::{Conditions, Isa};
use super::reloc;
use insn::{Insn, distance};

/// Prints instructions as assemblers read them.
pub struct Printer {
    isa: Isa,
    /// The coprocessors that have instructions of the processor's maker, as bits.
    custom: u8,
    /// Conditions of the next instructions, in T32.
    conditions: Conditions,
    /// The part for `movt` of the operand that `movw` stands for in both (COFF).
    upper: Option<String>,
}

impl Printer {
    /// A printer for the code of an instruction set, of which these coprocessors, as bits, have instructions of the processor's maker.
    pub fn new(isa: Isa, custom: u8) -> Printer {
        Printer { isa, custom, conditions: Conditions::default(), upper: None }
    }
}

impl Disassembler for Printer {
    fn directives(&self) -> Directives {
        let function = if self.isa == Isa::T32 { "\t.thumb\n\t.thumb_func\n" } else { "\t.arm\n" };
        // `@` begins a comment.
        Directives { sigil: '%', file: "\t.syntax\tunified\n", function }
    }

    fn decode(&mut self, code: &[u8], out: &mut Vec<Decoded>) {
        let mut at = 0;
        while at < code.len() {
            let (word, len) = first(&code[at..], self.isa);
            let distance = if len > 1 { distance(word, self.isa == Isa::T32) } else { None };
            let target = distance.map(|d| at as i64 + i64::from(self.isa.ahead()) + i64::from(d));
            out.push(Decoded { len, target });
            at += len as usize;
        }
    }

    fn print(&mut self, code: &[u8], offset: u32, _len: u32, operands: Operands<'_>, out: &mut String) {
        let (word, len) = first(&code[offset as usize..], self.isa);
        let t32 = self.isa == Isa::T32;
        let expression = operands.fields.first().map(|(_, e)| e.as_str()).or(operands.label).map(str::to_string);
        let expression = expression.or(self.upper.take());
        let condition = match t32 {
            true => self.conditions.next(),
            false if word >> 28 < 14 => word >> 28,
            false => 14,
        };
        let insn = Insn::new(word, (t32, self.custom), condition, expression);
        let text = if len > 1 { insn.text() } else { None };
        if t32 && len == 2 && word >> 8 == 0xbf && word & 15 != 0 {
            self.conditions = Conditions::read(word);
        }
        if let (Some(name), Some(e)) = (text.as_deref(), &insn.expression)
            && name.starts_with("movw")
        {
            self.upper = e.strip_prefix(":lower16:").map(|e| format!(":upper16:{e}"));
        }
        let _ = match (text, len) {
            (Some(text), _) => write!(out, "{text}"),
            (None, 4) if t32 => write!(out, ".inst.w\t{word:#010x}"),
            (None, 4) => write!(out, ".inst\t{word:#010x}"),
            (None, 2) => write!(out, ".inst.n\t{word:#06x}"),
            (None, _) => write!(out, ".byte\t{word:#04x}"),
        };
    }

    fn expression(&self, kind: RelocKind, symbol: &str, addend: i64, _before: u32, _after: u32) -> String {
        let [front, after] = reloc::operators(kind);
        // In the object, branches count from the program counter; in text, from the instruction.
        let addend = addend + if reloc::is_branch(kind) { self.isa.ahead().into() } else { 0 };
        match addend {
            0 => format!("{front}{symbol}{after}"),
            _ => format!("{front}{symbol}{after}{addend:+}"),
        }
    }
}

/// The first instruction and its length. Of two half words, the first is the upper one.
fn first(code: &[u8], isa: Isa) -> (u32, u32) {
    let half = |at: usize| code.get(at..at + 2).map(|b| u32::from(b[0]) | u32::from(b[1]) << 8);
    match (half(0), half(2)) {
        (Some(low), Some(high)) if isa != Isa::T32 => (low | high << 16, 4),
        (Some(high), Some(low)) if high >> 11 >= 0x1d => (high << 16 | low, 4),
        (Some(half), _) if isa == Isa::T32 => (half, 2),
        _ => (code[0].into(), 1),
    }
}
