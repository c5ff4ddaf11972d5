//! Memrefs whose rank is known only at run time: their descriptors are in memory.
//!
//! "LLVM IR Target", "Unranked MemRef Types"; MLIR, "'memref' Dialect", `memref.copy`, `memref.reshape`.

use gusset_codegen::ir::{IntCc, Opcode};
use gusset_program::{Compare, I1, I8, PTR, Sink, Val};
use gusset_text::{Placed, Result};

use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::op::{Op, Value};
use crate::syntax::types::{INDEX, Kind, Ty};

use super::descriptors::Fields;
use super::scf::Bounds;

/// The members of a descriptor in memory.
struct Stored {
    rank: Val,
    allocated: Val,
    aligned: Val,
    offset: Val,
    /// Address of the sizes, which the strides follow.
    sizes: Val,
    strides: Val,
}

impl<'r, E: Sink> Reader<'r, E> {
    /// Bytes of an index, and of a pointer.
    fn words(&self) -> [i64; 2] {
        [self.t.index, PTR].map(|ty| self.l.types().get(ty).size as i64)
    }

    /// The address `bytes` bytes after a pointer.
    fn after(&mut self, pointer: Val, bytes: i64, pos: usize) -> Result<Val> {
        let bytes = self.index(bytes);
        self.at_index(pointer, I8, bytes, pos)
    }

    /// Index `i` of a list of indexes in memory.
    fn listed(&mut self, list: Val, i: Val, pos: usize) -> Result<Val> {
        let index = self.t.index;
        let at = self.at_index(list, index, i, pos)?;
        self.load_at(index, at, pos)
    }

    /// The members of an unranked memref's descriptor in memory.
    fn stored(&mut self, v: Value, pos: usize) -> Result<Stored> {
        let unranked = matches!(self.t.own(v.ty), Some(Kind::Unranked { .. }));
        self.src.refuse_if(!unranked, pos, "a memref must stand here")?;
        let (rank, place) = (self.part(v, 0), self.part(v, 1));
        let [word, pointer] = self.words();
        let second = self.after(place, pointer, pos)?;
        let allocated = self.load_at(PTR, place, pos)?;
        let aligned = self.load_at(PTR, second, pos)?;
        let third = self.after(place, 2 * pointer, pos)?;
        let zero = self.index(0);
        let offset = self.listed(third, zero, pos)?;
        let sizes = self.after(place, 2 * pointer + word, pos)?;
        let strides = self.at_index(sizes, self.t.index, rank, pos)?;
        Ok(Stored { rank, allocated, aligned, offset, sizes, strides })
    }

    /// The allocated and the aligned pointer of a memref, ranked or not.
    pub(super) fn pointers(&mut self, v: Value, pos: usize) -> Result<[Val; 2]> {
        if self.t.memref(v.ty).is_some() {
            let f = self.fields(v, pos)?;
            return Ok([f.allocated, f.aligned]);
        }
        let s = self.stored(v, pos)?;
        Ok([s.allocated, s.aligned])
    }

    /// A ranked memref as an unranked one of this type: its descriptor is put on the stack.
    pub(super) fn on_stack_as(&mut self, v: Value, to: Ty, pos: usize) -> Result<Value> {
        let rank = self.memref_type(v, pos)?.rank() as i64;
        let (id, _) = self.whole(v)?;
        self.enter_stack(pos)?;
        let place = self.place_for(id, pos)?;
        self.store_value(v, place, pos)?;
        let rank = self.index(rank);
        Ok(self.value(to, &[rank, place]))
    }

    /// `memref.reshape`: the shape is in memory.
    pub(super) fn reshape(&mut self, op: &Op<'r>) -> Result<Value> {
        self.operands_are(op, 2)?;
        let to = self.result_type(op, 0)?;
        let (source, shape) = (op.operands[0], op.operands[1]);
        let (pointers, offset) = match self.t.memref(source.ty).is_some() {
            true => (self.pointers(source, op.pos)?, self.index(0)),
            false => {
                let s = self.stored(source, op.pos)?;
                ([s.allocated, s.aligned], s.offset)
            }
        };
        let Some(m) = self.t.memref(to).cloned() else { return self.reshape_unranked(op, to, pointers, offset) };
        let mut sizes = Vec::with_capacity(m.rank());
        for i in 0..m.rank() {
            let k = self.index_value(i as i64);
            let n = self.load_element(shape, &[k], op.pos)?;
            sizes.push(self.as_index(n, op.pos)?);
        }
        let mut strides = vec![self.index(1); m.rank()];
        for i in (1..m.rank()).rev() {
            strides[i - 1] = self.index_op(Opcode::Imul, strides[i], sizes[i], op.pos)?;
        }
        let [allocated, aligned] = pointers;
        self.describe(to, &Fields { allocated, aligned, offset, sizes, strides }, op.pos)
    }

    /// An integer as an index.
    fn as_index(&mut self, v: Value, pos: usize) -> Result<Val> {
        let (ty, x) = self.single(v, pos)?;
        let index = self.t.index;
        let (a, b) = (self.l.types().ir(ty).bits(), self.l.types().ir(index).bits());
        let cast = match a.cmp(&b) {
            std::cmp::Ordering::Less => gusset_program::Cast::Sext,
            std::cmp::Ordering::Greater => gusset_program::Cast::Trunc,
            std::cmp::Ordering::Equal => return Ok(x),
        };
        self.l.cast(cast, ty, x, index).at(self.src, pos)
    }

    /// Writes a descriptor with as many dimensions as the shape has members, by a loop that begins with the last one.
    fn reshape_unranked(&mut self, op: &Op<'r>, to: Ty, pointers: [Val; 2], offset: Val) -> Result<Value> {
        let (shape, pos) = (op.operands[1], op.pos);
        let rank = self.fields(shape, pos)?.sizes[0];
        let index = self.t.index;
        let [word, pointer] = self.words();
        let bytes = self.descriptor_bytes(rank, pos)?;
        self.enter_stack(pos)?;
        let place = self.l.alloca(I8, Some(bytes), 16, false).at(self.src, pos)?;
        let second = self.after(place, pointer, pos)?;
        self.store_at(PTR, pointers[0], place, pos)?;
        self.store_at(PTR, pointers[1], second, pos)?;
        let third = self.after(place, 2 * pointer, pos)?;
        self.store_at(index, offset, third, pos)?;
        let sizes = self.after(place, 2 * pointer + word, pos)?;
        let strides = self.at_index(sizes, index, rank, pos)?;
        let stride = self.index_value(1);
        let bounds = self.up_to(rank);
        let open = self.open_loop(bounds, &[stride], false, pos)?;
        let i = self.counted_down(rank, open.counter, pos)?;
        let k = self.value(INDEX, &[i]);
        let n = self.load_element(shape, &[k], pos)?;
        let n = self.as_index(n, pos)?;
        let stride = self.one(open.carried[0]);
        for (list, v) in [(sizes, n), (strides, stride)] {
            let at = self.at_index(list, index, i, pos)?;
            self.store_at(index, v, at, pos)?;
        }
        let next = self.index_op(Opcode::Imul, stride, n, pos)?;
        let next = self.value(INDEX, &[next]);
        self.close_loop(&open, &[next], pos)?;
        Ok(self.value(to, &[rank, place]))
    }

    /// The numbers from zero to below `end`.
    pub(super) fn up_to(&mut self, end: Val) -> Bounds {
        let (from, to, step) = (self.index_value(0), self.value(INDEX, &[end]), self.index_value(1));
        Bounds { from, to, step }
    }

    /// `rank - 1 - counter`.
    fn counted_down(&mut self, rank: Val, counter: Value, pos: usize) -> Result<Val> {
        let one = self.index(1);
        let last = self.index_op(Opcode::Isub, rank, one, pos)?;
        let counted = self.one(counter);
        self.index_op(Opcode::Isub, last, counted, pos)
    }

    // Copies.

    /// A copy where at least one memref is unranked: of memory if both are dense, otherwise element by element.
    pub(super) fn copy_unranked(&mut self, from: Value, to: Value, pos: usize) -> Result<()> {
        let element = |r: &Self, v: Value| match r.t.own(v.ty) {
            Some(Kind::Unranked { element, .. }) => Some(*element),
            _ => r.t.memref(v.ty).map(|m| m.element),
        };
        let ty = element(self, from).filter(|&ty| element(self, to) == Some(ty));
        let ty = ty.ok_or_else(|| self.src.error(pos, "the memrefs have other shapes or elements"))?;
        self.check(ty, pos)?;
        let [from, to] = [from, to].map(|v| match self.t.memref(v.ty).is_some() {
            // The other one is unranked.
            true => self.on_stack_as(v, if v.ty == from.ty { to.ty } else { from.ty }, pos),
            false => Ok(v),
        });
        let (from, to) = (self.stored(from?, pos)?, self.stored(to?, pos)?);
        let (total, dense) = self.is_dense([&from, &to], pos)?;
        let [bulk, single, exit] = [(); 3].map(|()| self.l.create_block());
        let (at_once, one_by_one) = (self.l.edge(bulk), self.l.edge(single));
        self.l.br(dense, at_once, one_by_one);
        self.l.start_block(bulk);
        let id = self.t.whole(ty);
        let bytes = self.bytes_of(id, total, pos)?;
        let source = self.at_index(from.aligned, id, from.offset, pos)?;
        let target = self.at_index(to.aligned, id, to.offset, pos)?;
        self.copy_bytes(target, source, bytes, pos)?;
        let e = self.l.edge(exit);
        self.l.jump(e);
        self.l.start_block(single);
        let bounds = self.up_to(total);
        let open = self.open_loop(bounds, &[], false, pos)?;
        let [source, target] = self.element_number(open.counter, &from, &to, pos)?;
        let source = self.at_index(from.aligned, id, source, pos)?;
        let target = self.at_index(to.aligned, id, target, pos)?;
        let v = self.load_value(ty, source, pos)?;
        self.store_value(v, target, pos)?;
        self.close_loop(&open, &[], pos)?;
        let e = self.l.edge(exit);
        self.l.jump(e);
        self.l.start_block(exit);
        Ok(())
    }

    /// The number of a memref's elements, and whether it and another one of the same sizes are dense.
    fn is_dense(&mut self, [a, b]: [&Stored; 2], pos: usize) -> Result<(Val, Val)> {
        let index = self.t.index;
        let (one, yes) = (self.index(1), self.l.integer(I1, 1));
        let inits = [self.value(INDEX, &[one]), self.value(Ty::of(I1), &[yes])];
        let bounds = self.up_to(a.rank);
        let open = self.open_loop(bounds, &inits, false, pos)?;
        let k = self.counted_down(a.rank, open.counter, pos)?;
        let (size, near, far) =
            (self.listed(a.sizes, k, pos)?, self.listed(a.strides, k, pos)?, self.listed(b.strides, k, pos)?);
        let [total, dense] = [open.carried[0], open.carried[1]].map(|v| self.one(v));
        let src = self.src;
        let is = |r: &mut Self, a: Val, b: Val| r.l.compare(Compare::Int(IntCc::Eq), index, a, b).at(src, pos);
        let [(_, first), (_, second), (_, lone)] =
            [is(self, near, total)?, is(self, far, total)?, is(self, size, one)?];
        let both = self.l.binary(Opcode::And, I1, first, second).at(src, pos)?;
        let fits = self.l.binary(Opcode::Or, I1, both, lone).at(src, pos)?;
        let dense = self.l.binary(Opcode::And, I1, dense, fits).at(src, pos)?;
        let total = self.index_op(Opcode::Imul, total, size, pos)?;
        let values = [self.value(INDEX, &[total]), self.value(Ty::of(I1), &[dense])];
        self.close_loop(&open, &values, pos)?;
        Ok((self.one(open.carried[0]), self.one(open.carried[1])))
    }

    /// The offsets of an element in two memrefs, in elements, from its index in row-major order.
    fn element_number(&mut self, n: Value, from: &Stored, to: &Stored, pos: usize) -> Result<[Val; 2]> {
        let (src, index) = (self.src, self.t.index);
        let inits = [n, self.value(INDEX, &[from.offset]), self.value(INDEX, &[to.offset])];
        let bounds = self.up_to(from.rank);
        let open = self.open_loop(bounds, &inits, false, pos)?;
        let k = self.counted_down(from.rank, open.counter, pos)?;
        let size = self.listed(from.sizes, k, pos)?;
        let rest = self.one(open.carried[0]);
        let place = self.l.binary(Opcode::Urem, index, rest, size).at(src, pos)?;
        let rest = self.l.binary(Opcode::Udiv, index, rest, size).at(src, pos)?;
        let mut values = vec![self.value(INDEX, &[rest])];
        for (side, strides) in [(1, from.strides), (2, to.strides)] {
            let stride = self.listed(strides, k, pos)?;
            let step = self.index_op(Opcode::Imul, place, stride, pos)?;
            let sum = self.one(open.carried[side]);
            let sum = self.index_op(Opcode::Iadd, sum, step, pos)?;
            values.push(self.value(INDEX, &[sum]));
        }
        self.close_loop(&open, &values, pos)?;
        Ok([self.one(open.carried[1]), self.one(open.carried[2])])
    }
}
