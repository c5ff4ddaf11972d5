//! Results: how a caller takes them, and the return that hands them over.

use gusset_abi::{Extension, InlineVec, PassMode, Piece};

use super::memory::{address, store_exactly};
use super::site::stage_aggregate;
use super::{apply, arrives, carrier, returned_param, scalar_part};
use crate::alloc::{Event, MoveDst, MoveSrc, Moves, Stream, Where, source};
use crate::error::CompileError;
use crate::ir::{Inst, Opcode, SigData, TailKind, Value};
use crate::target::{FrameAddr, PReg, Target};

/// Binds the results of a call.
pub(super) fn results<T: Target>(
    cx: &mut Stream<'_, T>,
    moves: &mut Moves,
    inst: Inst,
    sig: &SigData,
    receive: Option<FrameAddr>,
) -> Result<(), CompileError> {
    let f = cx.f;
    let pieces = sig.abi.ret.mode.pieces();
    if let Some(at) = receive {
        let file = cx.target.registers();
        let taken = pieces.iter().filter_map(|p| p.reg()).filter_map(PReg::from_abi).fold(0, |m, r| m | r.mask());
        let free = file.scratch & !taken & 0xffff_ffff;
        let base = if taken & file.call_register.mask() == 0 || free == 0 {
            file.call_register
        } else {
            PReg(free.trailing_zeros() as u8)
        };
        cx.target.emit_frame_load(cx.buf, cx.target.word(), base, at);
        for p in pieces {
            match p.reg() {
                Some(r) => match PReg::from_abi(r) {
                    Some(r) => {
                        let to = FrameAddr { base, disp: p.offset as i32 };
                        store_exactly(cx, r, to, p.size);
                    }
                    None => cx.target.emit_x87_store(cx.buf, FrameAddr { base, disp: p.offset as i32 }, p.size),
                },
                None => return Err(CompileError::at(f, inst, "a result on the stack")),
            }
        }
        return Ok(());
    }
    let first = f.result(inst);
    let n = f.result_count(inst);
    moves.clear();
    let stay = results_stay(cx, first, n, pieces);
    for p in pieces {
        if p.scalar as u32 >= n {
            continue;
        }
        let v = Value(first.0 + p.scalar as u32);
        let kind = cx.units_kind(v);
        let Some(r) = p.reg() else { return Err(CompileError::at(f, inst, "a result on the stack")) };
        let Some(r) = PReg::from_abi(r) else {
            // x87 results come off the stack in order, wanted or not. A `float` or `double` there (LLVM's third and fourth
            // of an aggregate) goes on through memory.
            if kind.is_memory() {
                let at = cx.def_memory(v)?;
                cx.target.emit_x87_store(cx.buf, at, kind.bytes());
            } else {
                let at = cx.scratch_place(8)?;
                cx.target.emit_x87_store(cx.buf, at, kind.bytes());
                if cx.live.count(v) != 0 {
                    let dst = cx.home(v, 0)?;
                    arrives(cx, v, 0, at);
                    moves.add(dst, MoveSrc::Memory(at), kind);
                }
            }
            continue;
        };
        if cx.live.count(v) == 0 {
            continue;
        }
        if f.value_type(v) == crate::ir::Type::I1 && !matches!(p.assume, Extension::Zero { .. }) {
            cx.target.emit_extend(cx.buf, r, 1, 8, false);
        }
        let part = scalar_part(pieces, p);
        if stay {
            cx.set(v, part, r)?;
            continue;
        }
        let dst = cx.home(v, part)?;
        arrives(cx, v, part, r);
        moves.add(dst, MoveSrc::Reg(r), kind);
    }
    if moves.is_empty() && (stay || n == 0) {
        return Ok(());
    }
    // Only the vector register that is never allocated is free for sure: results may be in any other.
    let file = cx.target.registers();
    let scratch = file.edge_scratch & !file.allocatable;
    moves.emit(cx, scratch)?;
    for p in pieces {
        if p.scalar as u32 >= n {
            continue;
        }
        let v = Value(first.0 + p.scalar as u32);
        if !cx.units_kind(v).is_memory() && cx.live.count(v) != 0 {
            cx.arrive(v, scalar_part(pieces, p));
        }
    }
    Ok(())
}

/// May each of the `n` results from `first` on be bound where it is, because no other comes from the register of its home? Their
/// registers are then pinned.
fn results_stay<T: Target>(cx: &mut Stream<'_, T>, first: Value, n: u32, pieces: &[Piece]) -> bool {
    let mut taken = 0;
    for p in pieces {
        match p.reg().and_then(PReg::from_abi) {
            Some(r) => taken |= r.mask(),
            None => return false,
        }
    }
    for p in pieces.iter().filter(|p| (p.scalar as u32) < n) {
        let v = Value(first.0 + p.scalar as u32);
        let home = cx.home_register(v, scalar_part(pieces, p));
        let own = p.reg().and_then(PReg::from_abi);
        if cx.live.count(v) != 0 && home.is_some_and(|h| Some(h) != own && taken & h.mask() != 0) {
            return false;
        }
    }
    for p in pieces.iter().filter(|p| (p.scalar as u32) < n && cx.live.count(Value(first.0 + p.scalar as u32)) != 0) {
        if let Some(r) = p.reg().and_then(PReg::from_abi) {
            cx.pin(r);
        }
    }
    true
}

/// Emits a return.
pub fn leave<T: Target>(cx: &mut Stream<'_, T>, moves: &mut Moves, inst: Inst) -> Result<(), CompileError> {
    let f = cx.f;
    let d = *f.inst(inst);
    let sig = f.signature();
    let values = f.pool_values(d.a, d.b);
    if inst.0 > 0 && is_must_tail(cx, inst) {
        return Ok(());
    }
    crate::guard::check(cx)?;
    moves.clear();
    let mut extend: InlineVec<(PReg, Extension), 4> = InlineVec::new();
    if sig.aggregate_result {
        let Some(&v) = f.layout.first().and_then(|&b| f.params(b).last()) else {
            return Err(CompileError::at(f, inst, "an aggregate result without its address"));
        };
        match &sig.abi.ret.mode {
            PassMode::Direct(pieces) => {
                // x87 results are pushed from the last to the first.
                for p in pieces.iter().rev().filter(|p| p.reg().and_then(PReg::from_abi).is_none()) {
                    let (base, disp) = address(cx, v)?;
                    cx.target.emit_x87_load(cx.buf, FrameAddr { base, disp: disp + p.offset as i32 }, p.size);
                }
                let mut rest = pieces.clone();
                rest.clear();
                pieces.iter().filter(|p| p.reg().and_then(PReg::from_abi).is_some()).for_each(|&p| rest.push(p));
                stage_aggregate(cx, moves, inst, v, &rest)?;
            }
            PassMode::Indirect { .. } => {
                if let Some(r) = sig.abi.sret_return_reg.and_then(PReg::from_abi) {
                    cx.expect(v, 0, r);
                    moves.add(MoveDst::Reg(r), source(cx, v, 0), cx.units_kind(v));
                }
            }
            _ => {}
        }
    }
    let pieces = sig.abi.ret.mode.pieces();
    if !sig.aggregate_result {
        // x87 results are pushed from the last to the first.
        for p in pieces.iter().rev() {
            let Some(&v) = values.get(p.scalar as usize) else { continue };
            match p.reg().and_then(PReg::from_abi) {
                Some(r) => {
                    let kind = cx.units_kind(v);
                    if let Some(i) = cx.deferred(v) {
                        cx.emit_deferred(i)?;
                    }
                    let part = scalar_part(pieces, p);
                    cx.expect(v, part, r);
                    moves.add(MoveDst::Reg(r), source(cx, v, part), kind);
                    if p.ext != Extension::None && !cx.target.is_extended(f, v, p.ext) {
                        extend.push((r, p.ext));
                    }
                }
                None if !cx.units_kind(v).is_memory() => {
                    let kind = cx.units_kind(v);
                    let at = cx.scratch_place(8)?;
                    let r = cx.use_reg(v)?;
                    cx.target.emit_frame_store(cx.buf, kind, r, at);
                    cx.target.emit_x87_load(cx.buf, at, kind.bytes());
                }
                None => match cx.whereabouts(v, 0) {
                    Where::Const(c) => {
                        let at = cx.scratch_place(16)?;
                        let t = carrier(cx)?;
                        cx.target.emit_memory_const(cx.buf, f.value_type(v), c, t, at)?;
                        cx.target.emit_x87_load(cx.buf, at, cx.units_kind(v).bytes());
                    }
                    _ => {
                        let at = cx.memory_operand(v);
                        cx.target.emit_x87_load(cx.buf, at, cx.units_kind(v).bytes());
                    }
                },
            }
        }
    }
    if let Some((p, r)) = returned_param(&sig.abi) {
        let v = f.layout.first().and_then(|&b| f.params(b).get(p as usize).copied());
        if let Some(v) = v {
            cx.expect(v, 0, r);
            moves.add(MoveDst::Reg(r), source(cx, v, 0), cx.units_kind(v));
        }
    }
    moves.emit(cx, 0)?;
    cx.note(Event::Met);
    for &(r, ext) in extend.iter() {
        apply(cx, r, ext);
    }
    crate::zero::before_return(cx);
    cx.emit_epilogue();
    cx.target.emit_return(cx.buf, sig.abi.callee_pop_bytes);
    cx.buf.restore_cfa();
    Ok(())
}

/// Does the return follow a call that has become a jump already?
fn is_must_tail<T: Target>(cx: &Stream<'_, T>, ret: Inst) -> bool {
    let prev = cx.f.inst(Inst(ret.0 - 1));
    prev.op == Opcode::Call && cx.f.calls[prev.a as usize].tail == TailKind::Must
}
