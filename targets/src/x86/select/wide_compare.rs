//! Comparisons of integers of two words, and switches over them.

use gusset_codegen::buffer::Label;
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{IntCc, SwitchId, Value};

use super::constant::pool;
use super::flags::Answer;
use super::operand::*;
use super::pair::{done, read};
use crate::shared::constants::scalar_bits;
use crate::x86::encode::ops::*;
use crate::x86::machine::gpr;
use crate::x86::reg::Cond;

/// Emits a comparison of 128-bit integers.
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
        let t = cx.temp(false, None)?;
        cx.copy_into(t, a, 0)?;
        if scalar_bits(cx.f, b) == Some(0) {
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
    // The subtraction's flags tell less from not less.
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
    cx.flags_live = true;
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

/// A multi-way branch: the cases one by one.
pub(crate) fn switch(cx: &mut Cx<'_>, d: &Node, labels: &[Label]) -> Done {
    let w = cx.target.word_size();
    let v = d.a;
    let (lo, hi) = (gpr(cx.use_part(v, 0)?), gpr(cx.use_part(v, 1)?));
    let (t, u) = (gpr(cx.temp(false, None)?), gpr(cx.temp(false, None)?));
    // Zero if a part is the case's.
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
