//! The functions that MLIR's generic allocation calls ("LLVM IR Target", "Generic allocation and deallocation functions"): C's own,
//! unless the program defines them.
//!
//! Rust has no weak definitions. In ELF, these are `.weak` symbols written in assembly that jump to Rust functions: any
//! other definition overrides each of the three, whichever object comes first. In COFF, GNU's linker does not take a
//! `.weak` symbol for a definition; there each function is a member of its own in the static library
//! ([build.rs](../build.rs), `members`), which linkers use only if nothing before it has defined the symbol. They
//! belong to the static library only: from a shared library, rustc exports nothing but Rust's symbols.

use core::ffi::c_void;

/// Memory of `size` bytes, aligned for any scalar.
extern "C" fn allocate(size: usize) -> *mut c_void {
    // SAFETY: any size will do.
    unsafe { libc::malloc(size) }
}

/// Memory of `size` bytes with this alignment, a power of two of which the size is a multiple.
extern "C" fn allocate_aligned(alignment: usize, size: usize) -> *mut c_void {
    // SAFETY: wrong numbers give null.
    unsafe { libc::aligned_alloc(alignment, size) }
}

/// Frees memory of either function; null has no effect.
///
/// # Safety
/// Null, or such memory, which nothing refers to.
unsafe extern "C" fn release(memory: *mut c_void) {
    // SAFETY: the caller's word.
    unsafe { libc::free(memory) }
}

#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
macro_rules! jump {
    () => {
        "jmp {}"
    };
}
#[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
macro_rules! jump {
    () => {
        "b {}"
    };
}

/// Defines weak functions that jump to these.
macro_rules! weak {
    ($($name:literal => $function:path,)*) => {
        $(core::arch::global_asm!(
            ".text",
            ".balign 16",
            concat!(".weak ", $name),
            concat!(".type ", $name, ", %function"),
            concat!($name, ":"),
            jump!(),
            concat!(".size ", $name, ", . - ", $name),
            sym $function,
        );)*
    };
}

weak! {
    "_mlir_memref_to_llvm_alloc" => allocate,
    "_mlir_memref_to_llvm_aligned_alloc" => allocate_aligned,
    "_mlir_memref_to_llvm_free" => release,
}
