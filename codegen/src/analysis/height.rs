//! The height of the stack as a fact of every point of a function.
//!
//! The height is how many bytes the stack pointer is below the place where the prologue leaves it. Blocks are visited once, in
//! reverse postorder: the first path to reach one says its height, every other must say the same. Where that holds everywhere,
//! the whole function can be addressed from the stack pointer; where it does not (areas of unknown size, paths that meet
//! at different heights, loops that let the stack grow) nothing is known. ("Design and Usage of the InAlloca Attribute",
//! "Efficiency".)

use super::cfg::Cfg;
use crate::ir::{Function, Inst, Opcode, Value};

/// Heights beyond this are not followed.
const MAX: i64 = 1 << 29;
/// No path has come here yet; the value is no saved stack pointer.
const NONE: i32 = -1;

/// Heights of a function's blocks.
#[derive(Default)]
pub struct Heights {
    /// For each index of the block order the height at its start, in bytes.
    pub at_start: Vec<i32>,
    /// For each value the height at which it saved the stack pointer.
    saved: Vec<i32>,
}

impl Heights {
    /// Finds the heights of `f`, laid out by `cfg`, whose stack pointer is always a multiple of `align`. `false` if they are
    /// not all known.
    pub fn compute(&mut self, f: &Function, cfg: &Cfg, align: u32) -> bool {
        self.at_start.clear();
        self.at_start.resize(cfg.order.len(), NONE);
        self.saved.clear();
        self.saved.resize(f.value_count(), NONE);
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
            let mut agree = true;
            f.for_each_edge(f.inst(f.terminator(b)), |e| {
                let known = &mut self.at_start[cfg.index[f.edge_to(e).index()] as usize];
                agree &= *known == NONE || *known == height;
                *known = height;
            });
            if !agree {
                return false;
            }
        }
        true
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
                let h = self.saved[f.resolve(Value(d.a)).index()];
                return Some(h).filter(|&h| h != NONE);
            }
            Opcode::BlockOpen => (i64::from(d.a), d.b),
            Opcode::StackAlloc => (f.int_constant_signed(f.resolve(Value(d.a)))?, d.b),
            _ => return Some(height),
        };
        if wanted > align || !(0..=MAX).contains(&size) {
            return None;
        }
        let sum = i64::from(height) + (size as u64).next_multiple_of(align.into()) as i64;
        i32::try_from(sum).ok().filter(|&h| i64::from(h) <= MAX)
    }
}
