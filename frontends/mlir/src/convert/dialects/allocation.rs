//! Memory of memrefs: on the heap by the selected functions, or on the stack.
//!
//! MLIR, "'memref' Dialect", `memref.alloc`, `alloca`, `dealloc`, `realloc`; "LLVM IR Target", "Generic allocation and
//! deallocation functions". MLIR's passes align elements such as vectors by their size, whatever that is; here they
//! have the alignment of their type, which accesses rely on.

use gusset_abi::memref::{Allocation, Allocator};
use gusset_codegen::ir::{IntCc, Opcode};
use gusset_program::{Cast, Compare, I1, PTR, Sink, TypeId, TypeTable, VOID, Val};
use gusset_text::{Placed, Result};

use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::dialect::MemrefDescriptor;
use crate::syntax::op::{Op, Value};
use crate::syntax::types::layout::Memref as MemrefType;
use crate::syntax::types::{DYNAMIC, Kind};

impl<'r, E: Sink> Reader<'r, E> {
    /// Sizes and strides of a new memref with these dynamic sizes, and the number of its elements.
    pub fn new_shape(&mut self, m: &MemrefType, dynamic: &[Value], pos: usize) -> Result<(Vec<Val>, Vec<Val>, Val)> {
        let wanted = m.sizes.iter().filter(|&&n| n == DYNAMIC).count();
        self.src.refuse_if(dynamic.len() < wanted, pos, "there are not as many sizes as the type has `?`")?;
        let mut next = dynamic.iter();
        let mut sizes = Vec::with_capacity(m.rank());
        for &n in &m.sizes {
            sizes.push(match next.as_slice().first() {
                Some(&v) if n == DYNAMIC => {
                    next.next();
                    self.one(v)
                }
                _ => self.index(n),
            });
        }
        self.check_reach(m, pos)?;
        let mut strides = vec![self.index(1); m.rank()];
        let mut total = self.index(1);
        for i in (0..m.rank()).rev() {
            strides[i] = total;
            total = self.index_op(Opcode::Imul, total, sizes[i], pos)?;
        }
        // For a layout with gaps: from the first to the last element.
        if !m.identity && m.is_static() && m.rank() > 0 {
            let last: i64 = m.sizes.iter().zip(&m.strides).map(|(&n, &s)| (n - 1).max(0).wrapping_mul(s)).sum();
            total = self.index(last.wrapping_add(1).wrapping_add(m.offset));
        }
        Ok((sizes, strides, total))
    }

    /// An error if what is known about a memref's shape exceeds the target's addresses or indexes.
    fn check_reach(&mut self, m: &MemrefType, pos: usize) -> Result<()> {
        let (element, types) = (self.element_type(m, pos)?, self.l.types());
        let bits = (8 * types.get(PTR).size).min(types.ir(self.t.index).bits().into()).min(64);
        let known = m.sizes.iter().filter(|&&n| n != DYNAMIC);
        let count = match m.identity {
            true => known.fold(1, |n: u128, &d| n.saturating_mul(d.max(0) as u128)),
            // For a layout with gaps: the distance of the last element from the first.
            false if m.is_static() => {
                let steps = m.sizes.iter().zip(&m.strides);
                let last = steps.map(|(&n, &s)| (n - 1).max(0) as u128 * u128::from(s.unsigned_abs()));
                last.fold(1, u128::saturating_add)
            }
            false => 0,
        };
        let bytes = count.saturating_mul(types.get(element).size.into());
        self.src.refuse_if(
            bytes >> bits != 0,
            pos,
            "the memref has more bytes than the target's indices and addresses reach",
        )
    }

    pub fn bytes_of(&mut self, element: TypeId, count: Val, pos: usize) -> Result<Val> {
        let size = self.l.types().get(element).size as i64;
        let size = self.index(size);
        self.index_op(Opcode::Imul, count, size, pos)
    }

    pub fn alloc(&mut self, op: &Op<'r>) -> Result<Value> {
        self.check_new(op)?;
        let ty = self.result_type(op, 0)?;
        let m = self.memref_of(ty, op.pos)?;
        let dynamic = op.operands[..op.groups.first().copied().unwrap_or(op.operands.len())].to_vec();
        let (sizes, strides, total) = self.new_shape(&m, &dynamic, op.pos)?;
        let element = self.element_type(&m, op.pos)?;
        let bytes = self.bytes_of(element, total, op.pos)?;
        let align = self.attr_int(op, "alignment")?.unwrap_or(0);
        let (allocated, aligned) = self.allocate(element, bytes, align, op.pos)?;
        let offset = self.index(0);
        self.describe(ty, &MemrefDescriptor { allocated, aligned, offset, sizes, strides }, op.pos)
    }

    /// Allocates `bytes` bytes for elements of a type, with at least the requested alignment and theirs; returns the
    /// allocated pointer and the aligned one.
    pub fn allocate(&mut self, element: TypeId, bytes: Val, align: i64, pos: usize) -> Result<(Val, Val)> {
        self.src.refuse_if(align > 0 && align & (align - 1) != 0, pos, "an alignment is a power of two")?;
        let (index, choice) = (self.t.index, self.m.allocation);
        let data = self.l.types().get(element);
        let (size, own) = (data.size, data.align.into());
        if choice.aligned {
            let least = Allocation::default_align(size).max(own);
            let align = u64::try_from(align).ok().filter(|&n| n > 0).unwrap_or(least);
            let rounded =
                if size.is_multiple_of(align) { bytes } else { self.round_up(index, bytes, align as i64, pos)? };
            let align = self.index(align as i64);
            let p = self.call_memory(Allocator::AlignedAlloc, &[align, rounded], pos)?;
            return Ok((p, p));
        }
        // `malloc` aligns for two pointers.
        let free = 2 * self.l.types().get(PTR).size;
        let align = if align <= 1 && own > free { own as i64 } else { align };
        if align <= 1 {
            let p = self.call_memory(Allocator::Alloc, &[bytes], pos)?;
            return Ok((p, p));
        }
        let more = self.index(align);
        let bytes = self.index_op(Opcode::Iadd, bytes, more, pos)?;
        let p = self.call_memory(Allocator::Alloc, &[bytes], pos)?;
        let size = TypeTable::int(8 * self.l.types().get(PTR).size as u32);
        let address = self.l.cast(Cast::Ptrtoint, PTR, p, size).at(self.src, pos)?;
        let up = self.round_up(size, address, align, pos)?;
        let aligned = self.l.cast(Cast::Inttoptr, size, up, PTR).at(self.src, pos)?;
        Ok((p, aligned))
    }

    /// Rounds a number up to a multiple of a power of two.
    fn round_up(&mut self, ty: TypeId, n: Val, to: i64, pos: usize) -> Result<Val> {
        if let Some(n) = self.l.int_constant(n) {
            return Ok(self.l.integer(ty, n.next_multiple_of(to as u128) as i128));
        }
        let (gap, mask) = (self.l.integer(ty, i128::from(to) - 1), self.l.integer(ty, -i128::from(to)));
        let up = self.l.binary(Opcode::Iadd, ty, n, gap).at(self.src, pos)?;
        self.l.binary(Opcode::And, ty, up, mask).at(self.src, pos)
    }

    /// Calls a function that allocates memory: its parameters have the width of C's `size_t`.
    fn call_memory(&mut self, function: Allocator, numbers: &[Val], pos: usize) -> Result<Val> {
        let name = self.m.allocation.name(function);
        let mut args = Vec::with_capacity(numbers.len());
        for &n in numbers {
            args.push(self.as_size(n, pos)?);
        }
        self.call_library(name, PTR, &args, pos)
    }

    /// An index as C's `size_t`.
    pub fn as_size(&mut self, n: Val, pos: usize) -> Result<(TypeId, Val)> {
        let (index, size) = (self.t.index, TypeTable::int(8 * self.l.types().get(PTR).size as u32));
        let (have, want) = (self.l.types().ir(index).bits(), self.l.types().ir(size).bits());
        if have == want {
            return Ok((index, n));
        }
        if let Some(n) = self.l.int_constant(n) {
            return Ok((size, self.l.integer(size, n as i128)));
        }
        let cast = if have < want { Cast::Zext } else { Cast::Trunc };
        Ok((size, self.l.cast(cast, index, n, size).at(self.src, pos)?))
    }

    /// Gives memory back.
    pub fn deallocate(&mut self, allocated: Val, pos: usize) -> Result<()> {
        let name = self.m.allocation.name(Allocator::Free);
        self.call_library(name, VOID, &[(PTR, allocated)], pos).map(drop)
    }

    pub fn memref_alloca(&mut self, op: &Op<'r>) -> Result<Value> {
        self.check_new(op)?;
        let ty = self.result_type(op, 0)?;
        let m = self.memref_of(ty, op.pos)?;
        let dynamic = op.operands[..op.groups.first().copied().unwrap_or(op.operands.len())].to_vec();
        let (sizes, strides, total) = self.new_shape(&m, &dynamic, op.pos)?;
        let element = self.element_type(&m, op.pos)?;
        let own = self.l.types().preferred_align(element);
        let align = self.attr_int(op, "alignment")?.and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
        self.src.refuse_if(!align.is_power_of_two() && align != 0, op.pos, "an alignment is a power of two")?;
        self.allocate_on_stack();
        let p = self.l.alloca(element, Some(total), own.max(align), false).at(self.src, op.pos)?;
        let offset = self.index(0);
        self.describe(ty, &MemrefDescriptor { allocated: p, aligned: p, offset, sizes, strides }, op.pos)
    }

    pub fn dealloc(&mut self, op: &mut Op<'r>) -> Result<()> {
        let v = op.operands[0];
        let allocated = match self.t.own(v.ty) {
            Some(Kind::Unranked { .. }) => {
                let at = self.part(v, 1);
                self.load_at(PTR, at, op.pos)?
            }
            _ => self.fields(v, op.pos)?.allocated,
        };
        self.deallocate(allocated, op.pos)
    }

    pub fn realloc(&mut self, op: &Op<'r>) -> Result<Value> {
        self.check_realloc(op)?;
        let ty = self.result_type(op, 0)?;
        let m = self.memref_of(ty, op.pos)?;
        let old = self.fields(op.operands[0], op.pos)?;
        let dynamic = op.operands[1..].to_vec();
        let (sizes, strides, total) = self.new_shape(&m, &dynamic, op.pos)?;
        self.src.refuse_if(old.sizes.len() != 1 || sizes.len() != 1, op.pos, "only memrefs of one dimension grow")?;
        let element = self.element_type(&m, op.pos)?;
        let bytes = self.bytes_of(element, total, op.pos)?;
        let align = self.attr_int(op, "alignment")?.unwrap_or(0);
        let (allocated, aligned) = self.allocate(element, bytes, align, op.pos)?;
        let had = self.bytes_of(element, old.sizes[0], op.pos)?;
        let index = self.t.index;
        let (_, less) = self.l.compare(Compare::Int(IntCc::Ult), index, had, bytes).at(self.src, op.pos)?;
        let copied = self.l.select((I1, less), index, had, bytes).at(self.src, op.pos)?;
        self.copy_bytes(aligned, old.aligned, copied, op.pos)?;
        self.deallocate(old.allocated, op.pos)?;
        let offset = self.index(0);
        self.describe(ty, &MemrefDescriptor { allocated, aligned, offset, sizes, strides }, op.pos)
    }
}
