//! Constants of a stored function, and what is known about them.

use gusset_codegen::ir::Opcode;

use super::ProgramBuilder;
use crate::function::{Constant, Def};
use crate::op::Op;
use crate::operators::Cast;
use crate::refusal::{Refusal, Result};
use crate::types::{I64, Kind, TypeId};
use crate::value::Val;

impl ProgramBuilder<'_> {
    /// An integer of at most 128 bits, cut to its type.
    pub(super) fn integer(&mut self, ty: TypeId, n: i128) -> Val {
        let bits = self.types.bits(ty);
        let n = if bits < 128 { n as u128 & ((1 << bits) - 1) } else { n as u128 };
        if bits <= 128 {
            return self.keep_constant(ty, Constant::Integer(n));
        }
        self.wide(ty, &[n as u64, (n >> 64) as u64], (n as i128) < 0)
    }

    /// An integer of any width, with zeros above its words, or ones if it is negative.
    pub(super) fn wide(&mut self, ty: TypeId, words: &[u64], negative: bool) -> Val {
        let bits = self.types.bits(ty) as usize;
        let above = if negative { u64::MAX } else { 0 };
        let mut all: Vec<u64> = words.to_vec();
        all.resize(bits.div_ceil(64).max(2), above);
        if bits <= 128 {
            return self.integer(ty, (u128::from(all[0]) | u128::from(all[1]) << 64) as i128);
        }
        if let (Some(last), false) = (all.last_mut(), bits.is_multiple_of(64)) {
            *last &= (1 << (bits % 64)) - 1;
        }
        self.keep_constant(ty, Constant::Wide(all.into()))
    }

    /// A vector with the same value, which is not a constant, in every lane.
    pub(super) fn splat(&mut self, ty: TypeId, lane: Val) -> Result<Val> {
        let (any, first) = (self.keep_constant(ty, Constant::Poison), self.integer(I64, 0));
        let single = self.push(Op::InsertElement { ty, val: any, element: lane, index: (I64, first) }, ty);
        let Kind::Vector { len, .. } = self.types.get(ty).kind else {
            return Err(Refusal::new("this is no vector"));
        };
        let mask = vec![0; len as usize].into();
        Ok(self.push(Op::ShuffleVector { of: ty, a: single, b: any, mask }, ty))
    }

    /// A vector of lanes that are not all constants.
    pub(super) fn vector(&mut self, ty: TypeId, lanes: &[Val]) -> Val {
        let mut val = self.keep_constant(ty, Constant::Poison);
        for (i, &element) in lanes.iter().enumerate() {
            let i = self.integer(I64, i as i128);
            val = self.push(Op::InsertElement { ty, val, element, index: (I64, i) }, ty);
        }
        val
    }

    /// The type of the element at a path of an aggregate.
    pub(super) fn member_type(&self, of: TypeId, path: &[u32]) -> Result<TypeId> {
        let found = path.iter().try_fold(of, |ty, &i| Some(self.types.element(ty, i.into())?.0));
        found.ok_or_else(|| Refusal::new("the aggregate has no such member"))
    }

    /// Is a value a constant?
    pub(super) fn is_known(&self, val: Val) -> bool {
        matches!(self.f.value(val).def, Def::Const(_))
    }

    /// The members of a constant aggregate, if they are known.
    fn known_members(&mut self, val: Val) -> Option<Vec<Val>> {
        let data = self.f.value(val);
        let ty = data.ty;
        let (uniform, bytes) = match &data.def {
            Def::Const(Constant::Aggregate(members)) => return Some(members.clone()),
            Def::Const(Constant::Vector(lanes)) => return Some(lanes.to_vec()),
            Def::Const(Constant::Bytes(bytes)) => (None, bytes.clone()),
            Def::Const(Constant::Zero) => (Some(0), Box::default()),
            Def::Const(Constant::Undef) => (Some(1), Box::default()),
            Def::Const(Constant::Poison) => (Some(2), Box::default()),
            _ => return None,
        };
        let types: Vec<TypeId> = match self.types.get(ty).kind {
            Kind::Struct { start, len, .. } => self.types.members(start, len).iter().map(|m| m.ty).collect(),
            Kind::Array { element, len } if len <= super::MAX_COPIES as u64 => vec![element; len as usize],
            Kind::Vector { lane, len } if len <= super::MAX_COPIES as u32 => vec![lane; len as usize],
            _ => return None,
        };
        self.copies = self.copies.checked_sub(types.len())?;
        let member = |(i, ty): (usize, TypeId)| {
            let constant = match uniform {
                Some(0) => Constant::Zero,
                Some(1) => Constant::Undef,
                Some(_) => Constant::Poison,
                None => Constant::Integer(bytes.get(i).copied().unwrap_or(0).into()),
            };
            self.keep_constant(ty, constant)
        };
        Some(types.into_iter().enumerate().map(member).collect())
    }

    /// A member of a constant, where there are no instructions.
    pub(super) fn known_member(&mut self, val: Val, path: &[u32]) -> Option<Val> {
        let (Some((&first, rest)), true) = (path.split_first(), self.frozen) else {
            return (self.frozen && path.is_empty()).then_some(val);
        };
        let member = match &self.f.value(val).def {
            Def::Const(Constant::Aggregate(members)) => *members.get(first as usize)?,
            _ => *self.known_members(val)?.get(first as usize)?,
        };
        self.known_member(member, rest)
    }

    /// A constant with another member.
    pub(super) fn insertion(&mut self, ty: TypeId, val: Val, x: Val, path: &[u32]) -> Option<Val> {
        if !self.is_known(x) {
            return None;
        }
        let Some((&first, rest)) = path.split_first() else { return Some(x) };
        let mut members = self.known_members(val)?;
        self.copies = self.copies.checked_sub(members.len())?;
        let member = *members.get(first as usize)?;
        let inner = self.f.value(member).ty;
        members[first as usize] = self.insertion(inner, member, x, rest)?;
        let whole = match self.types.get(ty).kind {
            Kind::Vector { .. } => Constant::Vector(members.into()),
            _ => Constant::Aggregate(members),
        };
        Some(self.keep_constant(ty, whole))
    }

    /// The constant that a chain of insertions makes, if a value is made so.
    pub(super) fn known_aggregate(&mut self, val: Val) -> Option<Val> {
        let (mut whole, mut inserted) = (val, Vec::new());
        while let Def::Inst(i) = self.f.value(whole).def {
            let Op::InsertValue { val, element, path, .. } = &self.f.insts[i as usize].op else { return None };
            inserted.push((*element, path.clone()));
            whole = *val;
        }
        let ty = self.type_of(val);
        for (x, path) in inserted.into_iter().rev() {
            whole = self.insertion(ty, whole, x, &path)?;
        }
        self.is_known(whole).then_some(whole)
    }

    /// The integer result of an operator on two integers, where there are no instructions.
    pub(super) fn known_number(&self, op: Opcode, ty: TypeId, a: Val, b: Val) -> Option<i128> {
        let number = |val: Val| match &self.f.value(val).def {
            Def::Const(Constant::Integer(n)) if self.frozen && self.types.get(ty).kind == Kind::Int => Some(*n as i128),
            _ => None,
        };
        let (a, b) = (number(a)?, number(b)?);
        Some(match op {
            Opcode::Iadd => a.wrapping_add(b),
            Opcode::Isub => a.wrapping_sub(b),
            Opcode::Imul => a.wrapping_mul(b),
            Opcode::And => a & b,
            Opcode::Or => a | b,
            Opcode::Xor => a ^ b,
            _ => return None,
        })
    }

    /// An integer converted to another width, where there are no instructions.
    pub(super) fn known_cast(&self, cast: Cast, val: Val, to: TypeId) -> Option<i128> {
        let data = self.f.value(val);
        let Def::Const(Constant::Integer(n)) = data.def else { return None };
        let both = [data.ty, to].iter().all(|&ty| self.types.get(ty).kind == Kind::Int && self.types.bits(ty) <= 128);
        let unused = 128 - self.types.bits(data.ty).clamp(1, 128);
        match cast {
            _ if !self.frozen || !both => None,
            Cast::Trunc | Cast::Zext => Some(n as i128),
            Cast::Sext => Some((n as i128) << unused >> unused),
            _ => None,
        }
    }
}
