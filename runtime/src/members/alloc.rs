//! Replaces `malloc`; the memory is aligned for any scalar. `free` does not accept memory from `_aligned_malloc`, so
//! all three functions use that family.
#![no_std]

use core::ffi::c_void;

unsafe extern "C" {
    fn _aligned_malloc(size: usize, alignment: usize) -> *mut c_void;
}

#[unsafe(no_mangle)]
extern "C" fn _mlir_memref_to_llvm_alloc(size: usize) -> *mut c_void {
    // SAFETY: any size will do, and the alignment is a power of two.
    unsafe { _aligned_malloc(size, 16) }
}
