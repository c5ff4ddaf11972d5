//! The dialect `affine`: loops, branches and accesses by affine maps.
//!
//! MLIR, "'affine' Dialect".

use gusset_codegen::ir::{IntCc, Opcode};
use gusset_program::{Compare, I1, Sink, Val};
use gusset_text::{Placed, Result};

use crate::context::op_kind::{Affine, OpKind};
use crate::convert::build::Build;
use crate::convert::reader::{Ending, Reader};
use crate::syntax::op::{Op, POISONED, Value};
use crate::syntax::op_table::Row;
use crate::syntax::types::INDEX;
use crate::syntax::types::affine::{Expr, Map, Op as Operator};

use super::rows::row;
use super::scf::Bounds;

#[rustfmt::skip]
pub(super) const ROWS: &[Row<OpKind>] = &[
    row("affine.apply", "~map #() {}", "i* -> i", OpKind::Affine(Affine::Apply)),
    row("affine.delinearize_index", "% into #(* {} : R*", "i i* -> ...", OpKind::Affine(Affine::Delinearize)),
    row("affine.for", "%& = #max to #min [? step =step ?] [? iter_args (%&=%*) -> (R*) ?] ! {}", "i* i* R* -> ...", OpKind::Affine(Affine::For)),
    row("affine.if", "~condition #() [? -> (R*), ?] ! [? else ! ?] {}", "i* -> ...", OpKind::Affine(Affine::If)),
    row("affine.linearize_index", "?disjoint [ %* ] by #(* {} : A", "i* -> i", OpKind::Affine(Affine::Linearize)),
    row("affine.load", "% #[] {} : A", "A i* -> ...", OpKind::Affine(Affine::Load)),
    row("affine.max", "~map #() {}", "i* -> i", OpKind::Affine(Affine::Max)),
    row("affine.min", "~map #() {}", "i* -> i", OpKind::Affine(Affine::Min)),
    row("affine.parallel", "(%&*) = #bounds to #bounds [? step #(* ?] [? reduce <reductions ?] [? -> (R*), ?] ! {}", "i* i* -> ...", OpKind::Affine(Affine::Parallel)),
    row("affine.prefetch", "% #[] , $access , locality < ~locality > , $cache {} : A", "A i* ->", OpKind::Affine(Affine::Prefetch)),
    row("affine.store", "% , % #[] {} : A", "_ A i* ->", OpKind::Affine(Affine::Store)),
    row("affine.vector_load", "% #[] {} : A , R", "A i* -> ...", OpKind::Affine(Affine::VectorLoad)),
    row("affine.vector_store", "% , % #[] {} : A , V", "V A i* ->", OpKind::Affine(Affine::VectorStore)),
];

impl<'r, E: Sink> Reader<'r, E> {
    pub fn affine(&mut self, kind: Affine, op: &mut Op<'r>) -> Result<()> {
        match kind {
            Affine::Apply | Affine::Max | Affine::Min => {
                let (map, operands) = (self.need_map(op, "map")?, op.operands.clone());
                let one = kind != Affine::Apply || map.results.len() == 1;
                self.src.refuse_if(!one, op.pos, "the map has several results")?;
                let results = self.apply(&map, &operands, op.pos)?;
                let v = self.extreme(&results, kind == Affine::Max, op.pos)?;
                self.give(op, INDEX, &[v]);
                if self.depth > 0
                    && kind == Affine::Apply
                    && operands.iter().all(|&v| self.is_dimension(v))
                    && let Some(&v) = op.values.last()
                {
                    let symbol = operands.iter().all(|&v| self.is_symbol(v));
                    self.affine_values.insert(v.at, symbol);
                }
                Ok(())
            }
            Affine::For => self.affine_for(op),
            Affine::If => self.affine_if(op),
            Affine::Load | Affine::Store | Affine::VectorLoad | Affine::VectorStore | Affine::Prefetch => {
                self.affine_access(op, kind)
            }
            Affine::Parallel => self.affine_parallel(op),
            Affine::Delinearize => self.delinearize(op),
            Affine::Linearize => {
                let v = self.linearize(op)?;
                op.values.push(v);
                Ok(())
            }
        }
    }

    fn need_map(&self, op: &Op<'r>, name: &str) -> Result<Map> {
        self.attr_map(op, name)?.ok_or_else(|| self.missing(op, name))
    }

    /// Map `k` among the operands, or in the generic form the attribute.
    fn map_of(&self, op: &mut Op<'r>, k: usize, name: &str) -> Result<Map> {
        match op.maps.get_mut(k) {
            Some(map) => Ok(std::mem::take(map)),
            None => self.need_map(op, name),
        }
    }

    /// Whether a value may be a symbol of a map: it is a constant, or the same throughout the function's body (MLIR,
    /// "Affine" dialect, "Restrictions on Dimensions and Symbols").
    fn is_symbol(&self, v: Value) -> bool {
        let outside = self.depth == 0 || v.at < self.regional || v.at >= POISONED;
        outside
            || self.affine_values.get(&v.at) == Some(&true)
            || v.ty == INDEX && self.l.int_constant(self.one(v)).is_some()
    }

    /// Whether a value may be a dimension: it is a symbol, a counter of an affine loop, or a map of such values.
    fn is_dimension(&self, v: Value) -> bool {
        self.is_symbol(v) || self.affine_values.contains_key(&v.at)
    }

    /// Checks that the operands may be dimensions and symbols of the map.
    fn check_operands_of(&self, map: &Map, operands: &[Value], (name, pos): (&str, usize)) -> Result<()> {
        for (i, &v) in operands.iter().enumerate() {
            let (fits, what) =
                if i < map.dims { (self.is_dimension(v), "dimension") } else { (self.is_symbol(v), "symbol") };
            if !fits {
                return Err(self
                    .src
                    .error(pos, format!("an operand of `{name}` cannot be used as a {what} of its map")));
            }
        }
        Ok(())
    }

    /// Counters of affine loops, and values that these loops carry, may be dimensions.
    pub fn counts(&mut self, counters: &[Value]) {
        self.affine_values.extend(counters.iter().map(|v| (v.at, false)));
    }

    /// The results of a map for these operands, the dimensions first.
    fn apply(&mut self, map: &Map, operands: &[Value], pos: usize) -> Result<Vec<Val>> {
        let fits = operands.len() == map.dims + map.symbols && operands.iter().all(|v| v.ty == INDEX);
        self.src.refuse_if(!fits, pos, "the operands are not those of the map")?;
        let operands: Vec<Val> = operands.iter().map(|&v| self.one(v)).collect();
        map.results.iter().map(|e| self.evaluate(e, map.dims, &operands, pos)).collect()
    }

    /// The value of an expression, whose symbols follow `dims` dimensions.
    fn evaluate(&mut self, e: &Expr, dims: usize, operands: &[Val], pos: usize) -> Result<Val> {
        match e {
            Expr::Constant(n) => Ok(self.index(*n)),
            Expr::Dim(d) => Ok(operands[*d as usize]),
            Expr::Symbol(s) => Ok(operands[dims + *s as usize]),
            Expr::Binary(op, a, b) => {
                let a = self.evaluate(a, dims, operands, pos)?;
                let b = self.evaluate(b, dims, operands, pos)?;
                self.operate(*op, a, b, pos)
            }
        }
    }

    fn operate(&mut self, op: Operator, a: Val, b: Val, pos: usize) -> Result<Val> {
        let signed = |r: &Self, v: Val| {
            let bits = r.l.types().ir(r.t.index).bits();
            r.l.int_constant(v).map(|n| ((n as i128) << (128 - bits) >> (128 - bits)) as i64)
        };
        if let (Some(x), Some(y)) = (signed(self, a), signed(self, b))
            && let Some(n) = op.fold(x, y)
        {
            return Ok(self.index(n));
        }
        match op {
            Operator::Add => self.index_op(Opcode::Iadd, a, b, pos),
            Operator::Sub => self.index_op(Opcode::Isub, a, b, pos),
            Operator::Mul => self.index_op(Opcode::Imul, a, b, pos),
            Operator::Mod => {
                let index = self.t.index;
                let rest = self.l.binary(Opcode::Srem, index, a, b).at(self.src, pos)?;
                let negative = self.is_less(rest, 0, pos)?;
                let up = self.index_op(Opcode::Iadd, rest, b, pos)?;
                self.pick(negative, up, rest, pos)
            }
            // For a negative dividend, the quotient of its complement.
            Operator::FloorDiv => {
                let ones = self.index(-1);
                let negative = self.is_less(a, 0, pos)?;
                let flipped = self.index_op(Opcode::Isub, ones, a, pos)?;
                let positive = self.pick(negative, flipped, a, pos)?;
                let index = self.t.index;
                let q = self.l.binary(Opcode::Sdiv, index, positive, b).at(self.src, pos)?;
                let back = self.index_op(Opcode::Isub, ones, q, pos)?;
                self.pick(negative, back, q, pos)
            }
            Operator::CeilDiv => {
                let (zero, one) = (self.index(0), self.index(1));
                let small = self.is_less(a, 1, pos)?;
                let negated = self.index_op(Opcode::Isub, zero, a, pos)?;
                let before = self.index_op(Opcode::Isub, a, one, pos)?;
                let positive = self.pick(small, negated, before, pos)?;
                let index = self.t.index;
                let q = self.l.binary(Opcode::Sdiv, index, positive, b).at(self.src, pos)?;
                let (back, next) =
                    (self.index_op(Opcode::Isub, zero, q, pos)?, self.index_op(Opcode::Iadd, q, one, pos)?);
                self.pick(small, back, next, pos)
            }
        }
    }

    fn is_less(&mut self, a: Val, n: i64, pos: usize) -> Result<Val> {
        let (index, n) = (self.t.index, self.index(n));
        Ok(self.l.compare(Compare::Int(IntCc::Slt), index, a, n).at(self.src, pos)?.1)
    }

    fn pick(&mut self, c: Val, a: Val, b: Val, pos: usize) -> Result<Val> {
        let index = self.t.index;
        self.l.select((I1, c), index, a, b).at(self.src, pos)
    }

    /// The largest or the smallest.
    fn extreme(&mut self, all: &[Val], largest: bool, pos: usize) -> Result<Val> {
        let Some((&first, rest)) = all.split_first() else {
            return Err(self.src.error(pos, "the map has no results"));
        };
        let cc = if largest { IntCc::Sgt } else { IntCc::Slt };
        rest.iter().try_fold(first, |best, &v| {
            let index = self.t.index;
            let (_, better) = self.l.compare(Compare::Int(cc), index, v, best).at(self.src, pos)?;
            self.pick(better, v, best, pos)
        })
    }

    /// A bound of a loop: the largest or the smallest result of a map for a group of the operands.
    fn bound(&mut self, op: &Op<'r>, map: &Map, (from, to): (usize, usize), largest: bool) -> Result<Val> {
        let operands = op.operands.get(from..to).unwrap_or_default();
        let pos = if op.generic { op.pos } else { op.refs.get(from).map_or(op.pos, |r| r.1) };
        self.check_operands_of(map, operands, ("affine.for", pos))?;
        let results = self.apply(map, operands, op.pos)?;
        self.extreme(&results, largest, op.pos)
    }

    /// `%i = 0 to %n step 2 iter_args(%a = %x) -> (types) {…}`.
    fn affine_for(&mut self, op: &mut Op<'r>) -> Result<()> {
        let (lower, upper) = (self.map_of(op, 0, "lowerBoundMap")?, self.map_of(op, 1, "upperBoundMap")?);
        let group = |k: usize| op.groups.get(k).copied().unwrap_or(0);
        let (a, b) = (group(0), group(1));
        self.operands_are(op, b)?;
        let from = self.bound(op, &lower, (0, a), true)?;
        let to = self.bound(op, &upper, (a, b), false)?;
        let step = self.attr_int(op, "step")?.unwrap_or(1);
        let inits = op.operands[b..].to_vec();
        self.src.refuse_if(step <= 0, op.pos, "a step is positive")?;
        let step = self.index(step);
        let [from, to, step] = [from, to, step].map(|v| self.value(INDEX, &[v]));
        self.one_loop(op, Bounds { from, to, step }, &inits, false)
    }

    /// `#set(%i)[%n] -> types {…} else {…}`.
    fn affine_if(&mut self, op: &mut Op<'r>) -> Result<()> {
        let set = self.need(op, "condition")?.set()?;
        let operands = op.operands.clone();
        let exprs: Vec<Expr> = set.constraints.iter().map(|c| c.0.clone()).collect();
        let map = Map { dims: set.dims, symbols: set.symbols, results: exprs };
        self.check_operands_of(&map, &operands, ("affine.if", op.pos))?;
        let values = self.apply(&map, &operands, op.pos)?;
        let mut all = self.l.integer(I1, 1);
        for (v, &(_, zero)) in values.into_iter().zip(&set.constraints) {
            let (index, n) = (self.t.index, self.index(0));
            let cc = if zero { IntCc::Eq } else { IntCc::Sge };
            let (_, holds) = self.l.compare(Compare::Int(cc), index, v, n).at(self.src, op.pos)?;
            all = self.l.binary(Opcode::And, I1, all, holds).at(self.src, op.pos)?;
        }
        self.two_ways(op, all)
    }

    /// `%m[%i + 1, %j] : type`, or `%v, %m[…] : type` of a store; vectors have a type after that.
    fn affine_access(&mut self, op: &mut Op<'r>, kind: Affine) -> Result<()> {
        let store = matches!(kind, Affine::Store | Affine::VectorStore);
        let at = usize::from(store);
        self.operands_are(op, at + 1)?;
        let map = self.map_of(op, 0, "map")?;
        let operands = op.operands[at + 1..].to_vec();
        // An index may be either.
        if operands.iter().any(|&v| !self.is_dimension(v)) {
            let m = format!("an index of `{}` is neither a dimension nor a symbol", op.name);
            return Err(self.src.error(op.pos, m));
        }
        let indices = self.apply(&map, &operands, op.pos)?;
        let indices: Vec<Value> = indices.into_iter().map(|v| self.value(INDEX, &[v])).collect();
        let m = op.operands[at];
        let v = match kind {
            Affine::Store => return self.store_element(op.operands[0], m, &indices, op.pos),
            Affine::Prefetch => return self.prefetch_element(op, m, &indices),
            Affine::VectorStore => return self.write_vector(op, (m, &indices), (op.operands[0], None)),
            Affine::VectorLoad => {
                let to = self.result_type(op, 0)?;
                self.read_vector(op, (m, &indices), (to, None, None))?
            }
            _ => self.load_element(m, &indices, op.pos)?,
        };
        op.values.push(v);
        Ok(())
    }

    // Several loops at once.

    /// `(%i, %j) = (0, 0) to (%n, min(%m, 8)) step (1, 2) reduce ("addf") -> (f32) {…}`: nested loops.
    fn affine_parallel(&mut self, op: &mut Op<'r>) -> Result<()> {
        let (lower, upper) = (self.map_of(op, 0, "lowerBoundsMap")?, self.map_of(op, 1, "upperBoundsMap")?);
        let first = lower.dims + lower.symbols;
        self.operands_are(op, first)?;
        let (below, above, steps);
        if op.generic {
            let numbers = |r: &Self, name: &str| r.attr_ints(op, name).map(Option::unwrap_or_default);
            (below, above) = (numbers(self, "lowerBoundsGroups")?, numbers(self, "upperBoundsGroups")?);
            steps = numbers(self, "steps")?;
        } else {
            (below, above) = (self.numbers_of(op, 0), self.numbers_of(op, 1));
            steps = if op.lists.len() > 2 { self.numbers_of(op, 2) } else { vec![1; op.arguments.len()] };
        }
        let lows = self.extremes(&lower, &op.operands[..first], (&below, true), op.pos)?;
        let highs = self.extremes(&upper, &op.operands[first..], (&above, false), op.pos)?;
        let fits = lows.len() == highs.len() && lows.len() == steps.len();
        self.src.refuse_if(!fits, op.pos, "there are not as many bounds and steps as counters")?;
        self.src.refuse_if(steps.iter().any(|&n| n <= 0), op.pos, "a step is positive")?;
        let kinds = self.reductions(op)?;
        let types = op.results.clone();
        self.src.refuse_if(kinds.len() != types.len(), op.pos, "there are not as many reductions as results")?;
        let mut inits = Vec::with_capacity(types.len());
        for (&kind, &ty) in kinds.iter().zip(&types) {
            inits.push(self.reduction_start(kind, ty, op.pos)?);
        }
        let bounds = lows.iter().zip(&highs).zip(&steps).map(|((&from, &to), &step)| {
            let step = self.index(step);
            let [from, to, step] = [from, to, step].map(|v| self.value(INDEX, &[v]));
            Bounds { from, to, step }
        });
        let bounds: Vec<Bounds> = bounds.collect();
        let loops = self.open_loops(bounds, &inits, false, op.pos)?;
        let counters: Vec<Value> = loops.iter().map(|open| open.counter).collect();
        let inits = loops.last().map_or(inits, |open| open.carried.clone());
        self.counts(&counters);
        let given = self.region(op, 0, &counters, Ending::Iterate)?.unwrap_or_default();
        self.values_are(&given, &types, op.pos)?;
        let mut values = Vec::with_capacity(given.len());
        for ((&kind, &sum), &v) in kinds.iter().zip(&inits).zip(&given) {
            values.push(self.accumulated(kind, sum, v, op.pos)?);
        }
        op.values = self.close_loops(&loops, values, op.pos)?;
        Ok(())
    }

    /// The largest or the smallest of each group of a map's results.
    fn extremes(
        &mut self,
        map: &Map,
        operands: &[Value],
        (groups, largest): (&[i64], bool),
        pos: usize,
    ) -> Result<Vec<Val>> {
        self.check_operands_of(map, operands, ("affine.parallel", pos))?;
        let results = self.apply(map, operands, pos)?;
        let mut rest = &results[..];
        let mut all = Vec::with_capacity(groups.len());
        for &n in groups {
            let n = usize::try_from(n).unwrap_or(0);
            self.src.refuse_if(n > rest.len(), pos, "the groups are not those of the map's results")?;
            let (group, after) = rest.split_at(n);
            all.push(self.extreme(group, largest, pos)?);
            rest = after;
        }
        self.src.refuse_if(!rest.is_empty(), pos, "the groups are not those of the map's results")?;
        Ok(all)
    }

    // Places in shapes.

    /// The sizes of a shape: a list, or in older versions' generic form the operands from this one on.
    fn sizes_of(&mut self, op: &Op<'r>, first: usize) -> Result<Vec<Val>> {
        let sizes = match op.lists.first() {
            Some(&range) => self.mixed_values(op, range)?,
            None => op.operands.get(first..).unwrap_or_default().to_vec(),
        };
        Ok(sizes.into_iter().map(|v| self.one(v)).collect())
    }

    /// `%i into (%n, 4) : index, index`: the position in a shape of the element with this index, in row-major order.
    fn delinearize(&mut self, op: &mut Op<'r>) -> Result<()> {
        self.operands_are(op, 1)?;
        let sizes = self.sizes_of(op, 1)?;
        self.src.refuse_if(sizes.is_empty(), op.pos, "the shape has no dimension")?;
        // The outermost size is not needed, and may be omitted.
        let n = op.results.len();
        let fits = n > 0 && (sizes.len() == n || sizes.len() + 1 == n) && op.results.iter().all(|&ty| ty == INDEX);
        self.src.refuse_if(!fits, op.pos, "there are not as many sizes as results")?;
        let inner = &sizes[sizes.len() + 1 - n..];
        let mut rest = self.one(op.operands[0]);
        let mut places = Vec::with_capacity(n);
        for &size in inner.iter().rev() {
            places.push(self.operate(Operator::Mod, rest, size, op.pos)?);
            rest = self.operate(Operator::FloorDiv, rest, size, op.pos)?;
        }
        places.push(rest);
        for place in places.into_iter().rev() {
            self.give(op, INDEX, &[place]);
        }
        Ok(())
    }

    /// `[%i, %j] by (%n, 4) : index`: the index of the element at a position in a shape, in row-major order.
    fn linearize(&mut self, op: &Op<'r>) -> Result<Value> {
        let n = op.groups.first().copied().unwrap_or(0);
        self.operands_are(op, n)?;
        let sizes = self.sizes_of(op, n)?;
        let fits = n > 0 && (sizes.len() == n || sizes.len() + 1 == n);
        self.src.refuse_if(!fits, op.pos, "there are not as many sizes as indices")?;
        let mut sum = self.one(op.operands[0]);
        for k in 1..n {
            let place = self.one(op.operands[k]);
            sum = self.index_op(Opcode::Imul, sum, sizes[sizes.len() + k - n], op.pos)?;
            sum = self.index_op(Opcode::Iadd, sum, place, op.pos)?;
        }
        Ok(self.value(INDEX, &[sum]))
    }
}
