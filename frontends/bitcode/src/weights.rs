//! How often branches are taken: the metadata `prof` of branches and switches, which only optimized code asks for.

use std::collections::HashMap;

use gusset_codegen::ir::Edge;

use crate::constants::Constants;
use crate::metadata::{Metadata, Nodes};

/// A branch whose edges may have weights.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WeightedBranch {
    /// The number of the instruction.
    pub instruction: u64,
    /// The first of its edges. The default of a switch is the last one.
    pub first: Edge,
    pub edges: usize,
    pub is_switch: bool,
}

/// The weights that nodes of metadata give.
#[derive(Default, Debug)]
pub(crate) struct BranchWeights {
    /// The number of the kind `prof`, if weights are wanted.
    kind: Option<u64>,
    /// By the number of the node.
    by_node: HashMap<u64, Vec<u32>>,
}

impl BranchWeights {
    /// Finds the weights in the module's metadata, whose kinds have these names. `globals` is the number of values before the constants.
    pub fn find(metadata: &Metadata, kinds: &[Vec<u8>], constants: &Constants, globals: usize) -> BranchWeights {
        let kind = kinds.iter().position(|known| known == b"prof").map(|number| number as u64);
        let nodes = Nodes { module: metadata, own: None };
        let number = |operand: u64| {
            let (_, value) = nodes.value(operand)?;
            let constant = constants.list.get((value as usize).checked_sub(globals)?)?;
            u32::try_from(constants.number(*constant)? & 0xffff_ffff).ok()
        };
        let weights = |node: u64| {
            let mut operands = nodes.operands(node)?.flatten().peekable();
            if nodes.string(operands.next()?) != Some(b"branch_weights") {
                return None;
            }
            // Where they come from.
            operands.next_if(|&operand| nodes.string(operand).is_some());
            operands.map(number).collect::<Option<Vec<u32>>>().map(|weights| (node, weights))
        };
        let by_node = (0..metadata.nodes.len() as u64).filter_map(weights).collect();
        BranchWeights { kind, by_node }
    }

    /// Is there something to look for?
    #[inline]
    pub fn are_wanted(&self) -> bool {
        self.kind.is_some()
    }

    /// The weights of a node that is attached as a kind.
    pub fn get(&self, kind: u64, node: u64) -> Option<&[u32]> {
        if self.kind == Some(kind) { self.by_node.get(&node).map(Vec::as_slice) } else { None }
    }
}
