//! The sections of debug information.

use object::{elf, pe};

use super::coff_section::READ;
use super::{
    Fixup, FixupTarget, ObjectError, ObjectFormat, ObjectOptions, ObjectWriter, Result, SectionSpec, SectionType,
};
use crate::buffer::{Field, Origin, Referent, RelocKind};
use crate::compiled::CompiledFunction;
use crate::debug::dwarf::{self, DebugFunction, DwarfFacts, DwarfOutput, DwarfSectionId, DwarfTarget};
use crate::debug::{CompiledDebugInfo, DebugInfo};
use crate::ir::Module;

impl ObjectWriter<'_> {
    /// Describes the functions so far, and the variables of a module, for debuggers. Returns how many locations of variables could not
    /// be expressed.
    ///
    /// # Errors
    /// A section would be too large.
    pub fn debug_info(&mut self, info: &DebugInfo) -> Result<u32> {
        let facts = dwarf_facts(self.format, &self.options, info);
        let functions = std::mem::take(&mut self.debug_functions);
        let output = dwarf_output(info, self.module, facts, &functions)?;
        self.debug_sections = output.sections;
        Ok(output.unexpressed)
    }

    /// What the functions' code became of their debug information, for a front end that gives the nodes their final numbers.
    pub fn compiled_debug_info(&mut self) -> impl Iterator<Item = &mut CompiledDebugInfo> {
        self.debug_functions.iter_mut().map(|function| &mut function.debug)
    }

    /// Keeps what a function's code became of its debug information.
    pub(super) fn keep_debug_info(&mut self, f: &CompiledFunction, section: u32, offset: u64) {
        let index = section as usize;
        if f.debug.subprogram.is_none() {
            if let Some(end) = self.debug_ends.get_mut(index) {
                *end = false;
            }
            return;
        }
        if self.debug_ends.len() <= index {
            self.debug_ends.resize(index + 1, false);
        }
        let follows = std::mem::replace(&mut self.debug_ends[index], true);
        let (len, debug) = (f.code.len() as u32, f.debug.clone());
        self.debug_functions.push(DebugFunction { section, offset, len, follows, debug });
    }

    /// Puts the sections of debug information behind the others.
    pub(super) fn place_debug_info(&mut self) -> Result {
        if let Some(table) = self.debug_frame.take() {
            self.frame_table(table, SectionSpec::DEBUG_FRAME)?;
        }
        let sections = std::mem::take(&mut self.debug_sections);
        let numbers: Vec<(DwarfSectionId, u32)> =
            sections.iter().map(|section| (section.id, self.section(debug_section(self.format, section.id)))).collect();
        let number_of = |id: DwarfSectionId| numbers.iter().find(|known| known.0 == id).map(|known| known.1);
        let in_section = if self.format.coff.is_some() { Origin::Section } else { Origin::Zero };
        for (section, &(_, number)) in sections.into_iter().zip(&numbers) {
            let mut fixups = Vec::with_capacity(section.fixups.len());
            for fixup in section.fixups {
                let (target, kind) = match fixup.target {
                    DwarfTarget::Debug(id) => {
                        let Some(number) = number_of(id) else { continue };
                        (FixupTarget::Section(number), RelocKind::word(fixup.size, in_section))
                    }
                    DwarfTarget::Section(number) => {
                        (FixupTarget::Section(number), RelocKind::word(fixup.size, Origin::Zero))
                    }
                    DwarfTarget::Symbol(symbol) => {
                        (FixupTarget::Symbol(symbol), RelocKind::word(fixup.size, Origin::Zero))
                    }
                    DwarfTarget::ThreadLocal(symbol) => (FixupTarget::Symbol(symbol), thread_local(fixup.size)),
                };
                fixups.push(Fixup { offset: fixup.offset, addend: fixup.addend, target, kind, in_data: true });
            }
            let out = &mut self.sections[number as usize];
            out.bytes = section.bytes.into();
            out.fixups = fixups;
        }
        Ok(())
    }
}

/// What the form of debug information depends on in an object.
pub(crate) fn dwarf_facts(format: &ObjectFormat, options: &ObjectOptions, info: &DebugInfo) -> DwarfFacts {
    let address_bytes = format.pointer_bytes;
    DwarfFacts {
        version: DwarfFacts::version_of(info),
        address_bytes,
        // Where unwinding follows other tables, there may be no table that gives the frame's address.
        frame_by_cfa: format.function_tables().is_none(),
        thread_local: format.relocation(thread_local(address_bytes)).is_some(),
        aranges: options.debug_aranges,
        lines_by_assembler: false,
    }
}

/// The debug information of a module and its functions.
pub(crate) fn dwarf_output(
    info: &DebugInfo,
    module: &Module,
    facts: DwarfFacts,
    functions: &[DebugFunction],
) -> Result<DwarfOutput> {
    dwarf::write(info, module, facts, functions).map_err(|error| match error {
        gimli::write::Error::ValueTooLarge | gimli::write::Error::LengthOutOfBounds => ObjectError::TooLarge,
        error => ObjectError::Format { message: error.to_string() },
    })
}

/// A section of debug information.
pub(crate) fn debug_section(format: &ObjectFormat, id: DwarfSectionId) -> SectionSpec {
    match id.holds_strings() {
        _ if format.coff.is_some() => {
            SectionSpec::new(id.name(), SectionType::Bytes, READ | pe::IMAGE_SCN_MEM_DISCARDABLE, 0)
        }
        true => SectionSpec::new(id.name(), SectionType::Bytes, elf::SHF_MERGE | elf::SHF_STRINGS, 1),
        false => SectionSpec::new(id.name(), SectionType::Bytes, 0, 0),
    }
}

/// The place of a thread-local variable in its module's data.
pub(crate) fn thread_local(size: u8) -> RelocKind {
    let field = if size == 8 { Field::WORD8 } else { Field::WORD4 };
    RelocKind { of: Referent::TlsModuleOffset, from: Origin::Zero, field }
}
