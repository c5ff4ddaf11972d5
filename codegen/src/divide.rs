//! Division by constants as multiplication: the upper half of a product with a rounded reciprocal (Granlund and Montgomery, "Division by
//! Invariant Integers using Multiplication", 1994; Hacker's Delight, chapter 10).

/// An unsigned quotient: shift `x` right by `before`, multiply by `multiplier` and take the bits from `2^word` on,
/// called `high`; if `adds`, replace that by `((x - high) >> 1) + high`; shift right by `shift`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unsigned {
    /// Number of bits that the dividend is shifted right by first.
    pub before: u32,
    /// The factor.
    pub multiplier: u64,
    /// Is the factor one bit longer than a word?
    pub adds: bool,
    /// Number of bits that the upper half of the product is shifted right by.
    pub shift: u32,
}

/// The quotient of numbers of `bits` bits by `divisor`, which has as many bits and is no power of two, with products of
/// two numbers of `word` bits.
pub fn unsigned(divisor: u64, bits: u32, word: u32) -> Unsigned {
    if let Some((multiplier, shift)) = reciprocal(divisor, bits, word) {
        return Unsigned { before: 0, multiplier, adds: false, shift };
    }
    let before = divisor.trailing_zeros();
    if before > 0
        && let Some((multiplier, shift)) = reciprocal(divisor >> before, bits - before, word)
    {
        return Unsigned { before, multiplier, adds: false, shift };
    }
    // The factor has one bit more than a word; the top one is what `adds` adds.
    let length = length(divisor);
    let multiplier = (quotient_of_power(word + length, divisor) + 1) as u64 & (u64::MAX >> (64 - word));
    Unsigned { before: 0, multiplier, adds: true, shift: length - 1 }
}

/// A reciprocal of one word, and the shift after the upper half, such that numbers of `bits` bits are divided exactly.
fn reciprocal(divisor: u64, bits: u32, word: u32) -> Option<(u64, u32)> {
    (word..word + length(divisor)).find_map(|power| {
        let multiplier = quotient_of_power(power, divisor) + 1;
        let error = (multiplier * u128::from(divisor)).wrapping_sub(1 << power);
        (error <= 1 << (power - bits)).then_some((multiplier as u64, power - word))
    })
}

/// A signed quotient by the divisor's magnitude: the bits of the product with `multiplier` from `2^(word + shift)` on,
/// with the sign kept, plus one for negative numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signed {
    /// The factor, of a whole word.
    pub multiplier: u64,
    /// Number of bits that the upper half of the product is shifted right by.
    pub shift: u32,
}

/// The quotient of numbers of `word` bits by a number of this magnitude, which is no power of two.
pub fn signed(magnitude: u64, word: u32) -> Signed {
    let powers = word..word + length(magnitude);
    let found = powers.into_iter().find_map(|power| {
        let multiplier = quotient_of_power(power, magnitude) + 1;
        let error = (multiplier * u128::from(magnitude)).wrapping_sub(1 << power);
        (error < 1 << (power + 1 - word)).then_some(Signed { multiplier: multiplier as u64, shift: power - word })
    });
    // The last power always serves, since the error is less than the divisor.
    found.unwrap_or(Signed { multiplier: 0, shift: 0 })
}

/// `floor(2^power / divisor)` for divisors that are no powers of two.
fn quotient_of_power(power: u32, divisor: u64) -> u128 {
    let numerator = 1u128.checked_shl(power).map_or(u128::MAX, |n| n);
    numerator / u128::from(divisor)
}

/// The least `n` such that the number is at most `2^n`.
fn length(n: u64) -> u32 {
    64 - (n - 1).leading_zeros()
}

/// How dividing by a constant is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Divisor {
    /// By a power of two with this exponent.
    Power(u32),
    /// By a product.
    Product(u64),
}

/// How dividing by a constant of at most 64 bits is done, for its magnitude, and whether it is negative. `None` for
/// zero.
pub fn divisor(n: u128, bits: u32, signed: bool) -> Option<(Divisor, bool)> {
    let n = n as u64 & (u64::MAX >> (64 - bits));
    let negative = signed && n >> (bits - 1) != 0;
    let magnitude = if negative { n.wrapping_neg() & (u64::MAX >> (64 - bits)) } else { n };
    let kind = match magnitude {
        0 => return None,
        n if n.is_power_of_two() => Divisor::Power(n.trailing_zeros()),
        n => Divisor::Product(n),
    };
    Some((kind, negative))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(bits: u32) -> u64 {
        u64::MAX >> (64 - bits)
    }

    fn quotient(x: u64, d: u64, bits: u32, word: u32) -> u64 {
        let m = unsigned(d, bits, word);
        assert!(m.multiplier <= mask(word) && m.shift < word, "{d} {bits} {word}: {m:?}");
        let high = ((u128::from(x >> m.before) * u128::from(m.multiplier)) >> word) as u64;
        let sum = if m.adds { ((x - high) >> 1) + high } else { high };
        sum >> m.shift
    }

    fn signed_quotient(x: i64, magnitude: u64, word: u32) -> i64 {
        let m = signed(magnitude, word);
        assert!(m.multiplier != 0 && m.multiplier <= mask(word) && m.shift < word, "{magnitude} {word}: {m:?}");
        // The product of a sum is the sum of the products where the multiplier is negative as a signed word.
        let product = i128::from(x) * i128::from(m.multiplier);
        ((product >> (word + m.shift)) + i128::from(x < 0)) as i64
    }

    /// Numbers at and near powers of two and multiples.
    fn edges(bits: u32, d: u64) -> Vec<u64> {
        let mut list: Vec<u64> = (0..bits).flat_map(|k| [(1 << k) - 1, 1 << k, (1 << k) + 1]).collect();
        for q in [1, 2, 3, mask(bits) / d / 2, mask(bits) / d - 1, mask(bits) / d] {
            let n = d.wrapping_mul(q);
            list.extend([n.wrapping_sub(1), n, n.wrapping_add(1)]);
        }
        list.extend([mask(bits), mask(bits) - 1, mask(bits) >> 1]);
        list.iter().map(|n| n & mask(bits)).collect()
    }

    #[test]
    fn bytes_and_halves() {
        for (bits, step, word) in [(8, 1, 32), (16, 211, 32), (16, 997, 64)] {
            for d in (3..=mask(bits)).filter(|d| !d.is_power_of_two()).step_by(step) {
                for x in (0..=mask(bits)).step_by(step) {
                    assert_eq!(quotient(x, d, bits, word), x / d, "{x} / {d}");
                    let x = x as i64 - (1 << (bits - 1));
                    assert_eq!(signed_quotient(x, d, word), x / d as i64, "{x} / {d}");
                }
            }
        }
    }

    #[test]
    fn words() {
        for (bits, word) in [(32, 32), (32, 64), (64, 64)] {
            let mut divisors = edges(bits, 3);
            divisors.extend([5, 6, 7, 10, 14, 25, 28, 60, 100, 125, 365, 625, 641, 1000, 146_097, 1_000_000_007]);
            let mut state = 1u64;
            for _ in 0..100 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                divisors.push((state & mask(bits)) >> (state >> 58));
            }
            for d in divisors.into_iter().filter(|d| *d > 2 && !d.is_power_of_two()) {
                for x in edges(bits, d) {
                    assert_eq!(quotient(x, d, bits, word), x / d, "{x} / {d}");
                    let shift = 64 - bits;
                    let x = (x << shift) as i64 >> shift;
                    if d < 1 << (bits - 1) {
                        assert_eq!(signed_quotient(x, d, word.min(bits)), x / d as i64, "{x} / {d}");
                    }
                }
            }
        }
    }

    #[test]
    fn kinds() {
        assert_eq!(divisor(0, 32, true), None);
        assert_eq!(divisor(0xffff_ffff, 32, true), Some((Divisor::Power(0), true)));
        assert_eq!(divisor(0x8000_0000, 32, true), Some((Divisor::Power(31), true)));
        assert_eq!(divisor(0x80, 8, false), Some((Divisor::Power(7), false)));
        assert_eq!(divisor(u128::MAX - 6, 64, true), Some((Divisor::Product(7), true)));
        assert_eq!(divisor(7, 64, true), Some((Divisor::Product(7), false)));
    }
}
