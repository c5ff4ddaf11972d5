//! What a function does on entry: its arguments go to their homes; `va_start`.

use gusset_abi::{Extension, Layout, RegClass, SaveArea, SaveAreaPlace, VaInit};

use super::memory::{address, copy_words, new_place, store_exactly};
use super::result::half_in_memory;
use super::{forward, note_bound, plan, reference, shift, truth};
use crate::alloc::{Emitter, Event, IncomingPart, MoveDst, MoveSrc, Moves, Units, Where};
use crate::analysis::{Cfg, Live};
use crate::error::{CompileError, Result};
use crate::frame::FramePlace;
use crate::ir::{Function, Inst, Value};
use crate::machine::{BitsOp, FLOATS, FrameAddr, PReg, PartKind, Stacked};
use crate::plan::{AggregatePiece, At, CallPlan, Passed, Reference, StackPart};
use crate::select::Select;

/// Larger arguments than this, in bytes, are not copied on entry.
const MOST_COPIED: u32 = 4096;

/// Leaves parameters in memory that live in memory and come there.
pub fn keep_stack_parameters<T: Select>(target: &T, f: &Function, live: &Live, units: &mut Units) {
    let Some(&entry) = f.layout.first() else { return };
    let params = f.params(entry);
    for (param, passed) in &plan(target, f.signature()).memory {
        let (Some(&v), Passed::Part(p)) = (params.get(*param as usize), passed) else { continue };
        // Vectors may need more alignment than arguments have; a part that is stored as a whole must not reach into the
        // next one.
        if live.count(v) == 0 || p.kind == PartKind::V128 || p.narrow > 0 {
            continue;
        }
        let u = units.unit(v, p.part);
        if units.home(u).is_none() {
            let place = units.new_place(FramePlace::incoming(p.offset as i32, p.kind.bytes()));
            units.set_place(u, place);
        }
    }
}

/// Lists the registers in which whole parts of parameters come, and which of these parts stay there: those that only
/// the first block reads, in registers that are never homes, unless other parameters need such registers on their way.
pub fn incoming_parameters<T: Select>(
    target: &T,
    f: &Function,
    cfg: &Cfg,
    live: &Live,
    units: &Units,
    out: &mut Vec<IncomingPart>,
) {
    out.clear();
    let Some(&entry) = f.layout.first() else { return };
    let (params, plan, file) = (f.params(entry), plan(target, f.signature()), &target.facts().registers);
    // If control comes back to the entry, it brings parameters to homes.
    if cfg.preds.first() != Some(&0) {
        return;
    }
    let scratch = file.scratch & file.allocatable & !file.entry_scratch.mask();
    let staying = if plan.memory.is_empty() && f.signature().abi.variadic.is_none() { scratch } else { 0 };
    for p in &plan.registers {
        let Some(&value) = params.get(p.param as usize).filter(|&&v| live.count(v) != 0) else { continue };
        let unit = units.unit(value, p.part);
        if file.class(units.kind(unit)) & p.reg.mask() == 0 || units.kind(unit) != p.kind {
            continue;
        }
        let local = !live.leaves_block(value) && !live.crosses_call(0, live.end(value));
        let stays = local && staying & p.reg.mask() != 0;
        out.push(IncomingPart { value, part: p.part, unit, reg: p.reg, stays });
    }
}

/// Saves what a variadic function must save; to be followed by the first block and [`bind_params`].
pub fn emit_entry<T: Select>(cx: &mut Emitter<'_, T>, moves: &mut Moves, arrivals: &[IncomingPart]) -> Result {
    let f = cx.f;
    let sig = f.signature();
    let plan = plan(cx.target, sig);
    if let Some(what) = plan.unsupported {
        return Err(CompileError::new(f, what));
    }
    if let Some(area) = sig.abi.variadic.as_ref().and_then(|v| v.save_area.as_ref()) {
        save_registers(cx, area, plan)?;
    }
    moves.clear();
    let Some(&entry) = f.layout.first() else { return Ok(()) };
    let params = f.params(entry);
    if params.len() != sig.params.len() {
        return Err(CompileError::new(f, "the entry block's parameters do not match the signature"));
    }
    let (mut arriving, mut staying) = (0, 0);
    let mut arrivals = arrivals.iter().filter(|a| a.stays).peekable();
    for p in &plan.registers {
        let v = params[p.param as usize];
        if cx.live.count(v) == 0 {
            continue;
        }
        arriving |= p.reg.mask();
        // Both lists are in the same order.
        if arrivals.next_if(|a| a.value == v && a.part == p.part).is_some() {
            staying |= p.reg.mask();
            note_bound(cx, v, p.part, p.reg);
        } else {
            bind_from_register(cx, moves, v, p.part, p.reg)?;
        }
    }
    for (param, passed) in &plan.memory {
        let v = params[*param as usize];
        if cx.live.count(v) == 0 {
            continue;
        }
        if let Passed::Reference(Reference { pointer: At::Register(r), .. }) = passed {
            arriving |= r.mask();
        }
        bind_from_memory(cx, moves, plan, v, passed)?;
    }
    // The static chain and the vector count are not in `arriving`; neither is in the scratch set.
    let scratch = cx.target.facts().registers.edge_scratch | cx.target.facts().registers.entry_scratch.mask();
    let scratch = if cx.intervals.is_some() {
        let homes = params.iter().flat_map(|&v| cx.units.of(v)).filter_map(|u| cx.units.home(u));
        scratch & !homes.fold(0, |set, r| set | r.mask())
    } else {
        scratch
    };
    moves.emit_with(cx, scratch & !arriving, scratch & !staying)
}

/// Stores the registers in which unnamed arguments may have come.
fn save_registers<T: Select>(cx: &mut Emitter<'_, T>, area: &SaveArea, plan: &CallPlan) -> Result {
    if area.place == SaveAreaPlace::HomeSpace && plan.home_space < area.size {
        let what = "a variadic function of a convention whose callers leave no home space";
        return Err(CompileError::new(cx.f, what));
    }
    let from_arguments = match area.place {
        SaveAreaPlace::HomeSpace => Some(0),
        SaveAreaPlace::BelowStackArgs => Some(-(area.size as i32)),
        SaveAreaPlace::Frame => None,
    };
    let at = if let Some(offset) = from_arguments {
        let at = cx.frame.incoming(offset);
        cx.note(Event::Memory(at.into(), area.size));
        at
    } else {
        new_place(cx, area.size, area.align.max(16))?
    };
    cx.function.save_area = Some(at);
    if cx.f.attrs.no_implicit_float && area.float_guard.is_some() {
        // As in LLVM, unnamed arguments of such functions are no numbers.
        let slots = area.slots.iter().filter(|s| s.reg.class == RegClass::Int).copied().collect();
        cx.target.emit_save_area(cx.buf, &SaveArea { slots, float_guard: None, ..area.clone() }, at);
    } else {
        cx.target.emit_save_area(cx.buf, area, at);
    }
    forward::save(cx)
}

/// Moves a part of a parameter from a register to its home.
fn bind_from_register<T: Select>(cx: &mut Emitter<'_, T>, moves: &mut Moves, v: Value, part: u8, r: PReg) -> Result {
    let dst = cx.home(v, part)?;
    note_bound(cx, v, part, r);
    let kind = cx.units_kind(v);
    let halves = cx.target.facts().registers.halves;
    match dst {
        // No parameter is in its place yet, and the whole register may soon be overwritten.
        MoveDst::Place(_, to) if halves & r.mask() != 0 => cx.store_to(kind, r, to),
        _ if halves & r.mask() != 0 => moves.add(dst, MoveSrc::Memory(half_in_memory(cx, kind, r)?), kind),
        _ => moves.add(dst, MoveSrc::Reg(r), kind),
    }
    Ok(())
}

/// Moves a part of a parameter from the stack to its home, which may be there.
fn bind_from_stack<T: Select>(cx: &mut Emitter<'_, T>, moves: &mut Moves, v: Value, p: &StackPart) -> Result {
    let at = cx.frame.incoming(p.offset as i32);
    match cx.home(v, p.part)? {
        // It goes through the register that is never allocated, since moves have whole values.
        dst if p.narrow > 0 && p.kind.is_float() => {
            let file = &cx.target.facts().registers;
            let t = PReg((file.edge_scratch & FLOATS).trailing_zeros() as u8);
            let to = if let MoveDst::Place(_, to) = dst { to } else { cx.scratch_place(8)? };
            cx.target.emit_load(cx.buf, t, at, p.narrow);
            cx.target.emit_store(cx.buf, t, to, p.kind.bytes());
            note_bound(cx, v, p.part, to);
            if let MoveDst::Reg(_) = dst {
                moves.add(dst, MoveSrc::Memory(to), p.kind);
            }
        }
        // The next bytes belong to another argument.
        MoveDst::Place(_, to) if p.narrow > 0 => {
            cx.target.emit_stacked(cx.buf, Stacked::Push, at, p.kind.bytes());
            cx.target.emit_stacked(cx.buf, Stacked::Pop, to, p.kind.bytes());
            note_bound(cx, v, p.part, to);
        }
        dst => {
            note_bound(cx, v, p.part, at);
            if !matches!(dst, MoveDst::Place(_, to) if to == at) {
                moves.add(dst, MoveSrc::Memory(at), p.kind);
            }
        }
    }
    Ok(())
}

/// Binds a parameter that is partly in memory.
fn bind_from_memory<T: Select>(
    cx: &mut Emitter<'_, T>,
    moves: &mut Moves,
    plan: &CallPlan,
    v: Value,
    passed: &Passed,
) -> Result {
    match passed {
        Passed::Part(p) => bind_from_stack(cx, moves, v, p)?,
        &Passed::Pieces { first, count, layout } => {
            bind_from_pieces(cx, v, layout, &plan.pieces[first as usize..][..count as usize])?;
        }
        &Passed::Words { first, count } => {
            let kind = cx.units_kind(v);
            let home = cx.home(v, 0)?;
            // No parameter is in its place yet.
            let at = match home {
                MoveDst::Place(_, at) => at,
                MoveDst::Reg(_) => cx.scratch_place(kind.bytes())?,
            };
            for p in &plan.pieces[first as usize..][..count as usize] {
                let to = shift(at, p.offset as i32);
                match p.at {
                    At::Register(r) => store_exactly(cx, r, to, p.size),
                    At::Stack(offset) => {
                        // Registers of integers may still hold arguments.
                        let t = PReg((cx.target.facts().registers.edge_scratch & FLOATS).trailing_zeros() as u8);
                        let from = cx.frame.incoming(offset as i32);
                        copy_words(cx, t, from, to, p.size, p.kind.bytes());
                    }
                }
            }
            note_bound(cx, v, 0, at);
            if let MoveDst::Reg(_) = home {
                moves.add(home, MoveSrc::Memory(at), kind);
            }
        }
        Passed::Reference(copy) if copy.value => reference::receive(cx, moves, v, copy)?,
        Passed::Reference(copy) => match copy.pointer {
            At::Register(r) => bind_from_register(cx, moves, v, 0, r)?,
            At::Stack(offset) => {
                let kind = cx.units_kind(v);
                bind_from_stack(cx, moves, v, &StackPart { part: 0, kind, offset, narrow: 0, ext: Extension::None })?;
            }
        },
        &Passed::Copy { offset, size, realigned: Some(layout), .. } => {
            let Some(size) = u32::try_from(size).ok().filter(|&size| size <= MOST_COPIED) else {
                let what = format!("an argument of {size} bytes that is to be aligned to {}", layout.align);
                return Err(CompileError::new(cx.f, what));
            };
            let (_, at, up) = own_room(cx, v, layout)?;
            cx.function.copies.push((cx.frame.incoming(offset as i32), at, up, size));
        }
        &(Passed::Copy { offset, .. } | Passed::InBlock(offset)) => {
            let at = cx.frame.incoming(offset as i32);
            cx.function.aggregates.push((v, at, 0));
        }
        &(Passed::Nothing(layout) | Passed::Result(layout)) => {
            own_room(cx, v, layout)?;
        }
    }
    Ok(())
}

/// Makes room for the aggregate that `v` is to be the address of. Returns the place's size and address, and the
/// alignment that the address is still to be rounded up to, or 0. The room has whole eightbytes, so that what is stored
/// piece by piece fits; at least one.
fn own_room<T: Select>(cx: &mut Emitter<'_, T>, v: Value, layout: Layout) -> Result<(u32, FrameAddr, u32)> {
    let up = cx.frame.move_up(layout.align);
    let size = u32::try_from(layout.size.max(1).next_multiple_of(8)).unwrap_or(u32::MAX);
    let at = new_place(cx, size.saturating_add(up), layout.align.max(8))?;
    cx.function.aggregates.push((v, at, up));
    Ok((size, at, up))
}

/// Stores an aggregate's pieces in memory, whose address becomes the value.
fn bind_from_pieces<T: Select>(cx: &mut Emitter<'_, T>, v: Value, layout: Layout, pieces: &[AggregatePiece]) -> Result {
    let (size, at, up) = own_room(cx, v, layout)?;
    // If its address is not known yet, the pieces wait elsewhere until registers are free.
    let to = if up > 0 { new_place(cx, size, cx.frame.natural)? } else { at };
    for p in pieces {
        let to = shift(to, p.offset as i32);
        match p.at {
            At::Register(r) => store_exactly(cx, r, to, p.size),
            // Scratch registers may still hold arguments.
            At::Stack(offset) => cx.function.copies.push((cx.frame.incoming(offset as i32), to, 0, p.size)),
        }
    }
    if up > 0 {
        cx.function.copies.push((to, at, up, layout.size as u32));
    }
    Ok(())
}

/// Binds the entry block's parameters. [`emit_entry`] has put those with homes into them.
pub fn bind_params<T: Select>(cx: &mut Emitter<'_, T>, arrivals: &[IncomingPart]) -> Result {
    let f = cx.f;
    arrivals.iter().filter(|a| a.stays).for_each(|a| cx.hold_parameter(a.unit, a.reg));
    let file = &cx.target.facts().registers;
    let r = file.entry_scratch;
    for (from, at, up, size) in std::mem::take(&mut cx.function.copies) {
        let scratch = file.edge_scratch & 0xffff_ffff & !r.mask();
        let (t, size) = match scratch {
            0 if up == 0 => (r, size),
            // Word by word: an aggregate whose address is rounded up has room for whole words.
            0 if file.allocatable & FLOATS != 0 => {
                let t = PReg((file.edge_scratch & FLOATS).trailing_zeros() as u8);
                (t, size.next_multiple_of(cx.target.facts().word().bytes()))
            }
            0 => return Err(CompileError::new(f, format!("an argument that is to be aligned to {up} bytes"))),
            scratch => (PReg(scratch.trailing_zeros() as u8), size),
        };
        let to = if up > 0 {
            cx.target.emit_frame_address(cx.buf, r, at, up, false);
            FrameAddr { base: r, disp: 0 }
        } else {
            at
        };
        copy_words(cx, t, from, to, size, cx.target.facts().word().bytes());
    }
    for (v, at, up) in std::mem::take(&mut cx.function.aggregates) {
        // The address of a place in this frame is computed once.
        let dst = cx.home(v, 0)?;
        let r = match dst {
            MoveDst::Reg(r) => r,
            MoveDst::Place(..) => r,
        };
        cx.target.emit_frame_address(cx.buf, r, at, up, false);
        note_bound(cx, v, 0, r);
        if let MoveDst::Place(_, to) = dst {
            cx.store_to(cx.units.kind(v.0), r, to);
        }
    }
    let params = f.layout.first().map_or(&[][..], |&entry| f.params(entry));
    for &param in &plan(cx.target, f.signature()).truths {
        // Truth values are 0 or 1 in eight bits; the caller has not promised that.
        let v = params[param as usize];
        if cx.live.count(v) == 0 {
            continue;
        }
        cx.begin_inst(cx.position());
        match cx.whereabouts(v, 0) {
            Where::Reg(r) => {
                truth(cx, r);
                note_bound(cx, v, 0, r);
            }
            Where::Frame(at) => {
                cx.target.emit_load(cx.buf, r, at, 4);
                truth(cx, r);
                cx.target.emit_store(cx.buf, r, at, 4);
            }
            _ => {}
        }
    }
    // If all came in registers, the moves to homes have changed no others.
    let plan = plan(cx.target, f.signature());
    if cx.is_optimized() && plan.memory.is_empty() {
        let is_truth = |v: Value| plan.truths.iter().any(|&param| params[param as usize] == v);
        for a in arrivals.iter().filter(|a| !a.stays && !is_truth(a.value)) {
            cx.hold_copy(a.unit, a.reg);
        }
    }
    Ok(())
}

/// Emits `va_start`.
pub fn va_start<T: Select>(cx: &mut Emitter<'_, T>, inst: Inst) -> Result {
    let f = cx.f;
    let list = Value(f.inst(inst).a);
    let Some(area) = f.signature().abi.variadic.as_ref() else {
        return Err(CompileError::at(f, inst, "va_start in a function without variable arguments"));
    };
    let (base, disp) = address(cx, list)?;
    let t = cx.temp(false, None)?;
    for field in &area.fields {
        match field.init {
            VaInit::Const(n) => cx.target.emit_bits(cx.buf, t, BitsOp::Set(n)),
            VaInit::StackArgs { offset } => {
                let at = cx.frame.incoming(offset as i32);
                cx.target.emit_frame_address(cx.buf, t, at, 0, false);
            }
            VaInit::SaveArea { offset } => {
                let Some(at) = cx.function.save_area else {
                    return Err(CompileError::at(f, inst, "va_start without a register save area"));
                };
                cx.target.emit_frame_address(cx.buf, t, shift(at, offset as i32), 0, false);
            }
        }
        cx.target.emit_store(cx.buf, t, FrameAddr { base, disp: disp + field.offset as i32 }, field.size);
    }
    Ok(())
}
