//! Machine code for x86-64, by the System V ABI: the static chain is passed in r10.

use crate::closure::{Function, dispatch};
pub(crate) use crate::interface::free;
use crate::report::called_dead;
use core::arch::naked_asm;

mod registers;

/// Distance of stubs, in bytes.
pub(crate) const STRIDE: usize = 32;
/// Fills the gaps between stubs: `int3`.
pub(crate) const TRAP: u8 = 0xcc;

/// Reports the call of a freed trampoline. The trampoline's record is the chain.
#[unsafe(naked)]
unsafe extern "C" fn dead_call() {
    naked_asm!(
        "endbr64",
        "push rbp",
        "mov rbp, rsp",
        "and rsp, -16",
        "mov rdi, r10",
        "call {}",
        "ud2",
        sym called_dead
    )
}

/// The target of freed trampolines of the only kind.
pub(crate) fn dead(_kind: u16) -> *const () {
    dead_call as *const ()
}

/// The code of a function that frees a trampoline: it passes its own return address to [`free`], the operand.
macro_rules! free_code {
    () => {
        "endbr64\nmov rsi, [rsp]\njmp {}"
    };
}
pub(crate) use free_code;

/// The target of calls of closures: saves the arguments in registers where [`Arguments`] finds them, and calls
/// [`dispatch`], whose result already is in the right registers.
///
/// # Safety
/// Only called through a trampoline whose chain is a context of `S` and `F`, with the arguments of `S`.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn adapter<S: Function<F>, F>() {
    // The frame: 6 words, 8 floating-point values, 8 bytes for alignment, the return address, arguments on the stack.
    naked_asm!(
        "endbr64",
        "sub rsp, 120",
        "mov [rsp], rdi",
        "mov [rsp + 8], rsi",
        "mov [rsp + 16], rdx",
        "mov [rsp + 24], rcx",
        "mov [rsp + 32], r8",
        "mov [rsp + 40], r9",
        "movsd [rsp + 48], xmm0",
        "movsd [rsp + 56], xmm1",
        "movsd [rsp + 64], xmm2",
        "movsd [rsp + 72], xmm3",
        "movsd [rsp + 80], xmm4",
        "movsd [rsp + 88], xmm5",
        "movsd [rsp + 96], xmm6",
        "movsd [rsp + 104], xmm7",
        "mov rdi, rsp",
        "mov rsi, r10",
        "call {}",
        "add rsp, 120",
        "ret",
        sym dispatch::<S, F>
    )
}

/// The arguments of a call: six integer registers.
pub(crate) type Arguments = registers::Arguments<registers::Registers<6>>;
