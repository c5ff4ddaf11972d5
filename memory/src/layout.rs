//! Where the parts of an image lie: its sections in two regions, then the cells and stubs that its references need.
//!
//! The *fixed* region is never written after it has been linked: code, stubs, cells with addresses, read-only data, tables for
//! unwinding. The *written* region has data that code writes, and the cells of functions that are reached by a cell.

use gusset_codegen::buffer::{Origin, Referent, RelocKind};
use gusset_codegen::libcall::LibCall;
use gusset_codegen::object::{
    ImageBinding, ImageRelocation, ImageSectionKind, ImageSymbol, ImageSymbolKind, ImageTarget, ObjectImage,
};

use crate::error::LinkError;

/// A range of bytes of a region. An example is at [`Memory`](crate::Memory).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extent {
    /// Offset of the first byte.
    pub offset: u64,
    /// Number of bytes.
    pub size: u64,
}

/// What a symbol from elsewhere is. An example is at [`Memory`](crate::Memory).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resolved {
    /// The address of a function or of data.
    Address(u64),
    /// Thread-local data: what the target's function for such addresses takes.
    ThreadLocal {
        /// The first word, which says whose data it is.
        module: u64,
        /// The second word, the offset in it.
        offset: u64,
    },
    /// An address in the module itself, which no other module has.
    Module,
}

/// The region of a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Region {
    Fixed,
    Written,
    /// The module's block of thread-local data, which every thread has a copy of.
    ThreadLocal,
    /// Not in memory: debug information, each section of which counts from zero.
    Aside,
}

/// A place in a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub region: Region,
    pub offset: u64,
}

/// What a symbol stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    /// Nothing refers to it, and it is not defined here.
    Unused,
    /// Its definition here.
    Own { section: u32, offset: u64 },
    /// A definition elsewhere, or zero.
    Outside(u64),
    /// Thread-local data elsewhere.
    ThreadLocal { module: u64, offset: u64 },
    /// The cell with the address of a definition elsewhere, which Windows' `dllimport` refers to.
    Import(u64),
    /// The table of cells itself, whose address also stands for the module.
    Table,
}

/// What references need of a symbol, as bits.
const PLAIN: u8 = 1;
const CELL: u8 = 2;
const STUB: u8 = 4;
const TLS_CELLS: u8 = 8;

/// Where the cells and the stub of a symbol are.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Helpers {
    /// Offset in the fixed region of the cell with its address.
    pub cell: Option<u64>,
    /// The same of the cells that say where a thread-local is.
    pub tls: Option<u64>,
    /// The same of code that jumps to it.
    pub stub: Option<u64>,
    /// Offset in the written region of the cell by which it is called.
    pub written_cell: Option<u64>,
}

/// Where the parts of an image lie. An example is at [`Memory`](crate::Memory).
#[derive(Debug)]
pub struct Layout<'i> {
    pub(crate) image: &'i ObjectImage,
    /// By section.
    pub(crate) places: Vec<Place>,
    /// By symbol.
    pub(crate) meanings: Vec<Meaning>,
    pub(crate) helpers: Vec<Helpers>,
    /// Offset of the table of cells.
    pub(crate) table: u64,
    /// The cells that name this module as the owner of thread-local data.
    pub(crate) own_tls: Option<u64>,
    /// The initial contents of thread-local data, in the fixed region.
    pub(crate) template: Extent,
    fixed: Room,
    written: Room,
    thread_local: Room,
}

/// Size and alignment of a region.
#[derive(Clone, Copy, Debug)]
struct Room {
    size: u64,
    align: u64,
}

impl Room {
    /// Appends so many bytes; their offset.
    fn add(&mut self, size: u64, align: u64) -> Result<u64, LinkError> {
        self.align = self.align.max(align);
        let offset = self.size.checked_next_multiple_of(align).ok_or(LinkError::TooLarge)?;
        self.size = offset.checked_add(size).filter(|&end| end <= i64::MAX as u64).ok_or(LinkError::TooLarge)?;
        Ok(offset)
    }
}

/// Is it the relocation that only says what else is needed?
pub(crate) fn is_need(image: &ObjectImage, kind: RelocKind) -> bool {
    image.format.index.is_some_and(|index| index.need == kind)
}

/// The relocation as systems with dynamic linking define it (Exception Handling ABI for the Arm Architecture, section
/// 9.1: `R_ARM_TARGET2`).
pub(crate) fn meant(image: &ObjectImage, kind: RelocKind) -> RelocKind {
    match image.format.index {
        Some(index) if index.type_address == kind => {
            RelocKind { of: Referent::GotEntry, from: Origin::Field, field: kind.field }
        }
        _ => kind,
    }
}

/// The order of sections in the fixed region.
fn rank(kind: ImageSectionKind) -> u8 {
    use ImageSectionKind as Kind;
    match kind {
        Kind::Code => 0,
        Kind::Unwind => 2,
        Kind::FunctionTable => 3,
        Kind::Index { .. } => 4,
        Kind::ThreadLocal => 5,
        _ => 1,
    }
}

impl<'i> Layout<'i> {
    /// Lays out an image. `resolve` is asked for symbols that are not defined in it, and for those that other images see: there a
    /// result takes the definition's place. Functions for which `by_cell` is true are reached by a stub and a cell that can be changed.
    ///
    /// # Errors
    /// Symbols that are nowhere; sizes that no region has.
    pub fn new(
        image: &'i ObjectImage,
        mut resolve: impl FnMut(&ImageSymbol) -> Option<Resolved>,
        by_cell: impl Fn(&ImageSymbol) -> bool,
    ) -> Result<Layout<'i>, LinkError> {
        let empty = Room { size: 0, align: 16 };
        let mut layout = Layout {
            image,
            places: vec![Place { region: Region::Fixed, offset: 0 }; image.sections.len()],
            meanings: Vec::with_capacity(image.symbols.len()),
            helpers: vec![Helpers::default(); image.symbols.len()],
            table: 0,
            own_tls: None,
            template: Extent::default(),
            fixed: empty,
            written: empty,
            thread_local: Room { align: 1, ..empty },
        };
        layout.place_code()?;
        let (needs, needs_own_tls) = layout.needs()?;
        layout.place_data()?;
        layout.resolve(&needs, &mut resolve)?;
        layout.place_helpers(&needs, needs_own_tls, by_cell)?;
        layout.place_fixed_data()?;
        Ok(layout)
    }

    /// Size and alignment of the fixed region.
    pub fn fixed(&self) -> (u64, u64) {
        (self.fixed.size, self.fixed.align)
    }

    /// Size and alignment of the written region.
    pub fn written(&self) -> (u64, u64) {
        (self.written.size, self.written.align)
    }

    /// Size and alignment of the block of thread-local data, and the place of its initial contents in the fixed region.
    pub fn thread_local(&self) -> (u64, u64, Extent) {
        (self.thread_local.size, self.thread_local.align, self.template)
    }

    /// The fixed region's bytes that sections of a kind take together. They are adjacent.
    pub fn extent(&self, of: impl Fn(ImageSectionKind) -> bool) -> Option<Extent> {
        let sections = self.image.sections.iter().zip(&self.places);
        let (mut start, mut end) = (u64::MAX, 0);
        for (section, place) in sections.filter(|(s, p)| of(s.kind) && !s.bytes.is_empty() && p.region == Region::Fixed)
        {
            start = start.min(place.offset);
            end = end.max(place.offset + section.bytes.len());
        }
        (start < end).then(|| Extent { offset: start, size: end - start })
    }

    /// The sections of some kinds in the order in which they are laid out.
    fn in_order(&self, wanted: impl Fn(ImageSectionKind) -> bool) -> Vec<usize> {
        let sections = &self.image.sections;
        let mut list: Vec<usize> = (0..sections.len()).filter(|&i| wanted(sections[i].kind)).collect();
        list.sort_by_key(|&i| {
            let kind = sections[i].kind;
            let code = if let ImageSectionKind::Index { code } = kind { code } else { 0 };
            (rank(kind), code)
        });
        list
    }

    fn place_code(&mut self) -> Result<(), LinkError> {
        for i in self.in_order(|kind| kind == ImageSectionKind::Code) {
            let section = &self.image.sections[i];
            self.places[i].offset = self.fixed.add(section.bytes.len(), section.align)?;
        }
        Ok(())
    }

    fn place_data(&mut self) -> Result<(), LinkError> {
        for (i, section) in self.image.sections.iter().enumerate() {
            let (region, extent) = match section.kind {
                ImageSectionKind::Written => (Region::Written, &mut self.written),
                ImageSectionKind::ThreadLocal => (Region::ThreadLocal, &mut self.thread_local),
                ImageSectionKind::Debug => {
                    self.places[i].region = Region::Aside;
                    continue;
                }
                _ => continue,
            };
            self.places[i] = Place { region, offset: extent.add(section.bytes.len(), section.align)? };
        }
        Ok(())
    }

    fn place_fixed_data(&mut self) -> Result<(), LinkError> {
        use ImageSectionKind::{Code, Debug, ThreadLocal, Written};
        let order = self.in_order(|kind| !matches!(kind, Code | Written | ThreadLocal | Debug));
        for (n, &i) in order.iter().enumerate() {
            let section = &self.image.sections[i];
            self.places[i].offset = self.fixed.add(section.bytes.len(), section.align)?;
            let is_last = order.get(n + 1).is_none_or(|&next| self.image.sections[next].kind != section.kind);
            if section.kind == ImageSectionKind::Unwind && is_last {
                // Its end is a length of zero.
                self.fixed.add(4, 4)?;
            }
        }
        if self.thread_local.size > 0 {
            let Room { size, align } = self.thread_local;
            self.template = Extent { offset: self.fixed.add(size, align)?, size };
        }
        Ok(())
    }

    /// What references need of each symbol, and whether the module's own thread-local data is referred to without a symbol.
    fn needs(&self) -> Result<(Vec<u8>, bool), LinkError> {
        let (mut needs, mut own_tls) = (vec![0; self.image.symbols.len()], false);
        let is_windows_function = |target: ImageTarget, kind: RelocKind| match target {
            ImageTarget::Symbol(s) if self.image.format.coff.is_some() && kind.from == Origin::Field => {
                self.image.symbols[s as usize].kind == ImageSymbolKind::Function
            }
            _ => false,
        };
        for section in self.image.sections.iter().filter(|section| section.kind != ImageSectionKind::Debug) {
            for r in section.relocations.iter().filter(|r| !is_need(self.image, r.kind)) {
                let kind = meant(self.image, r.kind);
                let need = match kind.of {
                    Referent::Address if kind.from == Origin::Image => STUB,
                    // Windows' linkers take the address of an import's stub.
                    Referent::Address if is_windows_function(r.target, kind) => STUB,
                    Referent::Address | Referent::Got => PLAIN,
                    Referent::Stub => STUB,
                    Referent::GotEntry => CELL,
                    Referent::TlsIndex => TLS_CELLS,
                    Referent::TlsModuleOffset => PLAIN,
                    Referent::TlsModule => {
                        own_tls = true;
                        PLAIN
                    }
                    Referent::TlsEntry | Referent::TlsOffset => return Err(self.unsupported(section, r)),
                };
                match r.target {
                    ImageTarget::Symbol(s) => needs[s as usize] |= need,
                    ImageTarget::Section(_) if need & (CELL | TLS_CELLS) == 0 => {}
                    ImageTarget::Section(_) => return Err(self.unsupported(section, r)),
                }
            }
        }
        Ok((needs, own_tls))
    }

    fn unsupported(&self, section: &gusset_codegen::object::ImageSection, r: &ImageRelocation) -> LinkError {
        let symbol = match r.target {
            ImageTarget::Symbol(s) => self.image.symbols[s as usize].name.clone(),
            ImageTarget::Section(s) => self.image.sections[s as usize].name.clone(),
        };
        LinkError::Unsupported { section: section.name.clone(), offset: r.offset.into(), symbol, kind: r.kind }
    }

    /// Finds out what each symbol stands for.
    fn resolve(
        &mut self,
        needs: &[u8],
        resolve: &mut dyn FnMut(&ImageSymbol) -> Option<Resolved>,
    ) -> Result<(), LinkError> {
        let mut missing = Vec::new();
        let is_windows = self.image.format.coff.is_some();
        for (symbol, &needs) in self.image.symbols.iter().zip(needs) {
            // Not all sections have places yet.
            let own = symbol.place.map(|(section, offset)| Meaning::Own { section, offset });
            let asked = match own {
                Some(_) => symbol.binding != ImageBinding::Local,
                None => needs != 0,
            };
            let imported = symbol.name.strip_prefix(IMPORT).filter(|_| asked && own.is_none() && is_windows);
            let imported = imported.map(|name| ImageSymbol { name: name.to_string(), ..symbol.clone() });
            if let Some(Resolved::Address(address)) = imported.and_then(|symbol| resolve(&symbol)) {
                self.meanings.push(Meaning::Import(address));
                continue;
            }
            let is_table = own.is_none() && symbol.name == LibCall::GlobalOffsetTable.symbol();
            let meaning = match if asked && !is_table { resolve(symbol) } else { None } {
                Some(Resolved::Address(address)) => Meaning::Outside(address),
                Some(Resolved::ThreadLocal { module, offset }) => Meaning::ThreadLocal { module, offset },
                Some(Resolved::Module) => Meaning::Table,
                None if is_table => Meaning::Table,
                None => match own {
                    Some(own) => own,
                    None if needs == 0 => Meaning::Unused,
                    None if symbol.binding == ImageBinding::Weak => Meaning::Outside(0),
                    None => {
                        missing.push(symbol.name.clone());
                        Meaning::Unused
                    }
                },
            };
            self.meanings.push(meaning);
        }
        if missing.is_empty() { Ok(()) } else { Err(LinkError::Undefined { symbols: missing }) }
    }

    /// Places stubs and cells.
    fn place_helpers(
        &mut self,
        needs: &[u8],
        needs_own_tls: bool,
        by_cell: impl Fn(&ImageSymbol) -> bool,
    ) -> Result<(), LinkError> {
        let format = self.image.format;
        let word = u64::from(format.pointer_bytes);
        // On other machines branches reach everything, and the instruction set is one.
        let has_stubs = format.is_64 || format.index.is_some();
        let stub_size = format.cell_jump.code.len() as u64;
        for (i, symbol) in self.image.symbols.iter().enumerate() {
            let meaning = self.meanings[i];
            let is_own = matches!(meaning, Meaning::Own { .. });
            if is_own && (symbol.kind == ImageSymbolKind::Ifunc || by_cell(symbol)) {
                self.helpers[i].written_cell = Some(self.written.add(word, word)?);
                self.helpers[i].stub = Some(self.fixed.add(stub_size, 4)?);
            } else if has_stubs && needs[i] & STUB != 0 && matches!(meaning, Meaning::Outside(_)) {
                self.helpers[i].stub = Some(self.fixed.add(stub_size, 4)?);
            }
        }
        self.table = self.fixed.add(0, 8)?;
        for (i, needs) in needs.iter().enumerate() {
            let own_stub = self.helpers[i].stub.is_some() && self.helpers[i].written_cell.is_none();
            if needs & CELL != 0 || own_stub || matches!(self.meanings[i], Meaning::Import(_)) {
                self.helpers[i].cell = Some(self.fixed.add(word, word)?);
            }
            if needs & TLS_CELLS != 0 {
                self.helpers[i].tls = Some(self.tls_cells()?);
            }
        }
        if needs_own_tls {
            self.own_tls = Some(self.tls_cells()?);
        }
        Ok(())
    }

    /// Room for what says where thread-local data is: the two words, and before them, for descriptors, the function and its argument.
    fn tls_cells(&mut self) -> Result<u64, LinkError> {
        let word = u64::from(self.image.format.pointer_bytes);
        let words = if self.has_descriptors() { 4 } else { 2 };
        self.fixed.add(words * word, word)
    }

    /// Is thread-local data found by descriptors?
    pub(crate) fn has_descriptors(&self) -> bool {
        self.image.format.elf_machine == AARCH64
    }
}

/// What `dllimport` puts before a name.
const IMPORT: &str = "__imp_";

/// ELF's number of AArch64, where addresses of thread-local data are found by descriptors.
const AARCH64: u16 = 183;
