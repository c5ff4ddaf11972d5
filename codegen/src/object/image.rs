//! A module's sections before they have addresses: what is placed in memory, where a file would go to a linker.
//!
//! An image has no notes or attributes, and its debug sections are not for the memory that code sees. Its relocations are [`RelocKind`]s, which a linker in memory
//! computes from referent and origin, and writes by the machine's [`CodeFacts`](crate::buffer::CodeFacts).

use object::{elf, pe};

use super::{
    Definition, FixupTarget, MAX_SECTION, ObjectError, ObjectFormat, ObjectWriter, Result, Section, SectionSpec,
    SectionType, SymbolPlace, symbol_name,
};
use crate::buffer::RelocKind;
use crate::ir::{Linkage, SymbolId, SymbolKind, Visibility};
use crate::sparse::SparseBytes;
use crate::stack_map::section::SYMBOL;

/// Sections, symbols and relocations of a module.
#[derive(Clone, Debug)]
pub struct ObjectImage {
    /// The machine's facts.
    pub format: &'static ObjectFormat,
    /// The sections that are in memory, and those of debug information.
    pub sections: Vec<ImageSection>,
    /// The symbols that are defined, and those that relocations refer to.
    pub symbols: Vec<ImageSymbol>,
}

/// A section of an image.
#[derive(Clone, Debug)]
pub struct ImageSection {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: ImageSectionKind,
    /// Alignment of its address, a power of two.
    pub align: u64,
    /// Its contents.
    pub bytes: SparseBytes,
    /// Its fields that depend on addresses.
    pub relocations: Vec<ImageRelocation>,
}

/// What a section of an image holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ImageSectionKind {
    /// Code.
    Code,
    /// Data that nobody writes once its addresses are known.
    ReadOnly,
    /// Data that is written.
    Written,
    /// The initial contents of thread-local data.
    ThreadLocal,
    /// `.eh_frame`.
    Unwind,
    /// The table by which Windows unwinds functions.
    FunctionTable,
    /// ARM's index of functions, for the code of this section.
    Index {
        /// The number of the section with the code.
        code: u32,
    },
    /// Addresses of functions that run at the start, lower priorities first.
    Constructors {
        /// The priority.
        priority: u32,
    },
    /// Addresses of functions that run at the end, higher priorities first.
    Destructors {
        /// The priority.
        priority: u32,
    },
    /// Debug information as DWARF, for debuggers and profilers only. An offset into another such section is an address that counts
    /// from that section's start.
    Debug,
}

/// A field that depends on an address.
#[derive(Clone, Copy, Debug)]
pub struct ImageRelocation {
    /// Offset of the field in its section.
    pub offset: u32,
    /// How the value is computed and stored. The field's bits are zero.
    pub kind: RelocKind,
    /// What the address is of.
    pub target: ImageTarget,
    /// Added to the value.
    pub addend: i64,
}

/// Whose address a relocation means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageTarget {
    /// The section with this number.
    Section(u32),
    /// The symbol with this number.
    Symbol(u32),
}

/// A symbol of an image.
#[derive(Clone, Debug)]
pub struct ImageSymbol {
    /// Its name, as files have it.
    pub name: String,
    /// What it is.
    pub kind: ImageSymbolKind,
    /// Who sees it.
    pub binding: ImageBinding,
    /// Section and offset of its definition; `None` if it is not defined here.
    pub place: Option<(u32, u64)>,
    /// Bytes of its definition.
    pub size: u64,
}

/// What a symbol of an image is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageSymbolKind {
    /// A function. Its address says in which instruction set it is ([`ObjectFormat::function_bit`]).
    Function,
    /// Data, or anything else.
    Data,
    /// Thread-local data.
    ThreadLocal,
    /// A function that says which function the symbol stands for.
    Ifunc,
}

/// Who sees a symbol of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageBinding {
    /// Only this image.
    Local,
    /// Other images.
    Global,
    /// Other images. Another definition of the same name may take its place; without a definition the address is zero.
    Weak,
}

impl ImageSectionKind {
    /// Is a section of this name one of DWARF's?
    pub fn is_debug(name: &str) -> bool {
        name.starts_with(".debug_")
    }

    /// The kind of lists of constructors and destructors, by the section's name (System V gABI, "Special Sections"; GNU's
    /// and Microsoft's lists on Windows).
    pub fn of_list(name: &str) -> Option<ImageSectionKind> {
        let (stem, suffix) = match name.strip_prefix('.')?.split_once(['.', '$']) {
            Some((stem, suffix)) => (stem, Some(suffix)),
            None => (&name[1..], None),
        };
        let number = || suffix.and_then(|digits| digits.parse::<u32>().ok()).unwrap_or(65535);
        let reversed = || if suffix.is_none() { 65535 } else { 65535u32.saturating_sub(number()) };
        let (init, priority) = match (stem, suffix) {
            ("init_array", _) => (true, number()),
            ("fini_array", _) => (false, number()),
            ("ctors", _) => (true, reversed()),
            ("dtors", _) => (false, reversed()),
            // Microsoft's linker sorts by name: letters stand for ranges of priorities.
            ("CRT", Some(suffix)) => {
                let (init, rest) = match suffix.strip_prefix("XC") {
                    Some(rest) => (true, rest),
                    None => (false, suffix.strip_prefix("XT")?),
                };
                let (letter, digits) = rest.split_at_checked(1)?;
                let default = match letter {
                    "A" => 0,
                    "C" => 200,
                    "L" => 400,
                    _ => 65535,
                };
                (init, digits.parse().unwrap_or(default))
            }
            _ => return None,
        };
        Some(match init {
            true => ImageSectionKind::Constructors { priority },
            false => ImageSectionKind::Destructors { priority },
        })
    }
}

/// Is a section of COFF part of the program? Directives and the like are not.
fn is_in_coff_image(flags: u32) -> bool {
    flags & (pe::IMAGE_SCN_LNK_INFO | pe::IMAGE_SCN_LNK_REMOVE | pe::IMAGE_SCN_MEM_DISCARDABLE) == 0
}

/// Flags of the section of tentative definitions, in both formats.
const COMMON_FLAGS: u32 = elf::SHF_ALLOC | elf::SHF_WRITE | pe::IMAGE_SCN_MEM_READ | pe::IMAGE_SCN_MEM_WRITE;

/// Numbers of what is in the image, by its number in the writer.
struct Numbers {
    sections: Vec<Option<u32>>,
    /// `None`: it is not needed yet.
    symbols: Vec<Option<u32>>,
}

impl ObjectWriter<'_> {
    /// Adds the module's data, aliases and constructors, and makes an image instead of a file.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn finish_image(mut self) -> Result<ObjectImage> {
        self.module_data()?;
        self.place_common()?;
        self.personality_pointers()?;
        self.unwind_table()?;
        self.place_debug_info()?;
        let mut image = ObjectImage { format: self.format, sections: Vec::new(), symbols: Vec::new() };
        let mut numbers = Numbers { sections: Vec::new(), symbols: vec![None; self.definitions.len()] };
        let mut count = 0;
        for section in &self.sections {
            let is_there = self.is_in_image(section);
            numbers.sections.push(is_there.then_some(count));
            count += u32::from(is_there);
        }
        self.image_symbols(&mut image, &mut numbers);
        if let Some(section) = self.unnamed_stack_maps() {
            image.symbols.push(ImageSymbol {
                name: SYMBOL.to_string(),
                kind: ImageSymbolKind::Data,
                binding: ImageBinding::Local,
                place: numbers.sections[section as usize].map(|section| (section, 0)),
                size: self.sections[section as usize].size(),
            });
        }
        let mut lists = self.image_relocations(&mut image, &mut numbers)?;
        for (i, section) in self.sections.into_iter().enumerate() {
            if numbers.sections[i].is_none() {
                continue;
            }
            let bytes = match section.spec.ty {
                SectionType::Zeros => {
                    let mut zeros = SparseBytes::new();
                    zeros.fill(section.zeros, &[0])?;
                    zeros
                }
                _ => section.bytes,
            };
            let linked = self.index_sections.iter().find(|(_, index)| **index == i as u32);
            let code = linked.and_then(|(&code, _)| numbers.sections[code as usize]);
            image.sections.push(ImageSection {
                kind: kind(self.format, &section.spec.name, section.spec.ty, section.spec.flags, code),
                name: section.spec.name.into_owned(),
                align: section.align.max(1),
                bytes,
                relocations: std::mem::take(&mut lists[i]),
            });
        }
        Ok(image)
    }

    /// Places tentative definitions, which no linker will do.
    fn place_common(&mut self) -> Result {
        for i in 0..self.definitions.len() {
            let Definition { place: SymbolPlace::Common { align }, size, .. } = self.definitions[i] else { continue };
            let section = self.section(SectionSpec::new(".bss", SectionType::Zeros, COMMON_FLAGS, 0));
            let offset = self.pad(section, align, false)?;
            let zeros = &mut self.sections[section as usize].zeros;
            *zeros = zeros.checked_add(size).filter(|&end| end <= MAX_SECTION).ok_or(ObjectError::TooLarge)?;
            self.definitions[i].place = SymbolPlace::At { section, offset };
        }
        Ok(())
    }

    fn is_in_image(&self, section: &Section) -> bool {
        let flags = section.spec.flags;
        match self.format.coff {
            _ if ImageSectionKind::is_debug(&section.spec.name) => true,
            Some(_) => is_in_coff_image(flags),
            None => flags & elf::SHF_ALLOC != 0,
        }
    }

    /// Adds the symbols that are defined.
    fn image_symbols(&self, image: &mut ObjectImage, numbers: &mut Numbers) {
        for (i, definition) in self.definitions.iter().enumerate() {
            let private = self.module.symbols[i].linkage == Linkage::Private
                && self.module.symbols[i].kind != SymbolKind::Function;
            if definition.place != SymbolPlace::Nowhere && !private {
                self.image_symbol(SymbolId::new(i), image, numbers);
            }
        }
    }

    /// The number of a symbol in the image.
    fn image_symbol(&self, id: SymbolId, image: &mut ObjectImage, numbers: &mut Numbers) -> u32 {
        if let Some(number) = numbers.symbols[id.index()] {
            return number;
        }
        let (symbol, definition) = (self.module.symbol(id), self.definitions[id.index()]);
        let kind = match self.module.symbol(definition.base).kind {
            _ if symbol.kind == SymbolKind::Ifunc => ImageSymbolKind::Ifunc,
            SymbolKind::Tls(_) => ImageSymbolKind::ThreadLocal,
            SymbolKind::Function | SymbolKind::Ifunc => ImageSymbolKind::Function,
            SymbolKind::Data | SymbolKind::EmulatedTls | SymbolKind::Block(_) => ImageSymbolKind::Data,
        };
        let place = match definition.place {
            SymbolPlace::At { section, offset } => numbers.sections[section as usize].map(|section| (section, offset)),
            _ => None,
        };
        let is_defined = place.is_some();
        let binding = match symbol.linkage {
            _ if self.module.is_local(id) || is_defined && !symbol.is_defined() => ImageBinding::Local,
            _ if is_defined && symbol.visibility == Visibility::Hidden => ImageBinding::Local,
            Linkage::Weak | Linkage::ImportWeak | Linkage::Common => ImageBinding::Weak,
            _ if is_defined && symbol.comdat.is_some() => ImageBinding::Weak,
            _ => ImageBinding::Global,
        };
        let number = image.symbols.len() as u32;
        let name = symbol_name(self.format, self.module, id).into_owned();
        image.symbols.push(ImageSymbol { name, kind, binding, place, size: definition.size });
        numbers.symbols[id.index()] = Some(number);
        number
    }

    /// Resolves what can be resolved, and gives the relocations of each section.
    fn image_relocations(
        &mut self,
        image: &mut ObjectImage,
        numbers: &mut Numbers,
    ) -> Result<Vec<Vec<ImageRelocation>>> {
        let (known, unknown) = self.libcalls();
        let first_call = image.symbols.len() as u32;
        image.symbols.extend(unknown.iter().map(|&call| ImageSymbol {
            name: self.format.library_name(call).into_owned(),
            kind: ImageSymbolKind::Data,
            binding: ImageBinding::Global,
            place: None,
            size: 0,
        }));
        let homes = self.homes();
        let mut lists = Vec::with_capacity(self.sections.len());
        for number in 0..self.sections.len() {
            let fixups = std::mem::take(&mut self.sections[number].fixups);
            let mut list = Vec::new();
            if numbers.sections[number].is_some() {
                list.reserve(fixups.len());
                for mut fixup in fixups {
                    if let FixupTarget::LibCall(call) = fixup.target
                        && let Some(&symbol) = known.get(&call)
                    {
                        fixup.target = FixupTarget::Symbol(symbol);
                    }
                    let (target, addend, settled) = self.target(&homes, number as u32, &fixup)?;
                    if settled {
                        self.write_field(number, &fixup, addend)?;
                        continue;
                    }
                    let in_section = |s: u32| numbers.sections[s as usize].map(ImageTarget::Section);
                    let (target, addend) = match target {
                        FixupTarget::Symbol(s) | FixupTarget::Imported(s) => {
                            (Some(ImageTarget::Symbol(self.image_symbol(s, image, numbers))), addend)
                        }
                        FixupTarget::Section(s) => (in_section(s), addend),
                        FixupTarget::Constant(c) => {
                            let constant = self.constants[c as usize];
                            (in_section(constant.section), addend + constant.offset as i64)
                        }
                        FixupTarget::LibCall(call) => {
                            let place = unknown.binary_search(&call).unwrap_or_default();
                            (Some(ImageTarget::Symbol(first_call + place as u32)), addend)
                        }
                        FixupTarget::Cell(routine) => {
                            let cell = self.personality_cells.iter().find(|(s, _)| *s == routine);
                            (cell.and_then(|&(_, section)| in_section(section)), addend)
                        }
                    };
                    // A field of the image cannot refer to what is no part of it.
                    let Some(target) = target else {
                        let section = self.sections[number].spec.name.to_string();
                        return Err(ObjectError::Relocation { section, kind: fixup.kind });
                    };
                    list.push(ImageRelocation { offset: fixup.offset, kind: fixup.kind, target, addend });
                }
            }
            lists.push(list);
        }
        Ok(lists)
    }
}

/// What a section of the writer holds.
fn kind(format: &ObjectFormat, name: &str, ty: SectionType, flags: u32, code: Option<u32>) -> ImageSectionKind {
    use ImageSectionKind::{Code, Debug, FunctionTable, Index, ReadOnly, ThreadLocal, Unwind, Written};
    let (executable, written) = match format.coff {
        Some(_) => (pe::IMAGE_SCN_MEM_EXECUTE, pe::IMAGE_SCN_MEM_WRITE),
        None => (elf::SHF_EXECINSTR, elf::SHF_WRITE),
    };
    let thread_local = match format.coff {
        Some(_) => name.starts_with(".tls$"),
        None => flags & elf::SHF_TLS != 0,
    };
    match (ty, ImageSectionKind::of_list(name)) {
        (_, Some(list)) => list,
        (SectionType::Unwind, _) => Unwind,
        (SectionType::Index, _) => Index { code: code.unwrap_or_default() },
        _ if name == ".pdata" => FunctionTable,
        _ if ImageSectionKind::is_debug(name) => Debug,
        _ if thread_local => ThreadLocal,
        _ if flags & executable != 0 => Code,
        // Addresses that loaders write before the program starts are known here from the start.
        _ if flags & written != 0 && !name.starts_with(".data.rel.ro") => Written,
        _ => ReadOnly,
    }
}
