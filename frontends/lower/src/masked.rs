//! Masked memory access, lane by lane, each after a branch.

use gusset_codegen::ir::{FunctionBuilder, MemFlags, Opcode, Type, Value};
use gusset_program::{Kind, PTR, Refusal, Result, Sink, TypeId, Val, mismatch_if, refuse_if};

use crate::function::{FunctionLowering, Scratch};

/// Where the lanes of a masked access are in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lanes {
    /// Contiguous, including those that are not set.
    All,
    /// Contiguous, only those that are set.
    Dense,
    /// At addresses of their own.
    Scattered,
}

pub(crate) const WIDTH: &str = "masked access to lanes of this width is not supported";

impl FunctionLowering<'_> {
    /// Makes a branch around code that runs only if `cond` holds; the result is the value that it gives, if any, or
    /// otherwise `other`.
    fn guarded(
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

    /// Checks that the alignment, if it is operand `i`, is a constant power of two. For scattered lanes it may be 0,
    /// their natural alignment.
    fn check_align(&self, lanes: Lanes, i: usize) -> Result<()> {
        if self.s.call.vals.len() < 4 {
            return Ok(());
        }
        let align = self.constant_operand(i)?;
        let own = align == 0 && lanes == Lanes::Scattered;
        refuse_if(!own && !align.is_power_of_two(), "the alignment is not a power of two")
    }

    /// `llvm.masked.load(ptr, [align,] mask, pass-through)`, `llvm.masked.gather` and `llvm.masked.expandload`.
    pub(crate) fn masked_load(&mut self, lanes: Lanes, ret: TypeId) -> Result<Val> {
        refuse_if(self.types.is_dissolved(ret), WIDTH)?;
        let addr = self.operand(0)?;
        self.check_align(lanes, 1)?;
        let (_, mask) = self.operand(self.s.aligned_operand(2))?;
        let (ty, v) = self.operand(self.s.aligned_operand(3))?;
        mismatch_if(ty != ret)?;
        self.masked_access(lanes, addr, mask, v, false).map(Val::from)
    }

    /// `llvm.masked.store(value, ptr, [align,] mask)`, `llvm.masked.scatter` and `llvm.masked.compressstore`.
    pub(crate) fn masked_store(&mut self, lanes: Lanes) -> Result<()> {
        let ((_, v), addr) = (self.operand(0)?, self.operand(1)?);
        self.check_align(lanes, 2)?;
        let (_, mask) = self.operand(self.s.aligned_operand(3))?;
        self.masked_access(lanes, addr, mask, v, true).map(drop)
    }

    /// `llvm.experimental.vector.histogram.add` and its kin: combines a number with those in memory, one after another.
    pub(crate) fn histogram(&mut self, op: Opcode) -> Result<()> {
        let ((pointers, at), (ty, step), (_, mask)) = (self.operand(0)?, self.operand(1)?, self.operand(2)?);
        let (ir, flags) = (self.types.ir(ty), self.b.func.value_type(mask));
        let fits = match self.types.get(pointers).kind {
            Kind::Vector { lane: PTR, len } => len == flags.lanes() && flags.lane() == Type::I1 && flags.is_vector(),
            _ => false,
        };
        mismatch_if(!fits || !ir.is_int() || !ir.bits().is_multiple_of(8))?;
        for i in 0..flags.lanes() {
            let cond = lane_of(&mut self.b, mask, i);
            self.guarded(cond, None, |l| {
                let place = lane_of(&mut l.b, at, i);
                let old = l.b.load(ir, place, 0, MemFlags::new(1, false));
                let new = l.b.binary(op, old, step);
                l.b.store(new, place, 0, MemFlags::new(1, false));
                None
            });
        }
        Ok(())
    }

    /// Stores the lanes of `v` that the mask selects, or loads them; returns `v` with the loaded lanes.
    pub(crate) fn masked_access(
        &mut self,
        lanes: Lanes,
        (pointer, addr): (TypeId, Value),
        mask: Value,
        mut v: Value,
        store: bool,
    ) -> Result<Value> {
        let (ir, flags) = (self.b.func.value_type(v), self.b.func.value_type(mask));
        let fits = match self.types.get(pointer).kind {
            Kind::Ptr => lanes != Lanes::Scattered,
            Kind::Vector { lane: PTR, len } => lanes == Lanes::Scattered && len == ir.lanes(),
            _ => false,
        };
        mismatch_if(!fits || !ir.is_vector() || flags.lane() != Type::I1 || flags.lanes() != ir.lanes())?;
        if !ir.lane_bits().is_multiple_of(8) || ir.lane() == Type::F80 {
            return Err(Refusal::new(WIDTH));
        }
        let bytes = ir.lane_bits() as i32 / 8;
        let mut at = addr;
        for i in 0..ir.lanes() {
            let cond = lane_of(&mut self.b, mask, i);
            let old = v;
            let loaded = self.guarded(cond, Some(old).filter(|_| !store), |r| {
                let stored = store.then(|| lane_of(&mut r.b, old, i));
                let (place, offset) = match lanes {
                    Lanes::All => (at, i as i32 * bytes),
                    Lanes::Dense => (at, 0),
                    Lanes::Scattered => (lane_of(&mut r.b, at, i), 0),
                };
                let Some(x) = stored else {
                    let x = r.b.load(ir.lane(), place, offset, MemFlags::new(1, false));
                    let index = r.b.iconst(Type::I32, i as i128);
                    return Some(r.b.insert_lane(old, x, index));
                };
                r.b.store(x, place, offset, MemFlags::new(1, false));
                None
            });
            v = loaded.unwrap_or(old);
            if lanes == Lanes::Dense {
                let step = self.b.convert(Opcode::Zext, cond, self.ptr);
                at = self.b.index(at, step, bytes);
            }
        }
        Ok(v)
    }
}

impl Scratch {
    /// The index of an argument that follows the alignment, which has been an attribute since LLVM 22; `old` is its
    /// index before that.
    fn aligned_operand(&self, old: usize) -> usize {
        if self.call.vals.len() < 4 { old - 1 } else { old }
    }
}

pub(crate) fn lane_of(b: &mut FunctionBuilder<'_>, v: Value, i: u32) -> Value {
    let i = b.iconst(Type::I32, i as i128);
    b.extract_lane(v, i)
}
