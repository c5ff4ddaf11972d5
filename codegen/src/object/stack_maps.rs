//! The section of stack maps.

use super::{Fixup, FixupTarget, ObjectWriter, Result, SymbolPlace, stack_map_section};
use crate::buffer::{Origin, RelocKind};
use crate::ir::{Module, SymbolId};
use crate::stack_map::section::{Contents, SYMBOL};

impl ObjectWriter<'_> {
    /// Makes the section of the functions' stack maps, if there are any.
    pub(super) fn place_stack_maps(&mut self) -> Result {
        let Some(Contents { bytes, fields }) = self.stack_maps.finish() else { return Ok(()) };
        let number = self.section(stack_map_section(self.format, self.options.pic));
        self.pad(number, 8, false)?;
        let kind = RelocKind::word(self.format.pointer_bytes, Origin::Zero);
        let fixup = |(offset, symbol)| {
            let target = FixupTarget::Symbol(symbol);
            Fixup { offset, addend: 0, target, kind, in_data: true }
        };
        let section = &mut self.sections[number as usize];
        section.bytes = bytes.into();
        section.fixups = fields.into_iter().map(fixup).collect();
        self.stack_map_section = Some(number);
        match declared(self.module) {
            Some(symbol) => self.define(symbol, SymbolPlace::At { section: number, offset: 0 }, 0),
            None => Ok(()),
        }
    }

    /// The section, if the module has no symbol of its own for its start.
    pub(super) fn unnamed_stack_maps(&self) -> Option<u32> {
        self.stack_map_section.filter(|_| declared(self.module).is_none())
    }
}

/// The symbol by which a module refers to its own stack maps.
fn declared(module: &Module) -> Option<SymbolId> {
    let own = module.symbols.iter().position(|s| s.name == SYMBOL && !s.is_defined());
    own.map(SymbolId::new)
}
