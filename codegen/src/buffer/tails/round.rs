//! One look at the whole code for ends that are equal.

use std::ops::Range;

use super::super::accesses::REMOVED;
use super::super::{Binding, CfiOp, CodeBuffer, Gap, JumpFacts, Label, Mark, Reloc, RelocTarget, SehOp, UNBOUND};

/// The most ends that stay with which another one is compared.
const PATIENCE: usize = 12;
/// The most instructions that are compared.
const LONGEST: usize = 256;
/// The bytes that must be saved for a jump that is executed, and those for each time that it is while the function runs once. Measured with
/// the programs of the benches: less saves hardly more bytes, and costs instructions.
const BYTES_OF_JUMP: f32 = 8.0;
const BYTES_PER_JUMP: f32 = 24.0;
/// Where code leads that leaves the function.
const NOWHERE: u32 = u32::MAX;

/// An end of code.
#[derive(Clone, Copy)]
struct End {
    /// Where control goes from there, or nowhere.
    to: u32,
    /// The last bytes before the end.
    last: u32,
    /// Where the code ends, before the jump if there is one.
    at: u32,
    /// It has a jump; else it falls through, or leaves the function.
    has_jump: bool,
    /// The jump leads to what does not come next.
    jumps: bool,
    /// How often it runs.
    frequency: f32,
}

impl End {
    /// Ends may be equal if these are.
    fn group(&self) -> (u32, u32) {
        (self.to, self.last)
    }
}

/// What unwinding knows at a place, besides where registers are saved.
#[derive(Clone, Copy, PartialEq, Default)]
struct FrameState {
    register: Option<u16>,
    offset: Option<i32>,
    signed: bool,
    has_frame: bool,
    /// The place is in an epilogue.
    leaves: bool,
}

/// What comes before a place.
enum Before {
    /// Nothing that goes on there.
    Nothing,
    /// A conditional branch, by its index.
    Branch(usize),
    /// An instruction.
    Instruction(u32),
}

/// A pair of ends that are the same: what goes, and what stays.
struct Match {
    gone: Range<u32>,
    kept: Range<u32>,
}

pub(super) struct Round<'b> {
    buf: &'b mut CodeBuffer,
    jump: JumpFacts,
    /// Bytes of its longest and its shortest form.
    jump_len: u32,
    least_jump: u32,
    /// For each offset the length of the instruction that ends there, once it was asked for; else 0.
    lengths: &'b mut Vec<u8>,
    /// Labels by their offsets, as they were at the beginning.
    labels: Vec<(u32, u32)>,
    /// Branches in shorter forms, by their labels.
    short: Vec<(u32, u32)>,
    /// Fields that hold distances from labels, by their labels.
    fields: Vec<(u32, Reloc)>,
    states: Vec<(u32, FrameState)>,
    kept: Vec<Range<u32>>,
    gone: Vec<Range<u32>>,
    /// Room for the places where two ends are the same.
    places: Vec<(u32, u32)>,
}

impl<'b> Round<'b> {
    /// Merges what it finds. Returns the stretches that are gone, each with its jump, which stays.
    pub fn run(buf: &'b mut CodeBuffer, jump: JumpFacts, lengths: &'b mut Vec<u8>) -> Vec<Range<u32>> {
        let ends = ends(buf, jump);
        // Most functions have none.
        if !ends.is_sorted_by(|a, b| a.group() != b.group()) {
            let mut round = Round::new(buf, jump, lengths);
            for group in ends.chunk_by(|a, b| a.group() == b.group()).filter(|group| group.len() > 1) {
                let mut group = group.to_vec();
                group.iter_mut().for_each(|end| end.frequency = round.buf.tails.frequency(end.at));
                // What falls through stays, else what runs most.
                group.sort_by(|a, b| {
                    (a.jumps.cmp(&b.jumps)).then(b.frequency.total_cmp(&a.frequency)).then(a.at.cmp(&b.at))
                });
                round.merge_group(&group);
            }
            return round.gone;
        }
        Vec::new()
    }

    fn new(buf: &'b mut CodeBuffer, jump: JumpFacts, lengths: &'b mut Vec<u8>) -> Self {
        let labels = buf.labels.iter().enumerate().filter(|(_, place)| place.offset != UNBOUND);
        let mut labels: Vec<(u32, u32)> = labels.map(|(label, place)| (place.offset, label as u32)).collect();
        labels.sort_unstable();
        let longest = |kind: u8| buf.machine.forms(kind).last().map_or(0, |form| u32::from(form.len));
        let short = buf.gaps.iter().filter(|gap| gap.len < longest(gap.kind));
        let mut short: Vec<(u32, u32)> = short.map(|gap| (gap.label, gap.offset)).collect();
        short.sort_unstable();
        let target = |r: &Reloc| if let RelocTarget::Label(label) = r.target { Some(label.0) } else { None };
        let mut fields: Vec<(u32, Reloc)> = buf.label_refs.iter().filter_map(|r| Some((target(r)?, *r))).collect();
        fields.sort_by_key(|field| field.0);
        let jump_len = longest(jump.kind);
        let least_jump = buf.machine.forms(jump.kind).first().map_or(0, |form| u32::from(form.len));
        let states = frame_states(&buf.cfi);
        lengths.resize(buf.bytes.len() + 1, 0);
        Round {
            buf,
            jump,
            jump_len,
            least_jump,
            lengths,
            labels,
            short,
            fields,
            states,
            kept: Vec::new(),
            gone: Vec::new(),
            places: Vec::new(),
        }
    }

    fn merge_group(&mut self, ends: &[End]) {
        let mut kept: Vec<End> = Vec::new();
        for &end in ends {
            let others = kept.iter().rev().take(PATIENCE);
            let matches = others.filter_map(|other| self.longest_match(&end, other));
            match matches.max_by_key(|found| found.gone.len()) {
                Some(found) => self.merge(&end, found),
                None => kept.push(end),
            }
        }
    }

    /// The longest stretch at an end that may become a jump into what stays, if it is worth that.
    fn longest_match(&mut self, end: &End, other: &End) -> Option<Match> {
        let mut places = std::mem::take(&mut self.places);
        self.find_equal_places(end.at, other.at, &mut places);
        let mut found = None;
        // What is shorter is worth less.
        while let Some((gone, kept)) = places.pop()
            && self.is_worth(gone, end, other)
        {
            let this = Match { gone: gone..end.at, kept: kept..other.at };
            if self.may_merge(&this) {
                found = Some(this);
            }
            // Epilogues are shared as a whole: some unwinders look for them in the code.
            if found.is_some() || end.to == NOWHERE {
                break;
            }
        }
        self.places = places;
        found
    }

    /// Is it worth a jump to make an end one from a place on?
    fn is_worth(&mut self, gone: u32, end: &End, other: &End) -> bool {
        let jumps = u32::from(self.needs_jump(gone));
        let room = end.at - gone + self.len_of_jump(end);
        // A jump within reach has a short form, as a rule.
        let saved = room as f32 - (jumps * self.least_jump) as f32;
        let more = (jumps + u32::from(other.jumps)).saturating_sub(end.jumps.into());
        let cost = match self.buf.tails.for_size {
            true => 0.0,
            false => more as f32 * (BYTES_OF_JUMP + end.frequency * BYTES_PER_JUMP),
        };
        (jumps == 0 || room >= self.jump_len) && saved > cost
    }

    fn len_of_jump(&self, end: &End) -> u32 {
        if end.has_jump { self.gap_at(end.at).map_or(0, |gap| self.buf.gaps[gap].len) } else { 0 }
    }

    /// Finds the places from which on code to two ends is the same, the last ones first.
    fn find_equal_places(&mut self, mut gone: u32, mut kept: u32, places: &mut Vec<(u32, u32)>) {
        places.clear();
        let mut is_last = true;
        while places.len() < LONGEST {
            let before =
                if is_last { [self.last(gone), self.last(kept)] } else { [self.before(gone), self.before(kept)] };
            let starts = match before {
                [Before::Branch(a), Before::Branch(b)] if self.are_same_branches(a, b) => {
                    [a, b].map(|gap| self.buf.gaps[gap].offset)
                }
                [Before::Instruction(a), Before::Instruction(b)] if self.are_same(a..gone, b..kept) => [a, b],
                _ => break,
            };
            [gone, kept] = starts;
            places.push((gone, kept));
            is_last = false;
        }
    }

    /// What comes before an end.
    fn last(&mut self, at: u32) -> Before {
        match gap_before(self.buf, at) {
            Some(gap) if is_conditional(self.buf, self.jump, &self.buf.gaps[gap]) => Before::Branch(gap),
            Some(_) => Before::Nothing,
            None => self.instruction(at),
        }
    }

    /// What comes before a place and goes on there.
    fn before(&mut self, at: u32) -> Before {
        if self.buf.tails.leaves.binary_search(&at).is_ok() { Before::Nothing } else { self.last(at) }
    }

    fn instruction(&mut self, at: u32) -> Before {
        let data = &self.buf.data;
        let next = data.partition_point(|data| data.end < at);
        if at <= self.buf.body_start() || data.get(next).is_some_and(|data| data.start < at) {
            return Before::Nothing;
        }
        if self.lengths[at as usize] == 0 {
            self.measure(at);
        }
        match self.lengths[at as usize] {
            0 => Before::Nothing,
            len => Before::Instruction(at - u32::from(len)),
        }
    }

    /// Finds the lengths of instructions from the last place before an offset at which one is known to begin.
    fn measure(&mut self, at: u32) {
        let label = self.labels.partition_point(|label| label.0 < at).checked_sub(1).map(|k| self.labels[k].0);
        let gap =
            self.buf.gaps.partition_point(|gap| gap.offset + gap.len < at).checked_sub(1).map(|k| &self.buf.gaps[k]);
        let data = self.buf.data.partition_point(|data| data.end < at).checked_sub(1).map(|k| self.buf.data[k].end);
        let start = [label, gap.map(|gap| gap.offset + gap.len), data].into_iter().flatten().max();
        let mut start = start.unwrap_or(0).max(self.buf.body_start()) as usize;
        while start < at as usize {
            let len = (self.jump.instruction_len)(&self.buf.bytes[start..]);
            debug_assert!(len != 0 && start + len <= at as usize, "no instruction is known at {start}, before {at}");
            if len == 0 || start + len > at as usize {
                return;
            }
            start += len;
            self.lengths[start] = len as u8;
        }
    }

    /// The gap that begins at a place.
    fn gap_at(&self, at: u32) -> Option<usize> {
        let after = self.buf.gaps.partition_point(|gap| gap.offset < at);
        (after..self.buf.gaps.len()).take_while(|&k| self.buf.gaps[k].offset == at).find(|&k| self.buf.gaps[k].len > 0)
    }

    fn are_same_branches(&self, a: usize, b: usize) -> bool {
        let [a, b] = [a, b].map(|k| self.buf.gaps[k]);
        let [to, other] = [a, b].map(|gap| self.buf.labels[gap.label as usize].offset);
        let bytes = |gap: Gap| &self.buf.bytes[gap.offset as usize..(gap.offset + gap.len) as usize];
        a.kind == b.kind && to == other && bytes(a) == bytes(b)
    }

    /// Are two instructions the same, with what they refer to?
    fn are_same(&self, a: Range<u32>, b: Range<u32>) -> bool {
        let bytes = |range: &Range<u32>| &self.buf.bytes[range.start as usize..range.end as usize];
        let same = |list: &[Reloc]| {
            let [one, other] = [&a, &b].map(|range| within(list, range, |r| r.offset));
            one.len() == other.len()
                && one.iter().zip(other).all(|(x, y)| {
                    x.offset - a.start == y.offset - b.start
                        && x.kind == y.kind
                        && x.addend == y.addend
                        && self.buf.place_of(x.target) == self.buf.place_of(y.target)
                })
        };
        bytes(&a) == bytes(&b) && same(&self.buf.relocs) && same(&self.buf.label_refs) && same(&self.buf.waiting)
    }

    /// May what goes become a jump, so that nothing but the code's length changes?
    fn may_merge(&self, found: &Match) -> bool {
        let Match { gone, kept } = found;
        let meets = |a: &Range<u32>, b: &Range<u32>| a.start < b.end && b.start < a.end;
        let is_gone = |range: &Range<u32>| self.gone.iter().any(|other| meets(range, other));
        let [state, other] = [gone, kept].map(|range| self.state(range.start));
        !meets(gone, kept)
            && !self.kept.iter().any(|other| meets(gone, other))
            && !is_gone(gone)
            && !is_gone(kept)
            && state == other
            && !state.leaves
            && self.have_same_marks(gone, kept)
            && self.have_same_calls(gone, kept)
            && self.labels_may_move(gone, kept)
    }

    fn state(&self, at: u32) -> FrameState {
        let after = self.states.partition_point(|state| state.0 <= at);
        after.checked_sub(1).map_or(FrameState::default(), |k| self.states[k].1)
    }

    /// Is unwinding told the same?
    fn have_same_marks(&self, gone: &Range<u32>, kept: &Range<u32>) -> bool {
        let marks = |range: &Range<u32>| {
            let (start, marks) = (range.start, marks_within(&self.buf.cfi, range));
            marks.iter().map(move |mark| (mark.offset - start, mark.value))
        };
        marks(gone).eq(marks(kept))
    }

    /// Do exceptions go the same ways?
    fn have_same_calls(&self, gone: &Range<u32>, kept: &Range<u32>) -> bool {
        let calls = |range: &Range<u32>| {
            let start = range.start;
            within(&self.buf.calls, range, |call| call.offset).iter().map(move |call| (call.offset - start, call))
        };
        let is_cut = |range: &Range<u32>| {
            let before = self.buf.calls.partition_point(|call| call.offset < range.start);
            before.checked_sub(1).is_some_and(|k| self.buf.calls[k].offset + self.buf.calls[k].bytes > range.start)
        };
        let landing = |label: Label| self.buf.labels[label.0 as usize].offset;
        let (one, other): (Vec<_>, Vec<_>) = (calls(gone).collect(), calls(kept).collect());
        !is_cut(gone)
            && !is_cut(kept)
            && one.len() == other.len()
            && one.iter().zip(&other).all(|(a, b)| {
                let pads = [a, b].map(|call| call.1.landing.map(|(label, pad)| (landing(label), pad)));
                a.0 == b.0 && a.1.bytes == b.1.bytes && pads[0] == pads[1]
            })
    }

    /// Can everything that refers to labels of what goes refer to what stays?
    fn labels_may_move(&self, gone: &Range<u32>, kept: &Range<u32>) -> bool {
        within(&self.labels, gone, |label| label.0).iter().all(|&(offset, label)| {
            let moved = offset - gone.start + kept.start;
            let branches = within(&self.short, &(label..label + 1), |branch| branch.0);
            let fields = within(&self.fields, &(label..label + 1), |field| field.0);
            !self.buf.tails.pinned.contains(&Label(label))
                && branches.iter().all(|branch| self.may_branch(branch.1, moved))
                && fields.iter().all(|field| self.may_hold(&field.1, moved))
        })
    }

    /// Does a branch in a shorter form reach a place?
    fn may_branch(&self, branch: u32, to: u32) -> bool {
        // What was merged in this round has a jump of the longest form.
        self.gap_at(branch).is_none_or(|gap| {
            let gap = &self.buf.gaps[gap];
            let form = self.buf.machine.forms(gap.kind).iter().find(|form| u32::from(form.len) == gap.keep);
            let displacement = i64::from(to) - i64::from(branch);
            form.is_some_and(|form| (i64::from(form.min)..=i64::from(form.max)).contains(&displacement))
        })
    }

    /// Can a field hold the distance from a place? The two only come nearer to each other.
    fn may_hold(&self, field: &Reloc, to: u32) -> bool {
        let mut bytes = [0; 8];
        let at = field.offset as usize;
        let len = bytes.len().min(self.buf.bytes.len() - at);
        bytes[..len].copy_from_slice(&self.buf.bytes[at..at + len]);
        self.buf.machine.write(field.kind, &mut bytes, i64::from(to) + field.addend - i64::from(field.offset))
    }

    /// Does control come to a place from the code before it?
    fn needs_jump(&mut self, at: u32) -> bool {
        at <= self.buf.body_start() || !matches!(self.before(at), Before::Nothing)
    }

    /// Makes an end a jump.
    fn merge(&mut self, end: &End, found: Match) {
        let Match { gone, kept } = found;
        let needs_jump = self.needs_jump(gone.start);
        let own = if end.has_jump { self.gap_at(end.at) } else { None };
        let whole = gone.start..end.at + own.map_or(0, |gap| self.buf.gaps[gap].len);
        for k in self.labels.partition_point(|label| label.0 < gone.start)..self.labels.len() {
            let (offset, label) = self.labels[k];
            if offset >= gone.end {
                break;
            }
            self.buf.labels[label as usize].offset = offset - gone.start + kept.start;
        }
        let inside = |gap: &Gap| (whole.start..whole.end).contains(&gap.offset);
        let first = self.buf.gaps.partition_point(|gap| gap.offset < whole.start);
        let count = self.buf.gaps[first..].iter().take_while(|gap| inside(gap)).count();
        let label = self.buf.labels.len() as u32;
        self.buf.labels.push(Binding { offset: kept.start, gaps: 0 });
        let len = whole.end - whole.start;
        let gap = match needs_jump {
            true => {
                let at = gone.start as usize;
                self.buf.bytes[at..at + self.jump_len as usize]
                    .copy_from_slice(&self.jump.insn.to_le_bytes()[..self.jump_len as usize]);
                Gap { offset: gone.start, label, len, keep: self.jump_len, kind: self.jump.kind, far: false }
            }
            false => Gap { offset: gone.start, label, len, keep: 0, kind: REMOVED, far: false },
        };
        self.buf.gaps.splice(first..first + count, [gap]);
        let leaves = &mut self.buf.tails.leaves;
        leaves.retain(|&at| at <= gone.start || at > gone.end || at == gone.start);
        self.buf.share_debug_info(&gone, &kept);
        self.kept.push(kept);
        self.gone.push(whole);
    }
}

/// Is a gap an unconditional branch?
fn is_jump(buf: &CodeBuffer, jump: JumpFacts, gap: &Gap) -> bool {
    gap.kind == jump.kind && gap.len > 0 && (jump.is_jump)(&buf.bytes[gap.offset as usize..])
}

/// The ends of code, sorted by where they lead and by their last bytes.
fn ends(buf: &CodeBuffer, jump: JumpFacts) -> Vec<End> {
    let start = buf.body_start();
    let last = |at: u32| {
        buf.bytes[at.saturating_sub(3).max(start) as usize..at as usize]
            .iter()
            .fold(0, |word, &b| word << 8 | u32::from(b))
    };
    let end = |to, at, has_jump, jumps| End { to, last: last(at), at, has_jump, jumps, frequency: 1.0 };
    let mut ends: Vec<End> = Vec::new();
    for gap in buf.gaps.iter().filter(|gap| is_jump(buf, jump, gap)) {
        let to = buf.labels[gap.label as usize].offset;
        ends.push(end(to, gap.offset, true, to != gap.offset + gap.len));
    }
    let mut falls: Vec<u32> = ends.iter().map(|end| end.to).filter(|&to| to > start).collect();
    falls.sort_unstable();
    falls.dedup();
    falls.retain(|to| {
        buf.tails.leaves.binary_search(to).is_err()
            && gap_before(buf, *to).is_none_or(|gap| is_conditional(buf, jump, &buf.gaps[gap]))
    });
    ends.extend(falls.into_iter().map(|to| end(to, to, false, false)));
    let leaves = buf.tails.leaves.iter().filter(|&&at| at > start && gap_before(buf, at).is_none());
    ends.extend(leaves.map(|&at| end(NOWHERE, at, false, false)));
    ends.sort_unstable_by_key(|end| (end.group(), end.at));
    ends
}

/// Is a gap a conditional branch?
fn is_conditional(buf: &CodeBuffer, jump: JumpFacts, gap: &Gap) -> bool {
    !buf.machine.forms(gap.kind).is_empty() && !is_jump(buf, jump, gap)
}

/// The gap that ends at a place.
fn gap_before(buf: &CodeBuffer, at: u32) -> Option<usize> {
    let before = buf.gaps.partition_point(|gap| gap.offset < at);
    before.checked_sub(1).filter(|&k| buf.gaps[k].offset + buf.gaps[k].len == at)
}

/// The part of a sorted list that is in a range.
pub(super) fn within<'l, T>(list: &'l [T], range: &Range<u32>, offset: impl Fn(&T) -> u32) -> &'l [T] {
    let from = list.partition_point(|x| offset(x) < range.start);
    let to = from + list[from..].partition_point(|x| offset(x) < range.end);
    &list[from..to]
}

/// The marks that belong to code in a range: not those at its start that say what holds there, nor those at its end that say what holds
/// after an epilogue.
pub(super) fn marks_within<'l>(marks: &'l [Mark<CfiOp>], range: &Range<u32>) -> &'l [Mark<CfiOp>] {
    let all = within(marks, range, |mark| mark.offset);
    let before = all.iter().take_while(|mark| mark.offset == range.start && !begins_exit(mark.value)).count();
    &all[before..]
}

/// Does an epilogue begin?
pub(super) fn begins_exit(op: CfiOp) -> bool {
    matches!(op, CfiOp::RememberState | CfiOp::Seh { op: SehOp::BeginEpilogue, .. })
}

/// What unwinding knows from each offset on. Where an epilogue begins, what held before it still counts.
fn frame_states(marks: &[Mark<CfiOp>]) -> Vec<(u32, FrameState)> {
    let (mut states, mut state, mut saved) = (Vec::new(), FrameState::default(), FrameState::default());
    for mark in marks {
        match mark.value {
            CfiOp::DefCfa { register, offset } => (state.register, state.offset) = (Some(register), Some(offset)),
            CfiOp::DefCfaRegister(register) => state.register = Some(register),
            CfiOp::DefCfaOffset(offset) => state.offset = Some(offset),
            CfiOp::NegateReturn { .. } => state.signed = !state.signed,
            CfiOp::RememberState => {
                saved = state;
                state.leaves = true;
            }
            CfiOp::RestoreState => state = saved,
            CfiOp::Seh { op: SehOp::EndPrologue, .. } => state.has_frame = true,
            CfiOp::Seh { op: SehOp::BeginEpilogue, .. } => state.leaves = true,
            CfiOp::Seh { op: SehOp::EndEpilogue, .. } => state.leaves = false,
            _ => {}
        }
        // The epilogue's first instruction has not run at its own offset, nor the one that leaves.
        let is_around = begins_exit(mark.value) || matches!(mark.value, CfiOp::Seh { op: SehOp::EndEpilogue, .. });
        let offset = mark.offset + u32::from(is_around);
        states.push((offset, state));
    }
    states
}
