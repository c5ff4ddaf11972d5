//! Operations on scalars that no machine has: odd widths, truth values, half precision, saturation.

use super::*;

impl Cx<'_> {
    /// `op` on scalars of the source type `ty`, which are represented by other types.
    pub(super) fn scalar(&mut self, op: Opcode, ty: Type, x: &[Value]) -> Value {
        use Opcode::*;
        match ty {
            Type::I1 => return self.truth(op, x),
            Type::F16 if self.legal.has_half(op) => {}
            Type::F16 | Type::BF16 => return self.half(op, ty, x),
            _ => {}
        }
        let bits = ty.bits();
        match op {
            Fminimum | Fmaximum => return self.extreme(op, ty, x[0], x[1]),
            UshlSat | SshlSat if plain_type(ty) => return self.shl_sat(op, x[0], x[1]),
            _ => {}
        }
        if plain_type(ty) {
            let word = |k: usize| x.get(k).map_or(0, |v| v.0);
            return self.e1(op, ty, [word(0), word(1), word(2)]);
        }
        let wide = promoted(bits);
        let spare = (wide.bits() - bits) as u128;
        match op {
            Shl => {
                let by = self.zx(x[1], bits);
                self.bin(Shl, x[0], by)
            }
            Udiv | Urem | Umin | Umax | Lshr => {
                let (a, b) = (self.zx(x[0], bits), self.zx(x[1], bits));
                self.bin(op, a, b)
            }
            Ashr => {
                let (a, b) = (self.sx(x[0], bits), self.zx(x[1], bits));
                self.bin(op, a, b)
            }
            Sdiv | Srem | Smin | Smax => {
                let (a, b) = (self.sx(x[0], bits), self.sx(x[1], bits));
                self.bin(op, a, b)
            }
            // Shifted into the upper bits of the wider type, the operation saturates at the right bounds.
            UaddSat | SaddSat | UsubSat | SsubSat => {
                let (a, b) = (self.bin_imm(Shl, x[0], spare), self.bin_imm(Shl, x[1], spare));
                let r = self.bin(op, a, b);
                self.bin_imm(Lshr, r, spare)
            }
            UshlSat | SshlSat => {
                let (a, b) = (self.bin_imm(Shl, x[0], spare), self.zx(x[1], bits));
                let r = self.shl_sat(op, a, b);
                self.bin_imm(Lshr, r, spare)
            }
            Ctlz => {
                let a = self.zx(x[0], bits);
                let n = self.un(Ctlz, a);
                self.bin_imm(Isub, n, spare)
            }
            Cttz => {
                let a = self.bin_imm(Or, x[0], 1 << bits);
                self.un(Cttz, a)
            }
            Ctpop => {
                let a = self.zx(x[0], bits);
                self.un(Ctpop, a)
            }
            Bswap | Bitreverse => {
                let r = self.un(op, x[0]);
                self.bin_imm(Lshr, r, spare)
            }
            Iabs => {
                let a = self.sx(x[0], bits);
                self.un(Iabs, a)
            }
            Fshl | Fshr => {
                let by = self.zx(x[2], bits);
                let by = self.bin_imm(Urem, by, bits as u128);
                let most = self.num(wide, bits as u128 - 1);
                let rest = self.bin(Isub, most, by);
                let low = self.zx(x[1], bits);
                let (high, low) = if op == Fshl {
                    let half = self.bin_imm(Lshr, low, 1);
                    (self.bin(Shl, x[0], by), self.bin(Lshr, half, rest))
                } else {
                    let twice = self.bin_imm(Shl, x[0], 1);
                    (self.bin(Shl, twice, rest), self.bin(Lshr, low, by))
                };
                self.bin(Or, high, low)
            }
            _ => {
                let word = |k: usize| x.get(k).map_or(0, |v| v.0);
                self.e1(op, wide, [word(0), word(1), word(2)])
            }
        }
    }

    /// Arithmetic modulo two; as a signed number, a true value is -1.
    fn truth(&mut self, op: Opcode, x: &[Value]) -> Value {
        use Opcode::*;
        match op {
            Iadd | Isub | Xor => self.bin(Xor, x[0], x[1]),
            Imul | And | Umin | Smax => self.bin(And, x[0], x[1]),
            Or | Umax | Smin | UaddSat | SaddSat => self.bin(Or, x[0], x[1]),
            UsubSat | SsubSat => {
                let not = self.bin_imm(Xor, x[1], 1);
                self.bin(And, x[0], not)
            }
            Urem | Srem => self.num(Type::I1, 0),
            Ctlz | Cttz => self.bin_imm(Xor, x[0], 1),
            Fshr => x[1],
            // Divisors are 1, and shift amounts are 0.
            _ => x[0],
        }
    }

    fn shl_sat(&mut self, op: Opcode, a: Value, by: Value) -> Value {
        use Opcode::*;
        let ty = self.out.value_type(a);
        let r = self.bin(Shl, a, by);
        let signed = op == SshlSat;
        let back = self.bin(if signed { Ashr } else { Lshr }, r, by);
        let fits = self.scalar_icmp(IntCc::Eq, back, a);
        let limit = if signed {
            let sign = self.bin_imm(Ashr, a, ty.bits() as u128 - 1);
            self.bin_imm(Xor, sign, (1 << (ty.bits() - 1)) - 1)
        } else {
            self.num(ty, u128::MAX)
        };
        self.scalar_select(fits, r, limit)
    }

    /// `fminimum`, `fmaximum`: NaN if an operand is NaN, and -0 below +0.
    fn extreme(&mut self, op: Opcode, ty: Type, a: Value, b: Value) -> Value {
        use Opcode::*;
        let min = op == Fminimum;
        let first = self.scalar_fcmp(if min { FloatCc::Olt } else { FloatCc::Ogt }, a, b);
        let r = self.scalar_select(first, a, b);
        // The sum of two zeros is negative only if both are.
        let zero = self.lane_const(ty, 0);
        let (a0, b0) = (self.scalar_fcmp(FloatCc::Oeq, a, zero), self.scalar_fcmp(FloatCc::Oeq, b, zero));
        let zeros = self.bin(And, a0, b0);
        let sum = self.bin(Fadd, a, b);
        let of_zeros = if min {
            let (na, nb) = (self.un(Fneg, a), self.un(Fneg, b));
            let s = self.bin(Fadd, na, nb);
            self.un(Fneg, s)
        } else {
            sum
        };
        let r = self.scalar_select(zeros, of_zeros, r);
        let nan = self.scalar_fcmp(FloatCc::Uno, a, b);
        self.scalar_select(nan, sum, r)
    }

    /// A conversion between the scalar source types `from` and `to`.
    pub(super) fn convert(&mut self, op: Opcode, from: Type, to: Type, v: Value) -> Value {
        use Opcode::*;
        let wide = if plain_type(to) { to } else { promoted(to.bits()) };
        match op {
            Trunc => self.resize(v, wide),
            Zext => {
                let v = self.zx(v, from.bits());
                self.resize(v, wide)
            }
            Sext => {
                let v = if from == Type::I1 { v } else { self.sx(v, from.bits()) };
                if self.out.value_type(v) == wide { v } else { self.e1(Sext, wide, [v.0, 0, 0]) }
            }
            Fpext => {
                let v = self.single(v);
                if self.out.value_type(v) == to { v } else { self.e1(Fpext, to, [v.0, 0, 0]) }
            }
            Sitofp | Uitofp => {
                let signed = op == Sitofp;
                let v = if from == Type::I1 {
                    self.e1(if signed { Sext } else { Zext }, Type::I32, [v.0, 0, 0])
                } else if signed {
                    self.sx(v, from.bits())
                } else {
                    self.zx(v, from.bits())
                };
                match to {
                    Type::F16 | Type::BF16 => self.int_to_narrow(signed, from.bits(), v, to),
                    _ => self.e1(op, to, [v.0, 0, 0]),
                }
            }
            Fptosi | Fptoui => {
                let v = self.single(v);
                let n = self.truncate(op == Fptosi, to, v)[0];
                if to == Type::I1 { self.e1(Trunc, to, [n.0, 0, 0]) } else { n }
            }
            FptosiSat | FptouiSat => {
                let v = self.single(v);
                let r = self.saturate(op == FptosiSat, to, v)[0];
                if to == Type::I1 { self.e1(Trunc, to, [r.0, 0, 0]) } else { r }
            }
            _ => self.e1(op, to, [v.0, 0, 0]),
        }
    }

    /// The parts of the integer of type `to` that is nearest to a floating-point number.
    pub(super) fn saturate(&mut self, signed: bool, to: Type, v: Value) -> Vec<Value> {
        let float = self.out.value_type(v);
        let bits = to.bits() - u32::from(signed);
        let end = self.lane_const(float, power_of_two(float, bits as i32));
        let r = self.truncate(signed, to, v);
        let held = self.out.value_type(r[0]);
        // All `bits` ones, or their complement.
        let limit = |cx: &mut Self, flip: u128| -> Vec<Value> {
            let ones = |k: usize| match bits.saturating_sub(k as u32 * held.bits()) {
                128.. => u128::MAX,
                left => (1 << left) - 1,
            };
            (0..r.len()).map(|k| cx.num(held, ones(k) ^ flip)).collect()
        };
        let (most, least) = (limit(self, 0), limit(self, u128::MAX));
        let zero = vec![self.num(held, 0); r.len()];
        let above = self.scalar_fcmp(FloatCc::Oge, v, end);
        let r = self.choose(above, &most, &r);
        if signed {
            let low = self.un(Opcode::Fneg, end);
            let below = self.scalar_fcmp(FloatCc::Olt, v, low);
            let r = self.choose(below, &least, &r);
            let nan = self.scalar_fcmp(FloatCc::Uno, v, v);
            self.choose(nan, &zero, &r)
        } else {
            let fzero = self.lane_const(float, 0);
            let positive = self.scalar_fcmp(FloatCc::Ogt, v, fzero);
            self.choose(positive, &r, &zero)
        }
    }

    /// A comparison of scalars of the source type `ty`.
    pub(super) fn compare_scalar(&mut self, d: &InstData, ty: Type, a: Value, b: Value) -> Value {
        if d.op == Opcode::Fcmp {
            let here = ty == Type::F16 && self.legal.has_half(Opcode::Fcmp);
            let (a, b) = if here { (a, b) } else { (self.single(a), self.single(b)) };
            let ty = self.out.value_type(a);
            return self.er(Opcode::Fcmp, d.flags, ty, [a.0, b.0, 0], Type::I1);
        }
        let cc = IntCc::from_u8(d.flags).unwrap_or(IntCc::Eq);
        if ty == Type::I1 {
            return self.scalar_icmp(truth_cc(cc), a, b);
        }
        let bits = ty.bits();
        let (a, b) =
            if cc.is_signed() { (self.sx(a, bits), self.sx(b, bits)) } else { (self.zx(a, bits), self.zx(b, bits)) };
        self.scalar_icmp(cc, a, b)
    }

    /// An operation with an overflow flag on scalars of the source type `ty`.
    pub(super) fn overflow_scalar(&mut self, op: Opcode, ty: Type, a: Value, b: Value) -> (Value, Value) {
        use Opcode::*;
        if ty != Type::I1 && plain_type(ty) {
            return self.with_flag(op, a, b);
        }
        let bits = ty.bits();
        let signed = matches!(op, SaddOv | SsubOv | SmulOv);
        let [a, b] = [a, b].map(|v| {
            let v = if ty == Type::I1 { self.resize(v, Type::I8) } else { v };
            if signed { self.sx(v, bits) } else { self.zx(v, bits) }
        });
        let (r, over) = self.with_flag(op, a, b);
        let kept = if signed { self.sx(r, bits) } else { self.zx(r, bits) };
        let differs = self.scalar_icmp(IntCc::Ne, kept, r);
        let over = self.bin(Or, over, differs);
        (if ty == Type::I1 { self.e1(Trunc, ty, [r.0, 0, 0]) } else { r }, over)
    }
}

/// The comparison of truth values that holds when `cc` does, where a true value is -1 if signed.
pub(super) fn truth_cc(cc: IntCc) -> IntCc {
    match cc {
        IntCc::Slt => IntCc::Ugt,
        IntCc::Sle => IntCc::Uge,
        IntCc::Sgt => IntCc::Ult,
        IntCc::Sge => IntCc::Ule,
        cc => cc,
    }
}
