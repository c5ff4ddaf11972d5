//! The verifier: what every function must keep to, between any two stages of compilation.
//!
//! Vector comparisons and selections come in two shapes. As front ends make them, a comparison gives lanes of `i1`. After
//! legalization it gives a *lane mask*: integers as wide as the compared lanes, all ones or all zeros; `select` takes
//! either as its condition. Both are valid here.

use std::fmt;

use super::dominators::Dominators;
use super::entities::{Block, CallId, Edge, Inst, Slot, SwitchId, Value};
use super::exceptions::{Pad, PadKind};
use super::function::{Callee, ConstData, Function, TailKind, ValueDef};
use super::inst::{CmpxchgInfo, FloatCc, Format, InstData, IntCc, MemFlags, Opcode, Ordering, ReduceOp, RmwOp};
use super::module::{Module, SigData, SymbolId, SymbolKind};
use super::print::Printer;
use super::stack_map::{StackMapEntry, StackMapId};
use super::types::Type;
use super::unwinding::Returned;

/// What is wrong with a function, and where. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    /// Name of the function's symbol.
    pub function: String,
    /// The block, if the error is about one.
    pub block: Option<Block>,
    /// The instruction as text, if the error is about one.
    pub inst: Option<String>,
    /// The instruction's number.
    pub at: Option<Inst>,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function `{}`, {}", self.function, self.message())
    }
}

impl VerifyError {
    /// What is wrong and where in the function.
    pub fn message(&self) -> String {
        match (self.block, &self.inst) {
            (Some(b), Some(inst)) => format!("block {b}, `{inst}`: {}", self.reason),
            (Some(b), None) => format!("block {b}: {}", self.reason),
            (None, _) => self.reason.clone(),
        }
    }
}

impl std::error::Error for VerifyError {}

/// Checks a function: entities in range, blocks filled and ended by their only terminator, operand and result types,
/// edge arguments, calls against their signatures, that definitions dominate uses in reachable blocks, and that argument
/// blocks are at the top of the stack when their calls take them.
///
/// # Errors
/// The first violation found.
pub fn verify(module: &Module, func: &Function) -> Result<(), VerifyError> {
    let ptr = func.sigs.get(func.sig.index()).map_or(Type::I64, |s| s.pointer());
    let mut v = Verifier { module, func, ptr, block: None, inst: None, inst_block: Vec::new() };
    v.function().map_err(|(reason, printable)| VerifyError {
        function: module.symbols.get(func.symbol.index()).map_or_else(|| func.symbol.to_string(), |s| s.name.clone()),
        block: v.block,
        inst: v.inst.map(|i| if printable { Printer::new(module).inst(func, i) } else { i.to_string() }),
        at: v.inst,
        reason,
    })
}

/// The reason, and whether the instruction is sound enough to be printed.
type Fault = (String, bool);

fn fault<T>(reason: impl Into<String>) -> Result<T, Fault> {
    Err((reason.into(), true))
}

fn broken<T>(reason: impl Into<String>) -> Result<T, Fault> {
    Err((reason.into(), false))
}

fn ensure(ok: bool, reason: impl FnOnce() -> String) -> Result<(), Fault> {
    if ok { Ok(()) } else { Err((reason(), true)) }
}

struct Verifier<'a> {
    module: &'a Module,
    func: &'a Function,
    ptr: Type,
    block: Option<Block>,
    inst: Option<Inst>,
    /// Per instruction its block, `u32::MAX` outside.
    inst_block: Vec<u32>,
}

/// The type of a truth value for each lane.
fn flag(ty: Type) -> Type {
    ty.with_lane(Type::I1).unwrap_or(Type::I1)
}

impl Verifier<'_> {
    fn function(&mut self) -> Result<(), Fault> {
        let f = self.func;
        self.tables()?;
        self.layout()?;
        for &b in &f.layout {
            self.block = Some(b);
            for i in f.block_insts(b) {
                self.inst = Some(i);
                self.entities(i)?;
            }
            self.inst = None;
        }
        for &b in &f.layout {
            self.block = Some(b);
            for i in f.block_insts(b) {
                self.inst = Some(i);
                self.instruction(i)?;
            }
            self.inst = None;
        }
        self.block = None;
        self.entry()?;
        super::unwinding::check_unwinding(f).map_err(|(block, inst, reason)| {
            self.block = Some(block);
            self.inst = Some(inst);
            (reason, true)
        })?;
        self.dominance()?;
        super::blocks::check(f).map_err(|(block, inst, reason)| {
            self.block = Some(block);
            self.inst = Some(inst);
            (reason, true)
        })
    }

    fn sig(&self) -> &SigData {
        self.func.signature()
    }

    /// Tables that are not reached through instructions: constants, the function's own signature, block symbols.
    fn tables(&self) -> Result<(), Fault> {
        let f = self.func;
        ensure(f.sig.index() < f.sigs.len(), || "it has no signature".into())?;
        for (n, sig) in f.sigs.iter().enumerate() {
            sig.check().map_err(|why| (format!("sig{n}: {why}"), false))?;
        }
        ensure(f.symbol.index() < self.module.symbols.len(), || format!("there is no symbol {}", f.symbol))?;
        let (limit, handler) = (f.attrs.stack_limit, f.attrs.stack_limit_handler);
        ensure(limit.is_some() == handler.is_some(), || "a stack limit and its handler need each other".to_string())?;
        for s in f.attrs.symbols().into_iter().filter_map(|(symbol, _)| symbol) {
            ensure(s.index() < self.module.symbols.len(), || format!("there is no symbol {s}"))?;
        }
        for (i, s) in f.slots.iter().enumerate() {
            ensure(s.align.is_power_of_two(), || format!("{}: alignment {}", Slot::new(i), s.align))?;
        }
        let caught = f.exceptions.types().iter().flatten().copied();
        let taken = (0..f.exceptions.pad_count()).filter_map(|pad| match f.exceptions.kind(Pad::new(pad)) {
            PadKind::Catch { what, .. } => what,
            _ => None,
        });
        for s in f.exceptions.personality.into_iter().chain(caught).chain(taken) {
            ensure(s.index() < self.module.symbols.len(), || format!("there is no symbol {s}"))?;
        }
        if let Some(escapes) = &f.escapes {
            let table = escapes.table;
            ensure(table.index() < self.module.symbols.len(), || format!("there is no symbol {table}"))?;
            for slot in escapes.all() {
                ensure(slot.index() < f.slots.len(), || format!("{slot}, which does not exist, escapes"))?;
            }
        }
        for entry in f.stack_maps.iter().flat_map(|map| &map.entries) {
            let (slot, size) = match *entry {
                StackMapEntry::Address(slot) => (slot, 0),
                StackMapEntry::Contents { slot, size } => (slot, size),
                StackMapEntry::Constant(_) | StackMapEntry::Operand => continue,
            };
            let holds = f.slots.get(slot.index()).is_some_and(|s| s.size >= size.into());
            ensure(holds, || format!("a stack map names {size} bytes of {slot}, which does not have them"))?;
        }
        if !f.stack_maps.is_empty() {
            let mut uses = vec![0; f.stack_maps.len()];
            let of_calls = f.calls.iter().filter_map(|call| call.stack_map);
            let others = f.insts.iter().filter(|d| d.op == Opcode::StackMap).map(|d| StackMapId(d.c));
            for map in of_calls.chain(others) {
                let known = uses.get_mut(map.index()).map(|uses| std::mem::replace(uses, 1) == 0);
                ensure(known != Some(false), || format!("two instructions share {map}"))?;
            }
        }
        for reference in &f.references {
            for v in [reference.value, reference.base] {
                let pointer = f.known_type(v) == Some(self.ptr);
                ensure(pointer, || format!("the reference {v} is no pointer"))?;
            }
        }
        for &(b, s) in &f.block_symbols {
            ensure(b.index() < f.blocks.len(), || format!("the address of {b}, which does not exist, is taken"))?;
            ensure(s.index() < self.module.symbols.len(), || format!("there is no symbol {s}"))?;
        }
        for e in (0..f.edges.len()).map(Edge::new) {
            let known = f.edge_args(e).iter().all(|v| v.index() < f.value_count());
            ensure(known, || format!("an argument of the edge {e} does not exist"))?;
        }
        for n in 0..f.value_count() {
            let v = Value::new(n);
            match f.value_def(v) {
                ValueDef::Const => self.constant(v)?,
                ValueDef::Slot(s) => {
                    ensure(s.index() < f.slots.len(), || format!("there is no slot {s}"))?;
                    ensure(f.value_type(v) == self.ptr, || format!("the address of {s} is no pointer"))?;
                }
                ValueDef::Alias(to) => {
                    ensure(to.index() < f.value_count(), || format!("{v} is an alias of nothing"))?;
                    let (from, to) = (f.value_type(v), f.value_type(to));
                    ensure(from == to, || format!("{v} of type {from} is an alias of a value of type {to}"))?;
                }
                ValueDef::Inst(_) | ValueDef::Param(_) | ValueDef::Pending => {}
            }
        }
        Ok(())
    }

    fn constant(&self, v: Value) -> Result<(), Fault> {
        let f = self.func;
        let ty = f.value_type(v);
        let ok = match f.constant(v) {
            Some(ConstData::Int(n)) => ty.is_int() && (ty.bits() >= 128 || n >> ty.bits() == 0),
            Some(ConstData::Float(n)) => ty.is_float() && (ty.bits() == 128 || n >> ty.bits() == 0),
            Some(ConstData::Symbol(s, _)) => ty.is_int() && s.index() < self.module.symbols.len(),
            Some(ConstData::Poison) => ty != Type::VOID,
            Some(ConstData::Vector { start, len }) => {
                let words = f.pool.get(start as usize..start as usize + len as usize);
                let (lane, lanes) = match ty.is_int() {
                    true => (Type::I64, ty.bits().div_ceil(64)),
                    false => (ty.lane(), ty.lanes()),
                };
                (ty.is_vector() || ty.is_int() && ty.bits() > 128)
                    && len == lanes
                    && words.is_some_and(|w| {
                        w.iter().all(|&x| {
                            (x as usize) < f.value_count()
                                && f.value_type(Value(x)) == lane
                                && f.constant(Value(x)).is_some()
                        })
                    })
            }
            None => false,
        };
        ensure(ok, || format!("the constant {v} does not fit its type {ty}"))
    }

    /// Every block in the layout is filled, holds instructions of its own, and ends in its only terminator.
    fn layout(&mut self) -> Result<(), Fault> {
        let f = self.func;
        ensure(!f.layout.is_empty(), || "it has no block".into())?;
        self.inst_block.clear();
        self.inst_block.resize(f.insts.len(), u32::MAX);
        for &b in &f.layout {
            self.block = Some(b);
            ensure(b.index() < f.blocks.len(), || "it does not exist".into())?;
            let d = &f.blocks[b.index()];
            ensure(d.first != u32::MAX && d.first < d.end, || "it is empty".into())?;
            ensure(d.end as usize <= f.insts.len(), || "its instructions do not exist".into())?;
            for n in d.first..d.end {
                self.inst = Some(Inst(n));
                if self.inst_block[n as usize] != u32::MAX {
                    return broken(format!("the instruction also belongs to {}", Block(self.inst_block[n as usize])));
                }
                self.inst_block[n as usize] = b.0;
                if f.insts[n as usize].op.is_terminator() != (n + 1 == d.end) {
                    return broken(if n + 1 == d.end {
                        "the block does not end in a terminator"
                    } else {
                        "a terminator stands within a block"
                    });
                }
            }
            self.inst = None;
        }
        self.block = None;
        Ok(())
    }

    /// All indices in an instruction are in range, so that it can be read and printed.
    fn entities(&self, i: Inst) -> Result<(), Fault> {
        let f = self.func;
        let d = f.inst(i);
        let in_pool = |start: u32, len: u64| start as u64 + len <= f.pool.len() as u64;
        let ok = match d.op.format() {
            Format::Call => {
                (d.a as usize) < f.calls.len() && {
                    let c = &f.calls[CallId(d.a).index()];
                    let callee = match c.callee {
                        Callee::Symbol(s) => s.index() < self.module.symbols.len(),
                        Callee::Value(_) | Callee::Library(_) => true,
                    };
                    let funclet = |p: Pad| {
                        p.index() < f.exceptions.pad_count()
                            && matches!(f.exceptions.kind(p), PadKind::Catch { .. } | PadKind::Cleanup { .. })
                    };
                    let within =
                        c.within.is_none_or(funclet) && c.stack_map.is_none_or(|map| map.index() < f.stack_maps.len());
                    in_pool(c.args_start, c.args_len as u64) && c.sig.index() < f.sigs.len() && callee && within
                }
            }
            Format::Switch => {
                (d.b as usize) < f.switches.len() && {
                    let s = &f.switches[SwitchId(d.b).index()];
                    in_pool(s.start, 2 * s.len as u64)
                }
            }
            Format::IndirectBr => in_pool(d.b, d.c as u64),
            Format::Return => in_pool(d.a, d.b as u64),
            Format::StackMap => in_pool(d.a, d.b as u64) && (d.c as usize) < f.stack_maps.len(),
            Format::Shuffle => in_pool(d.c, d.ty.lanes() as u64),
            Format::Symbol => (d.a as usize) < self.module.symbols.len(),
            Format::Pad | Format::Funclet => (d.a as usize) < f.exceptions.pad_count(),
            Format::Catch => (d.b as usize) < f.exceptions.pad_count(),
            Format::PadEdges => (d.a as usize) < f.exceptions.pad_count() && in_pool(d.b, d.c as u64),
            _ => true,
        };
        if !ok {
            return broken("an operand list or entity is out of range");
        }
        if f.results(i).any(|v| v.index() >= f.value_count()) {
            return broken("a result does not exist");
        }
        let mut edges_ok = true;
        f.for_each_edge(d, |e| edges_ok &= e.index() < f.edges.len() && f.edge_to(e).index() < f.blocks.len());
        if !edges_ok {
            return broken("an edge leads nowhere");
        }
        let mut values_ok = true;
        f.for_each_operand(d, |v| values_ok &= v.index() < f.value_count());
        f.for_each_edge(d, |e| values_ok &= f.edge_args(e).iter().all(|v| v.index() < f.value_count()));
        if d.op == Opcode::Switch {
            values_ok &= f.switch_cases(SwitchId(d.b)).all(|(c, _)| c.index() < f.value_count());
        }
        if values_ok { Ok(()) } else { broken("an operand is a value that the function does not have") }
    }

    fn ty(&self, v: u32) -> Type {
        self.func.value_type(Value(v))
    }

    fn pointer(&self, v: u32) -> Result<(), Fault> {
        let ty = self.ty(v);
        ensure(ty == self.ptr, || format!("the address has type {ty} instead of {}", self.ptr))
    }

    fn expect(&self, what: &str, v: u32, want: Type) -> Result<(), Fault> {
        let ty = self.ty(v);
        ensure(ty == want, || format!("the {what} has type {ty} instead of {want}"))
    }

    /// Result types, against those that the opcode gives.
    fn results(&self, i: Inst, want: &[Type]) -> Result<(), Fault> {
        for (k, (v, &w)) in self.func.results(i).zip(want).enumerate() {
            let ty = self.func.value_type(v);
            ensure(ty == w, || format!("result {k} has type {ty} instead of {w}"))?;
            let own = self.func.value_def(v) == ValueDef::Inst(i);
            let replaced = matches!(self.func.value_def(v), ValueDef::Alias(_));
            ensure(own || replaced, || format!("result {k} belongs to another definition"))?;
        }
        Ok(())
    }

    fn class(&self, d: &InstData, ok: bool, what: &str) -> Result<(), Fault> {
        ensure(ok, || format!("the type {} is not {what}", d.ty))
    }

    /// Lane by lane: so many operands and a result of the instruction's type.
    fn lanewise(&self, i: Inst, d: &InstData, operands: usize) -> Result<(), Fault> {
        [d.a, d.b, d.c][..operands].iter().try_for_each(|&v| self.expect("operand", v, d.ty))?;
        self.results(i, &[d.ty])
    }

    /// The same of integers.
    fn integers(&self, i: Inst, d: &InstData, operands: usize) -> Result<(), Fault> {
        self.class(d, d.ty.lane().is_int(), "an integer")?;
        self.lanewise(i, d, operands)
    }

    /// The same of floats.
    fn floats(&self, i: Inst, d: &InstData, operands: usize) -> Result<(), Fault> {
        self.class(d, d.ty.lane().is_float(), "a float")?;
        self.lanewise(i, d, operands)
    }

    /// A pointer as the result.
    fn gives_pointer(&self, i: Inst, d: &InstData) -> Result<(), Fault> {
        self.class(d, d.ty == self.ptr, "a pointer's")?;
        self.results(i, &[d.ty])
    }

    fn instruction(&self, i: Inst) -> Result<(), Fault> {
        use Opcode::*;
        let d = self.func.inst(i);
        let ty = d.ty;
        let uses_flags = match d.op {
            Machine | MachineEffect | IcmpUpper | Icmp | Fcmp | Load | Store | AtomicRmw | Cmpxchg | Reduce => true,
            CatchSwitch | CleanupRet | Ctlz | Cttz => d.flags == 1,
            op => matches!(op, Memcpy | Memmove | Memset),
        };
        ensure(uses_flags || d.flags == 0, || format!("it has flags {:#x}", d.flags))?;
        match d.op {
            Nop => self.class(d, ty == Type::VOID, "void"),
            Iadd | Isub | Imul | Udiv | Sdiv | Urem | Srem | And | Or | Xor | Shl | Lshr | Ashr | Umin | Umax
            | Smin | Smax | UaddSat | UsubSat | SaddSat | SsubSat | UshlSat | SshlSat => self.integers(i, d, 2),
            Fshl | Fshr => self.integers(i, d, 3),
            UaddOv | SaddOv | UsubOv | SsubOv | UmulOv | SmulOv => {
                self.integers(i, d, 2)?;
                self.results(i, &[ty, flag(ty)])
            }
            Ctlz | Cttz | Ctpop | Bitreverse | Iabs => self.integers(i, d, 1),
            Bswap => {
                let even = ty.lane().is_int() && ty.lane_bits().is_multiple_of(16);
                self.class(d, even, "an integer of an even number of bytes")?;
                self.lanewise(i, d, 1)
            }
            Icmp | Fcmp => self.comparison(i, d),
            Fadd | Fsub | Fmul | Fdiv | Frem | Fcopysign | Fminnum | Fmaxnum | Fminimum | Fmaximum => {
                self.floats(i, d, 2)
            }
            Fma => self.floats(i, d, 3),
            Fneg | Fabs | Fsqrt | Ffloor | Fceil | Ftrunc | Frint | Fnearbyint | Fround | Froundeven => {
                self.floats(i, d, 1)
            }
            Trunc | Zext | Sext | Fptrunc | Fpext | Fptosi | Fptoui | FptosiSat | FptouiSat | Sitofp | Uitofp => {
                self.conversion(i, d)
            }
            Bitcast => {
                let from = self.ty(d.a);
                ensure(ty.bits() == from.bits() && ty != Type::VOID, || format!("{from} and {ty} differ in width"))?;
                self.results(i, &[ty])
            }
            Select => self.select(i, d),
            IaddCarry | IsubBorrow | IcmpUpper | UmulWide | SmulWide | Iconcat | Isplit => self.words(i, d),
            Freeze | Opaque => self.lanewise(i, d, 1),
            Index => {
                self.gives_pointer(i, d)?;
                self.lanewise(i, d, 2)
            }
            ExtractLane | InsertLane | Shuffle | Splat | Reduce => self.lanes(i, d),
            _ => self.memory_operation(i, d),
        }
    }

    /// Checks what is done with words of wider integers.
    fn words(&self, i: Inst, d: &InstData) -> Result<(), Fault> {
        use Opcode::*;
        let ty = d.ty;
        let pair = |ty: Type| Type::int(2 * ty.bits()).unwrap_or(Type::VOID);
        self.class(d, ty.is_int(), "an integer")?;
        match d.op {
            Iconcat => {
                ensure(pair(self.ty(d.a)) == ty, || format!("{ty} is not twice {}", self.ty(d.a)))?;
                self.expect("operand", d.b, self.ty(d.a))?;
                self.results(i, &[ty])
            }
            Isplit => {
                self.expect("operand", d.a, pair(ty))?;
                self.results(i, &[ty; 2])
            }
            UmulWide | SmulWide => {
                [d.a, d.b].into_iter().try_for_each(|v| self.expect("operand", v, ty))?;
                self.results(i, &[ty; 2])
            }
            op => {
                [d.a, d.b].into_iter().try_for_each(|v| self.expect("operand", v, ty))?;
                self.expect("carry", d.c, Type::I1)?;
                self.results(i, &[if op == IcmpUpper { Type::I1 } else { ty }])
            }
        }
    }

    /// Checks what reads or changes memory, the frame or the machine's state.
    fn memory_operation(&self, i: Inst, d: &InstData) -> Result<(), Fault> {
        use Opcode::*;
        let ty = d.ty;
        match d.op {
            Load | Store | AtomicLoad | AtomicStore | AtomicRmw | Cmpxchg | Memcpy | Memmove | Memset => {
                self.access(i, d)
            }
            Fence => ensure(d.a < 16 && Ordering::from_u8(d.a as u8 & 7).is_some(), || "there is no such fence".into()),
            Prefetch => self.pointer(d.a),
            TlsAddr => {
                let symbol = self.module.symbol(SymbolId(d.a));
                let thread_local = symbol.is_tls() || symbol.kind == SymbolKind::EmulatedTls;
                ensure(thread_local, || "the symbol is not thread-local".into())?;
                self.gives_pointer(i, d)
            }
            StackAlloc => {
                ensure(d.b.is_power_of_two(), || format!("alignment {}", d.b))?;
                self.expect("size", d.a, self.ptr)?;
                self.gives_pointer(i, d)
            }
            FrameAddr | ReturnAddr => {
                let most = InstData::MOST_CALLERS;
                ensure(d.a <= most, || format!("a caller more than {most} levels up is asked for"))?;
                self.gives_pointer(i, d)
            }
            StackSave | EntrySp => self.gives_pointer(i, d),
            StackRestore | VaStart => self.pointer(d.a),
            BlockOpen => {
                ensure(d.b.is_power_of_two(), || format!("alignment {}", d.b))?;
                ensure(d.a <= i32::MAX as u32, || "the argument block is larger than 2^31 bytes".into())?;
                self.gives_pointer(i, d)
            }
            StackLevel => fault("only the code generator itself makes this"),
            VaCopy => {
                self.pointer(d.a)?;
                self.pointer(d.b)
            }
            ReadCycles => {
                self.class(d, ty == Type::I64, "i64")?;
                self.results(i, &[ty])
            }
            Machine | MachineEffect => {
                let known = (d.flags as usize) < self.module.machine_ops.len();
                ensure(known, || "there is no such machine operation".into())?;
                if d.op == Machine { self.results(i, &[ty]) } else { Ok(()) }
            }
            _ => self.control(i, d),
        }
    }

    /// Checks calls, what belongs to exceptions, and what ends a block.
    fn control(&self, i: Inst, d: &InstData) -> Result<(), Fault> {
        use Opcode::*;
        let ty = d.ty;
        match d.op {
            Barrier | Trap | DebugTrap | Unreachable => Ok(()),
            FailFast => ensure(self.ty(d.a) == Type::I32, || "the reason is not `i32`".into()),
            Call => self.call(i, d),
            LandingPad => self.results(i, &[self.ptr, Type::I32]),
            Resume => self.pointer(d.a),
            CatchPad => {
                self.pointer(d.a)?;
                self.results(i, &[Type::I32])
            }
            CleanupPad => self.results(i, &[]),
            CatchSwitch | CatchRet | CleanupRet => self.edges(d),
            Jump | Invoke | ScopeBegin | ScopeEnd | IndirectBr => {
                if d.op == IndirectBr {
                    self.pointer(d.a)?;
                }
                self.edges(d)
            }
            Br => {
                self.expect("condition", d.a, Type::I1)?;
                self.edges(d)
            }
            Switch => {
                self.class(d, ty.is_int(), "an integer")?;
                self.expect("value", d.a, ty)?;
                self.cases(d)?;
                self.edges(d)
            }
            StackMap => {
                let values = self.func.pool_values(d.a, d.b);
                let fits = |ty: Type| ty.is_int() && ty.bits().is_power_of_two() && ty.bits() <= self.ptr.bits();
                let odd = values.iter().map(|&v| self.func.value_type(v)).find(|&ty| !fits(ty));
                ensure(odd.is_none(), || format!("{} is no integer in one register", odd.unwrap_or(Type::VOID)))?;
                let operands = self.operands_of_map(d.c);
                ensure(operands == values.len(), || format!("it has {} operands instead of {operands}", values.len()))
            }
            Return => {
                let values = self.func.pool_values(d.a, d.b);
                self.types("result", values, &self.sig().results)
            }
            op => fault(format!("the verifier does not know {op:?}")),
        }
    }

    fn comparison(&self, i: Inst, d: &InstData) -> Result<(), Fault> {
        let (lane, ty) = (d.ty.lane(), d.ty);
        let (known, fits) = match d.op {
            Opcode::Icmp => (IntCc::from_u8(d.flags).is_some(), lane.is_int()),
            _ => (FloatCc::from_u8(d.flags).is_some(), lane.is_float()),
        };
        ensure(known, || format!("there is no condition {}", d.flags))?;
        self.class(
            d,
            fits,
            if d.op == Opcode::Icmp { "what `icmp` compares: use `fcmp`" } else { "what `fcmp` compares: use `icmp`" },
        )?;
        [d.a, d.b].iter().try_for_each(|&v| self.expect("operand", v, ty))?;
        let mask = Type::int(ty.lane_bits()).and_then(|l| ty.with_lane(l));
        let result = self.func.value_type(self.func.result(i));
        if ty.is_vector() && Some(result) == mask { Ok(()) } else { self.results(i, &[flag(ty)]) }
    }

    fn conversion(&self, i: Inst, d: &InstData) -> Result<(), Fault> {
        use Opcode::*;
        let (ty, from) = (d.ty, self.ty(d.a));
        let (int, float) = (ty.lane().is_int(), ty.lane().is_float());
        let (fi, ff) = (from.lane().is_int(), from.lane().is_float());
        let shape = ty.is_vector() == from.is_vector() && ty.lanes() == from.lanes();
        let ok = match d.op {
            Trunc => int && fi && ty.lane_bits() < from.lane_bits(),
            Zext | Sext => int && fi && ty.lane_bits() > from.lane_bits(),
            Fptrunc => float && ff && ty.lane_bits() < from.lane_bits(),
            Fpext => float && ff && ty.lane_bits() > from.lane_bits(),
            Sitofp | Uitofp => float && fi,
            _ => int && ff,
        };
        ensure(shape && ok, || format!("there is no such conversion from {from} to {ty}"))?;
        self.results(i, &[ty])
    }

    fn select(&self, i: Inst, d: &InstData) -> Result<(), Fault> {
        let (ty, cond) = (d.ty, self.ty(d.a));
        let lanes = cond.is_vector() && ty.is_vector() && cond.lanes() == ty.lanes();
        let mask = lanes && cond.lane().is_int() && cond.lane_bits() == ty.lane_bits();
        ensure(cond == Type::I1 || lanes && cond.lane() == Type::I1 || mask, || {
            format!("a condition of type {cond} does not select {ty}")
        })?;
        [d.b, d.c].iter().try_for_each(|&v| self.expect("operand", v, ty))?;
        self.results(i, &[ty])
    }

    /// What reads or writes memory.
    fn access(&self, i: Inst, d: &InstData) -> Result<(), Fault> {
        use Opcode::*;
        let ty = d.ty;
        let bytes = !ty.is_vector() && ty.bits().is_multiple_of(8);
        self.pointer(d.a)?;
        match d.op {
            Load => {
                self.class(d, ty != Type::VOID, "a value's")?;
                self.results(i, &[ty])
            }
            Store => self.expect("value", d.b, ty),
            AtomicLoad => {
                self.class(d, bytes && ty != Type::VOID, "one that can be accessed atomically")?;
                self.results(i, &[ty])
            }
            AtomicStore => {
                self.class(d, bytes, "one that can be accessed atomically")?;
                self.expect("value", d.b, ty)
            }
            AtomicRmw => {
                self.expect("value", d.b, ty)?;
                let Some(op) = RmwOp::from_u8(d.flags) else { return fault("there is no such operation") };
                let ok = match op {
                    RmwOp::Xchg => ty.is_int() || ty.is_float(),
                    RmwOp::Fadd | RmwOp::Fsub | RmwOp::Fmax | RmwOp::Fmin => ty.is_float(),
                    _ => ty.is_int(),
                };
                self.class(d, ok && bytes, "one for this operation")?;
                self.results(i, &[ty])
            }
            Cmpxchg => {
                [d.b, d.c].iter().try_for_each(|&v| self.expect("operand", v, ty))?;
                self.class(d, ty.is_int() && bytes, "an integer of whole bytes")?;
                ensure(CmpxchgInfo(d.flags).has_orderings(), || "there is no such ordering".into())?;
                self.results(i, &[ty, Type::I1])
            }
            op => {
                if op == Memset {
                    self.expect("byte", d.b, Type::I8)?
                } else {
                    self.pointer(d.b)?
                }
                ensure(MemFlags(d.flags).align() <= 1 << 30, || "the alignment is too large".into())?;
                ensure(MemFlags(d.flags).space() == 0, || "whole blocks are in ordinary memory only".into())?;
                let len = self.ty(d.c);
                ensure(len == self.ptr, || format!("the length has type {len} instead of {}", self.ptr))
            }
        }
    }

    /// What takes vectors apart or puts them together.
    fn lanes(&self, i: Inst, d: &InstData) -> Result<(), Fault> {
        let (ty, from) = (d.ty, self.ty(d.a));
        let number = |v| ensure(self.ty(v).is_int(), || "the lane number is no integer".into());
        let of_lanes = || ensure(from.is_vector() && from.lane() == ty, || format!("{from} has no lanes of type {ty}"));
        match d.op {
            Opcode::ExtractLane => {
                of_lanes()?;
                number(d.b)?;
            }
            Opcode::InsertLane => {
                self.class(d, ty.is_vector(), "a vector")?;
                self.expect("vector", d.a, ty)?;
                self.expect("lane", d.b, ty.lane())?;
                number(d.c)?;
            }
            Opcode::Shuffle => {
                self.expect("operand", d.b, from)?;
                ensure(ty.is_vector() && from.is_vector() && from.lane() == ty.lane(), || {
                    format!("lanes of {from} do not make {ty}")
                })?;
                let mask = &self.func.pool[d.c as usize..(d.c + ty.lanes()) as usize];
                let ok = mask.iter().all(|&m| m == u32::MAX || m < 2 * from.lanes());
                ensure(ok, || "the mask names a lane that does not exist".into())?;
            }
            Opcode::Splat => {
                self.class(d, ty.is_vector(), "a vector")?;
                self.expect("lane", d.a, ty.lane())?;
            }
            _ => {
                of_lanes()?;
                let Some(op) = ReduceOp::from_u8(d.flags) else { return fault("there is no such operation") };
                let of_floats = op as u8 >= ReduceOp::Fadd as u8;
                self.class(d, if of_floats { ty.is_float() } else { ty.is_int() }, "one for this operation")?;
                match op {
                    ReduceOp::Fadd | ReduceOp::Fmul => self.expect("start value", d.b, ty)?,
                    _ => ensure(d.a == d.b, || "the second operand is not the first".into())?,
                }
            }
        }
        self.results(i, &[ty])
    }

    fn types(&self, what: &str, values: &[Value], want: &[Type]) -> Result<(), Fault> {
        ensure(values.len() == want.len(), || format!("there are {} {what}s instead of {}", values.len(), want.len()))?;
        for (k, (&v, &w)) in values.iter().zip(want).enumerate() {
            let ty = self.func.value_type(v);
            ensure(ty == w, || format!("{what} {k} has type {ty} instead of {w}"))?;
        }
        Ok(())
    }

    fn call(&self, i: Inst, d: &InstData) -> Result<(), Fault> {
        let f = self.func;
        let call = &f.calls[d.a as usize];
        let sig = &f.sigs[call.sig.index()];
        if let Callee::Value(v) = call.callee {
            self.pointer(v.0)?;
        }
        self.types("argument", f.pool_values(call.args_start, call.args_len), &sig.params)?;
        ensure(call.results as usize == sig.results.len(), || {
            format!("it has {} results instead of {}", call.results, sig.results.len())
        })?;
        self.results(i, &sig.results)?;
        ensure(!call.returns_twice || f.attrs.calls_returns_twice, || {
            "it may return twice, which the function's attributes do not say".into()
        })?;
        if let Some(map) = call.stack_map {
            ensure(self.operands_of_map(map.0) == 0, || "its stack map lists operands, which a call has not".into())?;
            ensure(call.tail == TailKind::None, || "a call that replaces the frame has no stack map".into())?;
        }
        if call.tail == TailKind::Must {
            let next =
                f.insts.get(i.index() + 1).filter(|_| self.inst_block[i.index() + 1] == self.inst_block[i.index()]);
            let returned = next.is_some_and(|n| {
                n.op == Opcode::Return && f.pool_values(n.a, n.b).iter().map(|&v| f.resolve(v)).eq(f.results(i))
            });
            ensure(returned, || "no return of its results follows the musttail call".into())?;
        }
        Ok(())
    }

    /// How many operands a stack map lists.
    fn operands_of_map(&self, map: u32) -> usize {
        let entries = &self.func.stack_maps[map as usize].entries;
        entries.iter().filter(|&&entry| entry == StackMapEntry::Operand).count()
    }

    fn edges(&self, d: &InstData) -> Result<(), Fault> {
        let mut result = Ok(());
        self.func.for_each_edge(d, |e| {
            if result.is_ok() {
                result = self.edge(e);
            }
        });
        result
    }

    fn edge(&self, e: Edge) -> Result<(), Fault> {
        let f = self.func;
        let to = f.edge_to(e);
        ensure(to != f.layout[0], || "it branches to the entry block".into())?;
        ensure(f.blocks[to.index()].first != u32::MAX, || format!("it branches to {to}, which is not filled"))?;
        let in_layout = self.inst_block.get(f.blocks[to.index()].first as usize) == Some(&to.0);
        ensure(in_layout, || format!("it branches to {to}, which is not in the layout"))?;
        let (args, params) = (f.edge_args(e), f.params(to));
        ensure(args.len() == params.len(), || {
            format!("the edge to {to} has {} arguments instead of {}", args.len(), params.len())
        })?;
        for (k, (&a, &p)) in args.iter().zip(params).enumerate() {
            let (have, want) = (f.value_type(a), f.value_type(p));
            ensure(have == want, || format!("argument {k} of the edge to {to} has type {have} instead of {want}"))?;
        }
        Ok(())
    }

    fn cases(&self, d: &InstData) -> Result<(), Fault> {
        let f = self.func;
        let mut seen: Vec<u128> = Vec::new();
        for (c, _) in f.switch_cases(SwitchId(d.b)) {
            ensure(f.value_type(c) == d.ty, || format!("a case has type {} instead of {}", f.value_type(c), d.ty))?;
            let Some(n) = f.int_constant(f.resolve(c)) else { return fault("a case is no integer constant") };
            seen.push(n);
        }
        seen.sort_unstable();
        match seen.windows(2).find(|w| w[0] == w[1]) {
            Some(w) => fault(format!("the case {} occurs twice", w[0])),
            None => Ok(()),
        }
    }

    fn entry(&self) -> Result<(), Fault> {
        let f = self.func;
        let params: Vec<Value> = f.params(f.layout[0]).to_vec();
        let sig = self.sig();
        ensure(params.len() == sig.params.len(), || {
            format!("the entry block has {} parameters, the signature {}", params.len(), sig.params.len())
        })?;
        for (k, (&p, &w)) in params.iter().zip(&sig.params).enumerate() {
            let ty = f.value_type(p);
            ensure(ty == w, || format!("parameter {k} has type {ty} instead of {w}"))?;
        }
        Ok(())
    }

    /// Every use in a reachable block is dominated by its definition.
    fn dominance(&mut self) -> Result<(), Fault> {
        let f = self.func;
        let dom = Dominators::new(f);
        let returned = Returned::new(f, &dom);
        for &b in &f.layout {
            if !dom.is_reachable(b) {
                continue;
            }
            self.block = Some(b);
            for i in f.block_insts(b) {
                self.inst = Some(i);
                let d = f.inst(i);
                let (mut bad, mut number) = (None, 0);
                let mut check = |v: Value| {
                    let v = f.resolve(v);
                    number += 1;
                    let ok = match f.value_def(v) {
                        ValueDef::Const | ValueDef::Slot(_) => true,
                        ValueDef::Param(home) => dom.dominates(home, b),
                        ValueDef::Inst(def) => match self.inst_block.get(def.index()) {
                            // The builder gave out results that its opcode does not have.
                            Some(&n) if n != u32::MAX && !f.results(def).any(|own| own == v) => false,
                            Some(&n) if n == b.0 => def < i,
                            Some(&n) if n != u32::MAX => {
                                let known = returned.as_ref().is_none_or(|r| r.reaches(f, &dom, def, Block(n), b));
                                known && dom.dominates(Block(n), b)
                            }
                            _ => false,
                        },
                        ValueDef::Alias(_) | ValueDef::Pending => false,
                    };
                    if !ok && bad.is_none() {
                        bad = Some((v, number));
                    }
                };
                f.for_each_operand(d, &mut check);
                f.for_each_edge(d, |e| f.edge_args(e).iter().copied().for_each(&mut check));
                if let Some((v, number)) = bad {
                    let place = match f.value_def(v) {
                        ValueDef::Param(home) => format!(" in block {home}"),
                        ValueDef::Inst(def) => match self.inst_block.get(def.index()) {
                            Some(&n) if n == b.0 => " later in the block".to_string(),
                            Some(&n) if n != u32::MAX => format!(" in block {}", Block(n)),
                            _ => " in no block".to_string(),
                        },
                        _ => " in no block".to_string(),
                    };
                    return fault(format!(
                        "its operand {number} is defined{place}, and does not reach this use: not every way here passes the definition"
                    ));
                }
            }
            self.inst = None;
        }
        Ok(())
    }
}
