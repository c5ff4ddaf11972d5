//! Builds a function block by block, with help for front ends that have variables instead of SSA values.
//!
//! The SSA construction follows Braun et al., "Simple and Efficient Construction of Static Single Assignment Form"
//! (CC 2013): a block's unknown predecessors leave operandless parameters behind until the block is sealed.

use std::collections::HashMap;
use std::sync::Arc;

mod checks;
mod debug;
mod effects;
mod shape;
mod typed;

use shape::Shape;

use super::attributes::Inlining;
use super::debug::{EarlyRecord, SourceVariable};
use super::entities::{Block, Edge, Inst, SigId, Slot, SwitchId, Value};
use super::exceptions::Pad;
use super::fold::{fold_binary, fold_compare, fold_conversion, fold_float, fold_unary, is_foldable};
use super::function::{CallData, Callee, ConstData, Function, SwitchData, TailKind};
use super::inst::{AtomicInfo, CmpxchgInfo, FloatCc, InstData, IntCc, MemFlags, Opcode, Ordering, ReduceOp, RmwOp};
use super::module::{SigData, SymbolId};
use super::stack_map::{Reference, StackMap, StackMapEntry, StackMapId};
use super::types::Type;
use crate::entity;

entity!(
    /// A front end's variable.
    Variable, "var"
);

/// What is said of the values of a variable.
#[derive(Clone, Copy, Default)]
struct VarNote {
    /// They are references.
    reference: bool,
    /// They are those of a variable of the source program.
    named: Option<SourceVariable>,
}

#[derive(Default)]
struct SsaBlock {
    sealed: bool,
    preds: Vec<(Edge, Block)>,
    pending: Vec<(Variable, u32)>,
}

/// Appends blocks and instructions to a [`Function`].
///
/// Calls that cannot be right are *mistakes*. The first mistake is kept, with a hint about what to do, and
/// [`finish`](Self::finish) returns it. Until then such a call does something harmless, and its result is only good for
/// further calls. Values, blocks and variables are numbers: the builder or [`verify`](super::verify) refuses those of
/// another function if their number, type or place shows it.
///
/// ```
/// use gusset_abi::{AbiTarget, CType, Signature, classify};
/// use gusset_codegen::ir::{Function, FunctionBuilder, Linkage, Module, SigData, Symbol, SymbolKind, Type, print, verify};
///
/// let mut module = Module::default();
/// module.symbols.push(Symbol::new("twice", SymbolKind::Function, Linkage::Export));
/// let source = Signature::c(CType::I64).param(CType::I64);
/// let abi = classify(&AbiTarget::X86_64_LINUX, &source).unwrap();
/// let signature = SigData::new(vec![Type::I64], vec![Type::I64], abi, source);
///
/// let mut function = Function::new();
/// let mut b = FunctionBuilder::new(&mut function, Type::I64);
/// let entry = b.begin(gusset_codegen::ir::SymbolId::new(0), std::sync::Arc::new(signature));
/// let n = b.func.params(entry)[0];
/// let sum = b.iadd(n, n);
/// b.ret(&[sum]);
/// b.finish().unwrap();
/// verify(&module, &function).unwrap();
/// assert!(print(&module, [&function]).contains("iadd"));
/// ```
pub struct FunctionBuilder<'a> {
    /// The function under construction. The verifier sees what is done to it without the builder.
    pub func: &'a mut Function,
    ptr: Type,
    block: Option<Block>,
    ssa: Vec<SsaBlock>,
    vars: Vec<Type>,
    defs: HashMap<(Block, Variable), Value>,
    /// Parameters (block, variable, position) whose arguments have to be found.
    work: Vec<(Block, Variable, u32)>,
    /// By variable, what has to be said where it gets a value.
    notes: Vec<VarNote>,
    early_records: Vec<EarlyRecord>,
    /// Blocks in which variables have the values that they have in another.
    continued: HashMap<Block, Block>,
    /// The first mistake, and the instruction before which it was made.
    mistake: Option<(Inst, String)>,
    /// Operations on constants give constants.
    folds: bool,
}

impl<'a> FunctionBuilder<'a> {
    /// A builder for an empty function; `ptr` is the integer type of a pointer.
    pub fn new(func: &'a mut Function, ptr: Type) -> FunctionBuilder<'a> {
        FunctionBuilder {
            func,
            ptr,
            block: None,
            ssa: Vec::new(),
            vars: Vec::new(),
            defs: HashMap::new(),
            work: Vec::new(),
            notes: Vec::new(),
            early_records: Vec::new(),
            continued: HashMap::new(),
            mistake: None,
            folds: false,
        }
    }

    /// Sets whether operations on constants give constants instead of instructions, where the result does not depend on
    /// the machine. In a function that begins they do not; in the body that a front end gets from an `ObjectBuilder` they do.
    pub fn fold_constants(&mut self, on: bool) {
        self.folds = on;
    }

    /// The integer type of a pointer.
    pub fn ptr_type(&self) -> Type {
        self.ptr
    }

    /// Makes `sig` the function's own and creates the entry block with its parameters, ready to be filled.
    pub fn begin(&mut self, symbol: SymbolId, sig: Arc<SigData>) -> Block {
        if let Some(&entry) = self.func.layout.first() {
            self.mistake("the function has begun already");
            return entry;
        }
        self.func.symbol = symbol;
        let types = sig.params.clone();
        self.func.sig = self.import_signature(sig);
        let entry = self.func.make_block();
        for ty in types {
            self.func.append_param(entry, ty);
        }
        self.switch_to(entry);
        self.seal(entry);
        entry
    }

    /// A signature for use in calls.
    pub fn import_signature(&mut self, sig: Arc<SigData>) -> SigId {
        if let Some(i) = self.func.sigs.iter().position(|s| Arc::ptr_eq(s, &sig)) {
            return SigId::new(i);
        }
        self.func.sigs.push(sig);
        SigId::new(self.func.sigs.len() - 1)
    }

    /// A new block, to be filled later.
    #[inline]
    pub fn create_block(&mut self) -> Block {
        self.func.make_block()
    }

    /// Adds a parameter to a block; every edge to the block has to pass an argument for it.
    pub fn append_param(&mut self, block: Block, ty: Type) -> Value {
        if !self.has_block(block) {
            return self.poison(ty);
        }
        self.func.append_param(block, ty)
    }

    /// Starts filling `block`. The previous block must have its terminator. Each block is filled once.
    pub fn switch_to(&mut self, block: Block) {
        if let Some(open) = self.block {
            return self.mistake(format!(
                "block {open} has no terminator: end it by `jump`, `br`, `ret` or the like before filling {block}"
            ));
        }
        if !self.has_block(block) {
            return;
        }
        let at = self.func.insts.len() as u32;
        let data = &mut self.func.blocks[block.index()];
        if data.first != u32::MAX {
            return self.mistake(format!("block {block} is filled already: create another block"));
        }
        data.first = at;
        data.end = at;
        self.func.layout.push(block);
        self.block = Some(block);
    }

    /// The block being filled; `None` after a terminator.
    pub fn current_block(&self) -> Option<Block> {
        self.block
    }

    /// Lets `fill` go on by a builder of its own, which knows no variables. `fill` also gives the block in which this
    /// builder goes on: the current one, or one that control reaches from there alone.
    pub fn continued<R>(&mut self, fill: impl FnOnce(FunctionBuilder<'_>) -> (R, Option<Block>)) -> R {
        let from = self.block;
        let other = FunctionBuilder { block: from, ..FunctionBuilder::new(self.func, self.ptr) };
        let (result, to) = fill(other);
        self.block = to;
        if let (Some(from), Some(to)) = (from, to.filter(|&to| Some(to) != from)) {
            self.ssa_block(to).sealed = true;
            self.continued.insert(to, from);
        }
        result
    }

    // Raw appending.

    /// Appends an instruction with results of the given types. After a terminator, no block is current.
    #[inline]
    pub fn push(&mut self, data: InstData, results: &[Type]) -> super::Inst {
        let i = self.func.push_inst(data, results);
        self.place(data.op);
        i
    }

    /// Puts the last instruction into the current block.
    #[inline]
    fn place(&mut self, op: Opcode) {
        match self.block {
            Some(b) => {
                self.func.blocks[b.index()].end = self.func.insts.len() as u32;
                if op.is_terminator() {
                    self.block = None;
                }
            }
            None => self.no_block(op.name()),
        }
    }

    /// Appends an instruction with one result of type `ty`.
    pub fn push1(&mut self, op: Opcode, flags: u8, ty: Type, words: [u32; 3], result: Type) -> Value {
        let v = self.func.push_with_result(InstData { op, flags, ty, a: words[0], b: words[1], c: words[2] }, result);
        self.place(op);
        v
    }

    /// The same for two results, of the operation's type and another.
    fn push2(&mut self, data: InstData, other: Type) -> (Value, Value) {
        let i = self.push(data, &[data.ty, other]);
        let v = self.func.result(i);
        (v, Value(v.0 + 1))
    }

    #[inline(always)]
    fn push0(&mut self, op: Opcode, flags: u8, ty: Type, words: [u32; 3]) {
        self.func.push_inst(InstData { op, flags, ty, a: words[0], b: words[1], c: words[2] }, &[]);
        self.place(op);
    }

    // Constants.

    /// An integer constant.
    pub fn iconst(&mut self, ty: Type, n: i128) -> Value {
        self.func.make_int(ty, n)
    }

    /// An integer constant of any width, from words of 64 bits, the lowest first. Bits beyond the words are zero.
    pub fn wide_const(&mut self, ty: Type, words: &[u64]) -> Value {
        self.func.make_wide(ty, words, false)
    }

    /// A pointer-width constant.
    pub fn ptr_const(&mut self, n: i64) -> Value {
        self.func.make_int(self.ptr, n as i128)
    }

    /// The address of a symbol plus `offset` bytes.
    pub fn symbol_addr(&mut self, symbol: SymbolId, offset: i64) -> Value {
        self.func.make_const(self.ptr, ConstData::Symbol(symbol, offset))
    }

    /// A value of any bits.
    pub fn poison(&mut self, ty: Type) -> Value {
        self.func.make_const(ty, ConstData::Poison)
    }

    /// A stack slot's address.
    pub fn slot_addr(&mut self, slot: Slot) -> Value {
        if slot.index() >= self.func.slots.len() {
            self.mistake(format!("there is no slot {slot} in this function"));
            return self.poison(self.ptr);
        }
        self.func.slot_addr(slot, self.ptr)
    }

    // Arithmetic.

    /// A unary operation whose result has its operand's type.
    pub fn unary(&mut self, op: Opcode, a: Value) -> Value {
        self.check_shape("unary", op, Shape::Unary);
        let ty = self.type_of(a);
        if self.folds
            && is_foldable(ty)
            && let Some(x) = self.func.int_constant(a)
            && let Some(n) = fold_unary(op, ty.bits(), x)
        {
            return self.iconst(ty, n as i128);
        }
        self.push1(op, 0, ty, [a.0, 0, 0], ty)
    }

    /// A binary operation on operands of one type, which is also the result's type.
    pub fn binary(&mut self, op: Opcode, a: Value, b: Value) -> Value {
        self.check_shape("binary", op, Shape::Binary);
        let ty = self.type_of(a);
        if self.folds
            && let Some(v) = self.folded(op, ty, a, b)
        {
            return v;
        }
        self.push1(op, 0, ty, [a.0, b.0, 0], ty)
    }

    /// The integers that two values of the type `ty` are, if they are constants.
    fn constants(&self, ty: Type, a: Value, b: Value) -> Option<(u128, u128)> {
        (self.func.known_type(b) == Some(ty)).then_some(())?;
        Some((self.func.int_constant(a)?, self.func.int_constant(b)?))
    }

    /// The constant that an operation gives, if its operands are constants.
    fn folded(&mut self, op: Opcode, ty: Type, a: Value, b: Value) -> Option<Value> {
        if is_foldable(ty) {
            let (x, y) = self.constants(ty, a, b)?;
            let n = fold_binary(op, ty.bits(), x, y)?;
            return Some(self.iconst(ty, n as i128));
        }
        (ty.is_float() && self.func.known_type(b) == Some(ty)).then_some(())?;
        match (self.func.constant(a)?, self.func.constant(b)?) {
            (ConstData::Float(x), ConstData::Float(y)) => {
                let bits = fold_float(op, ty, x, y)?;
                Some(self.func.make_const(ty, ConstData::Float(bits)))
            }
            _ => None,
        }
    }

    /// A ternary operation on operands of one type, which is also the result's type.
    pub fn ternary(&mut self, op: Opcode, a: Value, b: Value, c: Value) -> Value {
        self.check_shape("ternary", op, Shape::Ternary);
        let ty = self.type_of(a);
        self.push1(op, 0, ty, [a.0, b.0, c.0], ty)
    }

    /// A conversion to `ty`.
    pub fn convert(&mut self, op: Opcode, a: Value, ty: Type) -> Value {
        self.check_shape("convert", op, Shape::Convert);
        if self.folds
            && let Some(from) = self.func.known_type(a)
            && let Some(x) = self.func.int_constant(a)
            && let Some(n) = fold_conversion(op, from, ty, x)
        {
            return self.iconst(ty, n as i128);
        }
        self.push1(op, 0, ty, [a.0, 0, 0], ty)
    }

    /// An operation with two results: a value and an overflow flag.
    pub fn overflow(&mut self, op: Opcode, a: Value, b: Value) -> (Value, Value) {
        self.check_shape("overflow", op, Shape::Overflow);
        let ty = self.type_of(a);
        let flag = ty.with_lane(Type::I1).unwrap_or(Type::I1);
        self.push2(InstData { op, flags: 0, ty, a: a.0, b: b.0, c: 0 }, flag)
    }

    /// Integer comparison.
    pub fn icmp(&mut self, cc: IntCc, a: Value, b: Value) -> Value {
        let ty = self.type_of(a);
        if self.folds
            && is_foldable(ty)
            && let Some((x, y)) = self.constants(ty, a, b)
        {
            return self.bool_const(fold_compare(cc, ty.bits(), x, y));
        }
        let result = ty.with_lane(Type::I1).unwrap_or(Type::I1);
        self.push1(Opcode::Icmp, cc as u8, ty, [a.0, b.0, 0], result)
    }

    /// Floating-point comparison.
    pub fn fcmp(&mut self, cc: FloatCc, a: Value, b: Value) -> Value {
        let ty = self.type_of(a);
        let result = ty.with_lane(Type::I1).unwrap_or(Type::I1);
        self.push1(Opcode::Fcmp, cc as u8, ty, [a.0, b.0, 0], result)
    }

    /// `c ? a : b`.
    pub fn select(&mut self, c: Value, a: Value, b: Value) -> Value {
        let ty = self.type_of(a);
        if self.folds
            && self.func.known_type(b) == Some(ty)
            && self.func.known_type(c) == Some(Type::I1)
            && let Some(c) = self.func.int_constant(c)
        {
            return if c != 0 { a } else { b };
        }
        self.push1(Opcode::Select, 0, ty, [c.0, a.0, b.0], ty)
    }

    /// `base + index * scale`.
    pub fn index(&mut self, base: Value, index: Value, scale: i32) -> Value {
        let ty = self.type_of(base);
        self.push1(Opcode::Index, 0, ty, [base.0, index.0, scale as u32], ty)
    }

    // Memory.

    /// Load of `ty` from `addr + offset`.
    #[inline]
    pub fn load(&mut self, ty: Type, addr: Value, offset: i32, flags: MemFlags) -> Value {
        self.push1(Opcode::Load, flags.0, ty, [addr.0, offset as u32, 0], ty)
    }

    /// Store of `v` to `addr + offset`.
    pub fn store(&mut self, v: Value, addr: Value, offset: i32, flags: MemFlags) {
        let ty = self.type_of(v);
        self.push0(Opcode::Store, flags.0, ty, [addr.0, v.0, offset as u32]);
    }

    /// Atomic load.
    pub fn atomic_load(&mut self, ty: Type, addr: Value, info: AtomicInfo) -> Value {
        self.push1(Opcode::AtomicLoad, 0, ty, [addr.0, info.0, 0], ty)
    }

    /// Atomic store.
    pub fn atomic_store(&mut self, v: Value, addr: Value, info: AtomicInfo) {
        let ty = self.type_of(v);
        self.push0(Opcode::AtomicStore, 0, ty, [addr.0, v.0, info.0]);
    }

    /// Atomic read-modify-write; the old value.
    pub fn atomic_rmw(&mut self, op: RmwOp, addr: Value, v: Value, info: AtomicInfo) -> Value {
        let ty = self.type_of(v);
        self.push1(Opcode::AtomicRmw, op as u8, ty, [addr.0, v.0, info.0], ty)
    }

    /// Compare and exchange. Results: the old value, and whether it was `expected`.
    pub fn cmpxchg(
        &mut self,
        addr: Value,
        expected: Value,
        new: Value,
        success: Ordering,
        failure: Ordering,
    ) -> (Value, Value) {
        let ty = self.type_of(new);
        let flags = CmpxchgInfo::new(success, failure, false, true).0;
        self.push2(InstData { op: Opcode::Cmpxchg, flags, ty, a: addr.0, b: expected.0, c: new.0 }, Type::I1)
    }

    /// Copies, moves or fills memory; `op` is `Memcpy`, `Memmove` or `Memset`.
    pub fn mem_op(&mut self, op: Opcode, dst: Value, src: Value, len: Value, flags: MemFlags) {
        self.check_shape("mem_op", op, Shape::Memory);
        self.push0(op, flags.0, Type::VOID, [dst.0, src.0, len.0]);
    }

    /// Sets the stack pointer to the result of a `stack_save`.
    pub fn restore_stack(&mut self, saved: Value) {
        self.push0(Opcode::StackRestore, 0, Type::VOID, [saved.0, 0, 0]);
    }

    // Vectors.

    /// A lane of a vector.
    pub fn extract_lane(&mut self, v: Value, lane: Value) -> Value {
        let ty = self.type_of(v).lane();
        self.push1(Opcode::ExtractLane, 0, ty, [v.0, lane.0, 0], ty)
    }

    /// A vector with one lane replaced.
    pub fn insert_lane(&mut self, v: Value, x: Value, lane: Value) -> Value {
        let ty = self.type_of(v);
        self.push1(Opcode::InsertLane, 0, ty, [v.0, x.0, lane.0], ty)
    }

    /// Lanes of `a` and `b` picked by `mask`, which counts `b`'s lanes after `a`'s; `u32::MAX` is an undefined lane.
    /// `None` if there is no such vector type.
    pub fn shuffle(&mut self, a: Value, b: Value, mask: &[u32]) -> Option<Value> {
        let ty = Type::vector(self.type_of(a).lane(), mask.len() as u32)?;
        let at = self.func.push_words(mask.iter().copied());
        Some(self.push1(Opcode::Shuffle, 0, ty, [a.0, b.0, at], ty))
    }

    /// Lanes combined to a scalar; `start` only matters to ordered floating-point sums and products.
    pub fn reduce(&mut self, op: ReduceOp, v: Value, start: Option<Value>) -> Value {
        let ty = self.type_of(v).lane();
        self.push1(Opcode::Reduce, op as u8, ty, [v.0, start.unwrap_or(v).0, 0], ty)
    }

    // Calls and control.

    /// A call; its results have the types of the signature.
    pub fn call(
        &mut self,
        callee: Callee,
        sig: SigId,
        args: &[Value],
        tail: TailKind,
        returns_twice: bool,
    ) -> super::Inst {
        let Some(types) = self.func.sigs.get(sig.index()).map(Arc::clone) else {
            self.mistake(format!("there is no signature {sig} in this function: import it"));
            return self.push(InstData::NOP, &[]);
        };
        let args_start = self.func.push_words(args.iter().map(|v| v.0));
        let call = self.func.calls.len() as u32;
        self.func.calls.push(CallData {
            callee,
            sig,
            args_start,
            args_len: args.len() as u32,
            results: types.results.len() as u32,
            tail,
            returns_twice,
            nounwind: false,
            untracked: false,
            no_merge: false,
            cold: false,
            inlining: Inlining::Free,
            type_id: None,
            within: None,
            stack_map: None,
        });
        self.func.attrs.calls_returns_twice |= returns_twice;
        let data = InstData { op: Opcode::Call, flags: 0, ty: Type::VOID, a: call, b: 0, c: 0 };
        self.push(data, &types.results)
    }

    /// Says that the target of the last call need not begin with a marker of control-flow protection.
    pub fn untracked(&mut self) {
        if let Some(call) = self.func.calls.last_mut() {
            call.untracked = true;
        }
    }

    /// Says that optimizations never make one call of the last call and another.
    pub fn no_merge(&mut self) {
        if let Some(call) = self.func.calls.last_mut() {
            call.no_merge = true;
        }
    }

    /// Says that the last call hardly ever runs.
    pub fn cold(&mut self) {
        if let Some(call) = self.func.calls.last_mut() {
            call.cold = true;
        }
    }

    /// Says what the last call asks of inlining.
    pub fn inlining(&mut self, inlining: Inlining) {
        if let Some(call) = self.func.calls.last_mut() {
            call.inlining = inlining;
        }
    }

    /// Says which number of a type the function at the address of the last call must have.
    pub fn checks_type(&mut self, id: u32) {
        if let Some(call) = self.func.calls.last_mut() {
            call.type_id = Some(id);
        }
    }

    /// Makes the last call a safepoint with this stack map, one of [`Function::stack_maps`].
    pub fn stack_map(&mut self, map: StackMapId) {
        match self.func.calls.last_mut() {
            Some(call) => call.stack_map = Some(map),
            None => self.mistake("no call has been made that `stack_map` is about"),
        }
    }

    /// Makes the last call a safepoint: its stack map, with this number, lists the [`reference`](Self::reference)s that live
    /// across it, after three zeros and the number of `others` and these, as LLVM's statepoints do.
    pub fn safepoint(&mut self, id: u64, others: &[StackMapEntry]) {
        let count = others.len() as i64;
        let mut entries = [0, 0, count].map(StackMapEntry::Constant).to_vec();
        entries.extend_from_slice(others);
        self.func.stack_maps.push(StackMap { id, references: true, entries, ..StackMap::default() });
        self.stack_map(StackMapId::new(self.func.stack_maps.len() - 1));
    }

    /// Says that a value is the address of an object that a collector may move. The value is then good across
    /// [`safepoint`](Self::safepoint)s: later uses read where the object is now.
    pub fn reference(&mut self, value: Value) {
        self.reference_into(value, value);
    }

    /// The same for an address within the object at `base`.
    pub fn reference_into(&mut self, value: Value, base: Value) {
        if [value, base].iter().any(|&v| self.type_of(v) != self.ptr) {
            return self.mistake(format!("the reference {value} is no pointer, or {base} is none"));
        }
        self.func.references.push(Reference { value, base });
    }

    /// Says that all values of a variable are references, those that blocks get as parameters included.
    pub fn reference_var(&mut self, var: Variable) {
        match self.var_type(var) {
            Some(ty) if ty == self.ptr => self.note(var).reference = true,
            Some(ty) => self.mistake(format!("the variable {var} holds {ty}, which is no pointer")),
            None => {}
        }
    }

    /// Says that no exception leaves the last call.
    pub fn nounwind(&mut self) {
        match self.func.calls.last_mut() {
            Some(call) => call.nounwind = true,
            None => self.mistake("no call has been made that `nounwind` is about"),
        }
    }

    /// Ends the block after a call whose results `normal` and later blocks may use. An exception that leaves the call
    /// continues at `unwind`, which must begin with a [`landing_pad`](Self::landing_pad).
    pub fn invoke(&mut self, normal: Block, normal_args: &[Value], unwind: Block, unwind_args: &[Value]) {
        let n = self.edge(normal, normal_args);
        let u = self.edge(unwind, unwind_args);
        self.end_invoke(n, u);
    }

    /// The same, with edges that exist already.
    pub fn end_invoke(&mut self, normal: Edge, unwind: Edge) {
        self.push0(Opcode::Invoke, 0, Type::VOID, [normal.0, unwind.0, 0]);
    }

    /// Continues at `normal`. From there on, exceptions that no call raises go to the pad that `unwind` leads to, as if
    /// every instruction were an invoked call.
    pub fn begin_scope(&mut self, normal: Edge, unwind: Edge) {
        self.push0(Opcode::ScopeBegin, 0, Type::VOID, [normal.0, unwind.0, 0]);
    }

    /// Continues at `normal`. From there on, exceptions that no call raises no longer go to the pad that `unwind` leads
    /// to, but to the pad that it unwinds to.
    pub fn end_scope(&mut self, normal: Edge, unwind: Edge) {
        self.push0(Opcode::ScopeEnd, 0, Type::VOID, [normal.0, unwind.0, 0]);
    }

    /// The start of a block that exceptions come to. Results: the exception and the selector. Pads are made in
    /// [`Function::exceptions`], which also says what selectors mean.
    pub fn landing_pad(&mut self, pad: Pad) -> (Value, Value) {
        self.push2(InstData { op: Opcode::LandingPad, flags: 0, ty: self.ptr, a: pad.0, b: 0, c: 0 }, Type::I32)
    }

    /// Continues unwinding with the exception of a landing pad.
    pub fn resume(&mut self, exception: Value) {
        self.push0(Opcode::Resume, 0, self.ptr, [exception.0, 0, 0]);
    }

    /// Sets the funclet that the last call is in, by its pad.
    pub fn within(&mut self, pad: Pad) {
        match self.func.calls.last_mut() {
            Some(call) => call.within = Some(pad),
            None => self.mistake("no call has been made that `within` is about"),
        }
    }

    /// The whole of a block that exceptions come to. Control continues at the first handler that takes the exception,
    /// each a block that begins with a [`catch_pad`](Self::catch_pad), else at `unwind` or outside the function. The
    /// pad is a [`PadKind::Switch`](super::PadKind::Switch).
    pub fn catch_switch(&mut self, pad: Pad, handlers: &[Edge], unwind: Option<Edge>) {
        self.pad_edges(Opcode::CatchSwitch, pad, handlers, unwind);
    }

    /// The start of a handler, a [`PadKind::Catch`](super::PadKind::Catch). The exception's object is put at an
    /// address, unless that is null. Result: the exception's code, in handlers of `__except`.
    pub fn catch_pad(&mut self, pad: Pad, object: Value) -> Value {
        self.push1(Opcode::CatchPad, 0, Type::I32, [object.0, pad.0, 0], Type::I32)
    }

    /// The start of a cleanup, a [`PadKind::Cleanup`](super::PadKind::Cleanup).
    pub fn cleanup_pad(&mut self, pad: Pad) {
        self.push0(Opcode::CleanupPad, 0, Type::VOID, [pad.0, 0, 0]);
    }

    /// The end of a handler: control continues at `to`, in the function or funclet around its `catch_switch`.
    pub fn catch_ret(&mut self, pad: Pad, to: Edge) {
        self.pad_edges(Opcode::CatchRet, pad, &[to], None);
    }

    /// The end of a cleanup: unwinding continues at a pad, or outside the function.
    pub fn cleanup_ret(&mut self, pad: Pad, unwind: Option<Edge>) {
        self.pad_edges(Opcode::CleanupRet, pad, &[], unwind);
    }

    fn pad_edges(&mut self, op: Opcode, pad: Pad, edges: &[Edge], unwind: Option<Edge>) {
        let start = self.func.push_words(edges.iter().copied().chain(unwind).map(|e| e.0));
        let count = self.func.pool.len() as u32 - start;
        self.push0(op, u8::from(unwind.is_some()), Type::VOID, [pad.0, start, count]);
    }

    /// An edge from the current block to `to` with arguments, for its terminator.
    pub fn edge(&mut self, to: Block, args: &[Value]) -> Edge {
        let e = self.func.make_edge(to);
        for &a in args {
            self.func.append_edge_arg(e, a);
        }
        let Some(from) = self.block else {
            self.no_block("edge");
            return e;
        };
        if self.has_block(to) {
            let data = self.ssa_block(to);
            data.preds.push((e, from));
            // The verifier reports branches to the entry.
            if data.sealed && self.func.layout.first() != Some(&to) {
                self.mistake(format!("block {to} is sealed and gets another edge: call `seal` when all are made"));
            }
        }
        e
    }

    /// Branch to `to`.
    pub fn jump(&mut self, to: Block, args: &[Value]) {
        let e = self.edge(to, args);
        self.push0(Opcode::Jump, 0, Type::VOID, [e.0, 0, 0]);
    }

    /// Branch on `cond`.
    pub fn br(&mut self, cond: Value, then: Block, then_args: &[Value], other: Block, other_args: &[Value]) {
        let t = self.edge(then, then_args);
        let e = self.edge(other, other_args);
        self.push0(Opcode::Br, 0, Type::VOID, [cond.0, t.0, e.0]);
    }

    /// Multi-way branch on `v`; the cases are constants of its type, all different. Each case has an edge of its own, made in
    /// the block that ends here, also if several lead to one block.
    ///
    /// ```
    /// # use gusset_codegen::ir::{Function, FunctionBuilder, Type};
    /// # let mut function = Function::new();
    /// # let mut b = FunctionBuilder::new(&mut function, Type::I64);
    /// # let first = b.create_block();
    /// # b.switch_to(first);
    /// # let n = b.poison(Type::I32);
    /// let (small, three, rest) = (b.create_block(), b.create_block(), b.create_block());
    /// let cases = [
    ///     (b.i32_const(1), b.edge(small, &[])),
    ///     (b.i32_const(2), b.edge(small, &[])),
    ///     (b.i32_const(3), b.edge(three, &[])),
    /// ];
    /// let other = b.edge(rest, &[]);
    /// b.switch(n, &cases, other);
    /// [small, three, rest].into_iter().for_each(|block| b.seal(block));
    /// # for block in [small, three, rest] {
    /// #     b.switch_to(block);
    /// #     b.ret(&[]);
    /// # }
    /// # b.finish().unwrap();
    /// ```
    pub fn switch(&mut self, v: Value, cases: &[(Value, Edge)], default: Edge) {
        let start = self.func.push_words(cases.iter().flat_map(|&(c, e)| [c.0, e.0]));
        let s = SwitchId::new(self.func.switches.len());
        self.func.switches.push(SwitchData { start, len: cases.len() as u32, default });
        let ty = self.type_of(v);
        self.push0(Opcode::Switch, 0, ty, [v.0, s.0, 0]);
    }

    /// Branches to the block address `v`, which must be that of one of the edges' blocks.
    pub fn indirect_br(&mut self, v: Value, edges: &[Edge]) {
        let start = self.func.push_words(edges.iter().map(|e| e.0));
        self.push0(Opcode::IndirectBr, 0, Type::VOID, [v.0, start, edges.len() as u32]);
    }

    /// Return.
    pub fn ret(&mut self, values: &[Value]) {
        let start = self.func.push_words(values.iter().map(|v| v.0));
        self.push0(Opcode::Return, 0, Type::VOID, [start, values.len() as u32, 0]);
    }

    /// Ends a block whose end is never reached.
    pub fn unreachable(&mut self) {
        self.push0(Opcode::Unreachable, 0, Type::VOID, [0; 3]);
    }

    // Variables.

    fn ssa_block(&mut self, b: Block) -> &mut SsaBlock {
        if self.ssa.len() <= b.index() {
            self.ssa.resize_with(b.index() + 1, SsaBlock::default);
        }
        &mut self.ssa[b.index()]
    }

    /// A new variable.
    pub fn declare_var(&mut self, ty: Type) -> Variable {
        self.vars.push(ty);
        Variable::new(self.vars.len() - 1)
    }

    /// What is said of a variable's values, to be changed.
    fn note(&mut self, var: Variable) -> &mut VarNote {
        if self.notes.len() <= var.index() {
            self.notes.resize(var.index() + 1, VarNote::default());
        }
        &mut self.notes[var.index()]
    }

    /// A new variable for a pointer.
    pub fn declare_pointer_var(&mut self) -> Variable {
        self.declare_var(self.ptr)
    }

    /// Assigns to a variable in the current block.
    pub fn def_var(&mut self, var: Variable, v: Value) {
        let Some(ty) = self.var_type(var) else { return };
        let have = self.type_of(v);
        if have != ty {
            return self.mistake(format!("{v} has type {have}, and the variable {var} holds {ty}"));
        }
        let Some(b) = self.block else { return self.no_block("def_var") };
        self.defs.insert((b, var), v);
        if let Some(&VarNote { reference, named }) = self.notes.get(var.index()) {
            if reference {
                self.func.references.push(Reference { value: v, base: v });
            }
            if let Some(of) = named {
                self.record_assignment(of, v);
            }
        }
    }

    /// The variable's value in the current block; any bits if no assignment reaches it.
    pub fn use_var(&mut self, var: Variable) -> Value {
        let Some(ty) = self.var_type(var) else { return self.poison(self.ptr) };
        let Some(b) = self.block else {
            self.no_block("use_var");
            return self.poison(ty);
        };
        let v = self.read_var(b, var);
        self.fill_params();
        v
    }

    /// Says that `block` gets no more predecessors. Every block must be sealed before the function is complete.
    pub fn seal(&mut self, block: Block) {
        if !self.has_block(block) {
            return;
        }
        let data = self.ssa_block(block);
        data.sealed = true;
        let pending = std::mem::take(&mut data.pending);
        self.work.extend(pending.into_iter().map(|(var, param)| (block, var, param)));
        self.fill_params();
    }

    fn read_var(&mut self, block: Block, var: Variable) -> Value {
        let mut path = Vec::new();
        let mut at = block;
        let blocks = self.func.blocks.len();
        let found = loop {
            if let Some(&v) = self.defs.get(&(at, var)) {
                break v;
            }
            let ty = self.vars[var.index()];
            let data = self.ssa_block(at);
            match (data.sealed, data.preds.as_slice()) {
                (true, []) => match self.continued.get(&at) {
                    Some(&from) => {
                        path.push(at);
                        at = from;
                    }
                    None => break self.poison(ty),
                },
                // Blocks in a circle that control never enters.
                (true, &[_]) if path.len() > blocks => break self.poison(ty),
                (true, &[(_, from)]) => {
                    path.push(at);
                    at = from;
                }
                (sealed, _) => {
                    let position = self.func.params(at).len() as u32;
                    let v = self.func.append_param(at, ty);
                    self.defs.insert((at, var), v);
                    if let Some(&VarNote { reference, named }) = self.notes.get(var.index()) {
                        if reference {
                            self.func.references.push(Reference { value: v, base: v });
                        }
                        if let Some(of) = named {
                            self.record_param(at, of, v);
                        }
                    }
                    if sealed {
                        self.work.push((at, var, position));
                    } else {
                        self.ssa_block(at).pending.push((var, position));
                    }
                    break v;
                }
            }
        };
        for b in path {
            self.defs.insert((b, var), found);
        }
        found
    }

    /// Gives every edge its argument for the parameters that `read_var` added. Uses a list of work instead of
    /// recursion, since the caller decides how deep the control flow graph is.
    fn fill_params(&mut self) {
        while let Some((block, var, position)) = self.work.pop() {
            for k in 0..self.ssa_block(block).preds.len() {
                let (edge, from) = self.ssa_block(block).preds[k];
                let v = self.read_var(from, var);
                if self.func.edge_args(edge).get(position as usize).is_some_and(|v| v.0 != u32::MAX) {
                    self.mistake(format!("an edge to {block} has more arguments than the block has parameters"));
                }
                self.func.set_edge_arg(edge, position as usize, v);
            }
        }
    }
}
