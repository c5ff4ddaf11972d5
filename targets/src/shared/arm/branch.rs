//! Comparisons and what uses them: branches, truth values, selections, switches.

use gusset_codegen::alloc::{Emitter, Where};
use gusset_codegen::buffer::{CodeBuffer, Label};
use gusset_codegen::error::{CompileError, Result};
use gusset_codegen::ir::{ConstData, FloatCc, IntCc, Opcode, Type, Value};
use gusset_codegen::machine::{PReg, PartKind};

use super::family::{Compared, Encoder, Family, Test};
use super::operand::{extended, has_zeros_above, masked, not_yet, reg, temp};
use super::{Cond, Gpr, Shift, gpr};
use crate::shared::Node;
use crate::shared::conditions::two_conditions;
use crate::shared::results::{define, done};
use crate::shared::switch::{Decide, cases, decide};

/// The integer comparison of a node.
fn int_condition(d: &Node) -> IntCc {
    IntCc::from_u8(d.flags).unwrap_or(IntCc::Eq)
}

/// The operands of an integer comparison; a constant comes last.
fn compared<T: Family>(cx: &Emitter<'_, T>, (a, b): (Value, Value), cc: IntCc) -> (Value, Value, IntCc) {
    if cx.f.constant(a).is_some() && cx.f.constant(b).is_none() { (b, a, cc.swapped()) } else { (a, b, cc) }
}

/// An integer comparison.
fn int_compare<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result<Test<T::Tested>> {
    let (a, b, cc) = compared(cx, (d.a, d.b), int_condition(d));
    let n = cx.f.int_constant_signed(b).map(|n| if d.ty == Type::I1 { n & 1 } else { n });
    // Is it negative?
    let negative = match (cc, n) {
        (IntCc::Eq | IntCc::Ne, Some(0)) => return zero_test(cx, a, cc == IntCc::Eq),
        (IntCc::Slt, Some(0)) | (IntCc::Sle, Some(-1)) => Some(true),
        (IntCc::Sge, Some(0)) | (IntCc::Sgt, Some(-1)) => Some(false),
        _ => None,
    };
    if let (Some(negative), Some(bit)) = (negative, T::BIT) {
        return Ok(Test::Zero(bit(reg(cx, a)?, d.ty.bits() - 1), !negative));
    }
    if let (Some(negative), Type::I8 | Type::I16) = (negative, d.ty) {
        let (x, sign) = (reg(cx, a)?, 1 << (d.ty.bits() - 1));
        if let Some(test) = cx.target.encoder(cx.buf).test_number(T::width(d.ty), x, sign, !negative) {
            return Ok(test);
        }
    }
    T::compare_ints(cx, (a, b), cc.is_signed(), n)?;
    Ok(Test::Flags(Cond::of(cc)))
}

/// A test of a value for zero, or for not zero.
fn zero_test<T: Family>(cx: &mut Emitter<'_, T>, v: Value, zero: bool) -> Result<Test<T::Tested>> {
    if cx.current.flags_of == Some((v, cx.buf.offset())) {
        return Ok(Test::equal(zero));
    }
    let (w, bits) = (T::width(cx.ty(v)), cx.ty(v).bits());
    if let Some(i) = cx.deferred(v)
        && cx.f.inst(i).op == Opcode::And
    {
        let d = Node::of(cx.f, i);
        return cx.nested(|cx| {
            let (a, b) = if cx.f.constant(d.a).is_some() { (d.b, d.a) } else { (d.a, d.b) };
            let x = masked(cx, a)?;
            let mask = if bits < 64 { (1u64 << bits) - 1 } else { !0 };
            if let Some(n) = cx.f.int_constant(b)
                && let Some(test) = cx.target.encoder(cx.buf).test_number(w, x, n as u64 & mask, zero)
            {
                return Ok(test);
            }
            let y = reg(cx, b)?;
            let mut e = cx.target.encoder(cx.buf);
            if bits < 32 {
                e.bitwise(Opcode::And, w, T::TEMP, x, y);
                e.test_low(T::TEMP, bits);
            } else {
                e.test_both(w, x, y);
            }
            Ok(Test::equal(zero))
        });
    }
    if let Some(i) = cx.deferred(v)
        && cx.f.inst(i).op == Opcode::Or
    {
        let d = Node::of(cx.f, i);
        cx.nested(|cx| T::test_either(cx, &d))?;
        return Ok(Test::equal(zero));
    }
    let x = reg(cx, v)?;
    Ok(match bits {
        1 => Test::Zero(T::truth(x), zero),
        2..32 if !has_zeros_above(cx.f, v, cx.is_optimized()) => {
            cx.target.encoder(cx.buf).test_low(x, bits);
            Test::equal(zero)
        }
        _ => Test::Zero(T::whole(w, x), zero),
    })
}

/// How the flags of a floating-point comparison give the answer.
fn float_test<R>(cc: FloatCc) -> Test<R> {
    use FloatCc::*;
    let c = match cc {
        False => return Test::Known(false),
        True => return Test::Known(true),
        One => return Test::Either(Cond::Mi, Cond::Gt),
        Ueq => return Test::Neither(Cond::Mi, Cond::Gt),
        Oeq => Cond::Eq,
        Ogt => Cond::Gt,
        Oge => Cond::Ge,
        Olt => Cond::Mi,
        Ole => Cond::Ls,
        Ord => Cond::Vc,
        Uno => Cond::Vs,
        Ugt => Cond::Hi,
        Uge => Cond::Pl,
        Ult => Cond::Lt,
        Ule => Cond::Le,
        Une => Cond::Ne,
    };
    Test::Flags(c)
}

/// A floating-point comparison.
fn float_compare<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result<Test<T::Tested>> {
    let test = float_test(FloatCc::from_u8(d.flags).unwrap_or(FloatCc::False));
    if !matches!(test, Test::Known(_)) {
        T::compare_floats(cx, d)?;
    }
    Ok(test)
}

/// Compares words above others.
fn compare_upper<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result<Cond> {
    let cc = int_condition(d);
    match cx.deferred(d.c).map(|i| Node::of(cx.f, i)) {
        Some(low) => cx.nested(|cx| {
            T::compare_ints(cx, (low.a, low.b), false, None)?;
            [low.a, low.b].into_iter().for_each(|v| done(cx, v, 0));
            Ok::<_, CompileError>(())
        })?,
        None => {
            let x = reg(cx, d.c)?;
            let mut e = cx.target.encoder(cx.buf);
            match cc {
                IntCc::Ne => e.compare_number(T::width(Type::I32), x, 0),
                IntCc::Ult | IntCc::Slt => e.set_borrow(x),
                // Set where it holds.
                _ => e.compare_number(T::width(Type::I32), x, 1),
            }
        }
    }
    cx.current.flags_live = true;
    T::compare_after(cx, d.a, d.b, !matches!(cc, IntCc::Eq | IntCc::Ne))?;
    Ok(Cond::of(cc))
}

fn compare<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result<Test<T::Tested>> {
    match d.op {
        Opcode::Icmp => int_compare(cx, d),
        Opcode::IcmpUpper => compare_upper(cx, d).map(Test::Flags),
        _ => float_compare(cx, d),
    }
}

/// The least number of registers that its operands need.
fn wanted<T: Family>(cx: &Emitter<'_, T>, v: Value) -> u32 {
    let number = |v: Value| cx.f.int_constant_signed(v).is_some_and(|n| (-31..=31).contains(&n));
    cx.deferred(v).map_or(0, |i| {
        let d = Node::of(cx.f, i);
        2 - u32::from(number(d.a) || number(d.b))
    })
}

/// Asks for the operands of one of two comparisons.
fn operands<T: Family>(cx: &mut Emitter<'_, T>, v: Value) -> Result<Compared<T::Width>> {
    let d = match cx.deferred(v) {
        Some(i) => Node::of(cx.f, i),
        None => return Err(CompileError::new(cx.f, "a comparison that was not left to its condition")),
    };
    cx.nested(|cx| {
        let (a, b, cc) = compared(cx, (d.a, d.b), int_condition(&d));
        let signed = cc.is_signed();
        let x = extended(cx, a, signed)?;
        // Truth values and unsigned numbers have no sign.
        let mask = if signed || d.ty.bits() >= 32 { -1 } else { (1 << d.ty.bits()) - 1 };
        let y = match cx.f.int_constant_signed(b).map(|n| n & mask) {
            Some(n @ -31..=31) => Err(n),
            _ => Ok(extended(cx, b, signed)?),
        };
        Ok(Compared { w: T::width(d.ty), x, y, c: Cond::of(cc) })
    })
}

/// Two comparisons that both must hold, or one of which must hold.
fn two_compared<T: Family>(
    cx: &mut Emitter<'_, T>,
    (first, second, both): (Value, Value, bool),
) -> Result<Test<T::Tested>> {
    let (p, q) = (operands(cx, first)?, operands(cx, second)?);
    let mut e = cx.target.encoder(cx.buf);
    match p.y {
        Ok(y) => e.compare_registers(p.w, p.x, y),
        Err(n) => e.compare_number(p.w, p.x, n),
    }
    Ok(e.compare_second(p.c, q, both))
}

/// Emits what the truth value `v` depends on, and returns the test.
pub(crate) fn condition<T: Family>(cx: &mut Emitter<'_, T>, v: Value) -> Result<Test<T::Tested>> {
    if let Some(i) = cx.deferred(v) {
        let d = Node::of(cx.f, i);
        if matches!(d.op, Opcode::Icmp | Opcode::Fcmp | Opcode::IcmpUpper) {
            return cx.nested(|cx| compare(cx, &d));
        }
        if let Some(two) = two_conditions(cx.f, cx.f.inst(i))
            && cx.deferred(two.0).is_some()
            && cx.deferred(two.1).is_some()
            && cx.has_room(wanted(cx, two.0) + wanted(cx, two.1), 0)
        {
            return cx.nested(|cx| two_compared(cx, two));
        }
    }
    match cx.whereabouts(v, 0) {
        Where::Const(ConstData::Int(n)) => Ok(Test::Known(n & 1 != 0)),
        Where::Const(_) => Ok(Test::Known(false)),
        _ => Ok(Test::Zero(T::truth(reg(cx, v)?), false)),
    }
}

/// A comparison as a value.
pub(crate) fn compare_value<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    let test = compare(cx, d)?;
    if let Test::Zero(x, zero) = test
        && T::define_tested(cx, d.r, x, zero)?
    {
        return Ok(());
    }
    let test = test.in_flags(&mut cx.target.encoder(cx.buf));
    define(cx, d.r, |cx, dst| {
        let g = gpr(dst);
        let mut e = cx.target.encoder(cx.buf);
        match test {
            Test::Flags(c) => e.set_if(g, c),
            Test::Either(p, q) => {
                e.set_if(g, p);
                e.bit_if(g, q, true);
            }
            Test::Neither(p, q) => {
                e.set_if(g, p.negate());
                e.bit_if(g, q, false);
            }
            Test::Known(k) => e.number(T::width(Type::I1), g, k.into()),
            Test::Zero(..) => {}
        }
    })
}

/// Jumps if the test holds.
fn jump_if<T: Family>(e: &mut impl Encoder<T>, test: Test<T::Tested>, to: Label) {
    match test {
        Test::Flags(c) => e.jump_if(c, to),
        Test::Either(p, q) => {
            e.jump_if(p, to);
            e.jump_if(q, to);
        }
        Test::Neither(p, q) => {
            let no = e.buf().new_label();
            e.jump_if(p, no);
            e.jump_if(q.negate(), to);
            e.buf().bind(no);
        }
        Test::Zero(x, zero) => e.jump_tested(x, zero, to),
        Test::Known(true) => e.jump(to),
        Test::Known(false) => {}
    }
}

/// A two-way branch.
pub(crate) fn branch<T: Family>(
    cx: &mut Emitter<'_, T>,
    d: &Node,
    then: Option<Label>,
    other: Option<Label>,
) -> Result {
    let test = condition(cx, d.a)?;
    let mut e = cx.target.encoder(cx.buf);
    match (then, other) {
        (Some(t), None) => jump_if(&mut e, test, t),
        (None, Some(o)) => jump_if(&mut e, test.negate(), o),
        (Some(t), Some(o)) => {
            jump_if(&mut e, test, t);
            e.jump(o);
        }
        (None, None) => {}
    }
    Ok(())
}

/// `x` if the test holds, else `y`, by selections under one condition. If there are two, the operands are not in `g`.
fn choose<V: Copy, R>(test: Test<R>, g: V, (x, y): (V, V), mut choice: impl FnMut((V, V), Cond)) {
    match test {
        Test::Flags(c) => choice((x, y), c),
        Test::Either(p, q) => {
            choice((x, y), p);
            choice((x, g), q);
        }
        Test::Neither(p, q) => {
            choice((y, x), p);
            choice((y, g), q);
        }
        Test::Known(k) => {
            let known = if k { x } else { y };
            choice((known, known), Cond::Eq);
        }
        Test::Zero(..) => {}
    }
}

/// Selection between two values.
pub(crate) fn select<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    let (c, a, b) = (d.a, d.b, d.c);
    let (kind, parts) = cx.target_parts(d.ty);
    if kind == PartKind::V128 {
        return select_by_jump(cx, d.r, kind, (c, a, b));
    }
    if kind.is_memory() {
        return not_yet(cx, d);
    }
    if kind.is_float() {
        let two = (cx.use_reg(a)?, cx.use_reg(b)?);
        let test = condition(cx, c)?.in_flags(&mut cx.target.encoder(cx.buf));
        let t = cx.temp(true, None)?;
        choose(test, t, two, |two, c| T::choose_float(cx, kind, t, two, c));
        return cx.set(d.r, 0, t);
    }
    if let Some(done) = T::change_if(cx, d) {
        return done;
    }
    let w = if parts > 1 { T::width(T::WORD) } else { T::width(d.ty) };
    let mut from = [(Gpr(0), Gpr(0)); 2];
    for part in 0..parts {
        from[part as usize] = (T::chosen_part(cx, a, part)?, T::chosen_part(cx, b, part)?);
    }
    let test = cx.in_flags([a, b], |cx| Ok(condition(cx, c)?.in_flags(&mut cx.target.encoder(cx.buf))))?;
    let mut to = [PReg::default(); 2];
    for (part, to) in (0..parts).zip(&mut to) {
        *to = chosen(cx, d, part, matches!(test, Test::Flags(_)))?;
    }
    let mut e = cx.target.encoder(cx.buf);
    match test {
        Test::Flags(c) if parts == 2 => e.choose_both(w, [0, 1].map(|k| (gpr(to[k]), from[k])), c),
        _ => {
            let both = to.map(gpr).into_iter().zip(from);
            both.take(parts.into()).for_each(|(g, from)| choose(test, g, from, |two, c| e.choose(w, g, two, c)));
        }
    }
    drop(e);
    (0..parts).try_for_each(|part| cx.set(d.r, part, to[part as usize]))
}

/// A register for a part of a selection's result. If the instruction changes the second operand, it is the register of
/// an operand that ends here, provided that `free` says that no other selection follows.
fn chosen<T: Family>(cx: &mut Emitter<'_, T>, d: &Node, part: u8, free: bool) -> Result<PReg> {
    if free && T::CHOOSES_IN_PLACE {
        for (v, other) in [(d.c, d.b), (d.b, d.c)] {
            if cx.ends_in_place(d.r, v, part, &[other]) {
                return cx.def_reusing(d.r, v, part);
            }
        }
    }
    cx.def(d.r, part)
}

/// A selection by a jump over a copy. Both operands are in registers, so that nothing is stored on only one path.
fn select_by_jump<T: Family>(
    cx: &mut Emitter<'_, T>,
    r: Value,
    kind: PartKind,
    (c, a, b): (Value, Value, Value),
) -> Result {
    let x = cx.use_reg(a)?;
    let t = cx.temp(true, None)?;
    cx.copy_into(t, b, 0)?;
    let test = condition(cx, c)?;
    let skip = cx.buf.new_label();
    jump_if(&mut cx.target.encoder(cx.buf), test.negate(), skip);
    cx.target_move(kind, t, x);
    cx.buf.bind(skip);
    cx.set(r, 0, t)
}

/// A multi-way branch.
pub(crate) fn switch<T: Family>(cx: &mut Emitter<'_, T>, d: &Node, labels: &[Label]) -> Result {
    let ty = cx.ty(d.a);
    let cases = cases(cx.f, d, labels)?;
    let x = extended(cx, d.a, ty.bits() > 1)?;
    let (t, tables) = (temp(cx)?, !cx.f.attrs.no_jump_tables);
    let mut search = Search { w: T::width(ty), x, t, cx };
    decide(&mut search, &cases, labels[labels.len() - 1], tables);
    Ok(())
}

/// The search for a value, in `x`, with a register to compute in.
struct Search<'c, 'a, T: Family> {
    cx: &'c mut Emitter<'a, T>,
    w: T::Width,
    x: Gpr,
    t: Gpr,
}

impl<T: Family> Search<'_, '_, T> {
    fn asm(&mut self) -> T::Asm<'_> {
        self.cx.target.encoder(self.cx.buf)
    }

    fn jump_after_comparison(&mut self, n: i64, c: Cond, to: Label) {
        let (w, x, mut e) = (self.w, self.x, self.asm());
        e.compare_number(w, x, n);
        e.jump_if(c, to);
    }
}

impl<T: Family> Decide for Search<'_, '_, T> {
    fn bits(&self) -> u32 {
        T::WORD.bits()
    }

    fn find_distance(&mut self, low: i32, span: u32, default: Label) {
        let (w, x, t, mut e) = (self.w, self.x, self.t, self.asm());
        e.increase(w, t, x, -low);
        e.compare_number(w, t, i64::from(span) - 1);
        e.jump_if(Cond::Hi, default);
    }

    fn jump_by_bit(&mut self, bits: u64, _: u32, to: Label) {
        let (w, t, mut e) = (T::width(T::WORD), self.t, self.asm());
        e.number(w, T::TEMP, bits as i64);
        e.shift_by(Shift::Lsr, w, T::TEMP, T::TEMP, t);
        if let Some(test) = e.test_number(w, T::TEMP, 1, false) {
            jump_if(&mut e, test, to);
        }
    }

    fn buf(&mut self) -> &mut CodeBuffer {
        self.cx.buf
    }

    fn jump(&mut self, to: Label) {
        self.asm().jump(to);
    }

    fn jump_if_equal(&mut self, n: i64, to: Label) {
        let (w, x) = (self.w, self.x);
        match n {
            0 => self.asm().jump_tested(T::whole(w, x), true, to),
            _ => self.jump_after_comparison(n, Cond::Eq, to),
        }
    }

    fn jump_unless_less(&mut self, n: i64, to: Label) {
        self.jump_after_comparison(n, Cond::Ge, to);
    }

    fn jump_by_table(&mut self, low: i64, labels: &[Label], default: Label) {
        T::jump_by_table(self.cx, (self.w, self.x, self.t), low, labels, default);
    }
}
