//! The bytes of an ELF relocatable file (System V gABI, "Object Files").

use object::elf;
use object::write::StringId;
use object::write::elf::{FileHeader, Rel, SectionHeader, SectionIndex, Sym, SymbolIndex, Writer};

use super::file_buffer::{Feed, FileBuffer};
use super::fixup::Relocations;
use super::spec::Group;
use super::symbols::{Home, SymbolTable};
use super::{FixupTarget, ObjectError, ObjectWriter, Result, Section, SectionType, SymbolPlace};
use crate::ir::ComdatKind;
use crate::names::RawNames;
use crate::sparse::SparseBytes;

/// Where a section and its relocations are in the file.
#[derive(Clone, Copy)]
struct Extent {
    index: SectionIndex,
    name: StringId,
    offset: usize,
    /// Number, name and offset of the section of its relocations.
    relocations: Option<(SectionIndex, StringId, usize)>,
}

/// A COMDAT group: its section, the members, and its offset in the file.
struct GroupExtent {
    index: SectionIndex,
    members: Vec<SectionIndex>,
    offset: usize,
}

/// Where everything is in the file.
struct Layout {
    extents: Vec<Extent>,
    groups: Vec<GroupExtent>,
    group_name: Option<StringId>,
    /// The names of symbols.
    strings: Vec<Option<StringId>>,
    symtab: SectionIndex,
}

/// The parts of a file.
struct File<'a> {
    object: &'a ObjectWriter<'a>,
    relocations: &'a Relocations,
    groups: &'a [Group],
    symbols: &'a SymbolTable<'a>,
    /// The names of sections of relocations.
    relocation_names: &'a [String],
    /// Names as bytes.
    names: &'a RawNames,
}

/// Alignment in memory above this is not kept in the file.
const MAX_FILE_ALIGN: u64 = 4096;

impl ObjectWriter<'_> {
    pub(super) fn write_elf(&self, relocations: Relocations) -> Result<SparseBytes> {
        let groups = self.groups()?;
        let symbols = self.symbol_table(&relocations, &groups)?;
        self.check_names(symbols.entries.iter().map(|e| e.name.as_ref()))?;
        if symbols.entries.len() >= 1 << 31 {
            return Err(ObjectError::TooLarge);
        }
        let prefix = if self.format.explicit_addends { ".rela" } else { ".rel" };
        let names: Vec<String> = self.sections.iter().map(|s| format!("{prefix}{}", s.spec.name)).collect();
        let raw = self.sections.iter().map(|s| s.spec.name.as_ref()).chain(names.iter().map(String::as_str));
        let raw = RawNames::of(raw.chain(symbols.entries.iter().map(|e| e.name.as_ref())));
        let feed = Feed::default();
        let file = File {
            object: self,
            relocations: &relocations,
            groups: &groups,
            symbols: &symbols,
            relocation_names: &names,
            names: &raw,
        };
        let mut buffer = FileBuffer::new(self, &feed);
        let mut w = Writer::new(
            if self.format.endian().is_big() { object::Endianness::Big } else { object::Endianness::Little },
            self.format.is_64,
            &mut buffer,
        );
        let layout = file.lay_out(&mut w);
        file.contents(&mut w, &layout, (&self.sections, &feed))?;
        file.headers(&mut w, &layout);
        debug_assert_eq!(w.reserved_len(), w.len());
        buffer.finish()
    }

    /// Checks that no name of a section or symbol contains a zero byte.
    pub(super) fn check_names<'a>(&'a self, symbols: impl Iterator<Item = &'a str>) -> Result {
        let mut names = self.sections.iter().map(|s| s.spec.name.as_ref()).chain(symbols);
        match names.find(|name| name.contains('\0')) {
            Some(name) => Err(ObjectError::Name { name: name.escape_default().to_string() }),
            None => Ok(()),
        }
    }

    /// The section that a section is linked to.
    fn linked_section(&self, section: &Section) -> Option<u32> {
        match self.definitions[section.spec.linked?.index()].place {
            SymbolPlace::At { section, .. } => Some(section),
            _ => None,
        }
    }

    fn section_type(&self, ty: SectionType) -> u32 {
        match ty {
            SectionType::Bytes => elf::SHT_PROGBITS,
            SectionType::Zeros => elf::SHT_NOBITS,
            SectionType::Note => elf::SHT_NOTE,
            SectionType::Init => elf::SHT_INIT_ARRAY,
            SectionType::Fini => elf::SHT_FINI_ARRAY,
            SectionType::Preinit => elf::SHT_PREINIT_ARRAY,
            // SHT_LLVM_LINKER_OPTIONS and SHT_LLVM_DEPENDENT_LIBRARIES.
            SectionType::LinkerOptions => 0x6fff_4c01,
            SectionType::BlockMap => 0x6fff_4c0a,
            SectionType::Libraries => 0x6fff_4c04,
            SectionType::Unwind => self.format.unwind_section_type,
            SectionType::Index => self.format.index.as_ref().map_or(elf::SHT_PROGBITS, |index| index.section_type),
            SectionType::Attributes => self.format.attributes.map_or(elf::SHT_PROGBITS, |(ty, ..)| ty),
        }
    }

    /// The groups that have sections, in the order of these.
    fn groups(&self) -> Result<Vec<Group>> {
        let mut seen = vec![false; self.module.comdats.len()];
        let mut groups = Vec::new();
        for group in self.sections.iter().filter_map(|s| s.spec.group) {
            if let Group::Comdat(comdat) = group {
                if std::mem::replace(&mut seen[comdat.index()], true) {
                    continue;
                }
                let data = &self.module.comdats[comdat.index()];
                if !matches!(data.kind, ComdatKind::Any | ComdatKind::NoDeduplicate) {
                    return Err(ObjectError::ComdatKind { comdat: data.name.clone() });
                }
            }
            groups.push(group);
        }
        Ok(groups)
    }

    /// The sections of each group, with their relocations.
    fn group_members(&self, groups: &[Group], extents: &[Extent]) -> Vec<Vec<SectionIndex>> {
        let mut members = vec![Vec::new(); groups.len()];
        let mut place = vec![0; self.module.comdats.len()];
        let mut cells = Vec::new();
        for (g, group) in groups.iter().enumerate() {
            match group {
                Group::Comdat(comdat) => place[comdat.index()] = g,
                // A cell is alone in its group.
                Group::Cell(_) => cells.push(g),
            }
        }
        let mut cells = cells.into_iter();
        for (section, extent) in self.sections.iter().zip(extents) {
            let group = match section.spec.group {
                Some(Group::Comdat(comdat)) => Some(place[comdat.index()]),
                Some(Group::Cell(_)) => cells.next(),
                None => None,
            };
            if let Some(group) = group {
                members[group].extend([Some(extent.index), extent.relocations.map(|r| r.0)].into_iter().flatten());
            }
        }
        members
    }
}

impl<'a> File<'a> {
    /// Gives everything a number and an offset.
    fn lay_out(&self, w: &mut Writer<'a>) -> Layout {
        w.reserve_file_header();
        // Numbers of sections: groups first, then each section followed by its relocations.
        let group_index: Vec<SectionIndex> = self.groups.iter().map(|_| w.reserve_section_index()).collect();
        let group_name = (!self.groups.is_empty()).then(|| w.add_section_name(b".group"));
        let mut extents = self.number_sections(w);
        let symtab = w.reserve_symtab_section_index();
        // Symbols in sections with high numbers need an extra table for them.
        let last = extents.last().map_or(0, |e| e.index.0);
        if last >= u32::from(elf::SHN_LORESERVE) {
            w.require_symtab_shndx();
            w.reserve_symtab_shndx_section_index();
        }
        w.reserve_strtab_section_index();
        w.reserve_shstrtab_section_index();

        w.reserve_null_symbol_index();
        let strings = self.symbols.entries.iter().map(|entry| {
            w.reserve_symbol_index(None);
            if entry.name.is_empty() { None } else { Some(w.add_string(self.names.get(&entry.name))) }
        });
        let strings = strings.collect();

        // Places in the file.
        let members = self.object.group_members(self.groups, &extents).into_iter();
        let groups = group_index.into_iter().zip(members).map(|(index, members)| {
            let offset = w.reserve_comdat(members.len());
            GroupExtent { index, members, offset }
        });
        let groups = groups.collect();
        for (section, extent) in self.object.sections.iter().zip(&mut extents) {
            let len = if section.spec.ty == SectionType::Zeros { 0 } else { section.bytes.len() as usize };
            extent.offset = w.reserve(len, if len == 0 { 1 } else { section.align.min(MAX_FILE_ALIGN) as usize });
        }
        w.reserve_symtab();
        w.reserve_symtab_shndx();
        for (list, extent) in self.relocations.lists.iter().zip(&mut extents) {
            if let Some((.., offset)) = &mut extent.relocations {
                *offset = w.reserve_relocations(list.len(), self.object.format.explicit_addends);
            }
        }
        w.reserve_strtab();
        w.reserve_shstrtab();
        w.reserve_section_headers();
        Layout { extents, groups, group_name, strings, symtab }
    }

    fn number_sections(&self, w: &mut Writer<'a>) -> Vec<Extent> {
        let lists = self.relocations.lists.iter().zip(self.relocation_names);
        let extents = self.object.sections.iter().zip(lists).map(|(section, (list, rela))| {
            let index = w.reserve_section_index();
            let relocations =
                (!list.is_empty()).then(|| (w.reserve_section_index(), w.add_section_name(self.names.get(rela)), 0));
            let name = w.add_section_name(self.names.get(&section.spec.name));
            Extent { index, name, offset: 0, relocations }
        });
        extents.collect()
    }

    /// Writes everything but the section headers, in the order of the layout.
    fn contents<'b>(
        &self,
        w: &mut Writer<'a>,
        layout: &Layout,
        (sections, feed): (&'b [Section], &Feed<'b>),
    ) -> Result {
        let format = self.object.format;
        let header = FileHeader {
            os_abi: elf::ELFOSABI_NONE,
            abi_version: 0,
            e_type: elf::ET_REL,
            e_machine: format.elf_machine,
            e_entry: 0,
            e_flags: format.elf_flags,
        };
        w.write_file_header(&header).map_err(|e| feed.error(&e))?;
        for (group, extent) in self.groups.iter().zip(&layout.groups) {
            w.write_align(4);
            let deduplicated = match group {
                Group::Comdat(comdat) => self.object.module.comdats[comdat.index()].kind == ComdatKind::Any,
                Group::Cell(_) => true,
            };
            let flags = if deduplicated { elf::GRP_COMDAT } else { 0 };
            w.write(&format.endian().u32(flags));
            extent.members.iter().for_each(|&m| w.write_comdat_entry(m));
        }
        for (section, extent) in sections.iter().zip(&layout.extents) {
            if section.spec.ty != SectionType::Zeros && !section.bytes.is_empty() {
                w.pad_until(extent.offset);
                feed.write(&section.bytes, extent.offset, |end| w.pad_until(end));
            }
        }
        self.write_symbols(w, layout);
        self.write_relocations(w);
        w.write_strtab();
        w.write_shstrtab();
        Ok(())
    }

    fn write_symbols(&self, w: &mut Writer<'a>, layout: &Layout) {
        w.write_null_symbol();
        for (entry, &name) in self.symbols.entries.iter().zip(&layout.strings) {
            let (section, st_shndx) = match entry.home {
                Home::Section(s) => (Some(layout.extents[s as usize].index), 0),
                Home::Group(g) => (Some(layout.groups[g as usize].index), 0),
                Home::Undefined => (None, elf::SHN_UNDEF),
                Home::Absolute => (None, elf::SHN_ABS),
                Home::Common => (None, elf::SHN_COMMON),
            };
            w.write_symbol(&Sym {
                name,
                section,
                st_info: entry.info,
                st_other: entry.other,
                st_shndx,
                st_value: entry.value,
                st_size: entry.size,
            });
        }
        w.write_symtab_shndx();
    }

    fn write_relocations(&self, w: &mut Writer<'a>) {
        let (explicit, symbols) = (self.object.format.explicit_addends, self.symbols);
        for list in self.relocations.lists.iter().filter(|list| !list.is_empty()) {
            w.write_align_relocation();
            for r in list {
                let r_sym = match r.target {
                    FixupTarget::Symbol(s) | FixupTarget::Imported(s) => symbols.symbols[s.index()],
                    FixupTarget::Section(s) => symbols.sections[s as usize],
                    FixupTarget::Constant(c) => symbols.constants[c as usize],
                    FixupTarget::Cell(s) => symbols.cell(s),
                    FixupTarget::LibCall(call) => {
                        let known = self.relocations.libcalls.binary_search(&call);
                        known.map_or(0, |i| symbols.libcalls[i])
                    }
                };
                let rel = Rel { r_offset: r.offset.into(), r_sym, r_type: r.kind, r_addend: r.addend };
                w.write_relocation(explicit, &rel);
            }
        }
    }

    /// Writes the headers of sections, by number.
    fn headers(&self, w: &mut Writer<'a>, layout: &Layout) {
        let (object, explicit) = (self.object, self.object.format.explicit_addends);
        // Two words, or three with an addend.
        let word = if object.format.is_64 { 8 } else { 4 };
        let entry = word * if explicit { 3 } else { 2 };
        w.write_null_section_header();
        for (group, &signature) in layout.groups.iter().zip(&self.symbols.groups) {
            if let Some(name) = layout.group_name {
                let signature = SymbolIndex(signature);
                w.write_comdat_section_header(name, layout.symtab, signature, group.offset, group.members.len());
            }
        }
        for ((section, extent), list) in object.sections.iter().zip(&layout.extents).zip(&self.relocations.lists) {
            let group = if section.spec.group.is_some() { elf::SHF_GROUP } else { 0 };
            w.write_section_header(&SectionHeader {
                name: Some(extent.name),
                sh_type: object.section_type(section.spec.ty),
                sh_flags: u64::from(section.spec.flags | group),
                sh_addr: 0,
                sh_offset: extent.offset as u64,
                sh_size: section.size(),
                sh_link: object.linked_section(section).map_or(0, |s| layout.extents[s as usize].index.0),
                sh_info: 0,
                sh_addralign: section.align,
                sh_entsize: section.spec.entsize.into(),
            });
            if let Some((_, name, offset)) = extent.relocations {
                w.write_section_header(&SectionHeader {
                    name: Some(name),
                    sh_type: if explicit { elf::SHT_RELA } else { elf::SHT_REL },
                    sh_flags: u64::from(elf::SHF_INFO_LINK | group),
                    sh_addr: 0,
                    sh_offset: offset as u64,
                    sh_size: (list.len() * entry) as u64,
                    sh_link: layout.symtab.0,
                    sh_info: extent.index.0,
                    sh_addralign: word as u64,
                    sh_entsize: entry as u64,
                });
            }
        }
        w.write_symtab_section_header(self.symbols.locals);
        w.write_symtab_shndx_section_header();
        w.write_strtab_section_header();
        w.write_shstrtab_section_header();
    }
}
