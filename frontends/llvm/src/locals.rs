//! Locals: the names of values and blocks in a body, and values used before their definition.

use gusset_codegen::ir::{Block, Type, Value};

use crate::body::{Reader, Val};
use crate::error::{ReadError, Result};
use crate::lexer::Name;
use crate::types::{Leaf, MAX_SCALARS, TypeId, VOID};

/// A local name: the number of `%12`, or the number of the name `%x` with [`NAMED`] set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct LocalRef(pub u32);

pub(crate) const NAMED: u32 = 1 << 31;

/// What is known of a local.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Unseen,
    /// Used before its definition: a stand-in exists.
    Forward,
    Defined,
    Block,
}

#[derive(Clone, Copy)]
pub(crate) struct Local {
    pub ty: TypeId,
    pub val: Val,
    /// The block that defines it; `NO_BLOCK` if none has.
    pub block: Block,
    pub state: State,
}

const NO_BLOCK: Block = Block(u32::MAX);
const UNSEEN: Local = Local { ty: VOID, val: 0, block: NO_BLOCK, state: State::Unseen };

impl<'r> Reader<'r> {
    /// Reads a local's name; the cursor stands on `%`.
    #[inline(always)]
    pub fn local_ref(&mut self) -> Result<LocalRef> {
        self.c.pos += 1;
        if let Some(n) = self.c.short_number()
            && n <= self.limit
        {
            self.c.ws_behind_number();
            return Ok(LocalRef(n));
        }
        self.long_local_ref()
    }

    #[cold]
    fn long_local_ref(&mut self) -> Result<LocalRef> {
        let digits = self.c.src[..self.c.pos].iter().rev().take_while(|b| b.is_ascii_digit()).count();
        self.c.pos -= digits;
        let first = self.c.peek().wrapping_sub(b'0');
        if first <= 9 {
            let start = self.c.pos;
            let mut n = first as u32;
            self.c.pos += 1;
            loop {
                let d = self.c.peek().wrapping_sub(b'0');
                if d > 9 {
                    break;
                }
                n = n.saturating_mul(10).saturating_add(d as u32);
                self.c.pos += 1;
            }
            if n > self.limit || n >= NAMED {
                return Err(ReadError::new(self.c.src, start, "the number is larger than the function has locals"));
            }
            self.c.ws();
            return Ok(LocalRef(n));
        }
        let name = self.c.name()?;
        Ok(self.name_ref(name))
    }

    pub fn name_ref(&mut self, name: Name) -> LocalRef {
        match name {
            Name::Number(n) => LocalRef(n.min(NAMED - 1)),
            Name::Text(t) => LocalRef(self.s.names.intern(t) | NAMED),
            Name::Escaped(_) => LocalRef(self.s.names.intern(&name.bytes()) | NAMED),
        }
    }

    #[inline(always)]
    pub fn local(&mut self, r: LocalRef) -> &mut Local {
        let (table, i) = if r.0 & NAMED != 0 {
            (&mut self.s.named, (r.0 & !NAMED) as usize)
        } else {
            (&mut self.s.numbered, r.0 as usize)
        };
        if i >= table.len() {
            table.resize(i + 1, UNSEEN);
        }
        &mut table[i]
    }

    pub fn local_name(&self, r: LocalRef) -> String {
        if r.0 & NAMED == 0 {
            return format!("%{}", r.0);
        }
        format!("%{}", String::from_utf8_lossy(self.s.names.text(r.0 & !NAMED)))
    }

    /// A use of a local as a `ty`.
    #[inline(always)]
    pub fn use_local(&mut self, r: LocalRef, ty: TypeId, pos: usize) -> Result<Val> {
        let l = *self.local(r);
        if l.block != self.block && l.block != self.entry {
            self.far_use(r, l.block);
        }
        if l.state == State::Defined && l.ty == ty {
            return Ok(l.val);
        }
        match l.state {
            State::Forward if l.ty == ty => Ok(l.val),
            State::Unseen => self.forward(r, ty, pos),
            _ => Err(self.wrong_type(r, pos)),
        }
    }

    /// A use of what another block defines, or none yet.
    #[inline]
    fn far_use(&mut self, r: LocalRef, home: Block) {
        if home == NO_BLOCK {
            self.s.early_uses.push((r, self.block));
        } else {
            self.s.far_pair(home, self.block);
        }
    }

    /// Notes who uses what, where the use came first; all are defined now.
    pub fn settle_early_uses(&mut self) {
        for k in 0..self.s.early_uses.len() {
            let (r, user) = self.s.early_uses[k];
            let home = self.local(r).block;
            self.far |= home == user;
            if home != user && home != self.entry {
                self.s.far_pair(home, user);
            }
        }
    }

    #[cold]
    pub fn wrong_type(&mut self, r: LocalRef, pos: usize) -> ReadError {
        let name = self.local_name(r);
        let what = match self.local(r).state {
            State::Block => "is a block, not a value",
            _ => "is a value of another type",
        };
        ReadError::new(self.c.src, pos, format!("`{name}` {what}"))
    }

    /// A stand-in for a local that is defined later.
    #[cold]
    fn forward(&mut self, r: LocalRef, ty: TypeId, pos: usize) -> Result<Val> {
        let ir = self.types.ir(ty);
        let val = if ir != Type::VOID {
            self.b.func.make_pending(ir).0
        } else {
            self.check_aggregate(ty, pos)?;
            self.each_leaf(ty, |r, leaf| r.b.func.make_pending(leaf.ir))
        };
        *self.local(r) = Local { ty, val, block: NO_BLOCK, state: State::Forward };
        self.s.forward.push((r, pos));
        Ok(val)
    }

    /// Makes one value for every scalar of an aggregate type.
    pub fn each_leaf(&mut self, ty: TypeId, mut f: impl FnMut(&mut Self, Leaf) -> Value) -> Val {
        let mut leaves = std::mem::take(&mut self.s.leaves);
        leaves.clear();
        self.types.flatten(ty, 0, &mut leaves);
        let start = self.s.aggregates.len();
        self.s.aggregates.resize(start + leaves.len(), Value(0));
        for (i, leaf) in leaves.iter().enumerate() {
            self.s.aggregates[start + i] = f(self, *leaf);
        }
        self.s.leaves = leaves;
        start as Val
    }

    /// An error unless `ty` is a first-class aggregate of bounded size.
    pub fn check_aggregate(&self, ty: TypeId, pos: usize) -> Result<()> {
        if !self.types.is_sized(ty) {
            return Err(ReadError::new(self.c.src, pos, "a value of this type is not possible here"));
        }
        if self.types.get(ty).scalars > MAX_SCALARS {
            let m = format!("values of more than {MAX_SCALARS} scalars are not supported");
            return Err(ReadError::new(self.c.src, pos, m));
        }
        Ok(())
    }

    /// Number of scalars of a type.
    pub fn scalars(&self, ty: TypeId) -> usize {
        self.types.get(ty).scalars as usize
    }

    /// Scalar `i` of a value.
    #[inline]
    pub fn part(&self, ty: TypeId, val: Val, i: usize) -> Value {
        if self.types.ir(ty) != Type::VOID { Value(val) } else { self.s.aggregates[val as usize + i] }
    }

    /// Gives a local its value; without a name it gets the next number.
    #[inline(always)]
    pub fn define(&mut self, r: Option<LocalRef>, ty: TypeId, val: Val, pos: usize) -> Result<()> {
        let r = match r {
            Some(r) if r.0 & NAMED != 0 => r,
            Some(r) => {
                if r.0 < self.next {
                    return Err(self.defined_twice(r, pos));
                }
                self.next = r.0 + 1;
                r
            }
            None => {
                self.next += 1;
                LocalRef(self.next - 1)
            }
        };
        let old = *self.local(r);
        if old.state != State::Unseen {
            self.meet(r, old, ty, val, pos)?;
        }
        *self.local(r) = Local { ty, val, block: self.block, state: State::Defined };
        Ok(())
    }

    #[cold]
    pub fn defined_twice(&mut self, r: LocalRef, pos: usize) -> ReadError {
        let name = self.local_name(r);
        ReadError::new(self.c.src, pos, format!("`{name}` is defined twice, or its number is out of order"))
    }

    /// A stand-in meets its definition.
    #[cold]
    fn meet(&mut self, r: LocalRef, old: Local, ty: TypeId, val: Val, pos: usize) -> Result<()> {
        if old.state != State::Forward {
            return Err(self.defined_twice(r, pos));
        }
        if old.ty != ty {
            let name = self.local_name(r);
            let at = self.s.forward.iter().find(|f| f.0 == r).map_or(pos, |f| f.1);
            return Err(ReadError::new(self.c.src, at, format!("`{name}` is a value of another type")));
        }
        for i in 0..self.scalars(ty) {
            let (stand_in, value) = (self.part(ty, old.val, i), self.part(ty, val, i));
            // Phis that feed only each other, in unreachable code, leave the stand-in itself: any value.
            let value = if self.b.func.resolve(value) == stand_in {
                let ir = self.b.func.value_type(stand_in);
                self.b.poison(ir)
            } else {
                value
            };
            self.b.func.alias(stand_in, value);
            self.aliased = true;
        }
        Ok(())
    }
}

impl crate::body::Scratch {
    /// A local, if it is defined.
    pub fn known(&self, r: LocalRef) -> Option<Local> {
        let table = if r.0 & NAMED != 0 { &self.named } else { &self.numbered };
        table.get((r.0 & !NAMED) as usize).copied().filter(|l| l.state == State::Defined)
    }

    /// Notes that `user` uses what `home` defines.
    #[inline]
    pub fn far_pair(&mut self, home: Block, user: Block) {
        if self.far_uses.last() != Some(&(home, user)) {
            self.far_uses.push((home, user));
        }
    }
}
