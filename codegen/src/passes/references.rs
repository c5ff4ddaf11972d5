//! Keeps references that live across safepoints in slots of the frame, so that a collector finds and changes them there.
//!
//! A reference that lives across a call with a stack map is stored to a slot where it is defined. The stack map lists the
//! slots of those that live across its call. Where control may come from such a call, uses load the slot; elsewhere they
//! read the value itself. Liveness and the question where control may come from are two problems of data flow, which are
//! solved for 64 references at a time. References that never live at the same time share slots.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::ir::{
    Block, Callee, Edge, Function, Inst, InstData, MemFlags, Opcode, Slot, StackMapEntry, Type, Value,
    reverse_postorder,
};

const NONE: u32 = u32::MAX;

/// Puts the references of `f` into slots. No block is entered by an exception with arguments. `ptr` is the type of a
/// pointer.
pub fn spill_references(f: &mut Function, ptr: Type) {
    if f.references.is_empty() {
        return;
    }
    let mut pass = References::new(f);
    pass.find_blocks(f);
    for group in 0..pass.groups() {
        pass.find_lives(f, group);
    }
    pass.assign_slots(f, ptr);
    pass.extend_stack_maps(f, ptr);
    pass.rewrite(f, ptr);
    f.references.clear();
}

/// What a block does with the references of a group, as a bit for each.
#[derive(Clone, Copy, Default)]
struct Flow {
    /// They are used before they are defined.
    used: u64,
    defined: u64,
    live_in: u64,
    live_out: u64,
    /// They live across a safepoint of the block after their last definition in it.
    moved: u64,
    /// Control may come from a safepoint across which they live.
    stale_in: u64,
}

/// The references of a function.
struct References {
    /// The references by their numbers, and for each the number of the reference that it points into.
    values: Vec<Value>,
    bases: Vec<u32>,
    /// For each value its number, or `NONE`.
    number: Vec<u32>,
    /// Reachable blocks in order, and for each block its index, or `u32::MAX`.
    order: Vec<Block>,
    rank: Vec<u32>,
    /// The position of the first instruction of each block of the order; one more at the end.
    start: Vec<u32>,
    /// For each reference, the range of positions within which it lives.
    ranges: Vec<(u32, u32)>,
    /// Pairs of a safepoint and a reference that lives across it.
    across: Vec<(Inst, u32)>,
    slots: Vec<Option<Slot>>,
    /// For each block of the order and each group, the references that may have moved before its start.
    stale: Vec<u64>,
    flows: Vec<Flow>,
}

impl References {
    fn new(f: &Function) -> References {
        let mut number = vec![NONE; f.value_count()];
        let mut values = Vec::new();
        let mut of = |v: Value| {
            let n = &mut number[v.index()];
            if *n == NONE {
                *n = values.len() as u32;
                values.push(v);
            }
            *n
        };
        let computed = |v: Value| f.constant(v).is_none();
        let mut pairs = Vec::new();
        for reference in &f.references {
            let (value, base) = (f.resolve(reference.value), f.resolve(reference.base));
            if computed(value) {
                let n = of(value);
                pairs.push((n, if computed(base) { of(base) } else { n }));
            }
        }
        let mut bases: Vec<u32> = (0..values.len() as u32).collect();
        pairs.iter().for_each(|&(n, base)| bases[n as usize] = base);
        // An address within an object that is known by another one within it.
        for n in 0..bases.len() {
            let outer = bases[bases[n] as usize];
            if bases[outer as usize] == outer {
                bases[n] = outer;
            }
        }
        let count = values.len();
        References {
            values,
            bases,
            number,
            order: Vec::new(),
            rank: Vec::new(),
            start: Vec::new(),
            ranges: vec![(u32::MAX, 0); count],
            across: Vec::new(),
            slots: vec![None; count],
            stale: Vec::new(),
            flows: Vec::new(),
        }
    }

    fn find_blocks(&mut self, f: &Function) {
        (self.order, self.rank) = reverse_postorder(f);
        let mut at = 0;
        for &b in &self.order {
            self.start.push(at);
            at += f.block_insts(b).len() as u32 + 1;
        }
        self.start.push(at);
        self.stale = vec![0; self.order.len() * self.groups()];
    }

    fn groups(&self) -> usize {
        self.values.len().div_ceil(64)
    }

    /// The bits of a value's reference and of the one that it points into, if they belong to the group.
    fn bits(&self, f: &Function, v: Value, group: usize) -> u64 {
        let Some(&n) = self.number.get(f.resolve(v).index()).filter(|&&n| n != NONE) else { return 0 };
        let bit = |n: u32| if n as usize / 64 == group { 1 << (n % 64) } else { 0 };
        bit(n) | bit(self.bases[n as usize])
    }

    /// The bit of a reference that is defined here.
    fn own_bit(&self, v: Value, group: usize) -> u64 {
        match self.number.get(v.index()) {
            Some(&n) if n != NONE && n as usize / 64 == group => 1 << (n % 64),
            _ => 0,
        }
    }

    /// The bits of what an instruction reads, its edges' arguments included.
    fn used(&self, f: &Function, d: &InstData, group: usize) -> u64 {
        let mut bits = 0;
        f.for_each_operand(d, |v| bits |= self.bits(f, v, group));
        if d.op.is_terminator() {
            f.for_each_edge(d, |e| f.edge_args(e).iter().for_each(|&v| bits |= self.bits(f, v, group)));
        }
        bits
    }

    fn defined(&self, f: &Function, i: Inst, group: usize) -> u64 {
        f.results(i).fold(0, |bits, v| bits | self.own_bit(v, group))
    }

    /// Finds where the references of a group live and where they may have moved.
    fn find_lives(&mut self, f: &Function, group: usize) {
        let mut flows = std::mem::take(&mut self.flows);
        flows.clear();
        for &b in &self.order {
            let mut flow = Flow::default();
            for i in f.block_insts(b).rev() {
                flow.defined |= self.defined(f, i, group);
                flow.used &= !self.defined(f, i, group);
                flow.used |= self.used(f, f.inst(i), group);
            }
            let params = f.params(b).iter().fold(0, |bits, &v| bits | self.own_bit(v, group));
            flow.defined |= params;
            flow.used &= !params;
            flow.live_in = flow.used;
            flows.push(flow);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for index in (0..self.order.len()).rev() {
                let mut out = 0;
                f.for_each_edge(f.inst(f.terminator(self.order[index])), |e| {
                    out |= flows[self.rank[f.edge_to(e).index()] as usize].live_in;
                });
                let flow = &mut flows[index];
                let into = flow.used | out & !flow.defined;
                changed |= into != flow.live_in;
                (flow.live_in, flow.live_out) = (into, out);
            }
        }
        // The last blocks that references live to the end of.
        let mut seen = 0;
        for index in (0..self.order.len()).rev() {
            let end = self.start[index + 1];
            each(flows[index].live_out & !seen, group, |n| self.ranges[n].1 = self.ranges[n].1.max(end));
            seen |= flows[index].live_out;
            self.find_safepoints(f, group, index, &mut flows[index]);
        }
        changed = true;
        while changed {
            changed = false;
            for index in 0..self.order.len() {
                let flow = flows[index];
                let out = (flow.stale_in & !flow.defined | flow.moved) & flow.live_out;
                f.for_each_edge(f.inst(f.terminator(self.order[index])), |e| {
                    let next = &mut flows[self.rank[f.edge_to(e).index()] as usize];
                    let into = next.stale_in | out & next.live_in;
                    changed |= into != next.stale_in;
                    next.stale_in = into;
                });
            }
        }
        let groups = self.groups();
        for (index, flow) in flows.iter().enumerate() {
            self.stale[index * groups + group] = flow.stale_in;
        }
        self.flows = flows;
    }

    /// Lists what lives across the safepoints of a block, and notes where references are defined and used last.
    fn find_safepoints(&mut self, f: &Function, group: usize, index: usize, flow: &mut Flow) {
        let (first, mut position) = (self.start[index], self.start[index + 1] - 1);
        let mut live = flow.live_out;
        for i in f.block_insts(self.order[index]).rev() {
            let d = f.inst(i);
            let (defined, used) = (self.defined(f, i, group), self.used(f, d, group));
            each(defined, group, |n| self.ranges[n].0 = position);
            live &= !defined;
            if is_safepoint(f, d) {
                each(live, group, |n| self.across.push((i, n as u32)));
                flow.moved |= live;
            }
            each(used & !live, group, |n| self.ranges[n].1 = self.ranges[n].1.max(position));
            live |= used;
            position -= 1;
        }
        for &v in f.params(self.order[index]) {
            let own = self.own_bit(v, group);
            each(own, group, |n| self.ranges[n].0 = first);
        }
    }

    /// Gives slots to the references that live across safepoints, in the order of their starts.
    fn assign_slots(&mut self, f: &mut Function, ptr: Type) {
        let mut kept: Vec<u32> = self.across.iter().map(|a| a.1).collect();
        kept.sort_unstable_by_key(|&n| (self.ranges[n as usize].0, n));
        kept.dedup();
        // Slots by the ends of what is in them.
        let mut taken = BinaryHeap::new();
        for n in kept {
            let (start, end) = self.ranges[n as usize];
            let free = taken.peek().is_some_and(|&Reverse((until, _))| until < start);
            let slot = match if free { taken.pop() } else { None } {
                Some(Reverse((_, slot))) => Slot(slot),
                None => f.make_temporary(ptr.store_bytes(), ptr.store_bytes()),
            };
            self.slots[n as usize] = Some(slot);
            taken.push(Reverse((end, slot.0)));
        }
    }

    /// Adds pairs of base and reference to the stack maps.
    fn extend_stack_maps(&mut self, f: &mut Function, ptr: Type) {
        self.across.sort_unstable();
        let size = ptr.store_bytes() as u16;
        for &(inst, n) in &self.across {
            let Some(map) = f.calls[f.inst(inst).a as usize].stack_map else { continue };
            for n in [self.bases[n as usize], n] {
                // The base lives wherever what points into its object does.
                if let Some(slot) = self.slots[n as usize] {
                    f.stack_maps[map.index()].entries.push(StackMapEntry::Contents { slot, size });
                }
            }
        }
    }

    /// Stores references where they are defined, and loads them where they may have moved.
    fn rewrite(&self, f: &mut Function, ptr: Type) {
        let mut walk = Walk {
            all: self,
            ptr,
            flags: MemFlags::new(ptr.store_bytes(), false).0,
            firsts: f.layout.iter().map(|&b| (f.blocks[b.index()].first, b)).collect(),
            next: 0,
            stale: vec![0; self.groups()],
            loaded: vec![None; self.values.len()],
            round: 0,
        };
        f.rewrite(|f, i, d, first| walk.rewrite(f, i, d, first));
    }
}

/// The rewriting of a function, instruction by instruction.
struct Walk<'a> {
    all: &'a References,
    ptr: Type,
    flags: u8,
    /// The blocks in layout order with their first instructions, and how many of them have been begun.
    firsts: Vec<(u32, Block)>,
    next: usize,
    /// The references that may have moved, as sets of the groups.
    stale: Vec<u64>,
    /// What was loaded last for each reference, good for the round in which it was loaded: until the next safepoint or block.
    loaded: Vec<Option<(u32, Value)>>,
    round: u32,
}

impl Walk<'_> {
    fn rewrite(&mut self, f: &mut Function, i: Inst, mut d: InstData, first: Value) {
        if let Some(&(_, block)) = self.firsts.get(self.next).filter(|next| next.0 == i.0) {
            self.next += 1;
            self.begin(f, block);
        }
        let mut edges: Vec<Edge> = Vec::new();
        if d.op.is_terminator() {
            f.for_each_edge(&d, |e| edges.push(e));
        }
        for e in edges {
            for k in 0..f.edge_args(e).len() {
                let v = self.fresh(f, f.edge_args(e)[k]);
                f.set_edge_arg(e, k, v);
            }
        }
        match d.op {
            Opcode::Call => {
                let call = f.calls[d.a as usize];
                if let Callee::Value(v) = call.callee {
                    f.calls[d.a as usize].callee = Callee::Value(self.fresh(f, v));
                }
                self.freshen(f, call.args_start, call.args_len);
            }
            Opcode::Return | Opcode::StackMap => self.freshen(f, d.a, d.b),
            _ => d.operand_words().for_each(|word| *word = self.fresh(f, Value(*word)).0),
        }
        let kept = f.push_kept(d, first);
        if is_safepoint(f, &d) {
            let all = &self.all.across;
            let from = all.partition_point(|a| a.0 < i);
            for &(_, n) in all[from..].iter().take_while(|a| a.0 == i) {
                self.stale[n as usize / 64] |= 1 << (n % 64);
            }
            self.round += 1;
        }
        for v in f.results(kept) {
            self.define(f, v);
        }
    }

    fn begin(&mut self, f: &mut Function, block: Block) {
        self.round += 1;
        let index = self.all.rank[block.index()] as usize;
        let groups = self.all.groups();
        match self.all.stale.get(index * groups..(index + 1) * groups) {
            Some(stale) => self.stale.copy_from_slice(stale),
            // Control never gets there.
            None => self.stale.fill(0),
        }
        for v in f.params(block).to_vec() {
            self.define(f, v);
        }
    }

    /// Stores a value that has just been defined, if it is a reference that has a slot.
    fn define(&mut self, f: &mut Function, v: Value) {
        let Some((n, slot)) = self.slot(f, v) else { return };
        self.stale[n / 64] &= !(1 << (n % 64));
        let address = f.slot_addr(slot, self.ptr);
        f.push_store(self.flags, v, address, 0);
    }

    /// The number of a reference that has a slot, and the slot.
    fn slot(&self, f: &Function, v: Value) -> Option<(usize, Slot)> {
        let n = *self.all.number.get(f.resolve(v).index()).filter(|&&n| n != NONE)? as usize;
        Some((n, self.all.slots[n]?))
    }

    /// The value as it is here: what the slot holds, if it may have moved.
    fn fresh(&mut self, f: &mut Function, v: Value) -> Value {
        let Some((n, slot)) = self.slot(f, v) else { return v };
        if self.stale[n / 64] >> (n % 64) & 1 == 0 {
            return v;
        }
        match self.loaded[n] {
            Some((round, loaded)) if round == self.round => loaded,
            _ => {
                let address = f.slot_addr(slot, self.ptr);
                let loaded = f.push_load(self.flags, self.ptr, address, 0);
                self.loaded[n] = Some((self.round, loaded));
                loaded
            }
        }
    }

    fn freshen(&mut self, f: &mut Function, start: u32, len: u32) {
        for k in start..start + len {
            let v = self.fresh(f, Value(f.pool[k as usize]));
            f.pool[k as usize] = v.0;
        }
    }
}

/// Calls `f` with the number of each reference of a set.
fn each(mut bits: u64, group: usize, mut f: impl FnMut(usize)) {
    while bits != 0 {
        f(group * 64 + bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

/// Is it a call across which references may move?
fn is_safepoint(f: &Function, d: &InstData) -> bool {
    d.op == Opcode::Call && f.calls[d.a as usize].stack_map.is_some_and(|map| f.stack_maps[map.index()].references)
}
