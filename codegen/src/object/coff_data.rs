//! What COFF has besides sections and symbols: directives for the linker, cells for addresses in other images.

use std::borrow::Cow;
use std::fmt::Write;

use super::coff_section::{DIRECTIVES, cell};
use super::{CoffFacts, Fixup, FixupTarget, ObjectFormat, ObjectWriter, Result, SymbolPlace};
use crate::buffer::{Origin, Referent, RelocKind};
use crate::ir::{DllStorage, Linkage, Module, Symbol, SymbolId, SymbolKind, Visibility};
use crate::libcall::LibCall;
use crate::names::bytes_of;

impl ObjectFormat {
    /// The symbol name of a run-time library function.
    pub fn library_name(&self, call: LibCall) -> Cow<'static, str> {
        match &self.coff {
            // A function of `__fastcall`.
            Some(coff) if coff.underscores && call == LibCall::SecurityCheckCookie => {
                format!("@{}@4", call.symbol()).into()
            }
            // Its name gets no underscore.
            Some(_) if call == LibCall::Fentry => call.symbol().into(),
            Some(coff) if coff.underscores => format!("_{}", call.symbol()).into(),
            _ => call.symbol().into(),
        }
    }

    /// Have functions entries in `.eh_frame`?
    pub(crate) fn has_dwarf_tables(&self) -> bool {
        let on_windows = |coff: &CoffFacts| coff.is_microsoft() || coff.function_tables.is_some();
        self.index.is_none() && !self.coff.as_ref().is_some_and(on_windows)
    }
}

impl ObjectWriter<'_> {
    /// Adds the directives.
    pub(super) fn coff_directives(&mut self, coff: &CoffFacts) {
        let text = directives(coff, self.module, true);
        if !text.is_empty() {
            let section = self.section(DIRECTIVES);
            self.sections[section as usize].bytes = bytes_of(&text).into_owned().into();
        }
    }

    /// Turns references to addresses that are looked up in memory into references to where these are: the import table
    /// for symbols that are certainly in another image, our own cell for symbols that may be anywhere or nowhere.
    pub(super) fn coff_cells(&mut self) -> Result {
        let mut made = vec![false; self.module.symbols.len()];
        for number in 0..self.sections.len() {
            for at in 0..self.sections[number].fixups.len() {
                let fixup = &mut self.sections[number].fixups[at];
                if fixup.kind.of != Referent::GotEntry {
                    continue;
                }
                fixup.kind.of = Referent::Address;
                let FixupTarget::Symbol(symbol) = fixup.target else { continue };
                if self.module.symbol(symbol).dll == DllStorage::Import {
                    fixup.target = FixupTarget::Imported(symbol);
                    continue;
                }
                fixup.target = FixupTarget::Cell(symbol);
                if !std::mem::replace(&mut made[symbol.index()], true) {
                    self.pointer_in_section(cell(self.module, symbol), symbol)?;
                }
            }
        }
        Ok(())
    }
}

/// The text of the directives, as clang writes them. `common`: with the alignment of common symbols.
pub(crate) fn directives(coff: &CoffFacts, module: &Module, common: bool) -> String {
    let mut out = String::new();
    if !coff.is_microsoft() && common {
        // The alignment of a common symbol can be nowhere else.
        for data in &module.data {
            let symbol = module.symbol(data.symbol);
            let align = data.align.max(symbol.align.into()).max(1);
            if symbol.linkage == Linkage::Common && align > 1 {
                let _ = write!(out, " -aligncomm:\"{}\",{}", symbol.name, align.trailing_zeros());
            }
        }
    }
    for option in &module.linker_options {
        let _ = write!(out, " {option}");
    }
    let is_function = |s: &Symbol| s.kind == SymbolKind::Function;
    for functions in [true, false] {
        for symbol in module.symbols.iter().filter(|s| s.is_defined() && is_function(s) == functions) {
            // GNU's linker adds the underscore again.
            let bare = symbol.name.strip_prefix('_').filter(|_| coff.is_gnu() && coff.underscores);
            let name = || quoted(bare.unwrap_or(&symbol.name));
            if symbol.dll == DllStorage::Export {
                let (flag, data) = if coff.is_microsoft() { ("/EXPORT:", ",DATA") } else { ("-export:", ",data") };
                let _ = write!(out, " {flag}{}{}", name(), if functions { "" } else { data });
            }
            // It exports everything that is not excluded, unless something is exported explicitly.
            if coff.is_gnu() && symbol.visibility == Visibility::Hidden {
                let _ = write!(out, " -exclude-symbols:{}", name());
            }
        }
    }
    if coff.is_microsoft() {
        for &used in &module.used {
            let symbol = module.symbol(used);
            if !matches!(symbol.linkage, Linkage::Local | Linkage::Private) {
                let _ = write!(out, " /INCLUDE:{}", quoted(&symbol.name));
            }
        }
    }
    out
}

/// A name as directives want it.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '@' | '#');
    if name.chars().all(plain) { name.to_string() } else { format!("\"{name}\"") }
}

/// The distance of a symbol from the start of the image has a relocation of its own.
pub(super) fn from_image(module: &Module, base: SymbolId, fixup: &Fixup, place: SymbolPlace) -> Option<Fixup> {
    let name = module.symbol(base).name.as_str();
    let image = place == SymbolPlace::Nowhere && matches!(name, "__ImageBase" | "___ImageBase");
    let relative = fixup.kind == RelocKind::word(4, Origin::Field);
    (image && relative).then_some(Fixup { kind: RelocKind::word(4, Origin::Image), ..*fixup })
}
