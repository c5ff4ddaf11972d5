//! Writes the fields whose values are known here, and picks the symbol that each remaining relocation refers to.

use std::collections::HashMap;

use super::{Definition, Fixup, FixupTarget, ObjectError, ObjectWriter, Result, SymbolPlace};
use crate::buffer::{Field, Origin, Referent, RelocKind};
use crate::ir::{Linkage, SymbolId, SymbolKind};
use crate::libcall::LibCall;

/// A relocation for the linker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relocation {
    pub offset: u32,
    pub addend: i64,
    pub target: FixupTarget,
    /// The format's number of the kind.
    pub kind: u32,
}

/// What the linker has to do, and what it has to know for it.
pub(crate) struct Relocations {
    /// By section.
    pub lists: Vec<Vec<Relocation>>,
    /// Sections to which relocations refer.
    pub sections: Vec<bool>,
    /// Symbols to which relocations refer.
    pub symbols: Vec<bool>,
    /// Constants to which relocations refer.
    pub constants: Vec<bool>,
    /// Symbols whose entry in the import table relocations refer to.
    pub imports: Vec<bool>,
    /// Library functions without a symbol in the module, in the order of their numbers.
    pub libcalls: Vec<LibCall>,
}

const NOWHERE: u32 = u32::MAX;
/// A distance in eight bytes, of which COFF only has the lower four.
const WIDE_DISTANCE: RelocKind = RelocKind::word(8, Origin::Field);

/// What relocations need to know about a symbol.
#[derive(Clone, Copy)]
pub(super) struct Home {
    /// Its section, or `NOWHERE`.
    section: u32,
    /// Other objects do not see it.
    local: bool,
    /// The definition here is the one that counts.
    fixed: bool,
    /// Linkers may move it within its section.
    movable: bool,
    /// It should be defined here and is not.
    missing: bool,
    offset: u64,
    /// See [`function_bit`](super::ObjectFormat::function_bit).
    bit: u8,
}

impl ObjectWriter<'_> {
    /// Resolves what can be resolved, and turns the rest into relocations.
    pub(super) fn resolve(&mut self) -> Result<Relocations> {
        let mut out = Relocations {
            lists: Vec::with_capacity(self.sections.len()),
            sections: vec![false; self.sections.len()],
            symbols: vec![false; self.definitions.len()],
            constants: vec![false; self.constants.len()],
            imports: vec![false; self.definitions.len()],
            libcalls: Vec::new(),
        };
        let libcalls;
        (libcalls, out.libcalls) = self.libcalls();
        let homes = self.homes();
        for number in 0..self.sections.len() {
            let fixups = std::mem::take(&mut self.sections[number].fixups);
            let mut list = Vec::with_capacity(fixups.len());
            for mut fixup in fixups {
                if let FixupTarget::LibCall(call) = fixup.target
                    && let Some(&symbol) = libcalls.get(&call)
                {
                    fixup.target = FixupTarget::Symbol(symbol);
                }
                let (target, addend, settled) = self.target(&homes, number as u32, &fixup)?;
                if settled {
                    self.write_field(number, &fixup, addend)?;
                    continue;
                }
                match target {
                    FixupTarget::Symbol(s) => out.symbols[s.index()] = true,
                    FixupTarget::Section(s) => out.sections[s as usize] = true,
                    FixupTarget::Constant(c) => out.constants[c as usize] = true,
                    FixupTarget::Imported(s) => out.imports[s.index()] = true,
                    FixupTarget::LibCall(_) | FixupTarget::Cell(_) => {}
                }
                if self.format.coff.is_some() && self.format.pointer_bytes == 8 && fixup.kind == WIDE_DISTANCE {
                    // Only the lower half, as in LLVM: readers of such fields know that no more is written.
                    fixup.kind.field = Field::WORD4;
                }
                let Some((kind, place)) = self.format.relocation(fixup.kind) else {
                    let section = self.sections[number].spec.name.to_string();
                    return Err(ObjectError::Relocation { section, kind: fixup.kind });
                };
                if !self.format.explicit_addends {
                    self.write_field(number, &fixup, addend + place)?;
                }
                list.push(Relocation { offset: fixup.offset, addend, target, kind });
            }
            out.lists.push(list);
        }
        Ok(out)
    }

    /// What relocations need to know about each symbol, in one table: there are many more fields than symbols.
    pub(super) fn homes(&self) -> Vec<Home> {
        let coff = self.format.coff.is_some();
        let home = |(i, definition): (usize, &Definition)| {
            let symbol = &self.module.symbols[i];
            // Microsoft's linker may put a jump before a function, so references to functions are never resolved in
            // COFF.
            let fixed = match coff {
                true => symbol.kind != SymbolKind::Function,
                false => !symbol.is_tls() && symbol.kind != SymbolKind::Ifunc,
            };
            // A symbol in COFF's symbol table is referred to by its name.
            let unnamed = symbol.linkage == Linkage::Private || matches!(symbol.kind, SymbolKind::Block(_));
            let local = if coff { unnamed } else { fixed && self.module.is_local(SymbolId::new(i)) };
            let (section, offset) = match definition.place {
                SymbolPlace::At { section, offset } => (section, offset),
                _ => (NOWHERE, 0),
            };
            Home {
                section,
                offset,
                bit: if symbol.kind == SymbolKind::Function { self.format.function_bit } else { 0 },
                local,
                fixed: fixed && symbol.linkage != Linkage::Weak,
                movable: section != NOWHERE && self.sections[section as usize].spec.is_merged(),
                missing: definition.place == SymbolPlace::Nowhere
                    && (symbol.is_defined() || matches!(symbol.kind, SymbolKind::Block(_))),
            }
        };
        self.definitions.iter().enumerate().map(home).collect()
    }

    /// Lists the library functions in use: those that the module declares with their symbols, then the others.
    pub(super) fn libcalls(&self) -> (HashMap<LibCall, SymbolId>, Vec<LibCall>) {
        let mut used: Vec<LibCall> = Vec::new();
        for fixup in self.sections.iter().flat_map(|s| &s.fixups) {
            if let FixupTarget::LibCall(call) = fixup.target
                && !used.contains(&call)
            {
                used.push(call);
            }
        }
        let mut known = HashMap::new();
        if used.is_empty() {
            return (known, used);
        }
        used.sort_unstable();
        for (i, symbol) in self.module.symbols.iter().enumerate() {
            if symbol.linkage != Linkage::Private
                && let Some(&call) = used.iter().find(|call| self.format.library_name(**call) == symbol.name)
            {
                known.entry(call).or_insert(SymbolId::new(i));
            }
        }
        used.retain(|call| !known.contains_key(call));
        (known, used)
    }

    /// The target and addend of a relocation. `true` if the field is to hold the addend.
    pub(super) fn target(&self, homes: &[Home], section: u32, fixup: &Fixup) -> Result<(FixupTarget, i64, bool)> {
        let (relative, plain) = (fixup.kind.is_distance(), fixup.kind.is_place());
        let from_table = fixup.kind.from == Origin::Got;
        let symbol = match fixup.target {
            FixupTarget::Symbol(symbol) => symbol,
            FixupTarget::Section(s) if s == section && relative => {
                return Ok((fixup.target, fixup.addend.wrapping_sub(fixup.offset.into()), true));
            }
            FixupTarget::Constant(c) => {
                let constant = self.constants[c as usize];
                return Ok(if self.sections[constant.section as usize].spec.is_merged() || !plain {
                    (fixup.target, fixup.addend, false)
                } else {
                    (FixupTarget::Section(constant.section), fixup.addend + constant.offset as i64, false)
                });
            }
            FixupTarget::Section(_) | FixupTarget::LibCall(_) | FixupTarget::Imported(_) | FixupTarget::Cell(_) => {
                return Ok((fixup.target, fixup.addend, false));
            }
        };
        let home = homes[symbol.index()];
        if home.section == NOWHERE {
            if home.missing {
                return Err(ObjectError::Missing { symbol: self.module.symbol(symbol).name.clone() });
            }
            return Ok((fixup.target, fixup.addend, false));
        }
        // Like assemblers: symbols that other objects can refer to are left to the linker, except for differences in
        // data.
        if relative && home.section == section && (home.local || (home.fixed && fixup.in_data)) {
            let bit = if fixup.kind.of == Referent::Address { i64::from(home.bit) } else { 0 };
            let distance = (home.offset as i64 | bit).wrapping_sub(fixup.offset.into());
            return Ok((fixup.target, distance.wrapping_add(fixup.addend), true));
        }
        // In a section whose parts move, the addend of a section symbol says which part is meant, so it must not
        // contain a bias. Linkers (gold before 2.34) ignored this in distances from the global offset table.
        if plain
            && home.local
            && !self.format.names_symbols
            && (!home.movable || (fixup.addend == 0 && !relative && !from_table))
        {
            let addend = fixup.addend.wrapping_add(home.offset as i64);
            let reach = self.format.coff.as_ref().map_or(i64::MAX, |coff| (coff.addend_reach)(fixup.kind));
            if addend <= reach {
                return Ok((FixupTarget::Section(home.section), addend, false));
            }
        }
        Ok((fixup.target, fixup.addend, false))
    }

    /// Writes a value into its field.
    pub(super) fn write_field(&mut self, section: usize, fixup: &Fixup, value: i64) -> Result {
        let section = &mut self.sections[section];
        if let Some(bytes) = section.bytes.held_at(fixup.offset.into())
            && self.format.code.write(fixup.kind, bytes, value)
        {
            return Ok(());
        }
        Err(ObjectError::OutOfReach { section: section.spec.name.to_string(), offset: fixup.offset.into() })
    }
}
