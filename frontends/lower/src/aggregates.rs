//! Aggregates and vectors: members and lanes, selection, values in memory.

use gusset_codegen::ir::{FunctionBuilder, MemFlags, Opcode, Type, Value};
use gusset_program::{I1, Kind, Refusal, Result, Sink, TypeId, TypeTable, Val, refuse_if};

use crate::function::{FunctionLowering, Scratch};

/// The message about an operation on an aggregate in an initializer.
pub(crate) const COMPUTED: &str = "an aggregate in a variable's initializer is not computed with";

const NO_INDEX: &str = "the index must be an integer";

/// A member of a first-class aggregate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Element {
    /// Its type.
    pub ty: TypeId,
    /// Index of its first scalar.
    scalar: u32,
}

impl Element {
    /// The whole of an aggregate.
    fn whole(ty: TypeId) -> Element {
        Element { ty, scalar: 0 }
    }

    /// Index of its first scalar in the whole aggregate.
    pub(crate) fn scalar(self) -> u32 {
        self.scalar
    }

    /// The element at `path` in an aggregate.
    pub(crate) fn at_path(types: &TypeTable, of: TypeId, path: &[u32]) -> Result<Element> {
        let found = path.iter().try_fold(Element::whole(of), |e, &i| e.member(types, i.into()));
        found.ok_or_else(|| Refusal::new("the aggregate has no such member"))
    }

    /// Member `i` of what is here, if there is one.
    fn member(self, types: &TypeTable, i: u64) -> Option<Element> {
        let (ty, scalar, _) = types.element(self.ty, i)?;
        Some(Element { ty, scalar: self.scalar + scalar })
    }
}

impl FunctionLowering<'_> {
    /// An aggregate of two scalars.
    pub(crate) fn pair(&mut self, first: Value, second: Value) -> Val {
        self.s.run([first, second])
    }

    /// The member types of a struct of two, named or not.
    pub(crate) fn pair_types(&self, ty: TypeId) -> Option<[TypeId; 2]> {
        match self.types.get(ty).kind {
            Kind::Struct { start, len: 2, packed: false } => Some([0, 1].map(|i| self.types.members(start, 2)[i].ty)),
            _ => None,
        }
    }

    /// Applies `f` to each scalar of a value, in order.
    pub(crate) fn each_part(&mut self, ty: TypeId, val: Val, mut f: impl FnMut(&mut Self, Value) -> Value) -> Val {
        if self.types.ir(ty) != Type::VOID {
            return f(self, val.value()).into();
        }
        let start = self.s.aggregates.len();
        for i in 0..self.scalars(ty) {
            let v = f(self, self.s.aggregates[val.start() + i]);
            self.s.aggregates.push(v);
        }
        Val::run(start)
    }

    /// The value that consists of some scalars of another.
    fn member_at(&self, ty: TypeId, at: usize) -> Val {
        if self.types.ir(ty) != Type::VOID { self.s.aggregates[at].into() } else { Val::run(at) }
    }

    /// `extractvalue`.
    pub(crate) fn extract_value(&mut self, val: Val, element: Element) -> Val {
        if self.contents {
            return self.extract_content(val, element);
        }
        self.member_at(element.ty, val.start() + element.scalar as usize)
    }

    /// `insertvalue`: an aggregate of type `ty` with `x` in an element of it.
    pub(crate) fn insert_value(&mut self, ty: TypeId, val: Val, element: Element, x: Val) -> Val {
        if self.contents {
            return self.insert_content(val, element, x);
        }
        let (n, start) = (self.scalars(ty), self.s.aggregates.len());
        self.s.aggregates.extend_from_within(val.start()..val.start() + n);
        self.set_member(Val::run(start), element, x);
        Val::run(start)
    }

    /// A struct or array of these members.
    pub(crate) fn aggregate(&mut self, ty: TypeId, members: &[Val]) -> Result<Val> {
        let all = self.begin_aggregate(ty)?;
        for (i, &x) in members.iter().enumerate() {
            if let Some(member) = Element::whole(ty).member(self.types, i as u64) {
                self.set_member(all, member, x);
            }
        }
        Ok(all)
    }

    /// Room for an aggregate whose members will be [set](Self::set_member).
    pub(crate) fn begin_aggregate(&mut self, ty: TypeId) -> Result<Val> {
        self.check_aggregate(ty)?;
        if self.contents {
            return Ok(self.s.no_contents(ty));
        }
        Ok(self.s.run(std::iter::repeat_n(Value(0), self.scalars(ty))))
    }

    /// Puts a member into an aggregate under construction.
    fn set_member(&mut self, aggregate: Val, element: Element, x: Val) {
        if self.contents {
            return self.set_content(aggregate, element, x);
        }
        let start = aggregate.start() + element.scalar as usize;
        for i in 0..self.scalars(element.ty) {
            self.s.aggregates[start + i] = self.part(element.ty, x, i);
        }
    }

    /// `select`.
    pub fn select(&mut self, (condition, cond): (TypeId, Val), ty: TypeId, a: Val, b: Val) -> Result<Val> {
        let (c, t) = (self.types.ir(condition), self.types.ir(ty));
        if c != Type::I1
            && self.types.is_dissolved(ty)
            && self.vector_shape(condition).map(|c| c.0) == Some(I1)
            && self.vector_shape(condition).map(|c| c.1) == self.vector_shape(ty).map(|t| t.1)
        {
            return Ok(self.select_lanes((condition, cond), ty, a, b));
        }
        if c != Type::I1 && (c.lane() != Type::I1 || !t.is_vector() || c.lanes() != t.lanes()) {
            return Err(Refusal::new("the condition must be an `i1`, or a vector of it as long as the values"));
        }
        if t != Type::VOID {
            return Ok(self.b.select(cond.value(), a.value(), b.value()).into());
        }
        self.check_aggregate(ty)?;
        refuse_if(self.contents, COMPUTED)?;
        Ok(self.choose(cond.value(), ty, a, b))
    }

    /// `first ? a : b`, scalar by scalar.
    pub(crate) fn choose(&mut self, first: Value, ty: TypeId, a: Val, b: Val) -> Val {
        let start = self.s.aggregates.len();
        for i in 0..self.scalars(ty) {
            let v = self.b.select(first, self.part(ty, a, i), self.part(ty, b, i));
            self.s.aggregates.push(v);
        }
        Val::run(start)
    }

    // Vectors.

    /// The index of a lane, unless it is beyond the end.
    fn lane_index(&mut self, vector: Type, ty: TypeId, index: Val) -> Result<Option<Value>> {
        refuse_if(self.types.get(ty).kind != Kind::Int, NO_INDEX)?;
        Ok(match self.b.func.int_constant(index.value()) {
            Some(n) if n >= vector.lanes() as u128 => None,
            Some(n) => Some(self.b.iconst(Type::I32, n as i128)),
            None => Some(index.value()),
        })
    }

    /// `extractelement`. A constant lane beyond the end gives poison.
    pub fn extract_element(&mut self, ty: TypeId, v: Val, (index, i): (TypeId, Val)) -> Result<Val> {
        if self.types.is_dissolved(ty) {
            refuse_if(self.types.get(index).kind != Kind::Int, NO_INDEX)?;
            return Ok(self.extract_from_lanes(ty, v, i));
        }
        let ir = self.b.func.value_type(v.value());
        Ok(match self.lane_index(ir, index, i)? {
            Some(i) => self.b.extract_lane(v.value(), i).into(),
            None => self.b.poison(ir.lane()).into(),
        })
    }

    /// `insertelement`.
    pub fn insert_element(&mut self, ty: TypeId, v: Val, x: Val, (index, i): (TypeId, Val)) -> Result<Val> {
        if self.types.is_dissolved(ty) {
            refuse_if(self.types.get(index).kind != Kind::Int, NO_INDEX)?;
            return Ok(self.insert_into_lanes(ty, v, x, i));
        }
        let ir = self.b.func.value_type(v.value());
        Ok(match self.lane_index(ir, index, i)? {
            Some(i) => self.b.insert_lane(v.value(), x.value(), i).into(),
            None => self.b.poison(ir).into(),
        })
    }

    /// `shufflevector` of two vectors of a type: the result's type, and the result.
    pub fn shuffle(&mut self, from: TypeId, a: Val, b: Val, mask: &[u32]) -> Result<(TypeId, Val)> {
        let ty = self.types.vector(self.lane_type(from), mask.len() as u32)?;
        if self.types.is_dissolved(from) || self.types.is_dissolved(ty) {
            return Ok((ty, self.shuffle_lanes(from, a, b, mask, ty)));
        }
        let v = self.b.shuffle(a.value(), b.value(), mask);
        match v {
            Some(v) => Ok((ty, v.into())),
            None => Err(Refusal::new("vectors of this length are not supported")),
        }
    }

    // Memory.

    /// Stores every scalar of a value.
    pub(crate) fn store_parts(&mut self, ty: TypeId, val: Val, addr: Value, align: u32, volatile: bool) -> Result<()> {
        if self.types.ir(ty) != Type::VOID {
            self.b.store(val.value(), addr, 0, MemFlags::new(align, volatile));
            return Ok(());
        }
        self.check_aggregate(ty)?;
        refuse_if(self.contents, COMPUTED)?;
        let mut leaves = std::mem::take(&mut self.s.leaves);
        leaves.clear();
        self.types.flatten(ty, 0, &mut leaves);
        let mut i = 0;
        while let Some(leaf) = leaves.get(i) {
            if leaf.shares_bytes() {
                let lanes = self.s.aggregates[val.start() + i..][..leaf.lanes as usize].to_vec();
                self.store_packed(&lanes, *leaf, addr, align, volatile)?;
                i += leaf.lanes as usize;
                continue;
            }
            let v = self.s.aggregates[val.start() + i];
            i += 1;
            let (addr, offset) = split_offset(&mut self.b, addr, leaf.offset);
            if let Some(bits) = self.wide_bits(leaf.ty) {
                let addr = self.add_constant(addr, offset.into())?;
                self.store_wide(bits, v, addr, volatile);
                continue;
            }
            let flags = MemFlags::new(align_at(align, leaf.offset), volatile);
            self.b.store(v, addr, offset, flags);
        }
        self.s.leaves = leaves;
        Ok(())
    }

    /// Loads every scalar of a value of type `ty`.
    pub(crate) fn load_parts(&mut self, ty: TypeId, addr: Value, align: u32, volatile: bool) -> Result<Val> {
        let ir = self.types.ir(ty);
        if ir != Type::VOID {
            return Ok(self.b.load(ir, addr, 0, MemFlags::new(align, volatile)).into());
        }
        self.check_aggregate(ty)?;
        refuse_if(self.contents, COMPUTED)?;
        let mut packed = Vec::new().into_iter();
        let mut failed = None;
        let val = self.each_leaf(ty, |l, leaf| {
            if leaf.shares_bytes() {
                // The first of them loads the others, too.
                if packed.len() == 0 {
                    match l.load_packed(leaf, addr, align, volatile) {
                        Ok(lanes) => packed = lanes.into_iter(),
                        Err(why) => failed = Some(why),
                    }
                }
                return packed.next().unwrap_or_default();
            }
            let (addr, offset) = split_offset(&mut l.b, addr, leaf.offset);
            if let Some(bits) = l.wide_bits(leaf.ty) {
                let loaded = l.add_constant(addr, offset.into()).and_then(|addr| l.load_wide(bits, addr, volatile));
                return loaded.unwrap_or_else(|why| {
                    failed = Some(why);
                    Value::default()
                });
            }
            l.b.load(leaf.ir, addr, offset, MemFlags::new(align_at(align, leaf.offset), volatile))
        });
        failed.map_or(Ok(val), Err)
    }
}

impl Scratch {
    /// An aggregate of these scalars.
    #[inline]
    pub(crate) fn run(&mut self, scalars: impl IntoIterator<Item = Value>) -> Val {
        let start = self.aggregates.len();
        self.aggregates.extend(scalars);
        Val::run(start)
    }
}

/// Splits an offset: what fits the instruction, and an address to which the rest is added.
pub(crate) fn split_offset(b: &mut FunctionBuilder<'_>, addr: Value, offset: u64) -> (Value, i32) {
    match i32::try_from(offset) {
        Ok(offset) => (addr, offset),
        Err(_) => {
            let c = b.ptr_const(offset as i64);
            (b.binary(Opcode::Iadd, addr, c), 0)
        }
    }
}

/// Alignment of the address `offset` bytes after one that is aligned to `align`.
pub(crate) fn align_at(align: u32, offset: u64) -> u32 {
    if offset == 0 { align } else { align.min(1 << offset.trailing_zeros().min(31)) }
}
