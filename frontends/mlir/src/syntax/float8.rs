//! Constants of 8-bit floating-point numbers, which are bytes for LLVM.
//!
//! OCP, "8-bit Floating Point Specification (OFP8)" and "Microscaling Formats (MX)"; MLIR, "Builtin Dialect",
//! "Float8E4M3FNType" and the others. Literals are rounded to nearest, ties to even.

use gusset_abi::memref::Float8;

/// The values of a format that are not finite numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Special {
    /// Infinities and NaNs, as in IEEE 754.
    Ieee,
    /// No infinities; a NaN has all bits set except its sign.
    Fn,
    /// No infinities and no negative zero, whose bits are the NaN.
    FnUz,
}

/// The number of a format that is nearest to `x`. If that is too large, it is an infinity, or a NaN in formats without
/// one.
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
    // The unit in the last place, for the number's exponent or the smallest one.
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

/// A number that is only an exponent, biased by 127. Negative numbers, which the format does not have, get MLIR's bits.
fn encode_exponent(x: f64) -> u8 {
    if !x.is_finite() {
        return 0xff;
    }
    let bits = x.abs().to_bits();
    // A number from the middle between two on is rounded up.
    let exponent = (bits >> 52) as i32 - 1023 + (bits >> 51 & 1) as i32;
    let sign = if x < 0.0 { 0x80 } else { 0 };
    u8::try_from((exponent + 127).max(0)).map_or(0xff, |code| sign | code)
}
