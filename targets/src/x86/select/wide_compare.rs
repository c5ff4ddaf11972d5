//! Comparisons of integers of two words, and switches over them.

use gusset_codegen::buffer::Label;
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{Function, InstData, IntCc, Opcode, SwitchId, Value, ValueDef};

use super::constant::pool;
use super::flags::Answer;
use super::operand::*;
use super::pair::{done, read, read_rm};
use crate::shared::constants::scalar_bits;
use crate::x86::encode::ops::*;
use crate::x86::machine::{X86, gpr};
use crate::x86::reg::{Cond, Size};
use crate::x86::registers::RAX;

/// Emits a comparison of integers of two words.
pub(crate) fn compare(cx: &mut Cx<'_>, d: &Node) -> Result<Answer, CompileError> {
    compare_values(cx, IntCc::from_u8(d.flags).unwrap_or(IntCc::Eq), d.a, d.b)
}

pub(crate) fn compare_values(
    cx: &mut Cx<'_>,
    mut cc: IntCc,
    mut a: Value,
    mut b: Value,
) -> Result<Answer, CompileError> {
    let w = cx.target.word_size();
    use IntCc::*;
    if matches!(cc, Eq | Ne) {
        if cx.f.constant(a).is_some() {
            (a, b) = (b, a);
        }
        let zero = scalar_bits(cx.f, b) == Some(0);
        if zero && let Some(i) = cx.deferred(a).filter(|&i| cx.f.inst(i).op == Opcode::And) {
            let d = Node::of(cx.f, i);
            let set = cx.nested(|cx| test_both(cx, &d))?;
            return Ok(Answer::One(if cc == Eq { set.negate() } else { set }));
        }
        let t = cx.temp(false, None)?;
        cx.copy_into(t, a, 0)?;
        if zero {
            let s = read(cx, a, 1)?;
            asm(cx).alu(AluOp::Or, w, gpr(t), s);
        } else {
            let s = read(cx, b, 0)?;
            asm(cx).alu(AluOp::Xor, w, gpr(t), s);
            done(cx, b, 0);
            let u = cx.temp(false, None)?;
            cx.copy_into(u, a, 1)?;
            let s = read(cx, b, 1)?;
            asm(cx).alu(AluOp::Xor, w, gpr(u), s);
            asm(cx).alu(AluOp::Or, w, gpr(t), gpr(u));
        }
        return Ok(Answer::One(if cc == Eq { Cond::E } else { Cond::NE }));
    }
    // The subtraction's flags distinguish less from not less.
    if matches!(cc, Ugt | Ule | Sgt | Sle) {
        (a, b) = (b, a);
        cc = cc.swapped();
    }
    if matches!(cc, Slt | Sge) && scalar_bits(cx.f, b) == Some(0) {
        let x = cx.use_part(a, 1)?;
        asm(cx).test_rr(w, gpr(x), gpr(x));
        return Ok(Answer::One(if cc == Slt { Cond::S } else { Cond::NS }));
    }
    let x = cx.use_part(a, 0)?;
    let s = read(cx, b, 0)?;
    asm(cx).alu(AluOp::Cmp, w, gpr(x), s);
    done(cx, a, 0);
    done(cx, b, 0);
    cx.current.flags_live = true;
    let t = cx.temp(false, None)?;
    cx.copy_into(t, a, 1)?;
    let s = read(cx, b, 1)?;
    asm(cx).alu(AluOp::Sbb, w, gpr(t), s);
    Ok(Answer::One(match cc {
        Ult => Cond::B,
        Uge => Cond::AE,
        Slt => Cond::L,
        _ => Cond::GE,
    }))
}

/// Sets the flags by the bits that two numbers have in common; their `and` was deferred to a comparison with zero.
/// Returns the condition that holds if there are any.
fn test_both(cx: &mut Cx<'_>, d: &Node) -> Result<Cond, CompileError> {
    let w = cx.target.word_size();
    let (a, b) = if cx.f.constant(d.a).is_some() { (d.b, d.a) } else { (d.a, d.b) };
    for (a, b) in [(a, b), (b, a)] {
        let Some(by) = cx.deferred(b).and_then(|i| one_bit_of_pair(cx.f, cx.f.inst(i))) else { continue };
        let t = cx.temp(false, None)?;
        cx.copy_into(t, a, 0)?;
        let n = gpr(cx.nested(|cx| cx.use_part(by, 0))?);
        let high = read_rm(cx, a, 1)?;
        let mut e = asm(cx);
        e.test_ri(Size::B4, n, w.bits() as i32);
        e.cmov(Cond::NE, w, gpr(t), high);
        e.bt_rr(w, gpr(t), n);
        return Ok(Cond::B);
    }
    if let Some((part, n)) = half_mask(cx.target, cx.f, b) {
        let x = cx.use_part(a, part)?;
        asm(cx).test_ri(w, gpr(x), n);
        return Ok(Cond::NE);
    }
    let mut words = [RAX; 2];
    for part in 0..2 {
        let t = cx.temp(false, None)?;
        cx.copy_into(t, a, part)?;
        let s = read(cx, b, part)?;
        asm(cx).alu(AluOp::And, w, gpr(t), s);
        done(cx, b, part);
        words[part as usize] = t;
    }
    asm(cx).alu(AluOp::Or, w, gpr(words[0]), gpr(words[1]));
    Ok(Cond::NE)
}

/// The word of a mask that is not zero, and its number, if that is an immediate and the other word is zero.
fn half_mask(target: &X86, f: &Function, v: Value) -> Option<(u8, i32)> {
    let n = scalar_bits(f, v)?;
    let word = |part| super::constant::word_of(target, n, part);
    let (part, n) = match (word(0), word(1)) {
        (n, 0) => (0, n),
        (0, n) => (1, n),
        _ => return None,
    };
    i32::try_from(n).ok().map(|n| (part, n))
}

/// The variable number of the only bit of a number of two words, if it is one.
pub(crate) fn one_bit_of_pair(f: &Function, d: &InstData) -> Option<Value> {
    let by = Value(d.b);
    let is_one = d.op == Opcode::Shl && f.constant(by).is_none() && f.int_constant(Value(d.a)) == Some(1);
    is_one.then_some(by)
}

/// Is testing an `and` of two words cheaper than computing it?
pub(crate) fn tests_pair(target: &X86, f: &Function, d: &InstData) -> bool {
    let is_bit = |v: u32| matches!(f.value_def(Value(v)), ValueDef::Inst(i) if one_bit_of_pair(f, f.inst(i)).is_some());
    half_mask(target, f, Value(d.b)).is_some() || is_bit(d.a) || is_bit(d.b)
}

/// A multi-way branch, one case at a time.
pub(crate) fn switch(cx: &mut Cx<'_>, d: &Node, labels: &[Label]) -> Done {
    let w = cx.target.word_size();
    let v = d.a;
    let (lo, hi) = (gpr(cx.use_part(v, 0)?), gpr(cx.use_part(v, 1)?));
    let (t, u) = (gpr(cx.temp(false, None)?), gpr(cx.temp(false, None)?));
    // Zero if a part equals the case's.
    let differ = |cx: &mut Cx<'_>, t, x, n: i64| {
        asm(cx).mov(w, t, x);
        match i32::try_from(n) {
            Ok(0) => {}
            Ok(n) => asm(cx).alu(AluOp::Xor, w, t, n),
            Err(_) => {
                let m = pool(cx.buf, n as u64 as u128, 8);
                asm(cx).alu(AluOp::Xor, w, t, m);
            }
        }
    };
    for (k, (case, _)) in cx.f.switch_cases(SwitchId(d.b.0)).enumerate() {
        let n = cx.f.int_constant(case).unwrap_or(0);
        let part = |part| super::constant::word_of(cx.target, n, part);
        let (low, high) = (part(0), part(1));
        differ(cx, t, lo, low);
        differ(cx, u, hi, high);
        asm(cx).alu(AluOp::Or, w, t, u);
        asm(cx).jcc(Cond::E, labels[k]);
    }
    asm(cx).jmp(labels[labels.len() - 1]);
    Ok(())
}
