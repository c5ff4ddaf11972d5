//! Values of two words, part by part.

use gusset_codegen::error::Result;
use gusset_codegen::ir::Value;

use super::constant::pool;
use super::operand::*;
use crate::shared::constants::scalar_bits;
use crate::x86::machine::{frame_mem, gpr};
use crate::x86::reg::{Gpr, Mem, Segment};

/// A part of an operand as whatever is cheapest, constants in memory.
pub(crate) fn read_rm(cx: &mut Cx<'_>, v: Value, part: u8) -> Result<Rm<Gpr>> {
    if let Some(n) = constant_part(cx, v, part) {
        let bytes = cx.target.word_size().bytes();
        return Ok(Rm::Mem(pool(cx.buf, n as u64 as u128, bytes)));
    }
    match cx.place(v, part) {
        Some(at) => Ok(Rm::Mem(frame_mem(at))),
        None => Ok(Rm::Reg(gpr(cx.use_part(v, part)?))),
    }
}

/// A part of a constant, as a signed number.
pub(crate) fn constant_part(cx: &Cx<'_>, v: Value, part: u8) -> Option<i64> {
    scalar_bits(cx.f, v).map(|n| super::constant::word_of(cx.target, n, part))
}

/// The second word of an operand in memory.
pub(crate) fn upper_half(cx: &mut Cx<'_>, m: Mem) -> Result<Mem> {
    let w = cx.target.word_size();
    let bytes = cx.target.word_size().bytes() as i32;
    if let Some(upper) = m.offset(bytes) {
        return Ok(upper);
    }
    let t = gpr(cx.temp(false, None)?);
    asm(cx).lea(w, t, m.in_segment(Segment::Flat));
    Ok(Mem::at(t, bytes).in_segment(m.segment()))
}

/// Stores a value of two words.
pub(crate) fn store_pair(cx: &mut Cx<'_>, v: Value, m: Mem) -> Result {
    let w = cx.target.word_size();
    let upper = upper_half(cx, m)?;
    for (part, m) in [(0, m), (1, upper)] {
        match constant_part(cx, v, part).map(i32::try_from) {
            Some(Ok(n)) => asm(cx).mov_m(w, m, n),
            _ => {
                let x = cx.use_part(v, part)?;
                asm(cx).mov_m(w, m, gpr(x));
                done(cx, v, part);
            }
        }
    }
    Ok(())
}
