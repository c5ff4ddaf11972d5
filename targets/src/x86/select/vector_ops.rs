//! Building blocks of vector code: opcodes by lane, constants of lanes, results in their registers.

use gusset_codegen::error::Result;
use gusset_codegen::ir::{Type, Value};
use gusset_codegen::machine::PReg;

use super::constant::pool;
use super::operand::*;
use crate::x86::encode::ops::*;
use crate::x86::reg::Mem;

/// The binary logarithm of a lane's bytes.
pub(crate) fn lane_log(ty: Type) -> usize {
    (ty.lane_bits() / 8).trailing_zeros().min(3) as usize
}

/// The member of a family for the lane width.
pub(crate) fn by_lane(ty: Type, family: [SseOp; 4]) -> SseOp {
    family[lane_log(ty)]
}

/// The member of a floating-point pair for the lane width.
pub(crate) fn by_float(ty: Type, single: SseOp, double: SseOp) -> SseOp {
    if ty.lane() == Type::F32 { single } else { double }
}

/// A register for `r` that holds `a`, to be changed while `b`, which must have been asked for, is still read.
pub(crate) fn own(cx: &mut Cx<'_>, r: Value, a: Value, b: Value) -> Result<PReg> {
    if a == b {
        let d = cx.def(r, 0)?;
        cx.copy_into(d, a, 0)?;
        return Ok(d);
    }
    cx.def_reusing(r, a, 0)
}

/// A constant in memory with these bits in every lane.
pub(crate) fn lanes_constant(cx: &mut Cx<'_>, lane_bits: u32, n: u64) -> Mem {
    let n = n as u128 & (u128::MAX >> (128 - lane_bits));
    let bits = (0..128 / lane_bits).fold(0, |bits, k| bits | n << (k * lane_bits));
    pool(cx.buf, bits, 16)
}
