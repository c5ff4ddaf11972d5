//! The check of a stack limit at the start of a function, for languages that grow stacks or report that one is full.
//!
//! Before the function makes its frame, it compares the stack pointer less the frame's fixed part with the limit. If the
//! difference is lower, it calls the handler; `docs/stack-limits.md` says what the handler may do. A frame of at most
//! [`SMALL`] bytes counts as none, and a function with such a frame that calls nothing checks nothing.
//!
//! DWARF's rules describe the call like the rest of the function. Other unwind tables undo a whole prologue, so the call is a
//! range of its own there ([`CodeBuffer::limit_call`]).

use crate::buffer::{CallMark, CodeBuffer};
use crate::call::plan;
use crate::error::{CompileError, Result};
use crate::frame::Frame;
use crate::frame::ops::Steps;
use crate::ir::{ConstData, Function, Module, SymbolId, SymbolKind};
use crate::machine::{CallTarget, ConstEmit, FrameAddr, FrameOp, Machine, PReg, Probe, Unwinding};
use crate::select::Select;

/// The largest frame that counts as none, in bytes.
const SMALL: u32 = 128;

/// Emits the check, if the function asks for one. Returns the offset from which on the frame's tables describe code.
/// `calls`: the function calls others.
pub(crate) fn check<T: Select>(
    target: &T,
    buf: &mut CodeBuffer,
    (module, f): (&Module, &Function),
    frame: &Frame,
    calls: bool,
) -> Result<u32> {
    let (Some(limit), Some(handler)) = (f.attrs.stack_limit, f.attrs.stack_limit_handler) else { return Ok(0) };
    let rules = &frame.rules;
    let bytes = frame.bytes_below_cfa() as u32 - rules.link;
    if !calls && bytes <= SMALL {
        return Ok(0);
    }
    let changed = buf.changed;
    let kept = plan(target, f.signature()).preserved;
    let Plan { register, first, down, up, last } = Plan::of(target, f, frame, kept)?;
    let saves_first = !first.is_empty();
    let (begin, skip, end) = (buf.new_label(), buf.new_label(), buf.new_label());
    let compare = |buf: &mut CodeBuffer| {
        load(target, buf, (module, f), limit, register)?;
        target.emit_stack_compare(buf, register, if bytes > SMALL { bytes } else { 0 }, skip);
        Ok::<_, CompileError>(())
    };
    if !saves_first {
        compare(buf)?;
    }
    buf.bind(begin);
    let mut steps = Steps::begin(frame, buf, buf.offset());
    let mut step = |buf: &mut CodeBuffer, op: FrameOp| {
        target.emit_frame_op(buf, op);
        steps.record(buf, op);
    };
    let is_windows = rules.unwinding.is_windows();
    if !is_windows {
        buf.remember_cfa();
    }
    if saves_first {
        first.into_iter().chain([FrameOp::EndPrologue]).for_each(|op| step(buf, op));
        compare(buf)?;
        down.into_iter().for_each(|op| step(buf, op));
    } else {
        down.into_iter().chain([FrameOp::EndPrologue]).for_each(|op| step(buf, op));
    }
    let at = buf.offset();
    target.emit_call(buf, module, CallTarget::Symbol(handler), false);
    if !matches!(rules.unwinding, Unwinding::Dwarf(_)) {
        buf.limit_call = Some([begin, end]);
    } else if f.exceptions.personality.is_some() {
        // Exceptions leave the function.
        buf.calls.push(CallMark { offset: at, bytes: buf.offset() - at, landing: None });
    }
    if saves_first {
        up.into_iter().for_each(|op| step(buf, op));
    } else {
        up.into_iter().for_each(|op| target.emit_frame_op(buf, op));
    }
    buf.bind(skip);
    last.into_iter().for_each(|op| target.emit_frame_op(buf, op));
    if !is_windows {
        buf.restore_cfa();
    }
    buf.bind(end);
    if target.wants_fixed(buf) != 0 {
        // The prologue loads the register with the table's address.
        return Err(CompileError::new(f, "a stack limit in position-independent code of this target is not supported"));
    }
    buf.changed = changed;
    Ok(buf.offset())
}

/// How the stack pointer changes around the comparison and the call.
struct Plan {
    /// The register for the comparison.
    register: PReg,
    /// Before the comparison, if the register holds something.
    first: Vec<FrameOp>,
    /// Before the call.
    down: Vec<FrameOp>,
    /// After the call.
    up: Vec<FrameOp>,
    /// After the call, or after the comparison if nothing is called.
    last: Vec<FrameOp>,
}

impl Plan {
    /// Where calls leave the return address in a register, that is saved; it serves for the comparison if no other is free.
    /// Elsewhere the stack pointer is aligned for the call, above what belongs to the handler.
    fn of<M: Machine>(target: &M, f: &Function, frame: &Frame, kept: u64) -> Result<Plan> {
        let (rules, file) = (&frame.rules, &target.facts().registers);
        let free = free_register(target, frame, kept);
        if let Some(link) = rules.link_register {
            // Two registers of four bytes keep the alignment.
            let padding = if rules.push_unit < 8 { file.call_register.mask() } else { 0 };
            let set = link.mask() | padding;
            let sign = frame.signed.map(|second_key| FrameOp::SignReturn { second_key });
            let check = frame.signed.map(|second_key| FrameOp::CheckReturn { second_key, below: 0 });
            let down = sign.into_iter().chain([FrameOp::Push(set)]).collect();
            let up = [FrameOp::Pop(set)].into_iter().chain(check).collect();
            let none = Vec::new;
            return Ok(match free {
                Some(register) => Plan { register, first: none(), down, up, last: none() },
                None => Plan { register: link, first: down, down: none(), up: none(), last: up },
            });
        }
        let register = free.unwrap_or(file.call_register);
        let set = if free.is_none() { register.mask() } else { 0 };
        if set != 0 && rules.unwinding.is_windows() {
            return Err(CompileError::new(f, "no register is free for the check of the stack limit"));
        }
        let abi = &f.signature().abi;
        let above = abi.entry_bias + rules.bytes_of(set);
        let bytes = (target.facts().guard_stack_bytes + above).next_multiple_of(abi.entry_align.max(1)) - above;
        let some = |op: FrameOp, bytes: u32| if bytes == 0 { Vec::new() } else { vec![op] };
        Ok(Plan {
            register,
            first: some(FrameOp::Push(set), rules.bytes_of(set)),
            down: some(FrameOp::Allocate { bytes, probe: Probe::new(None, rules.page) }, bytes),
            up: some(FrameOp::MoveStack(-(bytes as i32)), bytes),
            last: some(FrameOp::Pop(set), rules.bytes_of(set)),
        })
    }
}

/// A register that holds nothing at the function's start, and that the caller does not expect to be kept.
pub(crate) fn free_register<M: Machine>(target: &M, frame: &Frame, kept: u64) -> Option<PReg> {
    let file = &target.facts().registers;
    let usable = file.allocatable | file.call_register.mask() | file.entry_scratch.mask();
    let link = frame.rules.link_register.map_or(0, PReg::mask);
    let free = usable & !file.preserved & !kept & !link & !frame.probe.live & 0xffff_ffff;
    (free != 0).then(|| PReg(31 - (free as u32).leading_zeros() as u8))
}

/// Loads the limit.
fn load<M: Machine>(
    target: &M,
    buf: &mut CodeBuffer,
    (module, f): (&Module, &Function),
    limit: SymbolId,
    r: PReg,
) -> Result {
    let pointer = target.facts().pointer;
    let symbol = module.symbol(limit);
    if symbol.is_tls() || symbol.kind == SymbolKind::EmulatedTls {
        if !symbol.is_tls() || !target.emit_thread_address(buf, module, r, limit) {
            let message = "a thread-local stack limit of this model, or on this target, is not supported";
            return Err(CompileError::new(f, message));
        }
    } else {
        let constant = ConstData::Symbol(limit, 0);
        target.emit_const(&mut ConstEmit { module, f, buf, keep_flags: false }, pointer, constant, 0, r)?;
    }
    target.emit_load(buf, r, FrameAddr { base: r, disp: 0 }, pointer.store_bytes());
    Ok(())
}
