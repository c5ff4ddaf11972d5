//! Vectors with lanes of other values: extracted, inserted, moved.

use gusset_codegen::ir::IntCc;
use gusset_program::{Compare, Sink, Val};
use gusset_text::{Placed, Result};

use crate::context::op_kind::Vector;
use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::op::{Mixed, Op, Value};

use super::vector::{number, place};

/// A position in a vector: constants, and values of `index`.
enum At {
    Known(usize),
    Value(Val),
}

impl<'r, E: Sink> Reader<'r, E> {
    /// The position that an operation gives in a vector with these dimensions: a list, or an attribute in older
    /// versions.
    fn position(&self, op: &Op<'r>, dims: &[usize]) -> Result<Vec<At>> {
        let list = if op.lists.is_empty() && op.has("position") {
            self.attr_ints(op, "position")?.unwrap_or_default().into_iter().map(Mixed::Number).collect()
        } else {
            self.list_of(op, 0)
        };
        self.src.refuse_if(
            list.len() > dims.len(),
            op.pos,
            "the position has more numbers than the vector dimensions",
        )?;
        let mut all = Vec::with_capacity(list.len());
        for (m, &size) in list.into_iter().zip(dims) {
            all.push(match m {
                Mixed::Number(n) => {
                    let n = usize::try_from(n).ok().filter(|&n| n < size);
                    At::Known(n.ok_or_else(|| self.src.error(op.pos, "the position is outside of the vector"))?)
                }
                Mixed::Operand(i) => At::Value(self.single(op.operands[i], op.pos)?.1),
            });
        }
        Ok(all)
    }

    /// Is an `index` this number?
    fn is_number(&mut self, v: Val, n: usize, pos: usize) -> Result<Val> {
        let ty = self.t.index;
        let n = self.l.integer(ty, n as i128);
        let (_, same) = self.l.compare(Compare::Int(IntCc::Eq), ty, v, n).at(self.src, pos)?;
        Ok(same)
    }

    /// `vector.extract`: a vector of the remaining dimensions, or a lane.
    pub fn vector_extract(&mut self, op: &Op<'r>) -> Result<Value> {
        let v = self.first_operand(op)?;
        let shape = self.vector_shape(v.ty, op.pos)?;
        let at = self.position(op, &shape.dims)?;
        let rest = &shape.dims[at.len()..];
        let named = op.results.first().copied().or_else(|| op.slot(b'B').and(op.slot(b'A')));
        let to = match named {
            Some(ty) => ty,
            None => self.vector_or_lane(rest, shape.lane, op.pos)?,
        };
        let own = self.vector_or_lane(rest, shape.lane, op.pos)?;
        let point = self.vector_type(&[], shape.lane, op.pos)?;
        let fits = to == own || rest.is_empty() && to == point;
        self.src.refuse_if(!fits, op.pos, "the result has not the dimensions that the position leaves")?;
        if at.iter().all(|a| matches!(a, At::Known(_))) {
            let known = at.iter().map(|a| if let At::Known(n) = a { *n } else { 0 });
            let from = known.chain(rest.iter().map(|_| 0)).collect::<Vec<_>>();
            return self.run_of(to, v, number(&shape.dims, &from), op.pos);
        }
        // Of the rows at possible positions, the one at the given position.
        let row = self.t.part(v.ty, 0);
        let mut rows: Vec<Val> = self.parts(v).to_vec();
        for (a, &size) in at.iter().zip(shape.outer()) {
            let block = rows.len() / size;
            rows = match *a {
                At::Known(n) => rows[n * block..(n + 1) * block].to_vec(),
                At::Value(index) => self.choose_block(row, &rows, (size, index), op.pos)?,
            };
        }
        if at.len() < shape.dims.len() {
            let v = self.value(to, &rows);
            return Ok(v);
        }
        let index = match at.last() {
            Some(&At::Value(v)) => (self.t.index, v),
            Some(&At::Known(n)) => self.lane_number(n),
            None => self.lane_number(0),
        };
        let x = self.l.extract_element(row, rows[0], index).at(self.src, op.pos)?;
        let v = if to == point { self.assembled(to, &[x], op.pos)? } else { self.value(to, &[x]) };
        Ok(v)
    }

    /// Selects the block of `size` rows with this index.
    fn choose_block(
        &mut self,
        row: gusset_program::TypeId,
        rows: &[Val],
        (size, index): (usize, Val),
        pos: usize,
    ) -> Result<Vec<Val>> {
        let block = rows.len() / size;
        let mut chosen = rows[..block].to_vec();
        for i in 1..size {
            let same = self.is_number(index, i, pos)?;
            for (j, v) in chosen.iter_mut().enumerate() {
                let other = rows[i * block + j];
                *v = self.l.select((gusset_program::I1, same), row, other, *v).at(self.src, pos)?;
            }
        }
        Ok(chosen)
    }

    /// `vector.insert`: inserts the first operand into the second.
    pub fn vector_insert(&mut self, op: &Op<'r>) -> Result<Value> {
        let [x, v] = self.operands(op)?;
        let shape = self.vector_shape(v.ty, op.pos)?;
        let at = self.position(op, &shape.dims)?;
        let rest = &shape.dims[at.len()..];
        let wanted = self.vector_or_lane(rest, shape.lane, op.pos)?;
        let point = self.vector_type(&[], shape.lane, op.pos)?;
        let fits = x.ty == wanted || rest.is_empty() && x.ty == point;
        self.src.refuse_if(!fits, op.pos, "the value has not the dimensions that the position leaves")?;
        let known: Vec<usize> = at.iter().filter_map(|a| if let At::Known(n) = a { Some(*n) } else { None }).collect();
        if known.len() == at.len() {
            let from = known.into_iter().chain(rest.iter().map(|_| 0)).collect::<Vec<_>>();
            let (from, count) = (number(&shape.dims, &from), rest.iter().product::<usize>());
            let inside = |i: usize| i >= from && i < from + count;
            let v = self.rearrange(v.ty, &[v, x], |i| if inside(i) { (1, i - from) } else { (0, i) }, op.pos)?;
            return Ok(v);
        }
        let row = self.t.part(v.ty, 0);
        let outer = shape.outer().to_vec();
        let lane = (at.len() == shape.dims.len()).then(|| at.last()).flatten();
        let rest_rows = if lane.is_some() { 1 } else { self.t.count(x.ty) };
        let mut parts = Vec::with_capacity(shape.rows());
        for r in 0..shape.rows() {
            let old = self.part(v, r);
            let there = place(&outer, r);
            let mut condition: Option<Val> = None;
            let mut elsewhere = false;
            for (a, &n) in at.iter().zip(&there) {
                match *a {
                    At::Known(k) => elsewhere |= k != n,
                    At::Value(index) => {
                        let same = self.is_number(index, n, op.pos)?;
                        condition = Some(self.both(condition, same, op.pos)?);
                    }
                }
            }
            if elsewhere {
                parts.push(old);
                continue;
            }
            let new = match lane {
                None => self.part(x, r % rest_rows),
                Some(lane) => {
                    let index = match *lane {
                        At::Known(n) => self.lane_number(n),
                        At::Value(v) => (self.t.index, v),
                    };
                    let x = self.vector_lane(x, 0, op.pos)?;
                    self.l.insert_element(row, old, x, index).at(self.src, op.pos)?
                }
            };
            parts.push(match condition {
                None => new,
                Some(c) => self.l.select((gusset_program::I1, c), row, new, old).at(self.src, op.pos)?,
            });
        }
        Ok(self.value(v.ty, &parts))
    }

    /// `a and b` of booleans, where `a` may be missing.
    pub(super) fn both(&mut self, a: Option<Val>, b: Val, pos: usize) -> Result<Val> {
        match a {
            None => Ok(b),
            Some(a) => {
                let and = gusset_codegen::ir::Opcode::And;
                self.l.binary(and, gusset_program::I1, a, b).at(self.src, pos)
            }
        }
    }

    /// `vector.extractelement`, `vector.insertelement`: a lane of a vector with one dimension, or none.
    pub fn vector_element(&mut self, kind: Vector, op: &Op<'r>) -> Result<Value> {
        let insert = kind == Vector::InsertElement;
        self.operands_are(op, if insert { 2 } else { 1 })?;
        let v = op.operands[usize::from(insert)];
        let shape = self.vector_shape(v.ty, op.pos)?;
        let index = match op.operands.get(1 + usize::from(insert)) {
            Some(&index) => self.single(index, op.pos)?,
            None => self.lane_number(0),
        };
        let fits = shape.dims.len() < 2 && (!insert || op.operands[0].ty == shape.lane);
        self.src.refuse_if(!fits, op.pos, "the operation takes a vector of one dimension and a value for its lanes")?;
        let (row, val) = (self.t.part(v.ty, 0), self.one(v));
        if insert {
            let x = self.one(op.operands[0]);
            let val = self.l.insert_element(row, val, x, index).at(self.src, op.pos)?;
            Ok(self.value(v.ty, &[val]))
        } else {
            let x = self.l.extract_element(row, val, index).at(self.src, op.pos)?;
            Ok(self.value(shape.lane, &[x]))
        }
    }

    /// `vector.broadcast` and `vector.splat`: adds dimensions before the others, and repeats those of size 1.
    pub fn broadcast(&mut self, op: &Op<'r>) -> Result<Value> {
        let (v, to) = (self.first_operand(op)?, self.result_type(op, 0)?);
        self.stretched(v, to, op.pos)
    }

    /// A value broadcast to a vector type.
    pub(super) fn stretched(&mut self, v: Value, to: crate::syntax::types::Ty, pos: usize) -> Result<Value> {
        if v.ty == to {
            return Ok(v);
        }
        let shape = self.vector_shape(to, pos)?;
        let (dims, lane) = match self.t.vector_of(self.l.types(), v.ty) {
            Some(_) => self.vector_shape(v.ty, pos).map(|s| (s.dims, s.lane))?,
            None => (Vec::new(), v.ty),
        };
        let added = shape.dims.len().checked_sub(dims.len());
        let fits = |added: usize| dims.iter().zip(&shape.dims[added..]).all(|(&a, &b)| a == b || a == 1);
        let added = added.filter(|&added| lane == shape.lane && fits(added));
        let added = added.ok_or_else(|| self.src.error(pos, "the value cannot be broadcast to this type"))?;
        let from = |i: usize| {
            let there = place(&shape.dims, i);
            let own: Vec<usize> =
                dims.iter().zip(&there[added..]).map(|(&n, &at)| if n == 1 { 0 } else { at }).collect();
            (0, number(&dims, &own))
        };
        self.rearrange(to, &[v], from, pos)
    }

    /// `vector.shuffle`: members of the first dimension of two vectors.
    pub fn vector_shuffle(&mut self, op: &Op<'r>) -> Result<Value> {
        let [a, b] = self.operands(op)?;
        let (first, second) = (self.vector_shape(a.ty, op.pos)?, self.vector_shape(b.ty, op.pos)?);
        let mask = self.attr_ints(op, "mask")?.ok_or_else(|| self.missing(op, "mask"))?;
        let heads = (first.dims.first().copied().unwrap_or(1), second.dims.first().copied().unwrap_or(1));
        let rest: Vec<usize> = first.dims.iter().skip(1).copied().collect();
        let alike = first.lane == second.lane && rest.iter().eq(second.dims.iter().skip(1));
        self.src.refuse_if(!alike, op.pos, "the vectors differ in more than their first dimension")?;
        // -1 stands for any member.
        let limit = (heads.0 + heads.1) as i64;
        let fits = !mask.is_empty() && mask.iter().all(|&n| (-1..limit).contains(&n));
        self.src.refuse_if(!fits, op.pos, "the mask names a member beyond both vectors")?;
        let mask: Vec<usize> = mask.iter().map(|&n| n.max(0) as usize).collect();
        let dims: Vec<usize> = std::iter::once(mask.len()).chain(rest.iter().copied()).collect();
        self.bounded(&dims, op.pos)?;
        let (to, size) = (self.vector_type(&dims, first.lane, op.pos)?, rest.iter().product::<usize>());
        let from = |i: usize| {
            let n = mask[i / size];
            if n < heads.0 { (0, n * size + i % size) } else { (1, (n - heads.0) * size + i % size) }
        };
        self.rearrange(to, &[a, b], from, op.pos)
    }

    /// `vector.insert_strided_slice`, `vector.extract_strided_slice`: strides are 1.
    pub fn strided_slice(&mut self, kind: Vector, op: &Op<'r>) -> Result<Value> {
        let insert = kind == Vector::InsertStrided;
        self.operands_are(op, if insert { 2 } else { 1 })?;
        let large = op.operands[usize::from(insert)];
        let to = if insert { large.ty } else { self.result_type(op, 0)? };
        let small = if insert { op.operands[0].ty } else { to };
        let (whole, slice) = (self.vector_shape(large.ty, op.pos)?, self.vector_shape(small, op.pos)?);
        let strides = self.attr_sizes(op, "strides")?;
        self.src.refuse_if(strides.iter().any(|&n| n != 1), op.pos, "strides of slices must be 1")?;
        let mut offsets = self.attr_sizes(op, "offsets")?;
        offsets.resize(whole.dims.len().max(offsets.len()), 0);
        // A slice to insert may lack the first dimensions.
        let lacks = whole.dims.len().saturating_sub(slice.dims.len());
        let sizes: Vec<usize> = std::iter::repeat_n(1, lacks).chain(slice.dims.iter().copied()).collect();
        let fits = whole.lane == slice.lane
            && sizes.len() == whole.dims.len()
            && (insert || lacks == 0)
            && (0..sizes.len()).all(|k| offsets[k].saturating_add(sizes[k]) <= whole.dims[k]);
        self.src.refuse_if(!fits, op.pos, "the slice is not inside of the vector")?;
        let v = if insert {
            let from = |i: usize| {
                let at = place(&whole.dims, i);
                let inside = (0..sizes.len()).all(|k| at[k] >= offsets[k] && at[k] < offsets[k] + sizes[k]);
                let own: Vec<usize> = at.iter().zip(&offsets).map(|(&a, &o)| a.wrapping_sub(o)).collect();
                if inside { (1, number(&sizes, &own)) } else { (0, i) }
            };
            self.rearrange(to, &[large, op.operands[0]], from, op.pos)?
        } else {
            let from = |i: usize| {
                let at: Vec<usize> = place(&sizes, i).iter().zip(&offsets).map(|(&a, &o)| a + o).collect();
                (0, number(&whole.dims, &at))
            };
            self.rearrange(to, &[large], from, op.pos)?
        };
        Ok(v)
    }

    /// `vector.shape_cast`: the same elements in the same order.
    pub fn shape_cast(&mut self, op: &Op<'r>) -> Result<Value> {
        let (v, to) = (self.first_operand(op)?, self.result_type(op, 0)?);
        let (a, b) = (self.vector_shape(v.ty, op.pos)?, self.vector_shape(to, op.pos)?);
        let fits = a.lane == b.lane && a.count() == b.count();
        self.src.refuse_if(!fits, op.pos, "the result has other elements than the operand")?;
        self.run_of(to, v, 0, op.pos)
    }

    /// `vector.transpose`: dimension `k` of the result is `permutation[k]` of the operand.
    pub fn transpose(&mut self, op: &Op<'r>) -> Result<Value> {
        let (v, to) = (self.first_operand(op)?, self.result_type(op, 0)?);
        let name = if op.has("transp") { "transp" } else { "permutation" };
        let order = self.attr_sizes(op, name)?;
        let (a, b) = (self.vector_shape(v.ty, op.pos)?, self.vector_shape(to, op.pos)?);
        let mut seen = vec![false; a.dims.len()];
        let fits = order.len() == a.dims.len()
            && b.dims.len() == a.dims.len()
            && a.lane == b.lane
            && order
                .iter()
                .zip(&b.dims)
                .all(|(&k, &n)| a.dims.get(k) == Some(&n) && !std::mem::replace(&mut seen[k], true));
        self.src.refuse_if(!fits, op.pos, "the result's dimensions are not those of the operand in this order")?;
        let from = |i: usize| {
            let mut own = vec![0; order.len()];
            for (&k, at) in order.iter().zip(place(&b.dims, i)) {
                own[k] = at;
            }
            (0, number(&a.dims, &own))
        };
        self.rearrange(to, &[v], from, op.pos)
    }

    /// `vector.flat_transpose`: a matrix, column by column.
    pub fn flat_transpose(&mut self, op: &Op<'r>) -> Result<Value> {
        let (v, to) = (self.first_operand(op)?, self.result_type(op, 0)?);
        let (rows, columns) = (self.matrix_size(op, "rows")?, self.matrix_size(op, "columns")?);
        let (a, b) = (self.vector_shape(v.ty, op.pos)?, self.vector_shape(to, op.pos)?);
        let fits = a == b && a.dims.len() == 1 && rows.checked_mul(columns) == Some(a.count());
        self.src.refuse_if(!fits, op.pos, "the vector has not the elements of such a matrix")?;
        self.rearrange(to, &[v], |i| (0, i % columns * rows + i / columns), op.pos)
    }

    /// A matrix's number of rows or columns.
    pub(super) fn matrix_size(&self, op: &Op<'r>, name: &str) -> Result<usize> {
        let n = self.attr_int(op, name)?.ok_or_else(|| self.missing(op, name))?;
        let n = usize::try_from(n).ok().filter(|&n| n > 0);
        n.ok_or_else(|| self.src.error(op.pos, "a matrix has rows and columns"))
    }

    /// `vector.interleave`: lanes of the operands alternating.
    pub fn interleave(&mut self, op: &Op<'r>) -> Result<Value> {
        self.operands_are(op, 2)?;
        let (a, b, to) = (op.operands[0], op.operands[1], self.result_type(op, 0)?);
        let (own, wide) = (self.vector_shape(a.ty, op.pos)?, self.vector_shape(to, op.pos)?);
        let fits = a.ty == b.ty && own.lane == wide.lane && wide.count() == 2 * own.count();
        self.src.refuse_if(!fits, op.pos, "the result is not twice as wide as the operands")?;
        self.rearrange(to, &[a, b], |i| (i % 2, i / 2), op.pos)
    }

    /// `vector.deinterleave`: the even lanes, and the odd ones.
    pub fn deinterleave(&mut self, op: &mut Op<'r>) -> Result<()> {
        let (v, to) = (self.first_operand(op)?, self.result_type(op, 0)?);
        let (own, half) = (self.vector_shape(v.ty, op.pos)?, self.vector_shape(to, op.pos)?);
        let fits = own.lane == half.lane && own.count() == 2 * half.count();
        self.src.refuse_if(!fits, op.pos, "the results are not half as wide as the operand")?;
        for odd in 0..2 {
            let v = self.rearrange(to, &[v], |i| (0, 2 * i + odd), op.pos)?;
            op.values.push(v);
        }
        Ok(())
    }

    /// `vector.from_elements`.
    pub fn vector_of_elements(&mut self, op: &Op<'r>) -> Result<Value> {
        let to = self.result_type(op, 0)?;
        let shape = self.vector_shape(to, op.pos)?;
        let fits = op.operands.len() == shape.count() && op.operands.iter().all(|v| v.ty == shape.lane);
        self.src.refuse_if(!fits, op.pos, "the operands are not the elements of the result")?;
        let lanes: Vec<Val> = op.operands.iter().map(|&v| self.one(v)).collect();
        self.assembled(to, &lanes, op.pos)
    }

    /// `vector.to_elements`.
    pub fn elements_of_vector(&mut self, op: &mut Op<'r>) -> Result<()> {
        let v = self.first_operand(op)?;
        let shape = self.vector_shape(v.ty, op.pos)?;
        for i in 0..shape.count() {
            let x = self.vector_lane(v, i, op.pos)?;
            self.give(op, shape.lane, &[x]);
        }
        Ok(())
    }

    /// `vector.step`: 0, 1, 2, ….
    pub fn step(&mut self, op: &Op<'r>) -> Result<Value> {
        let to = self.result_type(op, 0)?;
        let shape = self.vector_shape(to, op.pos)?;
        self.src.refuse_if(shape.dims.len() != 1, op.pos, "the operation gives a vector of one dimension")?;
        let row = self.t.part(to, 0);
        let v = self.iota(row, shape.width(), op.pos)?;
        Ok(self.value(to, &[v]))
    }

    /// The constant row 0, 1, 2, … with `n` lanes of `index`'s width.
    pub(super) fn iota(&mut self, row: gusset_program::TypeId, n: usize, pos: usize) -> Result<Val> {
        let index = self.t.index;
        let lanes: Vec<_> = (0..n).map(|i| self.l.integer(index, i as i128)).collect();
        self.l.vector(row, &lanes).at(self.src, pos)
    }
}
