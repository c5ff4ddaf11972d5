//! Descriptions of the frame for parts of a function that are in sections of their own.

use std::ops::Range;

use crate::buffer::{CfiOp, CfiState, Mark};

/// The description of the frame along a part of a function; offsets count from the part's beginning.
pub(crate) fn of_part(all: &[Mark<CfiOp>], part: Range<u32>) -> Vec<Mark<CfiOp>> {
    let before = all.partition_point(|mark| mark.offset <= part.start && part.start > 0);
    let (mut state, mut saved) = (CfiState::default(), Vec::new());
    all[..before].iter().for_each(|mark| state.take(mark.value, &mut saved));
    let within = all[before..].iter().take_while(|mark| mark.offset < part.end);
    let within = within.map(|mark| Mark { offset: mark.offset - part.start, value: mark.value });
    state.ops().map(|value| Mark { offset: 0, value }).chain(within).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_begin_with_what_holds_there() {
        let saved = CfiOp::Offset { register: 3, offset: -16 };
        let marks = [
            (1, CfiOp::DefCfaOffset(16)),
            (4, saved),
            (9, CfiOp::RememberState),
            (10, CfiOp::DefCfaOffset(8)),
            (12, CfiOp::RestoreState),
            (20, CfiOp::DefCfaOffset(32)),
        ];
        let marks = marks.map(|(offset, value)| Mark { offset, value });
        let ops = |part| of_part(&marks, part).into_iter().map(|m| (m.offset, m.value)).collect::<Vec<_>>();
        assert_eq!(ops(0..5), [(1, CfiOp::DefCfaOffset(16)), (4, saved)]);
        let remembered =
            [(0, CfiOp::DefCfaOffset(16)), (0, saved), (1, CfiOp::RememberState), (2, CfiOp::DefCfaOffset(8))];
        assert_eq!(ops(8..12), remembered);
        assert_eq!(ops(12..24), [(0, CfiOp::DefCfaOffset(16)), (0, saved), (8, CfiOp::DefCfaOffset(32))]);
    }
}
