//! Calls: arguments to their places, the call itself, and calls of run-time helpers.

use gusset_abi::{Extension, FnAbi, InlineVec, PassMode, Piece, Place};

use super::block;
use super::forward::{kept, passes_on, restore};
use super::landing::mark;
use super::memory::{address, copy_out, copy_words, load_exactly};
use super::reference::{collect, make};
use super::result::results;
use super::{
    CallTarget, apply, argument_registers, by_address, carrier, int_or_float, part_of, parts_of, set_of, shift,
    slot_bytes, unsupported,
};
use crate::alloc::{Event, MoveDst, MoveSrc, Moves, Stream, Where, source};
use crate::buffer::CodeBuffer;
use crate::error::CompileError;
use crate::ir::{CallData, Callee, ConstData, Function, Inst, SigData, TailKind, Value};
use crate::machine::each_register;
use crate::target::{FrameAddr, PReg, PartKind, Target};

/// Emits a call.
pub fn call<T: Target>(cx: &mut Stream<'_, T>, moves: &mut Moves, inst: Inst) -> Result<(), CompileError> {
    let f = cx.f;
    let call = f.calls[f.inst(inst).a as usize];
    let sig = &*f.sigs[call.sig.index()];
    let args = f.pool_values(call.args_start, call.args_len);
    if args.len() != sig.params.len() {
        return Err(CompileError::at(f, inst, "the call's arguments do not match its signature"));
    }
    let abi = &sig.abi;
    if let Some(what) = unsupported(cx.target, abi) {
        return Err(CompileError::at(f, inst, what));
    }
    let must = call.tail == TailKind::Must;
    if must {
        crate::guard::check(cx)?;
    }
    let level = if must { None } else { block::enter(cx, abi) };
    // First what may need registers of its own: stack arguments and aggregates, the latter by way of memory, since their
    // addresses may be in registers that the moves change.
    moves.clear();
    let mut receive = None;
    let copies = collect(sig);
    let mut copied = 0;
    let mut doubles: InlineVec<(PReg, PReg), 4> = InlineVec::new();
    for (i, &v) in args.iter().enumerate() {
        let Some(arg) = abi.args.get(i) else {
            // The address that receives a C-level aggregate in pieces must outlive the call.
            if let PassMode::Indirect { .. } = abi.ret.mode {
                pass_on_stack(cx, inst, sig, i, v, &abi.ret.mode)?;
            }
            if let PassMode::Direct(_) = abi.ret.mode {
                let at = cx.scratch_place(8)?;
                let r = cx.use_reg(v)?;
                cx.target.emit_frame_store(cx.buf, cx.units_kind(v), r, at);
                receive = Some(at);
            }
            continue;
        };
        let copy = copies.get(copied).filter(|(k, _)| *k == i).map(|(_, copy)| *copy);
        match copy {
            Some(_) if must => {
                return Err(CompileError::at(
                    f,
                    inst,
                    "a musttail call passes the address of a copy that would be lost",
                ));
            }
            Some(copy) => {
                make(cx, inst, sig, i, v, &copy)?;
                copied += 1;
            }
            None => pass_on_stack(cx, inst, sig, i, v, &arg.mode)?,
        }
        if by_address(sig, i) {
            stage_aggregate(cx, moves, inst, v, arg.mode.pieces())?;
        }
        // There may be more addresses than registers.
        cx.unpin_all();
    }
    // Where a callee keeps more than usual, argument registers among it, the moves to those change them all the same.
    let clobbers = set_of(abi) | !cx.target.registers().preserved;
    // Emptied before the moves are put together: what is in it moves away.
    let spare = if needs_spare(cx, &call, abi, clobbers) { Some(cx.take_spare()?) } else { None };
    let mut extend: InlineVec<(PReg, Extension), 8> = InlineVec::new();
    for (i, &v) in args.iter().enumerate() {
        let pieces: &[Piece] = match abi.args.get(i).map(|a| &a.mode) {
            Some(PassMode::Direct(_)) if by_address(sig, i) => continue,
            Some(PassMode::Direct(p)) => p,
            Some(PassMode::Indirect { .. }) if copies.binary_search_by_key(&i, |(k, _)| *k).is_ok() => continue,
            Some(PassMode::Indirect { pointer, .. }) => std::slice::from_ref(pointer),
            Some(_) => continue,
            None => match &abi.ret.mode {
                PassMode::Indirect { pointer, .. } => std::slice::from_ref(pointer),
                _ => continue,
            },
        };
        for p in pieces {
            let Some(r) = p.reg() else { continue };
            let r = int_or_float(cx, inst, r)?;
            let kind = cx.units_kind(v);
            let part = part_of(kind, p);
            cx.expect(v, part, r);
            moves.add(MoveDst::Reg(r), source(cx, v, part), kind);
            if let Place::RegPlus { also, .. } = p.place {
                doubles.push((int_or_float(cx, inst, also)?, r));
            }
            if p.ext != Extension::None && !cx.target.is_extended(f, v, p.ext) {
                extend.push((r, p.ext));
            }
        }
    }
    let callee = callee(cx, moves, &call, abi, clobbers, spare)?;
    cx.save_across(clobbers)?;
    moves.emit(cx, 0)?;
    cx.note(Event::Met);
    for &(r, ext) in extend.iter() {
        apply(cx, r, ext);
    }
    for &(also, r) in doubles.iter() {
        cx.target.emit_move(cx.buf, PartKind::F64, also, r);
    }
    for (_, copy) in copies.iter() {
        if let Some(r) = copy.pointer.reg() {
            let r = int_or_float(cx, inst, r)?;
            let at = cx.frame.outgoing_addr(copy.offset as i32);
            cx.target.emit_frame_address(cx.buf, r, at, copy.up, false);
        }
    }
    if must {
        if abi.stack_arg_bytes > f.signature().abi.stack_arg_bytes
            || abi.callee_pop_bytes != f.signature().abi.callee_pop_bytes
        {
            return Err(CompileError::at(f, inst, "a musttail call needs more argument space than its caller has"));
        }
        // Arguments on the stack were put together in the outgoing area; they move up into our own. A block is there already.
        let mut done = abi.home_space;
        if abi.arg_block.is_some() {
            block::forwards(cx, inst, abi)?;
            done = abi.stack_arg_bytes;
        }
        let forwards = passes_on(f, &call);
        let mut taken = argument_registers(abi);
        if forwards {
            taken |= kept(f);
        }
        let mut callee = callee;
        match callee {
            CallTarget::Reg(r) => taken |= r.mask(),
            CallTarget::Symbol(symbol) if cx.target.jumps_by_register(cx.module, symbol) => {
                let r = free_scratch(cx.target, taken).ok_or_else(|| CompileError::out_of_registers(f))?;
                cx.target.emit_far_address(cx.buf, symbol, r);
                taken |= r.mask();
                callee = CallTarget::Reg(r);
            }
            CallTarget::Symbol(_) | CallTarget::Library(_) => {}
        }
        if done < abi.stack_arg_bytes {
            // What the epilogue restores is free as well.
            let saved = || each_register(cx.frame.restored() & !taken).next();
            let t = match free_scratch(cx.target, taken).or_else(saved) {
                Some(t) => t,
                None => cx.take_spare()?,
            };
            let word = cx.target.word();
            while done < abi.stack_arg_bytes {
                let from = cx.frame.outgoing_addr(done as i32);
                cx.target.emit_frame_load(cx.buf, word, t, from);
                let to = cx.frame.incoming(done as i32);
                cx.target.emit_frame_store(cx.buf, word, t, to);
                done += word.bytes();
            }
        }
        if forwards {
            restore(cx);
        } else {
            count_vectors(cx, abi);
        }
        crate::zero::before_jump(
            cx,
            taken | abi.vector_count.and_then(|(r, _)| PReg::from_abi(r)).map_or(0, PReg::mask),
        );
        cx.emit_epilogue();
        let (buf, module) = (&mut *cx.buf, cx.module);
        cx.target.emit_call(buf, module, callee, true);
        cx.buf.restore_cfa();
        return Ok(());
    }
    count_vectors(cx, abi);
    let start = cx.buf.offset();
    if call.untracked && cx.module.branch_protection && matches!(callee, CallTarget::Reg(_)) {
        cx.target.emit_untracked(cx.buf);
    }
    let (buf, module) = (&mut *cx.buf, cx.module);
    cx.target.emit_call(buf, module, callee, false);
    if f.exceptions.personality.is_some() && !call.nounwind {
        mark(cx, start, inst);
    }
    if call.returns_twice && cx.module.branch_protection {
        // It comes back by a jump to the address behind the call.
        cx.target.emit_branch_marker(cx.buf);
    }
    if let Some(level) = level {
        block::leave(cx, inst, abi, level);
    } else if abi.callee_pop_bytes > 0 {
        block::take_back(cx, abi.callee_pop_bytes);
    }
    cx.note(Event::Clobber(clobbers));
    cx.note(Event::Unwind);
    cx.forget_all(clobbers);
    cx.release();
    results(cx, moves, inst, sig, receive)
}

/// A general-purpose scratch register that is none of `taken`.
fn free_scratch<T: Target>(target: &T, taken: u64) -> Option<PReg> {
    let file = target.registers();
    let free = (file.scratch | file.entry_scratch.mask()) & !taken & 0xffff_ffff;
    if free & file.entry_scratch.mask() != 0 {
        return Some(file.entry_scratch);
    }
    (free != 0).then(|| PReg(free.trailing_zeros() as u8))
}

/// Copies the pieces of the aggregate at `v` that travel in registers to places, from which `moves` take them.
pub(super) fn stage_aggregate<T: Target>(
    cx: &mut Stream<'_, T>,
    moves: &mut Moves,
    inst: Inst,
    v: Value,
    pieces: &[Piece],
) -> Result<(), CompileError> {
    for p in pieces {
        let Some(r) = p.reg() else { continue };
        let r = int_or_float(cx, inst, r)?;
        let (base, disp) = address(cx, v)?;
        let kind = match (r.is_float(), p.size > 8) {
            (true, true) => PartKind::V128,
            (true, false) => PartKind::F64,
            _ => cx.target.word(),
        };
        let at = cx.scratch_place(16)?;
        let (a, b) = (cx.temp(r.is_float(), None)?, cx.temp(false, None)?);
        load_exactly(cx, a, b, base, disp + p.offset as i32, p.size);
        cx.target.emit_frame_store(cx.buf, kind, a, at);
        cx.unpin(a);
        cx.unpin(b);
        moves.add(MoveDst::Reg(r), MoveSrc::Memory(at), kind);
    }
    Ok(())
}

fn count_vectors<T: Target>(cx: &mut Stream<'_, T>, abi: &FnAbi) {
    if let Some((r, n)) = abi.vector_count
        && let Some(r) = PReg::from_abi(r)
    {
        cx.target.emit_small(cx.buf, r, n as i32);
    }
}

/// Puts the parts of an argument that travel on the stack into the outgoing area.
fn pass_on_stack<T: Target>(
    cx: &mut Stream<'_, T>,
    inst: Inst,
    sig: &SigData,
    i: usize,
    v: Value,
    mode: &PassMode,
) -> Result<(), CompileError> {
    match mode {
        PassMode::StackCopy { offset, size, .. } => {
            let src = address(cx, v)?;
            let to = cx.frame.outgoing_addr(*offset as i32);
            copy_out(cx, src, to, *size, inst)
        }
        PassMode::Direct(pieces) => {
            for p in pieces {
                let Place::Stack { offset } = p.place else { continue };
                let to = cx.frame.outgoing_addr(offset as i32);
                if by_address(sig, i) {
                    let (base, disp) = address(cx, v)?;
                    copy_out(cx, (base, disp + p.offset as i32), to, p.size as u64, inst)?;
                } else {
                    for (part, at) in parts_of(cx.units_kind(v), p) {
                        pass_scalar(cx, v, part, p, shift(to, at))?;
                    }
                }
            }
            Ok(())
        }
        PassMode::Indirect { pointer: Piece { place: Place::Stack { offset }, .. }, .. } => {
            let r = cx.use_reg(v)?;
            let to = cx.frame.outgoing_addr(*offset as i32);
            cx.target.emit_frame_store(cx.buf, cx.units_kind(v), r, to);
            cx.unpin(r);
            Ok(())
        }
        _ => Ok(()),
    }
}

pub(super) fn pass_scalar<T: Target>(
    cx: &mut Stream<'_, T>,
    v: Value,
    part: u8,
    p: &Piece,
    to: FrameAddr,
) -> Result<(), CompileError> {
    let kind = cx.units_kind(v);
    if kind.is_memory() && slot_bytes(cx, p) < kind.bytes() {
        // A slot of x87's format may be narrower than the place of a value.
        let from = match cx.whereabouts(v, 0) {
            Where::Const(c) => {
                let (t, at) = (carrier(cx)?, cx.scratch_place(16)?);
                cx.target.emit_memory_const(cx.buf, cx.f.value_type(v), c, t, at)?;
                cx.unpin(t);
                at
            }
            _ => cx.memory_operand(v),
        };
        let t = cx.temp(false, None)?;
        copy_words(cx, t, from, to, p.size);
        cx.unpin(t);
        return Ok(());
    }
    if kind.is_memory() {
        let t = carrier(cx)?;
        match cx.whereabouts(v, 0) {
            Where::Const(c) => cx.target.emit_memory_const(cx.buf, cx.f.value_type(v), c, t, to)?,
            _ => {
                let from = cx.memory_operand(v);
                cx.target.emit_frame_load(cx.buf, kind, t, from);
                cx.target.emit_frame_store(cx.buf, kind, t, to);
            }
        }
        cx.unpin(t);
        return Ok(());
    }
    if let (Where::Const(ConstData::Int(n)), Extension::None, false) = (cx.whereabouts(v, part), p.ext, kind.is_float())
    {
        let n = (n >> (u32::from(part) * 8 * kind.bytes())) as i64;
        let n = if kind.bytes() == 4 { i64::from(n as i32) } else { n };
        if cx.target.can_store_const(kind, n) {
            cx.target.emit_frame_store_const(cx.buf, kind, n, to);
            return Ok(());
        }
    }
    let constant = matches!(cx.whereabouts(v, part), Where::Const(_) | Where::Slot(_));
    if (p.ext != Extension::None && !cx.target.is_extended(cx.f, v, p.ext)) || constant {
        let t = cx.temp(kind.is_float(), None)?;
        cx.copy_into(t, v, part)?;
        apply(cx, t, p.ext);
        cx.target.emit_frame_store(cx.buf, kind, t, to);
        cx.unpin(t);
    } else {
        // Many arguments may come by here: none keeps its register pinned.
        let r = cx.use_part(v, part)?;
        cx.target.emit_frame_store(cx.buf, kind, r, to);
        cx.unpin(r);
    }
    Ok(())
}

/// A register for an indirect callee's address that no argument has and calls may change.
fn callee_register<T: Target>(cx: &Stream<'_, T>, abi: &FnAbi, clobbers: u64) -> Option<PReg> {
    let file = cx.target.registers();
    // Some conventions pass arguments in the register that is otherwise for this.
    let free = clobbers & !argument_registers(abi) & !file.frame_pointer.mask();
    let usual = Some(file.call_register).filter(|r| free & r.mask() != 0);
    usual.or_else(|| file.local_order.iter().copied().find(|r| !r.is_float() && free & r.mask() != 0))
}

/// The value that a call goes to, unless that is known by name.
fn callee_value(f: &Function, call: &CallData) -> Result<Value, CallTarget> {
    let v = match call.callee {
        Callee::Symbol(s) => return Err(CallTarget::Symbol(s)),
        Callee::Library(lib) => return Err(CallTarget::Library(lib)),
        Callee::Value(v) => v,
    };
    match f.constant(v) {
        Some(ConstData::Symbol(s, 0)) => Err(CallTarget::Symbol(s)),
        _ => Ok(v),
    }
}

/// Must the callee's address be in a register that callees keep, since arguments have all others?
fn needs_spare<T: Target>(cx: &mut Stream<'_, T>, call: &CallData, abi: &FnAbi, clobbers: u64) -> bool {
    let Ok(v) = callee_value(cx.f, call) else { return false };
    // A jump would have to restore it first.
    if call.tail == TailKind::Must || callee_register(cx, abi, clobbers).is_some() {
        return false;
    }
    !matches!(source(cx, v, 0), MoveSrc::Reg(r) if clobbers & r.mask() == 0)
}

fn callee<T: Target>(
    cx: &mut Stream<'_, T>,
    moves: &mut Moves,
    call: &CallData,
    abi: &FnAbi,
    clobbers: u64,
    spare: Option<PReg>,
) -> Result<CallTarget, CompileError> {
    let v = match callee_value(cx.f, call) {
        Ok(v) => v,
        Err(known) => return Ok(known),
    };
    let src = source(cx, v, 0);
    if let MoveSrc::Reg(r) = src
        && clobbers & r.mask() == 0
        && call.tail != TailKind::Must
    {
        cx.expect(v, 0, r);
        return Ok(CallTarget::Reg(r));
    }
    let r = spare.or_else(|| callee_register(cx, abi, clobbers));
    let r = r.ok_or_else(|| CompileError::out_of_registers(cx.f))?;
    cx.expect(v, 0, r);
    moves.add(MoveDst::Reg(r), src, cx.units_kind(v));
    Ok(CallTarget::Reg(r))
}

/// Emits a call of a run-time helper whose operands travel in registers: parts of values in, parts of one result out.
/// `clobbers` are the registers it changes; `emit` appends the call instruction. Operands that were left to the current
/// instruction are emitted first.
pub fn helper<T: Target>(
    cx: &mut Stream<'_, T>,
    args: &[(PReg, Value, u8)],
    clobbers: u64,
    emit: impl FnOnce(&mut CodeBuffer),
    result: Option<(Value, &[PReg])>,
) -> Result<(), CompileError> {
    for &(_, v, _) in args {
        if let Some(i) = cx.deferred(v) {
            cx.emit_deferred(i)?;
        }
    }
    let mut moves = std::mem::take(&mut cx.scratch.helper_moves);
    moves.clear();
    for &(r, v, part) in args {
        let kind = cx.units_kind(v);
        cx.expect(v, part, r);
        moves.add(MoveDst::Reg(r), source(cx, v, part), kind);
    }
    cx.save_across(clobbers)?;
    moves.emit(cx, 0)?;
    cx.note(Event::Met);
    cx.scratch.helper_moves = moves;
    emit(cx.buf);
    cx.note(Event::Clobber(clobbers));
    cx.forget_all(clobbers);
    cx.release();
    let Some((v, regs)) = result else { return Ok(()) };
    regs.iter().for_each(|&r| cx.pin(r));
    for (part, &r) in regs.iter().enumerate() {
        cx.set(v, part as u8, r)?;
    }
    Ok(())
}
