//! Results: a return moves them to where the caller reads them, and the caller reads them after the call.

use super::arguments::{Site, send, stage, words_of};
use super::memory::{address, copy_words, in_memory, narrower, piece_in_place, store_exactly};
use super::{extend, note_bound, plan, shift, truth, wants};
use gusset_abi::Convention;

use crate::alloc::{Emitter, Event, MoveDst, MoveSrc, Moves, source};
use crate::error::{CompileError, Result};
use crate::ir::{Block, Inst, Opcode, Value, ZeroRegisters, sleds};
use crate::machine::{FrameAddr, FrameOp, PReg, PartKind, Stacked};
use crate::plan::{CallPlan, ResultPart};
use crate::select::Select;
use crate::sled;

/// Binds the results of a call.
pub(super) fn results<T: Select>(cx: &mut Emitter<'_, T>, moves: &mut Moves, site: &Site<'_>) -> Result {
    let (f, plan) = (cx.f, site.plan);
    if let Some(at) = site.receive {
        return store_aggregate_result(cx, plan, at);
    }
    let first = f.result(site.inst);
    let n = f.result_count(site.inst);
    if n == 0 {
        return Ok(());
    }
    moves.clear();
    let wanted = plan.results.iter().filter(|p| p.value < n).map(|p| (p, Value(first.0 + p.value)));
    let halves = cx.target.facts().registers.halves;
    let mut words = None;
    let stay = results_stay(cx, plan, wanted.clone());
    for (p, v) in wanted.clone() {
        let Some(r) = p.reg else {
            pop(cx, moves, p, v)?;
            continue;
        };
        if cx.live.count(v) == 0 {
            continue;
        }
        if p.truth {
            truth(cx, r);
        }
        if stay {
            cx.set(v, p.part, r)?;
            continue;
        }
        if p.is_word() {
            // They are assembled in memory.
            let at = match words {
                Some(at) if p.part > 0 => at,
                _ => *words.insert(cx.scratch_place(p.kind.bytes())?),
            };
            // The low bytes of less than a word are at its end in big-endian memory.
            let whole = cx.target.facts().word().bytes();
            let size = if cx.target.facts().endian().is_big() { p.size.max(whole) } else { p.size };
            cx.target.emit_store(cx.buf, r, shift(at, i32::from(p.part) * p.size as i32), size);
            if p.part == 0 {
                note_bound(cx, v, 0, at);
                moves.add(cx.home(v, 0)?, MoveSrc::Memory(at), p.kind);
            }
            continue;
        }
        let dst = cx.home(v, p.part)?;
        note_bound(cx, v, p.part, r);
        let from =
            if halves & r.mask() == 0 { MoveSrc::Reg(r) } else { MoveSrc::Memory(half_in_memory(cx, p.kind, r)?) };
        moves.add(dst, from, p.kind);
    }
    if stay {
        return Ok(());
    }
    // Only the vector register that is never allocated is certain to be free: results may be in any other.
    let file = &cx.target.facts().registers;
    let scratch = file.edge_scratch & !file.allocatable;
    moves.emit(cx, scratch)?;
    for (p, v) in wanted {
        if !p.kind.is_memory() && cx.live.count(v) != 0 && !(p.is_word() && p.part > 0) {
            cx.bind_moved(v, p.part);
        }
    }
    Ok(())
}

/// Stores half of a register, if something may be moved into the whole of it, and returns the place.
pub(super) fn half_in_memory<T: Select>(cx: &mut Emitter<'_, T>, kind: PartKind, r: PReg) -> Result<FrameAddr> {
    let at = cx.scratch_place(8)?;
    cx.store_to(kind, r, at);
    Ok(at)
}

/// Stores an aggregate that came back in pieces at the address that `at` holds.
fn store_aggregate_result<T: Select>(cx: &mut Emitter<'_, T>, plan: &CallPlan, at: FrameAddr) -> Result {
    let file = &cx.target.facts().registers;
    let free = file.scratch & !plan.result_registers & 0xffff_ffff;
    let base = if plan.result_registers & file.call_register.mask() == 0 || free == 0 {
        file.call_register
    } else {
        PReg(free.trailing_zeros() as u8)
    };
    cx.target.emit_load(cx.buf, base, at, cx.target.facts().word().bytes());
    for p in &plan.results {
        let to = FrameAddr { base, disp: p.offset as i32 };
        let Some(r) = p.reg else {
            cx.target.emit_stacked(cx.buf, Stacked::Pop, to, p.size);
            continue;
        };
        let Some(most) = narrower(cx, r, plan.result_align) else {
            store_exactly(cx, r, to, p.size);
            continue;
        };
        let from = cx.scratch_place(16)?;
        cx.target.emit_store(cx.buf, r, from, p.kind.bytes());
        // A register whose piece has been stored is free.
        let free = free & !base.mask();
        let t = if r.is_float() && free != 0 { PReg(free.trailing_zeros() as u8) } else { r };
        let from = shift(from, piece_in_place(cx, r, p.kind, p.size));
        copy_words(cx, t, from, to, p.size, most);
    }
    Ok(())
}

/// Pops a result from the machine's stack of registers. They come in order, used or not. A result that lives in other
/// registers (LLVM's third and fourth of an aggregate) goes through memory.
fn pop<T: Select>(cx: &mut Emitter<'_, T>, moves: &mut Moves, p: &ResultPart, v: Value) -> Result {
    if p.kind.is_memory() {
        let at = cx.def_memory(v)?;
        cx.target.emit_stacked(cx.buf, Stacked::Pop, at, p.kind.bytes());
        return Ok(());
    }
    let at = cx.scratch_place(8)?;
    cx.target.emit_stacked(cx.buf, Stacked::Pop, at, p.kind.bytes());
    if cx.live.count(v) != 0 {
        let dst = cx.home(v, 0)?;
        note_bound(cx, v, 0, at);
        moves.add(dst, MoveSrc::Memory(at), p.kind);
    }
    Ok(())
}

/// Pushes a result onto the machine's stack of registers.
fn push<T: Select>(cx: &mut Emitter<'_, T>, p: &ResultPart, v: Value) -> Result {
    let at = if p.kind.is_memory() {
        in_memory(cx, v)?
    } else {
        let at = cx.scratch_place(8)?;
        let r = cx.use_reg(v)?;
        cx.target.emit_store(cx.buf, r, at, p.kind.bytes());
        at
    };
    cx.target.emit_stacked(cx.buf, Stacked::Push, at, p.kind.bytes());
    Ok(())
}

/// Can each result be bound in its register, because that is of its own kind and no other result comes in the register
/// of its home? Their registers are then pinned.
fn results_stay<'a, T: Select>(
    cx: &mut Emitter<'_, T>,
    plan: &CallPlan,
    wanted: impl Iterator<Item = (&'a ResultPart, Value)> + Clone,
) -> bool {
    let halves = cx.target.facts().registers.halves;
    if plan.stacked > 0 || plan.result_registers & halves != 0 {
        return false;
    }
    for (p, v) in wanted.clone() {
        if p.is_word() {
            return false;
        }
        let home = cx.home_register(v, p.part);
        let lost = |h: PReg| Some(h) != p.reg && plan.result_registers & h.mask() != 0;
        let foreign = p.reg.is_some_and(|r| r.is_float() != p.kind.is_float());
        if cx.live.count(v) != 0 && (foreign || home.is_some_and(lost)) {
            return false;
        }
    }
    for (p, v) in wanted {
        if let (Some(r), true) = (p.reg, cx.live.count(v) != 0) {
            cx.pin(r);
        }
    }
    true
}

/// Emits a return.
pub fn emit_return<T: Select>(cx: &mut Emitter<'_, T>, moves: &mut Moves, inst: Inst) -> Result {
    let f = cx.f;
    let d = *f.inst(inst);
    let sig = f.signature();
    let plan = plan(cx.target, sig);
    let values = f.pool_values(d.a, d.b);
    // Such a call has become a jump.
    if f.follows_tail_call(inst) {
        return Ok(());
    }
    crate::stack_protector::check(cx)?;
    moves.clear();
    let kept = f.layout.first().zip(plan.kept).and_then(|(&b, i)| f.params(b).get(i as usize).copied());
    if sig.aggregate_result {
        let v = kept.ok_or_else(|| CompileError::at(f, inst, "an aggregate result without its address"))?;
        return_aggregate(cx, moves, plan, v)?;
    } else {
        return_values(cx, moves, plan, values)?;
    }
    if let (Some(r), Some(v)) = (plan.returned, kept) {
        cx.expect(v, 0, r);
        moves.add(MoveDst::Reg(r), source(cx, v, 0), cx.units_kind(v));
    }
    moves.emit(cx, 0)?;
    cx.note(Event::Met);
    for p in plan.results.iter().rev() {
        if let (Some(r), Some(&v)) = (p.reg, values.get(p.value as usize))
            && wants(cx, v, p.ext)
        {
            extend(cx, r, p.ext);
        }
    }
    crate::zero_call_used_regs::before_return(cx);
    leave(cx, plan.popped);
    Ok(())
}

/// Emits the epilogue and the return, which pops this many bytes of arguments.
fn leave<T: Select>(cx: &mut Emitter<'_, T>, popped: u32) {
    let (leave, has_sled) = (leaving(cx, popped), cx.f.attrs.sleds & sleds::EXIT != 0);
    cx.emit_exit(
        0,
        |target, buf| {
            if has_sled { sled::exit(target, buf, leave) } else { target.emit_frame_op(buf, leave) }
        },
    );
}

/// The step by which the function returns, and pops this many bytes of arguments.
fn leaving<T: Select>(cx: &Emitter<'_, T>, popped: u32) -> FrameOp {
    match cx.f.signature().source.convention {
        Convention::Interrupt | Convention::ArmInterrupt | Convention::ArmFastInterrupt => {
            let word = cx.target.facts().pointer.store_bytes();
            FrameOp::Resume { pop: if cx.f.attrs.skips_word { word } else { 0 } }
        }
        _ => FrameOp::Return { pop: popped },
    }
}

/// Does a block do nothing but return values that are in the return registers, so that the return is one instruction?
pub fn only_returns<T: Select>(cx: &Emitter<'_, T>, b: Block) -> bool {
    let f = cx.f;
    let inst = Inst(f.blocks[b.index()].first);
    let d = f.inst(inst);
    if d.op != Opcode::Return
        || cx.function.stack_guard.is_some()
        || cx.function.funclet.is_some()
        || !cx.frame.is_nothing()
    {
        return false;
    }
    let (plan, values) = (plan(cx.target, f.signature()), f.pool_values(d.a, d.b));
    let there = |p: &ResultPart| {
        values.get(p.value as usize).is_some_and(|&v| {
            p.reg.is_some_and(|r| cx.live.returned_in(v, p.part) == Some(r) && cx.home_register(v, p.part) == Some(r))
                && !wants(cx, v, p.ext)
        })
    };
    f.attrs.zero_registers == ZeroRegisters::None
        && f.attrs.sleds == 0
        && plan.kept.is_none()
        && cx.stack_depth() == 0
        && plan.results.iter().all(there)
}

/// Emits the return of such a block.
pub fn emit_only_return<T: Select>(cx: &mut Emitter<'_, T>) {
    let popped = plan(cx.target, cx.f.signature()).popped;
    leave(cx, popped);
}

/// Returns an aggregate in pieces. Those on the machine's stack of registers are pushed from the last to the first.
fn return_aggregate<T: Select>(cx: &mut Emitter<'_, T>, moves: &mut Moves, plan: &CallPlan, v: Value) -> Result {
    for p in plan.results.iter().rev().filter(|p| p.reg.is_none()) {
        let (base, disp) = address(cx, v)?;
        cx.target.emit_stacked(cx.buf, Stacked::Push, FrameAddr { base, disp: disp + p.offset as i32 }, p.size);
    }
    for p in &plan.results {
        if let Some(r) = p.reg {
            stage(cx, moves, (v, plan.result_align), r, (p.kind, p.offset, p.size))?;
        }
    }
    Ok(())
}

/// Values go back, likewise.
fn return_values<T: Select>(cx: &mut Emitter<'_, T>, moves: &mut Moves, plan: &CallPlan, values: &[Value]) -> Result {
    let mut words = None;
    for p in plan.results.iter().rev() {
        let Some(&v) = values.get(p.value as usize) else { continue };
        let Some(r) = p.reg else {
            push(cx, p, v)?;
            continue;
        };
        if let Some(i) = cx.deferred(v) {
            cx.emit_deferred(i)?;
        }
        if p.is_word() {
            let at = match words {
                Some((of, at)) if of == v => at,
                _ => words.insert((v, words_of(cx, v)?)).1,
            };
            let word = cx.target.facts().word();
            moves.add(MoveDst::Reg(r), MoveSrc::Memory(shift(at, i32::from(p.part) * p.size as i32)), word);
            continue;
        }
        send(cx, moves, (v, p.part), r, p.kind)?;
    }
    Ok(())
}
