//! Data before functions and at their start, and places where functions can be patched, as directives.

use std::iter::Peekable;
use std::ops::Range;

use super::{AsmWriter, Text};
use crate::block_map;
use crate::buffer::{Field, Origin, Referent, Reloc};
use crate::compiled::CompiledFunction;
use crate::object::{
    Result, SectionSpec, block_map_section, function_section, patch_section, sled_section, stack_size_section,
    trap_section,
};
use crate::sled::VERSION;

impl AsmWriter<'_> {
    /// Writes what comes before a function. Returns how many bytes that is.
    pub(super) fn in_front(&mut self, f: &CompiledFunction, number: u32) -> Result<u64> {
        let module = self.module;
        let mut size = module.prefix(f.symbol).map_or(0, |data| data.size);
        if let Some(data) = module.prefix(f.symbol) {
            self.contents(data)?;
        }
        if let Some(id) = module.type_id(f.symbol) {
            let align = u64::from(f.align.max(module.symbol(f.symbol).align).max(1));
            let bytes = self.format.type_id_bytes(id.id, f.patch.map_or(0, |patch| patch.before), align);
            if let Some(place) = id.place {
                let name = self.name(place);
                self.binding(place, &name);
                self.typed(&name, "function");
                self.line(format_args!("{name}:"));
                self.bytes(&bytes);
                self.line(format_args!("\t.size\t{name}, .-{name}"));
            } else {
                self.bytes(&bytes);
            }
            size += bytes.len() as u64;
        }
        if let Some(patch) = f.patch.filter(|patch| patch.before > 0) {
            let p = self.format.private_prefix();
            self.line(format_args!("{p}patch{number}:"));
            let mut nops = Vec::new();
            self.format.room_for_patches(&mut nops, patch);
            self.bytes(&nops);
            size += nops.len() as u64;
        }
        if let Some(data) = module.type_hash(f.symbol) {
            self.contents(data)?;
            size += data.size;
        }
        Ok(size)
    }

    /// Writes a range of a function that is data; `relocs` are the relocations from its start on.
    pub(super) fn data_in_code<'a>(
        &mut self,
        text: Text<'_>,
        range: Range<u32>,
        relocs: &mut Peekable<impl Iterator<Item = &'a Reloc>>,
    ) -> Result {
        let mut at = range.start as usize;
        while let Some(reloc) = relocs.next_if(|r| r.offset < range.end) {
            self.bytes(&text.f.code[at..reloc.offset as usize]);
            let wide = reloc.kind.field == Field::WORD8;
            let end = reloc.offset + if wide { 8 } else { 4 };
            let field = if reloc.kind.of == Referent::Address {
                let (name, _) = self.referent(text, reloc)?;
                let addend = if reloc.addend == 0 { String::new() } else { format!("{:+}", reloc.addend) };
                let relative = if reloc.kind.from == Origin::Field { "-." } else { "" };
                format!("{name}{addend}{relative}")
            } else {
                self.field(text, reloc, reloc.offset..end)?
            };
            let directive = match reloc.kind.from {
                Origin::Section => ".secrel32",
                _ if wide => ".quad",
                _ => ".long",
            };
            self.line(format_args!("\t{directive}\t{field}"));
            at = end as usize;
        }
        self.bytes(&text.f.code[at..range.end as usize]);
        Ok(())
    }

    /// Lists where the checks of types of a function trap.
    pub(super) fn type_traps(&mut self, f: &CompiledFunction, number: u32) {
        if f.type_traps.is_empty() {
            return;
        }
        self.switch(trap_section(self.module, f.symbol));
        let p = self.format.private_prefix();
        for at in &f.type_traps {
            self.line(format_args!("\t.long\t{p}BB{number}_{at}-."));
        }
    }

    /// Lists where tools can write calls into a function, and where that list is.
    pub(super) fn sleds(&mut self, f: &CompiledFunction, number: u32) {
        if f.sleds.is_empty() {
            return;
        }
        self.switch(sled_section(self.module, f.symbol, "xray_instr_map"));
        let (p, word) = (self.format.private_prefix(), usize::from(self.format.pointer_bytes));
        let directive = if word == 8 { ".quad" } else { ".long" };
        self.line(format_args!("{p}xray{number}:"));
        for &(at, kind) in &f.sleds {
            self.line(format_args!("\t{directive}\t{p}BB{number}_{at}-."));
            self.line(format_args!("\t{directive}\t{p}BB{number}_0-."));
            let mut rest = [0; 16];
            rest[..3].copy_from_slice(&[kind as u8, f.always_sleds.into(), VERSION]);
            self.bytes(&rest[..2 * word]);
        }
        self.switch(sled_section(self.module, f.symbol, "xray_fn_idx"));
        self.align(2 * word as u64);
        self.line(format_args!("\t{directive}\t{p}xray{number}-."));
        self.line(format_args!("\t{directive}\t{}", f.sleds.len()));
    }

    /// Says where the blocks of a function are, and how much stack it takes.
    pub(super) fn described(&mut self, f: &CompiledFunction, number: u32) -> Result {
        if f.stack_bytes.is_none() && f.blocks.is_empty() {
            return Ok(());
        }
        let code = function_section(self.format, self.module, f.symbol, self.retained[f.symbol.index()])?;
        let with = *self.described.entry(code).or_insert(f.symbol);
        if let Some(bytes) = f.stack_bytes {
            let mut rest = Vec::new();
            block_map::number(&mut rest, bytes);
            self.about(stack_size_section(self.module, with), &[], number, &rest);
        }
        if !f.blocks.is_empty() && !f.code.is_empty() {
            let rest = block_map::contents(&f.blocks, f.code.len() as u32);
            self.about(block_map_section(self.module, with), &[block_map::VERSION, 0], number, &rest);
        }
        Ok(())
    }

    /// Writes bytes, the address of a function and more bytes to a section about code.
    fn about(&mut self, spec: SectionSpec, first: &[u8], number: u32, rest: &[u8]) {
        self.switch(spec);
        self.bytes(first);
        let directive = if self.format.pointer_bytes == 8 { ".quad" } else { ".long" };
        let p = self.format.private_prefix();
        self.line(format_args!("\t{directive}\t{p}BB{number}_0"));
        self.bytes(rest);
    }

    /// Records where a function can be patched.
    pub(super) fn patch_entry(&mut self, f: &CompiledFunction, number: u32) {
        let Some(patch) = f.patch else { return };
        self.switch(patch_section(self.module, f.symbol));
        let p = self.format.private_prefix();
        let at = match patch.before {
            0 => format!("{p}BB{number}_{}", patch.at),
            _ => format!("{p}patch{number}"),
        };
        self.pointer("", &at);
    }
}
