//! Where in the order of blocks the code of inlined calls and the records about their variables are.

use super::ids::DiLocationId;
use crate::analysis::Cfg;
use crate::ir::Function;

/// A call that was replaced by the callee's body.
struct InlinedCall {
    call: DiLocationId,
    /// The index of the call that it was inlined at.
    outer: Option<usize>,
    /// The indices of the first and the last block of the order that have code of it, or of calls within it, or records.
    blocks: Option<(usize, usize)>,
}

/// The inlined calls of a function, sorted.
pub(super) struct InlinedCode(Vec<InlinedCall>);

impl InlinedCode {
    pub fn new(f: &Function, cfg: &Cfg) -> InlinedCode {
        let mut code = InlinedCode::of_calls(&f.debug.inlined_calls);
        if !code.0.is_empty() {
            (0..cfg.order.len()).for_each(|index| code.add_block(f, cfg, index));
            code.spread();
        }
        code
    }

    fn of_calls(calls: &[(DiLocationId, Option<DiLocationId>)]) -> InlinedCode {
        let mut sorted = calls.to_vec();
        sorted.sort_unstable();
        sorted.dedup_by_key(|call| call.0);
        let index_of = |call: DiLocationId| sorted.binary_search_by_key(&call, |known| known.0).ok();
        let calls =
            sorted.iter().map(|&(call, outer)| InlinedCall { call, outer: outer.and_then(index_of), blocks: None });
        InlinedCode(calls.collect())
    }

    fn index_of(&self, call: DiLocationId) -> Option<usize> {
        self.0.binary_search_by_key(&call, |known| known.call).ok()
    }

    /// The indices of the first and the last block of the order between which all code of a call and all records about its variables are.
    pub fn blocks(&self, call: DiLocationId) -> Option<(usize, usize)> {
        self.0[self.index_of(call)?].blocks
    }

    fn add_block(&mut self, f: &Function, cfg: &Cfg, index: usize) {
        let (block, locations) = (f.blocks[cfg.order[index].index()], &f.debug.locations);
        // The last entry before the block may hold for its first instructions.
        let from = locations.partition_point(|entry| entry.0.0 <= block.first).saturating_sub(1);
        let mut last = None;
        for (_, location) in locations[from..].iter().take_while(|entry| entry.0.0 < block.end) {
            let call = location.and_then(|location| location.inlined_at);
            if call != last
                && let Some(at) = call.and_then(|call| self.index_of(call))
            {
                self.add(at, (index, index));
            }
            last = call;
        }
        for record in f.records_of(cfg.order[index]) {
            let call = f.debug.records[record as usize].inlined_at;
            if let Some(at) = call.and_then(|call| self.index_of(call)) {
                self.add(at, (index, index));
            }
        }
    }

    fn add(&mut self, call: usize, (first, last): (usize, usize)) {
        let known = self.0[call].blocks.get_or_insert((first, last));
        *known = (known.0.min(first), known.1.max(last));
    }

    /// Adds the blocks of calls to those that they were inlined at.
    fn spread(&mut self) {
        let mut inner = vec![0u32; self.0.len()];
        self.0.iter().filter_map(|call| call.outer).for_each(|outer| inner[outer] += 1);
        // Calls that lead to themselves, as damaged debug information may say, are never without inner ones.
        let mut ready: Vec<usize> = (0..inner.len()).filter(|&call| inner[call] == 0).collect();
        while let Some(call) = ready.pop() {
            let Some(outer) = self.0[call].outer else { continue };
            if let Some(blocks) = self.0[call].blocks {
                self.add(outer, blocks);
            }
            inner[outer] -= 1;
            if inner[outer] == 0 {
                ready.push(outer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_the_blocks_of_calls_within_them() {
        let id = DiLocationId;
        let calls = [(id(9), Some(id(4))), (id(4), None), (id(5), Some(id(9))), (id(7), None), (id(2), Some(id(2)))];
        let mut code = InlinedCode::of_calls(&calls);
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
