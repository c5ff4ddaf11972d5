//! Global value numbering: what was computed, loaded or stored before is not computed or loaded again (LLVM's `EarlyCSE` and `GVN`).
//!
//! One walk over the blocks in their order, each after those that dominate it. Operations are brought into one form and simplified by rules
//! (`rules`); one that a dominating block has computed is replaced by that result (`table`). A branch tells the blocks that only one of its
//! edges leads to what its condition is. Loads get the values of stores and loads before them, as far as nothing in between may write there
//! (`memory`): what is known at a join is what is known at the ends of all blocks that lead there, and at the head of a loop without what the
//! loop writes. Branches whose conditions are known become jumps, and blocks that are not reached any more are left out.
//!
//! Poison: a value takes the place of one that is no more defined than itself. The IR has no flags that make poison. Comparisons are not taken
//! from other blocks, since flags live only where they are made. Floating-point operations that round are taken over only within stretches of
//! code without calls, unless the function calls nothing: calls may change the rounding mode.

mod memory;
mod rules;
mod table;

use self::memory::{Memory, Write};
use self::table::{Key, Table, is_computation};
use super::remove_params;
use crate::analysis::{Cfg, NO_LOOP};
use crate::ir::{Block, Dominators, Edge, Function, Inst, InstData, MemFlags, Opcode, SwitchId, Type, Value, ValueDef};

const NONE: u32 = u32::MAX;

/// The tables of the pass.
#[derive(Default)]
pub struct Gvn {
    dominators: Dominators,
    table: Table,
    memory: Memory,
    /// For each block of the order, whether it is reached.
    reached: Vec<bool>,
    /// For each block of the order, whether a later block leads to it.
    has_back_edge: Vec<bool>,
    /// For each block of the order the first of the edges that were seen to lead to it, or `NONE`.
    first_edge: Vec<u32>,
    /// Edges: each with the index of the block that it leaves, and the next one to the same block.
    edges: Vec<(Edge, u32, u32)>,
    /// The stretch of code that is at hand.
    stretch: u32,
    /// Operations that round are taken over only in their stretch.
    has_stretches: bool,
    /// A branch became a jump.
    has_folded: bool,
    /// A parameter always has the same value.
    has_params: bool,
}

impl Gvn {
    /// Numbers the values of a function. `cfg` is that of `f`, and is so afterwards.
    pub fn run(&mut self, f: &mut Function, cfg: &mut Cfg) {
        // Values that collectors move, and those of a function that runs on after a jump into it, are not what they were.
        if f.attrs.calls_returns_twice || f.exceptions.asynchronous || !f.stack_maps.is_empty() {
            return;
        }
        self.begin(f, cfg);
        for index in 0..cfg.order.len() {
            if self.enter(f, cfg, index) {
                self.block(f, cfg, index);
                self.memory.leave(index);
            }
        }
        f.resolve_operands();
        if self.has_folded {
            cfg.compute(f);
        }
        // Blocks that are not reached pass nothing to parameters.
        if cfg.order.len() < f.layout.len() {
            f.layout.retain(|b| cfg.index[b.index()] != NONE);
        }
        if self.has_params {
            remove_params(f, cfg);
        }
    }

    fn begin(&mut self, f: &Function, cfg: &Cfg) {
        let blocks = cfg.order.len();
        self.dominators.compute(f);
        self.table.begin(f.insts.len());
        self.memory.begin(f, &cfg.order);
        self.reached.clear();
        self.reached.resize(blocks, false);
        self.first_edge.clear();
        self.first_edge.resize(blocks, NONE);
        self.edges.clear();
        self.has_back_edge.clear();
        self.has_back_edge.resize(blocks, false);
        for (index, &b) in cfg.order.iter().enumerate() {
            f.for_each_edge(f.inst(f.terminator(b)), |e| {
                let to = cfg.index[f.edge_to(e).index()] as usize;
                self.has_back_edge[to] |= to <= index;
            });
        }
        if let Some(entry) = self.reached.first_mut() {
            *entry = true;
        }
        self.stretch = 0;
        self.has_stretches = !f.calls.is_empty() || f.insts.iter().any(|d| d.op == Opcode::MachineEffect);
        (self.has_folded, self.has_params) = (false, false);
    }

    /// Begins a block: what is known of memory, and parameters that have one value. False if it is not reached.
    fn enter(&mut self, f: &mut Function, cfg: &Cfg, index: usize) -> bool {
        let b = cfg.order[index];
        self.stretch += 1;
        if self.has_back_edge[index] {
            // It may be reached by an edge of a later block alone.
            self.reached[index] = true;
            self.enter_loop(f, cfg, index);
            return true;
        }
        if !self.reached[index] {
            return false;
        }
        if f.is_pad(b) {
            self.memory.enter_unknown();
            return true;
        }
        let preds = edges_to(&self.edges, self.first_edge[index]);
        self.memory.enter(f, preds.map(|(_, from)| from as usize));
        self.find_equal_params(f, b, index);
        if let Some((edge, from)) = self.only_edge(index) {
            self.learn(f, cfg.order[from as usize], edge, b);
        }
        true
    }

    /// Begins a block that later blocks lead to.
    fn enter_loop(&mut self, f: &Function, cfg: &Cfg, index: usize) {
        let innermost = cfg.loop_of[index];
        let head = cfg.order[index];
        let known = innermost != NO_LOOP && {
            let l = &cfg.loops[innermost as usize];
            l.first as usize == index
                && !l.capped
                && self.is_entered_at_its_head(f, cfg, (index, l.last as usize), head)
        };
        if !known {
            self.memory.enter_unknown();
            return;
        }
        let preds = edges_to(&self.edges, self.first_edge[index]);
        self.memory.enter(f, preds.map(|(_, from)| from as usize));
        self.memory.forget_writes(index..cfg.loops[innermost as usize].last as usize + 1);
    }

    /// Does the head dominate all blocks that lead back to it?
    fn is_entered_at_its_head(&self, f: &Function, cfg: &Cfg, (first, last): (usize, usize), head: Block) -> bool {
        let mut all = true;
        for &b in &cfg.order[first..=last] {
            f.for_each_edge(f.inst(f.terminator(b)), |e| {
                all &= f.edge_to(e) != head || self.dominators.dominates(head, b);
            });
        }
        all
    }

    /// The only edge to a block, if it is the only one.
    fn only_edge(&self, index: usize) -> Option<(Edge, u32)> {
        let mut all = edges_to(&self.edges, self.first_edge[index]);
        all.next().filter(|_| all.next().is_none())
    }

    /// Replaces parameters that get the same value from everywhere.
    fn find_equal_params(&mut self, f: &mut Function, b: Block, index: usize) {
        for k in 0..f.params(b).len() {
            let p = f.params(b)[k];
            let mut values = edges_to(&self.edges, self.first_edge[index]).map(|(e, _)| f.resolve(f.edge_args(e)[k]));
            let Some(v) = values.next() else { return };
            if v != p && values.all(|other| other == v) {
                f.alias(p, v);
                self.has_params = true;
            }
        }
    }

    /// Notes what a branch on a condition tells the block that one of its edges leads to.
    fn learn(&mut self, f: &mut Function, from: Block, edge: Edge, to: Block) {
        let last = *f.inst(f.terminator(from));
        if last.op != Opcode::Br || last.b == last.c {
            return;
        }
        let holds = last.b == edge.0;
        let ValueDef::Inst(i) = f.value_def(f.resolve(Value(last.a))) else { return };
        let d = *f.inst(i);
        if is_computation(&d) && d.op.result_count() == Some(1) {
            let value = f.make_int(Type::I1, holds.into());
            self.table.add(Key::new(&d, 0), to, value);
        }
    }

    fn block(&mut self, f: &mut Function, cfg: &Cfg, index: usize) {
        let b = cfg.order[index];
        // What stands between an invoked call and its edges is not known where exceptions come.
        let known_to = f.invoked(b).map_or(NONE, |call| call.0);
        for i in f.block_insts(b) {
            let mut d = *f.inst(i);
            f.resolve_inst(&mut d);
            f.insts[i.index()] = d;
            if is_computation(&d) {
                self.computation(f, i, d, b, i.0 < known_to);
            } else {
                self.other(f, i, &d);
            }
        }
        self.end(f, cfg, index);
    }

    fn computation(&mut self, f: &mut Function, i: Inst, mut d: InstData, b: Block, adds: bool) {
        let r = f.result(i);
        if let Some(v) = rules::simplified(f, &mut d) {
            replace(f, i, v);
            return;
        }
        f.insts[i.index()] = d;
        let stretch = if self.has_stretches && rounds(f, &d) { self.stretch } else { 0 };
        let key = Key::new(&d, stretch);
        match self.table.find(&key, &self.dominators, b) {
            Some((v, from)) if from == b || !is_comparison(&d) || f.constant(v).is_some() => {
                replace(f, i, v);
            }
            _ if adds => self.table.add(key, b, r),
            _ => {}
        }
    }

    /// Anything else than a computation.
    fn other(&mut self, f: &mut Function, i: Inst, d: &InstData) {
        let plain = matches!(d.op, Opcode::Load | Opcode::Store) && !MemFlags(d.flags).is_volatile();
        match d.op {
            Opcode::Load if plain => {
                let r = f.result(i);
                if let Some(v) = self.memory.load(f, d, r) {
                    replace(f, i, v);
                }
            }
            Opcode::Store if plain => {
                if self.memory.store(f, d) {
                    f.insts[i.index()] = InstData::NOP;
                }
            }
            op => {
                match self.memory.write(f, d) {
                    Write::Nothing => {}
                    Write::Place(place) => self.memory.forget(&place),
                    Write::Shared => self.memory.forget_shared(),
                }
                if matches!(op, Opcode::Call | Opcode::MachineEffect) {
                    self.stretch += 1;
                }
            }
        }
    }

    /// Ends a block: a terminator whose way is known becomes a jump. Notes where control goes.
    fn end(&mut self, f: &mut Function, cfg: &Cfg, index: usize) {
        let i = f.terminator(cfg.order[index]);
        let way = match f.inst(i).op {
            Opcode::Br => self.way_of_branch(f, i, cfg.order[index]),
            Opcode::Switch => way_of_switch(f, f.inst(i)),
            _ => None,
        };
        if let Some(edge) = way {
            f.insts[i.index()] = InstData { op: Opcode::Jump, a: edge.0, ..InstData::NOP };
            self.has_folded = true;
        }
        f.for_each_edge(f.inst(i), |e| {
            let to = cfg.index[f.edge_to(e).index()] as usize;
            self.reached[to] = true;
            let next = std::mem::replace(&mut self.first_edge[to], self.edges.len() as u32);
            self.edges.push((e, index as u32, next));
        });
    }

    fn way_of_branch(&self, f: &Function, i: Inst, b: Block) -> Option<Edge> {
        let d = f.inst(i);
        let condition = Value(d.a);
        let known = || {
            let ValueDef::Inst(k) = f.value_def(condition) else { return None };
            let (v, _) = self.table.find(&Key::new(f.inst(k), 0), &self.dominators, b)?;
            f.int_constant(v)
        };
        let holds = f.int_constant(condition).or_else(known)?;
        Some(Edge(if holds != 0 { d.b } else { d.c }))
    }
}

/// Removes an instruction whose results are the same as those that begin with `v`.
fn replace(f: &mut Function, i: Inst, v: Value) {
    for (k, r) in f.results(i).enumerate() {
        f.alias(r, Value(v.0 + k as u32));
    }
    f.insts[i.index()] = InstData::NOP;
}

/// The edges to a block, with the indices of the blocks that they leave.
fn edges_to(edges: &[(Edge, u32, u32)], first: u32) -> impl Iterator<Item = (Edge, u32)> {
    let mut at = first;
    std::iter::from_fn(move || {
        let &(edge, from, next) = edges.get(at as usize)?;
        at = next;
        Some((edge, from))
    })
}

fn way_of_switch(f: &Function, d: &InstData) -> Option<Edge> {
    let n = f.int_constant(Value(d.a))?;
    let mut cases = f.switch_cases(SwitchId(d.b));
    let found = cases.find(|&(case, _)| f.int_constant(f.resolve(case)) == Some(n));
    Some(found.map_or(f.switches[d.b as usize].default, |(_, edge)| edge))
}

fn is_comparison(d: &InstData) -> bool {
    matches!(d.op, Opcode::Icmp | Opcode::Fcmp | Opcode::IcmpUpper)
}

/// Does an operation depend on the rounding mode, or tell of what happened to numbers?
fn rounds(f: &Function, d: &InstData) -> bool {
    let exact = matches!(
        d.op,
        Opcode::Fneg | Opcode::Fabs | Opcode::Fcopysign | Opcode::Bitcast | Opcode::Select | Opcode::Freeze
    );
    !exact && (d.ty.lane().is_float() || d.op.arity() > 0 && f.value_type(Value(d.a)).lane().is_float())
}
