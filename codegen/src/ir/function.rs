//! The body of a function as a struct of arrays. Every table is cleared and used again for the next function.

mod constants;

use std::sync::Arc;

use super::attributes::{FunctionAttrs, Inlining, SlotKind};
use super::debug::{Carry, FunctionDebugInfo};
use super::entities::{Block, Edge, Inst, SigId, Slot, SwitchId, Value};
use super::escapes::Escapes;
use super::exceptions::{Exceptions, Pad};
use super::inst::{Format, InstData, Opcode};
use super::module::{SigData, SymbolId};
use super::stack_map::{Reference, StackMap, StackMapId};
use super::types::Type;
use super::words::VALUE_LIST;
use crate::libcall::LibCall;

/// The origin of a value. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueDef {
    /// A result of an instruction.
    Inst(Inst),
    /// A parameter of a block.
    Param(Block),
    /// A constant; it has no defining instruction and dominates everything.
    Const,
    /// The address of a stack slot; it too dominates everything.
    Slot(Slot),
    /// Another value, by which a pass has replaced this one.
    Alias(Value),
    /// A forward reference that will become an alias. A complete function has none.
    Pending,
}

/// A constant. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConstData {
    /// Integer bits, zero-extended. A wider integer with more bits is a `Vector`.
    Int(u128),
    /// Floating-point bits (the 80 bits of x87 in the low end).
    Float(u128),
    /// Address of a symbol plus a byte offset. Thread-local symbols go through `tls_addr` instead.
    Symbol(SymbolId, i64),
    /// Any value.
    Poison,
    /// A vector: `len` lane constants (values) in the pool at `start`. Also an integer with more than 128 bits, in
    /// words of 64 bits, the lowest first.
    Vector {
        /// Offset in the pool.
        start: u32,
        /// Number of lanes.
        len: u32,
    },
}

impl ConstData {
    /// The bits of a number; 0 for anything else.
    pub fn bits(self) -> u128 {
        match self {
            ConstData::Int(n) | ConstData::Float(n) => n,
            _ => 0,
        }
    }
}

#[derive(Clone, Copy)]
struct ValueData {
    ty: Type,
    tag: u8,
    payload: u32,
}

/// A basic block: parameters and a contiguous run of instructions that ends in a terminator.
///
/// An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, Debug)]
pub struct BlockData {
    /// First instruction.
    pub first: u32,
    /// One past the last instruction; equal to `first` while the block is unfilled.
    pub end: u32,
    params: List,
}

/// A growable list in the pool.
#[derive(Clone, Copy, Debug, Default)]
struct List {
    start: u32,
    len: u32,
    cap: u32,
}

/// An edge: its target and the arguments. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, Debug)]
pub struct EdgeData {
    /// Where it leads.
    pub to: Block,
    args: List,
}

/// A stack slot. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, Debug)]
pub struct SlotData {
    /// Size in bytes.
    pub size: u32,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// How dangerous it is to a stack protector.
    pub kind: SlotKind,
}

/// What a call calls. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A symbol of the module.
    Symbol(SymbolId),
    /// The address in a value.
    Value(Value),
    /// A function of the run-time library, whether or not the module declares it. Only the code generator makes such
    /// calls.
    Library(LibCall),
}

/// Whether a call may or must be a tail call. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TailKind {
    /// An ordinary call.
    None,
    /// It may reuse the caller's frame.
    Tail,
    /// It must; a `return` of its results follows.
    Must,
}

/// A call site. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, Debug)]
pub struct CallData {
    /// What is called.
    pub callee: Callee,
    /// Its signature at this call (with the variadic arguments).
    pub sig: SigId,
    /// Pool offset of the arguments.
    pub args_start: u32,
    /// Number of arguments.
    pub args_len: u32,
    /// Number of results.
    pub results: u32,
    /// Tail call?
    pub tail: TailKind,
    /// May it return twice, as `setjmp`?
    pub returns_twice: bool,
    /// No exception leaves it.
    pub nounwind: bool,
    /// The function at the address that it calls need not begin with a marker of control-flow protection.
    pub untracked: bool,
    /// Optimizations never make one call of this and another.
    pub no_merge: bool,
    /// It hardly ever runs.
    pub cold: bool,
    /// What it asks of inlining. What the function asks is its own attribute.
    pub inlining: Inlining,
    /// The function at the address that it calls must have this number of a type (kernel control-flow integrity).
    pub type_id: Option<u32>,
    /// The pad of the funclet that it is in.
    pub within: Option<Pad>,
    /// What is recorded of it: it is a safepoint.
    pub stack_map: Option<StackMapId>,
}

/// A switch: pool offset of (value index, edge) pairs, and the default. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, Debug)]
pub struct SwitchData {
    /// Pool offset of the cases: constant (a value), then edge, for each.
    pub start: u32,
    /// Number of cases.
    pub len: u32,
    /// Edge taken when no case matches.
    pub default: Edge,
}

/// A function body. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Default)]
pub struct Function {
    /// Its symbol in the module.
    pub symbol: SymbolId,
    /// Its own signature.
    pub sig: SigId,
    /// Attributes.
    pub attrs: FunctionAttrs,
    /// Instructions.
    pub insts: Vec<InstData>,
    inst_results: Vec<u32>,
    values: Vec<ValueData>,
    consts: Vec<ConstData>,
    /// Blocks by number.
    pub blocks: Vec<BlockData>,
    /// Blocks in source order; the first is the entry, whose parameters are the function's.
    pub layout: Vec<Block>,
    /// Edges.
    pub edges: Vec<EdgeData>,
    edge_weights: Vec<u32>,
    /// Stack slots.
    pub slots: Vec<SlotData>,
    /// Calls.
    pub calls: Vec<CallData>,
    /// Switches.
    pub switches: Vec<SwitchData>,
    /// Operand lists.
    pub pool: Vec<u32>,
    /// Signatures in use.
    pub sigs: Vec<Arc<SigData>>,
    /// Blocks whose address is taken, with the symbol that names each.
    pub block_symbols: Vec<(Block, SymbolId)>,
    /// The exceptions that it catches.
    pub exceptions: Exceptions,
    /// Its variables that other functions find by its frame.
    pub escapes: Option<Box<Escapes>>,
    /// What is recorded of its calls and `stack_map` instructions.
    pub stack_maps: Vec<StackMap>,
    /// Values that collectors have to know. They are removed when the references that live across safepoints are in slots.
    pub references: Vec<Reference>,
    /// Its debug information.
    pub debug: FunctionDebugInfo,
    /// Parameters of blocks whose registers have zeros above their width, in order; known of optimized code before it is made.
    pub extended_params: Vec<Value>,
    slot_values: Vec<u32>,
    const_cache: Vec<(u64, u32)>,
    /// That of the constants of records while code is made, and the other way round.
    other_const_cache: Vec<(u64, u32)>,
}

/// The instructions of a function that is written anew.
pub(crate) struct OldBody {
    pub insts: Vec<InstData>,
    /// The first result of each.
    pub results: Vec<u32>,
    /// For each block its first instruction, and the one after its last.
    pub blocks: Vec<(u32, u32)>,
    /// Locations and records.
    pub debug: FunctionDebugInfo,
}

const TAG_INST: u8 = 0;
const TAG_PARAM: u8 = 1;
const TAG_CONST: u8 = 2;
const TAG_SLOT: u8 = 3;
const TAG_ALIAS: u8 = 4;
const TAG_PENDING: u8 = 5;
/// Tag of an integer constant of at most 32 bits, which are the payload.
const TAG_INT: u8 = 6;

impl Function {
    /// An empty function.
    pub fn new() -> Function {
        Function::default()
    }

    /// Empties every table and keeps its memory.
    pub fn clear(&mut self) {
        self.symbol = SymbolId(0);
        self.sig = SigId(0);
        self.attrs = FunctionAttrs::default();
        self.insts.clear();
        self.inst_results.clear();
        self.values.clear();
        self.consts.clear();
        self.blocks.clear();
        self.layout.clear();
        self.edges.clear();
        self.edge_weights.clear();
        self.slots.clear();
        self.calls.clear();
        self.switches.clear();
        self.pool.clear();
        self.sigs.clear();
        self.block_symbols.clear();
        self.exceptions.clear();
        self.escapes = None;
        self.stack_maps.clear();
        self.references.clear();
        self.debug.clear();
        self.extended_params.clear();
        self.slot_values.clear();
        self.const_cache.clear();
        self.other_const_cache.clear();
    }

    /// Reserves memory for `insts` instructions and as many values.
    pub fn reserve(&mut self, insts: usize) {
        self.insts.reserve(insts);
        self.inst_results.reserve(insts);
        self.values.reserve(insts);
    }

    /// Its own signature.
    pub fn signature(&self) -> &SigData {
        &self.sigs[self.sig.index()]
    }

    // Values.

    /// Is a parameter of a block known to have zeros above its width in its register?
    pub fn is_extended_param(&self, v: Value) -> bool {
        self.extended_params.binary_search(&v).is_ok()
    }

    /// Number of values.
    #[inline]
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// Types of all values.
    #[inline]
    pub fn value_types(&self) -> impl Iterator<Item = Type> + '_ {
        self.values.iter().map(|v| v.ty)
    }

    /// Makes integers of numbers with a point: `to` gives each type's, and constants keep their bits.
    pub(crate) fn numbers_to_bits(&mut self, to: impl Fn(Type) -> Type) {
        for v in &mut self.values {
            let ty = to(v.ty);
            if ty != v.ty && v.tag == TAG_CONST {
                let constant = &mut self.consts[v.payload as usize];
                if let ConstData::Float(bits) = *constant {
                    *constant = ConstData::Int(bits);
                }
            }
            v.ty = ty;
        }
        self.const_cache.clear();
    }

    /// Type of a value.
    #[inline]
    pub fn value_type(&self, v: Value) -> Type {
        self.values[v.index()].ty
    }

    /// Renumbers the symbols that it mentions by what [`Module::reorder_symbols`](super::Module::reorder_symbols) gives.
    /// Its operands must not be resolved yet.
    pub fn renumber_symbols(&mut self, new: &[SymbolId]) {
        let renumber = |symbol: &mut SymbolId| *symbol = new[symbol.index()];
        renumber(&mut self.symbol);
        for constant in &mut self.consts {
            if let ConstData::Symbol(symbol, _) = constant {
                renumber(symbol);
            }
        }
        for call in &mut self.calls {
            if let Callee::Symbol(symbol) = &mut call.callee {
                renumber(symbol);
            }
        }
        for inst in self.insts.iter_mut().filter(|inst| inst.op.format() == Format::Symbol) {
            inst.a = new[inst.a as usize].0;
        }
        self.block_symbols.iter_mut().for_each(|(_, symbol)| renumber(symbol));
        self.exceptions.for_each_symbol(renumber);
        if let Some(escapes) = &mut self.escapes {
            renumber(&mut escapes.table);
        }
        self.attrs.symbols_mut().into_iter().flatten().for_each(renumber);
    }

    /// Type of a value, if there is such a value.
    #[inline]
    pub fn known_type(&self, v: Value) -> Option<Type> {
        self.values.get(v.index()).map(|d| d.ty)
    }

    /// Where a value comes from; an alias is not followed.
    #[inline]
    pub fn value_def(&self, v: Value) -> ValueDef {
        let d = self.values[v.index()];
        match d.tag {
            TAG_INST => ValueDef::Inst(Inst(d.payload)),
            TAG_PARAM => ValueDef::Param(Block(d.payload)),
            TAG_CONST | TAG_INT => ValueDef::Const,
            TAG_SLOT => ValueDef::Slot(Slot(d.payload)),
            TAG_ALIAS => ValueDef::Alias(Value(d.payload)),
            _ => ValueDef::Pending,
        }
    }

    /// The value that an alias stands for; `v` itself if it is none.
    #[inline]
    pub fn resolve(&self, mut v: Value) -> Value {
        while self.values[v.index()].tag == TAG_ALIAS {
            v = Value(self.values[v.index()].payload);
        }
        v
    }

    /// Makes `v` an alias of `to`, which must have its type. A value is never an alias of itself.
    pub fn alias(&mut self, v: Value, to: Value) {
        let to = self.resolve(to);
        if v == to {
            return;
        }
        let d = &mut self.values[v.index()];
        d.tag = TAG_ALIAS;
        d.payload = to.0;
    }

    /// A stand-in for a value that is not known yet; it will become an [`alias`](Self::alias) of it.
    pub fn make_pending(&mut self, ty: Type) -> Value {
        self.push_value(ty, TAG_PENDING, 0)
    }

    fn push_value(&mut self, ty: Type, tag: u8, payload: u32) -> Value {
        let v = Value::new(self.values.len());
        self.values.push(ValueData { ty, tag, payload });
        v
    }

    // Slots.

    /// A new stack slot.
    pub fn make_slot(&mut self, size: u32, align: u32) -> Slot {
        let s = Slot::new(self.slots.len());
        self.slots.push(SlotData { size, align: align.max(1), kind: SlotKind::Variable });
        self.slot_values.push(u32::MAX);
        s
    }

    /// A new stack slot that is not a variable of the source.
    pub fn make_temporary(&mut self, size: u32, align: u32) -> Slot {
        let s = self.make_slot(size, align);
        self.slots[s.index()].kind = SlotKind::Temporary;
        s
    }

    /// The address of a slot, of type `ptr` (the integer of pointer width).
    pub fn slot_addr(&mut self, slot: Slot, ptr: Type) -> Value {
        let known = self.slot_values[slot.index()];
        if known != u32::MAX {
            return Value(known);
        }
        let v = self.push_value(ptr, TAG_SLOT, slot.0);
        self.slot_values[slot.index()] = v.0;
        v
    }

    /// The address of a slot, if something asked for it.
    pub(crate) fn known_slot_addr(&self, slot: Slot) -> Option<Value> {
        self.slot_values.get(slot.index()).copied().filter(|&v| v != u32::MAX).map(Value)
    }

    /// The range of values that are addresses of slots: the least and the greatest.
    pub fn slot_addrs(&self) -> Option<(Value, Value)> {
        let known = || self.slot_values.iter().copied().filter(|&v| v != u32::MAX);
        Some((Value(known().min()?), Value(known().max()?)))
    }

    // Blocks and edges.

    /// A new, empty block.
    #[inline]
    pub fn make_block(&mut self) -> Block {
        let b = Block::new(self.blocks.len());
        self.blocks.push(BlockData { first: u32::MAX, end: u32::MAX, params: List::default() });
        b
    }

    /// A new parameter of a block.
    pub fn append_param(&mut self, block: Block, ty: Type) -> Value {
        let v = self.push_value(ty, TAG_PARAM, block.0);
        let mut list = self.blocks[block.index()].params;
        self.list_push(&mut list, v.0);
        self.blocks[block.index()].params = list;
        v
    }

    /// Puts a new parameter into the place of one of a block's. The old value must become an alias.
    pub(crate) fn renew_param(&mut self, block: Block, index: usize) -> Value {
        let list = self.blocks[block.index()].params;
        let at = list.start as usize + index;
        let new = self.push_value(self.value_type(Value(self.pool[at])), TAG_PARAM, block.0);
        self.pool[at] = new.0;
        new
    }

    /// A block's parameters.
    #[inline]
    pub fn params(&self, block: Block) -> &[Value] {
        as_values(self.list(self.blocks[block.index()].params))
    }

    /// Keeps only those parameters for whose position `keep` returns true, and their arguments at every edge in `edges`
    /// that leads to the block.
    pub fn retain_params(&mut self, block: Block, edges: &[Edge], mut keep: impl FnMut(usize) -> bool) {
        let params = self.blocks[block.index()].params;
        let mut out = 0;
        for i in 0..params.len {
            if keep(i as usize) {
                self.pool[(params.start + out) as usize] = self.pool[(params.start + i) as usize];
                for &e in edges {
                    let a = self.edges[e.index()].args.start;
                    self.pool[(a + out) as usize] = self.pool[(a + i) as usize];
                }
                out += 1;
            }
        }
        self.blocks[block.index()].params.len = out;
        for &e in edges {
            self.edges[e.index()].args.len = out;
        }
    }

    /// A new edge to a block, without arguments yet.
    #[inline]
    pub fn make_edge(&mut self, to: Block) -> Edge {
        let e = Edge::new(self.edges.len());
        self.edges.push(EdgeData { to, args: List::default() });
        e
    }

    /// Says how often an edge is taken, in comparison with the other edges that leave the same block (LLVM's `branch_weights`).
    pub fn set_edge_weight(&mut self, edge: Edge, weight: u32) {
        if self.edge_weights.len() <= edge.index() {
            self.edge_weights.resize(edge.index() + 1, 0);
        }
        self.edge_weights[edge.index()] = weight;
    }

    /// How often an edge is taken, in comparison with the other edges that leave the same block; 0 if that is not known.
    #[inline]
    pub fn edge_weight(&self, edge: Edge) -> u32 {
        self.edge_weights.get(edge.index()).copied().unwrap_or(0)
    }

    /// Adds an argument to an edge.
    pub fn append_edge_arg(&mut self, edge: Edge, v: Value) {
        let mut list = self.edges[edge.index()].args;
        self.list_push(&mut list, v.0);
        self.edges[edge.index()].args = list;
    }

    /// Sets argument `i` of an edge. The arguments before it may be missing; they must be set before the function is
    /// used.
    #[inline]
    pub fn set_edge_arg(&mut self, edge: Edge, i: usize, v: Value) {
        let mut list = self.edges[edge.index()].args;
        while list.len as usize <= i {
            self.list_push(&mut list, u32::MAX);
        }
        self.pool[list.start as usize + i] = v.0;
        self.edges[edge.index()].args = list;
    }

    /// The arguments of an edge.
    #[inline]
    pub fn edge_args(&self, edge: Edge) -> &[Value] {
        as_values(self.list(self.edges[edge.index()].args))
    }

    /// Redirects an edge to another block, without arguments.
    pub fn redirect(&mut self, edge: Edge, to: Block) {
        self.edges[edge.index()] = EdgeData { to, args: List::default() };
    }

    /// The block an edge leads to.
    #[inline]
    pub fn edge_to(&self, edge: Edge) -> Block {
        self.edges[edge.index()].to
    }

    #[inline]
    fn list(&self, l: List) -> &[u32] {
        &self.pool[l.start as usize..(l.start + l.len) as usize]
    }

    #[inline]
    fn list_push(&mut self, l: &mut List, x: u32) {
        if l.len == l.cap {
            self.list_grow(l);
        }
        self.pool[(l.start + l.len) as usize] = x;
        l.len += 1;
    }

    /// Appends words to the pool; returns the place of the first.
    #[inline]
    pub fn push_words(&mut self, words: impl IntoIterator<Item = u32>) -> u32 {
        let start = self.pool.len() as u32;
        self.pool.extend(words);
        start
    }

    /// Moves a list to the end of the pool, with twice the room.
    fn list_grow(&mut self, l: &mut List) {
        l.cap = (l.cap * 2).max(4);
        let start = self.pool.len() as u32;
        self.pool.extend_from_within(l.start as usize..(l.start + l.len) as usize);
        self.pool.resize((start + l.cap) as usize, u32::MAX);
        l.start = start;
    }

    // Instructions.

    /// Appends an instruction; `types` are those of its results.
    #[inline]
    pub fn push_inst(&mut self, data: InstData, types: &[Type]) -> Inst {
        let i = Inst::new(self.insts.len());
        self.insts.push(data);
        self.inst_results.push(self.values.len() as u32);
        for &ty in types {
            self.push_value(ty, TAG_INST, i.0);
        }
        i
    }

    /// Appends an instruction with one result of a type. Returns the result.
    #[inline]
    pub fn push_with_result(&mut self, data: InstData, ty: Type) -> Value {
        // Where there is room, what follows calls nothing and keeps to few registers.
        let (insts, firsts, values) = (&self.insts, &self.inst_results, &self.values);
        let room = insts.len() < insts.capacity() && firsts.len() < firsts.capacity();
        if !(room && values.len() < values.capacity()) {
            return self.push_and_grow(data, ty);
        }
        let (i, v) = (self.insts.len() as u32, self.values.len() as u32);
        self.insts.push(data);
        self.inst_results.push(v);
        self.values.push(ValueData { ty, tag: TAG_INST, payload: i });
        Value(v)
    }

    #[cold]
    #[inline(never)]
    fn push_and_grow(&mut self, data: InstData, ty: Type) -> Value {
        let i = self.push_inst(data, &[ty]);
        self.result(i)
    }

    /// Appends an instruction with one result.
    pub fn push_op(&mut self, op: Opcode, flags: u8, ty: Type, [a, b, c]: [Value; 3], result: Type) -> Value {
        self.push_with_result(InstData { op, flags, ty, a: a.0, b: b.0, c: c.0 }, result)
    }

    /// Appends an instruction whose only result has the instruction's type, and returns that result.
    pub fn push_one(&mut self, d: InstData) -> Value {
        self.push_with_result(d, d.ty)
    }

    /// Appends a load from a distance from an address.
    pub fn push_load(&mut self, flags: u8, ty: Type, at: Value, by: u32) -> Value {
        self.push_op(Opcode::Load, flags, ty, [at, Value(by), Value(0)], ty)
    }

    /// Appends a store to a distance from an address.
    pub fn push_store(&mut self, flags: u8, v: Value, at: Value, by: u32) {
        let ty = self.value_type(v);
        self.push_inst(InstData { op: Opcode::Store, flags, ty, a: at.0, b: v.0, c: by }, &[]);
    }

    /// Rewrites all blocks in layout order. `f` gets each old instruction with its first result and appends its
    /// replacement: new instructions by [`push_inst`](Self::push_inst), the one that gives the old results by
    /// [`push_kept`](Self::push_kept). Every block must end in its terminator again, whether reachable or not.
    pub fn rewrite(&mut self, mut f: impl FnMut(&mut Function, Inst, InstData, Value)) {
        let insts = std::mem::take(&mut self.insts);
        let results = std::mem::take(&mut self.inst_results);
        let debug = self.debug.take_lists();
        let mut carry = Carry::new(&debug);
        self.insts.reserve(insts.len() + insts.len() / 4);
        self.inst_results.reserve(insts.len() + insts.len() / 4);
        // Blocks that are not in the layout count as unfilled from now on.
        let mut old = vec![(u32::MAX, u32::MAX); self.blocks.len()];
        for (old, b) in old.iter_mut().zip(&mut self.blocks) {
            std::mem::swap(&mut old.0, &mut b.first);
            std::mem::swap(&mut old.1, &mut b.end);
        }
        for k in 0..self.layout.len() {
            let b = self.layout[k].index();
            let (first, end) = (old[b].0 as usize, old[b].1 as usize);
            self.blocks[b].first = self.insts.len() as u32;
            if let Some(carry) = &mut carry {
                carry.begin_block(Inst::new(first), Inst::new(self.insts.len()), &mut self.debug);
            }
            for i in first..end {
                if let Some(carry) = &mut carry {
                    carry.step(Inst::new(i), Inst::new(self.insts.len()), &mut self.debug);
                }
                f(self, Inst::new(i), insts[i], Value(results[i]));
            }
            self.blocks[b].end = self.insts.len() as u32;
        }
    }

    /// Gives an instruction of one result another one of a type, because it computes something else now. Nothing uses the old one any more.
    pub(crate) fn replace_result(&mut self, i: Inst, ty: Type) -> Value {
        let old = self.result(i);
        let new = Value::new(self.values.len());
        self.values.push(ValueData { ty, tag: TAG_INST, payload: i.0 });
        self.inst_results[i.index()] = new.0;
        let nothing = self.make_const(self.value_type(old), ConstData::Poison);
        self.alias(old, nothing);
        new
    }

    /// Takes all instructions out, to be written anew block by block: by [`begin_block`](Self::begin_block), then
    /// [`push_kept`](Self::push_kept) and the like, and [`end_block`](Self::end_block).
    pub(crate) fn begin_rewrite(&mut self) -> OldBody {
        let mut blocks = vec![(u32::MAX, u32::MAX); self.blocks.len()];
        for (old, b) in blocks.iter_mut().zip(&mut self.blocks) {
            std::mem::swap(&mut old.0, &mut b.first);
            std::mem::swap(&mut old.1, &mut b.end);
        }
        let (insts, results) = (std::mem::take(&mut self.insts), std::mem::take(&mut self.inst_results));
        OldBody { insts, results, blocks, debug: self.debug.take_lists() }
    }

    /// Begins a block, the next one of the layout, which had no place there.
    pub(crate) fn begin_block(&mut self, b: Block) {
        self.layout.push(b);
        self.blocks[b.index()].first = self.insts.len() as u32;
    }

    /// Ends a block, whose terminator has been appended.
    pub(crate) fn end_block(&mut self, b: Block) {
        self.blocks[b.index()].end = self.insts.len() as u32;
    }

    /// A result of an instruction that will be appended by [`push_kept`](Self::push_kept).
    pub(crate) fn make_result(&mut self, ty: Type) -> Value {
        self.push_value(ty, TAG_INST, u32::MAX)
    }

    /// While rewriting: appends an instruction whose results exist already.
    pub fn push_kept(&mut self, data: InstData, first: Value) -> Inst {
        let i = Inst::new(self.insts.len());
        self.insts.push(data);
        self.inst_results.push(first.0);
        for k in 0..self.result_count(i) {
            let v = &mut self.values[(first.0 + k) as usize];
            if v.tag == TAG_INST {
                v.payload = i.0;
            }
        }
        i
    }

    /// An instruction.
    #[inline]
    pub fn inst(&self, i: Inst) -> &InstData {
        &self.insts[i.index()]
    }

    /// The first result of an instruction that has one.
    #[inline]
    pub fn result(&self, i: Inst) -> Value {
        Value(self.inst_results[i.index()])
    }

    /// The results of an instruction; they are consecutive values.
    #[inline]
    pub fn results(&self, i: Inst) -> impl ExactSizeIterator<Item = Value> + use<> {
        let n = self.result_count(i);
        let first = self.inst_results[i.index()];
        (first..first + n).map(Value)
    }

    /// Number of results of an instruction.
    #[inline]
    pub fn result_count(&self, i: Inst) -> u32 {
        let d = &self.insts[i.index()];
        match d.op.result_count() {
            Some(n) => n,
            None => self.calls[d.a as usize].results,
        }
    }

    /// The instructions of a block, which has its terminator.
    #[inline]
    pub fn insts_of(&self, b: Block) -> &[InstData] {
        let BlockData { first, end, .. } = self.blocks[b.index()];
        &self.insts[first as usize..end as usize]
    }

    /// The instructions of a block.
    #[inline]
    pub fn block_insts(&self, b: Block) -> impl DoubleEndedIterator<Item = Inst> + ExactSizeIterator + use<> {
        let d = &self.blocks[b.index()];
        (d.first..d.end).map(Inst)
    }

    /// The terminator of a filled block.
    #[inline]
    pub fn terminator(&self, b: Block) -> Inst {
        Inst(self.blocks[b.index()].end - 1)
    }

    /// Values in the pool.
    #[inline]
    pub fn pool_values(&self, start: u32, len: u32) -> &[Value] {
        as_values(&self.pool[start as usize..(start + len) as usize])
    }

    /// Edges in the pool (of an indirect branch).
    #[inline]
    pub fn pool_edges(&self, start: u32, len: u32) -> impl ExactSizeIterator<Item = Edge> + '_ {
        self.pool[start as usize..(start + len) as usize].iter().map(|&e| Edge(e))
    }

    /// The cases of a switch: constant and edge.
    #[inline]
    pub fn switch_cases(&self, s: SwitchId) -> impl ExactSizeIterator<Item = (Value, Edge)> + '_ {
        let d = self.switches[s.index()];
        self.pool[d.start as usize..(d.start + 2 * d.len) as usize].chunks_exact(2).map(|c| (Value(c[0]), Edge(c[1])))
    }

    /// Calls `f` with every value an instruction reads, edge arguments left out.
    #[inline(always)]
    pub fn for_each_operand(&self, data: &InstData, mut f: impl FnMut(Value)) {
        let words = data.op.value_words();
        if words & VALUE_LIST != 0 {
            let (start, len) = if data.op == Opcode::Call {
                let call = &self.calls[data.a as usize];
                if let Callee::Value(v) = call.callee {
                    f(v);
                }
                (call.args_start, call.args_len)
            } else {
                (data.a, data.b)
            };
            self.pool_values(start, len).iter().for_each(|&v| f(v));
            return;
        }
        for (k, word) in [data.a, data.b, data.c].into_iter().enumerate() {
            if words >> k == 0 {
                break;
            }
            f(Value(word));
        }
    }

    /// Calls `f` with the operands of all calls and the arguments of all edges.
    pub(crate) fn for_each_passed(&self, mut f: impl FnMut(Value)) {
        for call in &self.calls {
            if let Callee::Value(v) = call.callee {
                f(v);
            }
            self.pool_values(call.args_start, call.args_len).iter().for_each(|&v| f(v));
        }
        for e in &self.edges {
            as_values(self.list(e.args)).iter().for_each(|&v| f(v));
        }
    }

    /// Are all lists in the pool that a terminator names?
    pub(crate) fn has_edge_lists(&self, data: &InstData) -> bool {
        let in_pool = |start: u32, len: u64| u64::from(start) + len <= self.pool.len() as u64;
        match data.op {
            Opcode::Switch => {
                self.switches.get(data.b as usize).is_some_and(|s| in_pool(s.start, 2 * u64::from(s.len)))
            }
            Opcode::IndirectBr | Opcode::CatchSwitch | Opcode::CatchRet | Opcode::CleanupRet => {
                in_pool(data.b, data.c.into())
            }
            _ => true,
        }
    }

    /// Calls `f` with every edge that leaves a terminator, in order.
    #[inline]
    pub fn for_each_edge(&self, data: &InstData, mut f: impl FnMut(Edge)) {
        match data.op {
            Opcode::Jump => f(Edge(data.a)),
            Opcode::Br => {
                f(Edge(data.b));
                f(Edge(data.c));
            }
            Opcode::Switch => {
                for (_, e) in self.switch_cases(SwitchId(data.b)) {
                    f(e);
                }
                f(self.switches[data.b as usize].default);
            }
            Opcode::IndirectBr | Opcode::CatchSwitch | Opcode::CatchRet | Opcode::CleanupRet => {
                self.pool_edges(data.b, data.c).for_each(f)
            }
            Opcode::Invoke | Opcode::ScopeBegin | Opcode::ScopeEnd => {
                f(Edge(data.a));
                f(Edge(data.b));
            }
            _ => {}
        }
    }

    /// Does a block begin with a pad, so that exceptions come to it?
    #[inline]
    pub fn is_pad(&self, b: Block) -> bool {
        use Opcode::{CatchPad, CatchSwitch, CleanupPad, LandingPad};
        matches!(self.insts[self.blocks[b.index()].first as usize].op, LandingPad | CleanupPad | CatchPad | CatchSwitch)
    }

    /// The pad that a block begins with.
    pub fn pad(&self, b: Block) -> Option<Pad> {
        let d = self.insts.get(self.blocks[b.index()].first as usize)?;
        match d.op {
            Opcode::LandingPad | Opcode::CleanupPad | Opcode::CatchSwitch => Some(Pad(d.a)),
            Opcode::CatchPad => Some(Pad(d.b)),
            _ => None,
        }
    }

    /// Puts an instruction with the results of `from` at the place `to`.
    #[inline]
    pub fn put_inst(&mut self, to: Inst, data: InstData, from: Inst) {
        self.insts[to.index()] = data;
        if to != from {
            let first = self.inst_results[from.index()];
            self.inst_results[to.index()] = first;
            match self.result_count(to) {
                0 => {}
                1 => self.set_definition(first, to),
                count => (first..first + count).for_each(|v| self.set_definition(v, to)),
            }
        }
    }

    /// Says that a value comes from an instruction, unless it has become an alias.
    #[inline(always)]
    fn set_definition(&mut self, value: u32, by: Inst) {
        let v = &mut self.values[value as usize];
        if v.tag == TAG_INST {
            v.payload = by.0;
        }
    }

    /// Replaces all operands of an instruction that are aliases by their values. Edge arguments are left out.
    #[inline(always)]
    pub fn resolve_inst(&mut self, d: &mut InstData) {
        let words = d.op.value_words();
        if words & 1 != 0 {
            d.a = self.resolve(Value(d.a)).0;
        }
        if words & 2 != 0 {
            d.b = self.resolve(Value(d.b)).0;
        }
        if words & 4 != 0 {
            d.c = self.resolve(Value(d.c)).0;
        }
        if words & VALUE_LIST != 0 {
            if d.op == Opcode::Call {
                let call = self.calls[d.a as usize];
                if let Callee::Value(v) = call.callee {
                    self.calls[d.a as usize].callee = Callee::Value(self.resolve(v));
                }
                self.resolve_pool(call.args_start, call.args_len);
            } else {
                self.resolve_pool(d.a, d.b);
            }
        }
    }

    /// Replaces all operands and edge arguments that are aliases by their values.
    pub fn resolve_operands(&mut self) {
        // Passes may have left anything in blocks outside of the layout.
        for k in 0..self.layout.len() {
            let block = self.blocks[self.layout[k].index()];
            for i in block.first..block.end {
                let mut d = self.insts[i as usize];
                self.resolve_inst(&mut d);
                self.insts[i as usize] = d;
            }
        }
        self.resolve_edges();
    }

    /// Replaces all edge arguments that are aliases by their values.
    pub fn resolve_edges(&mut self) {
        for e in 0..self.edges.len() {
            let l = self.edges[e].args;
            self.resolve_pool(l.start, l.len);
        }
    }

    fn resolve_pool(&mut self, start: u32, len: u32) {
        for k in start as usize..(start + len) as usize {
            self.pool[k] = self.resolve(Value(self.pool[k])).0;
        }
    }
}

/// Pool words as values.
#[inline]
fn as_values(words: &[u32]) -> &[Value] {
    // SAFETY: `Value` is `repr(transparent)` over `u32`.
    unsafe { core::slice::from_raw_parts(words.as_ptr().cast(), words.len()) }
}
