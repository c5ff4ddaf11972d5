//! Webs: values that flow into one another on edges and are never live at the same time share one home.
//!
//! A block parameter and what edges pass to it are one value to the machine if they are in one place: the edge then has
//! nothing to do. Values whose ranges in block order do not meet are united as they are. But ranges have no holes: a
//! parameter that a loop carries seems to be live where its next value is already defined. For such pairs true liveness
//! is computed, by bits for many values at a time, over the blocks that their ranges cover, and those that do not
//! interfere are united, the deepest edges first. In SSA form two values interfere if one is live where the other is
//! defined (Budimlić et al., "Fast Copy Coalescing and Live-Range Identification", PLDI 2002).

mod holes;

use std::ops::Range;

use super::units::Units;
use crate::analysis::{Cfg, Fold, Intervals, Live};
use crate::ir::{Function, Type, Value, ValueDef};

const NONE: u32 = u32::MAX;
/// Rounds of the dataflow analysis. Webs whose sets change after that stay apart.
const PATIENCE: usize = 12;
/// The largest set, in words of 64 bits.
const WORDS: usize = 16;
/// The most words in a group's sets (one set for each block); no further web joins a larger group.
const GROUP_WORDS: usize = 1 << 18;
/// Number of candidates and blocks above which a function gets a smaller budget for each of them.
const HUGE: usize = 1 << 16;

/// A value that may be in a web.
#[derive(Clone, Copy)]
struct Candidate {
    value: Value,
    /// Index of the block that defines it, and the position.
    block: u32,
    def: u32,
    param: bool,
    /// Last use in that block; 0 if the value lives on.
    last_here: u32,
    /// Its bit in sets, if it has one: the value is used in other blocks, and the range of its web meets another web's.
    bit: u32,
    parent: u32,
    /// The next member of its web; the members form a circle.
    next: u32,
    /// Of a web, at its root: number of members, range, weight, and the group in which its true liveness is computed.
    size: u32,
    start: u32,
    end: u32,
    weight: f32,
    group: u32,
    /// Of a web in a group, at its root: the index of its sets.
    row: u32,
}

/// An argument that an edge passes to a parameter, by their candidates, and the loop depth of the edge.
#[derive(Clone, Copy)]
struct Arc {
    depth: u32,
    /// What a use where it is weighs.
    weight: f32,
    param: u32,
    arg: u32,
    /// The group in which its true liveness is computed.
    group: u32,
}

/// Webs whose true liveness is computed together.
#[derive(Clone, Copy)]
struct Group {
    number: u32,
    /// The first candidate.
    first: u32,
    /// The blocks that their ranges cover, from `lo` to before `hi`.
    lo: u32,
    hi: u32,
    /// How many bits their members have, and how many webs there are.
    bits: u32,
    rows: u32,
}

/// The webs of a function.
#[derive(Default)]
pub struct Webs {
    /// Candidates, in the order of their definitions.
    candidates: Vec<Candidate>,
    /// For each value its candidate.
    of: Vec<u32>,
    arcs: Vec<Arc>,
    groups: Vec<Group>,
    /// Candidates while they are collected: position of the definition and value, in one number.
    found: Vec<u64>,
    /// Arcs while they are collected.
    unsorted: Vec<Arc>,
    close: Close,
    budget: usize,
}

/// The sets of one group: sets of candidates by their bits, each of `words` words.
#[derive(Default)]
struct Close {
    words: usize,
    /// The blocks of the group.
    lo: u32,
    hi: u32,
    /// For each block, the candidates live at its start; at first, those that it uses and does not define.
    live: Vec<u64>,
    /// The group's candidates with bits, with the blocks that define them, in order.
    defs: Vec<(u32, u32)>,
    /// For each web: its members; and what is live where one of them is defined.
    mask: Vec<u64>,
    over: Vec<u64>,
    /// Uses of candidates outside the block that defines them: position and bit.
    here: Vec<(u32, u32)>,
    /// Edges within the group's blocks, as indices of the two blocks; those that leave the last block come first. Edges
    /// from a block to itself are left out.
    edges: Vec<(u32, u32)>,
    /// Blocks that edges lead back to.
    heads: Vec<bool>,
}

/// A web as the scan sees it.
#[derive(Clone, Copy)]
pub struct Web {
    /// First position.
    pub start: u32,
    /// Last position.
    pub end: u32,
    /// Uses weighted by loop depth.
    pub weight: f32,
}

/// Adds to a set. Sets are rows of one vector, which serves all functions; each set of the crate `fixedbitset` owns its words.
fn insert(set: &mut [u64], bit: u32) {
    set[bit as usize / 64] |= 1 << (bit % 64);
}

fn join(set: &mut [u64], other: &[u64]) {
    set.iter_mut().zip(other).for_each(|(a, b)| *a |= b);
}

/// Does one range begin so soon after the other ends that sharing a home wastes little? In a loop, where the copy would
/// be made in each iteration, a larger gap is accepted.
fn near(x: (u32, u32), y: (u32, u32), depth: u32) -> bool {
    let gap = x.0.max(y.0).saturating_sub(x.1.min(y.1));
    let span = x.1 - x.0 + y.1 - y.0;
    gap <= 8 + if depth == 0 { span / 16 } else { 2 * span }
}

impl Webs {
    /// Finds the webs. There are none if `wanted` is false.
    pub fn run(&mut self, f: &Function, cfg: &Cfg, live: &Live, units: &mut Units, wanted: bool) {
        self.begin();
        if !wanted || cfg.order.len() < 2 {
            return;
        }
        self.find(f, cfg, live, units);
        if self.arcs.is_empty() {
            return;
        }
        let size = self.candidates.len() + cfg.order.len() + f.insts.len() / 16;
        self.budget = 64 * size.min(HUGE) + 8 * size;
        let mut left = 0;
        for k in 0..self.arcs.len() {
            if self.unite_apart(self.arcs[k]) {
                self.arcs[left] = self.arcs[k];
                left += 1;
            }
        }
        self.arcs.truncate(left);
        self.look_closely(f, cfg, live);
        self.finish(units);
    }

    /// Finds the webs of values whose ranges have holes.
    pub fn run_with_holes(&mut self, f: &Function, cfg: &Cfg, live: &Live, intervals: &Intervals, units: &mut Units) {
        self.begin();
        self.find(f, cfg, live, units);
        let size = self.candidates.len() + cfg.order.len() + f.insts.len() / 16;
        self.budget = 1024 * size.min(HUGE) + 64 * size;
        self.unite_with_holes(intervals);
        self.finish(units);
    }

    fn begin(&mut self) {
        for c in &self.candidates {
            self.of[c.value.index()] = NONE;
        }
        self.candidates.clear();
        self.arcs.clear();
    }

    /// Tells the units which values share their homes.
    fn finish(&mut self, units: &mut Units) {
        for k in 0..self.candidates.len() as u32 {
            let root = self.root(k);
            self.candidates[k as usize].parent = root;
            let web = &self.candidates[root as usize];
            if web.size > 1 {
                units.set_home_end(self.candidates[k as usize].value, web.end);
            }
        }
    }

    /// The web of a value, if it has more than one member.
    pub fn web(&self, v: Value) -> Option<Web> {
        let &k = self.of.get(v.index()).filter(|&&k| k != NONE)?;
        let c = &self.candidates[self.candidates[k as usize].parent as usize];
        (c.size > 1).then_some(Web { start: c.start, end: c.end, weight: c.weight })
    }

    /// All members of a value's web; the value alone if it is in none.
    pub fn members(&self, v: Value) -> impl Iterator<Item = Value> {
        let first = self.of.get(v.index()).copied().filter(|&k| k != NONE);
        let others = std::iter::successors(first, move |&k| {
            let next = self.candidates[k as usize].next;
            (Some(next) != first).then_some(next)
        });
        others.map(|k| self.candidates[k as usize].value).chain(if first.is_none() { Some(v) } else { None })
    }

    /// Are two values the same, or in one web?
    pub fn are_united(&self, a: Value, b: Value) -> bool {
        let root = |v: Value| {
            let k = self.of.get(v.index()).filter(|&&k| k != NONE)?;
            Some(self.candidates[*k as usize].parent)
        };
        a == b || root(a).is_some_and(|of| root(b) == Some(of))
    }

    /// Calls `f` with the other members of a value's web.
    pub fn others(&self, v: Value, mut f: impl FnMut(Value)) {
        if let Some(&k) = self.of.get(v.index()).filter(|&&k| k != NONE) {
            let mut m = self.candidates[k as usize].next;
            while m != k {
                f(self.candidates[m as usize].value);
                m = self.candidates[m as usize].next;
            }
        }
    }

    /// Collects candidates, and arcs with the deepest first.
    fn find(&mut self, f: &Function, cfg: &Cfg, live: &Live, units: &Units) {
        if self.of.len() < f.value_count() {
            self.of.resize(f.value_count(), NONE);
        }
        let (of, found, unsorted) = (&mut self.of, &mut self.found, &mut self.unsorted);
        found.clear();
        unsorted.clear();
        let mut candidate = |v: Value| {
            if of[v.index()] != NONE {
                return true;
            }
            let def = match f.value_def(v) {
                ValueDef::Inst(i) if live.fold[i.index()] == Fold::No => {
                    // Several results are written one after another, but a flag that only the next instruction takes is not written.
                    let carry = |v: Value| f.value_type(v) == Type::I1 && !live.crosses_block(v);
                    let sums = || f.inst(i).op.overwrites_first() && f.result(i) == v && carry(Value(v.0 + 1));
                    if f.result_count(i) != 1 && !sums() {
                        return false;
                    }
                    live.position[i.index()]
                }
                // The entry's parameters come where the convention says.
                ValueDef::Param(b) if cfg.index[b.index()].wrapping_add(1) > 1 => {
                    cfg.start[cfg.index[b.index()] as usize]
                }
                _ => return false,
            };
            // A value that a block only returns is in the return register at once.
            if live.count(v) == 0 || units.kind(v.0).is_memory() || live.is_returned(v) {
                return false;
            }
            of[v.index()] = 0;
            found.push((def as u64) << 32 | v.0 as u64);
            true
        };
        let mut deepest = 0;
        for (index, &b) in cfg.order.iter().enumerate() {
            f.for_each_edge(f.inst(f.terminator(b)), |e| {
                let args = f.edge_args(e);
                if args.is_empty() {
                    return;
                }
                let (depth, weight) = (cfg.depth(index), cfg.weight(index));
                for (&param, &arg) in f.params(f.edge_to(e)).iter().zip(args) {
                    if param != arg
                        && f.value_type(param) == f.value_type(arg)
                        && matches!(f.value_def(arg), ValueDef::Inst(_) | ValueDef::Param(_))
                        && candidate(param)
                        && candidate(arg)
                    {
                        unsorted.push(Arc { depth, weight, param: param.0, arg: arg.0, group: NONE });
                        deepest = deepest.max(depth);
                    }
                }
            });
        }
        self.number(f, cfg, live);
        // There are few different depths.
        for depth in (0..=deepest).rev() {
            for a in self.unsorted.iter().filter(|a| a.depth == depth) {
                self.arcs.push(Arc { param: self.of[a.param as usize], arg: self.of[a.arg as usize], ..*a });
            }
        }
    }

    /// Makes the candidates of the values that were found.
    fn number(&mut self, f: &Function, cfg: &Cfg, live: &Live) {
        self.found.sort_unstable();
        let mut block = 0;
        for (k, &key) in self.found.iter().enumerate() {
            let (k, def, value) = (k as u32, (key >> 32) as u32, Value(key as u32));
            self.of[value.index()] = k;
            while block + 1 < cfg.order.len() && cfg.start[block + 1] <= def {
                block += 1;
            }
            let param = matches!(f.value_def(value), ValueDef::Param(_));
            // The result of an instruction has to reach the web's home, which counts as a use.
            let given = if param { 0.0 } else { cfg.weight(block) };
            self.candidates.push(Candidate {
                value,
                block: block as u32,
                def,
                param,
                last_here: if live.crosses_block(value) { 0 } else { live.end(value) },
                bit: NONE,
                parent: k,
                next: k,
                size: 1,
                start: def,
                end: live.end(value).max(def),
                weight: live.weight(value) + given,
                group: NONE,
                row: 0,
            });
        }
    }

    fn spend(&mut self, work: usize) -> bool {
        let enough = self.budget >= work;
        self.budget = self.budget.saturating_sub(work);
        enough
    }

    fn root(&mut self, mut k: u32) -> u32 {
        loop {
            let parent = self.candidates[k as usize].parent;
            if parent == k {
                return k;
            }
            let above = self.candidates[parent as usize].parent;
            self.candidates[k as usize].parent = above;
            k = above;
        }
    }

    /// Unites the webs of an arc if their ranges do not meet. True if true liveness may still allow it.
    fn unite_apart(&mut self, arc: Arc) -> bool {
        let (a, b) = (self.root(arc.param), self.root(arc.arg));
        if a == b {
            self.pass_on(a, arc.weight);
            return false;
        }
        let (x, y) = (&self.candidates[a as usize], &self.candidates[b as usize]);
        if x.start < y.end && y.start < x.end {
            return true;
        }
        if near((x.start, x.end), (y.start, y.end), arc.depth) {
            let root = self.unite(a, b);
            self.pass_on(root, arc.weight);
        }
        false
    }

    /// Lowers a web's weight by that of an edge: passing a value within the web is no use of a register or
    /// of memory.
    fn pass_on(&mut self, root: u32, weight: f32) {
        self.candidates[root as usize].weight -= weight;
    }

    /// Unites two webs, given by their roots. Returns the new root.
    fn unite(&mut self, a: u32, b: u32) -> u32 {
        let larger = self.candidates[a as usize].size >= self.candidates[b as usize].size;
        let (a, b) = if larger { (a, b) } else { (b, a) };
        let (x, y) = (self.candidates[a as usize], self.candidates[b as usize]);
        self.candidates[b as usize].parent = a;
        self.candidates[b as usize].next = x.next;
        let c = &mut self.candidates[a as usize];
        c.next = y.next;
        c.size += y.size;
        c.start = x.start.min(y.start);
        c.end = x.end.max(y.end);
        c.weight += y.weight;
        a
    }

    /// Computes the true liveness of webs whose ranges meet, many at a time.
    fn look_closely(&mut self, f: &Function, cfg: &Cfg, live: &Live) {
        for k in 0..self.arcs.len() {
            for end in [self.arcs[k].param, self.arcs[k].arg] {
                let root = self.root(end);
                self.candidates[root as usize].group = 0;
            }
        }
        self.make_groups(cfg, live);
        // No arc leads from one group to another any more. The arcs of one group keep their order.
        for k in 0..self.arcs.len() {
            let (a, b) = (self.root(self.arcs[k].param), self.root(self.arcs[k].arg));
            self.arcs[k].group = self.candidates[a as usize].group;
            if self.arcs[k].group != self.candidates[b as usize].group {
                self.arcs[k].group = NONE;
            }
        }
        self.arcs.retain(|a| a.group != NONE);
        self.arcs.sort_by_key(|a| a.group);
        let mut next = 0;
        for k in 0..self.groups.len() {
            let first = next;
            next += self.arcs[first..].iter().take_while(|a| a.group == self.groups[k].number).count();
            self.look_at_group(f, cfg, live, self.groups[k], first..next);
            if self.budget == 0 {
                return;
            }
        }
    }

    /// Puts the webs that are left into groups, with all their members, in the order of their first members.
    fn make_groups(&mut self, cfg: &Cfg, live: &Live) {
        self.groups.clear();
        let mut from = 0;
        while from < self.candidates.len() {
            let number = self.groups.len() as u32 + 1;
            let mut group = Group { number, first: from as u32, lo: 0, hi: 0, bits: 0, rows: 0 };
            group.lo = self.candidates[from].block;
            while from < self.candidates.len() {
                let root = self.root(from as u32);
                let web = &self.candidates[root as usize];
                if web.group == 0 {
                    let end = web.end;
                    let hi = if group.hi > group.lo && end < cfg.start[group.hi as usize] {
                        group.hi
                    } else {
                        cfg.start[..cfg.order.len()].partition_point(|&s| s <= end) as u32
                    };
                    let bits = self.give_bits(live, root, group.bits);
                    let words = (bits as usize).div_ceil(64);
                    if group.bits > 0 && (words > WORDS || (hi - group.lo) as usize * words > GROUP_WORDS) {
                        break;
                    }
                    self.mark(root, number);
                    self.candidates[root as usize].row = group.rows;
                    group = Group { hi, bits, rows: group.rows + 1, ..group };
                }
                from += 1;
            }
            if group.rows > 0 {
                self.groups.push(group);
            }
        }
    }

    fn mark(&mut self, root: u32, group: u32) {
        let mut m = root;
        loop {
            self.candidates[m as usize].group = group;
            m = self.candidates[m as usize].next;
            if m == root {
                return;
            }
        }
    }

    /// Gives bits, from `bits` on, to those members of a web that are used in other blocks. Returns the next free bit.
    fn give_bits(&mut self, live: &Live, root: u32, mut bits: u32) -> u32 {
        let mut m = root;
        loop {
            let c = &mut self.candidates[m as usize];
            c.bit = NONE;
            if live.crosses_block(c.value) {
                c.bit = bits;
                bits += 1;
            }
            m = c.next;
            if m == root {
                return bits;
            }
        }
    }

    /// Computes the true liveness of a group and unites what its arcs allow.
    fn look_at_group(&mut self, f: &Function, cfg: &Cfg, live: &Live, group: Group, arcs: Range<usize>) {
        if group.bits > 64 * WORDS as u32 {
            return;
        }
        let (lo, hi) = (group.lo, group.hi);
        let words = (group.bits as usize).div_ceil(64);
        let work = (cfg.start[hi as usize] - cfg.start[lo as usize]) as usize + (hi - lo) as usize * words;
        if !self.spend(work) {
            return;
        }
        let mut close = std::mem::take(&mut self.close);
        close.begin(lo, hi, words, group.rows);
        close.scan(cfg, live, self, group);
        close.list_edges(f, cfg);
        if close.flow(self) {
            close.finish(f, cfg, self, group);
            for k in arcs {
                let (a, b) = (self.root(self.arcs[k].param), self.root(self.arcs[k].arg));
                let root = if a == b { Some(a) } else { self.unite_closely(&mut close, a, b, self.arcs[k].depth) };
                if let Some(root) = root {
                    self.pass_on(root, self.arcs[k].weight);
                }
            }
        }
        self.close = close;
    }

    /// The candidates from `first` on that are defined in blocks before `hi`.
    fn stretch(&self, first: u32, hi: u32) -> &[Candidate] {
        let rest = &self.candidates[first as usize..];
        &rest[..rest.partition_point(|c| c.block < hi)]
    }

    fn in_group(&self, k: u32, group: u32) -> bool {
        self.candidates[k as usize].group == group
    }

    /// Unites two webs unless they interfere. Returns the new root.
    fn unite_closely(&mut self, close: &mut Close, a: u32, b: u32, depth: u32) -> Option<u32> {
        let (x, y) = (&self.candidates[a as usize], &self.candidates[b as usize]);
        if !near((x.start, x.end), (y.start, y.end), depth) {
            return None;
        }
        let meet = x.start < y.end && y.start < x.end;
        let (row, other) = (x.row, y.row);
        if meet && (close.interfere(row, other) || self.meet_in_block(a, b)) {
            return None;
        }
        let root = self.unite(a, b);
        if root == a {
            close.merge(row, other)
        } else {
            close.merge(other, row)
        }
        Some(root)
    }

    /// Are members of both webs live at the same time that are defined in the same block? True, too, if finding out
    /// takes too long.
    fn meet_in_block(&mut self, a: u32, b: u32) -> bool {
        let larger = self.candidates[a as usize].size >= self.candidates[b as usize].size;
        let (a, b) = if larger { (a, b) } else { (b, a) };
        let mut m = b;
        loop {
            let c = self.candidates[m as usize];
            // Candidates are in the order of their definitions, so those of a block are together.
            let mut k = self.candidates.partition_point(|o| o.block < c.block) as u32;
            while let Some(&o) = self.candidates.get(k as usize).filter(|o| o.block == c.block) {
                if !self.spend(1) {
                    return true;
                }
                let meet = match (c.param, o.param) {
                    (true, false) => c.last_here > o.def,
                    (false, true) => o.last_here > c.def,
                    // A value that an edge passes lives to the block's end.
                    _ => true,
                };
                if meet && self.root(k) == a {
                    return true;
                }
                k += 1;
            }
            m = c.next;
            if m == b {
                return false;
            }
        }
    }
}

impl Close {
    fn begin(&mut self, lo: u32, hi: u32, words: usize, rows: u32) {
        (self.lo, self.hi, self.words) = (lo, hi, words);
        self.live.clear();
        self.live.resize((hi - lo) as usize * words, 0);
        for table in [&mut self.mask, &mut self.over] {
            table.clear();
            table.resize(rows as usize * words, 0);
        }
    }

    fn row(&self, k: u32) -> Range<usize> {
        k as usize * self.words..(k as usize + 1) * self.words
    }

    /// Notes where candidates are used and defined in the group's blocks.
    fn scan(&mut self, cfg: &Cfg, live: &Live, webs: &mut Webs, group: Group) {
        let words = self.words;
        self.defs.clear();
        let members = webs.stretch(group.first, self.hi);
        let with_bits = members.iter().filter(|c| c.group == group.number && c.bit != NONE);
        self.defs.extend(with_bits.map(|c| (c.block, c.bit)));
        let up_to = |index: u32| live.far_uses.partition_point(|u| u.1 >= cfg.start[index as usize]);
        self.here.clear();
        let mut block = self.lo;
        for &(v, at) in live.far_uses[up_to(self.hi)..up_to(self.lo)].iter().rev() {
            let Some(&k) = webs.of.get(v.index()).filter(|&&k| k != NONE) else { continue };
            let bit = webs.candidates[k as usize].bit;
            if bit != NONE && webs.in_group(k, group.number) {
                while cfg.start[block as usize + 1] <= at {
                    block += 1;
                }
                insert(&mut self.live[(block - self.lo) as usize * words..], bit);
                self.here.push((at, bit));
            }
        }
        self.here.sort_unstable();
    }

    /// Lists the edges within the group's blocks.
    fn list_edges(&mut self, f: &Function, cfg: &Cfg) {
        let (lo, hi) = (self.lo, self.hi);
        let (edges, heads) = (&mut self.edges, &mut self.heads);
        edges.clear();
        heads.clear();
        heads.resize((hi - lo) as usize, false);
        for k in (0..hi - lo).rev() {
            f.for_each_edge(f.inst(f.terminator(cfg.order[(lo + k) as usize])), |e| {
                let to = cfg.index[f.edge_to(e).index()].wrapping_sub(lo);
                if to <= k {
                    heads[to as usize] = true;
                }
                if to < hi - lo && to != k {
                    edges.push((k, to));
                }
            });
        }
    }

    /// Computes which candidates are live at the start of each block. False if that takes too long.
    fn flow(&mut self, webs: &mut Webs) -> bool {
        let words = self.words;
        for _ in 0..PATIENCE {
            if !webs.spend((self.hi - self.lo) as usize * words) {
                return false;
            }
            // Most sets have one word.
            if !(if words == 1 { self.pass(1) } else { self.pass(words) }) {
                return true;
            }
        }
        false
    }

    /// Passes on what is live, once over each edge, to the block that the edge leaves. Returns whether another pass is
    /// needed: what changed at a loop's start was read too early.
    #[inline(always)]
    fn pass(&mut self, words: usize) -> bool {
        let mut again = false;
        let (mut defs, mut left, mut block) = ([0; WORDS], self.defs.len(), NONE);
        for &(from, to) in &self.edges {
            if from != block {
                block = from;
                defs[..words].fill(0);
                while let Some(&(_, bit)) = self.defs[..left].last().filter(|d| d.0 >= self.lo + from) {
                    left -= 1;
                    if self.defs[left].0 == self.lo + from {
                        insert(&mut defs, bit);
                    }
                }
            }
            let (at, to) = (from as usize * words, to as usize * words);
            let mut changed = 0;
            for (w, defs) in defs[..words].iter().enumerate() {
                let old = self.live[at + w];
                let now = old | self.live[to + w] & !defs;
                changed |= now ^ old;
                self.live[at + w] = now;
            }
            again |= changed != 0 && self.heads[from as usize];
        }
        again
    }

    /// Collects the sets of each web.
    fn finish(&mut self, f: &Function, cfg: &Cfg, webs: &mut Webs, group: Group) {
        let count = webs.stretch(group.first, self.hi).len() as u32;
        for k in group.first..group.first + count {
            if !webs.in_group(k, group.number) {
                continue;
            }
            let c = webs.candidates[k as usize];
            let root = webs.root(k);
            let row = self.row(webs.candidates[root as usize].row);
            if c.bit != NONE {
                insert(&mut self.mask[row.clone()], c.bit);
            }
            if c.param {
                let at = self.row(c.block - self.lo);
                join(&mut self.over[row], &self.live[at]);
                continue;
            }
            let mut over = [0; WORDS];
            f.for_each_edge(f.inst(f.terminator(cfg.order[c.block as usize])), |e| {
                let to = cfg.index[f.edge_to(e).index()];
                if (self.lo..self.hi).contains(&to) {
                    join(&mut over, &self.live[self.row(to - self.lo)]);
                }
            });
            let after = self.here.partition_point(|u| u.0 <= c.def);
            let end = cfg.start[c.block as usize + 1];
            for &(_, bit) in self.here[after..].iter().take_while(|u| u.0 < end) {
                insert(&mut over, bit);
            }
            if c.bit != NONE {
                over[c.bit as usize / 64] &= !(1 << (c.bit % 64));
            }
            join(&mut self.over[row], &over);
        }
    }

    /// Is a member of one web live where a member of the other is defined?
    fn interfere(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.row(a), self.row(b));
        let meet = |x: &[u64], y: &[u64]| x.iter().zip(y).any(|(x, y)| x & y != 0);
        meet(&self.mask[a.clone()], &self.over[b.clone()]) || meet(&self.mask[b], &self.over[a])
    }

    /// Adds the sets of web `b` to those of web `a`.
    fn merge(&mut self, a: u32, b: u32) {
        for (a, b) in self.row(a).zip(self.row(b)) {
            self.mask[a] |= self.mask[b];
            self.over[a] |= self.over[b];
        }
    }
}
