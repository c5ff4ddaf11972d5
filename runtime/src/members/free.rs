//! Replaces `free`, for memory of the other two functions. `free` does not accept memory from `_aligned_malloc`, so all
//! three functions use that family.
#![no_std]

use core::ffi::c_void;

unsafe extern "C" {
    fn _aligned_free(memory: *mut c_void);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn _mlir_memref_to_llvm_free(memory: *mut c_void) {
    // SAFETY: the caller guarantees that it is such memory, or null, and that nothing refers to it.
    unsafe { _aligned_free(memory) }
}
