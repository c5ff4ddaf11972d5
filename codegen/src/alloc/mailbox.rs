//! How the parameters of indirect branches' targets arrive: the moves for all targets come before the one jump, so each
//! parameter has a place of its own for the way.

use super::stream::Stream;
use crate::compile::CompileError;
use crate::ir::Opcode;
use crate::target::Target;

impl<T: Target> Stream<'_, T> {
    /// The mailbox of a parameter's part, if its block is the target of an indirect branch.
    pub fn mailbox(&self, unit: u32) -> Option<u32> {
        if self.mailboxes.is_empty() {
            return None;
        }
        self.mailboxes.binary_search_by_key(&unit, |m| m.0).ok().map(|k| self.mailboxes[k].1)
    }

    /// Gives every parameter of an indirect branch's target a mailbox: a place that only its own edges write and only its
    /// block's start reads.
    pub fn make_mailboxes(&mut self) -> Result<(), CompileError> {
        let f = self.f;
        for &b in &self.cfg.order {
            let d = f.inst(f.terminator(b));
            if d.op != Opcode::IndirectBr {
                continue;
            }
            for e in f.pool_edges(d.b, d.c) {
                for &p in f.params(f.edge_to(e)) {
                    for u in self.units.of(p) {
                        let bytes = if self.units.kind(u).bytes() == 16 { 16 } else { 8 };
                        self.mailboxes.push((u, bytes));
                    }
                }
            }
        }
        self.mailboxes.sort_unstable();
        self.mailboxes.dedup();
        for k in 0..self.mailboxes.len() {
            let bytes = self.mailboxes[k].1;
            let p = self.frame.add(bytes, bytes).ok_or_else(|| CompileError::frame_too_large(f))?;
            self.mailboxes[k].1 = self.units.new_place(p);
        }
        Ok(())
    }
}
