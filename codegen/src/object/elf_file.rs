//! The bytes of an ELF relocatable file (System V gABI, "Object Files").

use object::elf;
use object::write::elf::{FileHeader, Rel, SectionHeader, SectionIndex, Sym, SymbolIndex, Writer};

use super::fixup::Relocations;
use super::section::Group;
use super::symbols::Home;
use super::{ObjectError, ObjectWriter, Place, Section, SectionType, Target};
use crate::ir::ComdatKind;

/// Places in the file of a section and its relocations.
#[derive(Clone, Copy)]
struct Extent {
    index: SectionIndex,
    offset: usize,
    relocations: Option<SectionIndex>,
    relocations_offset: usize,
}

/// Beyond this, alignment in memory does not count in the file.
const MAX_FILE_ALIGN: u64 = 4096;

impl ObjectWriter<'_> {
    pub(super) fn write_elf(&self, relocations: Relocations) -> Result<Vec<u8>, ObjectError> {
        let groups = self.groups()?;
        let symbols = self.symbol_table(&relocations, &groups)?;
        let explicit = self.machine.explicit_addends;
        let prefix = if explicit { ".rela" } else { ".rel" };
        let rela_names: Vec<String> = self
            .sections
            .iter()
            .zip(&relocations.lists)
            .map(|(s, list)| if list.is_empty() { String::new() } else { format!("{prefix}{}", s.spec.name) })
            .collect();
        let section_names = self.sections.iter().map(|s| s.spec.name.as_ref());
        for name in section_names.chain(symbols.entries.iter().map(|e| e.name.as_ref())) {
            if name.contains('\0') {
                return Err(ObjectError::Name { name: name.to_string() });
            }
        }
        if symbols.entries.len() >= 1 << 31 {
            return Err(ObjectError::TooLarge);
        }

        let mut file = Vec::new();
        let mut w = Writer::new(object::Endianness::Little, self.machine.is_64, &mut file);
        w.reserve_file_header();

        // Numbers of sections: groups first, then each section followed by its relocations.
        let group_index: Vec<SectionIndex> = groups.iter().map(|_| w.reserve_section_index()).collect();
        let group_name = if groups.is_empty() { None } else { Some(w.add_section_name(b".group")) };
        let mut extents = Vec::with_capacity(self.sections.len());
        let mut names = Vec::with_capacity(self.sections.len());
        for (i, section) in self.sections.iter().enumerate() {
            let index = w.reserve_section_index();
            let relocations = (!relocations.lists[i].is_empty()).then(|| w.reserve_section_index());
            extents.push(Extent { index, offset: 0, relocations, relocations_offset: 0 });
            let rela = relocations.map(|_| w.add_section_name(rela_names[i].as_bytes()));
            names.push((w.add_section_name(section.spec.name.as_bytes()), rela));
        }
        let symtab = w.reserve_symtab_section_index();
        // Symbols in sections of high numbers need a table of their own for them.
        let last = extents.last().map_or(0, |e| e.index.0);
        if last >= u32::from(elf::SHN_LORESERVE) {
            w.require_symtab_shndx();
            w.reserve_symtab_shndx_section_index();
        }
        w.reserve_strtab_section_index();
        w.reserve_shstrtab_section_index();

        w.reserve_null_symbol_index();
        let strings: Vec<_> = symbols
            .entries
            .iter()
            .map(|entry| {
                w.reserve_symbol_index(None);
                if entry.name.is_empty() { None } else { Some(w.add_string(entry.name.as_bytes())) }
            })
            .collect();

        // Places in the file.
        let group_members: Vec<Vec<SectionIndex>> = self.group_members(&groups, &extents);
        let group_offsets: Vec<usize> = group_members.iter().map(|m| w.reserve_comdat(m.len())).collect();
        for (section, extent) in self.sections.iter().zip(&mut extents) {
            let len = if section.spec.ty == SectionType::Zeros { 0 } else { section.bytes.len() };
            extent.offset = w.reserve(len, if len == 0 { 1 } else { section.align.min(MAX_FILE_ALIGN) as usize });
        }
        w.reserve_symtab();
        w.reserve_symtab_shndx();
        for (list, extent) in relocations.lists.iter().zip(&mut extents).filter(|(list, _)| !list.is_empty()) {
            extent.relocations_offset = w.reserve_relocations(list.len(), explicit);
        }
        w.reserve_strtab();
        w.reserve_shstrtab();
        w.reserve_section_headers();

        // Contents, in the same order.
        let header = FileHeader {
            os_abi: elf::ELFOSABI_NONE,
            abi_version: 0,
            e_type: elf::ET_REL,
            e_machine: self.machine.elf_machine,
            e_entry: 0,
            e_flags: self.machine.elf_flags,
        };
        w.write_file_header(&header).map_err(|e| ObjectError::Format(e.to_string()))?;
        for (group, members) in groups.iter().zip(&group_members) {
            w.write_align(4);
            let deduplicated = match group {
                Group::Comdat(comdat) => self.module.comdats[comdat.index()].kind == ComdatKind::Any,
                Group::Cell(_) => true,
            };
            let flags = if deduplicated { elf::GRP_COMDAT } else { 0 };
            w.write(&flags.to_le_bytes());
            members.iter().for_each(|&m| w.write_comdat_entry(m));
        }
        for (section, extent) in self.sections.iter().zip(&extents) {
            if section.spec.ty != SectionType::Zeros && !section.bytes.is_empty() {
                w.pad_until(extent.offset);
                w.write(&section.bytes);
            }
        }
        w.write_null_symbol();
        for (entry, &name) in symbols.entries.iter().zip(&strings) {
            let (section, st_shndx) = match entry.home {
                Home::Section(s) => (Some(extents[s as usize].index), 0),
                Home::Group(g) => (Some(group_index[g as usize]), 0),
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
        for list in relocations.lists.iter().filter(|list| !list.is_empty()) {
            w.write_align_relocation();
            for r in list {
                let r_sym = match r.target {
                    Target::Symbol(s) => symbols.symbols[s.index()],
                    Target::Section(s) => symbols.sections[s as usize],
                    Target::Constant(c) => symbols.constants[c as usize],
                    Target::Imported(s) => symbols.symbols[s.index()],
                    Target::Cell(s) => symbols.cell(s),
                    Target::LibCall(call) => {
                        let known = relocations.libcalls.binary_search(&call);
                        known.map_or(0, |i| symbols.libcalls[i])
                    }
                };
                w.write_relocation(
                    explicit,
                    &Rel { r_offset: r.offset.into(), r_sym, r_type: r.kind, r_addend: r.addend },
                );
            }
        }
        w.write_strtab();
        w.write_shstrtab();

        // Headers, by number.
        w.write_null_section_header();
        for (g, members) in group_members.iter().enumerate() {
            if let Some(name) = group_name {
                let signature = SymbolIndex(symbols.groups[g]);
                w.write_comdat_section_header(name, symtab, signature, group_offsets[g], members.len());
            }
        }
        for (i, section) in self.sections.iter().enumerate() {
            let extent = extents[i];
            let group = if section.spec.group.is_some() { elf::SHF_GROUP } else { 0 };
            w.write_section_header(&SectionHeader {
                name: Some(names[i].0),
                sh_type: self.section_type(section.spec.ty),
                sh_flags: u64::from(section.spec.flags | group),
                sh_addr: 0,
                sh_offset: extent.offset as u64,
                sh_size: section.size(),
                sh_link: self.linked_section(section).map_or(0, |s| extents[s as usize].index.0),
                sh_info: 0,
                sh_addralign: section.align,
                sh_entsize: section.spec.entsize.into(),
            });
            if let (Some(_), Some(name)) = (extent.relocations, names[i].1) {
                let count = relocations.lists[i].len();
                w.write_section_header(&SectionHeader {
                    name: Some(name),
                    sh_type: if explicit { elf::SHT_RELA } else { elf::SHT_REL },
                    sh_flags: u64::from(elf::SHF_INFO_LINK | group),
                    sh_addr: 0,
                    sh_offset: extent.relocations_offset as u64,
                    sh_size: (count * self.relocation_size()) as u64,
                    sh_link: symtab.0,
                    sh_info: extent.index.0,
                    sh_addralign: if self.machine.is_64 { 8 } else { 4 },
                    sh_entsize: self.relocation_size() as u64,
                });
            }
        }
        w.write_symtab_section_header(symbols.locals);
        w.write_symtab_shndx_section_header();
        w.write_strtab_section_header();
        w.write_shstrtab_section_header();
        debug_assert_eq!(w.reserved_len(), w.len());
        Ok(file)
    }

    /// The section that one is linked to.
    fn linked_section(&self, section: &Section) -> Option<u32> {
        match self.definitions[section.spec.linked?.index()].place {
            Place::At { section, .. } => Some(section),
            _ => None,
        }
    }

    /// Bytes of a relocation: two words, three with its addend.
    fn relocation_size(&self) -> usize {
        let word = if self.machine.is_64 { 8 } else { 4 };
        word * if self.machine.explicit_addends { 3 } else { 2 }
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
            SectionType::Libraries => 0x6fff_4c04,
            SectionType::Unwind => self.machine.unwind_section_type,
        }
    }

    /// The groups that have sections, in the order of those.
    fn groups(&self) -> Result<Vec<Group>, ObjectError> {
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
                members[group].extend([Some(extent.index), extent.relocations].into_iter().flatten());
            }
        }
        members
    }
}
