//! What atomic accesses of one and two words have in common, with SSE and without.

use gusset_codegen::ir::{RmwOp, Type, Value};
use gusset_codegen::machine::PReg;

use super::operand::*;
use crate::x86::encode::Asm;
use crate::x86::encode::ops::*;
use crate::x86::machine::{frame_mem, gpr, xmm};
use crate::x86::reg::{Cond, Gpr, Mem, Size};
use crate::x86::registers::{RAX, RBX, RCX, RDX, RSI};

/// The instruction that computes the new value of a read-modify-write operation, if one does.
pub(crate) fn plain_op(op: RmwOp) -> Option<AluOp> {
    Some(match op {
        RmwOp::Add => AluOp::Add,
        RmwOp::Sub => AluOp::Sub,
        RmwOp::And => AluOp::And,
        RmwOp::Or => AluOp::Or,
        RmwOp::Xor => AluOp::Xor,
        _ => return None,
    })
}

/// Binds a result whose bits are in a general-purpose register.
pub(crate) fn set_bits(cx: &mut Cx<'_>, r: Value, g: PReg) -> Result {
    let ty = cx.ty(r);
    if !ty.is_float() {
        return cx.set(r, 0, g);
    }
    if !cx.target.has_sse() {
        let at = frame_mem(cx.def_memory(r)?);
        asm(cx).mov_m(Size::B4, at, gpr(g));
        return Ok(());
    }
    let x = cx.def(r, 0)?;
    asm(cx).mov_xr(op_size(ty), xmm(x), gpr(g));
    cx.set(r, 0, x)
}

/// Orders all accesses before it before all accesses after it.
pub(crate) fn full_fence(cx: &mut Cx<'_>) {
    if cx.target.has_sse() {
        asm(cx).plain(MFENCE);
    } else {
        // `mfence` came with SSE2; any locked instruction has the same effect.
        asm(cx).lock_alu_m(AluOp::Or, Size::B4, Mem::at(Gpr(4), 0), 0);
    }
}

pub(crate) fn load_old(cx: &mut Cx<'_>, size: Size, m: Mem) {
    asm(cx).movzx(size, gpr(RAX), m);
}

/// Is it an integer of two words?
pub(crate) fn is_pair(cx: &Cx<'_>, ty: Type) -> bool {
    cx.target_parts(ty).1 == 2
}

/// The upper word of two in memory.
pub(crate) fn high(w: Size, m: Mem) -> Mem {
    byte_of(m, w.bytes())
}

/// Takes the registers of `cmpxchg16b`, and loads the address into its register.
pub(crate) fn begin(cx: &mut Cx<'_>, address: Value) -> Result {
    for r in [RSI, RDX, RCX, RAX] {
        cx.take(r)?;
    }
    cx.copy_into(RSI, address, 0)
}

/// The loop that exchanges two words at `[rsi]`: `compute` makes the new ones in `rcx:rbx` from the old ones in
/// `rdx:rax`. `rbx` is saved at `save` meanwhile.
pub(crate) fn pair_loop(cx: &mut Cx<'_>, save: Mem, compute: impl FnOnce(&mut Asm<'_>)) -> Result {
    let w = cx.target.word_size();
    let m = Mem::at(gpr(RSI), 0);
    cx.lend(RBX);
    let mut e = asm(cx);
    e.mov_m(w, save, gpr(RBX));
    // A torn read does no harm: the comparison fails.
    e.mov(w, gpr(RAX), m);
    e.mov(w, gpr(RDX), high(w, m));
    let top = e.buf.new_label();
    e.buf.bind(top);
    compute(&mut e);
    e.lock_cmpxchg_pair(m);
    e.jcc(Cond::NE, top);
    e.mov(w, gpr(RBX), save);
    cx.restore(RBX);
    Ok(())
}

/// The same on i386 through memory: the old words are stored at `old`, and `compute` returns where it has stored the
/// new ones.
pub(crate) fn memory_loop(
    cx: &mut Cx<'_>,
    address: Value,
    old: Mem,
    save: Mem,
    compute: impl FnOnce(&mut Asm<'_>) -> Mem,
) -> Result {
    let w = Size::B4;
    begin(cx, address)?;
    pair_loop(cx, save, |e| {
        e.mov_m(w, old, gpr(RAX));
        e.mov_m(w, high(w, old), gpr(RDX));
        let new = compute(e);
        e.mov(w, gpr(RBX), new);
        e.mov(w, gpr(RCX), high(w, new));
    })
}
