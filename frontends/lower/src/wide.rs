//! Integers of more than two registers, which the IR does not have: of more than 128 bits on 64-bit machines, 64 on others.
//!
//! A value of such a type dissolves like an aggregate's: into limbs as wide as a register, the lowest first, and the rest at
//! the top in its exact width. Memory, phis, selections and calls thus need nothing of their own; what is here are the operations.

mod divide;
mod intrinsics;

use gusset_codegen::ir::{ConstData, IntCc, MemFlags, Opcode, Type, Value};

use crate::function::{FunctionLowering, Val};
use crate::operators::{Cast, Compare};
use crate::refusal::{Refusal, Result, wrong_operands};
use crate::types::{Kind, TypeId};

/// The limbs of a number, each as wide as a register, lowest first.
type Limbs = Vec<Value>;

impl FunctionLowering<'_> {
    // Limbs.

    /// Width of an integer or pointer, however wide.
    fn integer_bits(&self, ty: TypeId) -> Option<u32> {
        match self.types.get(ty).kind {
            Kind::Wide { bits } => Some(bits),
            Kind::Int | Kind::Ptr => Some(self.types.ir(ty).bits()),
            _ => None,
        }
    }

    fn is_wide(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty).kind, Kind::Wide { .. })
    }

    /// The type of a limb.
    fn limb(&self) -> Type {
        self.types.limb()
    }

    fn limb_bits(&self) -> u32 {
        self.types.layout.limb_bits
    }

    fn limb_constant(&mut self, n: u64) -> Value {
        let limb = self.limb();
        self.b.iconst(limb, n as i128)
    }

    /// `v` extended or cut to the integer type `ty`.
    pub(crate) fn fit(&mut self, v: Value, ty: Type, signed: bool) -> Value {
        let from = self.b.func.value_type(v);
        if from == ty {
            return v;
        }
        match self.b.func.constant(v) {
            Some(ConstData::Int(n)) => {
                let unused = 128 - from.bits();
                let n = if signed { (n << unused) as i128 >> unused } else { n as i128 };
                return self.b.iconst(ty, n);
            }
            Some(ConstData::Poison) => return self.b.poison(ty),
            _ => {}
        }
        let op = match (from.bits() > ty.bits(), signed) {
            (true, _) => Opcode::Trunc,
            (_, true) => Opcode::Sext,
            _ => Opcode::Zext,
        };
        self.b.convert(op, v, ty)
    }

    /// `a op b`, without an instruction where a constant says it all, as masks and shifts by whole limbs do.
    fn apply(&mut self, op: Opcode, a: Value, b: Value) -> Value {
        use Opcode::{And, Ashr, Iadd, Isub, Lshr, Or, Shl, Xor};
        let ty = self.b.func.value_type(a);
        let ones = u128::MAX >> (128 - ty.bits());
        let n = match (op, self.b.func.int_constant(a), self.b.func.int_constant(b)) {
            (And, Some(x), Some(y)) => x & y,
            (Or, Some(x), Some(y)) => x | y,
            (Xor, Some(x), Some(y)) => x ^ y,
            (Iadd, Some(x), Some(y)) => x.wrapping_add(y),
            (Isub, Some(x), Some(y)) => x.wrapping_sub(y),
            (Shl, Some(x), Some(y)) if y < ty.bits() as u128 => x << y,
            (Lshr, Some(x), Some(y)) if y < ty.bits() as u128 => x >> y,
            (And, Some(0), _) | (And, _, Some(0)) => 0,
            (And, Some(x), _) if x == ones => return b,
            (And, _, Some(y)) if y == ones => return a,
            (Or, Some(x), _) | (Or, _, Some(x)) if x == ones => x,
            (Or | Xor | Iadd, Some(0), _) => return b,
            (Or | Xor | Iadd | Isub | Shl | Lshr | Ashr, _, Some(0)) => return a,
            (Shl | Lshr | Ashr, Some(0), _) => 0,
            _ => return self.b.binary(op, a, b),
        };
        self.b.iconst(ty, n as i128)
    }

    /// The limbs of an integer or pointer, the last extended.
    fn limbs(&mut self, ty: TypeId, val: Val, signed: bool) -> Limbs {
        if self.is_wide(ty) {
            let n = self.scalars(ty);
            let limb = self.limb();
            return (0..n).map(|i| self.fit(self.part(ty, val, i), limb, signed)).collect();
        }
        let (limb, both) = (self.limb(), self.types.widest());
        let v = Value(val);
        if self.types.ir(ty).bits() <= limb.bits() {
            return vec![self.fit(v, limb, signed)];
        }
        let v = self.fit(v, both, signed);
        let count = self.b.iconst(both, limb.bits() as i128);
        let high = self.apply(Opcode::Lshr, v, count);
        vec![self.fit(v, limb, false), self.fit(high, limb, false)]
    }

    /// Zero, or the sign of the top limb in every bit.
    fn filler(&mut self, limbs: &[Value], signed: bool) -> Value {
        let zero = self.limb_constant(0);
        match limbs.last() {
            Some(&top) if signed => match self.b.func.int_constant_signed(top) {
                Some(n) => self.limb_constant((n >> 63) as u64),
                None => {
                    let count = self.limb_constant(self.limb_bits() as u64 - 1);
                    self.apply(Opcode::Ashr, top, count)
                }
            },
            _ => zero,
        }
    }

    /// Extends or cuts a number to `n` limbs.
    fn resize(&mut self, limbs: &mut Limbs, n: usize, signed: bool) {
        if n > limbs.len() {
            let filler = self.filler(limbs, signed);
            limbs.resize(n, filler);
        }
        limbs.truncate(n);
    }

    /// The value of integer or pointer type `ty` of the lowest bits of a number that has at least as many limbs.
    fn of_limbs(&mut self, ty: TypeId, limbs: &[Value]) -> Val {
        if let Kind::Wide { bits } = self.types.get(ty).kind {
            let n = self.scalars(ty);
            let top = Type::int(bits - self.limb_bits() * (n as u32 - 1)).unwrap_or(self.limb());
            let last = self.fit(limbs[n - 1], top, false);
            let start = self.s.aggregates.len();
            self.s.aggregates.extend_from_slice(&limbs[..n - 1]);
            self.s.aggregates.push(last);
            return start as Val;
        }
        let ir = self.types.ir(ty);
        let limb = self.limb_bits();
        if ir.bits() <= limb {
            return self.fit(limbs[0], ir, false).0;
        }
        let both = self.types.widest();
        let (low, high) = (self.fit(limbs[0], both, false), self.fit(limbs[1], both, false));
        let count = self.b.iconst(both, limb as i128);
        let high = self.apply(Opcode::Shl, high, count);
        let both = self.apply(Opcode::Or, low, high);
        self.fit(both, ir, false).0
    }

    // Numbers.

    /// A number given in steps of 64 bits.
    pub fn wide_constant(&mut self, ty: TypeId, number: &[u64]) -> Val {
        let limb = self.limb_bits() as usize;
        let mut at = 0;
        self.each_leaf(ty, |r, leaf| {
            let n = number.get(at / 64).map_or(0, |n| n >> (at % 64));
            at += limb;
            r.b.iconst(leaf.ir, n as i128)
        })
    }

    // Instructions.

    /// What the error is that an operation does not work on a type that is neither a scalar nor a vector.
    #[cold]
    fn not_for(&self, ty: TypeId) -> Refusal {
        Refusal::of_operation("", self.unsupported(ty))
    }

    #[cold]
    fn unsupported(&self, ty: TypeId) -> String {
        let name = self.integer_bits(ty).map_or_else(|| "an aggregate".into(), |bits| format!("`i{bits}`"));
        let most = self.types.widest().bits();
        let why = if self.is_wide(ty) { format!(": it has more than {most} bits") } else { String::new() };
        format!(" of {name} is not supported{why}")
    }

    /// A binary operator.
    #[cold]
    pub(crate) fn wide_binary(&mut self, op: Opcode, ty: TypeId, a: Val, b: Val) -> Result<Val> {
        let Kind::Wide { bits } = self.types.get(ty).kind else {
            return Err(self.not_for(ty));
        };
        self.check_unfrozen()?;
        let n = self.scalars(ty);
        let result = match op {
            Opcode::And | Opcode::Or | Opcode::Xor => {
                let start = self.s.aggregates.len();
                for i in 0..n {
                    let v = self.apply(op, self.part(ty, a, i), self.part(ty, b, i));
                    self.s.aggregates.push(v);
                }
                return Ok(start as Val);
            }
            Opcode::Iadd | Opcode::Isub | Opcode::Imul => {
                let (a, b) = (self.limbs(ty, a, false), self.limbs(ty, b, false));
                if op == Opcode::Imul { self.product(&a, &b, n) } else { self.sum(op, &a, &b) }
            }
            Opcode::Shl | Opcode::Lshr | Opcode::Ashr => {
                let a = self.limbs(ty, a, op == Opcode::Ashr);
                let count: Option<Vec<u128>> = (0..n).map(|i| self.b.func.int_constant(self.part(ty, b, i))).collect();
                match count {
                    Some(c) if c[0] < bits as u128 && c[1..].iter().all(|&c| c == 0) => self.shift(op, &a, c[0] as u32),
                    Some(_) => vec![self.b.poison(self.limb()); n],
                    // A count of more than one limb gives poison.
                    None => self.shift_by(op, &a, self.part(ty, b, 0)),
                }
            }
            Opcode::Udiv | Opcode::Sdiv | Opcode::Urem | Opcode::Srem => self.division(op, ty, [a, b]),
            _ => return Err(self.not_for(ty)),
        };
        Ok(self.of_limbs(ty, &result))
    }

    /// `a + b` or `a - b`, as `op` says, of equally many limbs.
    fn sum(&mut self, op: Opcode, a: &[Value], b: &[Value]) -> Limbs {
        let with_carry = if op == Opcode::Iadd { Opcode::UaddOv } else { Opcode::UsubOv };
        let mut carry: Option<Value> = None;
        let mut out = Vec::with_capacity(a.len());
        for (i, (&a, &b)) in a.iter().zip(b).enumerate() {
            let last = i + 1 == out.capacity();
            let carried = carry.take();
            let mut v = a;
            for b in [Some(b), carried] {
                let Some(b) = b else { continue };
                if last || self.b.func.int_constant(b) == Some(0) {
                    v = self.apply(op, v, b);
                    continue;
                }
                let (sum, over) = self.b.overflow(with_carry, v, b);
                let over = self.fit(over, self.limb(), false);
                v = sum;
                // At most one of the two additions carries.
                carry = Some(carry.map_or(over, |c| self.b.binary(Opcode::Or, c, over)));
            }
            out.push(v);
        }
        out
    }

    /// The lowest `n` limbs of the product of unsigned numbers.
    fn product(&mut self, a: &[Value], b: &[Value], n: usize) -> Limbs {
        let zero = self.limb_constant(0);
        let mut out = vec![zero; n];
        let (limb, both) = (self.limb(), self.types.widest());
        let wide = |r: &mut Self, v: &Value| r.fit(*v, both, false);
        let a_wide: Vec<Value> = a.iter().map(|v| wide(self, v)).collect();
        let b_wide: Vec<Value> = b.iter().map(|v| wide(self, v)).collect();
        let count = self.b.iconst(both, limb.bits() as i128);
        for i in 0..a.len().min(n) {
            if a[i] == zero {
                continue;
            }
            let mut carry = zero;
            for j in 0..b.len().min(n - i) {
                let at = i + j;
                if at + 1 == n {
                    let product = self.b.binary(Opcode::Imul, a[i], b[j]);
                    let sum = self.apply(Opcode::Iadd, out[at], product);
                    out[at] = self.apply(Opcode::Iadd, sum, carry);
                    break;
                }
                // (2^n - 1)^2 and twice 2^n - 1 make 2^2n - 1.
                let (before, carried) = (wide(self, &out[at]), wide(self, &carry));
                let product = self.b.binary(Opcode::Imul, a_wide[i], b_wide[j]);
                let sum = self.apply(Opcode::Iadd, product, before);
                let sum = self.apply(Opcode::Iadd, sum, carried);
                out[at] = self.fit(sum, limb, false);
                let high = self.apply(Opcode::Lshr, sum, count);
                carry = self.fit(high, limb, false);
            }
            if i + b.len() < n {
                out[i + b.len()] = carry;
            }
        }
        out
    }

    /// The limb of `high` and `low` side by side, moved by `count` (modulo a limb's width) as `op` says.
    fn funnel(&mut self, op: Opcode, high: Value, low: Value, count: Value) -> Value {
        let left = op == Opcode::Shl;
        let (known, zero) = (self.b.func.int_constant(count), self.limb_constant(0));
        match known {
            Some(0) => return if left { high } else { low },
            Some(n) if left && low == zero => {
                let n = self.limb_constant(n as u64);
                return self.apply(Opcode::Shl, high, n);
            }
            Some(n) if !left && high == zero => {
                let n = self.limb_constant(n as u64);
                return self.apply(Opcode::Lshr, low, n);
            }
            _ => {}
        }
        self.b.ternary(if left { Opcode::Fshl } else { Opcode::Fshr }, high, low, count)
    }

    /// A number moved by `limbs` whole limbs and `count` bits below one.
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
    fn shift(&mut self, op: Opcode, a: &[Value], count: u32) -> Limbs {
        let filler = self.filler(a, op == Opcode::Ashr);
        let limb = self.limb_bits();
        let rest = self.limb_constant((count % limb) as u64);
        self.moved(op, a, filler, (count / limb) as usize, rest)
    }

    /// A shift by a count in a limb: by powers of two of limbs or not, then by the rest.
    fn shift_by(&mut self, op: Opcode, a: &[Value], count: Value) -> Limbs {
        let filler = self.filler(a, op == Opcode::Ashr);
        let zero = self.limb_constant(0);
        let mut a = a.to_vec();
        let mut step = 1;
        while step < a.len() {
            let bit = self.limb_constant(self.limb_bits() as u64 * step as u64);
            let bit = self.b.binary(Opcode::And, count, bit);
            let wanted = self.b.icmp(IntCc::Ne, bit, zero);
            let there = self.moved(op, &a, filler, step, zero);
            for (v, there) in a.iter_mut().zip(there) {
                *v = self.b.select(wanted, there, *v);
            }
            step *= 2;
        }
        self.moved(op, &a, filler, 0, count)
    }

    /// A comparison.
    #[cold]
    pub(crate) fn wide_compare(&mut self, compare: Compare, ty: TypeId, a: Val, b: Val) -> Result<Val> {
        match compare {
            Compare::Int(cc) if self.is_wide(ty) => Ok(self.holds(cc, ty, a, b).0),
            Compare::Int(_) => Err(Refusal::new(format!("`icmp`{}", self.unsupported(ty)))),
            Compare::Float(_) => Err(Refusal::new(format!("`fcmp`{}", self.unsupported(ty)))),
        }
    }

    /// Whether `a cc b`.
    fn holds(&mut self, cc: IntCc, ty: TypeId, a: Val, b: Val) -> Value {
        let n = self.scalars(ty);
        if matches!(cc, IntCc::Eq | IntCc::Ne) {
            let (a, b) = (self.limbs(ty, a, false), self.limbs(ty, b, false));
            return self.differ(cc, &a, &b);
        }
        // The highest limbs that differ decide: the sign in the top one only, equality in the lowest only.
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
        let mut result = self.b.icmp(lowest, self.part(ty, a, 0), self.part(ty, b, 0));
        for i in 1..n {
            let (x, y) = (self.part(ty, a, i), self.part(ty, b, i));
            let equal = self.b.icmp(IntCc::Eq, x, y);
            let decides = self.b.icmp(if i + 1 == n { strict } else { unsigned }, x, y);
            result = self.b.select(equal, result, decides);
        }
        result
    }

    /// `a == b` or `a != b`, as `cc` says, of equally many limbs.
    fn differ(&mut self, cc: IntCc, a: &[Value], b: &[Value]) -> Value {
        let zero = self.limb_constant(0);
        let mut all = zero;
        for (&a, &b) in a.iter().zip(b) {
            let v = if a == b { zero } else { self.apply(Opcode::Xor, a, b) };
            all = self.apply(Opcode::Or, all, v);
        }
        self.b.icmp(cc, all, zero)
    }

    /// A value converted, of a type or to a type that is neither scalar nor vector.
    #[cold]
    pub fn wide_cast(&mut self, cast: Cast, from: TypeId, val: Val, to: TypeId) -> Result<Val> {
        for ty in [from, to] {
            if !self.is_wide(ty) && self.types.ir(ty) == Type::VOID {
                return Err(self.not_for(ty));
            }
        }
        let wide = if self.is_wide(from) { from } else { to };
        let (Some(f), Some(t)) = (self.integer_bits(from), self.integer_bits(to)) else {
            if cast == Cast::Bitcast {
                return self.wide_bitcast(from, val, to, wide);
            }
            return Err(self.not_for(wide));
        };
        let (from_ptr, to_ptr) = (self.types.get(from).kind == Kind::Ptr, self.types.get(to).kind == Kind::Ptr);
        let integers = !from_ptr && !to_ptr;
        let fits = match cast {
            Cast::Trunc => integers && f > t,
            Cast::Zext | Cast::Sext => integers && f < t,
            Cast::Ptrtoint | Cast::Ptrtoaddr => from_ptr && !to_ptr,
            Cast::Inttoptr => to_ptr && !from_ptr,
            Cast::Bitcast => f == t,
            _ => false,
        };
        if !fits {
            return Err(wrong_operands());
        }
        if from == to {
            return Ok(val);
        }
        self.limbs_to(from, val, to, cast == Cast::Sext)
    }

    fn limbs_to(&mut self, from: TypeId, val: Val, to: TypeId, signed: bool) -> Result<Val> {
        let constant = |v| match self.b.func.constant(v) {
            Some(ConstData::Int(_)) => true,
            Some(ConstData::Symbol(..)) => self.ptr == self.limb() && self.is_wide(to) && !signed,
            _ => false,
        };
        if !(0..self.scalars(from)).all(|i| constant(self.part(from, val, i))) {
            self.check_unfrozen()?;
        }
        let n = self.integer_bits(to).unwrap_or(0).div_ceil(self.limb_bits()) as usize;
        let mut limbs = self.limbs(from, val, signed);
        self.resize(&mut limbs, n, signed);
        Ok(self.of_limbs(to, &limbs))
    }

    /// Through memory, where vectors of whole bytes lie as the integer does.
    fn wide_bitcast(&mut self, from: TypeId, val: Val, to: TypeId, wide: TypeId) -> Result<Val> {
        let other = self.types.ir(if wide == from { to } else { from });
        if Some(other.bits()) != self.integer_bits(wide) {
            return Err(wrong_operands());
        }
        if !other.lane_bits().is_multiple_of(8) {
            return Err(Refusal::new(format!("`bitcast`{}", self.unsupported(wide))));
        }
        self.check_unfrozen()?;
        let slot = self.b.func.make_temporary(other.bits().div_ceil(8), 16);
        let addr = self.b.slot_addr(slot);
        self.store_parts(from, val, addr, 16, false)?;
        if wide == to {
            return self.load_parts(to, addr, 16, false);
        }
        Ok(self.b.load(other, addr, 0, MemFlags::new(16, false)).0)
    }
}
