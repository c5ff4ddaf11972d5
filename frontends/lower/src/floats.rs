//! Floating-point numbers in other formats.

use gusset_codegen::ir::Type;

/// The bits of a double in another format: exact if that is wider, else rounded to nearest, ties to even.
pub fn from_f64(bits: u64, ty: Type) -> u128 {
    match ty {
        Type::F64 => bits as u128,
        Type::F16 => narrow(bits, 5, 10) as u128,
        Type::BF16 => narrow(bits, 8, 7) as u128,
        Type::F32 => narrow(bits, 8, 23) as u128,
        _ => widen(bits, ty == Type::F80),
    }
}

fn narrow(bits: u64, exp_bits: u32, man_bits: u32) -> u64 {
    let sign = bits >> 63 << (exp_bits + man_bits);
    let exp = (bits >> 52 & 0x7ff) as i64;
    let man = bits & ((1 << 52) - 1);
    let max = (1i64 << exp_bits) - 1;
    let infinity = sign | (max as u64) << man_bits;
    if exp == 0x7ff {
        let payload = man >> (52 - man_bits);
        return infinity | if man != 0 && payload == 0 { 1 << (man_bits - 1) } else { payload };
    }
    let bias = max >> 1;
    let target = exp - 1023 + bias;
    if exp == 0 || target < -(man_bits as i64) - 1 {
        return sign;
    }
    let full = man | 1 << 52;
    let shift = (52 - man_bits) as i64 + if target <= 0 { 1 - target } else { 0 };
    let half = 1u64 << (shift - 1);
    let rest = full & ((half << 1) - 1);
    let mut out = full >> shift;
    out += u64::from(rest > half || (rest == half && out & 1 == 1));
    // A carry out of the fraction increments the exponent.
    let exponent = if target <= 0 { 0 } else { target as u64 - 1 };
    let value = out + (exponent << man_bits);
    if value >= (max as u64) << man_bits { infinity } else { sign | value }
}

fn widen(bits: u64, x87: bool) -> u128 {
    let sign = (bits >> 63) as u128;
    let exp = bits >> 52 & 0x7ff;
    let mut man = bits & ((1 << 52) - 1);
    let exponent = match exp {
        0x7ff => 0x7fff,
        0 if man == 0 => 0,
        0 => {
            let shift = man.leading_zeros() - 11;
            man = (man << shift) & ((1 << 52) - 1);
            16383 - 1022 - shift as u128
        }
        _ => exp as u128 + 16383 - 1023,
    };
    if x87 {
        let integer = u128::from(exponent != 0);
        sign << 79 | exponent << 64 | integer << 63 | (man as u128) << 11
    } else {
        sign << 127 | exponent << 112 | (man as u128) << 60
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singles_agree_with_the_machine() {
        let mut x = 1u64;
        for _ in 0..100_000 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Half of the exponents near the single's range.
            let b = if x & 1 == 0 { x } else { (x & !(0x7ff << 52)) | (870 + (x >> 40) % 300) << 52 };
            let d = f64::from_bits(b);
            if !d.is_nan() {
                assert_eq!(from_f64(b, Type::F32) as u32, (d as f32).to_bits(), "{d:e}");
            }
        }
    }
}
