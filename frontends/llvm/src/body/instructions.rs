//! Reads instructions: the dispatch, arithmetic, conversions, comparisons, aggregates and vectors.

use gusset_codegen::ir::{FloatCc, IntCc, Opcode, TailKind};
use gusset_program::{Cast, Compare, Flags, I32, Kind, Op, Sink, TypeId, Val, refusals};
use gusset_text::{Placed, Result};

use super::calls::CallKind;
use super::reader::Reader;
use crate::lexer::Cursor;
use crate::words as w;

/// The opcode of a binary operator's keyword.
pub(super) fn binary_opcode(key: u128) -> Option<Opcode> {
    Some(match key {
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
        _ => return None,
    })
}

/// The conversion of a keyword.
pub(super) fn cast_of(key: u128) -> Option<Cast> {
    Some(match key {
        w::TRUNC => Cast::Trunc,
        w::ZEXT => Cast::Zext,
        w::SEXT => Cast::Sext,
        w::FPTRUNC => Cast::Fptrunc,
        w::FPEXT => Cast::Fpext,
        w::FPTOUI => Cast::Fptoui,
        w::FPTOSI => Cast::Fptosi,
        w::UITOFP => Cast::Uitofp,
        w::SITOFP => Cast::Sitofp,
        w::PTRTOINT => Cast::Ptrtoint,
        w::PTRTOADDR => Cast::Ptrtoaddr,
        w::INTTOPTR => Cast::Inttoptr,
        w::BITCAST => Cast::Bitcast,
        w::ADDRSPACECAST => Cast::Addrspacecast,
        _ => return None,
    })
}

impl<'r, E: Sink> Reader<'r, E> {
    /// Reads the instruction whose keyword, of length `len`, is at the cursor; its result has type `void` if there is
    /// none. `None` if `key` is no keyword: nothing has been read then.
    #[inline(always)]
    pub(super) fn instruction(&mut self, key: u128, len: usize) -> Option<Result<(TypeId, Val)>> {
        const LOAD: u64 = w::LOAD as u64;
        const STORE: u64 = w::STORE as u64;
        const BR: u64 = w::BR as u64;
        const CALL: u64 = w::CALL as u64;
        const ICMP: u64 = w::ICMP as u64;
        const PHI: u64 = w::PHI as u64;
        let pos = self.c.pos;
        self.c.bump(len);
        if key as u64 == PHI {
            return Some(self.phi());
        }
        let after_phis = std::mem::replace(&mut self.after_phis, true);
        // The most frequent instructions are tested first. Half of the key identifies words of less than eight letters.
        Some(match key as u64 {
            LOAD => self.load(),
            STORE => self.store(),
            BR => self.br(),
            CALL => self.call(CallKind::Call(TailKind::None)),
            ICMP => self.compare(true, false),
            _ if key == w::GETELEMENTPTR => self.gep(false),
            _ => match binary_opcode(key) {
                Some(op) => self.binary(op, pos),
                None => match self.rare_instruction(key, pos) {
                    None => {
                        (self.c.pos, self.after_phis) = (pos, after_phis);
                        return None;
                    }
                    Some(done) => done,
                },
            },
        })
    }

    fn rare_instruction(&mut self, key: u128, pos: usize) -> Option<Result<(TypeId, Val)>> {
        Some(match key {
            w::FCMP => self.compare(false, false),
            w::ALLOCA => self.alloca(),
            w::SELECT => {
                let begin = self.c.pos;
                self.flags(false);
                let flagged = self.c.pos != begin;
                self.select().and_then(|(ty, val)| {
                    self.c.refuse_if(flagged && !self.l.types().is_floating(ty), begin, refusals::FAST_MATH)?;
                    Ok((ty, val))
                })
            }
            w::RET => self.ret(),
            w::SWITCH => self.switch(),
            w::UNREACHABLE => self.l.op(Op::Unreachable).at(self.c.src, pos),
            w::TAIL => self.marked_call(TailKind::Tail),
            w::MUSTTAIL => self.marked_call(TailKind::Must),
            w::NOTAIL => {
                if E::PRESERVES_METADATA {
                    self.l.flags(Flags::NOTAIL);
                }
                self.marked_call(TailKind::None)
            }
            w::FNEG => {
                self.flags(false);
                self.typed_scalar().and_then(|(ty, val)| self.l.op(Op::Fneg { ty, val }).at(self.c.src, pos))
            }
            w::FREEZE => self.freeze(),
            w::EXTRACTVALUE => self.extract_value(),
            w::INSERTVALUE => self.insert_value(),
            w::EXTRACTELEMENT | w::INSERTELEMENT | w::SHUFFLEVECTOR => self.vector_instruction(key),
            w::FENCE => self.fence(),
            w::CMPXCHG => self.cmpxchg(),
            w::ATOMICRMW => self.atomicrmw(),
            w::VA_ARG => self.va_arg(),
            w::INDIRECTBR => self.indirect_br(),
            w::INVOKE => self.call(CallKind::Invoke),
            w::LANDINGPAD => self.landing_pad(),
            w::RESUME => self.resume(),
            w::CALLBR => self.call(CallKind::CallBr),
            w::CATCHSWITCH | w::CATCHPAD | w::CATCHRET | w::CLEANUPPAD | w::CLEANUPRET => self.funclet(key, pos),
            _ => {
                let cast = cast_of(key)?;
                self.flags(true);
                self.conversion(cast, pos)
            }
        })
    }

    /// Reads a call after the word that says whether it is a tail call.
    fn marked_call(&mut self, tail: TailKind) -> Result<(TypeId, Val)> {
        self.c.expect_word("call")?;
        self.call(CallKind::Call(tail))
    }

    /// Reads the operand of a `freeze`.
    fn freeze(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let ty = self.ty()?;
        let val = self.value(ty)?;
        self.l.op(Op::Freeze { ty, val }).at(self.c.src, pos)
    }

    /// Reads the operands of a binary operator.
    #[inline(always)]
    fn binary(&mut self, op: Opcode, pos: usize) -> Result<(TypeId, Val)> {
        self.flags(true);
        let ty = self.ty()?;
        let a = self.value(ty)?;
        self.c.expect(b',')?;
        let b = self.value(ty)?;
        self.l.op(Op::Binary { op, ty, a, b }).at(self.c.src, pos)
    }

    /// Reads `from value to type`, which the operator at `pos` converts.
    pub(super) fn conversion(&mut self, cast: Cast, pos: usize) -> Result<(TypeId, Val)> {
        let from = self.ty()?;
        let val = self.value(from)?;
        self.c.expect_word("to")?;
        let ty = self.ty()?;
        self.l.op(Op::Cast { cast, from, val, ty }).at(self.c.src, pos)
    }

    // Comparisons and selection.

    /// Reads a comparison, after its keyword.
    pub(super) fn compare(&mut self, integer: bool, parentheses: bool) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        if integer {
            self.flag(b"samesign");
        } else {
            self.flags(false);
        }
        let compare = match integer {
            true => parse_int_condition(&mut self.c)?,
            false => {
                let word = self.c.peek_text();
                let condition = FloatCc::from_name(word).ok_or_else(|| self.c.expected("a condition"))?;
                self.c.bump(word.len());
                Compare::Float(condition)
            }
        };
        if parentheses {
            self.c.expect(b'(')?;
        }
        let of = self.ty()?;
        let a = self.value(of)?;
        self.c.expect(b',')?;
        let b = if parentheses {
            let b = self.same_type(of)?;
            self.c.expect(b')')?;
            b
        } else {
            self.value(of)?
        };
        self.l.op(Op::Compare { compare, of, a, b }).at(self.c.src, pos)
    }

    /// Reads the operands of a `select`.
    pub(super) fn select(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let condition = self.typed_scalar()?;
        self.c.expect(b',')?;
        let ty = self.ty()?;
        let a = self.value(ty)?;
        self.c.expect(b',')?;
        let b = self.same_type(ty)?;
        self.l.op(Op::Select { condition, ty, a, b }).at(self.c.src, pos)
    }

    // Aggregates.

    /// Appends constant indexes into `ty` to the current instruction's path; returns the type of the element.
    fn indices(&mut self, ty: TypeId) -> Result<TypeId> {
        let mut element = ty;
        self.s.path.clear();
        while self.c.peek() == b',' {
            let mut next = self.c;
            next.bump(1);
            if !next.peek().is_ascii_digit() {
                break;
            }
            self.c = next;
            let pos = self.c.pos;
            let i = self.c.number()?;
            let member = u32::try_from(i).ok().and_then(|k| Some((k, self.l.types().element(element, i)?.0)));
            let Some((k, ty)) = member else {
                return Err(self.c.error_at(pos, "the aggregate has no such member"));
            };
            self.s.path.push(k);
            element = ty;
        }
        if self.s.path.is_empty() { Err(self.c.expected("`,` and an index")) } else { Ok(element) }
    }

    /// Reads an aggregate type and a value of it.
    fn typed_aggregate(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let ty = self.ty()?;
        self.l.check_aggregate(ty).at(self.c.src, pos)?;
        Ok((ty, self.value(ty)?))
    }

    /// Reads the operands of an `extractvalue`.
    pub(super) fn extract_value(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let (of, val) = self.typed_aggregate()?;
        self.indices(of)?;
        self.l.op(Op::ExtractValue { of, val, path: &self.s.path }).at(self.c.src, pos)
    }

    /// Reads the operands of an `insertvalue`.
    pub(super) fn insert_value(&mut self) -> Result<(TypeId, Val)> {
        let (ty, val) = self.typed_aggregate()?;
        self.c.expect(b',')?;
        let pos = self.c.pos;
        let own = self.ty()?;
        let element = self.value(own)?;
        let member = self.indices(ty)?;
        self.c.refuse_if(member != own, pos, "the value is not of the member's type")?;
        self.l.op(Op::InsertValue { ty, val, element, path: &self.s.path }).at(self.c.src, pos)
    }

    // Vectors.

    /// Reads the operands of `extractelement`, `insertelement` and `shufflevector`.
    pub(super) fn vector_instruction(&mut self, key: u128) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let (ty, v) = self.typed_scalar()?;
        let Kind::Vector { lane, len } = self.l.types().get(ty).kind else {
            return Err(self.c.expected_at(pos, "a vector"));
        };
        self.c.expect(b',')?;
        if key == w::SHUFFLEVECTOR {
            let b = self.same_type(ty)?;
            self.c.expect(b',')?;
            return self.shuffle(ty, len, v, b);
        }
        let x = if key == w::INSERTELEMENT {
            let x = self.same_type(lane)?;
            self.c.expect(b',')?;
            Some(x)
        } else {
            None
        };
        let pos = self.c.pos;
        let index = self.typed_scalar()?;
        let result = match x {
            None => self.l.op(Op::ExtractElement { of: ty, val: v, index }),
            Some(element) => self.l.op(Op::InsertElement { ty, val: v, element, index }),
        };
        result.at(self.c.src, pos)
    }

    fn shuffle(&mut self, of: TypeId, len: u32, a: Val, b: Val) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        let mask_ty = self.ty()?;
        let lanes = match self.l.types().get(mask_ty).kind {
            Kind::Vector { lane: I32, len } => len,
            _ => return Err(self.c.expected_at(pos, "a vector of `i32`")),
        };
        let mut mask = std::mem::take(&mut self.s.mask);
        mask.clear();
        shuffle_mask(&mut self.c, lanes, 2 * len, &mut mask)?;
        let result = self.l.op(Op::ShuffleVector { of, a, b, mask: &mask });
        self.s.mask = mask;
        result.at(self.c.src, pos)
    }
}

fn shuffle_mask(c: &mut Cursor<'_>, lanes: u32, limit: u32, mask: &mut Vec<u32>) -> Result<()> {
    let pos = c.pos;
    if c.eat_word(b"zeroinitializer") {
        mask.resize(lanes as usize, 0);
        return Ok(());
    }
    if c.eat_word(b"undef") || c.eat_word(b"poison") {
        mask.resize(lanes as usize, u32::MAX);
        return Ok(());
    }
    let splat = c.eat_word(b"splat");
    c.expect(if splat { b'(' } else { b'<' })?;
    loop {
        c.expect_word("i32")?;
        if c.eat_word(b"undef") || c.eat_word(b"poison") {
            mask.push(u32::MAX);
        } else {
            let pos = c.pos;
            let n = c.number32()?;
            c.refuse_if(n >= limit, pos, "the mask names a lane beyond both vectors")?;
            mask.push(n);
        }
        if splat || !c.eat(b',') {
            break;
        }
    }
    c.expect(if splat { b')' } else { b'>' })?;
    if splat {
        let lane = mask[0];
        mask.resize(lanes as usize, lane);
    }
    c.refuse_if(mask.len() != lanes as usize, pos, "the mask is not as long as its type")?;
    Ok(())
}

/// Reads the condition of a comparison of integers.
#[inline(always)]
fn parse_int_condition(c: &mut Cursor<'_>) -> Result<Compare> {
    let (condition, len) = c.keyword(int_condition).ok_or_else(|| c.expected("a condition"))?;
    c.bump(len);
    Ok(Compare::Int(condition))
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
