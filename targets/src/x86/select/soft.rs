//! Operations on the bits of formats that the machine cannot compute with: binary128, binary16 and bfloat16.

use gusset_codegen::ir::{FloatCc, Opcode, Type, Value};

use super::domain::not_yet;
use super::float::{copysign, sign};
use super::operand::*;
use crate::x86::encode::ops::*;
use crate::x86::encode::x87::X87Mem;
use crate::x86::machine::{frame_mem, gpr, xmm};
use crate::x86::reg::{Cond, Mem, Size};

/// Emits an instruction on one of these formats that needs no library function.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Result {
    use Opcode::*;
    let Node { r, a, b: _, .. } = *d;
    match (d.op, cx.ty(a)) {
        (Fneg | Fabs, _) => sign(cx, d),
        (Fcopysign, _) => copysign(cx, d),
        (Fcmp, _) => {
            let always = match FloatCc::from_u8(d.flags) {
                Some(FloatCc::False) => 0,
                Some(FloatCc::True) => 1,
                _ => return not_yet(cx, d),
            };
            let dst = cx.def(r, 0)?;
            asm(cx).mov_ri(Size::B4, gpr(dst), always);
            cx.set(r, 0, dst)
        }
        (Fptrunc, Type::F32 | Type::F64) if d.ty == Type::BF16 => round_to_bfloat(cx, r, a),
        (Fpext, Type::BF16) => extend_bfloat(cx, r, a),
        _ => not_yet(cx, d),
    }
}

/// A bfloat16 is the upper half of an `f32`.
fn extend_bfloat(cx: &mut Cx<'_>, r: Value, a: Value) -> Result {
    let ty = cx.ty(r);
    let x = cx.use_reg(a)?;
    let t = cx.temp(false, None)?;
    asm(cx).mov_rx(Size::B4, gpr(t), xmm(x));
    asm(cx).shift_ri(ShiftOp::Shl, Size::B4, gpr(t), 16);
    if ty == Type::F80 {
        let place = frame_mem(cx.scratch_place(8)?);
        let at = frame_mem(cx.def_memory(r)?);
        let mut e = asm(cx);
        e.mov_m(Size::B4, place, gpr(t));
        e.x87_load(X87Mem::F32, place);
        e.x87_store_pop(X87Mem::F80, at);
        return Ok(());
    }
    let dst = cx.def(r, 0)?;
    asm(cx).mov_xr(Size::B4, xmm(dst), gpr(t));
    if ty == Type::F64 {
        asm(cx).sse(CVTSS2SD, xmm(dst), xmm(dst));
    }
    cx.set(r, 0, dst)
}

/// Rounds to the nearest bfloat16, ties to even.
fn round_to_bfloat(cx: &mut Cx<'_>, r: Value, a: Value) -> Result {
    let (t, u) = (cx.temp(false, None)?, cx.temp(false, None)?);
    let (gt, gu) = (gpr(t), gpr(u));
    let x = xmm(cx.use_reg(a)?);
    let dst = cx.def(r, 0)?;
    let d = xmm(dst);
    if cx.ty(a) == Type::F64 {
        // First to an `f32` that says if anything was lost: the one next to zero, with its last bit set if so.
        let y = cx.temp(true, None)?;
        let y = xmm(y);
        let mut e = asm(cx);
        let exact = e.buf.new_label();
        let shorter = e.buf.new_label();
        e.sse(CVTSD2SS, d, x);
        e.mov_rx(Size::B4, gt, d);
        e.sse(CVTSS2SD, y, d);
        e.sse(UCOMISD, y, x);
        e.jcc(Cond::E, exact);
        // Rounding went away from zero if the difference has the number's sign.
        e.sse(SUBSD, y, x);
        e.sse(XORPD, y, x);
        e.movmskpd(gu, y);
        e.test_ri(if gu.0 < 4 { Size::B1 } else { Size::B4 }, gu, 1);
        e.jcc(Cond::NE, shorter);
        e.alu(AluOp::Sub, Size::B4, gt, 1);
        e.buf.bind(shorter);
        e.alu(AluOp::Or, Size::B4, gt, 1);
        e.buf.bind(exact);
        e.sse(UCOMISD, x, x);
    } else {
        let mut e = asm(cx);
        e.mov_rx(Size::B4, gt, x);
        e.sse(UCOMISS, x, x);
    }
    let mut e = asm(cx);
    let (nan, done) = (e.buf.new_label(), e.buf.new_label());
    e.jcc(Cond::P, nan);
    e.mov(Size::B4, gu, gt);
    e.shift_ri(ShiftOp::Shr, Size::B4, gu, 16);
    e.alu(AluOp::And, Size::B4, gu, 1);
    e.lea(Size::B4, gt, Mem::indexed(gt, gu, 1, 0x7fff));
    e.shift_ri(ShiftOp::Shr, Size::B4, gt, 16);
    e.jmp(done);
    e.buf.bind(nan);
    e.shift_ri(ShiftOp::Shr, Size::B4, gt, 16);
    e.alu(AluOp::Or, Size::B4, gt, 0x40);
    e.buf.bind(done);
    e.mov_xr(Size::B4, d, gt);
    cx.set(r, 0, dst)
}
