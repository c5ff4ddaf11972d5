//! A module's debug information while its bodies are read.
//!
//! Threads find nodes and locations as they read, so their numbers differ from run to run. They are only names: the reader of debug
//! information numbers everything anew, in the order of the functions.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gusset_codegen::ir::SymbolId;
use gusset_lower::debug_info::{DebugInfoUses, IN_PLACE, LocationFields};
use gusset_program::InstLocation;
use gusset_text::ReadError;

use crate::context::metadata_nodes::{MetadataNodes, Place};

/// The debug information of a module.
#[derive(Default)]
pub(crate) struct ModuleDebugInfo {
    /// What refers to nodes. A node of metadata has its number with [`IN_PLACE`], a location has its own.
    pub uses: DebugInfoUses,
    /// The module has locations and no attributes: the file of each function whose location says one.
    pub plain: Option<HashMap<SymbolId, Vec<u8>>>,
    found: Mutex<Found>,
}

/// What has been found so far.
#[derive(Default)]
pub(crate) struct Found {
    pub nodes: MetadataNodes,
    pub locations: Vec<LocationFields>,
    numbers: HashMap<LocationFields, u32>,
    /// Scopes for other files than a function's, in modules without attributes.
    pub files: HashMap<(u32, Vec<u8>), u32>,
    /// The first error in the text, with its operation.
    error: Option<(usize, ReadError)>,
}

impl ModuleDebugInfo {
    pub fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Found {
    /// The location of a place. Calls at which it is inlined are appended to `calls`, the innermost first.
    pub fn location(&mut self, place: &Place, calls: &mut Vec<InstLocation>) -> InstLocation {
        let mut chain = vec![place];
        while let Some(at) = &chain[chain.len() - 1].inlined_at {
            chain.push(at);
        }
        let (mut location, from) = (InstLocation { node: 0, line: 0, inlined_at: None }, calls.len());
        for (i, place) in chain.into_iter().rev().enumerate() {
            let line = u32::try_from(place.line).unwrap_or(0);
            let column = u16::try_from(place.column).unwrap_or(0);
            let inlined_at = (i > 0).then_some(location.node);
            let node = self.number(LocationFields { line, column, scope: place.scope | IN_PLACE, inlined_at });
            location = InstLocation { node, line, inlined_at };
            calls.push(location);
        }
        calls.pop();
        calls[from..].reverse();
        location
    }

    fn number(&mut self, fields: LocationFields) -> u32 {
        let next = self.locations.len() as u32;
        let number = *self.numbers.entry(fields).or_insert(next);
        if number == next {
            self.locations.push(fields);
        }
        number
    }

    /// Keeps an error in the debug information of the operation at a position.
    pub fn fail(&mut self, pos: usize, error: ReadError) {
        if self.error.as_ref().is_none_or(|known| pos < known.0) {
            self.error = Some((pos, error));
        }
    }

    pub fn error(&self) -> Option<&ReadError> {
        self.error.as_ref().map(|error| &error.1)
    }
}
