//! Lowers calls of intrinsics.

use gusset_abi::Arch;
use gusset_abi::features::SystemRegister;
use gusset_codegen::ir::{
    ConstData, FloatCc, FunctionBuilder, InstData, IntCc, MemFlags, Opcode, Ordering, ReduceOp, Slot, SymbolId, Type,
    Value, ValueDef,
};
use gusset_program::{
    I1, Intrinsic, Kind, PTR, Refusal, Result, TypeId, VOID, Val, intrinsic_mismatch, mismatch_if, refuse_if,
};

use crate::constants::{splat_constant, vector_of, zero_of};
use crate::function::{FunctionLowering, Scratch};
use crate::intrinsics::{Expansion, expansion};
use crate::masked::lane_of;

impl FunctionLowering<'_> {
    /// Argument `i`, which must be a scalar or vector.
    pub(crate) fn operand(&self, i: usize) -> Result<(TypeId, Value)> {
        match (self.s.call.request.params.get(i), self.s.call.vals.get(i)) {
            (Some(&(ty, _)), Some(&val)) if self.types.ir(ty) != Type::VOID => Ok((ty, val.value())),
            _ => Err(intrinsic_mismatch()),
        }
    }

    /// Operands `0..n`, which must have one type that `op` accepts.
    pub(crate) fn alike(&self, op: Opcode, n: usize) -> Result<(TypeId, [Value; 3])> {
        let (ty, first) = self.operand(0)?;
        let mut all = [first; 3];
        for (i, v) in all.iter_mut().enumerate().take(n).skip(1) {
            let (t, x) = self.operand(i)?;
            mismatch_if(t != ty)?;
            *v = x;
        }
        let float =
            op >= Opcode::Fadd && op <= Opcode::Froundeven || matches!(op, Opcode::FptosiSat | Opcode::FptouiSat);
        match self.lane_kind(ty) {
            Some(Kind::Float) if float => Ok((ty, all)),
            Some(Kind::Int) if !float => Ok((ty, all)),
            _ => Err(intrinsic_mismatch()),
        }
    }

    /// Whether `ty` is a struct of these two types, named or not.
    pub(crate) fn is_pair(&self, ty: TypeId, first: TypeId, second: TypeId) -> bool {
        self.pair_types(ty) == Some([first, second])
    }

    pub(crate) fn constant_operand(&self, i: usize) -> Result<u128> {
        let (_, v) = self.operand(i)?;
        match self.b.func.int_constant(v) {
            Some(n) => Ok(n),
            None => Err(Refusal::new(format!("argument {i} must be a constant"))),
        }
    }

    /// Makes the instructions of an intrinsic whose arguments have been read; returns its value, if it has one.
    pub(crate) fn expand(
        &mut self,
        intrinsic: Intrinsic,
        libcall: Option<SymbolId>,
        ret: TypeId,
    ) -> Result<Option<Val>> {
        let ret_ir = self.types.ir(ret);
        if let Intrinsic::Cast(cast) = intrinsic {
            return self.cast_operand(cast, ret).map(Some);
        }
        let value = match intrinsic {
            Intrinsic::Nothing | Intrinsic::Scope { .. } => return Ok(None),
            Intrinsic::Expansion(row) => match expansion(row) {
                Expansion::Effect(make) => return make(self).map(|()| None),
                Expansion::Whole(make) => return make(self, ret).map(Some),
                Expansion::Value(make) => make(self, ret, ret_ir)?,
            },
            Intrinsic::InitTrampoline => return self.init_trampoline().map(|()| None),
            Intrinsic::Trap(op) => {
                self.push0(op, 0, Type::VOID, [0; 3]);
                return Ok(None);
            }
            Intrinsic::Machine { number, kept } => return self.machine_operation(number, kept, ret),
            Intrinsic::Mmx { row, lane, number } => return self.mmx((row, lane, number), ret),
            Intrinsic::Neon(neon) => return self.neon(neon, ret),
            Intrinsic::FloatEnvironment { row, operations } => {
                return self.float_environment(row, operations, libcall, ret);
            }
            Intrinsic::Predicated(row) => return self.predicated(row, ret),
            Intrinsic::Overflow(op) => return self.overflow_pair(op, ret).map(Some),
            Intrinsic::Libm(_) | Intrinsic::Powi | Intrinsic::Frexp | Intrinsic::Modf | Intrinsic::Sincos => {
                let symbol = libcall.ok_or_else(|| Refusal::new("the C library has no function for it"))?;
                return self.library_call(intrinsic, symbol, ret).map(Some);
            }
            Intrinsic::Operation(op) => {
                let n = op.arity();
                let (ty, v) = self.alike(op, n)?;
                let ir = self.types.ir(ty);
                self.check_operation(op, ir)?;
                // Only these intrinsics of LLVM have an operand that says that zero does not occur.
                let counts = matches!(op, Opcode::Ctlz | Opcode::Cttz);
                let never_zero = counts && self.constant_operand(1).is_ok_and(|n| n & 1 != 0);
                self.b.push1(op, never_zero.into(), ir, [0, 1, 2].map(|i| if i < n { v[i].0 } else { 0 }), ir)
            }
            Intrinsic::Reduce(op) => self.reduction(op)?,
            Intrinsic::NamedRegister { writes, number } => return self.named_register(writes, number, ret),
            Intrinsic::AdjustTrampoline => self.adjust_trampoline()?,
            // The reader handles these itself.
            Intrinsic::PreallocatedSetup
            | Intrinsic::PreallocatedArg
            | Intrinsic::PreallocatedTeardown
            | Intrinsic::StackMap(_)
            | Intrinsic::ExceptionCode => {
                return Err(intrinsic_mismatch());
            }
            Intrinsic::Unsupported => return Err(Refusal::new("the intrinsic is not supported yet")),
            Intrinsic::Cast(_) => return Err(intrinsic_mismatch()),
        };
        mismatch_if(ret_ir == Type::VOID)?;
        Ok(Some(value.into()))
    }

    /// `llvm.is.constant`.
    pub(crate) fn is_constant(&mut self, ret: TypeId) -> Result<Val> {
        mismatch_if(ret != I1)?;
        let f = &*self.b.func;
        let number = |v| f.constant_word(v, 0).is_some() || matches!(f.constant(v), Some(ConstData::Float(_)));
        let constant = self.operand(0).is_ok_and(|(_, v)| number(v));
        Ok(self.b.iconst(Type::I1, i128::from(constant)).into())
    }

    /// `llvm.prefetch`.
    pub(crate) fn prefetch(&mut self) -> Result<()> {
        let (ty, addr) = self.operand(0)?;
        mismatch_if(ty != PTR)?;
        let write = self.constant_operand(1)? as u32 & 1;
        let locality = self.constant_operand(2)? as u32 & 3;
        self.push0(Opcode::Prefetch, 0, Type::VOID, [addr.0, write | locality << 1, 0]);
        Ok(())
    }

    /// `llvm.fmuladd`: it may be fused, and is if the baseline has an instruction for it.
    pub(crate) fn multiply_add(&mut self) -> Result<Value> {
        let (ty, v) = self.alike(Opcode::Fma, 3)?;
        let ir = self.types.ir(ty);
        if self.m.target.arch == Arch::Aarch64 && matches!(ir.lane(), Type::F32 | Type::F64) {
            return Ok(self.b.push1(Opcode::Fma, 0, ir, v.map(|v| v.0), ir));
        }
        let product = self.b.binary(Opcode::Fmul, v[0], v[1]);
        Ok(self.b.binary(Opcode::Fadd, product, v[2]))
    }

    /// `llvm.minimumnum` and `llvm.maximumnum` (IEEE 754-2019, section 9.6): of a number and a NaN the number, which
    /// takes the place of the NaN before `op`.
    pub(crate) fn extreme_number(&mut self, op: Opcode) -> Result<Value> {
        let (_, [a, b, _]) = self.alike(op, 2)?;
        let [first, second] = [(a, b), (b, a)].map(|(v, other)| {
            let nan = self.b.fcmp(FloatCc::Uno, v, v);
            self.b.select(nan, other, v)
        });
        Ok(self.b.binary(op, first, second))
    }

    /// A saturating conversion to integers.
    pub(crate) fn saturated(&mut self, op: Opcode, ret: TypeId) -> Result<Value> {
        let (_, v) = self.alike(op, 1)?;
        let (from, to) = (self.b.func.value_type(v[0]), self.types.ir(ret));
        mismatch_if(self.lane_kind(ret) != Some(Kind::Int) || from.lanes() != to.lanes())?;
        Ok(self.b.convert(op, v[0], to))
    }

    /// The distance from the stack pointer to the last dynamic variable, which is where the stack pointer points:
    /// arguments of calls are below it only during the call.
    pub(crate) fn dynamic_area_offset(&mut self, ret: Type) -> Result<Value> {
        mismatch_if(!ret.is_int())?;
        Ok(self.b.iconst(ret, 0))
    }

    /// The return address of a function, or its frame pointer, or that of a caller.
    pub(crate) fn frame_part(&mut self, op: Opcode) -> Result<Value> {
        let (level, most) = (self.constant_operand(0)?, InstData::MOST_CALLERS);
        if level > most.into() {
            return Err(Refusal::new(format!("the frame of a caller more than {most} levels up is not supported")));
        }
        let level = level as u32;
        Ok(self.b.push1(op, 0, self.ptr, [level, 0, 0], self.ptr))
    }

    /// `llvm.read_register` and `llvm.write_register`: the registers that no code here uses for values.
    fn named_register(&mut self, writes: bool, number: Option<u8>, ret: TypeId) -> Result<Option<Val>> {
        let name = String::from_utf8_lossy(&self.s.call.register).trim_end_matches('\0').to_string();
        // The frame pointer is a frame's own.
        let (stack, frame) = match self.m.target.arch {
            Arch::X86 => ("esp", Some("ebp")),
            Arch::X86_64 => ("rsp", Some("rbp")),
            Arch::Aarch64 => ("sp", Some("x29")),
            Arch::Arm => ("sp", None),
        };
        let known = name == stack || Some(&name[..]) == frame && !writes;
        if let (false, Some(number), Some(register)) = (known, number, SystemRegister::named(&name)) {
            return self.system_register(register, number, writes, ret);
        }
        if !known {
            return Err(Refusal::new(format!("access to the register `{name}` is not supported")));
        }
        if writes {
            let (ty, v) = self.operand(1)?;
            mismatch_if(self.types.get(ty).kind != Kind::Int || self.types.ir(ty) != self.ptr || ret != VOID)?;
            self.push0(Opcode::StackRestore, 0, Type::VOID, [v.0, 0, 0]);
            return Ok(None);
        }
        mismatch_if(self.types.get(ret).kind != Kind::Int || self.types.ir(ret) != self.ptr)?;
        let op = if name == stack { Opcode::StackSave } else { Opcode::FrameAddr };
        Ok(Some(self.b.push1(op, 0, self.ptr, [0; 3], self.ptr).into()))
    }

    /// A register that has instructions of its own, by the operation for all of them.
    fn system_register(
        &mut self,
        register: SystemRegister,
        number: u8,
        writes: bool,
        ret: TypeId,
    ) -> Result<Option<Val>> {
        let own = if let SystemRegister::Wide(_) = register { Type::I64 } else { Type::I32 };
        let which = self.b.iconst(Type::I32, register.number().into());
        if writes {
            let v = self.operand(1)?.1;
            mismatch_if(self.b.func.value_type(v) != own || ret != VOID)?;
            self.push0(Opcode::MachineEffect, number, Type::VOID, [which.0, v.0, v.0]);
            return Ok(None);
        }
        mismatch_if(self.types.ir(ret) != own)?;
        let v = self.b.push1(Opcode::Machine, number, own, [which.0; 3], own);
        // Its contents may change.
        Ok(Some(self.b.unary(Opcode::Opaque, v).into()))
    }

    /// `llvm.load.relative`: an address from its distance in memory.
    pub(crate) fn load_relative(&mut self) -> Result<Value> {
        let ((ty, base), (_, offset)) = (self.operand(0)?, self.operand(1)?);
        mismatch_if(ty != PTR || !self.b.func.value_type(offset).is_int())?;
        let offset = self.at_pointer_width(offset, true)?;
        let at = match self.b.func.int_constant_signed(offset) {
            Some(n) => self.add_constant(base, n)?,
            None => self.b.index(base, offset, 1),
        };
        let delta = self.b.load(Type::I32, at, 0, MemFlags::new(4, false));
        let delta = self.at_pointer_width(delta, true)?;
        Ok(self.b.index(base, delta, 1))
    }

    /// `llvm.ptrmask`: an address with some bits cleared.
    pub(crate) fn pointer_mask(&mut self) -> Result<Value> {
        let ((ty, base), (_, mask)) = (self.operand(0)?, self.operand(1)?);
        let pointers = self.lane_type(ty) == PTR && !self.types.is_dissolved(ty);
        mismatch_if(!pointers || self.b.func.value_type(mask) != self.b.func.value_type(base))?;
        Ok(self.b.binary(Opcode::And, base, mask))
    }

    /// The signs of a vector's lanes as the bits of an integer.
    pub(crate) fn move_mask(&mut self, ret_ir: Type) -> Result<Value> {
        let (_, v) = self.operand(0)?;
        let ir = self.b.func.value_type(v);
        let lane = Type::int(ir.lane_bits()).unwrap_or(Type::I8);
        let (Some(ints), Some(flags)) = (ir.with_lane(lane), Type::int(ir.lanes())) else {
            return Err(intrinsic_mismatch());
        };
        mismatch_if(!ir.is_vector() || ret_ir != Type::I32 || ir.lanes() > 31)?;
        let v = if ints == ir { v } else { self.b.convert(Opcode::Bitcast, v, ints) };
        let zero = zero_of(&mut self.b, ints);
        let negative = self.b.icmp(IntCc::Slt, v, zero);
        let bits = self.b.convert(Opcode::Bitcast, negative, flags);
        Ok(self.b.convert(Opcode::Zext, bits, Type::I32))
    }

    /// A result with its overflow flag.
    fn overflow_pair(&mut self, op: Opcode, ret: TypeId) -> Result<Val> {
        let (ty, v) = self.alike(op, 2)?;
        let (flag, _) = self.truth_type(ty)?;
        mismatch_if(!self.is_pair(ret, ty, flag))?;
        let (sum, overflow) = self.b.overflow(op, v[0], v[1]);
        Ok(self.pair(sum, overflow))
    }

    /// A floating-point number multiplied by one.
    pub(crate) fn canonicalize(&mut self, ret_ir: Type) -> Result<Value> {
        let (_, v) = self.alike(Opcode::Fmul, 1)?;
        let lane = ret_ir.lane();
        let one = self.b.func.make_const(lane, ConstData::Float(crate::floats::from_f64(1f64.to_bits(), lane)));
        let one = if ret_ir.is_vector() { splat_constant(&mut self.b, ret_ir, one) } else { one };
        mismatch_if(self.b.func.value_type(one) != self.b.func.value_type(v[0]))?;
        Ok(self.b.binary(Opcode::Fmul, v[0], one))
    }

    /// -1, 0 or 1 if the first number is less than, equal to or greater than the second.
    pub(crate) fn three_way(&mut self, signed: bool, ret_ir: Type) -> Result<Value> {
        let (_, v) = self.alike(Opcode::Iadd, 2)?;
        let from = self.b.func.value_type(v[0]);
        let lane = ret_ir.lane();
        mismatch_if(!lane.is_int() || lane == Type::I1 || from.lanes() != ret_ir.lanes())?;
        let (gt, lt) = if signed { (IntCc::Sgt, IntCc::Slt) } else { (IntCc::Ugt, IntCc::Ult) };
        let (gt, lt) = (self.b.icmp(gt, v[0], v[1]), self.b.icmp(lt, v[0], v[1]));
        let (gt, lt) = (self.b.convert(Opcode::Zext, gt, ret_ir), self.b.convert(Opcode::Zext, lt, ret_ir));
        Ok(self.b.binary(Opcode::Isub, gt, lt))
    }

    /// `llvm.objectsize`: the bytes from an address to the end of its object.
    pub(crate) fn object_size(&mut self, ret_ir: Type) -> Result<Value> {
        mismatch_if(!ret_ir.is_int())?;
        let least = self.constant_operand(1)? != 0;
        let (_, addr) = self.operand(0)?;
        Ok(match room_after(&self.b, addr) {
            Some(bytes) => self.b.iconst(ret_ir, bytes as i128),
            // Unknown: the least or the greatest size, as the operand asks.
            None => self.b.iconst(ret_ir, if least { 0 } else { -1 }),
        })
    }

    /// Intrinsics about argument lists or the stack pointer.
    pub(crate) fn stack_operation(&mut self, op: Opcode) -> Result<()> {
        let (ty, a) = self.operand(0)?;
        let b = if op == Opcode::VaCopy { self.operand(1)? } else { (PTR, Value(0)) };
        mismatch_if(ty != PTR || b.0 != PTR)?;
        refuse_if(
            op == Opcode::VaStart && !self.b.func.signature().variadic,
            "`va_start` in a function without `...`",
        )?;
        self.push0(op, 0, Type::VOID, [a.0, b.1.0, 0]);
        Ok(())
    }

    /// The end of an argument list takes no code. Where each line has an instruction, that of this one is without effect.
    pub(crate) fn va_end(&mut self) -> Result<()> {
        if self.b.func.debug.keeps_variables {
            self.b.compiler_fence(Ordering::SeqCst);
        }
        Ok(())
    }

    fn reduction(&mut self, op: ReduceOp) -> Result<Value> {
        let (v, start) = self.reduced_operands(op)?;
        Ok(self.b.reduce(op, v, start))
    }

    /// A reduction whose order does not matter: the halves of the vector are combined, then the halves of the result,
    /// and so on; the start value comes last.
    pub(crate) fn reduction_by_halves(&mut self, op: ReduceOp) -> Result<Value> {
        let (mut v, start) = self.reduced_operands(op)?;
        let lanewise = match op {
            ReduceOp::Fadd => Opcode::Fadd,
            ReduceOp::Fmul => Opcode::Fmul,
            _ => return Ok(self.b.reduce(op, v, start)),
        };
        let mut lanes = self.b.func.value_type(v).lanes();
        while lanes > 2 && lanes.is_multiple_of(2) {
            lanes /= 2;
            let halves = [0, lanes].map(|first| (first..first + lanes).collect::<Vec<u32>>());
            let low = self.b.shuffle(v, v, &halves[0]).ok_or_else(intrinsic_mismatch)?;
            let high = self.b.shuffle(v, v, &halves[1]).ok_or_else(intrinsic_mismatch)?;
            v = self.b.binary(lanewise, low, high);
        }
        let mut all = lane_of(&mut self.b, v, 0);
        for i in 1..lanes {
            let lane = lane_of(&mut self.b, v, i);
            all = self.b.binary(lanewise, all, lane);
        }
        Ok(start.map_or(all, |start| self.b.binary(lanewise, all, start)))
    }

    /// The vector to reduce, and the start value if the operation has one.
    fn reduced_operands(&mut self, op: ReduceOp) -> Result<(Value, Option<Value>)> {
        let ordered = matches!(op, ReduceOp::Fadd | ReduceOp::Fmul);
        let (ty, v) = self.operand(usize::from(ordered))?;
        let float = op as u8 >= ReduceOp::Fadd as u8;
        let fits = match self.types.get(ty).kind {
            Kind::Vector { lane, .. } => {
                self.types.get(lane).kind == if float { Kind::Float } else { Kind::Int }
                    && (!ordered || self.operand(0)?.0 == lane)
            }
            _ => false,
        };
        mismatch_if(!fits)?;
        let start = if ordered { Some(self.operand(0)?.1) } else { None };
        Ok((v, start))
    }

    /// Lane `i` is whether `base + i < limit`, without wrapping.
    pub(crate) fn active_lane_mask(&mut self, ret: Type) -> Result<Value> {
        let (_, v) = self.alike(Opcode::Iadd, 2)?;
        let ir = self.b.func.value_type(v[0]);
        mismatch_if(!ir.is_int() || ret.lane() != Type::I1 || !ret.is_vector())?;
        let mut lanes = Vec::new();
        for i in 0..ret.lanes() {
            let c = self.b.iconst(ir, i as i128);
            let sum = self.b.binary(Opcode::UaddSat, v[0], c);
            lanes.push(self.b.icmp(IntCc::Ult, sum, v[1]));
        }
        Ok(vector_of(&mut self.b, ret, &lanes))
    }
}

impl Scratch {
    /// The first operand, which must be of the result's type.
    pub(crate) fn first_operand(&mut self, ret: TypeId) -> Result<Val> {
        mismatch_if(self.call.request.params.first().map(|p| p.0) != Some(ret))?;
        Ok(self.call.vals[0])
    }
}

/// A constant of an integer type, or in every lane of a vector.
pub(crate) fn int_splat(b: &mut FunctionBuilder<'_>, ir: Type, n: i128) -> Value {
    let lane = b.iconst(ir.lane(), n);
    if ir.is_vector() { splat_constant(b, ir, lane) } else { lane }
}

/// The bytes from an address in a stack slot to the slot's end.
pub(crate) fn room_after(b: &FunctionBuilder<'_>, addr: Value) -> Option<u64> {
    let (slot, offset) = slot_of(b, addr)?;
    u64::from(b.func.slots[slot.index()].size).checked_sub(offset)
}

/// The stack slot that contains an address, and the offset in it, in bytes.
pub(crate) fn slot_of(b: &FunctionBuilder<'_>, addr: Value) -> Option<(Slot, u64)> {
    let f = &*b.func;
    let (base, offset) = match f.value_def(addr) {
        ValueDef::Inst(i) if f.inst(i).op == Opcode::Iadd => {
            (Value(f.inst(i).a), u64::try_from(f.int_constant(Value(f.inst(i).b))?).ok()?)
        }
        _ => (addr, 0),
    };
    match f.value_def(base) {
        ValueDef::Slot(slot) => Some((slot, offset)),
        _ => None,
    }
}
