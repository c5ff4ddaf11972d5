//! Control that leaves functions by other ways than calls and returns, as code in the place of calls. A buffer of jumps has the
//! frame pointer, the address to go on at, the stack pointer and, with shadow stacks, the pointer to that (LLVM,
//! `emitEHSjLjSetJmp` and `emitLongJmpShadowStackFix`). The only argument is in `rdi`, in 32-bit mode in `ecx`.

use gusset_codegen::buffer::{CodeBuffer, RelocTarget};
use gusset_codegen::ir::Module;
use gusset_codegen::libcall::LibCall;
use gusset_codegen::machine::{CodeMark, FrameOp, Machine};

use super::encode::ops::*;
use super::machine::{X86, gpr};
use super::reg::{Cond, Gpr, Mem, Size};
use super::registers::{RAX, RBP, RBX, RCX, RDI, RDX, RSP};
use super::{harden, reloc};

/// Emits the code of such a call.
pub(super) fn emit(x86: &X86, buf: &mut CodeBuffer, module: &Module, lib: LibCall) {
    let w = x86.word_size();
    let buffer = gpr(if x86.is_32() { RCX } else { RDI });
    let word = |n: i32| Mem::at(buffer, n * w.bytes() as i32);
    match lib {
        LibCall::SjljSetjmp => set_jump(x86, buf, module, word),
        LibCall::SjljLongjmp => {
            if module.return_protection {
                fix_shadow_stack(x86, buf, word(3));
            }
            let mut a = x86.asm(buf);
            a.mov(w, gpr(RBP), word(0));
            a.mov(w, gpr(RAX), word(1));
            a.mov(w, gpr(RSP), word(2));
            harden::jump(x86, a.buf, gpr(RAX).into());
        }
        LibCall::EhReturn => {
            let mut a = x86.asm(buf);
            a.mov(w, gpr(RSP), buffer);
            harden::ret(&mut a, 0);
        }
        // The registers are saved because the call changes them.
        _ => {}
    }
}

fn set_jump(x86: &X86, buf: &mut CodeBuffer, module: &Module, word: impl Fn(i32) -> Mem) {
    let w = x86.word_size();
    let (back, note, done) = (buf.new_label(), buf.new_label(), buf.new_label());
    // In 32-bit mode a call gives the address.
    if x86.is_32() {
        x86.asm(buf).call_target(reloc::PC32, RelocTarget::Label(note));
    } else {
        x86.emit_label_address(buf, RAX, back);
        x86.asm(buf).jmp(note);
    }
    buf.bind(back);
    if module.branch_protection {
        x86.emit_mark(buf, CodeMark::BranchTarget);
    }
    if x86.is_32() && x86.pic && !x86.windows {
        x86.emit_frame_op(buf, FrameOp::LoadFixed(RBX));
    }
    let mut a = x86.asm(buf);
    a.mov_ri(Size::B4, gpr(RAX), 1);
    a.jmp(done);
    a.buf.bind(note);
    if x86.is_32() {
        a.buf.stack_moved(4);
        a.pop_r(gpr(RAX));
        a.buf.stack_moved(-4);
    }
    a.mov_m(w, word(1), gpr(RAX));
    if module.return_protection {
        a.alu(AluOp::Xor, Size::B4, gpr(RDX), gpr(RDX));
        a.register(if x86.is_32() { RDSSPD } else { RDSSPQ }, w, gpr(RDX));
        a.mov_m(w, word(3), gpr(RDX));
    }
    a.alu(AluOp::Xor, Size::B4, gpr(RAX), gpr(RAX));
    a.buf.bind(done);
}

/// Takes the return addresses that the jump leaves out from the shadow stack, 255 at most at a time.
fn fix_shadow_stack(x86: &X86, buf: &mut CodeBuffer, saved: Mem) {
    let w = x86.word_size();
    let (now, count, step) = (gpr(RAX), gpr(RDX), Gpr(6));
    let (read, increase) = if x86.is_32() { (RDSSPD, INCSSPD) } else { (RDSSPQ, INCSSPQ) };
    let mut a = x86.asm(buf);
    let (again, done) = (a.buf.new_label(), a.buf.new_label());
    a.alu(AluOp::Xor, Size::B4, now, now);
    a.register(read, w, now);
    a.test_rr(w, now, now);
    a.jcc(Cond::E, done);
    a.mov(w, count, saved);
    a.alu(AluOp::Sub, w, count, now);
    a.jcc(Cond::BE, done);
    a.shift_ri(ShiftOp::Shr, w, count, w.bytes().trailing_zeros() as u8);
    // The lowest eight bits first.
    a.register(increase, w, count);
    a.shift_ri(ShiftOp::Shr, w, count, 8);
    a.jcc(Cond::E, done);
    a.alu(AluOp::Add, w, count, count);
    a.mov_ri(Size::B4, step, 128);
    a.buf.bind(again);
    a.register(increase, w, step);
    a.alu(AluOp::Sub, w, count, 1);
    a.jcc(Cond::NE, again);
    a.buf.bind(done);
}
