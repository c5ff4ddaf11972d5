//! Debug information as DWARF (DWARF 4 and 5; LLVM, "Source Level Debugging"): sections for an object or an assembly text.
//!
//! [`write`] takes the nodes of a module and what its functions became. A [`Builder`](units::Builder) makes a tree of entries, of
//! which only those are there that code, variables or the lists of a unit refer to: types when something has them, filled from a list
//! so that no depth of input costs stack. Line programs, location lists and range lists are written as they are found; the tree is
//! written when it is complete.
//!
//! Names and numbers of DWARF are gimli's. Its writer (`gimli::write`) is not used: it keeps each attribute, list and operation as an
//! object, hashes most of them, and walks all of them twice. With it the debug information of sqlite at `-O1` took 1,187 million
//! instructions to write, and 419 million without.
//!
//! What is written follows LLVM; where LLVM numbers strings and addresses of DWARF 5, there are offsets and addresses here.

mod abbreviations;
mod aranges;
mod calls;
mod contexts;
mod entries;
mod expression;
mod functions;
mod input;
mod line_program;
mod lines;
mod lists;
mod names;
mod operations;
mod output;
mod sections;
mod strings;
mod subprograms;
mod types;
mod units;
mod variables;

pub(crate) use input::DwarfFacts;
pub(crate) use output::{DwarfFile, DwarfLines, DwarfOutput, DwarfRow};

use gimli::constants as dw;
use gusset_abi::Endian;

use self::entries::{EntryId, UnitPlaces, Value};
use self::functions::Declared;
use self::lists::ListKind;
use self::sections::{CodeAddress, DwarfWriter};
use self::units::Builder;
use super::function::DebugFunction;
use super::scopes::ScopeTrees;
use super::sections::{DebugSection, DebugSectionId};
use super::{DebugInfo, DiEntity, DiScope, EmissionKind};
use crate::ir::Module;

/// Writes the debug information of a module whose functions are given in their order. `None`: a section would be too large.
pub(crate) fn write(
    info: &DebugInfo,
    module: &Module,
    facts: DwarfFacts,
    functions: &[DebugFunction],
) -> Option<DwarfOutput> {
    let mut builder = Builder::new(info, module, facts);
    let (mut described, mut trees) = (Vec::with_capacity(functions.len()), ScopeTrees::new(info));
    for function in functions {
        if let (Some(unit), Some(id)) = (builder.unit_of_function(function), function.debug.subprogram) {
            let tree = trees.tree(id, &function.debug, function.len);
            let declared = match builder.units[unit as usize].full {
                true => Declared::new(info, function, (&trees, &tree)),
                false => Declared::default(),
            };
            described.push((unit, function, tree, declared));
        }
    }
    for &(unit, function, ..) in &described {
        builder.function_lines(unit, function);
    }
    for unit in &mut builder.units {
        if let &[(section, start, _)] = &unit.code[..] {
            unit.base = Some(CodeAddress { section, offset: start });
        }
    }
    let mut entries = vec![0; builder.units.len()];
    for (unit, function, tree, declared) in &described {
        entries[*unit as usize] += tree.nodes.len() + declared.entries() + function.debug.calls.len();
    }
    builder.units.iter_mut().zip(entries).for_each(|(unit, entries)| unit.entries.reserve(entries));
    builder.lists();
    let inlined = builder.inlined_functions(&described);
    for (unit, function, tree, declared) in described {
        builder.function(unit, function, (tree, declared), &inlined);
    }
    builder.imported_entities();
    builder.fill_entries();
    builder.finish_units();
    builder.output()
}

impl Builder<'_> {
    /// What units describe although no code refers to it.
    fn lists(&mut self) {
        let info = self.info;
        for (number, node) in info.units.iter().enumerate() {
            let empty = node.enums.is_empty()
                && node.retained.is_empty()
                && node.globals.is_empty()
                && node.imported.is_empty();
            if node.emission != EmissionKind::Full || empty {
                continue;
            }
            let Some(unit) = self.unit(super::DiCompileUnitId::new(number)) else { continue };
            self.global_variables(unit, &node.globals);
            for &ty in &node.enums {
                self.type_entry(unit, ty);
            }
            for entity in &node.retained {
                match *entity {
                    DiEntity::Scope(DiScope::Type(ty)) => _ = self.type_entry(unit, ty),
                    DiEntity::Scope(DiScope::Subprogram(function)) => _ = self.subprogram_entry(unit, function),
                    _ => {}
                }
            }
        }
    }

    fn imported_entities(&mut self) {
        let info = self.info;
        for (number, node) in info.units.iter().enumerate() {
            if node.emission == EmissionKind::Full && !node.imported.is_empty() {
                let Some(unit) = self.unit(super::DiCompileUnitId::new(number)) else { continue };
                for &import in &node.imported {
                    self.imported_entity(unit, import, None);
                }
            }
        }
    }

    fn output(mut self) -> Option<DwarfOutput> {
        let version = self.facts.version;
        let [loc, ranges] = [ListKind::Locations, ListKind::Ranges].map(|kind| kind.section(version));
        let mut out = Sections::new(self.facts.endian);
        let mut places: Vec<UnitPlaces> = Vec::with_capacity(self.units.len());
        for number in 0..self.units.len() {
            let mut place = UnitPlaces::new(self.facts.address_bytes, loc, ranges);
            self.write_unit(number, &mut out, &mut place);
            places.push(place);
        }
        // Relocations of these fields come after those of the units, where all units are known.
        for (field, unit, entry) in places.iter().flat_map(|place| place.to_others.iter().copied()) {
            let place = &places[unit as usize];
            out.info.refer(field, DebugSectionId::Info, place.unit + place.entries[entry.index()] as usize);
        }
        self.write_names(&mut out.names, &places);
        if self.facts.aranges {
            self.write_aranges(&mut out.aranges, places.iter().map(|place| place.unit));
        }
        let lines = if self.facts.lines_by_assembler { self.assembler_lines() } else { DwarfLines::default() };
        if version >= 5 && !self.facts.lines_by_assembler {
            out.line_strings = self.line_strings.out;
        }
        let sections = [
            out.locations.finish(loc),
            out.abbreviations.finish(DebugSectionId::Abbrev),
            out.info.finish(DebugSectionId::Info),
            out.aranges.finish(DebugSectionId::Aranges),
            out.ranges.finish(ranges),
            self.strings.out.finish(DebugSectionId::Str),
            out.names.finish(DebugSectionId::Names),
            out.lines.finish(DebugSectionId::Line),
            out.line_strings.finish(DebugSectionId::LineStr),
        ];
        let sections: Vec<DebugSection> = sections.into_iter().flatten().collect();
        let fits = sections.iter().all(|section| u32::try_from(section.bytes.len()).is_ok());
        fits.then_some(DwarfOutput { sections, lines, unexpressed: self.unexpressed })
    }

    /// Writes a unit, with its lines and lists.
    fn write_unit(&mut self, number: usize, out: &mut Sections, place: &mut UnitPlaces) {
        let DwarfFacts { version, address_bytes, lines_by_assembler, .. } = self.facts;
        let unit = &mut self.units[number];
        // The assembler makes one table of all lines, at the start of its section.
        if unit.uses_lines && !lines_by_assembler {
            place.lines = unit.lines.finish(&mut out.lines, &self.line_strings);
        }
        place.ranges.1 = unit.ranges.finish(&mut out.ranges);
        place.locations.1 = unit.locations.finish(&mut out.locations);
        if unit.uses_lines {
            unit.entries.set(EntryId::ROOT, dw::DW_AT_stmt_list, Value::Lines);
        }
        if let Some((name, value)) = unit.locations.base_attribute() {
            unit.entries.set(EntryId::ROOT, name, value);
        }
        let abbreviations = out.abbreviations.len();
        let info = &mut out.info;
        place.unit = info.begin_length();
        info.u16(version);
        if version >= 5 {
            info.u8(dw::DW_UT_compile.0);
            info.u8(address_bytes);
        }
        info.offset_in(DebugSectionId::Abbrev, abbreviations);
        if version < 5 {
            info.u8(address_bytes);
        }
        unit.entries.write(info, &mut out.abbreviations, place);
        info.end_length(place.unit);
    }
}

/// The sections that are written when everything is known.
struct Sections {
    info: DwarfWriter,
    abbreviations: DwarfWriter,
    locations: DwarfWriter,
    ranges: DwarfWriter,
    lines: DwarfWriter,
    line_strings: DwarfWriter,
    names: DwarfWriter,
    aranges: DwarfWriter,
}

impl Sections {
    fn new(endian: Endian) -> Sections {
        let new = || DwarfWriter::new(endian);
        Sections {
            info: new(),
            abbreviations: new(),
            locations: new(),
            ranges: new(),
            lines: new(),
            line_strings: new(),
            names: new(),
            aranges: new(),
        }
    }
}
