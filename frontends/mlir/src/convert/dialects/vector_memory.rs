//! Vectors in memory: loads and stores of rows, transfers, gathers and scatters.
//!
//! MLIR, "'vector' Dialect". Rows that are contiguous in memory are loaded as a whole, or with a mask; others lane by
//! lane.

use gusset_codegen::ir::{IntCc, Opcode};
use gusset_program::{Cast, Compare, I1, I32, Index, PTR, Sink, TypeId, VOID, Val};
use gusset_text::{Placed, Result};

use crate::context::op_kind::{OpKind, Vector};
use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::op::{Op, Value};
use crate::syntax::op_table::Row;
use crate::syntax::types::affine::{Expr, Map};
use crate::syntax::types::layout::Memref as MemrefType;
use crate::syntax::types::{INDEX, Ty};

use super::descriptors::Fields;
use super::rows::row;
use super::vector::{Shape, number, place};

#[rustfmt::skip]
pub(super) const ROWS: &[Row<OpKind>] = &[
    row("vector.load", "% [ %* ] {} : A , B", "A i* -> B", OpKind::Vector(Vector::Load)),
    row("vector.store", "% , % [ %* ] {} : A , B", "B A i* ->", OpKind::Vector(Vector::Store)),
    row("vector.maskedload", "% [ %* ] , % , % {} : A , M , B into R", "A i* M B -> B", OpKind::Vector(Vector::MaskedLoad)),
    row("vector.maskedstore", "% [ %* ] , % , % {} : A , M , B", "A i* M B ->", OpKind::Vector(Vector::MaskedStore)),
    row("vector.gather", "% [ %* ] [ % ] , % , % {} : A , V , M , B into R", "A i* V M B -> B", OpKind::Vector(Vector::Gather)),
    row("vector.scatter", "% [ %* ] [ % ] , % , % {} : A , V , M , B", "A i* V M B ->", OpKind::Vector(Vector::Scatter)),
    row("vector.expandload", "% [ %* ] , % , % {} : A , M , B into R", "A i* M B -> B", OpKind::Vector(Vector::ExpandLoad)),
    row("vector.compressstore", "% [ %* ] , % , % {} : A , M , B", "A i* M B ->", OpKind::Vector(Vector::CompressStore)),
    row("vector.transfer_read", "% [ %* ] , % [? , % ?] {} : M , R", "M i* eM _* -> ...", OpKind::Vector(Vector::TransferRead)),
    row("vector.transfer_write", "% , % [ %* ] [? , % ?] {} : V , M [? -> A ?]", "V M i* _* -> ...", OpKind::Vector(Vector::TransferWrite)),
    row("vector.type_cast", "% {} : A to B", "A -> B", OpKind::Vector(Vector::TypeCast)),
];

/// The position of a vector in memory: a memref, and the position of the vector's first element in it.
struct Place {
    memref: MemrefType,
    fields: Fields,
    indices: Vec<Val>,
    /// Index of the first element.
    first: Val,
    element: TypeId,
}

/// The relation of a vector's dimensions to those of a memref.
struct Layout {
    shape: Shape,
    /// For each dimension of the vector, that of the memref; none along which the vector is repeated.
    dims: Vec<Option<usize>>,
    /// Whether no element is outside of the memref.
    in_bounds: Vec<bool>,
    /// A mask of the vector's shape.
    mask: Option<Value>,
}

/// What is done with memory.
#[derive(Clone, Copy)]
enum Access {
    Read,
    Write,
}

/// A row of the vector in memory.
struct RowPlace {
    /// Index of its first element.
    number: Val,
    /// The distance of lanes; none if all are one element.
    stride: Option<Val>,
    /// The lanes that exist, if not all do.
    flags: Option<Val>,
}

impl<'r, E: Sink> Reader<'r, E> {
    pub(super) fn vector_load(&mut self, op: &Op<'r>) -> Result<Value> {
        let (m, indices, []) = self.access(op)?;
        let to = self.result_type(op, 0)?;
        if self.t.memref(m.ty).is_some_and(|m| m.element == to) {
            return self.load_element(m, indices, op.pos);
        }
        self.check_contiguous(m, to, op.pos)?;
        self.read_vector(op, (m, indices), (to, None, None))
    }

    pub(super) fn vector_store(&mut self, op: &Op<'r>) -> Result<()> {
        let [v, m] = self.operands(op)?;
        if self.t.memref(m.ty).is_some_and(|m| m.element == v.ty) {
            return self.store_element(v, m, &op.operands[2..], op.pos);
        }
        self.check_contiguous(m, v.ty, op.pos)?;
        self.write_vector(op, (m, &op.operands[2..]), (v, None))
    }

    /// Checks that elements of a memref along its last dimension are contiguous, as a multi-dimensional vector
    /// requires.
    fn check_contiguous(&self, m: Value, vector: Ty, pos: usize) -> Result<()> {
        let stride = self.t.memref(m.ty).and_then(|m| m.strides.last().copied());
        let several = self.t.vector_of(self.l.types(), vector).is_some_and(|(dims, _)| dims.iter().any(|&n| n > 1));
        let gaps = several && stride.is_some_and(|n| n != 1 && n != crate::syntax::types::DYNAMIC);
        self.src.refuse_if(gaps, pos, "the elements along the memref's last dimension have gaps between them")
    }

    /// Operands: a memref, indexes, and `N` others.
    pub(super) fn access<'o, const N: usize>(&self, op: &'o Op<'r>) -> Result<(Value, &'o [Value], [Value; N])> {
        match (op.operands.split_first(), op.operands.last_chunk::<N>()) {
            (Some((&m, rest)), Some(&others)) if rest.len() >= N => Ok((m, &rest[..rest.len() - N], others)),
            _ => Err(self.src.error(op.pos, "the operation has not the operands that it should have")),
        }
    }

    fn vector_place(&mut self, m: Value, indices: &[Value], pos: usize) -> Result<Place> {
        let memref = self.memref_type(m, pos)?;
        let fits = indices.len() == memref.rank() && indices.iter().all(|i| i.ty == INDEX);
        self.src.refuse_if(!fits, pos, "there is not an index for each dimension of the memref")?;
        self.check(memref.element, pos)?;
        let (fields, element) = (self.fields(m, pos)?, self.t.whole(memref.element));
        let indices: Vec<Val> = indices.iter().map(|&i| self.one(i)).collect();
        let mut first = fields.offset;
        for (&i, &stride) in indices.iter().zip(&fields.strides) {
            let step = self.index_op(Opcode::Imul, i, stride, pos)?;
            first = self.index_op(Opcode::Iadd, first, step, pos)?;
        }
        Ok(Place { memref, fields, indices, first, element })
    }

    /// A memref without dimensions as a row for a one-dimensional vector: its lanes follow the only element.
    fn as_row(&mut self, place: &mut Place, v: Ty, pos: usize) -> Result<()> {
        let shape = self.vector_shape(v, pos)?;
        if place.memref.rank() == 0 && shape.dims.len() == 1 {
            let width = shape.width() as i64;
            place.memref.sizes.push(width);
            place.memref.strides.push(1);
            place.fields.sizes.push(self.index(width));
            place.fields.strides.push(self.index(1));
            place.indices.push(self.index(0));
        }
        Ok(())
    }

    /// The layout of a vector whose dimensions are the memref's last ones.
    fn minor(&self, to: Ty, m: &MemrefType, pos: usize) -> Result<Layout> {
        let shape = self.vector_shape(to, pos)?;
        let lacks = m.rank().checked_sub(shape.dims.len());
        let lacks = lacks.ok_or_else(|| self.src.error(pos, "the vector has more dimensions than the memref"))?;
        let dims = (0..shape.dims.len()).map(|k| Some(lacks + k)).collect();
        let in_bounds = vec![true; shape.dims.len()];
        Ok(Layout { shape, dims, in_bounds, mask: None })
    }

    /// Checks that the mask has the vector's dimensions.
    fn check_mask(&self, mask: Value, shape: &Shape, pos: usize) -> Result<()> {
        let own = self.vector_shape(mask.ty, pos)?;
        let fits = own.dims == shape.dims && own.lane == Ty::of(I1);
        self.src.refuse_if(!fits, pos, "the mask has not the dimensions of the vector")
    }

    pub(super) fn read_vector(
        &mut self,
        op: &Op<'r>,
        (m, indices): (Value, &[Value]),
        (to, pass, mask): (Ty, Option<Value>, Option<Value>),
    ) -> Result<Value> {
        let mut place = self.vector_place(m, indices, op.pos)?;
        self.as_row(&mut place, to, op.pos)?;
        let mut layout = self.minor(to, &place.memref, op.pos)?;
        if let Some(mask) = mask {
            self.check_mask(mask, &layout.shape, op.pos)?;
        }
        layout.mask = mask;
        self.read_rows(op, &place, &layout, (to, pass))
    }

    pub(super) fn write_vector(
        &mut self,
        op: &Op<'r>,
        (m, indices): (Value, &[Value]),
        (v, mask): (Value, Option<Value>),
    ) -> Result<()> {
        let mut place = self.vector_place(m, indices, op.pos)?;
        self.as_row(&mut place, v.ty, op.pos)?;
        let mut layout = self.minor(v.ty, &place.memref, op.pos)?;
        if let Some(mask) = mask {
            self.check_mask(mask, &layout.shape, op.pos)?;
        }
        layout.mask = mask;
        self.write_rows(op, &place, &layout, v)
    }

    // Rows.

    /// Whether `index + steps` is below a size. `None`: it is known to be.
    fn inside(&mut self, index: Val, steps: usize, size: Val, pos: usize) -> Result<Option<Val>> {
        let ty = self.t.index;
        let steps = self.index(steps as i64);
        let at = self.index_op(Opcode::Iadd, index, steps, pos)?;
        if let (Some(at), Some(size)) = (self.l.int_constant(at), self.l.int_constant(size))
            && at < size
            && size >> 31 == 0
        {
            return Ok(None);
        }
        let (_, v) = self.l.compare(Compare::Int(IntCc::Slt), ty, at, size).at(self.src, pos)?;
        Ok(Some(v))
    }

    /// Row `r` of a vector in memory.
    fn row_place(&mut self, at: &Place, layout: &Layout, r: usize, pos: usize) -> Result<RowPlace> {
        let (shape, width) = (&layout.shape, layout.shape.width());
        let mut condition: Option<Val> = None;
        let mut number = at.first;
        for (k, steps) in place(shape.outer(), r).into_iter().enumerate() {
            let Some(d) = layout.dims[k] else { continue };
            let count = self.index(steps as i64);
            let step = self.index_op(Opcode::Imul, count, at.fields.strides[d], pos)?;
            number = self.index_op(Opcode::Iadd, number, step, pos)?;
            if !layout.in_bounds[k]
                && let Some(inside) = self.inside(at.indices[d], steps, at.fields.sizes[d], pos)?
            {
                condition = Some(self.both(condition, inside, pos)?);
            }
        }
        let mut flags = layout.mask.map(|m| self.part(m, r));
        let last = layout.dims.last().copied().flatten();
        let one = self.index(1);
        let stride = match last {
            // A vector without dimensions is a row of one lane.
            None if layout.dims.is_empty() => Some(one),
            _ => last.map(|d| at.fields.strides[d]),
        };
        let truths = self.truths(width, pos)?;
        if let Some(d) = last
            && !layout.in_bounds[layout.dims.len() - 1]
            && self.inside(at.indices[d], width - 1, at.fields.sizes[d], pos)?.is_some()
        {
            let room = self.index_op(Opcode::Isub, at.fields.sizes[d], at.indices[d], pos)?;
            let there = self.below(width, room, pos)?;
            flags = Some(match flags {
                None => there,
                Some(flags) => self.l.binary(Opcode::And, truths, flags, there).at(self.src, pos)?,
            });
        }
        flags = match (condition, flags) {
            (Some(c), None) => Some(self.splat_row(truths, c, pos)?),
            (_, Some(flags)) => Some(self.if_so(condition, truths, flags, pos)?),
            (None, None) => None,
        };
        Ok(RowPlace { number, stride, flags })
    }

    /// The addresses of a row's lanes, `stride` elements apart.
    fn lane_addresses(
        &mut self,
        at: &Place,
        row: &RowPlace,
        stride: Val,
        width: usize,
        pos: usize,
    ) -> Result<(TypeId, Val)> {
        let wide = self.vector_type(&[width], INDEX, pos)?;
        let ty = self.t.part(wide, 0);
        let (numbers, stride) = (self.iota(ty, width, pos)?, self.splat_row(ty, stride, pos)?);
        let steps = self.l.binary(Opcode::Imul, ty, numbers, stride).at(self.src, pos)?;
        let base = self.at_index(at.fields.aligned, at.element, row.number, pos)?;
        self.addresses(base, at.element, (ty, steps), pos)
    }

    /// A pointer plus each lane of a vector of element offsets.
    fn addresses(
        &mut self,
        base: Val,
        element: TypeId,
        (ty, steps): (TypeId, Val),
        pos: usize,
    ) -> Result<(TypeId, Val)> {
        let index = Index::Value(ty, steps);
        self.l.element_address(element, (PTR, base), index).at(self.src, pos)
    }

    /// Loads a vector row by row. `pass`: the values of lanes that do not exist.
    fn read_rows(
        &mut self,
        op: &Op<'r>,
        at: &Place,
        layout: &Layout,
        (to, pass): (Ty, Option<Value>),
    ) -> Result<Value> {
        let pos = op.pos;
        let fits = layout.shape.lane == at.memref.element;
        self.src.refuse_if(!fits, pos, "vectors whose lanes are not the memref's elements are not supported here")?;
        let (row, align) = (self.t.part(to, 0), self.l.types().get(at.element).align);
        let mut parts = Vec::with_capacity(self.t.count(to));
        for r in 0..self.t.count(to) {
            let there = self.row_place(at, layout, r, pos)?;
            let other = match pass {
                Some(pass) => self.part(pass, r),
                None => self.l.poison_value(row).at(self.src, pos)?,
            };
            let base = self.at_index(at.fields.aligned, at.element, there.number, pos)?;
            let Some(stride) = there.stride else {
                parts.push(self.repeated_row(at, (base, there.flags), (row, other), pos)?);
                continue;
            };
            parts.push(match (self.l.int_constant(stride), there.flags) {
                (Some(1), None) => self.l.load(row, base, align, false, 0).at(self.src, pos)?,
                (Some(1), Some(flags)) => {
                    self.masked(Access::Read, at.element, ((PTR, base), flags), (row, other), pos)?
                }
                (_, Some(flags)) => {
                    let pointers = self.lane_addresses(at, &there, stride, layout.shape.width(), pos)?;
                    self.masked(Access::Read, at.element, (pointers, flags), (row, other), pos)?
                }
                (_, None) => {
                    let mut v = other;
                    let mut number = there.number;
                    for i in 0..layout.shape.width() {
                        let from = self.at_index(at.fields.aligned, at.element, number, pos)?;
                        let x = self.load_at(at.element, from, pos)?;
                        let index = self.lane_number(i);
                        v = self.l.insert_element(row, v, x, index).at(self.src, pos)?;
                        number = self.index_op(Opcode::Iadd, number, stride, pos)?;
                    }
                    v
                }
            });
        }
        Ok(self.value(to, &parts))
    }

    /// The row type of `lanes` booleans.
    fn truths(&mut self, n: usize, pos: usize) -> Result<TypeId> {
        let ty = self.vector_type(&[n], Ty::of(I1), pos)?;
        Ok(self.t.part(ty, 0))
    }

    /// Loads or stores those lanes of a row whose flags are set: at a pointer, or each at its own.
    fn masked(
        &mut self,
        access: Access,
        element: TypeId,
        (pointers, flags): ((TypeId, Val), Val),
        (row, v): (TypeId, Val),
        pos: usize,
    ) -> Result<Val> {
        let (width, align) = (self.width(row), self.l.types().get(element).align);
        let truths = self.truths(width, pos)?;
        let (align, flags) = ((I32, self.l.integer(I32, align.into())), (truths, flags));
        match (access, pointers.0 == PTR) {
            (Access::Read, true) => self.call_intrinsic("masked.load", row, &[pointers, align, flags, (row, v)], pos),
            (Access::Read, false) => {
                self.call_intrinsic("masked.gather", row, &[pointers, align, flags, (row, v)], pos)
            }
            (Access::Write, true) => {
                self.call_intrinsic("masked.store", VOID, &[(row, v), pointers, align, flags], pos)
            }
            (Access::Write, false) => {
                self.call_intrinsic("masked.scatter", VOID, &[(row, v), pointers, align, flags], pos)
            }
        }
    }

    /// A row whose lanes are all one element, which exists if the first of the flags is set.
    fn repeated_row(
        &mut self,
        at: &Place,
        (base, flags): (Val, Option<Val>),
        (row, other): (TypeId, Val),
        pos: usize,
    ) -> Result<Val> {
        let Some(flags) = flags else {
            let x = self.load_at(at.element, base, pos)?;
            return self.splat_row(row, x, pos);
        };
        let width = self.width(row);
        let (many, one) = (self.truths(width, pos)?, self.truths(1, pos)?);
        let first = self.lane_number(0);
        let flag = self.l.extract_element(many, flags, first).at(self.src, pos)?;
        let flag = self.splat_row(one, flag, pos)?;
        let single = self.l.types_mut().vector(at.element, 1).at(self.src, pos)?;
        let x = self.l.extract_element(row, other, first).at(self.src, pos)?;
        let x = self.splat_row(single, x, pos)?;
        let v = self.masked(Access::Read, at.element, ((PTR, base), flag), (single, x), pos)?;
        let x = self.l.extract_element(single, v, first).at(self.src, pos)?;
        self.splat_row(row, x, pos)
    }

    /// Stores a vector row by row.
    fn write_rows(&mut self, op: &Op<'r>, at: &Place, layout: &Layout, v: Value) -> Result<()> {
        let pos = op.pos;
        let fits = layout.shape.lane == at.memref.element && layout.dims.iter().all(Option::is_some);
        self.src.refuse_if(!fits, pos, "vectors whose lanes are not the memref's elements are not supported here")?;
        let (row, align, width) = (self.t.part(v.ty, 0), self.l.types().get(at.element).align, layout.shape.width());
        for r in 0..self.t.count(v.ty) {
            let there = self.row_place(at, layout, r, pos)?;
            let x = self.part(v, r);
            let base = self.at_index(at.fields.aligned, at.element, there.number, pos)?;
            let Some(stride) = there.stride else { continue };
            match (self.l.int_constant(stride), there.flags) {
                (Some(1), None) => self.l.store(row, x, base, align, false, 0).at(self.src, pos)?,
                (Some(1), Some(flags)) => {
                    self.masked(Access::Write, at.element, ((PTR, base), flags), (row, x), pos)?;
                }
                (_, Some(flags)) => {
                    let pointers = self.lane_addresses(at, &there, stride, width, pos)?;
                    self.masked(Access::Write, at.element, (pointers, flags), (row, x), pos)?;
                }
                (_, None) => {
                    let mut number = there.number;
                    for i in 0..width {
                        let to = self.at_index(at.fields.aligned, at.element, number, pos)?;
                        let index = self.lane_number(i);
                        let lane = self.l.extract_element(row, x, index).at(self.src, pos)?;
                        self.store_at(at.element, lane, to, pos)?;
                        number = self.index_op(Opcode::Iadd, number, stride, pos)?;
                    }
                }
            }
        }
        Ok(())
    }

    // Transfers.

    /// The operands of a transfer: a memref, indexes, and from index `to` on a mask.
    fn transfer(&mut self, op: &Op<'r>, write: bool, v: Ty) -> Result<(Place, Layout)> {
        let pos = op.pos;
        let k = usize::from(write);
        let (from, to) = match (op.groups.get(k).copied(), op.groups.get(k + 1).copied()) {
            (Some(from), Some(to)) if from >= 1 && to <= op.operands.len() => (from, to),
            _ => return Err(self.missing(op, "operandSegmentSizes")),
        };
        let at = self.vector_place(op.operands[from - 1], &op.operands[from..to], pos)?;
        let shape = self.vector_shape(v, pos)?;
        let wrong = "the permutation map does not lead from the memref's dimensions to the vector's";
        let dims: Vec<Option<usize>> = match self.attr_map(op, "permutation_map")? {
            None => self.minor(v, &at.memref, pos)?.dims,
            Some(Map { dims, results, .. }) => {
                let source = |e: &Expr| match e {
                    Expr::Dim(d) => Some(Some(*d as usize)),
                    Expr::Constant(0) => Some(None),
                    _ => None,
                };
                let all: Option<Vec<_>> = results.iter().map(source).collect();
                let fits = dims == at.memref.rank();
                all.filter(|_| fits).ok_or_else(|| self.src.error(pos, wrong))?
            }
        };
        let mut seen = vec![false; at.memref.rank()];
        let once = dims.iter().flatten().all(|&d| !std::mem::replace(&mut seen[d], true));
        self.src.refuse_if(dims.len() != shape.dims.len() || !once, pos, wrong)?;
        let mut in_bounds: Vec<bool> =
            self.attr_ints(op, "in_bounds")?.unwrap_or_default().into_iter().map(|n| n != 0).collect();
        in_bounds.resize(dims.len(), false);
        // The mask has those dimensions that are the memref's, in the memref's order.
        let own = op.operands.get(to + usize::from(!write)).copied();
        let mut used: Vec<usize> = dims.iter().flatten().copied().collect();
        used.sort_unstable();
        let size = |d: &usize| dims.iter().position(|k| *k == Some(*d)).map_or(1, |k| shape.dims[k]);
        let sizes: Vec<usize> = used.iter().map(size).collect();
        let around = self.take_mask(&sizes, pos)?;
        let mut layout = Layout { shape, dims, in_bounds, mask: None };
        for mask in own.into_iter().chain(around) {
            let given = self.vector_shape(mask.ty, pos)?;
            let fits = given.dims == sizes && given.lane == Ty::of(I1);
            self.src.refuse_if(!fits, pos, "the mask has not the dimensions that the vector has in the memref")?;
        }
        // A lane is skipped if either mask skips it.
        let both = match (own, around) {
            (Some(a), Some(b)) => Some(self.part_by_part(a.ty, |r, i| {
                let (row, a, b) = (r.t.part(a.ty, i), r.part(a, i), r.part(b, i));
                r.l.binary(Opcode::And, row, a, b).at(r.src, pos)
            })?),
            _ => own.or(around),
        };
        if let Some(mask) = both {
            let to = self.flags_of(v, pos)?;
            let (dims, shape) = (&layout.dims, &layout.shape);
            let from = |i: usize| {
                let there = place(&shape.dims, i);
                let own: Vec<usize> =
                    used.iter().map(|d| dims.iter().position(|k| *k == Some(*d)).map_or(0, |k| there[k])).collect();
                (0, number(&sizes, &own))
            };
            layout.mask = Some(self.rearrange(to, &[mask], from, pos)?);
        }
        Ok((at, layout))
    }

    pub(super) fn transfer_read(&mut self, op: &mut Op<'r>) -> Result<Value> {
        if let (false, &[indices]) = (op.generic, &op.groups[..]) {
            op.groups = vec![1, indices, indices + 1];
        }
        let to = self.result_type(op, 0)?;
        let (at, layout) = self.transfer(op, false, to)?;
        let padding = op.groups.get(1).and_then(|&k| op.operands.get(k)).copied();
        let padding = padding.ok_or_else(|| self.src.error(op.pos, "the padding is missing"))?;
        self.src.refuse_if(padding.ty != layout.shape.lane, op.pos, "the padding is not of the lanes' type")?;
        // Most often nothing is padded.
        let whole = layout.mask.is_none() && layout.in_bounds.iter().zip(&layout.dims).all(|(&b, d)| b || d.is_none());
        let pass = if whole { None } else { Some(self.stretched(padding, to, op.pos)?) };
        self.read_rows(op, &at, &layout, (to, pass))
    }

    pub(super) fn transfer_write(&mut self, op: &mut Op<'r>) -> Result<()> {
        if let (false, &[indices]) = (op.generic, &op.groups[..]) {
            op.groups = vec![1, 2, indices];
        }
        let v = self.first_operand(op)?;
        let (at, layout) = self.transfer(op, true, v.ty)?;
        self.write_rows(op, &at, &layout, v)
    }

    // Lanes at separate positions.

    /// `vector.gather`, `vector.scatter`: each lane has an offset in elements from an element of a memref.
    pub(super) fn scattered(&mut self, kind: Vector, op: &mut Op<'r>) -> Result<()> {
        let pos = op.pos;
        let (m, indices, [steps, mask, v]) = self.access(op)?;
        let at = self.vector_place(m, indices, pos)?;
        let shape = self.vector_shape(v.ty, pos)?;
        self.check_mask(mask, &shape, pos)?;
        let own = self.vector_shape(steps.ty, pos)?;
        let integers = self.l.types().ir(self.t.whole(own.lane)).is_int();
        let fits = own.dims == shape.dims && shape.lane == at.memref.element && integers;
        self.src.refuse_if(!fits, pos, "the vectors have not the same dimensions, or other lanes than the memref")?;
        let base = self.at_index(at.fields.aligned, at.element, at.first, pos)?;
        let (row, from) = (self.t.part(v.ty, 0), self.t.part(steps.ty, 0));
        let truths = self.truths(shape.width(), pos)?;
        let around = self.take_mask(&shape.dims, pos)?;
        let stride = at.fields.strides.last().copied().filter(|&s| self.l.int_constant(s) != Some(1));
        let mut parts = Vec::with_capacity(self.t.count(v.ty));
        for r in 0..self.t.count(v.ty) {
            let (mut ty, mut step) = (from, self.part(steps, r));
            if let Some(stride) = stride {
                let wide = self.vector_type(&[shape.width()], INDEX, pos)?;
                let (narrow, whole) = (self.t.whole(own.lane), self.t.index);
                let cast = match self.l.types().ir(narrow).bits().cmp(&self.l.types().ir(whole).bits()) {
                    std::cmp::Ordering::Less => Some(Cast::Sext),
                    std::cmp::Ordering::Greater => Some(Cast::Trunc),
                    std::cmp::Ordering::Equal => None,
                };
                let to = self.t.part(wide, 0);
                if let Some(cast) = cast {
                    step = self.l.cast(cast, ty, step, to).at(self.src, pos)?;
                }
                ty = to;
                let stride = self.splat_row(ty, stride, pos)?;
                step = self.l.binary(Opcode::Imul, ty, step, stride).at(self.src, pos)?;
            }
            let pointers = self.addresses(base, at.element, (ty, step), pos)?;
            let mut flags = self.part(mask, r);
            if let Some(around) = around {
                let more = self.part(around, r);
                flags = self.l.binary(Opcode::And, truths, flags, more).at(self.src, pos)?;
            }
            let access = if kind == Vector::Scatter { Access::Write } else { Access::Read };
            let x = self.part(v, r);
            parts.push(self.masked(access, at.element, (pointers, flags), (row, x), pos)?);
        }
        if kind == Vector::Gather {
            self.give(op, v.ty, &parts);
        }
        Ok(())
    }

    /// `vector.expandload`, `vector.compressstore`: the lanes of the mask are contiguous in memory.
    pub(super) fn dense_lanes(&mut self, kind: Vector, op: &mut Op<'r>) -> Result<()> {
        let pos = op.pos;
        let (m, indices, [mask, v]) = self.access(op)?;
        let at = self.vector_place(m, indices, pos)?;
        let shape = self.vector_shape(v.ty, pos)?;
        self.check_mask(mask, &shape, pos)?;
        let unit = at.fields.strides.last().is_none_or(|&s| self.l.int_constant(s) == Some(1));
        let fits = shape.dims.len() == 1 && shape.lane == at.memref.element && unit;
        self.src.refuse_if(!fits, pos, "the operation takes a vector of one dimension, and elements without gaps")?;
        let base = self.at_index(at.fields.aligned, at.element, at.first, pos)?;
        let (row, x, flags) = (self.t.part(v.ty, 0), self.one(v), (self.t.part(mask.ty, 0), self.one(mask)));
        if kind == Vector::CompressStore {
            self.call_intrinsic("masked.compressstore", VOID, &[(row, x), (PTR, base), flags], pos)?;
        } else {
            let loaded = self.call_intrinsic("masked.expandload", row, &[(PTR, base), flags, (row, x)], pos)?;
            self.give(op, v.ty, &[loaded]);
        }
        Ok(())
    }

    /// `vector.type_cast`: dense memory regarded as that of other elements of the same total size.
    pub(super) fn vector_type_cast(&mut self, op: &Op<'r>) -> Result<Value> {
        let (m, to) = (self.first_operand(op)?, self.result_type(op, 0)?);
        let (from, target) = (self.memref_type(m, op.pos)?, self.t.memref(to).cloned());
        let target = target.ok_or_else(|| self.src.error(op.pos, "the result is a memref"))?;
        let natural = |m: &MemrefType| {
            m.is_static() && m.offset == 0 && m.strides == crate::syntax::types::layout::natural_strides(&m.sizes)
        };
        let fits = natural(&from) && natural(&target) && self.elements_in(&from) == self.elements_in(&target);
        self.src.refuse_if(!fits, op.pos, "the memrefs are not of the same elements without gaps")?;
        let mut fields = self.fields(m, op.pos)?;
        let zero = self.index(0);
        (fields.sizes, fields.strides) = (vec![zero; target.rank()], vec![zero; target.rank()]);
        self.describe(to, &fields, op.pos)
    }

    /// The number of scalars in a memref with static sizes, lanes included, and their type.
    fn elements_in(&self, m: &MemrefType) -> (i64, Ty) {
        let (dims, lane) = self.t.vector_of(self.l.types(), m.element).unwrap_or((Vec::new(), m.element));
        let lanes = dims.iter().fold(1i64, |n, &d| n.saturating_mul(d.into()));
        (m.sizes.iter().fold(lanes, |n, &d| n.saturating_mul(d)), lane)
    }
}
