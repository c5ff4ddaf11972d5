//! Where the values of stack maps are, recorded while a function is emitted.

use crate::alloc::{Emitter, Event, Loc, Name, Where};
use crate::call;
use crate::error::{CompileError, Result};
use crate::frame::Frame;
use crate::ir::{Inst, Slot, StackMapEntry, StackMapId, Value};
use crate::machine::{CodeMark, FrameAddr, PReg, each_register};
use crate::plan::CallPlan;
use crate::select::Select;
use crate::stack_map::{LiveOut, Location};

/// The size of a frame in the table of functions: bytes from the stack pointer in the body up to the return address that
/// a call has pushed, or to where the stack pointer was before the call. `u64::MAX` if it is not the same everywhere.
pub(crate) fn frame_size(frame: &Frame, moves: bool) -> u64 {
    if moves || frame.align > frame.natural {
        return u64::MAX;
    }
    (frame.bytes_below_cfa() as u32 - frame.rules.link).into()
}

/// Emits the instruction `stack_map`: its record, then instructions without effect.
pub(crate) fn instruction<T: Select>(cx: &mut Emitter<'_, T>, inst: Inst) -> Result {
    let d = *cx.f.inst(inst);
    let operands = cx.f.pool_values(d.a, d.b);
    // Code for operands comes first; it may move others.
    for &v in operands {
        if let Where::Deferred(_) = cx.whereabouts(v, 0) {
            cx.use_reg(v)?;
        }
    }
    let (map, at) = (StackMapId(d.c), cx.buf.offset());
    record(cx, map, at, operands)?;
    room(cx, cx.f.stack_maps[map.index()].bytes);
    Ok(())
}

/// Appends instructions without effect, `bytes` bytes of them at least.
fn room<T: Select>(cx: &mut Emitter<'_, T>, bytes: u32) {
    let end = cx.buf.offset() + bytes;
    cx.target.emit_mark(cx.buf, CodeMark::Room(bytes));
    if cx.buf.offset() < end {
        // The rest is less than an instruction.
        cx.target.emit_mark(cx.buf, CodeMark::Room(4));
    }
}

/// Fills the code of a call, which begins at `start`, up to the size that its stack map asks for.
pub(crate) fn fill_call<T: Select>(cx: &mut Emitter<'_, T>, inst: Inst, map: StackMapId, start: u32) -> Result {
    let (wanted, taken) = (cx.f.stack_maps[map.index()].bytes, cx.buf.offset() - start);
    if wanted == 0 {
        return Ok(());
    }
    if taken > wanted {
        let message = format!("the call takes {taken} bytes, and the stack map has room for {wanted}");
        return Err(CompileError::at(cx.f, inst, message));
    }
    room(cx, wanted - taken);
    Ok(())
}

/// Adds a record for the code at `offset`.
pub(crate) fn record<T: Select>(cx: &mut Emitter<'_, T>, map: StackMapId, offset: u32, operands: &[Value]) -> Result {
    let f = cx.f;
    let map = &f.stack_maps[map.index()];
    let mut operands = operands.iter();
    for &entry in &map.entries {
        let location = match entry {
            StackMapEntry::Constant(n) => Location::Constant(n),
            StackMapEntry::Address(slot) => direct(cx, slot)?,
            StackMapEntry::Contents { slot, size } => {
                let (register, offset) = based(cx, place(cx, slot)?);
                Location::Indirect { register, offset, size }
            }
            // The verifier counts them.
            StackMapEntry::Operand => match operands.next() {
                Some(&v) => operand(cx, v)?,
                None => Location::Constant(0),
            },
        };
        cx.buf.stack_maps.locations.push(location);
    }
    cx.buf.stack_maps.end(map.id, offset);
    Ok(())
}

/// Where an operand is.
fn operand<T: Select>(cx: &mut Emitter<'_, T>, v: Value) -> Result<Location> {
    let size = cx.f.value_type(v).store_bytes() as u16;
    let name = Name { value: v, part: 0 };
    let location = match cx.whereabouts(v, 0) {
        Where::Const(_) => Location::Constant(cx.f.int_constant_signed(v).unwrap_or(0)),
        Where::Slot(slot) => direct(cx, slot)?,
        Where::Reg(r) => {
            cx.touch(v, 0);
            cx.note(Event::Read(name, Loc::Reg(r)));
            Location::Register { register: dwarf(cx, r), size }
        }
        Where::Frame(at) => {
            cx.note(Event::Read(name, at.into()));
            let (register, offset) = based(cx, at);
            Location::Indirect { register, offset, size }
        }
        // It has been asked for.
        Where::Deferred(inst) => return Err(CompileError::at(cx.f, inst, "the value of a stack map is nowhere")),
    };
    Ok(location)
}

fn direct<T: Select>(cx: &Emitter<'_, T>, slot: Slot) -> Result<Location> {
    let (register, offset) = based(cx, place(cx, slot)?);
    Ok(Location::Direct { register, offset, size: cx.frame.rules.word as u16 })
}

/// The address of a slot.
fn place<T: Select>(cx: &Emitter<'_, T>, slot: Slot) -> Result<FrameAddr> {
    let known = cx.slot_addr(slot, 0);
    known.ok_or_else(|| CompileError::new(cx.f, "a stack map names a variable of more alignment than the stack has"))
}

/// A place of the frame as DWARF's number of a register and a distance from what the register holds here.
fn based<T: Select>(cx: &Emitter<'_, T>, at: FrameAddr) -> (u16, i32) {
    let depth = if at.base == cx.frame.rules.stack_pointer { cx.stack_depth() } else { 0 };
    (dwarf(cx, at.base), at.disp + depth)
}

fn dwarf<T: Select>(cx: &Emitter<'_, T>, r: PReg) -> u16 {
    (cx.target.facts().dwarf_register)(r)
}

/// Adds to the last record the registers that hold something after its call: those that the function has not saved for
/// its caller, those that hold its values, and those with the call's results.
pub(crate) fn live_outs<T: Select>(cx: &mut Emitter<'_, T>, called: &CallPlan) {
    let own = call::plan(cx.target, cx.f.signature());
    let held = cx.held_registers() & !called.clobbers.whole;
    let rules = &cx.frame.rules;
    let saved = cx.frame.saved.iter().fold(0, |set, saved| set | saved.registers);
    let mut live = own.preserved & !saved | held | rules.stack_pointer.mask();
    if cx.frame.base.is_framed() {
        live |= rules.frame_pointer.mask();
    }
    let results = called.result_registers;
    let (word, vector) = (rules.word as u8, rules.vector as u8);
    for r in each_register(live | results) {
        let size = match r.is_float() {
            true if results & r.mask() != 0 => 16,
            true => vector,
            false => word,
        };
        let register = dwarf(cx, r);
        cx.buf.stack_maps.live_outs.push(LiveOut { register, size });
    }
    let outs = cx.buf.stack_maps.live_outs.len() as u32;
    if let Some(record) = cx.buf.stack_maps.records.last_mut() {
        record.live_outs = outs;
    }
}
