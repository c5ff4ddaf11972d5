//! Webs of values whose ranges have holes: two interfere where their intervals meet.

use super::{Arc, Webs};
use crate::analysis::{Interval, Intervals};

/// A move is worth a common home if it runs this often for each time that a value is used, at least.
const WORTH: f32 = 16.0;

impl Webs {
    /// Unites what the arcs allow, those that run most often first.
    pub(super) fn unite_with_holes(&mut self, intervals: &Intervals) {
        let mut spans: Vec<Vec<Interval>> = Vec::new();
        spans.resize_with(self.candidates.len(), Vec::new);
        for (span, candidate) in spans.iter_mut().zip(&self.candidates) {
            span.extend(intervals.of(candidate.value));
        }
        let mut arcs = std::mem::take(&mut self.arcs);
        arcs.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        for &Arc { param, arg, weight, .. } in &arcs {
            let (a, b) = (self.root(param), self.root(arg));
            if a == b {
                self.pass_on(a, weight);
                continue;
            }
            let least = self.candidates[a as usize].weight.min(self.candidates[b as usize].weight);
            let (x, y) = (&spans[a as usize], &spans[b as usize]);
            if WORTH * weight < least || !self.spend(x.len() + y.len()) || meet(x, y) {
                continue;
            }
            let root = self.unite(a, b);
            let other = std::mem::take(&mut spans[if root == a { b } else { a } as usize]);
            let span = &mut spans[root as usize];
            span.extend(other);
            span.sort_unstable();
            self.pass_on(root, weight);
        }
        self.arcs = arcs;
    }
}

/// Do two lists of intervals, each in order, have a position in common?
fn meet(x: &[Interval], y: &[Interval]) -> bool {
    let (mut i, mut k) = (0, 0);
    while let (Some(a), Some(b)) = (x.get(i), y.get(k)) {
        if a.end <= b.start {
            i += 1;
        } else if b.end <= a.start {
            k += 1;
        } else {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_meet_where_a_position_is_in_both() {
        let list = |all: &[(u32, u32)]| all.iter().map(|&(start, end)| Interval { start, end }).collect::<Vec<_>>();
        let x = list(&[(0, 4), (8, 12)]);
        assert!(!meet(&x, &list(&[(4, 8), (12, 20)])));
        assert!(meet(&x, &list(&[(4, 9)])));
        assert!(meet(&x, &list(&[(5, 6), (11, 30)])));
        assert!(!meet(&x, &[]));
    }
}
