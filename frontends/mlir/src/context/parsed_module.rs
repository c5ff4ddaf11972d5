//! A module after the first phase.

use gusset_abi::features::CodeRequests;
use gusset_codegen::ir::Module;
use gusset_lower::Facts;

use crate::context::{Body, ModuleContext};

/// A module whose function bodies are still text. Several threads may read bodies at once, each with a
/// [`crate::BodyReader`] of its own.
pub struct ParsedModule<'s> {
    /// Everything that the functions share.
    pub module: Module,
    /// The bodies in source order.
    pub bodies: Vec<Body>,
    /// The module flags `PIC Level` and `PIE Level`, if the module has flags (LLVM LangRef, "Module Flags Metadata").
    pub levels: Option<(u32, u32)>,
    pub(crate) tables: ModuleContext<'s>,
}

impl ParsedModule<'_> {
    /// What the functions request of all the module's code.
    pub fn requests(&self) -> CodeRequests {
        self.tables.facts.requests
    }

    /// What its functions share.
    pub fn facts_mut(&mut self) -> &mut Facts {
        &mut self.tables.facts
    }
}
