//! Random modules that are valid and always do the same.
//!
//! A function takes pointers to memory of known size and values of any type, and calls only functions after itself, so that
//! every call ends. What would be undefined is guarded: amounts of shifts are masked, divisors made other than 0, addresses
//! kept in bounds. Whatever goes to memory, or to another type, has no NaN but one, because sign and payload of a NaN that
//! an operation makes are open.

mod body;
mod float;
mod integer;
mod memory;
mod value;
mod vector;

use std::sync::Arc;

use gusset_abi::{
    AbiError, Attrs, Convention, FnAbi, Leaf, LlvmScalar, LlvmType, Param, PassMode, Role, Signature, Target, Widen,
    classify,
};
use gusset_codegen::ir::{
    DataObject, Function, Linkage, Module, SigData, Symbol, SymbolId, SymbolKind, Type, Visibility,
};

use crate::source::Source;

/// Bytes of the memory that a function gets a pointer to, and their alignment.
pub const AREA: u32 = 256;
/// Bytes of the memory that the entry function gets.
pub const SCRATCH: u32 = 1024;
const AREA_ALIGN: u32 = 16;
/// Bytes of the module's data object.
pub const DATA: u32 = 512;

/// What a parameter is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Any value of the type.
    Value(Type),
    /// The address of [`AREA`] bytes.
    Area,
    /// The address of as many bytes, so aligned, of which the callee has a copy (`byval`).
    Copy(u32, u32),
}

/// A function as its callers see it.
#[derive(Clone)]
pub(crate) struct Prototype {
    pub symbol: SymbolId,
    pub sig: Arc<SigData>,
    pub params: Vec<Kind>,
}

/// What all functions of a module share while they are made.
pub(crate) struct Shared<'s> {
    pub src: Source<'s>,
    pub module: Module,
    pub prototypes: Vec<Prototype>,
    /// The types from which values are made.
    pub types: Vec<Type>,
    /// The data that may be written, and the data that may not.
    pub data: SymbolId,
    pub table: SymbolId,
}

/// A module and its functions; the first is the entry, of signature `void (pointer)`.
pub fn module(bytes: &[u8]) -> (Module, Vec<Function>) {
    let mut src = Source::new(bytes);
    let types = types(&mut src);
    let mut module = Module { source_name: "random".into(), ..Module::default() };
    let data = data(&mut module, &mut src, "data", false);
    let table = self::data(&mut module, &mut src, "table", true);
    let mut shared = Shared { src, module, prototypes: Vec::new(), types, data, table };
    let count = 1 + shared.src.below(4) as usize;
    for k in 0..=count {
        let prototype = shared.prototype(k);
        shared.prototypes.push(prototype);
    }
    // A function that is made when the bytes are used up is short: the entry, which calls the others, comes first.
    let functions = (0..shared.prototypes.len()).map(|k| body::function(&mut shared, k)).collect();
    (shared.module, functions)
}

/// The signature's ABI on the target for which random programs are.
///
/// # Errors
/// It has none.
pub fn abi(signature: &Signature) -> Result<FnAbi, AbiError> {
    classify(&Target::X86_64_LINUX, signature)
}

fn symbol(module: &mut Module, name: &str, kind: SymbolKind, linkage: Linkage) -> SymbolId {
    module.add_symbol(Symbol {
        name: name.into(),
        kind,
        linkage,
        visibility: Visibility::Default,
        dso_local: linkage == Linkage::Local,
        no_plt: false,
        section: None,
        align: 0,
        comdat: None,
    })
}

fn data(module: &mut Module, src: &mut Source<'_>, name: &str, constant: bool) -> SymbolId {
    let linkage = src.pick(&[Linkage::Local, Linkage::Export]);
    let symbol = symbol(module, name, SymbolKind::Data, linkage);
    let (step, first) = (src.byte(), src.byte());
    let bytes = (0..DATA).map(|k| first.wrapping_add((k as u8).wrapping_mul(step)) ^ (k >> 3) as u8).collect();
    module.data.push(DataObject {
        symbol,
        bytes,
        size: DATA as u64,
        align: 32,
        constant,
        mergeable: false,
        relocs: Vec::new(),
    });
    symbol
}

/// A few types, so that values of one type meet.
fn types(src: &mut Source<'_>) -> Vec<Type> {
    let mut types = vec![Type::I32, Type::I64, Type::I1];
    let n = src.between(1, 6);
    for _ in 0..n {
        let ty = any_type(src);
        types.push(ty);
    }
    types
}

fn any_type(src: &mut Source<'_>) -> Type {
    match src.below(16) {
        0..=3 => src.pick(&[Type::I8, Type::I16, Type::I32, Type::I64]),
        4 | 5 => src.pick(&[Type::F64, Type::F32]),
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

fn llvm_scalar(ty: Type) -> Option<LlvmScalar> {
    Some(match ty {
        Type::F16 => LlvmScalar::Half,
        Type::BF16 => LlvmScalar::BFloat,
        Type::F32 => LlvmScalar::Float,
        Type::F64 => LlvmScalar::Double,
        Type::F80 => LlvmScalar::X86Fp80,
        Type::F128 => LlvmScalar::Fp128,
        _ if ty.is_int() => LlvmScalar::Int(ty.bits()),
        _ => return None,
    })
}

fn llvm_type(ty: Type) -> Option<LlvmType> {
    let lane = llvm_scalar(ty.lane())?;
    Some(if ty.is_vector() { LlvmType::Vector { lane, lanes: ty.lanes() } } else { LlvmType::Scalar(lane) })
}

impl Shared<'_> {
    pub fn some_type(&mut self) -> Type {
        let k = self.src.below(self.types.len() as u32) as usize;
        self.types[k]
    }

    fn prototype(&mut self, k: usize) -> Prototype {
        let name = format!("f{k}");
        let linkage = if k == 0 { Linkage::Export } else { self.src.pick(&[Linkage::Local, Linkage::Export]) };
        let symbol = symbol(&mut self.module, &name, SymbolKind::Function, linkage);
        let pointer = || Param::llvm(LlvmType::Scalar(LlvmScalar::Ptr), Attrs::default());
        let mut source = Signature::c(LlvmType::Void).param(pointer());
        let mut params = vec![Kind::Area];
        let mut results = Vec::new();
        if k > 0 {
            source.convention = self.convention();
            if abi(&source).is_err() {
                source.convention = Convention::C;
            }
            for _ in 0..self.src.below(10) {
                let (param, kind) = match self.src.below(12) {
                    0 => (pointer(), Kind::Area),
                    1 => {
                        let size = 1 + self.src.below(70);
                        let align = self.src.pick(&[8, 16, 4]);
                        let role = Role::ByVal { size: size as u64, align };
                        let attrs = Attrs { role, ..Attrs::default() };
                        (Param::llvm(LlvmType::Scalar(LlvmScalar::Ptr), attrs), Kind::Copy(size, align))
                    }
                    _ => {
                        let ty = self.some_type();
                        let Some(llvm) = llvm_type(ty) else { continue };
                        (Param::llvm(llvm, self.widening(ty)), Kind::Value(ty))
                    }
                };
                source.params.push(param);
                if abi(&source).is_ok() {
                    params.push(kind);
                } else {
                    source.params.pop();
                }
            }
            results = self.results(&mut source);
        }
        let abi = abi(&source).unwrap_or_else(|e| panic!("{source:?} has no ABI: {e}"));
        let types = params.iter().map(|p| if let Kind::Value(ty) = p { *ty } else { Type::I64 }).collect();
        let sig = SigData { params: types, results, variadic: false, aggregate_result: false, abi, source, split: 0 };
        Prototype { symbol, sig: Arc::new(sig), params }
    }

    fn convention(&mut self) -> Convention {
        match self.src.below(12) {
            0..=5 => Convention::C,
            6 | 7 => Convention::Fast,
            8 => Convention::Cold,
            9 => Convention::PreserveMost,
            10 => Convention::PreserveAll,
            _ => Convention::Tail,
        }
    }

    fn widening(&mut self, ty: Type) -> Attrs {
        let widen = if ty.is_int() && ty.bits() < 32 {
            self.src.pick(&[Widen::None, Widen::Zero, Widen::Sign])
        } else {
            Widen::None
        };
        Attrs { widen, ..Attrs::default() }
    }

    /// Gives the signature a result that is not in memory; the types of its scalars.
    fn results(&mut self, source: &mut Signature) -> Vec<Type> {
        let n = self.src.pick(&[1, 0, 1, 2, 1, 3]);
        if n == 0 {
            return Vec::new();
        }
        let types: Vec<Type> = (0..n).map(|_| self.some_type()).collect();
        let attrs = if n == 1 { self.widening(types[0]) } else { Attrs::default() };
        let mut leaves = Vec::new();
        let mut at = 0u64;
        for &ty in &types {
            let Some(lane) = llvm_scalar(ty.lane()) else { return Vec::new() };
            let size = (ty.store_bytes() as u64).next_power_of_two();
            at = at.next_multiple_of(size.min(16));
            leaves.push(Leaf { lane, lanes: ty.is_vector().then(|| ty.lanes()), offset: at });
            at += size;
        }
        let ty = match (n, llvm_type(types[0])) {
            (1, Some(ty)) => ty,
            _ => LlvmType::aggregate(leaves, at.next_multiple_of(16), 16),
        };
        source.ret = Param::llvm(ty, attrs);
        match abi(source) {
            Ok(abi) if matches!(abi.ret.mode, PassMode::Direct(_)) => types,
            _ => {
                source.ret = Param::new(LlvmType::Void);
                Vec::new()
            }
        }
    }
}
