//! Steps of prologues and epilogues, and other changes of the stack pointer.

use gusset_codegen::buffer::{CodeBuffer, RelocTarget};
use gusset_codegen::libcall::LibCall;
use gusset_codegen::machine::{CallTarget, FrameOp, Machine, PReg, Probe, Unwinding};

use super::encode::Asm;
use super::encode::ops::*;
use super::harden;
use super::machine::{X86, frame_mem, gpr};
use super::reg::{Cond, Gpr, Mem, Size};
use super::registers::{R11, RAX, RDX};
use super::{reloc, windows};

const SP: Gpr = Gpr(4);
const FP: Gpr = Gpr(5);

/// Marks that unwinding finds the frame from `r`, which is `lower` bytes below what it was found from.
fn find_cfa_from(target: &X86, buf: &mut CodeBuffer, r: Gpr, lower: u32) {
    if let Unwinding::Dwarf(number) = target.facts.frame.unwinding
        && let Some(register) = number(PReg::int(r.0))
    {
        buf.find_cfa_from(register, lower as i32);
    }
}

/// See [`Machine::emit_frame_op`].
pub(super) fn emit_op(target: &X86, buf: &mut CodeBuffer, op: FrameOp) {
    let w = target.word_size();
    let one = |set: u64| Gpr(set.trailing_zeros() as u8);
    let mut a = target.asm(buf);
    match op {
        FrameOp::Push(set) => a.push_r(one(set)),
        FrameOp::Pop(set) => a.pop_r(one(set)),
        FrameOp::Allocate { bytes, probe } => allocate(target, &mut a, bytes, probe),
        FrameOp::MoveStack(bytes @ ..0) => a.alu(AluOp::Add, w, SP, -bytes),
        FrameOp::MoveStack(bytes) => a.alu(AluOp::Sub, w, SP, bytes),
        FrameOp::Touch { bytes, step, by } => touch(target, &mut a, bytes, step, gpr(by)),
        FrameOp::SetFramePointer { up: 0 } => a.mov(w, FP, SP),
        FrameOp::SetFramePointer { up } => a.lea(w, FP, Mem::at(SP, up as i32)),
        FrameOp::RestoreStack { disp } => a.lea(w, SP, Mem::at(FP, disp)),
        FrameOp::Leave => a.plain(LEAVE),
        FrameOp::Store { register, at } => target.emit_store(buf, register, at, 16),
        FrameOp::Load { register, at } => target.emit_load(buf, register, at, 16),
        // Unwinders take a return address before an epilogue for one in it, where the function catches nothing any
        // more.
        FrameOp::BeginEpilogue if target.has_function_tables() && !a.buf.calls().is_empty() => a.nop(1),
        FrameOp::BeginEpilogue | FrameOp::EndPrologue => {}
        // rdx holds it.
        FrameOp::KeepHost => a.mov_m(w, Mem::at(SP, 16), gpr(RDX)),
        FrameOp::FindHost { up, .. } => a.lea(w, FP, Mem::at(gpr(RDX), up as i32)),
        FrameOp::Record(op) => windows::record(target, buf, op),
        FrameOp::StoreState { at, state } => a.mov_m(w, frame_mem(at), state),
        // The processor does that by itself.
        FrameOp::SignReturn { .. }
        | FrameOp::CheckReturn { .. }
        | FrameOp::PushReturn { .. }
        | FrameOp::PopReturn { .. } => {}
        FrameOp::Align(align) => a.alu(AluOp::And, w, SP, -(align as i32)),
        FrameOp::LoadFixed(register) => load_got(&mut a, gpr(register)),
        FrameOp::Return { pop } => harden::ret(&mut a, pop),
        FrameOp::Resume { pop } => {
            if pop > 0 {
                a.alu(AluOp::Add, w, SP, pop as i32);
            }
            a.iret();
        }
    }
}

/// Loads the address of the global offset table into a register. A call is the only way to get the program counter.
fn load_got(a: &mut Asm<'_>, register: Gpr) {
    // To the next instruction; processors do not expect this call to return.
    a.buf.put_word(0xe8, 5);
    a.buf.stack_moved(4);
    a.pop_r(register);
    a.buf.stack_moved(-4);
    // The relocation counts from its field, three bytes after the popped address.
    let table = RelocTarget::LibCall(LibCall::GlobalOffsetTable);
    a.alu_ri_reloc(AluOp::Add, Size::B4, register, reloc::GOTPC, table, 3);
}

/// Takes the fixed part of a frame from the stack.
fn allocate(target: &X86, a: &mut Asm<'_>, bytes: u32, probe: Probe) {
    let usual = target.has_function_tables().then(|| CallTarget::Library(windows::probe(target)));
    let by = probe.function.map(CallTarget::Symbol).or(usual);
    match by {
        Some(by) if probe.bytes.is_some_and(|most| bytes >= most) => probe_by(target, a, bytes, by, probe.live),
        None if bytes >= probe.step => touch_free(target, a, bytes, probe),
        _ => a.alu(AluOp::Sub, target.word_size(), SP, bytes as i32),
    }
}

/// Calls a function that touches the allocated stack: it gets the number of bytes in `eax`, and changes only flags
/// (LLVM LangRef, `probe-stack`). `eax` is preserved.
fn probe_by(target: &X86, a: &mut Asm<'_>, bytes: u32, function: CallTarget, live: u64) {
    let (w, ax) = (target.word_size(), gpr(RAX));
    let keeps = live & RAX.mask() != 0;
    let in_register = keeps && !target.is_32() && live & R11.mask() == 0;
    let on_stack = if keeps && !in_register { w.bytes() } else { 0 };
    if in_register {
        a.mov(Size::B8, gpr(R11), ax);
    } else if keeps {
        a.push_r(ax);
        a.buf.stack_moved(on_stack as i32);
    }
    a.mov_ri(Size::B4, ax, (bytes - on_stack).into());
    match function {
        CallTarget::Symbol(s) => a.call_symbol(reloc::PLT32, s.0),
        CallTarget::Library(lib) => a.call_library(lib),
        CallTarget::Reg(r) => a.call_to(gpr(r)),
    }
    a.alu(AluOp::Sub, w, SP, ax);
    if in_register {
        a.mov(Size::B8, ax, gpr(R11));
    } else if keeps {
        a.mov(w, ax, Mem::at(SP, (bytes - on_stack) as i32));
    }
}

/// Touches each page of the allocated stack, with a register that holds nothing or is saved on the stack meanwhile.
fn touch_free(target: &X86, a: &mut Asm<'_>, bytes: u32, probe: Probe) {
    // Every scratch register of i386 may hold an argument; r11 of x86-64 rarely does.
    if !target.is_32() && probe.live & R11.mask() == 0 {
        return touch(target, a, bytes, probe.step, gpr(R11));
    }
    let (w, by) = (target.word_size(), gpr(RAX));
    a.push_r(by);
    a.buf.stack_moved(w.bytes() as i32);
    let rest = bytes - w.bytes();
    touch(target, a, rest, probe.step, by);
    a.mov(w, by, Mem::at(SP, rest as i32));
}

/// Takes this many bytes of stack and touches it in steps, so that the guard page is not skipped.
fn touch(target: &X86, a: &mut Asm<'_>, bytes: u32, step: u32, end: Gpr) {
    let w = target.word_size();
    // Displacements here are relative to the current stack pointer.
    let here = -a.buf.stack_depth;
    let rest = bytes % step;
    if bytes > rest {
        a.lea(w, end, Mem::at(SP, here - (bytes - rest) as i32));
        find_cfa_from(target, a.buf, end, bytes - rest);
        let again = a.buf.new_label();
        a.buf.bind(again);
        a.alu(AluOp::Sub, w, SP, step as i32);
        a.alu_m(AluOp::Or, Size::B4, Mem::at(SP, here), 0);
        a.alu(AluOp::Cmp, w, SP, end);
        a.jcc(Cond::NE, again);
        find_cfa_from(target, a.buf, SP, 0);
    }
    if rest > 0 {
        a.alu(AluOp::Sub, w, SP, rest as i32);
        a.buf.stack_moved(rest as i32);
    }
}
