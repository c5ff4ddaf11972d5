//! The library's builder called in random order: whatever a front end does to it, it makes an object or gives an error.

use gusset::abi::{CType, Convention, Field, FloatKind, Record, Scalar, Signature};
use gusset::ir::{
    AtomicInfo, Block, Callee, Edge, FloatCc, IntCc, MemFlags, OPCODES, Opcode, Ordering, ReduceOp, RmwOp, SigId, Slot,
    TailKind, Type, Value, Variable,
};
use gusset::{
    Body, BuilderOptions, Catch, Data, Features, Func, Funclet, Global, Linkage, ObjectBuilder, Relocation, Target,
};

use crate::source::Source;

mod funclets;

const TARGETS: [&str; 6] = [
    "x86_64-unknown-linux-gnu",
    "x86_64-pc-windows-msvc",
    "i686-unknown-linux-gnu",
    "i686-pc-windows-msvc",
    "x86_64-w64-mingw32",
    "i686-w64-mingw32",
];

const TYPES: [Type; 14] = [
    Type::I64,
    Type::I32,
    Type::I1,
    Type::I8,
    Type::I16,
    Type::I128,
    Type::F64,
    Type::F32,
    Type::F16,
    Type::BF16,
    Type::F80,
    Type::F128,
    Type::I64,
    Type::I32,
];

const LINKAGES: [Linkage; 7] = [
    Linkage::Export,
    Linkage::Local,
    Linkage::Import,
    Linkage::Weak,
    Linkage::Private,
    Linkage::ImportWeak,
    Linkage::Common,
];

const CONVENTIONS: [Convention; 9] = [
    Convention::C,
    Convention::C,
    Convention::Stdcall,
    Convention::Fastcall,
    Convention::Thiscall,
    Convention::Vectorcall,
    Convention::Win64,
    Convention::SysV64,
    Convention::PreserveMost,
];

/// How one sequence of calls went.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// Functions that were compiled.
    pub compiled: u32,
    /// Functions and data that were refused.
    pub refused: u32,
    /// A checksum of every message and of the object: the same in every build profile.
    pub sum: u64,
}

impl Outcome {
    fn add(&mut self, bytes: &[u8]) {
        // FNV-1a.
        for &b in bytes {
            self.sum = (self.sum ^ u64::from(b)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

/// Builds an object by calls that the bytes choose.
///
/// # Errors
/// What is accepted has a wrong allocation of registers, or a refusal says nothing.
pub fn build(bytes: &[u8]) -> Result<Outcome, String> {
    let mut src = Source::new(bytes);
    let target = Target::from_triple(src.pick(&TARGETS), &Features::default()).map_err(|e| e.to_string())?;
    let as_text = src.below(64) == 63;
    let relocation = src.pick(&[Relocation::Module, Relocation::Pic, Relocation::Static]);
    let options = BuilderOptions::new().relocation(relocation).verify(true);
    let mut other = ObjectBuilder::new(&target, &BuilderOptions::new());
    let foreign = other.declare("foreign", Signature::c(CType::I32), Linkage::Export).map_err(|e| e.to_string())?;
    let mut object = ObjectBuilder::new(&target, &options);
    let mut outcome = Outcome { sum: 0xcbf2_9ce4_8422_2325, ..Outcome::default() };
    let mut items = Items { funcs: vec![(foreign, None)], globals: Vec::new(), routine: None };
    if target.abi().is_windows() {
        let name = src.pick(&["__CxxFrameHandler3", "__C_specific_handler", "_except_handler3", "_except_handler4"]);
        let routine = object.declare(name, Signature::c(CType::I32).ellipsis(), Linkage::Import);
        items.routine = routine.as_ref().ok().map(|&routine| (routine, name == "__CxxFrameHandler3"));
        note(&mut outcome, routine.map(drop).map_err(|e| e.to_string()), "routine")?;
    }
    for n in 0..2 + src.below(4) {
        declare(&mut src, &mut object, &mut items, &mut outcome, n)?;
    }
    let mut stale = Stale::default();
    for n in 0..src.between(1, 3) {
        let at = if src.below(32) == 31 { 0 } else { items.funcs.len() as u32 - 1 - n % items.funcs.len() as u32 };
        let (func, sig) = items.funcs[at as usize].clone();
        let result = object.define(func, |b| {
            let mut filler = Filler {
                src: &mut src,
                items: &items,
                params: sig.as_ref().map_or(0, |s| s.params.len()),
                ret: sig.as_ref().is_some_and(|s| s.ret.ty != CType::Void.into()),
                values: std::mem::take(&mut stale.values),
                blocks: std::mem::take(&mut stale.blocks),
                vars: Vec::new(),
                edges: Vec::new(),
                funclets: std::mem::take(&mut stale.funclets),
                depth: 0,
            };
            filler.fill(b);
            // Seldom, or nothing would be accepted.
            if filler.src.below(16) == 15 {
                stale = Stale { values: filler.values, blocks: filler.blocks, funclets: filler.funclets };
            }
        });
        note(&mut outcome, result.map_err(|e| e.to_string()), "")?;
        if n == 0 && src.chance(2) {
            declare(&mut src, &mut object, &mut items, &mut outcome, 100)?;
        }
    }
    match if as_text { object.finish_assembly() } else { object.finish() } {
        Ok(object) => outcome.add(&object),
        Err(e) => outcome.add(e.to_string().as_bytes()),
    }
    Ok(outcome)
}

/// Takes a result into account.
fn note(outcome: &mut Outcome, result: Result<(), String>, what: &str) -> Result<(), String> {
    match result {
        Ok(()) => outcome.compiled += u32::from(what.is_empty()),
        Err(message) if message.contains("register allocation is wrong") || message.len() < 10 => return Err(message),
        Err(message) => {
            outcome.refused += 1;
            outcome.add(message.as_bytes());
        }
    }
    Ok(())
}

/// What was left of another function.
#[derive(Default)]
struct Stale {
    values: Vec<Value>,
    blocks: Vec<Block>,
    funclets: Vec<Funclet>,
}

struct Items {
    funcs: Vec<(Func, Option<Signature>)>,
    globals: Vec<Global>,
    /// The personality routine of functions with funclets, and whether it is that of C++.
    routine: Option<(Func, bool)>,
}

fn declare(
    src: &mut Source<'_>,
    object: &mut ObjectBuilder<'_>,
    items: &mut Items,
    outcome: &mut Outcome,
    n: u32,
) -> Result<(), String> {
    let name = match src.below(48) {
        45 => "f".to_string(),
        46 => "?m@S@@QAEXXZ".to_string(),
        47 => "zero\0".to_string(),
        _ => format!("f{n}"),
    };
    let linkage = if src.chance(14) { Linkage::Export } else { src.pick(&LINKAGES) };
    if src.chance(12) {
        let sig = signature(src);
        let declared = object.declare(&name, sig.clone(), linkage);
        if let Ok(func) = &declared {
            items.funcs.push((*func, Some(sig)));
        }
        return note(outcome, declared.map(drop).map_err(|e| e.to_string()), "declaration");
    }
    let sizes = [8, 16, 24, 32, 9, 40, 8, 64, 0, 1, 4096, 1 << 40, u64::MAX];
    let mut data = Data::zeroed(src.pick(&sizes), src.pick(&[8, 0, 1, 16, 1, 8, 2, 4, 64, 8, 4, 3, 4096, 1 << 33]));
    data.set(src.pick(&[0, 0, 0, 8]), &vec![1; src.pick(&[0, 0, 4, 8])]);
    data = data.read_only(src.chance(4));
    if src.chance(4) {
        let func = if src.below(16) == 15 { &items.funcs[0] } else { &items.funcs[items.funcs.len() - 1] }.0;
        data = data.address(src.pick(&[0, 0, 0, 4, 0, 0, 8, u64::MAX]), func, src.pick(&[0, -1, i64::MAX]));
    }
    let defined = object.data(&name, linkage, data);
    items.globals.extend(defined.as_ref().ok());
    note(outcome, defined.map(drop).map_err(|e| e.to_string()), "data")
}

fn c_type(src: &mut Source<'_>, depth: u32) -> CType {
    // What not every target has, or none, is rare.
    let kinds = if src.chance(1) { 24 } else { 16 };
    match src.below(kinds) {
        0..=5 => CType::I32,
        6 => CType::PTR,
        7 => CType::I64,
        8 => CType::F64,
        9 => CType::F32,
        10 => CType::I8,
        11 => CType::BOOL,
        12 => CType::LONG_DOUBLE,
        13 => CType::complex(src.pick(&[FloatKind::F32, FloatKind::F64, FloatKind::Long])),
        14 | 15 if depth < 3 => {
            let fields = (0..1 + src.below(4)).map(|_| Field::new(c_type(src, depth + 1))).collect();
            CType::record(Record::structure(fields))
        }
        14 | 15 => CType::U16,
        20 => CType::I128,
        21 => CType::F16,
        16 => CType::BitInt { bits: src.pick(&[7, 37, 64, 100, 128, 200]), signed: true },
        17 => CType::Vector { lane: Scalar::Float(FloatKind::F32), lanes: src.pick(&[4, 2, 1, 3, 0, 1024]) },
        18 => CType::Void,
        19 => CType::array(CType::I16, src.pick(&[0, 3, 1 << 40])),
        _ if depth > 2 => CType::U16,
        _ => {
            let fields = (0..src.below(5)).map(|_| Field::new(c_type(src, depth + 1))).collect();
            CType::record(match src.below(4) {
                0 => Record::union(fields),
                1 => Record::structure(fields).packed(),
                2 => Record::structure(fields).aligned(src.pick(&[16, 64, 3, 1 << 28])),
                _ => Record::structure(fields),
            })
        }
    }
}

fn signature(src: &mut Source<'_>) -> Signature {
    let mut sig = Signature::c(if src.chance(6) { CType::Void } else { c_type(src, 0) });
    for _ in 0..src.below(6) {
        sig = sig.param(c_type(src, 0));
    }
    if src.chance(3) {
        sig = sig.ellipsis();
    }
    if src.chance(3) { sig.with_convention(src.pick(&CONVENTIONS)) } else { sig }
}

/// Calls the builder of one function.
struct Filler<'s, 'b, 'i> {
    src: &'s mut Source<'b>,
    items: &'i Items,
    params: usize,
    ret: bool,
    values: Vec<Value>,
    blocks: Vec<Block>,
    vars: Vec<(Variable, Type)>,
    edges: Vec<Edge>,
    funclets: Vec<Funclet>,
    /// Nesting of funclets.
    depth: u32,
}

impl Filler<'_, '_, '_> {
    fn fill(&mut self, b: &mut Body<'_, '_>) {
        for i in 0..self.params {
            let v = b.param(i);
            self.values.push(v);
        }
        let wrapped = self.items.routine.is_some() && self.src.chance(5);
        if wrapped {
            self.guarded(b);
        }
        for _ in 0..self.src.pick(&[3, 6, 12, 40]).min(if wrapped { 3 } else { 40 }) {
            if self.src.is_done() {
                break;
            }
            self.step(b);
        }
        if self.src.chance(1) {
            return;
        }
        // Most of what could be wrong now is set right, so that more is accepted.
        self.end(b);
        for k in 0.. {
            let Some(&block) = self.blocks.get(k) else { break };
            if b.func.blocks.get(block.index()).is_some_and(|d| d.first == u32::MAX) {
                b.switch_to(block);
                b.seal(block);
                self.end(b);
            }
        }
        for k in 0..b.func.blocks.len() {
            b.seal(Block::new(k));
        }
    }

    /// Ends the current block, if there is one.
    fn end(&mut self, b: &mut Body<'_, '_>) {
        if b.current_block().is_some() {
            match self.src.below(3) {
                0 => b.unreachable(),
                _ => self.ret(b),
            }
        }
    }

    fn ret(&mut self, b: &mut Body<'_, '_>) {
        let wanted = b.func.signature().results.first().copied();
        let v = match wanted {
            Some(ty) => self.of_type(b, ty),
            None => self.address(b),
        };
        let twisted = self.src.below(32) == 31;
        b.ret(Some(v).filter(|_| self.ret != twisted));
    }

    /// Any value, or the number of none.
    fn value(&mut self) -> Value {
        match self.src.below(64) {
            63 => Value(self.src.pick(&[u32::MAX, 1000, 7])),
            _ if self.values.is_empty() => Value(0),
            _ => self.src.pick(&self.values),
        }
    }

    /// A value of a type, nearly always.
    fn of_type(&mut self, b: &mut Body<'_, '_>, ty: Type) -> Value {
        if self.src.below(32) == 31 {
            return self.value();
        }
        let fits: Vec<Value> = self.values.iter().copied().filter(|&v| b.func.known_type(v) == Some(ty)).collect();
        match fits.is_empty() || self.src.chance(3) {
            true if ty.is_int() => b.iconst(ty, self.src.pick(&[0, 1, -1, i128::MAX])),
            true => b.poison(ty),
            false => self.src.pick(&fits),
        }
    }

    fn address(&mut self, b: &mut Body<'_, '_>) -> Value {
        if self.src.chance(6) {
            return b.local(&CType::structure([CType::I64, CType::F64, CType::I64]));
        }
        let ptr = b.ptr_type();
        self.of_type(b, ptr)
    }

    fn ty(&mut self) -> Type {
        let scalar = if self.src.chance(8) { Type::I32 } else { self.src.pick(&TYPES) };
        match self.src.below(12) {
            11 => Type::vector(scalar, self.src.pick(&[4, 2, 1, 3, 16, 64, 1023])).unwrap_or(scalar),
            _ => scalar,
        }
    }

    fn block(&mut self, b: &mut Body<'_, '_>) -> Block {
        if self.blocks.is_empty() || self.src.chance(5) {
            self.blocks.push(b.create_block());
        }
        match self.src.below(48) {
            47 => Block(self.src.pick(&[u32::MAX, 50, 0])),
            _ => self.src.pick(&self.blocks),
        }
    }

    /// Arguments for a block's parameters, as it has them.
    fn args(&mut self, b: &mut Body<'_, '_>, to: Block) -> Vec<Value> {
        if b.func.blocks.len() <= to.index() {
            return vec![self.value()];
        }
        let types: Vec<Type> = b.func.params(to).iter().map(|&p| b.func.value_type(p)).collect();
        let mut args: Vec<Value> = types.iter().map(|&ty| self.of_type(b, ty)).collect();
        if self.src.below(48) == 47 {
            args.push(Value(0));
        }
        args
    }

    fn step(&mut self, b: &mut Body<'_, '_>) {
        match self.src.below(8) {
            0..=2 => self.compute(b),
            3 => self.memory(b),
            4 => self.call(b),
            5 => self.branch(b),
            6 => self.variable(b),
            _ => self.odd(b),
        }
        // Mostly there is a block to go on in.
        if b.current_block().is_none() && self.src.chance(15) {
            let next = self.block(b);
            b.switch_to(next);
            if self.src.chance(6) {
                b.seal(next);
            }
        }
    }

    fn compute(&mut self, b: &mut Body<'_, '_>) {
        let x = self.value();
        let ty = b.func.known_type(x).unwrap_or(Type::I32);
        let (form, other) = (self.src.below(13), self.ty());
        let op = match self.src.below(24) {
            23 => self.src.pick(OPCODES),
            _ => self.fitting(form, ty),
        };
        let v = match form {
            0 => b.unary(op, x),
            1..=4 => {
                let y = self.of_type(b, ty);
                b.binary(op, x, y)
            }
            5 => {
                let (y, z) = (self.of_type(b, ty), self.of_type(b, ty));
                b.ternary(op, x, y, z)
            }
            6 => b.convert(op, x, other),
            7 | 8 | 11 if !ty.is_int() => return,
            9 if !ty.lane().is_float() => return,
            12 if !ty.is_vector() => return,
            7 => {
                let y = self.of_type(b, ty);
                let (v, flag) = b.overflow(op, x, y);
                self.values.push(flag);
                v
            }
            8 => {
                let (cc, y) = (IntCc::from_u8(self.src.below(10) as u8).unwrap_or(IntCc::Eq), self.of_type(b, ty));
                b.icmp(cc, x, y)
            }
            9 => {
                let (cc, y) = (FloatCc::from_u8(self.src.below(16) as u8).unwrap_or(FloatCc::Oeq), self.of_type(b, ty));
                b.fcmp(cc, x, y)
            }
            10 => {
                let (c, y) = (self.of_type(b, Type::I1), self.of_type(b, ty));
                b.select(c, x, y)
            }
            11 => {
                let y = self.of_type(b, ty);
                b.index(x, y, self.src.pick(&[1, 8, -3, i32::MIN, 0]))
            }
            _ => self.vector(b, x, ty),
        };
        self.values.push(v);
    }

    /// An operation for the builder's methods in the order of `compute`, on operands of a type.
    fn fitting(&mut self, form: u32, ty: Type) -> Opcode {
        use Opcode::*;
        let float = ty.lane().is_float();
        match (form, float) {
            (0, true) => self.src.pick(&[Fneg, Fabs, Fsqrt, Ffloor, Fceil, Frint, Fround, Froundeven, Ftrunc]),
            (0, false) => self.src.pick(&[Ctlz, Cttz, Ctpop, Bswap, Bitreverse, Iabs, Freeze, Opaque]),
            (1..=4, true) => {
                self.src.pick(&[Fadd, Fsub, Fmul, Fdiv, Frem, Fcopysign, Fminnum, Fmaxnum, Fminimum, Fmaximum])
            }
            (1..=4, false) => self.src.pick(&[
                Iadd, Isub, Imul, Udiv, Sdiv, Urem, Srem, And, Or, Xor, Shl, Lshr, Ashr, Umin, Smax, UaddSat, SsubSat,
                UshlSat,
            ]),
            (5, true) => Fma,
            (5, false) => self.src.pick(&[Fshl, Fshr]),
            (6, true) => self.src.pick(&[Fptosi, Fptoui, FptosiSat, Fpext, Fptrunc, Bitcast]),
            (6, false) => self.src.pick(&[Zext, Sext, Trunc, Sitofp, Uitofp, Bitcast, Splat]),
            _ => self.src.pick(&[UaddOv, SaddOv, UsubOv, SsubOv, UmulOv, SmulOv]),
        }
    }

    fn vector(&mut self, b: &mut Body<'_, '_>, x: Value, ty: Type) -> Value {
        let lane = self.of_type(b, Type::I32);
        match self.src.below(4) {
            0 => b.extract_lane(x, lane),
            1 => {
                let y = self.of_type(b, ty.lane());
                b.insert_lane(x, y, lane)
            }
            2 => {
                let y = self.of_type(b, ty);
                let mask: Vec<u32> = (0..self.src.below(20)).map(|_| self.src.pick(&[0, 1, 3, u32::MAX, 99])).collect();
                b.shuffle(x, y, &mask).unwrap_or(x)
            }
            _ => {
                let op = ReduceOp::from_u8(self.src.below(15) as u8).unwrap_or(ReduceOp::Add);
                let start = if self.src.chance(8) { Some(self.of_type(b, ty.lane())) } else { None };
                b.reduce(op, x, start)
            }
        }
    }

    fn memory(&mut self, b: &mut Body<'_, '_>) {
        let (at, ty, x) = (self.address(b), self.ty(), self.value());
        let offset = self.src.pick(&[0, 8, -8, i32::MAX]);
        let order = Ordering::from_u8(self.src.below(7) as u8).unwrap_or(Ordering::SeqCst);
        let info = AtomicInfo::new(order, self.src.pick(&[8, 1, 16, 0, 3, 1 << 31]), self.src.chance(2));
        let v = match self.src.below(12) {
            0..=2 => b.load(ty, at, offset),
            3 => b.atomic_load(ty, at, info),
            4 => {
                let op = RmwOp::from_u8(self.src.below(17) as u8).unwrap_or(RmwOp::Add);
                b.atomic_rmw(op, at, x, info)
            }
            5 => {
                let ty = b.func.known_type(x).unwrap_or(Type::I32);
                let y = self.of_type(b, ty);
                let (v, ok) = b.cmpxchg(at, x, y, order, order.of_failure());
                self.values.push(ok);
                v
            }
            6 => return b.store(x, at, offset),
            7 => return b.atomic_store(x, at, info),
            8 => {
                let op = self.src.pick(&[Opcode::Memcpy, Opcode::Memmove, Opcode::Memcpy, Opcode::Iadd]);
                let (from, len) = (self.address(b), self.address(b));
                return b.mem_op(op, at, from, len, MemFlags(self.src.byte()));
            }
            9 => {
                let ty = c_type(self.src, 0);
                return b.copy(at, x, &ty);
            }
            10 => {
                let ty = c_type(self.src, 0);
                b.local(&ty)
            }
            _ => b.text(&[self.src.byte() % 3, 0][..self.src.below(3) as usize]),
        };
        self.values.push(v);
    }

    fn func(&mut self) -> (Func, Option<Signature>) {
        let count = self.items.funcs.len() as u32;
        // The first is of another object.
        let at = if self.src.below(32) == 31 { 0 } else { 1 + self.src.below(count) };
        self.items.funcs.get(at as usize).unwrap_or(&self.items.funcs[count as usize - 1]).clone()
    }

    /// Arguments as a signature has them.
    fn arguments(&mut self, b: &mut Body<'_, '_>, sig: &Signature) -> Vec<Value> {
        let mut args = Vec::new();
        for param in &sig.params {
            let gusset::abi::AbiType::C(ty) = &param.ty else { continue };
            let ty = match ty {
                _ if ty.is_by_address() => None,
                CType::Scalar(Scalar::Int { bits, .. }) => Type::int((*bits).into()),
                CType::BitInt { bits, .. } => Type::int(*bits),
                CType::Scalar(Scalar::Bool) => Some(Type::I8),
                CType::Scalar(Scalar::Float(FloatKind::F64)) => Some(Type::F64),
                CType::Scalar(Scalar::Float(FloatKind::F32)) => Some(Type::F32),
                _ => None,
            };
            args.push(match ty {
                Some(ty) => self.of_type(b, ty),
                None => self.address(b),
            });
        }
        if self.src.below(32) == 31 {
            args.pop();
        }
        args
    }

    fn call(&mut self, b: &mut Body<'_, '_>) {
        let (func, sig) = self.func();
        let sig = sig.unwrap_or_else(|| Signature::c(CType::I32));
        let args = self.arguments(b, &sig);
        let result = match self.src.below(8) {
            0..=2 => b.call(func, &args),
            3 if sig.variadic.is_none() => b.call(func, &args),
            5 if self.src.chance(13) => b.call(func, &args),
            3 => {
                let unnamed = (CType::I32, self.of_type(b, Type::I32));
                b.call_variadic(func, &args, &[unnamed, (c_type(self.src, 0), self.value())])
            }
            4 => {
                let (at, sig) = (self.address(b), signature(self.src));
                let args = self.arguments(b, &sig);
                b.call_address(at, sig, &args)
            }
            5 => {
                let callee = if self.src.chance(8) { Callee::Value(self.value()) } else { Callee::Symbol(func.into()) };
                let tail = self.src.pick(&[TailKind::None, TailKind::Tail, TailKind::Must]);
                let call = std::ops::DerefMut::deref_mut(b).call(
                    callee,
                    SigId(self.src.below(3)),
                    &args,
                    tail,
                    self.src.chance(2),
                );
                b.nounwind();
                b.func.results(call).next()
            }
            _ => {
                let mut call = b.open_call(func);
                for i in 0..args.len() + usize::from(self.src.below(32) == 31) {
                    let v = args.get(i).copied().unwrap_or(Value(0));
                    match self.src.below(64) {
                        0 => _ = b.argument(&mut call, i),
                        1 => {}
                        _ => b.fill(&mut call, i, v),
                    }
                }
                match self.src.below(64) {
                    0 => {
                        b.give_up(&call);
                        None
                    }
                    1 => b.finish_call(call.clone()).or_else(|| b.finish_call(call)),
                    _ => b.finish_call(call),
                }
            }
        };
        self.values.extend(result);
    }

    fn branch(&mut self, b: &mut Body<'_, '_>) {
        let (to, other) = (self.block(b), self.block(b));
        let (args, other_args) = (self.args(b, to), self.args(b, other));
        match self.src.below(8) {
            0..=1 => b.jump(to, &args),
            2..=3 => {
                let c = self.of_type(b, Type::I1);
                b.br(c, to, &args, other, &other_args);
            }
            4 => {
                let (v, default) = (self.value(), b.edge(other, &other_args));
                let ty = b.func.known_type(v).unwrap_or(Type::I32);
                let mut cases = Vec::new();
                for n in 0..self.src.below(4) {
                    let args = self.args(b, to);
                    let stale = self.edges.last().copied().filter(|_| self.src.below(32) == 31);
                    let edge = stale.unwrap_or_else(|| b.edge(to, &args));
                    cases.push((b.iconst(ty, n.into()), edge));
                    self.edges.push(edge);
                }
                b.switch(v, &cases, default);
            }
            5 => {
                let (v, edges) = (self.address(b), [b.edge(to, &args), b.edge(other, &other_args)]);
                b.indirect_br(v, &edges[..self.src.below(3) as usize]);
            }
            6 => b.invoke(to, &args, other, &other_args),
            _ => self.ret(b),
        }
    }

    fn variable(&mut self, b: &mut Body<'_, '_>) {
        if self.vars.is_empty() || self.src.chance(3) {
            let ty = self.ty();
            self.vars.push((b.declare_var(ty), ty));
        }
        let (mut var, ty) = self.src.pick(&self.vars);
        if self.src.below(48) == 47 {
            var = Variable(99);
        }
        if self.src.chance(8) {
            let v = self.of_type(b, ty);
            b.def_var(var, v);
        } else {
            self.values.push(b.use_var(var));
        }
    }

    fn odd(&mut self, b: &mut Body<'_, '_>) {
        // Most of these are right in few places.
        if self.src.chance(10) {
            return self.variable(b);
        }
        let v = match self.src.below(22) {
            20 => return self.guarded(b),
            21 => return self.part_of_funclet(b),
            0 => b.va_start(),
            1 => {
                let from = self.address(b);
                b.va_copy(from)
            }
            2 => {
                let (list, ty) = (self.address(b), c_type(self.src, 0));
                b.va_arg(list, &ty)
            }
            3 => {
                let (func, _) = self.func();
                return b.personality(func);
            }
            4 => {
                let pad = self.block(b);
                b.unwind_to(Some(pad).filter(|_| self.src.chance(12)));
                return;
            }
            5 => {
                let types: Vec<Global> = self.items.globals.clone();
                let catches = [Catch::Any, Catch::Except(types.clone())];
                let caught = b.landing_pad(&catches[..self.src.below(3) as usize], self.src.chance(8));
                self.values.push(caught.exception);
                caught.selector
            }
            6 => {
                let x = self.address(b);
                return b.resume(x);
            }
            7 => {
                let global = self.items.globals.first().copied();
                b.selector(global)
            }
            8 => {
                let (block, ty) = (self.block(b), self.ty());
                b.append_param(block, ty)
            }
            9 => {
                let block = self.block(b);
                return b.switch_to(block);
            }
            10 => {
                let block = self.block(b);
                return b.seal(block);
            }
            11 => {
                let saved = self.address(b);
                return b.restore_stack(saved);
            }
            12 => b.slot_addr(Slot(self.src.below(9))),
            13 => b.iconst(self.ty(), self.src.pick(&[0, 1, -1, i128::MIN])),
            14 => {
                let ty = self.ty();
                b.poison(ty)
            }
            15 => {
                let func = self.func().0;
                b.address(func)
            }
            16 => b.param(self.src.below(9) as usize),
            17 => {
                let v = b.result_address();
                match v {
                    Some(v) => v,
                    None => return b.ret_constructed(),
                }
            }
            18 => {
                // The words of one opcode under another, with results at will.
                let (op, ty) = (self.src.pick(OPCODES), self.ty());
                let words = [self.value().0, self.value().0, self.src.pick(&[0, 8, u32::MAX, 3])];
                b.push1(op, self.src.byte() & 15, ty, words, ty)
            }
            _ => {
                let (from, to) = (self.value(), self.value());
                let block = self.block(b);
                let edge = b.edge(block, &[from, to]);
                self.edges.push(edge);
                return b.end_invoke(edge, self.src.pick(&self.edges));
            }
        };
        self.values.push(v);
    }
}
