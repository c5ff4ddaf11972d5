//! x86 instructions as text in AT&T syntax, which GNU's and LLVM's assemblers share.

use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;

use gusset_codegen::asm::{Decoded, Disassembler, Operands};
use gusset_codegen::buffer::{Origin, Referent, RelocKind};
use iced_x86::{
    Decoder, DecoderOptions, Formatter, FormatterOptions, GasFormatter, Instruction, Mnemonic, OpKind, SymbolResolver,
    SymbolResult,
};

use super::reloc;

/// Prints instructions as assemblers read them.
pub struct AttPrinter {
    /// Of the mode, 32 or 64.
    bits: u32,
    formatter: GasFormatter,
    names: Rc<RefCell<Names>>,
}

/// The expressions that stand in the operands of the instruction being printed.
#[derive(Default)]
struct Names {
    memory: Option<String>,
    immediate: Option<String>,
    branch: Option<String>,
}

struct Resolver(Rc<RefCell<Names>>);

impl SymbolResolver for Resolver {
    fn symbol(
        &mut self,
        instruction: &Instruction,
        _operand: u32,
        instruction_operand: Option<u32>,
        address: u64,
        _address_size: u32,
    ) -> Option<SymbolResult<'_>> {
        let names = self.0.borrow();
        let name = match instruction.op_kind(instruction_operand?) {
            OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64 => &names.branch,
            OpKind::Memory => &names.memory,
            _ => &names.immediate,
        };
        name.as_ref().map(|name| SymbolResult::with_string(address, name.clone()))
    }
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

    /// A printer of code of the mode of so many bits, 32 or 64.
    pub fn with_bits(bits: u32) -> AttPrinter {
        let names = Rc::new(RefCell::new(Names::default()));
        let mut formatter = GasFormatter::with_options(Some(Box::new(Resolver(Rc::clone(&names)))), None);
        set_options(formatter.options_mut());
        AttPrinter { bits, formatter, names }
    }
}

fn set_options(options: &mut FormatterOptions) {
    options.set_gas_show_mnemonic_size_suffix(true);
    options.set_space_after_operand_separator(true);
    options.set_rip_relative_addresses(true);
    options.set_uppercase_hex(false);
    options.set_small_hex_numbers_in_decimal(true);
    options.set_signed_immediate_operands(true);
    options.set_signed_memory_displacements(true);
}

fn is_branch(instruction: &Instruction) -> bool {
    (0..instruction.op_count())
        .any(|i| matches!(instruction.op_kind(i), OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64))
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
        let mut decoder = Decoder::with_ip(self.bits, code, 0, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            let target = if instruction.is_invalid() {
                None
            } else if is_branch(&instruction) {
                Some(instruction.near_branch_target() as i64)
            } else if instruction.is_ip_rel_memory_operand() {
                Some(instruction.ip_rel_memory_address() as i64)
            } else {
                None
            };
            out.push(Decoded { len: instruction.len() as u32, target });
        }
    }

    fn print(&mut self, code: &[u8], offset: u32, len: u32, operands: Operands<'_>, out: &mut String) {
        let whole = &code[offset as usize..(offset + len) as usize];
        let mut decoder = Decoder::with_ip(self.bits, whole, offset.into(), DecoderOptions::NONE);
        let mut instruction = decoder.decode();
        // Of the two forms of the one assemblers take the other; of the jump by one of the later registers, the form without REX.W.
        if instruction.is_invalid() || matches!(whole, [0x8b, 0xff] | [0x49, 0xff, 0xe0..=0xe7]) {
            return data(whole, out);
        }
        // Prefixes that change nothing pad the code sequences of thread-local storage; no mnemonic has them.
        let mut bytes = whole;
        while let [0x66 | 0x48, rest @ ..] = bytes {
            let skipped = (whole.len() - rest.len()) as u64;
            let mut shorter = Decoder::with_ip(self.bits, rest, u64::from(offset) + skipped, DecoderOptions::NONE);
            let same = shorter.decode();
            if same != instruction || same.len() != rest.len() {
                break;
            }
            (bytes, instruction, decoder) = (rest, same, shorter);
        }
        let skipped = whole.len() - bytes.len();
        if skipped > 0 {
            data(&whole[..skipped], out);
            out.push_str("\n\t");
        }
        let places = decoder.get_constant_offsets(&instruction);
        let branch = is_branch(&instruction);
        {
            let mut names = self.names.borrow_mut();
            *names = Names::default();
            if let Some(label) = operands.label {
                let name = if branch { &mut names.branch } else { &mut names.memory };
                *name = Some(label.to_string());
            }
            for (at, expression) in operands.fields {
                let name = if branch {
                    &mut names.branch
                } else if places.has_displacement() && places.displacement_offset() + skipped == *at as usize {
                    &mut names.memory
                } else {
                    &mut names.immediate
                };
                *name = Some(expression.clone());
            }
        }
        if branch && bytes.len() > 2 && bytes[0] != 0xe8 {
            // A branch that is long stays long, whether or not a short one would reach.
            out.push_str("{disp32} ");
        }
        let start = out.len();
        self.formatter.format(&instruction, out);
        let exchange = instruction.mnemonic() == Mnemonic::Xchg;
        if exchange && instruction.op0_kind() == OpKind::Register && instruction.op1_kind() == OpKind::Register {
            // Either order means the same; the assembler's choice of fields follows the order.
            let text = out.split_off(start);
            let swapped = text.split_once(' ').and_then(|(op, operands)| Some((op, operands.split_once(", ")?)));
            match swapped {
                Some((op, (a, b))) if bytes.iter().rev().nth(1).is_some_and(|opcode| opcode & !1 == 0x86) => {
                    let _ = write!(out, "{op} {b}, {a}");
                }
                _ => out.push_str(&text),
            }
        }
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
