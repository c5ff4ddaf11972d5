//! Checks that definitions dominate their uses: the only property of a function that readers cannot check while they
//! read.

use super::dominators::Dominators;
use super::entities::{Block, Inst, Value};
use super::function::{Function, ValueDef};
use super::unwinding::Returned;

/// Checks functions one after another. Much cheaper than [`verify`](super::verify), of which it is a part.
///
/// An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Default)]
pub struct DominanceCheck {
    /// For each block its first instruction, in order of the instructions.
    starts: Vec<(u32, Block)>,
    tree: Dominators,
    /// For functions with landing pads.
    returned: Option<Returned>,
    /// Is `tree` computed for this function?
    tree_ready: bool,
    ready: bool,
}

/// A use that its definition does not dominate. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unreached {
    /// The instruction that uses the value.
    pub user: Inst,
    /// The value.
    pub value: Value,
}

impl DominanceCheck {
    /// Checks a function whose blocks are filled. `far` lists the pairs of blocks (definition, use) that are to be
    /// checked: every other operand and argument is known to be defined in the entry, or before its use in the same
    /// block.
    ///
    /// # Errors
    /// The first use, in the order of the text, that is not dominated by its definition.
    pub fn run(&mut self, f: &Function, far: Option<&[(Block, Block)]>) -> Result<(), Unreached> {
        (self.tree_ready, self.ready) = (false, false);
        let Some(&entry) = f.layout.first() else { return Ok(()) };
        if far.is_some_and(|pairs| self.all_dominate(f, pairs)) {
            return Ok(());
        }
        // Values defined from an invoked call on are not known in its landing pad.
        let entry_end = match f.exceptions.personality.and_then(|_| f.invoked(entry)) {
            Some(call) => call.0,
            None => f.blocks[entry.index()].end,
        };
        for &b in &f.layout {
            let data = &f.blocks[b.index()];
            let first = data.first;
            for i in (first..data.end).map(Inst) {
                let mut bad = None;
                // Most definitions are near their uses or in the entry; the tree is only built for others.
                let mut check = |v: Value| match f.value_def(v) {
                    ValueDef::Const | ValueDef::Slot(_) => {}
                    ValueDef::Inst(def) if def < i && (def.0 >= first || def.0 < entry_end) => {}
                    ValueDef::Param(home) if home == b || home == entry => {}
                    _ => {
                        if bad.is_none() && !self.reaches(f, f.resolve(v), i, b) {
                            bad = Some(v);
                        }
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

    /// Does the first block of each pair dominate the second?
    fn all_dominate(&mut self, f: &Function, pairs: &[(Block, Block)]) -> bool {
        // The result of an invoked call is not known in all blocks that the call's block dominates.
        if f.exceptions.personality.is_some() {
            return false;
        }
        if pairs.is_empty() {
            return true;
        }
        self.compute_tree(f);
        pairs.iter().all(|&(home, user)| self.tree.dominates(home, user))
    }

    fn compute_tree(&mut self, f: &Function) {
        if !self.tree_ready {
            self.tree_ready = true;
            self.tree.compute(f);
        }
    }

    fn prepare(&mut self, f: &Function) {
        self.ready = true;
        self.compute_tree(f);
        self.starts.clear();
        self.starts.extend(f.layout.iter().map(|&b| (f.blocks[b.index()].first, b)));
        self.starts.sort_unstable();
        self.returned = Returned::new(f, &self.tree);
    }

    /// Does the definition of `v` reach the instruction `user` of the block `b`?
    #[cold]
    fn reaches(&mut self, f: &Function, v: Value, user: Inst, b: Block) -> bool {
        if !self.ready {
            self.prepare(f);
        }
        let home = match f.value_def(v) {
            ValueDef::Const | ValueDef::Slot(_) => return true,
            ValueDef::Inst(def) => {
                let at = self.starts.partition_point(|&(start, _)| start <= def.0);
                match self.starts.get(at.wrapping_sub(1)) {
                    Some(&(_, home)) if home != b => {
                        let known = |r: &Returned| r.reaches(f, &self.tree, def, home, b);
                        // A block that is never reached may use anything, and its values may be used there.
                        let reached = self.tree.is_reachable(b) && self.tree.is_reachable(home);
                        Some(home).filter(|_| !reached || self.returned.as_ref().is_none_or(known))
                    }
                    Some(_) if def < user => return true,
                    _ => None,
                }
            }
            ValueDef::Param(home) => Some(home),
            ValueDef::Alias(_) | ValueDef::Pending => None,
        };
        // A block that is never reached may use anything.
        !self.tree.is_reachable(b) || home.is_some_and(|home| self.tree.dominates(home, b))
    }
}
