//! Intrinsics that move lanes of vectors, and that count them.

use gusset_codegen::ir::{IntCc, Opcode, Type, Value};
use gusset_program::{Kind, Result, TypeId, Val, intrinsic_mismatch, mismatch_if};

use crate::constants::fit;
use crate::function::FunctionLowering;

/// A vector operand: its type, its value, and its number of lanes.
type Operand = (TypeId, Val, u32);

impl FunctionLowering<'_> {
    /// `llvm.vector.reverse`.
    pub(crate) fn reverse_vector(&mut self, ret: TypeId) -> Result<Val> {
        let (ty, v, n) = self.vector_operand(0, ret)?;
        let mask: Vec<u32> = (0..n).rev().collect();
        self.rearranged(ty, v, v, &mask, ret)
    }

    /// `llvm.vector.extract`.
    pub(crate) fn extract_vector(&mut self, ret: TypeId) -> Result<Val> {
        let (ty, v, n) = self.vector_operand(0, ret)?;
        let (_, len) = self.vector_shape(ret).ok_or_else(intrinsic_mismatch)?;
        let at = self.constant_operand(1)?.min(u32::MAX as u128 / 2) as u32;
        mismatch_if(at + len > n || !at.is_multiple_of(len))?;
        let mask: Vec<u32> = (at..at + len).collect();
        self.rearranged(ty, v, v, &mask, ret)
    }

    /// `llvm.vector.insert`.
    pub(crate) fn insert_vector(&mut self, ret: TypeId) -> Result<Val> {
        let ((ty, v, n), (small, part, len)) = (self.vector_operand(0, ret)?, self.vector_operand(1, ret)?);
        let at = self.constant_operand(2)?.min(u32::MAX as u128 / 2) as u32;
        mismatch_if(ty != ret || at + len > n || !at.is_multiple_of(len))?;
        let widen: Vec<u32> = (0..n).map(|i| if i < len { i } else { u32::MAX }).collect();
        let part = self.rearranged(small, part, part, &widen, ret)?;
        let mask: Vec<u32> = (0..n).map(|i| if i >= at && i < at + len { n + i - at } else { i }).collect();
        self.rearranged(ty, v, part, &mask, ret)
    }

    /// `llvm.vector.splice`: lanes of the concatenation of two vectors, from an index on; a negative index counts from
    /// the end of the first vector.
    pub(crate) fn splice_vectors(&mut self, ret: TypeId) -> Result<Val> {
        let ((ty, v, n), (other, w, _)) = (self.vector_operand(0, ret)?, self.vector_operand(1, ret)?);
        let first = i64::from(self.constant_operand(2)? as u32 as i32);
        let first = if first < 0 { first + i64::from(n) } else { first };
        mismatch_if(other != ty || !(0..i64::from(n)).contains(&first))?;
        let mask: Vec<u32> = (0..n).map(|i| first as u32 + i).collect();
        self.rearranged(ty, v, w, &mask, ret)
    }

    /// `llvm.vector.interleave2` to `8`: the lanes of several vectors in turns.
    pub(crate) fn interleave_vectors(&mut self, ret: TypeId) -> Result<Val> {
        let count = self.s.call.vals.len();
        let operands = (0..count).map(|i| self.vector_operand(i, ret)).collect::<Result<Vec<Operand>>>()?;
        let &(ty, first, n) = operands.first().ok_or_else(intrinsic_mismatch)?;
        mismatch_if(operands.iter().any(|operand| operand.0 != ty))?;
        if let [_, (_, second, _)] = operands[..] {
            let mask: Vec<u32> = (0..2 * n).map(|i| i / 2 + i % 2 * n).collect();
            return self.rearranged(ty, first, second, &mask, ret);
        }
        mismatch_if(self.vector_shape(ret).map(|shape| shape.1) != Some(n * count as u32))?;
        let columns: Vec<Vec<Value>> = operands.iter().map(|&(ty, v, _)| self.lanes_of(ty, v)).collect();
        let lanes: Vec<Value> = (0..n as usize).flat_map(|i| columns.iter().map(move |column| column[i])).collect();
        self.vector(ret, &lanes)
    }

    /// `llvm.vector.deinterleave2` to `8`: a struct of vectors, to which the lanes go in turns.
    pub(crate) fn deinterleave_vector(&mut self, ret: TypeId) -> Result<Val> {
        let Kind::Struct { start, len, packed: false } = self.types.get(ret).kind else {
            return Err(intrinsic_mismatch());
        };
        let members: Vec<TypeId> = self.types.members(start, len).iter().map(|member| member.ty).collect();
        let &own = members.first().ok_or_else(intrinsic_mismatch)?;
        let (ty, v, n) = self.vector_operand(0, own)?;
        let fits = members.iter().all(|&member| member == own)
            && self.vector_shape(own).is_some_and(|shape| shape.1 * members.len() as u32 == n);
        mismatch_if(!fits)?;
        let mut all = Vec::new();
        let count = members.len() as u32;
        for first in 0..count {
            let mask: Vec<u32> = (0..n / count).map(|i| count * i + first).collect();
            let lanes = self.rearranged(ty, v, v, &mask, own)?;
            all.extend((0..self.scalars(own)).map(|i| self.part(own, lanes, i)));
        }
        Ok(self.s.run(all))
    }

    /// `llvm.vector.partial.reduce.add` and `fadd`: a vector to which parts of a longer one are added.
    pub(crate) fn partial_reduction(&mut self, op: Opcode, ret: TypeId) -> Result<Val> {
        let ((ty, v, n), (long, w, len)) = (self.vector_operand(0, ret)?, self.vector_operand(1, ret)?);
        mismatch_if(ty != ret || !len.is_multiple_of(n))?;
        let mut sum = v;
        for first in (0..len).step_by(n as usize) {
            let mask: Vec<u32> = (first..first + n).collect();
            let part = self.rearranged(long, w, w, &mask, ret)?;
            sum = self.binary(op, ret, sum, part)?;
        }
        Ok(sum)
    }

    /// `llvm.stepvector`: the numbers from 0 on.
    pub(crate) fn step_vector(&mut self, ret: TypeId) -> Result<Val> {
        let (lane, len) = self.vector_shape(ret).ok_or_else(intrinsic_mismatch)?;
        mismatch_if(self.types.get(lane).kind != Kind::Int)?;
        let ir = self.types.ir(lane);
        let lanes: Vec<Value> = (0..len).map(|i| self.b.iconst(ir, i128::from(i))).collect();
        self.vector(ret, &lanes)
    }

    /// `llvm.experimental.cttz.elts`: the number of lanes before the first one that is set.
    pub(crate) fn count_elements(&mut self, ret: TypeId) -> Result<Val> {
        let call = &self.s.call;
        let (Some(&(ty, _)), Some(&v)) = (call.request.params.first(), call.vals.first()) else {
            return Err(intrinsic_mismatch());
        };
        let (lane, lanes) = self.vector_shape(ty).ok_or_else(intrinsic_mismatch)?;
        let to = self.types.ir(ret);
        mismatch_if(self.types.get(lane).kind != Kind::Int || !to.is_int())?;
        let set = if self.types.ir(lane) == Type::I1 {
            (ty, v)
        } else {
            let zero = self.zero_value(ty)?;
            self.compare(gusset_program::Compare::Int(IntCc::Ne), ty, v, zero)?
        };
        let mask = self.types.integer(lanes)?;
        let set = self.cast(gusset_program::Cast::Bitcast, set.0, set.1, mask)?;
        let count = self.b.unary(Opcode::Cttz, set.value());
        Ok(fit(&mut self.b, count, to, false).into())
    }

    /// Operand `i`, a vector with the lane type of another type.
    fn vector_operand(&self, i: usize, like: TypeId) -> Result<Operand> {
        let call = &self.s.call;
        match (call.request.params.get(i), call.vals.get(i), self.vector_shape(like)) {
            (Some(&(ty, _)), Some(&val), Some((lane, _))) => {
                let (own, len) = self.vector_shape(ty).ok_or_else(intrinsic_mismatch)?;
                mismatch_if(own != lane)?;
                Ok((ty, val, len))
            }
            _ => Err(intrinsic_mismatch()),
        }
    }

    /// A shuffle whose result must have a given type.
    fn rearranged(&mut self, ty: TypeId, a: Val, b: Val, mask: &[u32], ret: TypeId) -> Result<Val> {
        let (made, val) = self.shuffle(ty, a, b, mask).map_err(|_| intrinsic_mismatch())?;
        mismatch_if(made != ret)?;
        Ok(val)
    }
}
