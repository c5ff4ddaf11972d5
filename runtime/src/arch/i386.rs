//! Machine code for 32-bit x86: the static chain of C functions is passed in ecx, all arguments on the stack.

use crate::closure::{Function, dispatch};
use crate::interface;
use crate::report::called_dead;
use core::arch::naked_asm;
use core::ffi::c_void;

/// Distance of stubs, in bytes.
pub(crate) const STRIDE: usize = 16;
/// Fills the gaps between stubs: `int3`.
pub(crate) const TRAP: u8 = 0xcc;

/// Defines targets of freed trampolines: they report the call. The trampoline's record is the chain.
macro_rules! dead {
    ($($name:ident: $chain:literal;)*) => {$(
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            naked_asm!(
                "endbr32",
                "push ebp",
                "mov ebp, esp",
                "and esp, -16",
                "sub esp, 16",
                concat!("mov [esp], ", $chain),
                "call {}",
                "ud2",
                sym called_dead
            )
        }
    )*};
}

dead! {
    dead_ecx: "ecx";
    dead_eax: "eax";
}

/// The target of freed trampolines of a kind.
pub(crate) fn dead(kind: u16) -> *const () {
    (if kind == 0 { dead_ecx } else { dead_eax }) as *const ()
}

/// The code of a function that frees a trampoline: it passes its own return address to [`free`], the operand.
macro_rules! free_code {
    () => {
        "endbr32\nmov ecx, [esp + 4]\nmov edx, [esp]\njmp {}"
    };
}
pub(crate) use free_code;

/// # Safety
/// As [`interface::free`].
pub(crate) unsafe extern "fastcall" fn free(handle: *mut c_void, site: *const ()) {
    // SAFETY: the caller's word.
    unsafe { interface::free(handle, site) }
}

/// The target of calls of closures: passes the address of the arguments to [`dispatch`], whose result already is in the
/// right registers.
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
    /// The next argument has this type.
    pub(crate) unsafe fn word(&mut self) -> u32 {
        // SAFETY: the caller's word.
        let word = unsafe { *self.0 };
        self.0 = self.0.wrapping_add(1);
        word
    }

    /// An integer of 64 bits.
    ///
    /// # Safety
    /// The next argument has this type.
    pub(crate) unsafe fn long(&mut self) -> u64 {
        // SAFETY: the caller's word.
        unsafe { u64::from(self.word()) | u64::from(self.word()) << 32 }
    }

    /// # Safety
    /// The next argument has this type.
    pub(crate) unsafe fn single(&mut self) -> f32 {
        // SAFETY: the caller's word.
        f32::from_bits(unsafe { self.word() })
    }

    /// # Safety
    /// The next argument has this type.
    pub(crate) unsafe fn double(&mut self) -> f64 {
        // SAFETY: the caller's word.
        f64::from_bits(unsafe { self.long() })
    }
}
