//! The tree of entries under construction: compile units, and what every kind of entry needs.

use foldhash::{HashMap, HashMapExt};

use gimli::{DwAt, DwTag, constants as dw};

use super::entries::{EntryId, EntryTree, Value};
use super::input::DwarfFacts;
use super::line_program::LineProgram;
use super::lists::{ListKind, Lists, Stretches};
use super::operations::Lost;
use super::output::DwarfRow;
use super::sections::{CodeAddress, DwarfWriter};
use super::strings::{LineStrings, Strings};
use crate::debug::{
    DebugInfo, DiCompileUnitId, DiFileId, DiGlobalVariableId, DiImportedEntityId, DiLexicalScopeId, DiLocalVariableId,
    DiString, DiSubprogramId, DiTypeId, EmissionKind, NameTableKind,
};
use crate::ir::Module;

/// An entry of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Entry {
    /// The number of its unit in [`Builder::units`].
    pub unit: u32,
    pub id: EntryId,
}

/// A name of an entry.
#[derive(Clone, Copy)]
pub(super) struct IndexedName {
    /// Where the string is in `.debug_str`.
    pub name: u32,
    pub entry: Entry,
    pub tag: DwTag,
}

/// A compile unit.
pub(super) struct Unit {
    pub node: DiCompileUnitId,
    pub root: Entry,
    pub entries: EntryTree,
    pub lines: LineProgram,
    /// There are rows, or entries refer to files.
    pub uses_lines: bool,
    pub locations: Lists,
    pub ranges: Lists,
    /// Files by node, and the one that was asked for last.
    pub files: HashMap<DiFileId, u32>,
    pub last_file: Option<(DiFileId, u32)>,
    /// The address that offsets in lists count from, if all code of the unit is one stretch.
    pub base: Option<CodeAddress>,
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
    pub units: Vec<Unit>,
    unit_of: Vec<Option<u32>>,
    pub strings: Strings,
    pub line_strings: LineStrings,
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
    pub rows: Vec<DwarfRow>,
    /// An expression, and the places of a variable that are being described: memory that is used again.
    scratch: DwarfWriter,
    pub stretches: Stretches,
    /// How many locations could not be expressed.
    pub unexpressed: u32,
}

impl<'a> Builder<'a> {
    pub fn new(info: &'a DebugInfo, module: &'a Module, facts: DwarfFacts) -> Builder<'a> {
        Builder {
            info,
            module,
            facts,
            units: Vec::new(),
            unit_of: vec![None; info.units.len()],
            strings: Strings::new(&info.strings),
            line_strings: LineStrings::default(),
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
            scratch: DwarfWriter::default(),
            stretches: Stretches::default(),
            unexpressed: 0,
        }
    }

    /// The unit of a node, which is made on its first use; `None` if it wants no debug information.
    pub fn unit(&mut self, node: DiCompileUnitId) -> Option<u32> {
        let known = self.unit_of[node.index()];
        let info = self.info;
        let unit = &info.units[node.index()];
        if known.is_some() || matches!(unit.emission, EmissionKind::None | EmissionKind::DirectivesOnly) {
            return known;
        }
        let (lines, files) = self.line_program(unit);
        let number = self.units.len() as u32;
        let root = Entry { unit: number, id: EntryId::ROOT };
        self.units.push(Unit {
            node,
            root,
            entries: EntryTree::new(dw::DW_TAG_compile_unit),
            lines,
            uses_lines: false,
            locations: Lists::new(ListKind::Locations, self.facts),
            ranges: Lists::new(ListKind::Ranges, self.facts),
            files,
            last_file: None,
            base: None,
            code: Vec::new(),
            full: unit.emission == EmissionKind::Full,
            index_type: None,
        });
        self.unit_of[node.index()] = Some(number);
        self.string(root, dw::DW_AT_producer, unit.producer);
        self.set(root, dw::DW_AT_language, Value::Unsigned(unit.language.into()));
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
                self.set(root, dw::DW_AT_low_pc, Value::Zero);
                let ranges = &mut self.units[unit].ranges;
                let list = ranges.begin();
                for &(section, offset, end) in code.iter().filter(|(_, start, end)| start < end) {
                    ranges.stretch(CodeAddress { section, offset }, end - offset);
                }
                let list = ranges.end(list);
                self.set(root, dw::DW_AT_ranges, list);
            }
            self.units[unit].code = code;
            self.finish_line_program(unit);
        }
    }

    /// Says that an entry describes one stretch of code.
    pub fn code_range(&mut self, entry: Entry, section: u32, start: u64, end: u64) {
        self.set(entry, dw::DW_AT_low_pc, Value::Address { section, offset: start });
        self.set(entry, dw::DW_AT_high_pc, Value::Unsigned(end - start));
    }

    /// Adds an entry.
    pub fn add(&mut self, parent: Entry, tag: DwTag) -> Entry {
        Entry { unit: parent.unit, id: self.units[parent.unit as usize].entries.add(parent.id, tag) }
    }

    #[inline]
    pub fn set(&mut self, entry: Entry, name: DwAt, value: Value) {
        self.units[entry.unit as usize].entries.set(entry.id, name, value);
    }

    /// Does an entry have an attribute?
    pub fn has(&self, entry: Entry, name: DwAt) -> bool {
        self.units[entry.unit as usize].entries.has(entry.id, name)
    }

    /// Bytes as a value in a unit.
    pub fn block(&mut self, unit: u32, bytes: &[u8]) -> Value {
        let blocks = &mut self.units[unit as usize].entries.blocks;
        let start = blocks.len();
        blocks.bytes.extend_from_slice(bytes);
        Value::Block(start as u32, bytes.len() as u32)
    }

    /// The part from `start` on of what is in `places` as an expression in a unit.
    pub fn expression_part(&mut self, unit: u32, places: &DwarfWriter, start: usize, end: usize) -> Value {
        self.known_expression(unit, |blocks| blocks.append_part(places, start, end))
    }

    /// An expression in a unit, which `make` appends to what it gets.
    pub fn known_expression(&mut self, unit: u32, make: impl FnOnce(&mut DwarfWriter)) -> Value {
        let blocks = &mut self.units[unit as usize].entries.blocks;
        let (start, fixups) = (blocks.len(), blocks.fixups.len());
        make(blocks);
        Value::Expression(start as u32, (blocks.len() - start) as u32, blocks.fixups.len() != fixups)
    }

    /// An expression in a unit, which `make` appends to what it gets. `None` if it cannot be expressed, which is counted.
    pub fn expression(
        &mut self,
        unit: u32,
        make: impl FnOnce(&Self, &mut DwarfWriter) -> Result<(), Lost>,
    ) -> Option<Value> {
        let mut out = std::mem::take(&mut self.scratch);
        out.truncate(0);
        let value = match make(self, &mut out) {
            Ok(()) => Some(self.expression_part(unit, &out, 0, out.len())),
            Err(Lost) => {
                self.unexpressed += 1;
                None
            }
        };
        self.scratch = out;
        value
    }

    pub fn number(&mut self, entry: Entry, name: DwAt, value: u64) {
        self.set(entry, name, Value::Unsigned(value));
    }

    pub fn flag(&mut self, entry: Entry, name: DwAt, value: bool) {
        if value {
            self.set(entry, name, Value::Flag);
        }
    }

    /// Sets a string, unless it is empty.
    pub fn string(&mut self, entry: Entry, name: DwAt, string: DiString) {
        if string != DiString(0) {
            let place = self.strings.place(&self.info.strings, string);
            self.set(entry, name, Value::String(place));
        }
    }

    /// Sets a reference to another entry.
    pub fn refer(&mut self, entry: Entry, name: DwAt, to: Entry) {
        let value = if to.unit == entry.unit { Value::Entry(to.id) } else { Value::EntryOf(to.unit, to.id) };
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
            self.file_number(entry, dw::DW_AT_decl_file, file);
        }
        self.number(entry, dw::DW_AT_decl_line, line.into());
    }

    /// Sets the number of a file.
    pub fn file_number(&mut self, entry: Entry, name: DwAt, file: DiFileId) {
        let file = self.file(entry.unit, file);
        self.units[entry.unit as usize].uses_lines = true;
        self.number(entry, name, file.into());
    }

    /// Lists the name of an entry in its unit's table of names.
    pub fn index(&mut self, entry: Entry, name: DiString, tag: DwTag) {
        if name != DiString(0) && self.wants_names(entry.unit) {
            let name = self.strings.place(&self.info.strings, name);
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

    /// The unit whose line program has the files of a unit.
    pub fn unit_of_files(&self, unit: u32) -> u32 {
        if self.facts.lines_by_assembler { 0 } else { unit }
    }
}
