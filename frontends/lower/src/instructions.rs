//! Lowers instructions by kind.

use gusset_program::{NO_RESULT, Op, OpRef, PTR, Result, TOKEN, TypeId, Val};

use crate::aggregates::Element;
use crate::function::FunctionLowering;

/// The result of an instruction that has none.
#[inline(always)]
fn none((): ()) -> (TypeId, Val) {
    NO_RESULT
}

impl FunctionLowering<'_> {
    /// Lowers an instruction; returns the result's type and the result. If the kind is known at compile time, the
    /// `match` disappears.
    #[inline(always)]
    pub(crate) fn lower(&mut self, op: OpRef<'_>) -> Result<(TypeId, Val)> {
        Ok(match op {
            Op::Binary { op, ty, a, b } => (ty, self.binary(op, ty, a, b)?),
            Op::Fneg { ty, val } => (ty, self.fneg(ty, val)?),
            Op::Freeze { ty, val } => (ty, self.freeze(ty, val)?),
            Op::Cast { cast, from, val, ty } => (ty, self.cast(cast, from, val, ty)?),
            Op::Compare { compare, of, a, b } => self.compare(compare, of, a, b)?,
            Op::Select { condition, ty, a, b } => (ty, self.select(condition, ty, a, b)?),
            Op::ExtractValue { of, val, path } => {
                let element = Element::at_path(self.types, of, path)?;
                (element.ty, self.extract_value(val, element))
            }
            Op::InsertValue { ty, val, element, path } => {
                let at = Element::at_path(self.types, ty, path)?;
                (ty, self.insert_value(ty, val, at, element))
            }
            Op::ExtractElement { of, val, index } => (self.lane_type(of), self.extract_element(of, val, index)?),
            Op::InsertElement { ty, val, element, index } => (ty, self.insert_element(ty, val, element, index)?),
            Op::ShuffleVector { of, a, b, mask } => self.shuffle(of, a, b, mask)?,
            Op::Alloca { of, count, align, in_block, .. } => (PTR, self.alloca(of, count, align, in_block)?),
            Op::Load { ty, addr, align, volatile, space } => (ty, self.load(ty, addr, align, volatile, space)?),
            Op::Store { ty, val, addr, align, volatile, space } => {
                self.store(ty, val, addr, align, volatile, space).map(none)?
            }
            Op::AtomicLoad { ty, addr, access, .. } => (ty, self.atomic_load(ty, addr, access)?),
            Op::AtomicStore { ty, val, addr, access, .. } => self.atomic_store(ty, val, addr, access).map(none)?,
            Op::Fence { ordering, scope } => {
                self.fence(ordering, scope == Some(b"singlethread"));
                NO_RESULT
            }
            Op::CmpXchg { of, addr, expected, new, access, failure, .. } => {
                self.cmpxchg(addr, of, [expected, new], access, failure)?
            }
            Op::AtomicRmw { op, ty, addr, val, access, .. } => (ty, self.atomicrmw(op, addr, ty, val, access)?),
            Op::VaArg { ty, list } => (ty, self.va_arg(list, ty)?),
            Op::GetElementPtr { of, base, indices, .. } => self.element_address(of, base, indices)?,
            Op::Call(never) | Op::DebugRecord(never) | Op::Opaque(never) => match never {},
            Op::LandingPad { ty, cleanup, clauses } => (ty, self.landing_pad(ty, cleanup, clauses)?),
            Op::CatchPad { parent, args } => (TOKEN, self.funclet_pad(true, parent, args)?),
            Op::CleanupPad { parent, args } => (TOKEN, self.funclet_pad(false, parent, args)?),
            Op::CatchSwitch { parent, handlers, unwind } => (TOKEN, self.catch_switch(parent, handlers, unwind)?),
            Op::Jump(to) => {
                self.jump(to);
                NO_RESULT
            }
            Op::Br { condition, then, other } => {
                self.br(condition, then, other);
                NO_RESULT
            }
            Op::Switch { val, cases, default } => self.switch(val, cases, default).map(none)?,
            Op::IndirectBr { addr, edges } => {
                self.b.indirect_br(addr.value(), edges);
                NO_RESULT
            }
            Op::Ret { ty, val } => self.ret(ty, val).map(none)?,
            Op::Unreachable => {
                self.b.unreachable();
                NO_RESULT
            }
            Op::Resume { ty, val } => self.resume(ty, val).map(none)?,
            Op::CatchRet { pad, to } => self.catch_ret(pad, to).map(none)?,
            Op::CleanupRet { pad, unwind } => self.cleanup_ret(pad, unwind).map(none)?,
        })
    }
}
