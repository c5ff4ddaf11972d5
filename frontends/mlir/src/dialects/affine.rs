//! The dialect `affine`: loops, branches and accesses by affine maps.
//!
//! MLIR, "'affine' Dialect".

use gusset_codegen::ir::{IntCc, Opcode};
use gusset_lower::{Compare, Events, I1, Val};
use gusset_text::{Placed, Result};

use crate::affine::{Expr, Map, Op as Operator, Set};
use crate::lexer::Tokens;
use crate::op::{LocalRef, Op, Value};
use crate::reader::{Ending, Reader};
use crate::rows::Row;
use crate::types::{INDEX, Ty};
use crate::what::{Affine, What};

use super::rows::row;
use super::scf::Bounds;

#[rustfmt::skip]
pub(super) const ROWS: &[Row<What>] = &[
    row("affine.apply", "...", "_* -> i", What::Affine(Affine::Apply)),
    row("affine.for", "...", "_* -> ...", What::Affine(Affine::For)),
    row("affine.if", "...", "_* -> ...", What::Affine(Affine::If)),
    row("affine.load", "...", "_* -> ...", What::Affine(Affine::Load)),
    row("affine.max", "...", "_* -> i", What::Affine(Affine::Max)),
    row("affine.min", "...", "_* -> i", What::Affine(Affine::Min)),
    row("affine.store", "...", "_* ->", What::Affine(Affine::Store)),
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
                let results = self.apply(&map, &operands, op.pos)?;
                let v = self.extreme(&results, kind == Affine::Max, op.pos)?;
                self.give(op, INDEX, &[v]);
                Ok(())
            }
            Affine::For => self.affine_for(op),
            Affine::If => self.affine_if(op),
            Affine::Load | Affine::Store => self.affine_access(op, kind == Affine::Store),
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
        if matches!(self.c.peek_word(), b"max" | b"min") {
            self.c.bump(3);
        }
        match self.c.peek() {
            b'%' => {
                let r = self.local_ref()?;
                let v = self.use_as((r, pos), Some(INDEX))?;
                Ok(self.one(v))
            }
            b'#' | b'a' => {
                let (map, operands) = self.applied_map()?;
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
        let step = self.index(step);
        let [from, to, step] = [from, to, step].map(|v| self.value(INDEX, &[v]));
        let types: Vec<Ty> = inits.iter().map(|v| v.ty).collect();
        let open = self.open_loop(Bounds { from, to, step }, &inits, false, op.pos)?;
        let entry: Vec<Value> = std::iter::once(open.counter).chain(open.carried.iter().copied()).collect();
        let values = self.region(op, 0, &names, &entry, Ending::Yield)?.unwrap_or_default();
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

    /// `%m[%i + 1, %j] : type`, or `%v, %m[…] : type` of a store.
    fn affine_access(&mut self, op: &mut Op<'r>, store: bool) -> Result<()> {
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
            let behind = self.c;
            let mut values = Vec::with_capacity(places.len());
            for pos in places {
                self.c.pos = pos;
                let r = self.local_ref()?;
                values.push(self.use_as((r, pos), Some(INDEX))?);
            }
            self.c = behind;
            self.dictionary(op)?;
            self.c.expect(b':')?;
            let ty = self.ty()?;
            for k in 0..op.refs.len() {
                let v = self.use_as(op.refs[k], (k == at).then_some(ty))?;
                op.operands.push(v);
            }
            (map, operands) = (inline, values);
        }
        let indices = self.apply(&map, &operands, op.pos)?;
        let indices: Vec<Value> = indices.into_iter().map(|v| self.value(INDEX, &[v])).collect();
        let m = op.operands[at];
        if store {
            return self.store_element(op.operands[0], m, &indices, op.pos);
        }
        let v = self.load_element(m, &indices, op.pos)?;
        op.values.push(v);
        Ok(())
    }
}
