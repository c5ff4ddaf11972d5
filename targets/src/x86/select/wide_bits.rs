//! Integers of two words: counting and reversing bits, multiplication with overflow.

use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{Opcode, Value};
use gusset_codegen::machine::PReg;

use super::int::{count_set, reverse_bits};
use super::operand::*;
use super::pair::{done, guard, read_rm};
use crate::x86::encode::ops::*;
use crate::x86::machine::{frame_mem, gpr};
use crate::x86::reg::{Cond, Mem, Size};
use crate::x86::registers::{RAX, RDX};

/// Leading and trailing zeros.
pub(crate) fn count_zeros(cx: &mut Cx<'_>, d: &Node) -> Done {
    let Node { r, a, .. } = *d;
    let leading = d.op == Opcode::Ctlz;
    // The part that is searched first, and the other one, whose count matters if the first is zero.
    let (first, second) = if leading { (1, 0) } else { (0, 1) };
    let (w, bits) = (cx.target.word_size(), cx.target.word_bits());
    let direct = if leading { cx.target.features.lzcnt } else { cx.target.features.bmi1 };
    guard(cx, a)?;
    let t = cx.def(r, 0)?;
    let u = cx.def(r, 1)?;
    let (gt, gu) = (gpr(t), gpr(u));
    let s = read_rm(cx, a, second)?;
    if direct {
        let op = if leading { LZCNT } else { TZCNT };
        asm(cx).gpr_op(op, w, gt, s);
        done(cx, a, second);
        asm(cx).alu(AluOp::Add, Size::B4, gt, bits as i32);
        let s = read_rm(cx, a, first)?;
        asm(cx).gpr_op(op, w, gu, s);
        asm(cx).cmov(Cond::AE, Size::B4, gt, gu);
    } else {
        // The searches leave their result undefined for zero, and set a flag. The number of the highest bit becomes the
        // count when its six bits are flipped, which is done once at the end.
        let (op, none) = if leading { (BSR, 2 * bits - 1) } else { (BSF, bits) };
        // If the number is not zero, the second search matters only where it finds something.
        if d.flags == 0 {
            asm(cx).mov_ri(Size::B4, gu, none.into());
        }
        asm(cx).gpr_op(op, w, gt, s);
        if d.flags == 0 {
            asm(cx).cmov(Cond::E, Size::B4, gt, gu);
        }
        done(cx, a, second);
        asm(cx).alu(AluOp::Add, Size::B4, gt, bits as i32);
        let s = read_rm(cx, a, first)?;
        asm(cx).gpr_op(op, w, gu, s);
        asm(cx).cmov(Cond::NE, Size::B4, gt, gu);
        if leading {
            asm(cx).alu(AluOp::Xor, Size::B4, gt, bits as i32 - 1);
        }
    }
    asm(cx).alu(AluOp::Xor, Size::B4, gu, gu);
    set_pair(cx, r, t, u)
}

/// The result of an operation on one operand, and its registers, which start as these parts of the operand.
fn copied(cx: &mut Cx<'_>, d: &Node, [first, second]: [u8; 2]) -> Result<(Value, PReg, PReg), CompileError> {
    let Node { r, a, .. } = *d;
    guard(cx, a)?;
    let (x, y) = (cx.def(r, 0)?, cx.def(r, 1)?);
    cx.copy_into(x, a, first)?;
    cx.copy_into(y, a, second)?;
    Ok((r, x, y))
}

/// Set bits.
pub(crate) fn population(cx: &mut Cx<'_>, d: &Node) -> Done {
    let w = cx.target.word_size();
    let (r, x, y) = copied(cx, d, [0, 1])?;
    let (gx, gy) = (gpr(x), gpr(y));
    if cx.target.features.popcnt {
        for g in [gx, gy] {
            asm(cx).gpr_op(POPCNT, w, g, g);
        }
    } else {
        let (t, m) = (gpr(cx.temp(false, None)?), gpr(cx.temp(false, None)?));
        for g in [gx, gy] {
            count_set(&mut asm(cx), w, g, t, Some(m));
        }
    }
    let mut e = asm(cx);
    e.alu(AluOp::Add, Size::B4, gx, gy);
    e.alu(AluOp::Xor, Size::B4, gy, gy);
    set_pair(cx, r, x, y)
}

/// Byte reversal.
pub(crate) fn bswap(cx: &mut Cx<'_>, d: &Node) -> Done {
    let w = cx.target.word_size();
    let (r, x, y) = copied(cx, d, [1, 0])?;
    asm(cx).bswap(w, gpr(x));
    asm(cx).bswap(w, gpr(y));
    set_pair(cx, r, x, y)
}

/// Bit reversal: bytes by `bswap`, then nibbles, pairs and bits by masks.
pub(crate) fn bitreverse(cx: &mut Cx<'_>, d: &Node) -> Done {
    let w = cx.target.word_size();
    let (r, x, y) = copied(cx, d, [1, 0])?;
    let (t, m) = (gpr(cx.temp(false, None)?), gpr(cx.temp(false, None)?));
    for g in [gpr(x), gpr(y)] {
        reverse_bits(&mut asm(cx), w, g, t, m);
    }
    set_pair(cx, r, x, y)
}

/// Multiplication with overflow flag. Signed factors are multiplied by their magnitudes.
pub(crate) fn multiply_overflow(cx: &mut Cx<'_>, d: &Node, signed: bool) -> Done {
    let w = cx.target.word_size();
    let flag = Value(d.r.0 + 1);
    let (a, b) = (d.a, d.b);
    cx.take(RDX)?;
    cx.take(RAX)?;
    guard(cx, a)?;
    guard(cx, b)?;
    let t = byte_temp(cx)?;
    // Both factors and the flag are stored in memory: they are read several times, and no register is left for them.
    let over = frame_mem(cx.scratch_place(8)?);
    let (pa, pb) = (cx.scratch_place(16)?, cx.scratch_place(16)?);
    let (ma, mb) = (frame_mem(pa), frame_mem(pb));
    let high = |m: Mem| byte_of(m, w.bytes());
    for (v, m) in [(a, ma), (b, mb)] {
        cx.copy_into(RAX, v, 0)?;
        cx.copy_into(RDX, v, 1)?;
        let (x, y, g) = (gpr(RAX), gpr(RDX), gpr(t));
        let mut e = asm(cx);
        if signed {
            e.mov(w, g, y);
            e.shift_ri(ShiftOp::Sar, w, g, w.bits() as u8 - 1);
            e.alu(AluOp::Xor, w, x, g);
            e.alu(AluOp::Xor, w, y, g);
            e.alu(AluOp::Sub, w, x, g);
            e.alu(AluOp::Sbb, w, y, g);
        }
        e.mov_m(w, m, x);
        e.mov_m(w, high(m), y);
    }
    let (x, y, g) = (gpr(RAX), gpr(RDX), gpr(t));
    let mut e = asm(cx);
    // If both high parts are not zero, the product does not fit. Otherwise at most one cross product is not zero.
    e.alu_m(AluOp::Cmp, w, high(ma), 0);
    e.setcc(Cond::NE, over);
    e.alu_m(AluOp::Cmp, w, high(mb), 0);
    e.setcc(Cond::NE, x);
    e.alu_m(AluOp::And, Size::B1, over, x);
    e.mov(w, x, high(ma));
    e.unary(MUL, w, mb);
    e.mov(w, g, x);
    e.setcc(Cond::O, x);
    e.alu_m(AluOp::Or, Size::B1, over, x);
    e.mov(w, x, high(mb));
    e.unary(MUL, w, ma);
    e.setcc(Cond::O, y);
    e.alu_m(AluOp::Or, Size::B1, over, y);
    e.alu(AluOp::Add, w, g, x);
    e.mov(w, x, ma);
    asm(cx).unary(MUL, w, Rm::Mem(mb));
    let mut e = asm(cx);
    e.alu(AluOp::Add, w, y, g);
    e.setcc(Cond::B, g);
    e.alu_m(AluOp::Or, Size::B1, over, g);
    if signed {
        // The sign of the product, in all bits.
        cx.copy_into(t, a, 1)?;
        asm(cx).shift_ri(ShiftOp::Sar, w, g, w.bits() as u8 - 1);
        asm(cx).mov_m(w, ma, g);
        cx.copy_into(t, b, 1)?;
        let mut e = asm(cx);
        e.shift_ri(ShiftOp::Sar, w, g, w.bits() as u8 - 1);
        e.alu(AluOp::Xor, w, g, ma);
        e.alu(AluOp::Xor, w, x, g);
        e.alu(AluOp::Xor, w, y, g);
        e.alu(AluOp::Sub, w, x, g);
        e.alu(AluOp::Sbb, w, y, g);
        // It does not fit if its sign is wrong; zero has no sign.
        let fits = e.buf.new_label();
        e.alu(AluOp::Xor, w, g, y);
        e.jcc(Cond::NS, fits);
        e.mov(w, g, x);
        e.alu(AluOp::Or, w, g, y);
        e.setcc(Cond::NE, g);
        e.alu_m(AluOp::Or, Size::B1, over, g);
        e.buf.bind(fits);
    }
    asm(cx).movzx(Size::B1, g, over);
    // The flag first: it may be in a register that is the product's home.
    cx.set(flag, 0, t)?;
    set_pair(cx, d.r, RAX, RDX)
}
