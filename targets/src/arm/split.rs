//! The check of split stacks at the start of a function (LLVM, `ARMFrameLowering::adjustForSegmentedStacks`).

use gusset_abi::Os;
use gusset_codegen::buffer::{CodeBuffer, RelocTarget};
use gusset_codegen::libcall::LibCall;
use gusset_codegen::machine::SplitCheck;

use super::encode::ops::*;
use super::machine::Arm;
use super::reg::{Cond, Flags, Gpr, LR, Mem, SP};

/// A smaller frame counts as none: there is so much room below the limit.
const SMALL: u32 = 256;

/// The registers in which `__morestack` finds the sizes of the frame and of the arguments on the stack.
const FRAME: Gpr = Gpr(4);
const ARGUMENTS: Gpr = Gpr(5);

/// Compares the stack pointer with the limit in the thread's block, and has `__morestack` run the rest of the function on another stack
/// if it is below. That counts instructions: the function's own code begins four of them after its call.
pub(super) fn check(target: &Arm, buf: &mut CodeBuffer, check: &SplitCheck) -> Result<(), &'static str> {
    if target.facts.library.os != Os::Linux {
        return Err("the attribute `split-stack` is supported on Linux alone");
    }
    // Android's slot 63; glibc has the word after the thread's pointer.
    let slot = if target.features.android { 252 } else { 4 };
    let both = 1 << FRAME.0 | 1 << ARGUMENTS.0;
    let mut a = target.asm(buf);
    a.push(both);
    if check.bytes < SMALL {
        a.mov(ARGUMENTS, SP);
    } else {
        a.mov_number(Flags::Keep, FRAME, check.bytes);
        a.data(SUB, Flags::Keep, ARGUMENTS, SP, FRAME);
    }
    // Whatever the processor: the system's kernel sees to older ones.
    a.thread_pointer(FRAME, 3);
    a.access(LDR, FRAME, Mem::Base(FRAME, slot));
    a.compare(CMP, FRAME, ARGUMENTS);
    let enough = a.buf.new_label();
    a.b_if(Cond::Ls, enough);
    a.mov_number(Flags::Keep, FRAME, check.bytes);
    a.mov_number(Flags::Keep, ARGUMENTS, check.arguments);
    a.push(1 << LR.0);
    a.call(RelocTarget::LibCall(LibCall::Morestack));
    a.pop(1 << LR.0);
    a.pop(both);
    a.return_from_link();
    a.buf.bind(enough);
    a.pop(both);
    Ok(())
}
