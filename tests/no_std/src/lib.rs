//! Uses `gusset-abi` with nothing but `core` and `alloc`: were the standard library pulled in by anything, its panic handler
//! would clash with the one here, and this would not build.
#![no_std]

use core::alloc::{GlobalAlloc, Layout};
use core::panic::PanicInfo;
use gusset_abi::{CType, AbiFeatures, Signature, AbiTarget, classify};

/// An allocator that has nothing to give.
struct Nothing;

// SAFETY: a null pointer says that there is no memory; nothing is ever handed out that could be given back.
unsafe impl GlobalAlloc for Nothing {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        core::ptr::null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static ALLOCATOR: Nothing = Nothing;

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}

/// The bytes of stack that the arguments of `int f(double)` take, or -1.
#[unsafe(no_mangle)]
pub extern "C" fn stack_bytes() -> i32 {
    let Ok(target) = AbiTarget::from_triple("i686-unknown-linux-gnu", AbiFeatures::default()) else { return -1 };
    match classify(&target, &Signature::c(CType::I32).param(CType::F64)) {
        Ok(abi) => abi.stack_arg_bytes as i32,
        Err(_) => -1,
    }
}
