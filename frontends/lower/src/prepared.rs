//! Intrinsics that LLVM's own passes insert before code generation, and that texts printed afterwards contain: stores
//! of a stack guard, and x86 atomic operations of whose result only one condition or one bit is used (LLVM,
//! `X86ISelLowering`, `emitBitTestAtomicRMWIntrinsic` and `emitCmpArithAtomicRMWIntrinsic`).

use gusset_codegen::ir::{IntCc, MemFlags, Opcode, Ordering, RmwOp, Type, Value};
use gusset_program::{Atomic, I8, Kind, PTR, Refusal, Result, TypeId, Val, mismatch_if, refuse_if};

use crate::function::FunctionLowering;

impl FunctionLowering<'_> {
    /// `llvm.stackprotector`: stores the guard into its variable. The guard that the function's attribute requests is a
    /// separate one.
    pub(crate) fn store_guard(&mut self) -> Result<()> {
        let ((ty, guard), (to, slot)) = (self.operand(0)?, self.operand(1)?);
        mismatch_if(ty != PTR || to != PTR)?;
        self.b.store(guard, slot, 0, MemFlags::new(1, true));
        Ok(())
    }

    /// The old value at an address, after an atomic `op` with `v`.
    fn locked(&mut self, op: RmwOp, ty: TypeId, addr: Value, v: Value) -> Result<Value> {
        let access = Atomic { ordering: Ordering::SeqCst, align: None, volatile: false, space: 0 };
        let old = self.atomicrmw(op, Val::from(addr), ty, Val::from(v), access)?;
        Ok(old.value())
    }

    /// Whether the result of an operation meets a condition, given by the number that x86 instructions use for it.
    pub(crate) fn atomic_condition(&mut self, op: RmwOp, again: Opcode, ret: TypeId) -> Result<Value> {
        let ((place, addr), (ty, v)) = (self.operand(0)?, self.operand(1)?);
        mismatch_if(place != PTR || ret != I8 || !matches!(self.types.get(ty).kind, Kind::Int))?;
        let condition = match self.constant_operand(2)? {
            4 => IntCc::Eq,
            5 => IntCc::Ne,
            8 => IntCc::Slt,
            9 => IntCc::Sge,
            _ => return Err(Refusal::new("this condition of an atomic operation is not supported")),
        };
        let old = self.locked(op, ty, addr, v)?;
        let new = self.b.binary(again, old, v);
        let zero = self.b.iconst(self.types.ir(ty), 0);
        let met = self.b.icmp(condition, new, zero);
        Ok(self.b.convert(Opcode::Zext, met, Type::I8))
    }

    /// The bit with a constant number before the operation, at its position.
    pub(crate) fn atomic_bit(&mut self, op: RmwOp, ret: TypeId) -> Result<Value> {
        let (place, addr) = self.operand(0)?;
        mismatch_if(place != PTR || !matches!(self.types.get(ret).kind, Kind::Int))?;
        let (ir, number) = (self.types.ir(ret), self.constant_operand(1)?);
        refuse_if(number >= u128::from(ir.bits()) || ir.bits() > 64, "there is no bit of this number")?;
        let mask = self.b.iconst(ir, 1 << number);
        let old = self.bit_changed(op, ret, addr, mask)?;
        Ok(self.b.binary(Opcode::And, old, mask))
    }

    /// The bit with a variable number, counted from the address on, before the operation: 0 or 1.
    pub(crate) fn atomic_variable_bit(&mut self, op: RmwOp, ret: TypeId) -> Result<Value> {
        let ((place, addr), (ty, number)) = (self.operand(0)?, self.operand(1)?);
        mismatch_if(place != PTR || ret != I8 || !matches!(self.types.get(ty).kind, Kind::Int))?;
        let ir = self.types.ir(ty);
        refuse_if(!matches!(ir, Type::I16 | Type::I32 | Type::I64), "there is no such atomic operation")?;
        // The word that contains the bit, then the bit in it.
        let (log, bytes) =
            (self.b.iconst(ir, ir.bits().trailing_zeros().into()), self.b.ptr_const((ir.bits() / 8).into()));
        let words = self.b.binary(Opcode::Ashr, number, log);
        let words = self.at_pointer_width(words, true)?;
        let distance = self.b.binary(Opcode::Imul, words, bytes);
        let addr = self.b.binary(Opcode::Iadd, addr, distance);
        let last = self.b.iconst(ir, i128::from(ir.bits()) - 1);
        let (one, number) = (self.b.iconst(ir, 1), self.b.binary(Opcode::And, number, last));
        let mask = self.b.binary(Opcode::Shl, one, number);
        let old = self.bit_changed(op, ty, addr, mask)?;
        let bit = self.b.binary(Opcode::Lshr, old, number);
        let bit = self.b.binary(Opcode::And, bit, one);
        Ok(self.b.convert(Opcode::Trunc, bit, Type::I8))
    }

    /// Sets, clears or inverts the bit of a mask; returns the old value.
    fn bit_changed(&mut self, op: RmwOp, ty: TypeId, addr: Value, mask: Value) -> Result<Value> {
        let mask = match op {
            RmwOp::And => {
                let all = self.b.iconst(self.types.ir(ty), -1);
                self.b.binary(Opcode::Xor, mask, all)
            }
            _ => mask,
        };
        self.locked(op, ty, addr, mask)
    }
}
