//! Vectors of 16 bytes.

use gusset_codegen::alloc::Emitter;
use gusset_codegen::error::Result;
use gusset_codegen::ir::{FloatCc, IntCc, Opcode, Type, Value};

use super::family::{Encoder, Exchange, Family};
use super::operand::not_yet;
use crate::shared::Node;
use crate::shared::conditions::of_numbers;
use crate::shared::lanes::uniform_constant;
use crate::shared::results::{change, define};
use crate::shared::shuffle::{Mask, ZERO};

/// The bytes of a lane.
fn lane_bytes(ty: Type) -> u32 {
    ty.lane_bits() / 8
}

fn vector<T: Family>(cx: &mut Emitter<'_, T>, v: Value) -> Result<T::Vreg> {
    Ok(T::vector_register(cx.use_reg(v)?))
}

/// Emits an instruction on vectors.
pub(crate) fn select<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    use Opcode::*;
    let lane = lane_bytes(d.ty);
    match d.op {
        Icmp => return T::compare_lanes(cx, d).unwrap_or_else(|| compare(cx, d)),
        Fcmp => return float_compare(cx, d),
        Shl | Lshr | Ashr => return shift(cx, d),
        Shuffle => return shuffle(cx, d),
        Select => return three(cx, d, T::PICK, d.a, (d.b, d.c)),
        Fma => return three(cx, d, T::FUSED, d.c, (d.a, d.b)),
        Fcopysign => {
            let (y, sign) = (vector(cx, d.b)?, T::vector_register(T::VECTOR_TEMP));
            return change(cx, (d.r, d.a), |cx, dst| {
                let mut e = cx.target.encoder(cx.buf);
                e.sign_bits(lane, sign);
                e.vector(T::INSERT, lane, T::vector_register(dst), y, sign);
            });
        }
        _ => {}
    }
    let Some((op, has_two)) = cx.target.vector_op(d.op, d.ty) else { return not_yet(cx, d) };
    let x = vector(cx, d.a)?;
    let y = if has_two { vector(cx, d.b)? } else { x };
    define(cx, d.r, |cx, dst| {
        let (g, mut e) = (T::vector_register(dst), cx.target.encoder(cx.buf));
        // Bytes are reversed in units of the lanes' width. Bits are counted in bytes, which are then added.
        e.vector(op, if matches!(d.op, Bswap | Ctpop) { 1 } else { lane }, g, x, y);
        if d.op == Ctpop {
            [1, 2, 4].into_iter().filter(|&half| half < lane).for_each(|half| {
                e.vector(T::PAIRS, half, g, g, g);
            });
        }
    })
}

/// An operation that changes its first operand.
fn three<T: Family>(cx: &mut Emitter<'_, T>, d: &Node, op: T::Vop, first: Value, (a, b): (Value, Value)) -> Result {
    let (x, y) = (vector(cx, a)?, vector(cx, b)?);
    change(cx, (d.r, first), |cx, dst| {
        cx.target.encoder(cx.buf).vector(op, lane_bytes(d.ty), T::vector_register(dst), x, y);
    })
}

fn compare<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    use IntCc::*;
    let cc = IntCc::from_u8(d.flags).unwrap_or(Eq);
    let (x, y) = (vector(cx, d.a)?, vector(cx, d.b)?);
    let (x, y, cc) = if matches!(cc, Ult | Ule | Slt | Sle) { (y, x, cc.swapped()) } else { (x, y, cc) };
    define(cx, d.r, |cx, dst| {
        let (g, lane, mut e) = (T::vector_register(dst), lane_bytes(d.ty), cx.target.encoder(cx.buf));
        e.vector(T::compares(cc), lane, g, x, y);
        if cc == Ne {
            e.vector(T::NOT, lane, g, g, g);
        }
    })
}

fn float_compare<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    use FloatCc::*;
    let Some((cc, invert)) = FloatCc::from_u8(d.flags).map(of_numbers) else { return not_yet(cx, d) };
    let [equal, above, not_below] = T::COMPARES_NUMBERS;
    let (x, y) = (vector(cx, d.a)?, vector(cx, d.b)?);
    let dst = cx.def(d.r, 0)?;
    let (l, g, t) = (lane_bytes(d.ty), T::vector_register(dst), T::vector_register(T::VECTOR_TEMP));
    let mut e = cx.target.encoder(cx.buf);
    match cc {
        Oeq => e.vector(equal, l, g, x, y),
        Ogt => e.vector(above, l, g, x, y),
        Oge => e.vector(not_below, l, g, x, y),
        Olt => e.vector(above, l, g, y, x),
        Ole => e.vector(not_below, l, g, y, x),
        One | Ord => {
            e.vector(above, l, t, y, x);
            e.vector(if cc == One { above } else { not_below }, l, g, x, y);
            e.vector(T::OR, l, g, g, t);
        }
        _ => e.bytes(g, if cc == True { 0xff } else { 0 }),
    }
    if invert {
        e.vector(T::NOT, l, g, g, g);
    }
    drop(e);
    cx.set(d.r, 0, dst)
}

/// Shifts: by constants, or lane by lane, to the right as shifts by negative amounts.
fn shift<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    let (lane, x) = (lane_bytes(d.ty), vector(cx, d.a)?);
    if let Some(n) = uniform_constant(cx.f, d.b) {
        let n = n as u32 % (8 * lane);
        return define(cx, d.r, |cx, dst| {
            let (g, mut e) = (T::vector_register(dst), cx.target.encoder(cx.buf));
            if n == 0 { e.move_vector(g, x) } else { e.shift_lanes(d.op, lane, g, x, n) }
        });
    }
    let mut y = vector(cx, d.b)?;
    if d.op != Opcode::Shl {
        let t = T::vector_register(T::VECTOR_TEMP);
        cx.target.encoder(cx.buf).negate_lanes(lane, t, y);
        y = t;
    }
    let op = T::shifts(d.op != Opcode::Ashr);
    define(cx, d.r, |cx, dst| cx.target.encoder(cx.buf).vector(op, lane, T::vector_register(dst), x, y))
}

/// Lanes of two vectors by a mask: one instruction for common masks, else tables of bytes.
fn shuffle<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    let (a, b, m) = Mask::of(cx.f, d);
    let (x, y) = (vector(cx, a)?, vector(cx, b)?);
    let (dst, target) = (cx.def(d.r, 0)?, cx.target);
    let (g, t, n) = (T::vector_register(dst), T::vector_register(T::VECTOR_TEMP), m.n);
    let bytes = 16 / n as u32;
    let of = |k: usize| if k < n { (x, k as u32) } else { (y, (k - n) as u32) };
    // Zeros are lanes of the second vector, which is zero if there are any.
    let is = |from: &dyn Fn(usize) -> usize| m.all(|k, l| l == from(k) as i8 || l == ZERO && from(k) >= n);
    let lane = |k: usize| if m.lane[k] == ZERO { (y, 0) } else { of(m.lane[k].max(0) as usize) };
    let first = m.lanes().iter().copied().find(|&k| k >= 0).unwrap_or(n as i8) as usize;
    let pairs = |k: usize| k / 2 + k % 2 * n;
    let both = [
        (Exchange::Zip, false, is(&pairs)),
        (Exchange::Zip, true, is(&|k| n / 2 + pairs(k))),
        (Exchange::Unzip, false, is(&|k| 2 * k)),
        (Exchange::Unzip, true, is(&|k| 2 * k + 1)),
        (Exchange::Transpose, false, is(&|k| k / 2 * 2 + k % 2 * n)),
        (Exchange::Transpose, true, is(&|k| k / 2 * 2 + 1 + k % 2 * n)),
    ];
    let reversed = [8, 4, 2].into_iter().find(|within| {
        let per = within / bytes as usize;
        per > 1 && is(&|k| k / per * per + (per - 1 - k % per))
    });
    let mut e = target.encoder(cx.buf);
    if is(&|k| k) {
        e.move_vector(g, x);
    } else if n == 2 && e.move_halves(g, [lane(0), lane(1)]) {
    } else if is(&|_| first) {
        e.repeat_lane(bytes, g, of(first));
    } else if let Some(within) = reversed {
        e.vector(T::REVERSES[within / 4], bytes, g, x, x);
    } else if let Some(&(exchange, second, _)) = both.iter().find(|row| row.2) {
        e.exchange_lanes(exchange, second, bytes, g, (x, y));
    } else if let Some(from) = (1..n).find(|&from| is(&|k| k + from)) {
        e.bytes_of_two(g, x, y, from as u32 * bytes);
    } else {
        // Indices beyond a table give zero, or leave the old byte.
        let lanes = m.bytes();
        for (from, second) in [(x, false), (y, true)] {
            if second && !lanes.any(|k| k >= 16) {
                continue;
            }
            let index = |k: i8| if k >= 0 && (k >= 16) == second { k as u8 % 16 } else { 0xff };
            let table = lanes.lanes().iter().rev().fold(0, |all, &k| all << 8 | u128::from(index(k)));
            target.put_vector(&mut e, t, table);
            e.table(g, from, t, second);
        }
    }
    drop(e);
    cx.set(d.r, 0, dst)
}
