//! Uses of values by what is not dead.

use crate::ir::{Block, Function, Inst, Value};

/// How often values are used, other than by instructions whose results nobody uses.
#[derive(Default)]
pub struct UseCounts {
    /// For each value.
    counts: Vec<u32>,
    /// For each instruction: nobody uses its results, and it has no effect.
    dead: Vec<bool>,
}

impl UseCounts {
    /// Counts the uses in blocks in an order in which definitions come before their uses.
    pub fn count(&mut self, f: &Function, order: &[Block]) {
        self.counts.clear();
        self.counts.resize(f.value_count(), 0);
        self.dead.clear();
        self.dead.resize(f.insts.len(), false);
        for &b in order.iter().rev() {
            for i in f.block_insts(b).rev() {
                let d = f.inst(i);
                if !d.op.has_side_effect() && f.results(i).all(|v| self.counts[v.index()] == 0) {
                    self.dead[i.index()] = true;
                    continue;
                }
                f.for_each_operand(d, |v| self.counts[v.index()] += 1);
                f.for_each_edge(d, |e| f.edge_args(e).iter().for_each(|v| self.counts[v.index()] += 1));
            }
        }
    }

    /// Uses of a value; 0 for those that were made since.
    pub fn of(&self, v: Value) -> u32 {
        self.counts.get(v.index()).copied().unwrap_or(0)
    }

    /// Counts uses that a value gets: as many as another one has, in whose place it is used from now on, or one.
    pub fn add(&mut self, v: Value, as_of: Option<Value>) {
        let more = as_of.map_or(1, |other| self.of(other));
        if let Some(count) = self.counts.get_mut(v.index()) {
            *count += more;
        }
    }

    /// Is an instruction dead?
    pub fn is_dead(&self, i: Inst) -> bool {
        self.dead.get(i.index()).copied().unwrap_or(false)
    }
}
