//! Writes the frames of functions as directives, from which the assembler makes Windows' tables.

use crate::asm::AsmWriter;
use crate::buffer::SehOp;
use crate::object::FunctionTables;

/// The name of a register of x86-64 by its number in the tables (Microsoft, "x64 exception handling"): GNU's assembler takes no numbers.
fn general(register: u8) -> &'static str {
    const NAMES: [&str; 16] =
        ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];
    NAMES[usize::from(register) % NAMES.len()]
}

impl AsmWriter<'_> {
    /// Writes a step of the prologue or an epilogue, with the length of its instruction.
    pub(crate) fn seh(&mut self, op: SehOp, bytes: u8) {
        let tables = self.format.function_tables();
        let arm = tables == Some(FunctionTables::Arm64);
        if tables == Some(FunctionTables::Thumb) && self.seh_thumb(op, if bytes == 4 { "_w" } else { "" }) {
            return;
        }
        match op {
            SehOp::Push(register) => self.line(format_args!("\t.seh_pushreg\t%{}", general(register))),
            // This step belongs to other tables.
            SehOp::PushSet(_) => {}
            SehOp::Allocate(bytes) => self.line(format_args!("\t.seh_stackalloc\t{bytes}")),
            SehOp::SetFrame { offset: 0, .. } if arm => self.line(format_args!("\t.seh_set_fp")),
            SehOp::SetFrame { offset, .. } if arm => self.line(format_args!("\t.seh_add_fp\t{offset}")),
            SehOp::SetFrame { register, offset } => {
                self.line(format_args!("\t.seh_setframe\t%{}, {offset}", general(register)));
            }
            SehOp::SaveVector { register, offset } => {
                self.line(format_args!("\t.seh_savexmm\t%xmm{register}, {offset}"));
            }
            SehOp::Save { first, last, offset } => self.seh_save(first, last, "", offset),
            SehOp::SaveLowering { registers, vectors, bytes } => {
                let base = if vectors { 32 } else { 0 };
                let (first, last) = (registers.trailing_zeros() as u8, 31 - registers.leading_zeros() as u8);
                self.seh_save(base + first, base + last, "_x", bytes);
            }
            SehOp::SignReturn => self.line(format_args!("\t.seh_pac_sign_lr")),
            SehOp::Nop => self.line(format_args!("\t.seh_nop")),
            SehOp::EndPrologue => self.line(format_args!("\t.seh_endprologue")),
            SehOp::BeginEpilogue => self.line(format_args!("\t.seh_startepilogue")),
            SehOp::EndEpilogue => self.line(format_args!("\t.seh_endepilogue")),
        }
    }

    /// Writes a step in ARM's form, where directives contain the length of instructions.
    fn seh_thumb(&mut self, op: SehOp, wide: &str) -> bool {
        match op {
            SehOp::Allocate(bytes) => self.line(format_args!("\t.seh_stackalloc{wide}\t{bytes}")),
            SehOp::SetFrame { register, .. } => self.line(format_args!("\t.seh_save_sp\tr{register}")),
            SehOp::Nop => self.line(format_args!("\t.seh_nop{wide}")),
            SehOp::SaveLowering { registers, vectors, .. } => {
                // Vector registers are named by the number of their first half.
                let (name, letter, step) = if vectors { ("fregs", 'd', 2) } else { ("regs", 'r', 1) };
                let wide = if vectors { "" } else { wide };
                let named = |n: u32| match n {
                    14 if !vectors => "lr".to_string(),
                    _ => format!("{letter}{}", n / step),
                };
                let names: Vec<_> = (0..32).filter(|n| registers >> n & 1 != 0).map(named).collect();
                self.line(format_args!("\t.seh_save_{name}{wide}\t{{{}}}", names.join(", ")));
            }
            _ => return false,
        }
        true
    }

    /// Writes that one register or two are stored.
    fn seh_save(&mut self, first: u8, last: u8, how: &str, offset: u32) {
        let (letter, register, vector) = if first < 32 { ('x', first, "") } else { ('d', first - 32, "f") };
        let count = match last - first {
            0 => "reg",
            1 => "regp",
            _ => "lrpair",
        };
        self.line(format_args!("\t.seh_save_{vector}{count}{how}\t{letter}{register}, {offset}"));
    }
}
