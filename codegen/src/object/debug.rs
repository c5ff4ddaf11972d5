//! The sections of debug information.

use std::sync::Arc;

use object::{elf, pe};

use super::coff_section::{READ, associated};
use super::{Fixup, FixupTarget, ObjectError, ObjectFormat, ObjectWriter, Result, SectionSpec, SectionType};
use crate::buffer::{Field, Origin, Referent, RelocKind};
use crate::compiled::CompiledFunction;
use crate::debug::codeview::{self, CodeViewInput};
use crate::debug::dwarf::{self, DwarfFacts, DwarfLines, DwarfOutput};
use crate::debug::sections::{DebugFixupKind, DebugSectionId, DebugTarget};
use crate::debug::{CompiledDebugInfo, DebugFunction, DebugInfo};
use crate::ir::Module;

impl ObjectWriter<'_> {
    /// Describes the functions so far, and the variables of a module, for debuggers: as CodeView, as DWARF or as both, as LLVM does.
    /// Returns how many locations of variables could not be expressed.
    ///
    /// # Errors
    /// A section would be too large.
    pub fn debug_info(&mut self, info: &DebugInfo) -> Result<u32> {
        let functions = std::mem::take(&mut self.debug_functions);
        let aranges = self.options.debug_aranges;
        let output = debug_output(self.format, self.module, info, &functions, DebugForm { aranges, is_text: false })?;
        self.debug_sections = output.sections;
        Ok(output.unexpressed)
    }

    /// What the functions' code became of their debug information, for a front end that gives the nodes their final numbers.
    pub fn compiled_debug_info(&mut self) -> impl Iterator<Item = &mut CompiledDebugInfo> {
        self.debug_functions.iter_mut().map(|function| Arc::make_mut(&mut function.debug))
    }

    /// Keeps what a function's code became of its debug information.
    pub(super) fn keep_debug_info(&mut self, f: &CompiledFunction, section: u32, offset: u64) {
        let index = section as usize;
        let Some(debug) = &f.debug else {
            if let Some(end) = self.debug_ends.get_mut(index) {
                *end = false;
            }
            return;
        };
        if self.debug_ends.len() <= index {
            self.debug_ends.resize(index + 1, false);
        }
        let follows = std::mem::replace(&mut self.debug_ends[index], true);
        self.debug_functions.push(debug_function(self.format, (f, debug), (section, offset), follows));
    }

    /// Puts the sections of debug information behind the others.
    pub(super) fn place_debug_info(&mut self) -> Result {
        if let Some(table) = self.debug_frame.take() {
            self.frame_table(table, SectionSpec::DEBUG_FRAME)?;
        }
        let sections = std::mem::take(&mut self.debug_sections);
        let numbers: Vec<(DebugSectionId, u32)> = sections
            .iter()
            .map(|section| (section.id, self.section(debug_section(self.format, self.module, section.id))))
            .collect();
        let number_of = |id: DebugSectionId| numbers.iter().find(|known| known.0 == id).map(|known| known.1);
        for (section, &(_, number)) in sections.into_iter().zip(&numbers) {
            let mut fixups = Vec::with_capacity(section.fixups.len());
            for fixup in section.fixups {
                let target = match fixup.target {
                    DebugTarget::Debug(id) => {
                        let Some(number) = number_of(id) else { continue };
                        FixupTarget::Section(number)
                    }
                    DebugTarget::Section(number) => FixupTarget::Section(number),
                    DebugTarget::Symbol(symbol) => FixupTarget::Symbol(symbol),
                };
                let kind = debug_fixup(self.format, fixup.kind, fixup.size);
                fixups.push(Fixup { offset: fixup.offset, addend: fixup.addend, target, kind, in_data: true });
            }
            let out = &mut self.sections[number as usize];
            out.align = out.align.max(section.id.align());
            out.bytes = section.bytes.into();
            out.fixups = fixups;
        }
        Ok(())
    }
}

/// What a function is for the writers of debug information; its code is at an offset of a section.
pub(crate) fn debug_function(
    format: &ObjectFormat,
    (f, debug): (&CompiledFunction, &Arc<CompiledDebugInfo>),
    (section, offset): (u32, u64),
    follows: bool,
) -> DebugFunction {
    let moves = format.coff.as_ref().is_some_and(|coff| coff.codeview.moving_stack.is_some());
    let frame_rules = if moves { f.cfi.clone() } else { Vec::new() };
    let (symbol, len, debug) = (f.symbol, f.code.len() as u32, debug.clone());
    DebugFunction { symbol, section, offset, len, follows, frame_rules, debug }
}

/// How debug information is written.
#[derive(Clone, Copy)]
pub(crate) struct DebugForm {
    /// The table of addresses is wanted.
    pub aranges: bool,
    /// An assembler makes DWARF's lines.
    pub is_text: bool,
}

/// The debug information of a module and its functions, as CodeView, as DWARF or as both, as LLVM does.
pub(crate) fn debug_output(
    format: &ObjectFormat,
    module: &Module,
    info: &DebugInfo,
    functions: &[DebugFunction],
    form: DebugForm,
) -> Result<DwarfOutput> {
    let codeview = format.coff.as_ref().filter(|_| info.codeview);
    let mut all = DwarfOutput { sections: Vec::new(), lines: DwarfLines::default(), unexpressed: 0 };
    let address_bytes = format.pointer_bytes;
    if let Some(coff) = codeview {
        let input = CodeViewInput { info, module, facts: &coff.codeview, pointer_bytes: address_bytes, functions };
        let output = codeview::write(input).ok_or(ObjectError::TooLarge)?;
        (all.sections, all.unexpressed) = (output.sections, output.unexpressed);
    }
    if codeview.is_none() || info.dwarf_version != 0 {
        let facts = DwarfFacts {
            version: DwarfFacts::version_of(info),
            address_bytes,
            endian: format.endian(),
            // Where unwinding follows other tables, there may be no table that gives the frame's address.
            frame_by_cfa: format.coff.is_none() || format.has_dwarf_tables(),
            thread_local: match format.coff {
                // The section has the data of all modules that are linked, from its begin.
                Some(_) => Some((4, DebugFixupKind::InSection)),
                None => {
                    format.relocation(thread_local(address_bytes)).map(|_| (address_bytes, DebugFixupKind::ThreadLocal))
                }
            },
            aranges: form.aranges,
            lines_by_assembler: form.is_text,
        };
        let output = dwarf::write(info, module, facts, functions).ok_or(ObjectError::TooLarge)?;
        all.sections.extend(output.sections);
        all.unexpressed = all.unexpressed.max(output.unexpressed);
        all.lines = output.lines;
    }
    Ok(all)
}

/// How a field of debug information is relocated.
fn debug_fixup(format: &ObjectFormat, kind: DebugFixupKind, size: u8) -> RelocKind {
    match kind {
        DebugFixupKind::Address => RelocKind::word(size, Origin::Zero),
        DebugFixupKind::InSection if format.coff.is_some() => RelocKind::word(size, Origin::Section),
        DebugFixupKind::InSection => RelocKind::word(size, Origin::Zero),
        DebugFixupKind::SectionNumber => RelocKind::SECTION_NUMBER,
        DebugFixupKind::InImage => RelocKind::word(size, Origin::Image),
        DebugFixupKind::ThreadLocal => thread_local(size),
    }
}

/// A section of debug information.
pub(crate) fn debug_section(format: &ObjectFormat, module: &Module, id: DebugSectionId) -> SectionSpec {
    let in_coff = SectionSpec::new(id.name(), SectionType::Bytes, READ | pe::IMAGE_SCN_MEM_DISCARDABLE, 0);
    match id.holds_strings() {
        _ if format.coff.is_some() => match id {
            DebugSectionId::CodeViewSymbols(Some(with)) => associated(module, with, in_coff),
            _ => in_coff,
        },
        true => SectionSpec::new(id.name(), SectionType::Bytes, elf::SHF_MERGE | elf::SHF_STRINGS, 1),
        false => SectionSpec::new(id.name(), SectionType::Bytes, 0, 0),
    }
}

/// The place of a thread-local variable in its module's data.
pub(crate) fn thread_local(size: u8) -> RelocKind {
    let field = if size == 8 { Field::WORD8 } else { Field::WORD4 };
    RelocKind { of: Referent::TlsModuleOffset, from: Origin::Zero, field }
}
