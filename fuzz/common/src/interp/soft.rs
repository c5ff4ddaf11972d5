//! Floating-point formats that the machine of the interpreter has not: binary16, bfloat16, the x87 format, binary128
//! (IEEE 754-2008, section 3.6; Intel SDM volume 1, section 4.2.2). Results are rounded to nearest, ties to even.

use std::cmp::Ordering;

use gusset_codegen::ir::{FloatCc, Opcode, Type};

/// A format: bits of the exponent, bits of the significand without the leading one, and whether that one is stored.
#[derive(Clone, Copy)]
struct Format {
    exponent: u32,
    fraction: u32,
    explicit: bool,
}

fn format(ty: Type) -> Option<Format> {
    let (exponent, fraction) = match ty {
        Type::F16 => (5, 10),
        Type::BF16 => (8, 7),
        Type::F32 => (8, 23),
        Type::F64 => (11, 52),
        Type::F80 => (15, 63),
        Type::F128 => (15, 112),
        _ => return None,
    };
    Some(Format { exponent, fraction, explicit: ty == Type::F80 })
}

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    fn all_ones(self) -> u128 {
        (1 << self.exponent) - 1
    }

    /// Bits below the exponent.
    fn low_bits(self) -> u32 {
        self.fraction + self.explicit as u32
    }

    fn encode(self, negative: bool, exponent: u128, fraction: u128) -> u128 {
        let low = self.low_bits();
        let lead = if self.explicit && exponent != 0 { 1u128 << self.fraction } else { 0 };
        (negative as u128) << (low + self.exponent) | exponent << low | lead | fraction
    }

    fn infinity(self, negative: bool) -> u128 {
        self.encode(negative, self.all_ones(), 0)
    }

    fn nan(self) -> u128 {
        self.encode(false, self.all_ones(), 1 << (self.fraction - 1))
    }
}

/// A number taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Number {
    Nan,
    Infinity(bool),
    Zero(bool),
    /// `(-1)^negative * significand * 2^(exponent - 127)`: the significand's top bit is bit 127.
    Finite {
        negative: bool,
        exponent: i32,
        significand: u128,
    },
}

use Number::*;

fn normal(negative: bool, exponent: i32, significand: u128) -> Number {
    if significand == 0 {
        return Zero(negative);
    }
    let n = significand.leading_zeros();
    Finite { negative, exponent: exponent - n as i32, significand: significand << n }
}

/// The number that an integer is: its magnitude and sign.
pub(super) fn from_int(negative: bool, magnitude: u128) -> Number {
    normal(negative, 127, magnitude)
}

/// The number after the bits of a float; `None` for a type that is no float.
pub(super) fn unpack(ty: Type, bits: u128) -> Option<Number> {
    let f = format(ty)?;
    let low = f.low_bits();
    let negative = bits >> (low + f.exponent) & 1 != 0;
    let exponent = bits >> low & f.all_ones();
    let fraction = bits & ((1 << f.fraction) - 1);
    // The x87 takes a number that should have the leading bit and has not for no number at all (Intel SDM volume 1, section 8.2.2).
    let unsupported = f.explicit && exponent != 0 && bits >> f.fraction & 1 == 0;
    Some(if unsupported {
        Nan
    } else if exponent == f.all_ones() {
        if fraction == 0 { Infinity(negative) } else { Nan }
    } else if exponent == 0 {
        normal(negative, 1 - f.bias() - f.fraction as i32 + 127, bits & ((1 << low) - 1))
    } else {
        normal(negative, exponent as i32 - f.bias() - f.fraction as i32 + 127, fraction | 1 << f.fraction)
    })
}

/// The bits of a number, rounded. `sticky`: the number is a little larger in magnitude than it says.
fn pack_inexact(f: Format, number: Number, sticky: bool) -> u128 {
    let (negative, exponent, significand) = match number {
        Nan => return f.nan(),
        Infinity(negative) => return f.infinity(negative),
        Zero(negative) => return f.encode(negative, 0, 0),
        Finite { negative, exponent, significand } => (negative, exponent, significand),
    };
    // Below the least exponent, fewer bits are left.
    let biased = exponent + f.bias();
    let lost = if biased < 1 { (1 - biased) as u32 } else { 0 };
    let drop = 127 - f.fraction + lost;
    let (mut kept, rest, half) = match drop {
        0..=127 => (significand >> drop, significand & ((1 << drop) - 1), 1u128 << (drop - 1)),
        128 => (0, significand, 1 << 127),
        _ => (0, 1, 2),
    };
    match rest.cmp(&half) {
        Ordering::Greater => kept += 1,
        Ordering::Equal if sticky || kept & 1 != 0 => kept += 1,
        _ => {}
    }
    // A carry out of the significand makes the exponent one larger, and out of a subnormal one a normal one.
    let mut biased = if lost > 0 { (kept >> f.fraction != 0) as i32 } else { biased };
    if kept >> (f.fraction + 1) != 0 {
        kept >>= 1;
        biased += 1;
    }
    if biased >= f.all_ones() as i32 {
        return f.infinity(negative);
    }
    f.encode(negative, biased as u128, kept & ((1 << f.fraction) - 1))
}

/// The bits of a number as a float, rounded; `None` for a type that is no float.
pub(super) fn pack(ty: Type, number: Number) -> Option<u128> {
    Some(pack_inexact(format(ty)?, number, false))
}

/// Shifted right, with the lowest bit set if any bit was lost.
fn shift_sticky(n: u128, by: u32) -> u128 {
    match by {
        0 => n,
        1..=127 => n >> by | (n & ((1 << by) - 1) != 0) as u128,
        _ => (n != 0) as u128,
    }
}

fn negate(x: Number) -> Number {
    match x {
        Nan => Nan,
        Infinity(n) => Infinity(!n),
        Zero(n) => Zero(!n),
        Finite { negative, exponent, significand } => Finite { negative: !negative, exponent, significand },
    }
}

fn is_negative(x: Number) -> bool {
    match x {
        Nan => false,
        Infinity(n) | Zero(n) | Finite { negative: n, .. } => n,
    }
}

fn add(x: Number, y: Number) -> Number {
    match (x, y) {
        (Nan, _) | (_, Nan) => Nan,
        (Infinity(a), Infinity(b)) => {
            if a == b {
                x
            } else {
                Nan
            }
        }
        (Infinity(_), _) => x,
        (_, Infinity(_)) => y,
        (Zero(a), Zero(b)) => Zero(a && b),
        (Zero(_), _) => y,
        (_, Zero(_)) => x,
        (Finite { negative: a, exponent: e, significand: s }, Finite { negative: b, exponent: g, significand: t }) => {
            // Significands have 113 bits at most: three bits fewer at the top still leave room for rounding.
            let top = e.max(g);
            let (s, t) = (shift_sticky(s >> 2, (top - e) as u32), shift_sticky(t >> 2, (top - g) as u32));
            if a == b {
                normal(a, top + 2, s + t)
            } else {
                match s.cmp(&t) {
                    Ordering::Equal => Zero(false),
                    Ordering::Greater => normal(a, top + 2, s - t),
                    Ordering::Less => normal(b, top + 2, t - s),
                }
            }
        }
    }
}

/// The product and whether bits were lost.
fn multiply(x: Number, y: Number) -> (Number, bool) {
    let negative = is_negative(x) != is_negative(y);
    let exact = match (x, y) {
        (Nan, _) | (_, Nan) | (Infinity(_), Zero(_)) | (Zero(_), Infinity(_)) => Nan,
        (Infinity(_), _) | (_, Infinity(_)) => Infinity(negative),
        (Zero(_), _) | (_, Zero(_)) => Zero(negative),
        (Finite { exponent: e, significand: s, .. }, Finite { exponent: g, significand: t, .. }) => {
            let (s_high, s_low, t_high, t_low) = (s >> 64, s & u64::MAX as u128, t >> 64, t & u64::MAX as u128);
            let low = s_low * t_low;
            let (middle, carry) = (s_high * t_low).overflowing_add(s_low * t_high);
            let (low, carry_low) = low.overflowing_add(middle << 64);
            let high = s_high * t_high + (middle >> 64) + ((carry as u128) << 64) + carry_low as u128;
            return (normal(negative, e + g + 1, high), low != 0);
        }
    };
    (exact, false)
}

/// The quotient and whether bits were lost.
fn divide(x: Number, y: Number) -> (Number, bool) {
    let negative = is_negative(x) != is_negative(y);
    let exact = match (x, y) {
        (Nan, _) | (_, Nan) | (Infinity(_), Infinity(_)) | (Zero(_), Zero(_)) => Nan,
        (Infinity(_), _) | (_, Zero(_)) => Infinity(negative),
        (Zero(_), _) | (_, Infinity(_)) => Zero(negative),
        (Finite { exponent: e, significand: s, .. }, Finite { exponent: g, significand: t, .. }) => {
            // One bit of the quotient after the other.
            let (mut rest, mut quotient) = (s >> 1, 0u128);
            let t = t >> 1;
            for _ in 0..128 {
                quotient <<= 1;
                if rest >= t {
                    rest -= t;
                    quotient |= 1;
                }
                rest <<= 1;
            }
            return (normal(negative, e - g, quotient), rest != 0);
        }
    };
    (exact, false)
}

/// An operation of two operands and one result of type `ty`; `None` if there is none.
pub(super) fn arithmetic(op: Opcode, ty: Type, a: u128, b: u128) -> Option<u128> {
    let f = format(ty)?;
    let (x, y) = (unpack(ty, a)?, unpack(ty, b)?);
    let (number, sticky) = match op {
        Opcode::Fadd => (add(x, y), false),
        Opcode::Fsub => (add(x, negate(y)), false),
        Opcode::Fmul => multiply(x, y),
        Opcode::Fdiv => divide(x, y),
        _ => return None,
    };
    Some(pack_inexact(f, number, sticky))
}

fn order(x: Number, y: Number) -> Option<Ordering> {
    // Zeros are equal whatever their signs.
    let rank = |x: Number| match x {
        Nan => None,
        Zero(_) => Some((0, 0, 0)),
        Infinity(n) => Some((if n { -1 } else { 1 }, i32::MAX, 0)),
        Finite { negative, exponent, significand } => Some((if negative { -1 } else { 1 }, exponent, significand)),
    };
    let ((s, e, m), (t, g, n)) = (rank(x)?, rank(y)?);
    Some(match s.cmp(&t) {
        Ordering::Equal if s < 0 => (g, n).cmp(&(e, m)),
        Ordering::Equal => (e, m).cmp(&(g, n)),
        other => other,
    })
}

/// Does the condition hold? `None` for a type that is no float.
pub(super) fn compare(cc: FloatCc, ty: Type, a: u128, b: u128) -> Option<bool> {
    let order = order(unpack(ty, a)?, unpack(ty, b)?);
    let (lt, eq, gt, un) = match order {
        Some(Ordering::Less) => (true, false, false, false),
        Some(Ordering::Equal) => (false, true, false, false),
        Some(Ordering::Greater) => (false, false, true, false),
        None => (false, false, false, true),
    };
    Some(match cc {
        FloatCc::False => false,
        FloatCc::Oeq => eq,
        FloatCc::Ogt => gt,
        FloatCc::Oge => gt || eq,
        FloatCc::Olt => lt,
        FloatCc::Ole => lt || eq,
        FloatCc::One => lt || gt,
        FloatCc::Ord => !un,
        FloatCc::Uno => un,
        FloatCc::Ueq => un || eq,
        FloatCc::Ugt => un || gt,
        FloatCc::Uge => un || gt || eq,
        FloatCc::Ult => un || lt,
        FloatCc::Ule => un || lt || eq,
        FloatCc::Une => !eq,
        FloatCc::True => true,
    })
}

/// The integer part of a number: its magnitude, saturated, and its sign; `None` for a NaN.
pub(super) fn integer_part(x: Number) -> Option<(bool, u128)> {
    Some(match x {
        Nan => return None,
        Infinity(n) => (n, u128::MAX),
        Zero(n) => (n, 0),
        Finite { negative, exponent, significand } => match exponent {
            i32::MIN..=-1 => (negative, 0),
            0..=127 => (negative, significand >> (127 - exponent)),
            _ => (negative, u128::MAX),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: [f64; 24] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.1,
        1.5,
        -2.5,
        3.0,
        1e10,
        -1e-10,
        1e300,
        -1e300,
        1e-300,
        5e-324,
        -5e-324,
        2.2250738585072014e-308,
        2.225073858507201e-308,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MAX,
        4503599627370496.5,
        9007199254740993.0,
        0.3333333333333333,
    ];

    /// The machine's own formats tell whether this is right.
    #[test]
    fn as_the_machine_does() {
        for a in SOME {
            for b in SOME {
                let (x, y) = (a.to_bits() as u128, b.to_bits() as u128);
                for (op, r) in
                    [(Opcode::Fadd, a + b), (Opcode::Fsub, a - b), (Opcode::Fmul, a * b), (Opcode::Fdiv, a / b)]
                {
                    let found = arithmetic(op, Type::F64, x, y).map(|r| f64::from_bits(r as u64));
                    assert!(
                        found.is_some_and(|f| f.to_bits() == r.to_bits() || f.is_nan() && r.is_nan()),
                        "{op:?} {a} {b}"
                    );
                }
                assert_eq!(compare(FloatCc::Olt, Type::F64, x, y), Some(a < b), "{a} {b}");
                assert_eq!(compare(FloatCc::Oge, Type::F64, x, y), Some(a >= b), "{a} {b}");
                assert_eq!(compare(FloatCc::Ueq, Type::F64, x, y), Some(a == b || a.is_nan() || b.is_nan()));
                let (c, d) = (a as f32, b as f32);
                let narrow = unpack(Type::F64, x).and_then(|n| pack(Type::F32, n));
                assert!(narrow == Some(c.to_bits() as u128) || c.is_nan(), "{a}");
                let product = arithmetic(Opcode::Fmul, Type::F32, c.to_bits() as u128, d.to_bits() as u128);
                let r = c * d;
                assert!(product == Some(r.to_bits() as u128) || r.is_nan(), "{c} {d}");
            }
            assert!(unpack(Type::F64, a.to_bits() as u128).and_then(integer_part).is_none_or(|(n, m)| {
                let whole = if n { -(m as f64) } else { m as f64 };
                whole == a.trunc() || a.abs() > 1e38
            }));
        }
    }

    #[test]
    fn other_formats() {
        let to = |ty, x: f64| unpack(Type::F64, x.to_bits() as u128).and_then(|n| pack(ty, n));
        assert_eq!(to(Type::F16, 1.0), Some(0x3c00));
        assert_eq!(to(Type::F16, 65504.0), Some(0x7bff));
        assert_eq!(to(Type::F16, 65520.0), Some(0x7c00));
        assert_eq!(to(Type::F16, 2f64.powi(-24)), Some(1));
        assert_eq!(to(Type::F16, 2f64.powi(-25)), Some(0));
        assert_eq!(to(Type::F16, 1.5 * 2f64.powi(-25)), Some(1));
        assert_eq!(to(Type::BF16, -1.0), Some(0xbf80));
        assert_eq!(to(Type::F80, 1.0), Some(0x3fff << 64 | 1 << 63));
        assert_eq!(to(Type::F80, f64::INFINITY), Some(0x7fff << 64 | 1 << 63));
        // Without their leading bit, numbers are none; with it, denormal ones are what they say.
        assert_eq!(unpack(Type::F80, 0x3fff << 64 | 1 << 62), Some(Nan));
        assert_eq!(unpack(Type::F80, 0x7fff << 64), Some(Nan));
        assert_eq!(unpack(Type::F80, 1 << 63), unpack(Type::F80, 1 << 64 | 1 << 63));
        assert_eq!(to(Type::F128, -2.0), Some(0xc000 << 112));
        assert_eq!(pack(Type::F128, from_int(false, 3)), Some(0x40008 << 108));
        // 1/3 in binary128: the last bits are 0101 0101.
        let third = to(Type::F128, 1.0).zip(to(Type::F128, 3.0));
        let third = third.and_then(|(a, b)| arithmetic(Opcode::Fdiv, Type::F128, a, b));
        assert_eq!(third, Some(0x3ffd_5555_5555_5555_5555_5555_5555_5555));
    }
}
