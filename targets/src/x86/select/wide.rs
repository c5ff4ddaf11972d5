//! Words of integers of two: sums with carries, comparisons, products; and what remains on pairs of registers.
//!
//! Parts of pairs are read from memory where they are not in registers, so that nothing needs more than the four registers that are
//! never homes.

use gusset_codegen::ir::{Opcode, Value};

use super::branch::condition;
use super::flags::Answer;
use super::int::{order, shift_op};
use super::operand::*;
use super::pair::*;
use crate::x86::encode::ops::*;
use crate::x86::machine::{frame_mem, gpr};
use crate::x86::reg::{Cond, Size};
use crate::x86::registers::{RAX, RCX, RDX};

/// Emits an instruction on a pair.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Result {
    use Opcode::*;
    match d.op {
        Shl | Lshr | Ashr => shift(cx, d),
        Select => {
            let answer = cx.in_flags([d.b, d.c], |cx| condition(cx, d.a))?;
            pick(cx, d.r, answer, d.b, d.c)
        }
        _ => super::domain::not_yet(cx, d),
    }
}

/// A sum or difference of words above others.
pub(crate) fn sum_with_carry(cx: &mut Cx<'_>, d: &Node) -> Result {
    if !carry_is_left(cx, d.c) {
        let x = cx.use_reg(d.c)?;
        asm(cx).bt_ri(Size::B4, gpr(x), 0);
    }
    cx.current.flags_live = true;
    sum(cx, d, if d.op == Opcode::IaddCarry { AluOp::Adc } else { AluOp::Sbb })
}

/// A sum or difference whose carry stays in the flags.
pub(crate) fn sum(cx: &mut Cx<'_>, d: &Node, op: AluOp) -> Result {
    let (r, mut a, mut b) = (d.r, d.a, d.b);
    if matches!(op, AluOp::Add | AluOp::Adc) {
        (a, b) = order(cx, r, a, b);
    }
    let size = op_size(d.ty);
    if a != b && cx.is_in_place(r, a) {
        let s = reg_or_imm(cx, b, size)?;
        let m = frame_mem(cx.def_in_place(r, a));
        asm(cx).alu_m(op, size, m, s);
        return Ok(());
    }
    let s = src(cx, b, true)?;
    change(cx, (r, a), |cx, dst| asm(cx).alu(op, size, gpr(dst), s))
}

/// A product in two registers.
pub(crate) fn product(cx: &mut Cx<'_>, d: &Node) -> Result {
    let (a, b) = if cx.f.constant(d.a).is_some() { (d.b, d.a) } else { (d.a, d.b) };
    emit_operands(cx, &[a, b])?;
    cx.take(RDX)?;
    cx.take_copy(RAX, a, 0)?;
    // The copy may have been the value's only one.
    let y = if a == b { Rm::Reg(gpr(RAX)) } else { reg_or_mem(cx, b, true)? };
    asm(cx).unary(if d.op == Opcode::SmulWide { IMUL } else { MUL }, op_size(d.ty), y);
    cx.set(d.r, 0, RAX)?;
    cx.set(Value(d.r.0 + 1), 0, RDX)
}

/// A shift by a variable number.
fn shift(cx: &mut Cx<'_>, d: &Node) -> Result {
    let op = shift_op(d.op);
    let w = cx.target.word_size();
    let (a, n) = (d.a, d.b);
    cx.take(RCX)?;
    cx.copy_into(RCX, n, 0)?;
    guard(cx, &[a])?;
    let lo = cx.def_reusing(d.r, a, 0)?;
    let hi = cx.def_reusing(d.r, a, 1)?;
    let (l, h, c) = (gpr(lo), gpr(hi), gpr(RCX));
    let mut e = asm(cx);
    // The machine shifts by the count modulo 64; by 64 or more, one part becomes the other.
    let left = op == ShiftOp::Shl;
    let (to, from) = if left { (h, l) } else { (l, h) };
    e.double_shift(left, w, to, from, None);
    e.shift_rc(op, w, from);
    e.test_ri(Size::B1, c, w.bits() as i32);
    if op == ShiftOp::Sar {
        let done = e.buf.new_label();
        e.jcc(Cond::E, done);
        e.mov(w, to, from);
        e.shift_ri(op, w, from, w.bits() as u8 - 1);
        e.buf.bind(done);
    } else {
        e.cmov(Cond::NE, w, to, from);
        // Not by an exclusive or, which would change the flags.
        e.mov_ri(Size::B4, c, 0);
        e.cmov(Cond::NE, w, from, c);
    }
    set_pair(cx, d.r, lo, hi)
}

/// `a` if the flags answer yes, else `b`.
fn pick(cx: &mut Cx<'_>, r: Value, answer: Answer, a: Value, b: Value) -> Result {
    let w = cx.target.word_size();
    // The instruction that set the flags has read its operands.
    cx.unpin_all();
    let (yes, no, conds) = match answer {
        _ if a == b => return copy(cx, r, a),
        Answer::Known(true) => return copy(cx, r, a),
        Answer::Known(false) => return copy(cx, r, b),
        Answer::One(c) => (a, b, [c, c]),
        Answer::Either(c, d) => (a, b, [c, d]),
        // Both must hold: the other value is taken if either fails.
        Answer::Both(c, d) => (b, a, [c.negate(), d.negate()]),
    };
    cx.current.flags_live = true;
    guard(cx, &[a, b])?;
    let mut regs = [RAX; 2];
    let count = if conds[0] == conds[1] { 1 } else { 2 };
    for part in 0..2 {
        // Made in the register of one that ends here, if the result has to be there.
        let flips = count == 1 && cx.ends_in_place(r, yes, part, &[no]) && !cx.ends_in_place(r, no, part, &[yes]);
        let (from, other) = if flips { (yes, no) } else { (no, yes) };
        let t = cx.def_reusing(r, from, part)?;
        let s = read_rm(cx, other, part)?;
        for &c in &conds[..count] {
            asm(cx).cmov(if flips { c.negate() } else { c }, w, gpr(t), s)
        }
        done(cx, other, part);
        regs[part as usize] = t;
    }
    set_pair(cx, r, regs[0], regs[1])
}

/// The same value under another name.
fn copy(cx: &mut Cx<'_>, r: Value, a: Value) -> Result {
    guard(cx, &[a])?;
    let lo = cx.def_reusing(r, a, 0)?;
    let hi = cx.def_reusing(r, a, 1)?;
    set_pair(cx, r, lo, hi)
}
