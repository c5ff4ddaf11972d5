//! Data before functions, and the list of places where functions can be patched.

use super::parts::Places;
use super::{
    Fixup, FixupTarget, MAX_SECTION, ObjectError, ObjectWriter, Result, SectionSpec, SymbolPlace, block_map_section,
    patch_section, sled_section, stack_size_section, trap_section,
};
use crate::block_map;
use crate::buffer::{Origin, RelocKind};
use crate::compiled::CompiledFunction;
use crate::sled::VERSION;

impl ObjectWriter<'_> {
    /// Writes the data before a function to the end of its section. Returns the offset of the function itself.
    pub(super) fn in_front(&mut self, f: &CompiledFunction, section: u32) -> Result<u64> {
        let module = self.module;
        let start = self.sections[section as usize].size();
        if let Some(data) = module.prefix(f.symbol) {
            self.contents(section, self.sections[section as usize].size(), data)?;
        }
        if let Some(id) = module.type_id(f.symbol) {
            let align = u64::from(f.align.max(module.symbol(f.symbol).align).max(1));
            let bytes = self.format.type_id_bytes(id.id, f.patch.map_or(0, |patch| patch.before), align);
            let offset = self.sections[section as usize].size();
            self.sections[section as usize].bytes.tail().extend_from_slice(&bytes);
            if let Some(place) = id.place {
                self.define(place, SymbolPlace::At { section, offset }, bytes.len() as u64)?;
            }
        }
        if let Some(patch) = f.patch {
            self.format.room_for_patches(self.sections[section as usize].bytes.tail(), patch);
        }
        if let Some(data) = module.type_hash(f.symbol) {
            self.contents(section, self.sections[section as usize].size(), data)?;
        }
        let offset = self.sections[section as usize].size();
        if offset > start {
            self.begin(section, start, true);
        }
        if offset > MAX_SECTION { Err(ObjectError::TooLarge) } else { Ok(offset) }
    }

    /// Lists where the checks of types of a function trap.
    pub(super) fn type_traps(&mut self, f: &CompiledFunction, places: &Places) -> Result {
        if f.type_traps.is_empty() || self.format.coff.is_some() {
            return Ok(());
        }
        let list = self.section(trap_section(self.module, f.symbol));
        for &at in &f.type_traps {
            let start = self.pad(list, 1, false)?;
            let list = &mut self.sections[list as usize];
            list.bytes.add_fields(4);
            let kind = RelocKind::word(4, Origin::Field);
            let (section, offset) = places.at(at);
            let (addend, target) = (offset as i64, FixupTarget::Section(section));
            list.fixups.push(Fixup { offset: start as u32, addend, target, kind, in_data: true });
        }
        Ok(())
    }

    /// Lists where tools can write calls into a function at `offset` of a section, and where that list is.
    pub(super) fn sleds(&mut self, f: &CompiledFunction, section: u32, offset: u64) -> Result {
        if f.sleds.is_empty() {
            return Ok(());
        }
        let word = self.format.pointer_bytes;
        let kind = RelocKind::word(word, Origin::Field);
        let distance = |at: u64, section: u32, to: u64| {
            let target = FixupTarget::Section(section);
            Fixup { offset: at as u32, addend: to as i64, target, kind, in_data: true }
        };
        let map = self.section(sled_section(self.module, f.symbol, "xray_instr_map"));
        let start = self.pad(map, 1, false)?;
        for &(at, kind) in &f.sleds {
            let list = &mut self.sections[map as usize];
            let field = list.bytes.len();
            list.bytes.add_fields(2 * usize::from(word));
            let mut rest = [0; 16];
            rest[..3].copy_from_slice(&[kind as u8, f.always_sleds.into(), VERSION]);
            list.bytes.tail().extend_from_slice(&rest[..2 * usize::from(word)]);
            list.fixups.push(distance(field, section, offset + u64::from(at)));
            list.fixups.push(distance(field + u64::from(word), section, offset));
        }
        let index = self.section(sled_section(self.module, f.symbol, "xray_fn_idx"));
        let at = self.pad(index, 2 * u64::from(word), false)?;
        let list = &mut self.sections[index as usize];
        list.bytes.add_fields(word.into());
        let count = self.format.endian().number(f.sleds.len() as u128, word.into());
        list.bytes.tail().extend_from_slice(&count[..word.into()]);
        list.fixups.push(distance(at, map, start));
        Ok(())
    }

    /// Says where the blocks of a function at `offset` of a section are, and how much stack it takes, in formats that can.
    pub(super) fn described(&mut self, f: &CompiledFunction, section: u32, offset: u64) -> Result {
        if self.format.coff.is_some() || f.stack_bytes.is_none() && f.blocks.is_empty() {
            return Ok(());
        }
        let with = *self.described.entry(section).or_insert(f.symbol);
        if let Some(bytes) = f.stack_bytes {
            let mut rest = Vec::new();
            block_map::number(&mut rest, bytes);
            self.about(stack_size_section(self.module, with), &[], (section, offset), &rest)?;
        }
        if !f.blocks.is_empty() && !f.code.is_empty() {
            let (version, features) = (block_map::VERSION, 0);
            let rest = block_map::contents(&f.blocks, f.code.len() as u32);
            self.about(block_map_section(self.module, with), &[version, features], (section, offset), &rest)?;
        }
        Ok(())
    }

    /// Appends bytes, the address of a place and more bytes to a section about code.
    fn about(&mut self, spec: SectionSpec, first: &[u8], (of, to): (u32, u64), rest: &[u8]) -> Result {
        let list = self.section(spec);
        self.pad(list, 1, false)?;
        let (word, list) = (self.format.pointer_bytes, &mut self.sections[list as usize]);
        list.bytes.tail().extend_from_slice(first);
        let (offset, target) = (list.bytes.len() as u32, FixupTarget::Section(of));
        list.bytes.add_fields(word.into());
        list.bytes.tail().extend_from_slice(rest);
        let kind = RelocKind::word(word, Origin::Zero);
        list.fixups.push(Fixup { offset, addend: to as i64, target, kind, in_data: true });
        Ok(())
    }

    /// Records where a function, at `offset` of a section, can be patched, in formats that can say so.
    pub(super) fn patch_entry(&mut self, f: &CompiledFunction, section: u32, offset: u64) -> Result {
        let Some(patch) = f.patch.filter(|_| self.format.coff.is_none()) else { return Ok(()) };
        let hash = self.module.type_hash(f.symbol).map_or(0, |data| data.size);
        let at = if patch.before > 0 { offset - hash - u64::from(patch.before) } else { offset + u64::from(patch.at) };
        let bytes = self.format.pointer_bytes;
        let entries = self.section(patch_section(self.module, f.symbol));
        let start = self.pad(entries, bytes.into(), false)?;
        let entries = &mut self.sections[entries as usize];
        entries.bytes.add_fields(bytes.into());
        let kind = RelocKind::word(bytes, Origin::Zero);
        let (addend, target) = (at as i64, FixupTarget::Section(section));
        entries.fixups.push(Fixup { offset: start as u32, addend, target, kind, in_data: true });
        Ok(())
    }
}
