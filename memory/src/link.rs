//! The bytes of an image at known addresses.

use gusset_codegen::buffer::{Origin, Referent, RelocKind};
use gusset_codegen::object::{ImageRelocation, ImageSectionKind, ImageSymbolKind, ImageTarget};
use gusset_codegen::sparse::{Piece, SparseBytes};

use crate::error::LinkError;
use crate::layout::{Layout, Meaning, Place, Region, is_need, meant};

/// The addresses that an image is linked for. An example is at [`Memory`](crate::Memory).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Addresses {
    /// The fixed region's.
    pub fixed: u64,
    /// The written region's.
    pub written: u64,
    /// What relocations relative to the image count from.
    pub image: u64,
    /// What names this module as the owner of thread-local data, and the function that descriptors of such data call.
    pub thread_local: [u64; 2],
}

/// The bytes of both regions while they are filled.
struct Regions<'b> {
    fixed: &'b mut [u8],
    written: &'b mut [u8],
}

impl Regions<'_> {
    fn bytes(&mut self, region: Region) -> &mut [u8] {
        match region {
            Region::Written => self.written,
            Region::Fixed | Region::ThreadLocal | Region::Aside => self.fixed,
        }
    }
}

/// Copies a section to memory that contains zeros.
fn copy(from: &SparseBytes, to: &mut [u8]) {
    let mut at = 0;
    for piece in from.pieces() {
        let len = piece.len() as usize;
        match piece {
            Piece::Bytes(from) => to[at..at + len].copy_from_slice(from),
            Piece::Fill { pattern, .. } if pattern.iter().all(|&b| b == 0) => {}
            Piece::Fill { pattern, first, .. } => {
                for (i, byte) in to[at..at + len].iter_mut().enumerate() {
                    *byte = pattern[(first + i) % pattern.len()];
                }
            }
        }
        at += len;
    }
}

/// Writes a word of `size` bytes.
fn put_word(bytes: &mut [u8], offset: u64, size: u8, value: u64) -> Option<()> {
    let bytes = bytes.get_mut(offset as usize..)?.get_mut(..size.into())?;
    bytes.copy_from_slice(&value.to_le_bytes()[..size.into()]);
    Some(())
}

impl Layout<'_> {
    /// The bytes of the fixed and of the written region at these addresses.
    ///
    /// # Errors
    /// A field that cannot hold its value.
    pub fn link(&self, at: &Addresses) -> Result<(Vec<u8>, Vec<u8>), LinkError> {
        let zeros = |size: u64| -> Result<Vec<u8>, LinkError> {
            let mut bytes = Vec::new();
            bytes.try_reserve_exact(size as usize).map_err(|_| LinkError::TooLarge)?;
            bytes.resize(size as usize, 0);
            Ok(bytes)
        };
        let (mut fixed, mut written) = (zeros(self.fixed().0)?, zeros(self.written().0)?);
        self.link_into(at, &mut fixed, &mut written, true)?;
        Ok((fixed, written))
    }

    /// Like [`Layout::link`], to memory that is as large as the regions. `zeroed`: it contains zeros.
    ///
    /// # Errors
    /// As [`Layout::link`].
    pub fn link_into(
        &self,
        at: &Addresses,
        fixed: &mut [u8],
        written: &mut [u8],
        zeroed: bool,
    ) -> Result<(), LinkError> {
        let mut regions = Regions { fixed, written };
        if !zeroed {
            regions.fixed.fill(0);
            regions.written.fill(0);
        }
        self.copy_sections(&mut regions);
        self.write_helpers(at, &mut regions)?;
        for (number, section) in self.image.sections.iter().enumerate() {
            if self.places[number].region == Region::Aside {
                continue;
            }
            for r in &section.relocations {
                self.apply(at, &mut regions, number, r)?;
            }
        }
        self.sort_function_table(regions.fixed);
        Ok(())
    }

    /// The address of a section's byte, or of the template of thread-local data.
    pub(crate) fn address(&self, at: &Addresses, section: u32, offset: u64) -> u64 {
        let place = self.places[section as usize];
        let base = match place.region {
            Region::Fixed => at.fixed,
            Region::Written => at.written,
            Region::ThreadLocal | Region::Aside => 0,
        };
        base.wrapping_add(place.offset).wrapping_add(offset)
    }

    /// The address of a symbol as code sees it: with the bit of its instruction set, and of the stub if it is called by a cell.
    pub fn symbol_address(&self, at: &Addresses, symbol: u32) -> u64 {
        let i = symbol as usize;
        let bit = |address: u64| match self.image.symbols[i].kind {
            ImageSymbolKind::Function | ImageSymbolKind::Ifunc => address | u64::from(self.image.format.function_bit),
            ImageSymbolKind::Data | ImageSymbolKind::ThreadLocal => address,
        };
        match (self.meanings[i], self.helpers[i]) {
            (Meaning::Own { .. }, helpers) if helpers.written_cell.is_some() => {
                bit(at.fixed + helpers.stub.unwrap_or_default())
            }
            (Meaning::Own { section, offset }, _) => bit(self.address(at, section, offset)),
            (Meaning::Outside(address), _) => address,
            (Meaning::ThreadLocal { offset, .. }, _) => offset,
            (Meaning::Import(_), helpers) => at.fixed + helpers.cell.unwrap_or_default(),
            (Meaning::Table, _) => at.fixed + self.table,
            (Meaning::Unused, _) => 0,
        }
    }

    fn copy_sections(&self, regions: &mut Regions<'_>) {
        for (section, place) in self.image.sections.iter().zip(&self.places) {
            let start = match place.region {
                Region::ThreadLocal => self.template.offset + place.offset,
                Region::Fixed | Region::Written => place.offset,
                Region::Aside => continue,
            };
            copy(&section.bytes, &mut regions.bytes(place.region)[start as usize..]);
        }
    }

    /// The sections of debug information at these addresses, by name. One with a field that cannot hold its value is left out.
    pub(crate) fn debug_sections(&self, at: &Addresses) -> Vec<(&str, Vec<u8>)> {
        let sections = self.image.sections.iter().filter(|section| section.kind == ImageSectionKind::Debug);
        let linked = sections.filter_map(|section| {
            let mut bytes = vec![0; section.bytes.len() as usize];
            copy(&section.bytes, &mut bytes);
            for r in &section.relocations {
                let (address, _) = self.referent(at, r.kind, r.target);
                let address = address.unwrap_or_default();
                let value = self.counted(r.kind, address.wrapping_add_signed(r.addend), 0, at, 0);
                let field = bytes.get_mut(r.offset as usize..).filter(|field| field.len() >= 4)?;
                (self.image.format.code.apply)(r.kind, field, value).then_some(())?;
            }
            Some((section.name.as_str(), bytes))
        });
        linked.collect()
    }

    /// Fills cells and stubs.
    fn write_helpers(&self, at: &Addresses, regions: &mut Regions<'_>) -> Result<(), LinkError> {
        let format = self.image.format;
        let word = format.pointer_bytes;
        for (i, helpers) in self.helpers.iter().enumerate() {
            let out_of_reach = |offset: u64| LinkError::OutOfReach {
                section: "stubs".into(),
                offset,
                symbol: self.image.symbols[i].name.clone(),
            };
            let address = self.symbol_address(at, i as u32);
            if let Some(cell) = helpers.cell {
                let address = if let Meaning::Import(address) = self.meanings[i] { address } else { address };
                put_word(regions.fixed, cell, word, address).ok_or_else(|| out_of_reach(cell))?;
            }
            if let (Some(cell), Meaning::Own { section, offset }) = (helpers.written_cell, self.meanings[i]) {
                let own = self.address(at, section, offset) | u64::from(format.function_bit);
                put_word(regions.written, cell, word, own).ok_or_else(|| out_of_reach(cell))?;
            }
            if let Some(cells) = helpers.tls {
                let [owner, offset] = match self.meanings[i] {
                    Meaning::ThreadLocal { module, offset } => [module, offset],
                    _ => [at.thread_local[0], address],
                };
                self.write_tls_cells(at, regions, cells, [owner, offset]).ok_or_else(|| out_of_reach(cells))?;
            }
            if let Some(stub) = helpers.stub {
                let cell = match (helpers.written_cell, helpers.cell) {
                    (Some(cell), _) => at.written + cell,
                    (None, cell) => at.fixed + cell.unwrap_or_default(),
                };
                let jump = &format.cell_jump;
                let code = regions.fixed.get_mut(stub as usize..).and_then(|b| b.get_mut(..jump.code.len()));
                let code = code.ok_or_else(|| out_of_reach(stub))?;
                code.copy_from_slice(jump.code);
                for &(offset, kind, addend) in jump.fields {
                    let field = at.fixed + stub + u64::from(offset);
                    let value = self.counted(kind, cell.wrapping_add_signed(addend), field, at, 0);
                    if !(format.code.apply)(kind, &mut code[offset as usize..], value) {
                        return Err(out_of_reach(stub));
                    }
                }
            }
        }
        if let Some(cells) = self.own_tls {
            self.write_tls_cells(at, regions, cells, [at.thread_local[0], 0]).ok_or(LinkError::TooLarge)?;
        }
        Ok(())
    }

    fn write_tls_cells(&self, at: &Addresses, regions: &mut Regions<'_>, cells: u64, index: [u64; 2]) -> Option<()> {
        let word = self.image.format.pointer_bytes;
        let mut words = index.to_vec();
        if self.has_descriptors() {
            // The descriptor's argument is the address of the two words.
            words.splice(0..0, [at.thread_local[1], at.fixed + cells + 2 * u64::from(word)]);
        }
        words
            .iter()
            .zip(0..)
            .try_for_each(|(&value, i)| put_word(regions.fixed, cells + i * u64::from(word), word, value))
    }

    /// The value of a field: an address, counted from the relocation's origin.
    fn counted(&self, kind: RelocKind, address: u64, field: u64, at: &Addresses, section: u64) -> i64 {
        const PAGE: u64 = 0xfff;
        let value = match kind.from {
            Origin::Zero => address,
            Origin::Field => address.wrapping_sub(field),
            Origin::Page => (address & !PAGE).wrapping_sub(field & !PAGE),
            Origin::Got => address.wrapping_sub(at.fixed + self.table),
            Origin::Image => address.wrapping_sub(at.image),
            Origin::Section => address.wrapping_sub(section),
        };
        // Addresses of 32 bits wrap around.
        if self.image.format.is_64 { value as i64 } else { i64::from(value as i32) }
    }

    /// Applies a relocation.
    fn apply(
        &self,
        at: &Addresses,
        regions: &mut Regions<'_>,
        number: usize,
        r: &ImageRelocation,
    ) -> Result<(), LinkError> {
        if is_need(self.image, r.kind) {
            return Ok(());
        }
        let kind = meant(self.image, r.kind);
        let Place { region, offset } = self.places[number];
        let (field, start) = match region {
            Region::ThreadLocal => (0, self.template.offset),
            Region::Aside => (0, 0),
            Region::Fixed | Region::Written => (self.address(at, number as u32, r.offset.into()), 0),
        };
        let bytes = regions.bytes(region).get_mut((start + offset) as usize + r.offset as usize..).unwrap_or_default();
        let (direct, stub) = self.referent(at, kind, r.target);
        let section = match r.target {
            ImageTarget::Section(s) => self.address(at, s, 0),
            ImageTarget::Symbol(s) => match self.meanings[s as usize] {
                Meaning::Own { section, .. } => self.address(at, section, 0),
                _ => 0,
            },
        };
        let apply = self.image.format.code.apply;
        let done = [direct, stub].into_iter().flatten().any(|address| {
            let value = self.counted(kind, address.wrapping_add_signed(r.addend), field, at, section);
            bytes.len() >= 4 && apply(kind, bytes, value)
        });
        if done {
            return Ok(());
        }
        let (sections, symbols) = (&self.image.sections, &self.image.symbols);
        let symbol = match r.target {
            ImageTarget::Section(s) => sections[s as usize].name.clone(),
            ImageTarget::Symbol(s) => symbols[s as usize].name.clone(),
        };
        Err(LinkError::OutOfReach { section: sections[number].name.clone(), offset: r.offset.into(), symbol })
    }

    /// What a relocation refers to: its address, and that of a stub that goes there from where the address is out of reach.
    fn referent(&self, at: &Addresses, kind: RelocKind, target: ImageTarget) -> (Option<u64>, Option<u64>) {
        let symbol = match target {
            ImageTarget::Section(s) => {
                let own = self.own_tls.filter(|_| kind.of == Referent::TlsModule);
                return (Some(own.map_or_else(|| self.address(at, s, 0), |cells| at.fixed + cells)), None);
            }
            ImageTarget::Symbol(symbol) => symbol,
        };
        let helpers = &self.helpers[symbol as usize];
        let cell = |offset: Option<u64>| at.fixed + offset.unwrap_or_default();
        match kind.of {
            Referent::GotEntry => (Some(cell(helpers.cell)), None),
            Referent::Got => (Some(at.fixed + self.table), None),
            Referent::TlsIndex => (Some(cell(helpers.tls)), None),
            Referent::TlsModule => (Some(cell(self.own_tls)), None),
            _ => {
                let address = self.symbol_address(at, symbol);
                let outside = helpers.written_cell.is_none();
                let stub = helpers.stub.filter(|_| outside).map(|stub| at.fixed + stub);
                let bit = u64::from(self.image.format.function_bit);
                match kind.of {
                    // A branch has no bit for the instruction set. Where there are two, stubs change it.
                    Referent::Stub if stub.is_some() && self.image.format.index.is_some() => (stub, None),
                    Referent::Stub if matches!(self.meanings[symbol as usize], Meaning::Own { .. }) => {
                        (Some(address & !bit), stub)
                    }
                    Referent::Stub => (Some(address), stub),
                    _ if self.image.format.coff.is_some() => (Some(address), stub),
                    _ => (Some(address), None),
                }
            }
        }
    }

    /// Sorts the table of functions by address, as Windows wants it: sections may be laid out in another order.
    fn sort_function_table(&self, fixed: &mut [u8]) {
        let Some(table) = self.extent(|kind| kind == ImageSectionKind::FunctionTable) else { return };
        const X86_64: u16 = 62;
        let size = if self.image.format.elf_machine == X86_64 { 12 } else { 8 };
        let bytes = &mut fixed[table.offset as usize..(table.offset + table.size) as usize];
        let start = |entry: &[u8]| entry.first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
        if bytes.chunks_exact(size).is_sorted_by_key(start) {
            return;
        }
        let mut entries: Vec<Vec<u8>> = bytes.chunks_exact(size).map(<[u8]>::to_vec).collect();
        entries.sort_by_key(|entry| start(entry));
        bytes.chunks_exact_mut(size).zip(&entries).for_each(|(to, from)| to.copy_from_slice(from));
    }
}
