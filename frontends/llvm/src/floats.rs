//! Floating-point constants: from text to bits.

use gusset_codegen::ir::Type;

use crate::error::Result;
use crate::lexer::Cursor;

/// Reads a constant of the floating-point type `ty`: decimal, or hexadecimal bits (LangRef, "Simple Constants").
pub(crate) fn parse_float(c: &mut Cursor, ty: Type) -> Result<u128> {
    let start = *c;
    if c.peek() == b'0' && c.ahead(1) == b'x' {
        let letter = c.ahead(2);
        let (own, digits) = match letter {
            b'K' => (Type::F80, 20),
            b'L' => (Type::F128, 32),
            b'H' => (Type::F16, 4),
            b'R' => (Type::BF16, 4),
            b'M' => return Err(start.error("ppc_fp128 is not supported")),
            _ => (Type::F64, 16),
        };
        c.pos += if own == Type::F64 { 2 } else { 3 };
        let mut bits = 0u128;
        let mut n = 0;
        while let Some(d) = (c.peek() as char).to_digit(16) {
            if n == digits {
                return Err(start.error("the constant has too many digits"));
            }
            bits = bits << 4 | d as u128;
            n += 1;
            c.pos += 1;
        }
        if n == 0 || (own == Type::F128 && n != 32) {
            return Err(start.expected("a floating-point constant"));
        }
        c.ws();
        return match own {
            Type::F64 => Ok(from_f64(bits as u64, ty)),
            // The halves of a quad stand with the low one first.
            Type::F128 if ty == own => Ok(bits.rotate_left(64)),
            _ if ty == own => Ok(bits),
            _ => Err(start.error("the constant is of another floating-point type")),
        };
    }
    let mut end = c.pos;
    while let Some(b) = c.src.get(end) {
        let sign = matches!(b, b'+' | b'-') && (end == c.pos || matches!(c.src[end - 1], b'e' | b'E'));
        if !(b.is_ascii_digit() || sign || matches!(b, b'.' | b'e' | b'E')) {
            break;
        }
        end += 1;
    }
    let text = std::str::from_utf8(&c.src[c.pos..end]).unwrap_or("");
    let Ok(x) = text.parse::<f64>() else {
        return Err(c.expected("a floating-point constant"));
    };
    c.bump(end - c.pos);
    Ok(from_f64(x.to_bits(), ty))
}

/// The bits of a double as another format: exact where it is wider, else rounded to nearest, ties to even.
pub(crate) fn from_f64(bits: u64, ty: Type) -> u128 {
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
    // A carry out of the fraction moves into the exponent by itself.
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

    fn bits(text: &str, ty: Type) -> u128 {
        parse_float(&mut Cursor::new(text.as_bytes(), 0), ty).unwrap()
    }

    #[test]
    fn formats() {
        assert_eq!(bits("1.000000e+00", Type::F32), 0x3f80_0000);
        assert_eq!(bits("-2.5", Type::F64), (-2.5f64).to_bits() as u128);
        assert_eq!(bits("0x3FB99999A0000000", Type::F32), 0.1f32.to_bits() as u128);
        assert_eq!(bits("0x36A0000000000000", Type::F32), 1);
        assert_eq!(bits("0x7FF4000000000000", Type::F32), 0x7fa0_0000);
        assert_eq!(bits("0xH3C00", Type::F16), 0x3c00);
        assert_eq!(bits("0xR3F80", Type::BF16), 0x3f80);
        assert_eq!(bits("1.5", Type::F16), 0x3e00);
        assert_eq!(bits("65520.0", Type::F16), 0x7c00);
        assert_eq!(bits("65519.0", Type::F16), 0x7bff);
        assert_eq!(bits("1.0", Type::BF16), 0x3f80);
        assert_eq!(bits("0xK3FFF8000000000000000", Type::F80), 0x3fff_8000_0000_0000_0000);
        assert_eq!(bits("1.0", Type::F80), 0x3fff_8000_0000_0000_0000);
        assert_eq!(bits("0xL00000000000000003FFF000000000000", Type::F128), 0x3fff << 112);
        assert_eq!(bits("1.0", Type::F128), 0x3fff << 112);
        assert!(parse_float(&mut Cursor::new(b"0xK", 0), Type::F80).is_err());
        assert!(parse_float(&mut Cursor::new(b"0xH3C00", 0), Type::F32).is_err());
        assert!(parse_float(&mut Cursor::new(b"x", 0), Type::F32).is_err());
    }

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
