//! Constants as bits, and how far symbols may be from the code that refers to them.

use gusset_codegen::ir::{ConstData, Function, Type, Value};

/// The bits of a vector constant whose lanes are numbers.
pub(crate) fn vector_bits(f: &Function, ty: Type, data: ConstData) -> Option<u128> {
    let ConstData::Vector { start, len } = data else { return None };
    let width = ty.lane_bits();
    let mut bits = 0u128;
    for (k, v) in f.vector_lanes(start, len).enumerate() {
        bits |= scalar_bits(f, v)? << (width * k as u32);
    }
    Some(bits)
}

/// The bits of a constant number; poison is zero.
pub(crate) fn scalar_bits(f: &Function, v: Value) -> Option<u128> {
    match f.constant(v)? {
        ConstData::Int(n) | ConstData::Float(n) => Some(n),
        ConstData::Poison => Some(0),
        _ => None,
    }
}

/// An offset that may be part of a relocation against a symbol. Code and data of the small code model may be so far
/// apart that larger offsets are out of reach. LLVM has the same limit.
pub(crate) fn symbol_reach(offset: i64) -> Option<i32> {
    const LIMIT: i64 = 16 << 20;
    if (-LIMIT..LIMIT).contains(&offset) { Some(offset as i32) } else { None }
}

/// The eight bits of a number that instructions can encode: a sign, an exponent of three bits, four bits of fraction.
/// `exponent` and `fraction` are the widths of the format.
pub(crate) fn float_immediate(bits: u64, exponent: u32, fraction: u32) -> Option<u8> {
    let low = fraction - 4;
    // The exponent is one bit, its complement many times, and two bits.
    let same = exponent - 3;
    let field = bits >> (low + 6) & ((1 << (same + 1)) - 1);
    let first = field >> same;
    let rest = field & ((1 << same) - 1);
    let fits = rest == if first == 0 { (1 << same) - 1 } else { 0 };
    if bits & ((1 << low) - 1) != 0 || !fits {
        return None;
    }
    let sign = bits >> (exponent + fraction) & 1;
    Some((sign << 7 | (first ^ 1) << 6 | bits >> low & 0x3f) as u8)
}
