//! Address arithmetic: `getelementptr`.

use gusset_codegen::ir::{ConstData, FunctionBuilder, Opcode, Type, Value};
use gusset_program::{Cast, Index, Kind, PTR, Refusal, Result, TypeId, TypeTable, Val, refuse_if};

use crate::constants::splat_constant;
use crate::function::FunctionLowering;

/// The address that a `getelementptr` has reached so far.
struct Address {
    /// The type of the base.
    base: TypeId,
    v: Value,
    /// The type that the next index selects an element of.
    ty: TypeId,
    /// Offset in bytes that has not been added yet.
    offset: i64,
    /// No index has come yet.
    first: bool,
    /// Number of lanes, if it is a vector of addresses.
    lanes: Option<u32>,
}

impl Address {
    /// Applies an index that is a constant.
    #[inline]
    fn constant_index(&mut self, l: &FunctionLowering, n: i64) -> Result<()> {
        if !self.first
            && let Kind::Struct { .. } = l.types.get(self.ty).kind
        {
            let Some((member, _, at)) = u64::try_from(n).ok().and_then(|n| l.types.element(self.ty, n)) else {
                return Err(Refusal::new("the struct has no such member"));
            };
            self.ty = member;
            self.offset = self.offset.wrapping_add(at as i64);
            return Ok(());
        }
        let scale = self.scale(l)?;
        self.offset = self.offset.wrapping_add(n.wrapping_mul(scale as i64));
        Ok(())
    }

    /// The size of what the next index counts: for the first index whole objects, for the others elements of the type.
    #[inline]
    fn scale(&mut self, l: &FunctionLowering) -> Result<u64> {
        if !std::mem::take(&mut self.first) {
            self.ty = match l.types.get(self.ty).kind {
                Kind::Array { element, .. } => element,
                Kind::Vector { lane, .. } => lane,
                Kind::Struct { .. } => return Err(Refusal::new("the member of a struct must be a constant")),
                _ => return Err(Refusal::new("the type has no elements")),
            };
        }
        Ok(l.types.get(self.ty).size)
    }

    /// Applies an index of type `ty`.
    #[inline]
    fn index(&mut self, l: &mut FunctionLowering, ty: TypeId, val: Val) -> Result<()> {
        let v = match l.types.get(ty).kind {
            Kind::Int => val.value(),
            Kind::Vector { lane, len } if l.types.get(lane).kind == Kind::Int => {
                refuse_if(self.lanes.is_some_and(|n| n != len), "the vectors of the address have different lengths")?;
                self.lanes = Some(len);
                let val = if l.types.is_dissolved(ty) { l.as_offsets(ty, val)? } else { val };
                return match splat_of(&l.b, val.value()) {
                    Some(n) => self.constant_index(l, n),
                    None => self.vector_index(l, val.value()),
                };
            }
            _ => return Err(Refusal::new("an index must be an integer")),
        };
        match l.b.func.int_constant_signed(v) {
            Some(n) => self.constant_index(l, n),
            None => self.scalar_index(l, v),
        }
    }

    fn scalar_index(&mut self, l: &mut FunctionLowering, i: Value) -> Result<()> {
        let scale = self.scale(l)?;
        l.check_unfrozen()?;
        let i = l.at_pointer_width(i, true)?;
        if self.lanes.is_none() && scale <= i32::MAX as u64 {
            if scale != 0 {
                self.v = l.b.index(self.v, i, scale as i32);
            }
        } else {
            let c = l.b.ptr_const(scale as i64);
            let i = l.b.binary(Opcode::Imul, i, c);
            self.v = l.add_lanes(self.v, i, self.lanes);
        }
        Ok(())
    }

    fn vector_index(&mut self, l: &mut FunctionLowering, i: Value) -> Result<()> {
        let scale = self.scale(l)?;
        l.check_unfrozen()?;
        self.v = l.add_vector(self.v, i, scale, self.lanes.unwrap_or(1))?;
        Ok(())
    }

    /// The address, and its type.
    #[inline]
    fn finish(self, l: &mut FunctionLowering) -> Result<(TypeId, Val)> {
        let Some(len) = self.lanes else {
            return Ok((self.base, l.add_constant(self.v, self.offset)?.into()));
        };
        let mut v = self.v;
        let ty = l.types.vector(l.lane_type(self.base), len)?;
        let ir = l.types.ir(ty);
        if !l.b.func.value_type(v).is_vector() {
            l.check_unfrozen()?;
            v = l.b.convert(Opcode::Splat, v, ir);
        }
        if self.offset != 0 {
            l.check_unfrozen()?;
            let c = l.b.ptr_const(self.offset);
            let c = splat_constant(&mut l.b, ir, c);
            v = l.b.binary(Opcode::Iadd, v, c);
        }
        Ok((ty, v.into()))
    }
}

impl FunctionLowering<'_> {
    /// `getelementptr`: the type of the address, and the address.
    #[inline]
    pub(crate) fn element_address(
        &mut self,
        ty: TypeId,
        (base, val): (TypeId, Val),
        indices: &[Index],
    ) -> Result<(TypeId, Val)> {
        let mut lanes = None;
        if base != PTR {
            refuse_if(!self.types.is_pointer_or_vector(base), "addresses are counted from pointers")?;
            refuse_if(self.types.is_dissolved(base), "a vector of so many addresses is not supported")?;
            if TypeTable::is_other_pointer(self.lane_type(base)) {
                return self.other_element_address(ty, (base, val), indices);
            }
            if let Kind::Vector { len, .. } = self.types.get(base).kind {
                lanes = Some(len);
            }
        }
        let mut address = Address { base, v: val.value(), ty, offset: 0, first: true, lanes };
        for index in indices {
            match *index {
                Index::Number(_, n) => address.constant_index(self, n)?,
                Index::Value(ty, val) => address.index(self, ty, val)?,
            }
        }
        address.finish(self)
    }

    /// The same of pointers of another width: the offset counts from null, and is converted to that width.
    #[cold]
    fn other_element_address(
        &mut self,
        ty: TypeId,
        (base, val): (TypeId, Val),
        indices: &[Index],
    ) -> Result<(TypeId, Val)> {
        let null = match self.types.get(base).kind {
            Kind::Vector { len, .. } => self.types.vector(PTR, len)?,
            _ => PTR,
        };
        let zero = self.zero_value(null)?;
        let (counted, offset) = self.element_address(ty, (null, zero), indices)?;
        let to = match self.types.get(counted).kind {
            Kind::Vector { len, .. } => self.types.vector(self.lane_type(base), len)?,
            _ => base,
        };
        let ir = self.types.ir(to);
        let offset = self.cast_scalar(Cast::Addrspacecast, offset.value(), counted, to)?;
        let splat = ir.is_vector() && !self.b.func.value_type(val.value()).is_vector();
        let start = if splat { self.b.convert(Opcode::Splat, val.value(), ir) } else { val.value() };
        if self.b.func.int_constant(offset) == Some(0) {
            return Ok((to, start.into()));
        }
        self.check_unfrozen()?;
        Ok((to, self.b.binary(Opcode::Iadd, start, offset).into()))
    }

    /// An offset modulo the size of the address space.
    pub(crate) fn wrapped(&self, offset: i64) -> i64 {
        if self.ptr == Type::I32 { offset as i32 as i64 } else { offset }
    }

    /// `v + offset`.
    pub(crate) fn add_constant(&mut self, v: Value, offset: i64) -> Result<Value> {
        if offset == 0 {
            return Ok(v);
        }
        let c = match self.b.func.constant(v) {
            Some(ConstData::Symbol(s, at)) => {
                let at = self.wrapped(at.wrapping_add(offset));
                return Ok(self.b.symbol_addr(s, at));
            }
            Some(ConstData::Int(n)) => return Ok(self.b.iconst(self.ptr, (n as i128).wrapping_add(offset as i128))),
            Some(ConstData::Poison) if self.b.func.value_type(v) == self.ptr => self.b.ptr_const(offset),
            _ => self.b.ptr_const(offset),
        };
        self.check_unfrozen()?;
        Ok(self.b.binary(Opcode::Iadd, v, c))
    }

    /// `v + i`; if only one of them is a vector, the scalar is added to every lane.
    fn add_lanes(&mut self, v: Value, i: Value, lanes: Option<u32>) -> Value {
        let shape = lanes.and_then(|n| Type::vector(self.ptr, n));
        let (v, i) = match shape {
            Some(ir) => (splatted(&mut self.b, v, ir), splatted(&mut self.b, i, ir)),
            None => (v, i),
        };
        self.b.binary(Opcode::Iadd, v, i)
    }

    fn add_vector(&mut self, v: Value, i: Value, scale: u64, lanes: u32) -> Result<Value> {
        let ir =
            Type::vector(self.ptr, lanes).ok_or_else(|| Refusal::new("vectors of this length are not supported"))?;
        let bits = self.b.func.value_type(i).lane_bits();
        let i = match bits.cmp(&self.ptr.bits()) {
            std::cmp::Ordering::Less => self.b.convert(Opcode::Sext, i, ir),
            std::cmp::Ordering::Greater => self.b.convert(Opcode::Trunc, i, ir),
            std::cmp::Ordering::Equal => i,
        };
        let c = self.b.ptr_const(scale as i64);
        let c = splat_constant(&mut self.b, ir, c);
        let i = if scale == 1 { i } else { self.b.binary(Opcode::Imul, i, c) };
        Ok(self.add_lanes(v, i, Some(lanes)))
    }
}

fn splatted(b: &mut FunctionBuilder<'_>, v: Value, ir: Type) -> Value {
    if b.func.value_type(v).is_vector() { v } else { b.convert(Opcode::Splat, v, ir) }
}

/// The number that every lane of a constant vector has.
fn splat_of(b: &FunctionBuilder<'_>, v: Value) -> Option<i64> {
    let Some(ConstData::Vector { start, len }) = b.func.constant(v) else {
        return None;
    };
    let mut lanes = b.func.vector_lanes(start, len).map(|l| b.func.int_constant_signed(l));
    let first = lanes.next()??;
    lanes.all(|l| l == Some(first)).then_some(first)
}
