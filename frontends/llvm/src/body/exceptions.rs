//! Exceptions: `landingpad`, `resume`, those by Windows' own tables.

use gusset_codegen::ir::{Edge, Type};
use gusset_program::{Clause, Op, Sink, TOKEN, TypeId, Val};

use super::reader::Reader;
use crate::words as w;
use gusset_text::{Placed, Result};

impl<E: Sink> Reader<'_, E> {
    /// Reads a `landingpad`, after its keyword.
    pub(super) fn landing_pad(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let ty = self.ty()?;
        let cleanup = self.c.eat_word(b"cleanup");
        let mut clauses = Vec::new();
        loop {
            if self.c.eat_word(b"catch") {
                clauses.push(Clause::Catch(self.pointer()?));
            } else if self.c.eat_word(b"filter") {
                let at = self.c.pos;
                let array = self.ty()?;
                self.c.unexpected_if(self.l.types().ir(array) != Type::VOID, at, "an array")?;
                self.l.check_aggregate(array).at(self.c.src, at)?;
                clauses.push(Clause::Filter(array, self.constant(array)?));
            } else {
                return self.l.op(Op::LandingPad { ty, cleanup, clauses: &clauses }).at(self.c.src, pos);
            }
        }
    }

    /// Reads a `resume`, after its keyword.
    pub(super) fn resume(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let ty = self.ty()?;
        let val = self.value(ty)?;
        self.l.op(Op::Resume { ty, val }).at(self.c.src, pos)
    }

    /// Reads the personality routine, after the keyword in a function's header.
    pub(super) fn personality(&mut self) -> Result<()> {
        let pos = self.c.pos;
        let v = self.pointer()?;
        self.l.personality(v).at(self.c.src, pos)
    }

    // Exceptions by Windows' own tables.

    /// Reads one of these instructions, after its keyword.
    pub(super) fn funclet(&mut self, key: u128, pos: usize) -> Result<(TypeId, Val)> {
        let done = match key {
            w::CATCHSWITCH => {
                self.c.expect_word("within")?;
                let parent = self.value(TOKEN)?;
                self.c.expect(b'[')?;
                let mut handlers = Vec::new();
                let mut more = !self.c.eat(b']');
                while more {
                    let to = self.label()?;
                    handlers.push(self.l.edge(to));
                    more = self.c.more(b']')?;
                }
                let unwind = self.unwind_target()?;
                self.l.op(Op::CatchSwitch { parent, handlers: &handlers, unwind })
            }
            w::CATCHPAD | w::CLEANUPPAD => {
                self.c.expect_word("within")?;
                let parent = self.value(TOKEN)?;
                self.c.expect(b'[')?;
                let args = &self.operands_until(b']')?;
                self.l.op(match key {
                    w::CATCHPAD => Op::CatchPad { parent, args },
                    _ => Op::CleanupPad { parent, args },
                })
            }
            w::CATCHRET => {
                self.c.expect_word("from")?;
                let pad = self.value(TOKEN)?;
                self.c.expect_word("to")?;
                let to = self.label()?;
                let to = self.l.edge(to);
                self.l.op(Op::CatchRet { pad, to })
            }
            _ => {
                self.c.expect_word("from")?;
                let pad = self.value(TOKEN)?;
                let unwind = self.unwind_target()?;
                self.l.op(Op::CleanupRet { pad, unwind })
            }
        };
        done.at(self.c.src, pos)
    }

    /// Reads the operand of a bundle `funclet` after its name; returns its pad.
    pub(super) fn within(&mut self) -> Result<Val> {
        self.c.expect(b'(')?;
        let token = self.pad_token()?;
        self.c.expect(b')')?;
        Ok(token)
    }

    /// Reads `token %pad`.
    pub(super) fn pad_token(&mut self) -> Result<Val> {
        let at = self.c.pos;
        let ty = self.ty()?;
        self.c.unexpected_if(ty != TOKEN, at, "a token")?;
        self.value(TOKEN)
    }

    /// Reads where an exception unwinds to; none for the caller.
    fn unwind_target(&mut self) -> Result<Option<Edge>> {
        self.c.expect_word("unwind")?;
        if self.c.eat_word(b"to") {
            self.c.expect_word("caller")?;
            return Ok(None);
        }
        let to = self.label()?;
        Ok(Some(self.l.edge(to)))
    }
}
