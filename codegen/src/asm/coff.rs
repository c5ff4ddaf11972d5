//! Directives of COFF: sections with their COMDAT selection, kinds of symbols, linker options, cells for addresses.

use std::fmt::Write;

use object::pe;

use super::AsmWriter;
use super::name::{quoted, string};
use crate::buffer::{Referent, RelocKind};
use crate::compiled::CompiledFunction;
use crate::ir::{DllStorage, Linkage, SymbolId};
use crate::names::bytes_of;
use crate::object::{CoffFacts, DIRECTIVES, Key, SectionSpec, cell, cell_name, directives};
use crate::unwind::itanium::lsda::Lsda;

impl AsmWriter<'_> {
    pub(super) fn coff_start(&mut self, coff: &CoffFacts) {
        let Some(features) = coff.features else { return };
        self.line(format_args!("\t.def\t@feat.00;\n\t.scl\t3;\n\t.type\t0;\n\t.endef\n\t.globl\t@feat.00"));
        self.line(format_args!(".set @feat.00, {}", features | self.module.coff_features));
    }

    /// The table of landing pads of a function with Windows' unwind information.
    pub(super) fn seh_handler_data(&mut self, f: &CompiledFunction, table: &Lsda, number: u32) {
        // The directive makes the assembler change to the section of the frame's description; afterwards we change
        // back.
        self.line(format_args!("\t.seh_handlerdata"));
        let code = self.section.take();
        self.landing_table(f, table, number);
        if let Some(code) = code {
            self.switch(code);
        }
    }

    /// Writes that a symbol is a function. Nothing is written of symbols that only the assembler sees: they would
    /// become the object's.
    pub(super) fn coff_define(&mut self, id: SymbolId, name: &str) {
        if self.module.symbol(id).linkage == Linkage::Private {
            return;
        }
        let class = if self.module.is_local(id) { 3 } else { 2 };
        self.line(format_args!("\t.def\t{name};\n\t.scl\t{class};\n\t.type\t32;\n\t.endef"));
    }

    pub(super) fn coff_switch(&mut self, spec: &SectionSpec) {
        let mut flags = String::new();
        let letters = [
            (pe::IMAGE_SCN_MEM_EXECUTE, 'x'),
            (pe::IMAGE_SCN_CNT_UNINITIALIZED_DATA, 'b'),
            (pe::IMAGE_SCN_CNT_INITIALIZED_DATA, 'd'),
            (pe::IMAGE_SCN_LNK_REMOVE, 'n'),
            (pe::IMAGE_SCN_LNK_INFO, 'i'),
            (pe::IMAGE_SCN_MEM_DISCARDABLE, 'D'),
        ];
        // By the name, assemblers know that these are discarded; GNU's has no letter for it.
        let known = if spec.name.starts_with(".debug") { pe::IMAGE_SCN_MEM_DISCARDABLE } else { 0 };
        flags.extend(letters.iter().filter(|(flag, _)| spec.flags & !known & flag != 0).map(|(_, letter)| letter));
        flags.push(match spec.flags & (pe::IMAGE_SCN_MEM_READ | pe::IMAGE_SCN_MEM_WRITE) {
            0 => 'y',
            pe::IMAGE_SCN_MEM_READ => 'r',
            _ => 'w',
        });
        let mut text = format!("\t.section\t{},\"{flags}\"", quoted(&spec.name));
        if let Some(selection) = spec.selection {
            let kind = match selection.kind {
                pe::IMAGE_COMDAT_SELECT_ANY => "discard",
                pe::IMAGE_COMDAT_SELECT_SAME_SIZE => "same_size",
                pe::IMAGE_COMDAT_SELECT_EXACT_MATCH => "same_contents",
                pe::IMAGE_COMDAT_SELECT_ASSOCIATIVE => "associative",
                pe::IMAGE_COMDAT_SELECT_LARGEST => "largest",
                _ => "one_only",
            };
            let key = match selection.key {
                Key::Symbol(s) => self.name(s),
                Key::Cell(s) => quoted(&cell_name(self.module.symbol(s))),
            };
            let _ = write!(text, ",{kind},{key}");
        }
        self.line(format_args!("{text}"));
    }

    /// The name by which an instruction refers to a symbol: the symbol's, or that of the cell with its address.
    pub(super) fn coff_reference(&mut self, id: SymbolId, kind: &mut RelocKind) -> String {
        let of = kind.of;
        if matches!(of, Referent::GotEntry | Referent::Stub) {
            kind.of = Referent::Address;
        }
        if of != Referent::GotEntry {
            return self.name(id);
        }
        let symbol = self.module.symbol(id);
        if symbol.dll == DllStorage::Import {
            return quoted(&format!("__imp_{}", symbol.name));
        }
        if !std::mem::replace(&mut self.has_cell[id.index()], true) {
            self.cells.push(id);
        }
        quoted(&cell_name(symbol))
    }

    /// Is it the symbol of the image's start?
    pub(super) fn coff_image_base(&self, id: SymbolId) -> bool {
        let symbol = self.module.symbol(id);
        self.format.coff.is_some()
            && !symbol.is_defined()
            && matches!(symbol.name.as_str(), "__ImageBase" | "___ImageBase")
    }

    /// Writes what comes after functions and data.
    pub(super) fn coff_end(&mut self, coff: &CoffFacts) {
        // Assemblers write the directive for the alignment of common symbols themselves.
        let text = directives(coff, self.module, false);
        if !text.is_empty() {
            self.switch(DIRECTIVES);
            self.line(format_args!("\t.ascii\t{}", string(&bytes_of(&text))));
        }
        for id in std::mem::take(&mut self.cells) {
            self.switch(cell(self.module, id));
            let cell = quoted(&cell_name(self.module.symbol(id)));
            self.pointer(&format!("\t.globl\t{cell}\n{cell}:\n"), &self.name(id));
            self.referenced[id.index()] = true;
        }
        self.undefined();
        if coff.is_microsoft() && self.uses_float {
            self.line(format_args!("\t.globl\t{}", if coff.underscores { "__fltused" } else { "_fltused" }));
        }
    }
}
