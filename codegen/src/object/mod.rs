//! Object files: compiled functions and a module's data laid into sections, with symbols and relocations.
//!
//! An [`ObjectWriter`] takes the functions of a module one after another, in the module's order, and makes the bytes of an
//! ELF relocatable file or a COFF object. The order of functions alone determines the bytes.
//!
//! What the object itself can settle it settles: a position-relative reference to a local definition in the same section
//! becomes a plain number, and references to local definitions elsewhere are made through section symbols. The rules are
//! those by which assemblers treat the same references in text.

mod attributes;
mod coff_data;
mod coff_file;
mod coff_form;
mod coff_section;
mod data;
mod eh_frame;
mod elf_file;
mod emutls;
mod entry;
mod error;
mod exidx;
mod file_buffer;
mod fixup;
mod format;
mod landing;
mod record;
mod registered;
mod section;
mod seh;
mod seh_arm;
mod seh_arm64;
mod seh_thumb;
mod spec;
mod symbols;

use std::collections::HashMap;

pub use emutls::emulate_tls;
pub use error::ObjectError;
pub use format::{
    Attribute, CoffFacts, FunctionTables, HandlerThunk, IndexFacts, ObjectFormat, ObjectOptions, UnwindFacts,
};

pub(crate) use coff_data::directives;
pub(crate) use coff_section::{CONTINUATIONS, DIRECTIVES, UNWIND_INFO, associated, cell, cell_name};
pub(crate) use data::{check_data, check_size, data_reloc_kind, resolved_aliases, sorted_fields, structors};
pub(crate) use format::AddressForm;
pub(crate) use landing::handler_data;
pub(crate) use record::{
    Definition, Distance, Fixup, FixupTarget, MAX_SECTION, PlacedConstant, Section, Stretch, SymbolPlace,
};
pub(crate) use registered::thunk_name;
pub(crate) use section::{
    TYPE_CELLS, constant_section, data_section, escape_section, function_section, init_section, landing_section,
    patch_section, personality_cell, personality_section, property_note, string_sections, table_section,
};
pub(crate) use spec::{Group, Key, SectionSpec, SectionType};
pub(crate) use symbols::symbol_name;

use eh_frame::{EhFrame, Entry};
use registered::SafeHandler;

use crate::buffer::{Origin, RelocKind, RelocTarget};
use crate::compiled::CompiledFunction;
use crate::ir::{Module, SymbolId};
use crate::sparse::SparseBytes;

/// What ELF objects say in `.comment` of who made them, behind the names of those before.
pub(crate) const PRODUCER: &str = concat!("Gusset ", env!("CARGO_PKG_VERSION"));

/// Bytes of code for each of its fixups, on an average; what is reserved too much is never touched.
const CODE_OF_FIXUP: usize = 32;

/// Names of those who had a hand in an object, in order.
pub(crate) fn producers(module: &Module) -> impl Iterator<Item = &str> {
    module.idents.iter().map(String::as_str).chain([PRODUCER])
}

/// Lays functions and data into an object file.
pub struct ObjectWriter<'m> {
    module: &'m Module,
    format: &'static ObjectFormat,
    options: ObjectOptions,
    sections: Vec<Section>,
    by_spec: HashMap<SectionSpec, u32>,
    /// The section of most functions, to spare the look-up.
    text: Option<u32>,
    /// Bytes of code that are to come, roughly.
    expected: usize,
    definitions: Vec<Definition>,
    distances: Vec<Distance>,
    constants: Vec<PlacedConstant>,
    /// What mapping symbols tell, in order for each section.
    stretches: Vec<Stretch>,
    constant_numbers: HashMap<(u8, u128), u32>,
    /// Numbers in the object of the constants of the function at hand.
    function_constants: Vec<u32>,
    /// Offsets of the jump tables of the function at hand.
    function_tables: Vec<u64>,
    eh_frame: EhFrame,
    /// The same for debuggers, where it is asked for.
    debug_frame: Option<EhFrame>,
    /// How tables of exceptions hold addresses.
    form: AddressForm,
    /// Where the pointers to types are, by type.
    type_cells: HashMap<SymbolId, u64>,
    /// Personality routines, and the sections of the cells with their addresses (ELF).
    personality_cells: Vec<(SymbolId, u32)>,
    /// The sections of the index, by the sections of the code.
    index_sections: HashMap<u32, u32>,
    /// Funclets and the like: their names, and where each is.
    funclets: Vec<(String, u32, u64)>,
    /// Handlers that 32-bit Windows may call: funclets' symbols above by number, and personality routines.
    safe_handlers: Vec<SafeHandler>,
    /// Where control may go on behind handlers, if that is listed.
    continuations: Vec<(u32, u64)>,
    safe_routines: Vec<SymbolId>,
    retained: Vec<bool>,
    code_bytes: u64,
    /// Some function computes with floating-point numbers.
    uses_float: bool,
}

impl<'m> ObjectWriter<'m> {
    /// A writer for the functions of `module` on a machine.
    pub fn new(format: &'static ObjectFormat, module: &'m Module, options: ObjectOptions) -> ObjectWriter<'m> {
        let mut retained = vec![false; module.symbols.len()];
        for s in &module.used {
            retained[s.index()] = true;
        }
        let definitions = (0..module.symbols.len())
            .map(|i| Definition { place: SymbolPlace::Nowhere, size: 0, base: SymbolId::new(i) })
            .collect();
        let form = AddressForm::new(format, module, options.pic);
        ObjectWriter {
            module,
            format,
            sections: Vec::new(),
            by_spec: HashMap::new(),
            text: None,
            expected: 0,
            definitions,
            distances: Vec::new(),
            constants: Vec::new(),
            stretches: Vec::new(),
            constant_numbers: HashMap::new(),
            function_constants: Vec::new(),
            function_tables: Vec::new(),
            eh_frame: EhFrame::new(format, form, None),
            debug_frame: None,
            form,
            type_cells: HashMap::new(),
            personality_cells: Vec::new(),
            index_sections: HashMap::new(),
            funclets: Vec::new(),
            safe_handlers: Vec::new(),
            continuations: Vec::new(),
            safe_routines: Vec::new(),
            retained,
            code_bytes: 0,
            uses_float: false,
            options,
        }
    }

    /// Makes room for so many bytes of code, before the first function comes. It is no limit: sections that grow are copied.
    pub fn expect(&mut self, code: usize) {
        self.expected = code;
    }

    /// Bytes of code so far, padding left out.
    pub fn code_bytes(&self) -> u64 {
        self.code_bytes
    }

    /// Appends a function.
    ///
    /// # Errors
    /// It is defined already; its code refers to a label that only code could resolve; a section outgrows the format.
    pub fn function(&mut self, f: &CompiledFunction) -> Result<(), ObjectError> {
        let symbol = self.module.symbol(f.symbol);
        let retain = self.retained[f.symbol.index()];
        let named = symbol.section.is_some() || symbol.section_prefix.is_some();
        let plain = !named && symbol.comdat.is_none() && !retain;
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
        self.sections[section as usize].bytes.tail().extend_from_slice(&f.code);
        self.code_bytes += f.code.len() as u64;
        self.map(f, section, offset);
        self.uses_float |= f.uses_float;
        self.define(f.symbol, SymbolPlace::At { section, offset }, f.code.len() as u64)?;
        for &(block, at) in &f.block_symbols {
            self.define(block, SymbolPlace::At { section, offset: offset + u64::from(at) }, 0)?;
        }
        self.place_constants(f)?;
        self.list_continuations(f, (section, offset));
        let handlers = handler_data(self.format, self.module, f)?;
        let registered = match (&handlers, self.format.thunk()) {
            (Some(data), Some(thunk)) => Some(self.registered(f, data, thunk, (section, offset))?),
            _ => None,
        };
        let tables = self.place_tables(f, section, offset)?;
        if let Some(table) = &f.escapes {
            // Whoever reads it may be in another group.
            let section = self.section(escape_section(self.format));
            let offset = self.pad(section, 4, false)?;
            let bytes = table.words.iter().flat_map(|word| word.to_le_bytes());
            self.sections[section as usize].bytes.tail().extend(bytes);
            self.define(table.symbol, SymbolPlace::At { section, offset }, 4 * table.words.len() as u64)?;
        }
        for reloc in &f.relocs {
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
                RelocTarget::Registered | RelocTarget::Handlers => {
                    let Some(own) = &registered else {
                        return Err(ObjectError::Funclets { function: symbol.name.clone() });
                    };
                    let place = if reloc.target == RelocTarget::Handlers { own.tables } else { own.handler };
                    (FixupTarget::Section(place.0), reloc.addend + place.1 as i64)
                }
                RelocTarget::Label(_) => {
                    return Err(ObjectError::LabelAddress { function: symbol.name.clone() });
                }
            };
            let offset = offset as u32 + reloc.offset;
            self.sections[section as usize].fixups.push(Fixup {
                offset,
                addend,
                target,
                kind: reloc.kind,
                in_data: false,
            });
        }
        self.sections[section as usize].fixups.extend(registered.into_iter().flat_map(|own| own.behind));
        self.patch_entry(f, section, offset)?;
        if let Some(tables) = self.format.function_tables() {
            if f.has_function_table() {
                self.function_table(f, tables, handlers.as_ref(), (section, offset))?;
            }
            return Ok(());
        }
        let mut entry = Entry { code: (section, offset), len: f.code.len() as u32, ops: &f.cfi, handler: None };
        if let Some(facts) = &self.format.index {
            self.index_entry(f, facts, section, offset)?;
        } else if (f.unwind || self.options.debug_frame) && self.format.has_dwarf_tables() {
            entry.handler = self.landing_table(f)?;
            self.eh_frame.function(&entry).map_err(|_| ObjectError::TooLarge)?;
        }
        if self.options.debug_frame {
            let (section, format, form) = (self.section(SectionSpec::DEBUG_FRAME), self.format, self.form);
            let table = self.debug_frame.get_or_insert_with(|| EhFrame::new(format, form, Some(section)));
            table.function(&entry).map_err(|_| ObjectError::TooLarge)?;
        }
        Ok(())
    }

    /// Adds the module's data, aliases, constructors and notes, and makes the file.
    ///
    /// # Errors
    /// What the format or the machine's relocations cannot express, with the symbol at fault; there is no memory for it.
    pub fn finish(self) -> Result<Vec<u8>, ObjectError> {
        Ok(self.finish_sparse()?.into_vec()?)
    }

    /// The same, without memory for repetitions.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn finish_sparse(mut self) -> Result<SparseBytes, ObjectError> {
        self.module_data()?;
        self.personality_pointers()?;
        self.build_attributes();
        let flags = if self.format.coff.is_some() { coff_section::READ } else { spec::A };
        let eh_frame = std::mem::replace(&mut self.eh_frame, EhFrame::new(self.format, self.form, None));
        self.frame_table(eh_frame, SectionSpec::new(".eh_frame", SectionType::Unwind, flags, 0))?;
        if let Some(table) = self.debug_frame.take() {
            self.frame_table(table, SectionSpec::DEBUG_FRAME)?;
        }
        if self.sections.iter().any(|s| s.bytes.len() > MAX_SECTION) {
            return Err(ObjectError::TooLarge);
        }
        if self.format.coff.is_some() {
            self.coff_cells()?;
        }
        let relocations = self.resolve()?;
        match &self.format.coff {
            Some(coff) => self.write_coff(coff, relocations),
            None => self.write_elf(relocations),
        }
    }

    /// Puts a finished unwind table into its section, if there is anything in it.
    fn frame_table(&mut self, table: EhFrame, spec: SectionSpec) -> Result<(), ObjectError> {
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

    /// The section of that identity, made on its first use.
    fn section(&mut self, spec: SectionSpec) -> u32 {
        if let Some(&known) = self.by_spec.get(&spec) {
            return known;
        }
        let number = self.sections.len() as u32;
        self.by_spec.insert(spec.clone(), number);
        self.sections.push(Section {
            spec,
            align: 1,
            bytes: SparseBytes::new(),
            zeros: 0,
            fixups: Vec::new(),
            goes_on: None,
        });
        number
    }

    /// Aligns the end of a section and gives its offset.
    ///
    /// # Errors
    /// The section would be too large.
    fn pad(&mut self, section: u32, align: u64, code: bool) -> Result<u64, ObjectError> {
        let section = &mut self.sections[section as usize];
        section.align = section.align.max(align);
        let end = section.size().checked_next_multiple_of(align).ok_or(ObjectError::TooLarge)?;
        if section.spec.ty == SectionType::Zeros {
            section.zeros = end;
            return Ok(end);
        }
        if end > MAX_SECTION {
            return Err(ObjectError::TooLarge);
        }
        let gap = end - section.bytes.len();
        if code {
            (self.format.pad_code)(section.bytes.tail(), gap as usize);
        } else {
            section.bytes.fill(gap, &[0])?;
        }
        Ok(end)
    }

    /// Notes where a function's code begins and where data in it, if its symbols tell.
    fn map(&mut self, f: &CompiledFunction, section: u32, offset: u64) {
        let mut from = 0;
        for data in &f.data {
            if from < data.start {
                self.begin(section, offset + u64::from(from), false);
            }
            self.begin(section, offset + u64::from(data.start), true);
            from = data.end;
        }
        if (from as usize) < f.code.len() {
            self.begin(section, offset + u64::from(from), false);
        }
    }

    /// Notes that a section goes on with code or data.
    fn begin(&mut self, section: u32, offset: u64, data: bool) {
        let known = self.sections[section as usize].goes_on.replace(data);
        if self.format.mapping_symbols.is_some() && known != Some(data) {
            self.stretches.push(Stretch { section, offset, data });
        }
    }

    fn define(&mut self, symbol: SymbolId, place: SymbolPlace, size: u64) -> Result<(), ObjectError> {
        let definition = &mut self.definitions[symbol.index()];
        if definition.place != SymbolPlace::Nowhere {
            return Err(ObjectError::Redefined { symbol: self.module.symbol(symbol).name.clone() });
        }
        definition.place = place;
        definition.size = size;
        Ok(())
    }

    /// Numbers the function's constants in the object, each value kept once.
    fn place_constants(&mut self, f: &CompiledFunction) -> Result<(), ObjectError> {
        self.function_constants.clear();
        for constant in &f.constants {
            let key = (constant.size, constant.bits);
            let number = match self.constant_numbers.get(&key) {
                Some(&number) => number,
                None => {
                    let section = self.section(constant_section(self.format, constant.size));
                    let offset = self.pad(section, constant.size.into(), false)?;
                    let bytes = &constant.bits.to_le_bytes()[..constant.size.into()];
                    self.sections[section as usize].bytes.tail().extend_from_slice(bytes);
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

    /// Places the function's jump tables; their section (any, if there are none).
    fn place_tables(&mut self, f: &CompiledFunction, code: u32, code_offset: u64) -> Result<u32, ObjectError> {
        self.function_tables.clear();
        if f.table_ends.is_empty() {
            return Ok(0);
        }
        let section = self.section(table_section(self.format, self.module, f.symbol));
        let (target, kind) = (FixupTarget::Section(code), RelocKind::word(4, Origin::Field));
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
                // The field is relative to the table's start, the relocation to the field.
                let addend = (code_offset + u64::from(entry) + from_start) as i64;
                Fixup { offset: (start + from_start) as u32, addend, target, kind, in_data: true }
            }));
        }
        Ok(section)
    }
}
