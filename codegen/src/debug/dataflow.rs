//! Which record of each variable holds where a block begins.
//!
//! A variable, or a part of it, that records name is a *key*. A record of a key holds until the next record of the key, or of a key that
//! overlaps it. Where control comes together, a record holds if it does on all edges.

use std::collections::HashMap;

use super::ids::{DiLocalVariableId, DiLocationId};
use crate::analysis::Cfg;
use crate::ir::{DebugRecordKind, Function};

/// The most entries that the states of all blocks may have; beyond it nothing is known where blocks begin.
const MOST_ENTRIES: usize = 1 << 20;
/// Rounds over the blocks; beyond them nothing is known where blocks begin.
const MOST_ROUNDS: usize = 16;

/// A variable, or a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key {
    pub variable: DiLocalVariableId,
    pub inlined_at: Option<DiLocationId>,
    /// First bit and number of bits; `None` is all of it.
    pub part: Option<(u64, u64)>,
}

/// The records that hold: pairs of a key and a record, sorted by key.
pub(crate) type State = Vec<(u32, u32)>;

/// Keys of a function, and the records that hold where blocks begin.
#[derive(Default)]
pub(crate) struct RecordFlow {
    pub keys: Vec<Key>,
    /// By record, its key; `u32::MAX` for labels.
    pub key_of: Vec<u32>,
    /// By key, the keys that overlap it.
    overlaps: Vec<Vec<u32>>,
    /// By index of the order.
    pub entries: Vec<State>,
    /// By index of the order, the indices of the blocks that control comes from.
    pub from: Vec<Vec<u32>>,
}

impl RecordFlow {
    /// Finds the keys of the function's records and what holds at its blocks.
    pub fn new(f: &Function, cfg: &Cfg) -> RecordFlow {
        let mut flow = RecordFlow::default();
        let mut numbers = HashMap::new();
        let mut of_variable: HashMap<_, Vec<u32>> = HashMap::new();
        for record in &f.debug.records {
            if let DebugRecordKind::Label(_) = record.kind {
                flow.key_of.push(u32::MAX);
                continue;
            }
            let part = f.debug.expressions[record.expression as usize].fragment();
            let key = Key { variable: record.variable, inlined_at: record.inlined_at, part };
            let number = *numbers.entry(key).or_insert_with(|| {
                flow.keys.push(key);
                let number = flow.keys.len() as u32 - 1;
                of_variable.entry((key.variable, key.inlined_at)).or_default().push(number);
                number
            });
            flow.key_of.push(number);
        }
        flow.overlaps.resize(flow.keys.len(), Vec::new());
        for group in of_variable.values().filter(|group| group.len() > 1) {
            for &a in group {
                let others = group.iter().copied().filter(|&b| b != a && overlap(&flow.keys, a, b));
                flow.overlaps[a as usize] = others.collect();
            }
        }
        flow.find_predecessors(f, cfg);
        flow.spread(f, cfg);
        flow
    }

    /// Lets a record hold in a state.
    pub fn apply(&self, state: &mut State, record: u32) {
        let key = self.key_of[record as usize];
        if key == u32::MAX {
            return;
        }
        for &other in &self.overlaps[key as usize] {
            if let Ok(at) = state.binary_search_by_key(&other, |entry| entry.0) {
                state.remove(at);
            }
        }
        match state.binary_search_by_key(&key, |entry| entry.0) {
            Ok(at) => state[at].1 = record,
            Err(at) => state.insert(at, (key, record)),
        }
    }

    /// Do two records say the same?
    fn same(f: &Function, a: u32, b: u32) -> bool {
        let (a, b) = (&f.debug.records[a as usize], &f.debug.records[b as usize]);
        let resolved = |v: &Option<_>| v.map(|v| f.resolve(v));
        a.kind == b.kind
            && a.expression == b.expression
            && f.debug.operands_of(a).iter().map(resolved).eq(f.debug.operands_of(b).iter().map(resolved))
    }

    fn find_predecessors(&mut self, f: &Function, cfg: &Cfg) {
        self.from = vec![Vec::new(); cfg.order.len()];
        let from = &mut self.from;
        for (index, &b) in cfg.order.iter().enumerate() {
            f.for_each_edge(f.inst(f.terminator(b)), |e| {
                let to = cfg.index[f.edge_to(e).index()];
                if to != u32::MAX {
                    from[to as usize].push(index as u32);
                }
            });
        }
    }

    /// Lets records hold along edges until nothing changes.
    fn spread(&mut self, f: &Function, cfg: &Cfg) {
        let blocks = cfg.order.len();
        self.entries = vec![State::new(); blocks];
        let mut exits: Vec<Option<State>> = vec![None; blocks];
        let mut total = 0;
        for _ in 0..MOST_ROUNDS {
            let mut changed = false;
            for index in 0..blocks {
                let mut state = if index == 0 { State::new() } else { meet(f, &self.from[index], &exits) };
                if exits[index].is_some() && state == self.entries[index] {
                    continue;
                }
                self.entries[index].clone_from(&state);
                for record in records_of(f, cfg, index) {
                    self.apply(&mut state, record);
                }
                changed |= exits[index].as_ref() != Some(&state);
                total += state.len();
                exits[index] = Some(state);
            }
            if !changed {
                return;
            }
            if total > MOST_ENTRIES {
                break;
            }
        }
        self.entries.iter_mut().for_each(State::clear);
    }
}

/// The records in the block at an index of the order.
pub(crate) fn records_of(f: &Function, cfg: &Cfg, index: usize) -> std::ops::Range<u32> {
    let block = f.blocks[cfg.order[index].index()];
    let at = |inst: u32| f.debug.records.partition_point(|record| record.before.0 < inst) as u32;
    at(block.first)..at(block.end)
}

fn overlap(keys: &[Key], a: u32, b: u32) -> bool {
    match (keys[a as usize].part, keys[b as usize].part) {
        (Some((a, a_bits)), Some((b, b_bits))) => a < b.saturating_add(b_bits) && b < a.saturating_add(a_bits),
        _ => true,
    }
}

/// What holds on all edges whose start is known.
fn meet(f: &Function, from: &[u32], exits: &[Option<State>]) -> State {
    let mut known = from.iter().filter_map(|&index| exits[index as usize].as_ref());
    let mut state = known.next().cloned().unwrap_or_default();
    for other in known {
        state.retain(|&(key, record)| {
            let at = other.binary_search_by_key(&key, |entry| entry.0);
            at.is_ok_and(|at| other[at].1 == record || RecordFlow::same(f, record, other[at].1))
        });
    }
    state
}
