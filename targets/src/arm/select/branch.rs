//! Comparisons, and what follows them: choices, jumps through tables.

use gusset_codegen::buffer::{Label, RelocTarget};
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{ConstData, IntCc, Opcode, Value};

use super::constant;
use super::operand::{compare as compare_with, *};
use crate::arm::encode::ops::*;
use crate::arm::reg::{Cond, Flags, Gpr, IP, Mem, Operand, PC, Shift};
use crate::shared::arm::family::Test as AnyTest;

pub(crate) type Test = AnyTest<Gpr>;

/// See [`Family::compare_ints`].
pub(crate) fn compare_ints(
    cx: &mut Cx<'_>,
    (a, b): (Value, Value),
    cc: IntCc,
    n: Option<i64>,
) -> Result<Test, CompileError> {
    if n == Some(0) && matches!(cc, IntCc::Eq | IntCc::Ne) {
        return is_zero_value(cx, a, cc == IntCc::Eq);
    }
    if cx.ty(a).bits() == 32 {
        let x = reg(cx, a)?;
        let y = rhs(cx, SUB, b)?;
        compare_with(cx, x, y);
    } else {
        narrow(cx, (a, b), cc.is_signed(), n)?;
    }
    Ok(Test::Flags(Cond::of(cc)))
}

/// Compares values of less than 32 bits.
fn narrow(cx: &mut Cx<'_>, (a, b): (Value, Value), signed: bool, n: Option<i64>) -> Done {
    let bits = cx.ty(a).bits();
    if let Some(n) = n {
        let x = extended(cx, a, signed)?;
        let n = if signed { n as u32 } else { n as u32 & ((1 << bits) - 1) };
        compare_number(&mut asm(cx), x, n);
        return Ok(());
    }
    let (zx, zy) = (has_zeros_above(cx, a), has_zeros_above(cx, b));
    if bits == 1 || !signed && zx && zy {
        let (x, y) = (extended(cx, a, false)?, extended(cx, b, false)?);
        asm(cx).compare(CMP, x, y);
        return Ok(());
    }
    // At the upper end of a register, where nothing is above them.
    let (x, y) = (reg(cx, a)?, reg(cx, b)?);
    let up = 32 - bits;
    let mut e = asm(cx);
    e.unary(MOV, Flags::Keep, IP, by(x, Shift::Lsl, up));
    e.compare(CMP, IP, by(y, Shift::Lsl, up));
    Ok(())
}

/// Is a value zero, or is it not?
fn is_zero_value(cx: &mut Cx<'_>, v: Value, zero: bool) -> Result<Test, CompileError> {
    let bits = cx.ty(v).bits();
    if let Some(i) = cx.deferred(v)
        && cx.f.inst(i).op == Opcode::And
    {
        let d = Node::of(cx.f, i);
        return cx.nested(|cx| {
            let (a, b) = if cx.f.constant(d.a).is_some() { (d.b, d.a) } else { (d.a, d.b) };
            let x = reg(cx, a)?;
            let mask = if bits < 32 { (1u32 << bits) - 1 } else { !0 };
            if let Some(n) = cx.f.int_constant(b).map(|n| n as u32 & mask) {
                let mut e = asm(cx);
                let n = e.operand(n);
                e.compare(TST, x, n);
                return Ok(Test::equal(zero));
            }
            let y = reg(cx, b)?;
            if bits < 32 {
                let mut e = asm(cx);
                e.data(AND, Flags::Keep, IP, x, y);
                e.unary(MOV, Flags::Set, IP, by(IP, Shift::Lsl, 32 - bits));
            } else {
                asm(cx).compare(TST, x, y);
            }
            Ok(Test::equal(zero))
        });
    }
    let x = reg(cx, v)?;
    if matches!(bits, 2..32) && !has_zeros_above(cx, v) {
        asm(cx).unary(MOV, Flags::Set, IP, by(x, Shift::Lsl, 32 - bits));
        return Ok(Test::equal(zero));
    }
    Ok(Test::Zero(x, zero))
}

/// See [`Family::compare_floats`].
pub(crate) fn compare_floats(cx: &mut Cx<'_>, d: &Node) -> Done {
    if !cx.target.has_floats(d.ty) {
        return not_yet(cx, d);
    }
    let x = float(cx, d.a)?;
    if matches!(cx.f.constant(d.b), Some(ConstData::Float(0))) {
        asm(cx).fzero(VCMP_ZERO, x);
    } else {
        let y = float(cx, d.b)?;
        asm(cx).frr(VCMP, x, y);
    }
    asm(cx).compared();
    Ok(())
}

/// Makes it a value whether a register is zero: of zero alone there are 32 zeros.
pub(crate) fn define_tested(cx: &mut Cx<'_>, r: Value, x: Gpr, zero: bool) -> Result<bool, CompileError> {
    if zero {
        define(cx, r, |cx, dst| {
            let mut e = asm(cx);
            e.rr(CLZ, gpr(dst), x);
            e.unary(MOV, Flags::Free, gpr(dst), by(gpr(dst), Shift::Lsr, 5));
        })?;
    }
    Ok(zero)
}

/// Jumps through a table: in A32 into jumps behind this one, in T32 of offsets from its own address.
pub(crate) fn jump_by_table(cx: &mut Cx<'_>, (x, t): (Gpr, Gpr), low: i64, labels: &[Label], default: Label) {
    let target = cx.target;
    let mut e = asm(cx);
    let mut index = x;
    if low != 0 {
        e.add_number(Flags::Keep, t, x, low.wrapping_neg() as i32);
        index = t;
    }
    compare_number(&mut e, index, labels.len() as u32 - 1);
    if !target.features.thumb {
        e.conditional(Cond::Ls, |e| e.data(ADD, Flags::Keep, PC, PC, Operand::Shifted(index, Shift::Lsl, 2)));
        // The program counter is that of the next instruction but one.
        e.b(default);
        labels.iter().for_each(|&label| e.b(label));
        return;
    }
    let id = RelocTarget::JumpTable(e.buf.jump_table(labels));
    e.b_if(Cond::Hi, default);
    constant::address(target, &mut e, IP, id, 0, true);
    e.access(LDR, t, Mem::Index(IP, index, 2));
    e.data(ADD, Flags::Keep, t, t, IP);
    e.mov(PC, t);
}
