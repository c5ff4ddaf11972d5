//! What x86-64 needs in its own code, by the System V ABI: the static chain comes in r10.

use crate::closure::{Function, dispatch};
use crate::interface;
use crate::report::called_dead;
use core::arch::naked_asm;
use core::ffi::c_void;

/// Bytes from one stub to the next.
pub(crate) const STRIDE: usize = 32;
/// Fills the gaps between stubs: `int3`.
pub(crate) const TRAP: u8 = 0xcc;
/// Where freed trampolines lead.
pub(crate) const DEAD: unsafe extern "C" fn() = dead;

/// Tells of a call through a freed trampoline, whose record is the chain.
#[unsafe(naked)]
unsafe extern "C" fn dead() {
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

/// The function of this name frees a trampoline, and tells the pool its own return address.
macro_rules! free {
    ($(#[$doc:meta])* $name:ident, $symbol:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Null, or the handle of a trampoline that is not used any more.
        #[unsafe(naked)]
        #[unsafe(export_name = $symbol)]
        pub unsafe extern "C" fn $name(handle: *mut c_void) {
            naked_asm!("endbr64", "mov rsi, [rsp]", "jmp {}", sym free_at)
        }

    };
}
pub(crate) use free;

/// # Safety
/// As the functions of `free`.
pub(crate) unsafe extern "C" fn free_at(handle: *mut c_void, site: *const ()) {
    // SAFETY: the caller's word.
    unsafe { interface::free(handle, site) }
}

/// What closures are called through: saves the arguments that came in registers where [`Arguments`] finds them, and calls
/// [`dispatch`], whose result is in the right registers already.
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

/// The arguments of a call, taken in order from what [`adapter`] saved.
pub(crate) struct Arguments {
    frame: *const u64,
    /// Words that were taken from registers.
    words: usize,
    /// Floating-point values that were taken from registers.
    floats: usize,
    /// Arguments that were taken from the stack.
    stack: usize,
}

impl Arguments {
    pub(crate) fn new(frame: *const c_void) -> Arguments {
        Arguments { frame: frame.cast(), words: 0, floats: 0, stack: 0 }
    }

    /// # Safety
    /// The frame is of [`adapter`], and the place is in it or is an argument's.
    unsafe fn at(&self, index: usize) -> u64 {
        // SAFETY: the caller's word.
        unsafe { *self.frame.add(index) }
    }

    /// An integer or a pointer.
    ///
    /// # Safety
    /// The next argument is one.
    pub(crate) unsafe fn word(&mut self) -> u64 {
        let index = if self.words < 6 {
            self.words += 1;
            self.words - 1
        } else {
            self.stack += 1;
            15 + self.stack
        };
        // SAFETY: the caller's word.
        unsafe { self.at(index) }
    }

    /// The lowest 64 bits of a floating-point argument.
    ///
    /// # Safety
    /// The next argument is one.
    unsafe fn float(&mut self) -> u64 {
        let index = if self.floats < 8 {
            self.floats += 1;
            5 + self.floats
        } else {
            self.stack += 1;
            15 + self.stack
        };
        // SAFETY: the caller's word.
        unsafe { self.at(index) }
    }

    /// An integer of 64 bits.
    ///
    /// # Safety
    /// The next argument is one.
    pub(crate) unsafe fn long(&mut self) -> u64 {
        // SAFETY: the caller's word.
        unsafe { self.word() }
    }

    /// # Safety
    /// The next argument is one.
    pub(crate) unsafe fn single(&mut self) -> f32 {
        // SAFETY: the caller's word.
        f32::from_bits(unsafe { self.float() } as u32)
    }

    /// # Safety
    /// The next argument is one.
    pub(crate) unsafe fn double(&mut self) -> f64 {
        // SAFETY: the caller's word.
        f64::from_bits(unsafe { self.float() })
    }
}
