//! Atomic operations that are loops around a compare-and-exchange, and copies whose elements are atomic.

use gusset_codegen::ir::{AtomicInfo, Block, CmpxchgInfo, InstData, IntCc, MemFlags, Opcode, Ordering, Type, Value};
use gusset_program::{Atomic, PTR, Refusal, Result, Sink, mismatch_if, refuse_if};

use crate::function::FunctionLowering;

impl FunctionLowering<'_> {
    /// An `atomicrmw` that no machine has an instruction for, of an integer type that stands for the value's: the value that was there.
    /// `combine` makes the new value of the old one.
    pub(crate) fn exchange_loop(
        &mut self,
        (int, addr): (Type, Value),
        access: Atomic,
        combine: impl FnOnce(&mut Self, Value) -> Value,
    ) -> Result<Value> {
        let align = access.align.unwrap_or(int.store_bytes());
        let wide = self.is_wide_atomic(int);
        let first = match wide {
            // A torn read does no harm: the comparison fails.
            true => self.b.load(int, addr, 0, MemFlags::new(1, access.volatile)),
            false => {
                let info = AtomicInfo::new(Ordering::Monotonic, align, access.volatile).in_space(access.space);
                self.b.atomic_load(int, addr, info)
            }
        };
        let (again, done) = (self.new_block(), self.new_block());
        let old = self.b.func.append_param(again, int);
        self.jump_with(again, first);
        self.b.switch_to(again);
        let new = combine(self, old);
        let orderings = [access.ordering, access.ordering.of_failure()];
        let (found, equal) = if wide {
            self.wide_exchange(int, addr, [old, new], orderings)?
        } else {
            let aligned = align >= int.store_bytes();
            let flags = CmpxchgInfo::new(orderings[0], orderings[1], access.volatile, aligned).in_space(access.space).0;
            let data = InstData { op: Opcode::Cmpxchg, flags, ty: int, a: addr.0, b: old.0, c: new.0 };
            let exchange = self.b.push(data, &[int, Type::I1]);
            let found = self.b.func.result(exchange);
            (found, Value(found.0 + 1))
        };
        let (end, back) = (self.edge(done), self.edge(again));
        self.b.func.append_edge_arg(back, found);
        self.push0(Opcode::Br, 0, Type::VOID, [equal.0, end.0, back.0]);
        self.b.switch_to(done);
        Ok(old)
    }

    pub(crate) fn jump_with(&mut self, to: Block, v: Value) {
        let edge = self.edge(to);
        self.b.func.append_edge_arg(edge, v);
        self.push0(Opcode::Jump, 0, Type::VOID, [edge.0, 0, 0]);
    }

    /// `llvm.memcpy.element.unordered.atomic`, and `memmove`, of elements of the size that the last operand says. LLVM
    /// calls functions that no common library has.
    pub(crate) fn copy_elements(&mut self, overlaps: bool) -> Result<()> {
        let ((a, to), (b, from)) = (self.operand(0)?, self.operand(1)?);
        mismatch_if(a != PTR || b != PTR)?;
        let (ty, len) = self.elements()?;
        if !overlaps {
            self.each_element(len, ty, false, |l, at| l.copy_element(ty, to, from, at));
            return Ok(());
        }
        // Later elements come first if the destination begins within the source.
        let (forward, backward, done) = (self.new_block(), self.new_block(), self.new_block());
        let distance = self.b.binary(Opcode::Isub, to, from);
        let within = self.b.icmp(IntCc::Ult, distance, len);
        let edges = [self.edge(backward), self.edge(forward)];
        self.push0(Opcode::Br, 0, Type::VOID, [within.0, edges[0].0, edges[1].0]);
        for (block, falls) in [(forward, false), (backward, true)] {
            self.b.switch_to(block);
            self.each_element(len, ty, falls, |l, at| l.copy_element(ty, to, from, at));
            let edge = self.edge(done);
            self.push0(Opcode::Jump, 0, Type::VOID, [edge.0, 0, 0]);
        }
        self.b.switch_to(done);
        Ok(())
    }

    /// `llvm.memset.element.unordered.atomic`.
    pub(crate) fn set_elements(&mut self) -> Result<()> {
        let ((a, to), (_, byte)) = (self.operand(0)?, self.operand(1)?);
        mismatch_if(a != PTR || self.b.func.value_type(byte) != Type::I8)?;
        let (ty, len) = self.elements()?;
        let mut value = byte;
        if ty != Type::I8 {
            let wide = self.b.convert(Opcode::Zext, byte, ty);
            let ones = self.b.iconst(ty, ((u128::MAX / 0xff) >> (128 - ty.bits())) as i128);
            value = self.b.binary(Opcode::Imul, wide, ones);
        }
        self.each_element(len, ty, false, |l, at| {
            let place = l.b.index(to, at, 1);
            l.b.atomic_store(value, place, unordered(ty));
        });
        Ok(())
    }

    /// The type of the elements, and the length in bytes.
    fn elements(&mut self) -> Result<(Type, Value)> {
        let (_, len) = self.operand(2)?;
        mismatch_if(!self.b.func.value_type(len).is_int())?;
        let size = self.constant_operand(3)?;
        let ty = u32::try_from(size).ok().filter(|size| matches!(size, 1 | 2 | 4 | 8 | 16));
        let ty = ty.and_then(|size| Type::int(8 * size));
        let ty = ty.ok_or_else(|| Refusal::new("the element size is no power of two up to 16"))?;
        let whole = self.b.func.int_constant(len).is_none_or(|len| len % size == 0);
        refuse_if(!whole, "the length is no multiple of the element size")?;
        Ok((ty, self.at_pointer_width(len, false)?))
    }

    fn copy_element(&mut self, ty: Type, to: Value, from: Value, at: Value) {
        let place = self.b.index(from, at, 1);
        let v = self.b.atomic_load(ty, place, unordered(ty));
        let place = self.b.index(to, at, 1);
        self.b.atomic_store(v, place, unordered(ty));
    }

    /// A loop over the offsets of the elements, which rise or fall.
    fn each_element(&mut self, len: Value, ty: Type, falls: bool, body: impl FnOnce(&mut Self, Value)) {
        let (head, inside, done) = (self.new_block(), self.new_block(), self.new_block());
        let at = self.b.func.append_param(head, self.ptr);
        let zero = self.b.iconst(self.ptr, 0);
        let (first, last) = if falls { (len, zero) } else { (zero, len) };
        self.jump_with(head, first);
        self.b.switch_to(head);
        let more = self.b.icmp(IntCc::Ne, at, last);
        let (then, end) = (self.edge(inside), self.edge(done));
        self.push0(Opcode::Br, 0, Type::VOID, [more.0, then.0, end.0]);
        self.b.switch_to(inside);
        let size = self.b.iconst(self.ptr, ty.store_bytes().into());
        let next = self.b.binary(if falls { Opcode::Isub } else { Opcode::Iadd }, at, size);
        body(self, if falls { next } else { at });
        self.jump_with(head, next);
        self.b.switch_to(done);
    }
}

fn unordered(ty: Type) -> AtomicInfo {
    AtomicInfo::new(Ordering::Unordered, ty.store_bytes(), false)
}
