//! Operations of registered dialects: what a dialect sees of one, and builds.

use gusset_abi::AbiTarget;
use gusset_abi::memref::{BuiltinType, TypeConverter};
use gusset_codegen::ir::{Block, Opcode};
use gusset_program::{
    Cast, Compare, Flags, I1, Index, Kind as LlvmKind, PTR, Refusal, Result, Sink, TypeId, TypeTable, VOID, Val,
    binary_word,
};
use gusset_text::ReadError;

use crate::convert::build::Build;
use crate::convert::dialects::Fields;
use crate::convert::reader::Reader;
use crate::dialect::{ComplexParts, Conversion, MemrefDescriptor, Typed, UnrankedDescriptor};
use crate::syntax::attributes::{AttributeKind, AttributeRef, NamedAttribute};
use crate::syntax::op::{Op, Value};
use crate::syntax::op_table::TypeConstraint;
use crate::syntax::types::builtin::builtin;
use crate::syntax::types::{INDEX, Kind, Ty};

const NO_OPERAND: &str = "the operation has no such operand";
const NO_RESULT: &str = "the operation has no such result";
const TYPES: &str = "the operands of an instruction have other types than it takes";

/// The caller adds the operation's position again.
fn plain(e: ReadError) -> Refusal {
    Refusal::new(e.message())
}

fn refuse_if(is: bool, why: &'static str) -> Result<()> {
    if is { Err(Refusal::new(why)) } else { Ok(()) }
}

/// An operation at the reader.
struct Site<'a, 'r, E> {
    r: &'a mut Reader<'r, E>,
    op: &'a mut Op<'r>,
    results: Vec<Ty>,
    /// Blocks that were made here: their parameters' types, and whether they have been begun.
    blocks: Vec<(Block, Vec<TypeId>, bool)>,
}

impl<'r, E: Sink> Reader<'r, E> {
    /// Converts an operation of the dialect with this number.
    pub fn foreign(&mut self, number: u16, op: &mut Op<'r>) -> gusset_text::Result<()> {
        let m = self.m;
        let Some(dialect) = m.foreign.dialect(number) else { return Err(m.unknown(op.text, op.pos)) };
        let pos = op.pos;
        let whole = op.regions.is_empty() && op.successors.is_empty();
        self.src.refuse_if(!whole, pos, "foreign operations with regions or successors are not converted")?;
        self.src.refuse_if(self.initializing, pos, "foreign operations are not converted in initializers")?;
        let results = self.foreign_results(op)?;
        for &ty in &results {
            self.check(ty, pos)?;
        }
        let mut site = Site { r: self, op, results, blocks: Vec::new() };
        let outcome = dialect.convert(&mut site).and_then(|()| site.finish());
        outcome.map_err(|why| self.src.error(pos, why.reason()))
    }

    /// Calls the dialects that act on an operation's attributes.
    pub fn amend(&mut self, op: &mut Op<'r>) -> gusset_text::Result<()> {
        let m = self.m;
        for k in 0..op.attrs.len() {
            let NamedAttribute { name, value } = op.attrs[k];
            let pos = value.pos();
            let Some((dialect, name)) = m.foreign.dialects.of_attribute(name) else { continue };
            self.src.refuse_if(self.initializing, pos, "attributes of this dialect do not belong into initializers")?;
            let results = op.values.iter().map(|v| v.ty).collect();
            let mut site = Site { r: self, op, results, blocks: Vec::new() };
            let outcome = dialect.amend(name, &mut site).and_then(|()| site.finish());
            outcome.map_err(|why| self.src.error(pos, why.reason()))?;
        }
        Ok(())
    }

    /// The types of all results, from the text or the rule.
    fn foreign_results(&mut self, op: &Op<'r>) -> gusset_text::Result<Vec<Ty>> {
        if op.generic {
            return Ok(op.results.clone());
        }
        let mut all = Vec::new();
        for (i, &(want, many)) in op.rule.unwrap_or_default().iter().enumerate() {
            match want {
                TypeConstraint::Slot(letter) if many => all.extend_from_slice(op.slot_list(letter)),
                _ => all.push(self.result_type(op, i)?),
            }
        }
        Ok(all)
    }
}

impl<'r, E: Sink> Site<'_, 'r, E> {
    /// Checks that all results are set, and all blocks begun.
    fn finish(&self) -> Result<()> {
        let (given, wanted) = (self.op.values.len(), self.results.len());
        if given != wanted {
            return Err(Refusal::new(format!("the dialect gave {given} of the operation's {wanted} results")));
        }
        refuse_if(self.blocks.iter().any(|b| !b.2), "the dialect made a block and never began it")?;
        let over = self.blocks.iter().any(|b| b.2) && self.r.l.current_block().is_none();
        refuse_if(over, "the dialect ended the block and began no other")
    }

    fn value(&self, i: usize) -> Result<Value> {
        self.op.operands.get(i).copied().ok_or_else(|| Refusal::new(NO_OPERAND))
    }

    fn result_ty(&self, i: usize) -> Result<Ty> {
        self.results.get(i).copied().ok_or_else(|| Refusal::new(NO_RESULT))
    }

    /// Checks that instructions may be appended.
    fn open(&self) -> Result<()> {
        refuse_if(self.r.l.current_block().is_none(), "nothing may stand after the terminator of a block")
    }

    /// The type and number of a vector's lanes.
    fn lanes(&self, ty: TypeId) -> Result<(TypeId, u32)> {
        match self.r.l.types().get(ty).kind {
            LlvmKind::Vector { lane, len } => Ok((lane, len)),
            _ => Err(Refusal::new(TYPES)),
        }
    }

    fn is_int(&self, ty: TypeId) -> bool {
        matches!(self.r.l.types().get(ty).kind, LlvmKind::Int)
    }

    fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.r.l.types().get(ty).kind, LlvmKind::Ptr)
    }

    /// A descriptor's members with their types.
    fn typed(&self, fields: &Fields) -> MemrefDescriptor<Typed> {
        let of = |ty| move |&val: &Val| Typed { ty, val };
        let (pointer, index) = (of(PTR), of(self.r.t.index));
        MemrefDescriptor {
            allocated: pointer(&fields.allocated),
            aligned: pointer(&fields.aligned),
            offset: index(&fields.offset),
            sizes: fields.sizes.iter().map(index).collect(),
            strides: fields.strides.iter().map(index).collect(),
        }
    }

    /// A constant of a scalar type, or in every lane.
    fn constant(&mut self, ty: TypeId, make: impl FnOnce(&mut Self, TypeId) -> Result<Val>) -> Result<Typed> {
        self.open()?;
        let Ok((lane, _)) = self.lanes(ty) else {
            return make(self, ty).map(|val| Typed { ty, val });
        };
        let val = make(self, lane)?;
        let val = self.r.l.splat(ty, lane, val)?;
        Ok(Typed { ty, val })
    }

    /// The path to a member, and the type of what is there.
    fn member(&self, v: Typed, path: &[u64]) -> Result<(Vec<u32>, TypeId)> {
        let (mut found, mut ty) = (Vec::with_capacity(path.len()), v.ty);
        for &i in path {
            let vector = matches!(self.r.l.types().get(ty).kind, LlvmKind::Vector { .. });
            let member = if vector { None } else { self.r.l.types().element(ty, i) };
            let (Some((member, ..)), Ok(i)) = (member, u32::try_from(i)) else {
                return Err(Refusal::new("the aggregate has no such member"));
            };
            found.push(i);
            ty = member;
        }
        Ok((found, ty))
    }

    /// The arguments of an operation, and its results.
    fn args(args: &[Typed]) -> Vec<(TypeId, Val)> {
        args.iter().map(|a| (a.ty, a.val)).collect()
    }

    fn given(ret: TypeId, val: Val) -> Option<Typed> {
        (ret != VOID).then_some(Typed { ty: ret, val })
    }

    fn edge(&mut self, to: Block, args: &[Typed]) -> Result<gusset_codegen::ir::Edge> {
        let known = self.blocks.iter().find(|b| b.0 == to);
        let (_, params, _) = known.ok_or_else(|| Refusal::new("the block is none of the dialect's"))?;
        let fits = params.iter().copied().eq(args.iter().map(|a| a.ty));
        refuse_if(!fits, "the arguments are not those of the block")?;
        let edge = self.r.l.edge(to);
        for (k, arg) in args.iter().enumerate() {
            self.r.l.set_edge_arg(edge, k as u32, arg.ty, arg.val);
        }
        Ok(edge)
    }
}

impl<'r, E: Sink> Conversion for Site<'_, 'r, E> {
    fn name(&self) -> &str {
        self.op.name
    }

    fn operand_count(&self) -> usize {
        self.op.operands.len()
    }

    fn operand_type(&self, i: usize) -> Result<BuiltinType> {
        builtin(self.r.t, self.r.l.types(), self.value(i)?.ty).map_err(Refusal::new)
    }

    fn operand(&mut self, i: usize) -> Result<Typed> {
        let v = self.value(i)?;
        let (ty, val) = self.r.whole(v).map_err(plain)?;
        Ok(Typed { ty, val })
    }

    fn operand_parts(&self, i: usize) -> Result<Vec<Typed>> {
        let v = self.value(i)?;
        let part = |k| Typed { ty: self.r.t.part(v.ty, k), val: self.r.part(v, k) };
        Ok((0..self.r.t.count(v.ty)).map(part).collect())
    }

    fn memref(&mut self, i: usize) -> Result<MemrefDescriptor<Typed>> {
        let v = self.value(i)?;
        let fields = self.r.fields(v, self.op.pos).map_err(plain)?;
        Ok(self.typed(&fields))
    }

    fn unranked(&self, i: usize) -> Result<UnrankedDescriptor<Typed>> {
        match (self.r.t.own(self.value(i)?.ty), &self.operand_parts(i)?[..]) {
            (Some(Kind::Unranked { .. }), &[rank, descriptor]) => Ok(UnrankedDescriptor { rank, descriptor }),
            _ => Err(Refusal::new("an unranked memref must stand here")),
        }
    }

    fn complex(&self, i: usize) -> Result<ComplexParts<Typed>> {
        match (self.r.t.own(self.value(i)?.ty), &self.operand_parts(i)?[..]) {
            (Some(Kind::Complex(_)), &[re, im]) => Ok(ComplexParts { re, im }),
            _ => Err(Refusal::new("a complex number must stand here")),
        }
    }

    fn attribute(&self, name: &str) -> Option<&str> {
        self.r.attr(self.op, name).map(|value| value.text_with_type().unwrap_or_default())
    }

    fn integer_attribute(&self, name: &str) -> Result<Option<i64>> {
        let number = |value: AttributeRef| if value.kind() == AttributeKind::Unit { Ok(1) } else { value.integer() };
        self.r.attr(self.op, name).map(|value| number(value).map_err(plain)).transpose()
    }

    fn result_count(&self) -> usize {
        self.results.len()
    }

    fn result_type(&self, i: usize) -> Result<TypeId> {
        Ok(self.r.t.whole(self.result_ty(i)?))
    }

    fn result_parts(&self, i: usize) -> Result<Vec<TypeId>> {
        let ty = self.result_ty(i)?;
        Ok((0..self.r.t.count(ty)).map(|k| self.r.t.part(ty, k)).collect())
    }

    fn result(&mut self, i: usize) -> Result<Typed> {
        let v = self.op.values.get(i).copied().ok_or_else(|| Refusal::new(NO_RESULT))?;
        let (ty, val) = self.r.whole(v).map_err(plain)?;
        Ok(Typed { ty, val })
    }

    fn give(&mut self, i: usize, value: Typed) -> Result<()> {
        let ty = self.result_ty(i)?;
        refuse_if(self.r.t.whole(ty) != value.ty, "the dialect gave a value of another type than the result has")?;
        let v = self.r.unpack(ty, value.val);
        self.put(i, v)
    }

    fn give_parts(&mut self, i: usize, parts: &[Typed]) -> Result<()> {
        let ty = self.result_ty(i)?;
        let fits = self.result_parts(i)?.into_iter().eq(parts.iter().map(|p| p.ty));
        refuse_if(!fits, "the dialect gave values of other types than the result has")?;
        let parts: Vec<Val> = parts.iter().map(|p| p.val).collect();
        let v = self.r.value(ty, &parts);
        self.put(i, v)
    }

    fn static_memref(&mut self, i: usize, allocated: Typed, aligned: Typed) -> Result<MemrefDescriptor<Typed>> {
        refuse_if(allocated.ty != PTR || aligned.ty != PTR, TYPES)?;
        let ty = self.result_ty(i)?;
        let fields = self.r.static_fields(ty, [allocated.val, aligned.val], self.op.pos).map_err(plain)?;
        Ok(self.typed(&fields))
    }

    fn converter(&self) -> Result<TypeConverter> {
        let bits = self.r.l.types().ir(self.r.t.index).bits();
        TypeConverter::with_index_bits(&self.r.m.facts.target, bits).map_err(|e| Refusal::new(e.to_string()))
    }

    fn target(&self) -> &AbiTarget {
        &self.r.m.facts.target
    }

    fn translates(&self) -> bool {
        E::PRESERVES_METADATA
    }

    fn types(&self) -> &TypeTable {
        self.r.l.types()
    }

    fn types_mut(&mut self) -> &mut TypeTable {
        self.r.l.types_mut()
    }

    fn index(&self) -> TypeId {
        self.r.t.index
    }

    fn integer(&mut self, ty: TypeId, n: i128) -> Result<Typed> {
        self.constant(ty, |s, ty| {
            refuse_if(!s.is_int(ty), "an integer is wanted of a type that is none")?;
            Ok(s.r.l.integer(ty, n))
        })
    }

    fn float(&mut self, ty: TypeId, n: f64) -> Result<Typed> {
        self.constant(ty, |s, ty| {
            let float = matches!(s.r.l.types().get(ty).kind, LlvmKind::Float);
            refuse_if(!float, "a floating-point number is wanted of a type that is none")?;
            let bits = gusset_lower::from_f64(n.to_bits(), s.r.l.types().ir(ty));
            Ok(s.r.l.float(ty, bits))
        })
    }

    fn zero(&mut self, ty: TypeId) -> Result<Typed> {
        self.open()?;
        self.r.l.check_aggregate(ty)?;
        Ok(Typed { ty, val: self.r.l.zero_value(ty)? })
    }

    fn poison(&mut self, ty: TypeId) -> Result<Typed> {
        self.open()?;
        self.r.l.check_aggregate(ty)?;
        Ok(Typed { ty, val: self.r.l.poison_value(ty)? })
    }

    fn binary(&mut self, op: Opcode, a: Typed, b: Typed) -> Result<Typed> {
        self.open()?;
        refuse_if(binary_word(op).is_empty(), "this is no binary operator")?;
        refuse_if(a.ty != b.ty, TYPES)?;
        self.r.l.flags(Flags::default());
        Ok(Typed { ty: a.ty, val: self.r.l.binary(op, a.ty, a.val, b.val)? })
    }

    fn cast(&mut self, cast: Cast, v: Typed, to: TypeId) -> Result<Typed> {
        self.open()?;
        self.r.l.types().check_scalar(v.ty)?;
        self.r.l.types().check_scalar(to)?;
        self.r.l.flags(Flags::default());
        Ok(Typed { ty: to, val: self.r.l.cast(cast, v.ty, v.val, to)? })
    }

    fn compare(&mut self, compare: Compare, a: Typed, b: Typed) -> Result<Typed> {
        self.open()?;
        refuse_if(a.ty != b.ty, TYPES)?;
        self.r.l.types().check_scalar(a.ty)?;
        self.r.l.flags(Flags::default());
        let (ty, val) = self.r.l.compare(compare, a.ty, a.val, b.val)?;
        Ok(Typed { ty, val })
    }

    fn select(&mut self, condition: Typed, a: Typed, b: Typed) -> Result<Typed> {
        self.open()?;
        let flags = match self.lanes(condition.ty) {
            Ok((lane, len)) => lane == I1 && self.lanes(a.ty).is_ok_and(|l| l.1 == len),
            Err(_) => condition.ty == I1,
        };
        refuse_if(!flags || a.ty != b.ty, TYPES)?;
        self.r.l.flags(Flags::default());
        Ok(Typed { ty: a.ty, val: self.r.l.select((condition.ty, condition.val), a.ty, a.val, b.val)? })
    }

    fn freeze(&mut self, v: Typed) -> Result<Typed> {
        self.open()?;
        Ok(Typed { ty: v.ty, val: self.r.l.freeze(v.ty, v.val)? })
    }

    fn extract_element(&mut self, v: Typed, index: Typed) -> Result<Typed> {
        self.open()?;
        let (ty, _) = self.lanes(v.ty)?;
        refuse_if(!self.is_int(index.ty), TYPES)?;
        Ok(Typed { ty, val: self.r.l.extract_element(v.ty, v.val, (index.ty, index.val))? })
    }

    fn insert_element(&mut self, v: Typed, x: Typed, index: Typed) -> Result<Typed> {
        self.open()?;
        let (lane, _) = self.lanes(v.ty)?;
        refuse_if(lane != x.ty || !self.is_int(index.ty), TYPES)?;
        Ok(Typed { ty: v.ty, val: self.r.l.insert_element(v.ty, v.val, x.val, (index.ty, index.val))? })
    }

    fn shuffle(&mut self, a: Typed, b: Typed, lanes: &[u32]) -> Result<Typed> {
        self.open()?;
        let (_, len) = self.lanes(a.ty)?;
        let named = lanes.iter().all(|&n| n == u32::MAX || u64::from(n) < 2 * u64::from(len));
        refuse_if(a.ty != b.ty || lanes.is_empty() || !named, TYPES)?;
        let (ty, val) = self.r.l.shuffle(a.ty, a.val, b.val, lanes)?;
        Ok(Typed { ty, val })
    }

    fn extract_value(&mut self, v: Typed, path: &[u64]) -> Result<Typed> {
        self.open()?;
        let (path, _) = self.member(v, path)?;
        let (ty, val) = self.r.l.extract_value(v.ty, v.val, &path)?;
        Ok(Typed { ty, val })
    }

    fn insert_value(&mut self, v: Typed, x: Typed, path: &[u64]) -> Result<Typed> {
        self.open()?;
        let (path, member) = self.member(v, path)?;
        refuse_if(member != x.ty, TYPES)?;
        Ok(Typed { ty: v.ty, val: self.r.l.insert_value(v.ty, v.val, &path, x.val)? })
    }

    fn alloca(&mut self, ty: TypeId, count: Option<Typed>) -> Result<Typed> {
        self.open()?;
        refuse_if(!self.r.l.types().is_sized(ty) || count.is_some_and(|n| !self.is_int(n.ty)), TYPES)?;
        let index = self.r.t.index;
        let count = match count {
            Some(n) => n.val,
            None => self.r.l.integer(index, 1),
        };
        let align = self.r.l.types().preferred_align(ty);
        self.r.on_stack.stays = true;
        Ok(Typed { ty: PTR, val: self.r.l.alloca(ty, Some(count), align, false)? })
    }

    fn load(&mut self, ty: TypeId, address: Typed) -> Result<Typed> {
        self.open()?;
        refuse_if(!self.is_pointer(address.ty), TYPES)?;
        self.r.l.check_aggregate(ty)?;
        let (align, space) = (self.r.l.types().get(ty).align, TypeTable::space(address.ty).unwrap_or(0));
        Ok(Typed { ty, val: self.r.l.load(ty, address.val, align, false, space)? })
    }

    fn store(&mut self, v: Typed, address: Typed) -> Result<()> {
        self.open()?;
        refuse_if(!self.is_pointer(address.ty), TYPES)?;
        let (align, space) = (self.r.l.types().get(v.ty).align, TypeTable::space(address.ty).unwrap_or(0));
        self.r.l.store(v.ty, v.val, address.val, align, false, space)
    }

    fn address(&mut self, element: TypeId, base: Typed, index: Typed) -> Result<Typed> {
        self.open()?;
        let sized = self.r.l.types().is_sized(element);
        refuse_if(!sized || !self.is_pointer(base.ty) || !self.is_int(index.ty), TYPES)?;
        let index = Index::Value(index.ty, index.val);
        let (ty, val) = self.r.l.element_address(element, (base.ty, base.val), index)?;
        Ok(Typed { ty, val })
    }

    fn element_address(&mut self, i: usize, indices: &[Typed]) -> Result<Typed> {
        self.open()?;
        let (v, index) = (self.value(i)?, self.r.t.index);
        refuse_if(indices.iter().any(|i| i.ty != index), "an index must be of type `index`")?;
        let indices: Vec<Value> = indices.iter().map(|i| self.r.value(INDEX, &[i.val])).collect();
        let (_, val) = self.r.element_address(v, &indices, self.op.pos).map_err(plain)?;
        Ok(Typed { ty: PTR, val })
    }

    fn allocate(&mut self, element: TypeId, count: Typed, align: u32) -> Result<[Typed; 2]> {
        self.open()?;
        refuse_if(count.ty != self.r.t.index || !self.r.l.types().is_sized(element), TYPES)?;
        let pos = self.op.pos;
        let bytes = self.r.bytes_of(element, count.val, pos).map_err(plain)?;
        let (allocated, aligned) = self.r.allocate(element, bytes, align.into(), pos).map_err(plain)?;
        Ok([allocated, aligned].map(|val| Typed { ty: PTR, val }))
    }

    fn deallocate(&mut self, allocated: Typed) -> Result<()> {
        self.open()?;
        refuse_if(allocated.ty != PTR, TYPES)?;
        self.r.deallocate(allocated.val, self.op.pos).map_err(plain)
    }

    fn intrinsic(&mut self, name: &str, ret: TypeId, args: &[Typed]) -> Result<Option<Typed>> {
        self.open()?;
        let val = self.r.call_intrinsic(name, ret, &Self::args(args), self.op.pos).map_err(plain)?;
        Ok(Self::given(ret, val))
    }

    fn call(&mut self, function: &str, ret: TypeId, args: &[Typed]) -> Result<Option<Typed>> {
        self.open()?;
        let (pos, m) = (self.op.pos, self.r.m);
        if ret != VOID {
            self.r.l.check_aggregate(ret)?;
        }
        let args = Self::args(args);
        let val = match m.library_function(function) {
            Some(_) => self.r.call_library(function, ret, &args, pos).map_err(plain)?,
            None => {
                let callee = self.r.callee(function.as_bytes(), pos).map_err(plain)?.0;
                self.r.call_symbol(callee, ret, &args, pos).map_err(plain)?
            }
        };
        Ok(Self::given(ret, val))
    }

    fn block(&mut self, params: &[TypeId]) -> Result<(Block, Vec<Typed>)> {
        let block = self.r.l.create_block();
        let mut values = Vec::with_capacity(params.len());
        for &ty in params {
            self.r.l.types().check_scalar(ty)?;
            values.push(Typed { ty, val: self.r.l.append_param(block, ty).1 });
        }
        self.blocks.push((block, params.to_vec(), false));
        Ok((block, values))
    }

    fn jump(&mut self, to: Block, args: &[Typed]) -> Result<()> {
        self.open()?;
        let edge = self.edge(to, args)?;
        self.r.l.jump(edge);
        Ok(())
    }

    fn branch(&mut self, condition: Typed, then: Block, other: Block) -> Result<()> {
        self.open()?;
        refuse_if(condition.ty != I1, "the condition of a branch is an `i1`")?;
        let (then, other) = (self.edge(then, &[])?, self.edge(other, &[])?);
        self.r.l.br(condition.val, then, other);
        Ok(())
    }

    fn start(&mut self, block: Block) -> Result<()> {
        refuse_if(self.r.l.current_block().is_some(), "the block before this one has no terminator")?;
        let known = self.blocks.iter_mut().find(|b| b.0 == block && !b.2);
        known.ok_or_else(|| Refusal::new("the block is none of the dialect's, or was begun before"))?.2 = true;
        self.r.l.start_block(block);
        Ok(())
    }
}

impl<'r, E: Sink> Site<'_, 'r, E> {
    /// Takes result `i`.
    fn put(&mut self, i: usize, v: Value) -> Result<()> {
        let values = &mut self.op.values;
        refuse_if(i > values.len(), "a result before this one is missing")?;
        match values.get_mut(i) {
            Some(old) => *old = v,
            None => values.push(v),
        }
        Ok(())
    }
}
