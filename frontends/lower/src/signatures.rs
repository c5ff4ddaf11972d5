//! Signatures in LLVM's terms, classified once each and found by structure.

use std::sync::Arc;

use gusset_abi::{
    AbiTarget, Arch, ArgAbi, Attrs, Convention, Extension, FnAbi, LlvmScalar, LlvmStruct, LlvmType, Modifiers, Param,
    PassMode, Piece, Pieces, Role, Signature, VaArg, Widen,
};
use gusset_codegen::ir::{Function, SigData, SigId, Type};
use gusset_program::{
    EntryId, F16, I1, Kind, Leaf, MAX_SCALARS, ParamAttrs, Refusal, Request, Result, TypeId, TypeTable, VOID, WordMap,
};

use crate::facts::Facts;
use crate::verify::check_parameters;

struct Entry {
    data: Arc<SigData>,
    demoted: Option<u32>,
    /// It passes a vector of more than 16 bytes by a convention that other compilers share.
    wide: bool,
    /// The function in which it was last used, and its number there.
    local: (u32, SigId),
}

/// What a caller needs to know about a signature.
pub(crate) struct Known {
    pub entry: EntryId,
    pub sig: SigId,
    /// The result does not fit the registers: the first parameter is the address that receives it, with this alignment
    /// in bytes.
    pub demoted: Option<u32>,
}

/// The signatures that a thread has classified.
pub(crate) struct SigCache {
    target: AbiTarget,
    /// `fastcc` is `tailcc`.
    fast_is_tail: bool,
    /// Indexes of entries, by the words that identify a signature.
    known: WordMap<usize>,
    entries: Vec<Entry>,
    words: Vec<u64>,
    leaves: Vec<Leaf>,
    epoch: u32,
    /// The current function passes wide vectors in AVX registers.
    pub avx: bool,
    /// Calls of the current function pass vectors of `half` whole.
    pub half_vectors: bool,
    /// The same of `bfloat`.
    pub brain_vectors: bool,
    /// It has no floating-point registers: on x86, where that is each function's own matter.
    pub soft: bool,
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

/// A type in the ABI layer's terms; `void` for types without values.
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
        Kind::Ptr if TypeTable::is_other_pointer(ty) => Int(types.ir(ty).bits()),
        Kind::Ptr => Ptr,
        Kind::WideInt { bits } => Int(bits),
        Kind::Float => [Half, BFloat, Float, Double, X86Fp80, Fp128][(ty.0 - F16.0) as usize],
        _ => Int(types.ir(ty).bits()),
    }
}

/// Whether a value with wide integers has more limbs than are passed.
fn is_too_wide(types: &TypeTable, ty: TypeId) -> bool {
    types.dissolves() && types.get(ty).size > u64::from(MAX_SCALARS * types.pointer().store_bytes())
}

const WIDE: &str = "vectors of more than 16 bytes travel in AVX registers here, which is not supported yet";

/// A value that is classified as a whole although it may become several parameters: an aggregate, or a vector that is
/// passed lane by lane.
struct Joined {
    /// The first of the parameters.
    start: usize,
    /// The value itself.
    param: Param,
    /// What its scalars and vectors are in the signature.
    shapes: Vec<Shape>,
}

impl Joined {
    /// How many parameters it becomes.
    fn count(&self) -> usize {
        self.shapes.iter().map(|s| s.count()).sum()
    }

    /// How the parameters are passed, if the value as a whole is passed as `whole`.
    fn parts(&self, whole: &ArgAbi) -> Result<Vec<ArgAbi>> {
        // A vector of wider lanes, by the address of a copy.
        if let ([Shape::Promoted(_)], PassMode::Indirect { .. }) = (&self.shapes[..], &whole.mode) {
            return Ok(vec![whole.clone()]);
        }
        if whole.mode.pieces().is_empty() {
            return Err(Refusal::new("an aggregate that is passed neither in registers nor on the stack"));
        }
        let mut parts = Vec::new();
        for (i, shape) in self.shapes.iter().enumerate() {
            for pieces in shape.settled(whole.mode.pieces(), i as u16)? {
                let start = pieces.iter().map(|p| p.offset).min().unwrap_or(0);
                let own = pieces.iter().map(|p| Piece { offset: p.offset - start, scalar: 0, ..*p }).collect();
                parts.push(ArgAbi { mode: PassMode::Direct(own), layout: whole.layout });
            }
        }
        Ok(parts)
    }
}

/// What a scalar or vector is in a signature of the IR.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Itself.
    Same(Type),
    /// A vector of lanes that are wider in registers: a vector of the wider lanes.
    Promoted(Type),
    /// A vector that is passed lane by lane.
    Lanes(Type, u32),
    /// A wide integer, in limbs.
    Limbs(Type, u32),
}

impl Shape {
    /// The type of one part of it in the ABI layer's terms, where `own` is that of the lane or the value itself.
    fn part(self, own: LlvmType) -> LlvmType {
        match self {
            Shape::Promoted(ty) => LlvmType::Vector { lane: LlvmScalar::Int(ty.lane_bits()), lanes: ty.lanes() },
            Shape::Limbs(ty, _) => LlvmType::int(ty.bits()),
            _ => own,
        }
    }

    fn count(self) -> usize {
        if let Shape::Lanes(_, count) | Shape::Limbs(_, count) = self { count as usize } else { 1 }
    }

    /// The types in the signature.
    fn types(self) -> impl Iterator<Item = Type> {
        let (Shape::Same(ty) | Shape::Promoted(ty) | Shape::Lanes(ty, _) | Shape::Limbs(ty, _)) = self;
        std::iter::repeat_n(ty, self.count())
    }

    /// For each part of scalar or vector `number`, its pieces.
    fn settled(self, all: &[Piece], scalar: u16) -> Result<Vec<Vec<Piece>>> {
        let mine: Vec<Piece> = all.iter().filter(|p| p.scalar == scalar).copied().collect();
        match self {
            Shape::Same(_) => Ok(vec![mine]),
            // The lanes fill one register.
            Shape::Promoted(ty) if mine.len() == 1 => {
                let size = ty.store_bytes();
                Ok(vec![vec![Piece { size, ext: Extension::None, assume: Extension::None, ..mine[0] }]])
            }
            Shape::Promoted(_) if !mine.is_empty() => Ok(vec![mine]),
            // The bits above are undefined.
            Shape::Limbs(ty, count) if mine.len() == count as usize => {
                let whole =
                    |p: Piece| Piece { size: ty.store_bytes(), ext: Extension::None, assume: Extension::None, ..p };
                Ok(mine.into_iter().map(|p| vec![whole(p)]).collect())
            }
            Shape::Lanes(_, lanes) if !mine.is_empty() && mine.len().is_multiple_of(lanes as usize) => {
                // Some may carry nothing.
                let lane = |pieces: &[Piece]| pieces.iter().filter(|p| p.size > 0).copied().collect();
                Ok(mine.chunks(mine.len() / lanes as usize).map(lane).collect())
            }
            _ => Err(Refusal::new("a vector of lanes of this width that travels neither as a whole nor lane by lane")),
        }
    }
}

/// The vector whose first lane a leaf is, or the wide integer.
fn vector_of(types: &TypeTable, leaf: &Leaf) -> LlvmType {
    if types.is_wide(leaf.ty) {
        return llvm_type(types, leaf.ty);
    }
    LlvmType::Vector { lane: scalar(types, leaf.ty), lanes: leaf.lanes }
}

impl SigCache {
    pub fn new(facts: &Facts) -> SigCache {
        SigCache {
            target: facts.target,
            fast_is_tail: facts.defaults.guaranteed_tail_calls && facts.target.arch != Arch::Arm,
            known: WordMap::default(),
            entries: Vec::new(),
            words: Vec::new(),
            leaves: Vec::new(),
            epoch: 0,
            avx: false,
            half_vectors: false,
            brain_vectors: false,
            soft: facts.target.is_soft(),
        }
    }

    /// The target as calls of the current function see it.
    fn target(&self) -> AbiTarget {
        let mut target = if self.soft { self.target.with_soft_float() } else { self.target };
        target.features.half_vectors = self.half_vectors;
        target.features.brain_vectors = self.brain_vectors;
        target
    }

    /// Begins a new function, in which no signature has a number yet.
    pub fn begin_function(&mut self) {
        self.epoch += 1;
    }

    /// The number of a signature in `func`. The error says why it has no ABI.
    pub fn import(&mut self, request: &Request, types: &TypeTable, func: &mut Function) -> Result<Known> {
        let entry = EntryId(match self.fast_is_tail && request.convention == Convention::Fast {
            true => self.entry(&Request { convention: Convention::Tail, ..request.clone() }, types)?,
            false => self.entry(request, types)?,
        });
        self.import_known(entry, func)
    }

    /// The number of a known signature in `func`.
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

    /// What functions differ by in how they pass numbers and vectors, in bits above those of conventions.
    fn vectors(&self) -> u64 {
        u64::from(self.soft) << 63 | u64::from(self.half_vectors) << 62 | u64::from(self.brain_vectors) << 61
    }

    fn entry(&mut self, request: &Request, types: &TypeTable) -> Result<usize> {
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        words.push(request.convention as u64 | (request.preserves as u64) << 32 | self.vectors());
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
        let mut wide = false;
        for ty in request.params.iter().map(|p| p.0).chain(request.ret.map(|r| r.0)).filter(|_| !own) {
            self.leaves.clear();
            types.flatten(ty, 0, &mut self.leaves);
            wide |= self.has_wide_leaf(types);
        }
        self.known.insert(words.into(), self.entries.len());
        self.entries.push(Entry { data: Arc::new(data), demoted, wide, local: (0, SigId(0)) });
        Ok(self.entries.len() - 1)
    }

    /// Whether one of the leaves is a vector that would be passed in wider registers than are used here.
    fn has_wide_leaf(&self, types: &TypeTable) -> bool {
        // With MVE these are NEON's vectors; otherwise vectors of 32 bytes or more.
        let most = if self.target.arch == Arch::Arm { 8 } else { 16 };
        // Masks with as many lanes as an AVX register are wide, too. Other masks are passed lane by lane.
        let wide = |ty| match types.get(ty).kind {
            Kind::Vector { lane: I1, len } => len > 16 && len.is_power_of_two(),
            Kind::Vector { .. } => types.get(ty).size > most,
            _ => false,
        };
        let promoted = |l: &Leaf| {
            let of = |bits: u32| [8, 16, 32, 64].iter().any(|to| *to > l.ir.bits() && to * l.lanes == bits);
            l.lanes > 1 && (self.target.arch == Arch::Arm || !of(128) && (of(256) || of(512)))
        };
        self.leaves.iter().any(|l| wide(l.ty) || promoted(l))
    }

    /// The parts of a result in registers, as a struct if there are several.
    fn result_parts(shapes: &[Shape], leaves: &[Leaf], types: &TypeTable) -> LlvmType {
        let mut parts = Vec::new();
        let mut i = 0;
        for shape in shapes {
            parts.extend(std::iter::repeat_n(shape.part(llvm_type(types, leaves[i].ty)), shape.count()));
            i += leaves[i].lanes.max(1) as usize;
        }
        match parts.len() {
            1 => parts.remove(0),
            _ => {
                let fields = parts.into_iter().map(|ty| (0, ty)).collect();
                LlvmType::structure(LlvmStruct { fields, packed: true, size: 0, align: 1, record: None })
            }
        }
    }

    /// What a scalar or vector becomes in a signature of this convention; `leaf` is the value itself or its first lane.
    fn shape(&self, convention: Convention, leaf: &Leaf, types: &TypeTable) -> Result<Shape> {
        if let Kind::WideInt { bits } = types.get(leaf.ty).kind {
            return Ok(Shape::Limbs(leaf.ir, bits.div_ceil(leaf.ir.bits())));
        }
        if leaf.lanes == 0 {
            return Ok(Shape::Same(leaf.ir));
        }
        // Whether lanes are promoted does not depend on the other parameters.
        let alone = Signature {
            convention,
            params: vec![Param::new(vector_of(types, leaf))],
            ret: Param::new(LlvmType::Void),
            variadic: None,
            modifiers: Modifiers::default(),
        };
        let abi = gusset_abi::classify(&self.target(), &alone).map_err(|e| Refusal::new(e.to_string()))?;
        let bits = match &abi.args[0].mode {
            PassMode::Indirect { size, .. } => Some(8 * *size as u32 / leaf.lanes),
            mode => match mode.pieces() {
                [Piece { ext: Extension::Lanes { to, .. }, .. }, ..] => Some(u32::from(*to)),
                _ => None,
            },
        };
        let wide = bits.and_then(|bits| Type::vector(Type::int(bits)?, leaf.lanes));
        Ok(wide.map_or(Shape::Lanes(leaf.ir, leaf.lanes), Shape::Promoted))
    }

    /// What each scalar or vector of a value with these leaves becomes.
    fn shapes(&self, convention: Convention, leaves: &[Leaf], types: &TypeTable) -> Result<Vec<Shape>> {
        let mut shapes = Vec::new();
        let mut i = 0;
        while let Some(leaf) = leaves.get(i) {
            shapes.push(self.shape(convention, leaf, types)?);
            i += leaf.lanes.max(1) as usize;
        }
        Ok(shapes)
    }

    /// How `va_arg` fetches a value of this type in a function of this convention. The error says why it cannot.
    pub fn va_arg(&mut self, convention: Convention, ty: TypeId, types: &TypeTable) -> Result<Vec<VaArg>> {
        self.leaves.clear();
        types.flatten(ty, 0, &mut self.leaves);
        if self.avx && self.has_wide_leaf(types) {
            return Err(Refusal::new(WIDE));
        }
        gusset_abi::va_arg(&self.target(), convention, &llvm_type(types, ty).into())
            .map_err(|e| Refusal::new(e.to_string()))
    }

    /// How everything in a signature is passed, where `joined` parameters are classified as a whole, after `before`
    /// inserted ones.
    fn classify(&self, s: &Signature, joined: &[Joined], before: usize) -> Result<FnAbi> {
        let classify = |s: &Signature| gusset_abi::classify(&self.target(), s).map_err(|e| Refusal::new(e.to_string()));
        if joined.is_empty() {
            return classify(s);
        }
        let mut together = s.clone();
        for whole in joined.iter().rev() {
            let (start, count) = (whole.start + before, whole.count());
            together.variadic = together.variadic.map(|named| if named > start { named + 1 - count } else { named });
            together.params.splice(start..start + count, [whole.param.clone()]);
        }
        let mut abi = classify(&together)?;
        for whole in joined {
            // The parameters before it are split already, so that its index is that of its first scalar.
            let at = whole.start + before;
            let parts = whole.parts(&abi.args[at])?;
            abi.args.splice(at..=at, parts);
        }
        Ok(abi)
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
            if types.get(*ty).scalars > MAX_SCALARS || is_too_wide(types, *ty) {
                return Err(Refusal::new(format!("argument {i} is an aggregate of more than {MAX_SCALARS} scalars")));
            }
            self.leaves.clear();
            types.flatten(*ty, 0, &mut self.leaves);
            // `__vectorcall` treats homogeneous aggregates as a whole, even those of a single member. LLVM regards
            // structs as such, not arrays. AArch64 and ARM keep arrays together.
            let vectorcall = request.convention == Convention::Vectorcall;
            let as_a_whole = match types.get(*ty).kind {
                Kind::Struct { .. } => !by_leaves || vectorcall && a.in_reg,
                Kind::Array { .. } => !by_leaves,
                _ => false,
            };
            if as_a_whole && !self.leaves.is_empty() {
                let shapes = self.shapes(request.convention, &self.leaves, types)?;
                let param = Param::llvm(llvm_type(types, *ty), attrs(a));
                joined.push(Joined { start: params.len(), param, shapes });
            }
            let mut next = 0;
            while let Some(leaf) = self.leaves.get(next) {
                next += leaf.lanes.max(1) as usize;
                if leaf.lanes > 0 || types.is_wide(leaf.ty) {
                    let shape = self.shape(request.convention, leaf, types)?;
                    if !as_a_whole {
                        let param = Param::llvm(vector_of(types, leaf), attrs(a));
                        joined.push(Joined { start: params.len(), param, shapes: vec![shape] });
                    }
                    ir.extend(shape.types());
                    let part = shape.part(llvm_type(types, leaf.ty));
                    params.extend(std::iter::repeat_n(Param::llvm(part, attrs(a)), shape.count()));
                    continue;
                }
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
        if types.get(ret).scalars > MAX_SCALARS || is_too_wide(types, ret) {
            return Err(Refusal::new(format!("the result is an aggregate of more than {MAX_SCALARS} scalars")));
        }
        self.leaves.clear();
        types.flatten(ret, 0, &mut self.leaves);
        let result = if self.leaves.is_empty() { LlvmType::Void } else { llvm_type(types, ret) };
        let shapes = self.shapes(request.convention, &self.leaves, types)?;
        let mut results: Vec<Type> = shapes.iter().flat_map(|s| s.types()).collect();
        let ret_attrs = if results.is_empty() { Attrs::default() } else { attrs(&ret_attrs) };
        let mut source = Signature {
            convention: request.convention,
            params,
            ret: Param::llvm(result, ret_attrs),
            variadic: request.variadic.map(|_| named),
            modifiers: Modifiers { preserves: request.preserves, ..Modifiers::default() },
        };
        let mut abi = self.classify(&source, &joined, 0)?;
        let demoted = match abi.ret.mode {
            PassMode::Indirect { align, .. } => Some(align),
            _ => None,
        };
        if demoted.is_some() {
            // A result that the registers cannot hold becomes an `sret` parameter before the others, as in LLVM.
            let role = Attrs { role: Role::StructReturn, widen: Widen::None, in_reg: false, stack_align: None };
            source.params.insert(0, Param::llvm(LlvmType::PTR, role));
            source.ret = Param::new(LlvmType::Void);
            source.variadic = source.variadic.map(|n| n + 1);
            ir.insert(0, types.pointer());
            results.clear();
            abi = self.classify(&source, &joined, 1)?;
        }
        if let (PassMode::Direct(all), true) = (&abi.ret.mode, types.dissolves()) {
            let mut pieces = Pieces::new();
            let mut number = 0;
            for (i, shape) in shapes.iter().enumerate() {
                for part in shape.settled(all, i as u16)? {
                    part.iter().for_each(|p| pieces.push(Piece { scalar: number, ..*p }));
                    number += 1;
                }
            }
            abi.ret.mode = PassMode::Direct(pieces);
            source.ret.ty = Self::result_parts(&shapes, &self.leaves, types).into();
        }
        let variadic = source.variadic.is_some();
        let data = SigData { variadic, ..SigData::new(ir, results, abi, source) };
        Ok((data.with_swift_parameters(), demoted))
    }
}
