//! What stands in front of functions and at their start, and where they can be patched.

use super::AsmWriter;
use crate::buffer::{Field, Origin, RelocTarget};
use crate::compiled::CompiledFunction;
use crate::ir::SymbolId;
use crate::object::{ObjectError, patch_section};

impl AsmWriter<'_> {
    /// Writes what stands in front of a function.
    pub(super) fn in_front(&mut self, f: &CompiledFunction, number: u32) -> Result<(), ObjectError> {
        let module = self.module;
        if let Some(data) = module.prefix(f.symbol) {
            self.contents(data)?;
        }
        if let Some(patch) = f.patch.filter(|patch| patch.before > 0) {
            let p = self.machine.private_prefix();
            self.line(format_args!("{p}patch{number}:"));
            let mut nops = Vec::new();
            self.machine.room_for_patches(&mut nops, patch.before);
            self.bytes(&nops);
        }
        if let Some(data) = module.type_hash(f.symbol) {
            self.contents(data)?;
        }
        Ok(())
    }

    /// Writes the data that a function begins with; how many of its relocations were in it.
    pub(super) fn leading_data(&mut self, f: &CompiledFunction) -> usize {
        let own = f.relocs.partition_point(|r| r.offset < f.data);
        let mut at = 0;
        for reloc in &f.relocs[..own] {
            self.bytes(&f.code[at..reloc.offset as usize]);
            let wide = reloc.kind.field == Field::WORD8;
            let relative = if reloc.kind.from == Origin::Field { "-." } else { "" };
            if let RelocTarget::Symbol(s) = reloc.target {
                self.referenced[s as usize] = true;
                let name = self.name(SymbolId(s));
                let addend = if reloc.addend == 0 { String::new() } else { format!("{:+}", reloc.addend) };
                let directive = if wide { ".quad" } else { ".long" };
                self.line(format_args!("\t{directive}\t{name}{addend}{relative}"));
            }
            at = reloc.offset as usize + if wide { 8 } else { 4 };
        }
        self.bytes(&f.code[at..f.data as usize]);
        own
    }

    /// Writes down where a function can be patched.
    pub(super) fn patch_entry(&mut self, f: &CompiledFunction, number: u32) {
        let Some(patch) = f.patch else { return };
        self.switch(patch_section(self.module, f.symbol));
        let bytes = self.machine.pointer_bytes;
        self.align(bytes.into());
        let p = self.machine.private_prefix();
        let directive = if bytes == 8 { ".quad" } else { ".long" };
        match patch.before {
            0 => self.line(format_args!("\t{directive}\t{p}BB{number}_{}", patch.at)),
            _ => self.line(format_args!("\t{directive}\t{p}patch{number}")),
        }
    }
}
