//! The two sides of a batch through Gusset's library: C signatures given as such, no C compiler in between.
//!
//! The bodies do what the C files do, see `gusset_tests::calls::c`.

use std::collections::BTreeSet;

use gusset::abi::{CType, Field, FloatKind, Layout, PassMode, Record, Scalar as CScalar, Signature as CSignature};
use gusset::ir::{Opcode, Type as IrType, Value};
use gusset::{Body, BuilderOptions, Features, Func, Linkage, ObjectBuilder, Target};
use gusset_tests::build::Mode;
use gusset_tests::calls::c::value_seed;
use gusset_tests::calls::matrix::{Side, System};
use gusset_tests::calls::model::{Aggregate, Batch, Scalar, Signature, Type};
use gusset_tests::tools::Failure;

fn failed(error: gusset::Error) -> Failure {
    Failure::new(error.to_string())
}

/// The object file of one side.
pub fn object(system: &System, batch: &Batch, seed: u64, side: Side) -> Result<Vec<u8>, Failure> {
    let features = if system.mode == Mode::X87 { Features::cpu("i686") } else { Features::default() };
    let target = Target::from_triple(system.triple, &features).map_err(failed)?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let mut types = Vec::new();
    for aggregate in &batch.aggregates {
        let made = record(aggregate, &types);
        types.push(made);
    }
    let narrow = system.mode.bits() == 32;
    let lower = Lower { seed, narrow, helpers: Helpers::declare(&mut object, batch).map_err(failed)?, types };
    for (n, signature) in batch.signatures.iter().enumerate() {
        let made = match side {
            Side::Callers => lower.caller(&mut object, n, signature),
            Side::Callees => lower.callee(&mut object, n, signature),
        };
        made.map_err(failed)?;
    }
    object.finish().map_err(failed)
}

/// The C functions that fill and check values.
struct Helpers {
    fill: Func,
    check: Func,
    wide: Func,
    aligned: Func,
    scribble: Func,
    /// Of each aggregate.
    fill_aggregate: Vec<Func>,
    check_aggregate: Vec<Func>,
}

impl Helpers {
    fn declare(object: &mut ObjectBuilder<'_>, batch: &Batch) -> Result<Helpers, gusset::Error> {
        let mut function = |name: &str, params: &[CType]| {
            let signature = params.iter().fold(CSignature::c(CType::Void), |s, ty| s.param(ty.clone()));
            object.declare(name, signature, Linkage::Import)
        };
        use CType as C;
        Ok(Helpers {
            fill: function("gt_fill", &[C::PTR, C::I32, C::I32, C::U64])?,
            check: function("gt_check", &[C::PTR, C::I32, C::I32, C::U64, C::I32])?,
            wide: function("gt_wide", &[C::I64, C::I32, C::I32, C::U64, C::I32])?,
            aligned: function("gt_aligned", &[C::PTR, C::U64, C::I32])?,
            scribble: function("gt_scribble", &[C::PTR, C::U64])?,
            fill_aggregate: (0..batch.aggregates.len())
                .map(|i| function(&format!("fill_A{i}"), &[C::PTR, C::U64]))
                .collect::<Result<_, _>>()?,
            check_aggregate: (0..batch.aggregates.len())
                .map(|i| function(&format!("check_A{i}"), &[C::PTR, C::U64, C::I32]))
                .collect::<Result<_, _>>()?,
        })
    }
}

fn scalar(s: Scalar) -> CScalar {
    match s {
        Scalar::Bool => CScalar::Bool,
        Scalar::Int { bytes, signed } => CScalar::Int { bits: 8 * u16::from(bytes), signed },
        Scalar::Pointer => CScalar::Pointer,
        Scalar::F16 => CScalar::Float(FloatKind::F16),
        Scalar::F32 => CScalar::Float(FloatKind::F32),
        Scalar::F64 => CScalar::Float(FloatKind::F64),
        Scalar::F80 => CScalar::Float(FloatKind::Long),
        Scalar::F128 => CScalar::Float(FloatKind::F128),
    }
}

/// The IR's type of a scalar.
fn value_type(s: Scalar) -> IrType {
    match s {
        Scalar::Bool | Scalar::Int { bytes: 1, .. } => IrType::I8,
        Scalar::Int { bytes: 2, .. } => IrType::I16,
        Scalar::Int { bytes: 4, .. } => IrType::I32,
        Scalar::Int { bytes: 8, .. } | Scalar::Pointer => IrType::I64,
        Scalar::Int { .. } => IrType::I128,
        Scalar::F16 => IrType::F16,
        Scalar::F32 => IrType::F32,
        Scalar::F64 => IrType::F64,
        Scalar::F80 => IrType::F80,
        Scalar::F128 => IrType::F128,
    }
}

/// The number of a kind in `calls.h`.
fn kind(s: Scalar) -> i128 {
    match s {
        Scalar::Bool => 0,
        Scalar::Int { bytes: 1, .. } => 1,
        Scalar::Int { bytes: 2, .. } => 2,
        Scalar::Int { bytes: 4, .. } => 3,
        Scalar::Int { bytes: 8, .. } | Scalar::Pointer => 4,
        Scalar::Int { .. } => 5,
        Scalar::F16 => 6,
        Scalar::F32 => 7,
        Scalar::F64 => 8,
        Scalar::F80 => 9,
        Scalar::F128 => 10,
    }
}

/// The library's type of a model's type, given those of the aggregates before it.
fn c_type(ty: &Type, aggregates: &[CType]) -> CType {
    match ty {
        Type::Scalar(s) => CType::Scalar(scalar(*s)),
        Type::Complex(s) => CType::Complex(scalar(*s)),
        Type::Vector(s, bytes) => CType::Vector { lane: scalar(*s), lanes: bytes / s.size() },
        Type::Aggregate(i) => aggregates[*i].clone(),
        Type::Array(element, count) => CType::array(c_type(element, aggregates), (*count).into()),
    }
}

fn record(aggregate: &Aggregate, before: &[CType]) -> CType {
    let fields = aggregate.fields.iter().map(|f| Field {
        bits: f.bits,
        named: f.named,
        align: f.align,
        ..Field::new(c_type(&f.ty, before))
    });
    let mut record =
        if aggregate.is_union { Record::union(fields.collect()) } else { Record::structure(fields.collect()) };
    if aggregate.packed {
        record = record.packed();
    }
    if let Some(align) = aggregate.align {
        record = record.aligned(align);
    }
    CType::record(record)
}

/// The library's form of a signature.
fn c_signature(signature: &Signature, types: &[CType]) -> CSignature {
    use gusset::abi::Convention;
    let result = signature.result.as_ref().map_or(CType::Void, |ty| c_type(ty, types));
    let made = signature.params.iter().fold(CSignature::c(result), |s, ty| s.param(c_type(ty, types)));
    let mut made = if signature.variable.is_some() { made.ellipsis() } else { made };
    match signature.convention {
        None => {}
        Some("stdcall") => made.convention = Convention::Stdcall,
        Some("fastcall") => made.convention = Convention::Fastcall,
        Some("thiscall") => made.convention = Convention::Thiscall,
        Some("ms_abi") => made.convention = Convention::Win64,
        Some("sysv_abi") => made.convention = Convention::SysV64,
        Some("aarch64_vector_pcs") => made.convention = Convention::VectorPcs,
        Some("vectorcall") => made.convention = Convention::Vectorcall,
        Some("regparm(1)") => made.modifiers.regparm = 1,
        Some("regparm(2)") => made.modifiers.regparm = 2,
        Some("regparm(3)") => made.modifiers.regparm = 3,
        Some("sseregparm") => made.modifiers.sse_regparm = true,
        Some(other) => unreachable!("a convention that is not made: {other}"),
    }
    made
}

/// The signatures of `vectorcall` that have a record of up to 16 bytes on the stack.
pub fn short_copies(triple: &str, batch: &Batch) -> Result<BTreeSet<usize>, Failure> {
    let wrong = |e: &dyn std::fmt::Display| Failure::new(e.to_string());
    let target = gusset::abi::AbiTarget::from_triple(triple, Default::default()).map_err(|e| wrong(&e))?;
    let mut types = Vec::new();
    for aggregate in &batch.aggregates {
        let made = record(aggregate, &types);
        types.push(made);
    }
    let mut found = BTreeSet::new();
    for (i, signature) in batch.signatures.iter().enumerate().filter(|(_, s)| s.convention == Some("vectorcall")) {
        let abi = gusset::abi::classify(&target, &c_signature(signature, &types)).map_err(|e| wrong(&e))?;
        if abi.args.iter().any(|arg| matches!(arg.mode, PassMode::StackCopy { size: ..=16, .. })) {
            found.insert(i);
        }
    }
    Ok(found)
}

struct Lower {
    seed: u64,
    /// Pointers have 32 bits.
    narrow: bool,
    helpers: Helpers,
    types: Vec<CType>,
}

impl Lower {
    fn c(&self, ty: &Type) -> CType {
        c_type(ty, &self.types)
    }

    fn kind(&self, s: Scalar) -> i128 {
        kind(if self.narrow && s == Scalar::Pointer { Scalar::Int { bytes: 4, signed: false } } else { s })
    }

    fn signature(&self, signature: &Signature) -> CSignature {
        c_signature(signature, &self.types)
    }

    /// The type of a value that is not given by its address.
    fn direct(&self, ty: &Type) -> Option<IrType> {
        match ty {
            Type::Scalar(Scalar::Pointer) if self.narrow => Some(IrType::I32),
            Type::Scalar(s) => Some(value_type(*s)),
            Type::Vector(s, bytes) => IrType::vector(value_type(*s), bytes / s.size()),
            _ => None,
        }
    }

    /// Leaves in a row, and their scalar; `None` for an aggregate.
    fn leaves(ty: &Type) -> Option<(Scalar, u32)> {
        match ty {
            Type::Scalar(s) => Some((*s, 1)),
            Type::Complex(s) => Some((*s, 2)),
            Type::Vector(s, bytes) => Some((*s, bytes / s.size())),
            Type::Aggregate(_) | Type::Array(..) => None,
        }
    }

    /// Calls what fills the value at an address.
    fn fill(&self, b: &mut Body<'_, '_>, ty: &Type, at: Value, seed: u64) {
        let seed = b.iconst(IrType::I64, seed.into());
        match (Self::leaves(ty), ty) {
            (Some((s, count)), _) => {
                let (k, n) = (b.iconst(IrType::I32, self.kind(s)), b.iconst(IrType::I32, count.into()));
                b.call(self.helpers.fill, &[at, k, n, seed]);
            }
            (None, Type::Aggregate(i)) => drop(b.call(self.helpers.fill_aggregate[*i], &[at, seed])),
            (None, _) => unreachable!("an array is not a parameter or result"),
        }
    }

    /// Calls what checks the value at an address.
    fn check(&self, b: &mut Body<'_, '_>, ty: &Type, at: Value, seed: u64, place: usize) {
        let (seed, place) = (b.iconst(IrType::I64, seed.into()), b.iconst(IrType::I32, place as i128));
        match (Self::leaves(ty), ty) {
            (Some((s, count)), _) => {
                let (k, n) = (b.iconst(IrType::I32, self.kind(s)), b.iconst(IrType::I32, count.into()));
                b.call(self.helpers.check, &[at, k, n, seed, place]);
            }
            (None, Type::Aggregate(i)) => drop(b.call(self.helpers.check_aggregate[*i], &[at, seed, place])),
            (None, _) => unreachable!("an array is not a parameter or result"),
        }
    }

    /// Puts a value that arrived into memory, widens it on the way if it is a small integer; gives the address.
    fn received(&self, b: &mut Body<'_, '_>, ty: &Type, v: Value, seed: u64, place: usize) -> Value {
        if self.direct(ty).is_none() {
            return v;
        }
        let at = b.local(&self.c(ty));
        b.store(v, at, 0);
        if let Type::Scalar(s @ (Scalar::Bool | Scalar::Int { bytes: 1 | 2 | 4, .. })) = ty {
            let signed = matches!(s, Scalar::Int { signed: true, .. });
            let wide = b.convert(if signed { Opcode::Sext } else { Opcode::Zext }, v, IrType::I64);
            let (k, sign) = (b.iconst(IrType::I32, kind(*s)), b.iconst(IrType::I32, signed.into()));
            let (seed, place) = (b.iconst(IrType::I64, seed.into()), b.iconst(IrType::I32, place as i128));
            b.call(self.helpers.wide, &[wide, k, sign, seed, place]);
        }
        at
    }

    /// Checks argument `i` of signature `n` that arrived as `v`, and spoils it.
    fn argument(&self, b: &mut Body<'_, '_>, n: usize, i: usize, ty: &Type, layout: Layout, v: Value) {
        let (seed, place) = (value_seed(self.seed, n, i + 1), i + 1);
        let at = self.received(b, ty, v, seed, place);
        self.check(b, ty, at, seed, place);
        let (align, size) = (b.iconst(IrType::I64, layout.align.into()), b.iconst(IrType::I64, layout.size.into()));
        let place = b.iconst(IrType::I32, place as i128);
        b.call(self.helpers.aligned, &[at, align, place]);
        b.call(self.helpers.scribble, &[at, size]);
    }

    /// The function `f_N`.
    fn callee(&self, object: &mut ObjectBuilder<'_>, n: usize, signature: &Signature) -> Result<(), gusset::Error> {
        let arguments = signature.params.iter().chain(signature.variable.iter().flatten());
        let layouts = arguments.map(|ty| object.layout(&self.c(ty))).collect::<Result<Vec<_>, _>>()?;
        let function = object.declare(&format!("f_{n}"), self.signature(signature), Linkage::Export)?;
        object.define(function, |b| {
            for (i, ty) in signature.params.iter().enumerate() {
                let v = b.param(i);
                self.argument(b, n, i, ty, layouts[i], v);
            }
            let named = signature.params.len();
            if let Some(unnamed) = &signature.variable {
                // Every other function walks a copy of its list.
                let start = b.va_start();
                let list = if n.is_multiple_of(2) { start } else { b.va_copy(start) };
                for (i, ty) in unnamed.iter().enumerate().map(|(i, ty)| (named + i, ty)) {
                    let v = b.va_arg(list, &self.c(ty));
                    self.argument(b, n, i, ty, layouts[i], v);
                }
            }
            let result = signature.result.as_ref().map(|ty| {
                let at = b.local(&self.c(ty));
                self.fill(b, ty, at, value_seed(self.seed, n, 0));
                match self.direct(ty) {
                    Some(value) => b.load(value, at, 0),
                    None => at,
                }
            });
            b.ret(result);
        })
    }

    /// The function `call_N`.
    fn caller(&self, object: &mut ObjectBuilder<'_>, n: usize, signature: &Signature) -> Result<(), gusset::Error> {
        let c_signature = self.signature(signature);
        let callee = object.declare(&format!("f_{n}"), c_signature.clone(), Linkage::Import)?;
        let caller = object.declare(&format!("call_{n}"), CSignature::c(CType::Void), Linkage::Export)?;
        object.define(caller, |b| {
            let all: Vec<&Type> = signature.params.iter().chain(signature.variable.iter().flatten()).collect();
            let mut places = Vec::new();
            for (i, ty) in all.iter().enumerate() {
                let at = b.local(&self.c(ty));
                self.fill(b, ty, at, value_seed(self.seed, n, i + 1));
                places.push(at);
            }
            let mut arguments = Vec::new();
            for (ty, &at) in all.iter().zip(&places) {
                arguments.push(match self.direct(ty) {
                    Some(value) => b.load(value, at, 0),
                    None => at,
                });
            }
            let named = signature.params.len();
            let result = if signature.variable.is_some() {
                let unnamed = all[named..].iter().zip(&arguments[named..]);
                let unnamed: Vec<(CType, Value)> = unnamed.map(|(ty, v)| (self.c(ty), *v)).collect();
                b.call_variadic(callee, &arguments[..named], &unnamed)
            } else if n % 4 == 3 {
                let address = b.address(callee);
                b.call_address(address, c_signature, &arguments)
            } else {
                b.call(callee, &arguments)
            };
            if let (Some(ty), Some(v)) = (&signature.result, result) {
                let seed = value_seed(self.seed, n, 0);
                let at = self.received(b, ty, v, seed, 0);
                self.check(b, ty, at, seed, 0);
            }
            for (i, (ty, &at)) in all.iter().zip(&places).enumerate() {
                self.check(b, ty, at, value_seed(self.seed, n, i + 1), 100 + i + 1);
            }
            b.ret(None);
        })
    }
}
