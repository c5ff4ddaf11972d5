//! Machine code for x86-64 on Windows: the static chain is passed in r10.

use crate::closure::{Function, dispatch};
use crate::interface;
use crate::report::called_dead;
use core::arch::naked_asm;
use core::ffi::c_void;

/// Distance of stubs, in bytes.
pub(crate) const STRIDE: usize = 32;
/// Fills the gaps between stubs: `int3`.
pub(crate) const TRAP: u8 = 0xcc;
/// The target of freed trampolines.
pub(crate) const DEAD: unsafe extern "C" fn() = dead;

/// Reports a call through a freed trampoline, whose record is the chain.
#[unsafe(naked)]
unsafe extern "C" fn dead() {
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

/// Defines a function that frees a trampoline, and passes its own return address to the pool.
macro_rules! free {
    ($(#[$doc:meta])* $name:ident, $symbol:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Null, or the handle of a trampoline that is no longer used.
        #[unsafe(naked)]
        #[unsafe(export_name = $symbol)]
        pub unsafe extern "C" fn $name(handle: *mut c_void) {
            naked_asm!("mov rdx, [rsp]", "jmp {}", sym free_at)
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

/// The arguments of a call, taken in order from the frame of [`adapter`].
pub(crate) struct Arguments {
    frame: *const u64,
    /// Arguments that were taken.
    taken: usize,
}

impl Arguments {
    pub(crate) fn new(frame: *const c_void) -> Arguments {
        Arguments { frame: frame.cast(), taken: 0 }
    }

    /// # Safety
    /// The frame belongs to [`adapter`], and the word is in it or belongs to an argument.
    unsafe fn at(&self, index: usize) -> u64 {
        // SAFETY: the caller's word.
        unsafe { *self.frame.add(index) }
    }

    /// An integer or a pointer.
    ///
    /// # Safety
    /// The next argument has this type.
    pub(crate) unsafe fn word(&mut self) -> u64 {
        self.taken += 1;
        // SAFETY: the caller's word.
        unsafe { self.at(5 + self.taken) }
    }

    /// The lowest 64 bits of a floating-point argument.
    ///
    /// # Safety
    /// The next argument has this type.
    unsafe fn float(&mut self) -> u64 {
        let index = self.taken;
        self.taken += 1;
        // SAFETY: the caller's word.
        unsafe { self.at(if index < 4 { index } else { 6 + index }) }
    }

    /// An integer of 64 bits.
    ///
    /// # Safety
    /// The next argument has this type.
    pub(crate) unsafe fn long(&mut self) -> u64 {
        // SAFETY: the caller's word.
        unsafe { self.word() }
    }

    /// # Safety
    /// The next argument has this type.
    pub(crate) unsafe fn single(&mut self) -> f32 {
        // SAFETY: the caller's word.
        f32::from_bits(unsafe { self.float() } as u32)
    }

    /// # Safety
    /// The next argument has this type.
    pub(crate) unsafe fn double(&mut self) -> f64 {
        // SAFETY: the caller's word.
        f64::from_bits(unsafe { self.float() })
    }
}
