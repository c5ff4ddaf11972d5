//! Results of operations on constants, where they do not depend on the machine. What is undefined has none.

use super::inst::{IntCc, Opcode};
use super::types::Type;

/// The number with the lowest `bits` bits of `x`, extended by its sign. `bits` is 1 to 128.
fn signed(bits: u32, x: u128) -> i128 {
    (x << (128 - bits)) as i128 >> (128 - bits)
}

/// The lowest `bits` bits.
fn cut(bits: u32, x: u128) -> u128 {
    x << (128 - bits) >> (128 - bits)
}

/// The result of an operation on two integers of `bits` bits, 1 to 128, which are extended by zeros.
pub fn fold_binary(op: Opcode, bits: u32, x: u128, y: u128) -> Option<u128> {
    let (sx, sy) = (signed(bits, x), signed(bits, y));
    let in_range = || y < u128::from(bits);
    // The least number divided by -1 has no result.
    let divides = || y != 0 && !(sy == -1 && sx == signed(bits, 1 << (bits - 1)));
    let result = match op {
        Opcode::Iadd => x.wrapping_add(y),
        Opcode::Isub => x.wrapping_sub(y),
        Opcode::Imul => x.wrapping_mul(y),
        Opcode::And => x & y,
        Opcode::Or => x | y,
        Opcode::Xor => x ^ y,
        Opcode::Shl if in_range() => x << y,
        Opcode::Lshr if in_range() => x >> y,
        Opcode::Ashr if in_range() => (sx >> y) as u128,
        Opcode::Udiv => x.checked_div(y)?,
        Opcode::Urem => x.checked_rem(y)?,
        Opcode::Sdiv if divides() => (sx / sy) as u128,
        Opcode::Srem if divides() => (sx % sy) as u128,
        Opcode::Umin => x.min(y),
        Opcode::Umax => x.max(y),
        Opcode::Smin => sx.min(sy) as u128,
        Opcode::Smax => sx.max(sy) as u128,
        _ => return None,
    };
    Some(cut(bits, result))
}

/// The result of an operation on an integer of `bits` bits, 1 to 128.
pub fn fold_unary(op: Opcode, bits: u32, x: u128) -> Option<u128> {
    let unused = 128 - bits;
    let result = match op {
        Opcode::Ctlz => (x.leading_zeros() - unused).into(),
        Opcode::Cttz => x.trailing_zeros().min(bits).into(),
        Opcode::Ctpop => x.count_ones().into(),
        Opcode::Bswap if bits.is_multiple_of(16) => x.swap_bytes() >> unused,
        Opcode::Bitreverse => x.reverse_bits() >> unused,
        Opcode::Iabs => signed(bits, x).unsigned_abs(),
        Opcode::Freeze => x,
        _ => return None,
    };
    Some(cut(bits, result))
}

/// Whether a condition holds for two integers of `bits` bits, 1 to 128.
pub fn fold_compare(condition: IntCc, bits: u32, x: u128, y: u128) -> bool {
    let (sx, sy) = (signed(bits, x), signed(bits, y));
    match condition {
        IntCc::Eq => x == y,
        IntCc::Ne => x != y,
        IntCc::Ult => x < y,
        IntCc::Ule => x <= y,
        IntCc::Ugt => x > y,
        IntCc::Uge => x >= y,
        IntCc::Slt => sx < sy,
        IntCc::Sle => sx <= sy,
        IntCc::Sgt => sx > sy,
        IntCc::Sge => sx >= sy,
    }
}

/// The integer of type `to` that a conversion makes of an integer of type `from`.
pub fn fold_conversion(op: Opcode, from: Type, to: Type, x: u128) -> Option<u128> {
    if !(is_foldable(from) && is_foldable(to)) {
        return None;
    }
    let (from, to) = (from.bits(), to.bits());
    match op {
        Opcode::Zext if from < to => Some(x),
        Opcode::Sext if from < to => Some(cut(to, signed(from, x) as u128)),
        Opcode::Trunc if from > to => Some(cut(to, x)),
        _ => None,
    }
}

/// The result of an arithmetic operation on two numbers of the type `f32` or `f64`, all as bits. A result that is no
/// number has none: which NaN it is depends on the machine.
pub fn fold_float(op: Opcode, ty: Type, x: u128, y: u128) -> Option<u128> {
    macro_rules! compute {
        ($float:ty, $bits:ty) => {{
            let (x, y) = (<$float>::from_bits(x as $bits), <$float>::from_bits(y as $bits));
            let result = match op {
                Opcode::Fadd => x + y,
                Opcode::Fsub => x - y,
                Opcode::Fmul => x * y,
                Opcode::Fdiv => x / y,
                _ => return None,
            };
            (!result.is_nan()).then(|| result.to_bits().into())
        }};
    }
    match ty {
        Type::F32 => compute!(f32, u32),
        Type::F64 => compute!(f64, u64),
        _ => None,
    }
}

/// Is it an integer type whose constants are numbers?
pub fn is_foldable(ty: Type) -> bool {
    ty.is_int() && !ty.is_vector() && (1..=128).contains(&ty.bits())
}
