//! Operands: numbers of values, relative to that of the next one, and the values that these are.

use gusset_codegen::ir::{Block, Value};
use gusset_program::{Cast, ENTRY, Kind, Known, Op, PTR, Refusal, Result, Sink, TypeId, TypeTable, Val, refuse_if};

use super::Reader;
use super::fields::Fields;
use super::tables::{Local, NO_BLOCK, State, UNSEEN};

impl<E: Sink> Reader<'_, E> {
    /// Reads the number of a value whose type is known.
    #[inline(always)]
    pub(super) fn id(&self, fields: &mut Fields<'_>) -> Result<u32> {
        Ok(self.next.wrapping_sub(fields.next()? as u32))
    }

    /// Reads the number of a value, and its type if it is defined later.
    #[inline(always)]
    pub(super) fn typed_id(&self, fields: &mut Fields<'_>) -> Result<(u32, TypeId)> {
        let id = self.id(fields)?;
        let at = id.wrapping_sub(self.base) as usize;
        match self.s.locals.get(at) {
            Some(local) if id < self.next => Ok((id, local.ty)),
            _ if id < self.next => Ok((id, self.type_of(id)?)),
            _ => Ok((id, self.m.table.get(fields.next()?)?)),
        }
    }

    /// The type of a value that is defined.
    pub(crate) fn type_of(&self, id: u32) -> Result<TypeId> {
        let m = self.m;
        if let Some(global) = m.globals.get(id as usize) {
            return Ok(global.pointer);
        }
        if let Some(constant) = m.constants.list.get(id as usize - m.globals.len()) {
            return Ok(constant.ty);
        }
        match self.s.locals.get(id.wrapping_sub(self.base) as usize) {
            Some(local) if local.state != State::Unseen => Ok(local.ty),
            _ => Err(Refusal::new(format!("there is no value with the number {id}"))),
        }
    }

    /// A value of a type by its number.
    #[inline(always)]
    pub(crate) fn value(&mut self, id: u32, ty: TypeId) -> Result<Val> {
        if let Some(local) = self.s.locals.get(id.wrapping_sub(self.base) as usize)
            && local.state == State::Defined
            && local.ty == ty
        {
            let (val, home) = (local.val, local.block);
            self.note_use(home);
            return Ok(val);
        }
        self.other_value(id, ty)
    }

    fn other_value(&mut self, id: u32, ty: TypeId) -> Result<Val> {
        if let Some((_, constant)) = self.constant_of(id) {
            refuse_if(id >= self.base && constant.ty != ty, "the operand has another type")?;
            return self.top_constant(id, constant, ty);
        }
        if id < self.base {
            return self.global(id, ty);
        }
        match self.s.locals.get((id - self.base) as usize).copied() {
            Some(local) if local.state == State::Forward => {
                refuse_if(local.ty != ty, "the operand has another type")?;
                self.s.uses.early.push((id, self.block));
                Ok(local.val)
            }
            Some(local) if local.state == State::Defined => Err(Refusal::new("the operand has another type")),
            _ => self.forward(id, ty),
        }
    }

    /// Makes a stand-in for a value that is defined later.
    #[cold]
    fn forward(&mut self, id: u32, ty: TypeId) -> Result<Val> {
        refuse_if(id < self.next || id - self.next > self.limit, "the operand is no value of this function")?;
        let at = (id - self.base) as usize;
        if self.s.locals.len() <= at {
            self.s.locals.resize(at + 1, UNSEEN);
        }
        let val = self.l.make_pending(ty)?;
        self.s.locals[at] = Local { ty, val, block: NO_BLOCK, state: State::Forward };
        self.s.forward.push((id, self.place));
        self.s.uses.early.push((id, self.block));
        Ok(val)
    }

    /// Reads an operand with its type.
    #[inline(always)]
    pub(super) fn typed_value(&mut self, fields: &mut Fields<'_>) -> Result<(TypeId, Val)> {
        let mut rest = *fields;
        let id = self.id(&mut rest)?;
        if let Some(&Local { ty, val, block, state: State::Defined }) =
            self.s.locals.get(id.wrapping_sub(self.base) as usize)
        {
            *fields = rest;
            self.note_use(block);
            return Ok((ty, val));
        }
        self.other_typed_value(fields)
    }

    fn other_typed_value(&mut self, fields: &mut Fields<'_>) -> Result<(TypeId, Val)> {
        let (id, ty) = self.typed_id(fields)?;
        Ok((ty, self.value(id, ty)?))
    }

    /// Notes that the current block uses what another defines.
    #[inline(always)]
    fn note_use(&mut self, home: Block) {
        if home != self.block && home != ENTRY {
            self.s.uses.far_pair(home, self.block);
        }
    }

    /// A value, which must be a scalar or vector.
    #[inline]
    pub(super) fn scalar(&mut self, id: u32, ty: TypeId) -> Result<Val> {
        self.l.types().check_scalar(ty)?;
        self.value(id, ty)
    }

    /// A pointer, with its address space.
    #[inline(always)]
    pub(super) fn spaced_pointer(&mut self, id: u32, ty: TypeId) -> Result<(Val, u8)> {
        let val = self.value(id, ty)?;
        self.as_address(ty, val)
    }

    /// A pointer as an address, with its address space.
    #[inline(always)]
    pub(super) fn as_address(&mut self, ty: TypeId, val: Val) -> Result<(Val, u8)> {
        match TypeTable::space(ty) {
            Some(space) => Ok((val, space)),
            None => self.other_address(ty, val),
        }
    }

    #[cold]
    fn other_address(&mut self, ty: TypeId, val: Val) -> Result<(Val, u8)> {
        if TypeTable::is_other_pointer(ty) {
            let cast = Op::Cast { cast: Cast::Addrspacecast, from: ty, val, ty: PTR };
            return Ok((self.l.op(cast)?.1, 0));
        }
        let pointer = E::PRESERVES_METADATA && self.l.types().get(ty).kind == Kind::Ptr;
        if pointer { Ok((val, 0)) } else { Err(Refusal::new("expected `ptr`")) }
    }

    /// A pointer into the default address space.
    pub(super) fn pointer(&mut self, id: u32, ty: TypeId) -> Result<Val> {
        let (val, space) = self.spaced_pointer(id, ty)?;
        refuse_if(space != 0, gusset_program::refusals::SEGMENT)?;
        Ok(val)
    }

    /// What is known about an integer constant of a type, as a value.
    pub(super) fn case(&mut self, id: u32, ty: TypeId) -> Result<Value> {
        let val = self.value(id, ty)?;
        let wide = self.l.types().ir(ty).bits() > 128;
        let number = matches!(self.l.known(val), Known::Number(_));
        refuse_if(!number && !wide, "expected an integer constant")?;
        Ok(val.value())
    }
}
