//! Values in the x87's formats that are selected, copied or taken as bits.

use gusset_codegen::error::Result;
use gusset_codegen::ir::Type;

use super::{place, pop_bits, push_bits};
use crate::shared::constants::scalar_bits;
use crate::x86::encode::ops::*;
use crate::x86::machine::{frame_mem, gpr, xmm};
use crate::x86::reg::{Size, St};
use crate::x86::registers::XMM15;
use crate::x86::select::branch::condition;
use crate::x86::select::domain::not_yet;
use crate::x86::select::flags::jump_if;
use crate::x86::select::operand::*;

/// Selection by a truth value.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Result {
    let answer = condition(cx, d.a)?;
    push_bits(cx, d.b)?;
    let chosen = cx.buf.new_label();
    jump_if(&mut asm(cx), answer, chosen);
    asm(cx).fstp_st(St(0));
    push_bits(cx, d.c)?;
    cx.buf.bind(chosen);
    pop_bits(cx, d.r)
}

/// The same value.
pub(crate) fn copy(cx: &mut Cx<'_>, d: &Node) -> Result {
    if !cx.target.has_sse() {
        push_bits(cx, d.a)?;
        let r = d.r;
        return pop_bits(cx, r);
    }
    let from = place(cx, d.a)?;
    asm(cx).sse(MOVUPS, xmm(XMM15), from);
    let r = d.r;
    let to = frame_mem(cx.def_memory(r)?);
    asm(cx).sse_mr(MOVUPS_STORE, to, xmm(XMM15));
    Ok(())
}

/// The bits of an `f80` as an integer of 128 bits, or back; bits beyond 80 are undefined.
pub(crate) fn bitcast(cx: &mut Cx<'_>, d: &Node) -> Result {
    let Node { r, a, .. } = *d;
    if d.ty == Type::F80 && cx.ty(a) == Type::I128 {
        let (low, high) = (cx.use_part(a, 0)?, cx.use_part(a, 1)?);
        let to = frame_mem(cx.def_memory(r)?);
        asm(cx).mov_m(Size::B8, to, gpr(low));
        asm(cx).mov_m(Size::B8, byte_of(to, 8), gpr(high));
        return Ok(());
    }
    if d.ty == Type::I128 && cx.ty(a) == Type::F80 {
        if let Some(bits) = scalar_bits(cx.f, a) {
            for part in 0..2 {
                let t = cx.def(r, part)?;
                asm(cx).mov_ri(Size::B8, gpr(t), (bits >> (64 * part as u32)) as u64 as i64);
                cx.set(r, part, t)?;
            }
            return Ok(());
        }
        let from = place(cx, a)?;
        let (low, high) = (cx.def(r, 0)?, cx.def(r, 1)?);
        asm(cx).mov(Size::B8, gpr(low), from);
        asm(cx).mov(Size::B8, gpr(high), byte_of(from, 8));
        return set_pair(cx, r, low, high);
    }
    not_yet(cx, d)
}
