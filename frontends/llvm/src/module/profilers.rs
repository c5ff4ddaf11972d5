//! Which functions of a profiler the module's functions call where they begin and return, and which touches their stacks.

use gusset_abi::Arch;
use gusset_codegen::ir::{Linkage, Symbol, SymbolId, SymbolKind};
use gusset_lower::Profiler;

use super::Scan;
use crate::lexer::unescape;
use gusset_text::Result;

impl Scan<'_> {
    /// Finds the profilers that functions name.
    pub(super) fn profilers(&mut self) -> Result<()> {
        for i in 0..self.found.bodies.len() {
            let Some(mut values) = self.found.bodies[i].values.take() else { continue };
            let names = [values.on_entry.take(), values.on_exit.take()];
            let [entry, exit] = names.map(|name| name.map(|name| self.profiler(&unescape(&name), i)).transpose());
            (values.entry_profiler, values.exit_profiler) = (entry?, exit?);
            if let Some(name) = values.probe.take() {
                // Arguments may be in the register that says how much it is.
                let message = "stack probes by a function (`probe-stack`) are not supported on 32-bit x86";
                self.c.refuse_if(self.t.facts.target.arch == Arch::X86, self.found.bodies[i].range.start, message)?;
                values.probe_function = Some(self.named_function(&unescape(&name)));
            }
            self.found.bodies[i].values = Some(values);
        }
        Ok(())
    }

    fn profiler(&mut self, name: &[u8], body: usize) -> Result<Profiler> {
        let informed = match name {
            b"mcount"
            | b".mcount"
            | b"llvm.arm.gnu.eabi.mcount"
            | b"\x01_mcount"
            | b"\x01mcount"
            | b"__mcount"
            | b"_mcount"
            | b"__cyg_profile_func_enter_bare" => false,
            b"__cyg_profile_func_enter" | b"__cyg_profile_func_exit" => true,
            _ => {
                let name = String::from_utf8_lossy(name);
                let message = format!("the function `{name}` for instrumentation is not known");
                return Err(self.c.error_at(self.found.bodies[body].range.start, message));
            }
        };
        Ok(Profiler { symbol: self.named_function(name), informed })
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
