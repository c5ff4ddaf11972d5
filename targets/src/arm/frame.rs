//! The steps of prologues and epilogues, and what else moves the stack pointer.

use gusset_abi::features::Hardening;
use gusset_codegen::buffer::RelocTarget;
use gusset_codegen::libcall::LibCall;
use gusset_codegen::machine::{FrameOp, Probe, each_register};

use super::encode::Asm;
use super::encode::ops::*;
use super::machine::{Arm, gpr, mem, vreg};
use super::reg::{Flags, SP, Vreg};
use super::registers::{IP, LINK, PROBED};
use crate::shared::arm::family::Encoder;
use crate::shared::arm::frame::touch;

/// Holds no arguments, and nothing else at the start of functions.
const KEPT: Vreg = Vreg::D(16);

/// See [`emit_frame_op`](gusset_codegen::machine::Machine::emit_frame_op).
pub(super) fn emit_op(target: &Arm, a: &mut Asm<'_>, op: FrameOp) {
    let fp = gpr(target.facts.frame.frame_pointer);
    match op {
        FrameOp::Push(set) => push(a, set, true),
        FrameOp::Pop(set) => push(a, set, false),
        FrameOp::Allocate { bytes, probe } => allocate(target, a, bytes, probe),
        FrameOp::MoveStack(bytes) => a.add_number(Flags::Keep, SP, SP, -bytes),
        FrameOp::Touch { bytes, step, by } => touch::<Arm>(a, bytes, step, gpr(by)),
        FrameOp::SetFramePointer { up: 0 } => a.mov(fp, SP),
        FrameOp::SetFramePointer { up } => a.add_number(Flags::Keep, fp, SP, up as i32),
        FrameOp::RestoreStack { disp: 0 } => a.mov(SP, fp),
        FrameOp::RestoreStack { disp } => {
            // At no time is it above what has been saved.
            let temp = a.temp();
            a.add_number(Flags::Keep, temp, fp, disp);
            a.mov(SP, temp);
        }
        FrameOp::Store { register, at } => a.faccess(VSTR, vreg(register, 8), mem(at)),
        FrameOp::Load { register, at } => a.faccess(VLDR, vreg(register, 8), mem(at)),
        FrameOp::Leave | FrameOp::LoadFixed(_) | FrameOp::EndPrologue | FrameOp::BeginEpilogue => {}
        // Its code has no funclets.
        FrameOp::KeepHost | FrameOp::FindHost { .. } | FrameOp::StoreState { .. } | FrameOp::Record(_) => {}
        FrameOp::SignReturn { .. } => a.protect(PAC),
        FrameOp::CheckReturn { below, .. } => {
            a.add_number(Flags::Keep, SP, SP, below as i32);
            a.protect(AUT);
            a.add_number(Flags::Keep, SP, SP, -(below as i32));
        }
        FrameOp::Resume { pop } => {
            a.resume(pop);
            a.stop_after(Hardening::RETURN_BARRIERS);
        }
        FrameOp::PushReturn { .. } | FrameOp::PopReturn { .. } => {}
        FrameOp::Align(align) => {
            let temp = a.temp();
            a.mov(temp, SP);
            a.align_down(temp, temp, align);
            a.mov(SP, temp);
        }
        FrameOp::Return { pop } => {
            if pop > 0 {
                a.add_number(Flags::Keep, SP, SP, pop as i32);
            }
            a.return_from_link();
            a.stop_after(Hardening::RETURN_BARRIERS);
        }
    }
}

/// Pushes or pops registers of a class.
fn push(a: &mut Asm<'_>, set: u64, store: bool) {
    let Some(first) = each_register(set).next() else { return };
    if first.is_float() {
        let count = set.count_ones();
        a.fmultiple(if store { VSTMDB } else { VLDMIA }, vreg(first, 8), count);
    } else if store {
        a.push(set as u16);
    } else {
        a.pop(set as u16);
    }
}

/// Takes the fixed part of a frame from the stack. On Windows a function touches it, which gets the size in words and
/// returns it in bytes (Microsoft, "Overview of ARM32 ABI Conventions", "Stack"). It may change the register of static
/// chains.
fn allocate(target: &Arm, a: &mut Asm<'_>, bytes: u32, probe: Probe) {
    if target.windows.is_some() && probe.bytes.is_some_and(|most| bytes >= most) {
        let chain = probe.live & IP.mask() != 0;
        if chain {
            a.from_pair(KEPT, (gpr(IP), gpr(IP)));
        }
        a.mov_number(Flags::Keep, gpr(PROBED), bytes / 4);
        a.call(probe.function.map_or(RelocTarget::LibCall(LibCall::Chkstk), |s| RelocTarget::Symbol(s.0)));
        if chain {
            a.to_pair((gpr(IP), gpr(LINK)), KEPT);
        }
        a.data(SUB, Flags::Keep, SP, SP, gpr(PROBED));
    } else if bytes >= probe.step {
        let end = if probe.live & IP.mask() != 0 { a.temp() } else { gpr(IP) };
        touch::<Arm>(a, bytes, probe.step, end);
    } else {
        a.add_number(Flags::Keep, SP, SP, -(bytes as i32));
    }
}
