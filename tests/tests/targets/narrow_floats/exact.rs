//! Arithmetic without error, and IEEE 754's rounding of its results to the nearest number of a format, of two the even one.

use std::cmp::Ordering;

/// A binary format: `1 + exponent + fraction` bits, and one more where the first digit is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// Bits of the exponent.
    pub exponent: u32,
    /// Bits after the point.
    pub fraction: u32,
    /// Is the digit before the point stored?
    pub explicit: bool,
}

impl Format {
    /// binary16.
    pub const HALF: Format = Format { exponent: 5, fraction: 10, explicit: false };
    /// bfloat16.
    pub const BFLOAT: Format = Format { exponent: 8, fraction: 7, explicit: false };
    /// binary32.
    pub const SINGLE: Format = Format { exponent: 8, fraction: 23, explicit: false };
    /// binary64.
    pub const DOUBLE: Format = Format { exponent: 11, fraction: 52, explicit: false };
    /// The x87's own format.
    pub const EXTENDED: Format = Format { exponent: 15, fraction: 63, explicit: true };
    /// binary128.
    pub const QUAD: Format = Format { exponent: 15, fraction: 112, explicit: false };

    /// How many bits a number has.
    pub fn bits(self) -> u32 {
        1 + self.exponent + self.fraction + u32::from(self.explicit)
    }

    fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    fn sign(self, negative: bool) -> u128 {
        u128::from(negative) << (self.bits() - 1)
    }

    /// What the digit before the point is in bits.
    fn first(self) -> u128 {
        1 << self.fraction
    }

    /// Infinity.
    pub fn infinite(self, negative: bool) -> u128 {
        let top = ((1 << self.exponent) - 1) << (self.fraction + u32::from(self.explicit));
        self.sign(negative) | top | if self.explicit { self.first() } else { 0 }
    }

    /// A quiet NaN.
    pub fn nan(self) -> u128 {
        self.infinite(false) | self.first() >> 1
    }

    /// The number that these bits stand for.
    pub fn decode(self, bits: u128) -> Number {
        let negative = bits >> (self.bits() - 1) & 1 == 1;
        let biased = (bits >> (self.fraction + u32::from(self.explicit))) as i32 & ((1 << self.exponent) - 1);
        let fraction = bits & (self.first() - 1);
        if biased == (1 << self.exponent) - 1 {
            return if fraction == 0 { Number::Infinite { negative } } else { Number::Nan };
        }
        let first = if biased == 0 { 0 } else { self.first() };
        let exponent = biased.max(1) - self.bias() - self.fraction as i32;
        Number::Finite { negative, digits: fraction | first, exponent }
    }

    /// The bits of the number of this format that is nearest.
    pub fn encode(self, number: Number) -> u128 {
        let Number::Finite { negative, digits, exponent } = number else {
            return match number {
                Number::Infinite { negative } => self.infinite(negative),
                _ => self.nan(),
            };
        };
        let sign = self.sign(negative);
        if digits == 0 {
            return sign;
        }
        let fraction = self.fraction as i32;
        let place = digits.ilog2() as i32 + exponent;
        let last = (place - fraction).max(1 - self.bias() - fraction);
        let kept = round(digits, last - exponent, Rounding::NearestEven, negative);
        if kept == 0 {
            return sign;
        }
        let biased = if kept < self.first() { 0 } else { (last + fraction + self.bias()) as u128 };
        let (biased, kept) = if kept >= 2 * self.first() { (biased + 1, kept / 2) } else { (biased, kept) };
        if biased >= (1 << self.exponent) - 1 {
            return self.infinite(negative);
        }
        let kept = if self.explicit { kept } else { kept & (self.first() - 1) };
        sign | biased << (self.fraction + u32::from(self.explicit)) | kept
    }
}

/// A number without rounding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// None.
    Nan,
    /// Beyond all.
    Infinite {
        /// Below zero?
        negative: bool,
    },
    /// `digits` times two to the power of `exponent`. The last digit may stand for all that come after it, if there are more digits
    /// than any format has.
    Finite {
        /// Below zero, or minus zero?
        negative: bool,
        /// Its digits.
        digits: u128,
        /// What the last of them counts.
        exponent: i32,
    },
}

/// Where a number goes that is between two others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// To the nearest, of two the even one.
    NearestEven,
    /// To the nearest, of two the one away from zero.
    NearestAway,
    /// To the one towards zero.
    Zero,
    /// To the lower one.
    Down,
    /// To the upper one.
    Up,
}

/// Digits without the last `by`.
fn round(digits: u128, by: i32, how: Rounding, negative: bool) -> u128 {
    if by <= 0 {
        return digits << -by;
    }
    let (kept, rest) = if by >= 128 { (0, digits) } else { (digits >> by, digits & ((1 << by) - 1)) };
    let half = if by > 128 { None } else { Some(1u128 << (by - 1)) };
    let against_half = half.map_or(Ordering::Less, |half| rest.cmp(&half));
    let up = match how {
        Rounding::NearestEven => against_half == Ordering::Greater || against_half == Ordering::Equal && kept & 1 == 1,
        Rounding::NearestAway => against_half != Ordering::Less,
        Rounding::Zero => false,
        Rounding::Down => negative && rest != 0,
        Rounding::Up => !negative && rest != 0,
    };
    kept + u128::from(up)
}

/// Zero, or what is as good: digits so far after others that only their being there counts.
const FAR: i32 = 90;

impl Number {
    /// An integer.
    pub fn integer(negative: bool, digits: u128) -> Number {
        Number::Finite { negative, digits, exponent: 0 }
    }

    /// A zero.
    pub fn zero(negative: bool) -> Number {
        Number::integer(negative, 0)
    }

    fn is_negative(self) -> bool {
        matches!(self, Number::Infinite { negative: true } | Number::Finite { negative: true, .. })
    }

    /// Its opposite.
    pub fn negated(self) -> Number {
        match self {
            Number::Nan => Number::Nan,
            Number::Infinite { negative } => Number::Infinite { negative: !negative },
            Number::Finite { negative, digits, exponent } => Number::Finite { negative: !negative, digits, exponent },
        }
    }

    /// The sum of numbers of at most 30 digits.
    pub fn plus(self, other: Number) -> Number {
        use Number::*;
        let (x, y) = match (self, other) {
            (Nan, _) | (_, Nan) => return Nan,
            (Infinite { negative: a }, Infinite { negative: b }) if a != b => return Nan,
            (Infinite { negative }, _) | (_, Infinite { negative }) => return Infinite { negative },
            (Finite { negative, digits: 0, .. }, Finite { negative: other, digits: 0, .. }) => {
                return Number::zero(negative && other);
            }
            (Finite { digits: 0, .. }, y) => return y,
            (x, Finite { digits: 0, .. }) => return x,
            (Finite { exponent: a, .. }, Finite { exponent: b, .. }) if a < b => (other, self),
            pair => pair,
        };
        let (Finite { negative, digits, exponent }, Finite { negative: minus, digits: low, exponent: below }) = (x, y)
        else {
            return Nan;
        };
        let (low, below) = if exponent - below > FAR { (1, exponent - FAR) } else { (low, below) };
        let signed = |negative: bool, n: u128| if negative { -(n as i128) } else { n as i128 };
        let sum = signed(negative, digits << (exponent - below)) + signed(minus, low);
        Finite { negative: sum < 0, digits: sum.unsigned_abs(), exponent: below }
    }

    /// The product of numbers of at most 30 digits.
    pub fn times(self, other: Number) -> Number {
        use Number::*;
        let negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinite { .. }, Finite { digits: 0, .. }) | (Finite { digits: 0, .. }, Infinite { .. }) => Nan,
            (Infinite { .. }, _) | (_, Infinite { .. }) => Infinite { negative },
            (Finite { digits: x, exponent: a, .. }, Finite { digits: y, exponent: b, .. }) => {
                Finite { negative, digits: x * y, exponent: a + b }
            }
        }
    }

    /// The quotient of numbers of at most 30 digits.
    pub fn over(self, other: Number) -> Number {
        use Number::*;
        let negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Nan, _) | (_, Nan) | (Infinite { .. }, Infinite { .. }) => Nan,
            (Finite { digits: 0, .. }, Finite { digits: 0, .. }) => Nan,
            (Infinite { .. }, _) | (_, Finite { digits: 0, .. }) => Infinite { negative },
            (_, Infinite { .. }) => Number::zero(negative),
            (Finite { digits: x, exponent: a, .. }, Finite { digits: y, exponent: b, .. }) => {
                let x = x << FAR;
                let digits = (x / y) << 1 | u128::from(!x.is_multiple_of(y));
                Finite { negative, digits, exponent: a - b - FAR - 1 }
            }
        }
    }

    /// What is left of a number of at most 30 digits by a division whose quotient is an integer, towards zero.
    pub fn modulo(self, other: Number) -> Number {
        use Number::*;
        match (self, other) {
            (Nan | Infinite { .. }, _) | (_, Nan | Finite { digits: 0, .. }) => Nan,
            (x, Infinite { .. }) | (x @ Finite { digits: 0, .. }, _) => x,
            (Finite { negative, digits: x, exponent: a }, Finite { digits: y, exponent: b, .. }) => {
                if a < b {
                    // It is as it was if the divisor is far larger.
                    let rest = if b - a > FAR { x } else { x % (y << (b - a)) };
                    return Finite { negative, digits: rest, exponent: a };
                }
                let rest = (0..a - b).fold(x % y, |rest, _| rest * 2 % y);
                Finite { negative, digits: rest, exponent: b }
            }
        }
    }

    /// The square root of a number of at most 30 digits.
    pub fn root(self) -> Number {
        use Number::*;
        match self {
            Finite { digits: 0, .. } | Infinite { negative: false } => self,
            Finite { negative: false, digits, exponent } => {
                let (square, exponent) =
                    if exponent % 2 == 0 { (digits, exponent) } else { (digits * 2, exponent - 1) };
                let square = square << FAR;
                let root = square.isqrt();
                let digits = root << 1 | u128::from(root * root != square);
                Finite { negative: false, digits, exponent: (exponent - FAR) / 2 - 1 }
            }
            _ => Nan,
        }
    }

    /// The integer next to it.
    pub fn to_integer(self, how: Rounding) -> Number {
        match self {
            Number::Finite { negative, digits, exponent } if exponent < 0 => {
                Number::integer(negative, round(digits, -exponent, how, negative))
            }
            number => number,
        }
    }

    /// How two numbers are in order, if they are.
    pub fn order(self, other: Number) -> Option<Ordering> {
        let place = |n: Number| match n {
            Number::Infinite { negative: true } => -1,
            Number::Infinite { negative: false } => 1,
            _ => 0,
        };
        if self == Number::Nan || other == Number::Nan {
            return None;
        }
        if place(self) != 0 || place(other) != 0 {
            return Some(place(self).cmp(&place(other)));
        }
        Some(match self.plus(other.negated()) {
            Number::Finite { digits: 0, .. } => Ordering::Equal,
            difference if difference.is_negative() => Ordering::Less,
            _ => Ordering::Greater,
        })
    }

    /// The integer of so many bits that its part before the point is; none if there is no such.
    pub fn truncated(self, bits: u32, signed: bool) -> Option<i128> {
        let Number::Finite { negative, digits, exponent } = self.to_integer(Rounding::Zero) else { return None };
        if digits == 0 {
            return Some(0);
        }
        let place = digits.ilog2() as i32 + exponent;
        let limit = bits as i32 - i32::from(signed);
        let n = if place > 127 { return None } else { round(digits, -exponent, Rounding::Zero, false) };
        let least = negative && signed && place == limit && n.is_power_of_two();
        (least || place < limit && (signed || !negative)).then(|| {
            let n = n as i128;
            if negative { n.wrapping_neg() } else { n }
        })
    }
}
