//! Integers of more than two registers, which the IR does not have: of more than 128 bits on 64-bit machines, 64 on others.
//!
//! A value of such a type dissolves like an aggregate's: into limbs as wide as a register, the lowest first, and the rest at
//! the top in its exact width. Memory, phis, selections and calls thus need nothing of their own; what is here are the operations.

mod divide;
mod intrinsics;

use gusset_codegen::ir::{ConstData, IntCc, MemFlags, Opcode, Type, Value};

use crate::body::{Reader, Val};
use crate::error::{ReadError, Result};
use crate::types::{I1, Kind, TypeId};
use crate::words as w;

/// The limbs of a number, each as wide as a register, lowest first.
type Limbs = Vec<Value>;

impl<'r> Reader<'r> {
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
    fn fit(&mut self, v: Value, ty: Type, signed: bool) -> Value {
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

    /// Reads a decimal number of a wide type.
    pub fn wide_number(&mut self, ty: TypeId) -> Result<Val> {
        let start = self.c.pos;
        let negative = self.c.peek() == b'-';
        self.c.pos += usize::from(negative);
        let first = self.c.pos;
        let mut limbs = self.wide_zero(ty);
        let mut carry = 0;
        loop {
            // As many digits at a time as 64 bits hold.
            let (mut chunk, mut scale) = (0u64, 1u64);
            while scale < 10u64.pow(18) && self.c.peek().is_ascii_digit() {
                chunk = chunk * 10 + (self.c.peek() - b'0') as u64;
                scale *= 10;
                self.c.pos += 1;
            }
            if scale == 1 || carry != 0 {
                break;
            }
            carry = chunk;
            for limb in &mut limbs {
                let t = *limb as u128 * scale as u128 + carry as u128;
                (*limb, carry) = (t as u64, (t >> 64) as u64);
            }
        }
        if carry != 0 {
            let m = format!("the number does not fit {}", self.wide_name(ty));
            return Err(ReadError::new(self.c.src, start, m));
        }
        if self.c.pos == first || matches!(self.c.peek(), b'.' | b'x' | b'e') {
            return Err(ReadError::expected(self.c.src, start, "an integer"));
        }
        self.c.ws();
        if negative {
            let mut carry = true;
            for limb in &mut limbs {
                (*limb, carry) = (!*limb).overflowing_add(carry as u64);
            }
        }
        Ok(self.wide_constant(ty, &limbs))
    }

    /// Reads the digits of `u0x…` or `s0x…` as a wide type's number.
    pub fn wide_hex(&mut self, ty: TypeId, signed: bool) -> Result<Val> {
        let start = self.c;
        let digit = |b: u8| (b as char).to_digit(16).map(u64::from);
        let mut count = 0;
        while digit(start.ahead(count)).is_some() {
            count += 1;
        }
        let mut limbs = self.wide_zero(ty);
        if count == 0 || count > 16 * limbs.len() {
            return Err(start.expected("a value of this type"));
        }
        let sign = if signed && digit(start.ahead(0)) >= Some(8) { 15 } else { 0 };
        for at in 0..16 * limbs.len() {
            let d = if at < count { digit(start.ahead(count - 1 - at)).unwrap_or(0) } else { sign };
            limbs[at / 16] |= d << (4 * (at % 16));
        }
        self.c.bump(count);
        Ok(self.wide_constant(ty, &limbs))
    }

    /// Zero of a wide type in steps of 64 bits, however wide its limbs are.
    fn wide_zero(&self, ty: TypeId) -> Vec<u64> {
        vec![0; self.integer_bits(ty).unwrap_or(0).div_ceil(64) as usize]
    }

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

    fn wide_name(&self, ty: TypeId) -> String {
        self.integer_bits(ty).map_or_else(|| "an aggregate".into(), |bits| format!("`i{bits}`"))
    }

    /// The error that `what` does not work on a type that is neither a scalar nor a vector.
    #[cold]
    pub fn not_for(&self, what: &[u8], ty: TypeId, pos: usize) -> ReadError {
        let (what, name) = (String::from_utf8_lossy(what), self.wide_name(ty));
        let most = self.types.widest().bits();
        let why = if self.is_wide(ty) { format!(": it has more than {most} bits") } else { String::new() };
        ReadError::new(self.c.src, pos, format!("`{what}` of {name} is not supported{why}"))
    }

    /// The word at `pos`.
    fn word_at(&self, pos: usize) -> &'r [u8] {
        crate::lexer::Cursor::new(self.c.src, pos).peek_word()
    }

    /// Reads the operands of a binary operator, behind their type.
    #[cold]
    pub fn wide_binary(&mut self, op: Opcode, ty: TypeId, pos: usize) -> Result<(TypeId, Val)> {
        let Kind::Wide { bits } = self.types.get(ty).kind else {
            return Err(self.not_for(self.word_at(pos), ty, pos));
        };
        let a = self.value(ty)?;
        self.c.expect(b',')?;
        let b = self.value(ty)?;
        self.check_unfrozen(pos)?;
        let n = self.scalars(ty);
        let result = match op {
            Opcode::And | Opcode::Or | Opcode::Xor => {
                let start = self.s.aggregates.len();
                for i in 0..n {
                    let v = self.apply(op, self.part(ty, a, i), self.part(ty, b, i));
                    self.s.aggregates.push(v);
                }
                return Ok((ty, start as Val));
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
            Opcode::Udiv | Opcode::Sdiv | Opcode::Urem | Opcode::Srem => self.division(op, ty, [a, b], pos),
            _ => return Err(self.not_for(self.word_at(pos), ty, pos)),
        };
        Ok((ty, self.of_limbs(ty, &result)))
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

    /// Reads the operands of an `icmp` behind their type.
    #[cold]
    pub fn wide_compare(
        &mut self,
        cc: Option<IntCc>,
        ty: TypeId,
        parentheses: bool,
        pos: usize,
    ) -> Result<(TypeId, Val)> {
        let (Some(cc), true) = (cc, self.is_wide(ty)) else {
            let what = if cc.is_some() { b"icmp" } else { b"fcmp" };
            return Err(self.not_for(what, ty, pos));
        };
        let a = self.value(ty)?;
        self.c.expect(b',')?;
        let at = self.c.pos;
        if parentheses && self.types.parse(&mut self.c)? != ty {
            return Err(ReadError::new(self.c.src, at, "the operands are of different types"));
        }
        let b = self.value(ty)?;
        if parentheses {
            self.c.expect(b')')?;
        }
        Ok((I1, self.holds(cc, ty, a, b).0))
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

    /// A value converted by the operator of keyword `key`, of a type or to a type that is neither scalar nor vector.
    #[cold]
    pub fn wide_cast(&mut self, key: u128, from: TypeId, val: Val, to: TypeId, pos: usize) -> Result<Val> {
        for ty in [from, to] {
            if !self.is_wide(ty) && self.types.ir(ty) == Type::VOID {
                return Err(self.not_for(self.word_at(pos), ty, pos));
            }
        }
        let wide = if self.is_wide(from) { from } else { to };
        let (Some(f), Some(t)) = (self.integer_bits(from), self.integer_bits(to)) else {
            if key == w::BITCAST {
                return self.wide_bitcast(from, val, to, wide, pos);
            }
            return Err(self.not_for(self.word_at(pos), wide, pos));
        };
        let (from_ptr, to_ptr) = (self.types.get(from).kind == Kind::Ptr, self.types.get(to).kind == Kind::Ptr);
        let integers = !from_ptr && !to_ptr;
        let fits = match key {
            w::TRUNC => integers && f > t,
            w::ZEXT | w::SEXT => integers && f < t,
            w::PTRTOINT | w::PTRTOADDR => from_ptr && !to_ptr,
            w::INTTOPTR => to_ptr && !from_ptr,
            w::BITCAST => f == t,
            _ => false,
        };
        if !fits {
            return Err(self.wrong_operands(pos));
        }
        if from == to {
            return Ok(val);
        }
        self.limbs_to(from, val, to, key == w::SEXT, pos)
    }

    fn limbs_to(&mut self, from: TypeId, val: Val, to: TypeId, signed: bool, pos: usize) -> Result<Val> {
        let constant = |v| match self.b.func.constant(v) {
            Some(ConstData::Int(_)) => true,
            Some(ConstData::Symbol(..)) => self.ptr == self.limb() && self.is_wide(to) && !signed,
            _ => false,
        };
        if !(0..self.scalars(from)).all(|i| constant(self.part(from, val, i))) {
            self.check_unfrozen(pos)?;
        }
        let n = self.integer_bits(to).unwrap_or(0).div_ceil(self.limb_bits()) as usize;
        let mut limbs = self.limbs(from, val, signed);
        self.resize(&mut limbs, n, signed);
        Ok(self.of_limbs(to, &limbs))
    }

    /// Through memory, where vectors of whole bytes lie as the integer does.
    fn wide_bitcast(&mut self, from: TypeId, val: Val, to: TypeId, wide: TypeId, pos: usize) -> Result<Val> {
        let other = self.types.ir(if wide == from { to } else { from });
        if Some(other.bits()) != self.integer_bits(wide) {
            return Err(self.wrong_operands(pos));
        }
        if !other.lane_bits().is_multiple_of(8) {
            return Err(self.not_for(b"bitcast", wide, pos));
        }
        self.check_unfrozen(pos)?;
        let slot = self.b.func.make_temporary(other.bits().div_ceil(8), 16);
        let addr = self.b.slot_addr(slot);
        self.store_parts(from, val, addr, 16, false, pos)?;
        if wide == to {
            return self.load_parts(to, addr, 16, false, pos);
        }
        Ok(self.b.load(other, addr, 0, MemFlags::new(16, false)).0)
    }
}
