//! Converts floating-point numbers of 16 bits by arithmetic on their bits, where neither the machine nor its library converts them.

use super::call::Cx;
use crate::error::Result;
use crate::ir::{ConstData, FloatCc, InstData, IntCc, Opcode, Type, Value};
use crate::machine::Machine;

/// Number of fraction bits of an `f32`.
const SINGLE_FRACTION: u32 = 23;
/// The bits of infinity as an `f32`.
const SINGLE_INFINITE: i128 = 0x7f80_0000;
/// The bits of infinity as a half.
const HALF_INFINITE: i128 = 0x7c00;
/// How far a half's bits are shifted to be an `f32`'s.
const HALF_SHIFT: i128 = 13;
/// The difference of the exponents' biases of `f32` and half, in its position.
const HALF_BIAS: i128 = (127 - 15) << SINGLE_FRACTION;

impl<T: Machine> Cx<'_, T> {
    /// A number as another type: by the machine, its library, or in steps.
    pub(super) fn resized_float(&mut self, op: Opcode, v: Value, ty: Type) -> Result<Value> {
        let d = InstData { op, flags: 0, ty, a: v.0, b: 0, c: 0 };
        if self.target.calls_library(self.f, &d) { self.called(&d) } else { Ok(self.op(op, 0, ty, v, v, ty)) }
    }

    /// A half as an `f32`.
    pub(super) fn half_to_single(&mut self, v: Value) -> Value {
        use Opcode::*;
        let bits = self.op(Bitcast, 0, Type::I16, v, v, Type::I16);
        let bits = self.op(Zext, 0, Type::I32, bits, bits, Type::I32);
        let digits = self.with(And, bits, 0x7fff);
        let moved = self.with(Shl, digits, HALF_SHIFT);
        let normal = self.with(Iadd, moved, HALF_BIAS);
        // Where no leading digit is implied, it is subtracted again.
        let more = self.with(Iadd, normal, 1 << SINGLE_FRACTION);
        let more = self.op(Bitcast, 0, Type::F32, more, more, Type::F32);
        let least = self.f.make_const(Type::F32, ConstData::Float((127 - 14) << SINGLE_FRACTION));
        let tiny = self.op(Fsub, 0, Type::F32, more, least, Type::F32);
        let tiny = self.op(Bitcast, 0, Type::I32, tiny, tiny, Type::I32);
        let is_tiny = self.test(IntCc::Ult, digits, 1 << 10);
        let finite = self.choose(is_tiny, tiny, normal);
        let beyond = self.with(Or, moved, SINGLE_INFINITE);
        let is_beyond = self.test(IntCc::Uge, digits, HALF_INFINITE);
        let number = self.choose(is_beyond, beyond, finite);
        let number = self.quiet(number, (digits, HALF_INFINITE), 1 << (SINGLE_FRACTION - 1));
        let sign = self.with(And, bits, 0x8000);
        let sign = self.with(Shl, sign, 16);
        let number = self.op(Or, 0, Type::I32, number, sign, Type::I32);
        self.op(Bitcast, 0, Type::F32, number, number, Type::F32)
    }

    /// An `f32` rounded to 16 bits: to nearest, ties to even.
    pub(super) fn single_to_narrow(&mut self, v: Value, to: Type) -> Value {
        use Opcode::*;
        let bits = self.op(Bitcast, 0, Type::I32, v, v, Type::I32);
        let digits = self.with(And, bits, 0x7fff_ffff);
        let number = if to == Type::BF16 {
            let number = self.rounded_down_by(digits, 16);
            // A NaN is truncated, not rounded.
            let cut = self.with(Lshr, digits, 16);
            let is_nan = self.test(IntCc::Ugt, digits, SINGLE_INFINITE);
            let number = self.choose(is_nan, cut, number);
            self.quiet(number, (digits, SINGLE_INFINITE), 0x40)
        } else {
            let rebiased = self.with(Isub, digits, HALF_BIAS);
            let normal = self.rounded_down_by(rebiased, HALF_SHIFT);
            // A number that is too large becomes infinity.
            let infinite = self.f.make_int(Type::I32, HALF_INFINITE);
            let normal = self.op(Umin, 0, Type::I32, normal, infinite, Type::I32);
            // In the sum of a number with this one, the last digit is that of the smallest half.
            let half = self.f.make_const(Type::F32, ConstData::Float(126 << SINGLE_FRACTION));
            let tiny = self.op(Bitcast, 0, Type::F32, digits, digits, Type::F32);
            let tiny = self.op(Fadd, 0, Type::F32, tiny, half, Type::F32);
            let tiny = self.op(Bitcast, 0, Type::I32, tiny, tiny, Type::I32);
            let tiny = self.with(Isub, tiny, 126 << SINGLE_FRACTION);
            let is_tiny = self.test(IntCc::Ult, digits, (127 - 14) << SINGLE_FRACTION);
            let finite = self.choose(is_tiny, tiny, normal);
            let nan = self.with(Lshr, digits, HALF_SHIFT);
            let nan = self.with(And, nan, 0x3ff);
            let nan = self.with(Or, nan, HALF_INFINITE | 0x200);
            let is_nan = self.test(IntCc::Ugt, digits, SINGLE_INFINITE);
            self.choose(is_nan, nan, finite)
        };
        let sign = self.with(Lshr, bits, 16);
        let sign = self.with(And, sign, 0x8000);
        let number = self.op(Or, 0, Type::I32, number, sign, Type::I32);
        let number = self.op(Trunc, 0, Type::I16, number, number, Type::I16);
        self.op(Bitcast, 0, to, number, number, to)
    }

    /// A number of a wider format as an `f32`: of the two next to it the one whose last digit is odd, so that rounding
    /// that again is like rounding once ("Emulation of a FMA and correctly-rounded sums: proved algorithms using
    /// rounding to odd", Boldo and Melquiond, 2008).
    pub(super) fn odd_single(&mut self, v: Value) -> Result<Value> {
        use Opcode::*;
        let ty = self.f.value_type(v);
        let near = self.resized_float(Fptrunc, v, Type::F32)?;
        let back = self.resized_float(Fpext, near, ty)?;
        let differs = self.compared(FloatCc::One, back, v)?;
        let [size, near_size] = [v, back].map(|x| self.op(Fabs, 0, ty, x, x, ty));
        let less = self.compared(FloatCc::Olt, near_size, size)?;
        let bits = self.op(Bitcast, 0, Type::I32, near, near, Type::I32);
        let [one, minus] = [1, -1].map(|n| self.f.make_int(Type::I32, n));
        let by = self.choose(less, one, minus);
        let moved = self.op(Iadd, 0, Type::I32, bits, by, Type::I32);
        let last = self.with(And, bits, 1);
        let even = self.test(IntCc::Eq, last, 0);
        let moves = self.op(And, 0, Type::I1, differs, even, Type::I1);
        let bits = self.choose(moves, moved, bits);
        Ok(self.op(Bitcast, 0, Type::F32, bits, bits, Type::F32))
    }

    /// A comparison: by the machine or its library.
    pub(super) fn compared(&mut self, cc: FloatCc, a: Value, b: Value) -> Result<Value> {
        let ty = self.f.value_type(a);
        let d = InstData { op: Opcode::Fcmp, flags: cc as u8, ty, a: a.0, b: b.0, c: 0 };
        let called = if self.target.calls_library(self.f, &d) { self.compare(&d)? } else { None };
        Ok(called.unwrap_or_else(|| self.op(Opcode::Fcmp, cc as u8, ty, a, b, Type::I1)))
    }

    /// Digits without the last `by`, rounded to nearest, ties to even.
    fn rounded_down_by(&mut self, digits: Value, by: i128) -> Value {
        let last = self.with(Opcode::Lshr, digits, by);
        let last = self.with(Opcode::And, last, 1);
        let sum = self.with(Opcode::Iadd, digits, (1 << (by - 1)) - 1);
        let sum = self.op(Opcode::Iadd, 0, Type::I32, sum, last, Type::I32);
        self.with(Opcode::Lshr, sum, by)
    }

    /// A number with this bit set, if the bits that it was made from are above those of infinity.
    fn quiet(&mut self, number: Value, (digits, infinite): (Value, i128), bit: i128) -> Value {
        let is_nan = self.test(IntCc::Ugt, digits, infinite);
        let [bit, none] = [bit, 0].map(|n| self.f.make_int(Type::I32, n));
        let bit = self.choose(is_nan, bit, none);
        self.op(Opcode::Or, 0, Type::I32, number, bit, Type::I32)
    }

    /// An operation with a constant.
    fn with(&mut self, op: Opcode, v: Value, n: i128) -> Value {
        let n = self.f.make_int(Type::I32, n);
        self.op(op, 0, Type::I32, v, n, Type::I32)
    }

    /// A comparison with a constant.
    fn test(&mut self, cc: IntCc, v: Value, n: i128) -> Value {
        let n = self.f.make_int(Type::I32, n);
        self.op(Opcode::Icmp, cc as u8, Type::I32, v, n, Type::I1)
    }

    pub(super) fn choose(&mut self, condition: Value, a: Value, b: Value) -> Value {
        let ty = self.f.value_type(a);
        self.f.push_op(Opcode::Select, 0, ty, [condition, a, b], ty)
    }
}
