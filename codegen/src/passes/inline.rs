//! Inlining: calls of functions of the same module become copies of their bodies (LLVM's `Inliner`).
//!
//! Bodies are copied as the front end made them, before any pass, so that what is inlined does not depend on the order in which functions
//! are compiled, nor on the threads that do it. Calls in the copies are looked at in turn, down to a depth, and never those of a function
//! in its own copy. Functions that ask for it are always inlined where they can be (`alwaysinline`), others if they are small: they are
//! measured without what promotion removes. Functions without variables in memory have been through another inliner, as a rule (clang's at
//! `-O2`), which left their calls; they are inlined only if that makes the code hardly larger.
//!
//! What cannot be copied stays a call: variadic functions, functions that catch exceptions, take areas of the stack or addresses of their own
//! blocks, look at their frames or return twice, calls that pass memory by value, calls in funclets; and where an exception that leaves the
//! call is caught, functions through which one may come. Copied instructions have the call's place in the source; what records say of the
//! callee's variables is left out.

use std::sync::Arc;

use gusset_abi::{AbiType, Role};

use crate::ir::{
    Block, CallData, Callee, Carry, ConstData, Edge, Format, Function, FunctionAttrs, Inlining, Inst, InstData,
    Linkage, Module, Opcode, SigData, SigId, Slot, StackProtector, SwitchData, SwitchId, SymbolId, TailKind, Type,
    Value, ValueDef,
};

/// The most that the body of a function costs that is inlined without asking for it, in instructions.
const SMALL: u32 = 30;
/// The same if it hints that it wants to be inlined.
const HINTED: u32 = 45;
/// The same in functions that are to be small, and of functions that another inliner has seen.
const TINY: u32 = 8;
/// What a call costs.
const CALL: u32 = 5;
/// How deep copies are in one another.
const DEPTH: usize = 6;
/// The most instructions that are copied into a function that did not ask for it, and at all.
const MOST: usize = 20_000;
const MOST_ASKED: usize = 200_000;
const NONE: u32 = u32::MAX;

/// A function that may be copied.
pub struct Inlinable {
    function: Function,
    cost: u32,
    /// Its variables are in memory.
    has_variables: bool,
    /// No exception leaves its calls.
    nounwind: bool,
}

/// Functions of the module.
pub trait Bodies {
    /// The function, as [`Inlinable::new`] has it, if the module defines it.
    fn body(&mut self, symbol: SymbolId) -> Option<Arc<Inlinable>>;
}

/// The functions of a module that is in memory.
#[derive(Default)]
pub struct InlinableFunctions(Vec<Option<Arc<Inlinable>>>);

impl InlinableFunctions {
    /// Copies of those that may be inlined, before any of them is compiled.
    pub fn new(module: &Module, functions: &[Function]) -> InlinableFunctions {
        let mut all = Vec::new();
        all.resize_with(module.symbols.len(), || None);
        for f in functions {
            all[f.symbol.index()] = Inlinable::new(module, f.clone()).map(Arc::new);
        }
        InlinableFunctions(all)
    }
}

impl Bodies for InlinableFunctions {
    fn body(&mut self, symbol: SymbolId) -> Option<Arc<Inlinable>> {
        self.0.get(symbol.index())?.clone()
    }
}

impl Inlinable {
    /// A function as the front end made it, if it may be copied into others.
    pub fn new(module: &Module, mut function: Function) -> Option<Inlinable> {
        function.resolve_operands();
        let f = &function;
        if !may_be_copied(module, f) {
            return None;
        }
        let cost = f.layout.iter().flat_map(|&b| f.insts_of(b)).fold(0, |sum: u32, d| sum.saturating_add(cost(f, d)));
        if cost > HINTED && f.attrs.inlining != Inlining::Always {
            return None;
        }
        let nounwind = f.calls.iter().all(|call| call.nounwind);
        let has_variables = f.layout.iter().flat_map(|&b| f.insts_of(b)).any(|d| is_of_variable(f, d));
        Some(Inlinable { function, cost, has_variables, nounwind })
    }

    /// What a call of it asks of inlining. What the call says itself goes before what the function says.
    fn asked(&self, call: &CallData) -> Inlining {
        if call.inlining == Inlining::Free { self.function.attrs.inlining } else { call.inlining }
    }

    /// The most that it may cost, with the copies in it, at a call that asks for this, in a function that is to be small or not.
    fn most(&self, asked: Inlining, small: bool) -> u32 {
        match asked {
            Inlining::Always => u32::MAX,
            Inlining::Never => 0,
            _ if small => TINY,
            Inlining::Hint => HINTED,
            Inlining::Free if self.has_variables => SMALL,
            Inlining::Free => TINY,
        }
    }
}

/// What an instruction costs, as far as it is not removed by promotion.
fn cost(f: &Function, d: &InstData) -> u32 {
    match d.op {
        Opcode::Nop | Opcode::Jump | Opcode::Return | Opcode::Unreachable => 0,
        _ if is_of_variable(f, d) => 0,
        Opcode::Call => CALL + f.calls[d.a as usize].args_len,
        Opcode::Switch => 2 + f.switches[d.b as usize].len,
        _ => 1,
    }
}

/// Does an instruction access a variable in memory?
fn is_of_variable(f: &Function, d: &InstData) -> bool {
    matches!(d.op, Opcode::Load | Opcode::Store) && matches!(f.value_def(Value(d.a)), ValueDef::Slot(_))
}

fn may_be_copied(module: &Module, f: &Function) -> bool {
    let attrs = &f.attrs;
    let symbol = module.symbol(f.symbol);
    let exact = matches!(symbol.linkage, Linkage::Local | Linkage::Private | Linkage::Export);
    let plain = !(attrs.optimize_none
        || attrs.naked
        || attrs.calls_returns_twice
        || f.debug.keeps_variables
        || f.exceptions.personality.is_some()
        || f.exceptions.asynchronous
        || f.escapes.is_some()
        || !f.block_symbols.is_empty()
        || !f.stack_maps.is_empty()
        || !f.references.is_empty());
    exact
        && plain
        && passes_values(f.signature())
        && f.calls.iter().all(|c| c.tail != TailKind::Must && !c.returns_twice && c.stack_map.is_none())
        && f.layout.iter().flat_map(|&b| f.insts_of(b)).all(is_copied)
}

/// Is an instruction one that means the same in another function?
fn is_copied(d: &InstData) -> bool {
    let of_frame = d.op.concerns_stack() && !matches!(d.op, Opcode::Call | Opcode::TlsAddr);
    let of_graph = matches!(
        d.op.format(),
        Format::IndirectBr
            | Format::StackMap
            | Format::Invoke
            | Format::Pad
            | Format::Funclet
            | Format::Catch
            | Format::PadEdges
    );
    !of_frame && !of_graph && d.op != Opcode::Resume
}

/// Are all parameters and results plain values?
fn passes_values(sig: &SigData) -> bool {
    let is_value = |ty: &AbiType, role: Role| match ty {
        AbiType::C(c) => !c.is_by_address() && role == Role::Value,
        AbiType::Llvm(_) => matches!(role, Role::Value | Role::StructReturn),
    };
    !sig.variadic
        && !sig.aggregate_result
        && sig.split == 0
        && sig.abi.arg_block.is_none()
        && sig.source.params.iter().all(|param| is_value(&param.ty, param.attrs.role))
}

/// The attributes that decide what code means, or what is around it.
fn meaning(attrs: &FunctionAttrs) -> FunctionAttrs {
    FunctionAttrs {
        frame_pointer: Default::default(),
        stack_protector: StackProtector::None,
        unwind_tables: false,
        noreturn: false,
        optimize_size: false,
        inlining: Inlining::Free,
        indirect_branch_marker: false,
        ..*attrs
    }
}

/// A copy of a function.
#[derive(Clone, Copy)]
struct Copied {
    of: SymbolId,
    /// The copy that the call of it was in, or `NONE`.
    within: u32,
    /// Its budget, or `NONE` for that of a function that asked for it.
    budget: u32,
}

/// A call that becomes a copy.
struct Chosen {
    call: Inst,
    body: Arc<Inlinable>,
    budget: u32,
}

/// The tables of the pass.
#[derive(Default)]
pub struct Inline {
    /// For each call of the function the copy that it is in, or `NONE`.
    copy_of: Vec<u32>,
    copies: Vec<Copied>,
    /// What the copies that are in one of a function that did not ask for it may still cost, that one's own included.
    budgets: Vec<u32>,
    /// The function is to be small.
    small: bool,
    /// Instructions that were copied.
    copied: usize,
    /// For each value of a body that is copied, its copy.
    values: Vec<u32>,
    /// The same of blocks.
    blocks: Vec<Block>,
    /// The same of signatures.
    sigs: Vec<u32>,
    /// What became of each call, if that is asked for.
    pub remarks: Option<Vec<String>>,
}

impl Inline {
    /// Inlines what a function calls, before any pass. `small`: only what makes it hardly larger.
    pub fn run(&mut self, module: &Module, f: &mut Function, bodies: &mut dyn Bodies, small: bool) {
        self.small = small;
        let attrs = &f.attrs;
        if attrs.optimize_none || attrs.naked || attrs.calls_returns_twice || f.debug.keeps_variables {
            return;
        }
        if f.exceptions.has_funclets() || f.exceptions.asynchronous || !f.references.is_empty() {
            return;
        }
        self.copies.clear();
        self.budgets.clear();
        self.copy_of.clear();
        self.copied = 0;
        for _ in 0..DEPTH {
            self.copy_of.resize(f.calls.len(), NONE);
            if !self.round(module, f, bodies) {
                break;
            }
        }
    }

    /// Inlines the calls that the function has so far. Returns whether there were any.
    fn round(&mut self, module: &Module, f: &mut Function, bodies: &mut dyn Bodies) -> bool {
        let mut chosen: Vec<Chosen> = Vec::new();
        for k in 0..f.layout.len() {
            for i in f.block_insts(f.layout[k]) {
                if f.inst(i).op == Opcode::Call
                    && let Some(one) = self.choose(module, f, i, bodies)
                {
                    chosen.push(one);
                }
            }
        }
        if chosen.is_empty() {
            return false;
        }
        chosen.sort_unstable_by_key(|one| one.call);
        self.rewrite(f, &chosen);
        true
    }

    /// The body that takes the place of a call, if one does.
    fn choose(&mut self, module: &Module, f: &Function, i: Inst, bodies: &mut dyn Bodies) -> Option<Chosen> {
        let call = &f.calls[f.inst(i).a as usize];
        let Callee::Symbol(symbol) = call.callee else { return None };
        if module.symbol(symbol).linkage == Linkage::Import {
            return None;
        }
        let body = if symbol == f.symbol { None } else { bodies.body(symbol) };
        let chosen = self.judge(f, i, symbol, body.as_ref());
        if let Some(remarks) = &mut self.remarks {
            let (name, cost) = (&module.symbol(symbol).name, body.as_ref().map_or(0, |body| body.cost));
            let refused = |why| format!("not inlined @{name}: {why}");
            match chosen {
                Ok(_) => remarks.push(format!("inlined @{name}, cost {cost}")),
                // Calls that stay are looked at again in every round.
                Err(why) if !remarks.contains(&refused(why)) => remarks.push(refused(why)),
                Err(_) => {}
            }
        }
        let budget = chosen.ok()?;
        let body = body?;
        self.copied += body.function.insts.len();
        Some(Chosen { call: i, body, budget })
    }

    /// Charges for the body that is to take the place of a call, or says why it does not.
    fn judge(
        &mut self,
        f: &Function,
        i: Inst,
        symbol: SymbolId,
        body: Option<&Arc<Inlinable>>,
    ) -> Result<u32, &'static str> {
        let id = f.inst(i).a as usize;
        let call = &f.calls[id];
        if call.tail == TailKind::Must || call.returns_twice || call.within.is_some() || call.stack_map.is_some() {
            return Err("the call has to stay");
        }
        let mut copy = self.copy_of[id];
        let mut recursive = symbol == f.symbol;
        while copy != NONE {
            let Copied { of, within, .. } = self.copies[copy as usize];
            recursive |= of == symbol;
            copy = within;
        }
        if recursive {
            return Err("it calls itself");
        }
        let body = body.ok_or("it is too large or cannot be copied")?;
        let (g, asked) = (&body.function, body.asked(call));
        if asked == Inlining::Never {
            return Err("it is `noinline`");
        }
        if call.cold && asked != Inlining::Always {
            return Err("the call is cold");
        }
        let (wanted, has) = (g.signature(), &f.sigs[call.sig.index()]);
        let same = has.params == wanted.params && has.results == wanted.results;
        if !same || !passes_values(has) || call.results as usize != wanted.results.len() {
            return Err("the call passes other values");
        }
        let most = body.most(asked, self.small);
        if body.cost > most {
            return Err("it is too large here");
        }
        if meaning(&g.attrs) != meaning(&f.attrs) {
            return Err("its attributes differ");
        }
        if f.exceptions.personality.is_some() && f.unwind_edge(i).is_some() && !body.nounwind {
            return Err("an exception that leaves it is caught");
        }
        let always = asked == Inlining::Always;
        let budget = if self.copied + g.insts.len() > if always { MOST_ASKED } else { MOST } {
            None
        } else if always {
            Some(NONE)
        } else {
            self.charge(body.cost, most, self.copy_of[id], CALL + call.args_len)
        };
        budget.ok_or("too much has been inlined")
    }

    /// Charges the cost of a body, less that of the call, to the budget of the copy `within`; none is left for another.
    fn charge(&mut self, cost: u32, most: u32, within: u32, call: u32) -> Option<u32> {
        let known = if within == NONE { NONE } else { self.copies[within as usize].budget };
        if known == NONE {
            self.budgets.push(most - cost);
            return Some(self.budgets.len() as u32 - 1);
        }
        let left = &mut self.budgets[known as usize];
        *left = left.checked_sub(cost.saturating_sub(call))?;
        Some(known)
    }

    /// Puts bodies in the places of calls.
    fn rewrite(&mut self, f: &mut Function, chosen: &[Chosen]) {
        let ptr = f.signature().pointer();
        let old = f.begin_rewrite();
        let mut carry = Carry::new(&old.debug);
        let layout = std::mem::take(&mut f.layout);
        for b in layout {
            let (first, end) = old.blocks[b.index()];
            f.begin_block(b);
            if let Some(carry) = &mut carry {
                carry.begin_block(Inst(first), Inst::new(f.insts.len()), &mut f.debug);
            }
            let (mut here, mut lost_call) = (b, false);
            for i in (first..end).map(Inst) {
                let (mut d, result) = (old.insts[i.index()], Value(old.results[i.index()]));
                if let Some(carry) = &mut carry {
                    carry.step(i, Inst::new(f.insts.len()), &mut f.debug);
                }
                if let Ok(at) = chosen.binary_search_by_key(&i, |one| one.call) {
                    let one = &chosen[at];
                    let (of, within) = (one.body.function.symbol, self.copy_of[d.a as usize]);
                    self.copies.push(Copied { of, within, budget: one.budget });
                    here = self.copy(f, &one.body.function, (here, d.a as usize, result), ptr);
                    lost_call = true;
                    continue;
                }
                lost_call &= d.op != Opcode::Call;
                if d.op == Opcode::Invoke && lost_call {
                    d.op = Opcode::Jump;
                    (d.b, d.c) = (0, 0);
                }
                f.push_kept(d, result);
            }
            f.end_block(here);
        }
    }

    /// Copies a body to the place of the call `id`, which stands in the block `here` and gives `result`. Returns the block that goes on.
    fn copy(&mut self, f: &mut Function, g: &Function, (here, id, result): (Block, usize, Value), ptr: Type) -> Block {
        let call = f.calls[id];
        let copy = self.copies.len() as u32 - 1;
        self.begin(f, g, ptr);
        // The call goes into the first block, as a jump with its arguments.
        let Some(&entry) = g.layout.first() else { return here };
        let into = f.make_edge(self.blocks[entry.index()]);
        for k in 0..call.args_len {
            let v = f.pool_values(call.args_start, call.args_len)[k as usize];
            f.append_edge_arg(into, v);
        }
        f.push_inst(jump(into), &[]);
        f.end_block(here);
        let after = f.make_block();
        for (k, &ty) in g.signature().results.iter().enumerate() {
            let p = f.append_param(after, ty);
            f.alias(Value(result.0 + k as u32), p);
        }
        for &b in &g.layout {
            let to = self.blocks[b.index()];
            f.begin_block(to);
            for i in g.block_insts(b) {
                self.instruction(f, g, i, (after, copy, call.tail));
            }
            f.end_block(to);
        }
        // Nothing is passed by the call any more.
        f.calls[id] = CallData { callee: Callee::Symbol(g.symbol), args_len: 0, results: 0, ..call };
        f.attrs.stack_protector = f.attrs.stack_protector.max(g.attrs.stack_protector);
        f.attrs.unwind_tables |= g.attrs.unwind_tables;
        f.attrs.indirect_branch_marker |= g.attrs.indirect_branch_marker;
        f.begin_block(after);
        after
    }

    /// Makes copies of blocks, parameters, results and slots.
    fn begin(&mut self, f: &mut Function, g: &Function, ptr: Type) {
        self.blocks.clear();
        self.blocks.extend(g.blocks.iter().map(|_| f.make_block()));
        self.values.clear();
        self.values.resize(g.value_count(), NONE);
        self.sigs.clear();
        self.sigs.resize(g.sigs.len(), NONE);
        for &b in &g.layout {
            for &p in g.params(b) {
                self.values[p.index()] = f.append_param(self.blocks[b.index()], g.value_type(p)).0;
            }
        }
        let first_slot = f.slots.len();
        for slot in &g.slots {
            let copy = f.make_slot(slot.size, slot.align);
            f.slots[copy.index()].kind = slot.kind;
        }
        for &b in &g.layout {
            for i in g.block_insts(b) {
                for v in g.results(i) {
                    self.values[v.index()] = f.make_result(g.value_type(v)).0;
                }
            }
        }
        for (k, slot) in (0..g.slots.len()).zip(first_slot..) {
            if let Some(v) = g.known_slot_addr(Slot::new(k)) {
                self.values[v.index()] = f.slot_addr(Slot::new(slot), ptr).0;
            }
        }
    }

    /// The copy of a value.
    fn value(&mut self, f: &mut Function, g: &Function, v: Value) -> Value {
        let v = g.resolve(v);
        if self.values[v.index()] == NONE {
            let ty = g.value_type(v);
            let made = match g.constant(v) {
                Some(ConstData::Vector { start, len }) => {
                    let lanes: Vec<Value> = g.vector_lanes(start, len).map(|lane| self.value(f, g, lane)).collect();
                    f.make_vector(ty, &lanes)
                }
                Some(data) => f.make_const(ty, data),
                None => f.make_const(ty, ConstData::Poison),
            };
            self.values[v.index()] = made.0;
        }
        Value(self.values[v.index()])
    }

    fn list(&mut self, f: &mut Function, g: &Function, (start, len): (u32, u32)) -> u32 {
        let copies: Vec<u32> = g.pool_values(start, len).iter().map(|&v| self.value(f, g, v).0).collect();
        f.push_words(copies)
    }

    fn edge(&mut self, f: &mut Function, g: &Function, e: Edge) -> Edge {
        let copy = f.make_edge(self.blocks[g.edge_to(e).index()]);
        if g.edge_weight(e) != 0 {
            f.set_edge_weight(copy, g.edge_weight(e));
        }
        for &v in g.edge_args(e) {
            let v = self.value(f, g, v);
            f.append_edge_arg(copy, v);
        }
        copy
    }

    /// Copies an instruction. A return goes to the block `after`; calls are in the copy with a number, and are no tail calls unless the
    /// call that is replaced was one.
    fn instruction(&mut self, f: &mut Function, g: &Function, i: Inst, (after, copy, tail): (Block, u32, TailKind)) {
        let mut d = *g.inst(i);
        match d.op.format() {
            Format::Return => {
                let e = f.make_edge(after);
                for k in 0..d.b {
                    let v = self.value(f, g, g.pool_values(d.a, d.b)[k as usize]);
                    f.append_edge_arg(e, v);
                }
                d = jump(e);
            }
            Format::Jump => d.a = self.edge(f, g, Edge(d.a)).0,
            Format::Br => {
                d.a = self.value(f, g, Value(d.a)).0;
                d.b = self.edge(f, g, Edge(d.b)).0;
                d.c = self.edge(f, g, Edge(d.c)).0;
            }
            Format::Switch => {
                d.a = self.value(f, g, Value(d.a)).0;
                d.b = self.switch(f, g, SwitchId(d.b)).0;
            }
            Format::Call => d.a = self.call(f, g, d.a as usize, (copy, tail)),
            Format::Shuffle => {
                (d.a, d.b) = (self.value(f, g, Value(d.a)).0, self.value(f, g, Value(d.b)).0);
                let mask = g.pool[d.c as usize..(d.c + d.ty.lanes()) as usize].iter().copied();
                d.c = f.push_words(mask);
            }
            _ => d.operand_words().for_each(|word| *word = self.value(f, g, Value(*word)).0),
        }
        let first = g.results(i).next().map_or(f.value_count() as u32, |v| self.values[v.index()]);
        f.push_kept(d, Value(first));
    }

    fn switch(&mut self, f: &mut Function, g: &Function, id: SwitchId) -> SwitchId {
        let data = g.switches[id.index()];
        let mut words = Vec::with_capacity(2 * data.len as usize);
        for (case, e) in g.switch_cases(id) {
            words.push(self.value(f, g, case).0);
            words.push(self.edge(f, g, e).0);
        }
        let default = self.edge(f, g, data.default);
        let start = f.push_words(words);
        f.switches.push(SwitchData { start, len: data.len, default });
        SwitchId::new(f.switches.len() - 1)
    }

    fn call(&mut self, f: &mut Function, g: &Function, id: usize, (copy, tail): (u32, TailKind)) -> u32 {
        let data = g.calls[id];
        let args_start = self.list(f, g, (data.args_start, data.args_len));
        let callee = match data.callee {
            Callee::Value(v) => Callee::Value(self.value(f, g, v)),
            other => other,
        };
        if self.sigs[data.sig.index()] == NONE {
            self.sigs[data.sig.index()] = f.sigs.len() as u32;
            f.sigs.push(Arc::clone(&g.sigs[data.sig.index()]));
        }
        let sig = SigId(self.sigs[data.sig.index()]);
        let tail = if tail == TailKind::None { TailKind::None } else { data.tail };
        f.calls.push(CallData { callee, sig, args_start, tail, ..data });
        self.copy_of.push(copy);
        f.calls.len() as u32 - 1
    }
}

fn jump(e: Edge) -> InstData {
    InstData { op: Opcode::Jump, flags: 0, ty: Type::VOID, a: e.0, b: 0, c: 0 }
}
