//! Arithmetic of any width on numbers in limbs, with operations on registers. Limbs are as wide as a register, the
//! lowest first.

use super::*;
use crate::ir::fold_binary;

/// The limbs of a number.
pub(super) type Limbs = Vec<Value>;

impl Cx<'_> {
    pub(super) fn limb_constant(&mut self, n: u64) -> Value {
        self.out.make_int(self.limb, n.into())
    }

    /// An integer in the type `ty`; if that is wider, the upper bits are zero or copies of the sign.
    pub(super) fn extend(&mut self, v: Value, ty: Type, signed: bool) -> Value {
        if !signed || self.out.value_type(v).bits() >= ty.bits() {
            return self.resize(v, ty);
        }
        match self.out.int_constant_signed(v) {
            Some(n) => self.out.make_int(ty, n.into()),
            None => self.e1(Opcode::Sext, ty, [v.0, 0, 0]),
        }
    }

    /// `a op b`, without an instruction if a constant decides, as in masks and shifts by whole limbs.
    pub(super) fn fold(&mut self, op: Opcode, a: Value, b: Value) -> Value {
        use Opcode::{And, Ashr, Iadd, Isub, Lshr, Or, Shl, Xor};
        let ty = self.out.value_type(a);
        let ones = u128::MAX >> (128 - ty.bits());
        let (x, y) = (self.out.int_constant(a), self.out.int_constant(b));
        if let Some(n) = x.zip(y).and_then(|(x, y)| fold_binary(op, ty.bits(), x, y)) {
            return self.out.make_int(ty, n as i128);
        }
        let n = match (op, x, y) {
            (And, Some(0), _) | (And, _, Some(0)) => 0,
            (And, Some(x), _) if x == ones => return b,
            (And, _, Some(y)) if y == ones => return a,
            (Or, Some(x), _) | (Or, _, Some(x)) if x == ones => x,
            (Or | Xor | Iadd, Some(0), _) => return b,
            (Or | Xor | Iadd | Isub | Shl | Lshr | Ashr, _, Some(0)) => return a,
            (Shl | Lshr | Ashr, Some(0), _) => 0,
            _ => return self.bin(op, a, b),
        };
        self.out.make_int(ty, n as i128)
    }

    pub(super) fn fold_constant(&mut self, op: Opcode, a: Value, n: u64) -> Value {
        let ty = self.out.value_type(a);
        let n = self.out.make_int(ty, n.into());
        self.fold(op, a, n)
    }

    /// The limbs of an integer that registers hold, extended to whole limbs.
    pub(super) fn cut_integer(&mut self, v: Value, signed: bool) -> Limbs {
        if self.out.value_type(v).bits() <= self.limb.bits() {
            return vec![self.extend(v, self.limb, signed)];
        }
        if self.splits_pairs {
            return self.split_pair(v);
        }
        let high = self.fold_constant(Opcode::Lshr, v, self.limb.bits().into());
        vec![self.resize(v, self.limb), self.resize(high, self.limb)]
    }

    /// The integer of type `ty`, which registers hold, made of the lowest bits of a number.
    pub(super) fn join_limbs(&mut self, limbs: &[Value], ty: Type) -> Value {
        if ty.bits() <= self.limb.bits() || limbs.len() == 1 {
            return self.resize(limbs[0], ty);
        }
        if self.splits_pairs {
            return self.join_pair(limbs);
        }
        let (low, high) = (self.resize(limbs[0], ty), self.resize(limbs[1], ty));
        let high = self.fold_constant(Opcode::Shl, high, self.limb.bits().into());
        self.fold(Opcode::Or, low, high)
    }

    /// Zero, or the sign of the top limb in every bit.
    pub(super) fn filler(&mut self, limbs: &[Value], signed: bool) -> Value {
        match limbs.last() {
            Some(&top) if signed => match self.out.int_constant_signed(top) {
                Some(n) => self.limb_constant((n >> 63) as u64),
                None => self.fold_constant(Opcode::Ashr, top, u64::from(self.limb.bits()) - 1),
            },
            _ => self.limb_constant(0),
        }
    }

    /// Extends or truncates a number to `n` limbs.
    pub(super) fn resize_number(&mut self, limbs: &mut Limbs, n: usize, signed: bool) {
        if n > limbs.len() {
            let filler = self.filler(limbs, signed);
            limbs.resize(n, filler);
        }
        limbs.truncate(n);
    }

    pub(super) fn limbwise(&mut self, op: Opcode, a: &[Value], b: &[Value]) -> Limbs {
        a.iter().zip(b).map(|(&a, &b)| self.fold(op, a, b)).collect()
    }

    /// `first ? a : b`.
    pub(super) fn choose(&mut self, first: Value, a: &[Value], b: &[Value]) -> Limbs {
        if self.splits_pairs && a.len() == 2 {
            return self.pair_choice(first, a, b);
        }
        a.iter().zip(b).map(|(&a, &b)| self.scalar_select(first, a, b)).collect()
    }

    /// `a + b` or `a - b`, as `op` says; both have the same number of limbs.
    pub(super) fn sum(&mut self, op: Opcode, a: &[Value], b: &[Value]) -> Limbs {
        if a.len() == 2 {
            return self.pair_sum(op, a, b);
        }
        let with_carry = if op == Opcode::Iadd { Opcode::UaddOv } else { Opcode::UsubOv };
        let mut carry: Option<Value> = None;
        let mut out = Vec::with_capacity(a.len());
        for (i, (&a, &b)) in a.iter().zip(b).enumerate() {
            let last = i + 1 == out.capacity();
            let carried = carry.take();
            let mut v = a;
            for b in [Some(b), carried] {
                let Some(b) = b else { continue };
                if last || self.out.int_constant(b) == Some(0) {
                    v = self.fold(op, v, b);
                    continue;
                }
                let (sum, over) = self.with_flag(with_carry, v, b);
                let over = self.resize(over, self.limb);
                v = sum;
                // At most one of the two additions carries.
                carry = Some(carry.map_or(over, |c| self.bin(Opcode::Or, c, over)));
            }
            out.push(v);
        }
        out
    }

    /// The negated number if all bits of `sign` are set, the number itself if none is.
    pub(super) fn negated_if(&mut self, a: &[Value], sign: Value) -> Limbs {
        let sign = vec![sign; a.len()];
        let flipped = self.limbwise(Opcode::Xor, a, &sign);
        self.sum(Opcode::Isub, &flipped, &sign)
    }

    /// The lowest `n` limbs of the product of unsigned numbers.
    pub(super) fn product(&mut self, a: &[Value], b: &[Value], n: usize) -> Limbs {
        let zero = self.limb_constant(0);
        let mut out = vec![zero; n];
        if self.splits_pairs {
            self.words_product(a, b, &mut out);
            return out;
        }
        let (limb, both) = (self.limb, promoted(2 * self.limb.bits()));
        let a_wide: Limbs = a.iter().map(|&v| self.resize(v, both)).collect();
        let b_wide: Limbs = b.iter().map(|&v| self.resize(v, both)).collect();
        for i in 0..a.len().min(n) {
            if a[i] == zero {
                continue;
            }
            let mut carry = zero;
            for j in 0..b.len().min(n - i) {
                let at = i + j;
                if at + 1 == n {
                    let product = self.bin(Opcode::Imul, a[i], b[j]);
                    let sum = self.fold(Opcode::Iadd, out[at], product);
                    out[at] = self.fold(Opcode::Iadd, sum, carry);
                    break;
                }
                // (2^n - 1)^2 plus twice 2^n - 1 is 2^2n - 1.
                let (before, carried) = (self.resize(out[at], both), self.resize(carry, both));
                let product = self.bin(Opcode::Imul, a_wide[i], b_wide[j]);
                let sum = self.fold(Opcode::Iadd, product, before);
                let sum = self.fold(Opcode::Iadd, sum, carried);
                out[at] = self.resize(sum, limb);
                let high = self.fold_constant(Opcode::Lshr, sum, limb.bits().into());
                carry = self.resize(high, limb);
            }
            if i + b.len() < n {
                out[i + b.len()] = carry;
            }
        }
        out
    }

    /// One limb of `high` and `low` side by side, shifted by `count` (modulo a limb's width) as `op` says.
    fn funnel(&mut self, op: Opcode, high: Value, low: Value, count: Value) -> Value {
        let left = op == Opcode::Shl;
        let zero = self.limb_constant(0);
        match self.out.int_constant(count) {
            Some(0) => return if left { high } else { low },
            Some(_) if left && low == zero => return self.fold(Opcode::Shl, high, count),
            Some(_) if !left && high == zero => return self.fold(Opcode::Lshr, low, count),
            _ => {}
        }
        self.e1(if left { Opcode::Fshl } else { Opcode::Fshr }, self.limb, [high.0, low.0, count.0])
    }

    /// A number shifted by `limbs` whole limbs and `count` further bits.
    fn moved(&mut self, op: Opcode, a: &[Value], filler: Value, limbs: usize, count: Value) -> Limbs {
        let at = |i: Option<usize>| i.and_then(|i| a.get(i)).copied().unwrap_or(filler);
        let mut out = Vec::with_capacity(a.len());
        for i in 0..a.len() {
            let (high, low) = match op {
                Opcode::Shl => (at(i.checked_sub(limbs)), at(i.checked_sub(limbs + 1))),
                _ => (at(Some(i + limbs + 1)), at(Some(i + limbs))),
            };
            let filled = high == filler && low == filler;
            out.push(if filled { filler } else { self.funnel(op, high, low, count) });
        }
        out
    }

    /// A shift by a constant below the number's width.
    pub(super) fn shift(&mut self, op: Opcode, a: &[Value], count: u32) -> Limbs {
        let filler = self.filler(a, op == Opcode::Ashr);
        let limb = self.limb.bits();
        let rest = self.limb_constant((count % limb).into());
        self.moved(op, a, filler, (count / limb) as usize, rest)
    }

    /// A shift by a count in a limb: by powers of two of limbs, each or not, then by the remaining bits.
    pub(super) fn shift_number(&mut self, op: Opcode, a: &[Value], count: Value) -> Limbs {
        if self.splits_pairs && a.len() == 2 {
            return self.pair_shift(op, a, count);
        }
        let filler = self.filler(a, op == Opcode::Ashr);
        let zero = self.limb_constant(0);
        let mut a = a.to_vec();
        let mut step = 1;
        while step < a.len() {
            let bit = self.bin_imm(Opcode::And, count, self.limb.bits() as u128 * step as u128);
            let wanted = self.scalar_icmp(IntCc::Ne, bit, zero);
            let there = self.moved(op, &a, filler, step, zero);
            a = self.choose(wanted, &there, &a);
            step *= 2;
        }
        self.moved(op, &a, filler, 0, count)
    }

    /// Does `a cc b` hold, for numbers with the same number of limbs?
    pub(super) fn holds(&mut self, cc: IntCc, a: &[Value], b: &[Value]) -> Value {
        if self.splits_pairs && a.len() == 2 {
            return self.pair_holds(cc, a, b);
        }
        if matches!(cc, IntCc::Eq | IntCc::Ne) {
            let zero = self.limb_constant(0);
            let mut all = zero;
            for (&a, &b) in a.iter().zip(b) {
                let v = if a == b { zero } else { self.fold(Opcode::Xor, a, b) };
                all = self.fold(Opcode::Or, all, v);
            }
            return self.scalar_icmp(cc, all, zero);
        }
        // The highest limbs that differ decide; the sign counts in the top limb only, equality in the lowest only.
        let (strict, unsigned, lowest) = match cc {
            IntCc::Ult => (IntCc::Ult, IntCc::Ult, IntCc::Ult),
            IntCc::Ule => (IntCc::Ult, IntCc::Ult, IntCc::Ule),
            IntCc::Ugt => (IntCc::Ugt, IntCc::Ugt, IntCc::Ugt),
            IntCc::Uge => (IntCc::Ugt, IntCc::Ugt, IntCc::Uge),
            IntCc::Slt => (IntCc::Slt, IntCc::Ult, IntCc::Ult),
            IntCc::Sle => (IntCc::Slt, IntCc::Ult, IntCc::Ule),
            IntCc::Sgt => (IntCc::Sgt, IntCc::Ugt, IntCc::Ugt),
            _ => (IntCc::Sgt, IntCc::Ugt, IntCc::Uge),
        };
        let mut result = self.scalar_icmp(lowest, a[0], b[0]);
        for i in 1..a.len() {
            let equal = self.scalar_icmp(IntCc::Eq, a[i], b[i]);
            let decides = self.scalar_icmp(if i + 1 == a.len() { strict } else { unsigned }, a[i], b[i]);
            result = self.scalar_select(equal, result, decides);
        }
        result
    }

    /// Counts the ones, or the zeros above or below the first one, of a number of `bits` bits.
    pub(super) fn count(&mut self, op: Opcode, bits: u32, limbs: &[Value]) -> Value {
        let (zero, width) = (self.limb_constant(0), u64::from(self.limb.bits()));
        let bits = u64::from(bits);
        let mut result = self.limb_constant(if op == Opcode::Ctpop { 0 } else { bits });
        for k in 0..limbs.len() {
            // The limb that decides comes last.
            let i = if op == Opcode::Cttz { limbs.len() - 1 - k } else { k };
            // A count of a limb that is zero is not chosen, but for that of the first one.
            let nonzero = op == Opcode::Ctlz && k > 0;
            let ty = self.limb;
            let count = self.er(op, nonzero.into(), ty, [limbs[i].0, 0, 0], ty);
            if op == Opcode::Ctpop {
                result = self.fold(Opcode::Iadd, result, count);
                continue;
            }
            let before = if op == Opcode::Cttz { width * i as u64 } else { bits.wrapping_sub(width * (i as u64 + 1)) };
            let count = self.fold_constant(Opcode::Iadd, count, before);
            let decides = self.scalar_icmp(IntCc::Ne, limbs[i], zero);
            result = self.scalar_select(decides, count, result);
        }
        result
    }

    /// The quotient or remainder, as `op` says.
    pub(super) fn division(&mut self, op: Opcode, a: Limbs, b: Limbs) -> Result<Limbs> {
        let remainder = matches!(op, Opcode::Urem | Opcode::Srem);
        if matches!(op, Opcode::Udiv | Opcode::Urem) {
            let (quotient, rest) = self.divide(a, b)?;
            return Ok(if remainder { rest } else { quotient });
        }
        let (sign_a, sign_b) = (self.filler(&a, true), self.filler(&b, true));
        let (a, b) = (self.negated_if(&a, sign_a), self.negated_if(&b, sign_b));
        let (quotient, rest) = self.divide(a, b)?;
        if remainder {
            return Ok(self.negated_if(&rest, sign_a));
        }
        let sign = self.fold(Opcode::Xor, sign_a, sign_b);
        Ok(self.negated_if(&quotient, sign))
    }

    /// Quotient and remainder of unsigned numbers, bit by bit in a loop, since no library has it. Each iteration moves
    /// a bit from the dividend to the remainder; if the divisor fits into that, it is subtracted, and a one goes to the
    /// quotient, which takes the dividend's place.
    fn divide(&mut self, dividend: Limbs, mut divisor: Limbs) -> Result<(Limbs, Limbs)> {
        let (n, limb) = (dividend.len(), self.limb);
        let (round, done) = (self.out.make_block(), self.out.make_block());
        let zero = self.limb_constant(0);
        let rounds = self.out.make_int(Type::I32, n as i128 * i128::from(limb.bits()));
        let start = self.out.make_edge(round);
        let first = dividend.into_iter().chain(std::iter::repeat_n(zero, n)).chain([rounds]);
        first.for_each(|v| self.out.append_edge_arg(start, v));
        self.terminate(Opcode::Jump, [start.0, 0, 0], round)?;

        let mut params = |count: usize, ty| -> Limbs { (0..count).map(|_| self.out.append_param(round, ty)).collect() };
        let (dividend, rest, left) = (params(n, limb), params(n, limb), params(1, Type::I32)[0]);
        let last = u64::from(limb.bits()) - 1;
        let bit = self.fold_constant(Opcode::Lshr, dividend[n - 1], last);
        let beyond = self.fold_constant(Opcode::Lshr, rest[n - 1], last);
        let (mut quotient, mut rest) = (self.shift(Opcode::Shl, &dividend, 1), self.shift(Opcode::Shl, &rest, 1));
        rest[0] = self.fold(Opcode::Or, rest[0], bit);
        // One more limb holds the bit that moves out of the remainder, and says whether the remainder was smaller than
        // the divisor.
        rest.push(beyond);
        divisor.push(zero);
        let less = self.sum(Opcode::Isub, &rest, &divisor);
        let goes = self.scalar_icmp(IntCc::Eq, less[n], zero);
        let rest = self.choose(goes, &less[..n], &rest[..n]);
        let bit = self.resize(goes, limb);
        quotient[0] = self.fold(Opcode::Or, quotient[0], bit);
        let left = self.bin_imm(Opcode::Iadd, left, u128::MAX);
        let none = self.out.make_int(Type::I32, 0);
        let more = self.scalar_icmp(IntCc::Ne, left, none);
        let (again, out) = (self.out.make_edge(round), self.out.make_edge(done));
        quotient.iter().chain(&rest).chain([&left]).for_each(|&v| self.out.append_edge_arg(again, v));
        self.terminate(Opcode::Br, [more.0, again.0, out.0], done)?;
        Ok((quotient, rest))
    }

    /// Ends the current block and continues in `next`, a new one.
    pub(super) fn terminate(&mut self, op: Opcode, [a, b, c]: [u32; 3], next: Block) -> Result<()> {
        if self.src.invoked(self.home).is_some_and(|call| self.at > Some(call)) {
            return self.unsupported("a loop or branch between an invoked call and its `invoke`");
        }
        self.push(InstData { op, flags: 0, ty: Type::VOID, a, b, c }, &[]);
        let end = self.out.insts.len() as u32;
        self.out.blocks[self.block.index()].end = end;
        self.out.layout.push(next);
        self.out.blocks[next.index()].first = end;
        self.block = next;
        Ok(())
    }

    /// An unsigned number as a floating-point number of a type that has arithmetic, rounded once.
    pub(super) fn number_to_float(&mut self, mut limbs: Limbs, to: Type, to_odd: bool) -> Value {
        use Opcode::*;
        let (limb, zero) = (self.limb.bits(), self.limb_constant(0));
        let per = (64 / limb) as usize;
        let n = limbs.len().next_multiple_of(per);
        limbs.resize(n, zero);
        let zeros = self.count(Ctlz, n as u32 * limb, &limbs);
        let limbs = self.shift_number(Shl, &limbs, zeros);
        let (high, mut below) = (self.join_limbs(&limbs[n - per..], Type::I64), n - per);
        let mut float = if matches!(to, Type::F32 | Type::F64) {
            let mut high = self.sticky(high, &limbs[..below]);
            if to_odd {
                high = self.cut_to_odd(high, 64 - 24);
            }
            let high = self.e1(Uitofp, to, [high.0, 0, 0]);
            self.scaled(high, -63)
        } else {
            let high = self.e1(Uitofp, to, [high.0, 0, 0]);
            below -= per;
            let low = self.join_limbs(&limbs[below..below + per], Type::I64);
            let low = self.sticky(low, &limbs[..below]);
            let low = self.e1(Uitofp, to, [low.0, 0, 0]);
            let (high, low) = (self.scaled(high, -63), self.scaled(low, -127));
            self.bin(Fadd, high, low)
        };
        // It is between 1 and 2 now, or zero. It still has to be multiplied by the power of two of the first bit's
        // position, in powers of powers of two.
        let most = n as u32 * limb - 1;
        let zeros = self.bin_imm(Umin, zeros, most.into());
        let most_zeros = self.limb_constant(most.into());
        let exponent = self.bin(Isub, most_zeros, zeros);
        for k in 0..=most.ilog2() {
            let bit = self.bin_imm(And, exponent, 1 << k);
            let bit = self.scalar_icmp(IntCc::Ne, bit, zero);
            let by = [1 << k, 0].map(|k| self.lane_const(to, power_of_two(to, k)));
            let by = self.scalar_select(bit, by[0], by[1]);
            float = self.bin(Fmul, float, by);
        }
        float
    }

    /// A word with its lowest bit set if any bit below the word is set, so that rounding the word is rounding
    /// everything.
    fn sticky(&mut self, word: Value, below: &[Value]) -> Value {
        let zero = self.limb_constant(0);
        let more = self.holds(IntCc::Ne, below, &vec![zero; below.len()]);
        let more = self.resize(more, Type::I64);
        self.bin(Opcode::Or, word, more)
    }

    /// A floating-point number times a power of two.
    fn scaled(&mut self, v: Value, power: i32) -> Value {
        let ty = self.out.value_type(v);
        let by = self.lane_const(ty, power_of_two(ty, power));
        self.bin(Opcode::Fmul, v, by)
    }

    /// The `n` lowest limbs of the integer part of a floating-point number that is not negative. Subtracting 64 bits at
    /// a time from above is exact.
    pub(super) fn float_to_number(&mut self, v: Value, n: usize) -> Limbs {
        use Opcode::*;
        let v = if self.out.value_type(v) == Type::F32 { self.e1(Fpext, Type::F64, [v.0, 0, 0]) } else { v };
        let ty = self.out.value_type(v);
        let per = (64 / self.limb.bits()) as usize;
        let words = n.div_ceil(per).min(if ty == Type::F64 { 16 } else { usize::MAX });
        let (mut rest, mut limbs) = (v, Vec::new());
        for k in (0..words as i32).rev() {
            let high = if k == 0 { rest } else { self.scaled(rest, -64 * k) };
            let word = self.e1(Fptoui, Type::I64, [high.0, 0, 0]);
            limbs.splice(..0, self.cut_integer(word, false));
            if k > 0 {
                let high = self.e1(Uitofp, ty, [word.0, 0, 0]);
                let high = self.scaled(high, 64 * k);
                rest = self.bin(Fsub, rest, high);
            }
        }
        self.resize_number(&mut limbs, n, false);
        limbs
    }

    /// The limbs of a constant of the source. The bits beyond it are zero or copies of the sign, whichever makes
    /// numbers small or lets more fold.
    pub(super) fn constant_limbs(&mut self, v: Value) -> Limbs {
        let src = self.src;
        let limbs = self.limb_types(src.value_type(v)).map(|(at, limb)| {
            let word = src.constant_word(v, at / 8).unwrap_or(0) >> (8 * (at % 8));
            let unused = 64 - limb.bits();
            self.limb_constant(((word << unused) as i64 >> unused) as u64)
        });
        limbs.collect()
    }
}
