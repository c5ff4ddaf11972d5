//! Tables about a body while it is read: locals and phis.

use gusset_codegen::ir::{Block, Edge, Value};
use gusset_program::{Arguments, DebugRecords, Index, LABEL, LocalUses, Phis, TypeId, VOID, Val};

use super::call_syntax::CallSyntaxTable;
use gusset_text::NameTable;

/// Tables of a body, used again for the next one.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Bytes of the body's text.
    pub(super) bytes: usize,
    pub(super) locals: Locals,
    pub(super) phis: Phis<LocalRef>,
    /// The blocks of the program, and those that the lowering adds.
    pub(super) blocks: Vec<BlockInfo>,
    pub(super) call_syntax: CallSyntaxTable,
    /// The call being read, or the function's header.
    pub(super) call: Box<Arguments>,
    /// The parameters of the function: name, position and type.
    pub(super) params: Vec<(Option<LocalRef>, usize, TypeId)>,
    pub(super) cases: Vec<(Value, Edge)>,
    pub(super) edges: Vec<Edge>,
    pub(super) mask: Vec<u32>,
    /// The indices into an aggregate.
    pub(super) path: Vec<u32>,
    /// The members of the constants being read, nested ones last.
    pub(super) members: Vec<Val>,
    /// The indices of the `getelementptr`s at hand, one within the other.
    pub(super) indices: Vec<Index>,
    pub(super) debug: DebugRecords<LocalRef>,
}

/// What is known about a block.
#[derive(Clone, Copy)]
pub(super) struct BlockInfo {
    /// Where it was first mentioned.
    pub pos: usize,
    /// It has begun.
    pub begun: bool,
}

/// A local's name: the number of `%12`, or the number of the name `%x` with [`NAMED`] set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct LocalRef(pub u32);

pub(super) const NAMED: u32 = 1 << 31;

/// What is known about a local.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Unseen,
    /// Used before its definition: there is a stand-in.
    Forward,
    Defined,
    Block,
}

#[derive(Clone, Copy)]
pub(super) struct Local {
    pub ty: TypeId,
    pub val: Val,
    /// The block that defines it, or that it names; `NO_BLOCK` if there is none.
    pub block: Block,
    pub state: State,
}

impl Local {
    /// The name of a block.
    pub fn block(block: Block) -> Local {
        Local { ty: LABEL, val: Val(0), block, state: State::Block }
    }
}

pub(super) const NO_BLOCK: Block = Block(u32::MAX);
pub(super) const UNSEEN: Local = Local { ty: VOID, val: Val(0), block: NO_BLOCK, state: State::Unseen };

/// The locals of a body.
#[derive(Default)]
pub(super) struct Locals {
    pub numbered: Vec<Local>,
    pub named: Vec<Local>,
    pub names: NameTable,
    /// Locals that were used before their definition, with the position of the use.
    pub forward: Vec<(LocalRef, usize)>,
    pub uses: LocalUses<LocalRef>,
}

impl Locals {
    /// Removes all locals; the next body has `bytes` bytes of text.
    pub fn clear(&mut self, bytes: usize) {
        self.numbered.clear();
        self.named.clear();
        self.names.clear(bytes);
        self.forward.clear();
        self.uses.clear();
    }

    /// A local, if it is defined.
    pub fn known(&self, r: LocalRef) -> Option<Local> {
        let table = if r.0 & NAMED != 0 { &self.named } else { &self.numbered };
        table.get((r.0 & !NAMED) as usize).copied().filter(|l| l.state == State::Defined)
    }
}
