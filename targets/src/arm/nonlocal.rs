//! Jumps by `llvm.eh.sjlj`, as code in the place of calls. A buffer of jumps has the frame pointer, the address to go on at and the
//! stack pointer (LLVM, `ARMTargetLowering::EmitSjLjDispatchBlock`, `tInt_eh_sjlj_longjmp`). It is in `r0`.

use gusset_abi::features::Hardening;
use gusset_codegen::buffer::RelocTarget;
use gusset_codegen::libcall::LibCall;

use super::encode::Asm;
use super::encode::ops::*;
use super::reg::{Flags, Gpr, LR, Mem, SP};

/// Emits the code of such a call.
pub(super) fn emit(e: &mut Asm<'_>, lib: LibCall) {
    let (buffer, temp) = (Gpr(0), Gpr(1));
    let word = |n: i32| Mem::Base(buffer, 4 * n);
    match lib {
        LibCall::SjljSetjmp => {
            // The call gives the address, with the bit of the instruction set.
            let (note, done) = (e.buf.new_label(), e.buf.new_label());
            e.call(RelocTarget::Label(note));
            e.mov_number(Flags::Keep, buffer, 1);
            e.b(done);
            e.buf.bind(note);
            e.access(STR, LR, word(1));
            e.mov_number(Flags::Keep, buffer, 0);
            e.buf.bind(done);
        }
        LibCall::SjljLongjmp => {
            e.access(LDR, temp, word(2));
            e.mov(SP, temp);
            e.access(LDR, temp, word(1));
            // The frame pointer of T32, and that of A32.
            e.access(LDR, Gpr(7), word(0));
            e.access(LDR, Gpr(11), word(0));
            e.branch_r(BX, temp);
            e.stop_after(Hardening::JUMP_BARRIERS);
        }
        // The registers are saved because the call changes them.
        _ => {}
    }
}
