//! Reads instructions: the dispatch, arithmetic, conversions, comparisons, aggregates and vectors.

use gusset_program::{Kind, Op, Refusal, Result, Sink, TypeId, Val, refuse_if};

use super::Reader;
use super::constants::{condition, of_floats};
use super::fields::Fields;
use super::flags;
use crate::codes::{binary, cast, function as code};
use crate::old::Modern;

impl<E: Sink> Reader<'_, E> {
    /// Takes an instruction; its result has type `void` if there is none.
    #[inline(always)]
    pub(super) fn instruction(&mut self, number: u64, record: &[u64]) -> Result<(TypeId, Val)> {
        let fields = Fields::new(record);
        if number == code::PHI {
            return self.phi(fields);
        }
        // The most frequent instructions are tested first.
        match number {
            code::LOAD => {
                self.after_phis = true;
                self.load(fields)
            }
            code::STORE => {
                self.after_phis = true;
                self.store(fields)
            }
            code::BR => self.br(fields),
            code::CALL => {
                self.after_phis = true;
                self.call(fields)
            }
            code::GEP => {
                self.after_phis = true;
                self.gep(fields)
            }
            code::BINOP => {
                self.after_phis = true;
                self.binary(fields)
            }
            code::CMP2 | code::CMP => {
                self.after_phis = true;
                self.compare(fields)
            }
            code::CAST => {
                self.after_phis = true;
                self.conversion(fields)
            }
            _ => self.rare_instruction(number, fields),
        }
    }

    fn rare_instruction(&mut self, number: u64, fields: Fields<'_>) -> Result<(TypeId, Val)> {
        self.after_phis = true;
        match number {
            code::ALLOCA => self.alloca(fields),
            code::RET => self.ret(fields),
            code::SWITCH => self.switch(fields),
            code::INDIRECTBR => self.indirect_br(fields),
            code::UNREACHABLE => self.l.op(Op::Unreachable),
            code::VSELECT => self.select(fields),
            code::UNOP => self.unary(fields),
            code::FREEZE => self.freeze(fields),
            code::EXTRACTVAL => self.extract_value(fields),
            code::INSERTVAL => self.insert_value(fields),
            code::EXTRACTELT => self.extract_element(fields),
            code::INSERTELT => self.insert_element(fields),
            code::SHUFFLEVEC => self.shuffle_vector(fields),
            code::FENCE => self.fence(fields),
            code::LOADATOMIC => self.atomic_load(fields),
            code::STOREATOMIC => self.atomic_store(fields),
            code::CMPXCHG | code::CMPXCHG_VALUE => self.cmpxchg(fields, number == code::CMPXCHG_VALUE),
            code::ATOMICRMW => self.atomicrmw(fields),
            code::VAARG => self.va_arg(fields),
            code::INVOKE => self.invoke(fields),
            code::CALLBR => self.callbr(fields),
            code::LANDINGPAD => self.landing_pad(fields),
            code::RESUME => self.resume(fields),
            code::CATCHSWITCH => self.catch_switch(fields),
            code::CATCHPAD | code::CLEANUPPAD => self.pad(number == code::CATCHPAD, fields),
            code::CATCHRET => self.catch_ret(fields),
            code::CLEANUPRET => self.cleanup_ret(fields),
            _ => self.old_instruction(),
        }
    }

    /// Reads an instruction that lacks types by what later versions write in its place.
    #[cold]
    #[inline(never)]
    pub(super) fn old_instruction(&mut self) -> Result<(TypeId, Val)> {
        let modern = match self.s.modern.take() {
            Some(modern) => modern,
            None => {
                let ty = self.m.table.function(self.m.globals[self.head.1 as usize].ty.into())?;
                let read = Modern::of(&mut self.m.bits.another(), self.head.0, ty, self.m);
                read.map_err(|error| Refusal::new(error.message()))?
            }
        };
        let done = match modern.get(self.place) {
            Some((code::LOAD, fields)) => self.load(Fields::new(fields)),
            Some((code::STORE, fields)) => self.store(Fields::new(fields)),
            Some((code::GEP, fields)) => self.gep(Fields::new(fields)),
            Some((code::CALL, fields)) => self.call(Fields::new(fields)),
            Some((number, fields)) => self.rare_instruction(number, Fields::new(fields)),
            None => Err(Refusal::new("this instruction is not supported")),
        };
        self.s.modern = Some(modern);
        done
    }

    /// Reads a binary operator.
    #[inline(always)]
    fn binary(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (a, ty) = self.typed_id(&mut fields)?;
        let b = self.id(&mut fields)?;
        let number = fields.next()?;
        let a = self.value(a, ty)?;
        let b = self.value(b, ty)?;
        let float = of_floats(self.l.types(), ty);
        let op = binary(number, float).ok_or_else(|| Refusal::new("the operator is not known"))?;
        if E::PRESERVES_METADATA {
            self.l.flags(flags::binary(op, fields.next_or_zero()));
        }
        self.l.op(Op::Binary { op, ty, a, b })
    }

    fn unary(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (id, ty) = self.typed_id(&mut fields)?;
        refuse_if(fields.next()? != 0, "the operator is not known")?;
        let val = self.scalar(id, ty)?;
        if E::PRESERVES_METADATA {
            self.l.flags(flags::fast(fields.next_or_zero()));
        }
        self.l.op(Op::Fneg { ty, val })
    }

    fn freeze(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (ty, val) = self.typed_value(&mut fields)?;
        self.l.op(Op::Freeze { ty, val })
    }

    /// Reads a conversion.
    #[inline]
    fn conversion(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (from, val) = self.typed_value(&mut fields)?;
        let ty = self.m.table.get(fields.next()?)?;
        let cast = cast(fields.next()?).ok_or_else(|| Refusal::new("the conversion is not known"))?;
        if E::PRESERVES_METADATA {
            self.l.flags(flags::cast(cast, fields.next_or_zero()));
        }
        self.l.op(Op::Cast { cast, from, val, ty })
    }

    /// Reads a comparison.
    #[inline]
    fn compare(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (a, of) = self.typed_id(&mut fields)?;
        let b = self.id(&mut fields)?;
        let compare = condition(fields.next()?)?;
        let a = self.value(a, of)?;
        let b = self.value(b, of)?;
        if E::PRESERVES_METADATA {
            self.l.flags(flags::compare(compare, fields.next_or_zero()));
        }
        self.l.op(Op::Compare { compare, of, a, b })
    }

    fn select(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (a, ty) = self.typed_id(&mut fields)?;
        let b = self.id(&mut fields)?;
        let (condition, of) = self.typed_id(&mut fields)?;
        let condition = (of, self.scalar(condition, of)?);
        let a = self.value(a, ty)?;
        let b = self.value(b, ty)?;
        if E::PRESERVES_METADATA {
            self.l.flags(flags::fast(fields.next_or_zero()));
        }
        self.l.op(Op::Select { condition, ty, a, b })
    }

    // Aggregates.

    /// Takes the indexes into `ty` as the current instruction's path; returns the type of the element.
    fn indices(&mut self, ty: TypeId, words: &[u64]) -> Result<TypeId> {
        let mut element = ty;
        self.s.path.clear();
        for &i in words {
            let member = u32::try_from(i).ok().and_then(|k| Some((k, self.l.types().element(element, i)?.0)));
            let Some((k, ty)) = member else { return Err(Refusal::new("the aggregate has no such member")) };
            self.s.path.push(k);
            element = ty;
        }
        refuse_if(words.is_empty(), "the record has no index")?;
        Ok(element)
    }

    fn extract_value(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (id, of) = self.typed_id(&mut fields)?;
        self.l.check_aggregate(of)?;
        let val = self.value(id, of)?;
        self.indices(of, fields.rest())?;
        self.l.op(Op::ExtractValue { of, val, path: &self.s.path })
    }

    fn insert_value(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (id, ty) = self.typed_id(&mut fields)?;
        let (element, own) = self.typed_id(&mut fields)?;
        self.l.check_aggregate(ty)?;
        let val = self.value(id, ty)?;
        let element = self.value(element, own)?;
        let member = self.indices(ty, fields.rest())?;
        refuse_if(member != own, "the value is not of the member's type")?;
        self.l.op(Op::InsertValue { ty, val, element, path: &self.s.path })
    }

    // Vectors.

    /// The type of a vector's lanes.
    fn lane(&self, ty: TypeId) -> Result<TypeId> {
        match self.l.types().get(ty).kind {
            Kind::Vector { lane, .. } => Ok(lane),
            _ => Err(Refusal::new("expected a vector")),
        }
    }

    fn extract_element(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (vector, of) = self.typed_id(&mut fields)?;
        let (index, ty) = self.typed_id(&mut fields)?;
        self.lane(of)?;
        let val = self.scalar(vector, of)?;
        let index = (ty, self.scalar(index, ty)?);
        self.l.op(Op::ExtractElement { of, val, index })
    }

    fn insert_element(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (vector, ty) = self.typed_id(&mut fields)?;
        let element = self.id(&mut fields)?;
        let (index, of) = self.typed_id(&mut fields)?;
        let lane = self.lane(ty)?;
        let val = self.scalar(vector, ty)?;
        let element = self.value(element, lane)?;
        let index = (of, self.scalar(index, of)?);
        self.l.op(Op::InsertElement { ty, val, element, index })
    }

    fn shuffle_vector(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let (a, of) = self.typed_id(&mut fields)?;
        let b = self.id(&mut fields)?;
        let (mask, _) = self.typed_id(&mut fields)?;
        let a = self.scalar(a, of)?;
        let b = self.value(b, of)?;
        self.shuffle(of, a, b, mask)
    }
}
