//! Makes constants, and folds operations on them.

use gusset_codegen::ir::{ConstData, FunctionBuilder, Opcode, SymbolId, Type, Value, fold_binary, is_foldable};
use gusset_program::{Const, Kind, Refusal, Result, Sink, TypeId, TypeTable, Val};

use crate::function::FunctionLowering;

impl FunctionLowering<'_> {
    /// Makes a constant. It is inlined, so that a caller that names the kind pays for no choice.
    #[inline(always)]
    pub(crate) fn make_constant(&mut self, ty: TypeId, constant: Const<'_>) -> Result<Val> {
        match constant {
            Const::Integer(n) => {
                let ir = self.types.ir(ty);
                Ok(self.b.func.make_int(ir, n).into())
            }
            Const::Wide { words, negative } => {
                let ir = self.types.ir(ty);
                if ir == Type::VOID {
                    return self.fill(ty, constant, |_, _| Value::default());
                }
                Ok(self.b.func.make_wide(ir, words, negative).into())
            }
            Const::Float(bits) => {
                let ir = self.types.ir(ty);
                Ok(self.b.func.make_const(ir, ConstData::Float(bits)).into())
            }
            Const::Bytes(bytes) => self.bytes(ty, bytes),
            Const::Contents(bytes) => {
                self.check_aggregate(ty)?;
                self.s.contents_of(ty, |all| all.append(bytes, 0..bytes.len()))
            }
            Const::Null if TypeTable::is_other_pointer(ty) => self.zero_value(ty),
            Const::Null => Ok(self.b.ptr_const(0).into()),
            Const::Zero => self.zero_value(ty),
            Const::Undef | Const::Poison => self.poison_value(ty),
            Const::NoToken => Ok(self.none_token()),
            Const::Splat(lane_ty, lane) => self.splat(ty, lane_ty, lane),
            Const::Vector(lanes) => {
                let lanes: Vec<Value> = lanes.iter().map(|lane| lane.value()).collect();
                self.vector(ty, &lanes)
            }
            Const::Aggregate(members) => self.aggregate(ty, members),
            Const::Symbol { symbol, tls } => self.symbol_address(symbol, tls),
            Const::LocalEquivalent(symbol) | Const::NoCfi(symbol) => self.symbol_address(symbol, false),
            Const::BlockAddress { symbol, .. } => {
                let symbol = symbol.ok_or_else(|| Refusal::new("the function is not defined in this module"))?;
                Ok(self.b.symbol_addr(symbol, 0).into())
            }
            Const::Signed(_) => Err(Refusal::new(gusset_program::refusals::SIGNED)),
            Const::Binary(op, a, b) => self.binary_constant(op, ty, a, b),
        }
    }

    /// An array of bytes, as long as its type says.
    fn bytes(&mut self, ty: TypeId, bytes: &[u8]) -> Result<Val> {
        self.check_aggregate(ty)?;
        if self.contents {
            return self.s.contents_of(ty, |all| all.extend(bytes));
        }
        let mut bytes = bytes.iter();
        Ok(self.each_leaf(ty, |l, leaf| l.b.iconst(leaf.ir, bytes.next().copied().unwrap_or(0).into())))
    }

    /// The address of a symbol; of a thread-local one, in the thread that runs.
    #[inline]
    pub(crate) fn symbol_address(&mut self, symbol: SymbolId, tls: bool) -> Result<Val> {
        if tls {
            self.check_unfrozen()?;
            return Ok(self.b.push1(Opcode::TlsAddr, 0, self.ptr, [symbol.0, 0, 0], self.ptr).into());
        }
        Ok(self.b.symbol_addr(symbol, 0).into())
    }

    /// `zeroinitializer`.
    pub(crate) fn zero_value(&mut self, ty: TypeId) -> Result<Val> {
        self.fill(ty, Const::Zero, |l, ir| zero_of(&mut l.b, ir))
    }

    /// `poison`, and `undef`.
    pub(crate) fn poison_value(&mut self, ty: TypeId) -> Result<Val> {
        self.fill(ty, Const::Poison, |l, ir| l.b.poison(ir))
    }

    /// A value of scalars that `f` makes, or of wide integers that are `wide`.
    fn fill(&mut self, ty: TypeId, wide: Const<'_>, f: impl Fn(&mut Self, Type) -> Value) -> Result<Val> {
        let ir = self.types.ir(ty);
        if ir != Type::VOID {
            return Ok(f(self, ir).into());
        }
        self.check_aggregate(ty)?;
        if self.contents && !self.types.is_dissolved(ty) {
            let bytes = self.wide_bits(ty).map(|bits| self.wide_bytes(bits, wide)).transpose()?;
            return match bytes {
                Some(bytes) => self.s.contents_of(ty, |all| all.extend(&bytes)),
                None => Ok(self.s.no_contents(ty)),
            };
        }
        let mut failed = None;
        let val = self.each_leaf(ty, |l, leaf| match l.wide_bits(leaf.ty) {
            Some(bits) => l.wide_constant(bits, wide).unwrap_or_else(|why| {
                failed = Some(why);
                Value::default()
            }),
            None => f(l, leaf.ir),
        });
        failed.map_or(Ok(val), Err)
    }

    /// The same value in every lane of a vector.
    pub(crate) fn splat(&mut self, ty: TypeId, lane_ty: TypeId, lane: Val) -> Result<Val> {
        let lane = lane.value();
        match self.types.get(ty).kind {
            Kind::Vector { lane: l, .. } if l == lane_ty => {}
            _ => return Err(Refusal::new("the splat is not a value of this type")),
        }
        let ir = self.types.ir(ty);
        if ir == Type::VOID {
            return Ok(self.of_lanes(ty, &vec![lane; self.scalars(ty)]));
        }
        if self.b.func.constant(lane).is_some() {
            return Ok(splat_constant(&mut self.b, ir, lane).into());
        }
        self.check_unfrozen()?;
        Ok(self.b.convert(Opcode::Splat, lane, ir).into())
    }

    /// A vector of these lanes.
    pub(crate) fn vector(&mut self, ty: TypeId, lanes: &[Value]) -> Result<Val> {
        let ir = self.types.ir(ty);
        if ir == Type::VOID {
            return Ok(self.of_lanes(ty, lanes));
        }
        if lanes.iter().all(|&v| self.b.func.constant(v).is_some()) {
            return Ok(self.b.func.make_vector(ir, lanes).into());
        }
        self.check_unfrozen()?;
        Ok(vector_of(&mut self.b, ir, lanes).into())
    }

    /// A constant vector with one lane replaced by a constant, if both are known and the lanes are not wider than a
    /// constant can be.
    pub(crate) fn vector_with(&mut self, ty: TypeId, v: Value, x: Value, index: u32) -> Option<Val> {
        let ir = self.types.ir(ty);
        let func = &self.b.func;
        if !ir.is_vector() || index >= ir.lanes() || func.value_type(x) != ir.lane() {
            return None;
        }
        func.constant(x)?;
        let mut lanes: Vec<Value> = match func.constant(v)? {
            ConstData::Vector { start, len } if len == ir.lanes() => func.vector_lanes(start, len).collect(),
            ConstData::Poison => vec![self.b.poison(ir.lane()); ir.lanes() as usize],
            _ => return None,
        };
        lanes[index as usize] = x;
        Some(self.b.func.make_vector(ir, &lanes).into())
    }

    /// `a op b` of constants of a type.
    pub(crate) fn binary_constant(&mut self, op: Opcode, ty: TypeId, a: Val, b: Val) -> Result<Val> {
        if self.types.is_dissolved(ty) {
            let (a, b) = (self.lanes_of(ty, a), self.lanes_of(ty, b));
            let lanes = a.into_iter().zip(b).map(|(a, b)| self.fold_binary(op, a, b)).collect::<Result<Vec<_>>>()?;
            return Ok(self.of_lanes(ty, &lanes));
        }
        self.fold_binary(op, a.value(), b.value()).map(Val::from)
    }

    /// `a op b`, folded if the operands are constants and the result is a number or an address.
    pub(crate) fn fold_binary(&mut self, op: Opcode, a: Value, b: Value) -> Result<Value> {
        use ConstData::{Int, Symbol};
        let ty = self.b.func.value_type(a);
        let folded = match (op, self.b.func.constant(a), self.b.func.constant(b)) {
            (_, Some(Int(x)), Some(Int(y))) if is_foldable(ty) => {
                fold_binary(op, ty.bits(), x, y).map(|n| self.b.iconst(ty, n as i128))
            }
            (Opcode::Iadd, Some(Symbol(s, off)), Some(Int(n))) | (Opcode::Iadd, Some(Int(n)), Some(Symbol(s, off)))
                if ty == self.ptr =>
            {
                let off = self.wrapped(off.wrapping_add(n as i64));
                Some(self.b.symbol_addr(s, off))
            }
            (Opcode::Isub, Some(Symbol(s, off)), Some(Int(n))) if ty == self.ptr => {
                let off = self.wrapped(off.wrapping_sub(n as i64));
                Some(self.b.symbol_addr(s, off))
            }
            (Opcode::Isub, Some(Symbol(s, x)), Some(Symbol(t, y))) if s == t => {
                Some(self.b.iconst(ty, x.wrapping_sub(y) as i128))
            }
            _ => None,
        };
        match folded {
            Some(v) => Ok(v),
            None => {
                self.check_unfrozen()?;
                Ok(self.b.binary(op, a, b))
            }
        }
    }
}

/// `v` extended or truncated to the integer type `ty`.
pub(crate) fn fit(b: &mut FunctionBuilder<'_>, v: Value, ty: Type, signed: bool) -> Value {
    let from = b.func.value_type(v);
    if from == ty {
        return v;
    }
    match b.func.constant(v) {
        Some(ConstData::Int(n)) => {
            let negative = signed && from.bits() <= 128 && n >> (from.bits() - 1) != 0;
            let n = if negative { n | (u128::MAX << (from.bits() - 1)) } else { n };
            return b.func.make_wide(ty, &[n as u64, (n >> 64) as u64], negative);
        }
        Some(ConstData::Poison) => return b.poison(ty),
        _ => {}
    }
    let op = match (from.bits() > ty.bits(), signed) {
        (true, _) => Opcode::Trunc,
        (_, true) => Opcode::Sext,
        _ => Opcode::Zext,
    };
    b.convert(op, v, ty)
}

/// Makes a vector of lanes by instructions.
pub(crate) fn vector_of(b: &mut FunctionBuilder<'_>, ir: Type, lanes: &[Value]) -> Value {
    let mut v = b.poison(ir);
    for (i, &lane) in lanes.iter().enumerate() {
        let i = b.iconst(Type::I32, i as i128);
        v = b.insert_lane(v, lane, i);
    }
    v
}

/// A vector of equal lane constants.
pub(crate) fn splat_constant(b: &mut FunctionBuilder<'_>, ir: Type, lane: Value) -> Value {
    let start = b.func.pool.len() as u32;
    let len = ir.lanes();
    b.func.pool.extend((0..len).map(|_| lane.0));
    b.func.make_const(ir, ConstData::Vector { start, len })
}

/// Zero of a scalar or vector type.
pub(crate) fn zero_of(b: &mut FunctionBuilder<'_>, ir: Type) -> Value {
    let lane = ir.lane();
    let z = match lane.is_float() {
        true => b.func.make_const(lane, ConstData::Float(0)),
        false => b.iconst(lane, 0),
    };
    if ir.is_vector() { splat_constant(b, ir, z) } else { z }
}
