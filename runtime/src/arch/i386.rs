//! What 32-bit x86 needs in its own code: the static chain of C functions comes in ecx, all arguments on the stack.

use crate::closure::{Function, dispatch};
use crate::interface;
use crate::report::called_dead;
use core::arch::naked_asm;
use core::ffi::c_void;

/// Bytes from one stub to the next.
pub(crate) const STRIDE: usize = 16;
/// Fills the gaps between stubs: `int3`.
pub(crate) const TRAP: u8 = 0xcc;
/// Where freed trampolines lead.
pub(crate) const DEAD: unsafe extern "C" fn() = dead;

/// Tells of a call through a freed trampoline, whose record is the chain.
#[unsafe(naked)]
unsafe extern "C" fn dead() {
    naked_asm!(
        "endbr32",
        "push ebp",
        "mov ebp, esp",
        "and esp, -16",
        "sub esp, 16",
        "mov [esp], ecx",
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
            naked_asm!("endbr32", "mov ecx, [esp + 4]", "mov edx, [esp]", "jmp {}", sym free_at)
        }
    };
}
pub(crate) use free;

/// # Safety
/// As the functions of `free`.
pub(crate) unsafe extern "fastcall" fn free_at(handle: *mut c_void, site: *const ()) {
    // SAFETY: the caller's word.
    unsafe { interface::free(handle, site) }
}

/// What closures are called through: tells [`dispatch`], whose result is in the right registers already, where the
/// arguments are.
///
/// # Safety
/// Only called through a trampoline whose chain is a context of `S` and `F`, with the arguments of `S`.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn adapter<S: Function<F>, F>() {
    naked_asm!(
        "endbr32",
        "lea eax, [esp + 4]",
        "sub esp, 12",
        "mov [esp], eax",
        "mov [esp + 4], ecx",
        "call {}",
        "add esp, 12",
        "ret",
        sym dispatch::<S, F>
    )
}

/// The arguments of a call, taken in order.
pub(crate) struct Arguments(*const u32);

impl Arguments {
    pub(crate) fn new(frame: *const c_void) -> Arguments {
        Arguments(frame.cast())
    }

    /// An integer of at most 32 bits, or a pointer.
    ///
    /// # Safety
    /// The next argument is one.
    pub(crate) unsafe fn word(&mut self) -> u32 {
        // SAFETY: the caller's word.
        let word = unsafe { *self.0 };
        self.0 = self.0.wrapping_add(1);
        word
    }

    /// An integer of 64 bits.
    ///
    /// # Safety
    /// The next argument is one.
    pub(crate) unsafe fn long(&mut self) -> u64 {
        // SAFETY: the caller's word.
        unsafe { u64::from(self.word()) | u64::from(self.word()) << 32 }
    }

    /// # Safety
    /// The next argument is one.
    pub(crate) unsafe fn single(&mut self) -> f32 {
        // SAFETY: the caller's word.
        f32::from_bits(unsafe { self.word() })
    }

    /// # Safety
    /// The next argument is one.
    pub(crate) unsafe fn double(&mut self) -> f64 {
        // SAFETY: the caller's word.
        f64::from_bits(unsafe { self.long() })
    }
}
