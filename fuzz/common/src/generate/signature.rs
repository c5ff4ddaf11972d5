//! Random signatures, in terms of LLVM's types or of C's.

use std::sync::Arc;

use gusset_abi::{
    AbiType, Attrs, CType, Convention, FloatKind, LlvmScalar, LlvmStruct, LlvmType, Param, PassMode, Role, Scalar,
    Signature, Widen,
};
use gusset_codegen::ir::{Linkage, SigData, SymbolId, SymbolKind, Type};

use super::{Shared, symbol};
use crate::platform::Platform;

/// The members of a C struct: offset, type and alignment of each; its size and alignment in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    pub fields: Vec<(u32, Type, u32)>,
    pub size: u32,
    pub align: u32,
}

/// What a parameter is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Any value of the type.
    Value(Type),
    /// The address of [`AREA`](super::AREA) bytes.
    Area,
    /// The address of as many bytes, so aligned, of which the callee has a copy (`byval`).
    Copy(u32, u32),
    /// The address of an argument block of as many bytes, so aligned (`inalloca`).
    Block(u32, u32),
    /// The address of a C struct, of which the callee has a copy.
    Record(Arc<Layout>),
}

/// A function as its callers see it.
#[derive(Clone)]
pub(super) struct Prototype {
    pub symbol: SymbolId,
    pub sig: Arc<SigData>,
    /// The signature of its calls: with the unnamed arguments, if it is variadic.
    pub call_sig: Arc<SigData>,
    /// The parameters, without the address for a struct as a result.
    pub params: Vec<Kind>,
    /// Types of the unnamed arguments that every call gives it.
    pub unnamed: Vec<Type>,
    /// The struct that it gives.
    pub result: Option<Arc<Layout>>,
    /// No exception leaves it.
    pub nounwind: bool,
}

impl Prototype {
    /// Size and alignment of the argument block that it takes.
    pub fn block(&self) -> Option<(u32, u32)> {
        self.params.iter().find_map(|p| if let Kind::Block(size, align) = *p { Some((size, align)) } else { None })
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

fn c_scalar(platform: &Platform, ty: Type, signed: bool) -> Option<Scalar> {
    Some(match ty {
        Type::F16 => Scalar::Float(FloatKind::F16),
        Type::BF16 => Scalar::Float(FloatKind::BF16),
        Type::F32 => Scalar::Float(FloatKind::F32),
        Type::F64 => Scalar::Float(FloatKind::F64),
        Type::F80 if platform.long_double() == Type::F80 => Scalar::Float(FloatKind::Long),
        Type::F128 => Scalar::Float(FloatKind::F128),
        Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::I128 => Scalar::Int { bits: ty.bits() as u16, signed },
        _ => return None,
    })
}

/// The C type of values of type `ty`, if there is one.
fn c_type(platform: &Platform, ty: Type, signed: bool) -> Option<CType> {
    if ty.is_vector() {
        let ok = ty.bits() == 64 || ty.bits() == 128;
        return Some(CType::Vector { lane: c_scalar(platform, ty.lane(), signed)?, lanes: ty.lanes() })
            .filter(|_| ok && ty.lanes().is_power_of_two() && ty.lane_bits() <= 64);
    }
    match c_scalar(platform, ty, signed) {
        Some(scalar) => Some(CType::Scalar(scalar)),
        None if ty.is_int() && ty.bits() > 1 => Some(CType::BitInt { bits: ty.bits(), signed }),
        None => None,
    }
}

fn pointer() -> Param {
    Param::llvm(LlvmType::Scalar(LlvmScalar::Ptr), Attrs::default())
}

impl Shared<'_> {
    /// Declares function number `k`.
    pub fn prototype(&mut self, k: usize) -> Prototype {
        let name = format!("f{k}");
        let linkage = if k == 0 { Linkage::Export } else { self.src.pick(&[Linkage::Local, Linkage::Export]) };
        let symbol = symbol(&mut self.module, &name, SymbolKind::Function, linkage);
        if k == 0 {
            let source = Signature::c(LlvmType::Void).param(pointer());
            return self.finished(symbol, source, vec![Kind::Area], Vec::new(), None);
        }
        if k > 1 && self.src.chance(4) {
            // The same as another one, so that one may end in a call of the other.
            let other = self.src.between(1, k as u32 - 1) as usize;
            return Prototype { symbol, ..self.prototypes[other].clone() };
        }
        let often = if self.platform.has_funclets() && self.platform.is_32() { 6 } else { 2 };
        if self.src.chance(often)
            && let Some(prototype) = self.block_prototype(symbol)
        {
            return prototype;
        }
        if self.src.chance(5) { self.c_prototype(symbol) } else { self.llvm_prototype(symbol) }
    }

    fn finished(
        &mut self,
        symbol: SymbolId,
        source: Signature,
        params: Vec<Kind>,
        results: Vec<Type>,
        result: Option<Arc<Layout>>,
    ) -> Prototype {
        let abi = self.platform.classify(&source).unwrap_or_else(|e| panic!("{source:?} has no ABI: {e}"));
        let mut types: Vec<Type> =
            params.iter().map(|p| if let Kind::Value(ty) = p { *ty } else { self.pointer() }).collect();
        let aggregate_result = result.is_some();
        if aggregate_result {
            types.push(self.pointer());
        }
        let variadic = source.variadic.is_some();
        let sig = SigData { variadic, aggregate_result, ..SigData::new(types, results, abi, source) };
        let sig = Arc::new(sig);
        let nounwind = self.prototypes.is_empty() || self.src.chance(4);
        let call_sig = Arc::clone(&sig);
        let mut prototype = Prototype { symbol, call_sig, sig, params, unnamed: Vec::new(), result, nounwind };
        if variadic {
            let n = self.src.below(9);
            let widest = self.platform.long_double();
            let unnamed: Vec<Type> = (0..n)
                .map(|_| self.src.pick(&[Type::I32, Type::F64, Type::I64, Type::I32, Type::F64, Type::I128, widest]))
                .map(|ty| if ty == Type::I128 && self.platform.is_32() { Type::I64 } else { ty })
                .collect();
            if let Some(sig) = variadic_call(self.platform, &prototype, &unnamed) {
                prototype.call_sig = sig;
                prototype.unnamed = unnamed;
            }
        }
        prototype
    }

    /// A function that takes an argument block, where there are some: all else is in registers.
    fn block_prototype(&mut self, symbol: SymbolId) -> Option<Prototype> {
        let mut source = Signature::c(LlvmType::Void).param(pointer());
        source.convention = self.convention();
        // In C's conventions of 32-bit x86, what is in registers says so.
        source.params[0].attrs.in_reg = self.platform.is_i386() && self.src.chance(12);
        let size = self.src.pick(&[4, 8, 12, 16, 24, 36, 80]);
        let align = self.platform.abi.pointer_bytes();
        let role = Role::InAlloca { size: size.into() };
        let block = Param::llvm(LlvmType::Scalar(LlvmScalar::Ptr), Attrs { role, ..Attrs::default() });
        let mut params = vec![Kind::Area];
        let works =
            |shared: &Self, source: &Signature| shared.platform.classify(&source.clone().param(block.clone())).is_ok();
        if !works(self, &source) {
            return None;
        }
        for _ in 0..self.src.below(4) {
            let ty = self.some_type();
            let Some(llvm) = llvm_type(ty) else { continue };
            let in_reg = self.platform.is_i386() && ty.is_int() && self.src.chance(8);
            source.params.push(Param::llvm(llvm, Attrs { in_reg, ..Attrs::default() }));
            if !self.is_not_passed(ty, source.convention) && works(self, &source) {
                params.push(Kind::Value(ty));
            } else {
                source.params.pop();
            }
        }
        source.params.push(block);
        params.push(Kind::Block(size, align));
        let results = self.results(&mut source);
        Some(self.finished(symbol, source, params, results, None))
    }

    fn llvm_prototype(&mut self, symbol: SymbolId) -> Prototype {
        let mut source = Signature::c(LlvmType::Void).param(pointer());
        let mut params = vec![Kind::Area];
        source.convention = self.convention();
        if self.platform.classify(&source).is_err() {
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
                    if self.is_not_passed(ty, source.convention) {
                        continue;
                    }
                    (Param::llvm(llvm, self.widening(ty)), Kind::Value(ty))
                }
            };
            source.params.push(param);
            if self.platform.classify(&source).is_ok() {
                params.push(kind);
            } else {
                source.params.pop();
            }
        }
        let results = self.results(&mut source);
        if source.convention == Convention::C && self.src.chance(2) {
            source.variadic = Some(source.params.len());
            // Core registers do not take every vector.
            if self.platform.classify(&source).is_err() {
                source.variadic = None;
            }
        }
        self.finished(symbol, source, params, results, None)
    }

    fn convention(&mut self) -> Convention {
        let k = self.src.below(13);
        let own = match (self.platform.is_32(), self.platform.abi.is_windows()) {
            (false, false) if self.platform.is_aarch64() => (k == 4).then_some(Convention::VectorPcs),
            (false, false) => None,
            (true, _) if self.platform.is_arm() => match k {
                4 => Some(Convention::AapcsBase),
                5 => Some(Convention::AapcsVfp),
                _ => None,
            },
            (true, _) => match k {
                4 => Some(Convention::Stdcall),
                5 => Some(Convention::Fastcall),
                9..=11 => Some(Convention::Vectorcall),
                _ => None,
            },
            (false, true) => match k {
                4 | 11 => Some(Convention::Vectorcall),
                5 => Some(Convention::SysV64),
                _ => None,
            },
        };
        if let Some(own) = own {
            return own;
        }
        match k {
            0..=5 => Convention::C,
            6 | 7 => Convention::Fast,
            8 => Convention::Cold,
            9 => Convention::PreserveMost,
            10 => Convention::PreserveAll,
            11 => Convention::PreserveNone,
            _ => Convention::Tail,
        }
    }

    /// Values that signatures do without: Windows and 32-bit x86 pass these integers by address, for which the IR has no form that
    /// takes the value; on 32-bit x86 LLVM's own conventions pass a `fp128` in parts, which is not supported.
    fn is_not_passed(&self, ty: Type, convention: Convention) -> bool {
        let by_address = self.platform.abi.is_windows() || self.platform.is_32();
        let wide = by_address && ty.is_int() && matches!(ty.bits(), 65..=127);
        wide || self.platform.is_32() && ty.lane() == Type::F128 && convention != Convention::C
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
        if types.iter().any(|&ty| self.is_not_passed(ty, source.convention)) {
            return Vec::new();
        }
        let attrs = if n == 1 { self.widening(types[0]) } else { Attrs::default() };
        let mut fields = Vec::new();
        let mut at = 0u64;
        for &ty in &types {
            let Some(lane) = llvm_scalar(ty.lane()) else { return Vec::new() };
            let size = (ty.store_bytes() as u64).next_power_of_two();
            at = at.next_multiple_of(size.min(16));
            let scalar = LlvmType::Scalar(lane);
            let field = if ty.is_vector() { LlvmType::Vector { lane, lanes: ty.lanes() } } else { scalar };
            fields.push((at, field));
            at += size;
        }
        let ty = match (n, llvm_type(types[0])) {
            (1, Some(ty)) => ty,
            _ => {
                let size = at.next_multiple_of(16);
                LlvmType::structure(LlvmStruct { fields, packed: false, size, align: 16, record: None })
            }
        };
        source.ret = Param::llvm(ty, attrs);
        match self.platform.classify(source) {
            Ok(abi) if !matches!(abi.ret.mode, PassMode::Ignore) => types,
            _ => {
                source.ret = Param::new(LlvmType::Void);
                Vec::new()
            }
        }
    }

    fn c_prototype(&mut self, symbol: SymbolId) -> Prototype {
        let mut source = Signature::c(CType::Void).param(CType::Scalar(Scalar::Pointer));
        let mut params = vec![Kind::Area];
        for _ in 0..self.src.below(8) {
            let (param, kind) = match self.src.below(8) {
                0 => (CType::Scalar(Scalar::Pointer), Kind::Area),
                1..=3 => match self.record() {
                    Some((ty, layout)) => (ty, Kind::Record(Arc::new(layout))),
                    None => continue,
                },
                _ => {
                    let ty = self.some_type();
                    let signed = self.src.chance(8);
                    let Some(c) =
                        c_type(self.platform, ty, signed).filter(|_| !self.is_not_passed(ty, source.convention))
                    else {
                        continue;
                    };
                    (c, Kind::Value(ty))
                }
            };
            source.params.push(param.into());
            if self.platform.classify(&source).is_ok() {
                params.push(kind);
            } else {
                source.params.pop();
            }
        }
        let (mut results, mut result) = (Vec::new(), None);
        match self.src.below(4) {
            0 => {}
            1 | 2 => {
                if let Some((ty, layout)) = self.record() {
                    source.ret = ty.into();
                    result = Some(Arc::new(layout));
                }
            }
            _ => {
                let ty = self.some_type();
                if let Some(c) = c_type(self.platform, ty, false) {
                    source.ret = c.into();
                    results.push(ty);
                }
            }
        }
        if self.platform.classify(&source).is_err() {
            source.ret = CType::Void.into();
            (results, result) = (Vec::new(), None);
        }
        if self.src.chance(3) {
            source.variadic = Some(source.params.len());
        }
        self.finished(symbol, source, params, results, result)
    }

    /// A struct of up to five members.
    fn record(&mut self) -> Option<(CType, Layout)> {
        let (mut members, mut layout) = (Vec::new(), Layout { fields: Vec::new(), size: 0, align: 1 });
        let layouts = self.platform.layout();
        for _ in 0..self.src.between(1, 5) {
            let ty = match self.src.below(4) {
                0 | 1 => self.src.pick(&[Type::I32, Type::I64, Type::F64, Type::F32, Type::I8, Type::I16]),
                _ => self.some_type(),
            };
            if ty.is_vector() || ty.lane_bits() < 8 {
                continue;
            }
            let Some(scalar) = c_scalar(self.platform, ty, false) else { continue };
            let count = self.src.pick(&[1, 1, 1, 2, 3]);
            let Ok(own) = layouts.scalar(scalar) else { continue };
            let (size, align) = (own.size as u32, own.align);
            let start = layout.size.next_multiple_of(align);
            layout.fields.extend((0..count).map(|k| (start + k * size, ty, align)));
            layout.size = start + count * size;
            layout.align = layout.align.max(align);
            members.push(if count == 1 {
                CType::Scalar(scalar)
            } else {
                CType::array(CType::Scalar(scalar), count as u64)
            });
        }
        layout.size = layout.size.next_multiple_of(layout.align);
        if members.is_empty() { None } else { Some((CType::structure(members), layout)) }
    }
}

/// The signature of a call with unnamed arguments of these types; `None` if they cannot be passed so.
fn variadic_call(platform: &Platform, callee: &Prototype, extra: &[Type]) -> Option<Arc<SigData>> {
    let mut sig = SigData::clone(&callee.sig);
    for &ty in extra {
        let param: Param = match sig.source.params[0].ty {
            AbiType::C(_) => c_type(platform, ty, true)?.into(),
            AbiType::Llvm(_) => llvm_type(ty)?.into(),
        };
        sig.source.params.push(param);
        // The address for a struct comes last.
        let at = sig.params.len() - sig.aggregate_result as usize;
        sig.params.insert(at, ty);
    }
    sig.abi = platform.classify(&sig.source).ok()?;
    Some(Arc::new(sig))
}
