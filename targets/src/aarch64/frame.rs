//! The steps of prologues and epilogues, and what else moves the stack pointer.

use gusset_codegen::buffer::CodeBuffer;
use gusset_codegen::machine::{FrameOp, FrameRules, PReg, Probe, Unwinding, each_register};

use super::encode::ops::*;
use super::encode::{Asm, TEMP, logical_immediate};
use super::machine::{gpr, mem, vreg};
use super::reg::{Cond, Gpr, Mem, SP, Width};
use super::registers::{CALLEE, FP, LINK, STACK};

/// Pairs of registers, first the frame record: the frame pointer and the link register. Of vector registers callees keep eight bytes.
pub(super) const ELF: FrameRules = FrameRules {
    stack_pointer: STACK,
    frame_pointer: FP,
    link: 0,
    link_register: Some(LINK),
    pushed: !0,
    next_push,
    push_unit: 16,
    word: 8,
    vector: 8,
    low_frame_pointer: None,
    reaches_up: true,
    has_leave: false,
    page: 4096,
    unwinding: Unwinding::Dwarf(dwarf),
};

fn next_push(set: u64, framed: bool) -> u64 {
    let record = FP.mask() | LINK.mask();
    let ints = set & 0xffff_ffff;
    let rest = match ints {
        _ if framed && set & record == record => return record,
        0 => set,
        _ => ints,
    };
    each_register(rest).take(2).fold(0, |pair, r| pair | r.mask())
}

/// DWARF number (DWARF for the Arm 64-bit Architecture, section "DWARF register names").
fn dwarf(r: PReg) -> Option<u16> {
    Some(u16::from(r.num()) + if r.is_float() { 64 } else { 0 })
}

/// See [`emit_frame_op`](gusset_codegen::machine::Machine::emit_frame_op).
pub(super) fn emit_op(buf: &mut CodeBuffer, op: FrameOp) {
    let x = Width::X;
    let mut a = Asm::new(buf);
    match op {
        FrameOp::Push(set) => push(&mut a, set, true),
        FrameOp::Pop(set) => push(&mut a, set, false),
        FrameOp::Allocate { bytes, probe } => allocate(&mut a, bytes, probe),
        FrameOp::MoveStack(bytes) => a.add_number(x, SP, SP, -i64::from(bytes)),
        FrameOp::Touch { bytes, step, by } => touch(&mut a, bytes, step, gpr(by)),
        FrameOp::SetFramePointer { up } => a.add_number(x, gpr(FP), SP, up.into()),
        FrameOp::RestoreStack { disp: 0 } => a.mov_sp(SP, gpr(FP)),
        FrameOp::RestoreStack { disp } => a.add_number(x, SP, gpr(FP), disp.into()),
        FrameOp::Store { register, at } => a.access(STR_Q, vreg(register), mem(at)),
        FrameOp::Load { register, at } => a.access(LDR_Q, vreg(register), mem(at)),
        FrameOp::Leave | FrameOp::LoadFixed(_) | FrameOp::EndPrologue | FrameOp::BeginEpilogue => {}
        FrameOp::Align(align) => {
            a.mov_sp(TEMP, SP);
            if let Some(field) = logical_immediate(x, i64::from(align).wrapping_neg() as u64) {
                a.logic_ri(AND, x, SP, TEMP, field);
            }
        }
        FrameOp::Return { pop } => {
            if pop > 0 {
                a.add_number(x, SP, SP, pop.into());
            }
            a.branch_r(RET, gpr(LINK));
        }
    }
}

/// Pushes one or two registers of a class, or pops them.
fn push(a: &mut Asm<'_>, set: u64, store: bool) {
    let mut regs = each_register(set);
    let (Some(first), second) = (regs.next(), regs.next()) else { return };
    let m = if store { Mem::Pre(SP, -16) } else { Mem::Post(SP, 16) };
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

/// Takes the fixed part of a frame from the stack.
fn allocate(a: &mut Asm<'_>, bytes: u32, probe: Probe) {
    if bytes >= probe.step {
        touch(a, bytes, probe.step, gpr(CALLEE));
    } else {
        a.add_number(Width::X, SP, SP, -i64::from(bytes));
    }
}

/// Takes so many bytes of stack and touches it in steps, so that the guard page cannot be stepped over.
fn touch(a: &mut Asm<'_>, bytes: u32, step: u32, end: Gpr) {
    let x = Width::X;
    let rest = bytes % step;
    if bytes > rest {
        let whole = bytes - rest;
        a.add_number(x, end, SP, -i64::from(whole));
        a.buf.find_cfa_from(end.0.into(), whole as i32);
        let again = a.buf.new_label();
        a.buf.bind(again);
        a.add_number(x, SP, SP, -i64::from(step));
        a.access(STR_X, super::reg::ZR, Mem::Base(SP, -a.buf.stack_height));
        a.add_extended(SUBS, x, super::reg::ZR, SP, (end, super::reg::Extend::Uxtx, 0));
        a.b_if(Cond::Ne, again);
        a.buf.find_cfa_from(STACK.num().into(), 0);
    }
    if rest > 0 {
        a.add_number(x, SP, SP, -i64::from(rest));
        a.buf.stack_moved(rest as i32);
    }
}
