//! What is recorded of code whose ends are merged.

use std::ops::Range;

use super::super::{CfiOp, CodeBuffer, LineEntry, Mark, SehOp, VariableEvent};
use super::round::{begins_exit, marks_within, within};

impl CodeBuffer {
    /// Lets code that two ends share have only what debuggers may be told of both. What `gone` says is still there.
    pub(super) fn share_debug_info(&mut self, gone: &Range<u32>, kept: &Range<u32>) {
        if self.lines.is_empty() && self.variables.is_empty() && self.debug_calls.is_empty() {
            return;
        }
        self.share_lines(gone, kept);
        self.share_variables(kept);
        let ends = kept.start + 1..kept.end + 1;
        let first = self.debug_calls.partition_point(|call| call.offset < ends.start);
        let calls = self.debug_calls[first..].iter_mut().take_while(|call| call.offset < ends.end);
        calls.for_each(|call| call.value.arguments = 0..0);
    }

    /// Code that is of different lines is of none.
    fn share_lines(&mut self, gone: &Range<u32>, kept: &Range<u32>) {
        let lines = |range: &Range<u32>| {
            let first = self.lines.partition_point(|line| line.offset <= range.start);
            let before = first.checked_sub(1).map(|k| self.lines[k].value.location);
            let inside = within(&self.lines[first..], range, |line| line.offset);
            (before, inside.iter().map(|line| (line.offset - range.start, line.value.location)).collect::<Vec<_>>())
        };
        if self.lines.is_empty() || lines(gone) == lines(kept) {
            return;
        }
        let first = self.lines.partition_point(|line| line.offset < kept.start);
        let after = self.lines.partition_point(|line| line.offset < kept.end);
        let last = after.checked_sub(1).map(|k| self.lines[k].value);
        let is_told = self.lines.get(after).is_some_and(|line| line.offset == kept.end);
        let none = LineEntry { location: None, epilogue_begin: false };
        let shared = Mark { offset: kept.start, value: none };
        let rest = last.filter(|_| !is_told).map(|value| Mark { offset: kept.end, value });
        self.lines.splice(first..after, std::iter::once(shared).chain(rest));
    }

    /// No variable is known to be anywhere, since it may have come from elsewhere.
    fn share_variables(&mut self, kept: &Range<u32>) {
        let mut known: Vec<VariableEvent> = Vec::new();
        let after = self.variables.partition_point(|event| event.offset < kept.end);
        let first = self.variables.partition_point(|event| event.offset < kept.start);
        let mut before: Vec<u32> = Vec::new();
        for (k, event) in self.variables[..after].iter().enumerate() {
            known.retain(|other| other.key != event.value.key);
            if event.value.record.is_some() {
                known.push(event.value.clone());
            }
            if k < first {
                before.retain(|&key| key != event.value.key);
                before.extend(event.value.record.is_some().then_some(event.value.key));
            }
        }
        let nowhere = |key| VariableEvent { key, record: None, operands: 0..0, registers: 0 };
        let ends = before.into_iter().map(|key| Mark { offset: kept.start, value: nowhere(key) });
        let rest = known.into_iter().map(|value| Mark { offset: kept.end, value });
        let events: Vec<Mark<VariableEvent>> = ends.chain(rest).collect();
        self.variables.splice(first..after, events);
    }

    /// Removes what is recorded of stretches that are gone, and moves to their ends what counts for the code after them.
    pub(super) fn forget_dead(&mut self, mut dead: Vec<Range<u32>>) {
        dead.sort_by_key(|range| (range.start, range.end));
        let mut merged: Vec<Range<u32>> = Vec::new();
        for range in dead {
            match merged.last_mut().filter(|last| range.start <= last.end) {
                Some(last) => last.end = last.end.max(range.end),
                None => merged.push(range),
            }
        }
        let dead = merged;
        let around = |offset: u32| {
            let next = dead.partition_point(|range| range.end <= offset);
            dead.get(next).filter(|range| range.start <= offset)
        };
        let is_dead = |offset: u32| around(offset).is_some();
        self.relocs.retain(|r| !is_dead(r.offset));
        self.label_refs.retain(|r| !is_dead(r.offset));
        self.waiting.retain(|r| !is_dead(r.offset));
        self.accesses.retain(|&at| !is_dead(at));
        self.calls.retain(|call| !is_dead(call.offset));
        // What is recorded is where they end.
        self.debug_calls.retain(|call| !is_dead(call.offset - 1));
        // What begins where the jump is counts for it, too.
        let moved = |offset: u32| around(offset).filter(|range| range.start < offset).map_or(offset, |range| range.end);
        self.watched.iter_mut().for_each(|at| *at = moved(*at));
        self.source_labels.iter_mut().for_each(|label| label.offset = moved(label.offset));
        self.variables.iter_mut().for_each(|event| event.offset = moved(event.offset));
        self.lines.iter_mut().for_each(|line| line.offset = moved(line.offset));
        self.lines.reverse();
        self.lines.dedup_by_key(|line| line.offset);
        self.lines.reverse();
        dead.iter().for_each(|range| self.forget_frame_marks(range));
    }

    /// Removes what unwinding is told of epilogues in a stretch that is gone.
    fn forget_frame_marks(&mut self, range: &Range<u32>) {
        let inside = marks_within(&self.cfi, range).len();
        let to = self.cfi.partition_point(|mark| mark.offset < range.end);
        let (mut kept, mut removed, mut leaves, mut at) = (Vec::new(), 0, false, to - inside);
        while at < self.cfi.len() && (at < to || leaves && self.cfi[at].offset == range.end) {
            let op = self.cfi[at].value;
            let ends = matches!(op, CfiOp::RestoreState | CfiOp::Seh { op: SehOp::EndEpilogue, .. });
            leaves |= begins_exit(op);
            if !leaves {
                kept.push(Mark { offset: range.end, value: op });
            }
            leaves &= !ends;
            removed += 1;
            at += 1;
        }
        self.cfi.splice(to - inside..to - inside + removed, kept);
    }
}
