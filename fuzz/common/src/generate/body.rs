//! A function's body: straight code, branches, loops, graphs without structure, calls.

use std::sync::Arc;

use gusset_codegen::ir::{
    Block, FramePointer, Function, FunctionBuilder, Inlining, InstData, IntCc, Linkage, MemFlags, Opcode, Slot,
    SymbolKind, Type, Value, Variable,
};

use super::funclets::Funclet;
use super::signature::{Kind, Layout};
use super::unwind::Handler;
use super::{AREA, AREA_ALIGN, DATA, SCRATCH, Shared};

/// Memory that may be accessed.
#[derive(Clone, Copy)]
pub(super) struct Area {
    pub base: Value,
    pub size: u32,
    pub align: u32,
    pub writable: bool,
}

/// Most instructions of a function, about.
const BUDGET: usize = 600;
/// Deepest nesting of statements.
pub(super) const DEPTH: u32 = 4;

/// A function that is being made.
pub(super) struct Body<'a, 's, 'f> {
    pub shared: &'a mut Shared<'s>,
    pub b: FunctionBuilder<'f>,
    /// Values that may be used here.
    pub pool: Vec<(Type, Value)>,
    pub areas: Vec<Area>,
    pub vars: Vec<(Variable, Type)>,
    pub typed: Vec<(Slot, Type)>,
    /// Variables of references.
    pub reference_vars: Vec<Variable>,
    /// C structs that may be read and written member by member.
    pub records: Vec<(Value, Arc<Layout>)>,
    /// The function's place in the module.
    pub number: usize,
    /// No exception leaves it.
    pub nounwind: bool,
    /// Nesting of statements, and of loops.
    pub depth: u32,
    pub loops: u32,
    /// Argument blocks that wait for their calls.
    pub open_blocks: u32,
    /// Where exceptions may go, the innermost last.
    pub handlers: Vec<Handler>,
    /// The funclets that the code at hand stands in, the innermost last.
    pub funclets: Vec<Funclet>,
    /// Instructions after which the function comes to its end.
    limit: usize,
}

/// Function number `number` of the module.
pub(super) fn function(shared: &mut Shared<'_>, number: usize) -> Function {
    let mut f = Function::new();
    let prototype = shared.prototypes[number].clone();
    let mut b = FunctionBuilder::new(&mut f, shared.pointer());
    let entry = b.begin(prototype.symbol, Arc::clone(&prototype.sig));
    // Exceptions pass only where there are tables.
    b.func.attrs.unwind_tables = shared.src.chance(4) || shared.exceptions.is_some();
    if shared.src.chance(2) {
        b.func.attrs.frame_pointer = FramePointer::Keep;
    }
    b.func.attrs.no_red_zone = shared.src.chance(2);
    b.func.attrs.optimize_size = shared.src.chance(2);
    if number > 0 {
        use Inlining::{Always, Free, Hint, Never};
        b.func.attrs.inlining = shared.src.pick(&[Free, Always, Hint, Always, Free, Never]);
    }
    let mut body = Body {
        shared,
        b,
        pool: Vec::new(),
        areas: Vec::new(),
        vars: Vec::new(),
        typed: Vec::new(),
        reference_vars: Vec::new(),
        records: Vec::new(),
        number,
        nounwind: prototype.nounwind,
        depth: 0,
        loops: 0,
        open_blocks: 0,
        handlers: Vec::new(),
        funclets: Vec::new(),
        limit: BUDGET,
    };
    let params = body.b.func.params(entry).to_vec();
    for (kind, v) in prototype.params.iter().zip(params) {
        match kind {
            Kind::Value(_) => body.keep(v),
            Kind::Record(layout) => body.records.push((v, Arc::clone(layout))),
            Kind::Area => {
                let size = if number == 0 { SCRATCH } else { AREA };
                body.areas.push(Area { base: v, size, align: AREA_ALIGN, writable: true });
            }
            &Kind::Copy(size, align) | &Kind::Block(size, align) => {
                body.areas.push(Area { base: v, size, align, writable: true })
            }
        }
    }
    if prototype.sig.variadic {
        // What it holds is looked at elsewhere.
        let size = prototype.sig.abi.variadic.as_ref().map_or(0, |v| v.va_list_size);
        let slot = body.b.func.make_slot(size, 8);
        let list = body.b.slot_addr(slot);
        body.b.push(InstData { op: Opcode::VaStart, flags: 0, ty: Type::VOID, a: list.0, b: 0, c: 0 }, &[]);
    }
    body.prepare();
    body.statements();
    if body.b.current_block().is_some() {
        body.finish();
    }
    f
}

impl Body<'_, '_, '_> {
    /// Memory, slots, variables and values that are there from the start.
    fn prepare(&mut self) {
        let (data, table) = (self.shared.data, self.shared.table);
        let (data, table) = (self.b.symbol_addr(data, 0), self.b.symbol_addr(table, 0));
        self.areas.push(Area { base: data, size: DATA, align: 32, writable: true });
        self.areas.push(Area { base: table, size: DATA, align: 32, writable: false });
        for _ in 0..self.shared.src.below(3) {
            let size = self.shared.src.pick(&[AREA, 16, 40, 100, 600]);
            let align = self.shared.src.pick(&[16, 1, 8, 32, 64]);
            let slot = self.b.func.make_slot(size, align);
            let base = self.b.slot_addr(slot);
            let (byte, n) = (self.constant(Type::I8), self.b.ptr_const(size as i64));
            self.b.mem_op(Opcode::Memset, base, byte, n, MemFlags::new(align, false));
            self.areas.push(Area { base, size, align, writable: true });
        }
        if self.shared.src.chance(2) {
            self.dynamic_area();
        }
        // Sometimes more values than there are registers.
        let values = match self.shared.src.below(4) {
            0 => self.shared.src.below(40),
            _ => self.shared.src.below(6),
        };
        for _ in 0..values {
            let ty = self.shared.some_type();
            if self.can_load(ty) {
                let v = self.load(ty);
                self.keep(v);
            }
        }
        for _ in 0..self.shared.src.below(4) {
            let ty = self.shared.some_type();
            self.make_slot(ty);
        }
        for _ in 0..self.shared.src.below(4) {
            let ty = self.shared.some_type();
            let var = self.b.declare_var(ty);
            let v = self.operand(ty);
            self.b.def_var(var, v);
            self.vars.push((var, ty));
        }
        self.prepare_references();
    }

    /// A struct with all members set.
    pub fn make_record(&mut self, layout: &Layout) -> Value {
        let slot = self.b.func.make_slot(layout.size, layout.align);
        let at = self.b.slot_addr(slot);
        self.set_members(at, layout);
        at
    }

    fn set_members(&mut self, at: Value, layout: &Layout) {
        for &(offset, ty, align) in &layout.fields {
            let v = self.value(ty);
            self.b.store(v, at, offset as i32, MemFlags::new(align, false));
        }
    }

    /// Reads or writes a member of a struct.
    pub fn member(&mut self) {
        if self.records.is_empty() {
            return;
        }
        let k = self.shared.src.below(self.records.len() as u32) as usize;
        let (at, layout) = self.records[k].clone();
        let (offset, ty, align) = self.shared.src.pick(&layout.fields);
        let flags = MemFlags::new(align, false);
        if self.shared.src.chance(4) {
            let v = self.value(ty);
            self.b.store(v, at, offset as i32, flags);
        } else {
            let v = self.b.load(ty, at, offset as i32, flags);
            self.keep(v);
        }
    }

    /// Statements with an area of their own on the stack, which they give back.
    fn with_dynamic_area(&mut self) {
        let (ptr, areas) = (self.shared.pointer(), self.areas.len());
        let saved = self.b.push1(Opcode::StackSave, 0, ptr, [0, 0, 0], ptr);
        self.dynamic_area();
        self.statements();
        if self.b.current_block().is_some() {
            self.b.restore_stack(saved);
        }
        self.areas.truncate(areas);
    }

    fn dynamic_area(&mut self) {
        let ptr = self.shared.pointer();
        let mut n = self.b.iconst(ptr, 128);
        if self.shared.src.chance(11) {
            let more = self.operand(ptr);
            let mask = self.b.iconst(ptr, 0x7f);
            let more = self.b.binary(Opcode::And, more, mask);
            n = self.b.binary(Opcode::Iadd, more, n);
        }
        let align = self.shared.src.pick(&[16, 32, 1]);
        let base = self.b.push1(Opcode::StackAlloc, 0, ptr, [n.0, align, 0], ptr);
        let (byte, n) = (self.constant(Type::I8), self.b.ptr_const(128));
        self.b.mem_op(Opcode::Memset, base, byte, n, MemFlags::new(align, false));
        self.areas.push(Area { base, size: 128, align, writable: true });
    }

    fn is_done(&self) -> bool {
        self.shared.src.is_done() || self.b.func.insts.len() > self.limit || self.b.current_block().is_none()
    }

    /// Some statements; afterwards the block may have ended in a return.
    pub fn statements(&mut self) {
        self.depth += 1;
        let n = match self.depth {
            1 => 1000,
            _ => self.shared.src.between(1, 8),
        };
        for _ in 0..n {
            if self.is_done() {
                break;
            }
            let nested = self.depth < DEPTH;
            match self.shared.src.below(32) {
                0 if nested => self.branch(),
                1 if nested => self.repeat(),
                2 if nested => self.choice(),
                3 if nested => self.graph(),
                4 | 5 => self.call(),
                6 if self.depth > 1 && self.funclets.is_empty() && self.shared.src.chance(3) => self.finish(),
                6 if nested && self.may_move_stack() && self.shared.src.chance(4) => self.with_dynamic_area(),
                14 | 15 if nested && self.may_attempt() => self.attempt(Self::statements),
                16 if self.shared.exceptions.is_some() => self.throw(),
                17..=21 if self.shared.collector.is_some() => self.references(),
                7 if !self.vars.is_empty() => {
                    let (var, ty) = self.shared.src.pick(&self.vars);
                    let v = self.value(ty);
                    self.b.def_var(var, v);
                }
                8..=13 => self.memory(),
                22 if nested => self.counted(),
                23 => self.alias(),
                24 | 25 => self.again(),
                26 => self.reload(),
                27 if nested => self.same_condition(),
                28 if nested && self.shared.src.chance(8) => self.twins(),
                29 if self.shared.src.chance(8) => self.undefined(),
                30 if self.shared.src.chance(12) => self.saturating_difference(),
                _ => self.operation(),
            }
        }
        self.depth -= 1;
    }

    pub fn operation(&mut self) {
        let ty = self.shared.some_type();
        match () {
            _ if ty.is_vector() && self.shared.src.chance(6) => self.lanes(ty),
            _ if ty.lane().is_float() => self.float(ty),
            _ => self.integer(ty),
        }
    }

    /// Stores what is to be seen and returns.
    fn finish(&mut self) {
        for _ in 0..self.shared.src.below(8) {
            if self.pool.is_empty() {
                break;
            }
            let known = self.shared.src.pick(&self.pool);
            let v = self.plain_of(known);
            self.store(v);
        }
        if self.shared.src.is_done() {
            // The rest of the values, or some of them: what was computed is looked at.
            let rest: Vec<(Type, Value)> = self.pool.iter().rev().copied().take(12).collect();
            let area = self.areas[0];
            for (k, known) in rest.into_iter().enumerate() {
                let v = self.plain_of(known);
                let v = self.canonical(v);
                let size = self.b.func.value_type(v).store_bytes();
                let at = (16 * k as u32).min(area.size - size.min(area.size)) & !15;
                if size <= area.size - at {
                    self.b.store(v, area.base, at as i32, MemFlags::new(16, false));
                }
            }
        }
        let own = self.shared.prototypes[self.number].clone();
        if self.shared.src.chance(8) && self.tail_call() {
            return;
        }
        if let Some(layout) = &own.result {
            // Its address is the last parameter.
            let entry = self.b.func.layout[0];
            if let Some(&at) = self.b.func.params(entry).last() {
                self.set_members(at, layout);
            }
            self.b.ret(&[]);
            return;
        }
        let results = own.sig.results.clone();
        let values: Vec<Value> = results.iter().map(|&ty| self.value(ty)).collect();
        self.b.ret(&values);
    }

    /// Arguments of the given types for an edge.
    pub fn arguments(&mut self, types: &[Type]) -> Vec<Value> {
        types.iter().map(|&ty| self.value(ty)).collect()
    }

    pub fn some_types(&mut self, most: u32) -> Vec<Type> {
        let n = self.shared.src.below(most + 1);
        (0..n).map(|_| self.shared.some_type()).collect()
    }

    pub fn block_with(&mut self, types: &[Type]) -> (Block, Vec<Value>) {
        let block = self.b.create_block();
        let params = types.iter().map(|&ty| self.b.func.append_param(block, ty)).collect();
        (block, params)
    }

    /// Statements in a block of their own, which ends in a jump to `to` with values of these types.
    pub fn arm(&mut self, block: Block, to: Block, types: &[Type]) {
        let (known, areas) = (self.pool.len(), self.areas.len());
        self.b.switch_to(block);
        self.b.seal(block);
        self.statements();
        if self.b.current_block().is_some() {
            let args = self.arguments(types);
            self.b.jump(to, &args);
        }
        self.pool.truncate(known);
        self.areas.truncate(areas);
    }

    fn branch(&mut self) {
        let cond = self.condition();
        self.branch_on(cond);
    }

    /// A branch on a condition.
    pub fn branch_on(&mut self, cond: Value) {
        let types = self.some_types(3);
        let (join, params) = self.block_with(&types);
        let then = self.b.create_block();
        if self.shared.src.chance(8) {
            let args = self.arguments(&types);
            if self.shared.src.chance(8) {
                self.b.br(cond, then, &[], join, &args);
            } else {
                self.b.br(cond, join, &args, then, &[]);
            }
            self.arm(then, join, &types);
        } else {
            let other = self.b.create_block();
            self.b.br(cond, then, &[], other, &[]);
            self.arm(then, join, &types);
            self.arm(other, join, &types);
        }
        self.join(join, params);
    }

    /// Goes on in a block that joins others, if any leads there.
    pub fn join(&mut self, join: Block, params: Vec<Value>) {
        self.b.switch_to(join);
        self.b.seal(join);
        params.into_iter().for_each(|v| self.keep(v));
    }

    /// Ends a loop. What it has made is forgotten: `values` and `areas` are the numbers of those before it.
    pub fn end_loop(&mut self, head: Block, (values, areas): (usize, usize)) {
        self.b.seal(head);
        self.loops -= 1;
        self.pool.truncate(values);
        self.areas.truncate(areas);
    }

    /// A loop of a known number of rounds, which may be left earlier.
    fn repeat(&mut self) {
        let counter = self.shared.src.pick(&[Type::I64, Type::I32, Type::I8, Type::I16]);
        let mut types = vec![counter];
        types.extend(self.some_types(4));
        let (head, params) = self.block_with(&types);
        let after_types = self.some_types(2);
        let (after, after_params) = self.block_with(&after_types);
        let rounds = self.b.iconst(counter, if self.loops > 1 { 2 } else { 1 + self.shared.src.below(8) as i128 });
        let mut args = vec![rounds];
        args.extend(self.arguments(&types[1..]));
        self.b.jump(head, &args);
        let (known, areas) = (self.pool.len(), self.areas.len());
        self.b.switch_to(head);
        params.iter().for_each(|&v| self.keep(v));
        self.loops += 1;
        let one = self.b.iconst(counter, 1);
        let early = self.shared.src.chance(4).then(|| self.b.iconst(counter, 0));
        if let Some(zero) = early {
            // The test at the top.
            let body = self.b.create_block();
            let done = self.b.icmp(IntCc::Eq, params[0], zero);
            let args = self.arguments(&after_types);
            self.b.br(done, after, &args, body, &[]);
            self.b.switch_to(body);
            self.b.seal(body);
        }
        self.statements();
        if self.b.current_block().is_some() && self.shared.src.chance(4) {
            // Leaves early.
            let cond = self.condition();
            let args = self.arguments(&after_types);
            let rest = self.b.create_block();
            self.b.br(cond, after, &args, rest, &[]);
            self.b.switch_to(rest);
            self.b.seal(rest);
            self.statements();
        }
        if self.b.current_block().is_some() {
            let left = self.b.binary(Opcode::Isub, params[0], one);
            let mut args = vec![left];
            args.extend(self.arguments(&types[1..]));
            if early.is_some() {
                self.b.jump(head, &args);
            } else {
                let zero = self.b.iconst(counter, 0);
                let more = self.b.icmp(IntCc::Ne, left, zero);
                let out = self.arguments(&after_types);
                self.b.br(more, head, &args, after, &out);
            }
        }
        self.end_loop(head, (known, areas));
        self.join(after, after_params);
    }

    /// A switch.
    fn choice(&mut self) {
        let ints: Vec<Type> = self.shared.types.iter().copied().filter(|t| t.is_int()).collect();
        let ty = self.shared.src.pick(&ints);
        let mut v = self.value(ty);
        let dense = self.shared.src.chance(8);
        if dense && ty.bits() > 3 {
            let mask = self.b.iconst(ty, 7);
            v = self.b.binary(Opcode::And, v, mask);
        }
        if self.shared.src.chance(2) {
            let known = self.shared.src.below(8) as i128;
            v = self.b.iconst(ty, known);
        }
        let types = self.some_types(2);
        let (join, params) = self.block_with(&types);
        let n = self.shared.src.below(10);
        let mut numbers: Vec<i128> = Vec::new();
        let mask = if ty.bits() == 128 { -1 } else { (1i128 << ty.bits()).wrapping_sub(1) };
        for k in 0..n as i128 {
            let number = match (dense, self.shared.src.below(3)) {
                (true, _) => k,
                (false, 0) => self.shared.src.word(4) as i32 as i128,
                (false, _) => self.shared.src.byte() as i8 as i128,
            };
            if !numbers.contains(&(number & mask)) {
                numbers.push(number & mask);
            }
        }
        let mut arms = Vec::new();
        let mut cases = Vec::new();
        for &number in &numbers {
            let case = self.b.iconst(ty, number);
            let edge = match self.shared.src.below(4) {
                0 => {
                    let args = self.arguments(&types);
                    self.b.edge(join, &args)
                }
                1 if !arms.is_empty() => {
                    let to = self.shared.src.pick(&arms);
                    self.b.edge(to, &[])
                }
                _ => {
                    let arm = self.b.create_block();
                    arms.push(arm);
                    self.b.edge(arm, &[])
                }
            };
            cases.push((case, edge));
        }
        let default = if self.shared.src.chance(8) {
            let args = self.arguments(&types);
            self.b.edge(join, &args)
        } else {
            let arm = self.b.create_block();
            arms.push(arm);
            self.b.edge(arm, &[])
        };
        self.b.switch(v, &cases, default);
        for arm in arms {
            self.arm(arm, join, &types);
        }
        self.join(join, params);
    }

    /// Blocks that branch to one another in any way, until a counter says that it is enough.
    fn graph(&mut self) {
        let fuel = self.b.declare_var(Type::I32);
        let start = self.b.iconst(Type::I32, if self.loops > 0 { 3 } else { 2 + self.shared.src.below(12) as i128 });
        self.b.def_var(fuel, start);
        let n = self.shared.src.between(2, 7);
        let types = self.some_types(2);
        let blocks: Vec<(Block, Vec<Value>)> = (0..n).map(|_| self.block_with(&types)).collect();
        let after = self.b.create_block();
        // Blocks whose addresses are taken have symbols.
        let indirect = self.shared.src.chance(3);
        let addresses: Vec<Value> = if indirect {
            let function = self.shared.prototypes[self.number].symbol;
            let symbols: Vec<_> = (0..n)
                .map(|k| {
                    let name = format!("f{}.{}.{k}", self.number, self.b.func.insts.len());
                    super::symbol(&mut self.shared.module, &name, SymbolKind::Block(function), Linkage::Private)
                })
                .collect();
            for (&(block, _), &symbol) in blocks.iter().zip(&symbols) {
                self.b.func.block_symbols.push((block, symbol));
            }
            symbols.into_iter().map(|s| self.b.symbol_addr(s, 0)).collect()
        } else {
            Vec::new()
        };
        let first = self.shared.src.pick(&blocks.iter().map(|b| b.0).collect::<Vec<_>>());
        let args = self.arguments(&types);
        self.b.jump(first, &args);
        let (known, areas) = (self.pool.len(), self.areas.len());
        self.loops += 1;
        for (block, params) in &blocks {
            self.b.switch_to(*block);
            params.iter().for_each(|&v| self.keep(v));
            for _ in 0..self.shared.src.below(6) {
                if self.is_done() {
                    break;
                }
                match self.shared.src.below(8) {
                    0 | 1 => self.memory(),
                    2 if !self.vars.is_empty() => {
                        let (var, ty) = self.shared.src.pick(&self.vars);
                        let v = self.value(ty);
                        self.b.def_var(var, v);
                    }
                    3 => self.call(),
                    4 if self.shared.collector.is_some() => self.references(),
                    _ => self.operation(),
                }
            }
            let left = self.b.use_var(fuel);
            let one = self.b.iconst(Type::I32, 1);
            let left = self.b.binary(Opcode::Isub, left, one);
            self.b.def_var(fuel, left);
            let zero = self.b.iconst(Type::I32, 0);
            let done = self.b.icmp(IntCc::Sle, left, zero);
            let on = self.b.create_block();
            self.b.br(done, after, &[], on, &[]);
            self.b.switch_to(on);
            self.b.seal(on);
            let pick = |body: &mut Self| blocks[body.shared.src.below(n) as usize].0;
            match self.shared.src.below(6) {
                0 => {
                    let (to, args) = (pick(self), self.arguments(&types));
                    self.b.jump(to, &args);
                }
                1 => {
                    let v = self.value(Type::I32);
                    let three = self.b.iconst(Type::I32, 3);
                    let v = self.b.binary(Opcode::And, v, three);
                    let cases: Vec<_> = (0..3)
                        .map(|k| {
                            let (to, args) = (pick(self), self.arguments(&types));
                            (self.b.iconst(Type::I32, k), self.b.edge(to, &args))
                        })
                        .collect();
                    let (to, args) = (pick(self), self.arguments(&types));
                    let default = self.b.edge(to, &args);
                    self.b.switch(v, &cases, default);
                }
                2 | 3 if indirect => {
                    let (i, j) = (self.shared.src.below(n) as usize, self.shared.src.below(n) as usize);
                    let cond = self.condition();
                    let to = if i == j { addresses[i] } else { self.b.select(cond, addresses[i], addresses[j]) };
                    let edges: Vec<_> = if i == j { vec![i] } else { vec![i, j] };
                    let edges: Vec<_> = edges
                        .into_iter()
                        .map(|k| {
                            let args = self.arguments(&types);
                            self.b.edge(blocks[k].0, &args)
                        })
                        .collect();
                    self.b.indirect_br(to, &edges);
                }
                _ => {
                    let cond = self.condition();
                    let (t, t_args) = (pick(self), self.arguments(&types));
                    let (f, f_args) = (pick(self), self.arguments(&types));
                    self.b.br(cond, t, &t_args, f, &f_args);
                }
            }
            self.pool.truncate(known);
        }
        for (block, _) in &blocks {
            self.b.seal(*block);
        }
        self.loops -= 1;
        self.areas.truncate(areas);
        self.join(after, Vec::new());
    }
}
