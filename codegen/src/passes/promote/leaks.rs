//! Variables of a loop's body that may be read before they are written.
//!
//! A variable that is only used in a part of a loop, but is not written on every path there, has the value that the
//! last iteration left. As a value it would be a parameter of the loop and of every join, for a read that nobody means:
//! a front end puts the slot of each variable into the entry, wherever the source declares it, and C macros write it
//! only under a condition that the read depends on, too.

use super::dominators::Dominators;
use crate::analysis::{Cfg, NO_LOOP};

/// How many blocks may be looked at for each block of the function.
const EFFORT: usize = 16;

/// The search's tables.
#[derive(Default)]
pub(super) struct Leaks {
    /// For each block, the last search that visited it.
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

    /// Is a variable live at the start of a block in `barred`: may the first load of a block in `loads` read a value
    /// that came from there? `stores` and `loads` as below.
    pub fn lives_into<I: Iterator<Item = u32>>(
        &mut self,
        barred: &[bool],
        preds: impl Fn(u32) -> I,
        stores: &[u32],
        loads: &[u32],
    ) -> bool {
        self.begin_search(stores, loads);
        while let Some(b) = self.list.pop() {
            if barred[b as usize] || !self.step(&preds, b) {
                return true;
            }
        }
        false
    }

    fn begin_search(&mut self, stores: &[u32], loads: &[u32]) {
        self.search += 1;
        self.list.clear();
        for &b in stores {
            // The search ends at stores.
            self.met[b as usize] = self.search;
        }
        // A block that loads and then stores reads the incoming value.
        self.list.extend_from_slice(loads);
    }

    /// Lists the predecessors of a block. False if that has been too much effort.
    fn step<I: Iterator<Item = u32>>(&mut self, preds: &impl Fn(u32) -> I, b: u32) -> bool {
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
        true
    }

    /// Is a variable live at the start of the part of a loop that contains all its accesses, without the loop's first
    /// block? `stores` and `loads` are the blocks that store to the variable and that load it first.
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
        self.begin_search(stores, loads);
        while let Some(b) = self.list.pop() {
            if b == top {
                return true;
            }
            if !self.step(&preds, b) {
                return false;
            }
        }
        false
    }
}
