//! Whether definitions reach their uses: the one property of functions from outside that readers cannot see as they go.

use super::dominators::Dominators;
use super::function::{Block, Function, Inst, Value, ValueDef};

/// Checks functions one after another; much cheaper than [`verify`](super::verify), which it is a part of.
#[derive(Default)]
pub struct DominanceCheck {
    /// First instruction of each block, in order, and the block.
    starts: Vec<(u32, Block)>,
}

/// A use that its definition does not reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unreached {
    /// The instruction that uses the value.
    pub user: Inst,
    /// The value.
    pub value: Value,
}

impl DominanceCheck {
    /// Checks a function whose blocks are filled.
    ///
    /// # Errors
    /// The first use, in the order of the text, that is not dominated by its definition.
    pub fn run(&mut self, f: &Function) -> Result<(), Unreached> {
        self.starts.clear();
        self.starts.extend(f.layout.iter().map(|&b| (f.blocks[b.index()].first, b)));
        self.starts.sort_unstable();
        let Some(&entry) = f.layout.first() else { return Ok(()) };
        let entry_end = f.blocks[entry.index()].end;
        // Most uses are next to their definitions, or these are in the entry; for others the tree is built.
        let mut tree: Option<Dominators> = None;
        for &b in &f.layout {
            let first = f.blocks[b.index()].first;
            for i in f.block_insts(b) {
                let mut bad = None;
                let mut check = |v: Value| {
                    let v = f.resolve(v);
                    let home = match f.value_def(v) {
                        ValueDef::Const(_) | ValueDef::Slot(_) => return,
                        ValueDef::Inst(def) if def < i && (def.0 >= first || def.0 < entry_end) => return,
                        ValueDef::Inst(def) => {
                            let at = self.starts.partition_point(|&(start, _)| start <= def.0);
                            self.starts.get(at.wrapping_sub(1)).map(|&(_, home)| home).filter(|&home| home != b)
                        }
                        ValueDef::Param(home) if home == b || home == entry => return,
                        ValueDef::Param(home) => Some(home),
                        ValueDef::Alias(_) | ValueDef::Pending => None,
                    };
                    let tree = tree.get_or_insert_with(|| Dominators::new(f));
                    // What is never reached may use anything.
                    if tree.is_reachable(b) && !home.is_some_and(|home| tree.dominates(home, b)) {
                        bad.get_or_insert(v);
                    }
                };
                let d = f.inst(i);
                f.for_each_operand(d, &mut check);
                if d.op.is_terminator() {
                    f.for_each_edge(d, |e| f.edge_args(e).iter().copied().for_each(&mut check));
                }
                if let Some(value) = bad {
                    return Err(Unreached { user: i, value });
                }
            }
        }
        Ok(())
    }
}
