//! Machine code for x86-64 on Windows: the static chain is passed in r10.

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
        "push rbp",
        "mov rbp, rsp",
        "and rsp, -16",
        "sub rsp, 32",
        "mov rcx, r10",
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
        "mov rdx, [rsp]\njmp {}"
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
    // The frame: 4 floating-point values, 8 bytes for alignment, the return address, then the arguments as words, of
    // which the first four are the home space.
    naked_asm!(
        "mov [rsp + 8], rcx",
        "mov [rsp + 16], rdx",
        "mov [rsp + 24], r8",
        "mov [rsp + 32], r9",
        "sub rsp, 72",
        "movsd [rsp + 32], xmm0",
        "movsd [rsp + 40], xmm1",
        "movsd [rsp + 48], xmm2",
        "movsd [rsp + 56], xmm3",
        "lea rcx, [rsp + 32]",
        "mov rdx, r10",
        "call {}",
        "add rsp, 72",
        "ret",
        sym dispatch::<S, F>
    )
}

/// The arguments of a call: each has a position in the frame of [`adapter`], whatever its type is.
pub(crate) type Arguments = registers::Arguments<Positions>;

/// The number of arguments that were taken.
#[derive(Default)]
pub(crate) struct Positions(usize);

impl registers::Positions for Positions {
    fn next(&mut self, float: bool) -> usize {
        self.0 += 1;
        match (self.0 - 1, float) {
            (taken @ 0..4, true) => taken,
            (taken, _) => 6 + taken,
        }
    }
}
