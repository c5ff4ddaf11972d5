//! Machine code for AArch64, on Linux and Windows: the static chain is passed in x15.

use crate::closure::{Function, dispatch};
pub(crate) use crate::interface::free;
use crate::report::called_dead;
use core::arch::naked_asm;

mod registers;

/// Distance of stubs, in bytes.
pub(crate) const STRIDE: usize = 16;
/// Stubs leave no gaps.
pub(crate) const TRAP: u8 = 0;

/// Reports the call of a freed trampoline. The trampoline's record is the chain.
#[unsafe(naked)]
unsafe extern "C" fn dead_call() {
    naked_asm!(
        "hint 34",
        "stp x29, x30, [sp, -16]!",
        "mov x29, sp",
        "mov x0, x15",
        "bl {}",
        "brk 1",
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
        "hint 34\nmov x1, x30\nb {}"
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
    // The frame: the frame record, 8 words, 8 floating-point values, arguments on the stack. `hint 34` is `bti c`.
    naked_asm!(
        "hint 34",
        "stp x29, x30, [sp, -144]!",
        "mov x29, sp",
        "stp x0, x1, [sp, 16]",
        "stp x2, x3, [sp, 32]",
        "stp x4, x5, [sp, 48]",
        "stp x6, x7, [sp, 64]",
        "stp d0, d1, [sp, 80]",
        "stp d2, d3, [sp, 96]",
        "stp d4, d5, [sp, 112]",
        "stp d6, d7, [sp, 128]",
        "add x0, sp, 16",
        "mov x1, x15",
        "bl {}",
        "ldp x29, x30, [sp], 144",
        "ret",
        sym dispatch::<S, F>
    )
}

/// The arguments of a call: eight integer registers.
pub(crate) type Arguments = registers::Arguments<registers::Registers<8>>;

/// Makes instruction caches see the code that was written from `start` to `end` (Arm Architecture Reference Manual for
/// A-profile, "Concurrent modification and execution of instructions").
///
/// # Safety
/// The bytes can be read.
#[cfg(unix)]
pub(crate) unsafe fn flush(start: usize, end: usize) {
    use core::arch::asm;
    let kind: usize;
    // SAFETY: reads a register that every program may read.
    unsafe { asm!("mrs {}, ctr_el0", out(reg) kind, options(nomem, nostack, preserves_flags)) };
    let lines = |log_words: usize| (start & !((4 << (log_words & 15)) - 1)..end).step_by(4 << (log_words & 15));
    // Processors whose instruction caches follow the data caches say so.
    let (data_follows, code_follows) = (kind >> 28 & 1 != 0, kind >> 29 & 1 != 0);
    // SAFETY: cleans lines of memory that may be read, and invalidates the instruction caches' copies.
    unsafe {
        if !data_follows {
            lines(kind >> 16).for_each(|at| asm!("dc cvau, {}", in(reg) at, options(nostack, preserves_flags)));
        }
        asm!("dsb ish", options(nostack, preserves_flags));
        if !code_follows {
            lines(kind).for_each(|at| asm!("ic ivau, {}", in(reg) at, options(nostack, preserves_flags)));
            asm!("dsb ish", options(nostack, preserves_flags));
        }
        asm!("isb", options(nostack, preserves_flags));
    }
}
