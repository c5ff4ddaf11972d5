//! Debug information as DWARF (DWARF 4 and 5; LLVM, "Source Level Debugging"): sections for an object or an assembly text.
//!
//! [`write`] takes the nodes of a module and what its functions became. A [`Builder`](units::Builder) makes a tree of entries, of
//! which only those are there that code, variables or the lists of a unit refer to: types when something has them, filled from a list
//! so that no depth of input costs stack. The tree, line programs and lists are gimli's, which also writes them.
//!
//! What is written follows LLVM; where LLVM numbers strings and addresses of DWARF 5, there are offsets and addresses here.

mod aranges;
mod calls;
mod contexts;
mod expression;
mod functions;
mod input;
mod lines;
mod names;
mod output;
mod sections;
mod subprograms;
mod types;
mod units;
mod variables;

pub(crate) use input::DwarfFacts;
pub(crate) use output::{DwarfFile, DwarfLines, DwarfOutput, DwarfRow};

use gimli::write;

use self::sections::SectionWriter;
use self::units::Builder;
use super::function::DebugFunction;
use super::scopes::ScopeTree;
use super::sections::DebugSectionId;
use super::{DebugInfo, DiEntity, DiScope, EmissionKind};
use crate::ir::Module;

/// Writes the debug information of a module whose functions are given in their order.
///
/// # Errors
/// A section is too large.
pub(crate) fn write(
    info: &DebugInfo,
    module: &Module,
    facts: DwarfFacts,
    functions: &[DebugFunction],
) -> write::Result<DwarfOutput> {
    let mut builder = Builder::new(info, module, facts);
    let mut described = Vec::with_capacity(functions.len());
    for function in functions {
        if let (Some(unit), Some(id)) = (builder.unit_of_function(function), function.debug.subprogram) {
            described.push((unit, function, ScopeTree::new(info, id, &function.debug, function.len)));
        }
    }
    for &(unit, function, _) in &described {
        builder.function_lines(unit, function);
    }
    for unit in &mut builder.units {
        if let &[(section, start, _)] = &unit.code[..] {
            unit.base = Some((section, start));
        }
    }
    builder.lists();
    let inlined = builder.inlined_functions(&described);
    for (unit, function, tree) in described {
        builder.function(unit, function, tree, &inlined);
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

    fn output(mut self) -> write::Result<DwarfOutput> {
        let mut out = write::Sections::new(SectionWriter::new());
        let (mut names, mut aranges) = (SectionWriter::new(), SectionWriter::new());
        let line_strings = self.line_strings.write(&mut out.debug_line_str)?;
        let strings = self.strings.write(&mut out.debug_str)?;
        let offsets = self.table.write(&mut out, &line_strings, &strings)?;
        self.write_names(&mut names, &offsets, &strings)?;
        if self.facts.aranges {
            self.write_aranges(&mut aranges, &offsets)?;
        }
        let mut lines = DwarfLines::default();
        if self.facts.lines_by_assembler {
            lines = self.assembler_lines();
            out.debug_info.refer_to_one_line_table();
            // Nothing of these is written: the sections are the assembler's.
            _ = (out.debug_line.finish(DebugSectionId::Line), out.debug_line_str.finish(DebugSectionId::LineStr));
        }
        let sections = [
            out.debug_loc.finish(DebugSectionId::Loc),
            out.debug_loclists.finish(DebugSectionId::LocLists),
            out.debug_abbrev.finish(DebugSectionId::Abbrev),
            out.debug_info.finish(DebugSectionId::Info),
            aranges.finish(DebugSectionId::Aranges),
            out.debug_ranges.finish(DebugSectionId::Ranges),
            out.debug_rnglists.finish(DebugSectionId::RngLists),
            out.debug_str.finish(DebugSectionId::Str),
            names.finish(DebugSectionId::Names),
            out.debug_line.finish(DebugSectionId::Line),
            out.debug_line_str.finish(DebugSectionId::LineStr),
        ];
        let sections = sections.into_iter().flatten().collect();
        Ok(DwarfOutput { sections, lines, unexpressed: self.unexpressed })
    }
}
