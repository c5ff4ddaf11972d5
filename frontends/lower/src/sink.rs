//! The interface through which a reader hands over a function.
//!
//! There are two sinks: [`FunctionLowering`] makes Gusset's IR of a function, and the [`Recorder`](crate::Recorder) keeps it for a
//! translation. Readers are generic over [`Sink`], so that every call is known when they are compiled.
//!
//! Readers hand over what code generation ignores only where [`PRESERVES_METADATA`](Sink::PRESERVES_METADATA) says so.

use gusset_abi::Convention;
use gusset_codegen::ir::{Block, Callee, ConstData, Edge, Opcode, Pad, SymbolId, Type, Value};
use gusset_codegen::sparse::SparseBytes;
use gusset_program::{
    Argument, Attribute, Cast, Compare, Flags, Index, LocalName, Metadata, Op, OpRef, OpaqueOp, PTR, Refusal, Result,
    TOKEN, TypeId, TypeTable, VOID, Val, refuse_if,
};

use crate::aggregates::{COMPUTED, Element};
use crate::assembly::Assembly;
use crate::attributes::{FnAttrs, ParamAttrs, Values};
use crate::calls::{CallSite, Called};
use crate::function::FunctionLowering;
use crate::intrinsics::Intrinsic;
use crate::signatures::Request;

/// The result of an instruction without one.
pub const NO_RESULT: (TypeId, Val) = (VOID, Val(0));

/// The value of a result.
#[inline(always)]
fn value_of(result: (TypeId, Val)) -> Val {
    result.1
}

/// Takes a function from a reader.
///
/// The order is: [`begin_header`](Self::begin_header), a [`parameter`](Self::parameter) for each,
/// [`begin`](Self::begin), [`enter`](Self::enter), then blocks with their instructions, and [`close`](Self::close). Values are
/// known by a [`Val`] with the type that the reader keeps. Blocks and edges are numbered in the order in which they are made.
pub trait Sink {
    /// Whether the methods with empty bodies below are of use: they take what code generation ignores.
    const PRESERVES_METADATA: bool;

    /// The module's types.
    fn types(&self) -> &TypeTable;
    /// The module's types, which may be extended.
    fn types_mut(&mut self) -> &mut TypeTable;

    // The function.

    /// Begins the header of the function.
    fn begin_header(&mut self, convention: Convention, ret: TypeId, attrs: ParamAttrs, avx: bool);
    /// Takes a parameter of the header.
    fn parameter(&mut self, ty: TypeId, attrs: ParamAttrs) -> Result<()>;
    /// The function takes more than these parameters.
    fn variadic_parameters(&mut self);
    /// Begins the body, with the parameters taken; their values.
    fn begin(&mut self, symbol: SymbolId, attrs: FnAttrs, values: Option<&Values>) -> Result<Vec<Val>>;
    /// What the function does before its first instruction: it has `trampolines` of its own.
    fn enter(&mut self, values: Option<&Values>, trampolines: usize) -> Result<()>;
    /// At the function's end: what is written or known only now.
    fn close(&mut self) -> Result<()>;
    /// Takes the personality routine of the function.
    fn personality(&mut self, routine: Val) -> Result<()>;
    /// At the function's end, when edges have their arguments: exceptions go from invokes to landing pads and nowhere else. The
    /// error names a block.
    fn settle_unwinding(&mut self) -> std::result::Result<(), (Block, Refusal)>;
    /// Whether some result is not defined in every block after the program's block that computes it.
    fn is_scattered(&self) -> bool;

    // Blocks and edges.

    /// Makes a new block of the program.
    fn create_block(&mut self) -> Block;
    /// Begins a block of the program.
    fn start_block(&mut self, block: Block);
    /// The block of the next instruction; none after a terminator.
    fn current_block(&self) -> Option<Block>;
    /// Has a block been begun?
    fn has_begun(&self, block: Block) -> bool;
    /// A block that was made and never begun.
    fn missing_block(&self) -> Option<Block>;
    /// Number of blocks made so far, those of others than the program included.
    fn block_count(&self) -> usize;
    /// The current block of the program.
    fn block(&self) -> Block;
    /// The block of the function's parameters.
    fn entry(&self) -> Block;
    /// Makes an edge from the current block.
    fn edge(&mut self, to: Block) -> Edge;
    /// Number of edges made so far.
    fn edge_count(&self) -> usize;
    /// The block that an edge leads to.
    fn edge_to(&self, edge: Edge) -> Block;
    /// The target blocks of all edges, in order.
    fn edge_targets(&self) -> impl ExactSizeIterator<Item = Block> + DoubleEndedIterator;
    /// The program's block that an edge leaves.
    fn edge_from(&self, edge: Edge) -> Block;
    /// Continues with instructions on an edge that leaves `from`, in a block of their own.
    fn split_edge(&mut self, edge: Edge, from: Block);
    /// The position of the next parameter of a block.
    fn param_count(&self, block: Block) -> u32;
    /// Appends a parameter to a block.
    fn append_param(&mut self, block: Block, ty: TypeId) -> Val;
    /// Sets an edge's argument for the parameter with an index.
    fn set_edge_arg(&mut self, edge: Edge, position: u32, ty: TypeId, val: Val);
    /// Sets the symbol of a block whose address is taken.
    fn set_block_symbol(&mut self, block: Block, symbol: SymbolId);

    // Values that are defined later.

    /// Makes a stand-in for a value that is defined later.
    fn make_pending(&mut self, ty: TypeId) -> Result<Val>;
    /// A stand-in meets its definition.
    fn alias(&mut self, ty: TypeId, stand_in: Val, val: Val);
    /// At the end: every stand-in that met its definition is replaced by it.
    fn resolve_operands(&mut self);

    // Constants.

    /// Whether instructions may be made. Constants that would take some are refused where they may not.
    fn set_frozen(&mut self, frozen: bool);
    /// Whether an instruction was refused since [`set_frozen`](Self::set_frozen)?
    fn was_refused(&self) -> bool;
    /// Checks that `ty` is a value type, and of bounded size if it is an aggregate.
    fn check_aggregate(&self, ty: TypeId) -> Result<()>;
    /// An error unless `ty` is a scalar or vector type.
    fn check_scalar(&self, ty: TypeId) -> Result<()>;
    /// An error where instructions may not be made: for constant expressions that never fold.
    fn check_instruction(&mut self) -> Result<()>;
    /// The number of a value that is an integer constant.
    fn int_constant(&self, val: Val) -> Option<u128>;
    /// What a call of a pointer calls.
    fn callee(&self, val: Val) -> Callee;
    /// An integer of at most 128 bits, truncated to its type.
    fn integer(&mut self, ty: TypeId, n: i128) -> Val;
    /// An integer of any width: 64-bit words, the lowest first, extended by zeros, or by ones if it is negative.
    fn wide(&mut self, ty: TypeId, words: &[u64], negative: bool) -> Val;
    /// A floating-point number by its bits.
    fn float(&mut self, ty: TypeId, bits: u128) -> Val;
    /// An array of bytes, as long as its type.
    fn string(&mut self, ty: TypeId, bytes: &[u8]) -> Result<Val>;
    /// The null pointer.
    fn null(&mut self, ty: TypeId) -> Val;
    /// The address of a symbol; for a thread-local one, in the current thread.
    fn symbol_address(&mut self, symbol: SymbolId, tls: bool) -> Result<Val>;
    /// The address of a block, which `symbol` stands for where code is made.
    fn block_address(&mut self, function: SymbolId, block: LocalName<'_>, symbol: Option<SymbolId>) -> Result<Val>;
    /// `zeroinitializer`.
    fn zero_value(&mut self, ty: TypeId) -> Result<Val>;
    /// `poison`.
    fn poison_value(&mut self, ty: TypeId) -> Result<Val>;
    /// `undef`.
    fn undef_value(&mut self, ty: TypeId) -> Result<Val> {
        self.poison_value(ty)
    }
    /// A vector with the same value in every lane.
    fn splat(&mut self, ty: TypeId, lane_ty: TypeId, lane: Val) -> Result<Val>;
    /// A vector of these lanes.
    fn vector(&mut self, ty: TypeId, lanes: &[Value]) -> Result<Val>;
    /// Room for an aggregate constant whose members will be [set](Self::set_member), in order.
    fn begin_aggregate(&mut self, ty: TypeId) -> Result<Val>;
    /// Puts a member into an aggregate under construction.
    fn set_member(&mut self, aggregate: Val, element: Element, x: Val);
    /// Whether aggregate constants are data now; then they may have any size.
    fn holds_contents(&self) -> bool {
        false
    }
    /// Such a constant with these bytes in memory, followed by zeros.
    fn contents(&mut self, _ty: TypeId, _bytes: &SparseBytes) -> Result<Val> {
        Err(Refusal::new("a constant of bytes is not possible here"))
    }
    /// `a op b` of constants of a type.
    fn binary_constant(&mut self, op: Opcode, ty: TypeId, a: Val, b: Val) -> Result<Val>;

    // Instructions.

    /// Takes an instruction; returns the type of its result and the result, [`NO_RESULT`] if it has none.
    fn op(&mut self, op: OpRef<'_>) -> Result<(TypeId, Val)>;
    /// `extractvalue` from an aggregate, as whose element that was found.
    fn extract_value(&mut self, ty: TypeId, val: Val, element: Element) -> Val;
    /// `insertvalue`: an aggregate of type `ty` with `x` in an element of it.
    fn insert_value(&mut self, ty: TypeId, val: Val, element: Element, x: Val) -> Val;

    /// A binary operator on two values of a type.
    #[inline(always)]
    fn binary(&mut self, op: Opcode, ty: TypeId, a: Val, b: Val) -> Result<Val> {
        self.op(Op::Binary { op, ty, a, b }).map(value_of)
    }
    /// `fneg`.
    fn fneg(&mut self, ty: TypeId, val: Val) -> Result<Val> {
        self.op(Op::Fneg { ty, val }).map(value_of)
    }
    /// `freeze`.
    fn freeze(&mut self, ty: TypeId, val: Val) -> Result<Val> {
        self.op(Op::Freeze { ty, val }).map(value_of)
    }
    /// A conversion.
    #[inline(always)]
    fn cast(&mut self, cast: Cast, from: TypeId, val: Val, ty: TypeId) -> Result<Val> {
        self.op(Op::Cast { cast, from, val, ty }).map(value_of)
    }
    /// Compares two values of a type; returns the result's type and the result.
    #[inline(always)]
    fn compare(&mut self, compare: Compare, of: TypeId, a: Val, b: Val) -> Result<(TypeId, Val)> {
        self.op(Op::Compare { compare, of, a, b })
    }
    /// `select`.
    #[inline(always)]
    fn select(&mut self, condition: (TypeId, Val), ty: TypeId, a: Val, b: Val) -> Result<Val> {
        self.op(Op::Select { condition, ty, a, b }).map(value_of)
    }
    /// `extractelement` from a vector of type `of`.
    fn extract_element(&mut self, of: TypeId, val: Val, index: (TypeId, Val)) -> Result<Val> {
        self.op(Op::ExtractElement { of, val, index }).map(value_of)
    }
    /// `insertelement`.
    fn insert_element(&mut self, ty: TypeId, val: Val, element: Val, index: (TypeId, Val)) -> Result<Val> {
        self.op(Op::InsertElement { ty, val, element, index }).map(value_of)
    }
    /// `shufflevector` of two vectors of a type: the result's type, and the result. `u32::MAX` stands for any lane.
    fn shuffle(&mut self, of: TypeId, a: Val, b: Val, mask: &[u32]) -> Result<(TypeId, Val)> {
        self.op(Op::ShuffleVector { of, a, b, mask })
    }

    // Memory.

    /// `alloca` of `count` elements of a type, one if there is no count; `in_block` for an `inalloca` one.
    fn alloca(&mut self, of: TypeId, count: Option<Val>, align: u32, in_block: bool) -> Result<Val> {
        self.op(Op::Alloca { ty: PTR, of, count, align, in_block }).map(value_of)
    }
    /// Loads a value from address space `space`.
    #[inline(always)]
    fn load(&mut self, ty: TypeId, addr: Val, align: u32, volatile: bool, space: u8) -> Result<Val> {
        self.op(Op::Load { ty, addr, align, volatile, space }).map(value_of)
    }
    /// Stores a value to address space `space`.
    #[inline(always)]
    fn store(&mut self, ty: TypeId, val: Val, addr: Val, align: u32, volatile: bool, space: u8) -> Result<()> {
        self.op(Op::Store { ty, val, addr, align, volatile, space }).map(|_| ())
    }

    /// `getelementptr` with one index: the address, and its type.
    fn element_address(&mut self, of: TypeId, base: (TypeId, Val), index: Index) -> Result<(TypeId, Val)> {
        self.op(Op::GetElementPtr { of, base, indices: &[index], in_range: None })
    }

    // Calls.

    /// Begins a call of a function type with this result: its arguments follow.
    fn begin_call(&mut self, convention: Convention, ret: TypeId, attrs: ParamAttrs);
    /// Begins an intrinsic or inline assembly: its arguments follow.
    fn begin_operation(&mut self);
    /// The arguments taken so far.
    fn arguments(&self) -> usize;
    /// The signature of the current call.
    fn request(&self) -> &Request;
    /// Takes an argument.
    fn argument(&mut self, ty: TypeId, attrs: ParamAttrs, val: Val) -> Result<()>;
    /// Takes an argument that is metadata: a string's text, or nothing that matters.
    fn metadata_argument(&mut self, text: &[u8]);
    /// The call passes on the unnamed arguments of its function.
    fn forward_unnamed(&mut self);
    /// Makes the call whose arguments have been taken.
    fn call(&mut self, site: &CallSite) -> Result<Called>;
    /// Makes the instructions of an intrinsic whose arguments have been taken; its value, 0 if it has none. Who
    /// [carries](Self::PRESERVES_METADATA) gets a [`call`](Self::call) of the intrinsic's symbol instead.
    fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        libcall: Option<SymbolId>,
        ret: TypeId,
        attrs: FnAttrs,
    ) -> Result<Val>;
    /// The value of an intrinsic that does nothing; 0 if it has none.
    fn nothing(&mut self, ret: TypeId) -> Result<Val>;
    /// A call of a C function that the program does not have; its result.
    fn libcall(&mut self, symbol: SymbolId, ret: TypeId, args: &[(TypeId, Value)]) -> Result<Value>;
    /// Inline assembly whose arguments have been taken: its value, 0 if it has none, and the number of its labels.
    fn inline_assembly(
        &mut self,
        ret: TypeId,
        does: Assembly,
        side_effect: bool,
        constraints: &str,
    ) -> Result<(Val, usize)>;
    /// `llvm.call.preallocated.setup` of a call with `count` such arguments; its token.
    fn setup_preallocated(&mut self, count: u32) -> Val;
    /// The number of the argument block that a token stands for.
    fn block_of_token(&self, token: Val) -> Result<usize> {
        Ok(token.0 as usize)
    }
    /// `llvm.call.preallocated.arg`: the address of an argument whose attributes say its type.
    fn preallocated_argument(&mut self, token: usize, number: Option<u32>, attrs: ParamAttrs) -> Result<Val>;
    /// `llvm.call.preallocated.teardown`.
    fn close_preallocated(&mut self, token: usize);

    // Terminators and exceptions.

    /// `br` without a condition.
    fn jump(&mut self, to: Edge) {
        self.terminate(Op::Jump(to));
    }
    /// `br` by an `i1`.
    fn br(&mut self, condition: Val, then: Edge, other: Edge) {
        self.terminate(Op::Br { condition, then, other });
    }
    /// `switch` on an integer, by constants of its type.
    fn switch(&mut self, val: Val, cases: &[(Value, Edge)], default: Edge) -> Result<()> {
        self.op(Op::Switch { val, cases, default }).map(|_| ())
    }
    /// `ret` of a value of the function's result type.
    fn ret(&mut self, ty: TypeId, val: Val) -> Result<()> {
        self.op(Op::Ret { ty, val }).map(|_| ())
    }
    /// `unreachable`.
    fn unreachable(&mut self) {
        self.terminate(Op::Unreachable);
    }
    /// A terminator that never fails.
    fn terminate(&mut self, op: OpRef<'_>) {
        let done = self.op(op);
        debug_assert!(done.is_ok(), "a terminator that never fails");
    }
    /// The end of an `invoke`, whose call has been made; `throws` if an exception may leave it.
    fn invoke(&mut self, normal: Edge, unwind: Edge, throws: bool);
    /// The end of a `callbr`, whose assembly has been made.
    fn end_callbr(&mut self, normal: Block, labels: &[Block]);

    // What only translations keep. These precede the instruction that they belong to.

    /// Flags of the next instruction, or constant expression.
    fn flags(&mut self, _flags: Flags) {}
    /// Attributes: of the result if [`begin_header`](Self::begin_header) or [`begin_call`](Self::begin_call) comes next, of a
    /// parameter or argument if that does, of the call if [`call`](Self::call) or
    /// [`inline_assembly`](Self::inline_assembly) does.
    fn attributes(&mut self, _attributes: Vec<Attribute>) {}
    /// The word for the convention of the next call, where that is known only as text.
    fn convention(&mut self, _name: &[u8]) {}
    /// An operand bundle of the next call.
    fn bundle(&mut self, _tag: &[u8], _operands: Vec<Argument>) {}
    /// The type of the pointer that the next address of a symbol or block is.
    fn pointer_type(&mut self, _ty: TypeId) {}
    /// Takes the template of the next inline assembly, with the words after `asm`.
    fn assembly(&mut self, _template: &[u8], _words: &[&'static str]) {}
    /// A constant expression begins: what comes are no instructions, where that is possible. What was told of the instruction around
    /// it waits.
    fn begin_expression(&mut self) {}

    // These follow what they belong to.

    /// The constant expression ends.
    fn end_expression(&mut self) {}
    /// The name of a value.
    fn name_value(&mut self, _val: Val, _name: &[u8]) {}
    /// The name of a block.
    fn name_block(&mut self, _block: Block, _name: &[u8]) {}
    /// Metadata attached to the last instruction.
    fn attach(&mut self, _kind: &[u8], _node: Metadata) {}

    // Instructions that only translations keep.

    /// An argument that is metadata, in full.
    fn metadata(&mut self, _operand: Metadata) {}
    /// A debug record: `#dbg_value` without its first five letters, and operands.
    fn debug_record(&mut self, _kind: &[u8], _operands: Vec<Metadata>) {}
    /// Makes the call whose arguments have been taken, of an intrinsic that the module has no symbol of, by its whole name.
    fn call_intrinsic(&mut self, _name: &[u8]) -> Result<Val> {
        Err(Refusal::new("this intrinsic is not supported"))
    }
    /// Is a value a constant?
    fn is_constant(&self, _val: Val) -> bool {
        false
    }
    /// A constant of type `ty` with one member replaced, if everything is known: MLIR's own translation makes a
    /// constant of it, too.
    fn known_insertion(&mut self, _ty: TypeId, _val: Val, _x: Val, _index: u32) -> Option<Val> {
        None
    }
    /// The number of instructions made so far, those of others than the program included.
    fn instructions(&self) -> usize {
        0
    }
    /// Metadata attached to all instructions from this number on that have none of its kind.
    fn attach_from(&mut self, _first: usize, _kind: &[u8], _node: &Metadata) {}
    /// A value that an operation gives which stays as it is: of a type of LLVM's, or of `void` if it is of another.
    fn opaque_value(&mut self, _ty: TypeId) -> Val {
        Val(0)
    }
    /// An operation, or a part of one, that stays as it is.
    fn opaque(&mut self, _op: OpaqueOp) {}
    /// `dso_local_equivalent`.
    fn local_equivalent(&mut self, symbol: SymbolId) -> Result<Val> {
        self.symbol_address(symbol, false)
    }
    /// `no_cfi`.
    fn no_cfi(&mut self, symbol: SymbolId) -> Result<Val> {
        self.symbol_address(symbol, false)
    }
    /// `ptrauth`: a pointer with its key and its other operands.
    fn signed_pointer(&mut self, _ty: TypeId, _operands: Vec<Val>) -> Result<Val> {
        Err(Refusal::new("signed pointers are not supported"))
    }
    /// `none`, the token.
    fn none_token(&mut self) -> Result<Val> {
        Err(Refusal::new("a token must be the result of an instruction here"))
    }

    // Funclets.

    /// The pad of the funclet that a bundle says by its token.
    fn pad_of(&self, _token: Val) -> Result<Pad> {
        Err(no_token())
    }
    /// `llvm.eh.exceptioncode` of a handler.
    fn exception_code(&mut self, _token: Val) -> Result<Val> {
        Err(no_token())
    }
    /// An invoked intrinsic that begins or ends a scope in which exceptions that no call raises are caught; `of_try` if it is a `try` block's.
    fn scope(&mut self, _begins: bool, _of_try: bool, normal: Edge, _unwind: Edge) {
        self.jump(normal);
    }
}

/// Those who carry have tokens as they stand.
#[cold]
fn no_token() -> Refusal {
    Refusal::new("a token has no meaning of its own here")
}

/// Methods of the trait that the type itself has.
macro_rules! forward {
    ($($name:ident(&mut self $(, $arg:ident: $ty:ty)*) $(-> $ret:ty)?;)*) => {
        $(#[inline(always)] fn $name(&mut self $(, $arg: $ty)*) $(-> $ret)? { FunctionLowering::$name(self $(, $arg)*) })*
    };
    (ref $($name:ident(&self $(, $arg:ident: $ty:ty)*) $(-> $ret:ty)?;)*) => {
        $(#[inline(always)] fn $name(&self $(, $arg: $ty)*) $(-> $ret)? { FunctionLowering::$name(self $(, $arg)*) })*
    };
}

impl Sink for FunctionLowering<'_> {
    const PRESERVES_METADATA: bool = false;

    #[inline(always)]
    fn types(&self) -> &TypeTable {
        self.types
    }

    #[inline(always)]
    fn types_mut(&mut self) -> &mut TypeTable {
        self.types
    }

    forward! {
        begin_header(&mut self, convention: Convention, ret: TypeId, attrs: ParamAttrs, avx: bool);
        parameter(&mut self, ty: TypeId, attrs: ParamAttrs) -> Result<()>;
        variadic_parameters(&mut self);
        begin(&mut self, symbol: SymbolId, attrs: FnAttrs, values: Option<&Values>) -> Result<Vec<Val>>;
        enter(&mut self, values: Option<&Values>, trampolines: usize) -> Result<()>;
        close(&mut self) -> Result<()>;
        personality(&mut self, routine: Val) -> Result<()>;
        settle_unwinding(&mut self) -> std::result::Result<(), (Block, Refusal)>;
        start_block(&mut self, block: Block);
        edge(&mut self, to: Block) -> Edge;
        split_edge(&mut self, edge: Edge, from: Block);
        set_frozen(&mut self, frozen: bool);
        check_instruction(&mut self) -> Result<()>;
        symbol_address(&mut self, symbol: SymbolId, tls: bool) -> Result<Val>;
        zero_value(&mut self, ty: TypeId) -> Result<Val>;
        poison_value(&mut self, ty: TypeId) -> Result<Val>;
        splat(&mut self, ty: TypeId, lane_ty: TypeId, lane: Val) -> Result<Val>;
        vector(&mut self, ty: TypeId, lanes: &[Value]) -> Result<Val>;
        begin_aggregate(&mut self, ty: TypeId) -> Result<Val>;
        set_member(&mut self, aggregate: Val, element: Element, x: Val);
        binary_constant(&mut self, op: Opcode, ty: TypeId, a: Val, b: Val) -> Result<Val>;
        begin_call(&mut self, convention: Convention, ret: TypeId, attrs: ParamAttrs);
        begin_operation(&mut self);
        argument(&mut self, ty: TypeId, attrs: ParamAttrs, val: Val) -> Result<()>;
        metadata_argument(&mut self, text: &[u8]);
        forward_unnamed(&mut self);
        call(&mut self, site: &CallSite) -> Result<Called>;
        intrinsic(&mut self, intrinsic: Intrinsic, libcall: Option<SymbolId>, ret: TypeId, attrs: FnAttrs) -> Result<Val>;
        nothing(&mut self, ret: TypeId) -> Result<Val>;
        libcall(&mut self, symbol: SymbolId, ret: TypeId, args: &[(TypeId, Value)]) -> Result<Value>;
        inline_assembly(&mut self, ret: TypeId, does: Assembly, side_effect: bool, constraints: &str) -> Result<(Val, usize)>;
        setup_preallocated(&mut self, count: u32) -> Val;
        preallocated_argument(&mut self, token: usize, number: Option<u32>, attrs: ParamAttrs) -> Result<Val>;
        close_preallocated(&mut self, token: usize);
        invoke(&mut self, normal: Edge, unwind: Edge, throws: bool);
        end_callbr(&mut self, normal: Block, labels: &[Block]);
        none_token(&mut self) -> Result<Val>;
        exception_code(&mut self, token: Val) -> Result<Val>;
        scope(&mut self, begins: bool, of_try: bool, normal: Edge, unwind: Edge);
    }

    forward! {
        ref
        is_scattered(&self) -> bool;
        block(&self) -> Block;
        entry(&self) -> Block;
        edge_from(&self, edge: Edge) -> Block;
        was_refused(&self) -> bool;
        check_aggregate(&self, ty: TypeId) -> Result<()>;
        check_scalar(&self, ty: TypeId) -> Result<()>;
        arguments(&self) -> usize;
        request(&self) -> &Request;
        pad_of(&self, token: Val) -> Result<Pad>;
        block_of_token(&self, token: Val) -> Result<usize>;
    }

    #[inline(always)]
    fn create_block(&mut self) -> Block {
        self.b.create_block()
    }

    #[inline(always)]
    fn current_block(&self) -> Option<Block> {
        self.b.current_block()
    }

    #[inline(always)]
    fn has_begun(&self, block: Block) -> bool {
        self.b.func.blocks[block.index()].first != u32::MAX
    }

    fn missing_block(&self) -> Option<Block> {
        self.b.func.blocks.iter().position(|b| b.first == u32::MAX).map(Block::new)
    }

    fn block_count(&self) -> usize {
        self.b.func.blocks.len()
    }

    fn edge_count(&self) -> usize {
        self.b.func.edges.len()
    }

    #[inline(always)]
    fn edge_to(&self, edge: Edge) -> Block {
        self.b.func.edges[edge.index()].to
    }

    #[inline]
    fn edge_targets(&self) -> impl ExactSizeIterator<Item = Block> + DoubleEndedIterator {
        self.b.func.edges.iter().map(|e| e.to)
    }

    fn param_count(&self, block: Block) -> u32 {
        self.b.func.params(block).len() as u32
    }

    fn append_param(&mut self, block: Block, ty: TypeId) -> Val {
        match self.types.ir(ty) {
            Type::VOID => self.each_leaf(ty, |l, leaf| l.b.func.append_param(block, leaf.ir)),
            ir => self.b.func.append_param(block, ir).into(),
        }
    }

    #[inline]
    fn set_edge_arg(&mut self, edge: Edge, position: u32, ty: TypeId, val: Val) {
        for i in 0..self.scalars(ty) {
            let v = self.part(ty, val, i);
            self.b.func.set_edge_arg(edge, position as usize + i, v);
        }
    }

    fn set_block_symbol(&mut self, block: Block, symbol: SymbolId) {
        self.b.func.block_symbols.push((block, symbol));
    }

    fn known_insertion(&mut self, ty: TypeId, val: Val, x: Val, index: u32) -> Option<Val> {
        if self.types.is_dissolved(ty) {
            let i = self.b.iconst(Type::I32, index.into());
            return Some(self.insert_into_lanes(ty, val, x, i.into()));
        }
        self.vector_with(ty, val.value(), x.value(), index)
    }

    fn make_pending(&mut self, ty: TypeId) -> Result<Val> {
        match self.types.ir(ty) {
            _ if ty == TOKEN => Ok(self.pending_token()),
            Type::VOID => {
                self.check_aggregate(ty)?;
                refuse_if(self.contents, COMPUTED)?;
                Ok(self.each_leaf(ty, |l, leaf| l.b.func.make_pending(leaf.ir)))
            }
            ir => Ok(self.b.func.make_pending(ir).into()),
        }
    }

    fn alias(&mut self, ty: TypeId, stand_in: Val, val: Val) {
        if ty == TOKEN {
            return self.meet_token(stand_in, val);
        }
        for i in 0..self.scalars(ty) {
            let (stand_in, value) = (self.part(ty, stand_in, i), self.part(ty, val, i));
            // Phis in unreachable code that only refer to each other leave the stand-in itself, which may have any
            // value.
            let value = if self.b.func.resolve(value) == stand_in {
                let ir = self.b.func.value_type(stand_in);
                self.b.poison(ir)
            } else {
                value
            };
            self.b.func.alias(stand_in, value);
        }
    }

    fn resolve_operands(&mut self) {
        self.b.func.resolve_operands();
    }

    #[inline(always)]
    fn int_constant(&self, val: Val) -> Option<u128> {
        self.b.func.int_constant(val.value())
    }

    #[inline]
    fn callee(&self, val: Val) -> Callee {
        match self.b.func.constant(val.value()) {
            Some(ConstData::Symbol(symbol, 0)) => Callee::Symbol(symbol),
            _ => Callee::Value(val.value()),
        }
    }

    #[inline(always)]
    fn integer(&mut self, ty: TypeId, n: i128) -> Val {
        let ir = self.types.ir(ty);
        self.b.func.make_int(ir, n).into()
    }

    fn wide(&mut self, ty: TypeId, words: &[u64], negative: bool) -> Val {
        let ir = self.types.ir(ty);
        self.b.func.make_wide(ir, words, negative).into()
    }

    #[inline(always)]
    fn float(&mut self, ty: TypeId, bits: u128) -> Val {
        let ir = self.types.ir(ty);
        self.b.func.make_const(ir, ConstData::Float(bits)).into()
    }

    fn string(&mut self, ty: TypeId, bytes: &[u8]) -> Result<Val> {
        self.check_aggregate(ty)?;
        if self.contents {
            return self.contents_of(ty, |all| all.extend(bytes));
        }
        let mut bytes = bytes.iter();
        Ok(self.each_leaf(ty, |l, leaf| l.b.iconst(leaf.ir, bytes.next().copied().unwrap_or(0).into())))
    }

    fn holds_contents(&self) -> bool {
        self.contents
    }

    fn contents(&mut self, ty: TypeId, bytes: &SparseBytes) -> Result<Val> {
        self.check_aggregate(ty)?;
        self.contents_of(ty, |all| all.append(bytes, 0..bytes.len()))
    }

    #[inline(always)]
    fn null(&mut self, _: TypeId) -> Val {
        self.b.ptr_const(0).into()
    }

    fn block_address(&mut self, _: SymbolId, _: LocalName<'_>, symbol: Option<SymbolId>) -> Result<Val> {
        let symbol = symbol.ok_or_else(|| Refusal::new("the function is not defined in this module"))?;
        Ok(self.b.symbol_addr(symbol, 0).into())
    }

    #[inline(always)]
    fn op(&mut self, op: OpRef<'_>) -> Result<(TypeId, Val)> {
        self.lower(op)
    }

    #[inline(always)]
    fn extract_value(&mut self, _: TypeId, val: Val, element: Element) -> Val {
        FunctionLowering::extract_value(self, val, element)
    }

    #[inline(always)]
    fn insert_value(&mut self, ty: TypeId, val: Val, element: Element, x: Val) -> Val {
        FunctionLowering::insert_value(self, ty, val, element, x)
    }
}
