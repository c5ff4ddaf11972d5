//! Turns stack slots that are only loaded and stored into SSA values (LLVM's mem2reg).
//!
//! Local variables of front ends that only know memory (clang at -O0) become block parameters by the algorithm of Braun
//! et al. (CC 2013), on a complete control flow graph: reads look backwards for the reaching store, joins get a
//! parameter, and parameters that always have the same value are removed again. Variables that are only stored to in
//! the entry, or that are used in one block, need no search. A variable that a loop's body declares but may read before
//! it writes stays in memory, so that its old value is not carried around the loop. The accesses are removed from their
//! blocks on the way, so that later walks do not meet them.

mod debug;
mod dominators;
mod ends;
mod leaks;

use self::debug::PromotedVariables;
use self::dominators::{Dominators, last_between};
use self::ends::{Ends, NONE};
use self::leaks::Leaks;
use crate::analysis::Cfg;
use crate::ir::{Block, ConstData, Edge, Function, Inst, InstData, Opcode, Slot, Type, Value, ValueDef};

/// No access to the slot has been seen.
const UNSEEN: u32 = u32::MAX - 1;
/// Rounds of removing parameters that always have the same value.
const ROUNDS: usize = 16;
/// Steps backwards before a search tries to jump.
const PATIENCE: u32 = 4;

#[derive(Clone, Copy)]
struct Var {
    ty: Type,
    slot: u32,
    /// The last block that stores to it, and the last block that loads it before any store.
    last_store: u32,
    last_load: u32,
    /// The block of its first access.
    home: u32,
    /// Only one block uses it, and that stores to it first.
    local: bool,
    /// All stores are in the entry block.
    entry_only: bool,
    /// Its number among the variables that need a search, or `NONE`.
    wide: u32,
    /// Its value in the block being rewritten; in the whole function if it needs no search.
    current: u32,
    /// That block.
    block: u32,
}

/// For each block of the order, whether no register holds anything at its start, so that it has no parameters or they
/// would be useless: exceptions come there, or control from a funclet.
fn no_registers(f: &Function, cfg: &Cfg) -> Vec<bool> {
    let mut found: Vec<bool> = cfg.order.iter().map(|&b| f.is_pad(b)).collect();
    for &b in &cfg.order {
        let last = f.inst(f.terminator(b));
        if last.op == Opcode::CatchRet {
            f.for_each_edge(last, |e| found[cfg.index[f.edge_to(e).index()] as usize] = true);
        }
    }
    found
}

#[derive(Clone, Copy)]
struct NewParam {
    block: u32,
    var: u32,
    value: Value,
    position: u32,
    /// It always had the same value and has been removed.
    gone: bool,
}

/// The pass's tables.
#[derive(Default)]
pub struct Promote {
    /// For each slot its variable; `NONE` if it is not promoted.
    var_of: Vec<u32>,
    vars: Vec<Var>,
    /// Number of variables that need a search.
    wide: u32,
    /// Values that are addresses of slots: all are among this many numbers from the first one on.
    first_addr: u32,
    addr_span: u32,
    /// Values of variables that need a search, at the ends of blocks.
    ends: Ends,
    params: Vec<NewParam>,
    /// Edges into each block of the order, grouped by block.
    edge_start: Vec<u32>,
    edges: Vec<(Edge, u32)>,
    /// Pairs of a block and a slot that it stores to, in order; and the blocks, grouped by variable.
    stores: Vec<(u32, u32)>,
    store_blocks: Groups,
    /// The same for blocks that load a variable before they store to it.
    loads: Vec<(u32, u32)>,
    load_blocks: Groups,
    dominators: Dominators,
    leaks: Leaks,
    debug: PromotedVariables,
}

/// Blocks grouped by variable.
#[derive(Default)]
struct Groups {
    start: Vec<u32>,
    blocks: Vec<u32>,
}

impl Groups {
    fn of(&self, wide: u32) -> &[u32] {
        &self.blocks[self.start[wide as usize] as usize..self.start[wide as usize + 1] as usize]
    }

    /// Groups the blocks of `pairs` by variable; pairs with `NONE` are left out.
    fn group(&mut self, variables: u32, pairs: impl Iterator<Item = (u32, u32)> + Clone) {
        self.start.clear();
        self.start.resize(variables as usize + 2, 0);
        for (wide, _) in pairs.clone().filter(|p| p.0 != NONE) {
            self.start[wide as usize + 2] += 1;
        }
        for k in 2..self.start.len() {
            self.start[k] += self.start[k - 1];
        }
        self.blocks.clear();
        self.blocks.resize(self.start[variables as usize + 1] as usize, 0);
        // Each start is one place too far until its group is filled.
        for (wide, block) in pairs.filter(|p| p.0 != NONE) {
            let next = &mut self.start[wide as usize + 1];
            self.blocks[*next as usize] = block;
            *next += 1;
        }
    }
}

impl Promote {
    /// Promotes slots. `cfg` is that of `f`: instructions are removed from blocks, but the order stays valid.
    pub fn run(&mut self, f: &mut Function, cfg: &mut Cfg) {
        if f.slots.is_empty() || f.exceptions.asynchronous || f.attrs.calls_returns_twice || !self.find(f, cfg) {
            return;
        }
        if self.wide > 0 {
            self.collect_edges(f, cfg);
            self.group_accesses();
            self.dominators.compute(cfg, &self.edge_start, &self.edges);
            if !self.keep_leaks(f, cfg) {
                return;
            }
            self.ends.begin(cfg.order.len(), self.wide as usize);
        }
        self.params.clear();
        self.debug.begin(f, |slot| self.var_of[slot.index()] != NONE);
        for index in 0..cfg.order.len() {
            self.rewrite(f, cfg, index);
        }
        self.fill(f, cfg);
        if self.debug.is_active() {
            let starts = self.params.iter().map(|p| {
                let first = f.blocks[cfg.order[p.block as usize].index()].first;
                (Inst(first), Slot(self.vars[p.var as usize].slot), p.value)
            });
            let starts: Vec<_> = starts.collect();
            self.debug.finish(f, starts);
        }
        // Unreachable blocks pass nothing to the new parameters.
        if cfg.order.len() < f.layout.len() {
            f.layout.retain(|b| cfg.index[b.index()] != u32::MAX);
        }
        if self.simplify(f, cfg) {
            f.resolve_operands();
        } else {
            f.resolve_edges();
        }
        for v in &self.vars {
            if self.var_of[v.slot as usize] != NONE {
                f.slots[v.slot as usize].size = 0;
                f.slots[v.slot as usize].align = 1;
            }
        }
        cfg.place_again(f);
    }

    /// Is the word in the range of addresses of slots?
    #[inline]
    fn near(&self, word: u32) -> bool {
        word.wrapping_sub(self.first_addr) < self.addr_span
    }

    /// The slot whose address a word of an instruction is.
    #[inline]
    fn slot(&self, f: &Function, word: u32) -> Option<u32> {
        if !self.near(word) {
            return None;
        }
        match f.value_def(Value(word)) {
            ValueDef::Slot(Slot(s)) => Some(s),
            _ => None,
        }
    }

    /// Excludes slots that are used otherwise than by loads and stores.
    #[inline]
    fn escape(&mut self, f: &Function, v: Value) {
        if let Some(s) = self.slot(f, v.0) {
            self.var_of[s as usize] = NONE;
        }
    }

    /// Finds the slots to promote; false if there are none.
    fn find(&mut self, f: &Function, cfg: &Cfg) -> bool {
        let Some((first, last)) = f.slot_addrs() else { return false };
        (self.first_addr, self.addr_span) = (first.0, last.0 - first.0 + 1);
        self.var_of.clear();
        self.var_of.resize(f.slots.len(), UNSEEN);
        self.vars.clear();
        self.stores.clear();
        self.loads.clear();
        for (index, &b) in cfg.order.iter().enumerate() {
            for d in f.insts_of(b) {
                match d.op {
                    Opcode::Load => {
                        if let Some(s) = self.slot(f, d.a) {
                            self.access::<false>(f, s, d, d.b, index as u32);
                        }
                    }
                    Opcode::Store => {
                        self.escape(f, Value(d.b));
                        if let Some(s) = self.slot(f, d.a) {
                            self.access::<true>(f, s, d, d.c, index as u32);
                        }
                    }
                    // The operands of calls are looked at below.
                    Opcode::Call => {}
                    op => {
                        if self.near(d.a)
                            || self.near(d.b)
                            || self.near(d.c)
                            || matches!(op, Opcode::Return | Opcode::StackMap)
                        {
                            f.for_each_operand(d, |v| self.escape(f, v));
                        }
                    }
                }
            }
        }
        f.for_each_passed(|v| self.escape(f, v));
        for slot in f.kept_slots() {
            self.var_of[slot.index()] = NONE;
        }
        self.number(cfg)
    }

    /// Notes a load or store `at` bytes from the slot's address.
    #[inline(always)]
    fn access<const STORES: bool>(&mut self, f: &Function, slot: u32, d: &InstData, at: u32, block: u32) {
        let known = self.var_of[slot as usize];
        if known == NONE {
            return;
        }
        let fits = at == 0 && d.flags & 0x80 == 0;
        let Some(x) = self.vars.get_mut(known as usize) else {
            return self.first_access::<STORES>(f, slot, d, fits, block);
        };
        if !fits || x.ty != d.ty {
            self.var_of[slot as usize] = NONE;
            return;
        }
        x.local &= x.home == block;
        if STORES {
            x.entry_only &= block == 0;
            if x.last_store != block {
                x.last_store = block;
                self.stores.push((slot, block));
            }
        } else if x.last_store != block && x.last_load != block {
            x.last_load = block;
            self.loads.push((slot, block));
        }
    }

    /// Notes the first access to a slot.
    fn first_access<const STORES: bool>(&mut self, f: &Function, slot: u32, d: &InstData, fits: bool, block: u32) {
        if !fits || d.ty.store_bytes() > f.slots[slot as usize].size {
            self.var_of[slot as usize] = NONE;
            return;
        }
        self.var_of[slot as usize] = self.vars.len() as u32;
        let (last_store, last_load) = if STORES { (block, NONE) } else { (NONE, block) };
        self.vars.push(Var {
            ty: d.ty,
            slot,
            last_store,
            last_load,
            home: block,
            local: STORES,
            entry_only: !STORES || block == 0,
            wide: NONE,
            current: NONE,
            block: NONE,
        });
        if STORES { &mut self.stores } else { &mut self.loads }.push((slot, block));
    }

    /// Numbers the variables that [`find`](Self::find) has left; false if there are none.
    fn number(&mut self, cfg: &Cfg) -> bool {
        self.var_of.iter_mut().filter(|v| **v == UNSEEN).for_each(|v| *v = NONE);
        let mut n = 0;
        self.wide = 0;
        // The entry may be in a loop.
        let once = cfg.preds.first() == Some(&0);
        for k in 0..self.vars.len() {
            let slot = self.vars[k].slot as usize;
            if self.var_of[slot] == k as u32 {
                self.var_of[slot] = n;
                let mut x = self.vars[k];
                if !(x.local || x.entry_only && once) {
                    x.wide = self.wide;
                    self.wide += 1;
                }
                self.vars[n as usize] = x;
                n += 1;
            }
        }
        self.vars.truncate(n as usize);
        n > 0
    }

    /// Groups the blocks that store or load by variable.
    fn group_accesses(&mut self) {
        let (var_of, vars) = (&self.var_of, &self.vars);
        let wide = |&(slot, block): &(u32, u32)| {
            let var = var_of[slot as usize];
            (if var == NONE { NONE } else { vars[var as usize].wide }, block)
        };
        self.store_blocks.group(self.wide, self.stores.iter().map(wide));
        self.load_blocks.group(self.wide, self.loads.iter().map(wide));
    }

    /// Leaves variables in memory that would be carried around a loop for nothing, see [`Leaks`]. False if no variable
    /// remains.
    fn keep_leaks(&mut self, f: &Function, cfg: &Cfg) -> bool {
        self.leaks.begin(cfg);
        let barred = if f.exceptions.has_funclets() { no_registers(f, cfg) } else { Vec::new() };
        let (var_of, edge_start, edges) = (&mut self.var_of, &self.edge_start, &self.edges);
        let preds =
            |b: u32| edges[edge_start[b as usize] as usize..edge_start[b as usize + 1] as usize].iter().map(|e| e.1);
        let mut any = false;
        for x in &self.vars {
            if x.wide == NONE {
                any = true;
                continue;
            }
            let (stores, loads) = (self.store_blocks.of(x.wide), self.load_blocks.of(x.wide));
            let barred = !barred.is_empty() && self.leaks.lives_into(&barred, preds, stores, loads);
            if barred || self.leaks.leaks(cfg, &self.dominators, preds, stores, loads) {
                var_of[x.slot as usize] = NONE;
            } else {
                any = true;
            }
        }
        any
    }

    /// Does a block with an index in `low + 1 ..= high` store to the variable?
    fn stored_between(&self, wide: u32, low: u32, high: u32) -> bool {
        let list = self.store_blocks.of(wide);
        let k = list.partition_point(|&b| b <= low);
        k < list.len() && list[k] <= high
    }

    fn collect_edges(&mut self, f: &Function, cfg: &Cfg) {
        // Starts for now: filling a group moves its start to its end, which is the next one's start.
        self.edge_start.clear();
        self.edge_start.push(0);
        let mut at = 0;
        for &n in &cfg.preds {
            self.edge_start.push(at);
            at += n;
        }
        self.edges.clear();
        self.edges.resize(at as usize, (Edge(0), 0));
        for (index, &b) in cfg.order.iter().enumerate() {
            f.for_each_edge(f.inst(f.terminator(b)), |e| {
                let next = &mut self.edge_start[cfg.index[f.edge_to(e).index()] as usize + 1];
                self.edges[*next as usize] = (e, index as u32);
                *next += 1;
            });
        }
    }

    fn edges_to(&self, block: u32) -> &[(Edge, u32)] {
        &self.edges[self.edge_start[block as usize] as usize..self.edge_start[block as usize + 1] as usize]
    }

    /// Removes the loads and stores from a block, and replaces the loaded values in the rest.
    fn rewrite(&mut self, f: &mut Function, cfg: &Cfg, index: usize) {
        let block = cfg.order[index];
        let (first, end) = (f.blocks[block.index()].first, f.blocks[block.index()].end);
        let has_records = self.debug.is_active();
        let mut out = first;
        for i in first..end {
            let mut d = f.insts[i as usize];
            if matches!(d.op, Opcode::Load | Opcode::Store)
                && let Some(slot) = self.slot(f, d.a)
                && let var = self.var_of[slot as usize]
                && var != NONE
            {
                if has_records {
                    self.debug.remove(Inst(i), Slot(slot), (d.op == Opcode::Store).then_some(Value(d.b)));
                }
                if d.op == Opcode::Store {
                    let v = f.resolve(Value(d.b));
                    self.write(index as u32, var, v);
                } else {
                    let v = self.read(f, cfg, index as u32, var);
                    let r = f.result(Inst(i));
                    f.alias(r, v);
                }
                continue;
            }
            f.resolve_inst(&mut d);
            f.put_inst(Inst(out), d, Inst(i));
            out += 1;
        }
        f.blocks[block.index()].end = out;
    }

    #[inline]
    fn write(&mut self, block: u32, var: u32, v: Value) {
        let x = &mut self.vars[var as usize];
        x.current = v.0;
        x.block = block;
        if x.wide != NONE {
            self.ends.set(block, x.wide, v);
        }
    }

    /// The variable's value at this point of the block, or at its end if the block is done.
    #[inline(always)]
    fn read(&mut self, f: &mut Function, cfg: &Cfg, block: u32, var: u32) -> Value {
        let x = &self.vars[var as usize];
        if x.current != NONE && (x.block == block || x.wide == NONE) {
            return Value(x.current);
        }
        self.read_before(f, cfg, block, var)
    }

    /// The variable's value at the begin of the block, or at its end if the block is done.
    #[inline(never)]
    fn read_before(&mut self, f: &mut Function, cfg: &Cfg, block: u32, var: u32) -> Value {
        let Var { ty, wide, .. } = self.vars[var as usize];
        if wide == NONE {
            return f.make_const(ty, ConstData::Poison);
        }
        // Most values come from the only predecessor.
        let near = (cfg.preds[block as usize] == 1 && block != 0 && self.ends.get(block, wide).is_none())
            .then(|| self.ends.get(cfg.pred[block as usize], wide));
        let found = match near.flatten() {
            Some(found) => {
                self.ends.set(block, wide, found);
                found
            }
            None => self.search(f, cfg, block, var),
        };
        let x = &mut self.vars[var as usize];
        x.current = found.0;
        x.block = block;
        found
    }

    #[inline(never)]
    fn search(&mut self, f: &mut Function, cfg: &Cfg, block: u32, var: u32) -> Value {
        let Var { ty, wide, .. } = self.vars[var as usize];
        let mut at = block;
        let mut steps = 0;
        let found = loop {
            if let Some(v) = self.ends.get(at, wide) {
                break v;
            }
            let preds = cfg.preds[at as usize];
            if preds == 0 {
                break f.make_const(ty, ConstData::Poison);
            }
            steps += 1;
            // If nothing between a dominator and this block stores, the value there is the value here.
            let above = if preds > 1 || steps > PATIENCE { self.dominators.above(at) } else { None };
            if let Some((_, far)) = above
                && steps > PATIENCE
                && !self.stored_between(wide, far, last_between(cfg, far, at))
            {
                at = far;
            } else if preds == 1 && at != 0 {
                at = cfg.pred[at as usize];
            } else if let Some((near, _)) = above
                && !self.stored_between(wide, near, last_between(cfg, near, at))
            {
                at = near;
            } else {
                let b = cfg.order[at as usize];
                let position = f.params(b).len() as u32;
                let value = f.append_param(b, ty);
                self.params.push(NewParam { block: at, var, value, position, gone: false });
                self.ends.set(at, wide, value);
                break value;
            }
        };
        if at != block {
            self.ends.set(block, wide, found);
        }
        found
    }

    /// Gives the edges arguments for the new parameters, which may need further parameters.
    fn fill(&mut self, f: &mut Function, cfg: &Cfg) {
        if self.params.is_empty() {
            return;
        }
        for x in &mut self.vars {
            // From here on, values are read at the ends of blocks.
            if x.wide != NONE {
                x.block = NONE;
                x.current = NONE;
            }
        }
        let mut k = 0;
        while k < self.params.len() {
            let p = self.params[k];
            k += 1;
            for n in self.edge_start[p.block as usize]..self.edge_start[p.block as usize + 1] {
                let (edge, from) = self.edges[n as usize];
                let v = self.read(f, cfg, from, p.var);
                f.set_edge_arg(edge, p.position as usize, v);
            }
        }
    }

    /// Removes parameters that always get the same value or themselves. Returns whether there were any.
    fn simplify(&mut self, f: &mut Function, cfg: &Cfg) -> bool {
        let count = self.params.len();
        let mut any = false;
        for round in 0..ROUNDS {
            let mut changed = false;
            for step in 0..count {
                // Directions alternate: chains collapse in either one.
                let k = if round % 2 == 0 { count - 1 - step } else { step };
                let p = self.params[k];
                if p.gone {
                    continue;
                }
                let mut only: Option<Value> = None;
                let mut trivial = true;
                for &(edge, _) in self.edges_to(p.block) {
                    let v = f.resolve(f.edge_args(edge)[p.position as usize]);
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
                    self.params[k].gone = true;
                    changed = true;
                }
            }
            any |= changed;
            if !changed {
                break;
            }
        }
        if !any {
            return false;
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
            list.extend(self.edges_to(index as u32).iter().map(|e| e.0));
            f.retain_params(block, &list, |i| keep[i]);
        }
        true
    }
}
