//! The tree of entries under construction: compile units, and what every kind of entry needs.

use foldhash::{HashMap, HashMapExt};

use gimli::write::{
    self, AttributeValue, LineProgram, LineStringTable, StringId, StringTable, UnitEntryId, UnitId, UnitTable,
};
use gimli::{DwAt, DwTag, Encoding, Format, constants as dw};

use super::input::DwarfFacts;
use super::output::DwarfRow;
use super::sections::code_address;
use crate::debug::{
    DebugInfo, DiCompileUnitId, DiFileId, DiGlobalVariableId, DiImportedEntityId, DiLexicalScopeId, DiLocalVariableId,
    DiString, DiSubprogramId, DiTypeId, EmissionKind, NameTableKind, to_zero,
};
use crate::ir::Module;

/// Entries deeper than this become siblings of those around them: their writer goes down by recursion.
const MAX_DEPTH: u16 = 300;

/// An entry of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Entry {
    /// The number of its unit in [`Builder::units`].
    pub unit: u32,
    pub id: UnitEntryId,
    depth: u16,
}

/// A name of an entry.
#[derive(Clone, Copy)]
pub(super) struct IndexedName {
    pub name: StringId,
    pub entry: Entry,
    pub tag: DwTag,
}

/// A compile unit.
pub(super) struct Unit {
    pub id: UnitId,
    pub node: DiCompileUnitId,
    pub root: Entry,
    /// Files by node.
    pub files: HashMap<DiFileId, write::FileId>,
    /// The address that offsets in lists count from, if all code of the unit is one stretch.
    pub base: Option<(u32, u64)>,
    /// The stretches of its code: section, start and end.
    pub code: Vec<(u32, u64, u64)>,
    /// It has types and variables, not only lines and functions.
    pub full: bool,
    /// The type of array indices.
    pub index_type: Option<Entry>,
}

/// A map from nodes of one kind to entries.
pub(super) struct Entries(Vec<Option<Entry>>);

impl Entries {
    fn new(count: usize) -> Entries {
        Entries(vec![None; count])
    }

    #[inline]
    pub fn get(&self, node: usize) -> Option<Entry> {
        self.0[node]
    }

    pub fn set(&mut self, node: usize, entry: Entry) {
        self.0[node] = Some(entry);
    }
}

/// Everything that is being written.
pub(super) struct Builder<'a> {
    pub info: &'a DebugInfo,
    pub module: &'a Module,
    pub facts: DwarfFacts,
    pub table: UnitTable,
    pub units: Vec<Unit>,
    unit_of: Vec<Option<u32>>,
    pub strings: StringTable,
    string_ids: Vec<Option<StringId>>,
    pub line_strings: LineStringTable,
    pub types: Entries,
    /// Namespaces, modules and common blocks, and blocks of inlined functions.
    pub scopes: Entries,
    /// The entry of each function that others refer to.
    pub subprograms: Entries,
    pub globals: Entries,
    /// The entries of common blocks, by the variable that is the whole block.
    pub common_blocks: HashMap<DiGlobalVariableId, Entry>,
    pub imported: Entries,
    /// Variables of inlined functions.
    pub abstract_variables: Entries,
    /// The last entry of each local variable.
    pub variables: Entries,
    /// Types whose entries are still empty.
    pub pending: Vec<DiTypeId>,
    /// Definitions of functions of which nothing may be said yet, and of which it is.
    pub unfilled: Vec<DiSubprogramId>,
    pub filled: Vec<bool>,
    pub names: Vec<IndexedName>,
    /// The rows of all functions in their order, if an assembler makes the table.
    pub rows: Vec<(write::FileId, DwarfRow)>,
    /// How many locations could not be expressed.
    pub unexpressed: u32,
}

impl<'a> Builder<'a> {
    pub fn new(info: &'a DebugInfo, module: &'a Module, facts: DwarfFacts) -> Builder<'a> {
        Builder {
            info,
            module,
            facts,
            table: UnitTable::default(),
            units: Vec::new(),
            unit_of: vec![None; info.units.len()],
            strings: StringTable::default(),
            string_ids: vec![None; info.strings.count()],
            line_strings: LineStringTable::default(),
            types: Entries::new(info.types.len()),
            scopes: Entries::new(info.scopes.len()),
            subprograms: Entries::new(info.subprograms.len()),
            globals: Entries::new(info.globals.len()),
            common_blocks: HashMap::new(),
            imported: Entries::new(info.imported.len()),
            abstract_variables: Entries::new(info.variables.len()),
            variables: Entries::new(info.variables.len()),
            pending: Vec::new(),
            unfilled: Vec::new(),
            filled: vec![false; info.subprograms.len()],
            names: Vec::new(),
            rows: Vec::new(),
            unexpressed: 0,
        }
    }

    pub fn encoding(&self) -> Encoding {
        Encoding { format: Format::Dwarf32, version: self.facts.version, address_size: self.facts.address_bytes }
    }

    /// The unit of a node, which is made on its first use; `None` if it wants no debug information.
    pub fn unit(&mut self, node: DiCompileUnitId) -> Option<u32> {
        let known = self.unit_of[node.index()];
        let info = self.info;
        let unit = &info.units[node.index()];
        if known.is_some() || matches!(unit.emission, EmissionKind::None | EmissionKind::DirectivesOnly) {
            return known;
        }
        let (program, files) = self.line_program(unit);
        let id = self.table.add(write::Unit::new(self.encoding(), program));
        let number = self.units.len() as u32;
        let root = Entry { unit: number, id: self.table.get(id).root(), depth: 0 };
        let full = unit.emission == EmissionKind::Full;
        self.units.push(Unit { id, node, root, files, base: None, code: Vec::new(), full, index_type: None });
        self.unit_of[node.index()] = Some(number);
        self.string(root, dw::DW_AT_producer, unit.producer);
        self.set(root, dw::DW_AT_language, AttributeValue::Language(gimli::DwLang(unit.language)));
        if let Some(file) = unit.file.map(|file| &info.files[file.index()]) {
            self.string(root, dw::DW_AT_name, file.name);
            self.string(root, dw::DW_AT_LLVM_isysroot, unit.sysroot);
            self.string(root, dw::DW_AT_comp_dir, file.directory);
        }
        Some(number)
    }

    /// Does a unit want a table of names?
    pub fn wants_names(&self, unit: u32) -> bool {
        let unit = &self.units[unit as usize];
        let node = &self.info.units[unit.node.index()];
        self.facts.version >= 5 && node.name_table == NameTableKind::Default && unit.full
    }

    /// Says of each unit where its code is, by `DW_AT_low_pc` and what belongs to it.
    pub fn finish_units(&mut self) {
        for unit in 0..self.units.len() {
            let (root, code) = (self.units[unit].root, std::mem::take(&mut self.units[unit].code));
            if let &[(section, start, end)] = &code[..] {
                self.code_range(root, section, start, end);
            } else if !code.is_empty() {
                self.set(root, dw::DW_AT_low_pc, AttributeValue::Address(write::Address::Constant(0)));
                let list = code.iter().map(|&(section, start, end)| write::Range::StartLength {
                    begin: code_address(section, start),
                    length: end - start,
                });
                let list = self.gimli_unit(root.unit).ranges.add(write::RangeList(list.collect()));
                self.set(root, dw::DW_AT_ranges, AttributeValue::RangeListRef(list));
            }
            self.units[unit].code = code;
            self.finish_line_program(unit);
        }
    }

    /// Says that an entry describes one stretch of code.
    pub fn code_range(&mut self, entry: Entry, section: u32, start: u64, end: u64) {
        self.set(entry, dw::DW_AT_low_pc, AttributeValue::Address(code_address(section, start)));
        self.set(entry, dw::DW_AT_high_pc, AttributeValue::Udata(end - start));
    }

    /// The writer's own unit.
    pub fn gimli_unit(&mut self, unit: u32) -> &mut write::Unit {
        self.table.get_mut(self.units[unit as usize].id)
    }

    /// Adds an entry.
    pub fn add(&mut self, parent: Entry, tag: DwTag) -> Entry {
        let unit = self.table.get_mut(self.units[parent.unit as usize].id);
        let (around, depth) = match parent.depth < MAX_DEPTH {
            true => (parent.id, parent.depth + 1),
            false => (unit.get(parent.id).parent().unwrap_or(parent.id), MAX_DEPTH),
        };
        Entry { unit: parent.unit, id: unit.add(around, tag), depth }
    }

    #[inline]
    pub fn set(&mut self, entry: Entry, name: DwAt, value: AttributeValue) {
        self.table.get_mut(self.units[entry.unit as usize].id).get_mut(entry.id).set(name, value);
    }

    pub fn number(&mut self, entry: Entry, name: DwAt, value: u64) {
        self.set(entry, name, AttributeValue::Udata(value));
    }

    pub fn flag(&mut self, entry: Entry, name: DwAt, value: bool) {
        if value {
            self.set(entry, name, AttributeValue::FlagPresent);
        }
    }

    /// The number of a string in the output.
    pub fn string_id(&mut self, string: DiString) -> StringId {
        let (info, strings) = (self.info, &mut self.strings);
        *self.string_ids[string.index()].get_or_insert_with(|| strings.add(to_zero(info.strings.get(string))))
    }

    /// Sets a string, unless it is empty.
    pub fn string(&mut self, entry: Entry, name: DwAt, string: DiString) {
        if string != DiString(0) {
            let id = self.string_id(string);
            self.set(entry, name, AttributeValue::StringRef(id));
        }
    }

    /// Sets a reference to another entry.
    pub fn refer(&mut self, entry: Entry, name: DwAt, to: Entry) {
        let value = if to.unit == entry.unit {
            AttributeValue::UnitRef(to.id)
        } else {
            AttributeValue::DebugInfoRef(write::Reference::Entry(self.units[to.unit as usize].id, to.id))
        };
        self.set(entry, name, value);
    }

    /// Sets a reference to a type; that to `void` is none.
    pub fn ty(&mut self, entry: Entry, ty: Option<DiTypeId>) {
        self.type_as(entry, dw::DW_AT_type, ty);
    }

    /// Sets a reference to a type by another attribute.
    pub fn type_as(&mut self, entry: Entry, name: DwAt, ty: Option<DiTypeId>) {
        if let Some(ty) = ty {
            let to = self.type_entry(entry.unit, ty);
            self.refer(entry, name, to);
        }
    }

    /// Says where something is declared.
    pub fn position(&mut self, entry: Entry, file: Option<DiFileId>, line: u32) {
        if line == 0 {
            return;
        }
        if let Some(file) = file {
            let file = self.file(entry.unit, file);
            self.set(entry, dw::DW_AT_decl_file, AttributeValue::FileIndex(Some(file)));
        }
        self.number(entry, dw::DW_AT_decl_line, line.into());
    }

    /// Lists the name of an entry in its unit's table of names.
    pub fn index(&mut self, entry: Entry, name: DiString, tag: DwTag) {
        if name != DiString(0) && self.wants_names(entry.unit) {
            let name = self.string_id(name);
            self.names.push(IndexedName { name, entry, tag });
        }
    }

    /// Remembers the entry of a function that others refer to.
    pub fn set_subprogram(&mut self, node: DiSubprogramId, entry: Entry) {
        self.subprograms.set(node.index(), entry);
    }

    pub fn scope(&self, node: DiLexicalScopeId) -> Option<Entry> {
        self.scopes.get(node.index())
    }

    pub fn global(&self, node: DiGlobalVariableId) -> Option<Entry> {
        self.globals.get(node.index())
    }

    pub fn import(&self, node: DiImportedEntityId) -> Option<Entry> {
        self.imported.get(node.index())
    }

    pub fn variable(&self, node: DiLocalVariableId) -> Option<Entry> {
        self.variables.get(node.index())
    }

    /// The line program of a unit.
    pub fn lines(&mut self, unit: u32) -> &mut LineProgram {
        &mut self.gimli_unit(unit).line_program
    }

    /// The unit whose line program has the files of a unit.
    pub fn unit_of_files(&self, unit: u32) -> u32 {
        if self.facts.lines_by_assembler { 0 } else { unit }
    }
}
