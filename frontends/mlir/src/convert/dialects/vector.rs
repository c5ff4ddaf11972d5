//! The dialect `vector`: its operations, and the construction of vectors from lanes of others.
//!
//! MLIR, "'vector' Dialect". A multi-dimensional vector is split into its rows, one-dimensional vectors, in row-major
//! order; a vector without dimensions is a row of one lane. The *elements* of a vector are numbered through all its
//! rows.

use gusset_program::{I32, Kind as LlvmKind, Sink, TypeId, Val};
use gusset_text::{Placed, Result};

use crate::context::op_kind::{OpKind, Vector};
use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::op::{Mixed, Op, Value};
use crate::syntax::op_table::Row;
use crate::syntax::types::Ty;

use super::rows::row;

#[rustfmt::skip]
pub(super) const ROWS: &[Row<OpKind>] = &[
    row("vector.print", "[? % : A ?] [? str ~stringLiteral ?] [? punctuation < $punctuation > ?] {}", "A* ->", OpKind::Vector(Vector::Print)),
    row("vector.extract", "% #* {} : A [? from B ?]", "B i* -> ...", OpKind::Vector(Vector::Extract)),
    row("vector.insert", "% , % #* {} : A into B", "A B i* -> B", OpKind::Vector(Vector::Insert)),
    row("vector.extractelement", "% [ [? % : I ?] ] {} : A", "A I* -> eA", OpKind::Vector(Vector::ExtractElement)),
    row("vector.insertelement", "% , % [ [? % : I ?] ] {} : A", "eA A I* -> A", OpKind::Vector(Vector::InsertElement)),
    row("vector.broadcast", "% {} : A to B", "A -> B", OpKind::Vector(Vector::Broadcast)),
    row("vector.splat", "% {} : A", "eA -> A", OpKind::Vector(Vector::Broadcast)),
    row("vector.shuffle", "% , % ~mask {} : A , B", "A B -> ...", OpKind::Vector(Vector::Shuffle)),
    row("vector.insert_strided_slice", "% , % {} : A into B", "A B -> B", OpKind::Vector(Vector::InsertStrided)),
    row("vector.extract_strided_slice", "% {} : A to B", "A -> B", OpKind::Vector(Vector::ExtractStrided)),
    row("vector.shape_cast", "% {} : A to B", "A -> B", OpKind::Vector(Vector::ShapeCast)),
    row("vector.bitcast", "% {} : A to B", "A -> B", OpKind::Vector(Vector::Bitcast)),
    row("vector.transpose", "% , ~permutation {} : A to B", "A -> B", OpKind::Vector(Vector::Transpose)),
    row("vector.flat_transpose", "% {} : A -> B", "A -> B", OpKind::Vector(Vector::FlatTranspose)),
    row("vector.interleave", "% , % {} : A -> B", "A A -> B", OpKind::Vector(Vector::Interleave)),
    row("vector.deinterleave", "% {} : A -> B", "A -> B B", OpKind::Vector(Vector::Deinterleave)),
    row("vector.from_elements", "%* {} : A", "eA* -> A", OpKind::Vector(Vector::FromElements)),
    row("vector.to_elements", "% {} : A", "A -> eA*", OpKind::Vector(Vector::ToElements)),
    row("vector.step", "{} : A", "-> A", OpKind::Vector(Vector::Step)),
    row("vector.constant_mask", "~mask_dim_sizes {} : A", "-> A", OpKind::Vector(Vector::ConstantMask)),
    row("vector.create_mask", "%* {} : A", "i* -> A", OpKind::Vector(Vector::CreateMask)),
    row("vector.mask", "%* ! {} : M [? -> (R*), ?]", "M _* -> ...", OpKind::Vector(Vector::Mask)),
    row("vector.yield", "{} %* [? : A* ?]", "A* ->", OpKind::Yield),
    row("vector.fma", "% , % , % {} : A", "A A A -> A", OpKind::Vector(Vector::Fma)),
    row("vector.reduction", "< $kind > , % [? , % ?] & {} : A into B", "A B* -> B", OpKind::Vector(Vector::Reduction)),
    row("vector.multi_reduction", "< $kind > , % , % {} ~reduction_dims : A to B", "A B -> B", OpKind::Vector(Vector::MultiReduction)),
    row("vector.outerproduct", "% , % [? , % ?] {} : A , B", "A B _* -> ...", OpKind::Vector(Vector::OuterProduct)),
    row("vector.contract", "{#} % , % , % {} : A , B into R", "A B R -> ...", OpKind::Vector(Vector::Contract)),
    row("vector.matrix_multiply", "% , % {} : ( A , B ) -> C", "A B -> C", OpKind::Vector(Vector::MatrixMultiply)),
    row("vector.scan", "< $kind > , % , % {} : A , B", "A B -> A B", OpKind::Vector(Vector::Scan)),
    row("vector.vscale", "{}", "-> ...", OpKind::Vector(Vector::Scalable)),
    row("vector.scalable.insert", "% , % [ =pos ] {} : A into R", "_* -> ...", OpKind::Vector(Vector::Scalable)),
    row("vector.scalable.extract", "% [ =pos ] {} : R from A", "_* -> ...", OpKind::Vector(Vector::Scalable)),
];

/// Operations make instructions for each element, so vectors with more elements, and products over more, are refused.
const MAX_ELEMENTS: usize = 1 << 16;

/// Dimensions of a vector, and the type of its lanes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub dims: Vec<usize>,
    pub lane: Ty,
}

impl Shape {
    /// Lanes of a row.
    pub fn width(&self) -> usize {
        self.dims.last().copied().unwrap_or(1)
    }

    /// All dimensions except that of a row's lanes.
    pub fn outer(&self) -> &[usize] {
        &self.dims[..self.dims.len().saturating_sub(1)]
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.outer().iter().product()
    }

    /// Number of elements.
    pub fn count(&self) -> usize {
        self.dims.iter().product()
    }
}

/// The position of element `i` in these dimensions.
pub(super) fn place(dims: &[usize], mut i: usize) -> Vec<usize> {
    let mut place = vec![0; dims.len()];
    for (k, &n) in dims.iter().enumerate().rev() {
        place[k] = i % n;
        i /= n;
    }
    place
}

/// The index of the element at a position.
pub(super) fn number(dims: &[usize], place: &[usize]) -> usize {
    dims.iter().zip(place).fold(0, |i, (&n, &at)| i * n + at)
}

/// The origin of a lane: the index of the source, and of its element.
pub(super) type Pick = (usize, usize);

/// Lanes of a row that come from one row.
struct Group {
    /// Index of the source, and of its row.
    source: usize,
    row: usize,
    /// Pairs of lanes: in the source row, and in the result.
    lanes: Vec<(usize, usize)>,
}

impl<'r, E: Sink> Reader<'r, E> {
    /// Converts an operation of the dialect.
    pub fn vector(&mut self, kind: Vector, op: &mut Op<'r>) -> Result<()> {
        let v = match kind {
            Vector::Print => return self.vector_print(op),
            Vector::Extract => self.vector_extract(op),
            Vector::Insert => self.vector_insert(op),
            Vector::ExtractElement | Vector::InsertElement => self.vector_element(kind, op),
            Vector::Broadcast => self.broadcast(op),
            Vector::Shuffle => self.vector_shuffle(op),
            Vector::InsertStrided | Vector::ExtractStrided => self.strided_slice(kind, op),
            Vector::ShapeCast => self.shape_cast(op),
            Vector::Bitcast => {
                let (a, to) = (self.first_operand(op)?, self.result_type(op, 0)?);
                self.cast_value((gusset_program::Cast::Bitcast, Default::default()), a, to, op.pos)
            }
            Vector::Transpose => self.transpose(op),
            Vector::FlatTranspose => self.flat_transpose(op),
            Vector::Interleave => self.interleave(op),
            Vector::Deinterleave => return self.deinterleave(op),
            Vector::FromElements => self.vector_of_elements(op),
            Vector::ToElements => return self.elements_of_vector(op),
            Vector::Step => self.step(op),
            Vector::ConstantMask | Vector::CreateMask => self.make_mask(kind, op),
            Vector::Mask => return self.masked_region(op),
            Vector::Fma => self.vector_fma(op),
            Vector::Reduction => self.vector_reduction(op),
            Vector::MultiReduction => self.multi_reduction(op),
            Vector::OuterProduct => self.outer_product(op),
            Vector::Contract => self.contract(op),
            Vector::MatrixMultiply => self.matrix_multiply(op),
            Vector::Scan => return self.scan(op),
            Vector::Load => self.vector_load(op),
            Vector::Store => return self.vector_store(op),
            Vector::MaskedLoad => {
                let (m, indices, [mask, pass]) = self.access(op)?;
                self.read_vector(op, (m, indices), (pass.ty, Some(pass), Some(mask)))
            }
            Vector::MaskedStore => {
                let (m, indices, [mask, v]) = self.access(op)?;
                return self.write_vector(op, (m, indices), (v, Some(mask)));
            }
            Vector::Gather | Vector::Scatter => return self.scattered(kind, op),
            Vector::ExpandLoad | Vector::CompressStore => return self.dense_lanes(kind, op),
            Vector::TransferRead => self.transfer_read(op),
            Vector::TransferWrite => return self.transfer_write(op),
            Vector::TypeCast => self.vector_type_cast(op),
            Vector::Scalable => Err(self.src.error(op.pos, gusset_program::refusals::SCALABLE)),
        }?;
        op.values.push(v);
        Ok(())
    }

    pub(super) fn first_operand(&self, op: &Op<'r>) -> Result<Value> {
        self.operands(op).map(|[v]| v)
    }

    /// The shape of a vector type.
    pub(super) fn vector_shape(&self, ty: Ty, pos: usize) -> Result<Shape> {
        let Some((dims, lane)) = self.t.vector_of(self.l.types(), ty) else {
            return Err(self.src.error(pos, "a vector must stand here"));
        };
        let dims: Vec<usize> = dims.iter().map(|&n| n as usize).collect();
        self.bounded(&dims, pos)?;
        Ok(Shape { dims, lane })
    }

    /// Checks that there are not too many elements.
    pub(super) fn bounded(&self, dims: &[usize], pos: usize) -> Result<()> {
        let count = dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
        let fits = count.is_some_and(|n| n <= MAX_ELEMENTS);
        self.src.refuse_if(!fits, pos, "operations on vectors of more than 65536 elements are not supported")
    }

    /// The vector type with these dimensions.
    pub(super) fn vector_type(&mut self, dims: &[usize], lane: Ty, pos: usize) -> Result<Ty> {
        let dims: Vec<u32> = dims.iter().map(|&n| n as u32).collect();
        self.t.vector(self.l.types_mut(), &dims, lane).at(self.src, pos)
    }

    /// The vector type with these dimensions, or the type of the lanes if there are none.
    pub(super) fn vector_or_lane(&mut self, dims: &[usize], lane: Ty, pos: usize) -> Result<Ty> {
        if dims.is_empty() { Ok(lane) } else { self.vector_type(dims, lane, pos) }
    }

    /// Lanes of a row.
    pub(super) fn width(&self, row: TypeId) -> usize {
        match self.l.types().get(row).kind {
            LlvmKind::Vector { len, .. } => len as usize,
            _ => 1,
        }
    }

    /// A lane's number.
    pub(super) fn lane_number(&mut self, i: usize) -> (TypeId, Val) {
        (I32, self.l.integer(I32, i as i128))
    }

    /// Element `i` of a vector; a scalar has one.
    pub(super) fn vector_lane(&mut self, v: Value, i: usize, pos: usize) -> Result<Val> {
        let row = self.t.part(v.ty, 0);
        if self.t.vector_of(self.l.types(), v.ty).is_none() {
            return Ok(self.one(v));
        }
        let width = self.width(row);
        let (val, index) = (self.part(v, i / width), self.lane_number(i % width));
        self.l.extract_element(row, val, index).at(self.src, pos)
    }

    /// A row with `x` in all lanes.
    pub(super) fn splat_row(&mut self, row: TypeId, x: Val, pos: usize) -> Result<Val> {
        let LlvmKind::Vector { lane, len } = self.l.types().get(row).kind else { return Ok(x) };
        if self.l.int_constant(x).is_some() {
            return self.l.splat(row, lane, x).at(self.src, pos);
        }
        let none = self.l.poison_value(row).at(self.src, pos)?;
        let first = self.lane_number(0);
        let v = self.l.insert_element(row, none, x, first).at(self.src, pos)?;
        if len == 1 {
            return Ok(v);
        }
        let (_, v) = self.l.shuffle(row, v, none, &vec![0; len as usize]).at(self.src, pos)?;
        Ok(v)
    }

    /// A vector whose element `i` is the source element that `pick` returns.
    pub(super) fn rearrange(
        &mut self,
        to: Ty,
        sources: &[Value],
        pick: impl Fn(usize) -> Pick,
        pos: usize,
    ) -> Result<Value> {
        if self.t.vector_of(self.l.types(), to).is_none() {
            let (source, element) = pick(0);
            let x = self.vector_lane(sources[source], element, pos)?;
            return Ok(self.value(to, &[x]));
        }
        let row = self.t.part(to, 0);
        let width = self.width(row);
        let mut parts = Vec::with_capacity(self.t.count(to));
        for r in 0..self.t.count(to) {
            let picks: Vec<Pick> = (r * width..(r + 1) * width).map(&pick).collect();
            parts.push(self.rearranged_row(row, sources, &picks, pos)?);
        }
        Ok(self.value(to, &parts))
    }

    /// A row whose lanes come from elements of the sources.
    fn rearranged_row(&mut self, row: TypeId, sources: &[Value], picks: &[Pick], pos: usize) -> Result<Val> {
        let mut groups: Vec<Group> = Vec::new();
        for (to, &(source, element)) in picks.iter().enumerate() {
            let width = self.width(self.t.part(sources[source].ty, 0));
            let (number, from) = (element / width, element % width);
            match groups.iter_mut().find(|g| (g.source, g.row) == (source, number)) {
                Some(group) => group.lanes.push((from, to)),
                None => groups.push(Group { source, row: number, lanes: vec![(from, to)] }),
            }
        }
        // Begin with the row that has the most lanes in their positions.
        let stays =
            |r: &Self, g: &Group| r.t.part(sources[g.source].ty, 0) == row && g.lanes.iter().all(|p| p.0 == p.1);
        let base = (0..groups.len()).filter(|&k| stays(self, &groups[k])).max_by_key(|&k| groups[k].lanes.len());
        let mut v = base.map(|k| {
            let g = groups.remove(k);
            self.part(sources[g.source], g.row)
        });
        for g in groups {
            v = Some(self.with_group(row, v, (sources[g.source], &g), picks.len(), pos)?);
        }
        v.ok_or_else(|| self.src.error(pos, "a vector has lanes"))
    }

    /// A row of `width` lanes, the one made so far or a new one, with the lanes of a group inserted.
    fn with_group(
        &mut self,
        row: TypeId,
        made: Option<Val>,
        (source, g): (Value, &Group),
        width: usize,
        pos: usize,
    ) -> Result<Val> {
        let (own, from) = (self.t.part(source.ty, 0), self.part(source, g.row));
        let has_lanes = matches!(self.l.types().get(own).kind, LlvmKind::Vector { .. });
        if !has_lanes && g.lanes.len() == width {
            return self.splat_row(row, from, pos);
        }
        if !has_lanes || g.lanes.len() == 1 && width != 1 {
            let x = if has_lanes {
                let index = self.lane_number(g.lanes[0].0);
                self.l.extract_element(own, from, index).at(self.src, pos)?
            } else {
                from
            };
            let mut v = match made {
                Some(v) => v,
                None => self.l.poison_value(row).at(self.src, pos)?,
            };
            for &(_, to) in &g.lanes {
                let index = self.lane_number(to);
                v = self.l.insert_element(row, v, x, index).at(self.src, pos)?;
            }
            return Ok(v);
        }
        let mut mask = vec![u32::MAX; width];
        for &(from, to) in &g.lanes {
            mask[to] = from as u32;
        }
        let none = self.l.poison_value(own).at(self.src, pos)?;
        let (_, moved) = self.l.shuffle(own, from, none, &mask).at(self.src, pos)?;
        let Some(made) = made else { return Ok(moved) };
        let second = |i: usize| if mask[i] == u32::MAX { i } else { width + i } as u32;
        let blend: Vec<u32> = (0..width).map(second).collect();
        Ok(self.l.shuffle(row, made, moved, &blend).at(self.src, pos)?.1)
    }

    /// A vector of these elements.
    pub(super) fn assembled(&mut self, to: Ty, lanes: &[Val], pos: usize) -> Result<Value> {
        let row = self.t.part(to, 0);
        let width = self.width(row);
        let mut parts = Vec::with_capacity(self.t.count(to));
        for lanes in lanes.chunks(width) {
            let mut v = self.l.poison_value(row).at(self.src, pos)?;
            for (i, &x) in lanes.iter().enumerate() {
                let index = self.lane_number(i);
                v = self.l.insert_element(row, v, x, index).at(self.src, pos)?;
            }
            parts.push(v);
        }
        Ok(self.value(to, &parts))
    }

    /// Consecutive elements beginning at `from`, as a value of type `to`.
    pub(super) fn run_of(&mut self, to: Ty, v: Value, from: usize, pos: usize) -> Result<Value> {
        self.rearrange(to, &[v], |i| (0, from + i), pos)
    }

    /// The members of list `k` of the operation.
    pub(super) fn list_of(&self, op: &Op<'r>, k: usize) -> Vec<Mixed> {
        op.lists.get(k).map_or_else(Vec::new, |&(from, to)| op.mixed[from..to].to_vec())
    }

    /// A list of sizes or positions from an attribute, none of them negative.
    pub(super) fn attr_sizes(&self, op: &Op<'r>, name: &str) -> Result<Vec<usize>> {
        let all = self.attr_ints(op, name)?.ok_or_else(|| self.missing(op, name))?;
        let all: Option<Vec<usize>> = all.iter().map(|&n| usize::try_from(n).ok()).collect();
        all.ok_or_else(|| self.src.error(op.pos, format!("the attribute `{name}` has a negative number")))
    }
}
