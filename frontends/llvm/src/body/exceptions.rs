//! Exceptions and assembly that jumps: `invoke`, `landingpad`, `resume`, `callbr`.

use gusset_codegen::ir::{TailKind, Type};
use gusset_lower::{Events, TypeId, Val};

use super::instructions::NOTHING;
use super::reader::Reader;
use gusset_text::{Placed, Result};

impl<E: Events> Reader<'_, E> {
    /// Reads an `invoke` behind its keyword.
    pub(super) fn invoke(&mut self) -> Result<(TypeId, Val)> {
        self.invoking = true;
        let result = self.call(TailKind::None);
        let throws = std::mem::take(&mut self.invoking);
        let result = result?;
        self.c.expect_word("to")?;
        let normal = self.label()?;
        self.c.expect_word("unwind")?;
        let unwind = self.label()?;
        let (n, u) = (self.l.edge(normal), self.l.edge(unwind));
        self.l.invoke(n, u, throws);
        Ok(result)
    }

    /// Reads a `landingpad` behind its keyword.
    pub(super) fn landing_pad(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let ty = self.ty()?;
        let cleanup = self.c.eat_word(b"cleanup");
        let pad = self.l.begin_pad(ty, cleanup).at(self.c.src, pos)?;
        loop {
            if self.c.eat_word(b"catch") {
                let at = self.c.pos;
                let v = self.pointer()?;
                self.l.catch_clause(v).at(self.c.src, at)?;
            } else if self.c.eat_word(b"filter") {
                let at = self.c.pos;
                let array = self.ty()?;
                self.c.unexpected_if(self.l.types().ir(array) != Type::VOID, at, "an array")?;
                self.l.check_aggregate(array).at(self.c.src, at)?;
                let val = self.constant(array)?;
                self.l.filter_clause(array, val).at(self.c.src, at)?;
            } else {
                return Ok((ty, self.l.landing_pad(pad)));
            }
        }
    }

    /// Reads a `resume` behind its keyword.
    pub(super) fn resume(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let ty = self.ty()?;
        let val = self.value(ty)?;
        self.l.resume(ty, val).at(self.c.src, pos)?;
        Ok(NOTHING)
    }

    /// Reads the personality routine behind the keyword in a function's header.
    pub(super) fn personality(&mut self) -> Result<()> {
        let pos = self.c.pos;
        let v = self.pointer()?;
        self.l.personality(v).at(self.c.src, pos)
    }

    /// Reads a `callbr` behind its keyword.
    pub(super) fn callbr(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        self.labels = Some(0);
        let result = self.call(TailKind::None);
        let labels = self.labels.take();
        let result = result?;
        self.c.expect_word("to")?;
        let normal = self.label()?;
        self.c.expect(b'[')?;
        let mut blocks = Vec::new();
        let mut more = !self.c.eat(b']');
        while more {
            blocks.push(self.label()?);
            more = self.c.more(b']')?;
        }
        self.c.refuse_if(labels != Some(blocks.len()), pos, "the labels of a `callbr` do not match its constraints")?;
        self.l.end_callbr(normal, &blocks);
        Ok(result)
    }
}
