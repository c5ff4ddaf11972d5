//! Operations on floating-point numbers of 16 bits: they use wider formats and round once.
//!
//! Sums, products, quotients and square roots that are rounded to `f32` and then to 16 bits are the same as if rounded
//! at once, since `f32` has more than twice as many digits. Where that is not so, the first rounding is *to odd*: of
//! the two numbers next to a result it takes the one whose last digit is odd, so that the second rounding sees on which
//! side of a midpoint the result was ("Emulation of a FMA and correctly-rounded sums: proved algorithms using rounding
//! to odd", Boldo and Melquiond, 2008).

use super::*;

impl Cx<'_> {
    /// Half precision: in single precision, except for operations that only touch the sign.
    pub(super) fn half(&mut self, op: Opcode, ty: Type, x: &[Value]) -> Value {
        use Opcode::*;
        let sign = 0x8000;
        match op {
            Fneg | Fabs | Fcopysign => {
                let a = self.cast(x[0], Type::I16);
                let r = match op {
                    Fneg => self.bin_imm(Xor, a, sign),
                    Fabs => self.bin_imm(And, a, sign - 1),
                    _ => {
                        let b = self.cast(x[1], Type::I16);
                        let (a, b) = (self.bin_imm(And, a, sign - 1), self.bin_imm(And, b, sign));
                        self.bin(Or, a, b)
                    }
                };
                self.cast(r, ty)
            }
            Fma => self.narrow_fma(ty, x),
            _ => {
                let wide: Parts = x.iter().map(|&v| self.single(v)).collect();
                let r = self.scalar(op, Type::F32, &wide);
                self.e1(Fptrunc, ty, [r.0, 0, 0])
            }
        }
    }

    /// A half-precision number in single precision; other numbers unchanged.
    pub(super) fn single(&mut self, v: Value) -> Value {
        match self.out.value_type(v) {
            Type::BF16 => {
                let bits = self.cast(v, Type::I16);
                let wide = self.resize(bits, Type::I32);
                let up = self.bin_imm(Opcode::Shl, wide, 16);
                self.cast(up, Type::F32)
            }
            Type::F16 => self.e1(Opcode::Fpext, Type::F32, [v.0, 0, 0]),
            _ => v,
        }
    }

    /// A product and a sum, rounded once. The product is exact in `f64`. So is the sum of halves, unless one number is
    /// so much smaller than the other that it cannot matter. The sum of bfloats, whose exponents are larger, is rounded
    /// to odd.
    fn narrow_fma(&mut self, ty: Type, x: &[Value]) -> Value {
        use Opcode::*;
        let wide: Parts = x
            .iter()
            .map(|&v| {
                let v = self.single(v);
                self.e1(Fpext, Type::F64, [v.0, 0, 0])
            })
            .collect();
        let product = self.bin(Fmul, wide[0], wide[1]);
        let mut sum = self.bin(Fadd, product, wide[2]);
        if ty == Type::BF16 {
            sum = self.sum_to_odd(sum, product, wide[2]);
        }
        self.e1(Fptrunc, ty, [sum.0, 0, 0])
    }

    /// The sum of two numbers rounded to odd, made from the sum rounded to nearest. The rounding error is itself a
    /// floating-point number ("The Art of Computer Programming", volume 2, section 4.2.2, theorem B).
    fn sum_to_odd(&mut self, sum: Value, a: Value, b: Value) -> Value {
        use Opcode::*;
        let b_part = self.bin(Fsub, sum, a);
        let a_part = self.bin(Fsub, sum, b_part);
        let (a_rest, b_rest) = (self.bin(Fsub, a, a_part), self.bin(Fsub, b, b_part));
        let rest = self.bin(Fadd, a_rest, b_rest);
        let zero = self.lane_const(Type::F64, 0);
        // The error of infinities and NaNs is none.
        let lacks = self.scalar_fcmp(FloatCc::One, rest, zero);
        let lacks = self.resize(lacks, Type::I64);
        let (bits, rest) = (self.cast(sum, Type::I64), self.cast(rest, Type::I64));
        let even = self.not(bits);
        let moves = self.bin(And, lacks, even);
        // One up if the error has the sum's sign, else one down.
        let signs = self.bin(Xor, bits, rest);
        let against = self.bin_imm(Ashr, signs, 63);
        let by = self.bin_imm(Or, against, 1);
        let by = self.bin(Imul, by, moves);
        let bits = self.bin(Iadd, bits, by);
        self.cast(bits, Type::F64)
    }

    /// An integer of `bits` bits, extended as `op` reads it, converted to 16 bits.
    pub(super) fn int_to_narrow(&mut self, signed: bool, bits: u32, v: Value, to: Type) -> Value {
        use Opcode::*;
        let held = self.out.value_type(v);
        // `f32` only rounds numbers beyond the largest half. What a bfloat keeps of numbers of 25 bits and more is
        // rounded to odd.
        let single = if to == Type::F16 || bits <= Self::SINGLE_DIGITS + u32::from(signed) {
            v
        } else if held.bits() <= 32 {
            let odd = self.cut_to_odd(v, held.bits() - Self::SINGLE_DIGITS);
            let most = 1 << Self::SINGLE_DIGITS;
            let large = if signed {
                let from_least = self.bin_imm(Iadd, v, most);
                let range = self.num(held, 2 * most);
                self.scalar_icmp(IntCc::Ugt, from_least, range)
            } else {
                let range = self.num(held, most);
                self.scalar_icmp(IntCc::Ugt, v, range)
            };
            self.scalar_select(large, odd, v)
        } else {
            let single = self.long_to_odd_single(signed, v);
            return self.e1(Fptrunc, to, [single.0, 0, 0]);
        };
        let single = self.e1(if signed { Sitofp } else { Uitofp }, Type::F32, [single.0, 0, 0]);
        self.e1(Fptrunc, to, [single.0, 0, 0])
    }

    /// Number of binary digits of an `f32`.
    const SINGLE_DIGITS: u32 = 24;

    /// An integer whose lowest `by` bits are zero; the bit above them is set if they were not zero, which is rounding
    /// to odd.
    pub(super) fn cut_to_odd(&mut self, v: Value, by: u32) -> Value {
        use Opcode::*;
        let rest = (1 << by) - 1;
        let low = self.bin_imm(And, v, rest);
        let carried = self.bin_imm(Iadd, low, rest);
        let sticky = self.bin_imm(And, carried, 1 << by);
        let kept = self.bin_imm(And, v, !rest);
        self.bin(Or, kept, sticky)
    }

    /// An integer of 64 or 128 bits as an `f32`, rounded to odd.
    fn long_to_odd_single(&mut self, signed: bool, v: Value) -> Value {
        use Opcode::*;
        let ty = self.out.value_type(v);
        let bits = ty.bits();
        let digits = if signed { self.un(Iabs, v) } else { v };
        let zeros = self.un(Ctlz, digits);
        let by = self.bin_imm(And, zeros, u128::from(bits) - 1);
        let digits_first = self.bin(Shl, digits, by);
        let by = bits - Self::SINGLE_DIGITS;
        let kept = self.cut_to_odd(digits_first, by);
        let kept = self.bin_imm(Lshr, kept, by.into());
        let kept = self.resize(kept, Type::I32);
        // The first digit counts in the exponent, too.
        let zeros = self.resize(zeros, Type::I32);
        let most = self.num(Type::I32, u128::from(126 + bits - 1));
        let exponent = self.bin(Isub, most, zeros);
        let exponent = self.bin_imm(Shl, exponent, u128::from(Self::SINGLE_DIGITS) - 1);
        let number = self.bin(Iadd, exponent, kept);
        let zero = self.num(ty, 0);
        let is_zero = self.scalar_icmp(IntCc::Eq, digits, zero);
        let zero = self.num(Type::I32, 0);
        let mut number = self.scalar_select(is_zero, zero, number);
        if signed {
            let sign = self.bin_imm(Lshr, v, u128::from(bits) - 32);
            let sign = self.resize(sign, Type::I32);
            let sign = self.bin_imm(And, sign, 1 << 31);
            number = self.bin(Or, number, sign);
        }
        self.cast(number, Type::F32)
    }
}
