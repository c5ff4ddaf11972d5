//! Operations on integers, one or in lanes.

use gusset_codegen::ir::{IntCc, Opcode, Type, Value};

use super::body::Body;

const CONDITIONS: [IntCc; 10] = [
    IntCc::Eq,
    IntCc::Ne,
    IntCc::Ult,
    IntCc::Ule,
    IntCc::Ugt,
    IntCc::Uge,
    IntCc::Slt,
    IntCc::Sle,
    IntCc::Sgt,
    IntCc::Sge,
];

impl Body<'_, '_, '_> {
    /// An operation with operands of type `ty`.
    pub fn integer(&mut self, ty: Type) {
        use Opcode::*;
        let bits = ty.lane_bits();
        let kind = self.shared.src.below(17);
        let a = self.value(ty);
        let v = match kind {
            0..=3 => {
                let op = self.shared.src.pick(&[Iadd, Isub, And, Or, Xor, Imul]);
                let b = self.value(ty);
                self.b.binary(op, a, b)
            }
            4 => {
                let op = self.shared.src.pick(&[Shl, Lshr, Ashr, UshlSat, SshlSat]);
                let n = self.amount(ty);
                self.b.binary(op, a, n)
            }
            5 => return self.division(ty, a),
            6 => {
                let op = self.shared.src.pick(&[Umin, Umax, Smin, Smax]);
                let b = self.value(ty);
                self.b.binary(op, a, b)
            }
            7 => {
                let op = self.shared.src.pick(&[UaddSat, UsubSat, SaddSat, SsubSat]);
                let b = self.value(ty);
                self.b.binary(op, a, b)
            }
            8 => {
                let op = self.shared.src.pick(&[Fshl, Fshr]);
                // The count is taken modulo the width; often it is a constant, or the operands are one value.
                let b = if self.shared.src.chance(5) { a } else { self.value(ty) };
                let n = if self.shared.src.chance(6) { self.constant(ty) } else { self.value(ty) };
                self.b.ternary(op, a, b, n)
            }
            9 => {
                let op = self.shared.src.pick(&[UaddOv, SaddOv, UsubOv, SsubOv, UmulOv, SmulOv]);
                let b = self.value(ty);
                let (v, flag) = self.b.overflow(op, a, b);
                self.keep(flag);
                if self.shared.src.chance(4) && !ty.is_vector() {
                    // The flag is often all that is wanted.
                    return;
                }
                v
            }
            10 => {
                let op = self.shared.src.pick(&[Ctlz, Cttz, Ctpop, Bitreverse, Iabs, Bswap]);
                let op = if op == Bswap && !bits.is_multiple_of(16) { Bitreverse } else { op };
                if matches!(op, Ctlz | Cttz) && !ty.is_vector() && self.shared.src.chance(3) {
                    let bit = self.b.iconst(ty, 1);
                    let odd = self.b.binary(Or, a, bit);
                    self.b.push1(op, 1, ty, [odd.0, 0, 0], ty)
                } else {
                    self.b.unary(op, a)
                }
            }
            11 => self.comparison(ty, a),
            12 => self.selection(ty, a),
            13 => return self.conversion(ty, a),
            14 => {
                let op = self.shared.src.pick(&[Freeze, Opaque]);
                self.b.unary(op, a)
            }
            15 if ty == self.shared.pointer() => {
                let b = self.value(ty);
                let scale = self.shared.src.pick(&[8, 1, 2, 4, 3, 12, -8, 40, 1000]);
                self.b.index(a, b, scale)
            }
            _ => return self.reinterpret(a),
        };
        self.keep(v);
    }

    /// `a` or another value of its type, by a truth value or, for vectors, now and then by one for each lane.
    pub fn selection(&mut self, ty: Type, a: Value) -> Value {
        let b = self.value(ty);
        let cond = if ty.is_vector() && self.shared.src.chance(10) {
            let ty = ty.with_lane(Type::I1).unwrap_or(Type::I1);
            self.value(ty)
        } else {
            self.condition()
        };
        self.b.select(cond, a, b)
    }

    /// A truth value: a condition, or two that a branch may take one by one.
    pub fn condition(&mut self) -> Value {
        let first = self.one_condition();
        if !self.shared.src.chance(3) {
            return first;
        }
        let second = self.one_condition();
        let (yes, no) = (self.b.iconst(Type::I1, 1), self.b.iconst(Type::I1, 0));
        match self.shared.src.below(4) {
            0 => self.b.binary(Opcode::And, first, second),
            1 => self.b.binary(Opcode::Or, first, second),
            2 => self.b.select(first, second, no),
            _ => self.b.select(first, yes, second),
        }
    }

    fn one_condition(&mut self) -> Value {
        match self.shared.src.below(8) {
            0 | 1 => self.value(Type::I1),
            2 if self.shared.types.iter().any(|t| t.is_float()) => {
                let floats: Vec<Type> = self.shared.types.iter().copied().filter(|t| t.is_float()).collect();
                let ty = self.shared.src.pick(&floats);
                let a = self.value(ty);
                self.float_comparison(ty, a)
            }
            _ => {
                let ints: Vec<Type> = self.shared.types.iter().copied().filter(|t| t.is_int()).collect();
                let ty = self.shared.src.pick(&ints);
                let a = self.value(ty);
                self.comparison(ty, a)
            }
        }
    }

    fn comparison(&mut self, ty: Type, a: Value) -> Value {
        let cc = self.shared.src.pick(&CONDITIONS);
        if self.shared.src.chance(3) && ty != Type::I1 {
            // A mask compared with nothing.
            let b = self.value(ty);
            let masked = self.b.binary(Opcode::And, a, b);
            let zero = self.splat_int(ty, 0);
            return self.b.icmp(cc, masked, zero);
        }
        let b = if self.shared.src.chance(5) { self.constant(ty) } else { self.value(ty) };
        self.b.icmp(cc, a, b)
    }

    /// An amount to shift by, below the width.
    pub fn amount(&mut self, ty: Type) -> Value {
        let bits = ty.lane_bits();
        if self.shared.src.chance(8) {
            let n = self.shared.src.below(bits);
            return self.splat_int(ty, n as i128);
        }
        let n = self.value(ty);
        if bits.is_power_of_two() {
            let mask = self.splat_int(ty, bits as i128 - 1);
            return self.b.binary(Opcode::And, n, mask);
        }
        // The width is not a number of a type this narrow only for two bits and fewer, which are powers of two.
        let width = self.splat_int(ty, bits as i128);
        self.b.binary(Opcode::Urem, n, width)
    }

    fn division(&mut self, ty: Type, a: Value) {
        use Opcode::*;
        let op = self.shared.src.pick(&[Udiv, Sdiv, Urem, Srem]);
        let signed = matches!(op, Sdiv | Srem);
        if ty.lane() == Type::I1 {
            // The only divisor is 1, which is -1 when signed.
            let one = self.splat_int(ty, 1);
            let v = self.b.binary(if signed { Udiv } else { op }, a, one);
            return self.keep(v);
        }
        let one = self.splat_int(ty, 1);
        let b = if self.shared.src.chance(6) {
            let b = self.constant(ty);
            self.b.binary(Or, b, one)
        } else {
            let b = self.value(ty);
            self.b.binary(Or, b, one)
        };
        let b = if signed {
            // The least number divided by -1 overflows.
            let least = self.splat_int(ty, 1i128 << (ty.lane_bits() - 1));
            let is_least = self.b.icmp(IntCc::Eq, a, least);
            self.b.select(is_least, one, b)
        } else {
            b
        };
        // Constants that need no guard are the divisors that are worth an expansion of their own.
        let b = if self.shared.src.chance(5) {
            let bits = ty.lane_bits();
            let n = match self.shared.src.below(4) {
                0 => 1i128 << self.shared.src.below(bits - 1),
                1 => 1 + self.shared.src.byte() as i128 % ((1i128 << (bits - 1).min(8)) - 1).max(1),
                _ => (self.shared.src.word(bits.div_ceil(8)) as i128) & ((1i128 << (bits - 2)) - 1) | 1,
            };
            self.splat_int(ty, n)
        } else {
            b
        };
        let v = self.b.binary(op, a, b);
        self.keep(v);
    }

    fn conversion(&mut self, ty: Type, a: Value) {
        use Opcode::*;
        let lane = if ty.is_vector() {
            self.shared.src.pick(&[Type::I64, Type::I32, Type::F64, Type::F32, Type::I16, Type::I8, Type::I1])
        } else {
            self.scalar_type()
        };
        let Some(to) = ty.with_lane(lane) else { return };
        let v = if lane == Type::BF16 && ty.lane_bits() > 16 {
            // It would be rounded twice.
            return self.reinterpret(a);
        } else if lane.is_float() {
            let op = self.shared.src.pick(&[Sitofp, Uitofp]);
            self.b.convert(op, a, to)
        } else if lane.bits() < ty.lane_bits() {
            self.b.convert(Trunc, a, to)
        } else if lane.bits() > ty.lane_bits() {
            let op = self.shared.src.pick(&[Zext, Sext]);
            self.b.convert(op, a, to)
        } else {
            return self.reinterpret(a);
        };
        self.keep(v);
    }

    /// One of the module's scalar types.
    pub fn scalar_type(&mut self) -> Type {
        let scalars: Vec<Type> = self.shared.types.iter().copied().filter(|t| !t.is_vector()).collect();
        self.shared.src.pick(&scalars)
    }

    /// The same bits as another type.
    pub fn reinterpret(&mut self, a: Value) {
        let ty = self.b.func.value_type(a);
        let mut list: Vec<Type> = self.shared.types.iter().copied().filter(|t| t.bits() == ty.bits()).collect();
        let usual = [Type::I32, Type::F32, Type::I64, Type::F64, Type::I128].into_iter();
        let widest = self.shared.platform.widest();
        list.extend(usual.filter(|t| t.bits() == ty.bits() && t.bits() <= widest));
        if let Some(t) = Type::int(ty.bits()).filter(|_| ty.bits() <= widest) {
            list.push(t);
        }
        // Not every pattern of bits is a number of the x87's format, and what its instructions make of the others is no matter.
        list.retain(|&t| t != ty && t != Type::F80);
        if list.is_empty() {
            return;
        }
        let to = self.shared.src.pick(&list);
        let a = self.canonical(a);
        let v = self.b.convert(Opcode::Bitcast, a, to);
        self.keep(v);
    }
}
