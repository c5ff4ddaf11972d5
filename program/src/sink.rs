//! The interface through which a reader hands over a function.
//!
//! There are two sinks: the lowering makes Gusset's IR of a function, and the [`ProgramBuilder`](crate::ProgramBuilder) stores it for a
//! translation. Readers are generic over [`Sink`], so that every call is known when they are compiled. Instructions, constants and
//! calls are values, whose lists belong to the reader: [`OpRef`], [`Const`], and [`CallSite`] with its [`Arguments`].
//!
//! Readers hand over what code generation ignores only where [`PRESERVES_METADATA`](MetadataSink::PRESERVES_METADATA) says so.

use gusset_codegen::ir::{Block, Edge, SymbolId};

use crate::arguments::{Arguments, FunctionStart};
use crate::call::{CallSite, Called};
use crate::constant::Const;
use crate::debug_sink::DebugSink;
use crate::flags::Flags;
use crate::module::Metadata;
use crate::op::OpRef;
use crate::opaque::OpaqueOp;
use crate::refusal::{Refusal, Result};
use crate::types::{TypeId, TypeTable, VOID};
use crate::value::{Known, Val};

/// The result of an instruction without one.
pub const NO_RESULT: (TypeId, Val) = (VOID, Val(0));

/// The edges of a branch, which were made one after the other.
#[derive(Clone, Copy, Debug)]
pub struct BranchEdges {
    /// The first one.
    pub first: Edge,
    /// Their number.
    pub count: usize,
    /// The last one is that of the default, whose weight comes first.
    pub default_is_last: bool,
}

/// Takes a function from a reader.
///
/// The order is: [`begin`](Self::begin), the [`personality`](Self::personality) routine, blocks with their instructions,
/// [`close`](Self::close), the arguments of edges, and [`finish`](Self::finish). Values are known by a [`Val`] with the type that the
/// reader keeps. Blocks and edges are numbered in the order in which they are made.
pub trait Sink: MetadataSink + DebugSink {
    /// The module's types.
    fn types(&self) -> &TypeTable;
    /// The module's types, which may be extended.
    fn types_mut(&mut self) -> &mut TypeTable;

    // The function.

    /// Begins a function; returns the values of its parameters.
    fn begin(&mut self, start: &FunctionStart<'_>, parameters: &mut Box<Arguments>) -> Result<Vec<Val>>;
    /// Ends the last block: makes what is known only now, such as the cleanup of trampolines.
    fn close(&mut self) -> Result<()>;
    /// Takes the personality routine of the function.
    fn personality(&mut self, routine: Val) -> Result<()>;
    /// Ends the function, when all edges have their arguments: stand-ins are replaced by their definitions, and it is checked that
    /// exceptions go from invokes to landing pads and nowhere else. The error names a block.
    fn finish(&mut self) -> std::result::Result<(), (Block, Refusal)>;

    // Blocks and edges.

    /// Makes a new block of the program.
    fn create_block(&mut self) -> Block;
    /// Begins a block of the program.
    fn start_block(&mut self, block: Block);
    /// The block of the next instruction; none after a terminator.
    fn current_block(&self) -> Option<Block>;
    /// Number of blocks made so far, those of others than the program included.
    fn block_count(&self) -> usize;
    /// Makes an edge from the current block.
    fn edge(&mut self, to: Block) -> Edge;
    /// The target blocks of all edges, in order.
    fn edge_targets(&self) -> impl ExactSizeIterator<Item = Block> + DoubleEndedIterator;
    /// The program's block that an edge leaves.
    fn edge_from(&self, edge: Edge) -> Block;
    /// Continues with instructions on an edge that leaves `from`, in a block of their own.
    fn split_edge(&mut self, edge: Edge, from: Block);
    /// Appends a parameter to a block; returns its position and its value.
    fn append_param(&mut self, block: Block, ty: TypeId) -> (u32, Val);
    /// Sets an edge's argument for the parameter with an index.
    fn set_edge_arg(&mut self, edge: Edge, position: u32, ty: TypeId, val: Val);
    /// Says how often the edges of a branch are taken, in comparison with each other (`branch_weights`), if there is a weight for each.
    /// Translations keep the metadata that say so.
    fn set_branch_weights(&mut self, _edges: BranchEdges, _weights: &[u32]) {}
    /// Sets the symbol of a block whose address is taken.
    fn set_block_symbol(&mut self, block: Block, symbol: SymbolId);

    // Values that are defined later.

    /// Makes a stand-in for a value that is defined later.
    fn make_pending(&mut self, ty: TypeId) -> Result<Val>;
    /// A stand-in meets its definition.
    fn alias(&mut self, ty: TypeId, stand_in: Val, val: Val);

    // Constants.

    /// Sets whether instructions may be made; constants that would take some are refused where they may not. Returns whether
    /// one was refused since the last call.
    fn set_frozen(&mut self, frozen: bool) -> bool;
    /// Checks that `ty` is a value type, and of bounded size if it is an aggregate.
    fn check_aggregate(&self, ty: TypeId) -> Result<()>;
    /// What is known about a value that is not an aggregate.
    fn known(&self, val: Val) -> Known;
    /// Makes a constant of a type.
    fn constant(&mut self, ty: TypeId, constant: Const<'_>) -> Result<Val>;
    /// A constant of type `ty` with another member at an index, if all that is known: MLIR's own translation
    /// makes a constant of it, too.
    fn known_insertion(&mut self, ty: TypeId, val: Val, x: Val, index: u32) -> Option<Val>;
    /// Whether aggregate constants are data now; then they may have any size.
    fn holds_contents(&self) -> bool {
        false
    }

    // Instructions.

    /// Takes an instruction; returns the type of its result and the result, [`NO_RESULT`] if it has none.
    fn op(&mut self, op: OpRef<'_>) -> Result<(TypeId, Val)>;

    /// Makes a call with these arguments, whose lists the reader may reuse afterwards.
    fn call(&mut self, site: &CallSite<'_>, arguments: &mut Box<Arguments>) -> Result<Called>;

    /// Begins a constant expression: until [its end](MetadataSink::end_expression), ops become constant expressions where LLVM has
    /// them. It is an error where instructions may not be made and the expression never folds.
    fn begin_expression(&mut self, folds: bool) -> Result<()>;
}

/// What translations keep of a function and code generation ignores: a sink that makes code leaves these methods as they are.
pub trait MetadataSink {
    /// Whether the methods below are of use.
    const PRESERVES_METADATA: bool;

    /// Takes flags of the next instruction, or constant expression.
    fn flags(&mut self, _flags: Flags) {}
    /// Ends a constant expression.
    fn end_expression(&mut self) {}
    /// Gives a value its name.
    fn name_value(&mut self, _val: Val, _name: &[u8]) {}
    /// Gives a block its name.
    fn name_block(&mut self, _block: Block, _name: &[u8]) {}
    /// Attaches metadata to the last instruction.
    fn attach(&mut self, _kind: &[u8], _node: Metadata) {}
    /// Appends a debug record: `#dbg_value` without its first five letters, and operands.
    fn debug_record(&mut self, _kind: &[u8], _operands: Vec<Metadata>) {}
    /// The number of instructions made so far, those of others than the program included.
    fn instructions(&self) -> usize {
        0
    }
    /// Attaches metadata to all instructions from this number on that have none of its kind.
    fn attach_from(&mut self, _first: usize, _kind: &[u8], _node: &Metadata) {}
    /// A result of an operation that is not converted: of a type of LLVM's, or of `void` if it is of another.
    fn opaque_value(&mut self, _ty: TypeId) -> Val {
        Val(0)
    }
    /// Appends an operation, or a part of one, that is not converted.
    fn opaque(&mut self, _op: OpaqueOp) {}
}
