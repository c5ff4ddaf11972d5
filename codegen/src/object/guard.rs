//! What Microsoft's Control Flow Guard has objects list: functions whose addresses are taken, and places to which `longjmp` may return.
//!
//! Microsoft, "PE Format", "`.gfids`"; LLVM, `WinCFGuard.cpp`.

use std::collections::BTreeSet;

use super::ObjectFormat;
use crate::compiled::CompiledFunction;
use crate::ir::{DllStorage, GUARD_CALLS, Module, SymbolId, SymbolKind};

/// The lists of an object. They are empty if the object has none.
#[derive(Default)]
pub(crate) struct Guarded {
    /// Functions whose addresses are taken.
    pub taken: BTreeSet<SymbolId>,
    /// Names of places to which `longjmp` may return.
    pub returns: Vec<String>,
}

impl Guarded {
    /// Adds what a function's code says. Returns the number of the first of its places.
    pub fn add(&mut self, format: &ObjectFormat, module: &Module, f: &CompiledFunction) -> usize {
        let first = self.returns.len();
        if module.coff_features & GUARD_CALLS != 0 {
            self.taken.extend(&f.taken);
            self.taken.extend(f.exceptions.personality);
            let name = &module.symbol(f.symbol).name[..];
            let bare = name.strip_prefix('_').filter(|_| format.coff.as_ref().is_some_and(|coff| coff.underscores));
            let name = bare.unwrap_or(name);
            self.returns.extend((0..f.returns_twice.len()).map(|i| format!("$cfgsj_{name}{i}")));
        }
        first
    }

    /// Adds what the module says besides its code.
    pub fn finish(&mut self, module: &Module) {
        if module.coff_features & GUARD_CALLS == 0 {
            return;
        }
        let data = module.data.iter().flat_map(|data| data.relocs.iter().map(|reloc| reloc.symbol));
        let structors = module.ctors.iter().chain(&module.dtors).map(|structor| structor.function);
        let kept = module.used.iter().chain(&module.compiler_used).copied();
        let all = data.chain(structors).chain(kept).chain(module.aliases.iter().map(|alias| alias.target));
        self.taken.extend(all.filter(|&symbol| module.symbol(symbol).kind == SymbolKind::Function));
    }

    /// The functions of other images whose addresses are taken.
    pub fn imported<'a>(&'a self, module: &'a Module) -> impl Iterator<Item = SymbolId> + 'a {
        self.taken.iter().copied().filter(|&symbol| module.symbol(symbol).dll == DllStorage::Import)
    }
}
