//! Comparisons of words above others.

use gusset_codegen::error::{CompileError, Result};
use gusset_codegen::ir::{IntCc, Value};
use gusset_codegen::machine::PReg;

use super::flags::{Answer, int_cond};
use super::operand::*;
use crate::x86::encode::ops::*;
use crate::x86::machine::gpr;
use crate::x86::reg::{Cond, Size};

/// Compares words above others.
pub(crate) fn compare_upper(cx: &mut Cx<'_>, d: &Node) -> Result<Answer> {
    let cc = IntCc::from_u8(d.flags).unwrap_or(IntCc::Eq);
    let size = op_size(d.ty);
    let equality = matches!(cc, IntCc::Eq | IntCc::Ne);
    match cx.deferred(d.c).map(|i| Node::of(cx.f, i)) {
        Some(low) if equality => {
            let differ = cx.nested(|cx| differing(cx, low.a, low.b, size))?;
            if cx.f.int_constant(d.b) == Some(0) {
                let s = src(cx, d.a, true)?;
                asm(cx).alu(AluOp::Or, size, gpr(differ), s);
            } else {
                let also = differing(cx, d.a, d.b, size)?;
                asm(cx).alu(AluOp::Or, size, gpr(differ), gpr(also));
            }
            return Ok(Answer::One(int_cond(cc)));
        }
        Some(low) => cx.nested(|cx| {
            let s = src(cx, low.b, true)?;
            let x = cx.use_reg(low.a)?;
            asm(cx).alu(AluOp::Cmp, size, gpr(x), s);
            [low.a, low.b].into_iter().for_each(|v| done(cx, v, 0));
            // That of a constant is nobody's.
            if cx.f.constant(low.a).is_some() && (cx.is_optimized() || cx.extra_scratch() != 0) {
                cx.unpin(x);
            }
            Ok::<_, CompileError>(())
        })?,
        None => {
            let t = byte_temp(cx)?;
            if equality {
                let differ = differing(cx, d.a, d.b, size)?;
                asm(cx).test_rr(size, gpr(differ), gpr(differ));
                asm(cx).setcc(int_cond(cc), gpr(t));
                let s = src(cx, d.c, true)?;
                asm(cx).alu(if cc == IntCc::Eq { AluOp::And } else { AluOp::Or }, Size::B1, gpr(t), s);
                return Ok(Answer::One(Cond::NE));
            }
            // Less is a borrow.
            cx.copy_into(t, d.c, 0)?;
            match cc {
                IntCc::Uge | IntCc::Sge => asm(cx).alu(AluOp::Cmp, Size::B1, gpr(t), 1),
                _ => asm(cx).bt_ri(Size::B4, gpr(t), 0),
            }
            cx.unpin(t);
        }
    }
    cx.current.flags_live = true;
    let t = cx.temp(false, None)?;
    cx.copy_into(t, d.a, 0)?;
    let s = src(cx, d.b, true)?;
    asm(cx).alu(AluOp::Sbb, size, gpr(t), s);
    Ok(Answer::One(int_cond(cc)))
}

/// The bits in which two values differ, in a temporary.
fn differing(cx: &mut Cx<'_>, a: Value, b: Value, size: Size) -> Result<PReg> {
    let t = cx.temp(false, None)?;
    cx.copy_into(t, a, 0)?;
    let s = src(cx, b, true)?;
    asm(cx).alu(AluOp::Xor, size, gpr(t), s);
    done(cx, b, 0);
    Ok(t)
}
