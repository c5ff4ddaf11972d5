//! Locals: the names of values and blocks in a body, and values used before their definition.

use gusset_codegen::ir::Block;
use gusset_program::{ENTRY, Sink, TypeId, Val};
use gusset_text::{Placed, ReadError, Result};

use super::reader::Reader;
use super::tables::{Local, LocalRef, NAMED, NO_BLOCK, State, UNSEEN};
use crate::lexer::{Cursor, Name, Tokens};
use crate::writer::type_text;

impl<'r, E: Sink> Reader<'r, E> {
    /// Reads a local's name; the cursor is at `%`.
    #[inline(always)]
    pub(super) fn local_ref(&mut self) -> Result<LocalRef> {
        self.c.pos += 1;
        if let Some(n) = self.c.short_number()
            && n <= self.limit
        {
            self.c.ws_after_token();
            return Ok(LocalRef(n));
        }
        self.long_local_ref()
    }

    #[cold]
    fn long_local_ref(&mut self) -> Result<LocalRef> {
        let digits = self.c.src[..self.c.pos].iter().rev().take_while(|b| b.is_ascii_digit()).count();
        self.c.pos -= digits;
        if self.c.peek().is_ascii_digit() {
            return self.long_number();
        }
        let name = self.c.name()?;
        Ok(self.name_ref(name))
    }

    /// Reads the number of a local or of a label.
    #[cold]
    pub(super) fn long_number(&mut self) -> Result<LocalRef> {
        let pos = self.c.pos;
        let digits = self.c.src[pos..].iter().take_while(|b| b.is_ascii_digit()).count();
        let number = std::str::from_utf8(&self.c.src[pos..pos + digits]).ok().and_then(|n| n.parse().ok());
        let number = number.filter(|&n| n <= self.limit && n < NAMED);
        self.c.bump(digits);
        number.map(LocalRef).ok_or_else(|| self.c.error_at(pos, "the number is larger than the function has locals"))
    }

    pub(super) fn name_ref(&mut self, name: Name) -> LocalRef {
        match name {
            Name::Number(n) => LocalRef(n.min(NAMED - 1)),
            Name::Text(t) => LocalRef(self.s.locals.names.intern(t) | NAMED),
            Name::Escaped(_) => LocalRef(self.s.locals.names.intern(&name.bytes()) | NAMED),
        }
    }

    #[inline(always)]
    pub(super) fn local(&mut self, r: LocalRef) -> &mut Local {
        let (table, i) = if r.0 & NAMED != 0 {
            (&mut self.s.locals.named, (r.0 & !NAMED) as usize)
        } else {
            (&mut self.s.locals.numbered, r.0 as usize)
        };
        if i >= table.len() {
            table.resize(i + 1, UNSEEN);
        }
        &mut table[i]
    }

    pub(super) fn local_name(&self, r: LocalRef) -> String {
        if r.0 & NAMED == 0 {
            return format!("%{}", r.0);
        }
        format!("%{}", String::from_utf8_lossy(self.s.locals.names.text(r.0 & !NAMED)))
    }

    /// A use of a local with type `ty`.
    #[inline(always)]
    pub(super) fn use_local(&mut self, r: LocalRef, ty: TypeId, pos: usize) -> Result<Val> {
        let l = *self.local(r);
        if l.block != self.block && l.block != ENTRY {
            self.far_use(r, l.block);
        }
        if l.state == State::Defined && l.ty == ty {
            return Ok(l.val);
        }
        match l.state {
            State::Forward if l.ty == ty => Ok(l.val),
            State::Unseen => self.forward(r, ty, pos),
            _ => Err(self.wrong_type(r, ty, pos)),
        }
    }

    /// Records a use of something that another block defines, or that is not defined yet.
    #[inline]
    fn far_use(&mut self, r: LocalRef, home: Block) {
        if home == NO_BLOCK {
            self.s.locals.uses.early.push((r, self.block));
        } else {
            self.s.locals.uses.far_pair(home, self.block);
        }
    }

    /// At the end of the body: checks that all locals are defined, and records the users of those that were used first.
    pub(super) fn check_locals(&mut self) -> Result<()> {
        for i in 0..self.s.locals.forward.len() {
            let (r, pos) = self.s.locals.forward[i];
            if self.local(r).state != State::Defined {
                let name = self.local_name(r);
                return Err(self.c.error_at(pos, format!("`{name}` is not defined")));
            }
        }
        if let Some((r, pos)) = self.s.locals.uses.reachable_own_value(&self.l) {
            let name = self.local_name(r);
            return Err(self.c.error_at(pos, format!("`{name}` is used where its definition does not reach")));
        }
        let mut uses = std::mem::take(&mut self.s.locals.uses);
        self.far |= uses.meet_early(|r| self.local(r).block);
        self.s.locals.uses = uses;
        Ok(())
    }

    /// The error that a name is used with type `ty`, which it does not have.
    #[cold]
    pub(super) fn wrong_type(&mut self, r: LocalRef, ty: TypeId, pos: usize) -> ReadError {
        let (name, local) = (self.local_name(r), *self.local(r));
        if local.state == State::Block {
            return self.c.error_at(pos, format!("`{name}` is a block, not a value"));
        }
        let place = definition_in_text(&self.c, &name, pos);
        self.other_type((&name, pos), (local.ty, ty), place)
    }

    fn other_type(&self, (name, pos): (&str, usize), (is, wanted): (TypeId, TypeId), at: Option<usize>) -> ReadError {
        let [is, wanted] = [is, wanted].map(|ty| type_text(self.l.types(), ty));
        let place =
            at.map_or(String::new(), |at| format!(", defined at {}", gusset_text::Source::new(self.c.src).place(at)));
        let message = format!("`{name}` is a value of another type: of `{is}`, not `{wanted}`{place}");
        self.c.error_at(pos, message)
    }

    /// Makes a stand-in for a local that is defined later.
    #[cold]
    fn forward(&mut self, r: LocalRef, ty: TypeId, pos: usize) -> Result<Val> {
        let val = self.l.make_pending(ty).at(self.c.src, pos)?;
        *self.local(r) = Local { ty, val, block: NO_BLOCK, state: State::Forward };
        self.s.locals.forward.push((r, pos));
        Ok(val)
    }

    /// Sets a local's value; without a name it gets the next number.
    #[inline(always)]
    pub(super) fn define(&mut self, r: Option<LocalRef>, ty: TypeId, val: Val, pos: usize) -> Result<()> {
        let r = r.unwrap_or(LocalRef(self.next));
        self.take_number(r, pos)?;
        let new = Local { ty, val, block: self.block, state: State::Defined };
        let old = std::mem::replace(self.local(r), new);
        self.emit_value_name(r, val);
        if old.state == State::Unseen { Ok(()) } else { self.meet(r, old, ty, val, pos) }
    }

    /// Checks that an unnamed definition has the next number, or a larger one.
    #[inline(always)]
    pub(super) fn take_number(&mut self, r: LocalRef, pos: usize) -> Result<()> {
        if r.0 & NAMED == 0 {
            self.once(r.0 >= self.next, r, pos)?;
            self.next = r.0 + 1;
        }
        Ok(())
    }

    /// Checks that a name is not defined twice.
    #[inline(always)]
    pub(super) fn once(&mut self, first: bool, r: LocalRef, pos: usize) -> Result<()> {
        if first { Ok(()) } else { Err(self.defined_twice(r, pos)) }
    }

    #[cold]
    fn defined_twice(&mut self, r: LocalRef, pos: usize) -> ReadError {
        let name = self.local_name(r);
        self.c.error_at(pos, format!("`{name}` is defined twice, or its number is out of order"))
    }

    /// A stand-in meets its definition.
    #[cold]
    fn meet(&mut self, r: LocalRef, old: Local, ty: TypeId, val: Val, pos: usize) -> Result<()> {
        self.once(old.state == State::Forward, r, pos)?;
        if old.ty != ty {
            let name = self.local_name(r);
            let at = self.s.locals.forward.iter().find(|f| f.0 == r).map_or(pos, |f| f.1);
            let place = definition_in_text(&self.c, &name, pos).unwrap_or(pos);
            return Err(self.other_type((&name, at), (ty, old.ty), Some(place)));
        }
        if old.val == val {
            self.s.locals.uses.own_values.push((r, self.block, pos));
        }
        self.l.alias(ty, old.val, val);
        Ok(())
    }
}

/// The position of a name's definition in the function around `pos`: it begins a line, or is in the header. The
/// text is searched again, because only messages need this.
fn definition_in_text(c: &Cursor<'_>, name: &str, pos: usize) -> Option<usize> {
    let src = c.src;
    let start = memchr::memmem::rfind(&src[..pos], b"\ndefine").map_or(0, |at| at + 1);
    let end = memchr::memmem::find(&src[pos..], b"\n}").map_or(src.len(), |at| pos + at);
    let header = memchr::memchr(b'\n', &src[start..end]).map_or(end, |at| start + at);
    let quoted = format!("%\"{}\"", &name[1..]);
    [name, &quoted].iter().find_map(|spelled| {
        memchr::memmem::find_iter(&src[start..end], spelled.as_bytes()).map(|at| start + at).find(|&at| {
            let next = src.get(at + spelled.len()).copied().unwrap_or(b' ');
            let whole = !(next.is_ascii_alphanumeric() || matches!(next, b'-' | b'$' | b'.' | b'_'));
            let line = memchr::memrchr(b'\n', &src[..at]).map_or(0, |line| line + 1);
            whole && (at < header || src[line..at].trim_ascii().is_empty())
        })
    })
}
