//! Code that processors do not speculate in: thunks of calls ("retpolines"), jumps that look like returns, barriers.
//!
//! Intel, "Retpoline: A Branch Target Injection Mitigation"; LLVM, `X86IndirectThunks.cpp`, `X86ReturnThunks.cpp`.

use gusset_abi::features::Hardening;
use gusset_codegen::buffer::{CodeBuffer, Label, RelocTarget};
use gusset_codegen::libcall::LibCall;

use super::encode::Asm;
use super::encode::ops::*;
use super::machine::{X86, gpr};
use super::reg::{Cond, Gpr, Mem, Rm, Size};
use super::registers::{R10, R11, RAX};
use super::reloc;

/// The prefix `cs`, which has no effect on a call or jump.
const LONGER: u8 = 0x2e;

impl X86 {
    /// The thunk that calls by the address in the register of callees, in functions with these protections.
    pub(super) fn call_thunk(&self, hardening: Hardening) -> LibCall {
        match (hardening.has(Hardening::EXTERNAL_THUNKS), self.is_32()) {
            (true, true) => LibCall::IndirectThunkEax,
            (true, false) => LibCall::IndirectThunkR11,
            (false, true) => LibCall::RetpolineEax,
            (false, false) => LibCall::RetpolineR11,
        }
    }
}

/// Calls or jumps to the address in a register or in memory, where it leaves the function. `leaves`: the jump has the prefix that
/// Windows' unwinder looks for.
pub(super) fn call(x86: &X86, buf: &mut CodeBuffer, callee: Rm<Gpr>, jump: bool, leaves: bool) {
    let hardening = buf.hardening;
    let mut a = x86.asm(buf);
    let (mut callee, mut leaves) = (callee, leaves && matches!(callee, Rm::Reg(_)));
    if hardening.has(Hardening::GUARDED_CALLS)
        && let Rm::Reg(r) = callee
    {
        // Microsoft, "Control Flow Guard": the function in the variable takes the address in rax.
        if r != gpr(RAX) {
            a.mov(x86.word_size(), gpr(RAX), r);
        }
        callee = Mem::rip(reloc::PC32, RelocTarget::LibCall(LibCall::GuardDispatch), 0).into();
        leaves = true;
    }
    if !hardening.has(Hardening::CALL_THUNKS) {
        match callee {
            callee if !jump => return a.call_to(callee),
            callee if leaves => a.jmp_leaving(callee),
            callee => a.jmp_to(callee),
        }
        return barrier(&mut a, Hardening::JUMP_BARRIERS);
    }
    let register = gpr(x86.facts.registers.call_register);
    if callee != Rm::Reg(register) {
        a.mov(x86.word_size(), register, callee);
    }
    if hardening.has(Hardening::LONG_THUNK_JUMPS) && !x86.is_32() {
        a.byte(LONGER);
    }
    let thunk = RelocTarget::LibCall(x86.call_thunk(hardening));
    if jump { a.jmp_target(reloc::PLT32, thunk) } else { a.call_target(reloc::PLT32, thunk) }
}

/// Traps unless the number before the function at an address, with so many bytes of room for patches in between, is this one. Returns
/// where it traps (LLVM, `X86AsmPrinter::LowerKCFI_CHECK`).
pub(super) fn check_type(x86: &X86, buf: &mut CodeBuffer, callee: Gpr, id: u32, before: u32) -> Label {
    let mut a = x86.asm(buf);
    let sum = gpr(if callee == gpr(R10) { R11 } else { R10 });
    let (pass, trap) = (a.buf.new_label(), a.buf.new_label());
    // No code contains the number itself.
    a.mov_ri(Size::B4, sum, id.wrapping_neg().into());
    a.alu(AluOp::Add, Size::B4, sum, Mem::at(callee, -(before as i32) - 4));
    a.jcc(Cond::E, pass);
    a.buf.bind(trap);
    a.plain(UD2);
    a.buf.bind(pass);
    trap
}

/// Jumps to an address in the function, which is in a register or in memory.
pub(super) fn jump(x86: &X86, buf: &mut CodeBuffer, to: Rm<Gpr>) {
    let hardening = buf.hardening;
    let mut a = x86.asm(buf);
    if let Rm::Reg(to) = to
        && hardening.has(Hardening::UNPREDICTED_JUMPS)
    {
        return unpredicted_jump(&mut a, x86.word_size(), to, 0);
    }
    a.jmp_to(to);
    barrier(&mut a, Hardening::JUMP_BARRIERS);
}

/// Returns and pops this many bytes of arguments.
pub(super) fn ret(a: &mut Asm<'_>, pop: u32) {
    let hardening = a.buf.hardening;
    match pop {
        0 if hardening.has(Hardening::RETURN_THUNKS) => {
            if hardening.has(Hardening::LONG_THUNK_JUMPS) {
                a.byte(LONGER);
            }
            return a.jmp_target(reloc::PLT32, RelocTarget::LibCall(LibCall::ReturnThunk));
        }
        0 => a.ret(),
        pop => a.ret_pop(pop as u16),
    }
    barrier(a, Hardening::RETURN_BARRIERS);
}

/// The code of the thunk of calls.
pub(super) fn thunk(x86: &X86, buf: &mut CodeBuffer) {
    unpredicted_jump(&mut x86.asm(buf), x86.word_size(), gpr(x86.facts.registers.call_register), 4);
}

/// A trap after a branch, if the function asks for it.
pub(super) fn barrier(a: &mut Asm<'_>, of: Hardening) {
    if a.buf.hardening.has(of) {
        a.plain(INT3);
    }
}

/// Calls the code after an endless loop, and returns from there to the address in a register: processors predict the loop. That code
/// follows after this many bytes.
fn unpredicted_jump(a: &mut Asm<'_>, word: Size, to: Gpr, gap: u32) {
    /// Bytes of the loop.
    const LOOP: u32 = 7;
    a.buf.put_slice(&[0xe8, (LOOP + gap) as u8, 0, 0, 0]);
    let again = a.buf.new_label();
    a.buf.bind(again);
    a.plain(PAUSE);
    a.plain(LFENCE);
    a.jmp(again);
    if gap > 0 {
        a.nop(gap);
    }
    let here = -a.buf.stack_depth;
    a.mov_m(word, Mem::at(Gpr(4), here), to);
    a.ret();
    barrier(a, Hardening::RETURN_BARRIERS);
}
