//! Calls: arguments to their places, and the call itself.

use gusset_abi::Extension;

use super::block;
use super::landing::mark;
use super::memory::{address, copy_out, copy_words, in_memory, load_exactly};
use super::reference::make;
use super::result::results;
use super::tail::tail;
use super::{CallTarget, carrier, extend, plan, wants};
use crate::alloc::{Event, MoveDst, MoveSrc, Moves, Stream, Where, source};
use crate::error::CompileError;
use crate::ir::{CallData, Callee, ConstData, Inst, TailKind, Value};
use crate::machine::{BitsOp, CodeMark, FrameAddr, PReg, PartKind};
use crate::plan::{At, CallPlan, Passed, StackPart};
use crate::select::Select;

/// A call that is being emitted.
pub(super) struct Site<'a> {
    pub inst: Inst,
    pub call: CallData,
    pub plan: &'a CallPlan,
    pub args: &'a [Value],
    /// Where the address is that receives an aggregate which comes back in pieces.
    pub receive: Option<FrameAddr>,
}

/// Emits a call.
pub fn call<T: Select>(cx: &mut Stream<'_, T>, moves: &mut Moves, inst: Inst) -> Result<(), CompileError> {
    let f = cx.f;
    let call = f.calls[f.inst(inst).a as usize];
    let sig = &*f.sigs[call.sig.index()];
    let plan = plan(cx.target, sig);
    let args = f.pool_values(call.args_start, call.args_len);
    if args.len() != sig.params.len() {
        return Err(CompileError::at(f, inst, "the call's arguments do not match its signature"));
    }
    if let Some(what) = plan.unsupported {
        return Err(CompileError::at(f, inst, what));
    }
    let mut site = Site { inst, call, plan, args, receive: None };
    if call.tail == TailKind::Must {
        return tail(cx, moves, &mut site);
    }
    let level = block::enter(cx, plan);
    let callee = arguments(cx, moves, &mut site)?;
    count_vectors(cx, plan);
    let start = cx.buf.offset();
    if call.untracked && cx.module.branch_protection && matches!(callee, CallTarget::Reg(_)) {
        cx.target.emit_mark(cx.buf, CodeMark::Untracked);
    }
    cx.target.emit_call(cx.buf, cx.module, callee, false);
    if f.exceptions.personality.is_some() && !call.nounwind {
        mark(cx, start, inst);
    }
    if call.returns_twice && cx.module.branch_protection {
        // It comes back by a jump to the address behind the call.
        cx.target.emit_mark(cx.buf, CodeMark::BranchTarget);
    }
    if let Some(level) = level {
        block::leave(cx, inst, plan, level);
    } else if plan.popped > 0 {
        block::take_back(cx, plan.popped);
    }
    cx.after_call(plan.clobbers);
    cx.note(Event::Unwind);
    results(cx, moves, &site)
}

/// Puts the arguments and what is called into their places.
pub(super) fn arguments<T: Select>(
    cx: &mut Stream<'_, T>,
    moves: &mut Moves,
    site: &mut Site<'_>,
) -> Result<CallTarget, CompileError> {
    let plan = site.plan;
    // First what may need registers of its own: stack arguments and aggregates, the latter by way of memory, since their
    // addresses may be in registers that the moves change.
    moves.clear();
    for (param, passed) in &plan.memory {
        pass(cx, moves, site, site.args[*param as usize], passed)?;
        // There may be more addresses than registers.
        cx.unpin_all();
    }
    let (callee, address) = callee(cx, site)?;
    for p in &plan.registers {
        let v = site.args[p.param as usize];
        cx.expect(v, p.part, p.reg);
        moves.add(MoveDst::Reg(p.reg), source(cx, v, p.part), p.kind);
    }
    if let (CallTarget::Reg(r), Some(v)) = (callee, address) {
        cx.expect(v, 0, r);
        moves.add(MoveDst::Reg(r), source(cx, v, 0), cx.units_kind(v));
    }
    cx.save_across(plan.clobbers)?;
    moves.emit(cx, 0)?;
    cx.note(Event::Met);
    if plan.extends {
        for p in &plan.registers {
            if wants(cx, site.args[p.param as usize], p.ext) {
                extend(cx, p.reg, p.ext);
            }
        }
    }
    for &(also, r) in &plan.doubles {
        cx.target.emit_move(cx.buf, PartKind::F64, also, r);
    }
    for &(r, offset, up) in &plan.addresses {
        let at = cx.frame.outgoing_addr(offset as i32);
        cx.target.emit_frame_address(cx.buf, r, at, up, false);
    }
    Ok(callee)
}

/// Puts what of an argument is in memory into the outgoing area, and pieces of aggregates where `moves` take them from.
fn pass<T: Select>(
    cx: &mut Stream<'_, T>,
    moves: &mut Moves,
    site: &mut Site<'_>,
    v: Value,
    passed: &Passed,
) -> Result<(), CompileError> {
    match passed {
        Passed::Part(p) => pass_part(cx, v, p, cx.frame.outgoing_addr(p.offset as i32)),
        &Passed::Pieces { first, count, .. } => {
            let pieces = &site.plan.pieces[first as usize..][..count as usize];
            for p in pieces {
                let At::Stack(offset) = p.at else { continue };
                let (base, disp) = address(cx, v)?;
                let to = cx.frame.outgoing_addr(offset as i32);
                copy_out(cx, (base, disp + p.offset as i32), to, p.size.into(), site.inst)?;
            }
            for p in pieces {
                if let At::Register(r) = p.at {
                    stage(cx, moves, v, r, (p.kind, p.offset, p.size))?;
                }
            }
            Ok(())
        }
        &Passed::Copy { offset, size, .. } => {
            let src = address(cx, v)?;
            let to = cx.frame.outgoing_addr(offset as i32);
            copy_out(cx, src, to, size, site.inst)
        }
        Passed::Reference(copy) => make(cx, site.inst, v, copy),
        Passed::Result(_) => {
            // It must outlive the call.
            let at = cx.scratch_place(8)?;
            let r = cx.use_reg(v)?;
            cx.target.emit_store(cx.buf, r, at, cx.units_kind(v).bytes());
            site.receive = Some(at);
            Ok(())
        }
        Passed::InBlock(_) | Passed::Nothing(_) => Ok(()),
    }
}

/// Copies a piece of the aggregate at `v` that travels in `r` to a place, from which `moves` take it.
pub(super) fn stage<T: Select>(
    cx: &mut Stream<'_, T>,
    moves: &mut Moves,
    v: Value,
    r: PReg,
    (kind, offset, size): (PartKind, u32, u32),
) -> Result<(), CompileError> {
    let (base, disp) = address(cx, v)?;
    let at = cx.scratch_place(16)?;
    let (a, b) = (cx.temp(r.is_float(), None)?, cx.temp(false, None)?);
    load_exactly(cx, a, b, base, disp + offset as i32, size);
    cx.target.emit_store(cx.buf, a, at, kind.bytes());
    cx.unpin(a);
    cx.unpin(b);
    moves.add(MoveDst::Reg(r), MoveSrc::Memory(at), kind);
    Ok(())
}

pub(super) fn count_vectors<T: Select>(cx: &mut Stream<'_, T>, plan: &CallPlan) {
    if let Some((r, n)) = plan.vector_count {
        cx.target.emit_bits(cx.buf, r, BitsOp::Set(n.into()));
    }
}

/// Stores a part of a value to `to`.
pub(super) fn pass_part<T: Select>(
    cx: &mut Stream<'_, T>,
    v: Value,
    p: &StackPart,
    to: FrameAddr,
) -> Result<(), CompileError> {
    let (part, kind) = (p.part, p.kind);
    if p.narrow > 0 {
        // A slot of x87's format may be narrower than the place of a value.
        let from = in_memory(cx, v)?;
        let t = cx.temp(false, None)?;
        copy_words(cx, t, from, to, p.narrow);
        cx.unpin(t);
        return Ok(());
    }
    let at = cx.whereabouts(v, part);
    if kind.is_memory() {
        let t = carrier(cx)?;
        if let Where::Const(c) = at {
            cx.target.emit_memory_const(cx.buf, cx.ty(v), c, t, to)?;
        } else {
            let from = cx.memory_operand(v);
            cx.target.emit_load(cx.buf, t, from, kind.bytes());
            cx.target.emit_store(cx.buf, t, to, kind.bytes());
        }
        cx.unpin(t);
        return Ok(());
    }
    if let (Where::Const(ConstData::Int(n)), Extension::None, false) = (at, p.ext, kind.is_float()) {
        let n = (n >> (u32::from(part) * 8 * kind.bytes())) as i64;
        let n = if kind.bytes() == 4 { i64::from(n as i32) } else { n };
        if cx.target.can_store_const(kind, n) {
            cx.target.emit_store_const(cx.buf, kind, n, to);
            return Ok(());
        }
    }
    let r = if wants(cx, v, p.ext) || matches!(at, Where::Const(_) | Where::Slot(_)) {
        let t = cx.temp(kind.is_float(), None)?;
        cx.copy_into(t, v, part)?;
        extend(cx, t, p.ext);
        t
    } else {
        cx.use_part(v, part)?
    };
    cx.target.emit_store(cx.buf, r, to, kind.bytes());
    // Many arguments may come by here: none keeps its register pinned.
    cx.unpin(r);
    Ok(())
}

/// What a call goes to, and if that is a register the value that is to be in it. To be asked for before the moves are put
/// together: a register may have to be emptied.
fn callee<T: Select>(cx: &mut Stream<'_, T>, site: &Site<'_>) -> Result<(CallTarget, Option<Value>), CompileError> {
    let v = match site.call.callee {
        Callee::Symbol(s) => return Ok((CallTarget::Symbol(s), None)),
        Callee::Library(lib) => return Ok((CallTarget::Library(lib), None)),
        Callee::Value(v) => v,
    };
    if let Some(ConstData::Symbol(s, 0)) = cx.f.constant(v) {
        return Ok((CallTarget::Symbol(s), None));
    }
    let jump = site.call.tail == TailKind::Must;
    let r = match (source(cx, v, 0), site.plan.callee) {
        (MoveSrc::Reg(r), _) if !jump && site.plan.clobbers.whole & r.mask() == 0 => r,
        (_, Some(r)) => r,
        // A jump would have to restore a register that callees keep first.
        (_, None) if jump => return Err(CompileError::out_of_registers(cx.f)),
        (_, None) => cx.take_spare()?,
    };
    Ok((CallTarget::Reg(r), Some(v)))
}
