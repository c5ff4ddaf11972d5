//! Tables about a body while it is read: locals and phis.

use std::ops::Range;

use gusset_codegen::ir::{Block, Edge, Value};
use gusset_program::{Arguments, Index, LABEL, Sink, TypeId, VOID, Val};

use super::call_syntax::CallSyntaxTable;
use super::debug::DebugScratch;
use gusset_text::NameTable;

/// Tables of a body, used again for the next one.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Bytes of the body's text.
    pub(super) bytes: usize,
    pub(super) locals: Locals,
    pub(super) phis: Phis,
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
    pub(super) debug: DebugScratch,
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
pub(super) struct LocalRef(pub u32);

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
    /// Pairs of a block that defines something and a block that uses it.
    pub far_uses: Vec<(Block, Block)>,
    /// Uses of locals that are defined later, with the blocks of the uses.
    pub early_uses: Vec<(LocalRef, Block)>,
    /// Locals that are defined only by themselves, with their blocks and positions: a phi of one value, which is the
    /// phi.
    pub own_values: Vec<(LocalRef, Block, usize)>,
}

impl Locals {
    /// Removes all locals; the next body has `bytes` bytes of text.
    pub fn clear(&mut self, bytes: usize) {
        self.numbered.clear();
        self.named.clear();
        self.names.clear(bytes);
        self.forward.clear();
        self.far_uses.clear();
        self.early_uses.clear();
        self.own_values.clear();
    }

    /// Pairs of a block that defines something and a block that uses it.
    pub fn far_uses(&self) -> &[(Block, Block)] {
        &self.far_uses
    }

    /// A local, if it is defined.
    pub fn known(&self, r: LocalRef) -> Option<Local> {
        let table = if r.0 & NAMED != 0 { &self.named } else { &self.numbered };
        table.get((r.0 & !NAMED) as usize).copied().filter(|l| l.state == State::Defined)
    }

    /// Records that block `user` uses something that block `home` defines.
    #[inline]
    pub fn far_pair(&mut self, home: Block, user: Block) {
        if self.far_uses.last() != Some(&(home, user)) {
            self.far_uses.push((home, user));
        }
    }
}

/// A phi of several incoming values.
pub(super) struct Phi {
    pub block: Block,
    /// Position of its first parameter.
    pub param: u32,
    pub ty: TypeId,
    pub entries: Range<u32>,
    pub pos: u32,
}

#[derive(Clone, Copy)]
pub(super) struct PhiEntry {
    pub from: Block,
    pub val: Incoming,
    pub pos: u32,
}

/// An incoming value.
#[derive(Clone, Copy)]
pub(super) enum Incoming {
    Known(Val),
    /// A local that is not defined yet.
    Local(LocalRef),
    /// A constant expression that needs instructions, to be read again where it is used.
    Expression,
}

/// The phis of a body.
#[derive(Default)]
pub(super) struct Phis {
    pub phis: Vec<Phi>,
    pub entries: Vec<PhiEntry>,
    /// Blocks with phis of one incoming value, with the predecessor and the position.
    pub single: Vec<(Block, Block, usize)>,
    /// By block: the phi, and its entry for the edge from that block.
    pub marks: Vec<(u32, u32)>,
    pub edges: EdgesTo,
}

/// Edges by their target block.
#[derive(Default)]
pub(super) struct EdgesTo {
    pub edges: Vec<u32>,
    /// Entry i is the start of block i's edges, and entry i + 1 their end.
    pub starts: Vec<u32>,
}

impl EdgesTo {
    pub fn sort(&mut self, l: &impl Sink) {
        let (edges, starts) = (&mut self.edges, &mut self.starts);
        starts.clear();
        let blocks = l.block_count();
        starts.resize(blocks + 1, 0);
        for to in l.edge_targets() {
            starts[to.index() + 1] += 1;
        }
        for i in 0..blocks {
            starts[i + 1] += starts[i];
        }
        edges.clear();
        edges.resize(l.edge_targets().len(), 0);
        for (e, to) in l.edge_targets().enumerate().rev() {
            // Each start moves down from the end of its range.
            let at = &mut starts[to.index() + 1];
            *at -= 1;
            edges[*at as usize] = e as u32;
        }
    }

    pub fn range(&self, block: Block) -> Range<usize> {
        let i = block.index();
        let end = self.starts.get(i + 2).map_or(self.edges.len(), |&end| end as usize);
        self.starts[i + 1] as usize..end
    }
}

impl Phis {
    pub fn clear(&mut self) {
        self.phis.clear();
        self.entries.clear();
        self.single.clear();
    }
}
