//! Moves the arguments of a call to their registers and stack places, and the address of the callee to where the call reads it.

use super::memory::{address, copy_out, copy_words, load_exactly, narrower, pass_part, piece_in_place};
use super::reference::make;
use super::{extend, shift, wants};
use crate::alloc::{Emitter, Event, MoveDst, MoveSrc, Moves, source};
use crate::error::{CompileError, Result};
use crate::ir::{CallData, Callee, ConstData, Inst, TailKind, Value};
use crate::machine::{BitsOp, CallTarget, FrameAddr, PReg, PartKind};
use crate::plan::{At, CallPlan, Passed};
use crate::select::Select;

/// A call that is being emitted.
pub(super) struct Site<'a> {
    pub inst: Inst,
    pub call: CallData,
    pub plan: &'a CallPlan,
    pub args: &'a [Value],
    /// The address that receives an aggregate which comes back in pieces.
    pub receive: Option<FrameAddr>,
}

/// The most bytes of code for one more argument and for what follows the last of them.
const ONE_MORE: u32 = 384;

/// Puts the arguments and the callee's address into their places.
pub(super) fn arguments<T: Select>(
    cx: &mut Emitter<'_, T>,
    moves: &mut Moves,
    site: &mut Site<'_>,
) -> Result<CallTarget> {
    let plan = site.plan;
    // Stack arguments and aggregates come first, since they may need registers of their own. Aggregates go by way of
    // memory, because their addresses may be in registers that the moves change.
    moves.clear();
    for (param, passed) in &plan.memory {
        // Hundreds of arguments may be constants.
        cx.make_island(|_| ONE_MORE);
        pass(cx, moves, site, site.args[*param as usize], passed)?;
        // There may be more addresses than registers.
        cx.unpin_all();
    }
    let (callee, address) = callee(cx, site)?;
    for p in &plan.registers {
        let v = site.args[p.param as usize];
        send(cx, moves, (v, p.part), p.reg, p.kind)?;
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
        let at = cx.outgoing_addr(offset);
        cx.target.emit_frame_address(cx.buf, r, at, up, false);
    }
    Ok(callee)
}

/// Adds to `moves` that a part of a value goes to the register in which it is passed.
pub(super) fn send<T: Select>(
    cx: &mut Emitter<'_, T>,
    moves: &mut Moves,
    (v, part): (Value, u8),
    r: PReg,
    kind: PartKind,
) -> Result {
    cx.expect(v, part, r);
    let from = source(cx, v, part);
    if let MoveSrc::Reg(_) = from {
        cx.touch(v, part);
    }
    let from = match from {
        from if cx.target.facts().registers.halves & r.mask() == 0 => from,
        // A half of a register whose other half may still be read: it is moved last, from memory.
        MoveSrc::Reg(s) => {
            let at = cx.scratch_place(8)?;
            cx.store_to(kind, s, at);
            MoveSrc::Memory(at)
        }
        MoveSrc::Place(_, at) => MoveSrc::Memory(at),
        from => from,
    };
    moves.add(MoveDst::Reg(r), from, kind);
    Ok(())
}

/// The address of a floating-point number in memory, from which `moves` may take words.
pub(super) fn words_of<T: Select>(cx: &mut Emitter<'_, T>, v: Value) -> Result<FrameAddr> {
    if let MoveSrc::Place(_, at) | MoveSrc::Memory(at) = source(cx, v, 0) {
        return Ok(at);
    }
    let (kind, r) = (cx.units_kind(v), cx.use_reg(v)?);
    let at = cx.scratch_place(kind.bytes())?;
    cx.store_to(kind, r, at);
    cx.unpin(r);
    Ok(at)
}

/// Puts the parts of an argument that are passed in memory into the outgoing area, and pieces of aggregates where
/// `moves` take them from.
fn pass<T: Select>(
    cx: &mut Emitter<'_, T>,
    moves: &mut Moves,
    site: &mut Site<'_>,
    v: Value,
    passed: &Passed,
) -> Result {
    match passed {
        Passed::Part(p) => pass_part(cx, v, p, cx.outgoing_addr(p.offset)),
        &Passed::Pieces { first, count, layout } => {
            let pieces = &site.plan.pieces[first as usize..][..count as usize];
            for p in pieces {
                let At::Stack(offset) = p.at else { continue };
                let (base, disp) = address(cx, v)?;
                let to = cx.outgoing_addr(offset);
                copy_out(cx, ((base, disp + p.offset as i32), layout.align), to, p.size.into(), site.inst)?;
            }
            for p in pieces {
                if let At::Register(r) = p.at {
                    stage(cx, moves, (v, layout.align), r, (p.kind, p.offset, p.size))?;
                }
            }
            Ok(())
        }
        &Passed::Words { first, count } => {
            let from = words_of(cx, v)?;
            for p in &site.plan.pieces[first as usize..][..count as usize] {
                let word = shift(from, p.offset as i32);
                match p.at {
                    At::Register(r) => moves.add(MoveDst::Reg(r), MoveSrc::Memory(word), p.kind),
                    At::Stack(offset) => {
                        let (t, to) = (cx.temp(false, None)?, cx.outgoing_addr(offset));
                        copy_words(cx, t, word, to, p.size, p.kind.bytes());
                        cx.unpin(t);
                    }
                }
            }
            Ok(())
        }
        &Passed::Copy { offset, size, align, .. } => {
            let src = address(cx, v)?;
            let to = cx.outgoing_addr(offset);
            copy_out(cx, (src, align), to, size, site.inst)
        }
        Passed::Reference(copy) => make(cx, site.inst, v, copy),
        Passed::Result(_) => {
            // The value must outlive the call.
            let at = cx.scratch_place(8)?;
            let r = cx.use_reg(v)?;
            cx.target.emit_store(cx.buf, r, at, cx.units_kind(v).bytes());
            site.receive = Some(at);
            Ok(())
        }
        Passed::InBlock(_) | Passed::Nothing(_) => Ok(()),
    }
}

/// Copies a piece of the aggregate at `v`, which is passed in `r`, to a place from which `moves` take it.
pub(super) fn stage<T: Select>(
    cx: &mut Emitter<'_, T>,
    moves: &mut Moves,
    (v, align): (Value, u32),
    r: PReg,
    (kind, offset, size): (PartKind, u32, u32),
) -> Result {
    let (base, disp) = address(cx, v)?;
    let (at, disp) = (cx.scratch_place(16)?, disp + offset as i32);
    if let Some(most) = narrower(cx, r, align) {
        let t = cx.temp(false, None)?;
        let to = shift(at, piece_in_place(cx, r, kind, size));
        copy_words(cx, t, FrameAddr { base, disp }, to, size, most);
        cx.unpin(t);
    } else {
        let (a, b) = (cx.temp(r.is_float(), None)?, cx.temp(false, None)?);
        load_exactly(cx, a, b, base, disp, size);
        cx.target.emit_store(cx.buf, a, at, kind.bytes());
        cx.unpin(a);
        cx.unpin(b);
    }
    moves.add(MoveDst::Reg(r), MoveSrc::Memory(at), kind);
    Ok(())
}

/// Sets the number of vector registers that hold arguments, where the convention wants it.
pub(super) fn count_vectors<T: Select>(cx: &mut Emitter<'_, T>, plan: &CallPlan) {
    if let Some((r, n)) = plan.vector_count {
        cx.target.emit_bits(cx.buf, r, BitsOp::Set(n.into()));
    }
}

/// The target of a call, and if that is a register the value that has to be in it. To be asked for before the moves are
/// collected: a register may have to be emptied.
fn callee<T: Select>(cx: &mut Emitter<'_, T>, site: &Site<'_>) -> Result<(CallTarget, Option<Value>)> {
    let v = match site.call.callee {
        Callee::Symbol(s) => return Ok((CallTarget::Symbol(s), None)),
        Callee::Library(lib) => return Ok((CallTarget::Library(lib), None)),
        Callee::Value(v) => v,
    };
    if let Some(ConstData::Symbol(s, 0)) = cx.f.constant(v) {
        return Ok((CallTarget::Symbol(s), None));
    }
    let jump = site.call.tail == TailKind::Must;
    let usual = if jump { site.plan.callee_of_jump(cx.target, cx.f) } else { site.plan.callee };
    let r = match (source(cx, v, 0), usual) {
        (MoveSrc::Reg(r), _) if !jump && site.plan.clobbers.whole & r.mask() == 0 => r,
        (_, Some(r)) => r,
        // A jump would have to restore a preserved register first.
        (_, None) if jump => return Err(CompileError::out_of_registers(cx.f)),
        (_, None) => cx.take_extra_scratch()?,
    };
    Ok((CallTarget::Reg(r), Some(v)))
}
