//! Reads phis, which become block parameters; the edges get their arguments when the whole body has been read.

use gusset_codegen::ir::Block;
use gusset_program::{ENTRY, Incoming, Phi, PhiEntry, PhiReader, Phis, Refusal, Sink, TypeId, Val};

use super::reader::Reader;
use super::tables::{LocalRef, State};
use crate::lexer::{Cursor, Tokens};
use gusset_text::{Placed, ReadError, Result};

impl<'r, E: Sink> Reader<'r, E> {
    /// Reads a phi, after its keyword.
    pub(super) fn phi(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        self.flags(false);
        let ty = self.ty()?;
        self.l.check_aggregate(ty).at(self.c.src, pos)?;
        self.c.refuse_if(self.after_phis, pos, "a phi stands after other instructions")?;
        let first = self.s.phis.entries.len();
        let mut home = ENTRY;
        // A block that nothing enters has values of none.
        while self.c.peek() == b'[' {
            home = ENTRY;
            self.c.expect(b'[')?;
            let pos = self.c.pos;
            let val = if self.c.peek() == b'%' {
                let r = self.local_ref()?;
                let l = *self.local(r);
                match l.state {
                    State::Defined if l.ty == ty => {
                        home = l.block;
                        Incoming::Known(l.val)
                    }
                    State::Defined | State::Block => return Err(self.wrong_type(r, ty, pos)),
                    _ => Incoming::Local(r),
                }
            } else {
                self.incoming_constant(ty)?
            };
            self.c.expect(b',')?;
            let from = self.block_ref()?;
            self.c.expect_bracket(b']')?;
            if home != from && home != ENTRY {
                self.s.locals.uses.far_pair(home, from);
            }
            self.s.phis.entries.push(PhiEntry { from, val, pos: pos as u32 });
            let mut next = self.c;
            if !next.eat(b',') || next.peek() != b'[' {
                break;
            }
            self.c = next;
        }
        if !E::PRESERVES_METADATA
            && self.s.phis.entries.len() == first + 1
            && let Some(PhiEntry { from, val, pos }) = self.s.phis.entries.pop()
        {
            // The block has one predecessor: constants can be made there.
            let pos = pos as usize;
            self.s.phis.single.push((self.block, from, pos));
            if home != self.block && home != ENTRY {
                self.s.locals.uses.far_pair(home, self.block);
            }
            let val = match val {
                Incoming::Known(val) => val,
                Incoming::Local(r) => self.use_local(r, ty, pos)?,
                Incoming::Expression => {
                    let here = std::mem::replace(&mut self.c.pos, pos);
                    let val = self.value(ty)?;
                    self.c.pos = here;
                    val
                }
            };
            return Ok((ty, val));
        }
        let block = self.block;
        let (param, val) = self.l.append_param(block, ty);
        let entries = first as u32..self.s.phis.entries.len() as u32;
        self.s.phis.phis.push(Phi { block, param, ty, entries, pos: pos as u32 });
        Ok((ty, val))
    }

    /// Reads a constant, which may need instructions: these belong on the edge, which does not exist yet.
    fn incoming_constant(&mut self, ty: TypeId) -> Result<Incoming<LocalRef>> {
        let start = self.c.pos;
        self.l.set_frozen(true);
        let val = self.value(ty);
        let refused = self.l.set_frozen(false);
        match val {
            Ok(val) => Ok(Incoming::Known(val)),
            Err(_) if refused => {
                self.depth = 0;
                self.s.members.clear();
                self.s.indices.clear();
                self.c.pos = start;
                self.c.skip_constant()?;
                Ok(Incoming::Expression)
            }
            Err(e) => Err(e),
        }
    }
}

impl<E: Sink> PhiReader for Reader<'_, E> {
    type Local = LocalRef;
    type Sink = E;
    type Error = ReadError;

    fn phis(&mut self) -> &mut Phis<LocalRef> {
        &mut self.s.phis
    }

    fn sink(&mut self) -> &mut E {
        &mut self.l
    }

    fn defined(&self, local: LocalRef) -> Option<(TypeId, Val, Block)> {
        self.s.locals.known(local).map(|l| (l.ty, l.val, l.block))
    }

    fn far_pair(&mut self, home: Block, user: Block) {
        self.s.locals.uses.far_pair(home, user);
    }

    fn expression(&mut self, place: u32, block: Block, ty: TypeId) -> Result<Val> {
        self.block = block;
        let end = std::mem::replace(&mut self.c.pos, place as usize);
        let val = self.value(ty);
        self.c.pos = end;
        val
    }

    /// Constants are spelled alike.
    fn same_constant(&self, place: u32, other: u32) -> bool {
        let source = self.c.src;
        let spelled = |place: usize| {
            let mut end = Cursor::new(source, place);
            end.skip_constant().ok().map(|()| &source[place..end.pos])
        };
        let (a, b) = (place as usize, other as usize);
        source[a] != b'%' && source[b] != b'%' && spelled(a) == spelled(b)
    }

    fn refused(&self, place: usize, why: Refusal) -> ReadError {
        self.c.error_at(place, why)
    }
}
