//! The bytes of a COFF object file (Microsoft, "PE Format").

use std::borrow::Cow;
use std::convert::Infallible;

use object::pe;
use object::write::coff::{AuxSymbolSection, AuxSymbolWeak, Name, Relocation, SectionHeader, Symbol, Writer};

use super::coff_form::{Form, Numbered};
use super::coff_section::{CONTINUATIONS, GUARDED, GUARDED_IMPORTS, GUARDED_RETURNS, SAFE_HANDLERS, cell_name};
use super::file_buffer::{Feed, FileBuffer};
use super::fixup::Relocations;
use super::record::SafeHandler;
use super::spec::Key;
use super::{
    CoffFacts, FixupTarget, ObjectError, ObjectWriter, Result, Section, SectionType, SymbolPlace, symbol_name,
};
use crate::ir::{Linkage, SymbolId, SymbolKind};
use crate::names::{RawNames, bytes_of};
use crate::sparse::SparseBytes;
use crate::stack_map::section::SYMBOL;
use crate::unwind::microsoft::tables::continuation_name;

const UNDEFINED: i32 = pe::IMAGE_SYM_UNDEFINED;
const ABSOLUTE: i32 = pe::IMAGE_SYM_ABSOLUTE;
const DEBUG: i32 = pe::IMAGE_SYM_DEBUG;
const FUNCTION: u16 = pe::IMAGE_SYM_DTYPE_FUNCTION << pe::IMAGE_SYM_DTYPE_SHIFT;

/// An entry of the symbol table, with its auxiliary records.
struct Entry<'a> {
    name: Cow<'a, str>,
    value: u32,
    section: i32,
    ty: u16,
    class: u8,
    more: More<'a>,
}

enum More<'a> {
    Nothing,
    File(Cow<'a, [u8]>),
    /// The section of that number.
    Section(usize),
    /// The symbol to use if no other definition is found.
    Default(u32),
}

/// The symbol table, with indices into it.
struct Table<'a> {
    entries: Vec<Entry<'a>>,
    form: Form,
    len: u32,
    sections: Vec<u32>,
    symbols: Vec<u32>,
    imports: Vec<u32>,
    cells: Vec<u32>,
    libcalls: Vec<u32>,
    funclets: Vec<u32>,
    continuations: Vec<u32>,
    guarded_returns: Vec<u32>,
}

/// The contents of sections that are lists of symbol numbers.
struct Lists {
    safe_handlers: SparseBytes,
    continuations: SparseBytes,
    guarded: SparseBytes,
    guarded_imports: SparseBytes,
    guarded_returns: SparseBytes,
}

impl<'a> Table<'a> {
    /// Adds an entry; its number.
    fn add(&mut self, entry: Entry<'a>) -> u32 {
        let number = self.len;
        self.len += 1 + match entry.more {
            More::Nothing => 0,
            More::File(ref name) => self.form.entries_of(name) as u32,
            More::Section(_) | More::Default(_) => 1,
        };
        self.entries.push(entry);
        number
    }

    fn external(&mut self, name: Cow<'a, str>) -> u32 {
        let class = pe::IMAGE_SYM_CLASS_EXTERNAL;
        self.add(Entry { name, value: 0, section: UNDEFINED, ty: 0, class, more: More::Nothing })
    }
}

impl ObjectWriter<'_> {
    pub(super) fn write_coff(&self, coff: &CoffFacts, relocations: Relocations) -> Result<SparseBytes> {
        let form = Form::of(self.sections.len());
        let table = self.coff_symbols(coff, &relocations)?;
        let lists = self.lists(&table);
        self.check_names(table.entries.iter().map(|e| e.name.as_ref()))?;
        let all =
            self.sections.iter().map(|s| s.spec.name.as_ref()).chain(table.entries.iter().map(|e| e.name.as_ref()));
        let (raw, feed) = (RawNames::of(all), Feed::default());
        let mut buffer = FileBuffer::new(self, &feed);
        let mut w = Writer::new(&mut buffer);
        form.reserve_headers(&mut w, self.sections.len())?;
        let names: Vec<Name> = self.sections.iter().map(|s| w.add_name(raw.get(&s.spec.name))).collect();
        let mut extents = Vec::with_capacity(self.sections.len());
        for (section, list) in self.sections.iter().zip(&relocations.lists) {
            let data = if section.spec.ty == SectionType::Zeros { 0 } else { section.bytes.len() as usize };
            extents.push((w.reserve_section(data), w.reserve_relocations(list.len())));
        }
        let symbol_names: Vec<Name> = table.entries.iter().map(|e| w.add_name(raw.get(&e.name))).collect();
        let reserved = form.reserve_symbols(&mut w, self.sections.len(), table.len);

        form.write_header(&mut w, coff.machine, &reserved, &feed)?;
        for (i, section) in self.sections.iter().enumerate() {
            let count = relocations.lists[i].len();
            let align = section.align.max(1);
            if align > 8192 {
                return Err(ObjectError::Alignment { section: section.spec.name.to_string(), align });
            }
            let mut characteristics = section.spec.flags | (align.trailing_zeros() + 1) << 20;
            if count > 0xffff {
                characteristics |= pe::IMAGE_SCN_LNK_NRELOC_OVFL;
            }
            w.write_section_header(SectionHeader {
                name: names[i],
                size_of_raw_data: u32::try_from(section.size()).map_err(|_| ObjectError::TooLarge)?,
                pointer_to_raw_data: extents[i].0,
                pointer_to_relocations: extents[i].1,
                pointer_to_linenumbers: 0,
                number_of_relocations: count as u32,
                number_of_linenumbers: 0,
                characteristics,
            });
        }
        for (section, list) in self.sections.iter().zip(&relocations.lists) {
            if section.spec.ty != SectionType::Zeros && !section.bytes.is_empty() {
                w.write_section_align();
                feed.write(lists.contents(section), w.len(), |end| w.pad_until(end));
            }
            w.write_relocations_count(list.len());
            for r in list {
                let symbol = match r.target {
                    FixupTarget::Symbol(s) => table.symbols[s.index()],
                    FixupTarget::Imported(s) => table.imports[s.index()],
                    FixupTarget::Cell(s) => table.cells[s.index()],
                    FixupTarget::Section(s) => table.sections[s as usize],
                    FixupTarget::Constant(c) => table.sections[self.constants[c as usize].section as usize],
                    FixupTarget::LibCall(call) => {
                        let known = relocations.libcalls.binary_search(&call);
                        known.map_or(0, |i| table.libcalls[i])
                    }
                };
                w.write_relocation(Relocation { virtual_address: r.offset, symbol, typ: r.kind as u16 });
            }
        }
        for (entry, &name) in table.entries.iter().zip(&symbol_names) {
            let aux = match entry.more {
                More::Nothing => 0,
                More::File(ref name) => form.entries_of(name) as u8,
                More::Section(_) | More::Default(_) => 1,
            };
            let symbol = Symbol {
                name,
                value: entry.value,
                section_number: 0,
                typ: entry.ty,
                storage_class: entry.class,
                number_of_aux_symbols: aux,
            };
            form.write_symbol(&mut w, Numbered { symbol, section: entry.section });
            match entry.more {
                More::Nothing => {}
                More::File(ref name) => form.write_file_name(&mut w, name),
                More::Section(i) => form.write_section(&mut w, self.section_definition(i, &relocations, &lists)?),
                More::Default(symbol) => {
                    let search = pe::IMAGE_WEAK_EXTERN_SEARCH_ALIAS;
                    let default = AuxSymbolWeak { weak_default_sym_index: symbol, weak_search_type: search };
                    form.write_default(&mut w, default);
                }
            }
        }
        w.write_strtab();
        debug_assert_eq!(w.reserved_len(), w.len());
        buffer.finish()
    }

    fn lists(&self, table: &Table<'_>) -> Lists {
        let number = |handler: &SafeHandler| match *handler {
            SafeHandler::Own(i) => table.funclets[i],
            SafeHandler::Symbol(s) => table.symbols[s.index()],
        };
        let list = |numbers: &mut dyn Iterator<Item = u32>| -> SparseBytes {
            numbers.flat_map(u32::to_le_bytes).collect::<Vec<u8>>().into()
        };
        let imported = &mut self.guarded.imported(self.module).map(|s| table.imports[s.index()]);
        Lists {
            safe_handlers: list(&mut self.safe_handlers.iter().map(number)),
            continuations: list(&mut table.continuations.iter().copied()),
            guarded: list(&mut self.guarded.taken.iter().map(|s| table.symbols[s.index()])),
            guarded_imports: list(imported),
            guarded_returns: list(&mut table.guarded_returns.iter().copied()),
        }
    }

    /// What the symbol table says about a section.
    fn section_definition(&self, i: usize, relocations: &Relocations, lists: &Lists) -> Result<AuxSymbolSection> {
        let section = &self.sections[i];
        let (selection, number) = match section.spec.selection {
            None => (0, i),
            Some(s) if s.kind == pe::IMAGE_COMDAT_SELECT_ASSOCIATIVE => {
                let Key::Symbol(key) = s.key else { return Err(ObjectError::TooLarge) };
                match self.definitions[key.index()].place {
                    SymbolPlace::At { section, .. } => (s.kind, section as usize),
                    _ => return Err(ObjectError::ComdatLeader { comdat: self.module.symbol(key).name.clone() }),
                }
            }
            Some(s) => (s.kind, i),
        };
        Ok(AuxSymbolSection {
            length: section.size() as u32,
            number_of_relocations: relocations.lists[i].len() as u32,
            number_of_linenumbers: 0,
            check_sum: if section.spec.ty == SectionType::Zeros { 0 } else { checksum(lists.contents(section)) },
            number: number as u32 + 1,
            selection,
        })
    }

    fn coff_symbols(&self, coff: &CoffFacts, relocations: &Relocations) -> Result<Table<'_>> {
        let count = self.definitions.len();
        let mut table = Table {
            entries: Vec::with_capacity(count + self.sections.len() + 2),
            form: Form::of(self.sections.len()),
            len: 0,
            sections: vec![0; self.sections.len()],
            symbols: vec![u32::MAX; count],
            imports: vec![u32::MAX; count],
            cells: vec![u32::MAX; count],
            libcalls: Vec::new(),
            funclets: Vec::new(),
            continuations: Vec::new(),
            guarded_returns: Vec::new(),
        };
        self.coff_file_symbols(coff, &mut table);
        let default_suffix = self.default_suffix();
        // The first symbol in a COMDAT section after the section's own is the one by which it is picked.
        for (i, section) in self.sections.iter().enumerate() {
            table.sections[i] = table.add(Entry {
                name: Cow::Borrowed(section.spec.name.as_ref()),
                value: 0,
                section: i as i32 + 1,
                ty: 0,
                class: pe::IMAGE_SYM_CLASS_STATIC,
                more: More::Section(i),
            });
            let picked = section.spec.selection.filter(|s| s.kind != pe::IMAGE_COMDAT_SELECT_ASSOCIATIVE);
            match picked.map(|s| s.key) {
                None => {}
                Some(Key::Symbol(s)) => self.coff_symbol(coff, &mut table, relocations, &default_suffix, s)?,
                Some(Key::Cell(s)) => {
                    let number = table.external(Cow::Owned(cell_name(self.module.symbol(s))));
                    table.cells[s.index()] = number;
                    if let Some(entry) = table.entries.last_mut() {
                        entry.section = i as i32 + 1;
                    }
                }
            }
        }
        for i in 0..count {
            self.coff_symbol(coff, &mut table, relocations, &default_suffix, SymbolId::new(i))?;
        }
        if let Some(section) = self.unnamed_stack_maps() {
            table.add(Entry {
                name: Cow::Borrowed(SYMBOL),
                value: 0,
                section: section as i32 + 1,
                ty: 0,
                class: pe::IMAGE_SYM_CLASS_STATIC,
                more: More::Nothing,
            });
        }
        for &(ref name, section, offset) in &self.funclets {
            let number = table.add(Entry {
                name: Cow::Borrowed(name),
                value: u32::try_from(offset).map_err(|_| ObjectError::TooLarge)?,
                section: section as i32 + 1,
                ty: FUNCTION,
                class: pe::IMAGE_SYM_CLASS_STATIC,
                more: More::Nothing,
            });
            table.funclets.push(number);
        }
        let label = |name: Cow<'static, str>, section: u32, offset: u64| {
            Ok::<_, ObjectError>(Entry {
                name,
                value: u32::try_from(offset).map_err(|_| ObjectError::TooLarge)?,
                section: section as i32 + 1,
                ty: 0,
                class: pe::IMAGE_SYM_CLASS_STATIC,
                more: More::Nothing,
            })
        };
        for (i, &(section, offset)) in self.continuations.iter().enumerate() {
            let number = table.add(label(Cow::Owned(continuation_name(i)), section, offset)?);
            table.continuations.push(number);
        }
        for (name, &(section, offset)) in self.guarded.returns.iter().zip(&self.guarded_returns) {
            let number = table.add(label(Cow::Owned(name.clone()), section, offset)?);
            table.guarded_returns.push(number);
        }
        let guarded: Vec<SymbolId> = self.guarded.imported(self.module).collect();
        let is_listed = |i: usize| guarded.binary_search(&SymbolId::new(i)).is_ok();
        for (i, _) in relocations.imports.iter().enumerate().filter(|&(i, used)| *used || is_listed(i)) {
            let name = format!("__imp_{}", self.module.symbols[i].name);
            table.imports[i] = table.external(Cow::Owned(name));
        }
        for &call in &relocations.libcalls {
            let number = table.external(self.format.library_name(call));
            table.libcalls.push(number);
        }
        if coff.is_microsoft() && self.uses_float {
            // Microsoft's library links the floating-point parts of its functions when it sees this symbol.
            let name = if coff.underscores { "__fltused" } else { "_fltused" };
            if self.module.symbols.iter().all(|s| s.name != name) {
                table.external(Cow::Borrowed(name));
            }
        }
        Ok(table)
    }

    /// Adds the symbols that stand for the whole file: its source's name, and what linkers are told by `@feat.00`.
    fn coff_file_symbols<'s>(&'s self, coff: &CoffFacts, table: &mut Table<'s>) {
        let fixed = |name: Cow<'static, str>, section: i32, class: u8, more| Entry {
            name,
            value: 0,
            section,
            ty: 0,
            class,
            more,
        };
        if !self.module.source_name.is_empty() {
            let most = 255 * table.form.entry();
            let name = match bytes_of(&self.module.source_name) {
                Cow::Borrowed(name) => Cow::Borrowed(&name[..name.len().min(most)]),
                Cow::Owned(mut name) => {
                    name.truncate(most);
                    Cow::Owned(name)
                }
            };
            table.add(fixed(Cow::Borrowed(".file"), DEBUG, pe::IMAGE_SYM_CLASS_FILE, More::File(name)));
        }
        if let Some(value) = coff.features {
            let features = fixed(Cow::Borrowed("@feat.00"), ABSOLUTE, pe::IMAGE_SYM_CLASS_STATIC, More::Nothing);
            table.add(Entry { value: value | self.module.coff_features, ..features });
        }
    }

    /// Makes the names of weak symbols' defaults differ among objects: the name of some symbol that only this object
    /// defines.
    fn default_suffix(&self) -> String {
        // Functions come first, as in the text.
        let of_kind = |functions: bool| {
            let mut symbols = self.module.symbols.iter().enumerate();
            symbols.find(|(i, s)| {
                let (place, base) = (self.definitions[*i].place, self.definitions[*i].base);
                let own = s.linkage == Linkage::Export && matches!(place, SymbolPlace::At { .. }) && base.index() == *i;
                own && (s.kind == SymbolKind::Function) == functions
            })
        };
        let first = of_kind(true).or_else(|| of_kind(false));
        first.map_or_else(String::new, |(_, s)| format!(".{}", s.name))
    }

    /// Adds a symbol of the module, if it belongs into the table and is not there yet.
    fn coff_symbol<'a>(
        &'a self,
        coff: &CoffFacts,
        table: &mut Table<'a>,
        relocations: &Relocations,
        default_suffix: &str,
        id: SymbolId,
    ) -> Result {
        let i = id.index();
        let symbol = &self.module.symbols[i];
        let private = symbol.linkage == Linkage::Private || matches!(symbol.kind, SymbolKind::Block(_));
        // References to a private symbol use its section, if the offset is small enough.
        let handler = self.safe_routines.contains(&id);
        let listed = handler || self.guarded.taken.contains(&id);
        if table.symbols[i] != u32::MAX || private && !relocations.symbols[i] && !listed {
            return Ok(());
        }
        let definition = self.definitions[i];
        let missing = definition.place == SymbolPlace::Nowhere;
        if missing && symbol.is_defined() {
            return Err(ObjectError::Missing { symbol: symbol.name.clone() });
        }
        if missing && !relocations.symbols[i] && !listed {
            return Ok(());
        }
        let value = |n: u64| u32::try_from(n).map_err(|_| ObjectError::TooLarge);
        let (section, value) = match definition.place {
            SymbolPlace::Nowhere => (UNDEFINED, 0),
            SymbolPlace::At { section, offset } => (section as i32 + 1, value(offset)?),
            // Microsoft's linker aligns it to its size.
            SymbolPlace::Common { align } if coff.is_microsoft() => (UNDEFINED, value(definition.size.max(align))?),
            SymbolPlace::Common { .. } => (UNDEFINED, value(definition.size)?),
        };
        // Microsoft's linker wants handlers to be functions.
        let function = handler || self.module.symbol(definition.base).kind == SymbolKind::Function && !missing;
        let ty = if function { FUNCTION } else { 0 };
        let name = symbol_name(self.format, self.module, id);
        let local = self.module.is_local(id);
        let class = if local { pe::IMAGE_SYM_CLASS_STATIC } else { pe::IMAGE_SYM_CLASS_EXTERNAL };
        let weak = match symbol.linkage {
            Linkage::ImportWeak => true,
            // A COMDAT section is weak by itself.
            Linkage::Weak => symbol.comdat.is_none(),
            _ => false,
        };
        if !weak || local {
            table.symbols[i] = table.add(Entry { name, value, section, ty, class, more: More::Nothing });
            return Ok(());
        }
        let default = table.len + 2;
        let default_name = Cow::Owned(format!(".weak.{name}.default{default_suffix}"));
        table.symbols[i] = table.add(Entry {
            name,
            value: 0,
            section: UNDEFINED,
            ty: 0,
            class: pe::IMAGE_SYM_CLASS_WEAK_EXTERNAL,
            more: More::Default(default),
        });
        let section = if missing { ABSOLUTE } else { section };
        table.add(Entry { name: default_name, value, section, ty, class, more: More::Nothing });
        Ok(())
    }
}

impl Lists {
    /// The contents of a section in the file.
    fn contents<'a>(&'a self, section: &'a Section) -> &'a SparseBytes {
        match &section.spec {
            spec if *spec == SAFE_HANDLERS => &self.safe_handlers,
            spec if *spec == CONTINUATIONS => &self.continuations,
            spec if *spec == GUARDED => &self.guarded,
            spec if *spec == GUARDED_IMPORTS => &self.guarded_imports,
            spec if *spec == GUARDED_RETURNS => &self.guarded_returns,
            _ => &section.bytes,
        }
    }
}

/// The checksum by which linkers compare sections: CRC-32 of the contents, without inversion at the beginning or the
/// end.
fn checksum(bytes: &SparseBytes) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut i = 0;
        while i < 256 {
            let (mut c, mut k) = (i as u32, 0);
            while k < 8 {
                c = if c & 1 == 1 { 0xedb8_8320 ^ c >> 1 } else { c >> 1 };
                k += 1;
            }
            table[i] = c;
            i += 1;
        }
        table
    };
    let mut crc = 0u32;
    for piece in bytes.pieces() {
        let Ok(()) = piece.chunks(|chunk| {
            crc = chunk.iter().fold(crc, |crc, &b| TABLE[((crc ^ u32::from(b)) & 0xff) as usize] ^ crc >> 8);
            Ok::<_, Infallible>(())
        });
    }
    crc
}
