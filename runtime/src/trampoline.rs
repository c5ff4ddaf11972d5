//! Trampolines for Rust programs that have functions with a static chain.

use crate::error::Error;
use crate::interface::gusset_trampoline_free;
use crate::pool::{self, Record};
use core::ptr::NonNull;

/// A trampoline of the pool: a function pointer that calls a function with a static chain. Freed when it is dropped.
#[derive(Debug)]
pub struct Trampoline(NonNull<Record>);

// SAFETY: a trampoline may be freed on any thread; between making and freeing it only its address is read.
unsafe impl Send for Trampoline {}
// SAFETY: as above.
unsafe impl Sync for Trampoline {}

impl Trampoline {
    /// A trampoline that calls `callee` with `chain` in the static chain register of C functions. Both are plain
    /// addresses: whoever calls the trampoline must ensure that they are valid.
    ///
    /// # Errors
    /// The system does not provide memory for it.
    pub fn new(callee: *const (), chain: *const ()) -> Result<Trampoline, Error> {
        pool::take(0, callee, chain).map(Trampoline)
    }

    /// The address to call.
    pub fn code(&self) -> *const () {
        // SAFETY: a record that is taken.
        unsafe { self.0.as_ref() }.code()
    }
}

impl Drop for Trampoline {
    // Not inlined, so that the address reported for a dangling call is at least in here.
    #[inline(never)]
    fn drop(&mut self) {
        // SAFETY: a pool handle, which is no longer used.
        unsafe { gusset_trampoline_free(self.0.as_ptr().cast()) }
    }
}
