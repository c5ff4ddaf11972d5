//! Appends instructions, constants and extensions to the output.

use super::*;
use crate::ir::{ConstData, MemFlags};

impl Cx<'_> {
    pub(super) fn push(&mut self, d: InstData, types: &[Type]) -> Inst {
        self.out.push_inst(d, types)
    }

    /// An instruction whose result has the controlling type.
    pub(super) fn e1(&mut self, op: Opcode, ty: Type, words: [u32; 3]) -> Value {
        self.er(op, 0, ty, words, ty)
    }

    /// An instruction with one result of type `result`.
    pub(super) fn er(&mut self, op: Opcode, flags: u8, ty: Type, [a, b, c]: [u32; 3], result: Type) -> Value {
        let i = self.push(InstData { op, flags, ty, a, b, c }, &[result]);
        self.out.result(i)
    }

    /// A binary instruction on operands of one type.
    pub(super) fn bin(&mut self, op: Opcode, a: Value, b: Value) -> Value {
        let ty = self.out.value_type(a);
        self.e1(op, ty, [a.0, b.0, 0])
    }

    /// A binary instruction with a constant: a number for integers, the same number in every lane of a vector.
    pub(super) fn bin_imm(&mut self, op: Opcode, a: Value, n: u128) -> Value {
        let ty = self.out.value_type(a);
        let c = self.num(ty, n);
        self.bin(op, a, c)
    }

    /// `low` with `high` from bit `at` on, or only `high` if there is no `low`.
    pub(super) fn or_above(&mut self, low: Option<Value>, high: Value, at: u128) -> Value {
        let Some(low) = low else { return high };
        let high = self.bin_imm(Opcode::Shl, high, at);
        self.bin(Opcode::Or, low, high)
    }

    /// An operation with an overflow flag, on operands of one type.
    pub(super) fn with_flag(&mut self, op: Opcode, a: Value, b: Value) -> (Value, Value) {
        let ty = self.out.value_type(a);
        let i = self.push(InstData { op, flags: 0, ty, a: a.0, b: b.0, c: 0 }, &[ty, Type::I1]);
        let r = self.out.result(i);
        (r, Value(r.0 + 1))
    }

    pub(super) fn un(&mut self, op: Opcode, a: Value) -> Value {
        let ty = self.out.value_type(a);
        self.e1(op, ty, [a.0, 0, 0])
    }

    /// A constant integer, or a vector with it in every lane.
    pub(super) fn num(&mut self, ty: Type, n: u128) -> Value {
        if !ty.is_vector() {
            return self.out.make_int(ty, n as i128);
        }
        let bits = ty.lane_bits();
        let n = if bits >= 128 { n } else { n & ((1 << bits) - 1) };
        if let Some(&(_, _, v)) = self.splats.iter().rev().take(8).find(|s| s.0 == ty && s.1 == n) {
            return v;
        }
        let lane = self.lane_const(ty.lane(), n);
        let v = self.same_lanes(ty, lane);
        self.splats.push((ty, n, v));
        v
    }

    /// A constant with these bits, integer or float.
    pub(super) fn lane_const(&mut self, ty: Type, bits: u128) -> Value {
        let data = if ty.is_float() { ConstData::Float(bits) } else { ConstData::Int(bits) };
        self.out.make_const(ty, data)
    }

    fn same_lanes(&mut self, ty: Type, lane: Value) -> Value {
        let start = self.out.pool.len();
        self.out.pool.resize(start + ty.lanes() as usize, lane.0);
        self.out.make_const(ty, ConstData::Vector { start: start as u32, len: ty.lanes() })
    }

    /// A vector constant whose lanes have these bits.
    pub(super) fn vector_const(&mut self, ty: Type, mut lane: impl FnMut(u32) -> u128) -> Value {
        let mask = if ty.lane_bits() >= 128 { u128::MAX } else { (1 << ty.lane_bits()) - 1 };
        let lanes: Parts = (0..ty.lanes()).map(|k| self.lane_const(ty.lane(), lane(k) & mask)).collect();
        self.out.make_vector(ty, &lanes)
    }

    pub(super) fn poison(&mut self, ty: Type) -> Value {
        self.out.make_const(ty, ConstData::Poison)
    }

    pub(super) fn not(&mut self, a: Value) -> Value {
        self.bin_imm(Opcode::Xor, a, u128::MAX)
    }

    /// The same bits as type `ty`; no instruction if the types are equal.
    pub(super) fn cast(&mut self, a: Value, ty: Type) -> Value {
        if self.out.value_type(a) == ty { a } else { self.e1(Opcode::Bitcast, ty, [a.0, 0, 0]) }
    }

    pub(super) fn scalar_icmp(&mut self, cc: IntCc, a: Value, b: Value) -> Value {
        let ty = self.out.value_type(a);
        self.er(Opcode::Icmp, cc as u8, ty, [a.0, b.0, 0], Type::I1)
    }

    pub(super) fn scalar_fcmp(&mut self, cc: FloatCc, a: Value, b: Value) -> Value {
        let ty = self.out.value_type(a);
        self.er(Opcode::Fcmp, cc as u8, ty, [a.0, b.0, 0], Type::I1)
    }

    pub(super) fn scalar_select(&mut self, c: Value, a: Value, b: Value) -> Value {
        let ty = self.out.value_type(a);
        self.e1(Opcode::Select, ty, [c.0, a.0, b.0])
    }

    /// The low `bits` bits of an integer; the others are zero.
    pub(super) fn zx(&mut self, v: Value, bits: u32) -> Value {
        let ty = self.out.value_type(v);
        if bits >= ty.bits() {
            return v;
        }
        let mask = (1u128 << bits) - 1;
        match self.out.int_constant(v) {
            Some(n) => self.out.make_int(ty, (n & mask) as i128),
            None => self.bin_imm(Opcode::And, v, mask),
        }
    }

    /// The low `bits` bits of an integer, sign-extended.
    pub(super) fn sx(&mut self, v: Value, bits: u32) -> Value {
        let ty = self.out.value_type(v);
        if bits >= ty.bits() {
            return v;
        }
        if let Some(n) = self.out.int_constant(v) {
            return self.out.make_int(ty, (n << (128 - bits)) as i128 >> (128 - bits));
        }
        let by = (ty.bits() - bits) as u128;
        let up = self.bin_imm(Opcode::Shl, v, by);
        self.bin_imm(Opcode::Ashr, up, by)
    }

    /// An integer in the type `ty`; zero-extended if that is wider.
    pub(super) fn resize(&mut self, v: Value, ty: Type) -> Value {
        let from = self.out.value_type(v).bits();
        if from == ty.bits() {
            return v;
        }
        if let Some(n) = self.out.int_constant(v) {
            return self.out.make_int(ty, n as i128);
        }
        let op = if from > ty.bits() { Opcode::Trunc } else { Opcode::Zext };
        self.e1(op, ty, [v.0, 0, 0])
    }

    pub(super) fn shuffle(&mut self, a: Value, b: Value, mut mask: impl FnMut(u32) -> Option<u32>) -> Value {
        let ty = self.out.value_type(a);
        let at = self.out.push_words((0..ty.lanes()).map(|k| mask(k).unwrap_or(u32::MAX)));
        self.e1(Opcode::Shuffle, ty, [a.0, b.0, at])
    }

    pub(super) fn extract(&mut self, v: Value, lane: u32) -> Value {
        let ty = self.out.value_type(v).lane();
        let at = self.out.make_int(Type::I32, lane as i128);
        self.e1(Opcode::ExtractLane, ty, [v.0, at.0, 0])
    }

    pub(super) fn insert(&mut self, v: Value, x: Value, lane: u32) -> Value {
        let ty = self.out.value_type(v);
        let at = self.out.make_int(Type::I32, lane as i128);
        self.e1(Opcode::InsertLane, ty, [v.0, x.0, at.0])
    }

    pub(super) fn splat(&mut self, ty: Type, x: Value) -> Value {
        if self.out.constant(x).is_some_and(|c| matches!(c, ConstData::Int(_) | ConstData::Float(_))) {
            return self.same_lanes(ty, x);
        }
        self.e1(Opcode::Splat, ty, [x.0, 0, 0])
    }

    pub(super) fn raw_load(&mut self, ty: Type, addr: Value, offset: i32, flags: MemFlags) -> Value {
        self.er(Opcode::Load, flags.0, ty, [addr.0, offset as u32, 0], ty)
    }

    pub(super) fn raw_store(&mut self, v: Value, addr: Value, offset: i32, flags: MemFlags) {
        let ty = self.out.value_type(v);
        self.push(InstData { op: Opcode::Store, flags: flags.0, ty, a: addr.0, b: v.0, c: offset as u32 }, &[]);
    }

    /// The parts of a constant or of a slot's address. Constants whose lanes are addresses are assembled here.
    pub(super) fn constant(&mut self, v: Value) -> Result<Held> {
        use crate::ir::ValueDef;
        let src = self.src;
        let ty = src.value_type(v);
        let data = match src.value_def(v) {
            ValueDef::Slot(s) => {
                let address = self.out.slot_addr(s, ty);
                self.define1(v, address);
                return Ok((Parts::one(address), 0));
            }
            ValueDef::Const => src.constant(v),
            _ => None,
        };
        let Some(data) = data else { return self.unsupported("a value is used before its definition") };
        let (part, n, width) = self.part_type(ty);
        let parts: Parts = match (data, self.shape(ty)) {
            (ConstData::Int(_) | ConstData::Vector { .. }, Shape::Limbs) => {
                self.constant_limbs(v).into_iter().collect()
            }
            (ConstData::Symbol(..), Shape::Limbs) => {
                return self.unsupported(format!("the address of a symbol as `{}` is not supported", TypeInLlvm(ty)));
            }
            (ConstData::Poison, _) => (0..n).map(|_| self.poison(part)).collect(),
            (ConstData::Vector { start, len }, shape) => {
                let lanes = src.pool_values(start, len);
                let bits = |v: Value| match src.constant(v) {
                    Some(ConstData::Int(n) | ConstData::Float(n)) => Some(Some(n)),
                    Some(ConstData::Poison) => Some(None),
                    _ => None,
                };
                if shape == Shape::List {
                    let mut out = Parts::new();
                    let wide = self.limbs_of_lanes(ty);
                    for &l in lanes {
                        match (bits(l), wide) {
                            (Some(Some(_)), Some(_)) => {
                                self.constant_limbs(l).into_iter().for_each(|limb| out.push(limb));
                            }
                            (Some(None), Some(n)) => {
                                (0..n).for_each(|_| out.push(self.out.make_const(part, ConstData::Poison)));
                            }
                            (None, Some(_)) => {
                                return self.unsupported(format!(
                                    "the address of a symbol as `{}` is not supported",
                                    TypeInLlvm(ty.lane())
                                ));
                            }
                            (Some(Some(n)), None) => out.push(self.lane_const(part, n)),
                            _ => out.push(self.out.make_const(part, src.constant(l).unwrap_or(ConstData::Poison))),
                        }
                    }
                    out
                } else if lanes.iter().all(|&l| bits(l).is_some()) {
                    let per = part.lanes() as usize;
                    let fill = |n: u128| if width > 0 && n != 0 { u128::MAX } else { n };
                    lanes
                        .chunks(per)
                        .map(|chunk| self.const_part(part, chunk, |v| bits(v).flatten().map(fill)))
                        .collect()
                } else {
                    return self.address_lanes(lanes, ty).map(|p| (p, 0));
                }
            }
            (ConstData::Int(n), Shape::Odd(wide)) => Parts::one(self.out.make_int(wide, n as i128)),
            (data, _) => Parts::one(self.out.make_const(part, data)),
        };
        self.define(v, &parts, width);
        Ok((parts, width))
    }

    /// A legal vector constant with these lanes; missing lanes and `None` are undefined.
    fn const_part(&mut self, ty: Type, lanes: &[Value], bits: impl Fn(Value) -> Option<u128>) -> Value {
        let mask = if ty.lane_bits() >= 128 { u128::MAX } else { (1 << ty.lane_bits()) - 1 };
        let first = lanes.iter().find_map(|&l| bits(l)).map(|n| n & mask);
        let Some(first) = first else { return self.poison(ty) };
        if lanes.iter().all(|&l| bits(l).is_none_or(|n| n & mask == first)) {
            return self.num(ty, first);
        }
        let lane = |k: u32| lanes.get(k as usize).and_then(|&l| bits(l)).unwrap_or(0);
        self.vector_const(ty, lane)
    }

    /// A vector whose lanes are addresses of symbols, assembled where it is used.
    fn address_lanes(&mut self, lanes: &[Value], ty: Type) -> Result<Parts> {
        let src = self.src;
        let mut scalars = Vec::with_capacity(lanes.len());
        for &l in lanes {
            let Some(data) = src.constant(l) else { return self.unsupported("a lane of a constant is no constant") };
            scalars.push(self.out.make_const(ty.lane(), data));
        }
        Ok(self.from_lanes(&scalars, ty).0)
    }
}
