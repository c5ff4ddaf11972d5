//! Intrinsics of a machine.

use gusset_codegen::ir::{IntCc, MemFlags, Opcode, Type, Value};
use gusset_program::{I8, PTR, Result, TypeId, VOID, Val, mismatch_if};

use crate::function::FunctionLowering;

/// Distance of operands in memory.
const STRIDE: u32 = 16;

impl FunctionLowering<'_> {
    /// An operation of the machine. It has up to three operands and one result: of more operands, all but the last two
    /// are in memory, whose address comes first; of two results, the first is stored to memory, whose address comes
    /// last. One that accesses memory, or is `kept`, is done even if its result is unused.
    pub(crate) fn machine_operation(&mut self, number: u8, kept: bool, ret: TypeId) -> Result<Option<Val>> {
        let mut operands = Vec::with_capacity(4);
        let mut kept = kept;
        for i in 0..self.s.call.vals.len() {
            let (ty, v) = self.operand(i)?;
            kept |= ty == PTR;
            operands.push(v);
        }
        if operands.len() > 3 {
            let last = operands.split_off(operands.len() - 2);
            let slot = self.b.func.make_slot(STRIDE * operands.len() as u32, STRIDE);
            let addr = self.b.slot_addr(slot);
            for (k, v) in operands.into_iter().enumerate() {
                self.b.store(v, addr, STRIDE as i32 * k as i32, MemFlags::new(STRIDE, false));
            }
            operands = [vec![addr], last].concat();
        }
        let results: Vec<TypeId> = match self.pair_types(ret) {
            Some(pair) => pair.into(),
            None if ret == VOID => Vec::new(),
            None => vec![ret],
        };
        let irs: Vec<Type> = results.iter().map(|&ty| self.types.ir(ty)).collect();
        mismatch_if(irs.contains(&Type::VOID))?;
        let mut first = None;
        if let [ir, _] = irs[..] {
            let (size, align) = (ir.store_bytes(), STRIDE);
            let slot = self.b.func.make_slot(size, align);
            let addr = self.b.slot_addr(slot);
            operands.push(addr);
            first = Some((ir, addr));
        }
        let filler = match operands.first() {
            Some(&v) => v,
            None => self.b.iconst(Type::I32, 0),
        };
        mismatch_if(operands.len() > 3)?;
        operands.resize(3, filler);
        let words = [operands[0].0, operands[1].0, operands[2].0];
        let Some(&ir) = irs.last() else {
            self.push0(Opcode::MachineEffect, number, Type::VOID, words);
            return Ok(None);
        };
        let v = self.b.push1(Opcode::Machine, number, ir, words, ir);
        // It must be done even if its last result is unused.
        let Some((ir, addr)) = first else {
            let v = if kept { self.b.unary(Opcode::Opaque, v) } else { v };
            return Ok(Some(v.into()));
        };
        let v = self.b.unary(Opcode::Opaque, v);
        let memory = self.b.load(ir, addr, 0, MemFlags::new(STRIDE, false));
        Ok(Some(self.pair(memory, v)))
    }

    /// `llvm.x86.tbm.bextri`: as many bits as the constant's second byte says, from that of the number in its first byte on.
    pub(crate) fn extract_bits(&mut self, ir: Type) -> Result<Value> {
        let (_, v) = self.operand(0)?;
        let [start, length, ..] = self.constant_operand(1)?.to_le_bytes();
        mismatch_if(self.b.func.value_type(v) != ir)?;
        if u32::from(start) >= ir.bits() {
            return Ok(self.b.iconst(ir, 0));
        }
        let v = self.with_immediate(Opcode::Lshr, v, start.into());
        if u32::from(length) >= ir.bits() {
            return Ok(v);
        }
        Ok(self.with_immediate(Opcode::And, v, (1 << length) - 1))
    }

    /// `llvm.x86.addcarry` and `subborrow`: the carry is set if its operand is not 0.
    pub(crate) fn add_carry(&mut self, subtract: bool, ret: TypeId) -> Result<Val> {
        let ((carry_ty, carry), (ty, a), (other, b)) = (self.operand(0)?, self.operand(1)?, self.operand(2)?);
        let ir = self.types.ir(ty);
        // Older versions store the sum to an address.
        let addr = match self.s.call.vals.len() {
            4 => Some(self.operand(3)?).filter(|a| a.0 == PTR).map(|a| a.1),
            _ => None,
        };
        let fits = if addr.is_some() { ret == I8 } else { self.is_pair(ret, I8, ty) };
        mismatch_if(!fits || carry_ty != I8 || ty != other || !ir.is_int())?;
        let op = if subtract { Opcode::UsubOv } else { Opcode::UaddOv };
        let zero = self.b.iconst(Type::I8, 0);
        let carry = self.b.icmp(IntCc::Ne, carry, zero);
        let carry = self.b.convert(Opcode::Zext, carry, ir);
        let (sum, first) = self.b.overflow(op, a, b);
        let (sum, second) = self.b.overflow(op, sum, carry);
        let out: Value = self.b.binary(Opcode::Or, first, second);
        let out = self.b.convert(Opcode::Zext, out, Type::I8);
        if let Some(addr) = addr {
            self.b.store(sum, addr, 0, MemFlags::new(1, false));
            return Ok(out.into());
        }
        Ok(self.pair(out, sum))
    }
}
