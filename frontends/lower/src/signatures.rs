//! Signatures at LLVM's level, classified once each and looked up by structure.

use std::sync::Arc;

use gusset_abi::{
    Arch, ArgAbi, Attrs, Convention, LlvmScalar, LlvmStruct, LlvmType, Modifiers, Param, PassMode, Piece, Pieces, Role,
    Signature, Target, VaArg, Widen,
};
use gusset_codegen::ir::{Function, SigData, SigId, Type};

use crate::attributes::ParamAttrs;
use crate::hash::WordMap;
use crate::refusal::{Refusal, Result};
use crate::types::{F16, I1, Kind, Leaf, MAX_SCALARS, TypeId, TypeTable, VOID};
use crate::verify::check_parameters;

/// A function type with its attributes, as a header or a call site gives it.
#[derive(Default)]
pub struct Request {
    /// The convention.
    pub convention: Convention,
    /// The result's type, and its attributes.
    pub ret: Option<(TypeId, ParamAttrs)>,
    /// Those of the parameters.
    pub params: Vec<(TypeId, ParamAttrs)>,
    /// Of a variadic one, the number of named parameters.
    pub variadic: Option<usize>,
}

impl Request {
    pub(crate) fn clear(&mut self, convention: Convention, ret: TypeId, attrs: ParamAttrs) {
        self.convention = convention;
        self.ret = Some((ret, attrs));
        self.params.clear();
        self.variadic = None;
    }
}

struct Entry {
    data: Arc<SigData>,
    demoted: Option<u32>,
    /// Something of it is a vector of more than 16 bytes and follows a convention that other compilers know.
    wide: bool,
    /// The function in which it was last used, and its number there.
    local: (u32, SigId),
}

/// A signature that the thread has met.
#[derive(Clone, Copy)]
pub struct EntryId(usize);

/// What a caller needs to know of a signature.
pub(crate) struct Known {
    pub entry: EntryId,
    pub sig: SigId,
    /// The result does not fit the registers: the first parameter is the address that receives it, aligned to so many bytes.
    pub demoted: Option<u32>,
}

/// The signatures that a thread has met.
pub(crate) struct SigCache {
    target: Target,
    /// Numbers of entries, by what makes signatures alike.
    known: WordMap<usize>,
    entries: Vec<Entry>,
    words: Vec<u64>,
    leaves: Vec<Leaf>,
    epoch: u32,
    /// The function at hand passes wide vectors in AVX registers.
    pub avx: bool,
}

fn encode(words: &mut Vec<u64>, ty: TypeId, a: &ParamAttrs) {
    let role = match a.role {
        Role::Value => 0,
        Role::StructReturn => 1,
        Role::ByVal { .. } => 2,
        Role::InAlloca { .. } => 3,
        Role::Preallocated { .. } => 4,
        Role::Nest => 5,
        Role::SwiftSelf => 6,
        Role::SwiftError => 7,
        Role::SwiftAsync => 8,
    };
    let stack = a.stack_align.map_or(0, |n| n.trailing_zeros() as u64 + 1);
    words.push(ty.0 as u64 | (a.widen as u64) << 32 | (a.in_reg as u64) << 34 | role << 36 | stack << 40);
    match a.role {
        Role::ByVal { size, align } | Role::Preallocated { size, align } => words.extend([size, align as u64]),
        Role::InAlloca { size } => words.push(size),
        _ => {}
    }
}

/// A type as the ABI layer names it; what has no values is `void`.
pub fn llvm_type(types: &TypeTable, ty: TypeId) -> LlvmType {
    let data = types.get(ty);
    match data.kind {
        Kind::Vector { lane, len } => LlvmType::Vector { lane: scalar(types, lane), lanes: len },
        Kind::Array { element, len } => LlvmType::array(llvm_type(types, element), len),
        Kind::Struct { start, len, packed } => {
            let fields = types.members(start, len).iter().map(|m| (m.offset, llvm_type(types, m.ty))).collect();
            LlvmType::structure(LlvmStruct { fields, packed, size: data.size, align: data.align, record: None })
        }
        Kind::Void | Kind::Special | Kind::Opaque => LlvmType::Void,
        _ => LlvmType::Scalar(scalar(types, ty)),
    }
}

fn scalar(types: &TypeTable, ty: TypeId) -> LlvmScalar {
    use LlvmScalar::*;
    match types.get(ty).kind {
        Kind::Ptr => Ptr,
        Kind::Float => [Half, BFloat, Float, Double, X86Fp80, Fp128][(ty.0 - F16.0) as usize],
        _ => Int(types.ir(ty).bits()),
    }
}

const WIDE: &str = "vectors of more than 16 bytes travel in AVX registers here, which is not supported yet";

/// An aggregate that is classified as a whole although it is several parameters: the first of these, their number, itself.
type Joined = (usize, usize, Param);

/// What the convention of an aggregate says of one scalar.
fn scalar_of(arg: &ArgAbi, scalar: u16) -> ArgAbi {
    let mut own = Pieces::new();
    let mine = arg.mode.pieces().iter().filter(|p| p.scalar == scalar);
    let start = mine.clone().map(|p| p.offset).min().unwrap_or(0);
    mine.for_each(|p| own.push(Piece { offset: p.offset - start, scalar: 0, ..*p }));
    ArgAbi { mode: PassMode::Direct(own), layout: arg.layout }
}

impl SigCache {
    pub fn new(target: Target) -> SigCache {
        SigCache {
            target,
            known: WordMap::default(),
            entries: Vec::new(),
            words: Vec::new(),
            leaves: Vec::new(),
            epoch: 0,
            avx: false,
        }
    }

    /// A new function begins: signatures have no number in it yet.
    pub fn begin_function(&mut self) {
        self.epoch += 1;
    }

    /// The number of a signature in `func`. The error says why it has no ABI.
    pub fn import(&mut self, request: &Request, types: &TypeTable, func: &mut Function) -> Result<Known> {
        let entry = EntryId(self.entry(request, types)?);
        self.import_known(entry, func)
    }

    /// The same for one that is known.
    #[inline]
    pub fn import_known(&mut self, entry: EntryId, func: &mut Function) -> Result<Known> {
        let e = &mut self.entries[entry.0];
        if e.wide && self.avx {
            return Err(Refusal::new(WIDE));
        }
        if e.local.0 != self.epoch {
            e.local = (self.epoch, SigId::new(func.sigs.len()));
            func.sigs.push(Arc::clone(&e.data));
        }
        Ok(Known { entry, sig: e.local.1, demoted: e.demoted })
    }

    fn entry(&mut self, request: &Request, types: &TypeTable) -> Result<usize> {
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        words.push(request.convention as u64);
        words.push(request.variadic.map_or(0, |n| n as u64 + 1));
        let (ret, ret_attrs) = request.ret.unwrap_or((VOID, ParamAttrs::default()));
        encode(&mut words, ret, &ret_attrs);
        for (ty, a) in &request.params {
            encode(&mut words, *ty, a);
        }
        let result = match self.known.get(&words[..]) {
            Some(&n) => Ok(n),
            None => self.insert(request, types, &words),
        };
        self.words = words;
        result
    }

    fn insert(&mut self, request: &Request, types: &TypeTable, words: &[u64]) -> Result<usize> {
        check_parameters(&request.params, request.variadic, types)?;
        let (data, demoted) = self.make(request, types)?;
        let own = matches!(request.convention, Convention::Fast | Convention::Cold);
        let wide = !own
            && request.params.iter().map(|p| p.0).chain(request.ret.map(|r| r.0)).any(|ty| {
                self.leaves.clear();
                types.flatten(ty, 0, &mut self.leaves);
                self.has_wide_leaf(types)
            });
        self.known.insert(words.into(), self.entries.len());
        self.entries.push(Entry { data: Arc::new(data), demoted, wide, local: (0, SigId(0)) });
        Ok(self.entries.len() - 1)
    }

    /// Is one of the leaves at hand a vector that wider registers may hold than those here?
    fn has_wide_leaf(&self, types: &TypeTable) -> bool {
        // With MVE these are those of NEON; else they have 32 bytes or more.
        let most = if self.target.arch == Arch::Arm { 8 } else { 16 };
        // So are masks of as many lanes as an AVX register has. Others travel lane by lane.
        let wide = |ty| match types.get(ty).kind {
            Kind::Vector { lane: I1, len } => len > 16 && len.is_power_of_two(),
            Kind::Vector { .. } => types.get(ty).size > most,
            _ => false,
        };
        self.leaves.iter().any(|l| wide(l.ty))
    }

    /// How `va_arg` fetches a value of this type in a function of this convention. The error says why it cannot.
    pub fn va_arg(&mut self, convention: Convention, ty: TypeId, types: &TypeTable) -> Result<Vec<VaArg>> {
        self.leaves.clear();
        types.flatten(ty, 0, &mut self.leaves);
        if self.avx && self.has_wide_leaf(types) {
            return Err(Refusal::new(WIDE));
        }
        gusset_abi::va_arg(&self.target, convention, &llvm_type(types, ty).into())
            .map_err(|e| Refusal::new(e.to_string()))
    }

    fn make(&mut self, request: &Request, types: &TypeTable) -> Result<(SigData, Option<u32>)> {
        let (ret, ret_attrs) = request.ret.unwrap_or((VOID, ParamAttrs::default()));
        let attrs =
            |a: &ParamAttrs| Attrs { widen: a.widen, in_reg: a.in_reg, role: a.role, stack_align: a.stack_align };
        let mut params = Vec::with_capacity(request.params.len());
        let mut ir = Vec::with_capacity(request.params.len());
        let mut named = 0;
        let mut joined: Vec<Joined> = Vec::new();
        let by_leaves = matches!(self.target.arch, Arch::X86 | Arch::X86_64);
        for (i, (ty, a)) in request.params.iter().enumerate() {
            if types.get(*ty).scalars > MAX_SCALARS {
                return Err(Refusal::new(format!(
                    "argument {} is an aggregate of more than {MAX_SCALARS} scalars",
                    i + 1
                )));
            }
            self.leaves.clear();
            types.flatten(*ty, 0, &mut self.leaves);
            // `__vectorcall` deals with homogeneous aggregates as a whole, be it of a single member. LLVM takes structs for them,
            // not arrays. AArch64 and ARM keep arrays together.
            let vectorcall = request.convention == Convention::Vectorcall;
            let as_a_whole = match types.get(*ty).kind {
                Kind::Struct { .. } => !by_leaves || vectorcall && a.in_reg,
                Kind::Array { .. } => !by_leaves,
                _ => false,
            };
            if as_a_whole && !self.leaves.is_empty() {
                joined.push((params.len(), self.leaves.len(), Param::llvm(llvm_type(types, *ty), attrs(a))));
            }
            for leaf in &self.leaves {
                // The halves of an `i128` stay together only where it is the whole argument.
                let ty = match llvm_type(types, leaf.ty) {
                    whole if by_leaves && whole == LlvmType::int(128) && leaf.ty != *ty => LlvmType::array(whole, 1),
                    other => other,
                };
                params.push(Param::llvm(ty, attrs(a)));
                ir.push(leaf.ir);
            }
            if request.variadic.is_none_or(|n| i < n) {
                named = params.len();
            }
        }
        if types.get(ret).scalars > MAX_SCALARS {
            return Err(Refusal::new(format!("the result is an aggregate of more than {MAX_SCALARS} scalars")));
        }
        self.leaves.clear();
        types.flatten(ret, 0, &mut self.leaves);
        let result = if self.leaves.is_empty() { LlvmType::Void } else { llvm_type(types, ret) };
        let mut results: Vec<Type> = self.leaves.iter().map(|l| l.ir).collect();
        let ret_attrs = if results.is_empty() { Attrs::default() } else { attrs(&ret_attrs) };
        let mut source = Signature {
            convention: request.convention,
            params,
            ret: Param::llvm(result, ret_attrs),
            variadic: request.variadic.map(|_| named),
            modifiers: Modifiers::default(),
        };
        let classify = |s: &Signature, before: usize| {
            if joined.is_empty() {
                return gusset_abi::classify(&self.target, s).map_err(|e| Refusal::new(e.to_string()));
            }
            let mut together = s.clone();
            for (start, count, param) in joined.iter().rev() {
                together.variadic =
                    together.variadic.map(|named| if named > start + before { named + 1 - count } else { named });
                together.params.splice(start + before..start + before + count, [param.clone()]);
            }
            let mut abi = gusset_abi::classify(&self.target, &together).map_err(|e| Refusal::new(e.to_string()))?;
            for (start, count, _) in &joined {
                // Those before it have been taken apart already, so that it is where its first scalar will be.
                let at = start + before;
                if abi.args[at].mode.pieces().is_empty() {
                    return Err(Refusal::new("an aggregate that is passed neither in registers nor on the stack"));
                }
                let parts = (0..*count).map(|k| scalar_of(&abi.args[at], k as u16)).collect::<Vec<_>>();
                abi.args.splice(at..=at, parts);
            }
            Ok(abi)
        };
        let mut abi = classify(&source, 0)?;
        let demoted = match abi.ret.mode {
            PassMode::Indirect { align, .. } => Some(align),
            _ => None,
        };
        if demoted.is_some() {
            // A result that the registers cannot hold becomes an `sret` parameter in front of the others, as LLVM does.
            let role = Attrs { role: Role::StructReturn, widen: Widen::None, in_reg: false, stack_align: None };
            source.params.insert(0, Param::llvm(LlvmType::PTR, role));
            source.ret = Param::new(LlvmType::Void);
            source.variadic = source.variadic.map(|n| n + 1);
            ir.insert(0, types.pointer());
            results.clear();
            abi = classify(&source, 1)?;
        }
        let variadic = source.variadic.is_some();
        let data = SigData { variadic, ..SigData::new(ir, results, abi, source) };
        Ok((data.with_swift_parameters(), demoted))
    }
}
