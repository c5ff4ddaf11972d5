//! Terminators.

use gusset_program::{BranchEdges, I1, Kind, Op, Sink, TypeId, VOID, Val};

use super::reader::Reader;
use gusset_text::{Placed, Result};

impl<'r, E: Sink> Reader<'r, E> {
    /// Reads a branch, after its keyword.
    pub(super) fn br(&mut self) -> Result<(TypeId, Val)> {
        if self.c.peek() == b'l' {
            let to = self.label()?;
            let e = self.l.edge(to);
            return self.l.op(Op::Jump(e)).at(self.c.src, self.c.pos);
        }
        let pos = self.c.pos;
        let (ty, condition) = self.typed_scalar()?;
        self.c.unexpected_if(ty != I1, pos, "`i1` or `label`")?;
        self.c.expect(b',')?;
        let then = self.label()?;
        self.c.expect(b',')?;
        let other = self.label()?;
        let (then, other) = (self.l.edge(then), self.l.edge(other));
        if self.m.branch_weights {
            self.branch_weights(BranchEdges { first: then, count: 2, default_is_last: false });
        }
        self.l.op(Op::Br { condition, then, other }).at(self.c.src, pos)
    }

    /// Reads a `switch`, after its keyword.
    pub(super) fn switch(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let (ty, val) = self.typed_scalar()?;
        self.c.refuse_if(self.l.types().get(ty).kind != Kind::Int, pos, "the value of a switch must be an integer")?;
        self.c.expect(b',')?;
        let default = self.label()?;
        self.c.expect(b'[')?;
        let mut cases = std::mem::take(&mut self.s.cases);
        cases.clear();
        while self.c.peek() != b']' {
            let at = self.c.pos;
            self.c.refuse_if(self.ty()? != ty, at, "the case has another type than the switch")?;
            let at = self.c.pos;
            // Numbers of more than 128 bits have only this form.
            let wide = matches!(self.c.peek(), b'0'..=b'9' | b'-' | b'u' | b's') && self.l.types().ir(ty).bits() > 128;
            let case = self.constant(ty)?;
            self.c.unexpected_if(!wide && self.l.known(case).number().is_none(), at, "an integer constant")?;
            self.c.expect(b',')?;
            let to = self.label()?;
            cases.push((case.value(), self.l.edge(to)));
        }
        self.c.expect(b']')?;
        let default = self.l.edge(default);
        if self.m.branch_weights {
            let first = cases.first().map_or(default, |case| case.1);
            self.branch_weights(BranchEdges { first, count: cases.len() + 1, default_is_last: true });
        }
        let done = self.l.op(Op::Switch { val, cases: &cases, default });
        self.s.cases = cases;
        done.at(self.c.src, pos)
    }

    /// Reads an `indirectbr`, after its keyword.
    pub(super) fn indirect_br(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let addr = self.pointer()?;
        self.c.expect(b',')?;
        self.c.expect(b'[')?;
        let mut edges = std::mem::take(&mut self.s.edges);
        edges.clear();
        let mut more = !self.c.eat(b']');
        while more {
            let to = self.label()?;
            edges.push(self.l.edge(to));
            more = self.c.more(b']')?;
        }
        let done = self.l.op(Op::IndirectBr { addr, edges: &edges });
        self.s.edges = edges;
        done.at(self.c.src, pos)
    }

    /// Reads a `ret`, after its keyword.
    pub(super) fn ret(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let ty = self.ty()?;
        let val = if ty == VOID { Val(0) } else { self.value(ty)? };
        self.l.op(Op::Ret { ty, val }).at(self.c.src, pos)
    }
}
