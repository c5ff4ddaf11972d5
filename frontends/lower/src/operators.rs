//! Operators, conversions and comparisons.

use gusset_abi::Endian;
use gusset_codegen::ir::{ConstData, FunctionBuilder, Opcode, Type, Value};
use gusset_program::{Cast, Compare, I1, Kind, PTR_U32, Result, Sink, TypeId, Val, refuse_if, wrong_operands};

use crate::aggregates::COMPUTED;
use crate::constants::fit;
use crate::function::FunctionLowering;

impl FunctionLowering<'_> {
    /// The operator `op` on two values of a type.
    #[inline(always)]
    pub fn binary(&mut self, op: Opcode, ty: TypeId, a: Val, b: Val) -> Result<Val> {
        let ir = self.types.ir(ty);
        self.check_operands(op, ty)?;
        if ir == Type::VOID {
            if let Some(bits) = self.wide_bits(ty) {
                return self.wide_binary(op, bits, a, b);
            }
            return Ok(self.binary_lanes(op, ty, a, b));
        }
        Ok(self.b.push1(op, 0, ir, [a.0, b.0, 0], ir).into())
    }

    /// `fneg`.
    pub fn fneg(&mut self, ty: TypeId, v: Val) -> Result<Val> {
        self.check_operands(Opcode::Fadd, ty)?;
        Ok(self.each_part(ty, v, |l, v| l.b.unary(Opcode::Fneg, v)))
    }

    /// `freeze`.
    pub fn freeze(&mut self, ty: TypeId, v: Val) -> Result<Val> {
        self.check_aggregate(ty)?;
        refuse_if(self.contents, COMPUTED)?;
        Ok(self.each_part(ty, v, |l, v| l.b.unary(Opcode::Freeze, v)))
    }

    /// Checks that `op` accepts values of type `ty`.
    #[inline(always)]
    fn check_operands(&self, op: Opcode, ty: TypeId) -> Result<()> {
        let float = op >= Opcode::Fadd;
        let fits = match self.types.get(ty).kind {
            Kind::Int | Kind::WideInt { .. } => !float,
            Kind::Float => float,
            Kind::Vector { lane, .. } => match self.types.get(lane).kind {
                Kind::Int => !float,
                Kind::Float => float,
                _ => false,
            },
            _ => false,
        };
        if fits { Ok(()) } else { Err(wrong_operands()) }
    }

    // Conversions.

    /// A value of type `from` converted to type `to`.
    pub fn cast(&mut self, cast: Cast, from: TypeId, val: Val, to: TypeId) -> Result<Val> {
        if self.types.ir(from) == Type::VOID || self.types.ir(to) == Type::VOID {
            if self.types.is_wide(from) || self.types.is_wide(to) {
                return self.wide_cast(cast, from, val, to);
            }
            if self.types.is_dissolved(from) || self.types.is_dissolved(to) {
                return self.cast_lanes(cast, from, val, to);
            }
        }
        Ok(self.cast_scalar(cast, val.value(), from, to)?.into())
    }

    pub(crate) fn cast_scalar(&mut self, cast: Cast, v: Value, from: TypeId, to: TypeId) -> Result<Value> {
        let (a, b) = (self.types.ir(from), self.types.ir(to));
        let (fl, tl) = (self.lane_kind(from), self.lane_kind(to));
        let (Some(fl), Some(tl)) = (fl, tl) else {
            return Err(wrong_operands());
        };
        let same_shape = a.is_vector() == b.is_vector() && a.lanes() == b.lanes();
        let (fw, tw) = (a.lane_bits(), b.lane_bits());
        use Kind::{Float, Int, Ptr};
        let (op, fits) = match cast {
            Cast::Trunc => (Opcode::Trunc, fl == Int && tl == Int && fw > tw),
            Cast::Zext => (Opcode::Zext, fl == Int && tl == Int && fw < tw),
            Cast::Sext => (Opcode::Sext, fl == Int && tl == Int && fw < tw),
            Cast::Fptrunc => (Opcode::Fptrunc, fl == Float && tl == Float && fw > tw),
            Cast::Fpext => (Opcode::Fpext, fl == Float && tl == Float && fw < tw),
            Cast::Fptoui => (Opcode::Fptoui, fl == Float && tl == Int),
            Cast::Fptosi => (Opcode::Fptosi, fl == Float && tl == Int),
            Cast::Uitofp => (Opcode::Uitofp, fl == Int && tl == Float),
            Cast::Sitofp => (Opcode::Sitofp, fl == Int && tl == Float),
            Cast::Ptrtoint | Cast::Ptrtoaddr => (Opcode::Zext, fl == Ptr && tl == Int),
            Cast::Inttoptr => (Opcode::Zext, fl == Int && tl == Ptr),
            // Addresses relative to segments keep their bits.
            Cast::Addrspacecast if fw < tw && self.lane_type(from) == PTR_U32 => (Opcode::Zext, fl == Ptr && tl == Ptr),
            Cast::Addrspacecast if fw < tw => (Opcode::Sext, fl == Ptr && tl == Ptr),
            Cast::Addrspacecast if fw > tw => (Opcode::Trunc, fl == Ptr && tl == Ptr),
            Cast::Addrspacecast => (Opcode::Bitcast, fl == Ptr && tl == Ptr),
            _ => {
                let pointers = (fl == Ptr) == (tl == Ptr);
                if a.bits() != b.bits() || !pointers {
                    return Err(wrong_operands());
                }
                (Opcode::Bitcast, true)
            }
        };
        if !fits || (op != Opcode::Bitcast && !same_shape) {
            return Err(wrong_operands());
        }
        if a == b {
            return Ok(v);
        }
        // Pointers are integers: their conversion is a change of width or nothing.
        let op = if matches!(cast, Cast::Ptrtoint | Cast::Ptrtoaddr | Cast::Inttoptr) && fw > tw {
            Opcode::Trunc
        } else {
            op
        };
        match self.b.func.constant(v) {
            Some(ConstData::Int(_)) if matches!(op, Opcode::Trunc | Opcode::Zext | Opcode::Sext) => {
                return Ok(fit(&mut self.b, v, b, op == Opcode::Sext));
            }
            Some(ConstData::Int(n)) if op == Opcode::Bitcast && b.is_float() => {
                return Ok(self.b.func.make_const(b, ConstData::Float(n)));
            }
            Some(ConstData::Float(n)) if op == Opcode::Bitcast && b.is_int() => return Ok(self.b.iconst(b, n as i128)),
            Some(ConstData::Poison) => return Ok(self.b.poison(b)),
            Some(_) if op == Opcode::Bitcast => {
                if let Some(folded) = fold_bitcast(&mut self.b, v, b, self.m.target.endian) {
                    return Ok(folded);
                }
            }
            _ => {}
        }
        self.check_unfrozen()?;
        Ok(self.b.push1(op, 0, b, [v.0, 0, 0], b))
    }

    /// The type of a vector's lanes, or a scalar type itself.
    pub(crate) fn lane_type(&self, ty: TypeId) -> TypeId {
        if let Kind::Vector { lane, .. } = self.types.get(ty).kind { lane } else { ty }
    }

    #[inline(always)]
    pub(crate) fn lane_kind(&self, ty: TypeId) -> Option<Kind> {
        let kind = self.types.get(self.lane_type(ty)).kind;
        matches!(kind, Kind::Int | Kind::Float | Kind::Ptr).then_some(kind)
    }

    // Comparisons.

    /// Compares two values of a type; returns the type of the result and the result.
    #[inline(always)]
    pub fn compare(&mut self, compare: Compare, ty: TypeId, a: Val, b: Val) -> Result<(TypeId, Val)> {
        let ir = self.types.ir(ty);
        let (op, flags) = match (compare, self.lane_kind(ty)) {
            (Compare::Int(cc), Some(Kind::Int | Kind::Ptr)) => (Opcode::Icmp, cc as u8),
            (Compare::Float(cc), Some(Kind::Float)) => (Opcode::Fcmp, cc as u8),
            (Compare::Int(cc), None) => {
                let bits = self.wide_bits(ty).ok_or_else(wrong_operands)?;
                return Ok(self.wide_compare(cc, bits, a, b));
            }
            _ => return Err(wrong_operands()),
        };
        let (result, flag) = self.truth_type(ty)?;
        if ir == Type::VOID {
            return Ok((result, self.compare_lanes(compare, ty, a, b, result)));
        }
        Ok((result, self.b.push1(op, flags, ir, [a.0, b.0, 0], flag).into()))
    }

    /// `i1`, or a vector of it, for operands of type `ty`.
    #[inline]
    pub(crate) fn truth_type(&mut self, ty: TypeId) -> Result<(TypeId, Type)> {
        match self.types.get(ty).kind {
            Kind::Vector { len, .. } => {
                let id = self.types.vector(I1, len)?;
                Ok((id, self.types.ir(id)))
            }
            _ => Ok((I1, Type::I1)),
        }
    }
}

/// A constant's bits as a value of type `to`, if they are numbers and either type is a vector: on little-endian
/// machines, lane 0 has the lowest bits; on others the highest.
fn fold_bitcast(b: &mut FunctionBuilder<'_>, v: Value, to: Type, endian: Endian) -> Option<Value> {
    let f = &*b.func;
    let from = f.value_type(v);
    let number = |v: Value| match f.constant(v)? {
        ConstData::Int(n) | ConstData::Float(n) => Some(n),
        ConstData::Poison => Some(0),
        _ => None,
    };
    let mut lanes: Vec<u128> = match f.constant(v)? {
        ConstData::Vector { start, len } if from.is_vector() => {
            f.vector_lanes(start, len).map(number).collect::<Option<_>>()?
        }
        _ if to.is_vector() => vec![number(v)?],
        _ => return None,
    };
    if endian.is_big() {
        lanes.reverse();
    }
    let bit = |i: u32| lanes[(i / from.lane_bits()) as usize] >> (i % from.lane_bits()) & 1;
    let lane = |k: u32| (0..to.lane_bits()).fold(0, |n, i| n | bit(k * to.lane_bits() + i) << i);
    if from.lane_bits() > 128 || to.lane_bits() > 128 || from.bits() != to.bits() {
        return None;
    }
    let mut numbers: Vec<u128> = (0..to.lanes()).map(lane).collect();
    if endian.is_big() {
        numbers.reverse();
    }
    let constant = |b: &mut FunctionBuilder<'_>, n: u128| match to.lane().is_float() {
        true => b.func.make_const(to.lane(), ConstData::Float(n)),
        false => b.iconst(to.lane(), n as i128),
    };
    let values: Vec<Value> = numbers.into_iter().map(|n| constant(b, n)).collect();
    Some(if to.is_vector() { b.func.make_vector(to, &values) } else { values[0] })
}
