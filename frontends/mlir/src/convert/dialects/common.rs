//! Operations of several dialects: operators, conversions, comparisons, constants, branches.

use gusset_codegen::ir::{Edge, FloatCc, IntCc, Opcode, Value as IrValue};
use gusset_program::{BranchEdges, Cast, Compare, Const, Flags, I1, Kind, Sink, TypeId, Val};
use gusset_text::{Placed, Result};

use crate::context::op_kind::{Division, OpKind};
use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::attributes::AttributeKind;
use crate::syntax::op::{Op, REFUSED, Value};
use crate::syntax::types::{INDEX, Ty};

/// Comparisons of integers in the order of MLIR's numbers.
const INTS: [&str; 10] = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];

/// Comparisons of floating-point numbers in that order.
const FLOATS: [&str; 16] =
    ["false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"];

impl<'r, E: Sink> Reader<'r, E> {
    /// Checks that the operation has `n` operands.
    pub fn operands_are(&self, op: &Op<'r>, n: usize) -> Result<()> {
        let m = "the operation has not the operands that it should have";
        self.src.refuse_if(op.operands.len() < n, op.pos, m)
    }

    /// The first operands.
    pub fn operands<const N: usize>(&self, op: &Op<'r>) -> Result<[Value; N]> {
        self.operands_are(op, N)?;
        Ok(op.operands.first_chunk().copied().unwrap_or([Value::default(); N]))
    }

    /// The first operands, which are of one type.
    pub fn alike<const N: usize>(&self, op: &Op<'r>) -> Result<[Value; N]> {
        let all = self.operands(op)?;
        self.src.refuse_if(all.iter().any(|v| v.ty != all[0].ty), op.pos, "the operands are of different types")?;
        Ok(all)
    }

    /// An operation's flags, for translations.
    pub fn preserved_flags(&self, op: &Op<'r>) -> Result<Flags> {
        if E::PRESERVES_METADATA { self.operation_flags(op) } else { Ok(Flags::default()) }
    }

    /// An operation's flags.
    pub fn operation_flags(&self, op: &Op<'r>) -> Result<Flags> {
        let mut flags = Flags::default();
        for attribute in &op.attrs {
            let unit = match attribute.name {
                b"fastmath" | b"fastmathFlags" | b"overflow" | b"overflowFlags" => None,
                b"isExact" => Some(Flags::EXACT),
                b"isDisjoint" => Some(Flags::DISJOINT),
                b"nonNeg" => Some(Flags::NNEG),
                // MLIR 17's way for reductions.
                b"reassoc" if attribute.value.holds() => Some(Flags::REASSOC),
                b"exact" | b"disjoint" | b"nneg" | b"samesign" => Flags::from_word(attribute.name),
                _ => continue,
            };
            flags = flags.with(unit.unwrap_or_default());
            if unit.is_none() {
                let words = attribute.value.resolve(self.t).span()?.split(|b| !b.is_ascii_alphanumeric());
                flags = words.filter_map(Flags::from_word).fold(flags, Flags::with);
            }
        }
        Ok(flags)
    }

    /// Makes a value of type `ty` part by part; `f`, which makes a part, makes no value itself.
    #[inline]
    pub fn part_by_part(&mut self, ty: Ty, mut f: impl FnMut(&mut Self, usize) -> Result<Val>) -> Result<Value> {
        let at = self.begin_value();
        for i in 0..self.t.count(ty) {
            let v = f(self, i)?;
            debug_assert_eq!(self.begin_value(), at + i as u32, "parts are consecutive");
            self.push_part(v);
        }
        Ok(Value { ty, at })
    }

    /// Applies an operator part by part.
    pub fn binary(&mut self, opcode: Opcode, op: &Op<'r>) -> Result<Value> {
        let [a, b] = self.alike(op)?;
        let flags = self.preserved_flags(op)?;
        self.part_by_part(a.ty, |r, i| {
            let (part, x, y) = (r.t.part(a.ty, i), r.part(a, i), r.part(b, i));
            r.l.flags(flags);
            // An initializer must be a constant.
            let v = if r.initializing {
                r.l.constant(part, Const::Binary(opcode, x, y))
            } else {
                r.l.binary(opcode, part, x, y)
            };
            v.at(r.src, op.pos)
        })
    }

    /// Converts part by part.
    pub fn cast(&mut self, cast: Cast, op: &Op<'r>) -> Result<Value> {
        let a = self.first_operand(op)?;
        let to = self.result_type(op, 0)?;
        self.check(to, op.pos)?;
        let flags = self.preserved_flags(op)?;
        self.cast_value((cast, flags), a, to, op.pos)
    }

    /// Converts a value to another type with the same number of parts.
    pub fn cast_value(&mut self, (cast, flags): (Cast, Flags), a: Value, to: Ty, pos: usize) -> Result<Value> {
        let fits = self.t.count(a.ty) == self.t.count(to);
        self.src.refuse_if(!fits, pos, "the types of the conversion have different shapes")?;
        self.part_by_part(to, |r, i| {
            let (from, to, x) = (r.t.part(a.ty, i), r.t.part(to, i), r.part(a, i));
            r.l.flags(flags);
            r.l.cast(cast, from, x, to).at(r.src, pos)
        })
    }

    pub fn negate(&mut self, op: &Op<'r>) -> Result<Value> {
        let a = self.first_operand(op)?;
        let flags = self.preserved_flags(op)?;
        self.part_by_part(a.ty, |r, i| {
            let (part, x) = (r.t.part(a.ty, i), r.part(a, i));
            r.l.flags(flags);
            r.l.fneg(part, x).at(r.src, op.pos)
        })
    }

    /// The type of a comparison of all scalars of a type, part by part.
    pub fn truths_of(&mut self, ty: Ty, pos: usize) -> Result<Ty> {
        let truths = self.flags_of(ty, pos)?;
        let fits = self.t.count(truths) == self.t.count(ty);
        self.src.refuse_if(!fits, pos, "the operands must be scalars or vectors")?;
        Ok(truths)
    }

    fn compare_parts(&mut self, compare: Compare, op: &Op<'r>) -> Result<Value> {
        let [a, b] = self.alike(op)?;
        let ty = self.truths_of(a.ty, op.pos)?;
        let flags = self.preserved_flags(op)?;
        self.part_by_part(ty, |r, i| {
            let (part, x, y) = (r.t.part(a.ty, i), r.part(a, i), r.part(b, i));
            r.l.flags(flags);
            match r.known_comparison(compare, x, y) {
                Some(holds) => Ok(r.l.integer(I1, holds.into())),
                None => r.l.compare(compare, part, x, y).map(|found| found.1).at(r.src, op.pos),
            }
        })
    }

    /// Whether two numbers in an initializer are equal, if the comparison is for equality.
    fn known_comparison(&self, compare: Compare, a: Val, b: Val) -> Option<bool> {
        if !self.initializing {
            return None;
        }
        let (a, b) = (self.l.int_constant(a)?, self.l.int_constant(b)?);
        match compare {
            Compare::Int(IntCc::Eq) => Some(a == b),
            Compare::Int(IntCc::Ne) => Some(a != b),
            _ => None,
        }
    }

    /// Compares integers by the attribute with this name, which names or numbers the comparison.
    pub fn compare_ints(&mut self, op: &Op<'r>, name: &str) -> Result<Value> {
        let value = self.need(op, name)?;
        let found = value.case(&INTS)?.and_then(|n| IntCc::from_name(INTS[n]));
        let cc = found.ok_or_else(|| value.expected("a comparison"))?;
        self.compare_parts(Compare::Int(cc), op)
    }

    pub fn compare_floats(&mut self, op: &Op<'r>) -> Result<Value> {
        let value = self.need(op, "predicate")?;
        // `arith` has the same numbers as LLVM, which the dialect `llvm` uses.
        let word = match value.keyword()? {
            b"_false" => "false",
            b"_true" => "true",
            _ => value.case(&FLOATS)?.map_or("", |n| FLOATS[n]),
        };
        let cc = FloatCc::from_name(word).ok_or_else(|| value.expected("a comparison"))?;
        self.compare_parts(Compare::Float(cc), op)
    }

    /// Selects by an `i1`, or lane by lane.
    pub fn select(&mut self, op: &Op<'r>) -> Result<Value> {
        let [c, a, b] = self.operands(op)?;
        self.src.refuse_if(a.ty != b.ty, op.pos, "the operands are of different types")?;
        let flags = self.preserved_flags(op)?;
        self.choose((c, flags), a, b, op.pos)
    }

    /// `c ? a : b`, part by part.
    pub fn choose(&mut self, (c, flags): (Value, Flags), a: Value, b: Value, pos: usize) -> Result<Value> {
        let single = c.ty == Ty::of(I1);
        let fits = single || c.ty == self.flags_of(a.ty, pos)?;
        self.src.refuse_if(!fits, pos, "the condition has another shape than the values")?;
        self.part_by_part(a.ty, |r, i| {
            let k = if single { 0 } else { i };
            let condition = (r.t.part(c.ty, k), r.part(c, k));
            let (part, x, y) = (r.t.part(a.ty, i), r.part(a, i), r.part(b, i));
            r.l.flags(flags);
            match r.l.int_constant(condition.1) {
                Some(n) if r.initializing => Ok([y, x][usize::from(n != 0)]),
                _ => r.l.select(condition, part, x, y).at(r.src, pos),
            }
        })
    }

    /// A constant: its attribute `value`.
    pub fn constant_op(&mut self, op: &Op<'r>) -> Result<Value> {
        let value = self.need(op, "value")?;
        let ty = match op.results.first().copied().or_else(|| op.slot(b'A')) {
            Some(ty) => {
                self.check(ty, op.pos)?;
                Some(ty)
            }
            None => None,
        };
        if value.kind() == AttributeKind::Symbol {
            let v = self.symbol(&value.symbol()?, value.pos())?;
            let ty = ty.unwrap_or(Ty::of(gusset_program::PTR));
            self.src.refuse_if(self.t.count(ty) != 1, value.pos(), "the constant is not a value of this type")?;
            return Ok(self.value(ty, &[v]));
        }
        if let Some(ty) = ty
            && self.is_too_large(ty)
        {
            // Tools leave unused large constants behind.
            return Ok(Value { ty, at: REFUSED });
        }
        let v = self.constant(value, ty)?;
        Ok(Value { ty: ty.unwrap_or(v.ty), ..v })
    }

    /// Whether a value of the type has more scalars than a function may split.
    fn is_too_large(&self, ty: Ty) -> bool {
        let of_function = !E::PRESERVES_METADATA && !self.initializing;
        of_function && self.l.types().get(self.t.whole(ty)).scalars > gusset_program::MAX_SCALARS
    }

    /// `poison`, `undef`, zero.
    pub fn plain_value(&mut self, what: OpKind, op: &Op<'r>) -> Result<Value> {
        let ty = self.result_type(op, 0)?;
        self.check(ty, op.pos)?;
        if self.is_too_large(ty) {
            return Ok(Value { ty, at: REFUSED });
        }
        self.part_by_part(ty, |r, i| {
            let part = r.t.part(ty, i);
            let v = match what {
                OpKind::Zero => r.l.zero_value(part),
                OpKind::Undef => r.l.constant(part, Const::Undef),
                _ => r.l.poison_value(part),
            };
            v.at(r.src, op.pos)
        })
    }

    // Branches.

    fn successors_are(&self, op: &Op<'r>, n: usize) -> Result<()> {
        let m = "the operation has not the blocks that it should have";
        self.src.refuse_if(op.successors.len() != n, op.pos, m)
    }

    pub fn jump(&mut self, op: &mut Op<'r>) -> Result<()> {
        self.successors_are(op, 1)?;
        let e = self.successor(op, 0);
        self.l.jump(e);
        Ok(())
    }

    pub fn branch(&mut self, op: &mut Op<'r>) -> Result<()> {
        self.successors_are(op, 2)?;
        let c = self.first_operand(op)?;
        self.src.refuse_if(c.ty != Ty::of(I1), op.pos, "the condition of a branch is an `i1`")?;
        let (t, e) = (self.successor(op, 0), self.successor(op, 1));
        let c = self.one(c);
        self.branch_weights(op, BranchEdges { first: t, count: 2, default_is_last: false })?;
        self.l.br(c, t, e);
        Ok(())
    }

    /// Takes how often the edges of a branch are taken.
    fn branch_weights(&mut self, op: &Op<'r>, edges: BranchEdges) -> Result<()> {
        if let Some(weights) = self.attr_ints(op, "branch_weights")? {
            let weights: Vec<u32> = weights.into_iter().map(|weight| weight as u32).collect();
            self.l.set_branch_weights(edges, &weights);
        }
        Ok(())
    }

    /// A switch.
    pub fn switch(&mut self, op: &mut Op<'r>) -> Result<()> {
        let numbers: Vec<i128> = if op.generic {
            self.attr_ints(op, "case_values")?.unwrap_or_default().into_iter().map(i128::from).collect()
        } else {
            let cases = op.attrs.iter().filter(|a| a.name == b"case");
            cases.map(|a| a.value.wide_integer()).collect::<Result<_>>()?
        };
        self.operands_are(op, 1)?;
        self.successors_are(op, numbers.len() + 1)?;
        let v = op.operands[0];
        let ty = (self.t.count(v.ty) == 1).then(|| self.t.part(v.ty, 0));
        let ty = ty.filter(|&ty| matches!(self.l.types().get(ty).kind, Kind::Int));
        let ty = ty.ok_or_else(|| self.src.error(op.pos, "the value of a switch must be an integer"))?;
        let default = self.successor(op, 0);
        let mut cases: Vec<(IrValue, Edge)> = Vec::with_capacity(numbers.len());
        for (i, n) in numbers.into_iter().enumerate() {
            let n = self.l.integer(ty, n).value();
            let e = self.successor(op, i + 1);
            cases.push((n, e));
        }
        let v = self.one(v);
        self.branch_weights(op, BranchEdges { first: default, count: cases.len() + 1, default_is_last: false })?;
        self.l.switch(v, &cases, default).at(self.src, op.pos)
    }

    /// Returns from the function, or ends an initializer.
    pub fn ret(&mut self, op: &mut Op<'r>) -> Result<()> {
        if self.initializing {
            self.ended = Some((op.name, op.operands.clone()));
            return Ok(());
        }
        self.src.refuse_if(self.depth > 0, op.pos, "a region of an operation does not return from the function")?;
        self.emit_return(op)
    }

    /// The only part of a value and its type, which must be one of LLVM's.
    pub fn single(&self, v: Value, pos: usize) -> Result<(TypeId, Val)> {
        let fits = self.t.count(v.ty) == 1;
        self.src.refuse_if(!fits, pos, "this value is no scalar or vector of LLVM")?;
        Ok((self.t.part(v.ty, 0), self.one(v)))
    }

    /// Calls one of LLVM's intrinsics part by part, with the operation's flags. If it has an operand that says that
    /// results may be poison, this is never set.
    pub fn each_part(&mut self, name: &'static str, op: &Op<'r>) -> Result<Value> {
        let a = *op.operands.first().ok_or_else(|| self.src.error(op.pos, "an operand is missing"))?;
        let n = self.t.count(a.ty);
        let alike = op.operands.iter().all(|v| self.t.count(v.ty) == n);
        self.src.refuse_if(!alike, op.pos, "the operands have different shapes")?;
        let flags = self.preserved_flags(op)?;
        self.part_by_part(a.ty, |r, i| {
            let mut args: Vec<(TypeId, Val)> = op.operands.iter().map(|&v| (r.t.part(v.ty, i), r.part(v, i))).collect();
            if matches!(name, "abs" | "ctlz" | "cttz") {
                args.push((I1, r.l.integer(I1, 0)));
            }
            r.l.flags(flags);
            r.call_intrinsic(name, args[0].0, &args, op.pos)
        })
    }

    /// The number `n` as a value of an integer type, or in every lane of a vector.
    pub fn int_part(&mut self, ty: TypeId, n: i128, pos: usize) -> Result<Val> {
        match self.l.types().get(ty).kind {
            Kind::Vector { lane, .. } => {
                let v = self.l.integer(lane, n);
                self.l.splat(ty, lane, v).at(self.src, pos)
            }
            _ => Ok(self.l.integer(ty, n)),
        }
    }

    /// The width of an integer type, or of the lanes of a vector of integers.
    pub fn int_bits(&self, ty: TypeId, pos: usize) -> Result<u32> {
        let lane = match self.l.types().get(ty).kind {
            Kind::Vector { lane, .. } => lane,
            _ => ty,
        };
        let integer = matches!(self.l.types().get(lane).kind, Kind::Int);
        self.src.refuse_if(!integer, pos, "the operand must be an integer, or a vector of them")?;
        Ok(self.l.types().ir(lane).bits())
    }

    /// Converts integers to another width part by part: truncates or extends them.
    pub fn fit_integers(&mut self, signed: bool, op: &Op<'r>) -> Result<Value> {
        let (a, to) = (self.first_operand(op)?, self.result_type(op, 0)?);
        self.check(to, op.pos)?;
        let indices = [a.ty, to].map(|ty| self.t.element(self.l.types(), ty).unwrap_or(ty) == INDEX);
        self.src.refuse_if(
            indices[0] == indices[1],
            op.pos,
            "one of the types has to be an index, or a vector of them",
        )?;
        let n = self.t.count(a.ty);
        let wrong = n == 0 || n != self.t.count(to);
        self.src.refuse_if(wrong, op.pos, "the types of the conversion have different shapes")?;
        let wide = self.int_bits(self.t.part(to, 0), op.pos)?;
        let cast = match self.int_bits(self.t.part(a.ty, 0), op.pos)?.cmp(&wide) {
            std::cmp::Ordering::Equal => {
                return Ok(Value { ty: to, ..a });
            }
            std::cmp::Ordering::Greater => Cast::Trunc,
            std::cmp::Ordering::Less if signed => Cast::Sext,
            std::cmp::Ordering::Less => Cast::Zext,
        };
        self.cast_value((cast, Flags::default()), a, to, op.pos)
    }

    /// A division that rounds down or up. It is undefined exactly where the truncating division is.
    pub fn rounded_division(&mut self, division: Division, op: &Op<'r>) -> Result<Value> {
        let [a, b] = self.alike(op)?;
        let pos = op.pos;
        let v = self.part_by_part(a.ty, |r, i| {
            let (ty, x, y) = (r.t.part(a.ty, i), r.part(a, i), r.part(b, i));
            r.rounded_quotient(division, ty, [x, y], pos)
        })?;
        Ok(v)
    }

    /// The quotient, corrected by one if there is a remainder and the division truncated in the wrong direction: for
    /// rounding up, if the remainder has the divisor's sign; for rounding down, if not.
    fn rounded_quotient(&mut self, division: Division, ty: TypeId, [a, b]: [Val; 2], pos: usize) -> Result<Val> {
        let src = self.src;
        let opcode = if division == Division::CeilUnsigned { Opcode::Udiv } else { Opcode::Sdiv };
        let q = self.l.binary(opcode, ty, a, b).at(src, pos)?;
        let product = self.l.binary(Opcode::Imul, ty, q, b).at(src, pos)?;
        let rest = self.l.binary(Opcode::Isub, ty, a, product).at(src, pos)?;
        let zero = self.int_part(ty, 0, pos)?;
        let (flag, mut wrong) = self.l.compare(Compare::Int(IntCc::Ne), ty, rest, zero).at(src, pos)?;
        let sign = match division {
            Division::CeilUnsigned => None,
            Division::CeilSigned => Some(IntCc::Sge),
            Division::FloorSigned => Some(IntCc::Slt),
        };
        if let Some(cc) = sign {
            let signs = self.l.binary(Opcode::Xor, ty, rest, b).at(src, pos)?;
            let (_, matters) = self.l.compare(Compare::Int(cc), ty, signs, zero).at(src, pos)?;
            wrong = self.l.binary(Opcode::And, flag, wrong, matters).at(src, pos)?;
        }
        let step = self.int_part(ty, if division == Division::FloorSigned { -1 } else { 1 }, pos)?;
        let other = self.l.binary(Opcode::Iadd, ty, q, step).at(src, pos)?;
        self.l.select((flag, wrong), ty, other, q).at(src, pos)
    }
}
