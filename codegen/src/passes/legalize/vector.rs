//! Operations that apply lane by lane: arithmetic, comparisons, selections.

use super::scalar::truth_cc;
use super::*;

impl Cx<'_> {
    /// Every lane of a value as a scalar: truth values as `i1`, lanes in limbs as limbs.
    pub(super) fn lanes(&mut self, v: Value) -> Result<Vec<Value>> {
        let ty = self.src.value_type(v);
        let (parts, _) = self.get(v)?;
        Ok(self.lanes_of(&parts, ty))
    }

    pub(super) fn lanes_of(&mut self, parts: &[Value], ty: Type) -> Vec<Value> {
        match self.shape(ty) {
            Shape::Vector(vt) => {
                (0..ty.lanes()).map(|k| self.extract(parts[(k / vt.lanes()) as usize], k % vt.lanes())).collect()
            }
            Shape::Mask => (0..ty.lanes()).map(|k| self.mask_lane(parts, k)).collect(),
            _ => parts.to_vec(),
        }
    }

    pub(super) fn mask_lane(&mut self, parts: &[Value], k: u32) -> Value {
        let per = self.out.value_type(parts[0]).lanes();
        let n = self.extract(parts[(k / per) as usize], k % per);
        self.e1(Opcode::Trunc, Type::I1, [n.0, 0, 0])
    }

    /// A value of type `ty` made of scalars.
    #[allow(clippy::wrong_self_convention)]
    pub(super) fn from_lanes(&mut self, lanes: &[Value], ty: Type) -> Held {
        let (vt, _, width) = self.part_type(ty);
        if !vt.is_vector() {
            return (lanes.iter().copied().collect(), 0);
        }
        let mut parts = Parts::new();
        for chunk in lanes.chunks(vt.lanes() as usize) {
            let mut part = self.poison(vt);
            for (k, &lane) in chunk.iter().enumerate() {
                let lane = if width > 0 { self.e1(Opcode::Sext, vt.lane(), [lane.0, 0, 0]) } else { lane };
                part = self.insert(part, lane, k as u32);
            }
            parts.push(part);
        }
        (parts, width)
    }

    pub(super) fn lanewise(&mut self, d: &InstData, operands: &[Value]) -> Result<Held> {
        let (op, ty) = (d.op, d.ty);
        match self.shape(ty) {
            Shape::Same | Shape::Odd(_) => {
                let x: Parts = operands.iter().map(|&v| self.one(v)).collect::<Result<Vec<_>>>()?.into_iter().collect();
                let v = match op {
                    // Selection can use that the number is not zero.
                    Opcode::Ctlz | Opcode::Cttz if ty != Type::I1 && plain_type(ty) => {
                        self.er(op, d.flags, ty, [x[0].0, 0, 0], ty)
                    }
                    _ => self.scalar(op, ty, &x),
                };
                return Ok((Parts::one(v), 0));
            }
            Shape::Limbs => {
                let operands = self.limbs(operands)?;
                return Ok((self.wide_op(op, ty, &operands)?.into_iter().collect(), 0));
            }
            Shape::List if self.limbs_of_lanes(ty).is_some() => {
                let operands = self.limbs(operands)?;
                let per = operands[0].len() / ty.lanes() as usize;
                let mut parts = Parts::new();
                for at in (0..operands[0].len()).step_by(per) {
                    let lanes: Vec<_> = operands.iter().map(|limbs| limbs[at..at + per].to_vec()).collect();
                    self.wide_op(op, ty.lane(), &lanes)?.into_iter().for_each(|limb| parts.push(limb));
                }
                return Ok((parts, 0));
            }
            Shape::Mask
                if matches!(
                    op,
                    Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Iadd | Opcode::Isub | Opcode::Imul
                ) =>
            {
                let op = match op {
                    Opcode::Iadd | Opcode::Isub => Opcode::Xor,
                    Opcode::Imul => Opcode::And,
                    op => op,
                };
                let (a, b, width) = self.two_masks(operands[0], operands[1])?;
                let parts: Parts = a.iter().zip(&b).map(|(&a, &b)| self.bin(op, a, b)).collect();
                return Ok((parts, width));
            }
            Shape::Vector(vt) => {
                let mut x: Vec<Parts> = Vec::with_capacity(3);
                for &v in operands {
                    x.push(self.get(v)?.0);
                }
                let mut parts = Parts::new();
                for k in 0..x[0].len() {
                    let at: Parts = x.iter().map(|p| p[k]).collect();
                    match self.vector_op(op, vt, &at) {
                        Some(v) => parts.push(v),
                        None => {
                            let first = k as u32 * vt.lanes();
                            let n = (ty.lanes() - first).min(vt.lanes());
                            let v = self.one_by_one(op, vt, n, &at);
                            parts.push(v);
                        }
                    }
                }
                return Ok((parts, 0));
            }
            _ => {}
        }
        let mut x: Vec<Vec<Value>> = Vec::with_capacity(3);
        for &v in operands {
            x.push(self.lanes(v)?);
        }
        let mut lanes = Vec::with_capacity(x[0].len());
        for k in 0..x[0].len() {
            let at: Parts = x.iter().map(|l| l[k]).collect();
            lanes.push(self.scalar(op, ty.lane(), &at));
        }
        Ok(self.from_lanes(&lanes, ty))
    }

    /// Handles the first `n` lanes one at a time.
    fn one_by_one(&mut self, op: Opcode, vt: Type, n: u32, x: &[Value]) -> Value {
        let mut out = self.poison(vt);
        for k in 0..n {
            let at: Parts = x.iter().map(|&v| self.extract(v, k)).collect();
            let lane = self.scalar(op, vt.lane(), &at);
            out = self.insert(out, lane, k);
        }
        out
    }

    /// `op` on whole legal vectors, if there is a way.
    pub(super) fn vector_op(&mut self, op: Opcode, vt: Type, x: &[Value]) -> Option<Value> {
        use Opcode::*;
        let word = |k: usize| x.get(k).map_or(0, |v| v.0);
        let words = [word(0), word(1), word(2)];
        if matches!(op, And | Or | Xor) || self.legal.has(op, vt) {
            return Some(self.e1(op, vt, words));
        }
        let bits = vt.lane_bits();
        match op {
            Shl | Lshr | Ashr => {
                let by = self.uniform(x[1])?;
                if by >= bits as u128 {
                    return Some(self.poison(vt));
                }
                self.shift_by(op, x[0], by as u32)
            }
            Fshl | Fshr => {
                let by = (self.uniform(x[2])? % bits as u128) as u32;
                if by == 0 {
                    return Some(if op == Fshl { x[0] } else { x[1] });
                }
                let left = if op == Fshl { by } else { bits - by };
                let high = self.shift_by(Shl, x[0], left)?;
                let low = self.shift_by(Lshr, x[1], bits - left)?;
                Some(self.bin(Or, high, low))
            }
            Ctpop => self.population(vt, x[0]),
            Udiv | Urem | Sdiv | Srem if self.legal.has(Iadd, vt) && self.legal.has(Isub, vt) => {
                let by = self.uniform(x[1]).filter(|n| n.is_power_of_two())?;
                self.divide_by_power(op, x[0], by)
            }
            UaddSat if self.legal.has(Umin, vt) && self.legal.has(Iadd, vt) => {
                let room = self.not(x[1]);
                let a = self.bin(Umin, x[0], room);
                Some(self.bin(Iadd, a, x[1]))
            }
            UsubSat if self.legal.has(Umax, vt) && self.legal.has(Isub, vt) => {
                let a = self.bin(Umax, x[0], x[1]);
                Some(self.bin(Isub, a, x[1]))
            }
            _ => None,
        }
    }

    /// A quotient or remainder of each lane by a power of two.
    fn divide_by_power(&mut self, op: Opcode, v: Value, by: u128) -> Option<Value> {
        use Opcode::*;
        let (bits, k) = (self.out.value_type(v).lane_bits(), by.trailing_zeros());
        match op {
            Udiv => return self.shift_by(Lshr, v, k),
            Urem => return Some(self.bin_imm(And, v, by - 1)),
            // The smallest number is minus a power of two.
            _ if k == 0 || k + 1 == bits => return None,
            _ => {}
        }
        // Negative numbers are increased so that the shift rounds toward zero.
        let sign = self.shift_by(Ashr, v, bits - 1)?;
        let more = self.shift_by(Lshr, sign, bits - k)?;
        let sum = self.bin(Iadd, v, more);
        if op == Sdiv {
            return self.shift_by(Ashr, sum, k);
        }
        let multiple = self.bin_imm(And, sum, !(by - 1));
        Some(self.bin(Isub, v, multiple))
    }

    /// The number of ones in each lane: of each byte (Hacker's Delight, section 5-1), then the sum.
    fn population(&mut self, vt: Type, v: Value) -> Option<Value> {
        use Opcode::*;
        let (bytes, words) = (self.full(Type::I8), self.full(Type::I32));
        let bits = vt.lane_bits();
        let has = |op: Opcode| self.legal.has(op, words) && self.legal.has(op, vt);
        let shifts = |ty: Type| self.legal.has_uniform_shift(Lshr, ty);
        if !has(Iadd) || !has(Isub) || !shifts(words) || bits > 8 && !shifts(vt) {
            return None;
        }
        let mut counts = if self.legal.has(Ctpop, bytes) {
            let v = self.cast(v, bytes);
            self.un(Ctpop, v)
        } else {
            let v = self.cast(v, words);
            let half = self.bin_imm(Lshr, v, 1);
            let odd = self.bin_imm(And, half, 0x5555_5555);
            let pairs = self.bin(Isub, v, odd);
            let quarter = self.bin_imm(Lshr, pairs, 2);
            let (low, high) = (self.bin_imm(And, pairs, 0x3333_3333), self.bin_imm(And, quarter, 0x3333_3333));
            let fours = self.bin(Iadd, low, high);
            let upper = self.bin_imm(Lshr, fours, 4);
            let sum = self.bin(Iadd, fours, upper);
            self.bin_imm(And, sum, 0x0f0f_0f0f)
        };
        counts = self.cast(counts, vt);
        let mut by = bits / 2;
        while by >= 8 {
            let upper = self.bin_imm(Lshr, counts, by.into());
            counts = self.bin(Iadd, counts, upper);
            by /= 2;
        }
        // A sum of bytes stays in the lowest byte; the others hold leftovers.
        Some(if bits > 8 { self.bin_imm(And, counts, 2 * u128::from(bits) - 1) } else { counts })
    }

    /// A shift of all lanes by a constant below the lane width.
    fn shift_by(&mut self, op: Opcode, a: Value, by: u32) -> Option<Value> {
        use Opcode::*;
        if by == 0 {
            return Some(a);
        }
        let vt = self.out.value_type(a);
        if self.legal.has_uniform_shift(op, vt) {
            return Some(self.bin_imm(op, a, by as u128));
        }
        let wide = self.full(Type::I16);
        if vt.lane() == Type::I8 && op != Ashr && self.legal.has_uniform_shift(op, wide) {
            // Two lanes at a time, with the bits from the neighbour cleared.
            let a = self.cast(a, wide);
            let r = self.bin_imm(op, a, by as u128);
            let r = self.cast(r, vt);
            let keep = if op == Shl { 0xff << by } else { 0xff >> by };
            return Some(self.bin_imm(And, r, keep));
        }
        None
    }

    /// The integer that all lanes of a vector constant have.
    pub(super) fn uniform(&self, v: Value) -> Option<u128> {
        let Some(crate::ir::ConstData::Vector { start, len }) = self.out.constant(v) else { return None };
        let lanes = self.out.pool_values(start, len);
        let first = self.out.int_constant(lanes[0])?;
        lanes.iter().all(|&l| self.out.int_constant(l) == Some(first)).then_some(first)
    }

    /// Two masks in lanes of the same width.
    fn two_masks(&mut self, a: Value, b: Value) -> Result<(Parts, Parts, u8)> {
        let is_const = |cx: &Self, v: Value| cx.src.constant(cx.src.resolve(v)).is_some();
        let width = if is_const(self, a) { self.get(b)?.1 } else { self.get(a)?.1 };
        Ok((self.mask(a, width)?, self.mask(b, width)?, width))
    }

    pub(super) fn compare(&mut self, i: Inst, d: &InstData) -> Result<Held> {
        let (a, b) = (Value(d.a), Value(d.b));
        Ok(match self.shape(d.ty) {
            Shape::Same | Shape::Odd(_) => {
                let (a, b) = (self.one(a)?, self.one(b)?);
                (Parts::one(self.compare_scalar(d, d.ty, a, b)), 0)
            }
            Shape::Limbs => {
                let sides = self.limbs(&[a, b])?;
                let cc = IntCc::from_u8(d.flags).unwrap_or(IntCc::Eq);
                (Parts::one(self.wide_compare(cc, d.ty, &sides[0], &sides[1])), 0)
            }
            Shape::Vector(vt) if self.legal.has(d.op, vt) => {
                let (a, b) = (self.get(a)?.0, self.get(b)?.0);
                let width = vt.lane_bits() as u8;
                let mt = self.mask_type(width);
                let parts: Parts =
                    a.iter().zip(&b).map(|(a, b)| self.er(d.op, d.flags, vt, [a.0, b.0, 0], mt)).collect();
                (parts, width)
            }
            Shape::Mask => {
                let (a, b, width) = self.two_masks(a, b)?;
                let cc = truth_cc(IntCc::from_u8(d.flags).unwrap_or(IntCc::Eq));
                let mut parts = Parts::new();
                for (&a, &b) in a.iter().zip(&b) {
                    let v = match cc {
                        IntCc::Ne | IntCc::Eq => self.bin(Opcode::Xor, a, b),
                        IntCc::Ult | IntCc::Uge => {
                            let na = self.not(a);
                            self.bin(Opcode::And, na, b)
                        }
                        _ => {
                            let nb = self.not(b);
                            self.bin(Opcode::And, a, nb)
                        }
                    };
                    let negate = matches!(cc, IntCc::Eq | IntCc::Uge | IntCc::Ule);
                    parts.push(if negate { self.not(v) } else { v });
                }
                (parts, width)
            }
            _ => {
                let (a, b) = (self.lanes(a)?, self.lanes(b)?);
                let lanes: Vec<Value> = if let Some(per) = self.limbs_of_lanes(d.ty) {
                    let cc = IntCc::from_u8(d.flags).unwrap_or(IntCc::Eq);
                    a.chunks(per).zip(b.chunks(per)).map(|(a, b)| self.wide_compare(cc, d.ty.lane(), a, b)).collect()
                } else {
                    a.iter().zip(&b).map(|(&a, &b)| self.compare_scalar(d, d.ty.lane(), a, b)).collect()
                };
                self.from_lanes(&lanes, self.src.value_type(self.src.result(i)))
            }
        })
    }

    pub(super) fn select(&mut self, d: &InstData) -> Result<Held> {
        let (c, a, b) = (Value(d.a), Value(d.b), Value(d.c));
        let condition = self.src.value_type(c);
        let by_lane = condition.is_vector();
        // A condition may be a mask already: lanes of all ones or all zeros, as wide as the selected lanes.
        let masked = by_lane && condition.lane() != Type::I1;
        Ok(match self.shape(d.ty) {
            Shape::Same | Shape::Odd(_) => {
                let (c, a, b) = (self.one(c)?, self.one(a)?, self.one(b)?);
                (Parts::one(self.scalar_select(c, a, b)), 0)
            }
            Shape::Limbs => {
                let (c, a, b) = (self.one(c)?, self.get(a)?.0, self.get(b)?.0);
                (self.choose(c, &a, &b).into_iter().collect(), 0)
            }
            Shape::List => {
                let mut c = self.lanes(c)?;
                if masked {
                    c.iter_mut().for_each(|x| *x = self.e1(Opcode::Trunc, Type::I1, [x.0, 0, 0]));
                }
                let (a, b) = (self.get(a)?.0, self.get(b)?.0);
                // A lane of several limbs has one condition.
                let of = |k: usize| k * c.len() / a.len();
                ((0..a.len()).map(|k| self.scalar_select(c[of(k)], a[k], b[k])).collect(), 0)
            }
            shape => {
                let (a, b, width, lane_width) = match shape {
                    Shape::Vector(vt) => (self.get(a)?.0, self.get(b)?.0, 0, vt.lane_bits() as u8),
                    _ => {
                        let (a, b, width) = self.two_masks(a, b)?;
                        (a, b, width, width)
                    }
                };
                let conditions = if masked {
                    self.get(c)?.0
                } else if by_lane {
                    self.mask(c, lane_width)?
                } else {
                    let c = self.one(c)?;
                    let mt = self.mask_type(lane_width);
                    let m = self.all_lanes(c, mt);
                    a.iter().map(|_| m).collect()
                };
                let mut parts = Parts::new();
                for k in 0..a.len() {
                    let vt = self.out.value_type(a[k]);
                    parts.push(self.e1(Opcode::Select, vt, [conditions[k].0, a[k].0, b[k].0]));
                }
                (parts, width)
            }
        })
    }

    /// A truth value in every lane of a mask.
    pub(super) fn all_lanes(&mut self, c: Value, mt: Type) -> Value {
        let n = self.e1(Opcode::Sext, mt.lane(), [c.0, 0, 0]);
        self.splat(mt, n)
    }

    pub(super) fn overflow(&mut self, i: Inst, d: &InstData) -> Result<Held> {
        let flag = Value(self.src.result(i).0 + 1);
        if self.shape(d.ty) == Shape::Limbs {
            let sides = self.limbs(&[Value(d.a), Value(d.b)])?;
            let (parts, over) = self.wide_overflow(d.op, d.ty, &sides[0], &sides[1]);
            self.define1(flag, over);
            return Ok((parts.into_iter().collect(), 0));
        }
        let (a, b) = (self.lanes(Value(d.a))?, self.lanes(Value(d.b))?);
        let mut values = Vec::with_capacity(a.len());
        let mut flags = Vec::with_capacity(a.len());
        let per = self.limbs_of_lanes(d.ty).unwrap_or(1);
        for (a, b) in a.chunks(per).zip(b.chunks(per)) {
            let flag = if let (&[a], &[b]) = (a, b) {
                let (v, flag) = self.overflow_scalar(d.op, d.ty.lane(), a, b);
                values.push(v);
                flag
            } else {
                let (limbs, flag) = self.wide_overflow(d.op, d.ty.lane(), a, b);
                values.extend(limbs);
                flag
            };
            flags.push(flag);
        }
        if !d.ty.is_vector() {
            self.define1(flag, flags[0]);
            return Ok((Parts::one(values[0]), 0));
        }
        let sums = self.from_lanes(&values, d.ty);
        let (parts, width) = self.from_lanes(&flags, self.src.value_type(flag));
        self.define(flag, &parts, width);
        Ok(sums)
    }

    /// `base + index * scale` on vectors of addresses.
    pub(super) fn index(&mut self, d: &InstData) -> Result<Held> {
        let (base, index) = (self.get(Value(d.a))?.0, self.get(Value(d.b))?.0);
        let scale = d.c as i32 as i128 as u128;
        let mut parts = Parts::new();
        for (&a, &b) in base.iter().zip(&index) {
            let b = if scale == 1 { b } else { self.bin_imm(Opcode::Imul, b, scale) };
            parts.push(self.bin(Opcode::Iadd, a, b));
        }
        Ok((parts, 0))
    }
}
