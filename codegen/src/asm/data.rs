//! A module's data as directives, in the order in which the object writer has it.

use gusset_abi::Endian;

use super::name::string;
use super::{AsmWriter, SectionSpec, SectionType};
use crate::buffer::Field;
use crate::ir::{DataObject, Linkage, RelocBase, SymbolId, SymbolKind};
use crate::names::bytes_of;
use crate::object::{
    Attribute, ObjectError, Result, check_data, check_size, data_reloc_kind, data_section, init_section, producers,
    property_note, resolved_aliases, sorted_fields, split_stack_notes, stack_map_section, string_sections, structors,
};
use crate::sparse::Piece;
use crate::stack_map::section::{Contents, SYMBOL};

impl AsmWriter<'_> {
    /// The attributes of the object.
    pub(super) fn build_attributes(&mut self) {
        for (tag, value) in std::mem::take(&mut self.options.attributes) {
            match value {
                Attribute::Number(n) => self.line(format_args!("\t.eabi_attribute\t{tag}, {n}")),
                Attribute::Text(text) => {
                    self.line(format_args!("\t.eabi_attribute\t{tag}, {}", string(text.as_bytes())));
                }
            }
        }
        if let Some(fpu) = self.options.fpu {
            self.line(format_args!("\t.fpu\t{fpu}"));
        }
    }

    pub(super) fn module_data(&mut self) -> Result {
        if !self.module.module_asm.trim().is_empty() {
            return Err(ObjectError::ModuleAssembly);
        }
        for data in &self.module.data {
            self.data_object(data)?;
        }
        self.aliases()?;
        self.stack_maps();
        self.initializers();
        if let Some(coff) = &self.format.coff {
            self.coff_end(coff);
            return Ok(());
        }
        self.personality_pointers();
        for producer in producers(self.module) {
            let text: Vec<u8> = bytes_of(producer).iter().copied().filter(|&b| b != 0).collect();
            self.line(format_args!("\t.ident\t{}", string(&text)));
        }
        for (spec, text) in string_sections(self.module) {
            self.switch(spec);
            self.bytes(&text);
        }
        self.undefined();
        if let Some(note) = property_note(self.format, self.module) {
            self.switch(SectionSpec::PROPERTY);
            self.align(self.format.pointer_bytes.into());
            self.bytes(&note);
        }
        for note in split_stack_notes(self.split_stacks) {
            self.switch(note);
        }
        self.switch(SectionSpec::gnu_stack(self.module.executable_stack));
        Ok(())
    }

    /// The section of the functions' stack maps.
    fn stack_maps(&mut self) {
        let Some(Contents { bytes, fields }) = self.stack_maps.finish() else { return };
        self.switch(stack_map_section(self.format, self.options.pic));
        self.align(8);
        self.line(format_args!("{SYMBOL}:"));
        let wide = self.format.pointer_bytes == 8;
        let (directive, size) = if wide { (".quad", 8) } else { (".long", 4) };
        let mut from = 0;
        for (at, function) in fields {
            self.bytes(&bytes[from..at as usize]);
            self.line(format_args!("\t{directive}\t{}", self.name(function)));
            from = at as usize + size;
        }
        self.bytes(&bytes[from..]);
    }

    fn initializers(&mut self) {
        for (init, list) in [(true, &self.module.ctors), (false, &self.module.dtors)] {
            for s in structors(self.module, list) {
                self.switch(init_section(self.format, self.module, init, &s));
                self.referenced[s.function.index()] = true;
                self.pointer("", &self.name(s.function));
            }
        }
    }

    fn data_object(&mut self, data: &DataObject) -> Result {
        check_data(self.module, data)?;
        check_size(self.format, self.module, data)?;
        let symbol = self.module.symbol(data.symbol);
        let name = self.name(data.symbol);
        self.sizes[data.symbol.index()] = data.size;
        let align = data.align.max(symbol.align.into()).max(1);
        let ty = if symbol.is_tls() { "tls_object" } else { "object" };
        let coff = self.format.coff.is_some();
        if symbol.linkage == Linkage::Common && coff {
            self.line(format_args!("\t.comm\t{name},{},{}", data.size.max(1), align.trailing_zeros()));
            return Ok(());
        }
        if symbol.linkage == Linkage::Common {
            self.binding(data.symbol, &name);
            self.typed(&name, "object");
            self.line(format_args!("\t.comm\t{name},{},{align}", data.size.max(1)));
            return Ok(());
        }
        let spec = data_section(self.format, self.module, data, self.options.pic, self.retained[data.symbol.index()])?;
        let zeros = spec.ty == SectionType::Zeros;
        self.switch(spec);
        if !coff {
            self.typed(&name, ty);
        }
        self.binding(data.symbol, &name);
        self.align(align);
        self.line(format_args!("{name}:"));
        if zeros {
            self.zeros(data.size);
        } else {
            self.contents(data)?;
        }
        if !coff {
            self.line(format_args!("\t.size\t{name}, {}", data.size));
        }
        Ok(())
    }

    pub(super) fn contents(&mut self, data: &DataObject) -> Result {
        let len = data.bytes.len();
        let mut at = 0u64;
        for reloc in sorted_fields(data).iter() {
            let kind = data_reloc_kind(self.module, data, reloc)?;
            if reloc.offset < at {
                let symbol = self.module.symbol(data.symbol).name.clone();
                return Err(ObjectError::FieldsOverlap { symbol, offset: reloc.offset });
            }
            self.stretch(data, at.min(len), reloc.offset.min(len))?;
            self.zeros(reloc.offset - at.max(len).min(reloc.offset));
            self.referenced[reloc.symbol.index()] = true;
            let mut directive = if kind.field == Field::WORD8 { ".quad" } else { ".long" };
            let relative = match reloc.base {
                RelocBase::Symbol(base) if self.coff_image_base(base) && reloc.size == 4 => {
                    directive = ".rva";
                    String::new()
                }
                RelocBase::Zero => String::new(),
                RelocBase::Field => "-.".to_string(),
                RelocBase::Symbol(base) => {
                    self.referenced[base.index()] = true;
                    format!("-{}", self.name(base))
                }
            };
            let name = self.name(reloc.symbol);
            let addend = if reloc.addend == 0 { String::new() } else { format!("{:+}", reloc.addend) };
            self.line(format_args!("\t{directive}\t{name}{addend}{relative}"));
            at = reloc.offset + u64::from(reloc.size);
        }
        self.stretch(data, at.min(len), len)?;
        self.zeros(data.size - at.max(len));
        Ok(())
    }

    fn stretch(&mut self, data: &DataObject, from: u64, to: u64) -> Result {
        for piece in data.bytes.range(from..to) {
            match piece {
                Piece::Fill { .. } if piece.is_zero() => self.zeros(piece.len()),
                Piece::Fill { pattern, first, len } => self.repeated(pattern, first, len),
                Piece::Bytes(bytes) => {
                    // Reserves as much as the longest lines need.
                    let bytes_of_text = (bytes.len() / 8).saturating_mul(64).saturating_add(64);
                    if self.out.try_reserve(bytes_of_text).is_err() {
                        let symbol = self.module.symbol(data.symbol).name.clone();
                        return Err(ObjectError::NoMemory { symbol, bytes: bytes_of_text as u64 });
                    }
                    self.bytes(bytes);
                }
            }
        }
        Ok(())
    }

    /// Writes a repeated pattern from its byte `first` on, `len` bytes in all.
    fn repeated(&mut self, pattern: &[u8], first: usize, len: u64) {
        let rotated = [&pattern[first..], &pattern[..first]].concat();
        let (times, rest) = (len / rotated.len() as u64, (len % rotated.len() as u64) as usize);
        match rotated.len() {
            // `.fill` takes values of four bytes at most.
            size @ (1 | 2 | 4) => {
                self.line(format_args!("\t.fill\t{times}, {size}, {:#x}", number(self.format.endian(), &rotated)))
            }
            _ => {
                self.line(format_args!("\t.rept\t{times}"));
                self.bytes(&rotated);
                self.line(format_args!("\t.endr"));
            }
        }
        self.bytes(&rotated[..rest]);
    }

    pub(super) fn zeros(&mut self, count: u64) {
        if count > 0 {
            self.line(format_args!("\t.zero\t{count}"));
        }
    }

    /// Writes bytes in their most readable form: text as strings, other data as numbers, a few to a line.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        const LINE: usize = 64;
        if bytes.len() > 8 && bytes.iter().all(|&b| b == 0) {
            return self.zeros(bytes.len() as u64);
        }
        // A zero at the end counts as text.
        let text = bytes.strip_suffix(&[0]).unwrap_or(bytes);
        let printable = text.iter().filter(|b| matches!(b, b' '..=b'~' | b'\n' | b'\t')).count();
        if !text.is_empty() && printable * 4 > text.len() * 3 {
            bytes.chunks(LINE).for_each(|chunk| self.line(format_args!("\t.ascii\t{}", string(chunk))));
            return;
        }
        for chunk in bytes.chunks(16) {
            let (directive, width) = match chunk.len() % 8 {
                0 => (".quad", 8),
                4 => (".long", 4),
                _ => (".byte", 1),
            };
            let endian = self.format.endian();
            let text = |c: &[u8]| if width == 1 { c[0].to_string() } else { format!("{:#x}", number(endian, c)) };
            let numbers: Vec<String> = chunk.chunks(width).map(text).collect();
            self.line(format_args!("\t{directive}\t{}", numbers.join(", ")));
        }
    }

    fn aliases(&mut self) -> Result {
        for (alias, base, offset) in resolved_aliases(self.module)? {
            let symbol = self.module.symbol(alias);
            let plain_name = |s: SymbolId| self.module.symbol(s).name.clone();
            let base_symbol = self.module.symbol(base);
            if !base_symbol.is_defined() || base_symbol.linkage == Linkage::Common {
                return Err(ObjectError::UndefinedAlias { alias: plain_name(alias), target: plain_name(base) });
            }
            let (name, target) = (self.name(alias), self.name(base));
            let ty = match (symbol.kind, base_symbol.kind) {
                (SymbolKind::Ifunc, _) => "gnu_indirect_function",
                (_, SymbolKind::Function | SymbolKind::Ifunc) => "function",
                (_, SymbolKind::Tls(_)) => "tls_object",
                _ => "object",
            };
            let coff = self.format.coff.is_some();
            if coff && base_symbol.kind == SymbolKind::Function {
                self.coff_define(alias, &name);
            }
            self.binding(alias, &name);
            if !coff {
                self.typed(&name, ty);
            }
            let add = if offset == 0 { String::new() } else { format!("{:+}", offset as i64) };
            self.line(format_args!("\t.set\t{name}, {target}{add}"));
            let size = self.sizes[base.index()].saturating_sub(offset);
            if !coff {
                self.line(format_args!("\t.size\t{name}, {size}"));
            }
        }
        Ok(())
    }
}

/// The number that bytes of memory are.
fn number(endian: Endian, bytes: &[u8]) -> u64 {
    let up = |n, &b: &u8| n << 8 | u64::from(b);
    if endian.is_big() { bytes.iter().fold(0, up) } else { bytes.iter().rev().fold(0, up) }
}
