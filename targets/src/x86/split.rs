//! The check of split stacks at the start of a function (LLVM, `X86FrameLowering::adjustForSegmentedStacks`).

use gusset_codegen::buffer::{CodeBuffer, RelocTarget};
use gusset_codegen::libcall::LibCall;
use gusset_codegen::machine::SplitCheck;

use super::encode::ops::*;
use super::machine::{X86, gpr};
use super::reg::{Cond, Mem, Segment, Size};
use super::registers::{R10, R11, RAX, RSP};
use super::reloc;

/// A smaller frame counts as none: there is so much room below the limit.
const SMALL: u32 = 256;

/// Compares the stack pointer with the limit in the thread's block (glibc, `__private_ss`), and has `__morestack` run the rest of the
/// function on another stack if it is below. That returns past the byte after its call, by which the function returns in turn.
pub(super) fn check(x86: &X86, buf: &mut CodeBuffer, check: &SplitCheck) -> Result<(), &'static str> {
    const TAKEN: &str = "a register that split stacks (`split-stack`) need holds an argument";
    let (mut a, w, stack) = (x86.asm(buf), x86.word_size(), gpr(RSP));
    let temp = if x86.is_32() { check.temp } else { Some(R11).filter(|r| check.used & r.mask() == 0) };
    let has_chain = !x86.is_32() && check.used & R10.mask() != 0;
    if !x86.is_32() && temp.is_none() || has_chain && check.used & RAX.mask() != 0 {
        return Err(TAKEN);
    }
    let (segment, at) = if x86.is_32() { (Segment::Gs, 0x30) } else { (Segment::Fs, 0x70) };
    let mut lowest = stack;
    if check.bytes >= SMALL {
        lowest = gpr(temp.ok_or(TAKEN)?);
        a.lea(w, lowest, Mem::at(stack, -(check.bytes as i32)));
    }
    a.alu(AluOp::Cmp, w, lowest, Mem::absolute(at).in_segment(segment));
    let enough = a.buf.new_label();
    a.jcc(Cond::A, enough);
    if has_chain {
        a.mov(w, gpr(RAX), gpr(R10));
    }
    if x86.is_32() {
        a.push_ri(check.arguments as i32);
        a.push_ri(check.bytes as i32);
    } else {
        a.mov_ri(Size::B4, gpr(R10), check.bytes.into());
        a.mov_ri(Size::B4, gpr(R11), check.arguments.into());
    }
    let kind = if x86.is_32() { reloc::PC32 } else { reloc::PLT32 };
    a.call_target(kind, RelocTarget::LibCall(LibCall::Morestack));
    a.ret();
    if has_chain {
        a.mov(w, gpr(R10), gpr(RAX));
    }
    a.buf.bind(enough);
    Ok(())
}
