//! What a function does on entry: its arguments go to their homes; `va_start`.

use gusset_abi::{Extension, PassMode, Place, SaveAreaPlace, VaInit};

use super::forward;
use super::memory::{address, copy_words, room, store_exactly};
use super::reference::{is_value, receive};
use super::{arrives, by_address, part_of, parts_of, shift, slot_bytes, unsupported};
use crate::alloc::{Event, MoveDst, MoveSrc, Moves, Stream, Units, Where};
use crate::analysis::Live;
use crate::error::CompileError;
use crate::frame::FramePlace;
use crate::ir::{Function, Inst, Value};
use crate::target::{FrameAddr, PReg, PartKind, Target};

/// Larger arguments are not copied on entry.
const MOST_COPIED: u32 = 4096;

/// Parameters that live in memory and arrive there stay where they are.
pub fn stay(f: &Function, live: &Live, units: &mut Units) {
    let sig = f.signature();
    let Some(&entry) = f.layout.first() else { return };
    for (i, (&v, arg)) in f.params(entry).iter().zip(&sig.abi.args).enumerate() {
        let kind = units.kind(v.0);
        // Vectors may have to be aligned better than arguments are; what is stored as a whole must not reach into the next.
        let narrow = arg.layout.size < kind.bytes().into();
        if live.count(v) == 0 || by_address(sig, i) || kind == PartKind::V128 || kind.is_memory() && narrow {
            continue;
        }
        for p in arg.mode.pieces() {
            let Place::Stack { offset } = p.place else { continue };
            for (part, at) in parts_of(kind, p) {
                let u = units.unit(v, part);
                if units.home(u).is_none() {
                    let offset = offset.wrapping_add_signed(at);
                    let place = units.new_place(FramePlace::incoming(offset as i32, kind.bytes()));
                    units.set_place(u, place);
                }
            }
        }
    }
}

/// Saves what a variadic function must save; to be followed by the first block and [`bind_params`].
pub fn enter<T: Target>(cx: &mut Stream<'_, T>, moves: &mut Moves) -> Result<(), CompileError> {
    let f = cx.f;
    let sig = f.signature();
    if let Some(what) = unsupported(cx.target, &sig.abi) {
        return Err(CompileError::new(f, what));
    }
    if let Some(area) = sig.abi.variadic.as_ref().and_then(|v| v.save_area.as_ref()) {
        let at = if area.place == SaveAreaPlace::HomeSpace {
            if sig.abi.home_space < area.size {
                return Err(CompileError::new(
                    f,
                    "a variadic function of a convention whose callers leave no home space",
                ));
            }
            cx.frame.incoming(0)
        } else {
            let place = cx.frame.add(area.size, area.align.max(16)).ok_or_else(|| CompileError::frame_too_large(f))?;
            cx.frame.addr(place, 0)
        };
        cx.save_area = Some(at);
        cx.note(Event::Memory(at.into(), area.size));
        cx.target.emit_save_area(cx.buf, area, at);
        forward::save(cx)?;
    }
    moves.clear();
    let Some(&entry) = f.layout.first() else { return Ok(()) };
    let params = f.params(entry);
    let mut arriving = 0u64;
    for (i, &v) in params.iter().enumerate() {
        if cx.live.count(v) == 0 && !(sig.aggregate_result && i + 1 == params.len()) {
            continue;
        }
        let (mode, layout) = match sig.abi.args.get(i) {
            Some(a) => (&a.mode, a.layout),
            None => (&sig.abi.ret.mode, sig.abi.ret.layout),
        };
        match *mode {
            PassMode::Direct(ref pieces) if !by_address(sig, i) => {
                let kind = cx.units.kind(v.0);
                for p in pieces {
                    match p.place {
                        Place::Reg(r) | Place::RegPlus { reg: r, .. } => {
                            let part = part_of(kind, p);
                            let dst = cx.home(v, part)?;
                            let r = PReg::from_abi(r)
                                .ok_or_else(|| CompileError::new(f, "an argument arrives in an x87 register"))?;
                            arriving |= r.mask();
                            arrives(cx, v, part, r);
                            moves.add(dst, MoveSrc::Reg(r), kind);
                        }
                        Place::Stack { offset } => {
                            for (part, at) in parts_of(kind, p) {
                                let dst = cx.home(v, part)?;
                                if let (PartKind::Memory16, MoveDst::Place(_, to)) = (kind, dst)
                                    && slot_bytes(cx, p) < kind.bytes()
                                {
                                    // What follows it is another argument already.
                                    cx.target.emit_x87_load(cx.buf, cx.frame.incoming(offset as i32), 16);
                                    cx.target.emit_x87_store(cx.buf, to, 16);
                                    arrives(cx, v, part, to);
                                    continue;
                                }
                                let at = cx.frame.incoming(offset as i32 + at);
                                arrives(cx, v, part, at);
                                if !matches!(dst, MoveDst::Place(_, to) if to == at) {
                                    moves.add(dst, MoveSrc::Memory(at), kind);
                                }
                            }
                        }
                    }
                }
            }
            PassMode::Direct(ref pieces) => {
                // The aggregate's pieces go to memory, whose address is the value.
                let (place, up) = room(cx, layout)?;
                let at = cx.frame.addr(place, 0);
                cx.note(Event::Memory(at.into(), place.size));
                cx.aggregates.push((v, at, up));
                if sig.aggregate_result && i + 1 == params.len() {
                    continue;
                }
                // Where its address is not known yet, it lies elsewhere until registers are free.
                let to = if up == 0 {
                    at
                } else {
                    let place = cx.frame.add(place.size - up, cx.frame.natural);
                    let place = place.ok_or_else(|| CompileError::frame_too_large(f))?;
                    let unaligned = cx.frame.addr(place, 0);
                    cx.note(Event::Memory(unaligned.into(), place.size));
                    unaligned
                };
                for p in pieces {
                    match p.place {
                        Place::Reg(r) | Place::RegPlus { reg: r, .. } => {
                            if let Some(r) = PReg::from_abi(r) {
                                store_exactly(cx, r, shift(to, p.offset as i32), p.size);
                            }
                        }
                        Place::Stack { offset } => {
                            // Scratch registers may still hold arguments.
                            let from = cx.frame.incoming(offset as i32);
                            cx.copies.push((from, shift(to, p.offset as i32), 0, p.size));
                        }
                    }
                }
                if up > 0 {
                    cx.copies.push((to, at, up, layout.size as u32));
                }
            }
            PassMode::Indirect { ref pointer, size, .. } if is_value(sig, i) => {
                let register = receive(cx, moves, v, pointer, size)?;
                arriving |= register.map_or(0, |r| r.mask());
            }
            PassMode::Indirect { pointer, .. } => {
                let dst = cx.home(v, 0)?;
                match pointer.place {
                    Place::Stack { offset } => {
                        let at = cx.frame.incoming(offset as i32);
                        arrives(cx, v, 0, at);
                        moves.add(dst, MoveSrc::Memory(at), cx.units.kind(v.0));
                    }
                    Place::Reg(r) | Place::RegPlus { reg: r, .. } => {
                        if let Some(r) = PReg::from_abi(r) {
                            arriving |= r.mask();
                            arrives(cx, v, 0, r);
                            moves.add(dst, MoveSrc::Reg(r), cx.units.kind(v.0));
                        }
                    }
                }
            }
            PassMode::StackCopy { offset, size, align } if by_address(sig, i) && align < layout.align => {
                // C's rules place it with less alignment than its type has: the function works on a copy.
                let Some(size) = u32::try_from(size).ok().filter(|&size| size <= MOST_COPIED) else {
                    let what = format!("an argument of {size} bytes that is to be aligned to {}", layout.align);
                    return Err(CompileError::new(f, what));
                };
                let (place, up) = room(cx, layout)?;
                let at = cx.frame.addr(place, 0);
                cx.note(Event::Memory(at.into(), place.size));
                cx.copies.push((cx.frame.incoming(offset as i32), at, up, size));
                cx.aggregates.push((v, at, up));
            }
            PassMode::StackCopy { offset, .. } | PassMode::InBlock { offset, .. } => {
                let at = cx.frame.incoming(offset as i32);
                cx.aggregates.push((v, at, 0));
            }
            PassMode::Ignore => {
                let (place, up) = room(cx, layout)?;
                let at = cx.frame.addr(place, 0);
                cx.aggregates.push((v, at, up));
            }
        }
    }
    // The static chain register and the vector count are not arguments in `arriving`; neither is in the scratch set, whose
    // registers are nobody's home.
    let scratch = cx.target.registers().edge_scratch | cx.target.registers().entry_scratch.mask();
    moves.emit_with(cx, scratch & !arriving, scratch)
}

/// Binds the entry block's parameters, which [`enter`] has put into their homes.
pub fn bind_params<T: Target>(cx: &mut Stream<'_, T>) -> Result<(), CompileError> {
    let f = cx.f;
    let sig = f.signature();
    let r = cx.target.registers().entry_scratch;
    for (from, at, up, size) in std::mem::take(&mut cx.copies) {
        let scratch = cx.target.registers().edge_scratch & 0xffff_ffff & !r.mask();
        let t = PReg(scratch.trailing_zeros() as u8);
        let to = if up > 0 {
            cx.target.emit_frame_address(cx.buf, r, at, up, false);
            FrameAddr { base: r, disp: 0 }
        } else {
            at
        };
        copy_words(cx, t, from, to, size);
    }
    for (v, at, up) in std::mem::take(&mut cx.aggregates) {
        if cx.live.count(v) == 0 && !sig.aggregate_result {
            continue;
        }
        // The address of a place in this frame is computed once.
        let dst = cx.home(v, 0)?;
        let r = match dst {
            MoveDst::Reg(r) => r,
            MoveDst::Place(..) => cx.target.registers().entry_scratch,
        };
        cx.target.emit_frame_address(cx.buf, r, at, up, false);
        arrives(cx, v, 0, r);
        if let MoveDst::Place(_, to) = dst {
            cx.store_to(cx.units.kind(v.0), r, to);
        }
    }
    let Some(&entry) = f.layout.first() else { return Ok(()) };
    for (i, &v) in f.params(entry).iter().enumerate() {
        if cx.live.count(v) == 0 || f.value_type(v) != crate::ir::Type::I1 {
            continue;
        }
        // Truth values are 0 or 1 in eight bits; who passed it may not have promised that.
        let assume = sig.abi.args.get(i).and_then(|a| a.mode.pieces().first()).map(|p| p.assume);
        if !matches!(assume, Some(Extension::Zero { .. })) {
            cx.begin_inst(cx.position());
            match cx.whereabouts(v, 0) {
                Where::Reg(r) => {
                    cx.target.emit_extend(cx.buf, r, 1, 8, false);
                    arrives(cx, v, 0, r);
                }
                Where::Frame(at) => {
                    let t = cx.target.registers().entry_scratch;
                    cx.target.emit_frame_load(cx.buf, PartKind::I32, t, at);
                    cx.target.emit_extend(cx.buf, t, 1, 8, false);
                    cx.target.emit_frame_store(cx.buf, PartKind::I32, t, at);
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Emits `va_start`.
pub fn va_start<T: Target>(cx: &mut Stream<'_, T>, inst: Inst) -> Result<(), CompileError> {
    let f = cx.f;
    let list = Value(f.inst(inst).a);
    let Some(area) = f.signature().abi.variadic.as_ref() else {
        return Err(CompileError::at(f, inst, "va_start in a function without variable arguments"));
    };
    let (base, disp) = address(cx, list)?;
    let t = cx.temp(false, None)?;
    for field in &area.fields {
        match field.init {
            VaInit::Const(n) => cx.target.emit_small(cx.buf, t, n),
            VaInit::StackArgs { offset } => {
                let at = cx.frame.incoming(offset as i32);
                cx.target.emit_frame_address(cx.buf, t, at, 0, false);
            }
            VaInit::SaveArea { offset } => {
                let Some(at) = cx.save_area else {
                    return Err(CompileError::at(f, inst, "va_start without a register save area"));
                };
                cx.target.emit_frame_address(cx.buf, t, shift(at, offset as i32), 0, false);
            }
        }
        cx.target.emit_store(cx.buf, t, base, disp + field.offset as i32, field.size);
    }
    Ok(())
}
