//! Makes constants where they are used: simple ones, aggregates, and expressions, which fold or become instructions.

use gusset_codegen::ir::FloatCc;
use gusset_program::{
    Compare, Const, Foreign, I1, I32, Index, Kind, LocalName, MAX_DEPTH, Op, PTR, Refusal, Result, Sink, TOKEN, TypeId,
    TypeTable, Val, refuse_if,
};

use super::Reader;
use super::fields::Fields;
use super::flags;
use super::tables::State;
use crate::codes::{binary, cast, int_condition};
use crate::constants::{Constant, Constants, Form, float_bits, range_fields};

/// Most constants that an operand may consist of.
const MOST: u32 = 1 << 18;

impl<E: Sink> Reader<'_, E> {
    /// The constants of the module or of the function that the number of a value belongs to, and the constant.
    #[inline(always)]
    pub(super) fn constant_of(&self, id: u32) -> Option<(&Constants, Constant)> {
        let m = self.m;
        if let Some(at) = id.checked_sub(self.base) {
            let local = self.s.locals.get(at as usize).filter(|local| local.state == State::Constant)?;
            return Some((&self.s.constants, self.s.constants.list[local.val.0 as usize]));
        }
        let at = (id as usize).checked_sub(m.globals.len())?;
        Some((&m.constants, *m.constants.list.get(at)?))
    }

    /// A global of the module, by the number of its value.
    pub(super) fn global(&mut self, id: u32, ty: TypeId) -> Result<Val> {
        let Some(info) = self.m.infos.get(id as usize) else {
            return Err(Refusal::new(format!("there is no value with the number {id}")));
        };
        refuse_if(ty != self.m.globals[id as usize].pointer, "the operand has another type")?;
        let symbol = info.symbol.ok_or_else(|| Refusal::new("an intrinsic can only be called"))?;
        self.l.constant(ty, Const::Symbol { symbol, tls: info.tls })
    }

    /// Makes the constant with a number, which is an operand.
    #[inline]
    pub(super) fn top_constant(&mut self, id: u32, constant: Constant, ty: TypeId) -> Result<Val> {
        // Most are numbers.
        if constant.form == Form::Integer && constant.ty == ty {
            return self.l.constant(ty, Const::Integer(i128::from(constant.word as i64)));
        }
        if self.depth == 0 {
            // The module's own constants may be as large as the file; those of a body are handed over at each use.
            let whole = E::PRESERVES_METADATA && self.limit == 0;
            self.budget = MOST.max(if whole { self.m.bits.source().len() as u32 } else { 0 });
        }
        if constant.form == Form::OfType {
            return Err(self
                .m
                .table
                .get(constant.word)
                .err()
                .unwrap_or_else(|| Refusal::new("the type has no values")));
        }
        refuse_if(constant.ty != ty, "the operand has another type")?;
        match constant.form {
            Form::Null => self.null(ty),
            Form::Undef => self.l.constant(ty, Const::Undef),
            Form::Poison => self.l.constant(ty, Const::Poison),
            _ => self.nested(id, constant),
        }
    }

    /// The constant of a type whose bits are all zero.
    fn null(&mut self, ty: TypeId) -> Result<Val> {
        let constant = match self.l.types().get(ty).kind {
            Kind::Int => Const::Integer(0),
            Kind::Float => Const::Float(0),
            Kind::Ptr => Const::Null,
            _ if ty == TOKEN => Const::NoToken,
            _ => Const::Zero,
        };
        self.l.constant(ty, constant)
    }

    fn nested(&mut self, id: u32, constant: Constant) -> Result<Val> {
        if self.depth >= MAX_DEPTH {
            return Err(Refusal::new(format!("the constant is nested deeper than {MAX_DEPTH}")));
        }
        self.budget = self.budget.checked_sub(1).ok_or_else(|| Refusal::new("the constant is too large"))?;
        // Expressions take more of the stack than aggregates do; damaged ones can contain themselves.
        let deep = !matches!(constant.form, Form::Aggregate | Form::Data | Form::Bytes);
        let step = if deep { MAX_DEPTH / 64 } else { 1 };
        self.depth += step;
        let made = self.compound(id, constant);
        self.depth -= step;
        made
    }

    /// The numbers of the values that are the members of an aggregate.
    pub(crate) fn members_of(&self, id: u32) -> Vec<u32> {
        match self.constant_of(id) {
            Some((all, constant)) if constant.form == Form::Aggregate => {
                all.words(constant).iter().map(|&number| u32::try_from(number).unwrap_or(u32::MAX)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The words of a constant, which are copied.
    fn words(&self, id: u32) -> Vec<u64> {
        self.constant_of(id).map_or(Vec::new(), |(all, constant)| all.words(constant).to_vec())
    }

    fn compound(&mut self, id: u32, constant: Constant) -> Result<Val> {
        let ty = constant.ty;
        match constant.form {
            Form::Wide => {
                let words = self.words(id);
                // Words that are not there are zero, whatever the sign.
                self.l.constant(ty, Const::Wide { words: &words, negative: false })
            }
            Form::Float => {
                let bits = float_bits(&self.words(id), self.l.types().ir(ty));
                self.l.constant(ty, Const::Float(bits))
            }
            Form::Bytes => {
                let bytes = self.constant_of(id).map_or(Vec::new(), |(all, constant)| all.bytes(constant).to_vec());
                let fits = self.l.types().get(ty).kind
                    == (Kind::Array { element: gusset_program::I8, len: bytes.len() as u64 });
                refuse_if(!fits, "the string is not a value of this type")?;
                self.l.constant(ty, Const::Bytes(&bytes))
            }
            Form::Data => self.data(ty, &self.words(id)),
            Form::Aggregate => self.members(ty, &self.words(id)),
            Form::NoCfi | Form::LocalEquivalent if E::PRESERVES_METADATA => {
                let info = usize::try_from(constant.word).ok().and_then(|id| self.m.infos.get(id));
                let symbol = info.and_then(|info| info.symbol);
                let symbol = symbol.ok_or_else(|| Refusal::new("the constant stands for no function"))?;
                let equivalent = constant.form == Form::LocalEquivalent;
                self.l.constant(ty, if equivalent { Const::LocalEquivalent(symbol) } else { Const::NoCfi(symbol) })
            }
            Form::Signed if E::PRESERVES_METADATA => {
                let mut operands = Vec::new();
                for word in self.words(id) {
                    operands.push(self.own(word)?.1);
                }
                self.l.constant(ty, Const::Signed(&operands))
            }
            Form::Signed => Err(Refusal::new(gusset_program::refusals::SIGNED)),
            Form::NoCfi | Form::LocalEquivalent => {
                let target = u32::try_from(constant.word).unwrap_or(u32::MAX);
                refuse_if(ty != PTR, "the constant is not a value of this type")?;
                self.value(target, PTR)
            }
            Form::BlockAddress => self.block_address(ty, &self.words(id)),
            Form::Assembly => Err(Refusal::new("inline assembly can only be called")),
            Form::Unread => Err(Refusal::new(format!("constants with the code {} are not supported", constant.word))),
            form => {
                let made = self.expression(form, ty, &self.words(id))?;
                self.l.end_expression();
                Ok(made)
            }
        }
    }

    /// A value of the type that its own constant has.
    fn own(&mut self, id: u64) -> Result<(TypeId, Val)> {
        let id = u32::try_from(id).map_err(|_| Refusal::new("the number of a value is too large"))?;
        let ty = self.type_of(id)?;
        Ok((ty, self.value(id, ty)?))
    }

    /// A value of a type, by its number.
    fn element(&mut self, id: u64, ty: TypeId) -> Result<Val> {
        let id = u32::try_from(id).map_err(|_| Refusal::new("the number of a value is too large"))?;
        self.value(id, ty)
    }

    /// An array or vector of numbers.
    fn data(&mut self, ty: TypeId, words: &[u64]) -> Result<Val> {
        let (element, len) = match self.l.types().get(ty).kind {
            Kind::Array { element, len } => (element, len),
            Kind::Vector { lane, len } => (lane, len.into()),
            _ => return Err(Refusal::new("the constant is not a value of this type")),
        };
        refuse_if(words.len() as u64 != len, "the constant is not a value of this type")?;
        if let Kind::Array { element: gusset_program::I8, .. } = self.l.types().get(ty).kind {
            let bytes: Vec<u8> = words.iter().map(|&word| word as u8).collect();
            return self.l.constant(ty, Const::Bytes(&bytes));
        }
        if let Kind::Array { .. } = self.l.types().get(ty).kind {
            self.l.check_aggregate(ty)?;
        }
        let first = self.s.members.len();
        let float = self.l.types().get(element).kind == Kind::Float;
        for &word in words {
            let number = if float { Const::Float(word.into()) } else { Const::Integer(word.into()) };
            let val = self.l.constant(element, number)?;
            self.s.members.push(val);
        }
        self.collected(ty, first)
    }

    /// An aggregate or vector of values.
    fn members(&mut self, ty: TypeId, numbers: &[u64]) -> Result<Val> {
        let first = self.s.members.len();
        let message = "the constant has more or fewer members than its type";
        if let Kind::Vector { lane, len } = self.l.types().get(ty).kind {
            refuse_if(numbers.len() != len as usize, message)?;
            for &number in numbers {
                let val = self.element(number, lane)?;
                self.s.members.push(val);
            }
            return self.collected(ty, first);
        }
        self.l.check_aggregate(ty)?;
        for (i, &number) in numbers.iter().enumerate() {
            let Some((element, ..)) = self.l.types().element(ty, i as u64) else { return Err(Refusal::new(message)) };
            let val = self.element(number, element)?;
            self.s.members.push(val);
        }
        refuse_if(self.l.types().element(ty, numbers.len() as u64).is_some(), message)?;
        self.collected(ty, first)
    }

    /// The constant of the members from an index on.
    fn collected(&mut self, ty: TypeId, first: usize) -> Result<Val> {
        let vector = matches!(self.l.types().get(ty).kind, Kind::Vector { .. });
        let members = &self.s.members[first..];
        let made = self.l.constant(ty, if vector { Const::Vector(members) } else { Const::Aggregate(members) });
        self.s.members.truncate(first);
        made
    }

    fn block_address(&mut self, ty: TypeId, words: &[u64]) -> Result<Val> {
        let &[_, function, number, ..] = words else { return Err(Refusal::new("the record has too few fields")) };
        refuse_if(self.l.types().get(ty).kind != Kind::Ptr, "the constant is not a value of this type")?;
        let info = usize::try_from(function).ok().and_then(|function| self.m.infos.get(function));
        let function = info.and_then(|info| info.symbol).ok_or_else(|| Refusal::new("an intrinsic has no blocks"))?;
        let symbol = self.m.block_lookup.get(&(function.0, number)).copied();
        let block = match self.m.block_names.get(&(words[1], number)) {
            Some(Ok(local)) => LocalName::Number(*local),
            Some(Err(name)) => LocalName::Text(name),
            None => LocalName::Number(u32::try_from(number).unwrap_or(u32::MAX)),
        };
        self.l.constant(ty, Const::BlockAddress { function, block, symbol })
    }

    // Expressions.

    fn expression(&mut self, form: Form, ty: TypeId, words: &[u64]) -> Result<Val> {
        let folds = matches!(form, Form::GetElementPtr | Form::InRange | Form::Cast | Form::Binary);
        self.l.begin_expression(folds)?;
        let (result, val) = match form {
            Form::Binary => {
                let (of, a) = self.own(words[1])?;
                let b = self.element(words[2], of)?;
                let op = binary(words[0], of_floats(self.l.types(), of));
                let op = op.ok_or_else(|| Refusal::new("the operator is not known"))?;
                if E::PRESERVES_METADATA {
                    self.l.flags(flags::binary(op, words.get(3).copied().unwrap_or(0)));
                }
                (of, self.l.constant(of, Const::Binary(op, a, b))?)
            }
            Form::Unary => {
                refuse_if(words[0] != 0, "the operator is not known")?;
                refuse_if(E::PRESERVES_METADATA, "a constant that is an `fneg` is not translated")?;
                let (of, val) = self.own(words[1])?;
                self.l.op(Op::Fneg { ty: of, val })?
            }
            Form::Cast => {
                let cast = cast(words[0]).ok_or_else(|| Refusal::new("the conversion is not known"))?;
                let (from, val) = self.own(words[2])?;
                self.l.op(Op::Cast { cast, from, val, ty })?
            }
            Form::GetElementPtr | Form::InRange => self.address(form, words)?,
            Form::Select => {
                let condition = self.own(words[0])?;
                let (of, a) = self.own(words[1])?;
                let b = self.element(words[2], of)?;
                self.l.op(Op::Select { condition, ty: of, a, b })?
            }
            Form::ExtractElement => {
                let (of, val) = self.own(words[1])?;
                let index = *words.last().unwrap_or(&0);
                let index = self.own(index)?;
                self.l.op(Op::ExtractElement { of, val, index })?
            }
            Form::InsertElement => {
                let (of, val) = self.own(words[0])?;
                let (_, element) = self.own(words[1])?;
                let index = *words.last().unwrap_or(&0);
                let index = self.own(index)?;
                self.l.op(Op::InsertElement { ty: of, val, element, index })?
            }
            Form::ShuffleVector => {
                let (of, a) = self.own(words[0])?;
                let b = self.element(words[1], of)?;
                self.shuffle(of, a, b, u32::try_from(words[2]).unwrap_or(u32::MAX))?
            }
            Form::Compare => {
                let (of, a) = self.own(words[1])?;
                let b = self.element(words[2], of)?;
                let compare = condition(words[3])?;
                self.l.op(Op::Compare { compare, of, a, b })?
            }
            _ => return Err(Refusal::new("the constant expression is not known")),
        };
        refuse_if(result != ty, "the constant expression is not of the type expected here")?;
        Ok(val)
    }

    /// A `getelementptr`: its type and flags, its range if it has one, and pairs of a type and a value.
    fn address(&mut self, form: Form, words: &[u64]) -> Result<(TypeId, Val)> {
        let of = self.m.table.get(words[0])?;
        let unsized_ = !E::PRESERVES_METADATA && !self.l.types().is_sized(of);
        refuse_if(unsized_, "the type has no size")?;
        let (mut bounds, mut rest) = (None, &words[2..]);
        if form == Form::InRange {
            let (range, after) = rest.split_at(range_fields(rest));
            (bounds, rest) = (flags::range(range), after);
            refuse_if(E::PRESERVES_METADATA && bounds.is_none(), "a range of more than 64 bits is not translated")?;
        }
        let (pairs, rest) = rest.as_chunks::<2>();
        let [[_, base], indices @ ..] = pairs else { return Err(Refusal::new("the record has too few fields")) };
        refuse_if(!rest.is_empty(), "the record has a type without a value")?;
        let base = self.own(*base)?;
        refuse_if(!self.l.types().is_pointer_or_vector(base.0), "expected `ptr` or a vector of it")?;
        let first = self.s.indices.len();
        for &[_, index] in indices {
            let id = u32::try_from(index).map_err(|_| Refusal::new("the number of a value is too large"))?;
            let ty = self.type_of(id)?;
            let index = self.index(id, ty)?;
            self.s.indices.push(index);
        }
        if E::PRESERVES_METADATA {
            self.l.flags(flags::address(words[1]));
        }
        let in_range = bounds.as_ref().filter(|_| E::PRESERVES_METADATA).map(|bounds| &bounds[..]);
        let done = self.l.op(Op::GetElementPtr { of, base, indices: &self.s.indices[first..], in_range });
        self.s.indices.truncate(first);
        done
    }

    /// An index of a `getelementptr`.
    #[inline]
    pub(super) fn index(&mut self, id: u32, ty: TypeId) -> Result<Index> {
        // As LLVM's text has it: `true` and `false` are no numbers.
        if ty != I1
            && let Some((all, constant)) = self.constant_of(id)
            && self.l.types().get(ty).kind == Kind::Int
            && let Some(number) = all.number(constant)
        {
            let shift = 64 - self.l.types().ir(ty).bits().min(64);
            return Ok(Index::Number(ty, number << shift >> shift));
        }
        Ok(Index::Value(ty, self.value(id, ty)?))
    }

    /// Reads an index of a `getelementptr`.
    #[inline(always)]
    pub(super) fn typed_index(&mut self, fields: &mut Fields<'_>) -> Result<Index> {
        let mut rest = *fields;
        let id = self.id(&mut rest)?;
        if let Some((_, Constant { ty, form: Form::Integer, word })) = self.constant_of(id)
            && ty != I1
        {
            *fields = rest;
            return Ok(Index::Number(ty, word as i64));
        }
        let (id, ty) = self.typed_id(fields)?;
        self.index(id, ty)
    }

    /// A `shufflevector` whose mask is a constant.
    pub(super) fn shuffle(&mut self, of: TypeId, a: Val, b: Val, mask: u32) -> Result<(TypeId, Val)> {
        if E::PRESERVES_METADATA && self.l.types().foreign(of).is_some() {
            return self.scalable_shuffle(of, a, b, mask);
        }
        let Kind::Vector { len: operand, .. } = self.l.types().get(of).kind else {
            return Err(Refusal::new("expected a vector"));
        };
        let lanes = match self.l.types().get(self.type_of(mask)?).kind {
            Kind::Vector { lane: I32, len } => len,
            _ => return Err(Refusal::new("expected a vector of `i32`")),
        };
        let mut all = std::mem::take(&mut self.s.mask);
        all.clear();
        let taken = self.take_mask(mask, lanes, &mut all);
        let beyond = all.iter().any(|&lane| lane != u32::MAX && lane >= 2 * operand);
        let done = taken
            .and_then(|()| refuse_if(beyond, "the mask names a lane beyond both vectors"))
            .and_then(|()| refuse_if(all.len() != lanes as usize, "the mask is not as long as its type"))
            .and_then(|()| self.l.op(Op::ShuffleVector { of, a, b, mask: &all }));
        self.s.mask = all;
        done
    }

    /// A `shufflevector` of scalable vectors: lane 0 everywhere, or no lane.
    fn scalable_shuffle(&mut self, of: TypeId, a: Val, b: Val, mask: u32) -> Result<(TypeId, Val)> {
        let lane = match self.constant_of(mask).map(|(_, constant)| constant.form) {
            Some(Form::Null) => 0,
            Some(Form::Undef | Form::Poison) => u32::MAX,
            _ => return Err(Refusal::new("the mask of scalable vectors is not one lane")),
        };
        let Kind::Vector { len, .. } = self.l.types().get(of).kind else {
            return Err(Refusal::new("expected a vector"));
        };
        refuse_if(len > MOST, "the vector has too many lanes")?;
        let all = vec![lane; len as usize];
        self.l.op(Op::ShuffleVector { of, a, b, mask: &all })
    }

    fn take_mask(&self, mask: u32, lanes: u32, all: &mut Vec<u32>) -> Result<()> {
        let not_constant = || Refusal::new("the mask is not a constant");
        let (constants, constant) = self.constant_of(mask).ok_or_else(not_constant)?;
        refuse_if(lanes > MOST, "the vector has too many lanes")?;
        match constant.form {
            Form::Null => all.resize(lanes as usize, 0),
            Form::Undef | Form::Poison => all.resize(lanes as usize, u32::MAX),
            Form::Data => all.extend(constants.words(constant).iter().map(|&word| word as u32)),
            Form::Aggregate => {
                for &number in constants.words(constant) {
                    let id = u32::try_from(number).unwrap_or(u32::MAX);
                    let (_, lane) = self.constant_of(id).ok_or_else(not_constant)?;
                    all.push(match lane.form {
                        Form::Undef | Form::Poison => u32::MAX,
                        Form::Null => 0,
                        Form::Integer => u32::try_from(lane.word).unwrap_or(u32::MAX - 1),
                        _ => return Err(not_constant()),
                    });
                }
            }
            _ => return Err(not_constant()),
        }
        Ok(())
    }
}

/// The condition of a comparison with a number.
pub(super) fn condition(number: u64) -> Result<Compare> {
    let float = u8::try_from(number).ok().and_then(FloatCc::from_u8).map(Compare::Float);
    let known = float.or_else(|| int_condition(number).map(Compare::Int));
    known.ok_or_else(|| Refusal::new("the condition is not known"))
}

/// Whether a type is one of floating-point numbers, or of vectors of them.
#[inline]
pub(super) fn of_floats(types: &TypeTable, ty: TypeId) -> bool {
    let float = |ty: TypeId| match types.get(ty).kind {
        Kind::Special => types.foreign(ty) == Some(&Foreign::Named("ppc_fp128")),
        kind => kind == Kind::Float,
    };
    match types.get(ty).kind {
        Kind::Vector { lane, .. } => float(lane),
        _ => float(ty),
    }
}
