//! Stack slots that are only loaded and stored become SSA values.
//!
//! What a front end that knows only memory writes for local variables (clang at -O0) is turned into block parameters by
//! the algorithm of Braun et al. (CC 2013) over a complete control flow graph: reads look backwards for the reaching
//! store, joins get a parameter, and parameters that turn out to stand for one value are taken away again.

use crate::analysis::Cfg;
use crate::ir::{Block, ConstData, Edge, Function, Inst, InstData, Opcode, Slot, Type, Value, ValueDef};

const NONE: u32 = u32::MAX;
/// Rounds of removing parameters that stand for one value.
const ROUNDS: usize = 16;

#[derive(Clone, Copy)]
struct Var {
    ty: Type,
    slot: u32,
    stores: u32,
    /// The only store is in the entry block.
    entry_only: bool,
    /// Value in the block being rewritten.
    current: u32,
    /// That block.
    block: u32,
}

#[derive(Clone, Copy)]
struct NewParam {
    block: u32,
    var: u32,
    value: Value,
    position: u32,
}

/// The pass's tables.
#[derive(Default)]
pub struct Promote {
    /// For each slot its variable, `NONE` if it is not promoted.
    var_of: Vec<u32>,
    vars: Vec<Var>,
    /// Values at the ends of blocks, keyed by block index and variable: open addressing.
    keys: Vec<u64>,
    values: Vec<Value>,
    filled: usize,
    params: Vec<NewParam>,
    /// Edges into each block of the order, grouped by block.
    edge_start: Vec<u32>,
    edges: Vec<(Edge, u32)>,
    /// Blocks that store to each variable, in order, grouped by variable.
    stores: Vec<(u32, u32)>,
    store_start: Vec<u32>,
    store_blocks: Vec<u32>,
    dominators: Dominators,
}

impl Promote {
    /// Promotes what it can. `cfg` is that of `f`, and stays right.
    pub fn run(&mut self, f: &mut Function, cfg: &Cfg) {
        if f.slots.is_empty() || f.attrs.calls_returns_twice || !self.find(f, cfg) {
            return;
        }
        self.collect_edges(f, cfg);
        self.group_stores();
        self.dominators.compute(cfg, &self.edge_start, &self.edges);
        self.keys.clear();
        self.keys.resize(256, u64::MAX);
        self.values.resize(256, Value(0));
        self.filled = 0;
        self.params.clear();
        for index in 0..cfg.order.len() {
            self.rewrite(f, cfg, index);
        }
        self.fill(f, cfg);
        self.simplify(f, cfg);
        f.resolve_operands();
        for v in &self.vars {
            f.slots[v.slot as usize].size = 0;
            f.slots[v.slot as usize].align = 1;
        }
    }

    /// Finds the slots to promote; false if there are none.
    fn find(&mut self, f: &Function, cfg: &Cfg) -> bool {
        const UNSEEN: u32 = u32::MAX - 1;
        self.var_of.clear();
        self.var_of.resize(f.slots.len(), UNSEEN);
        self.vars.clear();
        self.stores.clear();
        let (var_of, vars, stores) = (&mut self.var_of, &mut self.vars, &mut self.stores);
        for (index, &b) in cfg.order.iter().enumerate() {
            for i in f.block_insts(b) {
                let d = f.inst(i);
                let access = match d.op {
                    Opcode::Load if d.b == 0 && d.flags & 0x80 == 0 => Some(d.ty),
                    Opcode::Store if d.c == 0 && d.flags & 0x80 == 0 => Some(d.ty),
                    _ => None,
                };
                let mut arg = 0;
                f.for_each_operand(d, |v| {
                    if let ValueDef::Slot(s) = f.value_def(v) {
                        let known = var_of[s.index()];
                        match access {
                            Some(ty) if arg == 0 && ty.store_bytes() <= f.slots[s.index()].size => {
                                if known == UNSEEN {
                                    var_of[s.index()] = vars.len() as u32;
                                    vars.push(Var {
                                        ty,
                                        slot: s.0,
                                        stores: 0,
                                        entry_only: true,
                                        current: NONE,
                                        block: NONE,
                                    });
                                } else if known != NONE && vars[known as usize].ty != ty {
                                    var_of[s.index()] = NONE;
                                }
                                let known = var_of[s.index()];
                                if known < UNSEEN && d.op == Opcode::Store {
                                    stores.push((s.0, index as u32));
                                    vars[known as usize].stores += 1;
                                    vars[known as usize].entry_only &= index == 0;
                                }
                            }
                            _ => var_of[s.index()] = NONE,
                        }
                    }
                    arg += 1;
                });
            }
        }
        for e in 0..f.edges.len() {
            for &v in f.edge_args(Edge::new(e)) {
                if let ValueDef::Slot(s) = f.value_def(v) {
                    var_of[s.index()] = NONE;
                }
            }
        }
        var_of.iter_mut().filter(|v| **v == UNSEEN).for_each(|v| *v = NONE);
        // Number anew what is left.
        let mut n = 0;
        for k in 0..vars.len() {
            let slot = vars[k].slot as usize;
            if var_of[slot] == k as u32 {
                var_of[slot] = n;
                vars[n as usize] = vars[k];
                n += 1;
            }
        }
        vars.truncate(n as usize);
        n > 0
    }

    /// Sorts the stores by variable; those of slots that are not promoted go.
    fn group_stores(&mut self) {
        self.store_start.clear();
        let mut at = 0;
        for x in &self.vars {
            self.store_start.push(at);
            at += x.stores;
        }
        self.store_start.push(at);
        self.store_blocks.clear();
        self.store_blocks.resize(at as usize, 0);
        for &(slot, block) in &self.stores {
            let var = self.var_of[slot as usize];
            if var != NONE {
                let next = &mut self.store_start[var as usize];
                self.store_blocks[*next as usize] = block;
                *next += 1;
            }
        }
        // Each start has moved to the next one's place.
        self.store_start.rotate_right(1);
        self.store_start[0] = 0;
    }

    /// Does a block with an index in `low + 1 ..= high` store to the variable?
    fn stored_between(&self, var: u32, low: u32, high: u32) -> bool {
        let (start, end) = (self.store_start[var as usize] as usize, self.store_start[var as usize + 1] as usize);
        let list = &self.store_blocks[start..end];
        let k = list.partition_point(|&b| b <= low);
        k < list.len() && list[k] <= high
    }

    fn collect_edges(&mut self, f: &Function, cfg: &Cfg) {
        self.edge_start.clear();
        let mut at = 0;
        for &n in &cfg.preds {
            self.edge_start.push(at);
            at += n;
        }
        self.edge_start.push(at);
        self.edges.clear();
        self.edges.resize(at as usize, (Edge(0), 0));
        let mut next = self.edge_start.clone();
        for (index, &b) in cfg.order.iter().enumerate() {
            f.for_each_edge(f.inst(f.terminator(b)), |e| {
                let to = cfg.index[f.edge_to(e).index()] as usize;
                self.edges[next[to] as usize] = (e, index as u32);
                next[to] += 1;
            });
        }
    }

    /// Replaces the loads and stores of a block.
    fn rewrite(&mut self, f: &mut Function, cfg: &Cfg, index: usize) {
        let block = cfg.order[index];
        let (first, end) = (f.blocks[block.index()].first, f.blocks[block.index()].end);
        for i in first..end {
            let d = f.insts[i as usize];
            if d.op != Opcode::Load && d.op != Opcode::Store {
                continue;
            }
            let ValueDef::Slot(Slot(s)) = f.value_def(Value(d.a)) else { continue };
            let var = self.var_of[s as usize];
            if var == NONE {
                continue;
            }
            if d.op == Opcode::Store {
                let v = f.resolve(Value(d.b));
                self.write(index as u32, var, v);
            } else {
                let v = self.read(f, cfg, index as u32, var);
                let r = f.result(Inst(i));
                f.alias(r, v);
            }
            f.insts[i as usize] = InstData { op: Opcode::Nop, flags: 0, ty: Type::VOID, a: 0, b: 0, c: 0 };
        }
    }

    fn write(&mut self, block: u32, var: u32, v: Value) {
        let x = &mut self.vars[var as usize];
        x.current = v.0;
        x.block = block;
        if !(x.entry_only && x.stores == 1) {
            self.insert(block, var, v);
        }
    }

    fn slot_of(&self, key: u64) -> usize {
        let mask = self.keys.len() - 1;
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.keys[at] != u64::MAX && self.keys[at] != key {
            at = (at + 1) & mask;
        }
        at
    }

    fn insert(&mut self, block: u32, var: u32, v: Value) {
        let key = (block as u64) << 32 | var as u64;
        let at = self.slot_of(key);
        if self.keys[at] == u64::MAX {
            self.keys[at] = key;
            self.filled += 1;
        }
        self.values[at] = v;
        if self.filled * 2 > self.keys.len() {
            let keys = std::mem::take(&mut self.keys);
            let values = std::mem::take(&mut self.values);
            self.keys.resize(keys.len() * 4, u64::MAX);
            self.values.resize(values.len() * 4, Value(0));
            for (k, v) in keys.into_iter().zip(values) {
                if k != u64::MAX {
                    let at = self.slot_of(k);
                    self.keys[at] = k;
                    self.values[at] = v;
                }
            }
        }
    }

    fn lookup(&self, block: u32, var: u32) -> Option<Value> {
        let at = self.slot_of((block as u64) << 32 | var as u64);
        if self.keys[at] == u64::MAX { None } else { Some(self.values[at]) }
    }

    /// The variable's value at this point of the block, or at its end if the block is done.
    fn read(&mut self, f: &mut Function, cfg: &Cfg, block: u32, var: u32) -> Value {
        let x = self.vars[var as usize];
        if x.current != NONE && (x.block == block || x.entry_only && x.stores == 1) {
            return Value(x.current);
        }
        let mut at = block;
        let found = loop {
            if let Some(v) = self.lookup(at, var) {
                break v;
            }
            match cfg.preds[at as usize] {
                0 => break f.make_const(x.ty, ConstData::Poison),
                1 if at != 0 => at = cfg.pred[at as usize],
                _ => {
                    // Nothing between the dominator and here stores: the value there is the value here.
                    if let Some((low, high)) = self.dominators.region(cfg, at)
                        && !self.stored_between(var, low, high)
                    {
                        at = low;
                        continue;
                    }
                    let b = cfg.order[at as usize];
                    let position = f.params(b).len() as u32;
                    let value = f.append_param(b, x.ty);
                    self.params.push(NewParam { block: at, var, value, position });
                    self.insert(at, var, value);
                    break value;
                }
            }
        };
        if at != block {
            self.insert(block, var, found);
        }
        if !(x.entry_only && x.stores == 1) {
            let x = &mut self.vars[var as usize];
            x.current = found.0;
            x.block = block;
        }
        found
    }

    /// Gives the edges the arguments for the new parameters, which may need more parameters.
    fn fill(&mut self, f: &mut Function, cfg: &Cfg) {
        for x in &mut self.vars {
            // From here on reads are at the ends of blocks.
            if !(x.entry_only && x.stores == 1) {
                x.block = NONE;
                x.current = NONE;
            }
        }
        let mut k = 0;
        while k < self.params.len() {
            let p = self.params[k];
            k += 1;
            let (start, end) = (self.edge_start[p.block as usize], self.edge_start[p.block as usize + 1]);
            for n in start..end {
                let (edge, from) = self.edges[n as usize];
                let v = self.read(f, cfg, from, p.var);
                f.set_edge_arg(edge, p.position as usize, v);
            }
        }
    }

    /// Takes away parameters that always get one and the same value, or themselves.
    fn simplify(&mut self, f: &mut Function, cfg: &Cfg) {
        let mut gone = vec![false; self.params.len()];
        for round in 0..ROUNDS {
            let mut changed = false;
            for step in 0..self.params.len() {
                // Alternate directions: chains collapse in either.
                let k = if round % 2 == 0 { self.params.len() - 1 - step } else { step };
                if gone[k] {
                    continue;
                }
                let p = self.params[k];
                let (start, end) = (self.edge_start[p.block as usize], self.edge_start[p.block as usize + 1]);
                let mut only: Option<Value> = None;
                let mut trivial = true;
                for n in start..end {
                    let v = f.resolve(f.edge_args(self.edges[n as usize].0)[p.position as usize]);
                    if v == p.value || Some(v) == only {
                        continue;
                    }
                    if only.is_some() {
                        trivial = false;
                        break;
                    }
                    only = Some(v);
                }
                if trivial {
                    let v = only.unwrap_or_else(|| f.make_const(self.vars[p.var as usize].ty, ConstData::Poison));
                    f.alias(p.value, v);
                    gone[k] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        if !gone.contains(&true) {
            return;
        }
        let mut list = Vec::new();
        for index in 0..cfg.order.len() {
            let block: Block = cfg.order[index];
            if !f.params(block).iter().any(|&v| matches!(f.value_def(v), ValueDef::Alias(_))) {
                continue;
            }
            let keep: Vec<bool> =
                f.params(block).iter().map(|&v| !matches!(f.value_def(v), ValueDef::Alias(_))).collect();
            list.clear();
            let (start, end) = (self.edge_start[index], self.edge_start[index + 1]);
            list.extend(self.edges[start as usize..end as usize].iter().map(|e| e.0));
            f.retain_params(block, &list, |i| keep[i]);
        }
    }
}

/// Immediate dominators of a reducible graph, by block index.
///
/// In reverse postorder a block's forward predecessors come before it, so its dominator is their lowest common ancestor in
/// the tree so far. Jump pointers (Myers, "An applicative random-access stack", IPL 1983) keep each query logarithmic.
#[derive(Default)]
struct Dominators {
    parent: Vec<u32>,
    jump: Vec<u32>,
    depth: Vec<u32>,
    /// For each loop's first block the last block that branches back to it; otherwise 0.
    back: Vec<u32>,
    reducible: bool,
}

impl Dominators {
    fn compute(&mut self, cfg: &Cfg, edge_start: &[u32], edges: &[(Edge, u32)]) {
        let n = cfg.order.len();
        for list in [&mut self.parent, &mut self.jump, &mut self.depth, &mut self.back] {
            list.clear();
            list.resize(n, 0);
        }
        for b in 1..n as u32 {
            let mut dominator = NONE;
            for &(_, from) in &edges[edge_start[b as usize] as usize..edge_start[b as usize + 1] as usize] {
                if from >= b {
                    self.back[b as usize] = self.back[b as usize].max(from);
                } else if dominator == NONE {
                    dominator = from;
                } else {
                    dominator = self.common(dominator, from);
                }
            }
            let p = if dominator == NONE { 0 } else { dominator };
            self.parent[b as usize] = p;
            self.depth[b as usize] = self.depth[p as usize] + 1;
            let j = self.jump[p as usize];
            let same = self.depth[p as usize] - self.depth[j as usize]
                == self.depth[j as usize] - self.depth[self.jump[j as usize] as usize];
            self.jump[b as usize] = if same { self.jump[j as usize] } else { p };
        }
        // A branch back to a block that does not dominate it: the tree above ignores it, so do not use the tree.
        self.reducible = (1..n as u32).filter(|&b| self.back[b as usize] != 0).all(|b| {
            let list = &edges[edge_start[b as usize] as usize..edge_start[b as usize + 1] as usize];
            list.iter().filter(|e| e.1 >= b).all(|e| self.common(b, e.1) == b)
        });
    }

    fn common(&self, mut a: u32, mut b: u32) -> u32 {
        let depth = |x: u32| self.depth[x as usize];
        if depth(a) < depth(b) {
            (a, b) = (b, a);
        }
        while depth(a) > depth(b) {
            a = if depth(self.jump[a as usize]) >= depth(b) { self.jump[a as usize] } else { self.parent[a as usize] };
        }
        while a != b {
            let (ja, jb) = (self.jump[a as usize], self.jump[b as usize]);
            (a, b) = if ja != jb { (ja, jb) } else { (self.parent[a as usize], self.parent[b as usize]) };
        }
        a
    }

    /// The immediate dominator of a block, and the last index of the blocks on the ways from there to the block.
    fn region(&self, cfg: &Cfg, b: u32) -> Option<(u32, u32)> {
        if !self.reducible || b == 0 {
            return None;
        }
        let low = self.parent[b as usize];
        let around = cfg.loops_entered(cfg.loop_of[b as usize], |l| l.first > low);
        Some((low, around.map_or(b - 1, |l| l.last.max(b - 1))))
    }
}
