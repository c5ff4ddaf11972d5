//! `free`'s place, for memory of the other two. `free` does not take what `_aligned_malloc` gives, so that all three are of that family.
#![no_std]

use core::ffi::c_void;

unsafe extern "C" {
    fn _aligned_free(memory: *mut c_void);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn _mlir_memref_to_llvm_free(memory: *mut c_void) {
    // SAFETY: the caller's word: such memory, or null, and nothing refers to it.
    unsafe { _aligned_free(memory) }
}
