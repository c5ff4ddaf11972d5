//! Integers wider than those of the IR ([`Kind::WideInt`]): values in memory, on which loops compute. The code of an operation has a
//! constant size, and no library is needed.
//!
//! A value's only scalar is the address of an *area* of the frame: limbs as wide as a pointer, the lowest first. The bits of the highest
//! limb above the integer's are zero. An area is written by the instruction that defines its value, and by no other, so that the
//! address is the value until that instruction runs again. Phis take copies, since what flows into them is computed anew while they
//! are still used.

use gusset_codegen::ir::{Block, ConstData, DataObject, FunctionBuilder, IntCc, MemFlags, Opcode, Type, Value};
use gusset_program::{Cast, Const, I1, Kind, Result, Sink, TypeId, Val, refuse_if, wrong_operands};

use crate::constants::fit;
use crate::data::put_bytes;
use crate::function::FunctionLowering;

/// Alignment of areas.
const ALIGN: u32 = 16;
/// Bits of the integers that numbers with a point are converted to, and from: `double` reaches to 2^1024.
const FLOAT_BITS: u32 = 1088;

/// A phi whose copy has not been made yet.
pub(crate) struct WidePhi {
    block: Block,
    bits: u32,
    /// What flows in: the block's parameter.
    came: Value,
    /// The place between, and the phi's own: what flows into one phi may be another one of the block.
    places: [Value; 2],
}

/// The dimensions of an integer.
#[derive(Clone, Copy)]
struct Shape {
    bits: u32,
    /// The type of a limb.
    limb: Type,
    /// Bytes of all limbs.
    size: u32,
}

impl Shape {
    /// Bytes of a limb.
    fn step(self) -> u32 {
        self.limb.bits() / 8
    }

    /// Bits of the highest limb that belong to the integer.
    fn top_bits(self) -> u32 {
        self.bits - 8 * (self.size - self.step())
    }
}

impl FunctionLowering<'_> {
    fn shape(&self, bits: u32) -> Shape {
        let limb = self.ptr;
        Shape { bits, limb, size: bits.div_ceil(limb.bits()) * (limb.bits() / 8) }
    }

    /// The width of a wide integer.
    pub(crate) fn wide_bits(&self, ty: TypeId) -> Option<u32> {
        if let Kind::WideInt { bits } = self.types.get(ty).kind { Some(bits) } else { None }
    }

    /// The address that a value is, after the phis of its block have taken their copies.
    fn wide_address(&mut self, val: Val) -> Value {
        self.copy_phis();
        self.s.aggregates[val.start()]
    }

    /// Room for a value. What was there before may flow into a phi of the block.
    fn area(&mut self, bits: u32) -> Result<Value> {
        self.check_order()?;
        self.check_unfrozen()?;
        self.copy_phis();
        let slot = self.b.func.make_temporary(self.shape(bits).size, ALIGN);
        Ok(self.b.slot_addr(slot))
    }

    fn check_order(&self) -> Result<()> {
        let big = self.m.target.endian.is_big();
        refuse_if(big, "integers of more than 4096 bits are not supported on machines with the highest byte first")
    }

    /// The bytes in memory of a constant, without zeros at the end.
    pub(crate) fn wide_bytes(&self, bits: u32, constant: Const<'_>) -> Result<Vec<u8>> {
        self.check_order()?;
        let (words, negative) = words_of(bits, constant)?;
        let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let all = bits.div_ceil(8) as usize;
        bytes.resize(if negative { all } else { bytes.len().min(all) }, 0xff);
        if let (Some(top), true) = (bytes.get_mut(all - 1), !bits.is_multiple_of(8)) {
            *top &= (1 << (bits % 8)) - 1;
        }
        Ok(bytes)
    }

    /// Puts a number of `bits` bits into data: words of 64 bits, the lowest first, and whether the bits above are ones.
    pub fn put_wide(
        &self,
        data: &mut DataObject,
        offset: u64,
        bits: u32,
        (words, negative): (&[u64], bool),
    ) -> Result<()> {
        put_bytes(data, offset, &self.wide_bytes(bits, Const::Wide { words, negative })?)
    }

    // Loops.

    /// A loop over the offsets of limbs from 0 to below `end`, in bytes, that carries values; returns the last ones.
    fn each_limb(
        &mut self,
        (limb, end): (Type, Value),
        carried: &[Value],
        body: impl FnOnce(&mut Self, Value, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let (head, inside, done) = (self.new_block(), self.new_block(), self.new_block());
        let at = self.b.func.append_param(head, self.ptr);
        let types: Vec<Type> = carried.iter().map(|&v| self.b.func.value_type(v)).collect();
        let now: Vec<Value> = types.into_iter().map(|ty| self.b.func.append_param(head, ty)).collect();
        let zero = self.b.ptr_const(0);
        self.jump_to(head, zero, carried);
        self.b.switch_to(head);
        let more = self.b.icmp(IntCc::Ult, at, end);
        self.branch(more, inside, done);
        self.b.switch_to(inside);
        let next = body(self, at, &now);
        let step = self.b.ptr_const(i64::from(limb.bits() / 8));
        let at = self.b.binary(Opcode::Iadd, at, step);
        self.jump_to(head, at, &next);
        self.b.switch_to(done);
        now
    }

    fn jump_to(&mut self, to: Block, at: Value, carried: &[Value]) {
        let edge = self.edge(to);
        self.b.func.append_edge_arg(edge, at);
        carried.iter().for_each(|&v| self.b.func.append_edge_arg(edge, v));
        self.jump(edge);
    }

    fn branch(&mut self, condition: Value, then: Block, other: Block) {
        let (then, other) = (self.edge(then), self.edge(other));
        self.br(condition.into(), then, other);
    }

    /// [`each_limb`](Self::each_limb) of a whole number.
    fn limbs(
        &mut self,
        s: Shape,
        carried: &[Value],
        body: impl FnOnce(&mut Self, Value, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let end = self.b.ptr_const(s.size.into());
        self.each_limb((s.limb, end), carried, body)
    }

    fn limb(&mut self, s: Shape, area: Value, at: Value) -> Value {
        let place = self.b.index(area, at, 1);
        self.b.load(s.limb, place, 0, MemFlags::new(s.step(), false))
    }

    fn set_limb(&mut self, s: Shape, area: Value, at: Value, v: Value) {
        let place = self.b.index(area, at, 1);
        self.b.store(v, place, 0, MemFlags::new(s.step(), false));
    }

    /// The limb at an offset, or `beyond` if the number has none there.
    fn limb_or(&mut self, s: Shape, area: Value, at: Value, beyond: Value) -> Value {
        let (size, zero) = (self.b.ptr_const(s.size.into()), self.b.ptr_const(0));
        let there = self.b.icmp(IntCc::Ult, at, size);
        let at = self.b.select(there, at, zero);
        let v = self.limb(s, area, at);
        self.b.select(there, v, beyond)
    }

    fn top(&mut self, s: Shape, area: Value) -> Value {
        self.b.load(s.limb, area, (s.size - s.step()) as i32, MemFlags::new(s.step(), false))
    }

    fn set_top(&mut self, s: Shape, area: Value, v: Value) {
        self.b.store(v, area, (s.size - s.step()) as i32, MemFlags::new(s.step(), false));
    }

    /// The highest limb with the sign in the bits above the integer's.
    fn signed_top(&mut self, s: Shape, area: Value) -> Value {
        let top = self.top(s, area);
        let above = self.b.iconst(s.limb, (s.limb.bits() - s.top_bits()).into());
        let v = self.b.binary(Opcode::Shl, top, above);
        self.b.binary(Opcode::Ashr, v, above)
    }

    /// A limb of copies of the sign.
    fn sign(&mut self, s: Shape, area: Value) -> Value {
        let top = self.signed_top(s, area);
        let all = self.b.iconst(s.limb, i128::from(s.limb.bits()) - 1);
        self.b.binary(Opcode::Ashr, top, all)
    }

    /// Clears the bits above the integer's.
    fn clear_top(&mut self, s: Shape, area: Value) {
        if s.top_bits() < s.limb.bits() {
            let top = self.top(s, area);
            let mask = self.b.iconst(s.limb, (1i128 << s.top_bits()) - 1);
            let v = self.b.binary(Opcode::And, top, mask);
            self.set_top(s, area, v);
        }
    }

    fn set_all(&mut self, s: Shape, area: Value, v: Value) {
        self.limbs(s, &[], |l, at, _| {
            l.set_limb(s, area, at, v);
            Vec::new()
        });
    }

    fn copy_limbs(&mut self, s: Shape, to: Value, from: Value) {
        self.limbs(s, &[], |l, at, _| {
            let v = l.limb(s, from, at);
            l.set_limb(s, to, at, v);
            Vec::new()
        });
    }

    /// Copies bytes between an area and the program's memory.
    fn copy_bytes(&mut self, to: Value, from: Value, bytes: u32, volatile: bool) {
        let flags = MemFlags::new(1, volatile);
        let step = self.ptr.bits() / 8;
        let end = self.b.ptr_const((bytes / step * step).into());
        let limb = self.ptr;
        self.each_limb((limb, end), &[], |l, at, _| {
            let (from, to) = (l.b.index(from, at, 1), l.b.index(to, at, 1));
            let v = l.b.load(limb, from, 0, flags);
            l.b.store(v, to, 0, flags);
            Vec::new()
        });
        for at in bytes / step * step..bytes {
            let v = self.b.load(Type::I8, from, at as i32, flags);
            self.b.store(v, to, at as i32, flags);
        }
    }

    // Phis.

    /// The value of a phi; `came` is what flows in.
    pub(crate) fn wide_phi(&mut self, block: Block, bits: u32, came: Value) -> Value {
        let size = self.shape(bits).size;
        let places = [0, 1].map(|_| {
            let slot = self.b.func.make_temporary(size, ALIGN);
            self.b.slot_addr(slot)
        });
        self.s.wide_phis.push(WidePhi { block, bits, came, places });
        places[1]
    }

    /// Makes the copies that the phis of the current block still need.
    #[cold]
    pub(crate) fn copy_phis(&mut self) {
        if self.s.wide_phis.is_empty() {
            return;
        }
        let all = std::mem::take(&mut self.s.wide_phis);
        let (here, others) = all.into_iter().partition::<Vec<_>, _>(|phi| phi.block == self.block);
        self.s.wide_phis = others;
        for phi in &here {
            self.copy_limbs(self.shape(phi.bits), phi.places[0], phi.came);
        }
        for phi in &here {
            self.copy_limbs(self.shape(phi.bits), phi.places[1], phi.places[0]);
        }
    }

    // Values.

    /// A constant.
    pub(crate) fn wide_constant(&mut self, bits: u32, constant: Const<'_>) -> Result<Value> {
        let (words, negative) = words_of(bits, constant)?;
        let area = self.area(bits)?;
        let s = self.shape(bits);
        if matches!(constant, Const::Poison) {
            return Ok(area);
        }
        let filler = self.b.iconst(s.limb, if negative { -1 } else { 0 });
        self.set_all(s, area, filler);
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).take(s.size as usize).collect();
        for (i, own) in bytes.chunks_exact(s.step() as usize).enumerate() {
            let n = own.iter().rev().fold(0, |n, &b| n << 8 | i128::from(b));
            let v = self.b.iconst(s.limb, n);
            self.b.store(v, area, (i as u32 * s.step()) as i32, MemFlags::new(s.step(), false));
        }
        self.clear_top(s, area);
        Ok(area)
    }

    /// A value in memory, at an address.
    pub(crate) fn load_wide(&mut self, bits: u32, addr: Value, volatile: bool) -> Result<Value> {
        let area = self.area(bits)?;
        let s = self.shape(bits);
        let zero = self.b.iconst(s.limb, 0);
        self.set_top(s, area, zero);
        self.copy_bytes(area, addr, bits.div_ceil(8), volatile);
        self.clear_top(s, area);
        Ok(area)
    }

    pub(crate) fn store_wide(&mut self, bits: u32, v: Value, addr: Value, volatile: bool) {
        self.copy_phis();
        self.copy_bytes(addr, v, bits.div_ceil(8), volatile);
    }

    /// The limbs of an argument.
    pub(crate) fn send_wide(&mut self, bits: u32, v: Value, out: &mut Vec<Value>) {
        self.copy_phis();
        let s = self.shape(bits);
        for at in (0..s.size).step_by(s.step() as usize) {
            out.push(self.b.load(s.limb, v, at as i32, MemFlags::new(s.step(), false)));
        }
    }

    /// A parameter that came in limbs, the first ones of `values`; how many these are.
    pub(crate) fn receive_wide(&mut self, bits: u32, values: &[Value]) -> Result<(Value, usize)> {
        let area = self.area(bits)?;
        let s = self.shape(bits);
        let count = (s.size / s.step()) as usize;
        for (i, &v) in values.iter().take(count).enumerate() {
            self.b.store(v, area, (i as u32 * s.step()) as i32, MemFlags::new(s.step(), false));
        }
        self.clear_top(s, area);
        Ok((area, count))
    }

    // Operations.

    /// `a op b`.
    #[cold]
    pub(crate) fn wide_binary(&mut self, op: Opcode, bits: u32, a: Val, b: Val) -> Result<Val> {
        use Opcode::{And, Ashr, Iadd, Imul, Isub, Lshr, Or, Sdiv, Shl, Srem, Udiv, Urem, Xor};
        let s = self.shape(bits);
        let (a, b) = (self.wide_address(a), self.wide_address(b));
        let to = self.area(bits)?;
        match op {
            And | Or | Xor => {
                self.limbs(s, &[], |l, at, _| {
                    let (x, y) = (l.limb(s, a, at), l.limb(s, b, at));
                    let v = l.b.binary(op, x, y);
                    l.set_limb(s, to, at, v);
                    Vec::new()
                });
            }
            Iadd | Isub => {
                let none = self.b.iconst(s.limb, 0);
                self.wide_sum(op, s, Some(to), [a, b], none);
                self.clear_top(s, to);
            }
            Imul => self.wide_product(s, to, a, b),
            Udiv | Urem => {
                let rest = self.area(bits)?;
                self.wide_divide(s, [to, rest], a, b)?;
                return Ok(self.s.run([if op == Udiv { to } else { rest }]));
            }
            Sdiv | Srem => return self.wide_signed_division(op, s, a, b),
            Shl | Lshr | Ashr => self.wide_shift(op, s, to, a, b)?,
            _ => return Err(wrong_operands()),
        }
        Ok(self.s.run([to]))
    }

    /// `a + b` or `a - b` with a carry or borrow; returns the last one.
    fn wide_sum(&mut self, op: Opcode, s: Shape, to: Option<Value>, [a, b]: [Value; 2], carry: Value) -> Value {
        let carries = if op == Opcode::Iadd { Opcode::UaddOv } else { Opcode::UsubOv };
        self.limbs(s, &[carry], |l, at, carried| {
            let (x, y) = (l.limb(s, a, at), l.limb(s, b, at));
            let (v, first) = l.b.overflow(carries, x, y);
            let (v, second) = l.b.overflow(carries, v, carried[0]);
            if let Some(to) = to {
                l.set_limb(s, to, at, v);
            }
            let carry = l.b.binary(Opcode::Or, first, second);
            vec![l.b.convert(Opcode::Zext, carry, s.limb)]
        })[0]
    }

    fn wide_product(&mut self, s: Shape, to: Value, a: Value, b: Value) {
        let zero = self.b.iconst(s.limb, 0);
        self.set_all(s, to, zero);
        let double = Type::int(2 * s.limb.bits()).unwrap_or(Type::I128);
        let size = self.b.ptr_const(s.size.into());
        self.limbs(s, &[], |l, i, _| {
            let x = l.limb(s, a, i);
            let x = l.b.convert(Opcode::Zext, x, double);
            let end = l.b.binary(Opcode::Isub, size, i);
            let place = l.b.index(to, i, 1);
            l.each_limb((s.limb, end), &[zero], |l, j, carried| {
                let (y, before) = (l.limb(s, b, j), l.limb(s, place, j));
                let [y, before, carry] = [y, before, carried[0]].map(|v| l.b.convert(Opcode::Zext, v, double));
                // (2^n - 1)^2 plus twice 2^n - 1 is 2^2n - 1.
                let product = l.b.binary(Opcode::Imul, x, y);
                let sum = l.b.binary(Opcode::Iadd, product, before);
                let sum = l.b.binary(Opcode::Iadd, sum, carry);
                let low = l.b.convert(Opcode::Trunc, sum, s.limb);
                l.set_limb(s, place, j, low);
                let width = l.b.iconst(double, s.limb.bits().into());
                let high = l.b.binary(Opcode::Lshr, sum, width);
                vec![l.b.convert(Opcode::Trunc, high, s.limb)]
            });
            Vec::new()
        });
        self.clear_top(s, to);
    }

    /// Quotient and rest of unsigned numbers, bit by bit from the highest one: a bit moves from the dividend to the rest; if the
    /// divisor fits into that, it is subtracted, and the quotient gets a one.
    fn wide_divide(&mut self, s: Shape, [quotient, rest]: [Value; 2], a: Value, b: Value) -> Result<()> {
        let less = self.area(s.bits)?;
        let (zero, one) = (self.b.iconst(s.limb, 0), self.b.iconst(s.limb, 1));
        self.set_all(s, quotient, zero);
        self.set_all(s, rest, zero);
        let (head, inside, done) = (self.new_block(), self.new_block(), self.new_block());
        let count = self.b.func.append_param(head, self.ptr);
        let all = self.b.ptr_const(s.bits.into());
        self.jump_to(head, all, &[]);
        self.b.switch_to(head);
        let zero_count = self.b.ptr_const(0);
        let more = self.b.icmp(IntCc::Ne, count, zero_count);
        self.branch(more, inside, done);
        self.b.switch_to(inside);
        let bit = self.b.binary(Opcode::Isub, count, one);
        let (at, within) = self.place_of_bit(s, bit);
        let limb = self.limb(s, a, at);
        let limb = self.b.binary(Opcode::Lshr, limb, within);
        let came = self.b.binary(Opcode::And, limb, one);
        let last = self.b.iconst(s.limb, i128::from(s.limb.bits()) - 1);
        let beyond = self.limbs(s, &[came], |l, at, carried| {
            let v = l.limb(s, rest, at);
            let twice = l.b.binary(Opcode::Shl, v, one);
            let twice = l.b.binary(Opcode::Or, twice, carried[0]);
            l.set_limb(s, rest, at, twice);
            vec![l.b.binary(Opcode::Lshr, v, last)]
        })[0];
        let borrow = self.wide_sum(Opcode::Isub, s, Some(less), [rest, b], zero);
        let enough = self.b.icmp(IntCc::Eq, borrow, zero);
        let enough = self.b.convert(Opcode::Zext, enough, s.limb);
        let fits = self.b.binary(Opcode::Or, enough, beyond);
        let chosen = self.b.icmp(IntCc::Ne, fits, zero);
        let from = self.b.select(chosen, less, rest);
        self.copy_limbs(s, rest, from);
        let (limb, set) = (self.limb(s, quotient, at), self.b.binary(Opcode::Shl, fits, within));
        let limb = self.b.binary(Opcode::Or, limb, set);
        self.set_limb(s, quotient, at, limb);
        self.jump_to(head, bit, &[]);
        self.b.switch_to(done);
        Ok(())
    }

    /// The offset of the limb with a bit, and the bit's number in it.
    fn place_of_bit(&mut self, s: Shape, bit: Value) -> (Value, Value) {
        let (levels, bytes) = (s.limb.bits().trailing_zeros(), s.step().trailing_zeros());
        let (levels, bytes) = (self.b.iconst(self.ptr, levels.into()), self.b.iconst(self.ptr, bytes.into()));
        let number = self.b.binary(Opcode::Lshr, bit, levels);
        let at = self.b.binary(Opcode::Shl, number, bytes);
        let mask = self.b.iconst(self.ptr, i128::from(s.limb.bits()) - 1);
        (at, self.b.binary(Opcode::And, bit, mask))
    }

    /// The number, or the negated number if `sign` has all bits set; it is read as a signed one.
    fn wide_magnitude(&mut self, s: Shape, from: Value, sign: Value) -> Result<Value> {
        let to = self.area(s.bits)?;
        let first = self.b.iconst(s.limb, 1);
        let first = self.b.binary(Opcode::And, sign, first);
        self.limbs(s, &[first], |l, at, carried| {
            let v = l.limb(s, from, at);
            let v = l.b.binary(Opcode::Xor, v, sign);
            let (v, carry) = l.b.overflow(Opcode::UaddOv, v, carried[0]);
            l.set_limb(s, to, at, v);
            vec![l.b.convert(Opcode::Zext, carry, s.limb)]
        });
        self.clear_top(s, to);
        Ok(to)
    }

    fn wide_signed_division(&mut self, op: Opcode, s: Shape, a: Value, b: Value) -> Result<Val> {
        let (sign_a, sign_b) = (self.sign(s, a), self.sign(s, b));
        let (a, b) = (self.wide_magnitude(s, a, sign_a)?, self.wide_magnitude(s, b, sign_b)?);
        let (quotient, rest) = (self.area(s.bits)?, self.area(s.bits)?);
        self.wide_divide(s, [quotient, rest], a, b)?;
        let result = if op == Opcode::Srem {
            self.wide_magnitude(s, rest, sign_a)?
        } else {
            let sign = self.b.binary(Opcode::Xor, sign_a, sign_b);
            self.wide_magnitude(s, quotient, sign)?
        };
        Ok(self.s.run([result]))
    }

    /// A shift by a number of the same type. One by the width or more gives poison: any bits, but no access outside the number.
    fn wide_shift(&mut self, op: Opcode, s: Shape, to: Value, a: Value, count: Value) -> Result<()> {
        let signed = op == Opcode::Ashr;
        let zero = self.b.ptr_const(0);
        let count = self.limb(s, count, zero);
        let (by, within) = self.place_of_bit(s, count);
        let from = if signed { self.sign_extended(s, a)? } else { a };
        let filler = if signed { self.sign(s, a) } else { zero };
        let step = self.b.ptr_const(s.step().into());
        self.limbs(s, &[], |l, at, _| {
            let v = if op == Opcode::Shl {
                let high = l.b.binary(Opcode::Isub, at, by);
                let low = l.b.binary(Opcode::Isub, high, step);
                let (high, low) = (l.limb_or(s, from, high, filler), l.limb_or(s, from, low, filler));
                l.b.ternary(Opcode::Fshl, high, low, within)
            } else {
                let low = l.b.binary(Opcode::Iadd, at, by);
                let high = l.b.binary(Opcode::Iadd, low, step);
                let (high, low) = (l.limb_or(s, from, high, filler), l.limb_or(s, from, low, filler));
                l.b.ternary(Opcode::Fshr, high, low, within)
            };
            l.set_limb(s, to, at, v);
            Vec::new()
        });
        self.clear_top(s, to);
        Ok(())
    }

    /// A copy with the sign in the bits of the highest limb above the integer's.
    fn sign_extended(&mut self, s: Shape, from: Value) -> Result<Value> {
        let to = self.area(s.bits)?;
        self.copy_limbs(s, to, from);
        let top = self.signed_top(s, from);
        self.set_top(s, to, top);
        Ok(to)
    }

    /// `a cc b`.
    #[cold]
    pub(crate) fn wide_compare(&mut self, cc: IntCc, bits: u32, a: Val, b: Val) -> (TypeId, Val) {
        let s = self.shape(bits);
        let (a, b) = (self.wide_address(a), self.wide_address(b));
        let zero = self.b.iconst(s.limb, 0);
        if matches!(cc, IntCc::Eq | IntCc::Ne) {
            let all = self.limbs(s, &[zero], |l, at, carried| {
                let (x, y) = (l.limb(s, a, at), l.limb(s, b, at));
                let differs = l.b.binary(Opcode::Xor, x, y);
                vec![l.b.binary(Opcode::Or, carried[0], differs)]
            })[0];
            return (I1, self.b.icmp(cc, all, zero).into());
        }
        // `a > b` is `b < a`, and `a <= b` is `!(b < a)`.
        let swapped = matches!(cc, IntCc::Ugt | IntCc::Sgt | IntCc::Ule | IntCc::Sle);
        let not = matches!(cc, IntCc::Ule | IntCc::Sle | IntCc::Uge | IntCc::Sge);
        let (x, y) = if swapped { (b, a) } else { (a, b) };
        let mut less = self.wide_sum(Opcode::Isub, s, None, [x, y], zero);
        if cc.is_signed() {
            // Numbers with different signs compare the other way round.
            let signs = (self.sign(s, x), self.sign(s, y));
            let differ = self.b.binary(Opcode::Xor, signs.0, signs.1);
            let one = self.b.iconst(s.limb, 1);
            let differ = self.b.binary(Opcode::And, differ, one);
            less = self.b.binary(Opcode::Xor, less, differ);
        }
        (I1, self.b.icmp(if not { IntCc::Eq } else { IntCc::Ne }, less, zero).into())
    }

    // Conversions.

    /// A conversion from or to a wide integer.
    #[cold]
    pub(crate) fn wide_cast(&mut self, cast: Cast, from: TypeId, val: Val, to: TypeId) -> Result<Val> {
        let (source, target) = (self.wide_bits(from), self.wide_bits(to));
        let ir = self.types.ir(if source.is_some() { to } else { from });
        let same = self.types.bits(from) == self.types.bits(to);
        match (cast, source, target) {
            (Cast::Trunc, Some(a), Some(b)) if a > b => self.wide_from_wide(a, val, b, false),
            (Cast::Zext, Some(a), Some(b)) if a < b => self.wide_from_wide(a, val, b, false),
            (Cast::Sext, Some(a), Some(b)) if a < b => self.wide_from_wide(a, val, b, true),
            (Cast::Trunc | Cast::Ptrtoint | Cast::Inttoptr, Some(_), None) if ir.is_int() => {
                refuse_if(cast == Cast::Trunc && self.types.get(to).kind != Kind::Int, "an integer must stand here")?;
                let area = self.wide_address(val);
                // Whole limbs: what memory has above a narrower integer would count.
                let width = ir.bits().next_multiple_of(self.ptr.bits());
                let whole = Type::int(width).unwrap_or(ir);
                let v = self.b.load(whole, area, 0, MemFlags::new(ALIGN, false));
                Ok(fit(&mut self.b, v, ir, false).into())
            }
            (Cast::Zext | Cast::Sext | Cast::Ptrtoint, None, Some(bits)) if ir.is_int() => {
                self.wide_from(cast == Cast::Sext, val.value(), bits)
            }
            (Cast::Fptosi | Cast::Fptoui, None, Some(bits)) if ir.is_float() => {
                refuse_if(ir.bits() > 64, "numbers of more than 64 bits become no integers of more than 4096 bits")?;
                let int = Type::int(FLOAT_BITS).unwrap_or(Type::I128);
                let signed = cast == Cast::Fptosi;
                let v = self.b.convert(if signed { Opcode::Fptosi } else { Opcode::Fptoui }, val.value(), int);
                self.wide_from(signed, v, bits)
            }
            (Cast::Sitofp | Cast::Uitofp, Some(bits), None) if ir.is_float() => {
                refuse_if(ir.bits() > 64, "integers of more than 4096 bits become no numbers of more than 64 bits")?;
                self.wide_to_float(cast == Cast::Sitofp, bits, val, ir)
            }
            (Cast::Bitcast, Some(_), Some(_)) if same => Ok(val),
            (Cast::Bitcast, None, Some(bits)) if same => {
                let area = self.area(bits)?;
                self.store_parts(from, val, area, ALIGN, false)?;
                Ok(self.s.run([area]))
            }
            (Cast::Bitcast, Some(_), None) if same => {
                let area = self.wide_address(val);
                self.load_parts(to, area, ALIGN, false)
            }
            _ => Err(wrong_operands()),
        }
    }

    fn wide_from_wide(&mut self, from: u32, val: Val, to: u32, signed: bool) -> Result<Val> {
        let (a, b) = (self.shape(from), self.shape(to));
        let mut source = self.wide_address(val);
        let area = self.area(to)?;
        if a.size < b.size {
            let filler = if signed { self.sign(a, source) } else { self.b.iconst(a.limb, 0) };
            self.set_all(b, area, filler);
        }
        if signed {
            source = self.sign_extended(a, source)?;
        }
        self.copy_limbs(if a.size < b.size { a } else { b }, area, source);
        self.clear_top(b, area);
        Ok(self.s.run([area]))
    }

    /// An integer of the IR in a wide type.
    fn wide_from(&mut self, signed: bool, v: Value, bits: u32) -> Result<Val> {
        let s = self.shape(bits);
        let area = self.area(bits)?;
        let width = self.b.func.value_type(v).bits().next_multiple_of(s.limb.bits());
        let v = fit(&mut self.b, v, Type::int(width).unwrap_or(s.limb), signed);
        let filler = if signed {
            let zero = self.b.iconst(self.b.func.value_type(v), 0);
            let negative = self.b.icmp(IntCc::Slt, v, zero);
            self.b.convert(Opcode::Sext, negative, s.limb)
        } else {
            self.b.iconst(s.limb, 0)
        };
        self.set_all(s, area, filler);
        self.b.store(v, area, 0, MemFlags::new(ALIGN, false));
        self.clear_top(s, area);
        Ok(self.s.run([area]))
    }

    fn wide_to_float(&mut self, signed: bool, bits: u32, val: Val, to: Type) -> Result<Val> {
        let s = self.shape(bits);
        let area = self.wide_address(val);
        let zero = self.b.iconst(s.limb, 0);
        let sign = if signed { self.sign(s, area) } else { zero };
        let area = if signed { self.wide_magnitude(s, area, sign)? } else { area };
        let int = Type::int(FLOAT_BITS).unwrap_or(Type::I128);
        let low = self.b.load(int, area, 0, MemFlags::new(ALIGN, false));
        let number = self.b.convert(Opcode::Uitofp, low, to);
        // What is above makes it larger than any number.
        let above = self.b.ptr_const(i64::from(int.store_bytes()));
        let rest = self.b.binary(Opcode::Iadd, area, above);
        let end = self.b.ptr_const(i64::from(s.size - int.store_bytes()));
        let more = self.each_limb((s.limb, end), &[zero], |l, at, carried| {
            let v = l.limb(s, rest, at);
            vec![l.b.binary(Opcode::Or, carried[0], v)]
        })[0];
        let infinite = self.b.icmp(IntCc::Ne, more, zero);
        let infinity = infinity(&mut self.b, to);
        let number = self.b.select(infinite, infinity, number);
        let minus = self.b.unary(Opcode::Fneg, number);
        let negative = self.b.icmp(IntCc::Ne, sign, zero);
        Ok(self.b.select(negative, minus, number).into())
    }
}

fn infinity(b: &mut FunctionBuilder<'_>, ty: Type) -> Value {
    let bits = match ty {
        Type::F16 => 0x7c00,
        Type::BF16 => 0x7f80,
        Type::F32 => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    };
    b.func.make_const(ty, ConstData::Float(bits))
}

/// The words of a constant, the lowest first, as few as say it, and whether the bits above are ones.
fn words_of(bits: u32, constant: Const<'_>) -> Result<(Vec<u64>, bool)> {
    let (words, negative) = match constant {
        Const::Wide { words, negative } => (words, negative),
        Const::Zero | Const::Poison => return Ok((Vec::new(), false)),
        _ => return Err(wrong_operands()),
    };
    let count = bits.div_ceil(64) as usize;
    let (mut words, mut negative) = (words[..words.len().min(count)].to_vec(), negative);
    if let Some(top) = words.get_mut(count - 1) {
        let above = 64 * count as u32 - bits;
        let signed = (*top << above) as i64 >> above;
        (*top, negative) = (signed as u64, signed < 0);
    }
    let filler = if negative { u64::MAX } else { 0 };
    while words.last() == Some(&filler) {
        words.pop();
    }
    Ok((words, negative))
}
