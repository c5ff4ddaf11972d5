//! Tables about a body while it is read.

use foldhash::HashMap;
use gusset_codegen::ir::{Block, Edge, Value};
use gusset_program::{
    Arguments, BranchEdges, DebugRecords, EntryId, Index, InstLocation, LocalUses, Node, Phis, TypeId, VOID, Val,
};

use crate::constants::Constants;
use crate::metadata::Metadata;
use crate::old::Modern;

/// A branch whose edges may have weights.
#[derive(Clone, Copy, Debug)]
pub struct WeightedBranch {
    /// The number of the instruction.
    pub instruction: u64,
    pub edges: BranchEdges,
}

/// Tables of a body, used again for the next one.
#[derive(Default)]
pub(crate) struct Scratch {
    /// The function's own values: arguments, constants, results of instructions.
    pub locals: Vec<Local>,
    pub constants: Constants,
    /// Branches whose weights are wanted.
    pub branches: Vec<WeightedBranch>,
    pub metadata: Metadata,
    /// Blocks by number, as far as they have been mentioned.
    pub blocks: Vec<Option<Block>>,
    /// How many blocks have begun; 0 before their number is known.
    pub begun: usize,
    /// Values that were used before their definition, with the place of the use.
    pub forward: Vec<(u32, usize)>,
    pub uses: LocalUses<u32>,
    pub phis: Phis<u32>,
    /// For each phi and incoming value, its value's number and its place.
    pub phi_places: Vec<(u32, usize)>,
    /// The call being read, or the function's header.
    pub call: Box<Arguments>,
    /// Operand bundles of the next call: the numbers of their tags, and their operands in the next list.
    pub bundles: Vec<(u64, usize, usize)>,
    pub bundled: Vec<(u32, TypeId)>,
    /// By the number of a function's value, the first call of it.
    pub calls: Vec<Option<KnownCall>>,
    pub records: DebugRecords<u32>,
    pub locations: Locations,
    pub cases: Vec<(Value, Edge)>,
    pub edges: Vec<Edge>,
    pub mask: Vec<u32>,
    /// The indices into an aggregate.
    pub path: Vec<u32>,
    /// The members of the constants being made, nested ones last.
    pub members: Vec<Val>,
    /// The indices of the `getelementptr`s at hand, one within the other.
    pub indices: Vec<Index>,
    pub written: Written,
    /// Records that lack types, as later versions write them, if one has been found.
    pub modern: Option<Modern>,
}

/// What only translation needs of a body.
#[derive(Default)]
pub(crate) struct Written {
    /// Names by the numbers of values, those of blocks by the numbers of blocks.
    pub names: HashMap<u64, Vec<u8>>,
    pub blocks: HashMap<u64, Vec<u8>>,
    /// By the numbers of instructions, the numbers of kinds with those of nodes.
    pub attached: HashMap<u64, Vec<(u64, u64)>>,
    /// Instructions so far.
    pub count: u64,
    /// The node of the last location.
    pub location: Option<u32>,
    /// The locations of all bodies, which have no numbers in the file: by their fields, their nodes.
    pub known: HashMap<[u64; 5], u32>,
    pub nodes: Vec<(u32, Node)>,
}

impl Written {
    /// Forgets what was about the last function.
    pub fn clear(&mut self) {
        self.names.clear();
        self.blocks.clear();
        self.attached.clear();
        (self.count, self.location) = (0, None);
    }
}

impl Scratch {
    /// For translation, the nodes of the locations of all bodies that have been read.
    pub fn take_locations(&mut self) -> Vec<(u32, Node)> {
        std::mem::take(&mut self.written.nodes)
    }

    /// Forgets what was about the last function.
    pub fn clear(&mut self) {
        self.locals.clear();
        self.constants.clear();
        self.metadata.clear();
        self.blocks.clear();
        self.begun = 0;
        self.forward.clear();
        self.uses.clear();
        self.branches.clear();
        self.phis.clear();
        self.phi_places.clear();
        self.bundles.clear();
        self.bundled.clear();
        self.members.clear();
        self.indices.clear();
        self.records.clear();
        self.locations.clear();
        self.written.clear();
        self.modern = None;
    }
}

/// How a function was called first, and the signature of that call.
#[derive(Clone, Copy)]
pub(crate) struct KnownCall {
    /// The numbers of the list of attributes and of the function type, and the word with the convention.
    pub list: u32,
    pub ty: u32,
    pub convention: u64,
    pub entry: EntryId,
}

/// What is known about a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Unseen,
    /// Used before its definition: there is a stand-in.
    Forward,
    Defined,
    /// The value is the index of a constant.
    Constant,
}

#[derive(Clone, Copy)]
pub(crate) struct Local {
    pub ty: TypeId,
    pub val: Val,
    /// The block that defines it.
    pub block: Block,
    pub state: State,
}

pub(super) const NO_BLOCK: Block = Block(u32::MAX);
pub(super) const UNSEEN: Local = Local { ty: VOID, val: Val(0), block: NO_BLOCK, state: State::Unseen };

/// The locations of a body's instructions.
#[derive(Default)]
pub(crate) struct Locations {
    /// By their fields, the numbers of locations.
    pub known: HashMap<(u64, u64, u64, u64), u32>,
    /// The last one.
    pub last: Option<InstLocation>,
    /// An instruction has been read whose location has not been handed over.
    pub open: bool,
    /// Instructions read so far.
    pub count: u64,
}

impl Locations {
    pub fn clear(&mut self) {
        self.known.clear();
        (self.last, self.open, self.count) = (None, false, 0);
    }
}
