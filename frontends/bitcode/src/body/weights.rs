//! How often the edges of branches are taken, which attached metadata say after all instructions.

use gusset_codegen::ir::Edge;
use gusset_program::Sink;
use gusset_text::ReadError;

use super::Reader;
use crate::bits::{Bits, Entry};
use crate::metadata::pairs_of;
use crate::weights::WeightedBranch;

impl<E: Sink> Reader<'_, E> {
    /// Reads what is attached to the function's instructions, which have been read.
    pub(super) fn branch_weights(&mut self, c: &mut Bits<'_>) -> std::result::Result<(), ReadError> {
        loop {
            match c.next()? {
                Entry::End => return Ok(()),
                Entry::Block(_) => c.pass_over()?,
                Entry::Record if c.record().len().is_multiple_of(2) => {}
                Entry::Record => {
                    for (kind, node) in pairs_of(c, &c.record()[1..])? {
                        if let Some(weights) = self.m.weights.get(kind, node) {
                            self.weigh(c.field(0), weights);
                        }
                    }
                }
            }
        }
    }

    /// Notes the branch that is read now.
    pub(super) fn note_branch(&mut self, first: Edge, edges: usize, is_switch: bool) {
        self.s.branches.push(WeightedBranch { instruction: self.instructions, first, edges, is_switch });
    }

    /// Weighs the edges of the branch with the number of an instruction.
    fn weigh(&mut self, instruction: u64, weights: &[u32]) {
        let branch = self.s.branches.binary_search_by_key(&instruction, |branch| branch.instruction).ok();
        let Some(at) = branch else { return };
        let branch = self.s.branches[at];
        if weights.len() != branch.edges {
            return;
        }
        // That of the default is the first one of a switch.
        let skipped = usize::from(branch.is_switch);
        for (k, &weight) in weights.iter().cycle().skip(skipped).take(branch.edges).enumerate() {
            self.l.set_edge_weight(Edge::new(branch.first.index() + k), weight.max(1));
        }
    }
}
