//! Replaces `aligned_alloc`, which C's library does not have on Windows. `free` does not accept memory from
//! `_aligned_malloc`, so all three functions use that family.
#![no_std]

use core::ffi::c_void;

unsafe extern "C" {
    fn _aligned_malloc(size: usize, alignment: usize) -> *mut c_void;
}

#[unsafe(no_mangle)]
extern "C" fn _mlir_memref_to_llvm_aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
    // SAFETY: as far as the caller's numbers are right, as with C's.
    unsafe { _aligned_malloc(size, alignment) }
}
