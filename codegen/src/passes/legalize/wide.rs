//! Integers of more than two registers: each instruction on them, with the arithmetic of [`limbs`](super::limbs).

use super::limbs::Limbs;
use super::*;

impl Cx<'_> {
    /// Limbs of an integer in limbs.
    pub(super) fn limb_count(&self, ty: Type) -> u32 {
        ty.bits().div_ceil(self.limb.bits())
    }

    /// The integer types of exact width that an integer consists of, with the offset of each.
    pub(super) fn limb_types(&self, ty: Type) -> impl Iterator<Item = (u32, Type)> + use<> {
        let (bits, limb) = (ty.bits(), self.limb);
        (0..bits)
            .step_by(limb.bits() as usize)
            .map(move |at| (at / 8, Type::int(bits - at).filter(|t| t.bits() < limb.bits()).unwrap_or(limb)))
    }

    /// Bits in the top limb.
    fn top_bits(&self, ty: Type) -> u32 {
        (ty.bits() - 1) % self.limb.bits() + 1
    }

    /// The limbs of an integer of any width in these parts. Bits of the last limb beyond the integer become zero or
    /// copies of the sign.
    fn number(&mut self, parts: &[Value], ty: Type, signed: bool) -> Limbs {
        if self.shape(ty) == Shape::Limbs {
            let mut limbs = parts.to_vec();
            self.fill_top(&mut limbs, ty, signed);
            return limbs;
        }
        let v = match ty {
            Type::I1 => parts[0],
            _ if signed => self.sx(parts[0], ty.bits()),
            _ => self.zx(parts[0], ty.bits()),
        };
        self.cut_integer(v, signed)
    }

    /// The limbs of values in limbs; bits beyond the integers are undefined.
    pub(super) fn limbs(&mut self, values: &[Value]) -> Result<Vec<Limbs>> {
        values.iter().map(|&v| Ok(self.get(v)?.0.to_vec())).collect()
    }

    /// Arithmetic.
    pub(super) fn wide_op(&mut self, op: Opcode, ty: Type, x: &[Limbs]) -> Result<Limbs> {
        use Opcode::*;
        let (n, bits) = (self.limb_count(ty) as usize, ty.bits());
        if self.splits_pairs && matches!(op, Imul | Shl | Lshr | Ashr | Udiv | Urem) {
            return Ok(self.pair_op(op, x));
        }
        Ok(match op {
            And | Or | Xor => self.limbwise(op, &x[0], &x[1]),
            Iadd | Isub => self.sum(op, &x[0], &x[1]),
            Imul => self.product(&x[0], &x[1], n),
            Shl => self.wide_shift(op, &x[0], bits, &x[1]),
            Lshr | Ashr => {
                let a = self.number(&x[0], ty, op == Ashr);
                self.wide_shift(op, &a, bits, &x[1])
            }
            Udiv | Sdiv | Urem | Srem => {
                let signed = matches!(op, Sdiv | Srem);
                let (a, b) = (self.number(&x[0], ty, signed), self.number(&x[1], ty, signed));
                self.division(op, a, b)?
            }
            Umin | Umax | Smin | Smax => {
                let cc = match op {
                    Umin => IntCc::Ult,
                    Umax => IntCc::Ugt,
                    Smin => IntCc::Slt,
                    _ => IntCc::Sgt,
                };
                let first = self.wide_compare(cc, ty, &x[0], &x[1]);
                self.choose(first, &x[0], &x[1])
            }
            UaddSat | UsubSat | SaddSat | SsubSat => self.saturating_sum(op, ty, x),
            UshlSat | SshlSat => {
                let signed = op == SshlSat;
                let a = self.number(&x[0], ty, signed);
                let mut shifted = self.wide_shift(Shl, &a, bits, &x[1]);
                self.fill_top(&mut shifted, ty, signed);
                let back = self.wide_shift(if signed { Ashr } else { Lshr }, &shifted, bits, &x[1]);
                let fits = self.holds(IntCc::Eq, &back, &a);
                let most = self.greatest(&a, ty, signed);
                self.choose(fits, &shifted, &most)
            }
            Iabs => {
                let a = self.number(&x[0], ty, true);
                let sign = self.filler(&a, true);
                self.negated_if(&a, sign)
            }
            Ctpop | Ctlz | Cttz => {
                let a = self.number(&x[0], ty, false);
                let mut count = vec![self.count(op, bits, &a)];
                self.resize_number(&mut count, n, false);
                count
            }
            Bswap | Bitreverse => {
                let a: Limbs = x[0].iter().rev().map(|&v| self.un(op, v)).collect();
                self.shift(Lshr, &a, self.limb.bits() * n as u32 - bits)
            }
            Fshl | Fshr => {
                let b = self.number(&x[1], ty, false);
                let count = self.number(&x[2], ty, false);
                self.wide_funnel(op, bits, x[0].clone(), b, &count)
            }
            _ => return self.unsupported(format!("{} is not supported", InLlvm(op, ty))),
        })
    }

    /// A shift by a number of the same type. A shift amount of more than a limb gives poison.
    fn wide_shift(&mut self, op: Opcode, a: &[Value], bits: u32, count: &[Value]) -> Limbs {
        let known: Option<Vec<u128>> = count.iter().map(|&v| self.out.int_constant(v)).collect();
        match known {
            Some(n) if n[0] < bits.into() && n[1..].iter().all(|&n| n == 0) => self.shift(op, a, n[0] as u32),
            Some(_) => vec![self.poison(self.limb); a.len()],
            None => self.shift_number(op, a, count[0]),
        }
    }

    /// Clears the bits of the top limb beyond the integer, or fills them with the sign.
    fn fill_top(&mut self, limbs: &mut Limbs, ty: Type, signed: bool) {
        let bits = self.top_bits(ty);
        if let Some(top) = limbs.last_mut() {
            *top = if signed { self.sx(*top, bits) } else { self.zx(*top, bits) };
        }
    }

    /// The largest number; if signed, the end of the range on the side of an extended number.
    fn greatest(&mut self, side: &[Value], ty: Type, signed: bool) -> Limbs {
        let ones = self.limb_constant(u64::MAX);
        let mut most = vec![ones; side.len()];
        if signed {
            let sign = self.filler(side, true);
            let sign = vec![sign; side.len()];
            most[side.len() - 1] = self.limb_constant((1 << (self.top_bits(ty) - 1)) - 1);
            most = self.limbwise(Opcode::Xor, &sign, &most);
        }
        most
    }

    fn saturating_sum(&mut self, op: Opcode, ty: Type, x: &[Limbs]) -> Limbs {
        use Opcode::*;
        let exact = match op {
            UaddSat => UaddOv,
            UsubSat => UsubOv,
            SaddSat => SaddOv,
            _ => SsubOv,
        };
        let (result, over) = self.wide_overflow(exact, ty, &x[0], &x[1]);
        let most = if op == UsubSat {
            let zero = self.limb_constant(0);
            vec![zero; result.len()]
        } else {
            // Results out of range are on the side of the first number.
            let signed = op != UaddSat;
            let side = self.number(&x[0], ty, signed);
            self.greatest(&side, ty, signed)
        };
        self.choose(over, &most, &result)
    }

    /// A shift of two integers as one, by a number modulo their width.
    fn wide_funnel(&mut self, op: Opcode, bits: u32, a: Limbs, b: Limbs, count: &[Value]) -> Limbs {
        use Opcode::*;
        let count = self.modulo(count, bits);
        let (high, low) = if let Some(count) = self.out.int_constant(count) {
            let left = if op == Fshl || count == 0 { count as u32 } else { bits - count as u32 };
            if left == 0 {
                return if op == Fshl { a } else { b };
            }
            (self.shift(Shl, &a, left), self.shift(Lshr, &b, bits - left))
        } else {
            let most = self.limb_constant(u64::from(bits) - 1);
            let rest = self.fold(Isub, most, count);
            // One side is shifted in two steps, since the width itself is no valid shift amount.
            if op == Fshl {
                let half = self.shift(Lshr, &b, 1);
                (self.shift_number(Shl, &a, count), self.shift_number(Lshr, &half, rest))
            } else {
                let twice = self.shift(Shl, &a, 1);
                (self.shift_number(Shl, &twice, rest), self.shift_number(Lshr, &b, count))
            }
        };
        self.limbwise(Or, &high, &low)
    }

    /// A number modulo a small one, in a limb.
    fn modulo(&mut self, limbs: &[Value], by: u32) -> Value {
        use Opcode::*;
        if by.is_power_of_two() {
            return self.fold_constant(And, limbs[0], u64::from(by) - 1);
        }
        let both = promoted(2 * self.limb.bits());
        let mut rest = self.limb_constant(0);
        for &limb in limbs.iter().rev() {
            let number = self.join_limbs(&[limb, rest], both);
            let number = self.fold_constant(Urem, number, by.into());
            rest = self.resize(number, self.limb);
        }
        rest
    }

    pub(super) fn wide_compare(&mut self, cc: IntCc, ty: Type, a: &[Value], b: &[Value]) -> Value {
        let (a, b) = (self.number(a, ty, cc.is_signed()), self.number(b, ty, cc.is_signed()));
        self.holds(cc, &a, &b)
    }

    /// Arithmetic with an overflow flag: done with more bits, so that nothing overflows, and compared with its
    /// truncated result.
    pub(super) fn wide_overflow(&mut self, op: Opcode, ty: Type, a: &[Value], b: &[Value]) -> (Limbs, Value) {
        use Opcode::*;
        if self.splits_pairs
            && let Some(result) = self.pair_overflow(op, a, b)
        {
            return result;
        }
        let signed = matches!(op, SaddOv | SsubOv | SmulOv);
        let (mut a, mut b) = (self.number(a, ty, signed), self.number(b, ty, signed));
        let n = self.limb_count(ty) as usize;
        let exact = if matches!(op, UmulOv | SmulOv) {
            let mut product = self.product(&a, &b, 2 * n);
            if signed {
                // As an unsigned number, a negative number is 2^64n too large.
                for (x, y) in [(&a, &b), (&b, &a)] {
                    let sign = self.filler(x, true);
                    let beyond = self.limbwise(And, y, &vec![sign; n]);
                    let high = self.sum(Isub, &product[n..], &beyond);
                    product.splice(n.., high);
                }
            }
            product
        } else {
            let more = (ty.bits() + 1).div_ceil(self.limb.bits()) as usize;
            self.resize_number(&mut a, more, signed);
            self.resize_number(&mut b, more, signed);
            self.sum(if matches!(op, UaddOv | SaddOv) { Iadd } else { Isub }, &a, &b)
        };
        let kept = exact[..n].to_vec();
        let mut again = kept.clone();
        self.fill_top(&mut again, ty, signed);
        self.resize_number(&mut again, exact.len(), signed);
        let lost = self.holds(IntCc::Ne, &exact, &again);
        (kept, lost)
    }

    /// A conversion from or to an integer in limbs. Returns the parts of the result.
    pub(super) fn wide_conversion(&mut self, op: Opcode, from: Type, to: Type, parts: &[Value]) -> Limbs {
        use Opcode::*;
        if self.splits_pairs && matches!(op, Sitofp | Uitofp | Fptosi | Fptoui) {
            return self.pair_conversion(op, to, parts);
        }
        match op {
            Sitofp | Uitofp => {
                let number = self.number(parts, from, op == Sitofp);
                let sign = self.filler(&number, op == Sitofp);
                let number = if op == Sitofp { self.negated_if(&number, sign) } else { number };
                let half = matches!(to, Type::F16 | Type::BF16);
                let mut float = self.number_to_float(number, if half { Type::F32 } else { to }, to == Type::BF16);
                if op == Sitofp {
                    let minus = self.un(Fneg, float);
                    let zero = self.limb_constant(0);
                    let negative = self.scalar_icmp(IntCc::Ne, sign, zero);
                    float = self.scalar_select(negative, minus, float);
                }
                vec![if half { self.e1(Fptrunc, to, [float.0, 0, 0]) } else { float }]
            }
            Fptosi | Fptoui | FptosiSat | FptouiSat => {
                let v = self.single(parts[0]);
                match op {
                    FptosiSat | FptouiSat => self.saturate(op == FptosiSat, to, v),
                    _ => self.truncate(op == Fptosi, to, v),
                }
            }
            _ => {
                let mut number = if op == Trunc { parts.to_vec() } else { self.number(parts, from, op == Sext) };
                let n = self.limb_count(to) as usize;
                self.resize_number(&mut number, n, op == Sext);
                if self.shape(to) == Shape::Limbs {
                    return number;
                }
                let held = self.part_type(to).0;
                vec![self.join_limbs(&number, held)]
            }
        }
    }

    /// The parts of an integer of type `to` made from a floating-point number.
    pub(super) fn truncate(&mut self, signed: bool, to: Type, v: Value) -> Limbs {
        let op = if signed { Opcode::Fptosi } else { Opcode::Fptoui };
        if self.shape(to) != Shape::Limbs {
            let held = if to == Type::I1 { Type::I32 } else { promoted(to.bits()) };
            return vec![self.e1(op, held, [v.0, 0, 0])];
        }
        let n = self.limb_count(to) as usize;
        if !signed {
            return self.float_to_number(v, n);
        }
        let zero = self.lane_const(self.out.value_type(v), 0);
        let negative = self.scalar_fcmp(FloatCc::Olt, v, zero);
        let sign = self.e1(Opcode::Sext, self.limb, [negative.0, 0, 0]);
        let v = self.un(Opcode::Fabs, v);
        let number = self.float_to_number(v, n);
        self.negated_if(&number, sign)
    }

    /// A switch on an integer in limbs, case by case.
    pub(super) fn wide_switch(&mut self, d: &InstData) -> Result<()> {
        let src = self.src;
        for (c, e) in src.switch_cases(SwitchId(d.b)) {
            let sides = self.limbs(&[Value(d.a), c])?;
            let equal = self.wide_compare(IntCc::Eq, d.ty, &sides[0], &sides[1]);
            let next = self.out.make_block();
            let (then, other) = (self.edge(e)?, self.out.make_edge(next));
            self.terminate(Opcode::Br, [equal.0, then.0, other.0], next)?;
        }
        let default = self.edge(src.switches[d.b as usize].default)?;
        self.push(InstData { op: Opcode::Jump, flags: 0, ty: Type::VOID, a: default.0, b: 0, c: 0 }, &[]);
        Ok(())
    }
}
