//! A module's data, aliases, constructors and notes.

use std::borrow::Cow;

use object::elf;

use super::coff_data::from_image;
use super::{
    Definition, Distance, Fixup, FixupTarget, MAX_SECTION, ObjectError, ObjectFormat, ObjectWriter, Result,
    SectionSpec, SectionType, SymbolPlace,
};
use super::{data_section, init_section, producers, property_note, split_stack_notes, string_sections};
use crate::buffer::{Origin, RelocKind};
use crate::ir::{DataObject, DataReloc, Linkage, Module, RelocBase, Structor, SymbolId};
use crate::names::bytes_of;
use crate::sparse::OutOfMemory;

impl ObjectWriter<'_> {
    pub(super) fn module_data(&mut self) -> Result {
        if !self.module.module_asm.trim().is_empty() {
            return Err(ObjectError::ModuleAssembly);
        }
        for data in &self.module.data {
            self.data_object(data)?;
        }
        self.aliases()?;
        self.distances()?;
        self.place_stack_maps()?;
        self.initializers()
    }

    /// Adds what is for linkers and readers of files, not for the program.
    pub(super) fn notes(&mut self) -> Result {
        if let Some(coff) = &self.format.coff {
            self.coff_directives(coff);
            return Ok(());
        }
        let flags = elf::SHF_MERGE | elf::SHF_STRINGS;
        let comment = self.section(SectionSpec::new(".comment", SectionType::Bytes, flags, 1));
        let bytes = self.sections[comment as usize].bytes.tail();
        bytes.push(0);
        for producer in producers(self.module) {
            bytes.extend(bytes_of(producer).iter().filter(|&&b| b != 0));
            bytes.push(0);
        }
        for (spec, text) in string_sections(self.module) {
            let section = self.section(spec);
            self.sections[section as usize].bytes.tail().extend(text);
        }
        if let Some(note) = property_note(self.format, self.module) {
            let section = self.section(SectionSpec::PROPERTY);
            self.pad(section, self.format.pointer_bytes.into(), false)?;
            self.sections[section as usize].bytes.tail().extend(note);
        }
        for note in split_stack_notes(self.split_stacks) {
            self.section(note);
        }
        // The section's presence tells linkers whether anything here needs an executable stack.
        self.section(SectionSpec::gnu_stack(self.module.executable_stack));
        Ok(())
    }

    fn initializers(&mut self) -> Result {
        for (init, list) in [(true, &self.module.ctors), (false, &self.module.dtors)] {
            for s in structors(self.module, list) {
                self.pointer_in_section(init_section(self.format, self.module, init, &s), s.function)?;
            }
        }
        Ok(())
    }

    fn data_object(&mut self, data: &DataObject) -> Result {
        let symbol = self.module.symbol(data.symbol);
        let align = data.align.max(symbol.align.into()).max(1);
        check_data(self.module, data)?;
        check_size(self.format, self.module, data)?;
        if symbol.linkage == Linkage::Common {
            // Linkers place no common symbol of size zero.
            return self.define(data.symbol, SymbolPlace::Common { align }, data.size.max(1));
        }
        let retain = self.retained[data.symbol.index()];
        let spec = data_section(self.format, self.module, data, self.options.pic, retain)?;
        let number = self.section(spec);
        let offset = self.pad(number, align, false)?;
        self.define(data.symbol, SymbolPlace::At { section: number, offset }, data.size)?;
        let section = &mut self.sections[number as usize];
        if section.spec.ty == SectionType::Zeros {
            let end = section.zeros.checked_add(data.size).filter(|&end| end <= i64::MAX as u64);
            section.zeros = end.ok_or(ObjectError::TooLarge)?;
            if !self.format.is_64 && section.zeros > u32::MAX.into() {
                return Err(ObjectError::UnreachableSection { section: section.spec.name.to_string() });
            }
            return Ok(());
        }
        self.contents(number, offset, data)
    }

    /// Appends the contents of data to a section whose size is `offset`.
    pub(super) fn contents(&mut self, number: u32, offset: u64, data: &DataObject) -> Result {
        let symbol = self.module.symbol(data.symbol);
        check_data(self.module, data)?;
        let section = &mut self.sections[number as usize];
        if data.size > MAX_SECTION - offset {
            return Err(ObjectError::TooLarge);
        }
        let no_memory = |e: OutOfMemory| ObjectError::NoMemory { symbol: symbol.name.clone(), bytes: e.bytes };
        section.bytes.append(&data.bytes, 0..data.bytes.len()).map_err(no_memory)?;
        section.bytes.fill_to(offset + data.size).map_err(no_memory)?;
        let mut end = 0;
        for reloc in sorted_fields(data).iter() {
            if reloc.offset < end {
                return Err(ObjectError::FieldsOverlap { symbol: symbol.name.clone(), offset: reloc.offset });
            }
            end = reloc.offset + u64::from(reloc.size);
            section.bytes.hold(offset + reloc.offset, reloc.size.into()).map_err(no_memory)?;
            let fixup = Fixup {
                offset: (offset + reloc.offset) as u32,
                addend: reloc.addend,
                target: FixupTarget::Symbol(reloc.symbol),
                kind: data_reloc_kind(self.module, data, reloc)?,
                in_data: true,
            };
            match reloc.base {
                RelocBase::Symbol(base) => self.distances.push(Distance { section: number, fixup, base }),
                RelocBase::Zero | RelocBase::Field => section.fixups.push(fixup),
            }
        }
        Ok(())
    }

    pub(crate) fn pointer_in_section(&mut self, spec: SectionSpec, symbol: SymbolId) -> Result<u64> {
        let size = self.format.pointer_bytes;
        let section = self.section(spec);
        let offset = self.pad(section, size.into(), false)?;
        let section = &mut self.sections[section as usize];
        section.bytes.add_fields(size.into());
        let (target, kind) = (FixupTarget::Symbol(symbol), RelocKind::word(size, Origin::Zero));
        section.fixups.push(Fixup { offset: offset as u32, addend: 0, target, kind, in_data: true });
        Ok(offset)
    }

    /// Resolves distances from symbols, now that all are defined: a number within a section, else relative to the field
    /// if the base is in the field's section.
    fn distances(&mut self) -> Result {
        for Distance { section, mut fixup, base } in std::mem::take(&mut self.distances) {
            let FixupTarget::Symbol(symbol) = fixup.target else { continue };
            let place = |s: SymbolId| match self.definitions[s.index()].place {
                SymbolPlace::At { section, offset } if self.module.symbol(s).linkage != Linkage::Weak => {
                    Some((section, offset as i64))
                }
                _ => None,
            };
            if let Some(fixup) = from_image(self.module, base, &fixup, self.definitions[base.index()].place) {
                self.sections[section as usize].fixups.push(fixup);
                continue;
            }
            let from = place(base);
            if let (Some((a, to)), Some((b, from))) = (place(symbol), from)
                && a == b
                && !self.sections[a as usize].spec.is_merged()
            {
                let value = to.wrapping_sub(from).wrapping_add(fixup.addend);
                self.write_field(section as usize, &fixup, value)?;
                continue;
            }
            match from {
                Some((s, from)) if s == section => {
                    fixup.addend = fixup.addend.wrapping_add(i64::from(fixup.offset) - from);
                    self.sections[section as usize].fixups.push(fixup);
                }
                _ => {
                    let name = |s: SymbolId| self.module.symbol(s).name.clone();
                    return Err(ObjectError::Distance { symbol: name(symbol), base: name(base) });
                }
            }
        }
        Ok(())
    }

    /// Defines aliases and ifuncs at the symbols that they stand for.
    fn aliases(&mut self) -> Result {
        for (alias, base, offset) in resolved_aliases(self.module)? {
            let Definition { place, size, .. } = self.definitions[base.index()];
            let name = |s: SymbolId| self.module.symbol(s).name.clone();
            let SymbolPlace::At { section, offset: start } = place else {
                return Err(ObjectError::UndefinedAlias { alias: name(alias), target: name(base) });
            };
            let size = size.saturating_sub(offset);
            self.define(alias, SymbolPlace::At { section, offset: start.wrapping_add(offset) }, size)?;
            self.definitions[alias.index()].base = base;
        }
        Ok(())
    }
}

/// Every alias with the symbol that it finally stands for and its offset from there.
///
/// # Errors
/// Aliases that stand for each other.
pub(crate) fn resolved_aliases(module: &Module) -> Result<Vec<(SymbolId, SymbolId, u64)>> {
    module.resolved_aliases().map_err(|alias| ObjectError::AliasCycle { alias: module.symbol(alias).name.clone() })
}

/// Adds constructors and destructors by priority, in the module's order within each. Those for a symbol that is not
/// defined here run where it is defined.
pub(crate) fn structors(module: &Module, list: &[Structor]) -> Vec<Structor> {
    let here = |s: &&Structor| s.with.is_none_or(|with| module.symbol(with).is_defined());
    let mut sorted: Vec<Structor> = list.iter().filter(here).copied().collect();
    sorted.sort_by_key(|s| s.priority);
    if module.old_structors {
        // They run from the last to the first.
        sorted.reverse();
    }
    sorted
}

/// Checks what every output form relies on.
pub(crate) fn check_data(module: &Module, data: &DataObject) -> Result {
    let symbol = module.symbol(data.symbol);
    let name = || symbol.name.clone();
    if data.bytes.len() > data.size {
        return Err(ObjectError::FieldOutside { symbol: name(), offset: data.size });
    }
    if symbol.linkage == Linkage::Common {
        let plain = symbol.section.is_none() && symbol.comdat.is_none() && !symbol.is_tls();
        if !plain || !data.relocs.is_empty() || !data.bytes.is_zero() {
            return Err(ObjectError::BadCommon { symbol: name() });
        }
    }
    for reloc in &data.relocs {
        if reloc.offset.checked_add(reloc.size.into()).is_none_or(|end| end > data.size) {
            return Err(ObjectError::FieldOutside { symbol: name(), offset: reloc.offset });
        }
    }
    Ok(())
}

/// Refuses a variable that is larger than the target's addresses reach.
pub(crate) fn check_size(format: &ObjectFormat, module: &Module, data: &DataObject) -> Result {
    if !format.is_64 && data.size > u32::MAX.into() {
        return Err(ObjectError::Unreachable { symbol: module.symbol(data.symbol).name.clone() });
    }
    Ok(())
}

/// The addresses in data by offset.
pub(crate) fn sorted_fields(data: &DataObject) -> Cow<'_, [DataReloc]> {
    if data.relocs.is_sorted_by_key(|r| r.offset) {
        return Cow::Borrowed(&data.relocs);
    }
    let mut sorted = data.relocs.clone();
    sorted.sort_unstable_by_key(|r| r.offset);
    Cow::Owned(sorted)
}

/// The relocation of an address in data.
pub(crate) fn data_reloc_kind(module: &Module, data: &DataObject, reloc: &DataReloc) -> Result<RelocKind> {
    let from = if reloc.base == RelocBase::Zero { Origin::Zero } else { Origin::Field };
    match reloc.size {
        4 | 8 => Ok(RelocKind::word(reloc.size, from)),
        size => Err(ObjectError::FieldWidth { symbol: module.symbol(data.symbol).name.clone(), size }),
    }
}
