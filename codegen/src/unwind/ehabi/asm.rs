//! Writes directives from which the assembler makes the index of functions that unwinders of 32-bit ARM search.

use super::object::SIGNATURE;
use crate::asm::AsmWriter;
use crate::buffer::SehOp;
use crate::compiled::CompiledFunction;
use crate::unwind::itanium::lsda::Lsda;

impl AsmWriter<'_> {
    /// A step of the prologue.
    pub(crate) fn index_step(&mut self, op: SehOp) {
        match op {
            SehOp::PushSet(set) => {
                if set == SIGNATURE.into() {
                    return self.line(format_args!("\t.save\t{{ra_auth_code}}"));
                }
                let lists = [(".save", 'r', set & 0xffff), (".vsave", 'd', set >> 16)];
                for (directive, letter, set) in lists.into_iter().filter(|list| list.2 != 0) {
                    let registers = (0..16).filter(|r| set >> r & 1 != 0).map(|r| format!("{letter}{r}"));
                    let list: Vec<String> = registers.collect();
                    self.line(format_args!("\t{directive}\t{{{}}}", list.join(", ")));
                }
            }
            SehOp::Allocate(bytes) => self.line(format_args!("\t.pad\t#{bytes}")),
            SehOp::SetFrame { register, offset } => self.line(format_args!("\t.setfp\tr{register}, sp, #{offset}")),
            _ => {}
        }
    }

    /// Writes what follows a function's code: how exceptions pass through it.
    pub(crate) fn index_end(&mut self, f: &CompiledFunction, table: Option<&Lsda>, number: u32) {
        if !f.unwind {
            self.line(format_args!("\t.cantunwind"));
        } else if let (Some(routine), Some(table)) = (f.exceptions.personality, table) {
            self.referenced[routine.index()] = true;
            let routine = self.name(routine);
            self.line(format_args!("\t.personality\t{routine}\n\t.handlerdata"));
            // The directive makes the assembler change to the section of the description; afterwards we change back.
            let code = self.section.take();
            self.landing_table(f, table, number);
            if let Some(code) = code {
                self.switch(code);
            }
        }
        self.line(format_args!("\t.fnend"));
    }
}
