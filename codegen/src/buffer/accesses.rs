//! Loads and stores of optimized code, which machines may combine once the code of a function is complete.

use super::{Binding, CodeBuffer, Gap, UNBOUND};

/// What a removed instruction is among the branches, which also may have no bytes left.
pub(super) const REMOVED: u8 = u8::MAX - 1;

impl CodeBuffer {
    /// Says that a load or store begins with the next instruction that may be combined with others, if accesses are combined.
    pub fn note_access(&mut self) {
        if self.combines {
            self.accesses.push(self.offset());
        }
    }

    /// Says that accesses before the next instruction are not combined with later ones.
    pub fn separate_accesses(&mut self) {
        if self.combines {
            let here = self.new_label();
            self.bind(here);
        }
    }

    /// The offsets of those that were noted, except for those whose distance from a call is recorded.
    pub fn accesses(&self) -> Vec<u32> {
        let mut calls = self.calls.iter().map(|call| call.offset..call.offset + call.bytes).peekable();
        let mut accesses = self.accesses.clone();
        accesses.retain(|&at| {
            while calls.next_if(|call| call.end <= at).is_some() {}
            calls.peek().is_none_or(|call| at < call.start)
        });
        accesses
    }

    /// The offsets at which labels are bound, sorted.
    pub fn bound_offsets(&self) -> Vec<u32> {
        let mut bound: Vec<u32> = self.labels.iter().map(|place| place.offset).filter(|&at| at != UNBOUND).collect();
        bound.sort_unstable();
        bound
    }

    /// Removes instructions of `len` bytes, at which no label is bound.
    pub fn remove(&mut self, offsets: &[u32], len: u32) {
        if offsets.is_empty() {
            return;
        }
        for &offset in offsets {
            let label = self.labels.len() as u32;
            self.labels.push(Binding { offset, gaps: 0 });
            self.gaps.push(Gap { offset, label, len, keep: 0, kind: REMOVED, far: false });
        }
        self.gaps.sort_by_key(|gap| gap.offset);
        self.count_gaps();
    }
}
