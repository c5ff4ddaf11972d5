//! The dialect `scf`: loops and branches with regions, which become blocks.
//!
//! MLIR, "'scf' Dialect".

use gusset_codegen::ir::{Block, IntCc, Opcode};
use gusset_program::{Compare, I1, Sink, Val};
use gusset_text::{Placed, Result};

use crate::context::op_kind::{OpKind, Scf};
use crate::convert::build::Build;
use crate::convert::reader::{Ending, Reader};
use crate::syntax::attributes::AttributeRef;
use crate::syntax::op::{Mixed, Op, Value};
use crate::syntax::op_table::Row;
use crate::syntax::types::{INDEX, Ty};

use super::rows::row;

#[rustfmt::skip]
pub(super) const ROWS: &[Row<OpKind>] = &[
    row("scf.for", "?unsigned %& = % to % step % [? iter_args (%&=%*) -> (R*) ?] [? : C ?] ! {}", "iC iC iC R* -> ...", OpKind::Scf(Scf::For)),
    row("scf.while", "[? (%&=%*) ?] : ( T* ) -> (R*) ! do ! {}", "T* -> ...", OpKind::Scf(Scf::While)),
    row("scf.if", "% [? -> (R*), ?] ! [? else ! ?] {}", "1 -> ...", OpKind::Scf(Scf::If)),
    row("scf.index_switch", "% {} [? -> (R*), ?] [* case ~case ! *] default !", "i -> ...", OpKind::Scf(Scf::IndexSwitch)),
    row("scf.execute_region", "[? -> (R*), ?] ?no_inline ! {}", "-> ...", OpKind::Scf(Scf::ExecuteRegion)),
    row("scf.parallel", "(%&*) = ( %* ) to ( %* ) step ( %* ) [? init ( %* ) ?] [? -> (R*), ?] ! {}", "i* i* i* R* -> ...", OpKind::Scf(Scf::Parallel)),
    row("scf.forall", "(%&*) [? in #(* ?] [? = #(* to #(* step #(* ?] ?shared_outs [? (%&=%*) -> (R*) ?] ! {}", "i* i* i* _* -> ...", OpKind::Scf(Scf::Forall)),
    row("scf.reduce", "[? ( %* [? : A* ?] ) [? : A* ?] ?] !*", "A* -> ...", OpKind::Scf(Scf::Reduce)),
    row("scf.yield", "{} %* [? : A* ?]", "A* ->", OpKind::Yield),
    row("scf.condition", "( % ) {} %* [? : A* ?]", "1 A* ->", OpKind::Yield),
    row("scf.reduce.return", "% {} : A", "A ->", OpKind::Yield),
    row("scf.forall.in_parallel", "!", "->", OpKind::Scf(Scf::InParallel)),
    row("affine.yield", "%* {} [? : A* ?]", "A* ->", OpKind::Yield),
    row("memref.alloca_scope.return", "%* {} [? : A* ?]", "A* ->", OpKind::Yield),
    row("memref.atomic_yield", "% {} : A", "A ->", OpKind::Yield),
];

/// The bounds of a loop.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub from: Value,
    pub to: Value,
    pub step: Value,
}

/// A loop that has been opened: its head, the block after it, the counter, and the values that it carries.
pub(crate) struct Open {
    head: Block,
    pub exit: Block,
    pub counter: Value,
    pub carried: Vec<Value>,
    step: Value,
}

impl<'r, E: Sink> Reader<'r, E> {
    pub fn scf(&mut self, kind: Scf, op: &mut Op<'r>) -> Result<()> {
        match kind {
            Scf::For => self.scf_for(op),
            Scf::While => self.scf_while(op),
            Scf::If => self.scf_if(op),
            Scf::IndexSwitch => self.index_switch(op),
            Scf::ExecuteRegion => self.execute_region(op),
            Scf::Parallel => self.parallel(op),
            Scf::Forall => self.forall(op),
            Scf::Reduce => self.reduce(op),
            Scf::InParallel => Ok(()),
        }
    }

    /// The end of a region: its values go to the region's reader, or to a block.
    pub fn yields(&mut self, op: &Op<'r>) -> Result<()> {
        match &self.ending {
            Ending::Yield | Ending::Iterate => self.ended = Some((op.name, op.operands.clone())),
            Ending::Leave(block, types) => {
                let block = *block;
                self.values_are(&op.operands, types, op.pos)?;
                let e = self.edge(block, &op.operands);
                self.l.jump(e);
            }
        }
        Ok(())
    }

    /// Converts region `k` of an operation, whose first block has the values `entry`; returns what it yields.
    /// Reading goes on after the operation.
    pub fn region(&mut self, op: &Op<'r>, k: usize, entry: &[Value], ending: Ending) -> Result<Option<Vec<Value>>> {
        let Some(&open) = op.regions.get(k) else {
            return Err(self.src.error(op.pos, "a region is missing"));
        };
        self.src.refuse_if(self.depth >= gusset_program::MAX_DEPTH, open, "regions are nested too deeply")?;
        if self.depth == 0 {
            self.regional = entry.iter().map(|v| v.at).min().unwrap_or_else(|| self.begin_value());
        }
        self.depth += 1;
        let names = if k == 0 { &op.arguments[..] } else { &[] };
        let outer = self.enter_region(open)?;
        self.parse(|p| p.no_label_if(!names.is_empty()))?;
        for (&(name, pos), &v) in names.iter().zip(entry) {
            self.define(name, v, pos)?;
        }
        let around = self.begin_stack_scope(open, &ending, op.pos)?;
        let before = (std::mem::replace(&mut self.ending, ending), self.ended.take());
        self.operations(entry)?;
        self.end_stack_scope(around, op.pos)?;
        self.leave_region(op, outer)?;
        self.depth -= 1;
        self.ending = before.0;
        let ended = std::mem::replace(&mut self.ended, before.1);
        Ok(ended.map(|(_, values)| values))
    }

    /// Checks that values have these types.
    pub fn values_are(&self, values: &[Value], types: &[Ty], pos: usize) -> Result<()> {
        let fits = values.iter().map(|v| v.ty).eq(types.iter().copied());
        self.src.refuse_if(!fits, pos, "the values that the region yields are not of the types wanted")
    }

    /// A new block with parameters of these types.
    pub fn block_with(&mut self, types: &[Ty], pos: usize) -> Result<(Block, Vec<Value>)> {
        let block = self.l.create_block();
        let mut values = Vec::with_capacity(types.len());
        for &ty in types {
            values.push(self.add_params(block, ty, pos)?);
        }
        Ok((block, values))
    }

    // Loops.

    /// Checks that a constant step is positive.
    fn check_step(&self, step: Value, pos: usize) -> Result<()> {
        let (ty, v) = self.single(step, pos)?;
        let bits = self.l.types().ir(ty).bits();
        let n = self.l.int_constant(v).filter(|_| (1..=128).contains(&bits));
        let wrong = n.is_some_and(|n| (n as i128) << (128 - bits) <= 0);
        self.src.refuse_if(wrong, pos, "a step is positive")
    }

    /// Opens a loop that counts upwards; its body follows.
    pub fn open_loop(&mut self, bounds: Bounds, inits: &[Value], unsigned: bool, pos: usize) -> Result<Open> {
        let (ty, _) = self.single(bounds.from, pos)?;
        let types: Vec<Ty> = std::iter::once(bounds.from.ty).chain(inits.iter().map(|v| v.ty)).collect();
        let (head, mut params) = self.block_with(&types, pos)?;
        let (body, exit) = (self.l.create_block(), self.l.create_block());
        let args: Vec<Value> = std::iter::once(bounds.from).chain(inits.iter().copied()).collect();
        let e = self.edge(head, &args);
        self.l.jump(e);
        self.l.start_block(head);
        let counter = params.remove(0);
        let cc = if unsigned { IntCc::Ult } else { IntCc::Slt };
        let (now, end) = (self.one(counter), self.one(bounds.to));
        let (_, more) = self.l.compare(Compare::Int(cc), ty, now, end).at(self.src, pos)?;
        let (inside, after) = (self.l.edge(body), self.l.edge(exit));
        self.l.br(more, inside, after);
        self.l.start_block(body);
        self.loops += 1;
        Ok(Open { head, exit, counter, carried: params, step: bounds.step })
    }

    /// Closes a loop whose body has ended with these values.
    pub fn close_loop(&mut self, open: &Open, values: &[Value], pos: usize) -> Result<()> {
        let (ty, now) = self.single(open.counter, pos)?;
        let step = self.one(open.step);
        let next = self.l.binary(Opcode::Iadd, ty, now, step).at(self.src, pos)?;
        let next = self.value(open.counter.ty, &[next]);
        let args: Vec<Value> = std::iter::once(next).chain(values.iter().copied()).collect();
        let e = self.edge(open.head, &args);
        self.l.jump(e);
        self.l.start_block(open.exit);
        self.loops -= 1;
        Ok(())
    }

    /// Opens nested loops, the outermost first, whose values are those of the innermost.
    pub fn open_loops(
        &mut self,
        bounds: impl IntoIterator<Item = Bounds>,
        inits: &[Value],
        unsigned: bool,
        pos: usize,
    ) -> Result<Vec<Open>> {
        let mut loops: Vec<Open> = Vec::new();
        for bounds in bounds {
            let carried = loops.last().map_or(inits, |open| &open.carried).to_vec();
            loops.push(self.open_loop(bounds, &carried, unsigned, pos)?);
        }
        Ok(loops)
    }

    /// Closes nested loops, the innermost of which has ended with these values; returns the values of the outermost.
    pub fn close_loops(&mut self, loops: &[Open], mut values: Vec<Value>, pos: usize) -> Result<Vec<Value>> {
        for open in loops.iter().rev() {
            self.close_loop(open, &values, pos)?;
            values.clone_from(&open.carried);
        }
        Ok(values)
    }

    /// `%i = %lb to %ub step %s iter_args(%a = %x) -> (types) : i32 {…}`.
    fn scf_for(&mut self, op: &mut Op<'r>) -> Result<()> {
        self.operands_are(op, 3)?;
        let bounds = Bounds { from: op.operands[0], to: op.operands[1], step: op.operands[2] };
        let same = bounds.from.ty == bounds.to.ty && bounds.from.ty == bounds.step.ty;
        self.src.refuse_if(!same, op.pos, "the bounds of the loop are of different types")?;
        let inits = op.operands[3..].to_vec();
        self.one_loop(op, bounds, &inits, op.has("unsigned") || op.has("unsignedCmp"))
    }

    /// A loop whose body is the operation's region.
    pub fn one_loop(&mut self, op: &mut Op<'r>, bounds: Bounds, inits: &[Value], unsigned: bool) -> Result<()> {
        let types: Vec<Ty> = inits.iter().map(|v| v.ty).collect();
        let open = self.open_loop(bounds, inits, unsigned, op.pos)?;
        let entry: Vec<Value> = std::iter::once(open.counter).chain(open.carried.iter().copied()).collect();
        if op.name == "affine.for" {
            self.counts(&entry);
        }
        let values = self.region(op, 0, &entry, Ending::Iterate)?.unwrap_or_default();
        self.values_are(&values, &types, op.pos)?;
        self.close_loop(&open, &values, op.pos)?;
        op.values.extend(&open.carried);
        Ok(())
    }

    /// `(%a = %x) : (types) -> types {…} do {…}`.
    fn scf_while(&mut self, op: &mut Op<'r>) -> Result<()> {
        let results = op.results.clone();
        let types: Vec<Ty> = op.operands.iter().map(|v| v.ty).collect();
        let (head, params) = self.block_with(&types, op.pos)?;
        let (body, inside) = self.block_with(&results, op.pos)?;
        let (exit, given) = self.block_with(&results, op.pos)?;
        let inits = op.operands.clone();
        let e = self.edge(head, &inits);
        self.l.jump(e);
        self.l.start_block(head);
        self.loops += 1;
        let ended = self.region(op, 0, &params, Ending::Yield)?;
        let Some((&condition, values)) = ended.as_deref().and_then(<[Value]>::split_first) else {
            return Err(self.src.error(op.pos, "the first region ends with a condition"));
        };
        self.src.refuse_if(condition.ty != Ty::of(I1), op.pos, "the condition of a loop is an `i1`")?;
        self.values_are(values, &results, op.pos)?;
        let (on, off) = (self.edge(body, values), self.edge(exit, values));
        let condition = self.one(condition);
        self.l.br(condition, on, off);
        self.l.start_block(body);
        let values = self.region(op, 1, &inside, Ending::Yield)?.unwrap_or_default();
        self.values_are(&values, &types, op.pos)?;
        let e = self.edge(head, &values);
        self.l.jump(e);
        self.loops -= 1;
        self.l.start_block(exit);
        op.values.extend(given);
        Ok(())
    }

    // Branches.

    /// `%c -> (types) {…} else {…}`.
    fn scf_if(&mut self, op: &mut Op<'r>) -> Result<()> {
        let c = self.first_operand(op)?;
        self.src.refuse_if(c.ty != Ty::of(I1), op.pos, "the condition of a branch is an `i1`")?;
        let c = self.one(c);
        self.two_ways(op, c)
    }

    /// A branch on a flag into two regions, the second of which may be missing or empty.
    pub fn two_ways(&mut self, op: &mut Op<'r>, c: Val) -> Result<()> {
        let results = op.results.clone();
        let (then, other) = (self.l.create_block(), self.l.create_block());
        let (exit, given) = self.block_with(&results, op.pos)?;
        let (t, e) = (self.l.edge(then), self.l.edge(other));
        self.l.br(c, t, e);
        for (k, block) in [then, other].into_iter().enumerate() {
            self.l.start_block(block);
            self.region_to(op, k, (exit, &results), k > 0 && self.is_empty_region(op, k))?;
        }
        self.l.start_block(exit);
        op.values.extend(given);
        Ok(())
    }

    /// `%i -> types case 0 {…} default {…}`.
    fn index_switch(&mut self, op: &mut Op<'r>) -> Result<()> {
        let results = op.results.clone();
        let (ty, v) = self.single(self.first_operand(op)?, op.pos)?;
        let (exit, given) = self.block_with(&results, op.pos)?;
        let numbers = match op.generic {
            true => self.attr_ints(op, "cases")?.unwrap_or_default(),
            false => self.attrs_ints(op, "case")?,
        };
        let n = numbers.len();
        let fits = op.regions.len() == n + 1;
        self.src.refuse_if(!fits, op.pos, "there are not as many regions as cases")?;
        // The region of the default comes first in the generic form, and last in the custom form.
        let (default, first) = if op.generic { (0, 1) } else { (n, 0) };
        let blocks: Vec<Block> = numbers.iter().map(|_| self.l.create_block()).collect();
        let other = self.l.create_block();
        let mut edges = Vec::with_capacity(n);
        for (&n, &block) in numbers.iter().zip(&blocks) {
            let n = self.l.integer(ty, n.into()).value();
            edges.push((n, self.l.edge(block)));
        }
        let e = self.l.edge(other);
        self.l.switch(v, &edges, e).at(self.src, op.pos)?;
        for (k, block) in (first..).zip(blocks).chain([(default, other)]) {
            self.l.start_block(block);
            self.region_to(op, k, (exit, &results), false)?;
        }
        self.l.start_block(exit);
        op.values.extend(given);
        Ok(())
    }

    /// Region `k` of an operation, which may be empty; its values, of these types, go to a block.
    fn region_to(&mut self, op: &Op<'r>, k: usize, (exit, types): (Block, &[Ty]), empty: bool) -> Result<()> {
        let values = if empty { None } else { self.region(op, k, &[], Ending::Yield)? }.unwrap_or_default();
        self.values_are(&values, types, op.pos)?;
        let e = self.edge(exit, &values);
        self.l.jump(e);
        Ok(())
    }

    /// `-> types {…}`: a region of several blocks.
    fn execute_region(&mut self, op: &mut Op<'r>) -> Result<()> {
        let results = op.results.clone();
        let (exit, given) = self.block_with(&results, op.pos)?;
        self.region(op, 0, &[], Ending::Leave(exit, results))?;
        let open = self.l.current_block().is_some();
        self.src.refuse_if(open, op.pos, "the region's last block has no terminator")?;
        self.l.start_block(exit);
        op.values.extend(given);
        Ok(())
    }

    // Loops of several counters.

    /// `(%i, %j) = (%a, %b) to (%c, %d) step (%e, %f) init (%x) -> types {…}`, executed sequentially.
    fn parallel(&mut self, op: &mut Op<'r>) -> Result<()> {
        let n = op.groups.first().copied().unwrap_or(0);
        let fits = op.generic || op.arguments.len() == n && op.groups[1] == 2 * n && op.groups[2] == 3 * n;
        let fits = fits && (op.generic || op.refs.len() == 3 * n + op.results.len());
        self.src.refuse_if(!fits, op.pos, "there are not as many bounds as counters")?;
        self.operands_are(op, 3 * n)?;
        self.src.refuse_if(n == 0, op.pos, "the loop has no counter")?;
        for k in 2 * n..3 * n {
            self.check_step(op.operands[k], op.pos)?;
        }
        let all = &op.operands;
        let bounds = (0..n).map(|i| Bounds { from: all[i], to: all[n + i], step: all[2 * n + i] });
        let loops = self.open_loops(bounds, &all[3 * n..], false, op.pos)?;
        let counters: Vec<Value> = loops.iter().map(|open| open.counter).collect();
        let inits = loops[n - 1].carried.clone();
        let outer = (std::mem::replace(&mut self.reduced, inits), std::mem::take(&mut self.reduced_count));
        let given = self.region(op, 0, &counters, Ending::Iterate)?.unwrap_or_default();
        self.src.refuse_if(!given.is_empty(), op.pos, "the loop's values are what `scf.reduce` gives")?;
        let count = std::mem::replace(&mut self.reduced_count, outer.1);
        let values = std::mem::replace(&mut self.reduced, outer.0);
        self.src.refuse_if(count != values.len(), op.pos, "there are not as many reductions as results")?;
        op.values = self.close_loops(&loops, values, op.pos)?;
        Ok(())
    }

    /// `(%x, %y : f32, f32) {…}, {…}`: each region combines an operand with a value that the loop carries. It ends the
    /// loop's body.
    fn reduce(&mut self, op: &mut Op<'r>) -> Result<()> {
        // Older tools print one operation for each value; the next one continues where this ends.
        let first = self.reduced_count;
        for k in 0..op.operands.len() {
            let v = op.operands[k];
            let Some(&old) = self.reduced.get(first + k).filter(|old| old.ty == v.ty) else {
                return Err(self.src.error(op.pos, "the loop carries no value of this type to be reduced"));
            };
            let counted = std::mem::take(&mut self.reduced_count);
            let new = self.region(op, k, &[old, v], Ending::Yield)?;
            self.reduced_count = counted;
            let Some(&[new]) = new.as_deref() else {
                return Err(self.src.error(op.pos, "a reduction returns one value"));
            };
            self.values_are(&[new], &[old.ty], op.pos)?;
            self.reduced[first + k] = new;
        }
        self.reduced_count = first + op.operands.len();
        Ok(())
    }

    /// `(%i, %j) in (%n, 4) {…}` or `(%i) = (0) to (%n) step (1) {…}`, executed sequentially.
    fn forall(&mut self, op: &mut Op<'r>) -> Result<()> {
        let shared = op
            .attr("shared_outs")
            .map(AttributeRef::pos)
            .or((op.operands.len() > self.listed_operands(op)).then_some(op.pos));
        let m = "tensors are shared here: bufferize first (`one-shot-bufferize`)";
        self.src.refuse_if(shared.is_some(), shared.unwrap_or(op.pos), m)?;
        let mut lists: [Vec<Value>; 3] = Default::default();
        if let &[to] = &op.lists[..] {
            lists[1] = self.mixed_values(op, to)?;
            lists[0] = vec![self.index_value(0); lists[1].len()];
            lists[2] = vec![self.index_value(1); lists[1].len()];
        } else {
            for (list, &range) in lists.iter_mut().zip(&op.lists) {
                *list = self.mixed_values(op, range)?;
            }
        }
        let n = if op.generic { lists[1].len() } else { op.arguments.len() };
        let fits = lists.iter().all(|list| list.len() == n);
        self.src.refuse_if(!fits, op.pos, "there are not as many bounds as counters")?;
        let bounds = (0..n).map(|i| Bounds { from: lists[0][i], to: lists[1][i], step: lists[2][i] });
        let loops = self.open_loops(bounds, &[], false, op.pos)?;
        let counters: Vec<Value> = loops.iter().map(|open| open.counter).collect();
        self.region(op, 0, &counters, Ending::Iterate)?;
        self.close_loops(&loops, Vec::new(), op.pos).map(drop)
    }

    /// Number of operands in lists of numbers and operands.
    fn listed_operands(&self, op: &Op<'r>) -> usize {
        op.mixed.iter().filter(|m| matches!(m, Mixed::Operand(_))).count()
    }

    /// A list of numbers and operands, as indexes.
    pub fn mixed_values(&mut self, op: &Op<'r>, (from, to): (usize, usize)) -> Result<Vec<Value>> {
        let mut all = Vec::with_capacity(to - from);
        for k in from..to {
            all.push(match op.mixed[k] {
                Mixed::Number(n) => self.index_value(n),
                Mixed::Operand(i) => match op.operands.get(i) {
                    Some(&v) if v.ty == INDEX => v,
                    Some(&v) => return Err(self.wrong_type(op.refs[i], v.ty, INDEX)),
                    None => return Err(self.src.error(op.pos, "a bound is missing")),
                },
            });
        }
        Ok(all)
    }
}
