//! Variables of a loop's body that may be read before they are written.
//!
//! A variable that is only used within a part of a loop, but not written on every way there, has the value that the last
//! turn left. As a value it would be a parameter of the loop and of every join, for a read that nobody means: a
//! front end has the slot of each variable in the entry, wherever the source declares it, and macros of C write it only
//! where a condition holds that the read depends on, too.

use super::dominators::Dominators;
use crate::analysis::{Cfg, NO_LOOP};

/// Blocks that are looked at, for each block of the function.
const EFFORT: usize = 16;

/// The search's tables.
#[derive(Default)]
pub(super) struct Leaks {
    /// For each block the last search that met it.
    met: Vec<u32>,
    search: u32,
    list: Vec<u32>,
    /// Steps that are left.
    effort: usize,
}

impl Leaks {
    /// Starts with a function.
    pub fn begin(&mut self, cfg: &Cfg) {
        self.met.clear();
        self.met.resize(cfg.order.len(), 0);
        self.search = 0;
        self.effort = EFFORT * cfg.order.len() + 256;
    }

    /// Does the part of a loop that all of a variable's accesses are in, without the loop's first block, begin with a
    /// value that is read? `stores` and `loads` are the blocks that store to the variable and that load it first.
    pub fn leaks<I: Iterator<Item = u32>>(
        &mut self,
        cfg: &Cfg,
        dominators: &Dominators,
        preds: impl Fn(u32) -> I,
        stores: &[u32],
        loads: &[u32],
    ) -> bool {
        if loads.is_empty() {
            return false;
        }
        let Some(top) = stores.iter().chain(loads).copied().reduce(|a, b| dominators.common(a, b)) else {
            return false;
        };
        if cfg.loop_of[top as usize] == NO_LOOP || dominators.above(top).is_none() {
            return false;
        }
        self.search += 1;
        self.list.clear();
        for &b in stores {
            // The search ends at stores.
            self.met[b as usize] = self.search;
        }
        for &b in loads {
            // A block that loads and then stores reads what comes in.
            self.list.push(b);
        }
        while let Some(b) = self.list.pop() {
            if b == top {
                return true;
            }
            for p in preds(b) {
                if self.effort == 0 {
                    return false;
                }
                self.effort -= 1;
                if self.met[p as usize] != self.search {
                    self.met[p as usize] = self.search;
                    self.list.push(p);
                }
            }
        }
        false
    }
}
