//! Memory: allocation, access, address arithmetic, atomics.

use gusset_codegen::ir::{
    AtomicInfo, CmpxchgInfo, ConstData, InstData, MemFlags, Opcode, Ordering, RmwOp, SlotKind, StackProtector, Type,
    Value,
};

use crate::body::{Reader, Val};
use crate::error::{ReadError, Result};
use crate::instructions::NOTHING;
use crate::types::{I1, I8, Kind, PTR, TypeId};
use crate::words as w;

impl<'r> Reader<'r> {
    /// Reads `, align n`, if it stands here.
    #[inline]
    fn align_clause(&mut self) -> Result<Option<u32>> {
        // As printed, and one digit.
        const PRINTED: u64 = u64::from_le_bytes(*b", align ");
        if let Some(text) = self.c.src.get(self.c.pos..self.c.pos + 10) {
            let mut raw = [0; 8];
            raw.copy_from_slice(&text[..8]);
            if u64::from_le_bytes(raw) == PRINTED
                && matches!(text[8], b'1' | b'2' | b'4' | b'8')
                && !text[9].is_ascii_digit()
            {
                let n = (text[8] - b'0') as u32;
                self.c.pos += 9;
                if !self.c.eat_line_end() {
                    self.c.ws();
                }
                return Ok(Some(n));
            }
        }
        let mut next = self.c;
        if next.eat(b',') && next.eat_word(b"align") {
            self.c = next;
            return crate::attributes::parse_align(&mut self.c).map(Some);
        }
        Ok(None)
    }

    /// Reads an `alloca` behind its keyword.
    pub fn alloca(&mut self) -> Result<(TypeId, Val)> {
        let block = self.c.eat_word(b"inalloca");
        self.c.eat_word(b"swifterror");
        let pos = self.c.pos;
        let ty = self.types.parse(&mut self.c)?;
        if !self.types.is_sized(ty) {
            return Err(ReadError::new(self.c.src, pos, "the type has no size"));
        }
        let d = *self.types.get(ty);
        let mut align = self.types.preferred_align(ty);
        let mut count = None;
        loop {
            if let Some(n) = self.align_clause()? {
                align = n;
                continue;
            }
            let mut next = self.c;
            if !next.eat(b',') || next.peek() == b'!' {
                break;
            }
            if next.eat_word(b"addrspace") {
                let at = next.pos;
                if self.types.address_space(&mut next)? != PTR {
                    return Err(ReadError::new(next.src, at, "there is no stack relative to this segment register"));
                }
                self.c = next;
                continue;
            }
            if count.is_some() {
                break;
            }
            self.c = next;
            let at = self.c.pos;
            let (ty, v) = self.typed_scalar()?;
            if self.types.get(ty).kind != Kind::Int {
                return Err(ReadError::new(self.c.src, at, "the number of elements must be an integer"));
            }
            count = Some((v, at));
        }
        let entry = self.block == self.b.func.layout[0];
        let constant = match count {
            None => Some(1),
            Some((v, _)) => self.b.func.int_constant(v),
        };
        if block {
            let protector = self.b.func.attrs.stack_protector;
            if protector == StackProtector::Arrays && self.array_kind(ty, false) == SlotKind::LargeArray {
                // The block is no slot that could say so.
                self.b.func.attrs.stack_protector = StackProtector::Always;
            }
            return self.argument_block(constant, d.size, align, pos);
        }
        if let (Some(n), true) = (constant, entry) {
            let size = n.checked_mul(d.size as u128).and_then(|n| u32::try_from(n).ok());
            let Some(size) = size else {
                return Err(ReadError::new(self.c.src, pos, "stack objects of 4 GB and more are not supported"));
            };
            let slot = self.b.func.make_slot(size, align);
            if self.b.func.attrs.stack_protector != StackProtector::None {
                self.b.func.slots[slot.index()].kind = self.slot_kind(ty, n);
            }
            return Ok((PTR, self.b.slot_addr(slot).0));
        }
        let bytes = match count {
            None => self.b.ptr_const(d.size as i64),
            Some((v, at)) => {
                // The number of elements is unsigned.
                let from = self.b.func.value_type(v);
                let v = match (self.b.func.int_constant(v), from.bits() < self.ptr.bits()) {
                    (Some(n), _) => self.b.iconst(self.ptr, n as i128),
                    (None, true) => self.b.convert(Opcode::Zext, v, self.ptr),
                    (None, false) => self.at_pointer_width(v, at)?,
                };
                let size = self.b.ptr_const(d.size as i64);
                match d.size {
                    1 => v,
                    _ => self.fold_binary(Opcode::Imul, v, size, at)?,
                }
            }
        };
        Ok((PTR, self.b.push1(Opcode::StackAlloc, 0, self.ptr, [bytes.0, align, 0], self.ptr).0))
    }

    /// What a stack protector thinks of a variable of `count` elements of a type (LLVM's `StackProtector` pass).
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

    /// The same for one of a type: by the arrays in it. Unless the attribute is a strong one, arrays of bytes alone count.
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

    /// Reads a `load` behind its keyword.
    #[inline]
    pub fn load(&mut self) -> Result<(TypeId, Val)> {
        let atomic = self.c.peek() == b'a' && self.c.eat_word(b"atomic");
        let volatile = self.c.peek() == b'v' && self.c.eat_word(b"volatile");
        let pos = self.c.pos;
        let ty = self.types.parse(&mut self.c)?;
        self.pointed_type()?;
        let (addr, space) = self.spaced_pointer()?;
        if atomic && space == 0 {
            return self.atomic_load(ty, addr, volatile, pos);
        }
        let align = self.align_clause()?.unwrap_or(self.types.get(ty).align);
        let ir = self.types.ir(ty);
        if ir != Type::VOID && !atomic {
            return Ok((ty, self.b.load(ir, addr, 0, MemFlags::new(align, volatile).in_space(space)).0));
        }
        self.check_ordinary(space, pos)?;
        Ok((ty, self.load_parts(ty, addr, align, volatile, pos)?))
    }

    /// Moves over the comma between the type that is accessed and the pointer.
    #[inline(always)]
    fn pointed_type(&mut self) -> Result<()> {
        if self.types.pointee(&self.c).is_some() && self.c.peek() != b',' {
            let m = "the type that is accessed must stand before the pointer: `T, T* %p`";
            return Err(self.c.error(m));
        }
        self.c.expect(b',')
    }

    /// Reads a `store` behind its keyword.
    #[inline]
    pub fn store(&mut self) -> Result<(TypeId, Val)> {
        let atomic = self.c.peek() == b'a' && self.c.eat_word(b"atomic");
        let volatile = self.c.peek() == b'v' && self.c.eat_word(b"volatile");
        let pos = self.c.pos;
        let ty = self.types.parse(&mut self.c)?;
        let val = self.value(ty)?;
        self.c.expect(b',')?;
        let (addr, space) = self.spaced_pointer()?;
        if atomic && space == 0 {
            return self.atomic_store(ty, val, addr, volatile, pos);
        }
        let align = self.align_clause()?.unwrap_or(self.types.get(ty).align);
        if space != 0 && self.types.ir(ty) != Type::VOID && !atomic {
            self.b.store(Value(val), addr, 0, MemFlags::new(align, true).in_space(space));
            return Ok(NOTHING);
        }
        self.check_ordinary(space, pos)?;
        self.store_parts(ty, val, addr, align, volatile, pos)?;
        Ok(NOTHING)
    }

    /// Only plain scalars and vectors are accessed relative to a segment register.
    fn check_ordinary(&self, space: u8, pos: usize) -> Result<()> {
        if space == 0 {
            return Ok(());
        }
        Err(ReadError::new(self.c.src, pos, "this type of access is not supported relative to a segment register"))
    }

    // Address arithmetic.

    /// Reads a `getelementptr` behind its keyword, as an instruction or as an expression in parentheses.
    pub fn gep(&mut self, expression: bool) -> Result<(TypeId, Val)> {
        while matches!(self.c.peek(), b'i' | b'n') {
            let (key, len) = self.c.peek_key();
            const INBOUNDS: u128 = crate::lexer::key(b"inbounds");
            const INRANGE: u128 = crate::lexer::key(b"inrange");
            const NUSW: u128 = crate::lexer::key(b"nusw");
            const NUW: u128 = crate::lexer::key(b"nuw");
            if !matches!(key, INBOUNDS | INRANGE | NUSW | NUW) {
                break;
            }
            self.c.bump(len);
            if key == INRANGE && self.c.peek() == b'(' {
                self.c.skip_group()?;
            }
        }
        if expression {
            self.c.expect(b'(')?;
        }
        let pos = self.c.pos;
        let mut ty = self.types.parse(&mut self.c)?;
        if !self.types.is_sized(ty) {
            return Err(ReadError::new(self.c.src, pos, "the type has no size"));
        }
        self.pointed_type()?;
        let at = self.c.pos;
        let (base_ty, base, mut lanes) = if let Some(v) = self.local_pointer()? {
            (PTR, v, None)
        } else {
            let ty = self.types.parse(&mut self.c)?;
            let lanes = match self.types.get(ty).kind {
                Kind::Ptr => None,
                Kind::Vector { lane, len } if self.types.get(lane).kind == Kind::Ptr => Some(len),
                _ => return Err(ReadError::expected(self.c.src, at, "`ptr` or a vector of it")),
            };
            (ty, self.scalar(ty)?, lanes)
        };
        let mut v = base;
        let mut offset = 0i64;
        let mut first = true;
        loop {
            let mut at = self.c.pos + 2;
            let index = if let Some(n) = self.c.short_index() {
                Index::Constant(n as i64)
            } else {
                let mut next = self.c;
                if !next.eat(b',') || next.peek() == b'!' {
                    break;
                }
                self.c = next;
                if expression {
                    self.c.eat_word(b"inrange");
                }
                at = self.c.pos;
                self.index(&mut lanes)?
            };
            // The first index counts whole objects, the others go into the type.
            let scale = if first {
                first = false;
                self.types.get(ty).size
            } else {
                match (self.types.get(ty).kind, index) {
                    (Kind::Struct { .. }, Index::Constant(n)) => {
                        let Some((member, _, at)) = u64::try_from(n).ok().and_then(|n| self.types.element(ty, n))
                        else {
                            return Err(ReadError::new(self.c.src, at, "the struct has no such member"));
                        };
                        ty = member;
                        offset = offset.wrapping_add(at as i64);
                        continue;
                    }
                    (Kind::Struct { .. }, _) => {
                        return Err(ReadError::new(self.c.src, at, "the member of a struct must be a constant"));
                    }
                    (Kind::Array { element, .. }, _) => ty = element,
                    (Kind::Vector { lane, .. }, _) => ty = lane,
                    _ => return Err(ReadError::new(self.c.src, at, "the type has no elements")),
                }
                self.types.get(ty).size
            };
            match index {
                Index::Constant(n) => offset = offset.wrapping_add(n.wrapping_mul(scale as i64)),
                Index::Variable(i) => {
                    self.check_unfrozen(at)?;
                    let i = self.at_pointer_width(i, at)?;
                    if lanes.is_none() && scale <= i32::MAX as u64 {
                        if scale != 0 {
                            v = self.b.index(v, i, scale as i32);
                        }
                    } else {
                        let c = self.b.ptr_const(scale as i64);
                        let i = self.b.binary(Opcode::Imul, i, c);
                        v = self.add_lanes(v, i, lanes);
                    }
                }
                Index::Vector(i) => {
                    self.check_unfrozen(at)?;
                    v = self.add_vector(v, i, scale, lanes.unwrap_or(1), at)?;
                }
            }
        }
        if expression {
            self.c.expect(b')')?;
        }
        let Some(len) = lanes else {
            return Ok((base_ty, self.add_constant(v, offset, pos)?.0));
        };
        let ty = self.types.vector(self.lane_type(base_ty), len).map_err(|m| ReadError::new(self.c.src, pos, m))?;
        let ir = self.types.ir(ty);
        if !self.b.func.value_type(v).is_vector() {
            self.check_unfrozen(pos)?;
            v = self.b.convert(Opcode::Splat, v, ir);
        }
        if offset != 0 {
            self.check_unfrozen(pos)?;
            let c = self.b.ptr_const(offset);
            let c = self.splat_constant(ir, c);
            v = self.b.binary(Opcode::Iadd, v, c);
        }
        Ok((ty, v.0))
    }

    /// Reads an index of an address with `lanes` lanes, if that is a vector.
    fn index(&mut self, lanes: &mut Option<u32>) -> Result<Index> {
        let at = self.c.pos;
        let ty = self.types.parse(&mut self.c)?;
        let constant_or = |r: &Self, v: Value| match r.b.func.int_constant_signed(v) {
            Some(n) => Index::Constant(n),
            None => Index::Variable(v),
        };
        Ok(match self.types.get(ty).kind {
            Kind::Int if self.c.peek().is_ascii_digit() || self.c.peek() == b'-' => {
                let n = self.integer()?;
                let shift = 64 - self.types.ir(ty).bits().min(64);
                Index::Constant((n as i64) << shift >> shift)
            }
            Kind::Int if self.c.peek() != b'%' => {
                let v = self.scalar(ty)?;
                constant_or(self, v)
            }
            Kind::Int => Index::Variable(self.scalar(ty)?),
            // Cut to the width of a pointer.
            Kind::Wide { .. } => {
                let val = self.value(ty)?;
                constant_or(self, self.part(ty, val, 0))
            }
            Kind::Vector { lane, len } if self.types.get(lane).kind == Kind::Int => {
                if lanes.is_some_and(|n| n != len) {
                    let message = "the vectors of the address have different lengths";
                    return Err(ReadError::new(self.c.src, at, message));
                }
                *lanes = Some(len);
                let v = self.scalar(ty)?;
                match self.splat_of(v) {
                    Some(n) => Index::Constant(n),
                    None => Index::Vector(v),
                }
            }
            _ => return Err(ReadError::new(self.c.src, at, "an index must be an integer")),
        })
    }

    /// The number that every lane of a constant vector holds.
    fn splat_of(&self, v: Value) -> Option<i64> {
        let Some(ConstData::Vector { start, len }) = self.b.func.constant(v) else {
            return None;
        };
        let mut lanes = self.b.func.vector_lanes(start, len).map(|l| self.b.func.int_constant_signed(l));
        let first = lanes.next()??;
        lanes.all(|l| l == Some(first)).then_some(first)
    }

    /// An offset modulo the size of the address space.
    pub fn wrapped(&self, offset: i64) -> i64 {
        if self.ptr == Type::I32 { offset as i32 as i64 } else { offset }
    }

    /// `v + offset`.
    pub fn add_constant(&mut self, v: Value, offset: i64, pos: usize) -> Result<Value> {
        if offset == 0 {
            return Ok(v);
        }
        let c = match self.b.func.constant(v) {
            Some(ConstData::Symbol(s, at)) => {
                let at = self.wrapped(at.wrapping_add(offset));
                return Ok(self.b.symbol_addr(s, at));
            }
            Some(ConstData::Int(n)) => return Ok(self.b.iconst(self.ptr, (n as i128).wrapping_add(offset as i128))),
            Some(ConstData::Poison) if self.b.func.value_type(v) == self.ptr => self.b.ptr_const(offset),
            _ => self.b.ptr_const(offset),
        };
        self.check_unfrozen(pos)?;
        Ok(self.b.binary(Opcode::Iadd, v, c))
    }

    /// `v + i`, either of which may be a scalar that stands for all lanes.
    fn add_lanes(&mut self, v: Value, i: Value, lanes: Option<u32>) -> Value {
        let shape = lanes.and_then(|n| Type::vector(self.ptr, n));
        let (v, i) = match shape {
            Some(ir) => (self.splatted(v, ir), self.splatted(i, ir)),
            None => (v, i),
        };
        self.b.binary(Opcode::Iadd, v, i)
    }

    fn splatted(&mut self, v: Value, ir: Type) -> Value {
        if self.b.func.value_type(v).is_vector() { v } else { self.b.convert(Opcode::Splat, v, ir) }
    }

    fn add_vector(&mut self, v: Value, i: Value, scale: u64, lanes: u32, pos: usize) -> Result<Value> {
        let Some(ir) = Type::vector(self.ptr, lanes) else {
            return Err(ReadError::new(self.c.src, pos, "vectors of this length are not supported"));
        };
        let bits = self.b.func.value_type(i).lane_bits();
        let i = match bits.cmp(&self.ptr.bits()) {
            std::cmp::Ordering::Less => self.b.convert(Opcode::Sext, i, ir),
            std::cmp::Ordering::Greater => self.b.convert(Opcode::Trunc, i, ir),
            std::cmp::Ordering::Equal => i,
        };
        let c = self.b.ptr_const(scale as i64);
        let c = self.splat_constant(ir, c);
        let i = if scale == 1 { i } else { self.b.binary(Opcode::Imul, i, c) };
        Ok(self.add_lanes(v, i, Some(lanes)))
    }

    // Atomics.

    /// Reads an optional `syncscope`; whether it is the single thread's.
    fn sync_scope(&mut self) -> Result<bool> {
        if !self.c.eat_word(b"syncscope") {
            return Ok(false);
        }
        self.c.expect(b'(')?;
        let scope = self.c.string()?;
        self.c.expect(b')')?;
        Ok(scope == b"singlethread")
    }

    fn ordering(&mut self) -> Result<Ordering> {
        let (key, len) = self.c.peek_key();
        let o = match key {
            w::UNORDERED => Ordering::Unordered,
            w::MONOTONIC => Ordering::Monotonic,
            w::ACQUIRE => Ordering::Acquire,
            w::RELEASE => Ordering::Release,
            w::ACQ_REL => Ordering::AcqRel,
            w::SEQ_CST => Ordering::SeqCst,
            _ => return Err(self.c.expected("a memory ordering")),
        };
        self.c.bump(len);
        Ok(o)
    }

    /// The integer type by which an atomic access to `ty` is made.
    fn atomic_type(&self, ty: TypeId, pos: usize) -> Result<Type> {
        let ir = self.types.ir(ty);
        let bits = ir.bits();
        match Type::int(bits) {
            Some(int) if ir != Type::VOID && bits >= 8 && bits.is_power_of_two() => Ok(int),
            _ => Err(ReadError::new(self.c.src, pos, "this type has no atomic access")),
        }
    }

    fn as_type(&mut self, v: Value, ty: Type) -> Value {
        if self.b.func.value_type(v) == ty { v } else { self.b.convert(Opcode::Bitcast, v, ty) }
    }

    fn atomic_load(&mut self, ty: TypeId, addr: Value, volatile: bool, pos: usize) -> Result<(TypeId, Val)> {
        self.sync_scope()?;
        let ordering = self.ordering()?;
        let int = self.atomic_type(ty, pos)?;
        let align = self.align_clause()?.unwrap_or(int.store_bytes());
        let v = self.b.atomic_load(int, addr, AtomicInfo::new(ordering, align, volatile));
        let ir = self.types.ir(ty);
        Ok((ty, self.as_type(v, ir).0))
    }

    fn atomic_store(&mut self, ty: TypeId, v: Val, addr: Value, volatile: bool, pos: usize) -> Result<(TypeId, Val)> {
        self.sync_scope()?;
        let ordering = self.ordering()?;
        let int = self.atomic_type(ty, pos)?;
        let align = self.align_clause()?.unwrap_or(int.store_bytes());
        let v = self.as_type(Value(v), int);
        self.b.atomic_store(v, addr, AtomicInfo::new(ordering, align, volatile));
        Ok(NOTHING)
    }

    /// Reads a `fence` behind its keyword.
    pub fn fence(&mut self) -> Result<(TypeId, Val)> {
        let single = self.sync_scope()?;
        let ordering = self.ordering()?;
        self.push0(Opcode::Fence, 0, Type::VOID, [ordering as u32 | (single as u32) << 3, 0, 0]);
        Ok(NOTHING)
    }

    /// Reads a `cmpxchg` behind its keyword.
    pub fn cmpxchg(&mut self) -> Result<(TypeId, Val)> {
        self.c.eat_word(b"weak");
        let volatile = self.c.eat_word(b"volatile");
        let addr = self.pointer()?;
        self.c.expect(b',')?;
        let pos = self.c.pos;
        let (ty, expected) = self.typed_scalar()?;
        self.c.expect(b',')?;
        let new = self.same_type(ty)?;
        self.sync_scope()?;
        let success = self.ordering()?;
        let failure = self.ordering()?;
        let align = self.align_clause()?;
        let int = self.atomic_type(ty, pos)?;
        let aligned = align.is_none_or(|a| a >= int.store_bytes());
        let (expected, new) = (self.as_type(expected, int), self.as_type(new, int));
        let flags = CmpxchgInfo::new(success, failure, volatile, aligned).0;
        let data = InstData { op: Opcode::Cmpxchg, flags, ty: int, a: addr.0, b: expected.0, c: new.0 };
        let i = self.b.push(data, &[int, Type::I1]);
        let old = self.b.func.result(i);
        let ok = Value(old.0 + 1);
        let ir = self.types.ir(ty);
        let old = self.as_type(old, ir);
        let pair = self.types.structure(&[ty, I1], false).map_err(|m| ReadError::new(self.c.src, pos, m))?;
        let start = self.s.aggregates.len();
        self.s.aggregates.extend([old, ok]);
        Ok((pair, start as Val))
    }

    /// Reads an `atomicrmw` behind its keyword.
    pub fn atomicrmw(&mut self) -> Result<(TypeId, Val)> {
        let volatile = self.c.eat_word(b"volatile");
        let word = self.c.peek_word();
        let op = match word {
            b"xchg" => RmwOp::Xchg,
            b"add" => RmwOp::Add,
            b"sub" => RmwOp::Sub,
            b"and" => RmwOp::And,
            b"nand" => RmwOp::Nand,
            b"or" => RmwOp::Or,
            b"xor" => RmwOp::Xor,
            b"max" => RmwOp::Max,
            b"min" => RmwOp::Min,
            b"umax" => RmwOp::Umax,
            b"umin" => RmwOp::Umin,
            b"fadd" => RmwOp::Fadd,
            b"fsub" => RmwOp::Fsub,
            b"fmax" => RmwOp::Fmax,
            b"fmin" => RmwOp::Fmin,
            b"uinc_wrap" => RmwOp::UincWrap,
            b"udec_wrap" => RmwOp::UdecWrap,
            b"usub_cond" | b"usub_sat" | b"fmaximum" | b"fminimum" => {
                return Err(self.c.error("this atomic operation is not supported yet"));
            }
            _ => return Err(self.c.expected("an atomic operation")),
        };
        self.c.bump(word.len());
        let addr = self.pointer()?;
        self.c.expect(b',')?;
        let pos = self.c.pos;
        let (ty, v) = self.typed_scalar()?;
        self.sync_scope()?;
        let ordering = self.ordering()?;
        let align = self.align_clause()?;
        let ir = self.types.ir(ty);
        let float = matches!(op, RmwOp::Fadd | RmwOp::Fsub | RmwOp::Fmax | RmwOp::Fmin);
        let fits = match self.types.get(ty).kind {
            Kind::Float => float || op == RmwOp::Xchg,
            Kind::Int => !float,
            Kind::Ptr => op == RmwOp::Xchg,
            _ => false,
        };
        if !fits {
            return Err(ReadError::new(self.c.src, pos, "the atomic operation does not work on this type"));
        }
        let int = self.atomic_type(ty, pos)?;
        let info = AtomicInfo::new(ordering, align.unwrap_or(int.store_bytes()), volatile);
        let v = if float { v } else { self.as_type(v, int) };
        let old = self.b.atomic_rmw(op, addr, v, info);
        Ok((ty, self.as_type(old, ir).0))
    }

    /// Reads a `va_arg` behind its keyword.
    pub fn va_arg(&mut self) -> Result<(TypeId, Val)> {
        let list = self.pointer()?;
        self.c.expect(b',')?;
        let pos = self.c.pos;
        let ty = self.types.parse(&mut self.c)?;
        self.check_aggregate(ty, pos)?;
        let convention = self.b.func.signature().source.convention;
        let steps = self.sigs.va_arg(convention, ty, self.types).map_err(|m| ReadError::new(self.c.src, pos, m))?;
        let ir = self.types.ir(ty);
        if ir != Type::VOID {
            return Ok((ty, self.b.va_arg(list, &steps, ir).0));
        }
        let to = self.result_slot(ty);
        self.b.va_arg_copy(list, &steps, to);
        let align = self.types.get(ty).align;
        Ok((ty, self.load_parts(ty, to, align, false, pos)?))
    }
}

#[derive(Clone, Copy)]
enum Index {
    Constant(i64),
    Variable(Value),
    Vector(Value),
}
