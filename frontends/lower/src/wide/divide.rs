//! Division of integers of more than two registers: bit by bit in a loop, since no library has it.

use gusset_codegen::ir::{IntCc, Opcode, Type, Value};

use super::Limbs;
use crate::function::{FunctionLowering, Val};
use crate::types::TypeId;

impl FunctionLowering<'_> {
    /// The quotient or remainder, as `op` says.
    pub(super) fn division(&mut self, op: Opcode, ty: TypeId, [a, b]: [Val; 2]) -> Limbs {
        let signed = matches!(op, Opcode::Sdiv | Opcode::Srem);
        let remainder = matches!(op, Opcode::Urem | Opcode::Srem);
        let (a, b) = (self.limbs(ty, a, signed), self.limbs(ty, b, signed));
        if !signed {
            let (quotient, rest) = self.divide(a, b);
            return if remainder { rest } else { quotient };
        }
        let (sign_a, sign_b) = (self.filler(&a, true), self.filler(&b, true));
        let (a, b) = (self.negated_if(&a, sign_a), self.negated_if(&b, sign_b));
        let (quotient, rest) = self.divide(a, b);
        if remainder {
            return self.negated_if(&rest, sign_a);
        }
        let sign = self.apply(Opcode::Xor, sign_a, sign_b);
        self.negated_if(&quotient, sign)
    }

    /// The negative of a number if every bit of `sign` is set, itself if none is.
    fn negated_if(&mut self, a: &[Value], sign: Value) -> Limbs {
        let flipped: Limbs = a.iter().map(|&v| self.apply(Opcode::Xor, v, sign)).collect();
        self.sum(Opcode::Isub, &flipped, &vec![sign; a.len()])
    }

    /// Quotient and remainder of unsigned numbers. Each round moves a bit from the dividend to the remainder and, if the divisor
    /// goes into that, takes it off and puts a bit to the quotient, which takes the dividend's place.
    fn divide(&mut self, dividend: Limbs, divisor: Limbs) -> (Limbs, Limbs) {
        let (n, limb) = (dividend.len(), self.limb());
        let (round, done) = (self.new_block(), self.new_block());
        let zero = self.limb_constant(0);
        let rounds = self.b.iconst(Type::I32, n as i128 * i128::from(limb.bits()));
        let start = self.edge(round);
        let first = dividend.into_iter().chain(std::iter::repeat_n(zero, n)).chain([rounds]);
        first.for_each(|v| self.b.func.append_edge_arg(start, v));
        self.push0(Opcode::Jump, 0, Type::VOID, [start.0, 0, 0]);

        self.b.switch_to(round);
        let mut params =
            |count: usize, ty| -> Limbs { (0..count).map(|_| self.b.func.append_param(round, ty)).collect() };
        let (dividend, rest, left) = (params(n, limb), params(n, limb), params(1, Type::I32)[0]);
        let last = self.limb_constant(u64::from(limb.bits()) - 1);
        let (bit, beyond) =
            (self.apply(Opcode::Lshr, dividend[n - 1], last), self.apply(Opcode::Lshr, rest[n - 1], last));
        let (mut quotient, mut rest) = (self.shift(Opcode::Shl, &dividend, 1), self.shift(Opcode::Shl, &rest, 1));
        rest[0] = self.apply(Opcode::Or, rest[0], bit);
        // One more limb holds what moves out of the remainder, and tells whether it was smaller than the divisor.
        rest.push(beyond);
        let mut divisor = divisor;
        divisor.push(zero);
        let less = self.sum(Opcode::Isub, &rest, &divisor);
        let goes = self.b.icmp(IntCc::Eq, less[n], zero);
        let rest: Limbs = (0..n).map(|i| self.b.select(goes, less[i], rest[i])).collect();
        let bit = self.fit(goes, limb, false);
        quotient[0] = self.apply(Opcode::Or, quotient[0], bit);
        let minus = self.b.iconst(Type::I32, -1);
        let left = self.b.binary(Opcode::Iadd, left, minus);
        let none = self.b.iconst(Type::I32, 0);
        let more = self.b.icmp(IntCc::Ne, left, none);
        let (again, out) = (self.edge(round), self.edge(done));
        quotient.iter().chain(&rest).chain([&left]).for_each(|&v| self.b.func.append_edge_arg(again, v));
        self.push0(Opcode::Br, 0, Type::VOID, [more.0, again.0, out.0]);
        self.b.switch_to(done);
        (quotient, rest)
    }
}
