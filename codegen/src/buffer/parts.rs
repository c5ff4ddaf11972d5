//! Code in parts that go to several sections.
//!
//! While code is made, a part begins wherever the next block goes elsewhere. When it is complete the parts are put in the order of their
//! sections, and those of one section are joined: from then on a part is a section's code.

use std::ops::Range;

use super::{CfiOp, CfiState, CodeBuffer, Mark, Part, UNBOUND};
use crate::block_sections::{BlockSection, BlockSpot};

/// Where the parts of the code come to be.
struct Moves {
    /// The parts as they were, in their order then, with the offsets at which they are now.
    of: Vec<(Range<u32>, u32)>,
}

impl Moves {
    /// The new offset of an old one.
    fn offset(&self, old: u32) -> u32 {
        // What is between two parts belongs to the second.
        let at = self.of.partition_point(|(range, _)| range.start <= old).saturating_sub(1);
        let (range, new) = &self.of[at];
        old - range.start + new
    }
}

impl CodeBuffer {
    /// Begins a part of the code that goes to a section. What is before it does not go on here without a branch.
    pub(crate) fn begin_part(&mut self, spot: BlockSpot) {
        let start = self.new_label();
        self.bind(start);
        self.parts.push(Part { start, spot });
    }

    /// Where the last part begins.
    pub(super) fn part_start(&self) -> u32 {
        self.parts.last().and_then(|part| self.label_offset(part.start)).unwrap_or(0)
    }

    /// The offsets and sections of all parts but the first.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (u32, BlockSection)> + '_ {
        self.parts.iter().filter_map(|part| Some((self.label_offset(part.start)?, part.spot.0)))
    }

    /// The part that an offset is in.
    pub(super) fn part_of(&self, offset: u32) -> usize {
        self.parts.partition_point(|part| self.label_offset(part.start).is_some_and(|start| start <= offset))
    }

    /// Finds the branches from one part to another.
    pub(super) fn mark_far_branches(&mut self) {
        let mut gaps = std::mem::take(&mut self.gaps);
        for gap in &mut gaps {
            gap.far = self.part_of(gap.offset) != self.part_of(self.labels[gap.label as usize].offset);
        }
        self.gaps = gaps;
    }

    /// Puts the parts in order.
    pub(super) fn arrange_parts(&mut self) {
        let spots = self.parts.iter().map(|part| part.spot);
        let spots: Vec<BlockSpot> = std::iter::once((BlockSection::Own, 0)).chain(spots).collect();
        let mut order: Vec<usize> = (0..spots.len()).collect();
        order.sort_by_key(|&part| spots[part]);
        self.move_parts(&order);
        let sorted: Vec<Part> =
            order.iter().filter_map(|&part| self.parts.get(part.checked_sub(1)?).copied()).collect();
        let mut last = BlockSection::Own;
        self.parts = sorted;
        self.parts.retain(|part| std::mem::replace(&mut last, part.spot.0) != part.spot.0);
    }

    /// Moves the parts, the first of which stays.
    fn move_parts(&mut self, order: &[usize]) {
        let starts: Vec<u32> = std::iter::once(0).chain(self.parts().map(|part| part.0)).collect();
        let ends = starts.iter().skip(1).copied().chain([self.offset()]);
        let ranges: Vec<Range<u32>> = starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect();
        let (mut at, mut news) = (0, vec![0; ranges.len()]);
        let mut bytes = Vec::with_capacity(self.bytes.len());
        for &part in order {
            let range = &ranges[part];
            news[part] = at;
            at += range.end - range.start;
            bytes.extend_from_slice(&self.bytes[range.start as usize..range.end as usize]);
        }
        self.bytes[..bytes.len()].copy_from_slice(&bytes);
        self.move_frame_marks(&ranges, order, &news);
        if order.is_sorted() {
            return;
        }
        let moves = Moves { of: ranges.into_iter().zip(news).collect() };
        self.gaps.iter_mut().for_each(|gap| gap.offset = moves.offset(gap.offset));
        self.gaps.sort_by_key(|gap| gap.offset);
        for place in self.labels.iter_mut().filter(|place| place.offset != UNBOUND) {
            place.offset = moves.offset(place.offset);
        }
        self.count_gaps();
        self.relocs.iter_mut().for_each(|reloc| reloc.offset = moves.offset(reloc.offset));
        self.label_refs.iter_mut().for_each(|reloc| reloc.offset = moves.offset(reloc.offset));
        self.watched.iter_mut().for_each(|offset| *offset = moves.offset(*offset));
        self.calls.iter_mut().for_each(|call| call.offset = moves.offset(call.offset));
        self.calls.sort_by_key(|call| call.offset);
        self.arranged = true;
    }

    /// Says at the beginning of each part what holds there, where that is not what held at the end of the one before it.
    fn move_frame_marks(&mut self, ranges: &[Range<u32>], order: &[usize], news: &[u32]) {
        let all = std::mem::take(&mut self.cfi);
        let mut before = CfiState::default();
        for &part in order {
            let (range, new) = (&ranges[part], news[part]);
            let from = all.partition_point(|mark| mark.offset <= range.start && part > 0);
            let (mut state, mut saved) = (CfiState::default(), Vec::new());
            all[..from].iter().for_each(|mark| state.take(mark.value, &mut saved));
            self.cfi.extend(state.changes(&before).map(|value| Mark { offset: new, value }));
            // What is said at the end of the code counts to its last part.
            let is_last = range.end == self.bytes.len() as u32;
            for mark in all[from..].iter().take_while(|mark| mark.offset < range.end || is_last) {
                let offset = mark.offset - range.start + new;
                let remembered = matches!(mark.value, CfiOp::RememberState | CfiOp::RestoreState);
                let held = remembered.then(|| state.clone());
                state.take(mark.value, &mut saved);
                match held {
                    // What is remembered in one part would be wanted in another.
                    Some(held) => self.cfi.extend(state.changes(&held).map(|value| Mark { offset, value })),
                    None => self.cfi.push(Mark { offset, value: mark.value }),
                }
            }
            before = state;
        }
    }
}
