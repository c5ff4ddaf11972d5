//! Tables about a body's debug information.

use std::collections::{HashMap, HashSet};

use gusset_program::InstLocation;

use crate::syntax::op::LocalRef;

/// Tables about a body's debug information, used again for the next one.
#[derive(Default)]
pub(crate) struct DebugScratch {
    /// Locations by the positions of the attributes that have names.
    pub known: HashMap<usize, Option<InstLocation>>,
    /// The calls that the sink knows.
    pub calls: HashSet<u32>,
    pub chain: Vec<InstLocation>,
    /// Operands of records whose values were not defined yet.
    pub later: Vec<(usize, LocalRef)>,
}

impl DebugScratch {
    pub fn clear(&mut self) {
        self.known.clear();
        self.calls.clear();
        self.later.clear();
    }
}
