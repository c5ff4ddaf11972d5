//! Computes the depth of the stack at every point of a function.
//!
//! The depth is the number of bytes by which the stack pointer is below where the prologue leaves it. Blocks are
//! visited once, in reverse postorder. Where paths meet at different depths, the greatest is taken: the edges of the
//! others lower the stack pointer, which costs nothing but stack. So every depth is known, and the whole function can
//! be addressed from the stack pointer, unless there are areas of unknown size, a loop lets the stack grow, or a call's
//! argument block is not at the top on every path; then nothing is known. ("Design and Usage of the InAlloca
//! Attribute", "Efficiency".)
//!
//! Funclets have stacks of their own, which start at depth 0. After a handler the stack is as deep as on the other
//! paths that lead there. If there are none, it holds the argument blocks that later calls take, and those areas that
//! exist at all of the calls whose exceptions come to the handler: blocks that were open when the exception was thrown
//! are gone.

use gusset_abi::PassMode;

use super::cfg::Cfg;
use crate::ir::{BlockPlace, Edge, Function, Inst, InstData, Opcode, Pad, PadKind, Personality, Value, ValueDef};

/// Depths beyond this are not followed.
const MAX: i64 = 1 << 29;
/// Edges lower the stack pointer by less than this, so that no page is skipped.
const MAX_STEP: i32 = 4096;
/// No path has reached the block yet; or the value is neither a saved stack pointer nor a block.
const NONE: i32 = -1;

/// StackDepths of a function's blocks.
#[derive(Default)]
pub struct StackDepths {
    /// For each index of the block order, the depth at the block's start, in bytes.
    pub at_start: Vec<i32>,
    /// For each value, the depth at which it saved the stack pointer, or of the argument block that it is the address
    /// of.
    saved: Vec<i32>,
    /// Edges met so far: the index of the block they leave, the depth, and the index they lead to.
    edges: Vec<(u32, i32, u32)>,
    /// For each index of the block order, the depth at the block's start of the areas that are not argument blocks.
    floors: Vec<i32>,
    /// For each pad, the least such depth of the calls whose exceptions come there, in the stack that the pad belongs
    /// to; and the pad that exceptions continue to.
    pads: Vec<(i32, Option<Pad>)>,
    /// The indices of blocks that handlers return control to, each with the `catchswitch` of the handler, in order.
    returns: Vec<(u32, Pad)>,
    /// The same blocks, each with the argument blocks that calls after it take, in order.
    needed: Vec<(u32, Inst)>,
    /// Where argument blocks are used, if handlers return control.
    uses: BlockUses,
    /// The depth of the argument blocks that are needed after every handler, as far as they have been met.
    always: i32,
}

impl StackDepths {
    /// Finds the depths of `f` in the order of `cfg`; its stack pointer is always a multiple of `align`. `false` if not
    /// all are known.
    pub fn compute(&mut self, f: &Function, cfg: &Cfg, align: u32) -> bool {
        self.at_start.clear();
        self.at_start.resize(cfg.order.len(), NONE);
        self.saved.clear();
        self.saved.resize(f.value_count(), NONE);
        self.edges.clear();
        self.floors.clone_from(&self.at_start);
        if let (Some(entry), Some(floor)) = (self.at_start.first_mut(), self.floors.first_mut()) {
            (*entry, *floor) = (0, 0);
        }
        self.find_pads(f, cfg);
        for (index, &b) in cfg.order.iter().enumerate() {
            if f.exceptions.has_funclets() && self.at_start[index] == NONE {
                (self.at_start[index], self.floors[index]) = self.after_handler(f, index);
            }
            let (mut depth, mut floor) = (self.at_start[index], self.floors[index]);
            for i in f.block_insts(b) {
                let Some(h) = self.after(f, i, depth, align) else { return false };
                depth = h;
                floor = if f.inst(i).op == Opcode::StackAlloc { h } else { floor.min(h) };
            }
            let last = f.inst(f.terminator(b));
            if self.unwinds(f, last, floor, cfg.funclet_of(index)) {
                continue;
            }
            f.for_each_edge(last, |e| {
                let to = cfg.index[f.edge_to(e).index()];
                if f.exceptions.has_funclets() && f.is_pad(f.edge_to(e)) {
                    return;
                }
                if to as usize > index {
                    let (known, below) = (&mut self.at_start[to as usize], &mut self.floors[to as usize]);
                    (*known, *below) = (depth.max(*known), floor.max(*below));
                }
                self.edges.push((index as u32, depth, to));
            });
        }
        self.edges.iter().all(|&(from, depth, to)| {
            // Several edges from one block to the same one have no code of their own.
            let last = f.inst(f.terminator(cfg.order[from as usize])).op;
            let below = if last == Opcode::IndirectBr { 1 } else { MAX_STEP };
            (0..below).contains(&(self.at_start[to as usize] - depth))
        })
    }

    /// Finds pads, and blocks that handlers return control to.
    fn find_pads(&mut self, f: &Function, cfg: &Cfg) {
        self.pads.clear();
        self.returns.clear();
        self.needed.clear();
        self.uses.clear();
        self.always = 0;
        let all = &f.exceptions;
        if !all.has_funclets() {
            return;
        }
        self.pads.resize(all.pad_count(), (i32::MAX, None));
        for (index, &b) in cfg.order.iter().enumerate() {
            // The handler of an `__except` belongs to the function itself.
            if let (Some(PadKind::Catch { switch, .. }), true) =
                (f.pad(b).map(|pad| all.kind(pad)), all.routine != Personality::Cxx)
            {
                self.returns.push((index as u32, switch));
            }
            let d = f.inst(f.terminator(b));
            let edges = || f.pool_edges(d.b, d.c);
            match d.op {
                Opcode::CatchSwitch | Opcode::CleanupRet if d.flags & 1 == 1 => {
                    self.pads[Pad(d.a).index()].1 = edges().last().and_then(|e| f.pad(f.edge_to(e)));
                }
                Opcode::CatchRet => {
                    if let (Some(e), PadKind::Catch { switch, .. }) = (edges().next(), all.kind(Pad(d.a))) {
                        self.returns.push((cfg.index[f.edge_to(e).index()], switch));
                    }
                }
                _ => {}
            }
        }
        self.returns.sort_unstable();
        self.find_needed(f, cfg);
    }

    /// Finds the argument blocks that are still needed where handlers return control, by going back from their uses.
    fn find_needed(&mut self, f: &Function, cfg: &Cfg) {
        if self.returns.is_empty() {
            return;
        }
        self.uses.find(f, cfg);
        if self.uses.all.is_empty() {
            return;
        }
        let mut preds = Vec::new();
        for (index, &b) in cfg.order.iter().enumerate() {
            f.for_each_edge(f.inst(f.terminator(b)), |e| preds.push((cfg.index[f.edge_to(e).index()], index as u32)));
        }
        preds.sort_unstable();
        let mut seen = vec![u32::MAX; cfg.order.len()];
        let mut work = Vec::new();
        for &(number, at) in &self.uses.all {
            let open = &self.uses.opens[number as usize];
            if open.lost {
                continue;
            }
            work.push(at);
            while let Some(index) = work.pop() {
                if open.index == index || std::mem::replace(&mut seen[index as usize], number) == number {
                    continue;
                }
                if self.returns.binary_search_by_key(&index, |r| r.0).is_ok() {
                    self.needed.push((index, open.inst));
                }
                let first = preds.partition_point(|p| p.0 < index);
                work.extend(preds[first..].iter().take_while(|p| p.0 == index).map(|p| p.1));
            }
        }
        self.needed.sort_unstable();
    }

    /// Notes where exceptions come to from a funclet's block that ends so, with areas of this depth. Does control leave
    /// it for nowhere else, or for another stack?
    fn unwinds(&mut self, f: &Function, last: &InstData, depth: i32, within: Option<Pad>) -> bool {
        if !f.exceptions.has_funclets() {
            return false;
        }
        match last.op {
            Opcode::Invoke => {
                let mut to = f.pad(f.edge_to(Edge(last.b)));
                // Exceptions that no handler takes continue to the next pad.
                while let Some(pad) = to
                    && f.exceptions.funclet_around(pad) == within
                    && self.pads[pad.index()].0 > depth
                {
                    self.pads[pad.index()].0 = depth;
                    to = self.pads[pad.index()].1;
                }
                false
            }
            Opcode::CatchSwitch | Opcode::CleanupRet => true,
            Opcode::CatchRet => f.exceptions.routine == Personality::Cxx,
            _ => false,
        }
    }

    /// The depth at a block that no path has reached yet, and that of the areas.
    fn after_handler(&self, f: &Function, index: usize) -> (i32, i32) {
        let least = |pad: Pad| Some(self.pads[pad.index()].0).filter(|&h| h != i32::MAX);
        let first = self.returns.partition_point(|r| (r.0 as usize) < index);
        let own = self.returns[first..].iter().take_while(|r| r.0 as usize == index);
        if own.clone().next().is_none() {
            // A funclet begins, with a stack of its own.
            return (0, 0);
        }
        let floor = own.filter_map(|r| least(r.1)).max().unwrap_or(0);
        let first = self.needed.partition_point(|n| (n.0 as usize) < index);
        let own = self.needed[first..].iter().take_while(|n| n.0 as usize == index);
        let blocks = own.map(|n| self.saved[f.result(n.1).index()]).max().unwrap_or(0).max(self.always);
        (floor.max(blocks), floor)
    }

    /// The depth after an instruction that begins at `depth`; `None` if it is not known. To be called for instructions
    /// in the order of the blocks.
    pub fn after(&mut self, f: &Function, i: Inst, depth: i32, align: u32) -> Option<i32> {
        let d = f.inst(i);
        let (size, wanted) = match d.op {
            Opcode::StackSave => {
                self.saved[f.result(i).index()] = depth;
                return Some(depth);
            }
            Opcode::StackRestore => {
                let v = f.resolve(Value(d.a));
                let ValueDef::Inst(save) = f.value_def(v) else { return None };
                return Some(self.saved[v.index()]).filter(|&h| h != NONE && f.inst(save).op == Opcode::StackSave);
            }
            Opcode::Call => {
                let top = block_of_call(f, i).map(|open| self.saved[f.result(open).index()]);
                return Some(depth).filter(|&h| top.is_none_or(|top| top == h));
            }
            Opcode::BlockOpen => (i64::from(d.a), d.b),
            Opcode::StackAlloc => (f.int_constant_signed(f.resolve(Value(d.a)))?, d.b),
            _ => return Some(depth),
        };
        if wanted > align || !(0..=MAX).contains(&size) {
            return None;
        }
        let sum = i64::from(depth) + (size as u64).next_multiple_of(align.into()) as i64;
        let after = i32::try_from(sum).ok().filter(|&h| i64::from(h) <= MAX)?;
        self.saved[f.result(i).index()] = after;
        if d.op == Opcode::BlockOpen && self.uses.is_lost(i) {
            self.always = self.always.max(after);
        }
        Some(after)
    }
}

/// The argument block that a call takes, if the function opened it.
pub(crate) fn block_of_call(f: &Function, call: Inst) -> Option<Inst> {
    let call = &f.calls[f.inst(call).a as usize];
    let args = f.sigs[call.sig.index()].abi.args.iter().zip(f.pool_values(call.args_start, call.args_len));
    args.filter(|(arg, _)| matches!(arg.mode, PassMode::InBlock { .. })).find_map(|(_, &v)| match f.block_place(v) {
        Some(BlockPlace::Opened(open, _)) => Some(open),
        _ => None,
    })
}

/// An instruction that opens an argument block.
struct Open {
    inst: Inst,
    /// Index of its block in the order.
    index: u32,
    /// Its address goes where it cannot be followed, so the block may be used anywhere.
    lost: bool,
}

/// Where argument blocks are used.
#[derive(Default)]
struct BlockUses {
    /// In their order.
    opens: Vec<Open>,
    /// Pairs of a number in `opens` and an index of a block that uses it, sorted.
    all: Vec<(u32, u32)>,
    /// For each value, the number of the argument block that it points into.
    of: Vec<u32>,
}

impl BlockUses {
    fn clear(&mut self) {
        self.opens.clear();
        self.all.clear();
    }

    fn is_lost(&self, open: Inst) -> bool {
        self.opens.binary_search_by_key(&open, |o| o.inst).is_ok_and(|at| self.opens[at].lost)
    }

    /// Follows the addresses.
    fn find(&mut self, f: &Function, cfg: &Cfg) {
        let in_order = cfg.order.iter().enumerate();
        let opens = in_order.flat_map(|(index, &b)| f.block_insts(b).map(move |inst| (inst, index as u32)));
        let opens = opens.filter(|&(inst, _)| f.inst(inst).op == Opcode::BlockOpen);
        self.opens.extend(opens.map(|(inst, index)| Open { inst, index, lost: false }));
        if self.opens.is_empty() {
            return;
        }
        self.opens.sort_unstable_by_key(|open| open.inst);
        self.of.clear();
        self.of.resize(f.value_count(), u32::MAX);
        for (number, open) in self.opens.iter().enumerate() {
            self.of[f.result(open.inst).index()] = number as u32;
        }
        for (index, &b) in cfg.order.iter().enumerate() {
            for i in f.block_insts(b) {
                self.apply(f, i, index as u32);
            }
        }
        self.all.sort_unstable();
        self.all.dedup();
    }

    /// Takes an instruction of the block at `index` into account.
    fn apply(&mut self, f: &Function, i: Inst, index: u32) {
        let d = f.inst(i);
        let (of, all) = (&self.of, &mut self.all);
        let known = |v: Value| Some(of[f.resolve(v).index()]).filter(|&number| number != u32::MAX);
        let first = all.len();
        f.for_each_operand(d, |v| all.extend(known(v).map(|number| (number, index))));
        f.for_each_edge(d, |e| {
            for number in f.edge_args(e).iter().filter_map(|&v| known(v)) {
                self.opens[number as usize].lost = true;
            }
        });
        if all.len() == first {
            return;
        }
        match d.op {
            Opcode::Iadd | Opcode::Isub | Opcode::Index if all.len() == first + 1 => {
                self.of[f.result(i).index()] = all[first].0;
            }
            Opcode::Store | Opcode::AtomicStore => {
                if let Some(number) = known(Value(d.b)) {
                    self.opens[number as usize].lost = true;
                }
            }
            Opcode::Load | Opcode::AtomicLoad | Opcode::Call | Opcode::Icmp => {}
            op if op.has_side_effect() && f.results(i).next().is_none() => {}
            _ => all[first..].iter().for_each(|&(number, _)| self.opens[number as usize].lost = true),
        }
    }
}
