//! Which record of each variable holds where a block begins.
//!
//! A variable, or a part of it, that records name is a *key*. A record of a key holds until the next record of the key, or of a key that
//! overlaps it. Where control comes together, a record holds if it does on all edges. Records about variables of an inlined call do not
//! hold before the first and after the last block of the order that has code of the call.

use std::ops::Range;

use super::ids::{DiExpression, DiLocalVariableId, DiLocationId};
use super::inlined::{InlinedCode, partition_near};
use super::operations::Fragment;
use super::record_states::{EVERYWHERE, Extent, NONE, RecordStates, State};
use crate::analysis::Cfg;
use crate::ir::{Block, BlockData, DebugRecord, DebugRecordKind, Function};

/// A variable, or a part of it.
#[derive(Clone, Copy)]
struct Key {
    variable: DiLocalVariableId,
    inlined_at: Option<DiLocationId>,
    /// First bit and number of bits; `None` is all of it.
    part: Option<Fragment>,
    /// Where its records may hold.
    extent: Extent,
    /// It is all that records name of the variable.
    is_alone: bool,
}

impl Key {
    /// The copy of the variable.
    fn of(&self) -> (DiLocalVariableId, Option<DiLocationId>) {
        (self.variable, self.inlined_at)
    }
}

/// What a record does.
#[derive(Clone, Copy)]
pub(super) struct RecordEffect {
    /// Its key; [`NONE`] for records that are not followed.
    pub key: u32,
    /// The record, which holds of the key from here on; [`NONE`] if nothing is known of what it says.
    pub holds: u32,
    /// The position from which on nothing is known of what it says, unless control goes back.
    pub until: u32,
    /// It may hold where other blocks begin.
    pub lasts: bool,
}

/// Keys of a function, and the records that hold where blocks begin and end.
#[derive(Default)]
pub(crate) struct RecordFlow {
    /// Sorted, so that the parts of a variable are neighbours.
    keys: Vec<Key>,
    /// By record.
    effects: Vec<RecordEffect>,
    /// By index of the order, the block's records.
    records: Vec<Range<u32>>,
    states: RecordStates,
    /// By index of the order, what holds at the block's start and at its end.
    entries: Vec<State>,
    exits: Vec<State>,
    pub predecessors: Predecessors,
    inlined: InlinedCode,
    /// By expression, the part of the variable that it is about.
    parts: Vec<Option<Fragment>>,
    /// The records, but for labels, each with the number of the copy of its variable. Sorted by these.
    sorted: Vec<(u64, u32)>,
    /// What a record says may be known when its operands are not read any more.
    lasts: bool,
    /// By index of the order, while records spread: whether the block is to be looked at, and whether it has been.
    waits: Vec<bool>,
    is_known: Vec<bool>,
}

impl RecordFlow {
    /// Finds the keys of a function's records and what holds at its blocks. `known_until` says of a record from which position on its
    /// operands are not known, unless control goes back; `None`: they are known nowhere. `lasts`: what a record says may be known all the same.
    pub fn compute(&mut self, f: &Function, cfg: &Cfg, lasts: bool, known_until: impl Fn(&DebugRecord) -> Option<u32>) {
        self.lasts = lasts;
        self.find_records(f, cfg);
        self.inlined.compute(f, cfg, &self.records);
        self.number_keys(f, known_until);
        self.states.clear(self.keys.iter().map(|key| key.extent));
        for states in [&mut self.entries, &mut self.exits] {
            states.clear();
            states.resize(cfg.order.len(), State::EMPTY);
        }
        self.predecessors.compute(f, cfg);
        self.spread(f, cfg);
    }

    /// The records, but for labels, by copy of a variable: each with the copy's number.
    pub fn copies(&self) -> impl Iterator<Item = &[(u64, u32)]> {
        self.sorted.chunk_by(|a, b| a.0 == b.0)
    }

    /// The number of keys.
    pub fn key_count(&self) -> usize {
        self.keys.len()
    }

    /// The records of the block at an index of the order.
    pub fn records_of(&self, index: usize) -> Range<u32> {
        self.records[index].clone()
    }

    /// What a record does.
    pub fn effect(&self, record: u32) -> RecordEffect {
        self.effects[record as usize]
    }

    /// Passes on each key of which another record holds where one block begins than where another one ends, and that record or [`NONE`].
    /// `None` is the start of the function.
    pub fn changes(&self, from: Option<usize>, to: usize, mut take: impl FnMut(u32, u32)) {
        let before = from.map_or(State::EMPTY, |from| self.exits[from]);
        self.states.differences(before, self.entries[to], &mut take);
    }

    /// The record of a key that holds where the block at an index begins, or [`NONE`].
    pub fn record_at(&self, index: usize, key: u32) -> u32 {
        self.states.record(self.entries[index], key)
    }

    /// The blocks, by the first and the last index of the order, where records of a key may hold.
    pub fn extent(&self, key: u32) -> Extent {
        self.keys[key as usize].extent
    }

    /// The other keys that name some of the bits that a key does.
    pub fn overlapping(&self, key: u32) -> impl Iterator<Item = u32> + '_ {
        overlapping(&self.keys, key)
    }

    /// Finds the keys of the function's records and what each record does.
    fn number_keys(&mut self, f: &Function, known_until: impl Fn(&DebugRecord) -> Option<u32>) {
        let debug = &f.debug;
        let RecordFlow { keys, effects, inlined, parts, sorted, .. } = self;
        parts.clear();
        parts.extend(debug.expressions.iter().map(DiExpression::fragment));
        let has_parts = parts.iter().any(Option::is_some);
        let part = |record: u32| parts[debug.records[record as usize].expression as usize];
        let is_label = |record: &DebugRecord| matches!(record.kind, DebugRecordKind::Label(_));
        let records = debug.records.iter().zip(0..).filter(|(record, _)| !is_label(record));
        sorted.clear();
        sorted.extend(records.map(|(record, number)| (copy_number(record.variable, record.inlined_at), number)));
        sorted.sort_unstable();
        let nothing = RecordEffect { key: NONE, holds: NONE, until: 0, lasts: false };
        keys.clear();
        effects.clear();
        effects.resize(debug.records.len(), nothing);
        for of_variable in sorted.chunk_by_mut(|a, b| a.0 == b.0) {
            let mut is_known = false;
            for &(_, record) in &*of_variable {
                if let Some(until) = known_until(&debug.records[record as usize]) {
                    is_known = true;
                    effects[record as usize] = RecordEffect { holds: record, until, ..nothing };
                }
            }
            if !is_known {
                continue;
            }
            let is_alone = !has_parts || of_variable.iter().all(|&(_, record)| part(record) == part(of_variable[0].1));
            if !is_alone {
                of_variable.sort_by_key(|&(_, record)| part(record));
            }
            let DebugRecord { variable, inlined_at, .. } = debug.records[of_variable[0].1 as usize];
            let extent = match keys.last() {
                Some(last) if last.inlined_at == inlined_at => last.extent,
                _ => inlined_at.and_then(|call| inlined.blocks(call)).unwrap_or(EVERYWHERE),
            };
            for of_part in of_variable.chunk_by(|a, b| is_alone || part(a.1) == part(b.1)) {
                of_part.iter().for_each(|&(_, record)| effects[record as usize].key = keys.len() as u32);
                keys.push(Key { variable, inlined_at, part: part(of_part[0].1), extent, is_alone });
            }
        }
    }

    /// Lets records hold along edges until nothing changes.
    fn spread(&mut self, f: &Function, cfg: &Cfg) {
        let blocks = cfg.order.len();
        let (mut waits, mut is_known) = (std::mem::take(&mut self.waits), std::mem::take(&mut self.is_known));
        waits.clear();
        waits.resize(blocks, true);
        is_known.clear();
        is_known.resize(blocks, false);
        let mut next = Some(0);
        while let Some(index) = next {
            waits[index] = false;
            let entry = self.meet(f, index, &is_known);
            let mut first = index + 1;
            if !is_known[index] || !self.states.are_same(entry, self.entries[index]) {
                self.entries[index] = entry;
                let exit = self.exit(f, cfg, index);
                if !is_known[index] || !self.states.are_same(exit, self.exits[index]) {
                    (self.exits[index], is_known[index]) = (exit, true);
                    f.for_each_edge(f.inst(f.terminator(cfg.order[index])), |e| {
                        let to = cfg.index[f.edge_to(e).index()] as usize;
                        if to < blocks {
                            waits[to] = true;
                            first = first.min(to);
                        }
                    });
                }
            }
            if self.states.are_too_many() {
                self.know_nothing(f, cfg);
                break;
            }
            next = (first..blocks).find(|&at| waits[at]);
        }
        (self.waits, self.is_known) = (waits, is_known);
    }

    /// What holds on all edges to the block at an index whose start is known.
    fn meet(&mut self, f: &Function, index: usize, is_known: &[bool]) -> State {
        let mut known = self.predecessors.of(index).iter().map(|&from| from as usize).filter(|&from| is_known[from]);
        let Some(first) = known.next().filter(|_| index > 0) else { return State::EMPTY };
        let same = |a, b| same_record(f, a, b);
        let state = known.fold(self.exits[first], |state, from| self.states.meet(state, self.exits[from], &same));
        self.states.within(state, index as u32)
    }

    /// What holds where a block ends. What would not be known in any other block is left out.
    fn exit(&mut self, f: &Function, cfg: &Cfg, index: usize) -> State {
        let (mut state, records) = (self.entries[index], self.records[index].clone());
        if records.is_empty() {
            return state;
        }
        self.states.complete();
        let goes_back = goes_back(f, cfg, index);
        let (end, index) = (cfg.start[index + 1], index as u32);
        for effect in &mut self.effects[records.start as usize..records.end as usize] {
            let number = effect.key;
            if number == NONE {
                continue;
            }
            let key = &self.keys[number as usize];
            if !key.is_alone {
                for other in overlapping(&self.keys, number) {
                    state = self.states.set(state, other, NONE);
                }
            }
            effect.lasts = goes_back || (self.lasts || effect.until > end) && key.extent.1 > index;
            state = self.states.set(state, number, if effect.lasts { effect.holds } else { NONE });
        }
        state
    }

    /// Finds the records of each block.
    fn find_records(&mut self, f: &Function, cfg: &Cfg) {
        let records = &f.debug.records;
        let mut next = 0;
        let of_block = |b: &Block| {
            let BlockData { first, end, .. } = f.blocks[b.index()];
            let start = partition_near(records, next, |record| record.before.0 < first);
            next = start + records[start..].iter().take_while(|record| record.before.0 < end).count();
            start as u32..next as u32
        };
        self.records.clear();
        self.records.extend(cfg.order.iter().map(of_block));
    }

    /// Lets nothing hold where blocks begin.
    fn know_nothing(&mut self, f: &Function, cfg: &Cfg) {
        self.entries.fill(State::EMPTY);
        (0..self.exits.len()).for_each(|index| self.exits[index] = self.exit(f, cfg, index));
    }
}

/// The other keys among the sorted ones that name some of the bits that a key does.
fn overlapping(keys: &[Key], key: u32) -> impl Iterator<Item = u32> + '_ {
    let own = &keys[key as usize];
    let same = |at: &u32| keys[*at as usize].of() == own.of();
    let all = if own.is_alone { key..key + 1 } else { 0..keys.len() as u32 };
    let (before, after) = ((all.start..key).rev().take_while(same), (key + 1..all.end).take_while(same));
    before.chain(after).filter(move |&at| Fragment::overlap(own.part, keys[at as usize].part))
}

/// A number for the copy of a variable. Those of the same call are neighbours, so that what holds in the same code is.
pub(super) fn copy_number(variable: DiLocalVariableId, inlined_at: Option<DiLocationId>) -> u64 {
    inlined_at.map_or(0, |call| u64::from(call.0) + 1) << 32 | u64::from(variable.0)
}

/// The copy of a variable that has a number.
pub(super) fn copy_of_number(number: u64) -> (DiLocalVariableId, Option<DiLocationId>) {
    let call = ((number >> 32) as u32).checked_sub(1);
    (DiLocalVariableId(number as u32), call.map(DiLocationId))
}

/// Does control lead from a block to itself or to one before it in the order?
fn goes_back(f: &Function, cfg: &Cfg, index: usize) -> bool {
    let mut goes_back = false;
    f.for_each_edge(f.inst(f.terminator(cfg.order[index])), |e| {
        goes_back |= cfg.index[f.edge_to(e).index()] as usize <= index;
    });
    goes_back
}

/// By index of the order, the indices of the blocks that control comes from, in order.
#[derive(Default)]
pub(super) struct Predecessors {
    /// For each block the end of its list; lists follow each other.
    ends: Vec<u32>,
    lists: Vec<u32>,
    /// Memory for edges, by the blocks that they lead to and come from.
    edges: Vec<(u32, u32)>,
}

impl Predecessors {
    fn compute(&mut self, f: &Function, cfg: &Cfg) {
        let Predecessors { ends, lists, edges } = self;
        ends.clear();
        ends.resize(cfg.order.len() + 1, 0);
        edges.clear();
        for (index, &b) in cfg.order.iter().enumerate() {
            f.for_each_edge(f.inst(f.terminator(b)), |e| {
                let to = cfg.index[f.edge_to(e).index()];
                if (to as usize) < cfg.order.len() {
                    ends[to as usize + 1] += 1;
                    edges.push((to, index as u32));
                }
            });
        }
        (1..ends.len()).for_each(|at| ends[at] += ends[at - 1]);
        lists.clear();
        lists.resize(edges.len(), 0);
        for &mut (to, from) in edges {
            lists[ends[to as usize] as usize] = from;
            ends[to as usize] += 1;
        }
    }

    /// Those of the block at an index.
    pub fn of(&self, index: usize) -> &[u32] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.lists[start as usize..self.ends[index] as usize]
    }
}

/// Do two records say the same?
pub(super) fn same_record(f: &Function, a: u32, b: u32) -> bool {
    if a == b {
        return true;
    }
    let (a, b) = (&f.debug.records[a as usize], &f.debug.records[b as usize]);
    let resolved = |v: &Option<_>| v.map(|v| f.resolve(v));
    a.kind == b.kind
        && a.expression == b.expression
        && f.debug.operands_of(a).iter().map(resolved).eq(f.debug.operands_of(b).iter().map(resolved))
}
