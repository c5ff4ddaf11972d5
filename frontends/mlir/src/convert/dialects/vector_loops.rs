//! Contractions of vectors as loops over memory, where one operation for each product would be too many.

use gusset_codegen::ir::Opcode;
use gusset_program::{Flags, I32, Kind as LlvmKind, PTR, Sink, TypeId, VOID, Val};
use gusset_text::{Placed, Result};

use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::op::Value;
use crate::syntax::types::Ty;

use super::scf::Bounds;
use super::vector_kinds::Kind;

/// Most products of a contraction for which each is a separate operation.
pub(super) const MOST_PRODUCTS: usize = 1024;

/// A vector in rows: the iterators that select a row, beginning with the outermost, and the vector.
pub(super) type Rows = (Vec<usize>, Value);

/// A contraction of rows along its innermost reduced iterator.
pub(super) struct Contraction<'c> {
    /// The combining kind, and what flags allow in reductions.
    pub kind: (&'static Kind, Flags),
    /// Number of steps of each iterator.
    pub sizes: &'c [usize],
    /// The iterators that the result has, and the reduced ones other than the innermost.
    pub kept: &'c [usize],
    pub over: &'c [usize],
    pub a: Rows,
    pub b: Rows,
    pub mask: Option<Rows>,
    /// The initial value of the result, and the type of its lanes.
    pub acc: (Value, Ty),
    pub pos: usize,
}

impl<'r, E: Sink> Reader<'r, E> {
    /// A contraction as loops over copies of the vectors on the stack, one for each iterator except the innermost
    /// reduced one.
    pub(super) fn contract_by_loops(&mut self, of: &Contraction<'_>) -> Result<Value> {
        let (pos, (acc, lane)) = (of.pos, of.acc);
        let lane = self.t.whole(lane);
        let top = self.call_intrinsic("stacksave", PTR, &[], pos)?;
        let a = self.rows_in_memory(of.a.1, pos)?;
        let b = self.rows_in_memory(of.b.1, pos)?;
        let mask = match &of.mask {
            Some(mask) => Some(self.rows_in_memory(mask.1, pos)?),
            None => None,
        };
        let result = self.lanes_in_memory(acc, lane, pos)?;
        let iterators: Vec<usize> = of.kept.iter().chain(of.over).copied().collect();
        let bounds = iterators.iter().map(|&it| {
            let [from, to, step] = [0, of.sizes[it], 1].map(|n| self.index_value(n as i64));
            Bounds { from, to, step }
        });
        let bounds: Vec<Bounds> = bounds.collect();
        let loops = self.open_loops(bounds, &[], true, pos)?;
        let mut counters: Vec<Option<Val>> = vec![None; of.sizes.len()];
        for (&it, open) in iterators.iter().zip(&loops) {
            counters[it] = Some(self.one(open.counter));
        }
        let row = self.t.part(of.a.1.ty, 0);
        let at = self.row_number(&of.a.0, of.sizes, &counters, pos)?;
        let p = self.row_at(a, row, at, pos)?;
        let at = self.row_number(&of.b.0, of.sizes, &counters, pos)?;
        let q = self.row_at(b, row, at, pos)?;
        let flags = match (&of.mask, mask) {
            (Some((iterators, v)), Some(mask)) => {
                let ty = self.t.part(v.ty, 0);
                let at = self.row_number(iterators, of.sizes, &counters, pos)?;
                Some((ty, self.row_at(mask, ty, at, pos)?))
            }
            _ => None,
        };
        let at = self.row_number(of.kept, of.sizes, &counters, pos)?;
        let at = self.at_index(result, lane, at, pos)?;
        let old = self.load_at(lane, at, pos)?;
        let new = self.contracted((row, [p, q]), flags, (lane, old), of.kind, pos)?;
        self.store_at(lane, new, at, pos)?;
        self.close_loops(&loops, Vec::new(), pos)?;
        let v = self.lanes_from_memory(acc.ty, result, lane, pos)?;
        self.call_intrinsic("stackrestore", VOID, &[(PTR, top)], pos)?;
        Ok(v)
    }

    /// The combined products of two rows, combined with the previous value.
    pub(super) fn contracted(
        &mut self,
        (row, [a, b]): (TypeId, [Val; 2]),
        flags: Option<(TypeId, Val)>,
        (lane, old): (TypeId, Val),
        (kind, said): (&Kind, Flags),
        pos: usize,
    ) -> Result<Val> {
        let multiply = if self.lanes_of(row).1 { Opcode::Fmul } else { Opcode::Imul };
        let product = self.l.binary(multiply, row, a, b).at(self.src, pos)?;
        let sum = self.reduced((kind, said), (row, product), None, flags, pos)?;
        self.combined(kind, lane, sum, old, pos)
    }

    /// Allocates `count` values of a type on the stack.
    fn room(&mut self, ty: TypeId, count: usize, pos: usize) -> Result<Val> {
        let count = self.l.integer(I32, count as i128);
        let align = self.l.types().get(ty).align;
        self.l.alloca(ty, Some(count), align, false).at(self.src, pos)
    }

    /// Stores the rows of a vector contiguously.
    fn rows_in_memory(&mut self, v: Value, pos: usize) -> Result<Val> {
        let (row, count) = (self.t.part(v.ty, 0), self.t.count(v.ty));
        let place = self.room(row, count, pos)?;
        for r in 0..count {
            let index = self.index(r as i64);
            let (at, x) = (self.at_index(place, row, index, pos)?, self.part(v, r));
            self.store_at(row, x, at, pos)?;
        }
        Ok(place)
    }

    fn row_at(&mut self, place: Val, row: TypeId, number: Val, pos: usize) -> Result<Val> {
        let at = self.at_index(place, row, number, pos)?;
        self.load_at(row, at, pos)
    }

    /// The index of a row, from the counters of the iterators that select it.
    fn row_number(
        &mut self,
        iterators: &[usize],
        sizes: &[usize],
        counters: &[Option<Val>],
        pos: usize,
    ) -> Result<Val> {
        let (ty, mut number) = (self.t.index, None);
        for &it in iterators {
            let Some(counter) = counters[it] else { continue };
            number = Some(match number {
                None => counter,
                Some(outer) => {
                    let size = self.index(sizes[it] as i64);
                    let outer = self.l.binary(Opcode::Imul, ty, outer, size).at(self.src, pos)?;
                    self.l.binary(Opcode::Iadd, ty, outer, counter).at(self.src, pos)?
                }
            });
        }
        Ok(number.unwrap_or_else(|| self.index(0)))
    }

    /// Whether the lanes of rows have the offsets of an array's elements.
    fn rows_are_arrays(&self, lane: TypeId) -> bool {
        let d = self.l.types().get(lane);
        matches!(d.kind, LlvmKind::Int | LlvmKind::Float) && u64::from(self.l.types().ir(lane).bits()) == 8 * d.size
    }

    /// Stores the lanes of a vector, or a scalar, as an array.
    fn lanes_in_memory(&mut self, v: Value, lane: TypeId, pos: usize) -> Result<Val> {
        let row = self.t.part(v.ty, 0);
        let width = self.width(row);
        let (rows, align) = (self.t.count(v.ty), self.l.types().get(lane).align);
        let place = self.room(lane, rows * width, pos)?;
        let (ty, step) = if self.rows_are_arrays(lane) { (row, width) } else { (lane, 1) };
        for i in (0..rows * width).step_by(step) {
            let index = self.index(i as i64);
            let at = self.at_index(place, lane, index, pos)?;
            let x = if ty == row { self.part(v, i / width) } else { self.vector_lane(v, i, pos)? };
            self.l.store(ty, x, at, align, false, 0).at(self.src, pos)?;
        }
        Ok(place)
    }

    /// Loads a vector, or a scalar, from such an array.
    fn lanes_from_memory(&mut self, to: Ty, place: Val, lane: TypeId, pos: usize) -> Result<Value> {
        let row = self.t.part(to, 0);
        let width = self.width(row);
        let (rows, align) = (self.t.count(to), self.l.types().get(lane).align);
        let (ty, step) = if self.rows_are_arrays(lane) { (row, width) } else { (lane, 1) };
        let mut all = Vec::with_capacity(rows * width / step);
        for i in (0..rows * width).step_by(step) {
            let index = self.index(i as i64);
            let at = self.at_index(place, lane, index, pos)?;
            all.push(self.l.load(ty, at, align, false, 0).at(self.src, pos)?);
        }
        if ty == row { Ok(self.value(to, &all)) } else { self.assembled(to, &all, pos) }
    }
}
