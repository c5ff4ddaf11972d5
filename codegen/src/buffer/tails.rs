//! Merges equal ends of code (LLVM's `BranchFolder`, tail merging).
//!
//! Two stretches of code that end in a jump to the same place, fall through to it, or leave the function, are often the same from some
//! instruction on: arguments of a call, the call, results, the epilogue. The second one becomes a jump to the first. What counts is the
//! finished code, so that homes and moves have their say: bytes, relocations, branches, and what unwinding is told. Labels within what goes
//! are bound to the same places of what stays; debug information does not change what is merged.

pub(super) mod notes;
mod records;
mod round;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::{CodeBuffer, Label, Referent, RelocTarget};
use round::Round;

/// The most branches and exits of a function whose ends are merged: each merge looks at all others.
const MOST: usize = 1 << 14;
/// How often the whole code is looked at: what was merged may make more code the same.
const ROUNDS: usize = 4;

impl CodeBuffer {
    /// Notes that control does not go on after the code so far.
    pub(crate) fn note_leave(&mut self) {
        if self.tails.are_merged && self.tails.leaves.last() != Some(&self.offset()) {
            self.tails.leaves.push(self.offset());
        }
    }

    /// Notes that a block begins, which runs so often.
    pub(crate) fn note_block(&mut self, frequency: f32) {
        self.tails.blocks.push((self.offset(), frequency));
    }

    /// Notes that the program knows the address of a label.
    pub(crate) fn pin(&mut self, label: Label) {
        self.tails.pinned.push(label);
    }

    /// Merges equal ends, if that is wanted. To be called before the code is finished.
    pub(crate) fn merge_tails(&mut self) {
        let Some(jump) = self.machine.jump.filter(|_| self.tails.are_merged && self.parts.is_empty()) else { return };
        let ends = self.gaps.len() + self.tails.leaves.len();
        if !(2..=MOST).contains(&ends) || self.check_labels().is_err() {
            return;
        }
        // Linkers rewrite the calls that find thread-local variables together with what is before them.
        if self.relocs.iter().any(|r| matches!(r.kind.of, Referent::TlsIndex | Referent::TlsModule)) {
            return;
        }
        self.relocs.sort_by_key(|r| r.offset);
        self.label_refs.sort_by_key(|r| r.offset);
        let mut lengths = Vec::new();
        let mut dead: Vec<Range<u32>> = Vec::new();
        for _ in 0..ROUNDS {
            let merged = Round::run(self, jump, &mut lengths);
            if merged.is_empty() {
                break;
            }
            dead.extend(merged);
        }
        if dead.is_empty() {
            return;
        }
        self.count_gaps();
        self.forget_dead(dead);
    }

    /// Where the first block begins.
    fn body_start(&self) -> u32 {
        self.tails.blocks.first().map_or(0, |block| block.0)
    }

    /// Where a label of this function is, or what else is meant.
    fn place_of(&self, target: RelocTarget) -> (Option<u32>, RelocTarget) {
        match target {
            RelocTarget::Label(label) => (Some(self.labels[label.0 as usize].offset), RelocTarget::Code),
            other => (None, other),
        }
    }
}
