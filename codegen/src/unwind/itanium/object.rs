//! Tables of landing pads in objects, and the cells through which position-independent code names types and personality
//! routines.

use std::ops::Range;

use crate::compiled::CompiledFunction;
use crate::ir::{Linkage, SymbolId};
use crate::object::{
    AddressForm, Fixup, FixupTarget, ObjectError, ObjectWriter, Places, Result, TYPE_CELLS, landing_section,
    personality_cell, personality_section,
};
use crate::unwind::itanium::lsda::Lsda;

/// A place in an object: the number of a section, and an offset.
type At = (u32, u64);

impl ObjectWriter<'_> {
    /// Writes the table of a function. Returns the personality routine and the place of the table; `None` if the
    /// function needs none.
    pub(crate) fn landing_table(
        &mut self,
        f: &CompiledFunction,
        places: &Places,
        part: Range<u32>,
    ) -> Result<Option<(SymbolId, At)>> {
        let table = if f.parts.is_empty() { Lsda::of(f, false) } else { Lsda::of_part(f, part) };
        let (Some(routine), Some(table)) = (f.exceptions.personality, table) else { return Ok(None) };
        let section = self.section(landing_section(self.format, self.module, f.symbol));
        let at = self.append_table(f, &table, section)?;
        if let Some(pads) = table.pads {
            let (of, start) = places.at(pads);
            let (form, format) = (self.form, self.format);
            // A pad at a distance of 0 would be none.
            let (offset, addend) = (at as u32 + 1, start as i64 - 1);
            let fixup =
                Fixup { offset, addend, target: FixupTarget::Section(of), kind: form.kind(format), in_data: true };
            self.sections[section as usize].fixups.push(fixup);
        }
        if self.form == AddressForm::Relative && self.personality_cells.iter().all(|(s, _)| *s != routine) {
            self.personality_cells.push((routine, section));
        }
        Ok(Some((routine, (section, at))))
    }

    /// Appends the table of a function to a section. Returns where it begins.
    pub(crate) fn append_table(&mut self, f: &CompiledFunction, table: &Lsda, section: u32) -> Result<u64> {
        let (form, format) = (self.form, self.format);
        let types = f.exceptions.types();
        let encoded = table.encode(types.len(), form.indirect_encoding(), form.size(format), form.encoding());
        let at = self.pad(section, 4, false)?;
        self.sections[section as usize].bytes.tail().extend_from_slice(&encoded.bytes);
        if !table.typed {
            return Ok(at);
        }
        let mut targets = Vec::with_capacity(types.len());
        for &symbol in types {
            let target = match (symbol, form) {
                (Some(symbol), AddressForm::Relative) => Some(self.type_cell(symbol)?),
                (symbol, _) => symbol.map(|symbol| (FixupTarget::Symbol(symbol), 0)),
            };
            targets.push(target);
        }
        // The types are in descending order; after them come the lists, if these hold addresses.
        let descending = targets.iter().rev().copied();
        let lists = table.filters.iter().filter(|_| table.addressed);
        let listed = lists.map(|t| t.checked_sub(1).and_then(|t| targets[t as usize]));
        for (i, target) in descending.chain(listed).enumerate() {
            let Some((target, addend)) = target else { continue };
            let offset = at + (encoded.types + i * form.size(format)) as u64;
            self.sections[section as usize].fixups.push(Fixup {
                offset: offset as u32,
                addend: addend as i64,
                target,
                kind: form.kind(format),
                in_data: true,
            });
        }
        Ok(at)
    }

    /// The pointer to a type, which is made on its first use.
    fn type_cell(&mut self, symbol: SymbolId) -> Result<(FixupTarget, u64)> {
        let section = self.section(TYPE_CELLS);
        let at = match self.type_cells.get(&symbol) {
            Some(&at) => at,
            None => {
                let at = self.pointer_in_section(TYPE_CELLS, symbol)?;
                self.type_cells.insert(symbol, at);
                at
            }
        };
        Ok((FixupTarget::Section(section), at))
    }

    /// Makes the cells with the addresses of personality routines.
    pub(crate) fn personality_pointers(&mut self) -> Result {
        for i in 0..self.personality_cells.len() {
            let routine = self.personality_cells[i].0;
            let name = personality_cell(self.module, routine);
            if self.module.symbols.iter().any(|s| s.name == name && s.linkage != Linkage::Private) {
                return Err(ObjectError::Redefined { symbol: name });
            }
            let spec = personality_section(self.module, routine);
            self.personality_cells[i].1 = self.section(spec.clone());
            self.pointer_in_section(spec, routine)?;
        }
        Ok(())
    }
}
