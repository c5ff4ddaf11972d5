//! Which fields are settled here, and by which symbol the linker gets to know the others.

use std::collections::HashMap;

use super::{Fixup, ObjectError, ObjectWriter, Place, Section, Target, is_local};
use crate::buffer::RelocKind;
use crate::compiled::LibCall;
use crate::ir::{Linkage, SymbolId, SymbolKind};

/// A relocation for the linker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relocation {
    pub offset: u64,
    pub addend: i64,
    pub target: Target,
    /// The format's number of the kind.
    pub kind: u32,
}

/// What the linker has to do and to know.
pub(crate) struct Relocations {
    /// By section.
    pub lists: Vec<Vec<Relocation>>,
    /// Sections to which relocations refer.
    pub sections: Vec<bool>,
    /// Symbols to which relocations refer.
    pub symbols: Vec<bool>,
    /// Constants to which relocations refer.
    pub constants: Vec<bool>,
    /// Library functions without a symbol in the module, in the order of their numbers.
    pub libcalls: Vec<LibCall>,
}

impl ObjectWriter<'_> {
    /// Settles what can be settled and turns the rest into relocations.
    pub(super) fn resolve(&mut self) -> Result<Relocations, ObjectError> {
        let mut out = Relocations {
            lists: Vec::with_capacity(self.sections.len()),
            sections: vec![false; self.sections.len()],
            symbols: vec![false; self.definitions.len()],
            constants: vec![false; self.constants.len()],
            libcalls: Vec::new(),
        };
        let libcalls = self.libcalls(&mut out);
        for number in 0..self.sections.len() {
            let fixups = std::mem::take(&mut self.sections[number].fixups);
            let mut list = Vec::with_capacity(fixups.len());
            for mut fixup in fixups {
                if let Target::LibCall(call) = fixup.target
                    && let Some(&symbol) = libcalls.get(&call)
                {
                    fixup.target = Target::Symbol(symbol);
                }
                let (target, addend, settled) = self.target(number as u32, &fixup)?;
                if settled {
                    settle(&mut self.sections[number], &fixup, addend)?;
                    continue;
                }
                match target {
                    Target::Symbol(s) => out.symbols[s.index()] = true,
                    Target::Section(s) => out.sections[s as usize] = true,
                    Target::Constant(c) => out.constants[c as usize] = true,
                    Target::LibCall(_) => {}
                }
                let Some(kind) = (self.machine.elf_relocation)(fixup.kind) else {
                    let section = self.sections[number].spec.name.to_string();
                    return Err(ObjectError::Relocation { section, kind: fixup.kind });
                };
                list.push(Relocation { offset: fixup.offset, addend, target, kind });
            }
            out.lists.push(list);
        }
        Ok(out)
    }

    /// Lists the library functions in use: those the module names go into the result, the others into `out`.
    fn libcalls(&self, out: &mut Relocations) -> HashMap<LibCall, SymbolId> {
        let mut used: Vec<LibCall> = Vec::new();
        for fixup in self.sections.iter().flat_map(|s| &s.fixups) {
            if let Target::LibCall(call) = fixup.target
                && !used.contains(&call)
            {
                used.push(call);
            }
        }
        let mut known = HashMap::new();
        if used.is_empty() {
            return known;
        }
        used.sort();
        for (i, symbol) in self.module.symbols.iter().enumerate() {
            if symbol.linkage != Linkage::Private
                && let Some(&call) = used.iter().find(|call| call.symbol() == symbol.name)
            {
                known.entry(call).or_insert(SymbolId::new(i));
            }
        }
        out.libcalls = used.into_iter().filter(|call| !known.contains_key(call)).collect();
        known
    }

    /// The target by which a relocation is expressed and its addend; or, with `true`, that the field is to hold the addend.
    fn target(&self, section: u32, fixup: &Fixup) -> Result<(Target, i64, bool), ObjectError> {
        let relative = matches!(fixup.kind, RelocKind::Pc32 | RelocKind::Plt32 | RelocKind::Pc64);
        let plain = relative || matches!(fixup.kind, RelocKind::Abs32 | RelocKind::Abs32S | RelocKind::Abs64);
        let symbol = match fixup.target {
            Target::Symbol(symbol) => symbol,
            Target::Section(s) if s == section && relative => {
                return Ok((fixup.target, fixup.addend.wrapping_sub(fixup.offset as i64), true));
            }
            Target::Constant(c) => {
                let constant = self.constants[c as usize];
                return Ok(if self.sections[constant.section as usize].spec.is_merged() || !plain {
                    (fixup.target, fixup.addend, false)
                } else {
                    (Target::Section(constant.section), fixup.addend + constant.offset as i64, false)
                });
            }
            Target::Section(_) | Target::LibCall(_) => return Ok((fixup.target, fixup.addend, false)),
        };
        let data = self.module.symbol(symbol);
        let Place::At { section: home, offset } = self.definitions[symbol.index()].place else {
            let missing = data.is_defined() && self.definitions[symbol.index()].place == Place::Nowhere;
            if missing || matches!(data.kind, SymbolKind::Block(_)) {
                return Err(ObjectError::Missing { symbol: data.name.clone() });
            }
            return Ok((fixup.target, fixup.addend, false));
        };
        // As assemblers do: what other objects can name is left to the linker, save for differences in data.
        let fixed = !data.is_tls() && data.kind != SymbolKind::Ifunc;
        let local = fixed && is_local(self.module, symbol);
        let difference = fixed && fixup.in_data && data.linkage != Linkage::Weak;
        if relative && home == section && (local || difference) {
            let distance = (offset as i64).wrapping_sub(fixup.offset as i64);
            return Ok((fixup.target, distance.wrapping_add(fixup.addend), true));
        }
        // In a section whose parts move, a section symbol's addend names the part by itself: no bias may be in it.
        let movable = self.sections[home as usize].spec.is_merged();
        if plain && local && (!movable || (fixup.addend == 0 && !relative)) {
            return Ok((Target::Section(home), fixup.addend.wrapping_add(offset as i64), false));
        }
        Ok((fixup.target, fixup.addend, false))
    }
}

/// Writes a value into its field.
fn settle(section: &mut Section, fixup: &Fixup, value: i64) -> Result<(), ObjectError> {
    let at = fixup.offset as usize;
    if fixup.kind.size() == 8 {
        section.bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        return Ok(());
    }
    match i32::try_from(value) {
        Ok(value) => section.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes()),
        Err(_) => {
            return Err(ObjectError::OutOfReach { section: section.spec.name.to_string(), offset: fixup.offset });
        }
    }
    Ok(())
}
