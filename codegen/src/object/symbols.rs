//! The symbol table: which symbols the file names, in which order, and what it says about them.

use std::borrow::Cow;

use object::elf;

use super::fixup::Relocations;
use super::section::personality_cell;
use super::{Group, ObjectError, ObjectFormat, ObjectWriter, Result, SymbolPlace};
use crate::ir::{Linkage, Module, SymbolId, SymbolKind, Visibility};
use crate::stack_map::section::SYMBOL;

/// An entry of the symbol table.
pub(crate) struct Entry<'a> {
    pub name: Cow<'a, str>,
    pub info: u8,
    pub other: u8,
    pub home: Home,
    pub value: u64,
    pub size: u64,
}

/// What an entry is relative to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    Section(u32),
    /// The group section of a COMDAT, for a signature that is defined nowhere else.
    Group(u32),
    Undefined,
    Absolute,
    Common,
}

/// The symbol table without the null entry, and the indices of entities in it (from 1 on; 0: not in the table).
pub(crate) struct SymbolTable<'a> {
    pub entries: Vec<Entry<'a>>,
    /// Number of local entries with the null entry: the index of the first global one.
    pub locals: u32,
    pub sections: Vec<u32>,
    pub symbols: Vec<u32>,
    pub constants: Vec<u32>,
    pub libcalls: Vec<u32>,
    /// By group number, in the order of the `groups` given to `symbol_table`.
    pub groups: Vec<u32>,
    /// The cells of personality routines.
    cells: Vec<(SymbolId, u32)>,
}

impl<'a> Entry<'a> {
    /// A symbol of default visibility and without a size, with its binding and type.
    fn new(name: Cow<'a, str>, (binding, ty): (u8, u8), home: Home, value: u64) -> Entry<'a> {
        Entry { name, info: binding << 4 | ty, other: elf::STV_DEFAULT, home, value, size: 0 }
    }
}

impl<'a> SymbolTable<'a> {
    /// Appends a symbol and returns its number.
    fn add(&mut self, entry: Entry<'a>) -> u32 {
        self.entries.push(entry);
        self.entries.len() as u32
    }

    /// The cell with the address of a personality routine.
    pub fn cell(&self, routine: SymbolId) -> u32 {
        self.cells.iter().find(|(s, _)| *s == routine).map_or(0, |&(_, number)| number)
    }
}

/// The name of a symbol in files: private symbols have the prefix that keeps them out of symbol tables; blocks only
/// have a number.
pub(crate) fn symbol_name<'m>(format: &ObjectFormat, module: &'m Module, id: SymbolId) -> Cow<'m, str> {
    let symbol = module.symbol(id);
    let prefix = format.private_prefix();
    match symbol.linkage {
        _ if matches!(symbol.kind, SymbolKind::Block(_)) => Cow::Owned(format!("{prefix}BA{}", id.0)),
        Linkage::Private => Cow::Owned([prefix, symbol.name.as_str()].concat()),
        _ => Cow::Borrowed(symbol.name.as_str()),
    }
}

impl ObjectWriter<'_> {
    /// The symbol table; `groups` are the groups that have a section.
    pub(super) fn symbol_table(&self, relocations: &Relocations, groups: &[Group]) -> Result<SymbolTable<'_>> {
        let mut table = SymbolTable {
            entries: Vec::with_capacity(self.definitions.len() + self.sections.len() + 1),
            locals: 0,
            sections: vec![0; self.sections.len()],
            symbols: vec![0; self.definitions.len()],
            constants: vec![0; self.constants.len()],
            libcalls: Vec::new(),
            groups: vec![0; groups.len()],
            cells: Vec::new(),
        };
        let local = |name, ty, home, value| Entry::new(name, (elf::STB_LOCAL, ty), home, value);
        if !self.module.source_name.is_empty() {
            let name = Cow::Borrowed(self.module.source_name.as_str());
            table.add(local(name, elf::STT_FILE, Home::Absolute, 0));
        }
        for (i, _) in relocations.sections.iter().enumerate().filter(|(_, used)| **used) {
            table.sections[i] = table.add(local(Cow::Borrowed(""), elf::STT_SECTION, Home::Section(i as u32), 0));
        }
        self.module_symbols(&mut table, relocations, true)?;
        for (i, _) in relocations.constants.iter().enumerate().filter(|(_, used)| **used) {
            let constant = self.constants[i];
            let name = Cow::Owned(format!(".LCPI{i}"));
            let home = Home::Section(constant.section);
            table.constants[i] = table.add(local(name, elf::STT_NOTYPE, home, constant.offset));
        }
        for (name, section, size) in &self.parts {
            let entry = local(Cow::Borrowed(name.as_str()), elf::STT_NOTYPE, Home::Section(*section), 0);
            table.add(Entry { size: *size, ..entry });
        }
        if let Some(section) = self.unnamed_stack_maps() {
            table.add(local(Cow::Borrowed(SYMBOL), elf::STT_NOTYPE, Home::Section(section), 0));
        }
        for stretch in &self.stretches {
            let [code, data] = self.format.mapping_symbols.unwrap_or_default();
            let name = Cow::Borrowed(if stretch.data { data } else { code });
            table.add(local(name, elf::STT_NOTYPE, Home::Section(stretch.section), stretch.offset));
        }
        // A group's signature is the symbol with its name, wherever that is; if there is none, one is added.
        let signatures = self.signatures();
        for (g, group) in groups.iter().enumerate() {
            if let Group::Comdat(comdat) = group
                && signatures[comdat.index()].is_none()
            {
                let name = Cow::Borrowed(self.module.comdats[comdat.index()].name.as_str());
                table.groups[g] = table.add(local(name, elf::STT_NOTYPE, Home::Group(g as u32), 0));
            }
        }
        table.locals = table.entries.len() as u32 + 1;
        self.module_symbols(&mut table, relocations, false)?;
        for &(routine, section) in &self.personality_cells {
            let name = Cow::Owned(personality_cell(self.module, routine));
            let number = table.add(Entry {
                other: elf::STV_HIDDEN,
                size: self.format.pointer_bytes.into(),
                ..Entry::new(name, (elf::STB_WEAK, elf::STT_OBJECT), Home::Section(section), 0)
            });
            table.cells.push((routine, number));
        }
        for (g, group) in groups.iter().enumerate() {
            match *group {
                Group::Cell(routine) => table.groups[g] = table.cell(routine),
                Group::Comdat(comdat) => {
                    if let Some(symbol) = signatures[comdat.index()] {
                        table.groups[g] = table.symbols[symbol.index()];
                    }
                }
            }
        }
        for call in &relocations.libcalls {
            let name = Cow::Borrowed(call.symbol());
            let number = table.add(Entry::new(name, (elf::STB_GLOBAL, elf::STT_NOTYPE), Home::Undefined, 0));
            table.libcalls.push(number);
        }
        Ok(table)
    }

    /// For each COMDAT, the symbol with its name, if that is defined in it and is in the symbol table.
    fn signatures(&self) -> Vec<Option<SymbolId>> {
        let mut signatures = vec![None; self.module.comdats.len()];
        for (i, symbol) in self.module.symbols.iter().enumerate() {
            let named = symbol.linkage != Linkage::Private && self.definitions[i].place != SymbolPlace::Nowhere;
            if let Some(comdat) = symbol.comdat
                && named
                && symbol.name == self.module.comdats[comdat.index()].name
            {
                signatures[comdat.index()] = Some(SymbolId::new(i));
            }
        }
        signatures
    }

    fn module_symbols<'a>(&'a self, table: &mut SymbolTable<'a>, relocations: &Relocations, local: bool) -> Result {
        for (i, symbol) in self.module.symbols.iter().enumerate() {
            let id = SymbolId::new(i);
            let definition = self.definitions[i];
            // The name of the object's own stack maps is declared in the module and defined by the object.
            let own = !symbol.is_defined() && definition.place != SymbolPlace::Nowhere;
            if (own || self.module.is_local(id)) != local {
                continue;
            }
            let used = relocations.symbols[i];
            let private = symbol.linkage == Linkage::Private || matches!(symbol.kind, SymbolKind::Block(_));
            let missing = definition.place == SymbolPlace::Nowhere;
            if missing && symbol.is_defined() && !matches!(symbol.kind, SymbolKind::Block(_)) {
                return Err(ObjectError::Missing { symbol: symbol.name.clone() });
            }
            if (missing || private) && !used {
                continue;
            }
            let binding = match symbol.linkage {
                _ if local => elf::STB_LOCAL,
                Linkage::Weak | Linkage::ImportWeak => elf::STB_WEAK,
                _ => elf::STB_GLOBAL,
            };
            let (home, value) = match definition.place {
                SymbolPlace::Nowhere => (Home::Undefined, 0),
                SymbolPlace::At { section, offset } => (Home::Section(section), offset),
                SymbolPlace::Common { align } => (Home::Common, align),
            };
            let ty = match self.module.symbol(definition.base).kind {
                _ if symbol.kind == SymbolKind::Ifunc => elf::STT_GNU_IFUNC,
                SymbolKind::Tls(_) => elf::STT_TLS,
                SymbolKind::Block(_) => elf::STT_NOTYPE,
                _ if missing => elf::STT_NOTYPE,
                SymbolKind::Function | SymbolKind::Ifunc => elf::STT_FUNC,
                SymbolKind::Data | SymbolKind::EmulatedTls => elf::STT_OBJECT,
            };
            let value = if ty == elf::STT_FUNC { value | u64::from(self.format.function_bit) } else { value };
            let visibility = match symbol.visibility {
                _ if local => elf::STV_DEFAULT,
                Visibility::Default => elf::STV_DEFAULT,
                Visibility::Hidden => elf::STV_HIDDEN,
                Visibility::Protected => elf::STV_PROTECTED,
            };
            let name = symbol_name(self.format, self.module, id);
            let entry = Entry::new(name, (binding, ty), home, value);
            table.symbols[i] = table.add(Entry { other: visibility, size: definition.size, ..entry });
        }
        Ok(())
    }
}
