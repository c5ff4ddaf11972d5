//! The height of the stack as a fact of every point of a function.
//!
//! The height is how many bytes the stack pointer is below the place where the prologue leaves it. Blocks are visited once, in
//! reverse postorder. Paths that meet at different heights go on at the greatest: the edges of the others lower the stack
//! pointer, which costs nothing but stack. So every height is known, and the whole function can be addressed from the stack
//! pointer, unless there are areas of unknown size, a loop lets the stack grow, or a call's argument block is not at the top on
//! every path; then nothing is known. ("Design and Usage of the InAlloca Attribute", "Efficiency".)
//!
//! Funclets have stacks of their own, which begin at 0 where they do. Behind a handler the stack is as high as on the other paths that come
//! there, and if there are none, as at the lowest of the calls whose exceptions come to the handler: what has been opened since is gone.

use gusset_abi::PassMode;

use super::cfg::Cfg;
use crate::ir::{
    Block, BlockPlace, Edge, Function, Inst, InstData, Opcode, Pad, PadKind, Personality, Value, ValueDef,
};

/// Heights beyond this are not followed.
const MAX: i64 = 1 << 29;
/// Edges lower the stack pointer by less than this, so that no page is stepped over.
const MAX_STEP: i32 = 4096;
/// No path has come here yet; the value is neither a saved stack pointer nor a block.
const NONE: i32 = -1;

/// Heights of a function's blocks.
#[derive(Default)]
pub struct Heights {
    /// For each index of the block order the height at its start, in bytes.
    pub at_start: Vec<i32>,
    /// For each value the height at which it saved the stack pointer, or of which it is the block.
    saved: Vec<i32>,
    /// Edges that have been met: whose block they leave, at which height, and where they lead.
    edges: Vec<(u32, i32, u32)>,
    /// For each pad the least height of the calls whose exceptions come there, in the stack that it stands in, and where exceptions go on.
    pads: Vec<(i32, Option<Pad>)>,
    /// The indices of the blocks that handlers come back to, each with the switch of the handler, in order.
    returns: Vec<(u32, Pad)>,
}

impl Heights {
    /// Finds the heights of `f`, laid out by `cfg`, whose stack pointer is always a multiple of `align`. `false` if they are
    /// not all known.
    pub fn compute(&mut self, f: &Function, cfg: &Cfg, align: u32) -> bool {
        self.at_start.clear();
        self.at_start.resize(cfg.order.len(), NONE);
        self.saved.clear();
        self.saved.resize(f.value_count(), NONE);
        self.edges.clear();
        if let Some(entry) = self.at_start.first_mut() {
            *entry = 0;
        }
        self.find_pads(f, cfg);
        for (index, &b) in cfg.order.iter().enumerate() {
            if f.exceptions.has_funclets() && self.at_start[index] == NONE {
                self.at_start[index] = self.behind_handler(f, b, index);
            }
            let mut height = self.at_start[index];
            for i in f.block_insts(b) {
                match self.after(f, i, height, align) {
                    Some(h) => height = h,
                    None => return false,
                }
            }
            let last = f.inst(f.terminator(b));
            if self.unwinds(f, last, height, cfg.funclet_of(index)) {
                continue;
            }
            f.for_each_edge(last, |e| {
                let to = cfg.index[f.edge_to(e).index()];
                if f.exceptions.has_funclets() && f.is_pad(f.edge_to(e)) {
                    return;
                }
                if to as usize > index {
                    let known = &mut self.at_start[to as usize];
                    *known = height.max(*known);
                }
                self.edges.push((index as u32, height, to));
            });
        }
        self.edges.iter().all(|&(from, height, to)| {
            // An edge of several from one place has no code of its own.
            let last = f.inst(f.terminator(cfg.order[from as usize])).op;
            let below = if last == Opcode::IndirectBr { 1 } else { MAX_STEP };
            (0..below).contains(&(self.at_start[to as usize] - height))
        })
    }

    /// Finds pads, and blocks that handlers come back to.
    fn find_pads(&mut self, f: &Function, cfg: &Cfg) {
        self.pads.clear();
        self.returns.clear();
        let all = &f.exceptions;
        if !all.has_funclets() {
            return;
        }
        self.pads.resize(all.pad_count(), (i32::MAX, None));
        for &b in &cfg.order {
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
    }

    /// Notes where exceptions come to from a block of a funclet that ends so, at this height. Does control go nowhere else from there, or to
    /// another stack?
    fn unwinds(&mut self, f: &Function, last: &InstData, height: i32, within: Option<Pad>) -> bool {
        if !f.exceptions.has_funclets() {
            return false;
        }
        match last.op {
            Opcode::Invoke => {
                let mut to = f.pad(f.edge_to(Edge(last.b)));
                // Exceptions that no handler takes go on.
                while let Some(pad) = to
                    && f.exceptions.funclet_around(pad) == within
                    && self.pads[pad.index()].0 > height
                {
                    self.pads[pad.index()].0 = height;
                    to = self.pads[pad.index()].1;
                }
                false
            }
            Opcode::CatchSwitch | Opcode::CleanupRet => true,
            Opcode::CatchRet => f.exceptions.routine == Personality::Cxx,
            _ => false,
        }
    }

    /// The height at a block that no path has come to yet.
    fn behind_handler(&self, f: &Function, b: Block, index: usize) -> i32 {
        let least = |pad: Pad| Some(self.pads[pad.index()].0).filter(|&h| h != i32::MAX);
        match f.pad(b).map(|pad| f.exceptions.kind(pad)) {
            // A handler of `__except` is the function's own.
            Some(PadKind::Catch { switch, .. }) if f.exceptions.routine != Personality::Cxx => {
                least(switch).unwrap_or(0)
            }
            Some(_) => 0,
            None => {
                let first = self.returns.partition_point(|r| (r.0 as usize) < index);
                let own = self.returns[first..].iter().take_while(|r| r.0 as usize == index);
                own.filter_map(|r| least(r.1)).max().unwrap_or(0)
            }
        }
    }

    /// The height behind an instruction that begins at `height`; `None` if it is not known. Instructions are to be asked
    /// for in the order of the blocks.
    pub fn after(&mut self, f: &Function, i: Inst, height: i32, align: u32) -> Option<i32> {
        let d = f.inst(i);
        let (size, wanted) = match d.op {
            Opcode::StackSave => {
                self.saved[f.result(i).index()] = height;
                return Some(height);
            }
            Opcode::StackRestore => {
                let v = f.resolve(Value(d.a));
                let ValueDef::Inst(save) = f.value_def(v) else { return None };
                return Some(self.saved[v.index()]).filter(|&h| h != NONE && f.inst(save).op == Opcode::StackSave);
            }
            Opcode::Call => {
                let call = &f.calls[d.a as usize];
                let abi = &f.sigs[call.sig.index()].abi;
                for (arg, &v) in abi.args.iter().zip(f.pool_values(call.args_start, call.args_len)) {
                    if let (PassMode::InBlock { .. }, Some(BlockPlace::Opened(open, _))) = (&arg.mode, f.block_place(v))
                    {
                        return Some(height).filter(|&h| h == self.saved[f.result(open).index()]);
                    }
                }
                return Some(height);
            }
            Opcode::BlockOpen => (i64::from(d.a), d.b),
            Opcode::StackAlloc => (f.int_constant_signed(f.resolve(Value(d.a)))?, d.b),
            _ => return Some(height),
        };
        if wanted > align || !(0..=MAX).contains(&size) {
            return None;
        }
        let sum = i64::from(height) + (size as u64).next_multiple_of(align.into()) as i64;
        let after = i32::try_from(sum).ok().filter(|&h| i64::from(h) <= MAX)?;
        self.saved[f.result(i).index()] = after;
        Some(after)
    }
}
