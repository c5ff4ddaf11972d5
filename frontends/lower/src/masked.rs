//! Masked memory access, lane by lane, each behind a branch.

use gusset_codegen::ir::{MemFlags, Opcode, Type, Value};

use crate::function::{FunctionLowering, Val};
use crate::refusal::{Refusal, Result, mismatch_if};
use crate::types::{Kind, PTR, TypeId};

impl FunctionLowering<'_> {
    /// A branch around something done only if `cond` holds; the value it gives, if any, or else `other`.
    pub(crate) fn guarded(
        &mut self,
        cond: Value,
        other: Option<Value>,
        f: impl FnOnce(&mut Self) -> Option<Value>,
    ) -> Option<Value> {
        let (then, join) = (self.new_block(), self.new_block());
        let (t, e) = (self.edge(then), self.edge(join));
        let ty = other.map(|v| self.b.func.value_type(v));
        if let Some(v) = other {
            self.b.func.append_edge_arg(e, v);
        }
        self.push0(Opcode::Br, 0, Type::VOID, [cond.0, t.0, e.0]);
        self.b.switch_to(then);
        let v = f(self);
        let j = self.edge(join);
        if let Some(v) = v {
            self.b.func.append_edge_arg(j, v);
        }
        self.push0(Opcode::Jump, 0, Type::VOID, [j.0, 0, 0]);
        let result = ty.map(|ty| self.b.func.append_param(join, ty));
        self.b.switch_to(join);
        result
    }

    pub(crate) fn lane_of(&mut self, v: Value, i: u32) -> Value {
        let i = self.b.iconst(Type::I32, i as i128);
        self.b.extract_lane(v, i)
    }

    /// Where a masked access to lane `i` goes: to an address of its own, or an offset from one.
    fn masked_place(&mut self, addr: Value, i: u32, bytes: u32) -> (Value, i32) {
        if self.b.func.value_type(addr).is_vector() { (self.lane_of(addr, i), 0) } else { (addr, (i * bytes) as i32) }
    }

    /// The number of an argument behind the alignment, which is an attribute since LLVM 22.
    fn behind_align(&self, old: usize, all: usize) -> usize {
        if self.s.call.vals.len() < all { old - 1 } else { old }
    }

    /// Checks the address, mask and type of a masked access; gives the bytes of a lane.
    fn masked_lane(&self, addr: (TypeId, Value), many: bool, mask: Value, ir: Type) -> Result<u32> {
        let mask = self.b.func.value_type(mask);
        let one = match self.types.get(addr.0).kind {
            Kind::Ptr => !many,
            Kind::Vector { lane: PTR, len } => many && len == ir.lanes(),
            _ => false,
        };
        mismatch_if(!one || !ir.is_vector() || mask.lane() != Type::I1 || mask.lanes() != ir.lanes())?;
        let bits = ir.lane_bits();
        if !bits.is_multiple_of(8) || ir.lane() == Type::F80 {
            return Err(Refusal::new("masked access to lanes of this width is not supported"));
        }
        Ok(bits / 8)
    }

    /// `llvm.masked.load(ptr, [align,] mask, pass-through)` and `llvm.masked.gather`, lane by lane.
    pub(crate) fn masked_load(&mut self, gather: bool, ret: TypeId) -> Result<Val> {
        let addr = self.operand(0)?;
        let (_, mask) = self.operand(self.behind_align(2, 4))?;
        let (ty, mut v) = self.operand(self.behind_align(3, 4))?;
        let ir = self.types.ir(ret);
        mismatch_if(ty != ret)?;
        let bytes = self.masked_lane(addr, gather, mask, ir)?;
        for i in 0..ir.lanes() {
            let cond = self.lane_of(mask, i);
            let index = self.b.iconst(Type::I32, i as i128);
            let old = v;
            let loaded = self.guarded(cond, Some(old), |r| {
                let (place, offset) = r.masked_place(addr.1, i, bytes);
                let x = r.b.load(ir.lane(), place, offset, MemFlags::new(1, false));
                Some(r.b.insert_lane(old, x, index))
            });
            v = loaded.unwrap_or(old);
        }
        Ok(v.0)
    }

    /// `llvm.masked.store(value, ptr, [align,] mask)` and `llvm.masked.scatter`, lane by lane.
    pub(crate) fn masked_store(&mut self, scatter: bool) -> Result<()> {
        let ((_, v), addr) = (self.operand(0)?, self.operand(1)?);
        let (_, mask) = self.operand(self.behind_align(3, 4))?;
        let ir = self.b.func.value_type(v);
        let bytes = self.masked_lane(addr, scatter, mask, ir)?;
        for i in 0..ir.lanes() {
            let cond = self.lane_of(mask, i);
            self.guarded(cond, None, |r| {
                let x = r.lane_of(v, i);
                let (place, offset) = r.masked_place(addr.1, i, bytes);
                r.b.store(x, place, offset, MemFlags::new(1, false));
                None
            });
        }
        Ok(())
    }
    /// Goes through the lanes of a mask: `f` gets each lane that is set and the address of the next element in memory.
    fn dense(
        &mut self,
        ir: Type,
        addr: (TypeId, Value),
        mask: Value,
        start: Option<Value>,
        mut f: impl FnMut(&mut Self, u32, Value, Option<Value>) -> Option<Value>,
    ) -> Result<Option<Value>> {
        let bytes = self.masked_lane(addr, false, mask, ir)?;
        let (mut at, mut v) = (addr.1, start);
        for i in 0..ir.lanes() {
            let cond = self.lane_of(mask, i);
            let place = at;
            let old = v;
            v = self.guarded(cond, old, |r| f(r, i, place, old)).or(old);
            let step = self.b.convert(Opcode::Zext, cond, self.ptr);
            at = self.b.index(place, step, bytes as i32);
        }
        Ok(v)
    }

    /// `llvm.masked.expandload(ptr, mask, pass-through)`.
    pub(crate) fn expand_load(&mut self, ret: TypeId) -> Result<Val> {
        let (addr, (_, mask)) = (self.operand(0)?, self.operand(1)?);
        let (ty, v) = self.operand(2)?;
        let ir = self.types.ir(ret);
        mismatch_if(ty != ret)?;
        let result = self.dense(ir, addr, mask, Some(v), |r, i, place, old| {
            let index = r.b.iconst(Type::I32, i as i128);
            let x = r.b.load(ir.lane(), place, 0, MemFlags::new(1, false));
            old.map(|old| r.b.insert_lane(old, x, index))
        })?;
        Ok(result.unwrap_or(v).0)
    }

    /// `llvm.masked.compressstore(value, ptr, mask)`.
    pub(crate) fn compress_store(&mut self) -> Result<()> {
        let ((_, v), addr) = (self.operand(0)?, self.operand(1)?);
        let (_, mask) = self.operand(2)?;
        let ir = self.b.func.value_type(v);
        let store = |r: &mut Self, i: u32, place: Value, _: Option<Value>| {
            let x = r.lane_of(v, i);
            r.b.store(x, place, 0, MemFlags::new(1, false));
            None
        };
        self.dense(ir, addr, mask, None, store).map(drop)
    }
}
