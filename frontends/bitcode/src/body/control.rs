//! Terminators and exceptions.

use gusset_codegen::ir::{Edge, Type};
use gusset_program::{
    Argument, BranchEdges, Clause, Const, I1, Kind, Op, Refusal, Result, Sink, TOKEN, TypeId, VOID, Val, refuse_if,
};

use super::Reader;
use super::fields::Fields;
use crate::constants::signed;

/// The upper half of the first field of a `switch` with ranges (`BitcodeReader.cpp`, `SWITCH_INST_MAGIC`).
const WITH_RANGES: u64 = 0x4b5;

/// Most numbers of the ranges of a `switch`.
const MOST_IN_RANGES: u64 = 1 << 16;

impl<E: Sink> Reader<'_, E> {
    /// Reads a branch.
    #[inline]
    pub(super) fn br(&mut self, fields: Fields<'_>) -> Result<(TypeId, Val)> {
        match *fields.rest() {
            [to] => {
                let to = self.label(to)?;
                let edge = self.l.edge(to);
                self.l.op(Op::Jump(edge))
            }
            [then, other, condition] => {
                let condition = self.value(self.next.wrapping_sub(condition as u32), I1)?;
                let (then, other) = (self.label(then)?, self.label(other)?);
                let (then, other) = (self.l.edge(then), self.l.edge(other));
                self.note_branch(BranchEdges { first: then, count: 2, default_is_last: false });
                self.l.op(Op::Br { condition, then, other })
            }
            _ => Err(Refusal::new("a branch has one or three fields")),
        }
    }

    pub(super) fn switch(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        if let [word, ref rest @ ..] = *fields.rest()
            && word >> 16 == WITH_RANGES
        {
            return self.switch_with_ranges(Fields::new(rest));
        }
        let ty = self.m.table.get(fields.next()?)?;
        let id = self.id(&mut fields)?;
        let default = fields.next()?;
        let val = self.scalar(id, ty)?;
        refuse_if(self.l.types().get(ty).kind != Kind::Int, "the value of a switch must be an integer")?;
        let default = self.label(default)?;
        let (pairs, rest) = fields.rest().as_chunks::<2>();
        refuse_if(!rest.is_empty(), "a case of a switch has no target")?;
        let mut cases = std::mem::take(&mut self.s.cases);
        cases.clear();
        let taken = pairs.iter().try_for_each(|&[case, to]| {
            let case = u32::try_from(case).map_err(|_| Refusal::new("the number of a value is too large"))?;
            let case = self.case(case, ty)?;
            let to = self.label(to)?;
            cases.push((case, self.l.edge(to)));
            Ok(())
        });
        let done = taken.and_then(|()| {
            let default = self.l.edge(default);
            let first = cases.first().map_or(default, |case| case.1);
            self.note_branch(BranchEdges { first, count: cases.len() + 1, default_is_last: true });
            self.l.op(Op::Switch { val, cases: &cases, default })
        });
        self.s.cases = cases;
        done
    }

    /// Reads a `switch` of LLVM 3.2 and 3.3, whose cases are lists of numbers and ranges, all without sign.
    fn switch_with_ranges(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let ty = self.m.table.get(fields.next()?)?;
        let id = self.id(&mut fields)?;
        let (default, count) = (fields.next()?, fields.next()?);
        let val = self.scalar(id, ty)?;
        refuse_if(self.l.types().get(ty).kind != Kind::Int, "the value of a switch must be an integer")?;
        let bits = self.l.types().ir(ty).bits();
        refuse_if(bits > 64, "ranges of more than 64 bits are not supported")?;
        let default = self.label(default)?;
        let (mut cases, mut more) = (Vec::new(), 0u64);
        for _ in 0..count {
            let mut numbers = Vec::new();
            for _ in 0..fields.next()? {
                let one = fields.next()? != 0;
                let mut number = || fields.next().map(|word| signed(word) as u64 & u64::MAX >> (64 - bits));
                let low = number()?;
                let high = if one { low } else { number()? };
                more = more.saturating_add(high.saturating_sub(low));
                refuse_if(more > MOST_IN_RANGES, "the ranges of a switch have more than 65,536 numbers")?;
                numbers.extend(low..=high);
            }
            let to = self.label(fields.next()?)?;
            for number in numbers {
                let case = self.l.constant(ty, Const::Integer(number.into()))?;
                cases.push((case.value(), self.l.edge(to)));
            }
        }
        let default = self.l.edge(default);
        self.l.op(Op::Switch { val, cases: &cases, default })
    }

    pub(super) fn indirect_br(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let ty = self.m.table.get(fields.next()?)?;
        let id = self.id(&mut fields)?;
        let addr = self.pointer(id, ty)?;
        let mut edges = std::mem::take(&mut self.s.edges);
        let taken = self.edges_to(fields.rest(), &mut edges);
        let done = taken.and_then(|()| self.l.op(Op::IndirectBr { addr, edges: &edges }));
        self.s.edges = edges;
        done
    }

    /// Makes an edge to each of these blocks.
    pub(super) fn edges_to(&mut self, blocks: &[u64], edges: &mut Vec<Edge>) -> Result<()> {
        edges.clear();
        for &number in blocks {
            let to = self.label(number)?;
            edges.push(self.l.edge(to));
        }
        Ok(())
    }

    pub(super) fn ret(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        if fields.is_empty() {
            return self.l.op(Op::Ret { ty: VOID, val: Val(0) });
        }
        let (ty, val) = self.typed_value(&mut fields)?;
        refuse_if(!fields.is_empty(), "a `ret` has one value")?;
        self.l.op(Op::Ret { ty, val })
    }

    // Exceptions.

    pub(super) fn landing_pad(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let ty = self.m.table.get(fields.next()?)?;
        let (cleanup, count) = (fields.next()? != 0, fields.next()?);
        let mut clauses = Vec::new();
        for _ in 0..count {
            let kind = fields.next()?;
            let (id, of) = self.typed_id(&mut fields)?;
            clauses.push(match kind {
                0 => Clause::Catch(self.pointer(id, of)?),
                1 => {
                    refuse_if(self.l.types().ir(of) != Type::VOID, "expected an array")?;
                    self.l.check_aggregate(of)?;
                    Clause::Filter(of, self.value(id, of)?)
                }
                _ => return Err(Refusal::new("the clause of a landing pad is not known")),
            });
        }
        self.l.op(Op::LandingPad { ty, cleanup, clauses: &clauses })
    }

    pub(super) fn resume(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (ty, val) = self.typed_value(&mut fields)?;
        self.l.op(Op::Resume { ty, val })
    }

    /// Reads a token.
    fn token(&mut self, fields: &mut Fields<'_>) -> Result<Val> {
        let id = self.id(fields)?;
        self.value(id, TOKEN)
    }

    pub(super) fn catch_switch(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let parent = self.token(&mut fields)?;
        let count = usize::try_from(fields.next()?).unwrap_or(usize::MAX);
        let Some((blocks, rest)) = fields.rest().split_at_checked(count) else {
            return Err(Refusal::new("the record has too few fields"));
        };
        let mut handlers = Vec::new();
        self.edges_to(blocks, &mut handlers)?;
        let unwind = self.unwind_target(rest)?;
        self.l.op(Op::CatchSwitch { parent, handlers: &handlers, unwind })
    }

    /// Where an exception unwinds to; none for the caller.
    fn unwind_target(&mut self, rest: &[u64]) -> Result<Option<Edge>> {
        let Some(&number) = rest.first() else { return Ok(None) };
        let to = self.label(number)?;
        Ok(Some(self.l.edge(to)))
    }

    /// Reads a pad of a funclet.
    pub(super) fn pad(&mut self, catch: bool, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let parent = self.token(&mut fields)?;
        let count = fields.next()?;
        let mut args = Vec::new();
        for _ in 0..count {
            let (id, ty) = self.typed_id(&mut fields)?;
            args.push(Argument::Value(self.scalar(id, ty)?, Vec::new()));
        }
        let args = &args[..];
        self.l.op(if catch { Op::CatchPad { parent, args } } else { Op::CleanupPad { parent, args } })
    }

    pub(super) fn catch_ret(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let pad = self.token(&mut fields)?;
        let to = self.label(fields.next()?)?;
        let to = self.l.edge(to);
        self.l.op(Op::CatchRet { pad, to })
    }

    pub(super) fn cleanup_ret(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let pad = self.token(&mut fields)?;
        let unwind = self.unwind_target(fields.rest())?;
        self.l.op(Op::CleanupRet { pad, unwind })
    }
}
