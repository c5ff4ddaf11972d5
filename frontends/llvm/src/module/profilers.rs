//! Which functions of a profiler the module's functions call where they begin and return, and which touches their stacks.

use gusset_codegen::ir::{Linkage, Symbol, SymbolId, SymbolKind};

use super::Scan;
use crate::lexer::unescape;
use gusset_text::Result;

impl Scan<'_> {
    /// Finds the profilers that functions name.
    pub(super) fn profilers(&mut self) -> Result<()> {
        for i in 0..self.found.bodies.len() {
            let Some(mut values) = self.found.bodies[i].values.take() else { continue };
            for name in [&mut values.on_entry, &mut values.on_exit, &mut values.probe] {
                *name = name.take().map(|name| unescape(&name));
            }
            let target = self.t.facts.target;
            let named = values.name_functions(&target, |name| self.named_function(name));
            named.map_err(|why| self.c.refused_at(self.found.bodies[i].range.start, why))?;
            self.found.bodies[i].values = Some(values);
        }
        Ok(())
    }

    /// The symbol of a function that attributes name, declared or not.
    fn named_function(&mut self, name: &[u8]) -> SymbolId {
        let known = self.t.names.get(name).and_then(|i| self.t.named[i as usize].symbol);
        let name = self.t.decorated(name);
        // An earlier function may have made it.
        let made = || self.module.symbols.iter().rposition(|s| s.name == name).map(SymbolId::new);
        let symbol = known.or_else(made);
        symbol.unwrap_or_else(|| self.module.add_symbol(Symbol::new(name, SymbolKind::Function, Linkage::Import)))
    }
}
