//! `malloc`'s place: aligned for any scalar. `free` does not take what `_aligned_malloc` gives, so that all three are of that family.
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
