//! Lanes of vectors, and values as bits in memory.

use gusset_codegen::ir::{Opcode, ReduceOp, Type};

use super::{Stop, Val, scalar};

/// The bits of a value, lowest first; `None` is a bit of any value.
fn bits_of(x: &Val, ty: Type) -> Vec<Option<bool>> {
    let n = ty.lane_bits();
    x.lanes().iter().flat_map(|lane| (0..n).map(move |k| lane.map(|l| l >> k & 1 != 0))).collect()
}

fn from_bits(ty: Type, bits: &[Option<bool>]) -> Val {
    let lanes = bits
        .chunks(ty.lane_bits() as usize)
        .take(ty.lanes() as usize)
        .map(|lane| lane.iter().enumerate().try_fold(0u128, |n, (k, bit)| bit.map(|b| n | (b as u128) << k)));
    Val::from_lanes(ty, lanes.collect())
}

/// The same bits as another type.
pub(super) fn bitcast(x: &Val, from: Type, to: Type) -> Val {
    if !from.is_vector() && !to.is_vector() {
        return x.clone();
    }
    from_bits(to, &bits_of(x, from))
}

/// The value that bytes in memory are. Bits of a scalar beyond its width were stored as zeros; if they are not, another
/// type was stored, and the value is any.
pub(super) fn from_bytes(ty: Type, bytes: &[Option<u8>]) -> Val {
    if !ty.is_vector() {
        let all = bytes.iter().enumerate().try_fold(0u128, |n, (k, b)| b.map(|b| n | (b as u128) << (8 * k)));
        return Val::Scalar(all.filter(|&n| n & !scalar::mask(ty.bits()) == 0));
    }
    let bits: Vec<_> = bytes.iter().flat_map(|b| (0..8).map(move |k| b.map(|b| b >> k & 1 != 0))).collect();
    from_bits(ty, &bits)
}

/// The bytes of a value in memory.
pub(super) fn to_bytes(ty: Type, x: &Val) -> Vec<Option<u8>> {
    let n = ty.store_bytes() as usize;
    if let Val::Scalar(bits) = x {
        return (0..n).map(|k| bits.map(|b| (b >> (8 * k)) as u8)).collect();
    }
    let mut bits = bits_of(x, ty);
    bits.resize(8 * n, Some(false));
    bits.chunks(8)
        .map(|byte| byte.iter().enumerate().try_fold(0u8, |n, (k, bit)| bit.map(|b| n | (b as u8) << k)))
        .collect()
}

/// The lane that a value means, if it is definite and there.
fn position(at: &Val, lanes: usize) -> Option<usize> {
    at.bits().filter(|&n| n < lanes as u128).map(|n| n as usize)
}

pub(super) fn extract(x: &Val, at: &Val) -> Val {
    Val::Scalar(position(at, x.lanes().len()).and_then(|k| x.lanes()[k]))
}

pub(super) fn insert(x: &Val, lane: &Val, at: &Val) -> Val {
    let mut lanes = x.lanes().to_vec();
    match position(at, lanes.len()) {
        Some(k) => lanes[k] = lane.bits(),
        None => lanes.fill(None),
    }
    Val::Vector(lanes)
}

pub(super) fn shuffle(a: &Val, b: &Val, mask: &[u32]) -> Val {
    let lane = |&m: &u32| a.lanes().iter().chain(b.lanes()).nth(m as usize).copied().flatten();
    Val::Vector(mask.iter().map(lane).collect())
}

/// All lanes combined, in order.
pub(super) fn reduce(flags: u8, ty: Type, x: &Val, start: &Val) -> Result<Val, Stop> {
    use Opcode::*;
    let Some(op) = ReduceOp::from_u8(flags) else { return Err(Stop::Unsupported("the operation".into())) };
    let (op, ordered) = match op {
        ReduceOp::Add => (Iadd, false),
        ReduceOp::Mul => (Imul, false),
        ReduceOp::And => (And, false),
        ReduceOp::Or => (Or, false),
        ReduceOp::Xor => (Xor, false),
        ReduceOp::Smax => (Smax, false),
        ReduceOp::Smin => (Smin, false),
        ReduceOp::Umax => (Umax, false),
        ReduceOp::Umin => (Umin, false),
        ReduceOp::Fadd => (Fadd, true),
        ReduceOp::Fmul => (Fmul, true),
        ReduceOp::Fmax => (Fmaxnum, false),
        ReduceOp::Fmin => (Fminnum, false),
        ReduceOp::Fmaximum => (Fmaximum, false),
        ReduceOp::Fminimum => (Fminimum, false),
    };
    let first = if ordered { start.bits() } else { x.lanes().first().copied().flatten() };
    let mut sum = first;
    for lane in &x.lanes()[!ordered as usize..] {
        sum = match sum.zip(*lane) {
            Some((a, b)) if ty.is_float() => Some(scalar::float_op(op, ty, a, b, 0)?),
            Some((a, b)) => scalar::binary(op, ty.lane_bits(), a, b)?,
            None => None,
        };
    }
    Ok(Val::Scalar(sum))
}
