//! Zeroing registers before a return.

use gusset_abi::Convention;
use gusset_codegen::buffer::CodeBuffer;
use gusset_codegen::machine::PReg;

use super::encode::ops::*;
use super::encode::x87::FLDZ;
use super::machine::{X86, gpr, xmm};
use super::reg::{Size, St};
use super::registers::{R8, R9, RAX, RCX, RDI, RDX, RSI};

/// See [`Machine::argument_registers`](gusset_codegen::machine::Machine::argument_registers): the registers that LLVM
/// counts as such (`X86RegisterInfo::isArgumentRegister`).
pub(super) fn arguments(target: &X86, convention: Convention) -> u64 {
    if target.is_32() {
        return RAX.mask() | RCX.mask() | RDX.mask();
    }
    let counted = if convention == Convention::SysV64 { RAX.mask() } else { 0 };
    let general = [RCX, RDX, RSI, RDI, R8, R9].iter().fold(0, |mask, r| mask | r.mask());
    (0..8).fold(counted | general, |mask, n| mask | PReg::float(n).mask())
}

/// See [`Machine::emit_zero_registers`](gusset_codegen::machine::Machine::emit_zero_registers).
pub(super) fn emit(target: &X86, buf: &mut CodeBuffer, registers: u64, stack: Option<u32>) {
    let mut a = target.asm(buf);
    if let Some(results) = stack {
        let free = 8 - results.min(8);
        (0..free).for_each(|_| a.x87_plain(FLDZ));
        (0..free).for_each(|_| a.fstp_st(St(0)));
    }
    let mut left = registers;
    while left != 0 {
        let r = PReg(left.trailing_zeros() as u8);
        left &= left - 1;
        if r.is_float() {
            a.sse(XORPS, xmm(r), xmm(r));
        } else {
            a.alu(AluOp::Xor, Size::B4, gpr(r), gpr(r));
        }
    }
}
