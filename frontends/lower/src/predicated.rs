//! Predicated operations on fixed vectors: `llvm.vp.…` (LangRef, "Vector Predication Intrinsics").
//!
//! A lane is active if its bit of the mask is set and its number is below the explicit length. What the other lanes
//! give is poison, so that operations without effects compute them, too.

use gusset_codegen::ir::{ConstData, IntCc, Opcode, ReduceOp, Type, Value};
use gusset_program::{
    Cast, Compare, I1, I32, Intrinsic, Kind, PTR, Refusal, Result, TypeId, Val, intrinsic_mismatch, mismatch_if,
    refuse_if,
};

use crate::floats::from_f64;
use crate::function::FunctionLowering;
use crate::masked::{Lanes, WIDTH};

#[derive(Clone, Copy)]
enum Op {
    /// The same as without a mask.
    Same(Intrinsic),
    /// A division: inactive lanes divide by 1.
    Divide(Opcode),
    Reduce(ReduceOp),
    /// Comparisons of integers, whose condition is an operand.
    CompareIntegers,
    CompareFloats,
    MultiplyAdd,
    Load(Lanes),
    Store(Lanes),
    StridedLoad,
    StridedStore,
    /// There is a condition in place of the mask.
    Select,
    /// The same, and lanes from the length on are of the second operand.
    Merge,
}

/// The row of the operation of this name without `vp.`.
pub(crate) fn row(name: &str) -> Option<u8> {
    OPS.iter().position(|known| known.0 == name).map(|row| row as u8)
}

static OPS: &[(&str, Op)] = {
    use Op::*;
    const fn same(op: Opcode) -> Op {
        Op::Same(Intrinsic::Operation(op))
    }
    const fn cast(cast: Cast) -> Op {
        Op::Same(Intrinsic::Cast(cast))
    }
    &[
        ("add", same(Opcode::Iadd)),
        ("sub", same(Opcode::Isub)),
        ("mul", same(Opcode::Imul)),
        ("and", same(Opcode::And)),
        ("or", same(Opcode::Or)),
        ("xor", same(Opcode::Xor)),
        ("shl", same(Opcode::Shl)),
        ("lshr", same(Opcode::Lshr)),
        ("ashr", same(Opcode::Ashr)),
        ("smin", same(Opcode::Smin)),
        ("smax", same(Opcode::Smax)),
        ("umin", same(Opcode::Umin)),
        ("umax", same(Opcode::Umax)),
        ("sadd.sat", same(Opcode::SaddSat)),
        ("uadd.sat", same(Opcode::UaddSat)),
        ("ssub.sat", same(Opcode::SsubSat)),
        ("usub.sat", same(Opcode::UsubSat)),
        ("abs", same(Opcode::Iabs)),
        ("bswap", same(Opcode::Bswap)),
        ("bitreverse", same(Opcode::Bitreverse)),
        ("ctpop", same(Opcode::Ctpop)),
        ("ctlz", same(Opcode::Ctlz)),
        ("cttz", same(Opcode::Cttz)),
        ("fshl", same(Opcode::Fshl)),
        ("fshr", same(Opcode::Fshr)),
        ("fadd", same(Opcode::Fadd)),
        ("fsub", same(Opcode::Fsub)),
        ("fmul", same(Opcode::Fmul)),
        ("fdiv", same(Opcode::Fdiv)),
        ("frem", same(Opcode::Frem)),
        ("fneg", same(Opcode::Fneg)),
        ("fabs", same(Opcode::Fabs)),
        ("sqrt", same(Opcode::Fsqrt)),
        ("fma", same(Opcode::Fma)),
        ("fmuladd", MultiplyAdd),
        ("copysign", same(Opcode::Fcopysign)),
        ("minnum", same(Opcode::Fminnum)),
        ("maxnum", same(Opcode::Fmaxnum)),
        ("minimum", same(Opcode::Fminimum)),
        ("maximum", same(Opcode::Fmaximum)),
        ("ceil", same(Opcode::Fceil)),
        ("floor", same(Opcode::Ffloor)),
        ("round", same(Opcode::Fround)),
        ("roundeven", same(Opcode::Froundeven)),
        ("roundtozero", same(Opcode::Ftrunc)),
        ("rint", same(Opcode::Frint)),
        ("nearbyint", same(Opcode::Fnearbyint)),
        ("sdiv", Divide(Opcode::Sdiv)),
        ("udiv", Divide(Opcode::Udiv)),
        ("srem", Divide(Opcode::Srem)),
        ("urem", Divide(Opcode::Urem)),
        ("trunc", cast(Cast::Trunc)),
        ("zext", cast(Cast::Zext)),
        ("sext", cast(Cast::Sext)),
        ("fptrunc", cast(Cast::Fptrunc)),
        ("fpext", cast(Cast::Fpext)),
        ("fptoui", cast(Cast::Fptoui)),
        ("fptosi", cast(Cast::Fptosi)),
        ("uitofp", cast(Cast::Uitofp)),
        ("sitofp", cast(Cast::Sitofp)),
        ("ptrtoint", cast(Cast::Ptrtoint)),
        ("inttoptr", cast(Cast::Inttoptr)),
        ("reduce.add", Reduce(ReduceOp::Add)),
        ("reduce.mul", Reduce(ReduceOp::Mul)),
        ("reduce.and", Reduce(ReduceOp::And)),
        ("reduce.or", Reduce(ReduceOp::Or)),
        ("reduce.xor", Reduce(ReduceOp::Xor)),
        ("reduce.smax", Reduce(ReduceOp::Smax)),
        ("reduce.smin", Reduce(ReduceOp::Smin)),
        ("reduce.umax", Reduce(ReduceOp::Umax)),
        ("reduce.umin", Reduce(ReduceOp::Umin)),
        ("reduce.fadd", Reduce(ReduceOp::Fadd)),
        ("reduce.fmul", Reduce(ReduceOp::Fmul)),
        ("reduce.fmax", Reduce(ReduceOp::Fmax)),
        ("reduce.fmin", Reduce(ReduceOp::Fmin)),
        ("reduce.fmaximum", Reduce(ReduceOp::Fmaximum)),
        ("reduce.fminimum", Reduce(ReduceOp::Fminimum)),
        ("icmp", CompareIntegers),
        ("fcmp", CompareFloats),
        ("load", Load(Lanes::All)),
        ("store", Store(Lanes::All)),
        ("gather", Load(Lanes::Scattered)),
        ("scatter", Store(Lanes::Scattered)),
        ("strided.load", StridedLoad),
        ("strided.store", StridedStore),
        ("select", Select),
        ("merge", Merge),
    ]
};

/// A condition on lanes: the mask or the condition of a selection, and the explicit length.
#[derive(Clone, Copy)]
struct Active {
    mask: (TypeId, Val),
    length: Value,
}

impl FunctionLowering<'_> {
    /// A predicated operation of the table.
    pub(crate) fn predicated(&mut self, row: u8, ret: TypeId) -> Result<Option<Val>> {
        let op = OPS[usize::from(row)].1;
        if let Op::Select | Op::Merge = op {
            return self.predicated_select(matches!(op, Op::Merge), ret).map(Some);
        }
        let count = self.s.call.vals.len();
        mismatch_if(count < 3 || self.s.call.request.params[count - 1].0 != I32)?;
        if let Op::Same(intrinsic) = op {
            self.drop_operands(count - 2);
            return self.unmasked(intrinsic, ret);
        }
        if let Op::MultiplyAdd = op {
            self.drop_operands(count - 2);
            let row = crate::intrinsics::row("fmuladd").ok_or_else(intrinsic_mismatch)?;
            return self.unmasked(Intrinsic::Expansion(row), ret);
        }
        if let Op::CompareIntegers | Op::CompareFloats = op {
            return self.predicated_compare(matches!(op, Op::CompareFloats)).map(Some);
        }
        let active = Active { mask: self.typed_operand(count - 2)?, length: self.operand(count - 1)?.1 };
        self.drop_operands(count - 2);
        match op {
            Op::Divide(op) => {
                let (ty, divisor) = self.typed_operand(1)?;
                let one = self.all_lanes(ty, |l, lane| l.b.iconst(lane, 1))?;
                self.s.call.vals[1] = self.where_active(active, ty, divisor, one)?;
                self.unmasked(Intrinsic::Operation(op), ret)
            }
            Op::Reduce(op) => self.predicated_reduction(op, active, ret).map(Some),
            Op::Load(lanes) => {
                let (pointer, v) = (self.operand(0)?, self.loaded_lanes(ret)?);
                self.predicated_access(lanes, pointer, active, v, false).map(Some)
            }
            Op::Store(lanes) => {
                let ((_, v), pointer) = (self.operand(0)?, self.operand(1)?);
                self.predicated_access(lanes, pointer, active, v, true).map(|_| None)
            }
            Op::StridedLoad => {
                let v = self.loaded_lanes(ret)?;
                let pointers = self.strided(0, v)?;
                self.predicated_access(Lanes::Scattered, pointers, active, v, false).map(Some)
            }
            Op::StridedStore => {
                let (_, v) = self.operand(0)?;
                let pointers = self.strided(1, v)?;
                self.predicated_access(Lanes::Scattered, pointers, active, v, true).map(|_| None)
            }
            _ => Err(intrinsic_mismatch()),
        }
    }

    /// Keeps the first operands of the current call.
    fn drop_operands(&mut self, kept: usize) {
        self.s.call.vals.truncate(kept);
        self.s.call.request.params.truncate(kept);
    }

    fn unmasked(&mut self, intrinsic: Intrinsic, ret: TypeId) -> Result<Option<Val>> {
        match self.types.dissolves() && self.has_dissolved_lanes(ret) {
            true => self.expand_lanes(intrinsic, None, ret),
            false => self.expand(intrinsic, None, ret),
        }
    }

    fn predicated_compare(&mut self, floats: bool) -> Result<Val> {
        let state = self.s.call.state;
        let unknown = || Refusal::new("the intrinsic names no condition");
        let compare = match floats {
            true => Compare::Float(state.condition.ok_or_else(unknown)?),
            false => Compare::Int(state.integer_condition.ok_or_else(unknown)?),
        };
        let call = &self.s.call;
        let (ty, a, b) = match (&call.request.params[..2], &call.vals[..2]) {
            (&[(ty, _), (other, _)], &[a, b]) if ty == other => (ty, a, b),
            _ => return Err(intrinsic_mismatch()),
        };
        Ok(self.compare(compare, ty, a, b)?.1)
    }

    fn typed_operand(&self, i: usize) -> Result<(TypeId, Val)> {
        match (self.s.call.request.params.get(i), self.s.call.vals.get(i)) {
            (Some(&(ty, _)), Some(&val)) => Ok((ty, val)),
            _ => Err(intrinsic_mismatch()),
        }
    }

    /// A vector whose lanes are all the same.
    fn all_lanes(&mut self, ty: TypeId, make: impl FnOnce(&mut Self, Type) -> Value) -> Result<Val> {
        let (lane, count) = self.vector_shape(ty).ok_or_else(intrinsic_mismatch)?;
        let ir = self.types.ir(lane);
        mismatch_if(!ir.is_int() && !ir.is_float())?;
        let v = make(self, ir);
        self.vector(ty, &vec![v; count as usize])
    }

    /// The active lanes as a vector of `i1`.
    fn active_lanes(&mut self, active: Active) -> Result<(TypeId, Val)> {
        let (ty, mask) = active.mask;
        let (lane, count) = self.vector_shape(ty).ok_or_else(intrinsic_mismatch)?;
        mismatch_if(lane != I1)?;
        if self.b.func.int_constant(active.length).is_some_and(|n| n >= count.into()) {
            return Ok(active.mask);
        }
        let below: Vec<Value> = (0..count)
            .map(|i| {
                let i = self.b.iconst(Type::I32, i.into());
                self.b.icmp(IntCc::Ult, i, active.length)
            })
            .collect();
        let below = self.vector(ty, &below)?;
        Ok((ty, self.binary(Opcode::And, ty, mask, below)?))
    }

    fn where_active(&mut self, active: Active, ty: TypeId, v: Val, other: Val) -> Result<Val> {
        let lanes = self.active_lanes(active)?;
        self.select(lanes, ty, v, other)
    }

    /// `llvm.vp.select` and `llvm.vp.merge`: a condition, two operands, the length.
    fn predicated_select(&mut self, merge: bool, ret: TypeId) -> Result<Val> {
        let ((ty, a), (other, b)) = (self.typed_operand(1)?, self.typed_operand(2)?);
        let active = Active { mask: self.typed_operand(0)?, length: self.operand(3)?.1 };
        mismatch_if(ty != ret || other != ret || self.vector_shape(ret).is_none())?;
        let condition = if merge { self.active_lanes(active)? } else { active.mask };
        self.select(condition, ret, a, b)
    }

    /// A start value and the active lanes combined.
    fn predicated_reduction(&mut self, op: ReduceOp, active: Active, ret: TypeId) -> Result<Val> {
        let ((start_ty, start), (ty, v)) = (self.operand(0)?, self.typed_operand(1)?);
        let kind = if op as u8 >= ReduceOp::Fadd as u8 { Kind::Float } else { Kind::Int };
        mismatch_if(start_ty != ret || self.lane_type(ty) != ret || self.types.get(ret).kind != kind)?;
        let neutral = self.all_lanes(ty, |l, lane| l.neutral(op, lane))?;
        self.s.call.vals[1] = self.where_active(active, ty, v, neutral)?;
        let ordered = matches!(op, ReduceOp::Fadd | ReduceOp::Fmul);
        if !ordered {
            self.s.call.vals.remove(0);
            self.s.call.request.params.remove(0);
        }
        let all = self.unmasked(Intrinsic::Reduce(op), ret)?.ok_or_else(intrinsic_mismatch)?;
        Ok(if ordered { all } else { self.b.binary(op.opcode(), start, all.value()).into() })
    }

    /// The value that changes no result.
    fn neutral(&mut self, op: ReduceOp, ty: Type) -> Value {
        let sign = ty.bits() - 1;
        let number = match op {
            ReduceOp::Add | ReduceOp::Or | ReduceOp::Xor | ReduceOp::Umax => 0,
            ReduceOp::Mul => 1,
            ReduceOp::And | ReduceOp::Umin => -1,
            ReduceOp::Smax => -1i128 << sign,
            ReduceOp::Smin => !(-1i128 << sign),
            ReduceOp::Fadd
            | ReduceOp::Fmul
            | ReduceOp::Fmax
            | ReduceOp::Fmin
            | ReduceOp::Fmaximum
            | ReduceOp::Fminimum => {
                let number = match op {
                    ReduceOp::Fadd => -0.0,
                    ReduceOp::Fmul => 1.0,
                    ReduceOp::Fmaximum => f64::NEG_INFINITY,
                    ReduceOp::Fminimum => f64::INFINITY,
                    _ => f64::NAN,
                };
                return self.b.func.make_const(ty, ConstData::Float(from_f64(f64::to_bits(number), ty)));
            }
        };
        self.b.iconst(ty, number)
    }

    /// The vector that a load begins with.
    fn loaded_lanes(&mut self, ret: TypeId) -> Result<Value> {
        mismatch_if(self.vector_shape(ret).is_none())?;
        refuse_if(self.types.is_dissolved(ret), WIDTH)?;
        Ok(self.poison_value(ret)?.value())
    }

    fn predicated_access(
        &mut self,
        lanes: Lanes,
        pointer: (TypeId, Value),
        active: Active,
        v: Value,
        store: bool,
    ) -> Result<Val> {
        let (_, mask) = self.active_lanes(active)?;
        self.masked_access(lanes, pointer, mask.value(), v, store).map(Val::from)
    }

    /// The addresses of a strided access, whose base is operand `at`, the stride the next one.
    fn strided(&mut self, at: usize, v: Value) -> Result<(TypeId, Value)> {
        let ((ty, base), (_, stride)) = (self.operand(at)?, self.operand(at + 1)?);
        mismatch_if(ty != PTR || !self.b.func.value_type(stride).is_int())?;
        let stride = self.at_pointer_width(stride, true)?;
        let count = self.b.func.value_type(v).lanes();
        let mut place = base;
        let mut lanes = Vec::new();
        for _ in 0..count {
            lanes.push(place);
            place = self.b.index(place, stride, 1);
        }
        let pointers = self.types.vector(PTR, count)?;
        let all = self.vector(pointers, &lanes)?;
        Ok((pointers, all.value()))
    }
}
