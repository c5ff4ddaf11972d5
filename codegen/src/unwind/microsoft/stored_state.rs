//! What is known, while code is emitted, of the state that code stores (`state_stores`).

use super::states::States;
use crate::ir::{Exceptions, Pad, PadKind};

/// What is known of the state that is stored, while code is made.
pub(crate) struct StoredState<'a> {
    pub states: &'a States,
    /// The state, if it is known.
    pub known: Option<i32>,
    /// The funclet at hand.
    pub within: Option<Pad>,
    /// Outside of calls, the state that the block's faults are caught in, if faults are.
    pub fault: Option<i32>,
    /// For each index of the block order the state that control comes there with, if known, and by how many edges it was seen to come.
    pub arrivals: Vec<(Option<i32>, u32)>,
}

impl StoredState<'_> {
    /// Nothing is caught in cleanups: the states have no place for it.
    pub fn in_cleanup(&self, all: &Exceptions) -> bool {
        self.within.is_some_and(|pad| matches!(all.kind(pad), PadKind::Cleanup { .. }))
    }
}
