//! Splits integers of two registers into two values. Legalization does this last, when no other pass makes such integers any more.
//!
//! A sum or a comparison passes a carry (`i1`) from the low word to the high one. It stays in the flags if the instruction that takes
//! it is the next one. An operation that machines do on two registers at once remains one instruction: atomic accesses, conversions of
//! the x87, shifts by a variable number, selections by one condition. Its operands are made by `iconcat`, which selection leaves to it
//! so that it reads the words where they are, and its result is taken apart by `isplit`.

use super::limbs::Limbs;
use super::*;

impl Cx<'_> {
    /// The type of two registers.
    fn pair(&self) -> Type {
        promoted(2 * self.limb.bits())
    }

    /// The registers of a pair.
    pub(super) fn split_pair(&mut self, v: Value) -> Limbs {
        let limb = self.limb;
        match self.out.constant(v) {
            Some(ConstData::Int(n)) => self.constant_pair(n),
            Some(_) => vec![self.poison(limb); 2],
            None => {
                let i = self.push(InstData { op: Opcode::Isplit, flags: 0, ty: limb, a: v.0, b: 0, c: 0 }, &[limb; 2]);
                self.out.results(i).collect()
            }
        }
    }

    /// A pair of two registers.
    pub(super) fn join_pair(&mut self, limbs: &[Value]) -> Value {
        let ty = self.pair();
        match self.pair_constant(limbs) {
            Some(n) => self.out.make_int(ty, n as i128),
            None => self.e1(Opcode::Iconcat, ty, [limbs[0].0, limbs[1].0, 0]),
        }
    }

    /// The value of a constant.
    fn pair_constant(&self, limbs: &[Value]) -> Option<u128> {
        Some(self.out.int_constant(limbs[0])? | self.out.int_constant(limbs[1])? << self.limb.bits())
    }

    fn constant_pair(&mut self, n: u128) -> Limbs {
        let limb = self.limb;
        vec![self.out.make_int(limb, n as i128), self.out.make_int(limb, (n >> limb.bits()) as i128)]
    }

    /// Is the high register the sign of the low one in every bit?
    fn is_sign_extended(&self, limbs: &[Value]) -> bool {
        let last = u128::from(self.limb.bits() - 1);
        match (self.out.int_constant_signed(limbs[0]), self.out.int_constant_signed(limbs[1])) {
            (Some(low), Some(high)) => high == low >> 63,
            _ => {
                let ValueDef::Inst(i) = self.out.value_def(limbs[1]) else { return false };
                let d = self.out.inst(i);
                d.op == Opcode::Ashr && Value(d.a) == limbs[0] && self.out.int_constant(Value(d.b)) == Some(last)
            }
        }
    }

    fn is_zero(&self, v: Value) -> bool {
        self.out.int_constant(v) == Some(0)
    }

    /// A shift by a variable number.
    pub(super) fn pair_shift(&mut self, op: Opcode, a: &[Value], count: Value) -> Limbs {
        let zero = self.limb_constant(0);
        let (a, count) = (self.join_pair(a), self.join_pair(&[count, zero]));
        let shifted = self.bin(op, a, count);
        self.split_pair(shifted)
    }

    /// Products, shifts and quotients of integers as wide as a pair.
    pub(super) fn pair_op(&mut self, op: Opcode, x: &[Limbs]) -> Limbs {
        use Opcode::*;
        let bits = self.limb.bits();
        match op {
            Imul => self.pair_product(&x[0], &x[1]),
            Shl | Lshr | Ashr => match self.pair_constant(&x[1]) {
                Some(n) if n < u128::from(2 * bits) => self.shift(op, &x[0], n as u32),
                Some(_) => vec![self.poison(self.limb); 2],
                None => self.pair_shift(op, &x[0], x[1][0]),
            },
            // A division by a power of two; others have become calls.
            _ => {
                let n = self.pair_constant(&x[1]).unwrap_or(1);
                if op == Udiv {
                    return self.shift(Lshr, &x[0], n.trailing_zeros());
                }
                let mask = self.constant_pair(n - 1);
                self.limbwise(And, &x[0], &mask)
            }
        }
    }

    /// `a + b` or `a - b`.
    pub(super) fn pair_sum(&mut self, op: Opcode, a: &[Value], b: &[Value]) -> Limbs {
        use Opcode::*;
        let adds = op == Iadd;
        let constant = |cx: &Self, v: Value| cx.out.int_constant(v).is_some();
        let swaps = adds && (constant(self, a[0]) || constant(self, a[1]) && !constant(self, b[0]));
        let (a, b) = if swaps { (b, a) } else { (a, b) };
        if self.is_zero(b[0]) {
            return vec![a[0], self.fold(op, a[1], b[1])];
        }
        let (low, carry) = self.with_flag(if adds { UaddOv } else { UsubOv }, a[0], b[0]);
        let high = self.e1(if adds { IaddCarry } else { IsubBorrow }, self.limb, [a[1].0, b[1].0, carry.0]);
        vec![low, high]
    }

    fn pair_product(&mut self, a: &[Value], b: &[Value]) -> Limbs {
        use Opcode::*;
        let signed =
            self.is_sign_extended(a) && self.is_sign_extended(b) && !(self.is_zero(a[1]) && self.is_zero(b[1]));
        let limb = self.limb;
        let op = if signed { SmulWide } else { UmulWide };
        let i = self.push(InstData { op, flags: 0, ty: limb, a: a[0].0, b: b[0].0, c: 0 }, &[limb; 2]);
        let mut product: Limbs = self.out.results(i).collect();
        if signed {
            return product;
        }
        // The cross products count for the high register alone.
        for (x, y) in [(a[0], b[1]), (b[0], a[1])] {
            if !self.is_zero(y) {
                let cross = self.bin(Imul, x, y);
                product[1] = self.bin(Iadd, product[1], cross);
            }
        }
        product
    }

    /// The lowest words of the product of unsigned numbers.
    pub(super) fn words_product(&mut self, a: &[Value], b: &[Value], out: &mut [Value]) {
        use Opcode::*;
        let (limb, zero, n) = (self.limb, self.limb_constant(0), out.len());
        for i in 0..a.len().min(n) {
            let mut carry = zero;
            for (at, &factor) in (i..n).zip(b) {
                if at + 1 == n {
                    let product = self.bin(Imul, a[i], factor);
                    let sum = self.fold(Iadd, out[at], product);
                    out[at] = self.fold(Iadd, sum, carry);
                    break;
                }
                let i =
                    self.push(InstData { op: UmulWide, flags: 0, ty: limb, a: a[i].0, b: factor.0, c: 0 }, &[limb; 2]);
                let low = self.out.result(i);
                let mut sum = vec![low, Value(low.0 + 1)];
                // The product of the greatest words and two more make no third one.
                for more in [out[at], carry] {
                    if !self.is_zero(more) {
                        sum = self.pair_sum(Iadd, &sum, &[more, zero]);
                    }
                }
                (out[at], carry) = (sum[0], sum[1]);
            }
            if i + b.len() < n {
                out[i + b.len()] = carry;
            }
        }
    }

    /// Whether `a cc b`.
    pub(super) fn pair_holds(&mut self, mut cc: IntCc, a: &[Value], b: &[Value]) -> Value {
        use IntCc::*;
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        if self.pair_constant(&a).is_some() && self.pair_constant(&b).is_none() {
            (a, b, cc) = (b, a, cc.swapped());
        }
        if self.is_zero(a[1]) && self.is_zero(b[1]) {
            return self.scalar_icmp(cc.unsigned(), a[0], b[0]);
        }
        if self.is_sign_extended(&a) && self.is_sign_extended(&b) {
            return self.scalar_icmp(cc, a[0], b[0]);
        }
        let n = self.pair_constant(&b);
        let ones = u128::MAX >> (128 - 2 * self.limb.bits());
        match (cc, n) {
            (Eq | Ne, Some(0)) => {
                let any = self.fold(Opcode::Or, a[0], a[1]);
                return self.scalar_icmp(cc, any, b[0]);
            }
            // The sign tells enough.
            (Slt | Sge, Some(0)) => return self.scalar_icmp(cc, a[1], b[1]),
            (Sle | Sgt, Some(n)) if n == ones => return self.scalar_icmp(cc, a[1], b[1]),
            // The flags of a difference tell of less, and of greater or equal, which may be that of the number above.
            (Ugt | Ule | Sgt | Sle, _) => {
                cc = cc.swapped();
                match n.filter(|&n| n != if cc.is_signed() { ones >> 1 } else { ones }) {
                    Some(n) => (b, cc) = (self.constant_pair(n + 1), cc.inverse()),
                    None => (a, b) = (b, a),
                }
            }
            _ => {}
        }
        if self.is_zero(b[0]) && !matches!(cc, Eq | Ne) {
            return self.scalar_icmp(cc, a[1], b[1]);
        }
        let below = self.scalar_icmp(cc.unsigned(), a[0], b[0]);
        self.er(Opcode::IcmpUpper, cc as u8, self.limb, [a[1].0, b[1].0, below.0], Type::I1)
    }

    /// `first ? a : b`, by one condition for both registers.
    pub(super) fn pair_choice(&mut self, first: Value, a: &[Value], b: &[Value]) -> Limbs {
        let (a, b) = (self.join_pair(a), self.join_pair(b));
        let chosen = self.scalar_select(first, a, b);
        self.split_pair(chosen)
    }

    /// Arithmetic with an overflow flag.
    pub(super) fn pair_overflow(&mut self, op: Opcode, a: &[Value], b: &[Value]) -> Option<(Limbs, Value)> {
        use Opcode::*;
        let adds = matches!(op, UaddOv | SaddOv);
        if matches!(op, UmulOv | SmulOv) {
            return None;
        }
        let result = self.pair_sum(if adds { Iadd } else { Isub }, a, b);
        let over = match op {
            UaddOv => self.pair_holds(IntCc::Ult, &result, a),
            UsubOv => self.pair_holds(IntCc::Ult, a, b),
            _ => {
                // The result's sign is not that of the first number, and that of the second is not what explains it.
                let changed = self.bin(Xor, result[1], a[1]);
                let other = if adds { result[1] } else { a[1] };
                let unexplained = self.bin(Xor, other, b[1]);
                let both = self.bin(And, changed, unexplained);
                let zero = self.limb_constant(0);
                self.scalar_icmp(IntCc::Slt, both, zero)
            }
        };
        Some((result, over))
    }

    /// A conversion between a pair and a number with a point.
    pub(super) fn pair_conversion(&mut self, op: Opcode, to: Type, parts: &[Value]) -> Limbs {
        if matches!(op, Opcode::Sitofp | Opcode::Uitofp) {
            let v = self.join_pair(parts);
            return vec![self.e1(op, to, [v.0, 0, 0])];
        }
        let v = self.e1(op, self.pair(), [parts[0].0, 0, 0]);
        self.split_pair(v)
    }

    /// Is it an instruction that splitting pairs leaves as it is, but for its operands?
    pub(super) fn stays(&self, i: Inst, d: &InstData) -> bool {
        use Opcode::*;
        let src = self.src;
        if matches!(d.op, Load | Store) && self.legal.has_pair_access() {
            return true;
        }
        let apart = |ty: Type| self.shape(ty) == Shape::Same;
        let more = d.op.is_terminator() || matches!(d.op, Nop | Call | Load | Store);
        let words = [d.a, d.b, d.c];
        !more
            && apart(d.ty)
            && src.results(i).all(|v| apart(src.value_type(v)))
            && words[..d.op.arity()].iter().all(|&v| apart(src.value_type(Value(v))))
    }

    /// An instruction that takes and gives pairs as they are.
    pub(super) fn copy_with_pairs(&mut self, i: Inst, d: &InstData) -> Result<()> {
        let src = self.src;
        let mut new = *d;
        for word in new.operand_words() {
            let parts = self.get(Value(*word))?.0;
            *word = if parts.len() == 2 { self.join_pair(&parts).0 } else { parts[0].0 };
        }
        if d.op == Opcode::Shuffle {
            let lanes = &src.pool[d.c as usize..(d.c + d.ty.lanes()) as usize];
            new.c = self.out.push_words(lanes.iter().copied());
        }
        let types: Vec<Type> = src.results(i).map(|v| src.value_type(v)).collect();
        let made = self.push(new, &types);
        for (from, to) in src.results(i).zip(self.out.results(made)) {
            match self.shape(src.value_type(from)) {
                Shape::Limbs => {
                    let limbs = self.split_pair(to);
                    self.define(from, &limbs, 0);
                }
                _ => self.define1(from, to),
            }
        }
        Ok(())
    }

    /// The same bits as another type.
    pub(super) fn pair_bitcast(&mut self, parts: &[Value], to: Type) -> Parts {
        let v = if parts.len() == 2 { self.join_pair(parts) } else { parts[0] };
        let v = self.cast(v, to);
        if self.shape(to) == Shape::Limbs { self.split_pair(v).into_iter().collect() } else { Parts::one(v) }
    }
}
