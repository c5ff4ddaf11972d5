//! Descriptions of the frame for parts of a function that are in sections of their own.

use std::ops::Range;

use crate::buffer::{CfiOp, Mark};

/// What is known of the frame at a place.
#[derive(Clone, Default)]
struct State {
    register: Option<u16>,
    offset: Option<i32>,
    /// What holds besides, in order.
    rules: Vec<CfiOp>,
}

impl State {
    fn take(&mut self, op: CfiOp, saved: &mut Vec<State>) {
        match op {
            CfiOp::DefCfa { register, offset } => (self.register, self.offset) = (Some(register), Some(offset)),
            CfiOp::DefCfaRegister(register) => self.register = Some(register),
            CfiOp::DefCfaOffset(offset) => self.offset = Some(offset),
            CfiOp::Restored(register) => {
                self.rules.retain(|rule| !matches!(rule, CfiOp::Offset { register: r, .. } if *r == register));
            }
            CfiOp::RememberState => saved.push(self.clone()),
            CfiOp::RestoreState => *self = saved.pop().unwrap_or_default(),
            op => self.rules.push(op),
        }
    }

    fn ops(self) -> impl Iterator<Item = CfiOp> {
        let cfa = match (self.register, self.offset) {
            (Some(register), Some(offset)) => Some(CfiOp::DefCfa { register, offset }),
            (Some(register), None) => Some(CfiOp::DefCfaRegister(register)),
            (None, offset) => offset.map(CfiOp::DefCfaOffset),
        };
        cfa.into_iter().chain(self.rules)
    }
}

/// The description of the frame along a part of a function; offsets count from the part's beginning.
pub(crate) fn of_part(all: &[Mark<CfiOp>], part: Range<u32>) -> Vec<Mark<CfiOp>> {
    let before = all.partition_point(|mark| mark.offset <= part.start && part.start > 0);
    let (mut state, mut saved) = (State::default(), Vec::new());
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
