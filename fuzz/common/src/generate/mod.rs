//! Random modules that are valid and always do the same.
//!
//! A function takes pointers to memory of known size and values of any type, and calls only functions after itself, so that
//! every call ends. What would be undefined is guarded: amounts of shifts are masked, divisors made other than 0, addresses
//! kept in bounds. Whatever goes to memory, or to another type, has no NaN but one, because sign and payload of a NaN that
//! an operation makes are open.

mod body;
mod call;
mod float;
mod funclets;
mod integer;
mod memory;
mod references;
mod shapes;
mod signature;
mod unwind;
mod value;
mod vector;

use gusset_codegen::ir::{DataObject, Function, Linkage, Module, Symbol, SymbolId, SymbolKind, Type};

use crate::platform::Platform;
use crate::source::Source;
use references::Collector;
use signature::Prototype;
use unwind::Exceptions;

/// Bytes of the memory that a function gets a pointer to, and their alignment.
pub const AREA: u32 = 256;
/// Bytes of the memory that the entry function gets.
pub const SCRATCH: u32 = 1024;
const AREA_ALIGN: u32 = 16;
/// Bytes of the module's data object.
pub const DATA: u32 = 512;

/// What all functions of a module share while they are made.
struct Shared<'s> {
    pub src: Source<'s>,
    pub platform: &'s Platform,
    pub module: Module,
    pub prototypes: Vec<Prototype>,
    /// The types from which values are made.
    pub types: Vec<Type>,
    /// The data that may be written, and the data that may not.
    pub data: SymbolId,
    pub table: SymbolId,
    /// What exceptions need, in a module that has some.
    pub exceptions: Option<Exceptions>,
    /// What collects, in a module that has references.
    pub collector: Option<Collector>,
}

/// A module for a platform and its functions; the first is the entry, of signature `void (pointer)`.
pub fn module(bytes: &[u8], platform: &Platform) -> (Module, Vec<Function>) {
    let mut src = Source::new(bytes);
    let types = types(&mut src, platform);
    let mut module = Module { source_name: "random".into(), ..Module::default() };
    let data = data(&mut module, &mut src, "data", false);
    let table = self::data(&mut module, &mut src, "table", true);
    let often = if platform.has_funclets() { 12 } else { 7 };
    let exceptions = src.chance(often).then(|| Exceptions::declare(&mut module, platform));
    let collects = !platform.abi.is_windows() && src.chance(5);
    let collector = collects.then(|| Collector::declare(&mut module, platform));
    let mut shared =
        Shared { src, platform, module, prototypes: Vec::new(), types, data, table, exceptions, collector };
    let count = 1 + shared.src.below(4) as usize;
    for k in 0..=count {
        let prototype = shared.prototype(k);
        shared.prototypes.push(prototype);
    }
    // A function that is made when the bytes are used up is short: the entry, which calls the others, comes first.
    let functions = (0..shared.prototypes.len()).map(|k| body::function(&mut shared, k)).collect();
    (shared.module, functions)
}

fn symbol(module: &mut Module, name: &str, kind: SymbolKind, linkage: Linkage) -> SymbolId {
    module.add_symbol(Symbol::new(name, kind, linkage))
}

fn data(module: &mut Module, src: &mut Source<'_>, name: &str, constant: bool) -> SymbolId {
    let linkage = src.pick(&[Linkage::Local, Linkage::Export]);
    let symbol = symbol(module, name, SymbolKind::Data, linkage);
    let (step, first) = (src.byte(), src.byte());
    let bytes = (0..DATA).map(|k| first.wrapping_add((k as u8).wrapping_mul(step)) ^ (k >> 3) as u8);
    let bytes: Vec<u8> = bytes.collect();
    module.data.push(DataObject {
        symbol,
        bytes: bytes.into(),
        size: DATA as u64,
        align: 32,
        constant,
        mergeable: false,
        relocs: Vec::new(),
    });
    symbol
}

/// A few types, so that values of one type meet, all of them such as the platform has.
fn types(src: &mut Source<'_>, platform: &Platform) -> Vec<Type> {
    let mut types = vec![Type::I32, Type::I64, Type::I1];
    let n = src.between(1, 6);
    for _ in 0..n {
        let ty = any_type(src);
        let lane = ty.lane();
        types.push(match () {
            _ if lane == Type::F80 || lane == Type::F128 && !platform.has_quad() => platform.widest_float(),
            // Rounding to `bf16` is refused there: neither processors nor GCC's library do it.
            _ if lane == Type::BF16 && platform.is_arm() => ty.with_lane(Type::F16).unwrap_or(Type::F16),
            _ if lane == Type::F16 && !platform.has_half() => ty.with_lane(Type::BF16).unwrap_or(Type::BF16),
            _ if !ty.is_vector() || lane.is_float() || ty.lane_bits() <= platform.widest() => ty,
            _ => ty.with_lane(Type::I64).unwrap_or(Type::I64),
        });
    }
    types
}

fn any_type(src: &mut Source<'_>) -> Type {
    match src.below(16) {
        0..=3 => src.pick(&[Type::I8, Type::I16, Type::I32, Type::I64]),
        4 => src.pick(&[Type::F64, Type::F32]),
        5 => src.pick(&[Type::F80, Type::F128, Type::F16, Type::BF16, Type::F64, Type::F32]),
        6 => Type::I128,
        7 | 8 => Type::int(1 + src.below(128)).unwrap_or(Type::I64),
        9..=12 => {
            let lane = src.pick(&[Type::I32, Type::F32, Type::I64, Type::F64, Type::I8, Type::I16]);
            Type::vector(lane, 128 / lane.bits()).unwrap_or(Type::I64)
        }
        _ => {
            let lane =
                src.pick(&[Type::I32, Type::F32, Type::I64, Type::F64, Type::I8, Type::I16, Type::I1, Type::I128]);
            let lanes = src.pick(&[4, 2, 8, 3, 1, 16, 5, 6, 7, 12]);
            Type::vector(lane, if lane.bits() > 64 { lanes.min(4) } else { lanes }).unwrap_or(Type::I64)
        }
    }
}

impl Shared<'_> {
    /// The type of addresses.
    pub fn pointer(&self) -> Type {
        self.platform.pointer()
    }

    pub fn some_type(&mut self) -> Type {
        let k = self.src.below(self.types.len() as u32) as usize;
        self.types[k]
    }
}
