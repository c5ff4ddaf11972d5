//! The dialect `scf`: loops and branches with regions, which become blocks.
//!
//! MLIR, "'scf' Dialect".

use gusset_codegen::ir::{Block, IntCc, Opcode};
use gusset_lower::{Compare, Events, I1, Val};
use gusset_text::{Placed, Result};

use crate::lexer::Tokens;
use crate::op::{LocalRef, Op, Value};
use crate::reader::{Ending, Reader};
use crate::rows::Row;
use crate::types::{DYNAMIC, INDEX, Ty};
use crate::what::{Scf, What};

use super::rows::row;

#[rustfmt::skip]
pub(super) const ROWS: &[Row<What>] = &[
    row("scf.for", "...", "_* -> ...", What::Scf(Scf::For)),
    row("scf.while", "...", "_* -> ...", What::Scf(Scf::While)),
    row("scf.if", "...", "_* -> ...", What::Scf(Scf::If)),
    row("scf.index_switch", "...", "_* -> ...", What::Scf(Scf::IndexSwitch)),
    row("scf.execute_region", "...", "_* -> ...", What::Scf(Scf::ExecuteRegion)),
    row("scf.parallel", "...", "_* -> ...", What::Scf(Scf::Parallel)),
    row("scf.forall", "...", "_* -> ...", What::Scf(Scf::Forall)),
    row("scf.reduce", "...", "_* -> ...", What::Scf(Scf::Reduce)),
    row("scf.yield", "{} %* [? : A* ?]", "A* ->", What::Yield),
    row("scf.condition", "( % ) {} %* [? : A* ?]", "1 A* ->", What::Yield),
    row("scf.reduce.return", "% {} : A", "A ->", What::Yield),
    row("scf.forall.in_parallel", "...", "->", What::Scf(Scf::InParallel)),
    row("affine.yield", "%* {} [? : A* ?]", "A* ->", What::Yield),
    row("memref.alloca_scope.return", "%* {} [? : A* ?]", "A* ->", What::Yield),
    row("memref.atomic_yield", "% {} : A", "A ->", What::Yield),
];

/// The bounds of a loop.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub from: Value,
    pub to: Value,
    pub step: Value,
}

/// A loop that has been opened: its head, the block behind it, the counter, and what it carries.
pub(crate) struct Open {
    head: Block,
    pub exit: Block,
    pub counter: Value,
    pub carried: Vec<Value>,
    step: Value,
}

impl<'r, E: Events> Reader<'r, E> {
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
            Scf::InParallel => {
                if !op.generic {
                    self.c.skip_region()?;
                }
                Ok(())
            }
        }
    }

    /// The end of a region: its values go to whoever reads it, or to a block.
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

    /// Reads region `k` of an operation, whose first block has the values `entry`, some of which have names already; what it
    /// yields.
    pub fn region(
        &mut self,
        op: &Op<'r>,
        k: usize,
        names: &[(LocalRef, usize)],
        entry: &[Value],
        ending: Ending,
    ) -> Result<Option<Vec<Value>>> {
        if op.generic {
            let at = op.regions.get(k).copied();
            self.c.pos = at.ok_or_else(|| self.c.error_at(op.pos, "a region is missing"))?;
        }
        self.c.refuse_if(self.depth >= gusset_lower::MAX_DEPTH, self.c.pos, "regions are nested too deeply")?;
        if self.depth == 0 {
            self.regional = entry.iter().map(|v| v.at).min().unwrap_or_else(|| self.begin_value());
        }
        self.depth += 1;
        let open = self.c.pos;
        self.c.expect(b'{')?;
        self.no_label_if(!names.is_empty())?;
        let outer = self.open_scope();
        for (&(name, pos), &v) in names.iter().zip(entry) {
            self.define(name, v, pos)?;
        }
        let around = self.begin_stack(open, &ending, op.pos)?;
        let before = (std::mem::replace(&mut self.ending, ending), self.ended.take());
        self.operations(entry)?;
        self.leave_stack(around, op.pos)?;
        self.close_scope(outer)?;
        self.depth -= 1;
        self.ending = before.0;
        let ended = std::mem::replace(&mut self.ended, before.1);
        Ok(ended.map(|(_, values)| values))
    }

    /// An error unless values have these types.
    pub fn values_are(&self, values: &[Value], types: &[Ty], pos: usize) -> Result<()> {
        let fits = values.iter().map(|v| v.ty).eq(types.iter().copied());
        self.c.refuse_if(!fits, pos, "the values that the region yields are not of the types wanted")
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

    /// An error if a step is a number that is not positive.
    fn check_step(&self, step: Value, pos: usize) -> Result<()> {
        let (ty, v) = self.single(step, pos)?;
        let bits = self.l.types().ir(ty).bits();
        let n = self.l.int_constant(v).filter(|_| (1..=128).contains(&bits));
        let wrong = n.is_some_and(|n| (n as i128) << (128 - bits) <= 0);
        self.c.refuse_if(wrong, pos, "a step is positive")
    }

    /// Opens a loop that counts upwards; what comes is its body.
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
        let (_, more) = self.l.compare(Compare::Int(cc), ty, now, end).at(self.c.src, pos)?;
        let (inside, behind) = (self.l.edge(body), self.l.edge(exit));
        self.l.br(more, inside, behind);
        self.l.start_block(body);
        self.loops += 1;
        Ok(Open { head, exit, counter, carried: params, step: bounds.step })
    }

    /// Closes a loop whose body has come to its end with these values.
    pub fn close_loop(&mut self, open: &Open, values: &[Value], pos: usize) -> Result<()> {
        let (ty, now) = self.single(open.counter, pos)?;
        let step = self.one(open.step);
        let next = self.l.binary(Opcode::Iadd, ty, now, step).at(self.c.src, pos)?;
        let next = self.value(open.counter.ty, &[next]);
        let args: Vec<Value> = std::iter::once(next).chain(values.iter().copied()).collect();
        let e = self.edge(open.head, &args);
        self.l.jump(e);
        self.l.start_block(open.exit);
        self.loops -= 1;
        Ok(())
    }

    /// Reads `(%a = %x, %b = %y)`: the names, and the operands.
    pub fn initialized(&mut self, op: &mut Op<'r>, names: &mut Vec<(LocalRef, usize)>) -> Result<()> {
        self.c.expect(b'(')?;
        let mut more = !self.c.eat(b')');
        while more {
            let pos = self.c.pos;
            names.push((self.local_ref()?, pos));
            self.c.expect(b'=')?;
            self.operand(op)?;
            more = self.c.more(b')')?;
        }
        Ok(())
    }

    /// `%i = %lb to %ub step %s iter_args(%a = %x) -> (types) : i32 {…}`.
    fn scf_for(&mut self, op: &mut Op<'r>) -> Result<()> {
        let mut names = Vec::new();
        if !op.generic {
            let pos = self.c.pos;
            op.attrs.extend(self.c.eat_word(b"unsigned").then_some((&b"unsignedCmp"[..], pos)));
            let pos = self.c.pos;
            names.push((self.local_ref()?, pos));
            self.c.expect(b'=')?;
            self.operand(op)?;
            self.c.expect_word("to")?;
            self.operand(op)?;
            self.c.expect_word("step")?;
            self.operand(op)?;
            let mut types = Vec::new();
            if self.c.eat_word(b"iter_args") {
                self.initialized(op, &mut names)?;
                self.c.expect_arrow()?;
                types = self.t.results(self.l.types_mut(), &mut self.c)?;
            }
            let counter = if self.c.eat(b':') { self.ty()? } else { INDEX };
            self.c.refuse_if(types.len() + 3 != op.refs.len(), pos, "there are not as many types as values")?;
            for k in 0..op.refs.len() {
                let ty = if k < 3 { counter } else { types[k - 3] };
                let v = self.use_as(op.refs[k], Some(ty))?;
                op.operands.push(v);
            }
        }
        self.operands_are(op, 3)?;
        let bounds = Bounds { from: op.operands[0], to: op.operands[1], step: op.operands[2] };
        let same = bounds.from.ty == bounds.to.ty && bounds.from.ty == bounds.step.ty;
        self.c.refuse_if(!same, op.pos, "the bounds of the loop are of different types")?;
        let inits = op.operands[3..].to_vec();
        let types: Vec<Ty> = inits.iter().map(|v| v.ty).collect();
        let open = self.open_loop(bounds, &inits, op.has("unsignedCmp"), op.pos)?;
        let entry: Vec<Value> = std::iter::once(open.counter).chain(open.carried.iter().copied()).collect();
        let values = self.region(op, 0, &names, &entry, Ending::Iterate)?.unwrap_or_default();
        self.values_are(&values, &types, op.pos)?;
        self.close_loop(&open, &values, op.pos)?;
        op.values.extend(&open.carried);
        self.attributes_behind(op)
    }

    /// In the custom form, a dictionary may stand behind the last region.
    pub fn attributes_behind(&mut self, op: &mut Op<'r>) -> Result<()> {
        if op.generic { Ok(()) } else { self.dictionary(op) }
    }

    /// `(%a = %x) : (types) -> types {…} do {…}`.
    fn scf_while(&mut self, op: &mut Op<'r>) -> Result<()> {
        let mut names = Vec::new();
        let mut results = op.results.clone();
        if !op.generic {
            if self.c.peek() == b'(' {
                self.initialized(op, &mut names)?;
            }
            self.c.expect(b':')?;
            let pos = self.c.pos;
            let inputs = self.t.list(self.l.types_mut(), &mut self.c)?;
            self.c.expect_arrow()?;
            results = self.t.results(self.l.types_mut(), &mut self.c)?;
            self.c.refuse_if(inputs.len() != op.refs.len(), pos, "there are not as many types as values")?;
            for (k, ty) in inputs.into_iter().enumerate() {
                let v = self.use_as(op.refs[k], Some(ty))?;
                op.operands.push(v);
            }
        }
        let types: Vec<Ty> = op.operands.iter().map(|v| v.ty).collect();
        let (head, params) = self.block_with(&types, op.pos)?;
        let (body, inside) = self.block_with(&results, op.pos)?;
        let (exit, given) = self.block_with(&results, op.pos)?;
        let inits = op.operands.clone();
        let e = self.edge(head, &inits);
        self.l.jump(e);
        self.l.start_block(head);
        self.loops += 1;
        let ended = self.region(op, 0, &names, &params, Ending::Yield)?;
        let Some((&condition, values)) = ended.as_deref().and_then(<[Value]>::split_first) else {
            return Err(self.c.error_at(op.pos, "the first region ends with a condition"));
        };
        self.c.refuse_if(condition.ty != Ty::of(I1), op.pos, "the condition of a loop is an `i1`")?;
        self.values_are(values, &results, op.pos)?;
        let (on, off) = (self.edge(body, values), self.edge(exit, values));
        let condition = self.one(condition);
        self.l.br(condition, on, off);
        self.l.start_block(body);
        if !op.generic {
            self.c.expect_word("do")?;
        }
        let values = self.region(op, 1, &[], &inside, Ending::Yield)?.unwrap_or_default();
        self.values_are(&values, &types, op.pos)?;
        let e = self.edge(head, &values);
        self.l.jump(e);
        self.loops -= 1;
        self.l.start_block(exit);
        op.values.extend(given);
        if !op.generic && self.c.eat_word(b"attributes") {
            self.dictionary(op)?;
        }
        Ok(())
    }

    // Branches.

    /// Reads `-> (types)`, if it stands here.
    pub fn arrow_types(&mut self) -> Result<Vec<Ty>> {
        if !self.c.eat_arrow() {
            return Ok(Vec::new());
        }
        let mut types = self.t.results(self.l.types_mut(), &mut self.c)?;
        // `scf.index_switch` has no parentheses around several.
        while self.c.eat(b',') {
            types.push(self.t.parse(self.l.types_mut(), &mut self.c)?);
        }
        Ok(types)
    }

    /// `%c -> (types) {…} else {…}`.
    fn scf_if(&mut self, op: &mut Op<'r>) -> Result<()> {
        let mut results = op.results.clone();
        if !op.generic {
            self.operand(op)?;
            let v = self.use_as(op.refs[0], Some(Ty::of(I1)))?;
            op.operands.push(v);
            results = self.arrow_types()?;
        }
        self.operands_are(op, 1)?;
        let c = op.operands[0];
        self.c.refuse_if(c.ty != Ty::of(I1), op.pos, "the condition of a branch is an `i1`")?;
        let c = self.one(c);
        self.two_ways(op, c, &results, [0, 1])
    }

    /// A branch by a flag into two regions, the second of which may be missing.
    pub fn two_ways(&mut self, op: &mut Op<'r>, c: Val, results: &[Ty], regions: [usize; 2]) -> Result<()> {
        let (then, other) = (self.l.create_block(), self.l.create_block());
        let (exit, given) = self.block_with(results, op.pos)?;
        let (t, e) = (self.l.edge(then), self.l.edge(other));
        self.l.br(c, t, e);
        for (k, block) in [(regions[0], then), (regions[1], other)] {
            self.l.start_block(block);
            let there = match (op.generic, block == then) {
                (_, true) => true,
                (false, _) => self.c.eat_word(b"else"),
                (true, _) => op.regions.get(k).is_some_and(|&at| {
                    let mut c = crate::lexer::Cursor::new(self.c.src, at);
                    c.bump(1);
                    c.peek() != b'}'
                }),
            };
            let mut values = Vec::new();
            if there {
                values = self.region(op, k, &[], &[], Ending::Yield)?.unwrap_or_default();
            }
            self.values_are(&values, results, op.pos)?;
            let e = self.edge(exit, &values);
            self.l.jump(e);
        }
        self.l.start_block(exit);
        op.values.extend(given);
        self.attributes_behind(op)
    }

    /// `%i -> types case 0 {…} default {…}`.
    fn index_switch(&mut self, op: &mut Op<'r>) -> Result<()> {
        let mut results = op.results.clone();
        let numbers = self.attr_ints(op, "cases")?.unwrap_or_default();
        if !op.generic {
            self.operand(op)?;
            let v = self.use_as(op.refs[0], Some(INDEX))?;
            op.operands.push(v);
            self.dictionary(op)?;
            results = self.arrow_types()?;
        }
        self.operands_are(op, 1)?;
        let (ty, v) = self.single(op.operands[0], op.pos)?;
        let (exit, given) = self.block_with(&results, op.pos)?;
        // The switch is made when the cases are known: their blocks come behind it, so the text is read twice.
        let start = self.c.pos;
        let mut cases: Vec<(i64, usize)> = Vec::new();
        let mut default = None;
        if op.generic {
            let fits = op.regions.len() == numbers.len() + 1;
            self.c.refuse_if(!fits, op.pos, "there are not as many regions as cases")?;
            default = op.regions.first().copied();
            cases.extend(numbers.iter().copied().zip(op.regions.iter().skip(1).copied()));
        } else {
            loop {
                if self.c.eat_word(b"case") {
                    let n = self.integer()?;
                    cases.push((n, self.c.pos));
                } else if self.c.eat_word(b"default") {
                    default = Some(self.c.pos);
                } else {
                    break;
                }
                self.c.skip_region()?;
            }
        }
        let end = self.c.pos;
        let Some(default) = default else {
            return Err(self.c.error_at(start, "the switch has no default"));
        };
        let blocks: Vec<Block> = cases.iter().map(|_| self.l.create_block()).collect();
        let other = self.l.create_block();
        let mut edges = Vec::with_capacity(cases.len());
        for (&(n, _), &block) in cases.iter().zip(&blocks) {
            let n = self.l.integer(ty, n.into()).value();
            edges.push((n, self.l.edge(block)));
        }
        let e = self.l.edge(other);
        self.l.switch(v, &edges, e).at(self.c.src, op.pos)?;
        let all = cases.iter().map(|c| c.1).zip(blocks).chain([(default, other)]);
        for (at, block) in all.collect::<Vec<_>>() {
            self.l.start_block(block);
            self.c.pos = at;
            let plain = std::mem::take(&mut op.generic);
            let values = self.region(op, 0, &[], &[], Ending::Yield)?.unwrap_or_default();
            op.generic = plain;
            self.values_are(&values, &results, op.pos)?;
            let e = self.edge(exit, &values);
            self.l.jump(e);
        }
        self.c.pos = end;
        self.l.start_block(exit);
        op.values.extend(given);
        Ok(())
    }

    /// `-> types {…}`: a region of several blocks.
    fn execute_region(&mut self, op: &mut Op<'r>) -> Result<()> {
        let mut results = op.results.clone();
        if !op.generic {
            results = self.arrow_types()?;
            self.c.eat_word(b"no_inline");
        }
        let (exit, given) = self.block_with(&results, op.pos)?;
        self.region(op, 0, &[], &[], Ending::Leave(exit, results))?;
        let open = self.l.current_block().is_some();
        self.c.refuse_if(open, op.pos, "the region's last block has no terminator")?;
        self.l.start_block(exit);
        op.values.extend(given);
        self.attributes_behind(op)
    }

    // Loops of several counters.

    /// `(%i, %j) = (%a, %b) to (%c, %d) step (%e, %f) init (%x) -> types {…}`, one after the other.
    fn parallel(&mut self, op: &mut Op<'r>) -> Result<()> {
        let mut names = Vec::new();
        let n;
        if op.generic {
            let sizes = self.segments(op)?.unwrap_or_default();
            n = sizes.first().copied().unwrap_or(0);
        } else {
            self.name_list(&mut names)?;
            self.c.expect(b'=')?;
            n = names.len();
            for (k, word) in ["", "to", "step"].into_iter().enumerate() {
                if !word.is_empty() {
                    self.c.expect_word(word)?;
                }
                self.bracketed(op)?;
                let fits = op.refs.len() == (k + 1) * n;
                self.c.refuse_if(!fits, op.pos, "there are not as many bounds as counters")?;
            }
            if self.c.eat_word(b"init") {
                self.bracketed(op)?;
            }
            let types = self.arrow_types()?;
            let fits = op.refs.len() == 3 * n + types.len();
            self.c.refuse_if(!fits, op.pos, "there are not as many bounds as counters")?;
            for k in 0..op.refs.len() {
                let ty = if k < 3 * n { INDEX } else { types[k - 3 * n] };
                let v = self.use_as(op.refs[k], Some(ty))?;
                op.operands.push(v);
            }
        }
        self.operands_are(op, 3 * n)?;
        self.c.refuse_if(n == 0, op.pos, "the loop has no counter")?;
        for k in 2 * n..3 * n {
            self.check_step(op.operands[k], op.pos)?;
        }
        let mut inits = op.operands[3 * n..].to_vec();
        let mut loops = Vec::with_capacity(n);
        let mut counters = Vec::with_capacity(n);
        for i in 0..n {
            let bounds = Bounds { from: op.operands[i], to: op.operands[n + i], step: op.operands[2 * n + i] };
            let open = self.open_loop(bounds, &inits, false, op.pos)?;
            counters.push(open.counter);
            inits = open.carried.clone();
            loops.push(open);
        }
        let outer = (std::mem::replace(&mut self.reduced, inits), std::mem::take(&mut self.reduced_count));
        let given = self.region(op, 0, &names, &counters, Ending::Iterate)?.unwrap_or_default();
        self.c.refuse_if(!given.is_empty(), op.pos, "the loop's values are what `scf.reduce` gives")?;
        let count = std::mem::replace(&mut self.reduced_count, outer.1);
        let mut values = std::mem::replace(&mut self.reduced, outer.0);
        self.c.refuse_if(count != values.len(), op.pos, "there are not as many reductions as results")?;
        for open in loops.iter().rev() {
            self.close_loop(open, &values, op.pos)?;
            values = open.carried.clone();
        }
        op.values.extend(values);
        self.attributes_behind(op)
    }

    /// Reads names in parentheses.
    pub fn name_list(&mut self, names: &mut Vec<(LocalRef, usize)>) -> Result<()> {
        self.c.expect(b'(')?;
        let mut more = !self.c.eat(b')');
        while more {
            let pos = self.c.pos;
            names.push((self.local_ref()?, pos));
            more = self.c.more(b')')?;
        }
        Ok(())
    }

    /// Reads operands in parentheses.
    pub fn bracketed(&mut self, op: &mut Op<'r>) -> Result<()> {
        self.c.expect(b'(')?;
        self.operands(op)?;
        self.c.expect(b')')
    }

    /// `(%x, %y : f32, f32) {…}, {…}`: each operand is joined to what the loop carries, by a region. It ends the loop's body.
    fn reduce(&mut self, op: &mut Op<'r>) -> Result<()> {
        if !op.generic && self.c.eat(b'(') {
            self.operands(op)?;
            let inner = self.c.eat(b':');
            let mut types = Vec::new();
            if !inner {
                self.c.expect(b')')?;
                self.c.expect(b':')?;
            }
            while types.len() < op.refs.len() {
                if !types.is_empty() {
                    self.c.expect(b',')?;
                }
                types.push(self.ty()?);
            }
            if inner {
                self.c.expect(b')')?;
            }
            for (k, ty) in types.into_iter().enumerate() {
                let v = self.use_as(op.refs[k], Some(ty))?;
                op.operands.push(v);
            }
        }
        // Older tools have an operation for each value; the next one goes on where this ends.
        let first = self.reduced_count;
        for k in 0..op.operands.len() {
            let v = op.operands[k];
            let Some(&old) = self.reduced.get(first + k).filter(|old| old.ty == v.ty) else {
                return Err(self.c.error_at(op.pos, "the loop carries no value of this type to be reduced"));
            };
            if k > 0 && !op.generic {
                self.c.eat(b',');
            }
            let counted = std::mem::take(&mut self.reduced_count);
            let new = self.region(op, k, &[], &[old, v], Ending::Yield)?;
            self.reduced_count = counted;
            let Some(&[new]) = new.as_deref() else {
                return Err(self.c.error_at(op.pos, "a reduction returns one value"));
            };
            self.values_are(&[new], &[old.ty], op.pos)?;
            self.reduced[first + k] = new;
        }
        self.reduced_count = first + op.operands.len();
        Ok(())
    }

    /// `(%i, %j) in (%n, 4) {…}` or `(%i) = (0) to (%n) step (1) {…}`, one after the other.
    fn forall(&mut self, op: &mut Op<'r>) -> Result<()> {
        let mut names = Vec::new();
        let mut lists: [Vec<Value>; 3] = Default::default();
        if op.generic {
            lists = self.forall_bounds(op)?;
        } else {
            self.name_list(&mut names)?;
            if self.c.eat_word(b"in") {
                lists[1] = self.mixed_values()?;
                let (zero, one) = (self.index(0), self.index(1));
                let (zero, one) = (self.value(INDEX, &[zero]), self.value(INDEX, &[one]));
                lists[0] = vec![zero; lists[1].len()];
                lists[2] = vec![one; lists[1].len()];
            } else {
                self.c.expect(b'=')?;
                lists[0] = self.mixed_values()?;
                self.c.expect_word("to")?;
                lists[1] = self.mixed_values()?;
                self.c.expect_word("step")?;
                lists[2] = self.mixed_values()?;
            }
        }
        let shared = !op.generic && self.c.peek_word() == b"shared_outs";
        self.c.refuse_if(shared, self.c.pos, "tensors are shared here: bufferize first (`one-shot-bufferize`)")?;
        let n = if op.generic { lists[1].len() } else { names.len() };
        let fits = lists.iter().all(|list| list.len() == n);
        self.c.refuse_if(!fits, op.pos, "there are not as many bounds as counters")?;
        let mut loops = Vec::with_capacity(n);
        let [from, to, step] = &lists;
        for ((&from, &to), &step) in from.iter().zip(to).zip(step) {
            loops.push(self.open_loop(Bounds { from, to, step }, &[], false, op.pos)?);
        }
        let counters: Vec<Value> = loops.iter().map(|open| open.counter).collect();
        self.region(op, 0, &names, &counters, Ending::Iterate)?;
        for open in loops.iter().rev() {
            self.close_loop(open, &[], op.pos)?;
        }
        self.attributes_behind(op)
    }

    /// The bounds of a `scf.forall` in the generic form: numbers, among which a place for an operand has a number of its own.
    fn forall_bounds(&mut self, op: &mut Op<'r>) -> Result<[Vec<Value>; 3]> {
        let mut lists: [Vec<Value>; 3] = Default::default();
        let mut from = 0;
        for (k, name) in ["staticLowerBound", "staticUpperBound", "staticStep"].into_iter().enumerate() {
            let numbers = self.attr_ints(op, name)?;
            let numbers =
                numbers.ok_or_else(|| self.c.error_at(op.pos, format!("the attribute `{name}` is missing")))?;
            let end = op.groups.get(k).copied().unwrap_or(from);
            let mut operands = op.operands.get(from..end).unwrap_or_default().to_vec().into_iter();
            from = end;
            for n in numbers {
                if n == DYNAMIC {
                    let v = operands.next().filter(|v| v.ty == INDEX);
                    lists[k].push(v.ok_or_else(|| self.c.error_at(op.pos, "a bound is missing"))?);
                } else {
                    let n = self.index(n);
                    lists[k].push(self.value(INDEX, &[n]));
                }
            }
        }
        let m = "tensors are shared here: bufferize first (`one-shot-bufferize`)";
        self.c.refuse_if(from < op.operands.len(), op.pos, m)?;
        Ok(lists)
    }

    /// Reads numbers and operands in parentheses, as indices.
    fn mixed_values(&mut self) -> Result<Vec<Value>> {
        self.c.expect(b'(')?;
        let mut all = Vec::new();
        let mut more = !self.c.eat(b')');
        while more {
            let pos = self.c.pos;
            if self.c.peek() == b'%' {
                let r = self.local_ref()?;
                all.push(self.use_as((r, pos), Some(INDEX))?);
            } else {
                let n = self.integer()?;
                let n = self.index(n);
                all.push(self.value(INDEX, &[n]));
            }
            more = self.c.more(b')')?;
        }
        Ok(all)
    }
}
