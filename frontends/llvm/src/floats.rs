//! Floating-point constants: from text to bits.

use gusset_codegen::ir::Type;
use gusset_lower::from_f64;

use crate::lexer::Cursor;
use gusset_text::Result;

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
        // The low half of a quad comes first, and so do the bits of an `x86_fp80` above its 64 lowest; the rest
        // follows, if it is there.
        let first_digits = match own {
            Type::F80 => 4,
            _ => 16,
        };
        let (mut first, mut rest) = (0u128, 0u128);
        let mut n = 0;
        while let Some(d) = (c.peek() as char).to_digit(16) {
            // LLVM's reader passes over digits that follow those of a quad.
            if n == digits && own == Type::F128 {
                c.pos += 1;
                continue;
            }
            start.refuse_if(n == digits, start.pos, "the constant has too many digits")?;
            let part = if n < first_digits { &mut first } else { &mut rest };
            *part = *part << 4 | d as u128;
            n += 1;
            c.pos += 1;
        }
        start.unexpected_if(n == 0, start.pos, "a floating-point constant")?;
        c.ws();
        return match own {
            Type::F64 => Ok(from_f64(first as u64, ty)),
            Type::F128 if ty == own && n < first_digits => Ok(first << 64),
            Type::F128 if ty == own => Ok(rest << 64 | first),
            Type::F80 if ty == own => Ok(first << 64 | rest),
            _ if ty == own => Ok(first),
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
    let x = text.parse::<f64>().map_err(|_| c.expected("a floating-point constant"))?;
    c.bump(end - c.pos);
    Ok(from_f64(x.to_bits(), ty))
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
        // As LLVM reads what has fewer digits than are printed.
        assert_eq!(bits("0xL1", Type::F128), 1 << 64);
        assert_eq!(bits("0xL00000000000000001", Type::F128), 1 << 64);
        assert_eq!(bits("0xL0000000000000001", Type::F128), 1);
        assert_eq!(bits("0xK3FFF8", Type::F80), 0x3fff_0000_0000_0000_0008);
        assert_eq!(bits("0xH1", Type::F16), 1);
        assert!(parse_float(&mut Cursor::new(b"0xK", 0), Type::F80).is_err());
        assert!(parse_float(&mut Cursor::new(b"0xH3C00", 0), Type::F32).is_err());
        assert!(parse_float(&mut Cursor::new(b"x", 0), Type::F32).is_err());
    }
}
