//! Machine code for 32-bit ARM, A32 or T32, with floating-point arguments in registers of their own or not: the static
//! chain is passed in r12.

use crate::closure::{Function, dispatch};
pub(crate) use crate::interface::free;
use crate::report::called_dead;
use core::arch::naked_asm;
use core::ffi::c_void;

/// Distance of stubs, in bytes.
pub(crate) const STRIDE: usize = 8;
/// Stubs leave no gaps.
pub(crate) const TRAP: u8 = 0;

/// Reports the call of a freed trampoline. The trampoline's record is the chain.
#[unsafe(naked)]
unsafe extern "C" fn dead_call() {
    naked_asm!("push {{r4, lr}}", "mov r0, r12", "bl {}", "udf #0", sym called_dead)
}

/// The target of freed trampolines of the only kind.
pub(crate) fn dead(_kind: u16) -> *const () {
    dead_call as *const ()
}

/// The code of a function that frees a trampoline: it passes its own return address to [`free`], the operand.
macro_rules! free_code {
    () => {
        "push {{r4, lr}}\nmov r1, lr\nbl {}\npop {{r4, pc}}"
    };
}
pub(crate) use free_code;

/// Are floating-point arguments passed in registers of their own (AAPCS32, "VFP co-processor register argument
/// candidates")?
const HARD: bool = cfg!(target_abi = "eabihf");

#[cfg(target_abi = "eabihf")]
macro_rules! save_floats {
    () => {
        "vpush {{d0-d7}}"
    };
}
#[cfg(not(target_abi = "eabihf"))]
macro_rules! save_floats {
    () => {
        ""
    };
}

/// The target of calls of closures: saves the arguments in registers where [`Arguments`] finds them, and calls
/// [`dispatch`], whose result already is in the right registers.
///
/// # Safety
/// Only called through a trampoline whose chain is a context of `S` and `F`, with the arguments of `S`.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn adapter<S: Function<F>, F>() {
    // The frame: floating-point registers if there are any, 4 words, arguments on the stack.
    naked_asm!(
        "push {{r0-r3}}",
        save_floats!(),
        "push {{r4, lr}}",
        "add r0, sp, #8",
        "mov r1, r12",
        "bl {}",
        "pop {{r4, lr}}",
        "add sp, sp, #{}",
        "bx lr",
        sym dispatch::<S, F>,
        const if HARD { 80 } else { 16 },
    )
}

/// The arguments of a call, taken in order. Eight of them always fit the floating-point registers, if arguments are
/// passed in these.
pub(crate) struct Arguments {
    /// Single-precision registers.
    floats: *const u32,
    /// Registers that no argument was taken from yet.
    free: u32,
    /// Words: four registers, followed by the stack.
    words: *const u32,
}

impl Arguments {
    pub(crate) fn new(frame: *const c_void) -> Arguments {
        let floats: *const u32 = frame.cast();
        Arguments { floats, free: 0xffff, words: floats.wrapping_add(if HARD { 16 } else { 0 }) }
    }

    /// An integer of at most 32 bits, or a pointer.
    ///
    /// # Safety
    /// The next argument has this type.
    pub(crate) unsafe fn word(&mut self) -> u32 {
        // SAFETY: the caller's word.
        let word = unsafe { *self.words };
        self.words = self.words.wrapping_add(1);
        word
    }

    /// An integer of 64 bits: two registers beginning with an even one, or an aligned place, which is the same in the
    /// frame.
    ///
    /// # Safety
    /// The next argument has this type.
    pub(crate) unsafe fn long(&mut self) -> u64 {
        if !(self.words as usize).is_multiple_of(8) {
            self.words = self.words.wrapping_add(1);
        }
        // SAFETY: the caller's word.
        unsafe { u64::from(self.word()) | u64::from(self.word()) << 32 }
    }

    /// # Safety
    /// The next argument has this type.
    pub(crate) unsafe fn single(&mut self) -> f32 {
        if !HARD {
            // SAFETY: the caller's word.
            return f32::from_bits(unsafe { self.word() });
        }
        // The first free one, even if it is before registers that were taken.
        let index = self.free.trailing_zeros();
        self.free &= !(1 << index);
        // SAFETY: the caller guarantees it, and there is a register for each of eight arguments.
        f32::from_bits(unsafe { *self.floats.add(index as usize) })
    }

    /// # Safety
    /// The next argument has this type.
    pub(crate) unsafe fn double(&mut self) -> f64 {
        if !HARD {
            // SAFETY: the caller's word.
            return f64::from_bits(unsafe { self.long() });
        }
        let index = (self.free & self.free >> 1 & 0x5555).trailing_zeros();
        self.free &= !(3 << index);
        // SAFETY: the caller guarantees it, and there is a pair for each of eight arguments.
        f64::from_bits(unsafe { *self.floats.add(index as usize).cast() })
    }
}
