//! What a library for C programs needs without Rust's standard library.

use crate::report::Line;
use crate::system;
use core::alloc::{GlobalAlloc, Layout};
use core::fmt::Write;
use core::panic::PanicInfo;

/// The C library's memory, for the errors of the ABI layer.
struct Heap;

#[global_allocator]
static HEAP: Heap = Heap;

// SAFETY: `allocate` and `release` follow the rules, and larger alignments are refused.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > 2 * size_of::<usize>() { core::ptr::null_mut() } else { system::allocate(layout.size()) }
    }

    unsafe fn dealloc(&self, at: *mut u8, _layout: Layout) {
        // SAFETY: the caller's word.
        unsafe { system::release(at) }
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    let mut line = Line::new();
    let _ = writeln!(line, "gusset: {info}");
    line.end()
}

// An instruction that is never reached.
#[cfg(all(not(windows), any(target_arch = "x86_64", target_arch = "x86")))]
macro_rules! trap {
    () => {
        "ud2"
    };
}
#[cfg(all(not(windows), any(target_arch = "aarch64", target_arch = "arm")))]
macro_rules! trap {
    () => {
        "udf #0"
    };
}

// Nothing unwinds here, but the unwind tables of Rust's own libraries, which are made for programs that do, refer to
// this function. It is weak where possible, since the program may have other parts in Rust.
#[cfg(not(windows))]
core::arch::global_asm!(
    ".weak rust_eh_personality",
    ".hidden rust_eh_personality",
    ".type rust_eh_personality, %function",
    "rust_eh_personality:",
    trap!(),
    ".size rust_eh_personality, . - rust_eh_personality"
);

/// See above.
#[cfg(windows)]
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() -> ! {
    system::abort()
}
