//! Which record of each variable holds where a block begins.
//!
//! A variable, or a part of it, that records name is a *key*. A record of a key holds until the next record of the key, or of a key that
//! overlaps it. Where control comes together, a record holds if it does on all edges. Records about variables of an inlined call do not
//! hold before the first and after the last block of the order that has code of the call.

use std::rc::Rc;

use super::ids::{DiLocalVariableId, DiLocationId};
use super::inlined::InlinedCode;
use super::operations::Fragment;
use crate::analysis::Cfg;
use crate::ir::{DebugRecord, DebugRecordKind, Function};

/// The most entries of states that are looked at; beyond it nothing is known where blocks begin.
const MOST_ENTRIES: usize = 1 << 20;
/// Stands for no key and for no record.
pub(super) const NONE: u32 = u32::MAX;

/// A variable, or a part of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key {
    variable: DiLocalVariableId,
    inlined_at: Option<DiLocationId>,
    /// First bit and number of bits; `None` is all of it.
    part: Option<Fragment>,
}

impl Key {
    fn overlaps(&self, other: &Key) -> bool {
        Fragment::overlap(self.part, other.part)
    }
}

/// The records that hold: pairs of a key and a record, sorted by key. Blocks share them.
type State = Rc<Vec<(u32, u32)>>;

/// Keys of a function, and the records that hold where blocks begin.
pub(crate) struct RecordFlow {
    /// Sorted, so that the parts of a variable are neighbours.
    keys: Vec<Key>,
    /// By record, its key; [`NONE`] for labels.
    key_of: Vec<u32>,
    /// By index of the order.
    entries: Vec<State>,
    /// By index of the order, the indices of the blocks that control comes from.
    pub from: Vec<Vec<u32>>,
}

impl RecordFlow {
    /// Finds the keys of the function's records and what holds at its blocks.
    pub fn new(f: &Function, cfg: &Cfg) -> RecordFlow {
        let (keys, key_of) = number_keys(f);
        let mut flow = RecordFlow { keys, key_of, entries: Vec::new(), from: predecessors(f, cfg) };
        flow.spread(f, cfg);
        flow
    }

    /// The number of keys.
    pub fn key_count(&self) -> usize {
        self.keys.len()
    }

    /// The key of a record, unless it is about a label.
    pub fn key_of(&self, record: u32) -> Option<u32> {
        Some(self.key_of[record as usize]).filter(|&key| key != NONE)
    }

    /// The records that hold where the block at an index of the order begins: pairs of a key and a record, sorted by key.
    pub fn entry(&self, index: usize) -> &[(u32, u32)] {
        &self.entries[index]
    }

    /// The other keys that name some of the bits that a key does.
    pub fn overlapping(&self, key: u32) -> impl Iterator<Item = u32> + '_ {
        let own = self.keys[key as usize];
        let same = move |at: &u32| {
            let other = &self.keys[*at as usize];
            (other.variable, other.inlined_at) == (own.variable, own.inlined_at)
        };
        let (before, after) = ((0..key).rev().take_while(same), (key + 1..self.keys.len() as u32).take_while(same));
        before.chain(after).filter(move |&at| own.overlaps(&self.keys[at as usize]))
    }

    /// Lets a record hold in a state.
    fn apply(&self, state: &mut Vec<(u32, u32)>, record: u32) {
        let Some(key) = self.key_of(record) else { return };
        for other in self.overlapping(key) {
            if let Ok(at) = state.binary_search_by_key(&other, |entry| entry.0) {
                state.remove(at);
            }
        }
        match state.binary_search_by_key(&key, |entry| entry.0) {
            Ok(at) => state[at].1 = record,
            Err(at) => state.insert(at, (key, record)),
        }
    }

    /// Lets records hold along edges until nothing changes.
    fn spread(&mut self, f: &Function, cfg: &Cfg) {
        let blocks = cfg.order.len();
        let (nothing, mut exits) = (State::default(), vec![None::<State>; blocks]);
        let inlined = InlinedCode::new(f, cfg);
        let within: Vec<_> = self.keys.iter().map(|key| key.inlined_at.and_then(|call| inlined.blocks(call))).collect();
        self.entries = vec![nothing.clone(); blocks];
        let (mut waits, mut entries) = (vec![true; blocks], 0);
        let mut next = Some(0);
        while let Some(index) = next {
            waits[index] = false;
            let mut state = if index == 0 { nothing.clone() } else { meet(f, &self.from[index], &exits) };
            let stays = |&(key, _): &(u32, u32)| {
                within[key as usize].is_none_or(|(first, last)| (first..=last).contains(&index))
            };
            if !state.iter().all(stays) {
                Rc::make_mut(&mut state).retain(stays);
            }
            entries += state.len();
            if entries > MOST_ENTRIES {
                self.entries.fill(nothing);
                return;
            }
            let mut first = index + 1;
            if exits[index].is_none() || !same_state(&state, &self.entries[index]) {
                self.entries[index] = state.clone();
                let exit = self.exit(f, cfg, index, state);
                if !exits[index].as_ref().is_some_and(|known| same_state(known, &exit)) {
                    exits[index] = Some(exit);
                    f.for_each_edge(f.inst(f.terminator(cfg.order[index])), |e| {
                        let to = cfg.index[f.edge_to(e).index()] as usize;
                        if to < blocks {
                            waits[to] = true;
                            first = first.min(to);
                        }
                    });
                }
            }
            next = (first..blocks).find(|&at| waits[at]);
        }
    }

    /// What holds where a block ends.
    fn exit(&self, f: &Function, cfg: &Cfg, index: usize, mut state: State) -> State {
        let records = f.records_of(cfg.order[index]);
        if !records.is_empty() {
            let own = Rc::make_mut(&mut state);
            records.for_each(|record| self.apply(own, record));
        }
        state
    }
}

/// The keys of the function's records, sorted, and the key of each record.
fn number_keys(f: &Function) -> (Vec<Key>, Vec<u32>) {
    let key = |record: &DebugRecord| {
        let part = f.debug.expressions[record.expression as usize].fragment();
        Key { variable: record.variable, inlined_at: record.inlined_at, part }
    };
    let is_label = |record: &DebugRecord| matches!(record.kind, DebugRecordKind::Label(_));
    let records = f.debug.records.iter().zip(0..).filter(|(record, _)| !is_label(record));
    let mut sorted: Vec<(Key, u32)> = records.map(|(record, number)| (key(record), number)).collect();
    sorted.sort_unstable();
    let (mut keys, mut key_of) = (Vec::new(), vec![NONE; f.debug.records.len()]);
    for (key, record) in sorted {
        if keys.last() != Some(&key) {
            keys.push(key);
        }
        key_of[record as usize] = keys.len() as u32 - 1;
    }
    (keys, key_of)
}

fn predecessors(f: &Function, cfg: &Cfg) -> Vec<Vec<u32>> {
    let mut from = vec![Vec::new(); cfg.order.len()];
    for (index, &b) in cfg.order.iter().enumerate() {
        f.for_each_edge(f.inst(f.terminator(b)), |e| {
            let to = cfg.index[f.edge_to(e).index()];
            if let Some(of_target) = from.get_mut(to as usize) {
                of_target.push(index as u32);
            }
        });
    }
    from
}

/// Do two records say the same?
fn same_record(f: &Function, a: u32, b: u32) -> bool {
    if a == b {
        return true;
    }
    let (a, b) = (&f.debug.records[a as usize], &f.debug.records[b as usize]);
    let resolved = |v: &Option<_>| v.map(|v| f.resolve(v));
    a.kind == b.kind
        && a.expression == b.expression
        && f.debug.operands_of(a).iter().map(resolved).eq(f.debug.operands_of(b).iter().map(resolved))
}

fn same_state(a: &State, b: &State) -> bool {
    Rc::ptr_eq(a, b) || a == b
}

/// What holds on all edges whose start is known.
fn meet(f: &Function, from: &[u32], exits: &[Option<State>]) -> State {
    let mut known = from.iter().filter_map(|&index| exits[index as usize].as_ref());
    let mut state = known.next().cloned().unwrap_or_default();
    for other in known {
        if !same_state(&state, other) {
            Rc::make_mut(&mut state).retain({
                let mut rest = &other[..];
                move |&(key, record)| {
                    while rest.first().is_some_and(|entry| entry.0 < key) {
                        rest = &rest[1..];
                    }
                    rest.first().is_some_and(|&(of, at)| of == key && same_record(f, record, at))
                }
            });
        }
    }
    state
}
