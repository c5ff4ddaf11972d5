//! The steps of prologues and epilogues, and what else moves the stack pointer.

use gusset_abi::features::Hardening;
use gusset_codegen::buffer::{CodeBuffer, RelocTarget};
use gusset_codegen::libcall::LibCall;
use gusset_codegen::machine::{FrameOp, PReg, Probe, each_register};

use super::encode::ops::*;
use super::encode::{Asm, TEMP, add_immediate};
use super::machine::{Aarch64, gpr, mem, vreg};
use super::reg::{Extend, Gpr, Mem, SP, Width};
use super::registers::{CALLEE, FP, LINK, PROBED};
use crate::shared::arm::family::Encoder;
use crate::shared::arm::frame::touch;

/// See [`emit_frame_op`](gusset_codegen::machine::Machine::emit_frame_op).
pub(super) fn emit_op(target: &Aarch64, buf: &mut CodeBuffer, op: FrameOp) {
    let x = Width::X;
    let rules = &target.facts.frame;
    let mut a = Asm::new(buf);
    match op {
        FrameOp::Push(set) => {
            rules.stores(set).for_each(|(group, at)| push(&mut a, group, at, rules.push_bytes(set), true))
        }
        FrameOp::Pop(set) => {
            rules.stores(set).rev().for_each(|(group, at)| push(&mut a, group, at, rules.push_bytes(set), false));
        }
        FrameOp::Allocate { bytes, probe } => allocate(target, &mut a, bytes, probe),
        FrameOp::MoveStack(bytes) => lower(&mut a, bytes),
        FrameOp::Touch { bytes, step, by } => touch::<Aarch64>(&mut a, bytes, step, gpr(by)),
        FrameOp::SetFramePointer { up } => a.add_number(x, gpr(FP), SP, up.into()),
        FrameOp::RestoreStack { disp: 0 } => a.mov_sp(SP, gpr(FP)),
        FrameOp::RestoreStack { disp } => a.add_number(x, SP, gpr(FP), disp.into()),
        FrameOp::Store { register, at } => a.access(STR_Q, vreg(register), mem(at)),
        FrameOp::Load { register, at } => a.access(LDR_Q, vreg(register), mem(at)),
        FrameOp::Leave | FrameOp::LoadFixed(_) | FrameOp::EndPrologue | FrameOp::BeginEpilogue => {}
        FrameOp::Align(align) => {
            a.mov_sp(TEMP, SP);
            a.align_down(SP, TEMP, align);
        }
        // The personality routine of C++ calls funclets with the host's frame pointer; others pass the frame in x1.
        FrameOp::KeepHost | FrameOp::FindHost { cxx: true, .. } | FrameOp::Record(_) | FrameOp::Resume { .. } => {}
        FrameOp::FindHost { up, .. } => a.add_number(x, gpr(FP), Gpr(1), up.into()),
        FrameOp::StoreState { at, state } => {
            // If the place is far, the store itself needs the temporary.
            a.mov_number(x, gpr(CALLEE), i64::from(state) as u64);
            a.access(STR_X, gpr(CALLEE), mem(at));
        }
        FrameOp::SignReturn { second_key } => a.plain(if second_key { PACIBSP } else { PACIASP }),
        FrameOp::CheckReturn { second_key, below: 0 } => a.plain(if second_key { AUTIBSP } else { AUTIASP }),
        FrameOp::CheckReturn { second_key, below } => check_above(&mut a, second_key, below),
        FrameOp::PushReturn { shadow } => a.access(STR_X, gpr(LINK), Mem::Post(gpr(shadow), 8)),
        FrameOp::PopReturn { shadow } => a.access(LDR_X, gpr(LINK), Mem::Pre(gpr(shadow), -8)),
        FrameOp::Return { pop } => {
            if pop > 0 {
                a.add_number(x, SP, SP, pop.into());
            }
            a.leave_to(RET, gpr(LINK), Hardening::RETURN_BARRIERS);
        }
    }
}

/// Stores or loads one or two registers of a class. At the stack pointer, the instruction also lowers or raises it by
/// this many bytes.
fn push(a: &mut Asm<'_>, set: u64, at: u32, bytes: u32, store: bool) {
    let mut regs = each_register(set);
    let (Some(first), second) = (regs.next(), regs.next()) else { return };
    let m = match (at, store) {
        (0, true) => Mem::Pre(SP, -(bytes as i32)),
        (0, false) => Mem::Post(SP, bytes as i32),
        // Relative to the current stack pointer.
        _ => Mem::Base(SP, at as i32 - a.buf.stack_depth),
    };
    let (single, pair) = match (first.is_float(), store) {
        (false, true) => (STR_X, STP_X),
        (false, false) => (LDR_X, LDP_X),
        (true, true) => (STR_D, STP_D),
        (true, false) => (LDR_D, LDP_D),
    };
    match second {
        Some(second) => a.access_pair(pair, gpr(first), gpr(second), m),
        None => a.access(single, gpr(first), m),
    }
}

/// Checks the signature of the return address, made with a stack pointer this many bytes higher. `CALLEE` is preserved.
fn check_above(a: &mut Asm<'_>, second_key: bool, below: u32) {
    const MOST: u32 = 0xff_f000;
    let (x, link, callee) = (Width::X, gpr(LINK), gpr(CALLEE));
    // The instruction only works on these two registers.
    a.mov(x, TEMP, link);
    a.mov(x, link, callee);
    a.add_number(x, callee, SP, (below % MOST).into());
    for _ in 0..below / MOST {
        a.add_number(x, callee, callee, MOST.into());
    }
    a.plain(if second_key { AUTIB1716 } else { AUTIA1716 });
    a.mov(x, callee, link);
    a.mov(x, link, TEMP);
}

/// Lowers the stack pointer in one instruction, which unwinding can undo; other instructions may precede it.
fn lower(a: &mut Asm<'_>, bytes: i32) {
    if add_immediate(bytes.unsigned_abs().into()).is_some() {
        a.add_number(Width::X, SP, SP, -i64::from(bytes));
    } else {
        a.mov_number(Width::X, TEMP, bytes.unsigned_abs().into());
        let op = if bytes < 0 { ADD } else { SUB };
        a.add_extended(op, Width::X, SP, SP, (TEMP, Extend::Uxtx, 0));
    }
}

/// Takes the fixed part of a frame from the stack.
fn allocate(target: &Aarch64, a: &mut Asm<'_>, bytes: u32, probe: Probe) {
    let by_call = target.windows.is_some() && probe.bytes.is_some_and(|most| bytes >= most);
    // The function preserves the registers of arguments, except for its own.
    let free = (9..16).map(PReg::int).find(|r| probe.live & r.mask() == 0);
    match free {
        Some(free) if by_call => probe_by_call(a, bytes, probe, gpr(free)),
        _ if by_call || bytes >= probe.step => touch::<Aarch64>(a, bytes, probe.step, gpr(CALLEE)),
        _ => lower(a, bytes as i32),
    }
}

/// Calls the function that touches the allocated stack. It gets the size in units of 16 bytes in `x15`, and changes the
/// temporaries of linkers (Microsoft, "Overview of ARM64 ABI conventions", "Stack"). The former value of that register
/// is kept.
fn probe_by_call(a: &mut Asm<'_>, bytes: u32, probe: Probe, free: Gpr) {
    let (x, size) = (Width::X, gpr(PROBED));
    let keeps = probe.live & PROBED.mask() != 0;
    if keeps {
        a.mov(x, free, size);
    }
    a.mov_number(x, size, u64::from(bytes) / 16);
    a.call(probe.function.map_or(RelocTarget::LibCall(LibCall::Chkstk), |s| RelocTarget::Symbol(s.0)));
    if keeps {
        a.mov(x, TEMP, size);
        a.mov(x, size, free);
    }
    a.add_extended(SUB, x, SP, SP, (if keeps { TEMP } else { size }, Extend::Uxtx, 4));
}
