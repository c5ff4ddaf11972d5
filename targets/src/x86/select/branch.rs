//! Comparisons and what uses them: branches, truth values, selections, switches.

use gusset_abi::features::Hardening;
use gusset_codegen::alloc::Where;
use gusset_codegen::buffer::{CodeBuffer, Label};
use gusset_codegen::error::Result;
use gusset_codegen::ir::{ConstData, FloatCc, IntCc, Opcode, Type, Value};
use gusset_codegen::machine::PReg;

use super::flags::*;
use super::fold::{is_comparison, one_bit};
use super::int::{extend_into, is_extended};
use super::operand::*;
use crate::shared::conditions::two_conditions;
use crate::shared::switch::{Decide, cases, decide};
use crate::x86::encode::ops::*;
use crate::x86::harden;
use crate::x86::machine::{gpr, xmm};
use crate::x86::reg::{Cond, Gpr, Mem, Size, Xmm};
use crate::x86::registers::RSI;

/// An instruction that sets the flags, with its operands.
#[derive(Clone, Copy, Debug)]
enum Test {
    /// The flags are set already.
    Done,
    Cmp(Size, Gpr, Src),
    CmpMem(Size, Mem, i32),
    Bits(Size, Gpr, i32),
    BitsMem(Size, Mem, i32),
    Regs(Size, Gpr, Gpr),
    /// The carry flag becomes a bit.
    Bit(Size, Gpr, Number),
    Float(SseOp, Xmm, Rm<Xmm>),
}

/// The number of a bit.
#[derive(Clone, Copy, Debug)]
enum Number {
    Known(u8),
    In(Gpr),
}

impl Test {
    fn emit(self, cx: &mut Cx<'_>) {
        match self {
            Test::Done => {}
            Test::Cmp(size, x, s) => asm(cx).alu(AluOp::Cmp, size, x, s),
            Test::CmpMem(size, m, n) => asm(cx).alu_m(AluOp::Cmp, size, m, n),
            Test::Bits(size, x, n) => test_bits(cx, size, x, n),
            Test::BitsMem(size, m, n) => asm(cx).test_mi(size, m, n),
            Test::Regs(size, x, y) => asm(cx).test_rr(size, x, y),
            Test::Bit(size, x, Number::Known(n)) => asm(cx).bt_ri(size, x, n),
            Test::Bit(size, x, Number::In(n)) => asm(cx).bt_rr(size, x, n),
            Test::Float(op, x, s) => asm(cx).sse(op, x, s),
        }
    }
}

/// Emits an integer comparison.
pub(crate) fn compare(cx: &mut Cx<'_>, d: &Node) -> Result<Answer> {
    if d.op == Opcode::IcmpUpper {
        return super::wide_compare::compare_upper(cx, d);
    }
    let (test, answer) = comparison(cx, d)?;
    test.emit(cx);
    Ok(answer)
}

/// Asks for the operands of an integer comparison.
fn comparison(cx: &mut Cx<'_>, d: &Node) -> Result<(Test, Answer)> {
    let mut cc = IntCc::from_u8(d.flags).unwrap_or(IntCc::Eq);
    let (mut a, mut b) = (d.a, d.b);
    if cx.f.constant(a).is_some() && cx.f.constant(b).is_none() {
        (a, b) = (b, a);
        cc = cc.swapped();
    }
    // What is left to the comparison is read from memory, unless the other operand is there, too.
    if cx.is_optimized() && cx.deferred(a).is_some() && cx.deferred(b).is_none() && in_reg(cx, b).is_some() {
        (a, b) = (b, a);
        cc = cc.swapped();
    }
    let size = exact_size(d.ty);
    let answer = Answer::One(int_cond(cc));
    if is_answered(cx, cc, a, b) {
        return Ok((Test::Done, answer));
    }
    if cx.f.int_constant(b) == Some(0)
        && let Some(i) = cx.deferred(a)
    {
        let t = Node::of(cx.f, i);
        if t.op == Opcode::And {
            let test = cx.nested(|cx| bits(cx, &t, size))?;
            let carry = if cc == IntCc::Eq { Cond::AE } else { Cond::B };
            // The bit becomes the carry flag.
            return Ok((test, if matches!(test, Test::Bit(..)) { Answer::One(carry) } else { answer }));
        }
    }
    if size == Size::B1 && cx.f.constant(b).is_none() && extra_scratch_without_byte_form(cx).is_some() {
        // Loaded directly into registers with byte forms: there is no second register for each.
        let mut in_byte = |v: Value| {
            let t = byte_temp(cx)?;
            cx.copy_into(t, v, 0)?;
            Ok(gpr(t))
        };
        let (x, y) = (in_byte(a)?, in_byte(b)?);
        return Ok((Test::Cmp(size, x, Src::Reg(y)), answer));
    }
    let rhs = src(cx, b, true)?;
    if let Src::Imm(n) = rhs {
        if let Some(m) = deferred_load(cx, a)? {
            return Ok((Test::CmpMem(size, m, n), answer));
        }
        let lhs = src(cx, a, true)?;
        let test = match lhs {
            Src::Mem(m) => Test::CmpMem(size, m, n),
            _ => {
                let x = match lhs {
                    Src::Reg(x) => x,
                    _ => gpr(cx.use_reg(a)?),
                };
                let x = sized_reg(cx, size, x)?;
                if n == 0 { Test::Regs(size, x, x) } else { Test::Cmp(size, x, rhs) }
            }
        };
        return Ok((test, answer));
    }
    let x = match truncated(cx, a) {
        Some(whole) => gpr(cx.nested(|cx| cx.use_reg(whole))?),
        None => gpr(cx.use_reg(a)?),
    };
    let x = sized_reg(cx, size, x)?;
    let rhs = sized_src(cx, size, rhs)?;
    Ok((Test::Cmp(size, x, rhs), answer))
}

/// The test of the bits that an `and` would leave.
fn bits(cx: &mut Cx<'_>, d: &Node, size: Size) -> Result<Test> {
    let (mut a, mut b) = (d.a, d.b);
    if cx.f.constant(a).is_some() {
        (a, b) = (b, a);
    }
    if let Some(n) = cx.f.int_constant(b).filter(|n| size == Size::B8 && n.is_power_of_two() && n >> 31 != 0) {
        let x = gpr(cx.use_reg(a)?);
        return Ok(Test::Bit(size, x, Number::Known(n.trailing_zeros() as u8)));
    }
    for (a, b) in [(a, b), (b, a)] {
        if let Some(i) = cx.deferred(b)
            && let Some((of, by)) = one_bit(cx.f, cx.f.inst(i))
        {
            let x = gpr(match of {
                Some(v) => cx.nested(|cx| cx.use_reg(v))?,
                None => cx.use_reg(a)?,
            });
            let n = gpr(cx.nested(|cx| cx.use_reg(by))?);
            return Ok(Test::Bit(size, x, Number::In(n)));
        }
    }
    Ok(match src(cx, b, false)? {
        Src::Imm(n) => match tested(cx, a)? {
            Src::Mem(m) if cx.is_optimized() => byte_test(m, n).unwrap_or(Test::BitsMem(size, m, n)),
            Src::Mem(m) => Test::BitsMem(size, m, n),
            // A mask within a byte only needs the byte.
            Src::Reg(x) => Test::Bits(if (0..128).contains(&n) { Size::B1 } else { size }, x, n),
            Src::Imm(_) => Test::Bits(size, gpr(cx.use_reg(a)?), n),
        },
        _ => {
            let (x, y) = (cx.use_reg(a)?, cx.use_reg(b)?);
            Test::Regs(size, sized_reg(cx, size, gpr(x))?, sized_reg(cx, size, gpr(y))?)
        }
    })
}

/// An operand of which a test reads some of the lowest bits: those above an extended number are not among them.
fn tested(cx: &mut Cx<'_>, v: Value) -> Result<Src> {
    let extended = cx.deferred(v).map(|i| cx.f.inst(i)).filter(|d| d.op == Opcode::Zext).map(|d| Value(d.a));
    match extended {
        Some(narrow) => cx.nested(|cx| src(cx, narrow, true)),
        None => src(cx, v, true),
    }
}

/// The test of the only byte in memory that has one of these bits.
fn byte_test(m: Mem, bits: i32) -> Option<Test> {
    let byte = (bits.trailing_zeros() / 8).min(3);
    let alone = bits.cast_unsigned() >> (8 * byte);
    (bits != 0 && alone <= 0xff).then(|| Test::BitsMem(Size::B1, byte_of(m, byte), (alone as i8).into()))
}

/// Emits a floating-point comparison.
fn float_compare(cx: &mut Cx<'_>, d: &Node) -> Result<Answer> {
    if d.ty == Type::F80 || !cx.target.has_sse() {
        return crate::x86::x87::compare(cx, d);
    }
    let (test, answer) = float_comparison(cx, d)?;
    test.emit(cx);
    Ok(answer)
}

/// Asks for the operands of a comparison by `ucomis`.
fn float_comparison(cx: &mut Cx<'_>, d: &Node) -> Result<(Test, Answer)> {
    let (swap, answer) = compare_answer(FloatCc::from_u8(d.flags).unwrap_or(FloatCc::False));
    if matches!(answer, Answer::Known(_)) {
        return Ok((Test::Done, answer));
    }
    let (mut a, mut b) = (d.a, d.b);
    if swap {
        (a, b) = (b, a);
    }
    let op = if d.ty == Type::F32 { UCOMISS } else { UCOMISD };
    let rhs = float_src(cx, b)?;
    Ok((Test::Float(op, xmm(cx.use_reg(a)?), rhs), answer))
}

/// Emits the code that sets the flags by the truth value `v`.
pub(crate) fn condition(cx: &mut Cx<'_>, v: Value) -> Result<Answer> {
    if let Some(i) = cx.deferred(v) {
        let d = Node::of(cx.f, i);
        match d.op {
            Opcode::Icmp | Opcode::IcmpUpper => return cx.nested(|cx| compare(cx, &d)),
            Opcode::Fcmp => return cx.nested(|cx| float_compare(cx, &d)),
            _ => {}
        }
    }
    match cx.whereabouts(v, 0) {
        Where::Const(ConstData::Int(n)) => return Ok(Answer::Known(n & 1 != 0)),
        Where::Const(_) => return Ok(Answer::Known(false)),
        _ => {}
    }
    match src(cx, v, true)? {
        Src::Mem(m) => asm(cx).alu_m(AluOp::Cmp, Size::B1, m, 0),
        Src::Reg(x) if cx.target.is_32() && x.0 >= 4 => test_bits(cx, Size::B1, x, 0xff),
        Src::Reg(x) => asm(cx).test_rr(Size::B1, x, x),
        Src::Imm(n) => return Ok(Answer::Known(n & 1 != 0)),
    }
    Ok(Answer::One(Cond::NE))
}

/// A comparison as a value.
pub(crate) fn compare_value(cx: &mut Cx<'_>, d: &Node) -> Result {
    let answer = if d.op == Opcode::Fcmp { float_compare(cx, d)? } else { compare(cx, d)? };
    answer_value(cx, d.r, answer)
}

/// Two comparisons that both must hold, or one of which must hold.
struct Pair {
    first: Node,
    second: Node,
    both: bool,
}

impl Pair {
    /// Are there registers for all operands?
    fn has_room(&self, cx: &mut Cx<'_>) -> bool {
        let floats = [self.first.op, self.second.op].contains(&Opcode::Fcmp);
        cx.has_room(4, if floats { 4 } else { 0 })
    }
}

/// The condition that was deferred to a branch, if it is such a pair.
fn pair(cx: &Cx<'_>, v: Value) -> Option<Pair> {
    let d = cx.f.inst(cx.deferred(v)?);
    let (x, y, both) = two_conditions(cx.f, d)?;
    let comparison = |v| {
        let i = cx.deferred(v)?;
        is_comparison(cx.target, cx.f, cx.f.inst(i)).then(|| Node::of(cx.f, i))
    };
    Some(Pair { first: comparison(x)?, second: comparison(y)?, both })
}

/// The operands of a comparison for which two jumps are needed.
fn part(cx: &mut Cx<'_>, d: &Node) -> Result<(Test, Answer)> {
    if d.op == Opcode::Icmp { comparison(cx, d) } else { float_comparison(cx, d) }
}

/// A branch by two comparisons, as two jumps. All operands are loaded before the first, so that registers are the same
/// on both paths after it.
fn branch_by_two(cx: &mut Cx<'_>, pair: &Pair, then: Option<Label>, other: Option<Label>) -> Result {
    // The flags change between the two.
    cx.current.flags_of = None;
    let (second, b) = cx.nested(|cx| part(cx, &pair.second))?;
    let (first, a) = cx.nested(|cx| part(cx, &pair.first))?;
    let fall = cx.buf.new_label();
    first.emit(cx);
    let (a, to) = if pair.both { (a.negate(), other) } else { (a, then) };
    jump_if(&mut asm(cx), a, to.unwrap_or(fall));
    second.emit(cx);
    jump(cx, b, then, other);
    cx.buf.bind(fall);
    Ok(())
}

/// A two-way branch.
pub(crate) fn branch(cx: &mut Cx<'_>, d: &Node, then: Option<Label>, other: Option<Label>) -> Result {
    if let Some(pair) = pair(cx, d.a)
        && pair.has_room(cx)
    {
        return branch_by_two(cx, &pair, then, other);
    }
    let answer = condition(cx, d.a)?;
    jump(cx, answer, then, other);
    Ok(())
}

/// Selection between two values.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Result {
    let (c, a, b) = (d.a, d.b, d.c);
    let ty = d.ty;
    if ty.is_int() && ty.bits() <= cx.target.word_bits() {
        return select_int(cx, d.r, c, a, b, op_size(ty));
    }
    if super::float::select(cx, d)? {
        return Ok(());
    }
    // By a jump over the copy. Both operands are in registers or easy to load, so nothing is stored on only one path.
    let parts = cx.units.parts(d.r);
    let mut from = [PReg(0); 2];
    for part in 0..parts {
        from[part as usize] = cx.use_part(a, part)?;
    }
    let mut to = [PReg(0); 2];
    for part in 0..parts {
        let float = from[part as usize].is_float();
        let t = cx.temp(float, None)?;
        cx.copy_into(t, b, part)?;
        to[part as usize] = t;
    }
    let answer = condition(cx, c)?;
    let skip = cx.buf.new_label();
    jump_if(&mut asm(cx), answer.negate(), skip);
    for part in 0..parts as usize {
        let kind = cx.units_kind(d.r);
        cx.target_move(kind, to[part], from[part]);
    }
    cx.buf.bind(skip);
    for part in 0..parts {
        cx.set(d.r, part, to[part as usize])?;
    }
    Ok(())
}

/// Do the flags answer a comparison already, because they say whether its first operand is zero?
fn is_answered(cx: &Cx<'_>, cc: IntCc, a: Value, b: Value) -> bool {
    matches!(cc, IntCc::Eq | IntCc::Ne)
        && cx.f.int_constant(b) == Some(0)
        && cx.current.flags_of == Some((a, cx.buf.offset()))
}

/// Do they answer the condition that is left to the current instruction?
fn is_in_flags(cx: &Cx<'_>, c: Value) -> bool {
    cx.deferred(c).is_some_and(|i| {
        let d = cx.f.inst(i);
        let cc = IntCc::from_u8(d.flags);
        d.op == Opcode::Icmp && cc.is_some_and(|cc| is_answered(cx, cc, Value(d.a), Value(d.b)))
    })
}

/// Selection between two integers in optimized code: the result is made of the operand that is in its register already, if one is.
fn select_in_place(cx: &mut Cx<'_>, r: Value, c: Value, (mut a, mut b): (Value, Value), size: Size) -> Result {
    let home = cx.units.home(r.0);
    let ends_in = |cx: &Cx<'_>, v: Value| {
        let x = in_reg(cx, v);
        x.is_some() && cx.dies(v) && (home.is_none() || x == home)
    };
    let is_made = |cx: &Cx<'_>, v: Value| cx.f.constant(v).is_some() || cx.deferred(v).is_some();
    let exchanged = !is_made(cx, a) && !is_made(cx, b) && ends_in(cx, a) && !ends_in(cx, b)
        || !is_made(cx, b) && is_made(cx, a) && !ends_in(cx, b);
    if exchanged {
        (a, b) = (b, a);
    }
    // Nothing that is made in between changes them.
    let early = match is_in_flags(cx, c) && cx.deferred(a).is_none() && cx.deferred(b).is_none() {
        true => Some(condition(cx, c)?),
        false => None,
    };
    cx.current.flags_live = early.is_some();
    let x = cx.use_reg(a)?;
    let made = if is_made(cx, b) { Some(other(cx, b)?) } else { None };
    let answer = match early {
        Some(answer) => answer,
        None => cx.in_flags([a, b], |cx| condition(cx, c))?,
    };
    cx.current.flags_live = true;
    let dst = match made {
        Some(dst) => dst,
        None => cx.def_reusing(r, b, 0)?,
    };
    select_by(cx, r, if exchanged { answer.negate() } else { answer }, (gpr(x), dst), size)
}

fn select_int(cx: &mut Cx<'_>, r: Value, c: Value, a: Value, b: Value, size: Size) -> Result {
    if cx.is_optimized() && !cx.target.is_32() {
        return select_in_place(cx, r, c, (a, b), size);
    }
    // The compared values are read before anything is overwritten; constants must not be loaded after it, since that
    // could change the flags.
    let x = match without_byte_form(cx, c) {
        Some(spare) => {
            cx.take(spare)?;
            cx.copy_into(spare, a, 0)?;
            spare
        }
        None => cx.use_reg(a)?,
    };
    let made = if cx.f.constant(b).is_some() || cx.deferred(b).is_some() { Some(other(cx, b)?) } else { None };
    let answer = condition(cx, c)?;
    cx.current.flags_live = true;
    let dst = match made {
        Some(dst) => dst,
        None => other(cx, b)?,
    };
    select_by(cx, r, answer, (gpr(x), dst), size)
}

/// Puts another register's number into `dst` if the flags give this answer.
fn select_by(cx: &mut Cx<'_>, r: Value, answer: Answer, (x, dst): (Gpr, PReg), size: Size) -> Result {
    let d = gpr(dst);
    match answer {
        Answer::One(c) => asm(cx).cmov(c, size, d, x),
        Answer::Either(p, q) => {
            asm(cx).cmov(p, size, d, x);
            asm(cx).cmov(q, size, d, x);
        }
        Answer::Both(p, q) => {
            // Start with the other value and replace it if one of the two fails.
            let t = cx.temp(false, None)?;
            asm(cx).mov(size, gpr(t), x);
            asm(cx).cmov(p.negate(), size, gpr(t), d);
            asm(cx).cmov(q.negate(), size, gpr(t), d);
            return cx.set(r, 0, t);
        }
        Answer::Known(true) => asm(cx).mov(size, d, x),
        Answer::Known(false) => {}
    }
    cx.set(r, 0, dst)
}

/// A good register for the operand of a selection, if the condition `c` compares bytes and registers have run short
/// before: in 32-bit mode these comparisons need registers with a byte form, of which there are three or four.
fn without_byte_form(cx: &Cx<'_>, c: Value) -> Option<PReg> {
    let d = cx.f.inst(cx.deferred(c)?);
    extra_scratch_without_byte_form(cx).filter(|_| d.op == Opcode::Icmp && d.ty.bits() <= 8)
}

/// In 32-bit mode, an extra scratch register without a byte form.
fn extra_scratch_without_byte_form(cx: &Cx<'_>) -> Option<PReg> {
    // Some functions have `esi` as extra scratch from the start.
    let spare = cx.extra_scratch() & 0xf0 & !RSI.mask();
    (cx.target.is_32() && spare != 0).then(|| PReg(spare.trailing_zeros() as u8))
}

/// The operand of a selection that is taken if the condition does not hold, in a register to be changed.
fn other(cx: &mut Cx<'_>, v: Value) -> Result<PReg> {
    let r = cx.temp(false, None)?;
    cx.copy_into(r, v, 0)?;
    Ok(r)
}

/// A copy of a narrow number, extended by its sign; of a truth value, by zeros.
fn signed_copy(cx: &mut Cx<'_>, v: Value, bits: u32) -> Result<PReg> {
    if let (Some(_), 8, true) = (in_reg(cx, v), bits, cx.is_optimized()) {
        let x = gpr(cx.use_reg(v)?);
        let t = cx.temp(false, None)?;
        asm(cx).extend_byte(Size::B4, gpr(t), x, true);
        return Ok(t);
    }
    let t = cx.temp(false, None)?;
    if bits > 1 {
        extend_into(cx, t, v, true)?;
    } else {
        cx.copy_into(t, v, 0)?;
        cx.extend(t, 8, false);
    }
    Ok(t)
}

/// A jump to an address, which may be left in memory.
pub(crate) fn indirect_branch(cx: &mut Cx<'_>, address: Value) -> Result {
    let to = match cx.is_optimized() && !cx.buf.hardening.has(Hardening::UNPREDICTED_JUMPS) {
        true => reg_or_mem(cx, address, true)?,
        false => Rm::Reg(gpr(cx.use_reg(address)?)),
    };
    harden::jump(cx.target, cx.buf, to);
    Ok(())
}

/// A multi-way branch.
pub(crate) fn switch(cx: &mut Cx<'_>, d: &Node, labels: &[Label]) -> Result {
    let v = d.a;
    let ty = d.ty;
    let bits = ty.bits();
    let cases = cases(cx.f, d, labels)?;
    let size = op_size(ty);
    let x = if bits < 32 && !cases.is_empty() {
        let extended = is_extended(cx, v) && cases.iter().all(|case| case.0 >= 0);
        if extended { cx.use_reg(v)? } else { signed_copy(cx, v, bits)? }
    } else {
        cx.use_reg(v)?
    };
    let (t, u) = (cx.temp(false, None)?, cx.temp(false, None)?);
    let tables = !cx.f.attrs.no_jump_tables;
    let mut search = Search { size, x: gpr(x), t: gpr(t), u: gpr(u), cx };
    decide(&mut search, &cases, labels[labels.len() - 1], tables);
    Ok(())
}

/// The search for a value, which is in `x`, with two registers to compute in.
struct Search<'c, 'a> {
    cx: &'c mut Cx<'a>,
    size: Size,
    x: Gpr,
    t: Gpr,
    u: Gpr,
}

impl Search<'_, '_> {
    fn compare(&mut self, n: i64) {
        let Search { size, x, t, .. } = *self;
        let mut a = asm(self.cx);
        match i32::try_from(n) {
            Ok(0) => a.test_rr(size, x, x),
            Ok(n) => a.alu(AluOp::Cmp, size, x, n),
            Err(_) => {
                a.mov_ri(size, t, n);
                a.alu(AluOp::Cmp, size, x, t);
            }
        }
    }

    /// The distance from a number.
    fn subtract(&mut self, n: i64) {
        let Search { size, x, t, .. } = *self;
        let mut a = asm(self.cx);
        match i32::try_from(n) {
            Ok(0) => a.mov(size, t, x),
            Ok(n) if n != i32::MIN => a.lea(size, t, Mem::at(x, -n)),
            _ => {
                a.mov_ri(size, t, n.wrapping_neg());
                a.alu(AluOp::Add, size, t, x);
            }
        }
    }
}

impl Decide for Search<'_, '_> {
    fn bits(&self) -> u32 {
        self.cx.target.word_bits()
    }

    fn buf(&mut self) -> &mut CodeBuffer {
        self.cx.buf
    }

    fn jump(&mut self, to: Label) {
        asm(self.cx).jmp(to);
    }

    fn jump_if_equal(&mut self, n: i64, to: Label) {
        self.compare(n);
        asm(self.cx).jcc(Cond::E, to);
    }

    fn jump_unless_less(&mut self, n: i64, to: Label) {
        self.compare(n);
        asm(self.cx).jcc(Cond::GE, to);
    }

    fn find_distance(&mut self, low: i32, span: u32, default: Label) {
        self.subtract(low.into());
        let Search { size, t, .. } = *self;
        let mut a = asm(self.cx);
        a.alu(AluOp::Cmp, size, t, span as i32 - 1);
        a.jcc(Cond::A, default);
    }

    fn jump_by_bit(&mut self, bits: u64, span: u32, to: Label) {
        let Search { t, u, .. } = *self;
        let size = if span <= 32 { Size::B4 } else { Size::B8 };
        let mut a = asm(self.cx);
        a.mov_ri(size, u, if span <= 32 { i64::from(bits as u32) } else { bits as i64 });
        a.bt_rr(size, u, t);
        a.jcc(Cond::B, to);
    }

    /// Jumps through a table of offsets from its own address.
    fn jump_by_table(&mut self, low: i64, labels: &[Label], default: Label) {
        self.subtract(low);
        let Search { size, t, u, .. } = *self;
        let (w, protected) = (self.cx.target.word_size(), self.cx.module.branch_protection);
        let id = self.cx.buf.jump_table(labels);
        let mut a = asm(self.cx);
        a.alu(AluOp::Cmp, size, t, labels.len() as i32 - 1);
        a.jcc(Cond::A, default);
        a.lea(w, u, Mem::jump_table(id));
        a.movsx(w, Size::B4, t, Mem::indexed(u, t, 4, 0));
        a.alu(AluOp::Add, w, t, u);
        if protected {
            // The table is not writable, and its blocks have no markers.
            a.untracked();
        }
        a.jmp_to(t);
        harden::barrier(&mut a, Hardening::JUMP_BARRIERS);
    }
}
