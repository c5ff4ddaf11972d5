//! Instructions that were left to their users, and the values whose registers or places serve for their results.

use super::{Emitter, Where};
use crate::alloc::UnitFlags;
use crate::analysis::Fold;
use crate::ir::{Inst, Opcode, Type, Value, ValueDef};
use crate::machine::Machine;

impl<T: Machine> Emitter<'_, T> {
    /// The instruction of a value that was deferred and has not been emitted yet.
    #[inline]
    pub fn deferred(&self, v: Value) -> Option<Inst> {
        let ValueDef::Inst(i) = self.f.value_def(v) else { return None };
        let left = self.live.fold[i.index()] == Fold::Deferred && self.units.reg(v.0).is_none();
        (left && !self.units.has(v.0, UnitFlags::IN_MEMORY)).then_some(i)
    }

    /// The words of a pair that was left to its user, which reads them in its place.
    pub fn halves(&self, v: Value) -> Option<[Value; 2]> {
        let d = self.f.inst(self.deferred(v)?);
        (d.op == Opcode::Iconcat).then_some([Value(d.a), Value(d.b)])
    }

    /// The value whose register or place serves for a part of one that was left to its user: a word of a pair, or the number of which it
    /// has the lowest bits.
    pub(super) fn half(&self, v: Value, part: u8) -> Option<Value> {
        let d = self.f.inst(self.deferred(v)?);
        match d.op {
            Opcode::Iconcat => Some(Value(if part == 0 { d.a } else { d.b })),
            Opcode::Trunc if self.is_optimized() && d.ty != Type::I1 => Some(Value(d.a)),
            _ => None,
        }
    }

    /// May the register of such a value be overwritten, as far as other operands of the current instruction go, which have been asked for? A
    /// word of a pair that is read once is no word of another operand.
    pub(super) fn is_read_alone(&self, v: Value, whole: Value) -> bool {
        if self.live.count(whole) == 1 {
            return true;
        }
        let is_truncated = matches!(self.f.value_def(v), ValueDef::Inst(i) if self.f.inst(i).op == Opcode::Trunc);
        is_truncated
            && self.current.nesting == 0
            && matches!(self.whereabouts(whole, 0), Where::Reg(r) if self.regs.pinned & r.mask() == 0)
    }
}
