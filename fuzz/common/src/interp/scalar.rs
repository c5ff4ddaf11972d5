//! Operations on one scalar, or on one lane: integers as zero-extended bits, floats as their bits.

use gusset_codegen::ir::{IntCc, Opcode, Type};

use super::{Stop, soft};

/// The low `bits` bits.
pub(super) fn mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

/// Sign-extended from `bits`.
pub(super) fn signed(n: u128, bits: u32) -> i128 {
    let shift = 128 - bits;
    (n as i128) << shift >> shift
}

fn undefined<T>(why: &str) -> Result<T, Stop> {
    Err(Stop::Undefined(why.into()))
}

/// The result of an integer operation of two operands; `None` is poison.
pub(super) fn binary(op: Opcode, bits: u32, a: u128, b: u128) -> Result<Option<u128>, Stop> {
    use Opcode::*;
    let m = mask(bits);
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let (min, max) = (signed(1 << (bits - 1), bits), signed(m >> 1, bits));
    let amount = |f: &dyn Fn(u32) -> u128| if b >= bits as u128 { None } else { Some(f(b as u32)) };
    let r = match op {
        Iadd => a.wrapping_add(b),
        Isub => a.wrapping_sub(b),
        Imul => a.wrapping_mul(b),
        Udiv | Urem | Sdiv | Srem if b == 0 => return undefined("a division by zero"),
        Udiv => a / b,
        Urem => a % b,
        Sdiv | Srem if sa == min && sb == -1 => return undefined("a division that overflows"),
        Sdiv => (sa / sb) as u128,
        Srem => (sa % sb) as u128,
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl => return Ok(amount(&|n| a << n & m)),
        Lshr => return Ok(amount(&|n| a >> n)),
        Ashr => return Ok(amount(&|n| (sa >> n) as u128 & m)),
        Umin => a.min(b),
        Umax => a.max(b),
        Smin => sa.min(sb) as u128,
        Smax => sa.max(sb) as u128,
        UaddSat => a.checked_add(b).map_or(m, |r| r.min(m)),
        UsubSat => a.saturating_sub(b),
        SaddSat => sa.saturating_add(sb).clamp(min, max) as u128,
        SsubSat => sa.saturating_sub(sb).clamp(min, max) as u128,
        UshlSat => return Ok(amount(&|n| if (a << n & m) >> n == a { a << n & m } else { m })),
        SshlSat => {
            return Ok(amount(&|n| {
                let r = signed(a << n & m, bits);
                (if r >> n == sa { r } else { [max, min][(sa < 0) as usize] }) as u128 & m
            }));
        }
        _ => return Err(Stop::Unsupported(op.name().into())),
    };
    Ok(Some(r & m))
}

/// The wrapped result and whether it is not the exact one.
pub(super) fn overflow(op: Opcode, bits: u32, a: u128, b: u128) -> Result<(u128, bool), Stop> {
    use Opcode::*;
    let m = mask(bits);
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let unsigned = |(r, over): (u128, bool)| (r & m, over || r > m);
    let with_sign = |(r, over): (i128, bool)| (r as u128 & m, over || signed(r as u128 & m, bits) != r);
    Ok(match op {
        UaddOv => unsigned(a.overflowing_add(b)),
        UsubOv => (a.wrapping_sub(b) & m, a < b),
        UmulOv => unsigned(a.overflowing_mul(b)),
        SaddOv => with_sign(sa.overflowing_add(sb)),
        SsubOv => with_sign(sa.overflowing_sub(sb)),
        SmulOv => with_sign(sa.overflowing_mul(sb)),
        _ => return Err(Stop::Unsupported(op.name().into())),
    })
}

pub(super) fn unary(op: Opcode, bits: u32, a: u128) -> Result<u128, Stop> {
    use Opcode::*;
    Ok(match op {
        Ctlz => (a.leading_zeros() - (128 - bits)) as u128,
        Cttz => a.trailing_zeros().min(bits) as u128,
        Ctpop => a.count_ones() as u128,
        Bswap => a.swap_bytes() >> (128 - bits),
        Bitreverse => a.reverse_bits() >> (128 - bits),
        Iabs => signed(a, bits).wrapping_abs() as u128 & mask(bits),
        _ => return Err(Stop::Unsupported(op.name().into())),
    })
}

/// Funnel shift of `a:b` by `c` modulo the width.
pub(super) fn funnel(left: bool, bits: u32, a: u128, b: u128, c: u128) -> u128 {
    let n = (c % bits as u128) as u32;
    match (left, n) {
        (true, 0) => a,
        (false, 0) => b,
        (true, n) => (a << n | b >> (bits - n)) & mask(bits),
        (false, n) => (a << (bits - n) | b >> n) & mask(bits),
    }
}

pub(super) fn compare(cc: IntCc, bits: u32, a: u128, b: u128) -> bool {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    match cc {
        IntCc::Eq => a == b,
        IntCc::Ne => a != b,
        IntCc::Ult => a < b,
        IntCc::Ule => a <= b,
        IntCc::Ugt => a > b,
        IntCc::Uge => a >= b,
        IntCc::Slt => sa < sb,
        IntCc::Sle => sa <= sb,
        IntCc::Sgt => sa > sb,
        IntCc::Sge => sa >= sb,
    }
}

/// The number after the bits of an `f32` or `f64`.
fn float(ty: Type, bits: u128) -> Result<f64, Stop> {
    match ty {
        Type::F32 => Ok(f32::from_bits(bits as u32) as f64),
        Type::F64 => Ok(f64::from_bits(bits as u64)),
        _ => Err(Stop::Unsupported(format!("arithmetic in {ty}"))),
    }
}

fn minmax(op: Opcode, a: f64, b: f64) -> f64 {
    let (min, number) = match op {
        Opcode::Fminnum => (true, true),
        Opcode::Fmaxnum => (false, true),
        Opcode::Fminimum => (true, false),
        _ => (false, false),
    };
    match (a.is_nan(), b.is_nan()) {
        (true, true) => f64::NAN,
        (true, false) => [a, b][number as usize],
        (false, true) => [b, a][number as usize],
        // -0 is less than +0.
        _ if a == b => [b, a][(a.is_sign_negative() == min) as usize],
        _ => [b, a][((a < b) == min) as usize],
    }
}

/// Operations of `f32` and `f64`. Of a NaN that an operation makes, LangRef leaves sign and payload open ("Behavior of
/// Floating-Point NaN values"): here it is one of those allowed.
pub(super) fn float_op(op: Opcode, ty: Type, a: u128, b: u128, c: u128) -> Result<u128, Stop> {
    use Opcode::*;
    let sign = 1u128 << (ty.lane_bits() - 1);
    match op {
        Fneg => return Ok(a ^ sign),
        Fabs => return Ok(a & !sign),
        Fcopysign => return Ok(a & !sign | b & sign),
        _ => {}
    }
    if !matches!(ty, Type::F32 | Type::F64) {
        return soft::arithmetic(op, ty, a, b).ok_or_else(|| Stop::Unsupported(format!("{} in {ty}", op.name())));
    }
    if ty == Type::F32 {
        let (x, y, z) = (f32::from_bits(a as u32), f32::from_bits(b as u32), f32::from_bits(c as u32));
        let r = match op {
            Fadd => x + y,
            Fsub => x - y,
            Fmul => x * y,
            Fdiv => x / y,
            Frem => x % y,
            Fminnum | Fmaxnum | Fminimum | Fmaximum => minmax(op, x as f64, y as f64) as f32,
            Fma => x.mul_add(y, z),
            Fsqrt => x.sqrt(),
            Ffloor => x.floor(),
            Fceil => x.ceil(),
            Ftrunc => x.trunc(),
            Frint | Fnearbyint | Froundeven => x.round_ties_even(),
            Fround => x.round(),
            _ => return Err(Stop::Unsupported(op.name().into())),
        };
        return Ok(r.to_bits() as u128);
    }
    let (x, y, z) = (float(ty, a)?, f64::from_bits(b as u64), f64::from_bits(c as u64));
    let r = match op {
        Fadd => x + y,
        Fsub => x - y,
        Fmul => x * y,
        Fdiv => x / y,
        Frem => x % y,
        Fminnum | Fmaxnum | Fminimum | Fmaximum => minmax(op, x, y),
        Fma => x.mul_add(y, z),
        Fsqrt => x.sqrt(),
        Ffloor => x.floor(),
        Fceil => x.ceil(),
        Ftrunc => x.trunc(),
        Frint | Fnearbyint | Froundeven => x.round_ties_even(),
        Fround => x.round(),
        _ => return Err(Stop::Unsupported(op.name().into())),
    };
    Ok(r.to_bits() as u128)
}

/// Conversions from type `from` to type `to`, lane types both; `None` is poison.
pub(super) fn convert(op: Opcode, from: Type, to: Type, a: u128) -> Result<Option<u128>, Stop> {
    use Opcode::*;
    let (n, m) = (from.lane_bits(), to.lane_bits());
    let no = || Stop::Unsupported(format!("conversion from {from} to {to}"));
    let number = |x: Option<soft::Number>| x.and_then(|x| soft::pack(to, x)).ok_or_else(no);
    Ok(Some(match op {
        Trunc => a & mask(m),
        Zext => a,
        Sext => signed(a, n) as u128 & mask(m),
        Sitofp => number(Some(soft::from_int(signed(a, n) < 0, signed(a, n).unsigned_abs())))?,
        Uitofp => number(Some(soft::from_int(false, a)))?,
        Fpext | Fptrunc => number(soft::unpack(from, a))?,
        Fptosi | Fptoui | FptosiSat | FptouiSat => {
            let saturates = matches!(op, FptosiSat | FptouiSat);
            let Some((negative, magnitude)) = soft::integer_part(soft::unpack(from, a).ok_or_else(no)?) else {
                // Not a number.
                return Ok(saturates.then_some(0));
            };
            let most = if matches!(op, Fptosi | FptosiSat) { mask(m) >> 1 } else { mask(m) };
            // The least signed number is one further from zero than the greatest; there are no negative unsigned ones.
            let least = if matches!(op, Fptosi | FptosiSat) { most + 1 } else { 0 };
            let limit = if negative { least } else { most };
            if magnitude > limit && !saturates {
                return Ok(None);
            }
            let magnitude = magnitude.min(limit);
            if negative { magnitude.wrapping_neg() & mask(m) } else { magnitude }
        }
        _ => return Err(Stop::Unsupported(op.name().into())),
    }))
}
