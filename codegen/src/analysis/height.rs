//! The height of the stack as a fact of every point of a function.
//!
//! The height is how many bytes the stack pointer is below the place where the prologue leaves it. Blocks are visited once, in
//! reverse postorder. Paths that meet at different heights go on at the greatest: the edges of the others lower the stack
//! pointer, which costs nothing but stack. So every height is known, and the whole function can be addressed from the stack
//! pointer, unless there are areas of unknown size, a loop lets the stack grow, or a call's argument block is not at the top on
//! every path; then nothing is known. ("Design and Usage of the InAlloca Attribute", "Efficiency".)

use gusset_abi::PassMode;

use super::cfg::Cfg;
use crate::ir::{BlockPlace, Function, Inst, Opcode, Value, ValueDef};

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
        for (index, &b) in cfg.order.iter().enumerate() {
            let mut height = self.at_start[index];
            for i in f.block_insts(b) {
                match self.after(f, i, height, align) {
                    Some(h) => height = h,
                    None => return false,
                }
            }
            let last = f.inst(f.terminator(b));
            f.for_each_edge(last, |e| {
                let to = cfg.index[f.edge_to(e).index()];
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
