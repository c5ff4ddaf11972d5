//! The functions that MLIR's generic allocation calls ("LLVM IR Target", "Generic allocation and deallocation functions"): C's own,
//! unless the program defines them.
//!
//! Rust has no weak definitions. In ELF these are written in assembly as `.weak` symbols that jump to functions of Rust's: any other
//! definition wins, whichever object comes first, for each of the three by itself. In COFF GNU's linker takes a `.weak` symbol for no
//! definition; there each is a member of the static library of its own ([build.rs](../build.rs), `members`), which linkers take only
//! if nothing before it has defined the symbol. They are the static library's: of a shared library rustc exports Rust's symbols alone.

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

/// Gives back memory of either function; null is nothing to give back.
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

/// Defines weak functions that go on to these.
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
