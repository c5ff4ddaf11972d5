//! Which instructions are constant expressions, and the way into an aggregate.

use gusset_codegen::ir::Opcode;
use gusset_program::{Cast, Constant, Def, Kind, Op, Owned, TypeId, TypeTable, Val};

use super::Recorder;
use crate::aggregates::Element;

/// Whether LLVM 19 has such a constant expression (LLVM LangRef 19, "Constant Expressions").
pub(super) fn is_expression(op: &Op<Owned>) -> bool {
    match op {
        Op::Cast { cast, .. } => {
            matches!(cast, Cast::Trunc | Cast::Ptrtoint | Cast::Inttoptr | Cast::Bitcast | Cast::Addrspacecast)
        }
        Op::Binary { op, .. } => matches!(op, Opcode::Iadd | Opcode::Isub | Opcode::Imul | Opcode::Xor),
        Op::GetElementPtr { .. } | Op::ExtractElement { .. } | Op::InsertElement { .. } | Op::ShuffleVector { .. } => {
            true
        }
        _ => false,
    }
}

/// The indices that lead from an aggregate to an element of it. Elements without scalars may have several ways to them, which all
/// mean the same.
pub(super) fn path(types: &TypeTable, whole: TypeId, element: Element) -> Vec<u32> {
    let mut way = Way { types, element, path: Vec::new(), steps: 1 << 16 };
    way.find(whole, 0);
    way.path
}

/// A way into an aggregate.
struct Way<'t> {
    types: &'t TypeTable,
    element: Element,
    path: Vec<u32>,
    /// Members that may still be entered.
    steps: u32,
}

impl Way<'_> {
    /// Looks into what begins with the scalar number `from`; whether the element is there.
    fn find(&mut self, ty: TypeId, from: u32) -> bool {
        match self.types.get(ty).kind {
            Kind::Struct { start, len, .. } => {
                let members = self.types.members(start, len);
                (0..len).any(|i| {
                    let member = members[i as usize];
                    self.enter(i, member.ty, from + member.scalar)
                })
            }
            Kind::Array { element, len } => {
                let each = self.types.get(element).scalars;
                let i = self.element.scalar().saturating_sub(from).checked_div(each).unwrap_or(0);
                u64::from(i) < len && self.enter(i, element, from + i * each)
            }
            _ => false,
        }
    }

    fn enter(&mut self, i: u32, member: TypeId, at: u32) -> bool {
        let (wanted, scalars) = (self.element.scalar(), self.types.get(self.element.ty).scalars);
        let end = at.saturating_add(self.types.get(member).scalars);
        if wanted < at || wanted.saturating_add(scalars) > end || self.steps == 0 {
            return false;
        }
        self.steps -= 1;
        self.path.push(i);
        let found = member == self.element.ty && at == wanted || self.find(member, at);
        if !found {
            self.path.pop();
        }
        found
    }
}

impl Recorder<'_> {
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
            self.constant(ty, constant)
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
        Some(self.constant(ty, whole))
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
