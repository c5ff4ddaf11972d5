//! Values of a wanted type: those at hand, constants, and what can be made of others.

use gusset_codegen::ir::{ConstData, FloatCc, Opcode, Type, Value};

use super::body::Body;

/// Bits of the NaN that all others are replaced by.
fn nan(ty: Type) -> u128 {
    match ty {
        Type::F16 => 0x7e00,
        Type::BF16 => 0x7fc0,
        Type::F32 => 0x7fc0_0000,
        Type::F80 => 0x7fff << 64 | 3 << 62,
        Type::F128 => 0x7fff8 << 108,
        _ => 0x7ff8 << 48,
    }
}

/// The float nearest to `x`, or in the direction of zero from it.
fn float_bits(ty: Type, x: f64) -> u128 {
    let bits = x.to_bits() as u128;
    let (sign, exponent, fraction) = (bits >> 63, bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
    // Numbers below the normal ones become zeros in the formats that are made of parts.
    let wide = match exponent {
        0 => 0,
        0x7ff => 0x7fff,
        e => e + 0x3fff - 0x3ff,
    };
    match ty {
        Type::F32 => (x as f32).to_bits() as u128,
        Type::BF16 => (x as f32).to_bits() as u128 >> 16,
        Type::F16 => {
            let e = exponent as i32 - 0x3ff + 15;
            sign << 15
                | match e {
                    i32::MIN..=0 => 0,
                    1..=30 => (e as u128) << 10 | fraction >> 42,
                    _ => 31 << 10,
                }
        }
        Type::F80 if wide == 0 => sign << 79,
        Type::F80 => sign << 79 | wide << 64 | 1 << 63 | fraction << 11,
        Type::F128 if wide == 0 => sign << 127,
        Type::F128 => sign << 127 | wide << 112 | fraction << 60,
        _ => bits,
    }
}

/// Are there instructions, or functions of the library, for everything in this format?
pub(super) fn is_hard(ty: Type) -> bool {
    matches!(ty.lane(), Type::F32 | Type::F64)
}

impl Body<'_, '_, '_> {
    /// A value of type `ty` that is at hand, or a new one.
    pub fn value(&mut self, ty: Type) -> Value {
        if !self.shared.src.chance(3)
            && let Some(v) = self.at_hand(ty)
        {
            return v;
        }
        self.fresh(ty)
    }

    /// A value of type `ty` that is at hand.
    pub fn at_hand(&mut self, ty: Type) -> Option<Value> {
        let vars: Vec<_> = self.vars.iter().filter(|v| v.1 == ty).map(|v| v.0).collect();
        if !vars.is_empty() && self.shared.src.chance(6) {
            let var = self.shared.src.pick(&vars);
            return Some(self.b.use_var(var));
        }
        let known: Vec<Value> = self.pool.iter().rev().filter(|v| v.0 == ty).map(|v| v.1).take(24).collect();
        if known.is_empty() { None } else { Some(self.shared.src.pick(&known)) }
    }

    fn fresh(&mut self, ty: Type) -> Value {
        if self.shared.src.chance(7) {
            return self.constant(ty);
        }
        let v = match () {
            _ if ty.is_vector() => match self.shared.src.below(3) {
                0 => {
                    let lane = self.operand(ty.lane());
                    self.b.push1(Opcode::Splat, 0, ty, [lane.0, 0, 0], ty)
                }
                1 if self.can_load(ty) => self.load(ty),
                _ => self.constant(ty),
            },
            _ if ty.is_float() => match self.shared.src.below(3) {
                0 => {
                    let n = self.shared.src.pick(&[Type::I32, Type::I64]);
                    // Larger numbers are rounded twice on their way to bfloat16.
                    let n = if ty == Type::BF16 { Type::I16 } else { n };
                    let n = self.operand(n);
                    self.b.convert(Opcode::Sitofp, n, ty)
                }
                1 if self.can_load(ty) => self.load(ty),
                _ => self.constant(ty),
            },
            _ => match self.shared.src.below(3) {
                0 if self.can_load(ty) => self.load(ty),
                1 => {
                    let from = self.shared.src.pick(&[Type::I64, Type::I32]);
                    let v = self.operand(from);
                    self.resize(v, ty)
                }
                _ => self.constant(ty),
            },
        };
        self.kept(v)
    }

    /// A value at hand, or a constant: never more instructions.
    pub fn operand(&mut self, ty: Type) -> Value {
        match self.at_hand(ty) {
            Some(v) => v,
            None => self.constant(ty),
        }
    }

    /// An integer as another one's type.
    pub fn resize(&mut self, v: Value, ty: Type) -> Value {
        let from = self.b.func.value_type(v);
        let op = match from.bits().cmp(&ty.bits()) {
            std::cmp::Ordering::Equal => return v,
            std::cmp::Ordering::Greater => Opcode::Trunc,
            std::cmp::Ordering::Less => self.shared.src.pick(&[Opcode::Zext, Opcode::Sext]),
        };
        self.b.convert(op, v, ty)
    }

    /// A constant.
    pub fn constant(&mut self, ty: Type) -> Value {
        if ty.is_vector() {
            let first = self.constant(ty.lane());
            let all_equal = self.shared.src.chance(4);
            let lanes: Vec<Value> =
                (0..ty.lanes()).map(|k| if all_equal || k == 0 { first } else { self.constant(ty.lane()) }).collect();
            return self.b.func.make_vector(ty, &lanes);
        }
        if ty.is_float() {
            const SOME: [f64; 16] = [
                0.0,
                1.0,
                -0.0,
                -1.0,
                0.5,
                1.5,
                2.5,
                -2.5,
                1e10,
                -1e10,
                1e300,
                1e-310,
                f64::INFINITY,
                f64::NEG_INFINITY,
                3.9999999,
                16777217.0,
            ];
            let bits = match self.shared.src.below(20) {
                k @ 0..=15 => float_bits(ty, SOME[k as usize]),
                16 => nan(ty),
                _ => float_bits(ty, self.shared.src.word(2) as i16 as f64 / 8.0),
            };
            return self.b.func.make_const(ty, ConstData::Float(bits));
        }
        let bits = ty.bits();
        let n: i128 = match self.shared.src.below(12) {
            0 => 0,
            1 => 1,
            2 => -1,
            3 => 1i128 << (bits - 1),
            4 => (1i128 << (bits - 1)).wrapping_sub(1),
            5 => 1i128 << self.shared.src.below(bits),
            6 => (1i128 << self.shared.src.below(bits)).wrapping_sub(1),
            7 => self.shared.src.word(4) as i32 as i128,
            8 => self.shared.src.word(8) as i64 as i128,
            9 if bits > 64 => self.shared.src.word(16) as i128,
            _ => self.shared.src.byte() as i8 as i128,
        };
        self.b.iconst(ty, n)
    }

    /// The same constant in every lane, or the scalar.
    pub fn splat_int(&mut self, ty: Type, n: i128) -> Value {
        let lane = self.b.iconst(ty.lane(), n);
        if ty.is_vector() { self.b.func.make_vector(ty, &vec![lane; ty.lanes() as usize]) } else { lane }
    }

    /// The same constant in every lane, or the scalar.
    pub fn splat_float(&mut self, ty: Type, x: f64) -> Value {
        self.splat_bits(ty, float_bits(ty.lane(), x))
    }

    fn splat_bits(&mut self, ty: Type, bits: u128) -> Value {
        let lane = self.b.func.make_const(ty.lane(), ConstData::Float(bits));
        if ty.is_vector() { self.b.func.make_vector(ty, &vec![lane; ty.lanes() as usize]) } else { lane }
    }

    /// The value with every NaN replaced by one and the same; what is no float is left alone.
    pub fn canonical(&mut self, v: Value) -> Value {
        let ty = self.b.func.value_type(v);
        if !ty.lane().is_float() || self.b.func.constant(v).is_some() {
            return v;
        }
        let is_nan = self.b.fcmp(FloatCc::Uno, v, v);
        let nan = self.splat_bits(ty, nan(ty.lane()));
        self.b.select(is_nan, nan, v)
    }

    /// Makes a value one of those at hand.
    pub fn keep(&mut self, v: Value) {
        self.kept(v);
    }

    /// The same; gives the value as it is there.
    fn kept(&mut self, v: Value) -> Value {
        let ty = self.b.func.value_type(v);
        if self.b.func.constant(v).is_some() {
            return v;
        }
        let v = if self.shared.platform.flushes(ty) { self.flushed(v) } else { v };
        self.pool.push((ty, v));
        v
    }

    /// Zeros for numbers that are not above the least normal one: what is rounded up to that one may be taken for less than it.
    fn flushed(&mut self, v: Value) -> Value {
        let ty = self.b.func.value_type(v);
        let (zero, least) = (self.splat_bits(ty, 0), self.splat_bits(ty, f32::MIN_POSITIVE.to_bits().into()));
        let magnitude = self.b.unary(Opcode::Fabs, v);
        let small = self.b.fcmp(FloatCc::Ole, magnitude, least);
        self.b.select(small, zero, v)
    }
}
