//! Numbers of sixteen bits.

/// A format of sixteen bits, by the widths of exponent and fraction.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    exponent: u32,
    fraction: u32,
}

/// IEEE 754 binary16.
pub(crate) const HALF: Format = Format { exponent: 5, fraction: 10 };
/// BFloat16.
pub(crate) const BFLOAT: Format = Format { exponent: 8, fraction: 7 };

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The bits of the nearest number, or the even one of two that are equally near.
    pub fn bits(self, x: f64) -> u16 {
        let sign = u16::from(x.is_sign_negative()) << 15;
        let infinity = ((1u16 << self.exponent) - 1) << self.fraction;
        if x.is_nan() {
            return sign | infinity | 1 << (self.fraction - 1);
        }
        let all = x.abs().to_bits();
        let (exponent, fraction) = ((all >> 52) as i32 - 1023, all & ((1 << 52) - 1) | u64::from(all >> 52 != 0) << 52);
        // Below the smallest normal number, the fraction has fewer bits.
        let lowest = 1 - self.bias();
        let lost = 52 - self.fraction + (lowest - exponent).max(0) as u32;
        if lost > 54 {
            return sign;
        }
        let kept = fraction >> lost;
        let (rest, half) = (fraction & ((1 << lost) - 1), 1u64 << (lost - 1));
        let rounded = kept + u64::from(rest > half || rest == half && kept & 1 == 1);
        // A carry propagates into the exponent, up to infinity.
        let biased = (exponent.max(lowest) + self.bias() - 1) as u64;
        let bits = (biased << self.fraction) + rounded;
        sign | bits.min(u64::from(infinity)) as u16
    }

    /// The number with these bits.
    pub fn value(self, bits: u16) -> f64 {
        let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
        let exponent = i32::from(bits >> self.fraction) & ((1 << self.exponent) - 1);
        let fraction = f64::from(bits & ((1 << self.fraction) - 1));
        let scale = |exponent: i32| 2f64.powi(exponent - self.bias() - self.fraction as i32);
        sign * match exponent {
            0 => fraction * scale(1),
            e if e == (1 << self.exponent) - 1 => {
                if fraction == 0.0 {
                    f64::INFINITY
                } else {
                    f64::NAN
                }
            }
            e => (fraction + f64::from(1 << self.fraction)) * scale(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every number comes back; what lies between two becomes the nearer one, or the even one.
    #[test]
    fn rounding() {
        for format in [HALF, BFLOAT] {
            for bits in 0..=u16::MAX {
                let x = format.value(bits);
                if x.is_nan() {
                    assert!(format.value(format.bits(x)).is_nan());
                    continue;
                }
                assert_eq!(format.bits(x), bits, "{x}");
                let next = format.value(bits + 1);
                if bits >> 15 == 0 && next.is_finite() {
                    let middle = (x + next) / 2.0;
                    assert_eq!(format.bits(middle), bits + (bits & 1), "{x}");
                    assert_eq!(format.bits(f64::from_bits(middle.to_bits() + 1)), bits + 1, "{x}");
                    assert_eq!(format.bits(f64::from_bits(middle.to_bits() - 1)), bits, "{x}");
                }
            }
            let infinity = format.bits(f64::INFINITY);
            assert_eq!(format.bits(f64::MAX), infinity);
            let (largest, step) = (format.value(infinity - 1), format.value(infinity - 1) - format.value(infinity - 2));
            assert_eq!(format.bits(largest + step / 2.0), infinity);
            assert_eq!(format.bits(largest + step * 0.49), infinity - 1);
            assert_eq!(format.bits(f64::MIN_POSITIVE), 0);
            assert_eq!(format.bits(-0.0), 0x8000);
        }
    }
}
