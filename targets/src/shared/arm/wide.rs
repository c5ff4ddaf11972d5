//! Integers in two registers.

use gusset_codegen::alloc::Emitter;
use gusset_codegen::ir::{Function, InstData, IntCc, Opcode, Value};

use super::family::{Done, Encoder, Family, Sum};
use super::operand::{Pair, define_pair, guard, not_yet, overflow_condition, pair, reg, temp};
use super::{Cond, Shift, gpr};
use crate::shared::Node;
use crate::shared::results::set_pair;

/// Emits an instruction whose type is an integer of two registers.
pub(crate) fn select<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Done {
    use Opcode::*;
    match d.op {
        Shl if cx.f.int_constant(d.b).is_some() => shift_by_number(cx, d, Shift::Lsl),
        Lshr if cx.f.int_constant(d.b).is_some() => shift_by_number(cx, d, Shift::Lsr),
        Ashr if cx.f.int_constant(d.b).is_some() => shift_by_number(cx, d, Shift::Asr),
        Umin => min_max(cx, d, IntCc::Ult),
        Umax => min_max(cx, d, IntCc::Ugt),
        Smin => min_max(cx, d, IntCc::Slt),
        Smax => min_max(cx, d, IntCc::Sgt),
        Iabs => abs(cx, d),
        UaddOv | SaddOv | UsubOv | SsubOv => overflow(cx, d),
        UaddSat | UsubSat | SaddSat | SsubSat => saturating(cx, d),
        Ctlz | Cttz => count_zeros(cx, d),
        Bswap | Bitreverse => reverse(cx, d),
        UmulOv | SmulOv => multiply_overflow(cx, d),
        Fshl | Fshr => funnel(cx, d),
        Udiv | Urem => by_power_of_two(cx, d),
        Zext | Sext => widen(cx, d, d.op == Sext),
        _ => T::select_wide(cx, d),
    }
}

/// Makes a result in two registers, neither of which is an operand's.
fn define<'a, T: Family>(cx: &mut Emitter<'a, T>, r: Value, emit: impl FnOnce(&'a T, &mut T::Asm<'_>, Pair)) -> Done {
    let (target, dst) = (cx.target, define_pair(cx, r)?);
    emit(target, &mut target.encoder(cx.buf), (gpr(dst.0), gpr(dst.1)));
    set_pair(cx, r, dst.0, dst.1)
}

/// The width of a register.
fn word<T: Family>() -> T::Width {
    T::width(T::WORD)
}

/// Is it a division that is a shift or a mask?
pub(crate) fn is_easy_division(f: &Function, d: &InstData) -> bool {
    matches!(d.op, Opcode::Udiv | Opcode::Urem) && f.int_constant(Value(d.b)).is_some_and(u128::is_power_of_two)
}

fn by_power_of_two<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Done {
    let Some(n) = cx.f.int_constant(d.b) else { return not_yet(cx, d) };
    let (w, word, bits) = (word::<T>(), T::WORD.bits(), n.trailing_zeros());
    if d.op == Opcode::Udiv {
        return shift(cx, d, Shift::Lsr, bits);
    }
    let x = pair(cx, d.a)?;
    define(cx, d.r, |target, e, (low, high)| {
        for (g, x, bits) in [(low, x.0, bits.min(word)), (high, x.1, bits.saturating_sub(word))] {
            if bits == 0 { e.number(w, g, 0) } else { target.extend(e, w, false, g, x, bits) }
        }
    })
}

fn shift_by_number<T: Family>(cx: &mut Emitter<'_, T>, d: &Node, kind: Shift) -> Done {
    let n = cx.f.int_constant(d.b).unwrap_or(0) as u32 & (2 * T::WORD.bits() - 1);
    shift(cx, d, kind, n)
}

/// The first operand shifted by a constant.
fn shift<T: Family>(cx: &mut Emitter<'_, T>, d: &Node, kind: Shift, n: u32) -> Done {
    let (w, bits, left) = (word::<T>(), T::WORD.bits(), kind == Shift::Lsl);
    guard(cx, &[d.a])?;
    // The half that bits are shifted out of; the other half is shifted out if there are many.
    let from = gpr(cx.use_part(d.a, u8::from(!left))?);
    let to = if n < bits { gpr(cx.use_part(d.a, left.into())?) } else { from };
    define(cx, d.r, |_, e, (low, high)| {
        let (near, far) = if left { (low, high) } else { (high, low) };
        if n >= bits {
            e.shift(kind, w, far, from, n - bits);
            return if kind == Shift::Asr { e.shift(kind, w, near, from, bits - 1) } else { e.number(w, near, 0) };
        }
        match (n, left) {
            (0, _) => e.shift(kind, w, far, to, 0),
            (_, true) => e.bits_of_two(w, far, (to, from), bits - n),
            (_, false) => e.bits_of_two(w, far, (from, to), n),
        }
        e.shift(kind, w, near, from, n);
    })
}

/// Bits of both operands side by side, from a constant on.
fn funnel<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Done {
    if cx.f.constant(d.c).is_none() {
        return variable_funnel(cx, d);
    }
    let (high, low) = (pair(cx, d.a)?, pair(cx, d.b)?);
    let (w, bits) = (word::<T>(), T::WORD.bits());
    // Any number will do for poison.
    let n = cx.f.int_constant(d.c).unwrap_or(0) as u32 & (2 * bits - 1);
    // Of four words, the lowest first, the bits from here on.
    let from = if d.op == Opcode::Fshl { 2 * bits - n } else { n };
    let words = &[low.0, low.1, high.0, high.1][(from / bits) as usize..];
    define(cx, d.r, |_, e, result| {
        for (part, to) in [result.0, result.1].into_iter().enumerate() {
            match from % bits {
                0 => e.shift(Shift::Lsl, w, to, words[part], 0),
                rest => e.bits_of_two(w, to, (words[part + 1], words[part]), rest),
            }
        }
    })
}

/// By a variable number: halves are selected first, then shifted by the rest.
fn variable_funnel<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Done {
    let (left, w, bits) = (d.op == Opcode::Fshl, word::<T>(), T::WORD.bits());
    let (high, low) = (pair(cx, d.a)?, pair(cx, d.b)?);
    let n = gpr(cx.use_part(d.c, 0)?);
    let (t, spare) = (temp(cx)?, temp(cx)?);
    define(cx, d.r, |_, e, (a, b)| {
        let (k, above) = (T::TEMP, bits - bits.ilog2());
        // Three words from which two are taken: `t`, `a`, `b`, the lowest first.
        e.shift(Shift::Lsl, w, k, n, above - 1);
        e.test(T::whole(w, k));
        let c = if left { Cond::Pl } else { Cond::Mi };
        for (to, two) in [(t, (low.1, low.0)), (a, (high.0, low.1)), (b, (high.1, high.0))] {
            e.choose(w, to, two, c);
        }
        e.shift(Shift::Lsl, w, spare, a, 0);
        // One side is shifted by the number, the other by one and then by the rest: the whole width is no valid shift
        // amount.
        let (up, down) = (([a, b], Shift::Lsl), ([t, spare], Shift::Lsr));
        let (near, far) = if left { (up, down) } else { (down, up) };
        far.0.into_iter().for_each(|g| e.shift(far.1, w, g, g, 1));
        e.shift(Shift::Lsl, w, k, n, above);
        for (words, shift) in [near, far] {
            e.shift(Shift::Lsr, w, k, k, above);
            words.into_iter().for_each(|g| e.shift_by(shift, w, g, g, k));
            e.invert(w, k, n);
            e.shift(Shift::Lsl, w, k, k, above);
        }
        e.bitwise(Opcode::Or, w, a, a, t);
        e.bitwise(Opcode::Or, w, b, b, spare);
    })
}

/// A product that may overflow.
fn multiply_overflow<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Done {
    let (x, y) = (pair(cx, d.a)?, pair(cx, d.b)?);
    let (flag, f, up) = (Value(d.r.0 + 1), cx.temp(false, None)?, temp(cx)?);
    let product = if d.op == Opcode::UmulOv { unsigned_product::<T> } else { signed_product::<T> };
    define(cx, d.r, |_, e, result| product(e, result, x, y, (gpr(f), up)))?;
    if cx.live.count(flag) != 0 { cx.set(flag, 0, f) } else { Ok(()) }
}

/// An unsigned product; the first temporary gets whether it overflows.
fn unsigned_product<T: Family>(e: &mut T::Asm<'_>, (lo, hi): Pair, x: Pair, y: Pair, (f, t): Pair) {
    let (w, up) = (word::<T>(), T::TEMP);
    // It overflows if both upper parts are not zero, if the upper part of a cross product is not zero, or if the last
    // sum has a carry.
    e.test(T::whole(w, x.1));
    e.set_if(f, Cond::Ne);
    e.test(T::whole(w, y.1));
    e.bit_if(f, Cond::Eq, false);
    e.long_product(w, (lo, up), x.0, y.1);
    e.long_product(w, (hi, t), x.1, y.0);
    e.bitwise(Opcode::Or, w, up, up, t);
    e.test(T::whole(w, up));
    e.bit_if(f, Cond::Ne, true);
    e.sum(w, Sum { adds: true, carries: false }, t, lo, hi);
    e.long_product(w, (lo, hi), x.0, y.0);
    e.sum(w, Sum { adds: true, carries: false }, hi, hi, t);
    e.bit_if(f, Cond::Hs, true);
}

/// The same for signed numbers, whose product fits if its whole upper half is the sign of the lower one.
fn signed_product<T: Family>(e: &mut T::Asm<'_>, (lo, hi): Pair, x: Pair, y: Pair, (t, up): Pair) {
    let (w, top) = (word::<T>(), T::TEMP);
    let sum = |e: &mut T::Asm<'_>, adds, carries, g, x| e.sum(w, Sum { adds, carries }, g, g, x);
    // The product of unsigned numbers in four words: `lo`, `hi`, `up`, `top`.
    e.long_product(w, (lo, hi), x.0, y.0);
    e.long_product(w, (t, up), x.0, y.1);
    sum(e, true, false, hi, t);
    e.add_carry(w, up);
    e.long_product(w, (t, top), x.1, y.0);
    sum(e, true, false, hi, t);
    sum(e, true, true, up, top);
    e.long_product(w, (t, top), x.1, y.1);
    e.add_carry(w, top);
    sum(e, true, false, up, t);
    e.add_carry(w, top);
    // A negative factor was taken for one that is larger by two to the power of the width.
    for (x, y) in [(x, y), (y, x)] {
        e.if_negative(w, t, y.0, x.1);
        sum(e, false, false, up, t);
        e.if_negative(w, t, y.1, x.1);
        sum(e, false, true, top, t);
    }
    e.shift(Shift::Asr, w, t, hi, T::WORD.bits() - 1);
    e.compare_registers(w, up, t);
    e.compare_upper(w, top, t, false);
    e.set_if(t, Cond::Ne);
}

/// Compares, and returns the condition: the flags of a difference give less, and greater or equal.
pub(crate) fn compare_pairs<T: Family>(cx: &mut Emitter<'_, T>, x: Pair, y: Pair, cc: IntCc) -> Cond {
    let swap = matches!(cc, IntCc::Ugt | IntCc::Ule | IntCc::Sgt | IntCc::Sle);
    let (x, y, cc) = if swap { (y, x, cc.swapped()) } else { (x, y, cc) };
    let mut e = cx.target.encoder(cx.buf);
    e.compare_registers(word::<T>(), x.0, y.0);
    e.compare_upper(word::<T>(), x.1, y.1, !matches!(cc, IntCc::Eq | IntCc::Ne));
    Cond::of(cc)
}

fn min_max<T: Family>(cx: &mut Emitter<'_, T>, d: &Node, cc: IntCc) -> Done {
    let (x, y) = (pair(cx, d.a)?, pair(cx, d.b)?);
    let c = compare_pairs(cx, x, y, cc);
    define(cx, d.r, |_, e, (low, high)| {
        e.choose(word::<T>(), low, (x.0, y.0), c);
        e.choose(word::<T>(), high, (x.1, y.1), c);
    })
}

/// The sum or difference, with flags that give its overflow.
fn sum<T: Family>(e: &mut T::Asm<'_>, adds: bool, result: Pair, x: Pair, y: Pair) {
    e.sum(word::<T>(), Sum { adds, carries: false }, result.0, x.0, y.0);
    e.sum(word::<T>(), Sum { adds, carries: true }, result.1, x.1, y.1);
}

fn abs<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Done {
    let x = pair(cx, d.a)?;
    define(cx, d.r, |_, e, result| {
        let (w, sign) = (word::<T>(), T::TEMP);
        e.shift(Shift::Asr, w, sign, x.1, T::WORD.bits() - 1);
        e.bitwise(Opcode::Xor, w, result.0, x.0, sign);
        e.bitwise(Opcode::Xor, w, result.1, x.1, sign);
        sum::<T>(e, false, result, result, (sign, sign));
    })
}

fn overflow<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Done {
    let (x, y) = (pair(cx, d.a)?, pair(cx, d.b)?);
    let adds = matches!(d.op, Opcode::UaddOv | Opcode::SaddOv);
    // The code that takes the result does not change flags.
    define(cx, d.r, |_, e, result| sum::<T>(e, adds, result, x, y))?;
    let flag = Value(d.r.0 + 1);
    let f = cx.def(flag, 0)?;
    cx.target.encoder(cx.buf).set_if(gpr(f), overflow_condition(d.op));
    cx.set(flag, 0, f)
}

fn saturating<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Done {
    let (x, y) = (pair(cx, d.a)?, pair(cx, d.b)?);
    let adds = matches!(d.op, Opcode::UaddSat | Opcode::SaddSat);
    define(cx, d.r, |_, e, result| {
        sum::<T>(e, adds, result, x, y);
        e.limit(word::<T>(), d.op, result.0, result.1);
        e.limit(word::<T>(), d.op, result.1, result.1);
    })
}

fn count_zeros<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Done {
    let (w, leading) = (word::<T>(), d.op == Opcode::Ctlz);
    let x = pair(cx, d.a)?;
    let (first, last) = if leading { (x.1, x.0) } else { (x.0, x.1) };
    define(cx, d.r, |_, e, (g, t)| {
        e.count_zeros(w, g, last, leading);
        e.count_zeros(w, t, first, leading);
        e.increase(w, g, g, T::WORD.bits() as i32);
        e.test(T::whole(w, first));
        e.choose(w, g, (t, g), Cond::Ne);
        e.number(w, t, 0);
    })
}

fn reverse<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Done {
    let (w, bytes) = (word::<T>(), d.op == Opcode::Bswap);
    let x = pair(cx, d.a)?;
    define(cx, d.r, |target, e, (low, high)| {
        target.reverse(e, w, bytes, low, x.1);
        target.reverse(e, w, bytes, high, x.0);
    })
}

fn widen<T: Family>(cx: &mut Emitter<'_, T>, d: &Node, signed: bool) -> Done {
    let (w, from, target) = (word::<T>(), cx.ty(d.a).bits(), cx.target);
    let low = if from == T::WORD.bits() {
        cx.def_reusing(d.r, d.a, 0)?
    } else {
        let x = reg(cx, d.a)?;
        let low = cx.def(d.r, 0)?;
        target.extend(&mut target.encoder(cx.buf), w, signed, gpr(low), x, from);
        low
    };
    let high = cx.def(d.r, 1)?;
    if signed {
        target.encoder(cx.buf).shift(Shift::Asr, w, gpr(high), gpr(low), T::WORD.bits() - 1);
    } else {
        target.encoder(cx.buf).number(w, gpr(high), 0);
    }
    set_pair(cx, d.r, low, high)
}
