//! Finished objects as images.

use std::collections::HashMap;
use std::fmt;

use gusset_codegen::buffer::{Origin, Referent, RelocKind};
use gusset_codegen::object::{
    ImageBinding, ImageRelocation, ImageSection, ImageSectionKind, ImageSymbol, ImageSymbolKind, ImageTarget,
    ObjectFormat, ObjectImage,
};
use gusset_codegen::sparse::SparseBytes;
use object::{
    Object, ObjectComdat, ObjectSection, ObjectSymbol, Relocation, RelocationFlags, RelocationTarget, SectionFlags,
    SectionIndex, SectionKind, SymbolFlags, SymbolIndex, SymbolKind, elf, pe,
};

/// Why an object cannot be read. An example is at [`Memory`](crate::Memory).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ReadError {}

impl From<object::Error> for ReadError {
    fn from(error: object::Error) -> ReadError {
        ReadError { message: error.to_string() }
    }
}

fn error<T>(message: impl Into<String>) -> Result<T, ReadError> {
    Err(ReadError { message: message.into() })
}

/// Relocations by the file format's numbers: the kinds, the most common first, and the distances from the field to where linkers
/// count from.
struct Kinds {
    by_number: HashMap<u32, Vec<(RelocKind, i64)>>,
}

impl Kinds {
    fn of(format: &ObjectFormat) -> Kinds {
        let mut by_number: HashMap<u32, Vec<(RelocKind, i64)>> = HashMap::new();
        for &kind in format.relocations {
            let number = match &format.coff {
                Some(coff) => (coff.relocation)(kind).map(|(number, place)| (number.into(), place)),
                None => (format.elf_relocation)(kind).map(|number| (number, 0)),
            };
            if let Some((number, place)) = number {
                by_number.entry(number).or_default().push((kind, place));
            }
        }
        Kinds { by_number }
    }
}

/// Numbers of what is in the image.
#[derive(Default)]
struct Numbers {
    sections: HashMap<SectionIndex, u32>,
    symbols: HashMap<SymbolIndex, u32>,
}

/// Reads an object of the machine that `format` describes, which Gusset made. Debug information by other tools is left out if it is
/// compressed or has relocations that Gusset's has not.
///
/// # Errors
/// It is malformed, for another machine, or has a relocation that Gusset's objects do not have.
pub fn read_object(format: &'static ObjectFormat, bytes: &[u8]) -> Result<ObjectImage, ReadError> {
    let file = object::File::parse(bytes)?;
    let machine = match &file {
        object::File::Elf32(file) => Some((false, file.elf_header().e_machine.get(file.endian()))),
        object::File::Elf64(file) => Some((false, file.elf_header().e_machine.get(file.endian()))),
        object::File::Coff(file) => Some((true, file.coff_header().machine.get(object::LittleEndian))),
        _ => None,
    };
    let expected = format.coff.as_ref().map_or((false, format.elf_machine), |coff| (true, coff.machine));
    if machine != Some(expected) || file.is_little_endian() == format.code.endian.is_big() {
        return error("the object is for another machine");
    }
    let mut reader = Reader {
        format,
        file: &file,
        kinds: Kinds::of(format),
        numbers: Numbers::default(),
        image: ObjectImage { format, sections: Vec::new(), symbols: Vec::new() },
    };
    let sections: Vec<_> = file.sections().filter(is_in_image).collect();
    for (number, section) in sections.iter().enumerate() {
        reader.numbers.sections.insert(section.index(), number as u32);
    }
    let commons = reader.symbols()?;
    let mut is_described = true;
    for section in &sections {
        let read = reader.section(section);
        let name = section.name()?;
        if !ImageSectionKind::is_debug(name) {
            read?;
        } else if read.is_err() {
            reader.image.sections.push(no_debug_section(name));
            is_described = false;
        }
        is_described &= !is_compressed(section.flags());
    }
    if !is_described {
        let debug = reader.image.sections.iter_mut().filter(|section| section.kind == ImageSectionKind::Debug);
        debug.for_each(|section| *section = no_debug_section(&section.name));
    }
    reader.place_commons(&commons)?;
    Ok(reader.image)
}

/// The place of a section of debug information that other tools made in a way that Gusset does not.
fn no_debug_section(name: &str) -> ImageSection {
    let (name, kind) = (name.to_string(), ImageSectionKind::Debug);
    ImageSection { name, kind, align: 1, bytes: SparseBytes::new(), relocations: Vec::new() }
}

fn is_compressed(flags: SectionFlags) -> bool {
    matches!(flags, SectionFlags::Elf { sh_flags } if sh_flags & u64::from(elf::SHF_COMPRESSED) != 0)
}

fn is_in_image<'d>(section: &impl ObjectSection<'d>) -> bool {
    match section.flags() {
        _ if section.name().is_ok_and(ImageSectionKind::is_debug) => true,
        SectionFlags::Elf { sh_flags } => sh_flags & u64::from(elf::SHF_ALLOC) != 0,
        SectionFlags::Coff { characteristics } => {
            let left_out = pe::IMAGE_SCN_LNK_INFO | pe::IMAGE_SCN_LNK_REMOVE | pe::IMAGE_SCN_MEM_DISCARDABLE;
            characteristics & left_out == 0
        }
        _ => false,
    }
}

struct Reader<'f, 'd> {
    format: &'static ObjectFormat,
    file: &'f object::File<'d>,
    kinds: Kinds,
    numbers: Numbers,
    image: ObjectImage,
}

impl<'f, 'd> Reader<'f, 'd> {
    /// Adds the symbols. Tentative definitions, which have no place yet, are returned with their alignments.
    fn symbols(&mut self) -> Result<Vec<(u32, u64)>, ReadError> {
        let grouped: Vec<SectionIndex> = self.file.comdats().flat_map(|comdat| comdat.sections()).collect();
        let mut commons = Vec::new();
        for symbol in self.file.symbols() {
            let (elf_type, elf_visibility) = match symbol.flags() {
                SymbolFlags::Elf { st_info, st_other } => (st_info & 15, st_other & 3),
                _ => (elf::STT_NOTYPE, elf::STV_DEFAULT),
            };
            let kind = match symbol.kind() {
                SymbolKind::Section | SymbolKind::File => continue,
                _ if elf_type == elf::STT_GNU_IFUNC => ImageSymbolKind::Ifunc,
                SymbolKind::Text => ImageSymbolKind::Function,
                SymbolKind::Tls => ImageSymbolKind::ThreadLocal,
                _ => ImageSymbolKind::Data,
            };
            let section = symbol.section_index();
            let place = section.and_then(|s| self.numbers.sections.get(&s)).map(|&s| {
                let is_code = matches!(kind, ImageSymbolKind::Function | ImageSymbolKind::Ifunc);
                let bit = if is_code { self.format.function_bit } else { 0 };
                (s, symbol.address() & !u64::from(bit))
            });
            if section.is_some() && place.is_none() {
                // In a section that is no part of the program.
                continue;
            }
            let in_group = section.is_some_and(|s| grouped.contains(&s));
            let binding = match () {
                () if symbol.is_local() => ImageBinding::Local,
                // Other modules do not see it.
                () if place.is_some() && matches!(elf_visibility, elf::STV_HIDDEN | elf::STV_INTERNAL) => {
                    ImageBinding::Local
                }
                () if symbol.is_weak() || in_group || symbol.is_common() => ImageBinding::Weak,
                () => ImageBinding::Global,
            };
            let number = self.image.symbols.len() as u32;
            if symbol.is_common() {
                commons.push((number, symbol.address()));
            }
            self.numbers.symbols.insert(symbol.index(), number);
            let name = symbol.name()?.to_string();
            self.image.symbols.push(ImageSymbol { name, kind, binding, place, size: symbol.size() });
        }
        Ok(commons)
    }

    /// Places tentative definitions in a section of their own.
    fn place_commons(&mut self, commons: &[(u32, u64)]) -> Result<(), ReadError> {
        let (mut size, mut most, section) = (0u64, 1, self.image.sections.len() as u32);
        for &(number, align) in commons {
            let symbol = &mut self.image.symbols[number as usize];
            // COFF does not say which alignment they have.
            let align = if align.is_power_of_two() { align } else { 32 };
            let offset = size.checked_next_multiple_of(align);
            let end = offset.and_then(|offset| offset.checked_add(symbol.size));
            let (Some(offset), Some(end)) = (offset, end) else { return error("tentative definitions are too large") };
            symbol.place = Some((section, offset));
            (size, most) = (end, most.max(align));
        }
        if size > 0 {
            let mut bytes = SparseBytes::new();
            bytes.fill(size, &[0]).map_err(|e| ReadError { message: e.to_string() })?;
            let (name, kind) = ("COMMON".into(), ImageSectionKind::Written);
            self.image.sections.push(ImageSection { name, kind, align: most, bytes, relocations: Vec::new() });
        }
        Ok(())
    }

    fn section(&mut self, section: &object::Section<'d, 'f>) -> Result<(), ReadError> {
        let name = section.name()?.to_string();
        let kind = self.kind(&name, section)?;
        let mut bytes = section.data()?.to_vec();
        let mut relocations = Vec::new();
        for (offset, r) in section.relocations() {
            relocations.extend(self.relocation(&name, &mut bytes, offset, &r)?);
        }
        let size = section.size();
        let mut sparse = SparseBytes::from(bytes);
        if sparse.len() < size {
            let zeros = sparse.fill(size - sparse.len(), &[0]);
            zeros.map_err(|e| ReadError { message: e.to_string() })?;
        }
        let align = section.align().max(1);
        self.image.sections.push(ImageSection { name, kind, align, bytes: sparse, relocations });
        Ok(())
    }

    fn kind(&self, name: &str, section: &object::Section<'d, 'f>) -> Result<ImageSectionKind, ReadError> {
        use ImageSectionKind::{Code, Debug, FunctionTable, Index, ReadOnly, ThreadLocal, Unwind, Written};
        if let Some(list) = ImageSectionKind::of_list(name) {
            return Ok(list);
        }
        let (written, code) = match section.flags() {
            SectionFlags::Coff { characteristics } => (characteristics & pe::IMAGE_SCN_MEM_WRITE != 0, None),
            SectionFlags::Elf { sh_flags } => {
                let linked = match self.file {
                    object::File::Elf32(file) if self.format.index.is_some() => {
                        let header = file.elf_section_table().section(section.index())?;
                        Some(SectionIndex(header.sh_link.get(file.endian()) as usize))
                    }
                    _ => None,
                };
                (sh_flags & u64::from(elf::SHF_WRITE) != 0, linked.and_then(|s| self.numbers.sections.get(&s)))
            }
            _ => (false, None),
        };
        Ok(match name {
            ".eh_frame" => Unwind,
            ".pdata" => FunctionTable,
            _ if ImageSectionKind::is_debug(name) => Debug,
            _ if name.starts_with(".ARM.exidx") => Index { code: code.copied().unwrap_or_default() },
            _ if name.starts_with(".tls$") => ThreadLocal,
            _ if section.kind() == SectionKind::Text => Code,
            _ if matches!(section.kind(), SectionKind::Tls | SectionKind::UninitializedTls) => ThreadLocal,
            _ if written && !name.starts_with(".data.rel.ro") => Written,
            _ => ReadOnly,
        })
    }

    fn relocation(
        &self,
        name: &str,
        bytes: &mut [u8],
        offset: u64,
        r: &Relocation,
    ) -> Result<Option<ImageRelocation>, ReadError> {
        let number = match r.flags() {
            RelocationFlags::Elf { r_type } => r_type,
            RelocationFlags::Coff { typ } => typ.into(),
            _ => return error("the object is neither ELF nor COFF"),
        };
        if number == 0 && self.format.coff.is_none() && !self.kinds.by_number.contains_key(&0) {
            // What `ld -r` leaves of a relocation whose target it has left out.
            return Ok(None);
        }
        let Some(kinds) = self.kinds.by_number.get(&number) else {
            return error(format!("section `{name}`: unknown relocation {number} at {offset:#x}"));
        };
        let Some(field) = bytes.get_mut(offset as usize..).filter(|field| field.len() >= 4) else {
            return error(format!("section `{name}`: the field at {offset:#x} lies outside"));
        };
        let fits = kinds.iter().find(|&&(kind, _)| (self.format.code.holds)(kind, field));
        let Some(&(mut kind, place)) = fits else {
            return error(format!(
                "section `{name}`: the instruction at {offset:#x} has no field of relocation {number}"
            ));
        };
        let addend = match self.format.explicit_addends {
            true => r.addend(),
            false => (self.format.code.addend)(kind, field) - place,
        };
        let target = match r.target() {
            RelocationTarget::Section(s) => self.numbers.sections.get(&s).map(|&s| (ImageTarget::Section(s), 0)),
            RelocationTarget::Symbol(s) => match self.numbers.symbols.get(&s) {
                Some(&s) => Some((ImageTarget::Symbol(s), 0)),
                None => self.section_symbol(s)?,
            },
            _ => None,
        };
        let Some((target, more)) = target else {
            return error(format!("section `{name}`: the field at {offset:#x} refers to what is not in memory"));
        };
        if self.format.coff.is_some() && is_x86_call(self.format, bytes, offset, kind) {
            kind.of = Referent::Stub;
        }
        Ok(Some(ImageRelocation { offset: offset as u32, kind, target, addend: addend + more }))
    }

    /// The section that a symbol without a number in the image stands for.
    fn section_symbol(&self, symbol: SymbolIndex) -> Result<Option<(ImageTarget, i64)>, ReadError> {
        let symbol = self.file.symbol_by_index(symbol)?;
        let section = symbol.section_index().and_then(|s| self.numbers.sections.get(&s));
        Ok(section.map(|&s| (ImageTarget::Section(s), symbol.address() as i64)))
    }
}

/// Is the field the displacement of `call` or `jmp`? COFF has one relocation for these and for data.
fn is_x86_call(format: &ObjectFormat, bytes: &[u8], offset: u64, kind: RelocKind) -> bool {
    let is_x86 = matches!(format.elf_machine, elf::EM_X86_64 | elf::EM_386);
    let opcode = (offset as usize).checked_sub(1).and_then(|at| bytes.get(at));
    is_x86 && kind == RelocKind::word(4, Origin::Field) && matches!(opcode, Some(0xe8 | 0xe9))
}
