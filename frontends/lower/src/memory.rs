//! Memory: allocation, access, atomics.

use gusset_abi::Arch;
use gusset_codegen::ir::{
    AtomicInfo, Callee, CmpxchgInfo, FunctionBuilder, InstData, IntCc, MemFlags, Opcode, Ordering, RmwOp, SlotKind,
    StackProtector, Type, Value,
};
use gusset_codegen::libcall::LibCall;
use gusset_program::{Atomic, I1, I8, Kind, PTR, Refusal, Result, Sink, TypeId, Val, refuse_if};

use crate::function::FunctionLowering;
use crate::verify::{check_exchange, check_load, check_store};

/// Bytes of a variable that is no part of the frame.
const HUGE: u128 = 1 << 28;

impl FunctionLowering<'_> {
    /// `alloca` of a number of elements of a type, one if there is no count; `in_block` for an `inalloca` one.
    pub fn alloca(&mut self, ty: TypeId, count: Option<Val>, align: u32, in_block: bool) -> Result<Val> {
        let d = *self.types.get(ty);
        let entry = self.block == self.b.func.layout[0];
        let constant = match count {
            None => Some(1),
            Some(v) => self.b.func.int_constant(v.value()),
        };
        if in_block {
            let protector = self.b.func.attrs.stack_protector;
            if protector == StackProtector::Arrays && self.array_kind(ty, false) == SlotKind::LargeArray {
                // The argument block is not a stack slot that could request a guard.
                self.b.func.attrs.stack_protector = StackProtector::Always;
            }
            return self.argument_block(constant, d.size, align);
        }
        // Frames do not reach as far as addresses of 64 bits do: what is huge is taken from the stack like what has no constant size.
        // A function that probes the stack does so for the frame.
        let apart = self.ptr == Type::I64 && self.b.func.attrs.probe_function.is_none();
        let huge = apart && constant.is_some_and(|n| n.saturating_mul(d.size.into()) >= HUGE);
        if let (Some(n), true) = (constant, entry && !huge) {
            let size = n.checked_mul(d.size as u128).and_then(|n| u32::try_from(n).ok());
            let size = size.ok_or_else(|| Refusal::new("stack objects of 4 GB and more are not supported"))?;
            let slot = self.b.func.make_slot(size, align);
            if self.b.func.attrs.stack_protector != StackProtector::None {
                self.b.func.slots[slot.index()].kind = self.slot_kind(ty, n);
            }
            return Ok(self.b.slot_addr(slot).into());
        }
        let all = constant.unwrap_or(1).checked_mul(d.size.into());
        let reached = all.is_some_and(|all| all >> (8 * self.types.layout.pointer_bytes) == 0);
        refuse_if(!reached, "a stack object is larger than addresses reach")?;
        let bytes = match count {
            None => self.b.ptr_const(d.size as i64),
            Some(v) => {
                let v = self.at_pointer_width(v.value(), false)?;
                let size = self.b.ptr_const(d.size as i64);
                match d.size {
                    1 => v,
                    _ => self.fold_binary(Opcode::Imul, v, size)?,
                }
            }
        };
        // On ARM libgcc has no such function, and LLVM takes variables from the stack as ever.
        if self.b.func.attrs.split_stack && self.m.target.arch != Arch::Arm {
            return self.split_alloca(bytes, align).map(Val::from);
        }
        Ok(self.stack_alloc(bytes, align).into())
    }

    fn stack_alloc(&mut self, bytes: Value, align: u32) -> Value {
        self.b.push1(Opcode::StackAlloc, 0, self.ptr, [bytes.0, align, 0], self.ptr)
    }

    /// A variable of so many bytes on a split stack: libgcc has room for it if the stack has none (LLVM,
    /// `X86TargetLowering::EmitLoweredSegAlloca`).
    fn split_alloca(&mut self, bytes: Value, align: u32) -> Result<Value> {
        const UNIT: i64 = 16;
        refuse_if(
            i64::from(align) > UNIT,
            "a variable of more than 16 bytes' alignment on a split stack is not supported",
        )?;
        // Where the thread's block has the limit: in fs or gs.
        let (limit, space) = if self.m.target.arch == Arch::X86_64 { (0x70, 2) } else { (0x30, 1) };
        let unit = self.b.ptr_const(UNIT - 1);
        let more = self.b.binary(Opcode::Iadd, bytes, unit);
        let mask = self.b.ptr_const(-UNIT);
        let bytes = self.b.binary(Opcode::And, more, mask);
        let limit = self.b.ptr_const(limit);
        let limit = self.b.load(self.ptr, limit, 0, MemFlags::new(self.ptr.store_bytes(), false).in_space(space));
        let now = self.b.push1(Opcode::StackSave, 0, self.ptr, [0; 3], self.ptr);
        let then = self.b.binary(Opcode::Isub, now, bytes);
        let full = self.b.icmp(IntCc::Sgt, limit, then);
        let (given, own, done) = (self.new_block(), self.new_block(), self.new_block());
        let place = self.b.func.append_param(done, self.ptr);
        let (yes, no) = (self.edge(given), self.edge(own));
        self.push0(Opcode::Br, 0, Type::VOID, [full.0, yes.0, no.0]);
        self.b.switch_to(given);
        let (call, _) = self.runtime_call(Callee::Library(LibCall::MorestackAllocate), PTR, &[(PTR, bytes)])?;
        let found = self.b.func.result(call);
        self.jump_with(done, found);
        self.b.switch_to(own);
        let found = self.stack_alloc(bytes, align);
        self.jump_with(done, found);
        self.b.switch_to(done);
        Ok(place)
    }

    /// What a stack protector makes of a variable of `count` elements of a type (LLVM's `StackProtector` pass).
    fn slot_kind(&mut self, ty: TypeId, count: u128) -> SlotKind {
        let strong = self.b.func.attrs.stack_protector >= StackProtector::Strong;
        if count != 1 {
            return match count >= self.guarded_array.into() {
                true => SlotKind::LargeArray,
                false if strong => SlotKind::SmallArray,
                false => SlotKind::Variable,
            };
        }
        self.array_kind(ty, strong)
    }

    /// What it makes of a type, by the arrays in it. Unless the attribute is a strong one, only arrays of bytes count.
    fn array_kind(&mut self, ty: TypeId, strong: bool) -> SlotKind {
        match self.types.get(ty).kind {
            Kind::Array { element, .. } if strong || element == I8 => {
                if self.types.get(ty).size >= self.guarded_array.into() {
                    SlotKind::LargeArray
                } else if strong {
                    SlotKind::SmallArray
                } else {
                    SlotKind::Variable
                }
            }
            Kind::Struct { start, len, .. } => {
                if let Some(&known) = self.s.slot_kinds.get(&ty) {
                    return known;
                }
                let mut kind = SlotKind::Variable;
                for i in 0..len as usize {
                    kind = kind.max(self.array_kind(self.types.members(start, len)[i].ty, strong));
                }
                self.s.slot_kinds.insert(ty, kind);
                kind
            }
            _ => SlotKind::Variable,
        }
    }

    /// Loads a value from address space `space`.
    #[inline(always)]
    pub fn load(&mut self, ty: TypeId, addr: Val, align: u32, volatile: bool, space: u8) -> Result<Val> {
        let ir = self.types.ir(ty);
        if ir != Type::VOID {
            return Ok(self.b.load(ir, addr.value(), 0, MemFlags::new(align, volatile).in_space(space)).into());
        }
        check_ordinary(space)?;
        self.load_parts(ty, addr.value(), align, volatile)
    }

    /// Stores a value to address space `space`.
    #[inline(always)]
    pub fn store(&mut self, ty: TypeId, val: Val, addr: Val, align: u32, volatile: bool, space: u8) -> Result<()> {
        if self.types.ir(ty) != Type::VOID {
            let flags = MemFlags::new(align, volatile || space != 0).in_space(space);
            self.b.store(val.value(), addr.value(), 0, flags);
            return Ok(());
        }
        check_ordinary(space)?;
        self.store_parts(ty, val, addr.value(), align, volatile)
    }

    // Atomics.

    /// The integer type of an atomic access to `ty`.
    pub(crate) fn atomic_type(&self, ty: TypeId) -> Result<Type> {
        let ir = self.types.ir(ty);
        let bits = ir.bits();
        match Type::int(bits) {
            Some(int) if ir != Type::VOID && (8..=4096).contains(&bits) && bits.is_power_of_two() => Ok(int),
            _ => Err(Refusal::new("this type has no atomic access")),
        }
    }

    /// An atomic load.
    pub fn atomic_load(&mut self, ty: TypeId, addr: Val, access: Atomic) -> Result<Val> {
        check_load(access.ordering)?;
        let int = self.atomic_type(ty)?;
        let v = match self.is_wide_atomic(int) {
            true => {
                check_ordinary(access.space)?;
                self.wide_atomic_load(int, addr.value(), access.ordering)?
            }
            false => self.b.atomic_load(int, addr.value(), atomic_info(access, int)),
        };
        let ir = self.types.ir(ty);
        Ok(as_type(&mut self.b, v, ir).into())
    }

    /// An atomic store.
    pub fn atomic_store(&mut self, ty: TypeId, val: Val, addr: Val, access: Atomic) -> Result<()> {
        check_store(access.ordering)?;
        let int = self.atomic_type(ty)?;
        let v = as_type(&mut self.b, val.value(), int);
        if self.is_wide_atomic(int) {
            check_ordinary(access.space)?;
            return self.wide_atomic_store(int, addr.value(), v, access.ordering);
        }
        self.b.atomic_store(v, addr.value(), atomic_info(access, int));
        Ok(())
    }

    /// `fence`, perhaps within a single thread only.
    pub fn fence(&mut self, ordering: Ordering, single_thread: bool) {
        self.push0(Opcode::Fence, 0, Type::VOID, [ordering as u32 | (single_thread as u32) << 3, 0, 0]);
    }

    /// `cmpxchg`: the type of its pair, and the pair.
    pub fn cmpxchg(
        &mut self,
        addr: Val,
        ty: TypeId,
        [expected, new]: [Val; 2],
        access: Atomic,
        failure: Ordering,
    ) -> Result<(TypeId, Val)> {
        check_exchange(access.ordering, failure)?;
        let int = self.atomic_type(ty)?;
        let aligned = access.align.is_none_or(|a| a >= int.store_bytes());
        let (expected, new) = (as_type(&mut self.b, expected.value(), int), as_type(&mut self.b, new.value(), int));
        let (old, ok) = if self.is_wide_atomic(int) {
            check_ordinary(access.space)?;
            self.wide_exchange(int, addr.value(), [expected, new], [access.ordering, failure])?
        } else {
            let flags = CmpxchgInfo::new(access.ordering, failure, access.volatile, aligned).in_space(access.space).0;
            let data = InstData { op: Opcode::Cmpxchg, flags, ty: int, a: addr.0, b: expected.0, c: new.0 };
            let i = self.b.push(data, &[int, Type::I1]);
            let old = self.b.func.result(i);
            (old, Value(old.0 + 1))
        };
        let ir = self.types.ir(ty);
        let old = as_type(&mut self.b, old, ir);
        let pair = self.types.structure(&[ty, I1], false)?;
        Ok((pair, self.pair(old, ok)))
    }

    /// An `atomicrmw`.
    pub fn atomicrmw(&mut self, op: RmwOp, addr: Val, ty: TypeId, val: Val, access: Atomic) -> Result<Val> {
        let combines = match op {
            RmwOp::Fadd => Some(Opcode::Fadd),
            RmwOp::Fsub => Some(Opcode::Fsub),
            RmwOp::Fmax => Some(Opcode::Fmaxnum),
            RmwOp::Fmin => Some(Opcode::Fminnum),
            _ => None,
        };
        let float = combines.is_some();
        let fits = match self.types.get(ty).kind {
            Kind::Vector { .. } => float && self.lane_kind(ty) == Some(Kind::Float),
            Kind::Float => float || op == RmwOp::Xchg,
            Kind::Int => !float,
            Kind::Ptr => op == RmwOp::Xchg,
            _ => false,
        };
        refuse_if(!fits, "the atomic operation does not work on this type")?;
        refuse_if(access.ordering == Ordering::Unordered, "an `atomicrmw` cannot be `unordered`")?;
        if let Some(op) = combines.filter(|_| !matches!(self.types.ir(ty), Type::F32 | Type::F64)) {
            let (int, ir) = (self.atomic_type(ty)?, self.types.ir(ty));
            let old = self.exchange_loop((int, addr.value()), access, |l, old| {
                let number = as_type(&mut l.b, old, ir);
                let new = l.b.binary(op, number, val.value());
                as_type(&mut l.b, new, int)
            })?;
            return Ok(as_type(&mut self.b, old, ir).into());
        }
        let int = self.atomic_type(ty)?;
        let v = if float { val.value() } else { as_type(&mut self.b, val.value(), int) };
        let old = match self.is_wide_atomic(int) {
            true => {
                check_ordinary(access.space)?;
                self.wide_atomicrmw(op, int, [addr.value(), v], access)?
            }
            false => self.b.atomic_rmw(op, addr.value(), v, atomic_info(access, int)),
        };
        let ir = self.types.ir(ty);
        Ok(as_type(&mut self.b, old, ir).into())
    }

    /// `va_arg` on the list at an address.
    pub fn va_arg(&mut self, list: Val, ty: TypeId) -> Result<Val> {
        self.check_aggregate(ty)?;
        let lanes = "a `va_arg` of a vector with lanes of this width or number is not supported";
        refuse_if(self.types.dissolves() && self.has_lanes(ty), lanes)?;
        let convention = self.b.func.signature().source.convention;
        let steps = self.sigs.va_arg(convention, ty, self.types)?;
        let ir = self.types.ir(ty);
        if ir != Type::VOID {
            return Ok(self.b.va_arg(list.value(), &steps, ir).into());
        }
        let to = self.result_slot(ty, 1);
        self.b.va_arg_copy(list.value(), &steps, to);
        let align = self.types.get(ty).align;
        self.load_parts(ty, to, align, false)
    }
}

/// The same bits as a `ty`.
pub(crate) fn as_type(b: &mut FunctionBuilder<'_>, v: Value, ty: Type) -> Value {
    if b.func.value_type(v) == ty { v } else { b.convert(Opcode::Bitcast, v, ty) }
}

/// The IR's data about an atomic access to an integer.
fn atomic_info(access: Atomic, int: Type) -> AtomicInfo {
    let align = access.align.unwrap_or(int.store_bytes());
    AtomicInfo::new(access.ordering, align, access.volatile).in_space(access.space)
}

/// Checks that `space` is the default address space: aggregates, and integers of more than two words that are accessed atomically, are
/// not relative to a segment register.
fn check_ordinary(space: u8) -> Result<()> {
    match space {
        0 => Ok(()),
        _ => Err(Refusal::new(
            "this type of access is not supported relative to a segment register (`addrspace(256)` to `addrspace(258)`)",
        )),
    }
}
