//! Vectors combined: reductions, products, contractions, scans.

use gusset_codegen::ir::{Opcode, RmwOp};
use gusset_lower::from_f64;
use gusset_program::{Cast, Flags, Kind as LlvmKind, Sink, TypeId, Val};
use gusset_text::{Placed, Result};

use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::attributes::{AttributeKind, AttributeRef};
use crate::syntax::op::{Op, Value};
use crate::syntax::types::Ty;

use super::vector::{Shape, number, place};
use super::vector_kinds::{KINDS, Kind, Neutral, older_kind};
use super::vector_loops::{Contraction, MOST_PRODUCTS};

/// A kind of atomic operations and of loop reductions, the corresponding kind of vectors, and the operation of machines
/// if there is one.
type AtomicKind = (&'static str, &'static str, Option<RmwOp>);

/// The kinds in the order of their numbers in the generic form.
const ATOMICS: [AtomicKind; 16] = [
    ("addf", "add", Some(RmwOp::Fadd)),
    ("addi", "add", Some(RmwOp::Add)),
    ("assign", "", Some(RmwOp::Xchg)),
    ("maximumf", "maximumf", None),
    ("maxs", "maxsi", Some(RmwOp::Max)),
    ("maxu", "maxui", Some(RmwOp::Umax)),
    ("minimumf", "minimumf", None),
    ("mins", "minsi", Some(RmwOp::Min)),
    ("minu", "minui", Some(RmwOp::Umin)),
    ("mulf", "mul", None),
    ("muli", "mul", None),
    ("ori", "or", Some(RmwOp::Or)),
    ("andi", "and", Some(RmwOp::And)),
    ("maxnumf", "maxnumf", None),
    ("minnumf", "minnumf", None),
    ("xori", "xor", Some(RmwOp::Xor)),
];

impl<'r, E: Sink> Reader<'r, E> {
    /// Reads the kind of an atomic operation, or of a loop's reduction: a word, a string, or a number.
    pub(super) fn atomic_kind(&self, value: AttributeRef<'r>) -> Result<&'static AtomicKind> {
        let found = match value.kind() {
            AttributeKind::Number => usize::try_from(value.integer()?).ok().and_then(|n| ATOMICS.get(n)),
            _ => {
                let word = older_kind(value.keyword()?);
                ATOMICS.iter().find(|k| k.0.as_bytes() == word)
            }
        };
        found.ok_or_else(|| value.error("this kind of an atomic operation is not known"))
    }

    /// How a kind of atomic operations combines values, if it does.
    pub(super) fn combining_of(&self, kind: &AtomicKind) -> Option<&'static Kind> {
        KINDS.iter().find(|k| k.name == kind.1)
    }

    /// The kinds of a loop's reductions: `("addf", "mulf")`, or an attribute of the generic form.
    pub(super) fn reductions(&mut self, op: &Op<'r>) -> Result<Vec<&'static Kind>> {
        let Some(list) = self.attr(op, "reductions") else { return Ok(Vec::new()) };
        let one = |value: Result<AttributeRef<'r>>| {
            let value = value?;
            let kind = self.atomic_kind(value)?;
            self.combining_of(kind).ok_or_else(|| value.error(format!("`{}` joins no values", kind.0)))
        };
        list.array()?.map(one).collect()
    }

    /// The initial value of a loop's reduction: the neutral element, for sums `0.0`.
    pub(super) fn reduction_start(&mut self, kind: &'static Kind, ty: Ty, pos: usize) -> Result<Value> {
        self.check(ty, pos)?;
        self.part_by_part(ty, |r, i| {
            let part = r.t.part(ty, i);
            let (lane, float) = r.lanes_of(part);
            let number = float || matches!(r.l.types().get(lane).kind, LlvmKind::Int);
            r.src.refuse_if(!number, pos, "this kind does not combine values of this type")?;
            let v = if float && kind.name == "add" { r.l.float(lane, 0) } else { r.neutral(kind, lane) };
            if lane == part { Ok(v) } else { r.splat_row(part, v, pos) }
        })
    }

    /// `a` and `b`, combined part by part.
    pub(super) fn accumulated(&mut self, kind: &'static Kind, a: Value, b: Value, pos: usize) -> Result<Value> {
        self.part_by_part(a.ty, |r, i| {
            let (ty, x, y) = (r.t.part(a.ty, i), r.part(a, i), r.part(b, i));
            r.combined(kind, ty, x, y, pos)
        })
    }

    /// The combining kind that an operation names; addition if it names none.
    fn combining_kind(&self, op: &Op<'r>) -> Result<&'static Kind> {
        let Some(value) = self.attr(op, "kind") else { return Ok(&KINDS[0]) };
        let word = value.keyword()?;
        let found = KINDS.iter().find(|k| k.name.as_bytes() == word);
        found.ok_or_else(|| value.error(format!("the combining kind `{}` is not known", String::from_utf8_lossy(word))))
    }

    /// The type of lanes, which for a scalar is the type itself, and whether they are floating-point numbers.
    pub(super) fn lanes_of(&self, ty: TypeId) -> (TypeId, bool) {
        let lane = if let LlvmKind::Vector { lane, .. } = self.l.types().get(ty).kind { lane } else { ty };
        (lane, matches!(self.l.types().get(lane).kind, LlvmKind::Float))
    }

    /// `a` and `b` of a scalar type or a row type, combined.
    pub(super) fn combined(&mut self, kind: &Kind, ty: TypeId, a: Val, b: Val, pos: usize) -> Result<Val> {
        let (_, float) = self.lanes_of(ty);
        let reduction = if float { kind.reduce_floats } else { kind.reduce_ints };
        self.src.refuse_if(reduction.is_empty(), pos, "this kind does not combine values of this type")?;
        match if float { kind.floats } else { kind.ints } {
            Some(opcode) => self.l.binary(opcode, ty, a, b).at(self.src, pos),
            None => self.call_intrinsic(kind.intrinsic, ty, &[(ty, a), (ty, b)], pos),
        }
    }

    /// The neutral element, in a scalar type.
    fn neutral(&mut self, kind: &Kind, ty: TypeId) -> Val {
        let ir = self.l.types().ir(ty);
        let top = 1i128 << (ir.bits().clamp(1, 127) - 1);
        match kind.neutral {
            Neutral::Number(_, x) if ir.is_float() => self.l.float(ty, from_f64(x.to_bits(), ir)),
            Neutral::Number(n, _) => self.l.integer(ty, n.into()),
            Neutral::Largest => self.l.integer(ty, top - 1),
            Neutral::Least => self.l.integer(ty, -top),
        }
    }

    /// Combines those lanes of a row that the mask selects, from the first to the last, and then with `start`, which
    /// comes first if the order matters; flags may say that it does not.
    pub(super) fn reduced(
        &mut self,
        (kind, said): (&Kind, Flags),
        (row, v): (TypeId, Val),
        start: Option<Val>,
        mask: Option<(TypeId, Val)>,
        pos: usize,
    ) -> Result<Val> {
        let (lane, float) = self.lanes_of(row);
        let name = if float { kind.reduce_floats } else { kind.reduce_ints };
        self.src.refuse_if(name.is_empty(), pos, "this kind does not combine values of this type")?;
        let v = match mask {
            None => v,
            Some(mask) => {
                let nothing = self.neutral(kind, lane);
                let nothing = self.splat_row(row, nothing, pos)?;
                self.l.select(mask, row, v, nothing).at(self.src, pos)?
            }
        };
        let name = format!("vector.reduce.{name}");
        if float && kind.floats.is_some() {
            // Sums begin at 0.0, as in MLIR.
            let first = match (start, kind.name) {
                (Some(start), _) => start,
                (None, "add") => self.l.float(lane, 0),
                (None, _) => self.neutral(kind, lane),
            };
            return self.call_reduction((&name, said), lane, &[(lane, first), (row, v)], pos);
        }
        let v = self.call_intrinsic(&name, lane, &[(row, v)], pos)?;
        match start {
            Some(start) => self.combined(kind, lane, start, v, pos),
            None => Ok(v),
        }
    }

    /// The row of a mask, if there is one.
    fn mask_row(&self, mask: Option<Value>, r: usize) -> Option<(TypeId, Val)> {
        mask.map(|m| (self.t.part(m.ty, r), self.part(m, r)))
    }

    /// The mask of the surrounding `vector.mask`, which must have these dimensions.
    pub(super) fn take_mask(&mut self, dims: &[usize], pos: usize) -> Result<Option<Value>> {
        let Some(mask) = self.mask.take() else { return Ok(None) };
        let shape = self.vector_shape(mask.ty, pos)?;
        let fits = shape.dims == dims && shape.lane == Ty::of(gusset_program::I1);
        self.src.refuse_if(!fits, pos, "the mask has other dimensions than what it masks")?;
        Ok(Some(mask))
    }

    /// `a * b + c`, row by row; the target chooses whether the product is rounded.
    pub fn vector_fma(&mut self, op: &Op<'r>) -> Result<Value> {
        let all: [Value; 3] = self.alike(op)?;
        self.part_by_part(all[0].ty, |r, i| {
            let row = r.t.part(all[0].ty, i);
            r.call_intrinsic("fmuladd", row, &all.map(|v| (row, r.part(v, i))), op.pos)
        })
    }

    /// `vector.reduction`: of a vector with one dimension, or none.
    pub fn vector_reduction(&mut self, op: &Op<'r>) -> Result<Value> {
        let v = self.first_operand(op)?;
        let shape = self.vector_shape(v.ty, op.pos)?;
        let fits = shape.dims.len() < 2 && op.operands.iter().skip(1).all(|acc| acc.ty == shape.lane);
        self.src.refuse_if(
            !fits,
            op.pos,
            "the operation takes a vector of one dimension and a value like its lanes",
        )?;
        let kind = self.combining_kind(op)?;
        let mask = self.take_mask(&shape.dims, op.pos)?;
        let start = op.operands.get(1).map(|&acc| self.one(acc));
        let (row, mask) = ((self.t.part(v.ty, 0), self.one(v)), self.mask_row(mask, 0));
        let said = self.operation_flags(op)?;
        let x = self.reduced((kind, said), row, start, mask, op.pos)?;
        Ok(self.value(shape.lane, &[x]))
    }

    /// `vector.multi_reduction`: over some dimensions, from the first element to the last.
    pub fn multi_reduction(&mut self, op: &Op<'r>) -> Result<Value> {
        let [v, acc] = self.operands(op)?;
        let shape = self.vector_shape(v.ty, op.pos)?;
        let (kind, said) = (self.combining_kind(op)?, self.operation_flags(op)?);
        let mut over = vec![false; shape.dims.len()];
        for k in self.attr_sizes(op, "reduction_dims")? {
            self.src.refuse_if(k >= over.len(), op.pos, "the vector has not so many dimensions")?;
            over[k] = true;
        }
        let kept: Vec<usize> = (0..over.len()).filter(|&k| !over[k]).collect();
        let left: Vec<usize> = kept.iter().map(|&k| shape.dims[k]).collect();
        let to = self.vector_or_lane(&left, shape.lane, op.pos)?;
        self.src.refuse_if(acc.ty != to, op.pos, "the operands have not the dimensions that the reduction leaves")?;
        let mask = self.take_mask(&shape.dims, op.pos)?;
        let outer = shape.outer().to_vec();
        let row = self.t.part(v.ty, 0);
        let inner = over.last().copied().unwrap_or(false);
        // Results by element if rows are reduced, otherwise by row.
        let mut results: Vec<Val> = Vec::new();
        let places = if inner { left.iter().product() } else { self.t.count(to) };
        for i in 0..places {
            results.push(if inner { self.vector_lane(acc, i, op.pos)? } else { self.part(acc, i) });
        }
        let kept_outer: Vec<usize> = kept.iter().copied().filter(|&k| k < outer.len()).collect();
        let sizes: Vec<usize> = kept_outer.iter().map(|&k| outer[k]).collect();
        for r in 0..shape.rows() {
            let at = place(&outer, r);
            let own: Vec<usize> = kept_outer.iter().map(|&k| at[k]).collect();
            let i = number(&sizes, &own);
            let (x, flags, old) = (self.part(v, r), self.mask_row(mask, r), results[i]);
            results[i] = if inner {
                self.reduced((kind, said), (row, x), Some(old), flags, op.pos)?
            } else {
                let new = self.combined(kind, row, old, x, op.pos)?;
                match flags {
                    Some(flags) => self.l.select(flags, row, new, old).at(self.src, op.pos)?,
                    None => new,
                }
            };
        }
        let v =
            if inner && !left.is_empty() { self.assembled(to, &results, op.pos)? } else { self.value(to, &results) };
        Ok(v)
    }

    /// `vector.outerproduct`: each lane of the first multiplied by the second; with a third, combined.
    pub fn outer_product(&mut self, op: &Op<'r>) -> Result<Value> {
        self.operands_are(op, 2)?;
        let (a, b, acc) = (op.operands[0], op.operands[1], op.operands.get(2).copied());
        let first = self.vector_shape(a.ty, op.pos)?;
        let second = self.t.vector_of(self.l.types(), b.ty);
        let mut dims = first.dims.clone();
        let lane = match &second {
            Some((more, lane)) => {
                dims.extend(more.iter().map(|&n| n as usize));
                *lane
            }
            None => b.ty,
        };
        let one = first.dims.len() == 1 && second.as_ref().is_none_or(|s| s.0.len() == 1);
        self.bounded(&dims, op.pos)?;
        let to = self.vector_type(&dims, first.lane, op.pos)?;
        let fits = one && lane == first.lane && acc.is_none_or(|acc| acc.ty == to);
        self.src.refuse_if(!fits, op.pos, "the operands are not vectors of one dimension with lanes of one type")?;
        let kind = self.combining_kind(op)?;
        let mask = self.take_mask(&dims, op.pos)?;
        let row = self.t.part(to, 0);
        let float = self.lanes_of(row).1;
        let mut parts = Vec::with_capacity(self.t.count(to));
        for r in 0..self.t.count(to) {
            // With a scalar, the first is the only row.
            let (x, y) = if second.is_some() {
                (self.vector_lane(a, r, op.pos)?, self.one(b))
            } else {
                (self.one(b), self.one(a))
            };
            let x = self.splat_row(row, x, op.pos)?;
            let old = acc.map(|acc| self.part(acc, r));
            let multiply = if float { Opcode::Fmul } else { Opcode::Imul };
            let new = match old {
                Some(old) if float && kind.name == "add" => {
                    self.call_intrinsic("fmuladd", row, &[(row, x), (row, y), (row, old)], op.pos)?
                }
                Some(old) => {
                    let product = self.l.binary(multiply, row, x, y).at(self.src, op.pos)?;
                    self.combined(kind, row, product, old, op.pos)?
                }
                None => self.l.binary(multiply, row, x, y).at(self.src, op.pos)?,
            };
            parts.push(match self.mask_row(mask, r) {
                Some(flags) => {
                    let old = match old {
                        Some(old) => old,
                        None => self.l.zero_value(row).at(self.src, op.pos)?,
                    };
                    self.l.select(flags, row, new, old).at(self.src, op.pos)?
                }
                None => new,
            });
        }
        Ok(self.value(to, &parts))
    }

    /// `vector.matrix_multiply`: matrices column by column.
    pub fn matrix_multiply(&mut self, op: &Op<'r>) -> Result<Value> {
        self.operands_are(op, 2)?;
        let (a, b, to) = (op.operands[0], op.operands[1], self.result_type(op, 0)?);
        let (rows, inner) = (self.matrix_size(op, "lhs_rows")?, self.matrix_size(op, "lhs_columns")?);
        let columns = self.matrix_size(op, "rhs_columns")?;
        let shapes = [a.ty, b.ty, to].map(|ty| self.vector_shape(ty, op.pos));
        let [first, second, result] = shapes;
        let (first, second, result) = (first?, second?, result?);
        let is = |s: &Shape, m: usize, n: usize| {
            s.dims.len() == 1 && m.checked_mul(n) == Some(s.count()) && s.lane == first.lane
        };
        let fits = is(&first, rows, inner) && is(&second, inner, columns) && is(&result, rows, columns);
        self.src.refuse_if(!fits, op.pos, "the vectors have not the elements of such matrices")?;
        self.bounded(&[columns, inner], op.pos)?;
        let column = self.vector_type(&[rows], first.lane, op.pos)?;
        let row = self.t.part(column, 0);
        let (multiply, add) =
            if self.lanes_of(row).1 { (Opcode::Fmul, Opcode::Fadd) } else { (Opcode::Imul, Opcode::Iadd) };
        let mut all = Vec::with_capacity(columns);
        for c in 0..columns {
            let mut sum: Option<Val> = None;
            for k in 0..inner {
                let x = self.run_of(column, a, k * rows, op.pos)?;
                let y = self.vector_lane(b, c * inner + k, op.pos)?;
                let (x, y) = (self.one(x), self.splat_row(row, y, op.pos)?);
                let product = self.l.binary(multiply, row, x, y).at(self.src, op.pos)?;
                sum = Some(match sum {
                    None => product,
                    Some(sum) => self.l.binary(add, row, sum, product).at(self.src, op.pos)?,
                });
            }
            let sum = sum.map_or_else(Vec::new, |v| vec![v]);
            all.push(self.value(column, &sum));
        }
        self.rearrange(to, &all, |i| (i / rows, i % rows), op.pos)
    }

    /// `vector.scan`: the partial results along a dimension, and the final ones.
    pub fn scan(&mut self, op: &mut Op<'r>) -> Result<()> {
        let [v, first] = self.operands(op)?;
        let shape = self.vector_shape(v.ty, op.pos)?;
        let kind = self.combining_kind(op)?;
        let along = self.attr_int(op, "reduction_dim")?.ok_or_else(|| self.missing(op, "reduction_dim"))?;
        let along = usize::try_from(along).ok().filter(|&k| k < shape.dims.len());
        let along = along.ok_or_else(|| self.src.error(op.pos, "the vector has not so many dimensions"))?;
        let inclusive = self.attr_int(op, "inclusive")?.unwrap_or(0) != 0;
        let mut dims = shape.dims.clone();
        let size = dims.remove(along);
        // The slices of a one-dimensional vector have no dimensions.
        let slice = self.vector_type(&dims, shape.lane, op.pos)?;
        self.src.refuse_if(first.ty != slice, op.pos, "the initial value has not the dimensions that are left")?;
        let mut slices: Vec<Value> = Vec::with_capacity(size);
        let mut before: Option<Value> = None;
        for i in 0..size {
            let from = |k: usize| {
                let mut at = place(&dims, k);
                at.insert(along, i);
                (0, number(&shape.dims, &at))
            };
            let own = self.rearrange(slice, &[v], from, op.pos)?;
            let now = match (slices.last().copied(), inclusive) {
                (None, true) => own,
                (None, false) => first,
                (Some(sum), _) => {
                    let next = if inclusive { own } else { before.unwrap_or(own) };
                    self.accumulated(kind, sum, next, op.pos)?
                }
            };
            before = Some(own);
            slices.push(now);
        }
        let from = |k: usize| {
            let mut at = place(&shape.dims, k);
            let i = at.remove(along);
            (i, number(&dims, &at))
        };
        let all = self.rearrange(v.ty, &slices, from, op.pos)?;
        op.values.push(all);
        op.values.extend(slices.last().copied());
        Ok(())
    }

    // Contractions.

    /// Which iterators are reduced.
    fn reduced_iterators(&mut self, op: &Op<'r>) -> Result<Vec<bool>> {
        let words = self.attr_list(op, "iterator_types", |value| match value.keyword()? {
            b"reduction" => Ok(true),
            b"parallel" => Ok(false),
            _ => Err(value.expected("`parallel` or `reduction`")),
        })?;
        words.ok_or_else(|| self.missing(op, "iterator_types"))
    }

    /// A vector whose dimensions are iterators, as rows along the iterator `inner`: the other iterators, and the
    /// vector.
    fn along(
        &mut self,
        v: Value,
        iterators: &[usize],
        (inner, width): (Option<usize>, usize),
        pos: usize,
    ) -> Result<(Vec<usize>, Value)> {
        let shape = self.vector_shape(v.ty, pos)?;
        let others: Vec<usize> = iterators.iter().copied().filter(|&it| Some(it) != inner).collect();
        let size = |it: usize| iterators.iter().position(|&i| i == it).map_or(1, |k| shape.dims[k]);
        let dims: Vec<usize> = others.iter().map(|&it| size(it)).chain([width]).collect();
        let to = self.vector_type(&dims, shape.lane, pos)?;
        let from = |i: usize| {
            let at = place(&dims, i);
            let own: Vec<usize> = iterators
                .iter()
                .map(|it| others.iter().position(|o| o == it).map_or(at[dims.len() - 1], |k| at[k]))
                .collect();
            (0, number(&shape.dims, &own))
        };
        let v = self.rearrange(to, &[v], from, pos)?;
        Ok((others, v))
    }

    /// A vector with lanes of a wider type that holds all their values.
    fn promoted(&mut self, v: Value, lane: Ty, pos: usize) -> Result<Value> {
        let shape = self.vector_shape(v.ty, pos)?;
        if shape.lane == lane {
            return Ok(v);
        }
        let to = self.vector_type(&shape.dims, lane, pos)?;
        let float = self.lanes_of(self.t.whole(lane)).1;
        self.cast_value((if float { Cast::Fpext } else { Cast::Sext }, Default::default()), v, to, pos)
    }

    /// `vector.contract`: products over all iterators, combined over those that are reduced.
    pub fn contract(&mut self, op: &Op<'r>) -> Result<Value> {
        self.operands_are(op, 3)?;
        let (pos, acc) = (op.pos, op.operands[2]);
        let (kind, said) = (self.combining_kind(op)?, self.operation_flags(op)?);
        let reduces = self.reduced_iterators(op)?;
        let maps = self.attr_list(op, "indexing_maps", |value| value.map(self.t))?.unwrap_or_default();
        let wrong = "the operation needs a map for each operand, from its iterators to the operand's dimensions";
        let maps: Vec<Vec<usize>> =
            maps.iter().filter(|m| m.dims == reduces.len()).filter_map(|m| m.projection()).collect();
        self.src.refuse_if(maps.len() != 3, pos, wrong)?;
        let multiplied = (0..reduces.len()).all(|it| maps[0].contains(&it) || maps[1].contains(&it));
        self.src.refuse_if(!multiplied, pos, "an iterator is no dimension of what is multiplied")?;
        for v in &op.operands[..3] {
            let lane = self.t.element(self.l.types(), v.ty).unwrap_or(v.ty);
            let signed = matches!(self.t.own(lane), Some(crate::syntax::types::Kind::Integer { .. }));
            self.src.refuse_if(signed, pos, "the lanes are integers with a sign in their type")?;
        }
        let result = self.t.vector_of(self.l.types(), acc.ty);
        let lane = result.as_ref().map_or(acc.ty, |r| r.1);
        // Sizes of the iterators.
        let mut sizes = vec![0usize; reduces.len()];
        for (k, map) in maps.iter().enumerate() {
            let dims = match (k, &result) {
                (2, None) => Vec::new(),
                _ => self.vector_shape(op.operands[k].ty, pos)?.dims,
            };
            self.src.refuse_if(dims.len() != map.len(), pos, wrong)?;
            for (&it, &n) in map.iter().zip(&dims) {
                self.src.refuse_if(sizes[it] != 0 && sizes[it] != n, pos, "an iterator has several sizes")?;
                sizes[it] = n;
            }
        }
        let known = (0..reduces.len()).all(|it| sizes[it] != 0 && (reduces[it] || maps[2].contains(&it)));
        self.src.refuse_if(!known || maps[2].iter().any(|&it| reduces[it]), pos, wrong)?;
        let mask = self.take_mask(&sizes, pos)?;
        let inner = reduces.iter().rposition(|&r| r);
        let width = inner.map_or(1, |it| sizes[it]);
        let a = self.promoted(op.operands[0], lane, pos)?;
        let b = self.promoted(op.operands[1], lane, pos)?;
        let (of_a, a) = self.along(a, &maps[0], (inner, width), pos)?;
        let (of_b, b) = self.along(b, &maps[1], (inner, width), pos)?;
        let every: Vec<usize> = (0..reduces.len()).collect();
        let mask = mask.map(|m| self.along(m, &every, (inner, width), pos)).transpose()?;
        let over: Vec<usize> = every.iter().copied().filter(|&it| reduces[it] && Some(it) != inner).collect();
        let lengths = |its: &[usize]| its.iter().map(|&it| sizes[it]).collect::<Vec<usize>>();
        let (kept, outer) = (lengths(&maps[2]), lengths(&over));
        self.bounded(&[lengths(&maps[2]), lengths(&over)].concat(), pos)?;
        if sizes.iter().try_fold(1usize, |n, &size| n.checked_mul(size)).is_none_or(|n| n > MOST_PRODUCTS) {
            let (kind, acc) = ((kind, said), (acc, lane));
            let (a, b) = ((of_a, a), (of_b, b));
            let of = Contraction { kind, sizes: &sizes, kept: &maps[2], over: &over, a, b, mask, acc, pos };
            return self.contract_by_loops(&of);
        }
        let row = self.t.part(a.ty, 0);
        let mut at = vec![0usize; reduces.len()];
        let mut lanes = Vec::new();
        for i in 0..kept.iter().product() {
            maps[2].iter().zip(place(&kept, i)).for_each(|(&it, n)| at[it] = n);
            let mut x = self.vector_lane(acc, i, pos)?;
            for k in 0..outer.iter().product() {
                over.iter().zip(place(&outer, k)).for_each(|(&it, n)| at[it] = n);
                let row_of = |its: &[usize]| its.iter().fold(0, |r, &it| r * sizes[it] + at[it]);
                let (p, q) = (self.part(a, row_of(&of_a)), self.part(b, row_of(&of_b)));
                let flags = mask.as_ref().map(|(its, m)| (self.t.part(m.ty, 0), self.part(*m, row_of(its))));
                let lane = self.t.whole(lane);
                x = self.contracted((row, [p, q]), flags, (lane, x), (kind, said), pos)?;
            }
            lanes.push(x);
        }
        let v = if result.is_some() { self.assembled(acc.ty, &lanes, pos)? } else { self.value(acc.ty, &lanes) };
        Ok(v)
    }
}
