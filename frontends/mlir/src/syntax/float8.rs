//! Constants of floating-point numbers of eight bits, which are bytes for LLVM.
//!
//! OCP, "8-bit Floating Point Specification (OFP8)" and "Microscaling Formats (MX)"; MLIR, "Builtin Dialect", "Float8E4M3FNType" and the
//! others like it. Literals are rounded to the nearest number, to an even one of two.

use gusset_abi::memref::Float8;

/// What there is beside numbers that are finite.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Special {
    /// Infinities and NaNs, as IEEE 754 has them.
    Ieee,
    /// No infinities; a NaN has all bits set but its sign.
    Fn,
    /// No infinities and no negative zero, whose bits are the NaN.
    FnUz,
}

/// The number in a format that is nearest to `x`. What is too large is an infinity, or a NaN where there is none.
pub(super) fn encode(x: f64, format: Float8) -> u8 {
    let (fraction, bias, special): (i32, i32, Special) = match format {
        Float8::E5M2 => (2, 15, Special::Ieee),
        Float8::E4M3 => (3, 7, Special::Ieee),
        Float8::E4M3Fn => (3, 7, Special::Fn),
        Float8::E5M2FnUz => (2, 16, Special::FnUz),
        Float8::E4M3FnUz => (3, 8, Special::FnUz),
        Float8::E4M3B11FnUz => (3, 11, Special::FnUz),
        Float8::E3M4 => (4, 3, Special::Ieee),
        Float8::E8M0FnU => return encode_exponent(x),
    };
    let sign = if x.is_sign_negative() { 0x80 } else { 0 };
    let exponents = 0x7f >> fraction;
    // The first code that is no finite number.
    let (end, nan) = match special {
        Special::Ieee => (exponents << fraction, exponents << fraction | 1 << (fraction - 1)),
        Special::Fn => (0x7f, 0x7f),
        Special::FnUz => (0x80, 0x80),
    };
    // The unit of the last place: of the exponent that the number has, or of the least.
    let exponent = (x.abs().to_bits() >> 52) as i32 - 1023;
    let unit = exponent.max(1 - bias) - fraction;
    let code = if x.is_nan() {
        return if special == Special::FnUz { 0x80 } else { sign | nan as u8 };
    } else if x.is_infinite() {
        end
    } else {
        // Powers of two are exact, and so is the quotient.
        let units = (x.abs() / 2f64.powi(unit)).round_ties_even() as i32;
        ((unit + fraction + bias - 1) << fraction) + units
    };
    match special {
        Special::FnUz if code == 0 => 0,
        Special::FnUz if code >= end => 0x80,
        Special::Ieee if code >= end => sign | end as u8,
        Special::Fn if code >= end => sign | 0x7f,
        _ => sign | code as u8,
    }
}

/// An exponent alone, biased by 127. Negative numbers, which the format has not, get MLIR's bits.
fn encode_exponent(x: f64) -> u8 {
    if !x.is_finite() {
        return 0xff;
    }
    let bits = x.abs().to_bits();
    // Every number from the middle between two on belongs to the larger one.
    let exponent = (bits >> 52) as i32 - 1023 + (bits >> 51 & 1) as i32;
    let sign = if x < 0.0 { 0x80 } else { 0 };
    u8::try_from((exponent + 127).max(0)).map_or(0xff, |code| sign | code)
}
