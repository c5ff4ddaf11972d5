//! Places in the code where a tool may write calls while the program runs (LLVM, "XRay Instrumentation"): until then control passes them.

use gusset_abi::features::Hardening;

use crate::analysis::Cfg;
use crate::buffer::{CodeBuffer, SledKind};
use crate::error::{CompileError, Result};
use crate::ir::{Function, sleds};
use crate::libcall::LibCall;
use crate::machine::{CodeMark, FrameOp, JumpTarget, Machine, SledForm};

/// The version of sleds that distances in tables count from their own fields.
pub(crate) const VERSION: u8 = 2;

/// Decides whether a function gets sleds: small ones do not, except those with loops if these count.
///
/// # Errors
/// The machine has none; the code could not be changed.
pub(crate) fn decide<T: Machine>(target: &T, cfg: &Cfg, f: &mut Function) -> Result {
    let wanted = f.attrs.sleds;
    let instructions: usize = f.layout.iter().map(|&b| f.block_insts(b).count()).sum();
    let small = (instructions as u64) < f.attrs.sled_threshold.into();
    let loops = wanted & sleds::IGNORES_LOOPS == 0 && !cfg.loops.is_empty();
    if wanted & sleds::ALWAYS == 0 && small && !loops {
        f.attrs.sleds = 0;
        return Ok(());
    }
    let returns = Hardening::RETURN_THUNKS.and(Hardening::RETURN_BARRIERS);
    let what = match target.sleds() {
        None => "the attribute `function-instrument` (XRay) is not supported on this machine",
        Some(_) if f.attrs.patchable_entry > 0 => {
            "the attribute `function-instrument` with `patchable-function-entry` is not supported"
        }
        Some(form) if form.after_return.is_some() && f.attrs.hardening.has(returns) => {
            "the attribute `function-instrument` with protected returns is not supported"
        }
        Some(_) => return Ok(()),
    };
    Err(CompileError::new(f, what))
}

/// Begins a sled here.
fn begin<T: Machine>(target: &T, buf: &mut CodeBuffer, kind: SledKind) {
    let Some(form) = target.sleds() else { return };
    if form.align > target.facts().nop_bytes {
        buf.align(form.align, form.fill);
    }
    let label = buf.new_label();
    buf.bind(label);
    buf.sleds.push((label, kind));
}

/// Emits a sled that control passes by a jump.
fn pass<T: Machine>(target: &T, buf: &mut CodeBuffer, kind: SledKind, room: u32) {
    begin(target, buf, kind);
    let end = buf.new_label();
    target.emit_jump(buf, JumpTarget::Label(end));
    target.emit_mark(buf, CodeMark::Room(room));
    buf.bind(end);
}

/// Emits that of the function's entry.
pub(crate) fn entry<T: Machine>(target: &T, buf: &mut CodeBuffer, f: &Function) {
    let Some(form) = target.sleds() else { return };
    let with_argument = f.attrs.sleds & sleds::LOGS_ARGUMENT != 0;
    pass(target, buf, if with_argument { SledKind::EntryWithArgument } else { SledKind::Entry }, form.room);
}

/// Emits a return with its sled.
pub(crate) fn exit<T: Machine>(target: &T, buf: &mut CodeBuffer, leave: FrameOp) {
    let form = target.sleds().filter(|_| matches!(leave, FrameOp::Return { pop: 0 }));
    match form {
        Some(SledForm { after_return: Some(room), .. }) => {
            begin(target, buf, SledKind::Exit);
            target.emit_frame_op(buf, leave);
            target.emit_mark(buf, CodeMark::Room(*room));
        }
        Some(form) => {
            pass(target, buf, SledKind::Exit, form.room);
            target.emit_frame_op(buf, leave);
        }
        None => target.emit_frame_op(buf, leave),
    }
}

/// Emits that before a jump to another function.
pub(crate) fn tail<T: Machine>(target: &T, buf: &mut CodeBuffer) {
    if let Some(SledForm { tail: Some(kind), room, .. }) = target.sleds() {
        pass(target, buf, *kind, *room);
    }
}

/// Emits the call of an event, whose arguments are where the function wants them. It preserves all registers, and is passed
/// unless a tool wants events.
pub(crate) fn event<T: Machine>(target: &T, buf: &mut CodeBuffer, lib: LibCall, call: impl FnOnce(&mut CodeBuffer)) {
    let typed = lib == LibCall::XrayTypedEvent;
    let Some(events) = target.sleds().and_then(|form| form.events) else { return call(buf) };
    let (before, after) = events[usize::from(typed)];
    begin(target, buf, if typed { SledKind::TypedEvent } else { SledKind::Event });
    let end = buf.new_label();
    target.emit_jump(buf, JumpTarget::Label(end));
    target.emit_mark(buf, CodeMark::Room(before));
    call(buf);
    target.emit_mark(buf, CodeMark::Room(after));
    buf.bind(end);
}
