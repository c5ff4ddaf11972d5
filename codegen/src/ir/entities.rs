//! The entities of a function: numbers of values, instructions, blocks and other things that a function has lists of.

use crate::entity;

entity!(
    /// An SSA value.
    Value, "v"
);
entity!(
    /// An instruction.
    Inst, "i"
);
entity!(
    /// A basic block.
    Block, "b"
);
entity!(
    /// An edge from a terminator to a block, with the arguments for the block's parameters.
    Edge, "e"
);
entity!(
    /// A stack slot of known size.
    Slot, "ss"
);
entity!(
    /// A call site's description.
    CallId, "call"
);
entity!(
    /// A switch's cases.
    SwitchId, "sw"
);
entity!(
    /// A signature used in this function.
    SigId, "sig"
);
