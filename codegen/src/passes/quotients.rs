//! Computes quotient and remainder of the same operands by one division, and divides integers of two registers by
//! constants without a library call.

use crate::divide::{self, Divisor};
use crate::ir::{Block, Function, Inst, InstData, Opcode, Type, Value};

/// How many instructions the quotient may be away from the remainder.
const NEAR: u32 = 8;

/// What becomes of a division.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plan {
    /// It stays.
    Keep,
    /// It is computed by other arithmetic.
    Expand,
    /// A remainder that is computed from this quotient, which exists already.
    After(Value),
    /// The same, where the quotient with this number among those that move is computed here.
    With(u32),
    /// A quotient that is computed at the remainder.
    Gone,
}

/// Rewrites the divisions of `f` in these blocks. `f` must only have legal types; `ptr` is the type of the machine's
/// pointers. Returns whether there were any to rewrite.
pub(super) fn share_quotients(f: &mut Function, ptr: Type, blocks: &[Block]) -> bool {
    let (mut plans, mut moved) = (Vec::new(), Vec::new());
    for &b in blocks {
        let block = f.blocks[b.index()];
        for i in block.first..block.end {
            let d = f.insts[i as usize];
            if !is_division(d.op) || !d.ty.is_int() || d.ty.bits() < 8 {
                continue;
            }
            let near = block.first.max(i.saturating_sub(NEAR))..block.end.min(i + NEAR);
            let partner = partner(f, &d, near);
            let expands = expansion(f, &d, ptr).is_some();
            if partner.is_none() && !expands {
                continue;
            }
            if plans.is_empty() {
                plans.resize(f.insts.len(), Plan::Keep);
            }
            let plan = match partner {
                Some(j) if j < i => Plan::After(f.result(Inst(j))),
                Some(j) if plans[j as usize] != Plan::Gone => {
                    plans[j as usize] = Plan::Gone;
                    moved.push((f.insts[j as usize], f.result(Inst(j))));
                    Plan::With(moved.len() as u32 - 1)
                }
                _ if expands && plans[i as usize] == Plan::Keep => Plan::Expand,
                _ => continue,
            };
            plans[i as usize] = plan;
        }
    }
    if plans.is_empty() {
        return false;
    }
    f.rewrite(|f, i, d, result| {
        let divide = |f: &mut Function, d: InstData, result: Value| match expansion(f, &d, ptr) {
            Some(by) => {
                let last = expand(f, &d, by);
                f.push_kept(last, result);
            }
            None => drop(f.push_kept(d, result)),
        };
        match plans[i.index()] {
            Plan::Keep => drop(f.push_kept(d, result)),
            Plan::Expand => divide(f, d, result),
            Plan::After(quotient) => {
                let last = rest(f, &d, quotient);
                f.push_kept(last, result);
            }
            Plan::With(k) => {
                let (division, quotient) = moved[k as usize];
                divide(f, division, quotient);
                let last = rest(f, &d, quotient);
                f.push_kept(last, result);
            }
            Plan::Gone => {}
        }
    });
    true
}

pub(super) const fn is_division(op: Opcode) -> bool {
    matches!(op, Opcode::Udiv | Opcode::Sdiv | Opcode::Urem | Opcode::Srem)
}

/// The quotient that belongs to the remainder `d`, if it is among these instructions and worth sharing.
fn partner(f: &Function, d: &InstData, near: std::ops::Range<u32>) -> Option<u32> {
    let quotient = match d.op {
        Opcode::Urem if f.int_constant(Value(d.b)).is_some_and(u128::is_power_of_two) => return None,
        Opcode::Urem => Opcode::Udiv,
        Opcode::Srem => Opcode::Sdiv,
        _ => return None,
    };
    near.into_iter().find(|&j| {
        let q = &f.insts[j as usize];
        (q.op, q.ty, q.a, q.b) == (quotient, d.ty, d.a, d.b)
    })
}

/// A divisor by which numbers of two registers are divided with other arithmetic.
#[derive(Clone, Copy)]
enum By {
    Power(u32),
    Product(u64),
}

/// The divisor of such a division, and whether it is negative.
fn expansion(f: &Function, d: &InstData, ptr: Type) -> Option<(By, bool)> {
    let bits = d.ty.bits();
    if !d.ty.is_int() || bits != 2 * ptr.bits() {
        return None;
    }
    let n = f.int_constant(Value(d.b))?;
    let signed = matches!(d.op, Opcode::Sdiv | Opcode::Srem);
    let mask = u128::MAX >> (128 - bits);
    let negative = signed && n >> (bits - 1) != 0;
    let magnitude = if negative { n.wrapping_neg() & mask } else { n };
    if magnitude.is_power_of_two() {
        // Unsigned, that is a shift or a mask.
        return signed.then_some((By::Power(magnitude.trailing_zeros()), negative));
    }
    match divide::divisor(n, bits.min(64), signed)? {
        (Divisor::Product(n), negative) if bits == 64 => Some((By::Product(n), negative)),
        _ => None,
    }
}

fn binary(op: Opcode, ty: Type, a: Value, b: Value) -> InstData {
    InstData { op, flags: 0, ty, a: a.0, b: b.0, c: 0 }
}

/// An operation with a number.
fn with(f: &mut Function, op: Opcode, v: Value, n: u32) -> Value {
    let ty = f.value_type(v);
    let n = f.make_int(ty, n.into());
    f.push_one(binary(op, ty, v, n))
}

/// The remainder of the dividend of `d`, computed from the quotient.
fn rest(f: &mut Function, d: &InstData, quotient: Value) -> InstData {
    let multiple = f.push_one(binary(Opcode::Imul, d.ty, quotient, Value(d.b)));
    binary(Opcode::Isub, d.ty, Value(d.a), multiple)
}

/// Appends the instructions of a division, and returns the last one.
fn expand(f: &mut Function, d: &InstData, (by, negative): (By, bool)) -> InstData {
    use Opcode::*;
    let (ty, x, top) = (d.ty, Value(d.a), d.ty.bits() - 1);
    let remainder = matches!(d.op, Urem | Srem);
    let quotient = match by {
        By::Power(k) => {
            // Negative numbers are increased so that the shift rounds toward zero.
            let mut sum = x;
            if k > 0 {
                let sign = if k > 1 { with(f, Ashr, x, top) } else { x };
                let more = with(f, Lshr, sign, top + 1 - k);
                sum = f.push_one(binary(Iadd, ty, x, more));
            }
            if remainder {
                let multiple = f.make_int(ty, -1 << k);
                let multiple = f.push_one(binary(And, ty, sum, multiple));
                return binary(Isub, ty, x, multiple);
            }
            let by = f.make_int(ty, k.into());
            if !negative {
                return binary(Ashr, ty, sum, by);
            }
            f.push_one(binary(Ashr, ty, sum, by))
        }
        By::Product(n) if matches!(d.op, Udiv | Urem) => {
            let m = divide::unsigned(n, 64, 64);
            let from = if m.before > 0 { with(f, Lshr, x, m.before) } else { x };
            let mut high = high_product(f, from, m.multiplier);
            if m.adds {
                let left = f.push_one(binary(Isub, ty, x, high));
                let half = with(f, Lshr, left, 1);
                high = f.push_one(binary(Iadd, ty, half, high));
            }
            if !remainder {
                let by = f.make_int(ty, m.shift.into());
                return binary(Lshr, ty, high, by);
            }
            if m.shift > 0 { with(f, Lshr, high, m.shift) } else { high }
        }
        By::Product(n) => {
            let m = divide::signed(n, 64);
            let high = high_product(f, x, m.multiplier);
            // If a negative number is taken for an unsigned one, the product is too large by the multiplier.
            let sign = with(f, Ashr, x, top);
            let multiplier = f.make_int(ty, m.multiplier.into());
            let excess = f.push_one(binary(And, ty, sign, multiplier));
            let mut high = f.push_one(binary(Isub, ty, high, excess));
            if m.shift > 0 {
                high = with(f, Ashr, high, m.shift);
            }
            // One more for negative numbers.
            if !remainder && !negative {
                return binary(Isub, ty, high, sign);
            }
            f.push_one(binary(Isub, ty, high, sign))
        }
    };
    if !remainder {
        let zero = f.make_int(ty, 0);
        return binary(Isub, ty, zero, quotient);
    }
    // The remainder is that by the divisor's magnitude.
    let n = f.int_constant(Value(d.b)).unwrap_or(0) as i128;
    let n = if negative { -n } else { n };
    let n = f.make_int(ty, n);
    rest(f, &InstData { b: n.0, ..*d }, quotient)
}

/// The upper half of the product of two numbers of 64 bits, the first of which is in two registers.
fn high_product(f: &mut Function, x: Value, multiplier: u64) -> Value {
    use Opcode::*;
    const WIDE: Type = Type::I64;
    let narrow = |f: &mut Function, v: Value| f.push_one(binary(Trunc, Type::I32, v, Value(0)));
    let widen = |f: &mut Function, v: Value| f.push_one(binary(Zext, WIDE, v, Value(0)));
    let low = |f: &mut Function, v: Value| {
        let half = narrow(f, v);
        widen(f, half)
    };
    let high = |f: &mut Function, v: Value| {
        let upper = with(f, Lshr, v, 32);
        low(f, upper)
    };
    let product = |f: &mut Function, x: Value, m: u64| {
        let m = f.make_int(WIDE, m.into());
        f.push_one(binary(Imul, WIDE, x, m))
    };
    let sum = |f: &mut Function, x: Value, y: Value| f.push_one(binary(Iadd, WIDE, x, y));
    let (ml, mh) = (multiplier & 0xffff_ffff, multiplier >> 32);
    // Each product has its own extension, which is deferred to it.
    let x0 = low(f, x);
    let p0 = product(f, x0, ml);
    let x0 = low(f, x);
    let p1 = product(f, x0, mh);
    let carry = high(f, p0);
    let t = sum(f, p1, carry);
    let x1 = high(f, x);
    let p2 = product(f, x1, ml);
    let middle = low(f, t);
    let u = sum(f, p2, middle);
    let x1 = high(f, x);
    let p3 = product(f, x1, mh);
    let carry = high(f, t);
    let sum_of_highs = sum(f, p3, carry);
    let carry = high(f, u);
    sum(f, sum_of_highs, carry)
}
