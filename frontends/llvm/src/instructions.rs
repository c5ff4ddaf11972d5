//! Instructions: the dispatch, arithmetic, conversions, comparisons, aggregates and vectors.

use gusset_codegen::ir::{ConstData, FloatCc, IntCc, MemFlags, Opcode, Type, Value};

use crate::attributes::skip_fast_math;
use crate::body::{Reader, Val};
use crate::error::{ReadError, Result};
use crate::types::{I1, I32, Kind, TypeId, VOID};
use crate::words as w;

/// The opcode of a binary operator's keyword.
pub(crate) fn binary_opcode(key: u128) -> Opcode {
    match key {
        w::ADD => Opcode::Iadd,
        w::SUB => Opcode::Isub,
        w::MUL => Opcode::Imul,
        w::UDIV => Opcode::Udiv,
        w::SDIV => Opcode::Sdiv,
        w::UREM => Opcode::Urem,
        w::SREM => Opcode::Srem,
        w::AND => Opcode::And,
        w::OR => Opcode::Or,
        w::XOR => Opcode::Xor,
        w::SHL => Opcode::Shl,
        w::LSHR => Opcode::Lshr,
        w::ASHR => Opcode::Ashr,
        w::FADD => Opcode::Fadd,
        w::FSUB => Opcode::Fsub,
        w::FMUL => Opcode::Fmul,
        w::FDIV => Opcode::Fdiv,
        w::FREM => Opcode::Frem,
        _ => Opcode::Nop,
    }
}

/// What an instruction without a result gives.
pub(crate) const NOTHING: (TypeId, Val) = (VOID, 0);

impl<'r> Reader<'r> {
    /// Reads the instruction whose keyword stands at the cursor; its result has type `void` if there is none.
    pub fn instruction(&mut self, key: u128, len: usize) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let word = |r: &mut Self| r.c.bump(len);
        self.after_phis |= key != w::PHI;
        // Nearly half of all instructions, ahead of the search for the others.
        if key == w::LOAD {
            word(self);
            return self.load();
        }
        if key == w::STORE {
            word(self);
            return self.store();
        }
        match key {
            w::BR => {
                word(self);
                self.br()
            }
            w::CALL => {
                word(self);
                self.call(gusset_codegen::ir::TailKind::None)
            }
            w::GETELEMENTPTR => {
                word(self);
                self.gep(false)
            }
            w::ICMP => {
                word(self);
                self.compare(true, false)
            }
            w::FCMP => {
                word(self);
                self.compare(false, false)
            }
            w::ADD
            | w::SUB
            | w::MUL
            | w::SHL
            | w::UDIV
            | w::SDIV
            | w::LSHR
            | w::ASHR
            | w::AND
            | w::OR
            | w::XOR
            | w::UREM
            | w::SREM
            | w::FADD
            | w::FSUB
            | w::FMUL
            | w::FDIV
            | w::FREM => {
                word(self);
                self.skip_flags();
                let ty = self.types.parse(&mut self.c)?;
                let ir = self.types.ir(ty);
                let op = binary_opcode(key);
                if ir == Type::VOID {
                    return self.wide_binary(op, ty, pos);
                }
                let a = Value(self.value(ty)?);
                self.c.expect(b',')?;
                let b = Value(self.value(ty)?);
                self.check_operands(op, ty, pos)?;
                Ok((ty, self.b.push1(op, 0, ir, [a.0, b.0, 0], ir).0))
            }
            w::TRUNC
            | w::ZEXT
            | w::SEXT
            | w::FPTRUNC
            | w::FPEXT
            | w::FPTOUI
            | w::FPTOSI
            | w::UITOFP
            | w::SITOFP
            | w::PTRTOINT
            | w::PTRTOADDR
            | w::INTTOPTR
            | w::BITCAST
            | w::ADDRSPACECAST => {
                word(self);
                self.skip_flags();
                self.conversion(key, pos)
            }
            w::ALLOCA => {
                word(self);
                self.alloca()
            }
            w::PHI => {
                word(self);
                self.phi()
            }
            w::SELECT => {
                word(self);
                skip_fast_math(&mut self.c);
                self.select()
            }
            w::RET => {
                word(self);
                self.ret()
            }
            w::SWITCH => {
                word(self);
                self.switch()
            }
            w::UNREACHABLE => {
                word(self);
                self.b.unreachable();
                Ok(NOTHING)
            }
            w::TAIL | w::MUSTTAIL | w::NOTAIL => {
                word(self);
                self.c.expect_word("call")?;
                self.call(match key {
                    w::TAIL => gusset_codegen::ir::TailKind::Tail,
                    w::MUSTTAIL => gusset_codegen::ir::TailKind::Must,
                    _ => gusset_codegen::ir::TailKind::None,
                })
            }
            w::FNEG => {
                word(self);
                skip_fast_math(&mut self.c);
                let (ty, v) = self.typed_scalar()?;
                self.check_operands(Opcode::Fadd, ty, pos)?;
                Ok((ty, self.b.unary(Opcode::Fneg, v).0))
            }
            w::FREEZE => {
                word(self);
                let pos = self.c.pos;
                let ty = self.types.parse(&mut self.c)?;
                let v = self.value(ty)?;
                self.map_parts(ty, v, pos, |r, v| r.b.unary(Opcode::Freeze, v))
            }
            w::EXTRACTVALUE => {
                word(self);
                self.extract_value()
            }
            w::INSERTVALUE => {
                word(self);
                self.insert_value()
            }
            w::EXTRACTELEMENT | w::INSERTELEMENT | w::SHUFFLEVECTOR => {
                word(self);
                self.vector_instruction(key)
            }
            w::FENCE => {
                word(self);
                self.fence()
            }
            w::CMPXCHG => {
                word(self);
                self.cmpxchg()
            }
            w::ATOMICRMW => {
                word(self);
                self.atomicrmw()
            }
            w::VA_ARG => {
                word(self);
                self.va_arg()
            }
            w::INDIRECTBR => {
                word(self);
                self.indirect_br()
            }
            w::INVOKE => {
                word(self);
                self.invoke()
            }
            w::LANDINGPAD => {
                word(self);
                self.landing_pad()
            }
            w::RESUME => {
                word(self);
                self.resume()
            }
            w::CATCHSWITCH | w::CATCHPAD | w::CATCHRET | w::CLEANUPPAD | w::CLEANUPRET => {
                let name = String::from_utf8_lossy(self.c.peek_word()).into_owned();
                let m = format!("exceptions by Windows' own tables (`{name}`) are not supported");
                Err(self.c.error(m))
            }
            w::CALLBR => {
                word(self);
                self.callbr()
            }
            _ => Err(self.c.expected("an instruction")),
        }
    }

    /// Moves over `nuw`, `nsw`, `exact`, `disjoint`, `nneg`, `samesign` and fast-math flags.
    #[inline]
    pub fn skip_flags(&mut self) {
        loop {
            match self.c.peek() {
                b'n' | b'e' | b'r' | b'a' | b'c' | b's' => {}
                b'd' if self.c.ahead(1) == b'i' => {}
                b'f' if self.c.ahead(1) == b'a' => {}
                _ => return,
            }
            let (key, len) = self.c.peek_key();
            match key {
                w::NUW | w::NSW | w::EXACT | w::DISJOINT | w::NNEG | w::SAMESIGN => {}
                w::NNAN | w::NINF | w::NSZ | w::ARCP | w::CONTRACT | w::AFN | w::REASSOC | w::FAST => {}
                _ => return,
            }
            self.c.bump(len);
        }
    }

    /// An error unless `op` works on values of type `ty`.
    #[inline(always)]
    fn check_operands(&self, op: Opcode, ty: TypeId, pos: usize) -> Result<()> {
        let float = op >= Opcode::Fadd;
        let fits = match self.types.get(ty).kind {
            Kind::Int => !float,
            Kind::Float => float,
            Kind::Vector { lane, .. } => match self.types.get(lane).kind {
                Kind::Int => !float,
                Kind::Float => float,
                _ => false,
            },
            _ => false,
        };
        if fits { Ok(()) } else { Err(self.wrong_operands(pos)) }
    }

    #[cold]
    pub fn wrong_operands(&self, pos: usize) -> ReadError {
        ReadError::new(self.c.src, pos, "the operands of this instruction have a type that it does not work on")
    }

    /// Applies `f` to each scalar of a value.
    fn map_parts(
        &mut self,
        ty: TypeId,
        val: Val,
        pos: usize,
        mut f: impl FnMut(&mut Self, Value) -> Value,
    ) -> Result<(TypeId, Val)> {
        if self.types.ir(ty) != Type::VOID {
            return Ok((ty, f(self, Value(val)).0));
        }
        self.check_aggregate(ty, pos)?;
        let n = self.scalars(ty);
        let start = self.s.aggregates.len();
        for i in 0..n {
            let v = f(self, self.s.aggregates[val as usize + i]);
            self.s.aggregates.push(v);
        }
        Ok((ty, start as Val))
    }

    // Conversions.

    /// Reads `from value to type`, which the operator of keyword `key` converts.
    pub fn conversion(&mut self, key: u128, pos: usize) -> Result<(TypeId, Val)> {
        let from = self.types.parse(&mut self.c)?;
        let val = self.value(from)?;
        self.c.expect_word("to")?;
        let to = self.types.parse(&mut self.c)?;
        Ok((to, self.converted(key, val, from, to, pos)?))
    }

    /// The conversion of keyword `key` on a value.
    pub fn converted(&mut self, key: u128, val: Val, from: TypeId, to: TypeId, pos: usize) -> Result<Val> {
        if self.types.ir(from) == Type::VOID || self.types.ir(to) == Type::VOID {
            return self.wide_cast(key, from, val, to, pos);
        }
        Ok(self.cast(key, Value(val), from, to, pos)?.0)
    }

    fn cast(&mut self, key: u128, v: Value, from: TypeId, to: TypeId, pos: usize) -> Result<Value> {
        let (a, b) = (self.types.ir(from), self.types.ir(to));
        let (fl, tl) = (self.lane_kind(from), self.lane_kind(to));
        let (Some(fl), Some(tl)) = (fl, tl) else {
            return Err(self.wrong_operands(pos));
        };
        let same_shape = a.is_vector() == b.is_vector() && a.lanes() == b.lanes();
        let (fw, tw) = (a.lane_bits(), b.lane_bits());
        use Kind::{Float, Int, Ptr};
        let (op, fits) = match key {
            w::TRUNC => (Opcode::Trunc, fl == Int && tl == Int && fw > tw),
            w::ZEXT => (Opcode::Zext, fl == Int && tl == Int && fw < tw),
            w::SEXT => (Opcode::Sext, fl == Int && tl == Int && fw < tw),
            w::FPTRUNC => (Opcode::Fptrunc, fl == Float && tl == Float && fw > tw),
            w::FPEXT => (Opcode::Fpext, fl == Float && tl == Float && fw < tw),
            w::FPTOUI => (Opcode::Fptoui, fl == Float && tl == Int),
            w::FPTOSI => (Opcode::Fptosi, fl == Float && tl == Int),
            w::UITOFP => (Opcode::Uitofp, fl == Int && tl == Float),
            w::SITOFP => (Opcode::Sitofp, fl == Int && tl == Float),
            w::PTRTOINT | w::PTRTOADDR => (Opcode::Zext, fl == Ptr && tl == Int),
            w::INTTOPTR => (Opcode::Zext, fl == Int && tl == Ptr),
            w::ADDRSPACECAST => (Opcode::Bitcast, fl == Ptr && tl == Ptr && self.lane_type(from) == self.lane_type(to)),
            _ => {
                let pointers = (fl == Ptr) == (tl == Ptr);
                if a.bits() != b.bits() || !pointers {
                    return Err(self.wrong_operands(pos));
                }
                (Opcode::Bitcast, true)
            }
        };
        if !fits || (op != Opcode::Bitcast && !same_shape) {
            return Err(self.wrong_operands(pos));
        }
        if a == b {
            return Ok(v);
        }
        // Pointers are integers: converting them is a change of width, if that.
        let op = if matches!(key, w::PTRTOINT | w::PTRTOADDR | w::INTTOPTR) && fw > tw { Opcode::Trunc } else { op };
        match self.b.func.constant(v) {
            Some(ConstData::Int(n)) if !b.is_vector() && matches!(op, Opcode::Trunc | Opcode::Zext) => {
                return Ok(self.b.iconst(b, n as i128));
            }
            Some(ConstData::Int(n)) if !b.is_vector() && op == Opcode::Sext => {
                let n = (n << (128 - fw)) as i128 >> (128 - fw);
                return Ok(self.b.iconst(b, n));
            }
            Some(ConstData::Int(n)) if op == Opcode::Bitcast && b.is_float() => {
                return Ok(self.b.func.make_const(b, ConstData::Float(n)));
            }
            Some(ConstData::Float(n)) if op == Opcode::Bitcast && b.is_int() => return Ok(self.b.iconst(b, n as i128)),
            Some(ConstData::Poison) => return Ok(self.b.poison(b)),
            _ => {}
        }
        self.check_unfrozen(pos)?;
        if op == Opcode::Bitcast && (a == Type::F80 || b == Type::F80) {
            // No register holds the 80 bits as an integer.
            let slot = self.b.func.make_temporary(16, 16);
            let addr = self.b.slot_addr(slot);
            let flags = MemFlags::new(16, false);
            self.b.store(v, addr, 0, flags);
            return Ok(self.b.load(b, addr, 0, flags));
        }
        Ok(self.b.push1(op, 0, b, [v.0, 0, 0], b))
    }

    /// The type of a vector's lanes, or the type itself.
    pub fn lane_type(&self, ty: TypeId) -> TypeId {
        if let Kind::Vector { lane, .. } = self.types.get(ty).kind { lane } else { ty }
    }

    fn lane_kind(&self, ty: TypeId) -> Option<Kind> {
        let kind = self.types.get(self.lane_type(ty)).kind;
        matches!(kind, Kind::Int | Kind::Float | Kind::Ptr).then_some(kind)
    }

    // Comparisons and selection.

    /// Reads a comparison behind its keyword.
    pub fn compare(&mut self, integer: bool, parentheses: bool) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        if integer {
            self.c.eat_word(b"samesign");
        } else {
            skip_fast_math(&mut self.c);
        }
        let (key, len) = self.c.peek_key();
        let flags = if integer { int_condition(key).map(|c| c as u8) } else { float_condition(key).map(|c| c as u8) };
        let Some(flags) = flags else {
            return Err(self.c.expected("a condition"));
        };
        self.c.bump(len);
        if parentheses {
            self.c.expect(b'(')?;
        }
        let ty = self.types.parse(&mut self.c)?;
        let ir = self.types.ir(ty);
        if ir == Type::VOID {
            return self.wide_compare(int_condition(key).filter(|_| integer), ty, parentheses, pos);
        }
        let a = Value(self.value(ty)?);
        self.c.expect(b',')?;
        let b = if parentheses {
            let b = self.same_type(ty)?;
            self.c.expect(b')')?;
            b
        } else {
            self.scalar(ty)?
        };
        let is_float = self.lane_kind(ty) == Some(Kind::Float);
        if is_float == integer {
            return Err(self.wrong_operands(pos));
        }
        let (result, flag) = self.truth_type(ty, pos)?;
        let op = if integer { Opcode::Icmp } else { Opcode::Fcmp };
        Ok((result, self.b.push1(op, flags, ir, [a.0, b.0, 0], flag).0))
    }

    /// `i1`, or a vector of it, for operands of type `ty`.
    #[inline]
    pub fn truth_type(&mut self, ty: TypeId, pos: usize) -> Result<(TypeId, Type)> {
        match self.types.get(ty).kind {
            Kind::Vector { len, .. } => {
                let id = self.types.vector(I1, len).map_err(|m| ReadError::new(self.c.src, pos, m))?;
                Ok((id, self.types.ir(id)))
            }
            _ => Ok((I1, Type::I1)),
        }
    }

    /// Reads the operands of a `select`.
    pub fn select(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let (ct, cond) = self.typed_scalar()?;
        self.c.expect(b',')?;
        let ty = self.types.parse(&mut self.c)?;
        let a = self.value(ty)?;
        self.c.expect(b',')?;
        let at = self.c.pos;
        if self.types.parse(&mut self.c)? != ty {
            return Err(ReadError::new(self.c.src, at, "the operands are of different types"));
        }
        let b = self.value(ty)?;
        let (c, t) = (self.types.ir(ct), self.types.ir(ty));
        if c != Type::I1 && (c.lane() != Type::I1 || !t.is_vector() || c.lanes() != t.lanes()) {
            return Err(ReadError::new(
                self.c.src,
                pos,
                "the condition must be an `i1`, or a vector of it as long as the values",
            ));
        }
        if t != Type::VOID {
            return Ok((ty, self.b.select(cond, Value(a), Value(b)).0));
        }
        self.check_aggregate(ty, pos)?;
        let start = self.s.aggregates.len();
        for i in 0..self.scalars(ty) {
            let (x, y) = (self.part(ty, a, i), self.part(ty, b, i));
            let v = self.b.select(cond, x, y);
            self.s.aggregates.push(v);
        }
        Ok((ty, start as Val))
    }

    // Aggregates.

    /// Follows constant indices into `ty`: the member's type and the number of its first scalar.
    fn indices(&mut self, mut ty: TypeId) -> Result<(TypeId, u32)> {
        let mut first = 0;
        let mut any = false;
        while self.c.peek() == b',' {
            let mut next = self.c;
            next.bump(1);
            if !next.peek().is_ascii_digit() {
                break;
            }
            self.c = next;
            let pos = self.c.pos;
            let i = self.c.number()?;
            match self.types.element(ty, i) {
                Some((t, scalar, _)) => {
                    ty = t;
                    first += scalar;
                    any = true;
                }
                None => return Err(ReadError::new(self.c.src, pos, "the aggregate has no such member")),
            }
        }
        if any { Ok((ty, first)) } else { Err(self.c.expected("`,` and an index")) }
    }

    /// Reads the operands of an `extractvalue`.
    pub fn extract_value(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let ty = self.types.parse(&mut self.c)?;
        self.check_aggregate(ty, pos)?;
        let val = self.value(ty)?;
        let (member, first) = self.indices(ty)?;
        let at = val as usize + first as usize;
        let single = self.types.ir(member) != Type::VOID;
        Ok((member, if single { self.s.aggregates[at].0 } else { at as Val }))
    }

    /// Reads the operands of an `insertvalue`.
    pub fn insert_value(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let ty = self.types.parse(&mut self.c)?;
        self.check_aggregate(ty, pos)?;
        let val = self.value(ty)?;
        self.c.expect(b',')?;
        let pos = self.c.pos;
        let element = self.types.parse(&mut self.c)?;
        let x = self.value(element)?;
        let (member, first) = self.indices(ty)?;
        if member != element {
            return Err(ReadError::new(self.c.src, pos, "the value is not of the member's type"));
        }
        let n = self.scalars(ty);
        let start = self.s.aggregates.len();
        self.s.aggregates.extend_from_within(val as usize..val as usize + n);
        for i in 0..self.scalars(element) {
            self.s.aggregates[start + first as usize + i] = self.part(element, x, i);
        }
        Ok((ty, start as Val))
    }

    // Vectors.

    /// Reads the operands of `extractelement`, `insertelement` and `shufflevector`.
    pub fn vector_instruction(&mut self, key: u128) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let (ty, v) = self.typed_scalar()?;
        let Kind::Vector { lane, len } = self.types.get(ty).kind else {
            return Err(ReadError::expected(self.c.src, pos, "a vector"));
        };
        self.c.expect(b',')?;
        if key == w::SHUFFLEVECTOR {
            let b = self.same_type(ty)?;
            self.c.expect(b',')?;
            return self.shuffle(lane, len, v, b);
        }
        let x = if key == w::INSERTELEMENT {
            let x = self.same_type(lane)?;
            self.c.expect(b',')?;
            Some(x)
        } else {
            None
        };
        let pos = self.c.pos;
        let (index_ty, index) = self.typed_scalar()?;
        if self.types.get(index_ty).kind != Kind::Int {
            return Err(ReadError::new(self.c.src, pos, "the index must be an integer"));
        }
        // A constant lane beyond the end gives poison.
        let beyond = self.b.func.int_constant(index).is_some_and(|n| n >= len as u128);
        let index = match self.b.func.int_constant(index) {
            Some(n) if !beyond => self.b.iconst(Type::I32, n as i128),
            _ => index,
        };
        let ir = self.types.ir(lane);
        Ok(match x {
            None if beyond => (lane, self.b.poison(ir).0),
            None => (lane, self.b.extract_lane(v, index).0),
            Some(_) if beyond => {
                let ir = self.types.ir(ty);
                (ty, self.b.poison(ir).0)
            }
            Some(x) => (ty, self.b.insert_lane(v, x, index).0),
        })
    }

    fn shuffle(&mut self, lane: TypeId, len: u32, a: Value, b: Value) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let mask_ty = self.types.parse(&mut self.c)?;
        let lanes = match self.types.get(mask_ty).kind {
            Kind::Vector { lane: I32, len } => len,
            _ => return Err(ReadError::expected(self.c.src, pos, "a vector of `i32`")),
        };
        let mut mask = std::mem::take(&mut self.s.words);
        mask.clear();
        let result = self.shuffle_mask(lanes, 2 * len, &mut mask);
        let v = match result {
            Ok(()) => self.b.shuffle(a, b, &mask),
            Err(e) => return Err(e),
        };
        self.s.words = mask;
        let ty = self.types.vector(lane, lanes).map_err(|m| ReadError::new(self.c.src, pos, m))?;
        match v {
            Some(v) => Ok((ty, v.0)),
            None => Err(ReadError::new(self.c.src, pos, "vectors of this length are not supported")),
        }
    }

    fn shuffle_mask(&mut self, lanes: u32, limit: u32, mask: &mut Vec<u32>) -> Result<()> {
        let pos = self.c.pos;
        if self.c.eat_word(b"zeroinitializer") {
            mask.resize(lanes as usize, 0);
            return Ok(());
        }
        if self.c.eat_word(b"undef") || self.c.eat_word(b"poison") {
            mask.resize(lanes as usize, u32::MAX);
            return Ok(());
        }
        let splat = self.c.eat_word(b"splat");
        self.c.expect(if splat { b'(' } else { b'<' })?;
        loop {
            self.c.expect_word("i32")?;
            if self.c.eat_word(b"undef") || self.c.eat_word(b"poison") {
                mask.push(u32::MAX);
            } else {
                let pos = self.c.pos;
                let n = self.c.number32()?;
                if n >= limit {
                    return Err(ReadError::new(self.c.src, pos, "the mask names a lane beyond both vectors"));
                }
                mask.push(n);
            }
            if splat || !self.c.eat(b',') {
                break;
            }
        }
        self.c.expect(if splat { b')' } else { b'>' })?;
        if splat {
            let lane = mask[0];
            mask.resize(lanes as usize, lane);
        }
        if mask.len() != lanes as usize {
            return Err(ReadError::new(self.c.src, pos, "the mask is not as long as its type"));
        }
        Ok(())
    }
}

fn int_condition(key: u128) -> Option<IntCc> {
    Some(match key {
        w::EQ => IntCc::Eq,
        w::NE => IntCc::Ne,
        w::ULT => IntCc::Ult,
        w::ULE => IntCc::Ule,
        w::UGT => IntCc::Ugt,
        w::UGE => IntCc::Uge,
        w::SLT => IntCc::Slt,
        w::SLE => IntCc::Sle,
        w::SGT => IntCc::Sgt,
        w::SGE => IntCc::Sge,
        _ => return None,
    })
}

pub(crate) fn float_condition(key: u128) -> Option<FloatCc> {
    Some(match key {
        w::FALSE => FloatCc::False,
        w::OEQ => FloatCc::Oeq,
        w::OGT => FloatCc::Ogt,
        w::OGE => FloatCc::Oge,
        w::OLT => FloatCc::Olt,
        w::OLE => FloatCc::Ole,
        w::ONE => FloatCc::One,
        w::ORD => FloatCc::Ord,
        w::UNO => FloatCc::Uno,
        w::UEQ => FloatCc::Ueq,
        w::UGT => FloatCc::Ugt,
        w::UGE => FloatCc::Uge,
        w::ULT => FloatCc::Ult,
        w::ULE => FloatCc::Ule,
        w::UNE => FloatCc::Une,
        w::TRUE => FloatCc::True,
        _ => return None,
    })
}
