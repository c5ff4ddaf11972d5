//! What is known during emission about the state that code stores (`state_stores`).

use super::states::States;
use crate::ir::{Exceptions, Pad, PadKind};

/// What is known about the stored state.
pub(crate) struct StoredState<'a> {
    pub states: &'a States,
    /// The state, if it is known.
    pub known: Option<i32>,
    /// The funclet at hand.
    pub within: Option<Pad>,
    /// The state in which faults of the block are caught outside of calls, if faults are caught.
    pub fault: Option<i32>,
    /// For each index of the block order: the state with which control comes there, if known, and by how many edges it
    /// has been seen to come.
    pub arrivals: Vec<(Option<i32>, u32)>,
}

impl StoredState<'_> {
    /// Nothing is caught in cleanups: the states do not cover them.
    pub fn in_cleanup(&self, all: &Exceptions) -> bool {
        self.within.is_some_and(|pad| matches!(all.kind(pad), PadKind::Cleanup { .. }))
    }
}
