//! Reads memory instructions: allocation, access, address arithmetic, atomics.

use gusset_codegen::ir::{Ordering, RmwOp};
use gusset_lower::check_fence;
use gusset_program::{
    Atomic, Flags, I32, Kind, Op, PTR, Refusal, Result, Sink, TypeId, TypeTable, Val, refusals, refuse_if,
};

use super::Reader;
use super::fields::Fields;
use super::flags;
use crate::module::records::align;

impl<E: Sink> Reader<'_, E> {
    /// Reads an `alloca`.
    pub(super) fn alloca(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (of, counted) = (fields.next()?, fields.next()?);
        let (count, flags) = (fields.next()?, fields.next()?);
        // Bits of the alignment, whether it is in a block of arguments, whether the type is the allocated one, whether it is an error's.
        let (in_block, explicit, error) = (flags >> 5 & 1 == 1, flags >> 6 & 1 == 1, flags >> 7 & 1 == 1);
        // Before LLVM 3.7 it was the type of the address.
        let of = if explicit { of } else { self.m.table.pointed(of)?.0 };
        let of = self.m.table.get(of)?;
        refuse_if(!self.is_sized(of), "the type has no size")?;
        let stated = self.access_align((flags & 31) | (flags >> 8 & 7) << 5)?;
        let preferred = |types: &TypeTable| if E::PRESERVES_METADATA { 0 } else { types.preferred_align(of) };
        let align = stated.unwrap_or_else(|| preferred(self.l.types()));
        let mut ty = self.m.stack;
        if !fields.is_empty() {
            let space = u32::try_from(fields.next()?).unwrap_or(u32::MAX);
            let space = self.l.types_mut().pointer_into(space)?;
            refuse_if(space != PTR && !E::PRESERVES_METADATA, "there is no stack relative to this segment register")?;
            ty = space;
        }
        let counted = self.m.table.get(counted)?;
        let count = u32::try_from(count).map_err(|_| Refusal::new("the number of a value is too large"))?;
        let one = counted == I32 && self.constant_of(count).is_some_and(|(_, constant)| constant.is(1));
        let count = match one {
            true => None,
            false => {
                let val = self.scalar(count, counted)?;
                let integer = self.l.types().get(counted).kind == Kind::Int;
                refuse_if(!integer, "the number of elements must be an integer")?;
                Some(val)
            }
        };
        let fits = !error || count.is_none() && self.l.types().get(of).kind == Kind::Ptr;
        refuse_if(!fits, "a `swifterror` variable is one pointer")?;
        if E::PRESERVES_METADATA && error {
            self.l.flags(Flags::SWIFTERROR);
        }
        self.l.op(Op::Alloca { ty, of, count, align, in_block })
    }

    /// Whether values of a type may be in memory. Translation accepts types that are not known here.
    #[inline]
    fn is_sized(&self, ty: TypeId) -> bool {
        E::PRESERVES_METADATA || self.l.types().is_sized(ty)
    }

    /// The alignment of an access from a field; that of the type without one.
    #[inline(always)]
    fn own_align(&self, field: u64, ty: TypeId) -> Result<u32> {
        match field {
            1..=31 => Ok(1 << (field - 1)),
            0 if E::PRESERVES_METADATA => Ok(0),
            0 => Ok(self.l.types().get(ty).align),
            _ => Ok(self.access_align(field)?.unwrap_or(1)),
        }
    }

    /// Reads a `load`.
    #[inline]
    pub(super) fn load(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (of, addr) = self.typed_value(&mut fields)?;
        let (addr, space) = self.as_address(of, addr)?;
        let [ty, align, volatile] = *fields.rest() else {
            return self.old_instruction();
        };
        let ty = self.m.table.get(ty)?;
        let align = self.own_align(align, ty)?;
        self.l.op(Op::Load { ty, addr, align, volatile: volatile != 0, space })
    }

    /// Reads a `store`.
    #[inline]
    pub(super) fn store(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (pointer, of) = self.typed_id(&mut fields)?;
        let (id, ty) = self.typed_id(&mut fields)?;
        let (align, volatile) = (fields.next()?, fields.next()? != 0);
        let val = self.value(id, ty)?;
        let (addr, space) = self.spaced_pointer(pointer, of)?;
        let align = self.own_align(align, ty)?;
        self.l.op(Op::Store { ty, val, addr, align, volatile, space })
    }

    /// Reads a `getelementptr`.
    #[inline]
    pub(super) fn gep(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (flags, of) = (fields.next()?, fields.next()?);
        let of = self.m.table.get(of)?;
        refuse_if(!self.is_sized(of), "the type has no size")?;
        let base = self.typed_value(&mut fields)?;
        let pointer = base.0 == PTR || self.l.types().is_pointer_or_vector(base.0);
        refuse_if(!pointer, "expected `ptr` or a vector of it")?;
        let first = self.s.indices.len();
        while !fields.is_empty() {
            let index = self.typed_index(&mut fields)?;
            self.s.indices.push(index);
        }
        if E::PRESERVES_METADATA {
            self.l.flags(flags::address(flags));
        }
        let done = self.l.op(Op::GetElementPtr { of, base, indices: &self.s.indices[first..], in_range: None });
        self.s.indices.truncate(first);
        done
    }

    /// The alignment of an access, from a field. Code cannot have 4 GB.
    fn access_align(&self, field: u64) -> Result<Option<u32>> {
        let align = align(field).map_err(Refusal::new)?;
        let wide = E::PRESERVES_METADATA && align.is_some_and(|align| align > 1 << 31);
        refuse_if(wide, "an alignment of 4 GB is not translated")?;
        Ok(align.map(|align| align.min(1 << 31) as u32))
    }

    // Atomics.

    /// The scope with a number; none for the whole system.
    fn scope(&self, number: u64) -> Result<Option<Vec<u8>>> {
        // Files from before LLVM 5 do not name scopes.
        let known: &[u8] = match (usize::try_from(number).ok().and_then(|number| self.m.scopes.get(number)), number) {
            (Some(name), _) => name,
            (None, 0) => b"singlethread",
            (None, 1) => b"",
            _ => return Err(Refusal::new("the scope of an atomic access has no name")),
        };
        Ok(Some(known.to_vec()).filter(|name| !name.is_empty()))
    }

    /// Reads a `load` that is atomic.
    pub(super) fn atomic_load(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (pointer, of) = self.typed_id(&mut fields)?;
        if fields.rest().len() < 5 {
            return self.old_instruction();
        }
        let ty = self.m.table.get(fields.next()?)?;
        let (align, volatile) = (fields.next()?, fields.next()? != 0);
        let (ordering, scope) = (ordering(fields.next()?)?, self.scope(fields.next()?)?);
        let (addr, space) = self.spaced_pointer(pointer, of)?;
        let access = Atomic { ordering, align: self.access_align(align)?, volatile, space };
        self.l.op(Op::AtomicLoad { ty, addr, access, scope: scope.as_deref() })
    }

    /// Reads a `store` that is atomic.
    pub(super) fn atomic_store(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (pointer, of) = self.typed_id(&mut fields)?;
        let (id, ty) = self.typed_id(&mut fields)?;
        let (align, volatile) = (fields.next()?, fields.next()? != 0);
        let (ordering, scope) = (ordering(fields.next()?)?, self.scope(fields.next()?)?);
        let val = self.value(id, ty)?;
        let (addr, space) = self.spaced_pointer(pointer, of)?;
        let access = Atomic { ordering, align: self.access_align(align)?, volatile, space };
        self.l.op(Op::AtomicStore { ty, val, addr, access, scope: scope.as_deref() })
    }

    pub(super) fn fence(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (ordering, scope) = (ordering(fields.next()?)?, self.scope(fields.next()?)?);
        check_fence(ordering)?;
        self.l.op(Op::Fence { ordering, scope: scope.as_deref() })
    }

    /// Reads a `cmpxchg`, of whose result only the value counts if it is `alone`.
    pub(super) fn cmpxchg(&mut self, mut fields: Fields<'_>, alone: bool) -> Result<(TypeId, Val)> {
        let (pointer, of_pointer) = self.typed_id(&mut fields)?;
        let (expected, of) = self.typed_id(&mut fields)?;
        let new = self.id(&mut fields)?;
        let (volatile, success) = (fields.next()? != 0, ordering(fields.next()?)?);
        let scope = self.scope(fields.next()?)?;
        let (failure, weak) = (ordering(fields.next()?)?, fields.next()? != 0);
        let align = fields.next_or_zero();
        let (addr, space) = self.spaced_pointer(pointer, of_pointer)?;
        let expected = self.scalar(expected, of)?;
        let new = self.value(new, of)?;
        let access = Atomic { ordering: success, align: self.access_align(align)?, volatile, space };
        if E::PRESERVES_METADATA && weak {
            self.l.flags(Flags::WEAK);
        }
        let (pair, val) =
            self.l.op(Op::CmpXchg { of, addr, expected, new, access, failure, scope: scope.as_deref() })?;
        if alone { self.l.op(Op::ExtractValue { of: pair, val, path: &[0] }) } else { Ok((pair, val)) }
    }

    pub(super) fn atomicrmw(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (pointer, of) = self.typed_id(&mut fields)?;
        let (id, ty) = self.typed_id(&mut fields)?;
        let number = fields.next()?;
        let op = u8::try_from(number).ok().and_then(RmwOp::from_u8);
        let op = op.ok_or_else(|| Refusal::new(refusals::atomic_operation_of_number(number)))?;
        let (volatile, ordering) = (fields.next()? != 0, ordering(fields.next()?)?);
        let (scope, align) = (self.scope(fields.next()?)?, fields.next_or_zero());
        let (addr, space) = self.spaced_pointer(pointer, of)?;
        let val = self.scalar(id, ty)?;
        let access = Atomic { ordering, align: self.access_align(align)?, volatile, space };
        self.l.op(Op::AtomicRmw { op, ty, addr, val, access, scope: scope.as_deref() })
    }

    pub(super) fn va_arg(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let of = self.m.table.get(fields.next()?)?;
        let list = self.id(&mut fields)?;
        let ty = self.m.table.get(fields.next()?)?;
        let list = self.pointer(list, of)?;
        self.l.op(Op::VaArg { ty, list })
    }
}

/// The ordering with a number, of an atomic access.
fn ordering(number: u64) -> Result<Ordering> {
    let known = u8::try_from(number).ok().and_then(Ordering::from_u8);
    known.filter(|&o| o != Ordering::NotAtomic).ok_or_else(|| Refusal::new("expected a memory ordering"))
}
