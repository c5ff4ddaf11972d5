//! States of a function's keys, which share what they have in common.
//!
//! A state says of each key which record holds. It is a tree whose leaves have the records of some keys each. A tree that is complete never
//! changes: states that are nearly the same share nearly all their nodes, so that the work of comparing and joining two states grows with
//! what differs between them.

/// Children of a node, or keys of a leaf.
const FANOUT: usize = 16;
/// Its logarithm.
const BITS: u32 = FANOUT.trailing_zeros();
/// The most nodes that are visited or made for all states of a function.
const MOST_STEPS: u32 = 1 << 20;
/// Stands for no key, no record and an empty node.
pub(super) const NONE: u32 = u32::MAX;

/// Blocks, by the indices of the first and the last one in the order.
pub(super) type Extent = (u32, u32);
/// All blocks.
pub(super) const EVERYWHERE: Extent = (0, u32::MAX);

/// The records that hold: the root of the tree, or [`NONE`] if none does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct State(u32);

impl State {
    /// No record holds.
    pub const EMPTY: State = State(NONE);
}

#[derive(Clone)]
struct Node {
    /// The numbers of the children, or of a leaf's records. Those that are missing are [`NONE`].
    children: [u32; FANOUT],
    /// Blocks in which all records may hold; there may be more.
    extent: Extent,
}

/// The states of a function.
#[derive(Default)]
pub(super) struct RecordStates {
    /// By key, the blocks in which its records may hold.
    extents: Vec<Extent>,
    nodes: Vec<Node>,
    /// The level of the roots; leaves have level 0.
    height: u32,
    /// The nodes from here on belong to the state that is being made alone.
    first_own: u32,
    steps: u32,
}

impl RecordStates {
    /// Begins with the states of keys whose records may hold in these blocks. Forgets all others.
    pub fn clear(&mut self, extents: impl Iterator<Item = Extent>) {
        self.extents.clear();
        self.extents.extend(extents);
        let keys = self.extents.len();
        self.height = (1..).find(|&levels| keys <= 1 << (BITS * levels)).map_or(0, |levels| levels - 1);
        self.nodes.clear();
        (self.first_own, self.steps) = (0, 0);
    }

    /// Have all states together taken more steps than a function may?
    pub fn are_too_many(&self) -> bool {
        self.steps > MOST_STEPS
    }

    /// Completes the states that there are.
    pub fn complete(&mut self) {
        self.first_own = self.nodes.len() as u32;
    }

    /// The state in which another record of a key holds than in `state`, or none. The state given is lost if it is not complete.
    pub fn set(&mut self, state: State, key: u32, record: u32) -> State {
        State(self.set_at(state.0, self.height, key, record))
    }

    fn set_at(&mut self, node: u32, level: u32, key: u32, record: u32) -> u32 {
        let k = (key >> (BITS * level)) as usize % FANOUT;
        let before = self.children(node)[k];
        let child = match (level, before) {
            (0, _) => record,
            (_, NONE) if record == NONE => NONE,
            _ => self.set_at(before, level - 1, key, record),
        };
        // A child of this state's own may be another one than before, and have the same number.
        if child == before && (level == 0 || child < self.first_own || child == NONE) {
            return node;
        }
        self.steps += 1;
        let own = match node {
            NONE => self.add(Node { children: [NONE; FANOUT], extent: EVERYWHERE }),
            _ if node >= self.first_own => node,
            _ => self.add(self.nodes[node as usize].clone()),
        };
        let Node { children, extent } = &mut self.nodes[own as usize];
        children[k] = child;
        if record != NONE {
            *extent = common(*extent, self.extents[key as usize]);
        } else if *children == [NONE; FANOUT] {
            return NONE;
        }
        own
    }

    /// The record of a key that holds, or [`NONE`].
    pub fn record(&self, state: State, key: u32) -> u32 {
        let levels = (0..=self.height).rev();
        levels.fold(state.0, |node, level| self.children(node)[(key >> (BITS * level)) as usize % FANOUT])
    }

    /// The state in which those records of `a` hold of which `b` has one that says the same, by `same`.
    pub fn meet(&mut self, a: State, b: State, same: &impl Fn(u32, u32) -> bool) -> State {
        State(self.meet_at(a.0, b.0, self.height, same))
    }

    fn meet_at(&mut self, a: u32, b: u32, level: u32, same: &impl Fn(u32, u32) -> bool) -> u32 {
        if a == b || a == NONE || b == NONE {
            return if a == b { a } else { NONE };
        }
        self.steps += 1;
        let (mut children, others) = (*self.children(a), *self.children(b));
        for (own, other) in children.iter_mut().zip(others) {
            if *own == other || *own == NONE {
                continue;
            }
            if level > 0 {
                *own = self.meet_at(*own, other, level - 1, same);
            } else if other == NONE || !same(*own, other) {
                *own = NONE;
            }
        }
        if children == others {
            b
        } else if children == *self.children(a) {
            a
        } else if children == [NONE; FANOUT] {
            NONE
        } else {
            // What is left of the records may hold in more blocks: that is found out where it matters.
            self.add(Node { children, extent: self.nodes[a as usize].extent })
        }
    }

    /// The state in which only those records hold that may hold in the block at an index of the order.
    pub fn within(&mut self, state: State, index: u32) -> State {
        State(self.within_at(state.0, self.height, 0, index))
    }

    fn within_at(&mut self, node: u32, level: u32, first: u32, index: u32) -> u32 {
        if node == NONE || contains(self.nodes[node as usize].extent, index) {
            return node;
        }
        self.steps += 1;
        let mut children = *self.children(node);
        for (child, k) in children.iter_mut().zip(0..).filter(|(child, _)| **child != NONE) {
            let first = first + (k << (BITS * level));
            if level > 0 {
                *child = self.within_at(*child, level - 1, first, index);
            } else if !contains(self.extents[first as usize], index) {
                *child = NONE;
            }
        }
        let mut extent = EVERYWHERE;
        for (k, &child) in children.iter().enumerate().filter(|(_, child)| **child != NONE) {
            let of_child =
                if level == 0 { self.extents[first as usize + k] } else { self.nodes[child as usize].extent };
            extent = common(extent, of_child);
        }
        if children == *self.children(node) {
            self.nodes[node as usize].extent = extent;
            return node;
        }
        if children == [NONE; FANOUT] { NONE } else { self.add(Node { children, extent }) }
    }

    fn children(&self, node: u32) -> &[u32; FANOUT] {
        self.nodes.get(node as usize).map_or(&[NONE; FANOUT], |node| &node.children)
    }

    fn add(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Do the same records hold?
    pub fn are_same(&self, a: State, b: State) -> bool {
        self.are_same_at(a.0, b.0, self.height)
    }

    fn are_same_at(&self, a: u32, b: u32, level: u32) -> bool {
        if a == b || level == 0 || a == NONE || b == NONE {
            return a == b || self.children(a) == self.children(b);
        }
        let mut children = self.children(a).iter().zip(self.children(b));
        children.all(|(&a, &b)| self.are_same_at(a, b, level - 1))
    }

    /// Passes on each key of which another record holds in `now` than in `before`, and that record or [`NONE`].
    pub fn differences(&self, before: State, now: State, take: &mut impl FnMut(u32, u32)) {
        self.differences_at(before.0, now.0, self.height, 0, take);
    }

    fn differences_at(&self, a: u32, b: u32, level: u32, first: u32, take: &mut impl FnMut(u32, u32)) {
        if a == b {
            return;
        }
        let children = self.children(a).iter().zip(self.children(b)).zip(0..);
        for ((&a, &b), k) in children.filter(|((a, b), _)| a != b) {
            let first = first + (k << (BITS * level));
            if level == 0 { take(first, b) } else { self.differences_at(a, b, level - 1, first, take) }
        }
    }
}

fn common(a: Extent, b: Extent) -> Extent {
    (a.0.max(b.0), a.1.min(b.1))
}

fn contains(extent: Extent, index: u32) -> bool {
    extent.0 <= index && index <= extent.1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A state as a list of the records of all keys.
    type List = Vec<u32>;

    fn extent(key: u32) -> Extent {
        if key.is_multiple_of(3) { EVERYWHERE } else { (key % 7, key % 7 + 5) }
    }

    /// Records with the same number of tens say the same.
    fn same(a: u32, b: u32) -> bool {
        a / 10 == b / 10
    }

    fn records(states: &RecordStates, state: State, keys: u32) -> List {
        let mut list = vec![NONE; keys as usize];
        states.differences(State::EMPTY, state, &mut |key, record| list[key as usize] = record);
        list
    }

    #[test]
    fn states_are_what_lists_of_all_keys_are() {
        for keys in [1, 16, 17, 300] {
            let mut states = RecordStates::default();
            states.clear((0..keys).map(extent));
            let mut known: Vec<(State, List)> = vec![(State::EMPTY, vec![NONE; keys as usize])];
            let mut seed = 1u32;
            let mut random = |below: usize| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (seed >> 8) as usize % below
            };
            for step in 0..400 {
                let (mut state, mut list) = known[random(known.len())].clone();
                states.complete();
                match step % 3 {
                    0 => {
                        for _ in 0..random(20) {
                            let (key, record) = (random(keys as usize), random(30) as u32);
                            let record = if record < 5 { NONE } else { record };
                            state = states.set(state, key as u32, record);
                            list[key] = record;
                        }
                    }
                    1 => {
                        let (other, others) = &known[random(known.len())];
                        state = states.meet(state, *other, &same);
                        let ends = |a: u32, b: u32| a != NONE && a != b && (b == NONE || !same(a, b));
                        list.iter_mut().zip(others).filter(|(a, b)| ends(**a, **b)).for_each(|(a, _)| *a = NONE);
                    }
                    _ => {
                        let index = random(14) as u32;
                        state = states.within(state, index);
                        list.iter_mut()
                            .zip(0..)
                            .filter(|(_, key)| !contains(extent(*key), index))
                            .for_each(|(r, _)| *r = NONE);
                    }
                }
                known.push((state, list));
            }
            for (state, list) in &known {
                assert_eq!(records(&states, *state, keys), *list);
            }
            let (first, list) = &known[200];
            for (state, other) in &known {
                assert_eq!(states.are_same(*first, *state), list == other);
                let mut changed = list.clone();
                states.differences(*first, *state, &mut |key, record| changed[key as usize] = record);
                assert_eq!(changed, *other);
                assert!((0..keys).all(|key| states.record(*state, key) == other[key as usize]));
            }
        }
    }
}
