//! Where in the order of blocks the code of inlined calls and the records about their variables are.

use std::ops::Range;

use super::ids::DiLocationId;
use super::record_states::Extent;
use crate::analysis::Cfg;
use crate::ir::{BlockData, Function};

/// A call that was replaced by the callee's body.
struct InlinedCall {
    call: DiLocationId,
    /// The index of the call that it was inlined at.
    outer: Option<usize>,
    /// The blocks that have code of it, or of calls within it, or records, and those between them.
    blocks: Option<Extent>,
}

/// The inlined calls of a function, sorted.
#[derive(Default)]
pub(super) struct InlinedCode {
    calls: Vec<InlinedCall>,
    /// The call that a block was added to last, its index, and that of the block.
    last: Option<(DiLocationId, usize, u32)>,
}

impl InlinedCode {
    /// Finds the code of a function. `records` are those of each block, by index of the order.
    pub fn compute(&mut self, f: &Function, cfg: &Cfg, records: &[Range<u32>]) {
        self.set_calls(&f.debug.inlined_calls);
        if self.calls.is_empty() {
            return;
        }
        let mut next = 0;
        for (index, records) in records.iter().enumerate() {
            next = self.add_code(f, f.blocks[cfg.order[index].index()], index as u32, next);
            for record in &f.debug.records[records.start as usize..records.end as usize] {
                self.add_to(record.inlined_at, index as u32);
            }
        }
        self.spread();
    }

    fn set_calls(&mut self, calls: &[(DiLocationId, Option<DiLocationId>)]) {
        let mut sorted = calls.to_vec();
        sorted.sort_unstable();
        sorted.dedup_by_key(|call| call.0);
        let index_of = |call: DiLocationId| sorted.binary_search_by_key(&call, |known| known.0).ok();
        let calls =
            sorted.iter().map(|&(call, outer)| InlinedCall { call, outer: outer.and_then(index_of), blocks: None });
        self.calls.clear();
        self.calls.extend(calls);
        self.last = None;
    }

    fn index_of(&self, call: DiLocationId) -> Option<usize> {
        self.calls.binary_search_by_key(&call, |known| known.call).ok()
    }

    /// The blocks between which all code of a call and all records about its variables are.
    pub fn blocks(&self, call: DiLocationId) -> Option<Extent> {
        self.calls[self.index_of(call)?].blocks
    }

    /// Adds a block to the calls of which it has code. `near` is where the block's locations may begin in the list; returns where they end.
    fn add_code(&mut self, f: &Function, block: BlockData, index: u32, near: usize) -> usize {
        let locations = &f.debug.locations;
        // The last entry before the block may hold for its first instructions.
        let mut at = partition_near(locations, near, |entry| entry.0.0 <= block.first).saturating_sub(1);
        let mut last = None;
        while let Some((_, location)) = locations.get(at).filter(|entry| entry.0.0 < block.end) {
            let call = location.and_then(|location| location.inlined_at);
            if call != last {
                self.add_to(call, index);
            }
            (last, at) = (call, at + 1);
        }
        at
    }

    /// Adds a block to a call, if it is one that is known.
    fn add_to(&mut self, call: Option<DiLocationId>, index: u32) {
        let Some(call) = call else { return };
        let at = match self.last {
            Some((last, _, block)) if last == call && block == index => return,
            Some((last, at, _)) if last == call => Some(at),
            _ => self.index_of(call),
        };
        if let Some(at) = at {
            self.last = Some((call, at, index));
            self.add(at, (index, index));
        }
    }

    fn add(&mut self, call: usize, (first, last): Extent) {
        let known = self.calls[call].blocks.get_or_insert((first, last));
        *known = (known.0.min(first), known.1.max(last));
    }

    /// Adds the blocks of calls to those that they were inlined at.
    fn spread(&mut self) {
        let mut inner = vec![0u32; self.calls.len()];
        self.calls.iter().filter_map(|call| call.outer).for_each(|outer| inner[outer] += 1);
        // Calls that lead to themselves, as damaged debug information may say, are never without inner ones.
        let mut ready: Vec<usize> = (0..inner.len()).filter(|&call| inner[call] == 0).collect();
        while let Some(call) = ready.pop() {
            let Some(outer) = self.calls[call].outer else { continue };
            if let Some(blocks) = self.calls[call].blocks {
                self.add(outer, blocks);
            }
            inner[outer] -= 1;
            if inner[outer] == 0 {
                ready.push(outer);
            }
        }
    }
}

/// The index of the first item that is not before something, of a list in which those come first. It is found at once if it is `near` or the
/// next one.
pub(super) fn partition_near<T>(list: &[T], near: usize, is_before: impl Fn(&T) -> bool) -> usize {
    let is_at = |at: usize| list[..at].last().is_none_or(&is_before) && !list.get(at).is_some_and(&is_before);
    let near = near.min(list.len());
    if is_at(near) {
        near
    } else if near < list.len() && is_at(near + 1) {
        near + 1
    } else {
        list.partition_point(is_before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_the_blocks_of_calls_within_them() {
        let id = DiLocationId;
        let calls = [(id(9), Some(id(4))), (id(4), None), (id(5), Some(id(9))), (id(7), None), (id(2), Some(id(2)))];
        let mut code = InlinedCode::default();
        code.set_calls(&calls);
        for (call, block) in [(5, 8), (4, 3), (9, 5), (2, 1)] {
            let at = code.index_of(id(call)).unwrap();
            code.add(at, (block, block));
        }
        code.spread();
        let of = |call| code.blocks(id(call));
        assert_eq!([of(4), of(9), of(5)], [Some((3, 8)), Some((5, 8)), Some((8, 8))]);
        assert_eq!([of(7), of(2), of(11)], [None, Some((1, 1)), None]);
    }
}
