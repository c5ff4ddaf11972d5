//! Intrinsics on integers of more than two registers.

use gusset_codegen::ir::{IntCc, MemFlags, Opcode, Type, Value};

use super::Limbs;
use crate::expand::arity;
use crate::function::{FunctionLowering, Val};
use crate::intrinsics::Intrinsic;
use crate::refusal::{Result, intrinsic_mismatch};
use crate::types::{I1, Kind, TypeId, TypeTable};

impl FunctionLowering<'_> {
    /// Makes the instructions of an intrinsic whose first argument is of a wide type; its value.
    #[cold]
    pub(crate) fn wide_intrinsic(&mut self, intrinsic: Intrinsic, ret: TypeId) -> Result<Val> {
        let ty = self.s.call.request.params[0].0;
        let bits = self.integer_bits(ty).unwrap_or(0);
        let operands = match intrinsic {
            Intrinsic::Operation(op) => arity(op),
            Intrinsic::Overflow(_) | Intrinsic::ThreeWay { .. } => 2,
            _ => 1,
        };
        if self.s.call.vals.len() < operands || self.s.call.request.params[..operands].iter().any(|p| p.0 != ty) {
            return Err(intrinsic_mismatch());
        }
        let fits = match intrinsic {
            Intrinsic::Overflow(_) => self.is_pair(ret, ty, I1),
            Intrinsic::IsConstant => ret == I1,
            Intrinsic::ThreeWay { .. } => self.types.get(ret).kind == Kind::Int && ret != I1,
            _ => ret == ty,
        };
        if !fits {
            return Err(intrinsic_mismatch());
        }
        let n = self.scalars(ty);
        let [a, b, c] = [0, 1, 2].map(|i| self.s.call.vals.get(i).copied().filter(|_| i < operands).unwrap_or(0));
        let result = match intrinsic {
            Intrinsic::First => return Ok(a),
            Intrinsic::IsConstant => {
                let constant = (0..n).all(|i| self.b.func.int_constant(self.part(ty, a, i)).is_some());
                return Ok(self.b.iconst(Type::I1, i128::from(constant)).0);
            }
            Intrinsic::ThreeWay { signed } => {
                let (gt, lt) = if signed { (IntCc::Sgt, IntCc::Slt) } else { (IntCc::Ugt, IntCc::Ult) };
                let (gt, lt) = (self.holds(gt, ty, a, b), self.holds(lt, ty, a, b));
                let ir = self.types.ir(ret);
                let (gt, lt) = (self.fit(gt, ir, false), self.fit(lt, ir, false));
                return Ok(self.b.binary(Opcode::Isub, gt, lt).0);
            }
            Intrinsic::Overflow(op) => {
                let (start, lost) = self.wide_overflow(op, ty, a, b);
                // The flag stands behind the limbs.
                let limbs = start as usize..start as usize + n;
                let start = self.s.aggregates.len();
                self.s.aggregates.extend_from_within(limbs);
                self.s.aggregates.push(lost);
                return Ok(start as Val);
            }
            Intrinsic::Operation(op @ (Opcode::Umin | Opcode::Umax | Opcode::Smin | Opcode::Smax)) => {
                let cc = match op {
                    Opcode::Umin => IntCc::Ult,
                    Opcode::Umax => IntCc::Ugt,
                    Opcode::Smin => IntCc::Slt,
                    _ => IntCc::Sgt,
                };
                let first = self.holds(cc, ty, a, b);
                return Ok(self.choose(first, ty, a, b));
            }
            Intrinsic::Operation(op @ (Opcode::UaddSat | Opcode::UsubSat | Opcode::SaddSat | Opcode::SsubSat)) => {
                return Ok(self.saturating(op, ty, a, b));
            }
            Intrinsic::Operation(Opcode::Iabs) => {
                let v = self.limbs(ty, a, true);
                let sign = vec![self.filler(&v, true); n];
                let flipped: Limbs = v.iter().map(|&v| self.apply(Opcode::Xor, v, sign[0])).collect();
                self.sum(Opcode::Isub, &flipped, &sign)
            }
            Intrinsic::Operation(op @ (Opcode::Ctpop | Opcode::Ctlz | Opcode::Cttz)) => {
                let mut count = vec![self.count(op, bits, ty, a)];
                self.resize(&mut count, n, false);
                count
            }
            Intrinsic::Operation(op @ (Opcode::Bswap | Opcode::Bitreverse)) => {
                if op == Opcode::Bswap && !bits.is_multiple_of(16) {
                    return Err(intrinsic_mismatch());
                }
                let mut v = self.limbs(ty, a, false);
                v.reverse();
                let v: Limbs = v.iter().map(|&v| self.b.unary(op, v)).collect();
                self.shift(Opcode::Lshr, &v, self.limb_bits() * n as u32 - bits)
            }
            Intrinsic::Operation(op @ (Opcode::Fshl | Opcode::Fshr)) => {
                self.wide_funnel(op, ty, [a, b, c]).ok_or_else(|| self.not_for(ty))?
            }
            _ => return Err(self.not_for(ty)),
        };
        Ok(self.of_limbs(ty, &result))
    }

    /// `llvm.is.fpclass` of a float without an integer of its width: `signed` gives for each class of magnitudes its bits in
    /// the mask for negative and positive numbers, the least of them and how many there are; `nans` are infinity and the
    /// least quiet one.
    #[cold]
    pub(crate) fn wide_fp_class(
        &mut self,
        v: Value,
        mask: u32,
        signed: [(u32, u32, u128, u128); 4],
        nans: (u128, u128),
    ) -> Result<Value> {
        let ir = self.b.func.value_type(v);
        if ir.is_vector() {
            return Err(intrinsic_mismatch());
        }
        let ty = TypeTable::int(128);
        let slot = self.b.func.make_temporary(16, 16);
        let addr = self.b.slot_addr(slot);
        self.b.store(v, addr, 0, MemFlags::new(16, false));
        let (limb, limbs) = (self.limb(), self.scalars(ty));
        let start = self.s.aggregates.len();
        let top = (ir.bits() - 1) / limb.bits();
        let zero = self.limb_constant(0);
        let mut negative = zero;
        for i in 0..limbs as u32 {
            let at = (i * limb.bits() / 8) as i32;
            let word = match (i.cmp(&top), ir.bits() % limb.bits()) {
                (std::cmp::Ordering::Greater, _) => zero,
                (std::cmp::Ordering::Equal, 16) => {
                    let word = self.b.load(Type::I16, addr, at, MemFlags::new(2, false));
                    self.fit(word, limb, false)
                }
                _ => self.b.load(limb, addr, at, MemFlags::new(4, false)),
            };
            let sign = 1u64 << ((ir.bits() - 1) % limb.bits());
            let word = if i == top {
                let (sign, rest) = (self.limb_constant(sign), self.limb_constant(sign - 1));
                negative = self.apply(Opcode::And, word, sign);
                self.apply(Opcode::And, word, rest)
            } else {
                word
            };
            self.s.aggregates.push(word);
        }
        let abs = start as Val;
        let is = |r: &mut Self, cc: IntCc, n: u128| {
            let n = r.wide_constant(ty, &[n as u64, (n >> 64) as u64]);
            r.holds(cc, ty, abs, n)
        };
        let (negative, positive) = (self.b.icmp(IntCc::Ne, negative, zero), self.b.icmp(IntCc::Eq, negative, zero));
        let mut result = self.b.iconst(Type::I1, 0);
        for (below, above, least, count) in signed {
            if mask & (below | above) == 0 {
                continue;
            }
            let (from, to) = (is(self, IntCc::Uge, least), is(self, IntCc::Ult, least + count));
            let mut class = self.b.binary(Opcode::And, from, to);
            if mask & below == 0 {
                class = self.b.binary(Opcode::And, class, positive);
            } else if mask & above == 0 {
                class = self.b.binary(Opcode::And, class, negative);
            }
            result = self.b.binary(Opcode::Or, result, class);
        }
        let (infinity, quiet) = nans;
        let nan = match mask & 3 {
            0 => return Ok(result),
            3 => is(self, IntCc::Ugt, infinity),
            2 => is(self, IntCc::Uge, quiet),
            _ => {
                let (nan, loud) = (is(self, IntCc::Ugt, infinity), is(self, IntCc::Ult, quiet));
                self.b.binary(Opcode::And, nan, loud)
            }
        };
        Ok(self.b.binary(Opcode::Or, result, nan))
    }

    fn either(&mut self, a: &[Value], b: &[Value]) -> Limbs {
        a.iter().zip(b).map(|(&a, &b)| self.apply(Opcode::Or, a, b)).collect()
    }

    /// The number of ones, or of zeros above or below the first one.
    fn count(&mut self, op: Opcode, bits: u32, ty: TypeId, val: Val) -> Value {
        let limbs = self.limbs(ty, val, false);
        let (zero, width) = (self.limb_constant(0), self.limb_bits() as u64);
        let mut result = self.limb_constant(if op == Opcode::Ctpop { 0 } else { bits as u64 });
        for k in 0..limbs.len() {
            // The limb that decides comes last.
            let i = if op == Opcode::Cttz { limbs.len() - 1 - k } else { k };
            let count = self.b.unary(op, limbs[i]);
            if op == Opcode::Ctpop {
                result = self.apply(Opcode::Iadd, result, count);
                continue;
            }
            let before =
                if op == Opcode::Cttz { width * i as u64 } else { (bits as u64).wrapping_sub(width * (i as u64 + 1)) };
            let before = self.limb_constant(before);
            let count = self.apply(Opcode::Iadd, count, before);
            let decides = self.b.icmp(IntCc::Ne, limbs[i], zero);
            result = self.b.select(decides, count, result);
        }
        result
    }

    /// A funnel shift; none by a variable count unless the width is a power of two.
    fn wide_funnel(&mut self, op: Opcode, ty: TypeId, [a, b, count]: [Val; 3]) -> Option<Limbs> {
        let bits = self.integer_bits(ty).unwrap_or(0);
        let (a, b) = (self.limbs(ty, a, false), self.limbs(ty, b, false));
        let (high, low) = match self.funnel_counts(op, bits, ty, count)? {
            Counts::Known(0) => return Some(if op == Opcode::Fshl { a } else { b }),
            Counts::Known(left) => (self.shift(Opcode::Shl, &a, left), self.shift(Opcode::Lshr, &b, bits - left)),
            Counts::Variable { left, right } => {
                // In two steps on one side, for the width itself is no count.
                let (a, b) = match op {
                    Opcode::Fshl => (a, self.shift(Opcode::Lshr, &b, 1)),
                    _ => (self.shift(Opcode::Shl, &a, 1), b),
                };
                (self.shift_by(Opcode::Shl, &a, left), self.shift_by(Opcode::Lshr, &b, right))
            }
        };
        Some(self.either(&high, &low))
    }

    /// How far a funnel shift moves its operands. A variable count is known for widths of a power of two alone.
    fn funnel_counts(&mut self, op: Opcode, bits: u32, ty: TypeId, count: Val) -> Option<Counts> {
        let n = self.scalars(ty);
        let known: Option<Vec<u128>> = (0..n).map(|i| self.b.func.int_constant(self.part(ty, count, i))).collect();
        if let Some(limbs) = known {
            let width = bits as u128;
            let step = self.limb_bits();
            let modulo = limbs.iter().rev().fold(0, |rest, limb| ((rest << step) | limb) % width) as u32;
            let left = if op == Opcode::Fshl || modulo == 0 { modulo } else { bits - modulo };
            return Some(Counts::Known(left));
        }
        if !bits.is_power_of_two() {
            return None;
        }
        let mask = self.limb_constant(bits as u64 - 1);
        let count = self.apply(Opcode::And, self.part(ty, count, 0), mask);
        let rest = self.apply(Opcode::Xor, count, mask);
        let (left, right) = if op == Opcode::Fshl { (count, rest) } else { (rest, count) };
        Some(Counts::Variable { left, right })
    }

    fn saturating(&mut self, op: Opcode, ty: TypeId, a: Val, b: Val) -> Val {
        let n = self.scalars(ty);
        let exact = match op {
            Opcode::UaddSat => Opcode::UaddOv,
            Opcode::UsubSat => Opcode::UsubOv,
            Opcode::SaddSat => Opcode::SaddOv,
            _ => Opcode::SsubOv,
        };
        let (result, over) = self.wide_overflow(exact, ty, a, b);
        let limbs = self.limbs(ty, result, true);
        let mut most = match op {
            Opcode::UaddSat => vec![self.limb_constant(u64::MAX); n],
            Opcode::UsubSat => vec![self.limb_constant(0); n],
            // What seems negative was too large.
            _ => vec![self.filler(&limbs, true); n],
        };
        if matches!(op, Opcode::SaddSat | Opcode::SsubSat) {
            let top = self.integer_bits(ty).unwrap_or(0) - self.limb_bits() * (n as u32 - 1);
            let sign = self.limb_constant(1 << (top - 1));
            most[n - 1] = self.apply(Opcode::Xor, most[n - 1], sign);
        }
        let most = self.of_limbs(ty, &most);
        self.choose(over, ty, most, result)
    }

    /// Arithmetic with an overflow flag: done with more bits, where nothing overflows, and compared with what is left of it.
    fn wide_overflow(&mut self, op: Opcode, ty: TypeId, a: Val, b: Val) -> (Val, Value) {
        let signed = matches!(op, Opcode::SaddOv | Opcode::SsubOv | Opcode::SmulOv);
        let n = self.scalars(ty);
        let bits = self.integer_bits(ty).unwrap_or(0);
        let (mut a, mut b) = (self.limbs(ty, a, signed), self.limbs(ty, b, signed));
        let exact = match op {
            Opcode::UmulOv => self.product(&a, &b, 2 * n),
            Opcode::SmulOv => {
                let mut product = self.product(&a, &b, 2 * n);
                // Read as unsigned, a negative number is 2^64n too large.
                for (x, y) in [(&a, &b), (&b, &a)] {
                    let sign = self.filler(x, true);
                    let beyond: Limbs = y.iter().map(|&v| self.apply(Opcode::And, v, sign)).collect();
                    let high = self.sum(Opcode::Isub, &product[n..], &beyond);
                    product.splice(n.., high);
                }
                product
            }
            _ => {
                let more = (bits + 1).div_ceil(self.limb_bits()) as usize;
                self.resize(&mut a, more, signed);
                self.resize(&mut b, more, signed);
                let add = matches!(op, Opcode::UaddOv | Opcode::SaddOv);
                self.sum(if add { Opcode::Iadd } else { Opcode::Isub }, &a, &b)
            }
        };
        let start = self.of_limbs(ty, &exact);
        let mut again = self.limbs(ty, start, signed);
        self.resize(&mut again, exact.len(), signed);
        (start, self.differ(IntCc::Ne, &exact, &again))
    }
}

/// How far the two numbers of a funnel shift move.
enum Counts {
    /// The first one to the left by so many bits; the second one to the right by the rest of the width.
    Known(u32),
    Variable {
        left: Value,
        right: Value,
    },
}
