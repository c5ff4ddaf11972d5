//! An interpreter of the IR: the meaning of functions, against which machine code and passes are tested.
//!
//! Poison and bytes of no definite value are one thing here, "any value". What depends on it is any value too; a branch on
//! it, or an access through it, ends the run, as does everything else that LangRef leaves undefined. After legalization, values have
//! bits of any value beside those that count: then every value of any kind gets definite bits
//! ([`with_definite`](Interpreter::with_definite)), which the result must not depend on.

mod exec;
mod library;
mod memory;
mod scalar;
mod soft;
mod unwind;
mod vector;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;

use gusset_abi::{AbiTarget, DataLayout, Role};

use crate::source::Random;
use gusset_codegen::ir::{ConstData, Function, Inst, Module, Pad, RelocBase, SigData, SymbolId, Type, Value, ValueDef};
use memory::Memory;
pub(crate) use unwind::THROWN;

/// Why a run came to no end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The program's behaviour is undefined, or depends on what has no definite value.
    Undefined(String),
    /// An operation that the interpreter has not.
    Unsupported(String),
    /// An exception, at this address, that nothing has caught.
    Raised(u64),
    /// More steps, memory or nested calls than allowed.
    Limit,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Undefined(why) => write!(f, "undefined behaviour: {why}"),
            Stop::Unsupported(what) => write!(f, "not supported: {what}"),
            Stop::Raised(at) => write!(f, "an exception at {at:#x} that nothing catches"),
            Stop::Limit => f.write_str("too many steps, too much memory or too many nested calls"),
        }
    }
}

impl std::error::Error for Stop {}

/// A value at run time: integers as zero-extended bits, floats as their bits; `None` is any value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Val {
    /// A scalar.
    Scalar(Option<u128>),
    /// A vector's lanes.
    Vector(Vec<Option<u128>>),
}

impl Val {
    /// A scalar of these bits.
    pub fn of(bits: u128) -> Val {
        Val::Scalar(Some(bits))
    }

    /// The bits of a scalar that has definite ones.
    pub fn bits(&self) -> Option<u128> {
        match self {
            Val::Scalar(bits) => *bits,
            Val::Vector(_) => None,
        }
    }

    fn lanes(&self) -> &[Option<u128>] {
        match self {
            Val::Scalar(x) => std::slice::from_ref(x),
            Val::Vector(lanes) => lanes,
        }
    }

    fn any(ty: Type) -> Val {
        if ty.is_vector() { Val::Vector(vec![None; ty.lanes() as usize]) } else { Val::Scalar(None) }
    }

    fn from_lanes(ty: Type, lanes: Vec<Option<u128>>) -> Val {
        if ty.is_vector() { Val::Vector(lanes) } else { Val::Scalar(lanes.first().copied().flatten()) }
    }
}

/// Calls that may be nested.
const DEPTH: u32 = 100;

/// Runs the functions of a module.
pub struct Interpreter<'a> {
    module: &'a Module,
    functions: HashMap<SymbolId, &'a Function>,
    addresses: Vec<u64>,
    by_address: HashMap<u64, SymbolId>,
    layout: DataLayout,
    memory: Memory,
    steps: u64,
    depth: u32,
    pointer_bytes: u32,
    /// The exceptions of handlers that have begun and are funclets, the innermost last.
    handled: Vec<u64>,
    /// What values of any kind are made of, if they get definite bits.
    definite: Option<u64>,
}

/// A function in the course of its run.
struct Frame<'f> {
    f: &'f Function,
    values: Vec<Option<Val>>,
    slots: Vec<u64>,
    /// The funclets that have begun, the innermost last: the pad of each, and the exception that it handles or cleans up for.
    funclets: Vec<(Pad, u64)>,
    /// The exception that came to the last landing pad.
    landed: u64,
    definite: Option<u64>,
}

impl<'a> Interpreter<'a> {
    /// An interpreter with the module's data in memory, which takes at most `steps` instructions in all.
    pub fn new(module: &'a Module, functions: &'a [Function], target: &AbiTarget, steps: u64) -> Interpreter<'a> {
        let mut memory = Memory::new(target.pointer_bytes());
        let mut sizes: HashMap<SymbolId, (u64, u64)> = HashMap::new();
        for d in &module.data {
            sizes.insert(d.symbol, (d.size, d.align));
        }
        let addresses: Vec<u64> = (0..module.symbols.len())
            .map(|s| {
                let (size, align) = sizes.get(&SymbolId::new(s)).copied().unwrap_or((16, 16));
                memory.reserve(size, align)
            })
            .collect();
        for d in &module.data {
            let mut bytes = d.bytes.to_vec().expect("data of a module that is interpreted is small");
            bytes.resize(d.size as usize, 0);
            let base = addresses[d.symbol.index()];
            for r in &d.relocs {
                let mut value = addresses[r.symbol.index()].wrapping_add(r.addend as u64);
                value = value.wrapping_sub(match r.base {
                    RelocBase::Zero => 0,
                    RelocBase::Field => base + r.offset,
                    RelocBase::Symbol(s) => addresses[s.index()],
                });
                let at = r.offset as usize;
                bytes[at..at + r.size as usize].copy_from_slice(&value.to_le_bytes()[..r.size as usize]);
            }
            memory.map(base, bytes, d.constant);
        }
        Interpreter {
            module,
            functions: functions.iter().map(|f| (f.symbol, f)).collect(),
            by_address: addresses.iter().enumerate().map(|(s, &a)| (a, SymbolId::new(s))).collect(),
            addresses,
            layout: DataLayout::new(target),
            memory,
            steps,
            depth: 0,
            pointer_bytes: target.pointer_bytes(),
            handled: Vec::new(),
            definite: None,
        }
    }

    /// Gives definite bits to values of any kind, other ones for each seed.
    pub fn with_definite(&mut self, seed: u64) {
        self.definite = Some(seed);
        self.memory.any = Some(bits_of_any(seed, 0) as u8);
    }

    /// Puts bytes at an address, which is to be none of the module's: below 2^36, or 2^30 where pointers have 32 bits.
    pub fn map(&mut self, base: u64, bytes: Vec<u8>) {
        self.memory.map(base, bytes, false);
    }

    /// The bytes that were put at `base`, as they are now, and which of them have a definite value.
    pub fn mapped(&self, base: u64) -> Option<(&[u8], &[bool])> {
        self.memory.region(base)
    }

    /// How many instructions it may still take.
    pub fn steps_left(&self) -> u64 {
        self.steps
    }

    /// Where a symbol is.
    pub fn address(&self, symbol: SymbolId) -> u64 {
        self.addresses[symbol.index()]
    }

    /// Calls a function.
    ///
    /// # Errors
    /// The run came to no end.
    pub fn call(&mut self, symbol: SymbolId, args: &[Val]) -> Result<Vec<Val>, Stop> {
        let Some(&f) = self.functions.get(&symbol) else {
            return self.library(symbol, args);
        };
        let (named, variadic) = (f.signature().params.len(), f.signature().variadic);
        if args.len() < named || args.len() > named && !variadic {
            return Err(Stop::Undefined("a call with other arguments than the function has".into()));
        }
        if self.depth >= DEPTH {
            return Err(Stop::Limit);
        }
        self.depth += 1;
        let mark = self.memory.mark();
        let result = self.frame(f, args);
        self.memory.release(mark);
        self.depth -= 1;
        result
    }

    fn frame(&mut self, f: &'a Function, args: &[Val]) -> Result<Vec<Val>, Stop> {
        let sig = f.signature();
        // The address for a struct as the result comes after the unnamed arguments.
        let hidden = sig.aggregate_result as usize;
        let (args, hidden) = args.split_at(args.len() - hidden);
        let named = sig.params.len() - hidden.len();
        let mut args = [&args[..named], hidden].concat();
        for (i, arg) in args.iter_mut().enumerate() {
            if let Some((size, align)) = self.by_value(sig, i)? {
                let from = address(arg)?;
                let bytes = self.memory.read(from, size)?;
                let copy = self.memory.push(size, align)?;
                self.memory.write(copy, &bytes)?;
                *arg = Val::of(copy as u128);
            }
        }
        let mut slots = Vec::with_capacity(f.slots.len());
        for s in &f.slots {
            slots.push(self.memory.push(s.size as u64, s.align as u64)?);
        }
        let frame = Frame {
            f,
            values: vec![None; f.value_count()],
            slots,
            funclets: Vec::new(),
            landed: 0,
            definite: self.definite,
        };
        self.blocks(frame, args)
    }

    /// Size and alignment of what the callee gets a copy of, in parameter `i`.
    fn by_value(&self, sig: &SigData, i: usize) -> Result<Option<(u64, u64)>, Stop> {
        let Some(param) = sig.source.params.get(i) else { return Ok(None) };
        if let Role::ByVal { size, align } = param.attrs.role {
            return Ok(Some((size, align as u64)));
        }
        match &param.ty {
            gusset_abi::AbiType::C(ty) if sig.param_is_aggregate(i) => match self.layout.layout(ty) {
                Ok(l) => Ok(Some((l.size, l.align as u64))),
                Err(e) => Err(Stop::Unsupported(e.to_string())),
            },
            _ => Ok(None),
        }
    }

    /// Is it the function that moves references?
    fn is_collector(&self, symbol: SymbolId) -> bool {
        self.module.symbol(symbol).name == "fuzz_collect"
    }

    /// A function of C's library that copies or fills memory.
    fn block_function(&mut self, name: &str, args: &[Val]) -> Result<Vec<Val>, Stop> {
        let [to, from, n] = args else { return Err(Stop::Undefined(format!("{} arguments for `{name}`", args.len()))) };
        let n = address(n)?;
        let bytes = if name == "memset" {
            if n > 1 << 24 {
                return Err(Stop::Limit);
            }
            vec![from.bits().map(|b| b as u8); n as usize]
        } else {
            self.memory.read(address(from)?, n)?
        };
        self.memory.write(address(to)?, &bytes)?;
        Ok(vec![to.clone()])
    }

    /// A function that the module does not define.
    fn library(&mut self, symbol: SymbolId, args: &[Val]) -> Result<Vec<Val>, Stop> {
        let module = self.module;
        let name = module.symbol(symbol).name.as_str();
        match (name, args) {
            ("memcpy" | "memmove" | "memset", _) => self.block_function(name, args),
            ("fuzz_throw", [ty, number]) => self.throw(ty, number),
            // The caller's references are moved where it is called.
            ("fuzz_collect", [_]) => Ok(Vec::new()),
            ("_CxxThrowException", [object, info]) => self.throw_again(object, info),
            ("fuzz_caught", [exception]) => {
                let at = address(exception)?;
                let number = self.load(Type::I32, self.object(at))?;
                self.memory.unmap(at);
                Ok(vec![number])
            }
            _ => Err(Stop::Unsupported(format!("a call of `{name}`"))),
        }
    }

    fn constant(&self, f: &Function, ty: Type, data: ConstData) -> Val {
        match data {
            ConstData::Int(n) | ConstData::Float(n) => Val::of(n),
            ConstData::Symbol(s, offset) => {
                let at = self.addresses[s.index()].wrapping_add(offset as u64);
                Val::of(if ty.bits() == 32 { at as u32 as u128 } else { at as u128 })
            }
            ConstData::Poison => Val::any(ty),
            ConstData::Vector { start, len } => {
                let lane = |v: Value| f.constant(v).and_then(|c| self.constant(f, ty.lane(), c).bits());
                Val::Vector(f.vector_lanes(start, len).map(lane).collect())
            }
        }
    }

    fn value(&self, frame: &Frame<'_>, v: Value) -> Result<Val, Stop> {
        let f = frame.f;
        let v = f.resolve(v);
        match f.value_def(v) {
            ValueDef::Const => match f.constant(v) {
                Some(data) => Ok(frame.made_definite(v, self.constant(f, f.value_type(v), data))),
                None => Err(Stop::Undefined(format!("{v} is no constant"))),
            },
            ValueDef::Slot(s) => Ok(Val::of(frame.slots[s.index()] as u128)),
            _ => match &frame.values[v.index()] {
                Some(x) => Ok(x.clone()),
                None => Err(Stop::Undefined(format!("{v} is used before it is defined"))),
            },
        }
    }

    fn operand(&self, frame: &Frame<'_>, word: u32) -> Result<Val, Stop> {
        self.value(frame, Value(word))
    }
}

impl Frame<'_> {
    fn set(&mut self, v: Value, x: Val) {
        self.values[v.index()] = Some(self.made_definite(v, x));
    }

    /// What a value is, with definite bits if it is to have these.
    fn made_definite(&self, v: Value, x: Val) -> Val {
        let Some(seed) = self.definite.filter(|_| x.lanes().contains(&None)) else { return x };
        let ty = self.f.value_type(v);
        let any = bits_of_any(seed, v.0) & scalar::mask(ty.lane_bits());
        Val::from_lanes(ty, x.lanes().iter().map(|lane| lane.or(Some(any))).collect())
    }

    fn ty(&self, word: u32) -> Type {
        self.f.value_type(Value(word))
    }

    fn result(&mut self, i: Inst, x: Val) {
        self.set(self.f.result(i), x);
    }
}

/// The bits of a value of any kind, by its number.
fn bits_of_any(seed: u64, number: u32) -> u128 {
    let mut random = Random(seed ^ u64::from(number) << 32);
    u128::from(random.next()) << 64 | u128::from(random.next())
}

/// A definite address or length.
fn address(v: &Val) -> Result<u64, Stop> {
    match v.bits() {
        Some(n) => Ok(n as u64),
        None => Err(Stop::Undefined("an address of no definite value".into())),
    }
}
