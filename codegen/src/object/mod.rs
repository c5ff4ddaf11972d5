//! Object files: compiled functions and a module's data laid into sections, with symbols and relocations.
//!
//! An [`ObjectWriter`] takes the functions of a module one after another, in the module's order, and makes the bytes of
//! an ELF relocatable file or a COFF object. The bytes depend on the order of functions and on nothing else.
//!
//! References that the object itself can resolve are resolved: a position-relative reference to a local definition in
//! the same section becomes a plain number, and references to local definitions in other sections use section symbols.
//! Assemblers follow the same rules for the same references in text.

mod attributes;
mod coff_data;
mod coff_file;
mod coff_form;
mod coff_section;
#[cfg(feature = "compression")]
mod compression;
mod data;
mod debug;
mod elf_file;
mod emutls;
mod entry;
mod error;
mod file_buffer;
mod fixup;
mod format;
mod guard;
mod image;
mod parts;
mod record;
mod section;
mod spec;
mod stack_maps;
mod symbols;
mod writer;

pub use emutls::emulate_tls;
pub use error::{ObjectError, Result};
pub use format::{
    Attribute, CellJump, CodeViewFacts, CoffFacts, FunctionTables, HandlerThunk, IndexFacts, MovingStack, ObjectFormat,
    ObjectOptions, UnwindFacts,
};
pub use image::{
    ImageBinding, ImageRelocation, ImageSection, ImageSectionKind, ImageSymbol, ImageSymbolKind, ImageTarget,
    ObjectImage,
};

pub(crate) use coff_data::directives;
pub(crate) use coff_section::{
    CONTINUATIONS, DIRECTIVES, FUNCTION_TABLE, GUARDED, GUARDED_IMPORTS, GUARDED_RETURNS, SAFE_HANDLERS, UNWIND_INFO,
    associated, cell, cell_name, is_alone,
};
pub(crate) use data::{check_data, check_size, data_reloc_kind, resolved_aliases, sorted_fields, structors};
pub(crate) use debug::{DebugForm, debug_function, debug_output, debug_section, thread_local};
pub(crate) use format::{AddressForm, Finding};
pub(crate) use guard::Guarded;
pub(crate) use parts::{name as part_name, ranges as part_ranges, section as part_section};
pub(crate) use record::{
    Definition, Distance, Fixup, FixupTarget, MAX_SECTION, PlacedConstant, SafeHandler, Section, SymbolPlace,
};
pub(crate) use section::{
    TYPE_CELLS, block_map_section, constant_section, data_section, escape_section, function_section, init_section,
    landing_section, patch_section, personality_cell, personality_section, property_note, sled_section,
    split_stack_notes, stack_map_section, stack_size_section, string_sections, table_section, trap_section,
};
pub(crate) use spec::{A, Group, Key, SectionSpec, SectionType};
pub(crate) use symbols::symbol_name;
pub use writer::ObjectWriter;

use std::borrow::Cow;
use std::ops::Range;

pub(crate) use parts::Places;

use crate::buffer::{CfiOp, Mark, Origin, Referent, RelocKind, RelocTarget};
use crate::compiled::CompiledFunction;
use crate::ir::{Module, SymbolId};
use crate::sparse::SparseBytes;
use crate::unwind::itanium::eh_frame::{EhFrame, Entry};
use crate::unwind::itanium::parts::of_part;
use crate::unwind::microsoft::tables::handler_data;

/// The producer that ELF objects name in `.comment`, after the names of earlier tools.
pub(crate) const PRODUCER: &str = concat!("Gusset ", env!("CARGO_PKG_VERSION"));

/// Average number of code bytes for each fixup. Memory that is reserved and not used is never touched.
const CODE_OF_FIXUP: usize = 32;

/// Names of the tools that made an object, in order.
pub(crate) fn producers(module: &Module) -> impl Iterator<Item = &str> {
    module.idents.iter().map(String::as_str).chain([PRODUCER])
}

impl ObjectWriter<'_> {
    /// Appends a function.
    ///
    /// # Errors
    /// The function is defined already; its code refers to a label in a way that only code could resolve; a section
    /// outgrows the format.
    pub fn function(&mut self, f: &CompiledFunction) -> Result {
        let symbol = self.module.symbol(f.symbol);
        let retain = self.retained[f.symbol.index()];
        let named = symbol.section.is_some() || symbol.section_prefix.is_some();
        let plain = !named && symbol.comdat.is_none() && !symbol.own_section && !retain;
        let section = match self.text {
            Some(text) if plain => text,
            _ => {
                let section = self.section(function_section(self.format, self.module, f.symbol, retain)?);
                if plain {
                    self.text = Some(section);
                    let text = &mut self.sections[section as usize];
                    text.bytes.make_room(self.expected);
                    text.fixups.reserve(self.expected / CODE_OF_FIXUP);
                }
                section
            }
        };
        let align = u64::from(f.align.max(symbol.align).max(1));
        self.pad(section, align, true)?;
        let offset = self.in_front(f, section)?;
        if f.code.len() as u64 > MAX_SECTION - offset {
            return Err(ObjectError::TooLarge);
        }
        let places = self.place_code(f, section, offset)?;
        self.code_bytes += f.code.len() as u64;
        self.map(f, section, offset);
        self.uses_float |= f.uses_float;
        self.stack_maps.add(f);
        self.split_stacks = self.split_stacks.and(f.split_stacks);
        self.keep_debug_info(f, section, offset);
        let first = f.parts.first().map_or(f.code.len() as u64, |&end| end.into());
        self.define(f.symbol, SymbolPlace::At { section, offset }, first)?;
        for &(block, at) in &f.block_symbols {
            let (section, offset) = places.at(at);
            self.define(block, SymbolPlace::At { section, offset }, 0)?;
        }
        self.place_constants(f)?;
        self.list_continuations(f, (section, offset));
        self.guarded.add(self.format, self.module, f);
        self.guarded_returns.extend(f.returns_twice.iter().map(|&at| (section, offset + u64::from(at))));
        let handlers = handler_data(self.format, self.module, f)?;
        let safeseh = match (&handlers, self.format.thunk()) {
            (Some(data), Some(thunk)) => Some(self.safeseh(f, data, thunk, (section, offset))?),
            _ => None,
        };
        let tables = self.place_tables(f, &places)?;
        if let Some(table) = &f.escapes {
            // The function that reads the table may be in another group.
            let section = self.section(escape_section(self.format));
            let offset = self.pad(section, 4, false)?;
            let endian = self.format.endian();
            let bytes = table.words.iter().flat_map(|word| endian.u32(*word as u32));
            self.sections[section as usize].bytes.tail().extend(bytes);
            self.define(table.symbol, SymbolPlace::At { section, offset }, 4 * table.words.len() as u64)?;
        }
        for reloc in &f.relocs {
            let mut kind = reloc.kind;
            let (target, addend) = match reloc.target {
                RelocTarget::Symbol(s) => (FixupTarget::Symbol(SymbolId(s)), reloc.addend),
                RelocTarget::LibCall(call) => (FixupTarget::LibCall(call), reloc.addend),
                RelocTarget::Constant(c) => {
                    (FixupTarget::Constant(self.function_constants[c.0 as usize]), reloc.addend)
                }
                RelocTarget::JumpTable(t) => {
                    let at = self.function_tables[t.0 as usize] as i64;
                    (FixupTarget::Section(tables), reloc.addend + at)
                }
                RelocTarget::Code => (FixupTarget::Section(section), reloc.addend + offset as i64),
                RelocTarget::Place(at) => {
                    let (section, offset) = places.at(at);
                    if self.format.pointer_bytes == 4 {
                        // Assemblers name stubs in branches to labels for 64 bits alone.
                        kind.of = Referent::Address;
                    }
                    (FixupTarget::Section(section), reloc.addend + offset as i64)
                }
                RelocTarget::SafeSehHandler | RelocTarget::HandlerTables => {
                    let Some(own) = &safeseh else {
                        return Err(ObjectError::Funclets { function: symbol.name.clone() });
                    };
                    let place = if reloc.target == RelocTarget::HandlerTables { own.tables } else { own.handler };
                    (FixupTarget::Section(place.0), reloc.addend + place.1 as i64)
                }
                RelocTarget::Label(_) => {
                    return Err(ObjectError::LabelAddress { function: symbol.name.clone() });
                }
            };
            let (section, offset) = places.at(reloc.offset);
            self.sections[section as usize].fixups.push(Fixup {
                offset: offset as u32,
                addend,
                target,
                kind,
                in_data: false,
            });
        }
        self.sections[section as usize].fixups.extend(safeseh.into_iter().flat_map(|own| own.fixups));
        self.patch_entry(f, section, offset)?;
        self.type_traps(f, &places)?;
        self.sleds(f, section, offset)?;
        self.described(f, section, offset)?;
        if let Some(tables) = self.format.function_tables() {
            if f.has_function_table() {
                self.function_table(f, tables, handlers.as_ref(), (section, offset))?;
            }
            return Ok(());
        }
        self.frame_tables(f, &places)
    }

    /// Describes the frame of a function: in ARM's index or in `.eh_frame`, and in `.debug_frame`.
    fn frame_tables(&mut self, f: &CompiledFunction, places: &Places) -> Result {
        for range in part_ranges(f) {
            let own = match f.parts.is_empty() {
                true => Cow::Borrowed(&f.cfi[..]),
                // What is said at the end of the function counts to its last part.
                false if range.end as usize == f.code.len() => Cow::Owned(of_part(&f.cfi, range.start..range.end + 1)),
                false => Cow::Owned(of_part(&f.cfi, range.clone())),
            };
            self.frame_table_of_part(f, places, range, &own)?;
        }
        Ok(())
    }

    /// The same for a part of a function, with its marks.
    fn frame_table_of_part(
        &mut self,
        f: &CompiledFunction,
        places: &Places,
        part: Range<u32>,
        ops: &[Mark<CfiOp>],
    ) -> Result {
        let (section, offset) = places.at(part.start);
        let mut entry = Entry { code: (section, offset), len: part.end - part.start, ops, handler: None };
        if let Some(facts) = &self.format.index {
            self.index_entry(f, facts, section, offset)?;
        } else if (f.unwind || self.options.debug_frame) && self.format.has_dwarf_tables() {
            entry.handler = self.landing_table(f, places, part)?;
            self.eh_frame.function(&entry).map_err(|_| ObjectError::TooLarge)?;
        }
        // Debuggers find the frame of every function that they know.
        let unwound = f.unwind && self.format.has_dwarf_tables();
        let debugged = f.debug.is_some() && !unwound && self.format.coff.is_none();
        if self.options.debug_frame || debugged {
            let (section, format, form) = (self.section(SectionSpec::DEBUG_FRAME), self.format, self.form);
            let table = self.debug_frame.get_or_insert_with(|| EhFrame::new(format, form, Some(section)));
            table.function(&entry).map_err(|_| ObjectError::TooLarge)?;
        }
        Ok(())
    }

    /// Adds the module's data, aliases, constructors and notes, and makes the file.
    ///
    /// # Errors
    /// Something that the format or the machine's relocations cannot express, with the symbol at fault; or there is not
    /// enough memory.
    pub fn finish(self) -> Result<Vec<u8>> {
        Ok(self.finish_sparse()?.into_vec()?)
    }

    /// Like [`finish`](Self::finish), without holding repetitions in memory.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn finish_sparse(mut self) -> Result<SparseBytes> {
        self.module_data()?;
        self.notes()?;
        self.personality_pointers()?;
        self.build_attributes();
        self.unwind_table()?;
        self.place_debug_info()?;
        if self.sections.iter().any(|s| s.bytes.len() > MAX_SECTION) {
            return Err(ObjectError::TooLarge);
        }
        if self.format.coff.is_some() {
            self.coff_cells()?;
            self.guarded.finish(self.module);
            let (taken, imported) = (self.guarded.taken.len(), self.guarded.imported(self.module).count());
            for (spec, count) in
                [(GUARDED, taken), (GUARDED_IMPORTS, imported), (GUARDED_RETURNS, self.guarded.returns.len())]
            {
                if count > 0 {
                    self.make_list(spec, count);
                }
            }
        }
        let relocations = self.resolve()?;
        if self.format.reversed_code > 0 {
            self.reverse_code();
        }
        #[cfg(feature = "compression")]
        if self.options.compress_debug_sections && self.format.coff.is_none() {
            self.compress_debug_sections()?;
        }
        match &self.format.coff {
            Some(coff) => self.write_coff(coff, relocations),
            None => self.write_elf(relocations),
        }
    }

    /// Puts the unwind table of all functions into its section.
    fn unwind_table(&mut self) -> Result {
        let flags = if self.format.coff.is_some() { coff_section::READ } else { spec::A };
        let eh_frame = std::mem::replace(&mut self.eh_frame, EhFrame::new(self.format, self.form, None));
        self.frame_table(eh_frame, SectionSpec::new(".eh_frame", SectionType::Unwind, flags, 0))
    }

    /// Puts a finished unwind table into its section, unless it is empty.
    pub(crate) fn frame_table(&mut self, table: EhFrame, spec: SectionSpec) -> Result {
        let (bytes, fixups) = table.finish(self.module).map_err(|_| ObjectError::TooLarge)?;
        if !bytes.is_empty() {
            let number = self.section(spec);
            let section = &mut self.sections[number as usize];
            section.align = self.format.pointer_bytes.into();
            section.bytes = bytes.into();
            section.fixups = fixups;
        }
        Ok(())
    }

    /// Numbers the function's constants in the object; each value is kept once.
    fn place_constants(&mut self, f: &CompiledFunction) -> Result {
        self.function_constants.clear();
        for constant in &f.constants {
            let key = (constant.size, constant.bits);
            let number = match self.constant_numbers.get(&key) {
                Some(&number) => number,
                None => {
                    let section = self.section(constant_section(self.format, constant.size));
                    let offset = self.pad(section, constant.size.into(), false)?;
                    let size = usize::from(constant.size);
                    let bytes = self.format.endian().number(constant.bits, size);
                    self.sections[section as usize].bytes.tail().extend_from_slice(&bytes[..size]);
                    let number = self.constants.len() as u32;
                    self.constants.push(PlacedConstant { section, offset });
                    self.constant_numbers.insert(key, number);
                    number
                }
            };
            self.function_constants.push(number);
        }
        Ok(())
    }

    /// Places the function's jump tables. Returns their section (any, if there are none).
    fn place_tables(&mut self, f: &CompiledFunction, places: &Places) -> Result<u32> {
        self.function_tables.clear();
        if f.table_ends.is_empty() {
            return Ok(0);
        }
        let section = self.section(table_section(self.format, self.module, f.symbol));
        let kind = RelocKind::word(4, Origin::Field);
        for table in f.jump_tables() {
            let start = self.pad(section, 4, false)?;
            if 4 * table.len() as u64 > MAX_SECTION - start {
                return Err(ObjectError::TooLarge);
            }
            self.function_tables.push(start);
            let section = &mut self.sections[section as usize];
            section.bytes.add_fields(4 * table.len());
            section.fixups.extend(table.iter().enumerate().map(|(i, &entry)| {
                let from_start = 4 * i as u64;
                let (code, at) = places.at(entry);
                // The entry is relative to the table's start, the relocation to the entry.
                let (addend, target) = ((at + from_start) as i64, FixupTarget::Section(code));
                Fixup { offset: (start + from_start) as u32, addend, target, kind, in_data: true }
            }));
        }
        Ok(section)
    }
}
