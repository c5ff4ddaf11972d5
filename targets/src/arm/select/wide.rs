//! Integers of 64 bits, in two registers. Parts of operands are asked for where they are used, so that few registers
//! are taken at a time. Parts in their homes are pinned before results are asked for, whose homes may be the same.

use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{Function, InstData, IntCc, Opcode, Type, Value, ValueDef};
use gusset_codegen::machine::PReg;

use super::int::population as count_bits;
use super::operand::*;
use crate::arm::encode::Asm;
use crate::arm::encode::ops::*;
use crate::arm::reg::{Cond, Flags, Gpr, IP, Operand, Shift};

const KEEP: Flags = Flags::Keep;

/// See [`Family::select_wide`].
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Done {
    use Opcode::*;
    match d.op {
        Iadd => pairwise(cx, d, ADD, ADC, Flags::Set),
        Isub => pairwise(cx, d, SUB, SBC, Flags::Set),
        And | Or | Xor => pairwise(cx, d, bits_op(d.op), bits_op(d.op), Flags::Free),
        Imul => multiply(cx, d),
        Shl | Lshr | Ashr => shift(cx, d),
        Ctpop => population(cx, d),
        _ => not_yet(cx, d),
    }
}

/// A register for a part of a result; it may be the one that holds the same part of `a`, which is not read any more.
fn result(cx: &mut Cx<'_>, r: Value, a: Value, part: u8) -> Result<PReg, CompileError> {
    if cx.ends_in_place(r, a, part, &[]) { cx.def_reusing(r, a, part) } else { cx.def(r, part) }
}

/// An operation part by part; if the first instruction sets flags, the second uses the carry.
fn pairwise(cx: &mut Cx<'_>, d: &Node, low: Data, high: Data, flags: Flags) -> Done {
    let extends = |cx: &Cx<'_>, v: Value| cx.deferred(v).filter(|&i| cx.f.inst(i).op == Opcode::Zext);
    let swaps = d.op.is_commutative()
        && (cx.f.constant(d.a).is_some() || extends(cx, d.a).is_some() && extends(cx, d.b).is_none());
    let (a, b) = if swaps { (d.b, d.a) } else { (d.a, d.b) };
    // The upper part of a deferred zero extension is zero.
    let word = extends(cx, b).filter(|_| cx.f.constant(a).is_none());
    guard(cx, &[a, b][..if word.is_some() { 1 } else { 2 }])?;
    let y = match word {
        Some(i) => {
            let from = Value(cx.f.inst(i).a);
            Some(cx.nested(|cx| extended(cx, from, false))?)
        }
        None => None,
    };
    let x = gpr(cx.use_part(a, 0)?);
    // The negated number gives the same carry, unless it is zero: then it is not used.
    let y = match y {
        Some(y) => Rhs::Op(y.into()),
        None => part_rhs(cx, low, b, 0)?,
    };
    let lo = result(cx, d.r, a, 0)?;
    arith(cx, low, flags, gpr(lo), x, y);
    done(cx, a, 0);
    if word.is_none() {
        done(cx, b, 0);
    }
    cx.pin(lo);
    let flags = if flags == Flags::Set { KEEP } else { flags };
    let zero = word.is_some() || cx.f.int_constant(b).is_some_and(|n| n >> 32 == 0);
    if zero && d.op == Opcode::And {
        let hi = cx.def(d.r, 1)?;
        asm(cx).mov_number(KEEP, gpr(hi), 0);
        return set_pair(cx, d.r, lo, hi);
    }
    let x = gpr(cx.use_part(a, 1)?);
    let y = if word.is_some() { Rhs::Op(0.into()) } else { part_rhs(cx, high, b, 1)? };
    let hi = result(cx, d.r, a, 1)?;
    match d.op {
        Opcode::Or | Opcode::Xor if zero => asm(cx).mov(gpr(hi), x),
        _ => arith(cx, high, flags, gpr(hi), x, y),
    }
    set_pair(cx, d.r, lo, hi)
}

/// Is it a number of two words with one bit at a variable position?
pub(crate) fn is_one_bit(f: &Function, d: &InstData) -> bool {
    d.op == Opcode::Shl
        && d.ty == Type::I64
        && f.int_constant(Value(d.a)) == Some(1)
        && f.constant(Value(d.b)).is_none()
}

/// Sets the flags by whether two numbers have a bit in common; their `and` was deferred to a comparison.
fn test_both(cx: &mut Cx<'_>, d: &Node) -> Done {
    let (a, b) = if cx.f.constant(d.a).is_some() { (d.b, d.a) } else { (d.a, d.b) };
    for (a, b) in [(a, b), (b, a)] {
        if let Some(i) = cx.deferred(b).filter(|&i| is_one_bit(cx.f, cx.f.inst(i))) {
            let by = Value(cx.f.inst(i).b);
            return test_bit(cx, a, by);
        }
    }
    if let Some(n) = cx.f.int_constant(b) {
        let words = [n as u32, (n >> 32) as u32];
        if let Some(part) = words.iter().position(|&n| n == 0) {
            let part = 1 - part as u8;
            let x = gpr(cx.use_part(a, part)?);
            let mut e = asm(cx);
            let y = e.operand(words[part as usize]);
            e.compare(TST, x, y);
            return Ok(());
        }
    }
    let (t, x) = (temp(cx)?, pair(cx, a)?);
    let y = part_rhs(cx, AND, b, 0)?;
    arith(cx, AND, KEEP, t, x.0, y);
    done(cx, b, 0);
    let y = part_rhs(cx, AND, b, 1)?;
    arith(cx, AND, KEEP, IP, x.1, y);
    asm(cx).data(ORR, Flags::Set, IP, IP, t);
    Ok(())
}

/// Sets the flags by whether the bit with a variable number is zero.
fn test_bit(cx: &mut Cx<'_>, a: Value, by: Value) -> Done {
    let n = gpr(cx.nested(|cx| cx.use_part(by, 0))?);
    let (x, t) = (pair(cx, a)?, temp(cx)?);
    let mut e = asm(cx);
    // The lower half of the result of a right shift.
    e.data(RSB, KEEP, IP, n, 32);
    e.shift_rr(Shift::Lsl, KEEP, t, x.1, IP);
    e.data(SUB, KEEP, IP, n, 32);
    for (x, n) in [(x.1, IP), (x.0, n)] {
        if e.is_t32() {
            e.shift_rr(Shift::Lsr, KEEP, IP, x, n);
            e.data(ORR, KEEP, t, t, IP);
        } else {
            e.data(ORR, KEEP, t, t, Operand::By(x, Shift::Lsr, n));
        }
    }
    e.compare(TST, t, 1);
    Ok(())
}

/// What is known about an operand's upper part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum High {
    Zero,
    Sign,
    Any,
}

fn high_part(cx: &Cx<'_>, v: Value) -> High {
    if let Some(n) = cx.f.int_constant_signed(v) {
        return match n {
            0..=0xffff_ffff => High::Zero,
            -0x8000_0000..0 => High::Sign,
            _ => High::Any,
        };
    }
    match cx.f.value_def(v) {
        ValueDef::Inst(i) if cx.f.inst(i).op == Opcode::Zext => High::Zero,
        ValueDef::Inst(i) if cx.f.inst(i).op == Opcode::Sext => High::Sign,
        _ => High::Any,
    }
}

/// The low part of a factor; for a deferred extension, the extended value.
fn factor(cx: &mut Cx<'_>, v: Value) -> Result<Gpr, CompileError> {
    if let Some(i) = cx.deferred(v) {
        let d = Node::of(cx.f, i);
        return cx.nested(|cx| extended(cx, d.a, d.op == Opcode::Sext));
    }
    Ok(gpr(cx.use_part(v, 0)?))
}

fn multiply(cx: &mut Cx<'_>, d: &Node) -> Done {
    let (a, b) = (d.a, d.b);
    let (ha, hb) = (high_part(cx, a), high_part(cx, b));
    for v in [a, b] {
        if cx.deferred(v).is_none() {
            guard(cx, &[v])?;
        }
    }
    let signed = ha == High::Sign && hb == High::Sign;
    let (x, y) = (factor(cx, a)?, factor(cx, b)?);
    let dst = define_pair(cx, d.r)?;
    let (lo, hi) = (gpr(dst.0), gpr(dst.1));
    asm(cx).registers(if signed { SMULL } else { UMULL }, [lo, hi, x, y]);
    // The cross products only affect the high part.
    for (v, high, other) in [(a, ha, y), (b, hb, x)] {
        if high == High::Zero || signed {
            continue;
        }
        if high == High::Sign && cx.deferred(v).is_some() {
            let z = factor(cx, v)?;
            let mut e = asm(cx);
            e.unary(MOV, KEEP, IP, Operand::Shifted(z, Shift::Asr, 31));
            e.registers(MLA, [hi, IP, other, hi]);
            continue;
        }
        let z = gpr(cx.use_part(v, 1)?);
        asm(cx).registers(MLA, [hi, other, z, hi]);
        done(cx, v, 1);
    }
    set_pair(cx, d.r, dst.0, dst.1)
}

/// A shift by a variable number.
fn shift(cx: &mut Cx<'_>, d: &Node) -> Done {
    let left = d.op == Opcode::Shl;
    let n = gpr(cx.use_part(d.b, 0)?);
    let x = pair(cx, d.a)?;
    let dst = define_pair(cx, d.r)?;
    // The half that bits are shifted out of, and the half that they are shifted into.
    let (from, to) = if left { (x.0, x.1) } else { (x.1, x.0) };
    let (near, far) = if left { (gpr(dst.0), gpr(dst.1)) } else { (gpr(dst.1), gpr(dst.0)) };
    let arithmetic = d.op == Opcode::Ashr;
    let (away, back) = match (left, arithmetic) {
        (true, _) => (Shift::Lsl, Shift::Lsr),
        (false, true) => (Shift::Asr, Shift::Lsl),
        _ => (Shift::Lsr, Shift::Lsl),
    };
    let toward = if left { Shift::Lsl } else { Shift::Lsr };
    let mut e = asm(cx);
    // Amounts of 32 and more shift all bits out, and so do negative amounts, of which eight bits count.
    e.shift_rr(toward, KEEP, far, to, n);
    e.data(RSB, KEEP, IP, n, 32);
    or_shifted(&mut e, far, from, back, near);
    e.data(SUB, if arithmetic { Flags::Set } else { KEEP }, IP, n, 32);
    if arithmetic {
        // The sign would not be shifted out.
        e.conditional(Cond::Pl, |e| e.shift_rr(away, KEEP, far, from, IP));
    } else {
        or_shifted(&mut e, far, from, away, near);
    }
    e.shift_rr(away, KEEP, near, from, n);
    set_pair(cx, d.r, dst.0, dst.1)
}

/// Combines a register by "or" with another one shifted by the temporary; in T32 through another register.
fn or_shifted(e: &mut Asm<'_>, d: Gpr, x: Gpr, shift: Shift, via: Gpr) {
    if e.is_t32() {
        e.shift_rr(shift, KEEP, via, x, IP);
        e.data(ORR, KEEP, d, d, via);
    } else {
        e.data(ORR, KEEP, d, d, Operand::By(x, shift, IP));
    }
}

/// Compares, and gives the condition.
pub(crate) fn compare(cx: &mut Cx<'_>, (a, b): (Value, Value), cc: IntCc) -> Result<Cond, CompileError> {
    let (mut a, mut b, mut cc) = (a, b, cc);
    let mut number = cx.f.int_constant_signed(b);
    // For these, the sign or all bits together suffice.
    match (cc, number) {
        (IntCc::Slt | IntCc::Sge, Some(0)) | (IntCc::Sle | IntCc::Sgt, Some(-1)) => {
            let x = gpr(cx.use_part(a, 1)?);
            asm(cx).compare(CMP, x, 0);
            return Ok(if matches!(cc, IntCc::Slt | IntCc::Sle) { Cond::Mi } else { Cond::Pl });
        }
        (IntCc::Eq | IntCc::Ne, Some(0)) => {
            match cx.deferred(a) {
                Some(i) if cx.f.inst(i).op == Opcode::And => {
                    let d = Node::of(cx.f, i);
                    cx.nested(|cx| test_both(cx, &d))?;
                }
                _ => {
                    let x = pair(cx, a)?;
                    asm(cx).data(ORR, Flags::Set, IP, x.0, x.1);
                }
            }
            return Ok(Cond::of(cc));
        }
        _ => number = number.filter(|&n| n != if cc.is_signed() { i64::MAX } else { -1 }),
    }
    // The flags of a difference give less, and greater or equal, which may be used with the number plus one.
    if matches!(cc, IntCc::Ugt | IntCc::Ule | IntCc::Sgt | IntCc::Sle) {
        cc = cc.swapped();
        match &mut number {
            Some(n) => (*n, cc) = (n.wrapping_add(1), cc.inverse()),
            None => (a, b) = (b, a),
        }
    }
    guard(cx, &[a, b][..if number.is_some() { 1 } else { 2 }])?;
    let equality = matches!(cc, IntCc::Eq | IntCc::Ne);
    for part in 0..2 {
        let x = gpr(cx.use_part(a, part)?);
        let op = if part == 0 || equality { SUB } else { SBC };
        let y = match number {
            Some(n) => number_rhs(cx, op, (n >> (32 * part)) as u32),
            None => Rhs::Op(gpr(cx.use_part(b, part)?).into()),
        };
        if part == 0 {
            super::operand::compare(cx, x, y);
            done(cx, a, 0);
            if number.is_none() {
                done(cx, b, 0);
            }
        } else {
            compare_upper(cx, x, y, equality);
        }
    }
    Ok(Cond::of(cc))
}

/// A number as an operand; through a temporary if it must be.
fn number_rhs(cx: &mut Cx<'_>, op: Data, n: u32) -> Rhs {
    number(cx, op, n).unwrap_or_else(|| Rhs::Op(asm(cx).operand(n)))
}

/// Compares the upper parts, after a comparison of the lower ones.
fn compare_upper(cx: &mut Cx<'_>, x: Gpr, y: Rhs, equality: bool) {
    if !equality {
        return arith(cx, SBC, Flags::Set, IP, x, y);
    }
    let mut e = asm(cx);
    e.conditional(Cond::Eq, |e| match y {
        Rhs::Op(y) => e.compare(CMP, x, y),
        Rhs::Negative(y) | Rhs::Inverted(y) => e.compare(CMN, x, y),
    });
}

fn population(cx: &mut Cx<'_>, d: &Node) -> Done {
    let x = pair(cx, d.a)?;
    let dst = define_pair(cx, d.r)?;
    let (low, high) = (gpr(dst.0), gpr(dst.1));
    let mut e = asm(cx);
    count_bits(&mut e, low, x.0);
    count_bits(&mut e, high, x.1);
    e.data(ADD, KEEP, low, low, high);
    e.mov_number(KEEP, high, 0);
    set_pair(cx, d.r, dst.0, dst.1)
}
