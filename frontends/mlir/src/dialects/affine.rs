//! The dialect `affine`: loops, branches and accesses by affine maps.
//!
//! MLIR, "'affine' Dialect".

use gusset_codegen::ir::{IntCc, Opcode};
use gusset_lower::{Compare, Events, I1, Val};
use gusset_text::{Placed, Result};

use crate::affine::{Expr, Map, Op as Operator, Set};
use crate::lexer::Tokens;
use crate::op::{LocalRef, Op, POISONED, Value};
use crate::reader::{Ending, Reader};
use crate::rows::Row;
use crate::types::{DYNAMIC, INDEX, Ty};
use crate::what::{Affine, What};

use super::rows::row;
use super::scf::Bounds;

#[rustfmt::skip]
pub(super) const ROWS: &[Row<What>] = &[
    row("affine.apply", "...", "_* -> i", What::Affine(Affine::Apply)),
    row("affine.delinearize_index", "...", "_* -> ...", What::Affine(Affine::Delinearize)),
    row("affine.for", "...", "_* -> ...", What::Affine(Affine::For)),
    row("affine.if", "...", "_* -> ...", What::Affine(Affine::If)),
    row("affine.linearize_index", "...", "_* -> i", What::Affine(Affine::Linearize)),
    row("affine.load", "...", "_* -> ...", What::Affine(Affine::Load)),
    row("affine.max", "...", "_* -> i", What::Affine(Affine::Max)),
    row("affine.min", "...", "_* -> i", What::Affine(Affine::Min)),
    row("affine.parallel", "...", "_* -> ...", What::Affine(Affine::Parallel)),
    row("affine.prefetch", "...", "_* ->", What::Affine(Affine::Prefetch)),
    row("affine.store", "...", "_* ->", What::Affine(Affine::Store)),
    row("affine.vector_load", "...", "_* -> ...", What::Affine(Affine::VectorLoad)),
    row("affine.vector_store", "...", "_* ->", What::Affine(Affine::VectorStore)),
];

impl<'r, E: Events> Reader<'r, E> {
    pub fn affine(&mut self, kind: Affine, op: &mut Op<'r>) -> Result<()> {
        match kind {
            Affine::Apply | Affine::Max | Affine::Min => {
                let (map, operands) = if op.generic {
                    (self.need_map(op, "map")?, op.operands.clone())
                } else {
                    let applied = self.applied_map()?;
                    self.dictionary(op)?;
                    applied
                };
                let one = kind != Affine::Apply || map.results.len() == 1;
                self.c.refuse_if(!one, op.pos, "the map has several results")?;
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
            Affine::Linearize => self.linearize(op),
        }
    }

    fn need_map(&self, op: &Op<'r>, name: &str) -> Result<Map> {
        self.attr_map(op, name)?.ok_or_else(|| self.missing(op, name))
    }

    /// Reads `#map(%a, %b)[%c]`: a map with its operands.
    fn applied_map(&mut self) -> Result<(Map, Vec<Value>)> {
        let mut there = self.resolve(self.c);
        let map = Map::parse(&mut there)?;
        self.c.skip_attribute()?;
        let operands = self.map_operands()?;
        Ok((map, operands))
    }

    /// Reads the operands of a map or set: dimensions in parentheses, symbols in brackets.
    fn map_operands(&mut self) -> Result<Vec<Value>> {
        let mut all = Vec::new();
        for (open, close) in [(b'(', b')'), (b'[', b']')] {
            if !self.c.eat(open) {
                continue;
            }
            let mut more = !self.c.eat(close);
            while more {
                let pos = self.c.pos;
                let r = self.local_ref()?;
                all.push(self.use_as((r, pos), Some(INDEX))?);
                more = self.c.more(close)?;
            }
        }
        Ok(all)
    }

    /// May a value stand for a symbol of a map: is it a number, or the same throughout the function's body? (MLIR, "Affine" dialect,
    /// "Restrictions on Dimensions and Symbols".)
    fn is_symbol(&self, v: Value) -> bool {
        let outside = self.depth == 0 || v.at < self.regional || v.at >= POISONED;
        outside
            || self.affine_values.get(&v.at) == Some(&true)
            || v.ty == INDEX && self.l.int_constant(self.one(v)).is_some()
    }

    /// May it stand for a dimension: is it a symbol, a counter of an affine loop, or a map of such?
    fn is_dimension(&self, v: Value) -> bool {
        self.is_symbol(v) || self.affine_values.contains_key(&v.at)
    }

    /// An error unless the operands may stand for dimensions and symbols of the map.
    fn check_operands_of(&self, map: &Map, operands: &[Value], (name, pos): (&str, usize)) -> Result<()> {
        for (i, &v) in operands.iter().enumerate() {
            let (fits, what) =
                if i < map.dims { (self.is_dimension(v), "dimension") } else { (self.is_symbol(v), "symbol") };
            if !fits {
                return Err(self
                    .c
                    .error_at(pos, format!("an operand of `{name}` cannot be used as a {what} of its map")));
            }
        }
        Ok(())
    }

    /// Counters of affine loops, and what these carry, stand for dimensions.
    fn counts(&mut self, counters: &[Value]) {
        self.affine_values.extend(counters.iter().map(|v| (v.at, false)));
    }

    /// The results of a map for these operands, the dimensions first.
    fn apply(&mut self, map: &Map, operands: &[Value], pos: usize) -> Result<Vec<Val>> {
        let fits = operands.len() == map.dims + map.symbols && operands.iter().all(|v| v.ty == INDEX);
        self.c.refuse_if(!fits, pos, "the operands are not those of the map")?;
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
                let rest = self.l.binary(Opcode::Srem, index, a, b).at(self.c.src, pos)?;
                let negative = self.is_less(rest, 0, pos)?;
                let up = self.index_op(Opcode::Iadd, rest, b, pos)?;
                self.pick(negative, up, rest, pos)
            }
            // Of a negative dividend, that of its complement.
            Operator::FloorDiv => {
                let ones = self.index(-1);
                let negative = self.is_less(a, 0, pos)?;
                let flipped = self.index_op(Opcode::Isub, ones, a, pos)?;
                let positive = self.pick(negative, flipped, a, pos)?;
                let index = self.t.index;
                let q = self.l.binary(Opcode::Sdiv, index, positive, b).at(self.c.src, pos)?;
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
                let q = self.l.binary(Opcode::Sdiv, index, positive, b).at(self.c.src, pos)?;
                let (back, next) =
                    (self.index_op(Opcode::Isub, zero, q, pos)?, self.index_op(Opcode::Iadd, q, one, pos)?);
                self.pick(small, back, next, pos)
            }
        }
    }

    fn is_less(&mut self, a: Val, n: i64, pos: usize) -> Result<Val> {
        let (index, n) = (self.t.index, self.index(n));
        Ok(self.l.compare(Compare::Int(IntCc::Slt), index, a, n).at(self.c.src, pos)?.1)
    }

    fn pick(&mut self, c: Val, a: Val, b: Val, pos: usize) -> Result<Val> {
        let index = self.t.index;
        self.l.select((I1, c), index, a, b).at(self.c.src, pos)
    }

    /// The largest or the smallest.
    fn extreme(&mut self, all: &[Val], largest: bool, pos: usize) -> Result<Val> {
        let Some((&first, rest)) = all.split_first() else {
            return Err(self.c.error_at(pos, "the map has no results"));
        };
        let cc = if largest { IntCc::Sgt } else { IntCc::Slt };
        rest.iter().try_fold(first, |best, &v| {
            let index = self.t.index;
            let (_, better) = self.l.compare(Compare::Int(cc), index, v, best).at(self.c.src, pos)?;
            self.pick(better, v, best, pos)
        })
    }

    /// Reads a bound of a loop: a number, an operand, or a map of which the largest or smallest result counts.
    fn bound(&mut self, lower: bool) -> Result<Val> {
        let pos = self.c.pos;
        let largest = match self.c.peek_word() {
            b"max" => true,
            b"min" => false,
            _ => lower,
        };
        let said = matches!(self.c.peek_word(), b"max" | b"min");
        if said {
            self.c.bump(3);
        }
        match self.c.peek() {
            b'%' => {
                let r = self.local_ref()?;
                let v = self.use_as((r, pos), Some(INDEX))?;
                let symbol = Map { dims: 0, symbols: 1, results: Vec::new() };
                self.check_operands_of(&symbol, &[v], ("affine.for", pos))?;
                Ok(self.one(v))
            }
            b'#' | b'a' => {
                let (map, operands) = self.applied_map()?;
                self.check_operands_of(&map, &operands, ("affine.for", pos))?;
                let one = said || map.results.len() == 1;
                self.c.refuse_if(!one, pos, "a bound by a map of several results is their `max` or `min`")?;
                let results = self.apply(&map, &operands, pos)?;
                self.extreme(&results, largest, pos)
            }
            _ => {
                let n = self.integer()?;
                Ok(self.index(n))
            }
        }
    }

    /// `%i = 0 to %n step 2 iter_args(%a = %x) -> (types) {…}`.
    fn affine_for(&mut self, op: &mut Op<'r>) -> Result<()> {
        let mut names: Vec<(LocalRef, usize)> = Vec::new();
        let (from, to, step, inits);
        if op.generic {
            let sizes = self.segments(op)?.unwrap_or_default();
            let (a, b) = (sizes.first().copied().unwrap_or(0), sizes.get(1).copied().unwrap_or(0));
            self.operands_are(op, a + b)?;
            let (lower, upper) = (self.need_map(op, "lowerBoundMap")?, self.need_map(op, "upperBoundMap")?);
            self.check_operands_of(&lower, &op.operands[..a], ("affine.for", op.pos))?;
            self.check_operands_of(&upper, &op.operands[a..a + b], ("affine.for", op.pos))?;
            let lows = self.apply(&lower, &op.operands[..a], op.pos)?;
            let highs = self.apply(&upper, &op.operands[a..a + b], op.pos)?;
            from = self.extreme(&lows, true, op.pos)?;
            to = self.extreme(&highs, false, op.pos)?;
            step = self.attr_int(op, "step")?.unwrap_or(1);
            inits = op.operands[a + b..].to_vec();
        } else {
            let pos = self.c.pos;
            names.push((self.local_ref()?, pos));
            self.c.expect(b'=')?;
            from = self.bound(true)?;
            self.c.expect_word("to")?;
            to = self.bound(false)?;
            step = if self.c.eat_word(b"step") { self.integer()? } else { 1 };
            if self.c.eat_word(b"iter_args") {
                self.initialized(op, &mut names)?;
                self.c.expect_arrow()?;
                let types = self.t.results(self.l.types_mut(), &mut self.c)?;
                self.c.refuse_if(types.len() != op.refs.len(), pos, "there are not as many types as values")?;
                for (k, ty) in types.into_iter().enumerate() {
                    let v = self.use_as(op.refs[k], Some(ty))?;
                    op.operands.push(v);
                }
            }
            inits = op.operands.clone();
        }
        self.c.refuse_if(step <= 0, op.pos, "a step is positive")?;
        let step = self.index(step);
        let [from, to, step] = [from, to, step].map(|v| self.value(INDEX, &[v]));
        let types: Vec<Ty> = inits.iter().map(|v| v.ty).collect();
        let open = self.open_loop(Bounds { from, to, step }, &inits, false, op.pos)?;
        let entry: Vec<Value> = std::iter::once(open.counter).chain(open.carried.iter().copied()).collect();
        self.counts(&entry);
        let values = self.region(op, 0, &names, &entry, Ending::Iterate)?.unwrap_or_default();
        self.values_are(&values, &types, op.pos)?;
        self.close_loop(&open, &values, op.pos)?;
        op.values.extend(&open.carried);
        self.attributes_behind(op)
    }

    /// `#set(%i)[%n] -> types {…} else {…}`.
    fn affine_if(&mut self, op: &mut Op<'r>) -> Result<()> {
        let (set, operands, results);
        if op.generic {
            let mut c = self.need(op, "condition")?;
            set = Set::parse(&mut c)?;
            operands = op.operands.clone();
            results = op.results.clone();
        } else {
            let mut there = self.resolve(self.c);
            set = Set::parse(&mut there)?;
            self.c.skip_attribute()?;
            operands = self.map_operands()?;
            results = self.arrow_types()?;
        }
        let exprs: Vec<Expr> = set.constraints.iter().map(|c| c.0.clone()).collect();
        let map = Map { dims: set.dims, symbols: set.symbols, results: exprs };
        self.check_operands_of(&map, &operands, ("affine.if", op.pos))?;
        let values = self.apply(&map, &operands, op.pos)?;
        let mut all = self.l.integer(I1, 1);
        for (v, &(_, zero)) in values.into_iter().zip(&set.constraints) {
            let (index, n) = (self.t.index, self.index(0));
            let cc = if zero { IntCc::Eq } else { IntCc::Sge };
            let (_, holds) = self.l.compare(Compare::Int(cc), index, v, n).at(self.c.src, op.pos)?;
            all = self.l.binary(Opcode::And, I1, all, holds).at(self.c.src, op.pos)?;
        }
        self.two_ways(op, all, &results, [0, 1])
    }

    /// `%m[%i + 1, %j] : type`, or `%v, %m[…] : type` of a store; vectors have a type behind that.
    fn affine_access(&mut self, op: &mut Op<'r>, kind: Affine) -> Result<()> {
        let store = matches!(kind, Affine::Store | Affine::VectorStore);
        let vector = matches!(kind, Affine::VectorLoad | Affine::VectorStore);
        let at = usize::from(store);
        let (map, operands);
        if op.generic {
            self.operands_are(op, at + 1)?;
            map = self.need_map(op, "map")?;
            operands = op.operands[at + 1..].to_vec();
        } else {
            self.operand(op)?;
            if store {
                self.c.expect(b',')?;
                self.operand(op)?;
            }
            let (inline, places) = Map::parse_inline(&mut self.c)?;
            operands = self.inline_operands(&places)?;
            map = inline;
            if kind == Affine::Prefetch {
                self.prefetch_words(op)?;
            }
            self.dictionary(op)?;
            self.c.expect(b':')?;
            let ty = self.ty()?;
            let mut row = None;
            if vector {
                self.c.expect(b',')?;
                row = Some(self.ty()?);
                op.results.extend(row.filter(|_| !store));
            }
            for k in 0..op.refs.len() {
                let v = self.use_as(op.refs[k], if k == at { Some(ty) } else { row })?;
                op.operands.push(v);
            }
        }
        // An index may be either.
        if operands.iter().any(|&v| !self.is_dimension(v)) {
            let name = match kind {
                Affine::Load => "load",
                Affine::Store => "store",
                Affine::VectorLoad => "vector_load",
                Affine::VectorStore => "vector_store",
                _ => "prefetch",
            };
            let m = format!("an index of `affine.{name}` is neither a dimension nor a symbol");
            return Err(self.c.error_at(op.pos, m));
        }
        let indices = self.apply(&map, &operands, op.pos)?;
        let indices: Vec<Value> = indices.into_iter().map(|v| self.value(INDEX, &[v])).collect();
        let m = op.operands[at];
        match kind {
            Affine::Store => self.store_element(op.operands[0], m, &indices, op.pos),
            Affine::Prefetch => self.prefetch_element(op, m, &indices),
            Affine::VectorStore => self.write_vector(op, (m, &indices), (op.operands[0], None)),
            Affine::VectorLoad => {
                let to = self.result_type(op, 0)?;
                self.read_vector(op, (m, &indices), (to, None, None))
            }
            _ => {
                let v = self.load_element(m, &indices, op.pos)?;
                op.values.push(v);
                Ok(())
            }
        }
    }

    /// The operands of a map that is written with them, which stand at these places.
    fn inline_operands(&mut self, places: &[usize]) -> Result<Vec<Value>> {
        let behind = self.c;
        let mut values = Vec::with_capacity(places.len());
        for &pos in places {
            self.c.pos = pos;
            let r = self.local_ref()?;
            values.push(self.use_as((r, pos), Some(INDEX))?);
        }
        self.c = behind;
        Ok(values)
    }

    /// Reads `, read, locality<3>, data`.
    fn prefetch_words(&mut self, op: &mut Op<'r>) -> Result<()> {
        self.c.expect(b',')?;
        op.attrs.push((b"access", self.c.pos));
        self.c.bump(self.c.word_len());
        self.c.expect(b',')?;
        self.c.expect_word("locality")?;
        self.c.expect(b'<')?;
        op.attrs.push((b"locality", self.c.pos));
        self.c.skip_untyped()?;
        self.c.expect(b'>')?;
        self.c.expect(b',')?;
        op.attrs.push((b"cache", self.c.pos));
        self.c.bump(self.c.word_len());
        Ok(())
    }

    // Several loops at once.

    /// `(%i, %j) = (0, 0) to (%n, min(%m, 8)) step (1, 2) reduce ("addf") -> (f32) {…}`: loops one in the other.
    fn affine_parallel(&mut self, op: &mut Op<'r>) -> Result<()> {
        let mut names: Vec<(LocalRef, usize)> = Vec::new();
        let (lows, highs, mut steps);
        if op.generic {
            let (lower, upper) = (self.need_map(op, "lowerBoundsMap")?, self.need_map(op, "upperBoundsMap")?);
            let first = lower.dims + lower.symbols;
            self.operands_are(op, first)?;
            let groups = |r: &Self, name: &str| r.attr_ints(op, name).map(Option::unwrap_or_default);
            let (below, above) = (groups(self, "lowerBoundsGroups")?, groups(self, "upperBoundsGroups")?);
            lows = self.extremes(&lower, &op.operands[..first], (&below, true), op.pos)?;
            highs = self.extremes(&upper, &op.operands[first..], (&above, false), op.pos)?;
            steps = self.attr_ints(op, "steps")?.unwrap_or_default();
        } else {
            self.name_list(&mut names)?;
            self.c.expect(b'=')?;
            lows = self.bound_list(true)?;
            self.c.expect_word("to")?;
            highs = self.bound_list(false)?;
            steps = vec![1; names.len()];
            if self.c.eat_word(b"step") {
                self.c.expect(b'(')?;
                steps.clear();
                let mut more = !self.c.eat(b')');
                while more {
                    steps.push(self.integer()?);
                    more = self.c.more(b')')?;
                }
            }
            if self.c.eat_word(b"reduce") {
                op.attrs.push((b"reductions", self.c.pos));
                self.c.skip_group()?;
            }
            op.results = self.arrow_types()?;
        }
        let fits = lows.len() == highs.len() && lows.len() == steps.len();
        self.c.refuse_if(!fits, op.pos, "there are not as many bounds and steps as counters")?;
        self.c.refuse_if(steps.iter().any(|&n| n <= 0), op.pos, "a step is positive")?;
        let kinds = self.reductions(op)?;
        let types = op.results.clone();
        self.c.refuse_if(kinds.len() != types.len(), op.pos, "there are not as many reductions as results")?;
        let mut inits = Vec::with_capacity(types.len());
        for (&kind, &ty) in kinds.iter().zip(&types) {
            inits.push(self.reduction_start(kind, ty, op.pos)?);
        }
        let (mut loops, mut counters) = (Vec::with_capacity(lows.len()), Vec::with_capacity(lows.len()));
        for ((&from, &to), &step) in lows.iter().zip(&highs).zip(&steps) {
            let step = self.index(step);
            let [from, to, step] = [from, to, step].map(|v| self.value(INDEX, &[v]));
            let open = self.open_loop(Bounds { from, to, step }, &inits, false, op.pos)?;
            counters.push(open.counter);
            inits = open.carried.clone();
            loops.push(open);
        }
        self.counts(&counters);
        let given = self.region(op, 0, &names, &counters, Ending::Iterate)?.unwrap_or_default();
        self.values_are(&given, &types, op.pos)?;
        let mut values = Vec::with_capacity(given.len());
        for ((&kind, &sum), &v) in kinds.iter().zip(&inits).zip(&given) {
            values.push(self.accumulated(kind, sum, v, op.pos)?);
        }
        for open in loops.iter().rev() {
            self.close_loop(open, &values, op.pos)?;
            values = open.carried.clone();
        }
        op.values.extend(values);
        self.attributes_behind(op)
    }

    /// Of each group of a map's results, the largest or the smallest.
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
            self.c.refuse_if(n > rest.len(), pos, "the groups are not those of the map's results")?;
            let (group, behind) = rest.split_at(n);
            all.push(self.extreme(group, largest, pos)?);
            rest = behind;
        }
        self.c.refuse_if(!rest.is_empty(), pos, "the groups are not those of the map's results")?;
        Ok(all)
    }

    /// Reads `(%n + 1, max(%a, 8))`.
    fn bound_list(&mut self, lower: bool) -> Result<Vec<Val>> {
        let (map, places, groups) = Map::parse_groups(&mut self.c)?;
        let pos = self.c.pos;
        let operands = self.inline_operands(&places)?;
        self.extremes(&map, &operands, (&groups, lower), pos)
    }

    // Places in shapes.

    /// Reads `(2, %n)` or takes the sizes of the generic form, whose operands begin with this one.
    fn sizes_of(&mut self, op: &mut Op<'r>, first: usize) -> Result<Vec<Val>> {
        let mut sizes = Vec::new();
        if op.generic {
            let known = self.attr_ints(op, "static_basis")?;
            let mut given = op.operands.get(first..).unwrap_or_default().iter();
            let Some(known) = known else { return Ok(given.map(|&v| self.one(v)).collect()) };
            for n in known {
                let size = if n == DYNAMIC { given.next().map(|&v| self.one(v)) } else { Some(self.index(n)) };
                sizes.push(size.ok_or_else(|| self.c.error_at(op.pos, "an operand is missing"))?);
            }
            return Ok(sizes);
        }
        self.c.expect(b'(')?;
        let mut more = !self.c.eat(b')');
        while more {
            if self.c.peek() == b'%' {
                let pos = self.c.pos;
                let r = self.local_ref()?;
                let v = self.use_as((r, pos), Some(INDEX))?;
                sizes.push(self.one(v));
            } else {
                let n = self.integer()?;
                sizes.push(self.index(n));
            }
            more = self.c.more(b')')?;
        }
        Ok(sizes)
    }

    /// `%i into (%n, 4) : index, index`: the place in a shape of the element of this number, row by row.
    fn delinearize(&mut self, op: &mut Op<'r>) -> Result<()> {
        if !op.generic {
            self.operand(op)?;
            self.c.expect_word("into")?;
        } else {
            self.operands_are(op, 1)?;
        }
        let sizes = self.sizes_of(op, 1)?;
        if !op.generic {
            self.dictionary(op)?;
            self.c.expect(b':')?;
            op.results = vec![self.ty()?];
            while self.c.eat(b',') {
                op.results.push(self.ty()?);
            }
            let v = self.use_as(op.refs[0], Some(INDEX))?;
            op.operands.push(v);
        }
        self.c.refuse_if(sizes.is_empty(), op.pos, "the shape has no dimension")?;
        // The outermost size is of no use, and may be left out.
        let n = op.results.len();
        let fits = n > 0 && (sizes.len() == n || sizes.len() + 1 == n) && op.results.iter().all(|&ty| ty == INDEX);
        self.c.refuse_if(!fits, op.pos, "there are not as many sizes as results")?;
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

    /// `[%i, %j] by (%n, 4) : index`: the number of the element at a place in a shape, row by row.
    fn linearize(&mut self, op: &mut Op<'r>) -> Result<()> {
        let mut n = 0;
        if op.generic {
            n = self.segments(op)?.and_then(|s| s.first().copied()).unwrap_or(0);
            self.operands_are(op, n)?;
        } else {
            self.c.eat_word(b"disjoint");
            self.c.expect(b'[')?;
            self.operands(op)?;
            self.c.expect(b']')?;
            self.c.expect_word("by")?;
        }
        let sizes = self.sizes_of(op, n)?;
        if !op.generic {
            self.dictionary(op)?;
            self.c.expect(b':')?;
            op.results = vec![self.ty()?];
            n = op.refs.len();
            for k in 0..n {
                let v = self.use_as(op.refs[k], Some(INDEX))?;
                op.operands.push(v);
            }
        }
        let fits = n > 0 && (sizes.len() == n || sizes.len() + 1 == n);
        self.c.refuse_if(!fits, op.pos, "there are not as many sizes as indices")?;
        let mut sum = self.one(op.operands[0]);
        for k in 1..n {
            let place = self.one(op.operands[k]);
            sum = self.index_op(Opcode::Imul, sum, sizes[sizes.len() + k - n], op.pos)?;
            sum = self.index_op(Opcode::Iadd, sum, place, op.pos)?;
        }
        self.give(op, INDEX, &[sum]);
        Ok(())
    }
}
