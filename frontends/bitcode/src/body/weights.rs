//! How often the edges of branches are taken: the metadata `prof`, which only optimized code asks for. What is attached to instructions
//! comes after all of them.

use gusset_program::{BranchEdges, Sink};
use gusset_text::ReadError;

use super::Reader;
use super::tables::WeightedBranch;
use crate::bits::Bits;
use crate::metadata::{Nodes, next_attached, pairs_of};

impl<E: Sink> Reader<'_, E> {
    /// Notes the branch that is read now, if weights are wanted.
    #[inline]
    pub(super) fn note_branch(&mut self, edges: BranchEdges) {
        if self.m.profile_kind.is_some() {
            self.s.branches.push(WeightedBranch { instruction: self.instructions, edges });
        }
    }

    /// Reads what is attached to the function's instructions, which have been read.
    pub(super) fn branch_weights(&mut self, c: &mut Bits<'_>) -> std::result::Result<(), ReadError> {
        while let Some(number) = next_attached(c)? {
            let branch = self.s.branches.binary_search_by_key(&number, |branch| branch.instruction);
            let Ok(branch) = branch.map(|at| self.s.branches[at]) else { continue };
            let attached = pairs_of(c, &c.record()[1..])?;
            let node = attached.iter().find(|(kind, _)| self.m.profile_kind == Some(*kind));
            if let Some(weights) = node.and_then(|&(_, node)| self.weights_of(node)) {
                self.l.set_branch_weights(branch.edges, &weights);
            }
        }
        Ok(())
    }

    /// The weights that a node of metadata gives.
    fn weights_of(&self, node: u64) -> Option<Vec<u32>> {
        let nodes = Nodes { module: &self.m.metadata, own: Some(&self.s.metadata) };
        let mut operands = nodes.operands(node)?.flatten().peekable();
        if nodes.string(operands.next()?) != Some(b"branch_weights") {
            return None;
        }
        // Where they come from.
        operands.next_if(|&operand| nodes.string(operand).is_some());
        let number = |operand| {
            let (constants, constant) = self.constant_of(u32::try_from(nodes.value(operand)?.1).ok()?)?;
            constants.number(constant).map(|number| number as u32)
        };
        operands.map(number).collect()
    }
}
