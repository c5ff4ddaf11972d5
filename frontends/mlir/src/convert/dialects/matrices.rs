//! Intrinsics on matrices, whose columns are consecutive in a vector, and at a given distance in memory.
//!
//! LLVM LangRef, "Matrix Intrinsics".

use gusset_codegen::ir::Opcode;
use gusset_program::{I32, Index, PTR, Sink, TypeId, Val};
use gusset_text::{Placed, Result};

use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::op::{Op, Value};

impl<'r, E: Sink> Reader<'r, E> {
    /// `llvm.intr.matrix.NAME`.
    pub(super) fn matrix(&mut self, name: &str, op: &mut Op<'r>) -> Result<()> {
        let v = match name {
            "matrix.multiply" => self.matrix_multiply(op),
            "matrix.transpose" => self.flat_transpose(op),
            "matrix.column.major.load" => self.load_matrix(op),
            "matrix.column.major.store" => return self.store_matrix(op),
            _ => Err(self.src.error(op.pos, format!("the intrinsic `llvm.{name}` is not supported"))),
        }?;
        op.values.push(v);
        Ok(())
    }

    fn load_matrix(&mut self, op: &Op<'r>) -> Result<Value> {
        self.operands_are(op, 2)?;
        let (to, pos) = (self.result_type(op, 0)?, op.pos);
        let shape = self.vector_shape(to, pos)?;
        let (row, lane) = (self.t.whole(to), self.t.whole(shape.lane));
        let places = self.matrix_places(op, [0, 1], (lane, shape.count()))?;
        let (align, volatile) = self.matrix_access(op, lane)?;
        let mut all = self.l.poison_value(row).at(self.src, pos)?;
        for (i, at) in places.into_iter().enumerate() {
            let x = self.l.load(lane, at, align, volatile, 0).at(self.src, pos)?;
            let i = self.lane_number(i);
            all = self.l.insert_element(row, all, x, i).at(self.src, pos)?;
        }
        Ok(self.value(to, &[all]))
    }

    fn store_matrix(&mut self, op: &mut Op<'r>) -> Result<()> {
        self.operands_are(op, 3)?;
        let (v, pos) = (op.operands[0], op.pos);
        let shape = self.vector_shape(v.ty, pos)?;
        let lane = self.t.whole(shape.lane);
        let places = self.matrix_places(op, [1, 2], (lane, shape.count()))?;
        let (align, volatile) = self.matrix_access(op, lane)?;
        for (i, at) in places.into_iter().enumerate() {
            let x = self.vector_lane(v, i, pos)?;
            self.l.store(lane, x, at, align, volatile, 0).at(self.src, pos)?;
        }
        Ok(())
    }

    /// The alignment of elements, and whether the accesses are volatile.
    fn matrix_access(&self, op: &Op<'r>, lane: TypeId) -> Result<(u32, bool)> {
        let volatile = self.attr_int(op, "isVolatile")?.unwrap_or(0) != 0;
        Ok((self.l.types().get(lane).align, volatile))
    }

    /// The addresses of a matrix's elements, from the operands with these indexes: a pointer, and the distance of
    /// columns in elements.
    fn matrix_places(
        &mut self,
        op: &Op<'r>,
        [pointer, stride]: [usize; 2],
        (lane, count): (TypeId, usize),
    ) -> Result<Vec<Val>> {
        let (src, pos) = (self.src, op.pos);
        let (rows, columns) = (self.matrix_size(op, "rows")?, self.matrix_size(op, "columns")?);
        let fits = rows.checked_mul(columns) == Some(count);
        self.src.refuse_if(!fits, pos, "the vector has not the elements of such a matrix")?;
        let [(space, pointer), (ty, stride)] =
            [self.single(op.operands[pointer], pos)?, self.single(op.operands[stride], pos)?];
        self.src.refuse_if(space != PTR, pos, "a pointer must stand here")?;
        self.int_bits(ty, pos)?;
        let mut places = Vec::with_capacity(count);
        for c in 0..columns {
            let c = self.l.integer(ty, c as i128);
            let steps = self.l.binary(Opcode::Imul, ty, stride, c).at(src, pos)?;
            let index = Index::Value(ty, steps);
            let column = self.l.element_address(lane, (PTR, pointer), index).at(src, pos)?.1;
            for r in 0..rows {
                let r = self.l.integer(I32, r as i128);
                let index = Index::Value(I32, r);
                places.push(self.l.element_address(lane, (PTR, column), index).at(src, pos)?.1);
            }
        }
        Ok(places)
    }
}
